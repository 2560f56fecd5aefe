/* decode_move.c - mov, cvt, and addresses that change their space: cvta, isspacep. */
#include "decode/decoder.h"

#include <string.h>

/* --- mov and cvt ----------------------------------------------------------------------------- */

static bool is_clock(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_SPECIAL && o->special >= PTX_SPECIAL_CLOCK;
}

static bool decode_clock(struct decoder *d, enum ptx_special clock, enum ptx_type type)
{
    struct insn in = decode_blank();
    if (clock == PTX_SPECIAL_CLOCK_HI || clock == PTX_SPECIAL_GLOBALTIMER_HI) {
        in.literal = 32;
    }
    return decode_destination(d, operand(d, 0), decode_width_of(type), &in.d) &&
           decode_emit(d, in, "clock_%u", bits_of(type)) != NULL;
}

static bool move_local_address(struct decoder *d, const struct variable *s, enum ptx_type type)
{
    struct insn in = decode_blank();
    in.offset = (int64_t)(s->offset + operand(d, 1)->bits);
    return decode_destination(d, operand(d, 0), decode_width_of(type), &in.d) &&
           decode_emit(d, in, "local_address_%u", bits_of(type)) != NULL;
}

/* No register of a pair is wider than a byte. */
static bool are_bytes(const struct decoder *d, const struct ptx_operand *v)
{
    for (unsigned i = 0; i < v->item_count; i++) {
        enum ptx_type reg = decode_register_type(d, &v->items[i]);
        if (reg != PTX_NO_TYPE && ptx_type_bytes(reg) != 1) {
            return false;
        }
    }
    return true;
}

/* mov.b64 %rd, {%r1, %r2} and back: halves of a register. */
static bool decode_pack(struct decoder *d, enum ptx_type type)
{
    const struct ptx_operand *v = operand(d, 1);
    enum ptx_type part = bits_of(type) == 64 ? PTX_B32 : bits_of(type) == 32 ? PTX_B16 : PTX_B8;
    struct insn in = decode_blank();
    if (v->item_count == 4 && bits_of(type) == 64) {
        return decode_destination(d, operand(d, 0), WIDTH_64, &in.d) &&
               decode_source(d, &v->items[0], PTX_B16, &in.a) &&
               decode_source(d, &v->items[1], PTX_B16, &in.b) &&
               decode_source(d, &v->items[2], PTX_B16, &in.c) &&
               decode_source(d, &v->items[3], PTX_B16, &in.e) &&
               decode_emit(d, in, "pack_4x16") != NULL;
    }
    if (v->item_count != 2 || (part == PTX_B8 && !are_bytes(d, v))) {
        return decode_reject(d, "a vector of this length");
    }
    return decode_destination(d, operand(d, 0), decode_width_of(type), &in.d) &&
           decode_source(d, &v->items[0], part, &in.a) &&
           decode_source(d, &v->items[1], part, &in.b) &&
           decode_emit(d, in, "pack_2x%u", bits_of(type) / 2) != NULL;
}

static bool decode_unpack(struct decoder *d, enum ptx_type type)
{
    const struct ptx_operand *v = operand(d, 0);
    struct insn in = decode_blank();
    if ((v->item_count != 2 && v->item_count != 4) ||
        !decode_source(d, operand(d, 1), type, &in.a)) {
        return decode_reject(d, "a vector of this length");
    }
    for (unsigned i = 0; i < v->item_count; i++) {
        if (!decode_destination(d, &v->items[i], WIDTH_32, &in.element[i])) {
            return false;
        }
    }
    return decode_emit(d, in, "unpack_%ux%u", v->item_count, bits_of(type) / v->item_count) != NULL;
}

/* The address of a function's own parameter: code that indexes it with a register needs one. It is
 * that of a copy in local memory, since parameters are read only; see decode_param. */
static bool move_param_address(struct decoder *d, const struct variable *s, enum ptx_type type)
{
    struct insn copy = decode_blank(), in = decode_blank();
    uint32_t at = (uint32_t)align_up(d->kf->local_bytes, LOCAL_ALIGNMENT);
    if (at + s->bytes > MOST_LOCAL_BYTES) {
        return decode_reject(d, "so many copies of parameters in local memory");
    }
    d->kf->local_bytes = at + s->bytes;
    copy.a = s->offset;
    copy.b = s->bytes;
    copy.offset = (int64_t)at;
    in.offset = (int64_t)(at + operand(d, 1)->bits);
    return decode_destination(d, operand(d, 0), decode_width_of(type), &in.d) &&
           decode_emit(d, copy, "copy_param_local") != NULL &&
           decode_emit(d, in, "local_address_%u", bits_of(type)) != NULL;
}

/* mov.b128: registers of 128 bits are vectors of two of 64 (ptx/parse_scope.c). */
static bool decode_mov_wide(struct decoder *d)
{
    const struct ptx_operand *to = operand(d, 0), *from = operand(d, 1);
    if (to->kind != PTX_OPERAND_VECTOR || from->kind != PTX_OPERAND_VECTOR || to->item_count != 2 ||
        from->item_count != 2) {
        return decode_reject(d, "its operands are registers of type .b128, or two of 64 bits");
    }
    for (unsigned i = 0; i < 2; i++) {
        struct insn in = decode_blank();
        if (!decode_destination(d, &to->items[i], WIDTH_64, &in.d) ||
            !decode_source(d, &from->items[i], PTX_B64, &in.a) ||
            (in.d != NO_REF && decode_emit(d, in, "mov_64") == NULL)) {
            return false;
        }
    }
    return true;
}

bool decode_mov(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_type type = decode_take_type(d);
    if (!decode_all_taken(d) || !decode_operands_are(d, 2, 2)) {
        return false;
    }
    const struct ptx_operand *from = operand(d, 1);
    if (type == PTX_B128) {
        return decode_mov_wide(d);
    }
    if (type == PTX_PRED && from->kind == PTX_OPERAND_SPECIAL) {
        in.b = decode_constant32(d, 0);
        return decode_destination(d, operand(d, 0), WIDTH_PREDICATE, &in.d) &&
               decode_source(d, from, PTX_B32, &in.a) && decode_emit(d, in, "setp_ne_b32") != NULL;
    }
    if (type == PTX_PRED) {
        return decode_predicate_logic(d);
    }
    if (from->kind == PTX_OPERAND_SPECIAL && from->special == PTX_SPECIAL_GRIDID &&
        bits_of(type) == 64) {
        return decode_destination(d, operand(d, 0), WIDTH_64, &in.d) &&
               decode_source(d, from, PTX_U32, &in.a) && decode_emit(d, in, "cvt_u64_u32") != NULL;
    }
    if (is_clock(from)) {
        return decode_clock(d, from->special, type);
    }
    if (from->kind == PTX_OPERAND_VECTOR) {
        return decode_pack(d, type);
    }
    if (operand(d, 0)->kind == PTX_OPERAND_VECTOR) {
        return decode_unpack(d, type);
    }
    const struct variable *s =
        from->kind == PTX_OPERAND_SYMBOL ? decode_find_variable(d, from->name) : NULL;
    if (s != NULL && s->kind == VARIABLE_LOCAL) {
        return move_local_address(d, s, type);
    }
    if (s != NULL && s->kind == VARIABLE_FRAME_PARAM) {
        return move_param_address(d, s, type);
    }
    return decode_destination(d, operand(d, 0), decode_width_of(type), &in.d) &&
           decode_source(d, from, type, &in.a) &&
           decode_emit(d, in, "mov_%u", decode_width_of(type) == WIDTH_64 ? 64 : 32) != NULL;
}

/* Windows of generic addresses; see memory.h. Global addresses are generic as they are. */
static uint64_t window_base(enum ptx_space space)
{
    switch (space) {
    case PTX_SHARED:
        return (uint64_t)1 << 48;
    case PTX_LOCAL:
        return (uint64_t)2 << 48;
    case PTX_PARAM:
        return (uint64_t)3 << 48;
    default:
        return 0;
    }
}

/* cvta.shared.u64 adds the window's base; cvta.to.shared.u64 takes it away. */
bool decode_cvta(struct decoder *d)
{
    struct insn in = decode_blank();
    bool to = decode_take(d, WORD_TO);
    enum ptx_space space = decode_take_space(d);
    enum ptx_type type = decode_take_type(d);
    const struct ptx_operand *from = operand(d, 1);
    const struct variable *s = from->name != NULL ? decode_find_variable(d, from->name) : NULL;
    if (space == PTX_GENERIC || bits_of(type) != 64) {
        return decode_reject(d, "only 64-bit addresses of a named state space");
    }
    if (!decode_all_taken(d) || !decode_operands_are(d, 2, 2) ||
        !decode_destination(d, operand(d, 0), WIDTH_64, &in.d)) {
        return false;
    }
    if (s != NULL && s->kind == VARIABLE_LOCAL) {
        in.offset = (int64_t)(s->offset + from->bits);
        if (decode_emit(d, in, "local_address_64") == NULL) {
            return false;
        }
        in.a = in.d;
    } else if (!decode_source(d, from, type, &in.a)) {
        return false;
    }
    in.offset = 0;
    in.b = decode_constant64(d, window_base(space));
    if (window_base(space) == 0) {
        return decode_emit(d, in, "mov_64") != NULL;
    }
    return decode_emit(d, in, to ? "sub_u64" : "add_u64") != NULL;
}

bool decode_isspacep(struct decoder *d)
{
    struct insn in = decode_blank();
    enum ptx_space space = decode_take_space(d);
    const bool own = space == PTX_SHARED && !ptx_has_modifier(d->in, WORD_SHARED_CLUSTER);
    in.literal = space == PTX_CONST ? -1 : (int64_t)(window_base(space) >> 48);
    if (space == PTX_GENERIC) {
        return decode_reject(d, "this state space");
    }
    return TYPED_OPERANDS(d, &in, PTX_PRED, PTX_U64) &&
           decode_emit(d, in, own ? "isspacep_own" : "isspacep") != NULL;
}

static bool is_integral_rounding(const struct decoder *d)
{
    return ptx_has_modifier(d->in, WORD_RNI) || ptx_has_modifier(d->in, WORD_RZI) ||
           ptx_has_modifier(d->in, WORD_RMI) || ptx_has_modifier(d->in, WORD_RPI);
}

/* A result narrower than its register: integers are extended to it. The handler has done so up to
 * 32 bits; 16-bit registers keep the upper half zero, 64-bit ones need one more step. */
static bool extend_result(struct decoder *d, struct insn in, enum ptx_type dtype,
                          const char *handler)
{
    enum ptx_type reg = decode_register_type(d, operand(d, 0));
    struct insn extend = decode_blank();
    if (!decode_destination(d, operand(d, 0), decode_width_of(reg), &in.d)) {
        return false;
    }
    if (decode_width_of(reg) == WIDTH_64 && decode_width_of(dtype) != WIDTH_64) {
        extend.d = in.d;
        in.d = extend.a = decode_frame_room(d, 128);
        return decode_emit(d, in, "%s", handler) != NULL &&
               decode_emit(d, extend, "cvt_%s_%s", is_signed(dtype) ? "s64" : "u64",
                           is_signed(dtype) ? "s32" : "u32") != NULL;
    }
    if (decode_emit(d, in, "%s", handler) == NULL) {
        return false;
    }
    if (ptx_type_bytes(reg) == 2 && (dtype == PTX_S8 || dtype == PTX_S16)) {
        extend.d = extend.a = in.d;
        extend.b = decode_constant32(d, 0xffff);
        return decode_emit(d, extend, "and_b32") != NULL;
    }
    return true;
}

/* A source may lie in a register wider than its type: the low part counts. */
static bool converted_source(struct decoder *d, const struct ptx_operand *o, enum ptx_type type,
                             uint32_t *ref)
{
    enum ptx_type reg = decode_register_type(d, o);
    if (reg != PTX_NO_TYPE && decode_width_of(reg) == WIDTH_64 &&
        decode_width_of(type) == WIDTH_32) {
        struct insn narrow = decode_blank();
        narrow.d = *ref = decode_frame_room(d, 128);
        return decode_source(d, o, PTX_U64, &narrow.a) &&
               decode_emit(d, narrow, "cvt_u32_u64") != NULL;
    }
    return decode_source(d, o, type, ref);
}

static bool is_fp8_pair(enum ptx_type t) { return t == PTX_E4M3X2 || t == PTX_E5M2X2; }

/* cvt.rn.satfinite.e4m3x2.f32 d, a, b; the same of a pair, .f16x2; and back to one. */
static bool decode_cvt_fp8(struct decoder *d, struct insn in, enum ptx_type dtype,
                           enum ptx_type type)
{
    bool narrows = is_fp8_pair(dtype);
    in.conversion = decode_take(d, WORD_RELU) ? CONVERT_RELU : CONVERT_PLAIN;
    if (narrows && !(in.flags & INSN_FINITE)) {
        return decode_reject(d, "it needs .satfinite");
    }
    enum ptx_type own = narrows ? PTX_B32 : PTX_B16; /* of what is read, unless it is .f32 */
    unsigned count = 2;
    if (type == PTX_F32) {
        own = PTX_F32;
        count = 3;
    }
    return decode_plain_operands(d, &in, narrows ? PTX_B16 : PTX_B32, own, count) &&
           decode_emit(d, in, "cvt_%s_%s", ptx_type_name(dtype), ptx_type_name(type)) != NULL;
}

/* cvt.rn.f16x2.f32 d, a, b and cvt.rn.bf16x2.f32 */
static bool decode_cvt_pair(struct decoder *d, struct insn in, enum ptx_type dtype,
                            enum ptx_type type)
{
    in.conversion = decode_take(d, WORD_RELU) ? CONVERT_RELU : CONVERT_PLAIN;
    return decode_plain_operands(d, &in, PTX_B32, type, 3) &&
           decode_emit(d, in, "cvt_%s_%s", ptx_type_name(dtype), ptx_type_name(type)) != NULL;
}

/* cvt.pack.sat.u16.s32 d, a, b; cvt.pack.sat.u8.s32.b32 d, a, b, c: a above b, c above both. */
static bool decode_cvt_pack(struct decoder *d)
{
    static const char *const types[] = {"u2", "s2", "u4", "s4", "u8", "s8", "u16", "s16"};
    struct insn in = decode_blank();
    unsigned bits = 0;
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        for (unsigned t = 0; t < ARRAY_LENGTH(types) && bits == 0; t++) {
            if (strcmp(d->in->modifiers[i].text, types[t]) == 0) {
                d->taken |= 1u << i;
                bits = 2u << t / 2;
                in.flags |= t % 2 == 1 ? INSN_SIGNED : 0;
            }
        }
    }
    const unsigned operands = bits == 16 ? 3 : 4;
    if (bits == 0 || !decode_take(d, WORD_SAT) || decode_take_type(d) != PTX_S32 ||
        (operands == 4 && decode_take_type(d) != PTX_B32)) {
        return decode_reject(d, "it is cvt.pack.sat.TYPE.s32, with .u16 or .s16, or "
                                "cvt.pack.sat.TYPE.s32.b32, with 8 bits or fewer");
    }
    in.literal = bits;
    if (!decode_plain_operands(d, &in, PTX_B32, PTX_B32, operands)) {
        return false;
    }
    in.c = operands == 4 ? in.c : in.a;
    return decode_emit(d, in, "cvt_pack") != NULL;
}

bool decode_cvt(struct decoder *d)
{
    struct insn in = decode_blank();
    char handler[64] = "cvt_";
    if (decode_take(d, WORD_PACK)) {
        return decode_cvt_pack(d);
    }
    in.conversion = is_integral_rounding(d) ? CONVERT_INTEGRAL : CONVERT_PLAIN;
    bool away = decode_take(d, WORD_RNA);
    in.flags = decode_take_float_flags(d);
    enum ptx_type dtype = decode_take_type(d), type = decode_take_type(d);
    if (type == PTX_F32 || is_fp8_pair(dtype)) {
        in.flags |= decode_take(d, WORD_SATFINITE) ? INSN_FINITE : 0;
    }
    if (is_fp8_pair(dtype) || is_fp8_pair(type)) {
        return decode_cvt_fp8(d, in, dtype, type);
    }
    bool dfloat = ptx_is_real(dtype) || dtype == PTX_TF32;
    bool sfloat = ptx_is_real(type);
    if (ptx_is_pair_of_halves(dtype)) {
        return decode_cvt_pair(d, in, dtype, type);
    }
    if ((ptx_is_half(dtype) || dtype == PTX_TF32) && type == PTX_F32 && decode_take(d, WORD_RELU)) {
        in.conversion = CONVERT_RELU;
    }
    in.literal = away;
    if (away && dtype != PTX_TF32) {
        return decode_reject(d, "this rounding for these types");
    }
    if (!decode_all_taken(d) || !decode_operands_are(d, 2, 2)) {
        return false;
    }
    bool clamps = in.flags & INSN_SAT && !dfloat && !sfloat;
    bool fast = dtype == PTX_S32 && type == PTX_F32 && !(in.flags & INSN_FTZ) &&
                in.flags >> INSN_ROUND_SHIFT == ROUND_ZERO;
    strcat(handler, clamps ? "sat_" : fast ? "rzi_" : "");
    strcat(handler, ptx_type_name(dtype));
    strcat(handler, "_");
    strcat(handler, ptx_type_name(type));
    return converted_source(d, operand(d, 1), type, &in.a) && extend_result(d, in, dtype, handler);
}
