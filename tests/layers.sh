#!/bin/sh
# layers.sh - does every file of the simulator include only its own layer and the ones before it, and is
# it short enough to be read in one go?
# The order stands here and in common/simt/README.md; each folder of common/simt is one word of it.
set -u
cd "$(dirname "$0")/.." || exit 2
order='csv.h table.h gpu base ptx ir passes decode machine exec observe cuda cc'
for folder in common/simt/*/; do
    layer=$(basename "$folder")
    case " $order " in
    *" $layer "*) ;;
    *) echo "common/simt/$layer is no layer: $order"; exit 1 ;;
    esac
done
longest=450
long=$(find common/simt -type f \( -name '*.[ch]' -o -name '*.def' -o -path '*/include/*' \) -exec wc -l {} + |
    awk -v most=$longest '$2 != "total" && $1 > most { print $2 ": " $1 " lines; " most " are the most: what in it is a thing of its own?" }')
if [ -n "$long" ]; then
    echo "$long"
    echo "0 passed, 1 failed"
    exit 1
fi
echo "1 passed, 0 failed" # no file is longer
grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' common/simt/*/*.[ch] common/simt/*/*.def common/gpu/*.[ch] |
    awk -v order="$order" '
    BEGIN { n = split(order, name, " "); for (i = 1; i <= n; i++) rank[name[i]] = i }
    {
        split($0, part, ":")
        file = part[1]
        split(file, step, "/")
        from = step[2] == "gpu" ? "gpu" : step[3]
        match($0, /"[^"]*"/)
        to = path = substr($0, RSTART + 1, RLENGTH - 2)
        sub(/^(common|\.\.)\//, "", to)
        sub(/\/.*/, "", to)
        files++
        if (path !~ /\//) next # a neighbour
        if (!(to in rank)) { bad++; print file ": \"" path "\" names no layer" }
        else if (rank[to] > rank[from]) { bad++; print file ": " from " may not include " to " (" path ")" }
    }
    END {
        print files - bad " passed, " bad + 0 " failed"
        exit bad > 0 || files == 0
    }'
