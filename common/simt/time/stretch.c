/* stretch.c - see stretch.h. */
#include "time/stretch.h"

#include <math.h>
#include <string.h>

#include "ir/ir.h"
#include "time/converge.h"
#include "time/fuse.h"
#include "time/hoist.h"
#include "time/matrix_work.h"
#include "time/nest.h"

enum { MOST_OPS = 4000 };

/* --- operands --------------------------------------------------------------------------------- */

static unsigned copy_regs(struct ir_regs regs, unsigned first, unsigned *list)
{
    const unsigned count = regs.count < MOST_REGS ? regs.count : MOST_REGS;
    for (unsigned i = 0; i < count; i++) {
        list[i] = first + regs.reg[i];
    }
    return count;
}

/* Registers of the kernel's functions are numbered one function behind the other. */
static void find_operands(struct scheduler *s, struct op *op)
{
    const struct code_source *from = &s->k->source[op->pc];
    const struct function_ir *ir = s->k->funcs[from->func]->ir;
    unsigned first = 0;
    for (uint32_t f = 0; f < from->func; f++) {
        first += s->k->funcs[f]->ir->reg_count;
    }
    if (from->insn != NO_REF) {
        op->reads = copy_regs(ir_read(ir, from->insn), first, op->read);
        op->writes = copy_regs(ir_written(ir, from->insn), first, op->written);
    }
}

/* wmma.load, .store and .mma are one opcode. */
static enum order order_of_wmma(const struct ptx_insn *in)
{
    return cost_has_text(in, "load")    ? ORDER_LOAD
           : cost_has_text(in, "store") ? ORDER_STORE
                                        : ORDER_FREE;
}

/* Exact quotients and roots have a rare way of their own: a branch, which no guard can stand for
 * and across which ptxas moves no load (lstm_step: four loads, each behind the quotient before it).
 */
static bool has_rare_way(const struct ptx_insn *in)
{
    return op_is(in->op, OP_REPEATS_APPROX) && !ptx_has_modifier(in, WORD_APPROX) &&
           !ptx_has_modifier(in, WORD_FULL);
}

static enum order order_of(const struct ptx_insn *in)
{
    const struct op_info *info = &op_table[in->op];
    if (in->op == PTX_OP_WMMA) {
        return order_of_wmma(in);
    }
    if (info->memory == MEMORY_READS) {
        return ptx_has_modifier(in, WORD_NC) || ptx_has_modifier(in, WORD_PARAM) ||
                       ptx_has_modifier(in, WORD_CONST)
                   ? ORDER_FREE
               : ptx_has_modifier(in, WORD_VOLATILE) ? ORDER_FENCE
                                                     : ORDER_LOAD;
    }
    if (op_is(in->op, OP_PARTS_MERGES) || has_rare_way(in)) { /* barriers, fences, calls, copies */
        return ORDER_FENCE;
    }
    if (info->memory == MEMORY_UPDATES && info->writes == WRITES_FIRST) {
        return ORDER_FENCE;
    }
    return info->memory != MEMORY_NONE ? ORDER_STORE : ORDER_FREE;
}

/* A call's function is its first operand that is no list. */
static bool is_by_pointer(const struct ptx_insn *call)
{
    unsigned i = 0;
    while (i < call->operand_count && call->operands[i].kind == PTX_OPERAND_LIST) {
        i++;
    }
    return i < call->operand_count && call->operands[i].kind == PTX_OPERAND_REG;
}

static double wait_of(const struct scheduler *s, const struct op *op, const struct insn_cost *c)
{
    const struct gpu_latencies *l = &s->rates->latency;
    switch (c->wait) {
    case WAIT_NONE:
        return 0;
    case WAIT_FMA:
        return l->fma * c->chain;
    case WAIT_ALU:
        return l->alu * c->chain;
    case WAIT_PREDICATE:
        return l->predicate * c->chain;
    case WAIT_FP64:
        return l->fp64 * c->chain;
    case WAIT_XU:
        return l->xu * c->chain;
    case WAIT_SHUFFLE:
        return l->shuffle * c->chain;
    case WAIT_BARRIER:
        return ptx_has_modifier(op->in, WORD_CLUSTER)
                   ? ptx_has_modifier(op->in, WORD_WAIT) * gpu_model.cluster_barrier_cycles
                   : l->barrier + l->barrier_per_warp * s->warps_a_block;
    case WAIT_BRANCH:
        return l->branch;
    case WAIT_CALL:
        return is_by_pointer(op->in) ? l->call_by_pointer : l->call;
    case WAIT_MEMORY:
        return op->wait.cycles + op->wait.l2_share * op->wait.l2_cycles +
               op->wait.dram_share * op->wait.dram_cycles;
    }
    return 0;
}

static void make_matrix_op(const struct kernel *k, struct op *op)
{
    struct matrix_work work;
    if (matrix_work_of(k, op->pc, &work)) {
        op->issue = work.instructions + cost_issue(&work.beside);
        op->cost = work.beside;
        op->tensor_cycles = work.tensor_cycles;
        op->latency = work.latency;
        op->asynchronous = work.asynchronous;
        op->is_call = work.is_call;
    }
}

/* The way to a function and back is waited for where it ends: of a call by a pointer each function
 * that lanes mean is called by itself. One that called others reads what it saved before. */
static void make_return(const struct scheduler *s, struct op *op, const struct function_ir *ir)
{
    const struct gpu_latencies *l = &s->rates->latency;
    if (op->in->op == PTX_OP_RET && !ir->func->is_entry) {
        op->kind = WAIT_CALL;
        op->latency = l->way_back;
        op->latency += ir->saved > 0 ? l->l1 + gpu_model.saved_cycles * ir->saved : 0;
    }
}

/* An atomic of shared memory that the machine does not have: the warp goes round until all lanes
 * have had their way. */
static bool is_loop_of_swaps(const struct kernel *k, const struct op *op)
{
    return op_table[op->in->op].memory == MEMORY_UPDATES && op->shared &&
           k->code[op->pc].way == WAY_LOOP;
}

static void make_op(struct scheduler *s, struct op *op, const struct function_ir *ir, uint32_t insn,
                    uint32_t pc)
{
    const struct ptx_insn *in = ir->insns[insn].text;
    const struct insn_cost cost = fuse_cost(ir, insn);
    *op = (struct op){.in = in, .pc = pc, .order = order_of(in), .guarded = in->guard != NULL};
    op->shared = ptx_has_modifier(in, WORD_SHARED);
    op->issue = cost_issue(&cost.likely);
    op->cost = cost.likely;
    op->kind = cost.wait;
    if (cost.wait == WAIT_MEMORY) {
        op->wait = s->latency(s->state, pc, in);
    }
    if (cost.wait == WAIT_MEMORY) { /* one that was merged into another costs nothing */
        op->issue = s->k->code[pc].flags & INSN_MERGED ? 0 : 1;
    }
    if (cost.wait == WAIT_MEMORY && in->op == PTX_OP_WMMA) {
        op->issue += cost_issue(&cost.likely);
    }
    find_operands(s, op);
    op->latency = wait_of(s, op, &cost);
    make_return(s, op, ir);
    op->is_call = is_loop_of_swaps(s->k, op);
    make_matrix_op(s->k, op);
    if (s->hoisted[s->k->source[pc].func][insn]) { /* it has been done before the loop */
        op->issue = op->latency = 0;
        op->wait = (struct chain_wait){.cycles = 0};
    }
}

/* A write under a guard may keep what was there: it waits for it. */
static void rename_values(struct scheduler *s, struct stretch *b)
{
    unsigned writes = 0;
    for (unsigned i = 0; i < b->count; i++) {
        writes += b->ops[i].writes;
    }
    b->renamed = arena_alloc(&s->arena, (writes + 1) * sizeof *b->renamed);
    for (unsigned r = 0; r < s->reg_count; r++) {
        s->value_of[r] = r;
    }
    for (unsigned i = 0; i < b->count; i++) {
        struct op *op = &b->ops[i];
        for (unsigned r = 0; r < op->reads; r++) {
            op->read[r] = s->value_of[op->read[r]];
        }
        for (unsigned w = 0; w < op->writes; w++) {
            const unsigned reg = op->written[w];
            if (op->guarded && op->reads < MOST_REGS) {
                op->read[op->reads++] = s->value_of[reg];
            }
            op->written[w] = s->value_of[reg] = s->value_count++;
            b->renamed[b->renamed_count++] = (struct renamed){reg, op->written[w]};
        }
    }
}

/* --- basic blocks ----------------------------------------------------------------------------- */

static void add_successor(struct stretch *b, uint32_t pc)
{
    for (unsigned i = 0; i < b->successor_count; i++) {
        if (b->successors[i] == pc) {
            return;
        }
    }
    if (b->successor_count < MOST_SUCCESSORS) {
        b->successors[b->successor_count++] = pc;
    }
}

/* Where control goes from the end of a block: by branches, and by falling through. */
static void find_successors(const struct kernel *k, struct stretch *b)
{
    bool falls_through = true;
    for (uint32_t pc = b->pc + 1; pc < b->end_pc; pc++) { /* an ENTER has the first one's origin */
        const struct ptx_insn *in = k->origin[pc];
        if (in == NULL) {
            continue;
        }
        if (in->op == PTX_OP_BRA) {
            add_successor(b, (uint32_t)k->code[pc].offset);
        }
        const bool leaves = op_is(in->op, OP_JUMPS | OP_LEAVES);
        falls_through = !(leaves && in->guard == NULL);
    }
    if (falls_through) {
        add_successor(b, b->end_pc);
    }
}

/* The block that begins at `pc` ends where the next one begins. */
static uint32_t end_of_block(const struct kernel *k, uint32_t pc)
{
    uint32_t end = k->code_count;
    for (unsigned i = 0; i < k->site_count; i++) {
        const struct site_info *info = &k->sites[i];
        end = info->kind == SITE_BLOCK && info->insn > pc && info->insn < end ? info->insn : end;
    }
    return end;
}

/* The code index of instruction `insn` of the block: the last one that comes from it. */
static uint32_t pc_of(const struct kernel *k, const struct stretch *b, uint32_t insn)
{
    uint32_t found = b->pc;
    for (uint32_t pc = b->pc + 1; pc < b->end_pc; pc++) {
        found = k->source[pc].insn == insn ? pc : found;
    }
    return found;
}

static void make_stretch(struct scheduler *s, struct stretch *b, uint32_t site, double runs)
{
    const struct site_info *info = &s->k->sites[site];
    const struct code_source *from = &s->k->source[info->insn];
    const unsigned count = from->insn == NO_REF     ? 0
                           : info->count < MOST_OPS ? info->count
                                                    : MOST_OPS;
    *b = (struct stretch){.runs = runs, .pc = info->insn, .count = count};
    b->end_pc = end_of_block(s->k, b->pc);
    b->ops = arena_alloc(&s->arena, (count + 1) * sizeof *b->ops);
    for (unsigned i = 0; i < count; i++) {
        make_op(s, &b->ops[i], s->k->funcs[from->func]->ir, from->insn + i,
                pc_of(s->k, b, from->insn + i));
    }
    find_successors(s->k, b);
}

/* --- predication ------------------------------------------------------------------------------ */

/* stencil_3d_march: an arm of 13 instructions, four of them loads, is predicated. */
enum { ARM_MOST = 16, ARM_ISSUE_MOST = 20 };

static bool is_branch(const struct op *op) { return op->in->op == PTX_OP_BRA; }

/* Instructions that ptxas would rather execute under a guard than jump over. */
static bool is_short_arm(const struct stretch *b)
{
    double slots = 0;
    for (unsigned i = 0; i < b->count; i++) {
        slots += b->ops[i].issue;
        if (b->ops[i].order == ORDER_FENCE || (is_branch(&b->ops[i]) && b->ops[i].guarded) ||
            has_rare_way(b->ops[i].in) || op_is(b->ops[i].in->op, OP_LEAVES)) {
            return false;
        }
    }
    return b->count <= ARM_MOST && slots <= ARM_ISSUE_MOST;
}

static struct stretch *stretch_at(const struct scheduler *s, uint32_t pc)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (s->stretches[i].pc == pc) {
            return &s->stretches[i];
        }
    }
    return NULL;
}

/* Does control come to `to` from these two alone? b may be NULL. */
static bool only_from(const struct scheduler *s, const struct stretch *to, const struct stretch *a,
                      const struct stretch *b)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct stretch *from = &s->stretches[i];
        if (from != a && from != b && from->ops != NULL && stretch_leads_to(from, to)) {
            return false;
        }
    }
    return true;
}

static void append(struct op *ops, unsigned *count, const struct stretch *b, double share)
{
    for (unsigned i = 0; i < b->count; i++) {
        struct op *op = &ops[*count];
        *op = b->ops[i];
        op->guarded |= share < 1;
        op->wait.l2_share *= share;
        op->wait.dram_share *= share;
        op->wait.in_step_share *= share;
        *count += 1;
    }
}

/* What an arm costs the warps that leave it out: under a guard its instructions are issued all the
 * same. */
static void add_guarded(struct scheduler *s, const struct stretch *a, const struct stretch *arm)
{
    const double left_out = fmax(0, a->runs - arm->runs);
    for (unsigned i = 0; i < arm->count; i++) {
        const struct op *op = &arm->ops[i];
        struct cost cost = op->cost;
        if (op->order != ORDER_FREE) {
            cost.other += op->issue;
        }
        cost_add(&s->guarded, &cost, left_out);
    }
}

static void append_arm(struct scheduler *s, struct op *ops, unsigned *count,
                       const struct stretch *a, struct stretch *arm)
{
    if (arm != NULL) {
        arm->count -= arm->count > 0 && is_branch(&arm->ops[arm->count - 1]);
        add_guarded(s, a, arm);
        append(ops, count, arm, fmin(0.999, arm->runs * s->coupled / a->runs));
        *arm = (struct stretch){.pc = NO_PC};
    }
}

/* a, the arms of which it takes one (NULL: there is none), and what stands behind them become a. Of
 * warps that wait for each other at barriers one that takes an arm holds up all. */
static void merge(struct scheduler *s, struct stretch *a, struct stretch *arm,
                  struct stretch *other, struct stretch *behind)
{
    struct op *ops =
        arena_alloc(&s->arena, (a->count + (arm != NULL ? arm->count : 0) +
                                (other != NULL ? other->count : 0) + behind->count + 1) *
                                   sizeof *ops);
    unsigned count = 0;
    a->count -= a->count > 0 && is_branch(&a->ops[a->count - 1]);
    append(ops, &count, a, 1);
    append_arm(s, ops, &count, a, arm);
    append_arm(s, ops, &count, a, other);
    append(ops, &count, behind, 1);
    a->ops = ops;
    a->count = count;
    a->end_pc = behind->end_pc;
    memcpy(a->successors, behind->successors, sizeof a->successors);
    a->successor_count = behind->successor_count;
    *behind = (struct stretch){.pc = NO_PC};
}

/* Both ways are short and come together. */
static bool merge_both(struct scheduler *s, struct stretch *a, struct stretch *ways[2])
{
    if (ways[0]->successor_count != 1 || ways[1]->successor_count != 1 ||
        ways[0]->successors[0] != ways[1]->successors[0]) {
        return false;
    }
    struct stretch *behind = stretch_at(s, ways[0]->successors[0]);
    if (behind == NULL || behind == a || ways[0] == a || ways[1] == a ||
        !only_from(s, ways[0], a, NULL) || !only_from(s, ways[1], a, NULL) ||
        !only_from(s, behind, ways[0], ways[1]) || !is_short_arm(ways[0]) ||
        !is_short_arm(ways[1])) {
        return false;
    }
    merge(s, a, ways[0], ways[1], behind);
    return true;
}

/* The stretch where a's ways come together behind short arms, if there is one. */
static bool merge_behind(struct scheduler *s, struct stretch *a)
{
    struct stretch *ways[2] = {NULL, NULL};
    unsigned count = 0;
    for (unsigned i = 0; i < a->successor_count; i++) {
        struct stretch *to = stretch_at(s, a->successors[i]);
        if (to != NULL && count < 2) {
            ways[count++] = to;
        }
    }
    if (count == 1 && a->successor_count <= 2 && ways[0] != a && only_from(s, ways[0], a, NULL)) {
        merge(s, a, NULL, NULL, ways[0]);
        return true;
    }
    for (unsigned which = 0; count == 2 && which < 2; which++) {
        struct stretch *arm = ways[which], *behind = ways[1 - which];
        if (arm != a && behind != a && arm->successor_count == 1 && stretch_leads_to(arm, behind) &&
            only_from(s, arm, a, NULL) && only_from(s, behind, a, arm) && is_short_arm(arm)) {
            merge(s, a, arm, NULL, behind);
            return true;
        }
    }
    return count == 2 && merge_both(s, a, ways);
}

static void predicate_arms(struct scheduler *s)
{
    unsigned kept = 0;
    for (bool more = true; more;) { /* inner ifs make arms of outer ones */
        more = false;
        for (unsigned i = s->count; i-- > 0;) {
            while (s->stretches[i].ops != NULL && s->stretches[i].count < MOST_OPS / 2 &&
                   merge_behind(s, &s->stretches[i])) {
                more = true;
            }
        }
    }
    for (unsigned i = 0; i < s->count; i++) {
        if (s->stretches[i].ops != NULL) {
            s->stretches[kept++] = s->stretches[i];
        }
    }
    s->count = kept;
}

void stretch_make(struct scheduler *s, const struct site *sites, double warps)
{
    const struct kernel *k = s->k;
    for (unsigned f = 0; f < k->func_count; f++) {
        s->reg_count += k->funcs[f]->ir->reg_count;
    }
    s->hoisted = arena_alloc(&s->arena, (k->func_count + 1) * sizeof *s->hoisted);
    for (unsigned f = 0; f < k->func_count; f++) {
        s->hoisted[f] = hoist_find(&s->arena, k->funcs[f]->ir);
    }
    s->value_count = s->reg_count;
    s->value_of = arena_alloc(&s->arena, (s->reg_count + 1) * sizeof *s->value_of);
    s->stretches = arena_alloc(&s->arena, (k->site_count + 1) * sizeof *s->stretches);
    for (unsigned i = 0; i < k->site_count; i++) {
        if (k->sites[i].kind == SITE_BLOCK && sites[i].a > 0) {
            make_stretch(s, &s->stretches[s->count++], i, (double)sites[i].a / warps);
        }
    }
    predicate_arms(s);
    converge_find(s, sites, warps);
    nest_find(s);
    for (unsigned i = 0; i < s->count; i++) {
        stretch_repeat_rounds(s, &s->stretches[i]);
    }
    for (unsigned i = 0; i < s->count; i++) {
        rename_values(s, &s->stretches[i]);
        schedule_in_order(s, &s->stretches[i]);
    }
}
