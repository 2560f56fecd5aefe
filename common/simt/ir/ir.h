/* ir.h - one function as the passes and the decoder see it: registers by number, what each
 * instruction reads and writes, who writes and reads each register, basic blocks and where they
 * lead.
 *
 * ir_build() makes it from a parsed function; the passes (ptxas/passes.h) leave their results in
 * it; the decoder makes it executable. It lives as long as the kernel, so that observers can ask
 * what an instruction is: kernel.h tells which one a code index comes from.
 *
 *     for (i = 0; i < ir->insn_count; i++)
 *         struct ir_regs r = ir_read(ir, i), w = ir_written(ir, i);  // r.reg[0 .. r.count)
 *         ir->regs[r.reg[0]].name                                    // "%r12", for messages
 *
 * Instructions are numbered in the order of the text. A pass that changes code (unrolling) makes
 * new instructions, and everything here is found anew. */
#ifndef SIMT_IR_H
#define SIMT_IR_H

#include "base/err.h"
#include "ir/flow.h"
#include "base/names.h"
#include "ir/ops.h"

#define IR_NONE 0xffffffffu

/* What only the layers above know, and what messages name. */
struct ir_context {
    const struct ptx_module *module;
    const char *kernel; /* mangled name */
    struct err *e;
    struct arena *keep;    /* as long as the kernel: the IR itself */
    struct arena *scratch; /* working memory, until the kernel is decoded */
    /* Where a variable of shared or module memory lies, or a kernel's parameter; false: nobody
     * knows. */
    bool (*address)(void *state, const char *name, uint64_t *address);
    void *state;
};

/* An access to memory: of an instruction whose class is CLASS_MEMORY. */
struct ir_access {
    enum ptx_space space;
    enum ptx_type type;                /* of one element; PTX_NO_TYPE: the instruction names none */
    unsigned elements;                 /* 1, 2 or 4 */
    bool is_volatile;                  /* .volatile was written */
    const struct ptx_operand *address; /* NULL: it has none, cp.async.wait_all */
};

/* What ptxas makes of an atomic (ptxas/atomics.c). */
enum ir_atomic {
    ATOMIC_UNREAD = 1 << 0,       /* nobody reads its result */
    ATOMIC_ADDED_UP = 1 << 1,     /* the warp adds up first, and one lane goes to memory for all */
    ATOMIC_ADDED_IF_FULL = 1 << 2 /* the same, but only if all 32 lanes take part */
};

struct ir_insn {
    const struct ptx_insn *text; /* its opcode, modifiers, operands, guard and source line */
    uint32_t refs;          /* registers written, then read: ir->refs[refs ..), see ir_written() */
    uint16_t written, read; /* how many */
    uint32_t block;
    uint32_t target; /* of a branch: the block it goes to; else IR_NONE */
    uint8_t atomic;  /* enum ir_atomic */
    /* Of a sum that is joined with a product (ptxas/contract.c): how many instructions before it
     * that product stands; else 0. */
    uint32_t product_before;
};

struct ir_reg {
    const char *name; /* for messages */
    struct ptx_variable variable;
    enum ptx_type type;
    uint32_t first_writer, writer_count; /* instructions: ir->writers[first_writer ..), ascending */
    uint32_t first_reader,
        reader_count; /* the same, of ir->readers; twice where it is read twice */
};

struct ir_label {
    const char *name;
    uint32_t insn;  /* the instruction that follows */
    bool no_unroll; /* the compiler asks that its loop be left as it is */
};

struct ir_block {
    uint32_t first, end; /* instructions first .. end - 1 */
};

/* How an access of shared memory is counted (ptxas/merge.c). bytes 0: as it is. Else as one access
 * of `bytes` per lane that starts `shift` bytes below the lane's own address. silent: not at all,
 * another one carries the cost. */
struct ir_merge {
    uint8_t bytes, shift;
    bool silent;
};

/* What a block is to a loop in which lanes wait for others (ptxas/yield.c). */
enum ir_yield {
    YIELDS_HEAD = 1 << 0,     /* its head, where they let the others take their turn */
    YIELDS_EXIT = 1 << 1,     /* its branch leads out of the loop: who leaves waits for nobody */
    YIELDS_TO_TARGET = 1 << 2 /* and its target is what is not in the loop */
};

/* Where lanes that part at a branch come together (ptxas/reconverge.c); blocks, NULL before that.
 */
struct ir_reconvergence {
    unsigned *
        first; /* block -> index in points[] of its branch's first point; block_count + 1 entries */
    unsigned *points; /* of each branch the outermost (last) point first; a loop's head stands for
                         the end of the loop's round */
    unsigned *rank;   /* block -> its rank as a point: lanes come to lower ranks first */
    bool *leaving;    /* block -> it only leaves the function */
    uint8_t *yields;  /* block -> enum ir_yield; NULL: no such loop */
};

struct function_ir {
    const struct ir_context *context;
    const struct ptx_func *func;
    struct ir_insn *insns;
    struct ir_reg *regs;
    struct ir_label *labels;
    uint32_t insn_count, reg_count, label_count;

    uint32_t *refs, *writers, *readers;
    struct ir_block *blocks;  /* the last one is empty: the end of the function */
    struct flow_block *edges; /* block -> the blocks it leads to, and FLOW_EXIT */
    uint32_t block_count;
    struct names label_of; /* label -> index of labels[] */

    /* What the passes found. */
    bool *uniform; /* per register: the same in all lanes of a warp, whenever it is read */
    struct ir_merge *merges; /* per instruction */
    struct ir_reconvergence reconvergence;
    unsigned registers;  /* 32-bit registers that are live at once; of an entry function alone */
    unsigned saved;      /* words that a function which calls others keeps on its stack meanwhile */
    uint32_t *undefined; /* registers that some way through the function reads, and never wrote */
    unsigned undefined_count;
};

/* NULL after a rejection: context->e says why. */
struct function_ir *ir_build(const struct ir_context *context, const struct ptx_func *func);
/* After a pass has replaced insns, labels or regs: finds references, blocks and edges anew. */
bool ir_analyse(struct function_ir *ir);

/* Drops what does not outlive the decoder: context, labels' names, reconvergence. */
void ir_finish(struct function_ir *ir);

/* "kernel k at x.cu:12 (PTX line 80): mma.sync is not supported: WHY"; code SIMT_NOT_SUPPORTED. */
bool ir_reject(const struct ir_context *context, const struct ptx_insn *in, const char *why, ...)
    __attribute__((format(printf, 3, 4)));

/* --- what an instruction does ----------------------------------------------------------------- */

struct ir_regs {
    const uint32_t *reg;
    unsigned count;
};

static inline enum ptx_op ir_op(const struct function_ir *ir, uint32_t insn)
{
    return ir->insns[insn].text->op;
}

static inline const struct op_info *ir_info(const struct function_ir *ir, uint32_t insn)
{
    return &op_table[ir_op(ir, insn)];
}

static inline struct ir_regs ir_written(const struct function_ir *ir, uint32_t insn)
{
    const struct ir_insn *in = &ir->insns[insn];
    return (struct ir_regs){ir->refs + in->refs, in->written};
}

/* Its sources, address registers and guard. */
static inline struct ir_regs ir_read(const struct function_ir *ir, uint32_t insn)
{
    const struct ir_insn *in = &ir->insns[insn];
    return (struct ir_regs){ir->refs + in->refs + in->written, in->read};
}

bool ir_writes(const struct function_ir *ir, uint32_t insn, uint32_t reg);
/* The one instruction that writes the register; IR_NONE: several, none, or one under a guard. */
uint32_t ir_only_writer(const struct function_ir *ir, uint32_t reg);
/* Space, type and address; .address is NULL where the instruction has none. */
struct ir_access ir_access_of(const struct ptx_insn *in);
/* The last type that the modifiers name (of `cvt.rn.f32.s32` s32); PTX_NO_TYPE: none. */
enum ptx_type ir_type_of(const struct ptx_insn *in);
/* A call through a register: nobody knows whom it calls. */
bool ir_is_indirect_call(const struct ptx_insn *in);
/* Machine code has no such instruction, but a function for its hard cases: exact division, square
 * root and reciprocal of floats, division of integers of 64 bits. */
bool ir_becomes_call(const struct ptx_insn *in);
/* Does its machine code have a branch, or an end, that some lanes of a warp take and others do not?
 */
bool ir_may_part(const struct ptx_insn *in);
/* The guard in front of a convergent instruction becomes a branch around it. */
bool ir_is_skipped_over(const struct ptx_insn *in);

/* The .branchtargets of a brx.idx; NULL: they are not declared. */
const struct ptx_targets *ir_targets(const struct function_ir *ir, const struct ptx_insn *in);
/* The block that begins at the label; IR_NONE: there is none of that name. */
uint32_t ir_label_block(const struct function_ir *ir, const char *name);

#endif
