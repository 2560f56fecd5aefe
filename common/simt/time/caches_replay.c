/* caches_replay.c - see caches_replay.h. */
#include "time/caches_replay.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLED_SMS = 2,
    WAVES = 2,
    MOST_WORDS = 3 << 20, /* 24 MB of requests a launch */
    L1_WAYS = 32,
    MOST_WARPS = 64,
    SECTOR_BYTES = 32
};

/* A head: kind in bits 62..63, lines in 48..55, warp in 32..47, code index below. A store of whole
 * sectors leaves them in L1 (an H200: all loads of column_distance from what its threads have
 * stored hit), one of parts of them does not. */
enum head_kind { HEAD_LOAD, HEAD_STORE, HEAD_PART_STORE, HEAD_PAST_L1 };
static uint64_t head(enum head_kind kind, unsigned lines, unsigned warp, uint32_t pc)
{
    return (uint64_t)kind << 62 | (uint64_t)lines << 48 | (uint64_t)warp << 32 | pc;
}

static void free_traces(struct recording *r)
{
    for (unsigned i = 0; i < r->trace_room; i++) {
        free(r->traces[i].words);
    }
    free(r->traces);
    r->traces = NULL;
    r->trace_room = 0;
}

void recording_free(struct recording *r)
{
    free_traces(r);
    lru_close(&r->l1);
    free(r->slots);
}

void recording_begin(struct recording *r, const struct simt_launch *l, unsigned sm_count,
                     unsigned resident)
{
    const uint64_t blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    const uint64_t rounds = (blocks + sm_count - 1) / sm_count;
    const unsigned depth = WAVES * (resident > 0 ? resident : 1);
    const unsigned wanted = SAMPLED_SMS * depth;
    if (wanted > r->trace_room) {
        free_traces(r);
        r->traces = room_new(wanted, sizeof *r->traces);
        r->trace_room = wanted;
    }
    for (unsigned i = 0; i < r->trace_room; i++) {
        r->traces[i].count = 0;
    }
    r->sms = SAMPLED_SMS;
    r->depth = depth;
    r->sm_count = sm_count;
    r->blocks = blocks;
    r->first_round = rounds > depth ? (rounds - depth) / 2 : 0; /* from the middle of the grid */
    const uint64_t kept = SAMPLED_SMS * (rounds < depth ? rounds : depth);
    r->most_words = MOST_WORDS / (kept > 0 ? kept : 1);
}

/* SM 0 and the one half-way. */
static unsigned sampled_sm(const struct recording *r, unsigned which)
{
    return which * (r->sm_count / SAMPLED_SMS);
}

struct block_trace *recording_trace(const struct recording *r, uint64_t block)
{
    const uint64_t round = block / r->sm_count, sm = block % r->sm_count;
    for (unsigned i = 0; i < r->sms; i++) {
        if (sm == sampled_sm(r, i) && round >= r->first_round &&
            round - r->first_round < r->depth) {
            return &r->traces[i * r->depth + (round - r->first_round)];
        }
    }
    return NULL;
}

static bool passes_l1(const struct access_event *a)
{
    static const enum ptx_word past[] = {WORD_CG, WORD_CV, WORD_VOLATILE, WORD_RELAXED,
                                         WORD_ACQUIRE};
    for (unsigned i = 0; i < ARRAY_LENGTH(past); i++) {
        if (ptx_has_modifier(a->origin, past[i])) {
            return true;
        }
    }
    return a->kind == ACCESS_ATOMIC || a->kind == ACCESS_REDUCTION;
}

static enum head_kind kind_of(const struct access_event *a)
{
    if (a->kind == ACCESS_STORE) {
        const unsigned bytes = lanes_in(a->lanes) * a->bytes;
        return bytes == a->cost.b * SECTOR_BYTES ? HEAD_STORE : HEAD_PART_STORE;
    }
    return passes_l1(a) ? HEAD_PAST_L1 : HEAD_LOAD;
}

void recording_add(const struct recording *r, struct block_trace *t, const struct warp *w,
                   const struct access_event *a, const uint64_t *lines, const uint8_t *masks,
                   unsigned count)
{
    if (t->count + count + 1 > r->most_words) {
        return;
    }
    if (t->count + count + 1 > t->room) {
        t->room = t->room > 0 ? 2 * t->room + count + 1 : 1024;
        t->words = room_resized(t->words, t->room, sizeof *t->words);
    }
    t->words[t->count++] = head(kind_of(a), count, w->number, a->pc);
    for (unsigned i = 0; i < count; i++) {
        t->words[t->count++] = lines[i] << 4 | masks[i];
    }
}

/* --- replay ----------------------------------------------------------------------------------- */

struct cursor { /* of a warp in its block's trace */
    size_t at;
    struct lru_asker who;
};

struct running {
    const struct block_trace *trace; /* NULL: no block here */
    bool warms; /* what was before the sample, so that the L1 is not empty: it counts nothing */
    struct cursor warps[MOST_WARPS];
};

static unsigned lines_of(uint64_t h) { return (unsigned)(h >> 48 & 0xff); }
static unsigned warp_of(uint64_t h) { return (unsigned)(h >> 32 & 0xffff) % MOST_WARPS; }

static size_t next_of_warp(const struct block_trace *t, size_t at, unsigned warp)
{
    while (at < t->count && warp_of(t->words[at]) != warp) {
        at += 1 + lines_of(t->words[at]);
    }
    return at;
}

/* Written through, and kept. */
static void replay_store(struct lru *l1, const uint64_t *words)
{
    for (unsigned i = 1; i <= lines_of(words[0]); i++) {
        struct lru_line *l = lru_find(l1, words[i] >> 4), evicted;
        l = l != NULL ? l : lru_insert(l1, words[i] >> 4, &evicted);
        l->valid |= (uint8_t)(words[i] & 15u);
    }
}

static void replay_request(struct lru *l1, const uint64_t *words, struct lru_asker *who,
                           const bool *carried, struct replay_pc *pcs)
{
    const uint64_t h = words[0];
    const enum head_kind kind = (enum head_kind)(h >> 62);
    struct replay_pc *p = &pcs[(uint32_t)h];
    bool missed = false, waits = false;
    if (kind == HEAD_STORE) {
        replay_store(l1, words);
    }
    if (kind == HEAD_STORE || kind == HEAD_PART_STORE) {
        return;
    }
    who->order += carried[(uint32_t)h] ? LRU_APART : 1;
    for (unsigned i = 1; i <= lines_of(h); i++) {
        const unsigned mask = words[i] & 15u;
        struct lru_line *l = kind == HEAD_LOAD ? lru_find(l1, words[i] >> 4) : NULL, evicted;
        const unsigned had = l != NULL ? mask & l->valid : 0;
        p->sectors += (unsigned)__builtin_popcount(mask);
        p->hits += (unsigned)__builtin_popcount(had);
        missed |= had != mask;
        waits |= had != mask || lru_is_under_way(l, who);
        if (kind == HEAD_LOAD && had != mask) {
            l = l != NULL ? l : lru_insert(l1, words[i] >> 4, &evicted);
            l->valid |= (uint8_t)mask;
            lru_fetched(l, who);
        }
    }
    p->requests++;
    p->missed += missed;
    p->waited += waits;
}

/* Each warp at its first request, in one pass. */
static void find_first_requests(struct running *run)
{
    const struct block_trace *t = run->trace;
    for (unsigned w = 0; w < MOST_WARPS; w++) {
        run->warps[w].at = t->count;
    }
    for (size_t at = 0; at < t->count; at += 1 + lines_of(t->words[at])) {
        struct cursor *c = &run->warps[warp_of(t->words[at])];
        c->at = at < c->at ? at : c->at;
    }
}

static bool has_second_wave(const struct recording *r, unsigned sm, unsigned resident)
{
    for (unsigned i = resident; i < r->depth; i++) {
        if (r->traces[sm * r->depth + i].count > 0) {
            return true;
        }
    }
    return false;
}

static bool start(struct running *run, const struct recording *r, unsigned sm, unsigned resident,
                  unsigned *next)
{
    run->trace = NULL;
    while (*next < r->depth && run->trace == NULL) {
        const struct block_trace *t = &r->traces[sm * r->depth + (*next)++];
        run->trace = t->count > 0 ? t : NULL;
        run->warms = *next <= resident && r->first_round > 0 && has_second_wave(r, sm, resident);
    }
    /* All blocks of the first wave start together; later ones when there is room. */
    const uint32_t together = r->first_round == 0 && *next <= resident ? 1 : *next + 1;
    for (unsigned w = 0; run->trace != NULL && w < MOST_WARPS; w++) {
        run->warps[w].who =
            (struct lru_asker){.together = together, .warp = *next * MOST_WARPS + w};
    }
    if (run->trace != NULL) {
        find_first_requests(run);
    }
    return run->trace != NULL;
}

/* One request of each warp of the block; false: the block has none left. */
static bool turn(struct running *run, struct lru *l1, const bool *carried, struct replay_pc *pcs)
{
    bool any = false;
    for (unsigned w = 0; w < MOST_WARPS; w++) {
        const size_t at = run->warps[w].at;
        if (at < run->trace->count) {
            replay_request(l1, &run->trace->words[at], &run->warps[w].who, carried, pcs);
            run->warps[w].at =
                next_of_warp(run->trace, at + 1 + lines_of(run->trace->words[at]), w);
            any = true;
        }
    }
    return any;
}

/* What was made for an earlier launch serves again. */
static void prepare(struct recording *r, unsigned resident, uint64_t l1_bytes)
{
    if (resident > r->slot_room) {
        free(r->slots);
        r->slots = room_raw(resident, sizeof *r->slots);
        r->slot_room = resident;
    }
    if (r->l1.lines == NULL || r->l1_bytes != l1_bytes) {
        lru_close(&r->l1);
        lru_open(&r->l1, l1_bytes, L1_WAYS);
        r->l1_bytes = l1_bytes;
    }
}

void recording_replay(struct recording *r, unsigned resident, uint64_t l1_bytes,
                      const bool *carried, struct replay_pc *pcs, struct replay_pc *unseen)
{
    prepare(r, resident, l1_bytes);
    struct running *slots = r->slots;
    for (unsigned sm = 0; sm < r->sms; sm++) {
        unsigned next = 0, left = 0;
        lru_clear(&r->l1);
        for (unsigned i = 0; i < resident; i++) {
            left += start(&slots[i], r, sm, resident, &next);
        }
        while (left > 0) {
            for (unsigned i = 0; i < resident; i++) {
                if (slots[i].trace != NULL &&
                    !turn(&slots[i], &r->l1, carried, slots[i].warms ? unseen : pcs)) {
                    left -= !start(&slots[i], r, sm, resident, &next);
                }
            }
        }
    }
}
