/* tensor.h - the arithmetic of tensor cores, one sum of products at a time: pure functions, no
 * state.
 *
 * NVIDIA does not document it. The model is the one that MMA-Sim derived for ten GPUs (P. Xie et
 * al., "MMA-Sim: Bit-Accurate Reference Model of Tensor Cores and Matrix Cores", arXiv 2511.10909,
 * 2025), with their table of NVIDIA's GPUs from Volta on (tensor.c). Hopper's rows were tried on an
 * H200 with 2^20 tiles of each instruction (tests/conformance/tensor): every bit agrees. The others
 * stand as they are published; they were not compared with a card here. In its words a *truncated
 * fused sum*; of a block of products and the accumulator
 *
 *   1. each product is exact, and its exponent is the sum of its factors' exponents (its
 * significand is below 4);
 *   2. all terms, the accumulator among them, are aligned to the largest exponent and cut off,
 * towards zero, behind `kept` fraction bits;
 *   3. what is left is added exactly and rounded once: to FP32 towards zero, to FP16 to the nearest
 * even number, or to FP32 with 13 fraction bits towards zero.
 *
 * Subnormal numbers are not flushed: their exponent is the smallest of the format. A zero takes no
 * part in the alignment, but the largest exponent is at least -133 where the
 * accumulator is FP32. A NaN among the terms, infinities of both signs, or 0 times infinity give
 * the one NaN 0x7fffffff (FP16: 0x7fff). A sum beyond the format is an infinity although it is
 * rounded towards zero; one that is rounded to zero is +0. */
#ifndef TENSOR_H
#define TENSOR_H

#include <stdbool.h>
#include <stdint.h>

enum tensor_format {
    ELEMENT_F16,
    ELEMENT_BF16,
    ELEMENT_TF32, /* FP32 whose last 13 bits are not looked at */
    ELEMENT_E4M3,
    ELEMENT_E5M2,
    ELEMENT_F32, /* of accumulators only */
    ELEMENT_FLOATS,
    ELEMENT_F64 = ELEMENT_FLOATS,
    ELEMENT_S8,
    ELEMENT_U8,
    ELEMENT_S4,
    ELEMENT_U4,
    ELEMENT_B1,
    ELEMENT_S32, /* of accumulators only */
    ELEMENT_FORMATS
};

struct tensor_format_info {
    const char *name; /* as PTX spells it */
    unsigned bits;    /* in a register */
    unsigned exponent_bits, fraction_bits;
    unsigned ignored; /* low bits that are not part of the number */
    bool is_signed;   /* of integers */
};
extern const struct tensor_format_info tensor_formats[ELEMENT_FORMATS];

enum tensor_rounding { TENSOR_TO_F32, TENSOR_TO_F16, TENSOR_TO_E8M13 };

/* How one kind of instruction adds up. */
struct tensor_rule {
    unsigned kept; /* fraction bits behind the largest exponent */
    unsigned most; /* products in one sum at most: a longer one goes on with its rounded result */
    /* The products alone are added up, from zero, and the accumulator is added by an addition of
     * its type: where the instruction is a sequence of others in machine code. */
    bool accumulates_apart;
    bool widens_fp8; /* FP8 becomes FP16 first */
    enum tensor_rounding rounding;
};

/* The rule of mma and wmma; gpu: 90 for compute capability 9.0, 0: none, taken as 9.0; k: products
 * of the whole instruction. Of sparse products nothing is published but 9.0's: they are taken like
 * dense ones. */
struct tensor_rule tensor_rule_mma(unsigned gpu, enum tensor_format a,
                                   enum tensor_format accumulator, unsigned k);
/* The rule of wgmma, which compute capability 9.0 has alone. */
struct tensor_rule tensor_rule_wgmma(enum tensor_format a, enum tensor_format accumulator);

enum { TENSOR_MOST_PRODUCTS = 64 };

/* c + a[0] * b[0] + ... + a[count - 1] * b[count - 1]; count is at most TENSOR_MOST_PRODUCTS.
 * Elements are bit patterns in the low bits of their words. c and the result are FP16 where the
 * rule rounds to it, else FP32. */
uint32_t tensor_dot(struct tensor_rule rule, enum tensor_format a_format, const uint32_t *a,
                    enum tensor_format b_format, const uint32_t *b, unsigned count, uint32_t c);

/* FP8 as FP16: exact. */
uint32_t tensor_f16_of_fp8(enum tensor_format format, uint32_t word);

/* FP64: a fused multiply-add after the other, in the order of k, each rounded in that direction. */
enum tensor_direction { TENSOR_NEAREST, TENSOR_TO_ZERO, TENSOR_DOWN, TENSOR_UP };
uint64_t tensor_dot_f64(const uint64_t *a, const uint64_t *b, unsigned count, uint64_t c,
                        enum tensor_direction direction);

/* Integers: exact, modulo 2^32; or limited to the range of 32 bits, once, at the end. */
uint32_t tensor_accumulate(int64_t products, uint32_t c, bool saturate);

#endif
