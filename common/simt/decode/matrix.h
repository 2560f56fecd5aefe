/* matrix.h - matrix instructions as the decoder leaves them: kernel->matrices[in->number].
 *
 * Lane 4 g + t of a warp holds what the PTX manual draws for g and t. Of an operand with P elements
 * in a register, register r of the 16-row operand has row g + 8 (r mod 2) and the P elements of k
 * that begin at P (t + 4 (r / 2)); of the 8-column operand column g and those at P (t + 4 r). An
 * accumulator has row g (+ 8) and columns 2 t and 2 t + 1. */
#ifndef SIMT_MATRIX_H
#define SIMT_MATRIX_H

#include "common/gpu/tensor.h"

enum {
    MATRIX_ROWS = 16,
    MATRIX_COLUMNS = 8,
    MATRIX_MOST_A = 8, /* registers of one part: m16n8k16 of f64 */
    MATRIX_MOST_B = 4,
    MATRIX_MOST_C = 4,
    MATRIX_PARTS = 2
};

/* One product of 16 (or 8) rows by 8 columns; references of its registers. */
struct matrix_part {
    uint32_t a[MATRIX_MOST_A], b[MATRIX_MOST_B], c[MATRIX_MOST_C], d[MATRIX_MOST_C];
};

/* mma is one part; wmma.mma is two that share an operand. */
struct matrix_multiply {
    enum tensor_format a, b, c, d;
    unsigned rows, k; /* k: products of each sum; half as many of a sparse A are there */
    unsigned a_count, b_count, c_count, d_count; /* registers of a part */
    bool saturate, exclusive;                    /* b1: xor instead of and */
    bool sparse;
    unsigned selector;
    uint32_t metadata;
    struct tensor_rule rule;
    unsigned part_count;
    struct matrix_part parts[MATRIX_PARTS];
};

#endif
