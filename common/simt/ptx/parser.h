/* parser.h - what the modules of the parser (parse*.c) share; no other file includes it.
 *
 * Every function that can fail returns bool; parse_fail() sets the error once, with the name of
 * the text and the line. Arrays of unknown length grow in `scratch` and are copied to the module
 * when their length is known. */
#ifndef SIMT_PARSER_H
#define SIMT_PARSER_H

#include "ptx/lex.h"
#include "ptx/parse.h"

enum {
    MAX_SCOPE_DEPTH = 64,         /* { } inside { } */
    MAX_EXPRESSION_DEPTH = 64,    /* parentheses inside parentheses, and initialisers' braces */
    MAX_REGISTER_RANGE = 1 << 20, /* %r<N> */
    MAX_FILES = 1 << 16,          /* numbers of .file */
    MAX_INLINE_DEPTH = 64         /* links of ptx_loc.inlined_at */
};

enum binding_kind { BINDS_REG, BINDS_REG_RANGE, BINDS_REG_VECTOR, BINDS_VAR, BINDS_LABEL };

/* What a name stands for from its declaration to the } of its scope. A symbol points to its
 * innermost binding, which points to the one it hides. */
struct binding {
    struct symbol *symbol;
    enum binding_kind kind;
    unsigned count;     /* registers of a range, elements of a vector */
    enum ptx_type type; /* of a register */
    unsigned depth;     /* of the scope: 1 is the body of the function */
    const char *name;   /* unique in the function: the symbol's text, or `text#scope` */
    unsigned line;
    struct binding *hidden; /* what the symbol stood for outside */
    struct binding *next;   /* declared before this one in the same scope */
};

/* A use of a name in an inner scope that may yet turn out to be a label of that scope. */
struct open_use {
    struct symbol *symbol;
    const char **name; /* rewritten when the label is found */
};

struct scope {
    struct binding *bindings;
    unsigned id;        /* unique in the function; names of scope 0 keep their text */
    unsigned first_use; /* index of this scope's first open use */
};

struct inline_site { /* the last .loc with these numbers in function `func_serial` */
    const struct ptx_loc *loc;
    unsigned func_serial, depth;
};

#define GROWING(type)                                                                              \
    struct {                                                                                       \
        type *items;                                                                               \
        unsigned count, capacity;                                                                  \
    }

struct parser {
    struct lexer lexer;
    struct token token; /* the one being looked at */
    struct err *err;
    struct ptx_module *module;
    struct pool pool;
    struct arena scratch;
    struct symbol_table symbols;

    GROWING(struct ptx_var) module_vars;
    GROWING(struct ptx_func) funcs;
    GROWING(const char *) files;
    uint64_t initial_bytes; /* of all initialisers together */
    unsigned first_file;    /* is added to each number of a file */
    enum ptx_linkage linkage; /* of what is being defined */
    bool tells_alignment;   /* .pragma "simt_alignments": see join.h */
    bool no_fmad;           /* .pragma "simt_no_fmad" */

    /* The function being read. */
    struct scope scopes[MAX_SCOPE_DEPTH + 1];
    unsigned depth; /* 0: outside every function; 1: its parameters and body */
    unsigned scope_count;
    GROWING(struct open_use) open_uses;
    GROWING(struct ptx_insn) insns;
    GROWING(struct ptx_var) vars;
    GROWING(struct ptx_reg) regs;
    GROWING(struct ptx_label) labels;
    GROWING(struct ptx_targets) targets;
    GROWING(struct ptx_func) prototypes;
    const struct ptx_loc *loc;

    /* Call sites by (file, line, column), open addressing. */
    struct inline_site *sites;
    unsigned site_count, site_capacity, func_serial;

    /* The instruction being read: operands and modifiers as stacks. */
    GROWING(struct ptx_operand) operands;
    GROWING(struct ptx_modifier) modifiers;
    GROWING(struct ptx_reloc) relocs;
};

/* One more, zeroed, at the end of a GROWING array. */
#define PUSH(p, array)                                                                             \
    ((p)->array.items = arena_grow(&(p)->scratch, (p)->array.items, (p)->array.count,              \
                                   &(p)->array.capacity, sizeof *(p)->array.items),                \
     memset(&(p)->array.items[(p)->array.count], 0, sizeof *(p)->array.items),                     \
     &(p)->array.items[(p)->array.count++])

/* The items from index `from` on, copied to the module's memory; NULL if there are none. */
#define KEEP(p, array, from)                                                                       \
    parse_keep(p, (p)->array.items, from, (p)->array.count, sizeof *(p)->array.items)
void *parse_keep(struct parser *p, const void *items, unsigned from, unsigned count, size_t size);

/* parse_token.c */
bool parse_fail(struct parser *p, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WHAT, found TOKEN" at the present token */
bool parse_expected(struct parser *p, const char *what);
void parse_advance(struct parser *p);
bool parse_accept(struct parser *p, int punct); /* true: it was there and is passed */
bool parse_expect(struct parser *p, int punct);
bool parse_at_keyword(const struct parser *p, enum keyword keyword); /* `.keyword` */
bool parse_accept_keyword(struct parser *p, enum keyword keyword);
bool parse_name(struct parser *p, struct symbol **name);

/* parse_expr.c: constant expressions */
struct literal {
    bool is_float, is_double, is_unsigned;
    uint64_t bits;
};
bool parse_starts_constant(const struct parser *p);
bool parse_constant(struct parser *p, struct literal *value);
/* An integer that must not be negative: sizes, counts, line numbers. */
bool parse_count(struct parser *p, uint64_t max, const char *what, uint64_t *value);
/* "+ 8 - 4" after a name, as one offset; nothing there is 0. */
bool parse_offset(struct parser *p, uint64_t *offset);
/* The bits of `value` as an element of `type` has them. */
bool parse_fit(struct parser *p, const struct literal *value, enum ptx_type type, uint64_t *bits);

/* parse_body.c: after a function's `{`, to its `}`; and `.pragma`, after the keyword */
bool parse_body(struct parser *p);
bool parse_pragma(struct parser *p);

/* parse_insn.c: from an opcode or a guard to its semicolon; the opcode is already passed */
struct guard {
    struct symbol *name; /* NULL: none */
    bool negated;
};
bool parse_insn(struct parser *p, struct symbol *opcode, struct guard guard, unsigned line);

/* parse_scope.c: what names stand for */
bool scope_open(struct parser *p);
bool scope_close(struct parser *p);
bool scope_declare(struct parser *p, struct symbol *symbol, enum binding_kind kind, unsigned count,
                   unsigned line, struct binding **made);
/* Gives every name in the operand its unique spelling, tells registers from symbols and numbers
 * them. The operand must lie where it will stay. */
void scope_resolve(struct parser *p, struct ptx_operand *operand);
/* The same for a guard, which can only be a register. */
void scope_resolve_guard(struct parser *p, struct ptx_operand *operand);
/* The register of that name which an instruction of this function uses; NULL: none does. */
struct ptx_reg *scope_register(struct parser *p, const char *name, size_t length);
/* The same for a name that can only be a label or a function. */
void scope_resolve_label(struct parser *p, struct symbol *symbol, const char **name);

/* parse_var.c: declarations */
bool parse_registers(struct parser *p); /* after `.reg`, to the semicolon */
/* After the space: `.align 4 .b8 name[16] = {...}, other;` to the semicolon. */
bool parse_variables(struct parser *p, enum ptx_space space, bool is_extern);
/* "(.param .b32 a, .reg .f32 b)" if there is one; names are declared if `declare`. */
bool parse_params(struct parser *p, bool declare, struct ptx_var **params, unsigned *count);
/* parse_init.c: after `=` */
bool parse_initialiser(struct parser *p, struct ptx_var *var, const uint64_t *dims,
                       unsigned dim_count, unsigned vector);

/* parse_loc.c: .file and .loc, after the keyword */
bool parse_file(struct parser *p);
bool parse_loc(struct parser *p);

#endif
