/* stretch.h - a kernel's code in stretches, as ptxas would issue it; for chain.c alone.
 *
 * A stretch is a basic block, or several that ptxas makes one of: the arms of short branches are
 * predicated. Its instructions stand in the order of issue (schedule.c). */
#ifndef SIMT_STRETCH_H
#define SIMT_STRETCH_H

#include "base/arena.h"
#include "ir/flow.h"
#include "time/chain.h"
#include "time/costs.h"

enum { MOST_REGS = 24, MOST_SUCCESSORS = 4 };

/* What an instruction does to memory decides what it may not be moved across. */
enum order { ORDER_FREE, ORDER_LOAD, ORDER_STORE, ORDER_FENCE };

struct op {
    const struct ptx_insn *in;
    uint32_t pc;
    enum order order;
    bool shared;  /* loads and stores of shared memory do not wait for those of global memory */
    bool guarded; /* what it writes may keep what was there */
    enum cost_wait kind;
    double issue, latency, height; /* latency: on average */
    struct chain_wait wait;        /* of memory */
    struct cost cost;              /* by pipe; of memory instructions work.c knows more */
    double tensor_cycles;          /* of a tensor core */
    bool asynchronous;             /* wgmma: it goes on beside the warp */
    bool is_call; /* a sequence in a subroutine: nothing else goes on in the warp */
    unsigned lag; /* a wait for the bulk copy made so many copies ago; 0: for none */
    unsigned read[MOST_REGS], written[MOST_REGS];
    unsigned reads, writes;
};

/* Registers are given to values behind the scheduling, so that a register which is written twice
 * holds up nobody: each value has a number of its own, and at the end of a stretch the last one
 * stands for the register again. */
struct renamed {
    unsigned reg, value;
};

struct stretch {
    double runs;     /* of one warp, on average; */
    double critical; /* of the one that the block waits for at its barriers */
    double parts;    /* how often its lanes part, of one warp: converge.h */
    bool meets;      /* a barrier may be still to come */
    struct op *ops;
    unsigned count;
    uint32_t pc, end_pc; /* code indices: its ENTER, the next block's */
    uint32_t successors[MOST_SUCCESSORS];
    unsigned successor_count;
    struct renamed *renamed;
    unsigned renamed_count;
};

struct scheduler {
    struct arena arena;
    const struct kernel *k;
    const struct gpu_rates *rates;
    chain_latency latency;
    void *state;
    struct stretch *stretches; /* those that ran */
    unsigned count;
    unsigned reg_count;
    unsigned value_count; /* registers, and behind them the values of the stretches */
    unsigned *value_of;   /* per register: the value that it has where the stretch is read to */
    double warps_a_block;
    bool **hoisted;      /* per function and instruction: hoist.h */
    bool goes_beside;    /* it copies or multiplies beside its warps: in_flight.h */
    double coupled;      /* warps that wait for the slowest of them: those of a block, or 1 */
    double *ready;       /* per value: when it can be read */
    struct cost guarded; /* of a warp: what it issues under guards that are not set */
    struct flow *flows;  /* per function, and per loop of it whether it multiplies: nest.h */
    bool **multiplies;
};

/* warps: of the launch. Needs k, rates, latency, state and warps_a_block. */
void stretch_make(struct scheduler *s, const struct site *sites, double warps);
static inline bool stretch_leads_to(const struct stretch *from, const struct stretch *to)
{
    for (unsigned i = 0; i < from->successor_count; i++) {
        if (from->successors[i] == to->pc) {
            return true;
        }
    }
    return false;
}

void schedule_in_order(struct scheduler *s, struct stretch *b);
void stretch_repeat_rounds(struct scheduler *s, struct stretch *b); /* stretch_rounds.c */

#endif
