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
    /* m8n8k4 of FP16 alone (exec/exec_quads.c): an accumulator of eight registers is two parts of
     * four. in_software: this GPU has no such tensor instruction. */
    bool is_quads, in_software, a_by_columns, b_by_rows;
    bool sparse;
    unsigned selector;
    uint32_t metadata;
    uint32_t func, block; /* where it stands */
    unsigned instructions,
        cycles; /* of the machine, for all parts: counted, and of a tensor core */
    struct tensor_rule rule;
    enum tensor_direction direction; /* of FP64 */
    unsigned part_count;
    struct matrix_part parts[MATRIX_PARTS];
};

/* wgmma: 64 rows by n columns of four warps, each of which computes 16 rows. Matrices in shared
 * memory are named by descriptors; what they say is in exec/exec_warpgroup.c. */
enum { WARPGROUP_MOST_N = 256, WARPGROUP_BYTES_OF_K = 32 /* of A as it is stored */ };
struct warpgroup_multiply {
    enum tensor_format a, b, d; /* d: of the accumulators */
    unsigned n, k;
    bool a_in_registers;
    uint32_t a_registers[4];
    uint32_t a_descriptor, b_descriptor; /* references of 64-bit registers */
    uint32_t scale_d;                    /* a predicate: d = a * b + d; else d = a * b */
    bool scale_d_negated;
    bool negate;                     /* the products: -a * b, or a * -b */
    bool a_transposed, b_transposed; /* major along m, along n */
    bool saturate;
    bool sparse; /* of A: half of its elements are there, and metadata says which (lane as in
                    mma.sp) */
    unsigned selector;
    uint32_t metadata;
    struct tensor_rule rule;
    unsigned d_count;
    uint32_t *d_registers;
};

#endif
