/* Pointers to the wrong side: host code that touches device memory, copies that run out of the
 * host's array, kernels that get a pointer of the host. Each is named before anything else. */
#include "cudart_fixture.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "suite.h"

/* The runtime leaves a handler alone that it finds, and a sanitizer installs one. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "handle_segv=0"; }

static void setup(void) { register_program(); }

/* One page of memory and none behind it. */
static char *last_page(size_t *bytes)
{
    *bytes = (size_t)sysconf(_SC_PAGESIZE);
    char *pages =
        mmap(NULL, 2 * *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(pages != MAP_FAILED);
    ck_assert_int_eq(munmap(pages + *bytes, *bytes), 0);
    return pages;
}

/* ---- copies ---------------------------------------------------------------------------------- */

START_TEST(a_copy_that_runs_out_of_the_host_is_an_error)
{
    size_t page;
    char *host = last_page(&page), wanted[100];
    void *device;
    CHECK_OK(cudaMalloc(&device, 2 * page));
    snprintf(wanted, sizeof wanted, "but the host has memory for %zu of them\n", page - 8);
    for (int to_host = 0; to_host < 2; to_host++) {
        void *to = to_host ? host + 8 : device, *from = to_host ? device : host + 8;
        capture_begin();
        CHECK_ERROR(cudaErrorInvalidValue,
                    cudaMemcpy(to, from, 2 * page,
                               to_host ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice));
        const char *said = capture_end();
        ck_assert_msg(strstr(said, wanted) != NULL, "%s", said);
        ck_assert_ptr_nonnull(strstr(said, to_host ? "the destination is" : "the source is"));
        ck_assert_int_eq(strchr(said, 10)[1], 0); /* one line */
    }
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetLastError());
    host[7] = 9; /* and the next copy works */
    CHECK_OK(cudaMemcpy(device, host, page, cudaMemcpyHostToDevice));
    host[7] = 0;
    CHECK_OK(cudaMemcpy(host, device, 8, cudaMemcpyDeviceToHost));
    ck_assert_int_eq(host[7], 9);
}
END_TEST

START_TEST(a_copy_from_nowhere_is_an_error)
{
    char *host = last_page(&(size_t){0});
    void *device;
    CHECK_OK(cudaMalloc(&device, 64));
    munmap(host, 1);
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidValue, cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemcpyToSymbol(table_shadow, host, 16, 0, cudaMemcpyHostToDevice));
    ck_assert_ptr_nonnull(strstr(capture_end(), "but the host has memory for 0 of them"));
}
END_TEST

START_TEST(only_memory_of_the_host_is_pinned)
{
    size_t page;
    char *host = last_page(&page);
    CHECK_OK(cudaHostRegister(host, page, 0));
    CHECK_OK(cudaHostUnregister(host));
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidValue, cudaHostRegister(host + 8, page, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaHostRegister((void *)(uintptr_t)8, 8, 0));
    ck_assert_ptr_nonnull(strstr(capture_end(), "the host has memory for"));
}
END_TEST

/* ---- what is freed in the wrong way ---------------------------------------------------------- */

START_TEST(what_would_have_been_right_is_told)
{
    char *device, *pinned, *here;
    void *variable;
    char own[64];
    CHECK_OK(cudaMalloc((void **)&device, 400));
    CHECK_OK(cudaMallocHost((void **)&pinned, 400));
    CHECK_OK(cudaHostRegister(here = own, sizeof own, 0));
    CHECK_OK(cudaGetSymbolAddress(&variable, counter_shadow));
    const struct {
        cudaError_t (*call)(void *);
        void *pointer;
        const char *said;
    } cases[] = {
        {cudaFree, device + 8, "is byte 8 of allocation"},
        {cudaFree, device + 8, ": cudaFree takes its first byte\n"},
        {cudaFreeHost, device, ": cudaFree frees it\n"},
        {cudaFree, pinned, ": cudaFreeHost frees it\n"},
        {cudaFreeHost, pinned + 1, ": cudaFreeHost takes its first byte\n"},
        {cudaFreeHost, here, ": cudaHostUnregister releases it\n"},
        {cudaFree, variable, ": a variable is never freed\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        capture_begin();
        CHECK_ERROR(cudaErrorInvalidValue, cases[i].call(cases[i].pointer));
        const char *said = capture_end();
        ck_assert_msg(strstr(said, cases[i].said) != NULL, "%s: %s", cases[i].said, said);
    }
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidValue, cudaEventCreate(NULL));
    ck_assert_ptr_nonnull(strstr(capture_end(), "cudaEventCreate: the address of an event"));
}
END_TEST

/* ---- host code ------------------------------------------------------------------------------- */

static void touch(void) /* in a process of its own */
{
    void *device;
    CHECK_OK(cudaMalloc(&device, 400));
    ((volatile char *)device)[12] = 1;
}

static void touch_freed(void)
{
    void *device;
    CHECK_OK(cudaMalloc(&device, 400));
    CHECK_OK(cudaFree(device));
    memset(device, 1, 400);
}

static void keep_own_handler(void)
{
    void *device;
    signal(SIGSEGV, _exit); /* exits with the signal's number */
    CHECK_OK(cudaMalloc(&device, 400));
    *(volatile char *)device = 1;
}

static int run_apart(void (*work)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        work();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

START_TEST(host_code_that_touches_device_memory_is_told)
{
    capture_begin();
    int status = run_apart(_i == 0 ? touch : touch_freed);
    const char *said = capture_end();
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    ck_assert_msg(strstr(said, "host code reads or writes device memory") != NULL, "%s", said);
    ck_assert_ptr_nonnull(strstr(said, "test_cudart_host.c:"));
    ck_assert_ptr_nonnull(strstr(said, _i == 0 ? "is byte 12 of allocation 1, 400 bytes, cudaMalloc"
                                               : "was freed already"));
}
END_TEST

START_TEST(a_program_with_a_handler_keeps_it)
{
    int status = run_apart(keep_own_handler);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == SIGSEGV);
}
END_TEST

/* ---- processes ------------------------------------------------------------------------------- */

static void use_everything(void)
{
    void *pointer = NULL;
    capture_begin();
    CHECK_ERROR(cudaErrorInitializationError, launch(&empty_stub, 1000, 32, NULL));
    CHECK_ERROR(cudaErrorInitializationError, cudaDeviceSynchronize());
    CHECK_ERROR(cudaErrorInitializationError, cudaMalloc(&pointer, 16));
    CHECK_ERROR(cudaErrorInitializationError, cudaDeviceReset());
    CHECK_ERROR(cudaErrorInitializationError, cudaGetLastError());
    ck_assert_ptr_nonnull(strstr(capture_end(), "fork first"));
    exit(7);
}

START_TEST(a_child_of_a_program_that_used_cuda_is_rejected)
{
    CHECK_OK(launch(&empty_stub, 1000, 32, NULL));
    CHECK_OK(cudaDeviceSynchronize());
    int status = run_apart(use_everything);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    CHECK_OK(launch(&empty_stub, 1000, 32, NULL));
    CHECK_OK(cudaDeviceSynchronize());
}
END_TEST

START_TEST(an_argument_without_an_address_is_an_error)
{
    void *pointer = NULL, *arguments[] = {&pointer, NULL};
    capture_begin();
    CHECK_ERROR(cudaErrorInvalidValue, launch(&store_stub, 1, 1, arguments));
    ck_assert_ptr_nonnull(strstr(capture_end(), "argument 2 of 2 has no address"));
}
END_TEST

/* ---- kernels --------------------------------------------------------------------------------- */

static const char *what_store_says(void *pointer)
{
    unsigned value = 5;
    void *arguments[] = {&pointer, &value};
    capture_begin();
    CHECK_OK(launch(&store_stub, 1, 1, arguments));
    CHECK_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    return capture_end();
}

START_TEST(a_kernel_is_told_what_its_pointer_is)
{
    char *managed, *pinned, *device, here[8];
    CHECK_OK(cudaMallocManaged((void **)&managed, 40, cudaMemAttachGlobal));
    CHECK_OK(cudaMallocHost((void **)&pinned, 40));
    CHECK_OK(cudaMalloc((void **)&device, 40));
    const struct {
        void *pointer;
        const char *said;
    } cases[] = {
        {managed + 40, "right behind the end of the nearest allocation, 40 bytes"},
        {managed + 44, "that is 4 bytes behind the end of the nearest allocation, 40 bytes"},
        {pinned + 41, "that is 1 byte behind the end"},
        {pinned - 4, "that is 4 bytes before the start"},
        {device - ((size_t)8 << 30), "that is 8589934592 bytes before the start"},
        {here, "it is no device address but the host's"},
        {NULL, "it is a null pointer;"},
        {(char *)NULL + 400000, "it is a null pointer plus an offset"},
        {(char *)NULL + ((size_t)0xcccc << 48), "it is no device address;"},
    };
    const char *said = what_store_says(cases[_i].pointer);
    ck_assert_msg(strstr(said, cases[_i].said) != NULL, "%s", said);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("the wrong side");
    tcase_add_checked_fixture(tests, setup, NULL);
#ifndef __SANITIZE_ADDRESS__ /* whose memmove() judges for itself, and ends the program */
    tcase_add_test(tests, a_copy_that_runs_out_of_the_host_is_an_error);
    tcase_add_test(tests, a_copy_from_nowhere_is_an_error);
#else
    (void)a_copy_that_runs_out_of_the_host_is_an_error;
    (void)a_copy_from_nowhere_is_an_error;
#endif
    tcase_add_test(tests, only_memory_of_the_host_is_pinned);
    tcase_add_test(tests, what_would_have_been_right_is_told);
    tcase_add_loop_test(tests, host_code_that_touches_device_memory_is_told, 0, 2);
    tcase_add_test(tests, a_program_with_a_handler_keeps_it);
    tcase_add_test(tests, a_child_of_a_program_that_used_cuda_is_rejected);
    tcase_add_test(tests, an_argument_without_an_address_is_an_error);
    tcase_add_loop_test(tests, a_kernel_is_told_what_its_pointer_is, 0, 9);
    return run_suite("the wrong side", tests);
}
