/* simt_state.h - what the files of the simulator's C API share: a GPU, its modules and their
 * kernels. */
#ifndef SIMT_SIMT_STATE_H
#define SIMT_SIMT_STATE_H

#include "api/simt.h"

#include "exec/exec_observed.h"
#include "machine/grid.h"
#include "translate/translate.h"

#include <pthread.h>

/* Where one launch runs. A launch that waits for something outside its grid keeps its own. */
struct place {
    struct grid_pool *pool;
    uint64_t workspace; /* device memory for grid.sync(); 0: none yet */
    struct place *next;
};

struct simt {
    const struct gpu_limits *limits;
    struct memory *memory;
    struct simt_module *modules;
    struct printed printed;
    struct grid_settings settings;
    bool plain_passes; /* SIMT_PASSES=none */
    enum translate_when translate;
    void (*write)(void *state, const char *text, size_t length);
    void *write_state;
    pthread_mutex_t output_lock;
    pthread_mutex_t launch_lock; /* of what follows, up to `holder` */
    pthread_cond_t changed;
    uint32_t launches;
    struct place *place;         /* where the next launch runs */
    struct place *spare;         /* which launches have left that had stepped aside */
    unsigned aside;              /* launches that have */
    bool busy;                   /* a launch runs in `place`, */
    struct simt_waiting *holder; /* which may step aside; NULL: it will end */
    const char *holder_stays;    /* why it will not; NULL: it can */
    struct observers observers;
    const struct kernel **copies; /* of the launch that runs, for each worker; NULL: not yet */
    uint64_t sample_budget;       /* warp instructions; 0: launches run whole, */
    unsigned sample_whole;        /* and so many more do */
    struct simt_sample sample;    /* of the last launch */
};

/* A launch under way. */
struct running {
    struct simt *simt;
    struct place *place;
    bool aside;
    bool joins; /* the launches that run beside, as there are some; the launching thread has not
                   joined for it */
};

/* ---- simt_place.c ---------------------------------------------------------------------------- */

struct place *place_open(unsigned threads);
void place_close(struct place *p); /* and all behind it */
/* Waits until no launch runs but those that have stepped aside, and takes the lock, which
 * place_hold() gives back. stays: why the launch cannot step aside; NULL: it can. */
void place_enter(struct running *r, const struct simt_launch *launch);
void place_hold(struct simt *s, struct simt_waiting *waiting, const char *stays);
void place_step_aside(struct running *r); /* called by a worker of the launch */
void place_leave(struct running *r, const struct simt_launch *launch, struct listener *l);

/* Copies of a kernel's code that report what they do; NULL: not needed yet. */
struct observed_copies {
    struct observed_kernel *all;     /* of all blocks, */
    struct observed_kernel *stepped; /* of the one whose every step is reported, */
    struct observed_kernel **own;    /* of each worker */
    unsigned own_count;
};

struct simt_kernel {
    struct kernel *decoded;
    struct simt *simt;
    struct site *sites;               /* room for the counters of a launch */
    struct observed_copies *observed; /* for launches that have observers */
    struct translation *translation;  /* for all others; NULL: it is interpreted */
    struct simt_kernel *next;
    bool may_wait; /* simt_kernel_may_wait() */
};

struct simt_module {
    struct simt *simt;
    struct ptx_module *ptx;
    struct simt_module *next;
    struct simt_kernel *kernels;
    uint64_t *addresses; /* of ptx->vars, 0 for those that are not in device memory */
    pthread_mutex_t lock;
};

#endif
