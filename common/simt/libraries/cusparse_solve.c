/* cusparse_solve.c - our cuSPARSE: sparse triangles, and incomplete LU factors of compressed rows.
 */
#include "libraries/cusparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"

/* ---- triangles ------------------------------------------------------------------------------- */

/* op(A) Y = alpha op(X), column by column; of A only the triangle that its attribute names is read.
 * A vector is a matrix of one column. */
struct triangle {
    const char *name;
    struct cusparseSpMatDescr a;
    struct cusparseDnMatDescr x, y;
    bool transposed, x_is_transposed;
    struct cusparse_scalar alpha;
};

/* The elements of op(A) by rows: linked lists, as they may come in any order. */
struct rows {
    const struct triangle *t;
    const struct cusparse_view *view;
    int64_t *newest; /* of each row; -1: none */
    int64_t *next, *column;
    double *value;
};

static void take_element(void *state, int64_t row, int64_t column, int64_t at)
{
    const struct rows *r = state;
    const bool lower = r->t->a.fill == CUSPARSE_FILL_MODE_LOWER;
    if (row != column && (column < row) != lower) {
        return;
    }
    const int64_t to = r->t->transposed ? column : row;
    r->column[at] = r->t->transposed ? row : column;
    r->value[at] = element_load(r->t->a.type, r->view->values, at);
    r->next[at] = r->newest[to];
    r->newest[to] = at;
}

static void substitute(const struct rows *r, double *y, int64_t n)
{
    const struct triangle *t = r->t;
    const bool forward = (t->a.fill == CUSPARSE_FILL_MODE_LOWER) != t->transposed;
    for (int64_t round = 0; round < n; round++) {
        const int64_t i = forward ? round : n - 1 - round;
        double diagonal = t->a.diagonal == CUSPARSE_DIAG_TYPE_UNIT ? 1 : 0;
        for (int64_t at = r->newest[i]; at >= 0; at = r->next[at]) {
            if (r->column[at] != i) {
                y[i] -= r->value[at] * y[r->column[at]];
            } else if (t->a.diagonal != CUSPARSE_DIAG_TYPE_UNIT) {
                diagonal += r->value[at];
            }
        }
        y[i] /= diagonal;
    }
}

static bool solve_rows(const struct triangle *t, const struct cusparse_view *view, double *y)
{
    const size_t n = (size_t)t->a.rows, count = (size_t)t->a.count + 1;
    struct rows r = {.t = t,
                     .view = view,
                     .newest = room_raw(n + 1, sizeof *r.newest),
                     .next = room_raw(count, sizeof *r.next),
                     .column = room_raw(count, sizeof *r.column),
                     .value = room_raw(count, sizeof *r.value)};
    memset(r.newest, 0xff, n * sizeof *r.newest);
    const bool good = cusparse_visit(t->name, view, take_element, &r);
    if (good) {
        substitute(&r, y, t->a.rows);
    }
    free(r.newest);
    free(r.next);
    free(r.column);
    free(r.value);
    return good;
}

static bool solve_column(const struct triangle *t, const struct cusparse_view *view, double alpha,
                         const void *x, void *y, int64_t column)
{
    const int64_t n = t->a.rows;
    double *solution = room_raw((size_t)n + 1, sizeof *solution);
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = t->x_is_transposed ? cusparse_place(&t->x, column, i)
                                              : cusparse_place(&t->x, i, column);
        solution[i] = alpha * element_load(t->x.type, x, at);
    }
    const bool good = solve_rows(t, view, solution);
    for (int64_t i = 0; good && i < n; i++) {
        element_store(t->y.type, y, cusparse_place(&t->y, i, column), solution[i]);
    }
    free(solution);
    return good;
}

static bool solve(struct simt_library *l, const void *state)
{
    const struct triangle *t = state;
    struct cusparse_view view;
    double alpha;
    if (!cusparse_read_scalar(l, &t->alpha, &alpha) ||
        !cusparse_open_view(l, &t->a, LIBRARY_READS, &view)) {
        return false;
    }
    const void *x = cusparse_dense(l, "right side", &t->x, LIBRARY_READS);
    void *y = x != NULL ? cusparse_dense(l, "solution", &t->y, LIBRARY_WRITES) : NULL;
    bool good = y != NULL;
    for (int64_t column = 0; good && column < t->y.columns; column++) {
        good = solve_column(t, &view, alpha, x, y, column);
    }
    return good;
}

CUSPARSE_EMPTY_DESCRIPTION(SpSV)

CUSPARSE_NO_BUFFER(cusparseSpSV_bufferSize, SIMT_SPSV)
CUSPARSE_NOTHING_TO_PREPARE(cusparseSpSV_analysis, SIMT_SPSV)

cusparseStatus_t cusparseSpSV_solve(SIMT_SPSV)
{
    if (handle == NULL) {
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    if (matA == NULL || vecX == NULL || vecY == NULL || !cusparse_is_type(computeType) ||
        matA->rows != matA->columns || vecX->size != matA->rows || vecY->size != matA->rows) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    const struct triangle t = {.name = "cusparseSpSV_solve",
                               .a = *matA,
                               .x = cusparse_column(vecX),
                               .y = cusparse_column(vecY),
                               .transposed = cusparse_is_transposed(opA),
                               .alpha = cusparse_take_scalar(handle, alpha, computeType)};
    return cusparse_run(handle, t.name, solve, &t, sizeof t);
}

CUSPARSE_EMPTY_DESCRIPTION(SpSM)

CUSPARSE_NO_BUFFER(cusparseSpSM_bufferSize, SIMT_SPSM)
CUSPARSE_NOTHING_TO_PREPARE(cusparseSpSM_analysis, SIMT_SPSM)

cusparseStatus_t cusparseSpSM_solve(SIMT_SPSM)
{
    const bool b_is_transposed = cusparse_is_transposed(opB);
    if (handle == NULL) {
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    if (matA == NULL || matB == NULL || matC == NULL || !cusparse_is_type(computeType) ||
        matA->rows != matA->columns || matC->rows != matA->rows ||
        (b_is_transposed ? matB->columns : matB->rows) != matA->rows ||
        (b_is_transposed ? matB->rows : matB->columns) != matC->columns) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    const struct triangle t = {.name = "cusparseSpSM_solve",
                               .a = *matA,
                               .x = *matB,
                               .y = *matC,
                               .transposed = cusparse_is_transposed(opA),
                               .x_is_transposed = b_is_transposed,
                               .alpha = cusparse_take_scalar(handle, alpha, computeType)};
    return cusparse_run(handle, t.name, solve, &t, sizeof t);
}

/* ---- incomplete LU --------------------------------------------------------------------------- */

struct csrilu02Info {
    int64_t zero; /* the first row without a pivot; -1: none */
};

struct factors {
    struct cusparseSpMatDescr a;
    csrilu02Info_t info;
};

static int64_t begin_of(const struct cusparse_view *v, int64_t row)
{
    return cusparse_index(v->of->first_index, v->first, row) - v->of->base;
}

static int64_t column_of(const struct cusparse_view *v, int64_t at)
{
    return cusparse_index(v->of->second_index, v->second, at) - v->of->base;
}

static double value_of(const struct cusparse_view *v, int64_t at)
{
    return element_load(v->of->type, v->values, at);
}

/* Row i minus its multiple of each row above that it has an element under; place[c]: where row i
 * has column c, or -1. */
static void eliminate(const struct cusparse_view *v, int64_t i, const int64_t *place,
                      const int64_t *pivots)
{
    for (int64_t at = begin_of(v, i); at < begin_of(v, i + 1) && column_of(v, at) < i; at++) {
        const int64_t k = column_of(v, at);
        if (pivots[k] < 0) {
            continue;
        }
        const double factor = value_of(v, at) / value_of(v, pivots[k]);
        element_store(v->of->type, v->values, at, factor);
        for (int64_t of_k = pivots[k] + 1; of_k < begin_of(v, k + 1); of_k++) {
            const int64_t to = place[column_of(v, of_k)];
            if (to >= 0) {
                element_store(v->of->type, v->values, to,
                              value_of(v, to) - factor * value_of(v, of_k));
            }
        }
    }
}

static void nothing(void *state, int64_t row, int64_t column, int64_t at) {}

static bool factor(struct simt_library *l, const void *state)
{
    const struct factors *f = state;
    struct cusparse_view v;
    if (!cusparse_open_view(l, &f->a, LIBRARY_READS_AND_WRITES, &v) ||
        !cusparse_visit("cusparse csrilu02", &v, nothing, NULL)) {
        return false;
    }
    const size_t n = (size_t)f->a.rows;
    int64_t *place = room_raw(n + 1, sizeof *place), *pivots = room_raw(n + 1, sizeof *pivots);
    memset(place, 0xff, n * sizeof *place);
    memset(pivots, 0xff, n * sizeof *pivots);
    f->info->zero = -1;
    for (int64_t i = 0; i < f->a.rows; i++) {
        for (int64_t at = begin_of(&v, i); at < begin_of(&v, i + 1); at++) {
            place[column_of(&v, at)] = at;
        }
        eliminate(&v, i, place, pivots);
        pivots[i] = place[i];
        if (f->info->zero < 0 && (place[i] < 0 || value_of(&v, place[i]) == 0)) {
            f->info->zero = i + f->a.base;
        }
        for (int64_t at = begin_of(&v, i); at < begin_of(&v, i + 1); at++) {
            place[column_of(&v, at)] = -1;
        }
    }
    free(place);
    free(pivots);
    return true;
}

cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info)
{
    *info = room_copy(&(struct csrilu02Info){-1}, 1, sizeof **info);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info)
{
    free(info);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info,
                                             int *position)
{
    *position = (int)info->zero;
    return info->zero < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

#define FACTORS(X, T, what)                                                                        \
    cusparseStatus_t cusparse##X##csrilu02_bufferSize(                                             \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t d, T *values,            \
        const int *rows, const int *columns, csrilu02Info_t info, int *bytes)                      \
    {                                                                                              \
        *bytes = 16;                                                                               \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    cusparseStatus_t cusparse##X##csrilu02_analysis(                                               \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t d, const T *values,      \
        const int *rows, const int *columns, csrilu02Info_t info, cusparseSolvePolicy_t policy,    \
        void *buffer)                                                                              \
    {                                                                                              \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    cusparseStatus_t cusparse##X##csrilu02(cusparseHandle_t handle, int m, int nnz,                \
                                           const cusparseMatDescr_t d, T *values, const int *rows, \
                                           const int *columns, csrilu02Info_t info,                \
                                           cusparseSolvePolicy_t policy, void *buffer)             \
    {                                                                                              \
        if (handle == NULL || d == NULL || info == NULL || m < 0 || nnz < 0) {                     \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        }                                                                                          \
        const struct factors f = {.a = {.format = CUSPARSE_FORMAT_CSR,                             \
                                        .rows = m,                                                 \
                                        .columns = m,                                              \
                                        .count = nnz,                                              \
                                        .first = (void *)(uintptr_t)rows,                          \
                                        .second = (void *)(uintptr_t)columns,                      \
                                        .values = values,                                          \
                                        .first_index = CUSPARSE_INDEX_32I,                         \
                                        .second_index = CUSPARSE_INDEX_32I,                        \
                                        .base = d->base,                                           \
                                        .type = what},                                             \
                                  .info = info};                                                   \
        return cusparse_run(handle, "cusparse" #X "csrilu02", factor, &f, sizeof f);               \
    }
FACTORS(S, float, CUDA_R_32F)
FACTORS(D, double, CUDA_R_64F)
