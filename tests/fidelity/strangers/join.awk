# join.awk - ncu's raw page of a run of main.cu and the hashes that it printed, as the rows of h200.csv. Called by record.
#
# usage: awk -f join.awk metrics.tsv hashes.csv ncu.csv

# Splits a line of quoted values ("a","b,c",...) into value[1 ...]; numbers lose thousands' commas.
function split_quoted(line, value,    n, i) {
    sub(/^"/, "", line)
    sub(/"$/, "", line)
    n = split(line, value, /","/)
    for (i = 1; i <= n; i++) if (value[i] ~ /^[0-9,]+$/) gsub(/,/, "", value[i])
    return n
}

# Of the counters those that can be exact: what ptxas does with HFMA2.MMA is not modelled, and the rest is 0 here.
FILENAME ~ /metrics.tsv$/ && !/^(warps|global_|shared_|copy_|bulk_|cluster_|tensor_[idg])/ { next }
FILENAME ~ /metrics.tsv$/ { split($0, pair, "\t"); field[++fields] = pair[1]; metric[fields] = pair[2]; next }
FILENAME ~ /hashes.csv$/ && !/^[0-9]+,/ { next } # what a kernel has printed
FILENAME ~ /hashes.csv$/ { split($0, printed, ","); name[++launches] = printed[2]; hash[launches] = printed[3]; next }
!/^"/ { next }
{
    n = split_quoted($0, value)
    if (value[1] == "ID") {
        row = "kernel,hash"
        for (i = 1; i <= n; i++) column[value[i]] = i
        for (f = 1; f <= fields; f++) row = row "," field[f]
        print row
    } else if (value[1] != "") {
        row = name[++launch] "," hash[launch]
        for (f = 1; f <= fields; f++) row = row "," value[column[metric[f]]]
        print row
    }
}
