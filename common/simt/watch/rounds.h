/* rounds.h - which round of which loop a warp is in, from the instructions that it executes.
 *
 * A jump back to an earlier instruction ends a round of the loop between the two. Loops nest; one
 * is left when an instruction outside of it is executed, which a call within a loop also is. Behind
 * the first rounds of a loop the others are alike to a reader: trace.c leaves out the middle. */
#ifndef SIMT_ROUNDS_H
#define SIMT_ROUNDS_H

#include "base/base.h"

enum { ROUNDS_KEPT = 8, ROUNDS_NESTED = 8 };

struct rounds {
    struct {
        uint32_t head, back; /* code indices: where a round begins, and the jump that ends it */
        uint64_t done;       /* rounds that have ended */
    } loops[ROUNDS_NESTED];
    unsigned depth;
    uint32_t before; /* code index of the last instruction */
    int long_loop;   /* the outermost loop that has had ROUNDS_KEPT rounds; -1: none */
};

/* What the next instruction is to that loop. */
struct rounds_place {
    bool left;         /* the instruction is the first one behind a long loop, */
    bool inside;       /* or in one: */
    bool begins_round; /* the first of a round */
    uint64_t round;    /* from 1 */
    uint32_t head;
};

void rounds_begin(struct rounds *r);
/* The warp executes the instruction at pc; jumped: the one before was a branch that lanes took. */
struct rounds_place rounds_step(struct rounds *r, uint32_t pc, bool jumped);

#endif
