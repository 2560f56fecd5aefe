/* reached.h - which write of a register reaches an instruction, and whether what was true behind
 * one instruction still is in front of another. */
#ifndef SIMT_REACHED_H
#define SIMT_REACHED_H

#include "ir/ir.h"

struct reached {
    const struct function_ir *ir;
    uint32_t *first_before, *before; /* block -> the blocks that lead to it */
    uint32_t *stack;
    uint32_t *seen, search; /* block -> the last search that has gone through it */
};

void reached_init(struct reached *r, const struct function_ir *ir, struct arena *arena);

/* Looks backwards from `to` over all ways that lead there: at each instruction, on this way, go on,
 * stop, or fail. False: some way failed, or came to the function's beginning. */
enum reached_step { STEP_ON, STEP_STOP, STEP_FAIL };
typedef enum reached_step reached_look(void *state, uint32_t insn);
bool reached_all_ways(struct reached *r, uint32_t to, reached_look *look, void *state);

/* Does an instruction end what is asked about? */
typedef bool reached_test(void *state, uint32_t insn);

/* Does every way to `to` go through `from`, and through nothing behind it that ends it? */
bool reached_unchanged(struct reached *r, uint32_t from, uint32_t to, reached_test *ends,
                       void *state);
/* The one instruction that has written the register, whichever way the warp came; IR_NONE: there
 * are several, it has a guard, or the register has not been written on some way. */
uint32_t reached_writer(struct reached *r, uint32_t insn, uint32_t reg);

#endif
