/* grid.h - a grid of blocks over the worker threads of the machine.
 *
 * Called by simt_launch.c. Counters are kept per worker and summed when the grid has ended, so
 * they do not depend on the number of workers. */
#ifndef SIMT_GRID_H
#define SIMT_GRID_H

#include "machine/beside.h"
#include "machine/observer.h"

struct grid_pool;

/* threads: workers, the caller among them. max_instructions: warp instructions of one block. */
struct grid_pool *grid_open(unsigned threads);
void grid_close(struct grid_pool *pool);
unsigned grid_workers(const struct grid_pool *pool);

/* What the workers of one launch know together of how long it takes; all zero when it begins. */
struct patience {
    _Atomic int64_t began_ns; /* 0: nobody has looked at the clock yet */
    _Atomic uint64_t executed;
    atomic_bool reported;
};

/* The kernel's code in a faster form, perhaps only later in the launch: translate/translate.h. Both
 * do the same. */
struct faster_code {
    const struct kernel *_Atomic code; /* what blocks run that begin from now on; NULL: not yet */
    /* So many warp instructions of the kernel have been executed. */
    void (*executed)(struct faster_code *self, uint64_t instructions);
};

struct grid_settings {
    struct memory *memory;
    struct output output;
    struct printed *printed; /* NULL: nobody counts */
    int64_t max_instructions;
    bool allow_exited;    /* barriers do not wait for exited threads */
    bool poison_shuffles; /* SIMT_SHUFFLE=poison */
    uint32_t sm_count;
    uint32_t resident;    /* blocks that the GPU would hold at once */
    uint32_t stack_bytes; /* local memory of a thread that calls recursively */
    uint32_t grid_id;
    uint64_t schedule;   /* SIMT_SCHEDULE: what shuffles warps and blocks; 0: nothing does */
    uint64_t patience_s; /* a launch that takes longer is reported on stderr, once; 0: never */
    struct patience *patience;          /* of this launch; NULL: it is never reported */
    uint64_t workspace;                 /* device memory for grid.sync() of a cooperative launch */
    const struct observers *observers;  /* NULL: nobody */
    const struct kernel *const *copies; /* of the code, one for each worker; NULL: all run one */
    struct faster_code *faster;         /* of the kernel; NULL: there is none */
    const struct kernel *step_kernel;   /* what block step_block runs instead, if not NULL */
    uint64_t step_block;
    const uint64_t *blocks;    /* only these, by number; NULL: all */
    uint64_t block_count;      /* how many they are */
    uint64_t started_before;   /* blocks of the launch that earlier calls have run */
    struct listener *listener; /* of launch->beside */
    /* The launch waits for somebody outside: lets others begin. */
    void (*steps_aside)(void *state);
    void *state;
    const char *stays; /* why no other launch can begin before its end; NULL: one can */
};

/* Runs the launch to its end. sites: kernel->site_count counters, summed over the workers. */
bool grid_run(struct grid_pool *pool, const struct kernel *k, const struct simt_launch *launch,
              const struct grid_settings *settings, struct site *sites, struct err *e);

#endif
