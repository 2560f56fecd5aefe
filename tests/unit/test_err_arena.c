/* test_err_arena.c - bedrock: errors, memory that is given back at once, and maps from names. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/simt/base/arena.h"
#include "common/simt/base/err.h"
#include "common/simt/base/names.h"
#include "suite.h"

START_TEST(the_first_error_stays)
{
    struct err e = {0};
    ck_assert(!err_set_code(&e, 7, "first %d", 1));
    ck_assert(!err_set(&e, "second"));
    ck_assert(e.set);
    ck_assert_int_eq(e.code, 7);
    ck_assert_str_eq(e.text, "first 1");
    err_clear(&e);
    ck_assert(!e.set);
    ck_assert(!err_set(&e, "third"));
    ck_assert_str_eq(e.text, "third");
    ck_assert_int_eq(e.code, 0);
}
END_TEST

START_TEST(a_long_error_is_cut)
{
    struct err e = {0};
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    err_set(&e, "%s", text);
    ck_assert_uint_eq(strlen(e.text), sizeof e.text - 1);
}
END_TEST

static size_t bytes_other_than(const unsigned char *piece, size_t bytes, unsigned char value)
{
    size_t other = 0;
    for (size_t k = 0; k < bytes; k++) {
        other += piece[k] != value;
    }
    return other;
}

START_TEST(pieces_of_an_arena_are_zero_aligned_and_apart)
{
    struct arena a = {0};
    unsigned char *pieces[2000];
    for (unsigned i = 0; i < 2000; i++) {
        size_t bytes = i % 97 == 0 ? 100000 : i % 61;
        pieces[i] = arena_alloc(&a, bytes);
        ck_assert_uint_eq((uintptr_t)pieces[i] % 8, 0);
        ck_assert_uint_eq(bytes_other_than(pieces[i], bytes, 0), 0);
        memset(pieces[i], (int)(i & 255), bytes);
    }
    for (unsigned i = 0; i < 2000; i++) {
        size_t bytes = i % 97 == 0 ? 100000 : i % 61;
        ck_assert_uint_eq(bytes_other_than(pieces[i], bytes, (unsigned char)i), 0);
    }
    arena_free(&a);
    ck_assert_ptr_null(a.chunks);
}
END_TEST

/* What is allocated next lies where the first piece lay, and is 0; a large first chunk is given
 * back.
 */
START_TEST(a_cleared_arena_begins_anew)
{
    struct arena a = {0};
    unsigned char *first = arena_alloc(&a, 40);
    memset(first, 0xff, 40);
    for (unsigned i = 0; i < 100; i++) {
        memset(arena_alloc(&a, 5000), 0xff, 5000);
    }
    arena_clear(&a);
    unsigned char *again = arena_alloc(&a, 40);
    ck_assert_ptr_eq(again, first);
    ck_assert_uint_eq(bytes_other_than(again, 40, 0), 0);
    arena_free(&a);
    arena_clear(&a);
    ck_assert_ptr_null(a.chunks);
    arena_alloc(&a, 1 << 20);
    arena_clear(&a);
    ck_assert_ptr_null(a.chunks);
    arena_free(&a);
}
END_TEST

START_TEST(a_grown_array_keeps_its_elements)
{
    struct arena a = {0};
    unsigned *array = NULL, capacity = 0;
    for (unsigned i = 0; i < 5000; i++) {
        array = arena_grow(&a, array, i, &capacity, sizeof *array);
        array[i] = i * 3;
    }
    for (unsigned i = 0; i < 5000; i++) {
        ck_assert_uint_eq(array[i], i * 3);
    }
    ck_assert_str_eq(arena_strndup(&a, "kernel_name", 6), "kernel");
    arena_free(&a);
}
END_TEST

START_TEST(names_find_their_last_value)
{
    struct arena a = {0};
    struct names n = {.arena = &a};
    unsigned value = 0;
    ck_assert(!names_find(&n, "r0", &value));
    for (unsigned i = 0; i < 3000; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "r%u", i);
        names_add(&n, arena_strndup(&a, name, (size_t)length), i);
    }
    names_add(&n, "r7", 7777);
    for (unsigned i = 0; i < 3000; i++) {
        char name[16];
        snprintf(name, sizeof name, "r%u", i);
        ck_assert(names_find(&n, name, &value));
        ck_assert_uint_eq(value, i == 7 ? 7777 : i);
    }
    ck_assert(!names_find(&n, "r3000", &value));
    ck_assert(!names_find(&n, "", &value));
    arena_free(&a);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("err_arena");
    tcase_add_test(tc, the_first_error_stays);
    tcase_add_test(tc, a_long_error_is_cut);
    tcase_add_test(tc, pieces_of_an_arena_are_zero_aligned_and_apart);
    tcase_add_test(tc, a_cleared_arena_begins_anew);
    tcase_add_test(tc, a_grown_array_keeps_its_elements);
    tcase_add_test(tc, names_find_their_last_value);
    return run_suite("err_arena", tc);
}
