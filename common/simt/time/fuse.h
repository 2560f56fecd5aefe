/* fuse.h - what one PTX instruction costs among its neighbours: ptxas makes one machine instruction
 * of several where one of them alone uses what another computes. */
#ifndef SIMT_FUSE_H
#define SIMT_FUSE_H

#include "ir/ir.h"
#include "time/costs.h"

/* cost_of() of this instruction of the function, less what others do for it. */
struct insn_cost fuse_cost(const struct function_ir *ir, uint32_t insn);
/* Is it a load from constant memory at an address of each lane's own (LDC)? */
bool fuse_loads_constant(const struct function_ir *ir, uint32_t insn);

#endif
