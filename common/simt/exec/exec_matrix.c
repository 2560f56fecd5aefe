/* exec_matrix.c - products of matrices whose elements lie in the registers of a whole warp
 * (decode/matrix.h).
 *
 * All operands are read before a result is written, since they may share registers. The arithmetic
 * is common/gpu/tensor.c; matrix_floats.c and matrix_integers.c do the most frequent of it for 16
 * rows at a time. */
#include "exec/exec_matrix.h"
#include "exec/exec_values.h"
#include "exec/matrix_floats.h"

#include <string.h>

static bool is_fp8(enum tensor_format f) { return f == ELEMENT_E4M3 || f == ELEMENT_E5M2; }

/* --- elements --------------------------------------------------------------------------------- */

enum { MOST_K = 128 };

static unsigned row_of(unsigned lane, unsigned reg, unsigned rows)
{
    return lane / 4 + (rows == 16 ? 8 * (reg % 2) : 0);
}

/* Elements of an operand of `rows` rows or columns, each in the low bits of a word. */
static void gather(const struct warp *w, const uint32_t *refs, unsigned count, unsigned rows,
                   unsigned bits, u32 elements[][MOST_K])
{
    const unsigned per = 32 / bits;
    const u32 mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    for (unsigned r = 0; r < count; r++) {
        const u32 *words = warp_ref(w, refs[r]);
        const unsigned step = rows == 16 ? r / 2 : r;
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            u32 *to = elements[row_of(lane, r, rows)] + per * (lane % 4 + 4 * step);
            for (unsigned i = 0; i < per; i++) {
                to[i] = words[lane] >> i * bits & mask;
            }
        }
    }
}

/* The accumulator of (row, column): its register and its half of it. */
struct place {
    unsigned reg, lane, shift;
};

static struct place place_of(enum tensor_format format, unsigned row, unsigned column)
{
    const unsigned lane = row % 8 * 4 + column / 2, odd = column % 2, lower = row / 8;
    return format == ELEMENT_F16 ? (struct place){lower, lane, 16 * odd}
                                 : (struct place){2 * lower + odd, lane, 0};
}

/* An accumulator as the rule wants it: FP16 widens to FP32 where the sum is FP32. */
static u32 read_accumulator(const struct warp *w, const struct matrix_multiply *m,
                            const struct matrix_part *part, unsigned row, unsigned column)
{
    const struct place p = place_of(m->c, row, column);
    const u32 word = ((const u32 *)warp_ref(w, part->c[p.reg]))[p.lane] >> p.shift;
    if (m->c != ELEMENT_F16) {
        return word;
    }
    return m->rule.rounding == TENSOR_TO_F16 ? word & 0xffffu : bits_of_f32(f32_of_half((u16)word));
}

static void keep_result(const struct matrix_multiply *m, accumulators results, unsigned row,
                        unsigned column, u32 value)
{
    const struct place p = place_of(m->d, row, column);
    if (m->d == ELEMENT_F16 && m->rule.rounding != TENSOR_TO_F16) {
        value = half_of_f64((f64)f32_of_bits(value), ROUND_NEAREST);
    }
    results[p.reg][p.lane] |= value << p.shift;
}

static void write_results(struct warp *w, const struct matrix_multiply *m, accumulators *results)
{
    for (unsigned p = 0; p < m->part_count; p++) {
        for (unsigned r = 0; r < m->d_count; r++) {
            if (m->parts[p].d[r] != NO_REF) {
                memcpy(warp_ref(w, m->parts[p].d[r]), results[p][r], sizeof results[p][r]);
            }
        }
    }
}

/* --- floats ----------------------------------------------------------------------------------- */

struct operands {
    u32 a[MATRIX_ROWS][MOST_K], b[MATRIX_COLUMNS][MOST_K];
};

/* FP8 becomes FP16 first, and sums take the elements k mod 4 < 2 first: as the machine code does.
 */
static void widen_fp8(enum tensor_format format, unsigned rows, unsigned k, u32 elements[][MOST_K])
{
    for (unsigned row = 0; row < rows; row++) {
        u32 wide[MOST_K];
        for (unsigned i = 0; i < k; i++) {
            const unsigned to = i / 4 * 2 + i % 2 + (i % 4 < 2 ? 0 : k / 2);
            wide[to] = tensor_f16_of_fp8(format, elements[row][i]);
        }
        memcpy(elements[row], wide, k * sizeof *wide);
    }
}

static void float_part(const struct warp *w, const struct matrix_multiply *m,
                       const struct matrix_part *part, accumulators results)
{
    struct operands e;
    const unsigned count = m->sparse ? m->k / 2 : m->k;
    enum tensor_format a_format = m->a, b_format = m->b;
    gather(w, part->a, m->a_count, m->rows, tensor_formats[m->a].bits, e.a);
    gather(w, part->b, m->b_count, MATRIX_COLUMNS, tensor_formats[m->b].bits, e.b);
    for (unsigned row = 0; row < m->rows; row++) {
        u32 chosen[MATRIX_COLUMNS][MOST_K], *a = e.a[row];
        for (unsigned i = 0; i < count; i++) {
            const unsigned k = m->sparse ? exec_sparse_k(w, m, row, i) : i;
            for (unsigned column = 0; column < MATRIX_COLUMNS; column++) {
                chosen[column][i] = e.b[column][k];
            }
        }
        if (m->rule.widens_fp8) {
            widen_fp8(m->a, 1, count, &e.a[row]);
            widen_fp8(m->b, MATRIX_COLUMNS, count, chosen);
            a_format = b_format = ELEMENT_F16;
        }
        for (unsigned column = 0; column < MATRIX_COLUMNS; column++) {
            const u32 c = read_accumulator(w, m, part, row, column);
            keep_result(m, results, row, column,
                        tensor_dot(m->rule, a_format, a, b_format, chosen[column], count, c));
        }
    }
}

/* --- floats, 16 rows at a time ---------------------------------------------------------------- */

static void keep_columns(const struct matrix_multiply *m, accumulators results,
                         const ints16 d[MATRIX_COLUMNS])
{
    if (m->d != ELEMENT_F16) {
        exec_words_of_columns(d, 2, results[0], results[2]);
        exec_words_of_columns(d + 1, 2, results[1], results[3]);
        return;
    }
    ints16 words[4];
    for (unsigned n = 0; n < MATRIX_COLUMNS; n += 2) {
        words[n / 2] = exec_halves_of(d[n]) | exec_halves_of(d[n + 1]) << 16;
    }
    exec_words_of_columns(words, 1, results[0], results[1]);
}

/* Of what GPUs other than Hopper's do: FP8 as it is, and sparse products in several sums. */
static bool is_by_elements(const struct matrix_multiply *m)
{
    return (is_fp8(m->a) && !m->rule.widens_fp8) || (m->sparse && m->rule.most < m->k / 2);
}

static void fast_part(const struct warp *w, const struct matrix_multiply *m,
                      const struct matrix_part *part, accumulators results)
{
    struct float_tile tile;
    if (is_by_elements(m)) {
        memset(results, 0, sizeof(accumulators));
        float_part(w, m, part, results);
        return;
    }
    exec_read_tile(w, m, part, &tile);
    if (!m->sparse) {
        exec_multiply_tile(m, &tile.a->rows, &tile, m->rule);
    } else if (!exec_multiply_sparse(w, m, &tile)) {
        memset(results, 0, sizeof(accumulators));
        float_part(w, m, part, results);
        return;
    }
    keep_columns(m, results, tile.c);
}

static void count(const struct warp *w, const struct insn *in, const struct matrix_multiply *m)
{
    struct site *s = &w->sites[in->site];
    s->a += m->instructions;
    s->c += m->cycles;
}

static const struct matrix_multiply *multiply_of(const struct warp *w, const struct insn *in)
{
    return &w->block->kernel->matrices[in->number];
}

HANDLER(matrix_floats)
{
    const struct matrix_multiply *m = multiply_of(w, in);
    accumulators results[MATRIX_PARTS];
    WAIT_FOR_WARP
    for (unsigned p = 0; p < m->part_count; p++) {
        fast_part(w, m, &m->parts[p], results[p]);
    }
    write_results(w, m, results);
    count(w, in, m);
    return in + 1;
}

HANDLER(matrix_doubles)
{
    const struct matrix_multiply *m = multiply_of(w, in);
    const struct matrix_part *part = &m->parts[0];
    u64 results[MATRIX_MOST_C][WARP_LANES];
    WAIT_FOR_WARP
    for (unsigned r = 0; r < m->c_count && r < MATRIX_MOST_C; r++) {
        const u64 *c = warp_ref(w, part->c[r]);
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            const unsigned row = lane / 4, column = lane % 4 * 2 + r % 2;
            u64 a[MATRIX_ROWS], b[MATRIX_ROWS];
            for (unsigned k = 0; k < m->k; k++) {
                const unsigned a_register = m->rows == 16 ? r / 2 + 2 * (k / 4) : k / 4;
                a[k] = ((const u64 *)warp_ref(w, part->a[a_register]))[row * 4 + k % 4];
                b[k] = ((const u64 *)warp_ref(w, part->b[k / 4]))[column * 4 + k % 4];
            }
            results[r][lane] = tensor_dot_f64(a, b, m->k, c[lane], m->direction);
        }
    }
    for (unsigned r = 0; r < m->d_count && r < MATRIX_MOST_C; r++) {
        if (part->d[r] != NO_REF) {
            memcpy(warp_ref(w, part->d[r]), results[r], sizeof results[r]);
        }
    }
    count(w, in, m);
    return in + 1;
}

/* --- integers --------------------------------------------------------------------------------- */

static s32 integer_of(enum tensor_format f, u32 element)
{
    const unsigned unused = 32 - tensor_formats[f].bits;
    return tensor_formats[f].is_signed ? (s32)(element << unused) >> unused : (s32)element;
}

static void integers(enum tensor_format format, unsigned rows, unsigned k, u32 elements[][MOST_K])
{
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned i = 0; i < k; i++) {
            elements[row][i] = (u32)integer_of(format, elements[row][i]);
        }
    }
}

static s64 integer_sum(const u32 *a, const u32 *b, unsigned count)
{
    s32 sum = 0; /* at most 128 products of 8 bits each */
    for (unsigned i = 0; i < count; i++) {
        sum += (s32)a[i] * (s32)b[i];
    }
    return sum;
}

static void integer_part(const struct warp *w, const struct matrix_multiply *m,
                         const struct matrix_part *part, accumulators results)
{
    struct operands e;
    const unsigned count = m->sparse ? m->k / 2 : m->k;
    if (m->rows == MATRIX_ROWS && !m->sparse) {
        exec_multiply_integers(w, m, part, results);
        return;
    }
    gather(w, part->a, m->a_count, m->rows, tensor_formats[m->a].bits, e.a);
    gather(w, part->b, m->b_count, MATRIX_COLUMNS, tensor_formats[m->b].bits, e.b);
    integers(m->a, m->rows, count, e.a);
    integers(m->b, MATRIX_COLUMNS, m->k, e.b);
    for (unsigned row = 0; row < m->rows; row++) {
        unsigned from[MOST_K];
        for (unsigned i = 0; i < count && m->sparse; i++) {
            from[i] = exec_sparse_k(w, m, row, i);
        }
        for (unsigned column = 0; column < MATRIX_COLUMNS; column++) {
            u32 chosen[MOST_K];
            for (unsigned i = 0; i < count && m->sparse; i++) {
                chosen[i] = e.b[column][from[i]];
            }
            const s64 sum = integer_sum(e.a[row], m->sparse ? chosen : e.b[column], count);
            const u32 c = read_accumulator(w, m, part, row, column);
            keep_result(m, results, row, column, tensor_accumulate(sum, c, m->saturate));
        }
    }
}

HANDLER(matrix_integers)
{
    const struct matrix_multiply *m = multiply_of(w, in);
    accumulators results[MATRIX_PARTS] = {{{0}}};
    WAIT_FOR_WARP
    for (unsigned p = 0; p < m->part_count; p++) {
        integer_part(w, m, &m->parts[p], results[p]);
    }
    write_results(w, m, results);
    count(w, in, m);
    return in + 1;
}

/* Rows of bits are words: what both have, or one of the two, is counted. */
HANDLER(matrix_bits)
{
    const struct matrix_multiply *m = multiply_of(w, in);
    const struct matrix_part *part = &m->parts[0];
    accumulators results[MATRIX_PARTS] = {{{0}}};
    u32 a[MATRIX_ROWS][MOST_K], b[MATRIX_COLUMNS][MOST_K];
    WAIT_FOR_WARP
    gather(w, part->a, m->a_count, m->rows, 32, a);
    gather(w, part->b, m->b_count, MATRIX_COLUMNS, 32, b);
    for (unsigned row = 0; row < m->rows; row++) {
        for (unsigned column = 0; column < MATRIX_COLUMNS; column++) {
            u32 sum = read_accumulator(w, m, part, row, column);
            for (unsigned i = 0; i < m->k / 32; i++) {
                const u32 both = a[row][i] & b[column][i], one = a[row][i] ^ b[column][i];
                sum += (u32)__builtin_popcount(m->exclusive ? one : both);
            }
            keep_result(m, results[0], row, column, sum);
        }
    }
    write_results(w, m, results);
    count(w, in, m);
    return in + 1;
}

const struct handler exec_matrix_table[] = {HANDLER_ROW(matrix_floats, WORK, QUIET, MATRIX),
                                            HANDLER_ROW(matrix_doubles, WORK, QUIET, MATRIX),
                                            HANDLER_ROW(matrix_integers, WORK, QUIET, MATRIX),
                                            HANDLER_ROW(matrix_bits, WORK, QUIET, MATRIX),
                                            {0}};
