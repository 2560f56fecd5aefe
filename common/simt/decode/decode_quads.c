/* decode_quads.c - mma.m8n8k4 of FP16, Volta's shape: four products, in eight lanes each
 * (exec/exec_quads.c). */
#include "decode/decoder.h"

#include <string.h>

enum {
    VOLTA = 70,
    TURING = 75, /* compute capabilities */
    QUAD_WORDS = 2 /* of A and of B */,
    QUAD_SUMS = 8
};

static bool take_layouts(struct decoder *d, struct matrix_multiply *m)
{
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        const char *text = d->in->modifiers[i].text;
        const bool is_column = strcmp(text, "col") == 0;
        if (is_column || strcmp(text, "row") == 0) {
            m->a_by_columns = is_column;
            return decode_take_text(d, text) &&
                   ((m->b_by_rows = decode_take_text(d, "row")) || decode_take_text(d, "col"));
        }
    }
    return false;
}

/* The accumulator's registers are those of two parts where the result has eight. */
static bool quad_registers(struct decoder *d, struct matrix_multiply *m)
{
    const unsigned c_count = m->c == ELEMENT_F16 ? QUAD_SUMS / 2 : QUAD_SUMS,
                   d_count = m->d == ELEMENT_F16 ? QUAD_SUMS / 2 : QUAD_SUMS;
    uint32_t c[QUAD_SUMS], sums[QUAD_SUMS];
    struct matrix_part *p = m->parts;
    if (!decode_matrix_registers(d, 0, m->d, d_count, true, sums) ||
        !decode_matrix_registers(d, 1, m->a, QUAD_WORDS, false, p->a) ||
        !decode_matrix_registers(d, 2, m->b, QUAD_WORDS, false, p->b) ||
        !decode_matrix_registers(d, 3, m->c, c_count, false, c)) {
        return false;
    }
    p[1] = p[0];
    m->part_count = d_count / MATRIX_MOST_C;
    for (unsigned i = 0; i < d_count; i++) {
        p[i / MATRIX_MOST_C].d[i % MATRIX_MOST_C] = sums[i];
        p[i / MATRIX_MOST_C].c[i % MATRIX_MOST_C] = c[i % c_count];
    }
    return true;
}

/* On Volta four HMMA.884, or two with FP16 accumulators (Jia et al., "Dissecting the NVIDIA Volta
 * GPU Architecture via Microbenchmarking", arXiv 1804.06826), and 8 cycles: 1024 products at the
 * 128 a cycle of the data sheet's 125 TFLOPS. Later GPUs execute no tensor instruction for it. */
static void count_quads(struct matrix_multiply *m, bool in_software)
{
    m->in_software = in_software;
    if (!in_software) {
        m->instructions = m->d == ELEMENT_F16 ? 2 : 4;
        m->cycles = 8;
    }
}

static bool is_f16(const enum tensor_format types[4])
{
    for (unsigned i = 0; i < 4; i++) {
        const bool may_be_wide = i == 0 || i == 3;
        if (types[i] != ELEMENT_F16 && !(may_be_wide && types[i] == ELEMENT_F32)) {
            return false;
        }
    }
    return types[0] == ELEMENT_F32 || types[3] == ELEMENT_F16;
}

/* mma.sync.aligned.m8n8k4.ALAYOUT.BLAYOUT.D.f16.f16.C d, a, b, c */
static bool quads(struct decoder *d)
{
    const unsigned gpu = d->world->gpu;
    enum tensor_format types[4];
    struct matrix_shape shape;
    decode_take(d, WORD_SYNC);
    decode_take(d, WORD_ALIGNED);
    if (!decode_take_shape(d, &shape)) {
        return false;
    }
    if (decode_take_formats(d, types, 4) != 4 || !is_f16(types)) {
        return decode_reject(d, "these types together");
    }
    struct matrix_multiply m = {.is_quads = true,
                                .d = types[0],
                                .a = types[1],
                                .b = types[2],
                                .c = types[3],
                                .rows = shape.m,
                                .k = shape.k,
                                .a_count = QUAD_WORDS,
                                .b_count = QUAD_WORDS,
                                .c_count = MATRIX_MOST_C,
                                .d_count = MATRIX_MOST_C};
    m.rule = tensor_rule_mma(VOLTA, m.a, m.d, m.k);
    count_quads(&m, gpu == 0 || gpu >= TURING);
    return (take_layouts(d, &m) || decode_reject(d, "layouts other than row and col")) &&
           decode_all_taken(d) && decode_operands_are(d, 4, 4) && quad_registers(d, &m) &&
           decode_emit_multiply(d, &m);
}

bool decode_mma(struct decoder *d)
{
    bool has_shape = false, is_double = false;
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        has_shape |= strcmp(d->in->modifiers[i].text, "m8n8k4") == 0;
        is_double |= d->in->modifiers[i].type == PTX_F64;
    }
    return has_shape && !is_double ? quads(d) : decode_wide_mma(d);
}
