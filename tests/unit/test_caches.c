/* test_caches.c - where the accesses of a launch hit: requests that are made up, of kernels that
 * are not run. One test for each promise of time/caches*.h. */
#include "common/gpu/gpu_limits.h"
#include "suite.h"
#include "time/caches.h"
#include "time/caches_l2.h"
#include "time/caches_replay.h"

enum { MEGABYTE = 1 << 20, SMS = 4 };

static const struct ptx_insn plain_load = {.op = PTX_OP_LD};
static const struct ptx_insn *const no_origin[1];
static const bool plain = false, waited_for = true; /* is the load one of carried.h? */
static const struct access_event load = {.kind = ACCESS_LOAD, .origin = &plain_load};

static uint64_t misses_of_a_load(struct l2_cache *l2)
{
    const struct l2_request request = {.line = 7, .mask = 1, .kind = ACCESS_LOAD};
    struct lru_asker asker = {0};
    const uint64_t before = l2->pcs[0].misses;
    l2_look_up(l2, &request, &asker);
    return l2->pcs[0].misses - before;
}

START_TEST(the_l2_of_a_launch_begins_empty)
{
    struct l2_cache l2 = {0};
    l2_open(&l2, MEGABYTE);
    for (int launch = 0; launch < 2; launch++) {
        l2_begin(&l2, 1);
        ck_assert_uint_eq(misses_of_a_load(&l2), 1);
        ck_assert_uint_eq(misses_of_a_load(&l2), 0);
    }
    l2_close(&l2);
}
END_TEST

/* Block `number` loads a line, if its requests are kept. */
static void record_a_load(struct recording *r, uint64_t number)
{
    const struct warp w = {.number = 0};
    const uint64_t line = 7;
    const uint8_t mask = 15;
    struct block_trace *t = recording_trace(r, number);
    ck_assert_ptr_nonnull(t);
    recording_add(r, t, &w, &load, &line, &mask, 1);
}

START_TEST(each_sm_has_an_l1_of_its_own)
{
    const struct simt_launch launch = {.grid = {SMS, 1, 1}, .block = {32, 1, 1}};
    struct recording r = {0};
    struct replay_pc met = {0}, unseen = {0};
    recording_begin(&r, &launch, SMS, 1);
    record_a_load(&r, 0);
    record_a_load(&r, SMS / 2); /* of the other SM that is sampled */
    recording_replay(&r, 1, MEGABYTE, &plain, &met, &unseen);
    ck_assert_uint_eq(met.requests, 2);
    ck_assert_uint_eq(met.missed, 2);
    ck_assert_uint_eq(met.hits, 0);
    recording_free(&r);
}
END_TEST

START_TEST(blocks_of_one_sm_share_its_l1)
{
    const struct simt_launch launch = {.grid = {2 * SMS, 1, 1}, .block = {32, 1, 1}};
    struct recording r = {0};
    struct replay_pc met = {0}, unseen = {0};
    recording_begin(&r, &launch, SMS, 1);
    record_a_load(&r, 0);
    record_a_load(&r, SMS);
    recording_replay(&r, 1, MEGABYTE, &plain, &met, &unseen);
    ck_assert_uint_eq(met.requests, 2);
    ck_assert_uint_eq(met.missed, 1);
    ck_assert_uint_eq(met.hits, 4);
    recording_free(&r);
}
END_TEST

/* A warp stores to so many words of a line, then loads it. How many of its sectors hit? */
static uint64_t hits_behind_a_store(unsigned lanes, uint64_t sectors)
{
    const struct simt_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    const struct access_event store = {.kind = ACCESS_STORE,
                                       .origin = &plain_load,
                                       .lanes = (lane_mask)((1ull << lanes) - 1),
                                       .bytes = 4,
                                       .cost = {.b = sectors}};
    const struct warp w = {.number = 0};
    const uint64_t line = 7;
    const uint8_t mask = (uint8_t)((1u << sectors) - 1);
    struct recording r = {0};
    struct replay_pc met = {0}, unseen = {0};
    recording_begin(&r, &launch, SMS, 1);
    recording_add(&r, recording_trace(&r, 0), &w, &store, &line, &mask, 1);
    record_a_load(&r, 0);
    recording_replay(&r, 1, MEGABYTE, &plain, &met, &unseen);
    recording_free(&r);
    ck_assert_uint_eq(met.requests, 1);
    return met.hits;
}

START_TEST(what_was_stored_whole_is_in_l1)
{
    ck_assert_uint_eq(hits_behind_a_store(32, 4), 4);
    ck_assert_uint_eq(hits_behind_a_store(16, 2), 2);
    ck_assert_uint_eq(hits_behind_a_store(31, 4), 0);
}
END_TEST

/* Two warps of a block load `lines` lines each, the second one the first's last line at once. How
 * many requests waited, where the loads are of this kind? */
static uint64_t waits_of_two_warps(const bool *carried, unsigned lines)
{
    const struct simt_launch launch = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
    const uint8_t mask = 15;
    struct recording r = {0};
    struct replay_pc met = {0}, unseen = {0};
    recording_begin(&r, &launch, SMS, 1);
    struct block_trace *t = recording_trace(&r, 0);
    for (uint64_t line = 1; line <= lines; line++) {
        const struct warp first = {.number = 0};
        recording_add(&r, t, &first, &load, &line, &mask, 1);
    }
    for (uint64_t line = lines; line >= 1; line--) {
        const struct warp second = {.number = 1};
        recording_add(&r, t, &second, &load, &line, &mask, 1);
    }
    recording_replay(&r, 1, MEGABYTE, carried, &met, &unseen);
    recording_free(&r);
    return met.waited;
}

/* They come to a line one request apart, and three. */
START_TEST(what_was_asked_for_a_wait_ago_is_there)
{
    ck_assert_uint_eq(waits_of_two_warps(&plain, 4), 8);
    ck_assert_uint_eq(waits_of_two_warps(&waited_for, 4), 4);
}
END_TEST

/* One worker runs two blocks in turn: the one that has begun first asks, and ends, first. */
START_TEST(a_worker_knows_which_of_its_blocks_asks)
{
    const struct kernel kernel = {.code_count = 1, .origin = (const struct ptx_insn **)no_origin};
    const struct simt_launch launch = {.grid = {2, 1, 1}, .block = {32, 1, 1}};
    const struct launch_event event = {.kernel = &kernel, .launch = &launch, .workers = 1};
    struct block first = {.number = 0, .sequence = 0}, second = {.number = 1, .sequence = 1};
    const struct warp of_first = {.block = &first}, of_second = {.block = &second};
    struct caches *c = caches_open(gpu_limits_default());
    caches_begin(c, &event, &plain, 1, MEGABYTE);
    caches_block_begin(c, &first);
    caches_block_begin(c, &second);
    caches_request(c, &of_first, 0, 3);
    caches_block_end(c, &first);
    caches_request(c, &of_second, 0, 1);
    caches_block_end(c, &second);
    struct cache_result result;
    caches_end(c, &result);
    ck_assert_double_eq_tol(caches_hits(c, 0).lines, 2, 1e-9);
    caches_close(c);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("caches");
    tcase_add_test(tests, the_l2_of_a_launch_begins_empty);
    tcase_add_test(tests, each_sm_has_an_l1_of_its_own);
    tcase_add_test(tests, blocks_of_one_sm_share_its_l1);
    tcase_add_test(tests, what_was_stored_whole_is_in_l1);
    tcase_add_test(tests, what_was_asked_for_a_wait_ago_is_there);
    tcase_add_test(tests, a_worker_knows_which_of_its_blocks_asks);
    return run_suite("caches", tests);
}
