/* driver_tensor.c - cuTensorMapEncodeTiled() and its kin: descriptions of arrays for bulk tensor
 * copies.
 *
 * The arguments are judged as the "CUDA Driver API" reference says: "Tensor Map Object Management".
 * A map is 128 bytes that only the simulator understands (base/tensor_map.h). */
#include "runtime/driver.h"

#include "base/tensor_map.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_BOX = 256, MOST_STEP = 8, STRIDE_UNIT = 16, STRIDE_UNIT_32B = 32 };

#define REJECT(...) driver_reject(CUDA_ERROR_INVALID_VALUE, "cuTensorMapEncodeTiled", __VA_ARGS__)

struct arguments {
    unsigned type, rank, interleave, swizzle, promotion, fill;
    uint64_t address;
    const uint64_t *dims, *strides;
    const uint32_t *box, *steps;
};

static CUresult check_scalars(const struct arguments *a)
{
    static const unsigned floats = 1u << TENSOR_F16 | 1u << TENSOR_F32 | 1u << TENSOR_F64 |
                                   1u << TENSOR_BF16 | 1u << TENSOR_F32_FTZ | 1u << TENSOR_TF32 |
                                   1u << TENSOR_TF32_FTZ;
    if (a->type >= TENSOR_TYPES) {
        return REJECT("data type %u: those of 4 and 6 bits are not simulated", a->type);
    }
    if (a->rank == 0 || a->rank > TENSOR_MOST_RANK) {
        return REJECT("tensorRank is %u; it must be 1 to %d", a->rank, TENSOR_MOST_RANK);
    }
    if (a->interleave != TENSOR_INTERLEAVE_NONE) {
        return REJECT("interleave %u: the interleaved layouts are not simulated", a->interleave);
    }
    if (a->swizzle >= TENSOR_SWIZZLES) {
        return REJECT("swizzle %u: a GPU of compute capability 9.0 has 0 to %d", a->swizzle,
                      TENSOR_SWIZZLES - 1);
    }
    if (a->address % 16 != 0) {
        return REJECT("globalAddress 0x%" PRIx64 " is not aligned to 16 bytes", a->address);
    }
    if (a->promotion > 3 || a->fill > 1 || (a->fill == 1 && (floats >> a->type & 1u) == 0)) {
        return REJECT("l2Promotion %u, oobFill %u: NaN fills arrays of floats alone", a->promotion,
                      a->fill);
    }
    return CUDA_SUCCESS;
}

static CUresult check_dimension(const struct arguments *a, unsigned i)
{
    if (a->dims[i] == 0 || a->dims[i] > (uint64_t)1 << 32) {
        return REJECT("globalDim[%u] is %" PRIu64 "; it must be 1 to 2^32", i, a->dims[i]);
    }
    if (a->box[i] == 0 || a->box[i] > MOST_BOX) {
        return REJECT("boxDim[%u] is %u; it must be 1 to %d", i, a->box[i], MOST_BOX);
    }
    if (a->steps[i] == 0 || a->steps[i] > MOST_STEP) {
        return REJECT("elementStrides[%u] is %u; it must be 1 to %d", i, a->steps[i], MOST_STEP);
    }
    if (i + 1 < a->rank && (a->strides[i] % STRIDE_UNIT != 0 || a->strides[i] >> 40 != 0)) {
        return REJECT("globalStrides[%u] is %" PRIu64
                      "; it must be a multiple of 16 bytes, below 2^40",
                      i, a->strides[i]);
    }
    return CUDA_SUCCESS;
}

static CUresult check(const struct arguments *a)
{
    static const unsigned spans[TENSOR_SWIZZLES] = {0, 32, 64, 128};
    CUresult code = check_scalars(a);
    for (unsigned i = 0; i < a->rank && code == CUDA_SUCCESS; i++) {
        code = check_dimension(a, i);
    }
    if (code != CUDA_SUCCESS) {
        return code;
    }
    const unsigned row = a->box[0] * tensor_bytes(a->type);
    uint64_t bytes = tensor_bytes(a->type);
    for (unsigned i = 0; i < a->rank; i++) {
        bytes *= a->box[i];
    }
    if (bytes > runtime_limits()->shared_bytes_per_block_opt_in) {
        return REJECT("a box of %" PRIu64 " bytes: it must fit shared memory", bytes);
    }
    if (row % 16 != 0) {
        return REJECT("boxDim[0] is %u elements, %u bytes; it must be a multiple of 16 bytes",
                      a->box[0], row);
    }
    if (a->swizzle != TENSOR_SWIZZLE_NONE && row > spans[a->swizzle]) {
        return REJECT("boxDim[0] is %u bytes; this swizzle allows %u", row, spans[a->swizzle]);
    }
    return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *dims, const cuuint64_t *strides,
                                const cuuint32_t *box, const cuuint32_t *steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
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
        return REJECT("a null pointer, or a map that is not aligned to 64 bytes");
    }
    const CUresult code = check(&a);
    if (code != CUDA_SUCCESS) {
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
    return CUDA_SUCCESS;
}

static CUresult not_simulated(const char *call)
{
    return driver_reject(CUDA_ERROR_NOT_SUPPORTED, call,
                         "the im2col modes of tensor maps are not simulated: use "
                         "cuTensorMapEncodeTiled");
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                 void *address, const cuuint64_t *dims, const cuuint64_t *strides,
                                 const int *lower, const int *upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t *steps,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    (void)map, (void)type, (void)rank, (void)address, (void)dims, (void)strides, (void)lower;
    (void)upper, (void)channels, (void)pixels, (void)steps, (void)interleave, (void)swizzle;
    (void)promotion, (void)fill;
    return not_simulated("cuTensorMapEncodeIm2col");
}

CUresult cuTensorMapEncodeIm2colWide(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                     void *address, const cuuint64_t *dims,
                                     const cuuint64_t *strides, int lower, int upper,
                                     cuuint32_t channels, cuuint32_t pixels,
                                     const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                     CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle,
                                     CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    (void)map, (void)type, (void)rank, (void)address, (void)dims, (void)strides, (void)lower;
    (void)upper, (void)channels, (void)pixels, (void)steps, (void)interleave, (void)mode;
    (void)swizzle, (void)promotion, (void)fill;
    return not_simulated("cuTensorMapEncodeIm2colWide");
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    struct tensor_map *m = (struct tensor_map *)(void *)map;
    if (m == NULL || m->magic != TENSOR_MAGIC || (uintptr_t)address % 16 != 0) {
        return driver_reject(
            CUDA_ERROR_INVALID_VALUE, "cuTensorMapReplaceAddress",
            "a map that cuTensorMapEncodeTiled has not made, or an address that is "
            "not aligned to 16 bytes");
    }
    m->address = (uintptr_t)address;
    return CUDA_SUCCESS;
}
