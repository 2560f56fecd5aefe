/* uniform.c - which registers hold the same value in all lanes of a warp, as far as the text tells?
 *
 * ptxas asks this of the address of an atomic: if all lanes update one place, it lets the warp add
 * up first and one lane go to memory. Constants, parameters and block numbers are uniform, and so
 * is what is computed or loaded from uniform values; a register with several writers, or one under
 * a guard, is not. Whatever is not proved different stays: first the registers that cannot be
 * uniform by themselves, then, over and over, what is computed from them. */
#include "ptxas/passes.h"

static const bool special_is_uniform[PTX_SPECIAL_COUNT] = {
#define SPECIAL(id, text, slot, uniform) [PTX_SPECIAL_##id] = uniform,
#include "ptx/ptx_specials.def"
#undef SPECIAL
};

static bool has_varying_special(const struct ptx_operand *o)
{
    for (unsigned i = 0; i < o->item_count; i++) {
        if (has_varying_special(&o->items[i])) {
            return true;
        }
    }
    bool unknown = o->kind == PTX_OPERAND_REG && o->reg == PTX_NO_REG; /* nobody has declared it */
    return unknown || (o->kind == PTX_OPERAND_SPECIAL && !special_is_uniform[o->special]);
}

/* Does the instruction compute its result from its operands, or load it from memory that all see?
 */
static bool depends_on_operands_alone(const struct ptx_insn *in)
{
    const struct op_info *info = &op_table[in->op];
    if (info->memory == MEMORY_READS) {
        const struct ir_access a = ir_access_of(in);
        return a.space != PTX_LOCAL && !a.is_volatile;
    }
    return (info->traits & OP_PURE) != 0;
}

static bool starts_uniform(const struct function_ir *ir, uint32_t reg)
{
    const uint32_t writer = ir_only_writer(ir, reg);
    if (writer == IR_NONE) {
        return false;
    }
    const struct ptx_insn *in = ir->insns[writer].text;
    for (unsigned k = 1; k < in->operand_count; k++) {
        if (has_varying_special(&in->operands[k])) {
            return false;
        }
    }
    return depends_on_operands_alone(in);
}

bool pass_uniform(struct function_ir *ir)
{
    uint32_t *varying = arena_alloc(ir->context->scratch, (ir->reg_count + 1) * sizeof *varying);
    uint32_t count = 0;
    ir->uniform = arena_alloc(ir->context->keep, (ir->reg_count + 1) * sizeof *ir->uniform);
    for (uint32_t r = 0; r < ir->reg_count; r++) {
        ir->uniform[r] = starts_uniform(ir, r);
        if (!ir->uniform[r]) {
            varying[count++] = r;
        }
    }
    while (count > 0) { /* each register comes here once */
        const struct ir_reg *reg = &ir->regs[varying[--count]];
        for (uint32_t i = 0; i < reg->reader_count; i++) {
            struct ir_regs w = ir_written(ir, ir->readers[reg->first_reader + i]);
            for (unsigned k = 0; k < w.count; k++) {
                if (ir->uniform[w.reg[k]]) {
                    ir->uniform[w.reg[k]] = false;
                    varying[count++] = w.reg[k];
                }
            }
        }
    }
    return true;
}

bool uniform_is(const struct function_ir *ir, const struct ptx_operand *o)
{
    for (unsigned i = 0; i < o->item_count; i++) {
        if (!uniform_is(ir, &o->items[i])) {
            return false;
        }
    }
    return ir->uniform != NULL && !has_varying_special(o) &&
           (o->reg == PTX_NO_REG || ir->uniform[o->reg]);
}
