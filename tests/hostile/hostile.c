/* hostile.c - the allocator of a hostile host: call number HOSTILE_FAILS of the simulator's allocations (1, 2,
 * ...) finds no memory, all others do. tests/hostile/run has the simulator's library call these in place of the
 * C library's. With HOSTILE_COUNTS=FILE, how many calls there were is written there at the end. */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_ulong calls;

__attribute__((destructor)) static void count(void)
{
    const char *name = getenv("HOSTILE_COUNTS");
    FILE *file = name != NULL ? fopen(name, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%lu\n", atomic_load(&calls));
        fclose(file);
    }
}

static bool fails(void)
{
    const char *number = getenv("HOSTILE_FAILS");
    return atomic_fetch_add(&calls, 1) + 1 == (number != NULL ? strtoul(number, NULL, 10) : 0);
}

void *hostile_malloc(size_t bytes) { return fails() ? NULL : malloc(bytes); }

void *hostile_calloc(size_t count, size_t bytes) { return fails() ? NULL : calloc(count, bytes); }

void *hostile_realloc(void *old, size_t bytes) { return fails() ? NULL : realloc(old, bytes); }

void *hostile_aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : aligned_alloc(alignment, bytes);
}

int hostile_posix_memalign(void **p, size_t alignment, size_t bytes)
{
    return fails() ? ENOMEM : posix_memalign(p, alignment, bytes);
}
