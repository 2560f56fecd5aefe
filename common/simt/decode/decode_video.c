/* decode_video.c - video instructions: vadd to vset on bytes, halves and words of registers, and
 * those on two halves or four bytes at once. PTX ISA, "Video Instructions".
 *
 * What they read and write of their registers becomes a struct video_form. */
#include "decode/decoder.h"
#include "decode/video.h"

#include <string.h>

/* The operand without what only a video instruction reads. */
static struct ptx_operand plain(const struct ptx_operand *o)
{
    struct ptx_operand whole = *o;
    whole.part = NULL;
    whole.negated = false;
    return whole;
}

static bool source(struct decoder *d, unsigned index, uint32_t *ref)
{
    const struct ptx_operand o = plain(operand(d, index));
    return decode_source(d, &o, PTX_U32, ref);
}

static bool destination(struct decoder *d, uint32_t *ref)
{
    const struct ptx_operand o = plain(operand(d, 0));
    return decode_destination(d, &o, WIDTH_32, ref);
}

static bool reject_part(struct decoder *d, const struct ptx_operand *o, const char *right)
{
    return decode_reject(d, "part .%s of %s: %s", o->part, o->name, right);
}

static bool decode_part(struct decoder *d, unsigned index, enum video_part *part)
{
    static const char *const names[] = {"b0", "b1", "b2", "b3", "h0", "h1"};
    const struct ptx_operand *o = operand(d, index);
    *part = PART_WHOLE;
    for (unsigned i = 0; i < ARRAY_LENGTH(names) && o->part != NULL; i++) {
        if (strcmp(o->part, names[i]) == 0) {
            *part = (enum video_part)(PART_B0 + i);
            return true;
        }
    }
    return o->part == NULL || reject_part(d, o, "it is .b0 to .b3, .h0 or .h1");
}

static enum video_second take_second(struct decoder *d)
{
    if (decode_take(d, WORD_ADD)) {
        return SECOND_ADD;
    }
    if (decode_take(d, WORD_MIN)) {
        return SECOND_MIN;
    }
    return decode_take(d, WORD_MAX) ? SECOND_MAX : SECOND_NONE;
}

static bool take_comparison(struct decoder *d, struct video_form *form)
{
    static const enum ptx_word words[] = {
        [VIDEO_EQ] = WORD_EQ, [VIDEO_NE] = WORD_NE, [VIDEO_LT] = WORD_LT,
        [VIDEO_LE] = WORD_LE, [VIDEO_GT] = WORD_GT, [VIDEO_GE] = WORD_GE};
    for (unsigned i = 0; i < ARRAY_LENGTH(words); i++) {
        if (decode_take(d, words[i])) {
            form->comparison = i & 7u;
            return true;
        }
    }
    return decode_reject(d, "it needs .eq, .ne, .lt, .le, .gt or .ge");
}

static bool take_types(struct decoder *d, struct video_form *form, bool compares)
{
    const enum ptx_type to = compares ? PTX_U32 : decode_take_type(d), a = decode_take_type(d),
                        b = decode_take_type(d);
    form->d_signed = is_signed(to);
    form->a_signed = is_signed(a);
    form->b_signed = is_signed(b);
    const bool words = (to == PTX_U32 || to == PTX_S32) && (a == PTX_U32 || a == PTX_S32) &&
                       (b == PTX_U32 || b == PTX_S32);
    return words || decode_reject(d, "its types are .u32 and .s32");
}

/* c is there for a second operation, or to be what a part of d is put into. */
static bool decode_scalar_operands(struct decoder *d, struct insn *in, struct video_form *form,
                                   bool takes_c)
{
    enum video_part parts[3];
    for (unsigned i = 0; i < ARRAY_LENGTH(parts); i++) {
        if (!decode_part(d, i, &parts[i])) {
            return false;
        }
    }
    form->d_part = parts[0] & 7u;
    form->a_part = parts[1] & 7u;
    form->b_part = parts[2] & 7u;
    const unsigned count = takes_c || form->second != SECOND_NONE || parts[0] != PART_WHOLE ? 4 : 3;
    if (!decode_operands_are(d, count, count) || !destination(d, &in->d) || !source(d, 1, &in->a) ||
        !source(d, 2, &in->b)) {
        return false;
    }
    in->c = in->a;
    return count == 3 || source(d, 3, &in->c);
}

bool decode_video(struct decoder *d) /* vadd, vsub, vabsdiff, vmin, vmax, vset, vshl, vshr */
{
    struct insn in = decode_blank();
    struct video_form form = {0};
    const bool compares = d->in->op == PTX_OP_VSET;
    if (!take_types(d, &form, compares) || (compares && !take_comparison(d, &form))) {
        return false;
    }
    if (d->in->op == PTX_OP_VSHL || d->in->op == PTX_OP_VSHR) {
        form.wraps = decode_take(d, WORD_WRAP);
        if (!form.wraps && TAKE_ONE(d, WORD_CLAMP, WORD_WRAP) == NULL) {
            return false;
        }
    }
    form.saturates = decode_take(d, WORD_SAT);
    form.second = take_second(d) & 3u;
    if (!decode_all_taken(d) || !decode_scalar_operands(d, &in, &form, false)) {
        return false;
    }
    if (form.second != SECOND_NONE && form.d_part != PART_WHOLE) {
        return decode_reject(d, "a second operation and a part of the destination");
    }
    in.literal = video_pack(form);
    return decode_emit(d, in, "%s", d->in->op_name) != NULL;
}

bool decode_video_mad(struct decoder *d) /* vmad: d = +-(a * b) +- c, shifted right */
{
    struct insn in = decode_blank();
    struct video_form form = {0};
    if (!take_types(d, &form, false)) {
        return false;
    }
    form.plus_one = decode_take(d, WORD_PO);
    form.saturates = decode_take(d, WORD_SAT);
    form.scale = decode_take(d, WORD_SHR7) ? 7 : decode_take(d, WORD_SHR15) ? 15 : 0;
    form.negates_product = operand(d, 1)->negated != operand(d, 2)->negated;
    form.negates_c = operand(d, 3)->negated;
    if (form.negates_product + form.negates_c + form.plus_one > 1) {
        return decode_reject(d, "more than one of -(a * b), -c and .po");
    }
    if (!decode_all_taken(d) || !decode_scalar_operands(d, &in, &form, true)) {
        return false;
    }
    if (form.d_part != PART_WHOLE) {
        return decode_reject(d, "a part of the destination");
    }
    in.literal = video_pack(form);
    return decode_emit(d, in, "vmad") != NULL;
}

/* --- two halves, four bytes ------------------------------------------------------------------ */

/* `h10` or `b3210`: a digit for each lane, the highest first; `first` is that of the lowest lane
 * where the text has no part. */
static bool decode_lanes(struct decoder *d, unsigned index, unsigned count, unsigned first,
                         uint16_t *lanes)
{
    const struct ptx_operand *o = operand(d, index);
    const char kind = count == 2 ? 'h' : 'b';
    *lanes = 0;
    if (o->part != NULL && (o->part[0] != kind || strlen(o->part) != count + 1)) {
        return reject_part(d, o, count == 2 ? "it is .h and two digits" : "it is .b and four");
    }
    for (unsigned i = 0; i < count; i++) {
        const unsigned digit = o->part == NULL ? first + i : (unsigned)(o->part[count - i] - '0');
        if (digit >= 2 * count) {
            return reject_part(d, o, "it counts parts of two registers, from 0");
        }
        *lanes |= (uint16_t)(digit << 4 * i);
    }
    return true;
}

/* `b310`: digits of the lanes that are computed, each smaller than the one before. */
static bool decode_lane_mask(struct decoder *d, unsigned count, struct video_form *form)
{
    const struct ptx_operand *o = operand(d, 0);
    const char kind = count == 2 ? 'h' : 'b';
    unsigned mask = 0, before = count;
    if (o->part == NULL) {
        form->mask = ((1u << count) - 1) & 15u;
        return true;
    }
    bool right = o->part[0] == kind;
    for (const char *digit = o->part + 1; right && *digit != '\0'; digit++) {
        const unsigned lane = (unsigned)(*digit - '0');
        right = lane < before;
        mask |= right ? 1u << lane : 0;
        before = lane;
    }
    form->mask = mask & 15u;
    return (right && mask != 0) ||
           reject_part(d, o,
                       count == 2 ? "it is .h0, .h1 or .h10"
                                  : "it is .b and digits from 3 to 0, in falling order");
}

/* What __vabsdiffu4() and __vsadu4() become has a handler of its own: no part is chosen. */
static bool is_plain_difference(const struct decoder *d, const struct video_form *form)
{
    const bool differs = d->in->op == PTX_OP_VABSDIFF2 || d->in->op == PTX_OP_VABSDIFF4;
    return differs && operand(d, 0)->part == NULL && operand(d, 1)->part == NULL &&
           operand(d, 2)->part == NULL && !form->saturates && form->a_signed == form->b_signed;
}

/* vadd2 d, a, b, c and its like; the count of lanes is the last letter of the name */
bool decode_video_lanes(struct decoder *d)
{
    struct insn in = decode_blank();
    struct video_form form = {0};
    const char *name = d->in->op_name;
    const unsigned count = name[strlen(name) - 1] == '2' ? 2 : 4;
    const bool compares = d->in->op == PTX_OP_VSET2 || d->in->op == PTX_OP_VSET4;
    if (!take_types(d, &form, compares) || (compares && !take_comparison(d, &form))) {
        return false;
    }
    form.saturates = decode_take(d, WORD_SAT);
    form.second = decode_take(d, WORD_ADD) ? SECOND_ADD : SECOND_NONE;
    if (form.saturates && form.second != SECOND_NONE) {
        return decode_reject(d, ".sat and .add together");
    }
    if (!decode_all_taken(d) || !decode_operands_are(d, 4, 4) ||
        !decode_lane_mask(d, count, &form) || !decode_lanes(d, 1, count, 0, &form.a_lanes) ||
        !decode_lanes(d, 2, count, count, &form.b_lanes) || !destination(d, &in.d) ||
        !source(d, 1, &in.a) || !source(d, 2, &in.b) || !source(d, 3, &in.c)) {
        return false;
    }
    if (is_plain_difference(d, &form)) {
        return decode_emit(d, in, "%s%s_%s", name, form.second == SECOND_ADD ? "_add" : "",
                           form.a_signed ? "s32" : "u32") != NULL;
    }
    in.literal = video_pack(form);
    return decode_emit(d, in, "%s", name) != NULL;
}
