/* race_check.c - do two accesses of one place conflict? See race.h. */
#include "check/race_state.h"

#include <string.h>

/* Two volatile stores of a kernel that polls: the thread that polls stores the next turn. */
static bool stores_in_turn(const struct visit *v, const struct stamp *s)
{
    const unsigned kind = TOUCH_KIND | TOUCH_IN_TURN, store = TOUCH_STORE | TOUCH_IN_TURN;
    return (s->what & kind) == store && (v->a->what & kind) == store;
}

/* Warps of old relied on volatile shared memory in place of __syncwarp; a flag is polled. */
static bool is_flag(const struct visit *v, const struct stamp *s)
{
    bool plain_volatile = (s->what & TOUCH_VOLATILE) && (v->a->what & TOUCH_VOLATILE);
    return v->a->space != PTX_SHARED || !plain_volatile || ((s->what | v->a->what) & TOUCH_POLLS) ||
           stores_in_turn(v, s);
}

/* `volatile` makes no counter of a word: two that read and store it lose an update. Where a kernel
 * polls, its threads may have taken turns. */
static bool may_overwrite(const struct visit *v, const struct stamp *s)
{
    const unsigned kind = TOUCH_KIND | TOUCH_VOLATILE | TOUCH_IN_TURN;
    const unsigned store = TOUCH_STORE | TOUCH_VOLATILE;
    return (s->what & kind) == store && (v->a->what & kind) == store;
}

static bool wide_enough(const struct visit *v, const struct stamp *s)
{
    return s->block == v->b->order->number ||
           (s->scope == ORDER_DEVICE && v->a->scope == ORDER_DEVICE);
}

/* Does the other lane touch the cell now, too? A stamp is that of all turns of a loop: it may have
 * done so in one before. */
static bool is_same_access(const struct visit *v, uint32_t ref)
{
    const unsigned other = ref % WARP_LANES;
    const uint64_t byte = v->a->address[v->lane] + v->part;
    return ref >> LANE_BITS == v->id && (v->a->lanes >> other & 1u) != 0 &&
           byte - v->a->address[other] < v->a->bytes;
}

/* Of copies only those of one instruction are compared: with few elements, the lanes of
 * cooperative_groups::memcpy_async() that have none copy the last one, too. */
static bool stores_the_same(const struct visit *v, const struct stamp *s, uint32_t ref)
{
    const struct touch *a = v->a;
    uint8_t room[16], other[16];
    if ((s->what & TOUCH_KIND) != TOUCH_STORE || (a->what & TOUCH_KIND) != TOUCH_STORE ||
        a->value == NULL) {
        return false;
    }
    if ((s->what | a->what) & TOUCH_ASYNC && !is_same_access(v, ref)) {
        return false;
    }
    const uint8_t *mine = a->value(a, v->lane, room);
    const uint8_t *theirs = is_same_access(v, ref) ? a->value(a, ref % WARP_LANES, other)
                            : a->content != NULL   ? a->content(a, v->lane)
                                                   : NULL;
    return mine != NULL && theirs != NULL &&
           memcmp(mine + v->part, theirs + v->part, v->part_bytes) == 0;
}

static enum race_reason reason_of(const struct visit *v, const struct stamp *s, uint32_t ref)
{
    bool strong = (s->what & TOUCH_STRONG) && (v->a->what & TOUCH_STRONG);
    if (is_same_access(v, ref)) {
        return RACE_SAME_INSN;
    }
    if (s->block != v->b->order->number) {
        return strong ? RACE_SCOPE : RACE_OF_BLOCKS;
    }
    return s->warp != v->w->number ? RACE_IN_BLOCK : RACE_IN_WARP;
}

void race_tell(const struct visit *v, uint32_t ref, const struct stamp *s, enum race_reason reason)
{
    v->r->report(v->r->state, &(struct race_report){.reason = reason,
                                                    .first = s,
                                                    .first_lane = ref % WARP_LANES,
                                                    .second = v->a,
                                                    .second_warp = v->w,
                                                    .second_lane = v->lane,
                                                    .address = v->address});
}

/* A copy that no thread has waited for is no store of its thread yet. Returns false if it was
 * reported. */
static bool copy_is_done(const struct visit *v, const struct stamp *s, uint32_t ref,
                         struct stamp *done)
{
    if (order_async_done(v->b->order, s, ref % WARP_LANES, done)) {
        return true;
    }
    if (!(v->a->what & TOUCH_ASYNC) || s->warp != v->w->number || ref % WARP_LANES != v->lane) {
        race_tell(v, ref, s, RACE_ASYNC);
    }
    return false;
}

/* Both hold the same lock, one after the other. The first one took it without a fence behind: had
 * it come second, it could have seen what was there before. */
static bool is_by_open_lock(const struct visit *v, const struct stamp *s)
{
    const bool one_block = s->block == v->b->order->number;
    const bool is_open =
        one_block ? s->warp != v->w->number && s->group & LOCK_BARE : s->group != 0;
    return is_open && !((s->what & TOUCH_ASYNC) | (v->a->what & TOUCH_STRONG)) &&
           v->w->lock[v->lane] == (s->group & ~(uint32_t)LOCK_BARE);
}

void race_check_stamp(const struct visit *v, uint32_t ref, const struct stamp *s)
{
    struct stamp done = *s;
    if (s->what & TOUCH_ASYNC && stores_the_same(v, s, ref)) {
        return;
    }
    if (s->what & TOUCH_ASYNC && !copy_is_done(v, s, ref, &done)) {
        return;
    }
    if (ref == (v->id << LANE_BITS | v->lane)) {
        return;
    }
    if (race_happened_before(v, &done, ref)) {
        if (is_by_open_lock(v, s)) {
            race_tell(v, ref, s, RACE_LOCK);
        }
        return;
    }
    bool strong = (s->what & TOUCH_STRONG) && (v->a->what & TOUCH_STRONG);
    if (s->width != 0 && v->a->width != 0 && s->width != v->a->width) {
        race_tell(v, ref, s, RACE_WIDTH);
        return;
    }
    if (strong && wide_enough(v, s) && is_flag(v, s) && !may_overwrite(v, s)) {
        return;
    }
    if (!stores_the_same(v, s, ref)) {
        race_tell(v, ref, s, reason_of(v, s, ref));
    }
}
