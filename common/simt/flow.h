/* flow.h - control flow of one function: where do the lanes of a divergent branch meet again?
 *
 * Floor 2. They meet at the branch's immediate post-dominator: the first block that every path
 * from the branch to the function's end goes through. */
#ifndef SIMT_FLOW_H
#define SIMT_FLOW_H

#include "arena.h"
#include "base.h"

struct flow_block {
    unsigned *successors; /* block numbers; FLOW_EXIT for "leaves the function" */
    unsigned successor_count;
};

#define FLOW_EXIT 0xffffffffu

/* Writes, for each of `count` blocks, its immediate post-dominator: a block number, or FLOW_EXIT
 * where paths meet only at the end (or never, as in an endless loop). */
void flow_post_dominators(struct arena *scratch, const struct flow_block *blocks, unsigned count,
                          unsigned *ipdom);

#endif
