/* cudart_children.h - what a grid has launched itself: dynamic parallelism. */
#ifndef SIMT_CUDART_CHILDREN_H
#define SIMT_CUDART_CHILDREN_H

#include "machine/device_queue.h"
#include "runtime/cudart_request.h"

/* Runs one grid that a kernel has launched, and all that it launches. */
typedef bool (*children_runner)(void *state, const struct request *r, const void *params,
                                unsigned depth);

/* Does what the queue holds of `parent`'s grid, in order, and closes it. false: something failed.
 */
bool children_run(struct device_queue *queue, const struct request *parent, children_runner run,
                  void *state);

/* The kernel at an address of device code, loaded; NULL: *e, unless loading has explained it. */
struct CUkern_st *children_kernel(const struct request *parent, uint64_t function, struct err *e);
/* cudart_device_calls.c: answers to calls of kernels; the queue's `grid` is a struct request. */
extern const struct device_host device_calls;

#endif
