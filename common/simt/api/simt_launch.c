/* simt_launch.c - launches of a simulated GPU: whether they are allowed, what code they run, which
 * observers are notified, what they counted. */
#include "api/simt_state.h"
#include "base/room.h"

#include "base/demangle.h"
#include "machine/sample.h"
#include "watch/lines.h"

#include "common/gpu/gpu_limits.h"
#include "common/gpu/occupancy.h"

#include <stdlib.h>
#include <string.h>

enum { WORKSPACE_BYTES = 256 }; /* what the grid's barrier of a cooperative launch may use */

static bool check_dimension(const char *what, char axis, uint32_t value, uint64_t limit,
                            struct err *e)
{
    if (value == 0 || value > limit) {
        return err_set_code(e, SIMT_BAD_LAUNCH, "%s.%c is %u; it must be 1 to %llu", what, axis,
                            value, (unsigned long long)limit);
    }
    return true;
}

static bool check_launch(const struct simt *s, const struct simt_launch *l, struct err *e)
{
    const struct gpu_limits *g = s->limits;
    struct simt_kernel_attributes a;
    simt_kernel_attributes(l->kernel, &a);
    uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    if (!check_dimension("grid", 'x', l->grid.x, g->max_grid_dim[0], e) ||
        !check_dimension("grid", 'y', l->grid.y, g->max_grid_dim[1], e) ||
        !check_dimension("grid", 'z', l->grid.z, g->max_grid_dim[2], e) ||
        !check_dimension("block", 'x', l->block.x, g->max_block_dim[0], e) ||
        !check_dimension("block", 'y', l->block.y, g->max_block_dim[1], e) ||
        !check_dimension("block", 'z', l->block.z, g->max_block_dim[2], e)) {
        return false;
    }
    if (threads > a.max_threads_per_block) {
        return err_set_code(e, SIMT_BAD_LAUNCH, "a block of %llu threads; this kernel may have %u",
                            (unsigned long long)threads, a.max_threads_per_block);
    }
    if (a.static_shared_bytes + l->dynamic_shared_bytes > g->shared_bytes_per_block_opt_in) {
        return err_set_code(e, SIMT_BAD_LAUNCH, "%llu bytes of shared memory; a block may have %u",
                            (unsigned long long)(a.static_shared_bytes + l->dynamic_shared_bytes),
                            g->shared_bytes_per_block_opt_in);
    }
    return true;
}

/* Sites of instructions -> counters of the launch. */
static void sum_counters(const struct kernel *k, const struct site *sites,
                         const struct simt_launch *l, struct simt_counters *c)
{
    uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    memset(c, 0, sizeof *c);
    c->warps = (threads + WARP_LANES - 1) / WARP_LANES * l->grid.x * l->grid.y * l->grid.z;
    for (unsigned i = 0; i < k->site_count; i++) {
        lines_add_site(&k->sites[i], &sites[i], k->sites[i].count, c);
    }
}

void simt_kernel_lines(const struct simt_kernel *k,
                       void (*visit)(void *state, const struct simt_line *line), void *state)
{
    lines_visit(k->decoded, k->sites, visit, state);
}

/* Blocks that the GPU holds at once: those that wait for each other must all be among them.
 * Registers that are estimated do not count: too few blocks would be a deadlock that is none. */
static uint32_t resident_blocks(const struct simt *s, const struct simt_launch *l)
{
    const struct kernel *k = l->kernel->decoded;
    const struct occupancy_request request = {
        .threads_per_block = l->block.x * l->block.y * l->block.z,
        .registers_per_thread = k->exact_registers ? k->max_registers : 0,
        .static_shared_bytes = k->static_shared_bytes,
        .dynamic_shared_bytes = l->dynamic_shared_bytes};
    struct occupancy o;
    const uint64_t blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    if (blocks <= s->settings.sm_count) {
        return s->settings.sm_count; /* or more: they all fit, and a small launch takes no time */
    }
    occupancy_compute(s->limits, &request, &o);
    const uint32_t held = (o.blocks_per_sm != 0 ? o.blocks_per_sm : 1) * s->settings.sm_count;
    return l->cooperative && blocks > held ? (uint32_t)blocks : held;
}

/* A cooperative grid finds its barrier in a piece of device memory, zero when the grid starts. */
static void clear_workspace(struct simt *s, struct place *place)
{
    if (place->workspace == 0) {
        const struct allocation *a = memory_alloc(s->memory, WORKSPACE_BYTES, MEMORY_DEVICE,
                                                  "where grid.sync() counts blocks", NULL);
        place->workspace = a != NULL ? a->begin : 0;
    }
    void *host = memory_host(s->memory, place->workspace, WORKSPACE_BYTES);
    if (host != NULL) {
        memset(host, 0, WORKSPACE_BYTES);
    }
}

/* A copy of the kernel that tells what `wants` asks for; kept for the next launch. */
static const struct kernel *copy_for(struct observed_kernel **kept, const struct kernel *k,
                                     unsigned wants)
{
    if (*kept == NULL || observed_kernel_wants(*kept) != wants) {
        observed_kernel_free(*kept);
        *kept = observed_kernel_make(k, wants);
    }
    return observed_kernel(*kept);
}

/* Each worker decides whether steps are reported: each has a copy of its own. */
static void copies_for_workers(struct simt *s, const struct simt_kernel *k,
                               struct grid_settings *settings, unsigned wants)
{
    const struct observers *all = &s->observers;
    const unsigned workers = grid_workers(s->place->pool);
    struct observed_copies *own = k->observed;
    settings->copies = NULL;
    if (!all->in_turn || all->serial || !(all->wants & OBSERVE_LATER_STEPS)) {
        return;
    }
    if (s->copies == NULL) {
        s->copies = room_new(workers, sizeof *s->copies);
    }
    if (own->own == NULL) {
        own->own = room_new(workers, sizeof *own->own);
        own->own_count = workers;
    }
    for (unsigned i = 0; i < workers; i++) {
        s->copies[i] = copy_for(&own->own[i], k->decoded, wants);
        observed_kernel_share(own->own[i], own->all);
    }
    settings->copies = s->copies;
}

static const struct observer *only_one_with_accesses(const struct observers *all)
{
    const struct observer *only = NULL;
    for (unsigned i = 0; i < all->count; i++) {
        if (all->list[i]->wants & (OBSERVE_ACCESSES | OBSERVE_STORES | OBSERVE_BEYOND_SHARED)) {
            if (only != NULL) {
                return NULL;
            }
            only = all->list[i];
        }
    }
    return only;
}

/* Nobody needs the addresses of accesses, but for the one whose block is reported step by step. */
static bool patterns_will_do(const struct observers *all)
{
    const unsigned accesses = OBSERVE_ACCESSES | OBSERVE_STORES | OBSERVE_BEYOND_SHARED;
    for (unsigned i = 0; i < all->count; i++) {
        const struct observer *o = all->list[i];
        const bool one_block = o->wants & OBSERVE_STEPS && o->step_block != EVERY_BLOCK;
        if (o->wants & accesses && !(o->wants & OBSERVE_PATTERNS) && !one_block) {
            return false;
        }
    }
    return true;
}

/* The code that a launch runs: while there are observers, a copy that tells them; and one more for
 * the only block whose every step is reported. */
static void choose_code(struct simt *s, const struct simt_kernel *k, struct grid_settings *settings,
                        const struct kernel **code)
{
    struct observers *all = &s->observers;
    unsigned steps = 0;
    all->wants = 0;
    all->serial = all->in_turn = false;
    all->turns = NULL;
    all->branching_count = 0;
    for (unsigned i = 0; i < all->count; i++) {
        const struct observer *o = all->list[i];
        bool one_block = o->wants & OBSERVE_STEPS && o->step_block != EVERY_BLOCK;
        all->wants |= one_block ? o->wants & ~(unsigned)OBSERVE_STEPS : o->wants;
        settings->step_block = one_block ? o->step_block : settings->step_block;
        steps |= one_block ? o->wants : 0;
        all->serial |= o->serial;
        all->in_turn |= o->in_turn;
        all->turns = o->turns != NULL ? o->turns : all->turns;
        if (o->branch != NULL) {
            all->branching[all->branching_count++] = o;
        }
    }
    all->only = only_one_with_accesses(all);
    all->quiet = all->only != NULL ? all->only->quiet : NULL;
    all->wants &= ~(unsigned)OBSERVE_PATTERNS;
    all->repeats = steps == 0 && patterns_will_do(all);
    const unsigned patterns = all->repeats            ? OBSERVE_PATTERNS | OBSERVE_REPEATS
                              : patterns_will_do(all) ? OBSERVE_PATTERNS
                                                      : 0;
    settings->observers = all->count > 0 ? all : NULL;
    settings->step_kernel = NULL;
    if (steps != 0) {
        settings->step_kernel = copy_for(&k->observed->stepped, k->decoded, all->wants | steps);
    }
    *code = all->wants != 0 ? copy_for(&k->observed->all, k->decoded, all->wants | patterns)
                            : k->decoded;
    copies_for_workers(s, k, settings, all->wants | patterns);
}

/* Waits for the launch that runs; not for launches that wait for something outside their grid. */
static void lock_between_launches(struct simt *s)
{
    pthread_mutex_lock(&s->launch_lock);
    while (s->busy) {
        pthread_cond_wait(&s->changed, &s->launch_lock);
    }
}

void simt_sample(struct simt *s, uint64_t budget, unsigned whole)
{
    lock_between_launches(s);
    s->sample_budget = budget;
    s->sample_whole = whole;
    pthread_mutex_unlock(&s->launch_lock);
}

void simt_last_sample(struct simt *s, struct simt_sample *out) { *out = s->sample; }

/* 0: this launch runs whole. Samples are taken of one launch at a time. */
static uint64_t budget_of_next(struct simt *s)
{
    if (s->sample_budget > 0 && s->sample_whole > 0) {
        s->sample_whole--;
        return 0;
    }
    return s->sample_budget;
}

/* All blocks, or a sample of them. */
static bool run_blocks(const struct running *r, const struct kernel *code,
                       const struct simt_launch *launch, const struct grid_settings *settings,
                       struct site *sites, struct simt_sample *sample, struct err *e)
{
    struct grid_pool *pool = r->place->pool;
    const uint64_t budget = budget_of_next(r->simt);
    const uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    struct sample_result ran = {blocks, blocks, true};
    unsigned line = 0;
    const char *whole = budget > 0 ? sample_rejection(code, launch, &line) : NULL;
    bool good = budget > 0 && whole == NULL
                    ? sample_run(pool, code, launch, settings, budget, sites, &ran, e)
                    : grid_run(pool, code, launch, settings, sites, e);
    *sample = (struct simt_sample){ran.blocks, ran.executed, ran.exact, whole, line};
    return good;
}

static bool run_grid(const struct running *r, const struct simt_launch *launch,
                     struct grid_settings *settings, struct site *sites, struct err *e)
{
    struct simt *s = r->simt;
    const struct simt_kernel *k = launch->kernel;
    const struct kernel *code = k->decoded;
    struct launch_event event = {.kernel = k->decoded,
                                 .launch = launch,
                                 .memory = s->memory,
                                 .workers = grid_workers(r->place->pool),
                                 .grid_id = settings->grid_id};
    struct simt_sample *sample = launch->waiting != NULL ? &launch->waiting->sample : &s->sample;
    if (s->observers.count > 0) {
        OBSERVE(&s->observers, launch_begin, &event);
        choose_code(s, k, settings, &code);
    }
    const bool plain = code == k->decoded && settings->step_kernel == NULL && s->sample_budget == 0;
    if (plain && !translation_begin(k->translation, &settings->faster, e)) {
        return false;
    }
    event.good = run_blocks(r, code, launch, settings, sites, sample, e);
    if (r->aside) {
        return event.good;
    }
    event.executed = sample->executed;
    event.sites = sites;
    if (settings->observers != NULL) {
        OBSERVE(&s->observers, launch_end, &event);
    }
    return event.good;
}

bool simt_observe(struct simt *s, const struct observer *observer, struct err *e)
{
    lock_between_launches(s);
    struct observers *o = &s->observers;
    bool room = o->count < MAX_OBSERVERS;
    if (room) {
        o->list[o->count++] = observer;
    }
    pthread_mutex_unlock(&s->launch_lock);
    return room || err_set(e, "more than %u observers of one GPU", MAX_OBSERVERS);
}

/* Why no other launch may begin while this one waits for something outside; NULL: one may. */
static const char *stays(const struct simt *s, const struct simt_launch *l, uint32_t resident)
{
    const uint64_t blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    if (s->observers.count > 0 || s->sample_budget > 0) {
        return "checks, pages, samples and the model look at one kernel at a time, so these two do "
               "not run together: run the program without them";
    }
    return blocks > s->settings.sm_count && blocks >= resident
               ? "these blocks fill the GPU until one of them ends: a deadlock on a GPU, too"
               : NULL;
}

static void step_aside(void *state) { place_step_aside(state); }

/* The place is entered, its lock is held. The settings are filled in where they stay: to return
 * them costs a small launch 4 % of its time. */
static void set_up(struct grid_settings *settings, struct running *r,
                   const struct simt_launch *launch, struct listener *listener)
{
    struct simt *s = r->simt;
    *settings = s->settings;
    if (launch->cooperative) {
        clear_workspace(s, r->place);
        settings->workspace = r->place->workspace;
    }
    settings->resident = resident_blocks(s, launch);
    settings->grid_id = ++s->launches;
    settings->stays = stays(s, launch, settings->resident);
    settings->listener = listener;
    settings->steps_aside = step_aside;
    settings->state = r;
    if (s->printed.most > 0 && s->aside == 0) {
        atomic_store(&s->printed.bytes, 0);
        s->printed.line[0] = '\0';
    }
}

/* The counters are the kernel's until its next launch; of a launch that may run beside another one
 * they are its own until they are published. */
static struct site *sites_of(const struct simt_launch *launch)
{
    if (launch->waiting == NULL) {
        return launch->kernel->sites;
    }
    const unsigned count = launch->kernel->decoded->site_count;
    launch->waiting->sites = room_new(count > 0 ? count : 1, sizeof(struct site));
    return launch->waiting->sites;
}

bool simt_run(struct simt *s, const struct simt_launch *launch, struct simt_counters *counters,
              struct err *e)
{
    struct err own;
    const struct kernel *k = launch->kernel->decoded;
    struct site *sites = sites_of(launch);
    err_clear(&own); /* not its whole text: that would cost as much as many a small launch */
    if (!check_launch(s, launch, &own)) {
        char name[200];
        memset(counters, 0, sizeof *counters);
        demangle_signature(k->name, name, sizeof name);
        return err_set_code(e, own.code, "kernel %s: %s", name, own.text);
    }
    struct listener listener = {0};
    struct running running = {.simt = s};
    place_enter(&running, launch);
    struct grid_settings settings;
    set_up(&settings, &running, launch, &listener);
    place_hold(s, launch->waiting, settings.stays);
    struct patience patience = {0};
    settings.patience = settings.patience_s > 0 ? &patience : NULL;
    memset(sites, 0, k->site_count * sizeof *sites);
    bool good = run_grid(&running, launch, &settings, sites, &own);
    sum_counters(k, sites, launch, counters);
    if (s->observers.count > 0 && launch->seen != NULL) {
        launch->seen(launch->seen_state, counters);
    }
    place_leave(&running, launch, &listener);
    return good || err_set_code(e, own.code, "%s", own.text);
}

void simt_publish(const struct simt_kernel *k, struct simt_waiting *w)
{
    memcpy(k->sites, w->sites, k->decoded->site_count * sizeof *k->sites);
    free(w->sites);
    w->sites = NULL;
    k->simt->sample = w->sample;
}
