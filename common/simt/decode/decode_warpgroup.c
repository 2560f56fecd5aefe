/* decode_warpgroup.c - wgmma: products of 64 rows that four warps compute together (matrix.h). */
#include "decode/decoder.h"

#include <stdlib.h>
#include <string.h>

/* --- types and shapes ------------------------------------------------------------------------- */

static bool is_integer(enum tensor_format f)
{
    return f == ELEMENT_S8 || f == ELEMENT_U8 || f == ELEMENT_B1;
}

static bool is_fp8(enum tensor_format f) { return f == ELEMENT_E4M3 || f == ELEMENT_E5M2; }

static bool types_fit(const struct warpgroup_multiply *g)
{
    const bool bytes = is_fp8(g->a) && is_fp8(g->b);
    const bool integers = is_integer(g->a) && is_integer(g->b) &&
                          tensor_formats[g->a].bits == tensor_formats[g->b].bits;
    if (integers) {
        return g->d == ELEMENT_S32;
    }
    if (g->d == ELEMENT_F16) {
        return bytes || (g->a == ELEMENT_F16 && g->b == ELEMENT_F16);
    }
    return g->d == ELEMENT_F32 &&
           (bytes || (g->a == g->b &&
                      (g->a == ELEMENT_F16 || g->a == ELEMENT_BF16 || g->a == ELEMENT_TF32)));
}

/* n is a multiple of 8; of integers beyond 32, of 16. k is 32 bytes, or 64 where A is sparse. */
static bool shape_fits(const struct warpgroup_multiply *g, struct matrix_shape s)
{
    const unsigned step = is_integer(g->a) && s.n > 32 ? 16 : 8;
    return s.m == 64 && s.n >= 8 && s.n <= WARPGROUP_MOST_N && s.n % step == 0 &&
           !(is_integer(g->a) && s.n < 8) &&
           s.k * tensor_formats[g->a].bits == (g->sparse ? 16 : 8) * WARPGROUP_BYTES_OF_K &&
           !(g->sparse && g->a == ELEMENT_B1);
}

/* --- operands --------------------------------------------------------------------------------- */

static bool accumulators(struct decoder *d, struct warpgroup_multiply *g)
{
    const struct ptx_operand *o = operand(d, 0);
    g->d_count = g->n / 2 / (g->d == ELEMENT_F16 ? 2 : 1);
    g->d_registers = arena_alloc(&d->k->arena, g->d_count * sizeof *g->d_registers);
    if (o->kind != PTX_OPERAND_VECTOR || o->item_count != g->d_count) {
        return decode_reject(d, "%u registers of accumulators; it has %u",
                             o->kind == PTX_OPERAND_VECTOR ? o->item_count : 1, g->d_count);
    }
    for (unsigned i = 0; i < g->d_count; i++) {
        if (!decode_destination(d, &o->items[i], WIDTH_32, &g->d_registers[i])) {
            return false;
        }
    }
    return true;
}

static bool operand_a(struct decoder *d, struct warpgroup_multiply *g)
{
    const struct ptx_operand *o = operand(d, 1);
    g->a_in_registers = o->kind == PTX_OPERAND_VECTOR;
    if (!g->a_in_registers) {
        return decode_source(d, o, PTX_B64, &g->a_descriptor);
    }
    if (o->item_count != 4) {
        return decode_reject(d, "%u registers as operand 2; it has 4", o->item_count);
    }
    for (unsigned i = 0; i < 4; i++) {
        if (!decode_source(d, &o->items[i], PTX_B32, &g->a_registers[i])) {
            return false;
        }
    }
    return true;
}

/* A number at the end of the operands: 1 or -1 of a scale, 0 or 1 of a transposition. */
static bool flag(struct decoder *d, unsigned at, int64_t on, int64_t off, bool *value)
{
    const struct ptx_operand *o = operand(d, at);
    const bool known =
        o->kind == PTX_OPERAND_INT && ((int64_t)o->bits == on || (int64_t)o->bits == off);
    *value = known && (int64_t)o->bits == on;
    return known || decode_reject(d, "operand %u that is not %lld or %lld", at + 1, (long long)off,
                                  (long long)on);
}

/* Of sparse ones, behind the descriptors: metadata, and which lanes of four hold it. */
static bool metadata(struct decoder *d, struct warpgroup_multiply *g)
{
    const struct ptx_operand *selector = operand(d, 4);
    const unsigned most = tensor_formats[g->a].bits == 8 ? 0 : 1;
    if (selector->kind != PTX_OPERAND_INT || selector->bits > most) {
        return decode_reject(d, "a sparsity selector that is not 0%s", most > 0 ? " or 1" : "");
    }
    g->selector = (unsigned)selector->bits;
    return decode_source(d, operand(d, 3), PTX_B32, &g->metadata);
}

/* Behind the descriptors: scale-d; of floats the signs of a and b; of 16-bit floats what is
 * transposed. */
static bool scales(struct decoder *d, struct warpgroup_multiply *g)
{
    const bool floats = !is_integer(g->a), halves = tensor_formats[g->a].bits == 16;
    const unsigned transposes = !halves ? 0 : g->a_in_registers ? 1 : 2;
    const unsigned first = g->sparse ? 5 : 3, count = first + 1 + (floats ? 2 : 0) + transposes;
    bool negative_a = false, negative_b = false;
    if (!decode_operands_are(d, count, count) || (g->sparse && !metadata(d, g)) ||
        !decode_predicate_source(d, operand(d, first), &g->scale_d, &g->scale_d_negated) ||
        (floats &&
         (!flag(d, first + 1, -1, 1, &negative_a) || !flag(d, first + 2, -1, 1, &negative_b))) ||
        (transposes == 2 && !flag(d, first + 3, 1, 0, &g->a_transposed)) ||
        (transposes > 0 && !flag(d, count - 1, 1, 0, &g->b_transposed))) {
        return false;
    }
    g->negate = negative_a != negative_b;
    return true;
}

/* --- wgmma ------------------------------------------------------------------------------------ */

static bool multiply(struct decoder *d)
{
    struct warpgroup_multiply *g = arena_alloc(&d->k->arena, sizeof *g);
    struct insn in = decode_blank();
    struct matrix_shape shape;
    enum tensor_format f[3];
    memset(g, 0, sizeof *g);
    g->sparse = decode_take_text(d, "sp");
    g->saturate = decode_take_text(d, "satfinite");
    decode_take(d, WORD_AND);
    decode_take(d, WORD_POPC);
    if (!decode_take_shape(d, &shape) || decode_take_formats(d, f, 3) != 3) {
        return decode_reject(d, "fewer than three types");
    }
    g->d = f[0];
    g->a = f[1];
    g->b = f[2];
    g->n = shape.n;
    g->k = shape.k;
    if (!types_fit(g)) {
        return decode_reject(d, "these types together");
    }
    if (!shape_fits(g, shape)) {
        return decode_reject(d, "this shape for these types");
    }
    g->rule = tensor_rule_wgmma(g->a, g->d);
    if (!decode_all_taken(d) || !accumulators(d, g) || !operand_a(d, g) ||
        !decode_source(d, operand(d, 2), PTX_B64, &g->b_descriptor) || !scales(d, g)) {
        return false;
    }
    in.warpgroup = g;
    d->k->multiplies_shared = true;
    in.site = decode_new_plain_site(d, is_integer(g->a) ? SITE_IMMA : SITE_HMMA, 0);
    return decode_emit(d, in, is_integer(g->a) ? "warpgroup_integers" : "warpgroup_floats") != NULL;
}

/* Products are complete at once here: what orders them does nothing, but for checks. */
static bool ordering(struct decoder *d, const char *handler)
{
    return decode_all_taken(d) && decode_operands_are(d, 0, 1) &&
           decode_emit(d, decode_blank(), "%s", handler) != NULL;
}

bool decode_wgmma(struct decoder *d)
{
    decode_take(d, WORD_SYNC);
    decode_take(d, WORD_ALIGNED);
    if (decode_take_text(d, "mma_async")) {
        return multiply(d);
    }
    if (decode_take_text(d, "fence")) {
        return ordering(d, "nop");
    }
    if (decode_take(d, WORD_COMMIT_GROUP) || decode_take(d, WORD_WAIT_GROUP)) {
        return ordering(d, "warpgroup_group");
    }
    return false;
}
