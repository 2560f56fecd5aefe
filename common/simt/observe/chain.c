/* chain.c - see chain.h. */
#include "observe/chain.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "ir/ir.h"
#include "observe/costs.h"

enum { MOST_REGS = 24, MOST_OPS = 4000 };

/* What an instruction does to memory decides what it may not be moved across. */
enum order { ORDER_FREE, ORDER_LOAD, ORDER_STORE, ORDER_FENCE };

struct op {
    const struct ptx_insn *in;
    uint32_t pc;
    enum order order;
    bool shared; /* loads and stores of shared memory do not wait for those of global memory */
    double issue, latency, height;
    unsigned read[MOST_REGS], written[MOST_REGS];
    unsigned reads, writes;
};

struct stretch {     /* a basic block, with its instructions in the order of issue */
    double runs;     /* of one warp, on average; */
    double critical; /* of the one that the block waits for at its barriers */
    struct op *ops;
    unsigned count;
    uint32_t pc, end_pc; /* code indices: its ENTER, the next block's */
};

struct scheduler {
    struct arena arena;
    const struct kernel *k;
    const struct gpu_rates *rates;
    chain_latency latency;
    void *state;
    unsigned reg_count;
    double warps_a_block;
    double *ready; /* per register: when it can be read */
};

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

static enum order order_of(const struct ptx_insn *in)
{
    const struct op_info *info = &op_table[in->op];
    if (info->memory == MEMORY_READS) {
        return ptx_has_modifier(in, WORD_NC) || ptx_has_modifier(in, WORD_PARAM) ||
                       ptx_has_modifier(in, WORD_CONST)
                   ? ORDER_FREE
               : ptx_has_modifier(in, WORD_VOLATILE) ? ORDER_FENCE
                                                     : ORDER_LOAD;
    }
    if (op_is(in->op, OP_PARTS_MERGES)) { /* barriers, fences, calls, copies */
        return ORDER_FENCE;
    }
    if (info->memory == MEMORY_UPDATES && info->writes == WRITES_FIRST) {
        return ORDER_FENCE;
    }
    return info->memory != MEMORY_NONE ? ORDER_STORE : ORDER_FREE;
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
    case WAIT_FP64:
        return l->fp64 * c->chain;
    case WAIT_XU:
        return l->xu * c->chain;
    case WAIT_SHUFFLE:
        return l->shuffle * c->chain;
    case WAIT_BARRIER:
        return l->barrier + l->barrier_per_warp * s->warps_a_block;
    case WAIT_BRANCH:
        return l->branch;
    case WAIT_MEMORY:
        return s->latency(s->state, op->pc, op->in);
    }
    return 0;
}

static void make_op(struct scheduler *s, struct op *op, const struct ptx_insn *in, uint32_t pc)
{
    const struct insn_cost cost = cost_of(in);
    *op = (struct op){.in = in, .pc = pc, .order = order_of(in)};
    op->shared = ptx_has_modifier(in, WORD_SHARED);
    op->issue = cost_issue(&cost.likely);
    if (cost.wait == WAIT_MEMORY) { /* one that was merged into another costs nothing */
        op->issue = s->k->code[pc].flags & INSN_MERGED ? 0 : 1;
    }
    find_operands(s, op);
    op->latency = wait_of(s, op, &cost);
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
        make_op(s, &b->ops[i], kernel_block_insn(s->k, info->insn, i),
                pc_of(s->k, b, from->insn + i));
    }
}

/* --- order ------------------------------------------------------------------------------------ */

static bool holds(const unsigned *list, unsigned count, unsigned reg)
{
    for (unsigned i = 0; i < count; i++) {
        if (list[i] == reg) {
            return true;
        }
    }
    return false;
}

/* Must b stay behind a? *wait: until a's result is there. */
static bool depends(const struct op *a, const struct op *b, bool *wait)
{
    *wait = false;
    for (unsigned i = 0; i < a->writes; i++) {
        if (holds(b->read, b->reads, a->written[i])) {
            *wait = true;
            return true;
        }
        if (holds(b->written, b->writes, a->written[i])) {
            return true;
        }
    }
    for (unsigned i = 0; i < b->writes; i++) {
        if (holds(a->read, a->reads, b->written[i])) {
            return true;
        }
    }
    if (a->order == ORDER_FREE || b->order == ORDER_FREE) {
        return false;
    }
    if (a->order == ORDER_FENCE || b->order == ORDER_FENCE) {
        return true;
    }
    return a->shared == b->shared && (a->order == ORDER_STORE || b->order == ORDER_STORE);
}

/* How far ptxas looks: for dependences, for a load to begin early, for any other instruction. */
enum { WINDOW = 96, AHEAD_LOAD = 96, AHEAD = 32 };

/* Which of the WINDOW instructions before it one must wait for: bit d - 1 for the one d before. */
struct blockers {
    uint64_t low, high;
    unsigned left;
};

static bool blocks(const struct blockers *b, unsigned distance)
{
    return distance <= 64 ? b->low >> (distance - 1) & 1u : b->high >> (distance - 65) & 1u;
}

/* Heights from the end: how long after an instruction's issue the block still takes. */
static void find_heights(struct stretch *b, struct blockers *blockers)
{
    for (unsigned i = b->count; i-- > 0;) {
        struct op *a = &b->ops[i];
        a->height = a->issue;
        for (unsigned j = i + 1; j < b->count && j <= i + WINDOW; j++) {
            bool wait;
            if (!depends(a, &b->ops[j], &wait)) {
                continue;
            }
            const double own = wait && a->latency > a->issue ? a->latency : a->issue;
            a->height = fmax(a->height, own + b->ops[j].height);
            if (j - i <= 64) {
                blockers[j].low |= (uint64_t)1 << (j - i - 1);
            } else {
                blockers[j].high |= (uint64_t)1 << (j - i - 65);
            }
            blockers[j].left++;
        }
    }
}

/* Of the instructions that may go next, within sight of the first that has not gone, the one that
 * the rest waits for longest. */
static unsigned choose_next(const struct stretch *b, const struct blockers *blockers,
                            const bool *placed, unsigned first)
{
    unsigned best = first;
    for (unsigned i = first; i < b->count && i < first + AHEAD_LOAD; i++) {
        const struct op *op = &b->ops[i];
        const bool sees = i < first + AHEAD || op->in->op == PTX_OP_LD;
        if (!placed[i] && blockers[i].left == 0 && sees && op->height > b->ops[best].height) {
            best = i;
        }
    }
    return best;
}

static void put_in_order(struct scheduler *s, struct stretch *b)
{
    struct op *sorted = arena_alloc(&s->arena, (b->count + 1) * sizeof *sorted);
    struct blockers *blockers = arena_alloc(&s->arena, (b->count + 1) * sizeof *blockers);
    bool *placed = arena_alloc(&s->arena, b->count + 1);
    unsigned first = 0;
    find_heights(b, blockers);
    for (unsigned n = 0; n < b->count; n++) {
        const unsigned next = choose_next(b, blockers, placed, first);
        sorted[n] = b->ops[next];
        placed[next] = true;
        for (unsigned j = next + 1; j < b->count && j <= next + WINDOW; j++) {
            blockers[j].left -= blocks(&blockers[j], j - next);
        }
        while (first < b->count && placed[first]) {
            first++;
        }
    }
    memcpy(b->ops, sorted, b->count * sizeof *sorted);
}

/* --- issue ------------------------------------------------------------------------------------ */

/* Issues the block from `now`; returns when its last instruction has gone. */
static double issue(struct scheduler *s, const struct stretch *b, double now)
{
    for (unsigned i = 0; i < b->count; i++) {
        const struct op *op = &b->ops[i];
        double start = now;
        for (unsigned r = 0; r < op->reads; r++) {
            start = s->ready[op->read[r]] > start ? s->ready[op->read[r]] : start;
        }
        now = start + op->issue;
        for (unsigned r = 0; r < op->writes; r++) {
            s->ready[op->written[r]] = start + (op->latency > op->issue ? op->latency : op->issue);
        }
        if (op->writes == 0 && op->order == ORDER_FENCE) {
            now = start + op->latency; /* barriers and fences */
        } else if (op->in->op == PTX_OP_BRA || op->in->op == PTX_OP_BRX) {
            now = start + op->latency;
        }
    }
    return now;
}

/* Does an address in the stretch come from what it loads itself, in this round or the last? */
static bool chases(const struct stretch *b, bool *loaded)
{
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < b->count; i++) {
            const struct op *op = &b->ops[i];
            const bool load = op->order == ORDER_LOAD || op->in->op == PTX_OP_LD;
            bool from_load = false;
            for (unsigned r = 0; r < op->reads; r++) {
                from_load |= loaded[op->read[r]];
            }
            if (load && from_load) {
                return true;
            }
            for (unsigned w = 0; w < op->writes; w++) {
                loaded[op->written[w]] |= load || from_load;
            }
        }
    }
    return false;
}

enum { UNROLLED = 4, UNROLLED_MOST = 43 };

/* ptxas unrolls small loops four times that the PTX has not: then the loads of four rounds are
 * under way together. (Whether PTX has unrolled one is seen from how many loads it has.) */
static bool is_unrolled(struct scheduler *s, const struct stretch *b)
{
    unsigned loads = 0;
    for (unsigned i = 0; i < b->count; i++) {
        const struct op *op = &b->ops[i];
        if (op->order == ORDER_FENCE || op->order == ORDER_STORE) {
            return false;
        }
        loads += op->in->op == PTX_OP_LD && !op->shared;
    }
    bool *loaded = arena_alloc(&s->arena, s->reg_count + 1);
    return loads >= 1 && loads < UNROLLED && b->count <= UNROLLED_MOST && !chases(b, loaded);
}

/* Cycles of block b behind block a. */
static double cycles_behind(struct scheduler *s, const struct stretch *a, const struct stretch *b)
{
    memset(s->ready, 0, (s->reg_count + 1) * sizeof *s->ready);
    const double before = a != NULL ? issue(s, a, 0) : 0;
    const double cycles = issue(s, b, before) - before;
    if (a != b || !is_unrolled(s, b)) {
        return cycles;
    }
    double slots = 0;
    for (unsigned i = 0; i < b->count; i++) {
        slots += b->ops[i].issue;
    }
    return cycles < slots ? cycles : (cycles + (UNROLLED - 1) * slots) / UNROLLED;
}

/* Does control go from the end of `from` to `to`, by a branch or by falling through? */
static bool leads_to(const struct kernel *k, const struct stretch *from, const struct stretch *to)
{
    bool falls_through = true;
    for (uint32_t pc = from->pc; pc < from->end_pc; pc++) {
        const struct ptx_insn *in = k->origin[pc];
        if (in == NULL || pc == from->pc) { /* an ENTER has the first instruction's origin */
            continue;
        }
        if (in->op == PTX_OP_BRA && (uint32_t)k->code[pc].offset == to->pc) {
            return true;
        }
        bool leaves = op_is(in->op, OP_JUMPS | OP_LEAVES);
        falls_through = !(leaves && in->guard == NULL);
    }
    return falls_through && to->pc == from->end_pc;
}

/* Of the blocks that lead to b the one that runs most often, b itself included. */
static const struct stretch *most_often_before(const struct kernel *k, const struct stretch *blocks,
                                               unsigned count, unsigned b)
{
    const struct stretch *best = NULL;
    for (unsigned i = 0; i < count; i++) {
        if ((best == NULL || blocks[i].runs > best->runs) && leads_to(k, &blocks[i], &blocks[b])) {
            best = &blocks[i];
        }
    }
    return best;
}

/* Where warps wait for each other, what only some of them do holds up all: a stretch that a warp of
 * the block executes counts as often as the one before it, though others leave it out. */
static void find_critical(const struct kernel *k, struct stretch *all, unsigned count,
                          double warps_a_block)
{
    for (unsigned i = 0; i < count; i++) {
        const struct stretch *before = most_often_before(k, all, count, i);
        const double of_block = all[i].runs * warps_a_block;
        const double most = before != NULL && before != &all[i] && before->runs > all[i].runs
                                ? before->runs
                                : all[i].runs;
        all[i].critical = of_block < most ? of_block : most;
    }
}

struct chain chain_of(const struct kernel *k, const struct site *sites, double warps,
                      double warps_a_block, const struct gpu_rates *rates, chain_latency latency,
                      void *state)
{
    struct scheduler s = {
        .k = k, .rates = rates, .latency = latency, .state = state, .warps_a_block = warps_a_block};
    struct chain chain = {0, 0};
    unsigned count = 0;
    for (unsigned f = 0; f < k->func_count; f++) {
        s.reg_count += k->funcs[f]->ir->reg_count;
    }
    struct stretch *blocks = arena_alloc(&s.arena, (k->site_count + 1) * sizeof *blocks);
    for (unsigned i = 0; i < k->site_count; i++) {
        if (k->sites[i].kind == SITE_BLOCK && sites[i].a > 0) {
            make_stretch(&s, &blocks[count++], i, (double)sites[i].a / warps);
        }
        if (k->sites[i].kind == SITE_BARRIER) {
            chain.barriers += (double)sites[i].a / warps;
        }
    }
    find_critical(k, blocks, count, warps_a_block);
    s.ready = arena_alloc(&s.arena, (s.reg_count + 1) * sizeof *s.ready);
    for (unsigned i = 0; i < count; i++) {
        put_in_order(&s, &blocks[i]);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct stretch *before = most_often_before(k, blocks, count, i);
        chain.cycles += (chain.barriers > 0 ? blocks[i].critical : blocks[i].runs) *
                        cycles_behind(&s, before, &blocks[i]);
    }
    arena_free(&s.arena);
    return chain;
}
