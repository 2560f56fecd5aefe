/* trace.c - see trace.h. */
#include "watch/trace.h"

#include "ir/ir.h"
#include "watch/trace_keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what an instruction writes --------------------------------------------------------------- */

unsigned trace_registers(const struct kernel *k, uint32_t pc,
                         struct trace_register out[TRACE_REGISTERS])
{
    const struct code_source from = k->source[pc];
    if (from.insn == NO_REF) {
        return 0;
    }
    const struct function_ir *ir = k->funcs[from.func]->ir;
    const struct ir_regs w = ir_written(ir, from.insn);
    const unsigned count = w.count < TRACE_REGISTERS ? w.count : TRACE_REGISTERS;
    for (unsigned i = 0; i < count; i++) {
        const struct ir_reg *r = &ir->regs[w.reg[i]];
        out[i] =
            (struct trace_register){r->name, r->type, k->funcs[from.func]->registers[w.reg[i]]};
    }
    return count;
}

/* A product of wgmma arrives later: wgmma.wait_group waits for it. */
static bool writes_later(const struct kernel *k, uint32_t pc)
{
    return k->origin[pc]->op == PTX_OP_WGMMA;
}

static uint64_t lane_value(const struct warp *w, uint32_t ref, enum ptx_type type, unsigned lane)
{
    const void *at = warp_ref(w, ref);
    if (type == PTX_PRED) {
        return *(const uint32_t *)at >> lane & 1u;
    }
    return ptx_type_bytes(type) == 8 ? ((const uint64_t *)at)[lane] : ((const uint32_t *)at)[lane];
}

/* A warp of the block while it runs. */
struct trace_warp {
    struct rounds rounds;
    struct trace_tail tail;
    int pending;  /* its last step, whose value is not known yet; NOTHING: none is recorded, */
    bool in_tail; /* or it is the newest of the tail */
    bool jumped;  /* the last step was a branch that lanes took */
};

static struct trace_step *pending_step(struct trace *t, const struct trace_warp *own)
{
    if (own->in_tail) {
        return &tail_newest(&own->tail)->step;
    }
    return own->pending >= 0 ? &t->steps[own->pending] : NULL;
}

static void note_value(struct trace *t, const struct trace_warp *own, unsigned i,
                       const struct trace_vector *v)
{
    if (own->in_tail) {
        tail_newest(&own->tail)->value[i] = *v;
        tail_newest(&own->tail)->has_value[i] = true;
    } else {
        t->steps[own->pending].value[i] = trace_keep_vector(t, v);
    }
}

/* The warp's last step has been executed: now its registers hold the result. */
static void finish_step(struct trace *t, const struct warp *w)
{
    struct trace_warp *own = &t->warps[w->number];
    const struct trace_step *s = pending_step(t, own);
    if (s == NULL) {
        return;
    }
    struct trace_register registers[TRACE_REGISTERS];
    unsigned count = trace_registers(t->kernel, s->pc, registers);
    for (unsigned i = 0; i < count && !writes_later(t->kernel, s->pc); i++) {
        if (registers[i].ref == NO_REF || registers[i].type == PTX_NO_TYPE) {
            continue;
        }
        struct trace_vector v;
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            v.lane[lane] = lane_value(w, registers[i].ref, registers[i].type, lane);
        }
        note_value(t, own, i, &v);
    }
    own->pending = TRACE_NOTHING;
    own->in_tail = false;
}

/* The warp has left its loop, or its block ends: the last rounds are known. */
static void end_tail(struct trace *t, unsigned warp)
{
    struct trace_tail *tail = &t->warps[warp].tail;
    if (tail->count == 0) {
        return;
    }
    tail_trim(tail);
    if (tail->left_out > 0 && t->step_count < t->limit) {
        trace_add_gap(t, warp, tail);
    }
    for (unsigned i = 0; i < tail->count; i++) {
        trace_take_over(t, tail_at(tail, i));
    }
    tail_clear(tail);
}

/* --- events ----------------------------------------------------------------------------------- */

static bool records(const struct trace *t, const struct warp *w)
{
    return t->kernel != NULL && w->block->number == t->block_number && t->warps != NULL &&
           (t->only_warp < 0 || (unsigned)t->only_warp == w->number);
}

static struct trace_waiting waiting_of(const struct split *other)
{
    return (struct trace_waiting){.lanes = other->mask,
                                  .pc = other->pc,
                                  .blocked = other->state == SPLIT_BLOCKED,
                                  .ready = other->state == SPLIT_READY};
}

static void note_waiting(struct trace *t, const struct warp *w, struct trace_step *s,
                         struct tail_step *tail)
{
    s->waiting = (int)t->waiting_count;
    for (unsigned i = 0; i < w->split_count; i++) {
        const struct split *other = &w->splits[i];
        if ((int)i == w->current || other->state == SPLIT_FREE || other->mask == 0) {
            continue;
        }
        if (tail == NULL) {
            trace_add_waiting(t, s, waiting_of(other));
        } else if (s->waiting_count < TAIL_WAITING) {
            tail->waiting[s->waiting_count++] = waiting_of(other);
        }
    }
}

/* The step goes to the end of the tail. */
static void step_in_tail(struct trace *t, const struct warp *w, const struct trace_step *step,
                         const struct rounds_place *place)
{
    struct trace_warp *own = &t->warps[w->number];
    if (own->tail.count == 0) {
        own->tail.first_round = place->round;
        own->tail.head = place->head;
    }
    struct tail_step *s = tail_push(&own->tail, &t->arena, t->shared_bytes);
    s->step = *step;
    s->round = place->round;
    s->begins_round = place->begins_round;
    note_waiting(t, w, &s->step, s);
    own->in_tail = true;
}

static void on_step(void *state, struct warp *w, uint32_t pc, lane_mask lanes)
{
    struct trace *t = state;
    if (!records(t, w)) {
        return;
    }
    struct trace_warp *own = &t->warps[w->number];
    finish_step(t, w);
    struct trace_step step = {.pc = pc,
                              .warp = w->number,
                              .lanes = lanes,
                              .active = w->active,
                              .access = TRACE_NOTHING,
                              .number = t->steps_of_block++};
    for (unsigned i = 0; i < TRACE_REGISTERS; i++) {
        step.value[i] = TRACE_NOTHING;
    }
    const struct rounds_place place = rounds_step(&own->rounds, pc, own->jumped);
    const struct ptx_insn *origin = t->kernel->origin[pc];
    own->jumped = op_is(origin->op, OP_JUMPS) && origin->guard == NULL; /* else on_branch() knows */
    if (place.left) {
        end_tail(t, w->number);
    }
    if (place.inside) {
        step_in_tail(t, w, &step, &place);
        return;
    }
    own->pending = trace_add_step(t, &step);
    if (own->pending >= 0) {
        note_waiting(t, w, &t->steps[own->pending], NULL);
    }
}

/* The words of shared memory that the lanes have written, as they now are; true: there is a k-th.
 */
static bool read_written(const struct warp *w, const struct access_event *e, unsigned k,
                         struct trace_vector *v)
{
    if (k >= (e->bytes + 3) / 4 || e->space != PTX_SHARED || e->kind == ACCESS_LOAD) {
        return false;
    }
    *v = (struct trace_vector){{0}};
    for (lane_mask left = e->lanes; left != 0; left &= left - 1) {
        unsigned lane = first_lane(left);
        uint64_t at = (e->address[lane] & ~(uint64_t)3) + 4u * k; /* whole words */
        uint32_t word;
        memcpy(&word, w->block->shared + at, sizeof word);
        v->lane[lane] = word;
    }
    return true;
}

static void access_in_tail(const struct trace_warp *own, const struct warp *w,
                           const struct access_event *e, const struct trace_access *access,
                           const struct trace_vector *address)
{
    struct tail_step *s = tail_newest(&own->tail);
    if (s->has_access) {
        return;
    }
    s->has_access = true;
    s->access = *access;
    s->address = *address;
    for (unsigned k = 0; k < 4; k++) {
        s->has_written[k] = read_written(w, e, k, &s->written[k]);
    }
}

static void on_access(void *state, struct warp *w, const struct access_event *e)
{
    struct trace *t = state;
    struct trace_vector address = {{0}}, written;
    struct trace_access a = {
        .kind = e->kind,
        .space = e->space,
        .bytes = e->bytes,
        .lanes = e->lanes,
        .cost = e->cost,
        .written = {TRACE_NOTHING, TRACE_NOTHING, TRACE_NOTHING, TRACE_NOTHING}};
    const struct trace_warp *own = records(t, w) ? &t->warps[w->number] : NULL;
    if (own == NULL || pending_step(t, own) == NULL) {
        return;
    }
    for (lane_mask left = e->lanes; left != 0; left &= left - 1) {
        address.lane[first_lane(left)] = e->address[first_lane(left)];
    }
    if (own->in_tail) {
        access_in_tail(own, w, e, &a, &address);
        return;
    }
    struct trace_step *s = &t->steps[own->pending];
    if (s->access >= 0) {
        return; /* a second space of a generic access: the first one is shown */
    }
    a.address = trace_keep_vector(t, &address);
    for (unsigned k = 0; k < 4 && read_written(w, e, k, &written); k++) {
        a.written[k] = trace_keep_vector(t, &written);
    }
    s->access = trace_add_access(t, &a);
}

static void on_branch(void *state, struct warp *w, uint32_t pc, lane_mask lanes, lane_mask taken)
{
    struct trace *t = state;
    (void)lanes;
    if (!records(t, w)) {
        return;
    }
    t->warps[w->number].jumped = taken != 0;
    struct trace_step *s = pending_step(t, &t->warps[w->number]);
    if (s != NULL && s->pc == pc) {
        s->taken = taken;
    }
}

static void on_block_begin(void *state, struct block *b)
{
    struct trace *t = state;
    if (t->kernel == NULL || b->number != t->block_number) {
        return;
    }
    t->block_index = b->index;
    t->warp_count = t->played = b->warp_count;
    t->shared_bytes = b->shared_bytes;
    t->warps = arena_alloc(&t->arena, b->warp_count * sizeof *t->warps);
    for (unsigned i = 0; i < b->warp_count; i++) {
        t->warps[i] = (struct trace_warp){.pending = TRACE_NOTHING};
        rounds_begin(&t->warps[i].rounds);
    }
}

static void on_block_end(void *state, struct block *b)
{
    struct trace *t = state;
    for (unsigned i = 0; i < b->warp_count; i++) {
        if (records(t, &b->warps[i])) {
            finish_step(t, &b->warps[i]);
        }
    }
}

static void on_launch_begin(void *state, const struct launch_event *launch)
{
    struct trace *t = state;
    const unsigned events = OBSERVE_STEPS | OBSERVE_ACCESSES | OBSERVE_BRANCHES;
    t->observer.wants = t->wanted ? events : 0;
    t->observer.step_block = t->block_number;
    if (t->wanted) {
        trace_forget(t);
        t->kernel = launch->kernel;
    }
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = ((const struct trace_step *)a)->number;
    const uint64_t y = ((const struct trace_step *)b)->number;
    return (x > y) - (x < y);
}

static void on_launch_end(void *state, const struct launch_event *launch)
{
    struct trace *t = state;
    (void)launch;
    for (unsigned i = 0; t->warps != NULL && i < t->warp_count; i++) {
        end_tail(t, i);
    }
    if (t->gap_count > 0) {
        qsort(t->steps, t->step_count, sizeof *t->steps, by_number);
    }
    t->warps = NULL; /* nothing more is recorded */
    t->wanted = false;
}

void trace_init(struct trace *t)
{
    *t = (struct trace){.only_warp = -1};
    t->observer = (struct observer){.state = t,
                                    .launch_begin = on_launch_begin,
                                    .launch_end = on_launch_end,
                                    .block_begin = on_block_begin,
                                    .block_end = on_block_end,
                                    .access = on_access,
                                    .branch = on_branch,
                                    .step = on_step};
}

void trace_forget(struct trace *t)
{
    const struct trace keep = *t;
    arena_free(&t->arena);
    *t = (struct trace){.observer = keep.observer,
                        .wanted = keep.wanted,
                        .block_number = keep.block_number,
                        .only_warp = keep.only_warp,
                        .limit = keep.limit};
}
