/* exec_atomic.h - what bulk reductions share with atom and red: one update of memory each. */
#ifndef SIMT_EXEC_ATOMIC_H
#define SIMT_EXEC_ATOMIC_H

#include "ptx/module.h"

/* ROW(name, bytes of an element) */
#define REDUCTION_ROWS(ROW)                                                                        \
    ROW(add_u32, 4)                                                                                \
    ROW(add_u64, 8)                                                                                \
    ROW(add_f16, 2)                                                                                \
    ROW(add_bf16, 2)                                                                               \
    ROW(add_f32, 4)                                                                                \
    ROW(add_f64, 8)                                                                                \
    ROW(min_u32, 4)                                                                                \
    ROW(min_s32, 4)                                                                                \
    ROW(min_u64, 8)                                                                                \
    ROW(min_s64, 8)                                                                                \
    ROW(min_f16, 2)                                                                                \
    ROW(min_bf16, 2)                                                                               \
    ROW(max_u32, 4)                                                                                \
    ROW(max_s32, 4)                                                                                \
    ROW(max_u64, 8)                                                                                \
    ROW(max_s64, 8)                                                                                \
    ROW(max_f16, 2)                                                                                \
    ROW(max_bf16, 2)                                                                               \
    ROW(inc_u32, 4)                                                                                \
    ROW(dec_u32, 4)                                                                                \
    ROW(and_b32, 4)                                                                                \
    ROW(and_b64, 8)                                                                                \
    ROW(or_b32, 4)                                                                                 \
    ROW(or_b64, 8)                                                                                 \
    ROW(xor_b32, 4)                                                                                \
    ROW(xor_b64, 8)

/* *p becomes what the operation makes of it and *x; atomic between workers. */
typedef void (*exec_update)(void *p, const void *x, enum ptx_space space);

#define UPDATE_OF(name, bytes)                                                                     \
    void exec_update_##name(void *p, const void *x, enum ptx_space space);
REDUCTION_ROWS(UPDATE_OF)
#undef UPDATE_OF

#endif
