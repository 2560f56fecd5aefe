/* timing.h - how long a launch takes on a GPU: warm-ups, then repetitions between CUDA events.
 *
 * A time exists only if a GPU measured it. On the simulator timing_run() runs the launch once (so
 * that its result can be verified and its counters read) and says has_time = false; the times, and
 * the rates below, are then NaN, which table_measured() prints as `-`. */
#ifndef COMMON_TIMING_H
#define COMMON_TIMING_H

#include <stdbool.h>

#include "counters.h"

#ifdef __cplusplus
extern "C" {
#endif

struct timing_options {
    int warmup;    /* untimed runs before the first timed one, >= 0 */
    int repeats;   /* timed runs, >= 1 */
    int batch;     /* launches between the two events of one timed run, >= 1; times are per launch.
                    * More than 1 hides the launch overhead of a kernel of a few microseconds */
    bool flush_l2; /* overwrite twice the L2 cache before each timed run, so that inputs come from
                    * DRAM as they would at a first use */
};

struct timing {
    bool has_time;
    double median_ms; /* NaN without a time, like the others */
    double min_ms;
    struct launch_times times; /* on the simulator: see counters.h; NaN on a GPU */
};

/* Launches work on the default stream; called warmup + repeats * batch times, once on the
 * simulator. It need not check the launch: timing_run() does, and exits with 2 on an error. */
typedef void (*timing_launch)(void *state);

struct timing timing_run(const struct timing_options *options, timing_launch launch, void *state);

/* Rates from the median. Powers of ten: 1 GB/s is 1e9 bytes a second. */
double timing_gb_per_s(const struct timing *t, double bytes);
double timing_gflops(const struct timing *t, double operations);

#ifdef __cplusplus
}
#endif

#endif
