/* caches_l2.c - see caches_l2.h. */
#include "time/caches_l2.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"

enum {
    L2_WAYS = 16,
    SEEN_SLOTS = 1 << 18, /* half-lines of the sample that were fetched before */
    SECTOR_BYTES = 32
};

void l2_open(struct l2_cache *c, uint64_t bytes)
{
    c->seen = room_new(SEEN_SLOTS, sizeof *c->seen);
    lru_open(&c->lines, bytes / L2_SAMPLE, L2_WAYS);
}

void l2_close(struct l2_cache *c)
{
    lru_close(&c->lines);
    free(c->seen);
    free(c->pcs);
}

void l2_begin(struct l2_cache *c, unsigned pcs)
{
    c->pcs = room_cleared(c->pcs, &c->pc_room, pcs, sizeof *c->pcs);
    if (!lru_is_empty(&c->lines)) {
        lru_clear(&c->lines);
        memset(c->seen, 0, SEEN_SLOTS * sizeof *c->seen);
    }
    c->fetches = c->first_fetches = c->dirty_sectors = c->partial_sectors = 0;
}

static uint64_t mix(uint64_t v) { return v * HASH_MULTIPLIER; }

uint32_t l2_sampled(const uint64_t *lines, unsigned count)
{
    uint32_t sampled = 0;
    for (unsigned i = 0; i < count; i++) {
        sampled |= (uint32_t)line_is_sampled(lines[i]) << i;
    }
    return sampled;
}

/* Memory moves 64 bytes at least: two sectors come together. */
static void fetch(struct l2_cache *c, struct lru_line *l, unsigned half)
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

static void write_back(struct l2_cache *c, const struct lru_line *l)
{
    c->dirty_sectors += l->used != 0 ? (unsigned)__builtin_popcount(l->dirty) : 0;
    for (unsigned s = 0; l->used != 0 && s < 4; s++) {
        bool whole = l->valid >> s & 1u || l->bytes[s] == 0xffffffffu;
        c->partial_sectors += l->dirty >> s & 1u && !whole;
    }
}

void l2_look_up(struct l2_cache *c, const struct l2_request *r, struct lru_asker *who)
{
    struct lru_line *l = lru_find(&c->lines, r->line), evicted;
    if (l == NULL) {
        l = lru_insert(&c->lines, r->line, &evicted);
        write_back(c, &evicted);
    }
    if (r->kind == ACCESS_STORE) {
        for (unsigned s = 0; s < 4; s++) {
            l->bytes[s] |= r->written[s];
        }
        l->dirty |= r->mask;
        return;
    }
    const uint64_t before = c->fetches;
    struct l2_pc *p = &c->pcs[r->pc];
    who->order = r->order;
    const bool under_way = l->valid != 0 && lru_is_under_way(l, who);
    for (unsigned s = 0; s < 4; s++) {
        bool there = l->valid >> s & 1u || l->bytes[s] == 0xffffffffu;
        if (r->mask >> s & 1u && !there) {
            fetch(c, l, s / 2);
        }
    }
    if (r->kind == ACCESS_ATOMIC || r->kind == ACCESS_REDUCTION) {
        l->dirty |= r->mask;
    }
    p->lookups++;
    if (c->fetches > before) {
        lru_fetched(l, who);
        p->misses++;
        p->waits++;
    } else {
        p->waits += under_way;
    }
}
