/* check_products.c - registers that a product of a warpgroup (wgmma.mma_async) computes or reads
 * behind the instruction: accumulators that are touched, and elements of A that are overwritten,
 * before wgmma.wait_group.
 *
 * Each warp has a list of such registers. Compilers move values between registers where ptxas
 * leaves them in one: a copy of an accumulator is one of the list, and only what computes with it,
 * stores it or overwrites the accumulator itself is reported. Another wgmma.mma_async may add to an
 * accumulator at once. */
#include "check/check_state.h"

#include "base/demangle.h"
#include "base/room.h"
#include "ir/ir.h"
#include "watch/describe_access.h"

#include <stdio.h>
#include <stdlib.h>

enum pending_kind { PENDING_SUM, PENDING_COPY, PENDING_OPERAND };

struct pending {
    uint32_t func, reg; /* of the kernel, of its function */
    uint32_t pc;        /* of the product */
    uint32_t group;
    enum pending_kind kind;
};

struct product_warp {
    struct pending *list;
    unsigned count, room;
    uint32_t committed; /* groups */
};

struct product_state {
    struct product_warp *warps;
    unsigned warp_count;
};

void products_block_free(struct checked_block *own)
{
    struct product_state *s = own->products;
    for (unsigned i = 0; s != NULL && i < s->warp_count; i++) {
        free(s->warps[i].list);
    }
    if (s != NULL) {
        free(s->warps);
        free(s);
        own->products = NULL;
    }
}

void products_block_begin(struct checked_block *own, const struct block *b)
{
    products_block_free(own);
    if (b->kernel->multiplies_shared) {
        own->products = room_new(1, sizeof *own->products);
        own->products->warps = room_new(b->warp_count, sizeof *own->products->warps);
        own->products->warp_count = b->warp_count;
    }
}

/* --- the list --------------------------------------------------------------------------------- */

static struct pending *find(struct product_warp *p, uint32_t func, uint32_t reg)
{
    for (unsigned i = 0; i < p->count; i++) {
        if (p->list[i].func == func && p->list[i].reg == reg) {
            return &p->list[i];
        }
    }
    return NULL;
}

static void forget(struct product_warp *p, struct pending *which) { *which = p->list[--p->count]; }

static void add(struct product_warp *p, struct pending what)
{
    struct pending *known = find(p, what.func, what.reg);
    if (known == NULL) {
        ROOM_FOR_ONE(p->list, p->count, p->room, 64);
        known = &p->list[p->count++];
    }
    *known = what;
}

static const struct function_ir *code_of(const struct kernel *k, uint32_t pc, uint32_t *insn)
{
    const struct code_source source = k->source[pc];
    *insn = source.insn;
    return source.insn == NO_REF ? NULL : k->funcs[source.func]->ir;
}

struct ptx_operand products_elements_of(const struct function_ir *ir, uint32_t insn)
{
    const struct ptx_insn *text = ir->insns[insn].text;
    const bool product = text->operand_count > 2;
    return product && text->operands[1].kind == PTX_OPERAND_VECTOR ? text->operands[1]
                                                                   : (struct ptx_operand){0};
}

static void begin(struct product_warp *p, const struct kernel *k, uint32_t pc)
{
    uint32_t insn;
    const struct function_ir *ir = code_of(k, pc, &insn);
    const struct ir_regs sums = ir_written(ir, insn);
    const struct ptx_operand elements = products_elements_of(ir, insn);
    struct pending one = {.func = k->source[pc].func, .pc = pc, .group = p->committed};
    for (unsigned i = 0; i < elements.item_count; i++) {
        one.kind = PENDING_OPERAND;
        one.reg = elements.items[i].reg;
        if (one.reg != PTX_NO_REG) {
            add(p, one);
        }
    }
    for (unsigned i = 0; i < sums.count; i++) {
        one.kind = PENDING_SUM;
        one.reg = sums.reg[i];
        add(p, one);
    }
}

static void wait_for(struct product_warp *p, uint64_t left)
{
    for (unsigned i = p->count; i-- > 0;) {
        if (p->list[i].group + left < p->committed) {
            forget(p, &p->list[i]);
        }
    }
}

void products_event(struct checked_block *own, const struct warp *w, uint32_t pc,
                    const struct bulk_event *e)
{
    if (own == NULL || own->products == NULL) {
        return;
    }
    struct product_warp *p = &own->products->warps[w->number];
    if (e->kind == PRODUCT_BEGINS) {
        begin(p, w->block->kernel, pc);
    } else if (e->kind == PRODUCT_COMMITS) {
        p->committed++;
    } else if (e->kind == PRODUCT_WAITS) {
        wait_for(p, e->bytes);
    }
}

/* --- findings --------------------------------------------------------------------------------- */

static void report(struct check *c, const struct warp *w, const struct pending *p, uint32_t pc,
                   bool writes, unsigned lane)
{
    static const uint64_t mark = 0xc0; /* no number of another check */
    const struct kernel *k = c->launch.kernel;
    static const struct {
        const char *what, *use;
    } roles[] = {{"an element of A", "reading"}, {"a sum", "computing"}};
    const bool sum = p->kind != PENDING_OPERAND;
    const uint64_t key = k->serial << 8 | mark | (uint64_t)writes << 1 | sum;
    if (findings_count(c->findings, key, pc, p->pc)) {
        return;
    }
    char kernel[256], line[256], product[256], who[96], identity[900], text[1536];
    demangle_signature(k->name, kernel, sizeof kernel);
    describe_line_of(k, pc, line, sizeof line);
    describe_line_of(k, p->pc, product, sizeof product);
    describe_thread(c->launch.launch, (uint32_t)w->block->number, w->number * WARP_LANES + lane,
                    who, sizeof who);
    snprintf(identity, sizeof identity, "product %s|%s|%s|%d", kernel, line, product,
             (int)(key & 3u));
    snprintf(
        text, sizeof text,
        "simt: race in kernel %s: a register with %s of wgmma.mma_async at %s: %s at %s by %s: "
        "the product may still be %s it. Cure: wgmma.commit_group behind the product, and "
        "wgmma.wait_group before the register is used",
        kernel, roles[sum].what, product, writes ? "written" : "read", line, who, roles[sum].use);
    findings_add(c->findings, key, pc, p->pc, identity, text);
}

/* --- what the warp does ----------------------------------------------------------------------- */

static void read_by_product(struct check *c, struct product_warp *p, const struct warp *w,
                            const struct function_ir *ir, uint32_t insn, uint32_t pc, unsigned lane)
{
    const struct ptx_operand elements = products_elements_of(ir, insn);
    for (unsigned i = 0; i < elements.item_count; i++) {
        const struct pending *one =
            find(p, w->block->kernel->source[pc].func, elements.items[i].reg);
        if (one != NULL && one->kind != PENDING_OPERAND) {
            report(c, w, one, pc, false, lane);
        }
    }
}

/* The product whose sum the instruction reads; kind PENDING_OPERAND: none. */
static struct pending read_sum(struct product_warp *p, uint32_t func, struct ir_regs read)
{
    for (unsigned i = 0; i < read.count; i++) {
        const struct pending *one = find(p, func, read.reg[i]);
        if (one != NULL && one->kind != PENDING_OPERAND) {
            return *one;
        }
    }
    return (struct pending){.kind = PENDING_OPERAND};
}

void products_step(struct check *c, struct checked_block *own, const struct warp *w, uint32_t pc,
                   lane_mask lanes)
{
    uint32_t insn;
    if (own->products == NULL || own->products->warps[w->number].count == 0 || lanes == 0) {
        return;
    }
    struct product_warp *p = &own->products->warps[w->number];
    const struct kernel *k = w->block->kernel;
    const struct function_ir *ir = code_of(k, pc, &insn);
    const uint32_t func = k->source[pc].func;
    const unsigned lane = first_lane(lanes);
    if (ir == NULL) {
        return;
    }
    if (ir_op(ir, insn) == PTX_OP_WGMMA) {
        read_by_product(c, p, w, ir, insn, pc, lane);
        return;
    }
    const bool copies = ir_op(ir, insn) == PTX_OP_MOV;
    const struct pending sum = read_sum(p, func, ir_read(ir, insn));
    const bool reads_sum = sum.kind != PENDING_OPERAND;
    if (reads_sum && !copies) {
        report(c, w, &sum, pc, false, lane);
    }
    const struct ir_regs written = ir_written(ir, insn);
    for (unsigned i = 0; i < written.count; i++) {
        struct pending *one = find(p, func, written.reg[i]);
        if (one != NULL && one->kind != PENDING_COPY && !(copies && reads_sum)) {
            report(c, w, one, pc, true, lane);
        }
        if (one != NULL && one->kind == PENDING_COPY) {
            forget(p, one);
            one = NULL;
        }
        if (copies && reads_sum && one == NULL) {
            add(p, (struct pending){func, written.reg[i], sum.pc, sum.group, PENDING_COPY});
        }
    }
}
