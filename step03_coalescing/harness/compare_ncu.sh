#!/bin/sh
# compare_ncu.sh - holds the lesson's predicted counts against the counters of your own GPU.
#
# usage: step03_coalescing/harness/compare_ncu.sh RUN [N] >comparison.csv
#
# RUN is the program of this lesson built for the GPU; Nsight Compute (ncu) must be on PATH and be
# allowed to read counters. Every kernel runs once on N floats (65536), one CSV row each. Exit code
# 0: all equal; 1: a count differs; 2: something is missing.
set -eu
fail() { echo "compare_ncu.sh: $*" >&2; exit 2; }
[ $# -ge 1 ] && [ $# -le 2 ] || fail "usage: compare_ncu.sh RUN [N] >comparison.csv"
[ -x "$1" ] || fail "$1 is not a program: build the lesson first"
command -v ncu >/dev/null || fail "no ncu on PATH: it comes with the CUDA Toolkit"

files=$(mktemp -d) || fail "cannot make a temporary directory"
trap 'rm -rf "$files"' EXIT
global=_pipe_lsu_mem_global_op
shared=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op
metrics=l1tex__t_requests${global}_ld.sum,l1tex__t_sectors${global}_ld.sum
metrics=$metrics,l1tex__t_requests${global}_st.sum,l1tex__t_sectors${global}_st.sum
metrics=$metrics,${shared}_ld.sum,${shared}_st.sum
ncu --clock-control none --metrics "$metrics" --csv --log-file "$files/ncu.csv" \
    "$1" --n "${2:-65536}" --warmup 0 --repeats 1 --csv="$files/run.csv" >"$files/out.txt" ||
    { cat "$files/out.txt" >&2; fail "the run under ncu failed"; }

# Both files list the launches in the order in which they ran; rows without counts (cudaMemcpy) are
# no kernels. ncu writes one line per launch and metric, every field in quotes.
awk -v OFS=, '
function counted(id, metric) { return value[id, metric] + 0 }
FNR == NR && /^"[0-9]/ {
    fields = split(substr($0, 2, length($0) - 2), field, /","/)
    name = field[fields - 2]
    number = field[fields]
    gsub(/,/, "", number)
    sub(/^l1tex__/, "", name)
    value[field[1], name] = number
    next
}
FNR == NR { next }
/^#/ { print; next } # the GPU, driver and date of the run
/^experiment/ {
    print "experiment,kernel,parameter,element_bytes,n,load_requests_predicted," \
        "load_requests_ncu,load_sectors_predicted,load_sectors_ncu," \
        "store_sectors_per_request_predicted,store_sectors_per_request_ncu," \
        "bank_conflicts_predicted,bank_conflicts_ncu,equal"
    next
}
{
    split($0, cell, ",")
    if (cell[9] == "-") next
    t = "_pipe_lsu_mem_global_op_"
    bank = "data_bank_conflicts_pipe_lsu_mem_shared_op_"
    loads = counted(id, "t_requests" t "ld.sum")
    sectors = counted(id, "t_sectors" t "ld.sum")
    stores = counted(id, "t_requests" t "st.sum")
    per_store = stores ? counted(id, "t_sectors" t "st.sum") / stores : 0
    conflicts = counted(id, bank "ld.sum") + counted(id, bank "st.sum")
    off = per_store - cell[12]
    equal = loads == cell[9] && sectors == cell[10] && off * off < 1e-10 && conflicts == cell[14]
    print cell[1], cell[2], cell[3], cell[4], cell[5], cell[9], loads, cell[10], sectors,
        cell[12], sprintf("%.9g", per_store), cell[14], conflicts, equal ? "yes" : "NO"
    rows++
    wrong += !equal
    id++
}
END {
    printf "%d rows, %d differ\n", rows, wrong >"/dev/stderr"
    exit rows == 0 ? 2 : wrong > 0
}' FS=, id=0 "$files/ncu.csv" "$files/run.csv"
