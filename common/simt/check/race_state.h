/* race_state.h - what race.c and race_check.c share; for them alone. */
#ifndef SIMT_RACE_STATE_H
#define SIMT_RACE_STATE_H

#include "check/race.h"

#include "ptx/module.h"

enum { LANE_BITS = 5 }; /* of a reference: the id of a stamp, and a lane */

struct race {
    struct shadow *shadow;
    void (*report)(void *state, const struct race_report *r);
    void *state;
    struct stamp *stamps; /* of this launch; the id of stamps[i] is first_id + i */
    uint32_t first_id, count, room;
    bool has_forgotten;            /* some of them in the middle of a launch */
    uint32_t generation;           /* how often ids have begun at 1 again */
    struct race_block *last_block; /* whose stamp is the latest */
    bool flags;                    /* there were atomics or strong stores of global memory */
    bool alone;                    /* one block runs */
};

/* One access while it is looked at. */
struct visit {
    struct race *r;
    struct race_block *b;
    const struct order_warp *w;
    const struct touch *a;
    uint32_t id;
    unsigned lane;
    bool is_reached;           /* shared memory that other blocks of the cluster work on, too */
    uint32_t oldest;           /* references below it are past, */
    uint32_t from, span;       /* and those of [from, from + span): this block's before a barrier */
    uint32_t readers[2];       /* ids of two warps of this block, seen last in a cell */
    uint64_t address;          /* of the cell */
    unsigned part, part_bytes; /* the cell's bytes within the lane's access */
};

/* NULL: nothing of this launch, or of another block's shared memory. */
static inline const struct stamp *stamp_at(const struct visit *v, uint32_t ref)
{
    uint32_t id = ref >> LANE_BITS;
    if (id < v->r->first_id || (v->is_reached && ref < v->oldest)) {
        return NULL;
    }
    const struct stamp *s = &v->r->stamps[id - v->r->first_id];
    const bool others = s->space == PTX_SHARED && s->block != v->b->order->number;
    return others && !v->is_reached ? NULL : s;
}

static inline bool writes(unsigned what) { return (what & TOUCH_STORE) != 0; }

/* Most of what is looked at: it lies before a barrier of the block. */
static inline bool lies_behind_barrier(const struct visit *v, const struct stamp *s)
{
    return s->block == v->b->order->number && s->epoch < v->b->order->epoch &&
           !(s->what & TOUCH_ASYNC);
}

static inline bool race_happened_before(const struct visit *v, const struct stamp *s, uint32_t ref)
{
    return ref >> LANE_BITS != v->id && order_before(s, ref % WARP_LANES, v->w, v->lane);
}

/* race_rows.c: looks at all words at once, where they lie at equal distances and no other thread
 * has touched them. false: nothing has been done. */
bool race_look_at_row(const struct visit *v, uint64_t base);
/* race_words.c: looks at each word of the access. */
void race_look_at_words(struct visit *v, uint64_t base);
void race_tell(const struct visit *v, uint32_t ref, const struct stamp *s, enum race_reason reason);
/* race_check.c: is the access that ref names in order with this one? If not, it is reported. */
void race_check_stamp(const struct visit *v, uint32_t ref, const struct stamp *s);

static inline void race_check(const struct visit *v, uint32_t ref)
{
    const struct stamp *s = stamp_at(v, ref);
    if (s != NULL && !lies_behind_barrier(v, s) && (writes(s->what) || writes(v->a->what))) {
        race_check_stamp(v, ref, s);
    }
}

#endif
