/* plan.h - which trials a command line asks for, in the order in which they run. Used by main.cu.
 */
#ifndef STEP03_PLAN_H
#define STEP03_PLAN_H

#include "step03_coalescing/harness/lesson.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PLAN_MAX = 160 };

struct entry {
    const struct kernel *kernel;
    struct trial trial; /* d_in and d_out not yet set */
};

struct plan {
    size_t count;
    struct entry entries[PLAN_MAX];
};

/* Trials on arrays of that many floats, or of the same bytes in other elements. */
void plan_all(struct plan *p, const struct request *r, size_t floats);
/* Every kernel of p once more, at sizes that are a multiple of nothing. */
void plan_odd(struct plan *odd, const struct plan *p);
/* Bytes of its largest array. */
size_t plan_array_bytes(const struct plan *p);

#ifdef __cplusplus
}
#endif

#endif
