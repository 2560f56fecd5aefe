/* test_accesses.c - rows of accesses: what a launch's loads and stores cost, at the least, and
 * which request shows it. */
#include "machine_fixture.h"
#include "watch/accesses.h"

static struct accesses *accesses;
static const struct access_row *rows;
static unsigned count;

/* Rows of the body's own lines; the fixture's store at line 30 comes last. */
static void run(struct machine m, const char *body)
{
    accesses = accesses_open();
    ck_assert_ptr_nonnull(accesses);
    m.observer = accesses_observer(accesses);
    machine_run(&m, body);
    ck_assert_msg(m.good, "%s", m.e.text);
    count = accesses_rows(accesses, &rows);
    ck_assert_uint_ge(count, 1);
    ck_assert_uint_eq(rows[count - 1].line, 30);
}

START_TEST(a_stride_costs_more_than_the_least)
{
    run((struct machine){0}, "mul.wide.u32 %rd3, %r1, 8; add.u64 %rd3, %rd1, %rd3;"
                             ".loc 1 21 5\nld.global.u32 %r3, [%rd3];");
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(rows[0].line, 21);
    ck_assert_uint_eq(rows[0].column, 5);
    ck_assert_str_eq(rows[0].file, "case.cu");
    ck_assert_uint_eq(rows[0].requests, 1);
    ck_assert_uint_eq(rows[0].lanes, 32);
    ck_assert_uint_eq(rows[0].cost, 8);
    ck_assert_uint_eq(rows[0].least, 4);
    ck_assert_uint_eq(rows[0].wanted_bytes, 128);
    ck_assert_str_eq(rows[0].array, "parameter 0");
    ck_assert_int_eq(rows[0].parameter, 0);
    ck_assert_uint_eq(rows[1].cost, 4);
    ck_assert_uint_eq(rows[1].least, 4);
    accesses_close(accesses);
}
END_TEST

START_TEST(lanes_that_read_the_same_need_one_sector)
{
    run((struct machine){0}, "ld.global.u32 %r3, [%rd1];");
    ck_assert_uint_eq(rows[0].cost, 1);
    ck_assert_uint_eq(rows[0].least, 1);
    ck_assert_uint_eq(rows[0].wanted_bytes, 4);
    ck_assert_uint_eq(rows[0].uniform, 1);
    ck_assert_uint_eq(rows[0].uniform_low, rows[0].classes[0].sample.address[0]);
    ck_assert_uint_eq(rows[0].uniform_high, rows[0].uniform_low);
    accesses_close(accesses);
}
END_TEST

START_TEST(an_atomic_could_have_a_word_for_each_lane)
{
    run((struct machine){0},
        "and.b32 %r4, %r1, 1; mul.wide.u32 %rd3, %r4, 4; add.u64 %rd3, %rd1, %rd3;"
        "red.global.add.u32 [%rd3], %r1;");
    ck_assert_int_eq(rows[0].kind, ACCESS_REDUCTION);
    ck_assert_uint_eq(rows[0].cost, 16);
    ck_assert_uint_eq(rows[0].least, 4);
    accesses_close(accesses);
}
END_TEST

START_TEST(shared_memory_is_named_and_its_conflicts_counted)
{
    run((struct machine){.functions = ".shared .align 4 .b8 first[128];\n"
                                      ".shared .align 4 .b8 _ZZ1fvE4tile[4096];"},
        "mov.u32 %r3, first; st.shared.u32 [%r3], %r1; mov.u32 %r3, _ZZ1fvE4tile;"
        "shl.b32 %r4, %r1, 7; add.u32 %r3, %r3, %r4; .loc 1 22 0\nst.shared.u32 [%r3], %r1;");
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(rows[0].array, "first");
    ck_assert_uint_eq(rows[0].conflicts, 0);
    ck_assert_str_eq(rows[1].array, "tile");
    ck_assert_uint_eq(rows[1].array_begin, 128);
    ck_assert_uint_eq(rows[1].cost, 32);
    ck_assert_uint_eq(rows[1].least, 1);
    ck_assert_uint_eq(rows[1].conflicts, 31);
    accesses_close(accesses);
}
END_TEST

/* Block b's threads read with stride b + 1: a class for each cost. The sample is the lowest
 * block's. */
START_TEST(classes_do_not_depend_on_workers)
{
    static const char body[] = "and.b32 %r5, %r30, 3; add.u32 %r5, %r5, 1; mul.lo.u32 %r5, %r5, "
                               "%r1; mul.wide.u32 %rd3, %r5, 4;"
                               "add.u64 %rd3, %rd1, %rd3; ld.global.u32 %r3, [%rd3];";
    for (unsigned workers = 1; workers <= 8; workers *= 2) {
        run((struct machine){.workers = workers, .grid = {64, 1, 1}, .block = {64, 1, 1}}, body);
        ck_assert_uint_eq(count, 2);
        ck_assert_uint_eq(rows[0].requests, 128);
        ck_assert_uint_eq(rows[0].cost, 32 * (4 + 8 + 12 + 16));
        ck_assert_uint_eq(rows[0].class_count, 4);
        for (unsigned i = 0; i < 4; i++) {
            const struct access_class *c = &rows[0].classes[i];
            ck_assert_uint_eq(c->cost, 4 * (i + 1));
            ck_assert_uint_eq(c->requests, 32);
            ck_assert_uint_eq(c->sample.block_number, i);
            ck_assert_uint_eq(c->sample.block.x, i);
            ck_assert_uint_eq(c->sample.warp, 0);
            ck_assert_uint_eq(c->sample.address[31] - c->sample.address[0], 31 * 4 * (i + 1));
        }
        ck_assert_uint_eq(accesses_worst(&rows[0])->cost, 16);
        ck_assert_uint_eq(accesses_typical(&rows[0])->cost, 4);
        ck_assert_uint_eq(rows[1].class_count, 1);
        ck_assert_uint_eq(rows[1].lanes, 64 * 64);
        accesses_close(accesses);
    }
}
END_TEST

START_TEST(generic_accesses_have_a_row_for_each_space)
{
    run((struct machine){.functions = ".shared .align 4 .b8 sh[256];"},
        "mov.u64 %rd3, sh; cvta.shared.u64 %rd3, %rd3; setp.lt.u32 %p1, %r1, 16;"
        "selp.b64 %rd3, %rd3, %rd2, %p1; ld.u32 %r3, [%rd3];");
    ck_assert_uint_eq(count, 3);
    ck_assert_int_eq(rows[0].space, PTX_GLOBAL);
    ck_assert_uint_eq(rows[0].lanes, 16);
    ck_assert_int_eq(rows[1].space, PTX_SHARED);
    ck_assert_uint_eq(rows[1].lanes, 16);
    accesses_close(accesses);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("accesses");
    tcase_add_test(tests, a_stride_costs_more_than_the_least);
    tcase_add_test(tests, lanes_that_read_the_same_need_one_sector);
    tcase_add_test(tests, an_atomic_could_have_a_word_for_each_lane);
    tcase_add_test(tests, shared_memory_is_named_and_its_conflicts_counted);
    tcase_add_test(tests, classes_do_not_depend_on_workers);
    tcase_add_test(tests, generic_accesses_have_a_row_for_each_space);
    return run_suite("accesses", tests);
}
