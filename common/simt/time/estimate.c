/* estimate.c - see estimate.h. */
#include "time/estimate.h"

#include <math.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "time/hoist.h"
#include "time/footprint.h"
#include "time/work.h"

enum { LINE_BYTES = 128, MOST_BLOCKS = 1 << 21 }; /* whose work is noted one by one */

enum { RECENT = 1024, RECENT_SHIFT = 54 /* 64 - 10: found by the upper bits of a product */ };
/* A request that was looked at: one of the same key touches the same sectors once more. */
struct recent {
    uint64_t key;
    uint32_t block;   /* its number + 1; 0: nothing is here */
    uint32_t sampled; /* its lines that the L2 sees, as a mask */
};

/* What one worker has seen of the launch. */
struct estimate_worker {
    alignas(64) uint64_t load_wavefronts;
    uint64_t hoisted_requests;
    uint64_t store_wavefronts, partial_stores; /* the last times 256 */
    uint64_t lonely_loads, lonely_stores;      /* lines of which a request has one sector */
    uint64_t local_wavefronts, local_store_sectors, constant_replays;
    struct footprint *footprints; /* by code index */
    unsigned footprint_room;
    struct recent recent[RECENT]; /* by the first address */
};

struct estimator {
    const struct gpu_limits *limits;
    struct estimate_options options;
    struct observer observer;
    struct memory *memory; /* of this launch */
    struct touched *touched;
    struct caches *caches; /* NULL: no model */
    struct estimate_worker *workers;
    unsigned worker_count, worker_room;
    double *block_work; /* instructions of each block */
    uint64_t block_count, block_room;
    struct estimate last;
    bool has_last;
    bool *hoisted; /* per code index: hoist.h */
    unsigned hoisted_room;
    struct sm_view timeline;
    struct largest {
        uint64_t kernel; /* its serial number */
        double work;
    } * largest;
    unsigned largest_count, largest_room;
};

static void begin_model(struct estimator *e, const struct launch_event *launch)
{
    const struct kernel *k = launch->kernel;
    const struct simt_launch *l = launch->launch;
    const unsigned resident = model_resident(e->limits, l, k, k->max_registers);
    e->block_count = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    if (e->block_count > MOST_BLOCKS) {
        e->block_count = 0;
    }
    if (e->block_count > e->block_room) {
        free(e->block_work);
        e->block_work = room_raw(e->block_count, sizeof *e->block_work);
        e->block_room = e->block_count;
    }
    for (uint64_t i = 0; i < e->block_count; i++) {
        e->block_work[i] = 0;
    }
    caches_begin(e->caches, launch, resident, model_l1_bytes(e->limits, l, k, resident));
}

/* Nothing is known of addresses: they belong to another kernel, or allocations have changed. */
static void begin_worker(struct estimate_worker *w, unsigned codes)
{
    struct footprint *footprints = w->footprints;
    const unsigned room = codes > w->footprint_room ? codes : w->footprint_room;
    if (codes > w->footprint_room) {
        footprints = room_resized(footprints, codes, sizeof *footprints);
        memset(footprints + w->footprint_room, 0, (codes - w->footprint_room) * sizeof *footprints);
    }
    for (unsigned i = 0; i < codes; i++) {
        footprints[i].pattern = NULL;
        footprints[i].begin = footprints[i].end = 0;
    }
    memset(w, 0, sizeof *w);
    w->footprints = footprints;
    w->footprint_room = room;
}

static void begin_workers(struct estimator *e, const struct launch_event *launch)
{
    e->workers = room_extended(e->workers, &e->worker_room, launch->workers, sizeof *e->workers);
    e->worker_count = launch->workers;
    touched_begin(e->touched, launch->workers);
    for (unsigned i = 0; i < launch->workers; i++) {
        begin_worker(&e->workers[i], launch->kernel->code_count);
    }
}

static void begin(void *state, const struct launch_event *launch)
{
    struct estimator *e = state;
    e->memory = launch->memory;
    e->has_last = false;
    begin_workers(e, launch);
    e->hoisted =
        room_cleared(e->hoisted, &e->hoisted_room, launch->kernel->code_count, sizeof *e->hoisted);
    hoist_find_codes(launch->kernel, e->hoisted);
    if (e->caches != NULL) {
        begin_model(e, launch);
    }
}

static void block_begin(void *state, struct block *b)
{
    struct estimator *e = state;
    if (e->caches != NULL) {
        caches_block_begin(e->caches, b);
    }
}

/* What a block executed, for the balance between SMs. */
static void block_end(void *state, struct block *b)
{
    struct estimator *e = state;
    if (e->caches != NULL && b->number < e->block_count) {
        e->block_work[b->number] = (double)(b->max_instructions - b->fuel);
    }
    if (e->caches != NULL) {
        caches_block_end(e->caches, b);
    }
}

/* L2 takes longer for a line of which only some bytes are written. In sectors' time, times 256. */
static uint64_t extra_of_partial(const struct access_event *a, unsigned sectors, unsigned lines)
{
    const double filled = lanes_in(a->lanes) * (double)a->bytes / (32.0 * sectors);
    const double empty = filled < 1 ? 1 - filled : 0;
    return (uint64_t)(256 * lines * gpu_model.partial_line * empty * empty * sqrt(empty));
}

/* Local memory: word w of lane i lies at 128 w + 4 i, so lanes at one place of their arrays share a
 * line, and others do not. */
static void access_local(struct estimate_worker *w, const struct access_event *a)
{
    uint64_t address[WARP_LANES], lines[TOUCHED_LINES];
    uint8_t masks[TOUCHED_LINES];
    unsigned sectors = 0, lonely = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        address[i] = a->address[i] / 4 * 128 + 4 * i;
    }
    const unsigned count = touched_lines(address, a->lanes, 4, lines, masks);
    for (unsigned i = 0; i < count; i++) {
        sectors += (unsigned)__builtin_popcount(masks[i]);
        lonely += __builtin_popcount(masks[i]) == 1;
    }
    w->local_wavefronts += (count + 3) / 4;
    if (a->kind == ACCESS_STORE) {
        w->local_store_sectors += sectors;
        w->lonely_stores += lonely;
        w->partial_stores += extra_of_partial(a, sectors, count);
    }
}

/* A constant is broadcast; each other address is another turn. */
static void access_constant(struct estimate_worker *w, const struct access_event *a)
{
    unsigned different = 0;
    for (lane_mask left = a->lanes; left != 0; different++) {
        lane_mask same = 0;
        for (unsigned i = 0; i < WARP_LANES; i++) {
            same |= (lane_mask)(a->address[i] == a->address[first_lane(left)]) << i;
        }
        left &= ~same;
    }
    w->constant_replays += different - 1;
}

/* What an address in it is moved by, counted in lines, so that each allocation lies where its
 * number says: then caches see the same lines in every run. */
static uint64_t shift_of(const struct allocation *a)
{
    return (a->serial << 32) - (a->begin - a->lead) / LINE_BYTES;
}

static uint64_t moved_line(const struct estimator *e, uint64_t line)
{
    const struct allocation *a = memory_find(e->memory, line * LINE_BYTES);
    if (a == NULL) { /* it begins in the middle of this line */
        a = memory_find(e->memory, line * LINE_BYTES + LINE_BYTES - 1);
    }
    return a != NULL ? line + shift_of(a) : line;
}

/* Where the lines lie in every run. Mostly in the allocation of the last time. */
static void move_lines(const struct estimator *e, struct footprint *s, const struct access_event *a,
                       struct footprint_place at, uint64_t *moved)
{
    const struct footprint_phase *p = &s->phases[at.phase];
    const uint64_t first = a->start / LINE_BYTES;
    if (a->low < s->begin || a->high > s->end) {
        const struct allocation *found = memory_find(e->memory, a->low);
        if (found == NULL || a->high > found->begin + found->bytes) {
            for (unsigned i = 0; i < at.count; i++) {
                moved[i] = moved_line(e, first + p->lines[i]);
            }
            return;
        }
        s->begin = found->begin;
        s->end = found->begin + found->bytes;
        s->shift = shift_of(found);
    }
    for (unsigned i = 0; i < at.count; i++) {
        moved[i] = first + p->lines[i] + s->shift;
    }
}

static enum sector_use use_of(const struct access_event *a)
{
    return a->kind == ACCESS_ATOMIC || a->kind == ACCESS_REDUCTION ? SECTOR_UPDATED
           : a->kind == ACCESS_STORE                               ? SECTOR_WRITTEN
                                                                   : SECTOR_READ;
}

/* What no block has to be told twice: which sectors it touches, and which of their lines the L2
 * sees. Blocks of a loop ask for the same again and again. */
static const struct recent *look_up(struct estimator *e, const struct warp *w, struct footprint *s,
                                    struct footprint_place at, const struct access_event *a)
{
    const enum sector_use how = use_of(a);
    const uint64_t key = footprint_key(s, a, at.twin, how), block = w->block->number;
    /* found without the key, whose parts come late from memory */
    const uint64_t place = a->start / FOOTPRINT_SECTOR * HASH_MULTIPLIER >> RECENT_SHIFT;
    struct recent *r = &e->workers[w->block->worker].recent[place];
    if (r->key == key && r->block == (uint32_t)block + 1) {
        return r;
    }
    const struct footprint_phase *p = &s->phases[at.phase];
    uint64_t lines[TOUCHED_LINES];
    if (e->caches != NULL && (r->key != key || r->block == 0)) {
        move_lines(e, s, a, at, lines);
        r->sampled = caches_sampled(lines, at.count);
    }
    for (unsigned i = 0; i < at.count; i++) {
        lines[i] = a->start / LINE_BYTES + p->lines[i];
    }
    touched_add(e->touched, w->block->worker, block, lines, p->masks, at.count, how);
    r->key = key;
    r->block = (uint32_t)block + 1;
    return r;
}

static void access_global(struct estimator *e, struct warp *w, const struct access_event *a)
{
    struct estimate_worker *own = &e->workers[w->block->worker];
    struct footprint *s = &own->footprints[a->pc];
    const struct footprint_place at = footprint_find(s, a);
    const struct recent *r = look_up(e, w, s, at, a);
    const unsigned wavefronts = footprint_wavefronts(s, a);
    if (e->hoisted[a->pc]) {
        own->hoisted_requests++;
    } else {
        *(use_of(a) == SECTOR_READ ? &own->load_wavefronts : &own->store_wavefronts) += wavefronts;
    }
    if (a->kind == ACCESS_LOAD || a->kind == ACCESS_STORE) {
        *(a->kind == ACCESS_LOAD ? &own->lonely_loads : &own->lonely_stores) +=
            s->brief[at.phase].lonely;
    }
    if (a->kind == ACCESS_STORE && a->cost.b > 0) {
        own->partial_stores += extra_of_partial(a, (unsigned)a->cost.b, at.count);
    }
    if (e->caches != NULL && caches_wants(e->caches, w, a, at.count, r->sampled)) {
        const struct footprint_phase *p = &s->phases[at.phase];
        uint64_t moved[TOUCHED_LINES];
        move_lines(e, s, a, at, moved);
        const struct cache_lines l = {
            moved, p->masks, at.count, r->sampled, a->start / LINE_BYTES, p->lines};
        caches_access(e->caches, w, a, &l);
    }
}

/* Bulk engines: lines that follow each other, at most as many as the tables take at once. */
static void bulk_lines(struct estimator *e, struct warp *w, uint32_t pc, uint64_t address,
                       uint64_t bytes, bool writes)
{
    uint64_t lines[TOUCHED_LINES] = {0};
    uint8_t masks[TOUCHED_LINES] = {0};
    const unsigned count = touched_range(address, bytes, lines, masks);
    touched_add(e->touched, w->block->worker, w->block->number, lines, masks, count,
                writes ? SECTOR_WRITTEN : SECTOR_READ);
    for (unsigned i = 0; e->caches != NULL && i < count; i++) {
        lines[i] = moved_line(e, lines[i]);
    }
    if (e->caches != NULL) {
        caches_bulk(e->caches, w, pc, address, bytes, writes, lines, masks);
    }
}

static void bulk_row(void *state, struct warp *w, uint32_t pc, uint64_t address, uint64_t bytes,
                     bool writes)
{
    for (const uint64_t end = address + bytes; address < end;) {
        const uint64_t whole = (address / LINE_BYTES + TOUCHED_LINES) * LINE_BYTES;
        const uint64_t next = whole < end ? whole : end;
        bulk_lines(state, w, pc, address, next - address, writes);
        address = next;
    }
}

static void access(void *state, struct warp *w, const struct access_event *a)
{
    struct estimator *e = state;
    if (a->space == PTX_GLOBAL) {
        access_global(e, w, a);
    } else if (e->caches != NULL && a->space == PTX_LOCAL) {
        access_local(&e->workers[w->block->worker], a);
    } else if (e->caches != NULL && a->space == PTX_CONST) {
        access_constant(&e->workers[w->block->worker], a);
    }
}

/* Of this kernel, so far: a larger launch takes the place of a smaller one. */
static bool is_largest(struct estimator *e, const struct kernel *k, double work)
{
    for (unsigned i = 0; i < e->largest_count; i++) {
        struct largest *l = &e->largest[i];
        if (l->kernel == k->serial) {
            const bool larger = work > l->work;
            l->work = larger ? work : l->work;
            return larger;
        }
    }
    ROOM_FOR_ONE(e->largest, e->largest_count, e->largest_room, 16);
    e->largest[e->largest_count++] = (struct largest){k->serial, work};
    return true;
}

static void what_if(const struct model_input *in, struct model answers[WHAT_IFS])
{
    struct model_input fewer = *in, twice = *in, at_once = *in, coalesced = *in;
    const struct launch_work better =
        work_coalesced(in->work, in->launch->kernel, in->launch->sites);
    fewer.more_blocks = -1;
    twice.times_blocks = 2;
    at_once.no_latency = true;
    coalesced.work = &better;
    answers[IF_ONE_BLOCK_FEWER] = model_of(&fewer);
    answers[IF_TWICE_THE_WARPS] = model_of(&twice);
    answers[IF_NO_LATENCY] = model_of(&at_once);
    answers[IF_COALESCED] = model_of(&coalesced);
}

static void add_model(struct estimator *e, const struct launch_event *launch,
                      const struct launch_work *work, struct touched_bytes bytes)
{
    struct cache_result hits;
    caches_end(e->caches, &hits);
    const unsigned registers = launch->kernel->max_registers;
    const struct model_input in = {.limits = e->limits,
                                   .launch = launch,
                                   .work = work,
                                   .caches = e->caches,
                                   .hits = &hits,
                                   .bytes = bytes,
                                   .registers = registers,
                                   .block_work = e->block_work,
                                   .block_count = e->block_count,
                                   .cold = e->options.cold};
    e->last.model = model_of(&in);
    e->last.modelled = true;
    e->last.calibrated = gpu_rates(e->limits).calibrated;
    e->last.model_us = e->last.model.us;
    e->last.model_limiter = model_part_name(e->last.model.limiter);
    e->last.registers = registers;
    e->last.exact_registers = launch->kernel->exact_registers;
    if (e->options.timeline && is_largest(e, launch->kernel, work->ptx)) {
        sm_view_free(&e->timeline);
        model_sm_view(&in, &e->last.model, &e->timeline);
        what_if(&in, e->last.if_so);
        e->last.timeline = &e->timeline;
    }
}

static struct estimate_worker seen_by_all(const struct estimator *e)
{
    struct estimate_worker sum = {.load_wavefronts = 0};
    for (unsigned i = 0; i < e->worker_count; i++) {
        const struct estimate_worker *w = &e->workers[i];
        sum.load_wavefronts += w->load_wavefronts;
        sum.hoisted_requests += w->hoisted_requests;
        sum.store_wavefronts += w->store_wavefronts;
        sum.partial_stores += w->partial_stores;
        sum.lonely_loads += w->lonely_loads;
        sum.lonely_stores += w->lonely_stores;
        sum.local_wavefronts += w->local_wavefronts;
        sum.local_store_sectors += w->local_store_sectors;
        sum.constant_replays += w->constant_replays;
    }
    return sum;
}

static void end(void *state, const struct launch_event *launch)
{
    struct estimator *e = state;
    if (!launch->good) {
        return;
    }
    const struct estimate_worker seen = seen_by_all(e);
    struct touched_bytes bytes = touched_sum(e->touched);
    const double blocks =
        (double)launch->launch->grid.x * launch->launch->grid.y * launch->launch->grid.z;
    const double scale = launch->executed > 0 ? blocks / (double)launch->executed : 1;
    struct launch_work work = work_of(launch->kernel, launch->sites, launch->launch);
    work.load_wavefronts = scale * (double)seen.load_wavefronts;
    work.hoisted_requests = scale * (double)seen.hoisted_requests;
    work.least.lsu -= work.hoisted_requests;
    work.likely.lsu -= work.hoisted_requests;
    work.local_wavefronts += scale * (double)seen.local_wavefronts;
    work.local_store_sectors += scale * (double)seen.local_store_sectors;
    work.constant_replays = scale * (double)seen.constant_replays;
    work.lonely_loads = scale * (double)seen.lonely_loads;
    work.lonely_stores = scale * (double)seen.lonely_stores;
    work.partial_stores = scale * (double)seen.partial_stores / 256;
    work.store_wavefronts = scale * (double)seen.store_wavefronts;
    const struct floor_work least = work_for_floor(&work, e->limits, (double)bytes.read,
                                                   (double)bytes.written, e->options.cold);
    e->last = (struct estimate){
        .gpu = e->limits->name, .floors = floors_of(e->limits, &least), .model_us = NAN};
    e->has_last = true;
    if (scale > 1) {
        bytes = touched_scaled(e->touched, launch->memory, scale);
        e->block_count = 0; /* those that did not run are taken to be alike */
    }
    if (e->caches != NULL && !isnan(e->last.floors.floor_us)) {
        add_model(e, launch, &work, bytes);
    }
}

struct estimator *estimator_open(const struct gpu_limits *limits, struct estimate_options options)
{
    struct estimator *e = room_new(1, sizeof *e);
    e->limits = limits;
    e->options = options;
    e->touched = touched_open();
    e->observer = (struct observer){.state = e,
                                    .wants = OBSERVE_BEYOND_SHARED | OBSERVE_PATTERNS,
                                    .launch_begin = begin,
                                    .launch_end = end,
                                    .block_begin = block_begin,
                                    .block_end = block_end,
                                    .access = access,
                                    .bulk_row = bulk_row};
    e->caches = options.model ? caches_open(limits) : NULL;
    return e;
}

void estimator_close(struct estimator *e)
{
    if (e != NULL) {
        touched_close(e->touched);
        caches_close(e->caches);
        sm_view_free(&e->timeline);
        free(e->largest);
        free(e->block_work);
        free(e->hoisted);
        for (unsigned i = 0; i < e->worker_room; i++) {
            for (unsigned pc = 0; pc < e->workers[i].footprint_room; pc++) {
                footprint_free(&e->workers[i].footprints[pc]);
            }
            free(e->workers[i].footprints);
        }
        free(e->workers);
        free(e);
    }
}

const struct observer *estimator_observer(const struct estimator *e) { return &e->observer; }

const struct estimate *estimator_last(const struct estimator *e)
{
    return e->has_last ? &e->last : NULL;
}
