#!/bin/sh
# variables.sh - registers by the names of the source: those that must be there, and none that is wrong.
#
# For each kernel of variables.cu the record's trace is read as pairs of a line and the name of what is written
# there. Both front ends, and every clang, must name what stands in `wanted`; whatever variable they name besides
# must be in `right`, and so must comparisons; names.sh looks at expressions. With clang the PTX has the same instructions with and without -G.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 2
work=${WORK:-build/page}/variables
mkdir -p "$work"
passed=0 failed=0
good() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }
source=tests/page/variables.cu
line_of() { grep -n -F -e "$1" $source | head -n 1 | cut -d: -f1; }

# "LINE NAME" of every instruction that writes one register, and for which a name is known.
names() { # JSON KERNEL
    tr '\n' ' ' <"$1" | sed 's/"kernel": *"/\n&/g' | grep -F "\"$2\"" |
        grep -o '\[[0-9-]*,[0-9]*,"[^"]*",\["[^]"]*","[^]"]*"\],{[^}]*}\]' |
        sed 's/^\[[0-9-]*,\([0-9]*\),"[^"]*",\["\([^"]*\)",[^]]*\],{\(.*\)}\]$/\1|\2|,\3/' |
        awk -F'|' '{ at = index($3, ",\"" $2 "\":\""); if (at == 0) next
            name = substr($3, at + length($2) + 5); sub(/".*/, "", name); print $1, name }' | sort -u
}
# What only the debug information of clang knows, and where the compiler may have put it.
right() {
    for name in blockIdx.x blockDim.x threadIdx.x i; do echo "$(line_of 'int i = ') $name"; done
    echo "$(line_of 'tile[threadIdx.x] = ') i" && echo "$(line_of 'tile[threadIdx.x] = ') tile"
    loop=$(line_of 'for (int j')
    for name in j 'n < 1' 'n < 4' acc; do echo "$loop $name"; done
    echo "$(line_of 'float v = ') v" && echo "$(line_of 'acc += ') acc"
    for name in x y next; do echo "$(line_of 'mine = bodies') mine.$name"; done
    echo "$(line_of 'mine = bodies') i" && echo "$(line_of 'if (i < n)') i" && echo "$(line_of 'if (i < n)') i >= n"
    echo "$(line_of 'float scaled') scaled" && echo "$(line_of 'mine.x += ') mine.x"
    echo "$(line_of 'mine.next += ') mine.next"
    echo "$(line_of 'int a = in') a" && echo "$(line_of 'int a = in') b" && echo "$(line_of 'int a = in') threadIdx.x"
    for k in 0 1 2 3; do echo "$(line_of 'four[k] = ') four[$k]"; done
    turns=$(line_of 'for (int round')
    for name in round 'n < 1' 'n < 4'; do echo "$turns $name"; done
    echo "$(line_of 'int kept') kept" && echo "$(line_of 'a = b;') a" && echo "$(line_of 'b = kept') b"
    grep -n '__device__\|__global__\|^{' $source | cut -d: -f1 | while read -r head; do # parameters
        for name in out in bodies n; do echo "$head $name"; done
    done
    for name in out in bodies n mine.next mine.x i; do echo "0 $name"; done # wherever the compiler moved it
}
wanted() { # FRONTEND
    echo "$(line_of 'int i = ') i" && echo "$(line_of 'float v = ') v" && echo "$(line_of 'acc += ') acc"
    echo "$(line_of 'float scaled') scaled" && echo "$(line_of 'if (i < n)') i >= n"
    echo "$(line_of 'for (int j') n < 1"
    case $1 in clang*)
        for name in x y next; do echo "$(line_of 'mine = bodies') mine.$name"; done
        echo "$(line_of 'for (int j') j" && echo "$(line_of 'for (int round') round" && echo "$(line_of 'b = kept') b"
        ;;
    esac
}
frontends=$(command -v nvcc >/dev/null 2>&1 && echo nvcc
    for version in 14 16 19; do
        command -v clang++-$version >/dev/null 2>&1 && echo clang-$version
    done)
right | sort -u >"$work/right"
for frontend in $frontends; do
    common/simt/simtcc --frontend="$frontend" -G $source -o "$work/program" || { bad "$frontend: it is not compiled"; continue; }
    rm -f "$work/page.json"
    SIMT_REPORT=$work/page.json "$work/program" || bad "$frontend: it does not run"
    { names "$work/page.json" sum_of_rows; names "$work/page.json" in_turns; } | sed 's/\\u003c/</' | sort -u >"$work/names"
    wanted "$frontend" | sort -u | comm -23 - "$work/names" >"$work/missing"
    if [ -s "$work/missing" ]; then bad "$frontend: not named: $(tr '\n' ',' <"$work/missing")"; else good; fi
    grep -E '^[0-9]+ ([A-Za-z_][A-Za-z0-9_.]*([[][0-9]+])?|[a-z]+ [<>]=? [a-z0-9]+)$' "$work/names" |
        sed 's/^[0-9]* \(out\|in\|bodies\|n\)$/0 \1/' | sort -u | comm -23 - "$work/right" >"$work/wrong"
    if [ -s "$work/wrong" ]; then bad "$frontend: wrong: $(tr '\n' ',' <"$work/wrong")"; else good; fi
    # The values: i counts the threads, and n is the launch's in all lanes.
    values=$(tr '\n' ' ' <"$work/page.json")
    case $values in *'"+0,1"'*'"=7"'* | *'"=7"'*'"+0,1"'*) good ;; *) bad "$frontend: no vector counts the threads" ;; esac
done
# Debug information changes no instruction.
instructions() { grep -v '^[[:space:]]*\.\(loc\|file\|pragma "simt_variable\)' "$1" | sed 's,[[:space:]]*//.*,,; /tmp[0-9]*:$/d; /^$/d'; }
for frontend in $(echo "$frontends" | grep clang); do
    for file in $source step04_divergence/harness/watch.cu; do
        common/simt/simtcc --frontend="$frontend" -I. -ptx $file -o "$work/plain.ptx" &&
            common/simt/simtcc --frontend="$frontend" -I. -G -ptx $file -o "$work/named.ptx" || bad "$frontend: $file"
        instructions "$work/plain.ptx" >"$work/plain" && instructions "$work/named.ptx" >"$work/named"
        if cmp -s "$work/plain" "$work/named" && grep -q 'simt_variable' "$work/named.ptx" &&
            ! grep -q 'simt_variable' "$work/plain.ptx"; then good; else bad "$frontend: $file: -G changes the code"; fi
    done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
