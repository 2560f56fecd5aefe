#!/bin/sh
# layers.sh - does every file of the simulator include only its own layer and the ones before it, is it
# short enough to be read in one go, and is the guard of a header named by its path?
# The order stands here and in common/simt/BUILT.md; each folder of common/simt is one word of it.
set -u
cd "$(dirname "$0")/.." || exit 2
# Folders joined by = are one layer: their files call each other, but none in a circle (symbols.sh).
order='csv.h table.h gpu base include ptx ir ptxas decode machine exec translate watch check time api check/host=runtime=report libraries cc'
for folder in common/simt/*/ common/simt/check/*/; do
    layer=${folder#common/simt/}
    layer=${layer%/}
    case " $(echo "$order" | tr = ' ') " in
    *" $layer "*) ;;
    *) echo "common/simt/$layer is no layer: $order"; exit 1 ;;
    esac
done
longest=500
long=$(find common/simt -type f \( -name '*.[ch]' -o -name '*.def' -o -path '*/include/*' \) -exec wc -l {} + |
    awk -v most=$longest '$2 != "total" && $1 > most { print $2 ": " $1 " lines; " most " are the most: what in it is a thing of its own?" }')
if [ -n "$long" ]; then
    echo "$long"
    echo "0 passed, 1 failed"
    exit 1
fi
echo "1 passed, 0 failed" # no file is longer
# Memory comes from base/room.h or an arena, which have one answer to "there is none".
own=$(grep -nE '[^a-z_](malloc|calloc|realloc|strdup|strndup|aligned_alloc|posix_memalign)\(' $(find common/simt -name '*.[ch]' ! -path '*/include/*') |
    grep -vE '^common/simt/(base/(room|arena)\.c|check/host/wrap_malloc\.c)|malloc\(\)')
if [ -n "$own" ]; then
    echo "$own"
    echo "0 passed, 1 failed: base/room.h has what is asked for there"
    exit 1
fi
echo "1 passed, 0 failed"
# The guard of check/order.h is SIMT_ORDER_H, or with folders before it SIMT_CHECK_ORDER_H, and no two are equal: else a
# header that both are included in would silently lack one of them.
guards=$(grep -nE -A1 '^#ifndef [A-Z0-9_]+_H[A-Z0-9_]*$' $(find common/simt -name '*.h') | awk -F '[:-][0-9]+[:-]' '
    NF != 2 { next }
    $2 ~ /^#ifndef / { file = $1; guard = substr($2, 9); next }
    $2 == "#define " guard && file == $1 {
        path = file
        sub(/^common/, "", path)
        gsub(/[^A-Za-z0-9]/, "_", path)
        path = toupper(path)
        ends = substr(guard, 5)
        if (guard !~ /^SIMT_/ || substr(path, length(path) - length(ends) + 1) != ends)
            print file ": the guard " guard " is not named by the path: SIMT" substr(path, 6)
        else if (guard in owner)
            print file ": " owner[guard] " has the guard " guard ", too"
        owner[guard] = file
        count++
    }
    END { if (count < 200) print count " guards found: what is wrong with this test?" }')
if [ -n "$guards" ]; then
    echo "$guards"
    echo "0 passed, 1 failed"
    exit 1
fi
echo "1 passed, 0 failed"
grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' $(find common/simt common/gpu -name '*.[ch]' -o -name '*.def' | grep -v /include/) |
    awk -v order="$order" '
    BEGIN {
        n = split(order, name, " ")
        for (i = 1; i <= n; i++) {
            folders = split(name[i], folder, "=")
            for (j = 1; j <= folders; j++) rank[folder[j]] = i
        }
    }
    {
        split($0, part, ":")
        file = part[1]
        from = file
        sub(/^common\/(simt\/)?/, "", from)
        sub(/\/[^\/]*$/, "", from)
        match($0, /"[^"]*"/)
        to = path = substr($0, RSTART + 1, RLENGTH - 2)
        sub(/^(common|\.\.)\//, "", to)
        if (!(to in rank)) sub(/\/[^\/]*$/, "", to)
        files++
        if (path !~ /\//) next # a neighbour
        if (!(to in rank)) { bad++; print file ": \"" path "\" names no layer" }
        else if (rank[to] > rank[from]) { bad++; print file ": " from " may not include " to " (" path ")" }
    }
    END {
        print files - bad " passed, " bad + 0 " failed"
        exit bad > 0 || files == 0
    }'
