/* fragments.cu - wmma's loads and stores: shapes, types, layouts, strides; from global memory, from shared memory, and from
 * one of both by a pointer that does not tell. One warp a launch; what a launch left in memory is summed and printed. */
#include "../must.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <initializer_list>
#include <stdio.h>
#include <stdlib.h>

using namespace nvcuda;

enum { ROOM = 4096 }; /* elements */
enum where { GLOBAL, SHARED, EITHER };

template <typename Fragment> __device__ void fold(Fragment &f, unsigned *out)
{
    unsigned sum = 0;
    for (int i = 0; i < f.num_elements; i++) {
        const float x = (float)f.x[i];
        sum = sum * 31 + __float_as_uint(x);
    }
    out[threadIdx.x] = sum;
}

template <where W, typename T> __device__ T *place(T *in, T *room, int stride)
{
    if constexpr (W == GLOBAL) {
        return in;
    } else {
        for (int i = threadIdx.x; i < ROOM / 2; i += 32)
            room[i] = in[i];
        __syncwarp();
        return W == SHARED ? room : stride > 1000 ? in : room;
    }
}

template <where W, typename T, typename Fragment> __global__ void loads(T *in, unsigned *out, int stride)
{
    __shared__ alignas(128) T room[ROOM / 2];
    Fragment f;
    wmma::load_matrix_sync(f, place<W>(in, room, stride), stride);
    fold(f, out);
}

template <where W, typename T, typename Fragment, wmma::layout_t layout>
__global__ void sums(T *in, unsigned *out, int stride)
{
    __shared__ alignas(128) T room[ROOM / 2];
    Fragment f;
    T *at = place<W>(in, room, stride);
    wmma::load_matrix_sync(f, at, stride, layout);
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = f.x[i] + f.x[i];
    wmma::store_matrix_sync(at, f, stride, layout);
    if constexpr (W != GLOBAL) {
        __syncwarp();
        unsigned sum = 0;
        for (int i = threadIdx.x; i < ROOM / 2; i += 32)
            sum = sum * 31 + __float_as_uint((float)room[i]);
        out[threadIdx.x] = sum;
    }
}

static unsigned char host[ROOM * 8], *memory;
static unsigned *out;

template <typename T> static void run(const char *name, void (*kernel)(T *, unsigned *, int), int stride)
{
    unsigned folded[32], sum = 0;
    T *h = (T *)host;
    for (int i = 0; i < ROOM; i++)
        h[i] = (T)(float)(i * 7 % 61 - 30);
    MUST(cudaMemcpy(memory, host, ROOM * sizeof(T), cudaMemcpyHostToDevice));
    MUST(cudaMemset(out, 0, sizeof folded));
    kernel<<<1, 32>>>((T *)memory, out, stride);
    MUST(cudaMemcpy(folded, out, sizeof folded, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(host, memory, ROOM * sizeof(T), cudaMemcpyDeviceToHost));
    for (unsigned x : folded)
        sum = sum * 31 + x;
    for (size_t i = 0; i < ROOM * sizeof(T); i++)
        sum = sum * 31 + host[i];
    printf("%s stride %d,%08x\n", name, stride, sum);
}

#define EACH(T, text, kernel, ...)                                                                                     \
    for (int stride : {16, sizeof(T) == 1 ? 48 : 24, 32}) {                                                                                  \
        run<T>(text " global", kernel<GLOBAL, T, __VA_ARGS__>, stride);                                                \
        run<T>(text " shared", kernel<SHARED, T, __VA_ARGS__>, stride);                                                \
        run<T>(text " either", kernel<EITHER, T, __VA_ARGS__>, stride);                                                \
    }
#define FACTOR(use, T, E, m, n, k, layout)                                                                             \
    EACH(T, #use " " #E " " #m "x" #n "x" #k " " #layout, loads, wmma::fragment<wmma::use, m, n, k, E, wmma::layout>)
#define SUMS(T, m, n, k, layout)                                                                                       \
    EACH(T, "sums " #T " " #m "x" #n "x" #k " " #layout, sums, wmma::fragment<wmma::accumulator, m, n, k, T>, wmma::layout)
#define FACTORS(T, E, m, n, k)                                                                                         \
    FACTOR(matrix_a, T, E, m, n, k, row_major)                                                                         \
    FACTOR(matrix_a, T, E, m, n, k, col_major)                                                                         \
    FACTOR(matrix_b, T, E, m, n, k, row_major)                                                                         \
    FACTOR(matrix_b, T, E, m, n, k, col_major)
#define BOTH_SUMS(T, m, n, k) SUMS(T, m, n, k, mem_row_major) SUMS(T, m, n, k, mem_col_major)

int main(void)
{
    MUST(cudaMalloc(&memory, sizeof host));
    MUST(cudaMalloc(&out, 32 * sizeof *out));
    FACTORS(half, half, 16, 16, 16)
    FACTORS(half, half, 32, 8, 16)
    FACTORS(half, half, 8, 32, 16)
    FACTORS(__nv_bfloat16, __nv_bfloat16, 16, 16, 16)
    FACTORS(__nv_bfloat16, __nv_bfloat16, 32, 8, 16)
    FACTORS(signed char, signed char, 16, 16, 16)
    FACTORS(unsigned char, unsigned char, 8, 32, 16)
    FACTORS(float, wmma::precision::tf32, 16, 16, 8)
    FACTORS(double, double, 8, 8, 4)
    BOTH_SUMS(half, 16, 16, 16)
    BOTH_SUMS(half, 8, 32, 16)
    BOTH_SUMS(float, 16, 16, 16)
    BOTH_SUMS(float, 32, 8, 16)
    BOTH_SUMS(int, 16, 16, 16)
    BOTH_SUMS(int, 8, 32, 16)
    BOTH_SUMS(double, 8, 8, 4)
    MUST(cudaDeviceSynchronize());
    return 0;
}
