/* operations.c - what an instruction computes, as the source would write it; see computed.h. */
#include "report/operation.h"

#include <stdio.h>
#include <string.h>

/* --- arithmetic
 * ------------------------------------------------------------------------------------
 */

static bool scaled(struct expression *e, const struct expression *by)
{
    return by->term_count == 0 && by->root == NULL && expression_scale(e, by->constant);
}

/* A factor of an unsigned product that is wider than it: what could be negative is made unsigned.
 */
static bool widened_factor(const struct operation *o, struct expression *e)
{
    const bool wide_unsigned = operation_has(o, "wide") && operation_is_unsigned(o->type);
    if (wide_unsigned && e->term_count == 0 && e->root == NULL) {
        e->constant &= ((int64_t)1 << 8 * ptx_type_bytes(o->type)) - 1;
    }
    return !wide_unsigned || e->constant >= 0 || operation_make_unsigned(o, e);
}

static bool product(const struct operation *o, struct expression *to)
{
    struct expression a, b;
    if (!operation_operand(o, 1, &a) || !operation_operand(o, 2, &b) || a.root != NULL ||
        b.root != NULL || !widened_factor(o, &a) || !widened_factor(o, &b)) {
        return false;
    }
    *to = a;
    if (scaled(to, &b)) {
        return true;
    }
    *to = b;
    if (scaled(to, &a)) {
        return true;
    }
    const struct operation inner = {o->c, o->insn, o->in, o->type, to};
    return operation_join(&inner, &a, "*", &b, LEVEL_PRODUCT);
}

/* A sum with something that nobody knows is still somewhere in the array. */
static bool sum_with_unknown(const struct operation *o, bool first, bool second,
                             const struct expression *a, const struct expression *b)
{
    const struct expression *known = first ? a : b;
    if (first == second || known->root == NULL || o->in->op != PTX_OP_ADD) {
        return false;
    }
    *o->e = expression_address(known->root);
    o->e->somewhere = true;
    return true;
}

static bool sum(const struct operation *o)
{
    struct expression a, b;
    const bool first = operation_operand(o, 1, &a), second = operation_operand(o, 2, &b);
    const bool minus = o->in->op == PTX_OP_SUB;
    if (operation_has(o, "sat") || operation_has(o, "cc")) {
        return false;
    }
    if (operation_is_float(o->type)) {
        return first && second && operation_join(o, &a, minus ? "-" : "+", &b, LEVEL_SUM);
    }
    if (!operation_is_integer(o->type)) {
        return false;
    }
    if (!first || !second) {
        return sum_with_unknown(o, first, second, &a, &b);
    }
    *o->e = a;
    if (expression_add(o->e, &b, minus ? -1 : 1)) {
        return true;
    }
    const bool address = (a.root != NULL) != (b.root != NULL) && !minus;
    if (address) { /* of more terms than there is room for */
        *o->e = expression_address(a.root != NULL ? a.root : b.root);
        o->e->somewhere = true;
    }
    return address;
}

static bool product_and_sum(const struct operation *o)
{
    struct expression factors, c;
    if (operation_has(o, "sat") || operation_has(o, "hi") || operation_has(o, "cc")) {
        return false;
    }
    if (!operation_operand(o, 3, &c)) {
        return false;
    }
    if (operation_is_integer(o->type)) {
        if (!product(o, &factors)) {
            *o->e = expression_address(c.root);
            o->e->somewhere = true;
            return c.root != NULL;
        }
        *o->e = factors;
        return expression_add(o->e, &c, 1);
    }
    struct expression a, b;
    const struct operation inner = {o->c, o->insn, o->in, o->type, &factors};
    return operation_is_float(o->type) && operation_operand(o, 1, &a) &&
           operation_operand(o, 2, &b) && operation_join(&inner, &a, "*", &b, LEVEL_PRODUCT) &&
           operation_join(o, &factors, "+", &c, LEVEL_SUM);
}

static bool multiplied(const struct operation *o)
{
    struct expression a, b;
    if (operation_has(o, "hi") || operation_has(o, "sat")) {
        return false;
    }
    if (operation_is_integer(o->type)) {
        return product(o, o->e);
    }
    return operation_is_float(o->type) && operation_operand(o, 1, &a) &&
           operation_operand(o, 2, &b) && operation_join(o, &a, "*", &b, LEVEL_PRODUCT);
}

static bool shifted_left(const struct operation *o)
{
    struct expression by;
    const unsigned bits = 8 * ptx_type_bytes(o->type);
    if (!operation_operand(o, 1, o->e) || !operation_operand(o, 2, &by) || o->e->root != NULL) {
        return false;
    }
    if (by.term_count == 0 && by.constant >= 0 && by.constant < bits && by.constant < 63) {
        return expression_scale(o->e, (int64_t)1 << by.constant);
    }
    const struct expression a = *o->e;
    return operation_join(o, &a, "<<", &by, LEVEL_SHIFT);
}

/* clang inverts predicates by `xor` with a constant. */
static bool is_constant(const struct operation *o, int64_t *value)
{
    struct expression b;
    const bool known = o->in->op == PTX_OP_XOR && operation_operand(o, 2, &b) &&
                       b.term_count == 0 && b.root == NULL;
    *value = known ? b.constant : 0;
    return known;
}

static bool logic(const struct operation *o)
{
    const bool truth = o->type == PTX_PRED;
    int64_t value;
    if (truth && is_constant(o, &value)) {
        return value != 0 ? operation_prefix(o, "!") : operation_operand(o, 1, o->e);
    }
    switch (o->in->op) {
    case PTX_OP_AND:
        return operation_join_operands(o, truth ? "&&" : "&", truth ? LEVEL_BOTH : LEVEL_AND,
                                       false);
    case PTX_OP_OR:
        return operation_join_operands(o, truth ? "||" : "|", truth ? LEVEL_EITHER : LEVEL_OR,
                                       false);
    case PTX_OP_XOR:
        return operation_join_operands(o, truth ? "!=" : "^", truth ? LEVEL_EQUAL : LEVEL_XOR,
                                       false);
    default:
        return operation_prefix(o, truth ? "!" : "~");
    }
}

/* --- comparisons and choices
 * -----------------------------------------------------------------------
 */

static bool comparison(const struct operation *o)
{
    static const char *const signs[][3] = {
        {"lt", "<", ""},    {"le", "<=", ""},  {"gt", ">", ""},    {"ge", ">=", ""},
        {"eq", "==", ""},   {"ne", "!=", ""},  {"lo", "<", ""},    {"ls", "<=", ""},
        {"hi", ">", ""},    {"hs", ">=", ""},  {"ltu", ">=", "!"}, {"leu", ">", "!"},
        {"gtu", "<=", "!"}, {"geu", "<", "!"}, {"neu", "!=", ""}};
    char text[EXPRESSION_TEXT], negated[EXPRESSION_TEXT + 4];
    unsigned modifiers = o->in->modifier_count;
    modifiers -= operation_has(o, "ftz");
    for (unsigned i = 0; modifiers == 2 && i < sizeof signs / sizeof signs[0]; i++) {
        const bool equal = signs[i][1][0] == '=' || signs[i][1][0] == '!';
        if (strcmp(o->in->modifiers[0].text, signs[i][0]) != 0) {
            continue;
        }
        if (!operation_join_operands(o, signs[i][1], equal ? LEVEL_EQUAL : LEVEL_ORDER,
                                     operation_is_unsigned(o->type) && !equal)) {
            return false;
        }
        if (signs[i][2][0] == '\0') {
            return true;
        }
        if (!expression_operand(o->e, LEVEL_NAME, text)) {
            return false;
        }
        snprintf(negated, sizeof negated, "!%s", text);
        return computed_keep(o->c, o->e, negated, LEVEL_SIGN);
    }
    return false;
}

static bool choice(const struct operation *o)
{
    char text[3 * EXPRESSION_TEXT + 8], a[EXPRESSION_TEXT], b[EXPRESSION_TEXT], p[EXPRESSION_TEXT];
    struct expression yes, no, condition;
    if (!operation_operand(o, 1, &yes) || !operation_operand(o, 2, &no) ||
        !operation_operand(o, 3, &condition) || !expression_operand(&condition, LEVEL_EITHER, p) ||
        !expression_operand(&yes, LEVEL_EITHER, a) || !expression_operand(&no, LEVEL_EITHER, b)) {
        return false;
    }
    snprintf(text, sizeof text, "%s ? %s : %s", p, a, b);
    *o->e = condition;
    return expression_depend(o->e, &yes) && expression_depend(o->e, &no) &&
           computed_keep(o->c, o->e, text, LEVEL_CHOICE);
}

/* --- conversions
 * -----------------------------------------------------------------------------------
 */

/* From one width of integers to another; values of variables stay what they are. */
static bool other_width(const struct operation *o, enum ptx_type to, enum ptx_type from)
{
    const unsigned wide = ptx_type_bytes(to), narrow = ptx_type_bytes(from);
    if (!operation_operand(o, 1, o->e)) {
        return false;
    }
    if (o->e->root != NULL || wide == narrow || wide > narrow) {
        bool difference = o->e->constant < 0;
        for (unsigned i = 0; i < o->e->term_count; i++) {
            difference |= o->e->terms[i].factor < 0;
        }
        return o->e->root != NULL || !operation_is_unsigned(from) || !difference ||
               operation_make_unsigned(o, o->e);
    }
    static const char *const casts[] = {"", "(char)", "(short)", "", "(int)"};
    static const char *const unsigned_casts[] = {"", "(unsigned char)", "(unsigned short)", "",
                                                 "(unsigned)"};
    return wide == 4 && operation_is_never_negative(o->c, o->e) ? true
           : wide <= 4
               ? operation_prefix(o, (operation_is_unsigned(to) ? unsigned_casts : casts)[wide])
               : false;
}

static const char *float_cast(enum ptx_type to)
{
    return to == PTX_F32 ? "(float)" : to == PTX_F64 ? "(double)" : to == PTX_F16 ? "(half)" : NULL;
}

static bool conversion(const struct operation *o)
{
    enum ptx_type to = PTX_NO_TYPE, from = PTX_NO_TYPE;
    for (unsigned i = 0; i < o->in->modifier_count; i++) {
        const enum ptx_type t = o->in->modifiers[i].type;
        to = t != PTX_NO_TYPE ? from : to;
        from = t != PTX_NO_TYPE ? t : from;
    }
    if (to == PTX_NO_TYPE || operation_has(o, "sat")) {
        return false;
    }
    if (operation_is_integer(to) && operation_is_integer(from)) {
        return other_width(o, to, from);
    }
    if (operation_is_integer(to) && operation_is_float(from)) {
        return operation_has(o, "rzi") && ptx_type_bytes(to) == 4 &&
               operation_prefix(o, operation_is_unsigned(to) ? "(unsigned)" : "(int)");
    }
    if (operation_is_float(to) && operation_is_float(from) && to == from) {
        return operation_has(o, "rmi") ? operation_call(o, "floor", 1)
                                       : operation_has(o, "rpi") && operation_call(o, "ceil", 1);
    }
    const bool plain = operation_is_float(from) || !operation_is_unsigned(from);
    const char *cast = operation_is_float(to) ? float_cast(to) : NULL;
    return cast != NULL &&
           (plain || (operation_operand(o, 1, o->e) && operation_is_never_negative(o->c, o->e))) &&
           operation_prefix(o, cast);
}

/* --- all of them
 * -----------------------------------------------------------------------------------
 */

static bool function(const struct operation *o)
{
    static const struct {
        enum ptx_op op;
        const char *name;
        unsigned arguments;
        bool floats;
    } functions[] = {{PTX_OP_ABS, "abs", 1, false},     {PTX_OP_SQRT, "sqrt", 1, true},
                     {PTX_OP_RSQRT, "rsqrt", 1, true},  {PTX_OP_EX2, "exp2", 1, true},
                     {PTX_OP_LG2, "log2", 1, true},     {PTX_OP_SIN, "sin", 1, true},
                     {PTX_OP_COS, "cos", 1, true},      {PTX_OP_TANH, "tanh", 1, true},
                     {PTX_OP_POPC, "__popc", 1, false}, {PTX_OP_CLZ, "__clz", 1, false},
                     {PTX_OP_BREV, "__brev", 1, false}, {PTX_OP_MIN, "min", 2, false},
                     {PTX_OP_MAX, "max", 2, false}};
    for (unsigned i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        const bool plain = operation_is_float(o->type) || !operation_is_unsigned(o->type) ||
                           functions[i].arguments == 1;
        if (functions[i].op == o->in->op) {
            return plain && (!functions[i].floats || operation_is_float(o->type)) &&
                   operation_call(o, functions[i].name, functions[i].arguments);
        }
    }
    return false;
}

bool operations_value(struct computed *c, uint32_t insn, struct expression *e)
{
    const struct ptx_insn *in = c->of.ir->insns[insn].text;
    const struct operation o = {c, insn, in, ir_type_of(in), e};
    switch (in->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
        return operation_loaded(&o);
    case PTX_OP_MOV:
        return operation_moved(&o);
    case PTX_OP_CVTA:
        return operation_operand(&o, 1, e);
    case PTX_OP_CVT:
        return conversion(&o);
    case PTX_OP_ADD:
    case PTX_OP_SUB:
        return sum(&o);
    case PTX_OP_MUL:
        return multiplied(&o);
    case PTX_OP_MAD:
    case PTX_OP_FMA:
        return product_and_sum(&o);
    case PTX_OP_SHL:
        return shifted_left(&o);
    case PTX_OP_SHR:
        return operation_join_operands(&o, ">>", LEVEL_SHIFT, operation_is_unsigned(o.type));
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_NOT:
        return logic(&o);
    case PTX_OP_DIV:
        return operation_join_operands(&o, "/", LEVEL_PRODUCT, operation_is_unsigned(o.type));
    case PTX_OP_REM:
        return operation_join_operands(&o, "%", LEVEL_PRODUCT, operation_is_unsigned(o.type));
    case PTX_OP_SETP:
        return in->operand_count == 3 && comparison(&o);
    case PTX_OP_SELP:
        return choice(&o);
    case PTX_OP_NEG:
        return operation_is_float(o.type) ? operation_prefix(&o, "-")
                                          : operation_operand(&o, 1, e) && expression_scale(e, -1);
    default:
        return function(&o);
    }
}
