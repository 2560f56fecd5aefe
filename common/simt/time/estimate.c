/* estimate.c - see estimate.h. */
#include "time/estimate_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "time/work.h"

/* MOST_BLOCKS: whose work is noted one by one, unless they take it from a counter. */
enum { MOST_BLOCKS = 1 << 21 };

static void begin_model(struct estimator *e, const struct launch_event *launch)
{
    const struct kernel *k = launch->kernel;
    const struct simt_launch *l = launch->launch;
    const unsigned resident = model_resident(e->limits, l, k, k->max_registers);
    e->block_count = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    if (e->block_count > MOST_BLOCKS || e->kernel->takes_tasks) {
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
    caches_begin(e->caches, launch, e->kernel->carried, resident,
                 model_l1_bytes(e->limits, l, k, resident));
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
    e->launched = launch->kernel;
    e->has_last = false;
    begin_workers(e, launch);
    e->kernel = kept_find(&e->kept, launch->kernel);
    if (e->caches != NULL) {
        begin_model(e, launch);
    }
}

static void block_begin(void *state, struct block *b)
{
    struct estimator *e = state;
    struct estimate_worker *own = &e->workers[b->worker];
    estimate_noted(e, b->worker);
    own->beside |= own->running++ > 0;
    own->block = b->number;
    if (e->caches != NULL) {
        caches_block_begin(e->caches, b);
    }
    const bool few = e->caches == NULL || !caches_want_all(e->caches, b);
    own->log.room = few && !own->beside ? TOUCH_NOTES : 0;
    own->log.samples = e->caches != NULL;
}

/* What a block executed, for the balance between SMs. */
static void block_end(void *state, struct block *b)
{
    struct estimator *e = state;
    estimate_noted(e, b->worker);
    e->workers[b->worker].running--;
    if (e->caches != NULL && b->number < e->block_count) {
        e->block_work[b->number] = (double)(b->max_instructions - b->fuel);
    }
    if (e->caches != NULL) {
        caches_block_end(e->caches, b);
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
    fewer.kept = twice.kept = at_once.kept = coalesced.kept = NULL;
    fewer.more_blocks = -1;
    twice.times_blocks = 2;
    at_once.no_latency = true;
    coalesced.work = &better;
    answers[IF_ONE_BLOCK_FEWER] = model_of(&fewer);
    answers[IF_TWICE_THE_WARPS] = model_of(&twice);
    answers[IF_NO_LATENCY] = model_of(&at_once);
    answers[IF_COALESCED] = model_of(&coalesced);
}

/* A sample's blocks do not find what earlier waves of blocks have left in the L2. Where a wave's
 * data fits, each of `waves` fetches what the launch touches, shared out among them. */
static double had_before(const struct estimator *e, const struct launch_event *launch,
                         struct touched_bytes all, double blocks)
{
    const struct kernel *k = launch->kernel;
    const double resident = model_resident(e->limits, launch->launch, k, k->max_registers);
    const double wave = fmin(blocks, resident * e->limits->sm_count);
    const struct touched_bytes of_wave =
        touched_scaled(e->touched, launch->memory, fmax(1, wave / (double)launch->executed));
    const bool fits = of_wave.all <= gpu_rates(e->limits).l2_effective_bytes;
    return fits && of_wave.read > 0
               ? fmax(0, 1 - (double)all.read / ((double)of_wave.read * blocks / wave))
               : 0;
}

static void add_model(struct estimator *e, const struct launch_event *launch,
                      const struct launch_work *work, struct touched_bytes bytes, double before)
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
                                   .cold = e->options.cold,
                                   .had_before = before,
                                   .kept = &e->kernel->chain};
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
        sum.constant_loads += w->constant_loads;
        sum.texture_tenths += w->texture_tenths;
        sum.texture_loads += w->texture_loads;
        sum.texture_stores += w->texture_stores;
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
    struct launch_work work =
        work_of(launch->kernel, launch->sites, launch->launch, e->kernel->costs);
    work.load_wavefronts = scale * (double)seen.load_wavefronts;
    work.hoisted_requests = scale * (double)seen.hoisted_requests;
    work.least.lsu -= work.hoisted_requests;
    work.likely.lsu -= work.hoisted_requests;
    work.local_wavefronts += scale * (double)seen.local_wavefronts;
    work.local_store_sectors += scale * (double)seen.local_store_sectors;
    work.constant_replays = scale * (double)seen.constant_replays;
    work.constant_loads = scale * (double)seen.constant_loads;
    work.texture_cycles = scale * (double)seen.texture_tenths / 10;
    work.load_sectors += scale * (double)seen.texture_loads;
    work.store_sectors += scale * (double)seen.texture_stores;
    work.lonely_loads = scale * (double)seen.lonely_loads;
    work.lonely_stores = scale * (double)seen.lonely_stores;
    work.partial_stores += scale * (double)seen.partial_stores / 256;
    work.store_wavefronts = scale * (double)seen.store_wavefronts;
    const struct floor_work least = work_for_floor(&work, e->limits, (double)bytes.read,
                                                   (double)bytes.written, e->options.cold);
    e->last = (struct estimate){
        .gpu = e->limits->name, .floors = floors_of(e->limits, &least), .model_us = NAN};
    double before = 0;
    e->has_last = true;
    if (scale > 1) {
        bytes = touched_scaled(e->touched, launch->memory, scale);
        before = had_before(e, launch, bytes, blocks);
        e->block_count = 0; /* those that did not run are taken to be alike */
    }
    if (e->caches != NULL && !isnan(e->last.floors.floor_us)) {
        add_model(e, launch, &work, bytes, before);
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
                                    .access = estimate_access,
                                    .repeats = estimate_repeats,
                                    .touches = estimate_touches,
                                    .touch_log = estimate_log,
                                    .bulk_row = estimate_bulk_row,
                                    .image = estimate_image};
    e->caches = options.model ? caches_open(limits) : NULL;
    e->observer.wants |= e->caches != NULL ? OBSERVE_IN_ORDER | OBSERVE_IMAGES : 0u;
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
        kept_free(&e->kept);
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
