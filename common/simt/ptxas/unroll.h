/* unroll.h - what unroll.c, which finds the loops, unroll_nvcc.c, which knows what nvcc would have
 * made of them, and unroll_code.c, which writes their code, share. */
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
    bool by_four;    /* nvcc would have unrolled it, LLVM has not: see unroll_find_fours() */
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
/* The label of that name, or NULL. */
const struct ir_label *unroll_label_of(const struct function_ir *ir, const char *name);

/* unroll_nvcc.c: is it LLVM's code, which is not nvcc's? */
bool unroll_is_llvms(const struct function_ir *ir, const struct counted_loop *loop);
/* Does the counter begin at numbers, as far as it is written before `end`, and at one below 0? */
bool unroll_begins_at_number(const struct function_ir *ir, const struct counted_loop *loop,
                             uint32_t end, bool *below_zero);
/* Would nvcc write the end of the loop so that ptxas sees no counter? */
bool unroll_is_compared_as_sum(const struct function_ir *ir, const struct counted_loop *loop);
/* Would nvcc unroll it four times? Sets by_four and what belongs to it. */
void unroll_find_fours(const struct function_ir *ir, struct counted_loop *loop);

/* unroll_code.c */
void unroll_append(struct unroller *u, const struct ptx_insn *text);
/* An instruction of the function, with what the passes before have found of it. */
void unroll_append_same(struct unroller *u, uint32_t insn);
void unroll_append_label(struct unroller *u, const char *name);
/* The loop, unrolled, in place of its instructions. */
void unroll_append_loop(struct unroller *u, const struct counted_loop *loop);

#endif
