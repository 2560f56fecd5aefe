/* unroll_nvcc.c - what nvcc makes of a loop that LLVM wrote in another way.
 *
 * ptxas unrolls by how a loop is written. nvcc's LLVM is older than clang's and writes some loops
 * differently, so that ptxas leaves them; and it unrolls some that clang leaves as they are. The
 * rules were found from the PTX that both make of the same loops (tests/fidelity/README.md). */
#include "ptxas/unroll.h"

/* LLVM, nvcc's too, goes round four times as many rounds at once. */
enum { COMPILER_ROUNDS = 4 };

/* Is the loop LLVM's? Its PTX alone tells how far addresses are aligned. */
bool unroll_is_llvms(const struct function_ir *ir, const struct counted_loop *loop)
{
    for (uint32_t i = loop->first; i < loop->last; i++) {
        if (ir_info(ir, i)->class == CLASS_MEMORY && unroll_text(ir, i)->loc->align > 0) {
            return true;
        }
    }
    return false;
}

/* The number that a `mov` brings, perhaps through another register; NULL: it is none. */
static const struct ptx_operand *number_behind(const struct function_ir *ir, uint32_t insn)
{
    if (ir_op(ir, insn) != PTX_OP_MOV) {
        return NULL;
    }
    const struct ptx_operand *from = &unroll_text(ir, insn)->operands[1];
    if (from->kind == PTX_OPERAND_REG && from->reg != PTX_NO_REG) {
        const uint32_t writer = ir_only_writer(ir, from->reg);
        from = writer != IR_NONE && ir_op(ir, writer) == PTX_OP_MOV
                   ? &unroll_text(ir, writer)->operands[1]
                   : from;
    }
    return from->kind == PTX_OPERAND_INT ? from : NULL;
}

/* Does the counter begin at numbers, as far as it is written before `end`, and at one below 0? */
bool unroll_begins_at_number(const struct function_ir *ir, const struct counted_loop *loop,
                             uint32_t end, bool *below_zero)
{
    const struct ir_reg *c = &ir->regs[loop->counter.reg];
    *below_zero = false;
    for (uint32_t w = 0; w < c->writer_count; w++) {
        const uint32_t i = ir->writers[c->first_writer + w];
        if (i >= end || (i >= loop->first && i < loop->last)) {
            continue;
        }
        const struct ptx_operand *from = number_behind(ir, i);
        if (from == NULL) {
            return false;
        }
        *below_zero |= (int32_t)from->bits < 0;
    }
    return true;
}

/* Is there a way back from behind the loop to before it? */
static bool is_in_loop(const struct function_ir *ir, const struct counted_loop *loop)
{
    const uint32_t head = ir->insns[loop->first].block, end = ir->insns[loop->last].block;
    for (uint32_t b = end + 1; b < ir->block_count; b++) {
        const struct flow_block *from = &ir->edges[b];
        for (unsigned s = 0; s < from->successor_count; s++) {
            if (from->successors[s] != FLOW_EXIT && from->successors[s] <= head) {
                return true;
            }
        }
    }
    return false;
}

static bool same_place(const struct ptx_loc *a, const struct ptx_loc *b)
{
    return a->file == b->file && a->line == b->line && a->inlined_at == b->inlined_at;
}

static bool is_kept(const struct function_ir *ir, uint32_t branch)
{
    const struct ir_label *label = unroll_label_of(ir, unroll_text(ir, branch)->operands[0].name);
    return label == NULL || label->no_unroll;
}

/* Does another loop of the function come from the same line, other than the rest of its
 * rounds? Then LLVM has written out the loop
 * around both. */
static bool has_twin(const struct function_ir *ir, const struct counted_loop *loop)
{
    for (uint32_t b = 0; b + 1 < ir->block_count; b++) {
        const uint32_t last = ir->blocks[b].end - 1;
        if (last != loop->last && ir_op(ir, last) == PTX_OP_BRA &&
            ir->insns[last].target != IR_NONE && ir->insns[last].target <= b &&
            !is_kept(ir, last) &&
            same_place(unroll_text(ir, last)->loc, unroll_text(ir, loop->last)->loc)) {
            return true;
        }
    }
    return false;
}

/* --- how the end is compared ------------------------------------------------------------------ */

static bool is_add_of_32_bits(const struct ptx_insn *in)
{
    return in->op == PTX_OP_ADD && in->modifier_count == 1 &&
           ptx_type_bytes(in->modifiers[0].type) == 4 && !ptx_is_float(in->modifiers[0].type) &&
           in->operands[0].kind == PTX_OPERAND_REG;
}

/* add r, r, number: another number that goes up or down; by how much, or 0. */
static int32_t step_of_second(const struct function_ir *ir, const struct counted_loop *loop,
                              uint32_t insn)
{
    const struct ptx_insn *in = unroll_text(ir, insn);
    const bool goes = insn != loop->add && is_add_of_32_bits(in) &&
                      in->operands[2].kind == PTX_OPERAND_INT &&
                      unroll_is_register(&in->operands[1], in->operands[0].reg);
    return goes ? (int32_t)in->operands[2].bits : 0;
}

/* A sum of the counter with a register. Where it is read in other sums with numbers alone, the
 * counter of the source begins at another number than 0. */
static bool is_sum_with_counter(const struct function_ir *ir, const struct counted_loop *loop,
                                uint32_t insn)
{
    const struct ptx_insn *in = unroll_text(ir, insn);
    if (!is_add_of_32_bits(in) || in->operands[2].kind != PTX_OPERAND_REG ||
        !(unroll_is_register(&in->operands[1], loop->counter.reg) ||
          unroll_is_register(&in->operands[2], loop->counter.reg))) {
        return false;
    }
    const struct ir_reg *sum = &ir->regs[in->operands[0].reg];
    for (uint32_t r = 0; r < sum->reader_count; r++) {
        const struct ptx_insn *reader = unroll_text(ir, ir->readers[sum->first_reader + r]);
        if (!is_add_of_32_bits(reader) || reader->operands[2].kind != PTX_OPERAND_INT) {
            return true;
        }
    }
    return false;
}

/* Then nvcc has two such numbers, and no counter of its own. */
static bool has_second_number(const struct function_ir *ir, const struct counted_loop *loop)
{
    for (uint32_t i = loop->first; i < loop->last; i++) {
        if (step_of_second(ir, loop, i) != 0 || is_sum_with_counter(ir, loop, i)) {
            return true;
        }
    }
    return false;
}

/* Is the counter read for its step, its comparison and such sums alone? */
static bool has_sums_alone(const struct function_ir *ir, const struct counted_loop *loop)
{
    bool any = false;
    for (uint32_t i = loop->first; i < loop->last; i++) {
        const bool sum = is_sum_with_counter(ir, loop, i);
        const struct ir_regs read = ir_read(ir, i);
        any |= sum;
        for (unsigned k = 0; k < read.count; k++) {
            if (read.reg[k] == loop->counter.reg && !sum && i != loop->add && i != loop->compare) {
                return false;
            }
        }
    }
    return any;
}

/* Does another number go up, or down? */
static bool has_number_that_goes(const struct function_ir *ir, const struct counted_loop *loop,
                                 bool up_alone)
{
    for (uint32_t i = loop->first; i < loop->last; i++) {
        const int32_t step = step_of_second(ir, loop, i);
        if (step > 0 || (step < 0 && !up_alone)) {
            return true;
        }
    }
    return false;
}

/* A counter that goes down to 0, and another number that goes up as far in each round: of the
 * source's counter and a sum with it. */
static bool goes_up_as_far(const struct function_ir *ir, const struct counted_loop *loop)
{
    bool any = false;
    for (uint32_t i = loop->first; i < loop->last; i++) {
        any |= step_of_second(ir, loop, i) == -loop->step;
    }
    return any && loop->step < 0 && loop->bound.kind == PTX_OPERAND_INT && loop->bound.bits == 0;
}

/* A counter that goes down to 0 from how many rounds there are, which takes no division to know:
 *
 *     add.s32 n, a, number;  and.b32 c, n, mask; */
static bool counts_rounds_down(const struct function_ir *ir, const struct counted_loop *loop)
{
    if (loop->bound.kind != PTX_OPERAND_INT || loop->bound.bits != 0 || loop->step > 0) {
        return false;
    }
    const struct ir_reg *c = &ir->regs[loop->counter.reg];
    for (uint32_t w = 0; w < c->writer_count; w++) {
        const uint32_t i = ir->writers[c->first_writer + w];
        const struct ptx_operand *from = &unroll_text(ir, i)->operands[1];
        if (i == loop->add) {
            continue;
        }
        const uint32_t sum = ir_op(ir, i) == PTX_OP_AND && from->kind == PTX_OPERAND_REG
                                 ? ir_only_writer(ir, from->reg)
                                 : IR_NONE;
        if (sum == IR_NONE || ir_op(ir, sum) != PTX_OP_ADD) {
            return false;
        }
        from = &unroll_text(ir, sum)->operands[1];
        const uint32_t writer =
            from->kind == PTX_OPERAND_REG ? ir_only_writer(ir, from->reg) : IR_NONE;
        if (writer == IR_NONE || ir_op(ir, writer) == PTX_OP_SHR) {
            return false;
        }
    }
    return true;
}

/* Where a 32-bit number besides the counter goes up or down as well, nvcc's LLVM has no counter of
 * its own for the end: it compares a sum with the first one, which ptxas does not take for a
 * counter. Later versions of LLVM compare the counter with the last value that it has, or with 0. A
 * sum with the counter is such a number, too, in another loop, and where nothing else reads it. Of
 * loops that were one, in a loop that is written out, nvcc's have counters, unless the other number
 * goes as far in each round. */
bool unroll_is_compared_as_sum(const struct function_ir *ir, const struct counted_loop *loop)
{
    bool below_zero;
    if (ptx_type_bytes(loop->type) != 4 || loop->step % COMPILER_ROUNDS != 0) {
        return false;
    }
    if (is_in_loop(ir, loop) && unroll_is_llvms(ir, loop) &&
        unroll_begins_at_number(ir, loop, loop->first, &below_zero)) {
        return has_second_number(ir, loop);
    }
    if (unroll_text(ir, loop->compare)->modifiers[0].word != WORD_NE) {
        return false;
    }
    if (loop->bound.kind == PTX_OPERAND_REG && has_number_that_goes(ir, loop, false)) {
        return true;
    }
    if (!unroll_is_llvms(ir, loop)) {
        return false;
    }
    if (has_twin(ir, loop)) {
        return goes_up_as_far(ir, loop);
    }
    return loop->bound.kind == PTX_OPERAND_REG
               ? has_sums_alone(ir, loop)
               : counts_rounds_down(ir, loop) && has_number_that_goes(ir, loop, true);
}

/* --- loops that nvcc unrolls ------------------------------------------------------------------ */

/* An unsigned counter that may be past its bound and go on from 0: nobody knows the most rounds. */
static bool may_pass_bound(const struct function_ir *ir, const struct counted_loop *loop)
{
    const enum ptx_word how = unroll_text(ir, loop->compare)->modifiers[0].word;
    return unroll_is_unsigned(loop->type) &&
           (how == WORD_LE || how == WORD_GE || (loop->step != 1 && loop->step != -1));
}

/* Of a loop with few rounds in another loop, whether LLVM has written that one out or not, nvcc
 * makes four rounds at a time all the same; LLVM leaves it as it is. */
void unroll_find_fours(const struct function_ir *ir, struct counted_loop *loop)
{
    bool below_zero;
    const bool relation = unroll_text(ir, loop->compare)->modifiers[0].word != WORD_NE;
    const bool at_number = unroll_begins_at_number(ir, loop, ir->insn_count, &below_zero);
    const bool by_one = loop->step == 1 || loop->step == -1;
    loop->by_four = relation && loop->step % COMPILER_ROUNDS != 0 && (at_number || by_one) &&
                    !may_pass_bound(ir, loop) && unroll_is_llvms(ir, loop) &&
                    (is_in_loop(ir, loop) || has_twin(ir, loop));
    loop->rest_first = loop->by_four && !at_number;
    const bool compared_late =
        loop->rest_first && loop->step < 0 && !unroll_is_unsigned(loop->type);
    const bool compared_as_sum = at_number && by_one && has_second_number(ir, loop);
    loop->fours_fit = !compared_late && !compared_as_sum && unroll_fours_fit(ir, loop);
}
