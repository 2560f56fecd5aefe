/* test_exec_memory.c - loads, stores and atomics of every state space, special registers, and
 * control flow that goes wrong: values, and what is said about mistakes. Counters of accesses are
 * test_access.c's and tests/fidelity's. */
#include "value_fixture.h"

#define LOCAL  "{ .local .align 16 .b8 m[16]; st.local.b64 [m], %rd3; st.local.b64 [m+8], %rd4; "
#define SHARED "{ .shared .align 16 .b8 m[16]; st.shared.b64 [m], %rd3; st.shared.b64 [m+8], %rd4; "

static const struct value_case moves[] = {
    /* narrow elements are extended to the register, whatever its width */
    {LOCAL "ld.local.s8 %r6, [m+3]; }", 0x80402010, 0, 0, 0xffffff80},
    {LOCAL "ld.local.u8 %r6, [m+3]; }", 0x80402010, 0, 0, 0x80},
    {LOCAL "ld.local.s8 %h6, [m+3]; }", 0x80402010, 0, 0, 0xff80},
    {LOCAL "ld.local.s8 %rd6, [m+3]; }", 0x80402010, 0, 0, 0xffffffffffffff80},
    {LOCAL "ld.local.b16 %r6, [m+2]; }", 0x80402010, 0, 0, 0x8040},
    {LOCAL "ld.local.s16 %rd6, [m+2]; }", 0x80402010, 0, 0, 0xffffffffffff8040},
    {LOCAL "ld.local.u32 %rd6, [m]; }", 0x80402010, 0, 0, 0x80402010},
    {LOCAL "ld.local.s32 %rd6, [m]; }", 0x80402010, 0, 0, 0xffffffff80402010},
    {SHARED "ld.shared.s16 %r6, [m+2]; }", 0x80402010, 0, 0, 0xffff8040},
    {SHARED "ld.shared.b64 %rd6, [m+8]; }", 0, 0x0123456789abcdef, 0, 0x0123456789abcdef},
    /* a narrow store leaves the bytes beside it alone */
    {LOCAL "st.local.u8 [m+1], %r5; ld.local.b64 %rd6, [m]; }", ~0ull, 0, 0x1234,
     0xffffffffffff34ff},
    {LOCAL "st.local.b16 [m+2], %rd5; ld.local.b64 %rd6, [m]; }", ~0ull, 0, 0x123456,
     0xffffffff3456ffff},
    {SHARED "st.shared.b32 [m+4], %rd5; ld.shared.b64 %rd6, [m]; }", ~0ull, 0, 0x99123456,
     0x99123456ffffffff},
    {LOCAL "st.local.u16 [m], 0x1ffff; ld.local.b64 %rd6, [m]; }", 0, 0, 0, 0xffff},
    /* vectors */
    {LOCAL "ld.local.v4.u32 {%r7, %r8, %r9, %r6}, [m]; }", 0, 0x0123456789abcdef, 0, 0x01234567},
    {LOCAL "ld.local.v4.s8 {%r6, _, _, %r7}, [m]; }", 0x010203ff, 0, 0, 0xffffffff},
    {LOCAL "ld.local.v2.b64 {_, %rd6}, [m]; }", 1, 2, 0, 2},
    {LOCAL ".reg .pred p; ld.local.v2.s8 {%h7, %h8}, [m+2]; setp.eq.s16 p, %h8, -128;"
           "selp.b32 %r6, 1, 0, p; add.u16 %h8, %h8, 128; cvt.u32.u16 %r7, %h8;"
           "shl.b32 %r7, %r7, 1; add.u32 %r6, %r6, %r7; }",
     0x80402010, 0, 0, 1},
    {LOCAL "st.local.v2.u16 [m+4], {%h5, 7}; ld.local.b64 %rd6, [m]; }", ~0ull, 0, 0x1234,
     0x00071234ffffffff},
    {SHARED "st.shared.v4.b8 [m], {%r3, %r4, %r5, 9}; ld.shared.u32 %r6, [m]; }", 0x101, 2, 3,
     0x09030201},
    /* generic addresses remember their space */
    {LOCAL "cvta.local.u64 %rd7, m; ld.u32 %r6, [%rd7+8]; }", 0, 77, 0, 77},
    {SHARED "mov.u64 %rd7, m; cvta.shared.u64 %rd7, %rd7; st.u32 [%rd7], 78;"
            "ld.shared.u32 %r6, [m]; }",
     0, 0, 0, 78},
    {SHARED "mov.u64 %rd7, m; cvta.shared.u64 %rd8, %rd7; cvta.to.shared.u64 %rd8, %rd8;"
            "sub.u64 %rd6, %rd8, %rd7; }",
     0, 0, 0, 0},
    {LOCAL ".reg .pred p, q; cvta.local.u64 %rd7, m; isspacep.local p, %rd7;"
           "isspacep.shared q, %rd7; selp.b32 %r6, 1, 0, p; @q add.u32 %r6, %r6, 2; }",
     0, 0, 0, 1},
    {"{ .reg .pred p, q; isspacep.global p, %rd1; isspacep.const q, %rd1; selp.b32 %r6, 1, 0, p;"
     "@q add.u32 %r6, %r6, 2; }",
     0, 0, 0, 1},
};

START_TEST(elements_of_every_width) { CHECK_VALUES(moves); }
END_TEST

static const char variables[] =
    ".const .align 4 .u32 squares[4] = {0, 1, 4, 9};\n"
    ".const .align 8 .u64 place = generic(squares);\n"
    ".global .align 4 .u32 word = 0x04030201;\n"
    ".func (.param .b32 result) nth(.param .align 4 .b8 bytes[16], .param .b32 n)\n"
    "{ .reg .b32 %r<4>; .reg .b64 %rd<5>;\n"
    "ld.param.u32 %r1, [n]; mul.wide.u32 %rd1, %r1, 4; mov.b64 %rd2, bytes;\n"
    "add.u64 %rd3, %rd2, %rd1; ld.local.u32 %r2, [%rd3]; st.param.b32 [result], %r2; ret; }\n"
    ".func (.param .b32 result) early(.param .b32 n)\n"
    "{ .reg .b32 %r<4>; .reg .pred %p<2>; ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r1, 8;\n"
    "st.param.b32 [result], 5; @%p1 ret; st.param.b32 [result], %r1; ret; }\n"
    ".func quiet() { ret; }\n"
    ".extern .shared .align 4 .b8 tail[];\n"
    ".global .align 8 .u64 choice[2] = {early, quiet};\n";

static uint32_t squares_of(uint32_t t) { return (t & 3) * (t & 3); }
static uint32_t nth_of(uint32_t t) { return 100 + (t & 3); }
static uint32_t early_of(uint32_t t) { return t < 8 ? 5 : t; }
static uint32_t left_of(uint32_t t) { return t < 12 ? 0 : 1; }
static uint32_t copied(uint32_t t) { return t < 31 ? 0x04030201 & ((1u << t % 4 * 8) - 1) : 0; }
static uint32_t itself(uint32_t t) { return t; }
static uint32_t half_mixed(uint32_t t) { return t < 16 ? t * 7 & 15 : t; }

/* One warp; thread t leaves want(t). */
static const struct {
    const char *what, *body;
    uint32_t (*want)(uint32_t);
} programs[] = {
    {"constants, indexed",
     "and.b32 %r3, %r1, 3; mul.wide.u32 %rd3, %r3, 4; mov.u64 %rd4, squares;"
     "add.u64 %rd4, %rd4, %rd3; ld.const.u32 %r2, [%rd4];",
     squares_of},
    {"constants through a generic pointer that is itself a constant",
     "and.b32 %r3, %r1, 3; mul.wide.u32 %rd3, %r3, 4; ld.const.u64 %rd4, [place];"
     "add.u64 %rd4, %rd4, %rd3; ld.u32 %r2, [%rd4];",
     squares_of},
    {"a parameter of a function, indexed by a register",
     "and.b32 %r3, %r1, 3; { .param .align 4 .b8 s[16]; .param .b32 n; .param .b32 r;"
     "st.param.b32 [s], 100; st.param.b32 [s+4], 101; st.param.v2.b32 [s+8], {102, 103};"
     "st.param.b32 [n], %r3; call (r), nth, (s, n); ld.param.b32 %r2, [r]; }",
     nth_of},
    {"vectors of four words, stored beside each other",
     ".shared .align 16 .b8 box[512]; mov.u32 %r3, box; shl.b32 %r4, %r1, 4;"
     "add.u32 %r3, %r3, %r4; mov.u32 %r5, 0; st.shared.v4.u32 [%r3], {%r5, %r5, %r1, %r5};"
     "ld.shared.u32 %r2, [%r3+8];",
     itself},
    {"some lanes return before the others",
     "{ .param .b32 n; .param .b32 r; st.param.b32 [n], %r1; call (r), early, (n);"
     "ld.param.b32 %r2, [r]; }",
     early_of},
    {"some lanes exit", "setp.lt.u32 %p1, %r1, 12; @%p1 exit; mov.u32 %r2, 1;", left_of},
    {"a guard in front of a call",
     "setp.ge.u32 %p1, %r1, 8; mov.u32 %r2, 5; { .param .b32 n; .param .b32 r;"
     "st.param.b32 [n], %r1; st.param.b32 [r], 5; @%p1 call (r), early, (n);"
     "ld.param.b32 %r2, [r]; }",
     early_of},
    /* cp.async reads 0 to 3 bytes here and makes the others zero; with 0 it looks at no address */
    {"cp.async with fewer bytes than it writes",
     ".shared .align 16 .b8 box[128];"
     "mov.u32 %r3, box; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4; st.shared.u32 [%r3], -1;"
     "and.b32 %r5, %r1, 3; setp.eq.u32 %p1, %r1, 31; selp.b32 %r5, 0, %r5, %p1;"
     "mov.u64 %rd3, word; selp.b64 %rd3, 0, %rd3, %p1;"
     "cp.async.ca.shared.global [%r3], [%rd3], 4, %r5; cp.async.commit_group;"
     "cp.async.wait_group 0; ld.shared.u32 %r2, [%r3];",
     copied},
    {"constant memory is not global memory",
     "mov.u64 %rd3, squares; cvta.const.u64 %rd3, %rd3; isspacep.global %p1, %rd3;"
     "isspacep.const %p2, %rd3; selp.b32 %r2, 99, %r1, %p1; @!%p2 mov.u32 %r2, 98;",
     itself},
    {"dynamic shared memory begins at a multiple of 16 bytes",
     ".shared .align 4 .b8 four[4]; mov.u32 %r3, four; mov.u32 %r2, tail; sub.u32 %r2, %r2, %r3;"
     "add.u32 %r2, %r2, %r1; sub.u32 %r2, %r2, 16;",
     itself},
    {"half a warp here and there, the other half side by side",
     ".shared .align 16 .b8 box[128];"
     "mov.u32 %r3, box; shl.b32 %r4, %r1, 2; add.u32 %r4, %r3, %r4; st.shared.u32 [%r4], %r1;"
     "mul.lo.u32 %r5, %r1, 7; and.b32 %r5, %r5, 15; setp.lt.u32 %p1, %r1, 16;"
     "selp.b32 %r5, %r5, %r1, %p1; shl.b32 %r6, %r5, 2; add.u32 %r6, %r3, %r6;"
     "ld.shared.u32 %r2, [%r6];",
     half_mixed},
    {"sleeping lanes wake up",
     "rem.u32 %r3, %r1, 3; LOOP: nanosleep.u32 100; add.u32 %r4, %r4, 1;"
     "setp.lt.u32 %p1, %r4, %r3; @%p1 bra LOOP; mov.u32 %r2, %r1;",
     itself},
    {"a clock that goes on",
     "mov.u64 %rd3, %clock64; mov.u64 %rd4, %globaltimer; nanosleep.u32 10;"
     "mov.u64 %rd5, %clock64; setp.lt.u64 %p1, %rd5, %rd3; selp.b32 %r2, 99, %r1, %p1;",
     itself},
};

START_TEST(programs_compute)
{
    struct machine m = {.functions = variables};
    machine_run(&m, programs[_i].body);
    ck_assert_msg(m.good, "%s: %s", programs[_i].what, m.e.text);
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_msg(m.out[t] == programs[_i].want(t), "%s: thread %u has 0x%x, not 0x%x",
                      programs[_i].what, t, m.out[t], programs[_i].want(t));
    }
}
END_TEST

/* --- atomics: all 32 lanes on one word, in ascending order ------------------------------------ */

static const struct {
    const char *atom; /* behind "atom.SPACE." */
    const char *operands;
    uint32_t start, first, second, last, after; /* what lanes 0, 1 and 31 get; what is left */
} atomics[] = {
    {"add.u32", "%r1", 10, 10, 10, 10 + 465, 10 + 496},
    {"inc.u32", "6", 0, 0, 1, 3, 4}, /* counts modulo 7 */
    {"inc.u32", "6", 9, 9, 0, 2, 3},
    {"dec.u32", "6", 0, 0, 6, 4, 3},
    {"dec.u32", "6", 9, 9, 6, 4, 3},
    {"exch.b32", "%r1", 77, 77, 0, 30, 31},
    {"cas.b32", "3, %r1", 3, 3, 0, 0, 0},
    {"min.s32", "%r3", 5, 5, 0, 0xffffffe2, 0xffffffe1}, /* %r3 is minus the thread's index */
    {"min.u32", "%r3", 5, 5, 0, 0, 0},
    {"max.s32", "%r3", 0xffffffff, 0xffffffff, 0, 0, 0},
    {"max.u32", "%r3", 5, 5, 5, 0xffffffff, 0xffffffff},
    {"and.b32", "%r1", 0xff, 0xff, 0, 0, 0},
    {"or.b32", "%r1", 0x100, 0x100, 0x100, 0x11f, 0x11f},
    {"xor.b32", "%r1", 1, 1, 1, 1 ^ 31, 1},
    {"add.f32", "0f3F800000", 0x3f800000, 0x3f800000, 0x40000000, 0x42000000, 0x42040000},
    {"add.noftz.f16x2", "0x00013c00", 0, 0, 0x00013c00, 0x001f4fc0, 0x00205000},
};

/* Where the word lies: what makes its address in %rd5, the suffix of ld, st and atom, the result.
 */
static const struct {
    const char *address, *space, *result;
} atomic_forms[] = {
    {"add.u64 %rd5, %rd1, 16000;", ".global", "%r2"},
    {".shared .align 4 .b8 word[4]; mov.u64 %rd5, word;", ".shared", "%r2"},
    {".shared .align 4 .b8 word[4]; mov.u64 %rd5, word; cvta.shared.u64 %rd5, %rd5;", "", "%r2"},
    {"add.u64 %rd5, %rd1, 16000;", ".global", "_"}, /* a reduction: leaves the same */
};

START_TEST(atomics_take_turns)
{
    for (unsigned i = 0; i < sizeof atomics / sizeof atomics[0]; i++) {
        struct machine m = {0};
        char text[1024];
        const char *space = atomic_forms[_i].space;
        snprintf(text, sizeof text,
                 "sub.u32 %%r3, 0, %%r1; %s st%s.u32 [%%rd5], %u; atom%s.%s %s, [%%rd5], %s;"
                 "ld%s.u32 %%r4, [%%rd5]; st.global.u32 [%%rd2+2048], %%r4;",
                 atomic_forms[_i].address, space, atomics[i].start, space, atomics[i].atom,
                 atomic_forms[_i].result, atomics[i].operands, space);
        machine_run(&m, text);
        ck_assert_msg(m.good, "%s: %s", atomics[i].atom, m.e.text);
        if (atomic_forms[_i].result[0] == '%') {
            ck_assert_msg(m.out[0] == atomics[i].first && m.out[1] == atomics[i].second &&
                              m.out[31] == atomics[i].last,
                          "%s %s: lanes get 0x%x, 0x%x .. 0x%x", atomics[i].atom,
                          atomics[i].operands, m.out[0], m.out[1], m.out[31]);
        }
        ck_assert_msg(m.out[512] == atomics[i].after, "%s %s in form %d: leaves 0x%x",
                      atomics[i].atom, atomics[i].operands, _i, m.out[512]);
    }
}
END_TEST

#define WIDE "st.global.b64 [%rd1+8192], %rd3; add.u64 %rd7, %rd1, 8192; "

static const struct value_case wide_atomics[] = {
    {WIDE "@%p18 atom.global.add.u64 %rd6, [%rd7], %rd4; ld.global.b64 %rd6, [%rd7];", 5, 6, 0, 5},
    {WIDE "atom.global.cas.b64 %rd6, [%rd7], %rd3, %rd4; ld.global.b64 %rd6, [%rd7];",
     0xffffffffffffffff, 0x123456789, 0, 0x123456789},
    {WIDE "atom.global.max.s64 %rd6, [%rd7], %rd4; ld.global.b64 %rd6, [%rd7];", 5, 1ull << 63, 0,
     5},
    {WIDE "atom.global.max.u64 %rd6, [%rd7], %rd4; ld.global.b64 %rd6, [%rd7];", 5, 1ull << 63, 0,
     1ull << 63},
    {WIDE "atom.global.exch.b64 %rd6, [%rd7], %rd4; ld.global.b64 %rd6, [%rd7];", 5, 6, 0, 6},
    {LOCAL "cvta.local.u64 %rd7, m; atom.add.u32 %r6, [%rd7], 2; atom.add.u32 %r6, [%rd7], 2; }",
     40, 0, 0, 42},
    /* the units that add to global memory flush subnormals; shared memory is added to as by add */
    {WIDE "red.global.add.f32 [%rd7], %r4; ld.global.u32 %r6, [%rd7];", 1, 0, 0, 0},
    {SHARED "red.shared.add.f32 [m], %r5; ld.shared.u32 %r6, [m]; }", 1, 0, 0, 1},
    {WIDE "atom.global.add.f64 %rd6, [%rd7], %rd4; ld.global.b64 %rd6, [%rd7];", 0x7ff0000000000000,
     0xfff0000000000000, 0, 0xfff8000000000000},
    {WIDE "{ .reg .b16 x; mov.b16 x, %h4; atom.global.cas.b16 %h5, [%rd7+2], x, %h3;"
          "ld.global.u32 %r6, [%rd7]; }",
     0x00051234, 5, 0, 0x12341234},
};

/* Sums share a word, and so does counting without a limit; with one, lanes take turns. */
static const struct {
    const char *atomic;
    uint64_t wavefronts, conflicts;
} shared_atomics[] = {
    {"atom.shared.add.u32 %r4, [%rd5], %r1;", 1, 0},
    {"red.shared.add.u32 [%rd5], 1;", 1, 0},
    {"red.shared.inc.u32 [%rd5], 0xffffffff;", 1, 0},
    {"red.shared.inc.u32 [%rd5], 5;", 32, 31},
    {"red.shared.add.u32 [%rd5], 5;", 1, 0},
    {"mul.wide.u32 %rd6, %r1, 8; add.u64 %rd5, %rd5, %rd6; red.shared.add.u32 [%rd5], 5;", 2, 1},
};

START_TEST(atomics_on_shared_memory_are_counted)
{
    struct machine m = {.functions = ".shared .align 4 .b8 words[256];"};
    char text[200];
    snprintf(text, sizeof text, "mov.u64 %%rd5, words; %s", shared_atomics[_i].atomic);
    machine_run(&m, text);
    ck_assert_msg(m.good, "%s: %s", shared_atomics[_i].atomic, m.e.text);
    ck_assert_msg(m.counters.shared_atom_wavefronts == shared_atomics[_i].wavefronts &&
                      m.counters.shared_atom_conflicts == shared_atomics[_i].conflicts,
                  "%s: %llu wavefronts, %llu conflicts", shared_atomics[_i].atomic,
                  (unsigned long long)m.counters.shared_atom_wavefronts,
                  (unsigned long long)m.counters.shared_atom_conflicts);
}
END_TEST

/* Each lane at its word: lanes below `limit` in the own block, the others in block 1 - rank. What
 * an H200 counted for a histogram over the shared memory of four blocks. */
static const struct {
    unsigned limit;
    const char *access; /* of [%r6] */
    uint64_t own, conflicts, requests, sectors;
} far_accesses[] = {
    {0, "red.shared::cluster.add.u32 [%r6], %r1;", 1, 0, 1, 4},
    {8, "red.shared::cluster.add.u32 [%r6], %r1;", 1, 0, 1, 3},
    {32, "red.shared::cluster.add.u32 [%r6], %r1;", 1, 0, 0, 0},
    {4,
     "and.b32 %r7, %r1, 3; shl.b32 %r7, %r7, 7; add.u32 %r6, %r6, %r7;"
     "red.shared::cluster.add.u32 [%r6], %r1;",
     1, 0, 1, 16},
    {4,
     "mul.lo.u32 %r7, %r1, 124; add.u32 %r6, %r6, %r7;"
     "red.shared::cluster.add.u32 [%r6], %r1;",
     4, 3, 1, 28},
};

START_TEST(lanes_of_the_own_block_are_counted_apart)
{
    struct machine m = {.functions = ".shared .align 4 .b8 words[4096];",
                        .grid = {2, 1, 1},
                        .block = {32, 1, 1},
                        .cluster = {2, 1, 1}};
    char text[600];
    snprintf(text, sizeof text,
             "mov.u32 %%r3, %%cluster_ctarank; setp.ge.u32 %%p1, %%r1, %u; xor.b32 %%r4, %%r3, 1;"
             "selp.b32 %%r4, %%r4, %%r3, %%p1; mov.u32 %%r5, words; shl.b32 %%r7, %%r1, 2;"
             "add.u32 %%r5, %%r5, %%r7; mapa.shared::cluster.u32 %%r6, %%r5, %%r4;"
             "barrier.cluster.arrive; barrier.cluster.wait; %s"
             "barrier.cluster.arrive; barrier.cluster.wait;",
             far_accesses[_i].limit, far_accesses[_i].access);
    machine_run(&m, text);
    ck_assert_msg(m.good, "%s: %s", text, m.e.text);
    const struct simt_counters *c = &m.counters;
    ck_assert_uint_eq(c->shared_atom_wavefronts, 2 * far_accesses[_i].own);
    ck_assert_uint_eq(c->shared_atom_conflicts, 2 * far_accesses[_i].conflicts);
    ck_assert_uint_eq(c->cluster_atom_requests, 2 * far_accesses[_i].requests);
    ck_assert_uint_eq(c->cluster_atom_sectors, 2 * far_accesses[_i].sectors);
}
END_TEST

/* Lanes map addresses of blocks that the cluster lacks, and use none of these. */
START_TEST(an_address_that_is_mapped_and_not_used_is_no_mistake)
{
    struct machine m = {
        .functions = ".shared .align 4 .b8 words[128];", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    machine_run(&m, "sub.u32 %r4, %r1, 1; mov.u32 %r5, words; mov.u32 %r2, 7;"
                    "mapa.shared::cluster.u32 %r6, %r5, %r4; setp.eq.u32 %p1, %r4, 0;"
                    "@%p1 st.shared::cluster.u32 [%r6], %r2; @%p1 ld.shared.u32 %r2, [words];");
    ck_assert_msg(m.good, "%s", m.e.text);
}
END_TEST

/* All lanes but lane 0 store their number at one place; an H200 keeps that of `stays`. */
static const struct {
    const char *store;
    uint32_t stays;
} same_place[] = {
    {"st.shared.u32 [place], %r1;", 1},
    {"st.shared.u8 [place], %r1;", 1},
    {"cvt.u64.u32 %rd3, %r1; st.shared.u64 [place], %rd3;", 16},
    {"st.shared.v2.u32 [place], {%r1, %r1};", 16},
    {"st.shared.v4.u32 [place], {%r1, %r1, %r1, %r1};", 24},
    {"st.volatile.shared.u32 [place], %r1;", 1},
};

START_TEST(one_lane_s_value_stays)
{
    char text[300];
    struct machine m = {.functions = ".shared .align 16 .b32 place[4];"};
    snprintf(text, sizeof text,
             "st.shared.u32 [place], 0; setp.eq.u32 %%p1, %%r1, 0; @%%p1 bra BEHIND; %s BEHIND:"
             "bar.sync 0; ld.shared.u32 %%r2, [place];",
             same_place[_i].store);
    machine_run(&m, text);
    ck_assert_msg(m.good, "%s: %s", text, m.e.text);
    ck_assert_msg(m.out[0] == same_place[_i].stays, "%s: %u stays", text, m.out[0]);
}
END_TEST

START_TEST(atomics_of_other_widths) { CHECK_VALUES(wide_atomics); }
END_TEST

/* --- mistakes --------------------------------------------------------------------------------- */

/* First all lanes load from `base`; then lane 0 from base + 2^63, lane 1 from base, the others from
 * base - 4. What lies between the lowest and the highest byte is 2^64 bytes then, and that is 0 in
 * 64 bits. */
#define SPANS_EVERYTHING(space, base)                                                              \
    "setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1; mov.u64 %rd4, " base                        \
    "; mov.u64 %rd3, %rd4;"                                                                        \
    "mov.u32 %r5, 0; AGAIN: ld." space ".u32 %r2, [%rd3];"                                         \
    "mov.u64 %rd3, -4; selp.b64 %rd3, 0, %rd3, %p2; selp.b64 %rd3, 0x8000000000000000, %rd3, %p1;" \
    "add.u64 %rd3, %rd4, %rd3; add.u32 %r5, %r5, 1; setp.ne.u32 %p3, %r5, 2; @%p3 bra AGAIN;"

/* Lane i loads byte i of the box, and again from where `step` says. The first time is inside. */
#define AGAIN(times, step)                                                                         \
    "cvt.u64.u32 %rd3, %r1; mov.u32 %r5, 0; ROUND: mov.u64 %rd4, box; add.u64 %rd4, %rd4, %rd3;"   \
    "ld.shared.u8 %r2, [%rd4];" step "add.u32 %r5, %r5, 1; setp.ne.u32 %p3, %r5, " times           \
    "; @%p3 bra ROUND;"

static const struct {
    const char *what, *body;
    int code;
    const char *texts[3];
} mistakes[] = {
    {"global addresses that span 2^64 bytes",
     SPANS_EVERYTHING("global", "%rd1"),
     SIMT_ILLEGAL_ADDRESS,
     {"global load of 4 bytes"}},
    {"shared addresses that span 2^64 bytes",
     ".shared .align 16 .b8 box[32];" SPANS_EVERYTHING("shared", "box"),
     SIMT_ILLEGAL_ADDRESS,
     {"shared load of 4 bytes", "32 bytes of shared"}},
    {"local addresses that span 2^64 bytes",
     ".local .align 16 .b8 box[32];" SPANS_EVERYTHING("local", "box"),
     SIMT_ILLEGAL_ADDRESS,
     {"local access of 4 bytes", "32 bytes"}},
    {"addresses further apart than the last time",
     ".shared .align 16 .b8 box[40];" AGAIN("2", "shl.b64 %rd3, %rd3, 1;"),
     SIMT_ILLEGAL_ADDRESS,
     {"shared load of 1 byte at offset 40"}},
    {"addresses that move on by a byte each time",
     ".shared .align 16 .b8 box[33];" AGAIN("3", "add.u64 %rd3, %rd3, 1;"),
     SIMT_ILLEGAL_ADDRESS,
     {"shared load of 1 byte at offset 33"}},
    {"one lane's address is odd",
     "setp.eq.u32 %p1, %r1, 5; selp.b64 %rd3, 1, 0, %p1; add.u64 %rd3, %rd2, %rd3;"
     "ld.global.u32 %r2, [%rd3];",
     SIMT_MISALIGNED,
     {"thread (5,0,0)", "misaligned"}},
    {"a store to constant memory through a pointer",
     "mov.u64 %rd3, squares; cvta.const.u64 %rd3, %rd3; st.u32 [%rd3], 1;",
     SIMT_ILLEGAL_ADDRESS,
     {"would write to constant memory (squares)"}},
    {"a store to constant memory, lane by lane",
     "mov.u64 %rd3, squares; cvta.const.u64 %rd3, %rd3; setp.eq.u32 %p1, %r1, 0;"
     "selp.b64 %rd3, %rd3, %rd2, %p1; st.u32 [%rd3], 1;",
     SIMT_ILLEGAL_ADDRESS,
     {"would write to constant memory (squares)"}},
    {"lanes in two allocations, and one of them reads beyond the end of the smaller",
     "mov.u64 %rd3, word; cvta.global.u64 %rd3, %rd3; setp.eq.u32 %p1, %r1, 7;"
     "selp.b64 %rd3, %rd3, %rd1, %p1; ld.global.v2.u32 {%r2, %r3}, [%rd3]; add.u32 %r2, %r2, %r3;",
     SIMT_ILLEGAL_ADDRESS,
     {"global load of 8 bytes", "thread (7,0,0)"}},
    {"a branch table that is too short",
     "T: .branchtargets A, B; brx.idx %r1, T; A: B:",
     SIMT_ILLEGAL_INSTRUCTION,
     {"branch number 2 of a table that has 2", "thread (2,0,0)"}},
    {"a call of nothing",
     "mov.u64 %rd3, 0; P: .callprototype _ (); call %rd3, (), P;",
     SIMT_ILLEGAL_INSTRUCTION,
     {"0x0, which is no function"}},
    {"a call of something else",
     "mov.u64 %rd3, 1000; P: .callprototype _ (); call %rd3, (), P;",
     SIMT_ILLEGAL_INSTRUCTION,
     {"0x3e8"}},
    {"an indirect call with too few arguments",
     "ld.global.u64 %rd3, [choice]; P: .callprototype _ (); call %rd3, (), P;",
     SIMT_ILLEGAL_INSTRUCTION,
     {"call of early through a pointer of another type"}},
    {"a store to a kernel parameter through its generic address",
     "mov.b64 %rd3, out; cvta.param.u64 %rd3, %rd3; st.u32 [%rd3], 1;",
     SIMT_ILLEGAL_ADDRESS,
     {"offset 0 of the kernel's 8 bytes of parameters"}},
    {"an atomic on a kernel parameter",
     "mov.b64 %rd3, out; cvta.param.u64 %rd3, %rd3; atom.add.u32 %r3, [%rd3], 1;",
     SIMT_ILLEGAL_ADDRESS,
     {"kernel parameter"}},
    {"a vector that is not aligned",
     "ld.global.v2.u32 {%r3, %r4}, [%rd1+4];",
     SIMT_MISALIGNED,
     {"global load", "8"}},
    {"a 64-bit atomic that is not aligned",
     "atom.global.add.u64 %rd3, [%rd1+4], 1;",
     SIMT_MISALIGNED,
     {"atomic"}},
    {"cp.async from nowhere",
     ".shared .align 16 .b8 box[32]; mov.u64 %rd3, 48;"
     "cp.async.ca.shared.global [box+16], [%rd3+32], 16;",
     SIMT_ILLEGAL_ADDRESS,
     {"global load of 16 bytes at 0x50", "null pointer"}},
    {"cp.async behind the end of shared memory",
     ".shared .align 16 .b8 box[32]; cp.async.ca.shared.global [box+32], [%rd1], 16;",
     SIMT_ILLEGAL_ADDRESS,
     {"asynchronous copy of 16 bytes at offset 32", "32 bytes of shared"}},
    {"the memory of a block that the cluster lacks",
     ".shared .align 4 .b8 box[128]; mov.u32 %r3, box; mov.u32 %r4, -1;"
     "mapa.shared::cluster.u32 %r3, %r3, %r4; ld.shared::cluster.u32 %r2, [%r3];",
     SIMT_ILLEGAL_ADDRESS,
     {"of 4 bytes", "rank that the cluster lacks", "each block has rank 0"}},
    {"behind the end of constant memory",
     "ld.const.u32 %r2, [squares+16];",
     SIMT_ILLEGAL_ADDRESS,
     {"constant load", "16 bytes"}},
    {"a redux whose mask names a lane that has left the branch for good",
     "setp.eq.u32 %p1, %r1, 3; @%p1 bra END; redux.sync.add.u32 %r2, %r1, 0x7; END:",
     SIMT_BAD_SHUFFLE,
     {"0x00000007"}},
};

START_TEST(mistakes_are_faults)
{
    struct machine m = {.functions = variables};
    machine_run(&m, mistakes[_i].body);
    ck_assert_msg(!m.good, "%s: runs", mistakes[_i].what);
    ck_assert_msg(m.e.code == mistakes[_i].code, "%s: code %d: %s", mistakes[_i].what, m.e.code,
                  m.e.text);
    ck_assert_msg(strstr(m.e.text, "kernel kernel_of_test at case.cu:20, block (0,0,0)") != NULL,
                  "%s: %s", mistakes[_i].what, m.e.text);
    for (unsigned i = 0; i < 3 && mistakes[_i].texts[i] != NULL; i++) {
        ck_assert_msg(strstr(m.e.text, mistakes[_i].texts[i]) != NULL, "%s: '%s' is missing in: %s",
                      mistakes[_i].what, mistakes[_i].texts[i], m.e.text);
    }
}
END_TEST

/* An extern array that another kernel of the module uses is none of this one's. */
START_TEST(another_kernels_extern_array_is_not_spoken_of)
{
    struct machine m = {.functions = ".extern .shared .align 4 .b8 other[];"};
    machine_run(&m, ".shared .align 4 .b8 box[128]; ld.shared.u32 %r2, [box+128];");
    ck_assert_ptr_nonnull(strstr(m.e.text, "the block has 128 bytes of shared memory"));
    ck_assert_ptr_null(strstr(m.e.text, "third argument"));
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("exec_memory");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, elements_of_every_width);
    tcase_add_loop_test(tc, programs_compute, 0, sizeof programs / sizeof programs[0]);
    tcase_add_loop_test(tc, atomics_take_turns, 0, sizeof atomic_forms / sizeof atomic_forms[0]);
    tcase_add_test(tc, atomics_of_other_widths);
    tcase_add_test(tc, an_address_that_is_mapped_and_not_used_is_no_mistake);
    tcase_add_loop_test(tc, atomics_on_shared_memory_are_counted, 0,
                        sizeof shared_atomics / sizeof shared_atomics[0]);
    tcase_add_loop_test(tc, lanes_of_the_own_block_are_counted_apart, 0,
                        sizeof far_accesses / sizeof far_accesses[0]);
    tcase_add_loop_test(tc, one_lane_s_value_stays, 0, sizeof same_place / sizeof same_place[0]);
    tcase_add_loop_test(tc, mistakes_are_faults, 0, sizeof mistakes / sizeof mistakes[0]);
    tcase_add_test(tc, another_kernels_extern_array_is_not_spoken_of);
    return run_suite("exec_memory", tc);
}
