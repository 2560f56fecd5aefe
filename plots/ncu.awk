# ncu.awk - the raw page of Nsight Compute as a table: one line for each launch, in order.
#
# names, metrics: what the columns are called, and the metrics that stand in them. A metric that this
# GPU does not have is -. The page is CSV in which every field is quoted.
function fields(line, into,   n) {
    gsub(/^"|"$/, "", line)
    n = split(line, into, "\",\"")
    return n
}
BEGIN {
    count = split(metrics, metric, ",")
    print "launch,kernel,grid,block," names
}
!/^"/ { next }
!header {
    header = fields($0, head)
    for (i = 1; i <= header; i++)
        at[head[i]] = i
    next
}
{
    fields($0, cell)
    if (cell[1] !~ /^[0-9]+$/) # the line of units
        next
    kernel = cell[at["Kernel Name"]]
    sub(/\(.*/, "", kernel)
    sub(/^void /, "", kernel)
    gsub(/,/, ";", kernel)
    grid = cell[at["Grid Size"]]
    block = cell[at["Block Size"]]
    gsub(/[(), ]+/, " ", grid)
    gsub(/[(), ]+/, " ", block)
    gsub(/^ | $/, "", grid)
    gsub(/^ | $/, "", block)
    gsub(/ /, "x", grid)
    gsub(/ /, "x", block)
    line = launches++ "," kernel "," grid "," block
    for (i = 1; i <= count; i++) {
        value = metric[i] in at ? cell[at[metric[i]]] : ""
        gsub(/,/, "", value)
        line = line "," (value == "" ? "-" : value)
    }
    print line
}
