/* host_array.h - how long an array of the host is: as malloc, new, the stack or the symbol table
 * tell it.
 *
 * malloc() and new of a program that simtcc has linked go through wrap_malloc.c, which leaves the
 * size behind each block; other blocks of the C library are known to within 24 bytes. A variable is
 * as long as its symbol. Of an array on the stack only the end of its function's frame is known.
 * Memory of mmap() and of allocators of the program's own is not known at all. */
#ifndef SIMT_HOST_ARRAY_H
#define SIMT_HOST_ARRAY_H

#include "base.h"

struct host_array {
    uint64_t begin, bytes;
    const char *kind; /* "malloc", "variable", "stack" */
    char name[200];   /* of a variable, mangled; "" for others */
};

/* false: it is not known. */
bool host_array_find(const void *pointer, struct host_array *out);

/* Has host_array_has() lately found an array with as many bytes behind the pointer? Quick. */
bool host_array_was_enough(const void *pointer, uint64_t bytes);
/* Are there as many bytes behind the pointer, or is that not known? false: *out says what there is.
 */
bool host_array_has(const void *pointer, uint64_t bytes, struct host_array *out);

/* For wrap_malloc.c: a block for n bytes has this many; and the size is noted down behind it. */
enum { HOST_ARRAY_TAG = 8 };
void host_array_tag(void *block, uint64_t usable_bytes, uint64_t bytes);

#endif
