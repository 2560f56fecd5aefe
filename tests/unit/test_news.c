/* test_news.c - when do all workers of a launch wait in vain? Each case is one order of events that
 * once was, or would be, a launch called endless though a block could go on. */
#include "common/simt/machine/beside.h"
#include "common/simt/machine/news.h"
#include "suite.h"

#include <pthread.h>
#include <sched.h>

static void waits_and_stands(struct news *n, struct listener *l)
{
    if (news_are_heard(n, l)) {
        ck_assert(!news_are_heard(n, l));
    }
    news_wait(n, l, true);
}

START_TEST(all_that_stand_are_endless)
{
    struct news n;
    struct listener a = {0}, b = {0};
    news_open(&n, 2);
    waits_and_stands(&n, &a);
    ck_assert(!news_all_stand(&n, &a) && !news_all_have_asked(&n, &a) && !news_all_wait(&n));
    waits_and_stands(&n, &b);
    ck_assert(news_all_stand(&n, &a) && news_all_have_asked(&n, &b) && news_all_wait(&n));
    waits_and_stands(&n, &b); /* counts once */
    ck_assert(news_all_stand(&n, &a) && news_all_stand(&n, &b));
}
END_TEST

/* What was seen before the worker said that it waits may be out of date: nobody has told it. */
START_TEST(who_begins_to_wait_asks_again)
{
    struct news n;
    struct listener a = {0}, b = {0};
    news_open(&n, 2);
    news_tell(&n, &b);
    ck_assert(news_are_heard(&n, &a));
    ck_assert(!news_all_have_asked(&n, &a));
    news_tell(&n, &b);
    ck_assert(news_are_heard(&n, &a));
    news_wait(&n, &a, false);
    ck_assert(!news_are_heard(&n, &a));
}
END_TEST

/* a stands, b stores what a waits for, and then waits for a, which has not had a core since. */
START_TEST(who_has_not_heard_the_news_does_not_count)
{
    struct news n;
    struct listener a = {0}, b = {0};
    news_open(&n, 2);
    waits_and_stands(&n, &a);
    news_tell(&n, &b);
    waits_and_stands(&n, &b);
    ck_assert(!news_all_stand(&n, &b) && !news_all_have_asked(&n, &b));
    news_wait(&n, &a, true); /* it counts itself by what it saw before */
    ck_assert(!news_all_stand(&n, &b) && !news_all_stand(&n, &a));
    ck_assert(news_are_heard(&n, &a));
    news_wait(&n, &a, false);
    ck_assert(news_all_have_asked(&n, &a) && !news_all_stand(&n, &b));
    news_wait(&n, &a, true);
    ck_assert(news_all_stand(&n, &a) && news_all_stand(&n, &b));
}
END_TEST

/* a leaves when it was counted among three; b is one of the two that are left. */
START_TEST(who_leaves_is_not_counted_any_more)
{
    struct news n;
    struct listener a = {0}, b = {0}, c = {0};
    news_open(&n, 3);
    waits_and_stands(&n, &a);
    waits_and_stands(&n, &b);
    news_leave(&n, &a);
    ck_assert(!news_all_stand(&n, &b));
    waits_and_stands(&n, &b);
    ck_assert(!news_all_stand(&n, &b));
    waits_and_stands(&n, &c);
    ck_assert(news_all_stand(&n, &b) && news_all_wait(&n));
}
END_TEST

/* --- with threads of its own ------------------------------------------------------------------ */

enum { THREADS = 4, PASSES = 1000 };

struct round {
    struct news news;
    _Atomic unsigned number;
    _Atomic unsigned endless;
};

struct member {
    struct round *round;
    unsigned own;
    pthread_t thread;
};

/* As a worker does with one block, which waits until the number is its own and adds one. */
static void *take_part(void *argument)
{
    struct member *m = argument;
    struct round *r = m->round;
    struct listener l = {0};
    unsigned alike = 0;
    for (unsigned next = m->own; next < PASSES;) {
        if (atomic_load(&r->number) == next) {
            atomic_store(&r->number, next + 1);
            news_tell(&r->news, &l);
            next += THREADS;
            continue;
        }
        alike = news_are_heard(&r->news, &l) ? 0 : alike + 1;
        if (alike > 0) {
            news_wait(&r->news, &l, alike > 1);
            if (news_all_stand(&r->news, &l)) {
                atomic_fetch_add(&r->endless, 1);
            }
        }
        sched_yield();
    }
    news_leave(&r->news, &l);
    return NULL;
}

START_TEST(a_number_that_goes_round_is_news_each_time)
{
    struct round r = {0};
    struct member m[THREADS];
    news_open(&r.news, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        m[i] = (struct member){.round = &r, .own = i};
        ck_assert_int_eq(pthread_create(&m[i].thread, NULL, take_part, &m[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(m[i].thread, NULL);
    }
    ck_assert_uint_eq(atomic_load(&r.number), PASSES);
    ck_assert_uint_eq(atomic_load(&r.endless), 0);
}
END_TEST

/* Launches come and go: see beside.h. One alone is never asked for others. */
START_TEST(launches_that_all_stand_are_endless)
{
    struct beside all = BESIDE_NOBODY;
    struct listener a = {0}, b = {0}, c = {0};
    beside_join(&all);
    ck_assert_int_eq(beside_stands(&all, &a), BESIDE_ALL_STAND);
    ck_assert_int_eq(beside_stands(NULL, &a), BESIDE_ALL_STAND);
    beside_join(&all);
    ck_assert_uint_eq(beside_count(&all), 2);
    ck_assert_int_eq(beside_stands(&all, &a), BESIDE_ASK_AGAIN);
    ck_assert_int_eq(beside_stands(&all, &a), BESIDE_GOES_ON);
    beside_tell(&all, &b); /* b has stored something since a asked */
    ck_assert_int_eq(beside_stands(&all, &a), BESIDE_ASK_AGAIN);
    ck_assert_int_eq(beside_stands(&all, &b), BESIDE_ASK_AGAIN);
    ck_assert_int_eq(beside_stands(&all, &b), BESIDE_GOES_ON);
    beside_join(&all);
    ck_assert_int_eq(beside_stands(&all, &a), BESIDE_GOES_ON); /* c has just begun */
    beside_leave(&all, &c);                                    /* and ended */
    ck_assert_int_eq(beside_stands(&all, &a), BESIDE_ASK_AGAIN);
    ck_assert_int_eq(beside_stands(&all, &a), BESIDE_GOES_ON);
    ck_assert_int_eq(beside_stands(&all, &b), BESIDE_ASK_AGAIN);
    ck_assert_int_eq(beside_stands(&all, &b), BESIDE_ALL_STAND);
    ck_assert_int_eq(beside_stands(&all, &a), BESIDE_ALL_STAND);
    beside_leave(&all, &b);
    ck_assert_int_eq(beside_stands(&all, &a), BESIDE_ALL_STAND); /* alone again */
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("news");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, all_that_stand_are_endless);
    tcase_add_test(tc, who_begins_to_wait_asks_again);
    tcase_add_test(tc, who_has_not_heard_the_news_does_not_count);
    tcase_add_test(tc, who_leaves_is_not_counted_any_more);
    tcase_add_test(tc, a_number_that_goes_round_is_news_each_time);
    tcase_add_test(tc, launches_that_all_stand_are_endless);
    return run_suite("news", tc);
}
