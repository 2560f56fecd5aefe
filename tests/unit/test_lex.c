/* test_lex.c - tokens of PTX text: numbers in every notation, names, modifiers, lines, errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/simt/ptx/lex.h"
#include "suite.h"

struct reader {
    struct arena arena;
    struct pool pool;
    struct symbol_table symbols;
    struct lexer lexer;
    struct err err;
    char *copy; /* exactly as long as the text, so that a sanitizer sees any byte too many read */
};

static void reader_open(struct reader *r, const char *text)
{
    size_t length = strlen(text);
    *r = (struct reader){.copy = malloc(length + (length == 0))};
    memcpy(r->copy, text, length);
    r->pool.arena = &r->arena;
    lex_symbols_init(&r->symbols, &r->pool, &r->arena);
    r->lexer = (struct lexer){.begin = r->copy,
                              .next = r->copy,
                              .end = r->copy + length,
                              .line = 1,
                              .name = "t",
                              .symbols = &r->symbols,
                              .err = &r->err};
}

static void reader_close(struct reader *r)
{
    arena_free(&r->arena);
    free(r->copy);
}

static struct token only_token(const char *text, char error[200])
{
    struct reader r;
    struct token token, end;
    reader_open(&r, text);
    lex_next(&r.lexer, &token);
    lex_next(&r.lexer, &end);
    strncpy(error, r.err.text, 199);
    error[199] = '\0';
    ck_assert_msg(end.kind == TOKEN_END, "%s is more than one token", text);
    reader_close(&r);
    return token;
}

static const struct {
    const char *text;
    enum token_kind kind;
    uint64_t bits;
    bool is_unsigned, is_double;
} numbers[] = {
    {"0", TOKEN_INT, 0, false, false},
    {"12", TOKEN_INT, 12, false, false},
    {"12U", TOKEN_INT, 12, true, false},
    {"0U", TOKEN_INT, 0, true, false},
    {"017", TOKEN_INT, 15, false, false},
    {"00", TOKEN_INT, 0, false, false},
    {"0x1F", TOKEN_INT, 31, false, false},
    {"0XffU", TOKEN_INT, 255, true, false},
    {"0b101", TOKEN_INT, 5, false, false},
    {"0b11U", TOKEN_INT, 3, true, false},
    {"9223372036854775807", TOKEN_INT, INT64_MAX, false, false},
    {"9223372036854775808", TOKEN_INT, UINT64_C(1) << 63, true, false},
    {"0xffffffffffffffff", TOKEN_INT, UINT64_MAX, true, false},
    {"18446744073709551615", TOKEN_INT, UINT64_MAX, true, false},
    {"0f3F800000", TOKEN_FLOAT, 0x3f800000, false, false},
    {"0Fff800000", TOKEN_FLOAT, 0xff800000, false, false},
    {"0d3FF8000000000000", TOKEN_FLOAT, UINT64_C(0x3ff8000000000000), false, true},
    {"1.5", TOKEN_FLOAT, UINT64_C(0x3ff8000000000000), false, true},
    {".5", TOKEN_FLOAT, UINT64_C(0x3fe0000000000000), false, true},
    {"2.", TOKEN_FLOAT, UINT64_C(0x4000000000000000), false, true},
    {"15e-1", TOKEN_FLOAT, UINT64_C(0x3ff8000000000000), false, true},
    {"1.5E+0", TOKEN_FLOAT, UINT64_C(0x3ff8000000000000), false, true},
};

START_TEST(numbers_have_their_value)
{
    char error[200];
    struct token token = only_token(numbers[_i].text, error);
    ck_assert_str_eq(error, "");
    ck_assert_int_eq(token.kind, numbers[_i].kind);
    ck_assert_uint_eq(token.bits, numbers[_i].bits);
    ck_assert_int_eq(token.is_unsigned, numbers[_i].is_unsigned);
    ck_assert_int_eq(token.is_double, numbers[_i].is_double);
}
END_TEST

static const struct {
    const char *text, *error;
} mistakes[] = {
    {"18446744073709551616", "t:1: the number does not fit in 64 bits"},
    {"0x10000000000000000", "t:1: the number does not fit in 64 bits"},
    {"08", "t:1: malformed number; write 12, 0x1f, 017, 0b101, 12U, 1.5 or 0f3F800000"},
    {"12abc", "t:1: malformed number; write 12, 0x1f, 017, 0b101, 12U, 1.5 or 0f3F800000"},
    {"0x", "t:1: malformed number; its digits are missing"},
    {"0xU", "t:1: malformed number; its digits are missing"},
    {"0f3F80000", "t:1: 0f must be followed by exactly 8 hexadecimal digits"},
    {"0f3F8000000", "t:1: 0f must be followed by exactly 8 hexadecimal digits"},
    {"0d3F800000", "t:1: 0d must be followed by exactly 16 hexadecimal digits"},
    {"0f3F80000G", "t:1: a float's bits are written in hexadecimal digits 0-9, A-F"},
    {"1.5.5", "t:1: malformed number; a decimal float looks like 1.5 or 2.5e-3"},
    {"1e", "t:1: malformed number; a decimal float looks like 1.5 or 2.5e-3"},
    {"\n\n/* never closed", "t:3: the comment has no closing */"},
    {"\"never closed\n\"", "t:1: the string has no closing quote on its line"},
    {"\n#", "t:2: unexpected character '#' in PTX text"},
    {"\x7f", "t:1: unexpected byte 0x7f; PTX is ASCII text"},
    {"\xc3\xa4", "t:1: unexpected byte 0xc3; PTX is ASCII text"},
    {".", "t:1: unexpected character '.' in PTX text"},
};

START_TEST(mistakes_are_named)
{
    char error[200];
    struct token token = only_token(mistakes[_i].text, error);
    ck_assert_int_eq(token.kind, TOKEN_BAD);
    ck_assert_str_eq(error, mistakes[_i].error);
}
END_TEST

START_TEST(a_long_decimal_is_rejected)
{
    char text[400], error[200];
    memset(text, '1', sizeof text);
    text[1] = '.';
    text[sizeof text - 1] = '\0';
    ck_assert_int_eq(only_token(text, error).kind, TOKEN_BAD);
    ck_assert_str_eq(error, "t:1: a decimal number may have at most 127 characters");
}
END_TEST

/* Each token as its text, names in <>, directives in (), separated by blanks. */
static void spell(const char *text, char *out)
{
    struct reader r;
    struct token token;
    reader_open(&r, text);
    out[0] = '\0';
    for (lex_next(&r.lexer, &token); token.kind != TOKEN_END; lex_next(&r.lexer, &token)) {
        ck_assert_int_ne(token.kind, TOKEN_BAD);
        const char *form = token.kind == TOKEN_NAME        ? "<%.*s> "
                           : token.kind == TOKEN_DIRECTIVE ? "(%.*s) "
                                                           : "%.*s ";
        size_t length = token.symbol != NULL ? token.symbol->length : token.length;
        const char *start = token.symbol != NULL ? token.symbol->text : token.start;
        out += sprintf(out, form, (int)length, start);
    }
    reader_close(&r);
}

static const struct {
    const char *text, *tokens;
} sentences[] = {
    {"@!%p1 bra $L_1;", "@ ! <%p1> <bra> <$L_1> ; "},
    {"ld.global.nc.v2.f32 {%f1,_}, [%rd1+-4];",
     "<ld> (global) (nc) (v2) (f32) { <%f1> , <_> } , [ <%rd1> + - 4 ] ; "},
    {"cp.async.ca.shared::cta.L2::128B", "<cp> (async) (ca) (shared::cta) (L2::128B) "},
    {"mov.u32 a,%tid.x;", "<mov> (u32) <a> , <%tid> (x) ; "},
    {"L1:bra L1;", "<L1> : <bra> <L1> ; "},
    {"f.16x64b.b8x16", "<f> (16x64b) (b8x16) "},
    {"a<<2>>1<=3>=4==5!=6&&7||8", "<a> << 2 >> 1 <= 3 >= 4 == 5 != 6 && 7 || 8 "},
    {"8%3", "8 <%3> "},
    {"8 % (3)", "8 % ( 3 ) "},
    {"a//x\n/*y\n*z*/b/c", "<a> <b> / <c> "},
    {"a \"b c\\\" d\" e", "<a> b c\\\" d <e> "},
    {"%r<10>", "<%r> < 10 > "},
    {"0xff00(a)", "0xff00 ( <a> ) "},
};

START_TEST(sentences_fall_into_tokens)
{
    char out[1000];
    spell(sentences[_i].text, out);
    ck_assert_str_eq(out, sentences[_i].tokens);
}
END_TEST

START_TEST(every_token_knows_its_line)
{
    struct reader r;
    struct token token;
    static const unsigned lines[] = {1, 2, 4, 5, 5};
    reader_open(&r, "a // 1\n b /* 2\n */\n c\n\"d\" e");
    for (unsigned i = 0; i < ARRAY_LENGTH(lines); i++) {
        lex_next(&r.lexer, &token);
        ck_assert_uint_eq(token.line, lines[i]);
    }
    reader_close(&r);
}
END_TEST

START_TEST(a_name_exists_once)
{
    struct reader r;
    struct symbol *first[2000];
    char name[20];
    reader_open(&r, "");
    for (unsigned i = 0; i < ARRAY_LENGTH(first); i++) {
        first[i] = lex_symbols_intern(&r.symbols, name, (size_t)sprintf(name, "%%r%u", i));
    }
    for (unsigned i = 0; i < ARRAY_LENGTH(first); i++) {
        struct symbol *again =
            lex_symbols_intern(&r.symbols, name, (size_t)sprintf(name, "%%r%u", i));
        ck_assert_ptr_eq(again, first[i]);
        ck_assert_str_eq(again->text, name);
    }
    ck_assert_int_eq(lex_symbols_intern(&r.symbols, "fma", 3)->op, PTX_OP_FMA);
    ck_assert_int_eq(lex_symbols_intern(&r.symbols, "frobnicate", 10)->op, PTX_OP_UNKNOWN);
    ck_assert_int_eq(lex_symbols_intern(&r.symbols, "f16x2", 5)->type, PTX_F16X2);
    ck_assert_int_eq(lex_symbols_intern(&r.symbols, "callprototype", 13)->keyword,
                     KEY_CALLPROTOTYPE);
    reader_close(&r);
}
END_TEST

START_TEST(types_keep_their_names)
{
    struct reader r;
    reader_open(&r, "");
    for (enum ptx_type type = PTX_NO_TYPE + 1; type < PTX_TYPE_COUNT; type++) {
        const char *name = ptx_type_name(type);
        ck_assert_int_eq(lex_symbols_intern(&r.symbols, name, strlen(name))->type, type);
    }
    ck_assert_int_eq(lex_symbols_intern(&r.symbols, "U32", 3)->type, PTX_NO_TYPE);
    reader_close(&r);
    ck_assert_uint_eq(ptx_type_bytes(PTX_PRED), 0);
    ck_assert_uint_eq(ptx_type_bytes(PTX_BF16X2), 4);
    ck_assert_uint_eq(ptx_type_bytes(PTX_B128), 16);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("lex");
    tcase_add_loop_test(tests, numbers_have_their_value, 0, ARRAY_LENGTH(numbers));
    tcase_add_loop_test(tests, mistakes_are_named, 0, ARRAY_LENGTH(mistakes));
    tcase_add_test(tests, a_long_decimal_is_rejected);
    tcase_add_loop_test(tests, sentences_fall_into_tokens, 0, ARRAY_LENGTH(sentences));
    tcase_add_test(tests, every_token_knows_its_line);
    tcase_add_test(tests, a_name_exists_once);
    tcase_add_test(tests, types_keep_their_names);
    return run_suite("lex", tests);
}
