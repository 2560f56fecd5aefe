/* simt_last.h - the one door from a lesson to the simulator that CUDA itself does not have: the
 * counters of the last kernel launch of this process.
 *
 * The simulator's CUDA runtime (cudart) implements it, common/counters_sim.c calls it. */
#ifndef SIMT_SIMT_LAST_H
#define SIMT_SIMT_LAST_H

#include "simt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Waits until everything launched so far has run, on all streams, as cudaDeviceSynchronize() does,
 * but changes no error state. Fills *out with the counters of the launch that was issued last, also
 * when a fault ended it: then it holds what was counted until the fault. Returns false, and
 * leaves *out alone, if no kernel was launched yet (a launch that was refused counts nothing and
 * does not replace the one before). */
bool simt_last_counters(struct simt_counters *out);

#ifdef __cplusplus
}
#endif

#endif
