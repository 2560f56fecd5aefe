#!/bin/bash
# record.sh - times the kernels of this folder on a GPU and collects what a model predicts.
#
#   tests/fidelity/times/record.sh [OUT.csv]     (default: build/times/GPU.csv)
#
# Run from the top of the tree on a machine with an NVIDIA GPU, nvcc and ncu; exit code 77 without
# them. Two sources for each kernel: CUDA events (median of 9 after 2 warm-ups) and Nsight
# Compute, one launch. Before each of them the L2 cache is emptied: by writing twice its size for
# the events, by ncu's --cache-control all. Clocks are left alone. Takes about two minutes with 16
# cores: most of it ncu, which launches a kernel once for each group of counters. A metric that
# this GPU's ncu does not know is left out, said so, and stands as - in the CSV.
set -eu
here=tests/fidelity/times
work=build/times
out=${1:-}
for tool in nvcc ncu nvidia-smi; do
    command -v $tool >/dev/null || { echo "record.sh: no $tool: nothing measured" >&2; exit 77; }
done
mkdir -p $work/gpu

say() { echo "record.sh: $*, ${SECONDS} s" >&2; }

# The compiler takes longest with one file after the other.
build() {
    local sources=($here/*.cu common/verify.c common/timing.c common/counters_gpu.c)
    printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -I{} sh -c \
        'nvcc -O3 -arch=native -lineinfo -I. -I'$here' -c {} -o '$work'/gpu/$(basename {}).o'
    nvcc -arch=native $work/gpu/*.o -o $work/times
    say built
}

# Metrics of the list that this ncu knows, joined by commas; of the kind $1 (m) or all.
known() {
    grep -v '^#' $here/metrics.tsv | awk -F'\t' -v kind="${1:-}" -v known=$work/known.txt '
        BEGIN { while ((getline line < known) > 0) { split(line, word, " "); names[word[1]] = 1 } }
        kind != "" && $3 != kind { next }
        { base = $2; sub(/\..*/, "", base) }
        base in names || base ~ /^launch__/ || base ~ /_pct$/ { print $2; next }
        { print "record.sh: ncu has no " $2 > "/dev/stderr" }' | paste -sd,
}

# collect NAME METRICS KERNELS: one run of ncu, its raw page in NAME.csv. A metric whose name is known
# but not in this form is dropped and the run repeated.
collect() {
    local name=$1 metrics=$2 unknown
    until ncu --profile-from-start off --clock-control none --cache-control all --csv --page raw \
        --print-units base --metrics "$metrics" --log-file $work/$name.csv \
        $work/times --profile --kernel "$3" >$work/$name.out; do
        unknown=$(grep -oE 'Failed to find metric.*' $work/$name.csv |
            grep -oE '[a-z0-9_]+__[a-z0-9_.]+|[a-z0-9_]+_pct' | head -1 || true)
        [ -n "$unknown" ] || { tail -n 5 $work/$name.csv >&2; exit 1; }
        say "ncu has no $unknown"
        metrics=$(tr , '\n' <<<"$metrics" | grep -vxF "$unknown" | paste -sd,)
    done
    say "$name: $(grep -c '^"[0-9]' $work/$name.csv) launches"
}

machine() {
    echo "# $(nvidia-smi --query-gpu=name --format=csv,noheader | head -1), driver" \
        "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1), CUDA" \
        "$(nvcc --version | sed -nE 's/.*release ([0-9.]+).*/\1/p'), $(date +%F)"
}

build
$work/times >$work/events.csv
say "$(($(wc -l <$work/events.csv) - 1)) kernels timed"
ncu --query-metrics >$work/known.txt
$work/times --list | grep -v '^roof_' | paste -sd, >$work/kernels.txt
$work/times --list | grep '^roof_' | paste -sd, >$work/roofs.txt
collect kernels "$(known)" "$(cat $work/kernels.txt)"
collect roofs "$(known m)" "$(cat $work/roofs.txt)"
if [ -z "$out" ]; then
    out=$work/$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1 | tr 'A-Z ' 'a-z-' |
        sed 's/^nvidia-//').csv
fi
{
    machine
    awk -f $here/join.awk $here/metrics.tsv $work/events.csv $work/kernels.csv $work/roofs.csv
} >"$out"
say "wrote $out"
