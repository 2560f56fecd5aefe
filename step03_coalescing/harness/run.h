/* run.h - runs one trial: poison, launch, count, copy back, check, compare. Used by main.cu. */
#ifndef STEP03_RUN_H
#define STEP03_RUN_H

#include "common/timing.h"
#include "step03_coalescing/harness/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

struct arrays {
    size_t bytes, capacity; /* of the device arrays now; of the host arrays */
    uint8_t *in, *out;
    void *d_in, *d_out;
};

/* Host arrays large enough for every trial of the plan, the input filled from the seed. Exits with
 * 2 if there is no memory for them. */
void arrays_open(struct arrays *a, const struct plan *p, uint64_t seed);
void arrays_close(struct arrays *a);

struct result {
    struct timing timing;
    struct traffic predicted, counted;
    bool has_counts; /* the simulator ran it */
    bool right;      /* the output is what the CPU computes */
    bool counts_agree;
};

/* What is wrong with the result or its counts is said in one line each on stderr. */
struct result run_entry(const struct entry *e, struct arrays *a,
                        const struct timing_options *timing);

#ifdef __cplusplus
}
#endif

#endif
