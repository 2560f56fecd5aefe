# join.awk - puts the tables of several ncu runs side by side: kernel,launch,COUNTERS...,
# output_hash,registers. Called by ncu.sh; reads metrics.tsv (field, metric).

# Splits a line of quoted values ("a","b,c",...) into value[1..]; numbers lose thousands' commas.
function split_quoted(line, value,    n, i) {
    sub(/^"/, "", line)
    sub(/"$/, "", line)
    n = split(line, value, /","/)
    for (i = 1; i <= n; i++)
        if (value[i] ~ /^[0-9,]+$/)
            gsub(/,/, "", value[i])
    return n
}

BEGIN { FS = "\t" }
{ field[NR] = $1; metric[NR] = $2 }

END {
    for (g = 0; g < groups; g++) {
        file = work "/run" g ".csv"
        rows = 0
        while ((getline line < file) > 0) {
            if (line !~ /^"/)
                continue
            n = split_quoted(line, value)
            if (value[1] == "ID") {
                delete column
                for (i = 1; i <= n; i++)
                    column[value[i]] = i
            } else if (value[1] != "") {
                for (f = 1; f <= NR; f++)
                    if (metric[f] in column)
                        counted[rows, f] = value[column[metric[f]]]
                registers[rows] = value[column["launch__registers_per_thread"]]
                rows++
            }
        }
    }
    printf "kernel,launch"
    for (f = 1; f <= NR; f++)
        printf ",%s", field[f]
    print ",output_hash,registers"
    file = work "/hashes.csv"
    while ((getline line < file) > 0) {
        split(line, value, ",")
        if (value[1] == "launch")
            continue
        row = value[1]
        printf "%s,%d", value[2], row
        for (f = 1; f <= NR; f++) {
            if (!((row, f) in counted)) {
                printf "join.awk: ncu counted no %s for launch %d\n", field[f], row > "/dev/stderr"
                exit 1
            }
            printf ",%d", counted[row, f]
        }
        printf ",%s,%s\n", value[3], registers[row]
    }
}
