/* atomics.c - what does ptxas make of an atomic?
 *
 * If its result is not read, a `red`, if the operation has one. If its address is the same in all
 * lanes, the warp adds up first (REDUX, or a count of its lanes) and one lane goes to memory: so
 * for 32-bit integers, and for sums of 64 bits if the lanes add the same. A sum whose result is
 * read is left to each lane where not all take part. tests/fidelity/README.md tells how the rules
 * were found. */
#include "ptxas/passes.h"

/* The word among an atomic's modifiers that says what it does to memory. */
static enum ptx_word operation_of(const struct ptx_insn *in)
{
    static const bool operations[WORD_COUNT] = {
        [WORD_ADD] = true,  [WORD_MIN] = true, [WORD_MAX] = true, [WORD_INC] = true,
        [WORD_DEC] = true,  [WORD_AND] = true, [WORD_OR] = true,  [WORD_XOR] = true,
        [WORD_EXCH] = true, [WORD_CAS] = true};
    for (unsigned i = 0; i < in->modifier_count; i++) {
        if (operations[in->modifiers[i].word]) {
            return in->modifiers[i].word;
        }
    }
    return WORD_OTHER;
}

static bool is_unread(const struct function_ir *ir, uint32_t insn)
{
    struct ir_regs w = ir_written(ir, insn);
    if (w.count == 0) {
        return true; /* red, or the sink */
    }
    const struct ir_reg *r = &ir->regs[w.reg[0]];
    return r->writer_count == 1 && r->reader_count == 0;
}

static bool folds(enum ptx_word operation, bool unread)
{
    static const bool any[WORD_COUNT] = {[WORD_ADD] = true, [WORD_MIN] = true, [WORD_MAX] = true,
                                         [WORD_AND] = true, [WORD_OR] = true,  [WORD_XOR] = true};
    return unread ? any[operation] : operation == WORD_ADD;
}

static unsigned added_up(const struct function_ir *ir, const struct ptx_insn *in, bool unread)
{
    const struct ir_access a = ir_access_of(in);
    const enum ptx_word operation = operation_of(in);
    if (a.address == NULL || a.address + 1 == in->operands + in->operand_count) {
        return 0; /* not an atomic after all: the decoder says so */
    }
    const bool same = uniform_is(ir, a.address + 1);
    const bool word = a.type == PTX_S32 || a.type == PTX_U32 || a.type == PTX_B32;
    const bool wide = a.type == PTX_S64 || a.type == PTX_U64;
    if (!((word && folds(operation, unread)) || (wide && operation == WORD_ADD && same)) ||
        !uniform_is(ir, a.address)) {
        return 0;
    }
    return unread || same ? ATOMIC_ADDED_UP : ATOMIC_ADDED_IF_FULL;
}

bool pass_atomics(struct function_ir *ir)
{
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        if (ir_info(ir, i)->memory == MEMORY_UPDATES) {
            const bool unread = is_unread(ir, i);
            ir->insns[i].atomic =
                (uint8_t)((unread ? ATOMIC_UNREAD : 0) | added_up(ir, ir->insns[i].text, unread));
        }
    }
    return true;
}
