/* race_words.c - which accesses of each word are remembered, and which of them a new access meets.
 * See race.h.
 *
 * A cell remembers three accesses: the last plain store, and two others, which are as far from each
 * other as those that were there: another lane, another warp, another block. So a thread that is
 * ordered after both is ordered after all, except in odd patterns. */
#include "check/race_state.h"

/* ---- what a cell keeps ----------------------------------------------------------------------- */

static unsigned distance(const struct stamp *s, const struct stamp *t)
{
    return s->block != t->block ? 3 : s->warp != t->warp ? 2 : 1;
}

static bool may_replace(const struct visit *v, uint32_t ref, const struct stamp *s)
{
    bool same_kind =
        (s->what & (TOUCH_KIND | TOUCH_STRONG)) == (v->a->what & (TOUCH_KIND | TOUCH_STRONG));
    return same_kind && (lies_behind_barrier(v, s) || race_happened_before(v, s, ref));
}

static bool are_atomics(const struct stamp *s, const struct stamp *t)
{
    return s != NULL && t != NULL && writes(s->what) && writes(t->what);
}

/* Of atomics the first and the latest are kept; of reads, two that are far apart. */
static void keep(const struct visit *v, const struct cell *c)
{
    const uint32_t own = v->id << LANE_BITS | v->lane;
    const struct stamp *s[2];
    if (writes(v->a->what) && *c->other[0] != 0) {
        *c->other[1] = own;
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        s[i] = stamp_at(v, *c->other[i]);
    }
    if (are_atomics(s[0], s[1])) { /* the latest stands for all of them; a read must not be lost */
        *c->other[0] = own;
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (s[i] == NULL || may_replace(v, *c->other[i], s[i])) {
            *c->other[i] = own;
            return;
        }
    }
    const struct stamp *me = &v->r->stamps[v->id - v->r->first_id];
    if (distance(s[0], me) > distance(s[0], s[1])) {
        *c->other[1] = own;
    }
}

/* Atomics of one word have an order: a thread that made the latest one, or knows of it, comes
 * behind all of them. So the last of many that draw a ticket may set it back with a plain store. A
 * thread that has not looked at the ticket's number cannot know that it was the last. */
static void check_others(const struct visit *v, const struct cell *c)
{
    const struct stamp *latest = stamp_at(v, *c->other[1]);
    bool behind_all = latest != NULL && writes(latest->what) && latest->what & TOUCH_STRONG &&
                      !latest->blind && race_happened_before(v, latest, *c->other[1]);
    if (!behind_all) {
        race_check(v, *c->other[0]);
        race_check(v, *c->other[1]);
    }
}

/* Nothing of this launch, another block's shared memory, or before a barrier of this block. */
static inline bool is_past(const struct visit *v, uint32_t ref)
{
    return ref < v->oldest || ref - v->from < v->span;
}

static inline void store_plain(const struct visit *v, const struct cell *c)
{
    const uint32_t own = v->id << LANE_BITS | v->lane;
    if (!is_past(v, *c->write) && *c->write != own) {
        race_check(v, *c->write);
    }
    if (!is_past(v, *c->other[0]) || !is_past(v, *c->other[1])) {
        check_others(v, c);
    }
    *c->write = own;
    *c->other[0] = *c->other[1] = 0;
}

static void load_or_atomic(const struct visit *v, const struct cell *c)
{
    const uint32_t other0 = *c->other[0] >> LANE_BITS, other1 = *c->other[1] >> LANE_BITS;
    if (!is_past(v, *c->write)) {
        race_check(v, *c->write);
    }
    if (other0 == v->id && other1 == v->id) {
        return; /* two other lanes of this very instruction */
    }
    if (other0 >= v->r->first_id) {
        check_others(v, c);
    }
    if (other0 != v->id || *c->other[0] % WARP_LANES != v->lane) {
        keep(v, c);
    }
}

/* Two warps of this block have read it since the last barrier: any store there conflicts with one
 * of them. Its neighbours have mostly been read by the same two. */
static inline bool is_well_read(struct visit *v, const struct cell *c)
{
    const uint32_t barrier = v->from + v->span, first = v->r->first_id;
    const uint32_t now = barrier > v->oldest ? barrier : v->oldest;
    const uint32_t one = *c->other[0] >> LANE_BITS, other = *c->other[1] >> LANE_BITS;
    if (v->from == UINT32_MAX || *c->other[0] < now || *c->other[1] < now) {
        return false;
    }
    if (one == v->readers[0] && other == v->readers[1]) {
        return true;
    }
    if (v->r->stamps[one - first].warp == v->r->stamps[other - first].warp) {
        return false;
    }
    v->readers[0] = one;
    v->readers[1] = other;
    return true;
}

/* A load by the lanes v->lane and `last`, and perhaps some between, of a word about which nothing
 * has been announced: what others have read does not matter to it. */
static inline void load_plain(struct visit *v, const struct cell *c, unsigned last)
{
    const unsigned lane = v->lane;
    const uint32_t own = v->id << LANE_BITS | lane;
    const bool written = !is_past(v, *c->write);
    if (!written && is_well_read(v, c)) {
        return;
    }
    if (written) {
        race_check(v, *c->write);
        if (last != lane) {
            v->lane = last;
            race_check(v, *c->write);
            v->lane = lane;
        }
    }
    if (is_past(v, *c->other[0])) {
        *c->other[0] = own;
        if (last != lane && is_past(v, *c->other[1])) {
            *c->other[1] = v->id << LANE_BITS | last;
        }
    } else if (*c->other[0] == own || *c->other[1] >> LANE_BITS == v->id) {
        return;
    } else if (is_past(v, *c->other[1])) {
        *c->other[1] = own;
    } else if (!is_well_read(v, c)) {
        keep(v, c);
    }
}

/* Lanes that load from one place: the first and the last of them stand for all. */
struct readers {
    uint8_t first[WARP_LANES], last[WARP_LANES];
    unsigned count;
};

/* All lanes: a row; the same row in both halves; one element for each half. */
enum shape { SHAPE_OTHER, SHAPE_ROW, SHAPE_HALF_ROWS, SHAPE_TWO_WORDS };

static enum shape shape_of(const struct touch *a)
{
    const uint64_t *at = a->address;
    uint64_t halves = 0, row = 0, words = 0;
    if (a->lanes != FULL_MASK) {
        return SHAPE_OTHER;
    }
    for (unsigned i = 0; i < WARP_LANES / 2; i++) {
        halves |= at[i] ^ at[i + WARP_LANES / 2];
        row |= (at[i] - at[0]) ^ (uint64_t)i * a->bytes;
        words |= (at[i] ^ at[0]) | (at[i + WARP_LANES / 2] ^ at[WARP_LANES / 2]);
    }
    if (words == 0) {
        return SHAPE_TWO_WORDS;
    }
    if (row == 0 && halves == 0) {
        return SHAPE_HALF_ROWS;
    }
    for (unsigned i = WARP_LANES / 2; i < WARP_LANES; i++) {
        row |= (at[i] - at[0]) ^ (uint64_t)i * a->bytes;
    }
    return row == 0 ? SHAPE_ROW : SHAPE_OTHER;
}

static void find_readers(const struct touch *a, enum shape shape, struct readers *r)
{
    r->count = 0;
    if (shape == SHAPE_TWO_WORDS) {
        *r = (struct readers){
            .first = {0, WARP_LANES / 2}, .last = {WARP_LANES / 2 - 1, WARP_LANES - 1}, .count = 2};
        return;
    }
    for (lane_mask left = a->lanes; left != 0; left &= left - 1) {
        unsigned lane = first_lane(left), n = r->count;
        if (n == 0 || a->address[r->first[n - 1]] != a->address[lane]) {
            r->first[n] = (uint8_t)lane;
            r->count++;
        }
        r->last[r->count - 1] = (uint8_t)lane;
    }
}

static inline struct cell cells_of(struct visit *v, struct chunk **chunk, uint64_t base,
                                   unsigned *count)
{
    v->address = base + v->a->address[v->lane];
    if (*chunk == NULL || (*chunk)->key != v->address / SHADOW_CHUNK) {
        *chunk = shadow_chunk(v->r->shadow, v->address);
    }
    const struct cell c = shadow_cells(*chunk, v->address, v->a->bytes, count);
    v->part_bytes = v->a->bytes / *count;
    v->part = 0;
    return c;
}

static inline void next_cell(struct visit *v, struct cell *c)
{
    c->write++;
    c->other[0]++;
    c->other[1]++;
    v->part += v->part_bytes;
    v->address += v->part_bytes;
}

/* Neighbouring lanes load from neighbouring cells of one chunk. */
static bool visit_row(struct visit *v, uint64_t base, unsigned lanes, unsigned to_last)
{
    struct chunk *chunk = NULL;
    unsigned count;
    uint64_t last = base + v->a->address[lanes - 1] + v->a->bytes - 1;
    v->lane = 0;
    struct cell c = cells_of(v, &chunk, base, &count);
    if (chunk->key != last / SHADOW_CHUNK) {
        return false;
    }
    for (unsigned lane = 0; lane < lanes; lane++) {
        v->lane = lane;
        v->part = 0;
        for (unsigned i = 0; i < count; i++, next_cell(v, &c)) {
            load_plain(v, &c, lane + to_last);
        }
    }
    return true;
}

static void visit_loads(struct visit *v, uint64_t base)
{
    const enum shape shape = shape_of(v->a);
    struct readers readers;
    struct chunk *chunk = NULL;
    unsigned count;
    if ((shape == SHAPE_ROW && visit_row(v, base, WARP_LANES, 0)) ||
        (shape == SHAPE_HALF_ROWS && visit_row(v, base, WARP_LANES / 2, WARP_LANES / 2))) {
        return;
    }
    find_readers(v->a, shape, &readers);
    for (unsigned i = 0; i < readers.count; i++) {
        v->lane = readers.first[i];
        struct cell c = cells_of(v, &chunk, base, &count);
        for (; count > 0; count--, next_cell(v, &c)) {
            load_plain(v, &c, readers.last[i]);
        }
    }
}

static void visit_lanes(struct visit *v, uint64_t base)
{
    const bool plain_store = writes(v->a->what) && !(v->a->what & TOUCH_STRONG);
    struct chunk *chunk = NULL;
    unsigned count;
    for (lane_mask left = v->a->lanes; left != 0; left &= left - 1) {
        v->lane = first_lane(left);
        struct cell c = cells_of(v, &chunk, base, &count);
        for (; count > 0; count--, next_cell(v, &c)) {
            if (plain_store) {
                store_plain(v, &c);
            } else {
                load_or_atomic(v, &c);
            }
        }
    }
}

static bool tell_if_written(const struct visit *v, uint32_t ref)
{
    const struct stamp *s = stamp_at(v, ref);
    const bool written = s != NULL && writes(s->what);
    if (written) {
        race_tell(v, ref, s, RACE_READ_ONLY);
    }
    return written;
}

/* ld.global.nc: whether this launch has stored there, be it in order or not. */
static void visit_read_only(struct visit *v, uint64_t base)
{
    struct chunk *chunk = NULL;
    unsigned count;
    for (lane_mask left = v->a->lanes; left != 0; left &= left - 1) {
        v->lane = first_lane(left);
        struct cell c = cells_of(v, &chunk, base, &count);
        for (; count > 0; count--, next_cell(v, &c)) {
            if (!tell_if_written(v, *c.write) && !tell_if_written(v, *c.other[0])) {
                tell_if_written(v, *c.other[1]);
            }
        }
    }
}

void race_look_at_words(struct visit *v, uint64_t base)
{
    if (race_look_at_row(v, base)) {
        return;
    }
    if (v->a->read_only) {
        visit_read_only(v, base);
    }
    if (!writes(v->a->what) && !v->r->flags && !v->b->order->flags) {
        visit_loads(v, base);
    } else {
        visit_lanes(v, base);
    }
}
