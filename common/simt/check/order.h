/* order.h - which accesses of a launch are ordered: happens-before, as CUDA's memory model has it.
 *
 * Layer check. A thread's own accesses are ordered by the program. __syncwarp, shuffles and
 * votes order the lanes that take part, barriers the warps that take part. Between blocks (and
 * wherever no barrier stands) there is one way: a fence, a store or atomic of a flag behind it; an
 * atomic of the flag, or a load and a fence, on the other side.
 *
 * An access is stamped with its block's count of barriers (epoch) and its warp's count of events
 * that order (time). Comparing the two numbers settles nearly everything; for the rest each flag
 * keeps a log of which thread released what, and a thread knows logs up to a position. */
#ifndef SIMT_ORDER_H
#define SIMT_ORDER_H

#include "base/base.h"

enum { ORDER_WARPS = 32 };
enum order_scope { ORDER_BLOCK, ORDER_DEVICE, ORDER_SCOPES };

/* An access: its thread, its time, its instruction. lane is kept by the user. */
struct stamp {
    uint32_t block, epoch, time, pc;
    uint32_t group; /* of a cp.async: its commit group in the warp's lane; else order_open_lock() */
    uint8_t warp;
    uint8_t what;      /* enum touch_kind of race.h */
    uint8_t scope : 2; /* enum order_scope, of a strong access */
    uint8_t blind : 1; /* an atomic whose result is not read */
    uint8_t width : 5; /* bytes of an atomic */
    uint8_t space;
};

struct knowledge; /* positions in logs, immutable */

struct order_warp {
    struct order_block *block;
    unsigned number;
    lane_mask launched, exited;
    uint32_t time;
    bool marked;                     /* the arrays below may hold something */
    uint32_t group_sync[WARP_LANES]; /* when each lane was with all that lived, last */
    bool partial;                    /* synced[][] says more than group_sync */
    uint32_t (*synced)[WARP_LANES];  /* [lane][of lane]: known up to this time; made when needed */
    uint32_t sync_time[WARP_LANES];  /* the last time it was with others, and whom */
    lane_mask sync_mask[WARP_LANES];
    uint32_t fence_time[ORDER_SCOPES][WARP_LANES];  /* the last fence of each lane, and what it */
    uint32_t fence_epoch[ORDER_SCOPES][WARP_LANES]; /* knew of its warp then */
    uint32_t fence_sync[ORDER_SCOPES][WARP_LANES];
    lane_mask fence_mask[ORDER_SCOPES][WARP_LANES];
    /* What each lane knows of flags; what volatile loads have shown it, which counts behind a
     * barrier or a fence; and what relaxed ones have, which counts behind a fence alone. */
    const struct knowledge *known[WARP_LANES], *pending[WARP_LANES], *relaxed[WARP_LANES];
    uint32_t lock[WARP_LANES];        /* what stands for the lock that a lane has taken; 0: none */
    lane_mask unfenced[ORDER_SCOPES]; /* no fence so wide, and no barrier, since */
    uint32_t committed[WARP_LANES];   /* cp.async groups that a lane has closed */
    struct async_wait *waits;         /* which groups are complete since when */
    unsigned wait_count, wait_room;
};

struct order_block {
    struct order *order;
    uint32_t number, epoch;
    bool flags; /* its threads may learn of each other by flags */
    unsigned warp_count;
    struct order_warp warps[ORDER_WARPS];
    bool knows;   /* some thread knows a log */
    bool partial; /* seen[][] is in use */
    uint32_t seen[ORDER_WARPS][ORDER_WARPS];
    uint32_t arrived[16]
                    [ORDER_WARPS]; /* per named barrier: what those that have come bring along */
    uint32_t arrived_mask[16];
    struct fence_log *fences; /* NULL: no fence was executed */
    struct order_phases *phases;
    unsigned phase_count, phase_room; /* of mbarriers */
};

struct order;

struct order *order_open(void);
void order_close(struct order *o);
void order_launch(struct order *o); /* forgets all: the end of a launch orders everything */

void order_block_begin(struct order *o, struct order_block *b, uint32_t number, unsigned threads);
void order_block_free(struct order_block *b);

/* Lanes of the warp synchronize: __syncwarp, a shuffle, a vote. */
void order_warp_sync(struct order_warp *w, lane_mask lanes);
void order_exit(struct order_warp *w, lane_mask lanes);
/* A barrier of the whole block opens. */
void order_barrier(struct order_block *b);
/* A barrier of some warps: each arrives; when it opens, those that waited learn from all. */
void order_arrive(struct order_warp *w, unsigned barrier);
void order_open_barrier(struct order_block *b, unsigned barrier, uint32_t waiting);

/* An mbarrier at that offset of shared memory: each thread arrives in a phase (of eight that follow
 * each other); a thread that sees its end learns from all that have arrived in it. */
void order_phase_arrive(struct order_warp *w, uint64_t at, unsigned phase);
void order_phase_passed(struct order_warp *w, uint64_t at, unsigned phase);

void order_fence(struct order_warp *w, lane_mask lanes, enum order_scope scope);
/* A strong store or atomic of the flag at `key` by one lane; as_fence: it is a release itself. */
void order_release(struct order_warp *w, unsigned lane, uint64_t key, enum order_scope scope,
                   bool as_fence);
/* A strong load or atomic of the flag, and behind what it orders. */
enum order_behind { BEHIND_ITSELF, BEHIND_BARRIER, BEHIND_FENCE };
void order_acquire(struct order_warp *w, unsigned lane, uint64_t key, enum order_behind behind);
bool order_has_flags(const struct order *o);
/* Locks: an atomic in a loop that waits has taken, or tried to take, the lock at `key`; another
 * strong store there gives it back. */
void order_takes_lock(struct order_warp *w, unsigned lane, uint64_t key);
void order_gives_lock(struct order_warp *w, unsigned lane, uint64_t key);
/* The lock that the lane has taken without a fence of the device since; LOCK_BARE: without one of
 * the block, either. 0: none. */
enum { LOCK_BARE = 1 };
static inline uint32_t order_open_lock(const struct order_warp *w, unsigned lane)
{
    const uint32_t bare = w->unfenced[ORDER_BLOCK] >> lane & LOCK_BARE;
    return w->unfenced[ORDER_DEVICE] >> lane & 1u ? w->lock[lane] | bare : 0;
}

/* cp.async: the group that a copy of this lane belongs to now; commit; wait until at most `left`
 * groups are under way (all: even what has not been committed). */
uint32_t order_async_group(const struct order_warp *w, unsigned lane);
void order_async_commit(struct order_warp *w, lane_mask lanes);
void order_async_wait(struct order_warp *w, lane_mask lanes, uint32_t left, bool all);

/* Did the access of `lane` of the stamp's warp happen before what this lane does now? For a copy
 * of cp.async: `done` tells when it was complete; false if it never was. */
bool order_before(const struct stamp *s, unsigned stamped_lane, const struct order_warp *w,
                  unsigned lane);
/* The lane's copies so far arrive at the mbarrier, in this phase, when they are complete. */
void order_async_arrive(struct order_warp *w, unsigned lane, uint64_t at, unsigned phase);
bool order_async_done(const struct order_block *b, const struct stamp *s, unsigned lane,
                      struct stamp *done);

#endif
