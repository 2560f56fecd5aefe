/* test_rounds.c - which round of which loop a warp is in, from its instructions alone. */
#include "suite.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/simt/watch/rounds.h"

/* What a warp's steps are, as text: '.' outside of a long loop, '|' the first of a round in one,
 * '-' another in one, '<' the first one behind it. */
struct walk {
    struct rounds rounds;
    char text[4000];
    size_t length;
    uint64_t last_round;
};

static void step(struct walk *w, uint32_t pc, bool jumped)
{
    const struct rounds_place place = rounds_step(&w->rounds, pc, jumped);
    const char *inside = place.begins_round ? "|" : "-";
    ck_assert_uint_lt(w->length + 2, sizeof w->text);
    if (place.left) {
        w->text[w->length++] = '<';
    }
    w->text[w->length++] = place.inside ? inside[0] : '.';
    w->last_round = place.inside ? place.round : w->last_round;
}

static void begin(struct walk *w)
{
    memset(w, 0, sizeof *w);
    rounds_begin(&w->rounds);
}

/* Instructions head to back, so many times. */
static void loop(struct walk *w, uint32_t head, uint32_t back, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        for (uint32_t pc = head; pc <= back; pc++) {
            step(w, pc, i > 0 && pc == head);
        }
    }
}

START_TEST(first_rounds_are_kept)
{
    struct walk w;
    begin(&w);
    step(&w, 0, false);
    loop(&w, 1, 2, ROUNDS_KEPT);
    step(&w, 3, false);
    ck_assert_str_eq(w.text, "..................");
}
END_TEST

START_TEST(rounds_behind_them_are_counted)
{
    struct walk w;
    begin(&w);
    step(&w, 0, false);
    loop(&w, 1, 2, ROUNDS_KEPT + 3);
    step(&w, 3, false);
    step(&w, 4, false);
    ck_assert_str_eq(w.text, ".................|-|-|-<..");
    ck_assert_uint_eq(w.last_round, ROUNDS_KEPT + 3);
}
END_TEST

/* The inner loop begins anew in every round of the outer one, so only the outer one is long. */
START_TEST(loops_nest)
{
    struct walk w;
    begin(&w);
    for (unsigned i = 0; i < ROUNDS_KEPT + 2; i++) {
        step(&w, 1, i > 0);
        loop(&w, 2, 3, 3);
        step(&w, 4, false);
    }
    step(&w, 5, false);
    ck_assert_uint_eq(strspn(w.text, "."), 8 * ROUNDS_KEPT);
    ck_assert_str_eq(w.text + 8 * ROUNDS_KEPT, "|-------|-------<.");
    ck_assert_uint_eq(w.last_round, ROUNDS_KEPT + 2);
}
END_TEST

/* A long inner loop is one in each round of the outer one, while that is short. */
START_TEST(an_inner_loop_is_long_again)
{
    struct walk w;
    begin(&w);
    for (unsigned i = 0; i < 2; i++) {
        step(&w, 1, i > 0);
        loop(&w, 2, 2, ROUNDS_KEPT + 1);
        step(&w, 3, false);
    }
    ck_assert_str_eq(w.text, ".........|<..........|<.");
}
END_TEST

/* Two loops one behind the other, one function called in a loop, a branch that is not taken. */
START_TEST(what_is_no_loop)
{
    struct walk w;
    begin(&w);
    loop(&w, 1, 2, ROUNDS_KEPT);
    loop(&w, 4, 5, ROUNDS_KEPT);
    for (unsigned i = 0; i < 2 * ROUNDS_KEPT; i++) {
        step(&w, 10, i > 0);
        step(&w, 100, false); /* called */
        step(&w, 11, false);
    }
    for (unsigned i = 0; i < 2 * ROUNDS_KEPT; i++) {
        step(&w, 20, false); /* another group of lanes, without a jump */
        step(&w, 21, false);
    }
    ck_assert_uint_eq(strspn(w.text, "."), w.length);
}
END_TEST

/* Deeper nests than there is room for are followed no further, and end. */
START_TEST(nests_without_end)
{
    struct walk w;
    begin(&w);
    for (uint32_t depth = 0; depth < 3 * ROUNDS_NESTED; depth++) {
        step(&w, 1000 + depth, false);
        step(&w, 1000 - depth, true);
    }
    ck_assert_uint_le(w.rounds.depth, ROUNDS_NESTED);
    step(&w, 5000, false);
    ck_assert_uint_eq(w.rounds.depth, 0);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("rounds");
    tcase_add_test(tests, first_rounds_are_kept);
    tcase_add_test(tests, rounds_behind_them_are_counted);
    tcase_add_test(tests, loops_nest);
    tcase_add_test(tests, an_inner_loop_is_long_again);
    tcase_add_test(tests, what_is_no_loop);
    tcase_add_test(tests, nests_without_end);
    return run_suite("rounds", tests);
}
