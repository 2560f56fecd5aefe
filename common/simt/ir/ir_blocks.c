/* ir_blocks.c - where basic blocks begin and where they lead.
 *
 * A block begins at a label that is the target of a jump, behind an instruction that jumps or
 * leaves, and at a convergent instruction with a guard: that one gets a block of its own, which
 * begins with the branch around it, so that jumps to its label meet the branch, too. LLVM also
 * labels the lines of inlined functions, to which nothing jumps: a block goes on there, as it does
 * for ptxas. */
#include "ir/ir_blocks.h"

#include <string.h>

static const struct ir_label *find_label(const struct function_ir *ir, const char *name)
{
    unsigned index;
    return name != NULL && names_find(&ir->label_of, name, &index) ? &ir->labels[index] : NULL;
}

static void lead_at_label(const struct function_ir *ir, const char *name, bool *leader)
{
    const struct ir_label *label = find_label(ir, name);
    if (label != NULL) {
        leader[label->insn] = true;
    }
}

static bool ends_block(const struct ptx_insn *in)
{
    return op_is(in->op, OP_JUMPS | OP_LEAVES) || ir_is_indirect_call(in);
}

static bool *find_leaders(struct function_ir *ir)
{
    const struct ptx_func *f = ir->func;
    bool *leader = arena_alloc(ir->context->scratch, (ir->insn_count + 1) * sizeof *leader);
    leader[0] = true;
    for (unsigned i = 0; i < f->target_count; i++) {
        for (unsigned k = 0; k < f->targets[i].item_count; k++) {
            lead_at_label(ir, f->targets[i].items[k], leader);
        }
    }
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        const struct ptx_insn *in = ir->insns[i].text;
        if (in->op == PTX_OP_BRA && in->operand_count > 0) {
            lead_at_label(ir, in->operands[0].name, leader);
        }
        leader[i + 1] |= ends_block(in) || ir_is_skipped_over(in);
        leader[i] |= ir_is_skipped_over(in);
    }
    return leader;
}

static void divide(struct function_ir *ir, const bool *leader)
{
    uint32_t count = 0, block = 0;
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        count += leader[i];
    }
    ir->block_count = count + 1;
    ir->blocks = arena_alloc(ir->context->keep, ir->block_count * sizeof *ir->blocks);
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        block += i > 0 && leader[i];
        if (leader[i]) {
            ir->blocks[block].first = i;
        }
        ir->blocks[block].end = i + 1;
        ir->insns[i].block = block;
        ir->insns[i].target = IR_NONE;
    }
    ir->blocks[ir->block_count - 1] = (struct ir_block){ir->insn_count, ir->insn_count};
}

static uint32_t block_at(const struct function_ir *ir, const struct ir_label *label)
{
    return label->insn < ir->insn_count ? ir->insns[label->insn].block : ir->block_count - 1;
}

/* --- where blocks lead ----------------------------------------------------------------------- */

static void add_edge(struct function_ir *ir, uint32_t from, uint32_t to, unsigned *capacity)
{
    struct flow_block *b = &ir->edges[from];
    for (unsigned i = 0; i < b->successor_count; i++) {
        if (b->successors[i] == to) {
            return;
        }
    }
    b->successors = arena_grow(ir->context->keep, b->successors, b->successor_count, capacity,
                               sizeof *b->successors);
    b->successors[b->successor_count++] = to;
}

static bool add_target(struct function_ir *ir, uint32_t insn, const char *name, unsigned *capacity)
{
    struct ir_insn *in = &ir->insns[insn];
    const struct ir_label *label = find_label(ir, name);
    if (name == NULL) {
        return ir_reject(ir->context, in->text, "a target that is no label");
    }
    if (label == NULL) {
        return ir_reject(ir->context, in->text, "label %s does not exist", name);
    }
    in->target = block_at(ir, label);
    add_edge(ir, in->block, in->target, capacity);
    return true;
}

const struct ptx_targets *ir_targets(const struct function_ir *ir, const struct ptx_insn *in)
{
    const char *name = in->operand_count == 2 ? in->operands[1].name : NULL;
    for (unsigned i = 0; name != NULL && i < ir->func->target_count; i++) {
        if (strcmp(ir->func->targets[i].name, name) == 0) {
            return &ir->func->targets[i];
        }
    }
    return NULL;
}

static bool add_jumps(struct function_ir *ir, uint32_t insn, unsigned *capacity)
{
    const struct ptx_insn *in = ir->insns[insn].text;
    if (in->op == PTX_OP_BRA) {
        return in->operand_count == 1
                   ? add_target(ir, insn, in->operands[0].name, capacity)
                   : ir_reject(ir->context, in, "%u operands, expected 1", in->operand_count);
    }
    const struct ptx_targets *t = ir_targets(ir, in);
    if (t == NULL) {
        return ir_reject(ir->context, in, "a branch table that is not declared by .branchtargets");
    }
    for (unsigned i = 0; i < t->item_count; i++) {
        if (!add_target(ir, insn, t->items[i], capacity)) {
            return false;
        }
    }
    return true;
}

/* The block's last instruction says where it leads. */
static bool add_edges(struct function_ir *ir, uint32_t block)
{
    unsigned capacity = 0;
    const uint32_t last = ir->blocks[block].end - 1;
    const struct ptx_insn *in = ir->insns[last].text;
    if (op_is(in->op, OP_JUMPS) && !add_jumps(ir, last, &capacity)) {
        return false;
    }
    if (op_is(in->op, OP_LEAVES)) {
        add_edge(ir, block, FLOW_EXIT, &capacity);
    }
    if (!op_is(in->op, OP_JUMPS | OP_LEAVES) || in->guard != NULL) {
        add_edge(ir, block, block + 1, &capacity);
    }
    return true;
}

bool ir_find_blocks(struct function_ir *ir)
{
    unsigned capacity = 0;
    ir->label_of = (struct names){.arena = ir->context->scratch};
    for (uint32_t i = ir->label_count; i-- > 0;) { /* the first of a name is the one that counts */
        names_add(&ir->label_of, ir->labels[i].name, i);
    }
    divide(ir, find_leaders(ir));
    ir->edges = arena_alloc(ir->context->keep, ir->block_count * sizeof *ir->edges);
    for (uint32_t b = 0; b + 1 < ir->block_count; b++) {
        if (!add_edges(ir, b)) {
            return false;
        }
    }
    add_edge(ir, ir->block_count - 1, FLOW_EXIT, &capacity);
    return true;
}

uint32_t ir_label_block(const struct function_ir *ir, const char *name)
{
    const struct ir_label *label = find_label(ir, name);
    return label != NULL ? block_at(ir, label) : IR_NONE;
}
