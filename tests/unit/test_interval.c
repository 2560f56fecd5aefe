/* What a block does to shared memory between two barriers (check/interval.h): nothing is kept
 * that could be a race, and what programs mostly do is kept. */
#include "common/simt/check/interval.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 1024, WARPS = 4, LOAD = 0, STORE = 1 };

/* Lane i of `lanes` at first + i * step. */
static bool access_row(struct interval *v, unsigned warp, bool writes, uint32_t first, int step,
                       unsigned bytes, lane_mask lanes)
{
    struct interval_access *a = interval_slot(v);
    uint32_t low = UINT32_MAX, high = 0;
    const bool one = (lanes & (lanes - 1)) == 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        a->address[i] = first + (uint32_t)((int)i * step);
        if (lanes >> i & 1u) {
            low = a->address[i] < low ? a->address[i] : low;
            high = a->address[i] > high ? a->address[i] : high;
        }
    }
    a->head = (struct interval_head){.lanes = lanes,
                                     .warp = (uint8_t)warp,
                                     .bytes = (uint8_t)bytes,
                                     .row = one || step == (int)bytes,
                                     .low = low,
                                     .high = high + bytes};
    return interval_keep(v, writes);
}

static bool row(struct interval *v, unsigned warp, bool writes, uint32_t first)
{
    return access_row(v, warp, writes, first, 4, 4, FULL_MASK);
}

START_TEST(each_warp_its_own_words)
{
    struct interval v = {0};
    interval_begin_block(&v, BYTES);
    for (unsigned w = 0; w < WARPS; w++) {
        ck_assert(row(&v, w, LOAD, 128 * w));
        ck_assert(row(&v, w, LOAD, 512 + 128 * w));
        ck_assert(row(&v, w, STORE, 128 * w));
    }
    ck_assert(!v.closed);
    ck_assert_uint_eq(v.count, 3 * WARPS);
    interval_free(&v);
}
END_TEST

START_TEST(all_load_whatever_they_like)
{
    struct interval v = {0};
    interval_begin_block(&v, BYTES);
    for (unsigned i = 0; i < 1000; i++) {
        ck_assert(access_row(&v, i % WARPS, LOAD, 4 * (i % 8), 4 * (int)(i % 5), 4, FULL_MASK));
    }
    ck_assert(!v.closed);
    interval_free(&v);
}
END_TEST

START_TEST(a_barrier_lets_others_store)
{
    struct interval v = {0};
    interval_begin_block(&v, BYTES);
    ck_assert(row(&v, 0, STORE, 0));
    interval_next(&v);
    ck_assert_uint_eq(v.count, 0);
    ck_assert(row(&v, 1, LOAD, 0));
    ck_assert(!row(&v, 2, STORE, 0));
    ck_assert(v.closed);
    ck_assert_uint_eq(v.count, 1); /* that is to be looked at */
    interval_free(&v);
}
END_TEST

START_TEST(lanes_of_a_warp_keep_to_their_words)
{
    struct interval v = {0};
    interval_begin_block(&v, BYTES);
    ck_assert(row(&v, 0, LOAD, 0));
    ck_assert(row(&v, 0, STORE, 0));
    ck_assert(row(&v, 0, LOAD, 0));
    ck_assert(!access_row(&v, 0, LOAD, 64, 4, 4, 0xffff)); /* another lane has stored there */
    interval_next(&v);
    ck_assert(!access_row(&v, 0, STORE, 0, 0, 4, FULL_MASK)); /* all to one place */
    interval_next(&v);
    ck_assert(row(&v, 0, STORE, 0));
    ck_assert(!access_row(&v, 0, STORE, 0, 8, 8, 0xffff)); /* as pairs: other lanes' words */
    interval_free(&v);
}
END_TEST

START_TEST(too_many_and_too_far_are_looked_at)
{
    struct interval v = {0};
    interval_begin_block(&v, 1 << 16);
    ck_assert(!access_row(&v, 0, LOAD, 0, 1024, 4, FULL_MASK)); /* over more than 64 granules */
    interval_next(&v);
    ck_assert(!row(&v, 0, LOAD, 1 << 16)); /* no memory there */
    interval_next(&v);
    unsigned kept = 0;
    while (!v.closed) {
        ck_assert(row(&v, 0, LOAD, 0));
        kept++;
    }
    ck_assert_uint_eq(kept, v.count); /* the last one, too */
    ck_assert_uint_ge(kept, 1000);
    interval_free(&v);
}
END_TEST

/* Who has touched each byte: a thread + 1, or several. */
struct byte_use {
    unsigned reader, writer;
    bool several_readers, several_writers;
};

static bool races(const struct byte_use *u)
{
    return u->several_writers ||
           (u->writer != 0 && (u->several_readers || (u->reader != 0 && u->reader != u->writer)));
}

static bool note(struct byte_use *uses, const struct interval_access *a, bool writes)
{
    bool race = false;
    for (unsigned i = 0; i < WARP_LANES * a->head.bytes; i++) {
        const unsigned lane = i / a->head.bytes, thread = a->head.warp * WARP_LANES + lane + 1;
        if (a->head.lanes >> lane & 1u) {
            struct byte_use *u = &uses[a->address[lane] + i % a->head.bytes];
            unsigned *who = writes ? &u->writer : &u->reader;
            bool *several = writes ? &u->several_writers : &u->several_readers;
            *several |= *who != 0 && *who != thread;
            *who = thread;
            race |= races(u);
        }
    }
    return race;
}

START_TEST(nothing_that_is_kept_can_be_a_race)
{
    static const unsigned sizes[] = {1, 2, 4, 8, 16};
    static const int steps[] = {1, 1, 1, 0, 2, 3, -1};
    unsigned kept = 0;
    srand(7);
    for (unsigned round = 0; round < 20000; round++) {
        struct interval v = {0};
        struct byte_use uses[BYTES];
        memset(uses, 0, sizeof uses);
        interval_begin_block(&v, BYTES);
        while (!v.closed && v.count < 20) {
            const unsigned bytes = sizes[rand() % 5], lanes = rand() % 2 ? 0xffu << rand() % 24 : 3;
            const int step = steps[rand() % 7] * (int)bytes;
            const bool writes = rand() % 2;
            const uint32_t room = BYTES - 32 * 3 * bytes > BYTES ? 1 : BYTES - 32 * 3 * bytes;
            uint32_t first = (uint32_t)rand() % (room + 1) / bytes * bytes;
            first += step < 0 ? 31 * bytes : 0;
            const unsigned count = v.count;
            if (bytes <= 8 &&
                access_row(&v, (unsigned)rand() % 2, writes, first, step, bytes, lanes)) {
                ck_assert(!note(uses, &v.log[count], writes));
                kept++;
            }
        }
        interval_free(&v);
    }
    ck_assert_uint_gt(kept, 20000);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("interval");
    tcase_add_test(tests, each_warp_its_own_words);
    tcase_add_test(tests, all_load_whatever_they_like);
    tcase_add_test(tests, a_barrier_lets_others_store);
    tcase_add_test(tests, lanes_of_a_warp_keep_to_their_words);
    tcase_add_test(tests, too_many_and_too_far_are_looked_at);
    tcase_add_test(tests, nothing_that_is_kept_can_be_a_race);
    return run_suite("interval", tests);
}
