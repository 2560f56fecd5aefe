/* test_cudart_device.c - the CUDA runtime: streams, events, and what a device and a kernel say of
 * themselves. */
#include "cudart_fixture.h"

#include <stdbool.h>
#include <time.h>

#include "suite.h"

static void setup(void) { register_program(); }

/* ---- streams and events ---------------------------------------------------------------------- */

static void note(void *state) { ++*(int *)state; }

static void note_status(cudaStream_t stream, cudaError_t status, void *state)
{
    (void)stream;
    *(cudaError_t *)state = status;
}

START_TEST(streams_live_and_die)
{
    cudaStream_t stream = NULL;
    int notes = 0, least = -1, greatest = -1, priority = 1;
    cudaError_t status = cudaErrorUnknown;
    CHECK_OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100));
    CHECK_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK_OK(cudaStreamGetPriority(stream, &priority));
    ck_assert(least == 0 && greatest < 0 && priority == greatest);
    CHECK_OK(cudaLaunchHostFunc(stream, note, &notes));
    CHECK_OK(cudaStreamAddCallback(stream, note_status, &status, 0));
    CHECK_OK(cudaStreamQuery(stream));
    CHECK_OK(cudaStreamSynchronize(stream));
    ck_assert(notes == 1 && status == cudaSuccess);
    CHECK_OK(cudaLaunchKernel(&empty_stub, dim(1), dim(1), NULL, 0, stream));
    CHECK_OK(cudaLaunchKernel(&empty_stub, dim(1), dim(1), NULL, 0, cudaStreamPerThread));
    CHECK_OK(cudaStreamDestroy(stream));
    CHECK_SAYS(cudaErrorInvalidResourceHandle, "destroyed", cudaStreamDestroy(stream));
    CHECK_SAYS(cudaErrorInvalidResourceHandle, "destroyed",
               cudaLaunchKernel(&empty_stub, dim(1), dim(1), NULL, 0, stream));
    CHECK_SAYS(cudaErrorInvalidResourceHandle, "destroyed",
               cudaMemsetAsync(NULL, 0, 0, (cudaStream_t)&notes));
}
END_TEST

/* void wait(volatile unsigned *flag) { while (*flag == 0) {} } */
static const char wait_ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                               ".visible .entry wait(.param .u64 flag) {\n"
                               ".reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
                               "ld.param.u64 %rd1, [flag];\n"
                               "AGAIN: ld.volatile.global.u32 %r1, [%rd1];\n"
                               "setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN; ret; }\n";

START_TEST(what_is_issued_behind_a_kernel_that_waits_is_done_later)
{
    static const char stub;
    static struct fatbin_wrapper wrapper = {0x466243b1, 1, wait_ptx, NULL};
    volatile unsigned *flag;
    unsigned *word = device_words(1);
    cudaStream_t stream;
    register_kernel(__cudaRegisterFatBinary(&wrapper), &stub, "wait");
    CHECK_OK(cudaStreamCreate(&stream));
    CHECK_OK(cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocMapped));
    *flag = 0;
    void *args[] = {&flag};
    CHECK_OK(cudaMemset(word, 0, sizeof *word));
    CHECK_OK(cudaLaunchKernel(&stub, dim(1), dim(1), args, 0, stream));
    CHECK_OK(cudaMemsetAsync(word, 0x11, sizeof *word, stream));
    CHECK_ERROR(cudaErrorNotReady, cudaStreamQuery(stream));
    *flag = 1;
    CHECK_OK(cudaStreamSynchronize(stream));
    ck_assert_uint_eq(word_at(word), 0x11111111);
}
END_TEST

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

START_TEST(events_measure_the_time_between_them)
{
    cudaEvent_t begin = NULL, end = NULL, untimed = NULL;
    float milliseconds = -1;
    CHECK_OK(cudaEventCreate(&begin));
    CHECK_OK(cudaEventCreate(&end));
    CHECK_OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CHECK_SAYS(cudaErrorInvalidResourceHandle, "never recorded",
               cudaEventElapsedTime(&milliseconds, begin, end));
    const double before = now_ms();
    CHECK_OK(cudaEventRecord(begin, NULL));
    usleep(5000);
    CHECK_OK(cudaEventRecord(end, NULL));
    CHECK_OK(cudaEventSynchronize(end));
    CHECK_OK(cudaEventQuery(end));
    CHECK_OK(cudaEventElapsedTime(&milliseconds, begin, end));
    /* However late this process gets a core again, the events lie within what the test itself has measured. */
    ck_assert(milliseconds >= 5.0F && milliseconds <= now_ms() - before + 1.0);
    CHECK_ERROR(cudaErrorInvalidValue, cudaEventElapsedTime(NULL, begin, end));
    CHECK_OK(cudaEventRecord(untimed, NULL));
    CHECK_SAYS(cudaErrorInvalidResourceHandle, "DisableTiming",
               cudaEventElapsedTime(&milliseconds, begin, untimed));
    CHECK_OK(cudaStreamWaitEvent(NULL, end, 0));
    CHECK_OK(cudaEventDestroy(end));
    CHECK_SAYS(cudaErrorInvalidResourceHandle, "destroyed", cudaEventRecord(end, NULL));
    CHECK_SAYS(cudaErrorInvalidResourceHandle, "destroyed",
               cudaEventElapsedTime(&milliseconds, begin, end));
}
END_TEST

/* ---- queries --------------------------------------------------------------------------------- */

START_TEST(properties_and_attributes_agree)
{
    struct cudaDeviceProp p;
    int value = 0, count = 0;
    CHECK_OK(cudaGetDeviceCount(&count));
    ck_assert_int_eq(count, 1);
    CHECK_OK(cudaGetDeviceProperties(&p, 0));
    ck_assert_str_eq(p.name, "NVIDIA H200");
    ck_assert(p.major == 9 && p.minor == 0 && p.warpSize == 32 && p.multiProcessorCount == 132);
    ck_assert(p.maxThreadsDim[2] == 64 && p.maxGridSize[0] == 2147483647);
    CHECK_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    ck_assert_int_eq(value, p.multiProcessorCount);
    CHECK_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxTexture2DLinearPitch, 0));
    ck_assert(value == 2097120 && p.maxTexture2DLinear[2] == value);
    CHECK_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxPersistingL2CacheSize, 0));
    ck_assert(value == 39321600 && p.persistingL2CacheMaxSize == value);
    CHECK_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    ck_assert_uint_eq((size_t)value, p.sharedMemPerBlockOptin);
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)9999, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, cudaDevAttrMax, 0));
    CHECK_SAYS(cudaErrorInvalidDevice, "device 1", cudaGetDeviceProperties(&p, 1));
    CHECK_SAYS(cudaErrorInvalidDevice, "device 0 only", cudaSetDevice(1));
    CHECK_OK(cudaSetDevice(0));
    CHECK_OK(cudaRuntimeGetVersion(&value));
    ck_assert_int_eq(value, 13000);
}
END_TEST

START_TEST(kernels_tell_what_they_need)
{
    struct cudaFuncAttributes a;
    int blocks = 0;
    size_t bytes = 0;
    CHECK_OK(cudaFuncGetAttributes(&a, &limited_stub));
    ck_assert_int_eq(a.maxThreadsPerBlock, 64);
    ck_assert_int_eq(a.ptxVersion, 80);
    ck_assert_int_eq(a.binaryVersion, 90);
    ck_assert_int_eq(a.maxDynamicSharedSizeBytes, 49152);
    CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &empty_stub, 1024, 0));
    ck_assert_int_eq(blocks, 2);
    CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &limited_stub, 128, 0));
    ck_assert_int_eq(blocks, 16); /* beyond its __launch_bounds__, which only a launch respects */
    CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &empty_stub, 1025, 0));
    ck_assert_int_eq(blocks, 0);
    static const size_t shares[][2] = {{4, 49152}, {5, 46592}, {8, 29184}, {11, 21120}, {32, 7296}};
    for (unsigned i = 0; i < sizeof shares / sizeof shares[0]; i++) { /* an H200's answers */
        const int count = (int)shares[i][0];
        CHECK_OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &empty_stub, count, 32));
        ck_assert_uint_eq(bytes, shares[i][1]);
    }
    CHECK_SAYS(cudaErrorInvalidResourceHandle, "not a kernel", cudaFuncGetAttributes(&a, &a));
}
END_TEST

cudaError_t cudaIpcCloseMemHandle(void *pointer); /* not in our headers */

START_TEST(what_is_missing_says_so)
{
    CHECK_SAYS(cudaErrorNotSupported, "cudaIpcCloseMemHandle: sharing with another process",
               cudaIpcCloseMemHandle(NULL));
    CHECK_ERROR(cudaErrorNotSupported, cudaGetLastError());
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("cudart_device");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_set_timeout(tests, 30);
    tcase_add_test(tests, streams_live_and_die);
    tcase_add_test(tests, what_is_issued_behind_a_kernel_that_waits_is_done_later);
    tcase_add_test(tests, events_measure_the_time_between_them);
    tcase_add_test(tests, properties_and_attributes_agree);
    tcase_add_test(tests, kernels_tell_what_they_need);
    tcase_add_test(tests, what_is_missing_says_so);
    return run_suite("cudart_device", tests);
}
