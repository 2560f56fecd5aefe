/* sm_memory.c - the pipes of the SM of sm_view.c, and what its requests to memory wait for. */
#include "time/sm_state.h"

#include <math.h>

/* Cycles of work that may lie before the L1, of shared and of global memory, and before memory of
 * what is stored: beyond, nothing more is issued. What is loaded waits for its result instead. */
enum { SHARED_QUEUE = 48, GLOBAL_QUEUE = 256, STORE_QUEUE = 6000 };

double sm_share_of(uint32_t a, uint32_t b)
{
    const uint64_t hash = ((uint64_t)a * 2654435761u + b + 1) * HASH_MULTIPLIER;
    return (double)(hash >> 40) / (double)(1u << 24);
}

static bool is_shared(const struct op *op)
{
    return op->shared || ptx_has_modifier(op->in, WORD_SHARED_CTA);
}

static bool is_global(const struct op *op)
{
    return op->kind == WAIT_MEMORY && !is_shared(op) && !ptx_has_modifier(op->in, WORD_CONST) &&
           !ptx_has_modifier(op->in, WORD_PARAM) && op->issue > 0 && op->in->op != PTX_OP_MEMBAR &&
           op->in->op != PTX_OP_FENCE;
}

/* The pipes take it from then on; *stall: what it waits for until then. */
double sm_when_free(const struct sm *sm, const struct sm_pipes *p, const struct op *op,
                    enum stall *stall)
{
    const struct cost *c = &op->cost;
    double at = 0;
    at = c->alu > 0 ? fmax(at, p->alu) : at;
    at = c->fma + c->heavy > 0 ? fmax(at, p->fma) : at;
    at = c->either > 0 ? fmax(at, fmin(p->fma, p->alu)) : at;
    at = c->fp64 > 0 ? fmax(at, p->fp64) : at;
    at = op->tensor_cycles > 0 && !op->asynchronous ? fmax(at, p->tensor) : at;
    *stall = STALL_MATH_PIPE_THROTTLE;
    if (c->xu > 0 && p->xu > at) {
        at = p->xu;
        *stall = STALL_MIO_THROTTLE;
    }
    if (op->kind == WAIT_MEMORY && op->issue > 0) {
        const bool global = is_global(op), stores = global && op->in->op != PTX_OP_LD;
        const double queue = fmax(sm->l1 - (global ? GLOBAL_QUEUE : SHARED_QUEUE),
                                  stores ? fmax(sm->l2, sm->dram) - STORE_QUEUE : 0);
        if (queue > at) {
            at = queue;
            *stall = is_global(op) ? STALL_LG_THROTTLE : STALL_MIO_THROTTLE;
        }
    }
    return at;
}

/* How long a pipe is taken beyond the issue slots of the instruction, but for the first. */
static double taken(const struct op *op, double instructions, double rate)
{
    return fmax(0, instructions * SCHEDULERS / rate - fmax(0, op->issue - 1));
}

void sm_use_pipes(const struct sm *sm, struct sm_pipes *p, const struct op *op, double now)
{
    const struct cost *c = &op->cost;
    const struct gpu_pipes *rate = &sm->in->rates->pipes;
    const bool to_alu = p->fma > now; /* what either pipe can do */
    const double alu = c->alu + (to_alu ? c->either : 0),
                 fma = c->fma + c->heavy + (to_alu ? 0 : c->either);
    p->alu = alu > 0 ? now + taken(op, alu, rate->alu) : p->alu;
    p->fma = fma > 0 ? now + taken(op, fma, rate->fma) : p->fma;
    p->fp64 = c->fp64 > 0 ? now + taken(op, c->fp64, rate->fp64) : p->fp64;
    p->xu = c->xu > 0 ? now + taken(op, c->xu, rate->xu) : p->xu;
    p->tensor = op->tensor_cycles > 0 ? fmax(p->tensor, now) + op->tensor_cycles : p->tensor;
}

static double per_request(const struct sm *sm, const struct op *op, bool sectors)
{
    const uint32_t number = sm->in->k->code[op->pc].site;
    const struct site *site = &sm->in->sites[number];
    const bool counted = number < sm->in->k->site_count && site->a > 0;
    return counted ? (double)site->b / (double)site->a : sectors ? 4 : 1;
}

/* The longest wait that this request has in its turn: some are in L1, some in memory. */
static double latency_now(const struct slot *w, const struct op *op)
{
    const struct chain_wait *c = &op->wait;
    const double at =
        sm_share_of(w->number * 31 + w->visited[0], op->pc + 977 * w->op + (uint32_t)w->since);
    return c->cycles + (at < c->l2_share ? c->l2_cycles : 0) +
           (at < c->dram_share ? c->dram_cycles : 0);
}

/* A request to memory: returns when what it asks for is there. */
double sm_use_memory(struct sm *sm, const struct slot *w, const struct op *op, double now)
{
    const double l1_rate = sm->in->rates->l1_wavefronts_per_cycle;
    const double latency = latency_now(w, op);
    if (op->issue <= 0) { /* a part of another one */
        return now + latency;
    }
    if (is_shared(op)) {
        sm->l1 = fmax(sm->l1, now) + per_request(sm, op, false) / l1_rate;
        return fmax(now, sm->l1) + latency;
    }
    if (!is_global(op)) {
        return now + latency;
    }
    const double sectors = per_request(sm, op, true);
    const bool loads = op->in->op == PTX_OP_LD;
    const double beyond = sectors * (loads ? sm->in->l2_share : 1);
    sm->l1 = fmax(sm->l1, now) + fmax(1, sectors * sm->in->l1_wavefronts_a_sector) / l1_rate;
    sm->l2 = fmax(sm->l2, now) + beyond * sm->in->l2_cycles;
    sm->dram = fmax(sm->dram, now) + beyond * sm->in->dram_cycles;
    const bool atomic = op->in->op == PTX_OP_ATOM || op->in->op == PTX_OP_RED;
    if (atomic) {
        sm->atomics = fmax(sm->atomics, now) + sm->in->atomic_cycles;
        return fmax(sm->l1, sm->atomics) + latency;
    }
    if (!loads) { /* it is on its way when the L1 has taken it */
        return sm->l1;
    }
    const bool beyond_l1 = latency > sm->in->rates->latency.l1 + 1;
    return beyond_l1
               ? fmax(sm->l1 + latency, fmax(fmax(sm->l2, sm->dram), sm->atomics) + latency / 2)
               : sm->l1 + latency;
}

bool sm_reads_special(const struct op *op)
{
    for (unsigned i = 1; i < op->in->operand_count; i++) {
        if (op->in->operands[i].kind == PTX_OPERAND_SPECIAL) {
            return true;
        }
    }
    return false;
}

enum stall sm_stall_of(const struct op *op)
{
    if (sm_reads_special(op)) {
        return STALL_SHORT_SCOREBOARD;
    }
    switch (op->kind) {
    case WAIT_MEMORY:
        return op->in->op == PTX_OP_MEMBAR || op->in->op == PTX_OP_FENCE ? STALL_MEMBAR
               : is_global(op)                                           ? STALL_LONG_SCOREBOARD
                                                                         : STALL_SHORT_SCOREBOARD;
    case WAIT_XU:
    case WAIT_SHUFFLE:
        return STALL_SHORT_SCOREBOARD;
    case WAIT_BRANCH:
    case WAIT_CALL:
        return STALL_BRANCH_RESOLVING;
    case WAIT_BARRIER:
        return STALL_BARRIER;
    default:
        return STALL_WAIT;
    }
}
