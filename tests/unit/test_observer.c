/* test_observer.c - what the machine tells an observer: each event, with its lanes and addresses;
 * and that nothing changes because somebody listens. */
#include "machine_fixture.h"
#include "api/simt.h"
#include "common/gpu/gpu_limits.h"
#include "machine/observer.h"

#include <ctype.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <time.h>

/* Events as lines of text, in the order in which they come. */
static char heard[8192];
static size_t length;

static void hear(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void hear(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(heard + length, sizeof heard - length, format, args);
    va_end(args);
    ck_assert_int_ge(n, 0);
    ck_assert_uint_lt((size_t)n, sizeof heard - length);
    length += (size_t)n;
}

static const struct kernel *kernel_now;

static unsigned line_of(uint32_t pc)
{
    const char *file;
    unsigned line = observer_line(kernel_now, pc, &file);
    ck_assert(line == 0 || strcmp(file, "case.cu") == 0);
    return line;
}

static void launch_begin(void *state, const struct launch_event *launch)
{
    (void)state;
    kernel_now = launch->kernel;
    ck_assert_ptr_null(launch->sites);
    hear("launch of %u workers\n", launch->workers);
}
static void launch_end(void *state, const struct launch_event *launch)
{
    (void)state;
    ck_assert_ptr_nonnull(launch->sites);
    hear("launch %s\n", launch->good ? "ends" : "fails");
}
static void block_begin(void *state, struct block *b)
{
    (void)state;
    hear("block %u begins\n", b->index.x);
}
static void block_end(void *state, struct block *b)
{
    (void)state;
    hear("block %u ends\n", b->index.x);
}

static void on_access(void *state, struct warp *w, const struct access_event *a)
{
    static const char *const kinds[] = {"load", "store", "atomic", "reduction", "read", "write"};
    static const char *const spaces[] = {[PTX_GLOBAL] = "global",
                                         [PTX_SHARED] = "shared",
                                         [PTX_LOCAL] = "local",
                                         [PTX_CONST] = "const",
                                         [PTX_PARAM] = "param"};
    uint64_t first = a->address[first_lane(a->lanes)];
    uint64_t last = a->address[31u - (unsigned)__builtin_clz(a->lanes)];
    (void)state;
    hear("warp %u line %u: %s %s of %u bytes, lanes %08x, ", w->number, line_of(a->pc),
         spaces[a->space], kinds[a->kind], a->bytes, a->lanes);
    if (a->space != PTX_GLOBAL) {
        hear("first at %llu, ", (unsigned long long)first);
    }
    hear("span %lld, cost %llu %llu %llu\n", (long long)(last - first),
         (unsigned long long)a->cost.a, (unsigned long long)a->cost.b,
         (unsigned long long)a->cost.c);
}
static void on_branch(void *state, struct warp *w, uint32_t pc, lane_mask lanes, lane_mask taken)
{
    (void)state;
    hear("warp %u line %u: branch, lanes %08x, taken %08x\n", w->number, line_of(pc), lanes, taken);
}
static void on_barrier(void *state, struct warp *w, uint32_t pc, unsigned id, bool waits)
{
    (void)state;
    hear("warp %u line %u: barrier %u%s\n", w->number, line_of(pc), id, waits ? "" : ", arrives");
}
static void on_open(void *state, struct warp *w, unsigned id)
{
    (void)state;
    hear("warp %u opens %u\n", w->number, id);
}
static void on_sync(void *state, struct warp *w, uint32_t pc, lane_mask lanes)
{
    (void)state;
    hear("warp %u line %u: lanes %08x synchronize\n", w->number, line_of(pc), lanes);
}
static void on_fence(void *state, struct warp *w, uint32_t pc, lane_mask lanes, enum fence_scope s)
{
    (void)state;
    hear("warp %u line %u: fence %d, lanes %08x\n", w->number, line_of(pc), (int)s, lanes);
}
static void on_async(void *state, struct warp *w, uint32_t pc, lane_mask lanes,
                     enum async_kind kind, unsigned groups)
{
    (void)state;
    (void)pc;
    hear("warp %u: %s %u, lanes %08x\n", w->number, kind == ASYNC_COMMIT ? "commit" : "wait",
         groups, lanes);
}
static void on_leave(void *state, struct warp *w, uint32_t pc, lane_mask lanes)
{
    (void)state;
    (void)pc;
    hear("warp %u: lanes %08x leave\n", w->number, lanes);
}
static unsigned steps;
static void on_step(void *state, struct warp *w, uint32_t pc, lane_mask lanes)
{
    (void)state;
    (void)w;
    (void)pc;
    (void)lanes;
    steps++;
}

static const struct observer everything = {
    .wants = OBSERVE_ACCESSES | OBSERVE_BRANCHES | OBSERVE_ORDER,
    .serial = true,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .block_begin = block_begin,
    .block_end = block_end,
    .access = on_access,
    .branch = on_branch,
    .barrier = on_barrier,
    .barrier_open = on_open,
    .warp_sync = on_sync,
    .fence = on_fence,
    .async = on_async,
    .leave = on_leave,
};

/* Addresses of device memory differ between two machines of one process. */
static void hide_addresses(char *line)
{
    for (char *at = strstr(line, "0x"); at != NULL; at = strstr(at, "0x")) {
        for (at += 2; isxdigit((unsigned char)*at); at++) {
            *at = '.';
        }
    }
}

/* Runs the body, observed and not: the same result and the same counts. */
static void expect(struct machine m, const char *body, const char *events)
{
    struct machine plain = m;
    length = 0;
    heard[0] = '\0';
    machine_run(&plain, body);
    m.observer = &everything;
    machine_run(&m, body);
    ck_assert_str_eq(heard, events);
    ck_assert_int_eq(m.good, plain.good);
    hide_addresses(m.e.text);
    hide_addresses(plain.e.text);
    ck_assert_str_eq(m.e.text, plain.e.text);
    ck_assert_mem_eq(m.out, plain.out, sizeof m.out);
    ck_assert_mem_eq(&m.counters, &plain.counters, sizeof m.counters);
}

/* Of an observer of stores alone: it needs their addresses, and hears of nothing else. */
static void on_store(void *state, struct warp *w, const struct access_event *a)
{
    (void)state;
    hear("warp %u line %u: stores from lane 0's word to byte %llu behind it\n", w->number,
         line_of(a->pc), (unsigned long long)(a->address[31] - a->address[0]));
}

/* A load of a constant costs nothing that is counted. */
static void on_constant(void *state, struct warp *w, const struct access_event *a)
{
    (void)state;
    if (a->space == PTX_CONST) {
        hear("warp %u line %u: cost %llu %llu\n", w->number, line_of(a->pc),
             (unsigned long long)a->cost.a, (unsigned long long)a->cost.b);
    }
}

START_TEST(a_load_of_a_constant_is_not_counted)
{
    static const struct observer accesses = {
        .wants = OBSERVE_ACCESSES, .launch_begin = launch_begin, .access = on_constant};
    struct machine m = {.observer = &accesses, .functions = ".const .align 4 .u32 fixed[32];"};
    length = 0;
    heard[0] = '\0';
    machine_run(&m, "mov.u64 %rd3, fixed; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd3, %rd3, %rd4;"
                    "ld.const.u32 %r3, [%rd3];");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_str_eq(heard, "launch of 1 workers\nwarp 0 line 20: cost 0 0\n");
}
END_TEST

START_TEST(who_asks_for_stores_hears_of_stores)
{
    static const struct observer stores = {
        .wants = OBSERVE_STORES, .launch_begin = launch_begin, .before_store = on_store};
    struct machine m = {.observer = &stores};
    length = 0;
    heard[0] = '\0';
    machine_run(&m, "ld.global.u32 %r3, [%rd2]; st.global.u32 [%rd2+256], %r3;");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_str_eq(heard, "launch of 1 workers\n"
                            "warp 0 line 20: stores from lane 0's word to byte 124 behind it\n"
                            "warp 0 line 30: stores from lane 0's word to byte 124 behind it\n");
}
END_TEST

#define BEGIN "launch of 1 workers\nblock 0 begins\n"
#define STORE "warp 0 line 30: global store of 4 bytes, lanes ffffffff, span 124, cost 1 4 0\n"
#define END   "warp 0: lanes ffffffff leave\nblock 0 ends\nlaunch ends\n"

START_TEST(a_load_may_overwrite_its_address)
{
    expect((struct machine){0}, "ld.global.u64 %rd2, [%rd1]; mov.u64 %rd2, %rd1;",
           BEGIN
           "warp 0 line 20: global load of 8 bytes, lanes ffffffff, span 0, cost 1 1 0\n"
           "warp 0 line 30: global store of 4 bytes, lanes ffffffff, span 0, cost 1 1 0\n" END);
}
END_TEST

START_TEST(a_guard_narrows_the_lanes)
{
    expect(
        (struct machine){0},
        "setp.lt.u32 %p1, %r1, 4; @%p1 ld.global.u32 %r3, [%rd2];"
        "setp.gt.u32 %p2, %r1, 99; @%p2 ld.global.u32 %r3, [%rd2];",
        BEGIN
        "warp 0 line 20: global load of 4 bytes, lanes 0000000f, span 12, cost 1 1 0\n" STORE END);
}
END_TEST

START_TEST(generic_addresses_are_told_by_space)
{
    expect(
        (struct machine){.functions = ".shared .align 4 .b8 sh[256];"},
        "mov.u64 %rd3, sh; cvta.shared.u64 %rd3, %rd3;"
        "mul.wide.u32 %rd4, %r1, 8; add.u64 %rd3, %rd3, %rd4;"
        "setp.lt.u32 %p1, %r1, 16; selp.b64 %rd3, %rd3, %rd2, %p1; ld.u32 %r3, [%rd3];",
        BEGIN
        "warp 0 line 20: shared load of 4 bytes, lanes 0000ffff, first at 0, span 120, cost 1 1 0\n"
        "warp 0 line 20: global load of 4 bytes, lanes ffff0000, span 60, cost 1 2 0\n" STORE END);
}
END_TEST

START_TEST(atomics_and_reductions)
{
    expect(
        (struct machine){0}, "atom.global.add.u32 %r2, [%rd1], 1; red.global.add.u32 [%rd2], 1;",
        BEGIN
        "warp 0 line 20: global atomic of 4 bytes, lanes ffffffff, span 0, cost 1 1 0\n"
        "warp 0 line 20: global reduction of 4 bytes, lanes ffffffff, span 124, cost 1 4 0\n" STORE
            END);
}
END_TEST

START_TEST(two_warps_come_to_a_barrier)
{
    expect((struct machine){.block = {64, 1, 1}},
           "bar.sync 0; setp.gt.u32 %p1, %r1, 99; @%p1 bar.sync 1;",
           BEGIN "warp 0 line 20: barrier 0\nwarp 1 line 20: barrier 0\nwarp 1 opens 0\n"
                 "warp 1 line 30: global store of 4 bytes, lanes ffffffff, span 124, cost 1 4 0\n"
                 "warp 1: lanes ffffffff leave\n"
                 "warp 0 line 30: global store of 4 bytes, lanes ffffffff, span 124, cost 1 4 0\n"
                 "warp 0: lanes ffffffff leave\nblock 0 ends\nlaunch ends\n");
}
END_TEST

START_TEST(one_warp_arrives_and_the_other_waits)
{
    expect((struct machine){.block = {64, 1, 1}},
           "setp.lt.u32 %p1, %r1, 32; @%p1 bra first; bar.sync 1, 64; bra done;\n"
           "first: bar.arrive 1, 64;\ndone:",
           BEGIN "warp 0 line 20: branch, lanes ffffffff, taken ffffffff\n"
                 "warp 0 line 20: barrier 1, arrives\n" STORE "warp 0: lanes ffffffff leave\n"
                 "warp 1 line 20: branch, lanes ffffffff, taken 00000000\n"
                 "warp 1 line 20: barrier 1\nwarp 1 opens 1\n"
                 "warp 1 line 30: global store of 4 bytes, lanes ffffffff, span 124, cost 1 4 0\n"
                 "warp 1: lanes ffffffff leave\nblock 0 ends\nlaunch ends\n");
}
END_TEST

START_TEST(lanes_of_divergent_code_meet)
{
    expect((struct machine){0},
           "setp.lt.u32 %p1, %r1, 8; @%p1 bra low; bar.warp.sync 0xffffffff; bra done;\n"
           "low: bar.warp.sync 0xffffffff;\ndone: shfl.sync.bfly.b32 %r3, %r1, 1, 31, 0xffffffff;",
           BEGIN "warp 0 line 20: branch, lanes ffffffff, taken 000000ff\n"
                 "warp 0 line 20: lanes ffffffff synchronize\nwarp 0 line 20: lanes ffffffff "
                 "synchronize\n" STORE END);
}
END_TEST

/* Of a table's targets that of the first lane counts as the next one: told is who goes elsewhere.
 */
START_TEST(a_branch_by_table_divides_a_warp)
{
    expect((struct machine){0},
           "setp.gt.u32 %p1, %r1, 9; selp.u32 %r3, 2, 0, %p1; setp.lt.u32 %p2, %r1, 4;"
           "selp.u32 %r3, 1, %r3, %p2; T: .branchtargets A, B, A; brx.idx %r3, T;\n"
           "A: add.u32 %r2, %r2, 1;\nB:",
           BEGIN "warp 0 line 20: branch, lanes ffffffff, taken fffffff0\n" STORE END);
}
END_TEST

START_TEST(groups_of_a_warp_meet_by_mask)
{
    expect((struct machine){0},
           "setp.lt.u32 %p1, %r1, 16; selp.b32 %r4, 0xffff, 0xffff0000, %p1;"
           "shfl.sync.bfly.b32 %r3, %r1, 1, 31, %r4;",
           BEGIN "warp 0 line 20: lanes 0000ffff synchronize\nwarp 0 line 20: lanes ffff0000 "
                 "synchronize\n" STORE END);
}
END_TEST

START_TEST(fences_and_asynchronous_copies)
{
    expect((struct machine){.functions = ".shared .align 16 .b8 sh[256];"},
           "membar.gl; membar.cta; fence.acq_rel.sys; mov.u32 %r3, sh; shl.b32 %r4, %r1, 2;"
           "add.u32 %r3, %r3, %r4; cp.async.ca.shared.global [%r3], [%rd2], 4;"
           "cp.async.commit_group; cp.async.wait_group 3;",
           BEGIN
           "warp 0 line 20: fence 1, lanes ffffffff\nwarp 0 line 20: fence 0, lanes ffffffff\n"
           "warp 0 line 20: fence 2, lanes ffffffff\n"
           "warp 0 line 20: global read of 4 bytes, lanes ffffffff, span 124, cost 1 4 0\n"
           "warp 0 line 20: shared write of 4 bytes, lanes ffffffff, first at 0, span 124, cost 0 "
           "0 0\n"
           "warp 0: commit 0, lanes ffffffff\nwarp 0: wait 3, lanes ffffffff\n" STORE END);
}
END_TEST

START_TEST(threads_leave_one_by_one)
{
    expect((struct machine){0}, "setp.lt.u32 %p1, %r1, 30; @%p1 exit;",
           BEGIN "warp 0: lanes 3fffffff leave\n"
                 "warp 0 line 30: global store of 4 bytes, lanes c0000000, span 4, cost 1 1 0\n"
                 "warp 0: lanes c0000000 leave\nblock 0 ends\nlaunch ends\n");
}
END_TEST

START_TEST(a_fault_is_not_told_as_an_access)
{
    expect((struct machine){0}, "ld.global.u32 %r3, [%rd2 + 99999999];",
           BEGIN "warp 0: lanes ffffffff leave\nblock 0 ends\nlaunch fails\n");
    expect((struct machine){0}, "ld.global.u32 %r3, [%rd2 + 2];", BEGIN "launch fails\n");
}
END_TEST

START_TEST(every_instruction_is_a_step)
{
    static const struct observer stepping = {
        .wants = OBSERVE_STEPS, .step_block = EVERY_BLOCK, .step = on_step};
    struct machine m = {.observer = &stepping, .block = {64, 1, 1}};
    steps = 0;
    machine_run(&m, "setp.lt.u32 %p1, %r1, 4; @%p1 add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1;");
    ck_assert(m.good);
    ck_assert_uint_eq(steps, m.counters.instructions);
    ck_assert_uint_eq(m.out[3], 2);
}
END_TEST

START_TEST(one_block_may_be_stepped_alone)
{
    static const struct observer stepping = {
        .wants = OBSERVE_STEPS, .step_block = 2, .step = on_step};
    struct machine m = {.observer = &stepping, .grid = {5, 1, 1}};
    steps = 0;
    machine_run(&m, "add.u32 %r2, %r2, 1;");
    ck_assert(m.good);
    ck_assert_uint_eq(steps * 5, m.counters.instructions);
}
END_TEST

/* ---- launches of two host threads ------------------------------------------------------------ */

static struct simt *gpu;
static const struct simt_kernel *nothing;
static pthread_t other_host;
static atomic_int begun;
static int begun_when_seen;

static void count_begun(void *state, const struct launch_event *launch)
{
    (void)state;
    (void)launch;
    atomic_fetch_add(&begun, 1);
}

static void *launch_nothing(void *state)
{
    struct simt_launch launch = {
        .kernel = nothing, .grid = {1, 1, 1}, .block = {32, 1, 1}, .params = &begun};
    struct simt_counters counters;
    struct err e = {0};
    if (state != NULL) {
        launch.seen = *(void (**)(void *, const struct simt_counters *))state;
    }
    ck_assert_msg(simt_run(gpu, &launch, &counters, &e), "%s", e.text);
    return NULL;
}

/* Another thread launches meanwhile, and has long enough to begin. */
static void see(void *state, const struct simt_counters *counters)
{
    (void)state;
    ck_assert_uint_eq(counters->warps, 1);
    ck_assert_int_eq(pthread_create(&other_host, NULL, launch_nothing, NULL), 0);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    begun_when_seen = atomic_load(&begun);
}

START_TEST(a_launch_is_seen_before_the_next_one_begins)
{
    static const char text[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                               ".visible .entry nothing() { ret; }\n";
    static const struct observer counter = {.launch_begin = count_begun};
    void (*seen)(void *, const struct simt_counters *) = see;
    struct err e = {0};
    gpu = simt_open(gpu_limits_default(), 1, &e);
    struct simt_module *m = simt_module_load(gpu, text, sizeof text - 1, "text", &e);
    nothing = simt_module_kernel(m, "nothing", &e);
    ck_assert(nothing != NULL && simt_observe(gpu, &counter, &e));
    launch_nothing(&seen);
    pthread_join(other_host, NULL);
    ck_assert_int_eq(begun_when_seen, 1);
    ck_assert_int_eq(atomic_load(&begun), 2);
    simt_close(gpu);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("observer");
    tcase_add_test(tests, a_load_of_a_constant_is_not_counted);
    tcase_add_test(tests, who_asks_for_stores_hears_of_stores);
    tcase_add_test(tests, a_load_may_overwrite_its_address);
    tcase_add_test(tests, a_guard_narrows_the_lanes);
    tcase_add_test(tests, generic_addresses_are_told_by_space);
    tcase_add_test(tests, atomics_and_reductions);
    tcase_add_test(tests, two_warps_come_to_a_barrier);
    tcase_add_test(tests, one_warp_arrives_and_the_other_waits);
    tcase_add_test(tests, lanes_of_divergent_code_meet);
    tcase_add_test(tests, a_branch_by_table_divides_a_warp);
    tcase_add_test(tests, groups_of_a_warp_meet_by_mask);
    tcase_add_test(tests, fences_and_asynchronous_copies);
    tcase_add_test(tests, threads_leave_one_by_one);
    tcase_add_test(tests, a_fault_is_not_told_as_an_access);
    tcase_add_test(tests, every_instruction_is_a_step);
    tcase_add_test(tests, one_block_may_be_stepped_alone);
    tcase_add_test(tests, a_launch_is_seen_before_the_next_one_begins);
    return run_suite("observer", tests);
}
