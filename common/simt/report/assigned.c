/* assigned.c - see assigned.h. */
#include "report/assigned.h"

#include "report/source.h"
#include "report/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 400, MOST_LINES = 4, SEARCHED_LINES = 300 };

/* A statement's text up to its semicolon, without comments; false: it is longer, or has none. */
static bool statement_text(const char *file, unsigned line, unsigned column, char text[MOST_TEXT])
{
    size_t length = 0;
    for (unsigned i = 0; i < MOST_LINES; i++) {
        const char *c = source_line(file, line + i);
        c += i == 0 && column > 0 ? strnlen(c, column - 1) : 0;
        for (; *c != '\0' && strncmp(c, "//", 2) != 0; c++) {
            if (strncmp(c, "/*", 2) == 0 || length + 2 >= MOST_TEXT) {
                return false;
            }
            if (*c == ';') {
                text[length] = '\0';
                return true;
            }
            text[length++] = *c;
        }
        text[length++] = ' ';
    }
    return false;
}

/* --- types ------------------------------------------------------------------------------------ */

struct scalar {
    const char *name;
    unsigned bytes;
    bool is_float, is_unsigned;
};
static const struct scalar scalars[] = {
    {"float", 4, true, false},        {"double", 8, true, false},
    {"unsigned int", 4, false, true}, {"unsigned", 4, false, true},
    {"uint32_t", 4, false, true},     {"int", 4, false, false},
    {"int32_t", 4, false, false},     {"size_t", 8, false, true},
    {"uint64_t", 8, false, true},     {"unsigned long long", 8, false, true},
    {"long long", 8, false, false},   {"int64_t", 8, false, false},
};

/* Behind a type of the table with a blank after it; NULL: another type, or none. */
static const char *behind_type(const char *c, struct scalar *type)
{
    const char *best = NULL;
    size_t longest = 0;
    c = words_skip_blanks(c);
    if (strncmp(c, "const ", 6) == 0) {
        c = words_skip_blanks(c + 6);
    }
    for (unsigned i = 0; i < sizeof scalars / sizeof scalars[0]; i++) {
        const size_t length = strlen(scalars[i].name);
        if (length > longest && strncmp(c, scalars[i].name, length) == 0 &&
            isspace((unsigned char)c[length])) {
            longest = length;
            *type = scalars[i];
            best = words_skip_blanks(c + length);
        }
    }
    return best;
}

static const char *behind_name(const char *c, char name[64])
{
    const size_t length = word_length(c);
    if (length == 0 || length >= 64 || isdigit((unsigned char)c[0])) {
        return NULL;
    }
    snprintf(name, 64, "%.*s", (int)length, c);
    return c + length;
}

/* `float sum = 0, most;` names `most`, too: is this line the declaration of a scalar `name`? */
static bool declares(const char *line, const char *name, struct scalar *type)
{
    char word[64];
    int depth = 0;
    bool expected = true; /* a declarator begins here */
    const char *c = strstr(line, "__shared__") == NULL ? behind_type(line, type) : NULL;
    for (; c != NULL && *c != '\0' && *c != ';'; c++) {
        if (expected) {
            const char *behind = behind_name(c, word);
            if (behind == NULL) {
                return false; /* a pointer, or nothing that is understood */
            }
            c = words_skip_blanks(behind);
            if (strcmp(word, name) == 0) {
                return *c == '=' || *c == ';' || *c == ',';
            }
            expected = false;
        }
        depth += *c == '(' || *c == '[' || *c == '{';
        depth -= *c == ')' || *c == ']' || *c == '}';
        if (*c == ',' && depth == 0) {
            expected = true;
            c = words_skip_blanks(c + 1) - 1;
        }
    }
    return false;
}

/* Does the line declare something of that name, of whatever type? Then the search ends there. */
static bool mentions_declaration(const char *line, const char *name)
{
    const size_t length = strlen(name);
    for (const char *c = line; (c = word_find(c, name)) != NULL; c += length) {
        const char *before = c;
        while (before > line && strchr(" \t*&", before[-1]) != NULL) {
            before--;
        }
        const char *word = word_begin(line, before);
        if (word < before && before < c && strncmp(word, "return", 6) != 0) {
            return true;
        }
    }
    return false;
}

static bool declared_before(const char *file, unsigned line, const char *name, struct scalar *type)
{
    for (unsigned i = 1; i < line && i <= SEARCHED_LINES; i++) {
        const char *text = source_line(file, line - i);
        if (declares(text, name, type)) {
            return true;
        }
        if (mentions_declaration(text, name) || strstr(text, "__global__") != NULL) {
            return false;
        }
    }
    return false;
}

/* --- expressions ------------------------------------------------------------------------------ */

struct operations {
    unsigned sums, products, subscripts;
    bool others; /* calls, conditions, shifts: anything else */
};

/* Counts what stands outside of brackets; what is inside computes an address. */
static struct operations operations_of(const char *c)
{
    struct operations o = {0};
    int depth = 0;
    for (; *c != '\0'; c++) {
        if (*c == '[') {
            o.subscripts += depth == 0 && c[-1] != ']';
            o.others |= depth > 0; /* an element that another one's place depends on */
            depth++;
        } else if (*c == ']') {
            depth--;
        } else if (depth == 0) {
            o.sums += *c == '+' || *c == '-';
            o.products += *c == '*';
            o.others |= strchr("<>=?:&|^!~/%(),{}\"'", *c) != NULL;
        }
    }
    return o;
}

/* `= expression`, `+= expression`, `-=`, `*=`; NULL: none of these. */
static const char *behind_assignment(const char *c, struct operations *own)
{
    own->sums = *c == '+' || *c == '-';
    own->products = *c == '*';
    c += own->sums + own->products;
    return c[0] == '=' && c[1] != '=' ? words_skip_blanks(c + 1) : NULL;
}

static bool choose_kind(const struct operations *o, struct assigned *a)
{
    if (o->others) {
        return false;
    }
    a->kind = o->sums == 1 ? ASSIGNED_SUM : o->products == 1 ? ASSIGNED_PRODUCT : ASSIGNED_LOAD;
    if (a->kind == ASSIGNED_LOAD) {
        return o->sums == 0 && o->products == 0 && o->subscripts == 1;
    }
    /* whole numbers: addresses are computed by sums and products, too */
    return (a->kind == ASSIGNED_SUM || o->sums == 0) && (a->is_float || o->subscripts == 0);
}

bool assigned_read(const char *file, unsigned line, unsigned column, struct assigned *a)
{
    char text[MOST_TEXT];
    struct scalar type;
    struct operations own = {0};
    if (!statement_text(file, line, column, text)) {
        return false;
    }
    const char *c = behind_type(text, &type);
    const bool declaration = c != NULL;
    c = behind_name(declaration ? c : words_skip_blanks(text), a->name);
    c = c != NULL ? behind_assignment(words_skip_blanks(c), &own) : NULL;
    if (c == NULL || (!declaration && !declared_before(file, line, a->name, &type))) {
        return false;
    }
    struct operations all = operations_of(c);
    all.sums += own.sums;
    all.products += own.products;
    a->is_float = type.is_float;
    a->bytes = type.bytes;
    return !(declaration && (own.sums > 0 || own.products > 0)) && choose_kind(&all, a);
}

bool assigned_is_scalar(const char *file, unsigned line, const char *name, bool *is_unsigned)
{
    struct scalar type;
    const bool known = declared_before(file, line + 1, name, &type);
    *is_unsigned = known && type.is_unsigned;
    return known;
}

bool assigned_is_half(const char *file, unsigned line, const char *name)
{
    char word[64];
    const size_t length = strcspn(name, ".["); /* of `v.x` it is v that is declared */
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    for (unsigned i = 0; i < line && i <= SEARCHED_LINES && length < sizeof word; i++) {
        const char *text = source_line(file, line - i);
        const char *type = strstr(text, "half");
        type = type != NULL ? type : strstr(text, "bfloat16");
        if (type != NULL && word_find(type + strlen("half"), word) != NULL) {
            return true;
        }
    }
    return false;
}
