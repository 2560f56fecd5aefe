/* unroll.h - what unroll.c, which finds the loops, and unroll_code.c, which writes their code,
 * share. */
#ifndef SIMT_UNROLL_H
#define SIMT_UNROLL_H

#include "ptxas/passes.h"

/* for (...; c COMPARE bound; c += step), of blocks in a row; unroll_body.c tells of which */
struct counted_loop {
    uint32_t first, last; /* instructions, the branch included */
    const char *label;
    uint32_t add, compare;
    struct ptx_operand counter, bound; /* of the comparison, */
    bool turned;                       /* which names the bound first */
    enum ptx_type type;                /* that the comparison is made in */
    int64_t step;
    bool before;     /* it is made of the counter as it was before its step */
    bool by_four;    /* nvcc would have unrolled it, LLVM has not: see find_fours() */
    bool rest_first; /* then nvcc's rounds that are no four come first */
    bool fours_fit;  /* and ptxas would unroll nvcc's loop of four rounds */
};

struct unroller {
    struct function_ir *ir; /* as it was, until all is appended */
    struct ir_insn *insns;
    struct ir_label *labels;
    uint32_t insn_count, label_count;
    unsigned insn_capacity, label_capacity, loops;
    unsigned copy; /* of the body of a loop, from 1; 0: the last one */
    struct ptx_operand wide_count, wide_bound, enough; /* registers of our own */
};

static inline const struct ptx_insn *unroll_text(const struct function_ir *ir, uint32_t insn)
{
    return ir->insns[insn].text;
}

static inline struct arena *unroll_arena(const struct unroller *u) { return u->ir->context->keep; }

/* Of the type that a counter is compared in. */
static inline bool unroll_is_unsigned(enum ptx_type t) { return t == PTX_U32 || t == PTX_U64; }

/* unroll_body.c: may ptxas repeat what stands in the loop, and is it small enough? */
bool unroll_body_may_be_repeated(const struct function_ir *ir, const struct counted_loop *loop);
/* Would a loop of four of its rounds be small enough? */
bool unroll_fours_fit(const struct function_ir *ir, const struct counted_loop *loop);
/* The only instruction of the loop that writes the register, if it has no guard; else IR_NONE. */
uint32_t unroll_writer(const struct function_ir *ir, const struct counted_loop *loop, uint32_t reg);
/* Does the instruction stand under an if? */
bool unroll_is_in_arm(const struct function_ir *ir, const struct counted_loop *loop, uint32_t insn);
bool unroll_is_register(const struct ptx_operand *o, uint32_t reg);

/* unroll_code.c */
void unroll_append(struct unroller *u, const struct ptx_insn *text);
/* An instruction of the function, with what the passes before have found of it. */
void unroll_append_same(struct unroller *u, uint32_t insn);
void unroll_append_label(struct unroller *u, const char *name);
/* The loop, unrolled, in place of its instructions. */
void unroll_append_loop(struct unroller *u, const struct counted_loop *loop);

#endif
