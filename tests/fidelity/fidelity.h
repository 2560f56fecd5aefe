/* fidelity.h - a family of launches: one access pattern, one launch for each value of a number.
 *
 * Every launch of this program makes the same accesses on any GPU and on the simulator, so its
 * counters can be compared one by one. Rules for a kernel here: deterministic output, no float
 * whose value depends on an order, no address outside `in` and `out`, every lane's work is seen in
 * `out`. Included by the files of kernels and by main.cu. */
#ifndef FIDELITY_H
#define FIDELITY_H

#include "common/cuda_check.h"

#include <stdint.h>

enum {
    IN_BYTES = 1 << 20,  /* random bits */
    OUT_BYTES = 1 << 20, /* 0xa5 before each launch; hashed after it */
    WORDS = IN_BYTES / 4
};

struct fidelity_io {
    const void *in;
    void *out;
    const uint32_t *permutation; /* of 0 .. 1023 */
    uint32_t *zeroed;            /* 64 KiB, 0 before each launch; hashed after it */
};

struct fidelity_family {
    const char *name; /* a launch is called name, or name_VALUE if first < last */
    void (*launch)(const struct fidelity_io *io, int value);
    int first, last;
};

/* One table per file of kernels; each ends with a name of NULL. */
extern const struct fidelity_family global_families[], shared_families[], atomic_families[],
    flow_families[], space_families[], tile_families[];

#endif
