/* trace.h - the trees of one block, round by round: `./run --trace`, and what draw.cu asks for. */
#ifndef TRACE_H
#define TRACE_H

#include "common/options.h"
#include "step05_reduction/harness/reduction.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tree { TREE_INTERLEAVED, TREE_STRIDED_INDEX, TREE_SEQUENTIAL, TREE_COUNT };
extern const char *const tree_names[TREE_COUNT];

unsigned tree_rounds(unsigned block);
/* How far apart the two elements of an addition are; round 0 is the first. */
unsigned tree_stride(enum tree tree, unsigned block, unsigned round);
/* Does thread t combine elements *a and *a + stride in a round of that stride? */
bool tree_works(enum tree tree, unsigned block, unsigned stride, unsigned t, unsigned *a);
/* One block does the first `rounds` rounds of the tree on block elements in device memory. */
void tree_run(enum tree tree, enum reduction_type type, unsigned block, void *d_values,
              unsigned rounds);

/* Prints the table and the drawing, or CSV. Returns the program's exit code: 1 if the simulator
 * counted anything but what arithmetic says. */
int trace_trees(const struct options *o, enum reduction_type type, unsigned block);

#ifdef __cplusplus
}
#endif

#endif
