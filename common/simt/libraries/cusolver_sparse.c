/* cusolver_sparse.c - our cuSOLVER of sparse matrices: solutions by sparse_direct.h, orders by
 * sparse_order.h. A singular column is numbered from 0 as columns are factored: in A's order,
 * unless the program asks for another. */
#include "include/cusolverSp.h"

#include <string.h>

#include "libraries/element.h"
#include "libraries/objects.h"
#include "libraries/sparse_direct.h"
#include "libraries/sparse_order.h"
#include "runtime/library.h"

struct cusolverSpContext {
    cudaStream_t stream;
};

LIBRARY_OBJECT(cusolver, CUSOLVER, cusolverSpHandle_t, cusolverSpCreate, cusolverSpDestroy)
LIBRARY_VALUE(cusolver, CUSOLVER, library_has, cusolverSpHandle_t, cusolverSpSetStream,
              cusolverSpGetStream, cudaStream_t, stream)

/* ---- matrices -------------------------------------------------------------------------------- */

/* A square matrix as the program has it, and what is asked of it. */
struct call {
    const char *name;
    bool on_device;
    int64_t n, count, base;
    const int *rows, *columns;
    /* solutions */
    cudaDataType type;
    enum sparse_method method;
    int reorder;
    double tolerance;
    const void *values, *b;
    void *x;
    int *singularity;
    /* orders */
    bool by_degree;
    int *order;
};

static void *use(struct simt_library *l, const struct call *c, const char *role,
                 const void *pointer, size_t bytes, enum simt_library_use how)
{
    return c->on_device ? simt_library_line(l, role, pointer, bytes, how)
                        : simt_library_host(l, role, pointer, bytes, how);
}

static bool is_pattern(const struct call *c, const int *rows, const int *columns)
{
    bool good = rows[0] == c->base && rows[c->n] - c->base == c->count;
    for (int64_t i = 0; good && i < c->n; i++) {
        good = rows[i] <= rows[i + 1];
    }
    for (int64_t at = 0; good && at < c->count; at++) {
        good = columns[at] >= c->base && columns[at] - c->base < c->n;
    }
    if (!good) {
        simt_library_say(
            c->name,
            "the rows do not begin in ascending order, from %lld to %lld elements, or a "
            "column is outside of the matrix",
            (long long)c->base, (long long)c->count);
    }
    return good;
}

/* Copies of both, from 0 on; NULL, explained, if they are no matrix. */
static int64_t *read_pattern(struct simt_library *l, const struct call *c)
{
    const int *rows = use(l, c, "row pointers", c->rows, (size_t)(c->n + 1) * 4, LIBRARY_READS);
    const int *columns =
        c->count == 0 ? rows
                      : use(l, c, "columns", c->columns, (size_t)c->count * 4, LIBRARY_READS);
    if (rows == NULL || columns == NULL || !is_pattern(c, rows, columns)) {
        return NULL;
    }
    int64_t *copy = room_raw((size_t)(c->n + 1 + c->count), sizeof *copy);
    for (int64_t i = 0; i <= c->n; i++) {
        copy[i] = rows[i] - c->base;
    }
    for (int64_t at = 0; at < c->count; at++) {
        copy[c->n + 1 + at] = columns[at] - c->base;
    }
    return copy;
}

static struct sparse_rows rows_of(const struct call *c, const int64_t *pattern,
                                  const double *values)
{
    return (struct sparse_rows){c->n, pattern, pattern + c->n + 1, values};
}

static cusolverStatus_t run(cusolverSpHandle_t handle, struct call *c, const cusparseMatDescr_t d,
                            simt_library_step step)
{
    if (handle == NULL) {
        simt_library_say(c->name, "the handle was not made by cusolverSpCreate()");
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    if (d == NULL || c->n < 0 || c->count < 0 || c->rows == NULL) {
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    if (cusparseGetMatType(d) != CUSPARSE_MATRIX_TYPE_GENERAL) {
        simt_library_say(c->name, "the matrix has to be of CUSPARSE_MATRIX_TYPE_GENERAL");
        return CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    }
    c->base = cusparseGetMatIndexBase(d) == CUSPARSE_INDEX_BASE_ONE;
    const struct simt_library_call call = {
        .library = "cuSOLVER", .name = c->name, .stream = handle->stream, .waits = true};
    const int code = simt_library_run(&call, step, c, sizeof *c);
    return LIBRARY_STATUS(CUSOLVER, code);
}

/* ---- solutions ------------------------------------------------------------------------------- */

static double *read_values(const struct call *c, const void *from, int64_t count)
{
    double *copy = room_raw((size_t)count + 1, sizeof *copy);
    for (int64_t i = 0; i < count; i++) {
        copy[i] = element_load(c->type, from, i);
    }
    return copy;
}

/* How many elements lie between the first and the last one of all rows. */
static int64_t profile_of(const struct sparse_rows *a, const int64_t *place)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < a->n; i++) {
        int64_t first = i, last = i;
        for (int64_t at = a->begin[i]; at < a->begin[i + 1]; at++) {
            const int64_t c = place != NULL ? place[a->column[at]] : a->column[at];
            first = at == a->begin[i] || c < first ? c : first;
            last = at == a->begin[i] || c > last ? c : last;
        }
        sum += last - first;
    }
    return sum;
}

/* An order in which rows are short; NULL if the one that they have is as good. */
static int64_t *better_order(const struct sparse_rows *a)
{
    const size_t n = (size_t)a->n + 1;
    int64_t *order = room_raw(n, sizeof *order), *place = room_raw(n, sizeof *place);
    sparse_order_band(a, order);
    for (int64_t i = 0; i < a->n; i++) {
        place[order[i]] = i;
    }
    if (profile_of(a, place) >= profile_of(a, NULL)) {
        free(order);
        order = NULL;
    }
    free(place);
    return order;
}

/* The solution does not depend on the order; the column that is singular does, and is asked for in
 * the program's. */
static void solve_read(const struct call *c, const int64_t *pattern, const void *values,
                       const void *b, void *x, int *singularity)
{
    double *numbers = read_values(c, values, c->count), *side = read_values(c, b, c->n);
    double *solution = room_new((size_t)c->n + 1, sizeof *solution);
    const struct sparse_rows a = rows_of(c, pattern, numbers);
    int64_t *order = better_order(&a);
    int64_t singular = sparse_solve(&a, order, c->method, c->tolerance, side, solution);
    if (singular >= 0 && order != NULL && c->reorder == 0) {
        singular = sparse_solve(&a, NULL, c->method, c->tolerance, side, solution);
    }
    *singularity = (int)singular;
    for (int64_t i = 0; i < c->n; i++) {
        element_store(c->type, x, i, solution[i]);
    }
    free(numbers);
    free(side);
    free(order);
    free(solution);
}

static bool solve(struct simt_library *l, const void *state)
{
    const struct call *c = state;
    const size_t size = element_size(c->type), n = (size_t)c->n;
    int64_t *pattern = read_pattern(l, c);
    if (pattern == NULL) {
        return false;
    }
    const void *values = use(l, c, "values", c->values, (size_t)c->count * size, LIBRARY_READS);
    const void *b = use(l, c, "vector b", c->b, n * size, LIBRARY_READS);
    void *x = use(l, c, "vector x", c->x, n * size, LIBRARY_WRITES);
    int *singularity =
        simt_library_host(l, "singularity", c->singularity, sizeof *singularity, LIBRARY_WRITES);
    const bool good = singularity != NULL && (c->n == 0 || (b != NULL && x != NULL)) &&
                      (c->count == 0 || values != NULL);
    if (good) {
        solve_read(c, pattern, values, b, x, singularity);
    }
    free(pattern);
    return good;
}

#define SOLVE(function, T, element, how, device)                                                   \
    cusolverStatus_t cusolverSp##function(cusolverSpHandle_t handle, int m, int nnz,               \
                                          const cusparseMatDescr_t d, const T *values,             \
                                          const int *rows, const int *columns, const T *b,         \
                                          T tolerance, int reorder, T *x, int *singularity)        \
    {                                                                                              \
        struct call c = {.name = "cusolverSp" #function,                                           \
                         .on_device = device,                                                      \
                         .n = m,                                                                   \
                         .count = nnz,                                                             \
                         .rows = rows,                                                             \
                         .columns = columns,                                                       \
                         .type = element,                                                          \
                         .method = how,                                                            \
                         .reorder = reorder,                                                       \
                         .tolerance = (double)tolerance,                                           \
                         .values = values,                                                         \
                         .b = b,                                                                   \
                         .x = x,                                                                   \
                         .singularity = singularity};                                              \
        return run(handle, &c, d, solve);                                                          \
    }
SOLVE(ScsrlsvluHost, float, CUDA_R_32F, SPARSE_LU, false)
SOLVE(DcsrlsvluHost, double, CUDA_R_64F, SPARSE_LU, false)
SOLVE(ScsrlsvqrHost, float, CUDA_R_32F, SPARSE_QR, false)
SOLVE(DcsrlsvqrHost, double, CUDA_R_64F, SPARSE_QR, false)
SOLVE(ScsrlsvcholHost, float, CUDA_R_32F, SPARSE_CHOLESKY, false)
SOLVE(DcsrlsvcholHost, double, CUDA_R_64F, SPARSE_CHOLESKY, false)
SOLVE(Scsrlsvqr, float, CUDA_R_32F, SPARSE_QR, true)
SOLVE(Dcsrlsvqr, double, CUDA_R_64F, SPARSE_QR, true)
SOLVE(Scsrlsvchol, float, CUDA_R_32F, SPARSE_CHOLESKY, true)
SOLVE(Dcsrlsvchol, double, CUDA_R_64F, SPARSE_CHOLESKY, true)

/* ---- orders ---------------------------------------------------------------------------------- */

static bool order_rows(struct simt_library *l, const void *state)
{
    const struct call *c = state;
    int64_t *pattern = read_pattern(l, c);
    int *to = simt_library_host(l, "permutation", c->order, (size_t)c->n * 4, LIBRARY_WRITES);
    if (pattern == NULL || (to == NULL && c->n > 0)) {
        free(pattern);
        return false;
    }
    int64_t *order = room_raw((size_t)c->n + 1, sizeof *order);
    const struct sparse_rows a = rows_of(c, pattern, NULL);
    (c->by_degree ? sparse_order_degree : sparse_order_band)(&a, order);
    for (int64_t i = 0; i < c->n; i++) {
        to[i] = (int)order[i];
    }
    free(order);
    free(pattern);
    return true;
}

static cusolverStatus_t find_order(cusolverSpHandle_t handle, const char *name, int n, int count,
                                   const cusparseMatDescr_t d, const int *rows, const int *columns,
                                   bool by_degree, int *p)
{
    struct call c = {.name = name,
                     .n = n,
                     .count = count,
                     .rows = rows,
                     .columns = columns,
                     .by_degree = by_degree,
                     .order = p};
    return run(handle, &c, d, order_rows);
}

#define ORDER(function, by_degree)                                                                 \
    cusolverStatus_t cusolverSp##function(cusolverSpHandle_t handle, int n, int count,             \
                                          const cusparseMatDescr_t d, const int *rows,             \
                                          const int *columns, int *p)                              \
    {                                                                                              \
        return find_order(handle, "cusolverSp" #function, n, count, d, rows, columns, by_degree,   \
                          p);                                                                      \
    }
ORDER(XcsrsymrcmHost, false)
ORDER(XcsrsymmdqHost, true)
ORDER(XcsrsymamdHost, true)

/* Nested dissection would be another order; a program sees one that fills in little. */
cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int count,
                                           const cusparseMatDescr_t d, const int *rows,
                                           const int *columns, const int64_t *options, int *p)
{
    return find_order(handle, "cusolverSpXcsrmetisndHost", n, count, d, rows, columns, true, p);
}
