/* expression.h - what a register holds, as C would write it: `i * 4 + 16`, `a + b < n`, `&in[i +
 * 1]`.
 *
 * A number is a sum of terms, each a text with a whole factor, and a constant: so `i * 4`, shifted
 * left by two and `i` doubled eight times meet in one form. What is no sum is one term. An address
 * is a root (a pointer or an array that the source names) and such a sum of bytes. */
#ifndef SIMT_EXPRESSION_H
#define SIMT_EXPRESSION_H

#include "report/declared.h"

enum { EXPRESSION_TERMS = 6, EXPRESSION_VARIABLES = 6, EXPRESSION_TEXT = 72 };

/* How tightly a text binds, as the operators of C do. */
enum expression_level {
    LEVEL_NAME,
    LEVEL_SIGN,
    LEVEL_PRODUCT,
    LEVEL_SUM,
    LEVEL_SHIFT,
    LEVEL_ORDER,
    LEVEL_EQUAL,
    LEVEL_AND,
    LEVEL_XOR,
    LEVEL_OR,
    LEVEL_BOTH,
    LEVEL_EITHER,
    LEVEL_CHOICE
};

struct expression_term {
    int64_t factor;
    const char *text;
    enum expression_level level;
};

struct expression_root {
    const char *name;
    struct declared is;
};

struct expression {
    const struct expression_root *root; /* NULL: a number */
    bool is_bits;   /* of a half, or of two: it has a name, and is no integer to compute with */
    bool somewhere; /* at an unknown place in the root: the sum is empty */
    int64_t constant;
    unsigned term_count;
    struct expression_term terms[EXPRESSION_TERMS];
    /* It holds until one of these variables changes, or memory does. */
    const char *variables[EXPRESSION_VARIABLES];
    unsigned variable_count;
    bool from_memory;
};

struct expression expression_number(int64_t value);
/* The text must live as long as the expression. */
struct expression expression_text(const char *text, enum expression_level level);
struct expression expression_address(const struct expression_root *root);
/* a += factor * b; false: there is no room, or both are addresses. */
bool expression_add(struct expression *a, const struct expression *b, int64_t factor);
/* False: it is an address. */
bool expression_scale(struct expression *a, int64_t factor);
/* a depends on what b depends on; false: there is no room. */
bool expression_depend(struct expression *a, const struct expression *b);
bool expression_depends_on(struct expression *a, const char *variable);

/* A number as C writes it; false: it is longer than that. */
bool expression_write(const struct expression *e, char text[EXPRESSION_TEXT],
                      enum expression_level *level);
/* The same in brackets where it binds less tightly than that. */
bool expression_operand(const struct expression *e, enum expression_level at_most,
                        char text[EXPRESSION_TEXT]);
/* `&in[i]`, `in + 16 bytes`; `in + ...` where it is somewhere. */
bool expression_write_address(const struct expression *e, char text[EXPRESSION_TEXT]);
/* What `bytes` bytes there are called: `in[i]`, `bodies[i].x`, `*(in + 16 bytes)`, `in[...]`. */
bool expression_write_element(const struct expression *e, unsigned bytes,
                              char text[EXPRESSION_TEXT]);

#endif
