/* unread.h - launches by <<<>>> that failed and whose error the program has not asked for.
 *
 * Such a launch returns nothing: only cudaGetLastError() and cudaPeekAtLastError(), called by the
 * same thread, tell that the kernel did not run. Whether a program looks at the code that another
 * call returns cannot be seen from here. */
#ifndef SIMT_UNREAD_H
#define SIMT_UNREAD_H

#include "include/cuda_runtime_api.h"

struct unread_error {
    cudaError_t code;
    const char *kernel;
    const void *site; /* a return address */
};

void unread_add(const struct unread_error *e);
/* The calling thread asks for its last error. */
void unread_are_read(void);
/* At the end of the program; the last one first. */
void unread_visit(void (*visit)(const struct unread_error *e));

#endif
