/* test_exec_warp.c - instructions between the lanes of a warp: shuffles, votes, matches, and a warp
 * of fewer than 32 lanes. */
#include "value_fixture.h"

enum { UP, DOWN, BFLY, IDX };

/* __shfl_*_sync(value, b, width) as the CUDA C++ guide tells it. */
static uint32_t shuffled(unsigned mode, uint32_t lane, uint32_t b, uint32_t width, bool *inside)
{
    uint32_t begin = lane - lane % width, end = begin + width;
    uint32_t from = mode == UP     ? lane - b
                    : mode == DOWN ? lane + b
                    : mode == BFLY ? lane ^ b
                                   : begin + b % width;
    *inside = mode == UP ? lane >= begin + b : from < end;
    return *inside ? from : lane;
}

START_TEST(shuffles_in_segments)
{
    static const char *const names[] = {"up", "down", "bfly", "idx"};
    for (uint32_t width = 1; width <= 32; width *= 2) {
        for (uint32_t b = 0; b < 32; b += b < 4 ? 1 : 9) {
            struct machine m = {0};
            char text[300];
            snprintf(text, sizeof text,
                     "shfl.sync.%s.b32 %%r2|%%p1, %%r1, %u, %u, -1; selp.b32 %%r3, 100, 0, %%p1;"
                     "add.u32 %%r2, %%r2, %%r3;",
                     names[_i], b, (32 - width) << 8 | (_i == UP ? 0 : 31));
            machine_run(&m, text);
            ck_assert_msg(m.good, "%s: %s", text, m.e.text);
            for (uint32_t t = 0; t < 32; t++) {
                bool inside;
                uint32_t want = shuffled((unsigned)_i, t, b, width, &inside);
                ck_assert_msg(m.out[t] == want + (inside ? 100 : 0),
                              "%s by %u in segments of %u: lane %u gets %u", names[_i], b, width, t,
                              m.out[t]);
            }
        }
    }
}
END_TEST

/* Lanes 8 to 15 alone execute the line; the result of lane 8, and of all of them unless `differ`.
 */
static const struct {
    const char *line;
    uint32_t want;
} votes[] = {
    {"activemask.b32 %r2;", 0xff00},
    {"setp.lt.u32 %p2, %r1, 10; vote.sync.ballot.b32 %r2, %p2, 0xff00;", 0x300},
    {"setp.lt.u32 %p2, %r1, 10; vote.sync.ballot.b32 %r2, !%p2, 0xff00;", 0xfc00},
    {"setp.lt.u32 %p2, %r1, 16; vote.sync.all.pred %p3, %p2, 0xff00; selp.b32 %r2, 1, 2, %p3;", 1},
    {"setp.lt.u32 %p2, %r1, 15; vote.sync.all.pred %p3, %p2, 0xff00; selp.b32 %r2, 1, 2, %p3;", 2},
    {"setp.eq.u32 %p2, %r1, 15; vote.sync.any.pred %p3, %p2, 0xff00; selp.b32 %r2, 1, 2, %p3;", 1},
    {"setp.eq.u32 %p2, %r1, 16; vote.sync.any.pred %p3, %p2, 0xff00; selp.b32 %r2, 1, 2, %p3;", 2},
    {"setp.eq.u32 %p2, %r1, 16; vote.sync.uni.pred %p3, %p2, 0xff00; selp.b32 %r2, 1, 2, %p3;", 1},
    {"setp.eq.u32 %p2, %r1, 9; vote.sync.uni.pred %p3, %p2, 0xff00; selp.b32 %r2, 1, 2, %p3;", 2},
    {"match.all.sync.b32 %r2|%p2, 7, 0xff00;", 0xff00},
    {"match.all.sync.b32 %r2|%p2, %r1, 0xff00; @%p2 mov.u32 %r2, 9;", 0},
    {"mov.b64 %rd3, 7; match.any.sync.b64 %r2, %rd3, 0xff00;", 0xff00},
    {"redux.sync.add.u32 %r2, %r1, 0xff00;", 92},
    {"sub.u32 %r3, %r1, 10; redux.sync.min.s32 %r2, %r3, 0xff00;", 0xfffffffe},
    {"sub.u32 %r3, %r1, 10; redux.sync.min.u32 %r2, %r3, 0xff00;", 0},
    {"sub.u32 %r3, %r1, 10; redux.sync.max.s32 %r2, %r3, 0xff00;", 5},
    {"sub.u32 %r3, %r1, 10; redux.sync.max.u32 %r2, %r3, 0xff00;", 0xffffffff},
    {"redux.sync.and.b32 %r2, %r1, 0xff00;", 8},
    {"redux.sync.or.b32 %r2, %r1, 0xff00;", 15},
    {"redux.sync.xor.b32 %r2, %r1, 0xff00;", 0},
};

START_TEST(part_of_a_warp_votes)
{
    for (unsigned i = 0; i < sizeof votes / sizeof votes[0]; i++) {
        struct machine m = {0};
        char text[400];
        snprintf(text, sizeof text,
                 "mov.u32 %%r2, 12345; sub.u32 %%r9, %%r1, 8; setp.ge.u32 %%p1, %%r9, 8;"
                 "@%%p1 bra END; %s END:",
                 votes[i].line);
        machine_run(&m, text);
        ck_assert_msg(m.good, "%s: %s", votes[i].line, m.e.text);
        for (uint32_t t = 0; t < 32; t++) {
            uint32_t want = t - 8 < 8 ? votes[i].want : 12345;
            ck_assert_msg(m.out[t] == want, "%s: lane %u has 0x%x", votes[i].line, t, m.out[t]);
        }
    }
}
END_TEST

START_TEST(equal_values_find_each_other)
{
    struct machine m = {0};
    machine_run(&m, "rem.u32 %r3, %r1, 3; match.any.sync.b32 %r2, %r3, -1;");
    ck_assert_msg(m.good, "%s", m.e.text);
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_uint_eq(m.out[t], 0x49249249u << t % 3);
    }
}
END_TEST

/* 40 threads: the second warp has 8 lanes. */
START_TEST(a_short_warp_is_a_warp)
{
    struct machine m = {.block = {40, 1, 1}};
    machine_run(&m, "vote.sync.ballot.b32 %r2, 1, -1; mov.u32 %r3, %lanemask_lt;"
                    "and.b32 %r2, %r2, %r3; popc.b32 %r2, %r2; mov.u32 %r3, %laneid;"
                    "sub.u32 %r2, %r2, %r3; shfl.sync.down.b32 %r4, %r1, 8, 31, -1;"
                    "setp.lt.u32 %p1, %r1, 32; @%p1 mov.u32 %r4, 0; add.u32 %r2, %r2, %r4;"
                    "mov.u32 %r3, %warpid; mad.lo.u32 %r2, %r3, 1000, %r2;");
    ck_assert_msg(m.good, "%s", m.e.text);
    for (uint32_t t = 0; t < 40; t++) {
        ck_assert_uint_eq(m.out[t], t / 32 * 1000);
    }
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("exec_warp");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, shuffles_in_segments, 0, 4);
    tcase_add_test(tc, part_of_a_warp_votes);
    tcase_add_test(tc, equal_values_find_each_other);
    tcase_add_test(tc, a_short_warp_is_a_warp);
    return run_suite("exec_warp", tc);
}
