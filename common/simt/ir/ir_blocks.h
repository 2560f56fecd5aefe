/* ir_blocks.h - basic blocks of a function; for ir.c alone. */
#ifndef SIMT_IR_BLOCKS_H
#define SIMT_IR_BLOCKS_H

#include "ir/ir.h"

/* Fills blocks, edges and each instruction's block and target. False: a branch leads nowhere, and
 * context->e says so. */
bool ir_find_blocks(struct function_ir *ir);

#endif
