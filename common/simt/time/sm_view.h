/* sm_view.h - one SM over the cycles of a launch, as the model's parts imply it: which warp
 * issues, which waits, and for what.
 *
 * The same instructions, in the same order, with the same latencies and rates as chain.c and
 * model.c have them, issued by four schedulers: each takes the oldest of its warps that may go. A
 * warp's way through the code follows how often the launch went each way. States have the names
 * that Nsight Compute gives to them. It is a model, drawn: its cycles are scaled to the model's
 * time. */
#ifndef SIMT_SM_VIEW_H
#define SIMT_SM_VIEW_H

#include "time/chain.h"

/* What a resident warp does in a cycle; the names are those of smsp__average_warps_issue_stalled_*.
 */
enum stall {
    STALL_SELECTED, /* it issues */
    STALL_NOT_SELECTED,
    STALL_LONG_SCOREBOARD,
    STALL_SHORT_SCOREBOARD,
    STALL_WAIT,
    STALL_BARRIER,
    STALL_MATH_PIPE_THROTTLE,
    STALL_LG_THROTTLE,
    STALL_MIO_THROTTLE,
    STALL_BRANCH_RESOLVING,
    STALL_MEMBAR,
    STALL_DRAIN, /* it has ended, but for its stores */
    STALLS
};
const char *sm_view_stall_name(enum stall stall);

struct sm_view_state {
    double from, to; /* cycles */
    uint32_t pc;     /* of the instruction that is next, or issues */
    uint32_t cause;  /* of the one that it waits for; NO_PC: none */
    uint16_t slot;   /* of the SM's warps */
    uint16_t block;  /* of the SM's blocks, from 0 */
    uint8_t stall;
};

struct sm_view_input {
    const struct kernel *k;
    const struct site *sites;
    double warps; /* of the launch */
    unsigned warps_a_block, resident;
    unsigned blocks; /* of the SM that has most */
    const struct gpu_rates *rates;
    chain_latency latency;
    void *state;
    double start_cycles;           /* of a block, before its first instruction */
    double l1_wavefronts_a_sector; /* of global memory */
    double l2_share;               /* of the sectors that are loaded: those L1 has not */
    double l2_cycles, dram_cycles; /* of the SM, for each sector that goes there */
    double atomic_cycles;          /* for each atomic */
    double block_cycles;           /* between two blocks that start */
};

enum { SM_VIEW_BUCKETS = 96 };

struct sm_view {
    /* The first ones of the warps of the first scheduler, every fourth; freed by sm_view_free().
     */
    struct sm_view_state *states;
    unsigned state_count, state_room;
    double drawn;         /* cycles that the states cover */
    double cycles;        /* until the last simulated instruction */
    unsigned blocks;      /* simulated, of input.blocks */
    unsigned slots;       /* warps that are resident */
    double issued;        /* issue slots that were used */
    double sums[STALLS];  /* warp cycles, of all warps */
    double bucket_cycles; /* the same along time, in pieces of so many cycles */
    double buckets[SM_VIEW_BUCKETS][STALLS];
};

/* Simulates blocks until there are no more, or an effort is spent. */
void sm_view_make(const struct sm_view_input *in, struct sm_view *out);
void sm_view_free(struct sm_view *t);

#endif
