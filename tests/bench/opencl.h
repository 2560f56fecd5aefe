/* opencl.h - the rows' kernels once more, as native code by whichever OpenCL is installed (PoCL, on
 * a machine without a GPU).
 *
 * Where there was no OpenCL when this was compiled, or is no device now, opencl_open() says no, and
 * nothing else may be called. rows.cu and bench.cu use it. */
#ifndef BENCH_OPENCL_H
#define BENCH_OPENCL_H

#include "tests/bench/rows.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Compiles the kernels of the file at `path` (rows.cl) for the first device; false: there is none.
 */
bool opencl_open(const char *path);
/* Its name and version, for the head of a table. */
const char *opencl_device(void);
/* Room for `floats` numbers in each of a, b and c, and what the host's copies hold: those that are
 * not null. */
void opencl_fill(const struct work *host, size_t floats);
/* One run of the row with this name, to its end; false: there is no such row here. */
bool opencl_run(const char *name);
/* What the row has computed: c, counts, levels and halves, into those of `to` that are not null. */
void opencl_fetch(const struct work *to, size_t floats);

#ifdef __cplusplus
}
#endif

#endif
