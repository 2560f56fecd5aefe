/* operation_forms.c - the forms that texts have: sums, calls, casts, and what is never negative;
 * see operation.h. */
#include "report/operation.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool operation_is_real(enum ptx_type t) { return ptx_is_float(t) || ptx_is_half(t); }

bool operation_is_unsigned(enum ptx_type t) { return t == PTX_U16 || t == PTX_U32 || t == PTX_U64; }

bool operation_is_integer(enum ptx_type t)
{
    return operation_is_unsigned(t) || t == PTX_S16 || t == PTX_S32 || t == PTX_S64 ||
           t == PTX_B16 || t == PTX_B32 || t == PTX_B64;
}

bool operation_has(const struct operation *o, const char *modifier)
{
    for (unsigned i = 0; i < o->in->modifier_count; i++) {
        if (strcmp(o->in->modifiers[i].text, modifier) == 0) {
            return true;
        }
    }
    return false;
}

bool operation_operand(const struct operation *o, unsigned index, struct expression *e)
{
    return index < o->in->operand_count &&
           computed_operand(o->c, o->insn, &o->in->operands[index], e) &&
           (!e->is_bits || operation_is_real(o->type));
}

/* --- signs ------------------------------------------------------------------------------------ */

/* Made of nothing but built-in variables, unsigned ones, numbers, sums and products: it is never
 * negative. */
static bool is_counted(const struct computed *c, const char *text)
{
    static const char *const words[] = {"threadIdx.", "blockIdx.", "blockDim.", "gridDim."};
    for (const char *at = text; *at != '\0';) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '.') {
            length++;
        }
        if (isalpha((unsigned char)*at) || *at == '_') {
            bool known = computed_is_unsigned(c, at, length) || strncmp(at, "unsigned", 8) == 0;
            for (unsigned i = 0; i < 4; i++) {
                known |= strncmp(at, words[i], strlen(words[i])) == 0;
            }
            if (!known) {
                return false;
            }
        } else if (length == 0 && strchr(" +*()/%&>", *at) == NULL) {
            return false;
        }
        at += length > 0 ? length : 1;
    }
    return true;
}

bool operation_is_never_negative(const struct computed *c, const struct expression *e)
{
    bool good = e->root == NULL && e->constant >= 0;
    for (unsigned i = 0; i < e->term_count; i++) {
        const char *text = e->terms[i].text;
        good = good && e->terms[i].factor > 0 &&
               (is_counted(c, text) || strncmp(text, "(unsigned)", 10) == 0);
    }
    return good;
}

/* The same as an unsigned number of 32 or 64 bits. */
bool operation_make_unsigned(const struct operation *o, struct expression *e)
{
    char text[EXPRESSION_TEXT], cast[EXPRESSION_TEXT + 16];
    if (operation_is_never_negative(o->c, e)) {
        return true;
    }
    if (e->root != NULL || !expression_operand(e, LEVEL_SIGN, text)) {
        return false;
    }
    snprintf(cast, sizeof cast, "(unsigned)%s", text);
    return computed_keep(o->c, e, cast, LEVEL_SIGN);
}

/* --- forms ------------------------------------------------------------------------------------ */

/* `a op b`; of operands 1 and 2, or others. */
bool operation_join(const struct operation *o, const struct expression *a, const char *sign,
                    const struct expression *b, enum expression_level level)
{
    char left[EXPRESSION_TEXT], right[EXPRESSION_TEXT], text[2 * EXPRESSION_TEXT + 8];
    if (!expression_operand(a, level, left) ||
        !expression_operand(b, (enum expression_level)(level - 1), right)) {
        return false;
    }
    snprintf(text, sizeof text, "%s %s %s", left, sign, right);
    *o->e = *a;
    return expression_depend(o->e, b) && computed_keep(o->c, o->e, text, level);
}

bool operation_join_operands(const struct operation *o, const char *sign,
                             enum expression_level level, bool unsigned_ones)
{
    struct expression a, b;
    return operation_operand(o, 1, &a) && operation_operand(o, 2, &b) &&
           (!unsigned_ones || (operation_make_unsigned(o, &a) && operation_make_unsigned(o, &b))) &&
           operation_join(o, &a, sign, &b, level);
}

/* `name(a, b)` of the operands 1 to count. */
bool operation_call(const struct operation *o, const char *name, unsigned count)
{
    char text[4 * EXPRESSION_TEXT], argument[EXPRESSION_TEXT];
    struct expression all = expression_number(0), one;
    size_t length = (size_t)snprintf(text, sizeof text, "%s(", name);
    for (unsigned i = 1; i <= count; i++) {
        if (!operation_operand(o, i, &one) || !expression_operand(&one, LEVEL_CHOICE, argument) ||
            !expression_depend(&all, &one)) {
            return false;
        }
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i > 1 ? ", " : "",
                                   argument);
    }
    snprintf(text + length, sizeof text - length, ")");
    *o->e = all;
    return computed_keep(o->c, o->e, text, LEVEL_NAME);
}

/* `op a` of operand 1. */
bool operation_prefix(const struct operation *o, const char *sign)
{
    char inner[EXPRESSION_TEXT], text[EXPRESSION_TEXT + 24];
    if (!operation_operand(o, 1, o->e) || o->e->root != NULL ||
        !expression_operand(o->e, LEVEL_SIGN, inner)) {
        return false;
    }
    snprintf(text, sizeof text, "%s%s", sign, inner);
    return computed_keep(o->c, o->e, text, LEVEL_SIGN);
}
