/* tensor_mma.cu - tensor cores as every GPU since Ampere has them: mma.sync, one warp at a time.
 *
 * FP16 keeps 11 of FP32's 24 significant bits. A number is split into high = half(x) and low =
 * half(x - high), and x y  =  high high' + high low' + low high'  (+ low low', below the last bit:
 * left out). What is lost is small beside the largest elements: 2^-25 of a number near 1. Numbers
 * beyond 65504 do not fit. Tensor cores cut off what does not fit when they add, always toward
 * zero. So they add up only 32 steps of k at a time; the sums of these chunks are added in FP32,
 * rounded as usual. */
#include "step02_tiled/lesson.h"

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "common/cuda_check.h"

enum {
    TILE = 64,  /* of C, both ways */
    CHUNK = 32, /* of k */
    THREADS = 128,
    WARP_TILE = 32 /* each of the four warps computes 32 x 32 of C */
};
enum { ROWS = WARP_TILE / 16, COLUMNS = WARP_TILE / 8 }; /* products of 16 x 8 in a warp's tile */

/* A piece is 8 halves, 16 bytes: what one lane names for ldmatrix. Rows of A have 4 pieces, rows of
 * B 8. Without the exclusive or, 8 rows of one column of pieces lie in 2 groups of banks (A) or in
 * one (B); with it in 8. */
__device__ static int a_place(int row, int k)
{
    return row * CHUNK + ((k / 8 ^ row / 2 % 4) * 8) + k % 8;
}

__device__ static int b_place(int k, int column)
{
    return k * TILE + ((column / 8 ^ k % 8) * 8) + column % 8;
}

__device__ static void split(float x, __half *high, __half *low)
{
    *high = __float2half_rn(x);
    *low = __float2half_rn(x - __half2float(*high));
}

struct tiles {
    __half a[2][TILE * CHUNK], b[2][CHUNK * TILE]; /* high, low */
};

/* Neighbouring lanes bring neighbouring elements; zero beyond the matrices. */
__device__ static void bring(struct tiles *t, const struct product &x, int row0, int column0,
                             int k0)
{
    for (int i = threadIdx.x; i < TILE * CHUNK; i += THREADS) {
        const int row = i / CHUNK, k = i % CHUNK, at = a_place(row, k);
        const bool inside = row0 + row < x.m && k0 + k < x.k;
        split(inside ? x.d_a[(size_t)(row0 + row) * x.k + k0 + k] : 0.0f, &t->a[0][at],
              &t->a[1][at]);
    }
    for (int i = threadIdx.x; i < CHUNK * TILE; i += THREADS) {
        const int k = i / TILE, column = i % TILE, at = b_place(k, column);
        const bool inside = k0 + k < x.k && column0 + column < x.n;
        split(inside ? x.d_b[(size_t)(k0 + k) * x.n + column0 + column] : 0.0f, &t->b[0][at],
              &t->b[1][at]);
    }
}

/* 16 x 16 of A: lane l names row l % 16 of the left or the right half. `./run --fragment` draws who
 * gets what. */
__device__ static void load_a(unsigned (&a)[4], const __half *tile, int row0, int k0)
{
    const int lane = threadIdx.x % 32;
    const __half *from = &tile[a_place(row0 + lane % 16, k0 + lane / 16 * 8)];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"((unsigned)__cvta_generic_to_shared(from)));
}

/* 16 x 8 of B, transposed on the way: lanes want two neighbours along k. */
__device__ static void load_b(unsigned (&b)[2], const __half *tile, int k0, int column0)
{
    const __half *from = &tile[b_place(k0 + threadIdx.x % 16, column0)];
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"((unsigned)__cvta_generic_to_shared(from)));
}

__device__ static void multiply_16x8x16(float (&c)[4], const unsigned (&a)[4],
                                        const unsigned (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* A warp's tile of a chunk: the small products first. */
__device__ static void multiply_chunk(float (&chunk)[ROWS][COLUMNS][4], const struct tiles *t,
                                      int row0, int column0)
{
#pragma unroll
    for (int product = 0; product < 3; product++)
#pragma unroll
        for (int k = 0; k < CHUNK; k += 16) {
            unsigned a[ROWS][4], b[2];
#pragma unroll
            for (int i = 0; i < ROWS; i++)
                load_a(a[i], t->a[product == 0], row0 + 16 * i, k);
#pragma unroll
            for (int j = 0; j < COLUMNS; j++) {
                load_b(b, t->b[product == 1], k, column0 + 8 * j);
#pragma unroll
                for (int i = 0; i < ROWS; i++)
                    multiply_16x8x16(chunk[i][j], a[i], b);
            }
        }
}

/* Lane l has two neighbours of rows l / 4 and l / 4 + 8. */
__device__ static void store(const float (&sum)[ROWS][COLUMNS][4], const struct product &x,
                             int row0, int column0)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int v = 0; v < ROWS * COLUMNS * 4; v++) {
        const int i = v / (COLUMNS * 4), j = v / 4 % COLUMNS, e = v % 4;
        const int row = row0 + 16 * i + lane / 4 + e / 2 * 8,
                  column = column0 + 8 * j + lane % 4 * 2 + e % 2;
        if (row < x.m && column < x.n)
            x.d_c[(size_t)row * x.n + column] = sum[i][j][e];
    }
}

__global__ void __launch_bounds__(THREADS) matmul_mma(struct product x)
{
    __shared__ __align__(16) struct tiles tile;
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE, warp = threadIdx.x / 32;
    const int warp_row = warp / 2 * WARP_TILE, warp_column = warp % 2 * WARP_TILE;
    float sum[ROWS][COLUMNS][4] = {};
    for (int k0 = 0; k0 < x.k; k0 += CHUNK) {
        float chunk[ROWS][COLUMNS][4] = {};
        bring(&tile, x, row0, column0, k0);
        __syncthreads();
        multiply_chunk(chunk, &tile, warp_row, warp_column);
        __syncthreads();
#pragma unroll
        for (int v = 0; v < ROWS * COLUMNS * 4; v++)
            sum[v / (COLUMNS * 4)][v / 4 % COLUMNS][v % 4] +=
                chunk[v / (COLUMNS * 4)][v / 4 % COLUMNS][v % 4];
    }
    store(sum, x, row0 + warp_row, column0 + warp_column);
}

static void launch(void *state)
{
    const struct product *p = (const struct product *)state;
    const dim3 grid((p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE);
    matmul_mma<<<grid, THREADS>>>(*p);
}

static const char *refusal(const struct product *p)
{
    int device, major;
    (void)p;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    return major >= 8 ? NULL
                      : "mma.sync of 16 steps of k exists since Ampere (compute capability 8.0)";
}

static const struct rung rungs[] = {
    {"matmul_mma_3xfp16",
     "tensor cores, a warp at a time: three FP16 products for each FP32 product", false, launch,
     refusal},
};

const struct rung *tensor_mma_rungs(size_t *count)
{
    *count = sizeof rungs / sizeof rungs[0];
    return rungs;
}
