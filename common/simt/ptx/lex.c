/* lex.c - the lexer of PTX text and its table of names. Rules of the language: PTX ISA, chapter
 * "Syntax". Nothing here reads beyond lexer->end: the text need not end in NUL. */
#include "ptx/lex.h"
#include "base/names.h"

#include <stdlib.h>
#include <string.h>

enum { POOL_BLOCK_BYTES = 32 * 1024, MAX_FLOAT_TEXT = 127 };

/* --- memory in small pieces ------------------------------------------------------------------ */

void *lex_pool_alloc(struct pool *pool, size_t bytes)
{
    size_t rounded = (bytes + 7) & ~(size_t)7;
    if (rounded > pool->left_bytes) {
        if (rounded > POOL_BLOCK_BYTES / 4) {
            return arena_alloc(pool->arena, rounded);
        }
        pool->next = arena_alloc(pool->arena, POOL_BLOCK_BYTES);
        pool->left_bytes = POOL_BLOCK_BYTES;
    }
    void *result = pool->next;
    pool->next += rounded;
    pool->left_bytes -= rounded;
    return result;
}

/* --- names ----------------------------------------------------------------------------------- */

static void grow_slots(struct symbol_table *table)
{
    unsigned capacity = table->capacity == 0 ? 1024 : table->capacity * 2;
    struct symbol **slots = arena_alloc(table->scratch, capacity * sizeof(struct symbol *));
    for (unsigned i = 0; i < table->capacity; i++) {
        struct symbol *symbol = table->slots[i];
        if (symbol == NULL) {
            continue;
        }
        unsigned at = symbol->hash & (capacity - 1);
        while (slots[at] != NULL) {
            at = (at + 1) & (capacity - 1);
        }
        slots[at] = symbol;
    }
    table->slots = slots;
    table->capacity = capacity;
}

struct symbol *lex_symbols_intern(struct symbol_table *table, const char *text, size_t length)
{
    if (table->count * 2 >= table->capacity) {
        grow_slots(table);
    }
    const uint64_t full = names_hash(text, length);
    const uint32_t hash = (uint32_t)(full ^ full >> 32);
    unsigned at = hash & (table->capacity - 1);
    for (; table->slots[at] != NULL; at = (at + 1) & (table->capacity - 1)) {
        struct symbol *found = table->slots[at];
        if (found->hash == hash && found->length == length &&
            memcmp(found->text, text, length) == 0) {
            return found;
        }
    }
    struct symbol *made = lex_pool_alloc(table->pool, sizeof *made + length + 1);
    made->hash = hash;
    made->length = (uint32_t)length;
    memcpy(made->text, text, length);
    table->slots[at] = made;
    table->count++;
    return made;
}

/* Opcodes, modifiers, special registers, types and keywords are ordinary names that know what they
 * are. */
void lex_symbols_init(struct symbol_table *table, struct pool *pool, struct arena *scratch)
{
    *table = (struct symbol_table){.pool = pool, .scratch = scratch};
#define OP(id, text, ...) lex_symbols_intern(table, text, sizeof(text) - 1)->op = PTX_OP_##id;
#include "ptx/ptx_ops.def"
#undef OP
#define WORD(id, text) lex_symbols_intern(table, text, sizeof(text) - 1)->word = WORD_##id;
#include "ptx/ptx_words.def"
#undef WORD
#define SPECIAL(id, text, slot, uniform)                                                           \
    lex_symbols_intern(table, text, sizeof(text) - 1)->special = PTX_SPECIAL_##id;
#include "ptx/ptx_specials.def"
#undef SPECIAL
    for (enum ptx_type type = PTX_NO_TYPE + 1; type < PTX_TYPE_COUNT; type++) {
        const char *text = ptx_type_name(type);
        lex_symbols_intern(table, text, strlen(text))->type = type;
    }
#define KEYWORD(id, text) lex_symbols_intern(table, text, sizeof(text) - 1)->keyword = KEY_##id;
    KEYWORDS(KEYWORD)
#undef KEYWORD
}

/* --- characters ------------------------------------------------------------------------------ */

enum { IS_SPACE = 1, IS_DIGIT = 2, STARTS_NAME = 4, IN_NAME = 8 };

static const unsigned char classes[256] = {
    0,  0,  0,  0,  0,  0,  0,  0,  0,  1,  1,  1,  1,  1,  0,  0,  /* \t \n \v \f \r */
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  /* */
    1,  0,  0,  0,  12, 4,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  /* space $ % */
    10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 0,  0,  0,  0,  0,  0,  /* 0..9 */
    0,  12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, /* A..O */
    12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 0,  0,  0,  0,  12, /* P..Z _ */
    0,  12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, /* a..o */
    12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 0,  0,  0,  0,  0,  /* p..z */
};

static bool is_class(char c, unsigned wanted) { return (classes[(unsigned char)c] & wanted) != 0; }

static void bad(struct lexer *lexer, struct token *token, const char *what)
{
    token->kind = TOKEN_BAD;
    lexer->end = lexer->next = token->start;
    err_set(lexer->err, "%s:%u: %s", lexer->name, token->line, what);
}

static void bad_character(struct lexer *lexer, struct token *token, unsigned char c)
{
    token->kind = TOKEN_BAD;
    lexer->end = lexer->next = token->start;
    err_set(lexer->err,
            c > ' ' && c < 127 ? "%s:%u: unexpected character '%c' in PTX text"
                               : "%s:%u: unexpected byte 0x%02x; PTX is ASCII text",
            lexer->name, token->line, c);
}

/* Skips blanks and comments; false: a comment that never ends. */
static bool skip_blanks(struct lexer *lexer)
{
    const char *at = lexer->next, *end = lexer->end;
    for (;;) {
        while (at < end && is_class(*at, IS_SPACE)) {
            lexer->line += *at++ == '\n';
        }
        if (end - at < 2 || at[0] != '/' || (at[1] != '/' && at[1] != '*')) {
            break;
        }
        if (at[1] == '/') {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            at = newline == NULL ? end : newline;
            continue;
        }
        for (at += 2; end - at >= 2 && (at[0] != '*' || at[1] != '/'); at++) {
            lexer->line += *at == '\n';
        }
        if (end - at < 2) {
            lexer->next = end;
            return false;
        }
        at += 2;
    }
    lexer->next = at;
    return true;
}

static const char *name_end(const char *at, const char *end)
{
    while (at < end && is_class(*at, IN_NAME)) {
        at++;
    }
    return at;
}

/* --- numbers --------------------------------------------------------------------------------- */

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const int letter = c | ('a' ^ 'A'); /* small */
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : 99;
}

/* 0f3F800000 and 0d3FF0000000000000: the bits, in exactly 8 or 16 hexadecimal digits. */
static void lex_float_bits(struct lexer *lexer, struct token *token, bool is_double)
{
    const char *at = token->start + 2;
    const char *stop = name_end(at, lexer->end);
    if (stop - at != (is_double ? 16 : 8)) {
        bad(lexer, token,
            is_double ? "0d must be followed by exactly 16 hexadecimal digits"
                      : "0f must be followed by exactly 8 hexadecimal digits");
        return;
    }
    for (; at < stop; at++) {
        int digit = digit_value(*at);
        if (digit > 15) {
            bad(lexer, token, "a float's bits are written in hexadecimal digits 0-9, A-F");
            return;
        }
        token->bits = token->bits << 4 | (uint64_t)digit;
    }
    token->kind = TOKEN_FLOAT;
    token->is_double = is_double;
    lexer->next = stop;
}

/* 1.5, 1e10, .25: always a double, as PTX says. */
static void lex_decimal_float(struct lexer *lexer, struct token *token)
{
    char text[MAX_FLOAT_TEXT + 1];
    const char *at = token->start;
    while (at < lexer->end && (is_class(*at, IN_NAME) || *at == '.' ||
                               ((*at == '+' || *at == '-') && (at[-1] == 'e' || at[-1] == 'E')))) {
        at++;
    }
    size_t length = (size_t)(at - token->start);
    if (length > MAX_FLOAT_TEXT) {
        bad(lexer, token, "a decimal number may have at most 127 characters");
        return;
    }
    memcpy(text, token->start, length);
    text[length] = '\0';
    char *stop;
    double value = strtod(text, &stop);
    if (stop != text + length) {
        bad(lexer, token, "malformed number; a decimal float looks like 1.5 or 2.5e-3");
        return;
    }
    memcpy(&token->bits, &value, sizeof value);
    token->kind = TOKEN_FLOAT;
    token->is_double = true;
    lexer->next = at;
}

static bool is_decimal_float(const struct lexer *lexer, const char *at)
{
    while (at < lexer->end && is_class(*at, IS_DIGIT)) {
        at++;
    }
    return at < lexer->end && (*at == '.' || *at == 'e' || *at == 'E');
}

static void lex_int(struct lexer *lexer, struct token *token, const char *at, unsigned base)
{
    const char *stop = name_end(at, lexer->end);
    const char *digits_end = stop;
    if (stop > at && stop[-1] == 'U') {
        token->is_unsigned = true;
        digits_end--;
    }
    if (digits_end == at) {
        bad(lexer, token, "malformed number; its digits are missing");
        return;
    }
    for (; at < digits_end; at++) {
        int digit = digit_value(*at);
        if (digit >= (int)base) {
            bad(lexer, token,
                "malformed number; write 12, 0x1f, 017, 0b101, 12U, 1.5 or 0f3F800000");
            return;
        }
        if (token->bits > (UINT64_MAX - (unsigned)digit) / base) {
            bad(lexer, token, "the number does not fit in 64 bits");
            return;
        }
        token->bits = token->bits * base + (unsigned)digit;
    }
    token->kind = TOKEN_INT;
    token->is_unsigned |= token->bits > INT64_MAX;
    lexer->next = stop;
}

static void lex_number(struct lexer *lexer, struct token *token)
{
    const char *at = token->start;
    char second = lexer->end - at >= 2 && at[0] == '0' ? (char)(at[1] | 0x20) : '\0';
    if (second == 'f' || second == 'd') {
        lex_float_bits(lexer, token, second == 'd');
    } else if (second == 'x') {
        lex_int(lexer, token, at + 2, 16);
    } else if (second == 'b') {
        lex_int(lexer, token, at + 2, 2);
    } else if (is_decimal_float(lexer, at)) {
        lex_decimal_float(lexer, token);
    } else {
        /* "0" and "0U" are not octal numbers without digits, hence the test for one more. */
        bool octal = second != '\0' && is_class(at[1], IS_DIGIT);
        lex_int(lexer, token, octal ? at + 1 : at, octal ? 8 : 10);
    }
}

/* --- everything else ------------------------------------------------------------------------- */

static void lex_string(struct lexer *lexer, struct token *token)
{
    const char *at = token->start + 1;
    while (at < lexer->end && *at != '"' && *at != '\n' && *at != '\0') {
        at += *at == '\\' && lexer->end - at >= 2 && at[1] != '\n' ? 2 : 1;
    }
    if (at >= lexer->end || *at != '"') {
        bad(lexer, token, "the string has no closing quote on its line");
        return;
    }
    token->kind = TOKEN_STRING;
    token->start++;
    token->length = (size_t)(at - token->start);
    lexer->next = at + 1;
}

/* `.shared::cta` and `.L2::128B` are one modifier each. */
static void lex_directive(struct lexer *lexer, struct token *token)
{
    const char *first = token->start + 1;
    const char *at = name_end(first, lexer->end);
    while (lexer->end - at >= 3 && at[0] == ':' && at[1] == ':' && is_class(at[2], IN_NAME)) {
        at = name_end(at + 2, lexer->end);
    }
    token->kind = TOKEN_DIRECTIVE;
    token->symbol = lex_symbols_intern(lexer->symbols, first, (size_t)(at - first));
    lexer->next = at;
}

static int pair_of(char first, char second)
{
    switch (first) {
    case '<':
        return second == '<' ? PUNCT_SHL : second == '=' ? PUNCT_LE : 0;
    case '>':
        return second == '>' ? PUNCT_SHR : second == '=' ? PUNCT_GE : 0;
    case '=':
        return second == '=' ? PUNCT_EQ : 0;
    case '!':
        return second == '=' ? PUNCT_NE : 0;
    case '&':
        return second == '&' ? PUNCT_AND : 0;
    case '|':
        return second == '|' ? PUNCT_OR : 0;
    default:
        return 0;
    }
}

static void lex_punct(struct lexer *lexer, struct token *token)
{
    char c = *token->start;
    if (c == '\0' || strchr(",;{}()[]:+-*/%<>=!&|^~?@", c) == NULL) {
        bad_character(lexer, token, (unsigned char)c);
        return;
    }
    int pair = lexer->end - token->start >= 2 ? pair_of(c, token->start[1]) : 0;
    token->kind = TOKEN_PUNCT;
    token->punct = pair != 0 ? pair : c;
    lexer->next = token->start + (pair != 0 ? 2 : 1);
}

void lex_next(struct lexer *lexer, struct token *token)
{
    const char *before = lexer->next;
    bool closed = skip_blanks(lexer);
    const char *at = lexer->next;
    *token = (struct token){.line = lexer->line, .start = at, .glued = at == before};
    if (!closed) {
        bad(lexer, token, "the comment has no closing */");
    } else if (at >= lexer->end) {
        token->kind = TOKEN_END;
    } else if (is_class(*at, STARTS_NAME) &&
               ((*at != '%' && *at != '$') || (lexer->end - at >= 2 && is_class(at[1], IN_NAME)))) {
        const char *stop = name_end(at + 1, lexer->end);
        token->kind = TOKEN_NAME;
        token->symbol = lex_symbols_intern(lexer->symbols, at, (size_t)(stop - at));
        lexer->next = stop;
    } else if (is_class(*at, IS_DIGIT)) {
        lex_number(lexer, token);
    } else if (*at == '.' && lexer->end - at >= 2 && is_class(at[1], IS_DIGIT) &&
               !(at > lexer->begin && is_class(at[-1], IN_NAME))) {
        lex_decimal_float(lexer, token);
    } else if (*at == '.' && lexer->end - at >= 2 && is_class(at[1], IN_NAME)) {
        lex_directive(lexer, token);
    } else if (*at == '"') {
        lex_string(lexer, token);
    } else {
        lex_punct(lexer, token);
    }
    if (token->kind != TOKEN_STRING) {
        token->length = (size_t)(lexer->next - token->start);
    }
}
