/* order.c - see order.h: order within a block. What goes from thread to thread through flags is in
 * order_flags.c. */
#include "check/order_flags.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Most warps leave nothing behind: no __syncwarp(), no fence. */
static void clear(struct order_warp *w)
{
    const struct order_warp old = {
        .waits = w->waits, .wait_room = w->wait_room, .synced = w->synced};
    if (w->marked) {
        *w = old;
    }
    w->exited = 0;
    w->partial = w->marked = false;
    w->wait_count = 0;
    memset(w->unfenced, 0, sizeof w->unfenced);
    memset(w->lock, 0, sizeof w->lock);
    w->time = 1;
}

void order_block_begin(struct order *o, struct order_block *b, uint32_t number, unsigned threads)
{
    b->order = o;
    b->number = number;
    b->epoch = 1;
    b->warp_count = (threads + WARP_LANES - 1) / WARP_LANES;
    b->flags = b->knows = b->partial = false;
    b->fences = NULL;
    b->phase_count = 0;
    memset(b->arrived_mask, 0, sizeof b->arrived_mask);
    for (unsigned i = 0; i < b->warp_count; i++) {
        struct order_warp *w = &b->warps[i];
        unsigned left = threads - i * WARP_LANES;
        clear(w);
        w->block = b;
        w->number = i;
        w->launched = left >= WARP_LANES ? FULL_MASK : (1u << left) - 1;
    }
}

void order_block_free(struct order_block *b)
{
    for (unsigned i = 0; i < ORDER_WARPS; i++) {
        free(b->warps[i].waits);
        free(b->warps[i].synced);
    }
    free(b->phases);
}

/* ---- lanes of a warp ------------------------------------------------------------------------- */

/* What one lane knows of the others, all that take part know now. */
static void share_rows(struct order_warp *w, lane_mask lanes)
{
    uint32_t row[WARP_LANES] = {0};
    for (lane_mask left = lanes; left != 0; left &= left - 1) {
        const uint32_t *own = w->synced[first_lane(left)];
        for (unsigned m = 0; m < WARP_LANES; m++) {
            row[m] = larger(row[m], own[m]);
        }
    }
    for (unsigned m = 0; m < WARP_LANES; m++) {
        row[m] = lanes >> m & 1u ? w->time : row[m];
    }
    for (lane_mask left = lanes; left != 0; left &= left - 1) {
        memcpy(w->synced[first_lane(left)], row, sizeof row);
    }
}

static void begin_partial(struct order_warp *w)
{
    if (w->synced == NULL) {
        w->synced = room_raw(WARP_LANES, sizeof *w->synced);
    }
    if (!w->partial) {
        memset(w->synced, 0, WARP_LANES * sizeof *w->synced);
        w->partial = true;
    }
}

/* All that live meet. What a lane knew that has exited is lost: no lane has met it since. */
static void all_meet(struct order_warp *w, lane_mask lanes)
{
    for (unsigned m = 0; m < WARP_LANES; m++) {
        for (lane_mask left = w->partial ? lanes : 0; left != 0; left &= left - 1) {
            w->group_sync[m] = larger(w->group_sync[m], w->synced[first_lane(left)][m]);
        }
        w->group_sync[m] = lanes >> m & 1u ? w->time : w->group_sync[m];
    }
    if (w->partial) {
        w->partial = false;
    }
}

void order_warp_sync(struct order_warp *w, lane_mask lanes)
{
    lanes &= w->launched & ~w->exited;
    if ((lanes & (lanes - 1)) == 0) {
        return;
    }
    w->time++;
    w->marked = true;
    if (lanes == (w->launched & ~w->exited)) {
        all_meet(w, lanes);
    } else {
        begin_partial(w);
        share_rows(w, lanes);
    }
    for (lane_mask left = lanes; left != 0; left &= left - 1) {
        w->sync_time[first_lane(left)] = w->time;
        w->sync_mask[first_lane(left)] = lanes;
    }
    if (w->block->knows) {
        flags_share(w, lanes);
    }
}

void order_exit(struct order_warp *w, lane_mask lanes) { w->exited |= lanes; }

/* ---- warps of a block ------------------------------------------------------------------------ */

void order_barrier(struct order_block *b)
{
    b->epoch++;
    for (unsigned i = 0; b->flags && i < b->warp_count; i++) {
        memset(b->warps[i].unfenced, 0, sizeof b->warps[i].unfenced);
    }
    if (b->knows) {
        flags_share_block(b);
    }
}

static void own_row(struct order_warp *w)
{
    struct order_block *b = w->block;
    if (!b->partial) {
        memset(b->seen, 0, sizeof b->seen);
        b->partial = true;
    }
    order_warp_sync(w, FULL_MASK);
    w->time++;
    b->seen[w->number][w->number] = w->time;
}

void order_arrive(struct order_warp *w, unsigned barrier)
{
    struct order_block *b = w->block;
    own_row(w);
    if (b->arrived_mask[barrier] == 0) {
        memset(b->arrived[barrier], 0, sizeof b->arrived[barrier]);
    }
    b->arrived_mask[barrier] |= 1u << w->number;
    for (unsigned i = 0; i < ORDER_WARPS; i++) {
        b->arrived[barrier][i] = larger(b->arrived[barrier][i], b->seen[w->number][i]);
    }
}

void order_open_barrier(struct order_block *b, unsigned barrier, uint32_t waiting)
{
    for (uint32_t left = waiting; left != 0; left &= left - 1) {
        uint32_t *row = b->seen[first_lane(left)];
        for (unsigned i = 0; i < ORDER_WARPS; i++) {
            row[i] = larger(row[i], b->arrived[barrier][i]);
        }
    }
    b->arrived_mask[barrier] = 0;
    if (b->knows) {
        flags_share_block(b); /* more than the barrier promises: no false report */
    }
}

/* ---- mbarriers ------------------------------------------------------------------------------- */

enum { PHASES = 8 };

struct order_phases {
    uint64_t at;
    unsigned latest;
    uint32_t known[PHASES][ORDER_WARPS]; /* what those that arrived in it bring along */
};

static struct order_phases *phases_at(struct order_block *b, uint64_t at)
{
    for (unsigned i = 0; i < b->phase_count; i++) {
        if (b->phases[i].at == at) {
            return &b->phases[i];
        }
    }
    return NULL;
}

static struct order_phases *add_phases(struct order_block *b, uint64_t at)
{
    ROOM_FOR_ONE(b->phases, b->phase_count, b->phase_room, 4);
    b->phases[b->phase_count] = (struct order_phases){.at = at, .latest = PHASES};
    return &b->phases[b->phase_count++];
}

void order_phase_arrive(struct order_warp *w, uint64_t at, unsigned phase)
{
    struct order_block *b = w->block;
    struct order_phases *p = phases_at(b, at);
    p = p != NULL ? p : add_phases(b, at);
    own_row(w);
    if (p->latest != phase) { /* the first one to arrive in it */
        p->latest = phase;
        memset(p->known[phase], 0, sizeof p->known[phase]);
    }
    for (unsigned i = 0; i < ORDER_WARPS; i++) {
        p->known[phase][i] = larger(p->known[phase][i], b->seen[w->number][i]);
    }
}

static void copies_have_arrived(struct order_block *b, uint64_t at, unsigned phase);

void order_phase_passed(struct order_warp *w, uint64_t at, unsigned phase)
{
    struct order_block *b = w->block;
    const struct order_phases *p = phases_at(b, at);
    for (unsigned i = 0; p != NULL && i < ORDER_WARPS; i++) {
        b->seen[w->number][i] = larger(b->seen[w->number][i], p->known[phase][i]);
    }
    copies_have_arrived(b, at, phase);
    if (p != NULL && b->knows) {
        flags_share_block(b); /* more than it promises, as above */
    }
}

/* ---- cp.async -------------------------------------------------------------------------------- */

struct async_wait {
    lane_mask lanes;
    uint32_t groups, time, epoch; /* groups up to this one are complete since then */
    bool is_open;                 /* they are not: they will arrive at an mbarrier, in this phase */
    unsigned phase;
    uint64_t at;
};

uint32_t order_async_group(const struct order_warp *w, unsigned lane)
{
    return w->committed[lane] + 1;
}

void order_async_commit(struct order_warp *w, lane_mask lanes)
{
    w->marked = true;
    for (lane_mask left = lanes; left != 0; left &= left - 1) {
        w->committed[first_lane(left)]++;
    }
}

static void add_wait(struct order_warp *w, lane_mask lanes, uint32_t groups)
{
    ROOM_FOR_ONE(w->waits, w->wait_count, w->wait_room, 16);
    w->waits[w->wait_count++] = (struct async_wait){
        .lanes = lanes, .groups = groups, .time = w->time, .epoch = w->block->epoch};
}

void order_async_arrive(struct order_warp *w, unsigned lane, uint64_t at, unsigned phase)
{
    w->time++;
    add_wait(w, 1u << lane, w->committed[lane] + 1);
    struct async_wait *added = &w->waits[w->wait_count - 1];
    added->is_open = true;
    added->at = at;
    added->phase = phase;
    order_async_commit(w, 1u << lane);
}

static void copies_have_arrived(struct order_block *b, uint64_t at, unsigned phase)
{
    for (unsigned i = 0; i < b->warp_count; i++) {
        for (unsigned n = 0; n < b->warps[i].wait_count; n++) {
            struct async_wait *wait = &b->warps[i].waits[n];
            wait->is_open &= wait->at != at || wait->phase != phase;
        }
    }
}

void order_async_wait(struct order_warp *w, lane_mask lanes, uint32_t left, bool all)
{
    lane_mask rest = lanes;
    w->time++;
    while (rest != 0) { /* usually one round: all lanes have committed as many groups */
        uint32_t committed = w->committed[first_lane(rest)] + (all ? 1 : 0);
        lane_mask same = 0;
        for (unsigned i = 0; i < WARP_LANES; i++) {
            same |= (lane_mask)(w->committed[i] + (all ? 1 : 0) == committed) << i;
        }
        add_wait(w, same & rest, committed > left ? committed - left : 0);
        rest &= ~same;
    }
    if (all) {
        order_async_commit(w, lanes);
    }
}

bool order_async_done(const struct order_block *b, const struct stamp *s, unsigned lane,
                      struct stamp *done)
{
    const struct order_warp *w = &b->warps[s->warp];
    *done = *s;
    for (unsigned i = 0; i < w->wait_count; i++) {
        const struct async_wait *wait = &w->waits[i];
        if (!wait->is_open && wait->lanes >> lane & 1u && wait->groups >= s->group) {
            done->time = wait->time - 1; /* complete before what follows the wait */
            done->epoch = wait->epoch;
            return true;
        }
    }
    return false;
}

/* ---- the question ---------------------------------------------------------------------------- */

static bool before_in_warp(const struct stamp *s, unsigned from, const struct order_warp *w,
                           unsigned lane)
{
    return from == lane || s->time < w->group_sync[from] ||
           (w->partial && s->time < w->synced[lane][from]);
}

bool order_before(const struct stamp *s, unsigned from, const struct order_warp *w, unsigned lane)
{
    const struct order_block *b = w->block;
    if (s->block == b->number) {
        if (s->epoch < b->epoch) {
            return true;
        }
        if (s->warp == w->number ? before_in_warp(s, from, w, lane)
                                 : b->partial && s->time < b->seen[w->number][s->warp]) {
            return true;
        }
    }
    return w->known[lane] != NULL && flags_know(w, w->known[lane], s, from);
}
