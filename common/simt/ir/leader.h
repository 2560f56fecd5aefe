/* leader.h - which access to memory lies as an earlier one of its basic block does, moved by one
 * distance for all lanes? See leader.c; for the decoder. */
#ifndef SIMT_LEADER_H
#define SIMT_LEADER_H

#include "ir/ir.h"

/* The access before an instruction, in its block, that it follows; IR_NONE: there is none. */
struct ir_leader {
    uint32_t insn;
    bool fixed; /* by the same distance throughout a launch */
};

/* One for each instruction. They live in scratch. */
const struct ir_leader *leader_find(const struct function_ir *ir);

#endif
