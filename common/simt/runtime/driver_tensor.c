/* driver_tensor.c - cuTensorMapEncodeTiled(), cuTensorMapEncodeIm2col() and their kin: descriptions
 * of arrays for bulk tensor copies.
 *
 * The arguments are judged as the "CUDA Driver API" reference says: "Tensor Map Object Management".
 * A map is 128 bytes that only the simulator understands (base/tensor_map.h). */
#include "runtime/driver.h"

#include "base/tensor_map.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_BOX = 256, MOST_PIXELS = 1024, MOST_STEP = 8 };

#define REJECT(...) driver_reject(CUDA_ERROR_INVALID_VALUE, a->call, __VA_ARGS__)

struct arguments {
    const char *call;
    unsigned type, rank, interleave, swizzle, promotion, fill;
    uint64_t address;
    const uint64_t *dims, *strides;
    const uint32_t *box, *steps; /* of im2col: box[0] channels, 1 of the others */
    const int *lower, *upper;    /* of im2col alone */
    uint32_t pixels;
};

/* What addresses and strides are multiples of, in bytes. */
static unsigned unit_of(const struct arguments *a)
{
    return a->interleave == TENSOR_INTERLEAVE_32B ? 32 : 16;
}

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
    if (a->interleave > TENSOR_INTERLEAVE_32B) {
        return REJECT("interleave %u: there are 0 to %d", a->interleave, TENSOR_INTERLEAVE_32B);
    }
    if (a->interleave != TENSOR_INTERLEAVE_NONE && a->rank < 3) {
        return REJECT("tensorRank is %u; with an interleaved layout it must be 3 to %d", a->rank,
                      TENSOR_MOST_RANK);
    }
    if (a->swizzle >= TENSOR_SWIZZLES) {
        return REJECT("swizzle %u: a GPU of compute capability 9.0 has 0 to %d", a->swizzle,
                      TENSOR_SWIZZLES - 1);
    }
    if (a->address % unit_of(a) != 0) {
        return REJECT("globalAddress 0x%" PRIx64 " is not aligned to %u bytes", a->address,
                      unit_of(a));
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
    if (i + 1 < a->rank && (a->strides[i] % unit_of(a) != 0 || a->strides[i] >> 40 != 0)) {
        return REJECT("globalStrides[%u] is %" PRIu64
                      "; it must be a multiple of %u bytes, below 2^40",
                      i, a->strides[i], unit_of(a));
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
    uint64_t bytes = tensor_bytes(a->type) * (a->lower != NULL ? a->pixels : 1u);
    for (unsigned i = 0; i < a->rank; i++) {
        bytes *=
            a->box[i] /
            (a->lower != NULL ? 1 : a->steps[i]); /* rounded down, as the driver's check does */
    }
    if (bytes > runtime_limits()->shared_bytes_per_block_opt_in) {
        return REJECT("a box of %" PRIu64 " bytes: it must fit shared memory", bytes);
    }
    if (row % 16 != 0) {
        return REJECT("boxDim[0] is %u elements, %u bytes; it must be a multiple of 16 bytes",
                      a->box[0], row);
    }
    if (a->interleave == TENSOR_INTERLEAVE_NONE && a->swizzle != TENSOR_SWIZZLE_NONE &&
        row > spans[a->swizzle]) {
        return REJECT("boxDim[0] is %u bytes; this swizzle allows %u", row, spans[a->swizzle]);
    }
    return CUDA_SUCCESS;
}

/* Corners reach as far as the bits of an instruction's offsets do. Dimensions of 2^31 elements and
 * more are negative ones here, as they are to NVIDIA's driver. */
static CUresult check_pixels(const struct arguments *a)
{
    static const int reach[TENSOR_MOST_RANK + 1] = {[3] = 32768, [4] = 128, [5] = 16};
    const unsigned first = a->interleave == TENSOR_INTERLEAVE_NONE ? 1 : 0;
    if (a->rank < 3 || a->rank > TENSOR_MOST_RANK) {
        return REJECT("tensorRank is %u; im2col has 3 to %d", a->rank, TENSOR_MOST_RANK);
    }
    if (a->pixels == 0 || a->pixels > MOST_PIXELS) {
        return REJECT("pixelsPerColumn is %u; it must be 1 to %d", a->pixels, MOST_PIXELS);
    }
    for (unsigned i = 0; i + 2 < a->rank; i++) {
        const int most = reach[a->rank];
        if (a->lower[i] < -most || a->lower[i] >= most || a->upper[i] < -most ||
            a->upper[i] >= most) {
            return REJECT(
                "corners %d and %d of dimension %u; in %u dimensions they must be %d to %d",
                a->lower[i], a->upper[i], i + first, a->rank, -most, most - 1);
        }
        if ((int32_t)a->dims[i + first] + a->upper[i] <= a->lower[i]) {
            return REJECT("corners %d and %d of dimension %u, which has %" PRIu64
                          " elements, leave no pixel",
                          a->lower[i], a->upper[i], i + first, a->dims[i + first]);
        }
    }
    return CUDA_SUCCESS;
}

static CUresult encode(CUtensorMap *map, const struct arguments *a)
{
    const bool by_pixels = a->lower != NULL;
    if (map == NULL || (uintptr_t)map % 64 != 0 || a->dims == NULL || a->box == NULL ||
        a->steps == NULL || (a->strides == NULL && a->rank > 1)) {
        return REJECT("a null pointer, or a map that is not aligned to 64 bytes");
    }
    CUresult code = by_pixels ? check_pixels(a) : CUDA_SUCCESS;
    code = code == CUDA_SUCCESS ? check(a) : code;
    if (code != CUDA_SUCCESS) {
        return code;
    }
    struct tensor_map m = {.address = a->address,
                           .rank = (uint8_t)a->rank,
                           .type = (uint8_t)a->type,
                           .interleave = (uint8_t)a->interleave,
                           .swizzle = (uint8_t)a->swizzle,
                           .promotion = (uint8_t)a->promotion,
                           .fills_nan = (uint8_t)a->fill,
                           .by_pixels = by_pixels,
                           .pixels = (uint16_t)a->pixels,
                           .magic = TENSOR_MAGIC};
    for (unsigned i = 0; i < a->rank; i++) {
        m.last[i] = (uint32_t)(a->dims[i] - 1);
        m.box[i] = (uint16_t)a->box[i];
        m.step[i] = (uint8_t)a->steps[i];
        if (i + 1 < a->rank) {
            m.stride[i] = a->strides[i];
        }
    }
    for (unsigned i = 0; by_pixels && i + 2 < a->rank; i++) {
        m.lower[i] = (int16_t)a->lower[i];
        m.upper[i] = (int16_t)a->upper[i];
    }
    memcpy(map, &m, sizeof m);
    return CUDA_SUCCESS;
}

/* What the parameters of both kinds of map are called. */
#define BOTH                                                                                       \
    .type = (unsigned)type, .rank = rank, .interleave = (unsigned)interleave,                      \
    .swizzle = (unsigned)swizzle, .promotion = (unsigned)promotion, .fill = (unsigned)fill,        \
    .address = (uintptr_t)address, .dims = dims, .strides = strides, .box = box, .steps = steps

CUresult cuTensorMapEncodeTiled(SIMT_TENSOR, const cuuint32_t *box, const cuuint32_t *steps,
                                CUtensorMapInterleave interleave, SIMT_TENSOR_COPY)
{
    return encode(map, &(struct arguments){.call = "cuTensorMapEncodeTiled", BOTH});
}

CUresult cuTensorMapEncodeIm2col(SIMT_TENSOR, const int *lower, const int *upper,
                                 cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *steps,
                                 CUtensorMapInterleave interleave, SIMT_TENSOR_COPY)
{
    const uint32_t box[TENSOR_MOST_RANK] = {channels, 1, 1, 1, 1};
    const struct arguments *const a = &(struct arguments){
        .call = "cuTensorMapEncodeIm2col", BOTH, .lower = lower, .upper = upper, .pixels = pixels};
    return lower == NULL || upper == NULL ? REJECT("a null pointer") : encode(map, a);
}

CUresult cuTensorMapEncodeIm2colWide(SIMT_TENSOR, int lower, int upper, cuuint32_t channels,
                                     cuuint32_t pixels, const cuuint32_t *steps,
                                     CUtensorMapInterleave interleave,
                                     CUtensorMapIm2ColWideMode mode, SIMT_TENSOR_COPY)
{
    (void)map, (void)type, (void)rank, (void)address, (void)dims, (void)strides, (void)lower;
    (void)upper, (void)channels, (void)pixels, (void)steps, (void)interleave, (void)mode;
    (void)swizzle, (void)promotion, (void)fill;
    return driver_reject(CUDA_ERROR_NOT_SUPPORTED, "cuTensorMapEncodeIm2colWide",
                         "a GPU of compute capability 9.0 has no wide im2col: use "
                         "cuTensorMapEncodeIm2col");
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
