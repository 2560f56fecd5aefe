/* tensor.cu - FP32 accuracy from tensor cores that read TF32: three products instead of one.
 *
 * TF32 keeps 11 of FP32's 24 significant bits. A number is split into high = tf32(x) and low =
 * tf32(x - high); high + low carries 22 bits, and
 *     x y  =  high high' + high low' + low high'  (+ low low', below the last bit: left out).
 * Tensor cores cut off what does not fit when they add, always toward zero. So they add up only 32
 * steps of k at a time; the sums of these chunks are added in FP32, rounded as usual.
 * The kernel issues Hopper's warpgroup instructions (wgmma): four warps multiply 64 x 128 x 8 out
 * of shared memory. They exist only in code built for sm_90a. The time of this rung contains the
 * splitting. */
#include "step02_tiled/lesson.h"

#include <cuda_runtime.h>

#include "common/cuda_check.h"

enum {
    TILE = 128, /* of C, both ways; a warpgroup computes 64 x 128 of it */
    CHUNK = 32, /* of k: a row of a tile is 128 bytes */
    STAGES = 3,
    THREADS = 256,      /* two warpgroups */
    PART = TILE * CHUNK /* floats of one operand's high or low part */
};
enum part { A_HIGH, A_LOW, B_HIGH, B_LOW, PARTS };
enum { SHARED_BYTES = STAGES * PARTS * PART * 4 + 1024 }; /* 1024: to align the first tile */

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define HAS_WGMMA 1
#else
#define HAS_WGMMA 0
#endif
/* Set by the compilation for the device, read by the host: which code this program carries. */
__device__ int has_wgmma = HAS_WGMMA;

/* ------------------------------------------------------------------------------------ splitting */

__device__ static float to_tf32(float x)
{
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __uint_as_float(bits);
}

/* high and low, each with rows of `columns` floats along k (a multiple of 32), zero beyond the
 * matrix. A thread splits four neighbours. */
__global__ void split_rows(const float *A, float *high, float *low, int m, int k, int columns)
{
    const int row = blockIdx.y, column = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    const int left = row < m ? k - column : 0;
    const float *from = &A[(size_t)row * k + column];
    __align__(16) float x[4], h[4], l[4];
    if (column >= columns)
        return;
    if (k % 4 == 0 && left > 0) {
        *(float4 *)x = *(const float4 *)from;
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++)
            x[i] = i < left ? from[i] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        h[i] = to_tf32(x[i]);
        l[i] = to_tf32(x[i] - h[i]);
    }
    *(float4 *)&high[(size_t)row * columns + column] = *(const float4 *)h;
    *(float4 *)&low[(size_t)row * columns + column] = *(const float4 *)l;
}

/* The same for B, transposed on the way: tensor cores want k along the rows of both operands. */
__global__ void split_columns(const float *B, float *high, float *low, int n, int k, int columns)
{
    __shared__ float tile[32][33];
    const int n0 = blockIdx.x * 32, k0 = blockIdx.y * 32;
    for (int y = threadIdx.y; y < 32; y += 8) {
        const int kk = k0 + y, column = n0 + threadIdx.x;
        tile[y][threadIdx.x] = kk < k && column < n ? B[(size_t)kk * n + column] : 0.0f;
    }
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8) {
        const float x = tile[threadIdx.x][y], h = to_tf32(x);
        const size_t at = (size_t)(n0 + y) * columns + k0 + threadIdx.x;
        high[at] = h;
        low[at] = to_tf32(x - h);
    }
}

/* ------------------------------------------------------------------------------- multiplication */

struct split {
    const float *part[PARTS]; /* rows of `columns` floats */
    float *C;
    int m, n, columns;
};

#if HAS_WGMMA
/* A tile in shared memory, as wgmma wants it described: its address in units of 16 bytes, the distance
 * of 8 rows (1024 bytes), and that its 16-byte pieces are exchanged as copy_chunk() does (128-byte
 * swizzle, 1 in the two top bits). PTX ISA, "Matrix descriptor". */
__device__ static unsigned long long describe(unsigned shared)
{
    return (unsigned long long)(shared >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

/* Piece p of row r lies at p XOR (r mod 8): the same piece of 8 rows is in 8 groups of banks. */
__device__ static void copy_chunk(const struct split &x, unsigned stage, int row0, int column0,
                                  int k0)
{
    const int piece = threadIdx.x % 8;
#pragma unroll
    for (int part = 0; part < PARTS; part++)
#pragma unroll
        for (int i = 0; i < TILE * 8 / THREADS; i++) {
            const int row = threadIdx.x / 8 + i * (THREADS / 8);
            const int from = (part < B_HIGH ? row0 : column0) + row;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                             stage + (part * PART + row * CHUNK) * 4 + ((piece ^ (row & 7)) << 4)),
                         "l"(x.part[part] + (size_t)from * x.columns + k0 + piece * 4)
                         : "memory");
        }
}

#define R8(a, i)                                                                                   \
    "+f"(a[i]), "+f"(a[i + 1]), "+f"(a[i + 2]), "+f"(a[i + 3]), "+f"(a[i + 4]), "+f"(a[i + 5]),    \
        "+f"(a[i + 6]), "+f"(a[i + 7])

/* chunk (64 x 128) = A (64 x 8) . B' (128 x 8), plus chunk itself unless it is the first. */
__device__ static void multiply_64x128x8(float (&chunk)[64], unsigned long long a,
                                         unsigned long long b, int add)
{
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.b32 p, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "%64, %65, p, 1, 1;\n"
                 "}\n"
                 : R8(chunk, 0), R8(chunk, 8), R8(chunk, 16), R8(chunk, 24), R8(chunk, 32),
                   R8(chunk, 40), R8(chunk, 48), R8(chunk, 56)
                 : "l"(a), "l"(b), "r"(add));
}

/* The three products of a chunk, the small ones first. */
__device__ static void multiply_chunk(float (&chunk)[64], unsigned stage, int warpgroup)
{
    const unsigned rows = warpgroup * 64 * CHUNK * 4;
    unsigned long long tile[PARTS];
    for (int part = 0; part < PARTS; part++)
        tile[part] = describe(stage + part * PART * 4 + (part < B_HIGH ? rows : 0));
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < CHUNK / 8; k++) { /* 8 steps of k are 32 bytes: 2 units of 16 */
        multiply_64x128x8(chunk, tile[A_LOW] + 2 * k, tile[B_HIGH] + 2 * k, k > 0);
        multiply_64x128x8(chunk, tile[A_HIGH] + 2 * k, tile[B_LOW] + 2 * k, 1);
    }
#pragma unroll
    for (int k = 0; k < CHUNK / 8; k++)
        multiply_64x128x8(chunk, tile[A_HIGH] + 2 * k, tile[B_HIGH] + 2 * k, 1);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Where wgmma leaves its result: warp w has rows 16 w .. 16 w + 15, a lane two neighbours of rows
 * lane / 4 and lane / 4 + 8 in each group of eight columns. */
__device__ static void store(const float (&sum)[64], const struct split &x, int row0, int column0)
{
    const int lane = threadIdx.x % 32, row = row0 + threadIdx.x / 32 % 4 * 16 + lane / 4;
#pragma unroll
    for (int v = 0; v < 64; v++) {
        const int r = row + v / 2 % 2 * 8, c = column0 + v / 4 * 8 + lane % 4 * 2 + v % 2;
        if (r < x.m && c < x.n)
            x.C[(size_t)r * x.n + c] = sum[v];
    }
}
#endif

__global__ void __launch_bounds__(THREADS, 1) matmul_tensor(struct split x, int band)
{
#if HAS_WGMMA
    extern __shared__ char shared[];
    const unsigned first = ((unsigned)__cvta_generic_to_shared(shared) + 1023) & ~1023u;
    const int warpgroup = threadIdx.x / 128;
    const int tiles_m = (x.m + TILE - 1) / TILE, tiles_n = (x.n + TILE - 1) / TILE;
    const int in_band = blockIdx.x % (band * tiles_n), top = blockIdx.x / (band * tiles_n) * band;
    const int rows = min(band, tiles_m - top);
    const int row0 = (top + in_band % rows) * TILE, column0 = in_band / rows * TILE;
    const int chunks = x.columns / CHUNK;
    float sum[64] = {}, chunk[64];

    for (int c = 0; c < STAGES - 1; c++) {
        if (c < chunks)
            copy_chunk(x, first + c * PARTS * PART * 4, row0, column0, c * CHUNK);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
#pragma unroll 1
    for (int c = 0; c < chunks; c++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        /* wgmma reads shared memory past the ordinary path: make this thread's copies visible. */
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads(); /* chunk c is there for all; all have read chunk c - 1 */
        multiply_chunk(chunk, first + c % STAGES * PARTS * PART * 4, warpgroup);
        const int ahead = c + STAGES - 1;
        if (ahead < chunks)
            copy_chunk(x, first + ahead % STAGES * PARTS * PART * 4, row0, column0, ahead * CHUNK);
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
        for (int v = 0; v < 64; v++) {
            asm volatile("" : "+f"(chunk[v])::"memory"); /* not before the wait */
            sum[v] += chunk[v];
        }
    }
    store(sum, x, row0 + warpgroup * 64, column0);
#else
    (void)x;
    (void)band;
#endif
}

/* ------------------------------------------------------------------------------------ launching */

static int round_up(int value, int step) { return (value + step - 1) / step * step; }

static void launch(void *state)
{
    const struct product *p = (const struct product *)state;
    const int rows_a = round_up(p->m, TILE), rows_b = round_up(p->n, TILE);
    const int columns = round_up(p->k, CHUNK);
    float *a_high = p->d_work, *a_low = a_high + (size_t)rows_a * columns;
    float *b_high = a_low + (size_t)rows_a * columns, *b_low = b_high + (size_t)rows_b * columns;
    const struct split x = {{a_high, a_low, b_high, b_low}, p->d_c, p->m, p->n, columns};

    CUDA_CHECK(cudaFuncSetAttribute((const void *)matmul_tensor,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
    split_rows<<<dim3((columns / 4 + 127) / 128, rows_a), 128>>>(p->d_a, a_high, a_low, p->m, p->k,
                                                                 columns);
    split_columns<<<dim3(rows_b / 32, columns / 32), dim3(32, 8)>>>(p->d_b, b_high, b_low, p->n,
                                                                    p->k, columns);
    matmul_tensor<<<rows_a / TILE *(rows_b / TILE), THREADS, SHARED_BYTES>>>(x, 8);
}

static const char *refusal(const struct product *p)
{
    (void)p;
    int device, major, built = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    if (major != 9)
        return "wgmma exists on Hopper GPUs alone (compute capability 9.0)";
    CUDA_CHECK(cudaMemcpyFromSymbol(&built, has_wgmma, sizeof built));
    return built ? NULL : "built without -gencode arch=compute_90a,code=sm_90a for tensor.cu";
}

static const struct rung rungs[] = {
    {"matmul_tensor_3xtf32", "tensor cores: three TF32 products for each FP32 product", false,
     launch, refusal},
};

const struct rung *tensor_rungs(size_t *count)
{
    *count = sizeof rungs / sizeof rungs[0];
    return rungs;
}
