/* operations.c - see operations.h. */
#include "report/operations.h"

#include "report/operation.h"

#include <stdio.h>
#include <string.h>

/* --- arithmetic ------------------------------------------------------------------------------- */

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

/* A sum with an unknown term is still somewhere in the array. */
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
    if (operation_is_real(o->type)) {
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
    return operation_is_real(o->type) && operation_operand(o, 1, &a) &&
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
    return operation_is_real(o->type) && operation_operand(o, 1, &a) &&
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

/* `threadIdx.x + 256`: whatever the launch, far from 2^31. */
static bool is_small(const struct expression *e)
{
    bool good = e->root == NULL && e->constant >= 0 && e->constant < 1 << 24;
    for (unsigned i = 0; i < e->term_count; i++) {
        const struct expression_term *t = &e->terms[i];
        good = good && t->factor > 0 && t->factor <= 1 << 12 && t->level == LEVEL_NAME &&
               (strncmp(t->text, "threadIdx.", 10) == 0 || strncmp(t->text, "blockDim.", 9) == 0);
    }
    return good;
}

/* The sign of a number that has none is 0: a part of what a signed division by 2^n becomes. */
static bool shifted_right(const struct operation *o)
{
    struct expression a, by;
    const int64_t bits = 8 * (int64_t)ptx_type_bytes(o->type);
    if (operation_operand(o, 1, &a) && operation_operand(o, 2, &by) && by.root == NULL &&
        by.term_count == 0 && by.constant > 0 && by.constant < bits &&
        ((is_small(&a) && by.constant == bits - 1) || (a.term_count == 0 && a.constant == 0))) {
        *o->e = expression_number(0);
        return true;
    }
    return operation_join_operands(o, ">>", LEVEL_SHIFT, operation_is_unsigned(o->type));
}

static bool logic(const struct operation *o)
{
    const bool truth = o->type == PTX_PRED;
    int64_t value;
    if (truth && is_constant(o, &value)) {
        return value != 0 ? operation_prefix(o, "!") : operation_operand(o, 1, o->e);
    }
    const struct op_info *op = &op_table[o->in->op];
    if (op->cost == COST_COMPLEMENT) {
        return operation_prefix(o, truth ? "!" : "~");
    }
    switch (op->zeros) { /* which tells `and` and `or` from `xor` */
    case ZEROS_MOST:
        return operation_join_operands(o, truth ? "&&" : "&", truth ? LEVEL_BOTH : LEVEL_AND,
                                       false);
    case ZEROS_FEWEST:
        return operation_join_operands(o, truth ? "||" : "|", truth ? LEVEL_EITHER : LEVEL_OR,
                                       false);
    default:
        return operation_join_operands(o, truth ? "!=" : "^", truth ? LEVEL_EQUAL : LEVEL_XOR,
                                       false);
    }
}

/* --- comparisons and choices ------------------------------------------------------------------ */

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

/* --- conversions ------------------------------------------------------------------------------ */

static bool has_difference(const struct expression *e)
{
    bool found = e->constant < 0;
    for (unsigned i = 0; i < e->term_count; i++) {
        found |= e->terms[i].factor < 0;
    }
    return found;
}

/* Has the operand been made of an integer of 32 bits? Then these are what it was. */
static bool was_narrow(const struct operation *o)
{
    const struct function_ir *ir = o->c->of.ir;
    const struct ir_regs from = ir_read(ir, o->insn);
    const uint32_t writer = from.count == 1 ? ir_only_writer(ir, from.reg[0]) : IR_NONE;
    return writer != IR_NONE && ir_info(ir, writer)->cost == COST_CONVERT &&
           ptx_type_bytes(ir_type_of(ir->insns[writer].text)) == 4;
}

static bool narrowed(const struct operation *o, enum ptx_type to)
{
    const bool is_unsigned = operation_is_unsigned(to);
    switch (ptx_type_bytes(to)) {
    case 1:
        return operation_prefix(o, is_unsigned ? "(unsigned char)" : "(char)");
    case 2:
        return operation_prefix(o, is_unsigned ? "(unsigned short)" : "(short)");
    case 4:
        return operation_is_never_negative(o->c, o->e) || was_narrow(o) ||
               operation_prefix(o, is_unsigned ? "(unsigned)" : "(int)");
    default:
        return false;
    }
}

/* From one width of integers to another; values of variables stay what they are. */
static bool other_width(const struct operation *o, enum ptx_type to, enum ptx_type from)
{
    if (!operation_operand(o, 1, o->e)) {
        return false;
    }
    if (o->e->root != NULL) {
        return true;
    }
    if (ptx_type_bytes(to) < ptx_type_bytes(from)) {
        return narrowed(o, to);
    }
    return !operation_is_unsigned(from) || !has_difference(o->e) ||
           operation_make_unsigned(o, o->e);
}

static const char *float_cast(enum ptx_type to)
{
    switch (to) {
    case PTX_F32:
        return "(float)";
    case PTX_F64:
        return "(double)";
    case PTX_F16:
        return "(half)";
    default:
        return NULL;
    }
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
    if (operation_is_integer(to) && operation_is_real(from)) {
        return operation_has(o, "rzi") && ptx_type_bytes(to) == 4 &&
               operation_prefix(o, operation_is_unsigned(to) ? "(unsigned)" : "(int)");
    }
    if (operation_is_real(to) && operation_is_real(from) && to == from) {
        return operation_has(o, "rmi") ? operation_call(o, "floor", 1)
                                       : operation_has(o, "rpi") && operation_call(o, "ceil", 1);
    }
    const bool plain = operation_is_real(from) || !operation_is_unsigned(from);
    const char *cast = operation_is_real(to) ? float_cast(to) : NULL;
    return cast != NULL &&
           (plain || (operation_operand(o, 1, o->e) && operation_is_never_negative(o->c, o->e))) &&
           operation_prefix(o, cast);
}

/* --- all of them ------------------------------------------------------------------------------ */

/* `sqrt(a)`, `max(a, b)`: by the name of the opcode. */
static bool function(const struct operation *o, unsigned arguments)
{
    const bool signed_ones = operation_is_real(o->type) || !operation_is_unsigned(o->type);
    return o->in->operand_count == arguments + 1 && (signed_ones || arguments == 1) &&
           operation_call(o, op_table[o->in->op].text, arguments);
}

/* `mov` and `cvta`, `neg` and `abs`: what costs nothing. */
static bool free_of_cost(const struct operation *o)
{
    if (op_table[o->in->op].class == CLASS_MOVE) {
        return operation_moved(o);
    }
    if (o->in->op != PTX_OP_NEG) {
        return function(o, 1);
    }
    return operation_is_real(o->type) ? operation_prefix(o, "-")
                                      : operation_operand(o, 1, o->e) && expression_scale(o->e, -1);
}

static bool by_class(const struct operation *o)
{
    const struct op_info *op = &op_table[o->in->op];
    if (op->class == CLASS_MEMORY) {
        return op->memory == MEMORY_READS && (op->traits & OP_CONVERGENT) == 0 &&
               operation_loaded(o);
    }
    return (op->class == CLASS_FUNCTION || op->class == CLASS_SEARCH) && function(o, 1);
}

bool operations_value(struct computed *c, uint32_t insn, struct expression *e)
{
    const struct ptx_insn *in = c->of.ir->insns[insn].text;
    const struct operation o = {c, insn, in, ir_type_of(in), e};
    switch (ir_info(c->of.ir, insn)->cost) {
    case COST_SUM:
    case COST_DIFFERENCE:
        return sum(&o);
    case COST_PRODUCT:
        return multiplied(&o);
    case COST_MAD:
    case COST_FMA:
        return product_and_sum(&o);
    case COST_SHIFT_LEFT:
        return shifted_left(&o);
    case COST_SHIFT_RIGHT:
        return shifted_right(&o);
    case COST_LOGIC:
    case COST_COMPLEMENT:
        return logic(&o);
    case COST_QUOTIENT:
        return operation_join_operands(&o, "/", LEVEL_PRODUCT, operation_is_unsigned(o.type));
    case COST_REMAINDER:
        return operation_join_operands(&o, "%", LEVEL_PRODUCT, operation_is_unsigned(o.type));
    case COST_COMPARE:
        return in->operand_count == 3 && comparison(&o);
    case COST_SELECT:
        return choice(&o);
    case COST_CONVERT:
        return conversion(&o);
    case COST_MINMAX:
        return function(&o, 2);
    case COST_FREE:
        return free_of_cost(&o);
    default:
        return by_class(&o);
    }
}
