/* parse_body.c - the statements between a function's braces: labels, directives, instructions. */
#include "ptx/parser.h"

#include <stdio.h>
#include <string.h>

/* Of all pragmas these say something: "nounroll" behind a label keeps the loop there as it is; by
 * "simt_alignments", "simt_cluster X Y Z KERNEL" and, at a function's end, "simt_variable %r1 1 1
 * NAME" simtcc tells what clang has no words for, and by "simt_no_fmad" that the module was
 * compiled with -fmad=false. */
static bool token_is(const struct parser *p, const char *text)
{
    return p->token.length == strlen(text) && memcmp(p->token.start, text, p->token.length) == 0;
}

static void note_cluster(struct parser *p)
{
    char head[64];
    unsigned three[3];
    int name = 0;
    snprintf(head, sizeof head, "%.*s", (int)p->token.length, p->token.start);
    if (sscanf(head, "simt_cluster %u %u %u %n", &three[0], &three[1], &three[2], &name) == 3 &&
        name > 0) {
        unsigned *kept = arena_alloc(&p->module->arena, sizeof three);
        memcpy(kept, three, sizeof three);
        lex_symbols_intern(&p->symbols, p->token.start + name, p->token.length - (size_t)name)
            ->cluster = kept;
    }
}

/* simt_variable REGISTER WRITES MASK NAME */
static void note_variable(struct parser *p)
{
    char text[200], reg[80];
    unsigned writes, mask;
    int name = 0;
    snprintf(text, sizeof text, "%.*s", (int)p->token.length, p->token.start);
    if (p->depth == 0 || p->token.length >= sizeof text ||
        sscanf(text, "simt_variable %79s %u %u %n", reg, &writes, &mask, &name) != 3 || name == 0 ||
        text[name] == '\0') {
        return;
    }
    struct ptx_reg *r = scope_register(p, reg, strlen(reg));
    if (r != NULL) {
        r->variable = (struct ptx_variable){
            arena_strndup(&p->module->arena, text + name, strlen(text + name)), writes, mask};
    }
}

bool parse_pragma(struct parser *p)
{
    do {
        if (p->token.kind != TOKEN_STRING) {
            return parse_expected(p, "a string in quotes after .pragma");
        }
        struct ptx_label *last = p->labels.count > 0 ? &p->labels.items[p->labels.count - 1] : NULL;
        if (last != NULL && last->insn == p->insns.count && token_is(p, "nounroll")) {
            last->no_unroll = true;
        }
        p->tells_alignment |= token_is(p, "simt_alignments");
        p->module->copies_params = p->tells_alignment;
        p->no_fmad |= token_is(p, "simt_no_fmad");
        note_cluster(p);
        note_variable(p);
        parse_advance(p);
    } while (parse_accept(p, ','));
    return parse_expect(p, ';');
}

/* After `name: .branchtargets`. The names are labels of this scope, or functions. */
static bool parse_targets(struct parser *p, const char *name)
{
    unsigned capacity = 0, count = 0;
    struct symbol **symbols = NULL;
    do {
        symbols = arena_grow(&p->scratch, symbols, count, &capacity, sizeof(struct symbol *));
        if (!parse_name(p, &symbols[count++])) {
            return false;
        }
    } while (parse_accept(p, ','));
    struct ptx_targets *targets = PUSH(p, targets);
    targets->name = name;
    targets->item_count = count;
    targets->items = lex_pool_alloc(&p->pool, count * sizeof *targets->items);
    for (unsigned i = 0; i < count; i++) {
        scope_resolve_label(p, symbols[i], &targets->items[i]);
    }
    return parse_expect(p, ';');
}

/* After `name: .callprototype`: (.param .b32 _) _ (.param .b64 _, .param .b32 _) .noreturn; */
static bool parse_prototype(struct parser *p, const char *name, unsigned line)
{
    struct ptx_func func = {.name = name, .is_prototype = true, .text_line = line};
    struct symbol *underscore = NULL;
    uint64_t ignored;
    if (!parse_params(p, false, &func.returns, &func.return_count) || !parse_name(p, &underscore) ||
        !parse_params(p, false, &func.params, &func.param_count)) {
        return false;
    }
    parse_accept_keyword(p, KEY_NORETURN);
    while (parse_accept_keyword(p, KEY_ABI_PRESERVE) ||
           parse_accept_keyword(p, KEY_ABI_PRESERVE_CONTROL)) {
        if (!parse_count(p, UINT32_MAX, "the number of registers", &ignored)) {
            return false;
        }
    }
    *PUSH(p, prototypes) = func;
    return parse_expect(p, ';');
}

/* After `name :` */
static bool parse_label(struct parser *p, struct symbol *symbol, unsigned line)
{
    struct binding *binding;
    if (!scope_declare(p, symbol, BINDS_LABEL, 0, line, &binding)) {
        return false;
    }
    if (parse_accept_keyword(p, KEY_BRANCHTARGETS) || parse_accept_keyword(p, KEY_CALLTARGETS)) {
        return parse_targets(p, binding->name);
    }
    if (parse_accept_keyword(p, KEY_CALLPROTOTYPE)) {
        return parse_prototype(p, binding->name, line);
    }
    struct ptx_label *label = PUSH(p, labels);
    *label = (struct ptx_label){.name = binding->name, .insn = p->insns.count};
    return true;
}

static bool parse_guarded(struct parser *p, unsigned line)
{
    struct guard guard = {.negated = parse_accept(p, '!')};
    struct symbol *opcode = NULL;
    if (!parse_name(p, &guard.name)) {
        return false;
    }
    if (p->token.kind != TOKEN_NAME) {
        return parse_expected(p, "an instruction after its guard");
    }
    return parse_name(p, &opcode) && parse_insn(p, opcode, guard, line);
}

static bool parse_body_directive(struct parser *p)
{
    switch (p->token.symbol->keyword) {
    case KEY_REG:
        parse_advance(p);
        return parse_registers(p);
    case KEY_LOCAL:
        parse_advance(p);
        return parse_variables(p, PTX_LOCAL, false);
    case KEY_SHARED:
        parse_advance(p);
        return parse_variables(p, PTX_SHARED, false);
    case KEY_PARAM:
        parse_advance(p);
        return parse_variables(p, PTX_PARAM, false);
    case KEY_LOC:
        parse_advance(p);
        return parse_loc(p);
    case KEY_PRAGMA:
        parse_advance(p);
        return parse_pragma(p);
    default:
        return parse_fail(p, p->token.line, "directive .%.60s is not supported inside a function",
                          p->token.symbol->text);
    }
}

static bool parse_statement(struct parser *p)
{
    const struct token first = p->token;
    struct symbol *symbol = NULL;
    switch (first.kind) {
    case TOKEN_DIRECTIVE:
        return parse_body_directive(p);
    case TOKEN_NAME:
        parse_name(p, &symbol);
        return parse_accept(p, ':') ? parse_label(p, symbol, first.line)
                                    : parse_insn(p, symbol, (struct guard){0}, first.line);
    default:
        break;
    }
    if (parse_accept(p, '@')) {
        return parse_guarded(p, first.line);
    }
    if (parse_accept(p, ';')) { /* inline assembly likes to end in two semicolons */
        return true;
    }
    if (parse_accept(p, '{')) {
        return scope_open(p);
    }
    return parse_expected(p, "an instruction, a label or a declaration");
}

/* After the `{` of a function, to its `}`. */
bool parse_body(struct parser *p)
{
    for (;;) {
        bool closing = p->token.punct == '}';
        if (closing ? !scope_close(p) : !parse_statement(p)) {
            return false;
        }
        if (closing) {
            parse_advance(p);
        }
        if (p->depth == 0) {
            return true;
        }
    }
}
