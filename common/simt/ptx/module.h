/* module.h - a PTX module as text says it: names, types and instructions, nothing executed yet.
 *
 * parse.c makes it, the passes and decode.c read it. All memory belongs to `arena`; nothing
 * changes after parse_module() returns. Names are unique within a function: a name that is
 * declared in an inner { } scope is renamed by the parser (`param0` -> `param0#3`, the range
 * `%r<4>` -> `%r#3#0` to `%r#3#3`), so no reader needs to know about scopes. Registers have
 * numbers; their names are for messages. */
#ifndef SIMT_MODULE_H
#define SIMT_MODULE_H

#include "base/arena.h"
#include "base/base.h"

/* PTX_U32, PTX_F64, PTX_PRED ...; ptx_type_bytes() and ptx_type_name() read the same table. */
enum ptx_type {
    PTX_NO_TYPE,
#define TYPE(name, text, bytes) PTX_##name,
#include "ptx/ptx_types.def"
#undef TYPE
    PTX_TYPE_COUNT
};

/* PTX_OP_ADD ...; PTX_OP_UNKNOWN is an opcode that the table lacks: the decoder rejects the
 * instruction, naming it. What is known of each opcode: ops.h. */
enum ptx_op {
    PTX_OP_UNKNOWN,
#define OP(id, ...) PTX_OP_##id,
#include "ptx/ptx_ops.def"
#undef OP
    PTX_OP_COUNT
};

/* WORD_GLOBAL, WORD_SHARED_CTA ...: modifiers other than types. */
enum ptx_word {
    WORD_OTHER, /* a type, or a modifier that no decoder knows */
#define WORD(id, text) WORD_##id,
#include "ptx/ptx_words.def"
#undef WORD
    WORD_COUNT
};

/* PTX_SPECIAL_TID_X ...: registers that the machine fills, "%tid.x". */
enum ptx_special {
    PTX_NO_SPECIAL,
#define SPECIAL(id, text, slot, uniform) PTX_SPECIAL_##id,
#include "ptx/ptx_specials.def"
#undef SPECIAL
    PTX_SPECIAL_COUNT
};

enum ptx_space { PTX_GENERIC, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST, PTX_PARAM, PTX_REG };

/* Where an instruction comes from. line 0: the compiler named none. inlined_at is the call site
 * in the caller when the instruction was inlined, else NULL; the last link is the kernel's line. */
struct ptx_loc {
    unsigned file; /* index into ptx_module.files */
    unsigned line, column;
    const struct ptx_loc *inlined_at;
    /* Under .pragma "simt_alignments" (join.h): what the compiler knew of the access there. */
    uint8_t align, bytes; /* of its address, 0: unknown; of each lane's value */
    bool is_copy;         /* part of a copy of memory: align is that of the copy's first byte */
};

enum ptx_operand_kind {
    PTX_OPERAND_REG,     /* reg: its number, PTX_NO_REG if it is not declared; name: "%r1" */
    PTX_OPERAND_SPECIAL, /* special: PTX_SPECIAL_TID_X; name: "%tid.x" */
    PTX_OPERAND_SINK,    /* "_": the result is not kept */
    PTX_OPERAND_INT,     /* bits: the value, two's complement, 64 bits */
    PTX_OPERAND_FLOAT,   /* bits: IEEE bits, 32 wide for 0f..., 64 wide for 0d... and decimals */
    PTX_OPERAND_SYMBOL,  /* name: variable, function or label; bits: byte offset (name+8) */
    PTX_OPERAND_MEMORY, /* [base + bits]: a register (reg) or a symbol (reg is PTX_NO_REG), by name;
                         * NULL: absolute; items: what follows a comma inside, [texture, {x, y}] */
    PTX_OPERAND_VECTOR, /* {a, b, c, d}: items */
    PTX_OPERAND_PAIR,   /* a|b: items[0], items[1] */
    PTX_OPERAND_LIST    /* (a, b): items. `call (result), f, (arguments), prototype;` is a list, a
                         * name, a list and a name; each is left out where the text does */
};

#define PTX_NO_REG 0xffffffffu

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;   /* !%p1; -%r1 */
    bool is_double; /* PTX_OPERAND_FLOAT: the bits are 64 wide */
    enum ptx_special special;
    uint32_t reg; /* index of ptx_func.regs; PTX_NO_REG where the operand has no register */
    const char *name;
    const char *part; /* "b0" of %r1.b0, of a video instruction; NULL: all of the register */
    uint64_t bits;
    struct ptx_operand *items;
    unsigned item_count;
};

/* One of the words behind an opcode's dots; "shared::cta" is one. */
struct ptx_modifier {
    enum ptx_word word; /* WORD_OTHER: see type, or text */
    enum ptx_type type; /* PTX_NO_TYPE: it names none */
    const char *text;   /* without the dot */
};

/* `@!%p1 ld.global.nc.v2.f32 {%f1, %f2}, [%rd1+8];` has the guard %p1, negated, op PTX_OP_LD,
 * op_name "ld", modifiers global, nc, v2 and f32, and two operands. */
struct ptx_insn {
    enum ptx_op op;
    const char *op_name;
    const struct ptx_modifier *modifiers;
    unsigned modifier_count;
    const struct ptx_operand *guard; /* a register; NULL: none */
    struct ptx_operand *operands;
    unsigned operand_count;
    const struct ptx_loc *loc; /* never NULL; line 0 where the text has no .loc */
    unsigned text_line;        /* line in the PTX text, from 1 */
};

/* Who sees a variable or function of a module when several are linked. */
enum ptx_linkage {
    PTX_INTERNAL, /* its own module */
    PTX_VISIBLE,  /* all; it may be defined once */
    PTX_WEAK,     /* all; one of several definitions is taken */
    PTX_EXTERN    /* defined elsewhere */
};

/* A pointer inside an initialiser: 8 (or 4) bytes at offset hold the address of symbol + addend. */
struct ptx_reloc {
    uint64_t offset, addend;
    const char *symbol;
    unsigned bytes;
    bool generic; /* generic(symbol) was written */
};

struct ptx_var {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;
    uint64_t align, bytes; /* bytes 0: extern array of unknown size (dynamic shared memory) */
    bool is_extern;
    enum ptx_linkage linkage;
    const uint8_t *initial; /* `bytes` long, or NULL for zeros */
    const struct ptx_reloc *relocs;
    unsigned reloc_count;
    unsigned text_line;
};

/* What the source calls a register, by .pragma "simt_variable" of cc/variables.awk: of so many
 * instructions that write it, in the order of the text, those of the mask write this variable. */
struct ptx_variable {
    const char *name; /* NULL: unknown */
    unsigned writes;
    uint32_t mask; /* bit 0: the first */
};

/* A register that some instruction names; operands refer to it by its place in ptx_func.regs. Of
 * the range `%r<100>` those that are used are registers. A vector register `a` of .v4 is the four
 * registers a.x to a.w; operands show it as {a.x, a.y, a.z, a.w}. */
struct ptx_reg {
    const char *name;
    enum ptx_type type;
    struct ptx_variable variable;
};

struct ptx_label {
    const char *name;
    unsigned insn;  /* index of the instruction that follows; insn_count at the end */
    bool no_unroll; /* .pragma "nounroll" stands behind it */
};

/* A .branchtargets or .calltargets list, or a .callprototype (params and returns only). */
struct ptx_targets {
    const char *name;
    const char **items;
    unsigned item_count;
};

struct ptx_func {
    const char *name;
    bool is_entry;
    bool is_prototype; /* declared, or a .callprototype: it has no body */
    enum ptx_linkage linkage;
    struct ptx_var *params, *returns; /* space PTX_PARAM, or PTX_REG for .reg parameters */
    unsigned param_count, return_count;
    struct ptx_var *vars; /* .local, .shared and .param variables of the body, names made unique */
    unsigned var_count;
    struct ptx_reg *regs;
    unsigned reg_count;
    struct ptx_insn *insns;
    unsigned insn_count;
    struct ptx_label *labels;
    unsigned label_count;
    struct ptx_targets *targets;
    unsigned target_count;
    struct ptx_func *prototypes; /* .callprototype declarations inside the body */
    unsigned prototype_count;
    unsigned max_threads[3]; /* .maxntid, or .reqntid; 0: not given */
    bool exact_threads;      /* .reqntid */
    bool no_fmad;            /* ptxas joins no product and sum to an fma: -fmad=false */
    unsigned cluster[3];     /* .reqnctapercluster; 0: not given */
    unsigned min_blocks;     /* .minnctapersm */
    unsigned text_line;
};

/* `.target sm_90a`. By a comment in the last line, "//simt_from sm_75", simtcc says that it
 * compiled the module for GPUs from 7.5 on, though its .target is a later one; ptxas rejects
 * pragmas that it does not know. */
struct ptx_target {
    unsigned arch;  /* 90; 0: the text has none */
    char suffix;    /* 'a', 'f' or none, '\0' */
    unsigned first; /* the first version of PTX ISA that has the target, 80 for 8.0 */
    unsigned from;  /* 75; 0: there is no such comment */
};

struct ptx_module {
    struct arena arena;
    const char *name; /* what messages call it: a file name */
    unsigned version_major, version_minor;
    bool copies_params; /* clang made it: a parameter whose address is taken is a local copy */
    struct ptx_target target;
    const char *
        *files; /* .file table: files[0] unused where numbering starts at 1; may hold NULL */
    unsigned file_count;
    struct ptx_var *vars; /* module-scope .global, .const, .shared variables */
    unsigned var_count;
    struct ptx_func *funcs;
    unsigned func_count;
    struct ptx_module *linked; /* whose parts this one has taken (link.h); freed with it */
};

unsigned ptx_type_bytes(enum ptx_type type); /* 0 for PTX_PRED and PTX_NO_TYPE */
bool ptx_is_float(enum ptx_type type);       /* f32, f64 */
bool ptx_is_half(enum ptx_type type);        /* f16, bf16 */
bool ptx_is_pair_of_halves(enum ptx_type type);
bool ptx_is_real(enum ptx_type type); /* one of all these */
const char *ptx_type_name(enum ptx_type type);
const char *ptx_word_text(enum ptx_word word);
enum ptx_space ptx_word_space(enum ptx_word word); /* PTX_GENERIC: it names no state space */
bool ptx_has_modifier(const struct ptx_insn *in, enum ptx_word word);
bool ptx_is_width(const struct ptx_modifier *m); /* v2 or v4 */
/* The words of `in` become those of `like`, an access whose last word is its type: with this width
 * (1, 2 or 4 fields) and this type in place of its own. */
void ptx_set_fields(struct ptx_insn *in, const struct ptx_insn *like, unsigned fields,
                    enum ptx_type type, struct arena *arena);
/* The line a learner wrote: inlined library code is skipped in favour of the line that uses it. */
const struct ptx_loc *ptx_user_line(const struct ptx_module *m, const struct ptx_loc *loc);

#endif
