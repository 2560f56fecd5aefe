/* test_cudart.c - the CUDA runtime: launches, errors, sticky faults, and the environment. Kernels
 * are PTX in cudart_fixture.h. */
#include "cudart_fixture.h"

#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>

#include "common/simt/api/simt_last.h"
#include "suite.h"

static const char *self; /* this program, to start it with another environment */

static void setup(void) { register_program(); }

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

/* What a function finds in its own variables before it sets them. */
static __attribute__((noinline)) void fill_stack(void)
{
    volatile char junk[65536];
    for (unsigned i = 0; i < sizeof junk; i++) {
        junk[i] = ';';
    }
}

/* Grid and block the wrong way round are suspected where the other way would run. */
START_TEST(a_swapped_grid_and_block_are_suspected)
{
    static const char hint[] = "; are grid and block swapped? The other way round, 4096 x 1 x 1 "
                               "blocks of 256 x 1 x 1 threads, it could run";
    CHECK_SAYS(cudaErrorInvalidValue, hint, launch(&empty_stub, 256, 4096, NULL));
    CHECK_SAYS(cudaErrorInvalidValue, "4 x 65 x 65 blocks of 8 x 8 x 16 threads",
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
        fill_stack();
        CHECK_ERROR(cudaErrorInvalidValue,
                    cudaLaunchKernel(&empty_stub, no_swap[i][0], no_swap[i][1], NULL, 0, NULL));
        const char *said = capture_end();
        ck_assert_msg(strstr(said, "2048 x 1 x 1 threads: at most") != NULL, "%s", said);
        ck_assert_msg(strchr(said, ';') == NULL, "%s", said); /* no hint, nor a part of one */
    }
}
END_TEST

START_TEST(impossible_launches_are_rejected)
{
    CHECK_SAYS(cudaErrorInvalidValue, "2048", launch(&empty_stub, 1, 2048, NULL));
    CHECK_SAYS(cudaErrorInvalidValue, "empty", launch(&empty_stub, 0, 32, NULL));
    CHECK_SAYS(cudaErrorInvalidValue, "empty", launch(&empty_stub, 1, 0, NULL));
    CHECK_SAYS(cudaErrorInvalidValue, "1 x 1 x 65",
               cudaLaunchKernel(&empty_stub, dim(1), (dim3){1, 1, 65}, NULL, 0, NULL));
    CHECK_SAYS(cudaErrorInvalidValue, "65536",
               cudaLaunchKernel(&empty_stub, (dim3){1, 65536, 1}, dim(1), NULL, 0, NULL));
    CHECK_SAYS(cudaErrorInvalidValue, "__launch_bounds__", launch(&limited_stub, 1, 65, NULL));
    CHECK_OK(launch(&limited_stub, 1, 64, NULL));
    CHECK_OK(launch(&empty_stub, 10000, 32, NULL)); /* more than the GPU holds at once: but only */
    CHECK_SAYS(cudaErrorCooperativeLaunchTooLarge, "", /* a cooperative grid must be there whole */
               cudaLaunchCooperativeKernel(&empty_stub, dim(10000), dim(32), NULL, 0, NULL));
    CHECK_SAYS(cudaErrorInvalidResourceHandle, "not a kernel", launch(counter_shadow, 1, 1, NULL));
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

/* The runtime's own part of a launch, and the simulator's: an empty kernel of one block. They take
 * a fifth of a second; the limit is far from that, as the processor may be slow or shared, and
 * still notices a search through all earlier launches. */
START_TEST(a_hundred_thousand_launches_are_not_slow)
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
    ck_assert_msg(seconds < RUNNING_SLOWLY * 10.0, "%.2f s", seconds);
}
END_TEST

/* ---- errors ---------------------------------------------------------------------------------- */

START_TEST(the_last_error_is_kept_until_it_is_read)
{
    capture_begin();
    launch(&empty_stub, 0, 1, NULL);
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_ERROR(cudaErrorInvalidValue, cudaPeekAtLastError());
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetLastError());
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
    CHECK_OK(cudaGetLastError()); /* as on an H200: until the next call that fails */
    CHECK_OK(cudaPeekAtLastError());
    CHECK_ERROR(cudaErrorIllegalAddress, store(other, 1));
    CHECK_ERROR(cudaErrorIllegalAddress, cudaPeekAtLastError());
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
    check_rejected("SIMT_DEVICES", "0", "from 1");
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
    ck_assert_str_eq(text, "NVIDIA H200\n1 device\n"); /* and nothing else */
    ck_assert_int_eq(run_with("SIMT_CHECK", "races", text, sizeof text), 0);
    ck_assert_str_eq(text, "NVIDIA H200\n1 device\n");
    ck_assert_int_eq(run_with("SIMT_DEVICES", "1", text, sizeof text), 0);
    ck_assert_str_eq(text, "NVIDIA H200\n1 device\n");
}
END_TEST

START_TEST(a_second_device_has_its_own_memory_and_its_own_reset)
{
    char text[2000];
    ck_assert_int_eq(run_with("SIMT_DEVICES", "2", text, sizeof text), 0);
    ck_assert_str_eq(text, "NVIDIA H200\n2 devices\n");
}
END_TEST

START_TEST(a_finding_ends_the_program_behind_its_last_words)
{
    char text[2000];
    ck_assert_int_eq(run_with("SIMT_CHECK", "leaks", text, sizeof text), 1);
    ck_assert_msg(strstr(text, "\n1 device\n") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "4 bytes of cudaMalloc") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "were never given back. Cure: cudaFree\n") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "SIMT_CHECK: 1 finding\n") != NULL, "%s", text);
}
END_TEST

/* Boxes of four rows of 8 bytes, 32 bytes apart, within one allocation: the other one begins so
 * many bytes behind. */
static const struct {
    unsigned apart;
    bool overlap;
} boxes[] = {{32, true},   {40, false},  {96, true}, {128, false},
             {320, false}, {124, false}, {92, true}};

START_TEST(rows_that_overlap_are_reported)
{
    char command[4200], text[2000];
    snprintf(command, sizeof command, "SIMT_CHECK=races '%s' --apart %u 2>&1", self,
             boxes[_i].apart);
    FILE *output = popen(command, "r");
    ck_assert_ptr_nonnull(output);
    text[fread(text, 1, sizeof text - 1, output)] = '\0';
    ck_assert_int_eq(WEXITSTATUS(pclose(output)), boxes[_i].overlap ? 1 : 0);
    ck_assert_msg((strstr(text, "parts of an array that overlap") != NULL) == boxes[_i].overlap,
                  "%u bytes apart: %s", boxes[_i].apart, text);
}
END_TEST

static int copy_rows(size_t apart)
{
    char *d;
    register_program();
    return cudaMalloc((void **)&d, 1024) == cudaSuccess &&
                   cudaMemcpy2D(d + apart, 32, d, 32, 8, 4, cudaMemcpyDeviceToDevice) ==
                       cudaSuccess &&
                   cudaFree(d) == cudaSuccess
               ? 0
               : 2;
}

static void note(void *count) { ++*(int *)count; }

/* A host function is a work of its stream like every other: the next one comes behind it. */
static bool host_function_works(void *pointer)
{
    int notes = 0;
    return cudaLaunchHostFunc(NULL, note, &notes) == cudaSuccess &&
           cudaMemset(pointer, 0, 4) == cudaSuccess && notes == 1;
}

/* Nothing has been launched there. */
static bool second_device_works(void *of_first)
{
    struct cudaPointerAttributes first, second;
    void *pointer;
    return cudaSetDevice(1) == cudaSuccess && cudaMalloc(&pointer, 4) == cudaSuccess &&
           cudaPointerGetAttributes(&first, of_first) == cudaSuccess && first.device == 0 &&
           cudaPointerGetAttributes(&second, pointer) == cudaSuccess && second.device == 1 &&
           cudaDeviceReset() == cudaSuccess;
}

/* The number of devices is written to a file that exit() alone would flush. */
static int print_name(void)
{
    struct cudaDeviceProp p;
    void *pointer;
    int devices = 0;
    register_program();
    bool ok = cudaMalloc(&pointer, 4) == cudaSuccess &&
              cudaGetDeviceProperties(&p, 0) == cudaSuccess &&
              cudaGetDeviceCount(&devices) == cudaSuccess;
    ok = ok && host_function_works(pointer) && (devices < 2 || second_device_works(pointer));
    printf("%s\n", ok ? p.name : "no device");
    fflush(stdout);
    FILE *late = fdopen(dup(STDOUT_FILENO), "w");
    fprintf(late, "%d device%s\n", devices, devices == 1 ? "" : "s");
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc > 1) {
        return argc > 2 ? copy_rows((size_t)atoi(argv[2])) : print_name();
    }
    TCase *tests = tcase_create("cudart");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_kernel_runs);
    tcase_add_test(tests, the_compilers_ways_to_launch_agree);
    tcase_add_test(tests, impossible_launches_are_rejected);
    tcase_add_test(tests, a_swapped_grid_and_block_are_suspected);
    tcase_add_test(tests, shared_memory_beyond_48_kb_must_be_asked_for);
    tcase_add_test(tests, a_cooperative_grid_must_fit_the_gpu);
    tcase_add_test(tests, the_last_launch_can_be_asked_for);
    tcase_add_test(tests, a_hundred_thousand_launches_are_not_slow);
    tcase_add_test(tests, the_last_error_is_kept_until_it_is_read);
    tcase_add_test(tests, a_fault_shows_at_the_next_wait_and_stays);
    tcase_add_test(tests, a_reset_ends_a_fault);
    tcase_add_test(tests, every_error_has_its_name_and_text);
    tcase_add_test(tests, wrong_variables_end_the_program);
    tcase_add_test(tests, right_variables_are_taken);
    tcase_add_test(tests, a_second_device_has_its_own_memory_and_its_own_reset);
    tcase_add_test(tests, a_finding_ends_the_program_behind_its_last_words);
    tcase_add_loop_test(tests, rows_that_overlap_are_reported, 0, sizeof boxes / sizeof boxes[0]);
    return run_suite("cudart", tests);
}
