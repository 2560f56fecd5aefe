/* vector.cu - matrix times vector, or nearly: few rows of A, or few columns of B.
 *
 * One row of A and a B of 4096 x 4096: every element of B is used once. There is nothing to keep in
 * registers, the time is that of reading B, and all that counts is bytes in flight: 16 bytes a
 * load, neighbouring lanes on neighbouring bytes, four loads before the first is used, and k
 * divided among blocks until all multiprocessors are busy. Up to 16 rows or columns are computed
 * from one reading. The parts of k are added up in order by the block that finishes last. */
#include "step02_tiled/summit/stream.h"

#include <cuda_runtime.h>

#include "common/cuda_check.h"

enum { THREADS = 256, WARPS = THREADS / 32, IN_FLIGHT = 4 };

struct vector_work {
    const float *A, *B;
    float *C, *parts;
    unsigned *tickets;
    int m, n, k;
    int splits; /* of k; gridDim.y */
    int depth;  /* steps of k in one split */
};

/* True for the block of a group that comes last; the counter is 0 again after it. */
__device__ __forceinline__ bool comes_last(unsigned *ticket, unsigned blocks)
{
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicInc(ticket, blocks - 1) == blocks - 1;
    __syncthreads();
    __threadfence();
    return last;
}

/* ----------------------------------------------------------------------------------- few rows of A
 */

enum { COLUMNS = 128, CHUNK = 256 }; /* of a block; steps of k that A is staged for */

/* A lane's four elements of a row of B: neighbours where rows start at multiples of 16 bytes,
 * otherwise 32 apart. Columns beyond n repeat the last. */
template <bool VECTORS>
__device__ __forceinline__ float4 four_of_row(const float *row, const int *at)
{
    return VECTORS ? __ldg((const float4 *)(row + at[0]))
                   : make_float4(__ldg(row + at[0]), __ldg(row + at[1]), __ldg(row + at[2]),
                                 __ldg(row + at[3]));
}

template <int ROWS>
__device__ __forceinline__ void stage_rows(float (*a)[ROWS], const struct vector_work &w, int k0,
                                           int count)
{
    for (int e = threadIdx.x; e < CHUNK * ROWS; e += THREADS) {
        const int i = e % ROWS, step = e / ROWS; /* neighbours in shared memory */
        a[step][i] = i < w.m && step < count ? w.A[(size_t)i * w.k + k0 + step] : 0.0f;
    }
}

/* The sums of all warps come together in those of warp 0. */
template <int ROWS>
__device__ __forceinline__ void add_warps(float4 (&sum)[ROWS], float4 (*shared)[ROWS][32], int warp,
                                          int lane)
{
#pragma unroll
    for (int half = WARPS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (warp >= half && warp < 2 * half)
#pragma unroll
            for (int i = 0; i < ROWS; i++)
                shared[warp - half][i][lane] = sum[i];
        __syncthreads();
        if (warp < half)
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                const float4 x = shared[warp][i][lane];
                sum[i].x += x.x;
                sum[i].y += x.y;
                sum[i].z += x.z;
                sum[i].w += x.w;
            }
    }
}

template <int ROWS, bool VECTORS>
__global__ void __launch_bounds__(THREADS, 2) matmul_few_rows(const struct vector_work w)
{
    __shared__ __align__(16) union {
        float a[CHUNK][ROWS];
        float4 sums[WARPS / 2][ROWS][32];
    } shared;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column0 = blockIdx.x * COLUMNS;
    const int begin = blockIdx.y * w.depth, end = min(w.k, begin + w.depth);
    int at[4];
#pragma unroll
    for (int c = 0; c < 4; c++)
        at[c] = VECTORS ? min(column0 + lane * 4, w.n - 4) : min(column0 + lane + c * 32, w.n - 1);
    float4 sum[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        sum[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k0 = begin; k0 < end; k0 += CHUNK) {
        const int count = min(CHUNK, end - k0);
        __syncthreads();
        stage_rows<ROWS>(shared.a, w, k0, count);
        __syncthreads();
        for (int step = warp; step < count; step += WARPS * IN_FLIGHT) {
            float4 b[IN_FLIGHT];
#pragma unroll
            for (int f = 0; f < IN_FLIGHT; f++)
                b[f] = four_of_row<VECTORS>(
                    w.B + (size_t)(k0 + min(step + f * WARPS, count - 1)) * w.n, at);
#pragma unroll
            for (int f = 0; f < IN_FLIGHT; f++) {
                const bool there = step + f * WARPS < count;
#pragma unroll
                for (int i = 0; i < ROWS; i++) {
                    const float a = there ? shared.a[(step + f * WARPS) % CHUNK][i] : 0.0f;
                    if (!there)
                        continue;
                    sum[i].x = fmaf(a, b[f].x, sum[i].x);
                    sum[i].y = fmaf(a, b[f].y, sum[i].y);
                    sum[i].z = fmaf(a, b[f].z, sum[i].z);
                    sum[i].w = fmaf(a, b[f].w, sum[i].w);
                }
            }
        }
    }
    add_warps<ROWS>(sum, shared.sums, warp, lane);
    float *mine = w.splits == 1 ? w.C : w.parts + (size_t)blockIdx.y * w.m * w.n;
    if (warp == 0)
#pragma unroll
        for (int i = 0; i < ROWS; i++)
#pragma unroll
            for (int c = 0; c < 4; c++) {
                const int column = VECTORS ? column0 + lane * 4 + c : column0 + lane + c * 32;
                if (i < w.m && column < w.n)
                    mine[(size_t)i * w.n + column] = c == 0   ? sum[i].x
                                                     : c == 1 ? sum[i].y
                                                     : c == 2 ? sum[i].z
                                                              : sum[i].w;
            }
    if (w.splits == 1 || !w.tickets || !comes_last(&w.tickets[blockIdx.x], gridDim.y))
        return;
    for (int e = threadIdx.x; e < ROWS * COLUMNS; e += THREADS) {
        const int i = e / COLUMNS, column = column0 + e % COLUMNS;
        if (i >= w.m || column >= w.n)
            continue;
        const float *part = w.parts + (size_t)i * w.n + column;
        float total = 0.0f;
#pragma unroll 8
        for (int s = 0; s < w.splits; s++)
            total += __ldcg(part + (size_t)s * w.m * w.n);
        w.C[(size_t)i * w.n + column] = total;
    }
}

/* Adds up many parts: 32 elements of C a block, each of 8 warps takes every eighth part. */
__global__ void add_splits(const struct vector_work w)
{
    __shared__ float sums[8][32];
    const int e = blockIdx.x * 32 + threadIdx.x, elements = w.m * w.n;
    float sum = 0.0f;
    if (e < elements)
#pragma unroll 8
        for (int s = threadIdx.y; s < w.splits; s += 8)
            sum += __ldcg(w.parts + (size_t)s * elements + e);
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0 || e >= elements)
        return;
    for (int y = 1; y < 8; y++)
        sum += sums[y][threadIdx.x];
    w.C[e] = sum;
}

/* --------------------------------------------------------------------------- few steps of k */

enum { STEP_ROWS = 64 }; /* rows of C that a block computes */

/* k up to 16: C is written, and that is all that takes time. A lane keeps its four columns of B in
 * registers and walks down the rows of C; neighbouring lanes write neighbours. */
template <int DEPTH, bool VECTORS>
__global__ void __launch_bounds__(THREADS) matmul_few_steps(const struct vector_work w)
{
    const int lane = threadIdx.x % 32, column0 = blockIdx.x * COLUMNS;
    const int row0 = blockIdx.y * STEP_ROWS, row_end = min(w.m, row0 + STEP_ROWS);
    int at[4];
    float4 b[DEPTH];
#pragma unroll
    for (int c = 0; c < 4; c++)
        at[c] = VECTORS ? min(column0 + lane * 4, w.n - 4) : min(column0 + lane + c * 32, w.n - 1);
#pragma unroll
    for (int s = 0; s < DEPTH; s++)
        b[s] = four_of_row<VECTORS>(w.B + (size_t)min(s, w.k - 1) * w.n, at);
#pragma unroll 2
    for (int row = row0 + threadIdx.x / 32; row < row_end; row += WARPS) {
        float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
        for (int s = 0; s < DEPTH; s++)
            if (s < w.k) {
                const float a = __ldg(&w.A[(size_t)row * w.k + s]);
                sum.x = fmaf(a, b[s].x, sum.x);
                sum.y = fmaf(a, b[s].y, sum.y);
                sum.z = fmaf(a, b[s].z, sum.z);
                sum.w = fmaf(a, b[s].w, sum.w);
            }
        float *to = &w.C[(size_t)row * w.n];
        if (VECTORS) {
            if (column0 + lane * 4 < w.n)
                *(float4 *)(to + at[0]) = sum;
            continue;
        }
        if (column0 + lane < w.n)
            to[at[0]] = sum.x;
        if (column0 + lane + 32 < w.n)
            to[at[1]] = sum.y;
        if (column0 + lane + 64 < w.n)
            to[at[2]] = sum.z;
        if (column0 + lane + 96 < w.n)
            to[at[3]] = sum.w;
    }
}

/* -------------------------------------------------------------------------- few columns of B */

enum { DEEP = 512 }; /* steps of k that B is staged for */

/* Each of COUNT values is to be added up over the lanes. Half of them are given away and the other
 * half taken in at each exchange, so 64 values cost 62 shuffles instead of 320. Value number
 * owned_value() ends up in v[0] (and with 64 values, the one after it in v[1]). */
template <int COUNT> __device__ __forceinline__ void add_lanes(float (&v)[COUNT], int lane)
{
    int count = COUNT;
#pragma unroll
    for (int width = 16; width > 0; width /= 2) {
        if (count > 1) {
            count /= 2;
#pragma unroll
            for (int i = 0; i < COUNT / 2; i++)
                if (i < count) {
                    const bool upper = lane & width;
                    const float keep = upper ? v[i + count] : v[i];
                    const float give = upper ? v[i] : v[i + count];
                    v[i] = keep + __shfl_xor_sync(0xffffffff, give, width);
                }
        } else {
            v[0] += __shfl_xor_sync(0xffffffff, v[0], width);
        }
    }
}

template <int COUNT> __device__ __forceinline__ int owned_value(int lane)
{
    int value = 0, count = COUNT;
#pragma unroll
    for (int width = 16; width > 0; width /= 2)
        if (count > 1) {
            count /= 2;
            value += lane & width ? count : 0;
        }
    return value;
}

template <int WIDTH> struct some {
    float v[WIDTH];
};

template <int WIDTH> __device__ __forceinline__ some<WIDTH> load_some(const float *p)
{
    some<WIDTH> s;
    if (WIDTH == 4)
        *(float4 *)s.v = __ldg((const float4 *)p);
    else
        s.v[0] = __ldg(p);
    return s;
}

/* A warp has ROWS rows of A, its lanes go along k. */
template <int COLS, int ROWS, int WIDTH>
__global__ void __launch_bounds__(THREADS, 2) matmul_few_columns(const struct vector_work w)
{
    enum { OUTPUTS = WARPS * ROWS * COLS, VALUES = ROWS * COLS };
    __shared__ __align__(16) float b[COLS][DEEP];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row0 = (blockIdx.x * WARPS + warp) * ROWS;
    const int begin = blockIdx.y * w.depth, end = min(w.k, begin + w.depth);
    __align__(16) float sum[VALUES] = {};
    const float *row[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        row[r] = w.A + (size_t)min(row0 + r, w.m - 1) * w.k;
    const int deep = COLS > 1 ? DEEP : w.depth; /* one column needs no staging */
    for (int k0 = begin; k0 < end; k0 += deep) {
        const int count = min(deep, end - k0);
        if (COLS > 1)
            __syncthreads();
        for (int e = threadIdx.x; COLS > 1 && e < DEEP * COLS; e += THREADS) {
            const int step = e / COLS, j = e % COLS;
            b[j][step] = j < w.n && step < count ? w.B[(size_t)(k0 + step) * w.n + j] : 0.0f;
        }
        if (COLS > 1)
            __syncthreads();
#pragma unroll 4
        for (int step = lane * WIDTH; step < count; step += 32 * WIDTH) {
            some<WIDTH> a[ROWS];
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                a[r] = load_some<WIDTH>(row[r] + k0 + step);
#pragma unroll
            for (int j = 0; j < COLS; j++) {
                some<WIDTH> x;
                if (COLS == 1)
                    x = load_some<WIDTH>(w.B + k0 + step);
                else if (WIDTH == 4)
                    *(float4 *)x.v = *(const float4 *)&b[j][step];
                else
                    x.v[0] = b[j][step];
#pragma unroll
                for (int r = 0; r < ROWS; r++)
#pragma unroll
                    for (int i = 0; i < WIDTH; i++)
                        sum[r * COLS + j] = fmaf(a[r].v[i], x.v[i], sum[r * COLS + j]);
            }
        }
    }
    add_lanes<VALUES>(sum, lane);
    const int first = owned_value<VALUES>(lane);
    const bool owner = VALUES >= 32 || lane % (32 / (VALUES < 32 ? VALUES : 32)) == 0;
#pragma unroll
    for (int x = 0; x < (VALUES > 32 ? VALUES / 32 : 1); x++) {
        const int r = row0 + (first + x) / COLS, j = (first + x) % COLS;
        if (owner && r < w.m && j < w.n) {
            if (w.splits == 1)
                w.C[(size_t)r * w.n + j] = sum[x];
            else
                w.parts[((size_t)r * w.n + j) * w.splits + blockIdx.y] = sum[x];
        }
    }
    if (w.splits == 1 || !comes_last(&w.tickets[blockIdx.x], gridDim.y))
        return;
    const int rows_left = min(WARPS * ROWS, w.m - (int)blockIdx.x * WARPS * ROWS);
    for (int e = warp; e < rows_left * w.n; e += WARPS) {
        const size_t output = (size_t)blockIdx.x * WARPS * ROWS * w.n + e;
        float total[1] = {0.0f};
        for (int s = lane; s < w.splits; s += 32)
            total[0] += __ldcg(&w.parts[output * w.splits + s]);
        add_lanes<1>(total, lane);
        if (lane == 0)
            w.C[output] = total[0];
    }
}

/* --------------------------------------------------------------------------------------- launching
 */

static int divide_up(int a, int b) { return (a + b - 1) / b; }

static struct vector_work work_of(const struct product *p, const struct stream_plan *plan)
{
    const struct vector_work w = {
        p->d_a, p->d_b, p->d_c, p->d_parts,  plan->add_after ? NULL : p->d_tickets,
        p->m,   p->n,   p->k,   plan->parts, plan->whole};
    return w;
}

template <int DEPTH>
static void launch_few_steps(const struct product *p, const struct stream_plan *plan)
{
    const dim3 grid(divide_up(p->n, COLUMNS), divide_up(p->m, STEP_ROWS));
    const struct vector_work w = work_of(p, plan);
    if (p->n % 4 == 0)
        matmul_few_steps<DEPTH, true><<<grid, THREADS>>>(w);
    else
        matmul_few_steps<DEPTH, false><<<grid, THREADS>>>(w);
}

template <int DEPTH> static const void *few_steps(const struct product *p)
{
    return p->n % 4 == 0 ? (const void *)matmul_few_steps<DEPTH, true>
                         : (const void *)matmul_few_steps<DEPTH, false>;
}

template <int ROWS>
static void launch_few_rows(const struct product *p, const struct stream_plan *plan)
{
    const dim3 grid(divide_up(p->n, COLUMNS), plan->parts);
    const struct vector_work w = work_of(p, plan);
    if (p->n % 4 == 0)
        matmul_few_rows<ROWS, true><<<grid, THREADS>>>(w);
    else
        matmul_few_rows<ROWS, false><<<grid, THREADS>>>(w);
    if (plan->add_after)
        add_splits<<<divide_up(p->m * p->n, 32), dim3(32, 8)>>>(w);
}

template <int COLS, int ROWS>
static void launch_few_columns(const struct product *p, const struct stream_plan *plan)
{
    const dim3 grid(divide_up(p->m, WARPS * ROWS), plan->parts);
    const struct vector_work w = work_of(p, plan);
    if (p->k % 4 == 0)
        matmul_few_columns<COLS, ROWS, 4><<<grid, THREADS>>>(w);
    else
        matmul_few_columns<COLS, ROWS, 1><<<grid, THREADS>>>(w);
}

template <int ROWS> static const void *few_rows(const struct product *p)
{
    return p->n % 4 == 0 ? (const void *)matmul_few_rows<ROWS, true>
                         : (const void *)matmul_few_rows<ROWS, false>;
}

template <int COLS, int ROWS> static const void *few_columns(const struct product *p)
{
    return p->k % 4 == 0 ? (const void *)matmul_few_columns<COLS, ROWS, 4>
                         : (const void *)matmul_few_columns<COLS, ROWS, 1>;
}

/* bm x bn: what one block computes. */
#define ROWS_SHAPE(ROWS)                                                                           \
    {                                                                                              \
        "up to " #ROWS " rows", ROWS, COLUMNS, CHUNK, THREADS, 4, 0, OPERANDS_AS_THEY_ARE, 0.5,    \
            launch_few_rows<ROWS>, few_rows<ROWS>, vector_plans                                    \
    }
#define COLUMNS_SHAPE(COLS, ROWS)                                                                  \
    {                                                                                              \
        "up to " #COLS " columns, " #ROWS " rows a warp", WARPS *ROWS, COLS, DEEP, THREADS, 4, 0,  \
            OPERANDS_AS_THEY_ARE, 0.5, launch_few_columns<COLS, ROWS>, few_columns<COLS, ROWS>,    \
            vector_plans                                                                           \
    }
#define STEPS_SHAPE(DEPTH)                                                                         \
    {                                                                                              \
        "up to " #DEPTH " steps of k", STEP_ROWS, COLUMNS, DEPTH, THREADS, 4, 0,                   \
            OPERANDS_AS_THEY_ARE, 0.5, launch_few_steps<DEPTH>, few_steps<DEPTH>, steps_plans      \
    }
static const struct stream_shape shapes[] = {
    STEPS_SHAPE(2),       STEPS_SHAPE(4),      STEPS_SHAPE(16),     ROWS_SHAPE(1),
    ROWS_SHAPE(2),        ROWS_SHAPE(4),       ROWS_SHAPE(8),       ROWS_SHAPE(16),
    COLUMNS_SHAPE(1, 4),  COLUMNS_SHAPE(2, 4), COLUMNS_SHAPE(4, 4), COLUMNS_SHAPE(8, 4),
    COLUMNS_SHAPE(16, 4),
};

const struct stream_shape *vector_shapes(size_t *count)
{
    *count = sizeof shapes / sizeof shapes[0];
    return shapes;
}
