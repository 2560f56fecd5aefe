/* in_flight.c - see in_flight.h. */
#include "time/in_flight.h"
#include "time/nest.h"

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

bool in_flight_begins_bulk(const struct stretch *b)
{
    for (unsigned i = 0; i < b->count; i++) {
        if (is_copy(&b->ops[i]) && is_bulk(&b->ops[i])) {
            return true;
        }
    }
    return false;
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

/* --- bulk copies ------------------------------------------------------------------------------ */

static bool is_bulk_load(const struct scheduler *s, const struct op *op)
{
    const unsigned site = s->k->code[op->pc].site;
    return is_copy(op) && is_bulk(op) && site < s->k->site_count &&
           s->k->sites[site].kind == SITE_BULK_LOAD;
}

static bool is_wait(const struct op *op)
{
    return op->in->op == PTX_OP_MBARRIER && op->kind == WAIT_MEMORY;
}

/* Copies that a block begins in this stretch. */
static double copies_in(const struct scheduler *s, const struct stretch *b)
{
    unsigned copies = 0;
    for (unsigned i = 0; i < b->count; i++) {
        copies += is_bulk_load(s, &b->ops[i]);
    }
    return copies * b->runs * s->warps_a_block;
}

static bool has_wait(const struct stretch *b)
{
    for (unsigned i = 0; i < b->count; i++) {
        if (is_wait(&b->ops[i])) {
            return true;
        }
    }
    return false;
}

/* How many copies ago the one was begun that b waits for. `ahead` were begun before b's loop; in
 * each round `each` are, before b or behind it, and the last one is waited for. */
static double lag_of(const struct scheduler *s, const struct stretch *b, double all, double each)
{
    double ahead = all;
    bool before = false;
    for (unsigned i = 0; i < s->count; i++) {
        const struct stretch *other = &s->stretches[i];
        const double copies = copies_in(s, other);
        if (copies > 0 && nest_together(s, b, other)) {
            ahead -= copies;
            before |= other->pc < b->pc;
        }
    }
    return ahead + 1 - (before ? 0 : each);
}

/* Sets op->lag of those that wait at an mbarrier for bulk copies. */
void in_flight_find_lags(struct scheduler *s)
{
    double all = 0, waits = 0;
    for (unsigned i = 0; i < s->count; i++) {
        all += copies_in(s, &s->stretches[i]);
        waits += has_wait(&s->stretches[i]) ? nest_waits(s, &s->stretches[i]) : 0;
    }
    for (unsigned i = 0; i < s->count && all > 0; i++) {
        struct stretch *b = &s->stretches[i];
        const double each = fmax(1, round(all / fmax(1, waits)));
        const double lag = has_wait(b) ? round(lag_of(s, b, all, each)) : 0;
        for (unsigned o = 0; o < b->count && lag > 0; o++) {
            b->ops[o].lag = is_wait(&b->ops[o]) ? (unsigned)fmin(lag, IN_FLIGHT_COPIES + 1) : 0;
        }
    }
}
