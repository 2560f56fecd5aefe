/* copies.cu - copies that go on beside the threads: cp.async, pipelines, barriers, bulk and tensor copies. */
#include "today.h"

#include <cuda.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <stdint.h>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void pipeline_stages(const float4 *in, float4 *out, int tiles)
{
    __shared__ float4 stage[3][64];
    auto pipe = cuda::make_pipeline();
    int fetched = 0;
    float4 sum = {};
    for (int k = 0; k < tiles; k++) {
        for (; fetched < tiles && fetched < k + 3; fetched++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[fetched % 3][threadIdx.x], &in[fetched * 64 + threadIdx.x],
                               cuda::aligned_size_t<16>(16), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        float4 v = stage[k % 3][threadIdx.x];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        pipe.consumer_release();
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

__global__ void primitives(const int *in, int *out, int n)
{
    __shared__ int a[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        __pipeline_memcpy_async(&a[i], &in[i + blockIdx.x * n], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = a[255 - threadIdx.x] ^ a[threadIdx.x];
}

__global__ void barrier_copy(const double *in, double *out)
{
    __shared__ double tile[256];
    __shared__ block_barrier bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(tile + threadIdx.x * 2, in + (blockIdx.x * 128 + threadIdx.x) * 2, cuda::aligned_size_t<16>(16), bar);
    bar.arrive_and_wait();
    out[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x] + tile[(threadIdx.x * 37 + 11) % 256];
}

/* Half of the threads produce, half consume, through two barriers a stage. */
__global__ void producer_consumer(const int *in, int *out, int rounds)
{
    __shared__ int stage[2][32];
    __shared__ block_barrier full[2], empty[2];
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 64);
        init(&empty[threadIdx.x], 64);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int k = 0; k < rounds; k++) {
            if (k >= 2)
                empty[k & 1].arrive_and_wait();
            stage[k & 1][threadIdx.x] = in[k * 32 + threadIdx.x] * 3;
            (void)full[k & 1].arrive();
        }
    } else {
        int sum = 0;
        for (int k = 0; k < rounds; k++) {
            full[k & 1].arrive_and_wait();
            sum += stage[k & 1][63 - threadIdx.x];
            if (k + 2 < rounds)
                (void)empty[k & 1].arrive();
        }
        out[blockIdx.x * 32 + threadIdx.x - 32] = sum;
    }
}

__global__ void zero_filled(const float *in, float *out, int n)
{
    __shared__ float4 s[64];
    int at = (blockIdx.x * 64 + threadIdx.x) * 4;
    int left = max(0, min(16, (n - at) * 4));
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(in + at), "r"(left));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    float4 v = s[63 - threadIdx.x];
    out[blockIdx.x * 64 + threadIdx.x] = v.x + v.y - v.z + v.w;
}

/* --- mbarriers and bulk copies by hand ---------------------------------------------------------------------------- */
__device__ inline unsigned shared_of(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ inline void expect(uint64_t *bar, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_of(bar)), "r"(bytes) : "memory");
}

__device__ inline void wait_phase(uint64_t *bar, unsigned phase)
{
    asm volatile("{\n .reg .pred p;\nagain:\n mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n @p bra done;\n bra again;\ndone:\n}"
                 ::"r"(shared_of(bar)), "r"(phase) : "memory");
}

__device__ inline void start_barrier(uint64_t *bar, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_of(bar)), "r"(count) : "memory");
}

__device__ inline void bulk_load(void *to, const void *from, unsigned bytes, uint64_t *bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_of(to)),
                 "l"(from), "r"(bytes), "r"(shared_of(bar)) : "memory");
}

template <int STAGES> __global__ void bulk_ring(const float *in, float *out, int tiles)
{
    extern __shared__ __align__(128) float buffer[];
    __shared__ uint64_t full[STAGES];
    const int SIZE = 256;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++)
            start_barrier(&full[i], 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int i = 0; i < STAGES && i < tiles; i++) {
            expect(&full[i], SIZE * 4);
            bulk_load(buffer + i * SIZE, in + i * SIZE, SIZE * 4, &full[i]);
        }
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < tiles; k++) {
        int s = k % STAGES;
        wait_phase(&full[s], k / STAGES & 1);
        sum += buffer[s * SIZE + threadIdx.x] * buffer[s * SIZE + (threadIdx.x ^ 1) + 128];
        __syncthreads();
        if (threadIdx.x == 0 && k + STAGES < tiles) {
            expect(&full[s], SIZE * 4);
            bulk_load(buffer + s * SIZE, in + (k + STAGES) * SIZE, SIZE * 4, &full[s]);
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void bulk_store(const int *in, int *out)
{
    __shared__ alignas(128) int s[512];
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        s[i] = in[blockIdx.x * 512 + i] * 5 + 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + blockIdx.x * 512), "r"(shared_of(s)), "r"(2048) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(out + 32768), "r"(shared_of(s)), "r"(512) : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

__global__ void tensor_transpose(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to)
{
    __shared__ alignas(128) int a[16][32], b[32][16];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        start_barrier(&bar, 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        expect(&bar, sizeof a);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_of(a)),
                     "l"(&from), "r"(blockIdx.x * 32), "r"(blockIdx.y * 16), "r"(shared_of(&bar)) : "memory");
    }
    __syncthreads();
    wait_phase(&bar, 0);
    for (int y = threadIdx.x / 32; y < 16; y += blockDim.x / 32)
        b[threadIdx.x % 32][y] = a[y][threadIdx.x % 32];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to), "r"(blockIdx.y * 16),
                     "r"(blockIdx.x * 32), "r"(shared_of(b)) : "memory");
        asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

__global__ void __cluster_dims__(2, 1, 1) tensor_multicast(const __grid_constant__ CUtensorMap map, float *out)
{
    __shared__ alignas(128) float tile[8][64];
    __shared__ uint64_t bar;
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        start_barrier(&bar, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        expect(&bar, sizeof tile);
    }
    asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
    if (rank == 0 && threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_of(tile)),
                     "l"(&map), "r"(-4), "r"((int)blockIdx.x * 4), "r"(shared_of(&bar)), "h"((uint16_t)3) : "memory");
    wait_phase(&bar, 0);
    float sum = 0;
    for (int y = 0; y < 8; y++)
        sum += tile[y][threadIdx.x] * (y + 1);
    out[blockIdx.x * 64 + threadIdx.x] = sum;
    asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
}

static CUtensorMap map_of(void *base, CUtensorMapDataType type, uint64_t w, uint64_t h, uint32_t bw, uint32_t bh)
{
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    MUST(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
    auto encode = (CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                                const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill))entry;
    CUtensorMap map;
    cuuint64_t size[2] = {w, h}, stride[1] = {w * 4};
    cuuint32_t box[2] = {bw, bh}, step[2] = {1, 1};
    if (encode(&map, type, 2, base, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
        fprintf(stderr, "cuTensorMapEncodeTiled\n");
        exit(2);
    }
    return map;
}

void run_copies(void)
{
    const int *in = (const int *)d_in;
    int *out = (int *)d_out;
    float *const x = (float *)d_in, *const y = (float *)d_out;
    RUN(pipeline_stages, FLOATS, pipeline_stages<<<3, 64>>>((float4 *)d_in, (float4 *)d_out, 10));
    RUN(primitives, WHOLE, primitives<<<3, 128>>>(in, out, 256));
    RUN(barrier_copy, SORTED, barrier_copy<<<4, 128>>>((double *)d_in, (double *)d_out));
    RUN(producer_consumer, WHOLE, producer_consumer<<<2, 64>>>(in, out, 9));
    RUN(zero_filled, FLOATS, zero_filled<<<3, 64>>>(x, y, 500));
    RUN(bulk_ring, FLOATS, bulk_ring<3><<<2, 128, 3 * 1024>>>(x, y, 8));
    RUN(bulk_store, WHOLE, bulk_store<<<3, 128>>>(in, out));
    const CUtensorMap from = map_of(d_in, CU_TENSOR_MAP_DATA_TYPE_INT32, 96, 40, 32, 16),
                      to = map_of(d_out, CU_TENSOR_MAP_DATA_TYPE_INT32, 40, 96, 16, 32),
                      many = map_of(d_in, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 52, 30, 64, 8);
    RUN(tensor_transpose, WHOLE, tensor_transpose<<<dim3(3, 3), 128>>>(from, to));
    RUN(tensor_multicast, FLOATS, tensor_multicast<<<8, 64>>>(many, y));
}
