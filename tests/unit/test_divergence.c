/* test_divergence.c - the arithmetic of lesson 04: warps of a block, warps at a boundary. */
#include <stdlib.h>

#include "common/verify.h"
#include "step04_divergence/harness/arithmetic.c"
#include "suite.h"

/* --- warps of a block --------------------------------------------------------------------------*/

static void check_thread(struct shape s, unsigned number, unsigned z, unsigned y, unsigned x)
{
    const struct thread t = shape_thread(s, number);
    ck_assert_uint_eq(t.z, z);
    ck_assert_uint_eq(t.y, y);
    ck_assert_uint_eq(t.x, x);
}

START_TEST(threads_are_numbered_x_first)
{
    check_thread((struct shape){8, 8, 1}, 31, 0, 3, 7);
    check_thread((struct shape){8, 8, 1}, 32, 0, 4, 0);
    check_thread((struct shape){4, 8, 2}, 31, 0, 7, 3);
    check_thread((struct shape){4, 8, 2}, 32, 1, 0, 0);
    check_thread((struct shape){4, 8, 2}, 63, 1, 7, 3);
}
END_TEST

START_TEST(last_warp_may_be_padded)
{
    const struct shape s = {48, 1, 1};
    ck_assert_uint_eq(shape_warps(s), 2);
    ck_assert_uint_eq(shape_lanes(s, 0), 0xffffffffu);
    ck_assert_uint_eq(shape_lanes(s, 1), 0x0000ffffu);
    ck_assert_uint_eq(shape_warps((struct shape){4, 4, 1}), 1);
    ck_assert_uint_eq(shape_lanes((struct shape){4, 4, 1}, 0), 0x0000ffffu);
    ck_assert_uint_eq(shape_warps((struct shape){32, 32, 1}), 32);
    ck_assert_uint_eq(shape_lanes((struct shape){1, 1, 1}, 0), 1u);
}
END_TEST

/* --- boundaries --------------------------------------------------------------------------------*/

struct known {
    int64_t width, height;
    struct shape shape;
    uint64_t blocks, warps, divergent, outside, idle_threads;
};

/* The figures of the lesson's README. */
static const struct known known[] = {
    {100, 1, {64, 1, 1}, 2, 4, 1, 0, 28},
    {1000, 1, {64, 1, 1}, 16, 32, 1, 0, 24},
    {1003, 1, {64, 1, 1}, 16, 32, 1, 0, 21},
    {10000, 1, {64, 1, 1}, 157, 314, 1, 1, 48},
    {76, 62, {16, 16, 1}, 20, 160, 31, 5, 408},
    {200, 150, {16, 16, 1}, 130, 1040, 75, 65, 3280},
    {1000, 1000, {16, 16, 1}, 3969, 31752, 500, 252, 16064},
    {1001, 1001, {16, 16, 1}, 3969, 31752, 563, 189, 14063},
    {64, 1, {64, 1, 1}, 1, 2, 0, 0, 0},
};

START_TEST(known_boundaries)
{
    const struct known *k = &known[_i];
    const struct tally t = boundary_predict(k->width, k->height, k->shape).all;
    ck_assert_uint_eq(t.blocks, k->blocks);
    ck_assert_uint_eq(t.warps, k->warps);
    ck_assert_uint_eq(t.divergent, k->divergent);
    ck_assert_uint_eq(t.outside, k->outside);
    ck_assert_uint_eq(t.idle_threads, k->idle_threads);
    ck_assert_uint_eq(t.inside_threads, (uint64_t)(k->width * k->height));
}
END_TEST

START_TEST(regions_of_an_image)
{
    const struct boundary b = boundary_predict(76, 62, (struct shape){16, 16, 1});
    const uint64_t warps[REGIONS] = {96, 24, 32, 8}, divergent[REGIONS] = {0, 24, 0, 7};
    for (int r = 0; r < REGIONS; r++) {
        ck_assert_uint_eq(b.region[r].warps, warps[r]);
        ck_assert_uint_eq(b.region[r].divergent, divergent[r]);
    }
}
END_TEST

/* Every warp of every block, thread by thread: slow, and without the idea of regions. */
static struct tally walk(int64_t width, int64_t height, struct shape s)
{
    const uint64_t across = boundary_blocks_x(width, s), down = boundary_blocks_y(height, s);
    struct tally t = {.blocks = across * down};
    for (uint64_t block = 0; block < t.blocks; block++) {
        for (unsigned first = 0; first < shape_threads(s); first += WARP) {
            unsigned lanes = 0, inside = 0;
            for (unsigned n = first; n < first + WARP && n < shape_threads(s); n++) {
                const uint64_t x = block % across * s.x + n % s.x;
                const uint64_t y = block / across * s.y + n / s.x % s.y;
                lanes++;
                inside += x < (uint64_t)width && y < (uint64_t)height;
            }
            tally_warp(&t, lanes, inside, 1);
        }
    }
    return t;
}

START_TEST(any_shape_equals_a_walk_over_all_threads)
{
    struct rng random = rng_start(4);
    for (int i = 0; i < 500; i++) {
        const unsigned x = (unsigned)rng_between(&random, 1, 48);
        const struct shape s = {x, (unsigned)rng_between(&random, 1, BLOCK_MAX / x), 1};
        const int64_t width = rng_between(&random, 1, 150), height = rng_between(&random, 1, 150);
        const struct tally want = walk(width, height, s);
        const struct tally got = boundary_predict(width, height, s).all;
        ck_assert_msg(tally_equal(&got, &want), "%lld x %lld in blocks of %u x %u",
                      (long long)width, (long long)height, s.x, s.y);
    }
}
END_TEST

START_TEST(utilisation_leaves_out_warps_outside)
{
    const struct tally t = boundary_predict(10000, 1, (struct shape){64, 1, 1}).all;
    ck_assert_double_eq_tol(tally_utilisation(&t), 10000.0 / (32 * 313), 1e-12);
    const struct tally none = {0};
    ck_assert_double_eq_tol(tally_utilisation(&none), 1.0, 1e-12);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("arithmetic");
    tcase_add_test(t, threads_are_numbered_x_first);
    tcase_add_test(t, last_warp_may_be_padded);
    tcase_add_loop_test(t, known_boundaries, 0, sizeof known / sizeof known[0]);
    tcase_add_test(t, regions_of_an_image);
    tcase_add_test(t, any_shape_equals_a_walk_over_all_threads);
    tcase_add_test(t, utilisation_leaves_out_warps_outside);
    return run_suite("divergence", t);
}
