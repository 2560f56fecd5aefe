/* decode_bits.c - logic, shifts, fields, searches for bits, and integers packed in a register. */
#include "decode/decoder.h"

bool decode_predicate_logic(struct decoder *d)
{
    struct insn in = decode_blank();
    bool a_negated, b_negated = false;
    bool unary = d->in->op == PTX_OP_NOT || d->in->op == PTX_OP_MOV;
    if (!decode_all_taken(d) || !decode_operands_are(d, unary ? 2 : 3, unary ? 2 : 3) ||
        !decode_destination(d, operand(d, 0), WIDTH_PREDICATE, &in.d) ||
        !decode_predicate_source(d, operand(d, 1), &in.a, &a_negated)) {
        return false;
    }
    in.b = in.a;
    if (!unary && !decode_predicate_source(d, operand(d, 2), &in.b, &b_negated)) {
        return false;
    }
    in.flags |= (a_negated ? INSN_A_NEGATED : 0) | (b_negated ? INSN_B_NEGATED : 0);
    return decode_emit(d, in, "%s_pred", d->in->op_name) != NULL;
}

bool decode_logic(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    bool unary = d->in->op == PTX_OP_NOT || d->in->op == PTX_OP_CNOT;
    if (type == PTX_PRED) {
        return decode_predicate_logic(d);
    }
    return decode_plain_operands(d, &in, type, type, unary ? 2 : 3) &&
           decode_emit(d, in, "%s_b%u", d->in->op_name, bits_of(type)) != NULL;
}

/* lop3.OP.b32 d|p, a, b, c, table, q: also p = (d != 0) OP q. */
static bool decode_lop3_predicate(struct decoder *d, struct insn in, struct insn test)
{
    const struct ptx_operand *first = operand(d, 0);
    bool negated;
    if (first->kind != PTX_OPERAND_PAIR ||
        (first->items[0].kind != PTX_OPERAND_SINK &&
         !decode_destination(d, &first->items[0], WIDTH_32, &in.d)) ||
        !decode_destination(d, &first->items[1], WIDTH_PREDICATE, &test.d) ||
        !decode_predicate_source(d, operand(d, 5), &test.e, &negated)) {
        return decode_reject(d, "its operands");
    }
    d->halves = d->halves == NO_REF ? decode_frame_room(d, 2 * 128) : d->halves;
    in.d = in.d == NO_REF ? d->halves : in.d;
    test.a = in.d;
    test.b = decode_constant32(d, 0);
    test.flags |= negated ? INSN_C_NEGATED : 0;
    return decode_emit(d, in, "lop3_b32") != NULL && decode_emit(d, test, "setp_ne_b32") != NULL;
}

bool decode_lop3(struct decoder *d)
{
    static const enum ptx_word words[] = {WORD_AND, WORD_OR};
    struct insn in = decode_blank(), test = decode_blank();
    unsigned operands = 5;
    enum ptx_type type = decode_take_type(d);
    for (unsigned i = 0; i < ARRAY_LENGTH(words); i++) {
        if (decode_take(d, words[i])) {
            test.combine = (uint8_t)i;
            operands = 6;
        }
    }
    if (!decode_all_taken(d) || !decode_operands_are(d, operands, operands) ||
        operand(d, 4)->kind != PTX_OPERAND_INT || !decode_source(d, operand(d, 1), type, &in.a) ||
        !decode_source(d, operand(d, 2), type, &in.b) ||
        !decode_source(d, operand(d, 3), type, &in.c)) {
        return decode_reject(d, "its operands");
    }
    in.literal = (int64_t)(operand(d, 4)->bits & 255);
    if (operands == 6) {
        return decode_lop3_predicate(d, in, test);
    }
    return decode_destination(d, operand(d, 0), WIDTH_32, &in.d) &&
           decode_emit(d, in, "lop3_b%u", bits_of(type)) != NULL;
}

/* shl, shr: the distance has 32 bits whatever the type */
bool decode_shift(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    bool right = d->in->op == PTX_OP_SHR;
    return TYPED_OPERANDS(d, &in, type, type, PTX_U32) &&
           decode_emit(d, in, "%s_%c%u", d->in->op_name,
                       !right            ? 'b'
                       : is_signed(type) ? 's'
                                         : 'u',
                       bits_of(type)) != NULL;
}

bool decode_funnel(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    const char *way = TAKE_ONE(d, WORD_L, WORD_R);
    const char *mode = way != NULL ? TAKE_ONE(d, WORD_CLAMP, WORD_WRAP) : NULL;
    return mode != NULL && decode_plain_operands(d, &in, type, type, 4) &&
           decode_emit(d, in, "shf_%s_%s_b%u", way, mode, bits_of(type)) != NULL;
}

/* popc, clz, brev, bfind: the result has 32 bits, but for brev */
bool decode_bit_search(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    bool same = d->in->op == PTX_OP_BREV;
    const char *form = decode_take(d, WORD_SHIFTAMT) ? "_shiftamt" : "";
    return decode_plain_operands(d, &in, same ? type : PTX_U32, type, 2) &&
           decode_emit(d, in, "%s%s_%s", d->in->op_name, form, ptx_type_name(type)) != NULL;
}

bool decode_bfe(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    return TYPED_OPERANDS(d, &in, type, type, PTX_U32, PTX_U32) &&
           decode_emit(d, in, "bfe_%s", ptx_type_name(type)) != NULL;
}

bool decode_bfi(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    return TYPED_OPERANDS(d, &in, type, type, type, PTX_U32, PTX_U32) &&
           decode_emit(d, in, "bfi_%s", ptx_type_name(type)) != NULL;
}

bool decode_mask_ops(struct decoder *d) /* bmsk, szext */
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    const char *mode = TAKE_ONE(d, WORD_CLAMP, WORD_WRAP);
    return mode != NULL && decode_plain_operands(d, &in, type, type, 3) &&
           decode_emit(d, in, "%s_%s_%s", d->in->op_name, mode, ptx_type_name(type)) != NULL;
}

bool decode_permute(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    const char *mode = TAKE_ANY(d, WORD_F4E, WORD_B4E, WORD_RC8, WORD_ECL, WORD_ECR, WORD_RC16);
    bool plain = mode == NULL;
    return decode_plain_operands(d, &in, type, type, 4) &&
           decode_emit(d, in, "prmt%s%s_b%u", plain ? "" : "_", plain ? "" : mode, bits_of(type)) !=
               NULL;
}

bool decode_dot(struct decoder *d) /* dp4a, dp2a */
{
    struct insn in = decode_blank();
    bool two = d->in->op == PTX_OP_DP2A;
    const char *half = two ? TAKE_ONE(d, WORD_LO, WORD_HI) : "";
    enum ptx_type a = decode_take_type(d), b = decode_take_type(d);
    return half != NULL && decode_plain_operands(d, &in, PTX_U32, PTX_U32, 4) &&
           decode_emit(d, in, "%s%s%s_%s_%s", d->in->op_name, two ? "_" : "", half,
                       ptx_type_name(a), ptx_type_name(b)) != NULL;
}

bool decode_same_type(struct decoder *d) /* sad, fns: d, a, b, c of one type */
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    return decode_plain_operands(d, &in, type, type, 4) &&
           decode_emit(d, in, "%s_%s", d->in->op_name, ptx_type_name(type)) != NULL;
}
