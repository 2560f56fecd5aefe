/* parse.c - PTX text -> struct ptx_module: the module and its functions. Instructions are in
 * parse_insn.c, declarations in parse_var.c, names in parse_scope.c. Rules of the language: PTX
 * ISA, chapters "Syntax" and "Directives".
 *
 * What is not understood is rejected with its line; nothing is skipped but debug sections and
 * directives that only advise ptxas (.pragma, .maxnreg and the like). */
#include "ptx/parser.h"
#include "base/room.h"
#include "ptx/join.h"
#include "ptx/target.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT_BYTES = 512 << 20 }; /* counts of what is in it then fit in 32 bits */

/* --- functions ------------------------------------------------------------------------------- */

static bool parse_three(struct parser *p, const char *what, unsigned *three)
{
    unsigned ignored[3];
    unsigned *values = three != NULL ? three : ignored;
    values[0] = values[1] = values[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t value;
        if (!parse_count(p, UINT32_MAX, what, &value)) {
            return false;
        }
        values[i] = (unsigned)value;
        if (!parse_accept(p, ',')) {
            return true;
        }
    }
    return parse_fail(p, p->token.line, "%s has at most three numbers", what);
}

/* One of the directives between a function's parameters and its body, already passed. */
static bool parse_bound(struct parser *p, struct ptx_func *func, const struct token *word)
{
    uint64_t number = 0;
    switch (word->symbol->keyword) {
    case KEY_MAXNTID:
    case KEY_REQNTID:
        func->exact_threads = word->symbol->keyword == KEY_REQNTID;
        return parse_three(p, "the number of threads", func->max_threads);
    case KEY_MINNCTAPERSM:
        if (!parse_count(p, UINT32_MAX, "the number of blocks", &number)) {
            return false;
        }
        func->min_blocks = (unsigned)number;
        return true;
    case KEY_MAXNCTAPERSM:
    case KEY_MAXNREG:
    case KEY_MAXCLUSTERRANK:
    case KEY_ABI_PRESERVE:
    case KEY_ABI_PRESERVE_CONTROL:
        return parse_count(p, UINT32_MAX, "the limit", &number);
    case KEY_NORETURN:
    case KEY_EXPLICITCLUSTER:
    case KEY_BLOCKSARECLUSTERS:
        return true;
    case KEY_REQNCTAPERCLUSTER:
        return parse_three(p, "the number of blocks in a cluster", func->cluster);
    case KEY_PRAGMA:
        return parse_pragma(p);
    case KEY_LOC:
        return parse_loc(p);
    default:
        return parse_fail(p, word->line,
                          "directive .%.60s is not supported before a function's body",
                          word->symbol->text);
    }
}

static bool parse_bounds(struct parser *p, struct ptx_func *func)
{
    while (p->token.kind == TOKEN_DIRECTIVE) {
        const struct token word = p->token;
        parse_advance(p);
        if (!parse_bound(p, func, &word)) {
            return false;
        }
    }
    return true;
}

/* A function may be declared any number of times and defined once; the definition is kept. */
static bool list_function(struct parser *p, struct symbol *symbol, const struct ptx_func *func)
{
    if (symbol->func_index == 0) {
        *PUSH(p, funcs) = *func;
        symbol->func_index = p->funcs.count;
        return true;
    }
    struct ptx_func *old = &p->funcs.items[symbol->func_index - 1];
    if (!old->is_prototype && !func->is_prototype) {
        return parse_fail(p, func->text_line, "%.200s is already defined, in line %u", func->name,
                          old->text_line);
    }
    if (old->param_count != func->param_count || old->return_count != func->return_count ||
        old->is_entry != func->is_entry) {
        return parse_fail(p, func->text_line,
                          "%.200s was declared with other parameters or results in line %u",
                          func->name, old->text_line);
    }
    if (old->is_prototype) {
        *old = *func;
    }
    return true;
}

static void begin_function(struct parser *p)
{
    static const struct ptx_loc nowhere = {0};
    p->scope_count = 0;
    p->func_serial++;
    p->loc = &nowhere;
    p->insns.count = p->vars.count = p->regs.count = p->labels.count = 0;
    p->targets.count = p->prototypes.count = 0;
}

static void keep_body(struct parser *p, struct ptx_func *func)
{
    func->insns = KEEP(p, insns, 0);
    func->insn_count = p->insns.count;
    func->vars = KEEP(p, vars, 0);
    func->var_count = p->vars.count;
    func->regs = KEEP(p, regs, 0);
    func->reg_count = p->regs.count;
    func->labels = KEEP(p, labels, 0);
    func->label_count = p->labels.count;
    func->targets = KEEP(p, targets, 0);
    func->target_count = p->targets.count;
    func->prototypes = KEEP(p, prototypes, 0);
    func->prototype_count = p->prototypes.count;
    if (p->tells_alignment) {
        join_accesses(func, &p->module->arena);
    }
}

/* After `.func` or `.entry` */
static bool parse_function(struct parser *p, bool is_entry)
{
    struct ptx_func func = {
        .is_entry = is_entry, .linkage = p->linkage, .text_line = p->token.line};
    struct symbol *symbol = NULL;
    begin_function(p);
    if (!scope_open(p) || !parse_params(p, true, &func.returns, &func.return_count) ||
        !parse_name(p, &symbol)) {
        return false;
    }
    func.name = symbol->text;
    if (symbol->cluster != NULL) {
        memcpy(func.cluster, symbol->cluster, sizeof func.cluster);
    }
    if (!parse_params(p, true, &func.params, &func.param_count) || !parse_bounds(p, &func)) {
        return false;
    }
    if (is_entry && func.return_count > 0) {
        return parse_fail(p, func.text_line, "the kernel %.200s returns a value; an .entry cannot",
                          func.name);
    }
    func.is_prototype = p->token.punct == ';';
    if (func.is_prototype) {
        parse_advance(p);
        return scope_close(p) && list_function(p, symbol, &func);
    }
    if (!parse_expect(p, '{') || !parse_body(p)) {
        return false;
    }
    keep_body(p, &func);
    return list_function(p, symbol, &func);
}

/* --- the module ------------------------------------------------------------------------------ */

/* `.version 9.0`: the lexer has read a float, its text has the two numbers. */
static bool parse_version(struct parser *p)
{
    char text[16] = "";
    if ((p->token.kind != TOKEN_FLOAT && p->token.kind != TOKEN_INT) ||
        p->token.length >= sizeof text) {
        return parse_expected(p, "a version such as 8.0");
    }
    memcpy(text, p->token.start, p->token.length);
    if (sscanf(text, "%u.%u", &p->module->version_major, &p->module->version_minor) != 2) {
        return parse_expected(p, "a version such as 8.0");
    }
    parse_advance(p);
    return true;
}

/* `.target sm_80, debug`: the first word is the target. */
static bool parse_target(struct parser *p)
{
    struct symbol *target = NULL, *option = NULL;
    unsigned line = p->token.line;
    if (!parse_name(p, &target)) {
        return false;
    }
    if (!ptx_target_named(target->text, &p->module->target)) {
        return parse_fail(p, line, "Unsupported .target '%.60s': a target is sm_80 or similar",
                          target->text);
    }
    while (parse_accept(p, ',')) {
        if (!parse_name(p, &option)) {
            return false;
        }
        if (strcmp(option->text, "debug") != 0 &&
            strcmp(option->text, "texmode_independent") != 0 &&
            strcmp(option->text, "texmode_unified") != 0) {
            return parse_fail(p, line, ".target option %.60s is not supported; leave it out",
                              option->text);
        }
    }
    return true;
}

static bool parse_address_size(struct parser *p)
{
    uint64_t bits;
    unsigned line = p->token.line;
    if (!parse_count(p, 64, ".address_size", &bits)) {
        return false;
    }
    return bits == 64 ||
           parse_fail(p, line, ".address_size %u is not supported; compile for 64 bits",
                      (unsigned)bits);
}

/* `.section .debug_str { ... }` holds debug information only. */
static bool skip_section(struct parser *p)
{
    unsigned line = p->token.line, depth = 0;
    if (p->token.kind != TOKEN_DIRECTIVE && p->token.kind != TOKEN_NAME) {
        return parse_expected(p, "the name of a section");
    }
    parse_advance(p);
    if (p->token.punct != '{') {
        return parse_expected(p, "{ after the name of a section");
    }
    do {
        depth += p->token.punct == '{';
        depth -= p->token.punct == '}';
        parse_advance(p);
        if (p->token.kind == TOKEN_END || p->token.kind == TOKEN_BAD) {
            return depth == 0 || parse_fail(p, line, "the section has no closing }");
        }
    } while (depth > 0);
    return true;
}

/* After linkage words: a variable or a function. */
static bool parse_definition(struct parser *p, bool is_extern)
{
    const struct token word = p->token;
    if (word.kind != TOKEN_DIRECTIVE) {
        return parse_expected(p, "a directive such as .entry, .func or .global");
    }
    parse_advance(p);
    switch (word.symbol->keyword) {
    case KEY_FUNC:
        return parse_function(p, false);
    case KEY_ENTRY:
        return parse_function(p, true);
    case KEY_GLOBAL:
        return parse_variables(p, PTX_GLOBAL, is_extern);
    case KEY_CONST:
        return parse_variables(p, PTX_CONST, is_extern);
    case KEY_SHARED:
        return parse_variables(p, PTX_SHARED, is_extern);
    default:
        return parse_fail(p, word.line, "directive .%.60s is not supported at module level",
                          word.symbol->text);
    }
}

static bool parse_linked(struct parser *p)
{
    p->linkage = PTX_INTERNAL;
    for (;;) {
        if (parse_at_keyword(p, KEY_VISIBLE)) {
            p->linkage = p->linkage == PTX_INTERNAL ? PTX_VISIBLE : p->linkage;
        } else if (parse_at_keyword(p, KEY_WEAK) || parse_at_keyword(p, KEY_COMMON)) {
            p->linkage = PTX_WEAK;
        } else if (parse_at_keyword(p, KEY_EXTERN)) {
            p->linkage = PTX_EXTERN;
        } else {
            break;
        }
        parse_advance(p);
    }
    return parse_definition(p, p->linkage == PTX_EXTERN);
}

static bool parse_module_item(struct parser *p)
{
    if (parse_accept_keyword(p, KEY_VERSION)) {
        return parse_version(p);
    }
    if (parse_accept_keyword(p, KEY_TARGET)) {
        return parse_target(p);
    }
    if (parse_accept_keyword(p, KEY_ADDRESS_SIZE)) {
        return parse_address_size(p);
    }
    if (parse_accept_keyword(p, KEY_FILE)) {
        return parse_file(p);
    }
    if (parse_accept_keyword(p, KEY_LOC)) {
        return parse_loc(p);
    }
    if (parse_accept_keyword(p, KEY_SECTION)) {
        return skip_section(p);
    }
    if (parse_accept_keyword(p, KEY_PRAGMA)) {
        return parse_pragma(p);
    }
    return parse_linked(p);
}

static bool parse_all(struct parser *p)
{
    if (!parse_at_keyword(p, KEY_VERSION)) {
        return parse_expected(p, ".version: PTX text begins with it");
    }
    while (p->token.kind != TOKEN_END) {
        if (!parse_module_item(p)) {
            return false;
        }
    }
    if (p->err->set) { /* TOKEN_BAD, then TOKEN_END */
        return false;
    }
    p->module->vars = KEEP(p, module_vars, 0);
    p->module->var_count = p->module_vars.count;
    p->module->funcs = KEEP(p, funcs, 0);
    p->module->func_count = p->funcs.count;
    for (unsigned i = 0; i < p->funcs.count; i++) {
        p->module->funcs[i].no_fmad = p->no_fmad;
    }
    p->module->files = KEEP(p, files, 0);
    p->module->file_count = p->files.count;
    return true;
}

struct ptx_module *parse_module(const char *text, size_t length, const char *name, struct err *e)
{
    return parse_module_from(text, length, name, 0, e);
}

/* "//simt_from sm_75" in the last line. */
static unsigned read_from(const char *text, size_t length)
{
    static const char mark[] = "\n//simt_from sm_";
    char number[8] = "";
    const size_t tail = length < 64 ? length : 64;
    const char *end = text + length, *at = memmem(end - tail, tail, mark, sizeof mark - 1);
    unsigned from = 0;
    if (at != NULL) {
        at += sizeof mark - 1;
        memcpy(number, at, (size_t)(end - at) < 7 ? (size_t)(end - at) : 7);
    }
    return sscanf(number, "%3u", &from) == 1 ? from : 0;
}

struct ptx_module *parse_module_from(const char *text, size_t length, const char *name,
                                     unsigned first_file, struct err *e)
{
    struct err own = {0};
    struct ptx_module *module = room_new(1, sizeof *module);
    while (length > 0 && text[length - 1] == '\0') {
        length--;
    }
    module->name = arena_strndup(&module->arena, name, strlen(name));
    struct parser p = {.module = module, .err = &own, .first_file = first_file};
    p.pool.arena = &module->arena;
    p.lexer = (struct lexer){.begin = text,
                             .next = text,
                             .line = 1,
                             .name = module->name,
                             .symbols = &p.symbols,
                             .err = &own};
    p.lexer.end = text + length;
    if (length > MAX_TEXT_BYTES) {
        parse_fail(&p, 1, "PTX text of %zu bytes; at most %d are supported", length,
                   MAX_TEXT_BYTES);
    } else {
        lex_symbols_init(&p.symbols, &p.pool, &p.scratch);
        parse_advance(&p);
        parse_all(&p);
        module->target.from = read_from(text, length);
    }
    arena_free(&p.scratch);
    if (own.set) {
        err_set(e, "%s", own.text);
        ptx_module_free(module);
        return NULL;
    }
    return module;
}
