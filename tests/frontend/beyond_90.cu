/* beyond_90.cu - memory pools of one's own, a kernel that begins before the one in front of it has
 * ended, and atomic sums of vectors. */
/* flags: -arch=sm_90a */
#include "check.h"

enum { THREADS = 64, BLOCKS = 8 };

/* --- pools ------------------------------------------------------------------------------------ */

static unsigned long long attribute_of(cudaMemPool_t pool, enum cudaMemPoolAttr attribute)
{
    unsigned long long bytes = ~0ull;
    CHECK_CUDA(cudaMemPoolGetAttribute(pool, attribute, &bytes));
    return bytes;
}

static unsigned long long used(cudaMemPool_t pool)
{
    return attribute_of(pool, cudaMemPoolAttrUsedMemCurrent);
}

/* Freed memory is found again in its stream; the pool keeps 32 MiB for 20,000 bytes. */
static void check_reuse(void)
{
    unsigned long long keep = ~0ull;
    struct cudaMemPoolProps props = {};
    cudaMemPool_t pool;
    cudaStream_t stream, other;
    int *a, *b, *c;
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    CHECK_CUDA(cudaMemPoolCreate(&pool, &props));
    CHECK_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    CHECK_CUDA(cudaStreamCreate(&stream));
    CHECK_CUDA(cudaStreamCreate(&other));
    CHECK_CUDA(cudaMallocFromPoolAsync((void **)&a, 20000, pool, stream));
    CHECK_CUDA(cudaMemsetAsync(a, 0, 20000, stream));
    CHECK_CUDA(cudaFreeAsync(a, stream));
    CHECK_CUDA(cudaMallocFromPoolAsync((void **)&b, 20000, pool, stream));
    CHECK(a == b);
    CHECK_CUDA(cudaMallocFromPoolAsync((void **)&c, 20000, pool, other));
    CHECK(b != c);
    CHECK_CUDA(cudaFreeAsync(c, other));
    CHECK_CUDA(cudaFreeAsync(b, stream));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(used(pool), 0);
    CHECK(attribute_of(pool, cudaMemPoolAttrUsedMemHigh) == 40000);
    CHECK(attribute_of(pool, cudaMemPoolAttrReservedMemCurrent) == 32 << 20);
    CHECK_CUDA(cudaMemPoolTrimTo(pool, 0));
    CHECK(attribute_of(pool, cudaMemPoolAttrReservedMemCurrent) == 0);
    CHECK(attribute_of(pool, cudaMemPoolAttrReservedMemHigh) == 32 << 20);
    CHECK_CUDA(cudaMemPoolDestroy(pool));
    CHECK_CUDA(cudaStreamDestroy(stream));
    CHECK_CUDA(cudaStreamDestroy(other));
}

static void check_pools(void)
{
    struct cudaMemPoolProps props = {};
    cudaMemPool_t pool, first, now;
    int *a, *b;
    enum cudaMemAccessFlags flags;
    CHECK_CUDA(cudaDeviceGetDefaultMemPool(&first, 0));
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = 0;
    CHECK_CUDA(cudaMemPoolCreate(&pool, &props));
    CHECK(pool != first);
    CHECK_INT(used(pool), 0);
    CHECK_CUDA(cudaMallocFromPoolAsync((void **)&a, 4096, pool, 0));
    CHECK_CUDA(cudaDeviceSetMemPool(0, pool));
    CHECK_CUDA(cudaDeviceGetMemPool(&now, 0));
    CHECK(now == pool);
    CHECK_CUDA(cudaMallocAsync((void **)&b, 8192, 0));
    CHECK_INT(used(pool), 4096 + 8192);
    CHECK_CUDA(cudaMemPoolGetAccess(&flags, pool, &props.location));
    CHECK_INT(flags, cudaMemAccessFlagsProtReadWrite);
    CHECK_CUDA(cudaMemsetAsync(a, 1, 4096, 0));
    CHECK_CUDA(cudaFreeAsync(a, 0));
    CHECK_CUDA(cudaFreeAsync(b, 0));
    CHECK_CUDA(cudaStreamSynchronize(0));
    CHECK_INT(used(pool), 0);
    CHECK_CUDA(cudaDeviceSetMemPool(0, first));
    CHECK_CUDA(cudaMemPoolTrimTo(pool, 0));
    CHECK_CUDA(cudaMemPoolDestroy(pool));
    CHECK_INT(cudaMemPoolDestroy(first), cudaErrorInvalidValue);
    props.location.type = cudaMemLocationTypeInvalid;
    CHECK_INT(cudaMemPoolCreate(&pool, &props), cudaErrorInvalidValue);
    (void)cudaGetLastError();
}

/* --- one launch behind the other -------------------------------------------------------------- */

__global__ void produce(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = (int)(blockIdx.x * 1000 + threadIdx.x);
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void consume(const int *data, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaGridDependencySynchronize();
    out[i] = data[BLOCKS * THREADS - 1 - i];
}

static void check_dependent_launch(void)
{
    int *data, *out;
    cudaStream_t stream;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    CHECK_CUDA(cudaMallocManaged(&data, BLOCKS * THREADS * sizeof *data));
    CHECK_CUDA(cudaMallocManaged(&out, BLOCKS * THREADS * sizeof *out));
    CHECK_CUDA(cudaStreamCreate(&stream));
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = BLOCKS;
    config.blockDim = THREADS;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    produce<<<BLOCKS, THREADS, 0, stream>>>(data);
    CHECK_CUDA(cudaLaunchKernelEx(&config, consume, (const int *)data, out));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        const int from = BLOCKS * THREADS - 1 - i;
        CHECK_INT(out[i], from / THREADS * 1000 + from % THREADS);
    }
    CHECK_CUDA(cudaStreamDestroy(stream));
    CHECK_CUDA(cudaFree(data));
    CHECK_CUDA(cudaFree(out));
}

/* --- vectors ---------------------------------------------------------------------------------- */

__global__ void add_vectors(float2 *two, float4 *four, float *largest)
{
    const float lane = (float)threadIdx.x;
    const float4 old = atomicAdd(four, make_float4(1, 2, lane, -lane));
    atomicAdd(two, make_float2(lane, 0.5f));
    atomicMax((int *)largest, __float_as_int(old.x)); /* not negative, so ordered as integers */
}

static void check_vectors(void)
{
    float *f;
    CHECK_CUDA(cudaMallocManaged(&f, 32 * sizeof *f));
    memset(f, 0, 32 * sizeof *f);
    add_vectors<<<BLOCKS, THREADS>>>((float2 *)f, (float4 *)(f + 4), f + 8);
    CHECK_CUDA(cudaDeviceSynchronize());
    const float lanes = BLOCKS * THREADS * (THREADS - 1) / 2;
    CHECK_FLOAT(f[0], lanes, 0);
    CHECK_FLOAT(f[1], BLOCKS * THREADS / 2, 0);
    CHECK_FLOAT(f[4], BLOCKS * THREADS, 0);
    CHECK_FLOAT(f[5], 2 * BLOCKS * THREADS, 0);
    CHECK_FLOAT(f[6], lanes, 0);
    CHECK_FLOAT(f[7], -lanes, 0);
    CHECK_FLOAT(f[8], BLOCKS * THREADS - 1, 0); /* what the last one found */
    CHECK_CUDA(cudaFree(f));
}

int main(void)
{
    check_reuse();
    check_pools();
    check_dependent_launch();
    check_vectors();
    return check_done();
}
