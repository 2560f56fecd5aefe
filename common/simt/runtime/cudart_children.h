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

#endif
