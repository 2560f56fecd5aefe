/* cusolver_permute.c - our cuSOLVER of sparse matrices on the host: is a pattern symmetric, and
 * A(p, q). */
#include "include/cusolverSp.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "runtime/library.h"

static bool has(const int *columns, int begin, int end, int column)
{
    for (int at = begin; at < end; at++) {
        if (columns[at] == column) {
            return true;
        }
    }
    return false;
}

/* Row i has the elements begin[i] to end[i] - 1, counted from the base on. */
cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int count,
                                         const cusparseMatDescr_t d, const int *begin,
                                         const int *end, const int *columns, int *is_symmetric)
{
    if (handle == NULL) {
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    if (d == NULL || m < 0 || count < 0 || is_symmetric == NULL || begin == NULL || end == NULL) {
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    const int base = cusparseGetMatIndexBase(d) == CUSPARSE_INDEX_BASE_ONE;
    *is_symmetric = 1;
    for (int i = 0; i < m; i++) {
        for (int at = begin[i] - base; at < end[i] - base; at++) {
            const int j = columns[at] - base;
            if (j < 0 || j >= m || !has(columns, begin[j] - base, end[j] - base, i + base)) {
                *is_symmetric = 0;
            }
        }
    }
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n,
                                                   int count, const cusparseMatDescr_t d,
                                                   const int *rows, const int *columns,
                                                   const int *p, const int *q, size_t *bytes)
{
    if (handle == NULL) {
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    if (d == NULL || bytes == NULL) {
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    *bytes = 16; /* programs allocate what this says, and not nothing */
    return CUSOLVER_STATUS_SUCCESS;
}

struct moved {
    int column, map;
};

static int by_column(const void *a, const void *b)
{
    const struct moved *x = a, *y = b;
    return (x->column > y->column) - (x->column < y->column);
}

/* place[j]: the column of A(p, q) that column j of A becomes; NULL, explained, if q has one twice.
 */
static int *places(const int *q, int n)
{
    int *place = room_raw((size_t)n + 1, sizeof *place);
    memset(place, 0xff, (size_t)n * sizeof *place);
    for (int j = 0; j < n; j++) {
        if (q[j] < 0 || q[j] >= n || place[q[j]] >= 0) {
            simt_library_say("cusolverSpXcsrpermHost",
                             "%d at place %d is outside of 0 to %d, or a second time there", q[j],
                             j, n - 1);
            free(place);
            return NULL;
        }
        place[q[j]] = j;
    }
    return place;
}

/* The rows of A in the order of p, their elements in the order of their new columns. */
static void permute(int m, int base, int *rows, int *columns, const int *p, const int *place,
                    int *map)
{
    const int count = rows[m] - base;
    struct moved *moved = room_raw((size_t)count + 1, sizeof *moved);
    int *begin = room_copy(rows, (size_t)m + 1, sizeof *begin);
    int to = 0;
    for (int i = 0; i < m; i++) {
        const int first = to;
        for (int at = begin[p[i]] - base; at < begin[p[i] + 1] - base; at++) {
            moved[to++] = (struct moved){place[columns[at] - base], map[at]};
        }
        qsort(moved + first, (size_t)(to - first), sizeof *moved, by_column);
        rows[i + 1] = to + base;
    }
    for (int at = 0; at < to; at++) {
        columns[at] = moved[at].column + base;
        map[at] = moved[at].map;
    }
    free(moved);
    free(begin);
}

cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int count,
                                        const cusparseMatDescr_t d, int *rows, int *columns,
                                        const int *p, const int *q, int *map, void *buffer)
{
    if (handle == NULL) {
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    const int base = d != NULL && cusparseGetMatIndexBase(d) == CUSPARSE_INDEX_BASE_ONE;
    if (d == NULL || m < 0 || n < 0 || rows == NULL || p == NULL || q == NULL || map == NULL ||
        rows[m] - base != count) {
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    int *row = places(p, m), *column = row != NULL ? places(q, n) : NULL;
    if (column != NULL) {
        permute(m, base, rows, columns, p, column, map);
    }
    const bool good = column != NULL;
    free(row);
    free(column);
    return good ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
