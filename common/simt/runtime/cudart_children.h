/* cudart_children.h - what a grid has launched itself: dynamic parallelism. */
#ifndef SIMT_CUDART_CHILDREN_H
#define SIMT_CUDART_CHILDREN_H

#include "machine/device_queue.h"
#include "runtime/cudart_request.h"

/* Where a grid was launched: in how many other grids, and at whose tail (device_queue.h). The
 * host's launches have {0}. */
struct children_place {
    unsigned depth;
    struct device_queue *tail_of;
};

/* Runs one grid that a kernel has launched, and all that it launches but for its tail, where it is
 * at a tail itself. */
typedef bool (*children_runner)(void *state, const struct request *r, const void *params,
                                const struct children_place *place);

/* Does what the queue holds of `parent`'s grid, in order, and closes it. false: something failed.
 */
bool children_run(struct device_queue *queue, const struct request *parent, children_runner run,
                  void *state);

/* The kernel at an address of device code, loaded; NULL: *e, unless loading has explained it. */
struct CUkern_st *children_kernel(const struct request *parent, uint64_t function, struct err *e);
/* cudart_device_calls.c: answers to calls of kernels; the queue's `grid` is a struct request. */
extern const struct device_host device_calls;

#endif
