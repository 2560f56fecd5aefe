/* parse_init.c - initialisers: numbers, nested { }, and addresses of variables and functions.
 *
 * The result is the variable's bytes, and a list of the pointers in them, whose values are known
 * only when the module is loaded. */
#include "ptx/parser.h"

#include <string.h>

enum { MAX_INITIAL_BYTES = 256 << 20 }; /* of all initialisers of a module */

/* An array is filled from the left; inner braces fill one sub-array, as in C. */
struct filling {
    struct ptx_var *var;
    uint8_t *bytes;
    unsigned element_bytes;
    uint64_t element, elements; /* the next one, and how many there are (0: `name[]`) */
    const uint64_t *dims;       /* of the nesting levels, and the vector as the last one */
    unsigned dim_count;
    /* Bytes of one address, written one by one: 0xff(name), 0xff00(name), ... */
    struct ptx_reloc mask;
    unsigned mask_bytes;
};

/* Gives the variable at least `bytes` bytes; those that it had keep their values. */
static bool grow(struct parser *p, struct filling *f, uint64_t bytes)
{
    uint64_t grown = bytes < f->var->bytes * 2 ? f->var->bytes * 2 : bytes;
    if (bytes > MAX_INITIAL_BYTES || p->initial_bytes + grown > MAX_INITIAL_BYTES) {
        return parse_fail(p, p->token.line, "more than %d MiB of initial values",
                          MAX_INITIAL_BYTES >> 20);
    }
    uint8_t *larger = arena_alloc(&p->module->arena, grown);
    if (f->bytes != NULL) {
        memcpy(larger, f->bytes, f->var->bytes);
    }
    p->initial_bytes += grown;
    f->bytes = larger;
    f->var->bytes = grown;
    return true;
}

static bool room_for_element(struct parser *p, struct filling *f)
{
    uint64_t end = (f->element + 1) * f->element_bytes;
    if (f->elements != 0 && f->element >= f->elements) {
        return parse_fail(p, p->token.line, "%.200s has more initial values than elements (%llu)",
                          f->var->name, (unsigned long long)f->elements);
    }
    return end <= f->var->bytes || grow(p, f, end); /* only `name[]` grows */
}

static bool put_number(struct parser *p, struct filling *f, const struct literal *value)
{
    uint64_t bits = 0;
    uint8_t *element = f->bytes + f->element * f->element_bytes;
    if (!parse_fit(p, value, f->var->type, &bits)) {
        return false;
    }
    if (f->element_bytes > sizeof bits && !value->is_unsigned && (int64_t)bits < 0) {
        memset(element, 0xff, f->element_bytes); /* .b128: the upper half is the sign */
    }
    memcpy(element, &bits, f->element_bytes < sizeof bits ? f->element_bytes : sizeof bits);
    return true;
}

/* name, name+8, generic(name), generic(name)+8, generic(name+8) */
static bool parse_address(struct parser *p, struct ptx_reloc *reloc)
{
    struct symbol *symbol = NULL;
    uint64_t more = 0;
    if (!parse_name(p, &symbol)) {
        return false;
    }
    reloc->generic = symbol->keyword == KEY_GENERIC && parse_accept(p, '(');
    if (reloc->generic && !parse_name(p, &symbol)) {
        return false;
    }
    reloc->symbol = symbol->text;
    if (!parse_offset(p, &reloc->addend)) {
        return false;
    }
    if (reloc->generic && (!parse_expect(p, ')') || !parse_offset(p, &more))) {
        return false;
    }
    reloc->addend += more;
    return true;
}

static bool put_address(struct parser *p, struct filling *f)
{
    struct ptx_reloc reloc = {.offset = f->element * f->element_bytes, .bytes = f->element_bytes};
    unsigned line = p->token.line;
    if (!parse_address(p, &reloc)) {
        return false;
    }
    if (ptx_is_float(f->var->type) || (reloc.bytes != 8 && reloc.bytes != 4)) {
        return parse_fail(p, line, "the address of %.200s does not fit in a .%s; use .u64",
                          reloc.symbol, ptx_type_name(f->var->type));
    }
    *PUSH(p, relocs) = reloc;
    return true;
}

/* 0xff00(name): byte 1 of the address. Compilers write all eight, in order: one pointer. The
 * mask and the ( are already passed. */
static bool put_address_byte(struct parser *p, struct filling *f, uint64_t mask)
{
    struct ptx_reloc reloc = {.offset = f->element, .bytes = 8};
    unsigned line = p->token.line;
    if (!parse_address(p, &reloc) || !parse_expect(p, ')')) {
        return false;
    }
    if (f->mask_bytes == 0) {
        f->mask = reloc;
    }
    if (f->element_bytes != 1 || mask != UINT64_C(0xff) << (8 * f->mask_bytes) ||
        reloc.symbol != f->mask.symbol || reloc.addend != f->mask.addend ||
        reloc.generic != f->mask.generic || f->mask.offset + f->mask_bytes != reloc.offset) {
        return parse_fail(p, line,
                          "masked address; only the eight bytes 0xff(name), 0xff00(name), ... of "
                          "one address, in this order in a .b8 array, are supported");
    }
    if (++f->mask_bytes == 8) {
        *PUSH(p, relocs) = f->mask;
        f->mask_bytes = 0;
    }
    return true;
}

static bool masks_complete(struct parser *p, const struct filling *f)
{
    return f->mask_bytes == 0 ||
           parse_fail(p, p->token.line, "masked address of %.200s ends after %u of its 8 bytes",
                      f->mask.symbol, f->mask_bytes);
}

static bool put_element(struct parser *p, struct filling *f)
{
    struct literal value;
    if (!room_for_element(p, f)) {
        return false;
    }
    if (p->token.kind == TOKEN_NAME && p->token.symbol->keyword != KEY_WARP_SZ) {
        return masks_complete(p, f) && put_address(p, f);
    }
    if (!parse_starts_constant(p)) {
        return parse_expected(p, "an initial value");
    }
    if (!parse_constant(p, &value)) {
        return false;
    }
    if (parse_accept(p, '(')) {
        return put_address_byte(p, f, value.bits);
    }
    return masks_complete(p, f) && put_number(p, f, &value);
}

/* How many elements a list at this level has; 0 if that is open. */
static uint64_t span_of(const struct filling *f, unsigned level)
{
    uint64_t span = 1;
    for (unsigned i = level; i < f->dim_count; i++) {
        span *= f->dims[i];
    }
    return span;
}

static bool put_list(struct parser *p, struct filling *f, unsigned level);

/* One of a list's items, which began at element `first`: a value, or `{` and a list of its own. */
static bool put_item(struct parser *p, struct filling *f, unsigned level, uint64_t first)
{
    if (p->token.punct != '{') {
        bool done = put_element(p, f);
        f->element++;
        return done;
    }
    uint64_t span = level + 1 < f->dim_count ? span_of(f, level + 1) : 0;
    if (span == 0 || (f->element - first) % span != 0) {
        return parse_fail(p, p->token.line, "{ where %.200s needs a number: it has %u dimensions",
                          f->var->name, f->dim_count);
    }
    if (f->elements != 0 && f->element >= f->elements) {
        return room_for_element(p, f); /* says that there are too many */
    }
    parse_advance(p);
    return put_list(p, f, level + 1);
}

/* After `{`. Level 0 is the whole variable; what is left out is zero. */
static bool put_list(struct parser *p, struct filling *f, unsigned level)
{
    uint64_t first = f->element, span = span_of(f, level);
    if (!parse_accept(p, '}')) {
        do {
            if (!put_item(p, f, level, first)) {
                return false;
            }
        } while (parse_accept(p, ','));
        if (!parse_expect(p, '}')) {
            return false;
        }
    }
    if (span == 0) { /* name[]: as long as its values */
        return true;
    }
    if (f->element - first > span) {
        return parse_fail(p, p->token.line,
                          "more than %llu initial values between { and } of %.200s",
                          (unsigned long long)span, f->var->name);
    }
    f->element = first + span;
    return true;
}

/* `name[][3]`: as many rows as were begun. */
static bool close_open_array(struct parser *p, struct filling *f)
{
    uint64_t row = span_of(f, 1);
    if (row > MAX_INITIAL_BYTES) {
        return grow(p, f, row);
    }
    uint64_t elements = row == 0 ? 0 : (f->element + row - 1) / row * row;
    uint64_t bytes = elements * f->element_bytes;
    if (bytes > f->var->bytes && !grow(p, f, bytes)) {
        return false;
    }
    f->var->bytes = bytes;
    return true;
}

bool parse_initialiser(struct parser *p, struct ptx_var *var, const uint64_t *dims,
                       unsigned dim_count, unsigned vector)
{
    uint64_t levels[16];
    struct filling f = {.var = var, .element_bytes = ptx_type_bytes(var->type), .dims = levels};
    memcpy(levels, dims, dim_count * sizeof *dims);
    if (vector > 1) {
        levels[dim_count++] = vector;
    }
    f.dim_count = dim_count;
    f.elements = var->bytes / f.element_bytes;
    p->relocs.count = 0;
    var->bytes = 0; /* grow() sets it again, with memory */
    if (f.elements > 0 && !grow(p, &f, f.elements * f.element_bytes)) {
        return false;
    }
    bool braces = parse_accept(p, '{');
    if (!braces && dim_count > 0) {
        return parse_expected(p, "{ before the initial values of an array");
    }
    if (!(braces ? put_list(p, &f, 0) : put_element(p, &f)) || !masks_complete(p, &f) ||
        (f.elements == 0 && !close_open_array(p, &f))) {
        return false;
    }
    var->initial = f.bytes;
    var->reloc_count = p->relocs.count;
    var->relocs = KEEP(p, relocs, 0);
    return true;
}
