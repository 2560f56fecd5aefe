/* decode_ops.c - from an opcode to the function of its family, by the table of opcodes. */
#include "decode/decoder.h"
#include "base/launch.h"
#include "ptx/target.h"

typedef bool (*decode_fn)(struct decoder *d);

static const decode_fn decoders[PTX_OP_COUNT] = {
#define OP(id, text, writes, class, memory, zeros, marks, cost, traits, family)                    \
    [PTX_OP_##id] = decode_##family,
#include "ptx/ptx_ops.def"
#undef OP
};

bool decode_op(struct decoder *d)
{
    char why[200];
    decode_fn decode = decoders[d->in->op];
    if (d->in->modifier_count > 32) {
        return decode_reject(d, "more than 32 modifiers");
    }
    if (decode == NULL) {
        return decode_reject(d, "the simulator does not execute this instruction");
    }
    if (!ptx_target_has(d->target, 0, d->in, why, sizeof why)) {
        decode_reject(d, "%s", why);
        d->e->code = SIMT_BAD_PTX;
        return false;
    }
    if (!decode(d)) { /* a family function may give up without words: an operand is missing */
        return d->e->set ? false : decode_reject(d, "its operands or modifiers");
    }
    return true;
}
