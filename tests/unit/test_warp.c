/* test_warp.c - lanes that diverge and reconverge: what each computes, and what is counted. */
#include "machine_fixture.h"

#define EVEN_ODD                                                                                   \
    "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra EVEN;"                                 \
    "mov.u32 %r2, 1; bra END; EVEN: mov.u32 %r2, 2; END: add.u32 %r2, %r2, 10;"

/* thread t of one full warp leaves want(t); branches and divergent branches of the warp */
static uint32_t even_odd(uint32_t t) { return t & 1 ? 11 : 12; }
static uint32_t warp_index(uint32_t t) { return t; }
static uint32_t nested(uint32_t t) { return (t < 16 ? (t < 8 ? 1 : 2) : (t < 24 ? 3 : 4)) + 10; }
static uint32_t trips(uint32_t t) { return 6 + t % 3; }
static uint32_t early(uint32_t t) { return t < 16 ? (t < 4 ? 0 : 7) : 9; }
static uint32_t table(uint32_t t) { return t % 3 == 0 ? 100 : t % 3 == 1 ? 200 : 300; }
static uint32_t first_four(uint32_t t) { return t < 4 ? 0 : 7; }
static uint32_t five(uint32_t t) { return t < 32 ? 5 : 0; }
static uint32_t broken(uint32_t t) { return t < 10 ? t : 10; }

static const struct {
    const char *what, *body;
    uint32_t (*want)(uint32_t);
    uint64_t branches, divergent;
} cases[] = {
    {"no branch", "mov.u32 %r2, %r1;", warp_index, 0, 0},
    {"if/else reconverges behind it", EVEN_ODD, even_odd, 2, 1},
    {"nested if/else",
     "setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW; setp.lt.u32 %p2, %r1, 24; @%p2 bra C;"
     "mov.u32 %r2, 4; bra JOIN2; C: mov.u32 %r2, 3; JOIN2: bra END;"
     "LOW: setp.lt.u32 %p2, %r1, 8; @%p2 bra A; mov.u32 %r2, 2; bra END; A: mov.u32 %r2, 1;"
     "END: add.u32 %r2, %r2, 10;",
     nested, 7, 3},
    {"a loop of 6, 7 or 8 turns: 8 executions of its branch, 2 of them divergent",
     "rem.u32 %r3, %r1, 3; add.u32 %r3, %r3, 6; LOOP: add.u32 %r2, %r2, 1;"
     "setp.lt.u32 %p1, %r2, %r3; @%p1 bra LOOP;",
     trips, 8, 2},
    {"a return inside a nested if",
     "setp.ge.u32 %p1, %r1, 16; @%p1 bra HIGH; setp.lt.u32 %p2, %r1, 4; @%p2 bra GONE;"
     "mov.u32 %r2, 7; bra END; GONE: ret; HIGH: mov.u32 %r2, 9; END: ",
     early, 3, 2},
    {"brx.idx: three targets",
     "rem.u32 %r3, %r1, 3; TARGETS: .branchtargets A, B, C; brx.idx %r3, TARGETS;"
     "A: mov.u32 %r2, 100; bra END; B: mov.u32 %r2, 200; bra END; C: mov.u32 %r2, 300; END:",
     table, 3, 1},
    {"break out of a loop",
     "LOOP: setp.eq.u32 %p1, %r2, %r1; @%p1 bra OUT; add.u32 %r2, %r2, 1;"
     "setp.lt.u32 %p2, %r2, 10; @%p2 bra LOOP; OUT:",
     broken, 20, 10},
    {"a guard holds where a jump leads to it: a loop that begins with a shuffle of four lanes",
     "setp.lt.u32 %p2, %r1, 4; mov.u32 %r2, 7; L: @%p2 shfl.sync.idx.b32 %r2, %r1, 0, 31, 15;"
     "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3; @%p1 bra L;",
     first_four, 3, 0},
    {"a guard behind an unconditional branch",
     "setp.gt.u32 %p2, %r1, 99; mov.u32 %r2, 5; bra L; L: @%p2 bar.sync 1, 64;", five, 1, 0},
    {"guards are no branches", "setp.ge.u32 %p1, %r1, 10; mov.u32 %r2, %r1; @%p1 mov.u32 %r2, 10;",
     broken, 0, 0},
};

START_TEST(diverged_lanes_reconverge)
{
    struct machine m = {0};
    machine_run(&m, cases[_i].body);
    ck_assert_msg(m.good, "%s: %s", cases[_i].what, m.e.text);
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_msg(m.out[t] == cases[_i].want(t), "%s: thread %u has %u, not %u", cases[_i].what,
                      t, m.out[t], cases[_i].want(t));
    }
    ck_assert_msg(m.counters.branches == cases[_i].branches &&
                      m.counters.divergent_branches == cases[_i].divergent,
                  "%s: %llu branches, %llu divergent", cases[_i].what,
                  (unsigned long long)m.counters.branches,
                  (unsigned long long)m.counters.divergent_branches);
}
END_TEST

/* Lanes that branch to where they leave the kernel go before the others; else the others go first.
 * Who goes first draws the lower numbers. */
START_TEST(lanes_that_leave_go_first)
{
#define DRAW "atom.global.add.u32 %r2, [%rd1+8192], 1; st.global.u32 [%rd2], %r2; "
    static const struct {
        const char *body;
        bool taken_first;
    } orders[] = {
        {"setp.lt.u32 %p1, %r1, 16; @%p1 bra GONE; " DRAW "bra END; GONE: " DRAW "ret; END:", true},
        {"setp.lt.u32 %p1, %r1, 16; @%p1 bra ARM; " DRAW "bra END; ARM: " DRAW
         "END: setp.eq.u32 %p2, %r1, 99; @%p2 bra Z; add.u32 %r3, %r2, 1; Z: add.u32 %r3, %r2, 2;",
         false},
    };
#undef DRAW
    for (unsigned i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        struct machine m = {0};
        machine_run(&m, orders[i].body);
        ck_assert_msg(m.good, "%s", m.e.text);
        for (uint32_t t = 0; t < 32; t++) {
            bool first = (t < 16) == orders[i].taken_first;
            ck_assert_msg((m.out[t] < 16) == first, "order %u: thread %u drew %u", i, t, m.out[t]);
        }
    }
}
END_TEST

/* Both sides have one instruction; the lanes reconverge, so what follows is issued once. */
START_TEST(code_behind_the_reconvergence_point_is_issued_once)
{
    struct machine straight = {0}, divergent = {0};
    machine_run(&straight, "mov.u32 %r2, 1;");
    machine_run(&divergent, EVEN_ODD);
    ck_assert(straight.good && divergent.good);
    /* and, setp, bra | mov, bra | mov | add: seven issues for one; 32 or 16 lanes each */
    ck_assert_uint_eq(divergent.counters.instructions, straight.counters.instructions - 1 + 7);
    ck_assert_uint_eq(divergent.counters.thread_instructions,
                      straight.counters.thread_instructions - 32 + 4 * 32 + 3 * 16);
}
END_TEST

/* A break inside an `if` of a loop of 8 turns, once with the loop's head first and once with it
 * last, as clang likes to put it: all lanes that stay load together behind the `if`. */
#define HEAD                                                                                       \
    "HEAD: and.b32 %r3, %r1, 3; setp.ne.u32 %p1, %r3, 0; @%p1 bra TAIL; shl.b32 %r4, %r2, 2;"      \
    "setp.eq.u32 %p2, %r4, %r1; @%p2 bra OUT;"
#define TAIL                                                                                       \
    "TAIL: ld.global.u32 %r5, [%rd1+16000]; add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 8;"         \
    "@%p3 bra HEAD;"

START_TEST(lanes_reconverge_behind_an_if_that_others_leave_the_loop_from)
{
    const char *layouts[] = {HEAD TAIL "OUT:", "bra HEAD;" TAIL "bra OUT;" HEAD "bra TAIL; OUT:"};
    struct machine m = {0};
    machine_run(&m, layouts[_i]);
    ck_assert_msg(m.good, "%s", m.e.text);
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_uint_eq(m.out[t], t % 4 == 0 ? t / 4 : 8);
    }
    ck_assert_uint_eq(m.counters.global_load_requests, 8);
}
END_TEST

/* Where lanes wait for each other, told by how often a load is issued. In the machine code of such
 * kernels BSSY and BSYNC stand where these counts say. */
static const struct {
    const char *what, *body;
    unsigned loads;
} waits[] = {
    {"a return in one arm: the others reconverge behind both",
     "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra J; and.b32 %r4, %r1, 2;"
     "setp.eq.u32 %p2, %r4, 0; @%p2 bra GONE; J: ld.global.u32 %r5, [%rd1+16000]; bra OVER;"
     "GONE: ret; OVER:",
     1},
    {"a continue in one arm: the others reconverge before the rest of the round",
     "mov.u32 %r2, 0; HEAD: and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra A;"
     "add.u32 %r4, %r2, 1; bra J; A: and.b32 %r4, %r1, 2; setp.eq.u32 %p2, %r4, 0; @%p2 bra J;"
     "add.u32 %r4, %r2, 2; bra E; J: ld.global.u32 %r5, [%rd1+16000]; E: add.u32 %r2, %r2, 1;"
     "setp.lt.u32 %p3, %r2, 4; @%p3 bra HEAD;",
     4},
    {"a continue in one arm: those that wait for the rest of the round and those that skip it "
     "reconverge "
     "at its end",
     "mov.u32 %r2, 0; HEAD: and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra A;"
     "add.u32 %r4, %r2, 1; bra J; A: and.b32 %r4, %r1, 2; setp.eq.u32 %p2, %r4, 0; @%p2 bra J;"
     "add.u32 %r4, %r2, 2; bra E; J: ld.global.u32 %r5, [%rd1+16000];"
     "E: ld.global.u32 %r5, [%rd1+16000]; add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 4; @%p3 bra "
     "HEAD;",
     4 + 4},
    {"what a break does on its way out is done in its round, what follows the loop once",
     "mov.u32 %r2, 0; and.b32 %r3, %r1, 3; HEAD: setp.eq.u32 %p1, %r2, %r3; @%p1 bra ARM;"
     "add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 3; @%p2 bra HEAD; bra OUT;"
     "ARM: ld.global.u32 %r5, [%rd1+16000]; OUT: ld.global.u32 %r5, [%rd1+16000];",
     3 + 1},
    {"a return from a loop holds up nobody behind it",
     "mov.u32 %r2, 0; and.b32 %r3, %r1, 3; HEAD: setp.eq.u32 %p1, %r2, %r3; @%p1 bra GONE;"
     "add.u32 %r2, %r2, 1; shr.u32 %r4, %r1, 3; setp.le.u32 %p2, %r2, %r4; @%p2 bra HEAD;"
     "ld.global.u32 %r5, [%rd1+16000]; bra OVER; GONE: ret; OVER:",
     1},
};

START_TEST(lanes_wait_where_machine_code_lets_them)
{
    struct machine m = {0};
    machine_run(&m, waits[_i].body);
    ck_assert_msg(m.good, "%s: %s", waits[_i].what, m.e.text);
    ck_assert_msg(m.counters.global_load_requests == waits[_i].loads, "%s: %llu loads",
                  waits[_i].what, (unsigned long long)m.counters.global_load_requests);
}
END_TEST

static const char functions[] =
    ".func (.param .b32 result) sum(.param .b32 n)\n{ .reg .pred %p<2>; .reg .b32 %r<6>;\n"
    "ld.param.u32 %r1, [n]; mov.u32 %r2, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;\n"
    "sub.u32 %r3, %r1, 1; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r3;\n"
    "call (b), sum, (a); ld.param.b32 %r4, [b]; } add.u32 %r2, %r4, %r1;\n"
    "DONE: st.param.b32 [result], %r2; ret; }\n"
    ".func (.param .b32 result) twice(.param .b32 n)\n{ .reg .b32 %r<4>;\n"
    "ld.param.u32 %r1, [n]; shl.b32 %r2, %r1, 1; st.param.b32 [result], %r2; ret; }\n"
    ".global .align 8 .u64 choice[2] = {sum, twice};\n";

START_TEST(recursion_as_deep_as_each_lane_wants)
{
    struct machine m = {.functions = functions};
    machine_run(&m, "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;"
                    "call (b), sum, (a); ld.param.b32 %r2, [b]; }");
    ck_assert_msg(m.good, "%s", m.e.text);
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_uint_eq(m.out[t], t * (t + 1) / 2);
    }
}
END_TEST

START_TEST(lanes_call_different_functions)
{
    struct machine m = {.functions = functions};
    machine_run(&m, "and.b32 %r3, %r1, 1; mul.wide.u32 %rd3, %r3, 8; mov.u64 %rd4, choice;"
                    "add.u64 %rd3, %rd3, %rd4; ld.global.u64 %rd5, [%rd3];"
                    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;"
                    "P: .callprototype (.param .b32 _) _ (.param .b32 _);"
                    "call (b), %rd5, (a), P; ld.param.b32 %r2, [b]; }");
    ck_assert_msg(m.good, "%s", m.e.text);
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_uint_eq(m.out[t], t & 1 ? 2 * t : t * (t + 1) / 2);
    }
}
END_TEST

static const char straight_functions[] = ".func twice()\n{ ret; }\n.func thrice()\n{ ret; }\n"
                                         ".global .align 8 .u64 choice[2] = {twice, thrice};\n";

/* ptxas 13.0, sm_90: no BSSY in a kernel in which no branch and nothing else could part lanes. */
START_TEST(where_lanes_meet_behind_different_functions)
{
    static const struct {
        const char *behind;
        bool meet;
    } rows[] = {
        {"", false},
        {"bar.sync 0;", true},
        {"add.u32 %r3, %r3, 1;", false},
        {"bar.warp.sync 0xffffffff;", true},
        {"shfl.sync.idx.b32 %r3, %r3, 0, 31, 0xffffffff;", true},
        {"setp.gt.u32 %p1, %r1, 99; @%p1 exit;", true},
        {"setp.gt.u32 %p1, %r1, 99; @%p1 bra L; add.u32 %r3, %r3, 1; L:", true},
        {"bra L; L:", false},
        {"div.rn.f32 %r3, %r3, %r3;", true},
        {"div.approx.f32 %r3, %r3, %r3;", false},
        {"div.u64 %rd4, %rd4, %rd3;", true},
        {"div.u32 %r3, %r3, %r1;", false},
    };
    char body[600];
    struct machine m = {.functions = straight_functions};
    snprintf(body, sizeof body,
             "and.b32 %%r3, %%r1, 1; mul.wide.u32 %%rd3, %%r3, 8; mov.u64 %%rd4, choice;"
             "add.u64 %%rd3, %%rd3, %%rd4; ld.global.u64 %%rd5, [%%rd3];"
             "{ P: .callprototype _ (); call %%rd5, P; } %s activemask.b32 %%r2;",
             rows[_i].behind);
    machine_run(&m, body);
    ck_assert_msg(m.good, "%s", m.e.text);
    for (uint32_t t = 0; t < 32; t++) {
        const uint32_t own = t & 1 ? 0xaaaaaaaau : 0x55555555u;
        ck_assert_uint_eq(m.out[t], rows[_i].meet ? FULL_MASK : own);
    }
}
END_TEST

/* Both loops take several time slices, so the two groups of lanes take turns inside the functions,
 * whose registers are of different widths. */
static const char slow_functions[] =
    ".func (.param .b32 result) narrow(.param .b32 n)\n{ .reg .pred %p<2>; .reg .b32 %r<8>;\n"
    "ld.param.u32 %r1, [n]; mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
    "AGAIN: add.u32 %r2, %r2, %r1; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 10000;"
    "@%p1 bra AGAIN; st.param.b32 [result], %r2; ret; }\n"
    ".func (.param .b32 result) wide(.param .b32 n)\n{ .reg .pred %p<2>; .reg .b64 %rd<8>;"
    ".reg .b32 %r<3>;\n"
    "ld.param.u32 %r1, [n]; cvt.u64.u32 %rd1, %r1; mov.u64 %rd2, 0; mov.u64 %rd3, 0;\n"
    "AGAIN: add.u64 %rd2, %rd2, %rd1; add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, 20000;"
    "@%p1 bra AGAIN; cvt.u32.u64 %r2, %rd2; st.param.b32 [result], %r2; ret; }\n";

START_TEST(lanes_that_take_turns_in_different_functions_keep_their_registers)
{
    struct machine m = {.functions = slow_functions};
    machine_run(&m, "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 1; @%p1 bra ODD;"
                    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;"
                    "call (b), narrow, (a); ld.param.b32 %r2, [b]; } bra BOTH;"
                    "ODD: { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;"
                    "call (b), wide, (a); ld.param.b32 %r2, [b]; } BOTH:");
    ck_assert_msg(m.good, "%s", m.e.text);
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_uint_eq(m.out[t], t * (t & 1 ? 20000 : 10000));
    }
}
END_TEST

/* Every lane of every warp of every block takes the lock once. */
START_TEST(a_spin_lock_makes_progress)
{
    struct machine m = {.grid = {4, 1, 1}, .block = {64, 1, 1}, .workers = 2};
    machine_run(&m, "SPIN: atom.global.cas.b32 %r3, [%rd1+16000], 0, 1; setp.ne.u32 %p1, %r3, 0;"
                    "@%p1 bra SPIN; ld.volatile.global.u32 %r4, [%rd1+16004]; add.u32 %r4, %r4, 1;"
                    "st.volatile.global.u32 [%rd1+16004], %r4; membar.gl;"
                    "atom.global.exch.b32 %r5, [%rd1+16000], 0;");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(m.out[4001], 256);
}
END_TEST

/* The lanes that spin part and meet in every round, so their loop seems to go on. */
START_TEST(a_spin_lock_with_an_if_in_its_loop_makes_progress)
{
    struct machine m = {.grid = {2, 1, 1}, .block = {64, 1, 1}, .workers = 2};
    machine_run(&m, "SPIN: activemask.b32 %r6; brev.b32 %r6, %r6; clz.b32 %r6, %r6;"
                    "mov.u32 %r7, %laneid; setp.ne.u32 %p1, %r6, %r7; @%p1 bra ON;"
                    "st.global.u32 [%rd1+16008], %r6; ON:"
                    "atom.global.cas.b32 %r3, [%rd1+16000], 0, 1; setp.ne.u32 %p1, %r3, 0;"
                    "@%p1 bra SPIN; ld.volatile.global.u32 %r4, [%rd1+16004]; add.u32 %r4, %r4, 1;"
                    "st.volatile.global.u32 [%rd1+16004], %r4; membar.gl;"
                    "atom.global.exch.b32 %r5, [%rd1+16000], 0;");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_uint_eq(m.out[4001], 128);
}
END_TEST

START_TEST(warp_barriers_in_divergent_code_bring_lanes_together)
{
    struct machine m = {0};
    machine_run(&m, ".shared .align 4 .b8 box[128]; mov.u32 %r5, box; shl.b32 %r6, %r1, 2;"
                    "add.u32 %r6, %r6, %r5; xor.b32 %r7, %r6, 4;"
                    "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra EVEN;"
                    "st.shared.u32 [%r6], %r1; bar.warp.sync 0xffffffff;"
                    "ld.shared.u32 %r2, [%r7]; bra END;"
                    "EVEN: st.shared.u32 [%r6], %r1; bar.warp.sync 0xffffffff;"
                    "ld.shared.u32 %r2, [%r7]; END:");
    ck_assert_msg(m.good, "%s", m.e.text);
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_uint_eq(m.out[t], t ^ 1);
    }
}
END_TEST

/* A limit of this machine: what lanes execute together has one frame, so those that came by way of
 * another function do not count as here. They are told, and read no wrong frame. */
START_TEST(lanes_in_different_frames_do_not_wait_for_each_other)
{
    struct machine m = {
        .functions =
            ".func (.param .b32 result) swap(.param .b32 n)\n{ .reg .b32 %r<4>;\n"
            "ld.param.u32 %r1, [n]; shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;"
            "st.param.b32 [result], %r2; ret;\n}\n"
            ".func (.param .b32 result) outer(.param .b32 n)\n{ .reg .b32 %r<4>;\n"
            "ld.param.u32 %r1, [n]; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;"
            "call (b), swap, (a); ld.param.u32 %r2, [b]; } st.param.b32 [result], %r2; ret;\n}\n"};
    machine_run(&m, "setp.lt.u32 %p1, %r1, 16; { .param .b32 a; .param .b32 b;"
                    "st.param.b32 [a], %r1; @%p1 bra LOW; call (b), outer, (a); bra END;"
                    "LOW: call (b), swap, (a); END: ld.param.u32 %r2, [b]; }");
    ck_assert(!m.good);
    ck_assert_msg(strstr(m.e.text, "which never come") != NULL, "%s", m.e.text);
}
END_TEST

/* Lanes that have left are not waited for, although the mask names them. */
START_TEST(warp_barriers_do_not_wait_for_those_that_left)
{
    struct machine m = {0};
    machine_run(&m, "setp.eq.u32 %p1, %r1, 31; @%p1 exit; setp.lt.u32 %p2, %r1, 8; @%p2 bra LOW;"
                    "bar.warp.sync -1; mov.u32 %r2, 1; bra END; LOW: bar.warp.sync -1;"
                    "mov.u32 %r2, 2; END:");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert(m.out[0] == 2 && m.out[30] == 1 && m.out[31] == 0);
}
END_TEST

/* box[31 - t] as nvcc writes it: first -4 * t, then the constant. */
START_TEST(a_32_bit_address_may_be_negative_before_its_constant_is_added)
{
    struct machine m = {0};
    machine_run(&m, ".shared .align 4 .b8 box[128]; mov.u32 %r5, box; shl.b32 %r6, %r1, 2;"
                    "add.u32 %r7, %r5, %r6; st.shared.u32 [%r7], %r1; bar.sync 0;"
                    "sub.s32 %r7, %r5, %r6; ld.shared.u32 %r2, [%r7+124];"
                    "atom.shared.add.u32 %r3, [%r7+124], 5; add.u32 %r2, %r2, %r3;");
    ck_assert_msg(m.good, "%s", m.e.text);
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_uint_eq(m.out[t], 2 * (31 - t));
    }
    struct machine below = {0};
    machine_run(&below, ".shared .align 4 .b8 box[128]; mov.u32 %r5, box; shl.b32 %r6, %r1, 2;"
                        "sub.s32 %r7, %r5, %r6; ld.shared.u32 %r2, [%r7+120];");
    ck_assert(!below.good);
    ck_assert_ptr_nonnull(strstr(below.e.text, "thread (31,0,0)"));
    ck_assert_ptr_nonnull(strstr(below.e.text, "offset -4 is out of bounds"));
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("warp");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, diverged_lanes_reconverge, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tc, lanes_that_leave_go_first);
    tcase_add_test(tc, code_behind_the_reconvergence_point_is_issued_once);
    tcase_add_loop_test(tc, lanes_wait_where_machine_code_lets_them, 0,
                        sizeof waits / sizeof waits[0]);
    tcase_add_loop_test(tc, lanes_reconverge_behind_an_if_that_others_leave_the_loop_from, 0, 2);
    tcase_add_test(tc, recursion_as_deep_as_each_lane_wants);
    tcase_add_test(tc, lanes_call_different_functions);
    tcase_add_loop_test(tc, where_lanes_meet_behind_different_functions, 0, 12);
    tcase_add_test(tc, lanes_that_take_turns_in_different_functions_keep_their_registers);
    tcase_add_test(tc, a_spin_lock_makes_progress);
    tcase_add_test(tc, a_spin_lock_with_an_if_in_its_loop_makes_progress);
    tcase_add_test(tc, warp_barriers_in_divergent_code_bring_lanes_together);
    tcase_add_test(tc, lanes_in_different_frames_do_not_wait_for_each_other);
    tcase_add_test(tc, warp_barriers_do_not_wait_for_those_that_left);
    tcase_add_test(tc, a_32_bit_address_may_be_negative_before_its_constant_is_added);
    return run_suite("warp", tc);
}
