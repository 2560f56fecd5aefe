#!/bin/sh
# symbols.sh - the layers once more, as the linker sees them: no object of the simulator asks for a function or
# variable of a later layer, and no files ask for each other in a circle. What a layer has to tell a later one
# goes through a pointer to a function that the later one has handed down. (Includes alone do not show it:
# anybody can declare anything.)
# And each file compiles alone, though the library is made of batches (common/simt/batches.awk), in which every file is
# once, and no variable of one file can be taken for another's.
set -u
cd "$(dirname "$0")/.." || exit 2
order='gpu base ptx ir ptxas decode machine exec translate watch check time api check/host=runtime=report libraries' # = as in layers.sh
make -s -j"$(nproc)" CC="${CC:-gcc}" files || { echo "0 passed, 1 failed"; exit 1; }
objects=
for source in common/gpu/*.c common/simt/*/*.c common/simt/check/*/*.c; do
    object=build/files/${source#common/}
    objects="$objects ${object%.c}.o"
done
# shellcheck disable=SC2086
nm -A -g $objects | awk -v order="$order" '
    function layer(path) { sub(/\/[^\/]*$/, "", path); return path }
    BEGIN {
        n = split(order, name, " ")
        for (i = 1; i <= n; i++) {
            folders = split(name[i], folder, "=")
            for (j = 1; j <= folders; j++) rank[folder[j]] = i
        }
    }
    {
        file = $1
        sub(/:.*/, "", file)
        sub(/^build\/files\/(simt\/)?/, "", file)
        files[file] = 1
        kind = $(NF - 1)
        if (kind == "U") asks[file, $NF] = file
        else if (!($NF in home)) home[$NF] = file
    }
    END {
        for (ask in asks) {
            split(ask, part, SUBSEP)
            from = part[1]; symbol = part[2]
            if (!(symbol in home) || home[symbol] == from) continue # of the C library; its own
            to = home[symbol]
            f = layer(from); t = layer(to)
            edges++
            if (rank[t] > rank[f]) {
                bad++
                print from ": " f " asks for " symbol " of " t " (" to ")"
            }
            if (rank[t] == rank[f]) needs[from, to] = symbol # circles of layers are told above
        }
        # Whoever needs nobody that is left is in no circle, and leaves.
        do {
            left = 0
            split("", open)
            for (pair in needs) { split(pair, part, SUBSEP); open[part[1]] = 1 }
            for (pair in needs) {
                split(pair, part, SUBSEP)
                if (!(part[2] in open)) { delete needs[pair]; left = 1 }
            }
        } while (left)
        # And whom nobody needs, too: what remains are the circles.
        do {
            left = 0
            split("", wanted)
            for (pair in needs) { split(pair, part, SUBSEP); wanted[part[2]] = 1 }
            for (pair in needs) {
                split(pair, part, SUBSEP)
                if (!(part[1] in wanted)) { delete needs[pair]; left = 1 }
            }
        } while (left)
        for (pair in needs) {
            split(pair, part, SUBSEP)
            bad++
            print "in a circle: " part[1] " needs " needs[pair] " of " part[2]
        }
        for (file in files) count++
        print count - (bad > count ? count : bad) " passed, " bad + 0 " failed"
        exit bad > 0 || edges == 0
    }'
linked=$?

# And an external name begins with its module's: a word of the file's or the folder's name, or that of a
# structure that the folder's headers define; one or many of them. CUDA's own names and simt.h's stand apart.
mkdir -p build/test
for folder in common/simt/*/ common/simt/check/*/ common/gpu/; do
    grep -ohE '^struct [a-z_0-9]+( \{|;)' "$folder"*.h | sed "s|^struct |$(basename "$folder") |; s|[ ;{]*\$||"
done >build/test/structures
# shellcheck disable=SC2086
nm -A -g --defined-only $objects | awk '
    function stem(word) { sub(/_.*/, "", word); sub(/s+$/, "", word); return word }
    FNR == NR { structure[$1, stem($2)] = 1; next }
    {
        file = $1
        sub(/\.o:.*/, "", file)
        n = split(file, path, "/")
        layer = path[n - 1]
        count++
        if ($NF ~ /^(simt_|cuda[A-Z_]|cu[A-Z]|cublas[A-Z]|cufft[A-Z]|curand[A-Z]|cusparse[A-Z]|cusolver[A-Z]|nvrtc[A-Z]|__)/) next
        good = (layer, stem($NF)) in structure
        words = split(path[n] "_" layer, word, "_")
        for (i = 1; i <= words; i++) good = good || stem(word[i]) == stem($NF)
        if (good || layer == "ptxas" && $NF ~ /^pass_/) next
        bad++
        print layer "/" path[n] ".c: the name of " $NF " is of no module or structure of " layer
    }
    END { print "names: " count - bad " passed, " bad + 0 " failed"; exit bad > 0 || count == 0 }' build/test/structures -
named=$?

# The batches have every file once, and two files of a batch have no variable of the same name: what is declared twice
# without a value would silently be one variable.
# shellcheck disable=SC2086
nm -A $(find build/files -name '*.o' ! -path '*/libraries/*') | awk '
    FNR == NR {
        if ($1 ~ /^batch_/) for (i = 3; i <= NF; i++) { if ($i in batch) { bad++; print $i " is in two batches" } batch[$i] = $1 }
        next
    }
    {
        path = $1
        sub(/\.o:.*/, "", path)
        sub(/^build\/files\//, "", path)
        if (!(path in seen)) count++
        seen[path] = 1
        if (!(path in batch)) next
        if ($(NF - 1) !~ /^[bd]$/ || $NF ~ /\./) next
        if ((batch[path], $NF) in owner) { bad++; print path ": the variable " $NF " is in " owner[batch[path], $NF] ", too, of one batch" }
        owner[batch[path], $NF] = path
        variables++
    }
    END {
        while (("ls common/gpu/*.c common/simt/*/*.c common/simt/check/host/*.c" | getline path) > 0) {
            sub(/^common\//, "", path)
            sub(/\.c$/, "", path)
            if (path !~ /\/libraries\// && !(path in batch)) { bad++; print path " is in no batch" }
        }
        print "batches: " count - bad " passed, " bad + 0 " failed"
        exit bad > 0 || variables < 20
    }' build/batches/list.mk - && [ $linked = 0 ] && [ $named = 0 ]
