/* grid.c - a grid's blocks, dealt out to worker threads.
 *
 * Each worker has block contexts of its own: registers, shared and local memory of one block. It
 * takes the next block, runs it to its end and takes another one. A block that has run for long may
 * be waiting for one that nobody has started, so others are started beside it, at most as many as
 * the GPU would hold at once, and they take turns. Half of the time is the oldest one's: long
 * blocks come to an end before many more are begun, and a grid that waits forever is found out
 * within the time that one block may take. Counters belong to the worker. */
#include "machine/grid.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    SLICE = 250,                /* warp instructions before another warp goes on */
    TURN = 10000,               /* of a warp, on the average, before another block has its turn */
    /* Warp instructions with the blocks at hand before one more is started: more than most blocks take at
     * all, so that few grids pay for a second block, and far below SIMT_MAX_INSTRUCTIONS. */
    PATIENCE = 4000000,
    /* Behind the registers of a warp: five cache lines, so that the same register of the next warp is in another
     * set of the cache, also where frames are as long as a power of two. */
    WARP_GAP_BYTES = 320,
    TURN_COOPERATIVE = 2000,    /* blocks of such a grid wait for each other again and again */
    RECURSION_FRAMES = 1 << 23, /* bytes of register frames of a warp that may recurse */
    SMALL_GRID = 64             /* warps: not worth waking other threads */
};

/* Everything one block needs while it runs. Kept from launch to launch while it is large enough. */
struct context {
    struct block block;
    struct warp *warps;
    unsigned warp_room;
    uint8_t *registers, *shared, *local;
    size_t register_room, shared_room, local_room;
    uint64_t number;        /* of the block in the grid */
    bool running, prepared; /* for the launch in progress */
};

struct worker {
    struct grid_pool *pool;
    pthread_t thread;
    struct context **contexts;
    unsigned context_count;
    struct site *sites;
    struct pattern *patterns;
    unsigned site_room, pattern_room;
    uint64_t patterns_of; /* the serial number of a kernel; 0: none */
    unsigned number;
};

struct launch_job {
    struct simt *simt;
    const struct kernel *kernel;
    const struct simt_launch *launch;
    const struct grid_settings *settings;
    uint64_t block_count;
    _Atomic uint64_t next_block;
    atomic_bool stop;
    struct err *fault;
};

struct grid_pool {
    struct worker *workers;
    unsigned worker_count;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    struct launch_job *job;
    uint64_t job_number;
    unsigned active;
    bool closing;
};

/* --- memory of a context --------------------------------------------------------------------- */

static void *map_room(void *old, size_t *room, size_t bytes)
{
    if (bytes <= *room) {
        return old;
    }
    if (old != NULL) {
        munmap(old, *room);
    }
    *room = align_up(bytes, 1 << 16);
    void *p = mmap(NULL, *room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED) {
        *room = 0;
        return NULL;
    }
    return p;
}

static bool room_for_warps(struct context *c, unsigned count)
{
    if (count <= c->warp_room) {
        return true;
    }
    for (unsigned i = 0; i < c->warp_room; i++) {
        warp_free(&c->warps[i]);
    }
    free(c->warps);
    c->warps = aligned_alloc(64, count * sizeof *c->warps);
    c->warp_room = c->warps != NULL ? count : 0;
    if (c->warps != NULL) {
        memset(c->warps, 0, count * sizeof *c->warps);
    }
    return c->warps != NULL;
}

/* Registers of a warp are followed by a gap, so that warps do not share cache sets by accident. */
static bool prepare_context(struct context *c, const struct launch_job *job, struct worker *worker)
{
    const struct kernel *k = job->kernel;
    const struct simt_launch *l = job->launch;
    struct block *b = &c->block;
    *b = (struct block){.simt = job->simt,
                        .memory = job->settings->memory,
                        .kernel = k,
                        .launch = l,
                        .params = l->params,
                        .sm_count = job->settings->sm_count,
                        .grid_id = job->settings->grid_id,
                        .workspace = job->settings->workspace,
                        .observers = job->settings->observers,
                        .worker = worker->number,
                        .allow_exited = job->settings->allow_exited,
                        .max_instructions = job->settings->max_instructions,
                        .slice = SLICE,
                        .turn = l->cooperative ? TURN_COOPERATIVE : TURN,
                        .fault = job->fault,
                        .stop = (atomic_bool *)(uintptr_t)&job->stop};
    b->thread_count = l->block.x * l->block.y * l->block.z;
    b->warp_count = (b->thread_count + WARP_LANES - 1) / WARP_LANES;
    b->shared_bytes = l->dynamic_shared_bytes > 0
                          ? k->dynamic_shared_offset + l->dynamic_shared_bytes
                          : k->static_shared_bytes;
    b->reserved_offset = (uint32_t)align_up(b->shared_bytes, 16);
    if (k->uses_reserved) {
        b->shared_bytes = b->reserved_offset + RESERVED_SHARED_BYTES;
    }
    b->stack_limit = k->recursive        ? RECURSION_FRAMES
                     : k->func_count > 1 ? WARP_LANES * k->stack_bytes
                                         : k->stack_bytes;
    b->local_stride = (uint32_t)align_up(
        k->recursive ? k->local_bytes + job->settings->stack_bytes : k->local_bytes, 16);
    size_t stack = align_up(b->stack_limit, 64) + WARP_GAP_BYTES;
    size_t local = (size_t)b->local_stride * WARP_LANES;
    c->registers = map_room(c->registers, &c->register_room, stack * b->warp_count);
    c->shared = map_room(c->shared, &c->shared_room, b->shared_bytes + 64u);
    c->local = map_room(c->local, &c->local_room, local * b->warp_count + 64u);
    if (c->registers == NULL || c->shared == NULL || c->local == NULL ||
        !room_for_warps(c, b->warp_count)) {
        return false;
    }
    b->warps = c->warps;
    b->shared = c->shared;
    for (unsigned i = 0; i < b->warp_count; i++) {
        struct warp *w = &c->warps[i];
        w->stack = c->registers + i * stack;
        w->local = c->local + i * local;
        w->sites = worker->sites;
        w->patterns = worker->patterns;
        w->base[REF_FRAME] = w->stack;
        w->base[REF_SPECIAL] = (uint8_t *)w->special;
        w->base[REF_CONST] = k->constants;
        warp_prepare(w, b, i);
    }
    return true;
}

static void free_context(struct context *c)
{
    for (unsigned i = 0; i < c->warp_room; i++) {
        warp_free(&c->warps[i]);
    }
    free(c->warps);
    if (c->registers != NULL) {
        munmap(c->registers, c->register_room);
    }
    if (c->shared != NULL) {
        munmap(c->shared, c->shared_room);
    }
    if (c->local != NULL) {
        munmap(c->local, c->local_room);
    }
    free(c);
}

static struct context *new_context(struct worker *w)
{
    struct context **grown = realloc(w->contexts, (w->context_count + 1) * sizeof *grown);
    struct context *c = calloc(1, sizeof *c);
    if (grown == NULL || c == NULL) {
        free(c);
        if (grown != NULL) {
            w->contexts = grown;
        }
        return NULL;
    }
    w->contexts = grown;
    w->contexts[w->context_count++] = c;
    return c;
}

/* --- a worker's share of a launch ------------------------------------------------------------ */

static bool prepare_counters(struct worker *w, const struct kernel *k)
{
    if (k->site_count > w->site_room) {
        free(w->sites);
        w->sites = calloc(k->site_count, sizeof *w->sites);
        w->site_room = w->sites != NULL ? k->site_count : 0;
    }
    if (k->pattern_count > w->pattern_room) {
        free(w->patterns);
        w->patterns = calloc(k->pattern_count, sizeof *w->patterns);
        w->pattern_room = w->patterns != NULL ? k->pattern_count : 0;
        w->patterns_of = 0;
    }
    if ((k->site_count > 0 && w->sites == NULL) || (k->pattern_count > 0 && w->patterns == NULL)) {
        return false;
    }
    if (k->site_count > 0) {
        memset(w->sites, 0, k->site_count * sizeof *w->sites);
    }
    for (unsigned i = 0; i < k->pattern_count; i++) {
        if (w->patterns_of != k->serial) {
            w->patterns[i].mask = 0;
        }
        w->patterns[i].begin = w->patterns[i].end = 0; /* allocations may have changed */
    }
    w->patterns_of = k->serial;
    return true;
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
    return seed == 0 ? 0 : (seed + 1) * 0x9e3779b97f4a7c15u ^ (number + 1) * 0xd1342543de82ef95u;
}

/* Gives the context the next block; false when there is none left. */
static bool start_next_block(struct context *c, struct launch_job *job)
{
    uint64_t number = atomic_fetch_add(&job->next_block, 1);
    if (number >= job->block_count || atomic_load(&job->stop)) {
        return false;
    }
    number = job->settings->blocks != NULL ? job->settings->blocks[number] : number;
    c->number = number;
    number = place_in_grid(job, number);
    c->block.schedule = schedule_of(job, number);
    c->block.sm = (uint32_t)(number % job->settings->sm_count);
    const struct grid_settings *settings = job->settings;
    bool steps = settings->step_kernel != NULL && number == settings->step_block;
    c->block.number = number;
    c->block.kernel = steps ? settings->step_kernel : job->kernel;
    block_start(&c->block, block_index(job->launch, number));
    c->running = true;
    if (c->block.observers != NULL) {
        OBSERVE(c->block.observers, block_begin, &c->block);
    }
    return true;
}

/* Runs the context's block until it is done, or has executed that many instructions, and not much
 * less than one time slice. Returns how many it has executed. */
static int64_t run_for_a_while(struct context *c, struct launch_job *job, int64_t instructions)
{
    int64_t before = c->block.fuel;
    do {
        block_run(&c->block);
        c->running = !atomic_load(&job->stop) && !block_done(&c->block);
    } while (c->running && before - c->block.fuel < instructions);
    if (c->block.observers != NULL && !c->running && block_done(&c->block)) {
        OBSERVE(c->block.observers, block_end, &c->block);
    }
    return before - c->block.fuel;
}

static struct context *spare_context(struct worker *w, struct launch_job *job)
{
    struct context *c = NULL;
    for (unsigned i = 0; i < w->context_count && c == NULL; i++) {
        c = w->contexts[i]->running ? NULL : w->contexts[i];
    }
    if (c == NULL && w->context_count < job->settings->resident) {
        c = new_context(w);
    }
    if (c != NULL && !c->prepared) {
        c->prepared = prepare_context(c, job, w);
    }
    return c != NULL && c->prepared ? c : NULL;
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
};

/* Blocks of a cooperative grid will wait for each other, so all of them are started. */
static bool wants_another(const struct turns *t, const struct launch_job *job)
{
    return t->running == 0 || !t->newest->running || job->launch->cooperative ||
           t->since_start >= PATIENCE;
}

static void start_another(struct worker *w, struct launch_job *job, struct turns *t)
{
    struct context *c = spare_context(w, job);
    if (c != NULL) {
        t->blocks_left = start_next_block(c, job);
        t->newest = c;
        t->since_start = 0;
    } else if (t->running == 0) {
        out_of_memory(job);
    }
}

/* Blocks of a cooperative grid meet often: until it looks endless, the oldest one is as the rest.
 */
static bool prefers_oldest(const struct turns *t, const struct launch_job *job)
{
    return !job->launch->cooperative || t->since_end > job->settings->max_instructions / 4;
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
}

static void work_on(struct worker *w, struct launch_job *job)
{
    if (!prepare_counters(w, job->kernel)) {
        out_of_memory(job);
        return;
    }
    for (unsigned i = 0; i < w->context_count; i++) {
        w->contexts[i]->running = w->contexts[i]->prepared = false;
    }
    if (spare_context(w, job) == NULL) {
        out_of_memory(job);
        return;
    }
    struct turns t = {.blocks_left = true};
    while (!atomic_load(&job->stop) && (t.running > 0 || t.blocks_left)) {
        if (t.blocks_left && wants_another(&t, job)) {
            start_another(w, job, &t);
        }
        take_turns(w, job, &t);
    }
}

/* --- the pool -------------------------------------------------------------------------------- */

static void *worker_main(void *argument)
{
    struct worker *w = argument;
    struct grid_pool *pool = w->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    while (!pool->closing) {
        if (pool->job == NULL || pool->job_number == seen) {
            pthread_cond_wait(&pool->wake, &pool->lock);
            continue;
        }
        seen = pool->job_number;
        struct launch_job *job = pool->job;
        pthread_mutex_unlock(&pool->lock);
        work_on(w, job);
        pthread_mutex_lock(&pool->lock);
        if (--pool->active == 0) {
            pthread_cond_signal(&pool->done);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void free_worker(struct worker *w)
{
    for (unsigned i = 0; i < w->context_count; i++) {
        free_context(w->contexts[i]);
    }
    free(w->contexts);
    free(w->sites);
    free(w->patterns);
}

struct grid_pool *grid_open(unsigned threads, struct err *e)
{
    struct grid_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL || (pool->workers = calloc(threads, sizeof *pool->workers)) == NULL) {
        free(pool);
        err_set(e, "out of memory for %u worker threads", threads);
        return NULL;
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->worker_count = 1;
    for (unsigned i = 0; i < threads; i++) {
        struct worker *w = &pool->workers[i];
        w->pool = pool;
        w->number = i;
        if (i > 0) { /* worker 0 is whoever launches */
            if (pthread_create(&w->thread, NULL, worker_main, w) != 0) {
                break;
            }
            pool->worker_count++;
        }
    }
    return pool;
}

void grid_close(struct grid_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 1; i < pool->worker_count; i++) {
        pthread_join(pool->workers[i].thread, NULL);
    }
    for (unsigned i = 0; i < pool->worker_count; i++) {
        free_worker(&pool->workers[i]);
    }
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->done);
    free(pool->workers);
    free(pool);
}

unsigned grid_workers(const struct grid_pool *pool) { return pool->worker_count; }

static void share_out(struct grid_pool *pool, struct launch_job *job)
{
    pthread_mutex_lock(&pool->lock);
    pool->job = job;
    pool->job_number++;
    pool->active = pool->worker_count - 1;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    work_on(&pool->workers[0], job);
    pthread_mutex_lock(&pool->lock);
    while (pool->active > 0) {
        pthread_cond_wait(&pool->done, &pool->lock);
    }
    pool->job = NULL;
    pthread_mutex_unlock(&pool->lock);
}

static void add_sites(const struct worker *w, const struct kernel *k, struct site *sites)
{
    for (unsigned i = 0; i < k->site_count; i++) {
        sites[i].a += w->sites[i].a;
        sites[i].b += w->sites[i].b;
        sites[i].c += w->sites[i].c;
    }
}

bool grid_run(struct grid_pool *pool, struct simt *simt, const struct kernel *k,
              const struct simt_launch *launch, const struct grid_settings *settings,
              struct site *sites, struct err *e)
{
    struct launch_job job = {
        .simt = simt, .kernel = k, .launch = launch, .settings = settings, .fault = e};
    uint64_t threads = (uint64_t)launch->block.x * launch->block.y * launch->block.z;
    job.block_count = settings->blocks != NULL
                          ? settings->block_count
                          : (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    bool small = job.block_count == 1 || job.block_count * (threads + 31) / 32 <= SMALL_GRID;
    bool serial = settings->observers != NULL && settings->observers->serial;
    if (small || serial || pool->worker_count == 1) {
        work_on(&pool->workers[0], &job);
        add_sites(&pool->workers[0], k, sites);
    } else {
        share_out(pool, &job);
        for (unsigned i = 0; i < pool->worker_count; i++) {
            add_sites(&pool->workers[i], k, sites);
        }
    }
    return !e->set;
}
