#!/bin/sh
# run.sh - tests of the front end: simtcc, the CUDA headers for clang, and both compilers' PTX.
#
# usage: tests/frontend/run.sh [nvcc] [clang] [clang-VERSION]   (default: nvcc and clang where they are installed)
# With clang, the other versions of it that simtcc supports compile a share of the programs each; clang-VERSION
# compiles all of them.
# Each tests/frontend/*.cu checks itself, compiled with the options of its line `/* flags: ... */`; the same source goes through both compilers. The clang runs see
# no nvcc on PATH. Prints the failures and the totals; exit code 0 or 1, 2 when libsimt.a is missing.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
here=$top/tests/frontend
simtcc=$top/common/simt/simtcc
headers=$top/common/simt/include
[ -f "${SIMT_LIB:-$top/build/libsimt.a}" ] || { echo "run.sh: run 'make' first" >&2; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

ok() { passed=$((passed + 1)); }
bad() { # what, file with its output
    failed=$((failed + 1))
    echo "FAILED: $1"
    [ $# -lt 2 ] || head -20 "$2" | sed 's/^/    /'
}
check() { # name, command ...: passes when the command does
    what=$1
    shift
    if "$@" >"$work/log" 2>&1; then ok; else bad "$what" "$work/log"; fi
}
rejects() { # name, text, command ...: exit code 2, one line on stderr that has the text
    what=$1 text=$2
    shift 2
    "$@" >"$work/log" 2>&1
    code=$?
    if [ $code = 2 ] && [ "$(wc -l <"$work/log")" = 1 ] && grep -q -e "$text" "$work/log"; then
        ok
    else
        echo "exit code $code" >>"$work/log"
        bad "$what" "$work/log"
    fi
}

# PATH without the directories that hold an nvcc.
without_nvcc=
old_ifs=$IFS
IFS=:
for directory in $PATH; do
    [ -x "$directory/nvcc" ] || without_nvcc=$without_nvcc${without_nvcc:+:}$directory
done
IFS=$old_ifs

compilers=${*:-}
for compiler in $compilers; do
    case $compiler in
    nvcc | clang | clang-[0-9]*) ;;
    *) echo "run.sh: '$compiler' is neither nvcc nor clang, nor a version such as clang-16" >&2; exit 2 ;;
    esac
done
if [ -z "$compilers" ]; then
    ! command -v nvcc >/dev/null || compilers=nvcc
    ! (PATH=$without_nvcc "$simtcc" --dryrun "$here/print.cu" >/dev/null 2>&1) ||
        compilers="$compilers clang"
fi

# ---------------------------------------------------------------- programs
compile_with() { # compiler, arguments
    frontend=$1
    shift
    if [ "$frontend" = clang ]; then
        PATH=$without_nvcc "$simtcc" "$@" # no option: clang is what is left
    else
        "$simtcc" --frontend="$frontend" "$@"
    fi
}
program() { # compiler, source, further option
    name=$(basename "$2" .cu)
    flags=$(sed -n 's|^/\* flags: \(.*\) \*/$|\1|p' "$2")
    # shellcheck disable=SC2086
    if ! compile_with "$1" $flags ${3:-} -I"$top" "$2" -o "$work/$name" >"$work/log" 2>&1; then
        bad "$1: $name does not compile" "$work/log"
        return
    fi
    timeout 300 "$work/$name" >"$work/log" 2>&1
    code=$?
    if [ $code != 0 ]; then
        echo "exit code $code" >>"$work/log"
        bad "$1: $name" "$work/log"
    elif [ -f "${2%.cu}.txt" ] && ! diff "${2%.cu}.txt" "$work/log" >"$work/diff"; then
        bad "$1: $name prints something else" "$work/diff"
    else
        ok
    fi
}
# The other clangs that are supported, where they are installed, take turns at every second program (`-` is none), since
# each costs a second. Left out are those that call libraries, whose functions are host code and the same for each clang;
# and the host's half is not optimised, since the device's is what differs.
others=
case " $compilers " in *" clang "*)
    default=$(clang++ -dumpversion 2>/dev/null)
    for version in 14 16 19; do
        case $default in "$version".*) continue ;; esac
        ! command -v "clang++-$version" >/dev/null || others="$others clang-$version -"
    done ;;
esac
# shellcheck disable=SC2086 # words: the first of $turn is whose turn it is
for source in "$here"/*.cu; do
    case $source in */library_*) continue ;; esac
    set -- ${turn:-$others}
    [ $# -gt 0 ] || break
    [ "$1" = - ] || program "$1" "$source" -O0
    shift
    turn=$*
done
for compiler in $compilers; do
    check "$compiler: compiles where standard input is closed" \
        compile_with "$compiler" -c "$here/print.cu" -o "$work/print.o" <&-
    for source in "$here"/*.cu; do
        program "$compiler" "$source" -O0 # the host's half: the device's has options of its own
    done
done

# ---------------------------------------------------------------- PTX of the clang front end
has() { # name, source text, options, pattern: the PTX of a kernel with that body has the pattern
    printf '__global__ void k(float *f, double *d, int *i)\n{\n%s\n}\n' "$2" >"$work/k.cu"
    # shellcheck disable=SC2086
    if compile_with clang $3 -ptx "$work/k.cu" -o "$work/k.ptx" >"$work/log" 2>&1 &&
        grep -q -e "$4" "$work/k.ptx"; then
        ok
    else
        cat "$work/k.ptx" >>"$work/log" 2>/dev/null
        bad "PTX: $1 has no $4" "$work/log"
    fi
}
# has_each: the same without options, for lines NAME|BODY|PATTERN of standard input, which are one program's kernels:
# the kernel of line i is "extern C" k<i>.
has_each() {
    cat >"$work/bodies"
    awk -F'|' '{ printf "extern \"C\" __global__ void k%d(float *f, double *d, int *i)\n{\n%s\n}\n", NR, $2 }' \
        "$work/bodies" >"$work/k.cu"
    if ! compile_with clang -ptx "$work/k.cu" -o "$work/k.ptx" >"$work/log" 2>&1; then
        bad 'PTX: kernels do not compile' "$work/log"
        return
    fi
    n=0
    while IFS='|' read -r name _ pattern; do
        n=$((n + 1))
        awk -v entry=" k$n(" 'index($0, ".entry") { within = index($0, entry) } within' "$work/k.ptx" >"$work/kernel.ptx"
        if grep -q -e "$pattern" "$work/kernel.ptx"; then ok; else bad "PTX: $name has no $pattern" "$work/kernel.ptx"; fi
    done <"$work/bodies"
}
case $compilers in *clang*)
    has_each <<'LINES'
square root|f[0] = sqrtf(f[1]);|sqrt\.rn\.f32
square root, double|d[0] = sqrt(d[1]);|sqrt\.rn\.f64
division|f[0] = f[1] / f[2];|div\.rn\.f32
sum of products|f[0] = f[1] * f[2] + f[3];|fma\.rn\.f32
sine|f[0] = sinf(f[1]);|__simt_sinf
fast sine|f[0] = __sinf(f[1]);|sin\.approx\.f32
floor|f[0] = floorf(f[1]);|cvt\.rmi\.f32\.f32
rounding up|f[0] = __fadd_ru(f[1], f[2]);|add\.rp\.f32
read-only load|f[0] = __ldg(f + 1);|ld\.global\.nc\.f32
global atomic|atomicAdd(i, 1);|atom\.global\.add\.u32
shared atomic|__shared__ int s; atomicMax(&s, 3); *i = s;|atom\.shared\.max\.s32
barrier|f[0] = f[1]; __syncthreads(); f[1] = f[0];|bar\.sync[[:space:]]*0
LINES
    has 'sum of products apart' 'f[0] = f[1] * f[2] + f[3];' '-fmad=false' 'add\.rn\.f32'
    has 'fast math' 'f[0] = sinf(f[1]);' '-use_fast_math' 'sin\.approx\.ftz\.f32'
    has 'fast division' 'f[0] = f[1] / f[2];' '-use_fast_math' 'div\.full\.ftz\.f32'
    has 'fast root' 'f[0] = sqrtf(f[1]);' '-prec-sqrt=false' 'sqrt\.approx\.f32'
    has 'alignments' '*(float4 *)f = ((float4 *)f)[1];' '' 'pragma "simt_alignments"'
    has 'launch bounds' '}
__global__ void __launch_bounds__(96) b(int *i) {' '' 'maxntid[[:space:]]*96'
    has 'shared without storage' 'extern __shared__ float s[]; f[0] = s[1];' '' 'extern \.shared'
    has 'lines' 'f[0] = f[1];' '' '\.loc[[:space:]]*1 3'
    has 'architecture' 'i[0] = __CUDA_ARCH__;' '-arch=sm_90' '[^0-9]900;'
    has 'architecture' 'i[0] = __CUDA_ARCH__;' '-gencode arch=compute_70,code=sm_70' '[^0-9]700;'
    # The line of an intrinsic is the kernel's own, not the header's.
    printf '__global__ void k(int *i)\n{\n    i[0] = __shfl_sync(~0u, i[1], 2);\n}\n' >"$work/k.cu"
    if compile_with clang -ptx "$work/k.cu" -o "$work/k.ptx" 2>"$work/log" &&
        [ "$(grep -c '\.file' "$work/k.ptx")" = 1 ]; then ok; else bad 'lines of intrinsics'; fi
    # Headers in any order, in every dialect.
    for std in 11 14 17 20; do
        check "includes.cu in C++$std" compile_with clang -std=c++$std -Wall -Wextra -Werror \
            -c "$here/includes.cu" -o "$work/includes.o"
    done
    ;;
esac

# ---------------------------------------------------------------- binary interface, tables
sed -n 's/.*__simt_\([a-z0-9]*\)(.*/\1/p' "$headers/simt/math.h" | sort -u >"$work/direct"
sed -n 's/^SIMT_NATIVE_[12]\(_FAST\)*([A-Z_]*, \([a-z0-9]*\)).*/\2\n\2f/p' "$headers/simt/math.h" |
    cat - "$work/direct" | grep -v -e '^name' -e '^f*$' | sort -u >"$work/declared"
sed -n 's/^NATIVE[A-Z_]*(\([a-z0-9]*\)[,)].*/\1/p' "$top/common/simt/exec/native.def" | sort -u >"$work/answered"
check 'native.def lists what simt/math.h declares' diff "$work/declared" "$work/answered"

if command -v nvcc >/dev/null; then
    toolkit=$("$simtcc" --frontend=nvcc --headers)
    { cat "$headers/driver_types.h" && cc -E -P -I "$headers" "$headers/driver_types.h"; } |
        grep -oE '\bcuda[A-Za-z0-9]+( =| +\(\(int| +0x)' | grep -oE '^cuda[A-Za-z0-9]+' |
        sort -u | sed 's/.*/VALUE(&);/' >"$work/abi_values.inc"
    check 'abi.c with our headers' cc -I"$work" -isystem "$headers" "$here/abi.c" -o "$work/ours"
    check 'abi.c with NVIDIA headers' cc -I"$work" -isystem "$toolkit" "$here/abi.c" \
        -o "$work/theirs"
    "$work/ours" >"$work/ours.txt"
    "$work/theirs" >"$work/theirs.txt"
    check 'binary interface' diff "$work/ours.txt" "$work/theirs.txt"
    # Our declarations after NVIDIA's: a compiler rejects two types for one function.
    {
        echo '#include <cuda_runtime_api.h>'
        echo '#include <cuda_profiler_api.h>'
        cc -E -P -I "$headers" "$headers/cuda_runtime_api.h" | tr '\n' ' ' | sed 's/;/;\n/g' |
            grep -oE '(cudaError_t|const char \*) ?cuda[A-Za-z0-9]+\([^;]*;'
    } >"$work/declarations.c"
    check 'declarations of functions' cc -Werror -Wno-deprecated-declarations -isystem "$toolkit" \
        -c "$work/declarations.c" -o "$work/declarations.o"
    # The same of the libraries' headers, and the values of what they name.
    for library in cublas_v2 cufft curand cusparse cusolverDn; do
        cc -E -P -I "$headers" "$headers/$library.h" >"$work/ours.i"
        {
            printf '#include <%s.h>\nextern "C" {\n' "$library" # where two types for one name are a mistake
            tr '\n' ' ' <"$work/ours.i" | sed 's/;/;\n/g' |
                grep -oE "(cu[a-zA-Z]*(Status_t|Result)|const char \*|size_t) ?${library%_v2}[A-Z][A-Za-z0-9_]*\([^;]*;"
            echo '}'
        } >"$work/declarations.cu"
        check "$library.h: declarations" g++ -x c++ -Werror -Wno-deprecated-declarations \
            -isystem "$toolkit" -c "$work/declarations.cu" -o "$work/declarations.o"
        [ "$(wc -l <"$work/declarations.cu")" -gt 20 ] && ok || bad "$library.h: declarations were found"
        {
            printf '#include <%s.h>\n#include <stdio.h>\nint main(void)\n{\n' "$library"
            grep -oE '\b(CUBLAS|CUFFT|CURAND|CUSPARSE|CUSOLVER|CUDA_[RC])_[A-Z0-9_]+' "$work/ours.i" | sort -u |
                sed 's/.*/    printf("& %d\\n", (int)&);/'
            echo '}'
        } >"$work/values.c"
        check "$library.h: values" sh -c 'cc -w -isystem "$1" "$3/values.c" -o "$3/ours" && cc -w -isystem "$2" \
            "$3/values.c" -o "$3/theirs" && "$3/ours" >"$3/ours.txt" && "$3/theirs" | diff "$3/ours.txt" -' \
            sh "$headers" "$toolkit" "$work"
    done
fi

. "$here/run_simtcc.sh"

echo "front end: $passed passed, $failed failed"
[ $failed = 0 ]
