/* test_flow.c - dominators and loops of small graphs, and of many random ones held against the
 * definition; what must be true of the points where lanes wait, whatever the graph. Which places
 * they are is test_decode.c's, and the hardware's. */
#include <stdlib.h>
#include <string.h>

#include "common/simt/ptxas/acyclic.h"
#include "common/simt/ptxas/passes.h"
#include "suite.h"

enum { MOST = 12 };

/* edges[b] lists successors; -1 ends the list, FLOW_EXIT written as 99 */
static const struct {
    const char *what;
    unsigned count;
    int edges[6][4];
    int idom[6];
    unsigned loops;
} cases[] = {
    {"a straight line", 2, {{1, -1}, {99, -1}}, {99, 0}, 0},
    {"if/else", 4, {{1, 2, -1}, {3, -1}, {3, -1}, {99, -1}}, {99, 0, 0, 0}, 0},
    {"a loop", 3, {{1, -1}, {1, 2, -1}, {99, -1}}, {99, 0, 1}, 1},
    {"what is never reached has no dominator", 3, {{2, -1}, {2, -1}, {99, -1}}, {99, 99, 0}, 0},
    {"a loop in a loop",
     5,
     {{1, -1}, {2, -1}, {2, 3, -1}, {1, 4, -1}, {99, -1}},
     {99, 0, 1, 2, 3},
     2},
    {"two ways back, one loop",
     6,
     {{1, -1}, {2, 5, -1}, {5, 3, -1}, {1, 4, -1}, {1, -1}, {99, -1}},
     {99, 0, 1, 2, 3, 1},
     1},
    {"a loop with two entries is none",
     4,
     {{1, 2, -1}, {2, -1}, {1, 3, -1}, {99, -1}},
     {99, 0, 0, 2},
     0},
};

static unsigned node(int n) { return n == 99 ? FLOW_EXIT : (unsigned)n; }

static struct flow flow_of_edges(struct arena *scratch, const int edges[][4], unsigned count)
{
    struct flow_block *blocks = arena_alloc(scratch, count * sizeof *blocks);
    for (unsigned b = 0; b < count; b++) {
        blocks[b].successors = arena_alloc(scratch, 4 * sizeof *blocks[b].successors);
        for (unsigned s = 0; edges[b][s] >= 0; s++) {
            blocks[b].successors[blocks[b].successor_count++] = node(edges[b][s]);
        }
    }
    return flow_of(scratch, blocks, count);
}

START_TEST(known_graphs)
{
    struct arena scratch = {0};
    struct flow f = flow_of_edges(&scratch, cases[_i].edges, cases[_i].count);
    for (unsigned b = 0; b < cases[_i].count; b++) {
        ck_assert_msg(f.idom[b] == node(cases[_i].idom[b]), "%s: block %u has dominator %d",
                      cases[_i].what, b, (int)f.idom[b]);
    }
    ck_assert_msg(f.loop_count == cases[_i].loops, "%s: %u loops", cases[_i].what, f.loop_count);
    arena_free(&scratch);
}
END_TEST

/* Where the end of each graph's only loop leads; -1 ends the list. */
static const struct {
    const char *what;
    unsigned count;
    int edges[6][4], behind[4];
} ends[] = {
    {"a break with an arm of its own: on to where both ways out come together",
     6,
     {{1, -1}, {2, 5, -1}, {4, 3, -1}, {1, -1}, {5, -1}, {99, -1}},
     {5, -1}},
    {"the same where the loop's end is tested last",
     5,
     {{1, -1}, {2, 3, -1}, {4, -1}, {1, 4, -1}, {99, -1}},
     {4, -1}},
    {"two returns, tested in the loop's head and in its middle: on to the head's",
     6,
     {{1, -1}, {4, 2, -1}, {5, 3, -1}, {1, -1}, {99, -1}, {99, -1}},
     {4, -1}},
};

START_TEST(loops_lead_on_from_their_ends)
{
    struct arena scratch = {0};
    struct flow f = flow_of_edges(&scratch, ends[_i].edges, ends[_i].count);
    ck_assert_uint_eq(f.loop_count, 1);
    struct acyclic g = acyclic_of(&scratch, &f);
    const struct flow_block *end = &g.nodes[ends[_i].count];
    unsigned wanted = 0;
    for (; ends[_i].behind[wanted] >= 0; wanted++) {
        bool found = false;
        for (unsigned s = 0; s < end->successor_count; s++) {
            found |= end->successors[s] == (unsigned)ends[_i].behind[wanted];
        }
        ck_assert_msg(found, "%s: not to %d", ends[_i].what, ends[_i].behind[wanted]);
    }
    ck_assert_msg(end->successor_count == wanted, "%s: %u ways", ends[_i].what,
                  end->successor_count);
    arena_free(&scratch);
}
END_TEST

/* Is `to` reached from `from` without passing `without`? */
static bool reaches(const struct flow_block *blocks, unsigned from, unsigned to, unsigned without,
                    bool *seen)
{
    if (from == FLOW_EXIT || from == without || seen[from]) {
        return false;
    }
    if (from == to) {
        return true;
    }
    seen[from] = true;
    for (unsigned s = 0; s < blocks[from].successor_count; s++) {
        if (reaches(blocks, blocks[from].successors[s], to, without, seen)) {
            return true;
        }
    }
    return false;
}

static bool is_reached(const struct flow_block *blocks, unsigned from, unsigned to,
                       unsigned without)
{
    bool seen[MOST] = {false};
    return reaches(blocks, from, to, without, seen);
}

static void hold_dominators(const struct flow *f, unsigned round)
{
    for (unsigned b = 0; b < f->count; b++) {
        bool reached = is_reached(f->blocks, 0, b, FLOW_NONE);
        ck_assert_msg(reached == (f->number[b] != FLOW_NONE), "graph %u, block %u", round, b);
        for (unsigned p = 0; reached && p < f->count; p++) {
            bool want = p == b || !is_reached(f->blocks, 0, b, p);
            ck_assert_msg(f->number[p] == FLOW_NONE || flow_dominates(f, p, b) == want,
                          "graph %u: %u above %u", round, p, b);
        }
    }
}

/* A loop is what its head dominates and is led back to it, all of it and nothing else. */
static void hold_loops(const struct flow *f, unsigned round)
{
    for (unsigned i = 0; i < f->loop_count; i++) {
        const struct flow_loop *loop = &f->loops[i];
        for (unsigned b = 0; b < f->count; b++) {
            bool want = f->number[b] != FLOW_NONE && flow_dominates(f, loop->head, b);
            bool back = false;
            for (unsigned p = 0; want && p < f->count; p++) {
                for (unsigned s = 0; s < f->blocks[p].successor_count; s++) {
                    back |= f->blocks[p].successors[s] == loop->head && f->number[p] != FLOW_NONE &&
                            flow_dominates(f, loop->head, p) &&
                            (p == b || b == loop->head || is_reached(f->blocks, b, p, loop->head));
                }
            }
            ck_assert_msg(flow_in_loop(f, i, b) == (want && back), "graph %u: loop of %u, block %u",
                          round, loop->head, b);
        }
    }
}

/* A branch's points are reached by at least two of its ways, and come in order of their rank. */
static void hold_points(const struct flow *f, const struct ir_reconvergence *m, unsigned round)
{
    for (unsigned b = 0; b < f->count; b++) {
        for (unsigned i = m->first[b]; i < m->first[b + 1]; i++) {
            unsigned ways = 0;
            for (unsigned s = 0; s < f->blocks[b].successor_count; s++) {
                ways += is_reached(f->blocks, f->blocks[b].successors[s], m->points[i], FLOW_NONE);
            }
            ck_assert_msg(ways > 1, "graph %u: %u ways from %u to %u", round, ways, b,
                          m->points[i]);
            ck_assert(i == m->first[b] || m->rank[m->points[i]] < m->rank[m->points[i - 1]]);
        }
    }
}

START_TEST(random_graphs)
{
    uint32_t state = 12345;
    for (unsigned round = 0; round < 3000; round++) {
        struct arena scratch = {0};
        struct flow_block blocks[MOST] = {{0}};
        unsigned successors[MOST][3], count = 2 + round % (MOST - 1);
        for (unsigned b = 0; b < count; b++) {
            state = state * 1664525u + 1013904223u;
            unsigned most = 1 + (state >> 28) % 3;
            blocks[b].successors = successors[b];
            for (unsigned s = 0; s < most; s++) {
                state = state * 1664525u + 1013904223u;
                unsigned to = (state >> 16) % (count + 1);
                to = to == count ? FLOW_EXIT : to;
                bool known = false;
                for (unsigned k = 0; k < blocks[b].successor_count; k++) {
                    known |= successors[b][k] == to;
                }
                successors[b][blocks[b].successor_count] = to;
                blocks[b].successor_count += !known;
            }
        }
        struct flow f = flow_of(&scratch, blocks, count);
        struct ir_reconvergence m;
        reconverge_of(&scratch, &f, &m);
        hold_dominators(&f, round);
        hold_loops(&f, round);
        hold_points(&f, &m, round);
        arena_free(&scratch);
    }
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("flow");
    tcase_add_loop_test(tc, known_graphs, 0, sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tc, loops_lead_on_from_their_ends, 0, sizeof ends / sizeof ends[0]);
    tcase_add_test(tc, random_graphs);
    return run_suite("flow", tc);
}
