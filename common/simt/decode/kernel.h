/* kernel.h - a kernel ready to execute: slots instead of names, code indices instead of labels.
 *
 * decode.c makes it, the machine runs it. A struct kernel holds its entry function and every
 * function that it can call, in one code array; nothing in it changes after decode_kernel().
 *
 * A register is 32 lanes wide: 128 bytes for types up to 32 bits (each lane in a u32, unused high
 * bits zero), 256 bytes for 64-bit types; a predicate is one 32-bit lane mask. A reference to an
 * operand names one of four bases in its low two bits and a byte offset in the others:
 *
 *     31                              2 1 0
 *    +---------------------------------+----+     REF_FRAME    registers of the running function
 *    | byte offset, a multiple of 4    |base|     REF_CONST    immediates, already 32 lanes wide
 *    +---------------------------------+----+     REF_SPECIAL  %tid, %ctaid ... of this warp
 */
#ifndef SIMT_KERNEL_H
#define SIMT_KERNEL_H

#include "decode/handler.h"
#include "ptx/module.h"
#include "decode/matrix.h"

struct function_ir;
struct image_insn;

enum { REF_FRAME = 0, REF_CONST = 1, REF_SPECIAL = 2, REF_BASES = 4 };
#define NO_PC  0xffffffffu
#define NO_REF 0xffffffffu

/* Modifiers that a handler looks at while it runs. */
enum insn_flags {
    INSN_GUARD_NEGATED = 1 << 0,
    INSN_FTZ = 1 << 1,        /* subnormal inputs and results become zero, sign kept */
    INSN_FINITE = 1 << 7,     /* cvt: the largest number instead of an infinity */
    INSN_SAT = 1 << 2,        /* result clamped to [0, 1], or to the integer's range */
    INSN_ADDRESS64 = 1 << 3,  /* the address register is 64 bits wide */
    INSN_CC_IN = 1 << 4,      /* adds the carry of the instruction before */
    INSN_CC_OUT = 1 << 5,     /* keeps the carry for the next one */
    INSN_VOLATILE = 1 << 6,   /* a strong access: threads may meet by it */
    INSN_ROUND_SHIFT = 8,     /* bits 8..9: enum insn_rounding */
    INSN_MERGED = 1 << 10,    /* shared access that another one's count includes */
    INSN_B_NEGATED = 1 << 11, /* !predicate as operand b, c */
    INSN_C_NEGATED = 1 << 12,
    INSN_A_NEGATED = 1 << 13,
    INSN_JOIN = 1 << 14, /* ENTER: lanes of some branch wait here */
    INSN_SIGNED = 1 << 15,
    INSN_ANY_POINT = 1 << 16,     /* a warp barrier: lanes may come from different instructions */
    INSN_UNCOUNTED = 1 << 17,     /* a branch that the decoder made from a guard */
    INSN_TAKEN_FIRST = 1 << 18,   /* a branch to lanes' end: they go first, the others after */
    INSN_BLOCK_BARRIER = 1 << 19, /* waits for the whole block, so for all lanes of the warp */
    INSN_ADDED_UP = 1 << 20,      /* an atomic that costs as if one lane did it for all */
    INSN_ADDED_IF_FULL = 1 << 21, /* the same, but only if all 32 lanes take part */
    INSN_YIELDS = 1 << 22,  /* of a loop in which lanes let others go on: the ENTER of its head, a
                               branch out of it, which has INSN_TAKEN_FIRST if its target is
                               not in the loop */
    INSN_SIZED = 1 << 23,   /* cp.async: any number of bytes, not all or none */
    INSN_CLUSTER = 1 << 24, /* shared memory of any block of the cluster */
    INSN_ROWS = 1 << 25, /* ldmatrix, stmatrix: the first 8 lanes of each matrix have an address */
    INSN_BYPASS = 1 << 26, /* cp.async.cg: not through L1 */
    INSN_REMOTE = 1 << 27, /* it has a site for other blocks' shared memory */
    INSN_FIXED = 1 << 28,  /* ld, st: its distance from its leader stays the same in a launch */
    INSN_LED = 1 << 29     /* of a copy for observers: machine/repeats.h */
};

/* The lanes whose addresses an instruction with INSN_ROWS looks at. */
#define INSN_ROW_LANES(in) (FULL_MASK >> (WARP_LANES - 8u * (in)->elements))
/* Bytes of a row that ldmatrix loads, and wmma.load from shared memory. */
#define ROW_OF_FRAGMENT 16u

enum insn_rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP };

/* How ld and st move one element between memory and a lane of a register. */
enum insn_move {
    MOVE_32, /* 4 bytes <-> 32-bit register */
    MOVE_64, /* 8 bytes <-> 64-bit register */
    MOVE_U8, /* 1 byte, zero-extended to a register of 32 bits or less */
    MOVE_U16,
    MOVE_S8, /* sign-extended to 32 bits */
    MOVE_S16,
    MOVE_S8_16, /* sign-extended to 16 bits */
    MOVE_U8_64, /* extended to 64 bits; stores: from a 64-bit register */
    MOVE_U16_64,
    MOVE_U32_64,
    MOVE_S8_64,
    MOVE_S16_64,
    MOVE_S32_64
};

/* What cvt does to the value besides rounding it; in insn.conversion. */
enum insn_convert { CONVERT_PLAIN, CONVERT_INTEGRAL, CONVERT_RELU };

/* How shared memory performs an atomic (common/gpu/access.h counts each of them). */
enum insn_way {
    WAY_ATOMIC,   /* by itself, lane by lane */
    WAY_COUNTING, /* adds the number of lanes on a word: they share */
    WAY_CAS,      /* compare-and-swap */
    WAY_LOOP,     /* load, compute, compare-and-swap, again for lanes that lost */
    WAY_LEAST,    /* the same, but lanes that would change nothing leave it behind the load */
    WAY_WORDS     /* 2 bytes: load the word around, then compare-and-swap until none has lost */
};

struct insn {
    exec_fn run;     /* what the dispatcher calls: the handler, or exec_guarded */
    exec_fn handler; /* what exec_guarded calls */
    uint32_t a;
    union {
        struct {
            uint32_t d, b, c;
            union {
                uint32_t e;      /* a fourth operand */
                uint32_t points; /* of a branch: where in kernel->points its list begins */
            };
        };
        uint32_t
            element[4]; /* the registers of a vector, in order: ld, st, tex, mov that unpacks */
    };
    uint32_t site;      /* index of this instruction's counters */
    union {             /* what else the instruction knows, by its format */
        int64_t offset; /* of an access: added to the address; of local_address: of the variable */
        int64_t target; /* of a branch: a code index (a block number until link_branches()) */
        int64_t number; /* call, brx: of kernel->calls, kernel->tables; ENTER: its own code index */
        int64_t literal; /* arithmetic and moves: a number that the handler needs as such */
        int64_t members; /* shfl: the reference of its member mask */
        const struct warpgroup_multiply *warpgroup; /* wgmma.mma_async: decode/matrix.h */
        const struct image_insn *image;             /* tex, tld4, suld, sust: decode/image.h */
    };
    uint32_t guard;   /* reference of a predicate, or NO_REF */
    uint32_t flags;   /* enum insn_flags */
    uint8_t bytes;    /* ld, st, atom: bytes per lane, all elements together */
    uint8_t elements; /* 1, 2, 4 of a vector */
    union {
        uint8_t move;       /* ld, st: enum insn_move */
        uint8_t conversion; /* cvt: enum insn_convert */
        uint8_t way;        /* atom, red: enum insn_way */
        uint8_t combine;    /* setp: and, or, xor with the predicate e */
    };
    uint8_t space;       /* enum ptx_space */
    uint8_t count_bytes; /* shared ld, st: counted as an access of this width (0: as it is),
                            atom: the wavefronts for which it asks shared memory */
    uint8_t count_shift; /* starting this many bytes lower: see merge.h */
    uint16_t leader; /* ld, st: so many sites before its own is that of an access whose lanes lie as
                        this one's, moved by one distance (ir/leader.c); 0: there is none */
};

/* What the counters of a site mean; a, b, c are the fields of struct site. */
enum site_kind {
    SITE_BLOCK,      /* a: executions of the basic block, b: active lanes of them */
    SITE_BRANCH,     /* a: branches, b: divergent ones */
    SITE_COPY,       /* cp.async: a: requests, b: sectors */
    SITE_COPY_BANKS, /* the same: b: wavefronts, c: conflicts */
    SITE_BULK,       /* a: bulk copies, one for each lane that makes one, between blocks */
    SITE_BULK_LOAD,  /* the same, from global memory; b: sectors */
    SITE_BULK_STORE,
    SITE_BULK_RED,
    SITE_CLUSTER_LOAD, /* other blocks' shared memory: a: requests, b: sectors */
    SITE_CLUSTER_STORE,
    SITE_CLUSTER_ATOM,
    SITE_HMMA,    /* matrix instructions of the machine on floats: a: warp instructions, b: those of
                     warpgroups, c: cycles of one of an SM's four tensor cores */
    SITE_IMMA,    /* on integers and bits */
    SITE_DMMA,    /* on doubles */
    SITE_BARRIER, /* a: barriers that a warp executed */
    SITE_GLOBAL_LOAD, /* a: requests, b: sectors */
    SITE_GLOBAL_STORE,
    SITE_GLOBAL_RED,
    SITE_GLOBAL_ATOM,
    SITE_SHARED_LOAD, /* a: requests, b: wavefronts, c: bank conflicts */
    SITE_SHARED_STORE,
    SITE_SHARED_ATOM,
    SITE_UNCOUNTED /* local, constant and parameter space: looked up, not counted */
};

struct site_info {
    enum site_kind kind;
    uint32_t insn;  /* code index */
    uint32_t count; /* SITE_BLOCK: PTX instructions in the block */
};

/* Which accesses are counted by a leader: machine/repeats.h. */
struct led_accesses {
    uint32_t leader;       /* site; its own: no other leads it */
    bool global;           /* it reads global memory */
    uint32_t first, count; /* of a leader: those that it leads, in kernel->led_sites */
};

/* Of a leader in global memory: so many of its followers come behind some instruction. */
struct led_ahead {
    uint32_t leader, count;
};

struct kernel_param {
    uint32_t offset, bytes;
};

enum { LOCAL_ALIGNMENT = 16 }; /* the most that a type asks for */

/* A function of the kernel: frames are stacked, so a call needs to know their sizes. */
struct kernel_func {
    const struct ptx_func *ptx;
    struct function_ir
        *ir; /* what each of its instructions reads and writes, its blocks (ir/ir.h) */
    uint32_t index;
    uint32_t entry_pc;
    uint32_t frame_bytes;
    uint32_t local_bytes; /* per lane; whom it calls begins at the next LOCAL_ALIGNMENT */
    bool uses_stack;      /* alloca: each lane's stack ends at its return as it did at its call, */
    uint32_t stack_ends;  /* which is kept in the frame */
    struct frame_param *params, *returns;
    unsigned param_count, return_count;
    const uint32_t *registers; /* references of ir->regs; NO_REF: that one is not used */
    uint32_t *undefined;       /* registers that some way reads before it writes them: references */
    unsigned undefined_count;
};

/* Storage of a function parameter in the frame: lane i's bytes start at offset + i * bytes. */
struct frame_param {
    uint32_t offset, bytes;
};

/* The address of a function by its number in the module. As a GPU's it is a multiple of 16: C++
 * keeps a mark in the lowest bit of a pointer to a member function. 0 is no function's. */
#define FUNCTION_STEP 16u
static inline uint64_t function_address(unsigned number) { return (number + 1ull) * FUNCTION_STEP; }
/* NO_REF: none of the module's `count` functions has this address. */
static inline unsigned function_number(uint64_t address, unsigned count)
{
    const uint64_t number = address / FUNCTION_STEP;
    return address % FUNCTION_STEP != 0 || number == 0 || number > count ? NO_REF
                                                                         : (unsigned)number - 1;
}

/* One call instruction: which areas of the caller are copied to and from which of the callee. */
struct call_site {
    struct kernel_func *callee; /* NULL: a native function, or through a register */
    unsigned native;            /* index into the table of native functions, or NO_REF */
    unsigned caller;            /* index into kernel->funcs */
    struct frame_param *args, *results;
    unsigned arg_count, result_count;
    uint32_t target; /* indirect: reference of the 64-bit register */
};

/* An array in shared memory. bytes 0: dynamic, to the end of what the launch gives. */
struct shared_variable {
    const char *name; /* mangled */
    uint32_t offset, bytes;
};

/* Where a code index comes from: funcs[func]->ir->insns[insn], see ir/ir.h. */
struct code_source {
    uint32_t func,
        insn; /* insn is NO_REF for what stands nowhere in the text: the end of a function */
};

struct kernel {
    struct arena arena;
    uint64_t serial; /* 1, 2, ... of this process: an address may serve another kernel later */
    const char *name;
    const struct ptx_module *module;
    const struct ptx_func *ptx;
    struct insn *code;
    const struct ptx_insn **origin;  /* per code index; NULL for ENTER of an empty block */
    struct code_source *source;      /* per code index */
    const struct handler **handlers; /* per code index: what is known of code[pc].handler */
    unsigned code_count;
    uint8_t *constants; /* the bytes behind REF_CONST, 64-byte aligned */
    uint32_t constant_bytes;
    struct site_info *sites;
    unsigned site_count;
    unsigned pattern_count;         /* the first sites are those of instructions with an address */
    const struct led_accesses *led; /* of a copy for observers: per site; NULL: no access is led */
    const uint32_t *led_sites;
    /* Per code index, and one more: where those begin in led_ahead whose followers come behind it.
     */
    const uint32_t *led_open;
    struct kernel_func **funcs;
    unsigned func_count;
    const unsigned *func_of; /* function of the module -> index of funcs, or NO_REF */
    unsigned module_func_count;
    struct call_site *calls;
    unsigned call_count;
    struct matrix_multiply *matrices;
    unsigned matrix_count;
    uint32_t *
        points; /* lists of reconvergence points, code indices of ENTERs, each ended by NO_PC; a
                   branch's `points` is where its own begins. ENTER's d is its rank among points. */
    unsigned point_count;
    uint32_t **tables; /* of brx.idx: code indices; tables[k][0] is the length */
    unsigned table_count;
    struct kernel_param *params;
    unsigned param_count;
    uint32_t param_bytes;
    uint32_t static_shared_bytes;
    uint32_t shared_align, dynamic_shared_offset;
    struct shared_variable *shared_variables; /* static ones by offset, then dynamic ones */
    unsigned shared_variable_count;
    bool uses_workspace;    /* of a cooperative grid: it may call grid.sync() */
    bool shares_memory;     /* other blocks, or the bulk engine, work on its shared memory */
    bool multiplies_shared; /* wgmma reads its shared memory */
    bool uses_cluster;      /* looks at the registers of clusters */
    bool uses_reserved;     /* the 1 KB that the system keeps: cooperative groups use it */
    bool recursive;         /* call depth is not bounded by the text */
    bool uses_stack;        /* one of its functions has alloca */
    uint32_t stack_bytes;   /* register frames of the deepest call chain */
    uint32_t local_bytes;   /* per lane, of the deepest call chain */
    unsigned max_registers; /* 32-bit registers of the entry, estimated, */
    bool exact_registers;   /* or as ptxas gives them */
    const struct led_ahead *led_ahead; /* see led_open */
};

/* The instruction that a code index executes; NULL: none, it is where a block is entered. */
static inline const struct ptx_insn *kernel_executes(const struct kernel *k, uint32_t pc)
{
    return k->handlers[pc]->kind == KIND_ENTER ? NULL : k->origin[pc];
}

/* The i-th PTX instruction of the basic block whose ENTER is at code index pc; i < site_info.count.
 */
const struct ptx_insn *kernel_block_insn(const struct kernel *k, uint32_t pc, uint32_t i);

/* Special registers that a warp keeps as 32 lanes of u32, at SPECIAL_x * 128 of REF_SPECIAL. */
enum special {
    SPECIAL_TID_X,
    SPECIAL_TID_Y,
    SPECIAL_TID_Z,
    SPECIAL_NTID_X,
    SPECIAL_NTID_Y,
    SPECIAL_NTID_Z,
    SPECIAL_CTAID_X,
    SPECIAL_CTAID_Y,
    SPECIAL_CTAID_Z,
    SPECIAL_NCTAID_X,
    SPECIAL_NCTAID_Y,
    SPECIAL_NCTAID_Z,
    SPECIAL_LANEID,
    SPECIAL_WARPID,
    SPECIAL_NWARPID,
    SPECIAL_SMID,
    SPECIAL_NSMID,
    SPECIAL_GRIDID,
    SPECIAL_LANEMASK_EQ,
    SPECIAL_LANEMASK_LT,
    SPECIAL_LANEMASK_LE,
    SPECIAL_LANEMASK_GT,
    SPECIAL_LANEMASK_GE,
    SPECIAL_DYNAMIC_SHARED,
    SPECIAL_TOTAL_SHARED,
    SPECIAL_AGGREGATE_SHARED,
    SPECIAL_WORKSPACE_LOW,
    SPECIAL_WORKSPACE_HIGH,
    SPECIAL_RESERVED_0,
    SPECIAL_RESERVED_1,
    SPECIAL_RESERVED_END,
    SPECIAL_RESERVED_SIZE,
    SPECIAL_CLUSTERID_X, /* from here on: filled where a kernel looks at one of them */
    SPECIAL_CLUSTERID_Y,
    SPECIAL_CLUSTERID_Z,
    SPECIAL_NCLUSTERID_X,
    SPECIAL_NCLUSTERID_Y,
    SPECIAL_NCLUSTERID_Z,
    SPECIAL_CLUSTER_CTAID_X,
    SPECIAL_CLUSTER_CTAID_Y,
    SPECIAL_CLUSTER_CTAID_Z,
    SPECIAL_CLUSTER_NCTAID_X,
    SPECIAL_CLUSTER_NCTAID_Y,
    SPECIAL_CLUSTER_NCTAID_Z,
    SPECIAL_CLUSTER_CTARANK,
    SPECIAL_CLUSTER_NCTARANK,
    SPECIAL_IS_EXPLICIT,
    SPECIAL_COUNT,
    SPECIAL_NO_SLOT = SPECIAL_COUNT /* a clock */
};

#endif
