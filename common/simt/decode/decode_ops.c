/* decode_ops.c - from an opcode to the function of its family, by the table of opcodes. */
#include "decode/decoder.h"

typedef bool (*decode_fn)(struct decoder *d);

static const decode_fn decoders[PTX_OP_COUNT] = {
#define OP(id, text, writes, class, memory, zeros, marks, cost, traits, family)                    \
    [PTX_OP_##id] = decode_##family,
#include "ptx/ptx_ops.def"
#undef OP
};

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
