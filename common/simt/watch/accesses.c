/* accesses.c - see accesses.h.
 *
 * While a launch runs, each worker counts for itself, by code index, and nothing is locked. When it
 * has ended, the workers' counts are added up and instructions of one access become one row. */
#include "watch/accesses.h"
#include "base/room.h"

#include "base/arena.h"

#include "common/gpu/access.h"

#include <stdlib.h>
#include <string.h>

enum { SECTOR_BYTES = 32 };

/* The requests of one instruction on one worker. */
struct access_tally {
    enum access_kind kind;
    enum ptx_space space;
    unsigned bytes;
    uint64_t requests, lanes, cost, least, conflicts, wanted_bytes;
    uint64_t uniform, uniform_low, uniform_high;
    uint64_t first_block; /* who made the first request */
    unsigned first_warp;
    bool repeated;
    struct access_class *classes;
    unsigned class_count, class_capacity;
    /* What was found out about the addresses of the last request, or of the last one with that
     * slot: most repeat them, moved. */
    lane_mask known_lanes;           /* 0: nothing yet */
    uint32_t version[PATTERN_SLOTS]; /* 0: it has been compared with the distances */
    uint8_t known_distinct[PATTERN_SLOTS];
    uint64_t known_distance[WARP_LANES];
};

struct access_tallies {
    struct arena arena;
    struct access_tally *
        *of; /* by code index; NULL: not executed. A generic instruction has a chain: */
    unsigned count;
    struct generic {
        uint32_t pc;
        struct access_tally *tally;
    } * generics; /* tallies of a further space of an instruction that has one already */
    unsigned generic_count, generic_capacity;
};

struct accesses {
    struct observer observer;
    bool counts_bytes;
    struct access_tallies *workers;
    unsigned worker_count, worker_room; /* of this launch, of all launches */
    struct arena arena;                 /* of the rows */
    struct access_row *rows;
    unsigned row_count, row_capacity;
};

/* --- while the launch runs -------------------------------------------------------------------- */

static struct access_tally *new_tally(struct access_tallies *w, const struct access_event *e)
{
    struct access_tally *t = arena_alloc(&w->arena, sizeof *t);
    t->kind = e->kind;
    t->space = e->space;
    t->bytes = e->bytes;
    return t;
}

static bool fits(const struct access_tally *t, const struct access_event *e)
{
    return t->space == e->space && t->kind == e->kind;
}

static __attribute__((noinline)) struct access_tally *other_tally_of(struct access_tallies *w,
                                                                     const struct access_event *e)
{
    if (w->of[e->pc] == NULL) {
        return w->of[e->pc] = new_tally(w, e);
    }
    for (unsigned i = 0; i < w->generic_count; i++) {
        if (w->generics[i].pc == e->pc && fits(w->generics[i].tally, e)) {
            return w->generics[i].tally;
        }
    }
    w->generics = arena_grow(&w->arena, w->generics, w->generic_count, &w->generic_capacity,
                             sizeof *w->generics);
    struct generic *g = &w->generics[w->generic_count++];
    *g = (struct generic){e->pc, new_tally(w, e)};
    return g->tally;
}

/* What happens seldom is kept out of the functions that every new pattern goes through. */
static inline struct access_tally *tally_of(struct access_tallies *w, const struct access_event *e)
{
    struct access_tally *first = w->of[e->pc];
    return first != NULL && fits(first, e) ? first : other_tally_of(w, e);
}

/* Are the lanes and their distances from the first one those of the last time? Written for the
 * compiler to turn into vector instructions. */
static bool looks_the_same(const struct access_tally *t, const struct access_event *e,
                           const uint64_t *address)
{
    uint64_t differs = 0;
    if (t->known_lanes != e->lanes) {
        return false;
    }
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint64_t wanted = 0 - (uint64_t)(e->lanes >> i & 1u);
        differs |= ((address[i] - e->start) ^ t->known_distance[i]) & wanted;
    }
    return differs == 0;
}

/* Of an event without a pattern. */
static __attribute__((noinline)) void look_at(struct access_tally *t, const struct access_event *e)
{
    t->version[0] = 0;
    if (!looks_the_same(t, e, e->address)) {
        t->known_lanes = e->lanes;
        for (unsigned i = 0; i < WARP_LANES; i++) {
            t->known_distance[i] = e->address[i] - e->start;
        }
        t->known_distinct[0] = (uint8_t)access_distinct(e->address, e->lanes);
    }
}

/* Of elements that lie within 32 of each other: a bit for each. */
static unsigned count_near(const struct pattern *p, unsigned shift)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) { /* lanes that are off have the first one's place */
        bits |= UINT32_C(1) << (((uint32_t)p->relative[i] - (uint32_t)p->lowest) >> shift & 31);
    }
    return lanes_in(bits);
}

/* Of a new pattern. Where a load or store costs a sector for each lane, each has another address.
 * Where neither the least cost nor wanted bytes depend on how many there are, it is enough to know
 * whether there are several. */
static __attribute__((noinline)) unsigned count_distinct(const struct accesses *a,
                                                         const struct access_event *e)
{
    uint64_t room[WARP_LANES];
    const struct pattern *p = e->pattern;
    const unsigned lanes = lanes_in(e->lanes);
    const bool moves = e->kind == ACCESS_LOAD || e->kind == ACCESS_STORE;
    const bool has_least = moves && e->space == PTX_GLOBAL; /* which least_sectors() asks for */
    if (p->low_bits == 0) {
        return 1;
    }
    if (p->contiguous || (has_least && e->cost.b == lanes) || !(has_least || a->counts_bytes)) {
        return lanes;
    }
    const unsigned shift = (unsigned)__builtin_ctzll(p->low_bits);
    return (uint64_t)(p->highest - p->lowest) >> shift < 32
               ? count_near(p, shift)
               : access_distinct(observer_addresses(e, room), e->lanes);
}

/* Most requests repeat the pattern of the last one: then nothing has to be looked at. Another
 * version is another pattern. */
static unsigned distinct_of(const struct accesses *a, struct access_tally *t,
                            const struct access_event *e)
{
    if (e->pattern == NULL) {
        look_at(t, e);
    } else if (e->pattern->version != t->version[e->slot]) {
        t->known_lanes = 0;
        t->known_distinct[e->slot] = (uint8_t)count_distinct(a, e);
        t->version[e->slot] = e->pattern->version;
    }
    return t->known_distinct[e->slot];
}

/* The fewest sectors that could hold what the lanes ask for: elements side by side, each once for
 * lanes that read the same. Lanes that update one word of global memory atomically are served one
 * after the other, so for those side by side means a word for each lane. */
static unsigned least_sectors(const struct access_event *e, unsigned distinct)
{
    bool atomic = e->kind == ACCESS_ATOMIC || e->kind == ACCESS_REDUCTION;
    uint64_t elements = atomic ? lanes_in(e->lanes) : distinct;
    unsigned least = (unsigned)((elements * e->bytes + SECTOR_BYTES - 1) / SECTOR_BYTES);
    return least < e->cost.b ? least : (unsigned)e->cost.b;
}

static __attribute__((noinline)) struct access_class *new_class(struct access_tallies *w,
                                                                struct access_tally *t,
                                                                const struct warp *warp,
                                                                const struct access_event *e)
{
    uint64_t room[WARP_LANES];
    t->classes =
        arena_grow(&w->arena, t->classes, t->class_count, &t->class_capacity, sizeof *t->classes);
    struct access_class *c = &t->classes[t->class_count++];
    *c = (struct access_class){.cost = (unsigned)e->cost.b,
                               .sample = {.block = warp->block->index,
                                          .block_number = warp->block->number,
                                          .warp = warp->number,
                                          .lanes = e->lanes}};
    memcpy(c->sample.address, observer_addresses(e, room), sizeof c->sample.address);
    return c;
}

static struct access_class *class_of(struct access_tallies *w, struct access_tally *t,
                                     const struct warp *warp, const struct access_event *e)
{
    for (unsigned i = 0; i < t->class_count; i++) {
        if (t->classes[i].cost == e->cost.b) {
            return &t->classes[i];
        }
    }
    return new_class(w, t, warp, e);
}

/* All lanes ask for one address, here the lowest and the highest of several requests: how far apart
 * these are tells a table from a matrix. */
static void add_uniform(struct access_tally *t, uint64_t low, uint64_t high, uint64_t count)
{
    t->uniform_low = t->uniform == 0 || low < t->uniform_low ? low : t->uniform_low;
    t->uniform_high = high > t->uniform_high ? high : t->uniform_high;
    t->uniform += count;
}

/* What requests like this one add up to. */
static void add_requests(struct access_tally *t, const struct access_event *e, unsigned distinct,
                         uint64_t count)
{
    const uint64_t least = e->space == PTX_GLOBAL   ? least_sectors(e, distinct)
                           : e->space == PTX_SHARED ? e->cost.b - e->cost.c
                                                    : 0;
    t->requests += count;
    t->lanes += count * lanes_in(e->lanes);
    t->wanted_bytes += count * distinct * e->bytes;
    t->cost += count * e->cost.b;
    t->conflicts += count * e->cost.c;
    t->least += count * least;
}

static bool is_uniform(const struct access_event *e, unsigned distinct)
{
    return distinct == 1 && (e->lanes & (e->lanes - 1)) != 0;
}

static void on_access(void *state, struct warp *warp, const struct access_event *e)
{
    struct accesses *a = state;
    struct access_tallies *w = &a->workers[warp->block->worker];
    struct access_tally *t = tally_of(w, e);
    unsigned distinct = distinct_of(a, t, e);
    if (t->requests == 0) {
        t->first_block = warp->block->number;
        t->first_warp = warp->number;
    } else if (t->first_warp == warp->number && t->first_block == warp->block->number) {
        t->repeated = true;
    }
    add_requests(t, e, distinct, 1);
    if (is_uniform(e, distinct)) {
        add_uniform(t, e->start, e->start, 1);
    }
    class_of(w, t, warp, e)->requests++;
}

/* Each repeats a request that on_access() has seen, of the pattern that it has seen last. */
static void on_repeats(void *state, unsigned worker, const struct access_event *e, uint64_t count)
{
    struct accesses *a = state;
    struct access_tallies *w = &a->workers[worker];
    struct access_tally *t = tally_of(w, e);
    const unsigned distinct = t->known_distinct[e->slot];
    add_requests(t, e, distinct, count);
    if (is_uniform(e, distinct)) {
        add_uniform(t, e->low, e->high, count);
    }
    class_of(w, t, NULL, e)->requests += count;
}

/* What the arenas have stays for the next launch: a small one would spend a third of its time on
 * memory that it gives back and gets again. */
static void forget(struct accesses *a)
{
    for (unsigned i = 0; i < a->worker_room; i++) {
        struct access_tallies *w = &a->workers[i];
        arena_clear(&w->arena);
        *w = (struct access_tallies){.arena = w->arena};
    }
    arena_clear(&a->arena);
    a->rows = NULL;
    a->worker_count = a->row_count = a->row_capacity = 0;
}

static void on_launch_begin(void *state, const struct launch_event *launch)
{
    struct accesses *a = state;
    forget(a);
    a->workers = room_extended(a->workers, &a->worker_room, launch->workers, sizeof *a->workers);
    a->worker_count = launch->workers;
    for (unsigned i = 0; i < launch->workers; i++) {
        struct access_tallies *w = &a->workers[i];
        w->count = launch->kernel->code_count;
        w->of = arena_alloc(&w->arena, (w->count + 1) * sizeof(struct access_tally *));
    }
}

/* --- when it has ended ------------------------------------------------------------------------ */

static bool same_file(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_access(const struct access_row *a, const struct access_row *b)
{
    return same_file(a->file, b->file) && a->line == b->line && a->column == b->column &&
           a->kind == b->kind && a->space == b->space && a->bytes == b->bytes &&
           a->array_begin == b->array_begin && a->parameter == b->parameter;
}

static struct access_row *row_for(struct accesses *a, const struct launch_event *launch,
                                  const struct access_tally *t, uint32_t pc)
{
    const struct access_sample *sample = &t->classes[0].sample;
    const struct ptx_insn *origin = launch->kernel->origin[pc];
    struct access_row row = {.kind = t->kind, .space = t->space, .bytes = t->bytes, .pc = pc};
    uint64_t address = sample->address[first_lane(sample->lanes)];
    row.line = observer_line(launch->kernel, pc, &row.file);
    row.column = row.line != 0 ? ptx_user_line(launch->kernel->module, origin->loc)->column : 0;
    access_name_array(&row, launch, address);
    for (unsigned i = 0; i < a->row_count; i++) {
        if (same_access(&a->rows[i], &row)) {
            return &a->rows[i];
        }
    }
    a->rows = arena_grow(&a->arena, a->rows, a->row_count, &a->row_capacity, sizeof row);
    if (row.file != NULL) { /* the module's own may be gone when somebody reads the rows */
        row.file = arena_strndup(&a->arena, row.file, strlen(row.file));
    }
    a->rows[a->row_count] = row;
    return &a->rows[a->row_count++];
}

/* Of one block's requests, by instructions that unrolling made of one access, that of most lanes.
 */
static bool comes_before(const struct access_sample *a, const struct access_sample *b)
{
    const unsigned own = lanes_in(a->lanes), other = lanes_in(b->lanes);
    if (a->block_number != b->block_number) {
        return a->block_number < b->block_number;
    }
    return own != other ? own > other : a->warp < b->warp;
}

static void add_class(struct accesses *a, struct access_row *row, const struct access_class *c)
{
    struct access_class *classes = (struct access_class *)(uintptr_t)row->classes;
    unsigned i = 0;
    while (i < row->class_count && classes[i].cost < c->cost) {
        i++;
    }
    if (i < row->class_count && classes[i].cost == c->cost) {
        classes[i].requests += c->requests;
        if (comes_before(&c->sample, &classes[i].sample)) {
            classes[i].sample = c->sample;
        }
        return;
    }
    struct access_class *grown = arena_alloc(&a->arena, (row->class_count + 1) * sizeof *grown);
    if (row->class_count > 0) {
        memcpy(grown, classes, i * sizeof *grown);
        memcpy(grown + i + 1, classes + i, (row->class_count - i) * sizeof *grown);
    }
    grown[i] = *c;
    row->classes = grown;
    row->class_count++;
}

static bool costs_least_of(const struct access_tallies *w, enum ptx_space space, uint32_t pc)
{
    const struct access_tally *own = pc < w->count ? w->of[pc] : NULL;
    for (unsigned g = 0; g < w->generic_count && own != NULL && own->space != space; g++) {
        own = w->generics[g].pc == pc ? w->generics[g].tally : own;
    }
    return own == NULL || own->space != space || own->cost == own->least;
}

/* Do all requests of an instruction cost the least, whichever worker executed them? */
static bool costs_least(const struct accesses *a, enum ptx_space space, uint32_t pc)
{
    bool least = true;
    for (unsigned i = 0; i < a->worker_count && least; i++) {
        least = costs_least_of(&a->workers[i], space, pc);
    }
    return least;
}

static void add_tally(struct accesses *a, const struct launch_event *launch,
                      const struct access_tally *t, uint32_t pc)
{
    struct access_row *row = row_for(a, launch, t, pc);
    row->requests += t->requests;
    row->lanes += t->lanes;
    row->cost += t->cost;
    row->least += t->least;
    row->conflicts += t->conflicts;
    row->wanted_bytes += a->counts_bytes ? t->wanted_bytes : 0;
    row->repeated |= t->repeated;
    row->least_once |= costs_least(a, t->space, pc);
    if (t->uniform > 0) {
        const bool first = row->uniform == 0;
        row->uniform += t->uniform;
        row->uniform_low =
            first || t->uniform_low < row->uniform_low ? t->uniform_low : row->uniform_low;
        row->uniform_high =
            t->uniform_high > row->uniform_high ? t->uniform_high : row->uniform_high;
    }
    for (unsigned i = 0; i < t->class_count; i++) {
        add_class(a, row, &t->classes[i]);
    }
}

static int by_place(const void *left, const void *right)
{
    const struct access_row *a = left, *b = right;
    int order = strcmp(a->file != NULL ? a->file : "", b->file != NULL ? b->file : "");
    order = order != 0 ? order : number_order(a->line, b->line);
    order = order != 0 ? order : number_order(a->column, b->column);
    order = order != 0 ? order : number_order(a->pc, b->pc);
    return order != 0 ? order : number_order(a->space, b->space);
}

static void on_launch_end(void *state, const struct launch_event *launch)
{
    struct accesses *a = state;
    for (unsigned i = 0; i < a->worker_count; i++) {
        const struct access_tallies *w = &a->workers[i];
        for (uint32_t pc = 0; pc < w->count; pc++) {
            if (w->of[pc] != NULL) {
                add_tally(a, launch, w->of[pc], pc);
            }
        }
        for (unsigned g = 0; g < w->generic_count; g++) {
            add_tally(a, launch, w->generics[g].tally, w->generics[g].pc);
        }
    }
    if (a->row_count > 0) {
        qsort(a->rows, a->row_count, sizeof *a->rows, by_place);
    }
}

/* --- reading ---------------------------------------------------------------------------------- */

struct accesses *accesses_open(bool counts_bytes)
{
    struct accesses *a = room_new(1, sizeof *a);
    a->counts_bytes = counts_bytes;
    a->observer = (struct observer){.state = a,
                                    .wants = OBSERVE_ACCESSES | OBSERVE_PATTERNS,
                                    .launch_begin = on_launch_begin,
                                    .launch_end = on_launch_end,
                                    .access = on_access,
                                    .repeats = on_repeats};
    return a;
}

void accesses_close(struct accesses *a)
{
    if (a != NULL) {
        for (unsigned i = 0; i < a->worker_room; i++) {
            arena_free(&a->workers[i].arena);
        }
        free(a->workers);
        arena_free(&a->arena);
        free(a);
    }
}

const struct observer *accesses_observer(const struct accesses *a) { return &a->observer; }

unsigned accesses_rows(const struct accesses *a, const struct access_row **rows)
{
    *rows = a->rows;
    return a->row_count;
}

const struct access_class *accesses_worst(const struct access_row *row)
{
    return &row->classes[row->class_count - 1];
}

const struct access_class *accesses_typical(const struct access_row *row)
{
    const struct access_class *typical = &row->classes[0];
    for (unsigned i = 1; i < row->class_count; i++) {
        typical = row->classes[i].requests > typical->requests ? &row->classes[i] : typical;
    }
    return typical;
}
