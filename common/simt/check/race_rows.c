/* race_rows.c - a warp's plain load or store whose lanes stand side by side: all of its cells at
 * once. See race.h.
 *
 * Nearly every such access meets nothing but what the past has left, and what each lane itself has
 * done there before. Both are seen by comparing numbers, in vectors of 16 cells; then what each
 * cell remembers is as race_words.c would leave it. Anything else: nothing has been done, and it is
 * looked at word by word. */
#include "check/race_state.h"

/* 32 cells of a row: several of them, side by side, may belong to one lane. */
struct piece {
    struct cell at;
    uint32_t own[WARP_LANES];    /* what they remember of this access */
    uint32_t active[WARP_LANES]; /* all ones: the lane takes part; else 0 */
};

/* The cells from number 32 * n on, of which each lane has 1 << shift. Nothing of it is copied: what
 * was stored as vectors of 64 bytes, and is loaded as others, is waited for. */
static inline void find_piece(const struct visit *v, const struct cell *at, unsigned n,
                              unsigned shift, struct piece *p)
{
    p->at.write = at->write + n * WARP_LANES;
    p->at.other[0] = at->other[0] + n * WARP_LANES;
    p->at.other[1] = at->other[1] + n * WARP_LANES;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        const uint32_t lane = (n * WARP_LANES + i) >> shift;
        p->own[i] = v->id << LANE_BITS | lane;
        p->active[i] = 0u - (v->a->lanes >> lane & 1u);
    }
}

static inline uint32_t all_ones_if(bool condition) { return 0u - (uint32_t)condition; }

/* All ones: it is past; see is_past() in race_words.c. */
static inline uint32_t past(const struct visit *v, uint32_t ref)
{
    return all_ones_if((ref < v->oldest) | (ref - v->from < v->span));
}

/* Has the warp itself made this access, so that each lane's own is in order with what it does now?
 */
static bool is_own(const struct visit *v, uint32_t id)
{
    if (id < v->r->first_id) {
        return false;
    }
    const struct stamp *s = &v->r->stamps[id - v->r->first_id];
    return s->block == v->b->order->number && s->warp == v->w->number && !(s->what & TOUCH_ASYNC);
}

/* Does each lane find the past there, or what it has done itself by one access of this warp? */
static bool are_harmless(const struct visit *v, const struct piece *p, const uint32_t *refs)
{
    uint32_t one = 0, foreign = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint32_t now = refs[i] & p->active[i] & ~past(v, refs[i]);
        one = now > one ? now : one;
    }
    if (one == 0) {
        return true;
    }
    one &= ~(uint32_t)(WARP_LANES - 1);
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint32_t lane = p->own[i] & (WARP_LANES - 1);
        foreign |= (refs[i] ^ (one | lane)) & p->active[i] & ~past(v, refs[i]);
    }
    return foreign == 0 && is_own(v, one >> LANE_BITS);
}

static bool may_store(const struct visit *v, const struct piece *p)
{
    return are_harmless(v, p, p->at.write) && are_harmless(v, p, p->at.other[0]) &&
           are_harmless(v, p, p->at.other[1]);
}

static void store(const struct piece *p)
{
    uint32_t *write = p->at.write, *first = p->at.other[0], *second = p->at.other[1];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        write[i] = (write[i] & ~p->active[i]) | (p->own[i] & p->active[i]);
    }
    for (unsigned i = 0; i < WARP_LANES; i++) {
        first[i] &= ~p->active[i];
        second[i] &= ~p->active[i];
    }
}

/* As load_plain() of race_words.c, where what a lane finds first is past, or this very access. */
static bool may_load(const struct visit *v, const struct piece *p)
{
    const uint32_t *first = p->at.other[0], *second = p->at.other[1];
    uint32_t left = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint32_t known =
            all_ones_if((first[i] == p->own[i]) | (second[i] >> LANE_BITS == v->id));
        left |= ~(past(v, first[i]) | known) & p->active[i];
    }
    return left == 0 && are_harmless(v, p, p->at.write);
}

static void load(const struct visit *v, const struct piece *p)
{
    uint32_t *first = p->at.other[0];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint32_t takes = past(v, first[i]) & p->active[i];
        first[i] = (first[i] & ~takes) | (p->own[i] & takes);
    }
}

/* As load_or_atomic(): what others announce may matter, and so may all that has been read. */
static bool may_load_beside_flags(const struct visit *v, const struct piece *p)
{
    const uint32_t *first = p->at.other[0], begin = v->r->first_id << LANE_BITS;
    uint32_t left = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        left |= ~all_ones_if((first[i] < begin) | (first[i] == p->own[i])) & p->active[i];
    }
    return left == 0 && may_store(v, p);
}

static void load_beside_flags(const struct visit *v, const struct piece *p)
{
    uint32_t *first = p->at.other[0];
    const uint32_t begin = v->r->first_id << LANE_BITS;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint32_t takes = all_ones_if(first[i] < begin) & p->active[i];
        first[i] = (first[i] & ~takes) | (p->own[i] & takes);
    }
}

static inline bool may_do(const struct visit *v, const struct piece *p, bool flags)
{
    return writes(v->a->what) ? may_store(v, p)
           : flags            ? may_load_beside_flags(v, p)
                              : may_load(v, p);
}

static inline void apply(const struct visit *v, const struct piece *p, bool flags)
{
    if (writes(v->a->what)) {
        store(p);
    } else if (flags) {
        load_beside_flags(v, p);
    } else {
        load(v, p);
    }
}

static bool look_at_pieces(const struct visit *v, const struct cell *at, unsigned pieces,
                           unsigned shift)
{
    const bool flags = v->r->flags || v->b->order->flags;
    struct piece p;
    unsigned left = pieces;
    do {
        find_piece(v, at, --left, shift, &p);
        if (!may_do(v, &p, flags)) {
            return false;
        }
    } while (left > 0);
    apply(v, &p, flags); /* the first, which was asked last */
    for (unsigned n = 1; n < pieces; n++) {
        find_piece(v, at, n, shift, &p);
        apply(v, &p, flags);
    }
    return true;
}

/* The next warp's row is, as a rule, the one behind this one: its cells are on their way when it
 * comes. Waiting for them was half of the time of are_harmless() where a kernel goes through large
 * arrays once. */
static void prefetch_next_row(const struct cell *at, unsigned pieces)
{
    enum { CELLS_OF_A_LINE = 64 / sizeof *at->write };
    for (unsigned i = pieces * WARP_LANES; i < 2 * pieces * WARP_LANES; i += CELLS_OF_A_LINE) {
        __builtin_prefetch(at->write + i, 1);
        __builtin_prefetch(at->other[0] + i, 1);
        __builtin_prefetch(at->other[1] + i, 1);
    }
}

static bool is_row(const struct touch *a, uint64_t start)
{
    uint64_t differs = 0;
    for (uint64_t i = 0; i < WARP_LANES; i++) {
        differs |= (a->address[i] - start - i * a->bytes) & (0 - (uint64_t)(a->lanes >> i & 1u));
    }
    return differs == 0;
}

bool race_look_at_row(const struct visit *v, uint64_t base)
{
    const struct touch *a = v->a;
    const unsigned lane = first_lane(a->lanes), row_bytes = WARP_LANES * a->bytes;
    const uint64_t start = a->address[lane] - (uint64_t)lane * a->bytes; /* lane 0's place */
    unsigned count;
    if (a->what & (TOUCH_STRONG | TOUCH_ASYNC) || a->read_only || v->is_reached ||
        (base + start) % SHADOW_CHUNK + row_bytes > SHADOW_CHUNK || !is_row(a, start)) {
        return false;
    }
    struct chunk *chunk = shadow_chunk(v->r->shadow, base + start);
    const struct cell at = shadow_cells(chunk, base + start, a->bytes, &count);
    prefetch_next_row(&at, count);
    return look_at_pieces(v, &at, count, (unsigned)__builtin_ctz(count));
}
