/* simt/device_libc.h - the C library as kernels have it: printf, assert, malloc, free, memcpy.
 *
 * clang turns printf(format, ...) in device code into vprintf(format, packed arguments). The
 * others are calls that the simulator answers itself, under the names nvcc uses. */
#ifndef SIMT_DEVICE_LIBC_H
#define SIMT_DEVICE_LIBC_H

#include <stddef.h>

#include "device.h"

extern "C" {
__attribute__((device)) int vprintf(const char *format, const char *arguments);
__attribute__((device)) int printf(const char *format, ...);
__attribute__((device, malloc)) void *malloc(size_t bytes) noexcept(true);
__attribute__((device)) void free(void *pointer) noexcept(true);
__attribute__((device)) void __assertfail(const char *expression, const char *file,
                                          unsigned int line, const char *function,
                                          size_t character_bytes);
/* Of a conditional node of CUDA graphs: what it does when the kernel has ended. */
__attribute__((device)) void cudaGraphSetConditional(unsigned long long handle,
                                                     unsigned int value);

/* What the C library's assert() calls when it fails. */
SIMT_DEVICE void __assert_fail(const char *expression, const char *file, unsigned int line,
                               const char *function) noexcept(true)
{
    __assertfail(expression, file, line, function, sizeof(char));
}
}

/* Where malloc is there, clang's <new> gives kernels new and delete; nvcc has them without an
 * include. */
#include <new>

/* Copies and fills: loops of loads and stores, or single ones where the size is a constant. */
#define SIMT_MEMORY_FUNCTION(name, source)                                                         \
    SIMT_DEVICE void *name(void *to, source from, size_t bytes) noexcept(true)                     \
    {                                                                                              \
        __builtin_##name(to, from, bytes);                                                         \
        return to;                                                                                 \
    }
SIMT_MEMORY_FUNCTION(memcpy, const void *)
SIMT_MEMORY_FUNCTION(memmove, const void *)
SIMT_MEMORY_FUNCTION(memset, int)
#undef SIMT_MEMORY_FUNCTION

#endif
