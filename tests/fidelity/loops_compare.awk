# loops_compare.awk - loops.csv, the outputs and the report of a simulated run: what differs, and how many
# are equal. Called by loops.sh with -F, -v frontend; exit 1 if the list of differences is not exact.
/^#/ { next }
FILENAME ~ /fidelity\/loops.csv$/ && FILENAME !~ /build/ {
    if ($1 == "kernel") next
    order[++kernels] = $1
    want[$1] = $3 " " $4 " " $5 " " $6 " " $7
    out[$1] = $2
    listed[$1] = $8 ~ frontend
    next
}
FILENAME ~ /out$/ { if (out[$1] != $2) { print frontend ": " $1 " computes " $2 ", not " out[$1]; bad++ } next }
$1 == "kernel" { for (i = 1; i <= NF; i++) column[$i] = i; next }
{
    got[$1] = $(column["global_load_requests"]) " " $(column["global_load_sectors"]) " " \
        $(column["global_store_requests"]) " " $(column["global_store_sectors"]) " " \
        $(column["shared_load_wavefronts"])
}
END {
    for (i = 1; i <= kernels; i++) {
        k = order[i]
        same = got[k] == want[k]
        equal += same
        if (same == listed[k]) {
            bad++
            printf "%s: %s: %s, on the GPU %s%s\n", frontend, k, got[k], want[k], \
                same ? ": listed as different, and is not" : ""
        }
    }
    printf "%s: %d of %d loops count as on the GPU, %d differ as listed: %s\n", frontend, equal, kernels, \
        kernels - equal, bad ? "not ok" : "ok"
    exit bad > 0
}
