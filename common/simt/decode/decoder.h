/* decoder.h - the decoder's working state, shared by decode*.c alone. */
#ifndef SIMT_DECODER_H
#define SIMT_DECODER_H

#include "decode/decode.h"
#include "ir/ir.h"
#include "ir/leader.h"
#include "base/names.h"

/* What the name of a variable stands for; the number in struct names is an index into symbols. */
enum variable_kind {
    VARIABLE_ENTRY_PARAM, /* offset, bytes */
    VARIABLE_FRAME_PARAM, /* offset in the frame, bytes per lane */
    VARIABLE_LOCAL,       /* offset from the function's local variables */
    VARIABLE_SHARED       /* offset in shared memory */
};

struct variable {
    enum variable_kind kind;
    uint32_t offset, bytes;
};

struct constant {
    uint64_t bits;
    uint32_t ref;
    bool wide;
};

struct decoder {
    struct kernel *k;
    const struct ptx_module *m;
    const struct decode_world *world;
    struct err *e;
    struct arena scratch;
    struct ir_context context; /* what the IR and its passes ask of us */
    struct ptx_target target;  /* what instructions there may be */

    /* the module */
    struct names functions;  /* -> index of ptx_module.funcs */
    struct names shared;     /* module-scope shared variables -> offset */
    unsigned *func_of;       /* ptx function index -> index of kernel->funcs, or NO_REF */
    uint32_t dynamic_shared; /* offset of extern shared arrays */
    bool maps_cluster;       /* some function makes addresses of other blocks' shared memory */
    bool may_part;           /* some function has a branch in which lanes may part */

    /* the function being decoded */
    const struct ptx_func *f;
    struct kernel_func *kf;
    struct function_ir *ir;
    struct names names; /* variables -> index of variables */
    struct variable *variables;
    unsigned variable_count, variable_capacity;
    uint32_t *slots;        /* per register: its reference, NO_REF until used */
    uint32_t carry;         /* hidden predicate: the carry flag */
    uint32_t spare;         /* hidden predicate for set */
    uint32_t spare_high;    /* the same for the high halves of a pair */
    uint32_t halves;        /* two hidden registers */
    uint32_t spare_address; /* hidden 64-bit register */
    uint32_t spare_word;    /* hidden 32-bit register */
    uint32_t *block_pc;     /* block -> code index */
    const struct ir_leader *leaders; /* per instruction: ir/leader.h */
    uint32_t *site_of;       /* per access that has been decoded */

    /* the instruction being decoded */
    uint32_t at; /* its number in ir, IR_NONE: none of the text */
    const struct ptx_insn *in;
    uint32_t taken; /* modifiers that have been looked at, one bit each */

    /* growing arrays of the kernel */
    unsigned code_capacity, site_capacity, call_capacity, matrix_capacity, table_capacity, point_capacity,
        shared_capacity, constant_count, constant_slots;
    struct constant *constants; /* open addressing, constant_slots of them */
    uint32_t constant_room;
    struct site_info *plain_sites; /* sites without an address pattern; they come last */
    unsigned plain_count, plain_capacity;
};

struct matrix_shape {
    unsigned m, n, k;
};

#define PLAIN_SITE 0x80000000u /* set in insn.site until the number of patterns is known */

/* --- decode_operand.c ------------------------------------------------------------------------ */

/* Rejects the current instruction: "kernel k at x.cu:12: mma.sync... is not supported: why". */
bool decode_reject(struct decoder *d, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* Modifiers. decode_take() looks one up and marks it; decode_take_any() does so with several, and
 * returns the text of the first of them that is there, or NULL; decode_take_one() rejects the
 * instruction before it returns NULL; decode_take_type() takes the next that names a type. An
 * instruction with a modifier that has not been taken is rejected. */
bool decode_take(struct decoder *d, enum ptx_word word);
const char *decode_take_any(struct decoder *d, const enum ptx_word *words, unsigned count);
const char *decode_take_one(struct decoder *d, const enum ptx_word *words, unsigned count);
#define WORDS(...)                                                                                 \
    (const enum ptx_word[]){__VA_ARGS__}, ARRAY_LENGTH(((const enum ptx_word[]){__VA_ARGS__}))
#define TAKE_ANY(d, ...) decode_take_any(d, WORDS(__VA_ARGS__))
#define TAKE_ONE(d, ...) decode_take_one(d, WORDS(__VA_ARGS__))
enum ptx_type decode_take_type(struct decoder *d);
/* PTX_GENERIC where no state space is named. Functions' parameters (param::func) are not among
 * them: only ld and st have those. */
enum ptx_space decode_take_space(struct decoder *d);
uint32_t decode_take_rounding(struct decoder *d); /* as insn flags; rni.. count as rn.. */
bool decode_all_taken(struct decoder *d);

enum register_width { WIDTH_PREDICATE, WIDTH_32, WIDTH_64 };
enum register_width decode_width_of(enum ptx_type type);

/* References of operands; false after a rejection. A source may be a register, a special register,
 * or an immediate of the given type; a destination is a register, or, where the instruction may
 * drop its result, "_" (NO_REF). */
bool decode_source(struct decoder *d, const struct ptx_operand *o, enum ptx_type type,
                   uint32_t *ref);
bool decode_destination(struct decoder *d, const struct ptx_operand *o, enum register_width width,
                        uint32_t *ref);
/* The one or the other, of a register that a load fills or a store reads. */
bool decode_value(struct decoder *d, const struct ptx_operand *o, bool is_result,
                  enum ptx_type type, uint32_t *ref);
/* A register's declared type; PTX_NO_TYPE if the operand is none. */
enum ptx_type decode_register_type(const struct decoder *d, const struct ptx_operand *o);
bool decode_predicate_source(struct decoder *d, const struct ptx_operand *o, uint32_t *ref,
                             bool *negated);
const struct variable *decode_find_variable(const struct decoder *d, const char *name);
bool decode_operands_are(struct decoder *d, unsigned least, unsigned most);
/* Without the cache policy, which comes last where .L2::cache_hint says so: nothing here is cached.
 */
unsigned decode_operand_count(const struct decoder *d);

uint32_t decode_constant32(struct decoder *d, uint32_t value);
uint32_t decode_constant64(struct decoder *d, uint64_t value);
uint32_t decode_frame_room(struct decoder *d, uint64_t bytes);
uint32_t decode_register_room(struct decoder *d, enum ptx_type type);
/* The reference of a register whose operand must have that width. */
bool decode_register_ref(struct decoder *d, uint32_t reg, enum register_width width, uint32_t *ref);

/* Where the function's registers lie that may be read before they are written. */
void decode_note_undefined(struct decoder *d);

/* decode_sizes.c */
enum {
    MOST_LOCAL_BYTES =
        512 << 10,             /* of a thread: CUDA C++ Programming Guide, compute capabilities */
    MOST_FRAME_BYTES = 1 << 30 /* of a warp's registers and call parameters; offsets are 32 bits */
};
/* Whether parameters and variables of all functions are of possible sizes; before they are laid
 * out. */
bool decode_sizes_fit(struct decoder *d);
/* The same of a kernel's deepest chain of calls. */
bool decode_stack_fits(struct decoder *d, uint64_t frames, uint64_t locals);
/* Where a variable lives, for an address operand or mov; false: it has no fixed address. */
bool decode_symbol_address(struct decoder *d, const char *name, uint64_t *address);

/* Appends an instruction run by the named handler, with the current instruction's guard. */
struct insn *decode_emit(struct decoder *d, struct insn in, const char *handler, ...)
    __attribute__((format(printf, 3, 4)));
uint32_t decode_new_site(struct decoder *d, enum site_kind kind, unsigned count);
uint32_t decode_new_plain_site(struct decoder *d, enum site_kind kind, uint32_t count);
struct insn decode_blank(void);

/* As it is, without the current instruction's guard. */
struct insn *decode_append(struct decoder *d, struct insn in, const struct handler *handler);
void decode_add_variable(struct decoder *d, const char *name, struct variable s);

/* --- decode_memory.c ------------------------------------------------------------------------- */

/* Modifiers that say how caches and other threads see an access: nothing here is cached. */
void decode_take_hints(struct decoder *d);
/* Fills a, offset and the address width from [register + n], [symbol + n] or [n]. */
bool decode_address(struct decoder *d, const struct ptx_operand *o, struct insn *in);
/* An address with its offset, as 64 bits in a register of its own. */
bool decode_whole_address(struct decoder *d, const struct ptx_operand *o, uint32_t *ref);

unsigned decode_take_elements(struct decoder *d); /* .v2, .v4, .v8, or 1 */
void decode_remote_site(struct decoder *d, struct insn *in, enum site_kind kind);
/* decode_atomic.c: st.async and red.async [a], value, [mbarrier]. */
bool decode_update_async(struct decoder *d, bool reduces);

/* "add_u32": which of exec_atomic.c's rows does this operation on that type. */
void decode_atomic_name(char *name, size_t size, const char *operation, enum ptx_type type);

/* --- decode_bulk.c --------------------------------------------------------------------------- */

bool decode_bulk(struct decoder *d);

/* --- decode_cluster.c ------------------------------------------------------------------------ */

bool decode_cluster_barrier(struct decoder *d);

/* --- decode_matrix.c --------------------------------------------------------------------------- */

/* Modifiers that matrix instructions alone have are known by their text. */
bool decode_take_text(struct decoder *d, const char *text);
bool decode_take_shape(struct decoder *d, struct matrix_shape *shape);
unsigned decode_take_formats(struct decoder *d, enum tensor_format *formats, unsigned most);
bool decode_wmma_has_shape(enum tensor_format f, struct matrix_shape s);
bool decode_wmma_mma(struct decoder *d);
/* The references of an operand's registers, which are so many. */
bool decode_matrix_registers(struct decoder *d, unsigned which, enum tensor_format format,
                             unsigned count, bool is_result, uint32_t *refs);
struct matrix_multiply;
bool decode_emit_multiply(struct decoder *d, struct matrix_multiply *m);
bool decode_wide_mma(struct decoder *d); /* mma, but for what decode_quads.c has */

/* --- decode_block.c -------------------------------------------------------------------------- */

/* Blocks become code, each behind its ENTER; then block numbers become code indices, and every
 * branch learns where its lanes wait for each other. */
bool decode_blocks(struct decoder *d);

/* --- small questions about types and operands ------------------------------------------------- */

static inline const struct ptx_operand *operand(const struct decoder *d, unsigned i)
{
    static const struct ptx_operand none = {.kind = PTX_OPERAND_LIST, .reg = PTX_NO_REG};
    return i < d->in->operand_count ? &d->in->operands[i] : &none;
}

static inline bool is_signed(enum ptx_type t)
{
    return t == PTX_S8 || t == PTX_S16 || t == PTX_S32 || t == PTX_S64;
}

static inline unsigned bits_of(enum ptx_type t) { return 8 * ptx_type_bytes(t); }

/* --- decode_ops.c and the families ------------------------------------------------------------ */

bool decode_op(struct decoder *d); /* the current instruction */
/* All modifiers have been taken, and the operands are a destination of `dtype` and, of the types that follow, sources
 * for a, b, c and e. */
bool decode_typed_operands(struct decoder *d, struct insn *in, enum ptx_type dtype,
                           const enum ptx_type *types, unsigned count);
#define TYPED_OPERANDS(d, in, dtype, ...)                                                          \
    decode_typed_operands(d, in, dtype, (const enum ptx_type[]){__VA_ARGS__},                      \
                          ARRAY_LENGTH(((const enum ptx_type[]){__VA_ARGS__})))
/* The same where a, b and c are of one type; count operands in all. */
bool decode_plain_operands(struct decoder *d, struct insn *in, enum ptx_type dtype,
                           enum ptx_type type, unsigned count);
uint32_t decode_take_float_flags(struct decoder *d);
bool decode_predicate_logic(struct decoder *d);

/* One function per family of instructions, named in ptx_ops.def. */
#define OP(id, text, writes, class, memory, zeros, marks, cost, traits, family)                    \
    bool decode_##family(struct decoder *d);
#include "ptx/ptx_ops.def"
#undef OP

#endif
