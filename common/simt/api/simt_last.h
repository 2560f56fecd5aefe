/* simt_last.h - what a program may ask of the simulator that CUDA itself does not have: the
 * counters and accesses of the last kernel launch of this process, and an observer of launches.
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
 * leaves *out alone, if no kernel was launched yet (a launch that was rejected counts nothing and
 * does not replace the one before). Reports tell a launch whose counts were read from others. */
bool simt_last_counters(struct simt_counters *out);

/* Calls `seen` after each kernel that ran, faults included, with what it counted, until another is
 * set; NULL: no one. simt_kernel_lines() tells within it what each line counted. `seen` must not
 * call the CUDA runtime. */
void simt_watch_launches(void (*seen)(void *state, const struct simt_kernel *kernel,
                                      const struct simt_counters *counters),
                         void *state);

/* Findings call the memory that begins at `device`, from cudaMalloc(), by that name, which must
 * last as long: "the 64 bytes of count" instead of "the 64 bytes of cudaMalloc at mine.cu:12". */
void simt_name_memory(const void *device, const char *name);

/* Every launch of the CUDA runtime of this process is reported to the observer (machine/observer.h)
 * from now on, also after cudaDeviceReset(). false: there are too many. */
struct observer;
bool simt_observe_runtime(const struct observer *observer);

/* From now on the accesses of each launch are kept: watch/accesses.h. Slower. */
bool simt_watch_accesses(void);
/* Those of the launch that was run last, valid until the next one; returns how many. */
struct access_row;
unsigned simt_last_accesses(const struct access_row **rows);

/* What the last launch needs at least on the GPU of SIMT_GPU and, with SIMT_MODEL=1, a modelled
 * time: neither is measured. us: NaN, limiter: NULL where there is none. */
struct simt_times {
    double floor_us, model_us;
    const char *floor_limiter, *model_limiter; /* "DRAM", "L1", "latency" ... */
    bool calibrated; /* the model was fitted to measurements of this GPU */
};

/* From now on launches are watched for it; slower. SIMT_REPORT and SIMT_MODEL=1 do it, too. */
bool simt_watch_times(void);
bool simt_last_times(struct simt_times *out); /* false: no launch was watched */
bool simt_times_wanted(void);                 /* SIMT_MODEL=1, or simt_want_times() */
/* As if SIMT_MODEL=1 had been said, unless SIMT_MODEL is set: for a program whose tables have a
 * place for modelled times. Before its first launch; false: out of memory. */
bool simt_want_times(void);
/* The sums over the launches since simt_times_start(); the limiters of the longest of them. */
void simt_times_start(void);
bool simt_times_total(struct simt_times *out);

/* Launches of more than about `budget` warp instructions execute a sample of their blocks from now
 * on, 0: no more: counts are scaled, and what other blocks would have written is missing. For a
 * program that knows what to verify then. */
void simt_sample_launches(uint64_t budget);
/* Since simt_times_start(): has a launch come behind one that was a sample? What it read may be
 * incomplete, and what it computed is then wrong. Returns how many launches there were, else 0. */
unsigned simt_sample_was_built_on(void);
/* As simt_sample_launches(), but the next `whole` launches execute all of their blocks. */
void simt_sample_behind(uint64_t budget, unsigned whole);
bool simt_last_launch_sample(struct simt_sample *out); /* false: no launch yet */

#ifdef __cplusplus
}
#endif

#endif
