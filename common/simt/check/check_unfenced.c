/* check_unfenced.c - products of a warpgroup (wgmma.mma_async) whose registers were written without
 * wgmma.fence behind it: a product may begin before an earlier instruction of its warp has stored a
 * sum or an element of A. Sums of an earlier product of the same shape need no fence.
 *
 * Of each register of a warp it is known whether its value comes from a load of shared or global
 * memory, or from a product, that the warp has executed since its latest fence. Anything else may
 * stand behind the fence because a compiler has moved it there: computing from older values is no
 * part of what an `asm volatile` keeps in order. So that counts as written before the fence. A copy
 * counts as written where its source was; what comes from the stack, as not written at all.
 */
#include "check/check_state.h"

#include "base/demangle.h"
#include "base/room.h"
#include "ir/ir.h"
#include "watch/describe_access.h"

#include <stdio.h>
#include <stdlib.h>

struct writer {
    uint32_t fences; /* that the warp had executed, counted from 1; 0: nothing to be fenced */
    uint32_t pc;
    bool product;
};

struct unfenced_warp {
    struct writer **of; /* per function of the kernel and register; NULL: it has not run yet */
    uint32_t fences;
};

struct unfenced_state {
    struct unfenced_warp *warps;
    unsigned warp_count, func_count;
};

void unfenced_block_free(struct checked_block *own)
{
    struct unfenced_state *s = own->unfenced;
    for (unsigned i = 0; s != NULL && i < s->warp_count; i++) {
        for (unsigned f = 0; f < s->func_count; f++) {
            free(s->warps[i].of[f]);
        }
        free(s->warps[i].of);
    }
    if (s != NULL) {
        free(s->warps);
        free(s);
        own->unfenced = NULL;
    }
}

void unfenced_block_begin(struct checked_block *own, const struct block *b)
{
    unfenced_block_free(own);
    if (!b->kernel->multiplies_shared) {
        return;
    }
    struct unfenced_state *s = own->unfenced = room_new(1, sizeof *s);
    s->warp_count = b->warp_count;
    s->func_count = b->kernel->func_count;
    s->warps = room_new(s->warp_count, sizeof *s->warps);
    for (unsigned i = 0; i < s->warp_count; i++) {
        s->warps[i].of = room_new(s->func_count, sizeof *s->warps[i].of);
        s->warps[i].fences = 1;
    }
}

/* --- findings --------------------------------------------------------------------------------- */

struct product {
    struct check *check;
    const struct warp *w;
    uint32_t pc;
    lane_mask lanes;
};

/* what: of the product, up to its line; between: what happened, and why it matters. */
static void tell(const struct product *p, const char *what, const char *between, const char *cure,
                 uint32_t other)
{
    static const uint64_t mark = 0xc8; /* no number of another check */
    struct check *c = p->check;
    const struct kernel *k = c->launch.kernel;
    const uint64_t key = k->serial << 8 | mark;
    if (findings_count(c->findings, key, p->pc, other)) {
        return;
    }
    char kernel[256], line[256], who[96], identity[900], text[1536];
    demangle_signature(k->name, kernel, sizeof kernel);
    describe_line_of(k, p->pc, line, sizeof line);
    describe_thread(c->launch.launch, (uint32_t)p->w->block->number,
                    p->w->number * WARP_LANES + first_lane(p->lanes), who, sizeof who);
    snprintf(identity, sizeof identity, "unfenced %s|%s|%s", kernel, line, between);
    snprintf(text, sizeof text,
             "simt: race in kernel %s: %swgmma.mma_async at %s by %s: %s. Cure: %s", kernel, what,
             line, who, between, cure);
    findings_add(c->findings, key, p->pc, other, identity, text);
}

static void tell_register(const struct product *p, const struct writer *by, bool sum)
{
    char line[256], between[512];
    describe_line_of(p->check->launch.kernel, by->pc, line, sizeof line);
    snprintf(between, sizeof between,
             "written at %s%s, and no wgmma.fence between: the product may begin before that", line,
             by->product ? " by a product of another shape" : "");
    tell(p, sum ? "a register with a sum of " : "a register with an element of A of ", between,
         "wgmma.fence.sync.aligned between the two", by->pc);
}

/* --- what the warp does ----------------------------------------------------------------------- */

static struct writer *writers_of(struct unfenced_warp *u, uint32_t func, uint32_t registers)
{
    if (u->of[func] == NULL) {
        u->of[func] = room_new(registers + 1u, sizeof **u->of);
    }
    return u->of[func];
}

static bool same_shape(const struct kernel *k, uint32_t a, uint32_t b)
{
    const struct warpgroup_multiply *x = k->code[a].warpgroup, *y = k->code[b].warpgroup;
    return x->n == y->n && x->k == y->k && x->d == y->d;
}

static void judge(const struct product *p, const struct unfenced_warp *u, const struct writer *by,
                  bool sum)
{
    const struct kernel *k = p->w->block->kernel;
    if (by->fences == u->fences && !(by->product && sum && same_shape(k, by->pc, p->pc))) {
        tell_register(p, by, sum);
    }
}

static void multiply(const struct product *p, struct unfenced_warp *u, struct writer *writers,
                     const struct function_ir *ir, uint32_t insn)
{
    const struct ir_regs sums = ir_written(ir, insn);
    const struct ptx_operand elements = products_elements_of(ir, insn);
    if (u->fences == 1) {
        tell(p, "", "no wgmma.fence before the first product of its warp",
             "wgmma.fence.sync.aligned before the product", p->pc);
    }
    for (unsigned i = 0; i < elements.item_count; i++) {
        if (elements.items[i].reg != PTX_NO_REG) {
            judge(p, u, &writers[elements.items[i].reg], false);
        }
    }
    for (unsigned i = 0; i < sums.count; i++) {
        judge(p, u, &writers[sums.reg[i]], true);
        writers[sums.reg[i]] = (struct writer){u->fences, p->pc, true};
    }
}

/* Of what is read, that which a fence must follow, if there is any. */
static struct writer unfenced_source(const struct unfenced_warp *u, const struct writer *writers,
                                     struct ir_regs read)
{
    struct writer found = {0};
    for (unsigned i = 0; i < read.count; i++) {
        found = writers[read.reg[i]].fences == u->fences ? writers[read.reg[i]] : found;
    }
    return found;
}

/* No compiler moves it past a fence. The stack, and what is read only, are not meant. */
static bool loads(const struct function_ir *ir, uint32_t insn)
{
    const struct ptx_insn *text = ir->insns[insn].text;
    const enum op_memory memory = ir_info(ir, insn)->memory;
    const enum ptx_space space = ir_access_of(text).space;
    return (memory == MEMORY_READS || memory == MEMORY_UPDATES) &&
           (space == PTX_GLOBAL || space == PTX_SHARED) && !ptx_has_modifier(text, WORD_NC);
}

static void note_writer(const struct unfenced_warp *u, struct writer *writers,
                        const struct function_ir *ir, uint32_t insn, uint32_t pc)
{
    struct writer by = {u->fences, pc, false};
    if (!loads(ir, insn)) {
        const struct writer source = unfenced_source(u, writers, ir_read(ir, insn));
        by.fences = source.fences;
        by = ir_op(ir, insn) == PTX_OP_MOV ? source : by;
    }
    if (ir_op(ir, insn) == PTX_OP_LD && !loads(ir, insn)) {
        by.fences = 0;
    }
    const struct ir_regs written = ir_written(ir, insn);
    for (unsigned i = 0; i < written.count; i++) {
        writers[written.reg[i]] = by;
    }
}

/* Of wgmma without a product. */
static bool is_fence(const struct ptx_insn *i)
{
    return !ptx_has_modifier(i, WORD_COMMIT_GROUP) && !ptx_has_modifier(i, WORD_WAIT_GROUP);
}

void unfenced_step(struct check *c, struct checked_block *own, const struct warp *w, uint32_t pc,
                   lane_mask lanes)
{
    const struct kernel *k = w->block->kernel;
    const struct code_source source = k->source[pc];
    if (own->unfenced == NULL || lanes == 0 || source.insn == NO_REF) {
        return;
    }
    struct unfenced_warp *u = &own->unfenced->warps[w->number];
    const struct function_ir *ir = k->funcs[source.func]->ir;
    struct writer *writers = writers_of(u, source.func, ir->reg_count);
    if (ir_op(ir, source.insn) != PTX_OP_WGMMA) {
        note_writer(u, writers, ir, source.insn, pc);
    } else if (k->code[pc].warpgroup != NULL) {
        multiply(&(struct product){c, w, pc, lanes}, u, writers, ir, source.insn);
    } else if (is_fence(ir->insns[source.insn].text)) {
        u->fences++;
    }
}
