/* operation.h - one instruction while it is put into words: what operations.c, operation_forms.c
 * and operation_memory.c share. */
#ifndef SIMT_OPERATION_H
#define SIMT_OPERATION_H

#include "report/computed_state.h"

struct operation {
    struct computed *c;
    uint32_t insn;
    const struct ptx_insn *in;
    enum ptx_type type;   /* that the modifiers name last */
    struct expression *e; /* the result */
};

bool operation_is_real(enum ptx_type t); /* one number, not a pair of them */
bool operation_is_unsigned(enum ptx_type t);
bool operation_is_integer(enum ptx_type t);
bool operation_has(const struct operation *o, const char *modifier);
bool operation_operand(const struct operation *o, unsigned index, struct expression *e);

bool operation_is_never_negative(const struct computed *c, const struct expression *e);
/* The same as an unsigned number of 32 or 64 bits. */
bool operation_make_unsigned(const struct operation *o, struct expression *e);

/* `a sign b` */
bool operation_join(const struct operation *o, const struct expression *a, const char *sign,
                    const struct expression *b, enum expression_level level);
/* The same of operands 1 and 2, made unsigned if asked for. */
bool operation_join_operands(const struct operation *o, const char *sign,
                             enum expression_level level, bool unsigned_ones);
/* `name(a, b)` of the operands 1 to count. */
bool operation_call(const struct operation *o, const char *name, unsigned count);
/* `sign a` of operand 1. */
bool operation_prefix(const struct operation *o, const char *sign);

/* What a load yields, a parameter's or an element of an array. */
bool operation_loaded(const struct operation *o);
/* Of `mov`: a copy, a constant, or a built-in variable. */
bool operation_moved(const struct operation *o);

#endif
