/* turn.h - blocks that run side by side, and yet in order where it matters: a block whose turn has
 * come knows that all that were started before it have ended.
 *
 * An observer that says `in_turn` asks for it: what it does in turn, or only after it, comes out
 * the same on any number of threads. Each worker then has one block at a time, and a fault waits
 * for its turn, too: the first one in this order is reported. A fault stops its own block; the
 * launch is stopped when that did not survive it. */
#ifndef SIMT_TURN_H
#define SIMT_TURN_H

#include "machine/warp.h"

#include <pthread.h>

struct turn {
    _Atomic uint64_t ended; /* blocks of the launch before this one */
    atomic_bool *stop;      /* the launch has been stopped */
    atomic_uint waiting;
    pthread_mutex_t lock;
    pthread_cond_t moved;
};

/* first: the sequence number of the first block. */
void turn_open(struct turn *t, uint64_t first, atomic_bool *stop);
void turn_close(struct turn *t);
/* Waits until it is this block's turn: at once where blocks run one after the other. False: the
 * launch has been stopped, what the block does is of no account any more. */
bool turn_has_come(const struct block *b);
/* The block has ended: it is the next one's turn. */
void turn_pass(const struct block *b);

#endif
