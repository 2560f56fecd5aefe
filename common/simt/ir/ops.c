/* ops.c - ptx_ops.def as a table; the words of its rows get their prefixes here. */
#include "ir/ops.h"

enum {
    PURE = OP_PURE,
    REPEATS = OP_REPEATS,
    REPEATS_APPROX = OP_REPEATS_APPROX,
    CONVERGENT = OP_CONVERGENT,
    PARTS_MERGES = OP_PARTS_MERGES,
    JUMPS = OP_JUMPS,
    LEAVES = OP_LEAVES,
    MAY_DROP = OP_MAY_DROP,
    BITWISE = OP_BITWISE,
    IMAGE = OP_IMAGE,
    SCALES = OP_SCALES
};

const struct op_info op_table[PTX_OP_COUNT] = {
    [PTX_OP_UNKNOWN] = {.text = "unknown"},
#define OP(id, text, writes, class, memory, zeros, marks, cost, traits, family)                    \
    [PTX_OP_##id] = {text,          WRITES_##writes, CLASS_##class, MEMORY_##memory,               \
                     ZEROS_##zeros, MARKS_##marks,   COST_##cost,   traits},
#include "ptx/ptx_ops.def"
#undef OP
};
