/* contract.c - which sums does ptxas join with a product, to an fma, which rounds once?
 *
 * PTX leaves it open for mul, add and sub that name no rounding (PTX ISA, "mul": sequences without
 * .rn may be optimised). The rule was found by reading the machine code that ptxas 13.0 makes of
 * 3,000 random blocks of mul, add and sub for sm_90, and is the same for f16, f16x2, bf16, bf16x2,
 * f32 and f64:
 *
 * - Product and sum stand in one basic block, and name neither .rn nor another rounding; the
 *   product has no .sat and no guard; both have .ftz, or neither.
 * - A product is joined with all that read it, or with none: each reader must be such a sum, and
 *   read it once.
 * - Of two products of one sum, one that has no other reader is taken before one that has, and
 *   then the first operand before the second.
 *
 * The product stays where it is, unread, so that counts of instructions are those of the text. Not
 * seen: products that are negated or moved before they are summed, and products in registers that
 * are written again. */
#include "ptxas/passes.h"

static const struct ptx_insn *text(const struct function_ir *ir, uint32_t insn)
{
    return ir->insns[insn].text;
}

/* Whether all modifiers are the type, .ftz, and perhaps .sat. */
static bool leaves_rounding_open(const struct ptx_insn *in, bool may_saturate)
{
    for (unsigned i = 0; i < in->modifier_count; i++) {
        const struct ptx_modifier *m = &in->modifiers[i];
        if (m->type == PTX_NO_TYPE && m->word != WORD_FTZ &&
            !(m->word == WORD_SAT && may_saturate)) {
            return false;
        }
    }
    return true;
}

static bool is_product(const struct ptx_insn *in)
{
    return in->op == PTX_OP_MUL && in->operand_count == 3 && in->guard == NULL &&
           ptx_is_real(ir_type_of(in)) && leaves_rounding_open(in, false);
}

static bool is_sum(const struct ptx_insn *in)
{
    return (in->op == PTX_OP_ADD || in->op == PTX_OP_SUB) && in->operand_count == 3 &&
           ptx_is_real(ir_type_of(in)) && leaves_rounding_open(in, true);
}

/* Do the product's operands have their values still where the sum stands? */
static bool still_holds(const struct function_ir *ir, uint32_t product, uint32_t sum)
{
    const struct ir_regs read = ir_read(ir, product);
    for (unsigned i = 0; i < read.count; i++) {
        const struct ir_reg *r = &ir->regs[read.reg[i]];
        for (uint32_t w = 0; w < r->writer_count; w++) {
            const uint32_t writer = ir->writers[r->first_writer + w];
            if (writer >= product && writer < sum) {
                return false;
            }
        }
    }
    return true;
}

/* May this product, in that register, be joined with what reads it there? */
static bool may_join(const struct function_ir *ir, uint32_t product, uint32_t reg, uint32_t reader)
{
    const struct ptx_insn *mul = text(ir, product), *in = text(ir, reader);
    return reader > product && ir->insns[reader].block == ir->insns[product].block && is_sum(in) &&
           ir_type_of(in) == ir_type_of(mul) && ir->insns[reader].product_before == 0 &&
           ptx_has_modifier(in, WORD_FTZ) == ptx_has_modifier(mul, WORD_FTZ) &&
           (in->operands[1].reg == reg) != (in->operands[2].reg == reg) &&
           still_holds(ir, product, reader);
}

/* The readers that a product has not been joined with; 0 if one of them cannot be. */
static unsigned joinable_readers(const struct function_ir *ir, uint32_t product, uint32_t reg)
{
    const struct ir_reg *r = &ir->regs[reg];
    unsigned count = 0;
    for (uint32_t i = 0; i < r->reader_count; i++) {
        const uint32_t reader = ir->readers[r->first_reader + i];
        if (ir->insns[reader].product_before == reader - product) {
            continue;
        }
        if (!may_join(ir, product, reg, reader)) {
            return 0;
        }
        count++;
    }
    return count;
}

static void join(struct function_ir *ir, uint32_t sum, bool only_reader)
{
    for (unsigned k = 1; k <= 2 && ir->insns[sum].product_before == 0; k++) {
        const struct ptx_operand *o = &text(ir, sum)->operands[k];
        const uint32_t product = o->kind == PTX_OPERAND_REG && o->reg != PTX_NO_REG
                                     ? ir_only_writer(ir, o->reg)
                                     : IR_NONE;
        if (product == IR_NONE || product >= sum || !is_product(text(ir, product))) {
            continue;
        }
        const unsigned readers = joinable_readers(ir, product, o->reg);
        if (readers == 1 || (readers > 1 && !only_reader)) {
            ir->insns[sum].product_before = sum - product;
        }
    }
}

bool pass_contract(struct function_ir *ir)
{
    for (unsigned sweep = 0; sweep < 2 && !ir->func->no_fmad; sweep++) {
        for (uint32_t i = 0; i < ir->insn_count; i++) {
            if (is_sum(text(ir, i))) {
                join(ir, i, sweep == 0);
            }
        }
    }
    return true;
}
