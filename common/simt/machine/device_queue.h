/* device_queue.h - what a grid has launched, or copied, by calls of its kernels: done when the grid
 * has ended.
 *
 * Any worker of the grid adds to it; the thread that ran the grid empties it. */
#ifndef SIMT_DEVICE_QUEUE_H
#define SIMT_DEVICE_QUEUE_H

#include <pthread.h>

#include "base/base.h"
#include "base/launch.h"
#include "common/gpu/gpu_limits.h"

enum {
    DEVICE_DEPTH = 24,             /* of launches in launches, as in CUDA */
    DEVICE_PARAMETER_BYTES = 4096, /* the most that a kernel's parameters have there */
    DEVICE_STREAM_TAIL = 3         /* cudaStreamTailLaunch: behind all that the grid has launched */
};

struct device_item {
    enum { DEVICE_LAUNCH, DEVICE_COPY, DEVICE_FILL } kind;
    uint64_t stream;
    uint64_t function, buffer; /* of a launch: the kernel's address, and its parameters' */
    struct simt_dim grid, block;
    uint32_t shared_bytes;
    uint64_t to, from, bytes; /* of a copy or fill: of each row */
    uint32_t value;
    uint64_t rows, layers; /* of a copy or fill in two or three dimensions */
    uint64_t to_pitch, from_pitch, to_layer, from_layer; /* bytes from one to the next */
    int code;                                            /* of a launch: why it cannot be, or 0 */
    struct device_item *next;
};

/* What the calls of a thread have last failed with. */
struct device_error {
    uint64_t thread; /* numbered in the grid */
    int code;
    struct device_error *next;
};

/* What the host's side of the runtime answers while the grid runs. `grid` is the queue's; any
 * worker calls. Each returns CUDA's code of an error, or 0. */
struct device_host {
    uint64_t attributes_bytes; /* of cudaFuncAttributes */
    int (*function)(const void *grid, uint64_t function, void *attributes);
    int (*blocks)(const void *grid, uint64_t function, int threads, uint64_t shared_bytes,
                  int *blocks);
    int (*attribute)(const void *grid, int attribute, int device, int *value);
    int (*limit)(const void *grid, int limit, uint64_t *bytes);
    int (*devices)(const void *grid, int *own, int *count);
    int (*cache)(const void *grid, int *config);
    int (*version)(const void *grid, int *version);
};

struct device_queue {
    pthread_mutex_t lock;
    const struct device_host *host;
    const void *grid;
    unsigned depth; /* 0: the host has launched the grid */
    const struct gpu_limits *limits;
    struct device_error *errors; /* of few threads, as a rule of none */
    struct device_item *pending; /* have parameters and are not launched yet */
    struct device_item *first, *last;
    struct device_item *first_tail, *last_tail;
    /* Of a grid that another one launched at its tail: the other one's queue, which takes over what
     * this grid launches at its own. A chain of such launches has no depth. NULL: none. */
    struct device_queue *tail_of;
};

void device_queue_open(struct device_queue *q, unsigned depth, const struct gpu_limits *limits);
/* The parameters that a launch prepares are those of this kernel's address. false: no such buffer.
 */
bool device_queue_name(struct device_queue *q, uint64_t buffer, const struct device_item *launch);
/* Says, too, whether the GPU could run such a grid. */
void device_queue_prepare(struct device_queue *q, const struct device_item *item);
/* false: no launch has been prepared with that buffer. One that cannot be is added, too, so that
 * the host explains it; *code says why. */
bool device_queue_issue(struct device_queue *q, uint64_t buffer, uint64_t stream, int *code);
/* A call of the thread has failed; and what cudaGetLastError() gives it, which also clears it. */
void device_queue_set_error(struct device_queue *q, uint64_t thread, int code);
int device_queue_error(struct device_queue *q, uint64_t thread, bool clears);
void device_queue_add(struct device_queue *q, const struct device_item *item);
/* The oldest; of the tail, once there is no other. The caller frees it. NULL: it is empty. */
struct device_item *device_queue_take(struct device_queue *q);
/* What is left, a tail, goes ahead of the tail of q->tail_of. */
void device_queue_hand_over(struct device_queue *q);
/* Nothing has ever been added, as by most grids. */
static inline bool device_queue_is_unused(const struct device_queue *q)
{
    return q->pending == NULL && q->first == NULL && q->first_tail == NULL && q->errors == NULL;
}
/* Frees what is left; `forget` is called for each buffer. */
void device_queue_close(struct device_queue *q, void (*forget)(void *state, uint64_t buffer),
                        void *state);

#endif
