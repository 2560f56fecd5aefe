/* result.h - which variable an instruction puts into which of its registers. One instruction may
 * write several, each a variable of its own: a load of four floats, a fragment of a matrix.
 *
 * `results` has a name or NULL for each place in ir->refs; names stand at the registers that
 * instructions write. */
#ifndef SIMT_RESULT_H
#define SIMT_RESULT_H

#include "ir/ir.h"

/* How many places `results` has. */
uint32_t result_count(const struct function_ir *ir);
/* The variable that the instruction puts into a register; NULL: none. */
const char *result_variable(const struct function_ir *ir, const char *const *results, uint32_t insn,
                            uint32_t reg);
/* Does it put this variable into any? */
bool result_writes(const struct function_ir *ir, const char *const *results, uint32_t insn,
                   const char *name);

#endif
