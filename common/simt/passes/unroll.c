/* unroll.c - loops that ptxas unrolls, because a GPU counts what it makes of them.
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
#include "passes/passes.h"

#include <stdio.h>
#include <string.h>

/* From the loops that ptxas 13.0 leaves alone: what its own limits are is not told anywhere. */
enum { MOST_INSNS = 44, MOST_ACCESSES = 12 };
/* nvcc has unrolled what it can four times already; a loop that it has left as it was is left by
 * ptxas. */
enum { COMPILER_ROUNDS = 4 };

/* for (...; c COMPARE bound; c += step), with one basic block */
struct counted_loop {
    uint32_t first, last; /* instructions, the branch included */
    const char *label;
    uint32_t add, compare;
    enum ptx_type type; /* that the comparison is made in */
    int64_t step;
};

struct unroller {
    struct function_ir *ir; /* as it was, until all is appended */
    struct ir_insn *insns;
    struct ir_label *labels;
    uint32_t insn_count, label_count;
    unsigned insn_capacity, label_capacity, loops;
    struct ptx_operand wide_count, wide_bound, enough; /* registers of our own */
};

/* --- which loops ----------------------------------------------------------------------------- */

static const struct ptx_insn *text_of(const struct function_ir *ir, uint32_t insn)
{
    return ir->insns[insn].text;
}

/* The only instruction of the loop that writes the register, if it has no guard; else IR_NONE. */
static uint32_t writer_in(const struct function_ir *ir, const struct counted_loop *loop,
                          uint32_t reg)
{
    uint32_t found = IR_NONE;
    for (uint32_t i = loop->first; i < loop->last; i++) {
        if (ir_writes(ir, i, reg)) {
            if (found != IR_NONE || text_of(ir, i)->guard != NULL) {
                return IR_NONE;
            }
            found = i;
        }
    }
    return found;
}

static bool is_register(const struct ptx_operand *o, uint32_t reg)
{
    return o->kind == PTX_OPERAND_REG && !o->negated && o->reg == reg;
}

/* What is left as it is: code that becomes several basic blocks, waits for other lanes, stores to
 * other memory than global, or loads from other than that and shared. */
static bool may_be_repeated(const struct ptx_insn *in)
{
    if (op_table[in->op].memory != MEMORY_NONE) {
        enum ptx_space space = ir_access_of(in).space;
        bool loads = op_table[in->op].memory == MEMORY_READS;
        if (space != PTX_GLOBAL && !(loads && space == PTX_SHARED)) {
            return false;
        }
    }
    bool fast = ptx_has_modifier(in, WORD_APPROX) || ptx_has_modifier(in, WORD_FULL);
    return op_is(in->op, OP_REPEATS) || (fast && op_is(in->op, OP_REPEATS_APPROX));
}

/* Is the address a register that the loop leaves alone, or only adds numbers to? */
static bool is_direct(const struct function_ir *ir, const struct counted_loop *loop, uint32_t insn)
{
    const struct ptx_operand *address = ir_access_of(text_of(ir, insn)).address;
    if (address == NULL || address->reg == PTX_NO_REG) {
        return address != NULL;
    }
    const struct ir_reg *r = &ir->regs[address->reg];
    for (uint32_t w = 0; w < r->writer_count; w++) {
        const uint32_t writer = ir->writers[r->first_writer + w];
        const struct ptx_insn *in = text_of(ir, writer);
        if (writer >= loop->first && writer < loop->last &&
            (in->op != PTX_OP_ADD || !is_register(&in->operands[1], address->reg) ||
             in->operands[2].kind != PTX_OPERAND_INT)) {
            return false;
        }
    }
    return true;
}

/* A loop that stores is unrolled only if all of its addresses are direct. */
static bool stores_are_direct(const struct function_ir *ir, const struct counted_loop *loop)
{
    bool stores = false, direct = true;
    for (uint32_t i = loop->first; i < loop->last; i++) {
        if (ir_info(ir, i)->class == CLASS_MEMORY) {
            stores |= ir_info(ir, i)->memory == MEMORY_WRITES;
            direct &= is_direct(ir, loop, i);
        }
    }
    return direct || !stores;
}

static bool body_may_be_repeated(const struct function_ir *ir, const struct counted_loop *loop)
{
    unsigned accesses = 0;
    if (loop->last - loop->first >= MOST_INSNS) {
        return false;
    }
    for (uint32_t i = loop->first; i < loop->last; i++) {
        accesses += ir_info(ir, i)->class == CLASS_MEMORY;
        if (!may_be_repeated(text_of(ir, i))) {
            return false;
        }
    }
    return accesses > 0 && accesses <= MOST_ACCESSES && stores_are_direct(ir, loop);
}

static bool refers_to(const struct function_ir *ir, uint32_t insn, uint32_t reg)
{
    struct ir_regs r = ir_read(ir, insn);
    for (unsigned k = 0; k < r.count; k++) {
        if (r.reg[k] == reg) {
            return true;
        }
    }
    return ir_writes(ir, insn, reg);
}

static bool is_counted(enum ptx_type t)
{
    return t == PTX_S32 || t == PTX_U32 || t == PTX_S64 || t == PTX_U64;
}

static bool is_unsigned(enum ptx_type t) { return t == PTX_U32 || t == PTX_U64; }

/* setp.COMPARE.TYPE p, c, bound: the counter against a value that the loop does not change. */
static bool find_compare(const struct function_ir *ir, struct counted_loop *loop)
{
    const uint32_t p = text_of(ir, loop->last)->guard->reg;
    loop->compare = p == PTX_NO_REG ? IR_NONE : writer_in(ir, loop, p);
    if (loop->compare == IR_NONE) {
        return false;
    }
    const struct ptx_insn *in = text_of(ir, loop->compare);
    loop->type = in->modifier_count == 2 ? in->modifiers[1].type : PTX_NO_TYPE;
    if (in->op != PTX_OP_SETP || !is_counted(loop->type) || in->operand_count != 3 ||
        !is_register(&in->operands[0], p) || in->operands[1].kind != PTX_OPERAND_REG ||
        in->operands[1].reg == PTX_NO_REG) {
        return false;
    }
    const struct ptx_operand *bound = &in->operands[2];
    for (uint32_t i = loop->first; i < loop->last; i++) {
        if ((i != loop->compare && refers_to(ir, i, p)) ||
            (bound->kind == PTX_OPERAND_REG && ir_writes(ir, i, bound->reg))) {
            return false;
        }
    }
    return bound->kind == PTX_OPERAND_REG || bound->kind == PTX_OPERAND_INT;
}

/* add.s32 c, c, step in front of the comparison. */
static bool find_step(const struct function_ir *ir, struct counted_loop *loop)
{
    const struct ptx_insn *compare = text_of(ir, loop->compare);
    const uint32_t c = compare->operands[1].reg;
    loop->add = writer_in(ir, loop, c);
    if (loop->add == IR_NONE || loop->add > loop->compare) {
        return false;
    }
    const struct ptx_insn *in = text_of(ir, loop->add);
    if (in->op != PTX_OP_ADD || in->modifier_count != 1 || !is_counted(in->modifiers[0].type) ||
        ptx_type_bytes(in->modifiers[0].type) != ptx_type_bytes(loop->type) ||
        !is_register(&in->operands[1], c) || in->operands[2].kind != PTX_OPERAND_INT) {
        return false;
    }
    loop->step = ptx_type_bytes(loop->type) == 8 ? (int64_t)in->operands[2].bits
                                                 : (int32_t)in->operands[2].bits;
    if (!is_unsigned(loop->type) && loop->step % COMPILER_ROUNDS != 0) {
        return false; /* the compiler has not unrolled it, and had its reasons */
    }
    switch (compare->modifiers[0].word) {
    case WORD_LT:
    case WORD_LE:
        return loop->step > 0;
    case WORD_GT:
    case WORD_GE:
        return loop->step < 0;
    default:
        return compare->modifiers[0].word == WORD_NE && loop->step != 0;
    }
}

/* Are there the same number of rounds for all lanes, as far as can be seen? */
static bool is_even(const struct function_ir *ir, const struct counted_loop *loop)
{
    const struct ptx_insn *compare = text_of(ir, loop->compare);
    const struct ir_reg *c = &ir->regs[compare->operands[1].reg];
    if (!ir_is_uniform(ir, &compare->operands[2])) {
        return false;
    }
    for (uint32_t w = 0; w < c->writer_count; w++) {
        const uint32_t i = ir->writers[c->first_writer + w];
        const struct ptx_insn *in = text_of(ir, i);
        for (unsigned k = 1; i != loop->add && k < in->operand_count; k++) {
            if (ir_info(ir, i)->memory != MEMORY_NONE || !ir_is_uniform(ir, &in->operands[k])) {
                return false;
            }
        }
    }
    return true;
}

static const struct ir_label *label_of(const struct function_ir *ir, const char *name)
{
    unsigned index;
    return name != NULL && names_find(&ir->label_of, name, &index) ? &ir->labels[index] : NULL;
}

/* Is instruction `last` the end of such a loop? */
static bool find_loop(const struct function_ir *ir, uint32_t last, struct counted_loop *loop)
{
    const struct ptx_insn *in = text_of(ir, last);
    if (in->op != PTX_OP_BRA || in->guard == NULL || in->guard->negated) {
        return false;
    }
    const struct ir_label *label = label_of(ir, in->operands[0].name);
    const uint32_t block = ir->insns[last].block;
    if (label == NULL || label->insn >= last || label->no_unroll ||
        label->insn != ir->blocks[block].first) {
        return false;
    }
    *loop = (struct counted_loop){.first = label->insn, .last = last, .label = label->name};
    return body_may_be_repeated(ir, loop) && find_compare(ir, loop) && find_step(ir, loop) &&
           !is_even(ir, loop);
}

/* --- the new code ---------------------------------------------------------------------------- */

static struct arena *arena_of(const struct unroller *u) { return u->ir->context->keep; }

static void append(struct unroller *u, const struct ptx_insn *text)
{
    u->insns =
        arena_grow(arena_of(u), u->insns, u->insn_count, &u->insn_capacity, sizeof *u->insns);
    u->insns[u->insn_count++] = (struct ir_insn){.text = text};
}

static void append_label(struct unroller *u, const char *name)
{
    u->labels =
        arena_grow(arena_of(u), u->labels, u->label_count, &u->label_capacity, sizeof *u->labels);
    u->labels[u->label_count++] = (struct ir_label){.name = name, .insn = u->insn_count};
}

/* An instruction of ours stands where `like` does in the source. */
static struct ptx_insn *append_new(struct unroller *u, const struct ptx_insn *like, enum ptx_op op,
                                   unsigned operands)
{
    struct ptx_insn *in = arena_alloc(arena_of(u), sizeof *in);
    *in = (struct ptx_insn){.op = op,
                            .op_name = op_table[op].text,
                            .operand_count = operands,
                            .loc = like->loc,
                            .text_line = like->text_line};
    in->operands = arena_alloc(arena_of(u), (operands + 1) * sizeof *in->operands);
    append(u, in);
    return in;
}

static struct ptx_modifier type_word(enum ptx_type type)
{
    return (struct ptx_modifier){WORD_OTHER, type, ptx_type_name(type)};
}

static void set_modifiers(struct unroller *u, struct ptx_insn *in, struct ptx_modifier a,
                          struct ptx_modifier b)
{
    struct ptx_modifier *modifiers = arena_alloc(arena_of(u), 2 * sizeof *modifiers);
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
    struct ptx_insn *in = append_new(u, text_of(u->ir, loop->compare), PTX_OP_CVT, 2);
    set_modifiers(u, in, type_word(PTX_S64), type_word(loop->type));
    in->operands[0] = room;
    in->operands[1] = from;
    return room;
}

/* add.s64 or sub.s64 to, a, b */
static void append_sum(struct unroller *u, const struct counted_loop *loop, enum ptx_op op,
                       struct ptx_operand to, struct ptx_operand a, struct ptx_operand b)
{
    struct ptx_insn *in = append_new(u, text_of(u->ir, loop->compare), op, 3);
    set_modifiers(u, in, type_word(PTX_S64), (struct ptx_modifier){0});
    in->operands[0] = to;
    in->operands[1] = a;
    in->operands[2] = b;
}

/* setp.HOW.TYPE enough, a, b; if `also`, setp.HOW.and.TYPE enough, a, b, enough */
static void append_compare(struct unroller *u, const struct counted_loop *loop, enum ptx_word how,
                           struct ptx_operand a, struct ptx_operand b, bool also)
{
    struct ptx_insn *in = append_new(u, text_of(u->ir, loop->compare), PTX_OP_SETP, also ? 4 : 3);
    struct ptx_modifier *m = arena_alloc(arena_of(u), 3 * sizeof *m);
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
    const enum ptx_word how = text_of(u->ir, loop->compare)->modifiers[0].word;
    return how != WORD_NE ? how : loop->step > 0 ? WORD_LT : WORD_GT;
}

/* enough = "that many rounds more": the comparison, of where the counter will be. Of 32-bit
 * numbers, in 64 bits, where nothing overflows; of 64-bit ones, by how far it is from its bound. */
static void append_test(struct unroller *u, const struct counted_loop *loop, int more)
{
    const struct ptx_insn *c = text_of(u->ir, loop->compare);
    const enum ptx_word how = comparison(u, loop);
    const struct ptx_operand count = widened(u, loop, c->operands[1], u->wide_count);
    const int64_t way = loop->step * more;
    if (ptx_type_bytes(loop->type) == 4) {
        append_sum(u, loop, PTX_OP_ADD, u->wide_count, count, integer(way));
        const struct ptx_operand bound = widened(u, loop, c->operands[2], u->wide_bound);
        append_compare(u, loop, how, u->wide_count, bound, false);
        return;
    }
    const struct ptx_operand bound = c->operands[2];
    const bool up = loop->step > 0, equal = how == WORD_LE || how == WORD_GE;
    append_compare(u, loop, how, count, bound, false);
    append_sum(u, loop, PTX_OP_SUB, u->wide_count, up ? bound : count, up ? count : bound);
    append_compare(u, loop, equal ? WORD_GE : WORD_GT, u->wide_count, integer(up ? way : -way),
                   true);
}

static void append_branch(struct unroller *u, const struct counted_loop *loop,
                          struct ptx_operand guard, bool negated, const char *label)
{
    struct ptx_operand *own = arena_alloc(arena_of(u), sizeof *own);
    struct ptx_insn *in = append_new(u, text_of(u->ir, loop->last), PTX_OP_BRA, 1);
    *own = guard;
    own->negated = negated;
    in->guard = own;
    in->operands[0] =
        (struct ptx_operand){.kind = PTX_OPERAND_SYMBOL, .reg = PTX_NO_REG, .name = label};
}

static void append_bodies(struct unroller *u, const struct counted_loop *loop, unsigned rounds)
{
    for (unsigned r = 0; r < rounds; r++) {
        for (uint32_t i = loop->first; i < loop->last; i++) {
            append(u, text_of(u->ir, i));
        }
    }
}

static const char *new_label(struct unroller *u, const struct counted_loop *loop, const char *part)
{
    char name[200];
    int length = snprintf(name, sizeof name, "%.150s#%s%u", loop->label, part, u->loops);
    return arena_strndup(arena_of(u), name, (size_t)length);
}

/* Of unsigned numbers ptxas does not know that the counter is below its bound: lanes where it is
 * not go their one round first, apart from the others, and then p says that they are done. */
static void append_peeled_round(struct unroller *u, const struct counted_loop *loop)
{
    const struct ptx_insn *c = text_of(u->ir, loop->compare);
    const char *go = new_label(u, loop, "go");
    const struct ptx_operand count = widened(u, loop, c->operands[1], u->wide_count);
    const struct ptx_operand bound = widened(u, loop, c->operands[2], u->wide_bound);
    append_compare(u, loop, loop->step > 0 ? WORD_LT : WORD_GT, count, bound, false);
    append_branch(u, loop, u->enough, false, go);
    append_bodies(u, loop, 1);
    append_label(u, go);
}

static void append_unrolled(struct unroller *u, const struct counted_loop *loop)
{
    const struct ptx_insn *compare = text_of(u->ir, loop->compare);
    const struct ptx_operand p = *text_of(u->ir, loop->last)->guard, q = u->enough;
    const char *four = new_label(u, loop, "four"), *two = new_label(u, loop, "two"),
               *one = new_label(u, loop, "one"), *rest = new_label(u, loop, "rest"),
               *behind = new_label(u, loop, "behind");
    struct ptx_insn *yes = append_new(u, compare, PTX_OP_MOV, 2);
    set_modifiers(u, yes, type_word(PTX_PRED), (struct ptx_modifier){0});
    yes->operands[0] = compare->operands[0];
    yes->operands[1] = integer(1);
    if (is_unsigned(loop->type)) {
        append_peeled_round(u, loop);
    }
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

static struct ptx_operand new_register(struct function_ir *ir, const char *name, enum ptx_type type)
{
    ir->regs[ir->reg_count] = (struct ir_reg){.name = name, .type = type};
    return (struct ptx_operand){.kind = PTX_OPERAND_REG, .reg = ir->reg_count++, .name = name};
}

/* Every register keeps its number, and what is known of it; ours come behind them. */
static void add_registers(struct unroller *u)
{
    enum { OURS = 3 };
    struct function_ir *ir = u->ir;
    struct ir_reg *regs = arena_alloc(arena_of(u), (ir->reg_count + OURS) * sizeof *regs);
    bool *uniform = arena_alloc(arena_of(u), (ir->reg_count + OURS) * sizeof *uniform);
    memcpy(regs, ir->regs, ir->reg_count * sizeof *regs);
    memcpy(uniform, ir->uniform, ir->reg_count * sizeof *uniform);
    ir->regs = regs;
    ir->uniform = uniform;
    u->wide_count = new_register(ir, "%unroll.count", PTX_S64);
    u->wide_bound = new_register(ir, "%unroll.bound", PTX_S64);
    u->enough = new_register(ir, "%unroll.enough", PTX_PRED);
}

/* Labels stand in the order of the text; `next` is the first that has not been copied. */
static void copy_labels(struct unroller *u, uint32_t insn, uint32_t *next)
{
    for (; *next < u->ir->label_count && u->ir->labels[*next].insn <= insn; ++*next) {
        if (u->ir->labels[*next].insn == insn) {
            append_label(u, u->ir->labels[*next].name);
        }
    }
}

bool pass_unroll(struct function_ir *ir)
{
    struct unroller u = {.ir = ir};
    struct counted_loop *loops = NULL;
    unsigned count = 0, capacity = 0;
    uint32_t next = 0, next_label = 0;
    for (uint32_t b = 0; b + 1 < ir->block_count; b++) { /* such a loop is one block */
        struct counted_loop loop;
        if (find_loop(ir, ir->blocks[b].end - 1, &loop)) {
            loops = arena_grow(ir->context->scratch, loops, count, &capacity, sizeof *loops);
            loops[count++] = loop;
        }
    }
    if (count == 0) {
        return true;
    }
    add_registers(&u);
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        copy_labels(&u, i, &next_label);
        if (next < count && loops[next].first == i) {
            append_unrolled(&u, &loops[next]);
            i = loops[next++].last;
        } else {
            append(&u, text_of(ir, i));
        }
    }
    copy_labels(&u, ir->insn_count, &next_label);
    ir->insns = u.insns;
    ir->insn_count = u.insn_count;
    ir->labels = u.labels;
    ir->label_count = u.label_count;
    return ir_analyse(ir);
}
