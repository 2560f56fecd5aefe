/* matrix_integers.c - products of matrices of integers of 8 and 4 bits, 16 rows at a time.
 *
 * The elements become FP32, where a sum of at most 64 products of 8 bits is exact: it is less than
 * 2^22, in whatever order it is added up. The accumulator is added as an integer. */
#include "exec/exec_matrix.h"

typedef u32 words16 __attribute__((vector_size(64)));

/* The low bits of 16 words, as many as the format has, with their sign if they have one, as floats.
 */
static inline floats16 element(ints16 words, enum tensor_format format)
{
    const s32 unused = 32 - (s32)tensor_formats[format].bits;
    const ints16 top = words << unused;
    const ints16 value =
        tensor_formats[format].is_signed ? top >> unused : (ints16)((words16)top >> (u32)unused);
    return __builtin_convertvector(value, floats16);
}

static void unpack_rows(const struct warp *w, const struct matrix_multiply *m,
                        const struct matrix_part *part, floats16 *rows)
{
    const unsigned bits = tensor_formats[m->a].bits, per = 32 / bits;
    for (unsigned r = 0; r < m->a_count; r += 2) {
        ints16 words[4];
        exec_columns_of_words(warp_ref(w, part->a[r]), warp_ref(w, part->a[r + 1]), words);
        for (unsigned i = 0; i < per; i++) {
            for (unsigned t = 0; t < 4; t++) {
                rows[4 * (per * (r / 2) + i) + t] = element(words[t] >> (s32)(i * bits), m->a);
            }
        }
    }
}

/* Element t of column n of a group is its number 4 n + t, as in the register. */
static void unpack_columns(const struct warp *w, const struct matrix_multiply *m,
                           const struct matrix_part *part, f32 columns[][FLOATS_GROUP])
{
    const unsigned bits = tensor_formats[m->b].bits, per = 32 / bits;
    for (unsigned r = 0; r < m->b_count; r++) {
        const u32 *words = warp_ref(w, part->b[r]);
        for (unsigned i = 0; i < per; i++) {
            for (unsigned half = 0; half < FLOATS_GROUP; half += 16) {
                const ints16 sixteen = *(const ints16_there *)(words + half) >> (s32)(i * bits);
                *(floats16_there *)(columns[per * r + i] + half) = element(sixteen, m->b);
            }
        }
    }
}

/* c + products, modulo 2^32 or limited to the range of 32 bits. */
static inline ints16 accumulate(ints16 products, ints16 c, bool saturates)
{
    const ints16 sum = (ints16)((words16)c + (words16)products);
    const ints16 overflow = ((sum ^ products) & (sum ^ c)) < 0, limit = (c >> 31) ^ INT32_MAX;
    return saturates ? (overflow & limit) | (~overflow & sum) : sum;
}

void exec_multiply_integers(const struct warp *w, const struct matrix_multiply *m,
                            const struct matrix_part *part, accumulators results)
{
    floats16 rows[FLOATS_MOST_K];
    f32 columns[FLOATS_MOST_K / 4][FLOATS_GROUP];
    ints16 c[2][4];
    unpack_rows(w, m, part, rows);
    unpack_columns(w, m, part, columns);
    exec_columns_of_words(warp_ref(w, part->c[0]), warp_ref(w, part->c[2]), c[0]);
    exec_columns_of_words(warp_ref(w, part->c[1]), warp_ref(w, part->c[3]), c[1]);
    for (unsigned n = 0; n < MATRIX_COLUMNS; n++) {
        floats16 sum[2] = {{0}, {0}}; /* two chains of additions */
        for (unsigned group = 0; group < m->k / 4; group++) {
            const floats16 *row = rows + (size_t)4 * group;
            const f32 *column = columns[group] + (size_t)4 * n;
#pragma GCC unroll 4
            for (size_t t = 0; t < 4; t++) {
                sum[t % 2] += row[t] * column[t];
            }
        }
        const ints16 products = __builtin_convertvector(sum[0] + sum[1], ints16);
        c[n % 2][n / 2] = accumulate(products, c[n % 2][n / 2], m->saturate);
    }
    exec_words_of_columns(c[0], 1, results[0], results[2]);
    exec_words_of_columns(c[1], 1, results[1], results[3]);
}
