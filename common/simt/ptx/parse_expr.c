/* parse_expr.c - constant expressions: 8+4*2, (1 << 5) | 3, -1.5, WARP_SZ. Rules of the language:
 * PTX ISA, section "Constant Expressions": 64-bit integers, unsigned if an operand is, and C's
 * operators with C's precedence. Everything wraps around as two's complement does. */
#include "ptx/parser.h"

#include <string.h>

enum { LEVEL_CONDITION, LEVEL_OR, LEVEL_ADD = 9, LEVEL_MULTIPLY = 10 };

static bool parse_level(struct parser *p, int level, unsigned depth, struct literal *value);

/* How tightly a binary operator binds; 0 if it is none. */
static int level_of(int punct)
{
    switch (punct) {
    case PUNCT_OR:
        return LEVEL_OR;
    case PUNCT_AND:
        return 2;
    case '|':
        return 3;
    case '^':
        return 4;
    case '&':
        return 5;
    case PUNCT_EQ:
    case PUNCT_NE:
        return 6;
    case '<':
    case '>':
    case PUNCT_LE:
    case PUNCT_GE:
        return 7;
    case PUNCT_SHL:
    case PUNCT_SHR:
        return 8;
    case '+':
    case '-':
        return LEVEL_ADD;
    case '*':
    case '/':
    case '%':
        return LEVEL_MULTIPLY;
    default:
        return 0;
    }
}

static double as_double(const struct literal *value)
{
    double wide;
    float narrow;
    uint32_t low = (uint32_t)value->bits;
    if (!value->is_float) {
        return value->is_unsigned ? (double)value->bits : (double)(int64_t)value->bits;
    }
    if (value->is_double) {
        memcpy(&wide, &value->bits, sizeof wide);
        return wide;
    }
    memcpy(&narrow, &low, sizeof narrow);
    return narrow;
}

static void set_double(struct literal *value, double number)
{
    *value = (struct literal){.is_float = true, .is_double = true};
    memcpy(&value->bits, &number, sizeof number);
}

static bool apply_to_floats(struct parser *p, int op, struct literal *left,
                            const struct literal *right)
{
    double a = as_double(left), b = as_double(right);
    switch (op) {
    case '+':
        set_double(left, a + b);
        return true;
    case '-':
        set_double(left, a - b);
        return true;
    case '*':
        set_double(left, a * b);
        return true;
    case '/':
        set_double(left, a / b);
        return true;
    default:
        return parse_fail(p, p->token.line, "this operator takes integers, not floats");
    }
}

static bool divide(struct parser *p, int op, struct literal *left, uint64_t b, bool is_unsigned)
{
    uint64_t a = left->bits;
    if (b == 0) {
        return parse_fail(p, p->token.line, "division by zero in a constant expression");
    }
    if (is_unsigned) {
        left->bits = op == '/' ? a / b : a % b;
    } else if (b == UINT64_MAX) { /* -1: INT64_MIN / -1 traps */
        left->bits = op == '/' ? 0 - a : 0;
    } else {
        int64_t quotient = (int64_t)a / (int64_t)b, rest = (int64_t)a % (int64_t)b;
        left->bits = (uint64_t)(op == '/' ? quotient : rest);
    }
    left->is_unsigned = is_unsigned;
    return true;
}

static bool shift(struct parser *p, int op, struct literal *left, uint64_t by)
{
    if (by > 63) {
        return parse_fail(p, p->token.line, "a constant is shifted by more than 63 bits");
    }
    if (op == PUNCT_SHL) {
        left->bits <<= by;
    } else if (left->is_unsigned || left->bits <= INT64_MAX) {
        left->bits >>= by;
    } else {
        left->bits = ~(~left->bits >> by);
    }
    return true;
}

static bool compare(int op, uint64_t a, uint64_t b, bool is_unsigned)
{
    bool less = is_unsigned ? a < b : (int64_t)a < (int64_t)b;
    switch (op) {
    case '<':
        return less;
    case PUNCT_LE:
        return less || a == b;
    case '>':
        return !less && a != b;
    case PUNCT_GE:
        return !less;
    case PUNCT_EQ:
        return a == b;
    case PUNCT_NE:
        return a != b;
    case PUNCT_AND:
        return a != 0 && b != 0;
    default: /* PUNCT_OR */
        return a != 0 || b != 0;
    }
}

static bool apply(struct parser *p, int op, struct literal *left, const struct literal *right)
{
    if (left->is_float || right->is_float) {
        return apply_to_floats(p, op, left, right);
    }
    bool is_unsigned = left->is_unsigned || right->is_unsigned;
    uint64_t a = left->bits, b = right->bits;
    switch (op) {
    case PUNCT_SHL:
    case PUNCT_SHR:
        return shift(p, op, left, b);
    case '/':
    case '%':
        return divide(p, op, left, b, is_unsigned);
    case '+':
        left->bits = a + b;
        break;
    case '-':
        left->bits = a - b;
        break;
    case '*':
        left->bits = a * b;
        break;
    case '&':
        left->bits = a & b;
        break;
    case '|':
        left->bits = a | b;
        break;
    case '^':
        left->bits = a ^ b;
        break;
    default:
        *left = (struct literal){.bits = compare(op, a, b, is_unsigned)};
        return true;
    }
    left->is_unsigned = is_unsigned;
    return true;
}

static bool negate(struct parser *p, int op, struct literal *value)
{
    if (value->is_float && op == '-') {
        value->bits ^= value->is_double ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
        return true;
    }
    if (value->is_float && op != '+') {
        return parse_fail(p, p->token.line, "this operator takes an integer, not a float");
    }
    switch (op) {
    case '-':
        value->bits = 0 - value->bits;
        break;
    case '~':
        value->bits = ~value->bits;
        break;
    case '!':
        *value = (struct literal){.bits = value->bits == 0};
        break;
    default: /* '+' */
        break;
    }
    return true;
}

/* ( expression ), or (.s64) operand and (.u64) operand */
static bool parse_parenthesis(struct parser *p, unsigned depth, struct literal *value)
{
    bool to_signed = parse_accept_keyword(p, KEY_S64);
    if (to_signed || parse_accept_keyword(p, KEY_U64)) {
        if (!parse_expect(p, ')') || !parse_level(p, LEVEL_MULTIPLY + 1, depth, value)) {
            return false;
        }
        if (value->is_float) {
            return parse_fail(p, p->token.line, "(.s64) and (.u64) take an integer, not a float");
        }
        value->is_unsigned = !to_signed;
        return true;
    }
    return parse_level(p, LEVEL_CONDITION, depth, value) && parse_expect(p, ')');
}

static bool parse_unary(struct parser *p, unsigned depth, struct literal *value)
{
    const struct token token = p->token;
    if (depth > MAX_EXPRESSION_DEPTH) {
        return parse_fail(p, token.line, "expression nested more than %d deep",
                          MAX_EXPRESSION_DEPTH);
    }
    if (token.kind == TOKEN_INT || token.kind == TOKEN_FLOAT) {
        *value = (struct literal){token.kind == TOKEN_FLOAT, token.is_double, token.is_unsigned,
                                  token.bits};
        parse_advance(p);
        return true;
    }
    if (token.kind == TOKEN_NAME && token.symbol->keyword == KEY_WARP_SZ) {
        *value = (struct literal){.bits = WARP_LANES};
        parse_advance(p);
        return true;
    }
    if (token.punct == '-' || token.punct == '+' || token.punct == '~' || token.punct == '!') {
        parse_advance(p);
        return parse_unary(p, depth + 1, value) && negate(p, token.punct, value);
    }
    if (parse_accept(p, '(')) {
        return parse_parenthesis(p, depth + 1, value);
    }
    return parse_expected(p, "a number");
}

/* Operators of this level and of all tighter ones. */
static bool parse_level(struct parser *p, int level, unsigned depth, struct literal *value)
{
    if (!parse_unary(p, depth, value)) {
        return false;
    }
    int lowest = level == LEVEL_CONDITION ? LEVEL_OR : level, op, op_level;
    while ((op_level = level_of(op = p->token.punct)) >= lowest && op_level != 0) {
        struct literal right;
        parse_advance(p);
        if (!parse_level(p, op_level + 1, depth + 1, &right) || !apply(p, op, value, &right)) {
            return false;
        }
    }
    if (level != LEVEL_CONDITION || !parse_accept(p, '?')) {
        return true;
    }
    struct literal yes, no;
    if (!parse_level(p, LEVEL_CONDITION, depth + 1, &yes) || !parse_expect(p, ':') ||
        !parse_level(p, LEVEL_CONDITION, depth + 1, &no)) {
        return false;
    }
    *value = value->bits != 0 ? yes : no;
    return true;
}

bool parse_starts_constant(const struct parser *p)
{
    const struct token *token = &p->token;
    return token->kind == TOKEN_INT || token->kind == TOKEN_FLOAT || token->punct == '(' ||
           token->punct == '-' || token->punct == '+' || token->punct == '~' ||
           token->punct == '!' ||
           (token->kind == TOKEN_NAME && token->symbol->keyword == KEY_WARP_SZ);
}

bool parse_constant(struct parser *p, struct literal *value)
{
    return parse_level(p, LEVEL_CONDITION, 0, value);
}

bool parse_count(struct parser *p, uint64_t max, const char *what, uint64_t *value)
{
    unsigned line = p->token.line;
    struct literal count;
    if (!parse_starts_constant(p)) {
        return parse_expected(p, what);
    }
    if (!parse_constant(p, &count)) {
        return false;
    }
    if (count.is_float || (!count.is_unsigned && count.bits > INT64_MAX) || count.bits > max) {
        return parse_fail(p, line, "%s must be an integer from 0 to %llu", what,
                          (unsigned long long)max);
    }
    *value = count.bits;
    return true;
}

bool parse_offset(struct parser *p, uint64_t *offset)
{
    *offset = 0;
    while (p->token.punct == '+' || p->token.punct == '-') {
        int op = p->token.punct;
        unsigned line = p->token.line;
        struct literal term;
        parse_advance(p);
        if (!parse_level(p, LEVEL_MULTIPLY, 0, &term)) {
            return false;
        }
        if (term.is_float) {
            return parse_fail(p, line, "an offset must be an integer number of bytes");
        }
        *offset = op == '+' ? *offset + term.bits : *offset - term.bits;
    }
    return true;
}

static bool fit_float(struct parser *p, const struct literal *value, enum ptx_type type,
                      uint64_t *bits)
{
    unsigned bytes = value->is_double ? 8 : 4;
    if (type == PTX_F32) {
        float narrow = (float)as_double(value);
        uint32_t low;
        memcpy(&low, &narrow, sizeof low);
        /* 0f... are taken as they are: a conversion would quieten a signalling NaN. */
        *bits = value->is_double ? low : value->bits;
        return true;
    }
    if (type == PTX_F64) {
        double wide = as_double(value);
        memcpy(bits, &wide, sizeof wide);
        *bits = value->is_double ? value->bits : *bits;
        return true;
    }
    if ((type == PTX_B32 || type == PTX_B64) && ptx_type_bytes(type) == bytes) {
        *bits = value->bits;
        return true;
    }
    return parse_fail(p, p->token.line, "a float does not initialise a .%s variable",
                      ptx_type_name(type));
}

bool parse_fit(struct parser *p, const struct literal *value, enum ptx_type type, uint64_t *bits)
{
    unsigned width = 8 * ptx_type_bytes(type);
    if (value->is_float) {
        return fit_float(p, value, type, bits);
    }
    if (type >= PTX_F16 && type <= PTX_F64) {
        return parse_fail(p, p->token.line,
                          "an integer does not initialise a .%s variable; write "
                          "0f3F800000 or 1.0",
                          ptx_type_name(type));
    }
    bool fits = width >= 64 || value->bits >> width == 0 ||
                (!value->is_unsigned && (int64_t)value->bits < 0 &&
                 (int64_t)value->bits >= -(INT64_C(1) << (width - 1)));
    if (!fits) {
        return parse_fail(p, p->token.line, "the number does not fit in a .%s",
                          ptx_type_name(type));
    }
    *bits = value->bits;
    return true;
}
