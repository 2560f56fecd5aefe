/* hoist.h - loads of a loop that bring the same in every round: ptxas makes them once, before it.
 *
 * A compiler that sees what stands in the loop does so itself. What it leaves in PTX are loads
 * beside `asm volatile`, of which it knows nothing and ptxas everything. */
#ifndef SIMT_HOIST_H
#define SIMT_HOIST_H

#include "base/arena.h"
#include "decode/kernel.h"

/* Per instruction of the function: is it such a load? In `arena`. */
bool *hoist_find(struct arena *arena, const struct function_ir *ir);
/* The same per code index of the kernel. */
void hoist_find_codes(const struct kernel *k, bool *hoisted);

#endif
