/* test_handles.c - objects that a program holds by handle: what is none is recognised, and a slot
 * rests long before it is used again. */
#include "base/handles.h"

#include <check.h>

#include "suite.h"

enum { RESTS = 4096 }; /* so many others are given back before a slot is used again */

struct object {
    struct handle handle;
    int number;
};

START_TEST(only_live_slots_are_handles)
{
    struct handle_pool pool = HANDLE_POOL(struct object);
    struct object *a = handle_create(&pool), *b = handle_create(&pool);
    a->number = 1; /* looks like the beginning of a live one */
    ck_assert(handle_is_live(&pool, a) && handle_is_live(&pool, b));
    ck_assert(!handle_is_live(&pool, NULL));
    ck_assert(!handle_is_live(&pool, &pool));
    ck_assert(!handle_is_live(&pool, &a->number)); /* the middle of a slot */
    ck_assert(!handle_is_live(&pool, b + 1));      /* a slot that nobody has been given yet */
    ck_assert(handle_destroy(&pool, a));
    ck_assert(!handle_is_live(&pool, a) && handle_is_live(&pool, b));
    ck_assert(!handle_destroy(&pool, a)); /* twice */
    arena_free(&pool.arena);
}
END_TEST

START_TEST(a_slot_rests_before_it_is_used_again)
{
    struct handle_pool pool = HANDLE_POOL(struct object);
    struct object *first = handle_create(&pool);
    first->number = 7;
    handle_destroy(&pool, first);
    for (unsigned i = 1; i < RESTS; i++) {
        struct object *other = handle_create(&pool);
        ck_assert_ptr_ne(other, first);
        handle_destroy(&pool, other);
    }
    struct object *again = handle_create(&pool); /* the one that has rested longest */
    ck_assert_ptr_eq(again, first);
    ck_assert_int_eq(again->number, 0);
    ck_assert(handle_is_live(&pool, first));
    arena_free(&pool.arena);
}
END_TEST

static void number(void *state, const struct handle *h)
{
    int *sum = state;
    *sum = 10 * *sum + ((const struct object *)(const void *)h)->number;
}

START_TEST(all_that_live_are_visited_the_oldest_first)
{
    struct handle_pool pool = HANDLE_POOL(struct object);
    struct object *list[600]; /* several chunks of slots */
    int sum = 0;
    for (int i = 0; i < 600; i++) {
        list[i] = handle_create(&pool);
        list[i]->number = i % 10;
    }
    for (int i = 0; i < 600; i++) {
        if (i != 3 && i != 255 && i != 256 && i != 599) {
            handle_destroy(&pool, list[i]);
        }
    }
    handle_visit(&pool, number, &sum);
    ck_assert_int_eq(sum, 3569);
    handle_destroy_all(&pool);
    ck_assert(!handle_is_live(&pool, list[3]));
    sum = 0;
    handle_visit(&pool, number, &sum);
    ck_assert_int_eq(sum, 0);
    arena_free(&pool.arena);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("handles");
    tcase_add_test(tests, only_live_slots_are_handles);
    tcase_add_test(tests, a_slot_rests_before_it_is_used_again);
    tcase_add_test(tests, all_that_live_are_visited_the_oldest_first);
    return run_suite("handles", tests);
}
