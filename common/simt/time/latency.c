/* latency.c - see latency.h. */
#include "time/latency.h"

#include <math.h>

#include "ir/ops.h"
#include "time/fuse.h"

enum { SECTOR_BYTES = 32, LINE_BYTES = 128 };

static struct chain_wait of_global(const struct latency_state *s, uint32_t pc,
                                   const struct ptx_insn *insn)
{
    const struct gpu_latencies *l = &s->rates->latency;
    const struct pc_hits h = caches_hits(s->in->caches, pc);
    const double l1_wait = isnan(h.l1_wait) ? 1 : h.l1_wait;
    const double lines = isnan(h.lines) ? 1 : h.lines;
    /* NaN: none of the lines is of the sample that the L2 sees, as those of a small launch */
    const double absent = (1 - s->resident) * (1 - s->in->had_before);
    const double line_miss = (isnan(h.l2_miss) ? 1 : h.l2_miss) * absent;
    const double line_wait = (isnan(h.l2_wait) ? 1 : h.l2_wait) * absent;
    /* a warp waits for its last line; and what L1 has waits for nothing */
    const double any_wait = fmin(l1_wait, 1 - pow(1 - line_wait, lines));
    const double in_step = any_wait - fmin(any_wait, 1 - pow(1 - line_miss, lines));
    /* cycles for each further line: more where it comes from memory (pointer_chase) */
    const double queue =
        (gpu_model.line_cycles + gpu_model.line_miss_cycles * line_miss) * (lines - 1);
    if (insn->op == PTX_OP_ATOM) {
        return (struct chain_wait){l->atomic + queue, 0, 0, any_wait, l->dram - l->l2, in_step};
    }
    return (struct chain_wait){l->l1 + queue, l1_wait,         l->l2 - l->l1,
                               any_wait,      l->dram - l->l2, in_step};
}

static struct chain_wait always(double cycles) { return (struct chain_wait){.cycles = cycles}; }

/* How often a warp executed the block of this code index. */
static double executions(const struct latency_state *s, uint32_t pc)
{
    const struct kernel *k = s->in->launch->kernel;
    double runs = 0;
    uint32_t begin = 0;
    for (unsigned i = 0; i < k->site_count; i++) {
        if (k->sites[i].kind == SITE_BLOCK && k->sites[i].insn <= pc && k->sites[i].insn >= begin) {
            begin = k->sites[i].insn;
            runs = (double)s->in->launch->sites[i].a;
        }
    }
    return runs;
}

/* Shared memory changes words by itself; all else is a loop of swaps, in each round of which one of
 * the lanes that want a word has its way. */
static double shared_atomic_cycles(const struct latency_state *s, uint32_t pc)
{
    const struct insn *code = &s->in->launch->kernel->code[pc];
    const double rounds = (double)s->in->launch->sites[code->site].a, runs = executions(s, pc);
    if (code->way == WAY_LOOP) {
        return gpu_model.swap_cycles * (runs > 0 ? fmax(1, rounds / runs) : 1);
    }
    return s->rates->latency.shared_atomic;
}

static struct chain_wait of_shared(const struct latency_state *s, uint32_t which, double cycles)
{
    const struct kernel *k = s->in->launch->kernel;
    const struct site *site = &s->in->launch->sites[which];
    const double wavefronts =
        which < k->site_count && site->a > 0 ? (double)site->b / (double)site->a : 1;
    return always(cycles + gpu_model.shared_wavefront_cycles * fmax(0, wavefronts - 1));
}

/* Of the code of a wmma.load or .store the access that comes first, for the others find its lines.
 */
static uint32_t load_of_fragment(const struct kernel *k, uint32_t pc)
{
    for (uint32_t at = pc; k->source[at].insn == k->source[pc].insn; at--) {
        pc = k->code[at].site < k->site_count ? at : pc;
        if (at == 0) {
            break;
        }
    }
    return pc;
}

/* The bulk engine's stores are complete, or have been read, some time later. */
static struct chain_wait of_bulk_wait(const struct latency_state *s, const struct ptx_insn *insn)
{
    return always(!ptx_has_modifier(insn, WORD_WAIT_GROUP) ? 0
                  : ptx_has_modifier(insn, WORD_READ)      ? gpu_model.bulk_cycles
                                                           : s->rates->latency.dram);
}

/* A copy to shared memory by the bulk engine: it is there when the last of its lines is. */
static struct chain_wait of_bulk_load(const struct latency_state *s, uint32_t pc)
{
    const struct gpu_latencies *l = &s->rates->latency;
    const struct site *site = &s->in->launch->sites[s->in->launch->kernel->code[pc].site];
    const double bytes = site->a > 0 ? (double)site->b * SECTOR_BYTES / (double)site->a : 0;
    const struct pc_hits h = caches_hits(s->in->caches, pc);
    const double miss = (isnan(h.l2_wait) ? 1 : h.l2_wait) * (1 - s->resident);
    const double further = fmin(fmax(0, bytes / LINE_BYTES - 1), gpu_model.bulk_lines_most);
    return (struct chain_wait){l->l2 + gpu_model.bulk_cycles +
                                   bytes / gpu_model.bulk_bytes_per_cycle,
                               0,
                               0,
                               miss,
                               l->dram - l->l2 + gpu_model.line_miss_cycles * further,
                               0};
}

/* Each further address that lanes ask for takes another turn. */
static struct chain_wait of_constant(const struct latency_state *s, uint32_t pc)
{
    const struct code_source *from = &s->in->launch->kernel->source[pc];
    const struct launch_work *w = s->in->work;
    if (!fuse_loads_constant(s->in->launch->kernel->funcs[from->func]->ir, from->insn)) {
        return always(gpu_model.constant_cycles);
    }
    return always(gpu_model.constant_load_cycles + gpu_model.constant_replay_cycles *
                                                       w->constant_replays /
                                                       fmax(1, w->constant_loads));
}

struct chain_wait memory_latency(void *state, uint32_t pc, const struct ptx_insn *insn)
{
    const struct latency_state *s = state;
    const struct gpu_latencies *l = &s->rates->latency;
    const struct kernel *k = s->in->launch->kernel;
    const struct insn *code = &k->code[pc];
    if (s->in->no_latency) {
        return always(0);
    }
    if (insn->op == PTX_OP_MEMBAR || insn->op == PTX_OP_FENCE) {
        return always(ptx_has_modifier(insn, WORD_CTA) ? gpu_model.block_fence_cycles : 2 * l->l2);
    }
    const bool is_image = op_is(insn->op, OP_IMAGE);
    if (insn->op == PTX_OP_ST || (is_image && op_table[insn->op].writes == WRITES_NOTHING) ||
        (insn->op == PTX_OP_RED && code->way != WAY_LOOP)) {
        return always(gpu_model.store_cycles);
    }
    if (insn->op == PTX_OP_MBARRIER) {
        return always(l->shared);
    }
    if (insn->op == PTX_OP_CP && ptx_has_modifier(insn, WORD_BULK)) {
        return code->site < k->site_count && k->sites[code->site].kind == SITE_BULK_LOAD
                   ? of_bulk_load(s, pc)
                   : of_bulk_wait(s, insn);
    }
    if (insn->op == PTX_OP_CP &&
        (ptx_has_modifier(insn, WORD_COMMIT_GROUP) || ptx_has_modifier(insn, WORD_WAIT_GROUP) ||
         ptx_has_modifier(insn, WORD_WAIT_ALL))) {
        return always(0); /* in_flight.c knows what it waits for */
    }
    if (insn->op == PTX_OP_CP) {
        return of_global(s, pc, insn);
    }
    if (insn->op == PTX_OP_LDMATRIX || insn->op == PTX_OP_STMATRIX) {
        return of_shared(s, code->site + (code->space == PTX_GENERIC),
                         l->shared + gpu_model.matrix_load_cycles);
    }
    if (is_image) {
        struct chain_wait wait = of_global(s, pc, insn);
        wait.cycles += gpu_model.texture_cycles;
        return wait;
    }
    if (insn->op == PTX_OP_WMMA) {
        pc = load_of_fragment(k, pc);
    }
    if (ptx_has_modifier(insn, WORD_SHARED) || ptx_has_modifier(insn, WORD_SHARED_CTA)) {
        return of_shared(s, k->code[pc].site,
                         op_table[insn->op].memory == MEMORY_UPDATES ? shared_atomic_cycles(s, pc)
                                                                     : l->shared);
    }
    if (ptx_has_modifier(insn, WORD_SHARED_CLUSTER)) {
        return always(gpu_model.cluster_cycles);
    }
    if (ptx_has_modifier(insn, WORD_CONST)) {
        return of_constant(s, pc);
    }
    if (ptx_has_modifier(insn, WORD_LOCAL)) {
        return always(l->l1);
    }
    return of_global(s, pc, insn);
}
