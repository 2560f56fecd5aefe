#!/bin/sh
# run.sh - pages in a real browser: SIMT_REPORT=FILE.html of every lesson and of programs that are no
# lessons, opened in headless Chromium and used with mouse and keyboard as a reader would.
#
# For each page: nothing is logged as an error; the launches can be sorted and chosen; pointing at an
# access shows its picture; a warp plays to its end; no table is wider than a phone; and the numbers
# that the page shows are those of the CSV of the same program. Chromium is driven by chromedriver over
# WebDriver (curl); where one of them is missing, the part is skipped by name.
# usage: tests/page/run.sh [NAME ...]   step05_reduction, transpose ...; default: all
set -u
wanted=$*
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 2
work=build/page
mkdir -p "$work"
for tool in chromium chromedriver curl; do
    command -v "$tool" >/dev/null 2>&1 || {
        echo "pages: $tool is not installed (Debian: chromium, chromium-driver, curl): skipped"
        echo "0 passed, 0 failed, 1 skipped"
        exit 0
    }
done
frontend=$(command -v nvcc >/dev/null 2>&1 && echo nvcc || echo clang)
passed=0 failed=0
good() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }
same() { # WHAT GOT WANTED
    if [ "$2" = "$3" ]; then good; else bad "$1: got '$2', wanted '$3'"; fi
}

# --- WebDriver ------------------------------------------------------------------------------------
chromedriver --port=0 --allowed-ips=127.0.0.1 >"$work/driver.log" 2>&1 &
driver=$!
session=
finish() {
    [ -z "$session" ] || curl -s -X DELETE "$url/session/$session" >/dev/null 2>&1
    kill "$driver" 2>/dev/null
    rm -rf "$work/profile"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP
port=
for _ in $(seq 100); do
    port=$(sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p' "$work/driver.log")
    [ -z "$port" ] || break
    sleep 0.2
done
[ -n "$port" ] || { cat "$work/driver.log"; echo "0 passed, 1 failed"; exit 1; }
url=http://127.0.0.1:$port
post() { # PATH JSON
    curl -s -m 120 -X POST -H 'Content-Type: application/json' -d "$2" "$url/session/$session/$1"
}
# A string that the page computes; quotes in the script are single ones.
ask() {
    post execute/sync "{\"script\": \"return String($1)\", \"args\": []}" |
        sed 's/^{"value":"\(.*\)"}$/\1/'
}
keys() { # one key, by its code in WebDriver
    post actions "{\"actions\": [{\"type\": \"key\", \"id\": \"k\", \"actions\": [
        {\"type\": \"keyDown\", \"value\": \"$1\"}, {\"type\": \"keyUp\", \"value\": \"$1\"}]}]}" >/dev/null
}
right='\uE014' left='\uE012'
# The pointer goes to the middle of the first element that the selector finds, and clicks if told so.
point() { # SELECTOR [click]
    at=$(ask "(() => { const e = document.querySelector('$1'); e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return Math.round(r.left + Math.min(r.width, 120) / 2) + ' ' + Math.round(r.top + r.height / 2); })()")
    press=
    [ "${2:-}" != click ] || press=', {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}'
    post actions "{\"actions\": [{\"type\": \"pointer\", \"id\": \"m\", \"actions\": [
        {\"type\": \"pointerMove\", \"x\": ${at% *}, \"y\": ${at#* }, \"duration\": 0}$press]}]}" >/dev/null
}
window() { # WIDTH HEIGHT
    post window/rect "{\"width\": $1, \"height\": $2}" >/dev/null
}
session=$(curl -s -X POST -H 'Content-Type: application/json' "$url/session" -d '{"capabilities": {"alwaysMatch": {
    "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
    "goog:chromeOptions": {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic",
        "--no-first-run", "--disable-background-networking", "--disable-component-update",
        "--disable-sync", "--user-data-dir='"$top/$work"'/profile"]}}}}' |
    sed -n 's/.*"sessionId":"\([0-9a-f]*\)".*/\1/p')
[ -n "$session" ] || { cat "$work/driver.log"; echo "0 passed, 1 failed"; exit 1; }

# Seconds of a core that the page's thread has taken since the browser went there from an empty page.
post goog/cdp/execute '{"cmd": "Performance.enable", "params": {"timeDomain": "threadTicks"}}' >/dev/null
processor_time() {
    post goog/cdp/execute '{"cmd": "Performance.getMetrics", "params": {}}' |
        sed -n 's/.*"name":"ThreadTime","value":\([0-9.e-]*\).*/\1/p'
}
opening= # "name seconds" of each page
open_page() { # NAME FILE
    post url '{"url": "about:blank"}' >/dev/null
    post url "{\"url\": \"file://$top/$2\"}" >/dev/null
    opening="$opening $1 $(processor_time)"
}

# --- one page --------------------------------------------------------------------------------------
# Sums of two counters over all rows of the page's table, and of the CSV (repeated launches counted).
page_sum() {
    ask "record.launches.reduce((t, l) => t + l.launches * l.counters.$1, 0)"
}
csv_sum() { # FILE COLUMN; a kernel's name may hold commas in quotes
    awk -v want="$2" 'NR == 1 { n = split($0, name, ","); for (i = 1; i <= n; i++) if (name[i] == want) at = i; next }
        { gsub(/"[^"]*"/, "k"); split($0, field, ","); total += field[at] } END { printf "%d", total }' "$1"
}

try_page() { # NAME PROGRAM ARGS...
    name=$1
    shift
    case " ${wanted:-$name} " in *" $name "*) ;; *) return ;; esac
    rm -f "$work/$name.html" "$work/$name.csv"
    SIMT_REPORT=$work/$name.html "$@" >"$work/$name.out" 2>&1 || [ $? = 1 ] || bad "$name does not run"
    SIMT_REPORT=$work/$name.csv "$@" >"$work/$name.out" 2>&1
    bytes=$(wc -c <"$work/$name.html")
    if [ "$bytes" -lt 2000000 ]; then good; else bad "$name: the page has $bytes bytes"; fi
    window 1280 800
    open_page "$name" "$work/$name.html"
    ask "(() => { byId('every').checked = true; drawLaunches(); })()" >/dev/null
    same "$name: rows of launches" "$(ask "document.querySelectorAll('#launches tbody tr').length")" \
        "$(ask "record.launches.length")"
    for counter in instructions global_load_sectors shared_store_conflicts divergent_branches; do
        same "$name: $counter" "$(page_sum $counter)" "$(csv_sum "$work/$name.csv" $counter)"
    done
    same "$name: numbers shown" "$(ask "[...document.querySelectorAll('[data-counter]')].every(e => e.textContent.replaceAll(',', '') === e.dataset.value)")" true
    if [ "$(ask "record.launches.length")" = 0 ]; then
        same "$name: says that nothing ran" "$(ask "byId('launch-title').textContent")" "No kernel was launched."
        return
    fi
    # what the program measures stands alone until all are asked for
    ask "(() => { byId('every').checked = false; drawLaunches(); })()" >/dev/null
    same "$name: measured launches, the chosen one and no others" \
        "$(ask "document.querySelectorAll('#launches tbody tr').length === (someMeasured ? record.launches.filter(l => l.measured > 0 || l.launch === chosen.launch).length : document.querySelectorAll('#launches tbody tr').length)")" true
    same "$name: marks in the table of all" \
        "$(ask "(() => { byId('every').checked = true; drawLaunches(); return [...document.querySelectorAll('#launches tbody tr')].filter(r => [...r.cells].some(c => c.textContent === 'no')).length; })()")" \
        "$(ask "someMeasured ? record.launches.filter(l => l.measured === 0).length : 0")"
    # sort by instructions, most first, and choose the first row
    point '#launches thead button[data-column=instructions]' click
    same "$name: sorted" "$(ask "(() => { const v = [...document.querySelectorAll('#launches td[data-counter=instructions]')].map(e => +e.dataset.value); return v.every((x, i) => i === 0 || v[i - 1] >= x); })()")" true
    point '#launches tbody tr td' click
    same "$name: chosen" "$(ask "document.querySelector('#launches tbody tr').getAttribute('aria-selected')")" true
    if [ "$(ask "document.querySelectorAll('.access button[data-sample]').length > 0")" = true ]; then
        ask "document.getElementById('picture').replaceChildren()" >/dev/null
        point '.access:has(button[data-sample])'
        same "$name: picture at a glance" "$(ask "document.querySelectorAll('#picture pre').length > 0")" true
    fi
    # play a recorded warp to its end
    if [ "$(ask "record.launches.some(l => l.trace)")" = true ]; then
        ask "choose(record.launches.find(l => l.trace))" >/dev/null
        keys "$right" && keys "$right" && keys "$left"
        same "$name: steps by keys" "$(ask "chosen.step")" 1
        ask "(byId('speed').value = 8, show(Math.max(0, stepsOf(traceNow(), chosen.warp).length - 12)))" >/dev/null
        point '#play' click
        for _ in $(seq 600); do
            [ "$(ask "timer === 0")" = true ] && break
            sleep 0.1
        done
        same "$name: played to the end" "$(ask "chosen.step === stepsOf(traceNow(), chosen.warp).length - 1")" true
    fi
    window 400 800
    same "$name: fits a phone" "$(ask "document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1")" true
    same "$name: heat adds up" "$(ask "record.launches.filter(l => l.lines).every(l => l.lines.reduce((t, x) => t + (x.instructions || 0), 0) === l.counters.instructions)")" true
    log=$(post se/log '{"type": "browser"}')
    case $log in
    *'"SEVERE"'*) bad "$name: the browser's log: $log" ;;
    *) good ;;
    esac
}

make -s BACKEND=sim FRONTEND="$frontend" all programs >"$work/make.log" 2>&1 || { tail "$work/make.log"; bad "lessons do not build"; }
for lesson in step0*_*; do
    try_page "$lesson" "build/sim-$frontend/$lesson/run"
done
try_page cliff "build/sim-$frontend/step06_device_query/run" --cliff
for program in histogram matmul_tiled reduction transpose vector_add; do
    common/simt/simtcc --frontend="$frontend" "build/sim-$frontend/tests/programs/$program.cu.o" -o "$work/$program" ||
        bad "$program is not linked"
    try_page "$program" "$work/$program"
done

# With the model, the page says what the next rung changes, in the words of SIMT_REPORT=explain.
step01="build/sim-$frontend/step01_naive/run --m 64 --n 64 --k 64"
SIMT_MODEL=1 SIMT_REPORT=$work/model.html $step01 >/dev/null
SIMT_REPORT=explain $step01 | sed -n '/^matmul_naive_column_mapped, /,/then limited by/p' >"$work/explain.txt"
post url "{\"url\": \"file://$top/$work/model.html\"}" >/dev/null
ask "choose(record.launches.findLast(l => l.kernel === 'matmul_naive_column_mapped'))" >/dev/null
same "the next rung, explained" "$(ask "document.querySelector('#explained pre').checkVisibility() && document.querySelector('#explained pre').textContent.trim().split(String.fromCharCode(10)).length")" \
    "$(grep -c . "$work/explain.txt")"
same "and what it changes" "$(ask "document.querySelector('#explained pre').textContent.includes('what matmul_naive changes: modelled')")" true

# A link that a lecturer sends opens where it says.
[ -s "$work/transpose.html" ] || SIMT_REPORT=$work/transpose.html "$work/transpose" >/dev/null
post url "{\"url\": \"file://$top/$work/transpose.html#launch=1&step=4\"}" >/dev/null
same "a link to a launch" "$(ask "chosen.launch")" 1
# Names and sources that look like something else stay text: in the page, the CSV and the JSON.
hostile="$work/a\"b'<img src=x onerror=alert(1)>&.cu"
{
    printf '// </script><script>alert(1)</script> <!-- \\" \047 \t \\u003c &lt; \033[2J'
    printf '\342\200\256 turned \342\201\246 \342\200\250 \377\n'
    echo 'template <int A, int B> __global__ void hostile(float *o) { o[threadIdx.x] = A + B; } // </script>"'
    echo 'int main() { float *o; cudaMalloc(&o, 128); hostile<1, 2><<<1, 32>>>(o); return cudaDeviceSynchronize(); }'
} >"$hostile"
common/simt/simtcc --frontend=clang "$hostile" -o "$work/hostile" || bad "a hostile name is not compiled"
for kind in html json csv; do rm -f "$work/hostile.$kind"; SIMT_REPORT=$work/hostile.$kind "$work/hostile"; done
post url "{\"url\": \"file://$top/$work/hostile.html\"}" >/dev/null
same "a hostile page opens" "$(ask "byId('launch-title').textContent === 'hostile' + String.fromCharCode(60) + '1, 2>'")" true
same "its source is text" "$(ask "document.querySelector('#source').textContent.includes('<' + '/script>')")" true
same "nothing of it became an element" "$(ask "document.querySelectorAll('#source img, #source script, main script').length")" 0
same "nothing hides in it" "$(ask "[...document.querySelector('main').textContent].some(c => [0x1b, 0x202e, 0x2028, 0x2066].includes(c.codePointAt(0)))")" false
same "what turns the writing is named" "$(ask "byId('source').textContent.includes('<U+202E> turned <U+2066>')")" true
same "the JSON has no tag, and ASCII for what hides" "$(LC_ALL=C grep -c "$(printf '[\001-\010\013-\037\377]\|</\|\342\200\256')" "$work/hostile.json")" 0
same "the CSV has the name in quotes" "$(sed -n 2p "$work/hostile.csv" | cut -c1-16)" '"hostile<1, 2>",'
same "a terminal is not steered" "$(SIMT_REPORT=lines "$work/hostile" | LC_ALL=C grep -c "$(printf '\033')")" 0
# Accesses that the compiler moved stand where a reader sees them, and the heat adds up.
common/simt/simtcc --frontend="$frontend" -O3 tests/page/moved.cu -o "$work/moved" || bad "moved.cu is not compiled"
rm -f "$work/moved.html" && SIMT_REPORT=$work/moved.html "$work/moved"
post url "{\"url\": \"file://$top/$work/moved.html\"}" >/dev/null
same "moved accesses are marked" "$(ask "record.launches.flatMap(l => l.accesses).filter(a => a.moved).length")" 2
same "each of them is drawn" "$(ask "record.launches.filter(l => l.accesses.some(a => a.moved)).every(l => (choose(l), byId('source').textContent.includes('moved here by the compiler')))")" true
same "heat adds up" "$(ask "record.launches.every(l => (choose(l), [...document.querySelectorAll('#source td.value')].reduce((t, e) => t + Number(e.dataset.value), 0) === l.counters.instructions))")" true
# The player: Home and End, to the next barrier, line and parting, two warps at one moment, and a line's click.
[ -s "$work/reduction.html" ] || { rm -f "$work/reduction.html"; SIMT_REPORT=$work/reduction.html "$work/reduction" >/dev/null 2>&1; }
post url "{\"url\": \"file://$top/$work/reduction.html\"}" >/dev/null
ask "choose(record.launches.find(l => l.trace && l.trace.warps > 1 && l.lines))" >/dev/null
end='\uE010' home='\uE011'
keys "$end"
same "End" "$(ask "chosen.step === stepsOf(traceNow(), chosen.warp).length - 1")" true
keys "$home"
same "Home" "$(ask "chosen.step")" 0
keys b
same "to the next barrier" "$(ask "chosen.step > 0 && traceNow().instructions[traceNow().steps[stepsOf(traceNow(), chosen.warp)[chosen.step]][1]][2].startsWith('bar')")" true
same "another warp at that moment" "$(ask "(() => { show(Infinity); const before = stepsOf(traceNow(), 0)[chosen.step]; changeWarp(1); return chosen.step > 0 && stepsOf(traceNow(), 1)[chosen.step] <= before; })()")" true
same "two warps side by side" "$(ask "(() => { byId('beside').value = 1; byId('beside').dispatchEvent(new Event('change')); return byId('beside-part').textContent.startsWith('Warp 0 at that moment') && location.hash.includes('beside=1'); })()")" true
keys l
same "to the next line" "$(ask "(() => { const t = traceNow(), s = stepsOf(t, chosen.warp), at = (i) => t.instructions[t.steps[s[i]][1]][1]; return at(chosen.step) !== at(chosen.step - 1); })()")" true
same "a click on a line runs there" "$(ask "(() => { const t = traceNow(), s = stepsOf(t, chosen.warp), last = t.instructions[t.steps[s[s.length - 1]][1]]; document.querySelector('#f' + last[0] + 'l' + last[1] + ' .number button').click(); return t.instructions[t.steps[s[chosen.step]][1]][1] === last[1]; })()")" true
same "a built-in variable, in the instruction and beside its register" "$(ask "(() => { const t = traceNow(); const at = t.instructions.findIndex(i => Object.values(i[4] || {}).includes('threadIdx.x') && i[2].startsWith('mov')); show(stepsOf(t, chosen.warp).findIndex(i => t.steps[i][1] === at)); return document.querySelector('.now .variable').textContent + ' ' + document.querySelector('.registers tr.here th .variable').textContent; })()")" "threadIdx.x threadIdx.x"
same "what was loaded, by its array" "$(ask "(() => { const t = traceNow(), s = stepsOf(t, chosen.warp); const at = s.findIndex(i => t.steps[i][5] >= 0 && t.accesses[t.steps[i][5]][0] === 'load' && t.accesses[t.steps[i][5]][1] === 'global' && t.steps[i][6].length === 1 && !t.instructions[t.steps[i][1]][4]); if (at < 0) return 'in[…]'; show(at); return document.querySelector('.registers tr.here th').textContent.split(' ')[0]; })()")" "in[…]"
same "halves as numbers" "$(ask "valueText(0xc2003c00n, 'f16x2') + ' ' + valueText(1n, 'f16') + ' ' + valueText(0x7c00n, 'f16') + ' ' + valueText(0x3fc0n, 'bf16') + ' ' + cellText(0x3c00c000n, 'f16x2') + ' ' + valueText(0xbfc00001n, 'tf32')")" "(1, -3) 5.9605e-8 Infinity 1.5 -2|1 -1.5"
same "a pointer by its array" "$(ask "(() => { const a = launchNow().accesses.find(x => x.begin); const at = BigInt('0x' + a.begin); return valueText(at + 8n, 'u64') + ' ' + cellText(at, 'b64') + ' ' + valueText(8n, 'u64') === a.array + ' + 8 bytes ' + a.array + ' 8'; })()")" true
# Long loops: their first and last rounds, a note between them, and shared memory as the rounds between have left it.
common/simt/simtcc --frontend="$frontend" tests/page/rounds.cu -o "$work/rounds" || bad "rounds.cu is not compiled"
rm -f "$work/rounds.html" && SIMT_REPORT=$work/rounds.html "$work/rounds"
post url "{\"url\": \"file://$top/$work/rounds.html\"}" >/dev/null
ask "choose(record.launches.find(l => l.kernel === 'many_rounds'))" >/dev/null
same "rounds are left out" "$(ask "(() => { const t = traceNow(), g = t.gaps.find(x => x[1] === 0); return t.gaps.length + ' ' + g[3] + ' ' + g[4] + ' ' + (t.steps.length + t.gaps.reduce((n, x) => n + x[2], 0) === t.steps_of_block) + ' ' + t.cut; })()")" "2 9 98 true 0"
same "a note says which" "$(ask "(() => { const t = traceNow(), g = t.gaps.find(x => x[1] === 0); show(stepsOf(t, 0).indexOf(g[0])); return document.querySelector('.gap-note').textContent.replace(/line [0-9]*/, 'line').replace(/[(].*/, ''); })()")" "Before this step rounds 9 to 98 of the loop at line are left out "
same "shared memory behind them, where it is recorded" "$(ask "[...new Set([...document.querySelectorAll('.words tbody td')].map(e => e.textContent))].sort().join(' ')")" "98 ?"
same "and at the end" "$(ask "(() => { const t = traceNow(); changeWarp(t.steps[t.steps.length - 1][0]); show(Infinity); return [...document.querySelectorAll('.words tbody td')].map(e => e.textContent).filter(x => x !== '100').length + ' ' + document.querySelectorAll('.gap-note').length; })()")" "0 0"
ask "choose(record.launches.find(l => l.kernel === 'two_arms'))" >/dev/null
same "both arms, and where they come together" "$(ask "(() => { const t = traceNow(), s = stepsOf(t, 0).map(i => t.steps[i]); const lanes = new Set(s.map(x => x[2] >>> 0)); return t.gaps.filter(g => g[1] === 0).length + ' ' + [0x55555555, 0xaaaaaaaa, 0xffffffff].every(m => lanes.has(m)) + ' ' + (s[s.length - 1][2] >>> 0 === 0xffffffff); })()")" "2 true true"
# Each kernel of the lessons can be played, as the program measures it, and every row of the table has a player: its
# own, or a button that leads to the launch of that kernel which was recorded.
for lesson in step01_naive step02_tiled step03_coalescing step04_divergence step05_reduction; do
    [ -s "$work/$lesson.html" ] || { SIMT_REPORT=$work/$lesson.html "build/sim-$frontend/$lesson/run" >/dev/null 2>&1; }
    post url "{\"url\": \"file://$top/$work/$lesson.html\"}" >/dev/null
    same "$lesson: every kernel can be played" "$(ask "(() => { const played = new Set(record.launches.filter(l => l.trace).map(l => l.kernel)); return record.launches.filter(l => !played.has(l.kernel)).length; })()")" 0
    same "$lesson: rows without a player" "$(ask "record.launches.filter(l => { chosen.launch = l.launch; drawPlayer(); const button = document.querySelector('#player > button'); if (button) button.click(); show(Infinity); return !byId('stage') || !byId('stage').querySelector('.now') || launchNow().kernel !== l.kernel; }).length")" 0
done
# A long trace has two warps, their first and last steps, and what others write to shared memory.
post url "{\"url\": \"file://$top/$work/step02_tiled.html\"}" >/dev/null
same "a long trace is shortened" "$(ask "(() => { const l = record.launches.find(x => x.trace && x.kernel === 'matmul_thread_tiled'); choose(l); const t = l.trace, g = t.gaps.find(x => x[1] === 0 && x[3] === 0); show(stepsOf(t, 0).indexOf(g[0])); return t.played + ' ' + document.querySelectorAll('#warp option').length + ' ' + document.querySelector('.gap-note').textContent.replace(/[0-9,]+ steps/, 'steps') + ' ' + t.steps.some(s => s[0] > 1); })()")" \
    "2 2 Before this step steps of this warp are left out; those that write shared memory are there. true"
same "two warps of each kernel can be compared" "$(ask "record.launches.filter(l => l.trace && l.trace.warps > 1).map(l => l.trace.played > 1 && new Set(l.trace.steps.map(s => s[0]).filter(w => w < l.trace.played)).size > 1).join()" | sed 's/true,//g')" true
same "warp 1 beside warp 0" "$(ask "(() => { choose(record.launches.find(l => l.trace && l.kernel === 'matmul_thread_tiled')); show(30); chosen.beside = 2; show(30); return byId('beside-part').textContent.slice(0, 21) + byId('beside-part').querySelectorAll('.lane').length; })()")" "Warp 1 at that moment32"
# One warp alone, by its number, stays however long its trace is.
rm -f "$work/warp5.html" && SIMT_TRACE=0:5 SIMT_REPORT=$work/warp5.html "build/sim-$frontend/step02_tiled/run" --kernel matmul_thread_tiled >/dev/null
post url "{\"url\": \"file://$top/$work/warp5.html\"}" >/dev/null
same "warp 5 alone is played" "$(ask "(() => { choose(record.launches.find(l => l.trace)); const t = traceNow(), own = stepsOf(t, 5); show(own.length - 1); return chosen.warp + ' ' + (own.length > 300) + ' ' + (document.querySelector('.now') !== null); })()")" "5 true true"
# A record of an older program does not say what was checked: then nothing claims it.
same "a record that does not say what was checked" "$(ask "(() => { delete record.checked; record.findings = []; drawFindings(); return byId('findings').textContent.includes('undefined') + ' ' + byId('findings').textContent.includes('Checked ('); })()")" "false false"
# Two runs side by side: the stride is gone, and two lines have moved down.
sed 's/in\[i \* 32\]/in[i]/; s/^enum { N = 512 };/&\n\n/' tests/page/moved.cu >"$work/moved_after.cu"
common/simt/simtcc --frontend="$frontend" -O3 "$work/moved_after.cu" -o "$work/moved_after" || bad "moved_after.cu is not compiled"
rm -f "$work/before.json" "$work/after.json" "$work/diff.html"
SIMT_REPORT=$work/before.json "$work/moved" && SIMT_REPORT=$work/after.json "$work/moved_after"
common/simt/simtdiff "$work/before.json" "$work/after.json" "$work/diff.html" || bad "simtdiff writes no page"
common/simt/simtdiff "$work/before.json" "$work/after.json" "$work/diff.html" || bad "simtdiff does not replace its page"
post url "{\"url\": \"file://$top/$work/diff.html#kernel=strided_gaps\"}" >/dev/null
same "a row for each kernel" "$(ask "document.querySelectorAll('#kernels tbody tr').length === new Set(record.launches.map(l => l.kernel)).size")" true
same "the kernel of the link" "$(ask "byId('kernel-title').textContent")" strided_gaps
same "a counter before and after, as in 80 columns" "$(ask "[...document.querySelectorAll('[data-counter=global_load_sectors] td')].map(e => e.textContent.replace('\u2212', '-')).join(' ')")" \
    "$(common/simt/simtdiff "$work/before.json" "$work/after.json" | awk '/^strided_gaps/ { own = 1 } own && $1 == "global_load_sectors" { print $2, $3, $4, $5; exit }')"
same "the changed line beside the old one" "$(ask "[...document.querySelectorAll('#lines tr.here')].map(r => [...r.querySelectorAll('.text')].map(e => e.textContent.trim()).join(' | ')).filter(t => t.includes('in[i]')).join()")" \
    "out[i] = in[i * 32]; | out[i] = in[i];"
same "lines that moved are no change" "$(ask "[...document.querySelectorAll('#lines tbody tr')].filter(r => { const n = [...r.querySelectorAll('.number')].map(e => Number(e.textContent)); return n.length === 2 && n[1] === n[0] + 2 && r.className === ''; }).length > 2")" true
same "counts of all lines are the kernel's" "$(ask "Object.entries(kinds).every(([kind, of]) => { view.kind = kind; drawLines(); const p = pairsOfKernels().find(x => x.kernel === view.kernel); return [p.a, p.b].every((l, s) => [...document.querySelectorAll('#lines td[data-side=' + String.fromCharCode(34) + s + String.fromCharCode(34) + ']')].reduce((t, e) => t + Number(e.dataset.value), 0) === of(l.counters)); })")" true
point '#kernels tbody tr button' click
same "a kernel is chosen" "$(ask "byId('kernel-title').textContent === document.querySelector('#kernels tbody button').textContent && location.hash.startsWith('#kernel=')")" true
window 400 800
same "two runs fit a phone" "$(ask "document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1")" true
window 1280 800
# Fragments: halves in pairs, floats, and the tile that they come from, whoever wrote it.
common/simt/simtcc --frontend="$frontend" -O2 tests/page/fragments.cu -o "$work/fragments" || bad "fragments.cu is not compiled"
rm -f "$work/fragments.html" && SIMT_REPORT=$work/fragments.html "$work/fragments"
post url "{\"url\": \"file://$top/$work/fragments.html\"}" >/dev/null
lane_0_behind() { # an instruction
    ask "(() => { choose(record.launches[0]); const t = traceNow(); show(stepsOf(t, 0).findIndex(i => opOf(t, i)[2].startsWith('$1'))); return [...document.querySelectorAll('.registers tr.here')].map(r => r.cells[1].title).join('; ').replaceAll('lane 0: ', ''); })()"
}
same "a fragment of halves" "$(lane_0_behind wmma.load.a)" "(0, 1); (128, 129); (8, 9); (136, 137); (0, 1); (128, 129); (8, 9); (136, 137)"
same "a tile of halves" "$(ask "[...document.querySelectorAll('.words tbody tr:first-of-type td')].map(e => e.textContent).slice(0, 9).join()")" "0|1,2|3,4|5,6|7,8|9,10|11,12|13,14|15,16|17"
same "a fragment of floats" "$(lane_0_behind wmma.mma)" "0; 1; 128; 129; 8; 9; 136; 137"
# On paper: no controls, but the headings of columns, the numbers of lines, and the whole table.
post goog/cdp/execute '{"cmd": "Emulation.setEmulatedMedia", "params": {"media": "print"}}' >/dev/null
same "what is printed" "$(ask "['#launches thead button', '.code .number button', '#findings .hint', '#theme', '#player .controls', '#heat button'].map(s => document.querySelector(s).checkVisibility()).join() + ' ' + getComputedStyle(document.querySelector('.scroll.tall')).overflowY")" "true,true,true,false,false,false visible"
post goog/cdp/execute '{"cmd": "Emulation.setEmulatedMedia", "params": {"media": ""}}' >/dev/null
# A fault and races: said, drawn, and led to.
common/simt/simtcc --frontend="$frontend" -O1 tests/page/faulty.cu -o "$work/faulty" || bad "faulty.cu is not compiled"
rm -f "$work/faulty.html" && SIMT_CHECK=all SIMT_REPORT=$work/faulty.html "$work/faulty" >"$work/faulty.out" 2>&1
post url "{\"url\": \"file://$top/$work/faulty.html\"}" >/dev/null
same "faults and findings" "$(ask "[...document.querySelectorAll('.finding')].map(e => e.dataset.kind).join()")" fault,uninitialised,race,race
same "a fault over its allocation" "$(ask "document.querySelector('.elements').getAttribute('aria-label').replace(/, made at .*: lane/, ': lane')")" \
    "cudaMalloc of 160 bytes: lane 8 asks for 4 bytes, 0 bytes behind its end"
same "cells of the allocation, and beyond" "$(ask "document.querySelectorAll('.elements .inside').length + ' ' + document.querySelectorAll('.elements .beyond').length")" "8 8"
point '.finding[data-kind=fault] [data-go=step]' click
same "the player stands at the fault" "$(ask "launchNow().kernel + ' ' + chosen.warp + ' ' + traceNow().instructions[traceNow().steps[stepsOf(traceNow(), chosen.warp)[chosen.step]][1]][2].startsWith('st.global')")" "beyond 1 true"
point '.finding[data-kind=race] li:nth-child(2) [data-go=step]' click
same "the player stands at the race's other side" "$(ask "launchNow().kernel + ' ' + chosen.warp + ' ' + byId('stage').textContent.includes(String(record.findings[1].second.line))")" "neighbour 1 true"
point '.finding[data-kind=fault] [data-go=line]' click
same "the line that ended the launch" "$(ask "document.querySelector('tr.here .fault').textContent.startsWith('The launch ended here: lane 8 of warp 1')")" true
rm -f "$work/faulty.html" && SIMT_CHECK=all SIMT_REPORT=$work/faulty.html "$work/faulty" quiet >"$work/faulty.out" 2>&1
post url "{\"url\": \"file://$top/$work/faulty.html\"}" >/dev/null
same "a clean check says so" "$(ask "byId('findings').textContent")" "Checked (all): no finding."
# The time view: its pieces add up to the model's time, and a wait leads to what it waits for.
mkdir -p "$work/time" && rm -f "$work/time/timeline.html"
SIMT_REPORT=$work/time/timeline.html "build/sim-$frontend/step02_tiled/run" >/dev/null 2>"$work/time.err"
post url "{\"url\": \"file://$top/$work/time/timeline.html\"}" >/dev/null
same "timeline.html alone asks for the model" "$(ask "record.launches.filter(l => l.timeline).length > 5 && record.launches.every(l => l.model)")" true
same "the schedule's cycles come to the model's time" "$(ask "record.launches.filter(l => l.timeline).every(l => Math.abs(l.timeline.launch_us + l.timeline.us_per_cycle * l.timeline.cycles * Math.max(1, l.timeline.blocks_of_sm / l.timeline.blocks) - l.model.us) < 0.01 * l.model.us)")" true
same "states along time come to the shares" "$(ask "record.launches.filter(l => l.timeline).every(l => { const t = l.timeline, a = t.buckets.flat().reduce((x, y) => x + y, 0), b = t.sums.reduce((x, y) => x + y, 0); return Math.abs(a - b) <= 0.01 * b; })")" true
same "a scheduler issues one at a time" "$(ask "record.launches.filter(l => l.timeline).every(l => l.timeline.issued <= 4.01 * l.timeline.cycles)")" true
same "the view is there" "$(ask "(() => { choose(record.launches.find(l => l.timeline && l.kernel.startsWith('matmul_tiled'))); return document.querySelectorAll('#stalls tbody tr').length > 4 && byId('time-section').checkVisibility() && document.querySelectorAll('#what-if tr').length; })()")" 5
same "a wait and its causes" "$(ask "(() => { const t = launchNow().timeline; const i = Array.from({length: statesOf(t)}, (_, k) => k).find(k => stateAt(t, k).reason === 2 && stateAt(t, k).cause >= 0); fill(byId('state'), statePart(t, i)); return document.querySelector('#chain li code').textContent.startsWith('ld.global') && byId('state').textContent.includes('Stall Long Scoreboard'); })()")" true
same "twice the warps, or none the less, asked again" "$(ask "[...document.querySelectorAll('#what-if tr')].every(r => Number(r.dataset.us) > 0)")" true
point '#warps'
ask "byId('warps').focus()" >/dev/null
keys "$right"
same "arrow keys go from state to state" "$(ask "chosen.state > 0 && location.hash.includes('state=')")" true
window 400 800
same "the time view fits a phone" "$(ask "document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1")" true
# The same for Perfetto: complete events of launches and of the warps of an SM.
rm -f "$work/steps.trace.json" && SIMT_REPORT=$work/steps.trace.json "build/sim-$frontend/step01_naive/run" --m 64 --n 64 --k 64 >/dev/null
{
    printf '{"script": "const t = arguments[0]; const x = t.traceEvents.filter(e => e.ph === \047X\047); '
    printf 'return x.filter(e => e.pid === 1).length === t.otherData.launches && x.every(e => e.dur > 0 && e.ts >= 0) && '
    printf 'x.some(e => e.pid === 2 && e.name === \047long_scoreboard\047 && e.args.waits_for.startsWith(\047ld.global\047))", "args": ['
    cat "$work/steps.trace.json"
    echo ']}'
} >"$work/steps.ask"
same "a trace of launches and warps" "$(curl -s -m 120 -X POST -H 'Content-Type: application/json' --data-binary @"$work/steps.ask" "$url/session/$session/execute/sync")" '{"value":true}'
# Contrast, names of controls, headings and what scrolls (access.js), in both themes and at two widths.
{
    printf '{"script": "'
    sed 's/\\/\\\\/g; s/"/\\"/g; s|^ *//.*||' tests/page/access.js | tr '\n' ' '
    printf ' return [%slight%s, %sdark%s].flatMap((theme) => { document.documentElement.dataset.theme = theme; return accessBreaches(); }).join();", "args": []}' "'" "'" "'" "'"
} >"$work/access.ask"
for name in step02_tiled model faulty diff time/timeline; do
    post url "{\"url\": \"file://$top/$work/$name.html\"}" >/dev/null
    for width in 400 1600; do
        window $width 900
        same "$name at $width pixels can be read and reached" "$(curl -s -m 120 -X POST -H 'Content-Type: application/json' --data-binary @"$work/access.ask" "$url/session/$session/execute/sync")" '{"value":""}'
    done
done
# The accessibility rules of axe-core, in both themes and at two widths. It is no part of this tree: AXE_CORE names its
# axe.min.js (npm pack axe-core).
if [ -n "${AXE_CORE:-}" ]; then
    [ -s "$work/model.html" ] && [ -s "$work/faulty.html" ] && [ -s "$work/rounds.html" ] || bad "no pages for axe-core"
    for name in model faulty rounds diff time/timeline; do
        for width in 400 1600; do
            window $width 900
            {
                cat "$work/$name.html"
                echo '<script>' && cat "$AXE_CORE" && echo '</script><script>(async () => { let said = ""; for (const theme of ["light", "dark"]) { document.documentElement.dataset.theme = theme; const r = await axe.run(); said += r.violations.map((v) => `${theme} ${v.id}: ${v.nodes[0].html.slice(0, 80)}; `).join(""); } document.title = `axe: ${said}`; })();</script>'
            } >"$work/axe.html"
            post url "{\"url\": \"file://$top/$work/axe.html\"}" >/dev/null
            for _ in $(seq 100); do
                [ "$(ask "document.title.startsWith('axe:')")" = true ] && break
                sleep 0.2
            done
            same "$name at $width pixels, by axe-core's rules" "$(ask "document.title")" axe:
        done
    done
else
    echo "not run here: axe-core's rules (AXE_CORE does not name its axe.min.js)"
fi
# How long a page takes to open: of a core, as the machine may be busy; until everything is drawn.
echo "opened, in seconds of a core:$opening"
[ -n "$wanted" ] || same "each page is drawn within 5 s of a core" "$(echo "$opening" | awk '{ for (i = 2; i <= NF; i += 2) late += !($i > 0 && $i < 5) } END { print (NF >= 14), late + 0 }')" "1 0"
same "and no error" "$(post se/log '{"type": "browser"}' | grep -c SEVERE)" 0
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
