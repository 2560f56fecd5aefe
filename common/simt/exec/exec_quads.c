/* exec_quads.c - mma.m8n8k4 of FP16, Volta's shape: four products of 8 x 4 by 4 x 8 elements.
 * Product q has eight lanes: 4 q to 4 q + 3 are its members 0 to 3, and those 16 lanes further on
 * its members 4 to 7.
 *
 * Volta's tensor cores add four products at once (gpu/tensor.h). For later GPUs ptxas makes fma of
 * FP32 of it: ((a0 b0 + a1 b1) + a2 b2) + a3 b3, and then c; with FP16 accumulators the sum
 * (a2 b2 + a3 b3) + ((a0 b0 + a1 b1) + c), rounded to FP16 at the end. So an H200 gives these bits
 * for 2^20 tiles of each layout and type (tests/conformance/tensor). */
#include "exec/exec_matrix.h"
#include "exec/exec_values.h"

#include <math.h>
#include <string.h>

enum { QUADS = 4, SIDE = 8, DEPTH = 4, HALVES_PER_WORD = 2 };

static unsigned lane_of(unsigned quad, unsigned member)
{
    return 4 * quad + member % 4 + 16 * (member / 4);
}

/* The half `item` of a member's registers. */
static u16 half_at(const struct warp *w, const uint32_t *refs, unsigned lane, unsigned item)
{
    const u32 *words = warp_ref(w, refs[item / HALVES_PER_WORD]);
    return (u16)(words[lane] >> 16 * (item % HALVES_PER_WORD));
}

/* A member holds a row of A or a column of B, or else the four elements of one k: those of rows or
 * columns 0 to 3, or of 4 to 7. */
static void read_line(const struct warp *w, const uint32_t *refs, unsigned quad, unsigned line,
                      bool is_across, u32 elements[DEPTH])
{
    for (unsigned k = 0; k < DEPTH; k++) {
        const unsigned member = is_across ? k + line / 4 * 4 : line;
        elements[k] = half_at(w, refs, lane_of(quad, member), is_across ? line % 4 : k);
    }
}

/* --- accumulators ----------------------------------------------------------------------------- */

struct place {
    unsigned reg, member, shift;
};

static struct place place_of(enum tensor_format format, unsigned row, unsigned column)
{
    if (format == ELEMENT_F16) {
        return (struct place){column / 2, row, 16 * (column % 2)};
    }
    return (struct place){(column & 4) | (row & 2) | (column & 1),
                          (row & 4) | (column & 2) | (row & 1), 0};
}

static uint32_t ref_of(const struct matrix_multiply *m, bool is_result, unsigned reg)
{
    const struct matrix_part *p = &m->parts[reg / MATRIX_MOST_C];
    return (is_result ? p->d : p->c)[reg % MATRIX_MOST_C];
}

/* --- one element ------------------------------------------------------------------------------ */

static float product(const u32 *a, const u32 *b, unsigned k)
{
    return f32_of_half((u16)a[k]) * f32_of_half((u16)b[k]);
}

static float joined(const u32 *a, const u32 *b, unsigned k, float c)
{
    return fmaf(f32_of_half((u16)a[k]), f32_of_half((u16)b[k]), c);
}

static u32 sum_to_f32(const u32 *a, const u32 *b, float c)
{
    const float sum = joined(a, b, 3, joined(a, b, 2, joined(a, b, 1, joined(a, b, 0, 0.0f)))) + c;
    return sum == sum ? bits_of_f32(sum) : 0x7fffffffu;
}

static u32 sum_to_f16(const u32 *a, const u32 *b, float c)
{
    const float first = joined(a, b, 1, product(a, b, 0)) + c;
    const float sum = joined(a, b, 3, product(a, b, 2)) + first;
    return sum == sum ? half_of_f64((f64)sum, ROUND_NEAREST) : 0x7fffu;
}

static u32 element(const struct matrix_multiply *m, const u32 *a, const u32 *b, u32 c)
{
    const float wide = m->c == ELEMENT_F16 ? f32_of_half((u16)c) : f32_of_bits(c);
    if (m->in_software) {
        return m->d == ELEMENT_F16 ? sum_to_f16(a, b, wide) : sum_to_f32(a, b, wide);
    }
    const bool is_narrow = m->rule.rounding == TENSOR_TO_F16;
    const u32 sum = tensor_dot(m->rule, m->a, a, m->b, b, DEPTH, is_narrow ? c : bits_of_f32(wide));
    return m->d == ELEMENT_F16 || !is_narrow ? sum : bits_of_f32(f32_of_half((u16)sum));
}

/* --- the instruction -------------------------------------------------------------------------- */

static void multiply(const struct warp *w, const struct matrix_multiply *m, unsigned quad,
                     u32 results[SIDE][WARP_LANES])
{
    u32 b[SIDE][DEPTH];
    for (unsigned column = 0; column < SIDE; column++) {
        read_line(w, m->parts[0].b, quad, column, m->b_by_rows, b[column]);
    }
    for (unsigned row = 0; row < SIDE; row++) {
        u32 a[DEPTH];
        read_line(w, m->parts[0].a, quad, row, m->a_by_columns, a);
        for (unsigned column = 0; column < SIDE; column++) {
            const struct place from = place_of(m->c, row, column), to = place_of(m->d, row, column);
            const u32 *words = warp_ref(w, ref_of(m, false, from.reg));
            const u32 c = words[lane_of(quad, from.member)] >> from.shift;
            results[to.reg][lane_of(quad, to.member)] |= element(m, a, b[column], c) << to.shift;
        }
    }
}

HANDLER(matrix_quads)
{
    const struct matrix_multiply *m = &w->block->kernel->matrices[in->number];
    u32 results[SIDE][WARP_LANES] = {{0}}; /* operands may share registers with results */
    WAIT_FOR_WARP
    for (unsigned quad = 0; quad < QUADS; quad++) {
        multiply(w, m, quad, results);
    }
    for (unsigned r = 0; r < (m->d == ELEMENT_F16 ? SIDE / 2 : SIDE); r++) {
        const uint32_t ref = ref_of(m, true, r);
        if (ref != NO_REF) {
            memcpy(warp_ref(w, ref), results[r], sizeof results[r]);
        }
    }
    w->sites[in->site].a += m->instructions;
    w->sites[in->site].c += m->cycles;
    return in + 1;
}

const struct handler exec_quads_table[] = {HANDLER_ROW(matrix_quads, WORK, QUIET, MATRIX), {0}};
