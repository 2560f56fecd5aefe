/* flow.h - control flow as a graph: dominators and natural loops. It knows nothing of instructions;
 * ir.h makes the graph of a function, passes ask it.
 *
 * All of it takes time and memory in proportion to the blocks, loops in loops counted once for
 * each. */
#ifndef SIMT_FLOW_H
#define SIMT_FLOW_H

#include "base/arena.h"
#include "base/base.h"

struct flow_block {
    unsigned *successors; /* block numbers; FLOW_EXIT for "leaves the function" */
    unsigned successor_count;
};

#define FLOW_EXIT 0xffffffffu
#define FLOW_NONE 0xffffffffu

struct flow_loop {
    unsigned head, size;
    unsigned *blocks;       /* `size` of them, in ascending order */
    unsigned parent, depth; /* the loop around it, or FLOW_NONE; how many there are around it */
};

struct flow {
    const struct flow_block *blocks;
    struct flow_block *preds; /* who goes to each block, in the same form; only reached blocks */
    unsigned count;
    unsigned *order; /* blocks that are reached, in reverse postorder */
    unsigned reached;
    unsigned *number; /* block -> its index in `order`, FLOW_NONE: never reached */
    unsigned *idom;   /* block -> immediate dominator; of block 0 and of unreached ones FLOW_NONE */
    unsigned *level;  /* block -> how many dominators it has */
    unsigned *tree_first, *tree_size; /* the dominator tree in preorder: a block's index, and how
                                         many blocks it dominates, itself included */
    struct flow_loop *loops;          /* natural loops, one per head */
    unsigned loop_count;
    unsigned *loop_of;   /* block -> the loop whose head it is, or FLOW_NONE */
    unsigned *innermost; /* block -> index of the smallest loop that has it, or FLOW_NONE */
};

/* Block 0 is the entry. The blocks must outlive the result, which lies in `scratch`. */
struct flow flow_of(struct arena *scratch, const struct flow_block *blocks, unsigned count);
/* Does every way from the entry to b go through `above`? Both must be reached from the entry. */
bool flow_dominates(const struct flow *f, unsigned above, unsigned b);
/* An edge back to the head of a loop that `from` is in. */
bool flow_goes_back(const struct flow *f, unsigned from, unsigned to);
/* Is the block in that loop, or in one inside of it? */
bool flow_in_loop(const struct flow *f, unsigned loop, unsigned b);

#endif
