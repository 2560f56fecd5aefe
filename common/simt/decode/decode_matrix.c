/* decode_matrix.c - mma and wmma.mma: shapes, types and registers of matrix products (matrix.h). */
#include "decode/decoder.h"

#include <stdio.h>
#include <string.h>

/* --- modifiers by their text: shapes and formats are words of matrix instructions alone ------- */

bool decode_take_text(struct decoder *d, const char *text)
{
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        if (!(d->taken >> i & 1u) && strcmp(d->in->modifiers[i].text, text) == 0) {
            d->taken |= 1u << i;
            return true;
        }
    }
    return false;
}

bool decode_take_shape(struct decoder *d, struct matrix_shape *shape)
{
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        int end = 0;
        const char *text = d->in->modifiers[i].text;
        if (sscanf(text, "m%un%uk%u%n", &shape->m, &shape->n, &shape->k, &end) == 3 &&
            text[end] == '\0') {
            d->taken |= 1u << i;
            return true;
        }
    }
    return decode_reject(d, "no shape");
}

/* The formats among the modifiers, in their order; their number. */
unsigned decode_take_formats(struct decoder *d, enum tensor_format *formats, unsigned most)
{
    unsigned count = 0;
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        for (unsigned f = 0; f < ELEMENT_FORMATS && count < most; f++) {
            if (!(d->taken >> i & 1u) &&
                strcmp(d->in->modifiers[i].text, tensor_formats[f].name) == 0) {
                d->taken |= 1u << i;
                formats[count++] = (enum tensor_format)f;
            }
        }
    }
    return count;
}

/* --- what shapes there are -------------------------------------------------------------------- */

/* How elements of A and B may be mixed: only within a kind. */
enum matrix_kind {
    KIND_F16,
    KIND_BF16,
    KIND_TF32,
    KIND_FP8,
    KIND_F64,
    KIND_INT8,
    KIND_INT4,
    KIND_B1
};

static const uint8_t kind_of[ELEMENT_FORMATS] = {
    [ELEMENT_F16] = KIND_F16,  [ELEMENT_BF16] = KIND_BF16, [ELEMENT_TF32] = KIND_TF32,
    [ELEMENT_E4M3] = KIND_FP8, [ELEMENT_E5M2] = KIND_FP8,  [ELEMENT_F64] = KIND_F64,
    [ELEMENT_S8] = KIND_INT8,  [ELEMENT_U8] = KIND_INT8,   [ELEMENT_S4] = KIND_INT4,
    [ELEMENT_U4] = KIND_INT4,  [ELEMENT_B1] = KIND_B1};

/* k of mma.m16n8, of mma.m8n8 and of mma.sp.m16n8, as of compute capability 9.0; 0: no more. */
static const struct {
    uint16_t wide[3], square, sparse[2];
} shapes_of[] = {[KIND_F16] = {{8, 16}, 4, {16, 32}},     [KIND_BF16] = {{8, 16}, 0, {16, 32}},
                 [KIND_TF32] = {{4, 8}, 0, {8, 16}},      [KIND_FP8] = {{16, 32}, 0, {64}},
                 [KIND_F64] = {{4, 8, 16}, 4, {0}},       [KIND_INT8] = {{16, 32}, 16, {32, 64}},
                 [KIND_INT4] = {{32, 64}, 32, {64, 128}}, [KIND_B1] = {{128, 256}, 128, {0}}};

static bool is_among(unsigned k, const uint16_t *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (k != 0 && list[i] == k) {
            return true;
        }
    }
    return false;
}

static bool has_shape(enum tensor_format a, struct matrix_shape s, bool sparse)
{
    const unsigned kind = kind_of[a];
    if (sparse) {
        return s.m == 16 && s.n == 8 && is_among(s.k, shapes_of[kind].sparse, 2);
    }
    return s.n == 8 && ((s.m == 16 && is_among(s.k, shapes_of[kind].wide, 3)) ||
                        (s.m == 8 && is_among(s.k, &shapes_of[kind].square, 1)));
}

static bool has_accumulators(enum tensor_format a, enum tensor_format c, enum tensor_format d)
{
    switch (kind_of[a]) {
    case KIND_F16:
        return (c == ELEMENT_F16 || c == ELEMENT_F32) && (d == ELEMENT_F16 || d == ELEMENT_F32);
    case KIND_F64:
        return c == ELEMENT_F64 && d == ELEMENT_F64;
    case KIND_INT8:
    case KIND_INT4:
    case KIND_B1:
        return c == ELEMENT_S32 && d == ELEMENT_S32;
    case KIND_FP8:
        return (c == ELEMENT_F16 || c == ELEMENT_F32) && d == c;
    default:
        return c == ELEMENT_F32 && d == ELEMENT_F32;
    }
}

/* --- registers -------------------------------------------------------------------------------- */

static unsigned bits_in_register(enum tensor_format f) { return f == ELEMENT_F64 ? 64 : 32; }

/* Registers of a lane for so many elements of a whole warp. */
static unsigned registers_for(enum tensor_format f, unsigned elements)
{
    return elements * tensor_formats[f].bits / bits_in_register(f) / WARP_LANES;
}

static void count_registers(struct matrix_multiply *m)
{
    m->a_count = registers_for(m->a, m->rows * m->k / (m->sparse ? 2 : 1));
    m->b_count = registers_for(m->b, MATRIX_COLUMNS * m->k);
    m->c_count = registers_for(m->c, m->rows * MATRIX_COLUMNS);
    m->d_count = registers_for(m->d, m->rows * MATRIX_COLUMNS);
}

bool decode_matrix_registers(struct decoder *d, unsigned which, enum tensor_format format,
                             unsigned count, bool is_result, uint32_t *refs)
{
    const struct ptx_operand *o = operand(d, which);
    const enum ptx_type type = format == ELEMENT_F64 ? PTX_F64 : PTX_B32;
    const bool single = o->kind != PTX_OPERAND_VECTOR;
    const struct ptx_operand *items = single ? o : o->items;
    if ((single ? 1 : o->item_count) != count) {
        return decode_reject(d, "%u registers as operand %u; it has %u", single ? 1 : o->item_count,
                             which + 1, count);
    }
    for (unsigned i = 0; i < count; i++) {
        if (!decode_value(d, &items[i], is_result, type, &refs[i])) {
            return false;
        }
    }
    return true;
}

/* Of a tensor core, for a product of which a row of A is `row_bytes` long. */
static unsigned cycles_of_one(const struct matrix_multiply *m, unsigned row_bytes)
{
    if (row_bytes < 32) {
        return 4;
    }
    return m->sparse ? 8 : 6;
}

/* What ptxas makes of it for compute capability 9.0, and the cycles that each takes of a tensor
 * core (measured on an H200: 6.0 where a row of A is 32 bytes, 8.0 where it is that and sparse, 4.0
 * where it is 16; FP64 is half the rate of the data sheet's 67 TFLOPS, and of 8 rows a quarter).
 * FP8 becomes FP16 twice, 4-bit integers two products of 8-bit ones, an exclusive or two of `and`,
 * wmma of TF32 two steps of k. */
static void count_instructions(struct matrix_multiply *m, bool is_wmma)
{
    const unsigned bits = tensor_formats[m->a].bits,
                   a_bytes = m->k / (m->sparse ? 2 : 1) * bits / 8;
    const bool fp8 = kind_of[m->a] == KIND_FP8, twice = fp8 || kind_of[m->a] == KIND_INT4 ||
                                                        (m->a == ELEMENT_B1 && m->exclusive) ||
                                                        (m->a == ELEMENT_TF32 && is_wmma);
    const unsigned bytes = fp8 ? a_bytes : m->a == ELEMENT_TF32 && is_wmma ? 16 : a_bytes;
    m->instructions = m->part_count * (twice ? 2 : 1);
    m->cycles = m->a == ELEMENT_F64 ? MATRIX_ROWS * MATRIX_COLUMNS * m->k / 32
                                    : m->instructions * cycles_of_one(m, bytes);
}

static enum site_kind site_of(enum tensor_format a)
{
    if (a == ELEMENT_F64) {
        return SITE_DMMA;
    }
    return a >= ELEMENT_S8 ? SITE_IMMA : SITE_HMMA;
}

static const char *handler_of(const struct matrix_multiply *m)
{
    const enum tensor_format a = m->a;
    if (m->is_quads) {
        return "quads";
    }
    if (a == ELEMENT_F64) {
        return "doubles";
    }
    if (a == ELEMENT_B1) {
        return "bits";
    }
    return a >= ELEMENT_S8 ? "integers" : "floats";
}

/* Registers that are written once hold the same wherever they are read. */
static bool is_written_once(const struct decoder *d, const struct ptx_operand *o)
{
    const bool single = o->kind != PTX_OPERAND_VECTOR;
    const struct ptx_operand *items = single ? o : o->items;
    for (unsigned i = 0; i < (single ? 1 : o->item_count); i++) {
        if (items[i].kind != PTX_OPERAND_REG || items[i].reg == PTX_NO_REG ||
            d->ir->regs[items[i].reg].writer_count > 1) {
            return false;
        }
    }
    return true;
}

/* The product of FP8 is made from zero and its accumulator added by itself, so ptxas makes one
 * product of several in a block that have the same operands. */
static bool repeats_product(const struct decoder *d, const struct matrix_multiply *m)
{
    bool found = false;
    for (unsigned i = 0; kind_of[m->a] == KIND_FP8 && !m->sparse && i < d->k->matrix_count; i++) {
        const struct matrix_multiply *o = &d->k->matrices[i];
        found |= o->func == m->func && o->block == m->block && o->a == m->a && o->b == m->b &&
                 o->c == m->c && o->k == m->k &&
                 memcmp(o->parts[0].a, m->parts[0].a, m->a_count * sizeof(uint32_t)) == 0 &&
                 memcmp(o->parts[0].b, m->parts[0].b, m->b_count * sizeof(uint32_t)) == 0;
    }
    return found && is_written_once(d, operand(d, 1)) && is_written_once(d, operand(d, 2));
}

bool decode_emit_multiply(struct decoder *d, struct matrix_multiply *m)
{
    struct kernel *k = d->k;
    struct insn in = decode_blank();
    m->func = d->kf->index;
    m->block = d->ir->insns[d->at].block;
    if (repeats_product(d, m)) {
        m->instructions = m->cycles = 0;
    }
    k->matrices = arena_grow(&d->scratch, k->matrices, k->matrix_count, &d->matrix_capacity,
                             sizeof *k->matrices);
    k->matrices[k->matrix_count] = *m;
    in.number = k->matrix_count++;
    in.site = decode_new_plain_site(d, site_of(m->a), 0);
    return decode_emit(d, in, "matrix_%s", handler_of(m)) != NULL;
}

/* --- mma -------------------------------------------------------------------------------------- */

static void take_bit_operation(struct decoder *d, struct matrix_multiply *m)
{
    m->exclusive = decode_take(d, WORD_XOR);
    decode_take(d, WORD_AND);
    decode_take(d, WORD_POPC);
}

static bool take_sparse(struct decoder *d)
{
    return decode_take_text(d, "sp") || decode_take_text(d, "sp::ordered_metadata");
}

/* The selector says which lanes of four hold the metadata: one of them, two or all, so there are
 * four selectors, two or one. ptxas 13.0 takes four with FP32 sums of FP16 k32, too. */
static bool take_metadata(struct decoder *d, struct matrix_multiply *m)
{
    const struct ptx_operand *selector = operand(d, 5);
    const unsigned bits = tensor_formats[m->a].bits, a_bytes = m->k / 2 * bits / 8;
    const bool any = m->a == ELEMENT_F16 && m->c == ELEMENT_F32;
    const unsigned choices = any ? 4 : (bits >= 16 ? 4 : 2) / (a_bytes / 16);
    if (selector->kind != PTX_OPERAND_INT || selector->bits >= choices) {
        return decode_reject(d,
                             choices == 1 ? "a sparsity selector other than %u"
                                          : "a sparsity selector that is not 0 to %u",
                             choices - 1);
    }
    m->selector = (unsigned)selector->bits;
    return decode_source(d, operand(d, 4), PTX_B32, &m->metadata);
}

/* Of FP64 alone: in which direction sums are rounded. false: it says nothing. */
static bool take_direction(struct decoder *d, struct matrix_multiply *m)
{
    static const enum ptx_word words[] = {[TENSOR_NEAREST] = WORD_RN,
                                          [TENSOR_TO_ZERO] = WORD_RZ,
                                          [TENSOR_DOWN] = WORD_RM,
                                          [TENSOR_UP] = WORD_RP};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (decode_take(d, words[i])) {
            m->direction = (enum tensor_direction)i;
            return true;
        }
    }
    return false;
}

static bool may_round(struct decoder *d, const struct matrix_multiply *m, bool rounds)
{
    return !rounds || m->a == ELEMENT_F64 ? true
                                          : decode_reject(d, "a rounding of types other than f64");
}

static bool mma_formats(struct decoder *d, struct matrix_multiply *m)
{
    enum tensor_format f[4];
    if (decode_take_formats(d, f, 4) != 4) {
        return decode_reject(d, "fewer than four types");
    }
    m->d = f[0];
    m->a = f[1];
    m->b = f[2];
    m->c = f[3];
    return m->a < ELEMENT_FORMATS && kind_of[m->a] == kind_of[m->b] && m->a != ELEMENT_F32 &&
                   m->a != ELEMENT_S32 && m->b != ELEMENT_F32 && m->b != ELEMENT_S32 &&
                   has_accumulators(m->a, m->c, m->d) &&
                   !(m->sparse && kind_of[m->a] == KIND_FP8 && m->c == ELEMENT_F16)
               ? true
               : decode_reject(d, "these types together");
}

/* Of mma all but m8n8k4 of FP16: mma{.sp}.sync.aligned.SHAPE.row.col{.satfinite}.D.A.B.C{.and.popc}
 * d, a, b, c{, metadata, selector} */
bool decode_wide_mma(struct decoder *d)
{
    struct matrix_multiply m = {.part_count = 1};
    struct matrix_shape shape;
    m.sparse = take_sparse(d);
    decode_take(d, WORD_SYNC);
    decode_take(d, WORD_ALIGNED);
    m.saturate = decode_take_text(d, "satfinite");
    const bool rounds = take_direction(d, &m);
    take_bit_operation(d, &m);
    if (!decode_take_shape(d, &shape) || !mma_formats(d, &m) || !may_round(d, &m, rounds)) {
        return false;
    }
    if (!has_shape(m.a, shape, m.sparse)) {
        return decode_reject(d, "this shape for these types");
    }
    m.rows = shape.m;
    m.k = shape.k;
    const bool layouts = decode_take_text(d, "row") && decode_take_text(d, "col");
    count_registers(&m);
    m.rule = tensor_rule_mma(d->world->gpu, m.a, m.c, m.k / (m.sparse ? 2 : 1));
    count_instructions(&m, false);
    struct matrix_part *p = &m.parts[0];
    return (layouts || decode_reject(d, "layouts other than row.col")) && decode_all_taken(d) &&
           decode_operands_are(d, m.sparse ? 6 : 4, m.sparse ? 6 : 4) &&
           decode_matrix_registers(d, 0, m.d, m.d_count, true, p->d) &&
           decode_matrix_registers(d, 1, m.a, m.a_count, false, p->a) &&
           decode_matrix_registers(d, 2, m.b, m.b_count, false, p->b) &&
           decode_matrix_registers(d, 3, m.c, m.c_count, false, p->c) &&
           (!m.sparse || take_metadata(d, &m)) && decode_emit_multiply(d, &m);
}

/* --- wmma.mma --------------------------------------------------------------------------------- */

/* One fragment is as many registers as an operand of 16 rows or of 8 columns, or of two. FP16
 * fragments are eight registers in any case: what is more repeats what is less. */
static unsigned fragment_registers(enum tensor_format f, unsigned needed)
{
    return f == ELEMENT_F16 ? 8 : needed;
}

/* The registers of two parts: one operand is shared, the other one lies side by side. m8n32k16 is
 * the transposed product, of B's columns by A's rows. */
static void divide(struct matrix_multiply *m, const struct matrix_shape *s, const uint32_t *a,
                   const uint32_t *b, const uint32_t *c, const uint32_t *d)
{
    const bool transposed = s->m == 8 && s->n == 32;
    const uint32_t *rows = transposed ? b : a, *columns = transposed ? a : b;
    for (unsigned p = 0; p < m->part_count; p++) {
        struct matrix_part *part = &m->parts[p];
        const bool shares_rows = s->n == 16;
        memcpy(part->a, rows + (shares_rows ? 0 : p * m->a_count), m->a_count * sizeof *a);
        memcpy(part->b, columns + (shares_rows ? p * m->b_count : 0), m->b_count * sizeof *b);
        memcpy(part->c, c + p * m->c_count, m->c_count * sizeof *c);
        memcpy(part->d, d + p * m->d_count, m->d_count * sizeof *d);
    }
    if (transposed) {
        const enum tensor_format swapped = m->a;
        m->a = m->b;
        m->b = swapped;
    }
}

static bool wmma_formats(struct decoder *d, struct matrix_multiply *m)
{
    enum tensor_format f[4];
    const unsigned count = decode_take_formats(d, f, 4);
    if (count == 2) { /* the accumulators of FP16 */
        m->d = f[0];
        m->c = f[1];
        m->a = m->b = ELEMENT_F16;
    } else if (count == 4) {
        m->d = f[0];
        m->a = f[1];
        m->b = f[2];
        m->c = f[3];
    }
    return (count == 2 || (count == 4 && m->a == m->b)) && has_accumulators(m->a, m->c, m->d)
               ? true
               : decode_reject(d, "these types together");
}

bool decode_wmma_has_shape(enum tensor_format f, struct matrix_shape s)
{
    const bool three = s.k == 16 && ((s.m == 16 && s.n == 16) || (s.m == 32 && s.n == 8) ||
                                     (s.m == 8 && s.n == 32));
    const bool square = s.m == 8 && s.n == 8;
    switch (kind_of[f]) {
    case KIND_F16:
    case KIND_BF16:
    case KIND_INT8:
        return three;
    case KIND_TF32:
        return s.m == 16 && s.n == 16 && s.k == 8;
    case KIND_FP8:
        return false;
    default:
        return square && s.k == shapes_of[kind_of[f]].square;
    }
}

bool decode_wmma_mma(struct decoder *d)
{
    struct matrix_multiply m = {.part_count = 1};
    struct matrix_shape s;
    uint32_t refs[4][2 * MATRIX_MOST_A];
    take_bit_operation(d, &m);
    m.saturate = decode_take_text(d, "satfinite");
    const bool rounds = take_direction(d, &m);
    for (unsigned i = 0; i < 2;
         i++) { /* fragments lie in registers in one way, whatever the layout */
        (void)(decode_take_text(d, "row") || decode_take_text(d, "col"));
    }
    if (!decode_take_shape(d, &s) || !wmma_formats(d, &m) || !may_round(d, &m, rounds)) {
        return false;
    }
    if (!decode_wmma_has_shape(m.a, s)) {
        return decode_reject(d, "this shape for these types");
    }
    m.part_count = s.m == 8 && s.n == 8 ? 1 : 2;
    m.rows = m.part_count == 1 ? 8 : 16;
    m.k = s.k;
    count_registers(&m);
    const bool halves = m.c == ELEMENT_F16 && m.d == ELEMENT_F16;
    m.rule = tensor_rule_mma(d->world->gpu, m.a, halves ? ELEMENT_F16 : ELEMENT_F32,
                             m.a == ELEMENT_TF32 ? 4 : m.k); /* TF32: steps of 4 in machine code */
    count_instructions(&m, true);
    const bool transposed = s.m == 8 && s.n == 32;
    const unsigned twice = m.part_count, a = m.a_count * (s.n == 16 ? 1 : twice),
                   b = m.b_count * (s.n == 16 ? twice : 1);
    return decode_all_taken(d) && decode_operands_are(d, 4, 4) &&
           decode_matrix_registers(d, 0, m.d, m.d_count * twice, true, refs[0]) &&
           decode_matrix_registers(d, 1, m.a, fragment_registers(m.a, transposed ? b : a), false,
                                   refs[1]) &&
           decode_matrix_registers(d, 2, m.b, fragment_registers(m.b, transposed ? a : b), false,
                                   refs[2]) &&
           decode_matrix_registers(d, 3, m.c, m.c_count * twice, false, refs[3]) &&
           (divide(&m, &s, refs[1], refs[2], refs[3], refs[0]), true) &&
           decode_emit_multiply(d, &m);
}
