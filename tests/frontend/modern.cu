/* modern.cu - calls of today's CUDA, as an H200 answers them (recorded 2026-11-28): occupancy
 * beside a preferred carveout, launch attributes with events, handles of mapped memory, textures
 * that say whether texels are there, grids that count threads, and waits of limited time. */
/* flags: -std=c++17 -arch=sm_90 -lcuda */
#include "check.h"

#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;

static __global__ void shares(float *a)
{
    extern __shared__ float s[];
    s[threadIdx.x] = a[threadIdx.x];
}

static void test_carveout(void)
{
    static const int percents[] = {-1, 0, 3, 10, 25, 33, 50, 58, 75, 90, 100};
    static const int bytes[] = {0, 1024, 4096, 10240, 20480, 40960};
    static const int blocks[][6] = {
        {32, 32, 32, 20, 10, 5}, {8, 4, 1, 1, 1, 1},     {8, 4, 1, 1, 1, 1},
        {32, 16, 6, 2, 1, 1},    {32, 32, 12, 5, 3, 1},  {32, 32, 20, 9, 4, 2},
        {32, 32, 26, 12, 6, 3},  {32, 32, 32, 14, 7, 4}, {32, 32, 32, 17, 9, 4},
        {32, 32, 32, 20, 10, 5}, {32, 32, 32, 20, 10, 5}};
    cudaFuncAttributes attributes;
    int untouched = 0;
    CHECK_CUDA(cudaFuncGetAttributes(&attributes, shares));
    CHECK_INT(attributes.preferredShmemCarveout, cudaSharedmemCarveoutDefault);
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&untouched, shares, 64, 40960));
    CHECK_INT(untouched, 5);
    for (int p = 0; p < 11; p++) {
        CHECK_CUDA(cudaFuncSetAttribute(shares, cudaFuncAttributePreferredSharedMemoryCarveout,
                                        percents[p]));
        for (int b = 0; b < 6; b++) {
            int count = 0;
            CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, shares, 64, bytes[b]));
            CHECK_INT(count, blocks[p][b]);
        }
    }
    cudaDeviceProp properties;
    CHECK_CUDA(cudaGetDeviceProperties(&properties, 0));
    CHECK_INT(properties.clusterLaunch, 1);
}

static __global__ void twice(int *a) { a[threadIdx.x] *= 2; }

static void test_attributes(void)
{
    int *a = make_array<int>(32);
    cudaEvent_t event;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attributes[2] = {};
    CHECK_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (int i = 0; i < 32; i++)
        a[i] = i;
    attributes[0].id = cudaLaunchAttributeLaunchCompletionEvent;
    attributes[0].val.launchCompletionEvent.event = event;
    attributes[0].val.launchCompletionEvent.flags = 0;
    attributes[1].id = cudaLaunchAttributePriority;
    attributes[1].val.priority = -1;
    config.gridDim = 1;
    config.blockDim = 32;
    config.attrs = attributes;
    config.numAttrs = 2;
    CHECK_CUDA(cudaLaunchKernelEx(&config, twice, a));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaEventSynchronize(event));
    CHECK_INT(a[31], 62);
}

/* A handle is released as often as it was given: the memory remains as long as it is mapped. */
static void test_retained(void)
{
    CUmemAllocationProp properties = {};
    CUmemAccessDesc access = {};
    CUmemGenericAllocationHandle handle, again = 0;
    CUdeviceptr at;
    size_t step;
    int value = 7, back = 0;
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CHECK_INT(cuMemGetAllocationGranularity(&step, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
              CUDA_SUCCESS);
    CHECK_INT(cuMemAddressReserve(&at, 2 * step, 0, 0, 0), CUDA_SUCCESS);
    CHECK_INT(cuMemCreate(&handle, step, &properties, 0), CUDA_SUCCESS);
    CHECK_INT(cuMemMap(at, step, 0, handle, 0), CUDA_SUCCESS);
    CHECK_INT(cuMemSetAccess(at, step, &access, 1), CUDA_SUCCESS);
    CHECK_INT(cuMemRetainAllocationHandle(&again, (void *)(at + 5)), CUDA_SUCCESS);
    CHECK(again == handle);
    CHECK(cuMemRetainAllocationHandle(&again, (void *)(at + step)) != CUDA_SUCCESS);
    CHECK_INT(cuMemRelease(handle), CUDA_SUCCESS);
    CHECK_INT(cuMemRelease(handle), CUDA_SUCCESS);
    CHECK_INT(cuMemcpyHtoD(at + 8, &value, sizeof value), CUDA_SUCCESS);
    CHECK_INT(cuMemcpyDtoH(&back, at + 8, sizeof back), CUDA_SUCCESS);
    CHECK_INT(back, 7);
    if (on_simulator)
        CHECK(cuMemRelease(handle) != CUDA_SUCCESS);
    CHECK_INT(cuMemUnmap(at, step), CUDA_SUCCESS);
    CHECK_INT(cuMemAddressFree(at, 2 * step), CUDA_SUCCESS);
}

static __global__ void read(cudaTextureObject_t t, float *values, bool *there)
{
    const int i = threadIdx.x;
    values[i] = tex2D<float>(t, i + 0.5f, 0.5f, &there[i]);
    values[i + 4] = tex2DLod<float>(t, i + 0.5f, 0.5f, 0.0f, &there[i + 4]);
}

static void test_residency(void)
{
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    const float texels[] = {1.5f, 2.5f, 3.5f, 4.5f};
    float *values = make_array<float>(8);
    bool *there = make_array<bool>(8);
    cudaArray_t array;
    cudaTextureObject_t texture;
    cudaResourceDesc r = {};
    cudaTextureDesc t = {};
    CHECK_CUDA(cudaMallocArray(&array, &f, 4, 1));
    CHECK_CUDA(cudaMemcpy2DToArray(array, 0, 0, texels, 16, 16, 1, cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    CHECK_CUDA(cudaCreateTextureObject(&texture, &r, &t, NULL));
    memset(there, 0, 8);
    read<<<1, 4>>>(texture, values, there);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 8; i++) {
        CHECK_FLOAT(values[i], texels[i % 4], 0);
        CHECK(there[i]);
    }
}

static __global__ void counts(int *out)
{
    const cg::grid_group g = cg::this_grid();
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier all;
    if (threadIdx.x == 0)
        init(&all, blockDim.x);
    __syncthreads();
    (void)all.arrive();
    bool done = false;
    while (!done)
        done = all.try_wait_parity_for(false, cuda::std::chrono::nanoseconds(1000));
    if (g.thread_rank() == g.num_threads() - 1)
        out[0] = (int)g.dim_threads().x, out[1] = (int)g.thread_index().x;
}

static void test_grid(void)
{
    int *out = make_array<int>(2);
    counts<<<3, 64>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(out[0], 192);
    CHECK_INT(out[1], 191);
}

int main()
{
    CHECK_CUDA(cudaFree(NULL));
    test_carveout();
    test_attributes();
    test_retained();
    test_residency();
    test_grid();
    return check_done();
}
