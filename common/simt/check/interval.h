/* interval.h - what a block does to its shared memory from one barrier to the next, in short.
 *
 * Layer check. Between two barriers nearly every warp keeps to words that no other warp stores to,
 * and each lane to its own. That much is seen by looking at granules of 128 bytes: which warps have
 * loaded from one, which have stored to it, and whether lanes stood side by side in the same way.
 * As long as it holds there is no race, and the accesses are only noted down. At the first access
 * for which it does not hold they are handed out, in order, to be looked at word by word (race.c);
 * at the barrier they are thrown away. */
#ifndef SIMT_INTERVAL_H
#define SIMT_INTERVAL_H

#include "base/base.h"

struct interval_head {
    uint32_t pc, time; /* of the warp's order */
    lane_mask lanes;
    uint8_t warp, bytes, what;
    bool row;           /* lanes side by side: at the first one's address + lane * bytes */
    uint32_t low, high; /* the first byte that a lane touches, and the last one + 1 */
};

struct interval_access {
    struct interval_head head;
    uint32_t address[WARP_LANES]; /* of the active lanes, in shared memory */
};

struct granule {
    uint32_t interval;         /* the number of the one that the rest is true of */
    uint32_t readers, writers; /* warps */
    uint32_t pattern;
};

struct interval {
    struct granule *granules;
    unsigned granule_count;
    struct interval_access *log;
    unsigned count, room;
    uint32_t number;
    bool closed; /* nothing more is noted down until the next one */
};

void interval_free(struct interval *v);
/* A block begins, with so much shared memory. */
void interval_begin_block(struct interval *v, uint32_t shared_bytes);
/* A barrier: another one begins. */
void interval_next(struct interval *v);
/* Where the next access is to be written; it counts once interval_keep() has said so. */
static inline struct interval_access *interval_slot(struct interval *v)
{
    return &v->log[v->count];
}
/* Is there no race with what the slot says and what has been kept? Then it is kept, too. When the
 * interval has been closed, what was kept is to be looked at. */
bool interval_keep(struct interval *v, bool writes);
void interval_close(struct interval *v);

#endif
