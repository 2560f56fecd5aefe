/* watched.cuh - one warp on its way through an if, a loop and a lock, and who was there when.
 *
 * At each place that matters the lanes that are there together leave a note: which they are
 * (__activemask) and where. The notes, in their order, are the picture of `./run --split 4`,
 * `--trips 6,7,8` and `--lock 4`. WATCHED false leaves no notes: for the simulator's counters. */
#ifndef STEP04_WATCHED_CUH
#define STEP04_WATCHED_CUH

#include "step04_divergence/arms.cuh"
#include "step04_divergence/harness/watch.h"

template <bool WATCHED, enum watch_place PLACE> __device__ static void note(struct watch_log *log)
{
    if (!WATCHED)
        return;
    asm volatile("// place %0" ::"n"((int)PLACE)); /* or a compiler makes one note of two arms' */
    const unsigned together = __activemask();
    const unsigned i = atomicAdd(&log->count, 1); /* each its own line, without an if of our own */
    if (i >= WATCH_LINES_MAX)
        return;
    log->lines[i].lanes = together;
    log->lines[i].place = (uint16_t)PLACE;
    log->lines[i].lane = (uint16_t)threadIdx.x;
}

/* wants[lane] != 0: takes the if. */
template <bool WATCHED>
__global__ void watch_if(const unsigned *wants, unsigned *out, struct watch_log *log)
{
    unsigned v = threadIdx.x;
    note<WATCHED, PLACE_BEFORE>(log);
    if (wants[threadIdx.x]) {
        note<WATCHED, PLACE_THEN>(log);
        v = then_arm(v, 8);
    } else {
        note<WATCHED, PLACE_ELSE>(log);
        v = else_arm(v, 8);
    }
    note<WATCHED, PLACE_AFTER>(log);
    out[threadIdx.x] = v;
}

/* wants[lane]: its trips. */
template <bool WATCHED>
__global__ void watch_loop(const unsigned *wants, unsigned *out, struct watch_log *log)
{
    unsigned v = threadIdx.x;
    const unsigned trips = wants[threadIdx.x];
    note<WATCHED, PLACE_BEFORE>(log);
#pragma unroll 1
    for (unsigned i = 0; i < trips; i++) {
        note<WATCHED, PLACE_TRIP>(log);
        v = work_then(v);
    }
    note<WATCHED, PLACE_AFTER>(log);
    out[threadIdx.x] = v;
}

/* wants[lane] != 0: that lane takes the lock, adds 1 to what it guards, gives the lock back. The
 * loop spins without a way out for the others: a GPU before Volta kept the winner waiting at the
 * loop's end for the losers, who waited for the winner's atomicExch, for ever. */
template <bool WATCHED>
__global__ void watch_lock(const unsigned *wants, unsigned *out, struct watch_log *log)
{
    if (wants[threadIdx.x]) {
        while (atomicCAS(&log->lock, 0, 1) != 0)
            note<WATCHED, PLACE_SPIN>(log);
        __threadfence();
        note<WATCHED, PLACE_HOLD>(log);
        out[0] = ((volatile unsigned *)out)[0] + 1; /* no atomic: the lock makes it safe */
        __threadfence();
        atomicExch(&log->lock, 0);
    }
    note<WATCHED, PLACE_AFTER>(log);
}

#endif
