# l1.awk - the points of step02_l1.gp: kernel, operations per wavefront, GFLOPS, and where the name
# stands (height, side).
#
#     awk -F, -v per_ns=261 -f plots/columns.awk -f plots/l1.awk simulated/step02_ladder.csv gpu/step02_ladder.csv
#
# L1 and shared memory are one unit. It serves a wavefront at a time: all of an access to shared
# memory that is free of conflicts, or one request to global memory, of which it handles 4 sectors
# at a time.
BEGIN { sectors_at_a_time = 4; line_height = 1.13; half_height = 1.08 }
# The autotuned rung and stream_k take another shape there than here; libraries are not counted.
file == 1 && $at["global_load_sectors"] > 0 && $1 !~ /autotuned|stream_k/ {
    each = $at["load_sectors_per_request"]
    requests = $at["global_load_sectors"] / each
    global = requests * (each > sectors_at_a_time ? each / sectors_at_a_time : 1)
    intensity[$1] = 2 * $at["m"] * $at["n"] * $at["k"] / ($at["shared_wavefronts"] + global)
}
file == 2 && $1 in intensity && $at["gflops"] != "-" {
    order[++count] = $1
    gflops[$1] = $at["gflops"]
}
function near(a, b) {
    return side[a] == side[b] && intensity[a] < 1.3 * intensity[b] && intensity[b] < 1.3 * intensity[a]
}
function in_the_way(a, b) { # of a name to the right of b
    return intensity[a] > 1.1 * intensity[b] && intensity[a] < 2 * intensity[b] &&
        gflops[a] < half_height * gflops[b] && gflops[b] < half_height * gflops[a]
}
END {
    print "kernel,intensity,gflops,name_at,side"
    for (i = 1; i <= count; i++) {
        side[order[i]] = "right"
        for (j = 1; j <= count; j++)
            if (in_the_way(order[j], order[i]))
                side[order[i]] = "left"
    }
    for (i = 2; i <= count; i++)    # fastest first
        for (j = i; j > 1 && gflops[order[j]] > gflops[order[j - 1]]; j--) {
            t = order[j]; order[j] = order[j - 1]; order[j - 1] = t
        }
    for (i = 1; i <= count; i++) {  # a name makes way downwards for those of faster kernels
        k = order[i]
        name_at[k] = gflops[k]
        # No room on the left, where the roof is: on the right, and a line lower.
        if (side[k] == "left" && per_ns * intensity[k] / 1.7 < gflops[k]) {
            side[k] = "right"
            name_at[k] /= line_height
        }
        for (j = 1; j < i; j++)
            if (near(k, order[j]) && name_at[k] > name_at[order[j]] / line_height)
                name_at[k] = name_at[order[j]] / line_height
        name = k
        sub(/^matmul_/, "", name)
        gsub(/_/, " ", name)
        print name "," intensity[k] "," gflops[k] "," name_at[k] "," side[k]
    }
}
