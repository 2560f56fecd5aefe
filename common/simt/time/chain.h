/* chain.h - how long one warp alone takes for its instructions: they wait for each other.
 *
 * Each basic block is put in order as ptxas would, what is waited for longest first; then it is
 * issued in that order, one instruction a cycle, each as soon as its operands are there. Memory
 * takes as long as the caller says. A block is looked at behind the one that runs before it most
 * often, so that a loop waits for what its own last round began. */
#ifndef SIMT_CHAIN_H
#define SIMT_CHAIN_H

#include "common/gpu/gpu_rates.h"
#include "machine/warp.h"
#include "time/costs.h"

/* Cycles until the result of the memory instruction at this code index is there: `cycles` at best;
 * a share of the times it waits longer, and a share of those longer still. */
struct chain_wait {
    double cycles;
    double l2_share, l2_cycles;
    double dram_share, dram_cycles;
    double
        in_step_share; /* of all: it waits for a line that a neighbour has asked for just before */
};
typedef struct chain_wait (*chain_latency)(void *state, uint32_t pc, const struct ptx_insn *in);

struct chain {
    double cycles;       /* of one warp, on average, from its first instruction to its end */
    double issue;        /* of them: those in which it issues or fills a tensor core; in the others
                            it waits */
    double barriers;     /* that it comes to */
    struct cost guarded; /* what it issues beside the PTX that it executes: under guards not set */
};

/* warps: of the launch. Where warps of a block wait at barriers it is the chain of the slowest. */
struct chain chain_of(const struct kernel *k, const struct site *sites, double warps,
                      double warps_a_block, const struct gpu_rates *rates, chain_latency latency,
                      void *state);

#endif
