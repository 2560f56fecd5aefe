/* decode_arithmetic.c - sums, products, quotients, functions: one small function per family.
 *
 * A family function takes the modifiers it knows, resolves the operands to references, and names a
 * handler ("add_u32"). A combination without a handler, or a modifier that no family uses, is
 * rejected, naming the instruction. */
#include "decode/decoder.h"

#include <string.h>

bool decode_typed_operands(struct decoder *d, struct insn *in, enum ptx_type dtype,
                           const enum ptx_type *types, unsigned count)
{
    uint32_t *refs[] = {&in->a, &in->b, &in->c, &in->e};
    if (!decode_all_taken(d) || !decode_operands_are(d, count + 1, count + 1) ||
        !decode_destination(d, operand(d, 0), decode_width_of(dtype), &in->d)) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!decode_source(d, operand(d, i + 1), types[i], refs[i])) {
            return false;
        }
    }
    return true;
}

bool decode_plain_operands(struct decoder *d, struct insn *in, enum ptx_type dtype,
                           enum ptx_type type, unsigned count)
{
    const enum ptx_type types[] = {type, type, type};
    return decode_typed_operands(d, in, dtype, types, count - 1);
}

/* --- arithmetic ------------------------------------------------------------------------------ */

/* Float handlers come in a fast form and one that honours modifiers. */
static bool emit_float(struct decoder *d, struct insn in, const char *name, enum ptx_type type)
{
    if (ptx_is_real(type) && !ptx_is_float(type)) {
        if (in.flags & (3u << INSN_ROUND_SHIFT)) {
            return decode_reject(d, "a rounding mode for 16-bit floats");
        }
        in.b = in.b == NO_REF ? in.a : in.b;
        in.c = in.c == NO_REF ? in.a : in.c;
        return decode_emit(d, in, "%s_%s", name, ptx_type_name(type)) != NULL;
    }
    bool modified = in.flags & (INSN_FTZ | INSN_SAT | 3u << INSN_ROUND_SHIFT);
    return decode_emit(d, in, "%s_%s%s", name, ptx_type_name(type), modified ? "_mod" : "") != NULL;
}

uint32_t decode_take_float_flags(struct decoder *d)
{
    uint32_t flags = decode_take_rounding(d);
    flags |= decode_take(d, WORD_FTZ) ? INSN_FTZ : 0;
    flags |= decode_take(d, WORD_SAT) ? INSN_SAT : 0;
    return flags;
}

/* name and number of operands, the destination among them */
static bool float_op(struct decoder *d, const char *name, enum ptx_type type, unsigned count)
{
    struct insn in = decode_blank();
    in.flags = decode_take_float_flags(d);
    return decode_plain_operands(d, &in, type, type, count) && emit_float(d, in, name, type);
}

/* A sum that ptxas joins with a product (ptxas/contract.c): d = a * b + c, in the product's
 * operands and the sum's other one. */
static bool joined_sum(struct decoder *d, enum ptx_type type)
{
    const uint32_t before = d->ir->insns[d->at].product_before;
    const struct ptx_insn *product = d->ir->insns[d->at - before].text;
    const bool first = operand(d, 1)->reg == product->operands[0].reg;
    const char *name = d->in->op == PTX_OP_ADD ? "fma" : first ? "fmsub" : "fnmadd";
    struct insn in = decode_blank();
    in.flags = decode_take_float_flags(d);
    return decode_all_taken(d) &&
           decode_destination(d, operand(d, 0), decode_width_of(type), &in.d) &&
           decode_source(d, &product->operands[1], type, &in.a) &&
           decode_source(d, &product->operands[2], type, &in.b) &&
           decode_source(d, operand(d, first ? 2 : 1), type, &in.c) &&
           emit_float(d, in, name, type);
}

/* add, sub, mul with their integer forms */
bool decode_sum(struct decoder *d)
{
    const char *name = d->in->op_name;
    enum ptx_type type = decode_take_type(d);
    struct insn in = decode_blank();
    if (ptx_is_real(type)) {
        const bool joined = d->ir->insns[d->at].product_before != 0;
        return joined ? joined_sum(d, type) : float_op(d, name, type, 3);
    }
    const char *saturates = decode_take(d, WORD_SAT) ? "_sat" : "";
    if (decode_take(d, WORD_CC)) {
        in.flags |= INSN_CC_OUT;
    }
    if (!decode_plain_operands(d, &in, type, type, 3)) {
        return false;
    }
    if (in.flags & INSN_CC_OUT) {
        d->carry = d->carry == NO_REF ? decode_frame_room(d, 4) : d->carry;
        in.e = d->carry;
        in.c = in.b;
        return decode_emit(d, in, "%sc_u%u", name, bits_of(type)) != NULL;
    }
    if (saturates[0] != '\0' || type == PTX_U16X2 || type == PTX_S16X2) {
        return decode_emit(d, in, "%s%s_%s", name, saturates, ptx_type_name(type)) != NULL;
    }
    return decode_emit(d, in, "%s_u%u", name, bits_of(type)) != NULL;
}

/* addc, subc, madc: in, and with .cc also out */
bool decode_with_carry(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    bool multiplies = d->in->op == PTX_OP_MADC;
    const char *half = multiplies ? TAKE_ONE(d, WORD_LO, WORD_HI) : "";
    in.flags = INSN_CC_IN | (decode_take(d, WORD_CC) ? INSN_CC_OUT : 0);
    if (half == NULL || !decode_plain_operands(d, &in, type, type, multiplies ? 4 : 3)) {
        return false;
    }
    in.c = multiplies ? in.c : in.b;
    if (d->carry == NO_REF) {
        return decode_reject(d, "no instruction before it sets the carry flag");
    }
    in.e = d->carry;
    bool has_sign = is_signed(type) && half[0] == 'h';
    return decode_emit(d, in, "%s%s%s_%c%u", d->in->op_name, multiplies ? "_" : "", half,
                       has_sign ? 's' : 'u', bits_of(type)) != NULL;
}

static enum ptx_type twice(enum ptx_type t)
{
    static const enum ptx_type wide[PTX_TYPE_COUNT] = {
        [PTX_U16] = PTX_U32, [PTX_S16] = PTX_S32, [PTX_U32] = PTX_U64, [PTX_S32] = PTX_S64};
    return wide[t] != PTX_NO_TYPE ? wide[t] : PTX_S64;
}

/* mul and mad of integers: lo, hi, wide; mul24, mad24 */
static bool integer_product(struct decoder *d, enum ptx_type type)
{
    struct insn in = decode_blank();
    const char *name = d->in->op_name;
    bool adds = d->in->op == PTX_OP_MAD || d->in->op == PTX_OP_MAD24;
    const char *half = TAKE_ONE(d, WORD_LO, WORD_HI, WORD_WIDE);
    if (half == NULL) {
        return false;
    }
    bool wide = half[0] == 'w', saturates = decode_take(d, WORD_SAT);
    enum ptx_type dtype = wide ? twice(type) : type;
    if (decode_take(d, WORD_CC)) {
        in.flags |= INSN_CC_OUT;
    }
    if (!decode_all_taken(d) || !decode_operands_are(d, adds ? 4 : 3, adds ? 4 : 3) ||
        !decode_destination(d, operand(d, 0), decode_width_of(dtype), &in.d) ||
        !decode_source(d, operand(d, 1), type, &in.a) ||
        !decode_source(d, operand(d, 2), type, &in.b) ||
        (adds && !decode_source(d, operand(d, 3), dtype, &in.c))) {
        return false;
    }
    bool small = d->in->op == PTX_OP_MUL24 || d->in->op == PTX_OP_MAD24;
    char sign = is_signed(type) && (half[0] != 'l' || small) ? 's' : 'u';
    if (in.flags & INSN_CC_OUT) {
        d->carry = d->carry == NO_REF ? decode_frame_room(d, 4) : d->carry;
        in.e = d->carry;
        return decode_emit(d, in, "madc_%s_%c%u", half, sign, bits_of(type)) != NULL;
    }
    return decode_emit(d, in, "%s_%s%s_%c%u", name, half, saturates ? "_sat" : "", sign,
                       bits_of(type)) != NULL;
}

bool decode_product(struct decoder *d)
{
    enum ptx_type type = decode_take_type(d);
    if (ptx_is_real(type)) {
        bool adds = d->in->op == PTX_OP_MAD;
        return float_op(d, adds ? "fma" : "mul", type, adds ? 4 : 3);
    }
    return integer_product(d, type);
}

bool decode_fma(struct decoder *d)
{
    enum ptx_type type = decode_take_type(d);
    const bool relu = decode_take(d, WORD_RELU), oob = decode_take(d, WORD_OOB);
    const char *names[2][2] = {{"fma", "fma_relu"}, {"fma_oob", "fma_oob_relu"}};
    return float_op(d, names[oob][relu], type, 4);
}

bool decode_quotient(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    if (ptx_is_float(type)) {
        const bool approx = decode_take(d, WORD_APPROX), full = decode_take(d, WORD_FULL);
        return float_op(d, approx ? "div_approx" : full ? "div_full" : "div", type, 3);
    }
    return decode_plain_operands(d, &in, type, type, 3) &&
           decode_emit(d, in, "%s_%s", d->in->op_name, ptx_type_name(type)) != NULL;
}

bool decode_minmax(struct decoder *d)
{
    struct insn in = decode_blank();
    char name[24] = "";
    enum ptx_type type = decode_take_type(d);
    strcat(name, d->in->op_name);
    strcat(name, decode_take(d, WORD_NAN_RESULT) ? "_nan" : "");
    if (decode_take(d, WORD_XORSIGN) && decode_take(d, WORD_ABS)) {
        strcat(name, "_xorsign");
    }
    if (ptx_is_real(type)) {
        return float_op(d, name, type, 3);
    }
    strcat(name, decode_take(d, WORD_RELU) ? "_relu" : "");
    return decode_plain_operands(d, &in, type, type, 3) &&
           decode_emit(d, in, "%s_%s", name, ptx_type_name(type)) != NULL;
}

/* neg, abs: of integers and floats */
bool decode_sign(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    if (ptx_is_real(type)) {
        return float_op(d, d->in->op_name, type, 2);
    }
    return decode_plain_operands(d, &in, type, type, 2) &&
           decode_emit(d, in, "%s_s%u", d->in->op_name, bits_of(type)) != NULL;
}

/* rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh; the first two also with a rounding mode */
bool decode_function_of_one(struct decoder *d)
{
    const enum ptx_type type = decode_take_type(d);
    const char *name = d->in->op_name;
    if (decode_take(d, WORD_APPROX)) {
        name = d->in->op == PTX_OP_RCP    ? "rcp_approx"
               : d->in->op == PTX_OP_SQRT ? "sqrt_approx"
                                          : name;
    }
    return float_op(d, name, type, 2);
}

bool decode_copysign(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    return decode_plain_operands(d, &in, type, type, 3) &&
           decode_emit(d, in, "copysign_%s", ptx_type_name(type)) != NULL;
}
