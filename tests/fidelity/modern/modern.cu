/* modern.cu - kernels in today's CUDA, written without a look at the simulator: what they computed and cost on an
 * H200 stands in h200.csv. ./modern prints a hash of each kernel's results. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
namespace cg = cooperative_groups;
typedef unsigned u32;
typedef unsigned long long u64;
#define SA(p)   ((u32)__cvta_generic_to_shared(p))
#define N_WORDS (1 << 16)
static u32 *d_in, *d_out;

/* --- tensor cores through mma.sync --------------------------------------------------------------- */
__device__ static void ldsm4(u32 *r, const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(SA(p))
                 : "memory");
}
__device__ static void ldsm2t(u32 *r, const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(SA(p))
                 : "memory");
}
__global__ void mma_bf16(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c)
{
    __shared__ __align__(16) __nv_bfloat16 as[64][40], bs[32][72];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float acc[8][4] = {};
    for (int k0 = 0; k0 < 128; k0 += 32) {
        for (int i = t; i < 64 * 4; i += 128)
            *(uint4 *)&as[i / 4][i % 4 * 8] = *(const uint4 *)&a[(i / 4) * 128 + k0 + i % 4 * 8];
        for (int i = t; i < 32 * 8; i += 128)
            *(uint4 *)&bs[i / 8][i % 8 * 8] = *(const uint4 *)&b[(k0 + i / 8) * 64 + i % 8 * 8];
        __syncthreads();
        for (int k = 0; k < 32; k += 16) {
            u32 x[4], y[2];
            ldsm4(x, &as[warp * 16 + lane % 16][k + lane / 16 * 8]);
#pragma unroll
            for (int n = 0; n < 8; n++) {
                ldsm2t(y, &bs[k + lane % 16][n * 8]);
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                             "{%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(acc[n][0]), "+f"(acc[n][1]), "+f"(acc[n][2]), "+f"(acc[n][3])
                             : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
            }
        }
        __syncthreads();
    }
    for (int n = 0; n < 8; n++) {
        float *to = c + (warp * 16 + lane / 4) * 64 + n * 8 + lane % 4 * 2;
        *(float2 *)to = make_float2(acc[n][0], acc[n][1]);
        *(float2 *)(to + 8 * 64) = make_float2(acc[n][2], acc[n][3]);
    }
}
__global__ void mma_tf32(const float *a, const float *b, float *c)
{
    __shared__ float as[16][36], bs[32][12];
    const int lane = threadIdx.x;
    for (int i = lane; i < 16 * 32; i += 32)
        as[i / 32][i % 32] = a[i];
    for (int i = lane; i < 32 * 8; i += 32)
        bs[i / 8][i % 8] = b[i];
    __syncwarp();
    float d[4] = {1, 2, 3, 4};
    for (int k = 0; k < 32; k += 8) {
        u32 x[4], y[2];
        const int g = lane / 4, q = lane % 4;
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x[0]) : "f"(as[g][k + q]));
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x[1]) : "f"(as[g + 8][k + q]));
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x[2]) : "f"(as[g][k + q + 4]));
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x[3]) : "f"(as[g + 8][k + q + 4]));
        y[0] = __float_as_uint(bs[k + q][g]), y[1] = __float_as_uint(bs[k + q + 4][g]);
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                     "{%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    }
    for (int i = 0; i < 4; i++)
        c[i * 32 + lane] = d[i];
}
__global__ void mma_s8(const u32 *a, const u32 *b, int *c)
{
    __shared__ __align__(16) char as[16][80], bs[8][80];
    const int lane = threadIdx.x;
    for (int i = lane; i < 16 * 4; i += 32)
        *(uint4 *)&as[i / 4][i % 4 * 16] = ((const uint4 *)a)[i];
    for (int i = lane; i < 8 * 4; i += 32)
        *(uint4 *)&bs[i / 4][i % 4 * 16] = ((const uint4 *)b)[i];
    __syncwarp();
    int d[4] = {1, -2, 3, -4};
    for (int k = 0; k < 64; k += 32) {
        u32 x[4], y[4];
        ldsm4(x, &as[lane % 16][k + lane / 16 * 16]);
        ldsm4(y, &bs[lane % 8][lane / 8 * 16]);
        asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                     "{%8,%9}, {%0,%1,%2,%3};"
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(k ? y[2] : y[0]), "r"(k ? y[3] : y[1]));
    }
    for (int i = 0; i < 4; i++)
        c[i * 32 + lane] = d[i];
}
__global__ void mma_s4_b1(const u32 *a, int *c)
{
    const int lane = threadIdx.x;
    int d[4] = {5, 6, 7, 8}, e[4] = {0, 0, 0, 0};
    u32 x[4], y[2];
    for (int i = 0; i < 4; i++)
        x[i] = a[i * 32 + lane];
    for (int i = 0; i < 2; i++)
        y[i] = a[128 + i * 32 + lane];
    asm volatile(
        "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(e[0]), "+r"(e[1]), "+r"(e[2]), "+r"(e[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    for (int i = 0; i < 4; i++)
        c[i * 32 + lane] = d[i], c[128 + i * 32 + lane] = e[i];
}
__global__ void mma_f64(const double *a, double *c)
{
    const int lane = threadIdx.x;
    double d[2] = {0.5, -0.5}, e[4] = {1, 2, 3, 4};
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(a[lane]), "d"(a[32 + lane]));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
                 "{%12,%13,%14,%15}, {%0,%1,%2,%3};"
                 : "+d"(e[0]), "+d"(e[1]), "+d"(e[2]), "+d"(e[3])
                 : "d"(a[lane]), "d"(a[32 + lane]), "d"(a[64 + lane]), "d"(a[96 + lane]), "d"(a[128 + lane]),
                   "d"(a[160 + lane]), "d"(a[192 + lane]), "d"(a[224 + lane]), "d"(a[256 + lane]),
                   "d"(a[288 + lane]), "d"(a[320 + lane]), "d"(a[352 + lane]));
    c[lane] = d[0], c[32 + lane] = d[1];
    for (int i = 0; i < 4; i++)
        c[64 + i * 32 + lane] = e[i];
}
__global__ void mma_fp8(const u32 *a, float *c, __half *h)
{
    const int lane = threadIdx.x;
    float d[4] = {0, 0, 0, 0};
    u32 x[4], y[2], z[2] = {0x3c003c00, 0xbc00bc00};
    for (int i = 0; i < 4; i++)
        x[i] = a[i * 32 + lane] & 0x7e7e7e7eu & ~0x40404040u;
    for (int i = 0; i < 2; i++)
        y[i] = a[128 + i * 32 + lane] & 0xbebebebeu;
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                 : "+r"(z[0]), "+r"(z[1])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    for (int i = 0; i < 4; i++)
        c[i * 32 + lane] = d[i];
    ((u32 *)h)[lane] = z[0], ((u32 *)h)[32 + lane] = z[1];
}
__global__ void mma_sparse(const u32 *a, float *c)
{
    const int lane = threadIdx.x;
    float d[4] = {0, 1, 2, 3};
    u32 x[4], y[4];
    for (int i = 0; i < 4; i++)
        x[i] = a[i * 32 + lane] & 0xbfffbfffu, y[i] = a[128 + i * 32 + lane] & 0xbfffbfffu;
    const u32 meta = lane % 2 ? 0xeeee4444u : 0x4e9c8d9cu;
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x1;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]),
                   "r"(meta));
    for (int i = 0; i < 4; i++)
        c[i * 32 + lane] = d[i];
}
__global__ void wmma_8x32(const __half *a, const __half *b, float *c)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 8, 32, 16, __half, col_major> fa;
    fragment<matrix_b, 8, 32, 16, __half, row_major> fb;
    fragment<accumulator, 8, 32, 16, float> fc;
    fill_fragment(fc, 0.25f);
    for (int k = 0; k < 64; k += 16) {
        load_matrix_sync(fa, a + k * 8, 8);
        load_matrix_sync(fb, b + k * 32, 32);
        mma_sync(fc, fa, fb, fc);
    }
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] *= 0.5f;
    store_matrix_sync(c + blockIdx.x * 256, fc, 32, mem_row_major);
}

/* --- asynchronous copies -------------------------------------------------------------------------- */
__global__ void pipeline_block(const u32 *in, u32 *out, int tiles)
{
    constexpr int stages = 3, tile = 512;
    __shared__ __align__(16) u32 buffer[stages][tile];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    u32 sum = 0;
    for (int fetch = 0, compute = 0; compute < tiles; compute++) {
        for (; fetch < tiles && fetch < compute + stages; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, buffer[fetch % stages], in + fetch * tile,
                               cuda::aligned_size_t<16>(tile * 4), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        for (int i = threadIdx.x; i < tile; i += blockDim.x)
            sum = sum * 31 + buffer[compute % stages][(i * 5) % tile];
        pipe.consumer_release();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void pipeline_thread(const float4 *in, float *out, int tiles)
{
    __shared__ float4 ring[4][128];
    const int t = threadIdx.x;
    for (int s = 0; s < 3; s++) {
        __pipeline_memcpy_async(&ring[s][t], in + s * 128 + t, 16, t % 4 == 3 ? 8 : 0);
        __pipeline_commit();
    }
    float sum = 0;
    for (int i = 0; i < tiles; i++) {
        if (i + 3 < tiles)
            __pipeline_memcpy_async(&ring[(i + 3) % 4][t], in + (i + 3) * 128 + t, 16);
        __pipeline_commit();
        __pipeline_wait_prior(3);
        __syncthreads();
        const float4 v = ring[i % 4][t ^ 1];
        sum += v.x + v.y * v.z - v.w;
        __syncthreads();
    }
    out[t] = sum;
}
__global__ void async_words(const u32 *in, u32 *out)
{
    __shared__ u32 tile[32][33];
    const int x = threadIdx.x, y = threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        __pipeline_memcpy_async(&tile[y + j][x], in + (y + j) * 64 + x, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * 32 + x] = tile[x][y + j];
}
__global__ void barrier_bulk(const u32 *in, u32 *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ __align__(16) u32 tile[2][1024];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar[2];
    if (threadIdx.x == 0) {
        init(&bar[0], blockDim.x);
        init(&bar[1], blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    u32 sum = 0;
    for (int i = 0; i < 6; i++) {
        barrier::arrival_token token;
        if (threadIdx.x == 0) {
            cuda::device::experimental::cp_async_bulk_global_to_shared(tile[i % 2], in + i * 1024, sizeof tile[0],
                                                                       bar[i % 2]);
            token = cuda::device::barrier_arrive_tx(bar[i % 2], 1, sizeof tile[0]);
        } else {
            token = bar[i % 2].arrive();
        }
        bar[i % 2].wait(std::move(token));
        for (int j = threadIdx.x; j < 1024; j += blockDim.x)
            sum ^= tile[i % 2][j] + i;
        for (int j = threadIdx.x; j < 1024; j += blockDim.x)
            tile[i % 2][j] = sum + j;
        cuda::device::experimental::fence_proxy_async_shared_cta();
        __syncthreads();
        if (threadIdx.x == 0) {
            cuda::device::experimental::cp_async_bulk_shared_to_global(out + i * 1024, tile[i % 2],
                                                                       sizeof tile[0]);
            cuda::device::experimental::cp_async_bulk_commit_group();
            cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
        }
        __syncthreads();
    }
}
__global__ void group_copy(const u32 *in, u32 *out)
{
    __shared__ __align__(16) u32 tile[8][64];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int w = warp.meta_group_rank();
    cg::memcpy_async(warp, tile[w], in + (blockIdx.x * 8 + w) * 64, cuda::aligned_size_t<16>(256));
    cg::wait(warp);
    const u32 v = tile[w][warp.thread_rank() * 2] * 3 + tile[w][warp.thread_rank() * 2 + 1];
    const u32 s = cg::inclusive_scan(warp, v), m = cg::reduce(warp, v, cg::greater<u32>());
    out[blockIdx.x * 256 + threadIdx.x] = s ^ m;
}

/* --- mbarriers, tensors, warpgroups ----------------------------------------------------------------- */
__device__ static void bar_init(u64 *b, u32 n)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(SA(b)), "r"(n) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ static void bar_expect(u64 *b, u32 n)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(SA(b)), "r"(n) : "memory");
}
__device__ static void bar_arrive(u64 *b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(SA(b)) : "memory");
}
__device__ static void bar_wait(u64 *b, u32 parity)
{
    asm volatile(
        "{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(SA(b)),
        "r"(parity)
        : "memory");
}
__device__ static void tma2(void *to, const CUtensorMap *m, u64 *bar, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
                 "{%3, %4}], [%2];" ::"r"(SA(to)),
                 "l"(m), "r"(SA(bar)), "r"(x), "r"(y)
                 : "memory");
}
__global__ void tma_swizzled(const __grid_constant__ CUtensorMap map, const __grid_constant__ CUtensorMap to,
                             float *out)
{
    __shared__ __align__(1024) __half tile[64][64];
    __shared__ u64 bar;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        bar_init(&bar, 1);
        bar_expect(&bar, sizeof tile);
        tma2(tile, &map, &bar, 64 * blockIdx.x, 32 * blockIdx.y);
    }
    __syncthreads();
    bar_wait(&bar, 0);
    float d[4] = {0, 0, 0, 0};
    for (int k = 0; k < 4; k++) {
        u32 x[4], y[2];
        const int row = warp * 16 + lane % 16, piece = k * 2 + lane / 16, row2 = k * 16 + lane % 16;
        ldsm4(x, (char *)tile + row * 128 + ((piece ^ (row & 7)) << 4));
        ldsm2t(y, (char *)tile + row2 * 128 + ((warp ^ (row2 & 7)) << 4));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                     "{%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    }
    const int b = blockIdx.y * gridDim.x + blockIdx.x;
    for (int i = 0; i < 4; i++)
        out[b * 512 + i * 128 + threadIdx.x] = d[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile(
            "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%1, {%2, %3}], [%0];" ::"r"(SA(tile)),
            "l"(&to), "r"(64 * blockIdx.x), "r"(32 * blockIdx.y)
            : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
__device__ static u64 descriptor(const void *p, u32 lead, u32 stride, u64 swizzle)
{
    return (u64)((SA(p) & 0x3ffff) >> 4) | (u64)(lead >> 4) << 16 | (u64)(stride >> 4) << 32 | swizzle << 62;
}
/* One warp fetches, one warpgroup multiplies: a ring of three stages. */
__global__ void wgmma_ring(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb,
                           float *out, int steps)
{
    extern __shared__ __align__(1024) char smem[];
    __shared__ u64 full[3], empty[3];
    const int t = threadIdx.x;
    if (t == 0)
        for (int i = 0; i < 3; i++) {
            bar_init(&full[i], 1);
            bar_init(&empty[i], 128);
        }
    __syncthreads();
    if (t >= 128) {
        if (t == 128)
            for (int i = 0; i < steps; i++) {
                const int s = i % 3;
                if (i >= 3)
                    bar_wait(&empty[s], (i / 3 - 1) & 1);
                bar_expect(&full[s], 16384);
                tma2(smem + s * 16384, &ma, &full[s], i * 64, 64 * blockIdx.x);
                tma2(smem + s * 16384 + 8192, &mb, &full[s], i * 64, 0);
            }
        return;
    }
    float d[32];
    for (int i = 0; i < 32; i++)
        d[i] = 0;
    for (int i = 0; i < steps; i++) {
        const int s = i % 3;
        bar_wait(&full[s], (i / 3) & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int k = 0; k < 4; k++) {
            const u64 da = descriptor(smem + s * 16384 + k * 32, 16, 1024, 1),
                      db = descriptor(smem + s * 16384 + 8192 + k * 32, 16, 1024, 1);
            asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                         "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%"
                         "24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;"
                         : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
                           "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
                           "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
                           "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]),
                           "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
                         : "l"(da), "l"(db));
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        bar_arrive(&empty[s]);
    }
    for (int i = 0; i < 32; i++)
        out[blockIdx.x * 4096 + i * 128 + t] = d[i];
}
__global__ void wgmma_s8(const u32 *a, int *out)
{
    __shared__ __align__(128) u32 as[64 * 8], bs[16 * 8];
    const int t = threadIdx.x;
    for (int i = t; i < 64 * 8; i += 128)
        as[i] = a[i];
    for (int i = t; i < 16 * 8; i += 128)
        bs[i] = a[1024 + i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    int d[8];
    const u64 da = descriptor(as, 128, 256, 0), db = descriptor(bs, 128, 256, 0);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.u8 {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, 0;"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7])
                 : "l"(da), "l"(db));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 8; i++)
        out[i * 128 + t] = d[i];
}
__global__ void wgmma_fp8_registers(const u32 *a, float *out)
{
    __shared__ __align__(128) u32 bs[8 * 8];
    const int t = threadIdx.x;
    for (int i = t; i < 8 * 8; i += 128)
        bs[i] = a[1024 + i] & 0xbfbfbfbfu;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    float d[4] = {1, 2, 3, 4};
    u32 x[4];
    for (int i = 0; i < 4; i++)
        x[i] = a[i * 128 + t] & 0xbfbfbfbfu;
    const u64 db = descriptor(bs, 128, 256, 0);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, 1, 1, -1;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(db));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; i++)
        out[i * 128 + t] = d[i];
}
__global__ void stmatrix_store(const u32 *in, u32 *out)
{
    __shared__ __align__(128) u32 tile[4][128];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 r[4];
    for (int i = 0; i < 4; i++)
        r[i] = in[warp * 128 + i * 32 + lane];
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(SA(&tile[warp][lane * 4])),
        "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
        : "memory");
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r[0]) : "r"(r[1]));
    __syncwarp();
    tile[warp][lane] ^= r[0];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (warp == 0) {
        u32 leader, elected;
        asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p; }"
                     : "=r"(leader), "=r"(elected));
        if (elected) {
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%0], [%1], 1024;" ::"l"(out),
                         "r"(SA(tile))
                         : "memory");
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(out + 512),
                         "r"(SA(tile[2]))
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        }
    }
}
__global__ void named_barriers(const u32 *in, u32 *out)
{
    __shared__ u32 box[128];
    const int t = threadIdx.x;
    if (t < 128) {
        for (int i = 0; i < 4; i++) {
            box[t] = in[i * 128 + t] * 7;
            asm volatile("bar.arrive 1, 256;" ::: "memory");
            asm volatile("bar.sync 2, 256;" ::: "memory");
        }
    } else {
        u32 s = 0;
        for (int i = 0; i < 4; i++) {
            asm volatile("bar.sync 1, 256;" ::: "memory");
            s += box[(t * 3) % 128];
            asm volatile("bar.arrive 2, 256;" ::: "memory");
        }
        out[t - 128] = s;
    }
}

/* --- clusters ------------------------------------------------------------------------------------- */
__global__ void __cluster_dims__(4, 1, 1) cluster_bins(const u32 *in, u32 *out)
{
    __shared__ u32 bins[64];
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
    if (t < 64)
        bins[t] = 0;
    cluster.sync();
    for (int i = blockIdx.x * 128 + t; i < 4096; i += gridDim.x * 128) {
        const u32 v = in[i] >> 8 & 255;
        atomicAdd(cluster.map_shared_rank(bins, v / 64) + v % 64, 1);
    }
    cluster.sync();
    u32 *next = cluster.map_shared_rank(bins, (cluster.block_rank() + 1) % 4);
    const u32 seen = t < 64 ? next[t] : 0;
    cluster.sync();
    if (t < 64) {
        *cluster.map_shared_rank(&bins[63 - t], cluster.block_rank() ^ 1) = seen;
    }
    cluster.sync();
    if (t < 64)
        out[blockIdx.x * 64 + t] = bins[t];
}
__global__ void __cluster_dims__(2, 2, 1) multicast(const __grid_constant__ CUtensorMap map, u32 *out)
{
    __shared__ __align__(128) u32 tile[4][8 * 32];
    __shared__ u64 bar;
    auto cluster = cg::this_cluster();
    const u32 rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        bar_init(&bar, 1);
        bar_expect(&bar, sizeof tile);
    }
    cluster.sync();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::"
                     "cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(SA(tile[rank])),
                     "l"(&map), "r"(SA(&bar)), "r"(32 * (int)(blockIdx.x / 2)), "r"(8 * (int)rank),
                     "h"((unsigned short)15)
                     : "memory");
    }
    bar_wait(&bar, 0);
    for (int i = threadIdx.x; i < 4 * 256; i += blockDim.x)
        out[(blockIdx.y * gridDim.x + blockIdx.x) * 1024 + i] = tile[i / 256][i % 256] * (rank + 1);
    cluster.sync();
}
__global__ void __cluster_dims__(4, 1, 1) async_ring(const u32 *in, u32 *out)
{
    __shared__ __align__(16) u32 inbox[2][4 * 64];
    __shared__ u64 bar[2];
    auto cluster = cg::this_cluster();
    const u32 rank = cluster.block_rank(), next = (rank + 1) % 4;
    const int t = threadIdx.x;
    if (t == 0) {
        bar_init(&bar[0], 1);
        bar_init(&bar[1], 1);
        bar_expect(&bar[0], 1024);
        bar_expect(&bar[1], 1024);
    }
    cluster.sync();
    u32 v[4];
    for (int i = 0; i < 4; i++)
        v[i] = in[(rank * 64 + t) * 4 + i];
    for (int s = 0; s < 2; s++) {
        u32 there, mbar;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(SA(&inbox[s][t * 4])), "r"(next));
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mbar) : "r"(SA(&bar[s])), "r"(next));
        asm volatile(
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1,%2,%3,%4}, [%5];" ::"r"(there),
            "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(mbar)
            : "memory");
        bar_wait(&bar[s], 0);
        for (int i = 0; i < 4; i++)
            v[i] = v[i] * 5 + inbox[s][(t ^ 1) * 4 + i];
    }
    for (int i = 0; i < 4; i++)
        out[(blockIdx.x * 64 + t) * 4 + i] = v[i];
    cluster.sync();
}
__global__ void __cluster_dims__(2, 1, 1) remote_barrier(const u32 *in, u32 *out)
{
    __shared__ __align__(128) u32 tile[256];
    __shared__ u64 bar;
    auto cluster = cg::this_cluster();
    const u32 rank = cluster.block_rank();
    const int t = threadIdx.x;
    if (t == 0) {
        bar_init(&bar, 64);
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 1024;" ::"r"(SA(&bar)) : "memory");
    }
    __shared__ __align__(128) u32 mine[256];
    for (int i = t; i < 256; i += 64)
        mine[i] = in[blockIdx.x * 256 + i] + rank;
    asm volatile("fence.proxy.async;" ::: "memory");
    cluster.sync();
    u32 to, mbar;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(SA(tile)), "r"(rank ^ 1));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mbar) : "r"(SA(&bar)), "r"(rank ^ 1));
    if (t == 0)
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(
                to),
            "r"(SA(mine)), "r"(mbar)
            : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mbar) : "memory");
    asm volatile(
        "{ .reg .pred p; W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::
            "r"(SA(&bar))
        : "memory");
    for (int i = t; i < 256; i += 64)
        out[blockIdx.x * 256 + i] = tile[255 - i];
    cluster.sync();
}

/* --- warps ------------------------------------------------------------------------------------------- */
__global__ void redux_divergent(const u32 *in, u32 *out)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 v = in[t];
    u32 r = 0;
    if (v & 1) {
        const u32 m = __activemask();
        r = __reduce_add_sync(m, v >> 4) ^ __reduce_min_sync(m, (int)v);
    } else {
        auto g = cg::coalesced_threads();
        r = cg::reduce(g, v, cg::bit_xor<u32>()) + __reduce_or_sync(__activemask(), v & 0xff00) + g.thread_rank();
    }
    out[t] = r + __match_any_sync(0xffffffffu, v & 3);
}
__global__ void half_atomics(const u32 *in, __half2 *h, __nv_bfloat162 *b, float2 *f, double *d)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = (float)(in[t] & 7);
    atomicAdd(&h[t % 8], __floats2half2_rn(x, 1.0f));
    atomicAdd(&b[t % 64], __floats2bfloat162_rn(1.0f, 2.0f));
    atomicAdd(&f[t % 16], make_float2(x, -x));
    atomicAdd(&d[t / 32 % 4], (double)x);
}
__global__ void vote_elect(const u32 *in, u32 *out)
{
    const int t = threadIdx.x;
    u32 leader = 99, yes = 0;
    if (0xfff0fff0u >> t % 32 & 1)
        asm volatile("{ .reg .pred p; elect.sync %0|p, 0xfff0fff0; selp.u32 %1, 1, 0, p; }"
                     : "=r"(leader), "=r"(yes)::"memory");
    const u32 ballot = __ballot_sync(0xffffffffu, in[t] % 3 == 0);
    int pred;
    const u32 all = __match_all_sync(0xffffffffu, in[t / 32], &pred);
    out[t] = leader + yes * 100 + __popc(ballot) * 1000 + (all != 0) + __shfl_xor_sync(0xffffffffu, t, 5) * 7 +
             __fns(ballot, 0, 3);
}
__global__ void fp8_convert(const float *in, u32 *out)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 v = ((const float4 *)in)[t];
    const __nv_fp8x4_e4m3 a(v);
    const __nv_fp8x2_e5m2 b(make_float2(v.x * 1000.0f, v.y * 1e-5f));
    const float4 back = (float4)a;
    const __half2_raw h = __nv_cvt_fp8x2_to_halfraw2(b.__x, __NV_E5M2);
    const __nv_fp8_storage_t s = __nv_cvt_bfloat16raw_to_fp8(__float2bfloat16(v.z), __NV_SATFINITE, __NV_E4M3);
    out[t] = a.__x ^ __float_as_uint(back.w + back.x) ^ ((u32)h.x << 16 | h.y) ^ s;
}
__global__ void packed_math(const u32 *in, u32 *out)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 x = in[t], y = in[t ^ 5], z = in[t ^ 9];
    int s = __dp4a((int)x, (int)y, (int)z);
    s = __viaddmax_s32(s, (int)y, (int)z) + __vimin3_s32(s, (int)x, 77) + (int)__vimax3_u16x2(x, y, z);
    s ^= (int)__byte_perm(x, y, 0x5142) + (int)__vabsdiffu4(x, z) + __funnelshift_lc(x, y, z & 63);
    const __half2 hx = __floats2half2_rn((float)(x & 1023) / 64.0f, (float)(y & 511)),
                  hy = __floats2half2_rn((float)(z & 255), -1.5f);
    const __half2 r = __hfma2_relu(hx, hy, __hmax2(hx, hy));
    const __nv_bfloat162 br =
        __hfma2(__float22bfloat162_rn(make_float2(x & 255, 3.0f)),
                __float22bfloat162_rn(make_float2(0.37f, y & 63)), __float22bfloat162_rn(make_float2(1.0f, 2.0f)));
    out[t] = (u32)s ^ *(const u32 *)&r ^ *(const u32 *)&br ^ __float_as_uint(h2exp2(hx).x * __half(1));
}
__global__ void softmax_rows(const float *in, float *out)
{
    const int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
    float4 v[2];
    float most = -1e30f, sum = 0;
    for (int i = 0; i < 2; i++) {
        v[i] = __ldcs((const float4 *)(in + row * 256) + i * 32 + lane);
        most = fmaxf(most, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
    }
    for (int d = 16; d; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    for (int i = 0; i < 2; i++) {
        v[i].x = exp2f((v[i].x - most) * 1.4426950f), v[i].y = exp2f((v[i].y - most) * 1.4426950f);
        v[i].z = exp2f((v[i].z - most) * 1.4426950f), v[i].w = exp2f((v[i].w - most) * 1.4426950f);
        sum += v[i].x + v[i].y + v[i].z + v[i].w;
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    const float r = __frcp_rn(sum);
    for (int i = 0; i < 2; i++)
        __stcs((float4 *)(out + row * 256) + i * 32 + lane,
               make_float4(v[i].x * r, v[i].y * r, v[i].z * r, v[i].w * r));
}
__global__ void cache_hints(const u32 *in, u32 *out)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    u32 a, b, c, d, e;
    u64 policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 0.5;" : "=l"(policy));
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(in + t * 4));
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(e) : "l"(in + t * 3), "l"(policy));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + 4096 + t));
    asm volatile("st.global.L1::evict_first.v2.u32 [%0], {%1,%2};" ::"l"(out + t * 2), "r"(a ^ c), "r"(b + d * e)
                 : "memory");
    asm volatile("red.global.add.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(out + 8192 + t % 40), "r"(a & 15),
                 "l"(policy)
                 : "memory");
    asm volatile("{ .reg .b128 x; mov.b128 x, {%1, %1}; st.global.b128 [%0], x; }" ::"l"(out + 8448 + t * 4),
                 "l"((u64)a << 32 | b)
                 : "memory");
}
__global__ void grid_stencil(const float *in, float *a, float *b, int n)
{
    auto grid = cg::this_grid();
    const int t = (int)grid.thread_rank();
    a[t] = in[t];
    grid.sync();
    for (int i = 0; i < 4; i++) {
        const float *from = i % 2 ? b : a;
        float *to = i % 2 ? a : b;
        to[t] = 0.25f * from[t > 0 ? t - 1 : 0] + 0.5f * from[t] + 0.25f * from[t + 1 < n ? t + 1 : t];
        grid.sync();
    }
}
__global__ void dependent(const u32 *in, u32 *out)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 v = in[t];
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[t] = out[t] * 3 + v;
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
__global__ void partition(const u32 *in, u32 *out)
{
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(warp);
    const u32 v = in[block.thread_rank() + blockIdx.x * block.size()];
    auto label = cg::labeled_partition(warp, v % 5);
    auto binary = cg::binary_partition(warp, (v & 16) != 0);
    const u32 s = cg::reduce(label, v, cg::plus<u32>()), e = cg::exclusive_scan(eight, v, cg::bit_or<u32>());
    const u32 q = binary.shfl(v, 0) + eight.shfl_xor(v, 3) + eight.match_any(v % 3);
    cuda::atomic_ref<u32, cuda::thread_scope_device> total(out[4096]);
    total.fetch_max(s, cuda::memory_order_relaxed);
    out[block.thread_rank() + blockIdx.x * block.size()] = s ^ e ^ q;
}
__global__ void vector_shared(const float4 *in, float *out)
{
    __shared__ float4 tile[32][9];
    const int t = threadIdx.x;
    for (int i = t; i < 256; i += 64)
        tile[i / 8][i % 8] = in[i];
    __syncthreads();
    float s = 0;
    for (int i = 0; i < 8; i++) {
        const float4 a = tile[t % 32][i];
        const float2 b = *(const float2 *)&tile[i][t % 8].z;
        const double c = *(const double *)&tile[(t * 3) % 32][7 - i];
        s += a.x * b.x + a.w * b.y + (float)(__double_as_longlong(c) & 255);
    }
    out[t] = s;
}
__global__ void dynamic_rows(const u32 *in, u32 *out, int n)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    u32 local[24];
#pragma unroll 1
    for (int i = 0; i < 24; i++)
        local[(i * 7 + t) % 24] = in[(t * 24 + i) % n];
    u32 s = 0;
#pragma unroll 1
    for (int i = 0; i < 24; i++)
        s = s * 33 + local[(i + s) % 24];
    out[t] = s;
}

/* --- atomics on generic addresses ------------------------------------------------------------------- */
__global__ void generic_red(u32 *p)
{
    asm volatile("red.add.u32 [%0], %1;" ::"l"(p + threadIdx.x % 16), "r"(threadIdx.x) : "memory");
}
__global__ void generic_red_f(float *p)
{
    asm volatile("red.add.f32 [%0], %1;" ::"l"(p + threadIdx.x % 16), "f"(1.0f) : "memory");
}
__global__ void generic_cas(u32 *p, u32 *o)
{
    u32 r;
    asm volatile("atom.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(r)
                 : "l"(p + threadIdx.x), "r"(0), "r"(threadIdx.x)
                 : "memory");
    o[threadIdx.x] = r;
}
__global__ void generic_exch(u32 *p)
{
    u32 r;
    asm volatile("atom.exch.b32 %0, [%1], %2;" : "=r"(r) : "l"(p + threadIdx.x), "r"(3) : "memory");
}
__global__ void generic_shared(u32 *o)
{
    __shared__ u32 s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    u32 *volatile q = s;
    u32 *p = q;
    u32 r;
    asm volatile("atom.add.u32 %0, [%1], %2;" : "=r"(r) : "l"(p + threadIdx.x % 8), "r"(1) : "memory");
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x];
}
__global__ void generic_add64(u64 *p)
{
    u64 r;
    asm volatile("atom.add.u64 %0, [%1], %2;" : "=l"(r) : "l"(p + threadIdx.x), "l"(3ull) : "memory");
}
__global__ void generic_f32(float *p)
{
    float r;
    asm volatile("atom.add.f32 %0, [%1], %2;" : "=f"(r) : "l"(p + threadIdx.x), "f"(3.0f) : "memory");
}
__global__ void global_f16(u32 *p)
{
    u32 r;
    asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;"
                 : "=r"(r)
                 : "l"(p + threadIdx.x), "r"(0x3c003c00)
                 : "memory");
}
__global__ void global_max(u32 *p)
{
    u32 r;
    asm volatile("atom.global.max.relaxed.gpu.u32 %0, [%1], %2;"
                 : "=r"(r)
                 : "l"(p + threadIdx.x % 4), "r"(threadIdx.x)
                 : "memory");
}

/* --- host ------------------------------------------------------------------------------------------ */
#define MUST(x)                                                                                                   \
    do {                                                                                                          \
        cudaError_t e_ = (x);                                                                                     \
        if (e_) {                                                                                                 \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(e_));                                            \
            exit(3);                                                                                              \
        }                                                                                                         \
    } while (0)
static u32 host_in[N_WORDS], host_out[N_WORDS];
static int shown;
static void fill_ints(void)
{
    u32 s = 12345;
    for (int i = 0; i < N_WORDS; i++) {
        s = s * 1664525u + 1013904223u;
        host_in[i] = s >> 3 ^ s << 17;
    }
    MUST(cudaMemcpy(d_in, host_in, sizeof host_in, cudaMemcpyHostToDevice));
}
static void fill_floats(void)
{
    u32 s = 54321;
    for (int i = 0; i < N_WORDS; i++) {
        s = s * 1664525u + 1013904223u;
        const float f = ((int)(s >> 8) - (1 << 23)) / (float)(1 << 20);
        memcpy(&host_in[i], &f, 4);
    }
    MUST(cudaMemcpy(d_in, host_in, sizeof host_in, cudaMemcpyHostToDevice));
}
static void fill_halves(int bf)
{
    u32 s = 999;
    unsigned short *h = (unsigned short *)host_in;
    for (int i = 0; i < 2 * N_WORDS; i++) {
        s = s * 1664525u + 1013904223u;
        const float f = ((int)(s >> 12) - (1 << 19)) / (float)(1 << 17);
        if (bf) {
            __nv_bfloat16 x = __float2bfloat16(f);
            memcpy(&h[i], &x, 2);
        } else {
            __half x = __float2half(f);
            memcpy(&h[i], &x, 2);
        }
    }
    MUST(cudaMemcpy(d_in, host_in, sizeof host_in, cudaMemcpyHostToDevice));
}
static void fill_doubles(void)
{
    u32 s = 777;
    double *h = (double *)host_in;
    for (int i = 0; i < N_WORDS / 2; i++) {
        s = s * 1664525u + 1013904223u;
        h[i] = ((int)(s >> 4) - (1 << 27)) / (double)(1 << 22) + 1e-9 * s;
    }
    MUST(cudaMemcpy(d_in, host_in, sizeof host_in, cudaMemcpyHostToDevice));
}
static void begin(void) { MUST(cudaMemset(d_out, 0, sizeof host_out)); }
static void show(const char *name)
{
    MUST(cudaGetLastError());
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(host_out, d_out, sizeof host_out, cudaMemcpyDeviceToHost));
    u64 h = 1469598103934665603ull;
    for (int i = 0; i < N_WORDS; i++)
        h = (h ^ host_out[i]) * 1099511628211ull;
    printf("%d,%s,%016llx,%08x:%08x:%08x\n", shown++, name, h, host_out[0], host_out[1], host_out[37]);
}
#define RUN(name, ...)                                                                                            \
    do {                                                                                                          \
        begin();                                                                                                  \
        __VA_ARGS__;                                                                                              \
        show(#name);                                                                                              \
    } while (0)
static CUresult (*enc_t)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                         const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                         CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static CUtensorMap map2(CUtensorMapDataType type, void *p, u64 w, u64 h, u64 pitch, u32 bw, u32 bh,
                        CUtensorMapSwizzle sw)
{
    CUtensorMap m;
    const cuuint64_t dims[2] = {w, h}, strides[1] = {pitch};
    const cuuint32_t box[2] = {bw, bh}, steps[2] = {1, 1};
    if (enc_t(&m, type, 2, p, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, sw,
              CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) {
        printf("no map\n");
        exit(3);
    }
    return m;
}
int main()
{
    cudaDriverEntryPointQueryResult f;
    MUST(
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&enc_t, 12000, cudaEnableDefault, &f));
    MUST(cudaMalloc(&d_in, sizeof host_in));
    MUST(cudaMalloc(&d_out, sizeof host_out));
    fill_halves(1);
    RUN(mma_bf16, mma_bf16<<<1, 128>>>((__nv_bfloat16 *)d_in, (__nv_bfloat16 *)d_in + 8192, (float *)d_out));
    CUtensorMap ma = map2(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, d_in, 320, 128, 640, 64, 64,
                          CU_TENSOR_MAP_SWIZZLE_128B),
                mb = map2(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, (char *)d_in + 131072, 320, 60, 640, 64, 64,
                          CU_TENSOR_MAP_SWIZZLE_128B);
    MUST(cudaFuncSetAttribute(wgmma_ring, cudaFuncAttributeMaxDynamicSharedMemorySize, 49152));
    RUN(wgmma_ring, wgmma_ring<<<2, 160, 49152>>>(ma, mb, (float *)d_out, 5));
    fill_halves(0);
    CUtensorMap ms =
                    map2(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, d_in, 200, 100, 400, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B),
                mt = map2(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, d_out + 16384, 200, 100, 400, 64, 64,
                          CU_TENSOR_MAP_SWIZZLE_128B);
    RUN(tma_swizzled, tma_swizzled<<<dim3(4, 3), 128>>>(ms, mt, (float *)d_out));
    RUN(mma_sparse, mma_sparse<<<1, 32>>>(d_in, (float *)d_out));
    RUN(wmma_8x32, wmma_8x32<<<2, 32>>>((__half *)d_in, (__half *)d_in + 4096, (float *)d_out));
    fill_floats();
    RUN(mma_tf32, mma_tf32<<<1, 32>>>((float *)d_in, (float *)d_in + 1000, (float *)d_out));
    RUN(pipeline_thread, pipeline_thread<<<1, 128>>>((float4 *)d_in, (float *)d_out, 9));
    RUN(fp8_convert, fp8_convert<<<8, 128>>>((float *)d_in, d_out));
    RUN(softmax_rows, softmax_rows<<<8, dim3(32, 4)>>>((float *)d_in, (float *)d_out));
    RUN(vector_shared, vector_shared<<<1, 64>>>((float4 *)d_in, (float *)d_out));
    fill_doubles();
    RUN(mma_f64, mma_f64<<<1, 32>>>((double *)d_in, (double *)d_out));
    fill_ints();
    RUN(mma_s8, mma_s8<<<1, 32>>>(d_in, d_in + 4096, (int *)d_out));
    RUN(mma_s4_b1, mma_s4_b1<<<1, 32>>>(d_in, (int *)d_out));
    RUN(mma_fp8, mma_fp8<<<1, 32>>>(d_in, (float *)d_out, (__half *)(d_out + 1024)));
    RUN(pipeline_block, pipeline_block<<<2, 96>>>(d_in, d_out, 7));
    RUN(async_words, async_words<<<1, dim3(32, 8)>>>(d_in, d_out));
    RUN(barrier_bulk, barrier_bulk<<<1, 128>>>(d_in, d_out));
    RUN(group_copy, group_copy<<<3, 256>>>(d_in, d_out));
    RUN(wgmma_s8, wgmma_s8<<<1, 128>>>(d_in, (int *)d_out));
    RUN(wgmma_fp8_registers, wgmma_fp8_registers<<<1, 128>>>(d_in, (float *)d_out));
    RUN(stmatrix_store, stmatrix_store<<<1, 128>>>(d_in, d_out));
    RUN(named_barriers, named_barriers<<<1, 256>>>(d_in, d_out));
    RUN(cluster_bins, cluster_bins<<<8, 128>>>(d_in, d_out));
    CUtensorMap mm = map2(CU_TENSOR_MAP_DATA_TYPE_UINT32, d_in, 64, 32, 256, 32, 8, CU_TENSOR_MAP_SWIZZLE_NONE);
    RUN(multicast, multicast<<<dim3(4, 2), 128>>>(mm, d_out));
    RUN(async_ring, async_ring<<<4, 64>>>(d_in, d_out));
    RUN(remote_barrier, remote_barrier<<<4, 64>>>(d_in, d_out));
    RUN(redux_divergent, redux_divergent<<<4, 128>>>(d_in, d_out));
    RUN(half_atomics, half_atomics<<<4, 96>>>(d_in, (__half2 *)d_out, (__nv_bfloat162 *)(d_out + 256),
                                              (float2 *)(d_out + 512), (double *)(d_out + 1024)));
    RUN(vote_elect, vote_elect<<<1, 64>>>(d_in, d_out));
    RUN(packed_math, packed_math<<<4, 128>>>(d_in, d_out));
    RUN(cache_hints, cache_hints<<<4, 128>>>(d_in, d_out));
    RUN(partition, partition<<<4, 96>>>(d_in, d_out));
    RUN(dynamic_rows, dynamic_rows<<<4, 96>>>(d_in, d_out, 5000));
    float *a = (float *)d_out, *b = (float *)d_out + 4096, *in = (float *)d_in;
    fill_floats();
    int n = 1024;
    void *args[] = {&in, &a, &b, &n};
    RUN(grid_stencil, MUST(cudaLaunchCooperativeKernel((void *)grid_stencil, 8, 128, args, 0, 0)));
    fill_ints();
    begin();
    cudaLaunchAttribute attr[1];
    attr[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attr[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t cfg = {dim3(4), dim3(128), 0, 0, attr, 1};
    MUST(cudaLaunchKernelEx(&cfg, dependent, (const u32 *)d_in, d_out));
    MUST(cudaLaunchKernelEx(&cfg, dependent, (const u32 *)(d_in + 512), d_out));
    show("dependent");
    u32 *p = d_in, *o = d_out;
    generic_red<<<1, 32>>>(p);
    generic_red_f<<<1, 32>>>((float *)p);
    generic_cas<<<1, 32>>>(p, o);
    generic_exch<<<1, 32>>>(p);
    generic_shared<<<1, 64>>>(o);
    generic_add64<<<1, 32>>>((u64 *)p);
    generic_f32<<<1, 32>>>((float *)p);
    global_f16<<<1, 32>>>(p);
    global_max<<<1, 32>>>(p);
    MUST(cudaDeviceSynchronize());
    return 0;
}
