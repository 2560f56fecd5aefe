/* trace.h - `./run --trace`: the trees of one block, drawn round by round. */
#ifndef TRACE_H
#define TRACE_H

#include "common/options.h"
#include "step05_reduction/reduction.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Prints the table and the drawing, or CSV. Returns the program's exit code: 1 if the simulator
 * counted anything but what arithmetic says. */
int trace_trees(const struct options *o, enum reduction_type type, unsigned block);

#ifdef __cplusplus
}
#endif

#endif
