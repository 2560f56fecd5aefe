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
#include "ptxas/unroll.h"

#include <string.h>

/* --- which loops ----------------------------------------------------------------------------- */

/* start + counter, where the counter is compared as LLVM alone does it, or another one is. */
static bool is_llvm_sum(const struct function_ir *ir, const struct counted_loop *loop,
                        uint32_t insn)
{
    const struct ptx_insn *in = unroll_text(ir, insn);
    return in->op == PTX_OP_ADD && in->operand_count == 3 &&
           in->operands[1].kind == PTX_OPERAND_REG && in->operands[2].kind == PTX_OPERAND_REG &&
           (loop->turned || !unroll_is_register(&in->operands[2], loop->counter.reg));
}

/* LLVM compares all counters for being different, with or without a sign. It is unsigned where its
 * sum with a register becomes an address without a sign; nvcc's PTX of such a loop is left alone.
 */
static bool counts_without_sign(const struct function_ir *ir, const struct counted_loop *loop)
{
    for (uint32_t i = loop->first; i < loop->last; i++) {
        const struct ptx_insn *in = unroll_text(ir, i);
        if (in->op == PTX_OP_MUL && ptx_has_modifier(in, WORD_WIDE) && ir_type_of(in) == PTX_U32 &&
            in->operand_count == 3 && in->operands[1].kind == PTX_OPERAND_REG) {
            const uint32_t writer = unroll_writer(ir, loop, in->operands[1].reg);
            if (writer != IR_NONE && is_llvm_sum(ir, loop, writer)) {
                return true;
            }
        }
    }
    return false;
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

/* The counter stands first, but LLVM writes `bound != counter` as well, also of 64 bits, which
 * ptxas leaves alone as nvcc writes them. */
static void find_sides(const struct function_ir *ir, struct counted_loop *loop)
{
    const struct ptx_insn *in = unroll_text(ir, loop->compare);
    const bool turned = in->modifiers[0].word == WORD_NE && loop->type == PTX_S32 &&
                        in->operands[2].kind == PTX_OPERAND_REG &&
                        unroll_writer(ir, loop, in->operands[1].reg) == IR_NONE &&
                        unroll_writer(ir, loop, in->operands[2].reg) != IR_NONE;
    loop->turned = turned;
    loop->counter = in->operands[turned ? 2 : 1];
    loop->bound = in->operands[turned ? 1 : 2];
}

/* setp.COMPARE.TYPE p, c, bound: the counter against a value that the loop does not change. */
static bool find_compare(const struct function_ir *ir, struct counted_loop *loop)
{
    const uint32_t p = unroll_text(ir, loop->last)->guard->reg;
    loop->compare = p == PTX_NO_REG ? IR_NONE : unroll_writer(ir, loop, p);
    if (loop->compare == IR_NONE) {
        return false;
    }
    const struct ptx_insn *in = unroll_text(ir, loop->compare);
    loop->type = in->modifier_count == 2 ? in->modifiers[1].type : PTX_NO_TYPE;
    if (in->op != PTX_OP_SETP || !is_counted(loop->type) || in->operand_count != 3 ||
        !unroll_is_register(&in->operands[0], p) || in->operands[1].kind != PTX_OPERAND_REG ||
        in->operands[1].reg == PTX_NO_REG) {
        return false;
    }
    find_sides(ir, loop);
    const struct ptx_operand *bound = &loop->bound;
    for (uint32_t i = loop->first; i < loop->last; i++) {
        if ((i != loop->compare && refers_to(ir, i, p)) ||
            (bound->kind == PTX_OPERAND_REG && ir_writes(ir, i, bound->reg))) {
            return false;
        }
    }
    return bound->kind == PTX_OPERAND_REG || bound->kind == PTX_OPERAND_INT;
}

/* Where LLVM compares the counter c as it was before its step, that is a register of its own:
 *
 *     add.s32 n, c, step;  setp.lt.s32 p, c, bound;  mov.u32 c, n; */
static uint32_t find_add(const struct function_ir *ir, struct counted_loop *loop)
{
    const uint32_t writer = unroll_writer(ir, loop, loop->counter.reg);
    if (writer == IR_NONE || ir_op(ir, writer) != PTX_OP_MOV || writer < loop->compare ||
        unroll_text(ir, writer)->operands[1].kind != PTX_OPERAND_REG ||
        !unroll_is_llvms(ir, loop)) {
        return writer;
    }
    loop->before = true;
    return unroll_writer(ir, loop, unroll_text(ir, writer)->operands[1].reg);
}

/* add.s32 c, c, step in front of the comparison, and behind the last `if`. */
static bool find_step(const struct function_ir *ir, struct counted_loop *loop)
{
    const struct ptx_insn *compare = unroll_text(ir, loop->compare);
    const uint32_t c = loop->counter.reg;
    bool below_zero;
    loop->add = find_add(ir, loop);
    if (loop->add == IR_NONE || loop->add > loop->compare ||
        ir->insns[loop->add].block != ir->insns[loop->last].block ||
        unroll_is_in_arm(ir, loop, loop->compare)) {
        return false;
    }
    if (loop->type == PTX_U32 && unroll_is_llvms(ir, loop) &&
        unroll_begins_at_number(ir, loop, ir->insn_count, &below_zero) && below_zero) {
        loop->type = PTX_S32; /* the source has a sign: LLVM began a round earlier */
    }
    const struct ptx_insn *in = unroll_text(ir, loop->add);
    if (in->op != PTX_OP_ADD || in->modifier_count != 1 || !is_counted(in->modifiers[0].type) ||
        ptx_type_bytes(in->modifiers[0].type) != ptx_type_bytes(loop->type) ||
        !unroll_is_register(&in->operands[1], c) || in->operands[2].kind != PTX_OPERAND_INT) {
        return false;
    }
    loop->step = ptx_type_bytes(loop->type) == 8 ? (int64_t)in->operands[2].bits
                                                 : (int32_t)in->operands[2].bits;
    if ((!unroll_is_unsigned(loop->type) && counts_without_sign(ir, loop)) ||
        unroll_is_compared_as_sum(ir, loop)) {
        return false;
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
    const struct ir_reg *c = &ir->regs[loop->counter.reg];
    if (!uniform_is(ir, &loop->bound)) {
        return false;
    }
    for (uint32_t w = 0; w < c->writer_count; w++) {
        const uint32_t i = ir->writers[c->first_writer + w];
        const struct ptx_insn *in = unroll_text(ir, i);
        for (unsigned k = 1; i != loop->add && k < in->operand_count; k++) {
            if (ir_info(ir, i)->memory != MEMORY_NONE || !uniform_is(ir, &in->operands[k])) {
                return false;
            }
        }
    }
    return true;
}

/* Is instruction `last` the end of such a loop? */
static bool find_loop(const struct function_ir *ir, uint32_t last, struct counted_loop *loop)
{
    const struct ptx_insn *in = unroll_text(ir, last);
    if (in->op != PTX_OP_BRA || in->guard == NULL || in->guard->negated) {
        return false;
    }
    const struct ir_label *label = unroll_label_of(ir, in->operands[0].name);
    if (label == NULL || label->insn >= last || label->no_unroll) {
        return false;
    }
    *loop = (struct counted_loop){.first = label->insn, .last = last, .label = label->name};
    if (!unroll_body_may_be_repeated(ir, loop) || !find_compare(ir, loop) || !find_step(ir, loop) ||
        is_even(ir, loop)) {
        return false;
    }
    unroll_find_fours(ir, loop);
    return true;
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
    struct ir_reg *regs = arena_alloc(unroll_arena(u), (ir->reg_count + OURS) * sizeof *regs);
    bool *uniform = arena_alloc(unroll_arena(u), (ir->reg_count + OURS) * sizeof *uniform);
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
            unroll_append_label(u, u->ir->labels[*next].name);
        }
    }
}

bool pass_unroll(struct function_ir *ir)
{
    struct unroller u = {.ir = ir};
    struct counted_loop *loops = NULL;
    unsigned count = 0, capacity = 0;
    uint32_t next = 0, next_label = 0;
    for (uint32_t b = 0; b + 1 < ir->block_count; b++) { /* which ends such a loop, perhaps */
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
            unroll_append_loop(&u, &loops[next]);
            i = loops[next++].last;
        } else {
            unroll_append_same(&u, i);
        }
    }
    copy_labels(&u, ir->insn_count, &next_label);
    ir->insns = u.insns;
    ir->insn_count = u.insn_count;
    ir->labels = u.labels;
    ir->label_count = u.label_count;
    return ir_analyse(ir);
}
