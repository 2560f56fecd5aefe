#!/bin/bash
# loops.sh - loops whose lanes go round them different numbers of times: what the simulator counts against
# what an NVIDIA GPU counted, kernel by kernel.
#
#   tests/fidelity/loops.sh [--frontend=nvcc|clang]   compares with loops.csv
#   tests/fidelity/loops.sh record                    on a machine with a GPU, nvcc and ncu: makes loops.csv
#
# Run from the top of the tree, with build/libsimt.a. loops.awk writes the kernels, but for those of
# loops_waiting.cu (part 4). The last column of loops.csv names the front ends whose counts are known to
# differ: the list is exact. ptxas decided for the GPU which loops to unroll and how; README.md tells the
# rules that were found. Exit status 1: a kernel differs that loops.csv does not name, or one that it names
# has become equal; 77: no front end.
set -eu
here=tests/fidelity work=${WORK:-build/fidelity}
mkdir -p $work
for part in 1 2 3; do awk -v part=$part -f $here/loops.awk -f $here/loops_drawn.awk >$work/loops$part.cu; done
cp $here/loops_waiting.cu $work/loops4.cu

record() {
    local metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
    metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
    metrics+=,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
    for tool in nvcc ncu nvidia-smi; do
        command -v $tool >/dev/null || { echo "loops.sh: no $tool: nothing measured" >&2; exit 77; }
    done
    for part in 1 2 3 4; do
        nvcc -O3 -arch=native $work/loops$part.cu -o $work/loops
        $work/loops >$work/loops.out
        ncu --clock-control none --cache-control none --csv --page raw --metrics $metrics \
            --log-file $work/loops.ncu $work/loops >/dev/null
        awk -v gpu="$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)" \
            -v date="$(date +%F)" -v metrics=$metrics -f $here/loops_join.awk $work/loops.out $work/loops.ncu
    done | awk '!/^(#|kernel,)/ || !seen[$0]++' >$here/loops.csv
}

compare() { # front end
    local part
    rm -f "$work/loops-$1.csv"
    for part in 1 2 3 4; do
        common/simt/simtcc --frontend="$1" -O0 $work/loops$part.cu -o "$work/loops-$1"
        SIMT_REPORT="$work/loops-$1.csv" "$work/loops-$1"
    done >"$work/loops-$1.out"
    awk -F, -v frontend="$1" -f $here/loops_compare.awk $here/loops.csv "$work/loops-$1.out" \
        "$work/loops-$1.csv"
}

case ${1:-} in
record) record; exit ;;
--frontend=nvcc | --frontend=clang) frontends=${1#*=} ;;
'') frontends=$(for f in nvcc clang; do ! command -v $f >/dev/null || echo $f; done) ;;
*) echo "usage: loops.sh [--frontend=nvcc|clang] | record" >&2; exit 2 ;;
esac
[ -n "$frontends" ] || exit 77
failed=0 passed=0
for frontend in $frontends; do
    if compare "$frontend"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "loops: $passed passed, $failed failed"
[ $failed = 0 ]
