/* decode_address.c - addresses, and modifiers that only say how caches see them. */
#include "decode/decoder.h"

#include <string.h>

/* --- modifiers that say how caches and other threads see an access: nothing here is cached ---- */

void decode_take_hints(struct decoder *d)
{
    static const enum ptx_word hints[] = {
        WORD_VOLATILE, WORD_RELAXED, WORD_ACQUIRE, WORD_RELEASE, WORD_ACQ_REL, WORD_WEAK,
        WORD_SC,       WORD_MMIO,    WORD_CTA,     WORD_GPU,     WORD_SYS,     WORD_CLUSTER,
        WORD_CA,       WORD_CG,      WORD_CS,      WORD_LU,      WORD_CV,      WORD_WB,
        WORD_WT,       WORD_NC,      WORD_UNIFIED};
    for (unsigned i = 0; i < ARRAY_LENGTH(hints); i++) {
        decode_take(d, hints[i]);
    }
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        const char *text = d->in->modifiers[i].text;
        if (strncmp(text, "L1::", 4) == 0 || strncmp(text, "L2::", 4) == 0) {
            d->taken |= 1u << i;
        }
    }
}

/* --- addresses ------------------------------------------------------------------------------- */

static bool local_base(struct decoder *d, const struct variable *s, struct insn *in, uint64_t extra)
{
    struct insn address = decode_blank();
    if (d->spare_address == NO_REF) {
        d->spare_address = decode_frame_room(d, 256);
    }
    address.d = in->a = d->spare_address;
    address.offset = (int64_t)(s->offset + extra);
    in->flags |= INSN_ADDRESS64;
    in->offset = 0;
    return decode_emit(d, address, "local_address_64") != NULL;
}

bool decode_address(struct decoder *d, const struct ptx_operand *o, struct insn *in)
{
    uint64_t address = 0;
    if (o->kind != PTX_OPERAND_MEMORY) {
        return decode_reject(d, "an address that is not in brackets");
    }
    in->flags |= ptx_has_modifier(d->in, WORD_SHARED_CLUSTER) ? INSN_CLUSTER : 0;
    if (o->reg != PTX_NO_REG) {
        const bool wide = decode_width_of(d->ir->regs[o->reg].type) == WIDTH_64;
        in->flags |= wide ? INSN_ADDRESS64 : 0;
        in->offset = (int64_t)o->bits;
        return decode_register_ref(d, o->reg, wide ? WIDTH_64 : WIDTH_32, &in->a);
    }
    if (o->name != NULL) {
        const struct variable *s = decode_find_variable(d, o->name);
        if (s != NULL && s->kind == VARIABLE_LOCAL) {
            return local_base(d, s, in, o->bits);
        }
        if (!decode_symbol_address(d, o->name, &address)) {
            return decode_reject(d, "address %s", o->name);
        }
    }
    in->a = decode_constant64(d, address + o->bits);
    in->flags |= INSN_ADDRESS64;
    in->offset = 0;
    return true;
}

enum { WIDE_BYTES = 256 }; /* a 64-bit register */

bool decode_whole_address(struct decoder *d, const struct ptx_operand *o, uint32_t *ref)
{
    struct insn at = decode_blank(), wide = decode_blank(), sum = decode_blank();
    if (!decode_address(d, o, &at)) {
        return false;
    }
    *ref = at.a;
    if (!(at.flags & INSN_ADDRESS64)) {
        wide.a = at.a;
        *ref = wide.d = decode_frame_room(d, WIDE_BYTES);
        if (decode_emit(d, wide, "cvt_u64_u32") == NULL) {
            return false;
        }
    }
    if (at.offset == 0) {
        return true;
    }
    sum.a = *ref;
    sum.b = decode_constant64(d, (uint64_t)at.offset);
    *ref = sum.d = decode_frame_room(d, WIDE_BYTES);
    return decode_emit(d, sum, "add_u64") != NULL;
}
