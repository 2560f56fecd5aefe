/* decode_unroll.c - loops that ptxas unrolls, because a GPU counts what it makes of them.
 *
 * Where lanes go round a loop different numbers of times, unrolling shows in the counts: ptxas runs
 * four rounds at a time for the lanes that have four left, then two for those that have two, then
 * one, and the lanes wait for each other between:
 *
 *     L: body; c += step;             L:  p = true; q = c has four rounds left; @!q bra L2;
 *        p = c before the end;        L4: body; body; body; body; q = four left; @q bra L4;
 *        @p bra L;                    L2: q = two left; @!q bra L1; body; body;
 *                                     L1: @!p bra X;
 *                                     LL: body; @p bra LL;
 *                                     X:
 *
 * Results are the same for any loop of this form, and counts differ only where lanes differ. Which
 * loops ptxas 13.0 unrolls was found from what it makes of 250 of them; tests/fidelity/README.md
 * has the rules. */
#include "decode/decoder.h"
#include "decode/uniform.h"

#include <stdio.h>
#include <string.h>

enum { MOST_INSNS = 44, MOST_ACCESSES = 12, COMPILER_ROUNDS = 4 };

/* for (...; c COMPARE bound; c += step), with one basic block */
struct counted_loop {
    unsigned first, last; /* instructions, the branch included */
    const char *label;
    const struct ptx_insn *add, *compare;
    int64_t step;
};

struct unroller {
    struct decoder *d;
    const struct ptx_func *f; /* as it was */
    struct ptx_func *out;
    unsigned insn_capacity, label_capacity, loops;
    struct ptx_operand wide_count, wide_bound, enough; /* registers of our own */
};

/* --- which loops ----------------------------------------------------------------------------- */

/* The only instruction of the loop that writes the register, if it has no guard. */
static const struct ptx_insn *writer_in(const struct ptx_func *f, const struct counted_loop *loop,
                                        const char *name)
{
    const struct ptx_insn *found = NULL;
    for (unsigned i = loop->first; i < loop->last; i++) {
        if (writes_register(&f->insns[i], name)) {
            if (found != NULL || f->insns[i].guard != NULL) {
                return NULL;
            }
            found = &f->insns[i];
        }
    }
    return found;
}

static bool is_register(const struct ptx_operand *o, const char *name)
{
    return o->kind == PTX_OPERAND_REG && !o->negated && strcmp(o->name, name) == 0;
}

/* What is left as it is: code that becomes several basic blocks, waits for other lanes, or accesses
 * other memory than global. */
static bool may_be_repeated(const struct ptx_insn *in, unsigned *accesses)
{
    switch (in->op) {
    case PTX_OP_LD:
    case PTX_OP_ST:
        ++*accesses;
        return ptx_has_modifier(in, "global");
    case PTX_OP_DIV:
    case PTX_OP_RCP:
    case PTX_OP_SQRT:
        return ptx_has_modifier(in, "approx") || ptx_has_modifier(in, "full");
    case PTX_OP_ABS:
    case PTX_OP_ADD:
    case PTX_OP_AND:
    case PTX_OP_BFE:
    case PTX_OP_CVT:
    case PTX_OP_CVTA:
    case PTX_OP_EX2:
    case PTX_OP_FMA:
    case PTX_OP_LG2:
    case PTX_OP_MAD:
    case PTX_OP_MAX:
    case PTX_OP_MIN:
    case PTX_OP_MOV:
    case PTX_OP_MUL:
    case PTX_OP_NEG:
    case PTX_OP_NOT:
    case PTX_OP_OR:
    case PTX_OP_PRMT:
    case PTX_OP_RSQRT:
    case PTX_OP_SELP:
    case PTX_OP_SETP:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_SUB:
    case PTX_OP_XOR:
        return true;
    default:
        return false;
    }
}

static bool body_may_be_repeated(const struct ptx_func *f, const struct counted_loop *loop)
{
    unsigned accesses = 0;
    for (unsigned i = loop->first; i < loop->last; i++) {
        if (!may_be_repeated(&f->insns[i], &accesses)) {
            return false;
        }
    }
    return loop->last - loop->first < MOST_INSNS && accesses > 0 && accesses <= MOST_ACCESSES;
}

static bool mentions(const struct ptx_insn *in, const char *name)
{
    bool found = in->guard != NULL && strcmp(in->guard, name) == 0;
    for (unsigned i = 0; i < in->operand_count; i++) {
        found |= in->operands[i].name != NULL && strcmp(in->operands[i].name, name) == 0;
    }
    return found;
}

/* setp.COMPARE.s32 p, c, bound: the counter against a value that the loop does not change. */
static bool find_compare(const struct ptx_func *f, struct counted_loop *loop)
{
    const char *p = f->insns[loop->last].guard;
    const struct ptx_insn *in = loop->compare = writer_in(f, loop, p);
    if (in == NULL || in->op != PTX_OP_SETP || in->modifier_count != 2 || in->operand_count != 3 ||
        strcmp(in->modifiers[1], "s32") != 0 || !is_register(&in->operands[0], p) ||
        in->operands[1].kind != PTX_OPERAND_REG) {
        return false;
    }
    for (unsigned i = loop->first; i < loop->last; i++) {
        if (&f->insns[i] != in && mentions(&f->insns[i], p)) {
            return false;
        }
        if (in->operands[2].kind == PTX_OPERAND_REG &&
            writes_register(&f->insns[i], in->operands[2].name)) {
            return false;
        }
    }
    return in->operands[2].kind == PTX_OPERAND_REG || in->operands[2].kind == PTX_OPERAND_INT;
}

/* add.s32 c, c, step in front of the comparison. */
static bool find_step(const struct ptx_func *f, struct counted_loop *loop)
{
    const char *c = loop->compare->operands[1].name;
    const struct ptx_insn *in = loop->add = writer_in(f, loop, c);
    if (in == NULL || in > loop->compare || in->op != PTX_OP_ADD || in->modifier_count != 1 ||
        strcmp(in->modifiers[0], "s32") != 0 || !is_register(&in->operands[1], c) ||
        in->operands[2].kind != PTX_OPERAND_INT) {
        return false;
    }
    loop->step = (int32_t)in->operands[2].bits;
    if (loop->step % COMPILER_ROUNDS != 0) {
        return false; /* the compiler has not unrolled it, and had its reasons */
    }
    const char *how = loop->compare->modifiers[0];
    bool up = strcmp(how, "lt") == 0 || strcmp(how, "le") == 0;
    bool down = strcmp(how, "gt") == 0 || strcmp(how, "ge") == 0;
    return (up && loop->step > 0) || (down && loop->step < 0) ||
           (strcmp(how, "ne") == 0 && loop->step != 0);
}

/* Are there the same number of rounds for all lanes, as far as can be seen? */
static bool is_even(struct unroller *u, const struct counted_loop *loop)
{
    const char *c = loop->compare->operands[1].name;
    if (!is_uniform(u->d, &loop->compare->operands[2])) {
        return false;
    }
    for (unsigned i = 0; i < u->f->insn_count; i++) {
        const struct ptx_insn *in = &u->f->insns[i];
        if (!writes_register(in, c) || in == loop->add) {
            continue;
        }
        for (unsigned k = 1; k < in->operand_count; k++) {
            if (in->op == PTX_OP_LD || !is_uniform(u->d, &in->operands[k])) {
                return false;
            }
        }
    }
    return true;
}

static bool is_target(const struct ptx_func *f, const char *label)
{
    for (unsigned i = 0; i < f->insn_count; i++) {
        const struct ptx_insn *in = &f->insns[i];
        if (in->op == PTX_OP_BRA && in->operand_count > 0 && in->operands[0].name != NULL &&
            strcmp(in->operands[0].name, label) == 0) {
            return true;
        }
    }
    return f->target_count > 0;
}

static bool is_one_block(const struct ptx_func *f, const struct counted_loop *loop)
{
    for (unsigned i = 0; i < f->label_count; i++) {
        unsigned at = f->labels[i].insn;
        if (at > loop->first && at <= loop->last && is_target(f, f->labels[i].name)) {
            return false;
        }
    }
    return true;
}

/* Is instruction `last` the end of such a loop? */
static bool find_loop(struct unroller *u, unsigned last, struct counted_loop *loop)
{
    const struct ptx_func *f = u->f;
    const struct ptx_insn *in = &f->insns[last];
    if (in->op != PTX_OP_BRA || in->guard == NULL || in->guard_negated || in->operand_count != 1) {
        return false;
    }
    const struct ptx_label *label = find_label(f, in->operands[0].name);
    if (label == NULL || label->insn >= last || label->no_unroll) {
        return false;
    }
    *loop = (struct counted_loop){.first = label->insn, .last = last, .label = label->name};
    return body_may_be_repeated(f, loop) && is_one_block(f, loop) && find_compare(f, loop) &&
           find_step(f, loop) && !is_even(u, loop);
}

/* --- the new code ---------------------------------------------------------------------------- */

static struct ptx_insn *append(struct unroller *u, const struct ptx_insn *in)
{
    struct ptx_func *o = u->out;
    o->insns =
        arena_grow(&u->d->k->arena, o->insns, o->insn_count, &u->insn_capacity, sizeof *o->insns);
    o->insns[o->insn_count] = *in;
    return &o->insns[o->insn_count++];
}

static void append_label(struct unroller *u, const char *name)
{
    struct ptx_func *o = u->out;
    o->labels = arena_grow(&u->d->k->arena, o->labels, o->label_count, &u->label_capacity,
                           sizeof *o->labels);
    o->labels[o->label_count++] = (struct ptx_label){.name = name, .insn = o->insn_count};
}

/* An instruction of ours stands where `like` does in the source. */
static struct ptx_insn *append_new(struct unroller *u, const struct ptx_insn *like, enum ptx_op op,
                                   unsigned operands)
{
    struct ptx_insn in = {.op = op,
                          .op_name = ptx_op_name(op),
                          .operand_count = operands,
                          .loc = like->loc,
                          .text_line = like->text_line};
    in.operands = arena_alloc(&u->d->k->arena, (operands + 1) * sizeof *in.operands);
    return append(u, &in);
}

static void set_modifiers(struct unroller *u, struct ptx_insn *in, const char *a, const char *b)
{
    const char **modifiers = arena_alloc(&u->d->k->arena, 2 * sizeof *modifiers);
    modifiers[0] = a;
    modifiers[1] = b;
    in->modifiers = modifiers;
    in->modifier_count = b != NULL ? 2 : 1;
}

static void append_wide(struct unroller *u, const struct ptx_insn *like, struct ptx_operand to,
                        struct ptx_operand from)
{
    struct ptx_insn *in = append_new(u, like, PTX_OP_CVT, 2);
    set_modifiers(u, in, "s64", "s32");
    in->operands[0] = to;
    in->operands[1] = from;
}

/* enough = "that many rounds more": the comparison, of where the counter will be. In 64 bits
 * nothing overflows. */
static void append_test(struct unroller *u, const struct counted_loop *loop, int more)
{
    const struct ptx_insn *c = loop->compare;
    const bool exact = strcmp(c->modifiers[0], "ne") == 0;
    struct ptx_operand bound = c->operands[2];
    append_wide(u, c, u->wide_count, c->operands[1]);
    struct ptx_insn *add = append_new(u, c, PTX_OP_ADD, 3);
    set_modifiers(u, add, "s64", NULL);
    add->operands[0] = add->operands[1] = u->wide_count;
    add->operands[2] =
        (struct ptx_operand){.kind = PTX_OPERAND_INT, .bits = (uint64_t)(loop->step * more)};
    if (bound.kind == PTX_OPERAND_REG) {
        append_wide(u, c, u->wide_bound, bound);
        bound = u->wide_bound;
    } else {
        bound.bits = (uint64_t)(int64_t)(int32_t)bound.bits;
    }
    struct ptx_insn *test = append_new(u, c, PTX_OP_SETP, 3);
    set_modifiers(u, test, !exact ? c->modifiers[0] : loop->step > 0 ? "lt" : "gt", "s64");
    test->operands[0] = u->enough;
    test->operands[1] = u->wide_count;
    test->operands[2] = bound;
}

static void append_branch(struct unroller *u, const struct counted_loop *loop, const char *guard,
                          bool negated, const char *label)
{
    struct ptx_insn *in = append_new(u, &u->f->insns[loop->last], PTX_OP_BRA, 1);
    in->guard = guard;
    in->guard_negated = negated;
    in->operands[0] = (struct ptx_operand){.kind = PTX_OPERAND_SYMBOL, .name = label};
}

static void append_bodies(struct unroller *u, const struct counted_loop *loop, unsigned rounds)
{
    for (unsigned r = 0; r < rounds; r++) {
        for (unsigned i = loop->first; i < loop->last; i++) {
            append(u, &u->f->insns[i]);
        }
    }
}

static const char *new_label(struct unroller *u, const struct counted_loop *loop, const char *part)
{
    char name[200];
    int length = snprintf(name, sizeof name, "%.150s#%s%u", loop->label, part, u->loops);
    return arena_strndup(&u->d->k->arena, name, (size_t)length);
}

static void append_unrolled(struct unroller *u, const struct counted_loop *loop)
{
    const char *p = u->f->insns[loop->last].guard, *q = u->enough.name;
    const char *four = new_label(u, loop, "four"), *two = new_label(u, loop, "two"),
               *one = new_label(u, loop, "one"), *rest = new_label(u, loop, "rest"),
               *behind = new_label(u, loop, "behind");
    struct ptx_insn *yes = append_new(u, loop->compare, PTX_OP_MOV, 2);
    set_modifiers(u, yes, "pred", NULL);
    yes->operands[0] = loop->compare->operands[0];
    yes->operands[1] = (struct ptx_operand){.kind = PTX_OPERAND_INT, .bits = 1};
    append_test(u, loop, 3);
    append_branch(u, loop, q, true, two);
    append_label(u, four);
    append_bodies(u, loop, 4);
    append_test(u, loop, 3);
    append_branch(u, loop, q, false, four);
    append_label(u, two);
    append_test(u, loop, 1);
    append_branch(u, loop, q, true, one);
    append_bodies(u, loop, 2);
    append_label(u, one);
    append_branch(u, loop, p, true, behind);
    append_label(u, rest);
    append_bodies(u, loop, 1);
    append_branch(u, loop, p, false, rest);
    append_label(u, behind);
    u->loops++;
}

/* --- the function ---------------------------------------------------------------------------- */

static struct ptx_operand new_register(struct unroller *u, const char *name, enum ptx_type type)
{
    struct ptx_func *o = u->out;
    struct decoder *d = u->d;
    o->regs[o->reg_count] = (struct ptx_reg){.name = name, .type = type};
    d->slots[o->reg_count] = arena_alloc(&d->scratch, sizeof **d->slots);
    *d->slots[o->reg_count] = NO_REF;
    add_symbol(d, name, (struct symbol){SYMBOL_REG, o->reg_count, 0, 0});
    o->reg_count++;
    return (struct ptx_operand){.kind = PTX_OPERAND_REG, .name = name};
}

static void begin_copy(struct unroller *u)
{
    struct arena *a = &u->d->k->arena;
    u->out = arena_alloc(a, sizeof *u->out);
    *u->out = *u->f;
    u->out->insns = NULL;
    u->out->labels = NULL;
    u->out->insn_count = u->out->label_count = 0;
    u->out->regs = arena_alloc(a, (u->f->reg_count + UNROLL_REGISTERS) * sizeof *u->out->regs);
    if (u->f->reg_count > 0) {
        memcpy(u->out->regs, u->f->regs, u->f->reg_count * sizeof *u->out->regs);
    }
    u->wide_count = new_register(u, "%unroll.count", PTX_S64);
    u->wide_bound = new_register(u, "%unroll.bound", PTX_S64);
    u->enough = new_register(u, "%unroll.enough", PTX_PRED);
}

static void copy_labels(struct unroller *u, unsigned insn)
{
    for (unsigned i = 0; i < u->f->label_count; i++) {
        if (u->f->labels[i].insn == insn) {
            append_label(u, u->f->labels[i].name);
        }
    }
}

void unroll_loops(struct decoder *d)
{
    struct unroller u = {.d = d, .f = d->f};
    struct counted_loop *loops = NULL;
    unsigned count = 0, capacity = 0, next = 0;
    for (unsigned i = 0; i < d->f->insn_count; i++) {
        struct counted_loop loop;
        if (find_loop(&u, i, &loop)) {
            loops = arena_grow(&d->scratch, loops, count, &capacity, sizeof *loops);
            loops[count++] = loop;
        }
    }
    if (count == 0) {
        return;
    }
    begin_copy(&u);
    for (unsigned i = 0; i < u.f->insn_count; i++) {
        copy_labels(&u, i);
        if (next < count && loops[next].first == i) {
            append_unrolled(&u, &loops[next]);
            i = loops[next++].last;
        } else {
            append(&u, &u.f->insns[i]);
        }
    }
    copy_labels(&u, u.f->insn_count);
    d->f = u.out;
}
