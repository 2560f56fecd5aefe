/* cusparse_product.c - our cuSPARSE: products of a sparse matrix with dense vectors and matrices.
 */
#include "libraries/cusparse.h"

#include <stdlib.h>

#include "base/room.h"

/* ---- products -------------------------------------------------------------------------------- */

/* C = alpha op(A) op(B) + beta C. A vector is a matrix of one column. */
struct product {
    const char *name;
    struct cusparseSpMatDescr a;
    struct cusparseDnMatDescr b, c;
    cusparseOperation_t op_a, op_b;
    struct cusparse_scalar alpha, beta;
};

int64_t cusparse_place(const struct cusparseDnMatDescr *m, int64_t row, int64_t column)
{
    return m->order == CUSPARSE_ORDER_COL ? row + column * m->leading : row * m->leading + column;
}

void *cusparse_dense(struct simt_library *l, const char *role, const struct cusparseDnMatDescr *m,
                     enum simt_library_use use)
{
    const bool by_columns = m->order == CUSPARSE_ORDER_COL;
    const uint64_t size = element_size(m->type);
    return simt_library_box(
        l, role, m->values, (uint64_t)(by_columns ? m->rows : m->columns) * size,
        (uint64_t)(by_columns ? m->columns : m->rows), (uint64_t)m->leading * size, use);
}

struct sums {
    const struct product *p;
    const struct cusparse_view *view;
    const void *b;
    int64_t column; /* of C */
    double *of_rows;
};

static void add_element(void *state, int64_t row, int64_t column, int64_t at)
{
    const struct sums *s = state;
    const struct product *p = s->p;
    const int64_t to = cusparse_is_transposed(p->op_a) ? column : row;
    const int64_t from = cusparse_is_transposed(p->op_a) ? row : column;
    const int64_t place = cusparse_is_transposed(p->op_b) ? cusparse_place(&p->b, s->column, from)
                                                          : cusparse_place(&p->b, from, s->column);
    s->of_rows[to] +=
        element_load(p->a.type, s->view->values, at) * element_load(p->b.type, s->b, place);
}

static bool multiply(struct simt_library *l, const void *state)
{
    const struct product *p = state;
    struct cusparse_view view;
    double alpha, beta;
    if (!cusparse_read_scalar(l, &p->alpha, &alpha) || !cusparse_read_scalar(l, &p->beta, &beta) ||
        !cusparse_open_view(l, &p->a, LIBRARY_READS, &view)) {
        return false;
    }
    const void *b = cusparse_dense(l, "dense factor", &p->b, LIBRARY_READS);
    void *c = b != NULL ? cusparse_dense(l, "result", &p->c,
                                         beta != 0 ? LIBRARY_READS_AND_WRITES : LIBRARY_WRITES)
                        : NULL;
    if (c == NULL) {
        return false;
    }
    bool good = true;
    double *sums = room_raw((size_t)p->c.rows + 1, sizeof *sums);
    for (int64_t column = 0; good && column < p->c.columns; column++) {
        for (int64_t i = 0; i < p->c.rows; i++) {
            sums[i] = 0;
        }
        good =
            cusparse_visit(p->name, &view, add_element, &(struct sums){p, &view, b, column, sums});
        for (int64_t i = 0; good && i < p->c.rows; i++) {
            const int64_t at = cusparse_place(&p->c, i, column);
            const double before = beta != 0 ? beta * element_load(p->c.type, c, at) : 0;
            element_store(p->c.type, c, at, alpha * sums[i] + before);
        }
    }
    free(sums);
    return good;
}

static void *moved(void *array, int64_t elements, uint64_t size)
{
    return array != NULL ? (char *)array + elements * (int64_t)size : NULL;
}

/* Matrix i of those that are described together; where there is one, that. */
static struct cusparseSpMatDescr sparse_of(const struct cusparseSpMatDescr *m, int i)
{
    struct cusparseSpMatDescr of = *m;
    if (m->batches > 1) {
        of.first = moved(m->first, i * m->first_stride, cusparse_index_bytes(m->first_index));
        of.second = moved(m->second, i * m->second_stride, cusparse_index_bytes(m->second_index));
        of.values = moved(m->values, i * m->second_stride, element_size(m->type));
    }
    return of;
}

static struct cusparseDnMatDescr dense_of(const struct cusparseDnMatDescr *m, int i)
{
    struct cusparseDnMatDescr of = *m;
    if (m->batches > 1) {
        of.values = moved(m->values, i * m->stride, element_size(m->type));
    }
    return of;
}

/* As many products as there are results, and as many of each factor. */
static cusparseStatus_t run_batches(cusparseHandle_t handle, const struct product *p)
{
    const int batches = p->c.batches > 1 ? p->c.batches : 1;
    const int sparse = p->a.batches > 1 ? p->a.batches : 1;
    const int dense = p->b.batches > 1 ? p->b.batches : 1;
    if (sparse != batches || dense != batches) { /* one for all: as many, with a stride of 0 */
        simt_library_say(p->name, "%d sparse and %d dense factors for %d results", sparse, dense,
                         batches);
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    for (int i = 0; i < batches && status == CUSPARSE_STATUS_SUCCESS; i++) {
        struct product one = *p;
        one.a = sparse_of(&p->a, i);
        one.b = dense_of(&p->b, i);
        one.c = dense_of(&p->c, i);
        status = cusparse_run(handle, p->name, multiply, &one, sizeof one);
    }
    return status;
}

static cusparseStatus_t run_product(cusparseHandle_t handle, struct product *p, const void *alpha,
                                    const void *beta, cudaDataType compute)
{
    const int64_t rows = cusparse_is_transposed(p->op_a) ? p->a.columns : p->a.rows;
    const int64_t inner = cusparse_is_transposed(p->op_a) ? p->a.rows : p->a.columns;
    const int64_t b_rows = cusparse_is_transposed(p->op_b) ? p->b.columns : p->b.rows;
    const int64_t b_columns = cusparse_is_transposed(p->op_b) ? p->b.rows : p->b.columns;
    if (!cusparse_is_type(compute)) {
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    if (b_rows != inner || p->c.rows != rows || p->c.columns != b_columns) {
        simt_library_say(p->name,
                         "the shapes do not fit: %lld x %lld times %lld x %lld into %lld x %lld",
                         (long long)rows, (long long)inner, (long long)b_rows, (long long)b_columns,
                         (long long)p->c.rows, (long long)p->c.columns);
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    p->alpha = cusparse_take_scalar(handle, alpha, compute);
    p->beta = cusparse_take_scalar(handle, beta, compute);
    return run_batches(handle, p);
}

cusparseStatus_t cusparseSpMV(SIMT_SPMV, void *externalBuffer)
{
    if (handle == NULL) {
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    if (matA == NULL || vecX == NULL || vecY == NULL) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    struct product p = {.name = "cusparseSpMV",
                        .a = *matA,
                        .b = cusparse_column(vecX),
                        .c = cusparse_column(vecY),
                        .op_a = opA};
    return run_product(handle, &p, alpha, beta, computeType);
}

cusparseStatus_t cusparseSpMM(SIMT_SPMM, void *externalBuffer)
{
    if (handle == NULL) {
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    if (matA == NULL || matB == NULL || matC == NULL) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    struct product p = {
        .name = "cusparseSpMM", .a = *matA, .b = *matB, .c = *matC, .op_a = opA, .op_b = opB};
    return run_product(handle, &p, alpha, beta, computeType);
}

CUSPARSE_NO_BUFFER(cusparseSpMV_bufferSize, SIMT_SPMV)
CUSPARSE_NOTHING_TO_PREPARE(cusparseSpMV_preprocess, SIMT_SPMV)
CUSPARSE_NO_BUFFER(cusparseSpMM_bufferSize, SIMT_SPMM)
CUSPARSE_NOTHING_TO_PREPARE(cusparseSpMM_preprocess, SIMT_SPMM)
