/* yield.c - loops in which lanes wait for others: for a lock, for a compare-and-swap that succeeds,
 * for a flag.
 *
 * Machine code has YIELD in a loop if one of its ways out depends on what an atomic or a strong
 * load in it has brought. Lanes that have executed YIELD are waited for nowhere: who leaves the
 * loop goes on at once, and so do lanes that wait for it elsewhere. They meet again at a barrier of
 * the block or of the warp only. tests/fidelity/README.md tells how the rule was found. */
#include "ptxas/passes.h"

struct search {
    struct function_ir *ir;
    const struct flow *f;
    unsigned loop;
    bool *depends; /* per register: on what an atomic or a strong load of the loop has brought */
    bool changed;
};

static void mark(struct search *s, uint32_t reg)
{
    s->changed |= !s->depends[reg];
    s->depends[reg] = true;
}

static bool brings_others(const struct function_ir *ir, uint32_t insn)
{
    const struct ptx_insn *in = ir->insns[insn].text;
    return in->op == PTX_OP_ATOM ||
           (in->op == PTX_OP_LD &&
            (ptx_has_modifier(in, WORD_VOLATILE) || ptx_has_modifier(in, WORD_RELAXED) ||
             ptx_has_modifier(in, WORD_ACQUIRE) || ptx_has_modifier(in, WORD_MMIO)));
}

static bool reads_dependent(const struct search *s, uint32_t insn)
{
    const struct ir_regs r = ir_read(s->ir, insn);
    for (unsigned k = 0; k < r.count; k++) {
        if (s->depends[r.reg[k]]) {
            return true;
        }
    }
    return false;
}

static void follow_values(struct search *s, uint32_t block)
{
    for (uint32_t i = s->ir->blocks[block].first; i < s->ir->blocks[block].end; i++) {
        const struct ir_regs w = ir_written(s->ir, i);
        if (w.count > 0 && (brings_others(s->ir, i) || reads_dependent(s, i))) {
            for (unsigned k = 0; k < w.count; k++) {
                mark(s, w.reg[k]);
            }
        }
    }
}

/* Which way a branch went shows in registers that are written elsewhere, too. */
static void follow_arm(struct search *s, unsigned arm)
{
    const struct flow_loop *loop = &s->f->loops[s->loop];
    for (unsigned k = 0; k < loop->size; k++) {
        const unsigned b = loop->blocks[k];
        if (!flow_dominates(s->f, arm, b)) {
            continue;
        }
        for (uint32_t i = s->ir->blocks[b].first; i < s->ir->blocks[b].end; i++) {
            const struct ir_regs w = ir_written(s->ir, i);
            for (unsigned r = 0; r < w.count; r++) {
                if (s->ir->regs[w.reg[r]].writer_count > 1) {
                    mark(s, w.reg[r]);
                }
            }
        }
    }
}

static bool is_choice(const struct search *s, unsigned block)
{
    return s->f->blocks[block].successor_count > 1;
}

static bool depends(const struct search *s, unsigned block)
{
    return is_choice(s, block) && reads_dependent(s, s->ir->blocks[block].end - 1);
}

static bool leaves_loop(const struct search *s, unsigned to)
{
    return to == FLOW_EXIT || !flow_in_loop(s->f, s->loop, to);
}

static void follow_branch(struct search *s, unsigned block)
{
    const struct flow_block *from = &s->f->blocks[block];
    for (unsigned k = 0; depends(s, block) && k < from->successor_count; k++) {
        const unsigned to = from->successors[k];
        if (!leaves_loop(s, to) && s->f->preds[to].successor_count == 1) {
            follow_arm(s, to);
        }
    }
}

/* Does the block's branch lead out of the loop? */
static bool is_exit(const struct search *s, unsigned block)
{
    bool leaves = false;
    for (unsigned k = 0; k < s->f->blocks[block].successor_count; k++) {
        leaves |= leaves_loop(s, s->f->blocks[block].successors[k]);
    }
    return leaves && is_choice(s, block);
}

static bool yields(struct search *s)
{
    const struct flow_loop *loop = &s->f->loops[s->loop];
    bool found = false;
    for (s->changed = true; s->changed;) {
        s->changed = false;
        for (unsigned k = 0; k < loop->size; k++) {
            follow_values(s, loop->blocks[k]);
            follow_branch(s, loop->blocks[k]);
        }
    }
    for (unsigned k = 0; k < loop->size; k++) {
        found |= is_exit(s, loop->blocks[k]) && depends(s, loop->blocks[k]);
    }
    return found;
}

static bool has_others(const struct search *s)
{
    const struct flow_loop *loop = &s->f->loops[s->loop];
    for (unsigned k = 0; k < loop->size; k++) {
        const struct ir_block *b = &s->ir->blocks[loop->blocks[k]];
        for (uint32_t i = b->first; i < b->end; i++) {
            if (brings_others(s->ir, i)) {
                return true;
            }
        }
    }
    return false;
}

static void mark_loop(const struct search *s, uint8_t *yields)
{
    const struct flow_loop *loop = &s->f->loops[s->loop];
    yields[loop->head] |= YIELDS_HEAD;
    for (unsigned k = 0; k < loop->size; k++) {
        const unsigned b = loop->blocks[k];
        const uint32_t target = s->ir->insns[s->ir->blocks[b].end - 1].target;
        if (target != IR_NONE && is_exit(s, b)) {
            yields[b] |= YIELDS_EXIT;
            yields[b] |= leaves_loop(s, target) ? YIELDS_TO_TARGET : 0;
        }
    }
}

bool pass_yield(struct function_ir *ir)
{
    struct arena *a = ir->context->scratch;
    const struct flow f = flow_of(a, ir->edges, ir->block_count);
    struct search s = {.ir = ir, .f = &f};
    ir->reconvergence.yields = arena_alloc(a, ir->block_count * sizeof *ir->reconvergence.yields);
    for (s.loop = 0; s.loop < f.loop_count; s.loop++) {
        if (has_others(&s)) {
            s.depends = arena_alloc(a, (ir->reg_count + 1) * sizeof *s.depends);
            if (yields(&s)) {
                mark_loop(&s, ir->reconvergence.yields);
            }
        }
    }
    return true;
}
