/* cublaslt_matmul.c - cublasLtMatmul(): D = epilogue(alpha op(A) op(B) + beta C). The sums are made
 * in float or double, the epilogue is computed in double, and D is rounded once. */
#include "libraries/cublaslt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"

enum {
    RELU = 2,
    BIAS = 4,
    RELU_GRADIENT = 8,
    BIAS_GRADIENT = 16,
    GELU = 32,
    GELU_GRADIENT = 64,
    AUX = 128,
    BIAS_GRADIENT_A = 256,
    BIAS_GRADIENT_B = 512,
    MASK_LEADING = 128 /* bits: a multiple of that */
};

/* All of a call, as the step finds it. */
struct lt_work {
    struct lt_product how;
    struct lt_layout a, b, c, d;
    const void *a_at, *b_at, *c_at;
    void *d_at;
    struct cublas_scalar alpha, beta;
};

/* One product of a batch while it is made. */
struct making {
    const struct lt_work *w;
    int64_t rows, columns, inner;
    double scalars[2];
    double *sums; /* alpha op(A) op(B), column by column */
    const void *a, *b, *c;
    void *d;
    const void *bias;
    void *bias_gradient, *aux;
};

/* ---- memory ---------------------------------------------------------------------------------- */

static void *matrix(struct simt_library *l, const char *role, const struct lt_layout *m,
                    const void *at, int64_t i, enum simt_library_use use)
{
    const bool by_rows = m->order == CUBLASLT_ORDER_ROW;
    const uint64_t size = element_size(m->type), rows = by_rows ? m->columns : m->rows;
    return simt_library_box(l, role, (const char *)at + i * m->stride * (int64_t)size, rows * size,
                            by_rows ? m->rows : m->columns, (uint64_t)m->leading * size, use);
}

static int64_t place(const struct lt_layout *m, int64_t row, int64_t column)
{
    return m->order == CUBLASLT_ORDER_ROW ? row * m->leading + column : column * m->leading + row;
}

static cudaDataType type_or(int32_t type, const struct lt_layout *d)
{
    return (cudaDataType)(type >= 0 ? (uint32_t)type : d->type);
}

static int64_t bias_length(const struct making *m)
{
    return m->w->how.epilogue & BIAS_GRADIENT_B ? m->columns : m->rows;
}

/* The vector beside D; a bias is read, a gradient of one is written. */
static bool find_bias(struct simt_library *l, struct making *m, int64_t i)
{
    const struct lt_product *how = &m->w->how;
    const unsigned size = element_size(type_or(how->bias_type, &m->w->d));
    const char *at = (const char *)how->bias + i * how->bias_stride * (int64_t)size;
    const uint64_t bytes = (uint64_t)bias_length(m) * size;
    if (how->epilogue & BIAS) {
        m->bias = simt_library_line(l, "bias", at, bytes, LIBRARY_READS);
        return m->bias != NULL;
    }
    if (how->epilogue & (BIAS_GRADIENT | BIAS_GRADIENT_A | BIAS_GRADIENT_B)) {
        m->bias_gradient = simt_library_line(l, "bias gradient", at, bytes, LIBRARY_WRITES);
        return m->bias_gradient != NULL;
    }
    return true;
}

/* The matrix beside D: what goes into GELU, or a bit for each element, whether ReLU let it pass. */
static bool find_aux(struct simt_library *l, struct making *m, int64_t i)
{
    const struct lt_product *how = &m->w->how;
    if (!(how->epilogue & AUX)) {
        return true;
    }
    const bool is_mask = how->epilogue & (RELU | RELU_GRADIENT);
    const uint64_t size = element_size(type_or(how->aux_type, &m->w->d));
    const uint64_t width = is_mask ? ((uint64_t)m->rows + 7) / 8 : (uint64_t)m->rows * size;
    const uint64_t pitch =
        is_mask ? (uint64_t)how->aux_leading / 8 : (uint64_t)how->aux_leading * size;
    const int64_t stride = is_mask ? how->aux_stride / 8 : how->aux_stride * (int64_t)size;
    m->aux = simt_library_box(
        l, "auxiliary matrix", (const char *)how->aux + i * stride, width, (uint64_t)m->columns,
        pitch, how->epilogue & (RELU_GRADIENT | GELU_GRADIENT) ? LIBRARY_READS : LIBRARY_WRITES);
    return m->aux != NULL;
}

/* ---- epilogues ------------------------------------------------------------------------------- */

/* GELU by the hyperbolic tangent, as cuBLASLt has it. */
static double gelu_inside(double x)
{
    return 0.7978845608028654 * (x + 0.044715 * x * x * x); /* sqrt(2 / pi) */
}

static double gelu(double x) { return 0.5 * x * (1 + tanh(gelu_inside(x))); }

static double gelu_gradient(double x)
{
    const double t = tanh(gelu_inside(x));
    const double inside = 0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inside;
}

static void set_bit(uint8_t *mask, int64_t bit, bool value)
{
    const uint8_t one = (uint8_t)(1u << bit % 8);
    mask[bit / 8] = (uint8_t)(value ? mask[bit / 8] | one : mask[bit / 8] & ~one);
}

/* What becomes of one element. */
static double finish(const struct making *m, int64_t row, int64_t column, double value)
{
    const struct lt_product *how = &m->w->how;
    const cudaDataType aux_type = type_or(how->aux_type, &m->w->d);
    const int64_t aside = column * how->aux_leading + row;
    if (how->epilogue & BIAS) {
        value += element_load(type_or(how->bias_type, &m->w->d), m->bias, row);
    }
    if (how->epilogue & RELU) {
        if (how->epilogue & AUX) {
            set_bit(m->aux, aside, value > 0);
        }
        value = value > 0 || isnan(value) ? value : 0;
    } else if (how->epilogue & GELU) {
        if (how->epilogue & AUX) {
            element_store(aux_type, m->aux, aside, value);
        }
        value = gelu(value);
    } else if (how->epilogue & RELU_GRADIENT) {
        value = ((const uint8_t *)m->aux)[aside / 8] >> aside % 8 & 1 ? value : 0;
    } else if (how->epilogue & GELU_GRADIENT) {
        value *= gelu_gradient(element_load(aux_type, m->aux, aside));
    }
    return value;
}

/* The sum over row `at` of D, or of what A or B has for that row or column of the product. */
static double bias_gradient(const struct making *m, int64_t at)
{
    const struct lt_work *w = m->w;
    double sum = 0;
    if (w->how.epilogue & BIAS_GRADIENT) {
        for (int64_t j = 0; j < m->columns; j++) {
            sum += m->sums[j * m->rows + at];
        }
        return sum;
    }
    const bool of_a = w->how.epilogue & BIAS_GRADIENT_A;
    const struct lt_layout *x = of_a ? &w->a : &w->b;
    const bool by_rows = of_a == ((of_a ? w->how.op_a : w->how.op_b) == CUBLAS_OP_N);
    for (int64_t p = 0; p < m->inner; p++) {
        sum +=
            element_load(x->type, of_a ? m->a : m->b, by_rows ? place(x, at, p) : place(x, p, at));
    }
    return sum;
}

/* ---- one product ----------------------------------------------------------------------------- */

/* A matrix that lies row by row is the transpose of one that lies column by column. */
static cublasOperation_t operation(int32_t op, const struct lt_layout *m)
{
    const bool transposed = (op != CUBLAS_OP_N) != (m->order == CUBLASLT_ORDER_ROW);
    return transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

static void multiply(struct making *m)
{
    const struct lt_work *w = m->w;
    const double once[2] = {1, 0};
    const bool in_double =
        w->how.compute == CUBLAS_COMPUTE_32I || w->how.compute == CUBLAS_COMPUTE_32I_PEDANTIC ||
        w->how.compute == CUBLAS_COMPUTE_64F || w->how.compute == CUBLAS_COMPUTE_64F_PEDANTIC;
    const struct cublas_work product = {.op_a = operation(w->how.op_a, &w->a),
                                        .op_b = operation(w->how.op_b, &w->b),
                                        .m = (int)m->rows,
                                        .n = (int)m->columns,
                                        .k = (int)m->inner,
                                        .a_type = (cudaDataType)w->a.type,
                                        .b_type = (cudaDataType)w->b.type,
                                        .c_type = in_double ? CUDA_R_64F : CUDA_R_32F,
                                        .lda = w->a.leading,
                                        .ldb = w->b.leading,
                                        .ldc = m->rows};
    const size_t count = (size_t)(m->rows * m->columns);
    if (in_double) {
        cublas_product(&product, m->a, m->b, m->sums, once);
        return;
    }
    float *sums = room_raw(count, sizeof *sums);
    cublas_product(&product, m->a, m->b, sums, once);
    for (size_t i = 0; i < count; i++) {
        m->sums[i] = (double)sums[i];
    }
    free(sums);
}

/* D may be C. */
static void store(struct making *m)
{
    const struct lt_work *w = m->w;
    for (int64_t j = 0; j < m->columns; j++) {
        for (int64_t i = 0; i < m->rows; i++) {
            double value = m->scalars[0] * m->sums[j * m->rows + i];
            if (m->scalars[1] != 0) {
                value += m->scalars[1] * element_load(w->c.type, m->c, place(&w->c, i, j));
            }
            value = finish(m, i, j, value);
            m->sums[j * m->rows + i] = value;
            element_store(w->d.type, m->d, place(&w->d, i, j), value);
        }
    }
    for (int64_t i = 0; m->bias_gradient != NULL && i < bias_length(m); i++) {
        element_store(type_or(w->how.bias_type, &w->d), m->bias_gradient, i, bias_gradient(m, i));
    }
}

static bool make(struct simt_library *l, struct making *m, int64_t i)
{
    const struct lt_work *w = m->w;
    const bool reads_c = m->scalars[1] != 0;
    m->a = matrix(l, "matrix A", &w->a, w->a_at, i, LIBRARY_READS);
    m->b = m->a != NULL ? matrix(l, "matrix B", &w->b, w->b_at, i, LIBRARY_READS) : NULL;
    m->c = m->b != NULL && reads_c ? matrix(l, "matrix C", &w->c, w->c_at, i, LIBRARY_READS) : NULL;
    m->d = m->b != NULL && (m->c != NULL || !reads_c)
               ? matrix(l, "matrix D", &w->d, w->d_at, i, LIBRARY_WRITES)
               : NULL;
    if (m->d == NULL || !find_bias(l, m, i) || !find_aux(l, m, i)) {
        return false;
    }
    multiply(m);
    store(m);
    return true;
}

static bool make_all(struct simt_library *l, const void *state)
{
    const struct lt_work *w = state;
    struct making m = {.w = w, .rows = (int64_t)w->d.rows, .columns = (int64_t)w->d.columns};
    m.inner = (int64_t)(w->how.op_a == CUBLAS_OP_N ? w->a.columns : w->a.rows);
    m.sums = room_raw((size_t)(m.rows * m.columns), sizeof *m.sums);
    bool good = cublas_read_scalar(l, &w->alpha, "scalar alpha", &m.scalars[0]) &&
                cublas_read_scalar(l, &w->beta, "scalar beta", &m.scalars[1]);
    for (int64_t i = 0; good && i < w->d.batch; i++) {
        good = make(l, &m, i);
    }
    free(m.sums);
    return good;
}

/* ---- what can be done ------------------------------------------------------------------------ */

static const char call[] = "cublasLtMatmul";

static bool is_simulated(const struct lt_work *w)
{
    const struct lt_layout *const all[] = {&w->a, &w->b, &w->c, &w->d};
    for (unsigned i = 0; i < 4; i++) {
        if (element_size((cudaDataType)all[i]->type) == 0 || all[i]->plane != 0) {
            simt_library_say(call, "only real elements of 16 to 64 bits and 8-bit integers are "
                                   "simulated, not complex or 8-bit floating-point numbers");
            return false;
        }
        if (all[i]->order != CUBLASLT_ORDER_COL && all[i]->order != CUBLASLT_ORDER_ROW) {
            simt_library_say(call, "matrices lie column by column or row by row; the orders COL32 "
                                   "and their like are not simulated");
            return false;
        }
    }
    for (unsigned i = 0; i < sizeof w->how.scales / sizeof w->how.scales[0]; i++) {
        if (w->how.scales[i] != NULL) {
            simt_library_say(call, "scales of A, B, C and D are not simulated");
            return false;
        }
    }
    if (w->how.pointers > CUBLASLT_POINTER_MODE_DEVICE || w->how.op_c != CUBLAS_OP_N ||
        w->how.fill != CUBLAS_FILL_MODE_FULL) {
        simt_library_say(call, "vectors of alpha, a transposed C and triangles are not simulated");
        return false;
    }
    return true;
}

static bool leads(const char *name, const struct lt_layout *m)
{
    const uint64_t least = m->order == CUBLASLT_ORDER_ROW ? m->columns : m->rows;
    if (m->leading < 0 || (uint64_t)m->leading < least) {
        simt_library_say(call, "the leading dimension of %s is %lld; at least %llu are needed",
                         name, (long long)m->leading, (unsigned long long)least);
        return false;
    }
    return true;
}

static bool fits(const struct lt_work *w)
{
    const bool na = w->how.op_a == CUBLAS_OP_N, nb = w->how.op_b == CUBLAS_OP_N;
    const uint64_t rows = na ? w->a.rows : w->a.columns, inner = na ? w->a.columns : w->a.rows;
    const uint64_t inner_b = nb ? w->b.rows : w->b.columns, columns = nb ? w->b.columns : w->b.rows;
    if (inner != inner_b || rows != w->d.rows || columns != w->d.columns || rows != w->c.rows ||
        columns != w->c.columns || rows > INT32_MAX || columns > INT32_MAX || inner > INT32_MAX) {
        simt_library_say(call,
                         "op(A) is %llu x %llu, op(B) %llu x %llu, C %llu x %llu, D %llu x %llu",
                         (unsigned long long)rows, (unsigned long long)inner,
                         (unsigned long long)inner_b, (unsigned long long)columns,
                         (unsigned long long)w->c.rows, (unsigned long long)w->c.columns,
                         (unsigned long long)w->d.rows, (unsigned long long)w->d.columns);
        return false;
    }
    if (w->a.batch != w->d.batch || w->b.batch != w->d.batch || w->c.batch != w->d.batch) {
        simt_library_say(call, "the batches of A, B, C and D have %d, %d, %d and %d matrices",
                         w->a.batch, w->b.batch, w->c.batch, w->d.batch);
        return false;
    }
    return leads("A", &w->a) && leads("B", &w->b) && leads("C", &w->c) && leads("D", &w->d);
}

/* Pointers and leading dimensions that the epilogue needs. */
static bool has_what_epilogue_needs(const struct lt_work *w)
{
    const struct lt_product *how = &w->how;
    const bool is_mask = how->epilogue & (RELU | RELU_GRADIENT);
    const unsigned vectors = BIAS | BIAS_GRADIENT | BIAS_GRADIENT_A | BIAS_GRADIENT_B;
    if (how->epilogue & vectors && how->bias == NULL) {
        simt_library_say(call, "the epilogue needs CUBLASLT_MATMUL_DESC_BIAS_POINTER");
        return false;
    }
    if (!(how->epilogue & AUX)) {
        return true;
    }
    if (how->aux == NULL || how->aux_leading < (int64_t)w->d.rows ||
        (is_mask && how->aux_leading % MASK_LEADING != 0)) {
        simt_library_say(call,
                         "the epilogue needs CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER and ..._LD, "
                         "which is at least D's rows%s",
                         is_mask ? ", and a multiple of 128 bits" : "");
        return false;
    }
    return true;
}

static cublasStatus_t judge(const struct lt_work *w)
{
    if (!is_simulated(w)) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    return fits(w) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

static void take(struct lt_work *w, cublasLtMatmulDesc_t how, cublasLtMatrixLayout_t a,
                 cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d)
{
    memcpy(&w->how, how, sizeof w->how);
    memcpy(&w->a, a, sizeof w->a);
    memcpy(&w->b, b, sizeof w->b);
    memcpy(&w->c, c, sizeof w->c);
    memcpy(&w->d, d, sizeof w->d);
}

static struct cublas_scalar scalar(const struct lt_product *how, const void *at)
{
    struct cublas_scalar s = {.type = (cudaDataType)how->scale_type};
    if (how->pointers == CUBLASLT_POINTER_MODE_DEVICE) {
        s.place = at;
    } else {
        memcpy(s.value, at, element_size(s.type));
    }
    return s;
}

/* ---- the calls ------------------------------------------------------------------------------- */

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t computeDesc,
                              const void *alpha, const void *A, cublasLtMatrixLayout_t Adesc,
                              const void *B, cublasLtMatrixLayout_t Bdesc, const void *beta,
                              const void *C, cublasLtMatrixLayout_t Cdesc, void *D,
                              cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t *algo,
                              void *workspace, size_t workspaceSizeInBytes, cudaStream_t stream)
{
    struct lt_work w = {.a_at = A, .b_at = B, .c_at = C, .d_at = D};
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (computeDesc == NULL || Adesc == NULL || Bdesc == NULL || Cdesc == NULL || Ddesc == NULL ||
        alpha == NULL || beta == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    take(&w, computeDesc, Adesc, Bdesc, Cdesc, Ddesc);
    const cublasStatus_t status = judge(&w);
    if (status != CUBLAS_STATUS_SUCCESS || w.d.rows == 0 || w.d.columns == 0) {
        return status;
    }
    if (!has_what_epilogue_needs(&w)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (element_size((cudaDataType)w.how.scale_type) == 0) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    w.alpha = scalar(&w.how, alpha);
    w.beta = scalar(&w.how, beta);
    const struct simt_library_call of = {.library = "cuBLASLt", .name = call, .stream = stream};
    const int code = simt_library_run(&of, make_all, &w, sizeof w);
    return code == cudaSuccess             ? CUBLAS_STATUS_SUCCESS
           : code == cudaErrorInvalidValue ? CUBLAS_STATUS_INVALID_VALUE
                                           : CUBLAS_STATUS_EXECUTION_FAILED;
}

/* There is one algorithm, which needs no workspace. */
cublasStatus_t
cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t operationDesc,
                               cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc,
                               cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
                               cublasLtMatmulPreference_t preference, int requestedAlgoCount,
                               cublasLtMatmulHeuristicResult_t results[], int *returnAlgoCount)
{
    struct lt_work w = {0};
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (operationDesc == NULL || Adesc == NULL || Bdesc == NULL || Cdesc == NULL || Ddesc == NULL ||
        preference == NULL || results == NULL || returnAlgoCount == NULL ||
        requestedAlgoCount < 1) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *returnAlgoCount = 0;
    take(&w, operationDesc, Adesc, Bdesc, Cdesc, Ddesc);
    const cublasStatus_t status = judge(&w);
    if (status == CUBLAS_STATUS_SUCCESS) {
        memset(&results[0], 0, sizeof results[0]);
        results[0].wavesCount = 1;
        *returnAlgoCount = 1;
    }
    return status;
}
