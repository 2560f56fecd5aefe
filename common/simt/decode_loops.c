/* decode_loops.c - loops, and where lanes that part inside a loop meet again.
 *
 * A `break` in one arm of an `if` must not keep the other lanes from meeting behind the `if`:
 * machine code lets lanes that leave a loop out of whatever waits for them inside it. So a branch
 * meets where all ways within its loop come together, as if the edges that leave the loop were not
 * there; at the latest at the loop's head. Branches outside of loops are decode_block.c's. */
#include "decoder.h"

#include <stdlib.h>
#include <string.h>

#define NONE 0xffffffffu

struct loop {
    unsigned head, size, parent; /* parent: index, or NONE */
    bool *has;                   /* per block */
    unsigned *meets;             /* per block, NULL until asked for */
};

struct loops {
    struct arena *a;
    const struct flow_block *blocks;
    unsigned block_count;
    struct loop *loops;
    unsigned count, capacity;
    unsigned *innermost; /* per block: index, or NONE */
};

/* --- dominators: post-dominators of the reversed graph --------------------------------------- */

static unsigned *find_dominators(struct arena *a, const struct flow_block *blocks, unsigned count)
{
    struct flow_block *reversed = arena_alloc(a, (count + 1) * sizeof *reversed);
    unsigned *degree = arena_alloc(a, (count + 1) * sizeof *degree);
    unsigned *idom = arena_alloc(a, (count + 1) * sizeof *idom);
    for (unsigned b = 0; b < count; b++) {
        for (unsigned s = 0; s < blocks[b].successor_count; s++) {
            if (blocks[b].successors[s] != FLOW_EXIT) {
                degree[blocks[b].successors[s]]++;
            }
        }
    }
    for (unsigned b = 0; b < count; b++) {
        reversed[b].successors = arena_alloc(a, (degree[b] + 1) * sizeof(unsigned));
    }
    for (unsigned b = 0; b < count; b++) {
        for (unsigned s = 0; s < blocks[b].successor_count; s++) {
            unsigned to = blocks[b].successors[s];
            if (to != FLOW_EXIT) {
                reversed[to].successors[reversed[to].successor_count++] = b;
            }
        }
    }
    reversed[0].successors[reversed[0].successor_count++] = FLOW_EXIT;
    flow_post_dominators(a, reversed, count, idom);
    return idom;
}

/* How deep each block lies in the tree of dominators: 1 for those that nothing dominates. */
static unsigned *find_levels(struct arena *a, const unsigned *idom, unsigned count)
{
    unsigned *level = arena_alloc(a, (count + 1) * sizeof *level);
    for (unsigned b = 0; b < count; b++) {
        unsigned up = b, steps = 0;
        for (; up != FLOW_EXIT && level[up] == 0; up = idom[up]) {
            steps++;
        }
        unsigned deepest = steps + (up == FLOW_EXIT ? 0 : level[up]);
        for (unsigned n = b; steps > 0; n = idom[n], steps--) {
            level[n] = deepest--;
        }
    }
    return level;
}

static bool dominates(const unsigned *idom, const unsigned *level, unsigned above, unsigned b)
{
    while (level[b] > level[above]) {
        b = idom[b];
    }
    return b == above;
}

/* --- natural loops --------------------------------------------------------------------------- */

static struct loop *loop_with_head(struct loops *l, unsigned head)
{
    for (unsigned i = 0; i < l->count; i++) {
        if (l->loops[i].head == head) {
            return &l->loops[i];
        }
    }
    l->loops = arena_grow(l->a, l->loops, l->count, &l->capacity, sizeof *l->loops);
    struct loop *loop = &l->loops[l->count++];
    *loop = (struct loop){.head = head, .size = 1, .parent = NONE};
    loop->has = arena_alloc(l->a, l->block_count * sizeof *loop->has);
    loop->has[head] = true;
    return loop;
}

/* Every block from which `latch` is reached without passing the head belongs to the loop. */
static void add_body(struct loops *l, struct loop *loop, unsigned latch,
                     const struct flow_block *preds)
{
    unsigned *stack = arena_alloc(l->a, (l->block_count + 1) * sizeof *stack);
    unsigned depth = 0;
    if (!loop->has[latch]) {
        loop->has[latch] = true;
        loop->size++;
        stack[depth++] = latch;
    }
    while (depth > 0) {
        const struct flow_block *p = &preds[stack[--depth]];
        for (unsigned i = 0; i < p->successor_count; i++) {
            if (!loop->has[p->successors[i]]) {
                loop->has[p->successors[i]] = true;
                loop->size++;
                stack[depth++] = p->successors[i];
            }
        }
    }
}

static struct flow_block *predecessors(struct loops *l)
{
    struct flow_block *preds = arena_alloc(l->a, (l->block_count + 1) * sizeof *preds);
    unsigned *capacity = arena_alloc(l->a, (l->block_count + 1) * sizeof *capacity);
    for (unsigned b = 0; b < l->block_count; b++) {
        for (unsigned s = 0; s < l->blocks[b].successor_count; s++) {
            unsigned to = l->blocks[b].successors[s];
            if (to != FLOW_EXIT) {
                preds[to].successors =
                    arena_grow(l->a, preds[to].successors, preds[to].successor_count, &capacity[to],
                               sizeof(unsigned));
                preds[to].successors[preds[to].successor_count++] = b;
            }
        }
    }
    return preds;
}

static void nest(struct loops *l)
{
    for (unsigned i = 0; i < l->count; i++) {
        for (unsigned j = 0; j < l->count; j++) {
            bool around =
                i != j && l->loops[j].has[l->loops[i].head] && l->loops[j].size > l->loops[i].size;
            if (around && (l->loops[i].parent == NONE ||
                           l->loops[j].size < l->loops[l->loops[i].parent].size)) {
                l->loops[i].parent = j;
            }
        }
    }
    for (unsigned b = 0; b < l->block_count; b++) {
        l->innermost[b] = NONE;
        for (unsigned i = 0; i < l->count; i++) {
            if (l->loops[i].has[b] &&
                (l->innermost[b] == NONE || l->loops[i].size < l->loops[l->innermost[b]].size)) {
                l->innermost[b] = i;
            }
        }
    }
}

static void find_natural_loops(struct loops *l)
{
    const unsigned *idom = find_dominators(l->a, l->blocks, l->block_count);
    const unsigned *level = find_levels(l->a, idom, l->block_count);
    const struct flow_block *preds = NULL;
    l->innermost = arena_alloc(l->a, (l->block_count + 1) * sizeof *l->innermost);
    for (unsigned b = 0; b < l->block_count; b++) {
        for (unsigned s = 0; s < l->blocks[b].successor_count; s++) {
            unsigned to = l->blocks[b].successors[s];
            if (to != FLOW_EXIT && dominates(idom, level, to, b)) {
                preds = preds != NULL ? preds : predecessors(l);
                add_body(l, loop_with_head(l, to), b, preds);
            }
        }
    }
    nest(l);
}

/* --- meeting points -------------------------------------------------------------------------- */

/* The loop's blocks alone: its ends are the ways back to the head; ways out do not count, unless a
 * table of targets (more than two) leads there. */
static void find_meets(struct loops *l, struct loop *loop)
{
    struct flow_block *inner = arena_alloc(l->a, (l->block_count + 1) * sizeof *inner);
    for (unsigned b = 0; b < l->block_count; b++) {
        const struct flow_block *from = &l->blocks[b];
        if (!loop->has[b]) {
            continue;
        }
        inner[b].successors = arena_alloc(l->a, (from->successor_count + 1) * sizeof(unsigned));
        for (unsigned s = 0; s < from->successor_count; s++) {
            unsigned to = from->successors[s];
            bool out = to == FLOW_EXIT || !loop->has[to];
            if (!out || from->successor_count > 2) {
                inner[b].successors[inner[b].successor_count++] =
                    out || to == loop->head ? FLOW_EXIT : to;
            }
        }
    }
    loop->meets = arena_alloc(l->a, (l->block_count + 1) * sizeof *loop->meets);
    flow_post_dominators(l->a, inner, l->block_count, loop->meets);
}

/* The innermost loop that the branch at the end of b does not leave. */
static unsigned region_of(const struct loops *l, unsigned b)
{
    unsigned region = l->innermost[b];
    for (unsigned s = 0; region != NONE && s < l->blocks[b].successor_count;) {
        unsigned to = l->blocks[b].successors[s];
        if (to == FLOW_EXIT || l->loops[region].has[to]) {
            s++;
        } else {
            region = l->loops[region].parent;
        }
    }
    return region;
}

/* The outermost loop that the branch leaves, as a number of the kernel; NO_LOOP: none. */
static uint32_t left_loop(const struct loops *l, unsigned b, unsigned region, uint32_t base)
{
    unsigned loop = l->innermost[b];
    if (loop == region) {
        return NO_LOOP;
    }
    while (l->loops[loop].parent != region) {
        loop = l->loops[loop].parent;
    }
    return base + loop;
}

static void add_to_kernel(struct decoder *d, const struct loops *l)
{
    struct kernel *k = d->k;
    uint32_t base = k->loop_count;
    uint32_t *parents = arena_alloc(&k->arena, (base + l->count + 1) * sizeof *parents);
    if (base > 0) {
        memcpy(parents, k->loop_parents, base * sizeof *parents);
    }
    for (unsigned i = 0; i < l->count; i++) {
        parents[base + i] = l->loops[i].parent == NONE ? NO_LOOP : base + l->loops[i].parent;
    }
    k->loop_parents = parents;
    k->loop_count = base + l->count;
}

void meet_in_loops(struct decoder *d, const struct flow_block *blocks, unsigned count,
                   unsigned *meets)
{
    struct loops l = {.a = &d->scratch, .blocks = blocks, .block_count = count};
    uint32_t base = d->k->loop_count;
    find_natural_loops(&l);
    d->loop_of = arena_alloc(&d->scratch, (count + 1) * sizeof *d->loop_of);
    d->left_loop = arena_alloc(&d->scratch, (count + 1) * sizeof *d->left_loop);
    for (unsigned b = 0; b < count; b++) {
        unsigned region = region_of(&l, b);
        d->loop_of[b] = l.innermost[b] == NONE ? NO_LOOP : base + l.innermost[b];
        d->left_loop[b] = left_loop(&l, b, region, base);
        if (region == NONE || blocks[b].successor_count < 2) {
            continue;
        }
        struct loop *loop = &l.loops[region];
        if (loop->meets == NULL) {
            find_meets(&l, loop);
        }
        meets[b] = loop->meets[b] == FLOW_EXIT ? loop->head : loop->meets[b];
    }
    add_to_kernel(d, &l);
}
