# run_simtcc.sh - the part of run.sh that tests the driver itself. Read by run.sh.
: "${work:?is set by run.sh: without it, links would be made in /bin}"

# Every option that --help names, each alone: it is taken, and one that is said to have no effect changes
# no command. One program is then built with all of them that may stand together.
flags_of_help() { # compiler
    printf '__global__ void k() {}\nint main() { return 0; }\n' >"$work/flags.cu"
    : >"$work/empty.h"
    compile_with "$1" --dryrun "$work/flags.cu" 2>&1 | sed 's/simtcc\.[A-Za-z0-9]*/scratch/g' >"$work/plain"
    "$simtcc" --help | sed -n '/^  /p;/^Accepted/,/^Environment/p' | sed 's/^Environment.*//' >"$work/help"
    for flag in $(grep -oE '(^|[^A-Za-z0-9-])--?[A-Za-z][A-Za-z0-9_-]*' "$work/help" | grep -oE -e '-.*' | sort -u); do
        case $flag in
        --help | --headers | --dryrun | -v) words=$flag ;;
        --frontend) words=--frontend=$1 ;;
        -o | -MF) words="$flag $work/flags.out" ;;
        -arch) words=-arch=sm_86 ;;
        -gencode) words='-gencode arch=compute_80,code=sm_80' ;;
        -std) words=-std=c++17 ;;
        -W) words=-Wall ;;
        -f) words=-fno-inline ;;
        -I | -L | -isystem) words="$flag $work" ;;
        -D | -U) words="$flag NAME" ;;
        -include) words="-include $work/empty.h" ;;
        -l) words=-lm ;;
        -Xlinker) words='-Xlinker --as-needed' ;;
        -Xcompiler) words='-Xcompiler -Wall,-Wextra' ;;
        -Xptxas) words='-Xptxas -v,-O3' ;;
        -x) words='-x cu' ;;
        --default-stream) words='--default-stream legacy' ;;
        -fmad | -prec-div | -prec-sqrt | -rdc) words=$flag=false ;;
        -ftz) words=-ftz=true ;;
        -maxrregcount) words=-maxrregcount=64 ;;
        -cudart) words='-cudart static' ;;
        -ccbin) words='-ccbin g++' ;;
        -t) words='-t 2' ;;
        *) words=$flag ;;
        esac
        # shellcheck disable=SC2086
        compile_with "$1" --dryrun $words "$work/flags.cu" >"$work/log" 2>&1
        code=$?
        sed -i 's/simtcc\.[A-Za-z0-9]*/scratch/g' "$work/log"
        if sed -n '/^Accepted/,$p' "$work/help" | grep -qE -e "(^|[ ,])$flag([ =,.]|$)" &&
            ! cmp -s "$work/plain" "$work/log"; then code=changed; fi
        [ "$code" = 0 ] && ok || bad "$1: $words, as --help has it: $code" "$work/log"
        case $flag in
        --help | --headers | --dryrun | -fsyntax-only | -c | -ptx | -fatbin | -dc | -dlink | -lib | -o | -ftz | -use_fast_math | -MF | -MMD | -v) ;;
        *) all_words="${all_words:-} $words" ;;
        esac
    done
    # shellcheck disable=SC2086
    check "$1: all options of --help" compile_with "$1" $all_words "$work/flags.cu" -o "$work/flags"
    check "$1: all options of --help, result" "$work/flags"
    all_words=
}

for compiler in $compilers; do
    # Several sources of three languages, paths with spaces, a make rule, an object of its own.
    mkdir -p "$work/a room"
    cat >"$work/a room/it's main.cu" <<'END'
#include "shared part.h"
__global__ void k(int *x) { *x = PLUS; }
int main()
{
    int *x, y = 0;
    cudaMalloc(&x, sizeof(int));
    k<<<1, 1>>>(x);
    cudaMemcpy(&y, x, sizeof(int), cudaMemcpyDeviceToHost);
    return y + part_c() + part_cpp() != 42;
}
END
    cat >"$work/a room/shared part.h" <<'END'
#ifdef __cplusplus
extern "C"
#endif
int part_c(void);
int part_cpp();
END
    cat >"$work/a room/c.c" <<'END'
#include <cuda_runtime_api.h>
#include "shared part.h"
int part_c(void) { int n = 0; return cudaGetDeviceCount(&n) == cudaSuccess ? 2 : 0; }
END
    cat >"$work/a room/cpp.cpp" <<'END'
#include <cuda_runtime.h>
int part_cpp() { dim3 d(3, 4); return static_cast<int>(d.x * d.y) + sizeof(float4); }
END
    check "$compiler: three languages" compile_with "$compiler" -DPLUS=12 -std=c++14 -std=c11 \
        -Wall -MMD -MF "$work/a room/run.d" "$work/a room/it's main.cu" "$work/a room/c.c" \
        "$work/a room/cpp.cpp" -o "$work/a room/run it"
    check "$compiler: three languages, result" "$work/a room/run it"
    check "$compiler: --headers" test -f "$("$simtcc" --frontend="$compiler" --headers)/cuda_runtime.h"
    check "$compiler: make rule" grep -q 'shared.* part\.h' "$work/a room/run.d"
    check "$compiler: object" compile_with "$compiler" -c -DPLUS=12 "$work/a room/it's main.cu" \
        -o "$work/a room/main.o"
    check "$compiler: link objects" compile_with "$compiler" "$work/a room/main.o" \
        "$work/a room/c.c" "$work/a room/cpp.cpp" -lcudart -lm -o "$work/a room/linked"
    check "$compiler: link objects, result" "$work/a room/linked"
    mkdir -p "$work/cwd"
    (cd "$work/cwd" && compile_with "$compiler" -x cu "$here/print.cu") >"$work/log" 2>&1
    check "$compiler: a.out" test -x "$work/cwd/a.out"
    # Options of nvcc that change nothing here.
    check "$compiler: harmless options" compile_with "$compiler" -O3 -lineinfo -Xptxas -v,-O3 \
        --ptxas-options=-v -Xcompiler -Wall,-Wextra -rdc=false -maxrregcount=64 -m64 \
        -gencode arch=compute_80,code=sm_80 \
        -gencode=arch=compute_90,code=compute_90 -t 2 -c "$here/print.cu" -o "$work/print.o"
    # nvcc's other names, and the Toolkit's own folder, which Makefiles name: clang must not read it.
    mkdir -p "$work/toolkit/include/crt" "$work/toolkit/include/cccl" "$work/mine"
    touch "$work/toolkit/include/crt/host_runtime.h"
    cp "$work/toolkit/include/crt/host_runtime.h" "$work/toolkit/include/cuda_runtime.h"
    echo '#define SEEN 1' >"$work/mine/mine.h"
    printf '#include "mine.h"\n#include <cuda_fp16.h>\n__global__ void k(int *p) { *p = SEEN + X; }\nint main() {}\n' \
        >"$work/mine/named.cu"
    folders=
    [ "$compiler" = nvcc ] || folders="-I$work/toolkit/include -isystem $work/toolkit/include/cccl"
    for words in '--include-path=mine --define-macro X=1 -O 3' '-I=mine -D=X -Werror reorder -O' \
        '--include-path mine --optimize 2 -DX=1 -res-usage -keep-dir . -Xfatbin -compress-all -forward-unknown-to-host-compiler'; do
        # shellcheck disable=SC2086
        (cd "$work" && compile_with "$compiler" $words $folders mine/named.cu -o named) >"$work/log" 2>&1 &&
            ok || bad "$compiler: $words" "$work/log"
    done
    flags_of_help "$compiler"
    # What CUDA 13 has removed: what to write instead.
    cat >"$work/old.cu" <<'END'
__global__ void k(int *p) { *p = __shfl_down(*p, 1); }
int main()
{
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    return p.clockRate + cudaMemPrefetchAsync(&p, 4, 0);
}
END
    compile_with "$compiler" -c "$work/old.cu" -o "$work/old.o" >"$work/log" 2>&1
    [ $? = 1 ] && grep -q '^simtcc: .*cudaDeviceProp::clockRate: .*cudaDevAttrClockRate' "$work/log" &&
        grep -q '^simtcc: .*cudaMemPrefetchAsync.*{cudaMemLocationTypeDevice, device}' "$work/log" &&
        ok || bad "$compiler: what CUDA 13 has removed" "$work/log"
    # A kernel that waits for kernels: each compiler's words.
    for words in 'error: identifier "cudaDeviceSynchronize" is undefined in device code' \
        "error: no matching function for call to 'cudaDeviceSynchronize'
note: candidate function not viable: call to __host__ function from __global__ function"; do
        echo "$words" | awk -f "$top/common/simt/cc/instead.awk" >"$work/told"
        check "$compiler: cudaDeviceSynchronize() in kernels" grep -q 'CUDA 13 has no.*cudaStreamTailLaunch' "$work/told"
    done
    # Options that change the language, and the stream that <<<>>> means.
    cat >"$work/language.cu" <<'END'
#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
#error the default stream is the legacy one
#endif
constexpr int twice(int x) { return 2 * x; } // a function of the host
int min(int a, int b); // CUDA's own, declared once more
__global__ void least(int *x) { *x = min(*x, 21); }
template <typename F> __global__ void apply(int *x, F f) { *x = f(twice(10)); }
int main()
{
    int *x, y = 0, one = 1;
    cudaMalloc(&x, sizeof(int));
    apply<<<1, 1>>>(x, [=] __device__(int n) { return n + one; });
    least<<<1, 1>>>(x);
    cudaMemcpy(&y, x, sizeof(int), cudaMemcpyDeviceToHost);
    return y != 21 || min(y, 4) != 4;
}
END
    check "$compiler: options of the language" compile_with "$compiler" --extended-lambda \
        --expt-relaxed-constexpr --default-stream per-thread "$work/language.cu" \
        -o "$work/language"
    check "$compiler: options of the language, result" "$work/language"
    # What is wrong in the program: exit code 1, the compiler's message, no temporary files left.
    echo '__global__ void k() { undeclared = 1; }' >"$work/wrong.cu"
    mkdir -p "$work/temporary"
    TMPDIR=$work/temporary compile_with "$compiler" -c "$work/wrong.cu" -o "$work/wrong.o" \
        >"$work/log" 2>&1
    [ $? = 1 ] && grep -q undeclared "$work/log" && [ -z "$(ls "$work/temporary")" ] &&
        [ ! -e "$work/wrong.o" ] && ok || bad "$compiler: a program that is wrong" "$work/log"
    # A variable that a kernel uses without a value, at its line: of nvcc where no way gives it one.
    cat >"$work/unset.cu" <<'END'
__global__ void never(int *x) { int at;
    x[at] = 1; }
template <int N> __global__ void sometimes(int *x) { int y;
    if (x[N] > 3) { y = 1; }
    x[0] = y; }
int main() { never<<<1, 1>>>(0); sometimes<2><<<1, 1>>>(0); }
END
    compile_with "$compiler" -c "$work/unset.cu" -o "$work/unset.o" >"$work/log" 2>&1
    [ $? = 0 ] && grep -q 'unset.cu[:(]2[:)].*warning' "$work/log" &&
        { [ "$compiler" = nvcc ] || grep -q 'unset.cu:4:.*warning' "$work/log"; } && ok ||
        bad "$compiler: variables without a value" "$work/log"
    # Device code of several files: a variable, a function, statics of one name in both; objects, an archive.
    cat >"$work/one.cu" <<'END'
extern __device__ int counter;
extern __device__ int twice(int x);
static __device__ int helper(int x) { return x + 1; }
__global__ void k(int *p) { p[threadIdx.x] = twice(helper(threadIdx.x)); atomicAdd(&counter, 1); }
int main()
{
    int *p, h[32], c;
    cudaMalloc(&p, sizeof h);
    k<<<1, 32>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&c, counter, sizeof c);
    return !(h[0] == 2 && h[31] == 64 && c == 72);
}
END
    cat >"$work/two.cu" <<'END'
__device__ int counter = 40;
static __device__ int helper(int x) { return 2 * x; }
__device__ int twice(int x) { return helper(x); }
END
    check "$compiler: -rdc=true" compile_with "$compiler" -rdc=true "$work/one.cu" "$work/two.cu" -o "$work/rdc"
    check "$compiler: -rdc=true, result" "$work/rdc"
    check "$compiler: -dc" compile_with "$compiler" -dc "$work/one.cu" -o "$work/one.o"
    check "$compiler: -dc" compile_with "$compiler" -dc "$work/two.cu" -o "$work/two.o"
    check "$compiler: -lib" compile_with "$compiler" -lib "$work/two.o" -o "$work/libtwo.a"
    check "$compiler: -dlink" compile_with "$compiler" -dlink "$work/one.o" "$work/two.o" -o "$work/dlink.o"
    check "$compiler: an archive" compile_with "$compiler" "$work/one.o" "$work/dlink.o" -L"$work" -ltwo -o "$work/rdc"
    check "$compiler: an archive, result" "$work/rdc"
    # A file for cuModuleLoad().
    check "$compiler: -fatbin" compile_with "$compiler" -fatbin "$work/two.cu" -o "$work/two.fatbin"
    # A kernel that launches kernels, its tail behind them, and one that cannot be, whose error is the
    # launching thread's. Addresses of kernels in device code nvcc alone compiles.
    cat >"$work/parent.cu" <<'END'
#ifndef __clang__
#define KERNELS
#endif
#include "device_runtime.h"
__device__ int codes[3], named;
__global__ void child(int *p, int v) { p[threadIdx.x] += v; }
__global__ void tail(int *p) { p[threadIdx.x] *= 10; }
/* Each launches the next one at its tail, as often as it likes; and what is behind the first one's. */
__global__ void chain(int *p, int left)
{
    *p = *p * 3 + left;
    if (left > 0) {
        chain<<<1, 1, 0, cudaStreamTailLaunch>>>(p, left - 1);
    }
}
__global__ void two_chains(int *p)
{
    chain<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 60);
    chain<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 2);
}
static int chain_of(int v, int left)
{
    for (; left >= 0; left--) v = (int)(v * 3u + left);
    return v;
}
__global__ void parent(int *p, int depth)
{
    if (threadIdx.x == 0) {
        tail<<<1, 32, 0, cudaStreamTailLaunch>>>(p);
        child<<<1, 32>>>(p, depth);
        if (depth > 0) {
            child<<<1, 2048>>>(p, 1);
            codes[0] = cudaPeekAtLastError();
            codes[1] = cudaGetLastError();
            codes[2] = cudaGetLastError();
            named = cudaGetErrorName(cudaErrorInvalidConfiguration)[9];
            parent<<<1, 32, 0, cudaStreamFireAndForget>>>(p + 32, depth - 1);
        }
    }
    p[threadIdx.x] = 1;
}
int main()
{
    int *p, h[64], c[3], letter;
    cudaMalloc(&p, sizeof h);
    parent<<<1, 32>>>(p, 1);
    if (cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
    cudaMemcpyFromSymbol(c, codes, sizeof c);
    cudaMemcpyFromSymbol(&letter, named, sizeof letter);
    if (c[0] != 9 || c[1] != 9 || c[2] != 0 || letter != 'I' || cudaGetLastError()) return 3;
    int v = 1;
    cudaMemcpy(p, &v, sizeof v, cudaMemcpyHostToDevice);
    two_chains<<<1, 1>>>(p);
    cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost);
    if (v != chain_of(chain_of(1, 60), 2) || cudaGetLastError()) return printf("%d\n", v), 5;
    if (wrong_answer()) return printf("answer %d\n", wrong_answer()), 4;
    return !(h[0] == 20 && h[31] == 20 && h[32] == 10);
}
END
    printf '#include "device_runtime.h"\nint main() { return wrong_answer(); }\n' >"$work/asks.cu"
    check "$compiler: kernels that launch kernels" compile_with "$compiler" -rdc=true -Itests/frontend "$work/parent.cu" -o "$work/parent"
    check "$compiler: kernels that launch kernels, result" "$work/parent"
    compile_with "$compiler" -Itests/frontend "$work/parent.cu" -o "$work/parent" >"$work/log" 2>&1
    [ $? = 1 ] && grep -q '^simtcc: a kernel is launched by a kernel: add -rdc=true' "$work/log" &&
        ok || bad "$compiler: kernels that launch kernels, without -rdc" "$work/log"
    if [ "$compiler" != nvcc ]; then
        check 'clang: kernels that call the runtime' compile_with clang -Itests/frontend "$work/asks.cu" -o "$work/asks"
        check 'clang: kernels that call the runtime, result' env SIMT_CHECK=races,uninitialised "$work/asks"
        # What the headers do not have is named in a line, a slip of the pen by clang alone.
        echo '#include <cuda.h>
int main() { CUgraph graph; cudaMalocc(0, 1); return 0; }' >"$work/lacks.cu"
        compile_with clang "$work/lacks.cu" -o "$work/lacks" >"$work/log" 2>&1
        [ $? = 1 ] && [ "$(grep '^simtcc: ' "$work/log")" = \
            "simtcc: CUgraph is a name of NVIDIA's that the simulator's headers for clang do not have" ] && ok ||
            bad 'clang: a name that the headers do not have' "$work/log"
    fi
    # NVRTC: a text is compiled while the program runs; templates by name, mistakes in the log. A variable that
    # C++ only declares is defined, as in nvcc's whole programs.
    cat >"$work/nvrtc.cu" <<'END'
#include <cuda.h>
#include <nvrtc.h>
#include <string.h>
static const char text[] = "extern \"C\" __constant__ int more[2];\n"
    "template <typename T> __global__ void fill(T *p, T v) { p[threadIdx.x] = v + more[1]; }\n";
int main()
{
    nvrtcProgram p;
    const char *options[] = {"--gpu-architecture=compute_80"}, *name;
    static char ptx[100000], log[10000];
    CUmodule module;
    CUfunction f;
    CUdeviceptr more;
    size_t bytes;
    int *d, h[32], v = 42, two[] = {5, 7};
    nvrtcCreateProgram(&p, text, "fill.cu", 0, NULL, NULL);
    nvrtcAddNameExpression(p, "fill<int>");
    if (nvrtcCompileProgram(p, 1, options) || nvrtcGetLoweredName(p, "fill<int>", &name)) return 1;
    nvrtcGetPTX(p, ptx);
    cudaMalloc(&d, sizeof h);
    void *arguments[] = {&d, &v};
    if (cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&f, module, name) ||
        cuModuleGetGlobal(&more, &bytes, module, "more") || cuMemcpyHtoD(more, two, bytes) ||
        cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0)) return 2;
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    nvrtcDestroyProgram(&p);
    nvrtcCreateProgram(&p, "__global__ void k() { nonsense; }", "bad.cu", 0, NULL, NULL);
    if (nvrtcCompileProgram(p, 0, NULL) != NVRTC_ERROR_COMPILATION) return 3;
    nvrtcGetProgramLog(p, log);
    return !(h[31] == 49 && strstr(log, "nonsense") && strstr(log, "bad.cu"));
}
END
    check "$compiler: -lnvrtc" compile_with "$compiler" "$work/nvrtc.cu" -lnvrtc -lcuda -o "$work/nvrtc"
    check "$compiler: -lnvrtc, result" "$work/nvrtc"
    # A library's work is ordered as a copy is, and a report says that it has no counts.
    compile_with "$compiler" -lcublas -I"$top" "$here/library_blas.cu" -o "$work/blas" >"$work/log" 2>&1 &&
        SIMT_CHECK=races SIMT_REPORT=- "$work/blas" >"$work/log" 2>&1
    code=$?
    [ $code = 0 ] && [ "$(grep -c 'cuBLAS computes on the CPU here' "$work/log")" = 1 ] && ! grep -q 'race' "$work/log" &&
        ok || bad "$compiler: cuBLAS, checked and reported: exit code $code" "$work/log"
    cat >"$work/unordered.cu" <<'END'
#include <cublas_v2.h>
__global__ void k(float *x) { *x = 1; }
int main()
{
    cublasHandle_t handle;
    cudaStream_t other;
    float *x, y = 2;
    cublasCreate(&handle);
    cudaMalloc(&x, sizeof(float));
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    k<<<1, 1, 0, other>>>(x);
    cublasSscal(handle, 1, &y, x, 1);
    return 0;
}
END
    compile_with "$compiler" -lcublas "$work/unordered.cu" -o "$work/unordered" >"$work/log" 2>&1 &&
        SIMT_CHECK=races "$work/unordered" >"$work/log" 2>&1
    grep -q 'race.*cublasSscal' "$work/log" && ok || bad "$compiler: cuBLAS in another stream" "$work/log"
    # What CUDA has and the simulator lacks is named by the call.
    cat >"$work/rejected.cu" <<'END'
int main() { cudaIpcCloseMemHandle(0); return cudaGetLastError() != cudaErrorNotSupported; }
END
    (compile_with "$compiler" "$work/rejected.cu" -o "$work/rejected" && "$work/rejected") \
        >"$work/log" 2>&1
    code=$?
    [ $code = 0 ] && grep -q 'sharing with another process or API is not simulated' "$work/log" && ok ||
        bad "$compiler: what is not simulated, exit code $code" "$work/log"
    # The executable's line tables name host lines: of main, and in a message of the runtime.
    compile_with "$compiler" "$here/print.cu" -o "$work/print" >"$work/log" 2>&1
    line=$(addr2line -f -e "$work/print" "0x$(nm "$work/print" | awk '$3 == "main" { print $1 }')")
    case $line in *print.cu:*) ok ;; *) bad "$compiler: line table: $line" ;; esac
    check "$compiler: runtime.cu" compile_with "$compiler" "$here/runtime.cu" -o "$work/runtime"
    "$work/runtime" >"$work/messages" 2>&1
    check "$compiler: a message names the line" \
        grep "simt: runtime\.cu:[0-9]*: cudaSetDevice" "$work/messages"
done

# An nvcc on PATH that is a script far from its toolkit, as distributions install it.
case $compilers in *nvcc*)
    mkdir -p "$work/script"
    # It compiles only where its memory allocator has been forbidden to give memory back: what nvcc makes of one source
    # would depend on time otherwise.
    printf '#!/bin/sh\n[ "$1" = --dryrun ] || [ "$MALLOC_CONF" = %s ] || exit 1\nexec "%s" "$@"\n' \
        dirty_decay_ms:-1,muzzy_decay_ms:-1 "$(command -v nvcc)" >"$work/script/nvcc"
    chmod +x "$work/script/nvcc"
    (PATH=$work/script:$without_nvcc compile_with nvcc -DPLUS=12 "$work/a room/it's main.cu" \
        "$work/a room/c.c" "$work/a room/cpp.cpp" -o "$work/script/run") >"$work/log" 2>&1 &&
        "$work/script/run" && ok || bad 'nvcc behind a script' "$work/log" ;;
esac

# NVIDIA's libraries of headers choose a kernel by what the runtime says of it.
case $compilers in *nvcc*)
    cat >"$work/headers.cu" <<'END'
#include <cub/device/device_reduce.cuh>
#include <curand_kernel.h>
__global__ void draw(unsigned *x)
{
    curandState state;
    curand_init(7, threadIdx.x, 0, &state);
    x[threadIdx.x] = curand(&state) % 100 + 1;
}
int main()
{
    unsigned *x, *sum, want = 0;
    size_t bytes = 0;
    void *scratch = nullptr;
    cudaMallocManaged(&x, 1000 * sizeof *x);
    cudaMallocManaged(&sum, sizeof *sum);
    draw<<<1, 1000>>>(x);
    if (cub::DeviceReduce::Sum(scratch, bytes, x, sum, 1000) || cudaMalloc(&scratch, bytes) ||
        cub::DeviceReduce::Sum(scratch, bytes, x, sum, 1000) || cudaDeviceSynchronize())
        return 2;
    for (int i = 0; i < 1000; i++)
        want += x[i];
    return *sum != want || want < 40000 || want > 60000;
}
END
    check 'nvcc: CUB and curand_kernel.h' compile_with nvcc -std=c++17 "$work/headers.cu" \
        -o "$work/headers"
    check 'nvcc: CUB and curand_kernel.h, result' "$work/headers" ;;
esac

# A header that clang lacks: the last line says where it is to be had, a mistyped one gets none. CUB is read from the
# CUDA Toolkit, where that is installed.
case $compilers in *clang*)
    echo '#include <thrust/sort.h>' >"$work/thrust.cu"
    (CUDA_PATH=/nonexistent compile_with clang -c "$work/thrust.cu" -o "$work/thrust.o") >"$work/log" 2>&1
    [ $? = 1 ] && tail -n 1 "$work/log" | grep -q 'thrust/sort.h.*CUDA Toolkit.*CUDA_PATH' &&
        ok || bad 'clang: thrust' "$work/log"
    cat >"$work/cub.cu" <<'END'
#include <cub/block/block_reduce.cuh>
__global__ void sum(int *to)
{
    using reduce = cub::BlockReduce<int, 128>;
    __shared__ typename reduce::TempStorage room;
    int all = reduce(room).Sum(threadIdx.x);
    if (threadIdx.x == 0)
        *to = all;
}
int main()
{
    int *to;
    cudaMallocManaged(&to, sizeof *to);
    sum<<<1, 128>>>(to);
    return cudaDeviceSynchronize() || *to != 127 * 64;
}
END
    toolkit=${CUDA_PATH:-/usr/local/cuda}
    [ ! -d "$toolkit/include/cccl" ] ||
        { (CUDA_PATH=$toolkit compile_with clang "$work/cub.cu" -o "$work/cub") >"$work/log" 2>&1 && "$work/cub"; } &&
        ok || bad 'clang: CUB of the CUDA Toolkit' "$work/log"
    echo '#include "trust.h"' >"$work/thrust.cu"
    compile_with clang -c "$work/thrust.cu" -o "$work/thrust.o" >"$work/log" 2>&1
    [ $? = 1 ] && ! grep -q Toolkit "$work/log" && ok || bad 'clang: no such header' "$work/log" ;;
esac

# Headers that clang has kept: the same code, another one when a header has changed, and nothing lost when what was
# kept is damaged or cannot be written. In a copy of simtcc, as others use the one here.
case $compilers in *clang*)
    kept=$work/kept
    mkdir -p "$kept/common/simt" "$kept/build"
    cp -r "$top/common/simt/cc" "$top/common/simt/include" "$top/common/simt/runtime" "$kept/common/simt/"
    echo '__global__ void k(float *f) { f[threadIdx.x] = sinf(f[0]) +
#ifdef ADDED
7;
#else
5;
#endif
}' >"$work/kept.cu"
    kept_ptx() { # OUTPUT OPTIONS
        output=$1
        shift
        PATH=$without_nvcc "$kept/common/simt/cc/simtcc" "$@" -ptx "$work/kept.cu" -o "$work/$output.ptx"
    }
    check 'clang: headers are read' kept_ptx read -DNOTHING
    check 'clang: nothing is kept of that' test ! -d "$kept/build/headers"
    check 'clang: headers are kept' kept_ptx first
    check 'clang: one file' test "$(ls "$kept/build/headers" | wc -l)" = 1
    check 'clang: kept headers' kept_ptx second
    check 'clang: the same PTX' sh -c 'cmp "$1/read.ptx" "$1/first.ptx" && cmp "$1/read.ptx" "$1/second.ptx"' sh "$work"
    echo damaged >"$(ls "$kept/build/headers"/*)"
    check 'clang: a damaged file' kept_ptx damaged
    check 'clang: a damaged file, PTX' cmp "$work/read.ptx" "$work/damaged.ptx"
    check 'clang: it is kept anew' kept_ptx again
    # As lessons are compiled: with variables' names, line tables and a make rule. Both halves read kept headers.
    kept_object() { # OUTPUT OPTIONS
        output=$1
        shift
        PATH=$without_nvcc "$kept/common/simt/cc/simtcc" "$@" -g -G -MMD -c "$work/kept.cu" -o "$work/$output.o" &&
            { objdump -d "$work/$output.o" | grep -v 'file format'
                readelf --debug-dump=decodedline "$work/$output.o" | grep ' 0x'; } >"$work/$output.code"
    }
    check 'clang: -g -G -MMD, headers are read' kept_object plain -DNOTHING
    check 'clang: -g -G -MMD, headers are kept' kept_object debug
    check 'clang: -g -G -MMD, two files more' test "$(ls "$kept/build/headers" | wc -l)" = 3
    check 'clang: -g -G -MMD, kept headers' kept_object debug
    check 'clang: -g -G -MMD, the same code and lines' cmp "$work/plain.code" "$work/debug.code"
    check 'clang: -g -G -MMD, the rule' grep -q 'debug.o:' "$work/debug.d"
    check 'clang: -g -G -MMD, the rule has the source' grep -q 'kept.cu' "$work/debug.d"
    check 'clang: -g -G -MMD, the rule has the kept headers' grep -q 'include/cuda_runtime.h' "$work/debug.d"
    echo '#define ADDED' >>"$kept/common/simt/include/cuda_runtime.h"
    check 'clang: a header that has changed' kept_ptx changed
    check 'clang: a header that has changed, PTX' sh -c '! cmp -s "$1/read.ptx" "$1/changed.ptx"' sh "$work"
    rm -rf "$kept/build"
    check 'clang: no folder to keep them in' kept_ptx none
    check 'clang: no folder to keep them in, PTX' cmp "$work/changed.ptx" "$work/none.ptx" ;;
esac

# What the GPU of SIMT_GPU lacks: all of a program with -arch, instructions of one without.
cat >"$work/target.cu" <<'END'
#include <cstdio>
#include <cstdlib>
__global__ void plain(int *p) { *p = 7; }
__global__ void ampere(int *p)
{
    int sum = 0;
    asm volatile("redux.sync.add.s32 %0, %1, -1;" : "=r"(sum) : "r"(1));
    *p = sum;
}
int main()
{
    int *d, h = 0;
    cudaMalloc(&d, 4);
    plain<<<1, 32>>>(d);
    printf("%s", cudaGetErrorName(cudaGetLastError()));
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf(" %d", h);
    ampere<<<1, 32>>>(d);
    printf(" %s", cudaGetErrorName(cudaGetLastError()));
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf(" %d\n", h);
    return 0;
}
END
# 1 + 2^-24 - 1 in three products of a tensor core, the last in the second half of k: Ampere adds each half up by itself.
cat >"$work/tensor.cu" <<'END'
#include <cstdio>
__global__ void sum(float *out)
{
    const bool first = threadIdx.x == 0;
    const unsigned a = first ? 0x0c003c00 : 0, last = first ? 0xbc00 : 0, one = first ? 0x3c00 : 0;
    float d[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %5}, {%4, %7}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a), "r"(0), "r"(last), "r"(one));
    if (first) *out = d[0];
}
int main()
{
    float *d, h;
    cudaMalloc(&d, 4);
    sum<<<1, 32>>>(d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf("%s %g\n", cudaGetErrorName(cudaGetLastError()), h * 16777216);
    return 0;
}
END
says() { # NAME GPU PROGRAM OUTPUT PART-OF-STDERR
    SIMT_GPU=$2 "$3" >"$work/out" 2>"$work/log"
    [ "$(cat "$work/out")" = "$4" ] && { [ -z "$5" ] || grep -q -e "$5" "$work/log"; } && ok || { cat "$work/out" >>"$work/log"; bad "$1" "$work/log"; }
}
no_image='cudaErrorNoKernelImageForDevice -1 cudaErrorNoKernelImageForDevice -1'
for compiler in $compilers; do
    check "$compiler: without -arch" compile_with "$compiler" "$work/target.cu" -o "$work/any"
    check "$compiler: -arch=sm_90" compile_with "$compiler" -arch=sm_90 "$work/target.cu" -o "$work/hopper"
    check "$compiler: -gencode" compile_with "$compiler" -gencode arch=compute_75,code=sm_75 -gencode arch=compute_86,code=sm_86 \
        "$work/target.cu" -o "$work/two"
    for gpu in a100 h200 b200 textbook; do
        says "$compiler: without -arch on $gpu" $gpu "$work/any" 'cudaSuccess 7 cudaSuccess 32' ''
    done
    says "$compiler: without -arch on a V100" v100 "$work/any" 'cudaSuccess 7 cudaErrorInvalidPtx 7' \
        "Feature 'redux' requires .target sm_80 or higher, and the GPU of SIMT_GPU has sm_70"
    says "$compiler: -arch=sm_90 on an A100" a100 "$work/hopper" "$no_image" \
        'PTX for sm_90 does not run on NVIDIA A100-SXM4-40GB, of compute capability 8.0: compile with -arch=sm_80'
    says "$compiler: -arch=sm_90 on an H100" h100 "$work/hopper" 'cudaSuccess 7 cudaSuccess 32' ''
    check "$compiler: a sum of tensor cores" compile_with "$compiler" "$work/tensor.cu" -o "$work/tensor"
    says "$compiler: a sum on an H200" h200 "$work/tensor" 'cudaSuccess 1' ''
    says "$compiler: a sum on an A100" a100 "$work/tensor" 'cudaSuccess 0' ''
    says "$compiler: two -gencode on a T4" t4 "$work/two" 'cudaSuccess 7 cudaErrorInvalidPtx 7' 'GPU of SIMT_GPU has sm_75'
    says "$compiler: two -gencode on a V100" v100 "$work/two" "$no_image" 'PTX for sm_86 does not run on Tesla V100'
done

source=$here/print.cu
rejects 'no files' 'no input files' "$simtcc" -O2
rejects 'missing file' 'no such file' "$simtcc" missing.cu
rejects 'unknown option' '--fnord' "$simtcc" --fnord "$source"
rejects 'old architecture' 'sm_70 to sm_90a' "$simtcc" -arch=sm_35 "$source"
rejects 'no architecture' 'sm_70 to sm_90a' "$simtcc" -arch=fast "$source"
rejects 'generation' 'compute_70 to compute_90' "$simtcc" -gencode arch=compute_52,code=sm_52 \
    "$source"
rejects 'cubin' "NVIDIA's tools" "$simtcc" -cubin "$source"
rejects 'another default stream' 'per-thread' "$simtcc" --default-stream null "$source"
rejects '32 bits' '64-bit' "$simtcc" -m32 "$source"
rejects 'library' 'cudnn is NVIDIA.s library' "$simtcc" "$source" -lcublas -lcudnn
rejects 'front end' 'neither nvcc nor clang' "$simtcc" --frontend=gcc "$source"
mkdir -p "$work/clangs"
printf '#!/bin/sh\necho 11.1.0\n' >"$work/clangs/clang++-11"
printf '#!/bin/sh\ncase $1 in -dumpversion) echo 17.0.6 ;; esac\n' >"$work/clangs/clang++-17"
chmod +x "$work/clangs"/*
rejects 'a clang that is too old' 'is clang 11: install clang 14, 16 or 19' env \
    PATH="$work/clangs:$PATH" "$simtcc" --frontend=clang-11 "$source"
rejects 'a clang that is not there' 'no clang++-99 on PATH' "$simtcc" --frontend=clang-99 "$source"
check 'a clang that is not tested' env PATH="$work/clangs:$PATH" "$simtcc" --frontend=clang-17 \
    --dryrun "$source"
cp "$work/log" "$work/said" # check empties its log
check 'a clang that is not tested, its line' grep -q 'is clang 17: 14, 16 and 19 are tested' "$work/said"
rejects 'front end from the environment' 'neither nvcc nor clang' env SIMT_FRONTEND=gcc \
    "$simtcc" "$source"
rejects 'value missing' 'needs a value' "$simtcc" "$source" -o
rejects 'empty output' 'needs the name' "$simtcc" "$source" -o ''
rejects 'directory as input' 'is a directory' "$simtcc" "$work"
rejects 'directory as output' 'is a directory' "$simtcc" "$source" -o "$work"
rejects 'output into nothing' 'there is no directory' "$simtcc" "$source" -o "$work/none/x"
cp "$source" "$work/mine.cu"
ln -sf mine.cu "$work/alias.cu"
for mine in mine.cu alias.cu; do
    rejects 'output over the source' 'one of the files to compile' \
        "$simtcc" "$work/mine.cu" -o "$work/$mine"
    rejects 'object over the source' 'one of the files to compile' \
        "$simtcc" -c "$work/mine.cu" -o "$work/$mine"
done
check 'the source is as it was' cmp "$source" "$work/mine.cu"
rejects 'two outputs' 'names one file' "$simtcc" -c "$source" "$here/math.cu" -o "$work/x.o"
rejects 'strange file' 'what is it' "$simtcc" "$here/print.txt"
rejects 'no library' "run 'make'" env SIMT_LIB=/nonexistent/libsimt.a "$simtcc" "$source" \
    -o "$work/x"
# Nothing to compile with: a PATH of the few tools that the script itself uses.
mkdir -p "$work/bin"
for tool in sh dirname readlink basename sed mktemp rm cat; do
    ln -sf "$(command -v $tool)" "$work/bin/$tool"
done
rejects 'no compiler' 'install clang' env PATH="$work/bin" "$simtcc" "$source"
rejects 'no nvcc' 'no nvcc' env PATH="$work/bin" "$simtcc" --frontend=nvcc "$source"
check 'help' sh -c '"$1" --help | grep -q -e --frontend' sh "$simtcc"
