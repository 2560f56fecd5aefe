/* expression.c - see expression.h. */
#include "report/expression.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FARTHEST ((int64_t)1 << 48) /* bytes from a root: no array is larger */

/* --- making them ------------------------------------------------------------------------------ */

struct expression expression_number(int64_t value)
{
    return (struct expression){.constant = value};
}

struct expression expression_text(const char *text, enum expression_level level)
{
    return (struct expression){.term_count = 1, .terms = {{1, text, level}}};
}

struct expression expression_address(const struct expression_root *root)
{
    return (struct expression){.root = root};
}

/* Wraps as the machine's sums do. */
static int64_t plus(int64_t a, int64_t b, int64_t factor)
{
    return (int64_t)((uint64_t)a + (uint64_t)b * (uint64_t)factor);
}

static bool add_term(struct expression *a, struct expression_term t, int64_t factor)
{
    const bool vague = strstr(t.text, "\u2026") != NULL; /* another one may be called the same */
    for (unsigned i = 0; i < a->term_count && !vague; i++) {
        if (strcmp(a->terms[i].text, t.text) == 0) {
            a->terms[i].factor = plus(a->terms[i].factor, t.factor, factor);
            if (a->terms[i].factor == 0) {
                a->term_count--;
                memmove(&a->terms[i], &a->terms[i + 1], (a->term_count - i) * sizeof t);
            }
            return true;
        }
    }
    if (a->term_count == EXPRESSION_TERMS) {
        return false;
    }
    t.factor = plus(0, t.factor, factor);
    a->terms[a->term_count++] = t;
    return true;
}

bool expression_depends_on(struct expression *a, const char *variable)
{
    for (unsigned i = 0; i < a->variable_count; i++) {
        if (strcmp(a->variables[i], variable) == 0) {
            return true;
        }
    }
    if (a->variable_count == EXPRESSION_VARIABLES) {
        return false;
    }
    a->variables[a->variable_count++] = variable;
    return true;
}

bool expression_depend(struct expression *a, const struct expression *b)
{
    a->from_memory |= b->from_memory;
    for (unsigned i = 0; i < b->variable_count; i++) {
        if (!expression_depends_on(a, b->variables[i])) {
            return false;
        }
    }
    return true;
}

bool expression_add(struct expression *a, const struct expression *b, int64_t factor)
{
    if (b->root != NULL && (a->root != NULL || factor != 1)) {
        return false;
    }
    a->root = a->root != NULL ? a->root : b->root;
    a->somewhere |= b->somewhere;
    a->constant = plus(a->constant, b->constant, factor);
    for (unsigned i = 0; i < b->term_count; i++) {
        if (!add_term(a, b->terms[i], factor)) {
            return false;
        }
    }
    if (a->somewhere) {
        a->term_count = 0;
        a->constant = 0;
    }
    return expression_depend(a, b);
}

bool expression_scale(struct expression *a, int64_t factor)
{
    if (a->root != NULL) {
        return false;
    }
    a->constant = plus(0, a->constant, factor);
    a->term_count = factor == 0 ? 0 : a->term_count;
    for (unsigned i = 0; i < a->term_count; i++) {
        a->terms[i].factor = plus(0, a->terms[i].factor, factor);
    }
    return true;
}

/* --- as text ---------------------------------------------------------------------------------- */

static bool append(char text[EXPRESSION_TEXT], const char *more)
{
    const size_t length = strlen(text), added = strlen(more);
    if (length + added >= EXPRESSION_TEXT) {
        return false;
    }
    memcpy(text + length, more, added + 1);
    return true;
}

static bool write_term(char text[EXPRESSION_TEXT], const struct expression_term *t, bool alone)
{
    char factor[32] = "";
    const bool first = text[0] == '\0', negative = t->factor < 0;
    const uint64_t size = negative ? 0 - (uint64_t)t->factor : (uint64_t)t->factor;
    if (size != 1) {
        snprintf(factor, sizeof factor, " * %" PRIu64, size);
    }
    const bool product = size != 1 || (negative && first);
    const bool brackets = t->level > (product ? LEVEL_PRODUCT : LEVEL_SUM) && !(alone && !product);
    const bool closer = t->level == LEVEL_SUM && (product || negative);
    static const char *const signs[2][2] = {{" + ", ""}, {" - ", "-"}};
    static const char *const around[2][2] = {{"", ""}, {"(", ")"}};
    const char *const *both = around[brackets || closer];
    return append(text, signs[negative][first]) && append(text, both[0]) && append(text, t->text) &&
           append(text, both[1]) && append(text, factor);
}

bool expression_write(const struct expression *e, char text[EXPRESSION_TEXT],
                      enum expression_level *level)
{
    char number[32];
    const bool alone = e->term_count == 1 && e->constant == 0;
    text[0] = '\0';
    if (e->root != NULL) {
        return false;
    }
    for (unsigned pass = 0; pass < 2; pass++) { /* what is taken away comes last */
        for (unsigned i = 0; i < e->term_count; i++) {
            if ((e->terms[i].factor < 0) == (pass == 1) && !write_term(text, &e->terms[i], alone)) {
                return false;
            }
        }
    }
    *level = alone ? (e->terms[0].factor == 1 ? e->terms[0].level : LEVEL_PRODUCT) : LEVEL_SUM;
    if (e->term_count == 0) {
        snprintf(number, sizeof number, "%" PRId64, e->constant);
        *level = e->constant < 0 ? LEVEL_SIGN : LEVEL_NAME;
        return append(text, number);
    }
    if (e->constant != 0) {
        const uint64_t size = e->constant < 0 ? 0 - (uint64_t)e->constant : (uint64_t)e->constant;
        snprintf(number, sizeof number, " %c %" PRIu64, e->constant < 0 ? '-' : '+', size);
        return append(text, number);
    }
    return true;
}

bool expression_operand(const struct expression *e, enum expression_level at_most,
                        char text[EXPRESSION_TEXT])
{
    char inner[EXPRESSION_TEXT];
    enum expression_level level;
    if (!expression_write(e, inner, &level)) {
        return false;
    }
    text[0] = '\0';
    return level <= at_most ? append(text, inner)
                            : append(text, "(") && append(text, inner) && append(text, ")");
}

/* --- addresses -------------------------------------------------------------------------------- */

/* The part of a sum of elements that whole rows of `row` elements make; the rest stays in it. */
static bool take_rows(struct expression *e, int64_t row, struct expression *rows)
{
    *rows = expression_number(0);
    for (unsigned i = 0; i < e->term_count;) {
        struct expression_term t = e->terms[i];
        if (t.factor % row != 0) {
            i++;
            continue;
        }
        t.factor /= row;
        if (!add_term(rows, t, 1)) {
            return false;
        }
        e->term_count--;
        memmove(&e->terms[i], &e->terms[i + 1], (e->term_count - i) * sizeof t);
    }
    const int64_t rest = (e->constant % row + row) % row;
    const int64_t before = e->term_count > 0 && rest == row - 1; /* `tile[y][x - 1]` */
    const int64_t whole = (e->constant - rest) / row + before;
    rows->constant = whole;
    e->constant = rest - before * row;
    return true;
}

static bool append_subscript(char text[EXPRESSION_TEXT], const struct expression *index)
{
    char number[EXPRESSION_TEXT];
    enum expression_level level;
    return expression_write(index, number, &level) && append(text, "[") && append(text, number) &&
           append(text, "]");
}

static bool append_field(char text[EXPRESSION_TEXT], const struct declared *is, unsigned at,
                         unsigned bytes)
{
    char name[48];
    if (at == 0 && (bytes == is->element_bytes || bytes == 0)) {
        return true; /* all of the element */
    }
    for (unsigned i = 0; i < is->field_count; i++) {
        const struct declared_field *f = &is->fields[i];
        const unsigned index = at >= f->offset ? (at - f->offset) / f->bytes : f->count;
        const bool begins = at >= f->offset && (at - f->offset) % f->bytes == 0;
        if (index < f->count && begins && (bytes == f->bytes || bytes == 0)) {
            snprintf(name, sizeof name, f->is_array ? ".%s[%u]" : ".%s", f->name, index);
            return append(text, name);
        }
    }
    return false;
}

/* `in[i].x` of an address; bytes 0: whatever lies there. False: it is not where an element is. */
static bool write_place(const struct expression *e, unsigned bytes, char text[EXPRESSION_TEXT])
{
    const struct declared *is = &e->root->is;
    const int64_t size = is->element_bytes;
    struct expression left = *e, rows;
    left.root = NULL;
    for (unsigned i = 0; i < left.term_count; i++) {
        if (size == 0 || left.terms[i].factor % size != 0) {
            return false;
        }
        left.terms[i].factor /= size;
    }
    if (size == 0 || e->somewhere || e->constant < -FARTHEST || e->constant > FARTHEST) {
        return false;
    }
    const int64_t at = (left.constant % size + size) % size;
    left.constant = (left.constant - at) / size;
    text[0] = '\0';
    if (!append(text, e->root->name)) {
        return false;
    }
    for (unsigned d = 0; d + 1 < is->dim_count; d++) {
        int64_t row = 1;
        for (unsigned k = d + 1; k < is->dim_count; k++) {
            row *= is->dims[k];
        }
        if (!take_rows(&left, row, &rows) || !append_subscript(text, &rows)) {
            return false;
        }
    }
    const bool whole = append_subscript(text, &left);
    return whole && append_field(text, is, (unsigned)at, bytes);
}

static bool write_bytes(const struct expression *e, char text[EXPRESSION_TEXT])
{
    struct expression offset = *e;
    enum expression_level level;
    char number[EXPRESSION_TEXT];
    offset.root = NULL;
    text[0] = '\0';
    if (!append(text, e->root->name)) {
        return false;
    }
    if (e->term_count == 0 && e->constant == 0) {
        return true;
    }
    if (e->term_count == 0 && e->constant < 0) {
        offset.constant = (int64_t)(0 - (uint64_t)e->constant);
        return expression_write(&offset, number, &level) && append(text, " - ") &&
               append(text, number) && append(text, " bytes");
    }
    return expression_operand(&offset, LEVEL_NAME, number) && append(text, " + ") &&
           append(text, number) && append(text, " bytes");
}

bool expression_write_address(const struct expression *e, char text[EXPRESSION_TEXT])
{
    text[0] = '\0';
    if (e->root == NULL) {
        return false;
    }
    if (e->somewhere) {
        return append(text, e->root->name) && append(text, " + \u2026");
    }
    char place[EXPRESSION_TEXT];
    const bool begins = e->term_count == 0 && e->constant == 0;
    if (!begins && write_place(e, 0, place)) {
        return append(text, "&") && append(text, place);
    }
    return write_bytes(e, text);
}

bool expression_write_element(const struct expression *e, unsigned bytes,
                              char text[EXPRESSION_TEXT])
{
    char place[EXPRESSION_TEXT];
    text[0] = '\0';
    if (e->root == NULL) {
        return false;
    }
    if (e->somewhere) {
        return append(text, e->root->name) && append(text, "[\u2026]");
    }
    if (write_place(e, bytes, text)) {
        return true;
    }
    text[0] = '\0';
    return write_bytes(e, place) && append(text, "*(") && append(text, place) && append(text, ")");
}
