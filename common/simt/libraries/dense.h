/* dense.h - factors of dense matrices of doubles, by textbook algorithms (Golub and Van Loan,
 * "Matrix Computations"): arithmetic, without memory of a device.
 *
 * Element (i, j) of a matrix of m rows stands at [i + j * m]. Factors lie in the place of the
 * matrix as LAPACK has them: below a diagonal that is not stored, L's ones or the reflectors' first
 * elements. */
#ifndef SIMT_DENSE_H
#define SIMT_DENSE_H

#include <stdbool.h>
#include <stdint.h>

/* P A = L U; row i was exchanged with row pivots[i], counted from 1; pivots NULL: no rows are
 * exchanged. Returns 0, or the first column from 1 on whose pivot is 0. */
int dense_lu(double *a, int64_t m, int64_t n, int *pivots);
/* op(A) X = B, in the place of B. */
void dense_lu_solve(const double *lu, int64_t n, const int *pivots, bool transposed, double *b,
                    int64_t columns);
/* A = L L' or U' U, of that triangle alone. Returns 0, or the size of the first leading part that
 * is not positive definite. */
int dense_cholesky(double *a, int64_t n, bool lower);
void dense_cholesky_solve(const double *a, int64_t n, bool lower, double *b, int64_t columns);
/* A = Q R, Q = H1 H2 ... of min(m, n) reflectors. */
void dense_qr(double *a, int64_t m, int64_t n, double *tau);
/* C = op(Q) C, of the first k reflectors in the columns of a; both have m rows. */
void dense_apply_q(const double *a, int64_t m, int64_t k, const double *tau, bool transposed,
                   double *c, int64_t columns);
/* Of a symmetric matrix: eigenvalues from the least on; its place gets their vectors. */
void dense_eigen(double *a, int64_t n, double *values);
/* A = U S V', m >= n: u has m x m elements, s n from the largest on, vt n x n. */
void dense_svd(const double *a, int64_t m, int64_t n, double *u, double *s, double *vt);

#endif
