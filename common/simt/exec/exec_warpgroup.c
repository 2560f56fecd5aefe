/* exec_warpgroup.c - wgmma.mma_async: each of four warps computes 16 of 64 rows, from matrices in
 * shared memory and from registers, at once.
 *
 * A descriptor is 64 bits: in units of 16 bytes bits 0..13 are where the matrix begins, 16..29 the
 * leading and 32..45 the stride byte offset; bits 49..51 the base offset, 62..63 the swizzle: none,
 * 128, 64 or 32 bytes. What an H200 makes of them was read off 1,440 of them, element by element:
 *
 *   16 bytes are a chunk: 8 halves along k (K-major), or along m or n (MN-major).
 *   no swizzle, K-major    row r, chunk c of k: 16 (r mod 8) + stride (r / 8) + leading c
 *   no swizzle, MN-major   chunk c of rows, k: 16 (k mod 8) + stride c + leading (k / 8)
 *   swizzle of W bytes     lines of W bytes, 8 of them W bytes apart, the next 8 `stride` further;
 * K-major: a line is a row; MN-major: a line is a k, and W bytes of rows further is `leading`
 * further. Then the chunk's number in its line is xor'ed with the line's number, (address / 128 -
 * base offset) mod 8 (4, 2). */
#include "exec/exec_warpgroup.h"
#include "exec/exec_matrix.h"
#include "exec/exec_values.h"

#include <string.h>

/* --- descriptors ------------------------------------------------------------------------------ */

enum { CHUNK = 16, LINES = 8 };

struct descriptor {
    u32 start, leading, stride; /* bytes */
    u32 base_offset, width;     /* of a swizzled line in bytes; 16: not swizzled */
    bool is_transposed;         /* MN-major */
};

static struct descriptor descriptor_of(u64 bits, bool is_transposed)
{
    static const u32 widths[] = {16, 128, 64, 32};
    return (struct descriptor){.start = (u32)(bits & 0x3fff) * 16,
                               .leading = (u32)(bits >> 16 & 0x3fff) * 16,
                               .stride = (u32)(bits >> 32 & 0x3fff) * 16,
                               .base_offset = (u32)(bits >> 49 & 7),
                               .width = widths[bits >> 62],
                               .is_transposed = is_transposed};
}

static u32 swizzled(const struct descriptor *s, u32 address)
{
    const u32 lines =
        s->width / CHUNK - 1; /* 0, 1, 3 or 7: bits of the chunk's number that change */
    return address ^ ((address / 128 - s->base_offset) & lines) * CHUNK;
}

/* The chunk `along` of line `line`: of a row along k, or of a k along the rows. */
static u32 chunk_address(const struct descriptor *s, u32 line, u32 along)
{
    const u32 per_line = s->width / CHUNK;
    if (per_line == 1) {
        return s->is_transposed ? s->start + CHUNK * (line % LINES) + s->stride * along +
                                      s->leading * (line / LINES)
                                : s->start + CHUNK * (line % LINES) + s->stride * (line / LINES) +
                                      s->leading * along;
    }
    const u32 further = s->is_transposed
                            ? s->leading * (along / per_line) + CHUNK * (along % per_line)
                            : CHUNK * along;
    return swizzled(s, s->start + s->width * (line % LINES) + s->stride * (line / LINES) + further);
}

/* --- elements --------------------------------------------------------------------------------- */

enum { MOST_K = 64 };

struct matrix {
    const struct warp *w;
    struct descriptor at;
    enum tensor_format format;
    unsigned k;
    u32 astray; /* the first address outside of shared memory, if `is_astray` */
    bool is_astray;
};

static const u8 *chunk(struct matrix *m, u32 line, u32 along)
{
    static const u8 nothing[CHUNK];
    const u32 address = chunk_address(&m->at, line, along);
    if (address > m->w->block->shared_bytes || m->w->block->shared_bytes - address < CHUNK) {
        m->astray = m->is_astray ? m->astray : address;
        m->is_astray = true;
        return nothing;
    }
    return m->w->block->shared + address;
}

/* Element i of a chunk, in the low bits of a word; bits are taken 32 at a time. */
static u32 element_of(const u8 *from, unsigned bytes, unsigned i)
{
    u32 word = 0;
    memcpy(&word, from + i * bytes, bytes);
    return word;
}

static unsigned bytes_of(enum tensor_format f)
{
    return f == ELEMENT_B1 ? 4 : tensor_formats[f].bits / 8;
}

/* Eight rows (or columns) from `first` on: to[k][i]. */
static void read_eight(struct matrix *m, unsigned first, u32 to[MOST_K][8])
{
    const unsigned bytes = bytes_of(m->format), per = CHUNK / bytes;
    if (m->at.is_transposed) {
        for (unsigned k = 0; k < m->k; k++) {
            const u8 *from = chunk(m, k, first / 8);
            for (unsigned i = 0; i < 8; i++) {
                to[k][i] = element_of(from, bytes, i);
            }
        }
        return;
    }
    for (unsigned i = 0; i < 8; i++) {
        for (unsigned along = 0; along < m->k / per; along++) {
            const u8 *from = chunk(m, first + i, along);
            for (unsigned k = 0; k < per; k++) {
                to[along * per + k][i] = element_of(from, bytes, k);
            }
        }
    }
}

static struct matrix matrix_of(const struct warp *w, const struct warpgroup_multiply *g,
                               u32 descriptor, enum tensor_format format, bool is_transposed)
{
    const u64 bits = ((const u64 *)warp_ref(w, descriptor))[0];
    return (struct matrix){.w = w,
                           .at = descriptor_of(bits, is_transposed),
                           .format = format,
                           .k = g->a == ELEMENT_B1 ? g->k / 32 : g->k};
}

/* A has half as many elements as it stands for if it is sparse. */
static struct matrix matrix_a(const struct warp *w, const struct warpgroup_multiply *g)
{
    struct matrix a = matrix_of(w, g, g->a_descriptor, g->a, g->a_transposed);
    a.k /= g->sparse ? 2 : 1;
    return a;
}

/* The 16 rows of this warp, each k a vector: as they are stored. */
static void read_packed_rows(const struct warp *w, const struct warpgroup_multiply *g,
                             struct matrix *a, ints16 rows[MOST_K])
{
    if (!g->a_in_registers) {
        u32 upper[MOST_K][8], lower[MOST_K][8];
        const unsigned first = w->number % 4 * 16;
        read_eight(a, first, upper);
        read_eight(a, first + 8, lower);
        for (unsigned k = 0; k < a->k; k++) {
            memcpy(&rows[k], upper[k], sizeof upper[k]);
            memcpy((u8 *)&rows[k] + sizeof upper[k], lower[k], sizeof lower[k]);
        }
        return;
    }
    const unsigned bits = 8 * bytes_of(g->a), per = 32 / bits;
    const u32 mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    for (unsigned half = 0; half < 2; half++) {
        ints16 words[4];
        exec_columns_of_words(warp_ref(w, g->a_registers[2 * half]),
                              warp_ref(w, g->a_registers[2 * half + 1]), words);
        for (unsigned t = 0; t < 4; t++) {
            for (unsigned i = 0; i < per; i++) {
                rows[per * (t + 4 * half) + i] = words[t] >> (s32)(i * bits) & (s32)mask;
            }
        }
    }
}

/* The same, written out if they are sparse. false: metadata names a k twice. */
static bool read_rows(const struct warp *w, const struct warpgroup_multiply *g, struct matrix *a,
                      ints16 packed[MOST_K], ints16 rows[MOST_K])
{
    const struct sparsity s = {g->a, g->k, g->selector, g->metadata};
    read_packed_rows(w, g, a, packed);
    if (!g->sparse) {
        memcpy(rows, packed, (g->a == ELEMENT_B1 ? g->k / 32 : g->k) * sizeof *rows);
        return true;
    }
    return exec_write_out(w, &s, packed, rows);
}

/* --- accumulators ----------------------------------------------------------------------------- */

/* Eight columns of accumulators as vectors of 16 rows, and back. */
static void read_accumulators(const struct warp *w, const struct warpgroup_multiply *g,
                              unsigned block, ints16 c[8])
{
    const bool halves = g->d == ELEMENT_F16;
    const u32 *refs = g->d_registers + block * (halves ? 2 : 4);
    ints16 words[2][4];
    if (!(read_predicate(w, g->scale_d, g->scale_d_negated) & 1u)) {
        memset(c, 0, 8 * sizeof *c);
        return;
    }
    exec_columns_of_words(warp_ref(w, refs[0]), warp_ref(w, refs[halves ? 1 : 2]), words[0]);
    if (!halves) {
        exec_columns_of_words(warp_ref(w, refs[1]), warp_ref(w, refs[3]), words[1]);
    }
    for (unsigned n = 0; n < 8; n++) {
        c[n] = halves ? words[0][n / 2] >> (s32)(16 * (n % 2)) & 0xffff : words[n % 2][n / 2];
    }
}

static void write_accumulators(const struct warp *w, const struct warpgroup_multiply *g,
                               unsigned block, const ints16 d[8])
{
    const bool halves = g->d == ELEMENT_F16;
    const u32 *refs = g->d_registers + block * (halves ? 2 : 4);
    ints16 words[2][4];
    for (unsigned n = 0; n < 8; n += 2) {
        words[0][n / 2] = halves ? d[n] | d[n + 1] << 16 : d[n];
        words[1][n / 2] = d[n + 1];
    }
    exec_words_of_columns(words[0], 1, warp_ref(w, refs[0]), warp_ref(w, refs[halves ? 1 : 2]));
    if (!halves) {
        exec_words_of_columns(words[1], 1, warp_ref(w, refs[1]), warp_ref(w, refs[3]));
    }
}

/* --- products --------------------------------------------------------------------------------- */

struct fast_rows {
    struct float_rows rows;
    struct float_range range;
};

/* Sums of sparse rows as tensor_dot() forms them, one after the other. */
static void sparse_block(const struct warp *w, const struct warpgroup_multiply *g,
                         const ints16 *packed, u32 b[MOST_K][8], ints16 c[8])
{
    const struct sparsity s = {g->a, g->k, g->selector, g->metadata};
    const u32 sign = g->negate ? 1u << (tensor_formats[g->a].bits - 1) : 0;
    for (unsigned i = 0; i < 128; i++) {
        const unsigned row = i % 16, n = i / 16;
        u32 a[MOST_K], column[MOST_K];
        for (unsigned k = 0; k < g->k / 2; k++) {
            a[k] = (u32)packed[k][row] ^ sign;
            column[k] = b[exec_sparse_places(w, &s, k)[row]][n];
        }
        c[n][row] = (s32)tensor_dot(g->rule, g->a, a, g->b, column, g->k / 2, (u32)c[n][row]);
    }
}

static bool has_special(const struct warpgroup_multiply *g, u32 b[MOST_K][8])
{
    struct float_range of_b = floats_no_range();
    struct float_columns columns;
    for (unsigned k = 0; k < g->k; k += 4) {
        floats_of_columns(g->b, 0, b[k], &columns, 0, &of_b);
    }
    return floats_are_special(&of_b);
}

/* c += rows * b, of eight columns. */
static void float_block(const struct warpgroup_multiply *g, const struct fast_rows *a,
                        u32 b[MOST_K][8], ints16 c[8])
{
    struct float_columns columns;
    struct float_range of_b = floats_no_range(), of_c;
    const bool halves = g->d == ELEMENT_F16;
    const s32 least_b = floats_least_exponent(g->b, false);
    for (unsigned k = 0; k < g->k; k += 4) {
        u32 words[FLOATS_GROUP];
        for (unsigned i = 0; i < FLOATS_GROUP; i++) {
            words[i] = b[k + i % 4][i / 4];
        }
        floats_of_columns(g->b, least_b, words, &columns, k / 4, &of_b);
    }
    floats_of_accumulators(g->d, c, &of_c);
    if (floats_are_near(&a->range, &of_b, &of_c)) {
        floats_multiply(&a->rows, &columns, g->k, g->rule, c, halves);
    } else {
        const struct far_operands o = {&a->rows, &columns, floats_least_exponent(g->a, false),
                                       least_b,
                                       floats_are_special(&a->range) || floats_are_special(&of_b) ||
                                           floats_are_special(&of_c)};
        floats_multiply_far(&o, g->k, g->rule, c, halves);
    }
    for (unsigned n = 0; n < 8 && halves; n++) {
        c[n] = exec_halves_of(c[n]);
    }
}

static const struct insn *points_astray(struct warp *w, const struct insn *in,
                                        const struct matrix *m, const char *which)
{
    return fault(w, in, 0, SIMT_ILLEGAL_ADDRESS,
                 "the descriptor of %s reaches offset %u of shared memory (start %u, leading byte "
                 "offset %u, stride byte offset %u); the block has %u bytes",
                 which, m->astray, m->at.start, m->at.leading, m->at.stride,
                 w->block->shared_bytes);
}

static void negate_rows(const struct warpgroup_multiply *g, struct float_rows *rows)
{
    for (unsigned k = 0; k < g->k && g->negate; k++) {
        rows->value[k] = -rows->value[k];
    }
}

/* A warpgroup's four tensor cores take 64 x n x 32 bytes of A as it is stored in n / 2 cycles. */
static void count(const struct warp *w, const struct insn *in)
{
    struct site *s = &w->sites[in->site];
    s->a++;
    s->b++;
    s->c += in->warpgroup->n / 2;
}

HANDLER(warpgroup_floats)
{
    const struct warpgroup_multiply *g = in->warpgroup;
    ints16 packed[MOST_K], rows[MOST_K];
    struct fast_rows fast = {.range = floats_no_range()};
    WAIT_FOR_WARP
    struct matrix b = matrix_of(w, g, g->b_descriptor, g->b, g->b_transposed), a = b;
    if (!g->a_in_registers) {
        a = matrix_a(w, g);
    }
    const bool clear = read_rows(w, g, &a, packed, rows);
    for (unsigned k = 0; k < g->k; k += 4) {
        floats_of_rows(g->a, floats_least_exponent(g->a, false), &rows[k], &fast.rows, k,
                       &fast.range);
    }
    negate_rows(g, &fast.rows);
    for (unsigned block = 0; block < g->n / 8; block++) {
        u32 columns[MOST_K][8];
        ints16 c[8];
        read_eight(&b, 8 * block, columns);
        if (a.is_astray || b.is_astray) {
            return points_astray(w, in, a.is_astray ? &a : &b, a.is_astray ? "A" : "B");
        }
        read_accumulators(w, g, block, c);
        if (g->sparse && (!clear || has_special(g, columns))) {
            sparse_block(w, g, packed, columns, c);
        } else {
            float_block(g, &fast, columns, c);
        }
        write_accumulators(w, g, block, c);
    }
    count(w, in);
    return in + 1;
}

/* --- integers --------------------------------------------------------------------------------- */

static void integer_block(const struct warpgroup_multiply *g, const ints16 *rows, u32 b[MOST_K][8],
                          unsigned k_count, ints16 c[8])
{
    const unsigned a_bits = tensor_formats[g->a].bits, b_bits = tensor_formats[g->b].bits;
    for (unsigned n = 0; n < 8; n++) {
        ints16 sum = {0};
        for (unsigned k = 0; k < k_count; k++) {
            if (g->a == ELEMENT_B1) {
                for (unsigned row = 0; row < 16; row++) {
                    sum[row] += __builtin_popcount((u32)rows[k][row] & b[k][n]);
                }
            } else {
                const s32 up = 32 - (s32)a_bits;
                const ints16 a = tensor_formats[g->a].is_signed ? rows[k] << up >> up : rows[k];
                sum += a * (tensor_formats[g->b].is_signed
                                ? (s32)(b[k][n] << (32 - b_bits)) >> (32 - b_bits)
                                : (s32)b[k][n]);
            }
        }
        for (unsigned row = 0; row < 16; row++) {
            c[n][row] = (s32)tensor_accumulate(sum[row], (u32)c[n][row], g->saturate);
        }
    }
}

HANDLER(warpgroup_integers)
{
    const struct warpgroup_multiply *g = in->warpgroup;
    ints16 packed[MOST_K], rows[MOST_K];
    WAIT_FOR_WARP
    struct matrix b = matrix_of(w, g, g->b_descriptor, g->b, false), a = b;
    if (!g->a_in_registers) {
        a = matrix_a(w, g);
    }
    (void)read_rows(w, g, &a, packed, rows);
    for (unsigned block = 0; block < g->n / 8; block++) {
        u32 columns[MOST_K][8];
        ints16 c[8];
        read_eight(&b, 8 * block, columns);
        if (a.is_astray || b.is_astray) {
            return points_astray(w, in, a.is_astray ? &a : &b, a.is_astray ? "A" : "B");
        }
        read_accumulators(w, g, block, c);
        integer_block(g, rows, columns, b.k, c);
        write_accumulators(w, g, block, c);
    }
    count(w, in);
    return in + 1;
}

/* --- groups, and what is read ----------------------------------------------------------------- */

HANDLER(warpgroup_group)
{
    (void)w;
    return in + 1;
}

static void tell_lines(const struct matrix *m, u32 first, u32 lines, u32 along_first, u32 along,
                       void (*tell)(void *state, u32 offset), void *state)
{
    for (u32 line = first; line < first + lines; line++) {
        for (u32 i = along_first; i < along_first + along; i++) {
            tell(state, chunk_address(&m->at, line, i));
        }
    }
}

/* Of A the 16 rows of this warp, of B all columns. */
static void tell_matrix(const struct matrix *m, u32 first, u32 rows,
                        void (*tell)(void *state, u32 offset), void *state)
{
    if (m->at.is_transposed) {
        tell_lines(m, 0, m->k, first / 8, rows / 8, tell, state);
    } else {
        tell_lines(m, first, rows, 0, m->k * bytes_of(m->format) / CHUNK, tell, state);
    }
}

void exec_warpgroup_chunks(const struct warp *w, const struct insn *in,
                           void (*tell)(void *state, u32 offset), void *state)
{
    const struct warpgroup_multiply *g = in->warpgroup;
    const struct matrix b = matrix_of(w, g, g->b_descriptor, g->b, g->b_transposed);
    tell_matrix(&b, 0, g->n, tell, state);
    if (!g->a_in_registers) {
        const struct matrix a = matrix_a(w, g);
        tell_matrix(&a, w->number % 4 * 16, 16, tell, state);
    }
}

const struct handler exec_warpgroup_table[] = {
    HANDLER_ROW(warpgroup_floats, WORK, WARPGROUP, OPCODE),
    HANDLER_ROW(warpgroup_integers, WORK, WARPGROUP, OPCODE),
    HANDLER_ROW(warpgroup_group, WORK, WARPGROUP, NONE),
    {0}};
