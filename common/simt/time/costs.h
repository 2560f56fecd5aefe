/* costs.h - what one PTX instruction becomes on a GPU: instructions for its pipes, and a latency.
 *
 * Two answers. `least`: what no compiler can leave out, for floors. `likely`: what ptxas usually
 * makes of it, for the model, an estimate: the tables of costs.c were read off machine code that
 * ptxas 13.0 made for sm_90. Memory instructions cost a place in the load/store pipe; what they
 * cost behind it is counted elsewhere. */
#ifndef SIMT_COSTS_H
#define SIMT_COSTS_H

#include "common/gpu/gpu_rates.h"
#include "ptx/module.h"

/* Warp instructions by pipe; `other`: those that only take an issue slot. */
struct cost {
    double fma, alu, fp64, xu, lsu, other;
    double either; /* fma or alu, whichever has less to do: ptxas balances sums, shifts, copies */
    double heavy;  /* further cycles of the FMA pipe, in which it issues nothing */
};

enum cost_wait { /* what its result waits for */
                 WAIT_NONE,
                 WAIT_FMA,
                 WAIT_ALU,
                 WAIT_PREDICATE, /* a comparison whose result is looked at as a guard */
                 WAIT_FP64,
                 WAIT_XU,
                 WAIT_SHUFFLE,
                 WAIT_MEMORY, /* of its space */
                 WAIT_BARRIER,
                 WAIT_BRANCH,
                 WAIT_CALL /* to a function and back, beside what that does */
};

struct insn_cost {
    struct cost least, likely;
    enum cost_wait wait;
    double
        chain; /* how many such waits one behind the other: a division is a chain of operations */
};

struct insn_cost cost_of(const struct ptx_insn *in);
/* Is this one of its modifiers? */
/* Of wmma.load or .store: those of the machine. PTX names each of A and B in FP16 twice. */
double cost_fragment_registers(const struct ptx_insn *in);
bool cost_has_text(const struct ptx_insn *in, const char *modifier);

double cost_issue(const struct cost *c); /* issue slots in all */
void cost_add(struct cost *sum, const struct cost *c, double times);

#endif
