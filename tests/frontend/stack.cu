/* stack.cu - alloca: memory of sizes that are known at run time, from the thread's stack, in kernels and in functions
 * that they call; and how much an H200 gives: exactly what cudaLimitStackSize says. */
#include "check.h"

#include <alloca.h>

/* A function's memory is free again when it returns: many calls take no more than one. */
__device__ __noinline__ static int sum(int n, int factor)
{
    int *p = (int *)alloca(n * sizeof *p), s = 0;
    for (int i = 0; i < n; i++)
        p[i] = i * factor;
    for (int i = 0; i < n; i++)
        s += p[(i * 7) % n];
    return s;
}

__device__ __noinline__ static int deep(int n, int factor)
{
    short *p = (short *)alloca(n * sizeof *p);
    for (int i = 0; i < n; i++)
        p[i] = (short)(i + factor);
    const int below = n > 1 ? deep(n - 1, factor) : 0;
    return below + p[n - 1] - p[0];
}

__global__ void sums(int *out, int n)
{
    const int t = threadIdx.x;
    char *own = (char *)alloca(t + 1); /* of each thread another size */
    own[0] = own[t] = (char)t;
    int s = 0;
    for (int i = 0; i < 100; i++)
        s += sum(n + t % 3, i);
    if (t % 2)
        s += deep(9, t);
    out[t] = s + own[0] + own[t] + 1000000 * ((size_t)own % 8 != 0) + 2000000 * !__isLocal(own);
}

__global__ void ends(int *out, int bytes)
{
    volatile char *p = (volatile char *)alloca(bytes);
    p[0] = 5, p[bytes - 1] = 7;
    out[threadIdx.x] = p[0] + p[bytes - 1];
}

/* alloca and its relatives in PTX: units of 8 bytes, other alignments, and what is given back. */
__global__ void places(unsigned long long *out)
{
    unsigned long long begin, a, b, c, d, end;
    asm volatile("stacksave.u64 %0;\n"
                 "alloca.u64 %1, %6, 8;\n"
                 "alloca.u64 %2, %7, 64;\n"
                 "stackrestore.u64 %1;\n"
                 "alloca.u64 %3, 0;\n"
                 "stackrestore.u64 %0;\n"
                 "alloca.u64 %4, 33, 16;\n"
                 "stacksave.u64 %5;"
                 : "=l"(begin), "=l"(a), "=l"(b), "=l"(c), "=l"(d), "=l"(end)
                 : "l"(7ull + threadIdx.x), "l"(1ull)
                 : "memory");
    unsigned long long *o = out + 4 * threadIdx.x;
    o[0] = begin - a, o[1] = b % 64 + (a - b < 16), o[2] = a - c, o[3] = begin - d + 1000 * (d - end);
}

int main()
{
    enum { THREADS = 40 };
    int *out = make_array<int>(64);
    sums<<<1, THREADS>>>(out, 12);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < THREADS; t++) {
        const int n = 12 + t % 3;
        int want = 0;
        for (int i = 0; i < n; i++)
            want += (i * 7) % n;
        CHECK_INT(out[t], want * 4950 + (t % 2 ? 36 : 0) + 2 * t);
    }
    unsigned long long *at = make_array<unsigned long long>(4 * THREADS);
    places<<<1, THREADS>>>(at);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < THREADS; t++) {
        CHECK_INT(at[4 * t], (7 + t + 7) / 8 * 8);
        CHECK_INT(at[4 * t + 1], 0);
        CHECK_INT(at[4 * t + 2], 0);
        CHECK_INT(at[4 * t + 3], 48);
    }
    ends<<<1, 64>>>(out, 1024);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(out[63], 12);
    CHECK_CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    ends<<<1, 64>>>(out, 8192);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(out[63], 12);
    if (on_simulator)
        freopen("/dev/null", "w", stderr);
    ends<<<1, 64>>>(out, 8208);
    CHECK_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    CHECK_CUDA(cudaDeviceReset());
    return check_done();
}
