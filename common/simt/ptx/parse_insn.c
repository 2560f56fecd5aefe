/* parse_insn.c - one instruction: its modifiers and every form of operand.
 *
 * An operand is pushed on p->operands; vectors, pairs and lists take the ones they are made of off
 * again. What a name stands for is settled by scope_resolve() when the operand lies in its place.
 */
#include "ptx/parser.h"

#include <string.h>

enum { MAX_OPERAND_DEPTH = 4 }; /* ( [ { a|b } ] ) */

static bool parse_operand(struct parser *p, bool is_call, unsigned depth);

/* Takes the operands from index `from` on off the stack and pushes one that holds them. */
static struct ptx_operand *gather(struct parser *p, enum ptx_operand_kind kind, unsigned from)
{
    struct ptx_operand whole = {
        .kind = kind,
        .items = KEEP(p, operands, from),
        .item_count = p->operands.count - from,
    };
    p->operands.count = from;
    struct ptx_operand *made = PUSH(p, operands);
    *made = whole;
    return made;
}

/* Operands between commas up to `close`, whose opening partner is already passed. */
static bool parse_items(struct parser *p, int close, unsigned depth)
{
    if (parse_accept(p, close)) {
        return true;
    }
    do {
        if (!parse_operand(p, false, depth + 1)) {
            return false;
        }
    } while (parse_accept(p, ','));
    return parse_expect(p, close);
}

static bool parse_group(struct parser *p, enum ptx_operand_kind kind, int close, unsigned depth)
{
    unsigned from = p->operands.count;
    parse_advance(p);
    if (!parse_items(p, close, depth)) {
        return false;
    }
    gather(p, kind, from);
    return true;
}

/* `%r1`, `name`, and `%tid.x`: name and member are one name. */
static bool parse_dotted_name(struct parser *p, const char **name)
{
    const struct token first = p->token;
    struct symbol *symbol = NULL;
    if (!parse_name(p, &symbol)) {
        return false;
    }
    *name = symbol->text;
    if (p->token.kind == TOKEN_DIRECTIVE && p->token.glued) {
        size_t length = first.length + p->token.length;
        *name = lex_symbols_intern(&p->symbols, first.start, length)->text;
        parse_advance(p);
    }
    return true;
}

/* [%rd1+8], [name+-4], [16]; after a comma the coordinates of a texture or a tensor */
static bool parse_memory(struct parser *p, unsigned depth)
{
    struct ptx_operand memory = {.kind = PTX_OPERAND_MEMORY};
    struct literal absolute;
    unsigned from = p->operands.count, line = p->token.line;
    parse_advance(p);
    if (p->token.kind == TOKEN_NAME && p->token.symbol->keyword != KEY_WARP_SZ) {
        if (!parse_dotted_name(p, &memory.name) || !parse_offset(p, &memory.bits)) {
            return false;
        }
    } else {
        if (!parse_starts_constant(p)) {
            return parse_expected(p, "a register, a variable or a number after [");
        }
        if (!parse_constant(p, &absolute)) {
            return false;
        }
        if (absolute.is_float) {
            return parse_fail(p, line, "an address must be an integer");
        }
        memory.bits = absolute.bits;
    }
    if (parse_accept(p, ',') ? !parse_items(p, ']', depth) : !parse_expect(p, ']')) {
        return false;
    }
    struct ptx_operand *made = gather(p, PTX_OPERAND_MEMORY, from);
    made->name = memory.name;
    made->bits = memory.bits;
    return true;
}

/* name, name+8, a|b, !name */
static bool parse_named(struct parser *p)
{
    unsigned from = p->operands.count;
    bool negated = parse_accept(p, '!'), paired = false;
    do {
        struct ptx_operand *operand = PUSH(p, operands);
        const char *name;
        uint64_t offset;
        operand->kind = PTX_OPERAND_SYMBOL;
        operand->negated = negated;
        if (!parse_dotted_name(p, &name) || !parse_offset(p, &offset)) {
            return false;
        }
        operand->name = name;
        operand->bits = offset;
        if (paired) {
            gather(p, PTX_OPERAND_PAIR, from);
            return true;
        }
        paired = true;
    } while (parse_accept(p, '|'));
    return true;
}

/* Is a name behind the `-`? Anything else there belongs to a number. */
static bool is_negative_name(struct parser *p)
{
    const struct lexer lexer = p->lexer;
    const struct token minus = p->token;
    if (minus.punct != '-') {
        return false;
    }
    parse_advance(p);
    const bool is_name = p->token.kind == TOKEN_NAME && p->token.symbol->keyword != KEY_WARP_SZ;
    p->lexer = lexer;
    p->token = minus;
    return is_name;
}

/* -%r1, an operand of vmad */
static bool parse_negative(struct parser *p)
{
    const unsigned at = p->operands.count;
    parse_advance(p);
    if (!parse_named(p)) {
        return false;
    }
    p->operands.items[at].negated = true;
    return true;
}

static bool parse_immediate(struct parser *p)
{
    struct literal value;
    if (!parse_constant(p, &value)) {
        return false;
    }
    struct ptx_operand *operand = PUSH(p, operands);
    operand->kind = value.is_float ? PTX_OPERAND_FLOAT : PTX_OPERAND_INT;
    operand->is_double = value.is_double;
    operand->bits = value.bits;
    return true;
}

/* {a, b}, and {a, b, c, d}|p, the results of tex with a predicate beside them */
static bool parse_vector(struct parser *p, unsigned depth)
{
    const unsigned from = p->operands.count;
    if (!parse_group(p, PTX_OPERAND_VECTOR, '}', depth)) {
        return false;
    }
    if (!parse_accept(p, '|')) {
        return true;
    }
    if (!parse_named(p)) {
        return false;
    }
    gather(p, PTX_OPERAND_PAIR, from);
    return true;
}

static bool parse_operand(struct parser *p, bool is_call, unsigned depth)
{
    const struct token *token = &p->token;
    if (depth > MAX_OPERAND_DEPTH) {
        return parse_fail(p, token->line, "operand nested more than %d deep", MAX_OPERAND_DEPTH);
    }
    if (token->punct == '{') {
        return parse_vector(p, depth);
    }
    if (token->punct == '(' && is_call) {
        return parse_group(p, PTX_OPERAND_LIST, ')', depth);
    }
    if (token->punct == '[') {
        return parse_memory(p, depth);
    }
    if ((token->kind == TOKEN_NAME && token->symbol->keyword != KEY_WARP_SZ) ||
        token->punct == '!') {
        return parse_named(p);
    }
    if (is_negative_name(p)) {
        return parse_negative(p);
    }
    return parse_starts_constant(p) ? parse_immediate(p) : parse_expected(p, "an operand");
}

static const struct ptx_operand *guard_operand(struct parser *p, struct guard guard)
{
    if (guard.name == NULL) {
        return NULL;
    }
    struct ptx_operand *operand = lex_pool_alloc(&p->pool, sizeof *operand);
    *operand = (struct ptx_operand){
        .kind = PTX_OPERAND_REG, .negated = guard.negated, .name = guard.name->text};
    scope_resolve_guard(p, operand);
    return operand;
}

/* ld.b128 and st.b128 are ld.v2.b64 and st.v2.b64: so are their registers (parse_scope.c). */
static void split_type(struct parser *p, enum ptx_op op)
{
    const unsigned count = p->modifiers.count;
    for (unsigned i = 0; i < count && (op == PTX_OP_LD || op == PTX_OP_ST); i++) {
        if (p->modifiers.items[i].type == PTX_B128) {
            p->modifiers.items[i] = (struct ptx_modifier){WORD_V2, PTX_NO_TYPE, "v2"};
            *PUSH(p, modifiers) = (struct ptx_modifier){WORD_OTHER, PTX_B64, "b64"};
        }
    }
}

bool parse_insn(struct parser *p, struct symbol *opcode, struct guard guard, unsigned line)
{
    p->operands.count = p->modifiers.count = 0;
    while (p->token.kind == TOKEN_DIRECTIVE) {
        const struct symbol *s = p->token.symbol;
        *PUSH(p, modifiers) = (struct ptx_modifier){s->word, s->type, s->text};
        parse_advance(p);
    }
    split_type(p, opcode->op);
    if (p->token.punct != ';') {
        do {
            if (!parse_operand(p, opcode->op == PTX_OP_CALL, 0)) {
                return false;
            }
        } while (parse_accept(p, ','));
    }
    if (p->token.punct != ';') {
        return parse_expected(p, "',' or ';' after an operand");
    }
    parse_advance(p);
    struct ptx_insn *insn = PUSH(p, insns);
    *insn = (struct ptx_insn){
        .op = opcode->op,
        .op_name = opcode->text,
        .modifiers = KEEP(p, modifiers, 0),
        .modifier_count = p->modifiers.count,
        .guard = guard_operand(p, guard),
        .operands = KEEP(p, operands, 0),
        .operand_count = p->operands.count,
        .loc = p->loc,
        .text_line = line,
    };
    for (unsigned i = 0; i < insn->operand_count; i++) {
        scope_resolve(p, &insn->operands[i]);
    }
    return true;
}
