/* in_flight.c - see in_flight.h. */
#include "time/in_flight.h"

#include <math.h>

static bool is_bulk(const struct op *op) { return ptx_has_modifier(op->in, WORD_BULK); }

static bool is_copy(const struct op *op)
{
    return op->in->op == PTX_OP_CP && !ptx_has_modifier(op->in, WORD_COMMIT_GROUP) &&
           !ptx_has_modifier(op->in, WORD_WAIT_GROUP) && !ptx_has_modifier(op->in, WORD_WAIT_ALL);
}

bool in_flight_concerns(const struct op *op)
{
    return op->in->op == PTX_OP_WGMMA || op->in->op == PTX_OP_CP || op->lag > 0;
}

/* All groups must be complete but for the `left` that were committed last. */
static double wait(const struct in_flight_groups *g, double now, uint64_t left)
{
    return left < g->commits && left < IN_FLIGHT_GROUPS
               ? fmax(now, g->complete[(g->commits - 1 - left) % IN_FLIGHT_GROUPS])
               : now;
}

static double order_groups(struct in_flight_groups *g, const struct op *op, double now)
{
    if (ptx_has_modifier(op->in, WORD_COMMIT_GROUP)) {
        g->complete[g->commits++ % IN_FLIGHT_GROUPS] = g->latest;
    } else if (ptx_has_modifier(op->in, WORD_WAIT_GROUP)) {
        now = wait(g, now, op->in->operands[0].bits);
    } else if (ptx_has_modifier(op->in, WORD_WAIT_ALL)) {
        now = fmax(now, g->latest);
    }
    return now + op->issue;
}

double in_flight_issue(struct in_flight *b, const struct op *op, double start, double latency,
                       double tensor_free)
{
    if (op->in->op == PTX_OP_WGMMA) {
        b->products.latest = op->asynchronous ? tensor_free + latency : b->products.latest;
        return op->asynchronous ? start + op->issue : order_groups(&b->products, op, start);
    }
    if (op->lag > 0) {
        return op->lag <= b->bulk_count && op->lag <= IN_FLIGHT_COPIES
                   ? fmax(start, b->bulk[(b->bulk_count - op->lag) % IN_FLIGHT_COPIES]) + op->issue
                   : start + op->issue;
    }
    if (is_copy(op) && is_bulk(op)) {
        b->bulk[b->bulk_count++ % IN_FLIGHT_COPIES] = start + latency;
        return start + op->issue;
    }
    if (is_copy(op)) {
        b->copies.latest = fmax(b->copies.latest, start + latency);
        return start + op->issue;
    }
    return is_bulk(op) ? start + latency + op->issue : order_groups(&b->copies, op, start);
}

/* --- bulk copies --------------------------------------------------------------------------------
 */

/* Of the copies that the launch made, the instruction that made most in each block; of several, the
 * last one. NO_REF: none. */
static uint32_t most_copies(const struct kernel *k, const struct site *sites, double blocks,
                            double *copies)
{
    uint32_t found = NO_REF;
    *copies = 0;
    for (unsigned i = 0; i < k->site_count; i++) {
        if (k->sites[i].kind == SITE_BULK_LOAD && (double)sites[i].a / blocks >= *copies &&
            sites[i].a > 0) {
            *copies = (double)sites[i].a / blocks;
            found = k->sites[i].insn;
        }
    }
    return found;
}

/* A wait is for the copy made `lag` copies ago: those that were begun ahead of the loop are as many
 * as the block waits oftener than the loop copies, and one more where the loop copies before it
 * waits. */
void in_flight_find_lags(struct scheduler *s, const struct site *sites, double warps)
{
    double copies;
    const uint32_t copy = most_copies(s->k, sites, warps / s->warps_a_block, &copies);
    for (unsigned i = 0; i < s->count && copy != NO_REF; i++) {
        struct stretch *b = &s->stretches[i];
        const double ahead = round(fmax(0, b->runs - copies));
        for (unsigned o = 0; o < b->count; o++) {
            struct op *op = &b->ops[o];
            if (op->in->op == PTX_OP_MBARRIER && op->kind == WAIT_MEMORY) {
                op->lag = (unsigned)fmin(ahead, IN_FLIGHT_COPIES) + (copy < op->pc ? 1 : 0);
            }
        }
    }
}
