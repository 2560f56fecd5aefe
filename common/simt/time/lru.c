/* lru.c - see lru.h. */
#include "time/lru.h"
#include "base/room.h"

#include "base/base.h"

#include <stdlib.h>

enum { LINE_BYTES = 128 };

void lru_open(struct lru *c, uint64_t bytes, unsigned ways)
{
    const uint64_t lines = bytes / LINE_BYTES;
    c->ways = ways;
    c->sets = (unsigned)(lines / ways > 0 ? lines / ways : 1);
    c->begun = c->now = 0;
    c->lines = room_new((size_t)c->sets * ways, sizeof *c->lines);
}

void lru_close(struct lru *c)
{
    free(c->lines);
    c->lines = NULL;
}

/* Its lines are too old from now on: to write to all of them took a fifth of a small launch. */
void lru_clear(struct lru *c) { c->begun = c->now; }

bool lru_is_empty(const struct lru *c) { return c->begun == c->now; }

/* Neighbouring lines go to different sets, and so do lines a power of two apart. */
static struct lru_line *set_of(const struct lru *c, uint64_t line)
{
    const uint64_t mixed = line * HASH_MULTIPLIER >> 24;
    return c->lines + (size_t)(mixed % c->sets) * c->ways;
}

struct lru_line *lru_find(struct lru *c, uint64_t line)
{
    struct lru_line *set = set_of(c, line);
    for (unsigned i = 0; i < c->ways; i++) {
        if (set[i].used > c->begun && set[i].line == line) {
            set[i].used = ++c->now;
            return &set[i];
        }
    }
    return NULL;
}

struct lru_line *lru_insert(struct lru *c, uint64_t line, struct lru_line *evicted)
{
    struct lru_line *set = set_of(c, line), *oldest = set;
    for (unsigned i = 1; i < c->ways; i++) {
        oldest = set[i].used < oldest->used ? &set[i] : oldest;
    }
    *evicted = oldest->used > c->begun ? *oldest : (struct lru_line){0};
    *oldest = (struct lru_line){.line = line, .used = ++c->now};
    return oldest;
}

static void remember(struct lru_asker *who, uint64_t line)
{
    who->recent[who->next++ % ARRAY_LENGTH(who->recent)] = line + 1;
}

static bool knows(const struct lru_asker *who, uint64_t line)
{
    for (unsigned i = 0; i < ARRAY_LENGTH(who->recent); i++) {
        if (who->recent[i] == line + 1) {
            return true;
        }
    }
    return false;
}

void lru_fetched(struct lru_line *l, const struct lru_asker *who)
{
    l->together = who->together;
    l->warp = who->warp;
    l->order = who->order;
}

bool lru_is_under_way(const struct lru_line *l, struct lru_asker *who)
{
    if (l->together != who->together || l->warp == who->warp || knows(who, l->line)) {
        return false;
    }
    remember(who, l->line);
    const uint32_t apart = who->order > l->order ? who->order - l->order : l->order - who->order;
    return apart < LRU_APART;
}
