/* test_driver.c - calls of the runtime and of the driver API that are given what they cannot use,
 * one reason a test. */
#include "cudart_fixture.h"

#include "include/cuda.h"
#include "suite.h"

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

int main(void)
{
    TCase *tests = tcase_create("driver");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, the_version_goes_somewhere);
    tcase_add_test(tests, a_pool_says_which_address_is_missing);
    tcase_add_test(tests, a_copy_between_devices_has_parameters);
    tcase_add_test(tests, an_edge_stays_within_its_graph);
    tcase_add_test(tests, an_array_is_known_until_it_is_freed);
    tcase_add_test(tests, an_array_has_at_most_131072_elements_a_row);
    tcase_add_test(tests, memory_is_mapped_where_it_was_reserved);
    return run_suite("driver", tests);
}
