#!/bin/bash
# ways.sh - the way through the exercises and the predictions as a learner has them: on a terminal
# (script(1) of util-linux makes one), in a copy of the tree, so that a learner's own files stay.
#
# make learn shows, judges on save, says solved; make next, skip, hint, solution, reset, stepNN-K,
# exercises CSV=...; Ctrl-C leaves nothing behind. ./run --predict of each lesson is answered wrongly,
# with no number, and rightly. Part `ways` of tests/run.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
command -v script >/dev/null 2>&1 || {
    echo "ways: script (Debian: bsdutils) is not installed: skipped"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
[ -d common/answers ] || {
    echo "ways: a learner's way needs solutions (common/answers): skipped"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
frontend=$(command -v clang++ >/dev/null 2>&1 && echo clang || echo nvcc)
passed=0 failed=0
good() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    echo "FAILED: $1"
    [ ! -f "${2:-}" ] || tail -n 20 "$2" | sed 's/^/    /'
}
has() { # WHAT FILE TEXT...: the file holds each text
    what=$1 file=$2
    shift 2
    for text; do
        grep -qF -- "$text" "$file" || { bad "$what: no '$text' in what it says" "$file"; return; }
    done
    good
}
same() { if [ "$2" = "$3" ]; then good; else bad "$1: '$2', wanted '$3'"; fi; }

# --- a copy of the tree: files are links, build/ is the same ------------------------------------------
copy=$(mktemp -d "${TMPDIR:-/tmp}/ways.XXXXXX") || exit 2
trap 'rm -rf "$copy"' EXIT
trap 'exit 130' INT TERM HUP
mkdir -p build/test
ln -s "$top"/{Makefile,README.md,common,plots,tests,build} "$copy"
for step in step01_naive step02_tiled; do
    mkdir -p "$copy/$step/exercises"
    ln -s "$top/$step"/exercises/{[0-9]*.cu,hints,judge} "$copy/$step/exercises"
done
cd "$copy" || exit 2
export NO_COLOR=1 TERM=xterm CSV= SEED= CC="${CC:-gcc}"
say=$copy/said
ask() { make -s BACKEND=sim FRONTEND="$frontend" "$@" >"$say" 2>&1; } # make's own exit code
mine=step01_naive/exercises/mine
solve() { # the solution of step01-K as the learner's file, as an editor saves it
    cp "$top/common/answers/step01_naive/$1" "$copy/saved"
    cp "$copy/saved" "$mine/$1"
}

# --- without a terminal: one command after the other ----------------------------------------------------
ask step01-1
has "make step01-1 of a skeleton" "$say" "step01-1 index" "wrong result" "01 index: which element is mine?" "your file: $mine/01_index.cu"
same "no error of make behind a verdict" "$(grep -c 'make:' "$say")" 0
ask step01-3
ask hint
has "make step01-3 makes it the current one" "$say" "step01-3, hint 1 of"
ask step01-1
same "it made the learner's file" "$(cmp $mine/01_index.cu "$top/step01_naive/exercises/01_index.cu" && echo same)" same
ask next
has "make next before it is solved" "$say" "step01-1 is not solved yet" "make skip"
ask hint
has "make hint" "$say" "step01-1, hint 1 of"
ask hint
has "make hint again" "$say" "step01-1, hint 2 of"
ask solution
has "make solution" "$say" "--- yours: $mine/01_index.cu" "--- the solution: common/answers/step01_naive/01_index.cu"
same "it shows nothing of the judge" "$(grep -c 'judge' "$say")" 0
solve 01_index.cu
ask step01-1
has "a solved exercise" "$say" "step01-1 index: solved" "Remember:"
ask next
has "make next" "$say" "step01  1 of" "this is step01-2" "your file: $mine/02_guard.cu"
ask skip
has "make skip" "$say" "this is step01-3"
ask reset EX=step01-1
has "make reset" "$say" "your version is kept as $mine/01_index.cu.before" "$mine/01_index.cu is the skeleton again"
same "reset keeps the learner's version" "$(cmp $mine/01_index.cu.before saved && echo same)" same
same "and brings the skeleton" "$(cmp $mine/01_index.cu "$top/step01_naive/exercises/01_index.cu" && echo same)" same
ask hint EX=step01-99 && bad "an exercise that does not exist is accepted" "$say"
has "an exercise that does not exist" "$say" "there is no exercise step01-99"

# --- what typical mistakes are called: the learner's array and element, not an address ------------------
wrong() { # EXERCISE MISTAKE
    cp "$top/common/answers/$1/wrong/$2" "$copy/$1/exercises/mine/${2%%.*}.cu"
}
wrong step01_naive 04_six_steps.on_the_host.cu
ask step01-4 SEED=1
has "a host pointer in a kernel" "$say" "that is no memory of the GPU: is it a pointer of the host, or NULL?"
wrong step01_naive 13_shades.volatile_counter.cu
ask step01-13 SEED=1
has "a race" "$say" "count[12]: written at 13_shades.cu:7 by thread "
wrong step01_naive 12_whole_program.on_the_cpu.cu
ask step01-12 SEED=1
has "no kernel" "$say" "no kernel was launched: the result must be computed on the GPU"
# A solution with one mistake, as a sed command makes it.
mistaken() { # EXERCISE FILE SED
    mkdir -p "$copy/$1/exercises/mine"
    sed "$3" "$top/common/answers/$1/$2" >"$copy/$1/exercises/mine/$2"
    ! cmp -s "$top/common/answers/$1/$2" "$copy/$1/exercises/mine/$2" || bad "no mistake in $2"
}
mistaken step01_naive 02_guard.cu 's/i < n/i <= n/'
ask step01-2 SEED=1
has "an index that is one too large" "$say" "that is x[20593], but x has 20593 elements: 0 to 20592"
mistaken step01_naive 04_six_steps.cu 's/x, bytes, cudaMemcpyHostToDevice/x, bytes, cudaMemcpyDeviceToHost/'
ask step01-4 SEED=1
has "a copy that fails, and nobody looks" "$say" "your allocation (04_six_steps.cu:17), byte 0: read at" \
    "The first call that failed: a copy to the host at 04_six_steps.cu:19, invalid"
mistaken step01_naive 04_six_steps.cu 's/cudaMemcpy(out.*/for (int i = 0; i < n; i++) out[i] = d_out[i];/'
ask step01-4 SEED=1
has "an address of the GPU on the host" "$say" "did it read or write" "at an address of the GPU"
mistaken step01_naive 10_two_dimensions.cu 's/block(16, 16)/block(64, 64)/'
ask step01-10 SEED=1
has "a launch that is refused" "$say" "  darken: a block of 64 x 64 x 1 threads: at most" \
    "The first call that failed: the launch at 10_two_dimensions.cu:15, invalid"
mistaken step02_tiled 07_four_floats_a_load.cu 's/first + 3 < n/first < n/'
ask step02-7 SEED=1
has "the last of four floats outside" "$say" "it begins at x[10496] and ends behind the last element, x[10496]"
mistaken step02_tiled 07_four_floats_a_load.cu 's/4 \* (blockIdx.x \* blockDim.x + threadIdx.x)/blockIdx.x * blockDim.x + threadIdx.x/'
ask step02-7 SEED=1
has "a float4 that begins anywhere" "$say" "global load of 16 bytes is misaligned: the" "it begins at x[1]"
rm -f .progress $mine/* "$copy"/step02_tiled/exercises/mine/*

# --- a whole program with many launches ---------------------------------------------------------------
life=$top/build/sim-$frontend/step01_naive/first/life
make -s -C "$top" BACKEND=sim FRONTEND="$frontend" "${life#"$top"/}" >"$say" 2>&1
same "life, all checks" "$(SIMT_CHECK=all "$life" 33 17 50 2>&1 | tail -n 1)" "33 x 17 cells, generations: 50, alive: 64, wrong: 0"
for arguments in "2 17 1" "33 4097 1" "33 17 -1" "33 17 x" "33 17"; do
    # shellcheck disable=SC2086 # a list
    said=$("$life" $arguments 2>&1)
    same "life $arguments" "$? $(echo "$said" | grep -cE '^life: (width|height|generations) .*: give a whole number from [03] to 4096$|^usage: life')" "2 1"
done

# --- a class's results ----------------------------------------------------------------------------------
cp "$top/step01_naive/exercises/07_mapping.cu" $mine/
cp "$top/common/answers/step01_naive/wrong/02_guard."*.cu "$copy/" 2>/dev/null
cp "$(ls "$copy"/02_guard.*.cu | head -n 1)" $mine/02_guard.cu
solve 01_index.cu
ask exercises CSV=class.csv LEARNER="Ada, L."
has "make exercises" "$say" "1 of " "step01-7  mapping                open       goal load sectors per request, line 23"
same "the CSV's header" "$(head -n 1 class.csv)" learner,exercise,name,state,verdict,goals
same "a row for each exercise" "$(($(wc -l <class.csv) - 1))" "$(ls step0*/exercises/[0-9]*.cu | wc -l)"
has "its rows" class.csv 'Ada L.,step01-1,index,solved,"solved",""' 'Ada L.,step02-1,load_a_tile,not begun,"",""' \
    'step01-7,mapping,open,"goal load sectors per request, line 23","load sectors per request <= 2: 8.50; store sectors per request <= 4: 16"'
ask exercises CSV=/no/such/folder/x.csv && bad "a CSV that cannot be written is accepted" "$say"
has "a CSV that cannot be written" "$say" "/no/such/folder/x.csv cannot be written"
rm -f .progress $mine/*

# --- make learn on a terminal -----------------------------------------------------------------------------
wait_for() { # TEXT: until the screen has shown it; 2 minutes at most, as the machine may be busy
    for _ in $(seq 1200); do
        ! grep -qsaF -- "$1" "$copy/screen" || return 0
        sleep 0.1
    done
    return 1
}
before=$(find "$copy" -newer "$copy/Makefile" -path '*/exercises/*' ! -path '*/mine/*' -type f | sort)
mkfifo keys
set -m # a job of its own: what a shell starts behind itself ignores Ctrl-C
env --default-signal=INT script -qfec "stty rows 24 cols 80; make -s BACKEND=sim FRONTEND=$frontend learn" screen <keys >/dev/null 2>&1 &
terminal=$!
set +m
exec 9>keys # the learner's keyboard
if wait_for "Waiting for your file to be saved"; then good; else bad "make learn waits for a save" screen; fi
has "it shows where one is and the verdict" screen "step01  0 of" "this is step01-1" "01 index:" "wrong result" "Ctrl-C ends this"
# All of it fits 24 lines: nothing has scrolled away.
same "24 lines" "$(tr -d '\r' <screen | awk '/\033\[2J/ { n = 0 } { n++ } END { print n <= 25 ? "fits" : n " lines" }')" fits
sed 's/YOURS/mine/' "$top/step01_naive/exercises/01_index.cu" | sed 's/^{$/{ not C/' >$mine/01_index.cu
if wait_for "it does not compile"; then good; else bad "make learn judges what does not compile" screen; fi
solve 01_index.cu
if wait_for "step01-1 index: solved"; then good; else bad "make learn judges a saved file" screen; fi
if wait_for "n: next exercise"; then good; else bad "make learn says how to go on" screen; fi
waited=$(grep -ac 'Waiting for your file' screen)
printf n >&9
if wait_for "this is step01-2"; then good; else bad "the key n leads make learn on" screen; fi
for _ in $(seq 1200); do
    [ "$(grep -ac 'Waiting for your file' screen)" = "$waited" ] || break
    sleep 0.1
done
printf '\003' >&9 # Ctrl-C
for _ in $(seq 1200); do
    kill -0 $terminal 2>/dev/null || break
    sleep 0.1
done
if kill -0 $terminal 2>/dev/null; then
    bad "Ctrl-C ends make learn" screen
    kill $terminal
else
    good
fi
exec 9>&-
wait $terminal 2>/dev/null
left() { ps -eo args | grep -F "$copy" | grep -vc grep; }
for _ in $(seq 1200); do
    [ "$(left)" != 0 ] || break
    sleep 0.1
done
same "no process is left behind" "$(left)" 0
same "no file is left behind" "$(find "$copy" -newer "$copy/Makefile" -path '*/exercises/*' ! -path '*/mine/*' -type f | sort)" "$before"
same "its own files" "$(ls -A $mine | tr '\n' ' ')" "01_index.cu 02_guard.cu "
same "progress" "$(grep -c 'step01-1 solved' .progress)" 1
long=$(tr -d '\r' <screen | sed 's/\x1b\[[0-9;]*[A-Za-z]//g' | awk '!/^Script / && !/error:/ && length > 80')
same "80 columns" "$long" ""

# --- predictions on a terminal ------------------------------------------------------------------------------
cd "$top" || exit 2
predict() { # PROGRAM ANSWERS: what is seen, without the terminal's own
    printf "$2" | script -qec "$1 --predict; echo ended with \$?" /dev/null 2>&1 | tr -d '\r\004' >"$say"
}
for lesson in step0*_*; do
    program=build/sim-$frontend/$lesson/run
    [ -x "$program" ] || make -s BACKEND=sim FRONTEND="$frontend" CC="$CC" "${lesson%%_*}" >/dev/null 2>&1
    questions=$(BACKEND=sim predict "$program" '\n\n\n\n\n\n\n\n\n\n\n\n'; sed -n 's/^.*: \([0-9]*\) predictions;.*/\1/p' "$say")
    if [ "${questions:-0}" -ge 4 ]; then good; else bad "$lesson asks '$questions' questions, four are the least" "$say"; fi
    answers=$(sed -n 's/^.*  it is \([-+0-9.e]*\)$/\1/p' "$say" | head -n "$questions")
    same "$lesson: answers for empty lines" "$(echo "$answers" | wc -l)" "$questions"
    predict "$program" "$(echo "$answers" | sed 's/$/\\n/' | tr -d '\n')"
    has "$lesson: right answers" "$say" "$questions of $questions right" "ended with 0"
    predict "$program" "$(echo "$answers" | awk '{ printf "%.9g\\n", 3 * $1 + 1 }')"
    has "$lesson: wrong answers" "$say" "0 of $questions right" "too high" "ended with 0"
    predict "$program" 'many\n\n'
    has "$lesson: no number, then the end of input" "$say" "a number, please" "of $questions right" "ended with 0"
    "$program" --predict </dev/null >"$say" 2>&1
    same "$lesson: exit code without a terminal" $? 2
    same "$lesson: lines without a terminal" "$(wc -l <"$say")" 1
done
echo "the ways of a learner: $passed passed, $failed failed"
[ $failed = 0 ]
