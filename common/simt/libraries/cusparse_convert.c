/* cusparse_convert.c - our cuSPARSE: dense matrices to sparse ones and back, rows to columns, and
 * indices in order. */
#include "libraries/cusparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"

struct conversion {
    const char *name;
    struct cusparseDnMatDescr dense;
    struct cusparseSpMatDescr sparse;
    cusparseSpMatDescr_t counted; /* whose elements are counted */
};

/* ---- dense to sparse ------------------------------------------------------------------------- */

/* The element of a dense matrix that lies at `inner` in a line of the sparse one. */
static double element_of(const struct conversion *c, const void *dense, int64_t line, int64_t inner)
{
    const bool by_columns = c->sparse.format == CUSPARSE_FORMAT_CSC;
    const int64_t at = by_columns ? cusparse_place(&c->dense, inner, line)
                                  : cusparse_place(&c->dense, line, inner);
    return element_load(c->dense.type, dense, at);
}

static int64_t lines_of(const struct conversion *c, int64_t *inner)
{
    const bool by_columns = c->sparse.format == CUSPARSE_FORMAT_CSC;
    *inner = by_columns ? c->dense.rows : c->dense.columns;
    return by_columns ? c->dense.columns : c->dense.rows;
}

static bool count_elements(struct simt_library *l, const void *state)
{
    const struct conversion *c = state;
    const void *dense = cusparse_dense(l, "dense matrix", &c->dense, LIBRARY_READS);
    int64_t inner, count = 0;
    const int64_t lines = lines_of(c, &inner);
    for (int64_t i = 0; dense != NULL && i < lines; i++) {
        for (int64_t j = 0; j < inner; j++) {
            count += element_of(c, dense, i, j) != 0;
        }
    }
    c->counted->count = count;
    return dense != NULL;
}

static void put_element(const struct conversion *c, void *const arrays[3], int64_t at, int64_t line,
                        int64_t inner, double value)
{
    const struct cusparseSpMatDescr *m = &c->sparse;
    if (m->format == CUSPARSE_FORMAT_COO) {
        cusparse_set_index(m->first_index, arrays[0], at, line + m->base);
    }
    cusparse_set_index(m->second_index, arrays[1], at, inner + m->base);
    element_store(m->type, arrays[2], at, value);
}

static bool take_elements(struct simt_library *l, const void *state)
{
    const struct conversion *c = state;
    const struct cusparseSpMatDescr *m = &c->sparse;
    void *arrays[3];
    const void *dense = cusparse_dense(l, "dense matrix", &c->dense, LIBRARY_READS);
    if (dense == NULL || !cusparse_open_result(l, m, arrays)) {
        return false;
    }
    int64_t inner, at = 0;
    const int64_t lines = lines_of(c, &inner);
    for (int64_t i = 0; i < lines; i++) {
        if (m->format != CUSPARSE_FORMAT_COO) {
            cusparse_set_index(m->first_index, arrays[0], i, at + m->base);
        }
        for (int64_t j = 0; j < inner; j++) {
            const double value = element_of(c, dense, i, j);
            if (value != 0 && at == m->count) {
                simt_library_say(c->name,
                                 "the dense matrix has more than the %lld elements that "
                                 "cusparseDenseToSparse_analysis() has counted",
                                 (long long)m->count);
                return false;
            }
            if (value != 0) {
                put_element(c, arrays, at++, i, j, value);
            }
        }
    }
    if (m->format != CUSPARSE_FORMAT_COO) {
        cusparse_set_index(m->first_index, arrays[0], lines, at + m->base);
    }
    return true;
}

static cusparseStatus_t check_pair(cusparseHandle_t handle, const struct cusparseDnMatDescr *dense,
                                   const struct cusparseSpMatDescr *sparse)
{
    if (handle == NULL) {
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    const bool fit = dense != NULL && sparse != NULL && dense->rows == sparse->rows &&
                     dense->columns == sparse->columns;
    return fit ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseDenseToSparse_bufferSize(SIMT_DENSE_TO_SPARSE, size_t *bufferSize)
{
    *bufferSize = CUSPARSE_BUFFER_BYTES;
    return check_pair(handle, matA, matB);
}

cusparseStatus_t cusparseDenseToSparse_analysis(SIMT_DENSE_TO_SPARSE, void *externalBuffer)
{
    const cusparseStatus_t status = check_pair(handle, matA, matB);
    if (status != CUSPARSE_STATUS_SUCCESS) {
        return status;
    }
    const struct conversion c = {"cusparseDenseToSparse_analysis", *matA, *matB, matB};
    return cusparse_run_and_wait(handle, c.name, count_elements, &c, sizeof c);
}

cusparseStatus_t cusparseDenseToSparse_convert(SIMT_DENSE_TO_SPARSE, void *externalBuffer)
{
    const cusparseStatus_t status = check_pair(handle, matA, matB);
    if (status != CUSPARSE_STATUS_SUCCESS) {
        return status;
    }
    const struct conversion c = {"cusparseDenseToSparse_convert", *matA, *matB, NULL};
    return cusparse_run(handle, c.name, take_elements, &c, sizeof c);
}

/* ---- sparse to dense ------------------------------------------------------------------------- */

struct filling {
    const struct conversion *c;
    const struct cusparse_view *view;
    void *dense;
};

static void fill_element(void *state, int64_t row, int64_t column, int64_t at)
{
    const struct filling *f = state;
    element_store(f->c->dense.type, f->dense, cusparse_place(&f->c->dense, row, column),
                  element_load(f->c->sparse.type, f->view->values, at));
}

static bool fill_dense(struct simt_library *l, const void *state)
{
    const struct conversion *c = state;
    struct cusparse_view view;
    if (!cusparse_open_view(l, &c->sparse, LIBRARY_READS, &view)) {
        return false;
    }
    void *dense = cusparse_dense(l, "dense matrix", &c->dense, LIBRARY_WRITES);
    for (int64_t i = 0; dense != NULL && i < c->dense.rows; i++) {
        for (int64_t j = 0; j < c->dense.columns; j++) {
            element_store(c->dense.type, dense, cusparse_place(&c->dense, i, j), 0);
        }
    }
    return dense != NULL &&
           cusparse_visit(c->name, &view, fill_element, &(struct filling){c, &view, dense});
}

cusparseStatus_t cusparseSparseToDense_bufferSize(SIMT_SPARSE_TO_DENSE, size_t *bufferSize)
{
    *bufferSize = CUSPARSE_BUFFER_BYTES;
    return check_pair(handle, matB, matA);
}

cusparseStatus_t cusparseSparseToDense(SIMT_SPARSE_TO_DENSE, void *externalBuffer)
{
    const cusparseStatus_t status = check_pair(handle, matB, matA);
    if (status != CUSPARSE_STATUS_SUCCESS) {
        return status;
    }
    const struct conversion c = {"cusparseSparseToDense", *matB, *matA, NULL};
    return cusparse_run(handle, c.name, fill_dense, &c, sizeof c);
}

/* ---- rows to columns ------------------------------------------------------------------------- */

struct turning {
    struct cusparseSpMatDescr rows, columns;
    bool with_values;
};

struct turned {
    const struct turning *t;
    const struct cusparse_view *view;
    void *const *arrays;
    int64_t *next; /* of each column: where its next element goes; then where it begins */
};

static void count_in_column(void *state, int64_t row, int64_t column, int64_t at)
{
    ((const struct turned *)state)->next[column + 1]++;
}

static void put_into_column(void *state, int64_t row, int64_t column, int64_t at)
{
    const struct turned *s = state;
    const struct cusparseSpMatDescr *m = &s->t->columns;
    const int64_t to = s->next[column]++;
    cusparse_set_index(m->second_index, s->arrays[1], to, row + m->base);
    if (s->t->with_values) {
        element_store(m->type, s->arrays[2], to, element_load(m->type, s->view->values, at));
    }
}

static bool turn(struct simt_library *l, const void *state)
{
    const struct turning *t = state;
    const char *name = "cusparseCsr2cscEx2";
    struct cusparse_view view;
    void *arrays[3];
    if (!cusparse_open_view(l, &t->rows, LIBRARY_READS, &view) ||
        !cusparse_open_result(l, &t->columns, arrays)) {
        return false;
    }
    const int64_t n = t->columns.columns;
    struct turned s = {t, &view, arrays, room_new((size_t)n + 2, sizeof(int64_t))};
    bool good = cusparse_visit(name, &view, count_in_column, &s);
    for (int64_t i = 0; good && i <= n; i++) {
        s.next[i] += i > 0 ? s.next[i - 1] : 0;
        cusparse_set_index(t->columns.first_index, arrays[0], i, s.next[i] + t->columns.base);
    }
    good = good && cusparse_visit(name, &view, put_into_column, &s);
    free(s.next);
    return good;
}

cusparseStatus_t cusparseCsr2cscEx2(SIMT_CSR2CSC, void *buffer)
{
    if (handle == NULL) {
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    if (m < 0 || n < 0 || nnz < 0 || !cusparse_is_type(valType)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    const cusparseIndexType_t index = CUSPARSE_INDEX_32I;
    const struct turning t = {{CUSPARSE_FORMAT_CSR, m, n, nnz, (void *)(uintptr_t)csrRowPtr,
                               (void *)(uintptr_t)csrColInd, (void *)(uintptr_t)csrVal, index,
                               index, idxBase, valType, 0, 0, 0, 0, 0},
                              {CUSPARSE_FORMAT_CSC, m, n, nnz, cscColPtr, cscRowInd, cscVal, index,
                               index, idxBase, valType, 0, 0, 0, 0, 0},
                              copyValues == CUSPARSE_ACTION_NUMERIC};
    return cusparse_run(handle, "cusparseCsr2cscEx2", turn, &t, sizeof t);
}

CUSPARSE_NO_BUFFER(cusparseCsr2cscEx2_bufferSize, SIMT_CSR2CSC)
