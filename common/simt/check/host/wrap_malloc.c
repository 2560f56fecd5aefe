/* wrap_malloc.c - malloc and new of the program, which simtcc links with --wrap: each block notes
 * down its size for copies (host_array.h), and SIMT_CHECK=races is told when a block is freed.
 *
 * The names are the linker's: __real_malloc is malloc, and what the program calls malloc is
 * __wrap_malloc. Without --wrap these are never called. */
#include "base/host_array.h"
#include "runtime/cudart.h"
#include "check/host/hazard.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stddef.h>

#define WEAK __attribute__((weak))

extern void *__real_malloc(size_t bytes) WEAK;
extern void *__real_calloc(size_t count, size_t bytes) WEAK;
extern void *__real_realloc(void *block, size_t bytes) WEAK;
extern void *__real_aligned_alloc(size_t alignment, size_t bytes) WEAK;
extern int __real_posix_memalign(void **block, size_t alignment, size_t bytes) WEAK;
extern int __real_munmap(void *begin, size_t bytes) WEAK;
extern void __real_free(void *block) WEAK;
extern void *__real__Znwm(size_t bytes) WEAK; /* operator new */
extern void *__real__Znam(size_t bytes) WEAK; /* operator new[] */
extern void __real__ZdlPv(void *block) WEAK;  /* operator delete */
extern void __real__ZdaPv(void *block) WEAK;  /* operator delete[] */
extern void __real__ZdlPvm(void *block, size_t) WEAK;
extern void __real__ZdaPvm(void *block, size_t) WEAK;

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes);
int __wrap_munmap(void *begin, size_t bytes);
void __wrap_free(void *block);
void *__wrap__Znwm(size_t bytes);
void *__wrap__Znam(size_t bytes);
void __wrap__ZdlPv(void *block);
void __wrap__ZdaPv(void *block);
void __wrap__ZdlPvm(void *block, size_t bytes);
void __wrap__ZdaPvm(void *block, size_t bytes);

/* A program may have a malloc or operator new of its own, whose blocks are not the C library's. */
static bool is_librarys(const void *function, int *answer)
{
    enum { NOT_ASKED, YES, NO };
    if (*answer == NOT_ASKED) {
        Dl_info ours, theirs;
        bool known = dladdr(answer, &ours) != 0 && dladdr(function, &theirs) != 0;
        *answer = known && ours.dli_fbase != theirs.dli_fbase ? YES : NO;
    }
    return *answer == YES;
}

static bool knows_malloc(void)
{
    static int answer;
    return is_librarys((const void *)(uintptr_t)__real_malloc, &answer);
}

static bool knows_new(void)
{
    static int answer;
    return knows_malloc() && is_librarys((const void *)(uintptr_t)__real__Znwm, &answer);
}

static size_t with_tag(size_t bytes)
{
    return knows_malloc() && bytes < PTRDIFF_MAX - HOST_ARRAY_TAG ? bytes + HOST_ARRAY_TAG : bytes;
}

static void *tagged(void *block, size_t bytes)
{
    if (block != NULL && knows_malloc()) {
        host_array_tag(block, malloc_usable_size(block), bytes);
    }
    return block;
}

/* Of a work that still uses it, or of cudaHostRegister(). */
static void given_back(void *block, const void *return_address)
{
    if (block != NULL && runtime_is_open() && knows_malloc()) {
        const size_t bytes = malloc_usable_size(block);
        if (hazard_is_open()) {
            hazard_freed(block, bytes, return_address);
        }
        runtime_host_gone(block, bytes, return_address);
    }
}

int __wrap_munmap(void *begin, size_t bytes)
{
    if (hazard_is_open()) {
        hazard_freed(begin, bytes, __builtin_return_address(0));
    }
    runtime_host_gone(begin, bytes, __builtin_return_address(0));
    return __real_munmap(begin, bytes);
}

void *__wrap_malloc(size_t bytes) { return tagged(__real_malloc(with_tag(bytes)), bytes); }

void *__wrap_calloc(size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        return __real_calloc(count, bytes);
    }
    return tagged(__real_calloc(1, with_tag(all)), all);
}

void *__wrap_realloc(void *block, size_t bytes)
{
    given_back(block, __builtin_return_address(0));
    return bytes == 0 ? __real_realloc(block, 0)
                      : tagged(__real_realloc(block, with_tag(bytes)), bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return tagged(__real_aligned_alloc(alignment, with_tag(bytes)), bytes);
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes)
{
    int code = __real_posix_memalign(block, alignment, with_tag(bytes));
    if (code == 0) {
        tagged(*block, bytes);
    }
    return code;
}

void __wrap_free(void *block)
{
    given_back(block, __builtin_return_address(0));
    __real_free(block);
}

void *__wrap__Znwm(size_t bytes)
{
    return knows_new() ? tagged(__real__Znwm(with_tag(bytes)), bytes) : __real__Znwm(bytes);
}

void *__wrap__Znam(size_t bytes)
{
    return knows_new() ? tagged(__real__Znam(with_tag(bytes)), bytes) : __real__Znam(bytes);
}

static void deleted(void *block, const void *return_address)
{
    if (block != NULL && runtime_is_open() && knows_new()) {
        given_back(block, return_address);
    }
}

void __wrap__ZdlPv(void *block)
{
    deleted(block, __builtin_return_address(0));
    __real__ZdlPv(block);
}

void __wrap__ZdaPv(void *block)
{
    deleted(block, __builtin_return_address(0));
    __real__ZdaPv(block);
}

void __wrap__ZdlPvm(void *block, size_t bytes)
{
    deleted(block, __builtin_return_address(0));
    __real__ZdlPvm(block, bytes);
}

void __wrap__ZdaPvm(void *block, size_t bytes)
{
    deleted(block, __builtin_return_address(0));
    __real__ZdaPvm(block, bytes);
}
