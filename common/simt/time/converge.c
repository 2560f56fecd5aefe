/* converge.c - see converge.h. In the machine code of find_word six branches that lead to the same
 * place share one BSSY and one BSYNC; look_around leaves a loop from inside an if, and has a BREAK
 * for each such way out. */
#include "time/converge.h"

#include "ir/ir.h"

/* The nearest of the places where lanes that part at this branch meet; NO_PC: only where the
 * function ends. */
static uint32_t meeting_point(const struct kernel *k, uint32_t pc)
{
    const uint32_t *points = k->points + k->code[pc].points;
    uint32_t nearest = NO_PC;
    for (unsigned i = 0; points[i] != NO_PC; i++) {
        nearest = points[i];
    }
    return nearest;
}

static unsigned count_points(const struct kernel *k, uint32_t pc)
{
    const uint32_t *points = k->points + k->code[pc].points;
    unsigned count = 0;
    while (points[count] != NO_PC) {
        count++;
    }
    return count;
}

/* A branch under a guard that may differ between lanes. */
static bool may_part(const struct scheduler *s, const struct op *op)
{
    const struct code_source *from = &s->k->source[op->pc];
    const struct function_ir *ir = s->k->funcs[from->func]->ir;
    return op->in->op == PTX_OP_BRA && op->in->guard != NULL && ir->uniform != NULL &&
           from->insn != NO_REF && !ir->uniform[op->in->guard->reg];
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
