#!/bin/sh
# advice.sh - is what SIMT_REPORT=lines advises of the kernels of advice*.cu what stands before each?
# OBJECTS=FOLDER: what FOLDER has compiled through clang (FOLDER/tests/page/NAME.o) is linked; WORK=FOLDER: where to work.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 2
work=${WORK:-build/page}
mkdir -p "$work"
for frontend in $([ -z "${OBJECTS:-}" ] && command -v nvcc >/dev/null 2>&1 && echo nvcc; command -v clang++ >/dev/null 2>&1 && echo clang); do
for source in tests/page/advice*.cu; do
    name=$(basename "$source" .cu)-$frontend
    compiled=$source
    [ -z "${OBJECTS:-}" ] || compiled=$OBJECTS/${source%.cu}.o
    common/simt/simtcc --frontend="$frontend" -O3 "$compiled" -o "$work/$name" || exit 1
    SIMT_REPORT=lines "$work/$name" >"$work/$name.txt" || exit 1
    awk -v frontend="$frontend" '
    # the expectations
    FNR == NR && /^\/\/ (says|silent)/ { want = $0; next }
    FNR == NR && want != "" && match($0, /void [a-z_0-9]+\(/) {
        name = substr($0, RSTART + 5, RLENGTH - 6)
        wanted[name] = want
        order[++n] = name
        want = ""
    }
    FNR == NR { next }
    # what was said: "kernel, N launches, ...", "  load of in: ...", "  -> advice", its next lines
    / launch(es)?, simulated counts by source line$/ { kernel = $1; sub(/,$/, "", kernel); advice = 0; next }
    match($0, /^            [a-z][a-z ]* of [a-z_ ]+:/) { split(substr($0, 13), word, /( of |:)/); array = word[2]; advice = 0 }
    /^            -> / { advice = 1; said[kernel] = said[kernel] array ":"; places[kernel]++ }
    /^ *[0-9]+ / || /^$/ { advice = 0 }
    advice { text = $0; sub(/^ +(-> )?/, " ", text); said[kernel] = said[kernel] text }
    END {
        for (i = 1; i <= n; i++) {
            name = order[i]
            w = wanted[name]
            if (w ~ /silent/) good = said[name] == ""
            else {
                sub(/^\/\/ says /, "", w)
                array = w; sub(/:.*/, "", array)
                words = w; sub(/^[^:]*: /, "", words)
                if (array == "*") array = ".*" # what a thread keeps has no name
                good = places[name] == 1 && said[name] ~ ("^(" array "):") && index(said[name], words)
            }
            if (good) passed++
            else { failed++; print "FAILED: " name " (" frontend "): said \"" said[name] "\", wanted \"" wanted[name] "\"" }
        }
        print "advice through " frontend ": " passed + 0 " passed, " failed + 0 " failed"
        exit failed > 0 || passed == 0
    }' "$source" "$work/$name.txt" || bad=1
done
done
exit "${bad:-0}"
