/* tensor_half.cu - FP32 accuracy from FP16: the fastest arithmetic a tensor core has, three times.
 *
 * FP16 keeps 11 significant bits like TF32, at twice the rate; what it lacks is range. So blocks of
 * 128 rows x 64 steps of k get a scale of their own, a power of two that brings their largest
 * element close to the top of FP16's range, and a number becomes high + low / 2048 of FP16 numbers:
 * 22 bits (H. Ootomo and R. Yokota, 2022, with one scale for all). high high' and the two mixed
 * products are added up apart for 64 steps of k, then scaled back and added in FP32, rounded as
 * usual. A scale reaches 2^29 down from the largest element. A block with an element further below
 * (other than 0), or with infinity or NaN, says so by a scale of 0, and whatever tile needs it is
 * computed in plain FP32. So badly scaled inputs cost time, not accuracy. Like tensor.cu this takes
 * Hopper's wgmma. The time of this rung contains the splitting. */
#include "step02_tiled/lesson.h"

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>

#include "common/cuda_check.h"

enum {
    TILE = 128, /* of C, both ways; a warpgroup computes 64 x 128 of it */
    CHUNK = 64, /* of k: a row of a tile is 128 bytes */
    STAGES = 3,
    THREADS = 256,          /* two warpgroups */
    PART = TILE * CHUNK * 2 /* bytes of one operand's high or low part */
};
enum part { A_HIGH, A_LOW, B_HIGH, B_LOW, PARTS };
enum { SHARED_BYTES = STAGES * PARTS * PART + 1024 }; /* 1024: to align the first tile */

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define HAS_WGMMA 1
#else
#define HAS_WGMMA 0
#endif
/* Set by the compilation for the device, read by the host: which code this program carries. */
__device__ int half_has_wgmma = HAS_WGMMA;

struct halves {
    __half *part[PARTS];      /* rows of `columns` along k; of B' (B transposed) as of A */
    float *scale_a, *scale_b; /* to scale a block back by: of [rows / TILE][columns / CHUNK] */
    const float *A, *B;
    float *C;
    int m, n, k, columns, tiles_m, tiles_n;
};

/* ------------------------------------------------------------------------------------ splitting */

/* 32 neighbours in k, starting at k0, of a row of A, zero beyond the matrix. */
__device__ static void load_row(float (&v)[32], const struct halves &x, int row, int k0)
{
    const float *from = x.A + (size_t)row * x.k + k0;
    if (row < x.m && x.k % 4 == 0 && k0 + 32 <= x.k) {
#pragma unroll
        for (int i = 0; i < 32; i += 4)
            *(float4 *)&v[i] = *(const float4 *)&from[i];
    } else {
#pragma unroll
        for (int i = 0; i < 32; i++)
            v[i] = row < x.m && k0 + i < x.k ? from[i] : 0.0f;
    }
}

__device__ static void load_column(float (&v)[32], const struct halves &x, int column, int k0)
{
#pragma unroll
    for (int i = 0; i < 32; i++)
        v[i] = column < x.n && k0 + i < x.k ? x.B[(size_t)(k0 + i) * x.n + column] : 0.0f;
}

/* The largest magnitude of the block. NaN and infinity, whose bits are largest, get through. */
__device__ static float block_largest(const float (&v)[32])
{
    __shared__ unsigned largest;
    unsigned bits = 0;
    if (threadIdx.x == 0)
        largest = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; i++)
        bits = max(bits, __float_as_uint(v[i]) & 0x7fffffffu);
    bits = __reduce_max_sync(0xffffffff, bits);
    if (threadIdx.x % 32 == 0)
        atomicMax(&largest, bits);
    __syncthreads();
    return __uint_as_float(largest);
}

/* One block of A or of B': blockIdx.x chunk of k, blockIdx.y rows of A first, then columns of B. */
__global__ void __launch_bounds__(THREADS) split_halves(const struct halves x)
{
    const bool is_a = (int)blockIdx.y < x.tiles_m;
    const int tile = is_a ? blockIdx.y : blockIdx.y - x.tiles_m;
    /* Neighbouring threads load neighbours: along k in A, along n in B. */
    const int row = tile * TILE + (is_a ? threadIdx.x / 2 : threadIdx.x % TILE);
    const int k0 = blockIdx.x * CHUNK + (is_a ? threadIdx.x % 2 : threadIdx.x / TILE) * 32;
    __align__(16) float v[32];
    if (is_a)
        load_row(v, x, row, k0);
    else
        load_column(v, x, row, k0);
    const float largest = block_largest(v);
    const int up = largest > 0.0f ? 14 - ilogbf(largest) : 0; /* to 2^14 .. 2^15 */
    const bool in_range = abs(up) <= 60;
    const float scale = in_range ? __int_as_float((127 + up) << 23) : 0.0f;
    bool lossy = !in_range;
    __align__(16) __half2 high[16], low[16];
#pragma unroll
    for (int i = 0; i < 32; i += 2) {
        const float a = v[i] * scale, b = v[i + 1] * scale;
        lossy = lossy || (a != 0.0f && fabsf(a) < 0x1p-14f) || (b != 0.0f && fabsf(b) < 0x1p-14f);
        high[i / 2] = __floats2half2_rn(a, b);
        const float2 h = __half22float2(high[i / 2]);
        low[i / 2] = __floats2half2_rn((a - h.x) * 2048.0f, (b - h.y) * 2048.0f);
    }
    const size_t at = (size_t)row * x.columns + k0;
    __half *to_high = (is_a ? x.part[A_HIGH] : x.part[B_HIGH]) + at;
    __half *to_low = (is_a ? x.part[A_LOW] : x.part[B_LOW]) + at;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        ((uint4 *)to_high)[i] = ((const uint4 *)high)[i];
        ((uint4 *)to_low)[i] = ((const uint4 *)low)[i];
    }
    const bool any = __syncthreads_or(lossy);
    if (threadIdx.x == 0)
        (is_a ? x.scale_a : x.scale_b)[(size_t)tile * (x.columns / CHUNK) + blockIdx.x] =
            any ? 0.0f : __int_as_float((127 - up) << 23);
}

/* ------------------------------------------------------------------------- plain multiplication */

/* The tile in FP32, 8 x 8 elements a thread, 64 steps of k added up apart: for operands that FP16
 * cannot hold. */
__device__ static void multiply_plain(const struct halves &x, int row0, int column0, int column_end,
                                      float *shared)
{
    enum { DEEP = 16 };
    float(*a)[TILE + 4] = (float(*)[TILE + 4]) shared, (*b)[TILE] = (float(*)[TILE])(a + DEEP);
    const int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
    float sum[8][8] = {}, chunk[8][8] = {};
    for (int k0 = 0; k0 < x.k; k0 += DEEP) {
        for (int e = threadIdx.x; e < TILE * DEEP; e += THREADS) {
            const int row = row0 + e / DEEP, ka = k0 + e % DEEP;
            const int column = column0 + e % TILE, kb = k0 + e / TILE;
            a[e % DEEP][e / DEEP] = row < x.m && ka < x.k ? x.A[(size_t)row * x.k + ka] : 0.0f;
            b[e / TILE][e % TILE] =
                column < x.n && kb < x.k ? x.B[(size_t)kb * x.n + column] : 0.0f;
        }
        __syncthreads();
        for (int s = 0; s < DEEP; s++)
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    chunk[i][j] = fmaf(a[s][ty * 8 + i], b[s][tx + j * 16], chunk[i][j]);
        if ((k0 / DEEP + 1) % (CHUNK / DEEP) == 0 || k0 + DEEP >= x.k)
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    sum[i][j] += chunk[i][j];
                    chunk[i][j] = 0.0f;
                }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            if (row0 + ty * 8 + i < x.m && column0 + tx + j * 16 < min(x.n, column_end))
                x.C[(size_t)(row0 + ty * 8 + i) * x.n + column0 + tx + j * 16] = sum[i][j];
}

/* ------------------------------------------------------------------------------ tensor
 * multiplication */

#if HAS_WGMMA
/* A tile in shared memory, as wgmma has it described: see tensor.cu. */
__device__ static unsigned long long describe(unsigned shared)
{
    return (unsigned long long)(shared >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

/* Piece p (16 bytes) of row r lies at p XOR (r mod 8). */
template <int COLUMNS>
__device__ static void copy_chunk(const struct halves &x, unsigned stage, int row0, int column0,
                                  int k0)
{
    const int piece = threadIdx.x % 8;
#pragma unroll
    for (int part = 0; part < PARTS; part++)
#pragma unroll
        for (int i = 0; i < (part < B_HIGH ? TILE : COLUMNS) * 8 / THREADS; i++) {
            const int row = threadIdx.x / 8 + i * (THREADS / 8);
            const int from = (part < B_HIGH ? row0 : column0) + row;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                             stage + part * PART + row * CHUNK * 2 + ((piece ^ (row & 7)) << 4)),
                         "l"(x.part[part] + (size_t)from * x.columns + k0 + piece * 8)
                         : "memory");
        }
}

/* A tile has 128 columns, or 64 where there would be too few tiles. B's chunks are as long. */
#define R8(a, i)                                                                                   \
    "+f"(a[i]), "+f"(a[i + 1]), "+f"(a[i + 2]), "+f"(a[i + 3]), "+f"(a[i + 4]), "+f"(a[i + 5]),    \
        "+f"(a[i + 6]), "+f"(a[i + 7])

/* sum (64 x COLUMNS) = A (64 x 16) . B' (COLUMNS x 16), plus sum itself unless it is the first. */
__device__ static void multiply_16(float (&sum)[64], unsigned long long a, unsigned long long b,
                                   int add)
{
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.b32 p, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "%64, %65, p, 1, 1, 0, 0;\n"
                 "}\n"
                 : R8(sum, 0), R8(sum, 8), R8(sum, 16), R8(sum, 24), R8(sum, 32), R8(sum, 40),
                   R8(sum, 48), R8(sum, 56)
                 : "l"(a), "l"(b), "r"(add));
}

__device__ static void multiply_16(float (&sum)[32], unsigned long long a, unsigned long long b,
                                   int add)
{
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.b32 p, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "%32, %33, p, 1, 1, 0, 0;\n"
                 "}\n"
                 : R8(sum, 0), R8(sum, 8), R8(sum, 16), R8(sum, 24)
                 : "l"(a), "l"(b), "r"(add));
}

/* The three products of a chunk: the mixed ones apart, because they are 2048 times too large. */
template <int SUMS>
__device__ static void multiply_chunk(float (&high)[SUMS], float (&mixed)[SUMS], unsigned stage,
                                      int warpgroup)
{
    const unsigned rows = warpgroup * 64 * CHUNK * 2;
    unsigned long long tile[PARTS];
    for (int part = 0; part < PARTS; part++)
        tile[part] = describe(stage + part * PART + (part < B_HIGH ? rows : 0));
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < CHUNK / 16; k++) { /* 16 steps of k are 32 bytes: 2 units of 16 */
        multiply_16(high, tile[A_HIGH] + 2 * k, tile[B_HIGH] + 2 * k, k > 0);
        multiply_16(mixed, tile[A_LOW] + 2 * k, tile[B_HIGH] + 2 * k, k > 0);
        multiply_16(mixed, tile[A_HIGH] + 2 * k, tile[B_LOW] + 2 * k, 1);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Where wgmma leaves its result: see tensor.cu. */
template <int SUMS>
__device__ static void store(const float (&sum)[SUMS], const struct halves &x, int row0,
                             int column0)
{
    const int lane = threadIdx.x % 32, row = row0 + threadIdx.x / 32 % 4 * 16 + lane / 4;
#pragma unroll
    for (int v = 0; v < SUMS; v += 2) {
        const int r = row + v / 2 % 2 * 8, c = column0 + v / 4 * 8 + lane % 4 * 2;
        float *to = &x.C[(size_t)r * x.n + c];
        if (r < x.m && c + 1 < x.n && x.n % 2 == 0)
            *(float2 *)to = make_float2(sum[v], sum[v + 1]);
        else if (r < x.m && c < x.n) {
            to[0] = sum[v];
            if (c + 1 < x.n)
                to[1] = sum[v + 1];
        }
    }
}

template <int COLUMNS>
__device__ static void multiply_tensor(const struct halves &x, int row0, int column0,
                                       unsigned first)
{
    const int warpgroup = threadIdx.x / 128, chunks = x.columns / CHUNK;
    const float *scale_a = x.scale_a + row0 / TILE * chunks,
                *scale_b = x.scale_b + column0 / TILE * chunks;
    enum { SUMS = COLUMNS / 2 };
    float sum[SUMS] = {}, high[SUMS], mixed[SUMS];
    for (int c = 0; c < STAGES - 1; c++) {
        if (c < chunks)
            copy_chunk<COLUMNS>(x, first + c * PARTS * PART, row0, column0, c * CHUNK);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
#pragma unroll 1
    for (int c = 0; c < chunks; c++) {
        const float scale = scale_a[c] * scale_b[c];
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        /* wgmma reads shared memory past the ordinary path: make this thread's copies visible. */
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads(); /* chunk c is there for all; all have read chunk c - 1 */
        multiply_chunk(high, mixed, first + c % STAGES * PARTS * PART, warpgroup);
        const int ahead = c + STAGES - 1;
        if (ahead < chunks)
            copy_chunk<COLUMNS>(x, first + ahead % STAGES * PARTS * PART, row0, column0,
                                ahead * CHUNK);
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
        for (int v = 0; v < SUMS; v++) {
            asm volatile("" : "+f"(high[v]), "+f"(mixed[v])::"memory"); /* not before the wait */
            sum[v] = fmaf(fmaf(mixed[v], 0x1p-11f, high[v]), scale, sum[v]);
        }
    }
    store(sum, x, row0 + warpgroup * 64, column0);
}
#endif

template <int COLUMNS>
__global__ void __launch_bounds__(THREADS, 1) matmul_halves(const struct halves x, int band)
{
#if HAS_WGMMA
    extern __shared__ __align__(16) char shared[];
    const int tiles_n = x.tiles_n * (TILE / COLUMNS);
    const int in_band = blockIdx.x % (band * tiles_n), top = blockIdx.x / (band * tiles_n) * band;
    const int rows = min(band, x.tiles_m - top);
    const int row0 = (top + in_band % rows) * TILE, column0 = in_band / rows * COLUMNS;
    const int chunks = x.columns / CHUNK;
    bool lossy = false;
    for (int c = threadIdx.x; c < chunks; c += THREADS)
        lossy = lossy || x.scale_a[row0 / TILE * chunks + c] == 0.0f ||
                x.scale_b[column0 / TILE * chunks + c] == 0.0f;
    if (__syncthreads_or(lossy))
        multiply_plain(x, row0, column0, column0 + COLUMNS, (float *)shared);
    else
        multiply_tensor<COLUMNS>(x, row0, column0,
                                 ((unsigned)__cvta_generic_to_shared(shared) + 1023) & ~1023u);
#else
    (void)x;
    (void)band;
    (void)multiply_plain;
#endif
}

/* ------------------------------------------------------------------------------------ launching */

static int divide_up(int value, int step) { return (value + step - 1) / step; }

template <int COLUMNS> static void multiply(const struct halves &x)
{
    const int blocks = x.tiles_m * x.tiles_n * (TILE / COLUMNS);
    CUDA_CHECK(cudaFuncSetAttribute((const void *)matmul_halves<COLUMNS>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
    matmul_halves<COLUMNS><<<blocks, THREADS, SHARED_BYTES>>>(x, 8);
}

static void launch(void *state)
{
    const struct product *p = (const struct product *)state;
    const int chunks = divide_up(p->k, CHUNK);
    struct halves x = {};
    x.A = p->d_a;
    x.B = p->d_b;
    x.C = p->d_c;
    x.m = p->m;
    x.n = p->n;
    x.k = p->k;
    x.columns = chunks * CHUNK;
    x.tiles_m = divide_up(p->m, TILE);
    x.tiles_n = divide_up(p->n, TILE);
    const size_t of_a = (size_t)x.tiles_m * TILE * x.columns,
                 of_b = (size_t)x.tiles_n * TILE * x.columns;
    x.part[A_HIGH] = (__half *)p->d_work;
    x.part[A_LOW] = x.part[A_HIGH] + of_a;
    x.part[B_HIGH] = x.part[A_LOW] + of_a;
    x.part[B_LOW] = x.part[B_HIGH] + of_b;
    x.scale_a = (float *)(x.part[B_LOW] + of_b);
    x.scale_b = x.scale_a + x.tiles_m * chunks;
    split_halves<<<dim3(chunks, x.tiles_m + x.tiles_n), THREADS>>>(x);
    if (x.tiles_m * x.tiles_n > 64)
        multiply<128>(x);
    else
        multiply<64>(x);
}

static const char *refusal(const struct product *p)
{
    int device, major, built = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    if (major != 9)
        return "wgmma exists on Hopper GPUs alone (compute capability 9.0)";
    (void)p;
    CUDA_CHECK(cudaMemcpyFromSymbol(&built, half_has_wgmma, sizeof built));
    if (!built)
        return "built without -gencode arch=compute_90a,code=sm_90a for tensor_half.cu";
    return NULL;
}

static const struct rung rungs[] = {
    {"matmul_tensor_3xfp16", "tensor cores: three FP16 products, each block with a scale", false,
     launch, refusal},
};

const struct rung *tensor_half_rungs(size_t *count)
{
    *count = sizeof rungs / sizeof rungs[0];
    return rungs;
}
