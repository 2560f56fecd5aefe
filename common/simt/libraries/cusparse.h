/* cusparse.h - what the files of our cuSPARSE share: descriptions, and how a matrix is walked.
 *
 * Private to cusparse*.c. Sums are made in double. */
#ifndef SIMT_CUSPARSE_PRIVATE_H
#define SIMT_CUSPARSE_PRIVATE_H

#include "libraries/element.h"
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
};

struct cusparseDnMatDescr {
    int64_t rows, columns, leading;
    void *values;
    cudaDataType type;
    cusparseOrder_t order;
};

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
int64_t cusparse_index(cusparseIndexType_t type, const void *array, int64_t i);
/* Calls visit for each element in the order of memory. false: an index lies outside of the matrix,
 * explained. */
bool cusparse_visit(const char *call, const struct cusparse_view *v,
                    void (*visit)(void *state, int64_t row, int64_t column, int64_t at),
                    void *state);

cusparseStatus_t cusparse_run(cusparseHandle_t handle, const char *name, simt_library_step step,
                              const void *state, size_t bytes);

#endif
