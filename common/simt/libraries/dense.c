/* dense.c - triangular factors and reflectors: see dense.h. */
#include "libraries/dense.h"

#include <math.h>
#include <stddef.h>

/* ---- LU -------------------------------------------------------------------------------------- */

static void exchange_rows(double *a, int64_t m, int64_t columns, int64_t i, int64_t k)
{
    for (int64_t j = 0; j < columns && i != k; j++) {
        const double kept = a[i + j * m];
        a[i + j * m] = a[k + j * m];
        a[k + j * m] = kept;
    }
}

static int64_t largest_below(const double *column, int64_t first, int64_t m)
{
    int64_t best = first;
    for (int64_t i = first + 1; i < m; i++) {
        best = fabs(column[i]) > fabs(column[best]) ? i : best;
    }
    return best;
}

int dense_lu(double *a, int64_t m, int64_t n, int *pivots)
{
    int info = 0;
    for (int64_t j = 0; j < (m < n ? m : n); j++) {
        if (pivots != NULL) {
            const int64_t pivot = largest_below(a + j * m, j, m);
            pivots[j] = (int)pivot + 1;
            exchange_rows(a, m, n, j, pivot);
        }
        const double diagonal = a[j + j * m];
        if (diagonal == 0) {
            info = info == 0 ? (int)j + 1 : info;
            continue;
        }
        for (int64_t i = j + 1; i < m; i++) {
            a[i + j * m] /= diagonal;
        }
        for (int64_t k = j + 1; k < n; k++) {
            for (int64_t i = j + 1; i < m; i++) {
                a[i + k * m] -= a[i + j * m] * a[j + k * m];
            }
        }
    }
    return info;
}

/* T x = x for a triangle of n x n; unit: its diagonal is of ones. */
static void substitute(const double *t, int64_t n, bool lower, bool transposed, bool unit,
                       double *x)
{
    const bool forward = lower != transposed;
    for (int64_t round = 0; round < n; round++) {
        const int64_t i = forward ? round : n - 1 - round;
        for (int64_t j = forward ? 0 : i + 1; j < (forward ? i : n); j++) {
            x[i] -= (transposed ? t[j + i * n] : t[i + j * n]) * x[j];
        }
        x[i] /= unit ? 1 : t[i + i * n];
    }
}

void dense_lu_solve(const double *lu, int64_t n, const int *pivots, bool transposed, double *b,
                    int64_t columns)
{
    for (int64_t i = 0; i < n && pivots != NULL && !transposed; i++) {
        exchange_rows(b, n, columns, i, pivots[i] - 1);
    }
    for (int64_t j = 0; j < columns; j++) {
        substitute(lu, n, !transposed, transposed, !transposed, b + j * n);
        substitute(lu, n, transposed, transposed, transposed, b + j * n);
    }
    for (int64_t i = n; i-- > 0 && pivots != NULL && transposed;) {
        exchange_rows(b, n, columns, i, pivots[i] - 1);
    }
}

/* ---- Cholesky -------------------------------------------------------------------------------- */

/* U is L turned: its element (j, i) stands where L's (i, j) would. */
static double *in_half(double *a, int64_t n, bool lower, int64_t i, int64_t j)
{
    return lower ? &a[i + j * n] : &a[j + i * n];
}

int dense_cholesky(double *a, int64_t n, bool lower)
{
    for (int64_t j = 0; j < n; j++) {
        double *diagonal = in_half(a, n, lower, j, j);
        for (int64_t k = 0; k < j; k++) {
            const double l = *in_half(a, n, lower, j, k);
            *diagonal -= l * l;
        }
        if (!(*diagonal > 0)) {
            return (int)j + 1;
        }
        *diagonal = sqrt(*diagonal);
        for (int64_t i = j + 1; i < n; i++) {
            double *at = in_half(a, n, lower, i, j);
            for (int64_t k = 0; k < j; k++) {
                *at -= *in_half(a, n, lower, i, k) * *in_half(a, n, lower, j, k);
            }
            *at /= *diagonal;
        }
    }
    return 0;
}

void dense_cholesky_solve(const double *a, int64_t n, bool lower, double *b, int64_t columns)
{
    for (int64_t j = 0; j < columns; j++) {
        substitute(a, n, lower, !lower, false, b + j * n);
        substitute(a, n, lower, lower, false, b + j * n);
    }
}

/* ---- QR -------------------------------------------------------------------------------------- */

/* H = 1 - tau v v', whose v begins with a 1 in row `first` and goes on below it in `column`. */
static void reflect(const double *column, int64_t first, int64_t m, double tau, double *x)
{
    double sum = x[first];
    for (int64_t i = first + 1; i < m; i++) {
        sum += column[i] * x[i];
    }
    x[first] -= tau * sum;
    for (int64_t i = first + 1; i < m; i++) {
        x[i] -= tau * sum * column[i];
    }
}

/* Makes the reflector that leaves nothing of the column below row `first`. */
static double make_reflector(double *column, int64_t first, int64_t m)
{
    double below = 0;
    for (int64_t i = first + 1; i < m; i++) {
        below = hypot(below, column[i]);
    }
    if (below == 0) {
        return 0;
    }
    const double alpha = column[first], beta = -copysign(hypot(alpha, below), alpha);
    for (int64_t i = first + 1; i < m; i++) {
        column[i] /= alpha - beta;
    }
    column[first] = beta;
    return (beta - alpha) / beta;
}

void dense_qr(double *a, int64_t m, int64_t n, double *tau)
{
    for (int64_t j = 0; j < (m < n ? m : n); j++) {
        tau[j] = make_reflector(a + j * m, j, m);
        for (int64_t k = j + 1; k < n; k++) {
            reflect(a + j * m, j, m, tau[j], a + k * m);
        }
    }
}

void dense_apply_q(const double *a, int64_t m, int64_t k, const double *tau, bool transposed,
                   double *c, int64_t columns)
{
    for (int64_t round = 0; round < k; round++) {
        const int64_t i = transposed ? round : k - 1 - round;
        for (int64_t j = 0; j < columns; j++) {
            reflect(a + i * m, i, m, tau[i], c + j * m);
        }
    }
}
