/* declared.c - see declared.h. */
#include "report/declared.h"

#include "report/source.h"
#include "report/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TYPE = 96, MOST_STRUCT_LINES = 40 };

/* --- whole numbers that the compiler knows ---------------------------------------------------- */

struct sum {
    const struct declared_in *in;
    const char *c;
    bool good;
    unsigned depth; /* names that stand for others */
};

static long sum_value(struct sum *s);

/* `#define NAME 16`, `enum { NAME = 16 }`, `constexpr int NAME = 16;` in one of the files. */
static bool constant_in_text(struct sum *s, const char *name, long *value)
{
    for (unsigned f = 0; f < s->in->file_count; f++) {
        const char *file = s->in->files[f];
        for (unsigned n = 1; file != NULL && n <= source_line_count(file); n++) {
            const char *line = source_line(file, n), *at = word_find(line, name);
            const char *behind = at != NULL ? words_skip_blanks(at + strlen(name)) : "";
            const bool macro = at != NULL && strncmp(words_skip_blanks(line), "#define", 7) == 0;
            const bool fixed =
                *behind == '=' && behind[1] != '=' &&
                (word_find(line, "enum") != NULL || word_find(line, "const") != NULL ||
                 word_find(line, "constexpr") != NULL);
            if (macro || fixed) {
                struct sum inner = {s->in, macro ? behind : behind + 1, true, s->depth + 1};
                *value = inner.depth < 4 ? sum_value(&inner) : 0;
                return inner.good && inner.depth < 4;
            }
        }
    }
    return false;
}

static bool name_value(struct sum *s, const char *name, long *value)
{
    char text[64];
    if (s->in->kernel != NULL) {
        for (unsigned f = 0; f < s->in->file_count; f++) {
            if (source_template_argument(s->in->files[f], s->in->kernel, name, text, sizeof text)) {
                char *end;
                *value = strtol(text, &end, 0);
                return end != text && (*end == '\0' || *end == 'u' || *end == 'l');
            }
        }
    }
    return constant_in_text(s, name, value);
}

static long factor_value(struct sum *s)
{
    char name[64];
    long value = 0;
    s->c = words_skip_blanks(s->c);
    if (*s->c == '(') {
        s->c++;
        value = sum_value(s);
        s->good = s->good && *s->c == ')';
        s->c += s->good;
    } else if (isdigit((unsigned char)*s->c)) {
        char *end;
        value = strtol(s->c, &end, 0);
        s->c = end + strspn(end, "uUlL");
    } else {
        const size_t length = word_length(s->c);
        snprintf(name, sizeof name, "%.*s", (int)length, s->c);
        s->good = s->good && length > 0 && length < sizeof name && name_value(s, name, &value);
        s->c += length;
    }
    s->c = words_skip_blanks(s->c);
    return value;
}

static long product_value(struct sum *s)
{
    long value = factor_value(s);
    while (s->good && (*s->c == '*' || *s->c == '/')) {
        const char op = *s->c++;
        const long other = factor_value(s);
        s->good =
            s->good && (op == '*' || other != 0) && labs(value) < 1 << 20 && labs(other) < 1 << 20;
        value = !s->good ? 0 : op == '*' ? value * other : value / other;
    }
    return value;
}

static long sum_value(struct sum *s)
{
    long value = product_value(s);
    while (s->good && (*s->c == '+' || *s->c == '-')) {
        const char op = *s->c++;
        value += op == '+' ? product_value(s) : -product_value(s);
    }
    return value;
}

/* --- types ------------------------------------------------------------------------------------ */

struct known_type {
    const char *name;
    unsigned bytes, parts; /* parts x, y, z, w; 0: none */
};
static const struct known_type known_types[] = {
    {"float", 4, 0},         {"double", 8, 0},
    {"int", 4, 0},           {"unsigned", 4, 0},
    {"unsigned int", 4, 0},  {"char", 1, 0},
    {"signed char", 1, 0},   {"unsigned char", 1, 0},
    {"short", 2, 0},         {"unsigned short", 2, 0},
    {"long", 8, 0},          {"unsigned long", 8, 0},
    {"long long", 8, 0},     {"unsigned long long", 8, 0},
    {"size_t", 8, 0},        {"int8_t", 1, 0},
    {"uint8_t", 1, 0},       {"int16_t", 2, 0},
    {"uint16_t", 2, 0},      {"int32_t", 4, 0},
    {"uint32_t", 4, 0},      {"int64_t", 8, 0},
    {"uint64_t", 8, 0},      {"bool", 1, 0},
    {"half", 2, 0},          {"__half", 2, 0},
    {"__nv_bfloat16", 2, 0}, {"half2", 4, 2},
    {"__half2", 4, 2},       {"float2", 8, 2},
    {"float3", 12, 3},       {"float4", 16, 4},
    {"double2", 16, 2},      {"int2", 8, 2},
    {"int3", 12, 3},         {"int4", 16, 4},
    {"uint2", 8, 2},         {"uint3", 12, 3},
    {"uint4", 16, 4},        {"uchar4", 4, 4},
    {"short2", 4, 2},        {"ushort2", 4, 2},
    {"longlong2", 16, 2},    {"ulonglong2", 16, 2},
};

/* The words of a type without qualifiers, and how many `*` or `&` follow; behind them. */
static const char *read_type(const char *c, char type[MOST_TYPE], unsigned *stars)
{
    static const char *const plain[] = {"const",      "volatile",     "struct",     "static",
                                        "restrict",   "__restrict__", "__restrict", "extern",
                                        "__shared__", "__constant__", "__device__"};
    size_t length = 0;
    *stars = 0;
    type[0] = '\0';
    for (c = words_skip_blanks(c); word_has(*c) || *c == '*' || *c == '&' || *c == ':';) {
        const size_t word = word_length(c);
        if (word == 0) {
            *stars += *c == '*' || *c == '&';
            c = words_skip_blanks(c + 1);
            continue;
        }
        bool skipped = false;
        for (unsigned i = 0; i < sizeof plain / sizeof plain[0]; i++) {
            skipped |= strlen(plain[i]) == word && strncmp(c, plain[i], word) == 0;
        }
        const char *behind = words_skip_blanks(c + word);
        const bool more = word_has(*behind) || *behind == '*' || *behind == '&' || *behind == ':';
        if (!skipped && (*stars > 0 || !more)) {
            return c; /* the name that is declared */
        }
        if (!skipped && length + word + 2 < MOST_TYPE) {
            length += (size_t)snprintf(type + length, MOST_TYPE - length, "%s%.*s",
                                       length > 0 ? " " : "", (int)word, c);
        }
        c = behind;
    }
    return c;
}

static bool type_of_elements(const struct declared_in *in, const char *type, struct declared *is,
                             unsigned depth);

/* `float x, y[4];`: one member after another. */
static bool read_members(const struct declared_in *in, const char *line, struct declared *is,
                         unsigned *end, unsigned *most, unsigned depth)
{
    char type[MOST_TYPE];
    unsigned stars;
    struct declared part = {0};
    const char *c = read_type(line, type, &stars);
    if (stars == 0 && (!type_of_elements(in, type, &part, depth + 1) || part.field_count > 0)) {
        return false;
    }
    const unsigned bytes = stars > 0 ? 8 : part.element_bytes;
    for (;;) {
        struct declared_field *f = &is->fields[is->field_count];
        const size_t length = word_length(c);
        if (length == 0 || length >= sizeof f->name || is->field_count == DECLARED_FIELDS) {
            return false;
        }
        *f = (struct declared_field){.bytes = bytes, .count = 1};
        snprintf(f->name, sizeof f->name, "%.*s", (int)length, c);
        c = words_skip_blanks(c + length);
        if (*c == '[') {
            struct sum s = {in, c + 1, true, 0};
            const long count = sum_value(&s);
            if (!s.good || *s.c != ']' || count < 1 || count > 4096) {
                return false;
            }
            f->count = (unsigned)count;
            f->is_array = true;
            c = words_skip_blanks(s.c + 1);
        }
        f->offset = (*end + bytes - 1) / bytes * bytes;
        *end = f->offset + f->count * bytes;
        *most = bytes > *most ? bytes : *most;
        is->field_count++;
        if (*c == ';') {
            return words_skip_blanks(c + 1)[0] == '\0' ||
                   strncmp(words_skip_blanks(c + 1), "//", 2) == 0 ||
                   strncmp(words_skip_blanks(c + 1), "/*", 2) == 0;
        }
        if (*c != ',') {
            return false;
        }
        c = words_skip_blanks(c + 1);
    }
}

/* `struct NAME {`, its members a line each, `};`. */
static bool read_struct(const struct declared_in *in, const char *file, unsigned line,
                        struct declared *is, unsigned depth)
{
    unsigned end = 0, most = 1;
    for (unsigned n = line + 1; n < line + MOST_STRUCT_LINES; n++) {
        const char *text = words_skip_blanks(source_line(file, n));
        if (*text == '}') {
            is->element_bytes = (end + most - 1) / most * most;
            return is->field_count > 0 && strcmp(words_skip_blanks(text + 1), ";") == 0;
        }
        const bool nothing = *text == '\0' || strncmp(text, "//", 2) == 0;
        if (!nothing && !read_members(in, text, is, &end, &most, depth)) {
            return false;
        }
    }
    return false;
}

static bool find_struct(const struct declared_in *in, const char *type, struct declared *is,
                        unsigned depth)
{
    char head[MOST_TYPE + 16];
    snprintf(head, sizeof head, "struct %s {", type);
    for (unsigned f = 0; f < in->file_count && depth < 3; f++) {
        const char *file = in->files[f];
        for (unsigned n = 1; file != NULL && n <= source_line_count(file); n++) {
            const char *text = source_line(file, n);
            if (strcmp(text, head) == 0) {
                *is = (struct declared){0};
                return read_struct(in, file, n, is, depth);
            }
        }
    }
    return false;
}

static bool type_of_elements(const struct declared_in *in, const char *type, struct declared *is,
                             unsigned depth)
{
    char argument[MOST_TYPE];
    for (unsigned i = 0; i < sizeof known_types / sizeof known_types[0]; i++) {
        const struct known_type *t = &known_types[i];
        if (strcmp(t->name, type) == 0) {
            *is = (struct declared){.element_bytes = t->bytes,
                                    .field_count = t->parts,
                                    .is_half = strstr(type, "half") != NULL ||
                                               strstr(type, "bfloat16") != NULL};
            for (unsigned p = 0; p < t->parts; p++) {
                const unsigned bytes = t->bytes / t->parts;
                is->fields[p] =
                    (struct declared_field){{"xyzw"[p], '\0'}, p * bytes, bytes, 1, false};
            }
            return true;
        }
    }
    for (unsigned f = 0; f < in->file_count && in->kernel != NULL && depth == 0; f++) {
        if (source_template_argument(in->files[f], in->kernel, type, argument, sizeof argument)) {
            return type_of_elements(in, argument, is, 1);
        }
    }
    return find_struct(in, type, is, depth);
}

/* --- what is declared ------------------------------------------------------------------------- */

/* What is written for a parameter of the kernel: its type without its stars, and how many it has.
 */
static bool parameter_type(const struct declared_in *in, unsigned index, char type[MOST_TYPE],
                           unsigned *stars)
{
    char text[256];
    for (unsigned f = 0; f < in->file_count; f++) {
        if (source_parameter_text(in->files[f], in->kernel, index, text, sizeof text)) {
            (void)read_type(text, type, stars);
            return true;
        }
    }
    return false;
}

bool declared_parameter(const struct declared_in *in, unsigned index, struct declared *is)
{
    char type[MOST_TYPE];
    unsigned stars = 0;
    if (!parameter_type(in, index, type, &stars)) {
        return false;
    }
    *is = (struct declared){.element_bytes = stars > 1 ? 8 : 0};
    if (stars == 1 && !type_of_elements(in, type, is, 0)) {
        *is = (struct declared){0};
    }
    return stars > 0;
}

bool declared_unsigned(const struct declared_in *in, unsigned index)
{
    char type[MOST_TYPE];
    unsigned stars = 0;
    return parameter_type(in, index, type, &stars) && stars == 0 &&
           (strncmp(type, "unsigned", 8) == 0 || strcmp(type, "size_t") == 0 ||
            strcmp(type, "uint32_t") == 0 || strcmp(type, "uint64_t") == 0);
}

bool declared_half(const struct declared_in *in, unsigned index)
{
    char type[MOST_TYPE];
    unsigned stars = 0;
    return parameter_type(in, index, type, &stars) &&
           (strstr(type, "half") != NULL || strstr(type, "bfloat16") != NULL);
}

/* `[A][B]` behind the name; the first one follows from all bytes where it is not understood. */
static bool read_dims(const struct declared_in *in, const char *c, uint64_t bytes,
                      struct declared *is)
{
    uint64_t inner = is->element_bytes;
    for (is->dim_count = 0; *c == '['; is->dim_count++) {
        struct sum s = {in, c + 1, true, 0};
        const long size = sum_value(&s);
        const bool known = s.good && *s.c == ']' && size > 0 && size < 1 << 24;
        if (is->dim_count == DECLARED_DIMS || (!known && is->dim_count > 0)) {
            return false;
        }
        is->dims[is->dim_count] = known ? (unsigned)size : 0;
        inner *= is->dim_count > 0 ? (uint64_t)size : 1;
        c += strcspn(c, "]");
        c = words_skip_blanks(*c == ']' ? c + 1 : c);
    }
    const uint64_t first = is->dims[0];
    return inner > 0 && bytes % inner == 0 && (first == 0 || bytes == 0 || first * inner == bytes);
}

bool declared_array(const struct declared_in *in, const char *name, uint64_t bytes,
                    struct declared *is)
{
    char type[MOST_TYPE];
    bool found = false;
    unsigned stars;
    for (unsigned f = 0; f < in->file_count; f++) {
        const char *file = in->files[f];
        for (unsigned n = 1; file != NULL && n <= source_line_count(file); n++) {
            const char *line = source_line(file, n), *at = word_find(line, name);
            const char *space = strstr(line, "__shared__");
            space = space != NULL ? space : strstr(line, "__device__");
            space = space != NULL ? space : strstr(line, "__constant__");
            const char *behind = at != NULL ? words_skip_blanks(at + strlen(name)) : "";
            struct declared one = {0};
            if (space == NULL || at == NULL || at < space || *behind != '[') {
                continue;
            }
            (void)read_type(words_skip_blanks(space), type, &stars);
            if (stars > 0 || !type_of_elements(in, type, &one, 0) ||
                !read_dims(in, behind, bytes, &one)) {
                continue;
            }
            if (found && memcmp(&one, is, sizeof one) != 0) {
                return false;
            }
            *is = one;
            found = true;
        }
    }
    return found;
}
