/* estimate.c - see estimate.h. */
#include "observe/estimate.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/gpu/access.h"
#include "observe/touched.h"
#include "observe/work.h"

enum { LINE_BYTES = 128, MOST_BLOCKS = 1 << 21 }; /* whose work is noted one by one */

/* The last request of an instruction: the next one mostly lies as its lanes lay, elsewhere. */
struct shape {
    lane_mask lanes;
    unsigned bytes, phase;      /* phase: where in its line the first lane's address is */
    uint64_t apart[WARP_LANES]; /* of each lane from the first that takes part */
    unsigned count, wavefronts;
    uint64_t lines[TOUCHED_LINES]; /* from the first lane's on */
    uint8_t masks[TOUCHED_LINES];
};

struct estimator {
    const struct gpu_limits *limits;
    struct estimate_options options;
    struct observer observer;
    struct touched *touched;
    struct caches *caches;                                              /* NULL: no model */
    bool sampling;                                                      /* this launch */
    _Atomic uint64_t load_wavefronts, store_wavefronts, partial_stores; /* the last times 256 */
    _Atomic uint64_t local_wavefronts, local_store_sectors, constant_replays;
    struct shape *shapes; /* per worker and code index */
    size_t shape_room;    /* how many there are, */
    unsigned shape_count; /* and of a worker; 0: none */
    double *block_work;   /* instructions of each block */
    uint64_t block_count, block_room;
    struct estimate last;
    bool has_last;
};

static bool begin_model(struct estimator *e, const struct launch_event *launch)
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
        e->block_work = malloc(e->block_count * sizeof *e->block_work);
        e->block_room = e->block_work != NULL ? e->block_count : 0;
        e->block_count = e->block_room;
    }
    for (uint64_t i = 0; i < e->block_count; i++) {
        e->block_work[i] = 0;
    }
    return caches_begin(e->caches, launch, resident, model_l1_bytes(e->limits, l, k, resident));
}

static void open_shapes(struct estimator *e, const struct launch_event *launch)
{
    const size_t wanted = (size_t)launch->workers * launch->kernel->code_count;
    if (wanted > e->shape_room) {
        free(e->shapes);
        e->shapes = malloc(wanted * sizeof *e->shapes);
        e->shape_room = e->shapes != NULL ? wanted : 0;
    }
    e->shape_count = e->shape_room >= wanted ? launch->kernel->code_count : 0;
    for (size_t i = 0; e->shape_count > 0 && i < wanted; i++) {
        e->shapes[i].lanes = 0;
    }
}

static void begin(void *state, const struct launch_event *launch)
{
    struct estimator *e = state;
    touched_clear(e->touched);
    e->load_wavefronts = e->store_wavefronts = e->partial_stores = 0;
    e->local_wavefronts = e->local_store_sectors = e->constant_replays = 0;
    e->has_last = false;
    open_shapes(e, launch);
    e->sampling = e->caches != NULL && begin_model(e, launch);
}

/* What a block executed, for the balance between SMs. */
static void block_end(void *state, struct block *b)
{
    struct estimator *e = state;
    if (e->sampling && b->number < e->block_count) {
        e->block_work[b->number] = (double)(b->max_instructions - b->fuel);
    }
}

/* L1 is the memory that shared memory is: words of 32 banks, each wavefront one of each bank: words
 * of one line never conflict. Unlike loads of shared memory, wide ones never share. */
static unsigned wavefronts_of(const struct access_event *a)
{
    uint32_t offset[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        offset[i] = (uint32_t)a->address[i];
    }
    return access_shared_store(offset, a->lanes, a->bytes).wavefronts;
}

/* L2 takes longer for a sector of which only some bytes are written: on an H200 three times as long
 * for 4 of 32 bytes (transpose_naive, scatter), little longer for a third of them (soa_to_aos). */
static uint64_t extra_of_partial(const struct access_event *a, unsigned sectors)
{
    const double filled = lanes_in(a->lanes) * (double)a->bytes / (32.0 * sectors);
    const double empty = filled < 1 ? 1 - filled : 0;
    return (uint64_t)(256 * sectors * 3.2 * empty * empty * empty * empty);
}

/* Local memory: word w of lane i lies at 128 w + 4 i, so lanes at one place of their arrays share a
 * line, and others do not. */
static void access_local(struct estimator *e, const struct access_event *a)
{
    uint64_t address[WARP_LANES], lines[TOUCHED_LINES];
    uint8_t masks[TOUCHED_LINES];
    unsigned sectors = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        address[i] = a->address[i] / 4 * 128 + 4 * i;
    }
    const unsigned count = touched_lines(address, a->lanes, 4, lines, masks);
    for (unsigned i = 0; i < count; i++) {
        sectors += (unsigned)__builtin_popcount(masks[i]);
    }
    atomic_fetch_add_explicit(&e->local_wavefronts, (count + 3) / 4, memory_order_relaxed);
    if (a->kind == ACCESS_STORE) {
        atomic_fetch_add_explicit(&e->local_store_sectors, sectors, memory_order_relaxed);
        atomic_fetch_add_explicit(&e->partial_stores, extra_of_partial(a, sectors),
                                  memory_order_relaxed);
    }
}

/* A constant is broadcast; each other address is another turn. */
static void access_constant(struct estimator *e, const struct access_event *a)
{
    unsigned different = 0;
    for (lane_mask left = a->lanes; left != 0; different++) {
        lane_mask same = 0;
        for (unsigned i = 0; i < WARP_LANES; i++) {
            same |= (lane_mask)(a->address[i] == a->address[first_lane(left)]) << i;
        }
        left &= ~same;
    }
    atomic_fetch_add_explicit(&e->constant_replays, different - 1, memory_order_relaxed);
}

static bool has_shape(const struct shape *s, const struct access_event *a, uint64_t first)
{
    uint64_t other = 0;
    if (s->lanes != a->lanes || s->bytes != a->bytes || s->phase != first % LINE_BYTES) {
        return false;
    }
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint64_t takes_part = (uint64_t)0 - (a->lanes >> i & 1u);
        other |= (a->address[i] - first - s->apart[i]) & takes_part;
    }
    return other == 0;
}

/* The lines and the wavefronts of a request. */
static void find_shape(struct shape *s, const struct access_event *a, uint64_t *lines)
{
    const uint64_t first = a->address[first_lane(a->lanes)], line = first / LINE_BYTES;
    if (!has_shape(s, a, first)) {
        s->lanes = a->lanes;
        s->bytes = a->bytes;
        s->phase = first % LINE_BYTES;
        s->count = touched_lines(a->address, a->lanes, a->bytes, s->lines, s->masks);
        s->wavefronts = wavefronts_of(a);
        for (unsigned i = 0; i < WARP_LANES; i++) {
            s->apart[i] = a->address[i] - first;
        }
        for (unsigned i = 0; i < s->count; i++) {
            s->lines[i] -= line;
        }
    }
    for (unsigned i = 0; i < s->count; i++) {
        lines[i] = s->lines[i] + line;
    }
}

static void access(void *state, struct warp *w, const struct access_event *a)
{
    struct estimator *e = state;
    uint64_t lines[TOUCHED_LINES];
    struct shape own, *s = &own;
    if (e->sampling && a->space == PTX_LOCAL) {
        access_local(e, a);
    } else if (e->sampling && a->space == PTX_CONST) {
        access_constant(e, a);
    }
    if (a->space != PTX_GLOBAL) {
        return;
    }
    own.lanes = 0;
    if (e->shape_count > 0) {
        s = &e->shapes[(size_t)w->block->worker * e->shape_count + a->pc];
    }
    find_shape(s, a, lines);
    const bool atomic = a->kind == ACCESS_ATOMIC || a->kind == ACCESS_REDUCTION;
    const bool store = a->kind == ACCESS_STORE;
    touched_add(e->touched, lines, s->masks, s->count, !store, store || atomic);
    atomic_fetch_add_explicit(store || atomic ? &e->store_wavefronts : &e->load_wavefronts,
                              s->wavefronts, memory_order_relaxed);
    if (a->kind == ACCESS_STORE && a->cost.b > 0) {
        atomic_fetch_add_explicit(&e->partial_stores, extra_of_partial(a, (unsigned)a->cost.b),
                                  memory_order_relaxed);
    }
    if (e->sampling) {
        caches_access(e->caches, w, a, lines, s->masks, s->count);
    }
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
}

static void end(void *state, const struct launch_event *launch)
{
    struct estimator *e = state;
    if (!launch->good) {
        return;
    }
    struct touched_bytes bytes = touched_sum(e->touched);
    const double blocks =
        (double)launch->launch->grid.x * launch->launch->grid.y * launch->launch->grid.z;
    const double scale = launch->executed > 0 ? blocks / (double)launch->executed : 1;
    struct launch_work work = work_of(launch->kernel, launch->sites, launch->launch);
    work.load_wavefronts = scale * (double)e->load_wavefronts;
    work.local_wavefronts = scale * (double)e->local_wavefronts;
    work.local_store_sectors = scale * (double)e->local_store_sectors;
    work.constant_replays = scale * (double)e->constant_replays;
    work.partial_stores = scale * (double)e->partial_stores / 256;
    work.store_wavefronts = scale * (double)e->store_wavefronts;
    const struct floor_work least = work_for_floor(&work, e->limits, (double)bytes.read,
                                                   (double)bytes.written, e->options.cold);
    e->last = (struct estimate){
        .gpu = e->limits->name, .floors = floors_of(e->limits, &least), .model_us = NAN};
    e->has_last = true;
    if (scale > 1) {
        bytes = touched_scaled(e->touched, launch->memory, scale);
        e->block_count = 0; /* those that did not run are taken to be alike */
    }
    if (e->sampling && !isnan(e->last.floors.floor_us)) {
        add_model(e, launch, &work, bytes);
    }
}

struct estimator *estimator_open(const struct gpu_limits *limits, struct estimate_options options)
{
    struct estimator *e = calloc(1, sizeof *e);
    if (e == NULL) {
        return NULL;
    }
    e->limits = limits;
    e->options = options;
    e->touched = touched_open();
    e->observer = (struct observer){.state = e,
                                    .wants = OBSERVE_BEYOND_SHARED,
                                    .launch_begin = begin,
                                    .launch_end = end,
                                    .block_end = block_end,
                                    .access = access};
    e->caches = options.model ? caches_open(limits) : NULL;
    if (e->touched == NULL || (options.model && e->caches == NULL)) {
        estimator_close(e);
        return NULL;
    }
    return e;
}

void estimator_close(struct estimator *e)
{
    if (e != NULL) {
        touched_close(e->touched);
        caches_close(e->caches);
        free(e->block_work);
        free(e->shapes);
        free(e);
    }
}

const struct observer *estimator_observer(const struct estimator *e) { return &e->observer; }

const struct estimate *estimator_last(const struct estimator *e)
{
    return e->has_last ? &e->last : NULL;
}
