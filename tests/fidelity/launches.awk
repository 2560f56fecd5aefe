# launches.awk - the distinct launches of one program: program,kernel,grid,block,COUNTERS...
#
# Reads metrics.tsv (field, metric) and then either ncu's raw page or the simulator's report, which
# are told apart by their first column. Launches that repeat a kernel, grid, block and counters are
# written once; templates are one kernel. Called by ncu.sh and compare with -v program=NAME.

# Values of a CSV line, quoted or not; numbers lose their thousands' commas.
function split_csv(line, value,    n) {
    n = 0
    while (line != "") {
        if (match(line, /^"[^"]*"/)) {
            value[++n] = substr(line, 2, RLENGTH - 2)
            if (value[n] ~ /^[0-9,]+$/)
                gsub(/,/, "", value[n])
        } else {
            match(line, /^[^,]*/)
            value[++n] = substr(line, 1, RLENGTH)
        }
        line = substr(line, RLENGTH + 2)
    }
    return n
}

# "void (anonymous namespace)::copy<float>(float *)" is copy.
function plain(name) {
    gsub(/\(anonymous namespace\)::/, "", name)
    sub(/^void /, "", name)
    sub(/[<(].*/, "", name)
    sub(/.*::/, "", name)
    return name
}

# "(4, 1, 1)" is 4x1x1.
function shape(text) {
    gsub(/[() ]/, "", text)
    gsub(/,/, "x", text)
    return text
}

NR == FNR { split($0, pair, "\t"); field[NR] = pair[1]; metric[NR] = pair[2]; fields = NR; next }
/^==/ { next }

{
    n = split_csv($0, value)
    if (value[1] == "ID" || value[1] == "kernel") {
        ncu = value[1] == "ID"
        for (i = 1; i <= n; i++)
            column[value[i]] = i
        next
    }
    if (n < 5 || value[1] == "")
        next
    if (ncu) {
        row = plain(value[column["Kernel Name"]]) "," shape(value[column["Grid Size"]]) "," \
            shape(value[column["Block Size"]])
    } else {
        row = plain(value[1]) "," value[column["grid_x"]] "x" value[column["grid_y"]] "x" \
            value[column["grid_z"]] "," value[column["block_x"]] "x" value[column["block_y"]] "x" \
            value[column["block_z"]]
    }
    for (f = 1; f <= fields; f++)
        row = row "," value[column[ncu ? metric[f] : field[f]]]
    if (!seen[row]++)
        print program "," row
}
