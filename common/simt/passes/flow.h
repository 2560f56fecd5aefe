/* flow.h - control flow of one function: where do lanes that part meet again?
 *
 * Machine code says it with convergence barriers: BSSY, before lanes can part, names a
 * place ahead; BSYNC there holds whoever comes until the rest has come, has exited, or has left the
 * way to it (BREAK). This room finds those places: not only where all ways come together, but every
 * block where some of them do. Lanes that part at a branch wait at
 *
 *   - each later block that both ways reach, if it can be reached around the ones before it;
 *   - in a loop also at the loop's end, before its head begins the next round;
 *   - behind a loop that only some of them leave: at its follow, where the ways out come together.
 *
 * Ways that leave the function do not count. What a `break` or `return` does on its way out (its
 * arm) belongs to the round of the loop that it was written in, and nobody waits for it elsewhere.
 * tests/fidelity/README.md tells how the rules were found. */
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

/* --- flow.c: dominators and loops ------------------------------------------------------------- */

struct flow_loop {
    unsigned head, size;
    bool *has; /* per block */
};

struct flow {
    const struct flow_block *blocks;
    struct flow_block *preds; /* who goes to each block, in the same form; only reached blocks */
    unsigned count;
    unsigned *order;    /* blocks that are reached, in reverse postorder */
    unsigned reached;
    unsigned *number;   /* block -> its place there, FLOW_NONE: never reached */
    unsigned *idom;     /* block -> immediate dominator; of block 0 and of unreached ones FLOW_NONE */
    unsigned *level;    /* block -> how many dominators it has */
    struct flow_loop *loops; /* natural loops, one per head */
    unsigned loop_count;
    unsigned *innermost; /* block -> index of the smallest loop that has it, or FLOW_NONE */
};

/* Block 0 is the entry. The blocks must outlive the result, which lies in `scratch`. */
struct flow flow_of(struct arena *scratch, const struct flow_block *blocks, unsigned count);
/* Does every way from the entry to b go through `above`? Both must be reached from the entry. */
bool flow_dominates(const struct flow *f, unsigned above, unsigned b);
/* An edge back to the head of a loop that `from` is in. */
bool flow_goes_back(const struct flow *f, unsigned from, unsigned to);

/* --- flow_meets.c: where lanes wait ----------------------------------------------------------- */

struct flow_meets {
    unsigned *first; /* block -> index in list[] of its branch's first place; count + 1 entries */
    unsigned *list;  /* blocks; of each branch the outermost (last) place first. A loop's head stands
                        for the loop's end. */
    unsigned *order; /* block -> its rank as a place to wait: lanes come to lower ranks first */
};

struct flow_meets flow_find_meets(struct arena *scratch, const struct flow *f);

#endif
