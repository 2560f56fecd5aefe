/* cusparse_view.c - our cuSPARSE: scalars, and the arrays of a matrix while a work is done. */
#include "libraries/cusparse.h"

struct cusparse_scalar cusparse_take_scalar(cusparseHandle_t handle, const void *scalar,
                                            cudaDataType type)
{
    struct cusparse_scalar s = {.pointer = scalar,
                                .type = type,
                                .on_device = handle->pointers == CUSPARSE_POINTER_MODE_DEVICE};
    if (!s.on_device && scalar != NULL) {
        s.value = element_load(type, scalar, 0);
    }
    return s;
}

bool cusparse_read_scalar(struct simt_library *l, const struct cusparse_scalar *s, double *value)
{
    const void *at = s->on_device ? simt_library_line(l, "scalar", s->pointer,
                                                      element_size(s->type), LIBRARY_READS)
                                  : s;
    *value = s->on_device && at != NULL ? element_load(s->type, at, 0) : s->value;
    return at != NULL;
}

uint64_t cusparse_index_bytes(cusparseIndexType_t type)
{
    return type == CUSPARSE_INDEX_64I ? 8 : type == CUSPARSE_INDEX_32I ? 4 : 2;
}

int64_t cusparse_index(cusparseIndexType_t type, const void *array, int64_t i)
{
    return type == CUSPARSE_INDEX_64I   ? ((const int64_t *)array)[i]
           : type == CUSPARSE_INDEX_32I ? ((const int32_t *)array)[i]
                                        : ((const uint16_t *)array)[i];
}

void cusparse_set_index(cusparseIndexType_t type, void *array, int64_t i, int64_t value)
{
    if (type == CUSPARSE_INDEX_64I) {
        ((int64_t *)array)[i] = value;
    } else if (type == CUSPARSE_INDEX_32I) {
        ((int32_t *)array)[i] = (int32_t)value;
    } else {
        ((uint16_t *)array)[i] = (uint16_t)value;
    }
}

int64_t cusparse_lines(const struct cusparseSpMatDescr *m)
{
    return m->format == CUSPARSE_FORMAT_CSR ? m->rows : m->columns;
}

bool cusparse_open_result(struct simt_library *l, const struct cusparseSpMatDescr *m,
                          void *arrays[3])
{
    const uint64_t count = (uint64_t)m->count;
    const uint64_t entries =
        m->format == CUSPARSE_FORMAT_COO ? count : (uint64_t)cusparse_lines(m) + 1;
    const uint64_t bytes[] = {entries * cusparse_index_bytes(m->first_index),
                              count * cusparse_index_bytes(m->second_index),
                              count * element_size(m->type)};
    static const char *const roles[] = {"array of offsets or rows", "array of indices",
                                        "array of values"};
    void *const pointers[] = {m->first, m->second, m->values};
    bool good = true;
    for (unsigned i = 0; good && i < 3; i++) {
        arrays[i] = simt_library_line(l, roles[i], pointers[i], bytes[i], LIBRARY_WRITES);
        good = arrays[i] != NULL;
    }
    return good;
}

bool cusparse_open_view(struct simt_library *l, const struct cusparseSpMatDescr *m,
                        enum simt_library_use values, struct cusparse_view *v)
{
    const bool listed = m->format == CUSPARSE_FORMAT_COO;
    const uint64_t count = (uint64_t)m->count;
    const uint64_t entries = listed ? count : (uint64_t)cusparse_lines(m) + 1;
    v->of = m;
    v->first = simt_library_line(l, listed ? "array of row indices" : "array of offsets", m->first,
                                 entries * cusparse_index_bytes(m->first_index), LIBRARY_READS);
    v->second = v->first != NULL ? simt_library_line(l, "array of indices", m->second,
                                                     count * cusparse_index_bytes(m->second_index),
                                                     LIBRARY_READS)
                                 : NULL;
    v->values = v->second != NULL ? simt_library_line(l, "array of values", m->values,
                                                      count * element_size(m->type), values)
                                  : NULL;
    return v->values != NULL;
}

static bool is_within(int64_t i, int64_t limit) { return i >= 0 && i < limit; }

static bool visit_one(const char *call, const struct cusparse_view *v, const int64_t place[2],
                      int64_t at, void (*visit)(void *, int64_t, int64_t, int64_t), void *state)
{
    const struct cusparseSpMatDescr *m = v->of;
    if (!is_within(place[0], m->rows) || !is_within(place[1], m->columns)) {
        simt_library_say(call,
                         "element %lld lies in row %lld, column %lld of a matrix of %lld x %lld "
                         "(both counted from 0)",
                         (long long)at, (long long)place[0], (long long)place[1],
                         (long long)m->rows, (long long)m->columns);
        return false;
    }
    visit(state, place[0], place[1], at);
    return true;
}

bool cusparse_visit(const char *call, const struct cusparse_view *v,
                    void (*visit)(void *state, int64_t row, int64_t column, int64_t at),
                    void *state)
{
    const struct cusparseSpMatDescr *m = v->of;
    const bool by_columns = m->format == CUSPARSE_FORMAT_CSC;
    if (m->format == CUSPARSE_FORMAT_COO) {
        for (int64_t i = 0; i < m->count; i++) {
            const int64_t place[] = {cusparse_index(m->first_index, v->first, i) - m->base,
                                     cusparse_index(m->second_index, v->second, i) - m->base};
            if (!visit_one(call, v, place, i, visit, state)) {
                return false;
            }
        }
        return true;
    }
    for (int64_t line = 0; line < cusparse_lines(m); line++) {
        const int64_t begin = cusparse_index(m->first_index, v->first, line) - m->base;
        const int64_t end = cusparse_index(m->first_index, v->first, line + 1) - m->base;
        if (begin < 0 || begin > end || end > m->count) {
            simt_library_say(call, "the offsets of line %lld are %lld to %lld, of %lld elements",
                             (long long)line, (long long)begin, (long long)end,
                             (long long)m->count);
            return false;
        }
        for (int64_t i = begin; i < end; i++) {
            const int64_t other = cusparse_index(m->second_index, v->second, i) - m->base;
            const int64_t place[] = {by_columns ? other : line, by_columns ? line : other};
            if (!visit_one(call, v, place, i, visit, state)) {
                return false;
            }
        }
    }
    return true;
}

static cusparseStatus_t run(cusparseHandle_t handle, const char *name, simt_library_step step,
                            const void *state, size_t bytes, bool waits)
{
    const struct simt_library_call call = {
        .library = "cuSPARSE", .name = name, .stream = handle->stream, .waits = waits};
    const int code = simt_library_run(&call, step, state, bytes);
    return LIBRARY_STATUS(CUSPARSE, code);
}

cusparseStatus_t cusparse_run(cusparseHandle_t handle, const char *name, simt_library_step step,
                              const void *state, size_t bytes)
{
    return run(handle, name, step, state, bytes, false);
}

cusparseStatus_t cusparse_run_and_wait(cusparseHandle_t handle, const char *name,
                                       simt_library_step step, const void *state, size_t bytes)
{
    return run(handle, name, step, state, bytes, true);
}

struct cusparseDnMatDescr cusparse_column(const struct cusparseDnVecDescr *v)
{
    return (struct cusparseDnMatDescr){.rows = v->size,
                                       .columns = 1,
                                       .leading = v->size,
                                       .values = v->values,
                                       .type = v->type,
                                       .order = CUSPARSE_ORDER_COL};
}

/* ---- several matrices ------------------------------------------------------------------------ */

static cusparseStatus_t set_batches(cusparseSpMatDescr_t m, cusparseFormat_t format, int count,
                                    int64_t first, int64_t second)
{
    if (m == NULL || m->format != format || count < 1 || first < 0 || second < 0) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    m->batches = count;
    m->first_stride = first;
    m->second_stride = second;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t offsets,
                                            int64_t columns_and_values)
{
    return set_batches(m, CUSPARSE_FORMAT_CSR, count, offsets, columns_and_values);
}

cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t stride)
{
    return set_batches(m, CUSPARSE_FORMAT_COO, count, stride, stride);
}

cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t m, int *count)
{
    *count = m->batches > 1 ? m->batches : 1;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t m, int count, int64_t stride)
{
    if (m == NULL || count < 1 || stride < 0) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    m->batches = count;
    m->stride = stride;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t m, int *count,
                                              int64_t *stride)
{
    *count = m->batches > 1 ? m->batches : 1;
    *stride = m->stride;
    return CUSPARSE_STATUS_SUCCESS;
}
