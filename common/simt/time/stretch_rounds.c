/* stretch_rounds.c - loops of which ptxas makes several rounds one; for stretch.c alone.
 *
 * What a round leaves for the next one to wait for is asked for earlier then, and counting and
 * jumping are done once. Which loops: those of one stretch that count by a constant and that nvcc
 * has not marked, if they are short and have neither atomics nor copies to shared memory; seen in
 * the machine code of tests/fidelity/times for sm_90. */
#include "time/stretch.h"

#include <math.h>
#include <string.h>

#include "ir/ir.h"

/* Four rounds of at most so many slots; all of a known number of rounds up to so many in all. */
enum { ROUNDS = 4, ROUND_MOST = 54, ALL_ROUNDS = 16, ALL_MOST = 512 };

static const struct function_ir *ir_at(const struct scheduler *s, uint32_t pc)
{
    return s->k->funcs[s->k->source[pc].func]->ir;
}

/* add c, c, 4 */
static bool is_step(const struct op *op)
{
    const struct ptx_insn *in = op->in;
    return in->op == PTX_OP_ADD && in->guard == NULL && in->operand_count == 3 &&
           in->operands[0].kind == PTX_OPERAND_REG && in->operands[1].kind == PTX_OPERAND_REG &&
           in->operands[0].reg == in->operands[1].reg && in->operands[2].kind == PTX_OPERAND_INT;
}

static const struct op *compare_of(const struct stretch *b)
{
    const struct op *jump = &b->ops[b->count - 1];
    if (jump->in->op != PTX_OP_BRA || jump->in->guard == NULL) {
        return NULL;
    }
    for (unsigned i = 0; i + 1 < b->count; i++) {
        const struct ptx_insn *in = b->ops[i].in;
        if (in->op == PTX_OP_SETP && in->operand_count == 3 &&
            in->operands[0].reg == jump->in->guard->reg) {
            return &b->ops[i];
        }
    }
    return NULL;
}

static bool is_marked(const struct scheduler *s, const struct stretch *b)
{
    const struct code_source *from = &s->k->source[b->pc];
    const struct function_ir *ir = ir_at(s, b->pc);
    for (unsigned i = 0; i < ir->label_count; i++) {
        if (ir->labels[i].insn == from->insn && ir->labels[i].no_unroll) {
            return true;
        }
    }
    return false;
}

/* The counter that it compares, if the loop adds a constant to it; else PTX_NO_REG. */
static uint32_t counter_of(const struct stretch *b, const struct op *compare)
{
    for (unsigned i = 0; i < b->count; i++) {
        for (unsigned k = 1; is_step(&b->ops[i]) && k < 3; k++) {
            const struct ptx_operand *o = &compare->in->operands[k];
            if (o->kind == PTX_OPERAND_REG && o->reg == b->ops[i].in->operands[0].reg) {
                return o->reg;
            }
        }
    }
    return PTX_NO_REG;
}

/* Does it count from one number to another? Then the number of rounds is known. */
static bool is_known(const struct scheduler *s, const struct stretch *b, const struct op *compare)
{
    const struct function_ir *ir = ir_at(s, b->pc);
    const struct ir_reg *counter = &ir->regs[counter_of(b, compare)];
    bool starts = false;
    for (unsigned i = 0; i < counter->writer_count; i++) {
        const struct ptx_insn *in = ir->insns[ir->writers[counter->first_writer + i]].text;
        starts |= in->op == PTX_OP_MOV && in->operands[1].kind == PTX_OPERAND_INT;
    }
    return starts && compare->in->operands[2].kind == PTX_OPERAND_INT;
}

/* Has pass_unroll done it already? Its rounds are the same instructions. */
static bool is_repeated(const struct stretch *b)
{
    for (unsigned i = 0; i < b->count; i++) {
        for (unsigned k = i + 1; k < b->count; k++) {
            if (b->ops[i].in == b->ops[k].in) {
                return true;
            }
        }
    }
    return false;
}

/* How often control comes to it from elsewhere. */
static double entries_of(const struct scheduler *s, const struct stretch *b)
{
    double entries = 0;
    for (unsigned i = 0; i < s->count; i++) {
        const struct stretch *from = &s->stretches[i];
        entries += from != b && stretch_leads_to(from, b) ? from->runs : 0;
    }
    return entries;
}

static unsigned rounds_of(const struct scheduler *s, const struct stretch *b)
{
    const struct op *compare = b->count > 2 && stretch_leads_to(b, b) ? compare_of(b) : NULL;
    double slots = 0;
    if (compare == NULL || is_marked(s, b) || counter_of(b, compare) == PTX_NO_REG ||
        is_repeated(b)) {
        return 1;
    }
    for (unsigned i = 0; i < b->count; i++) {
        slots += b->ops[i].issue;
        const enum op_memory memory = op_table[b->ops[i].in->op].memory;
        if (memory == MEMORY_UPDATES || memory == MEMORY_COPIES ||
            (i + 1 < b->count && b->ops[i].in->op == PTX_OP_BRA)) {
            return 1;
        }
    }
    const double entries = entries_of(s, b), rounds = entries > 0 ? b->runs / entries : 0;
    if (slots > ROUND_MOST || rounds < 2) {
        return 1;
    }
    if (is_known(s, b, compare) && rounds == floor(rounds) && rounds <= ALL_ROUNDS &&
        rounds * slots <= ALL_MOST) {
        return (unsigned)rounds;
    }
    return rounds >= ROUNDS ? ROUNDS : 1;
}

void stretch_repeat_rounds(struct scheduler *s, struct stretch *b)
{
    const unsigned rounds = rounds_of(s, b);
    const struct op *compare = rounds > 1 ? compare_of(b) : NULL;
    unsigned count = 0;
    if (rounds <= 1) {
        return;
    }
    struct op *ops = arena_alloc(&s->arena, (size_t)rounds * b->count * sizeof *ops);
    for (unsigned r = 0; r < rounds; r++) {
        for (unsigned i = 0; i < b->count; i++) {
            const struct op *op = &b->ops[i];
            const bool last = r + 1 == rounds, ends = op == compare || i + 1 == b->count;
            if (!last && (ends || is_step(op))) {
                cost_add(&s->guarded, &op->cost, -b->runs / rounds);
            }
            if (!last && ends) {
                continue;
            }
            ops[count] = *op;
            if (!last && is_step(op)) { /* becomes a part of the addresses that it makes */
                ops[count].issue = ops[count].latency = 0;
            }
            count++;
        }
    }
    b->ops = ops;
    b->count = count;
    b->runs /= rounds;
}
