/* cusparse_vector.c - our cuSPARSE: sparse vectors beside dense ones: gather, scatter, sums and dot
 * products. */
#include "libraries/cusparse.h"

enum vector_step { SCATTERS, GATHERS, ADDS, MULTIPLIES };

struct vectors {
    enum vector_step step;
    const char *name;
    struct cusparseSpVecDescr sparse;
    struct cusparseDnVecDescr dense;
    struct cusparse_scalar alpha, beta; /* ADDS: y = alpha x + beta y */
    void *result;                       /* MULTIPLIES: the host's or the device's */
    cudaDataType result_type;
};

/* The arrays of both, as long as the work is done. */
struct open_vectors {
    const void *indices;
    void *values, *dense;
};

static bool open_vectors(struct simt_library *l, const struct vectors *v, struct open_vectors *o)
{
    static const enum simt_library_use uses[][2] = {
        [SCATTERS] = {LIBRARY_READS, LIBRARY_WRITES},
        [GATHERS] = {LIBRARY_WRITES, LIBRARY_READS},
        [ADDS] = {LIBRARY_READS, LIBRARY_READS_AND_WRITES},
        [MULTIPLIES] = {LIBRARY_READS, LIBRARY_READS},
    };
    const struct cusparseSpVecDescr *s = &v->sparse;
    const uint64_t count = (uint64_t)s->count;
    o->indices = simt_library_line(l, "array of indices", s->indices,
                                   count * cusparse_index_bytes(s->index), LIBRARY_READS);
    o->values = o->indices != NULL
                    ? simt_library_line(l, "sparse vector", s->values,
                                        count * element_size(s->type), uses[v->step][0])
                    : NULL;
    o->dense = o->values != NULL
                   ? simt_library_line(l, "dense vector", v->dense.values,
                                       (uint64_t)v->dense.size * element_size(v->dense.type),
                                       uses[v->step][1])
                   : NULL;
    return o->dense != NULL;
}

/* Where element i of the sparse vector lies in the dense one; -1, explained: nowhere. */
static int64_t place_in_dense(const struct vectors *v, const struct open_vectors *o, int64_t i)
{
    const int64_t at = cusparse_index(v->sparse.index, o->indices, i) - v->sparse.base;
    if (at >= 0 && at < v->dense.size) {
        return at;
    }
    simt_library_say(v->name, "index %lld of a vector of %lld elements", (long long)at,
                     (long long)v->dense.size);
    return -1;
}

static bool exchange(struct simt_library *l, const void *state)
{
    const struct vectors *v = state;
    struct open_vectors o;
    if (!open_vectors(l, v, &o)) {
        return false;
    }
    for (int64_t i = 0; i < v->sparse.count; i++) {
        const int64_t at = place_in_dense(v, &o, i);
        if (at < 0) {
            return false;
        }
        if (v->step == SCATTERS) {
            element_store(v->dense.type, o.dense, at, element_load(v->sparse.type, o.values, i));
        } else {
            element_store(v->sparse.type, o.values, i, element_load(v->dense.type, o.dense, at));
        }
    }
    return true;
}

static bool add(struct simt_library *l, const void *state)
{
    const struct vectors *v = state;
    struct open_vectors o;
    double alpha, beta;
    if (!cusparse_read_scalar(l, &v->alpha, &alpha) || !cusparse_read_scalar(l, &v->beta, &beta) ||
        !open_vectors(l, v, &o)) {
        return false;
    }
    for (int64_t i = 0; beta != 1 && i < v->dense.size; i++) {
        element_store(v->dense.type, o.dense, i, beta * element_load(v->dense.type, o.dense, i));
    }
    for (int64_t i = 0; i < v->sparse.count; i++) {
        const int64_t at = place_in_dense(v, &o, i);
        if (at < 0) {
            return false;
        }
        element_store(v->dense.type, o.dense, at,
                      element_load(v->dense.type, o.dense, at) +
                          alpha * element_load(v->sparse.type, o.values, i));
    }
    return true;
}

static bool multiply(struct simt_library *l, const void *state)
{
    const struct vectors *v = state;
    struct open_vectors o;
    double sum = 0;
    if (!open_vectors(l, v, &o)) {
        return false;
    }
    void *result =
        simt_library_result(l, "result", v->result, element_size(v->result_type), LIBRARY_WRITES);
    for (int64_t i = 0; result != NULL && i < v->sparse.count; i++) {
        const int64_t at = place_in_dense(v, &o, i);
        if (at < 0) {
            return false;
        }
        sum += element_load(v->sparse.type, o.values, i) * element_load(v->dense.type, o.dense, at);
    }
    if (result != NULL) {
        element_store(v->result_type, result, 0, sum);
    }
    return result != NULL;
}

static cusparseStatus_t check_vectors(cusparseHandle_t handle,
                                      const struct cusparseSpVecDescr *sparse,
                                      const struct cusparseDnVecDescr *dense)
{
    return handle == NULL                    ? CUSPARSE_STATUS_NOT_INITIALIZED
           : sparse == NULL || dense == NULL ? CUSPARSE_STATUS_INVALID_VALUE
                                             : CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t run_exchange(cusparseHandle_t handle,
                                     const struct cusparseSpVecDescr *sparse,
                                     const struct cusparseDnVecDescr *dense, bool scatters)
{
    const cusparseStatus_t status = check_vectors(handle, sparse, dense);
    if (status != CUSPARSE_STATUS_SUCCESS) {
        return status;
    }
    const struct vectors v = {.step = scatters ? SCATTERS : GATHERS,
                              .name = scatters ? "cusparseScatter" : "cusparseGather",
                              .sparse = *sparse,
                              .dense = *dense};
    return cusparse_run(handle, v.name, exchange, &v, sizeof v);
}

cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                                 cusparseDnVecDescr_t y)
{
    return run_exchange(handle, x, y, true);
}

cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y,
                                cusparseSpVecDescr_t x)
{
    return run_exchange(handle, x, y, false);
}

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha,
                               cusparseConstSpVecDescr_t x, const void *beta,
                               cusparseDnVecDescr_t y)
{
    const cusparseStatus_t status = check_vectors(handle, x, y);
    if (status != CUSPARSE_STATUS_SUCCESS) {
        return status;
    }
    const struct vectors v = {.step = ADDS,
                              .name = "cusparseAxpby",
                              .sparse = *x,
                              .dense = *y,
                              .alpha = cusparse_take_scalar(handle, alpha, y->type),
                              .beta = cusparse_take_scalar(handle, beta, y->type)};
    return cusparse_run(handle, v.name, add, &v, sizeof v);
}

cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op,
                                         cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                                         const void *result, cudaDataType compute, size_t *bytes)
{
    *bytes = CUSPARSE_BUFFER_BYTES;
    return check_vectors(handle, x, y);
}

cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op,
                              cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                              void *result, cudaDataType compute, void *buffer)
{
    const cusparseStatus_t status = check_vectors(handle, x, y);
    if (status != CUSPARSE_STATUS_SUCCESS) {
        return status;
    }
    if (!cusparse_is_type(compute)) {
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    const struct vectors v = {.step = MULTIPLIES,
                              .name = "cusparseSpVV",
                              .sparse = *x,
                              .dense = *y,
                              .result = result,
                              .result_type = compute};
    return handle->pointers == CUSPARSE_POINTER_MODE_HOST
               ? cusparse_run_and_wait(handle, v.name, multiply, &v, sizeof v)
               : cusparse_run(handle, v.name, multiply, &v, sizeof v);
}
