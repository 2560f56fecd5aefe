# loops_join.awk - the outputs of the kernels of loops.awk and ncu's raw page of them as one CSV: a row per
# kernel, its output, its counts. Called by loops.sh with -v gpu -v date -v metrics.
function split_csv(line, value,    n) {
    for (n = 0; line != ""; line = substr(line, RLENGTH + 2)) {
        match(line, /^"[^"]*"/)
        value[++n] = substr(line, 2, RLENGTH - 2)
    }
    return n
}
BEGIN {
    count = split(metrics, metric, ",")
    print "# " gpu ", " date
    print "kernel,output,load_requests,load_sectors,store_requests,store_sectors,shared_load_wavefronts,differs"
}
FILENAME ~ /out$/ { split($0, pair, ","); output[pair[1]] = pair[2]; next }
!/^"/ { next }
{
    n = split_csv($0, value)
    if (value[1] == "ID") {
        for (i = 1; i <= n; i++) column[value[i]] = i
        next
    }
    if (value[1] == "") next
    name = value[column["Kernel Name"]]
    sub(/\(.*/, "", name)
    row = name "," output[name]
    for (m = 1; m <= count; m++) {
        number = value[column[metric[m]]]
        gsub(/,/, "", number)
        row = row "," number
    }
    print row ","
}
