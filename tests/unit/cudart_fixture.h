/* cudart_fixture.h - a program as the CUDA runtime sees one: a module in PTX, registered by hand as
 * the compilers' start-up code does, so that no CUDA compiler is needed. For test_*.c. */
#ifndef TESTS_CUDART_FIXTURE_H
#define TESTS_CUDART_FIXTURE_H

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/cuda_runtime_api.h"

/* What generated code calls; declared in no header, because nobody else does. */
void **__cudaRegisterFatBinary(void *fatbin);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                            const char *name, int thread_limit, void *thread, void *block,
                            void *block_size, void *grid_size, int *warp_size);
void __cudaRegisterVar(void **handle, char *shadow, char *device_address, const char *name,
                       int is_extern, size_t bytes, int is_constant, int is_global);
void __cudaRegisterManagedVar(void **handle, void **pointer, char *device_address, const char *name,
                              int is_extern, size_t bytes, int is_constant, int is_global);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, cudaStream_t stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream);

static const char program_ptx[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 3;\n"
    ".visible .global .align 4 .u32 shared_count = 11;\n"
    ".visible .const .align 4 .b8 table[16];\n"
    ".visible .entry _Z5emptyv() { ret; }\n"
    ".visible .entry limited() .maxntid 64, 1, 1 { ret; }\n"
    /* void store(unsigned *p, unsigned value) { *p = value; } */
    ".visible .entry _Z5storePjj(.param .u64 p, .param .u32 value) {\n"
    "  .reg .b32 %r<2>; .reg .b64 %rd<3>;\n"
    "  ld.param.u64 %rd1, [p];\n  ld.param.u32 %r1, [value];\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n  st.global.u32 [%rd2], %r1;\n  ret;\n}\n"
    /* void read(unsigned *p) { *p = counter + shared_count++; } */
    ".visible .entry _Z4readPj(.param .u64 p) {\n"
    "  .reg .b32 %r<5>; .reg .b64 %rd<3>;\n"
    "  ld.param.u64 %rd1, [p];\n  cvta.to.global.u64 %rd2, %rd1;\n"
    "  ld.global.u32 %r1, [counter];\n  ld.global.u32 %r2, [shared_count];\n"
    "  add.s32 %r3, %r1, %r2;\n  st.global.u32 [%rd2], %r3;\n"
    "  add.s32 %r4, %r2, 1;\n  st.global.u32 [shared_count], %r4;\n  ret;\n}\n"
    ".visible .entry stop() { trap; }\n";

static const char empty_stub, limited_stub, store_stub, read_stub, stop_stub, absent_stub;
static char counter_shadow[4], table_shadow[16];
static unsigned *shared_count; /* as nvcc's host code holds a managed variable */

struct fatbin_wrapper {
    uint32_t magic, version;
    const void *data;
    void *unused;
};

static void register_kernel(void **handle, const char *stub, const char *name)
{
    __cudaRegisterFunction(handle, stub, NULL, name, -1, NULL, NULL, NULL, NULL, NULL);
}

static inline void **register_program(void)
{
    static struct fatbin_wrapper wrapper = {0x466243b1, 1, program_ptx, NULL};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    register_kernel(handle, &empty_stub, "_Z5emptyv");
    register_kernel(handle, &limited_stub, "limited");
    register_kernel(handle, &store_stub, "_Z5storePjj");
    register_kernel(handle, &read_stub, "_Z4readPj");
    register_kernel(handle, &stop_stub, "stop");
    register_kernel(handle, &absent_stub, "absent");
    __cudaRegisterVar(handle, counter_shadow, counter_shadow, "counter", 0, 4, 0, 0);
    __cudaRegisterVar(handle, table_shadow, table_shadow, "table", 0, 16, 1, 0);
    __cudaRegisterManagedVar(handle, (void **)&shared_count, NULL, "shared_count", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    return handle;
}

static inline dim3 dim(unsigned x) { return (dim3){x, 1, 1}; }

static inline cudaError_t launch(const char *stub, unsigned blocks, unsigned threads, void **args)
{
    return cudaLaunchKernel(stub, dim(blocks), dim(threads), args, 0, NULL);
}

/* What a call prints on stderr, up to the next capture. */
static inline void capture_begin(void)
{
    fflush(stderr);
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(dup2(fileno(file), STDERR_FILENO), 0);
    fclose(file);
}

static inline const char *capture_end(void)
{
    static char text[4096];
    fflush(stderr);
    ck_assert_int_ge(lseek(STDERR_FILENO, 0, SEEK_SET), 0);
    ssize_t length = read(STDERR_FILENO, text, sizeof text - 1);
    ck_assert_int_ge(length, 0);
    text[length] = '\0';
    return text;
}

#define CHECK_ERROR(expected, call)                                                                \
    do {                                                                                           \
        cudaError_t got_ = (call);                                                                 \
        ck_assert_msg(got_ == (expected), "%s: %s, not %s", #call, cudaGetErrorName(got_),         \
                      cudaGetErrorName(expected));                                                 \
    } while (0)
#define CHECK_OK(call) CHECK_ERROR(cudaSuccess, call)

static inline unsigned *device_words(unsigned count)
{
    void *pointer = NULL;
    CHECK_OK(cudaMalloc(&pointer, count * sizeof(unsigned)));
    ck_assert_ptr_nonnull(pointer);
    return pointer;
}

static inline unsigned word_at(const unsigned *device)
{
    unsigned word = 0;
    CHECK_OK(cudaMemcpy(&word, device, sizeof word, cudaMemcpyDeviceToHost));
    return word;
}

static inline cudaError_t store(unsigned *device, unsigned value)
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

#endif
