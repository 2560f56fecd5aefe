/* sparse_direct.h - solutions of A x = b for a square sparse A, by elimination in doubles.
 *
 * Each row is kept from its first column that is not 0 to its last; what fills in lies between.
 * Rows are taken by their first column, so a matrix whose elements lie near the diagonal is cheap,
 * and sparse_order() says in which order of rows and columns they do. */
#ifndef SIMT_SPARSE_DIRECT_H
#define SIMT_SPARSE_DIRECT_H

#include <stdbool.h>
#include <stdint.h>

/* Compressed rows from 0 on; columns in any order, each once. */
struct sparse_rows {
    int64_t n;
    const int64_t *begin; /* n + 1 */
    const int64_t *column;
    const double *value; /* NULL: only where the elements are */
};

enum sparse_method {
    SPARSE_LU,       /* Gaussian elimination, the largest element of a column as pivot */
    SPARSE_QR,       /* Givens rotations */
    SPARSE_CHOLESKY, /* elimination in order; a pivot that is not positive is none */
};

/* x, and the first column whose pivot is not larger than `tolerance`; -1: none is. In front of it x
 * is not meant to be used. order: NULL, or n numbers: row and column i of what is factored are
 * order[i] of A. */
int64_t sparse_solve(const struct sparse_rows *a, const int64_t *order, enum sparse_method method,
                     double tolerance, const double *b, double *x);

#endif
