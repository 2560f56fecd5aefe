/* cusparse_sparse.c - our cuSPARSE: products that make a sparse matrix: SpGEMM of compressed rows,
 * and SDDMM. */
#include "libraries/cusparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"

/* ---- sparse times sparse --------------------------------------------------------------------- */

/* The product, from cusparseSpGEMM_compute() to cusparseSpGEMM_copy(). */
struct cusparseSpGEMMDescr {
    int64_t rows, count, room;
    int64_t *offsets, *columns;
    double *values;
};

static void forget_product(struct cusparseSpGEMMDescr *d)
{
    free(d->offsets);
    free(d->columns);
    free(d->values);
    *d = (struct cusparseSpGEMMDescr){0};
}

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *d)
{
    *d = room_new(1, sizeof **d);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t d)
{
    if (d != NULL) {
        forget_product(d);
        free(d);
    }
    return CUSPARSE_STATUS_SUCCESS;
}

struct sparse_product {
    struct cusparseSpMatDescr a, b;
    struct cusparse_scalar alpha;
    cusparseSpMatDescr_t c; /* whose elements are counted */
    cusparseSpGEMMDescr_t to;
};

/* All elements of A, and of B, by rows. */
struct rows {
    int64_t *offsets, *columns;
    double *values;
};
struct listing {
    const struct cusparse_view *view;
    struct rows rows;
    int64_t count;
};

static void list_element(void *state, int64_t row, int64_t column, int64_t at)
{
    struct listing *s = state;
    s->rows.columns[s->count] = column;
    s->rows.values[s->count] = element_load(s->view->of->type, s->view->values, at);
    s->rows.offsets[row + 1] = ++s->count;
}

static bool list_rows(const struct cusparse_view *v, struct rows *rows)
{
    const size_t count = (size_t)v->of->count + 1, lines = (size_t)v->of->rows + 2;
    struct listing s = {.view = v};
    s.rows = (struct rows){room_new(lines, sizeof(int64_t)), room_new(count, sizeof(int64_t)),
                           room_new(count, sizeof(double))};
    const bool good = cusparse_visit("cusparseSpGEMM_compute", v, list_element, &s);
    for (int64_t i = 1; i <= v->of->rows; i++) { /* a row without elements ends where it begins */
        const int64_t before = s.rows.offsets[i - 1];
        s.rows.offsets[i] = s.rows.offsets[i] > before ? s.rows.offsets[i] : before;
    }
    *rows = s.rows;
    return good;
}

static void free_rows(struct rows *r)
{
    free(r->offsets);
    free(r->columns);
    free(r->values);
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* One row of the product: its sums stand in a row of all columns meanwhile. */
struct row_sums {
    double *of;
    int64_t *of_row;  /* the row that has a sum in this column */
    int64_t *columns; /* in which the row has one */
};

static int64_t add_row(const struct rows *a, const struct rows *b, int64_t row, struct row_sums *s)
{
    int64_t count = 0;
    for (int64_t i = a->offsets[row]; i < a->offsets[row + 1]; i++) {
        const int64_t k = a->columns[i];
        for (int64_t j = b->offsets[k]; j < b->offsets[k + 1]; j++) {
            const int64_t column = b->columns[j];
            if (s->of_row[column] != row) {
                s->of_row[column] = row;
                s->of[column] = 0;
                s->columns[count++] = column;
            }
            s->of[column] += a->values[i] * b->values[j];
        }
    }
    qsort(s->columns, (size_t)count, sizeof *s->columns, by_number);
    return count;
}

static void append_row(struct cusparseSpGEMMDescr *d, const struct row_sums *s, int64_t count,
                       double alpha)
{
    if (d->count + count > d->room) {
        d->room = 2 * (d->count + count);
        d->columns = room_resized(d->columns, (size_t)d->room, sizeof *d->columns);
        d->values = room_resized(d->values, (size_t)d->room, sizeof *d->values);
    }
    for (int64_t i = 0; i < count; i++) {
        d->columns[d->count] = s->columns[i];
        d->values[d->count++] = alpha * s->of[s->columns[i]];
    }
}

static void multiply_rows(const struct sparse_product *p, const struct rows *a,
                          const struct rows *b, double alpha)
{
    const size_t width = (size_t)p->b.columns + 1;
    struct row_sums s = {room_new(width, sizeof(double)), room_new(width, sizeof(int64_t)),
                         room_new(width, sizeof(int64_t))};
    struct cusparseSpGEMMDescr *d = p->to;
    memset(s.of_row, 0xff, width * sizeof *s.of_row);
    forget_product(d);
    d->rows = p->a.rows;
    d->offsets = room_new((size_t)d->rows + 1, sizeof *d->offsets);
    for (int64_t row = 0; row < d->rows; row++) {
        append_row(d, &s, add_row(a, b, row, &s), alpha);
        d->offsets[row + 1] = d->count;
    }
    p->c->count = d->count;
    free(s.of);
    free(s.of_row);
    free(s.columns);
}

static bool multiply(struct simt_library *l, const void *state)
{
    const struct sparse_product *p = state;
    struct cusparse_view a, b;
    struct rows of_a = {0}, of_b = {0};
    double alpha;
    if (!cusparse_read_scalar(l, &p->alpha, &alpha) ||
        !cusparse_open_view(l, &p->a, LIBRARY_READS, &a) ||
        !cusparse_open_view(l, &p->b, LIBRARY_READS, &b)) {
        return false;
    }
    const bool good = list_rows(&a, &of_a) && list_rows(&b, &of_b);
    if (good) {
        multiply_rows(p, &of_a, &of_b, alpha);
    }
    free_rows(&of_a);
    free_rows(&of_b);
    return good;
}

/* beta: of the host's, or unknown here. */
static cusparseStatus_t check_product(cusparseHandle_t handle, const char *name,
                                      cusparseOperation_t op_a, cusparseOperation_t op_b,
                                      const struct cusparseSpMatDescr *a,
                                      const struct cusparseSpMatDescr *b,
                                      const struct cusparseSpMatDescr *c, const void *beta,
                                      cudaDataType compute, const struct cusparseSpGEMMDescr *d)
{
    if (handle == NULL) {
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    if (a == NULL || b == NULL || c == NULL || d == NULL || a->columns != b->rows ||
        c->rows != a->rows || c->columns != b->columns) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    const struct cusparse_scalar s = cusparse_take_scalar(handle, beta, compute);
    const bool plain = !cusparse_is_transposed(op_a) && !cusparse_is_transposed(op_b) &&
                       a->format == CUSPARSE_FORMAT_CSR && b->format == CUSPARSE_FORMAT_CSR &&
                       c->format == CUSPARSE_FORMAT_CSR && cusparse_is_type(compute);
    if (!plain || s.on_device || s.value != 0) {
        simt_library_say(name, "alpha A B of compressed rows is what there is: matrices are not "
                               "transposed, scalars are the host's, and beta is 0");
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_workEstimation(SIMT_SPGEMM, size_t *bufferSize1,
                                               void *externalBuffer1)
{
    *bufferSize1 = CUSPARSE_BUFFER_BYTES;
    return check_product(handle, "cusparseSpGEMM_workEstimation", opA, opB, matA, matB, matC, beta,
                         computeType, spgemmDescr);
}

cusparseStatus_t cusparseSpGEMM_compute(SIMT_SPGEMM, size_t *bufferSize2, void *externalBuffer2)
{
    const char *name = "cusparseSpGEMM_compute";
    const cusparseStatus_t status =
        check_product(handle, name, opA, opB, matA, matB, matC, beta, computeType, spgemmDescr);
    *bufferSize2 = CUSPARSE_BUFFER_BYTES;
    if (status != CUSPARSE_STATUS_SUCCESS ||
        externalBuffer2 == NULL) { /* it asks for the size alone */
        return status;
    }
    const struct sparse_product p = {*matA, *matB, cusparse_take_scalar(handle, alpha, computeType),
                                     matC, spgemmDescr};
    return cusparse_run_and_wait(handle, name, multiply, &p, sizeof p);
}

struct product_copy {
    struct cusparseSpMatDescr c;
    const struct cusparseSpGEMMDescr *from;
};

static bool copy_product(struct simt_library *l, const void *state)
{
    const struct product_copy *p = state;
    const struct cusparseSpGEMMDescr *d = p->from;
    void *arrays[3];
    if (!cusparse_open_result(l, &p->c, arrays)) {
        return false;
    }
    for (int64_t i = 0; i <= d->rows; i++) {
        cusparse_set_index(p->c.first_index, arrays[0], i, d->offsets[i] + p->c.base);
    }
    for (int64_t i = 0; i < d->count; i++) {
        cusparse_set_index(p->c.second_index, arrays[1], i, d->columns[i] + p->c.base);
        element_store(p->c.type, arrays[2], i, d->values[i]);
    }
    return true;
}

cusparseStatus_t cusparseSpGEMM_copy(SIMT_SPGEMM)
{
    const char *name = "cusparseSpGEMM_copy";
    const cusparseStatus_t status =
        check_product(handle, name, opA, opB, matA, matB, matC, beta, computeType, spgemmDescr);
    if (status != CUSPARSE_STATUS_SUCCESS) {
        return status;
    }
    if (spgemmDescr->offsets == NULL || spgemmDescr->rows != matC->rows ||
        spgemmDescr->count != matC->count) {
        simt_library_say(name, "cusparseSpGEMM_compute() has not been called for these matrices");
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    const struct product_copy p = {*matC, spgemmDescr};
    return cusparse_run_and_wait(handle, name, copy_product, &p, sizeof p);
}

/* ---- dense times dense, where a sparse matrix has elements ----------------------------------- */

struct sampled {
    struct cusparseDnMatDescr a, b;
    struct cusparseSpMatDescr c;
    cusparseOperation_t op_a, op_b;
    struct cusparse_scalar alpha, beta;
};

struct sampling {
    const struct sampled *p;
    const struct cusparse_view *view;
    const void *a, *b;
    double alpha, beta;
};

static void sample_element(void *state, int64_t row, int64_t column, int64_t at)
{
    const struct sampling *s = state;
    const struct sampled *p = s->p;
    const bool a_turned = cusparse_is_transposed(p->op_a),
               b_turned = cusparse_is_transposed(p->op_b);
    const int64_t inner = a_turned ? p->a.rows : p->a.columns;
    double sum = 0;
    for (int64_t k = 0; k < inner; k++) {
        const int64_t from_a =
            a_turned ? cusparse_place(&p->a, k, row) : cusparse_place(&p->a, row, k);
        const int64_t from_b =
            b_turned ? cusparse_place(&p->b, column, k) : cusparse_place(&p->b, k, column);
        sum += element_load(p->a.type, s->a, from_a) * element_load(p->b.type, s->b, from_b);
    }
    const double before = s->beta != 0 ? s->beta * element_load(p->c.type, s->view->values, at) : 0;
    element_store(p->c.type, s->view->values, at, s->alpha * sum + before);
}

static bool sample(struct simt_library *l, const void *state)
{
    const struct sampled *p = state;
    struct cusparse_view view;
    struct sampling s = {.p = p, .view = &view};
    if (!cusparse_read_scalar(l, &p->alpha, &s.alpha) ||
        !cusparse_read_scalar(l, &p->beta, &s.beta) ||
        !cusparse_open_view(l, &p->c, s.beta != 0 ? LIBRARY_READS_AND_WRITES : LIBRARY_WRITES,
                            &view)) {
        return false;
    }
    s.a = cusparse_dense(l, "first factor", &p->a, LIBRARY_READS);
    s.b = s.a != NULL ? cusparse_dense(l, "second factor", &p->b, LIBRARY_READS) : NULL;
    return s.b != NULL && cusparse_visit("cusparseSDDMM", &view, sample_element, &s);
}

/* Of the matrix, or of its transpose. */
static int64_t rows_of(const struct cusparseDnMatDescr *m, bool turned)
{
    return turned ? m->columns : m->rows;
}

cusparseStatus_t cusparseSDDMM(SIMT_SDDMM, void *externalBuffer)
{
    if (handle == NULL) {
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    const bool a_turned = cusparse_is_transposed(opA), b_turned = cusparse_is_transposed(opB);
    if (matA == NULL || matB == NULL || matC == NULL || !cusparse_is_type(computeType) ||
        rows_of(matA, a_turned) != matC->rows || rows_of(matB, !b_turned) != matC->columns ||
        rows_of(matA, !a_turned) != rows_of(matB, b_turned)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    const struct sampled p = {*matA,
                              *matB,
                              *matC,
                              opA,
                              opB,
                              cusparse_take_scalar(handle, alpha, computeType),
                              cusparse_take_scalar(handle, beta, computeType)};
    return cusparse_run(handle, "cusparseSDDMM", sample, &p, sizeof p);
}

CUSPARSE_NO_BUFFER(cusparseSDDMM_bufferSize, SIMT_SDDMM)
CUSPARSE_NOTHING_TO_PREPARE(cusparseSDDMM_preprocess, SIMT_SDDMM)
