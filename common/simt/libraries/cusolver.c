/* cusolver.c - our cuSOLVER: handles, and the functions of dense matrices of float and double. */
#include "libraries/cusolver.h"

#include <string.h>

#include "libraries/objects.h"

struct cusolverDnContext {
    cudaStream_t stream;
};

LIBRARY_OBJECT(cusolver, CUSOLVER, cusolverDnHandle_t, cusolverDnCreate, cusolverDnDestroy)
LIBRARY_VALUE(cusolver, CUSOLVER, library_has, cusolverDnHandle_t, cusolverDnSetStream,
              cusolverDnGetStream, cudaStream_t, stream)

cusolverStatus_t cusolverGetVersion(int *version)
{
    *version = 13000;
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- the calls ------------------------------------------------------------------------------- */

static bool fits(const struct cusolver_work *w, const struct cusolver_array *a)
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

cusolverStatus_t cusolver_run(cusolverDnHandle_t handle, const struct cusolver_work *w,
                              simt_library_step step)
{
    if (handle == NULL) {
        simt_library_say(w->name, "the handle was not made by cusolverDnCreate()");
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    const struct cusolver_array *arrays[] = {&w->a, &w->b, &w->c, &w->u, &w->vt};
    for (unsigned i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        if (arrays[i]->role != NULL && !fits(w, arrays[i])) {
            return CUSOLVER_STATUS_INVALID_VALUE;
        }
    }
    const struct simt_library_call call = {
        .library = "cuSOLVER", .name = w->name, .stream = handle->stream};
    const int code = simt_library_run(&call, step, w, sizeof *w);
    return LIBRARY_STATUS(CUSOLVER, code);
}

static cusolverStatus_t no_workspace(int *elements)
{
    *elements = 16; /* programs allocate what this says, and not nothing */
    return CUSOLVER_STATUS_SUCCESS;
}

struct cusolver_array cusolver_matrix(const char *role, const void *pointer, int64_t rows,
                                      int64_t columns, int64_t leading)
{
    return (struct cusolver_array){role, (void *)(uintptr_t)pointer, rows, columns, leading};
}

struct cusolver_array cusolver_column(const char *role, const void *pointer, int64_t count)
{
    return cusolver_matrix(role, pointer, count, 1, count > 1 ? count : 1);
}

static int least_of(int m, int n) { return m < n ? m : n; }

static bool is_lower(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER; }

static bool is_turned(cublasOperation_t op) { return op != CUBLAS_OP_N; }

bool cusolver_are_jobs(const char *name, signed char u, signed char vt, int64_t m, int64_t n)
{
    static const char known[] = "ASON";
    const bool are = u != 0 && vt != 0 && strchr(known, u) != NULL && strchr(known, vt) != NULL &&
                     !(u == 'O' && vt == 'O') && m >= n;
    if (!are) {
        simt_library_say(name, "a matrix has at least as many rows as columns, and a job is 'A', "
                               "'S', 'O' (one of both) or 'N'");
    }
    return are;
}

void cusolver_ask_for(struct cusolver_work *w, const void *u, int64_t ldu, const void *vt,
                      int64_t ldvt)
{
    const int64_t m = w->a.rows, n = w->a.columns;
    if (w->job_u == 'A' || w->job_u == 'S') {
        w->u = cusolver_matrix("matrix U", u, m, w->job_u == 'A' ? m : n, ldu);
    }
    if (w->job_vt == 'A' || w->job_vt == 'S') {
        w->vt = cusolver_matrix("matrix VT", vt, n, n, ldvt);
    }
}

#define ROUTINES                  "libraries/cusolver.def"
#define FUNCTION_OF(letter, name) cusolverDn##letter##name
#define TITLE_OF                  "cusolverDn"
#include "libraries/twice.def"
