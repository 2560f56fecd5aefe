/* decode_compare.c - comparison and selection. */
#include "decode/decoder.h"

#include <string.h>

static const char *take_comparison(struct decoder *d)
{
    return TAKE_ONE(d, WORD_EQ, WORD_NE, WORD_LT, WORD_LE, WORD_GT, WORD_GE, WORD_LO, WORD_LS,
                    WORD_HI, WORD_HS, WORD_EQU, WORD_NEU, WORD_LTU, WORD_LEU, WORD_GTU, WORD_GEU,
                    WORD_NUM, WORD_NAN);
}

/* lo, ls, hi, hs are the unsigned names of lt, le, gt, ge. */
static const char *plain_comparison(const char *name)
{
    static const char *const plain[][2] = {{"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}};
    for (unsigned i = 0; i < ARRAY_LENGTH(plain); i++) {
        if (strcmp(name, plain[i][0]) == 0) {
            return plain[i][1];
        }
    }
    return name;
}

static bool emit_comparison(struct decoder *d, struct insn in, const char *comparison,
                            enum ptx_type type)
{
    const char *ftz = in.flags & INSN_FTZ && (type == PTX_F32 || type == PTX_F16) ? "ftz_" : "";
    comparison = plain_comparison(comparison);
    bool equality = strcmp(comparison, "eq") == 0 || strcmp(comparison, "ne") == 0;
    if (ptx_is_float(type) || ptx_is_half(type)) {
        return decode_emit(d, in, "setp_%s_%s%s", comparison, ftz, ptx_type_name(type)) != NULL;
    }
    if (equality) {
        return decode_emit(d, in, "setp_%s_b%u", comparison, bits_of(type)) != NULL;
    }
    return decode_emit(d, in, "setp_%s_%s", comparison, ptx_type_name(type)) != NULL;
}

/* .and, .or, .xor and the predicate operand that goes with them */
static bool take_combination(struct decoder *d, struct insn *in, unsigned index)
{
    static const enum ptx_word words[] = {WORD_AND, WORD_OR, WORD_XOR};
    for (unsigned i = 0; i < ARRAY_LENGTH(words); i++) {
        if (decode_take(d, words[i])) {
            bool negated;
            in->combine = (uint8_t)i;
            if (!decode_operands_are(d, index + 1, index + 1) ||
                !decode_predicate_source(d, operand(d, index), &in->e, &negated)) {
                return false;
            }
            in->flags |= negated ? INSN_C_NEGATED : 0;
            return true;
        }
    }
    return decode_operands_are(d, index, index);
}

/* --- pairs of 16-bit floats: one comparison of the low halves, one of the high ones ----------- */

static enum ptx_type half_of(enum ptx_type t) { return t == PTX_F16X2 ? PTX_F16 : PTX_BF16; }

/* The high halves of a and b of the instruction `low`, in hidden registers. */
static bool take_high_halves(struct decoder *d, const struct insn *low, struct insn *high)
{
    struct insn shift = decode_blank();
    d->halves = d->halves == NO_REF ? decode_frame_room(d, 2 * 128) : d->halves;
    *high = *low;
    shift.b = decode_constant32(d, 16);
    shift.a = low->a;
    shift.d = high->a = d->halves;
    if (decode_emit(d, shift, "shr_u32") == NULL) {
        return false;
    }
    shift.a = low->b;
    shift.d = high->b = d->halves + 128;
    return decode_emit(d, shift, "shr_u32") != NULL;
}

/* setp.CMP.f16x2 p|q, a, b: p for the low halves, q, if it is there, for the high ones. */
static bool decode_setp_pair(struct decoder *d, struct insn low, const char *comparison,
                             enum ptx_type type)
{
    const struct ptx_operand *first = operand(d, 0);
    struct insn high;
    if (!decode_source(d, operand(d, 1), PTX_B32, &low.a) ||
        !decode_source(d, operand(d, 2), PTX_B32, &low.b)) {
        return false;
    }
    if (first->kind != PTX_OPERAND_PAIR) {
        return decode_destination(d, first, WIDTH_PREDICATE, &low.d) &&
               emit_comparison(d, low, comparison, half_of(type));
    }
    return take_high_halves(d, &low, &high) &&
           decode_destination(d, &first->items[0], WIDTH_PREDICATE, &low.d) &&
           decode_destination(d, &first->items[1], WIDTH_PREDICATE, &high.d) &&
           emit_comparison(d, low, comparison, half_of(type)) &&
           emit_comparison(d, high, comparison, half_of(type));
}

bool decode_setp(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    const char *comparison = take_comparison(d);
    in.flags |= decode_take(d, WORD_FTZ) ? INSN_FTZ : 0;
    if (comparison == NULL || !take_combination(d, &in, 3) || !decode_all_taken(d)) {
        return false;
    }
    if (ptx_is_pair_of_halves(type)) {
        return decode_setp_pair(d, in, comparison, type);
    }
    const struct ptx_operand *first = operand(d, 0);
    if (first->kind == PTX_OPERAND_PAIR) {
        if (!decode_destination(d, &first->items[0], WIDTH_PREDICATE, &in.d) ||
            !decode_destination(d, &first->items[1], WIDTH_PREDICATE, &in.c)) {
            return false;
        }
    } else if (!decode_destination(d, first, WIDTH_PREDICATE, &in.d)) {
        return false;
    }
    return decode_source(d, operand(d, 1), type, &in.a) &&
           decode_source(d, operand(d, 2), type, &in.b) && emit_comparison(d, in, comparison, type);
}

/* What set writes where the comparison is true: all ones, or one in the float type. */
static uint32_t value_of_true(enum ptx_type dtype)
{
    switch (dtype) {
    case PTX_F32:
        return 0x3f800000u;
    case PTX_F16:
    case PTX_F16X2:
        return 0x3c00u;
    case PTX_BF16:
    case PTX_BF16X2:
        return 0x3f80u;
    case PTX_U16:
    case PTX_S16:
        return 0xffffu;
    default:
        return 0xffffffffu;
    }
}

/* set.CMP.dtype.f16x2: each half of the result says what holds for that half of the operands. */
static bool decode_set_pair(struct decoder *d, struct insn low, struct insn select,
                            const char *comparison, enum ptx_type dtype, enum ptx_type type)
{
    struct insn high, add = decode_blank();
    uint32_t answer = value_of_true(dtype) & 0xffffu;
    if (!take_high_halves(d, &low, &high)) {
        return false;
    }
    d->spare_high = d->spare_high == NO_REF ? decode_frame_room(d, 4) : d->spare_high;
    high.d = d->spare_high;
    add.d = select.d;
    select.a = decode_constant32(d, answer);
    select.b = decode_constant32(d, 0);
    select.d = add.a = d->halves; /* free again behind the comparisons */
    add.b = d->halves + 128;
    if (!emit_comparison(d, low, comparison, half_of(type)) ||
        !emit_comparison(d, high, comparison, half_of(type)) ||
        decode_emit(d, select, "selp_32") == NULL) {
        return false;
    }
    select.a = decode_constant32(d, answer << 16);
    select.c = high.d;
    select.d = add.b;
    return decode_emit(d, select, "selp_32") != NULL && decode_emit(d, add, "or_b32") != NULL;
}

/* set.CMP.dtype.stype: all ones or 1.0 where true: a comparison and a selection. */
bool decode_set(struct decoder *d)
{
    struct insn in = decode_blank(), select = decode_blank();
    enum ptx_type dtype = decode_take_type(d), type = decode_take_type(d);
    const char *comparison = take_comparison(d);
    in.flags |= decode_take(d, WORD_FTZ) ? INSN_FTZ : 0;
    const bool halves = ptx_is_half(type);
    bool scalar = bits_of(dtype) == 32 ? !ptx_is_pair_of_halves(dtype)
                                       : ptx_is_half(dtype) || (halves && bits_of(dtype) == 16);
    if (comparison == NULL) {
        return false;
    }
    if ((!scalar && !ptx_is_pair_of_halves(type)) || !take_combination(d, &in, 3) ||
        !decode_all_taken(d) ||
        !decode_destination(d, operand(d, 0), decode_width_of(dtype), &select.d) ||
        !decode_source(d, operand(d, 1), type, &in.a) ||
        !decode_source(d, operand(d, 2), type, &in.b)) {
        return decode_reject(d, "this form of set");
    }
    d->spare = d->spare == NO_REF ? decode_frame_room(d, 4) : d->spare;
    in.d = select.c = d->spare;
    if (ptx_is_pair_of_halves(type)) {
        return decode_set_pair(d, in, select, comparison, dtype, type);
    }
    select.a = decode_constant32(d, value_of_true(dtype));
    select.b = decode_constant32(d, 0);
    return emit_comparison(d, in, comparison, type) && decode_emit(d, select, "selp_32") != NULL;
}

bool decode_selp(struct decoder *d)
{
    struct insn in = decode_blank();
    bool negated;
    enum ptx_type type = decode_take_type(d);
    if (!decode_all_taken(d) || !decode_operands_are(d, 4, 4) ||
        !decode_destination(d, operand(d, 0), decode_width_of(type), &in.d) ||
        !decode_source(d, operand(d, 1), type, &in.a) ||
        !decode_source(d, operand(d, 2), type, &in.b) ||
        !decode_predicate_source(d, operand(d, 3), &in.c, &negated)) {
        return false;
    }
    in.flags |= negated ? INSN_C_NEGATED : 0;
    return decode_emit(d, in, "selp_%u", decode_width_of(type) == WIDTH_64 ? 64 : 32) != NULL;
}

bool decode_slct(struct decoder *d)
{
    struct insn in = decode_blank();
    const char *ftz = decode_take(d, WORD_FTZ) ? "ftz_" : "";
    enum ptx_type type = decode_take_type(d), selector = decode_take_type(d);
    return TYPED_OPERANDS(d, &in, type, type, type, selector) &&
           decode_emit(d, in, "slct_%u_%s%s", decode_width_of(type) == WIDTH_64 ? 64 : 32, ftz,
                       ptx_type_name(selector)) != NULL;
}

bool decode_testp(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    const char *test = TAKE_ONE(d, WORD_FINITE, WORD_INFINITE, WORD_NUMBER, WORD_NOTANUMBER,
                                WORD_NORMAL, WORD_SUBNORMAL);
    return test != NULL && TYPED_OPERANDS(d, &in, PTX_PRED, type) &&
           decode_emit(d, in, "testp_%s_%s", test, ptx_type_name(type)) != NULL;
}
