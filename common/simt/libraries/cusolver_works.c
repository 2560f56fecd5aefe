/* cusolver_works.c - what cuSOLVER's functions do: copies in double, factors by dense.h, and back.
 */
#include "libraries/cusolver.h"

#include <stdlib.h>

#include "base/room.h"
#include "libraries/dense.h"
#include "libraries/element.h"

/* ---- matrices of the device ------------------------------------------------------------------ */

/* A copy in doubles; NULL, explained: it is not there. */
static double *take(struct simt_library *l, const struct cusolver_work *w,
                    const struct cusolver_array *a, enum simt_library_use use)
{
    const uint64_t size = element_size(w->type);
    const void *host = simt_library_box(l, a->role, a->pointer, (uint64_t)a->rows * size,
                                        (uint64_t)a->columns, (uint64_t)a->leading * size, use);
    if (host == NULL) {
        return NULL;
    }
    double *values = room_new((size_t)(a->rows * a->columns) + 1, sizeof *values);
    for (int64_t j = 0; j < a->columns && use & LIBRARY_READS; j++) {
        for (int64_t i = 0; i < a->rows; i++) {
            values[i + j * a->rows] = element_load(w->type, host, i + j * a->leading);
        }
    }
    return values;
}

/* Stores what take() gave, and frees it. `of` rows of values, if the array has fewer than they. */
static bool give(struct simt_library *l, const struct cusolver_work *w,
                 const struct cusolver_array *a, double *values, int64_t of)
{
    const uint64_t size = element_size(w->type);
    void *host =
        simt_library_box(l, a->role, a->pointer, (uint64_t)a->rows * size, (uint64_t)a->columns,
                         (uint64_t)a->leading * size, LIBRARY_WRITES);
    for (int64_t j = 0; host != NULL && j < a->columns; j++) {
        for (int64_t i = 0; i < a->rows; i++) {
            element_store(w->type, host, i + j * a->leading, values[i + j * of]);
        }
    }
    free(values);
    return host != NULL;
}

/* Pivots as the arithmetic has them; NULL, explained: they are not there. */
static int *take_pivots(struct simt_library *l, const struct cusolver_work *w, int64_t count,
                        enum simt_library_use use)
{
    const uint64_t size = w->wide_pivots ? sizeof(int64_t) : sizeof(int);
    const void *host =
        simt_library_line(l, "array of pivots", w->pivots, (uint64_t)count * size, use);
    int *pivots = host != NULL ? room_new((size_t)count + 1, sizeof *pivots) : NULL;
    for (int64_t i = 0; pivots != NULL && use & LIBRARY_READS && i < count; i++) {
        const int64_t value = w->wide_pivots ? ((const int64_t *)host)[i] : ((const int *)host)[i];
        pivots[i] = value >= 1 && value <= w->a.rows ? (int)value : 0;
    }
    return pivots;
}

static bool give_pivots(struct simt_library *l, const struct cusolver_work *w, int *pivots,
                        int64_t count)
{
    const uint64_t size = w->wide_pivots ? sizeof(int64_t) : sizeof(int);
    void *host =
        simt_library_line(l, "array of pivots", w->pivots, (uint64_t)count * size, LIBRARY_WRITES);
    for (int64_t i = 0; host != NULL && i < count; i++) {
        if (w->wide_pivots) {
            ((int64_t *)host)[i] = pivots[i];
        } else {
            ((int *)host)[i] = pivots[i];
        }
    }
    free(pivots);
    return host != NULL;
}

static bool tell_info(struct simt_library *l, const struct cusolver_work *w, int value)
{
    int *info = simt_library_line(l, "info", w->info, sizeof *info, LIBRARY_WRITES);
    if (info != NULL) {
        *info = value;
    }
    return info != NULL;
}

/* ---- the works ------------------------------------------------------------------------------- */

bool cusolver_getrf(struct simt_library *l, const void *state)
{
    const struct cusolver_work *w = state;
    const int64_t least = w->a.rows < w->a.columns ? w->a.rows : w->a.columns;
    int *pivots = w->pivots != NULL ? take_pivots(l, w, least, LIBRARY_WRITES) : NULL;
    double *a = pivots != NULL || w->pivots == NULL ? take(l, w, &w->a, LIBRARY_READS) : NULL;
    if (a == NULL) {
        free(pivots);
        return false;
    }
    const int info = dense_lu(a, w->a.rows, w->a.columns, pivots);
    const bool good = pivots == NULL || give_pivots(l, w, pivots, least);
    return give(l, w, &w->a, a, w->a.rows) && good && tell_info(l, w, info);
}

static bool are_rows(const struct cusolver_work *w, const int *pivots)
{
    for (int64_t i = 0; pivots != NULL && i < w->a.rows; i++) {
        if (pivots[i] == 0) {
            simt_library_say(w->name, "pivot %lld is no row of 1 to %lld", (long long)i,
                             (long long)w->a.rows);
            return false;
        }
    }
    return true;
}

bool cusolver_getrs(struct simt_library *l, const void *state)
{
    const struct cusolver_work *w = state;
    int *pivots = w->pivots != NULL ? take_pivots(l, w, w->a.rows, LIBRARY_READS) : NULL;
    if ((w->pivots != NULL && pivots == NULL) || !are_rows(w, pivots)) {
        free(pivots);
        return false;
    }
    double *a = take(l, w, &w->a, LIBRARY_READS);
    double *b = a != NULL ? take(l, w, &w->b, LIBRARY_READS) : NULL;
    if (b != NULL) {
        dense_lu_solve(a, w->a.rows, pivots, w->transposed, b, w->b.columns);
    }
    free(a);
    free(pivots);
    return b != NULL && give(l, w, &w->b, b, w->b.rows) && tell_info(l, w, 0);
}

bool cusolver_potrf(struct simt_library *l, const void *state)
{
    const struct cusolver_work *w = state;
    double *a = take(l, w, &w->a, LIBRARY_READS);
    if (a == NULL) {
        return false;
    }
    const int info = dense_cholesky(a, w->a.rows, w->lower);
    return give(l, w, &w->a, a, w->a.rows) && tell_info(l, w, info);
}

bool cusolver_potrs(struct simt_library *l, const void *state)
{
    const struct cusolver_work *w = state;
    double *a = take(l, w, &w->a, LIBRARY_READS);
    double *b = a != NULL ? take(l, w, &w->b, LIBRARY_READS) : NULL;
    if (b != NULL) {
        dense_cholesky_solve(a, w->a.rows, w->lower, b, w->b.columns);
    }
    free(a);
    return b != NULL && give(l, w, &w->b, b, w->b.rows) && tell_info(l, w, 0);
}

bool cusolver_geqrf(struct simt_library *l, const void *state)
{
    const struct cusolver_work *w = state; /* b: tau */
    double *a = take(l, w, &w->a, LIBRARY_READS);
    double *tau = a != NULL ? take(l, w, &w->b, LIBRARY_WRITES) : NULL;
    if (tau == NULL) {
        free(a);
        return false;
    }
    dense_qr(a, w->a.rows, w->a.columns, tau);
    const bool good = give(l, w, &w->b, tau, w->b.rows);
    return give(l, w, &w->a, a, w->a.rows) && good && tell_info(l, w, 0);
}

bool cusolver_orgqr(struct simt_library *l, const void *state)
{
    const struct cusolver_work *w = state; /* b: tau */
    double *a = take(l, w, &w->a, LIBRARY_READS);
    double *tau = a != NULL ? take(l, w, &w->b, LIBRARY_READS) : NULL;
    if (tau == NULL) {
        free(a);
        return false;
    }
    const int64_t m = w->a.rows, n = w->a.columns;
    double *q = room_new((size_t)(m * n) + 1, sizeof *q);
    for (int64_t i = 0; i < n; i++) {
        q[i + i * m] = 1;
    }
    dense_apply_q(a, m, w->k, tau, false, q, n);
    free(a);
    free(tau);
    return give(l, w, &w->a, q, m) && tell_info(l, w, 0);
}

/* The matrix turned, of m rows before. */
static double *turned(const double *c, int64_t m, int64_t n)
{
    double *t = room_new((size_t)(m * n) + 1, sizeof *t);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < m; i++) {
            t[j + i * n] = c[i + j * m];
        }
    }
    return t;
}

/* From the right, C Q is (Q' C')'. */
static double *times_q(const struct cusolver_work *w, const double *a, const double *tau, double *c)
{
    const int64_t m = w->c.rows, n = w->c.columns;
    if (w->left) {
        dense_apply_q(a, m, w->k, tau, w->transposed, c, n);
        return c;
    }
    double *t = turned(c, m, n);
    free(c);
    dense_apply_q(a, n, w->k, tau, !w->transposed, t, m);
    c = turned(t, n, m);
    free(t);
    return c;
}

bool cusolver_ormqr(struct simt_library *l, const void *state)
{
    const struct cusolver_work *w = state; /* b: tau */
    double *a = take(l, w, &w->a, LIBRARY_READS);
    double *tau = a != NULL ? take(l, w, &w->b, LIBRARY_READS) : NULL;
    double *c = tau != NULL ? take(l, w, &w->c, LIBRARY_READS) : NULL;
    c = c != NULL ? times_q(w, a, tau, c) : NULL;
    free(a);
    free(tau);
    return c != NULL && give(l, w, &w->c, c, w->c.rows) && tell_info(l, w, 0);
}

bool cusolver_syevd(struct simt_library *l, const void *state)
{
    const struct cusolver_work *w = state; /* b: the eigenvalues */
    const int64_t n = w->a.rows;
    double *a = take(l, w, &w->a, LIBRARY_READS);
    double *values = a != NULL ? take(l, w, &w->b, LIBRARY_WRITES) : NULL;
    if (values == NULL) {
        free(a);
        return false;
    }
    for (int64_t j = 0; j < n; j++) { /* the triangle that is stored is also the other one */
        for (int64_t i = j + 1; i < n; i++) {
            double *below = &a[i + j * n], *above = &a[j + i * n];
            *(w->lower ? above : below) = *(w->lower ? below : above);
        }
    }
    dense_eigen(a, n, values);
    bool good = give(l, w, &w->b, values, n);
    if (w->vectors) {
        good = give(l, w, &w->a, a, n) && good;
    } else {
        free(a);
    }
    return good && tell_info(l, w, 0);
}

/* Jobs: 'A' all columns, 'S' the first n of them, 'N' none, 'O' in the place of A. */
static bool give_part(struct simt_library *l, const struct cusolver_work *w, char job,
                      const struct cusolver_array *own, double *values, int64_t of)
{
    if (job == 'N') {
        free(values);
        return true;
    }
    struct cusolver_array in_a = w->a;
    in_a.rows = of;
    return give(l, w, job == 'O' ? &in_a : own, values, of);
}

bool cusolver_gesvd(struct simt_library *l, const void *state)
{
    const struct cusolver_work *w = state; /* b: the singular values */
    const int64_t m = w->a.rows, n = w->a.columns;
    double *a = take(l, w, &w->a, LIBRARY_READS);
    double *s = a != NULL ? take(l, w, &w->b, LIBRARY_WRITES) : NULL;
    if (s == NULL) {
        free(a);
        return false;
    }
    double *u = room_new((size_t)(m * m) + 1, sizeof *u);
    double *vt = room_new((size_t)(n * n) + 1, sizeof *vt);
    dense_svd(a, m, n, u, s, vt);
    free(a);
    bool good = give(l, w, &w->b, s, n);
    good = give_part(l, w, w->job_u, &w->u, u, m) && good;
    good = give_part(l, w, w->job_vt, &w->vt, vt, n) && good;
    return good && tell_info(l, w, 0);
}
