/* inputs.h - the operands of the tensor-core tests: a counter makes every word of every tile, so
 * the GPU, the simulator and a plain C program see the same ones without a file.
 *
 * Eight kinds of tiles follow each other (tile % 8): random bits, values near one, all finite
 * exponents, cancelling products, subnormal numbers, a few infinities and NaNs, accumulators scaled
 * widely, and exponents spread over 16 powers of two. */
#ifndef TENSOR_INPUTS_H
#define TENSOR_INPUTS_H

#include <stdint.h>

#ifdef __CUDACC__
#define BOTH static __host__ __device__ __forceinline__
#else
#define BOTH static inline
#endif

enum tile_kind { RAW, NEAR, WIDE, CANCELLING, SUBNORMAL, SPECIAL, SCALED, SPREAD, TENSOR_KINDS };
enum tensor_operand { OPERAND_A, OPERAND_B, OPERAND_C, OPERAND_META };
enum operand_format {
    FORMAT_F16,
    FORMAT_BF16,
    FORMAT_TF32,
    FORMAT_F32,
    FORMAT_F64,
    FORMAT_E4M3,
    FORMAT_E5M2,
    FORMAT_BITS,  /* integers and bits */
    FORMAT_S32,   /* accumulators of integers */
    FORMAT_PAIRS, /* metadata: two of four */
    FORMAT_HALVES /* metadata: one of two */
};

BOTH uint32_t tensor_mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

BOTH uint32_t tensor_random(uint32_t tile, uint32_t operand, uint32_t reg, uint32_t lane)
{
    return tensor_mix(tensor_mix(tile * 2654435761u + operand) ^ (reg << 8 | lane) * 0x9e3779b1u);
}

/* An element with E exponent and M fraction bits from 32 random ones. */
BOTH uint32_t tensor_element(uint32_t r, unsigned E, unsigned M, int e4m3, unsigned kind,
                             unsigned operand)
{
    const uint32_t top = (1u << E) - 1, bias = top >> 1, fraction = r & ((1u << M) - 1);
    const uint32_t sign = r >> 31, pick = tensor_mix(r ^ 0x5bd1e995u);
    const uint32_t finite = e4m3 ? top + 1 : top; /* exponents below this one are finite */
    uint32_t exponent = bias - 2 + (pick & 3);
    if (kind == RAW) {
        return (sign << E | (pick & top)) << M | fraction;
    }
    if (kind == WIDE || (kind == SUBNORMAL && operand == OPERAND_B)) {
        exponent = pick % finite;
    } else if (kind == SUBNORMAL) {
        exponent = pick & 1;
    } else if (kind == SPECIAL) {
        if ((pick >> 8 & 255) == 0) {
            return (sign << E | top) << M | (e4m3 ? (1u << M) - 1 : pick & 0x10000 ? fraction : 0);
        }
        if ((pick >> 8 & 15) == 1) {
            return sign << (E + M);
        }
    } else if (kind == SCALED && operand == OPERAND_C) {
        exponent = E == 8 ? bias - 44 + (pick & 63) : pick % finite;
    } else if (kind == SPREAD) {
        exponent = E >= 5 ? bias - 8 + (pick & 15) : pick & top;
    }
    exponent = exponent >= finite ? finite - 1 : exponent;
    if (e4m3 && exponent == top && fraction == 7) {
        return (sign << E | exponent) << M | 6; /* which would be a NaN */
    }
    return (sign << E | exponent) << M | fraction;
}

BOTH uint32_t tensor_pack(uint32_t tile, unsigned operand, uint32_t reg, uint32_t lane, unsigned E,
                          unsigned M, int e4m3)
{
    const unsigned kind = tile % TENSOR_KINDS, bits = 1 + E + M;
    uint32_t word = 0;
    for (unsigned i = 0; i < 32 / bits; i++) {
        uint32_t r = tensor_random(tile, operand, reg * 4 + i, lane);
        if (kind == CANCELLING && (i & 1)) { /* the neighbour's negative, its last bit at random */
            uint32_t last = word >> (i - 1) * bits & ((1u << bits) - 1);
            word |= (operand == OPERAND_A ? last ^ 1u << (bits - 1) ^ (r & 1) : last) << i * bits;
        } else {
            word |= tensor_element(r, E, M, e4m3, kind, operand) << i * bits;
        }
    }
    return word;
}

/* Formats of 32 bits: neighbouring lanes cancel. */
BOTH uint32_t tensor_single(uint32_t tile, unsigned operand, uint32_t reg, uint32_t lane)
{
    const unsigned kind = tile % TENSOR_KINDS;
    const int paired = kind == CANCELLING && operand != OPERAND_C;
    uint32_t r = tensor_random(tile, operand, reg, paired ? lane & ~1u : lane);
    uint32_t word = tensor_element(r, 8, 23, 0, kind, operand);
    return paired && (lane & 1) && operand == OPERAND_A
               ? word ^ 0x80000000u ^ (tensor_random(tile, operand, reg, lane) & 0x6000)
               : word;
}

BOTH uint64_t tensor_double(uint32_t tile, unsigned operand, uint32_t reg, uint32_t lane)
{
    const unsigned kind = tile % TENSOR_KINDS;
    const int paired = kind == CANCELLING && operand != OPERAND_C;
    const uint32_t from = paired ? lane & ~1u : lane;
    const uint32_t r = tensor_random(tile, operand, reg * 2, from),
                   low = tensor_random(tile, operand, reg * 2 + 1, from);
    uint64_t high = tensor_element(r, 11, 20, 0, kind, operand);
    if (kind == SPECIAL && (high & 0x7fffffff) == 0x7ff00000) {
        return high << 32;
    }
    if (paired && (lane & 1) && operand == OPERAND_A) {
        high ^= 0x80000000u;
    }
    return high << 32 | (paired && (lane & 1) ? low ^ 1 : low);
}

BOTH uint32_t tensor_integer(uint32_t tile, unsigned operand, uint32_t reg, uint32_t lane, int sum)
{
    const uint32_t r = tensor_random(tile, operand, reg, lane), s = tensor_mix(r ^ 0x2545f491u);
    if (sum) { /* near the ends of the range in every other tile: .satfinite */
        return tile & 1 ? (r & 0x80000000u) ^ 0x7fffffffu ^ (s & 0x1ffff) : r;
    }
    return tile % 4 == 3 ? r | (s & 1 ? 0x7f7f7f7fu : 0x80808080u) : r;
}

/* Metadata of sparse operands: in each four bits two different numbers of elements, in order. */
BOTH uint32_t tensor_metadata(uint32_t tile, uint32_t lane, int halves)
{
    const uint32_t r = tensor_random(tile, OPERAND_META, 0, lane);
    uint32_t word = 0;
    for (unsigned i = 0; i < 8; i++) {
        const uint32_t which = (r >> 4 * i & 15) % 6;
        word |= (halves ? (which & 1 ? 0xeu : 0x4u) : 0xed9c84u >> 4 * which & 15) << 4 * i;
    }
    return word;
}

BOTH uint32_t tensor_word(uint32_t tile, unsigned operand, uint32_t reg, uint32_t lane, int format)
{
    switch (format) {
    case FORMAT_F16:
        return tensor_pack(tile, operand, reg, lane, 5, 10, 0);
    case FORMAT_BF16:
        return tensor_pack(tile, operand, reg, lane, 8, 7, 0);
    case FORMAT_E4M3:
        return tensor_pack(tile, operand, reg, lane, 4, 3, 1);
    case FORMAT_E5M2:
        return tensor_pack(tile, operand, reg, lane, 5, 2, 0);
    case FORMAT_TF32:
    case FORMAT_F32:
        return tensor_single(tile, operand, reg, lane);
    case FORMAT_PAIRS:
        return tensor_metadata(tile, lane, 0);
    case FORMAT_HALVES:
        return tensor_metadata(tile, lane, 1);
    default:
        return tensor_integer(tile, operand, reg, lane, format == FORMAT_S32);
    }
}

/* What a tile's results add to the hash of its thousands: a word, and where it stood. */
BOTH uint64_t tensor_hash(uint64_t word, uint32_t tile, uint32_t step, uint32_t reg, uint32_t lane)
{
    const uint32_t place = tensor_mix(tile * 64 + step * 32 + reg) ^ lane * 0x85ebca6bu;
    const uint64_t x = (word ^ (uint64_t)place << 17 ^ place) * 0x9e3779b97f4a7c15u;
    return (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
}

#endif
