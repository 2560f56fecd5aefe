/* cublas.c - our cuBLAS: handles, scalars, checks, and copies of vectors and matrices. */
#include "libraries/cublas.h"

#include <stdlib.h>
#include <string.h>

#include "base/handles.h"
#include "libraries/objects.h"

struct cublasContext {
    struct handle handle;
    cudaStream_t stream;
    cublasPointerMode_t pointers;
    cublasAtomicsMode_t atomics;
    cublasMath_t math;
};

static struct handle_pool contexts = HANDLE_POOL(struct cublasContext);

const char *cublasGetStatusName(cublasStatus_t status)
{
    switch (status) {
#define NAME(name, value, text)                                                                    \
    case name:                                                                                     \
        return #name;
        SIMT_CUBLAS_STATUSES(NAME)
#undef NAME
    }
    return "<unknown>";
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    switch (status) {
#define TEXT(name, value, text)                                                                    \
    case name:                                                                                     \
        return text;
        SIMT_CUBLAS_STATUSES(TEXT)
#undef TEXT
    }
    return "<unknown>";
}

/* ---- handles --------------------------------------------------------------------------------- */

static cublasStatus_t status_of(cudaError_t code)
{
    switch (code) {
    case cudaSuccess:
        return CUBLAS_STATUS_SUCCESS;
    case cudaErrorInvalidValue:
    case cudaErrorInvalidResourceHandle:
        return CUBLAS_STATUS_INVALID_VALUE;
    default:
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
}

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *handle = handle_create(&contexts);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    return handle_destroy(&contexts, handle) ? CUBLAS_STATUS_SUCCESS
                                             : CUBLAS_STATUS_NOT_INITIALIZED;
}

/* Handles of setters and getters: NULL is what programs get wrong. */
static bool is_live(cublasHandle_t handle)
{
    return handle != NULL && handle_is_live(&contexts, handle);
}

LIBRARY_VALUE(cublas, CUBLAS, is_live, cublasHandle_t, cublasSetStream_v2, cublasGetStream_v2,
              cudaStream_t, stream)
LIBRARY_VALUE(cublas, CUBLAS, is_live, cublasHandle_t, cublasSetPointerMode_v2,
              cublasGetPointerMode_v2, cublasPointerMode_t, pointers)
LIBRARY_VALUE(cublas, CUBLAS, is_live, cublasHandle_t, cublasSetAtomicsMode, cublasGetAtomicsMode,
              cublasAtomicsMode_t, atomics)
LIBRARY_VALUE(cublas, CUBLAS, is_live, cublasHandle_t, cublasSetMathMode, cublasGetMathMode,
              cublasMath_t, math)

/* Memory to work in: none is needed. */
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
    return is_live(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    *value = type == MAJOR_VERSION ? CUBLAS_VER_MAJOR : 0;
    return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion(void) { return CUDART_VERSION; }

/* ---- scalars -------------------------------------------------------------------------------- */

struct cublas_scalar cublas_take_scalar(cublasHandle_t handle, const void *scalar,
                                        cudaDataType type)
{
    struct cublas_scalar s = {.type = type};
    if (is_live(handle) && handle->pointers == CUBLAS_POINTER_MODE_DEVICE) {
        s.place = scalar;
    } else if (scalar != NULL) {
        memcpy(s.value, scalar, element_size(type));
    }
    return s;
}

struct cublas_scalar cublas_constant(double value)
{
    struct cublas_scalar s = {.type = CUDA_R_64F};
    element_store(s.type, s.value, 0, value);
    return s;
}

bool cublas_read_scalar(struct simt_library *l, const struct cublas_scalar *s, const char *role,
                        double *value)
{
    const void *at = s->place == NULL ? s->value
                                      : simt_library_line(l, role, s->place, element_size(s->type),
                                                          LIBRARY_READS);
    if (at != NULL) {
        *value = element_load(s->type, at, 0);
    }
    return at != NULL;
}

bool cublas_result_is_hosts(cublasHandle_t handle)
{
    return is_live(handle) && handle->pointers == CUBLAS_POINTER_MODE_HOST;
}

void *cublas_vector(struct simt_library *l, const char *role, const void *x, int n,
                    int64_t increment, unsigned size, enum simt_library_use use)
{
    const uint64_t step = (uint64_t)(increment < 0 ? -increment : increment);
    char *at = simt_library_box(l, role, x, size, (uint64_t)n, step * size, use);
    return at != NULL && increment < 0 && n > 0 ? at + (uint64_t)(n - 1) * step * size : at;
}

void *cublas_matrix(struct simt_library *l, const char *role, const void *at, int rows, int columns,
                    int64_t leading, unsigned size, enum simt_library_use use)
{
    return simt_library_box(l, role, at, (uint64_t)rows * size, (uint64_t)columns,
                            (uint64_t)leading * size, use);
}

/* ---- calls ----------------------------------------------------------------------------------- */

cublasStatus_t cublas_check(cublasHandle_t handle, const struct cublas_work *w)
{
    if (!is_live(handle)) {
        simt_library_say(w->name, "the handle was not made by cublasCreate(), or was destroyed");
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (w->m < 0 || w->n < 0 || w->k < 0 || w->batch < 0) {
        simt_library_say(w->name, "a size is below 0");
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublas_check_leading(const struct cublas_work *w, const char *what, int64_t leading,
                                    int rows)
{
    if (leading >= (rows > 1 ? rows : 1)) {
        return CUBLAS_STATUS_SUCCESS;
    }
    simt_library_say(w->name,
                     "%s is %lld, but a column of that matrix, as it lies in memory, has %d "
                     "elements: matrices lie column by column",
                     what, (long long)leading, rows);
    return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublas_run(cublasHandle_t handle, const struct cublas_work *w,
                          simt_library_step step, bool waits)
{
    const struct simt_library_call call = {
        .library = "cuBLAS", .name = w->name, .stream = handle->stream, .waits = waits};
    return status_of((cudaError_t)simt_library_run(&call, step, w, sizeof *w));
}

cublasStatus_t cublas_run_matrices(cublasHandle_t handle, const struct cublas_work *w,
                                   simt_library_step step, const struct cublas_leading *leading,
                                   unsigned count)
{
    cublasStatus_t status = cublas_check(handle, w);
    for (unsigned i = 0; status == CUBLAS_STATUS_SUCCESS && i < count; i++) {
        status = cublas_check_leading(w, leading[i].what, leading[i].leading, leading[i].rows);
    }
    return status == CUBLAS_STATUS_SUCCESS ? cublas_run(handle, w, step, false) : status;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Vectors are matrices of one row. */
static cublasStatus_t copy_matrix(int rows, int columns, int size, const void *from,
                                  int from_leading, void *to, int to_leading,
                                  enum cudaMemcpyKind kind, const cudaStream_t *stream)
{
    if (rows < 0 || columns < 0 || size <= 0 || from_leading <= 0 || to_leading <= 0) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    const size_t bytes = (size_t)size, width = (size_t)rows * bytes;
    const size_t from_pitch = (size_t)from_leading * bytes, to_pitch = (size_t)to_leading * bytes;
    const cudaError_t code =
        stream != NULL ? cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, (size_t)columns,
                                           kind, *stream)
                       : cudaMemcpy2D(to, to_pitch, from, from_pitch, width, (size_t)columns, kind);
    return code == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

#define COPIES(Get, kind)                                                                          \
    cublasStatus_t cublas##Get##Vector(int n, int size, const void *x, int incx, void *y,          \
                                       int incy)                                                   \
    {                                                                                              \
        return copy_matrix(1, n, size, x, incx, y, incy, kind, NULL);                              \
    }                                                                                              \
    cublasStatus_t cublas##Get##VectorAsync(int n, int size, const void *x, int incx, void *y,     \
                                            int incy, cudaStream_t stream)                         \
    {                                                                                              \
        return copy_matrix(1, n, size, x, incx, y, incy, kind, &stream);                           \
    }                                                                                              \
    cublasStatus_t cublas##Get##Matrix(int rows, int cols, int size, const void *a, int lda,       \
                                       void *b, int ldb)                                           \
    {                                                                                              \
        return copy_matrix(rows, cols, size, a, lda, b, ldb, kind, NULL);                          \
    }                                                                                              \
    cublasStatus_t cublas##Get##MatrixAsync(int rows, int cols, int size, const void *a, int lda,  \
                                            void *b, int ldb, cudaStream_t stream)                 \
    {                                                                                              \
        return copy_matrix(rows, cols, size, a, lda, b, ldb, kind, &stream);                       \
    }
COPIES(Set, cudaMemcpyHostToDevice)
COPIES(Get, cudaMemcpyDeviceToHost)
