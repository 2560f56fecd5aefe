/* parse_token.c - one token after the other, and the message if it is not the expected one. */
#include "ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool parse_fail(struct parser *p, unsigned line, const char *format, ...)
{
    char what[800];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return err_set(p->err, "%.150s:%u: %s", p->module->name, line, what);
}

bool parse_expected(struct parser *p, const char *what)
{
    const struct token *token = &p->token;
    int length = token->length > 60 ? 60 : (int)token->length;
    if (token->kind == TOKEN_END) {
        return parse_fail(p, token->line, "expected %s, but the text ends here", what);
    }
    if (token->kind == TOKEN_STRING) {
        return parse_fail(p, token->line, "expected %s, found a string", what);
    }
    return parse_fail(p, token->line, "expected %s, found '%.*s'", what, length, token->start);
}

void parse_advance(struct parser *p) { lex_next(&p->lexer, &p->token); }

bool parse_accept(struct parser *p, int punct)
{
    if (p->token.punct != punct) {
        return false;
    }
    parse_advance(p);
    return true;
}

bool parse_expect(struct parser *p, int punct)
{
    char what[] = {'\'', (char)punct, '\'', '\0'};
    return parse_accept(p, punct) || parse_expected(p, what);
}

bool parse_at_keyword(const struct parser *p, enum keyword keyword)
{
    return p->token.kind == TOKEN_DIRECTIVE && p->token.symbol->keyword == keyword;
}

bool parse_accept_keyword(struct parser *p, enum keyword keyword)
{
    if (!parse_at_keyword(p, keyword)) {
        return false;
    }
    parse_advance(p);
    return true;
}

bool parse_name(struct parser *p, struct symbol **name)
{
    if (p->token.kind != TOKEN_NAME) {
        return parse_expected(p, "a name");
    }
    *name = p->token.symbol;
    parse_advance(p);
    return true;
}

void *parse_keep(struct parser *p, const void *items, unsigned from, unsigned count, size_t size)
{
    if (from == count) {
        return NULL; /* an empty array has no address to add to */
    }
    void *kept = lex_pool_alloc(&p->pool, (count - from) * size);
    memcpy(kept, (const unsigned char *)items + from * size, (count - from) * size);
    return kept;
}
