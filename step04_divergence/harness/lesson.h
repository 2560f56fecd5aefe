/* lesson.h - the kernels of this lesson, as the rest of it sees them.
 *
 * maps.cu, branches.cu and boundary.cu launch the kernels of the lesson's folder; part_*.c compare
 * what they find with arithmetic.c and, on the simulator, with its branch counters. */
#ifndef STEP04_LESSON_H
#define STEP04_LESSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/counters.h"
#include "common/timing.h"
#include "step04_divergence/harness/arithmetic.h"

#ifdef __cplusplus
extern "C" {
#endif

enum experiment { EXPERIMENT_MAP, EXPERIMENT_BRANCH, EXPERIMENT_BOUNDARY };

struct kernel {
    const char *name;
    enum experiment experiment;
    const char *what;
    bool sabotaged; /* wrong on purpose: runs only when named, and must be rejected */
};

/* --- maps.cu -----------------------------------------------------------------------------------*/

/* What each thread of one block found out, in the order of its number. */
struct placed {
    struct thread leader; /* the first active thread of its warp */
    unsigned lane;
};

/* sabotaged: numbers the threads y first. found has room for shape_threads(s). */
void map_run(struct shape s, bool sabotaged, struct placed *found);

/* --- branches.cu -------------------------------------------------------------------------------*/

/* What all warps together did at a branch or in a loop. */
struct branch_tally {
    uint64_t warps;
    uint64_t divergent; /* warps whose lanes did not agree, at least once */
    uint64_t issues;    /* times a warp had to run a body: both arms of an if count */
    uint64_t lanes;     /* lanes active in them */
};

struct branch_case {
    const char *name;
    const char *condition; /* as the kernel writes it */
    bool is_loop;
    bool short_arms; /* so short that no branch is left: see the README */
};
const struct branch_case *branch_cases(size_t which); /* NULL: there is none */

struct branch_run {
    struct branch_tally counted; /* by ballot, on the device */
    struct launch_counters counters;
    bool has_counters;
    struct timing timing;
    bool right; /* every thread's result is what the CPU computes */
};

/* `rounds`: length of the arms. */
struct branch_run branch_measure(size_t which, unsigned blocks, unsigned threads, unsigned rounds,
                                 const struct timing_options *timing);
/* The same by arithmetic, and how many branches of the kernel the simulator must see diverge. */
struct branch_tally branch_predict(size_t which, unsigned blocks, unsigned threads,
                                   uint64_t *divergent_branches);

/* --- boundary.cu -------------------------------------------------------------------------------*/

enum warp_state { WARP_FULL, WARP_DIVERGENT, WARP_OUTSIDE };

struct boundary_run {
    struct tally counted; /* by ballot, on the device */
    struct launch_counters counters;
    bool has_counters;
    struct timing timing; /* of the addition */
    bool right;
    uint8_t *state; /* enum warp_state of every warp, block after block; free() it */
};

/* height 0: vec_add on width elements; else image_add. sabotaged: takes every warp that is not full
 * for a divergent one. */
struct boundary_run boundary_measure(int64_t width, int64_t height, struct shape s, bool sabotaged,
                                     uint64_t seed, const struct timing_options *timing);

#ifdef __cplusplus
}
#endif

#endif
