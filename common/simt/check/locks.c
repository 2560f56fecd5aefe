/* locks.c - which atomics take locks: in a loop, a compare-and-swap of one constant for another,
 * or, where the loop does nothing but wait, an exchange for a constant. The latter may as well wait
 * for a flag that it clears, and is an acquire like every other atomic; the former is none.
 *
 *     while (atomicCAS(lock, 0, 1) != 0) {
 *     }
 *     __threadfence();
 *
 * Without the fence (or acquire order) what follows may see what was there before the lock was
 * given back: the first-level cache of an SM does not know of other SMs' stores. A ticket that is
 * drawn once is another matter: see CHECKS.md. */
#include "check/check_state.h"

static bool is_number(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_INT && o->reg == PTX_NO_REG;
}

/* A number, or a register that holds but numbers. */
static bool is_constant(const struct kernel *k, const struct ptx_operand *o)
{
    bool constant = o->kind == PTX_OPERAND_REG && o->item_count == 0 && o->reg != PTX_NO_REG;
    for (uint32_t pc = 0; pc < k->code_count && constant; pc++) {
        const struct ptx_insn *i = kernel_executes(k, pc);
        if (i != NULL && i->operand_count > 0 && i->operands[0].kind == PTX_OPERAND_REG &&
            i->operands[0].reg == o->reg) {
            constant = i->op == PTX_OP_MOV && is_number(&i->operands[1]);
        }
    }
    return constant || is_number(o);
}

static void inspect(const struct kernel *k, uint32_t pc, bool only_waits, struct insn_info *info)
{
    const struct ptx_insn *i = kernel_executes(k, pc);
    if (i == NULL || i->op != PTX_OP_ATOM || i->operand_count < 3 || info->acquires) {
        return;
    }
    info->swaps_lock |= ptx_has_modifier(i, WORD_CAS) && i->operand_count == 4 &&
                        is_constant(k, &i->operands[2]) && is_constant(k, &i->operands[3]);
    info->locks |= info->swaps_lock || (only_waits && ptx_has_modifier(i, WORD_EXCH) &&
                                        is_constant(k, &i->operands[2]));
}

static bool stores(const struct kernel *k, uint32_t pc)
{
    const struct ptx_insn *i = kernel_executes(k, pc);
    return i != NULL && i->op == PTX_OP_ST && k->code[pc].space != PTX_LOCAL;
}

void locks_inspect(struct check *c, const struct kernel *k)
{
    for (uint32_t pc = 0; pc < k->code_count && k->func_count == 1; pc++) {
        const struct insn *in = &k->code[pc];
        if (k->handlers[pc]->kind != KIND_BRANCH || in->offset < 0 || in->offset > (int64_t)pc) {
            continue;
        }
        bool only_waits = true;
        for (uint32_t p = (uint32_t)in->offset; p <= pc; p++) {
            only_waits &= !stores(k, p);
        }
        for (uint32_t p = (uint32_t)in->offset; p <= pc; p++) {
            inspect(k, p, only_waits, &c->infos[p]);
        }
    }
}
