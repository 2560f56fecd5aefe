/* occupancy.h - how many blocks of a kernel one SM holds, and what stops it from holding more.
 *
 * Pure arithmetic on struct gpu_limits, equal to NVIDIA's cuda_occupancy.h (tested against it where
 * the toolkit is installed) and to cudaOccupancyMaxActiveBlocksPerMultiprocessor. Shared memory
 * carve-out: the default, all of it available if needed. */
#ifndef COMMON_OCCUPANCY_H
#define COMMON_OCCUPANCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu_limits.h"

#ifdef __cplusplus
extern "C" {
#endif

struct occupancy_request {
    unsigned threads_per_block;
    unsigned registers_per_thread;
    uint64_t static_shared_bytes; /* per block; never more than shared_bytes_per_block */
    uint64_t dynamic_shared_bytes;
};

/* Resources that stop another block. More than one may be exhausted at once. */
enum occupancy_limiter {
    LIMITER_THREADS = 1, /* thread (warp) slots */
    LIMITER_BLOCKS = 2,  /* block slots */
    LIMITER_REGISTERS = 4,
    LIMITER_SHARED = 8
};

enum { OCCUPANCY_NO_LIMIT = 0x7fffffff }; /* "any number of blocks": the resource is not used */

struct occupancy {
    unsigned blocks_per_sm; /* 0: not even one block can be launched; see refusal */
    unsigned warps_per_sm;
    unsigned threads_per_sm;
    double occupancy; /* warps_per_sm / max_warps_per_sm */

    unsigned blocks_by_threads; /* how many blocks each resource alone would allow */
    unsigned blocks_by_slots;
    unsigned blocks_by_registers;
    unsigned blocks_by_shared;
    unsigned limiters; /* of enum occupancy_limiter: those that allow the fewest */

    unsigned warps_per_block;
    unsigned registers_per_block;    /* allocated: granularity included */
    uint64_t shared_bytes_per_block; /* allocated: granularity and the system's part included */
    char refusal[160];               /* why a launch fails, one line; "" if it does not */
};

/* Returns blocks_per_sm > 0. */
bool occupancy_compute(const struct gpu_limits *g, const struct occupancy_request *request,
                       struct occupancy *out);

/* Bytes of shared memory of an SM whose kernel prefers so many percent of the most there can be
 * (cudaFuncAttributePreferredSharedMemoryCarveout; -1: no preference): the smallest of the
 * hardware's sizes that has them, and that a block of so many bytes fits into. */
unsigned occupancy_carveout(const struct gpu_limits *g, int percent, uint64_t block_bytes);
/* "threads", "block slots", "registers", "shared memory", joined with " + ". Returns text. */
const char *occupancy_limiters(const struct occupancy *o, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
