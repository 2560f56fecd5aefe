/* counters.h - what the last kernel launch of this process counted, and which backend runs it.
 *
 * Counts come from the simulator alone (counters_sim.c); on a GPU a program cannot read them from
 * inside itself (counters_gpu.c), Nsight Compute can: the metric of each counter stands in
 * simt/counters.def. Exactly one of the two files is compiled in: SIMT, a macro that both front
 * ends of the simulator define, selects it. */
#ifndef COMMON_COUNTERS_H
#define COMMON_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct launch_counters {
#define COUNTER(field, unit, metric) uint64_t field;
#include "common/simt/base/counters.def"
#undef COUNTER
};

/* false: not available (on a GPU, or before the first launch); *out is then all zero. The launch
 * has ended by the time this returns. */
bool counters_last_launch(struct launch_counters *out);

/* true on the simulator: counts are exact, times do not exist. */
bool backend_is_sim(void);

/* --- on the simulator only: neither is ever measured --------------------------------------------
 */

/* What the launches since the last launch_times_start() need at least on the simulated GPU, and
 * with SIMT_MODEL=1 how long a model says they take, one behind the other. */
struct launch_times {
    double floor_ms, model_ms; /* NaN: there is none */
    const char *floor_limiter,
        *model_limiter; /* of the longest launch: "DRAM"; NULL: there is none */
};
bool launch_times_wanted(void); /* SIMT_MODEL=1 on the simulator: launches are watched for it */
/* From here on launches are watched for it unless the user said SIMT_MODEL=0; before the first call
 * of CUDA. On a GPU nothing happens. */
void launch_times_by_default(void);
void launch_times_start(void);
bool launch_times(struct launch_times *out); /* false, and NaN: not wanted */

/* From now on a launch of more than `instructions` warp instructions executes only a sample of its
 * blocks (0: all of them): its counts are scaled, the rest of its results is missing. A launch
 * whose blocks depend on each other runs whole. On a GPU nothing happens. */
void launch_sample(uint64_t instructions);
struct launch_sampled {
    uint64_t blocks, executed;
    bool exact; /* blocks counted alike, so the scaled counts are those of the whole launch */
};
/* Behind launch(state): if it made several launches and another one than the last was sampled, then
 * what came behind worked on incomplete data. So all is launched again, the last one alone as a
 * sample, if it is that large, and one line on stderr says so. false: nothing had to be. */
bool launch_again_for_last(const char *what, void (*launch)(void *state), void *state);
bool launch_was_sampled(struct launch_sampled *out); /* the last one; false: all of it ran */

#ifdef __cplusplus
}
#endif

#endif
