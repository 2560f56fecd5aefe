/* cublaslt.c - cuBLASLt's handles and descriptors. Their attributes are rows of tables; which of
 * them a product can have is for cublaslt_matmul.c to say. */
#include "libraries/cublaslt.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"

/* A new object at the caller's place, and what begins it; an error if there is no place. */
#define CREATE(place, ...)                                                                         \
    if ((place) == NULL) {                                                                         \
        return CUBLAS_STATUS_INVALID_VALUE;                                                        \
    }                                                                                              \
    *(place) = room_new(1, sizeof **(place));                                                      \
    return __VA_ARGS__

static cublasStatus_t destroy(void *object)
{
    free(object);
    return CUBLAS_STATUS_SUCCESS;
}

/* A handle has no state: a cuBLAS handle is as good. */
cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *handle = room_new(1, 1);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    free(handle);
    return handle != NULL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

size_t cublasLtGetVersion(void)
{
    int version = 0;
    cublasGetVersion_v2(NULL, &version);
    return (size_t)version;
}

size_t cublasLtGetCudartVersion(void)
{
    int version = 0;
    cudaRuntimeGetVersion(&version);
    return (size_t)version;
}

const char *cublasLtGetStatusName(cublasStatus_t status) { return cublasGetStatusName(status); }

const char *cublasLtGetStatusString(cublasStatus_t status) { return cublasGetStatusString(status); }

/* ---- attributes ------------------------------------------------------------------------------ */

struct attribute {
    int name;
    unsigned offset, size;
};
#define ROW(name, type, member)                                                                    \
    {                                                                                              \
        name, offsetof(type, member), sizeof(((type *)0)->member)                                  \
    }

static const struct attribute of_layout[] = {
    ROW(CUBLASLT_MATRIX_LAYOUT_TYPE, struct lt_layout, type),
    ROW(CUBLASLT_MATRIX_LAYOUT_ORDER, struct lt_layout, order),
    ROW(CUBLASLT_MATRIX_LAYOUT_ROWS, struct lt_layout, rows),
    ROW(CUBLASLT_MATRIX_LAYOUT_COLS, struct lt_layout, columns),
    ROW(CUBLASLT_MATRIX_LAYOUT_LD, struct lt_layout, leading),
    ROW(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, struct lt_layout, batch),
    ROW(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, struct lt_layout, stride),
    ROW(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, struct lt_layout, plane),
    {0, 0, 0},
};

static const struct attribute of_product[] = {
    ROW(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, struct lt_product, compute),
    ROW(CUBLASLT_MATMUL_DESC_SCALE_TYPE, struct lt_product, scale_type),
    ROW(CUBLASLT_MATMUL_DESC_POINTER_MODE, struct lt_product, pointers),
    ROW(CUBLASLT_MATMUL_DESC_TRANSA, struct lt_product, op_a),
    ROW(CUBLASLT_MATMUL_DESC_TRANSB, struct lt_product, op_b),
    ROW(CUBLASLT_MATMUL_DESC_TRANSC, struct lt_product, op_c),
    ROW(CUBLASLT_MATMUL_DESC_FILL_MODE, struct lt_product, fill),
    ROW(CUBLASLT_MATMUL_DESC_EPILOGUE, struct lt_product, epilogue),
    ROW(CUBLASLT_MATMUL_DESC_BIAS_POINTER, struct lt_product, bias),
    ROW(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, struct lt_product, bias_stride),
    ROW(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, struct lt_product, aux),
    ROW(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, struct lt_product, aux_leading),
    ROW(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, struct lt_product, aux_stride),
    ROW(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, struct lt_product, alpha_stride),
    ROW(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, struct lt_product, sm_count),
    ROW(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, struct lt_product, scales[0]),
    ROW(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, struct lt_product, scales[1]),
    ROW(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, struct lt_product, scales[2]),
    ROW(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, struct lt_product, scales[3]),
    ROW(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, struct lt_product, scales[4]),
    ROW(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, struct lt_product, aux_type),
    ROW(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, struct lt_product, scales[5]),
    ROW(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, struct lt_product, scales[6]),
    ROW(CUBLASLT_MATMUL_DESC_FAST_ACCUM, struct lt_product, fast),
    ROW(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, struct lt_product, bias_type),
    {0, 0, 0},
};

static const struct attribute *find(const struct attribute *rows, int name)
{
    while (rows->size != 0 && rows->name != name) {
        rows++;
    }
    return rows->size != 0 ? rows : NULL;
}

static cublasStatus_t set(const char *call, void *of, const struct attribute *rows, int name,
                          const void *value, size_t bytes)
{
    const struct attribute *a = find(rows, name);
    if (of == NULL || value == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (a == NULL) {
        simt_library_say(call, "attribute %d is not simulated", name);
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (bytes < a->size) {
        simt_library_say(call, "attribute %d has %u bytes, not %zu", name, a->size, bytes);
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    memcpy((char *)of + a->offset, value, a->size);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t get(const void *of, const struct attribute *rows, int name, void *value,
                          size_t bytes, size_t *written)
{
    const struct attribute *a = find(rows, name);
    if (of == NULL || a == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (written != NULL) {
        *written = a->size;
    }
    if (value != NULL && bytes >= a->size) {
        memcpy(value, (const char *)of + a->offset, a->size);
    }
    return bytes >= a->size || (bytes == 0 && written != NULL) ? CUBLAS_STATUS_SUCCESS
                                                               : CUBLAS_STATUS_INVALID_VALUE;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* The end of a descriptor, and its attributes. */
#define DESCRIPTOR(Name, attributes, rows)                                                         \
    cublasStatus_t Name##Destroy(Name##_t object) { return destroy(object); }                      \
    cublasStatus_t Name##SetAttribute(Name##_t object, attributes attr, const void *buf,           \
                                      size_t sizeInBytes)                                          \
    {                                                                                              \
        return set(#Name "SetAttribute", object, rows, (int)attr, buf, sizeInBytes);               \
    }                                                                                              \
    cublasStatus_t Name##GetAttribute(Name##_t object, attributes attr, void *buf,                 \
                                      size_t sizeInBytes, size_t *sizeWritten)                     \
    {                                                                                              \
        return get(object, rows, (int)attr, buf, sizeInBytes, sizeWritten);                        \
    }

/* What is in `from` becomes the object of `size` bytes that the caller has room for. */
static cublasStatus_t begin(void *object, size_t size, const void *from, size_t bytes)
{
    if (object == NULL || size < bytes) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    memset(object, 0, size);
    memcpy(object, from, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t size,
                                                 cudaDataType type, uint64_t rows, uint64_t cols,
                                                 int64_t ld)
{
    const struct lt_layout l = {
        .type = (uint32_t)type, .batch = 1, .rows = rows, .columns = cols, .leading = ld};
    return begin(layout, size, &l, sizeof l);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type,
                                          uint64_t rows, uint64_t cols, int64_t ld)
{
    CREATE(layout,
           cublasLtMatrixLayoutInit_internal(*layout, sizeof **layout, type, rows, cols, ld));
}

DESCRIPTOR(cublasLtMatrixLayout, cublasLtMatrixLayoutAttribute_t, of_layout)

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t product, size_t size,
                                               cublasComputeType_t compute, cudaDataType_t scale)
{
    const struct lt_product p = {.compute = (int32_t)compute,
                                 .scale_type = (int32_t)scale,
                                 .fill = CUBLAS_FILL_MODE_FULL,
                                 .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                                 .bias_type = -1,
                                 .aux_type = -1};
    return begin(product, size, &p, sizeof p);
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *product, cublasComputeType_t compute,
                                        cudaDataType_t scale)
{
    CREATE(product, cublasLtMatmulDescInit_internal(*product, sizeof **product, compute, scale));
}

DESCRIPTOR(cublasLtMatmulDesc, cublasLtMatmulDescAttributes_t, of_product)

/* ---- preferences: whatever is preferred, there is one way ------------------------------------ */

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t pref, size_t size)
{
    if (pref == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    memset(pref, 0, size);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *pref)
{
    CREATE(pref, CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t pref)
{
    return destroy(pref);
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t pref,
                                                    cublasLtMatmulPreferenceAttributes_t attr,
                                                    const void *buf, size_t sizeInBytes)
{
    return pref != NULL && buf != NULL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
