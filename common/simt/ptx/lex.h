/* lex.h - characters -> tokens, and the table in which every name exists once.
 *
 * Used by parse*.c alone. A name is a struct symbol: equal names are the same symbol, so
 * the parser compares pointers and keeps what it knows about a name in the symbol itself. Bad
 * characters give TOKEN_BAD and set the lexer's err; the lexer then stays where it is. */
#ifndef SIMT_LEX_H
#define SIMT_LEX_H

#include "base/err.h"
#include "ptx/module.h"

/* KEYWORD(ID, text): directives and the few plain words that the parser acts on. */
#define KEYWORDS(KEYWORD)                                                                          \
    KEYWORD(VERSION, "version")                                                                    \
    KEYWORD(TARGET, "target")                                                                      \
    KEYWORD(ADDRESS_SIZE, "address_size")                                                          \
    KEYWORD(FILE, "file")                                                                          \
    KEYWORD(LOC, "loc")                                                                            \
    KEYWORD(SECTION, "section")                                                                    \
    KEYWORD(PRAGMA, "pragma")                                                                      \
    KEYWORD(VISIBLE, "visible")                                                                    \
    KEYWORD(WEAK, "weak")                                                                          \
    KEYWORD(EXTERN, "extern")                                                                      \
    KEYWORD(COMMON, "common")                                                                      \
    KEYWORD(FUNC, "func")                                                                          \
    KEYWORD(ENTRY, "entry")                                                                        \
    KEYWORD(GLOBAL, "global")                                                                      \
    KEYWORD(CONST, "const")                                                                        \
    KEYWORD(SHARED, "shared")                                                                      \
    KEYWORD(LOCAL, "local")                                                                        \
    KEYWORD(PARAM, "param")                                                                        \
    KEYWORD(REG, "reg")                                                                            \
    KEYWORD(ALIGN, "align")                                                                        \
    KEYWORD(ATTRIBUTE, "attribute")                                                                \
    KEYWORD(MANAGED, "managed")                                                                    \
    KEYWORD(PTR, "ptr")                                                                            \
    KEYWORD(V2, "v2")                                                                              \
    KEYWORD(V4, "v4")                                                                              \
    KEYWORD(MAXNTID, "maxntid")                                                                    \
    KEYWORD(REQNTID, "reqntid")                                                                    \
    KEYWORD(MINNCTAPERSM, "minnctapersm")                                                          \
    KEYWORD(MAXNCTAPERSM, "maxnctapersm")                                                          \
    KEYWORD(MAXNREG, "maxnreg")                                                                    \
    KEYWORD(NORETURN, "noreturn")                                                                  \
    KEYWORD(EXPLICITCLUSTER, "explicitcluster")                                                    \
    KEYWORD(REQNCTAPERCLUSTER, "reqnctapercluster")                                                \
    KEYWORD(MAXCLUSTERRANK, "maxclusterrank")                                                      \
    KEYWORD(BLOCKSARECLUSTERS, "blocksareclusters")                                                \
    KEYWORD(ABI_PRESERVE, "abi_preserve")                                                          \
    KEYWORD(ABI_PRESERVE_CONTROL, "abi_preserve_control")                                          \
    KEYWORD(BRANCHTARGETS, "branchtargets")                                                        \
    KEYWORD(CALLTARGETS, "calltargets")                                                            \
    KEYWORD(CALLPROTOTYPE, "callprototype")                                                        \
    KEYWORD(FUNCTION_NAME, "function_name")                                                        \
    KEYWORD(INLINED_AT, "inlined_at")                                                              \
    KEYWORD(GENERIC, "generic")                                                                    \
    KEYWORD(WARP_SZ, "WARP_SZ")                                                                    \
    KEYWORD(S64, "s64")                                                                            \
    KEYWORD(U64, "u64")

enum keyword {
    KEY_NONE,
#define KEYWORD(id, text) KEY_##id,
    KEYWORDS(KEYWORD)
#undef KEYWORD
};

struct binding; /* parser.h: what a name stands for in the scope that is being read */

struct symbol {
    uint32_t hash, length;
    enum ptx_op op;
    enum ptx_word word;
    enum ptx_special special;
    enum ptx_type type;
    enum keyword keyword;
    uint32_t reg;          /* as a register: its number in function `reg_func` of the text, */
    unsigned reg_func;     /* counted from 1; 0: none yet */
    struct binding *bound; /* the name itself: `%SP`, `L1` */
    struct binding *bound_prefix;   /* the name as a range of registers: `%r` of `%r<10>` */
    struct symbol *stem;            /* `%r` of `%r12`, once it has been looked for */
    uint32_t index;                 /* 12 of `%r12` */
    bool split;                     /* stem and index are valid; stem NULL: no digits at the end */
    const unsigned *cluster;        /* of a kernel: .pragma "simt_cluster" */
    unsigned func_index, var_index; /* module scope: index + 1 of the function, the variable */
    char text[];                    /* ends in NUL */
};

/* Memory of a module in small pieces: an arena rounds every piece up to 64 bytes, this to 8. */
struct pool {
    struct arena *arena;
    unsigned char *next;
    size_t left_bytes;
};

struct symbol_table {
    struct symbol **slots; /* open addressing, a power of two of them */
    unsigned capacity, count;
    struct pool *pool;
    struct arena *scratch; /* holds slots */
};

enum token_kind {
    TOKEN_END,
    TOKEN_BAD,       /* the err is set */
    TOKEN_NAME,      /* symbol: `ld`, `%r1`, `$L__BB0_1`, `_` */
    TOKEN_DIRECTIVE, /* symbol, without the dot: `.global`, `.shared::cta` */
    TOKEN_INT,       /* bits, is_unsigned */
    TOKEN_FLOAT,     /* bits, is_double */
    TOKEN_STRING,    /* start, length: what stands between the quotes */
    TOKEN_PUNCT      /* punct: one character, or one of the PUNCT_ pairs */
};

enum { PUNCT_SHL = 256, PUNCT_SHR, PUNCT_LE, PUNCT_GE, PUNCT_EQ, PUNCT_NE, PUNCT_AND, PUNCT_OR };

struct token {
    enum token_kind kind;
    int punct; /* 0 unless TOKEN_PUNCT, so that it can be compared without looking at kind */
    bool is_unsigned, is_double;
    bool glued; /* nothing stands between this token and the one before it */
    unsigned line;
    const char *start;
    size_t length;
    uint64_t bits;
    struct symbol *symbol;
};

struct lexer {
    const char *begin, *next, *end;
    unsigned line;
    const char *name; /* of the text, for messages */
    struct symbol_table *symbols;
    struct err *err;
};

void *lex_pool_alloc(struct pool *pool, size_t bytes); /* zeroed, aligned to 8 */

void lex_symbols_init(struct symbol_table *table, struct pool *pool, struct arena *scratch);
struct symbol *lex_symbols_intern(struct symbol_table *table, const char *text, size_t length);

void lex_next(struct lexer *lexer, struct token *token);

#endif
