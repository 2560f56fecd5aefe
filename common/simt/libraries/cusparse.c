/* cusparse.c - our cuSPARSE: handles, and descriptions of vectors and matrices. */
#include "libraries/cusparse.h"

#include <string.h>

#include "libraries/objects.h"

/* ---- handles --------------------------------------------------------------------------------- */

const char *cusparseGetErrorName(cusparseStatus_t status)
{
    switch (status) {
#define NAME(name, value, text)                                                                    \
    case name:                                                                                     \
        return #name;
        SIMT_CUSPARSE_STATUSES(NAME)
#undef NAME
    }
    return "unrecognized error code";
}

const char *cusparseGetErrorString(cusparseStatus_t status)
{
    switch (status) {
#define TEXT(name, value, text)                                                                    \
    case name:                                                                                     \
        return text;
        SIMT_CUSPARSE_STATUSES(TEXT)
#undef TEXT
    }
    return "unrecognized error code";
}

LIBRARY_OBJECT(cusparse, CUSPARSE, cusparseHandle_t, cusparseCreate, cusparseDestroy)
LIBRARY_VALUE(cusparse, CUSPARSE, library_has, cusparseHandle_t, cusparseSetStream,
              cusparseGetStream, cudaStream_t, stream)
LIBRARY_VALUE(cusparse, CUSPARSE, library_has, cusparseHandle_t, cusparseSetPointerMode,
              cusparseGetPointerMode, cusparsePointerMode_t, pointers)

cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version)
{
    *version = CUSPARSE_VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
    *value = type == MAJOR_VERSION ? CUSPARSE_VERSION / 1000 : type == MINOR_VERSION ? 6 : 0;
    return CUSPARSE_STATUS_SUCCESS;
}

/* ---- older descriptions ---------------------------------------------------------------------- */

LIBRARY_OBJECT(cusparse, CUSPARSE, cusparseMatDescr_t, cusparseCreateMatDescr,
               cusparseDestroyMatDescr)

#define MATRIX_ACCESSORS(Name, field, what)                                                        \
    cusparseStatus_t cusparseSetMat##Name(cusparseMatDescr_t m, what value)                        \
    {                                                                                              \
        if (m == NULL) {                                                                           \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        }                                                                                          \
        m->field = value;                                                                          \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    what cusparseGetMat##Name(const cusparseMatDescr_t m) { return m->field; }
MATRIX_ACCESSORS(Type, type, cusparseMatrixType_t)
MATRIX_ACCESSORS(FillMode, fill, cusparseFillMode_t)
MATRIX_ACCESSORS(DiagType, diagonal, cusparseDiagType_t)
MATRIX_ACCESSORS(IndexBase, base, cusparseIndexBase_t)

/* ---- vectors --------------------------------------------------------------------------------- */

/* A new object of the caller's, or not where the caller has no place for it. */
#define CREATE(place, ...)                                                                         \
    if ((place) == NULL) {                                                                         \
        return CUSPARSE_STATUS_INVALID_VALUE;                                                      \
    }                                                                                              \
    *(place) = room_copy(&(__VA_ARGS__), 1, sizeof(__VA_ARGS__));                                  \
    return CUSPARSE_STATUS_SUCCESS
#define DESTROY(object)                                                                            \
    free((void *)(uintptr_t)(object));                                                             \
    return CUSPARSE_STATUS_SUCCESS

bool cusparse_is_type(cudaDataType type) { return element_size(type) != 0; }

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *v, int64_t size, int64_t nnz,
                                     void *indices, void *values, cusparseIndexType_t index,
                                     cusparseIndexBase_t base, cudaDataType type)
{
    if (size < 0 || nnz < 0 || nnz > size || !cusparse_is_type(type)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    CREATE(v, (struct cusparseSpVecDescr){size, nnz, indices, values, index, base, type});
}

cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t v) { DESTROY(v); }

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *v, int64_t size, void *values,
                                     cudaDataType type)
{
    if (size < 0 || !cusparse_is_type(type)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    CREATE(v, (struct cusparseDnVecDescr){size, values, type});
}

cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *v, int64_t size,
                                          const void *values, cudaDataType type)
{
    return cusparseCreateDnVec((cusparseDnVecDescr_t *)(uintptr_t)v, size,
                               (void *)(uintptr_t)values, type);
}

cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t v) { DESTROY(v); }

cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t v, void **values)
{
    *values = v->values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t v, void *values)
{
    v->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

/* ---- matrices -------------------------------------------------------------------------------- */

static cusparseStatus_t create_matrix(cusparseSpMatDescr_t *m, const struct cusparseSpMatDescr *of)
{
    if (of->rows < 0 || of->columns < 0 || of->count < 0 || !cusparse_is_type(of->type)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    CREATE(m, *of);
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *m, int64_t rows, int64_t columns,
                                   int64_t count, void *offsets, void *indices, void *values,
                                   cusparseIndexType_t offset, cusparseIndexType_t index,
                                   cusparseIndexBase_t base, cudaDataType type)
{
    return create_matrix(m, &(struct cusparseSpMatDescr){CUSPARSE_FORMAT_CSR, rows, columns, count,
                                                         offsets, indices, values, offset, index,
                                                         base, type, 0, 0, 0, 0, 0});
}

cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *m, int64_t rows, int64_t columns,
                                        int64_t count, const void *offsets, const void *indices,
                                        const void *values, cusparseIndexType_t offset,
                                        cusparseIndexType_t index, cusparseIndexBase_t base,
                                        cudaDataType type)
{
    return cusparseCreateCsr((cusparseSpMatDescr_t *)(uintptr_t)m, rows, columns, count,
                             (void *)(uintptr_t)offsets, (void *)(uintptr_t)indices,
                             (void *)(uintptr_t)values, offset, index, base, type);
}

cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *m, int64_t rows, int64_t columns,
                                   int64_t count, void *offsets, void *indices, void *values,
                                   cusparseIndexType_t offset, cusparseIndexType_t index,
                                   cusparseIndexBase_t base, cudaDataType type)
{
    return create_matrix(m, &(struct cusparseSpMatDescr){CUSPARSE_FORMAT_CSC, rows, columns, count,
                                                         offsets, indices, values, offset, index,
                                                         base, type, 0, 0, 0, 0, 0});
}

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *m, int64_t rows, int64_t columns,
                                   int64_t count, void *row_indices, void *indices, void *values,
                                   cusparseIndexType_t index, cusparseIndexBase_t base,
                                   cudaDataType type)
{
    return create_matrix(m, &(struct cusparseSpMatDescr){CUSPARSE_FORMAT_COO, rows, columns, count,
                                                         row_indices, indices, values, index, index,
                                                         base, type, 0, 0, 0, 0, 0});
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t m) { DESTROY(m); }

cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t m, int64_t *rows, int64_t *columns,
                                      int64_t *count)
{
    *rows = m->rows;
    *columns = m->columns;
    *count = m->count;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t m, cusparseFormat_t *format)
{
    *format = m->format;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t m, void *values)
{
    m->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

#define SET_POINTERS(Name)                                                                         \
    cusparseStatus_t cusparse##Name##SetPointers(cusparseSpMatDescr_t m, void *first,              \
                                                 void *second, void *values)                       \
    {                                                                                              \
        m->first = first;                                                                          \
        m->second = second;                                                                        \
        m->values = values;                                                                        \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }
SET_POINTERS(Csr)
SET_POINTERS(Csc)
SET_POINTERS(Coo)

cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t m, void **values)
{
    *values = m->values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t m,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t bytes)
{
    const void *from =
        attribute == CUSPARSE_SPMAT_FILL_MODE ? (const void *)&m->fill : &m->diagonal;
    if (data == NULL || bytes != sizeof m->fill) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    memcpy(data, from, bytes);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t m,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t bytes)
{
    void *to = attribute == CUSPARSE_SPMAT_FILL_MODE ? (void *)&m->fill : &m->diagonal;
    if (data == NULL || bytes != sizeof m->fill) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    memcpy(to, data, bytes);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *m, int64_t rows, int64_t columns,
                                     int64_t leading, void *values, cudaDataType type,
                                     cusparseOrder_t order)
{
    if (rows < 0 || columns < 0 || leading < (order == CUSPARSE_ORDER_COL ? rows : columns) ||
        !cusparse_is_type(type)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    CREATE(m, (struct cusparseDnMatDescr){.rows = rows,
                                          .columns = columns,
                                          .leading = leading,
                                          .values = values,
                                          .type = type,
                                          .order = order});
}

cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t m) { DESTROY(m); }
