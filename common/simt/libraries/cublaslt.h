/* cublaslt.h - what the files of our cuBLASLt share: the contents of its descriptors, which
 * programs may keep in memory of their own. Private to cublaslt*.c. */
#ifndef SIMT_LIBRARIES_CUBLASLT_H
#define SIMT_LIBRARIES_CUBLASLT_H

#include "libraries/cublas.h"

#include "include/cublasLt.h"

/* Of a cublasLtMatrixLayout_t. */
struct lt_layout {
    uint32_t type;
    int32_t order, batch;
    uint32_t unused;
    uint64_t rows, columns;
    int64_t leading, stride, plane;
};

/* Of a cublasLtMatmulDesc_t. */
struct lt_product {
    int32_t compute, scale_type, pointers, op_a, op_b, op_c, fill, sm_count;
    uint32_t epilogue;
    int32_t bias_type, aux_type; /* -1: D's */
    int8_t fast;
    const void *bias;
    int64_t bias_stride;
    void *aux;
    int64_t aux_leading, aux_stride, alpha_stride;
    const void
        *scales[7]; /* of A, B, C, D, the largest of D, of the auxiliary matrix, and its largest */
};

#endif
