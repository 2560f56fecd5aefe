/* test_order.c - sets of bytes, what streams and events order, and the sizes of the host's arrays.
 */
#include "suite.h"

#include <stdlib.h>
#include <string.h>

#include "base/host_array.h"
#include "check/host/timeline.h"
#include "base/byte_set.h"

/* ---- sets of bytes --------------------------------------------------------------------------- */

static struct byte_set set_of(uint64_t begin, uint64_t bytes)
{
    struct byte_set s = {0};
    byte_set_add_range(&s, begin, bytes);
    byte_set_finish(&s);
    return s;
}

static bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes, uint64_t *at)
{
    struct byte_set x = set_of(a, a_bytes), y = set_of(b, b_bytes);
    bool met = byte_set_overlap(&x, &y, at);
    uint64_t other;
    ck_assert_int_eq(byte_set_overlap(&y, &x, &other), met);
    byte_set_free(&x);
    byte_set_free(&y);
    return met;
}

START_TEST(ranges_meet_to_the_byte)
{
    uint64_t at = 0;
    ck_assert(!overlap(1000, 24, 1024, 8, &at));
    ck_assert(overlap(1000, 25, 1024, 8, &at));
    ck_assert_uint_eq(at, 1024);
    ck_assert(!overlap(100, 1 << 20, 100 + (1 << 20), 1 << 20, &at));
    ck_assert(overlap(100, (1 << 20) + 1, 100 + (1 << 20), 1 << 20, &at));
    ck_assert_uint_eq(at, 100 + (1 << 20));
    ck_assert(overlap(0, 1 << 30, 5 * 4096 + 77, 1, &at));
    ck_assert_uint_eq(at, 5 * 4096 + 77);
    ck_assert(!overlap(0, 0, 0, 4096, &at));
}
END_TEST

/* Accesses in any order, against a plain array of flags. */
START_TEST(accesses_make_the_set_of_their_bytes)
{
    enum { BYTES = 5 * BYTE_SET_PAGE, TIMES = 3000 };
    static bool has[BYTES];
    struct byte_set s = {0};
    uint64_t random = 1;
    memset(has, 0, sizeof has);
    for (unsigned i = 0; i < TIMES; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint64_t bytes = UINT64_C(1) << (random >> 60) % 5;
        const uint64_t at = (random >> 20) % (BYTES - 16);
        byte_set_add(&s, at, bytes);
        memset(has + at, true, bytes);
    }
    byte_set_add_range(&s, 4000, 5000);
    memset(has + 4000, true, 5000);
    byte_set_finish(&s);
    for (uint64_t i = 0; i < BYTES; i++) {
        ck_assert_int_eq(byte_set_has(&s, i), has[i]);
    }
    struct byte_set same = {0};
    for (uint64_t i = BYTES; i-- > 0;) {
        if (has[i]) {
            byte_set_add(&same, i, 1);
        }
    }
    byte_set_finish(&same);
    uint64_t at;
    ck_assert(byte_set_overlap(&s, &same, &at));
    byte_set_free(&same);
    byte_set_free(&s);
}
END_TEST

START_TEST(a_mirrored_range_has_what_the_first_has)
{
    struct byte_set s = set_of(4096 + 10, 20);
    byte_set_mirror(&s, 4096, 4096, 1 << 20);
    ck_assert(byte_set_has(&s, (1 << 20) + 10) && byte_set_has(&s, (1 << 20) + 29));
    ck_assert(!byte_set_has(&s, (1 << 20) + 9) && !byte_set_has(&s, (1 << 20) + 30));
    ck_assert(byte_set_has(&s, 4096 + 10));
    byte_set_free(&s);
}
END_TEST

/* ---- streams --------------------------------------------------------------------------------- */

START_TEST(streams_have_no_order_but_by_events)
{
    struct timeline t = {0};
    struct timeline_clock early, late;
    unsigned a = timeline_add_stream(&t, true), b = timeline_add_stream(&t, true);
    timeline_record(&t, a, &early);
    uint32_t first = timeline_issue(&t, a);
    timeline_record(&t, a, &late);
    timeline_issue(&t, b);
    ck_assert(!timeline_is_before(&t, a, first, b));
    timeline_stream_waits(&t, b, &early); /* recorded before the work */
    timeline_issue(&t, b);
    ck_assert(!timeline_is_before(&t, a, first, b));
    timeline_stream_waits(&t, b, &late);
    timeline_issue(&t, b);
    ck_assert(timeline_is_before(&t, a, first, b));
}
END_TEST

/* Works of one stream are in order; those of another one that comes when it is gone are not, until
 * the host has waited. */
START_TEST(a_stream_is_not_behind_one_that_is_gone)
{
    struct timeline t = {0};
    const unsigned a = timeline_add_stream(&t, false);
    const uint32_t first = timeline_issue(&t, a);
    timeline_remove_stream(&t, a);
    const unsigned b = timeline_add_stream(&t, false);
    timeline_issue(&t, b);
    ck_assert(!timeline_is_before(&t, a, first, b));
    timeline_host_waits_all(&t);
    ck_assert_uint_eq(timeline_add_stream(&t, false), a);
    timeline_issue(&t, a);
    ck_assert(timeline_is_before(&t, b, 1, a));
}
END_TEST

START_TEST(what_the_host_has_not_waited_for_is_under_way_once)
{
    struct timeline t = {0};
    struct timeline_clock event;
    const unsigned a = timeline_add_stream(&t, false);
    timeline_record(&t, a, &event);
    ck_assert(timeline_host_asks(&t, &event)); /* nothing comes before it */
    timeline_issue(&t, a);
    timeline_record(&t, a, &event);
    ck_assert(!timeline_host_asks(&t, &event));
    ck_assert(timeline_host_asks(&t, &event));
    timeline_issue(&t, a);
    timeline_host_waits_stream(&t, a);
    timeline_record(&t, a, &event);
    ck_assert(timeline_host_asks(&t, &event)); /* the host knows of it */
}
END_TEST

START_TEST(the_legacy_stream_waits_for_blocking_ones_and_they_for_it)
{
    struct timeline t = {0};
    unsigned a = timeline_add_stream(&t, true), b = timeline_add_stream(&t, true);
    unsigned alone = timeline_add_stream(&t, false);
    uint32_t in_a = timeline_issue(&t, a), in_alone = timeline_issue(&t, alone);
    uint32_t in_legacy = timeline_issue(&t, TIMELINE_LEGACY);
    ck_assert(timeline_is_before(&t, a, in_a, TIMELINE_LEGACY));
    ck_assert(!timeline_is_before(&t, alone, in_alone, TIMELINE_LEGACY));
    timeline_issue(&t, b);
    ck_assert(timeline_is_before(&t, TIMELINE_LEGACY, in_legacy, b));
    ck_assert(timeline_is_before(&t, a, in_a, b)); /* through the legacy stream */
    timeline_issue(&t, alone);
    ck_assert(!timeline_is_before(&t, TIMELINE_LEGACY, in_legacy, alone));
}
END_TEST

START_TEST(what_the_host_has_waited_for_is_before_all_that_it_issues)
{
    struct timeline t = {0};
    unsigned a = timeline_add_stream(&t, false), b = timeline_add_stream(&t, false);
    uint32_t first = timeline_issue(&t, a);
    ck_assert(!timeline_host_knows(&t, a, first));
    timeline_host_waits_stream(&t, b);
    ck_assert(!timeline_host_knows(&t, a, first));
    timeline_host_waits_stream(&t, a);
    ck_assert(timeline_host_knows(&t, a, first));
    timeline_issue(&t, b);
    ck_assert(timeline_is_before(&t, a, first, b));
}
END_TEST

START_TEST(streams_beyond_the_last_share_it)
{
    struct timeline t = {0};
    unsigned slot = 0;
    for (unsigned i = 0; i < 2 * TIMELINE_STREAMS; i++) {
        slot = timeline_add_stream(&t, true);
        ck_assert_uint_lt(slot, TIMELINE_STREAMS);
    }
    ck_assert_uint_eq(slot, TIMELINE_STREAMS - 1);
}
END_TEST

/* ---- arrays of the host ---------------------------------------------------------------------- */

static char variable_of_77_bytes[77];

START_TEST(a_variable_is_as_long_as_its_symbol)
{
    struct host_array a;
    ck_assert(host_array_find(variable_of_77_bytes + 7, &a));
    ck_assert_uint_eq(a.begin, (uint64_t)(uintptr_t)variable_of_77_bytes);
    ck_assert_uint_eq(a.bytes, 77);
    ck_assert_str_eq(a.name, "variable_of_77_bytes");
    ck_assert(host_array_has(variable_of_77_bytes, 77, &a));
    ck_assert(!host_array_has(variable_of_77_bytes, 78, &a));
    ck_assert(!host_array_has(variable_of_77_bytes + 1, 77, &a));
}
END_TEST

#if !defined __SANITIZE_ADDRESS__
/* Here malloc is the C library's: to within its rounding; with a tag, exactly. */
START_TEST(a_block_is_as_long_as_malloc_says)
{
    struct host_array a;
    char *small = calloc(1, 400), *large = calloc(1, 1 << 20);
    ck_assert(host_array_find(small + 100, &a));
    ck_assert_uint_eq(a.begin, (uint64_t)(uintptr_t)small);
    ck_assert(a.bytes >= 400 && a.bytes < 400 + 24);
    ck_assert(host_array_find(large + 5000, &a));
    ck_assert_uint_eq(a.begin, (uint64_t)(uintptr_t)large);
    ck_assert(a.bytes >= 1 << 20 && a.bytes < (1 << 20) + 4096);
    host_array_tag(small, 408, 395);
    ck_assert(host_array_find(small, &a));
    ck_assert_uint_eq(a.bytes, 395);
    free(large);
    free(small);
}
END_TEST
#endif

START_TEST(an_array_on_the_stack_ends_before_its_functions_frame)
{
    struct host_array a;
    char here[64];
    memset(here, 0, sizeof here);
    ck_assert(host_array_find(here, &a));
    ck_assert_str_eq(a.kind, "stack");
    ck_assert(a.bytes >= sizeof here && a.bytes < 4096);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("order");
    tcase_add_test(tests, ranges_meet_to_the_byte);
    tcase_add_test(tests, accesses_make_the_set_of_their_bytes);
    tcase_add_test(tests, a_mirrored_range_has_what_the_first_has);
    tcase_add_test(tests, streams_have_no_order_but_by_events);
    tcase_add_test(tests, a_stream_is_not_behind_one_that_is_gone);
    tcase_add_test(tests, what_the_host_has_not_waited_for_is_under_way_once);
    tcase_add_test(tests, the_legacy_stream_waits_for_blocking_ones_and_they_for_it);
    tcase_add_test(tests, what_the_host_has_waited_for_is_before_all_that_it_issues);
    tcase_add_test(tests, streams_beyond_the_last_share_it);
    tcase_add_test(tests, a_variable_is_as_long_as_its_symbol);
#if !defined __SANITIZE_ADDRESS__
    tcase_add_test(tests, a_block_is_as_long_as_malloc_says);
#endif
    tcase_add_test(tests, an_array_on_the_stack_ends_before_its_functions_frame);
    return run_suite("order", tests);
}
