/* decode_ops.c - from an opcode to the function of its family, by the table of opcodes. */
#include "decode/decoder.h"

#include <string.h>

typedef bool (*decode_fn)(struct decoder *d);

static const decode_fn decoders[PTX_OP_COUNT] = {
#define OP(id, text, writes, class, memory, zeros, marks, cost, traits, family)                    \
    [PTX_OP_##id] = decode_##family,
#include "ptx/ptx_ops.def"
#undef OP
};

/* PTX for sm_90a has what no later GPU promises to have; PTX for sm_90 has not. */
bool decode_is_specific(struct decoder *d)
{
    const char *target = d->k->module->target;
    const size_t length = strlen(target);
    return (length > 0 && target[length - 1] == 'a') ||
           decode_reject(d, "PTX for %s does not have it: compile with -arch=sm_90a", target);
}

bool decode_op(struct decoder *d)
{
    decode_fn decode = decoders[d->in->op];
    if (d->in->modifier_count > 32) {
        return decode_reject(d, "more than 32 modifiers");
    }
    if (decode == NULL) {
        return decode_reject(d, "the simulator does not execute this instruction");
    }
    if (op_is(d->in->op, OP_SPECIFIC) && !decode_is_specific(d)) {
        return false;
    }
    if (!decode(d)) { /* a family function may give up without words: an operand is missing */
        return d->e->set ? false : decode_reject(d, "its operands or modifiers");
    }
    return true;
}
