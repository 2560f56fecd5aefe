#!/bin/bash
# ncu.sh - what the hardware counts: runs kernels under Nsight Compute and writes a row per launch.
#
#   tests/fidelity/ncu.sh launches [OUT.csv]   every launch of this folder (as h200.csv)
#   tests/fidelity/ncu.sh lessons [OUT.csv]    the lessons, as lessons.txt says (h200_lessons.csv)
#
# Run from the top of the tree on a machine with an NVIDIA GPU, nvcc and ncu; exit code 77 without
# them. OUT is build/fidelity/hardware.csv or build/fidelity/hardware_lessons.csv. The metrics are
# those of common/simt/base/counters.def. For the many launches of this folder they are collected one by
# one: a kernel that ncu has to replay for several metrics takes ten times as long.
set -eu
work=build/fidelity
what=${1:-}
case $what in
launches) out=${2:-$work/hardware.csv} ;;
lessons) out=${2:-$work/hardware_lessons.csv} ;;
*) echo "usage: ncu.sh launches|lessons [OUT.csv]" >&2; exit 2 ;;
esac
for tool in nvcc ncu nvidia-smi; do
    command -v $tool >/dev/null || { echo "ncu.sh: no $tool: nothing measured" >&2; exit 77; }
done
mkdir -p $work
tests/fidelity/metrics.sh >$work/metrics.tsv
fields=$(cut -f1 $work/metrics.tsv | paste -sd,)

# collect NAME METRICS PROGRAM...: one run of ncu, its raw page in NAME.csv
collect() {
    local name=$1 metrics=$2
    shift 2
    ncu --clock-control none --cache-control none --csv --page raw --metrics "$metrics" \
        --log-file $work/$name.csv "$@" >$work/$name.out
    echo "ncu.sh: $name: $(grep -c '^"[0-9]' $work/$name.csv) launches, ${SECONDS} s" >&2
}

machine() {
    echo "# $(nvidia-smi --query-gpu=name --format=csv,noheader | head -1), driver" \
        "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1), CUDA" \
        "$(nvcc --version | sed -nE 's/.*release ([0-9.]+).*/\1/p'), $(date +%F)"
}

launches() {
    local runs=0
    nvcc -O3 -arch=native -lineinfo -I. common/verify.c \
        tests/fidelity/{main,global,shared,atomics,flow,spaces,tiles}.cu -o $work/fidelity
    $work/fidelity >$work/hashes.csv
    while IFS=$'\t' read -r _ metric; do
        collect run$runs "$metric,launch__registers_per_thread" $work/fidelity
        runs=$((runs + 1))
    done <$work/metrics.tsv
    machine
    awk -v groups=$runs -v work=$work -f tests/fidelity/join.awk $work/metrics.tsv
}

lessons() {
    local metrics
    metrics=$(cut -f2 $work/metrics.tsv | paste -sd,)
    make BACKEND=gpu $(grep -v '^#' tests/fidelity/lessons.txt |
        sed 's#^\([^ ]*\).*#build/gpu/\1/run#' | sort -u) >&2
    machine
    echo "program,kernel,grid,block,$fields"
    grep -v '^#' tests/fidelity/lessons.txt | while read -r program arguments; do
        # shellcheck disable=SC2086 # the arguments are words
        collect lesson "$metrics" build/gpu/$program/run $arguments --warmup 0 --repeats 1
        awk -v program=$program -f tests/fidelity/launches.awk $work/metrics.tsv $work/lesson.csv
    done
}

$what >"$out"
echo "ncu.sh: wrote $out" >&2
