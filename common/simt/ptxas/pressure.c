/* pressure.c - how many registers a function needs: PTX has any number of registers, a GPU has not.
 *
 * A value is live from where it is written to where it is last read; what is live at one point
 * needs a register each: two for 64 bits, none for a predicate. The machine's own compiler
 * schedules the code anew and recomputes what is cheap, so its count differs by a few: this is an
 * estimate, and messages call it that.
 *
 * Most registers live and die in one block. For each of the others the blocks where it is live are
 * found by walking from where it is read against the flow, up to where it is written. What is live
 * over a call stands in registers that a function must give back as they were: one that calls
 * another keeps the old values of as many on its stack, and the address that it returns to. One
 * that is live where the function begins is read without a value on some way: a variable that was
 * never given one. */
#include "ptxas/passes.h"

#include <string.h>

struct regs { /* a growing list */
    uint32_t *reg;
    unsigned count, capacity;
};

struct pressure {
    const struct function_ir *ir;
    struct arena *scratch;
    struct flow_block *preds;
    struct regs *live_in; /* per block: registers that are live where it begins */
    uint32_t *marked;     /* per block: the register of the last walk that came here, + 1 */
    uint32_t *killed;     /* per register: the last block that writes it whatever the guard, + 1 */
    bool *live;           /* per register: at the point that is being looked at */
    unsigned now, most;
    unsigned over_calls; /* the most that are live over a call; */
    bool calls;          /* there is one */
};

/* The address that a function returns to, in words. */
enum { RETURN_WORDS = 2 };

static unsigned width_of(const struct function_ir *ir, uint32_t reg)
{
    return (ptx_type_bytes(ir->regs[reg].type) + 3) / 4;
}

static void find_preds(struct pressure *p)
{
    const struct function_ir *ir = p->ir;
    unsigned *capacity = arena_alloc(p->scratch, (ir->block_count + 1) * sizeof *capacity);
    p->preds = arena_alloc(p->scratch, (ir->block_count + 1) * sizeof *p->preds);
    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (unsigned s = 0; s < ir->edges[b].successor_count; s++) {
            unsigned to = ir->edges[b].successors[s];
            if (to != FLOW_EXIT) {
                struct flow_block *f = &p->preds[to];
                f->successors = arena_grow(p->scratch, f->successors, f->successor_count,
                                           &capacity[to], sizeof *f->successors);
                f->successors[f->successor_count++] = b;
            }
        }
    }
}

static bool writes_for_sure(const struct function_ir *ir, uint32_t block, uint32_t reg)
{
    const struct ir_reg *r = &ir->regs[reg];
    uint32_t low = 0,
             high = r->writer_count; /* the first writer at or behind the block's beginning */
    const uint32_t *writers = ir->writers + r->first_writer;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (writers[middle] < ir->blocks[block].first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < r->writer_count && writers[low] < ir->blocks[block].end; low++) {
        if (ir->insns[writers[low]].text->guard == NULL) {
            return true;
        }
    }
    return false;
}

/* `reg` is live where block b begins: so it is at the end of whatever leads there, and, where that
 * does not write it, at its beginning, too. */
static void mark_live(struct pressure *p, uint32_t b, uint32_t reg, struct regs *stack)
{
    if (p->marked[b] == reg + 1) {
        return;
    }
    p->marked[b] = reg + 1;
    struct regs *in = &p->live_in[b];
    in->reg = arena_grow(p->scratch, in->reg, in->count, &in->capacity, sizeof *in->reg);
    in->reg[in->count++] = reg;
    stack->reg =
        arena_grow(p->scratch, stack->reg, stack->count, &stack->capacity, sizeof *stack->reg);
    stack->reg[stack->count++] = b;
}

static void walk_back(struct pressure *p, uint32_t reg, struct regs *stack)
{
    while (stack->count > 0) {
        const struct flow_block *f = &p->preds[stack->reg[--stack->count]];
        for (unsigned i = 0; i < f->successor_count; i++) {
            if (p->marked[f->successors[i]] != reg + 1 &&
                !writes_for_sure(p->ir, f->successors[i], reg)) {
                mark_live(p, f->successors[i], reg, stack);
            }
        }
    }
}

/* Registers that a block reads before it has written them for sure. A write under a guard keeps
 * what was there, so it is such a read. Per register, since a walk knows its own marks by the
 * register. */
struct need {
    uint32_t reg, block;
};

static unsigned find_needs(struct pressure *p, struct need **needs)
{
    const struct function_ir *ir = p->ir;
    unsigned count = 0, capacity = 0;
    *needs = NULL;
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        const uint32_t block = ir->insns[i].block;
        const bool guarded = ir->insns[i].text->guard != NULL;
        struct ir_regs r = ir_read(ir, i), w = ir_written(ir, i);
        for (unsigned k = 0; k < r.count + (guarded ? w.count : 0); k++) {
            uint32_t reg = k < r.count ? r.reg[k] : w.reg[k - r.count];
            if (p->killed[reg] != block + 1) {
                *needs = arena_grow(p->scratch, *needs, count, &capacity, sizeof **needs);
                (*needs)[count++] = (struct need){reg, block};
            }
        }
        for (unsigned k = 0; !guarded && k < w.count; k++) {
            p->killed[w.reg[k]] = block + 1;
        }
    }
    return count;
}

static void find_live_in(struct pressure *p)
{
    struct need *needs;
    const unsigned count = find_needs(p, &needs);
    unsigned *first = arena_alloc(p->scratch, (p->ir->reg_count + 2) * sizeof *first);
    uint32_t *blocks = arena_alloc(p->scratch, (count + 1) * sizeof *blocks);
    struct regs stack = {0};
    for (unsigned i = 0; i < count; i++) {
        first[needs[i].reg + 1]++;
    }
    for (uint32_t r = 0; r < p->ir->reg_count; r++) {
        first[r + 1] += first[r];
    }
    for (unsigned i = count; i-- > 0;) {
        blocks[--first[needs[i].reg + 1]] = needs[i].block;
    }
    for (uint32_t r = 0; r < p->ir->reg_count;
         r++) { /* first[r + 1] is where r's list starts now */
        const unsigned end = r + 1 < p->ir->reg_count ? first[r + 2] : count;
        for (unsigned i = first[r + 1]; i < end; i++) {
            mark_live(p, blocks[i], r, &stack);
        }
        walk_back(p, r, &stack);
    }
}

static void put(struct pressure *p, uint32_t reg, bool on)
{
    if (p->live[reg] != on) {
        p->live[reg] = on;
        p->now += on ? width_of(p->ir, reg) : 0;
        p->now -= on ? 0 : width_of(p->ir, reg);
    }
}

/* Walks the block backwards from what is live behind it. */
static void walk_block(struct pressure *p, uint32_t b)
{
    const struct function_ir *ir = p->ir;
    for (unsigned s = 0; s < ir->edges[b].successor_count; s++) {
        unsigned to = ir->edges[b].successors[s];
        for (unsigned i = 0; to != FLOW_EXIT && i < p->live_in[to].count; i++) {
            put(p, p->live_in[to].reg[i], true);
        }
    }
    p->most = p->now > p->most ? p->now : p->most;
    for (uint32_t i = ir->blocks[b].end; i-- > ir->blocks[b].first;) {
        struct ir_regs w = ir_written(ir, i), r = ir_read(ir, i);
        for (unsigned k = 0; k < w.count; k++) { /* a result that nobody reads, too */
            put(p, w.reg[k], true);
        }
        p->most = p->now > p->most ? p->now : p->most;
        for (unsigned k = 0; ir->insns[i].text->guard == NULL && k < w.count; k++) {
            put(p, w.reg[k], false);
        }
        if (ir->insns[i].text->op == PTX_OP_CALL) {
            p->calls = true;
            p->over_calls = p->now > p->over_calls ? p->now : p->over_calls;
        }
        for (unsigned k = 0; k < r.count; k++) {
            put(p, r.reg[k], true);
        }
        p->most = p->now > p->most ? p->now : p->most;
    }
    for (unsigned i = 0; i < p->live_in[b].count; i++) {
        put(p, p->live_in[b].reg[i], false);
    }
}

/* Unrolling, which comes later, keeps the registers' numbers. */
static void note_undefined(const struct pressure *p, struct function_ir *ir)
{
    const struct regs *first = &p->live_in[0];
    if (ir->block_count > 0 && first->count > 0) {
        const size_t bytes = first->count * sizeof *first->reg;
        ir->undefined = arena_alloc(ir->context->keep, bytes);
        memcpy(ir->undefined, first->reg, bytes);
        ir->undefined_count = first->count;
    }
}

bool pass_pressure(struct function_ir *ir)
{
    struct pressure p = {.ir = ir, .scratch = ir->context->scratch};
    p.live_in = arena_alloc(p.scratch, (ir->block_count + 1) * sizeof *p.live_in);
    p.marked = arena_alloc(p.scratch, (ir->block_count + 1) * sizeof *p.marked);
    p.killed = arena_alloc(p.scratch, (ir->reg_count + 1) * sizeof *p.killed);
    p.live = arena_alloc(p.scratch, (ir->reg_count + 1) * sizeof *p.live);
    find_preds(&p);
    find_live_in(&p);
    note_undefined(&p, ir);
    for (uint32_t b = 0; b < ir->block_count; b++) {
        walk_block(&p, b);
    }
    ir->registers = ir->func->is_entry ? p.most : 0;
    ir->saved = p.calls && !ir->func->is_entry ? RETURN_WORDS + p.over_calls : 0;
    return true;
}
