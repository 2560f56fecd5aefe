/* decode_fragment.c - what brings fragments into registers and out of them: wmma.load and .store,
 * ldmatrix, stmatrix, movmatrix.
 *
 * A GPU makes ordinary loads and stores of wmma.load and .store, and so does this decoder: one for
 * each run of elements that lie side by side in memory and in a register. Which lane holds which
 * element was read off an H200 (tests/conformance/tensor/fragments.txt). */
#include "decode/decoder.h"

#include <stdio.h>
#include <string.h>

/* --- wmma.load, wmma.store -------------------------------------------------------------------- */

/* A fragment: lane 4 g + t has, in register r, elements whose first coordinate is g + first(r) and
 * whose second one is t * step + second(r), and those behind it. */
struct fragment {
    enum tensor_format format;
    struct matrix_shape shape;
    char operand;                   /* a, b, c or d */
    unsigned count, distinct, rows; /* registers, those that differ, rows of a block: 16 or 8 */
    unsigned step, per; /* second coordinates from lane to lane; elements in a register */
    bool rows_first;    /* the first coordinate is the row in the PTX manual's sense */
    bool is_column;     /* layout in memory */
};

static bool is_accumulator(const struct fragment *f)
{
    return f->operand == 'c' || f->operand == 'd';
}

static void describe(struct fragment *f)
{
    const struct matrix_shape *s = &f->shape;
    const bool transposed = s->m == 8 && s->n == 32, square = s->m == 8 && s->n == 8;
    const unsigned bits = tensor_formats[f->format].bits, width = bits == 64 ? 64 : 32;
    const unsigned rows = f->operand == 'b' ? s->k : s->m,
                   columns = f->operand == 'a' ? s->k : s->n;
    f->per = width / bits;
    f->distinct = rows * columns / (WARP_LANES * f->per);
    f->count = f->format == ELEMENT_F16 && !is_accumulator(f) ? 8 : f->distinct;
    f->step = is_accumulator(f) ? 2 : f->per;
    f->rows_first = is_accumulator(f) ? !transposed : f->operand == 'a';
    f->rows = square || f->operand == (transposed ? 'a' : 'b') ? 8 : 16;
}

/* Where register r of an accumulator begins. */
static void place_of_accumulator(const struct fragment *f, unsigned r, unsigned *first,
                                 unsigned *second)
{
    const unsigned of_block = f->per == 2 ? 2 : 4, in_row = f->per == 2 ? 1 : 2;
    const unsigned block = r / of_block, inside = r % of_block;
    *first = 8 * (inside / in_row) + (f->shape.n == 16 ? 0 : 16 * block);
    *second = inside % in_row + (f->shape.n == 16 ? 8 * block : 0);
}

static void place_of(const struct fragment *f, unsigned r, unsigned *first, unsigned *second)
{
    r %= f->distinct;
    if (is_accumulator(f)) {
        place_of_accumulator(f, r, first, second);
        return;
    }
    const unsigned extent = f->shape.k / (4 * f->per); /* registers along k */
    if (f->rows == 16) {
        const unsigned block = r / (2 * extent), inside = r % (2 * extent);
        *first = 16 * block + 8 * (inside % 2);
        *second = 4 * f->per * (inside / 2);
    } else {
        *first = 8 * (r / extent);
        *second = 4 * f->per * (r % extent);
    }
}

/* ptxas loads such a fragment by rows of 16 bytes, as ldmatrix does, where the text says that it
 * lies in shared memory. In clang's text no address does; nvcc says it of all but bfloats. */
static bool comes_in_rows(const struct decoder *d, const struct fragment *f, unsigned space)
{
    const bool may_be_shared =
        space == PTX_SHARED ||
        (space == PTX_GENERIC && d->m->copies_params && f->format != ELEMENT_BF16);
    return may_be_shared && !is_accumulator(f) && f->rows_first != f->is_column &&
           tensor_formats[f->format].bits <= 16;
}

/* The address of element (first, second) of each lane: operand a plus in->fragment of
 * exec_matrix.c. */
static bool emit_address(struct decoder *d, const struct fragment *f, struct insn at,
                         unsigned first, unsigned second)
{
    const bool line_is_first = f->rows_first != f->is_column;
    const unsigned bits = tensor_formats[f->format].bits;
    struct insn in = decode_blank();
    in.a = at.a;
    in.b = at.b;
    in.d = d->spare_address;
    in.flags = at.flags;
    in.offset = at.offset;
    in.bytes = (uint8_t)bits;
    in.elements = (uint8_t)f->step;
    in.space = at.space;
    in.count_bytes = comes_in_rows(d, f, at.space) ? ROW_OF_FRAGMENT : 0;
    in.c = first << 16 | second;
    in.e = line_is_first;
    return decode_emit(d, in, "fragment_address") != NULL;
}

/* One access of the address in spare_address. */
static bool emit_access(struct decoder *d, const struct fragment *f, enum ptx_space space,
                        enum insn_move move, unsigned elements, const uint32_t *refs)
{
    const bool load = f->operand != 'd';
    const unsigned bits = tensor_formats[f->format].bits;
    struct insn in = decode_blank();
    in.a = d->spare_address;
    in.flags = INSN_ADDRESS64;
    in.space = (uint8_t)space;
    in.move = (uint8_t)move;
    in.elements = (uint8_t)elements;
    in.bytes = (uint8_t)(elements * (move == MOVE_64 ? 8 : move == MOVE_32 ? 4 : bits / 8));
    in.d = refs[0];
    in.b = elements == 2 ? refs[1] : NO_REF;
    const char *name = load ? "ld" : "st";
    if (space == PTX_GENERIC) {
        in.site = decode_new_site(d, load ? SITE_GLOBAL_LOAD : SITE_GLOBAL_STORE, 3);
    } else if (space == PTX_SHARED) {
        in.site = decode_new_site(d, load ? SITE_SHARED_LOAD : SITE_SHARED_STORE, 1);
    } else {
        in.site = decode_new_site(d, load ? SITE_GLOBAL_LOAD : SITE_GLOBAL_STORE, 1);
    }
    return decode_emit(d, in, "%s_%s", name,
                       space == PTX_GENERIC  ? "generic"
                       : space == PTX_SHARED ? "shared"
                                             : "global") != NULL;
}

/* The hidden register becomes element `index` of a register. */
static bool emit_insert(struct decoder *d, const struct fragment *f, uint32_t ref, uint32_t hidden,
                        unsigned index)
{
    struct insn in = decode_blank();
    in.d = ref;
    in.a = hidden;
    in.bytes = (uint8_t)tensor_formats[f->format].bits;
    in.elements = (uint8_t)index;
    return decode_emit(d, in, "fragment_insert") != NULL;
}

/* Eight by eight halves whose lines in memory are the columns of the fragment: ptxas makes one
 * access of 32 bits for each lane, as if they were its rows, and a movmatrix (LDSM.T where a
 * fragment of a or b comes from shared memory). */
static bool emit_turned(struct decoder *d, const struct fragment *f, struct insn at,
                        enum ptx_space space, uint32_t ref, unsigned first, unsigned second)
{
    const struct fragment turned = {
        .operand = f->operand, .format = f->format, .step = f->step, .rows_first = true};
    const uint32_t hidden = d->spare_word;
    const bool store = f->operand == 'd';
    struct insn in = decode_blank();
    in.a = store ? ref : hidden;
    in.d = store ? hidden : ref;
    return (!store || decode_emit(d, in, "matrix_transpose") != NULL) &&
           emit_address(d, &turned, at, second, first) &&
           emit_access(d, f, space, MOVE_32, 1, &hidden) &&
           (store || decode_emit(d, in, "matrix_transpose") != NULL);
}

/* Elements of a register that are neighbours in memory as well are one access, others one each. */
static bool emit_register(struct decoder *d, const struct fragment *f, struct insn at,
                          enum ptx_space space, const uint32_t *refs, unsigned r)
{
    unsigned first, second;
    const bool neighbours = f->rows_first ? !f->is_column : f->is_column;
    const unsigned bits = tensor_formats[f->format].bits;
    const enum insn_move whole = bits == 64 ? MOVE_64 : MOVE_32;
    place_of(f, r, &first, &second);
    if (neighbours || f->per == 1) {
        const bool pair = neighbours && is_accumulator(f) && f->per == 1; /* 2 t and 2 t + 1 */
        if (pair && r % 2 == 1) {
            return true; /* came with its neighbour */
        }
        return emit_address(d, f, at, first, second) &&
               emit_access(d, f, space, whole, pair ? 2 : 1, &refs[r]);
    }
    if (bits == 16) {
        return emit_turned(d, f, at, space, refs[r], first, second);
    }
    for (unsigned i = 0; i < f->per; i++) {
        const uint32_t hidden = d->spare_word;
        if (!emit_address(d, f, at, first, second + i) ||
            !emit_access(d, f, space, MOVE_U8, 1, &hidden) ||
            !emit_insert(d, f, refs[r], hidden, i)) {
            return false;
        }
    }
    return true;
}

static bool repeat_register(struct decoder *d, uint32_t to, uint32_t from)
{
    struct insn in = decode_blank();
    in.d = to;
    in.a = from;
    return decode_emit(d, in, "fragment_repeat") != NULL;
}

static bool fragment_operands(struct decoder *d, const struct fragment *f, uint32_t *refs)
{
    const bool load = f->operand != 'd';
    const enum ptx_type type = f->format == ELEMENT_F64 ? PTX_F64 : PTX_B32;
    const struct ptx_operand *o = operand(d, load ? 0 : 1);
    const bool single = o->kind != PTX_OPERAND_VECTOR;
    if ((single ? 1 : o->item_count) != f->count) {
        return decode_reject(d, "%u registers; the fragment has %u", single ? 1 : o->item_count,
                             f->count);
    }
    for (unsigned i = 0; i < f->count; i++) {
        const struct ptx_operand *item = single ? o : &o->items[i];
        if (!decode_value(d, item, load, type, &refs[i])) {
            return false;
        }
    }
    return true;
}

/* The stride may be missing: then lines follow each other. */
static bool fragment_stride(struct decoder *d, const struct fragment *f, uint32_t *ref)
{
    const unsigned rows = f->operand == 'b' ? f->shape.k : f->shape.m;
    const unsigned columns = f->operand == 'a' ? f->shape.k : f->shape.n;
    if (d->in->operand_count == 3) {
        return decode_source(d, operand(d, 2), PTX_U32, ref);
    }
    *ref = decode_constant32(d, f->is_column ? rows : columns);
    return true;
}

static bool emit_fragment(struct decoder *d, const struct fragment *f, enum ptx_space space)
{
    uint32_t refs[8];
    struct insn at = decode_blank();
    if (!fragment_operands(d, f, refs) || !fragment_stride(d, f, &at.b) ||
        !decode_address(d, operand(d, f->operand == 'd' ? 0 : 1), &at)) {
        return false;
    }
    at.space = (uint8_t)space;
    d->spare_address = d->spare_address == NO_REF ? decode_frame_room(d, 256) : d->spare_address;
    d->spare_word = d->spare_word == NO_REF ? decode_frame_room(d, 128) : d->spare_word;
    for (unsigned r = 0; r < f->count; r++) {
        if (r < f->distinct ? !emit_register(d, f, at, space, refs, r)
                            : !repeat_register(d, refs[r], refs[r % f->distinct])) {
            return false;
        }
    }
    return true;
}

static bool is_known_fragment(const struct fragment *f, enum tensor_format element)
{
    return decode_wmma_has_shape(element, f->shape);
}

/* An accumulator's type does not say of what; its shape does. */
static bool is_known_accumulator(const struct fragment *f)
{
    switch (f->format) {
    case ELEMENT_F16:
        return is_known_fragment(f, ELEMENT_F16);
    case ELEMENT_F32:
        return is_known_fragment(f, ELEMENT_F16) || is_known_fragment(f, ELEMENT_TF32);
    case ELEMENT_F64:
        return is_known_fragment(f, ELEMENT_F64);
    case ELEMENT_S32:
        return is_known_fragment(f, ELEMENT_S8) || is_known_fragment(f, ELEMENT_S4) ||
               is_known_fragment(f, ELEMENT_B1);
    default:
        return false;
    }
}

/* Which of the operands the modifiers name, '?' for none. */
static char take_operand(struct decoder *d, const char *letters)
{
    for (; *letters != '\0'; letters++) {
        const char text[] = {*letters, '\0'};
        if (decode_take_text(d, text)) {
            return *letters;
        }
    }
    return '?';
}

bool decode_wmma(struct decoder *d)
{
    struct fragment f = {.operand = 0};
    decode_take(d, WORD_SYNC);
    decode_take(d, WORD_ALIGNED);
    if (decode_take_text(d, "mma")) {
        return decode_wmma_mma(d);
    }
    const bool load = decode_take_text(d, "load");
    if (!load && !decode_take_text(d, "store")) {
        return false;
    }
    f.operand = take_operand(d, load ? "abc" : "d");
    f.is_column = decode_take_text(d, "col");
    decode_take_text(d, "row");
    const enum ptx_space space = decode_take_space(d);
    if (f.operand == '?' || !decode_take_shape(d, &f.shape) ||
        decode_take_formats(d, &f.format, 1) != 1 || !decode_all_taken(d) ||
        !decode_operands_are(d, 2, 3)) {
        return false;
    }
    describe(&f);
    if (!(is_accumulator(&f) ? is_known_accumulator(&f) : is_known_fragment(&f, f.format))) {
        return decode_reject(d, "this shape for this type");
    }
    if (tensor_formats[f.format].bits < 8 && f.is_column != (f.operand == 'b')) {
        return decode_reject(d, "this layout: elements below a byte lie along k");
    }
    if (space != PTX_GENERIC && space != PTX_GLOBAL && space != PTX_SHARED) {
        return decode_reject(d, "this state space");
    }
    return emit_fragment(d, &f, space);
}

/* --- ldmatrix, stmatrix, movmatrix ------------------------------------------------------------ */

/* ldmatrix.sync.aligned.m8n8.x4{.trans}{.shared}.b16 {r0, r1, r2, r3}, [row of this lane] */
static bool decode_rows(struct decoder *d, bool load)
{
    struct insn in = decode_blank();
    decode_take(d, WORD_SYNC);
    decode_take(d, WORD_ALIGNED);
    unsigned count = 0;
    for (unsigned n = 1; n <= 4 && count == 0; n *= 2) {
        const char text[] = {'x', (char)('0' + n), '\0'};
        count = decode_take_text(d, text) ? n : 0;
    }
    const bool transposed = decode_take_text(d, "trans");
    in.space = (uint8_t)decode_take_space(d);
    if (count == 0 || !decode_take_text(d, "m8n8") || decode_take_type(d) != PTX_B16) {
        return decode_reject(d, "other matrices than m8n8 of b16, one, two or four of them");
    }
    const struct ptx_operand *list = operand(d, load ? 0 : 1);
    const bool single = list->kind != PTX_OPERAND_VECTOR;
    if (!decode_all_taken(d) || !decode_operands_are(d, 2, 2) ||
        (single ? 1 : list->item_count) != count) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand *item = single ? list : &list->items[i];
        if (!decode_value(d, item, load, PTX_B32, &in.element[i])) {
            return false;
        }
    }
    if (in.space != PTX_SHARED && in.space != PTX_GENERIC) {
        return decode_reject(d, "this state space: matrices lie in shared memory");
    }
    in.elements = (uint8_t)count;
    in.bytes = 16; /* of each row */
    in.flags |= INSN_ROWS;
    if (!decode_address(d, operand(d, load ? 1 : 0), &in)) {
        return false;
    }
    if (in.space == PTX_GENERIC) {
        in.site = decode_new_site(d, load ? SITE_GLOBAL_LOAD : SITE_GLOBAL_STORE, 3);
    } else {
        in.site = decode_new_site(d, load ? SITE_SHARED_LOAD : SITE_SHARED_STORE, 1);
    }
    return decode_emit(d, in, "%s_matrix%s", load ? "ld" : "st", transposed ? "_trans" : "") !=
           NULL;
}

bool decode_ldmatrix(struct decoder *d) { return decode_rows(d, true); }

bool decode_stmatrix(struct decoder *d) { return decode_rows(d, false); }

/* movmatrix.sync.aligned.m8n8.trans.b16 d, a */
bool decode_movmatrix(struct decoder *d)
{
    struct insn in = decode_blank();
    decode_take(d, WORD_SYNC);
    decode_take(d, WORD_ALIGNED);
    return decode_take_text(d, "m8n8") && decode_take_text(d, "trans") &&
           decode_take_type(d) == PTX_B16 && TYPED_OPERANDS(d, &in, PTX_B32, PTX_B32) &&
           decode_emit(d, in, "matrix_transpose") != NULL;
}
