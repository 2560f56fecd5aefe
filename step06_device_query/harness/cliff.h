/* cliff.h - occupancy measured: kernels that hold ever more registers, blocks that ask for ever
 * more shared memory, and what both do to the bandwidth of a copy. Needs a device (or the
 * simulator, which verifies and computes but measures nothing). */
#ifndef STEP06_CLIFF_H
#define STEP06_CLIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "common/options.h"
#include "common/table.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cliff_options {
    unsigned block;     /* threads */
    unsigned n;         /* floats that are copied */
    const char *kernel; /* one kernel, or NULL: all but the sabotaged one */
    int warmup, repeats;
    uint64_t seed;
};

/* Prints every kernel's name and what it does. */
void cliff_list(void);

/* Adds one row per kernel and one per shared memory size; each result is verified, each occupancy
 * compared with the runtime's. Returns the exit code: 0, 1 (wrong), 2 (no such kernel). */
int cliff_measure(struct table *t, const struct cliff_options *options);

/* Compares occupancy_compute() with cudaOccupancyMaxActiveBlocksPerMultiprocessor() for all
 * kernels, block sizes and shared memory sizes. Returns the exit code: 0 or 1. */
int cliff_check(void);

#ifdef __cplusplus
}
#endif

#endif
