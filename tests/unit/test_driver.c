/* test_driver.c - calls of the runtime and of the driver API that are given what they cannot use,
 * one reason a test. */
#include "cudart_fixture.h"

#include "api/simt_last.h"
#include "include/cuda.h"
#include "machine/images.h"
#include "runtime/cudart.h"
#include "suite.h"

#include <pthread.h>

static void setup(void)
{
    register_program();
    CHECK_OK(cudaFree(NULL)); /* the first call makes the context */
}

START_TEST(the_version_goes_somewhere)
{
    int version = 0;
    ck_assert_int_eq(cuDriverGetVersion(NULL), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuDriverGetVersion(&version), CUDA_SUCCESS);
    ck_assert_int_ge(version, 11000);
}
END_TEST

START_TEST(a_pool_says_which_address_is_missing)
{
    cudaMemPool_t pool;
    enum cudaMemAccessFlags flags;
    struct cudaMemLocation here = {.type = cudaMemLocationTypeDevice, .id = 0};
    CHECK_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK_SAYS(cudaErrorInvalidValue, "the answer has no address",
               cudaMemPoolGetAccess(NULL, pool, &here));
    CHECK_SAYS(cudaErrorInvalidValue, "the location has no address",
               cudaMemPoolGetAccess(&flags, pool, NULL));
    CHECK_OK(cudaMemPoolGetAccess(&flags, pool, &here));
    ck_assert_int_eq(flags, cudaMemAccessFlagsProtReadWrite);
}
END_TEST

/* On a card such a call may end the program, so no program of tests/programs makes it. */
START_TEST(a_destroyed_context_is_known)
{
    CUcontext context;
    ck_assert_int_eq(cuInit(0), CUDA_SUCCESS);
    ck_assert_int_eq(cuCtxCreate(&context, NULL, 0, 0), CUDA_SUCCESS);
    ck_assert_int_eq(cuCtxDestroy(context), CUDA_SUCCESS);
    ck_assert_int_eq(cuCtxPushCurrent(context), CUDA_ERROR_INVALID_CONTEXT);
}
END_TEST

START_TEST(a_copy_between_devices_has_parameters)
{
    CHECK_SAYS(cudaErrorInvalidValue, "null pointer", cudaMemcpy3DPeer(NULL));
}
END_TEST

START_TEST(an_edge_stays_within_its_graph)
{
    cudaGraph_t one, other;
    cudaGraphNode_t a, b, far;
    CHECK_OK(cudaGraphCreate(&one, 0));
    CHECK_OK(cudaGraphCreate(&other, 0));
    CHECK_OK(cudaGraphAddEmptyNode(&a, one, NULL, 0));
    CHECK_OK(cudaGraphAddEmptyNode(&b, one, NULL, 0));
    CHECK_OK(cudaGraphAddEmptyNode(&far, other, NULL, 0));
    const struct {
        cudaGraphNode_t from, to;
        const char *words;
    } wrong[] = {{far, a, "both nodes must belong to the graph"},
                 {a, far, "both nodes must belong to the graph"},
                 {a, a, "a node cannot depend on itself"}};
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        capture_begin();
        CHECK_ERROR(cudaErrorInvalidValue,
                    cudaGraphAddDependencies(one, &wrong[i].from, &wrong[i].to, NULL, 1));
        ck_assert_ptr_nonnull(strstr(capture_end(), wrong[i].words));
    }
    CHECK_OK(cudaGraphAddDependencies(one, &a, &b, NULL, 1));
}
END_TEST

START_TEST(an_array_is_known_until_it_is_freed)
{
    const struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    struct cudaExtent extent;
    cudaArray_t array;
    CHECK_OK(cudaMallocArray(&array, &format, 64, 8, 0));
    CHECK_OK(cudaArrayGetInfo(NULL, &extent, NULL, array));
    ck_assert(extent.width == 64 && extent.height == 8);
    CHECK_OK(cudaFreeArray(array));
    CHECK_SAYS(cudaErrorInvalidResourceHandle, "has been freed",
               cudaArrayGetInfo(NULL, &extent, NULL, array));
}
END_TEST

START_TEST(an_array_has_at_most_131072_elements_a_row)
{
    const struct cudaChannelFormatDesc format = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
    cudaArray_t array;
    CHECK_OK(cudaMallocArray(&array, &format, 131072, 1, 0));
    CHECK_OK(cudaFreeArray(array));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMallocArray(&array, &format, 131073, 1, 0));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMalloc3DArray(&array, &format, (struct cudaExtent){8, 8, 131073}, 0));
}
END_TEST

START_TEST(memory_is_mapped_where_it_was_reserved)
{
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
    CUmemGenericAllocationHandle handle;
    size_t bytes;
    ck_assert_int_eq(cuMemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
                     CUDA_SUCCESS);
    ck_assert_int_eq(cuMemCreate(&handle, bytes, &prop, 0), CUDA_SUCCESS);
    ck_assert_int_eq(cuMemMap((CUdeviceptr)bytes, bytes, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuMemRelease(handle), CUDA_SUCCESS);
}
END_TEST

START_TEST(a_name_of_the_driver_begins_with_a_capital)
{
    void *function = NULL;
    ck_assert_int_eq(cuGetProcAddress("cuArrayCreate", &function, 13000, 0, NULL), CUDA_SUCCESS);
    ck_assert_ptr_nonnull(function);
    /* cuCtxSynchronize_v2(), which takes a context, came with CUDA 13 */
    ck_assert_int_eq(cuGetProcAddress("cuCtxSynchronize", &function, 12000, 0, NULL), CUDA_SUCCESS);
    ck_assert_ptr_eq(function, (void *)cuCtxSynchronize);
    ck_assert_int_eq(cuGetProcAddress("cuda", &function, 13000, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuGetProcAddress("CuInit", &function, 13000, 0, NULL),
                     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

/* 256 x 227 x 4 bytes are the shared memory of an H200's block. */
START_TEST(a_tensors_box_may_fill_shared_memory)
{
    CUtensorMap map;
    void *array;
    const cuuint64_t dims[3] = {256, 256, 4}, strides[2] = {256, 256 * 256};
    const cuuint32_t steps[3] = {1, 1, 1};
    CHECK_OK(cudaMalloc(&array, 256 * 256 * 4));
    for (cuuint32_t rows = 227; rows < 229; rows++) {
        const cuuint32_t box[3] = {256, rows, 4};
        capture_begin();
        ck_assert_int_eq(cuTensorMapEncodeTiled(
                             &map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 3, array, dims, strides, box,
                             steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                         rows == 227 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
        capture_end();
    }
}
END_TEST

/* One thread copies a box from the beginning of an array. */
static const char box_ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry copy_box(.param .align 64 .b8 map[128]) {\n"
    ".shared .align 128 .b8 tile[64];\n.shared .align 8 .b64 box;\n"
    ".reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
    "mbarrier.init.shared.b64 [box], 1;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [box], 64;\n"
    "mov.u32 %r1, 0; mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1;\n"
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
    "[tile], [%rd1, {%r1, %r1}], [box];\n"
    "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [box], 0; @!%p1 bra WAIT;\nret;\n}\n";

/* Rows of 32 bytes, the second one 48 bytes behind the first: it lies in two sectors. */
START_TEST(a_row_costs_the_sectors_that_it_lies_in)
{
    CUtensorMap map;
    CUmodule module;
    CUfunction function;
    void *array, *args[] = {&map};
    struct simt_counters counters;
    const cuuint64_t dims[2] = {8, 2}, strides[1] = {48};
    const cuuint32_t steps[2] = {1, 1}, box[2] = {8, 2};
    CHECK_OK(cudaMalloc(&array, 256));
    CHECK_OK(cudaMemset(array, 0, 256));
    ck_assert_int_eq(
        cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, array, dims, strides, box,
                               steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        CUDA_SUCCESS);
    ck_assert_int_eq(cuModuleLoadData(&module, box_ptx), CUDA_SUCCESS);
    ck_assert_int_eq(cuModuleGetFunction(&function, module, "copy_box"), CUDA_SUCCESS);
    ck_assert_int_eq(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), CUDA_SUCCESS);
    ck_assert(simt_last_counters(&counters));
    ck_assert_uint_eq(counters.bulk_load_sectors, 3);
}
END_TEST

/* Without a height of the source its rows lie one box behind the other. */
START_TEST(a_box_without_a_height_is_as_high_as_what_is_copied)
{
    enum { WIDTH = 8, HEIGHT = 2, DEPTH = 2 };
    const unsigned char from[WIDTH * HEIGHT * DEPTH] = {[0] = 1, [16] = 2, [31] = 3};
    unsigned char to[sizeof from] = {0};
    const CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = from,
                                .srcPitch = WIDTH,
                                .dstMemoryType = CU_MEMORYTYPE_HOST,
                                .dstHost = to,
                                .dstPitch = WIDTH,
                                .dstHeight = HEIGHT,
                                .WidthInBytes = WIDTH,
                                .Height = HEIGHT,
                                .Depth = DEPTH};
    ck_assert_int_eq(cuMemcpy3D(&copy), CUDA_SUCCESS);
    ck_assert_mem_eq(to, from, sizeof from);
}
END_TEST

static const char linked_ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                                 ".visible .entry alone() { ret; }\n";

START_TEST(what_was_linked_is_a_module)
{
    CUlinkState state;
    CUmodule module;
    CUfunction function;
    void *image;
    size_t bytes = 0;
    ck_assert_int_eq(cuLinkCreate(0, NULL, NULL, &state), CUDA_SUCCESS);
    ck_assert_int_eq(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)(uintptr_t)linked_ptx,
                                   sizeof linked_ptx, "alone", 0, NULL, NULL),
                     CUDA_SUCCESS);
    ck_assert_int_eq(cuLinkComplete(state, &image, &bytes), CUDA_SUCCESS);
    ck_assert_uint_gt(bytes, sizeof linked_ptx - 1);
    ck_assert_int_eq(cuModuleLoadData(&module, image), CUDA_SUCCESS);
    ck_assert_int_eq(cuModuleGetFunction(&function, module, "alone"), CUDA_SUCCESS);
    ck_assert_int_eq(cuModuleUnload(module), CUDA_SUCCESS);
    ck_assert_int_eq(cuLinkDestroy(state), CUDA_SUCCESS);
}
END_TEST

static unsigned long long mipmap_texture(cudaMipmappedArray_t *array)
{
    const struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    cudaTextureObject_t texture;
    CHECK_OK(cudaMallocMipmappedArray(array, &format, (struct cudaExtent){8, 8, 0}, 2, 0));
    const struct cudaResourceDesc resource = {.resType = cudaResourceTypeMipmappedArray,
                                              .res.mipmap.mipmap = *array};
    const struct cudaTextureDesc how = {.readMode = cudaReadModeElementType, .normalizedCoords = 1};
    CHECK_OK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}

static bool is_cube(const struct cudaExtent *extent, unsigned flags)
{
    const struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    const struct cudaTextureDesc how = {.readMode = cudaReadModeElementType, .normalizedCoords = 1};
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    cudaTextureObject_t texture;
    CHECK_OK(cudaMalloc3DArray(&resource.res.array.array, &format, *extent, flags));
    CHECK_OK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    const bool is = images_find(texture)->texture.is_cube;
    CHECK_OK(cudaDestroyTextureObject(texture));
    return is;
}

START_TEST(a_texture_is_a_cube_if_its_array_is)
{
    ck_assert(is_cube(&(struct cudaExtent){8, 8, 6}, cudaArrayCubemap));
    ck_assert(!is_cube(&(struct cudaExtent){8, 8, 6}, cudaArrayLayered));
    ck_assert(!is_cube(&(struct cudaExtent){8, 8, 0}, cudaArrayDefault));
}
END_TEST

START_TEST(a_texture_of_memory_has_at_least_a_byte)
{
    const struct cudaTextureDesc how = {.readMode = cudaReadModeElementType};
    cudaTextureObject_t texture;
    void *bytes;
    CHECK_OK(cudaMalloc(&bytes, 16));
    for (size_t size = 0; size < 2; size++) {
        const struct cudaResourceDesc resource = {
            .resType = cudaResourceTypeLinear,
            .res.linear = {bytes, {8, 0, 0, 0, cudaChannelFormatKindUnsigned}, size}};
        capture_begin();
        const cudaError_t code = cudaCreateTextureObject(&texture, &resource, &how, NULL);
        const char *said = capture_end();
        ck_assert_int_eq(code, size == 0 ? cudaErrorInvalidValue : cudaSuccess);
        ck_assert((strstr(said, "a resource of 0 bytes") != NULL) == (size == 0));
    }
}
END_TEST

static void *launch_store(void *device)
{
    unsigned *word = device;
    CHECK_OK(store(word, 9));
    CHECK_OK(cudaDeviceSynchronize());
    return NULL;
}

/* Of the driver: integers of 8 and 16 bits are read as floats, unless the program says otherwise.
 */
static const struct {
    CUarray_format format;
    unsigned flags;
    enum cudaTextureReadMode mode;
} reads[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 0, cudaReadModeNormalizedFloat},
             {CU_AD_FORMAT_SIGNED_INT16, 0, cudaReadModeNormalizedFloat},
             {CU_AD_FORMAT_UNSIGNED_INT8, CU_TRSF_READ_AS_INTEGER, cudaReadModeElementType},
             {CU_AD_FORMAT_UNSIGNED_INT32, 0, cudaReadModeElementType},
             {CU_AD_FORMAT_FLOAT, 0, cudaReadModeElementType}};

START_TEST(a_texture_reads_small_integers_as_floats)
{
    const CUDA_ARRAY_DESCRIPTOR shape = {
        .Width = 8, .Height = 8, .Format = reads[_i].format, .NumChannels = 1};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    const CUDA_TEXTURE_DESC how = {.flags = reads[_i].flags};
    struct cudaTextureDesc told;
    CUtexObject texture;
    ck_assert_int_eq(cuArrayCreate(&resource.res.array.hArray, &shape), CUDA_SUCCESS);
    ck_assert_int_eq(cuTexObjectCreate(&texture, &resource, &how, NULL), CUDA_SUCCESS);
    CHECK_OK(cudaGetTextureObjectTextureDesc(&told, texture));
    ck_assert_int_eq(told.readMode, reads[_i].mode);
}
END_TEST

START_TEST(threads_launch_behind_the_end_of_a_texture)
{
    cudaMipmappedArray_t array;
    pthread_t thread;
    unsigned *word = device_words(1);
    CHECK_OK(cudaDestroyTextureObject(mipmap_texture(&array)));
    CHECK_OK(cudaFreeMipmappedArray(array));
    ck_assert_int_eq(pthread_create(&thread, NULL, launch_store, word), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_uint_eq(word_at(word), 9);
}
END_TEST

START_TEST(the_host_knows_what_it_may_write)
{
    static char own[4];
    ck_assert(host_is_writable(own));
    ck_assert(!host_is_writable(linked_ptx));
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("driver");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, the_version_goes_somewhere);
    tcase_add_test(tests, a_pool_says_which_address_is_missing);
    tcase_add_test(tests, a_destroyed_context_is_known);
    tcase_add_test(tests, a_copy_between_devices_has_parameters);
    tcase_add_test(tests, an_edge_stays_within_its_graph);
    tcase_add_test(tests, an_array_is_known_until_it_is_freed);
    tcase_add_test(tests, an_array_has_at_most_131072_elements_a_row);
    tcase_add_test(tests, memory_is_mapped_where_it_was_reserved);
    tcase_add_test(tests, a_name_of_the_driver_begins_with_a_capital);
    tcase_add_test(tests, a_tensors_box_may_fill_shared_memory);
    tcase_add_test(tests, a_row_costs_the_sectors_that_it_lies_in);
    tcase_add_test(tests, a_box_without_a_height_is_as_high_as_what_is_copied);
    tcase_add_test(tests, what_was_linked_is_a_module);
    tcase_add_test(tests, a_texture_is_a_cube_if_its_array_is);
    tcase_add_test(tests, a_texture_of_memory_has_at_least_a_byte);
    tcase_add_loop_test(tests, a_texture_reads_small_integers_as_floats, 0,
                        sizeof reads / sizeof reads[0]);
    tcase_add_test(tests, threads_launch_behind_the_end_of_a_texture);
    tcase_add_test(tests, the_host_knows_what_it_may_write);
    return run_suite("driver", tests);
}
