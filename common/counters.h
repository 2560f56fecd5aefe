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

#ifdef __cplusplus
}
#endif

#endif
