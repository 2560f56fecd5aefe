/* caches.c - see caches.h: recording while the launch runs; the L2 in caches_l2.c, L1 in
 * caches_replay.c.
 *
 * Each worker notes for itself what its blocks ask of the L2. A block that has ended hands that
 * over, and the L2 takes it when all blocks that were started before have handed over theirs: what
 * comes out does not depend on how many workers there are. The block whose turn it is hands over
 * while it runs, so that what is kept stays small. */
#include "time/caches.h"

#include <math.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "ir/ops.h"
#include "machine/repeats.h"
#include "time/caches_l2.h"
#include "time/caches_replay.h"
#include "time/caches_swaps.h"

enum {
    ATOMIC_UNITS = 64, /* see unit_of() */
    ATOMIC_SLOTS = 1024 * ATOMIC_UNITS,
    SECTOR_BYTES = 32,
    BLOCK_WARPS = 32,
    HANDED_OVER = 512,  /* requests that a block whose turn it is keeps at most, */
    MOST_KEPT = 1 << 22 /* and any other one: of those beyond the L2 never hears */
};

struct flight { /* a block that runs, or has ended and waits for its turn */
    uint64_t block, sequence;
    struct flight *next;
    struct block_trace *trace;   /* of its requests, for the L1; NULL: it is not in the sample */
    uint32_t order[BLOCK_WARPS]; /* requests of the warp, but those in warp.untold */
    struct lru_asker askers[BLOCK_WARPS];
    struct l2_request *list;
    size_t count, room;
};

struct pc_count {
    uint64_t requests, lines;
};

struct cache_worker {
    alignas(64) struct flight *now; /* the first one of its blocks: that which runs */
    struct pc_count *pcs;
    unsigned pc_room;
};

struct caches {
    const struct gpu_limits *limits;
    struct cache_worker *workers;
    unsigned worker_count, worker_room;
    pthread_mutex_t lock; /* of the next five */
    struct l2_cache l2;
    _Atomic uint64_t turn;  /* the sequence of the block that may hand over */
    struct flight *waiting; /* blocks that have ended before their turn */
    struct flight *spare;
    unsigned pc_count;
    struct recording recording;
    struct replay_pc *replayed; /* per pc, twice: see recording_replay() */
    unsigned replayed_room;     /* in elements */
    _Atomic uint32_t *atomics;  /* turns times 16, by unit and hash of 512 bytes */
    bool any_atomics;
    struct swaps swaps;
    const bool *carried; /* per pc: carried.h */
    unsigned resident;
    uint64_t l1_bytes;
};

struct caches *caches_open(const struct gpu_limits *limits)
{
    struct caches *c = room_new(1, sizeof *c);
    c->limits = limits;
    pthread_mutex_init(&c->lock, NULL);
    c->atomics = room_new(ATOMIC_SLOTS, sizeof *c->atomics);
    swaps_open(&c->swaps);
    l2_open(&c->l2, gpu_rates(limits).l2_effective_bytes);
    return c;
}

static void free_flights(struct flight *f)
{
    while (f != NULL) {
        struct flight *next = f->next;
        free(f->list);
        free(f);
        f = next;
    }
}

void caches_close(struct caches *c)
{
    if (c != NULL) {
        for (unsigned i = 0; i < c->worker_room; i++) {
            free_flights(c->workers[i].now);
            free(c->workers[i].pcs);
        }
        free(c->workers);
        free_flights(c->waiting);
        free_flights(c->spare);
        l2_close(&c->l2);
        recording_free(&c->recording);
        pthread_mutex_destroy(&c->lock);
        free((void *)c->atomics);
        swaps_close(&c->swaps);
        free(c->replayed);
        free(c);
    }
}

/* --- begin ------------------------------------------------------------------------------------ */

static void room_for_workers(struct caches *c, unsigned workers, unsigned pcs)
{
    c->workers = room_extended(c->workers, &c->worker_room, workers, sizeof *c->workers);
    for (unsigned i = 0; i < workers; i++) {
        struct cache_worker *w = &c->workers[i];
        w->pcs = room_cleared(w->pcs, &w->pc_room, pcs, sizeof *w->pcs);
    }
    c->worker_count = workers;
}

/* Blocks of a launch that ended in a fault are still there. */
static void keep_for_later(struct caches *c, struct flight **list)
{
    while (*list != NULL) {
        struct flight *f = *list;
        *list = f->next;
        f->next = c->spare;
        c->spare = f;
    }
}

void caches_begin(struct caches *c, const struct launch_event *launch, const bool *carried,
                  unsigned resident, uint64_t l1_bytes)
{
    const unsigned pcs = launch->kernel->code_count;
    for (unsigned i = 0; i < c->worker_room; i++) {
        keep_for_later(c, &c->workers[i].now);
    }
    keep_for_later(c, &c->waiting);
    room_for_workers(c, launch->workers, pcs);
    c->replayed = room_cleared(c->replayed, &c->replayed_room, 2 * pcs, sizeof *c->replayed);
    l2_begin(&c->l2, pcs);
    c->pc_count = pcs;
    if (c->any_atomics) {
        memset((void *)c->atomics, 0, ATOMIC_SLOTS * sizeof *c->atomics);
    }
    c->any_atomics = false;
    for (unsigned i = 0; i < pcs; i++) {
        const struct ptx_insn *in = launch->kernel->origin[i];
        c->any_atomics |= in != NULL && op_table[in->op].memory == MEMORY_UPDATES;
    }
    c->carried = carried;
    swaps_begin(&c->swaps, launch, c->limits->sm_count * (double)resident);
    c->turn = 0;
    c->resident = resident;
    c->l1_bytes = l1_bytes;
    recording_begin(&c->recording, launch->launch, c->limits->sm_count, resident);
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* Blocks of a wave start one shortly after the other. */
static void start(struct caches *c, struct flight *f, const struct block *b)
{
    const uint64_t wave = b->number / ((uint64_t)c->limits->sm_count * c->resident);
    memset(f->order, 0, sizeof f->order);
    memset(f->askers, 0, sizeof f->askers);
    for (unsigned i = 0; i < BLOCK_WARPS; i++) {
        f->askers[i].together = (uint32_t)wave;
        f->askers[i].warp = (uint32_t)(b->number * BLOCK_WARPS + i);
    }
    f->block = b->number;
    f->sequence = b->sequence;
    f->count = 0;
    f->trace = recording_trace(&c->recording, b->number);
}

void caches_block_begin(struct caches *c, const struct block *b)
{
    struct cache_worker *w = &c->workers[b->worker];
    pthread_mutex_lock(&c->lock);
    struct flight *f = c->spare;
    if (f != NULL) {
        c->spare = f->next;
    }
    pthread_mutex_unlock(&c->lock);
    f = f != NULL ? f : room_new(1, sizeof *f);
    start(c, f, b);
    f->next = w->now;
    w->now = f;
}

/* The block's own: the first of the worker's list from now on. */
static struct flight *flight_of(struct cache_worker *w, uint64_t block)
{
    struct flight **at = &w->now;
    while ((*at)->block != block) {
        at = &(*at)->next;
    }
    struct flight *f = *at;
    if (f != w->now) {
        *at = f->next;
        f->next = w->now;
        w->now = f;
    }
    return f;
}

/* Under the lock. */
static void hand_over(struct caches *c, struct flight *f)
{
    for (size_t i = 0; i < f->count; i++) {
        l2_look_up(&c->l2, &f->list[i], &f->askers[f->list[i].warp]);
    }
    f->count = 0;
}

static struct flight **find_waiting(struct caches *c, uint64_t sequence)
{
    struct flight **at = &c->waiting;
    while (*at != NULL && (*at)->sequence != sequence) {
        at = &(*at)->next;
    }
    return at;
}

void caches_block_end(struct caches *c, const struct block *b)
{
    struct cache_worker *w = &c->workers[b->worker];
    struct flight *f = flight_of(w, b->number);
    w->now = f->next;
    pthread_mutex_lock(&c->lock);
    f->next = c->waiting;
    c->waiting = f;
    for (struct flight **at; *(at = find_waiting(c, c->turn)) != NULL; c->turn++) {
        f = *at;
        *at = f->next;
        hand_over(c, f);
        f->next = c->spare;
        c->spare = f;
    }
    pthread_mutex_unlock(&c->lock);
}

/* --- accesses --------------------------------------------------------------------------------- */

/* Which unit of the L2 adds to these 512 bytes. Of 16 or 32 such pieces in a row the fullest unit
 * of an H200 has two, of 64 or 128 four, of 256 eight: so long do atomics of all SMs take that go
 * to as many words without order. */
static unsigned unit_of(uint64_t piece)
{
    const uint64_t near =
        (piece & 7) | (piece >> 4 & 1) << 3 | (piece >> 6 & 1) << 4 | (piece >> 8 & 1) << 5;
    return (unsigned)(near ^ (piece >> 9) * HASH_MULTIPLIER >> 58);
}

/* An atomic costs a turn of the L2 for each sector and replay, and neighbouring lines share the
 * unit that takes the turns: on an H200 four of them, 512 bytes, as histogram_global and
 * atomics_64_words have it. */
static void count_atomics(struct caches *c, const struct access_event *a, const uint64_t *lines,
                          const uint8_t *masks, unsigned count)
{
    unsigned sectors = 0;
    for (unsigned i = 0; i < count; i++) {
        sectors += (unsigned)__builtin_popcount(masks[i]);
    }
    for (unsigned i = 0; i < count; i++) {
        const unsigned own = (unsigned)__builtin_popcount(masks[i]);
        const uint32_t turns = (uint32_t)(a->cost.b * own * 16 / sectors);
        const uint64_t piece = lines[i] / 4, slot = piece * HASH_MULTIPLIER >> 54;
        atomic_fetch_add_explicit(&c->atomics[slot * ATOMIC_UNITS + unit_of(piece)], turns,
                                  memory_order_relaxed);
    }
}

/* Which bytes of a line the lanes write, by sector. line: of their addresses. */
static void written_bytes(const struct access_event *a, uint64_t line, uint32_t bytes[4])
{
    uint64_t room[WARP_LANES];
    const uint64_t *address = observer_addresses(a, room);
    memset(bytes, 0, 4 * sizeof *bytes);
    for (lane_mask left = a->lanes; left != 0; left &= left - 1) {
        const uint64_t at = address[first_lane(left)];
        if (at / 128 == line) {
            const uint32_t ones = (uint32_t)((1ull << a->bytes) - 1);
            bytes[at % 128 / SECTOR_BYTES] |= ones << at % SECTOR_BYTES;
        }
    }
}

static bool has_room(struct flight *f)
{
    if (f->count < f->room) {
        return true;
    }
    if (2 * f->room > MOST_KEPT) {
        return false;
    }
    ROOM_FOR_ONE(f->list, f->count, f->room, HANDED_OVER);
    return true;
}

/* Of what a warp is about to ask: the number of its request. It has been counted; others perhaps,
 * too, that are still to come. */
static uint32_t order_of(const struct flight *f, const struct warp *w, uint32_t pc)
{
    return f->order[w->number % BLOCK_WARPS] - 1 + w->untold - repeats_ahead(w, pc);
}

static struct l2_request *next_request(struct caches *c, struct flight *f, const struct warp *w,
                                       uint32_t order)
{
    if (f->count >= HANDED_OVER &&
        atomic_load_explicit(&c->turn, memory_order_relaxed) == f->sequence) {
        pthread_mutex_lock(&c->lock);
        hand_over(c, f);
        pthread_mutex_unlock(&c->lock);
    }
    if (!has_room(f)) {
        return NULL;
    }
    struct l2_request *r = &f->list[f->count++];
    r->order = order;
    r->warp = (uint8_t)(w->number % BLOCK_WARPS);
    return r;
}

static void ask_l2(struct caches *c, struct flight *f, const struct warp *w, uint32_t order,
                   const struct access_event *a, const struct cache_lines *l, unsigned i)
{
    struct l2_request *r = next_request(c, f, w, order);
    if (r == NULL) {
        return;
    }
    r->line = l->moved[i];
    r->pc = a->pc;
    r->mask = l->masks[i];
    r->kind = (uint8_t)a->kind;
    if (a->kind == ACCESS_STORE) {
        written_bytes(a, l->first + l->apart[i], r->written);
    }
}

uint32_t caches_sampled(const uint64_t *lines, unsigned count) { return l2_sampled(lines, count); }

static struct flight *running(struct caches *c, const struct block *b)
{
    struct cache_worker *own = &c->workers[b->worker];
    return own->now->block == b->number ? own->now : flight_of(own, b->number);
}

void caches_request(struct caches *c, const struct warp *w, uint32_t pc, unsigned lines)
{
    /* one that the last round's was waited for comes a whole wait later */
    running(c, w->block)->order[w->number % BLOCK_WARPS] += c->carried[pc] ? LRU_APART : 1;
    caches_repeats(c, w->block->worker, pc, lines, 1);
}

void caches_repeats(struct caches *c, unsigned worker, uint32_t pc, unsigned lines, uint64_t count)
{
    struct pc_count *p = &c->workers[worker].pcs[pc];
    p->requests += count;
    p->lines += count * lines;
}

bool caches_want_all(struct caches *c, const struct block *b)
{
    return running(c, b)->trace != NULL || c->swaps.any;
}

bool caches_wants(struct caches *c, const struct warp *w, const struct access_event *a,
                  uint32_t sampled)
{
    return sampled != 0 || running(c, w->block)->trace != NULL || a->kind == ACCESS_ATOMIC ||
           a->kind == ACCESS_REDUCTION || (c->swaps.any && a->kind == ACCESS_LOAD);
}

void caches_access(struct caches *c, const struct warp *w, const struct access_event *a,
                   const struct cache_lines *l)
{
    struct flight *f = running(c, w->block);
    if (a->kind == ACCESS_ATOMIC || a->kind == ACCESS_REDUCTION) {
        count_atomics(c, a, l->moved, l->masks, l->count);
        swaps_count(&c->swaps, a, l);
    } else if (c->swaps.any && a->kind == ACCESS_LOAD) {
        swaps_read(&c->swaps, a, l);
    }
    if (f->trace != NULL) {
        recording_add(&c->recording, f->trace, w, a, l->moved, l->masks, l->count);
    }
    const uint32_t order = l->sampled != 0 ? order_of(f, w, a->pc) : 0;
    for (uint32_t left = l->sampled; left != 0; left &= left - 1) {
        ask_l2(c, f, w, order, a, l, first_lane(left));
    }
}

/* Which bytes of a line lie between two addresses, by sector. */
static void bytes_between(uint64_t line, uint64_t begin, uint64_t end, uint32_t bytes[4])
{
    for (unsigned s = 0; s < 4; s++) {
        const uint64_t sector = line * 128 + s * SECTOR_BYTES;
        bytes[s] = 0;
        for (unsigned i = 0; i < SECTOR_BYTES; i++) {
            bytes[s] |= (uint32_t)(sector + i >= begin && sector + i < end) << i;
        }
    }
}

void caches_bulk(struct caches *c, const struct warp *w, uint32_t pc, uint64_t address,
                 uint64_t bytes, bool writes, const uint64_t *moved, const uint8_t *masks)
{
    struct pc_count *p = &c->workers[w->block->worker].pcs[pc];
    struct flight *f = running(c, w->block);
    const unsigned warp = w->number % BLOCK_WARPS;
    const uint64_t first = address / 128, count = (address + bytes - 1) / 128 - first + 1;
    p->requests++;
    p->lines += count;
    f->order[warp]++;
    for (uint32_t left = l2_sampled(moved, (unsigned)count); left != 0; left &= left - 1) {
        const unsigned i = first_lane(left);
        struct l2_request *r = next_request(c, f, w, order_of(f, w, pc));
        if (r == NULL) {
            return;
        }
        r->line = moved[i];
        r->pc = pc;
        r->kind = writes ? ACCESS_STORE : ACCESS_LOAD;
        bytes_between(first + i, address, address + bytes, r->written);
        r->mask = masks[i];
    }
}

/* --- end -------------------------------------------------------------------------------------- */

static void find_turns(const struct caches *c, struct cache_result *r)
{
    const double tries = swaps_tries(&c->swaps) / 16;
    double turns[ATOMIC_UNITS] = {0};
    for (unsigned i = 0; i < ATOMIC_SLOTS; i++) {
        r->hottest_turns = fmax(r->hottest_turns, c->atomics[i] * tries);
        turns[i % ATOMIC_UNITS] += c->atomics[i] * tries;
    }
    for (unsigned i = 0; i < ATOMIC_UNITS; i++) {
        r->fullest_turns = fmax(r->fullest_turns, turns[i]);
    }
}

void caches_end(struct caches *c, struct cache_result *r)
{
    *r = (struct cache_result){.dram_read_ratio = 1};
    if (c->pc_count > 0) {
        recording_replay(&c->recording, c->resident, c->l1_bytes, c->carried, c->replayed,
                         c->replayed + c->pc_count);
    }
    for (unsigned pc = 0; pc < c->pc_count; pc++) {
        r->l1_load_sectors += (double)c->replayed[pc].sectors;
        r->l1_load_hits += (double)c->replayed[pc].hits;
    }
    if (c->l2.first_fetches > 0) {
        r->dram_read_ratio = (double)c->l2.fetches / (double)c->l2.first_fetches;
    }
    r->dram_write_bytes = (double)c->l2.dirty_sectors * SECTOR_BYTES * L2_SAMPLE;
    r->partial_bytes = (double)c->l2.partial_sectors * SECTOR_BYTES * L2_SAMPLE;
    if (c->any_atomics) {
        find_turns(c, r);
    }
}

struct pc_hits caches_hits(const struct caches *c, uint32_t pc)
{
    struct pc_hits h = {NAN, NAN, NAN, NAN, NAN};
    if (pc >= c->pc_count) {
        return h;
    }
    struct pc_count p = {0, 0};
    for (unsigned i = 0; i < c->worker_count; i++) {
        p.requests += c->workers[i].pcs[pc].requests;
        p.lines += c->workers[i].pcs[pc].lines;
    }
    const struct l2_pc *l2 = &c->l2.pcs[pc];
    const struct replay_pc *r = &c->replayed[pc];
    if (p.requests > 0) {
        h.lines = (double)p.lines / (double)p.requests;
    }
    if (l2->lookups > 0) {
        h.l2_miss = (double)l2->misses / (double)l2->lookups;
        h.l2_wait = (double)l2->waits / (double)l2->lookups;
    }
    if (r->requests > 0) {
        h.l1_miss = (double)r->missed / (double)r->requests;
        h.l1_wait = (double)r->waited / (double)r->requests;
    }
    return h;
}
