/* unroll_code.c - the code of an unrolled loop; unroll.c has the picture of it. */
#include "ptxas/unroll.h"

#include <stdio.h>

void unroll_append(struct unroller *u, const struct ptx_insn *text)
{
    u->insns =
        arena_grow(unroll_arena(u), u->insns, u->insn_count, &u->insn_capacity, sizeof *u->insns);
    u->insns[u->insn_count++] = (struct ir_insn){.text = text};
}

void unroll_append_same(struct unroller *u, uint32_t insn)
{
    unroll_append(u, unroll_text(u->ir, insn));
    u->insns[u->insn_count - 1].product_before = u->ir->insns[insn].product_before;
}

void unroll_append_label(struct unroller *u, const char *name)
{
    u->labels = arena_grow(unroll_arena(u), u->labels, u->label_count, &u->label_capacity,
                           sizeof *u->labels);
    u->labels[u->label_count++] = (struct ir_label){.name = name, .insn = u->insn_count};
}

/* An instruction of ours stands where `like` does in the source. */
static struct ptx_insn *append_new(struct unroller *u, const struct ptx_insn *like, enum ptx_op op,
                                   unsigned operands)
{
    struct ptx_insn *in = arena_alloc(unroll_arena(u), sizeof *in);
    *in = (struct ptx_insn){.op = op,
                            .op_name = op_table[op].text,
                            .operand_count = operands,
                            .loc = like->loc,
                            .text_line = like->text_line};
    in->operands = arena_alloc(unroll_arena(u), (operands + 1) * sizeof *in->operands);
    unroll_append(u, in);
    return in;
}

static struct ptx_modifier type_word(enum ptx_type type)
{
    return (struct ptx_modifier){WORD_OTHER, type, ptx_type_name(type)};
}

static void set_modifiers(struct unroller *u, struct ptx_insn *in, struct ptx_modifier a,
                          struct ptx_modifier b)
{
    struct ptx_modifier *modifiers = arena_alloc(unroll_arena(u), 2 * sizeof *modifiers);
    modifiers[0] = a;
    modifiers[1] = b;
    in->modifiers = modifiers;
    in->modifier_count = b.text != NULL ? 2 : 1;
}

static struct ptx_operand integer(int64_t value)
{
    return (struct ptx_operand){
        .kind = PTX_OPERAND_INT, .reg = PTX_NO_REG, .bits = (uint64_t)value};
}

/* The counter, or what it is compared with, as a number of 64 bits: in `room`, if that takes code.
 */
static struct ptx_operand widened(struct unroller *u, const struct counted_loop *loop,
                                  struct ptx_operand from, struct ptx_operand room)
{
    if (ptx_type_bytes(loop->type) == 8) {
        return from;
    }
    if (from.kind == PTX_OPERAND_INT) {
        return integer(loop->type == PTX_U32 ? (int64_t)(uint32_t)from.bits
                                             : (int64_t)(int32_t)from.bits);
    }
    struct ptx_insn *in = append_new(u, unroll_text(u->ir, loop->compare), PTX_OP_CVT, 2);
    set_modifiers(u, in, type_word(PTX_S64), type_word(loop->type));
    in->operands[0] = room;
    in->operands[1] = from;
    return room;
}

/* add.s64, sub.s64 or and.b64 to, a, b */
static void append_sum(struct unroller *u, const struct counted_loop *loop, enum ptx_op op,
                       struct ptx_operand to, struct ptx_operand a, struct ptx_operand b)
{
    struct ptx_insn *in = append_new(u, unroll_text(u->ir, loop->compare), op, 3);
    set_modifiers(u, in, type_word(op == PTX_OP_AND ? PTX_B64 : PTX_S64), (struct ptx_modifier){0});
    in->operands[0] = to;
    in->operands[1] = a;
    in->operands[2] = b;
}

/* setp.HOW.TYPE enough, a, b; if `also`, setp.HOW.and.TYPE enough, a, b, enough */
static void append_compare(struct unroller *u, const struct counted_loop *loop, enum ptx_word how,
                           struct ptx_operand a, struct ptx_operand b, bool also)
{
    struct ptx_insn *in =
        append_new(u, unroll_text(u->ir, loop->compare), PTX_OP_SETP, also ? 4 : 3);
    struct ptx_modifier *m = arena_alloc(unroll_arena(u), 3 * sizeof *m);
    const enum ptx_type type = loop->type == PTX_U64 ? PTX_U64 : PTX_S64;
    m[in->modifier_count++] = (struct ptx_modifier){how, PTX_NO_TYPE, ptx_word_text(how)};
    if (also) {
        m[in->modifier_count++] =
            (struct ptx_modifier){WORD_AND, PTX_NO_TYPE, ptx_word_text(WORD_AND)};
        in->operands[3] = u->enough;
    }
    m[in->modifier_count++] = type_word(type);
    in->modifiers = m;
    in->operands[0] = u->enough;
    in->operands[1] = a;
    in->operands[2] = b;
}

/* On which side of the bound the counter is while rounds are left. */
static enum ptx_word comparison(const struct unroller *u, const struct counted_loop *loop)
{
    const enum ptx_word how = unroll_text(u->ir, loop->compare)->modifiers[0].word;
    return how != WORD_NE ? how : loop->step > 0 ? WORD_LT : WORD_GT;
}

/* enough = "that many rounds more": the comparison, of where the counter will be. Of 32-bit
 * numbers, in 64 bits, where nothing overflows; of 64-bit ones, by how far it is from its bound. */
static void append_test(struct unroller *u, const struct counted_loop *loop, int more)
{
    const enum ptx_word how = comparison(u, loop);
    const struct ptx_operand count = widened(u, loop, loop->counter, u->wide_count);
    const int64_t way = loop->step * (more - loop->before);
    if (ptx_type_bytes(loop->type) == 4) {
        append_sum(u, loop, PTX_OP_ADD, u->wide_count, count, integer(way));
        const struct ptx_operand bound = widened(u, loop, loop->bound, u->wide_bound);
        append_compare(u, loop, how, u->wide_count, bound, false);
        return;
    }
    const struct ptx_operand bound = loop->bound;
    const bool up = loop->step > 0, equal = how == WORD_LE || how == WORD_GE;
    append_compare(u, loop, how, count, bound, false);
    append_sum(u, loop, PTX_OP_SUB, u->wide_count, up ? bound : count, up ? count : bound);
    append_compare(u, loop, equal ? WORD_GE : WORD_GT, u->wide_count, integer(up ? way : -way),
                   true);
}

static void append_branch(struct unroller *u, const struct counted_loop *loop,
                          struct ptx_operand guard, bool negated, const char *label)
{
    struct ptx_operand *own = arena_alloc(unroll_arena(u), sizeof *own);
    struct ptx_insn *in = append_new(u, unroll_text(u->ir, loop->last), PTX_OP_BRA, 1);
    *own = guard;
    own->negated = negated;
    in->guard = own;
    in->operands[0] =
        (struct ptx_operand){.kind = PTX_OPERAND_SYMBOL, .reg = PTX_NO_REG, .name = label};
}

/* The labels of the ifs in the loop, from the first one that `insn` or a later one has. */
static uint32_t label_from(const struct function_ir *ir, uint32_t insn)
{
    uint32_t low = 0, high = ir->label_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (ir->labels[middle].insn < insn) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Of a copy of the loop; the last one keeps the loop's own names. */
static const char *label_in_copy(struct unroller *u, const char *name)
{
    char text[200];
    if (u->copy == 0) {
        return name;
    }
    const int length = snprintf(text, sizeof text, "%.150s#%u.%u", name, u->loops, u->copy);
    return arena_strndup(unroll_arena(u), text, (size_t)length);
}

static void append_labels(struct unroller *u, const struct counted_loop *loop, uint32_t insn)
{
    const struct function_ir *ir = u->ir;
    for (uint32_t k = label_from(ir, insn); insn > loop->first && k < ir->label_count; k++) {
        if (ir->labels[k].insn != insn) {
            break;
        }
        unroll_append_label(u, label_in_copy(u, ir->labels[k].name));
    }
}

/* A branch within the loop leads to the label of its own copy. */
static void append_copy(struct unroller *u, uint32_t insn)
{
    const struct ptx_insn *text = unroll_text(u->ir, insn);
    if (text->op != PTX_OP_BRA || u->copy == 0) {
        unroll_append_same(u, insn);
        return;
    }
    struct ptx_insn *in = append_new(u, text, PTX_OP_BRA, 1);
    in->modifiers = text->modifiers;
    in->modifier_count = text->modifier_count;
    in->guard = text->guard;
    in->operands[0] = text->operands[0];
    in->operands[0].name = label_in_copy(u, text->operands[0].name);
}

static void append_body(struct unroller *u, const struct counted_loop *loop)
{
    for (uint32_t i = loop->first; i < loop->last; i++) {
        append_labels(u, loop, i);
        append_copy(u, i);
    }
    append_labels(u, loop, loop->last);
}

static void append_bodies(struct unroller *u, const struct counted_loop *loop, unsigned rounds)
{
    for (unsigned r = 0; r < rounds; r++) {
        u->copy++;
        append_body(u, loop);
    }
}

static const char *new_label(struct unroller *u, const struct counted_loop *loop, const char *part)
{
    char name[200];
    int length = snprintf(name, sizeof name, "%.150s#%s%u", loop->label, part, u->loops);
    return arena_strndup(unroll_arena(u), name, (size_t)length);
}

/* Of unsigned numbers ptxas does not know that the counter is below its bound: lanes where it is
 * not go their one round first, apart from the others, and then p says that they are done. */
static void append_peeled_round(struct unroller *u, const struct counted_loop *loop)
{
    const char *go = new_label(u, loop, "go");
    const struct ptx_operand count = widened(u, loop, loop->counter, u->wide_count);
    const struct ptx_operand bound = widened(u, loop, loop->bound, u->wide_bound);
    append_compare(u, loop, loop->step > 0 ? WORD_LT : WORD_GT, count, bound, false);
    append_branch(u, loop, u->enough, false, go);
    append_bodies(u, loop, 1);
    unroll_append_label(u, go);
}

/* while (so many rounds are left) { so many rounds } */
static void append_rounds(struct unroller *u, const struct counted_loop *loop, unsigned rounds,
                          bool once, const char *part)
{
    const char *again = new_label(u, loop, part);
    char name[16];
    snprintf(name, sizeof name, "no_%s", part);
    const char *next = new_label(u, loop, name);
    append_test(u, loop, (int)rounds - 1);
    append_branch(u, loop, u->enough, true, next);
    unroll_append_label(u, again);
    append_bodies(u, loop, rounds);
    if (!once) {
        append_test(u, loop, (int)rounds - 1);
        append_branch(u, loop, u->enough, false, again);
    }
    unroll_append_label(u, next);
}

/* enough = the rounds that are left are no multiple of four; of a loop whose step is 1 or -1 */
static void append_rest_test(struct unroller *u, const struct counted_loop *loop)
{
    enum { FOURS = 3 };
    const struct ptx_operand count = widened(u, loop, loop->counter, u->wide_count);
    const struct ptx_operand bound = widened(u, loop, loop->bound, u->wide_bound);
    const enum ptx_word how = comparison(u, loop);
    const bool up = loop->step > 0, equal = how == WORD_LE || how == WORD_GE;
    append_sum(u, loop, PTX_OP_SUB, u->wide_count, up ? bound : count, up ? count : bound);
    append_sum(u, loop, PTX_OP_ADD, u->wide_count, u->wide_count, integer(equal + loop->before));
    append_sum(u, loop, PTX_OP_AND, u->wide_count, u->wide_count, integer(FOURS));
    append_compare(u, loop, WORD_NE, u->wide_count, integer(0), false);
}

/* while (the rounds left are no multiple of four) { one round } */
static void append_rest_first(struct unroller *u, const struct counted_loop *loop)
{
    const char *again = new_label(u, loop, "odd"), *next = new_label(u, loop, "even");
    append_rest_test(u, loop);
    append_branch(u, loop, u->enough, true, next);
    unroll_append_label(u, again);
    append_bodies(u, loop, 1);
    append_branch(u, loop, *unroll_text(u->ir, loop->last)->guard, true, next);
    append_rest_test(u, loop);
    append_branch(u, loop, u->enough, false, again);
    unroll_append_label(u, next);
}

/* The rounds that are left over, one by one, and where the loop ends. */
static void append_last_rounds(struct unroller *u, const struct counted_loop *loop,
                               struct ptx_operand again, const char *rest, const char *behind)
{
    unroll_append_label(u, rest);
    u->copy = 0;
    append_body(u, loop);
    append_branch(u, loop, again, false, rest);
    unroll_append_label(u, behind);
    u->loops++;
}

/* nvcc's loop of four rounds, which ptxas unrolls as it does any other, and the rest. */
static void append_by_four(struct unroller *u, const struct counted_loop *loop)
{
    const struct ptx_operand p = *unroll_text(u->ir, loop->last)->guard;
    const char *rest = new_label(u, loop, "rest"), *behind = new_label(u, loop, "behind");
    if (loop->rest_first) {
        append_rest_first(u, loop);
        append_branch(u, loop, p, true, behind);
    }
    if (loop->fours_fit) {
        append_rounds(u, loop, 16, false, "sixteen");
        append_rounds(u, loop, 8, true, "eight");
    }
    append_rounds(u, loop, 4, false, "four");
    append_branch(u, loop, p, true, behind);
    append_last_rounds(u, loop, p, rest, behind);
}

void unroll_append_loop(struct unroller *u, const struct counted_loop *loop)
{
    const struct ptx_insn *compare = unroll_text(u->ir, loop->compare);
    const struct ptx_operand p = *unroll_text(u->ir, loop->last)->guard, q = u->enough;
    const char *four = new_label(u, loop, "four"), *two = new_label(u, loop, "two"),
               *one = new_label(u, loop, "one"), *rest = new_label(u, loop, "rest"),
               *behind = new_label(u, loop, "behind");
    struct ptx_insn *yes = append_new(u, compare, PTX_OP_MOV, 2);
    set_modifiers(u, yes, type_word(PTX_PRED), (struct ptx_modifier){0});
    yes->operands[0] = compare->operands[0];
    yes->operands[1] = integer(1);
    if (unroll_is_unsigned(loop->type) && !loop->before) {
        append_peeled_round(u, loop);
    }
    if (loop->by_four) {
        append_by_four(u, loop);
        return;
    }
    append_test(u, loop, 3);
    append_branch(u, loop, q, true, two);
    unroll_append_label(u, four);
    append_bodies(u, loop, 4);
    append_test(u, loop, 3);
    append_branch(u, loop, q, false, four);
    unroll_append_label(u, two);
    append_test(u, loop, 1);
    append_branch(u, loop, q, true, one);
    append_bodies(u, loop, 2);
    unroll_append_label(u, one);
    append_branch(u, loop, p, true, behind);
    append_last_rounds(u, loop, p, rest, behind);
}
