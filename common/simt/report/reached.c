/* reached.c - see reached.h. */
#include "report/reached.h"

#include <string.h>

enum { MOST_STEPS = 20000 }; /* instructions that one search looks at */

void reached_init(struct reached *r, const struct function_ir *ir, struct arena *arena)
{
    const uint32_t count = ir->block_count;
    *r = (struct reached){.ir = ir};
    r->first_before = arena_alloc(arena, (count + 2) * sizeof *r->first_before);
    r->seen = arena_alloc(arena, (count + 1) * sizeof *r->seen);
    memset(r->first_before, 0, (count + 2) * sizeof *r->first_before);
    memset(r->seen, 0, (count + 1) * sizeof *r->seen);
    for (uint32_t b = 0; b < count; b++) {
        for (unsigned i = 0; i < ir->edges[b].successor_count; i++) {
            const unsigned to = ir->edges[b].successors[i];
            r->first_before[to == FLOW_EXIT ? count : to + 1] += to != FLOW_EXIT;
        }
    }
    for (uint32_t b = 0; b < count; b++) {
        r->first_before[b + 1] += r->first_before[b];
    }
    const uint32_t edges = r->first_before[count];
    uint32_t *next = arena_alloc(arena, (count + 1) * sizeof *next);
    r->before = arena_alloc(arena, (edges + 1) * sizeof *r->before);
    r->stack = arena_alloc(arena, (edges + 2) * sizeof *r->stack);
    memcpy(next, r->first_before, count * sizeof *next);
    for (uint32_t b = 0; b < count; b++) {
        for (unsigned i = 0; i < ir->edges[b].successor_count; i++) {
            const unsigned to = ir->edges[b].successors[i];
            if (to != FLOW_EXIT) {
                r->before[next[to]++] = b;
            }
        }
    }
}

/* --- backwards over all ways ------------------------------------------------------------------ */

struct backwards {
    reached_look *look;
    void *state;
    unsigned steps;
};

/* Instructions end - 1 down to `first`; STEP_ON: the way goes on before them. */
static enum reached_step look_back(struct backwards *w, uint32_t end, uint32_t first)
{
    for (uint32_t i = end; i > first; i--) {
        const enum reached_step step = w->look(w->state, i - 1);
        if (step != STEP_ON) {
            return step;
        }
        if (++w->steps > MOST_STEPS) {
            return STEP_FAIL;
        }
    }
    return STEP_ON;
}

bool reached_all_ways(struct reached *r, uint32_t to, reached_look *look, void *state)
{
    const struct function_ir *ir = r->ir;
    struct backwards way = {look, state, 0};
    uint32_t block = ir->insns[to].block, end = to, depth = 0;
    r->search++;
    for (;;) {
        const enum reached_step step = look_back(&way, end, ir->blocks[block].first);
        const uint32_t first = r->first_before[block], last = r->first_before[block + 1];
        if (step == STEP_FAIL || (step == STEP_ON && (first == last || block == 0))) {
            return false;
        }
        for (uint32_t i = first; step == STEP_ON && i < last; i++) {
            const uint32_t b = r->before[i];
            if (r->seen[b] != r->search) {
                r->seen[b] = r->search;
                r->stack[depth++] = b;
            }
        }
        if (depth == 0) {
            return true;
        }
        block = r->stack[--depth];
        end = ir->blocks[block].end;
    }
}

struct unchanged {
    uint32_t from;
    reached_test *ends;
    void *state;
};

static enum reached_step look_for_change(void *state, uint32_t insn)
{
    const struct unchanged *u = state;
    if (insn == u->from) {
        return STEP_STOP;
    }
    return u->ends(u->state, insn) ? STEP_FAIL : STEP_ON;
}

bool reached_unchanged(struct reached *r, uint32_t from, uint32_t to, reached_test *ends,
                       void *state)
{
    struct unchanged u = {from, ends, state};
    return reached_all_ways(r, to, look_for_change, &u);
}

struct writer_search {
    const struct function_ir *ir;
    uint32_t reg, writer;
};

static enum reached_step look_for_writer(void *state, uint32_t insn)
{
    struct writer_search *s = state;
    if (!ir_writes(s->ir, insn, s->reg)) {
        return STEP_ON;
    }
    if (s->ir->insns[insn].text->guard != NULL || (s->writer != IR_NONE && s->writer != insn)) {
        return STEP_FAIL;
    }
    s->writer = insn;
    return STEP_STOP;
}

uint32_t reached_writer(struct reached *r, uint32_t insn, uint32_t reg)
{
    if (r->ir->regs[reg].writer_count == 1) {
        return ir_only_writer(r->ir, reg);
    }
    struct writer_search s = {r->ir, reg, IR_NONE};
    return r->ir->regs[reg].writer_count > 1 && reached_all_ways(r, insn, look_for_writer, &s)
               ? s.writer
               : IR_NONE;
}
