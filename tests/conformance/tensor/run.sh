#!/bin/sh
# run.sh - matrix instructions on the simulator, held against an H200's recording: the hash of 8192 random tiles
# of each (all 2^20 with --all), and which lane holds which element of every fragment.
#
# usage: tests/conformance/tensor/run.sh [--all] [nvcc] [clang]   (default: the first that is installed)
#
# h200.csv and h200_fragments.csv were recorded by the same programs, built for the GPU:
#   awk -f expand.awk instructions.txt >part.inc; nvcc -arch=sm_90a -O3 -I. tensor.cu; ./a.out --chunks 0,128
set -u
top=$(cd "$(dirname "$0")/../../.." && pwd)
here=$top/tests/conformance/tensor
[ -f "${SIMT_LIB:-$top/build/libsimt.a}" ] || { echo "run.sh: run 'make' first" >&2; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
chunks=0,1
some='f16_f32 tf32 e4m3 s8 sp_f16_f32 sp_tf32 sp_u8s8_sat'
[ "${1:-}" != --all ] || { chunks=0,128; some=; shift; }
frontends=$*
[ -n "$frontends" ] || frontends=$(command -v nvcc >/dev/null && echo nvcc || echo clang)
awk -f "$here/expand.awk" "$here/instructions.txt" >"$work/part.inc"
awk -f "$here/expand_wgmma.awk" "$here/wgmma.txt" >"$work/wgmma.inc"
awk -f "$here/expand_fragments.awk" "$here/fragments.txt" >"$work/fragments.inc"

# Lines of a recording (without its head) that the simulator prints, too.
compare() { # WHAT RECORDING
    awk -F, -v what="$1" 'FNR == NR { if (!/^#/) { recorded[$1 "," $2] = $0; known[$1] } next }
        { name = what != "fragments" ? $1 "," $2 : $1 }
        what != "fragments" { if (recorded[name] == $0) good++; else { bad++; print "FAILED: " $0 ", an H200: " recorded[name] } }
        what == "fragments" { if (($0) == recorded[$1 "," $2]) good++; else { bad++; print "FAILED: fragment " $1 } }
        { seen[$1] }
        END { for (n in known) if (!(n in seen) && what != "warpgroups") { bad++; print "FAILED: " n " printed nothing" }
              printf "%s: %d passed, %d failed\n", what, good, bad; exit bad > 0 || good == 0 }' "$2" -
}

result=0
for frontend in $frontends; do
    for program in tensor fragments wgmma; do
        "$top/common/simt/simtcc" --frontend="$frontend" -arch=sm_90a -O0 -I"$work" \
            "$here/$program.cu" -o "$work/$program" >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
    done
    "$work/fragments" | compare fragments "$here/h200_fragments.csv" || result=1
    "$work/tensor" --chunks $chunks 2>"$work/errors" | compare tiles "$here/h200.csv" || { head -3 "$work/errors"; result=1; }
    # Of warpgroups a type of each kind, or all.
    "$work/wgmma" ${chunks#*,} $some | compare warpgroups "$here/h200_wgmma.csv" || result=1
done
exit $result
