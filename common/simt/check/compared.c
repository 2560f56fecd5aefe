/* compared.c - plain loads that begin a loop of compare-and-swap:
 *
 *     int old = *p, assumed;
 *     do {
 *         assumed = old;
 *         old = atomicCAS(p, assumed, f(assumed));
 *     } while (old != assumed);
 *
 * The CUDA C++ Programming Guide writes atomics of one's own in this way. A value that is out of
 * date costs another round and nothing else, so such a load counts as a strong one. */
#include "check/check_state.h"

#include "base/room.h"
#include "ir/ir.h"

#include <stdlib.h>

static bool is_register(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REG && o->item_count == 0 && o->reg != PTX_NO_REG;
}

static bool is_swap(const struct ptx_insn *i)
{
    return i != NULL && i->op == PTX_OP_ATOM && ptx_has_modifier(i, WORD_CAS) &&
           i->operand_count == 4 && is_register(&i->operands[2]) &&
           i->operands[1].reg != PTX_NO_REG;
}

/* Marks the registers of which the marked ones are copies. */
static void follow_copies(const struct kernel *k, bool *marked)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = 0; pc < k->code_count; pc++) {
            const struct ptx_insn *i = kernel_executes(k, pc);
            if (i != NULL && i->op == PTX_OP_MOV && i->operand_count == 2 &&
                is_register(&i->operands[0]) && is_register(&i->operands[1]) &&
                marked[i->operands[0].reg] && !marked[i->operands[1].reg]) {
                changed = marked[i->operands[1].reg] = true;
            }
        }
    }
}

static bool loads_from(const struct ptx_insn *i, const struct ptx_operand *word, const bool *marked)
{
    return i != NULL && i->op == PTX_OP_LD && i->operand_count == 2 &&
           is_register(&i->operands[0]) && marked[i->operands[0].reg] &&
           i->operands[1].reg == word->reg && i->operands[1].bits == word->bits;
}

void compared_inspect(struct check *c, const struct kernel *k)
{
    const struct function_ir *ir = k->funcs[0]->ir;
    if (k->func_count != 1) { /* registers of several functions have the same numbers */
        return;
    }
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const struct ptx_insn *swap = kernel_executes(k, pc);
        if (!is_swap(swap)) {
            continue;
        }
        bool *marked = room_new(ir->reg_count, sizeof *marked);
        marked[swap->operands[2].reg] = true;
        follow_copies(k, marked);
        for (uint32_t p = 0; p < k->code_count; p++) {
            if (!c->infos[p].read_only &&
                loads_from(kernel_executes(k, p), &swap->operands[1], marked)) {
                c->infos[p].what |= TOUCH_STRONG;
            }
        }
        free(marked);
    }
}
