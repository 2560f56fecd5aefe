/* dense_spectrum.c - eigenvalues and singular values, by Jacobi's rotations: see dense.h. */
#include "libraries/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"

enum { MOST_SWEEPS = 60 };

/* The rotation that makes the product of two columns, or the element between two diagonal ones, 0:
 * of [aa ab; ab bb]. */
struct rotation {
    double c, s;
};

static struct rotation rotation_of(double aa, double bb, double ab)
{
    const double zeta = (bb - aa) / (2 * ab);
    const double t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double c = 1 / sqrt(1 + t * t);
    return (struct rotation){c, c * t};
}

static void rotate(double *x, double *y, int64_t n, int64_t step, struct rotation r)
{
    for (int64_t i = 0; i < n; i++) {
        const double a = x[i * step], b = y[i * step];
        x[i * step] = r.c * a - r.s * b;
        y[i * step] = r.s * a + r.c * b;
    }
}

static double *identity(int64_t n)
{
    double *v = room_new((size_t)(n * n) + 1, sizeof *v);
    for (int64_t i = 0; i < n; i++) {
        v[i + i * n] = 1;
    }
    return v;
}

/* ---- order ----------------------------------------------------------------------------------- */

struct ranked {
    double value;
    int64_t at;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value)
                                : (x->at > y->at) - (x->at < y->at);
}

static struct ranked *rank(const double *values, int64_t n)
{
    struct ranked *order = room_new((size_t)n + 1, sizeof *order);
    for (int64_t i = 0; i < n; i++) {
        order[i] = (struct ranked){values[i], i};
    }
    qsort(order, (size_t)n, sizeof *order, by_value);
    return order;
}

/* ---- eigenvalues ----------------------------------------------------------------------------- */

/* least: an element of this size changes no eigenvalue. */
static bool sweep(double *a, double *v, int64_t n, double least)
{
    bool rotated = false;
    for (int64_t p = 0; p < n; p++) {
        for (int64_t q = p + 1; q < n; q++) {
            const double between = a[p + q * n];
            if (fabs(between) <= least) {
                continue;
            }
            const struct rotation r = rotation_of(a[p + p * n], a[q + q * n], between);
            rotate(a + p * n, a + q * n, n, 1, r); /* columns, then rows */
            rotate(a + p, a + q, n, n, r);
            rotate(v + p * n, v + q * n, n, 1, r);
            a[p + q * n] = a[q + p * n] = 0;
            rotated = true;
        }
    }
    return rotated;
}

void dense_eigen(double *a, int64_t n, double *values)
{
    double *v = identity(n), largest = 0;
    for (int64_t i = 0; i < n * n; i++) {
        largest = fmax(largest, fabs(a[i]));
    }
    const double least = largest * DBL_EPSILON / (double)(n + 1);
    for (int i = 0; i < MOST_SWEEPS && sweep(a, v, n, least); i++) {
    }
    for (int64_t i = 0; i < n; i++) {
        values[i] = a[i + i * n];
    }
    struct ranked *order = rank(values, n);
    for (int64_t i = 0; i < n; i++) {
        values[i] = order[i].value;
        memcpy(a + i * n, v + order[i].at * n, (size_t)n * sizeof *a);
    }
    free(order);
    free(v);
}

/* ---- singular values ------------------------------------------------------------------------- */

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

static bool make_orthogonal(double *w, int64_t m, double *v, int64_t n)
{
    bool rotated = false;
    for (int64_t p = 0; p < n; p++) {
        for (int64_t q = p + 1; q < n; q++) {
            double *x = w + p * m, *y = w + q * m;
            const double xx = dot(x, x, m), yy = dot(y, y, m), xy = dot(x, y, m);
            if (fabs(xy) <= DBL_EPSILON * sqrt(xx * yy)) {
                continue;
            }
            const struct rotation r = rotation_of(xx, yy, xy);
            rotate(x, y, m, 1, r);
            rotate(v + p * n, v + q * n, n, 1, r);
            rotated = true;
        }
    }
    return rotated;
}

/* What is left of x behind the first `count` columns of u, twice for rounding; its length. */
static double remove_columns(const double *u, int64_t m, int64_t count, double *x)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t j = 0; j < count; j++) {
            const double along = dot(u + j * m, x, m);
            for (int64_t i = 0; i < m; i++) {
                x[i] -= along * u[i + j * m];
            }
        }
    }
    return sqrt(dot(x, x, m));
}

/* Column `count` becomes orthogonal to those before it: one of the unit vectors always has at least
 * a part of 1 / sqrt(m) outside of them. */
static void complete_column(double *u, int64_t m, int64_t count)
{
    double *x = u + count * m, length = 0;
    for (int64_t i = 0; i < m && length * length * 2 * (double)m < 1; i++) {
        memset(x, 0, (size_t)m * sizeof *x);
        x[i] = 1;
        length = remove_columns(u, m, count, x);
    }
    for (int64_t i = 0; i < m; i++) {
        x[i] /= length;
    }
}

void dense_svd(const double *a, int64_t m, int64_t n, double *u, double *s, double *vt)
{
    double *w = room_copy(a, (size_t)(m * n), sizeof *w), *v = identity(n);
    double *lengths = room_new((size_t)n + 1, sizeof *lengths);
    for (int i = 0; i < MOST_SWEEPS && make_orthogonal(w, m, v, n); i++) {
    }
    for (int64_t j = 0; j < n; j++) {
        lengths[j] = sqrt(dot(w + j * m, w + j * m, m));
    }
    struct ranked *order = rank(lengths, n);
    const double least = n > 0 ? order[n - 1].value * DBL_EPSILON * (double)m : 0;
    for (int64_t j = 0; j < n; j++) {
        const struct ranked *r = &order[n - 1 - j];
        s[j] = r->value;
        for (int64_t i = 0; i < n; i++) {
            vt[j + i * n] = v[i + r->at * n];
        }
        for (int64_t i = 0; i < m && s[j] > least; i++) {
            u[i + j * m] = w[i + r->at * m] / s[j];
        }
        if (!(s[j] > least)) {
            complete_column(u, m, j);
        }
    }
    for (int64_t j = n; j < m; j++) {
        complete_column(u, m, j);
    }
    free(order);
    free(lengths);
    free(v);
    free(w);
}
