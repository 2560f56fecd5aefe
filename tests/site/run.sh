#!/bin/sh
# run.sh - the course as a site: the simulator in WebAssembly counts and computes what the native one does.
#
# usage: tests/site/run.sh
# Launches of tests/fidelity are recorded natively and run again under node; figures are moved; the pages are
# used in a headless Chromium. What cannot run for want of a tool is skipped with a word.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 2
work=build/site-test
objects=build/site-objects
via=${FRONTEND:-$(command -v nvcc >/dev/null 2>&1 && echo nvcc || echo clang)} # of the lessons, as common/site/make has it
records=$objects/records-$via
mkdir -p "$work"
passed=0 failed=0
good() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }
skip() {
    echo "not run here: the site ($1)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
command -v node >/dev/null 2>&1 || skip "node is missing"
frontend=$(command -v clang++ >/dev/null 2>&1 && echo clang || echo nvcc)
common/site/make --tests >"$work/make" 2>&1
case $? in
0) ;;
77) skip "$(sed 's/^make site: //' "$work/make")" ;;
*) tail -n 20 "$work/make"; echo "0 passed, 1 failed"; exit 1 ;;
esac

# --- counts: every launch of tests/fidelity -----------------------------------------------------------

# A program's launches with all that they need, written down while it runs natively.
record() {
    gcc -std=gnu11 -O2 -I. -Icommon/simt -c tests/site/record.c -o "$work/record.o" || return
    set --
    for source in main global shared atomics flow spaces tiles; do
        set -- "$@" tests/fidelity/$source.cu
    done
    wrap=
    for name in simt_run simt_module_load simt_module_link; do
        wrap="$wrap -Xlinker --wrap=$name"
    done
    # shellcheck disable=SC2086 # words
    SIMT_LIB=build/libsimt-parts.a common/simt/simtcc --frontend=$frontend -O3 -I. "$@" common/verify.c \
        "$work/record.o" $wrap -Xlinker -u -Xlinker cudaDeviceReset -o "$work/fidelity" &&
        LAUNCH_RECORD=$work/launches SIMT_THREADS=1 "$work/fidelity" >"$work/hashes"
}
if record >"$work/record.log" 2>&1; then
    echo "natively: $("$objects/replay" "$work/launches" 2>&1 | tail -n 12)"
    node tests/site/replay.js "$objects/replay.wasm" "$work/launches" >"$work/replayed" 2>&1
    sed 's/^\([0-9]* passed\)/WebAssembly: \1/' "$work/replayed"
    grep -q ' passed, ' "$work/replayed" || bad "the replay came to no end"
else
    tail -n 20 "$work/record.log"
    bad "launches could not be recorded"
fi

# --- values: what the host's arithmetic decides ---------------------------------------------------------

{
    echo "module arithmetic"
    echo "kernel arithmetic"
    printf 'grid 64\nblock 256\nbuffer out 163840 u32\n'
    for name in a b c; do
        echo "buffer $name 16384 f32 bits"
    done
    printf 'argument pointer %s\n' out a b c
    echo "read out 0 163840"
} >"$work/arithmetic.request"
node tests/site/answers.js "$objects/engine.wasm" arithmetic=tests/site/arithmetic.ptx \
    <"$work/arithmetic.request" >"$work/arithmetic.wasm" 2>&1
"$objects/native" arithmetic=tests/site/arithmetic.ptx <"$work/arithmetic.request" >"$work/arithmetic.native" 2>&1
grep -q '"values":\[\[[0-9]' "$work/arithmetic.native" && cmp "$work/arithmetic.wasm" "$work/arithmetic.native" &&
    good || bad "163,840 values of ten operations are not the native ones"

# --- figures: every control of every figure moved; predicted is counted, and the native simulator says the same

node tests/site/figures.js build/site "$work/requests" >"$work/answers" 2>"$work/figures" || tail -n 12 "$work/figures"
sed -n "s/^figures: /every figure: /p" "$work/figures"
grep -q "^figures: " "$work/figures" || bad "the figures came to no end"
set --
for ptx in "$objects"/[0-9][0-9]-*.ptx; do
    set -- "$@" "$(basename "$ptx" .ptx)=$top/$ptx"
done
# Names of templates are shorter in the page, and addresses differ; elsewhere no source is found, as in the page.
comparable() { sed 's/"kernel":"[^"]*"//; s/"addresses":"[^"]*"//g; s/"begin":"[^"]*"//g' "$1"; }
(cd "$work" && "$top/$objects/native" "$@" <requests >answers.native 2>findings.native)
comparable "$work/answers" >"$work/answers.page"
comparable "$work/answers.native" | cmp - "$work/answers.page" && [ "$(wc -l <"$work/answers")" -gt 200 ] && good ||
    bad "an answer in the page is not the native one"

# --- the same tree gives the same bytes; what is missing is named ------------------------------------------

(common/site/write "$work/again" "$objects/engine.wasm" "$records") >"$work/write" 2>&1
diff -rq build/site "$work/again" && good || { bad "the site was written twice, and differs"; tail -n 5 "$work/write"; }
common/site/record step04_divergence "$via" "$work/again.json" && cmp "$work/again.json" "$records/step04_divergence.json" && good ||
    bad "lesson 04 was recorded twice, and the records differ"
rm -rf "$work/again" "$work/again.json" "$work/tools"
mkdir -p "$work/tools"
for tool in sh dirname mkdir rm nproc; do
    ln -s "$(command -v $tool)" "$work/tools/$tool"
done
PATH=$work/tools common/site/make >"$work/missing" 2>&1
[ $? = 77 ] && grep -q "missing; in Debian: apt-get install .*wasi-libc.*cmark-gfm" "$work/missing" && good ||
    bad "without tools: $(head -n 3 "$work/missing")"

# --- the files as text, and the pages in a browser ----------------------------------------------------------

node tests/site/links.js build/site >"$work/links" 2>&1
cat "$work/links"
if command -v chromium >/dev/null 2>&1 && command -v chromedriver >/dev/null 2>&1; then
    rm -rf "$work/profile"
    timeout 600 node tests/site/browser.js build/site "$objects/native" "$objects" "$work" "$records" >"$work/browser" 2>&1
    cat "$work/browser"
    rm -rf "$work/profile"
else
    echo "not run here: the site in a browser (chromium or chromium-driver is missing)"
    echo "in Chromium: 0 passed, 0 failed, 1 skipped" >"$work/browser"
    cat "$work/browser"
fi
for part in links browser; do
    grep -q "[0-9] passed, [0-9]" "$work/$part" || bad "$part came to no end"
done

echo "$passed passed, $failed failed"
[ $failed = 0 ] && ! grep -q "[1-9][0-9]* failed" "$work/replayed" "$work/figures" "$work/links" "$work/browser"
