/* blocked.cu - two levels of tiles: a block computes 128 x 128 of C, a thread 8 x 8 of that.
 *
 * A thread that computes 8 x 8 elements reads 8 + 8 values from shared memory for 64
 * multiplications instead of 2 for one. From there each rung adds one idea, as a bit of FEATURES:
 * read the kernel with only the bits of the rung at hand in mind. All work for any m, n, k: what
 * lies outside is loaded as zero and not stored. */
#include "step02_tiled/lesson.h"

#include <cuda_runtime.h>

#include "common/cuda_check.h"

enum {
    VECTORS = 1,       /* four elements in one load */
    CONFLICT_FREE = 2, /* a layout in which no two lanes need the same bank */
    DOUBLE_BUFFER = 4  /* the next tile is on its way while this one is multiplied */
};

/* Block tile, thread tile, threads. */
enum { BM = 128, BN = 128, BK = 8, TM = 8, TN = 8, THREADS = 256 };

struct matrices {
    const float *A, *B;
    float *C;
    int m, n, k;
    bool aligned; /* rows start at multiples of 16 bytes: vectors may be loaded */
};

/* --------------------------------------------------------- global memory to registers to shared */

/* Element i of the four of A, and of B, that a thread brings to each tile: row and k, or k and
 * column, within the tile. Without vectors the four are THREADS apart, so that a warp reads
 * neighbours; with vectors they are one float4. */
template <int FEATURES> __device__ int a_row(int i)
{
    const int tid = threadIdx.x;
    return FEATURES & VECTORS ? tid / 2 : (tid + i * THREADS) / BK;
}
template <int FEATURES> __device__ int a_k(int i)
{
    const int tid = threadIdx.x;
    return FEATURES & VECTORS ? tid % 2 * 4 + i : (tid + i * THREADS) % BK;
}
template <int FEATURES> __device__ int b_k(int i)
{
    const int tid = threadIdx.x;
    return FEATURES & VECTORS ? tid / 32 : (tid + i * THREADS) / BN;
}
template <int FEATURES> __device__ int b_column(int i)
{
    const int tid = threadIdx.x;
    return FEATURES & VECTORS ? tid % 32 * 4 + i : (tid + i * THREADS) % BN;
}

/* Where A's element (row, k) lies in its tile, which is kept transposed: k by k, so that the rows
 * of a thread are neighbours. Conflict-free: rows 16..31 change place with rows 0..15 for k >= 4;
 * the two lanes that bring the same row, at k and k + 4, then store to different banks. */
template <int FEATURES> __device__ int a_place(int row, int k)
{
    return k * BM + (FEATURES & CONFLICT_FREE ? row ^ (k / 4 * 16) : row);
}

struct staged {
    float a[4], b[4]; /* a thread's part of a tile, between global and shared memory */
};

template <int FEATURES> __device__ void fetch(struct staged *s, const struct matrices &x, int k0)
{
    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
    if ((FEATURES & VECTORS) && x.aligned) {
        const int row = row0 + a_row<FEATURES>(0), ka = k0 + a_k<FEATURES>(0);
        const int kb = k0 + b_k<FEATURES>(0), column = column0 + b_column<FEATURES>(0);
        const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        *(float4 *)s->a =
            row < x.m && ka < x.k ? *(const float4 *)&x.A[(size_t)row * x.k + ka] : zero;
        *(float4 *)s->b =
            kb < x.k && column < x.n ? *(const float4 *)&x.B[(size_t)kb * x.n + column] : zero;
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int row = row0 + a_row<FEATURES>(i), ka = k0 + a_k<FEATURES>(i);
        const int kb = k0 + b_k<FEATURES>(i), column = column0 + b_column<FEATURES>(i);
        s->a[i] = row < x.m && ka < x.k ? x.A[(size_t)row * x.k + ka] : 0.0f;
        s->b[i] = kb < x.k && column < x.n ? x.B[(size_t)kb * x.n + column] : 0.0f;
    }
}

template <int FEATURES> __device__ void put(const struct staged *s, float *a_tile, float *b_tile)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        a_tile[a_place<FEATURES>(a_row<FEATURES>(i), a_k<FEATURES>(i))] = s->a[i];
    if (FEATURES & VECTORS) {
        *(float4 *)&b_tile[b_k<FEATURES>(0) * BN + b_column<FEATURES>(0)] = *(const float4 *)s->b;
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++)
            b_tile[b_k<FEATURES>(i) * BN + b_column<FEATURES>(i)] = s->b[i];
    }
}

/* ------------------------------------------------------------------------- shared to the result */

/* Row i of a thread's eight, within the block's tile; columns alike. Conflict-free: two groups of
 * four, 64 apart, so that neighbouring threads read neighbouring vectors. */
template <int FEATURES> __device__ int place_in_tile(int thread, int i)
{
    return FEATURES & CONFLICT_FREE ? thread * 4 + i / 4 * 64 + i % 4 : thread * 8 + i;
}

template <int FEATURES>
__device__ void multiply_tile(float (&sum)[TM][TN], const float *a_tile, const float *b_tile)
{
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
#pragma unroll
    for (int k = 0; k < BK; k++) {
        float a[TM], b[TN];
        if (FEATURES & VECTORS) {
#pragma unroll
            for (int i = 0; i < TM; i += 4) {
                const int row = place_in_tile<FEATURES>(ty, i);
                const int column = place_in_tile<FEATURES>(tx, i);
                *(float4 *)&a[i] = *(const float4 *)&a_tile[a_place<FEATURES>(row, k)];
                *(float4 *)&b[i] = *(const float4 *)&b_tile[k * BN + column];
            }
        } else {
#pragma unroll
            for (int i = 0; i < TM; i++) {
                a[i] = a_tile[a_place<FEATURES>(place_in_tile<FEATURES>(ty, i), k)];
                b[i] = b_tile[k * BN + place_in_tile<FEATURES>(tx, i)];
            }
        }
#pragma unroll
        for (int j = 0; j < TN; j++)
#pragma unroll
            for (int step = 0; step < TM; step++) {
                /* Down one column and up the next: b[j], or a[i] where the columns meet, is still
                 * at hand from the multiplication before and is not read from the registers. */
                const int i = j % 2 ? TM - 1 - step : step;
                sum[i][j] += a[i] * b[j];
            }
    }
}

/* A vector is stored from four neighbouring registers. The added zeros give it four of its own;
 * otherwise the accumulators would have to be neighbours through the whole loop, in which the
 * register banks want them elsewhere. */
__device__ static float4 four(const float *sum)
{
    return make_float4(sum[0] + 0.0f, sum[1] + 0.0f, sum[2] + 0.0f, sum[3] + 0.0f);
}

template <int FEATURES>
__device__ void store_result(const float (&sum)[TM][TN], const struct matrices &x)
{
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
#pragma unroll
    for (int i = 0; i < TM; i++) {
        const int row = blockIdx.y * BM + place_in_tile<FEATURES>(ty, i);
        if (row >= x.m)
            continue;
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            const int column = blockIdx.x * BN + place_in_tile<FEATURES>(tx, j);
            float *to = &x.C[(size_t)row * x.n + column];
            if ((FEATURES & VECTORS) && x.aligned && column < x.n) {
                *(float4 *)to = four(&sum[i][j]);
                continue;
            }
#pragma unroll
            for (int l = 0; l < 4; l++)
                if (column + l < x.n)
                    to[l] = sum[i][j + l];
        }
    }
}

/* ----------------------------------------------------------------------------------- the kernel */

template <int FEATURES>
__global__ void __launch_bounds__(THREADS, 2) matmul_blocked(struct matrices x)
{
    enum { BUFFERS = FEATURES & DOUBLE_BUFFER ? 2 : 1 };
    __shared__ __align__(16) float a[BUFFERS][BK * BM], b[BUFFERS][BK * BN];
    float sum[TM][TN] = {};
    __align__(16) struct staged s;

    if (FEATURES & DOUBLE_BUFFER) {
        int buffer = 0;
        fetch<FEATURES>(&s, x, 0);
        put<FEATURES>(&s, a[0], b[0]);
        __syncthreads();
        for (int k0 = 0; k0 < x.k; k0 += BK) {
            fetch<FEATURES>(&s, x, k0 + BK); /* arrives while the tile is multiplied */
            multiply_tile<FEATURES>(sum, a[buffer], b[buffer]);
            buffer ^= 1;
            put<FEATURES>(&s, a[buffer], b[buffer]);
            __syncthreads(); /* one barrier a tile: the next stores go to the other buffer */
        }
    } else {
        for (int k0 = 0; k0 < x.k; k0 += BK) {
            fetch<FEATURES>(&s, x, k0);
            put<FEATURES>(&s, a[0], b[0]);
            __syncthreads();
            multiply_tile<FEATURES>(sum, a[0], b[0]);
            __syncthreads();
        }
    }
    store_result<FEATURES>(sum, x);
}

template <int FEATURES> static void launch(void *state)
{
    const struct product *p = (const struct product *)state;
    const dim3 grid((p->n + BN - 1) / BN, (p->m + BM - 1) / BM);
    const struct matrices x = {
        p->d_a, p->d_b, p->d_c, p->m, p->n, p->k, p->n % 4 == 0 && p->k % 4 == 0};
    matmul_blocked<FEATURES><<<grid, THREADS>>>(x);
}

static const struct rung rungs[] = {
    {"matmul_thread_tiled", "8 x 8 elements a thread: 16 reads for 64 multiplications", false,
     launch<0>, NULL},
    {"matmul_vectorised", "loads and stores of four elements", false, launch<VECTORS>, NULL},
    {"matmul_conflict_free", "no two lanes need the same bank", false,
     launch<VECTORS | CONFLICT_FREE>, NULL},
    {"matmul_double_buffered", "the next tile is fetched while this one is multiplied", false,
     launch<VECTORS | CONFLICT_FREE | DOUBLE_BUFFER>, NULL},
};

const struct rung *blocked_rungs(size_t *count)
{
    *count = sizeof rungs / sizeof rungs[0];
    return rungs;
}
