#!/bin/sh
# exercises.sh - lints the curriculum: every skeleton compiles through each front end and is rejected
# through the first, every solution is accepted through the first front end and every fourth through the
# second, every wrong solution gets the verdict and line that it declares, and every exercise has what an exercise needs. Part `exercises`
# of tests/run.
#
# usage: tests/exercises.sh [--variants] [stepNN[-K] | summit[-K] ...]
#
# common/answers/*/variants holds, of an exercise, ten further wrong solutions and five further right ones at
# least, as edits of its solution. --variants judges all of them through each front end, and nothing else (about
# 25 minutes of a core); otherwise the last wrong one and the last right one of each exercise are judged,
# through the first front end.
#
# A wrong solution declares its verdict behind "rejected: "; if that stands behind code, the judge
# must name that line. The judge draws its sizes and numbers from SEED (1), so that each run judges the
# same; where a verdict depends on what was drawn, a wrong solution declares both. QUICK=1: through one
# front end, and no wrong solutions. ON_GPU=1, on a machine with one: judged by it alone, which knows
# results and not counts: solutions are accepted, and wrong solutions with a wrong result or a write out
# of bounds are rejected.
set -u
cd "$(dirname "$0")/.." || exit 2

# One job: KIND EXERCISE FILE EXPECTED; says ok or what came instead.
if [ "${1:-}" = --one ]; then
    kind=$2 exercise=$3 file=$4 want=$5
    got=$(timeout 300 common/judge/judge "$kind" "$exercise" "$file" --brief --seed "${SEED:-1}" 2>&1)
    case $want in
    rejected | judged) # for what it computes or counts: not because it is broken
        case $want-$got in
        rejected-solved | *-compile* | *-"broken exercise"* | *-"ended early"* | *-) good=no ;;
        *) good=yes ;;
        esac ;;
    *" or "*) # the front ends differ
        case " or $want or " in *" or ${got%%, line *} or "*) good=yes ;; *) good=no ;; esac ;;
    *) case $got in
        "$want" | "$want, line "*) good=yes ;; # no line declared: any, as of two races, which come in either order
        *) good=no ;;
        esac ;;
    esac
    if [ $good = yes ]; then
        echo "ok $kind $file: $got"
    else
        echo "FAILED: $file through $kind: wanted '$want', got '$got'; see:" \
            "common/judge/judge $kind $exercise $file"
    fi
    exit 0
fi

# All skeletons of a lesson at once, each in a namespace of its own: a compiler takes its time to start.
if [ "${1:-}" = --compile ]; then
    frontend=$2 step=$3 file=build/test/skeletons-$2-$(echo "$3" | tr / -).cu
    shift 3
    {
        grep -h '^#include' "$@" | sort -u
        for path; do
            echo "namespace $(basename "$path" .cu | sed 's/^/e/') {"
            echo "#include \"$path\""
            echo "}"
        done
    } >"$file"
    if common/simt/simtcc --frontend="$frontend" -O0 -I. -c "$file" -o "${file%.cu}.o" >"${file%.cu}.said" 2>&1; then
        echo "ok sim-$frontend $step: $# skeletons compile"
    else
        echo "FAILED: skeletons of $step do not compile through $frontend: $(grep -m 1 error "${file%.cu}.said")"
    fi
    exit 0
fi

jobs=build/test/exercises.jobs
mkdir -p build/test
: >"$jobs"
complaints=0
complain() {
    echo "FAILED: $*"
    complaints=$((complaints + 1))
}
# FRONTENDS="clang" tries only that one.
kinds=$(! command -v clang++ >/dev/null || echo sim-clang; ! command -v nvcc >/dev/null || echo sim-nvcc)
# The second front end judges the solutions of every fourth exercise: what differs between front ends, other tests
# see, and each costs some 4 seconds through nvcc. --share FRONTEND says 4 for it, and nothing for the first.
share=4
if [ "${1:-}" = --share ]; then
    [ "sim-$2" = "${kinds%%[!a-z-]*}" ] || echo $share
    exit
fi
[ -z "${FRONTENDS:-}" ] || kinds=$(for f in $FRONTENDS; do echo "sim-$f"; done)
first=${kinds%%[!a-z-]*}
[ -z "${QUICK:-}" ] || kinds=$first
[ -z "${ON_GPU:-}" ] || kinds=gpu first=gpu

# "goal bank conflicts, line 12" for the declaration of a wrong solution.
declared() {
    awk '/rejected: / { n++; line = NR; text = $0; code = $0
            sub(/.*rejected: /, "", text); sub(/ *\*\/.*/, "", text); sub(/ +$/, "", text)
            sub(/(\/\/|\/\*).*/, "", code); sub(/^ \*.*/, "", code); sub(/rejected:.*/, "", code) }
        END { if (n == 1) print text (code ~ /[^ ]/ ? ", line " line : "") }' "$1"
}

answers_of() { case $1 in */summit/*) echo common/answers/summit ;; *) echo "common/answers/${1%%/*}" ;; esac; }

# The variants of an exercise, written as files: "FILE VERDICT" in lines of their own; chosen: all, or the
# last wrong one and the last right one.
variants() { # exercise's path, all or sample
    name=$(basename "$1" .cu) answers=$(answers_of "$1") folder=build/test/variants/$(basename "$answers")
    mkdir -p "$folder"
    rm -f "$folder/$name".*.cu
    awk -v out="$folder" -f common/judge/grading/variants.awk "$answers/$name.cu" "$answers/variants/$name.txt" \
        >build/test/variants.list || return 1
    awk -F '\t' -v sample="$2" '{ verdict = $2 == "right" ? "solved" : $4 == "" ? "?" : $4
            line[$2] = $1 "\n" verdict }
        sample != "sample" { print line[$2] }
        END { if (sample == "sample") print line["wrong"] "\n" line["right"] }' build/test/variants.list
}

examine() { # what needs no compiler
    path=$1 folder=${1%/*} name=$(basename "$1" .cu) answers=$(answers_of "$1")
    awk 'NR == 1 && !/^\/\* [0-9][0-9] [^ ].*\[(fill|repair|cheaper|predict|which line)\]$/ {
            print "begins with: /* NN name: question   [fill|repair|cheaper|predict|which line]" }
        length > 80 { print "line " NR " is longer than 80 columns" }
        !over && /\*\// { over = NR }
        /YOURS/ { marked += over > 0 }
        /common\/judge/ { print "shows its harness in line " NR }
        END { if (over > 16) print "has a task of " over " lines; 15 are the most"
              if (marked != 1) print "has " marked + 0 " marked places (YOURS); it must be one" }' \
        "$path" >build/test/exercises.said
    while read -r what; do complain "$path $what"; done <build/test/exercises.said
    [ -s "$folder/judge/$name.cu" ] || complain "$path has no half that judges it"
    grep -q 'Remember: ' "$folder/judge/$name.cu" ||
        complain "$path: its judging half says nothing to remember"
    awk '/^--$/ { n++ } length > 78 { n = -99 } END { exit n < 1 }' "$folder/hints/$name.txt" \
        2>/dev/null || complain "$path: hints in at least two steps, lines of at most 78 columns"
    [ -d common/answers ] || return # a copy without solutions
    [ -s "$answers/$name.cu" ] || complain "$path has no solution"
    wrong=0
    for file in "$answers/wrong/$name".*.cu; do
        [ ! -f "$file" ] || wrong=$((wrong + 1))
    done
    [ "$wrong" -ge 2 ] || complain "$path has $wrong wrong solutions; two are the least"
    [ ! -f "$answers/variants/$name.txt" ] || for kind in wrong:10 right:5; do
        [ "$(grep -c "^== ${kind%:*} " "$answers/variants/$name.txt" 2>/dev/null)" -ge "${kind#*:}" ] ||
            complain "$path has less than ${kind#*:} ${kind%:*} variants in $answers/variants/$name.txt"
    done
}

add_variants() { # exercise's path, all or sample, kinds
    path=$1
    [ -f "$(answers_of "$1")/variants/$(basename "$1" .cu).txt" ] || return 0
    variants "$1" "$2" >build/test/variants.jobs || complain "$1: its variants cannot be written"
    shift 2
    while read -r file && read -r expected; do
        for kind; do
            printf "%s\n%s\n%s\n%s\n" "$kind" "$path" "$file" "$expected" >>"$jobs"
        done
    done <build/test/variants.jobs
}

add_jobs() {
    path=$1 name=$(basename "$1" .cu) answers=$(answers_of "$1")
    if [ -n "$all_variants" ]; then
        # shellcheck disable=SC2086 # a list
        add_variants "$path" all $kinds
        return
    fi
    # A GPU does not count: there a skeleton that is only dear is right.
    [ "$first" = gpu ] && want=judged || want=rejected
    printf "%s\n%s\n%s\n%s\n" "$first" "$path" "$path" $want >>"$jobs"
    [ -d common/answers ] || return
    for kind in $kinds; do
        [ "$kind" = "$first" ] || [ -n "$wanted" ] || [ $((exercises % share)) = 1 ] || continue
        printf "%s\n%s\n%s\n%s\n" "$kind" "$path" "$answers/$name.cu" solved >>"$jobs"
    done
    [ -z "${QUICK:-}" ] || return
    for file in "$answers/wrong/$name".*.cu; do
        [ -f "$file" ] || continue
        expected=$(declared "$file")
        [ -n "$expected" ] || complain "$file declares no verdict, or several"
        case $first-$expected in
        gpu-wrong\ result*) expected=rejected ;;
        gpu-launch* | gpu-compile*) expected=${expected%%,*} ;;
        gpu-*) expected=judged ;;
        esac
        printf "%s\n%s\n%s\n%s\n" "$first" "$path" "$file" "${expected:-?}" >>"$jobs"
    done
    [ "$first" = gpu ] || add_variants "$path" sample "$first"
}

strays() { # hints, halves, solutions and wrong solutions of no exercise
    for file in step*/exercises/judge/*.cu step*/exercises/hints/*.txt \
        step*/summit/exercises/judge/*.cu step*/summit/exercises/hints/*.txt \
        common/answers/*/*.cu common/answers/*/wrong/*.cu common/answers/*/variants/*.txt; do
        name=$(basename "$file") folder=${file#common/answers/}
        case $folder in */exercises/*) folder=${folder%/exercises/*} ;; summit/*) folder=step02_tiled/summit ;; *) folder=${folder%%/*} ;; esac
        [ -f "$folder/exercises/${name%%.*}.cu" ] || [ ! -f "$file" ] ||
            complain "$file belongs to no exercise"
    done
}

chosen() { # path
    [ -n "$wanted" ] || return 0
    step=${1%%_*} number=${1##*/} number=${number%%_*}
    case $1 in */summit/*) step=summit ;; esac
    case " $wanted " in *" $step "* | *" $step-${number#0} "*) ;; *) return 1 ;; esac
}

all_variants=
if [ "${1:-}" = --variants ]; then
    all_variants=yes
    shift
fi
wanted=$*
exercises=0
for path in step*/exercises/[0-9][0-9]_*.cu step*/summit/exercises/[0-9][0-9]_*.cu; do
    chosen "$path" || continue
    exercises=$((exercises + 1))
    examine "$path"
    add_jobs "$path"
done
[ $exercises -gt 0 ] || { echo "exercises.sh: no exercise is called $wanted" >&2; exit 2; }
strays
[ ! -d common/answers ] || [ -n "$wanted" ] || said=$(common/judge/grading/mutants --check) || complain "$said"
for kind in $kinds; do
    case $kind in gpu) frontend=nvcc ;; *) frontend=${kind#sim-} ;; esac
    [ "$kind" = "$first" ] || [ -n "$wanted$all_variants" ] && less= || less=$share
    make -s -j"$(nproc)" BACKEND="${kind%%-*}" FRONTEND="$frontend" SHARE="$less" CC="${CC:-gcc}" judges ||
        complain "make judges ($kind)"
done
for kind in $kinds; do # the skeletons that the first front end alone judges
    [ "$kind" != "$first" ] && [ -z "$wanted$all_variants" ] || continue
    for folder in step*/exercises step*/summit/exercises; do
        sh tests/exercises.sh --compile "${kind#sim-}" "${folder%/exercises}" "$folder"/[0-9][0-9]_*.cu
    done
done >build/test/skeletons.out &
xargs -d '\n' -n 4 -P "$(nproc)" sh tests/exercises.sh --one <"$jobs" >build/test/exercises.out
wait
compiled=$(grep -c . build/test/skeletons.out)
cat build/test/skeletons.out >>build/test/exercises.out
sort build/test/exercises.out
bad=$(grep -c '^FAILED' build/test/exercises.out)
good=$(grep -c '^ok' build/test/exercises.out)
[ $((4 * (bad + good - compiled))) = "$(wc -l <"$jobs")" ] || complain "jobs without an answer"
echo "$good passed, $((bad + complaints)) failed"
[ $((bad + complaints)) = 0 ]
