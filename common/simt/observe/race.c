/* race.c - see race.h. A cell remembers three accesses: the last plain store, and two others,
 * which are as far from each other as those that were there: another lane, another warp, another
 * block. So whoever is ordered after both is ordered after all, but for odd patterns. */
#include "observe/race.h"

#include "ptx/module.h"

#include <stdlib.h>
#include <string.h>

enum { LANE_BITS = 5, MOST_STAMPS = 6 << 20 };
#define LAST_ID (UINT32_MAX >> LANE_BITS)

struct race {
    struct shadow *shadow;
    struct order *order;
    void (*report)(void *state, const struct race_report *r);
    void *state;
    struct stamp *stamps; /* of this launch; the id of stamps[i] is first_id + i */
    uint32_t first_id, count, room;
};

/* One access while it is looked at. */
struct visit {
    struct race *r;
    struct race_block *b;
    const struct order_warp *w;
    const struct touch *a;
    uint32_t id;
    unsigned lane;
    uint64_t address;          /* of the cell */
    unsigned part, part_bytes; /* the cell's bytes within the lane's access */
};

struct race *race_open(struct shadow *shadow, struct order *order,
                       void (*report)(void *state, const struct race_report *r), void *state)
{
    struct race *r = calloc(1, sizeof *r);
    if (r != NULL) {
        *r = (struct race){
            .shadow = shadow, .order = order, .report = report, .state = state, .first_id = 1};
    }
    return r;
}

void race_close(struct race *r)
{
    if (r != NULL) {
        free(r->stamps);
        free(r);
    }
}

/* Ids go on from launch to launch: what has a smaller one is past. */
static void forget_stamps(struct race *r)
{
    r->first_id += r->count;
    r->count = 0;
    if (r->first_id > LAST_ID - MOST_STAMPS) {
        shadow_forget(r->shadow);
        r->first_id = 1;
    }
}

void race_launch(struct race *r)
{
    forget_stamps(r);
    order_launch(r->order);
}

void race_block_begin(struct race *r, struct race_block *b, uint32_t number, unsigned threads,
                      unsigned pcs, unsigned slot)
{
    order_block_begin(r->order, &b->order, number, threads);
    size_t room = (size_t)b->order.warp_count * pcs;
    free(b->last);
    b->last = calloc(room, sizeof *b->last);
    if (b->last == NULL) {
        abort();
    }
    b->pcs = pcs;
    b->shared_base = SHADOW_SHARED(slot);
}

void race_block_free(struct race_block *b)
{
    free(b->last);
    order_block_free(&b->order);
}

/* ---- stamps ---------------------------------------------------------------------------------- */

static uint32_t new_stamp(struct race *r, struct stamp s)
{
    if (r->count == r->room) {
        if (r->room >= MOST_STAMPS) {
            forget_stamps(r); /* a long launch: what lies far back is not compared any more */
        } else {
            r->room = r->room == 0 ? 1 << 12 : 2 * r->room;
            r->stamps = realloc(r->stamps, r->room * sizeof *r->stamps);
            if (r->stamps == NULL) {
                abort();
            }
        }
    }
    r->stamps[r->count] = s;
    return r->first_id + r->count++;
}

/* An instruction that a warp repeats while nothing orders it anew keeps its stamp. */
static uint32_t stamp_of(struct race *r, struct race_block *b, const struct order_warp *w,
                         const struct touch *a)
{
    uint32_t *last = &b->last[(size_t)w->number * b->pcs + a->pc];
    uint32_t group = 0;
    if (a->what & TOUCH_ASYNC) {
        group = order_async_group(w, first_lane(a->lanes));
    }
    if (*last >= r->first_id) {
        const struct stamp *s = &r->stamps[*last - r->first_id];
        if (s->epoch == b->order.epoch && s->time == w->time && s->group == group &&
            s->space == a->space) {
            return *last;
        }
    }
    *last = new_stamp(r, (struct stamp){.block = b->order.number,
                                        .epoch = b->order.epoch,
                                        .time = w->time,
                                        .pc = a->pc,
                                        .group = group,
                                        .warp = (uint8_t)w->number,
                                        .what = a->what,
                                        .scope = a->scope,
                                        .space = a->space});
    return *last;
}

/* NULL: nothing of this launch, or of another block's shared memory. */
static inline const struct stamp *stamp_at(const struct visit *v, uint32_t ref)
{
    uint32_t id = ref >> LANE_BITS;
    if (id < v->r->first_id) {
        return NULL;
    }
    const struct stamp *s = &v->r->stamps[id - v->r->first_id];
    return s->space == PTX_SHARED && s->block != v->b->order.number ? NULL : s;
}

/* ---- what conflicts ---------------------------------------------------------------------------
 */

static bool writes(unsigned what) { return (what & TOUCH_STORE) != 0; }

/* Warps of old relied on volatile shared memory in place of __syncwarp; a flag is polled. */
static bool is_flag(const struct visit *v, const struct stamp *s)
{
    bool plain_volatile = (s->what & TOUCH_VOLATILE) && (v->a->what & TOUCH_VOLATILE);
    return v->a->space != PTX_SHARED || !plain_volatile || ((s->what | v->a->what) & TOUCH_POLLS);
}

static bool wide_enough(const struct visit *v, const struct stamp *s)
{
    return s->block == v->b->order.number ||
           (s->scope == ORDER_DEVICE && v->a->scope == ORDER_DEVICE);
}

static bool stores_the_same(const struct visit *v, const struct stamp *s, uint32_t ref)
{
    const struct touch *a = v->a;
    uint8_t room[16], other[16];
    if ((s->what & TOUCH_KIND) != TOUCH_STORE || (a->what & TOUCH_KIND) != TOUCH_STORE ||
        ((s->what | a->what) & TOUCH_ASYNC) || a->value == NULL) {
        return false;
    }
    const uint8_t *mine = a->value(a, v->lane, room);
    const uint8_t *theirs = ref >> LANE_BITS == v->id ? a->value(a, ref % WARP_LANES, other)
                            : a->content != NULL      ? a->content(a, v->lane)
                                                      : NULL;
    return mine != NULL && theirs != NULL &&
           memcmp(mine + v->part, theirs + v->part, v->part_bytes) == 0;
}

static enum race_reason reason_of(const struct visit *v, const struct stamp *s, uint32_t ref)
{
    bool strong = (s->what & TOUCH_STRONG) && (v->a->what & TOUCH_STRONG);
    return ref >> LANE_BITS == v->id        ? RACE_SAME_INSN
           : s->block != v->b->order.number ? (strong ? RACE_SCOPE : RACE_OF_BLOCKS)
           : s->warp != v->w->number        ? RACE_IN_BLOCK
                                            : RACE_IN_WARP;
}

static void tell(const struct visit *v, const struct stamp *s, uint32_t ref,
                 enum race_reason reason)
{
    v->r->report(v->r->state, &(struct race_report){.reason = reason,
                                                    .first = s,
                                                    .first_lane = ref % WARP_LANES,
                                                    .second = v->a,
                                                    .second_warp = v->w,
                                                    .second_lane = v->lane,
                                                    .address = v->address});
}

static bool happened_before(const struct visit *v, const struct stamp *s, uint32_t ref)
{
    return ref >> LANE_BITS != v->id && order_before(s, ref % WARP_LANES, v->w, v->lane);
}

/* A copy that nobody has waited for is no store of its thread yet. Returns false if it was told. */
static bool copy_is_done(const struct visit *v, const struct stamp *s, uint32_t ref,
                         struct stamp *done)
{
    if (order_async_done(&v->b->order, s, ref % WARP_LANES, done)) {
        return true;
    }
    if (!(v->a->what & TOUCH_ASYNC) || s->warp != v->w->number || ref % WARP_LANES != v->lane) {
        tell(v, s, ref, RACE_ASYNC);
    }
    return false;
}

/* Most of what is looked at: it lies before a barrier of the block. */
static inline bool lies_behind_barrier(const struct visit *v, const struct stamp *s)
{
    return s->block == v->b->order.number && s->epoch < v->b->order.epoch &&
           !(s->what & TOUCH_ASYNC);
}

static void check_stamp(const struct visit *v, uint32_t ref, const struct stamp *s)
{
    struct stamp done = *s;
    if (s->what & TOUCH_ASYNC && !copy_is_done(v, s, ref, &done)) {
        return;
    }
    if (ref == (v->id << LANE_BITS | v->lane) || happened_before(v, &done, ref)) {
        return;
    }
    bool strong = (s->what & TOUCH_STRONG) && (v->a->what & TOUCH_STRONG);
    if (strong && wide_enough(v, s) && is_flag(v, s)) {
        return;
    }
    if (!stores_the_same(v, s, ref)) {
        tell(v, s, ref, reason_of(v, s, ref));
    }
}

static inline void check(const struct visit *v, uint32_t ref)
{
    const struct stamp *s = stamp_at(v, ref);
    if (s != NULL && !lies_behind_barrier(v, s) && (writes(s->what) || writes(v->a->what))) {
        check_stamp(v, ref, s);
    }
}

/* ---- what a cell keeps ------------------------------------------------------------------------
 */

static unsigned distance(const struct stamp *s, const struct stamp *t)
{
    return s->block != t->block ? 3 : s->warp != t->warp ? 2 : 1;
}

static bool may_replace(const struct visit *v, uint32_t ref, const struct stamp *s)
{
    bool same_kind =
        (s->what & (TOUCH_KIND | TOUCH_STRONG)) == (v->a->what & (TOUCH_KIND | TOUCH_STRONG));
    return same_kind && (lies_behind_barrier(v, s) || happened_before(v, s, ref));
}

/* Of atomics the first and the latest are kept; of reads, two that are far apart. */
static void keep(const struct visit *v, struct cell *c)
{
    const uint32_t own = v->id << LANE_BITS | v->lane;
    const struct stamp *s[2];
    if (writes(v->a->what) && c->other[0] != 0) {
        c->other[1] = own;
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        s[i] = stamp_at(v, c->other[i]);
        if (s[i] == NULL || may_replace(v, c->other[i], s[i])) {
            c->other[i] = own;
            return;
        }
    }
    const struct stamp *me = &v->r->stamps[v->id - v->r->first_id];
    if (distance(s[0], me) > distance(s[0], s[1])) {
        c->other[1] = own;
    }
}

/* Atomics of one word have an order: whoever made the latest one, or knows of it, comes behind all
 * of them. So the last of many that draw a ticket may set it back with a plain store. */
static void check_others(const struct visit *v, const struct cell *c)
{
    const struct stamp *latest = stamp_at(v, c->other[1]);
    bool behind_all = latest != NULL && writes(latest->what) && latest->what & TOUCH_STRONG &&
                      happened_before(v, latest, c->other[1]);
    if (!behind_all) {
        check(v, c->other[0]);
        check(v, c->other[1]);
    }
}

static void store_plain(const struct visit *v, struct cell *c)
{
    check(v, c->write);
    check_others(v, c);
    c->write = v->id << LANE_BITS | v->lane;
    c->other[0] = c->other[1] = 0;
}

static void load_or_atomic(const struct visit *v, struct cell *c)
{
    const uint32_t other0 = c->other[0] >> LANE_BITS, other1 = c->other[1] >> LANE_BITS;
    if (c->write >> LANE_BITS >= v->r->first_id) {
        check(v, c->write);
    }
    if (other0 == v->id && other1 == v->id &&
        !(writes(v->a->what) && !(v->a->what & TOUCH_STRONG))) {
        return; /* two other lanes of this very instruction */
    }
    if (other0 >= v->r->first_id) {
        check_others(v, c);
    }
    if (other0 != v->id || c->other[0] % WARP_LANES != v->lane) {
        keep(v, c);
    }
}

static void visit_lane(struct visit *v)
{
    const struct touch *a = v->a;
    unsigned count;
    bool plain_store = writes(a->what) && !(a->what & TOUCH_STRONG);
    struct cell *c = shadow_cells(v->r->shadow, v->address, a->bytes, &count);
    v->part_bytes = a->bytes / count;
    for (v->part = 0; count > 0; count--, c++) {
        if (plain_store) {
            store_plain(v, c);
        } else {
            load_or_atomic(v, c);
        }
        v->part += v->part_bytes;
        v->address += v->part_bytes;
    }
}

void race_access(struct race *r, struct race_block *b, unsigned warp, const struct touch *a)
{
    struct visit v = {.r = r, .b = b, .w = &b->order.warps[warp], .a = a};
    const uint64_t base = a->space == PTX_SHARED ? b->shared_base : 0;
    if (a->lanes == 0) {
        return;
    }
    v.id = stamp_of(r, b, v.w, a);
    for (lane_mask left = a->lanes; left != 0; left &= left - 1) {
        v.lane = first_lane(left);
        v.address = base + a->address[v.lane];
        visit_lane(&v);
    }
}
