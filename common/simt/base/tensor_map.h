/* tensor_map.h - what the 128 opaque bytes of a CUtensorMap hold here: an array in global memory of
 * up to five dimensions, and the box of it that one bulk copy moves; or, for convolutions (im2col),
 * the pixels that one copy moves, which it finds within a box that covers all images.
 *
 * runtime/driver_tensor.c makes it, exec/exec_tensor.c reads it. Programs must not look inside. The
 * enums have the driver API's values. */
#ifndef SIMT_TENSOR_MAP_H
#define SIMT_TENSOR_MAP_H

#include <stdint.h>

enum { TENSOR_MOST_RANK = 5 };

enum tensor_type {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_F32_FTZ,
    TENSOR_TF32,
    TENSOR_TF32_FTZ,
    TENSOR_TYPES
};

enum tensor_interleave { TENSOR_INTERLEAVE_NONE, TENSOR_INTERLEAVE_16B, TENSOR_INTERLEAVE_32B };

/* 16-byte pieces of shared memory change places within a span of so many bytes. */
enum tensor_swizzle {
    TENSOR_SWIZZLE_NONE,
    TENSOR_SWIZZLE_32B,
    TENSOR_SWIZZLE_64B,
    TENSOR_SWIZZLE_128B,
    TENSOR_SWIZZLES
};

#define TENSOR_MAGIC UINT32_C(0x746d6170)

struct tensor_map {
    uint64_t address;
    uint64_t
        stride[TENSOR_MOST_RANK - 1]; /* bytes from one element of dimension i + 1 to the next */
    uint32_t last[TENSOR_MOST_RANK];  /* elements of the dimension, less 1 */
    uint16_t box[TENSOR_MOST_RANK];   /* elements */
    uint8_t step[TENSOR_MOST_RANK];   /* of these every so many-th is moved; [0]: if interleaved */
    uint8_t rank, type, interleave, swizzle, promotion;
    uint8_t fills_nan; /* elements outside of the array: the special NaN; else zero */
    /* Of im2col: dimension 0 has the channels, of which box[0] are moved, the last one the images;
     * in those between, a pixel is between lower and the dimension's last + upper. */
    uint8_t by_pixels;
    int16_t lower[TENSOR_MOST_RANK - 2], upper[TENSOR_MOST_RANK - 2];
    uint16_t pixels;
    uint8_t spare[24];
    uint32_t magic;
};

_Static_assert(sizeof(struct tensor_map) == 128, "as large as a CUtensorMap");

static inline unsigned tensor_bytes(unsigned type) /* of an element */
{
    static const uint8_t bytes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return type < TENSOR_TYPES ? bytes[type] : 0;
}

#endif
