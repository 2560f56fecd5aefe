#!/bin/sh
# occupancy_of_kernels.sh [FOLDER] - compiles every lesson's kernels for the GPU of this machine and
# compares their occupancy with the driver's. Needs nvcc and a GPU: exit code 77 without. Run it in
# the repository's root; FOLDER (default build/occupancy) takes what is built.
set -eu

folder=${1:-build/occupancy}
if ! command -v nvcc >/dev/null || ! nvidia-smi >/dev/null 2>&1; then
    echo "skipped: this test needs nvcc and a GPU" >&2
    exit 77
fi
mkdir -p "$folder"
rm -f "$folder"/*.cubin
for source in step0*/*.cu step0*/harness/*.cu step0*/summit/*.cu; do
    [ -f "$source" ] || continue
    name=$(echo "$source" | tr / _)
    nvcc -cubin -O3 -arch=native -I. -o "$folder/${name%.cu}.cubin" "$source"
done
nvcc -O2 -I. -o "$folder/occupancy_of_kernels" tests/occupancy_of_kernels.c common/gpu/occupancy.c \
    common/gpu/gpu_limits.c common/device_limits.c -lcuda
"$folder/occupancy_of_kernels" "$folder"/*.cubin
