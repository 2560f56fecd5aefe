/* computed_state.h - what computed.c and operations.c share. */
#ifndef SIMT_COMPUTED_STATE_H
#define SIMT_COMPUTED_STATE_H

#include "report/computed.h"
#include "report/expression.h"
#include "report/reached.h"

struct computed {
    struct computed_of of;
    struct reached reached;
    const struct expression **values;     /* by instruction: of its first result; NULL: not known */
    const struct expression_root **moves; /* by register: where it points into, however it moves */
    const char **variables;               /* their names, each once */
    unsigned *writes, variable_count;     /* how many instructions write each */
    const char **unsigned_names;
    unsigned unsigned_count, unsigned_capacity;
};

/* Variables and parameters that the source declares unsigned. */
void computed_note_unsigned(struct computed *c, const char *name);
bool computed_is_unsigned(const struct computed *c, const char *name, size_t length);
/* What an operand of an instruction is; false: it is not known. */
bool computed_operand(struct computed *c, uint32_t insn, const struct ptx_operand *o,
                      struct expression *e);
/* A term of its own, kept in the arena, with what `of` depends on; false: it is too long. */
bool computed_keep(struct computed *c, struct expression *e, const char *text,
                   enum expression_level level);
/* The array or variable of a name in PTX; false: it has none in the source. */
bool computed_symbol(struct computed *c, const struct ptx_operand *o, struct expression *e);

#endif
