/* emit.h - a decoded kernel as a text of C that includes unit.h. */
#ifndef SIMT_EMIT_H
#define SIMT_EMIT_H

#include "decode/kernel.h"

#include <stdio.h>

/* Does a part begin at this code index? Blocks begin there, and so does what follows an instruction
 * at which warps wait, so that a warp which has waited goes on in machine code. A long block is
 * several parts. */
bool emit_begins_part(const struct kernel *k, uint32_t pc);

/* Writes the text. It defines translated[], a list of the parts that ends with a NULL: */
struct emit_part {
    uint64_t pc;
    exec_fn run;
};
#define EMIT_LIST "translated"
void emit_kernel(FILE *to, const struct kernel *k);

#endif
