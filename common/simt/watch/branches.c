/* branches.c - see branches.h. Each worker counts for itself; the counts are added up at the end.
 */
#include "watch/branches.h"
#include "base/room.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 2 * MOST_BRANCH_CLASSES };

/* What executions add up to. */
struct branch_sums {
    uint64_t executed, divergent, lanes, ends;
    unsigned most;
};

struct branch_tally {
    struct branch_sums others; /* those that no class has: the classes' own are added at the end */
    struct branch_class *classes;
    unsigned class_count;
    uint8_t *slots; /* by hash of lanes and taken: number + 1 of a class, 0: none */
    unsigned last;  /* the class of the last branch, if there is one */
};

struct branch_tallies {
    struct arena arena;
    struct branch_tally *of; /* by code index */
};

struct branches {
    struct observer observer;
    struct branch_tallies *workers;
    unsigned worker_count, worker_room; /* of this launch, of all launches */
    struct branch_ways **seen;          /* by worker and code index: of a tally's classes */
    unsigned seen_room;                 /* workers */
    struct arena arena;                 /* of the rows */
    struct branch_row *rows;
    unsigned row_count, row_capacity;
};

static bool comes_before(const struct branch_class *a, const struct branch_class *b)
{
    return a->block_number != b->block_number ? a->block_number < b->block_number
                                              : a->warp < b->warp;
}

/* The slot of these lanes, or the empty one where they belong. A loop whose lanes end at different
 * times has as many classes as are kept: looking at each was 42 % of a median filter's time. */
static uint8_t *slot_of(const struct branch_tally *t, lane_mask lanes, lane_mask taken)
{
    unsigned at = (unsigned)(((uint64_t)lanes << 32 | taken) * HASH_MULTIPLIER >> 57) % SLOTS;
    while (t->slots[at] != 0 && (t->classes[t->slots[at] - 1].lanes != lanes ||
                                 t->classes[t->slots[at] - 1].taken != taken)) {
        at = (at + 1) % SLOTS;
    }
    return &t->slots[at];
}

static void add_sums(struct branch_sums *sum, const struct branch_class *c)
{
    const unsigned lanes = lanes_in(c->lanes);
    sum->executed += c->count;
    sum->divergent += c->taken != 0 && c->taken != c->lanes ? c->count : 0;
    sum->lanes += c->count * lanes;
    sum->ends += c->taken == 0 ? c->count : 0;
    sum->most = lanes > sum->most ? lanes : sum->most;
}

static void add_class(struct arena *arena, struct branch_tally *t, const struct branch_class *c)
{
    if (t->classes == NULL) {
        t->classes = arena_alloc(arena, MOST_BRANCH_CLASSES * sizeof *t->classes);
        t->slots = arena_alloc(arena, SLOTS);
    }
    uint8_t *slot = slot_of(t, c->lanes, c->taken);
    if (*slot != 0) {
        struct branch_class *known = &t->classes[*slot - 1];
        const uint64_t count = known->count + c->count;
        if (comes_before(c, known)) {
            *known = *c;
        }
        known->count = count;
        t->last = *slot - 1u;
        return;
    }
    if (t->class_count == MOST_BRANCH_CLASSES) {
        add_sums(&t->others, c);
        return;
    }
    t->last = t->class_count;
    t->classes[t->class_count++] = *c;
    *slot = (uint8_t)t->class_count;
}

/* In the same block as the sample of its class, or a later one: then that stays what it is. */
static inline bool add_to_known(struct branch_class *c, const struct warp *w)
{
    const struct block *b = w->block;
    const bool before =
        b->number < c->block_number || (b->number == c->block_number && w->number < c->warp);
    c->count += !before;
    return !before;
}

/* What the machine has counted meanwhile. */
static void add_seen(struct branch_tally *t, struct branch_seen *seen)
{
    if (seen->count != 0) {
        t->classes[*slot_of(t, seen->lanes, seen->taken) - 1].count += seen->count;
        seen->count = 0;
    }
}

static void add_ways(struct branch_tally *t, struct branch_ways *ways)
{
    for (unsigned i = 0; i < BRANCH_WAYS; i++) {
        add_seen(t, &ways->of[i]);
    }
}

/* A branch that does what the last one did is counted by the machine from now on, but for those of
 * its own block. Of what else is counted the other goes that has come less often since the last
 * time that one went, or that is older. */
static void look_for(struct branch_tally *t, struct branch_ways *ways)
{
    const struct branch_class *last = &t->classes[t->last];
    const struct branch_seen now = {last->lanes, last->taken, last->block_number, 0};
    struct branch_seen *of = ways->of;
    const bool is_second = of[1].lanes == now.lanes && of[1].taken == now.taken;
    const bool is_first = of[0].lanes == now.lanes && of[0].taken == now.taken;
    const bool second_goes = is_second || (!is_first && of[1].count <= of[0].count);
    add_ways(t, ways);
    if (second_goes) {
        of[1] = of[0];
    }
    of[0] = now;
}

static void add_new_class(struct branch_tallies *tallies, struct branch_tally *t,
                          const struct warp *w, lane_mask lanes, lane_mask taken)
{
    add_class(&tallies->arena, t,
              &(struct branch_class){.lanes = lanes,
                                     .taken = taken,
                                     .count = 1,
                                     .block = w->block->index,
                                     .block_number = w->block->number,
                                     .warp = w->number});
}

static __attribute__((noinline)) void add_other(struct branch_tallies *tallies,
                                                struct branch_tally *t, const struct warp *w,
                                                lane_mask lanes, lane_mask taken,
                                                struct branch_ways *ways)
{
    const unsigned slot = t->class_count > 0 ? *slot_of(t, lanes, taken) : 0;
    if (slot == 0 && t->class_count == MOST_BRANCH_CLASSES) {
        add_sums(&t->others, &(struct branch_class){.lanes = lanes, .taken = taken, .count = 1});
        return;
    }
    if (slot != 0 && add_to_known(&t->classes[slot - 1], w)) {
        t->last = slot - 1;
    } else {
        add_new_class(tallies, t, w, lanes, taken);
    }
    look_for(t, ways);
}

/* Most branches do what the last one did: for them this function saves no register. */
static void on_branch(void *state, struct warp *w, uint32_t pc, lane_mask lanes, lane_mask taken)
{
    struct branches *b = state;
    struct branch_tallies *tallies = &b->workers[w->block->worker];
    struct branch_tally *t = &tallies->of[pc];
    struct branch_class *last = &t->classes[t->last];
    if (t->class_count == 0 || last->lanes != lanes || last->taken != taken ||
        !add_to_known(last, w)) {
        add_other(tallies, t, w, lanes, taken, &b->seen[w->block->worker][pc]);
    }
}

static void forget(struct branches *b)
{
    for (unsigned i = 0; i < b->worker_room; i++) {
        arena_clear(&b->workers[i].arena);
        b->workers[i].of = NULL;
    }
    arena_clear(&b->arena);
    b->rows = NULL;
    b->worker_count = b->row_count = b->row_capacity = 0;
}

static void on_launch_begin(void *state, const struct launch_event *launch)
{
    struct branches *b = state;
    forget(b);
    b->workers = room_extended(b->workers, &b->worker_room, launch->workers, sizeof *b->workers);
    b->worker_count = launch->workers;
    b->seen = room_extended(b->seen, &b->seen_room, launch->workers, sizeof *b->seen);
    for (unsigned i = 0; i < launch->workers; i++) {
        struct branch_tallies *w = &b->workers[i];
        w->of = arena_alloc(&w->arena, (launch->kernel->code_count + 1) * sizeof *w->of);
        b->seen[i] = arena_alloc(&w->arena, (launch->kernel->code_count + 1) * sizeof *b->seen[i]);
    }
    b->observer.branch_seen = b->seen;
}

static int most_first(const void *left, const void *right)
{
    const struct branch_class *a = left, *b = right;
    int order = number_order(b->count, a->count);
    order = order != 0 ? order : number_order(a->lanes, b->lanes);
    return order != 0 ? order : number_order(a->taken, b->taken);
}

static int by_place(const void *left, const void *right)
{
    const struct branch_row *a = left, *b = right;
    int order = strcmp(a->file != NULL ? a->file : "", b->file != NULL ? b->file : "");
    order = order != 0 ? order : number_order(a->line, b->line);
    return order != 0 ? order : number_order(a->pc, b->pc);
}

static void add_row(struct branches *b, const struct kernel *k, uint32_t pc)
{
    struct branch_tally classes = {0};
    struct branch_sums sum = {0};
    for (unsigned i = 0; i < b->worker_count; i++) {
        struct branch_tally *t = &b->workers[i].of[pc];
        add_ways(t, &b->seen[i][pc]);
        const struct branch_sums *o = &t->others;
        sum.executed += o->executed;
        classes.others.executed += o->executed;
        sum.divergent += o->divergent;
        sum.lanes += o->lanes;
        sum.ends += o->ends;
        sum.most = o->most > sum.most ? o->most : sum.most;
        for (unsigned c = 0; c < t->class_count; c++) {
            add_sums(&sum, &t->classes[c]);
            add_class(&b->arena, &classes, &t->classes[c]);
        }
    }
    if (sum.executed == 0) {
        return;
    }
    qsort(classes.classes, classes.class_count, sizeof *classes.classes, most_first);
    b->rows = arena_grow(&b->arena, b->rows, b->row_count, &b->row_capacity, sizeof *b->rows);
    struct branch_row *row = &b->rows[b->row_count++];
    *row = (struct branch_row){.pc = pc,
                               .executed = sum.executed,
                               .divergent = sum.divergent,
                               .back = k->origin[pc] != NULL && k->origin[pc]->op == PTX_OP_BRA &&
                                       k->code[pc].target <= (int64_t)pc,
                               .lanes = sum.lanes,
                               .ends = sum.ends,
                               .most = sum.most,
                               .others = classes.others.executed,
                               .classes = classes.classes,
                               .class_count = classes.class_count};
    row->line = observer_line(k, pc, &row->file);
    row->column = row->line != 0 ? ptx_user_line(k->module, k->origin[pc]->loc)->column : 0;
}

static void on_launch_end(void *state, const struct launch_event *launch)
{
    struct branches *b = state;
    for (uint32_t pc = 0; pc < launch->kernel->code_count; pc++) {
        add_row(b, launch->kernel, pc);
    }
    if (b->row_count > 0) {
        qsort(b->rows, b->row_count, sizeof *b->rows, by_place);
    }
}

struct branches *branches_open(void)
{
    struct branches *b = room_new(1, sizeof *b);
    b->observer = (struct observer){.state = b,
                                    .wants = OBSERVE_BRANCHES,
                                    .launch_begin = on_launch_begin,
                                    .launch_end = on_launch_end,
                                    .branch = on_branch};
    return b;
}

const struct observer *branches_observer(const struct branches *b) { return &b->observer; }

unsigned branches_rows(const struct branches *b, const struct branch_row **rows)
{
    *rows = b->rows;
    return b->row_count;
}
