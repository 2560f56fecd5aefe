/* atomic_rounds.h - atomics that are loops in machine code, and whose rounds depend on the values:
 * what they cost, found when they have been executed. */
#ifndef SIMT_ATOMIC_ROUNDS_H
#define SIMT_ATOMIC_ROUNDS_H

#include "exec/exec_address.h"
#include "exec/exec_types.h"

/* One atomic of a warp. Values are the lanes' own, 2 or 8 bytes. */
struct atomic_loop {
    u64 (*next)(u64 old, u64 x); /* what an update makes of an old value */
    const struct reach *reach;
    lane_mask lanes;
    u64 address[WARP_LANES];
    u64 value[WARP_LANES];               /* in memory, before the warp comes */
    u64 x[WARP_LANES], swap[WARP_LANES]; /* the operands; swap: of a compare-and-swap */
};

/* Notes what lies in memory and the operands, before anything changes. next and reach are given. */
void atomic_loop_begins(struct warp *w, const struct insn *in, struct atomic_loop *l);

/* WAY_LEAST on shared memory: minima and maxima of 64 bits. */
void atomic_count_least(struct atomic_loop *l, struct site *atomic, struct site *load);

/* WAY_WORDS: sums and compare-and-swaps of 16 bits, in global or shared memory. Returns the number
 * of rounds. */
unsigned atomic_count_words(struct warp *w, const struct insn *in, struct atomic_loop *l,
                            enum ptx_space space);

#endif
