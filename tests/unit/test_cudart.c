/* The CUDA runtime: errors, sticky faults, launches, memory, copies, symbols, streams, events,
 * device queries, and the environment. Kernels are PTX in cudart_fixture.h. */
#include "cudart_fixture.h"

#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>

#include "common/simt/cuda/simt_last.h"

/* Sanitizers make everything slower; the speed that is promised is that of a normal build. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RUNNING_SLOWLY 20
#else
#define RUNNING_SLOWLY 1
#endif

static const char *self; /* this program, to start it with another environment */

static void setup(void) { register_program(); }

static unsigned *device_words(unsigned count)
{
    void *pointer = NULL;
    CHECK_OK(cudaMalloc(&pointer, count * sizeof(unsigned)));
    ck_assert_ptr_nonnull(pointer);
    return pointer;
}

static unsigned word_at(const unsigned *device)
{
    unsigned word = 0;
    CHECK_OK(cudaMemcpy(&word, device, sizeof word, cudaMemcpyDeviceToHost));
    return word;
}

static cudaError_t store(unsigned *device, unsigned value)
{
    void *args[] = {&device, &value};
    return launch(&store_stub, 1, 1, args);
}

/* Expects `code` from the call and `words` in what it says. */
#define CHECK_SAYS(code, words, call)                                                              \
    do {                                                                                           \
        capture_begin();                                                                           \
        CHECK_ERROR(code, call);                                                                   \
        const char *said_ = capture_end();                                                         \
        ck_assert_msg(strstr(said_, words) != NULL, "%s says: %s", #call, said_);                  \
        ck_assert_msg(strncmp(said_, "simt: ", 6) == 0, "%s says: %s", #call, said_);              \
        ck_assert_ptr_eq(strchr(said_, '\n') + 1, said_ + strlen(said_));                          \
    } while (0)

/* ---- launches -------------------------------------------------------------------------------- */

START_TEST(a_kernel_runs)
{
    unsigned *d = device_words(1);
    CHECK_OK(store(d, 12345));
    CHECK_OK(cudaDeviceSynchronize());
    ck_assert_uint_eq(word_at(d), 12345);
    CHECK_OK(cudaFree(d));
}
END_TEST

START_TEST(the_compilers_ways_to_launch_agree)
{
    unsigned *d = device_words(1), value = 5, shared = 0;
    void *args[] = {&d, &value};
    dim3 grid, block;
    size_t shared_bytes = 1;
    cudaStream_t stream = (cudaStream_t)&shared;
    ck_assert_uint_eq(__cudaPushCallConfiguration(dim(2), (dim3){3, 4, 5}, 16, NULL), 0);
    CHECK_OK(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream));
    ck_assert(grid.x == 2 && block.x == 3 && block.y == 4 && block.z == 5);
    ck_assert(shared_bytes == 16 && stream == NULL);
    cudaKernel_t kernel = NULL;
    CHECK_OK(__cudaGetKernel(&kernel, &store_stub));
    CHECK_OK(__cudaLaunchKernel(kernel, dim(1), dim(1), args, 0, NULL));
    ck_assert_uint_eq(word_at(d), 5);
    value = 6;
    cudaLaunchConfig_t config = {.gridDim = dim(1), .blockDim = dim(1)};
    CHECK_OK(cudaLaunchKernelExC(&config, &store_stub, args));
    ck_assert_uint_eq(word_at(d), 6);
    value = 7;
    CHECK_OK(cudaLaunchCooperativeKernel(&store_stub, dim(1), dim(1), args, 0, NULL));
    ck_assert_uint_eq(word_at(d), 7);
}
END_TEST

/* Grid and block the wrong way round are suspected where the other way would run. */
START_TEST(a_swapped_grid_and_block_are_suspected)
{
    static const char hint[] = "; are grid and block swapped? The other way round, 4096 x 1 x 1 "
                               "blocks of 256 x 1 x 1 threads, it could run";
    CHECK_SAYS(cudaErrorInvalidConfiguration, hint, launch(&empty_stub, 256, 4096, NULL));
    CHECK_SAYS(cudaErrorInvalidConfiguration, "4 x 65 x 65 blocks of 8 x 8 x 16 threads",
               cudaLaunchKernel(&empty_stub, (dim3){8, 8, 16}, (dim3){4, 65, 65}, NULL, 0, NULL));
    CHECK_SAYS(cudaErrorInvalidValue, "500 x 1 x 1 blocks of 64 x 1 x 1",
               launch(&limited_stub, 64, 500, NULL));
    const dim3 no_swap[][2] = {
        {{1, 1, 1}, {2048, 1, 1}},    /* blocks of one thread are nobody's wish */
        {{31, 1, 1}, {2048, 1, 1}},   /* nor of less than a warp */
        {{2000, 1, 1}, {2048, 1, 1}}, /* too large either way */
        {{1, 1, 128}, {2048, 1, 1}},  /* no block is 128 threads deep */
    };
    for (unsigned i = 0; i < sizeof no_swap / sizeof no_swap[0]; i++) {
        capture_begin();
        CHECK_ERROR(cudaErrorInvalidConfiguration,
                    cudaLaunchKernel(&empty_stub, no_swap[i][0], no_swap[i][1], NULL, 0, NULL));
        const char *said = capture_end();
        ck_assert_msg(strstr(said, "2048 x 1 x 1 threads: at most") != NULL, "%s", said);
        ck_assert_msg(strstr(said, "swapped") == NULL, "%s", said);
    }
}
END_TEST

START_TEST(impossible_launches_are_rejected)
{
    CHECK_SAYS(cudaErrorInvalidConfiguration, "2048", launch(&empty_stub, 1, 2048, NULL));
    CHECK_SAYS(cudaErrorInvalidConfiguration, "empty", launch(&empty_stub, 0, 32, NULL));
    CHECK_SAYS(cudaErrorInvalidConfiguration, "empty", launch(&empty_stub, 1, 0, NULL));
    CHECK_SAYS(cudaErrorInvalidConfiguration, "1 x 1 x 65",
               cudaLaunchKernel(&empty_stub, dim(1), (dim3){1, 1, 65}, NULL, 0, NULL));
    CHECK_SAYS(cudaErrorInvalidConfiguration, "65536",
               cudaLaunchKernel(&empty_stub, (dim3){1, 65536, 1}, dim(1), NULL, 0, NULL));
    CHECK_SAYS(cudaErrorInvalidValue, "__launch_bounds__", launch(&limited_stub, 1, 65, NULL));
    CHECK_OK(launch(&limited_stub, 1, 64, NULL));
    CHECK_OK(launch(&empty_stub, 10000, 32, NULL)); /* more than the GPU holds at once: but only */
    CHECK_SAYS(cudaErrorCooperativeLaunchTooLarge, "", /* a cooperative grid must be there whole */
               cudaLaunchCooperativeKernel(&empty_stub, dim(10000), dim(32), NULL, 0, NULL));
    CHECK_SAYS(cudaErrorInvalidDeviceFunction, "not a kernel", launch(counter_shadow, 1, 1, NULL));
    CHECK_SAYS(cudaErrorInvalidDeviceFunction, "absent", launch(&absent_stub, 1, 1, NULL));
    CHECK_SAYS(cudaErrorInvalidValue, "needs 2 arguments", launch(&store_stub, 1, 1, NULL));
    CHECK_OK(cudaDeviceSynchronize()); /* none of them is sticky */
}
END_TEST

START_TEST(shared_memory_beyond_48_kb_must_be_asked_for)
{
    enum cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;
    CHECK_OK(cudaLaunchKernel(&empty_stub, dim(1), dim(1), NULL, 48 << 10, NULL));
    CHECK_SAYS(cudaErrorInvalidValue, "cudaFuncSetAttribute",
               cudaLaunchKernel(&empty_stub, dim(1), dim(1), NULL, (48 << 10) + 1, NULL));
    CHECK_OK(cudaFuncSetAttribute(&empty_stub, most, 100000));
    CHECK_OK(cudaLaunchKernel(&empty_stub, dim(1), dim(1), NULL, 100000, NULL));
    CHECK_SAYS(cudaErrorInvalidValue, "232448", cudaFuncSetAttribute(&empty_stub, most, 232449));
    CHECK_OK(cudaFuncSetAttribute(&empty_stub, most, 232448));
}
END_TEST

START_TEST(a_cooperative_grid_must_fit_the_gpu)
{
    CHECK_SAYS(cudaErrorCooperativeLaunchTooLarge, "at a time",
               cudaLaunchCooperativeKernel(&empty_stub, dim(100000), dim(1024), NULL, 0, NULL));
}
END_TEST

START_TEST(the_last_launch_can_be_asked_for)
{
    struct simt_counters counters;
    ck_assert(!simt_last_counters(&counters));
    CHECK_OK(launch(&empty_stub, 3, 64, NULL));
    ck_assert(simt_last_counters(&counters));
    ck_assert_uint_eq(counters.warps, 6);
    capture_begin();
    launch(&empty_stub, 0, 1, NULL);
    capture_end();
    ck_assert(simt_last_counters(&counters));
    ck_assert_uint_eq(counters.warps, 6);
}
END_TEST

/* The runtime's own part of a launch, and the simulator's: an empty kernel of one block. */
START_TEST(a_hundred_thousand_launches_take_less_than_a_second)
{
    struct timespec begin, end;
    CHECK_OK(launch(&empty_stub, 1, 1, NULL));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin); /* other programs do not count */
    for (unsigned i = 0; i < 100000; i++) {
        launch(&empty_stub, 1, 1, NULL);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    double seconds =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    CHECK_OK(cudaDeviceSynchronize());
    ck_assert_msg(seconds < RUNNING_SLOWLY * 1.0, "%.2f s", seconds);
}
END_TEST

/* ---- errors ---------------------------------------------------------------------------------- */

START_TEST(the_last_error_is_kept_until_it_is_read)
{
    capture_begin();
    launch(&empty_stub, 0, 1, NULL);
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_ERROR(cudaErrorInvalidConfiguration, cudaPeekAtLastError());
    CHECK_ERROR(cudaErrorInvalidConfiguration, cudaGetLastError());
    CHECK_OK(cudaGetLastError());
    capture_end();
}
END_TEST

START_TEST(a_fault_shows_at_the_next_wait_and_stays)
{
    unsigned *d = device_words(1), *other = device_words(1);
    CHECK_OK(cudaFree(d));
    CHECK_SAYS(cudaSuccess, "store", store(d, 1));
    capture_begin();
    CHECK_OK(cudaGetLastError()); /* nobody has waited yet */
    CHECK_OK(store(other, 1));    /* accepted, and dropped */
    CHECK_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    CHECK_ERROR(cudaErrorIllegalAddress, cudaGetLastError());
    CHECK_ERROR(cudaErrorIllegalAddress, cudaGetLastError());
    CHECK_ERROR(cudaErrorIllegalAddress, store(other, 1));
    void *more = NULL;
    CHECK_ERROR(cudaErrorIllegalAddress, cudaMalloc(&more, 4));
    CHECK_ERROR(cudaErrorIllegalAddress, cudaFree(other));
    CHECK_ERROR(cudaErrorIllegalAddress, cudaStreamSynchronize(NULL));
    ck_assert_str_eq(capture_end(), ""); /* it was told once */
}
END_TEST

START_TEST(a_reset_ends_a_fault)
{
    capture_begin();
    CHECK_OK(launch(&stop_stub, 1, 1, NULL));
    CHECK_ERROR(cudaErrorLaunchFailure, cudaDeviceSynchronize());
    capture_end();
    CHECK_OK(cudaDeviceReset());
    CHECK_OK(cudaGetLastError());
    unsigned *d = device_words(1);
    CHECK_OK(store(d, 9));
    ck_assert_uint_eq(word_at(d), 9);
}
END_TEST

START_TEST(every_error_has_its_name_and_text)
{
    ck_assert_str_eq(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
    ck_assert_str_eq(cudaGetErrorString(cudaErrorIllegalAddress),
                     "an illegal memory access was encountered");
    ck_assert_str_eq(cudaGetErrorString(cudaSuccess), "no error");
    ck_assert_str_eq(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
    ck_assert_str_eq(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

START_TEST(wrong_frees_are_explained)
{
    int on_stack = 0;
    unsigned *d = device_words(100);
    CHECK_OK(cudaFree(NULL));
    CHECK_SAYS(cudaErrorInvalidValue, "byte 4 of allocation", cudaFree(d + 1));
    CHECK_OK(cudaFree(d));
    CHECK_SAYS(cudaErrorInvalidValue, "was freed already", cudaFree(d));
    CHECK_SAYS(cudaErrorInvalidValue, "400 bytes", cudaFree(d));
    CHECK_SAYS(cudaErrorInvalidValue, "never allocated", cudaFree(&on_stack));
    void *pinned = NULL;
    CHECK_OK(cudaMallocHost(&pinned, 64));
    CHECK_SAYS(cudaErrorInvalidValue, "cudaMallocHost", cudaFree(pinned));
    CHECK_OK(cudaFreeHost(pinned));
    CHECK_SAYS(cudaErrorInvalidValue, "was freed already", cudaFreeHost(pinned));
}
END_TEST

START_TEST(memory_is_limited_and_accounted)
{
    size_t before, after, total;
    void *pointer = &before;
    CHECK_OK(cudaMemGetInfo(&before, &total));
    CHECK_SAYS(cudaErrorMemoryAllocation, "are left", cudaMalloc(&pointer, total + 1));
    ck_assert_ptr_null(pointer);
    CHECK_ERROR(cudaErrorMemoryAllocation, cudaGetLastError());
    CHECK_OK(cudaMalloc(&pointer, 0));
    ck_assert_ptr_null(pointer);
    CHECK_OK(cudaMalloc(&pointer, 1 << 20));
    CHECK_OK(cudaMemGetInfo(&after, &total));
    ck_assert_uint_eq(before - after, 1 << 20);
    CHECK_SAYS(cudaErrorInvalidValue, "address", cudaMalloc(NULL, 4));
}
END_TEST

START_TEST(copies_are_judged)
{
    unsigned host[4] = {1, 2, 3, 4}, back[4] = {0}, *d = device_words(4);
    CHECK_OK(cudaMemcpy(d, host, 16, cudaMemcpyHostToDevice));
    CHECK_OK(cudaMemcpy(back, d, 16, cudaMemcpyDefault));
    ck_assert_mem_eq(host, back, 16);
    CHECK_OK(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidValue, "20 bytes from byte 0",
               cudaMemcpy(d, host, 20, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidValue, "source needs 16 bytes from byte 4",
               cudaMemcpy(back, d + 1, 16, cudaMemcpyDeviceToHost));
    CHECK_SAYS(cudaErrorInvalidValue, "is a host pointer",
               cudaMemcpy(back, host, 16, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidValue, "is a device pointer",
               cudaMemcpy(d, host, 16, cudaMemcpyDeviceToHost));
    CHECK_SAYS(cudaErrorInvalidValue, "null pointer",
               cudaMemcpy(d, NULL, 16, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidMemcpyDirection, "direction",
               cudaMemcpy(d, host, 16, (enum cudaMemcpyKind)9));
    CHECK_OK(cudaFree(d));
    CHECK_SAYS(cudaErrorInvalidValue, "was freed already",
               cudaMemcpy(back, d, 4, cudaMemcpyDeviceToHost));
}
END_TEST

START_TEST(fills_and_overlapping_copies)
{
    unsigned char back[8], *d = (unsigned char *)device_words(2);
    CHECK_OK(cudaMemset(d, 0xab, 8));
    CHECK_OK(cudaMemset(d, 0x101, 2));
    CHECK_OK(cudaMemcpyAsync(d + 1, d, 4, cudaMemcpyDeviceToDevice, NULL));
    CHECK_OK(cudaMemcpy(back, d, 8, cudaMemcpyDeviceToHost));
    ck_assert_mem_eq(back, "\x01\x01\x01\xab\xab\xab\xab\xab", 8);
    CHECK_SAYS(cudaErrorInvalidValue, "host pointer", cudaMemset(back, 0, 8));
}
END_TEST

START_TEST(rows_have_a_pitch)
{
    char host[3][10] = {"row one..", "row two..", "row three"}, back[3][12] = {{0}};
    void *d = NULL;
    size_t pitch = 0;
    CHECK_OK(cudaMallocPitch(&d, &pitch, 10, 3));
    ck_assert_uint_eq(pitch, 512);
    CHECK_OK(cudaMemset2D(d, pitch, 'x', 10, 3));
    CHECK_OK(cudaMemcpy2D(d, pitch, host, 10, 10, 3, cudaMemcpyHostToDevice));
    CHECK_OK(cudaMemcpy2D(back, 12, d, pitch, 10, 3, cudaMemcpyDeviceToHost));
    for (unsigned y = 0; y < 3; y++) {
        ck_assert_str_eq(back[y], host[y]);
    }
    CHECK_SAYS(cudaErrorInvalidPitchValue, "pitch",
               cudaMemcpy2D(d, 9, host, 10, 10, 3, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidValue, "destination needs",
               cudaMemcpy2D(d, pitch, host, 10, 10, 4, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidValue, "addresses",
               cudaMemcpy2D(d, SIZE_MAX / 2, host, 10, 10, 9, cudaMemcpyHostToDevice));
}
END_TEST

START_TEST(boxes_are_copied)
{
    unsigned char host[4][3][5], back[2][2][2] = {{{0}}};
    for (unsigned i = 0; i < sizeof host; i++) {
        ((unsigned char *)host)[i] = (unsigned char)i;
    }
    struct cudaPitchedPtr d;
    struct cudaExtent all = {5, 3, 4}, part = {2, 2, 2};
    CHECK_OK(cudaMalloc3D(&d, all));
    CHECK_OK(cudaMemset3D(d, 0, all));
    struct cudaMemcpy3DParms in = {.srcPtr = {host, 5, 5, 3}, .dstPtr = d, .extent = all};
    in.kind = cudaMemcpyHostToDevice;
    CHECK_OK(cudaMemcpy3D(&in));
    struct cudaMemcpy3DParms out = {.srcPtr = d, .srcPos = {3, 1, 2}, .extent = part};
    out.dstPtr = (struct cudaPitchedPtr){back, 2, 2, 2};
    out.kind = cudaMemcpyDeviceToHost;
    CHECK_OK(cudaMemcpy3D(&out));
    for (unsigned z = 0; z < 2; z++) {
        for (unsigned y = 0; y < 2; y++) {
            ck_assert_mem_eq(back[z][y], &host[2 + z][1 + y][3], 2);
        }
    }
}
END_TEST

START_TEST(pinned_and_managed_memory_serve_both_sides)
{
    void *pinned = NULL, *managed = NULL, *same = NULL;
    CHECK_OK(cudaHostAlloc(&pinned, 4, cudaHostAllocMapped));
    CHECK_OK(cudaHostGetDevicePointer(&same, pinned, 0));
    ck_assert_ptr_eq(same, pinned);
    CHECK_OK(store(pinned, 31));
    CHECK_OK(cudaMallocManaged(&managed, 4, cudaMemAttachGlobal));
    CHECK_OK(store(managed, 32));
    CHECK_OK(cudaDeviceSynchronize());
    ck_assert_uint_eq(*(unsigned *)pinned, 31);
    ck_assert_uint_eq(*(unsigned *)managed, 32);
    static unsigned ordinary;
    CHECK_OK(cudaHostRegister(&ordinary, 4, cudaHostRegisterDefault));
    CHECK_SAYS(cudaErrorHostMemoryAlreadyRegistered, "pinned already",
               cudaHostRegister(&ordinary, 4, 0));
    CHECK_OK(store(&ordinary, 33));
    ck_assert_uint_eq(ordinary, 33);
    CHECK_OK(cudaHostUnregister(&ordinary));
    CHECK_SAYS(cudaErrorHostMemoryNotRegistered, "cudaHostRegister", cudaHostUnregister(&ordinary));
}
END_TEST

START_TEST(pointers_tell_what_they_are)
{
    struct cudaPointerAttributes is;
    void *pinned = NULL, *managed = NULL, *d = device_words(1);
    CHECK_OK(cudaMallocHost(&pinned, 4));
    CHECK_OK(cudaMallocManaged(&managed, 4, cudaMemAttachGlobal));
    CHECK_OK(cudaPointerGetAttributes(&is, d));
    ck_assert(is.type == cudaMemoryTypeDevice && is.devicePointer == d && is.hostPointer == NULL);
    CHECK_OK(cudaPointerGetAttributes(&is, pinned));
    ck_assert(is.type == cudaMemoryTypeHost && is.hostPointer == pinned);
    CHECK_OK(cudaPointerGetAttributes(&is, managed));
    ck_assert(is.type == cudaMemoryTypeManaged && is.hostPointer == managed);
    CHECK_OK(cudaPointerGetAttributes(&is, &is));
    ck_assert(is.type == cudaMemoryTypeUnregistered && is.device == cudaInvalidDeviceId);
}
END_TEST

/* ---- variables ------------------------------------------------------------------------------- */

START_TEST(variables_are_copied_by_their_shadow)
{
    unsigned value = 0;
    void *address = NULL;
    size_t bytes = 0;
    CHECK_OK(cudaMemcpyFromSymbol(&value, counter_shadow, 4, 0, cudaMemcpyDeviceToHost));
    ck_assert_uint_eq(value, 3);
    value = 40;
    CHECK_OK(cudaMemcpyToSymbol(counter_shadow, &value, 4, 0, cudaMemcpyHostToDevice));
    CHECK_OK(cudaGetSymbolAddress(&address, counter_shadow));
    ck_assert_uint_eq(word_at(address), 40);
    CHECK_OK(cudaGetSymbolSize(&bytes, table_shadow));
    ck_assert_uint_eq(bytes, 16);
    CHECK_OK(cudaMemcpyToSymbol(table_shadow, &value, 4, 12, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidValue, "16 bytes",
               cudaMemcpyToSymbol(table_shadow, &value, 4, 13, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidSymbol, "no __device__",
               cudaMemcpyToSymbol("counter", &value, 4, 0, cudaMemcpyHostToDevice));
    CHECK_SAYS(cudaErrorInvalidMemcpyDirection, "on the device",
               cudaMemcpyToSymbol(table_shadow, &value, 4, 0, cudaMemcpyDeviceToHost));
}
END_TEST

START_TEST(a_managed_variable_is_shared)
{
    unsigned *d = device_words(1);
    void *args[] = {&d};
    CHECK_OK(launch(&read_stub, 1, 1, args));
    ck_assert_uint_eq(word_at(d), 3 + 11);
    ck_assert_uint_eq(*shared_count, 12);
    *shared_count = 100;
    CHECK_OK(launch(&read_stub, 1, 1, args));
    ck_assert_uint_eq(word_at(d), 103);
    CHECK_OK(store(shared_count, 55)); /* its address is good on the device too */
    ck_assert_uint_eq(*shared_count, 55);
    CHECK_OK(cudaDeviceReset());
    ck_assert_uint_eq(*shared_count, 11);
}
END_TEST

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

START_TEST(events_measure_the_time_between_them)
{
    cudaEvent_t begin = NULL, end = NULL, untimed = NULL;
    float milliseconds = -1;
    CHECK_OK(cudaEventCreate(&begin));
    CHECK_OK(cudaEventCreate(&end));
    CHECK_OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CHECK_SAYS(cudaErrorInvalidResourceHandle, "never recorded",
               cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK_OK(cudaEventRecord(begin, NULL));
    usleep(5000);
    CHECK_OK(cudaEventRecord(end, NULL));
    CHECK_OK(cudaEventSynchronize(end));
    CHECK_OK(cudaEventQuery(end));
    CHECK_OK(cudaEventElapsedTime(&milliseconds, begin, end));
    ck_assert(milliseconds >= 5.0F && milliseconds < 5000.0F);
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
    ck_assert_int_eq(blocks, 0);
    CHECK_OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &empty_stub, 8, 64));
    CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &empty_stub, 64, bytes));
    ck_assert_int_ge(blocks, 8);
    CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &empty_stub, 64, bytes + 1));
    ck_assert_int_lt(blocks, 8);
    CHECK_SAYS(cudaErrorInvalidDeviceFunction, "not a kernel", cudaFuncGetAttributes(&a, &a));
}
END_TEST

cudaError_t cudaGraphCreate(void *graph, unsigned flags); /* not in our headers */

START_TEST(what_is_missing_says_so)
{
    CHECK_SAYS(cudaErrorNotSupported, "cudaGraphCreate: CUDA graphs", cudaGraphCreate(NULL, 0));
    CHECK_ERROR(cudaErrorNotSupported, cudaGetLastError());
}
END_TEST

/* ---- the environment ------------------------------------------------------------------------- */

/* This program, started with one variable set: it prints the device's name and ends. */
static int run_with(const char *variable, const char *value, char *text, size_t size)
{
    char command[4200];
    snprintf(command, sizeof command, "%s='%s' '%s' --name 2>&1", variable, value, self);
    FILE *output = popen(command, "r");
    ck_assert_ptr_nonnull(output);
    size_t length = fread(text, 1, size - 1, output);
    text[length] = '\0';
    return WEXITSTATUS(pclose(output));
}

static void check_rejected(const char *variable, const char *value, const char *words)
{
    char text[2000];
    int code = run_with(variable, value, text, sizeof text);
    ck_assert_msg(code == 2, "%s=%s: exit code %d: %s", variable, value, code, text);
    ck_assert_msg(strstr(text, words) != NULL, "%s=%s: %s", variable, value, text);
    ck_assert_ptr_eq(strchr(text, '\n') + 1, text + strlen(text));
}

START_TEST(wrong_variables_end_the_program)
{
    check_rejected("SIMT_GPU", "abacus", "h200");
    check_rejected("SIMT_THREADS", "abc", "whole number");
    check_rejected("SIMT_THREADS", "0", "from 1");
    check_rejected("SIMT_THREADS", "99999999999999999999", "SIMT_THREADS");
    check_rejected("SIMT_MAX_INSTRUCTIONS", "-1", "whole number");
    check_rejected("SIMT_MAX_INSTRUCTIONS", "1e9", "1e9");
    check_rejected("SIMT_REPORT", "/no/such/folder/x.csv", "No such file");
}
END_TEST

START_TEST(right_variables_are_taken)
{
    char text[2000];
    ck_assert_int_eq(run_with("SIMT_GPU", "a100", text, sizeof text), 0);
    ck_assert_msg(strstr(text, "A100") != NULL, "%s", text);
    ck_assert_int_eq(run_with("SIMT_GPU", "", text, sizeof text), 0);
    ck_assert_msg(strstr(text, "H200") != NULL, "%s", text);
    ck_assert_int_eq(run_with("SIMT_THREADS", "3", text, sizeof text), 0);
    ck_assert_ptr_eq(strstr(text, "finding"), NULL);
    ck_assert_int_eq(run_with("SIMT_CHECK", "leaks", text, sizeof text), 1);
    ck_assert_msg(strstr(text, "4 bytes of cudaMalloc") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "SIMT_CHECK: 1 finding\n") != NULL, "%s", text);
}
END_TEST

static int print_name(void)
{
    struct cudaDeviceProp p;
    void *pointer;
    bool ok =
        cudaMalloc(&pointer, 4) == cudaSuccess && cudaGetDeviceProperties(&p, 0) == cudaSuccess;
    printf("%s\n", ok ? p.name : "no device");
    return ok ? 0 : 1;
}

static TCase *launch_tests(void)
{
    TCase *tests = tcase_create("launches and errors");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_kernel_runs);
    tcase_add_test(tests, the_compilers_ways_to_launch_agree);
    tcase_add_test(tests, impossible_launches_are_rejected);
    tcase_add_test(tests, a_swapped_grid_and_block_are_suspected);
    tcase_add_test(tests, shared_memory_beyond_48_kb_must_be_asked_for);
    tcase_add_test(tests, a_cooperative_grid_must_fit_the_gpu);
    tcase_add_test(tests, the_last_launch_can_be_asked_for);
    tcase_add_test(tests, a_hundred_thousand_launches_take_less_than_a_second);
    tcase_add_test(tests, the_last_error_is_kept_until_it_is_read);
    tcase_add_test(tests, a_fault_shows_at_the_next_wait_and_stays);
    tcase_add_test(tests, a_reset_ends_a_fault);
    tcase_add_test(tests, every_error_has_its_name_and_text);
    return tests;
}

static TCase *memory_tests(void)
{
    TCase *tests = tcase_create("memory");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, wrong_frees_are_explained);
    tcase_add_test(tests, memory_is_limited_and_accounted);
    tcase_add_test(tests, copies_are_judged);
    tcase_add_test(tests, fills_and_overlapping_copies);
    tcase_add_test(tests, rows_have_a_pitch);
    tcase_add_test(tests, boxes_are_copied);
    tcase_add_test(tests, pinned_and_managed_memory_serve_both_sides);
    tcase_add_test(tests, pointers_tell_what_they_are);
    tcase_add_test(tests, variables_are_copied_by_their_shadow);
    tcase_add_test(tests, a_managed_variable_is_shared);
    return tests;
}

static TCase *other_tests(void)
{
    TCase *tests = tcase_create("streams, queries, environment");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_set_timeout(tests, 30);
    tcase_add_test(tests, streams_live_and_die);
    tcase_add_test(tests, events_measure_the_time_between_them);
    tcase_add_test(tests, properties_and_attributes_agree);
    tcase_add_test(tests, kernels_tell_what_they_need);
    tcase_add_test(tests, what_is_missing_says_so);
    tcase_add_test(tests, wrong_variables_end_the_program);
    tcase_add_test(tests, right_variables_are_taken);
    return tests;
}

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc > 1) {
        return print_name();
    }
    Suite *suite = suite_create("cudart");
    suite_add_tcase(suite, launch_tests());
    suite_add_tcase(suite, memory_tests());
    suite_add_tcase(suite, other_tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failures = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failures != 0;
}
