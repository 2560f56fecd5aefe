/* reconverge.c - where do lanes that part at a branch wait for each other?
 *
 * Machine code says it with convergence barriers: BSSY, before lanes can part, names a point ahead;
 * at BSYNC there, lanes wait until all others have come, have exited, or have left the way to it
 * (BREAK). This pass finds those reconvergence points: not only where all ways come together, but
 * every block where some of them do. Lanes that part at a branch wait at
 *
 *   - each later block that both ways reach, if it can be reached around the ones before it;
 *   - in a loop also at the loop's end, before its head begins the next round;
 *   - behind a loop that only some of them leave: at its follow, where the ways out come together.
 *
 * Ways that leave the function do not count. What a `break` or `return` does on its way out (its
 * arm) belongs to the round of the loop that it was written in, and no lane waits for it elsewhere.
 * tests/fidelity/README.md says how the rules were found. With SIMT_PASSES=none a branch has one
 * point: its immediate post-dominator, as textbooks have it. */
#include "ptxas/acyclic.h"
#include "ptxas/passes.h"

/* Which ways of a branch reach a node: none, one (1 ...), more. */
enum { NO_SIDE = 0, BOTH = 0xff };

/* Points that are given up again in favour of later ones; more than these of one branch stay
 * points. */
enum { MOST_REJECTED = 64 };

struct sweep {
    struct acyclic *g;
    unsigned *side; /* node -> NO_SIDE, the one way that reaches it (from 1), or BOTH */
    bool *around;   /* node -> reached around the points found so far */
    bool *rejected; /* node -> no point after all */
    unsigned *touched, touched_count; /* nodes to be cleaned up */
    unsigned *points, count;          /* found, the nearest first */
};

static void reach(struct sweep *w, unsigned node, unsigned side, bool around)
{
    if (w->side[node] == NO_SIDE) {
        w->touched[w->touched_count++] = node;
    }
    w->side[node] = w->side[node] == NO_SIDE || w->side[node] == side ? side : BOTH;
    w->around[node] |= around;
}

static void clean(struct sweep *w)
{
    while (w->touched_count > 0) {
        unsigned node = w->touched[--w->touched_count];
        w->side[node] = NO_SIDE;
        w->around[node] = false;
    }
}

/* Follows all ways from the branch at the end of b at once, in order, up to where every one of them
 * has come to a point. */
static void find_points(struct sweep *w, unsigned b)
{
    const struct flow *f = w->g->flow;
    unsigned waiting = 0; /* nodes reached around the points, still ahead */
    w->count = 0;
    for (unsigned s = 0; s < f->blocks[b].successor_count; s++) {
        unsigned node = acyclic_node_behind(f, b, f->blocks[b].successors[s]);
        if (node != FLOW_NONE) {
            waiting += !w->around[node];
            reach(w, node, 1 + s % (BOTH - 1), true);
        }
    }
    for (unsigned i = w->g->rank[b] + 1; waiting > 0 && i < w->g->reached; i++) {
        unsigned node = w->g->order[i];
        if (w->side[node] == NO_SIDE) {
            continue;
        }
        bool around = w->around[node];
        waiting -= around;
        if (around && w->side[node] == BOTH && w->g->edges_in[node] > 1 && !w->rejected[node]) {
            w->points[w->count++] = node;
            around = false;
        }
        for (unsigned s = 0; s < w->g->nodes[node].successor_count; s++) {
            unsigned to = w->g->nodes[node].successors[s];
            waiting += around && !w->around[to];
            reach(w, to, w->side[node], around);
        }
    }
    clean(w);
}

/* Do lanes get from the branch in b around `point` to somewhere that `point` leads to as well, as
 * by a `break`? around[] here: reached from b, not through the point; nothing else can still be
 * met. */
static bool goes_around(struct sweep *w, unsigned b, unsigned point)
{
    bool found = false;
    unsigned waiting = 1; /* nodes reached around it, still ahead */
    reach(w, b, 1, true);
    reach(w, point, 2, false);
    for (unsigned i = w->g->rank[b]; !found && waiting > 0 && i < w->g->reached; i++) {
        unsigned node = w->g->order[i];
        if (w->side[node] == NO_SIDE) {
            continue;
        }
        bool around = w->around[node] && node != point;
        waiting -= w->around[node];
        found = w->side[node] == BOTH && node != point;
        unsigned side = node == point ? 2 : w->side[node];
        for (unsigned s = 0; s < w->g->nodes[node].successor_count; s++) {
            unsigned to = w->g->nodes[node].successors[s];
            waiting += around && !w->around[to];
            reach(w, to, side, around);
        }
    }
    clean(w);
    return found;
}

/* Machine code has no point at a block between branches that may leave the loop: there lanes wait
 * at the end of the round only. */
static void find_lasting_points(struct sweep *w, unsigned b)
{
    unsigned rejected[MOST_REJECTED], count = 0;
    for (bool again = true; again;) {
        again = false;
        find_points(w, b);
        for (unsigned i = 0; !again && count < MOST_REJECTED && i + 1 < w->count; i++) {
            bool is_end = w->points[i] >= w->g->flow->count;
            if (!is_end && goes_around(w, b, w->points[i + 1])) {
                rejected[count++] = w->points[i];
                w->rejected[w->points[i]] = again = true;
            }
        }
    }
    while (count > 0) {
        w->rejected[rejected[--count]] = false;
    }
}

static struct sweep sweep_of(struct acyclic *g)
{
    struct sweep w = {.g = g};
    const size_t room = g->count + 1;
    w.side = arena_alloc(g->arena, room * sizeof *w.side);
    w.around = arena_alloc(g->arena, room * sizeof *w.around);
    w.rejected = arena_alloc(g->arena, room * sizeof *w.rejected);
    w.touched = arena_alloc(g->arena, room * sizeof *w.touched);
    w.points = arena_alloc(g->arena, room * sizeof *w.points);
    return w;
}

void reconverge_of(struct arena *scratch, const struct flow *f, struct ir_reconvergence *result)
{
    struct acyclic g = acyclic_of(scratch, f);
    struct sweep w = sweep_of(&g);
    unsigned total = 0, capacity = 0;
    result->first = arena_alloc(scratch, (f->count + 1) * sizeof *result->first);
    result->rank = arena_alloc(scratch, (f->count + 1) * sizeof *result->rank);
    result->points = arena_alloc(scratch, sizeof *result->points); /* never NULL */
    for (unsigned b = 0; b < f->count; b++) {
        result->first[b] = total;
        result->rank[b] = g.rank[b];
        if (f->number[b] == FLOW_NONE || f->blocks[b].successor_count < 2) {
            continue;
        }
        find_lasting_points(&w, b);
        while (w.count > 0) {
            unsigned node = w.points[--w.count];
            result->points =
                arena_grow(scratch, result->points, total, &capacity, sizeof *result->points);
            result->points[total++] = node < f->count ? node : f->loops[node - f->count].head;
        }
    }
    result->first[f->count] = total;
    for (unsigned i = 0; i < f->loop_count; i++) {
        result->rank[f->loops[i].head] = g.rank[f->count + i];
    }
}

/* --- the function ----------------------------------------------------------------------------- */

/* A block that only leaves the function, perhaps after another that does. */
static bool leaves_soon(const struct flow_block *edges, unsigned b)
{
    for (unsigned steps = 0; steps < 2 && b != FLOW_EXIT && edges[b].successor_count == 1;
         steps++) {
        b = edges[b].successors[0];
    }
    return b == FLOW_EXIT;
}

static bool is_bare_jump(const struct function_ir *ir, uint32_t b)
{
    const struct ir_block *block = &ir->blocks[b];
    if (b + 1 == ir->block_count) {
        return true; /* the function's end */
    }
    const struct ptx_insn *in = ir->insns[block->first].text;
    return block->end == block->first + 1 && in->guard == NULL &&
           (op_is(in->op, OP_LEAVES) || in->op == PTX_OP_BRA);
}

struct jumps { /* blocks that hold nothing but an unguarded jump or `ret` */
    const struct flow_block *edges;
    bool *bare;
    enum { UNSEEN, ON_PATH, KNOWN } * state;
    unsigned *end, *path; /* of a bare one: where it leads when it is left out */
};

/* Where a way that leads to `to` goes on when bare jumps are left out; where they go round in a
 * circle, one of them stays. */
static unsigned behind_jumps(struct jumps *j, unsigned to)
{
    unsigned depth = 0, at = to;
    while (at != FLOW_EXIT && j->bare[at] && j->state[at] == UNSEEN) {
        j->state[at] = ON_PATH;
        j->path[depth++] = at;
        at = j->edges[at].successors[0];
    }
    if (at != FLOW_EXIT && j->bare[at] && j->state[at] == KNOWN) {
        at = j->end[at];
    }
    while (depth > 0) {
        unsigned passed = j->path[--depth];
        j->state[passed] = KNOWN;
        j->end[passed] = at;
    }
    return at;
}

/* The edges of the function without bare jumps: nobody waits in one. */
static struct flow_block *edges_without_jumps(const struct function_ir *ir)
{
    struct arena *a = ir->context->scratch;
    const size_t room = ir->block_count;
    struct flow_block *edges = arena_alloc(a, room * sizeof *edges);
    struct jumps j = {.edges = ir->edges};
    j.bare = arena_alloc(a, room * sizeof *j.bare);
    j.state = arena_alloc(a, room * sizeof *j.state);
    j.end = arena_alloc(a, room * sizeof *j.end);
    j.path = arena_alloc(a, room * sizeof *j.path);
    for (uint32_t b = 0; b < ir->block_count; b++) {
        j.bare[b] = is_bare_jump(ir, b);
    }
    for (uint32_t b = 0; b < ir->block_count; b++) {
        const struct flow_block *from = &ir->edges[b];
        edges[b].successor_count = from->successor_count;
        edges[b].successors = arena_alloc(a, from->successor_count * sizeof *from->successors);
        for (unsigned s = 0; s < from->successor_count; s++) {
            edges[b].successors[s] = behind_jumps(&j, from->successors[s]);
        }
    }
    return edges;
}

static void find_leaving(struct function_ir *ir)
{
    bool *leaving = arena_alloc(ir->context->scratch, ir->block_count * sizeof *leaving);
    for (uint32_t b = 0; b < ir->block_count; b++) {
        leaving[b] = leaves_soon(ir->edges, b);
    }
    ir->reconvergence.leaving = leaving;
}

bool pass_reconverge(struct function_ir *ir)
{
    struct arena *scratch = ir->context->scratch;
    const struct flow f = flow_of(scratch, edges_without_jumps(ir), ir->block_count);
    reconverge_of(scratch, &f, &ir->reconvergence);
    find_leaving(ir);
    return true;
}

/* --- without ptxas ---------------------------------------------------------------------------- */

/* The graph with its edges turned round: node 0 is the way out, node b + 1 is block b. Dominators
 * there are post-dominators here. */
static struct flow_block *turned_round(const struct function_ir *ir)
{
    struct arena *a = ir->context->scratch;
    struct flow_block *turned = arena_alloc(a, (ir->block_count + 1) * sizeof *turned);
    unsigned *capacity = arena_alloc(a, (ir->block_count + 1) * sizeof *capacity);
    for (uint32_t b = 0; b < ir->block_count; b++) {
        for (unsigned s = 0; s < ir->edges[b].successor_count; s++) {
            unsigned to =
                ir->edges[b].successors[s] == FLOW_EXIT ? 0 : ir->edges[b].successors[s] + 1;
            struct flow_block *t = &turned[to];
            t->successors = arena_grow(a, t->successors, t->successor_count, &capacity[to],
                                       sizeof *t->successors);
            t->successors[t->successor_count++] = b + 1;
        }
    }
    return turned;
}

bool pass_postdominators(struct function_ir *ir)
{
    struct arena *a = ir->context->scratch;
    struct ir_reconvergence *r = &ir->reconvergence;
    const struct flow f = flow_of(a, ir->edges, ir->block_count);
    const struct flow back = flow_of(a, turned_round(ir), ir->block_count + 1);
    unsigned total = 0;
    r->first = arena_alloc(a, (ir->block_count + 1) * sizeof *r->first);
    r->points = arena_alloc(a, (ir->block_count + 1) * sizeof *r->points);
    for (uint32_t b = 0; b < ir->block_count; b++) {
        r->first[b] = total;
        const unsigned node = back.idom[b + 1];
        if (ir->edges[b].successor_count > 1 && node != FLOW_NONE && node != 0) {
            r->points[total++] = node - 1;
        }
    }
    r->first[ir->block_count] = total;
    r->rank = f.number;
    find_leaving(ir);
    return true;
}
