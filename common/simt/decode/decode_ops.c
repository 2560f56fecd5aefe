/* decode_ops.c - what each opcode becomes: one small function per family of instructions.
 *
 * A family function takes the modifiers it knows, resolves the operands to references, and names a
 * handler ("add_u32"). A combination without a handler, or a modifier that nobody took, is refused
 * by name. */
#include "decode/decoder.h"

#include <string.h>

/* d, a, b, c, all of one width; missing trailing operands are allowed down to `least`. */
bool plain_operands(struct decoder *d, struct insn *in, enum ptx_type dtype, enum ptx_type type,
                    unsigned count)
{
    uint32_t *refs[] = {&in->a, &in->b, &in->c};
    if (!operands_are(d, count, count) || !destination(d, operand(d, 0), width_of(dtype), &in->d)) {
        return false;
    }
    for (unsigned i = 1; i < count; i++) {
        if (!source(d, operand(d, i), type, refs[i - 1])) {
            return false;
        }
    }
    return true;
}

/* --- arithmetic ------------------------------------------------------------------------------ */

/* Float handlers come in a fast form and one that honours modifiers. */
static bool emit_float(struct decoder *d, struct insn in, const char *name, enum ptx_type type)
{
    if (is_small_float(type)) {
        if (in.flags & (3u << INSN_ROUND_SHIFT)) {
            return refuse(d, "a rounding mode for 16-bit floats");
        }
        in.b = in.b == NO_REF ? in.a : in.b;
        in.c = in.c == NO_REF ? in.a : in.c;
        return emit(d, in, "%s_%s", name, ptx_type_name(type)) != NULL;
    }
    bool modified = in.flags & (INSN_FTZ | INSN_SAT | 3u << INSN_ROUND_SHIFT);
    return emit(d, in, "%s_%s%s", name, ptx_type_name(type), modified ? "_mod" : "") != NULL;
}

uint32_t take_float_flags(struct decoder *d)
{
    uint32_t flags = take_rounding(d);
    flags |= take(d, "ftz") ? INSN_FTZ : 0;
    flags |= take(d, "sat") ? INSN_SAT : 0;
    return flags;
}

/* name and number of operands, the destination among them */
static bool float_op(struct decoder *d, const char *name, enum ptx_type type, unsigned count)
{
    struct insn in = blank();
    in.flags = take_float_flags(d);
    take(d, "approx");
    take(d, "full");
    return all_taken(d) && plain_operands(d, &in, type, type, count) &&
           emit_float(d, in, name, type);
}

/* add, sub, mul with their integer forms */
static bool decode_sum(struct decoder *d)
{
    const char *name = d->in->op_name;
    enum ptx_type type = take_type(d);
    struct insn in = blank();
    if (is_float(type) || is_small_float(type)) {
        return float_op(d, name, type, 3);
    }
    const char *saturates = take(d, "sat") ? "_sat" : "";
    if (take(d, "cc")) {
        in.flags |= INSN_CC_OUT;
    }
    if (!all_taken(d) || !plain_operands(d, &in, type, type, 3)) {
        return false;
    }
    if (in.flags & INSN_CC_OUT) {
        d->carry = d->carry == NO_REF ? frame_room(d, 4) : d->carry;
        in.e = d->carry;
        in.c = in.b;
        return emit(d, in, "%sc_u%u", name, bits_of(type)) != NULL;
    }
    if (saturates[0] != '\0' || type == PTX_U16X2 || type == PTX_S16X2) {
        return emit(d, in, "%s%s_%s", name, saturates, ptx_type_name(type)) != NULL;
    }
    return emit(d, in, "%s_u%u", name, bits_of(type)) != NULL;
}

/* addc, subc, madc: in, and with .cc also out */
static bool decode_with_carry(struct decoder *d)
{
    struct insn in = blank();
    enum ptx_type type = take_type(d);
    bool multiplies = d->in->op == PTX_OP_MADC;
    const char *half = !multiplies ? "" : take(d, "hi") ? "_hi" : take(d, "lo") ? "_lo" : "_?";
    in.flags = INSN_CC_IN | (take(d, "cc") ? INSN_CC_OUT : 0);
    if (!all_taken(d) || !plain_operands(d, &in, type, type, multiplies ? 4 : 3)) {
        return false;
    }
    in.c = multiplies ? in.c : in.b;
    if (d->carry == NO_REF) {
        return refuse(d, "no instruction before it sets the carry flag");
    }
    in.e = d->carry;
    bool has_sign = is_signed(type) && strcmp(half, "_hi") == 0;
    return emit(d, in, "%s%s_%c%u", d->in->op_name, half, has_sign ? 's' : 'u', bits_of(type)) !=
           NULL;
}

static enum ptx_type twice(enum ptx_type t)
{
    return t == PTX_U16 ? PTX_U32 : t == PTX_S16 ? PTX_S32 : t == PTX_U32 ? PTX_U64 : PTX_S64;
}

/* mul and mad of integers: lo, hi, wide; mul24, mad24 */
static bool integer_product(struct decoder *d, enum ptx_type type)
{
    struct insn in = blank();
    const char *name = d->in->op_name;
    bool adds = d->in->op == PTX_OP_MAD || d->in->op == PTX_OP_MAD24;
    const char *half = take(d, "lo") ? "lo" : take(d, "hi") ? "hi" : take(d, "wide") ? "wide" : "?";
    bool wide = half[0] == 'w', saturates = take(d, "sat");
    enum ptx_type dtype = wide ? twice(type) : type;
    if (take(d, "cc")) {
        in.flags |= INSN_CC_OUT;
    }
    if (!all_taken(d) || !operands_are(d, adds ? 4 : 3, adds ? 4 : 3) ||
        !destination(d, operand(d, 0), width_of(dtype), &in.d) ||
        !source(d, operand(d, 1), type, &in.a) || !source(d, operand(d, 2), type, &in.b) ||
        (adds && !source(d, operand(d, 3), dtype, &in.c))) {
        return false;
    }
    bool small = d->in->op == PTX_OP_MUL24 || d->in->op == PTX_OP_MAD24;
    char sign = is_signed(type) && (half[0] != 'l' || small) ? 's' : 'u';
    if (in.flags & INSN_CC_OUT) {
        d->carry = d->carry == NO_REF ? frame_room(d, 4) : d->carry;
        in.e = d->carry;
        return emit(d, in, "madc_%s_%c%u", half, sign, bits_of(type)) != NULL;
    }
    return emit(d, in, "%s_%s%s_%c%u", name, half, saturates ? "_sat" : "", sign, bits_of(type)) !=
           NULL;
}

static bool decode_product(struct decoder *d)
{
    enum ptx_type type = take_type(d);
    if (is_float(type) || is_small_float(type)) {
        bool adds = d->in->op == PTX_OP_MAD;
        return float_op(d, adds ? "fma" : "mul", type, adds ? 4 : 3);
    }
    return integer_product(d, type);
}

static bool decode_fma(struct decoder *d)
{
    enum ptx_type type = take_type(d);
    bool relu = take(d, "relu");
    return float_op(d, relu ? "fma_relu" : "fma", type, 4);
}

static bool decode_quotient(struct decoder *d)
{
    struct insn in = blank();
    enum ptx_type type = take_type(d);
    if (is_float(type)) {
        return float_op(d, "div", type, 3);
    }
    return all_taken(d) && plain_operands(d, &in, type, type, 3) &&
           emit(d, in, "%s_%s", d->in->op_name, ptx_type_name(type)) != NULL;
}

static bool decode_minmax(struct decoder *d)
{
    struct insn in = blank();
    char name[16] = "";
    enum ptx_type type = take_type(d);
    strcat(name, d->in->op_name);
    strcat(name, take(d, "NaN") ? "_nan" : "");
    if (is_float(type) || is_small_float(type)) {
        return float_op(d, name, type, 3);
    }
    strcat(name, take(d, "relu") ? "_relu" : "");
    return all_taken(d) && plain_operands(d, &in, type, type, 3) &&
           emit(d, in, "%s_%s", name, ptx_type_name(type)) != NULL;
}

/* neg, abs: of integers and floats */
static bool decode_sign(struct decoder *d)
{
    struct insn in = blank();
    enum ptx_type type = take_type(d);
    if (is_float(type) || is_small_float(type)) {
        return float_op(d, d->in->op_name, type, 2);
    }
    return all_taken(d) && plain_operands(d, &in, type, type, 2) &&
           emit(d, in, "%s_s%u", d->in->op_name, bits_of(type)) != NULL;
}

/* rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh */
static bool decode_function_of_one(struct decoder *d)
{
    return float_op(d, d->in->op_name, take_type(d), 2);
}

static bool decode_copysign(struct decoder *d)
{
    struct insn in = blank();
    enum ptx_type type = take_type(d);
    return all_taken(d) && plain_operands(d, &in, type, type, 3) &&
           emit(d, in, "copysign_%s", ptx_type_name(type)) != NULL;
}

/* --- bits ------------------------------------------------------------------------------------ */

bool predicate_logic(struct decoder *d)
{
    struct insn in = blank();
    bool a_negated, b_negated = false;
    bool unary = d->in->op == PTX_OP_NOT || d->in->op == PTX_OP_MOV;
    if (!all_taken(d) || !operands_are(d, unary ? 2 : 3, unary ? 2 : 3) ||
        !destination(d, operand(d, 0), WIDTH_PREDICATE, &in.d) ||
        !predicate_source(d, operand(d, 1), &in.a, &a_negated)) {
        return false;
    }
    in.b = in.a;
    if (!unary && !predicate_source(d, operand(d, 2), &in.b, &b_negated)) {
        return false;
    }
    in.flags |= (a_negated ? INSN_A_NEGATED : 0) | (b_negated ? INSN_B_NEGATED : 0);
    return emit(d, in, "%s_pred", d->in->op_name) != NULL;
}

static bool decode_logic(struct decoder *d)
{
    struct insn in = blank();
    enum ptx_type type = take_type(d);
    bool unary = d->in->op == PTX_OP_NOT || d->in->op == PTX_OP_CNOT;
    if (type == PTX_PRED) {
        return predicate_logic(d);
    }
    return all_taken(d) && plain_operands(d, &in, type, type, unary ? 2 : 3) &&
           emit(d, in, "%s_b%u", d->in->op_name, bits_of(type)) != NULL;
}

static bool decode_lop3(struct decoder *d)
{
    struct insn in = blank();
    enum ptx_type type = take_type(d);
    if (!all_taken(d) || !operands_are(d, 5, 5) || operand(d, 4)->kind != PTX_OPERAND_INT ||
        !destination(d, operand(d, 0), WIDTH_32, &in.d) || !source(d, operand(d, 1), type, &in.a) ||
        !source(d, operand(d, 2), type, &in.b) || !source(d, operand(d, 3), type, &in.c)) {
        return refuse(d, "its operands");
    }
    in.offset = (int64_t)(operand(d, 4)->bits & 255);
    return emit(d, in, "lop3_b%u", bits_of(type)) != NULL;
}

/* shl, shr: the distance has 32 bits whatever the type */
static bool decode_shift(struct decoder *d)
{
    struct insn in = blank();
    enum ptx_type type = take_type(d);
    bool right = d->in->op == PTX_OP_SHR;
    return all_taken(d) && operands_are(d, 3, 3) &&
           destination(d, operand(d, 0), width_of(type), &in.d) &&
           source(d, operand(d, 1), type, &in.a) && source(d, operand(d, 2), PTX_U32, &in.b) &&
           emit(d, in, "%s_%c%u", d->in->op_name,
                !right            ? 'b'
                : is_signed(type) ? 's'
                                  : 'u',
                bits_of(type)) != NULL;
}

static bool decode_funnel(struct decoder *d)
{
    struct insn in = blank();
    enum ptx_type type = take_type(d);
    const char *way = take(d, "l") ? "l" : take(d, "r") ? "r" : "?";
    const char *mode = take(d, "clamp") ? "clamp" : take(d, "wrap") ? "wrap" : "?";
    return all_taken(d) && plain_operands(d, &in, type, type, 4) &&
           emit(d, in, "shf_%s_%s_b%u", way, mode, bits_of(type)) != NULL;
}

/* popc, clz, brev, bfind: the result has 32 bits, but for brev */
static bool decode_bit_search(struct decoder *d)
{
    struct insn in = blank();
    enum ptx_type type = take_type(d);
    bool same = d->in->op == PTX_OP_BREV;
    const char *form = take(d, "shiftamt") ? "_shiftamt" : "";
    return all_taken(d) && plain_operands(d, &in, same ? type : PTX_U32, type, 2) &&
           emit(d, in, "%s%s_%s", d->in->op_name, form, ptx_type_name(type)) != NULL;
}

static bool decode_bfe(struct decoder *d)
{
    struct insn in = blank();
    enum ptx_type type = take_type(d);
    return all_taken(d) && operands_are(d, 4, 4) &&
           destination(d, operand(d, 0), width_of(type), &in.d) &&
           source(d, operand(d, 1), type, &in.a) && source(d, operand(d, 2), PTX_U32, &in.b) &&
           source(d, operand(d, 3), PTX_U32, &in.c) &&
           emit(d, in, "bfe_%s", ptx_type_name(type)) != NULL;
}

static bool decode_bfi(struct decoder *d)
{
    struct insn in = blank();
    enum ptx_type type = take_type(d);
    return all_taken(d) && operands_are(d, 5, 5) &&
           destination(d, operand(d, 0), width_of(type), &in.d) &&
           source(d, operand(d, 1), type, &in.a) && source(d, operand(d, 2), type, &in.b) &&
           source(d, operand(d, 3), PTX_U32, &in.c) && source(d, operand(d, 4), PTX_U32, &in.e) &&
           emit(d, in, "bfi_%s", ptx_type_name(type)) != NULL;
}

static bool decode_mask_ops(struct decoder *d) /* bmsk, szext */
{
    struct insn in = blank();
    enum ptx_type type = take_type(d);
    const char *mode = take(d, "clamp") ? "clamp" : take(d, "wrap") ? "wrap" : "?";
    return all_taken(d) && plain_operands(d, &in, type, type, 3) &&
           emit(d, in, "%s_%s_%s", d->in->op_name, mode, ptx_type_name(type)) != NULL;
}

static bool decode_permute(struct decoder *d)
{
    static const char *const modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    struct insn in = blank();
    enum ptx_type type = take_type(d);
    const char *mode = NULL;
    for (unsigned i = 0; i < ARRAY_LENGTH(modes) && mode == NULL; i++) {
        mode = take(d, modes[i]) ? modes[i] : NULL;
    }
    return all_taken(d) && plain_operands(d, &in, type, type, 4) &&
           emit(d, in, "prmt%s%s_b%u", mode != NULL ? "_" : "", mode != NULL ? mode : "",
                bits_of(type)) != NULL;
}

static bool decode_dot(struct decoder *d) /* dp4a, dp2a */
{
    struct insn in = blank();
    bool two = d->in->op == PTX_OP_DP2A;
    const char *half = !two ? "" : take(d, "lo") ? "_lo" : take(d, "hi") ? "_hi" : "_?";
    enum ptx_type a = take_type(d), b = take_type(d);
    return all_taken(d) && plain_operands(d, &in, PTX_U32, PTX_U32, 4) &&
           emit(d, in, "%s%s_%s_%s", d->in->op_name, half, ptx_type_name(a), ptx_type_name(b)) !=
               NULL;
}

/* vabsdiff2, vabsdiff4: d, a, b, c. Every lane of a and b takes part; a mask is not known here. */
static bool decode_lane_differences(struct decoder *d)
{
    struct insn in = blank();
    enum ptx_type to = take_type(d), a = take_type(d), b = take_type(d);
    const char *sum = take(d, "add") ? "_add" : "";
    return all_taken(d) && plain_operands(d, &in, PTX_U32, PTX_U32, 4) &&
           emit(d, in, "%s%s_%s_%s_%s", d->in->op_name, sum, ptx_type_name(to), ptx_type_name(a),
                ptx_type_name(b)) != NULL;
}

static bool decode_same_type(struct decoder *d) /* sad, fns: d, a, b, c of one type */
{
    struct insn in = blank();
    enum ptx_type type = take_type(d);
    return all_taken(d) && plain_operands(d, &in, type, type, 4) &&
           emit(d, in, "%s_%s", d->in->op_name, ptx_type_name(type)) != NULL;
}

/* --- comparison and selection ---------------------------------------------------------------- */

static const char *take_comparison(struct decoder *d)
{
    static const char *const names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                        "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                        "ltu", "leu", "gtu", "geu", "num", "nan"};
    for (unsigned i = 0; i < ARRAY_LENGTH(names); i++) {
        if (take(d, names[i])) {
            return names[i];
        }
    }
    return "?";
}

/* lo, ls, hi, hs are the unsigned names of lt, le, gt, ge. */
static const char *plain_comparison(const char *name)
{
    return strcmp(name, "lo") == 0   ? "lt"
           : strcmp(name, "ls") == 0 ? "le"
           : strcmp(name, "hi") == 0 ? "gt"
           : strcmp(name, "hs") == 0 ? "ge"
                                     : name;
}

static bool emit_comparison(struct decoder *d, struct insn in, const char *comparison,
                            enum ptx_type type)
{
    const char *ftz = in.flags & INSN_FTZ && (type == PTX_F32 || type == PTX_F16) ? "ftz_" : "";
    comparison = plain_comparison(comparison);
    bool equality = strcmp(comparison, "eq") == 0 || strcmp(comparison, "ne") == 0;
    if (is_float(type) || type == PTX_F16 || type == PTX_BF16) {
        return emit(d, in, "setp_%s_%s%s", comparison, ftz, ptx_type_name(type)) != NULL;
    }
    if (equality) {
        return emit(d, in, "setp_%s_b%u", comparison, bits_of(type)) != NULL;
    }
    return emit(d, in, "setp_%s_%s", comparison, ptx_type_name(type)) != NULL;
}

/* .and, .or, .xor and the predicate operand that goes with them */
static bool take_combination(struct decoder *d, struct insn *in, unsigned index)
{
    static const char *const names[] = {"and", "or", "xor"};
    for (unsigned i = 0; i < ARRAY_LENGTH(names); i++) {
        if (take(d, names[i])) {
            bool negated;
            in->move = (uint8_t)i;
            if (!operands_are(d, index + 1, index + 1) ||
                !predicate_source(d, operand(d, index), &in->e, &negated)) {
                return false;
            }
            in->flags |= negated ? INSN_C_NEGATED : 0;
            return true;
        }
    }
    return operands_are(d, index, index);
}

static bool decode_setp(struct decoder *d)
{
    struct insn in = blank();
    enum ptx_type type = take_type(d);
    const char *comparison = take_comparison(d);
    in.flags |= take(d, "ftz") ? INSN_FTZ : 0;
    if (!take_combination(d, &in, 3) || !all_taken(d)) {
        return false;
    }
    const struct ptx_operand *first = operand(d, 0);
    if (first->kind == PTX_OPERAND_PAIR) {
        if (!destination(d, &first->items[0], WIDTH_PREDICATE, &in.d) ||
            !destination(d, &first->items[1], WIDTH_PREDICATE, &in.c)) {
            return false;
        }
    } else if (!destination(d, first, WIDTH_PREDICATE, &in.d)) {
        return false;
    }
    return source(d, operand(d, 1), type, &in.a) && source(d, operand(d, 2), type, &in.b) &&
           emit_comparison(d, in, comparison, type);
}

/* What set writes where the comparison is true: all ones, or one in the float type. */
static uint32_t value_of_true(enum ptx_type dtype)
{
    return dtype == PTX_F32    ? 0x3f800000u
           : dtype == PTX_F16  ? 0x3c00u
           : dtype == PTX_BF16 ? 0x3f80u
                               : 0xffffffffu;
}

/* set.CMP.dtype.stype: all ones or 1.0 where true: a comparison and a selection. */
static bool decode_set(struct decoder *d)
{
    struct insn in = blank(), select = blank();
    enum ptx_type dtype = take_type(d), type = take_type(d);
    const char *comparison = take_comparison(d);
    in.flags |= take(d, "ftz") ? INSN_FTZ : 0;
    bool scalar = bits_of(dtype) == 32 ? dtype != PTX_F16X2 && dtype != PTX_BF16X2
                                       : dtype == PTX_F16 || dtype == PTX_BF16;
    if (!scalar || !take_combination(d, &in, 3) || !all_taken(d) ||
        !destination(d, operand(d, 0), width_of(dtype), &select.d) ||
        !source(d, operand(d, 1), type, &in.a) || !source(d, operand(d, 2), type, &in.b)) {
        return refuse(d, "this form of set");
    }
    d->spare = d->spare == NO_REF ? frame_room(d, 4) : d->spare;
    in.d = select.c = d->spare;
    select.a = constant32(d, value_of_true(dtype));
    select.b = constant32(d, 0);
    return emit_comparison(d, in, comparison, type) && emit(d, select, "selp_32") != NULL;
}

static bool decode_selp(struct decoder *d)
{
    struct insn in = blank();
    bool negated;
    enum ptx_type type = take_type(d);
    if (!all_taken(d) || !operands_are(d, 4, 4) ||
        !destination(d, operand(d, 0), width_of(type), &in.d) ||
        !source(d, operand(d, 1), type, &in.a) || !source(d, operand(d, 2), type, &in.b) ||
        !predicate_source(d, operand(d, 3), &in.c, &negated)) {
        return false;
    }
    in.flags |= negated ? INSN_C_NEGATED : 0;
    return emit(d, in, "selp_%u", width_of(type) == WIDTH_64 ? 64 : 32) != NULL;
}

static bool decode_slct(struct decoder *d)
{
    struct insn in = blank();
    const char *ftz = take(d, "ftz") ? "ftz_" : "";
    enum ptx_type type = take_type(d), selector = take_type(d);
    return all_taken(d) && operands_are(d, 4, 4) &&
           destination(d, operand(d, 0), width_of(type), &in.d) &&
           source(d, operand(d, 1), type, &in.a) && source(d, operand(d, 2), type, &in.b) &&
           source(d, operand(d, 3), selector, &in.c) &&
           emit(d, in, "slct_%u_%s%s", width_of(type) == WIDTH_64 ? 64 : 32, ftz,
                ptx_type_name(selector)) != NULL;
}

static bool decode_testp(struct decoder *d)
{
    static const char *const tests[] = {"finite",     "infinite", "number",
                                        "notanumber", "normal",   "subnormal"};
    struct insn in = blank();
    const char *test = "?";
    enum ptx_type type = take_type(d);
    for (unsigned i = 0; i < ARRAY_LENGTH(tests); i++) {
        test = take(d, tests[i]) ? tests[i] : test;
    }
    return all_taken(d) && operands_are(d, 2, 2) &&
           destination(d, operand(d, 0), WIDTH_PREDICATE, &in.d) &&
           source(d, operand(d, 1), type, &in.a) &&
           emit(d, in, "testp_%s_%s", test, ptx_type_name(type)) != NULL;
}

/* --- the table ------------------------------------------------------------------------------- */

typedef bool (*decode_fn)(struct decoder *d);

static const decode_fn decoders[PTX_OP_COUNT] = {
    [PTX_OP_ABS] = decode_sign,
    [PTX_OP_ACTIVEMASK] = decode_activemask,
    [PTX_OP_ADD] = decode_sum,
    [PTX_OP_ADDC] = decode_with_carry,
    [PTX_OP_AND] = decode_logic,
    [PTX_OP_ATOM] = decode_atomic,
    [PTX_OP_BAR] = decode_barrier,
    [PTX_OP_BARRIER] = decode_barrier,
    [PTX_OP_BFE] = decode_bfe,
    [PTX_OP_BFI] = decode_bfi,
    [PTX_OP_BFIND] = decode_bit_search,
    [PTX_OP_BMSK] = decode_mask_ops,
    [PTX_OP_BRA] = decode_branch,
    [PTX_OP_BREV] = decode_bit_search,
    [PTX_OP_BRKPT] = decode_trap,
    [PTX_OP_BRX] = decode_table_branch,
    [PTX_OP_CALL] = decode_call,
    [PTX_OP_CLZ] = decode_bit_search,
    [PTX_OP_CNOT] = decode_logic,
    [PTX_OP_COPYSIGN] = decode_copysign,
    [PTX_OP_COS] = decode_function_of_one,
    [PTX_OP_CP] = decode_copy_async,
    [PTX_OP_CVT] = decode_cvt,
    [PTX_OP_CVTA] = decode_cvta,
    [PTX_OP_DISCARD] = decode_nothing,
    [PTX_OP_DIV] = decode_quotient,
    [PTX_OP_DP2A] = decode_dot,
    [PTX_OP_DP4A] = decode_dot,
    [PTX_OP_EX2] = decode_function_of_one,
    [PTX_OP_EXIT] = decode_exit,
    [PTX_OP_FENCE] = decode_nothing,
    [PTX_OP_FMA] = decode_fma,
    [PTX_OP_FNS] = decode_same_type,
    [PTX_OP_ISSPACEP] = decode_isspacep,
    [PTX_OP_LD] = decode_load,
    [PTX_OP_LDU] = decode_load,
    [PTX_OP_LG2] = decode_function_of_one,
    [PTX_OP_LOP3] = decode_lop3,
    [PTX_OP_MAD] = decode_product,
    [PTX_OP_MADC] = decode_with_carry,
    [PTX_OP_MAD24] = decode_product,
    [PTX_OP_MATCH] = decode_match,
    [PTX_OP_MAX] = decode_minmax,
    [PTX_OP_MEMBAR] = decode_nothing,
    [PTX_OP_MIN] = decode_minmax,
    [PTX_OP_MOV] = decode_mov,
    [PTX_OP_MUL] = decode_product,
    [PTX_OP_MUL24] = decode_product,
    [PTX_OP_NANOSLEEP] = decode_nanosleep,
    [PTX_OP_NEG] = decode_sign,
    [PTX_OP_NOT] = decode_logic,
    [PTX_OP_OR] = decode_logic,
    [PTX_OP_POPC] = decode_bit_search,
    [PTX_OP_PREFETCH] = decode_nothing,
    [PTX_OP_PREFETCHU] = decode_nothing,
    [PTX_OP_PRMT] = decode_permute,
    [PTX_OP_RCP] = decode_function_of_one,
    [PTX_OP_RED] = decode_atomic,
    [PTX_OP_REDUX] = decode_redux,
    [PTX_OP_REM] = decode_quotient,
    [PTX_OP_RET] = decode_exit,
    [PTX_OP_RSQRT] = decode_function_of_one,
    [PTX_OP_SAD] = decode_same_type,
    [PTX_OP_SELP] = decode_selp,
    [PTX_OP_SET] = decode_set,
    [PTX_OP_SETP] = decode_setp,
    [PTX_OP_SHF] = decode_funnel,
    [PTX_OP_SHFL] = decode_shfl,
    [PTX_OP_SHL] = decode_shift,
    [PTX_OP_SHR] = decode_shift,
    [PTX_OP_SIN] = decode_function_of_one,
    [PTX_OP_SLCT] = decode_slct,
    [PTX_OP_SQRT] = decode_function_of_one,
    [PTX_OP_ST] = decode_store,
    [PTX_OP_SUB] = decode_sum,
    [PTX_OP_SUBC] = decode_with_carry,
    [PTX_OP_SZEXT] = decode_mask_ops,
    [PTX_OP_TANH] = decode_function_of_one,
    [PTX_OP_TESTP] = decode_testp,
    [PTX_OP_TRAP] = decode_trap,
    [PTX_OP_VABSDIFF2] = decode_lane_differences,
    [PTX_OP_VABSDIFF4] = decode_lane_differences,
    [PTX_OP_VOTE] = decode_vote,
    [PTX_OP_XOR] = decode_logic,
};

bool needs_own_block(const struct ptx_insn *in)
{
    switch (in->op) {
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
    case PTX_OP_CALL:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX:
    case PTX_OP_SHFL:
    case PTX_OP_VOTE:
    case PTX_OP_BRX:
        return true;
    default:
        return false;
    }
}

bool decode_op(struct decoder *d)
{
    decode_fn decode = decoders[d->in->op];
    if (d->in->modifier_count > 32) {
        return refuse(d, "more than 32 modifiers");
    }
    if (decode == NULL) {
        return refuse(d, "the simulator does not execute this instruction");
    }
    if (!decode(d)) { /* a family function may give up without words: an operand is missing */
        return d->e->set ? false : refuse(d, "its operands or modifiers");
    }
    return true;
}
