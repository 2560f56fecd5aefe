/* parse_scope.c - what names stand for. A function's parameters and body are scope 1; every { }
 * inside opens another. Names declared in an inner scope get a `#` and the scope's number, so that
 * they are unique in the function: `param0#3`; a range of registers `%r<4>` becomes `%r#3#0` ...
 *
 * Registers and variables are declared before they are used; a label may follow its use, so uses
 * that could still be a label wait in open_uses until their scope closes. */
#include "ptx/parser.h"

#include <stdio.h>
#include <string.h>

bool scope_open(struct parser *p)
{
    if (p->depth == MAX_SCOPE_DEPTH) {
        return parse_fail(p, p->token.line, "{ nested more than %d deep", MAX_SCOPE_DEPTH);
    }
    p->scopes[++p->depth] = (struct scope){
        .id = p->scope_count++,
        .first_use = p->open_uses.count,
    };
    return true;
}

static struct symbol *intern_numbered(struct parser *p, const char *text, unsigned number)
{
    size_t length = strlen(text);
    char *spelling = lex_pool_alloc(&p->pool, length + 13);
    int total = sprintf(spelling, "%s#%u", text, number);
    return lex_symbols_intern(&p->symbols, spelling, (size_t)total);
}

static struct binding *bound_here(const struct parser *p, struct binding *binding)
{
    return binding != NULL && binding->depth == p->depth ? binding : NULL;
}

bool scope_declare(struct parser *p, struct symbol *symbol, enum binding_kind kind, unsigned count,
                   unsigned line, struct binding **made)
{
    bool range = kind == BINDS_REG_RANGE;
    struct binding **place = range ? &symbol->bound_prefix : &symbol->bound;
    struct binding *same = bound_here(p, *place);
    struct scope *scope = &p->scopes[p->depth];
    if (same != NULL) {
        return parse_fail(p, line, "%.200s is already declared in this scope, in line %u",
                          symbol->text, same->line);
    }
    struct binding *binding = lex_pool_alloc(&p->pool, sizeof *binding);
    *binding = (struct binding){
        .symbol = symbol,
        .kind = kind,
        .count = count,
        .depth = p->depth,
        .name = scope->id == 0 ? symbol->text : intern_numbered(p, symbol->text, scope->id)->text,
        .line = line,
        .hidden = *place,
        .next = scope->bindings,
    };
    *place = scope->bindings = binding;
    if (made != NULL) {
        *made = binding;
    }
    return true;
}

/* Finds the `%r` and the 12 of `%r12`. */
static void split_symbol(struct parser *p, struct symbol *symbol)
{
    size_t stem = symbol->length;
    symbol->split = true;
    while (stem > 0 && symbol->text[stem - 1] >= '0' && symbol->text[stem - 1] <= '9') {
        stem--;
    }
    size_t digits = symbol->length - stem;
    if (stem == 0 || digits == 0 || digits > 7 || (digits > 1 && symbol->text[stem] == '0')) {
        return; /* 7 digits reach beyond MAX_REGISTER_RANGE; %r01 is not %r1 */
    }
    for (size_t i = stem; i < symbol->length; i++) {
        symbol->index = symbol->index * 10 + (uint32_t)(symbol->text[i] - '0');
    }
    symbol->stem = lex_symbols_intern(&p->symbols, symbol->text, stem);
}

static struct binding *range_of(struct parser *p, struct symbol *symbol)
{
    if (!symbol->split) {
        split_symbol(p, symbol);
    }
    struct binding *range = symbol->stem == NULL ? NULL : symbol->stem->bound_prefix;
    while (range != NULL && range->count <= symbol->index) {
        range = range->hidden;
    }
    return range;
}

/* A range and a single register of the same name and scope would be one register or two. */
static bool check_ranges(struct parser *p, const struct scope *scope)
{
    for (const struct binding *b = scope->bindings; b != NULL; b = b->next) {
        const struct binding *range = b->kind == BINDS_REG_RANGE ? NULL : range_of(p, b->symbol);
        if (range != NULL && range->depth == p->depth) {
            return parse_fail(p, b->line > range->line ? b->line : range->line,
                              "%.200s is declared both alone and by %.200s<%u>", b->symbol->text,
                              range->symbol->text, range->count);
        }
    }
    return true;
}

bool scope_close(struct parser *p)
{
    struct scope *scope = &p->scopes[p->depth];
    unsigned kept = scope->first_use;
    if (!check_ranges(p, scope)) {
        return false;
    }
    for (unsigned i = scope->first_use; i < p->open_uses.count; i++) {
        struct open_use use = p->open_uses.items[i];
        const struct binding *label = bound_here(p, use.symbol->bound);
        if (label != NULL) {
            *use.name = label->name;
        } else {
            p->open_uses.items[kept++] = use; /* now a question for the scope around */
        }
    }
    for (struct binding *b = scope->bindings; b != NULL; b = b->next) {
        *(b->kind == BINDS_REG_RANGE ? &b->symbol->bound_prefix : &b->symbol->bound) = b->hidden;
    }
    p->depth--;
    p->open_uses.count = p->depth <= 1 ? 0 : kept; /* names of scope 1 keep their text */
    return true;
}

static void leave_open(struct parser *p, struct symbol *symbol, const char **name)
{
    if (p->depth > 1) {
        struct open_use *use = PUSH(p, open_uses);
        *use = (struct open_use){symbol, name};
    }
}

void scope_resolve_label(struct parser *p, struct symbol *symbol, const char **name)
{
    const struct binding *bound = symbol->bound;
    *name = bound != NULL ? bound->name : symbol->text;
    if (bound == NULL || bound->depth != p->depth) {
        leave_open(p, symbol, name);
    }
}

static struct symbol *symbol_of(const char *text)
{
    return (struct symbol *)(uintptr_t)(text - offsetof(struct symbol, text));
}

/* A register gets its number where it is first named; `symbol` has its unique spelling. */
static uint32_t number_register(struct parser *p, struct symbol *symbol, enum ptx_type type)
{
    if (symbol->reg_func != p->func_serial) {
        symbol->reg_func = p->func_serial;
        symbol->reg = p->regs.count;
        *PUSH(p, regs) = (struct ptx_reg){.name = symbol->text, .type = type};
    }
    return symbol->reg;
}

/* `a` of `.reg .v4 .f32 a` is {a.x, a.y, a.z, a.w}. */
static void spread_vector(struct parser *p, struct ptx_operand *operand,
                          const struct binding *vector)
{
    static const char members[4] = {'x', 'y', 'z', 'w'};
    char spelling[3] = {'.', 'x', '\0'};
    struct ptx_operand *items = lex_pool_alloc(&p->pool, vector->count * sizeof *items);
    for (unsigned i = 0; i < vector->count; i++) {
        size_t length = vector->symbol->length;
        char *text = lex_pool_alloc(&p->pool, length + 3);
        memcpy(text, vector->symbol->text, length);
        spelling[1] = members[i];
        memcpy(text + length, spelling, sizeof spelling);
        const struct binding *bound = lex_symbols_intern(&p->symbols, text, length + 2)->bound;
        items[i] = (struct ptx_operand){.kind = PTX_OPERAND_REG, .name = bound->name};
        items[i].reg = number_register(p, symbol_of(bound->name), bound->type);
    }
    *operand = (struct ptx_operand){
        .kind = PTX_OPERAND_VECTOR, .reg = PTX_NO_REG, .items = items, .item_count = vector->count};
}

/* A register of 128 bits is two of 64: {low, high}. */
static void spread_wide(struct parser *p, struct ptx_operand *operand)
{
    struct ptx_operand *items = lex_pool_alloc(&p->pool, 2 * sizeof *items);
    const size_t length = strlen(operand->name);
    char *text = lex_pool_alloc(&p->pool, length + sizeof ".high");
    for (unsigned i = 0; i < 2; i++) {
        const int total = sprintf(text, "%s.%s", operand->name, i == 0 ? "low" : "high");
        struct symbol *half = lex_symbols_intern(&p->symbols, text, (size_t)total);
        items[i] = (struct ptx_operand){.kind = PTX_OPERAND_REG, .name = half->text};
        items[i].reg = number_register(p, half, PTX_B64);
    }
    *operand = (struct ptx_operand){
        .kind = PTX_OPERAND_VECTOR, .reg = PTX_NO_REG, .items = items, .item_count = 2};
}

/* The register or other thing that a name stands for; NULL: nothing that is known yet. A register
 * of a range gets its unique spelling. */
static const struct binding *find_bound(struct parser *p, struct symbol *symbol, const char **name)
{
    const struct binding *bound = symbol->bound, *range = range_of(p, symbol);
    if (range == NULL || (bound != NULL && bound->depth >= range->depth)) {
        *name = bound != NULL ? bound->name : symbol->text;
        return bound;
    }
    *name = range->name == range->symbol->text
                ? symbol->text
                : intern_numbered(p, range->name, symbol->index)->text; /* renamed: `%r#3#12` */
    return range;
}

static bool is_register(const struct binding *bound)
{
    return bound != NULL && (bound->kind == BINDS_REG || bound->kind == BINDS_REG_RANGE);
}

static enum ptx_operand_kind kind_of(const struct symbol *symbol, const struct binding *bound)
{
    if (bound != NULL) {
        return is_register(bound) ? PTX_OPERAND_REG : PTX_OPERAND_SYMBOL;
    }
    if (symbol->special != PTX_NO_SPECIAL) {
        return PTX_OPERAND_SPECIAL;
    }
    if (strcmp(symbol->text, "_") == 0) {
        return PTX_OPERAND_SINK;
    }
    const bool undeclared = symbol->text[0] == '%';
    return undeclared ? PTX_OPERAND_REG : PTX_OPERAND_SYMBOL;
}

/* `%r1.b0`, which is no name of its own: the register, and which part of it. */
static struct symbol *split_part(struct parser *p, struct symbol *symbol,
                                 struct ptx_operand *operand)
{
    const char *dot = strchr(symbol->text, '.'), *name;
    if (dot == NULL || symbol->bound != NULL || symbol->special != PTX_NO_SPECIAL) {
        return symbol;
    }
    struct symbol *whole =
        lex_symbols_intern(&p->symbols, symbol->text, (size_t)(dot - symbol->text));
    if (!is_register(find_bound(p, whole, &name))) {
        return symbol;
    }
    operand->part = dot + 1;
    return whole;
}

static void resolve_name(struct parser *p, struct ptx_operand *operand)
{
    struct symbol *symbol = split_part(p, symbol_of(operand->name), operand);
    const struct binding *bound = find_bound(p, symbol, &operand->name);
    bool memory = operand->kind == PTX_OPERAND_MEMORY;
    if (bound != NULL && bound->kind == BINDS_REG_VECTOR && !memory) {
        spread_vector(p, operand, bound);
        return;
    }
    if (is_register(bound) && bound->type == PTX_B128 && !memory) {
        spread_wide(p, operand);
        return;
    }
    if (is_register(bound)) {
        operand->reg = number_register(p, symbol_of(operand->name), bound->type);
    }
    if (memory) {
        return;
    }
    operand->kind = kind_of(symbol, bound);
    operand->special = operand->kind == PTX_OPERAND_SPECIAL ? symbol->special : PTX_NO_SPECIAL;
    if (operand->kind == PTX_OPERAND_SYMBOL && (bound == NULL || bound->depth != p->depth)) {
        leave_open(p, symbol, &operand->name);
    }
}

void scope_resolve(struct parser *p, struct ptx_operand *operand)
{
    operand->reg = PTX_NO_REG;
    for (unsigned i = 0; i < operand->item_count; i++) {
        scope_resolve(p, &operand->items[i]);
    }
    if (operand->name != NULL) {
        resolve_name(p, operand);
    }
}

void scope_resolve_guard(struct parser *p, struct ptx_operand *operand)
{
    const struct binding *bound = find_bound(p, symbol_of(operand->name), &operand->name);
    operand->reg =
        is_register(bound) ? number_register(p, symbol_of(operand->name), bound->type) : PTX_NO_REG;
}

struct ptx_reg *scope_register(struct parser *p, const char *name, size_t length)
{
    const char *spelling;
    struct symbol *symbol = lex_symbols_intern(&p->symbols, name, length);
    if (!is_register(find_bound(p, symbol, &spelling))) {
        return NULL;
    }
    symbol = symbol_of(spelling);
    return symbol->reg_func == p->func_serial ? &p->regs.items[symbol->reg] : NULL;
}
