/* test_floor.c - floors by hand, what must travel to memory, sectors that were touched. */
#include <math.h>

#include "common/gpu/floor.h"
#include "time/touched.h"
#include "suite.h"

static const struct gpu_limits *h200(void) { return gpu_limits_find("h200"); }

/* 132 SMs at 1.98 GHz. */
#define START_US 1.6 /* gpu_rates.c: of any time, nothing is worked in so much */

START_TEST(each_resource)
{
    const struct floor_work dram = {.blocks = 4096, .warps = 32768, .dram_bytes = 48e6};
    struct floors f = floors_of(h200(), &dram);
    ck_assert_double_eq_tol(f.floor_us, 10 + START_US, 1e-6); /* of 4800 GB/s */
    ck_assert_int_eq(f.limiter, FLOOR_DRAM);
    /* What is read or written first comes to the L2 no faster than memory could send it. */
    const struct floor_work first = {.blocks = 4096, .warps = 32768, .first_bytes = 96e6};
    ck_assert_double_eq_tol(floors_of(h200(), &first).us[FLOOR_L2], 20 + START_US, 1e-6);
    const struct floor_work fma = {.blocks = 4096, .warps = 32768, .fma = 132 * 4 * 19800.0};
    f = floors_of(h200(), &fma);
    ck_assert_double_eq_tol(f.floor_us, 10 + START_US, 1e-6);
    ck_assert_int_eq(f.limiter, FLOOR_FMA);
    const struct floor_work l1 = {.blocks = 4096, .warps = 32768, .l1_wavefronts = 132 * 19800.0};
    ck_assert_double_eq_tol(floors_of(h200(), &l1).us[FLOOR_L1], 10 + START_US, 1e-6);
    const struct floor_work xu = {.blocks = 4096, .warps = 32768, .xu = 132 * 9900.0};
    ck_assert_double_eq_tol(floors_of(h200(), &xu).us[FLOOR_XU], 10 + START_US, 1e-6);
}
END_TEST

/* A block has one SM, a warp one scheduler of it. */
START_TEST(few_blocks)
{
    const struct floor_work one_warp = {.blocks = 1, .warps = 1, .fma = 19800};
    ck_assert_double_eq_tol(floors_of(h200(), &one_warp).floor_us, 10 + START_US, 1e-6);
    const struct floor_work one_block = {.blocks = 1, .warps = 32, .fma = 19800};
    ck_assert_double_eq_tol(floors_of(h200(), &one_block).us[FLOOR_FMA], 2.5 + START_US, 1e-6);
    const struct floor_work many_warps = {.blocks = 8, .warps = 64, .l1_wavefronts = 8 * 19800};
    ck_assert_double_eq_tol(floors_of(h200(), &many_warps).floor_us, 10 + START_US, 1e-6);
}
END_TEST

START_TEST(unknown_rates)
{
    const struct floor_work work = {.blocks = 1, .warps = 1, .fma = 1};
    ck_assert(isnan(floors_of(gpu_limits_find("textbook"), &work).floor_us));
    ck_assert(!isnan(floors_of(gpu_limits_find("a100"), &work).floor_us));
    ck_assert(gpu_rates(h200()).calibrated);
    ck_assert(!gpu_rates(gpu_limits_find("a100")).calibrated);
}
END_TEST

START_TEST(what_must_travel)
{
    const double l2 = (double)h200()->l2_bytes;
    ck_assert(floor_dram_bytes(h200(), 1e6, 1e6, false) == 0);
    ck_assert(floor_dram_bytes(h200(), 1e6, 1e6, true) == 1e6);
    ck_assert(floor_dram_bytes(h200(), 2 * l2, 3 * l2, true) == 4.5 * l2);
    ck_assert(floor_dram_bytes(h200(), 2 * l2, 3 * l2, false) == 4 * l2);
}
END_TEST

/* Lines and sectors of a warp: contiguous, strided, across the edge of a line, lanes left out. */
START_TEST(lines_of_a_warp)
{
    uint64_t address[32], lines[TOUCHED_LINES];
    uint8_t masks[TOUCHED_LINES];
    for (unsigned i = 0; i < 32; i++)
        address[i] = 0x10000 + 4 * i;
    ck_assert_uint_eq(touched_lines(address, 0xffffffff, 4, lines, masks), 1);
    ck_assert_uint_eq(lines[0], 0x10000 / 128);
    ck_assert_uint_eq(masks[0], 15);
    ck_assert_uint_eq(touched_lines(address, 0x0000ff00, 4, lines, masks), 1);
    ck_assert_uint_eq(masks[0], 2);
    for (unsigned i = 0; i < 32; i++)
        address[i] = 0x10000 + 4 * i + 4;
    ck_assert_uint_eq(touched_lines(address, 0xffffffff, 4, lines, masks), 2);
    ck_assert_uint_eq(masks[1], 1);
    for (unsigned i = 0; i < 32; i++)
        address[i] = 0x10000 + 256 * i + 16;
    ck_assert_uint_eq(touched_lines(address, 0xffffffff, 16, lines, masks), 32);
    ck_assert_uint_eq(masks[31], 1);
}
END_TEST

START_TEST(sectors_once)
{
    struct touched *t = touched_open();
    const uint64_t lines[] = {1000, 1001, 90000};
    const uint8_t masks[] = {15, 1, 3};
    touched_begin(t, 1);
    touched_add(t, 0, 0, 0, lines, masks, 3, SECTOR_READ);
    touched_add(t, 0, 0, 0, lines, masks, 3, SECTOR_READ);
    struct touched_bytes b = touched_sum(t);
    ck_assert_uint_eq(b.read, 7 * 32);
    ck_assert_uint_eq(b.written, 0);
    touched_add(t, 0, 0, 0, lines, masks, 1, SECTOR_WRITTEN); /* read first, then written: both */
    const uint64_t fresh = 5000;
    const uint8_t all = 15;
    touched_add(t, 0, 0, 0, &fresh, &all, 1,
                SECTOR_WRITTEN); /* written first: reading it is free */
    touched_add(t, 0, 0, 0, &fresh, &all, 1, SECTOR_READ);
    b = touched_sum(t);
    ck_assert_uint_eq(b.read, 7 * 32);
    ck_assert_uint_eq(b.written, 8 * 32);
    ck_assert_uint_eq(b.all, 11 * 32);
    touched_begin(t, 1);
    ck_assert_uint_eq(touched_sum(t).all, 0);
    touched_add(t, 0, 0, 0, lines, masks, 3, SECTOR_READ); /* the next launch counts from zero */
    ck_assert_uint_eq(touched_sum(t).all, 7 * 32);
    touched_close(t);
}
END_TEST

/* Two blocks and one line, whichever worker runs which of them, and in whichever order. */
static struct touched_bytes of_blocks(enum sector_use first, enum sector_use second,
                                      unsigned worker, bool swapped)
{
    struct touched *t = touched_open();
    const uint64_t line = 77;
    const uint8_t two = 3;
    touched_begin(t, 2);
    touched_add(t, swapped ? worker : 0, swapped, 0, &line, &two, 1, swapped ? second : first);
    touched_add(t, swapped ? 0 : worker, !swapped, 0, &line, &two, 1, swapped ? first : second);
    const struct touched_bytes b = touched_sum(t);
    touched_close(t);
    return b;
}

START_TEST(blocks_in_any_order)
{
    for (unsigned i = 0; i < 4; i++) {
        const unsigned worker = i / 2;
        const bool swapped = i % 2;
        struct touched_bytes b = of_blocks(SECTOR_READ, SECTOR_READ, worker, swapped);
        ck_assert_uint_eq(b.read, 64);
        ck_assert_uint_eq(b.all, 64);
        b = of_blocks(SECTOR_WRITTEN, SECTOR_READ, worker,
                      swapped); /* it may have come from there */
        ck_assert_uint_eq(b.read, 0);
        ck_assert_uint_eq(b.written, 64);
        b = of_blocks(SECTOR_UPDATED, SECTOR_UPDATED, worker, swapped);
        ck_assert_uint_eq(b.read, 64);
        ck_assert_uint_eq(b.written, 64);
    }
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("floor");
    tcase_add_test(tc, each_resource);
    tcase_add_test(tc, few_blocks);
    tcase_add_test(tc, unknown_rates);
    tcase_add_test(tc, what_must_travel);
    tcase_add_test(tc, lines_of_a_warp);
    tcase_add_test(tc, sectors_once);
    tcase_add_test(tc, blocks_in_any_order);
    return run_suite("floor", tc);
}
