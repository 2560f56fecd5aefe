/* worker.h - what the files of a grid share: a launch in progress, a thread that works on it, and
 * the contexts in which that runs its blocks.
 *
 * context.c gives a block its memory, worker.c runs it for a while, shares.c says which block runs
 * when, grid.c has the threads. */
#ifndef SIMT_WORKER_H
#define SIMT_WORKER_H

#include "machine/cluster.h"
#include "machine/grid.h"
#include "machine/news.h"
#include "machine/standstill.h"

#include <pthread.h>

/* All that warp_shape() looks at. */
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
    uint64_t number;             /* of the block in the grid */
    struct cluster cluster; /* of the blocks that were started with this one, it being the first */
    bool running;
    bool waits;                   /* in its last turn it did nothing but ask global memory */
    bool stands;                  /* for ever, unless somebody stores something */
    struct standstill standstill; /* what is known of that */
    atomic_bool stop;             /* of this block, where blocks run in turn */
};

#define NO_BLOCK UINT64_MAX

struct worker {
    struct grid_pool *pool;
    pthread_t thread;
    struct context **contexts;
    unsigned context_count;
    unsigned used; /* of them, by this launch */
    struct listener listener;
    /* While its blocks wait; else NO_BLOCK and 0. */
    _Atomic uint64_t oldest;
    _Atomic unsigned running;
    struct site *sites;
    struct pattern *patterns;
    struct kept_patterns *kept; /* for each of them */
    struct repeats *repeats;    /* NULL: no launch has wanted them */
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
    bool all_fit;             /* on the GPU: nobody counts how many are running */
    _Atomic uint64_t running; /* blocks that have begun and not ended */
    struct news news;         /* of blocks that have done something while others wait */
    atomic_bool stop;
    struct turn *turn; /* NULL: blocks need not keep an order */
    const struct worker *workers;
    unsigned worker_count;
    struct err *fault;
};

/* ---- context.c ------------------------------------------------------------------------------- */

void context_free(struct context *c);
/* Makes the context fit for blocks of the launch, run by that worker. false: out of memory. */
bool context_prepare(struct context *c, struct launch_job *job, struct worker *worker);

/* ---- patience.c ------------------------------------------------------------------------------ */

/* Tells, once for each launch, that it has been running for so long. unseen: the warp instructions
 * of this worker since the last look at the clock; what is seen now is taken away. */
void patience_look(struct patience *p, const struct launch_job *job, int64_t *unseen);

/* ---- worker.c -------------------------------------------------------------------------------- */

/* Counters and patterns for the launch. */
void worker_prepare(struct worker *w, const struct launch_job *job);
/* Blocks that are started together: those of a cluster. */
unsigned worker_blocks_at_once(const struct launch_job *job);
/* Nobody looks at its memory any more. */
bool worker_is_spare(const struct context *c);
/* So many contexts that no block uses; false: out of memory. */
bool worker_spare_contexts(struct worker *w, struct launch_job *job, struct context **spare,
                           unsigned count);
/* Gives the contexts the next block, or the next cluster's blocks; false when there is none left.
 */
bool worker_start(struct context *const *c, unsigned count, struct launch_job *job);
/* Runs the context's block until it is done, waits, or has executed that many instructions, and not
 * much less than one time slice. Returns how many it has executed. */
int64_t worker_run_block(struct context *c, struct launch_job *job, int64_t instructions);
void worker_out_of_memory(struct launch_job *job);
void worker_free(struct worker *w);

/* ---- endless.c ------------------------------------------------------------------------------- */

/* Ends the launch by a fault of the block's thread that asks. rest: why it waits in vain. */
void endless_block(struct context *c, const char *rest);
/* certain: else its blocks have only asked for as long as one block may work. */
void endless_grid(struct launch_job *job, struct context *oldest, bool certain);

/* ---- shares.c -------------------------------------------------------------------------------- */

/* Runs blocks of the launch until none is left, or one has failed. */
void worker_run(struct worker *w, struct launch_job *job);

#endif
