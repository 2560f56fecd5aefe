/* converge.c - see converge.h. In the machine code of find_word six branches that lead to the same
 * place share one BSSY and one BSYNC; look_around leaves a loop from inside an if, and has a BREAK
 * for each such way out. */
#include "time/converge.h"

#include "ir/ir.h"
#include "ptxas/passes.h"

static unsigned count_points(const struct kernel *k, uint32_t pc)
{
    const uint32_t *points = k->points + k->code[pc].points;
    unsigned count = 0;
    while (points[count] != NO_PC) {
        count++;
    }
    return count;
}

/* The nearest of the places where lanes that part at this branch meet, the last one listed; NO_PC:
 * only where the function ends. */
static uint32_t meeting_point(const struct kernel *k, uint32_t pc)
{
    const unsigned count = count_points(k, pc);
    return count > 0 ? k->points[k->code[pc].points + count - 1] : NO_PC;
}

/* Registers whose writers are still to be looked at, and those that have been here. */
struct search {
    const struct function_ir *ir;
    uint32_t *waiting;
    unsigned count;
    bool *seen;
};

/* Is what it writes different in each lane by itself, whatever it reads? */
static bool varies_by_itself(const struct function_ir *ir, uint32_t insn)
{
    const struct ptx_insn *in = ir->insns[insn].text;
    for (unsigned k = 1; k < in->operand_count; k++) {
        const struct ptx_operand *o = &in->operands[k];
        if (o->kind == PTX_OPERAND_SPECIAL && !uniform_is(ir, o)) {
            return true;
        }
    }
    return op_table[in->op].memory == MEMORY_READS ? ir_access_of(in).space == PTX_LOCAL
                                                   : !op_is(in->op, OP_PURE);
}

static void look_at_later(struct search *s, uint32_t reg)
{
    if (!s->ir->uniform[reg] && !s->seen[reg]) {
        s->seen[reg] = true;
        s->waiting[s->count++] = reg;
    }
}

/* May lanes that run together find different values in the register? Unlike ir->uniform this lets
 * counters of loops be the same, though two instructions write them. */
static bool varies(struct arena *arena, const struct function_ir *ir, uint32_t guard)
{
    struct search s = {.ir = ir,
                       .waiting = arena_alloc(arena, (ir->reg_count + 1) * sizeof *s.waiting),
                       .seen = arena_alloc(arena, (ir->reg_count + 1) * sizeof *s.seen)};
    for (look_at_later(&s, guard); s.count > 0;) {
        const struct ir_reg *reg = &ir->regs[s.waiting[--s.count]];
        for (uint32_t i = 0; i < reg->writer_count; i++) {
            const uint32_t insn = ir->writers[reg->first_writer + i];
            const struct ir_regs read = ir_read(ir, insn);
            if (varies_by_itself(ir, insn)) {
                return true;
            }
            for (unsigned k = 0; k < read.count; k++) {
                look_at_later(&s, read.reg[k]);
            }
        }
    }
    return false;
}

/* A branch under a guard that may differ between lanes. */
static bool may_part(struct scheduler *s, const struct op *op)
{
    const struct code_source *from = &s->k->source[op->pc];
    const struct function_ir *ir = s->k->funcs[from->func]->ir;
    return op->in->op == PTX_OP_BRA && op->in->guard != NULL && ir->uniform != NULL &&
           from->insn != NO_REF && varies(&s->arena, ir, op->in->guard->reg);
}

/* Is there nothing but the end of the function? Lanes just leave (EXIT under a guard). */
static bool only_leaves(const struct scheduler *s, uint32_t pc)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct stretch *b = &s->stretches[i];
        if (b->pc == pc) {
            return b->count == 0 || op_is(b->ops[0].in->op, OP_LEAVES);
        }
    }
    return true;
}

/* Executions of the block that begins at `pc`, by one warp. */
static double runs_of(const struct kernel *k, const struct site *sites, uint32_t pc, double warps)
{
    for (unsigned i = 0; i < k->site_count; i++) {
        if (k->sites[i].kind == SITE_BLOCK && k->sites[i].insn == pc) {
            return (double)sites[i].a / warps;
        }
    }
    return 0;
}

void converge_find(struct scheduler *s, const struct site *sites, double warps)
{
    const struct kernel *k = s->k;
    bool *seen = arena_alloc(&s->arena, (k->code_count + 1) * sizeof *seen);
    for (unsigned i = 0; i < s->count; i++) {
        struct stretch *b = &s->stretches[i];
        for (unsigned o = 0; o < b->count; o++) {
            const struct op *op = &b->ops[o];
            const uint32_t point = may_part(s, op) ? meeting_point(k, op->pc) : NO_PC;
            if (point == NO_PC || only_leaves(s, point)) {
                continue;
            }
            const double parts = (double)sites[k->code[op->pc].site].b / warps;
            b->parts += parts;
            s->guarded.other += parts;
            s->guarded.other += count_points(k, op->pc) > 1 ? b->runs : 0; /* BREAK */
            s->guarded.other += seen[point] ? 0 : 2 * runs_of(k, sites, point, warps);
            seen[point] = true;
        }
    }
}
