/* simt_state.h - what the files of the simulator's C API share: a GPU, its modules and their
 * kernels. */
#ifndef SIMT_SIMT_STATE_H
#define SIMT_SIMT_STATE_H

#include "api/simt.h"

#include "exec/exec_observed.h"
#include "machine/grid.h"

#include <pthread.h>

struct simt {
    const struct gpu_limits *limits;
    struct memory *memory;
    struct grid_pool *pool;
    struct simt_module *modules;
    struct printed printed;
    struct grid_settings settings;
    bool plain_passes; /* SIMT_PASSES=none */
    void (*write)(void *state, const char *text, size_t length);
    void *write_state;
    pthread_mutex_t output_lock, launch_lock;
    uint32_t launches;
    struct observers observers;
    const struct kernel **copies; /* of the launch that runs, for each worker; NULL: not yet */
    uint64_t sample_budget;       /* warp instructions; 0: launches run whole */
    struct simt_sample sample;    /* of the last launch */
};

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
    struct observed_copies *observed; /* for launches that somebody observes */
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
