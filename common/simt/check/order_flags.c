/* order_flags.c - see order_flags.h.
 *
 * Each flag (a word that strong stores and atomics change) has a log of releases: the thread, and
 * how far its fence reached. A thread's knowledge is a list of positions in logs; what it knows
 * through others is found by following the lists that stand in the logs. So a ticket that ten
 * thousand blocks draw costs ten thousand entries, not as many squared. */
#include "check/order_flags.h"
#include "base/map.h"
#include "base/room.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* One release. An access is covered if it lies before the fence, or before a fence of its own
 * thread and a barrier. */
struct release {
    uint32_t block, epoch, time;
    uint32_t fence_time[ORDER_SCOPES], fence_epoch[ORDER_SCOPES], fence_sync[ORDER_SCOPES];
    lane_mask fence_mask[ORDER_SCOPES], sync_mask;
    uint32_t sync_time;
    uint32_t previous; /* index + 1 of the release before it by the same block */
    uint8_t warp, lane, scope;
    const struct fence_log *fences;
    const struct knowledge *known, *known_so_far; /* of the releaser; of all releases up to here */
};

struct flag {
    uint64_t key;
    struct release *log;
    uint32_t count, room;
    uint64_t asked;          /* the query that was here last, */
    uint32_t asked_position; /* and how far it looked */
};

struct position {
    uint32_t flag, count;
};

struct knowledge {
    unsigned count;
    struct position at[]; /* by flag, ascending */
};

struct fence {
    uint32_t time, epoch;
    lane_mask lanes;
    uint8_t warp, scope;
};

struct fence_log {
    struct fence *fences;
    unsigned count, room;
    struct fence_log *next; /* of the launch */
};

struct order {
    struct arena arena;
    struct flag *flags;
    uint32_t flag_count, flag_room;
    struct map by_key, by_block; /* key -> flag + 1, (flag, block) -> release */
    struct fence_log *fence_logs;
    uint64_t queries;
};

/* ---- beginning and end ----------------------------------------------------------------------- */

struct order *order_open(void) { return room_new(1, sizeof(struct order)); }

void order_launch(struct order *o)
{
    for (uint32_t i = 0; i < o->flag_count; i++) {
        free(o->flags[i].log);
    }
    while (o->fence_logs != NULL) {
        struct fence_log *next = o->fence_logs->next;
        free(o->fence_logs->fences);
        free(o->fence_logs);
        o->fence_logs = next;
    }
    free(o->flags);
    map_free(&o->by_key);
    map_free(&o->by_block);
    arena_free(&o->arena);
    *o = (struct order){.queries = o->queries};
}

void order_close(struct order *o)
{
    if (o != NULL) {
        order_launch(o);
        free(o);
    }
}

bool order_has_flags(const struct order *o) { return o->flag_count > 0; }

/* ---- knowledge ------------------------------------------------------------------------------- */

static const struct knowledge *join(struct order *o, const struct knowledge *a,
                                    const struct knowledge *b)
{
    if (a == b || b == NULL) {
        return a;
    }
    if (a == NULL) {
        return b;
    }
    struct knowledge *k =
        arena_alloc(&o->arena, sizeof *k + (a->count + b->count) * sizeof k->at[0]);
    unsigned i = 0, j = 0;
    k->count = 0;
    while (i < a->count || j < b->count) {
        uint32_t left = i < a->count ? a->at[i].flag : UINT32_MAX;
        uint32_t right = j < b->count ? b->at[j].flag : UINT32_MAX;
        struct position p = left <= right ? a->at[i] : b->at[j];
        if (left == right && b->at[j].count > p.count) {
            p.count = b->at[j].count;
        }
        i += left <= right;
        j += right <= left;
        k->at[k->count++] = p;
    }
    return k;
}

static bool holds(const struct knowledge *k, uint32_t flag, uint32_t count)
{
    for (unsigned i = 0; k != NULL && i < k->count; i++) {
        if (k->at[i].flag == flag) {
            return k->at[i].count >= count;
        }
    }
    return false;
}

static const struct knowledge *learn(struct order *o, const struct knowledge *k, uint32_t flag,
                                     uint32_t count)
{
    if (holds(k, flag, count)) {
        return k;
    }
    struct knowledge *one = arena_alloc(&o->arena, sizeof *one + sizeof one->at[0]);
    one->count = 1;
    one->at[0] = (struct position){flag, count};
    return join(o, k, one);
}

/* Lanes that synchronize share what each knows, and what one has learnt from a flag without a
 * fence: what a relaxed load has shown waits for a fence of theirs. */
void flags_share(struct order_warp *w, lane_mask lanes)
{
    struct order *o = w->block->order;
    const struct knowledge *all = NULL, *relaxed = NULL;
    for (lane_mask left = lanes; left != 0; left &= left - 1) {
        unsigned i = first_lane(left);
        all = join(o, join(o, all, w->known[i]), w->pending[i]);
        relaxed = join(o, relaxed, w->relaxed[i]);
    }
    for (lane_mask left = lanes; left != 0; left &= left - 1) {
        w->known[first_lane(left)] = all;
        w->pending[first_lane(left)] = NULL;
        w->relaxed[first_lane(left)] = relaxed;
    }
}

void flags_share_block(struct order_block *b)
{
    const struct knowledge *all = NULL, *relaxed = NULL;
    for (unsigned n = 0; n < b->warp_count; n++) {
        flags_share(&b->warps[n], FULL_MASK);
        all = join(b->order, all, b->warps[n].known[0]);
        relaxed = join(b->order, relaxed, b->warps[n].relaxed[0]);
    }
    for (unsigned n = 0; n < b->warp_count; n++) {
        b->warps[n].marked = true;
        for (unsigned i = 0; i < WARP_LANES; i++) {
            b->warps[n].known[i] = all;
            b->warps[n].relaxed[i] = relaxed;
        }
    }
}

/* ---- fences ---------------------------------------------------------------------------------- */

static void log_fence(struct order_warp *w, lane_mask lanes, enum order_scope scope)
{
    struct order_block *b = w->block;
    struct fence_log *log = b->fences;
    if (log == NULL) {
        log = b->fences = room_new(1, sizeof *log);
        log->next = b->order->fence_logs;
        b->order->fence_logs = log;
    }
    ROOM_FOR_ONE(log->fences, log->count, log->room, 32);
    log->fences[log->count++] =
        (struct fence){w->time, b->epoch, lanes, (uint8_t)w->number, (uint8_t)scope};
}

static void fence_at(struct order_warp *w, lane_mask lanes, enum order_scope scope)
{
    for (lane_mask left = lanes; left != 0; left &= left - 1) {
        unsigned i = first_lane(left);
        for (unsigned s = 0; s <= scope; s++) { /* a fence of the device is one of the block, too */
            w->fence_time[s][i] = w->time;
            w->fence_epoch[s][i] = w->block->epoch;
            w->fence_sync[s][i] = w->sync_time[i];
            w->fence_mask[s][i] = w->sync_mask[i];
        }
    }
}

void order_fence(struct order_warp *w, lane_mask lanes, enum order_scope scope)
{
    struct order *o = w->block->order;
    w->time++;
    w->marked = true;
    fence_at(w, lanes, scope);
    log_fence(w, lanes, scope);
    for (unsigned s = 0; s <= scope; s++) {
        w->unfenced[s] &= ~lanes;
    }
    for (lane_mask left = w->block->knows ? lanes : 0; left != 0; left &= left - 1) {
        unsigned i = first_lane(left);
        w->known[i] = join(o, join(o, w->known[i], w->pending[i]), w->relaxed[i]);
        w->pending[i] = w->relaxed[i] = NULL;
    }
}

/* ---- flags ----------------------------------------------------------------------------------- */

static uint32_t flag_at(struct order *o, uint64_t key, bool make)
{
    const uint64_t known = map_find(&o->by_key, key);
    if (known != 0 || !make) {
        return (uint32_t)known - 1; /* UINT32_MAX: there is none */
    }
    ROOM_FOR_ONE(o->flags, o->flag_count, o->flag_room, 64);
    o->flags[o->flag_count] = (struct flag){.key = key};
    map_put(&o->by_key, key, ++o->flag_count);
    return o->flag_count - 1;
}

static bool adds_nothing(const struct release *last, const struct release *r)
{
    return last->block == r->block && last->warp == r->warp && last->lane == r->lane &&
           last->epoch == r->epoch && last->known == r->known && last->scope >= r->scope &&
           memcmp(last->fence_time, r->fence_time, sizeof r->fence_time) == 0;
}

static void append(struct order *o, uint32_t index, struct release r)
{
    struct flag *f = &o->flags[index];
    if (f->count > 0 && adds_nothing(&f->log[f->count - 1], &r)) {
        return;
    }
    ROOM_FOR_ONE(f->log, f->count, f->room, 4);
    uint64_t key = ((uint64_t)index + 1) << 32 | r.block;
    r.previous = (uint32_t)map_find(&o->by_block, key);
    r.known_so_far = join(o, f->count > 0 ? f->log[f->count - 1].known_so_far : NULL, r.known);
    map_put(&o->by_block, key, f->count + 1);
    f->log[f->count++] = r;
}

void order_release(struct order_warp *w, unsigned lane, uint64_t key, enum order_scope scope,
                   bool as_fence)
{
    struct order_block *b = w->block;
    if (as_fence) {
        w->time++;
        fence_at(w, 1u << lane, scope);
        log_fence(w, 1u << lane, scope);
    }
    if (b->fences == NULL) {
        return;
    }
    struct release r = {.block = b->number,
                        .epoch = b->epoch,
                        .time = w->time,
                        .sync_time = w->sync_time[lane],
                        .sync_mask = w->sync_mask[lane],
                        .warp = (uint8_t)w->number,
                        .lane = (uint8_t)lane,
                        .scope = (uint8_t)scope,
                        .fences = b->fences,
                        .known = w->known[lane]};
    for (unsigned s = 0; s < ORDER_SCOPES; s++) {
        r.fence_time[s] = w->fence_time[s][lane];
        r.fence_epoch[s] = w->fence_epoch[s][lane];
        r.fence_sync[s] = w->fence_sync[s][lane];
        r.fence_mask[s] = w->fence_mask[s][lane];
    }
    append(b->order, flag_at(b->order, key, true), r);
}

void order_acquire(struct order_warp *w, unsigned lane, uint64_t key, enum order_behind behind)
{
    struct order *o = w->block->order;
    uint32_t index = flag_at(o, key, false);
    if (index == UINT32_MAX) {
        return;
    }
    w->block->knows = w->marked = true;
    const struct knowledge **k = behind == BEHIND_ITSELF    ? &w->known[lane]
                                 : behind == BEHIND_BARRIER ? &w->pending[lane]
                                                            : &w->relaxed[lane];
    *k = learn(o, *k, index, o->flags[index].count);
}

/* Never 0, and with room for LOCK_BARE. */
static uint32_t lock_of(uint64_t key)
{
    return ((uint32_t)(key * HASH_MULTIPLIER >> 32) | 2u) & ~(uint32_t)LOCK_BARE;
}

void order_takes_lock(struct order_warp *w, unsigned lane, uint64_t key)
{
    w->marked = true;
    w->lock[lane] = lock_of(key);
    for (unsigned s = 0; s < ORDER_SCOPES; s++) {
        w->unfenced[s] |= 1u << lane;
    }
}

void order_gives_lock(struct order_warp *w, unsigned lane, uint64_t key)
{
    if (w->lock[lane] == lock_of(key)) {
        w->lock[lane] = 0;
        for (unsigned s = 0; s < ORDER_SCOPES; s++) {
            w->unfenced[s] &= ~(1u << lane);
        }
    }
}

/* ---- what threads know
 * --------------------------------------------------------------------------- */

/* The thread fenced its access itself, and both were synchronized before the release. */
static bool fenced_by_itself(const struct release *r, const struct stamp *s, unsigned from,
                             unsigned scope)
{
    bool synced_in_warp = r->warp == s->warp && r->sync_mask >> from & 1u && s->time < r->sync_time;
    if (s->epoch >= r->epoch && !synced_in_warp) {
        return false; /* no barrier between the two, and so none behind a fence of its own */
    }
    for (unsigned i = r->fences->count; i-- > 0;) {
        const struct fence *f = &r->fences->fences[i];
        if (f->epoch < s->epoch) {
            return false; /* older than the access, as are all before it */
        }
        if (f->warp == s->warp && f->lanes >> from & 1u && f->scope >= scope && f->time > s->time &&
            (f->epoch < r->epoch || (synced_in_warp && f->time <= r->sync_time))) {
            return true;
        }
    }
    return false;
}

static bool covers(const struct release *r, const struct stamp *s, unsigned from, unsigned scope)
{
    if (r->scope < scope) {
        return false;
    }
    if (r->fence_time[scope] > 0 &&
        (s->epoch < r->fence_epoch[scope] ||
         (s->warp == r->warp &&
          ((from == r->lane && s->time < r->fence_time[scope]) ||
           (r->fence_mask[scope] >> from & 1u && s->time < r->fence_sync[scope]))))) {
        return true;
    }
    return fenced_by_itself(r, s, from, scope);
}

/* Of the block's releases, the latest first. What was released before a barrier does not cover an
 * access behind it, and neither does anything older: so in a grid that meets 200 times, a question
 * looks at the releases of one meeting, not of all. */
static bool find_release(const struct order *o, uint32_t flag, uint32_t position,
                         const struct stamp *s, unsigned from, unsigned scope)
{
    uint64_t key = ((uint64_t)flag + 1) << 32 | s->block;
    for (uint32_t at = (uint32_t)map_find(&o->by_block, key); at != 0;) {
        const struct release *r = &o->flags[flag].log[at - 1];
        if (r->epoch < s->epoch) {
            return false;
        }
        if (at <= position && covers(r, s, from, scope)) {
            return true;
        }
        at = r->previous;
    }
    return false;
}

static bool ask(struct order *o, const struct knowledge *k, const struct stamp *s, unsigned from,
                unsigned scope)
{
    for (unsigned i = 0; i < k->count; i++) {
        struct flag *f = &o->flags[k->at[i].flag];
        uint32_t position = k->at[i].count;
        if (f->asked == o->queries && f->asked_position >= position) {
            continue;
        }
        f->asked = o->queries;
        f->asked_position = position;
        if (find_release(o, k->at[i].flag, position, s, from, scope)) {
            return true;
        }
        const struct knowledge *beyond = position > 0 ? f->log[position - 1].known_so_far : NULL;
        if (beyond != NULL && ask(o, beyond, s, from, scope)) {
            return true;
        }
    }
    return false;
}

bool flags_know(const struct order_warp *reader, const struct knowledge *k, const struct stamp *s,
                unsigned from)
{
    struct order *o = reader->block->order;
    o->queries++;
    return ask(o, k, s, from, s->block == reader->block->number ? ORDER_BLOCK : ORDER_DEVICE);
}
