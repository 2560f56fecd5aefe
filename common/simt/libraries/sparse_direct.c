/* sparse_direct.c - solutions of sparse systems by elimination of rows. */
#include "libraries/sparse_direct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"

/* Columns first ... end - 1 of a row, and its right side. */
struct row {
    int64_t first, end, room;
    double *value;
    double side;
    int64_t next; /* another row that begins in the same column; -1: none */
};

struct system {
    int64_t n;
    struct row *rows;
    int64_t *beginning; /* rows by their first column: the newest one */
    int64_t *pivot;     /* the row that is left for a column; -1: none */
};

/* ---- rows ------------------------------------------------------------------------------------ */

static double *element(const struct row *r, int64_t column) { return &r->value[column - r->first]; }

/* What a row has ends at `end` at least; the new elements are 0. */
static void reach(struct row *r, int64_t end)
{
    if (end <= r->end) {
        return;
    }
    if (end - r->first > r->room) {
        r->room = end - r->first + (end - r->first) / 2;
        r->value = room_resized(r->value, (size_t)r->room, sizeof *r->value);
    }
    for (int64_t c = r->end; c < end; c++) {
        *element(r, c) = 0;
    }
    r->end = end;
}

/* The row without the zeros that it begins with. */
static void begin_anew(struct row *r)
{
    int64_t zeros = 0;
    while (r->first + zeros < r->end && r->value[zeros] == 0) {
        zeros++;
    }
    memmove(r->value, r->value + zeros, (size_t)(r->end - r->first - zeros) * sizeof *r->value);
    r->first += zeros;
}

/* Row i waits for the step of its first column. One of zeros alone has none. */
static void wait_for_step(struct system *s, int64_t i)
{
    struct row *r = &s->rows[i];
    begin_anew(r);
    if (r->first < r->end) {
        r->next = s->beginning[r->first];
        s->beginning[r->first] = i;
    }
}

static void read_row(const struct sparse_rows *a, const int64_t *place, int64_t from, struct row *r)
{
    int64_t first = a->n, end = 0;
    for (int64_t at = a->begin[from]; at < a->begin[from + 1]; at++) {
        const int64_t c = place[a->column[at]];
        first = c < first ? c : first;
        end = c >= end ? c + 1 : end;
    }
    if (end == 0) {
        first = 0;
    }
    *r = (struct row){.first = first, .end = end, .room = end - first};
    r->value = room_new((size_t)(end - first) + 1, sizeof *r->value);
    for (int64_t at = a->begin[from]; at < a->begin[from + 1]; at++) {
        *element(r, place[a->column[at]]) += a->value[at];
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* lower - factor * upper, from column k on, where lower becomes 0. */
static void subtract(const struct row *upper, struct row *lower, int64_t k)
{
    const double factor = *element(lower, k) / *element(upper, k);
    reach(lower, upper->end);
    for (int64_t c = k; c < upper->end; c++) {
        *element(lower, c) -= factor * *element(upper, c);
    }
    lower->side -= factor * upper->side;
    *element(lower, k) = 0;
}

/* Both are turned so that lower's column k becomes 0. */
static void rotate(struct row *upper, struct row *lower, int64_t k)
{
    const double length = hypot(*element(upper, k), *element(lower, k));
    const double cosine = *element(upper, k) / length, sine = *element(lower, k) / length;
    reach(upper, lower->end);
    reach(lower, upper->end);
    for (int64_t c = k; c < upper->end; c++) {
        const double u = *element(upper, c), l = *element(lower, c);
        *element(upper, c) = cosine * u + sine * l;
        *element(lower, c) = cosine * l - sine * u;
    }
    const double side = upper->side;
    upper->side = cosine * side + sine * lower->side;
    lower->side = cosine * lower->side - sine * side;
    *element(lower, k) = 0;
}

/* Of the rows that begin in column k the one whose element there is the largest; of Cholesky's row
 * k, if it is one of them. */
static int64_t pivot_of(const struct system *s, int64_t k, enum sparse_method method)
{
    int64_t best = -1;
    for (int64_t i = s->beginning[k]; i >= 0; i = s->rows[i].next) {
        if (method == SPARSE_CHOLESKY) {
            best = i == k ? i : best;
        } else if (best < 0 || fabs(s->rows[i].value[0]) > fabs(s->rows[best].value[0])) {
            best = i;
        }
    }
    return best;
}

/* Is there a pivot for column k? Without one the rows that begin there go on behind it. */
static bool step(struct system *s, int64_t k, enum sparse_method method, double tolerance)
{
    const int64_t pivot = pivot_of(s, k, method);
    int64_t next = -1;
    s->pivot[k] = pivot;
    for (int64_t i = s->beginning[k]; i >= 0; i = next) {
        next = s->rows[i].next;
        if (i == pivot) {
            continue;
        }
        if (pivot < 0) {
            s->rows[i].value[0] = 0;
        } else if (method == SPARSE_QR) {
            rotate(&s->rows[pivot], &s->rows[i], k);
        } else {
            subtract(&s->rows[pivot], &s->rows[i], k);
        }
        wait_for_step(s, i);
    }
    if (pivot < 0) {
        return false;
    }
    const double diagonal = s->rows[pivot].value[0];
    return (method == SPARSE_CHOLESKY ? diagonal : fabs(diagonal)) > tolerance;
}

/* y, from the last one on; 0 where a column has no pivot. */
static void substitute(const struct system *s, double *y)
{
    for (int64_t k = s->n - 1; k >= 0; k--) {
        const struct row *r = s->pivot[k] >= 0 ? &s->rows[s->pivot[k]] : NULL;
        y[k] = r != NULL ? r->side : 0;
        for (int64_t c = k + 1; r != NULL && c < r->end; c++) {
            y[k] -= *element(r, c) * y[c];
        }
        if (r != NULL) {
            y[k] /= *element(r, k);
        }
    }
}

static void take_rows(struct system *s, const struct sparse_rows *a, const int64_t *order,
                      const double *b)
{
    const size_t n = (size_t)a->n;
    int64_t *place = room_raw(n + 1, sizeof *place);
    for (int64_t i = 0; i < a->n; i++) {
        place[order != NULL ? order[i] : i] = i;
    }
    for (int64_t i = 0; i < a->n; i++) {
        const int64_t from = order != NULL ? order[i] : i;
        read_row(a, place, from, &s->rows[i]);
        s->rows[i].side = b[from];
        wait_for_step(s, i);
    }
    free(place);
}

int64_t sparse_solve(const struct sparse_rows *a, const int64_t *order, enum sparse_method method,
                     double tolerance, const double *b, double *x)
{
    const size_t n = (size_t)a->n;
    struct system s = {.n = a->n,
                       .rows = room_new(n + 1, sizeof *s.rows),
                       .beginning = room_raw(n + 1, sizeof *s.beginning),
                       .pivot = room_raw(n + 1, sizeof *s.pivot)};
    double *y = room_raw(n + 1, sizeof *y);
    int64_t singular = -1;
    memset(s.beginning, 0xff, n * sizeof *s.beginning);
    take_rows(&s, a, order, b);
    for (int64_t k = 0; k < a->n; k++) {
        if (!step(&s, k, method, tolerance) && singular < 0) {
            singular = k;
        }
    }
    substitute(&s, y);
    for (int64_t i = 0; i < a->n; i++) {
        x[order != NULL ? order[i] : i] = y[i];
        free(s.rows[i].value);
    }
    free(y);
    free(s.rows);
    free(s.beginning);
    free(s.pivot);
    return singular;
}
