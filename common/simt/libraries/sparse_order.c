/* sparse_order.c - orders of rows: Cuthill and McKee 1969, reversed (George 1971); least degree
 * (Tinney and Walker 1967) on the graph that elimination leaves. */
#include "libraries/sparse_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"

/* The neighbours of each row, without itself, each once, in ascending order. */
struct neighbours {
    int64_t count;
    size_t room;
    int64_t *of;
};

static void add(struct neighbours *v, int64_t other)
{
    ROOM_FOR_ONE(v->of, (size_t)v->count, v->room, 8);
    v->of[v->count++] = other;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void sort_once(struct neighbours *v)
{
    int64_t kept = 0;
    if (v->count > 0) {
        qsort(v->of, (size_t)v->count, sizeof *v->of, by_number);
    }
    for (int64_t i = 0; i < v->count; i++) {
        if (kept == 0 || v->of[i] != v->of[kept - 1]) {
            v->of[kept++] = v->of[i];
        }
    }
    v->count = kept;
}

static struct neighbours *graph_of(const struct sparse_rows *a)
{
    struct neighbours *g = room_new((size_t)a->n + 1, sizeof *g);
    for (int64_t i = 0; i < a->n; i++) {
        for (int64_t at = a->begin[i]; at < a->begin[i + 1]; at++) {
            if (a->column[at] != i) {
                add(&g[i], a->column[at]);
                add(&g[a->column[at]], i);
            }
        }
    }
    for (int64_t i = 0; i < a->n; i++) {
        sort_once(&g[i]);
    }
    return g;
}

static void free_graph(struct neighbours *g, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        free(g[i].of);
    }
    free(g);
}

/* ---- by levels ------------------------------------------------------------------------------- */

/* Behind order[*count] come all that can be reached from `from` and have no mark, level by level,
 * of one row's neighbours those of least degree first. Returns the last one. */
static int64_t walk(const struct neighbours *g, int64_t from, char *marked, int64_t *order,
                    int64_t *count)
{
    int64_t at = *count;
    order[(*count)++] = from;
    marked[from] = 1;
    for (; at < *count; at++) {
        const struct neighbours *v = &g[order[at]];
        const int64_t first = *count;
        for (int64_t i = 0; i < v->count; i++) {
            int64_t to = *count;
            if (marked[v->of[i]]) {
                continue;
            }
            marked[v->of[i]] = 1;
            for (; to > first && g[order[to - 1]].count > g[v->of[i]].count; to--) {
                order[to] = order[to - 1];
            }
            order[to] = v->of[i];
            ++*count;
        }
    }
    return order[*count - 1];
}

/* A walk from any row ends at one that lies far out, where the next one begins. */
static int64_t far_out(const struct neighbours *g, int64_t from, char *marked, int64_t *order,
                       int64_t count)
{
    for (int turn = 0; turn < 2; turn++) {
        int64_t end = count;
        from = walk(g, from, marked, order, &end);
        for (int64_t i = count; i < end; i++) {
            marked[order[i]] = 0;
        }
    }
    return from;
}

void sparse_order_band(const struct sparse_rows *a, int64_t *order)
{
    struct neighbours *g = graph_of(a);
    char *marked = room_new((size_t)a->n + 1, 1);
    int64_t count = 0;
    for (int64_t i = 0; i < a->n; i++) {
        if (!marked[i]) {
            walk(g, far_out(g, i, marked, order, count), marked, order, &count);
        }
    }
    for (int64_t i = 0; i < a->n / 2; i++) {
        const int64_t last = order[a->n - 1 - i];
        order[a->n - 1 - i] = order[i];
        order[i] = last;
    }
    free(marked);
    free_graph(g, a->n);
}

/* ---- by degree ------------------------------------------------------------------------------- */

/* Rows that are left, by their degree: doubly linked lists. */
struct degrees {
    int64_t *first, *next, *previous;
};

static void unlink_row(struct degrees *d, const struct neighbours *g, int64_t i)
{
    if (d->previous[i] >= 0) {
        d->next[d->previous[i]] = d->next[i];
    } else {
        d->first[g[i].count] = d->next[i];
    }
    if (d->next[i] >= 0) {
        d->previous[d->next[i]] = d->previous[i];
    }
}

static void link_row(struct degrees *d, const struct neighbours *g, int64_t i)
{
    d->next[i] = d->first[g[i].count];
    d->previous[i] = -1;
    if (d->next[i] >= 0) {
        d->previous[d->next[i]] = i;
    }
    d->first[g[i].count] = i;
}

/* to becomes the neighbours of both, without the rows i and j. */
static void unite(struct neighbours *to, const struct neighbours *with, int64_t i, int64_t j)
{
    struct neighbours sum = {0};
    int64_t at = 0, other = 0;
    while (at < to->count || other < with->count) {
        const bool mine = other >= with->count || (at < to->count && to->of[at] <= with->of[other]);
        const int64_t next = mine ? to->of[at++] : with->of[other++];
        if (next != i && next != j && (sum.count == 0 || sum.of[sum.count - 1] != next)) {
            add(&sum, next);
        }
    }
    free(to->of);
    *to = sum;
}

/* Row i goes; its neighbours become each other's. */
static void eliminate(struct degrees *d, struct neighbours *g, int64_t i)
{
    unlink_row(d, g, i);
    for (int64_t k = 0; k < g[i].count; k++) {
        const int64_t j = g[i].of[k];
        unlink_row(d, g, j);
        unite(&g[j], &g[i], i, j);
        link_row(d, g, j);
    }
}

void sparse_order_degree(const struct sparse_rows *a, int64_t *order)
{
    const size_t n = (size_t)a->n + 1;
    struct neighbours *g = graph_of(a);
    struct degrees d = {.first = room_raw(n, sizeof *d.first),
                        .next = room_raw(n, sizeof *d.next),
                        .previous = room_raw(n, sizeof *d.previous)};
    memset(d.first, 0xff, n * sizeof *d.first);
    for (int64_t i = a->n - 1; i >= 0; i--) {
        link_row(&d, g, i);
    }
    int64_t least = 0;
    for (int64_t count = 0; count < a->n; count++) {
        least = least > 0 ? least - 1 : 0; /* each elimination takes at most one neighbour away */
        while (d.first[least] < 0) {
            least++;
        }
        order[count] = d.first[least];
        eliminate(&d, g, order[count]);
    }
    free(d.first);
    free(d.next);
    free(d.previous);
    free_graph(g, a->n);
}
