/* decode_stack.c - alloca, stacksave, stackrestore: memory of the thread's stack. */
#include "decode/decoder.h"

/* A function with a stack keeps where it ended when the function was called. */
static void needs_stack(struct decoder *d)
{
    if (!d->kf->uses_stack) {
        d->kf->stack_ends = decode_frame_room(d, WARP_LANES * sizeof(uint32_t));
        d->kf->uses_stack = true;
    }
    d->k->uses_stack = true;
}

static bool take_width(struct decoder *d, enum ptx_type *type)
{
    *type = decode_take_type(d);
    if (*type != PTX_U32 && *type != PTX_U64) {
        return decode_reject(d, "an address that is neither .u32 nor .u64");
    }
    return decode_all_taken(d);
}

/* alloca.u64 d, bytes{, alignment} */
bool decode_alloca(struct decoder *d)
{
    enum { LEAST = 8, MOST = 1 << 23 }; /* of the alignment: what ptxas allows */
    struct insn in = decode_blank();
    enum ptx_type type;
    if (!take_width(d, &type) || !decode_operands_are(d, 2, 3)) {
        return false;
    }
    const bool has_alignment = d->in->operand_count == 3;
    const struct ptx_operand *o = has_alignment ? operand(d, 2) : NULL;
    const uint64_t alignment = has_alignment ? o->bits : LEAST;
    if ((has_alignment && o->kind != PTX_OPERAND_INT) || alignment == 0 || alignment > MOST ||
        (alignment & (alignment - 1)) != 0) {
        return decode_reject(d, "an alignment that is no power of two up to %d", MOST);
    }
    needs_stack(d);
    in.literal = (uint32_t)alignment;
    return decode_destination(d, operand(d, 0), decode_width_of(type), &in.d) &&
           decode_source(d, operand(d, 1), type, &in.a) &&
           decode_emit(d, in, "alloca_%u", bits_of(type)) != NULL;
}

/* stacksave.u64 d */
bool decode_stack_save(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type;
    if (!take_width(d, &type) || !decode_operands_are(d, 1, 1)) {
        return false;
    }
    needs_stack(d);
    return decode_destination(d, operand(d, 0), decode_width_of(type), &in.d) &&
           decode_emit(d, in, "stack_save_%u", bits_of(type)) != NULL;
}

/* stackrestore.u64 a */
bool decode_stack_restore(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type;
    if (!take_width(d, &type) || !decode_operands_are(d, 1, 1)) {
        return false;
    }
    needs_stack(d);
    return decode_source(d, operand(d, 0), type, &in.a) &&
           decode_emit(d, in, "stack_restore_%u", bits_of(type)) != NULL;
}
