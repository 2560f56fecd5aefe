/* cusolver.c - our cuSOLVER: factors of dense matrices of float and double, computed in double
 * (dense.h). */
#include "libraries/dense.h"
#include "libraries/element.h"
#include "runtime/library.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "include/cusolverDn.h"

struct cusolverDnContext {
    cudaStream_t stream;
};

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle)
{
    if (handle == NULL) {
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    *handle = room_new(1, sizeof **handle);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
    free(handle);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream)
{
    if (handle == NULL) {
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    handle->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream)
{
    if (handle == NULL) {
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    *stream = handle->stream;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverGetVersion(int *version)
{
    *version = 13000;
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- matrices of the device ------------------------------------------------------------------ */

/* An argument: rows x columns at a leading dimension; a vector is one column. */
struct array {
    const char *role;
    void *pointer;
    int64_t rows, columns, leading;
};

/* All arguments of any call. */
struct work {
    const char *name;
    cudaDataType type;
    struct array a, b, c, u, vt; /* b, c: tau, right sides, values: see the steps */
    int k;
    bool lower, transposed, left, vectors;
    char job_u, job_vt;
    int *pivots, *info;
};

/* A copy in doubles; NULL, explained: it is not there. */
static double *take(struct simt_library *l, const struct work *w, const struct array *a,
                    enum simt_library_use use)
{
    const uint64_t size = element_size(w->type);
    const void *host = simt_library_box(l, a->role, a->pointer, (uint64_t)a->rows * size,
                                        (uint64_t)a->columns, (uint64_t)a->leading * size, use);
    if (host == NULL) {
        return NULL;
    }
    double *values = room_new((size_t)(a->rows * a->columns) + 1, sizeof *values);
    for (int64_t j = 0; j < a->columns && use & LIBRARY_READS; j++) {
        for (int64_t i = 0; i < a->rows; i++) {
            values[i + j * a->rows] = element_load(w->type, host, i + j * a->leading);
        }
    }
    return values;
}

/* Stores what take() gave, and frees it. `of` rows of values, if the array has fewer than they. */
static bool give(struct simt_library *l, const struct work *w, const struct array *a,
                 double *values, int64_t of)
{
    const uint64_t size = element_size(w->type);
    void *host =
        simt_library_box(l, a->role, a->pointer, (uint64_t)a->rows * size, (uint64_t)a->columns,
                         (uint64_t)a->leading * size, LIBRARY_WRITES);
    for (int64_t j = 0; host != NULL && j < a->columns; j++) {
        for (int64_t i = 0; i < a->rows; i++) {
            element_store(w->type, host, i + j * a->leading, values[i + j * of]);
        }
    }
    free(values);
    return host != NULL;
}

static int *take_pivots(struct simt_library *l, const struct work *w, int64_t count,
                        enum simt_library_use use)
{
    return simt_library_line(l, "array of pivots", w->pivots, (uint64_t)count * sizeof(int), use);
}

static bool tell_info(struct simt_library *l, const struct work *w, int value)
{
    int *info = simt_library_line(l, "info", w->info, sizeof *info, LIBRARY_WRITES);
    if (info != NULL) {
        *info = value;
    }
    return info != NULL;
}

/* ---- the works ------------------------------------------------------------------------------- */

static bool getrf(struct simt_library *l, const void *state)
{
    const struct work *w = state;
    const int64_t least = w->a.rows < w->a.columns ? w->a.rows : w->a.columns;
    int *pivots = w->pivots != NULL ? take_pivots(l, w, least, LIBRARY_WRITES) : NULL;
    double *a = pivots != NULL || w->pivots == NULL ? take(l, w, &w->a, LIBRARY_READS) : NULL;
    if (a == NULL) {
        return false;
    }
    const int info = dense_lu(a, w->a.rows, w->a.columns, pivots);
    return give(l, w, &w->a, a, w->a.rows) && tell_info(l, w, info);
}

static bool are_rows(const struct work *w, const int *pivots)
{
    for (int64_t i = 0; pivots != NULL && i < w->a.rows; i++) {
        if (pivots[i] < 1 || pivots[i] > w->a.rows) {
            simt_library_say(w->name, "pivot %lld is row %d of %lld, counted from 1", (long long)i,
                             pivots[i], (long long)w->a.rows);
            return false;
        }
    }
    return true;
}

static bool getrs(struct simt_library *l, const void *state)
{
    const struct work *w = state;
    const int *pivots = w->pivots != NULL ? take_pivots(l, w, w->a.rows, LIBRARY_READS) : NULL;
    if ((w->pivots != NULL && pivots == NULL) || !are_rows(w, pivots)) {
        return false;
    }
    double *a = take(l, w, &w->a, LIBRARY_READS);
    double *b = a != NULL ? take(l, w, &w->b, LIBRARY_READS) : NULL;
    if (b != NULL) {
        dense_lu_solve(a, w->a.rows, pivots, w->transposed, b, w->b.columns);
    }
    free(a);
    return b != NULL && give(l, w, &w->b, b, w->b.rows) && tell_info(l, w, 0);
}

static bool potrf(struct simt_library *l, const void *state)
{
    const struct work *w = state;
    double *a = take(l, w, &w->a, LIBRARY_READS);
    if (a == NULL) {
        return false;
    }
    const int info = dense_cholesky(a, w->a.rows, w->lower);
    return give(l, w, &w->a, a, w->a.rows) && tell_info(l, w, info);
}

static bool potrs(struct simt_library *l, const void *state)
{
    const struct work *w = state;
    double *a = take(l, w, &w->a, LIBRARY_READS);
    double *b = a != NULL ? take(l, w, &w->b, LIBRARY_READS) : NULL;
    if (b != NULL) {
        dense_cholesky_solve(a, w->a.rows, w->lower, b, w->b.columns);
    }
    free(a);
    return b != NULL && give(l, w, &w->b, b, w->b.rows) && tell_info(l, w, 0);
}

static bool geqrf(struct simt_library *l, const void *state)
{
    const struct work *w = state; /* b: tau */
    double *a = take(l, w, &w->a, LIBRARY_READS);
    double *tau = a != NULL ? take(l, w, &w->b, LIBRARY_WRITES) : NULL;
    if (tau == NULL) {
        free(a);
        return false;
    }
    dense_qr(a, w->a.rows, w->a.columns, tau);
    const bool good = give(l, w, &w->b, tau, w->b.rows);
    return give(l, w, &w->a, a, w->a.rows) && good && tell_info(l, w, 0);
}

static bool orgqr(struct simt_library *l, const void *state)
{
    const struct work *w = state; /* b: tau */
    double *a = take(l, w, &w->a, LIBRARY_READS);
    double *tau = a != NULL ? take(l, w, &w->b, LIBRARY_READS) : NULL;
    if (tau == NULL) {
        free(a);
        return false;
    }
    const int64_t m = w->a.rows, n = w->a.columns;
    double *q = room_new((size_t)(m * n) + 1, sizeof *q);
    for (int64_t i = 0; i < n; i++) {
        q[i + i * m] = 1;
    }
    dense_apply_q(a, m, w->k, tau, false, q, n);
    free(a);
    free(tau);
    return give(l, w, &w->a, q, m) && tell_info(l, w, 0);
}

/* The matrix turned, of m rows before. */
static double *turned(const double *c, int64_t m, int64_t n)
{
    double *t = room_new((size_t)(m * n) + 1, sizeof *t);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < m; i++) {
            t[j + i * n] = c[i + j * m];
        }
    }
    return t;
}

/* From the right, C Q is (Q' C')'. */
static double *times_q(const struct work *w, const double *a, const double *tau, double *c)
{
    const int64_t m = w->c.rows, n = w->c.columns;
    if (w->left) {
        dense_apply_q(a, m, w->k, tau, w->transposed, c, n);
        return c;
    }
    double *t = turned(c, m, n);
    free(c);
    dense_apply_q(a, n, w->k, tau, !w->transposed, t, m);
    c = turned(t, n, m);
    free(t);
    return c;
}

static bool ormqr(struct simt_library *l, const void *state)
{
    const struct work *w = state; /* b: tau */
    double *a = take(l, w, &w->a, LIBRARY_READS);
    double *tau = a != NULL ? take(l, w, &w->b, LIBRARY_READS) : NULL;
    double *c = tau != NULL ? take(l, w, &w->c, LIBRARY_READS) : NULL;
    c = c != NULL ? times_q(w, a, tau, c) : NULL;
    free(a);
    free(tau);
    return c != NULL && give(l, w, &w->c, c, w->c.rows) && tell_info(l, w, 0);
}

static bool syevd(struct simt_library *l, const void *state)
{
    const struct work *w = state; /* b: the eigenvalues */
    const int64_t n = w->a.rows;
    double *a = take(l, w, &w->a, LIBRARY_READS);
    double *values = a != NULL ? take(l, w, &w->b, LIBRARY_WRITES) : NULL;
    if (values == NULL) {
        free(a);
        return false;
    }
    for (int64_t j = 0; j < n; j++) { /* the triangle that is stored is also the other one */
        for (int64_t i = j + 1; i < n; i++) {
            double *below = &a[i + j * n], *above = &a[j + i * n];
            *(w->lower ? above : below) = *(w->lower ? below : above);
        }
    }
    dense_eigen(a, n, values);
    bool good = give(l, w, &w->b, values, n);
    if (w->vectors) {
        good = give(l, w, &w->a, a, n) && good;
    } else {
        free(a);
    }
    return good && tell_info(l, w, 0);
}

/* Jobs: 'A' all columns, 'S' the first n of them, 'N' none, 'O' in the place of A. */
static bool give_part(struct simt_library *l, const struct work *w, char job,
                      const struct array *own, double *values, int64_t of)
{
    if (job == 'N') {
        free(values);
        return true;
    }
    struct array in_a = w->a;
    in_a.rows = of;
    return give(l, w, job == 'O' ? &in_a : own, values, of);
}

static bool gesvd(struct simt_library *l, const void *state)
{
    const struct work *w = state; /* b: the singular values */
    const int64_t m = w->a.rows, n = w->a.columns;
    double *a = take(l, w, &w->a, LIBRARY_READS);
    double *s = a != NULL ? take(l, w, &w->b, LIBRARY_WRITES) : NULL;
    if (s == NULL) {
        free(a);
        return false;
    }
    double *u = room_new((size_t)(m * m) + 1, sizeof *u);
    double *vt = room_new((size_t)(n * n) + 1, sizeof *vt);
    dense_svd(a, m, n, u, s, vt);
    free(a);
    bool good = give(l, w, &w->b, s, n);
    good = give_part(l, w, w->job_u, &w->u, u, m) && good;
    good = give_part(l, w, w->job_vt, &w->vt, vt, n) && good;
    return good && tell_info(l, w, 0);
}

/* ---- the calls ------------------------------------------------------------------------------- */

static bool fits(const struct work *w, const struct array *a)
{
    if (a->rows >= 0 && a->columns >= 0 && a->leading >= (a->rows > 1 ? a->rows : 1)) {
        return true;
    }
    simt_library_say(w->name,
                     "%s: %lld x %lld elements with a leading dimension of %lld: matrices lie "
                     "column by column",
                     a->role, (long long)a->rows, (long long)a->columns, (long long)a->leading);
    return false;
}

static cusolverStatus_t run(cusolverDnHandle_t handle, const struct work *w, simt_library_step step)
{
    if (handle == NULL) {
        simt_library_say(w->name, "the handle was not made by cusolverDnCreate()");
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    const struct array *arrays[] = {&w->a, &w->b, &w->c, &w->u, &w->vt};
    for (unsigned i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        if (arrays[i]->role != NULL && !fits(w, arrays[i])) {
            return CUSOLVER_STATUS_INVALID_VALUE;
        }
    }
    const struct simt_library_call call = {
        .library = "cuSOLVER", .name = w->name, .stream = handle->stream};
    const int code = simt_library_run(&call, step, w, sizeof *w);
    return code == (int)cudaSuccess             ? CUSOLVER_STATUS_SUCCESS
           : code == (int)cudaErrorInvalidValue ? CUSOLVER_STATUS_INVALID_VALUE
                                                : CUSOLVER_STATUS_EXECUTION_FAILED;
}

static cusolverStatus_t no_workspace(int *elements)
{
    *elements = 16; /* programs allocate what they are told, and not nothing */
    return CUSOLVER_STATUS_SUCCESS;
}

static struct array matrix(const char *role, const void *pointer, int rows, int columns,
                           int leading)
{
    return (struct array){role, (void *)(uintptr_t)pointer, rows, columns, leading};
}

static struct array column(const char *role, const void *pointer, int count)
{
    return matrix(role, pointer, count, 1, count > 1 ? count : 1);
}

static int least_of(int m, int n) { return m < n ? m : n; }

static bool is_lower(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER; }

static bool is_turned(cublasOperation_t op) { return op != CUBLAS_OP_N; }

/* gesvd: jobs, and the columns that they ask for. */
static bool are_jobs(signed char u, signed char vt)
{
    static const char known[] = "ASON";
    return u != 0 && vt != 0 && strchr(known, u) != NULL && strchr(known, vt) != NULL &&
           !(u == 'O' && vt == 'O');
}

static void ask_for(struct work *w, const void *u, int ldu, const void *vt, int ldvt)
{
    const int m = (int)w->a.rows, n = (int)w->a.columns;
    if (w->job_u == 'A' || w->job_u == 'S') {
        w->u = matrix("matrix U", u, m, w->job_u == 'A' ? m : n, ldu);
    }
    if (w->job_vt == 'A' || w->job_vt == 'S') {
        w->vt = matrix("matrix VT", vt, n, n, ldvt);
    }
}

#define ROUTINES                  "libraries/cusolver.def"
#define FUNCTION_OF(letter, name) cusolverDn##letter##name
#define TITLE_OF                  "cusolverDn"
#include "libraries/twice.def"
