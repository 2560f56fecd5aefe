/* worker.c - a worker's share of a launch: it takes the next block, runs it to its end and takes
 * another one.
 *
 * A block that has run for long may be waiting for one that nobody has started, so others are
 * started beside it, at most as many as the GPU would hold at once, and they take turns. Half of
 * the time is the oldest one's: long blocks come to an end before many more are begun, and a grid
 * that waits forever is found out within the time that one block may take. */
#include "machine/worker.h"
#include "base/room.h"

#include "machine/turn.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    /* Warp instructions with the blocks at hand before one more is started: more than most blocks
     * take at all, so that few grids pay for a second block, and far below SIMT_MAX_INSTRUCTIONS.
     */
    PATIENCE = 4000000,
    WAITS_OUTSIDE = 2000000, /* warp instructions until a grid may be waiting for the host */
    PAUSE_NS =
        50000 /* then, each time: leaves the core to the host, and is short beside its answer */
};

static struct context *new_context(struct worker *w)
{
    struct context *c = room_new(1, sizeof *c);
    w->contexts = room_resized(w->contexts, w->context_count + 1, sizeof(struct context *));
    w->contexts[w->context_count++] = c;
    return c;
}

static void prepare_counters(struct worker *w, const struct kernel *k)
{
    if (k->site_count > w->site_room) {
        free(w->sites);
        w->sites = room_raw(k->site_count, sizeof *w->sites);
        w->site_room = k->site_count;
    }
    if (k->pattern_count > w->pattern_room) {
        free(w->patterns);
        w->patterns = room_aligned(k->pattern_count, sizeof *w->patterns);
        w->pattern_room = k->pattern_count;
        w->patterns_of = 0;
    }
    if (k->site_count > 0) {
        memset(w->sites, 0, k->site_count * sizeof *w->sites);
    }
    for (unsigned i = 0; i < k->pattern_count; i++) {
        if (w->patterns_of != k->serial) {
            w->patterns[i].mask = 0;
        }
        pattern_forget_allocation(&w->patterns[i]); /* they may have changed */
    }
    w->patterns_of = k->serial;
}

static struct simt_dim block_index(const struct simt_launch *l, uint64_t number)
{
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

/* The context gets the block of that number. */
static void start_block(struct context *c, const struct launch_job *job, uint64_t number,
                        struct cluster *cluster)
{
    const struct grid_settings *settings = job->settings;
    const bool steps = settings->step_kernel != NULL && number == settings->step_block;
    atomic_store(&c->stop, false);
    c->block.schedule = schedule_of(job, number);
    c->block.sm = (uint32_t)(number % settings->sm_count);
    c->block.number = number;
    c->block.kernel = steps ? settings->step_kernel : c->kernel;
    c->block.index = block_index(job->launch, number);
    cluster_join(cluster, &c->block);
    block_start(&c->block, c->block.index);
    c->running = true;
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

/* Gives the contexts the next block, or the next cluster's blocks; false when there is none left.
 */
static bool start_next(struct context *const *c, unsigned count, struct launch_job *job)
{
    uint64_t number = atomic_fetch_add(&job->next_block, 1);
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

/* Runs the context's block until it is done, or has executed that many instructions, and not much
 * less than one time slice. Returns how many it has executed. */
static int64_t run_for_a_while(struct context *c, struct launch_job *job, int64_t instructions)
{
    int64_t before = c->block.fuel, last;
    do {
        last = c->block.fuel;
        block_run(&c->block);
        c->running = !is_stopped(c, job) && !block_done(&c->block);
    } while (c->running && before - c->block.fuel < instructions && c->block.idle_rounds == 0 &&
             c->block.fuel != last);
    if (c->block.observers != NULL && !c->running && block_done(&c->block)) {
        OBSERVE(c->block.observers, block_end, &c->block);
        turn_pass(&c->block);
    }
    if (!c->running) {
        c->block.ended = true;
        cluster_leave(&c->block);
    }
    return before - c->block.fuel;
}

/* Nobody looks at its memory any more. */
static bool is_spare(const struct context *c)
{
    return !c->running && (c->block.cluster == NULL || c->block.cluster->running == 0);
}

/* Blocks that are started together. */
static unsigned blocks_at_once(const struct launch_job *job)
{
    const struct simt_dim d = job->launch->cluster;
    return d.x == 0 ? 1 : d.x * d.y * d.z;
}

/* So many contexts that no block uses; false: there are too few. */
static bool spare_contexts(struct worker *w, struct launch_job *job, struct context **spare,
                           unsigned count)
{
    unsigned found = 0;
    for (unsigned i = 0; found < count; i++) {
        struct context *c = NULL;
        if (i < w->context_count) {
            c = w->contexts[i];
        } else if (i >= job->settings->resident || (c = new_context(w)) == NULL) {
            return false;
        }
        if (is_spare(c)) {
            c->prepared = c->prepared || context_prepare(c, job, w);
            if (!c->prepared) {
                return false;
            }
            spare[found++] = c;
        }
    }
    return true;
}

static void out_of_memory(struct launch_job *job)
{
    err_set_code(job->fault, SIMT_BAD_LAUNCH,
                 "the host has too little memory for the registers and the local and shared memory "
                 "of a block");
    atomic_store(&job->stop, true);
}

/* How a worker's blocks take turns. */
struct turns {
    bool blocks_left;               /* in the grid, for any worker */
    unsigned running;               /* blocks of this worker */
    const struct context *newest;   /* the one started last */
    int64_t since_start, since_end; /* instructions since a block was started, or came to its end */
    int64_t since_look;             /* at the clock: see patience.c */
};

/* Blocks of a cooperative grid will wait for each other, so all of them are started. */
static bool wants_another(const struct turns *t, const struct launch_job *job)
{
    return t->running == 0 || is_spare(t->newest) || job->launch->cooperative ||
           (t->since_start >= PATIENCE && job->turn == NULL);
}

static void start_another(struct worker *w, struct launch_job *job, struct turns *t)
{
    struct context *c[MOST_CLUSTER_BLOCKS];
    const unsigned count = blocks_at_once(job);
    if (spare_contexts(w, job, c, count)) {
        t->blocks_left = start_next(c, count, job);
        t->newest = c[0];
        t->since_start = 0;
    } else if (t->running == 0) {
        out_of_memory(job);
    }
}

/* Blocks of a cooperative grid or of a cluster wait for each other often: until it looks endless,
 * all of them are treated alike. */
static bool prefers_oldest(const struct turns *t, const struct launch_job *job)
{
    const bool together = job->launch->cooperative || job->launch->cluster.x != 0;
    return !together || t->since_end > job->settings->max_instructions / 4;
}

/* One time slice for every block, then as much as all that for the oldest of them. */
static void take_turns(struct worker *w, struct launch_job *job, struct turns *t)
{
    struct context *oldest = NULL;
    int64_t executed = 0;
    unsigned before = 0;
    t->running = 0;
    for (unsigned i = 0; i < w->context_count && !atomic_load(&job->stop); i++) {
        struct context *c = w->contexts[i];
        before += c->running;
        executed += c->running ? run_for_a_while(c, job, 0) : 0;
        t->running += c->running;
        oldest = c->running && (oldest == NULL || c->number < oldest->number) ? c : oldest;
    }
    t->since_end = t->running == before ? t->since_end + executed : 0;
    if (oldest != NULL && prefers_oldest(t, job)) {
        executed += run_for_a_while(oldest, job, executed);
        t->running -= !oldest->running;
        t->since_end = oldest->running ? t->since_end : 0;
    }
    t->since_start += executed;
    t->since_look += executed;
}

/* Blocks that have run for long may be waiting for the host. While nobody waits for them they have
 * all the time in the world, and leave the core to others. */
static void look_outside(struct worker *w, const struct launch_job *job, const struct turns *t)
{
    struct simt_waiting *waiting = job->launch->waiting;
    if (waiting == NULL || t->since_end < WAITS_OUTSIDE) {
        return;
    }
    if (!__atomic_exchange_n(&waiting->begun, 1, __ATOMIC_RELAXED)) {
        waiting->begins(waiting->state);
    }
    if (!__atomic_load_n(&waiting->awaited, __ATOMIC_RELAXED)) {
        for (unsigned i = 0; i < w->context_count; i++) {
            w->contexts[i]->block.fuel = job->settings->max_instructions;
        }
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
}

void worker_run(struct worker *w, struct launch_job *job)
{
    prepare_counters(w, job->kernel);
    for (unsigned i = 0; i < w->context_count; i++) {
        w->contexts[i]->running = w->contexts[i]->prepared = false;
        w->contexts[i]->block.cluster = NULL;
    }
    struct context *first;
    if (!spare_contexts(w, job, &first, 1)) {
        out_of_memory(job);
        return;
    }
    struct turns t = {.blocks_left = true};
    while (!atomic_load(&job->stop) && (t.running > 0 || t.blocks_left)) {
        if (t.blocks_left && wants_another(&t, job)) {
            start_another(w, job, &t);
        }
        take_turns(w, job, &t);
        patience_look(job->settings->patience, job, &t.since_look);
        look_outside(w, job, &t);
    }
}

void worker_free(struct worker *w)
{
    for (unsigned i = 0; i < w->context_count; i++) {
        context_free(w->contexts[i]);
    }
    free(w->contexts);
    free(w->sites);
    free(w->patterns);
}
