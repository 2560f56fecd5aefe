/* launch.h - what a launch asks for and what comes of it: sizes, parameters, counters, error codes.
 *
 * Every layer above may speak of these; simt.h hands them to programs. */
#ifndef SIMT_LAUNCH_H
#define SIMT_LAUNCH_H

#include "base.h"

struct simt_kernel;

/* Faults of a running kernel, and why a module or launch is rejected. */
enum simt_error {
    SIMT_OK = 0,
    SIMT_BAD_PTX,         /* text that is not PTX */
    SIMT_NEWER_PTX,       /* of a later version than is known */
    SIMT_NO_IMAGE,        /* PTX for other GPUs */
    SIMT_NOT_SUPPORTED,   /* PTX that the simulator does not execute */
    SIMT_NOT_FOUND,       /* no such kernel or symbol */
    SIMT_BAD_LAUNCH,      /* grid, block or shared memory outside the GPU's limits */
    SIMT_ILLEGAL_ADDRESS, /* out of bounds, null, freed, wrong space */
    SIMT_MISALIGNED,
    SIMT_ILLEGAL_INSTRUCTION,
    SIMT_BARRIER,     /* divergent barrier, or one that some threads never reach */
    SIMT_TIMEOUT,     /* SIMT_MAX_INSTRUCTIONS reached, or no warp can make progress */
    SIMT_BAD_SHUFFLE, /* reads a lane that takes no part */
    SIMT_ASSERT,      /* assert() in a kernel */
    SIMT_TRAP
};

struct simt_counters {
#define COUNTER(field, unit, metric) uint64_t field;
#include "counters.def"
#undef COUNTER
};

struct simt_dim {
    uint32_t x, y, z;
};

/* How much of a launch was executed: simt_sample(). */
struct simt_sample {
    uint64_t blocks, executed;
    bool exact; /* the blocks of each class counted alike: the scaled counts are the launch's */
    const char *whole; /* why it could not be sampled, "an atomic on global memory"; else NULL */
    unsigned line;     /* where that is; 0: not known */
};

/* A launch that may be waiting for something outside of its grid. */
struct simt_waiting {
    void (*begins)(void *state); /* called once: no block has come to its end for long */
    void *state;
    int begun;   /* 1: it is being called, 2: it has been */
    int awaited; /* set by the thread that waits for the launch, so that it may count as endless */
    int blocks;  /* set where what waits for it is another launch, which cannot begin */
    bool joined; /* the thread that launches counts among those of `beside` as long as it lives */
    struct site *sites; /* what it counted, until simt_publish() */
    struct simt_sample sample;
};

struct touched_bytes_of;
struct device_queue;
struct beside;
struct site;

struct simt_launch {
    const struct simt_kernel *kernel;
    struct simt_dim grid, block;
    struct simt_dim cluster; /* in blocks, divides the grid; all zero: blocks form none */
    uint32_t dynamic_shared_bytes;
    const void *params; /* the kernel's parameters, packed as simt_kernel_param describes */
    bool cooperative;   /* all blocks are resident together (grid.sync()) */
    struct touched_bytes_of *touched; /* watch/launch_bytes.h; NULL: not asked for */
    struct device_queue *queue;       /* machine/device_queue.h; NULL: its kernels launch nothing */
    struct simt_waiting *waiting;     /* NULL: a kernel that waits forever is endless */
    struct beside *beside; /* machine/beside.h; NULL: no other launch runs at the same time */
    /* Of a launch that is observed: called at its end, before another one may begin, whose events
     * would mix with this one's. NULL: not asked for. */
    void (*seen)(void *state, const struct simt_counters *counters);
    void *seen_state;
};

/* The counters of one line of the source; file is NULL and line 0 where the compiler named none. */
struct simt_line {
    const char *file;
    uint32_t line;
    struct simt_counters counters; /* warps is 0 */
};

#endif
