/* exec_matrix.h - what the handlers of matrix instructions share. */
#ifndef SIMT_EXEC_MATRIX_H
#define SIMT_EXEC_MATRIX_H

#include "exec/exec.h"
#include "exec/matrix_floats.h"

#include <stdbool.h>

/* A matrix instruction needs all 32 lanes: waits for those that are elsewhere, and is a fault where
 * some have left or never were. */
const struct insn *exec_lanes_are_missing(struct warp *w, const struct insn *in);
#define WAIT_FOR_WARP                                                                              \
    if ((w->live & ~w->active) != 0) {                                                             \
        return warp_block_split(w, in, FULL_MASK);                                                 \
    }                                                                                              \
    if (w->active != FULL_MASK) {                                                                  \
        return exec_lanes_are_missing(w, in);                                                      \
    }

/* The results of a part, register by register. */
typedef u32 accumulators[MATRIX_MOST_C][WARP_LANES];

/* matrix_tile.c. A fragment of A or B as it was in registers, and what its numbers are like: is
 * it near enough for floats_multiply()? */
struct float_fragment {
    ints16 words[MATRIX_MOST_A][2];
    struct float_range range;
    enum tensor_format format;
    unsigned count; /* of its registers */
    bool is_near;
};
struct float_row_fragment {
    struct float_fragment of;
    struct float_rows rows;
};
struct float_column_fragment {
    struct float_fragment of;
    struct float_columns columns;
};
/* The operands of a part as floats. Its fragments are valid until this thread reads the next one.
 */
struct float_tile {
    const struct float_row_fragment *a;
    const struct float_column_fragment *b;
    ints16 c[MATRIX_COLUMNS];
    struct float_range of_c;
};
void exec_read_tile(const struct warp *w, const struct matrix_multiply *m,
                    const struct matrix_part *part, struct float_tile *tile);
/* The accumulators become sums with the products of these rows and the tile's columns. */
void exec_multiply_tile(const struct matrix_multiply *m, const struct float_rows *rows,
                        struct float_tile *tile, struct tensor_rule rule);

/* matrix_sparse.c. Which k the element i of a row stands for: two of each four are there; of TF32
 * one of two, which is written as two of four halves; of 4-bit integers two pairs of each four. */
unsigned exec_sparse_k(const struct warp *w, const struct matrix_multiply *m, unsigned row,
                       unsigned i);
/* What metadata says of 16-row operands: the k that the packed element i of each row stands for;
 * and rows written out, with zeros for what is not there. false: two elements of a row stand for
 * the same k. Not of 4-bit integers. */
struct sparsity {
    enum tensor_format a;
    unsigned k; /* as written out */
    unsigned selector;
    uint32_t metadata;
};
ints16 exec_sparse_places(const struct warp *w, const struct sparsity *s, unsigned i);
bool exec_write_out(const struct warp *w, const struct sparsity *s, const ints16 *packed,
                    ints16 *rows);
/* The products of a tile whose rows are sparse. false, and nothing is done: columns have infinities
 * or NaNs, which rows with zeros for what is not there would meet; or two elements of a row stand
 * for the same k. */
bool exec_multiply_sparse(const struct warp *w, const struct matrix_multiply *m,
                          struct float_tile *tile);

/* matrix_integers.c: a part of 16 rows of integers of 8 or 4 bits. */
void exec_multiply_integers(const struct warp *w, const struct matrix_multiply *m,
                            const struct matrix_part *part, accumulators results);

/* matrix_words.c. Words of a register pair as columns: word t of rows 0 to 7 (4 g + t of one
 * register) and of 8 to 15. */
void exec_columns_of_words(const u32 *upper, const u32 *lower, ints16 columns[4]);
/* The opposite: four columns of 16 rows, each `step` after the one before, become a pair of
 * registers. */
void exec_words_of_columns(const ints16 *columns, unsigned step, u32 *upper, u32 *lower);
/* FP32 bits as FP16, to the nearest even. */
ints16 exec_halves_of(ints16 floats);

#endif
