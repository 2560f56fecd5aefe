/* counters_gpu.c - counters on a real GPU: a program cannot read them from inside itself, Nsight
 * Compute can (the metrics stand in simt/counters.def). */
#include "counters.h"

#ifndef SIMT

#include <math.h>
#include <string.h>

bool counters_last_launch(struct launch_counters *out)
{
    memset(out, 0, sizeof *out);
    return false;
}

bool backend_is_sim(void) { return false; }

bool launch_times_wanted(void) { return false; }

void launch_times_by_default(void) {}

void launch_times_start(void) {}

bool launch_times(struct launch_times *out)
{
    *out = (struct launch_times){NAN, NAN, NULL, NULL};
    return false;
}

void launch_sample(uint64_t instructions) { (void)instructions; }

bool launch_again_for_last(const char *what, void (*launch)(void *state), void *state)
{
    (void)what;
    (void)launch;
    (void)state;
    return false;
}

bool launch_was_sampled(struct launch_sampled *out)
{
    memset(out, 0, sizeof *out);
    return false;
}

#endif
