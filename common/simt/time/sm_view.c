/* sm_view.c - see sm_view.h. */
#include "time/sm_view.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "time/sm_state.h"

enum {
    MOST_ISSUES = 150000, /* instructions that are simulated; a block that has begun is finished */
    MOST_STATES = 3500    /* that are kept for drawing */
};

/* Cycles of work that may lie before the L1 and before memory: beyond, nothing more is issued. */
#define L1_QUEUE     48.0
#define MEMORY_QUEUE 1500.0
#define NEVER        1e30
/* Cycles between two instructions of a warp, as ptxas writes them into most of the machine's code;
 * and until a special register is there. */
#define BETWEEN        1.0
#define SPECIAL_CYCLES 28.0

const char *sm_view_stall_name(enum stall stall)
{
    static const char *const names[STALLS] = {
        "selected",           "not_selected", "long_scoreboard",
        "short_scoreboard",   "wait",         "barrier",
        "math_pipe_throttle", "lg_throttle",  "mio_throttle",
        "branch_resolving",   "membar",       "drain"};
    return names[stall];
}

/* ---- a warp's way ---------------------------------------------------------------------------- */

/* How often this warp comes to the stretch: on average as often as all do. */
static double visits_of(const struct sm *sm, const struct slot *w, unsigned stretch)
{
    return floor(sm->s.stretches[stretch].runs + sm_share_of(w->number, stretch));
}

/* Of the stretches that may follow, the one that is furthest behind. NULL: the warp ends. */
static const struct stretch *next_stretch(const struct sm *sm, const struct slot *w)
{
    const struct stretch *best = NULL;
    double behind = NEVER;
    for (unsigned i = 0; i < sm->s.count; i++) {
        const struct stretch *to = &sm->s.stretches[i];
        if (!stretch_leads_to(w->at, to)) {
            continue;
        }
        const double visits = visits_of(sm, w, i);
        const double left = visits - w->visited[i];
        const double place =
            left > 0 ? (w->visited[i] + 1) / visits : 1e6 + w->visited[i] / to->runs;
        if (w->visited[i] < 2 * to->runs + 2 && place < behind) {
            behind = place;
            best = to;
        }
    }
    return best;
}

/* Pieces become twice as long where there are too few of them. */
static void add_to_buckets(struct sm_view *t, double from, double to, enum stall stall)
{
    while (to >= SM_VIEW_BUCKETS * t->bucket_cycles) {
        for (unsigned i = 0; i < SM_VIEW_BUCKETS; i++) {
            for (unsigned k = 0; k < STALLS; k++) {
                t->buckets[i][k] = 2 * i + 1 < SM_VIEW_BUCKETS
                                       ? t->buckets[2 * i][k] + t->buckets[2 * i + 1][k]
                                       : 0;
            }
        }
        t->bucket_cycles *= 2;
    }
    while (from < to) {
        const unsigned i = (unsigned)(from / t->bucket_cycles);
        const double end = fmin(to, (i + 1) * t->bucket_cycles);
        t->buckets[i][stall] += end - from;
        from = end;
    }
}

static void keep_state(struct sm *sm, struct slot *w, double to, enum stall stall, uint32_t pc,
                       uint32_t cause)
{
    struct sm_view *t = sm->out;
    if (to <= w->since) {
        return;
    }
    t->sums[stall] += to - w->since;
    add_to_buckets(t, w->since, to, stall);
    if (t->state_count < MOST_STATES && (w - sm->slots) % SCHEDULERS == 0) {
        ROOM_FOR_ONE(t->states, t->state_count, t->state_room, 1024);
        t->states[t->state_count++] = (struct sm_view_state){.from = w->since,
                                                             .to = to,
                                                             .pc = pc,
                                                             .cause = cause,
                                                             .slot = (uint16_t)(w - sm->slots),
                                                             .block = (uint16_t)w->block->number,
                                                             .stall = (uint8_t)stall};
        t->drawn = fmax(t->drawn, to);
    }
    w->since = to;
}

/* When the next instruction has what it reads, and what it waits for until then. */
static void find_ready(struct slot *w)
{
    const struct op *op = &w->at->ops[w->op];
    w->ready = w->free;
    w->stall = w->held;
    w->cause = w->held_by;
    for (unsigned r = 0; r < op->reads; r++) {
        const struct value *v = &w->values[op->read[r]];
        if (v->ready > w->ready) {
            w->ready = v->ready;
            w->stall = v->stall;
            w->cause = v->pc;
        }
    }
}

static void begin_block(struct sm *sm, unsigned place, double now);

static void open_barrier(struct sm *sm, struct sm_block *b, double now)
{
    const struct gpu_latencies *l = &sm->in->rates->latency;
    if (b->live == 0 || b->arrived < b->live) {
        return;
    }
    b->arrived = 0;
    for (unsigned i = 0; i < sm->out->slots; i++) {
        struct slot *w = &sm->slots[i];
        if (w->block == b && w->ready == NEVER) {
            w->free = now + l->barrier;
            w->held = STALL_BARRIER;
            find_ready(w);
        }
    }
}

/* Goes to the next instruction that is there, or ends the warp. */
static void advance(struct sm *sm, struct slot *w, double now)
{
    w->op++;
    while (w->at != NULL && w->op >= w->at->count) {
        for (unsigned i = 0; i < w->at->renamed_count; i++) {
            w->values[w->at->renamed[i].reg] = w->values[w->at->renamed[i].value];
        }
        w->at = next_stretch(sm, w);
        w->op = 0;
        if (w->at != NULL) {
            w->visited[w->at - sm->s.stretches]++;
        }
    }
    if (w->at != NULL) {
        find_ready(w);
        return;
    }
    struct sm_block *b = w->block;
    keep_state(sm, w, fmax(w->stored, w->since), STALL_DRAIN, NO_PC, NO_PC);
    b->ends = fmax(b->ends, w->since);
    sm->out->cycles = fmax(sm->out->cycles, w->since);
    w->block = NULL;
    b->live--;
    if (b->live > 0) {
        open_barrier(sm, b, now);
    } else {
        sm->out->blocks++;
        begin_block(sm, (unsigned)(b - sm->blocks), b->ends);
    }
}

static void begin_warp(struct sm *sm, struct slot *w, struct sm_block *b, double start)
{
    w->block = b;
    w->number = sm->warps++;
    w->since = start;
    w->free = start;
    w->stored = 0;
    w->in_flight = (struct in_flight){.bulk_count = 0};
    w->held = STALL_WAIT;
    w->held_by = NO_PC;
    w->at = &sm->s.stretches[0];
    w->op = UINT_MAX; /* advance() goes to the first instruction */
    memset(w->visited, 0, (sm->s.count + 1) * sizeof *w->visited);
    memset(w->values, 0, (sm->s.value_count + 1) * sizeof *w->values);
    w->visited[0] = 1;
}

/* Warps begin where the kernel does: stretches stand in the order of its code. */
static void begin_block(struct sm *sm, unsigned place, double now)
{
    struct sm_block *b = &sm->blocks[place];
    const unsigned warps = sm->in->warps_a_block;
    if (sm->begun == sm->in->blocks || (sm->issues >= MOST_ISSUES && sm->begun > 0)) {
        return;
    }
    const double start = fmax(now, sm->next_block);
    sm->next_block = start + sm->in->block_cycles;
    *b = (struct sm_block){.number = sm->begun++, .live = warps};
    for (unsigned i = 0; i < warps; i++) {
        struct slot *w = &sm->slots[place * warps + i];
        begin_warp(sm, w, b, start + sm->in->start_cycles);
        advance(sm, w, start);
    }
}

/* ---- issuing --------------------------------------------------------------------------------- */

struct candidate {
    struct slot *w;
    double at, free; /* when it goes; when the pipes take it */
    enum stall stall;
};

/* The warp that goes next of all: the first that can, of its scheduler the one that waited longest.
 */
static struct candidate next_warp(struct sm *sm)
{
    struct candidate best = {.at = NEVER};
    for (unsigned i = 0; i < sm->out->slots; i++) {
        struct slot *w = &sm->slots[i];
        if (w->block == NULL || w->ready >= NEVER || w->ready > best.at) {
            continue;
        }
        const struct sm_pipes *p = &sm->pipes[i % SCHEDULERS];
        struct candidate c = {.w = w};
        c.free = fmax(w->ready, sm_when_free(sm, p, &w->at->ops[w->op], &c.stall));
        c.at = fmax(c.free, w->at->ops[w->op].issue > 0 ? p->issue : 0);
        if (c.at < best.at || (c.at == best.at && w->since < best.w->since)) {
            best = c;
        }
    }
    return best;
}

static void issue(struct sm *sm, const struct candidate *c)
{
    struct slot *w = c->w;
    const struct op *op = &w->at->ops[w->op];
    struct sm_pipes *p = &sm->pipes[(unsigned)(w - sm->slots) % SCHEDULERS];
    keep_state(sm, w, fmin(w->ready, c->at), w->stall, op->pc, w->cause);
    if (c->free > p->issue) { /* else it is the issue slot that others have */
        keep_state(sm, w, c->free, c->stall, op->pc, NO_PC);
    }
    keep_state(sm, w, c->at, STALL_NOT_SELECTED, op->pc, NO_PC);
    keep_state(sm, w, c->at + op->issue, STALL_SELECTED, op->pc, NO_PC);
    p->issue = op->issue > 0 ? c->at + op->issue : p->issue;
    sm->out->issued += op->issue;
    sm->issues++;
    sm_use_pipes(sm, p, op, c->at);
    const double done = op->kind == WAIT_MEMORY ? sm_use_memory(sm, w, op, c->at)
                        : sm_reads_special(op)  ? c->at + SPECIAL_CYCLES
                                                : c->at + op->latency;
    const double ready = op->asynchronous ? c->at : done;
    w->stored = op->kind == WAIT_MEMORY && (op->writes == 0 || op->in->op == PTX_OP_ATOM)
                    ? fmax(w->stored, done)
                    : w->stored;
    for (unsigned i = 0; i < op->writes; i++) {
        w->values[op->written[i]] =
            (struct value){fmax(ready, c->at + op->issue), op->pc, sm_stall_of(op)};
    }
    w->free = c->at + op->issue + (op->issue > 0 ? BETWEEN : 0);
    w->held = STALL_WAIT;
    w->held_by = op->pc;
    if (in_flight_concerns(op)) {
        const double free = in_flight_issue(&w->in_flight, op, c->at, done - c->at, p->tensor);
        w->held = free > w->free ? STALL_LONG_SCOREBOARD : w->held;
        w->free = fmax(w->free, free);
    } else if (op->kind == WAIT_BRANCH || op->kind == WAIT_CALL ||
               (op->writes == 0 && op->order == ORDER_FENCE && op->kind == WAIT_MEMORY)) {
        w->free = done;
        w->held = sm_stall_of(op);
    }
    sm->out->cycles = fmax(sm->out->cycles, w->free);
    const bool waits = op->kind == WAIT_BARRIER;
    struct sm_block *b = w->block;
    advance(sm, w, c->at);
    if (waits && w->block == b && w->at != NULL) {
        w->ready = NEVER;
        w->held_by = op->pc;
        b->arrived++;
        open_barrier(sm, b, c->at);
    }
}

/* ---- together -------------------------------------------------------------------------------- */

static int by_code(const void *left, const void *right)
{
    const struct stretch *a = left, *b = right;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

void sm_view_make(const struct sm_view_input *in, struct sm_view *out)
{
    struct sm sm = {.in = in, .out = out};
    *out = (struct sm_view){.slots = in->resident * in->warps_a_block, .bucket_cycles = 16};
    sm.s = (struct scheduler){.k = in->k,
                              .rates = in->rates,
                              .latency = in->latency,
                              .state = in->state,
                              .warps_a_block = in->warps_a_block,
                              .coupled = 1};
    stretch_make(&sm.s, in->sites, in->warps);
    in_flight_find_lags(&sm.s);
    if (sm.s.count == 0 || in->blocks == 0) {
        arena_free(&sm.s.arena);
        return;
    }
    qsort(sm.s.stretches, sm.s.count, sizeof *sm.s.stretches, by_code);
    sm.slots = arena_alloc(&sm.s.arena, out->slots * sizeof *sm.slots);
    sm.blocks = arena_alloc(&sm.s.arena, in->resident * sizeof *sm.blocks);
    for (unsigned i = 0; i < out->slots; i++) {
        struct slot *w = &sm.slots[i];
        w->visited = arena_alloc(&sm.s.arena, (sm.s.count + 1) * sizeof *w->visited);
        w->values = arena_alloc(&sm.s.arena, (sm.s.value_count + 1) * sizeof *w->values);
    }
    for (unsigned i = 0; i < in->resident; i++) {
        begin_block(&sm, i, 0);
    }
    for (struct candidate c = next_warp(&sm); c.w != NULL && sm.issues < 4 * MOST_ISSUES;
         c = next_warp(&sm)) {
        issue(&sm, &c);
    }
    out->cycles = fmax(out->cycles, fmax(fmax(sm.l2, sm.dram), fmax(sm.l1, sm.atomics)));
    arena_free(&sm.s.arena);
}

void sm_view_free(struct sm_view *t)
{
    free(t->states);
    *t = (struct sm_view){.states = NULL};
}
