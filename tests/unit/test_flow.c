/* test_flow.c - immediate post-dominators of small graphs, and of many random ones held against
 * the definition. */
#include <stdlib.h>

#include "common/simt/flow.h"
#include "suite.h"

enum { MOST = 12 };

/* edges[b] lists successors; -1 ends the list, FLOW_EXIT written as 99 */
static const struct {
    const char *what;
    unsigned count;
    int edges[6][4];
    int meets[6];
} cases[] = {
    {"a straight line", 2, {{1, -1}, {99, -1}}, {1, 99}},
    {"if/else", 4, {{1, 2, -1}, {3, -1}, {3, -1}, {99, -1}}, {3, 3, 3, 99}},
    {"if without else", 3, {{1, 2, -1}, {2, -1}, {99, -1}}, {2, 2, 99}},
    {"a loop", 3, {{1, -1}, {1, 2, -1}, {99, -1}}, {1, 2, 99}},
    {"return in one branch", 4, {{1, 2, -1}, {99, -1}, {3, -1}, {99, -1}}, {99, 99, 3, 99}},
    {"switch", 5, {{1, 2, 3, -1}, {4, -1}, {4, -1}, {4, -1}, {99, -1}}, {4, 4, 4, 4, 99}},
    {"break and continue",
     6,
     {{1, -1}, {2, 5, -1}, {5, 3, -1}, {1, 4, -1}, {1, -1}, {99, -1}},
     {1, 5, 5, 1, 1, 99}},
    {"an endless loop has no exit", 2, {{1, -1}, {0, -1}}, {99, 99}},
};

static unsigned node(int n) { return n == 99 ? FLOW_EXIT : (unsigned)n; }

START_TEST(known_graphs)
{
    struct arena scratch = {0};
    struct flow_block blocks[6] = {{0}};
    unsigned successors[6][4], ipdom[6];
    for (unsigned b = 0; b < cases[_i].count; b++) {
        blocks[b].successors = successors[b];
        for (unsigned s = 0; cases[_i].edges[b][s] >= 0; s++) {
            successors[b][blocks[b].successor_count++] = node(cases[_i].edges[b][s]);
        }
    }
    flow_post_dominators(&scratch, blocks, cases[_i].count, ipdom);
    for (unsigned b = 0; b < cases[_i].count; b++) {
        ck_assert_msg(ipdom[b] == node(cases[_i].meets[b]), "%s: block %u meets at %d",
                      cases[_i].what, b, (int)ipdom[b]);
    }
    arena_free(&scratch);
}
END_TEST

/* Can `from` reach the exit without passing `without`? */
static bool escapes(const struct flow_block *blocks, unsigned from, unsigned without, bool *seen)
{
    if (from == FLOW_EXIT) {
        return true;
    }
    if (from == without || seen[from]) {
        return false;
    }
    seen[from] = true;
    for (unsigned s = 0; s < blocks[from].successor_count; s++) {
        if (escapes(blocks, blocks[from].successors[s], without, seen)) {
            return true;
        }
    }
    return false;
}

static bool post_dominates(const struct flow_block *blocks, unsigned p, unsigned b)
{
    bool seen[MOST] = {false};
    return p != b && !escapes(blocks, b, p, seen);
}

static bool reaches_exit(const struct flow_block *blocks, unsigned b)
{
    bool seen[MOST] = {false};
    return escapes(blocks, b, FLOW_EXIT - 1, seen);
}

/* The immediate post-dominator is the one that all other post-dominators post-dominate. */
static unsigned by_definition(const struct flow_block *blocks, unsigned count, unsigned b)
{
    for (unsigned p = 0; p < count && reaches_exit(blocks, b); p++) {
        bool nearest = reaches_exit(blocks, p) && post_dominates(blocks, p, b);
        for (unsigned q = 0; nearest && q < count; q++) {
            nearest = q == p || !reaches_exit(blocks, q) || !post_dominates(blocks, q, b) ||
                      post_dominates(blocks, q, p);
        }
        if (nearest) {
            return p;
        }
    }
    return FLOW_EXIT;
}

START_TEST(random_graphs)
{
    uint32_t state = 12345;
    for (unsigned round = 0; round < 3000; round++) {
        struct arena scratch = {0};
        struct flow_block blocks[MOST] = {{0}};
        unsigned successors[MOST][3], ipdom[MOST], count = 2 + round % (MOST - 1);
        for (unsigned b = 0; b < count; b++) {
            state = state * 1664525u + 1013904223u;
            blocks[b].successors = successors[b];
            blocks[b].successor_count = 1 + (state >> 28) % 3;
            for (unsigned s = 0; s < blocks[b].successor_count; s++) {
                state = state * 1664525u + 1013904223u;
                unsigned to = (state >> 16) % (count + 1);
                successors[b][s] = to == count ? FLOW_EXIT : to;
            }
        }
        flow_post_dominators(&scratch, blocks, count, ipdom);
        for (unsigned b = 0; b < count; b++) {
            unsigned want = by_definition(blocks, count, b);
            ck_assert_msg(ipdom[b] == want, "graph %u, block %u: %d, not %d", round, b,
                          (int)ipdom[b], (int)want);
        }
        arena_free(&scratch);
    }
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("flow");
    tcase_add_loop_test(tc, known_graphs, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tc, random_graphs);
    return run_suite("flow", tc);
}
