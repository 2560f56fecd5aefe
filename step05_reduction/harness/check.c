/* check.c - the verdict on one rung (see check.h). */
#include "step05_reduction/harness/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST_BLOCK = 1024, EDGES = 9 };

/* An unwritten result is the poison, a NaN whose sign nobody wants to read. */
static double plain(double value) { return isnan(value) ? NAN : value; }

static bool judge(const struct session *s, const struct rung *rung, const char *what,
                  const struct outcome *o)
{
    if (o->right)
        return true;
    fprintf(stderr,
            "%s: %s of %u %s elements in blocks of %u, %s: got %.17g, want %.17g, "
            "allowed error %.3g\n",
            rung->name, op_names[s->op], s->r.n, type_names[s->type], s->r.block, what,
            plain(o->got), plain(o->want), o->bound);
    return false;
}

bool check_exact(struct session *s, const struct rung *rung, unsigned block,
                 struct launch_counters *tally)
{
    session_prepare(s, rung, block);
    s->r.tally = tally;
    struct outcome o = session_run(s, rung, true);
    s->r.tally = NULL;
    if (!judge(s, rung, "first run", &o))
        return false;
    o = session_run(s, rung, true);
    return judge(s, rung, "second run", &o);
}

static void edge_sizes(unsigned block, unsigned sizes[EDGES])
{
    const unsigned all[EDGES] = {
        1, 2, 33, block - 1, block, block + 1, 2 * block + 1, 4 * block - 1, 17 * block + 5};
    for (int i = 0; i < EDGES; i++)
        sizes[i] = all[i] > 0 ? all[i] : 1;
}

unsigned check_room(unsigned block)
{
    unsigned sizes[EDGES];
    edge_sizes(block > LARGEST_BLOCK ? block : LARGEST_BLOCK, sizes);
    return sizes[EDGES - 1];
}

static bool check_edges_of(struct session *s, const struct rung *rung, unsigned block)
{
    unsigned sizes[EDGES];
    session_prepare(s, rung, block);
    edge_sizes(s->r.block, sizes);
    for (int i = 0; i < EDGES; i++) {
        const unsigned n = sizes[i];
        session_fill(s, INPUT_EXACT, n, i % 2 ? 0 : n - 1);
        const struct outcome o = session_run(s, rung, true);
        if (!judge(s, rung, "an edge", &o))
            return false;
    }
    return true;
}

bool check_edges(struct session *s, const struct rung *rung, unsigned block)
{
    const unsigned used = block ? block : rung->block;
    return check_edges_of(s, rung, block) &&
           (used == LARGEST_BLOCK || rung->foreign || check_edges_of(s, rung, LARGEST_BLOCK));
}

/* ------------------------------------------------------------------ NaN and infinity */

static void put(enum reduction_type type, void *elements, unsigned index, double value)
{
    if (type == TYPE_FLOAT)
        ((float *)elements)[index] = (float)value;
    else
        ((double *)elements)[index] = value;
}

/* Pattern 0 to 7 into n elements; returns its name. */
static const char *special(enum reduction_type type, void *elements, unsigned n, int pattern)
{
    struct input in = input_start(type, INPUT_REAL, (uint64_t)pattern + 1);
    input_next(&in, elements, n);
    switch (pattern) {
    case 0:
        put(type, elements, 0, NAN);
        return "a NaN at the start";
    case 1:
        put(type, elements, n / 2, NAN);
        return "a NaN in the middle";
    case 2:
        put(type, elements, n - 1, NAN);
        return "a NaN at the end";
    case 3:
        put(type, elements, n / 3, INFINITY);
        return "an infinity";
    case 4:
        put(type, elements, n - 1, -INFINITY);
        return "a negative infinity";
    case 5:
        put(type, elements, 0, INFINITY);
        put(type, elements, n - 1, -INFINITY);
        return "both infinities";
    case 6:
        put(type, elements, 1, INFINITY);
        put(type, elements, n - 1, NAN);
        return "an infinity and a NaN";
    default:
        for (unsigned i = 0; i < n; i++)
            put(type, elements, i, i % 2 ? INFINITY : NAN);
        return "nothing but infinities and NaN";
    }
}

bool check_special(struct session *s, const struct rung *rung, unsigned block)
{
    if (s->type == TYPE_INT || rung->foreign)
        return true;
    session_prepare(s, rung, block);
    const unsigned n = 2 * s->r.block + 3;
    void *elements = malloc(n * type_bytes(s->type));
    if (!elements) {
        fprintf(stderr, "step05_reduction: out of memory\n");
        exit(2);
    }
    bool ok = true;
    for (int pattern = 0; ok && pattern < 8; pattern++) {
        const char *what = special(s->type, elements, n, pattern);
        session_copy(s, elements, n);
        const struct outcome o = session_run(s, rung, true);
        ok = judge(s, rung, what, &o);
    }
    free(elements);
    return ok;
}
