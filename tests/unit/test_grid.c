/* test_grid.c - blocks over worker threads: which block runs where and when, faults that stop the
 * others, shared memory, and launches from several threads of the host at once. */
#include "machine_fixture.h"

#include <pthread.h>

/* A simulator that stays open for several launches; kernels take the address of `words`. */
struct bench {
    struct simt *s;
    struct simt_module *module;
    uint64_t words;
};

static void bench_open(struct bench *b, unsigned workers, const char *kernels)
{
    struct err e = {0};
    char *text;
    int length = asprintf(&text,
                          ".version 8.1\n.target sm_90\n.address_size 64\n"
                          ".file 1 \"case.cu\"\n%s\n",
                          kernels);
    ck_assert_int_gt(length, 0);
    b->s = simt_open(gpu_limits_find("h200"), workers, &e);
    ck_assert_msg(b->s != NULL, "%s", e.text);
    b->module = simt_module_load(b->s, text, (size_t)length, "case.ptx", &e);
    ck_assert_msg(b->module != NULL, "%s", e.text);
    const struct allocation *a =
        memory_alloc(simt_memory(b->s), 1 << 20, MEMORY_DEVICE, "test", NULL);
    ck_assert_ptr_nonnull(a);
    b->words = a->begin;
    memset(memory_host(simt_memory(b->s), b->words, 1 << 20), 0, 1 << 20);
    free(text);
}

static uint32_t *bench_words(const struct bench *b)
{
    return memory_host(simt_memory(b->s), b->words, 1 << 20);
}

static bool bench_run(const struct bench *b, const char *kernel, struct simt_launch launch,
                      struct simt_counters *counters, struct err *e)
{
    launch.kernel = simt_module_kernel(b->module, kernel, e);
    launch.params = &b->words;
    return launch.kernel != NULL && simt_run(b->s, &launch, counters, e);
}

#define ENTRY(name, body)                                                                          \
    ".visible .entry " name "(.param .u64 out)\n{ .reg .pred %p<9>; .reg .b32 %r<40>;"             \
    ".reg .b64 %rd<20>;\n.loc 1 20 0\nld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;" body         \
    "\nret; }\n"

/* --- which blocks, which threads -------------------------------------------------------------- */

START_TEST(every_block_of_every_shape_runs_once)
{
    struct bench b;
    struct simt_counters counters;
    struct err e = {0};
    bench_open(&b, (unsigned)_i,
               ENTRY("count",
                     "mov.u32 %r2, %ctaid.z; mov.u32 %r3, %nctaid.y; mov.u32 %r4, %ctaid.y;"
                     "mad.lo.u32 %r2, %r2, %r3, %r4; mov.u32 %r3, %nctaid.x; mov.u32 %r4, %ctaid.x;"
                     "mad.lo.u32 %r2, %r2, %r3, %r4; mov.u32 %r5, %ntid.x; mov.u32 %r6, %ntid.y;"
                     "mov.u32 %r7, %ntid.z; mul.lo.u32 %r8, %r5, %r6; mul.lo.u32 %r8, %r8, %r7;"
                     "mov.u32 %r9, %tid.z; mov.u32 %r10, %tid.y; mad.lo.u32 %r9, %r9, %r6, %r10;"
                     "mad.lo.u32 %r9, %r9, %r5, %r1; mad.lo.u32 %r2, %r2, %r8, %r9;"
                     "mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd2, %rd1;"
                     "red.global.add.u32 [%rd2], 1;"));
    const struct simt_launch launch = {.grid = {5, 7, 3}, .block = {6, 3, 4}};
    ck_assert_msg(bench_run(&b, "count", launch, &counters, &e), "%s", e.text);
    for (uint32_t i = 0; i < 5 * 7 * 3 * 72; i++) {
        ck_assert_uint_eq(bench_words(&b)[i], 1);
    }
    ck_assert_uint_eq(bench_words(&b)[5 * 7 * 3 * 72], 0);
    ck_assert_uint_eq(counters.warps, 5 * 7 * 3 * 3);
    simt_close(b.s);
}
END_TEST

/* Block n draws ticket n: x runs fastest. */
START_TEST(one_worker_takes_blocks_in_order)
{
    struct bench b;
    struct simt_counters counters;
    struct err e = {0};
    bench_open(&b, 1,
               ENTRY("ticket", "atom.global.add.u32 %r2, [%rd1], 1; mov.u32 %r3, %ctaid.y;"
                               "mov.u32 %r4, %nctaid.x; mov.u32 %r5, %ctaid.x;"
                               "mad.lo.u32 %r3, %r3, %r4, %r5; mul.wide.u32 %rd2, %r3, 4;"
                               "add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2+4], %r2;"));
    const struct simt_launch launch = {.grid = {7, 9, 1}, .block = {1, 1, 1}};
    ck_assert_msg(bench_run(&b, "ticket", launch, &counters, &e), "%s", e.text);
    for (uint32_t i = 0; i < 63; i++) {
        ck_assert_uint_eq(bench_words(&b)[1 + i], i);
    }
    simt_close(b.s);
}
END_TEST

/* Kernels of other sizes in between: a context that grows must not forget anything. */
START_TEST(launches_of_all_sizes_follow_each_other)
{
    struct bench b;
    struct simt_counters first = {0}, counters;
    struct err e = {0};
    bench_open(&b, 2,
               ENTRY("small", "add.u32 %r2, %r1, 1; mul.wide.u32 %rd2, %r1, 4;"
                              "add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r2;")
                   ENTRY("large", ".local .align 4 .b8 m[4096]; .shared .align 4 .b8 s[8192];"
                                  "mul.wide.u32 %rd2, %r1, 4; mov.u64 %rd3, s;"
                                  "add.u64 %rd3, %rd3, %rd2; st.shared.u32 [%rd3], %r1;"
                                  "st.local.u32 [m+4092], %r1; bar.sync 0;"
                                  "ld.shared.u32 %r3, [%rd3]; ld.local.u32 %r4, [m+4092];"
                                  "add.u32 %r3, %r3, %r4; add.u64 %rd2, %rd2, %rd1;"
                                  "st.global.u32 [%rd2], %r3;"));
    for (uint32_t threads = 1; threads <= 1024; threads = threads * 3 + 1) {
        struct simt_launch launch = {.grid = {200, 1, 1}, .block = {threads, 1, 1}};
        ck_assert_msg(bench_run(&b, "large", launch, &counters, &e), "%s", e.text);
        for (uint32_t i = 0; i < threads; i++) {
            ck_assert_uint_eq(bench_words(&b)[i], 2 * i);
        }
        launch.block.x = 33;
        ck_assert_msg(bench_run(&b, "small", launch, &counters, &e), "%s", e.text);
        ck_assert_uint_eq(bench_words(&b)[32], 33);
        first = threads == 1 ? counters : first;
        ck_assert_int_eq(memcmp(&first, &counters, sizeof first), 0);
    }
    simt_close(b.s);
}
END_TEST

/* --- several host threads --------------------------------------------------------------------- */

enum { HOSTS = 4, ROUNDS = 25 };

static const char adding[] =
    ENTRY("adding", "mov.u32 %r2, 0; rem.u32 %r3, %r1, 7; LOOP: add.u32 %r2, %r2, 1;"
                    "setp.le.u32 %p1, %r2, %r3; @%p1 bra LOOP; red.global.add.u32 [%rd1], %r2;"
                    "bar.sync 0; ld.global.u32 %r4, [%rd1+64];");

struct host {
    const struct bench *b;
    pthread_t thread;
    struct simt_counters counters[ROUNDS];
    unsigned failed;
};

static void *launch_again_and_again(void *state)
{
    struct host *h = state;
    const struct simt_launch launch = {.grid = {40, 1, 1}, .block = {70, 1, 1}};
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct err e = {0};
        h->failed += !bench_run(h->b, "adding", launch, &h->counters[i], &e);
    }
    return NULL;
}

START_TEST(host_threads_may_launch_at_once)
{
    static struct host hosts[HOSTS];
    struct bench b;
    struct simt_counters alone;
    struct err e = {0};
    bench_open(&b, (unsigned)_i, adding);
    const struct simt_launch launch = {.grid = {40, 1, 1}, .block = {70, 1, 1}};
    ck_assert_msg(bench_run(&b, "adding", launch, &alone, &e), "%s", e.text);
    uint32_t once = bench_words(&b)[0];
    ck_assert_uint_eq(once, 40 * 280); /* ten times 1 + 2 + .. + 7 */
    for (unsigned i = 0; i < HOSTS; i++) {
        hosts[i].b = &b;
        ck_assert_int_eq(pthread_create(&hosts[i].thread, NULL, launch_again_and_again, &hosts[i]),
                         0);
    }
    for (unsigned i = 0; i < HOSTS; i++) {
        pthread_join(hosts[i].thread, NULL);
        ck_assert_uint_eq(hosts[i].failed, 0);
        for (unsigned round = 0; round < ROUNDS; round++) {
            ck_assert_int_eq(memcmp(&hosts[i].counters[round], &alone, sizeof alone), 0);
        }
    }
    ck_assert_uint_eq(bench_words(&b)[0], once * (1 + HOSTS * ROUNDS));
    simt_close(b.s);
}
END_TEST

/* --- faults ----------------------------------------------------------------------------------- */

#define FAULTY                                                                                     \
    ENTRY("faulty", "red.global.add.u32 [%rd1], 1; mov.u32 %r2, %ctaid.x;"                         \
                    "setp.eq.u32 %p1, %r2, 50; @%p1 trap; and.b32 %r3, %r2, 63;"                   \
                    "mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd2, %rd1;"                         \
                    "st.global.u32 [%rd2+64], %r2;")

/* Two thousand million blocks would take hours. */
START_TEST(a_fault_stops_the_launch)
{
    struct bench b;
    struct simt_counters counters;
    struct err e = {0};
    bench_open(&b, (unsigned)_i, FAULTY ENTRY("fine", "st.global.u32 [%rd1], 7;"));
    struct simt_launch launch = {.grid = {2147483647, 1, 1}, .block = {1, 1, 1}};
    ck_assert(!bench_run(&b, "faulty", launch, &counters, &e));
    ck_assert_int_eq(e.code, SIMT_TRAP);
    ck_assert_msg(strstr(e.text, "block (50,0,0), thread (0,0,0)") != NULL, "%s", e.text);
    uint32_t started = bench_words(&b)[0];
    ck_assert_uint_lt(started, 1000000000);
    /* what ran before it is counted, and has written */
    ck_assert_uint_eq(counters.global_red_requests, started);
    if (_i == 1) {
        ck_assert_uint_eq(started, 51);
        ck_assert_uint_eq(counters.global_store_requests, 50);
        ck_assert_uint_eq(bench_words(&b)[16 + 49], 49);
    }
    err_clear(&e); /* and the simulator lives on */
    launch.grid.x = 1000;
    ck_assert_msg(bench_run(&b, "fine", launch, &counters, &e), "%s", e.text);
    ck_assert_uint_eq(bench_words(&b)[0], 7);
    ck_assert_uint_eq(counters.warps, 1000);
    simt_close(b.s);
}
END_TEST

/* Of many blocks that fault, one is reported, whole. */
START_TEST(one_fault_is_reported)
{
    struct machine m = {.grid = {64, 1, 1}, .block = {64, 1, 1}, .workers = 4};
    machine_run(&m, "mov.u64 %rd3, 0; st.global.u32 [%rd3], %r1;");
    ck_assert(!m.good);
    ck_assert_msg(strncmp(m.e.text, "kernel kernel_of_test at case.cu:20, block (", 44) == 0, "%s",
                  m.e.text);
    ck_assert_msg(strstr(m.e.text, "thread (0,0,0): ") != NULL ||
                      strstr(m.e.text, "thread (32,0,0): ") != NULL,
                  "%s", m.e.text);
    ck_assert_ptr_null(strstr(strstr(m.e.text, "null pointer"), "kernel"));
}
END_TEST

static const struct {
    const char *what;
    struct simt_launch launch;
    const char *text;
} impossible[] = {
    {"no blocks", {.grid = {0, 1, 1}, .block = {1, 1, 1}}, "grid.x is 0; it must be 1 to"},
    {"too many rows", {.grid = {1, 65536, 1}, .block = {1, 1, 1}}, "grid.y is 65536"},
    {"no threads", {.grid = {1, 1, 1}, .block = {1, 1, 0}}, "block.z is 0"},
    {"too many layers", {.grid = {1, 1, 1}, .block = {1, 1, 65}}, "block.z is 65"},
    {"too many threads",
     {.grid = {1, 1, 1}, .block = {1024, 2, 1}},
     "a block of 2048 threads; this kernel may have 64"},
    {"more than .maxntid",
     {.grid = {1, 1, 1}, .block = {65, 1, 1}},
     "a block of 65 threads; this kernel may have 64"},
    {"too much shared memory",
     {.grid = {1, 1, 1}, .block = {1, 1, 1}, .dynamic_shared_bytes = 232448},
     "232464 bytes of shared memory; a block may have 232448"},
};

START_TEST(impossible_launches_are_rejected)
{
    struct bench b;
    struct simt_counters counters = {.warps = 99};
    struct err e = {0};
    bench_open(&b, 1,
               ".visible .entry limited(.param .u64 out) .maxntid 64, 1, 1\n"
               "{ .shared .align 4 .b8 s[16]; st.shared.u32 [s], 1; ret; }\n");
    ck_assert(!bench_run(&b, "limited", impossible[_i].launch, &counters, &e));
    ck_assert_msg(e.code == SIMT_BAD_LAUNCH && strstr(e.text, impossible[_i].text) != NULL,
                  "%s: %s", impossible[_i].what, e.text);
    ck_assert_msg(strstr(e.text, "kernel limited: ") == e.text, "%s", e.text);
    ck_assert_uint_eq(counters.warps, 0);
    simt_close(b.s);
}
END_TEST

/* --- shared memory ---------------------------------------------------------------------------- */

#define SHARES                                                                                     \
    ".extern .shared .align 16 .b8 dynamic[];\n" ENTRY(                                            \
        "shares",                                                                                  \
        ".shared .align 4 .b8 fixed[20]; mov.u32 %r2, dynamic; shl.b32 %r3, %r1, 2;"               \
        "add.u32 %r3, %r3, %r2; ld.shared.u32 %r4, [%r3]; st.shared.u32 [%r3], %r1;"               \
        "ld.shared.u32 %r5, [fixed]; st.shared.u32 [fixed], 1; mov.u32 %r6, %ctaid.x;"             \
        "and.b32 %r4, %r4, %r5; mad.lo.u32 %r7, %r6, 32, %r1; mul.wide.u32 %rd2, %r7, 4;"          \
        "add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r4;"                                     \
        "mov.u32 %r8, %dynamic_smem_size; st.global.u32 [%rd1+65536], %r8;"                        \
        "mov.u32 %r8, %total_smem_size; st.global.u32 [%rd1+65540], %r8;"                          \
        "mov.u32 %r8, %aggr_smem_size; st.global.u32 [%rd1+65548], %r8;"                           \
        "st.global.u32 [%rd1+65544], %r2;")

/* Every block finds junk, never what the block before it has left. */
START_TEST(shared_memory_is_new_for_each_block)
{
    struct bench b;
    struct simt_counters counters;
    struct err e = {0};
    bench_open(&b, 1, SHARES);
    const struct simt_launch launch = {
        .grid = {20, 1, 1}, .block = {32, 1, 1}, .dynamic_shared_bytes = 128};
    ck_assert_msg(bench_run(&b, "shares", launch, &counters, &e), "%s", e.text);
    for (uint32_t i = 0; i < 20 * 32; i++) {
        ck_assert_uint_eq(bench_words(&b)[i], 0xffffffff);
    }
    ck_assert_uint_eq(bench_words(&b)[16384], 128);
    ck_assert_uint_eq(bench_words(&b)[16385], 256); /* 20, rounded to 16, and the rest: 160 */
    ck_assert_uint_eq(bench_words(&b)[16387], 160 + 1024);
    ck_assert_uint_eq(bench_words(&b)[16386], 32);
    simt_close(b.s);
}
END_TEST

START_TEST(dynamic_shared_memory_ends_where_the_launch_says)
{
    struct bench b;
    struct simt_counters counters;
    struct err e = {0};
    bench_open(&b, 1, SHARES);
    struct simt_launch launch = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .dynamic_shared_bytes = 124};
    ck_assert(!bench_run(&b, "shares", launch, &counters, &e));
    ck_assert_int_eq(e.code, SIMT_ILLEGAL_ADDRESS);
    ck_assert_msg(strstr(e.text, "thread (31,0,0): shared load of 4 bytes at offset 156 is out of "
                                 "bounds: the block has 156 bytes") != NULL,
                  "%s", e.text);
    err_clear(&e);
    launch.dynamic_shared_bytes = 0;
    ck_assert(!bench_run(&b, "shares", launch, &counters, &e));
    ck_assert_msg(strstr(e.text, "the block has 20 bytes") != NULL, "%s", e.text);
    err_clear(&e);
    launch.dynamic_shared_bytes = 128;
    ck_assert_msg(bench_run(&b, "shares", launch, &counters, &e), "%s", e.text);
    simt_close(b.s);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("grid");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, every_block_of_every_shape_runs_once, 1, 5);
    tcase_add_test(tc, one_worker_takes_blocks_in_order);
    tcase_add_test(tc, launches_of_all_sizes_follow_each_other);
    tcase_add_loop_test(tc, host_threads_may_launch_at_once, 1, 4);
    tcase_add_loop_test(tc, a_fault_stops_the_launch, 1, 4);
    tcase_add_test(tc, one_fault_is_reported);
    tcase_add_loop_test(tc, impossible_launches_are_rejected, 0,
                        sizeof impossible / sizeof impossible[0]);
    tcase_add_test(tc, shared_memory_is_new_for_each_block);
    tcase_add_test(tc, dynamic_shared_memory_ends_where_the_launch_says);
    return run_suite("grid", tc);
}
