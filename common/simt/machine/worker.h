/* worker.h - what the files of a grid share: a launch in progress, a thread that works on it, and
 * the contexts in which that runs its blocks.
 *
 * context.c gives a block its memory, worker.c runs a worker's share of the blocks, grid.c has the
 * threads. */
#ifndef SIMT_WORKER_H
#define SIMT_WORKER_H

#include "machine/cluster.h"
#include "machine/grid.h"

#include <pthread.h>

/* All that warp_shape() looks at. No padding: shapes are compared byte by byte. */
struct launch_shape {
    struct simt_dim block, grid;
    uint32_t sm_count, dynamic_shared_bytes, shared_bytes, reserved_offset;
    uint64_t workspace;
};

/* Everything one block needs while it runs. Kept from launch to launch while it is large enough. */
struct context {
    struct block block;
    struct launch_shape shape; /* of the launch before; all zero: its warps have none yet */
    struct warp *warps;
    unsigned warp_room;
    uint8_t *registers, *shared, *local;
    size_t register_room, shared_room, local_room;
    const struct kernel *kernel; /* the code that blocks run, but perhaps one */
    uint64_t number;        /* of the block in the grid */
    struct cluster cluster; /* of the blocks that were started with this one, it being the first */
    bool running, prepared; /* for the launch in progress */
    atomic_bool stop;       /* of this block, where blocks run in turn */
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
    uint64_t frees_seen;  /* see struct block */
    unsigned number;
};

struct launch_job {
    const struct kernel *kernel;
    const struct simt_launch *launch;
    const struct grid_settings *settings;
    uint64_t block_count;
    _Atomic uint64_t next_block;
    atomic_bool stop;
    struct turn *turn; /* NULL: blocks need not keep an order */
    struct err *fault;
};

/* ---- context.c ------------------------------------------------------------------------------- */

void context_free(struct context *c);
/* Makes the context fit for blocks of the launch, run by that worker. false: out of memory. */
bool context_prepare(struct context *c, const struct launch_job *job, struct worker *worker);

/* ---- patience.c ------------------------------------------------------------------------------ */

/* Tells, once for each launch, that it has been running for so long. unseen: the warp instructions
 * of this worker since the last look at the clock; what is seen now is taken away. */
void patience_look(struct patience *p, const struct launch_job *job, int64_t *unseen);

/* ---- worker.c -------------------------------------------------------------------------------- */

/* Runs blocks of the launch until none is left, or one has failed. */
void worker_run(struct worker *w, struct launch_job *job);
void worker_free(struct worker *w);

#endif
