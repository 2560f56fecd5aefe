/* counters_gpu.c - counters on a real GPU: a program cannot read them from inside itself, Nsight
 * Compute can (the metrics stand in simt/counters.def). */
#include "counters.h"

#ifndef SIMT

#include <string.h>

bool counters_last_launch(struct launch_counters *out)
{
    memset(out, 0, sizeof *out);
    return false;
}

bool backend_is_sim(void) { return false; }

#endif
