/* packed.h - which registers hold halves. PTX declares such registers as bits; the instructions
 * that use them say what the bits are. */
#ifndef SIMT_PACKED_H
#define SIMT_PACKED_H

#include "ir/ir.h"

/* By register: f16, bf16, f16x2, bf16x2 or tf32 where some instruction uses it so, and none uses it
 * otherwise; else the type that it is declared with. Lives in the arena. */
const enum ptx_type *packed_types(const struct function_ir *ir, struct arena *arena);

#endif
