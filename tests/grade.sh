#!/bin/bash
# grade.sh - make grade as a lecturer has it: thirty made-up submissions (5 right, 20 wrong, 5
# hostile) in one command, the same rows twice, going on after an interruption, submissions that are
# alike, and the course without its solutions. Part `attacks` of tests/run.
set -u
cd "$(dirname "$0")/.." || exit 2
[ -d common/answers ] || { echo "0 passed, 0 failed, 1 skipped"; exit 0; }
frontend=$(command -v clang++ >/dev/null 2>&1 && echo clang || echo nvcc)
passed=0 failed=0
good() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    echo "FAILED: $1"
    [ ! -f "${2:-}" ] || tail -n 20 "$2" | sed 's/^/    /'
}
same() { if [ "$2" = "$3" ]; then good; else bad "$1: '$2', wanted '$3'"; fi; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/grade-test.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
class=$scratch/class said=$scratch/said
grade() { make -s BACKEND=sim FRONTEND="$frontend" CC="${CC:-gcc}" grade IN="$class" "$@" >"$said" 2>&1; }
mkdir -p "$class"
make -s build/box && build/box --check 2>/dev/null || {
    grade OUT="$scratch/g.csv" && bad "a machine without boxes grades" "$said"
    echo "$passed passed, $failed failed, 1 skipped"
    exit $((failed > 0))
}

# --- thirty submissions: folders and single files -------------------------------------------------------
answers=common/answers/step01_naive
number=0
give() { # NAME FILE: as the next student's, every other one in a folder of folders
    number=$((number + 1))
    if [ $((number % 2)) = 0 ]; then
        mkdir -p "$class/student $number/exercises/mine"
        cp "$2" "$class/student $number/exercises/mine/$1.cu"
    else
        cp "$2" "$class/student_$number.$1.cu"
    fi
}
for name in 01_index 02_guard 03_blocks 04_six_steps 05_image; do
    give $name $answers/$name.cu
done
wrong=0
for file in "$answers"/wrong/*.cu common/answers/step02_tiled/wrong/01*.cu; do
    name=$(basename "$file")
    [ $wrong = 20 ] || { give "${name%%.*}" "$file"; wrong=$((wrong + 1)); }
done
for name in initialiser_exits forged_result kernel_prints_solved includes_the_solution own_cuda_malloc; do
    word=$(sed -n '1s,^/\* step01-\([0-9]\):.*,\1,p' tests/attacks/hostile/$name.cu)
    give "$(basename step01_naive/exercises/0"$word"_*.cu .cu)" tests/attacks/hostile/$name.cu
done
same "submissions" "$number" 30
verdicts() { awk -F '","|",|,"|,' '$3 == "solved" || /,"solved",/ { n++ } END { print n + 0 }' "$1"; }
if grade OUT="$scratch/a.csv" SEED=17; then good; else bad "make grade" "$said"; fi
same "a row for each" "$(($(wc -l <"$scratch/a.csv") - 1))" 30
same "five are solved" "$(verdicts "$scratch/a.csv")" 5
same "nothing is broken" "$(grep -c 'broken exercise' "$scratch/a.csv")" 0
grep -q '"student_1",step01-1,index,"solved",,"[^"]*",17,"all","sim-' "$scratch/a.csv" && good || bad "a row has seed, shapes and versions" "$scratch/a.csv"
if command -v python3 >/dev/null 2>&1; then
    same "the JSON" "$(python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(len(d["rows"]), d["seed"])' "$scratch/a.json")" "30 17"
fi
grep -q '(solution)' "$scratch/a.similar.csv" && good || bad "copies of the solution are told" "$scratch/a.similar.csv"

# --- again, and interrupted -----------------------------------------------------------------------------
grade OUT="$scratch/b.csv" SEED=17 &
grading=$!
for _ in $(seq 600); do
    [ "$(ls "$scratch/b.parts" 2>/dev/null | grep -c 'row$')" -lt 4 ] || break
    sleep 0.1
done
child=$(pgrep -f "common/judge/grade $class $scratch/b.csv" | head -n 1)
[ -z "$child" ] || kill -TERM "$child"
wait $grading && bad "an interrupted run says that it is whole"
grep -q 'goes on from here' "$said" && good || bad "an interrupted run says how to go on" "$said"
before=$(ls "$scratch/b.parts" | grep -c 'row$')
[ "$before" -ge 4 ] && good || bad "what was judged is kept: $before"
if grade OUT="$scratch/b.csv" SEED=17 CONTINUE=1; then good; else bad "make grade CONTINUE=1" "$said"; fi
cmp -s "$scratch/a.csv" "$scratch/b.csv" && good || bad "the same rows twice: $(diff "$scratch/a.csv" "$scratch/b.csv" | head -n 4)"
[ ! -d "$scratch/b.parts" ] && good || bad "parts are left behind"

# --- alike but for names, spaces and order ------------------------------------------------------------
rm -rf "$class" && mkdir -p "$class"
awk '!/^ \*|^\/\*/' common/answers/step02_tiled/05_four_results.cu >"$class/ada.05_four_results.cu"
sed 's/\<sum\>/total/g; s/\<begin\>/k0/g; s/\<b_i\>/factor/g; s/    /\t/g; s/ = /=/g' "$class/ada.05_four_results.cu" |
    awk '/a\[t\]\[x\]=/ { kept = $0; next } { print } kept != "" { print kept; kept = "" }' >"$class/bob.05_four_results.cu"
cp common/answers/step02_tiled/07_four_floats_a_load.cu "$class/eve.07_four_floats_a_load.cu"
grade OUT="$scratch/c.csv" || bad "make grade of copies" "$said"
grep -q 'step02-5,"ada","bob",' "$scratch/c.similar.csv" && good || bad "a copy with other names in another order is told" "$scratch/c.similar.csv"
grep -q '"eve","ada"\|"ada","eve"' "$scratch/c.similar.csv" && bad "what differs is told to be alike" "$scratch/c.similar.csv"

# --- what cannot be graded ------------------------------------------------------------------------------
refused() { # WHAT TEXT ARGUMENTS...
    what=$1 text=$2
    shift 2
    common/judge/grade "$@" >"$said" 2>&1
    code=$?
    [ $code = 2 ] && [ "$(wc -l <"$said")" = 1 ] && grep -qF -- "$text" "$said" && good || bad "$what (code $code)" "$said"
}
refused "no folder" "is no folder" /no/such "$scratch/x.csv"
refused "no name for the rows" "say which folder" "$class"
refused "rows that cannot be written" "cannot be written" "$class" /no/such/folder/x.csv
refused "another ending" "ends in .csv" "$class" "$scratch/x.txt"
refused "a seed that is none" "is no number" "$class" "$scratch/x.csv" --seed x
refused "an unknown option" "is no option" "$class" "$scratch/x.csv" --fast
refused "an unknown exercise" "no exercise step01-77" "$class" "$scratch/x.csv" --exercise step01-77
mkdir -p "$scratch/empty"
refused "nothing to judge" "holds no file" "$scratch/empty" "$scratch/x.csv"

# --- without solutions ------------------------------------------------------------------------------------
make -s without-solutions >"$said" 2>&1 || bad "make without-solutions" "$said"
tar xzf build/without-solutions.tar.gz -C "$scratch"
copy=$scratch/cuda-course
[ ! -e "$copy/common/answers" ] && [ -f "$copy/step01_naive/exercises/01_index.cu" ] && good || bad "what make without-solutions leaves out"
ln -s "$PWD/build" "$copy/build"
(cd "$copy" && make -s BACKEND=sim FRONTEND="$frontend" CC="${CC:-gcc}" step01-1) >"$said" 2>&1
grep -q 'step01-1 index: wrong result' "$said" && good || bad "an exercise without solutions" "$said"
(cd "$copy" && make -s BACKEND=sim FRONTEND="$frontend" solution) >"$said" 2>&1
grep -q 'not part of this copy' "$said" && good || bad "make solution without solutions" "$said"
(cd "$copy" && make -s BACKEND=sim FRONTEND="$frontend" grade IN="$class" OUT="$scratch/d.csv") >"$said" 2>&1
[ "$(wc -l <"$scratch/d.csv")" = 4 ] && good || bad "make grade without solutions" "$said"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
