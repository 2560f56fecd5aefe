/* schedule.c - the order in which ptxas would issue a stretch: the longest wait first.
 *
 * Each instruction has a height, how long the stretch still takes from its issue on; of those whose
 * operands are on their way the highest goes next. See stretch.h. */
#include "time/stretch.h"

#include <math.h>
#include <string.h>

#include "ir/ops.h"
#include "time/nest.h"

/* How far ptxas looks ahead, how far beyond a store that has not gone, and how many registers it
 * lets loads fill that nobody has read yet: what the machine code of tests/fidelity/times for sm_90
 * shows (life and convolution_5x5 load all at once, gemv_columns and bilateral in two batches,
 * radix_count seven loads before the first store). In loops that multiply by tensor cores, whose
 * sums fill registers, loads have fewer: 6 (wmma_double, wmma_bf16_tall), 8 (gemm_wmma,
 * gemm_wmma_shared), elsewhere seen 4 to 12; but all four of a loop's rounds go past the stores of
 * the first (lesson 02's matmul_mma, 150 instructions). */
enum { AHEAD = 256, PAST_STORE = 48, LOADED_MOST = 16, LOADED_MOST_BESIDE_SUMS = 8 };

struct edge { /* to a later instruction of the stretch */
    unsigned to;
    double after; /* so many cycles behind */
    struct edge *next;
};

struct pending {
    struct edge *edges;
    unsigned left;    /* instructions that must go before it and have not */
    unsigned readers; /* of what it has loaded, that have not gone */
    unsigned first;   /* of those that read it, in the text */
    bool placed;
};

struct orderer {
    struct scheduler *s;
    struct stretch *b;
    struct pending *nodes;
    unsigned *writer;   /* per value: the instruction of the stretch that writes it, + 1 */
    unsigned fence;     /* the last one, + 1 */
    unsigned in_flight; /* registers that loads have filled and nobody has read, */
    unsigned most;      /* and how many may be */
    unsigned past_store;
    bool beside_sums; /* in a loop that multiplies */
};

static void add_edge(struct orderer *o, unsigned from, unsigned to, bool waits)
{
    const struct op *op = &o->b->ops[from];
    struct edge *e = arena_alloc(&o->s->arena, sizeof *e);
    *e = (struct edge){to, waits && op->latency > op->issue ? op->latency : op->issue,
                       o->nodes[from].edges};
    o->nodes[from].edges = e;
    o->nodes[to].left++;
}

/* Loads may pass each other, and stores of the other memory. */
static void order_memory(struct orderer *o, unsigned i)
{
    const struct op *op = &o->b->ops[i];
    if (op->order == ORDER_FREE) {
        return;
    }
    const unsigned from = o->fence > 0 ? o->fence - 1 : 0;
    if (o->fence > 0) {
        add_edge(o, from, i, false);
    }
    for (unsigned k = from; k < i; k++) {
        const struct op *before = &o->b->ops[k];
        const bool either = before->order == ORDER_STORE || op->order == ORDER_STORE;
        if (before->order != ORDER_FREE && before->order != ORDER_FENCE &&
            (op->order == ORDER_FENCE || (either && before->shared == op->shared))) {
            add_edge(o, k, i, false);
        }
    }
    if (op->order == ORDER_FENCE) {
        o->fence = i + 1;
    }
}

static void find_edges(struct orderer *o)
{
    const struct stretch *b = o->b;
    for (unsigned i = 0; i < b->count; i++) {
        const struct op *op = &b->ops[i];
        for (unsigned r = 0; r < op->reads; r++) {
            const unsigned writer = o->writer[op->read[r]];
            if (writer > 0) {
                struct pending *from = &o->nodes[writer - 1];
                add_edge(o, writer - 1, i, true);
                from->first = from->readers++ == 0 ? i : from->first;
            }
        }
        order_memory(o, i);
        for (unsigned w = 0; w < op->writes; w++) {
            o->writer[op->written[w]] = i + 1;
        }
    }
    for (unsigned i = b->count; i-- > 0;) {
        struct op *op = &b->ops[i];
        op->height = op->issue;
        for (const struct edge *e = o->nodes[i].edges; e != NULL; e = e->next) {
            op->height = fmax(op->height, e->after + b->ops[e->to].height);
        }
    }
}

static bool is_load(const struct op *op)
{
    return op->order == ORDER_LOAD || op->in->op == PTX_OP_LD;
}

/* Fragments that come from shared memory, among sums that fill registers. */
static bool goes_late(const struct orderer *o, const struct op *op)
{
    return o->beside_sums && is_load(op) && (op->shared || op->in->op == PTX_OP_LDMATRIX);
}

/* Is i better than `best`? What the rest waits for longest is. But fragments go in the order in
 * which they are read, and once there are enough only if nothing else can (gemm_turned). */
static bool is_better(const struct orderer *o, unsigned i, unsigned best)
{
    const struct op *op = &o->b->ops[i], *other = &o->b->ops[best];
    const bool late = goes_late(o, op), other_late = goes_late(o, other);
    if (late && other_late) {
        return o->nodes[i].first < o->nodes[best].first;
    }
    if (late != other_late && o->in_flight >= o->most) {
        return other_late;
    }
    return op->height > other->height;
}

/* Of the instructions that may go next, the best one; loads only while there are registers for
 * them. The branch at the end stays there. */
static unsigned choose_next(const struct orderer *o, unsigned first)
{
    const struct stretch *b = o->b;
    const bool full = o->in_flight >= o->most;
    unsigned best = b->count, most = first + AHEAD;
    for (unsigned i = first; i < b->count && i < most; i++) {
        if (b->ops[i].order == ORDER_STORE && !o->nodes[i].placed) {
            most = i + o->past_store < most ? i + o->past_store : most;
            break;
        }
    }
    for (unsigned i = first; i < b->count && i < most; i++) {
        const struct op *op = &b->ops[i];
        if (o->nodes[i].placed || o->nodes[i].left > 0 ||
            (full && is_load(op) && !goes_late(o, op) && i != first) ||
            (i + 1 == b->count && i != first)) {
            continue;
        }
        best = best == b->count || is_better(o, i, best) ? i : best;
    }
    return best;
}

/* Registers that a load fills. */
static unsigned filled_by(const struct op *op)
{
    return op->in->op == PTX_OP_WMMA ? (unsigned)cost_fragment_registers(op->in) : op->writes;
}

static void place(struct orderer *o, unsigned i)
{
    const struct op *op = &o->b->ops[i];
    o->nodes[i].placed = true;
    o->in_flight += is_load(op) && o->nodes[i].readers > 0 ? filled_by(op) : 0;
    for (const struct edge *e = o->nodes[i].edges; e != NULL; e = e->next) {
        o->nodes[e->to].left--;
    }
    for (unsigned r = 0; r < op->reads; r++) {
        const unsigned writer = o->writer[op->read[r]];
        if (writer > 0 && --o->nodes[writer - 1].readers == 0 && is_load(&o->b->ops[writer - 1])) {
            o->in_flight -= filled_by(&o->b->ops[writer - 1]);
        }
    }
}

void schedule_in_order(struct scheduler *s, struct stretch *b)
{
    struct op *sorted = arena_alloc(&s->arena, (b->count + 1) * sizeof *sorted);
    const bool multiplies = nest_multiplies(s, b);
    struct orderer o = {.s = s,
                        .b = b,
                        .most = multiplies ? LOADED_MOST_BESIDE_SUMS : LOADED_MOST,
                        .past_store = multiplies ? AHEAD : PAST_STORE,
                        .beside_sums = multiplies};
    o.nodes = arena_alloc(&s->arena, (b->count + 1) * sizeof *o.nodes);
    o.writer = arena_alloc(&s->arena, (s->value_count + 1) * sizeof *o.writer);
    find_edges(&o);
    for (unsigned n = 0, first = 0; n < b->count; n++) {
        const unsigned next = choose_next(&o, first);
        sorted[n] = b->ops[next];
        place(&o, next);
        while (first < b->count && o.nodes[first].placed) {
            first++;
        }
    }
    memcpy(b->ops, sorted, b->count * sizeof *sorted);
}
