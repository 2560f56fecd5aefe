/* race.c - see race.h. Accesses get stamps, and are looked at word by word (race_words.c); those of
 * shared memory only where a glance at them does not do (interval.h). */
#include "observe/race_state.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STAMPS = 6 << 20 };
#define LAST_ID (UINT32_MAX >> LANE_BITS)

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
        r->generation++;
    }
}

void race_launch(struct race *r)
{
    forget_stamps(r);
    order_launch(r->order);
    r->last_block = NULL;
    r->flags = false;
}

void race_block_begin(struct race *r, struct race_block *b, uint32_t number, unsigned threads,
                      unsigned pcs, unsigned slot, uint32_t shared_bytes)
{
    order_block_begin(r->order, &b->order, number, threads);
    interval_begin_block(&b->interval, shared_bytes);
    size_t room = (size_t)b->order.warp_count * pcs;
    if (room > b->last_room || b->generation != r->generation) {
        free(b->last);
        b->last = calloc(room, sizeof *b->last);
        b->last_room = room;
        if (b->last == NULL) {
            abort();
        }
    }
    b->pcs = pcs;
    b->shared_base = SHADOW_SHARED(slot);
    b->from = b->settled = r->first_id + r->count;
    b->generation = r->generation;
    b->mixed = b->copies = false;
}

void race_barrier(struct race *r, struct race_block *b)
{
    if (!b->copies) {
        b->settled = r->first_id + r->count;
        interval_next(&b->interval);
    }
}

void race_block_free(struct race_block *b)
{
    free(b->last);
    interval_free(&b->interval);
    order_block_free(&b->order);
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
            r->room = r->room == 0                ? 1 << 12
                      : r->room < MOST_STAMPS / 2 ? 2 * r->room
                                                  : MOST_STAMPS;
            r->stamps = realloc(r->stamps, r->room * sizeof *r->stamps);
            if (r->stamps == NULL) {
                abort();
            }
        }
    }
    r->stamps[r->count] = s;
    return r->first_id + r->count++;
}

/* Ids have begun at 1 again: what this block knows of older ones is void. */
static void begin_again(const struct race *r, struct race_block *b)
{
    if (b->generation != r->generation) {
        memset(b->last, 0, (size_t)b->order.warp_count * b->pcs * sizeof *b->last);
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
    }
    if (*last >= r->first_id && *last >= b->from) {
        const struct stamp *s = &r->stamps[*last - r->first_id];
        if (s->epoch == b->order.epoch && s->time == a->time && s->group == group &&
            s->space == a->space && s->what == a->what) {
            return *last;
        }
    }
    uint32_t id = new_stamp(r, (struct stamp){.block = b->order.number,
                                              .epoch = b->order.epoch,
                                              .time = a->time,
                                              .pc = a->pc,
                                              .group = group,
                                              .warp = (uint8_t)w->number,
                                              .what = a->what,
                                              .scope = a->scope,
                                              .space = a->space});
    own_stamp(r, b, a);
    return *last = id;
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

static void look_at(struct race *r, struct race_block *b, unsigned warp, const struct touch *a)
{
    struct visit v = {.r = r, .b = b, .w = &b->order.warps[warp], .a = a};
    const uint64_t base = a->space == PTX_SHARED ? b->shared_base : 0;
    v.id = stamp_of(r, b, v.w, a);
    r->flags |= writes(a->what) && a->what & TOUCH_STRONG;
    set_past(&v, r, b);
    race_look_at_words(&v, base);
}

/* ---- between two barriers --------------------------------------------------------------------
 */

/* From here to the next barrier words are looked at. */
static void look_at_kept(struct race *r, struct race_block *b)
{
    for (unsigned i = 0; i < b->interval.count; i++) {
        const struct interval_head *k = &b->interval.log[i].head;
        uint64_t address[WARP_LANES];
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            address[lane] = b->interval.log[i].address[lane];
        }
        look_at(r, b, k->warp,
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

/* Is it harmless as far as a glance goes? Then it is kept. The slot has its addresses. */
static bool keep(struct race *r, struct race_block *b, struct interval_head head)
{
    interval_slot(&b->interval)->head = head;
    const bool kept = interval_keep(&b->interval, writes(head.what));
    if (b->interval.closed) {
        look_at_kept(r, b);
    }
    return kept;
}

static bool keep_touch(struct race *r, struct race_block *b, unsigned warp, const struct touch *a)
{
    if (a->what & (TOUCH_STRONG | TOUCH_ASYNC)) {
        interval_close(&b->interval);
        look_at_kept(r, b);
        return false;
    }
    uint32_t *address = interval_slot(&b->interval)->address;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        address[lane] = (uint32_t)a->address[lane];
    }
    return keep(r, b,
                (struct interval_head){.pc = a->pc,
                                       .time = a->time,
                                       .lanes = a->lanes,
                                       .warp = (uint8_t)warp,
                                       .bytes = a->bytes,
                                       .what = a->what,
                                       .low = (uint32_t)a->low,
                                       .high = (uint32_t)a->high});
}

bool race_shared_load(struct race *r, struct race_block *b, unsigned warp,
                      const struct shared_load *load)
{
    if (b->interval.closed) {
        return false;
    }
    memcpy(interval_slot(&b->interval)->address, load->address,
           sizeof interval_slot(&b->interval)->address);
    return keep(r, b,
                (struct interval_head){.pc = load->pc,
                                       .time = b->order.warps[warp].time,
                                       .lanes = load->lanes,
                                       .warp = (uint8_t)warp,
                                       .bytes = (uint8_t)load->bytes,
                                       .what = TOUCH_LOAD,
                                       .low = load->low,
                                       .high = load->high});
}

void race_access(struct race *r, struct race_block *b, unsigned warp, const struct touch *a)
{
    bool kept =
        a->lanes != 0 && a->space == PTX_SHARED && !b->interval.closed && keep_touch(r, b, warp, a);
    if (a->lanes != 0 && !kept) {
        look_at(r, b, warp, a);
    }
}
