/* cusparse.h - what the files of our cuSPARSE share: descriptions, and how a matrix is walked.
 *
 * Private to cusparse*.c. Sums are made in double. */
#ifndef SIMT_LIBRARIES_CUSPARSE_H
#define SIMT_LIBRARIES_CUSPARSE_H

#include "libraries/element.h"
#include "libraries/objects.h"
#include "runtime/library.h"

#include "include/cusparse.h"

struct cusparseContext {
    cudaStream_t stream;
    cusparsePointerMode_t pointers;
};

struct cusparseMatDescr {
    cusparseMatrixType_t type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
    cusparseIndexBase_t base;
};

struct cusparseSpVecDescr {
    int64_t size, count;
    void *indices, *values;
    cusparseIndexType_t index;
    cusparseIndexBase_t base;
    cudaDataType type;
};

struct cusparseDnVecDescr {
    int64_t size;
    void *values;
    cudaDataType type;
};

struct cusparseSpMatDescr {
    cusparseFormat_t format;
    int64_t rows, columns, count;
    /* Of compressed lines: where each begins, and the other index of each element; of coordinates:
     * both. */
    void *first, *second, *values;
    cusparseIndexType_t first_index, second_index;
    cusparseIndexBase_t base;
    cudaDataType type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
    int batches;                         /* 0 and 1: it is one matrix */
    int64_t first_stride, second_stride; /* of `first`; of `second` and values, in elements */
};

struct cusparseDnMatDescr {
    int64_t rows, columns, leading;
    void *values;
    cudaDataType type;
    cusparseOrder_t order;
    int batches; /* as above */
    int64_t stride;
};

/* A vector is a matrix of one column. */
struct cusparseDnMatDescr cusparse_column(const struct cusparseDnVecDescr *v);

/* A scalar of the host's or the device's. */
struct cusparse_scalar {
    const void *pointer;
    double value;
    bool on_device;
    cudaDataType type;
};

bool cusparse_is_type(cudaDataType type); /* elements that we have */
struct cusparse_scalar cusparse_take_scalar(cusparseHandle_t handle, const void *scalar,
                                            cudaDataType type);
bool cusparse_read_scalar(struct simt_library *l, const struct cusparse_scalar *s, double *value);

/* A matrix as a work sees it: its arrays on the host. */
struct cusparse_view {
    const struct cusparseSpMatDescr *of;
    const void *first, *second;
    void *values;
};
bool cusparse_open_view(struct simt_library *l, const struct cusparseSpMatDescr *m,
                        enum simt_library_use values, struct cusparse_view *view);
/* The same of a matrix that is to be stored: offsets or rows, indices, values. */
bool cusparse_open_result(struct simt_library *l, const struct cusparseSpMatDescr *m,
                          void *arrays[3]);
int64_t cusparse_lines(const struct cusparseSpMatDescr *m); /* compressed ones: rows or columns */
uint64_t cusparse_index_bytes(cusparseIndexType_t type);
int64_t cusparse_index(cusparseIndexType_t type, const void *array, int64_t i);
void cusparse_set_index(cusparseIndexType_t type, void *array, int64_t i, int64_t value);
/* Calls visit for each element in the order of memory. false: an index lies outside of the matrix,
 * explained. */
bool cusparse_visit(const char *call, const struct cusparse_view *v,
                    void (*visit)(void *state, int64_t row, int64_t column, int64_t at),
                    void *state);

/* A dense matrix: where an element lies, and all of it on the host. */
int64_t cusparse_place(const struct cusparseDnMatDescr *m, int64_t row, int64_t column);
void *cusparse_dense(struct simt_library *l, const char *role, const struct cusparseDnMatDescr *m,
                     enum simt_library_use use);
static inline bool cusparse_is_transposed(cusparseOperation_t op)
{
    return op != CUSPARSE_OPERATION_NON_TRANSPOSE;
}

cusparseStatus_t cusparse_run(cusparseHandle_t handle, const char *name, simt_library_step step,
                              const void *state, size_t bytes);
/* The same for what ends on the host. */
cusparseStatus_t cusparse_run_and_wait(cusparseHandle_t handle, const char *name,
                                       simt_library_step step, const void *state, size_t bytes);

/* No buffer is needed; programs allocate what this says, and not nothing. */
enum { CUSPARSE_BUFFER_BYTES = 16 };
#define CUSPARSE_NO_BUFFER(function, ...)                                                          \
    cusparseStatus_t function(__VA_ARGS__, size_t *bytes)                                          \
    {                                                                                              \
        *bytes = CUSPARSE_BUFFER_BYTES;                                                            \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }
/* A function that would prepare the work of another one. */
#define CUSPARSE_NOTHING_TO_PREPARE(function, ...)                                                 \
    cusparseStatus_t function(__VA_ARGS__, void *buffer) { return CUSPARSE_STATUS_SUCCESS; }

/* The description that an analysis would keep something in; ours keep nothing. */
#define CUSPARSE_EMPTY_DESCRIPTION(Name)                                                           \
    struct cusparse##Name##Descr {                                                                 \
        char nothing;                                                                              \
    };                                                                                             \
    LIBRARY_OBJECT(cusparse, CUSPARSE, cusparse##Name##Descr_t, cusparse##Name##_createDescr,      \
                   cusparse##Name##_destroyDescr)

#endif
