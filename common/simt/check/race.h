/* race.h - finds accesses of one launch that nothing orders, at least one of them a store.
 *
 * Layer check. Fed with the accesses of warp instructions, before they are executed. What counts
 * as a race is a table in common/simt/CHECKS.md. */
#ifndef SIMT_RACE_H
#define SIMT_RACE_H

#include "check/interval.h"
#include "check/order.h"
#include "check/shadow.h"

#include "machine/observer.h"

enum touch_kind {
    TOUCH_LOAD = 1,
    TOUCH_STORE = 2,
    TOUCH_ATOMIC = 3,
    TOUCH_KIND = 3,   /* mask of the above; bit 1: it writes */
    TOUCH_STRONG = 4, /* volatile, relaxed, acquire, release, or an atomic */
    TOUCH_VOLATILE = 8,
    TOUCH_POLLS = 16,       /* a load in a loop that waits for others */
    TOUCH_ASYNC = 32,       /* the store of a cp.async */
    TOUCH_NO_CONFLICT = 64, /* memory that a library synchronises with: no race is looked for */
    TOUCH_IN_TURN = 128     /* a volatile access of a kernel that polls: threads may take turns */
};

/* One access of the active lanes, in one space. */
struct touch {
    uint32_t pc;
    uint8_t what, scope, space, bytes;
    uint8_t width;  /* of an atomic, in bytes */
    bool blind;     /* an atomic whose result is not read */
    bool read_only; /* a load by the way for data that a kernel does not write */
    lane_mask lanes;
    uint32_t time;           /* of the warp's order, when it was */
    uint64_t low, high;      /* the first byte that a lane touches, and the last one + 1 */
    const uint64_t *address; /* of 32 lanes; in shared memory offsets */
    const void *state;       /* for the two functions */
    /* What the lane is about to store; what is there now. NULL: unknown. */
    const uint8_t *(*value)(const struct touch *a, unsigned lane, uint8_t *room);
    const uint8_t *(*content)(const struct touch *a, unsigned lane);
};

enum race_reason {
    RACE_IN_WARP,   /* no __syncwarp, shuffle or vote between */
    RACE_IN_BLOCK,  /* no barrier between */
    RACE_OF_BLOCKS, /* no order between blocks at all */
    RACE_ASYNC,     /* the copy has not been waited for */
    RACE_SCOPE,     /* atomics, but one is for its block alone */
    RACE_SAME_INSN, /* lanes of one instruction store different values */
    RACE_WIDTH,     /* atomics of different width */
    RACE_LOCK,      /* in order, by a lock that the first one took without a fence */
    RACE_READ_ONLY  /* a store of this launch, and a load that may not see any */
};

struct race_report {
    enum race_reason reason;
    const struct stamp *first;
    unsigned first_lane;
    const struct touch *second;
    const struct order_warp *second_warp;
    unsigned second_lane;
    uint64_t address; /* of the cell, in second->space */
};

/* A block that is running, in one race's eyes: its order, and its latest stamps. */
struct race_block {
    struct order_block *order;
    struct interval interval; /* what its warps have done to shared memory since the last barrier */
    uint32_t *last; /* [warp][pc]: the latest stamp; those below `from` are another block's */
    size_t last_room;
    unsigned pcs;
    uint64_t shared_base; /* its shared memory in the shadow */
    /* Ids of its own stamps begin at `from`; those below `settled` lie before its last barrier. */
    uint32_t from, settled;
    uint32_t settled_epoch; /* when that was so */
    uint32_t generation;    /* of ids */
    bool mixed;             /* other blocks have stamps in between */
    bool is_reached;        /* other blocks of its cluster may work on its shared memory */
    bool copies;            /* it has used cp.async: a barrier does not settle a copy */
};

/* One for global memory, and one for each worker, for what its blocks do to shared memory. */
struct race;

struct race *race_open(struct shadow *shadow,
                       void (*report)(void *state, const struct race_report *r), void *state);
void race_close(struct race *r);
void race_launch(struct race *r); /* what went before is ordered */
/* Has a launch had more accesses than are kept, so that some were not compared with later ones? */
bool race_has_forgotten(const struct race *r);
/* From now on lanes may learn of each other by flags, in any block of the launch. */
void race_flags_seen(struct race *r);
/* No other block's stamps matter: those from before a barrier can be forgotten. */
void race_alone(struct race *r, bool alone);

/* order: of the block, which has begun. */
void race_block_begin(struct race *r, struct race_block *b, struct order_block *order, unsigned pcs,
                      unsigned slot);
void race_block_free(struct race_block *b);
void race_access(struct race *r, struct race_block *b, unsigned warp, const struct touch *a);
/* The same by a warp of b in the shared memory of another block of its cluster, on the same worker.
 */
void race_remote_access(struct race *r, struct race_block *b, struct race_block *owner,
                        unsigned warp, const struct touch *a);
/* A plain load or store of shared memory, as short as it can be. False: race_access() has to have
 * it. */
bool race_shared_access(struct race *r, struct race_block *b, unsigned warp,
                        const struct shared_access *a);

/* Where a block's shared memory lies in the shadow. */
#define SHADOW_SHARED(slot) (UINT64_C(1) << 62 | (uint64_t)(slot) << 20)

#endif
