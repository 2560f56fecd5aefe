#!/bin/sh
# traceg.sh - the trace of a launch's accesses, SIMT_REPORT=FILE.traceg: requests, sectors and wavefronts
# that traceg.awk computes from its addresses are those that the same launch has counted, with any number
# of threads; and what is said of a choice or a file that cannot be.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 2
work=${WORK:-build/page}/traceg
rm -rf "$work"
mkdir -p "$work"
passed=0 failed=0
good() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }
# Of row N (0: the first launch) the columns that the trace speaks of.
counted() { # CSV ROW COLUMNS-FILE
    awk -v row="$2" 'FNR == NR { wanted[++count] = $1; next }
        FNR == 1 { n = split($0, name, ","); for (i = 1; i <= n; i++) at[name[i]] = i; next }
        FNR == row + 2 { gsub(/"[^"]*"/, "k"); split($0, field, ",")
            for (i = 1; i <= count; i++) print wanted[i], field[at[wanted[i]]] }' "$3" "$1"
}
# The same file but for where the host's address space begins: pages stay whole.
moved() { sed 's/0x[0-9a-f]\{8,\}\([0-9a-f]\{3\}\)/+\1/g' "$1"; }
trace_of() { # CHOICE ROW: the row of the CSV that it is
    rm -f "$work/x.traceg"
    for threads in 1 2 8; do
        SIMT_THREADS=$threads SIMT_REPORT="$work/x.traceg$1" "$program" >"$work/out" 2>&1 || bad "$program$1: $(cat "$work/out")"
        moved "$work/x.traceg" >"$work/x.$threads"
    done
    if cmp -s "$work/x.1" "$work/x.2" && cmp -s "$work/x.1" "$work/x.8"; then good; else bad "$frontend, '$1': 1, 2 and 8 threads differ"; fi
    awk -v words="${3:-}" -f tests/page/traceg.awk "$work/x.traceg" >"$work/computed" || bad "$frontend, '$1': $(cat "$work/computed")"
    counted "$work/counts.csv" "$2" "$work/computed" >"$work/counted"
    if cmp -s "$work/computed" "$work/counted"; then good; else
        bad "$frontend, '$1': computed and counted:"
        diff "$work/computed" "$work/counted"
    fi
}
moves() { # COUNTER: the last trace has some of it, so that 0 is not compared with 0
    if grep -q "^$1 [1-9]" "$work/computed"; then good; else bad "$frontend: no $1"; fi
}
fails() { # WHAT TEXT VALUE: exit code 2, one line with that text
    SIMT_REPORT="$3" "$program" >"$work/out" 2>&1
    code=$?
    case $code$(wc -l <"$work/out" | tr -d ' ')$(cat "$work/out") in
    21*"$2"*) good ;;
    *) bad "$1: exit code $code, '$(cat "$work/out")'" ;;
    esac
}
for frontend in $(command -v nvcc >/dev/null 2>&1 && echo nvcc; command -v clang++ >/dev/null 2>&1 && echo clang); do
    program=$work/accesses-$frontend
    common/simt/simtcc --frontend="$frontend" -O3 tests/page/accesses.cu -o "$program" || exit 1
    rm -f "$work/counts.csv"
    SIMT_REPORT=$work/counts.csv "$program" || bad "$program does not run"
    trace_of '' 0 words
    moves global_load_sectors && moves global_store_sectors
    if grep -q ' STL ' "$work/x.traceg" && grep -q ' LDG.E.128 ' "$work/x.traceg"; then good; else bad "$frontend: widths, local memory"; fi
    trace_of :all_widths,2 1 words
    trace_of :conflicts 2 words
    moves shared_load_wavefronts && moves shared_store_wavefronts
    trace_of :atomics 3
    moves global_red_sectors && moves global_atom_sectors
    trace_of ':copies<8, double>' 4
    moves copy_sectors
    line=$(grep -n 'tickets\[' tests/page/accesses.cu | cut -d: -f1)
    SIMT_REPORT=$work/x.traceg:atomics "$program"
    if grep -q "^$line [0-9a-f]* [0-9a-f]* 0 ATOMG.E 0 4 0 " "$work/x.traceg"; then good; else bad "$frontend: line $line has no ATOMG"; fi
done
fails "a kernel that is not there" "no kernel that was launched is called all_width;" "$work/x.traceg:all_width"
fails "a launch that is not there" "launch 3 of all_widths was asked for, the last one was number 2" "$work/x.traceg:all_widths,3"
fails "no name" "stands the name of a kernel" "$work/x.traceg:"
fails "launch 0" "its number from 1" "$work/x.traceg:atomics,0"
cp tests/page/accesses.cu "$work/other.traceg"
fails "another file" "holds something else than a trace of accesses" "$work/other.traceg"
fails "no such folder" "cannot write there" "$work/none/x.traceg"
SIMT_REPORT=$work/x.traceg "$program" full 2>"$work/out" || bad "a full trace is no error"
said=$(sed 's/.*it holds \([0-9]*\) accesses, \([0-9]*\) are left out.*/\1 \2/' "$work/out")
if awk -f tests/page/traceg.awk "$work/x.traceg" >/dev/null && [ "$((${said% *} + ${said#* }))" = 120000 ] &&
    [ "$(awk '/^-accesses = / { a = $3 } /^-accesses left out = / { print a, $5; exit }' "$work/x.traceg")" = "$said" ] &&
    [ "$(wc -c <"$work/x.traceg")" -lt 33600000 ]; then good; else bad "a full trace: $(cat "$work/out")"; fi
rm -rf "$work"
echo "traceg: $passed passed, $failed failed"
[ "$failed" = 0 ]
