/* carried.c - see carried.h. */
#include "time/carried.h"

#include "base/arena.h"
#include "ir/flow.h"
#include "ir/ir.h"
#include "ir/ops.h"

struct carried {
    const struct function_ir *ir;
    struct flow flow;
    uint32_t *seen; /* per register: the last instruction, + 1, that it was found to come from */
    uint32_t *todo; /* registers whose readers have not been looked at */
    uint32_t count;
};

static bool asks_memory(const struct ptx_insn *in)
{
    const enum op_memory memory = op_table[in->op].memory;
    const bool elsewhere = ptx_has_modifier(in, WORD_PARAM) || ptx_has_modifier(in, WORD_CONST) ||
                           ptx_has_modifier(in, WORD_LOCAL) || ptx_has_modifier(in, WORD_SHARED);
    return !elsewhere && (memory == MEMORY_READS || memory == MEMORY_UPDATES);
}

static void follow_written(struct carried *c, uint32_t insn, uint32_t from)
{
    const struct ir_regs written = ir_written(c->ir, insn);
    for (unsigned i = 0; i < written.count; i++) {
        if (c->seen[written.reg[i]] != from + 1) {
            c->seen[written.reg[i]] = from + 1;
            c->todo[c->count++] = written.reg[i];
        }
    }
}

/* Does this branch, or this way out of the kernel, end the loop? */
static bool leaves_loop(const struct carried *c, uint32_t insn, unsigned loop)
{
    const struct ir_insn *in = &c->ir->insns[insn];
    if (op_is(in->text->op, OP_LEAVES)) {
        return true;
    }
    const bool jumps_out = in->target != IR_NONE && !flow_in_loop(&c->flow, loop, in->target);
    const bool is_last = insn + 1 < c->ir->insn_count && in->target != IR_NONE &&
                         !flow_in_loop(&c->flow, loop, c->ir->insns[insn + 1].block);
    return jumps_out || is_last;
}

/* Does what insn brings come to its own address, or to the end of its loop? */
static bool is_carried(struct carried *c, uint32_t insn)
{
    const uint32_t block = c->ir->insns[insn].block;
    const unsigned loop = c->flow.number[block] != FLOW_NONE ? c->flow.innermost[block] : FLOW_NONE;
    if (loop == FLOW_NONE || !asks_memory(c->ir->insns[insn].text)) {
        return false;
    }
    c->count = 0;
    follow_written(c, insn, insn);
    while (c->count > 0) {
        const struct ir_reg *r = &c->ir->regs[c->todo[--c->count]];
        for (uint32_t i = 0; i < r->reader_count; i++) {
            const uint32_t reader = c->ir->readers[r->first_reader + i];
            if (!flow_in_loop(&c->flow, loop, c->ir->insns[reader].block)) {
                continue;
            }
            if (reader == insn || leaves_loop(c, reader, loop)) {
                return true;
            }
            follow_written(c, reader, insn);
        }
    }
    return false;
}

static void find_in(struct arena *arena, const struct function_ir *ir, bool *carried)
{
    struct carried c = {.ir = ir, .flow = flow_of(arena, ir->edges, ir->block_count)};
    c.seen = arena_alloc(arena, (ir->reg_count + 1) * sizeof *c.seen);
    c.todo = arena_alloc(arena, (ir->reg_count + 1) * sizeof *c.todo);
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        carried[i] = is_carried(&c, i);
    }
}

void carried_find_codes(const struct kernel *k, bool *carried)
{
    struct arena arena = {0};
    bool **of = arena_alloc(&arena, (k->func_count + 1) * sizeof *of);
    for (unsigned f = 0; f < k->func_count; f++) {
        of[f] = arena_alloc(&arena, (k->funcs[f]->ir->insn_count + 1) * sizeof *of[f]);
        find_in(&arena, k->funcs[f]->ir, of[f]);
    }
    for (unsigned pc = 0; pc < k->code_count; pc++) {
        const struct code_source *from = &k->source[pc];
        carried[pc] = from->insn != NO_REF && of[from->func][from->insn];
    }
    arena_free(&arena);
}

bool carried_takes_tasks(const struct kernel *k, const bool *carried)
{
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const struct ptx_insn *in = k->origin[pc];
        if (carried[pc] && in->op == PTX_OP_ATOM &&
            (ptx_has_modifier(in, WORD_ADD) || ptx_has_modifier(in, WORD_INC))) {
            return true;
        }
    }
    return false;
}
