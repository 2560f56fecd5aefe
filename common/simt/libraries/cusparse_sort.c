/* cusparse_sort.c - our cuSPARSE: indices in order, with the permutation that they took; and how
 * many elements of a dense matrix are not 0. */
#include "libraries/cusparse.h"

#include <stdlib.h>

#include "base/room.h"

/* ---- sorting --------------------------------------------------------------------------------- */

struct sorting {
    const char *name;
    int lines, count;  /* of compressed rows: how many there are; of elements */
    const int *begins; /* of compressed rows; NULL: coordinates */
    cusparseIndexBase_t base;
    int *first, *second; /* what is sorted by first, then second; the former NULL: alone */
    int *permutation;    /* taken along; NULL: none */
};

/* An element, and where it stood: equal ones stay in order. */
struct entry {
    int first, second, permutation, at;
};

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->first != y->first     ? (x->first > y->first) - (x->first < y->first)
           : x->second != y->second ? (x->second > y->second) - (x->second < y->second)
                                    : (x->at > y->at) - (x->at < y->at);
}

struct sorted_arrays {
    int *first, *second, *permutation;
};

static void sort_range(const struct sorted_arrays *s, int begin, int end)
{
    const int count = end - begin;
    struct entry *entries = room_new((size_t)count + 1, sizeof *entries);
    for (int i = 0; i < count; i++) {
        const int at = begin + i;
        entries[i] = (struct entry){s->first != NULL ? s->first[at] : 0, s->second[at],
                                    s->permutation != NULL ? s->permutation[at] : 0, i};
    }
    qsort(entries, (size_t)count, sizeof *entries, by_place);
    for (int i = 0; i < count; i++) {
        s->second[begin + i] = entries[i].second;
        if (s->first != NULL) {
            s->first[begin + i] = entries[i].first;
        }
        if (s->permutation != NULL) {
            s->permutation[begin + i] = entries[i].permutation;
        }
    }
    free(entries);
}

/* An array that is sorted; *at stays NULL if there is none. */
static bool open_array(struct simt_library *l, const char *role, int *array, int count, int **at)
{
    if (array == NULL) {
        return true;
    }
    *at =
        simt_library_line(l, role, array, (uint64_t)count * sizeof(int), LIBRARY_READS_AND_WRITES);
    return *at != NULL;
}

static bool sort_rows(struct simt_library *l, const struct sorting *s,
                      const struct sorted_arrays *arrays)
{
    const int *begins = simt_library_line(l, "array of offsets", s->begins,
                                          ((uint64_t)s->lines + 1) * sizeof(int), LIBRARY_READS);
    for (int i = 0; begins != NULL && i < s->lines; i++) {
        const int begin = begins[i] - (int)s->base, end = begins[i + 1] - (int)s->base;
        if (begin < 0 || begin > end || end > s->count) {
            simt_library_say(s->name, "the offsets of row %d are %d to %d, of %d elements", i,
                             begin, end, s->count);
            return false;
        }
        sort_range(arrays, begin, end);
    }
    return begins != NULL;
}

static bool sort(struct simt_library *l, const void *state)
{
    const struct sorting *s = state;
    struct sorted_arrays arrays = {NULL, NULL, NULL};
    if (!open_array(l, "first array of indices", s->first, s->count, &arrays.first) ||
        !open_array(l, "array of indices", s->second, s->count, &arrays.second) ||
        !open_array(l, "permutation", s->permutation, s->count, &arrays.permutation)) {
        return false;
    }
    if (s->begins != NULL) {
        return sort_rows(l, s, &arrays);
    }
    sort_range(&arrays, 0, s->count);
    return true;
}

static cusparseStatus_t run_sort(cusparseHandle_t handle, const struct sorting *s)
{
    if (handle == NULL) {
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    if (s->lines < 0 || s->count < 0 || (s->count > 0 && s->second == NULL)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    return s->count > 0 ? cusparse_run(handle, s->name, sort, s, sizeof *s)
                        : CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int *rows,
                                       int *columns, int *permutation, void *buffer)
{
    return run_sort(handle, &(struct sorting){.name = "cusparseXcoosortByRow",
                                              .count = nnz,
                                              .first = rows,
                                              .second = columns,
                                              .permutation = permutation});
}

cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz, int *rows,
                                          int *columns, int *permutation, void *buffer)
{
    return run_sort(handle, &(struct sorting){.name = "cusparseXcoosortByColumn",
                                              .count = nnz,
                                              .first = columns,
                                              .second = rows,
                                              .permutation = permutation});
}

cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t a, const int *offsets, int *columns,
                                  int *permutation, void *buffer)
{
    if (a == NULL || offsets == NULL) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    return run_sort(handle, &(struct sorting){.name = "cusparseXcsrsort",
                                              .lines = m,
                                              .count = nnz,
                                              .begins = offsets,
                                              .base = a->base,
                                              .second = columns,
                                              .permutation = permutation});
}

CUSPARSE_NO_BUFFER(cusparseXcoosort_bufferSizeExt, cusparseHandle_t handle, int m, int n, int nnz,
                   const int *rows, const int *columns)
CUSPARSE_NO_BUFFER(cusparseXcsrsort_bufferSizeExt, cusparseHandle_t handle, int m, int n, int nnz,
                   const int *offsets, const int *columns)

struct identity {
    int *array, count;
};

static bool fill_identity(struct simt_library *l, const void *state)
{
    const struct identity *p = state;
    int *to = simt_library_line(l, "permutation", p->array, (uint64_t)p->count * sizeof *to,
                                LIBRARY_WRITES);
    for (int i = 0; to != NULL && i < p->count; i++) {
        to[i] = i;
    }
    return to != NULL;
}

cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p)
{
    if (handle == NULL) {
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    return n < 0 ? CUSPARSE_STATUS_INVALID_VALUE
                 : cusparse_run(handle, "cusparseCreateIdentityPermutation", fill_identity,
                                &(struct identity){p, n}, sizeof(struct identity));
}

/* ---- counting -------------------------------------------------------------------------------- */

struct counting {
    const char *name;
    struct cusparseDnMatDescr a;
    bool by_rows;
    int *counts, *total; /* the total is the host's or the device's */
};

static bool count(struct simt_library *l, const void *state)
{
    const struct counting *c = state;
    const int64_t lines = c->by_rows ? c->a.rows : c->a.columns;
    const int64_t inner = c->by_rows ? c->a.columns : c->a.rows;
    const void *a = cusparse_dense(l, "dense matrix", &c->a, LIBRARY_READS);
    int *counts = a != NULL ? simt_library_line(l, "array of counts", c->counts,
                                                (uint64_t)lines * sizeof *counts, LIBRARY_WRITES)
                            : NULL;
    int *total = counts != NULL
                     ? simt_library_result(l, "total", c->total, sizeof *total, LIBRARY_WRITES)
                     : NULL;
    if (total == NULL) {
        return false;
    }
    *total = 0;
    for (int64_t i = 0; i < lines; i++) {
        counts[i] = 0;
        for (int64_t j = 0; j < inner; j++) {
            const int64_t at =
                c->by_rows ? cusparse_place(&c->a, i, j) : cusparse_place(&c->a, j, i);
            counts[i] += element_load(c->a.type, a, at) != 0;
        }
        *total += counts[i];
    }
    return true;
}

static cusparseStatus_t run_count(cusparseHandle_t handle, cusparseDirection_t direction, int m,
                                  int n, const void *a, int lda, int *counts, int *total,
                                  cudaDataType type)
{
    if (handle == NULL) {
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    if (m < 0 || n < 0 || lda < m) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    const struct counting c = {type == CUDA_R_64F ? "cusparseDnnz" : "cusparseSnnz",
                               {m, n, lda, (void *)(uintptr_t)a, type, CUSPARSE_ORDER_COL, 0, 0},
                               direction == CUSPARSE_DIRECTION_ROW,
                               counts,
                               total};
    return handle->pointers == CUSPARSE_POINTER_MODE_HOST
               ? cusparse_run_and_wait(handle, c.name, count, &c, sizeof c)
               : cusparse_run(handle, c.name, count, &c, sizeof c);
}

cusparseStatus_t cusparseSnnz(cusparseHandle_t handle, cusparseDirection_t direction, int m, int n,
                              const cusparseMatDescr_t description, const float *a, int lda,
                              int *counts, int *total)
{
    return run_count(handle, direction, m, n, a, lda, counts, total, CUDA_R_32F);
}

cusparseStatus_t cusparseDnnz(cusparseHandle_t handle, cusparseDirection_t direction, int m, int n,
                              const cusparseMatDescr_t description, const double *a, int lda,
                              int *counts, int *total)
{
    return run_count(handle, direction, m, n, a, lda, counts, total, CUDA_R_64F);
}
