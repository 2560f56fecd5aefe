/* grid.c - the threads that share out a grid's blocks: see shares.c. Counters belong to the worker
 * and are summed up when the grid has ended. */
#include "machine/repeats.h"
#include "machine/turn.h"
#include "base/room.h"
#include "machine/worker.h"

#include <stdlib.h>

enum { SMALL_GRID = 64 }; /* warps: not worth waking other threads */

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
        worker_run(w, job);
        pthread_mutex_lock(&pool->lock);
        if (--pool->active == 0) {
            pthread_cond_signal(&pool->done);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

struct grid_pool *grid_open(unsigned threads)
{
    struct grid_pool *pool = room_new(1, sizeof *pool);
    pool->workers = room_new(threads, sizeof *pool->workers);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->worker_count = 1;
    for (unsigned i = 0; i < threads; i++) {
        struct worker *w = &pool->workers[i];
        w->pool = pool;
        w->number = i;
        atomic_init(&w->oldest, NO_BLOCK);
        if (i > 0) { /* worker 0 is the thread that launches */
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
        worker_free(&pool->workers[i]);
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
    worker_run(&pool->workers[0], job);
    pthread_mutex_lock(&pool->lock);
    while (pool->active > 0) {
        pthread_cond_wait(&pool->done, &pool->lock);
    }
    pool->job = NULL;
    pthread_mutex_unlock(&pool->lock);
}

/* What a worker has counted of the launch that has ended. */
static void add_worker(const struct worker *w, const struct launch_job *job, struct site *sites)
{
    const struct kernel *k = job->kernel;
    const struct observers *observers = job->settings->observers;
    if (observers != NULL && observers->repeats) {
        repeats_end(w->repeats, observers);
    }
    for (unsigned i = 0; i < k->site_count; i++) {
        sites[i].a += w->sites[i].a;
        sites[i].b += w->sites[i].b;
        sites[i].c += w->sites[i].c;
    }
}

bool grid_run(struct grid_pool *pool, const struct kernel *k, const struct simt_launch *launch,
              const struct grid_settings *settings, struct site *sites, struct err *e)
{
    struct launch_job job = {.kernel = k, .launch = launch, .settings = settings, .fault = e};
    uint64_t threads = (uint64_t)launch->block.x * launch->block.y * launch->block.z;
    job.block_count = settings->blocks != NULL
                          ? settings->block_count
                          : (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    const struct simt_dim d = launch->cluster;
    const bool clusters = d.x != 0;
    bool small = job.block_count == 1 || job.block_count * (threads + 31) / 32 <= SMALL_GRID;
    bool in_turn = settings->observers != NULL && settings->observers->in_turn;
    /* Blocks of a cluster wait for each other, which those that keep an order cannot. */
    bool serial =
        settings->observers != NULL && (settings->observers->serial || (in_turn && clusters));
    job.all_fit = job.block_count <= settings->resident;
    job.block_count /= clusters ? (uint64_t)d.x * d.y * d.z : 1;
    struct turn turn;
    if (in_turn && !serial) {
        turn_open(&turn, settings->started_before, &job.stop);
        job.turn = &turn;
    }
    const bool alone = small || serial || pool->worker_count == 1;
    job.workers = pool->workers;
    job.worker_count = alone ? 1 : pool->worker_count;
    news_open(&job.news, job.worker_count);
    if (alone) {
        worker_run(&pool->workers[0], &job);
        add_worker(&pool->workers[0], &job, sites);
    } else {
        share_out(pool, &job);
        for (unsigned i = 0; i < pool->worker_count; i++) {
            add_worker(&pool->workers[i], &job, sites);
        }
    }
    if (job.turn != NULL) {
        turn_close(job.turn);
    }
    return !e->set;
}
