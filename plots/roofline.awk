# roofline.awk - the points of step02_roofline.gp: kernel, operations per byte, GFLOPS, which lesson,
# and where the name stands (height, side) so that names do not cover each other.
#
#     awk -F, -v dram=GB/S -f plots/columns.awk -f plots/roofline.awk simulated/step01.csv simulated/step02_ladder.csv \
#             gpu/step01.csv gpu/step02_ladder.csv gpu/step05_sizes.csv
#
# The first two files give the bytes that a kernel's loads ask for, the others how fast it ran. Names
# of kernels above the roof of `dram` stand to their left; other names to the left make way downwards until
# they begin below that roof. A letter's width is in decades of the chart's axis.
BEGIN { sector_bytes = 32; float_bytes = 4; line_height = 1.28; letter = 0.028 }
file <= 2 && $at["global_load_sectors"] > 0 {
    operations = 2 * $at["m"] * $at["n"] * $at["k"]
    intensity[$1] = operations / ($at["global_load_sectors"] * sector_bytes)
}
# Nobody counted the bytes of a library, of tensor cores, and of the autotuned rung and stream_k, whose shape the
# GPU chose: they have a rate alone.
(file == 3 || file == 4) && $at["gflops"] != "-" {
    if (!($1 in gflops))
        order[++count] = $1
    gflops[$1] = $at["gflops"]
    lesson[$1] = $1 in intensity && $1 !~ /autotuned|stream_k/ ? "matmul" : "uncounted"
    if (lesson[$1] == "uncounted")
        intensity[$1] = "NaN"
}
# One addition for each element that is read; the last size of the file is the largest.
file == 5 && $1 ~ /^reduce_/ {
    if (!($1 in gflops))
        order[++count] = $1
    intensity[$1] = 1 / float_bytes
    gflops[$1] = $at["gb_per_s"] / float_bytes
    lesson[$1] = "reduction"
}
# How many times the operations per byte at its beginning a name has at its end.
function width(k) { return 1.1 * 10 ^ (letter * (length(k) - length("matmul_"))) }
function in_the_way(a, b) {
    return lesson[a] == lesson[b] && intensity[a] > intensity[b] && intensity[a] < width(b) * intensity[b] &&
        gflops[a] < 1.15 * gflops[b] && gflops[b] < 1.15 * gflops[a]
}
function below_roof(k,    most) {
    most = 0.85 * dram * intensity[k] / width(k)
    return side[k] == "left" && gflops[k] < dram * intensity[k] && gflops[k] > most ? most : gflops[k]
}
function near(a, b) {
    return lesson[a] == lesson[b] && side[a] == side[b] && (lesson[a] == "uncounted" ||
        intensity[a] < 3 * intensity[b] && intensity[b] < 3 * intensity[a])
}
END {
    print "kernel,intensity,gflops,lesson,name_at,side"
    for (i = 2; i <= count; i++)    # slowest first
        for (j = i; j > 1 && gflops[order[j]] < gflops[order[j - 1]]; j--) {
            t = order[j]; order[j] = order[j - 1]; order[j - 1] = t
        }
    for (i = 1; i <= count; i++) {  # a name stands left where another point is in its way
        k = order[i]
        if (lesson[k] == "uncounted") {
            side[k] = "edge"
            continue
        }
        side[k] = gflops[k] > dram * intensity[k] ? "left" : "right"
        for (j = 1; j <= count; j++)
            if (in_the_way(order[j], k))
                side[k] = "left"
    }
    for (i = count; i >= 1; i--) {  # a name makes way downwards for those of faster kernels
        k = order[i]
        name_at[k] = below_roof(k)
        for (j = count; j > i; j--)
            if (near(k, order[j]) && name_at[k] > name_at[order[j]] / line_height)
                name_at[k] = name_at[order[j]] / line_height
        name = k
        sub(/^(matmul|reduce)_/, "", name)
        gsub(/_/, " ", name)
        print name "," intensity[k] "," gflops[k] "," lesson[k] "," name_at[k] "," side[k]
    }
}
