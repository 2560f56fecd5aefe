/* test_estimate.c - the estimate of a launch is the same in each run, to the last digit: with any
 * number of workers, wherever memory lies, and with addresses told or only their patterns. A launch
 * too small for the sample that the L2 sees is estimated by the same rules. */
#include <math.h>
#include <string.h>

#include "common/gpu/gpu_limits.h"
#include "api/simt.h"
#include "time/estimate.h"
#include "suite.h"

/* Each thread adds words that lie 128 bytes apart from its neighbours', of its own block and of the
 * next ones, writes its own back and counts with an atomic in one of 64 words. */
static const char text[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry mix(.param .u64 array, .param .u64 counters)\n{\n"
    ".reg .u32 %r<12>; .reg .u64 %d<9>; .reg .pred %p<3>;\n"
    "ld.param.u64 %d1, [array]; ld.param.u64 %d5, [counters];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d2, %r4, 128; add.s64 %d3, %d1, %d2;\n"
    "mov.u32 %r6, 0; mov.u64 %d4, %d3;\n"
    "LOOP: ld.global.u32 %r7, [%d4]; add.s64 %d4, %d4, 1028; add.u32 %r6, %r6, 1;\n"
    "setp.lt.u32 %p1, %r6, 200; @%p1 bra LOOP;\n"
    "st.global.u32 [%d3], %r7; and.b32 %r8, %r4, 63; mul.wide.u32 %d6, %r8, 4;\n"
    "add.s64 %d7, %d5, %d6; red.global.add.u32 [%d7], 1;\n"
    "ld.global.v4.u32 {%r7, %r8, %r9, %r10}, [%d1];\n"
    "shl.b32 %r9, %r4, 1; cvt.u64.u32 %d8, %r9; add.s64 %d8, %d1, %d8;\n"
    "ld.global.u16 %r9, [%d8+64]; ret;\n}\n"
    ".visible .entry exchange(.param .u64 array, .param .u64 counters)\n{\n"
    ".reg .u32 %r<3>; .reg .u64 %d<3>; ld.param.u64 %d1, [counters];\n"
    "atom.global.exch.b32 %r1, [%d1], 1; st.global.u32 [%d1+128], %r1; ret;\n}\n"
    ".visible .entry near(.param .u64 array, .param .u64 counters)\n{\n"
    ".reg .u32 %r<6>; .reg .u64 %d<4>; ld.param.u64 %d1, [array];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d2, %r4, 4; add.s64 %d3, %d1, %d2;\n"
    "ld.global.u32 %r5, [%d3]; st.global.u32 [%d3+65536], %r5; ret;\n}\n"
    ".visible .entry far(.param .u64 array, .param .u64 counters)\n{\n"
    ".reg .u32 %r<6>; .reg .u64 %d<4>; ld.param.u64 %d1, [array];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d2, %r4, 32; add.s64 %d3, %d1, %d2;\n"
    "ld.global.u32 %r5, [%d3]; st.global.u32 [%d3+65536], %r5; ret;\n}\n"
    ".visible .entry odd(.param .u64 array, .param .u64 counters)\n{\n"
    ".reg .u32 %r<6>; .reg .u64 %d<4>; ld.param.u64 %d1, [array];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d2, %r4, 132; add.s64 %d3, %d1, %d2;\n"
    "ld.global.u32 %r5, [%d3]; st.global.u32 [%d3+65536], %r5; ret;\n}\n"
    ".visible .entry pieces(.param .u64 array, .param .u64 counters)\n{\n"
    ".reg .u32 %r<6>; .reg .u64 %d<4>; ld.param.u64 %d1, [array];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; and.b32 %r4, %r4, 63; mul.wide.u32 %d2, %r4, 512;\n"
    "add.s64 %d3, %d1, %d2; red.global.add.u32 [%d3], %r3; ret;\n}\n"
    ".visible .entry own(.param .u64 array, .param .u64 counters)\n{\n"
    ".reg .u32 %r<3>; .reg .u64 %d<3>; .local .align 4 .b8 box[64];\n"
    "ld.param.u64 %d1, [counters]; mov.u64 %d2, box; ld.global.u32 %r1, [%d1];\n"
    "st.local.u32 [%d2], %r1; ld.local.u32 %r2, [%d2]; st.global.u32 [%d1], %r2; ret;\n}\n"
    ".visible .entry apart(.param .u64 array, .param .u64 counters)\n{\n"
    ".reg .u32 %r<12>; .reg .u64 %d<5>; .reg .pred %p<4>; .local .align 8 .b8 box[2048];\n"
    "ld.param.u64 %d1, [counters]; mov.u64 %d2, box; mov.u32 %r1, %tid.x; mov.u32 %r6, 0;\n"
    "LOOP: mad.lo.u32 %r2, %r1, 7, %r6; and.b32 %r3, %r6, 4; shl.b32 %r3, 15, %r3;\n"
    "and.b32 %r2, %r2, %r3; mul.lo.u32 %r4, %r2, 2; add.u32 %r4, %r4, 3;\n"
    "mul.wide.u32 %d3, %r4, 4; add.s64 %d3, %d2, %d3; and.b32 %r5, %r1, %r6;\n"
    "setp.ne.u32 %p1, %r5, 3; @%p1 st.local.u32 [%d3-12], %r6; ld.local.u8 %r7, [%d3-11];\n"
    "st.local.u64 [%d3-12], %d1; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 12;\n"
    "@%p2 bra LOOP; st.global.u32 [%d1], %r7; ret;\n}\n"
    ".visible .entry lowest(.param .u64 array, .param .u64 counters)\n{\n"
    ".reg .u32 %r<7>; .reg .u64 %d<2>; .reg .pred %p<2>; ld.param.u64 %d1, [counters];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; ld.global.u32 %r5, [%d1];\n"
    "setp.le.u32 %p1, %r5, %r4; @%p1 bra E; atom.global.cas.b32 %r6, [%d1], %r5, %r4;\n"
    "E: ret;\n}\n"
    ".visible .entry chain(.param .u64 array, .param .u64 counters)\n{\n"
    ".reg .u32 %r<8>; .reg .u64 %d<5>; .reg .pred %p<2>; ld.param.u64 %d1, [array];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d2, %r4, 4; add.s64 %d3, %d1, %d2;\n"
    "mov.u32 %r6, 0; mov.u64 %d4, %d3;\n"
    "LOOP: ld.global.u32 %r5, [%d4]; ld.global.u32 %r5, [%d4+4]; ld.global.u32 %r5, [%d4+4096];\n"
    "mad.lo.u32 %r7, %r6, 256, %r4; mul.wide.u32 %d2, %r7, 4; add.s64 %d2, %d1, %d2;\n"
    "st.global.u32 [%d2+8192], %r5; ld.global.u32 %r5, [%d4+8192]; add.s64 %d4, %d4, 1024;\n"
    "ld.global.u32 %r5, [%d4+8224]; ld.global.u32 %r5, [%d4+9000]; add.u32 %r6, %r6, 1;\n"
    "setp.lt.u32 %p1, %r6, 40; @%p1 bra LOOP; ret;\n}\n"
    ".visible .entry behind(.param .u64 array, .param .u64 counters)\n{\n"
    ".reg .u32 %r<8>; .reg .u64 %d<5>; .reg .pred %p<2>; ld.param.u64 %d1, [array];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, 51200, %r3;\n"
    "mul.wide.u32 %d2, %r4, 4; add.s64 %d3, %d1, %d2; mov.u32 %r6, 0;\n"
    "LOOP: ld.global.u32 %r5, [%d3]; st.global.u32 [%d3+65536], %r5; add.s64 %d3, %d3, 512;\n"
    "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 128; @%p1 bra LOOP;\n"
    "st.global.u32 [%d3+-9216], %r5; st.global.u32 [%d3+-6656], %r5; ret;\n}\n"
    ".visible .entry turns(.param .u64 array, .param .u64 counters)\n{\n"
    ".reg .u32 %r<4>; .reg .u64 %d<3>; .reg .pred %p<3>; ld.param.u64 %d1, [array];\n"
    "ld.param.u64 %d2, [counters]; mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0;\n"
    "@%p1 bra SECOND; ld.global.u32 %r2, [%d1]; st.global.u32 [%d1], %r2;\n"
    "red.global.add.u32 [%d2], 1;\n"
    "FIRST: ld.volatile.global.u32 %r3, [%d2]; setp.ne.u32 %p2, %r3, 1; @%p2 bra FIRST;\n"
    "st.global.u32 [%d1], %r2; ret;\n"
    "SECOND: ld.volatile.global.u32 %r3, [%d2]; setp.ne.u32 %p2, %r3, 0; @%p2 bra SECOND;\n"
    "ld.global.u32 %r2, [%d1+32]; red.global.add.u32 [%d2], 1; ret;\n}\n"
    ".visible .entry swap(.param .u64 array, .param .u64 counters)\n{\n"
    ".reg .u32 %r<3>; .reg .u64 %d<3>; ld.param.u64 %d1, [counters];\n"
    "atom.global.cas.b32 %r1, [%d1], 0, 1; st.global.u32 [%d1+128], %r1; ret;\n}\n";

enum { BLOCKS = 150, THREADS = 96, ROWS = BLOCKS * THREADS + 1700 };

static void nothing(void *state, struct warp *w, const struct access_event *a)
{
    (void)state, (void)w, (void)a;
}

struct run {
    const char *kernel; /* NULL: mix */
    unsigned workers;
    bool addresses;           /* somebody else asks for them */
    bool elsewhere;           /* another GPU's memory lies where this one's would */
    bool warm;                /* the L2 has what fits */
    bool floors;              /* no model */
    bool together;            /* a cooperative launch */
    unsigned blocks, threads; /* 0: BLOCKS of THREADS */
};

static struct estimate estimate_of(struct run run)
{
    static const struct observer asker = {.wants = OBSERVE_ACCESSES, .access = nothing};
    struct err e = {0};
    struct simt_counters counters;
    struct simt *other = run.elsewhere ? simt_open(gpu_limits_find("h200"), 1, &e) : NULL;
    struct simt *s = simt_open(gpu_limits_find("h200"), run.workers, &e);
    struct simt_module *m = simt_module_load(s, text, sizeof text - 1, "text", &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    struct memory *memory = simt_memory(s);
    const struct allocation *a = memory_alloc(memory, ROWS * 128, MEMORY_DEVICE, "test", NULL);
    const struct allocation *c = memory_alloc(memory, 64 * 4, MEMORY_DEVICE, "test", NULL);
    const uint64_t params[] = {a->begin, c->begin};
    const struct simt_launch l = {
        .kernel = simt_module_kernel(m, run.kernel != NULL ? run.kernel : "mix", &e),
        .grid = {run.blocks > 0 ? run.blocks : BLOCKS, 1, 1},
        .block = {run.threads > 0 ? run.threads : THREADS, 1, 1},
        .params = params,
        .cooperative = run.together};
    struct estimator *own =
        estimator_open(gpu_limits_find("h200"),
                       (struct estimate_options){.model = !run.floors, .cold = !run.warm});
    ck_assert(simt_observe(s, estimator_observer(own), &e));
    ck_assert(!run.addresses || simt_observe(s, &asker, &e));
    ck_assert_msg(simt_run(s, &l, &counters, &e), "%s", e.text);
    ck_assert_ptr_nonnull(estimator_last(own));
    const struct estimate last = *estimator_last(own);
    estimator_close(own);
    simt_close(s);
    if (other != NULL) {
        simt_close(other);
    }
    return last;
}

static void check_same(const struct estimate *a, const struct estimate *b)
{
    ck_assert(memcmp(a->floors.us, b->floors.us, sizeof a->floors.us) == 0);
    ck_assert(memcmp(a->model.part_us, b->model.part_us, sizeof a->model.part_us) == 0);
    ck_assert(a->floors.floor_us == b->floors.floor_us);
    ck_assert(a->model_us == b->model_us);
    ck_assert(a->model.l1_hit == b->model.l1_hit);
    ck_assert(a->model.l2_sectors == b->model.l2_sectors);
    ck_assert(a->model.dram_read_bytes == b->model.dram_read_bytes);
    ck_assert(a->model.dram_write_bytes == b->model.dram_write_bytes);
}

START_TEST(same_in_each_run)
{
    static const unsigned workers[] = {1, 2, 3, 8, 8, 8};
    const struct estimate first = estimate_of((struct run){.workers = 1});
    ck_assert(first.modelled && first.model_us > first.floors.floor_us);
    ck_assert(first.model.dram_read_bytes >= 0 && first.model.l1_hit > 0);
    for (unsigned i = 0; i < 6; i++) {
        const struct estimate other =
            estimate_of((struct run){.workers = workers[i], .elsewhere = i % 2 == 0});
        check_same(&first, &other);
    }
}
END_TEST

START_TEST(same_without_addresses)
{
    const struct estimate told = estimate_of((struct run){.workers = 2, .addresses = true});
    const struct estimate patterns = estimate_of((struct run){.workers = 2});
    check_same(&told, &patterns);
}
END_TEST

/* Lanes use near and far words of their own memory, and some are off. */
START_TEST(words_of_local_memory_are_counted_alike)
{
    const struct estimate told =
        estimate_of((struct run){.kernel = "apart", .workers = 1, .addresses = true});
    const struct estimate patterns = estimate_of((struct run){.kernel = "apart", .workers = 1});
    const struct estimate one_word = estimate_of((struct run){.kernel = "own", .workers = 1});
    ck_assert(memcmp(told.model.part_us, patterns.model.part_us, sizeof told.model.part_us) == 0);
    ck_assert(told.model_us == patterns.model_us);
    ck_assert(told.model.part_us[FLOOR_L2] > 12 * one_word.model.part_us[FLOOR_L2]);
}
END_TEST

/* Requests that follow others, of sectors that the same block and other ones store: in order. */
START_TEST(followers_touch_what_they_would_alone)
{
    for (unsigned i = 0; i < 4; i++) {
        struct run run = {.kernel = "chain", .workers = 1 + i / 2, .floors = i % 2, .blocks = 20};
        const struct estimate patterns = estimate_of(run);
        run.addresses = true;
        const struct estimate told = estimate_of(run);
        ck_assert(memcmp(told.floors.us, patterns.floors.us, sizeof told.floors.us) == 0);
        ck_assert(run.floors || told.model_us == patterns.model_us);
        ck_assert(run.floors || told.model.dram_read_bytes == patterns.model.dram_read_bytes);
    }
}
END_TEST

/* Each of four blocks reads 128 rows and writes elsewhere; behind the loop it writes two of those
 * that it has just read, which came from memory all the same, as every row did: as many as sixteen
 * blocks of 32 warps read that write further on. */
START_TEST(what_is_noted_keeps_its_order)
{
    struct run run = {.kernel = "behind", .workers = 1, .floors = true, .blocks = 4, .threads = 32};
    const struct estimate noted = estimate_of(run);
    run.addresses = true;
    const struct estimate told = estimate_of(run);
    const struct estimate rows_512 = estimate_of((struct run){
        .kernel = "near", .workers = 1, .floors = true, .blocks = 16, .threads = 1024});
    ck_assert(memcmp(told.floors.us, noted.floors.us, sizeof told.floors.us) == 0);
    ck_assert_double_eq_tol(noted.floors.us[FLOOR_DRAM], rows_512.floors.us[FLOOR_DRAM], 1e-9);
}
END_TEST

/* The first block reads a word and writes it; the second one reads the sector behind it, so that
 * the line belongs to it. When the first one writes its word again, it has read it all the same:
 * the word came from memory, as did that of the second block and the one where both wait (all its
 * bits are 1 when the launch begins). */
START_TEST(a_block_beside_it_does_not_hide_what_one_has_read)
{
    const struct estimate e = estimate_of((struct run){.kernel = "turns",
                                                       .workers = 1,
                                                       .floors = true,
                                                       .together = true,
                                                       .blocks = 2,
                                                       .threads = 1});
    const struct estimate three_sectors = estimate_of(
        (struct run){.kernel = "near", .workers = 1, .floors = true, .blocks = 1, .threads = 24});
    ck_assert(e.floors.us[FLOOR_DRAM] == three_sectors.floors.us[FLOOR_DRAM]);
}
END_TEST

/* Four blocks of 64 threads touch a few lines, of which the L2's sample may have none: these are
 * there already as well, and a copy of neighbours takes no longer than one with a stride. */
START_TEST(few_lines_are_in_the_l2_too)
{
    const struct run near = {
        .kernel = "near", .workers = 1, .warm = true, .blocks = 4, .threads = 64};
    struct run far = near, cold = near;
    far.kernel = "far";
    cold.warm = false;
    const struct estimate side_by_side = estimate_of(near), apart = estimate_of(far);
    ck_assert(side_by_side.model_us <= apart.model_us);
    ck_assert(side_by_side.model_us < estimate_of(cold).model_us);
}
END_TEST

/* L1 looks up four lines a cycle. A warp's words side by side are a line, and a wavefront each for
 * the load and the store, and one more for the store; 132 bytes apart they are 32 lines, in 32
 * banks.
 */
START_TEST(lines_are_looked_up_four_at_a_time)
{
    const struct estimate near = estimate_of((struct run){.workers = 1, .kernel = "near"});
    const struct estimate odd = estimate_of((struct run){.workers = 1, .kernel = "odd"});
    ck_assert_double_eq_tol(odd.model.part_us[FLOOR_L1] / near.model.part_us[FLOOR_L1],
                            (8 + 8 + 1) / 3.0, 0.01);
}
END_TEST

/* Of 64 pieces of 512 bytes the fullest unit of the L2 has four, and takes 1.11 turns a cycle. */
START_TEST(pieces_share_units)
{
    const struct estimate e = estimate_of((struct run){.workers = 1, .kernel = "pieces"});
    ck_assert_double_eq_tol(e.model.part_us[MODEL_ATOMICS],
                            BLOCKS * THREADS / 64.0 * 4 / 1.11 / 1980, 0.005);
}
END_TEST

/* Four sectors of local memory go through to the L2, each as 2.7 others. */
START_TEST(local_memory_is_written_slowly)
{
    const struct estimate e = estimate_of((struct run){.workers = 1, .kernel = "own"});
    const double bytes_per_us = gpu_rates(gpu_limits_find("h200")).l2_reached_gb_per_s * 1e3;
    const double local_us = BLOCKS * THREADS / 32 * 4 * 2.7 * 32 / bytes_per_us;
    ck_assert_double_ge(e.model.part_us[FLOOR_L2], local_us);
    ck_assert_double_le(e.model.part_us[FLOOR_L2], 1.6 * local_us);
}
END_TEST

/* Of 14,400 threads that want a word one succeeds in each turn; those that come late find what they
 * expect more often than if all asked in step. */
START_TEST(swaps_are_tried_again)
{
    const struct estimate exchange = estimate_of((struct run){.workers = 1, .kernel = "exchange"});
    const struct estimate swap = estimate_of((struct run){.workers = 1, .kernel = "swap"});
    ck_assert_double_eq_tol(swap.model.part_us[MODEL_ATOMICS] /
                                exchange.model.part_us[MODEL_ATOMICS],
                            1.27 * pow(BLOCKS * THREADS, 0.76), 1);
}
END_TEST

/* Here the first warp leaves the lowest number, and nobody else swaps; there all read a high one.
 */
START_TEST(all_who_read_at_once_swap)
{
    const struct estimate e = estimate_of((struct run){.workers = 1, .kernel = "lowest"});
    ck_assert_double_eq_tol(e.model.part_us[MODEL_ATOMICS], 2 * BLOCKS * THREADS / 0.69 / 1980,
                            0.2);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("estimate");
    tcase_add_test(tc, same_in_each_run);
    tcase_add_test(tc, same_without_addresses);
    tcase_add_test(tc, words_of_local_memory_are_counted_alike);
    tcase_add_test(tc, followers_touch_what_they_would_alone);
    tcase_add_test(tc, what_is_noted_keeps_its_order);
    tcase_add_test(tc, a_block_beside_it_does_not_hide_what_one_has_read);
    tcase_add_test(tc, few_lines_are_in_the_l2_too);
    tcase_add_test(tc, lines_are_looked_up_four_at_a_time);
    tcase_add_test(tc, pieces_share_units);
    tcase_add_test(tc, local_memory_is_written_slowly);
    tcase_add_test(tc, swaps_are_tried_again);
    tcase_add_test(tc, all_who_read_at_once_swap);
    return run_suite("estimate", tc);
}
