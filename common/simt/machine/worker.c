/* worker.c - a worker and its contexts: it takes the next block of a launch, and runs it for a
 * while. Which block runs when is for shares.c to say. */
#include "machine/worker.h"
#include "base/hostile.h"
#include "base/room.h"

#include "machine/kept_patterns.h"
#include "machine/repeats.h"
#include "machine/turn.h"

#include <stdlib.h>
#include <string.h>

static struct context *new_context(struct worker *w)
{
    struct context *c = room_new(1, sizeof *c);
    w->contexts = room_resized(w->contexts, w->context_count + 1, sizeof(struct context *));
    w->contexts[w->context_count++] = c;
    return c;
}

void worker_prepare(struct worker *w, const struct launch_job *job)
{
    const struct kernel *k = job->kernel;
    if (k->site_count > w->site_room) {
        free(w->sites);
        w->sites = room_raw(k->site_count, sizeof *w->sites);
        w->site_room = k->site_count;
    }
    if (k->pattern_count > w->pattern_room) {
        free(w->patterns);
        kept_patterns_free(w->kept, w->pattern_room);
        w->patterns = room_aligned(k->pattern_count, sizeof *w->patterns);
        w->kept = room_aligned(k->pattern_count, sizeof *w->kept);
        w->pattern_room = k->pattern_count;
        w->patterns_of = 0;
    }
    if (k->site_count > 0) {
        memset(w->sites, 0, k->site_count * sizeof *w->sites);
    }
    for (unsigned i = 0; i < k->pattern_count; i++) {
        if (w->patterns_of != k->serial) {
            w->patterns[i].mask = 0;
            w->patterns[i].leader_version = 0;
        }
        pattern_forget_allocation(&w->patterns[i]); /* they may have changed */
    }
    if (w->patterns_of != k->serial) {
        kept_patterns_begin(w->kept, k->pattern_count);
    }
    w->patterns_of = k->serial;
    const struct observers *observers = job->settings->observers;
    if (observers != NULL && observers->repeats) {
        repeats_begin(&w->repeats, w->number, k, observers);
        for (unsigned i = 0; i < k->pattern_count; i++) {
            repeats_forget(&w->patterns[i], &w->kept[i], i);
        }
    }
    w->used = 0;
}

/* Most grids are a row of blocks, and three divisions of 64 bits take as long as a small block. */
static struct simt_dim block_index(const struct simt_launch *l, uint64_t number)
{
    if (number < l->grid.x) {
        return (struct simt_dim){(uint32_t)number, 0, 0};
    }
    return (struct simt_dim){(uint32_t)(number % l->grid.x),
                             (uint32_t)(number / l->grid.x % l->grid.y),
                             (uint32_t)(number / l->grid.x / l->grid.y)};
}

/* SIMT_SCHEDULE shuffles the blocks: n -> first + stride * n, which comes by all of them. */
static uint64_t place_in_grid(const struct launch_job *job, uint64_t number)
{
    uint64_t seed = job->settings->schedule, stride = seed;
    if (seed == 0) {
        return number;
    }
    for (uint64_t x = 0; x != 1;) {
        uint64_t y = job->block_count;
        x = ++stride;
        while (y != 0) {
            uint64_t rest = x % y;
            x = y;
            y = rest;
        }
    }
    unsigned __int128 far = (unsigned __int128)stride * number + seed;
    return (uint64_t)(far % job->block_count);
}

/* A block's own random numbers do not depend on which worker runs it. */
static uint64_t schedule_of(const struct launch_job *job, uint64_t number)
{
    uint64_t seed = job->settings->schedule;
    return seed == 0 ? 0 : (seed + 1) * HASH_MULTIPLIER ^ (number + 1) * 0xd1342543de82ef95u;
}

/* The code that a block runs which begins now. */
static const struct kernel *newest_code(const struct context *c,
                                        const struct grid_settings *settings)
{
    const struct kernel *faster =
        settings->faster == NULL
            ? NULL
            : atomic_load_explicit(&settings->faster->code, memory_order_acquire);
    return faster != NULL ? faster : c->kernel;
}

/* The context gets the block of that number. */
static void start_block(struct context *c, const struct launch_job *job, uint64_t number,
                        struct cluster *cluster)
{
    const struct grid_settings *settings = job->settings;
    const bool steps = settings->step_kernel != NULL && number == settings->step_block;
    atomic_store_explicit(&c->stop, false, memory_order_relaxed); /* nobody else looks at it yet */
    c->block.schedule = schedule_of(job, number);
    c->block.sm = (uint32_t)(number < settings->sm_count ? number : number % settings->sm_count);
    c->block.number = number;
    c->block.kernel = steps ? settings->step_kernel : newest_code(c, settings);
    c->block.index = block_index(job->launch, number);
    cluster_join(cluster, &c->block);
    block_start(&c->block);
    c->running = true;
    c->waits = c->stands = false;
    c->standstill = (struct standstill){0};
    if (c->block.observers != NULL) {
        OBSERVE(c->block.observers, block_begin, &c->block);
    }
}

/* The number in the grid of a cluster's i-th block. */
static uint64_t block_of_cluster(const struct simt_launch *l, uint64_t cluster, unsigned i)
{
    const struct simt_dim d = l->cluster;
    const uint64_t across = l->grid.x / d.x, down = l->grid.y / d.y;
    const uint64_t x = cluster % across * d.x + i % d.x;
    const uint64_t y = cluster / across % down * d.y + i / d.x % d.y;
    const uint64_t z = cluster / across / down * d.z + i / d.x / d.y;
    return x + l->grid.x * (y + l->grid.y * z);
}

/* Blocks are dealt out to several workers by an atomic addition, which one alone does not need. */
static uint64_t next_block(struct launch_job *job)
{
    if (job->worker_count > 1) {
        return atomic_fetch_add(&job->next_block, 1);
    }
    const uint64_t number = atomic_load_explicit(&job->next_block, memory_order_relaxed);
    atomic_store_explicit(&job->next_block, number + 1, memory_order_relaxed);
    return number;
}

bool worker_start(struct context *const *c, unsigned count, struct launch_job *job)
{
    hostile_yield();
    uint64_t number = next_block(job);
    if (number >= job->block_count || atomic_load(&job->stop)) {
        return false;
    }
    const uint64_t sequence = job->settings->started_before + number * count;
    number = job->settings->blocks != NULL ? job->settings->blocks[number] : number;
    cluster_begin(&c[0]->cluster, job->launch);
    for (unsigned i = 0; i < count; i++) {
        c[i]->number = number * count + i;
        c[i]->block.sequence = sequence + i;
    }
    number = place_in_grid(job, number);
    for (unsigned i = 0; i < count; i++) {
        const bool alone = job->launch->cluster.x == 0;
        start_block(c[i], job, alone ? number : block_of_cluster(job->launch, number, i),
                    &c[0]->cluster);
    }
    return true;
}

/* A fault that a block did not survive ends the launch. */
static bool is_stopped(struct context *c, struct launch_job *job)
{
    if (job->turn != NULL && atomic_load(&c->stop)) {
        atomic_store(&job->stop, true);
    }
    return atomic_load(&job->stop);
}

/* Blocks that keep an order have one context, and those of a cluster wait by other means, too. */
static bool may_wait(const struct launch_job *job)
{
    return job->turn == NULL && job->launch->cluster.x == 0;
}

int64_t worker_run_block(struct context *c, struct launch_job *job, int64_t instructions)
{
    const int64_t before = c->block.fuel;
    int64_t last;
    do {
        last = c->block.fuel;
        block_run(&c->block);
        c->running = !is_stopped(c, job) && !block_done(&c->block);
        c->waits = c->running && c->block.waits && may_wait(job);
    } while (c->running && !c->waits && before - c->block.fuel < instructions &&
             c->block.idle_rounds == 0 && c->block.fuel != last);
    const int64_t executed = before - c->block.fuel;
    if (c->waits) { /* no work: what it waits for may take as long as it likes */
        c->block.fuel = before;
    }
    if (c->block.observers != NULL && !c->running && block_done(&c->block)) {
        OBSERVE(c->block.observers, block_end, &c->block);
        turn_pass(&c->block);
    }
    if (!c->running) {
        c->block.ended = true;
        cluster_leave(&c->block);
    }
    return executed;
}

bool worker_is_spare(const struct context *c)
{
    return !c->running && (c->block.cluster == NULL || c->block.cluster->running == 0);
}

unsigned worker_blocks_at_once(const struct launch_job *job)
{
    const struct simt_dim d = job->launch->cluster;
    return d.x == 0 ? 1 : d.x * d.y * d.z;
}

/* One more of the worker's contexts takes part in the launch; NULL: out of memory. */
static struct context *use_another(struct worker *w, struct launch_job *job)
{
    struct context *c = w->used < w->context_count ? w->contexts[w->used] : new_context(w);
    if (!context_prepare(c, job, w)) {
        return NULL;
    }
    c->running = false;
    w->used++;
    return c;
}

bool worker_spare_contexts(struct worker *w, struct launch_job *job, struct context **spare,
                           unsigned count)
{
    unsigned found = 0;
    for (unsigned i = 0; found < count; i++) {
        struct context *c = i < w->used ? w->contexts[i] : use_another(w, job);
        if (c == NULL) {
            return false;
        }
        if (worker_is_spare(c)) {
            spare[found++] = c;
        }
    }
    return true;
}

void worker_out_of_memory(struct launch_job *job)
{
    fault_without_place(job->fault, SIMT_BAD_LAUNCH,
                        "the host has too little memory for the registers and the local and shared "
                        "memory of a block");
    atomic_store(&job->stop, true);
}

void worker_free(struct worker *w)
{
    for (unsigned i = 0; i < w->context_count; i++) {
        context_free(w->contexts[i]);
    }
    free(w->contexts);
    free(w->sites);
    free(w->patterns);
    kept_patterns_free(w->kept, w->pattern_room);
    repeats_free(w->repeats);
}
