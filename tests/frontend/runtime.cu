/* The C++ face of the runtime: typed allocation, kernels as arguments, occupancy, extents. */
#include "check.h"

__global__ void fill(float *out, int n, float value)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        out[i] = value;
}

template <typename T> __global__ void sum_shared(const T *in, T *out)
{
    extern __shared__ unsigned char raw[];
    T *scratch = (T *)raw;
    scratch[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        T sum = 0;
        for (unsigned int i = 0; i < blockDim.x; i++)
            sum += scratch[i];
        *out = sum;
    }
}

__constant__ int limits[2];

struct float_per_thread {
    __host__ __device__ size_t operator()(int threads) const { return (size_t)threads * 4; }
};

static void check_memory(void)
{
    float *device, *pinned, *mapped, *managed, *rows, host[64];
    size_t pitch, free_bytes, total;
    struct cudaPointerAttributes where;
    CHECK_CUDA(cudaMalloc(&device, sizeof(host)));
    CHECK_CUDA(cudaMalloc((void **)&rows, 16));
    CHECK_CUDA(cudaFree(rows));
    CHECK_CUDA(cudaMallocHost(&pinned, sizeof(host)));
    CHECK_CUDA(cudaHostAlloc(&mapped, sizeof(host), cudaHostAllocMapped));
    CHECK_CUDA(cudaMallocManaged(&managed, sizeof(host)));
    CHECK_CUDA(cudaMallocPitch(&rows, &pitch, 10 * sizeof(float), 4));
    CHECK(pitch >= 10 * sizeof(float));
    fill<<<2, 32>>>(device, 64, 1.5f);
    CHECK_CUDA(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
    CHECK(host[0] == 1.5f && host[63] == 1.5f);
    CHECK_CUDA(cudaMemset(device, 0, sizeof(host)));
    CHECK_CUDA(cudaMemcpy(pinned, device, sizeof(host), cudaMemcpyDefault));
    CHECK(pinned[63] == 0);
    CHECK_CUDA(cudaHostGetDevicePointer(&device, mapped, 0));
    fill<<<2, 32>>>(device, 64, 2.5f);
    fill<<<2, 32>>>(managed, 64, 3.5f);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(mapped[63] == 2.5f && managed[63] == 3.5f);
    CHECK_CUDA(cudaMemcpy2D(rows, pitch, host, 10 * sizeof(float), 10 * sizeof(float), 4,
                            cudaMemcpyHostToDevice));
    memset(host, 0, sizeof(host));
    CHECK_CUDA(cudaMemcpy2D(host, 10 * sizeof(float), rows, pitch, 10 * sizeof(float), 4,
                            cudaMemcpyDeviceToHost));
    CHECK(host[0] == 1.5f && host[39] == 1.5f && host[40] == 0);
    CHECK_CUDA(cudaPointerGetAttributes(&where, managed));
    CHECK_INT(where.type, cudaMemoryTypeManaged);
    CHECK_CUDA(cudaPointerGetAttributes(&where, rows));
    CHECK_INT(where.type, cudaMemoryTypeDevice);
    CHECK_CUDA(cudaMemGetInfo(&free_bytes, &total));
    CHECK(free_bytes > 0 && free_bytes <= total);
    CHECK_CUDA(cudaFreeHost(pinned));
    CHECK_CUDA(cudaFreeHost(mapped));
    CHECK_CUDA(cudaFree(managed));
    CHECK_CUDA(cudaFree(rows));
}

/* What a program has said of managed memory is told again. */
static void check_advice(void)
{
    const struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0},
                                 cpu = {cudaMemLocationTypeHost, 0};
    int *managed, read_mostly = -1, preferred = -1, users[3] = {7, 7, 7}, last = 7;
    int *places[] = {&read_mostly, &preferred, &last};
    size_t sizes[] = {sizeof(int), sizeof(int), sizeof(int)};
    enum cudaMemRangeAttribute attributes[] = {cudaMemRangeAttributeReadMostly,
                                               cudaMemRangeAttributePreferredLocation,
                                               cudaMemRangeAttributeLastPrefetchLocation};
    CHECK_CUDA(cudaMallocManaged(&managed, 4096));
    CHECK_CUDA(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, device));
    CHECK_CUDA(cudaMemAdvise(managed, 4096, cudaMemAdviseSetPreferredLocation, cpu));
    CHECK_CUDA(cudaMemAdvise(managed, 4096, cudaMemAdviseSetAccessedBy, device));
    CHECK_CUDA(cudaMemPrefetchAsync(managed, 4096, device, 0));
    CHECK_CUDA(cudaMemRangeGetAttributes((void **)places, sizes, attributes, 3, managed, 4096));
    CHECK_CUDA(cudaMemRangeGetAttribute(users, sizeof users, cudaMemRangeAttributeAccessedBy,
                                        managed, 4096));
    CHECK_INT(read_mostly, 1);
    CHECK_INT(preferred, cudaCpuDeviceId);
    CHECK_INT(last, 0);
    CHECK_INT(users[0], 0);
    CHECK_INT(users[1], cudaInvalidDeviceId);
    CHECK_CUDA(cudaFree(managed));
}

static void check_kernels(void)
{
    struct cudaFuncAttributes attributes;
    int blocks, grid_size, block_size, more;
    CHECK_CUDA(cudaFuncGetAttributes(&attributes, fill));
    CHECK(attributes.maxThreadsPerBlock >= 256 && attributes.sharedSizeBytes == 0);
    CHECK_CUDA(cudaFuncSetCacheConfig(fill, cudaFuncCachePreferL1));
    CHECK_CUDA(cudaFuncSetAttribute(sum_shared<double>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    64 * 1024));
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, 0));
    CHECK(blocks >= 1 && blocks <= 32);
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&more, fill, 256, 0,
                                                                      cudaOccupancyDefault));
    CHECK_INT(more, blocks);
    CHECK_CUDA(cudaOccupancyMaxPotentialBlockSize(&grid_size, &block_size, fill));
    CHECK(block_size >= 32 && block_size <= 1024 && block_size % 32 == 0 && grid_size >= 1);
    CHECK_CUDA(cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        &grid_size, &block_size, sum_shared<float>, float_per_thread()));
    CHECK(block_size >= 32 && block_size <= 1024);
    CHECK_CUDA(cudaOccupancyMaxPotentialBlockSize(&grid_size, &block_size, fill, 0, 128));
    CHECK_INT(block_size, 128);

    double *in = make_array<double>(32), *out = make_array<double>(1);
    for (int i = 0; i < 32; i++)
        in[i] = i;
    void *arguments[] = {&in, &out};
    CHECK_CUDA(cudaLaunchKernel(sum_shared<double>, dim3(1), dim3(32), arguments, 256, 0));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_FLOAT(*out, 496, 0);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(16);
    config.dynamicSmemBytes = 128;
    CHECK_CUDA(cudaLaunchKernelEx(&config, sum_shared<double>, (const double *)in, out));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_FLOAT(*out, 120, 0);
}

static void check_device(void)
{
    struct cudaDeviceProp properties;
    int count, value, version;
    CHECK_CUDA(cudaGetDeviceCount(&count));
    CHECK(count >= 1);
    CHECK_CUDA(cudaSetDevice(0));
    CHECK_CUDA(cudaGetDeviceProperties(&properties, 0));
    CHECK(properties.warpSize == 32 && properties.major >= 7 && properties.name[0] != '\0');
    CHECK_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK_INT(value, properties.multiProcessorCount);
    CHECK_CUDA(cudaRuntimeGetVersion(&version));
    CHECK_INT(version, CUDART_VERSION);
    CHECK_INT(cudaSetDevice(count), cudaErrorInvalidDevice);
    CHECK(strcmp(cudaGetErrorName(cudaGetLastError()), "cudaErrorInvalidDevice") == 0);
    CHECK_INT(cudaGetLastError(), cudaSuccess);
}

static void check_events(void)
{
    cudaEvent_t start, stop;
    cudaStream_t stream;
    float time_ms = -1, *data = make_array<float>(64);
    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop, cudaEventBlockingSync));
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK_CUDA(cudaEventRecord(start, stream));
    fill<<<2, 32, 0, stream>>>(data, 64, 4.5f);
    CHECK_CUDA(cudaEventRecord(stop, stream));
    CHECK_CUDA(cudaStreamWaitEvent(stream, stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    CHECK_CUDA(cudaEventElapsedTime(&time_ms, start, stop));
    CHECK(time_ms >= 0 && data[63] == 4.5f);
    CHECK_CUDA(cudaEventDestroy(start));
    CHECK_CUDA(cudaEventDestroy(stop));
    CHECK_CUDA(cudaStreamDestroy(stream));
}

/* The library has functions of these names; a program may have them, too, and is not mistaken for it. */
extern "C" int cuda_error(int code) { return code + 1; }
extern "C" int runtime_enter(void) { return 99; }

int main(void)
{
    void *nothing;
    CHECK(cudaMalloc(&nothing, (size_t)1 << 60) != cudaSuccess && cuda_error(1) == 2);
    CHECK(cudaGetLastError() != cudaSuccess && runtime_enter() == 99);
    check_device();
    check_memory();
    check_advice();
    check_kernels();
    check_events();
    int both[2] = {3, 4}, back[2] = {0, 0};
    CHECK_CUDA(cudaMemcpyToSymbol(limits, both, sizeof(both)));
    CHECK_CUDA(cudaMemcpyFromSymbol(back, limits, sizeof(back)));
    CHECK(back[0] == 3 && back[1] == 4);
    struct cudaExtent extent = make_cudaExtent(8, 4, 2);
    struct cudaPitchedPtr volume;
    CHECK_CUDA(cudaMalloc3D(&volume, extent));
    CHECK(volume.pitch >= 8 && volume.ysize == 4);
    CHECK_CUDA(cudaMemset3D(volume, 0, extent));
    CHECK_CUDA(cudaFree(volume.ptr));
    return check_done();
}
