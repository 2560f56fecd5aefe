# join.awk - events and ncu's raw pages to one row per kernel: name, group, kernel, grid, block,
# checksum, times and every column of metrics.tsv, `-` where it was not collected.
#
#     awk -f join.awk metrics.tsv events.csv kernels.csv roofs.csv
#
# The launches of a raw page are in the order of the events' rows: first those of all groups but
# roof, then those of roof. A page with another number of launches is an error.

# Values of a CSV line, quoted or not; numbers lose their thousands' commas.
function split_csv(line, value,    n) {
    n = 0
    while (line != "") {
        if (match(line, /^"[^"]*"/)) {
            value[++n] = substr(line, 2, RLENGTH - 2)
            if (value[n] ~ /^[-0-9,.e+]+$/)
                gsub(/,/, "", value[n])
        } else {
            match(line, /^[^,]*/)
            value[++n] = substr(line, 1, RLENGTH)
        }
        line = substr(line, RLENGTH + 2)
    }
    return n
}

# "(4, 1, 1)" is 4x1x1.
function shape(text) {
    gsub(/[() ]/, "", text)
    gsub(/,/, "x", text)
    return text
}

FNR == 1 { file++ }
file == 1 && !/^#/ { split($0, word, "\t"); field[++fields] = word[1]; metric[fields] = word[2] }
file == 2 && FNR > 1 {
    split($0, word, ",")
    name[++names] = word[1]
    group[names] = word[2]
    event[names] = word[3] "," word[4] "," word[5]
    page = word[2] == "roof" ? 4 : 3
    place[page, ++expected[page]] = names
}
file >= 3 && !/^==/ {
    n = split_csv($0, value)
    if (value[1] == "ID") {
        delete column
        for (i = 1; i <= n; i++)
            column[value[i]] = i
        next
    }
    if (n < 5 || value[1] !~ /^[0-9]+$/)
        next
    at = place[file, ++seen[file]]
    kernel = value[column["Kernel Name"]]
    sub(/^void /, "", kernel)
    sub(/\(.*/, "", kernel)
    gsub(/,/, ";", kernel)
    row = kernel "," shape(value[column["Grid Size"]]) "," shape(value[column["Block Size"]])
    counts = ""
    for (f = 1; f <= fields; f++)
        counts = counts "," (metric[f] in column ? value[column[metric[f]]] : "-")
    launch[at] = row
    rest[at] = counts
}
END {
    for (page = 3; page <= 4; page++)
        if (seen[page] != expected[page]) {
            print "join.awk: " seen[page] + 0 " launches of " expected[page] " counted" > "/dev/stderr"
            exit 1
        }
    printf "name,group,kernel,grid,block,checksum,median_us,min_us"
    for (f = 1; f <= fields; f++)
        printf ",%s", field[f]
    print ""
    for (i = 1; i <= names; i++)
        print name[i] "," group[i] "," launch[i] "," event[i] rest[i]
}
