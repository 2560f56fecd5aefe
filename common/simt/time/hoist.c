/* hoist.c - see hoist.h. */
#include "time/hoist.h"

#include "ir/flow.h"
#include "ir/ir.h"
#include "ir/ops.h"

enum { DEEPEST = 6 }; /* instructions between an address and what the loop does not change */

struct hoist {
    const struct function_ir *ir;
    struct flow flow;
    bool *writes; /* per loop: something in it may change memory */
};

static bool changes_memory(const struct ptx_insn *in)
{
    const struct op_info *info = &op_table[in->op];
    return info->memory == MEMORY_WRITES || info->memory == MEMORY_UPDATES ||
           info->memory == MEMORY_COPIES || info->class == CLASS_BARRIER || in->op == PTX_OP_CALL ||
           in->op == PTX_OP_WGMMA || ptx_has_modifier(in, WORD_VOLATILE);
}

static void find_writes(struct hoist *h)
{
    for (uint32_t i = 0; i < h->ir->insn_count; i++) {
        const uint32_t block = h->ir->insns[i].block;
        if (h->flow.number[block] == FLOW_NONE || !changes_memory(h->ir->insns[i].text)) {
            continue;
        }
        for (unsigned l = h->flow.innermost[block]; l != FLOW_NONE; l = h->flow.loops[l].parent) {
            h->writes[l] = true;
        }
    }
}

/* Does the register hold the same in every round of the loop? */
static bool is_constant(const struct hoist *h, uint32_t reg, unsigned loop, unsigned depth)
{
    const struct ir_reg *r = &h->ir->regs[reg];
    for (uint32_t i = 0; i < r->writer_count; i++) {
        const uint32_t insn = h->ir->writers[r->first_writer + i];
        if (!flow_in_loop(&h->flow, loop, h->ir->insns[insn].block)) {
            continue;
        }
        const struct ir_regs read = ir_read(h->ir, insn);
        if (depth == 0 || r->writer_count > 1 || !op_is(h->ir->insns[insn].text->op, OP_PURE) ||
            h->ir->insns[insn].text->guard != NULL) {
            return false;
        }
        for (unsigned k = 0; k < read.count; k++) {
            if (!is_constant(h, read.reg[k], loop, depth - 1)) {
                return false;
            }
        }
    }
    return true;
}

/* Is the block in every round of the loop? What stands in an arm must not be done for all. */
static bool is_in_each_round(const struct hoist *h, uint32_t block, unsigned loop)
{
    const struct flow_loop *l = &h->flow.loops[loop];
    for (unsigned i = 0; i < l->size; i++) {
        if (flow_goes_back(&h->flow, l->blocks[i], l->head) &&
            !flow_dominates(&h->flow, block, l->blocks[i])) {
            return false;
        }
    }
    return true;
}

static bool is_hoisted(const struct hoist *h, uint32_t insn)
{
    const struct ptx_insn *in = h->ir->insns[insn].text;
    const uint32_t block = h->ir->insns[insn].block;
    const unsigned loop = h->flow.number[block] != FLOW_NONE ? h->flow.innermost[block] : FLOW_NONE;
    const struct ir_regs read = ir_read(h->ir, insn);
    if (in->op != PTX_OP_LD || in->guard != NULL || loop == FLOW_NONE || h->writes[loop] ||
        ptx_has_modifier(in, WORD_PARAM) || !is_in_each_round(h, block, loop)) {
        return false;
    }
    for (unsigned i = 0; i < read.count; i++) {
        if (!is_constant(h, read.reg[i], loop, DEEPEST)) {
            return false;
        }
    }
    return true;
}

bool *hoist_find(struct arena *arena, const struct function_ir *ir)
{
    struct hoist h = {.ir = ir, .flow = flow_of(arena, ir->edges, ir->block_count)};
    bool *hoisted = arena_alloc(arena, (ir->insn_count + 1) * sizeof *hoisted);
    h.writes = arena_alloc(arena, (h.flow.loop_count + 1) * sizeof *h.writes);
    find_writes(&h);
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        hoisted[i] = is_hoisted(&h, i);
    }
    return hoisted;
}

void hoist_find_codes(const struct kernel *k, bool *hoisted)
{
    struct arena arena = {0};
    bool **of = arena_alloc(&arena, (k->func_count + 1) * sizeof *of);
    for (unsigned f = 0; f < k->func_count; f++) {
        of[f] = hoist_find(&arena, k->funcs[f]->ir);
    }
    for (unsigned pc = 0; pc < k->code_count; pc++) {
        const struct code_source *from = &k->source[pc];
        hoisted[pc] = from->insn != NO_REF && of[from->func][from->insn];
    }
    arena_free(&arena);
}
