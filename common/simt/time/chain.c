/* chain.c - see chain.h: what the stretches of stretch.c take one behind the other. */
#include "time/chain.h"

#include <math.h>
#include <string.h>

#include "ir/ir.h"
#include "time/in_flight.h"
#include "time/nest.h"
#include "time/stretch.h"

/* HISTORY: stretches before the one looked at, where something goes on beside the warp. */
enum { TRIALS = 32, HISTORY = 30, SCHEDULERS = 4 };

/* What a load waits for in one trial of TRIALS. Several loads that are waited for together take as
 * long as the longest of them, so averages will not do: in each trial some of them miss, each by
 * itself. A warp that follows close behind a neighbour waits for the neighbour's lines with all of
 * its loads, one that does not with none. */
static double latency_in(const struct op *op, unsigned trial)
{
    const struct chain_wait *w = &op->wait;
    if (w->l2_share == 0 && w->dram_share == 0) {
        return op->latency;
    }
    const uint64_t own = (op->pc + 1) * HASH_MULTIPLIER;
    const unsigned turn = (trial * (unsigned)(own >> 32 | 1) + (unsigned)(own >> 20)) % TRIALS;
    const double at = (turn + (double)(own >> 48) / 65536) / TRIALS;
    /* memory answers some early and some late: who waits for eight lines waits for the latest */
    const double late = (double)((own * (2 * trial + 1)) >> 33 & 0xffff) / 65536;
    const double spread = 1 + gpu_model.dram_spread * (2 * late - 1);
    const bool in_step = trial % TRIALS < w->in_step_share * TRIALS;
    const double by_itself = (w->dram_share - w->in_step_share) / (1 - w->in_step_share);
    return w->cycles + (at < w->l2_share ? w->l2_cycles : 0) +
           (in_step || at < by_itself ? spread * w->dram_cycles : 0);
}

/* The pipes of a scheduler, which one warp alone can fill: half of an SM's ALU, FP64 or special
 * function instructions a cycle are a quarter of them for each of its four schedulers. */
struct pipes {
    double alu, fp64, xu, tensor; /* when they are free again */
    struct in_flight in_flight;
};

static double begin_in_pipes(struct pipes *p, const struct gpu_pipes *rates, const struct op *op,
                             double start)
{
    const struct cost *c = &op->cost;
    start = c->alu > 0 ? fmax(start, p->alu) : start;
    start = c->fp64 > 0 ? fmax(start, p->fp64) : start;
    start = c->xu > 0 ? fmax(start, p->xu) : start;
    start = op->tensor_cycles > 0 && !op->asynchronous ? fmax(start, p->tensor) : start;
    p->tensor = op->tensor_cycles > 0 ? fmax(start, p->tensor) + op->tensor_cycles : p->tensor;
    p->alu = c->alu > 0 ? start + c->alu * 4 / rates->alu : p->alu;
    p->fp64 = c->fp64 > 0 ? start + c->fp64 * 4 / rates->fp64 : p->fp64;
    p->xu = c->xu > 0 ? start + c->xu * 4 / rates->xu : p->xu;
    return start;
}

/* Issues the block from `now`; returns when its last instruction has gone. */
static double issue(struct scheduler *s, const struct stretch *b, struct pipes *pipes, double now,
                    unsigned trial)
{
    for (unsigned i = 0; i < b->count; i++) {
        const struct op *op = &b->ops[i];
        double start = now;
        for (unsigned r = 0; r < op->reads; r++) {
            start = s->ready[op->read[r]] > start ? s->ready[op->read[r]] : start;
        }
        start = begin_in_pipes(pipes, &s->rates->pipes, op, start);
        const double latency = latency_in(op, trial), until = op->asynchronous ? 0 : latency;
        now = start + (op->is_call ? latency : op->issue);
        for (unsigned r = 0; r < op->writes; r++) {
            s->ready[op->written[r]] = start + (until > op->issue ? until : op->issue);
        }
        if (in_flight_concerns(op)) {
            now = in_flight_issue(&pipes->in_flight, op, start, latency, pipes->tensor);
        } else if (op->writes == 0 && op->order == ORDER_FENCE) {
            now = start + latency; /* barriers and fences */
        } else if (op->kind == WAIT_BRANCH || op->kind == WAIT_CALL) {
            now = start + fmax(latency, op->issue);
        }
    }
    for (unsigned i = 0; i < b->renamed_count; i++) {
        s->ready[b->renamed[i].reg] = s->ready[b->renamed[i].value];
    }
    return now;
}

/* Cycles of block b behind others, of which list[0] came last: on average of its executions but for
 * the first, if it is among them, which nothing has been begun for. */
static double cycles_behind(struct scheduler *s, const struct stretch *const *list, unsigned count,
                            const struct stretch *b)
{
    double cycles = 0;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        memset(s->ready, 0, (s->value_count + 1) * sizeof *s->ready);
        struct pipes pipes = {.alu = 0};
        double before = 0, own = 0;
        unsigned seen = 0, counted = 0;
        for (unsigned i = count; i-- > 0;) {
            const double end = issue(s, list[i], &pipes, before, trial + 7 * (i + 1));
            const bool counts = s->goes_beside && list[i] == b && seen++ > 0;
            own += counts ? end - before : 0;
            counted += counts;
            before = end;
        }
        own += issue(s, b, &pipes, before, trial) - before;
        cycles += own / (counted + 1) / TRIALS;
    }
    return cycles;
}

/* How often control goes from one stretch to the other: as often as `from` runs and nothing else
 * that it leads to does. */
static double goes(const struct scheduler *s, const struct stretch *from, const struct stretch *to)
{
    double others = 0;
    for (unsigned i = 0; i < s->count; i++) {
        const struct stretch *b = &s->stretches[i];
        others += b != to && b->runs < from->runs && stretch_leads_to(from, b) ? b->runs : 0;
    }
    return from->runs - others;
}

/* Of the stretches that lead to b the one from which control comes most often, b itself included.
 */
static const struct stretch *most_often_before(const struct scheduler *s, const struct stretch *b)
{
    const struct stretch *best = NULL;
    for (unsigned i = 0; i < s->count; i++) {
        const struct stretch *from = &s->stretches[i];
        if (stretch_leads_to(from, b) && (best == NULL || goes(s, from, b) > goes(s, best, b))) {
            best = from;
        }
    }
    return best;
}

/* The same; of several that come as often the last one in the text, behind which the others stand:
 * an arm that is always taken, not what jumps over it. And one thread's arm that begins bulk
 * copies, for which all wait. */
static const struct stretch *longest_way_before(const struct scheduler *s, const struct stretch *b)
{
    const struct stretch *best = most_often_before(s, b);
    for (unsigned i = 0; i < s->count && best != NULL; i++) {
        const struct stretch *from = &s->stretches[i];
        if (stretch_leads_to(from, b) && from->pc < b->pc && from->pc > best->pc &&
            best->pc < b->pc &&
            (in_flight_begins_bulk(from) || goes(s, from, b) >= goes(s, best, b))) {
            best = from;
        }
    }
    return best;
}

/* The stretches that run before b, the last one first: one, or where something goes on beside the
 * warp two rounds of the loop that b belongs to. */
static unsigned find_history(const struct scheduler *s, const struct stretch *b,
                             const struct stretch *list[HISTORY])
{
    const struct stretch *at = b;
    unsigned count = 0, rounds = 0;
    if (!s->goes_beside) {
        list[0] = most_often_before(s, b);
        return list[0] != NULL;
    }
    while (count < HISTORY && rounds < 4 && (at = longest_way_before(s, at)) != NULL) {
        rounds += at == b || (count > 0 && at == list[count - 1]);
        list[count++] = at;
    }
    return count;
}

static bool goes_beside(const struct scheduler *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        for (unsigned o = 0; o < s->stretches[i].count; o++) {
            if (in_flight_concerns(&s->stretches[i].ops[o])) {
                return true;
            }
        }
    }
    return false;
}

/* How often control may have gone on behind `before` to b: behind a loop as often as the loop was
 * come to, not as often as it went round. */
static double most_runs(const struct scheduler *s, const struct stretch *before,
                        const struct stretch *b)
{
    double entries;
    return nest_leaves(s, before, b, &entries) ? entries : before->runs;
}

static bool has_barrier(const struct stretch *b)
{
    for (unsigned i = 0; i < b->count; i++) {
        if (b->ops[i].kind == WAIT_BARRIER) {
            return true;
        }
    }
    return false;
}

/* From which stretches control may come to a barrier. */
static void find_those_that_meet(struct scheduler *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        s->stretches[i].meets = has_barrier(&s->stretches[i]);
    }
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < s->count; i++) {
            struct stretch *b = &s->stretches[i];
            for (unsigned k = 0; k < s->count && !b->meets; k++) {
                b->meets = s->stretches[k].meets && stretch_leads_to(b, &s->stretches[k]);
                more |= b->meets;
            }
        }
    }
}

/* Where warps wait for each other, what only some of them do holds up all: a stretch that a warp of
 * the block executes counts as often as the one before it, though others leave it out. If a barrier
 * is still to come, so does what that warp does next, loops included (select_by_digits: one thread
 * counts while eight warps wait). In the text ways in stand first. */
static void find_critical(struct scheduler *s)
{
    find_those_that_meet(s);
    for (unsigned i = 0; i < s->count; i++) {
        struct stretch *b = &s->stretches[i];
        const struct stretch *before = most_often_before(s, b);
        const bool known = b->meets && before != NULL && before->critical > 0;
        const double held_up = known ? before->critical / before->runs : 1;
        const double most = before != NULL && before != b ? most_runs(s, before, b) : b->runs;
        b->critical = fmax(fmax(held_up * most, b->runs), b->meets ? nest_critical(s, b) : 0);
        b->critical = fmin(b->critical, b->runs * s->warps_a_block);
    }
}

/* Warpgroups that meet at barriers multiply at the same time: each waits for the products of all,
 * since they share the tensor cores. */
static void share_tensor_cores(struct scheduler *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        struct stretch *b = &s->stretches[i];
        const double warps = s->warps_a_block * b->runs / b->critical;
        for (unsigned o = 0; o < b->count; o++) {
            b->ops[o].tensor_cycles *= b->ops[o].asynchronous ? fmax(1, warps / SCHEDULERS) : 1;
        }
    }
}

/* Barriers of one warp; one of a cluster counts as the time that it takes. */
static double barriers_of(const struct kernel *k, const struct site *sites, double warps)
{
    double barriers = 0;
    for (unsigned i = 0; i < k->site_count; i++) {
        if (k->sites[i].kind == SITE_BARRIER) {
            const struct code_source *from = &k->source[k->sites[i].insn];
            const struct ptx_insn *in = k->funcs[from->func]->ir->insns[from->insn].text;
            const double turns =
                ptx_has_modifier(in, WORD_CLUSTER) ? gpu_model.cluster_barrier_turns : 1;
            barriers += turns * (double)sites[i].a / warps;
        }
    }
    return barriers;
}

struct chain chain_of(const struct kernel *k, const struct site *sites, double warps,
                      double warps_a_block, const struct gpu_rates *rates, chain_latency latency,
                      void *state)
{
    struct scheduler s = {
        .k = k, .rates = rates, .latency = latency, .state = state, .warps_a_block = warps_a_block};
    struct chain chain = {.barriers = barriers_of(k, sites, warps)};
    s.coupled = chain.barriers > 0 ? warps_a_block : 1;
    stretch_make(&s, sites, warps);
    find_critical(&s);
    if (chain.barriers > 0) {
        share_tensor_cores(&s);
    }
    in_flight_find_lags(&s);
    s.goes_beside = goes_beside(&s);
    s.ready = arena_alloc(&s.arena, (s.value_count + 1) * sizeof *s.ready);
    for (unsigned i = 0; i < s.count; i++) {
        const struct stretch *b = &s.stretches[i], *history[HISTORY];
        const unsigned count = find_history(&s, b, history);
        const double times = chain.barriers > 0 ? b->critical : b->runs;
        chain.cycles += times * (cycles_behind(&s, history, count, b) +
                                 gpu_model.part_cycles * b->parts / b->runs);
        for (unsigned o = 0; o < b->count; o++) {
            chain.issue += times * fmax(b->ops[o].issue, b->ops[o].tensor_cycles);
        }
    }
    chain.guarded = s.guarded;
    arena_free(&s.arena);
    return chain;
}
