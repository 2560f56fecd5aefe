/* host.c - the host as WebAssembly has it: see host.h. It also stands in for the simulator's files
 * that ask an operating system (base/describe.c, base/demangle.c, machine/memory_host.c). */
#include "host.h"

#include "base/base.h"
#include "base/demangle.h"
#include "base/describe.h"
#include "machine/memory.h"

#include <stdio.h>
#include <string.h>

int host_rounded_otherwise;

/* ---- memory ---------------------------------------------------------------------------------- */

enum { PAGE = 1 << 16, FIRST_SIZE = 256 << 20 };

/* New pages of WebAssembly's memory are zero, and cost nothing until they are touched. */
static void *new_pages(uint64_t bytes)
{
    const size_t from = __builtin_wasm_memory_grow(0, (size_t)((bytes + PAGE - 1) / PAGE));
    return from == SIZE_MAX ? MAP_FAILED : (void *)(from * PAGE);
}

/* Device memory is one reservation of two halves, of which nobody touches the first: that half
 * needs addresses, but no memory. Addresses may wrap around, as their 64 bits do not. It is kept
 * for the next simulator that is opened, since WebAssembly takes no memory back. */
static struct {
    void *at;
    uint64_t bytes;
    int in_use;
} window;

static void *open_window(uint64_t bytes)
{
    if (window.in_use || (window.bytes != 0 && window.bytes != bytes)) {
        return MAP_FAILED;
    }
    if (window.bytes == 0) {
        void *store = new_pages(bytes / 2);
        if (store == MAP_FAILED) {
            return MAP_FAILED;
        }
        window.at = (void *)((uintptr_t)store - (uintptr_t)(bytes / 2));
        window.bytes = bytes;
    }
    window.in_use = 1;
    return window.at;
}

void *mmap(void *at, uint64_t bytes, int protection, int flags, int file, long offset)
{
    (void)at, (void)flags, (void)file, (void)offset;
    if (protection == PROT_NONE) {
        return open_window(bytes);
    }
    void *room = aligned_alloc(64, (size_t)align_up(bytes, 64));
    return room != NULL ? memset(room, 0, (size_t)bytes) : MAP_FAILED;
}

int munmap(void *at, uint64_t bytes)
{
    if (at == window.at && bytes == window.bytes) {
        window.in_use = 0;
    } else {
        free(at);
    }
    return 0;
}

int madvise(void *at, uint64_t bytes, int advice)
{
    if (advice == MADV_DONTNEED) {
        memset(at, 0, (size_t)bytes);
    }
    return 0;
}

uint64_t memory_first_size(void) { return FIRST_SIZE; }
uint64_t memory_host_capacity(void) { return FIRST_SIZE; }

uint64_t memory_on_host(uint64_t address, uint64_t bytes)
{
    (void)address, (void)bytes;
    return 0; /* no address of the page's is one of a program's */
}

/* ---- places and names ------------------------------------------------------------------------ */

void simt_describe_address(const void *address, char *text, size_t size)
{
    (void)address;
    snprintf(text, size, "the page");
}

const char *describe_line(const void *address)
{
    (void)address;
    return "";
}

/* "_Z4copyPfPKf" -> "copy", "_Z6matmulILi16EEvPf" -> "matmul": the name alone. */
void demangle_name(const char *mangled, char *text, size_t size)
{
    const char *at = strncmp(mangled, "_Z", 2) == 0 ? mangled + 2 : "";
    char *name = NULL;
    const unsigned long length = strtoul(at + (*at == 'N'), &name, 10);
    const bool known = length > 0 && length <= strlen(name);
    snprintf(text, size, "%.*s", known ? (int)length : (int)size - 1, known ? name : mangled);
}

void demangle_signature(const char *mangled, char *text, size_t size)
{
    demangle_name(mangled, text, size);
}

/* "_ZZ6kernelPfE4tile" -> "tile": what a length stands before that reaches to the end. */
void demangle_last_name(const char *mangled, char *text, size_t size)
{
    const char *found = NULL;
    for (const char *at = mangled; *at != '\0' && found == NULL; at++) {
        char *name;
        const unsigned long length = strtoul(at, &name, 10);
        found = *at > '0' && *at <= '9' && length == strlen(name) ? name : NULL;
    }
    snprintf(text, size, "%s", found != NULL ? found : mangled);
}

/* ---- sorting --------------------------------------------------------------------------------- */

/* By insertion: equal items stay in their order, as the C library of Linux has it, and lists are
 * short. */
void qsort_r(void *items, size_t count, size_t size,
             int (*order)(const void *, const void *, void *), void *state)
{
    char *bytes = items;
    for (size_t i = 1; i < count; i++) {
        for (size_t at = i; at > 0; at--) {
            char *here = bytes + at * size, *before = here - size;
            if (order(before, here, state) <= 0) {
                break;
            }
            for (size_t b = 0; b < size; b++) {
                const char kept = here[b];
                here[b] = before[b];
                before[b] = kept;
            }
        }
    }
}

/* ---- what Debian's arithmetic for 128 bits was compiled to expect
 * ----------------------------------- */

uintptr_t __stack_chk_guard = 0x5bd1e995;
_Noreturn void __stack_chk_fail(void) { abort(); }
