/* test_shadow.c - which bytes have a value (check/shadow.h): exactly those that were given one,
 * over the bounds of words of the bitmap and of chunks. */
#include "common/simt/check/shadow.h"
#include "suite.h"

enum { CHUNKS = 3, BYTES = CHUNKS * SHADOW_CHUNK };

static struct shadow *without_values(void)
{
    struct shadow *s = shadow_open();
    shadow_set_valid(s, 0, BYTES, false);
    return s;
}

/* The bytes that have a value are those of [low, high), and no others. */
static void ck_values_are(struct shadow *s, uint64_t low, uint64_t high)
{
    for (uint64_t at = 0; at < BYTES; at++) {
        const bool has = shadow_valid_bits(shadow_chunk(s, at), at, 1) != 0;
        ck_assert_msg(has == (at >= low && at < high), "byte %llu of [%llu, %llu)",
                      (unsigned long long)at, (unsigned long long)low, (unsigned long long)high);
    }
}

static const struct {
    uint64_t low, high;
} ranges[] = {{0, 1},    {63, 64},     {64, 65},     {60, 68},     {3, 200},   {64, 128},
              {0, 4096}, {4095, 4097}, {4000, 8200}, {4096, 8192}, {1, 12287}, {8191, 8192}};
enum { RANGES = sizeof ranges / sizeof ranges[0] };

START_TEST(bytes_that_were_given_a_value_have_one_and_no_others)
{
    struct shadow *s = without_values();
    shadow_set_valid(s, ranges[_i].low, ranges[_i].high - ranges[_i].low, true);
    ck_values_are(s, ranges[_i].low, ranges[_i].high);
    shadow_close(s);
}
END_TEST

START_TEST(cells_of_bytes_stay_where_they_are)
{
    struct shadow *s = shadow_open();
    struct chunk *c = shadow_chunk(s, 0);
    shadow_make_cells(c, 4);
    c->cells[5] = 77;
    shadow_make_cells(c, 1); /* each byte of word 5 gets what is known of the word */
    ck_assert_uint_eq(c->cells[20], 77);
    ck_assert_uint_eq(c->cells[23], 77);
    c->cells[21] = 78;
    shadow_make_cells(c, 1);
    ck_assert_uint_eq(c->cells[20], 77);
    ck_assert_uint_eq(c->cells[21], 78);
    ck_assert_uint_eq(c->cells[5], 0);
    shadow_close(s);
}
END_TEST

START_TEST(bytes_lose_their_value_one_by_one)
{
    struct shadow *s = without_values();
    shadow_set_valid(s, 100, 200, true);
    shadow_set_valid(s, 100, 27, false);
    shadow_set_valid(s, 201, 99, false);
    ck_values_are(s, 127, 201);
    shadow_close(s);
}
END_TEST

START_TEST(a_copy_gives_a_value_to_the_bytes_whose_sources_have_one)
{
    struct shadow *s = without_values();
    shadow_set_valid(s, 4090, 10, true);
    shadow_copy_valid(s, 8185, 4085, 20); /* over the ends of chunks on both sides */
    shadow_set_valid(s, 4090, 10, false);
    ck_values_are(s, 8190, 8200);
    shadow_close(s);
}
END_TEST

START_TEST(a_copy_of_bytes_without_a_value_takes_it_away)
{
    struct shadow *s = without_values();
    shadow_set_valid(s, 300, 40, true);
    shadow_copy_valid(s, 310, SHADOW_CHUNK, 30);
    ck_values_are(s, 300, 310);
    shadow_close(s);
}
END_TEST

START_TEST(a_range_is_valid_if_each_of_its_bytes_is)
{
    struct shadow *s = without_values();
    shadow_set_valid(s, 10, 300, true);
    const struct chunk *c = shadow_chunk(s, 0);
    ck_assert(shadow_is_valid(c, 10, 310));
    ck_assert(!shadow_is_valid(c, 9, 310));
    ck_assert(!shadow_is_valid(c, 10, 311));
    shadow_set_valid(s, 150, 1, false); /* in a word between the first and the last */
    ck_assert(!shadow_is_valid(c, 10, 310));
    ck_assert(shadow_is_valid(c, 151, 152));
    shadow_close(s);
}
END_TEST

START_TEST(bytes_of_an_access_are_marked_one_by_one)
{
    struct shadow *s = without_values();
    struct chunk *c = shadow_chunk(s, SHADOW_CHUNK + 72);
    shadow_set_valid_bits(c, SHADOW_CHUNK + 72, 8, 0x3c);
    ck_assert_uint_eq(shadow_valid_bits(c, SHADOW_CHUNK + 72, 8), 0x3c);
    ck_values_are(s, SHADOW_CHUNK + 74, SHADOW_CHUNK + 78);
    shadow_close(s);
}
END_TEST

START_TEST(a_word_that_is_split_into_bytes_hands_on_what_is_known_of_it)
{
    struct shadow *s = shadow_open();
    unsigned count;
    struct chunk *c = shadow_chunk(s, 8);
    *shadow_cells(c, 8, 4, &count).write = 7;
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(*shadow_cells(c, 11, 1, &count).write, 7); /* the word's last byte */
    ck_assert_uint_eq(*shadow_cells(c, 12, 1, &count).write, 0); /* the next word's first */
    shadow_cells(c, 8, 4, &count);
    ck_assert_uint_eq(count, 4);
    shadow_forget_cells(s);
    ck_assert_uint_eq(*shadow_cells(c, 11, 1, &count).write, 0);
    shadow_close(s);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("shadow");
    tcase_add_loop_test(tc, bytes_that_were_given_a_value_have_one_and_no_others, 0, RANGES);
    tcase_add_test(tc, cells_of_bytes_stay_where_they_are);
    tcase_add_test(tc, bytes_lose_their_value_one_by_one);
    tcase_add_test(tc, a_copy_gives_a_value_to_the_bytes_whose_sources_have_one);
    tcase_add_test(tc, a_copy_of_bytes_without_a_value_takes_it_away);
    tcase_add_test(tc, a_range_is_valid_if_each_of_its_bytes_is);
    tcase_add_test(tc, bytes_of_an_access_are_marked_one_by_one);
    tcase_add_test(tc, a_word_that_is_split_into_bytes_hands_on_what_is_known_of_it);
    return run_suite("shadow", tc);
}
