/* tensor_map.c - cuTensorMapEncodeTiled() and its kin: descriptions of arrays for bulk tensor
 * copies.
 *
 * The arguments are judged as the "CUDA Driver API" reference says: "Tensor Map Object Management".
 * A map is 128 bytes that only the simulator understands (base/tensor_map.h). */
#include "runtime/cudart.h"

#include "base/tensor_map.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The driver API's codes. */
enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_SUPPORTED = 801 };

enum { MOST_BOX = 256, MOST_STEP = 8, STRIDE_UNIT = 16, STRIDE_UNIT_32B = 32 };

static int reject(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int reject(const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cuda_error_saying(cudaErrorInvalidValue, "cuTensorMapEncodeTiled", "%s", text);
    cudaGetLastError(); /* the driver API has no last error */
    return INVALID_VALUE;
}

struct arguments {
    unsigned type, rank, interleave, swizzle, promotion, fill;
    uint64_t address;
    const uint64_t *dims, *strides;
    const uint32_t *box, *steps;
};

static int check_scalars(const struct arguments *a)
{
    static const unsigned floats = 1u << TENSOR_F16 | 1u << TENSOR_F32 | 1u << TENSOR_F64 |
                                   1u << TENSOR_BF16 | 1u << TENSOR_F32_FTZ | 1u << TENSOR_TF32 |
                                   1u << TENSOR_TF32_FTZ;
    if (a->type >= TENSOR_TYPES) {
        return reject("data type %u: those of 4 and 6 bits are not simulated", a->type);
    }
    if (a->rank == 0 || a->rank > TENSOR_MOST_RANK) {
        return reject("tensorRank is %u; it must be 1 to %d", a->rank, TENSOR_MOST_RANK);
    }
    if (a->interleave != TENSOR_INTERLEAVE_NONE) {
        return reject("interleave %u: the interleaved layouts are not simulated", a->interleave);
    }
    if (a->swizzle >= TENSOR_SWIZZLES) {
        return reject("swizzle %u: a GPU of compute capability 9.0 has 0 to %d", a->swizzle,
                      TENSOR_SWIZZLES - 1);
    }
    if (a->address % 16 != 0) {
        return reject("globalAddress 0x%" PRIx64 " is not aligned to 16 bytes", a->address);
    }
    if (a->promotion > 3 || a->fill > 1 || (a->fill == 1 && (floats >> a->type & 1u) == 0)) {
        return reject("l2Promotion %u, oobFill %u: NaN fills arrays of floats alone", a->promotion,
                      a->fill);
    }
    return SUCCESS;
}

static int check_dimension(const struct arguments *a, unsigned i)
{
    if (a->dims[i] == 0 || a->dims[i] > (uint64_t)1 << 32) {
        return reject("globalDim[%u] is %" PRIu64 "; it must be 1 to 2^32", i, a->dims[i]);
    }
    if (a->box[i] == 0 || a->box[i] > MOST_BOX) {
        return reject("boxDim[%u] is %u; it must be 1 to %d", i, a->box[i], MOST_BOX);
    }
    if (a->steps[i] == 0 || a->steps[i] > MOST_STEP) {
        return reject("elementStrides[%u] is %u; it must be 1 to %d", i, a->steps[i], MOST_STEP);
    }
    if (i + 1 < a->rank && (a->strides[i] % STRIDE_UNIT != 0 || a->strides[i] >> 40 != 0)) {
        return reject("globalStrides[%u] is %" PRIu64
                      "; it must be a multiple of 16 bytes, below 2^40",
                      i, a->strides[i]);
    }
    return SUCCESS;
}

static int check(const struct arguments *a)
{
    static const unsigned spans[TENSOR_SWIZZLES] = {0, 32, 64, 128};
    int code = check_scalars(a);
    for (unsigned i = 0; i < a->rank && code == SUCCESS; i++) {
        code = check_dimension(a, i);
    }
    if (code != SUCCESS) {
        return code;
    }
    const unsigned row = a->box[0] * tensor_bytes(a->type);
    if (row % 16 != 0) {
        return reject("boxDim[0] is %u elements, %u bytes; it must be a multiple of 16 bytes",
                      a->box[0], row);
    }
    if (a->swizzle != TENSOR_SWIZZLE_NONE && row > spans[a->swizzle]) {
        return reject("boxDim[0] is %u bytes; this swizzle allows %u", row, spans[a->swizzle]);
    }
    return SUCCESS;
}

int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                           int interleave, int swizzle, int promotion, int fill);
int cuTensorMapEncodeIm2col(void *map, ...);
int cuTensorMapEncodeIm2colWide(void *map, ...);
int cuTensorMapReplaceAddress(void *map, void *address);

int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                           int interleave, int swizzle, int promotion, int fill)
{
    const struct arguments a = {.type = (unsigned)type,
                                .rank = rank,
                                .interleave = (unsigned)interleave,
                                .swizzle = (unsigned)swizzle,
                                .promotion = (unsigned)promotion,
                                .fill = (unsigned)fill,
                                .address = (uintptr_t)address,
                                .dims = dims,
                                .strides = strides,
                                .box = box,
                                .steps = steps};
    if (map == NULL || (uintptr_t)map % 64 != 0 || dims == NULL || box == NULL || steps == NULL ||
        (strides == NULL && rank > 1)) {
        return reject("a null pointer, or a map that is not aligned to 64 bytes");
    }
    const int code = check(&a);
    if (code != SUCCESS) {
        return code;
    }
    struct tensor_map m = {.address = a.address,
                           .rank = (uint8_t)rank,
                           .type = (uint8_t)type,
                           .interleave = (uint8_t)interleave,
                           .swizzle = (uint8_t)swizzle,
                           .promotion = (uint8_t)promotion,
                           .fills_nan = (uint8_t)fill,
                           .magic = TENSOR_MAGIC};
    for (unsigned i = 0; i < rank; i++) {
        m.last[i] = (uint32_t)(dims[i] - 1);
        m.box[i] = (uint16_t)box[i];
        m.step[i] = (uint8_t)(i == 0 ? 1 : steps[i]);
        if (i + 1 < rank) {
            m.stride[i] = strides[i];
        }
    }
    memcpy(map, &m, sizeof m);
    return SUCCESS;
}

static int not_simulated(const char *call)
{
    cuda_error_saying(cudaErrorNotSupported, call,
                      "the im2col modes of tensor maps are not simulated: use "
                      "cuTensorMapEncodeTiled");
    cudaGetLastError();
    return NOT_SUPPORTED;
}

int cuTensorMapEncodeIm2col(void *map, ...)
{
    (void)map;
    return not_simulated("cuTensorMapEncodeIm2col");
}

int cuTensorMapEncodeIm2colWide(void *map, ...)
{
    (void)map;
    return not_simulated("cuTensorMapEncodeIm2colWide");
}

int cuTensorMapReplaceAddress(void *map, void *address)
{
    struct tensor_map *m = map;
    if (m == NULL || m->magic != TENSOR_MAGIC || (uintptr_t)address % 16 != 0) {
        return reject("a map that cuTensorMapEncodeTiled has not made, or an address that is not "
                      "aligned to 16 bytes");
    }
    m->address = (uintptr_t)address;
    return SUCCESS;
}
