/* blocked.cu - two more rungs on block_tile.cuh: a layout of shared memory without bank conflicts,
 * and the next tile fetched while this one is multiplied. */
#include "step02_tiled/block_tile.cuh"
#include "step02_tiled/lesson.h"
#include "step02_tiled/summit/register_banks.h"

/* Where A's element (k, row) lies in its tile. Rows 16..31 change place with rows 0..15 for k >= 4:
 * the two lanes that bring the same row, at k and k + 4, then store to different banks. */
__device__ static int a_place(int k, int row) { return k * BM + (row ^ (k / 4 * 16)); }

/* Row i of a thread's eight, within the block's tile; columns alike. Two groups of four, 64 apart:
 * neighbouring threads read neighbouring vectors. */
__device__ static int place_in_tile(int thread, int i) { return thread * 4 + i / 4 * 64 + i % 4; }

/* What one thread brings of a tile, between global and shared memory. */
struct staged {
    float4 a, b;
};

__device__ static struct staged fetch(const struct matrices &x, int k0)
{
    const int row = blockIdx.y * BM + threadIdx.x / 2, a_k = k0 + threadIdx.x % 2 * 4;
    const int b_k = k0 + threadIdx.x / 32, column = blockIdx.x * BN + threadIdx.x % 32 * 4;
    const struct staged s = {four_elements(x.A, x.m, x.k, row, a_k, x.aligned),
                             four_elements(x.B, x.k, x.n, b_k, column, x.aligned)};
    return s;
}

__device__ static void put(const struct staged &s, float *a_tile, float *b_tile)
{
    const int row = threadIdx.x / 2, k = threadIdx.x % 2 * 4;
    a_tile[a_place(k, row)] = s.a.x;
    a_tile[a_place(k + 1, row)] = s.a.y;
    a_tile[a_place(k + 2, row)] = s.a.z;
    a_tile[a_place(k + 3, row)] = s.a.w;
    *(float4 *)&b_tile[threadIdx.x / 32 * BN + threadIdx.x % 32 * 4] = s.b;
}

__device__ static void multiply_tile(float (&sum)[TM][TN], const float *a_tile, const float *b_tile)
{
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
#pragma unroll
    for (int k = 0; k < BK; k++) {
        __align__(16) float a[TM], b[TN];
#pragma unroll
        for (int i = 0; i < 8; i += 4) {
            *(float4 *)&a[i] = *(const float4 *)&a_tile[a_place(k, place_in_tile(ty, i))];
            *(float4 *)&b[i] = *(const float4 *)&b_tile[k * BN + place_in_tile(tx, i)];
        }
        multiply(sum, a, b);
    }
}

__device__ static void store_result(const struct matrices &x, const float (&sum)[TM][TN])
{
    keep_banks_apart(sum, x.C, x.k < 0);
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            store_four(x, blockIdx.y * BM + place_in_tile(ty, i),
                       blockIdx.x * BN + place_in_tile(tx, j), &sum[i][j]);
}

/* ---------------------------------------------------------------------------------- the kernels */

__global__ void __launch_bounds__(THREADS, 2) matmul_conflict_free(struct matrices x)
{
    __shared__ __align__(16) float a_tile[BK * BM], b_tile[BK * BN];
    float sum[TM][TN] = {};
    for (int k0 = 0; k0 < x.k; k0 += BK) {
        put(fetch(x, k0), a_tile, b_tile);
        __syncthreads();
        multiply_tile(sum, a_tile, b_tile);
        __syncthreads();
    }
    store_result(x, sum);
}

/* What a thread fetches next: it walks on by one tile each time, so that an address costs one
 * addition. Rows and columns beyond the edge repeat the last: their products are never stored. */
struct walk {
    const float *a, *b;
    int left_a, left_b; /* steps of k from there to the end: <= 0 beyond it */
};

__device__ static struct walk walk_begin(const struct matrices &x)
{
    const int row = min((int)(blockIdx.y * BM + threadIdx.x / 2), x.m - 1),
              a_k = threadIdx.x % 2 * 4;
    const int column = min((int)(blockIdx.x * BN + threadIdx.x % 32 * 4), x.n - 4),
              b_k = threadIdx.x / 32;
    const struct walk w = {x.A + (size_t)row * x.k + a_k, x.B + (size_t)b_k * x.n + column,
                           x.k - a_k, x.k - b_k};
    return w;
}

__device__ static struct staged fetch_next(struct walk *w, const struct matrices &x)
{
    const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const struct staged s = {w->left_a > 0 ? *(const float4 *)w->a : zero,
                             w->left_b > 0 ? *(const float4 *)w->b : zero};
    w->a += BK;
    w->b += BK * x.n;
    w->left_a -= BK;
    w->left_b -= BK;
    return s;
}

template <bool ALIGNED>
__global__ void __launch_bounds__(THREADS, 2) matmul_double_buffered(struct matrices x)
{
    __shared__ __align__(16) float a_tile[2][BK * BM], b_tile[2][BK * BN];
    float sum[TM][TN] = {};
    struct walk w = walk_begin(x);
    int buffer = 0;
    put(ALIGNED ? fetch_next(&w, x) : fetch(x, 0), a_tile[0], b_tile[0]);
    __syncthreads();
#pragma unroll 2
    for (int k0 = BK; k0 < x.k + BK; k0 += BK) {
        const struct staged next = ALIGNED ? fetch_next(&w, x) : fetch(x, k0);
        multiply_tile(sum, a_tile[buffer], b_tile[buffer]); /* what is fetched arrives meanwhile */
        buffer ^= 1;
        put(next, a_tile[buffer], b_tile[buffer]);
        __syncthreads(); /* one barrier a tile: the next stores go to the other buffer */
    }
    store_result(x, sum);
}

/* --------------------------------------------------------------------------------------- launch */

template <void (*ALIGNED)(struct matrices), void (*ANY)(struct matrices)>
static void launch(void *state)
{
    const struct product *p = (const struct product *)state;
    const dim3 grid((p->n + BN - 1) / BN, (p->m + BM - 1) / BM);
    const struct matrices x = {
        p->d_a, p->d_b, p->d_c, p->m, p->n, p->k, p->n % 4 == 0 && p->k % 4 == 0};
    if (x.aligned)
        ALIGNED<<<grid, THREADS>>>(x);
    else
        ANY<<<grid, THREADS>>>(x);
}

static const struct rung rungs[] = {
    {"matmul_conflict_free", "no two lanes need the same bank", false,
     launch<matmul_conflict_free, matmul_conflict_free>, NULL},
    {"matmul_double_buffered", "the next tile is fetched while this one is multiplied", false,
     launch<matmul_double_buffered<true>, matmul_double_buffered<false>>, NULL},
};

const struct rung *blocked_rungs(size_t *count)
{
    *count = sizeof rungs / sizeof rungs[0];
    return rungs;
}
