/* race.c - see race.h. Accesses get stamps, and are looked at word by word (race_words.c); those of
 * shared memory only where a glance at them does not do (interval.h). */
#include "check/race_state.h"
#include "base/hostile.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STAMPS = 6 << 20, FIRST_STAMPS = UNLESS_HOSTILE(1 << 12, 2) };
#define LAST_ID (UINT32_MAX >> LANE_BITS)

struct race *race_open(struct shadow *shadow,
                       void (*report)(void *state, const struct race_report *r), void *state)
{
    struct race *r = room_new(1, sizeof *r);
    *r = (struct race){.shadow = shadow, .report = report, .state = state, .first_id = 1};
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
        shadow_forget_cells(r->shadow);
        r->first_id = 1;
        r->generation++;
    }
}

void race_launch(struct race *r)
{
    forget_stamps(r);
    r->last_block = NULL;
    r->flags = false;
}

void race_flags_seen(struct race *r) { r->flags = true; }

void race_alone(struct race *r, bool alone) { r->alone = alone; }

void race_block_begin(struct race *r, struct race_block *b, struct order_block *order, unsigned pcs,
                      unsigned slot)
{
    b->order = order;
    size_t room = (size_t)order->warp_count * pcs;
    if (room > b->last_room || b->generation != r->generation) {
        free(b->last);
        b->last = room_new(room, sizeof *b->last);
        b->last_room = room;
    }
    b->pcs = pcs;
    b->shared_base = SHADOW_SHARED(slot);
    b->from = b->settled = r->first_id + r->count;
    b->generation = r->generation;
    b->settled_epoch = order->epoch;
    b->mixed = b->copies = b->is_reached = false;
}

void race_block_free(struct race_block *b)
{
    free(b->last);
    interval_free(&b->interval);
}

bool race_has_forgotten(const struct race *r) { return r->has_forgotten; }

/* ---- stamps ---------------------------------------------------------------------------------- */

static uint32_t new_stamp(struct race *r, struct stamp s)
{
    if (r->count == r->room) {
        if (r->room == MOST_STAMPS) {
            forget_stamps(r); /* a long launch: what lies far back is not compared any more */
            r->has_forgotten = true;
        } else {
            r->room = r->room == 0                ? FIRST_STAMPS
                      : r->room < MOST_STAMPS / 2 ? 2 * r->room
                                                  : MOST_STAMPS;
            r->stamps = room_resized(r->stamps, r->room, sizeof *r->stamps);
        }
    }
    r->stamps[r->count] = s;
    return r->first_id + r->count++;
}

/* Ids have begun at 1 again: what this block knows of older ones is void. */
static void begin_again(const struct race *r, struct race_block *b)
{
    if (b->generation != r->generation) {
        memset(b->last, 0, (size_t)b->order->warp_count * b->pcs * sizeof *b->last);
        b->generation = r->generation;
        b->from = b->settled = r->first_id;
        b->mixed = true;
    }
}

/* Ids tell whose they are, and when, as long as blocks run one after the other. */
static void own_stamp(struct race *r, struct race_block *b, const struct touch *a)
{
    begin_again(r, b);
    if (r->last_block != b) {
        b->mixed |= b->from != r->first_id + r->count - 1;
        r->last_block = b;
    }
    if (a->what & TOUCH_ASYNC) {
        b->copies = true;
        b->settled = b->from;
    }
}

/* An instruction that a warp repeats while nothing orders it anew keeps its stamp. */
static uint32_t stamp_of(struct race *r, struct race_block *b, const struct order_warp *w,
                         const struct touch *a)
{
    uint32_t *last = &b->last[(size_t)w->number * b->pcs + a->pc];
    uint32_t group = 0;
    begin_again(r, b);
    if (a->what & TOUCH_ASYNC) {
        group = order_async_group(w, first_lane(a->lanes));
    } else if (!(a->what & TOUCH_STRONG)) {
        group = order_open_lock(w, first_lane(a->lanes));
    }
    if (*last >= r->first_id && *last >= b->from) {
        const struct stamp *s = &r->stamps[*last - r->first_id];
        if (s->epoch == b->order->epoch && s->time == a->time && s->group == group &&
            s->space == a->space && s->what == a->what) {
            return *last;
        }
    }
    uint32_t id = new_stamp(r, (struct stamp){.block = b->order->number,
                                              .epoch = b->order->epoch,
                                              .time = a->time,
                                              .pc = a->pc,
                                              .group = group,
                                              .warp = (uint8_t)w->number,
                                              .what = a->what,
                                              .scope = a->scope & 3u,
                                              .blind = a->blind & 1u,
                                              .width = a->width & 31u,
                                              .space = a->space});
    own_stamp(r, b, a);
    return *last = id;
}

/* In memory that several blocks of a cluster work on, what is older than the one whose it is comes
 * from others that were here before. */
static void set_past_of_cluster(struct visit *v, struct race *r, struct race_block *owner)
{
    begin_again(r, owner);
    v->oldest = (owner->from > r->first_id ? owner->from : r->first_id) << LANE_BITS;
    v->is_reached = true;
}

static void set_past(struct visit *v, const struct race *r, const struct race_block *b)
{
    const bool current = b->generation == r->generation && b->settled >= r->first_id;
    const uint32_t settled = current ? b->settled : b->from;
    v->oldest = r->first_id << LANE_BITS;
    v->from = b->mixed ? UINT32_MAX : b->from << LANE_BITS;
    v->span = b->mixed ? 0 : (settled - b->from) << LANE_BITS;
    if (current && v->a->space == PTX_SHARED) { /* others that were here are blocks of before */
        v->oldest = b->settled << LANE_BITS;
    }
}

/* There was a barrier since this block's latest stamp: none of them is later than that. */
static void settle(struct race *r, struct race_block *b)
{
    if (b->settled_epoch != b->order->epoch && !b->copies) {
        if (r->alone) {
            forget_stamps(r);
        }
        begin_again(r, b);
        b->settled = r->first_id + r->count;
        b->settled_epoch = b->order->epoch;
    }
}

static void look_at(struct race *r, struct race_block *b, struct race_block *owner, unsigned warp,
                    const struct touch *a)
{
    struct visit v = {.r = r, .b = b, .w = &b->order->warps[warp], .a = a};
    const uint64_t base = a->space == PTX_SHARED ? owner->shared_base : 0;
    settle(r, b);
    v.id = stamp_of(r, b, v.w, a);
    set_past(&v, r, b);
    if (a->space == PTX_SHARED && owner->is_reached) {
        set_past_of_cluster(&v, r, owner);
    }
    race_look_at_words(&v, base);
}

/* ---- between two barriers -------------------------------------------------------------------- */

/* From here to the next barrier words are looked at. */
static void look_at_kept(struct race *r, struct race_block *b)
{
    for (unsigned i = 0; i < b->interval.count; i++) {
        const struct interval_head *k = &b->interval.log[i].head;
        uint64_t address[WARP_LANES];
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            address[lane] = b->interval.log[i].address[lane];
        }
        look_at(r, b, b, k->warp,
                &(struct touch){.pc = k->pc,
                                .what = k->what,
                                .scope = ORDER_DEVICE,
                                .space = PTX_SHARED,
                                .bytes = k->bytes,
                                .lanes = k->lanes,
                                .time = k->time,
                                .low = k->low,
                                .high = k->high,
                                .address = address});
    }
    b->interval.count = 0;
}

/* Is it harmless as far as a glance goes? Then it is kept. The slot holds it. */
static bool keep(struct race *r, struct race_block *b)
{
    const bool kept = interval_keep(&b->interval, writes(interval_slot(&b->interval)->head.what));
    if (b->interval.closed) {
        look_at_kept(r, b);
    }
    return kept;
}

static bool is_row(const struct touch *a)
{
    const uint64_t lane = first_lane(a->lanes), base = a->address[lane] - lane * a->bytes;
    uint64_t differs = 0;
    for (uint64_t i = 0; i < WARP_LANES; i++) {
        differs |= (a->address[i] - base - i * a->bytes) & (0 - (uint64_t)(a->lanes >> i & 1u));
    }
    return differs == 0;
}

static bool keep_touch(struct race *r, struct race_block *b, unsigned warp, const struct touch *a)
{
    if (a->what & (TOUCH_STRONG | TOUCH_ASYNC)) {
        interval_close(&b->interval);
        look_at_kept(r, b);
        return false;
    }
    struct interval_access *k = interval_slot(&b->interval);
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        k->address[lane] = (uint32_t)a->address[lane];
    }
    k->head = (struct interval_head){.pc = a->pc,
                                     .time = a->time,
                                     .lanes = a->lanes,
                                     .warp = (uint8_t)warp,
                                     .bytes = a->bytes,
                                     .what = a->what,
                                     .row = is_row(a),
                                     .low = (uint32_t)a->low,
                                     .high = (uint32_t)a->high};
    return keep(r, b);
}

bool race_shared_access(struct race *r, struct race_block *b, unsigned warp,
                        const struct shared_access *a)
{
    if (b->interval.closed) {
        return false;
    }
    struct interval_access *k = interval_slot(&b->interval);
    memcpy(k->address, a->address, sizeof k->address);
    k->head.pc = a->pc;
    k->head.time = b->order->warps[warp].time;
    k->head.lanes = a->lanes;
    k->head.warp = (uint8_t)warp;
    k->head.bytes = (uint8_t)a->bytes;
    k->head.what = a->writes ? TOUCH_STORE : TOUCH_LOAD;
    k->head.row = a->row;
    k->head.low = a->low;
    k->head.high = a->high;
    return keep(r, b);
}

void race_access(struct race *r, struct race_block *b, unsigned warp, const struct touch *a)
{
    bool kept = a->lanes != 0 && a->space == PTX_SHARED && !b->interval.closed && !b->is_reached &&
                keep_touch(r, b, warp, a);
    if (a->lanes != 0 && !kept) {
        look_at(r, b, b, warp, a);
    }
}

void race_remote_access(struct race *r, struct race_block *b, struct race_block *owner,
                        unsigned warp, const struct touch *a)
{
    look_at(r, b, owner, warp, a);
}
