/* leader.h - which access to memory lies as an earlier one of its basic block does, moved by one
 * distance for all lanes? See leader.c; for the decoder. */
#ifndef SIMT_LEADER_H
#define SIMT_LEADER_H

#include "ir/ir.h"

/* Per instruction the access before it in the block that it follows; IR_NONE: there is none. Lives
 * in scratch. */
const uint32_t *leader_find(const struct function_ir *ir);

#endif
