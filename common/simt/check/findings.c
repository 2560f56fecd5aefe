/* findings.c - see findings.h. */
#include "check/findings.h"
#include "base/hostile.h"
#include "base/room.h"

#include "base/arena.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = UNLESS_HOSTILE(1024, 2), MOST_PRINTED = 50 };

struct finding {
    const char *identity, *text;
    uint64_t count;
    const char *group; /* NULL: it stands for itself */
    unsigned rank;
    bool printed, outranked;
    struct finding_pair *pair; /* NULL: none was given */
    struct finding *next;
};

struct key {
    uint64_t a;
    uint32_t b, c;
    struct finding *finding;
    struct key *next; /* in its bucket */
};

struct findings {
    struct arena arena;
    struct finding *first, **last;
    struct key *keys[BUCKETS];
    struct key *recent;
    uint64_t total, printed;
    bool news; /* some were not printed yet */
};

struct findings *findings_open(void)
{
    struct findings *f = room_new(1, sizeof *f);
    f->last = &f->first;
    return f;
}

void findings_close(struct findings *f)
{
    if (f != NULL) {
        arena_free(&f->arena);
        free(f);
    }
}

static struct key **bucket_of(struct findings *f, uint64_t a, uint32_t b, uint32_t c)
{
    uint64_t hash = (a * 31 + b) * HASH_MULTIPLIER + c * 0xc2b2ae3d27d4eb4fu;
    return &f->keys[(hash >> 40) % BUCKETS];
}

bool findings_count(struct findings *f, uint64_t a, uint32_t b, uint32_t c)
{
    struct key *k = f->recent;
    if (k == NULL || k->a != a || k->b != b || k->c != c) {
        k = *bucket_of(f, a, b, c);
        while (k != NULL && (k->a != a || k->b != b || k->c != c)) {
            k = k->next;
        }
    }
    if (k != NULL) {
        k->finding->count++;
        f->recent = k;
    }
    return k != NULL;
}

static struct finding *find_or_make(struct findings *f, const char *identity, const char *text)
{
    for (struct finding *known = f->first; known != NULL; known = known->next) {
        if (strcmp(known->identity, identity) == 0) {
            return known;
        }
    }
    struct finding *made = arena_alloc(&f->arena, sizeof *made);
    made->identity = arena_strndup(&f->arena, identity, strlen(identity));
    made->text = arena_strndup(&f->arena, text, strlen(text));
    *f->last = made;
    f->last = &made->next;
    f->total++;
    f->news = true;
    return made;
}

static struct finding *add(struct findings *f, uint64_t a, uint32_t b, uint32_t c,
                           const char *identity, const char *text)
{
    struct key **bucket = bucket_of(f, a, b, c);
    struct key *k = arena_alloc(&f->arena, sizeof *k);
    *k = (struct key){a, b, c, find_or_make(f, identity, text), *bucket};
    *bucket = k;
    k->finding->count++;
    f->recent = k;
    return k->finding;
}

void findings_add(struct findings *f, uint64_t a, uint32_t b, uint32_t c, const char *identity,
                  const char *text)
{
    add(f, a, b, c, identity, text);
}

void findings_add_of_group(struct findings *f, uint64_t a, uint32_t b, uint32_t c,
                           const char *identity, const char *text, const char *group, unsigned rank)
{
    struct finding *x = add(f, a, b, c, identity, text);
    x->rank = rank;
    if (rank > 0 && x->group == NULL) {
        x->group = arena_strndup(&f->arena, group, strlen(group));
    }
}

/* Another finding of its group says more. */
static bool is_outranked(const struct findings *f, const struct finding *x)
{
    bool outranked = false;
    for (struct finding *y = x->group != NULL ? f->first : NULL; y != NULL && !outranked;
         y = y->next) {
        outranked = y->group != NULL && y->rank > x->rank && strcmp(y->group, x->group) == 0;
        y->count += outranked ? x->count : 0;
    }
    return outranked;
}

void findings_print(struct findings *f)
{
    if (!f->news) {
        return;
    }
    f->news = false;
    fflush(stdout);
    for (struct finding *x = f->first; x != NULL; x = x->next) {
        if (x->printed) {
            continue;
        }
        x->printed = true;
        x->outranked = is_outranked(f, x);
        if (x->outranked) {
            f->total--;
            continue;
        }
        if (++f->printed > MOST_PRINTED) {
            continue;
        }
        fprintf(stderr, "%s", x->text);
        if (x->count > 1) {
            fprintf(stderr, " [%" PRIu64 " times]", x->count);
        }
        fputc('\n', stderr);
        if (f->printed == MOST_PRINTED) {
            fprintf(stderr, "simt: further findings are only counted\n");
        }
    }
}

uint64_t findings_total(const struct findings *f) { return f->total; }

static void copy_side(struct findings *f, struct finding_side *side)
{
    side->file =
        side->file != NULL ? arena_strndup(&f->arena, side->file, strlen(side->file)) : NULL;
    side->deed = arena_strndup(&f->arena, side->deed, strlen(side->deed));
}

void findings_set_pair(struct findings *f, const struct finding_pair *pair)
{
    struct finding *last = f->recent->finding;
    if (last->pair == NULL) {
        last->pair = arena_alloc(&f->arena, sizeof *pair);
        *last->pair = *pair;
        last->pair->kernel = arena_strndup(&f->arena, pair->kernel, strlen(pair->kernel));
        copy_side(f, &last->pair->first);
        copy_side(f, &last->pair->second);
    }
}

void findings_visit(const struct findings *f, findings_visitor *visit, void *state)
{
    for (const struct finding *x = f->first; x != NULL; x = x->next) {
        if (!x->outranked) {
            visit(state, x->text, x->count, x->pair);
        }
    }
}
