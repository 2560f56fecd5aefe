/* caches.c - see caches.h: recording while the launch runs, L2 at once, L1 in caches_replay.c. */
#include "observe/caches.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "observe/caches_replay.h"
#include "observe/lru.h"

enum {
    L2_SAMPLE = 32, /* one line of so many goes through the L2 */
    L2_WAYS = 16,
    SEEN_SLOTS = 1 << 18, /* half-lines of the sample that were fetched before */
    ATOMIC_SLOTS = 1 << 16,
    SECTOR_BYTES = 32,
    BLOCK_WARPS = 32
};

struct pc_count {
    _Atomic uint64_t requests, lines;
    uint64_t l2_lookups, l2_misses, l2_waits; /* under the lock */
};

struct progress { /* of the block that a worker runs */
    uint64_t block;
    struct lru_asker warps[BLOCK_WARPS];
};

struct caches {
    const struct gpu_limits *limits;
    struct lru l2;
    pthread_mutex_t lock; /* of the L2 and what it counts */
    uint64_t *seen;       /* half-lines by hash; 0: free */
    uint64_t fetches, first_fetches, dirty_sectors, partial_sectors;
    struct pc_count *pcs;
    unsigned pc_count, pc_room;
    struct recording recording;
    struct replay_pc *replayed; /* per pc, twice: see recording_replay() */
    _Atomic uint32_t *atomics;  /* turns times 16, by hash of 512 bytes */
    struct progress *progress;  /* per worker */
    unsigned worker_room;
    unsigned resident;
    uint64_t l1_bytes;
};

struct caches *caches_open(const struct gpu_limits *limits)
{
    struct caches *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    c->limits = limits;
    pthread_mutex_init(&c->lock, NULL);
    c->seen = calloc(SEEN_SLOTS, sizeof *c->seen);
    c->atomics = calloc(ATOMIC_SLOTS, sizeof *c->atomics);
    const uint64_t l2_bytes = gpu_rates(limits).l2_effective_bytes / L2_SAMPLE;
    if (c->seen == NULL || c->atomics == NULL || !lru_open(&c->l2, l2_bytes, L2_WAYS)) {
        caches_close(c);
        return NULL;
    }
    return c;
}

void caches_close(struct caches *c)
{
    if (c != NULL) {
        lru_close(&c->l2);
        recording_free(&c->recording);
        pthread_mutex_destroy(&c->lock);
        free(c->seen);
        free((void *)c->atomics);
        free(c->pcs);
        free(c->replayed);
        free(c->progress);
        free(c);
    }
}

bool caches_begin(struct caches *c, const struct launch_event *launch, unsigned resident,
                  uint64_t l1_bytes)
{
    const unsigned pcs = launch->kernel->code_count;
    if (pcs > c->pc_room) {
        free(c->pcs);
        free(c->replayed);
        c->pcs = malloc(pcs * sizeof *c->pcs);
        c->replayed = malloc(2 * pcs * sizeof *c->replayed);
        c->pc_room = c->pcs != NULL && c->replayed != NULL ? pcs : 0;
    }
    c->pc_count = c->pc_room >= pcs ? pcs : 0;
    if (c->pc_count > 0) {
        memset((void *)c->pcs, 0, pcs * sizeof *c->pcs);
        memset(c->replayed, 0, 2 * pcs * sizeof *c->replayed);
    }
    if (launch->workers > c->worker_room) {
        free(c->progress);
        c->progress = malloc(launch->workers * sizeof *c->progress);
        c->worker_room = c->progress != NULL ? launch->workers : 0;
    }
    if (c->progress == NULL) {
        return false;
    }
    memset(c->progress, 0, c->worker_room * sizeof *c->progress);
    lru_clear(&c->l2);
    memset(c->seen, 0, SEEN_SLOTS * sizeof *c->seen);
    memset((void *)c->atomics, 0, ATOMIC_SLOTS * sizeof *c->atomics);
    c->fetches = c->first_fetches = c->dirty_sectors = c->partial_sectors = 0;
    c->resident = resident;
    c->l1_bytes = l1_bytes;
    return recording_begin(&c->recording, launch->launch, c->limits->sm_count, resident) &&
           c->pc_count == pcs;
}

/* --- L2 --------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t v) { return v * 0x9e3779b97f4a7c15u; }

/* Memory moves 64 bytes at least: two sectors come together. */
static void fetch(struct caches *c, struct lru_line *l, unsigned half)
{
    const uint64_t key = l->line * 2 + half + 1;
    unsigned slot = (unsigned)(mix(key) >> 40) % SEEN_SLOTS;
    for (unsigned tries = 0; tries < 64 && c->seen[slot] != 0 && c->seen[slot] != key; tries++) {
        slot = (slot + 1) % SEEN_SLOTS;
    }
    c->first_fetches += c->seen[slot] != key;
    c->seen[slot] = key;
    c->fetches++;
    l->valid |= (uint8_t)(3u << 2 * half);
}

static void write_back(struct caches *c, const struct lru_line *l)
{
    c->dirty_sectors += l->used != 0 ? (unsigned)__builtin_popcount(l->dirty) : 0;
    for (unsigned s = 0; l->used != 0 && s < 4; s++) {
        bool whole = l->valid >> s & 1u || l->bytes[s] == 0xffffffffu;
        c->partial_sectors += l->dirty >> s & 1u && !whole;
    }
}

/* Which bytes of a line the lanes write, by sector. */
static void written_bytes(const struct access_event *a, uint64_t line, uint32_t bytes[4])
{
    memset(bytes, 0, 4 * sizeof *bytes);
    for (lane_mask left = a->lanes; left != 0; left &= left - 1) {
        const uint64_t at = a->address[first_lane(left)];
        if (at / 128 == line) {
            const uint32_t ones = (uint32_t)((1ull << a->bytes) - 1);
            bytes[at % 128 / SECTOR_BYTES] |= ones << at % SECTOR_BYTES;
        }
    }
}

static void look_up_l2(struct caches *c, const struct access_event *a, uint64_t line, unsigned mask,
                       struct lru_asker *who)
{
    struct lru_line *l = lru_find(&c->l2, line), evicted;
    if (l == NULL) {
        l = lru_insert(&c->l2, line, &evicted);
        write_back(c, &evicted);
    }
    if (a->kind == ACCESS_STORE) {
        uint32_t bytes[4];
        written_bytes(a, line, bytes);
        for (unsigned s = 0; s < 4; s++) {
            l->bytes[s] |= bytes[s];
        }
        l->dirty |= (uint8_t)mask;
        return;
    }
    const uint64_t before = c->fetches;
    struct pc_count *p = &c->pcs[a->pc];
    const bool under_way = l->valid != 0 && lru_is_under_way(l, who);
    for (unsigned s = 0; s < 4; s++) {
        bool there = l->valid >> s & 1u || l->bytes[s] == 0xffffffffu;
        if (mask >> s & 1u && !there) {
            fetch(c, l, s / 2);
        }
    }
    if (a->kind == ACCESS_ATOMIC || a->kind == ACCESS_REDUCTION) {
        l->dirty |= (uint8_t)mask;
    }
    p->l2_lookups++;
    if (c->fetches > before) {
        lru_fetched(l, who);
        p->l2_misses++;
        p->l2_waits++;
    } else {
        p->l2_waits += under_way;
    }
}

/* --- all accesses ----------------------------------------------------------------------------- */

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
        atomic_fetch_add_explicit(&c->atomics[mix(lines[i] / 4) >> 48], turns,
                                  memory_order_relaxed);
    }
}

/* Blocks of a wave start one shortly after the other. */
static struct lru_asker *asker_of(struct caches *c, const struct warp *w)
{
    const unsigned at = w->number % BLOCK_WARPS;
    struct progress *p = &c->progress[w->block->worker];
    if (p->block != w->block->number + 1) {
        memset(p, 0, sizeof *p);
        p->block = w->block->number + 1;
    }
    p->warps[at].together =
        (uint32_t)(w->block->number / ((uint64_t)c->limits->sm_count * c->resident));
    p->warps[at].warp = (uint32_t)(w->block->number * BLOCK_WARPS + at);
    return &p->warps[at];
}

void caches_access(struct caches *c, const struct warp *w, const struct access_event *a,
                   const uint64_t *lines, const uint8_t *masks, unsigned count)
{
    struct pc_count *p = &c->pcs[a->pc];
    const bool atomic = a->kind == ACCESS_ATOMIC || a->kind == ACCESS_REDUCTION;
    struct lru_asker *who = asker_of(c, w);
    atomic_fetch_add_explicit(&p->requests, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&p->lines, count, memory_order_relaxed);
    if (atomic) {
        count_atomics(c, a, lines, masks, count);
    }
    if (recording_wants(&c->recording, w->block->number)) {
        recording_add(&c->recording, w, a, lines, masks, count);
    }
    for (unsigned i = 0; i < count; i++) {
        if (mix(lines[i] ^ lines[i] >> 20) >> 32 & (L2_SAMPLE - 1)) {
            continue;
        }
        pthread_mutex_lock(&c->lock);
        look_up_l2(c, a, lines[i], masks[i], who);
        pthread_mutex_unlock(&c->lock);
    }
    who->order++;
}

void caches_end(struct caches *c, struct cache_result *r)
{
    *r = (struct cache_result){.dram_read_ratio = 1};
    if (c->pc_count > 0) {
        recording_replay(&c->recording, c->resident, c->l1_bytes, c->replayed,
                         c->replayed + c->pc_count);
    }
    for (unsigned pc = 0; pc < c->pc_count; pc++) {
        r->l1_load_sectors += (double)c->replayed[pc].sectors;
        r->l1_load_hits += (double)c->replayed[pc].hits;
    }
    if (c->first_fetches > 0) {
        r->dram_read_ratio = (double)c->fetches / (double)c->first_fetches;
    }
    r->dram_write_bytes = (double)c->dirty_sectors * SECTOR_BYTES * L2_SAMPLE;
    r->partial_bytes = (double)c->partial_sectors * SECTOR_BYTES * L2_SAMPLE;
    for (unsigned i = 0; i < ATOMIC_SLOTS; i++) {
        r->hottest_turns = fmax(r->hottest_turns, c->atomics[i] / 16.0);
    }
}

struct pc_hits caches_hits(const struct caches *c, uint32_t pc)
{
    struct pc_hits h = {NAN, NAN, NAN, NAN, NAN};
    if (pc >= c->pc_count) {
        return h;
    }
    const struct pc_count *p = &c->pcs[pc];
    const struct replay_pc *r = &c->replayed[pc];
    if (p->requests > 0) {
        h.lines = (double)p->lines / (double)p->requests;
    }
    if (p->l2_lookups > 0) {
        h.l2_miss = (double)p->l2_misses / (double)p->l2_lookups;
        h.l2_wait = (double)p->l2_waits / (double)p->l2_lookups;
    }
    if (r->requests > 0) {
        h.l1_miss = (double)r->missed / (double)r->requests;
        h.l1_wait = (double)r->waited / (double)r->requests;
    }
    return h;
}
