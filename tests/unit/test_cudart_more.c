/* The rest of the CUDA runtime: device switches and limits, peers, hints on memory, the memory
 * pool, what streams and kernels tell about themselves, asynchronous copies, and a device that is
 * lost. */
#include "cudart_fixture.h"

#include "include/cuda_runtime_api.h"
#include "runtime/cudart_cluster.h"
#include "runtime/cudart_kernel.h"
#include "runtime/cudart_pool_memory.h"
#include "runtime/registry.h"
#include "runtime/unread.h"
#include "suite.h"

static void setup(void) { register_program(); }

static void *device_bytes(size_t bytes)
{
    void *pointer = NULL;
    CHECK_OK(cudaMalloc(&pointer, bytes));
    return pointer;
}

/* ---- the device ------------------------------------------------------------------------------ */

START_TEST(there_is_one_device)
{
    int device = -1, one = 1, zero = 0;
    struct cudaDeviceProp any;
    memset(&any, 0, sizeof any);
    CHECK_OK(cudaGetDevice(&device));
    ck_assert_int_eq(device, 0);
    device = -1;
    CHECK_OK(cudaChooseDevice(&device, &any));
    ck_assert_int_eq(device, 0);
    CHECK_OK(cudaInitDevice(0, 0, 0));
    CHECK_OK(cudaSetValidDevices(&zero, 1));
    CHECK_OK(cudaSetValidDevices(NULL, 0));
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidDevice, cudaSetValidDevices(&one, 1));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaInitDevice(1, 0, 0));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaSetDevice(-1));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&zero, cudaDevAttrWarpSize, 7));
    capture_end();
    CHECK_ERROR(cudaErrorInvalidValue, cudaSetValidDevices(&zero, 2));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetDeviceCount(NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetDevice(NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetDeviceProperties(NULL, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaChooseDevice(&device, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaDriverGetVersion(NULL));
}
END_TEST

START_TEST(a_bus_id_names_the_device)
{
    char id[32] = "", tight[8];
    int device = -1;
    CHECK_OK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
    CHECK_OK(cudaDeviceGetByPCIBusId(&device, id));
    ck_assert_int_eq(device, 0);
    CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&device, "0000:99:00.0"));
    CHECK_ERROR(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(tight, sizeof tight, 0));
}
END_TEST

START_TEST(it_has_no_peer)
{
    int can = 1;
    CHECK_OK(cudaDeviceCanAccessPeer(&can, 0, 0));
    ck_assert_int_eq(can, 0);
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess(1));
    CHECK_ERROR(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(0, 5));
    CHECK_ERROR(cudaErrorInvalidDevice,
                cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1));
    capture_end();
}
END_TEST

START_TEST(switches_are_remembered)
{
    unsigned flags = 0;
    enum cudaFuncCache cache = cudaFuncCachePreferNone;
    enum cudaSharedMemConfig banks = cudaSharedMemBankSizeDefault;
    size_t heap = 0;
    CHECK_OK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    CHECK_OK(cudaGetDeviceFlags(&flags));
    ck_assert_uint_eq(flags, cudaDeviceScheduleBlockingSync | cudaDeviceMapHost);
    CHECK_OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    CHECK_OK(cudaDeviceGetCacheConfig(&cache));
    ck_assert_int_eq(cache, cudaFuncCachePreferL1);
    CHECK_OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    CHECK_OK(cudaDeviceGetSharedMemConfig(&banks));
    ck_assert_int_eq(banks, cudaSharedMemBankSizeFourByte);
    CHECK_OK(cudaDeviceGetLimit(&heap, cudaLimitPrintfFifoSize));
    ck_assert_uint_eq(heap, 8650752); /* 64 KB an SM, as an H200 says */
    CHECK_OK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    ck_assert_uint_eq(heap, 8 << 20);
    CHECK_OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 123456));
    CHECK_OK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    ck_assert_uint_eq(heap, 123456);
    CHECK_ERROR(cudaErrorInvalidValue, cudaDeviceSetCacheConfig((enum cudaFuncCache)4));
    CHECK_ERROR(cudaErrorInvalidValue, cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)3));
    capture_begin();
    CHECK_ERROR(cudaErrorUnsupportedLimit, cudaDeviceSetLimit((enum cudaLimit)99, 1));
    CHECK_ERROR(cudaErrorInvalidValue, cudaSetDeviceFlags(0x1000));
    capture_end();
    CHECK_OK(cudaCtxResetPersistingL2Cache());
    CHECK_OK(cudaProfilerStart());
    CHECK_OK(cudaProfilerStop());
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

START_TEST(hints_are_judged_like_any_call)
{
    void *managed = NULL, *device = device_bytes(64);
    struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    struct cudaMemLocation host = {cudaMemLocationTypeHost, 0};
    struct cudaMemLocation far = {cudaMemLocationTypeDevice, 3};
    enum cudaMemoryAdvise advice = cudaMemAdviseSetReadMostly;
    CHECK_OK(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
    CHECK_OK(cudaMemPrefetchAsync(managed, 64, here, 0, NULL));
    CHECK_OK(cudaMemPrefetchAsync(managed, 64, host, 0, NULL));
    CHECK_OK(cudaMemAdvise(managed, 64, advice, here));
    CHECK_OK(cudaStreamAttachMemAsync(NULL, managed, 0, cudaMemAttachHost));
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidDevice, cudaMemPrefetchAsync(managed, 64, far, 0, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemPrefetchAsync(managed, 65, here, 0, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemPrefetchAsync(device, 64, here, 0, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemPrefetchAsync(managed, 64, here, 1, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemAdvise(managed, 64, (enum cudaMemoryAdvise)0, here));
    CHECK_ERROR(cudaErrorInvalidValue, cudaStreamAttachMemAsync(NULL, managed, 0, 77));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMallocManaged(&managed, 64, 77));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMallocManaged(&managed, 0, cudaMemAttachGlobal));
    CHECK_ERROR(cudaErrorInvalidValue, cudaHostAlloc(&managed, 64, 0x100));
    CHECK_ERROR(cudaErrorInvalidValue, cudaHostRegister(NULL, 64, 0));
    capture_end();
}
END_TEST

START_TEST(pinned_memory_has_flags)
{
    unsigned flags = 0;
    void *pinned = NULL, *other = NULL;
    CHECK_OK(cudaMallocHost(&pinned, 16));
    CHECK_OK(cudaHostGetFlags(&flags, pinned));
    ck_assert_uint_ne(flags & cudaHostAllocMapped, 0);
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidValue, cudaHostGetFlags(&flags, &flags));
    CHECK_ERROR(cudaErrorInvalidValue, cudaHostGetDevicePointer(&other, &flags, 0));
    capture_end();
}
END_TEST

START_TEST(absurd_sizes_are_rejected)
{
    void *pointer = NULL;
    size_t pitch = 0;
    struct cudaPitchedPtr box;
    struct cudaExtent huge = {1, SIZE_MAX, 3}, wide = {SIZE_MAX, 1, 1};
    capture_begin();
    CHECK_ERROR(cudaErrorMemoryAllocation, cudaMalloc(&pointer, SIZE_MAX));
    CHECK_ERROR(cudaErrorMemoryAllocation, cudaMallocHost(&pointer, SIZE_MAX - 100));
    CHECK_ERROR(cudaErrorMemoryAllocation, cudaMallocPitch(&pointer, &pitch, SIZE_MAX, 2));
    CHECK_ERROR(cudaErrorMemoryAllocation, cudaMallocPitch(&pointer, &pitch, 512, SIZE_MAX / 256));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMallocPitch(&pointer, NULL, 4, 4));
    CHECK_ERROR(cudaErrorMemoryAllocation, cudaMalloc3D(&box, huge));
    CHECK_ERROR(cudaErrorMemoryAllocation, cudaMalloc3D(&box, wide));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMalloc3D(NULL, wide));
    capture_end();
}
END_TEST

START_TEST(a_pool_finds_freed_memory_again)
{
    struct pool_memory *pool = pool_memory_new();
    const cudaStream_t stream = (cudaStream_t)(uintptr_t)0x10,
                       other = (cudaStream_t)(uintptr_t)0x20;
    void *const memory = (void *)(uintptr_t)0x70000;
    pool_memory_taken(pool, memory, 100);
    ck_assert_uint_eq(pool_memory_place(pool, 100, stream), 0); /* it is in use */
    pool_memory_freed(memory, true, stream);
    ck_assert_uint_eq(pool_memory_place(pool, 100, other), 0);
    ck_assert_uint_eq(pool_memory_place(pool, 96, stream), 0);
    ck_assert_uint_eq(pool_memory_place(pool, 100, stream), 0x70000);
    ck_assert_uint_eq(pool_memory_place(pool, 100, stream), 0);
    pool_memory_taken(pool, memory, 100);
    ck_assert_uint_eq(pool_memory_bytes(pool).used, 100);
    pool_memory_freed(memory, false, NULL); /* by cudaFree(): in no stream */
    ck_assert_uint_eq(pool_memory_place(pool, 100, NULL), 0);
    pool_memory_taken(pool, memory, 100);
    pool_memory_freed(memory, true, stream);
    pool_memory_never_again();
    ck_assert_uint_eq(pool_memory_place(pool, 100, stream), 0);
    ck_assert_uint_eq(pool_memory_bytes(pool).used, 0);
    ck_assert_uint_eq(pool_memory_bytes(pool).used_high, 100);
    pool_memory_release(pool);
}
END_TEST

START_TEST(the_default_pool_is_there)
{
    cudaMemPool_t pool = NULL, same = NULL;
    uint64_t threshold = 0, used = 0, high = 0;
    int reuse = 0;
    void *pointer = NULL;
    CHECK_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK_OK(cudaDeviceGetMemPool(&same, 0));
    ck_assert_ptr_eq(pool, same);
    CHECK_OK(cudaDeviceSetMemPool(0, pool));
    threshold = UINT64_MAX;
    CHECK_OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    threshold = 0;
    CHECK_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    ck_assert_uint_eq(threshold, UINT64_MAX);
    CHECK_OK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
    reuse = 5;
    CHECK_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
    ck_assert_int_eq(reuse, 0);
    CHECK_OK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &reuse));
    reuse = 5;
    CHECK_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &reuse));
    ck_assert_int_eq(reuse, 0);
    CHECK_OK(cudaMallocFromPoolAsync(&pointer, 1000, pool, NULL));
    CHECK_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    ck_assert_uint_ge(used, 1000);
    CHECK_OK(cudaFreeAsync(pointer, NULL));
    CHECK_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
    ck_assert_uint_eq(high, used);
    CHECK_OK(cudaMemPoolTrimTo(pool, 0));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceGetDefaultMemPool(&pool, 1));
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemPoolTrimTo((cudaMemPool_t)&pool, 0));
    capture_end();
}
END_TEST

START_TEST(queued_calls_do_what_waiting_ones_do)
{
    cudaStream_t stream = NULL;
    unsigned char *d = device_bytes(64), host[64], back[64];
    unsigned three = 3, variable = 0;
    CHECK_OK(cudaStreamCreate(&stream));
    memset(host, 7, sizeof host);
    CHECK_OK(cudaMallocAsync((void **)&d, 64, stream));
    CHECK_OK(cudaMemset2DAsync(d, 16, 1, 8, 4, stream));
    CHECK_OK(cudaMemcpy2DAsync(d, 16, host, 16, 4, 4, cudaMemcpyHostToDevice, stream));
    CHECK_OK(cudaMemcpyPeerAsync(d + 16, 0, d, 0, 8, stream));
    CHECK_OK(cudaMemcpyAsync(back, d, 64, cudaMemcpyDeviceToHost, stream));
    ck_assert(back[0] == 7 && back[4] == 1 && back[8] == 0xff && back[16 + 3] == 7);
    struct cudaPitchedPtr box = {d, 16, 16, 2};
    CHECK_OK(cudaMemset3DAsync(box, 9, (struct cudaExtent){3, 2, 2}, stream));
    struct cudaMemcpy3DParms copy = {.srcPtr = box, .extent = {3, 2, 2}};
    copy.dstPtr = (struct cudaPitchedPtr){back, 16, 16, 2};
    copy.kind = cudaMemcpyDefault;
    CHECK_OK(cudaMemcpy3DAsync(&copy, stream));
    ck_assert(back[2] == 9 && back[3] == 7 && back[48 + 2] == 9);
    CHECK_OK(cudaMemcpyToSymbolAsync(counter_shadow, &three, 4, 0, cudaMemcpyHostToDevice, stream));
    CHECK_OK(cudaMemcpyFromSymbolAsync(&variable, counter_shadow, 4, 0, cudaMemcpyDefault, stream));
    ck_assert_uint_eq(variable, 3);
    CHECK_OK(cudaFreeAsync(d, stream));
    CHECK_OK(cudaStreamDestroy(stream));
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaMallocAsync((void **)&d, 64, stream));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaMemcpy3DAsync(&copy, stream));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaMemcpyPeer(d, 1, d, 0, 4));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemcpy3D(NULL));
    capture_end();
}
END_TEST

/* A copy that is queued behind a fault is dropped; one that waits tells of it. */
START_TEST(a_lost_device_does_nothing_more)
{
    unsigned *pinned = NULL, *d = device_bytes(4), seven = 7;
    CHECK_OK(cudaMallocHost((void **)&pinned, 4));
    *pinned = 1;
    capture_begin();
    CHECK_OK(launch(&stop_stub, 1, 1, NULL));
    CHECK_OK(cudaMemcpyAsync(pinned, &seven, 4, cudaMemcpyHostToHost, NULL));
    CHECK_OK(cudaMemsetAsync(d, 0, 4, NULL));
    ck_assert_uint_eq(*pinned, 1);
    CHECK_ERROR(cudaErrorLaunchFailure, cudaMemcpy(&seven, d, 4, cudaMemcpyDeviceToHost));
    CHECK_ERROR(cudaErrorLaunchFailure, cudaMemcpyAsync(&seven, d, 4, cudaMemcpyDefault, NULL));
    capture_end();
}
END_TEST

/* ---- streams and kernels about themselves ---------------------------------------------------- */

START_TEST(streams_tell_what_they_are)
{
    cudaStream_t a = NULL, b = NULL;
    unsigned flags = 9;
    unsigned long long id_a = 0, id_b = 0, id_default = 0;
    int device = -1;
    cudaStreamAttrValue value = {.priority = -2};
    enum cudaStreamCaptureStatus status = (enum cudaStreamCaptureStatus)5;
    CHECK_OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK_OK(cudaStreamCreateWithPriority(&b, cudaStreamDefault, -3));
    CHECK_OK(cudaStreamGetFlags(a, &flags));
    ck_assert_uint_eq(flags, cudaStreamNonBlocking);
    CHECK_OK(cudaStreamGetId(a, &id_a));
    CHECK_OK(cudaStreamGetId(b, &id_b));
    CHECK_OK(cudaStreamGetId(NULL, &id_default));
    ck_assert(id_a != id_b && id_a != id_default && id_b != id_default);
    CHECK_OK(cudaStreamGetDevice(b, &device));
    ck_assert_int_eq(device, 0);
    CHECK_OK(cudaStreamSetAttribute(a, cudaStreamAttributeAccessPolicyWindow, &value));
    CHECK_OK(cudaStreamGetAttribute(b, cudaStreamAttributePriority, &value));
    ck_assert_int_eq(value.priority, -3);
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaStreamGetAttribute(b, cudaStreamAttributePriority, NULL));
    CHECK_OK(cudaStreamCopyAttributes(a, b));
    CHECK_OK(cudaStreamIsCapturing(a, &status));
    ck_assert_int_eq(status, cudaStreamCaptureStatusNone);
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaStreamSetAttribute(a, cudaLaunchAttributeCooperative, &value));
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&a, 0x40));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaStreamDestroy(NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaLaunchHostFunc(NULL, NULL, NULL));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaStreamGetFlags((cudaStream_t)&a, &flags));
    capture_end();
}
END_TEST

START_TEST(kernels_tell_their_name_and_parameters)
{
    const char *name = NULL;
    size_t offset = 99, bytes = 99;
    cudaKernel_t kernel = NULL, same = NULL;
    CHECK_OK(cudaFuncGetName(&name, &store_stub));
    ck_assert_str_eq(name, "_Z5storePjj");
    CHECK_OK(cudaFuncGetParamInfo(&store_stub, 1, &offset, &bytes));
    ck_assert(offset == 8 && bytes == 4);
    CHECK_ERROR(cudaErrorInvalidValue, cudaFuncGetParamInfo(&store_stub, 2, &offset, &bytes));
    CHECK_OK(cudaGetKernel(&kernel, &store_stub));
    CHECK_OK(__cudaGetKernel(&same, &store_stub));
    ck_assert_ptr_eq(kernel, same);
}
END_TEST

START_TEST(kernels_take_hints)
{
    struct cudaFuncAttributes attributes;
    enum cudaFuncAttribute carveout = cudaFuncAttributePreferredSharedMemoryCarveout;
    CHECK_OK(cudaFuncSetAttribute(&empty_stub, carveout, 50));
    CHECK_OK(cudaFuncGetAttributes(&attributes, &empty_stub));
    ck_assert_int_eq(attributes.preferredShmemCarveout, 50);
    CHECK_OK(cudaFuncSetCacheConfig(&empty_stub, cudaFuncCachePreferShared));
    CHECK_OK(cudaFuncSetSharedMemConfig(&empty_stub, cudaSharedMemBankSizeFourByte));
    CHECK_ERROR(cudaErrorInvalidValue, cudaFuncSetAttribute(&empty_stub, carveout, 101));
    CHECK_ERROR(cudaErrorInvalidValue, cudaFuncSetCacheConfig(&empty_stub, (enum cudaFuncCache)9));
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaFuncSetAttribute(&empty_stub, cudaFuncAttributeRequiredClusterWidth, -1));
    CHECK_ERROR(cudaErrorInvalidDeviceFunction,
                cudaFuncSetCacheConfig(NULL, cudaFuncCachePreferL1));
    CHECK_ERROR(cudaErrorInvalidResourceHandle,
                cudaFuncSetCacheConfig(&attributes, cudaFuncCachePreferShared));
    capture_end();
}
END_TEST

START_TEST(occupancy_calls_judge_their_arguments)
{
    int blocks = 0;
    size_t bytes = 0;
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &empty_stub, 0, 0));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, &empty_stub, 32, 0));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &empty_stub, 33, 32));
    capture_end();
}
END_TEST

START_TEST(clusters_that_a_gpu_has_not_are_rejected)
{
    cudaLaunchAttribute attributes[2];
    memset(attributes, 0, sizeof attributes);
    attributes[0].id = cudaLaunchAttributePriority;
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim.x = attributes[1].val.clusterDim.y = 1;
    attributes[1].val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {.gridDim = dim(4), .blockDim = dim(32)};
    config.attrs = attributes;
    config.numAttrs = 2;
    CHECK_OK(cudaLaunchKernelExC(&config, &empty_stub, NULL));
    attributes[1].val.clusterDim.x = 2;
    CHECK_OK(cudaLaunchKernelExC(&config, &empty_stub, NULL));
    capture_begin();
    attributes[1].val.clusterDim.x = 3; /* does not divide the grid */
    CHECK_ERROR(cudaErrorInvalidClusterSize, cudaLaunchKernelExC(&config, &empty_stub, NULL));
    config.gridDim = dim(32);
    attributes[1].val.clusterDim.x = 16;
    CHECK_ERROR(cudaErrorInvalidClusterSize, cudaLaunchKernelExC(&config, &empty_stub, NULL));
    capture_end();
    CHECK_OK(cudaFuncSetAttribute(&empty_stub, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CHECK_OK(cudaLaunchKernelExC(&config, &empty_stub, NULL));
    CHECK_ERROR(cudaErrorInvalidValue, cudaLaunchKernelExC(NULL, &empty_stub, NULL));
}
END_TEST

START_TEST(a_kernel_may_ask_for_its_clusters_itself)
{
    const struct CUkern_st any = {.plain = "any"},
                           pairs = {.plain = "pairs", .required_cluster = {2, 1, 1}};
    dim3 asked = {0, 0, 0};
    CHECK_OK(cluster_of(&any, &asked));
    ck_assert_uint_eq(asked.x, 0);
    CHECK_OK(cluster_of(&pairs, &asked)); /* who asks for none gets what the kernel requires */
    ck_assert_uint_eq(asked.x, 2);
    CHECK_OK(cluster_of(&pairs, &asked));
    asked.y = 2;
    CHECK_SAYS(cudaErrorInvalidClusterSize,
               "clusters of 2 x 2 x 1 blocks: its __cluster_dims__ are 2 x 1 x 1",
               cluster_of(&pairs, &asked));
    asked = (dim3){4, 1, 1};
    CHECK_OK(cluster_of(&any, &asked));
    ck_assert_uint_eq(asked.x, 4);
}
END_TEST

START_TEST(kernels_read_the_limits_that_the_host_has_set)
{
    uint64_t bytes = 0;
    CHECK_OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 5 << 20));
    ck_assert(limit_value(cudaLimitMallocHeapSize, &bytes) && bytes == 5 << 20);
    ck_assert(!limit_value(-1, &bytes) && bytes == 0);
    ck_assert(!limit_value(1000, &bytes) && bytes == 0);
}
END_TEST

START_TEST(a_stub_without_a_configuration_does_not_launch)
{
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    unsigned pushed = 0;
    capture_begin();
    CHECK_ERROR(cudaErrorMissingConfiguration,
                __cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    while (__cudaPushCallConfiguration(dim(1), dim(1), 0, NULL) == 0 && pushed < 1000) {
        pushed++;
    }
    capture_end();
    ck_assert(pushed >= 4 && pushed < 1000);
}
END_TEST

/* ---- launches by kernels --------------------------------------------------------------------- */

/* void deeper(unsigned *count) { ++*count; deeper<<<1, 1>>>(count); } */
static const char deeper_ptx[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, "
    ".param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
    ".visible .entry deeper(.param .u64 count) {\n"
    ".reg .pred %p<2>; .reg .b64 %rd<5>; ld.param.u64 %rd1, [count];\n"
    "red.global.add.u32 [%rd1], 1; mov.u64 %rd2, deeper;\n"
    "{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s;\n"
    ".param .b64 r; st.param.b64 [f], %rd2; st.param.b32 [s], 0;\n"
    "st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"
    "st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;\n"
    "call.uni (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd3, [r]; }\n"
    "setp.eq.u64 %p1, %rd3, 0; @%p1 bra END; st.global.u64 [%rd3], %rd1; mov.u64 %rd4, 0;\n"
    "{ .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %rd3;\n"
    "st.param.b64 [s], %rd4; call.uni (r), __cudaCDP2LaunchDeviceV2, (p, s); }\nEND: ret; }\n";

START_TEST(launches_in_launches_are_24_deep)
{
    static const char stub;
    static struct fatbin_wrapper wrapper = {0x466243b1, 1, deeper_ptx, NULL};
    unsigned *count = device_words(1);
    void *args[] = {&count};
    register_kernel(__cudaRegisterFatBinary(&wrapper), &stub, "deeper");
    CHECK_OK(cudaMemset(count, 0, sizeof *count));
    CHECK_OK(launch(&stub, 1, 1, args));
    CHECK_OK(cudaDeviceSynchronize());
    ck_assert_uint_eq(word_at(count), 1 + 24);
}
END_TEST

/* ---- errors of launches that nobody reads ---------------------------------------------------- */

static char unread_kernels[16];

static void note_kernel(const struct unread_error *e)
{
    strncat(unread_kernels, e->kernel, sizeof unread_kernels - strlen(unread_kernels) - 1);
}

START_TEST(each_place_of_a_failed_launch_is_kept_once)
{
    static const char here, there;
    unread_add(&(struct unread_error){cudaErrorInvalidValue, "a", &here});
    unread_add(&(struct unread_error){cudaErrorInvalidValue, "b", &there});
    unread_add(&(struct unread_error){cudaErrorInvalidValue, "c", &here}); /* again */
    unread_visit(note_kernel);
    ck_assert_str_eq(unread_kernels, "ba"); /* the last one first */
    unread_are_read();
    unread_kernels[0] = '\0';
    unread_visit(note_kernel);
    ck_assert_str_eq(unread_kernels, "");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("cudart, the rest");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, there_is_one_device);
    tcase_add_test(tests, a_bus_id_names_the_device);
    tcase_add_test(tests, it_has_no_peer);
    tcase_add_test(tests, switches_are_remembered);
    tcase_add_test(tests, hints_are_judged_like_any_call);
    tcase_add_test(tests, pinned_memory_has_flags);
    tcase_add_test(tests, absurd_sizes_are_rejected);
    tcase_add_test(tests, a_pool_finds_freed_memory_again);
    tcase_add_test(tests, the_default_pool_is_there);
    tcase_add_test(tests, queued_calls_do_what_waiting_ones_do);
    tcase_add_test(tests, a_lost_device_does_nothing_more);
    tcase_add_test(tests, streams_tell_what_they_are);
    tcase_add_test(tests, kernels_tell_their_name_and_parameters);
    tcase_add_test(tests, kernels_take_hints);
    tcase_add_test(tests, occupancy_calls_judge_their_arguments);
    tcase_add_test(tests, clusters_that_a_gpu_has_not_are_rejected);
    tcase_add_test(tests, a_kernel_may_ask_for_its_clusters_itself);
    tcase_add_test(tests, kernels_read_the_limits_that_the_host_has_set);
    tcase_add_test(tests, a_stub_without_a_configuration_does_not_launch);
    tcase_add_test(tests, launches_in_launches_are_24_deep);
    tcase_add_test(tests, each_place_of_a_failed_launch_is_kept_once);
    return run_suite("cudart, the rest", tests);
}
