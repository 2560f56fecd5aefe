/* passes.h - what is found out about a function before it is decoded. Each pass is one function in
 * a file of its own; passes.c lists them in the order in which they run.
 *
 * A pass reads a function_ir and leaves its result there: beside the instructions (ir->merges), per
 * register (ir->uniform), or as new code (unrolling). Passes that only imitate what ptxas makes of
 * PTX are marked; SIMT_PASSES=none leaves them out, and then the PTX is executed and counted as it
 * is written. To add a pass: a function, a file, a row in passes.c. */
#ifndef SIMT_PASSES_H
#define SIMT_PASSES_H

#include "ir/ir.h"

struct pass {
    const char *name;
    bool (*run)(struct function_ir *ir);       /* false: rejected, context->e is set */
    bool as_ptxas;                             /* imitates ptxas: left out by SIMT_PASSES=none */
    bool (*otherwise)(struct function_ir *ir); /* what runs where it is left out; NULL: nothing */
};

extern const struct pass pass_list[];
extern const unsigned pass_count;

/* From the environment: SIMT_PASSES is `all`, which is the default, or `none`. False: it is
 * neither. */
bool passes_read_environment(bool *plain, struct err *e);

/* Runs them all, or (plain) those that do not imitate ptxas. */
bool passes_run(struct function_ir *ir, bool plain);

/* narrow.c: vector loads with unread registers become the loads that ptxas makes of them. */
bool pass_narrow(struct function_ir *ir);
/* widen.c: neighbouring stores to global memory become the one that ptxas makes of them. */
bool pass_widen(struct function_ir *ir);
/* uniform.c: ir->uniform, which registers hold the same value in all lanes of a warp. */
bool pass_uniform(struct function_ir *ir);
/* pressure.c: ir->registers, of an entry function; ir->undefined. */
bool pass_pressure(struct function_ir *ir);
/* contract.c: ir_insn.product_before, sums that ptxas joins with a product to an fma. */
bool pass_contract(struct function_ir *ir);
/* unroll.c: loops that ptxas unrolls become their unrolled code. */
bool pass_unroll(struct function_ir *ir);
/* atomics.c: ir_insn.atomic, what ptxas makes of atomics whose result nobody reads or whose address
 * all lanes share. */
bool pass_atomics(struct function_ir *ir);
/* merge.c: ir->merges, accesses of shared memory that ptxas merges into wider ones. */
bool pass_merge(struct function_ir *ir);
/* reconverge.c: ir->reconvergence as ptxas places its barriers; at immediate post-dominators. */
bool pass_reconverge(struct function_ir *ir);
bool pass_postdominators(struct function_ir *ir);
/* yield.c: ir->reconvergence.yields, loops in which lanes that wait for others let them go on. */
bool pass_yield(struct function_ir *ir);
/* What pass_reconverge asks: first, points and rank of `result` for any graph, in `scratch`. */
void reconverge_of(struct arena *scratch, const struct flow *f, struct ir_reconvergence *result);

/* Is the operand, with all registers in it, uniform? False where pass_uniform has not run. */
bool uniform_is(const struct function_ir *ir, const struct ptx_operand *o);

#endif
