/* parse_var.c - declarations: registers, variables of every space, parameters.
 *
 * A variable is its qualifiers (.align, .v4, .ptr, .attribute), a type, and names with array sizes
 * and initialisers. All of this ends as one ptx_var: a name, a size and an alignment in bytes. */
#include "ptx/parser.h"

#include <string.h>

enum { MAX_DIMENSIONS = 8, MAX_ALIGN = 1 << 20, FIRST_WITH_B128 = 83 }; /* PTX ISA 8.3 */

struct qualifiers {
    enum ptx_type type;
    uint64_t align;
    unsigned vector; /* 1, 2 or 4 */
};

/* --- registers ------------------------------------------------------------------------------- */

/* `.v4 .f32 a`: a stands for four registers a.x to a.w, which a.r to a.a name as well. */
static bool declare_vector(struct parser *p, struct symbol *symbol, unsigned width,
                           enum ptx_type type, unsigned line)
{
    static const char members[] = "xyzwrgba";
    struct binding *bindings[8];
    if (!scope_declare(p, symbol, BINDS_REG_VECTOR, width, line, NULL)) {
        return false;
    }
    char *text = lex_pool_alloc(&p->pool, symbol->length + 3);
    memcpy(text, symbol->text, symbol->length);
    text[symbol->length] = '.';
    for (unsigned i = 0; i < 8; i++) {
        if (i % 4 >= width) {
            continue;
        }
        text[symbol->length + 1] = members[i];
        struct symbol *member = lex_symbols_intern(&p->symbols, text, symbol->length + 2);
        if (!scope_declare(p, member, BINDS_REG, 0, line, &bindings[i])) {
            return false;
        }
        bindings[i]->type = type;
        bindings[i]->name = bindings[i % 4]->name;
    }
    return true;
}

/* `%r<10>`: the count stands alone, since 10> would begin a comparison. */
static bool parse_range(struct parser *p, struct symbol *symbol, unsigned line, unsigned *count)
{
    const struct token token = p->token;
    char last = symbol->text[symbol->length - 1];
    if (token.kind != TOKEN_INT) {
        return parse_expected(p, "the number of registers after <");
    }
    if (token.bits == 0 || token.bits > MAX_REGISTER_RANGE) {
        return parse_fail(p, line, "%.200s declares %llu registers; write 1 to %d", symbol->text,
                          (unsigned long long)token.bits, MAX_REGISTER_RANGE);
    }
    if (last >= '0' && last <= '9') {
        return parse_fail(p, line,
                          "the register range %.200s<%u> ends in a digit, so that its registers' "
                          "numbers are ambiguous; end it in a letter",
                          symbol->text, (unsigned)token.bits);
    }
    *count = (unsigned)token.bits;
    parse_advance(p);
    return parse_expect(p, '>');
}

bool parse_registers(struct parser *p)
{
    unsigned width = parse_accept_keyword(p, KEY_V2) ? 2 : parse_accept_keyword(p, KEY_V4) ? 4 : 1;
    if (p->token.kind != TOKEN_DIRECTIVE || p->token.symbol->type == PTX_NO_TYPE) {
        return parse_expected(p, "a type such as .b32 after .reg");
    }
    enum ptx_type type = p->token.symbol->type;
    if (type == PTX_B128 &&
        10 * p->module->version_major + p->module->version_minor < FIRST_WITH_B128) {
        return parse_fail(p, p->token.line,
                          "Feature 'Type .b128' requires PTX ISA .version 8.3 or later");
    }
    parse_advance(p);
    do {
        struct symbol *symbol = NULL;
        struct binding *binding;
        unsigned line = p->token.line, count = 0;
        if (!parse_name(p, &symbol) ||
            (parse_accept(p, '<') && !parse_range(p, symbol, line, &count))) {
            return false;
        }
        if (width > 1 && count > 0) {
            return parse_fail(p, line,
                              "a range of vector registers is not supported; declare "
                              "%.200s without <%u>",
                              symbol->text, count);
        }
        if (width > 1) {
            if (!declare_vector(p, symbol, width, type, line)) {
                return false;
            }
            continue;
        }
        if (!scope_declare(p, symbol, count > 0 ? BINDS_REG_RANGE : BINDS_REG, count, line,
                           &binding)) {
            return false;
        }
        binding->type = type;
    } while (parse_accept(p, ','));
    return parse_expect(p, ';');
}

/* --- qualifiers, types, sizes ---------------------------------------------------------------- */

static bool parse_align(struct parser *p, uint64_t *align)
{
    unsigned line = p->token.line;
    if (!parse_count(p, MAX_ALIGN, "the alignment", align)) {
        return false;
    }
    if (*align == 0 || (*align & (*align - 1)) != 0) {
        return parse_fail(p, line, ".align %llu; an alignment is a power of two",
                          (unsigned long long)*align);
    }
    return true;
}

/* `.ptr .global .align 4`: what the parameter points to. Nothing here needs to know. */
static bool skip_pointee(struct parser *p)
{
    uint64_t align;
    if (!parse_accept_keyword(p, KEY_GLOBAL) && !parse_accept_keyword(p, KEY_CONST) &&
        !parse_accept_keyword(p, KEY_SHARED)) {
        parse_accept_keyword(p, KEY_LOCAL);
    }
    return !parse_accept_keyword(p, KEY_ALIGN) || parse_align(p, &align);
}

/* `.attribute(.managed)`: managed memory is plain global memory to a simulator. */
static bool skip_attribute(struct parser *p)
{
    if (!parse_expect(p, '(')) {
        return false;
    }
    if (!parse_accept_keyword(p, KEY_MANAGED)) {
        return parse_expected(p, ".managed");
    }
    return parse_expect(p, ')');
}

static bool parse_qualifiers(struct parser *p, struct qualifiers *q)
{
    *q = (struct qualifiers){.vector = 1};
    for (;;) {
        if (p->token.kind != TOKEN_DIRECTIVE) {
            return q->type != PTX_NO_TYPE || parse_expected(p, "a type such as .b32");
        }
        struct symbol *word = p->token.symbol;
        if (word->type != PTX_NO_TYPE) {
            if (q->type != PTX_NO_TYPE) {
                return parse_expected(p, "a name: the type is already given");
            }
            q->type = word->type;
            parse_advance(p);
        } else if (parse_accept_keyword(p, KEY_ALIGN)) {
            if (!parse_align(p, &q->align)) {
                return false;
            }
        } else if (parse_accept_keyword(p, KEY_V2)) {
            q->vector = 2;
        } else if (parse_accept_keyword(p, KEY_V4)) {
            q->vector = 4;
        } else if (parse_accept_keyword(p, KEY_PTR)) {
            if (!skip_pointee(p)) {
                return false;
            }
        } else if (parse_accept_keyword(p, KEY_ATTRIBUTE)) {
            if (!skip_attribute(p)) {
                return false;
            }
        } else {
            return parse_fail(p, p->token.line,
                              ".%.60s is not supported in a declaration; a variable has a type "
                              "such as .b32, .align N, .v2 or .v4",
                              word->text);
        }
    }
}

/* `[4][3]`; the first may be empty: *open is then true and dims[0] is 0. */
static bool parse_dimensions(struct parser *p, uint64_t *dims, unsigned *count, bool *open)
{
    *count = 0;
    *open = false;
    while (parse_accept(p, '[')) {
        if (*count == MAX_DIMENSIONS) {
            return parse_fail(p, p->token.line, "an array has at most %d dimensions",
                              MAX_DIMENSIONS);
        }
        dims[*count] = 0;
        if (*count == 0 && p->token.punct == ']') {
            *open = true;
        } else if (!parse_count(p, UINT64_MAX, "an array's size", &dims[*count])) {
            return false;
        }
        ++*count;
        if (!parse_expect(p, ']')) {
            return false;
        }
    }
    return true;
}

static bool size_of(struct parser *p, struct ptx_var *var, const uint64_t *dims, unsigned count,
                    unsigned vector)
{
    bool empty = false; /* name[] and name[0] have no size, but name[][N] has rows */
    var->bytes = (uint64_t)ptx_type_bytes(var->type) * vector;
    for (unsigned i = 0; i < count; i++) {
        uint64_t length = dims[i] == 0 ? 1 : dims[i];
        empty |= dims[i] == 0;
        if (__builtin_mul_overflow(var->bytes, length, &var->bytes) || var->bytes > INT64_MAX) {
            return parse_fail(p, var->text_line, "%.200s is larger than 2^63 bytes", var->name);
        }
    }
    var->bytes = empty ? 0 : var->bytes;
    return true;
}

/* --- variables ------------------------------------------------------------------------------- */

/* A declaration and its definition are one variable: the definition is the one that is kept. */
static bool list_module_variable(struct parser *p, struct symbol *symbol, const struct ptx_var *var)
{
    if (symbol->var_index == 0) {
        *PUSH(p, module_vars) = *var;
        symbol->var_index = p->module_vars.count;
        return true;
    }
    struct ptx_var *old = &p->module_vars.items[symbol->var_index - 1];
    if (!old->is_extern && !var->is_extern) {
        return parse_fail(p, var->text_line, "%.200s is already defined, in line %u", var->name,
                          old->text_line);
    }
    if (old->space != var->space) {
        return parse_fail(p, var->text_line,
                          "%.200s was declared in another state space in line %u", var->name,
                          old->text_line);
    }
    if (old->is_extern) {
        *old = *var;
    }
    return true;
}

static bool list_variable(struct parser *p, struct symbol *symbol, struct ptx_var *var)
{
    struct binding *binding;
    if (p->depth == 0) {
        return list_module_variable(p, symbol, var);
    }
    if (!scope_declare(p, symbol, BINDS_VAR, 0, var->text_line, &binding)) {
        return false;
    }
    var->name = binding->name;
    *PUSH(p, vars) = *var;
    return true;
}

/* One name with its sizes: `name[4][3]`. */
static bool parse_declarator(struct parser *p, const struct qualifiers *q, enum ptx_space space,
                             struct symbol **symbol, struct ptx_var *var, uint64_t *dims,
                             unsigned *dim_count, bool *open)
{
    uint64_t natural = (uint64_t)ptx_type_bytes(q->type) * q->vector;
    *var = (struct ptx_var){.space = space, .type = q->type, .text_line = p->token.line};
    if (!parse_name(p, symbol) || !parse_dimensions(p, dims, dim_count, open)) {
        return false;
    }
    var->name = (*symbol)->text;
    var->align = q->align != 0 ? q->align : natural != 0 ? natural : 1;
    return size_of(p, var, dims, *dim_count, q->vector);
}

static bool parse_variable(struct parser *p, const struct qualifiers *q, enum ptx_space space,
                           bool is_extern)
{
    struct symbol *symbol = NULL;
    struct ptx_var var;
    uint64_t dims[MAX_DIMENSIONS];
    unsigned dim_count;
    bool open;
    if (!parse_declarator(p, q, space, &symbol, &var, dims, &dim_count, &open)) {
        return false;
    }
    var.is_extern = is_extern;
    var.linkage = p->linkage;
    bool initialised = parse_accept(p, '=');
    if (initialised && space != PTX_GLOBAL && space != PTX_CONST) {
        return parse_fail(p, var.text_line,
                          "%.200s is initialised; only .global and .const variables can be",
                          var.name);
    }
    if (initialised && !parse_initialiser(p, &var, dims, dim_count, q->vector)) {
        return false;
    }
    if (var.bytes == 0 && !is_extern) {
        return parse_fail(p, var.text_line,
                          "%.200s has no size; only an .extern array may have none", var.name);
    }
    return list_variable(p, symbol, &var);
}

bool parse_variables(struct parser *p, enum ptx_space space, bool is_extern)
{
    struct qualifiers q;
    unsigned line = p->token.line;
    if (!parse_qualifiers(p, &q)) {
        return false;
    }
    if (q.type == PTX_PRED) {
        return parse_fail(p, line, "a variable cannot be of type .pred; only a register can");
    }
    do {
        if (!parse_variable(p, &q, space, is_extern)) {
            return false;
        }
    } while (parse_accept(p, ','));
    return parse_expect(p, ';');
}

/* --- parameters ------------------------------------------------------------------------------ */

static bool parse_param(struct parser *p, bool declare, struct ptx_var *param)
{
    struct qualifiers q;
    struct symbol *symbol = NULL;
    struct binding *binding;
    uint64_t dims[MAX_DIMENSIONS];
    unsigned dim_count;
    bool open, in_register = parse_accept_keyword(p, KEY_REG);
    if (!in_register && !parse_accept_keyword(p, KEY_PARAM)) {
        return parse_expected(p, "a parameter: .param or .reg");
    }
    if (!parse_qualifiers(p, &q) || !parse_declarator(p, &q, in_register ? PTX_REG : PTX_PARAM,
                                                      &symbol, param, dims, &dim_count, &open)) {
        return false;
    }
    if (in_register && (dim_count > 0 || q.vector > 1)) {
        return parse_fail(p, param->text_line, "the .reg parameter %.200s must be a scalar",
                          param->name);
    }
    if (!in_register && param->bytes == 0) {
        return parse_fail(p, param->text_line, "the parameter %.200s has no size", param->name);
    }
    if (!declare || strcmp(symbol->text, "_") == 0) { /* `_`: a parameter without a name */
        return true;
    }
    if (!scope_declare(p, symbol, in_register ? BINDS_REG : BINDS_VAR, 0, param->text_line,
                       &binding)) {
        return false;
    }
    if (in_register) {
        binding->type = param->type;
    }
    return true;
}

bool parse_params(struct parser *p, bool declare, struct ptx_var **params, unsigned *count)
{
    GROWING(struct ptx_var) list = {0};
    *params = NULL;
    *count = 0;
    if (!parse_accept(p, '(') || parse_accept(p, ')')) {
        return true;
    }
    do {
        list.items =
            arena_grow(&p->scratch, list.items, list.count, &list.capacity, sizeof *list.items);
        if (!parse_param(p, declare, &list.items[list.count++])) {
            return false;
        }
    } while (parse_accept(p, ','));
    *params = parse_keep(p, list.items, 0, list.count, sizeof *list.items);
    *count = list.count;
    return parse_expect(p, ')');
}
