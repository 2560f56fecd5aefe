#!/bin/sh
# names.sh - the names of registers in all kernels of lessons 03 to 05, through both front ends: names.js evaluates
# each in the lanes of the trace, in a browser, and no register may hold anything else. Skipped by name where there
# is no Chromium.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 2
work=${WORK:-build/page}/names
mkdir -p "$work"
command -v chromium >/dev/null 2>&1 || {
    echo "names: chromium is not installed (Debian: chromium): skipped"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
passed=0 failed=0
good() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }
least_named() { case $1 in nvcc) echo 50 ;; *) echo 80 ;; esac; } # per cent of the registers that a kernel writes, on average

# A page that adds up what names.js finds in all records, and shows it as text.
page_of() { # JSON...
    echo '<!doctype html><meta charset="utf-8"><pre id="said">nothing</pre><script>'
    cat tests/page/names.js
    printf '%s\n' 'const all = {kernels: 0, registers: 0, named: 0, share: 0, checked: 0, statements: 0}, wrong = [];'
    for record; do
        printf '{ const found = namesOf('
        cat "$record"
        echo '); for (const k in all) all[k] += found[k]; wrong.push(...found.wrong, ...found.odd); }'
    done
    printf '%s\n' 'document.getElementById("said").textContent = Object.values({...all, share: Math.floor(100 * all.share / all.kernels)}).join(" ") + wrong.map((w) => `\nwrong: ${w}`).join("") + "\nend";'
    echo '</script>'
}
for frontend in $(command -v nvcc >/dev/null 2>&1 && echo nvcc; command -v clang++ >/dev/null 2>&1 && echo clang); do
    make -s BACKEND=sim FRONTEND="$frontend" all >"$work/make.log" 2>&1 || { tail "$work/make.log"; bad "lessons do not build"; }
    rm -f "$work"/*.json
    for lesson in step03_coalescing step04_divergence step05_reduction; do
        SIMT_REPORT=$work/$lesson.json "build/sim-$frontend/$lesson/run" >"$work/out" 2>&1 || bad "$frontend: $lesson does not run"
    done
    page_of "$work"/*.json >"$work/names.html"
    chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$top/$work/profile" --virtual-time-budget=60000 \
        --dump-dom "file://$top/$work/names.html" 2>"$work/chromium.log" |
        sed -n '/<pre id="said">/,/^end/p' | sed 's/.*<pre id="said">//; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >"$work/said"
    read -r kernels registers named share checked statements <"$work/said"
    case ${kernels:-x} in *[!0-9]*) bad "$frontend: names.js says nothing: $(tail -n 3 "$work/chromium.log")"; continue ;; esac
    if [ "$kernels" -ge 30 ]; then good; else bad "$frontend: only $kernels kernels"; fi
    if grep '^wrong' "$work/said"; then bad "$frontend: names that the registers contradict"; else good; fi
    if [ "$share" -ge "$(least_named "$frontend")" ]; then good; else bad "$frontend: of a kernel's registers only $share % have a name"; fi
    if [ $((2 * checked)) -ge "$named" ]; then good; else bad "$frontend: only $checked of $named names could be evaluated"; fi
    echo "$frontend: $kernels kernels, $named of $registers written registers named, of a kernel on average $share %; $checked names and $statements assignments evaluated"
done
rm -rf "$work"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
