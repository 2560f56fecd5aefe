/* test_simt.c - the public API: what is rejected when a kernel is loaded, what faults say, limits,
 * and device printf. */
#include "machine_fixture.h"

static const struct {
    const char *what, *body, *texts[4];
} rejected[] = {
    {"an opcode that does not exist", "frobnicate.u32 %r2, %r1;", {"frobnicate"}},
    {"a modifier that does not exist", "add.purple.u32 %r2, %r1, 1;", {"purple", "case.cu:20"}},
    {"matrix instructions of Blackwell",
     "tcgen05.fence::before_thread_sync;",
     {"tcgen05", "kernel_of_test"}},
    {"stores by im2col",
     "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%rd1, {%r1, %r1, %r1}],"
     " [%rd1];",
     {"cp.async.bulk", "im2col"}},
    {"textures", "tex.1d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r1}];", {"tex"}},
    {"a register that is not declared", "mov.u32 %r2, %nosuch;", {"%nosuch"}},
    {"a function that is not defined", "call unknown_function;", {"unknown_function"}},
    {"types that no handler has", "popc.f32 %r2, %r1;", {"popc.f32", "case.cu:20"}},
};

START_TEST(what_is_not_supported_is_rejected)
{
    struct machine m = {0};
    machine_run(&m, rejected[_i].body);
    ck_assert_msg(!m.good && m.e.set, "%s: accepted", rejected[_i].what);
    for (unsigned i = 0; i < 4 && rejected[_i].texts[i] != NULL; i++) {
        ck_assert_msg(strstr(m.e.text, rejected[_i].texts[i]) != NULL, "%s: '%s' is missing in: %s",
                      rejected[_i].what, rejected[_i].texts[i], m.e.text);
    }
}
END_TEST

static const struct {
    const char *what, *body;
    int code;
    const char *texts[4];
} faults[] = {
    {"behind the end",
     "setp.ne.u32 %p1, %r1, 5; @%p1 bra END; ld.global.u32 %r2, [%rd1+16384]; END:",
     SIMT_ILLEGAL_ADDRESS,
     {"case.cu:20", "thread (5,0,0)", "16384 bytes", "kernel_of_test"}},
    {"a null pointer",
     "mov.u64 %rd3, 0; st.global.u32 [%rd3+8], %r1;",
     SIMT_ILLEGAL_ADDRESS,
     {"null pointer"}},
    /* Instructions that the compiler moved have no line: a store has that before it, a load behind.
     */
    {"a store without a line",
     ".loc 1 25 0\nadd.u32 %r3, %r1, 1; .loc 1 0 0\nst.global.u32 [%rd1+20480], %r3;"
     ".loc 1 26 0\nadd.u32 %r3, %r3, 1;",
     SIMT_ILLEGAL_ADDRESS,
     {"case.cu:25"}},
    {"a load without a line",
     ".loc 1 25 0\nadd.u32 %r3, %r1, 1; .loc 1 0 0\nld.global.u32 %r3, [%rd1+20480];"
     ".loc 1 26 0\nadd.u32 %r3, %r3, 1;",
     SIMT_ILLEGAL_ADDRESS,
     {"case.cu:26"}},
    {"misaligned", "ld.global.u32 %r2, [%rd1+2];", SIMT_MISALIGNED, {"case.cu:20"}},
    {"outside of shared memory",
     ".shared .align 4 .b8 box[64]; mov.u32 %r3, box; ld.shared.u32 %r2, [%r3+4096];",
     SIMT_ILLEGAL_ADDRESS,
     {"shared"}},
    {"outside of local memory",
     ".local .align 4 .b8 box[64]; ld.local.u32 %r2, [box+70000];",
     SIMT_ILLEGAL_ADDRESS,
     {"local"}},
    {"a trap", "trap;", SIMT_TRAP, {"trap"}},
    {"a row of ldmatrix that is misaligned",
     ".shared .align 16 .b8 box[1024]; mov.u32 %r3, box; mad.lo.u32 %r3, %r1, 8, %r3;"
     "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r2, %r2, %r2}, [%r3];",
     SIMT_MISALIGNED,
     {"shared load of 16 bytes", "thread (1,0,0)", "multiple of 16"}},
    {"a matrix instruction by half a warp",
     "setp.ge.u32 %p1, %r1, 16; @%p1 exit; movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;",
     SIMT_BAD_SHUFFLE,
     {"0x0000ffff", "all 32"}},
    {"a descriptor that reaches beyond shared memory",
     "mov.u64 %rd3, 0x3fff; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r2, %r2, %r2, "
     "%r2}, "
     "%rd3, %rd3, 0, 1, 1, 0, 0;",
     SIMT_ILLEGAL_ADDRESS,
     {"the descriptor of A", "start 262128"}},
    {"a shuffle from a lane that takes no part",
     "setp.ge.u32 %p1, %r1, 16; @%p1 bra END; shfl.sync.idx.b32 %r2, %r1, 20, 31, 0x0000ffff; END:",
     SIMT_BAD_SHUFFLE,
     {"lane 20"}},
    {"a shuffle whose mask lacks its caller",
     "shfl.sync.idx.b32 %r2, %r1, 0, 31, 0x0000ffff;",
     SIMT_BAD_SHUFFLE,
     {"0x0000ffff"}},
};

START_TEST(faults_say_where_and_what)
{
    struct machine m = {0};
    machine_run(&m, faults[_i].body);
    ck_assert_msg(!m.good, "%s: runs", faults[_i].what);
    ck_assert_msg(m.e.code == faults[_i].code, "%s: code %d: %s", faults[_i].what, m.e.code,
                  m.e.text);
    for (unsigned i = 0; i < 4 && faults[_i].texts[i] != NULL; i++) {
        ck_assert_msg(strstr(m.e.text, faults[_i].texts[i]) != NULL, "%s: '%s' is missing in: %s",
                      faults[_i].what, faults[_i].texts[i], m.e.text);
    }
}
END_TEST

START_TEST(a_kernel_that_never_ends_is_stopped)
{
    struct machine m = {0};
    setenv("SIMT_MAX_INSTRUCTIONS", "100000", 1);
    machine_run(&m, "LOOP: add.u32 %r2, %r2, 1; bra LOOP;");
    unsetenv("SIMT_MAX_INSTRUCTIONS");
    ck_assert(!m.good);
    ck_assert_int_eq(m.e.code, SIMT_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(m.e.text, "SIMT_MAX_INSTRUCTIONS"));
}
END_TEST

START_TEST(endless_recursion_overflows_the_stack)
{
    struct machine m = {.functions =
                            ".func deeper()\n{ .local .align 8 .b8 room[64]; .reg .b32 %r<2>;\n"
                            "mov.u32 %r1, 1; st.local.u32 [room], %r1; call deeper, (); ret; }\n"};
    machine_run(&m, "call deeper, ();");
    ck_assert(!m.good);
    ck_assert_msg(strstr(m.e.text, "stack overflow") != NULL, "%s", m.e.text);
}
END_TEST

/* Arguments of vprintf: a pointer to the format, a pointer to the values in local memory. */
START_TEST(printf_knows_every_conversion)
{
    struct machine m = {.block = {1, 1, 1}};
    const char *plain = "%d|%5u|%-4x|%#o|%c|%s|%%|%lld|%08.3f|%e|%+d\n";
    char bytes[512] = "", functions[1024];
    for (const char *p = plain;; p++) { /* PTX has no strings: bytes */
        snprintf(bytes + strlen(bytes), sizeof bytes - strlen(bytes), "%d%s", *p,
                 *p != '\0' ? ", " : "");
        if (*p == '\0') {
            break;
        }
    }
    snprintf(functions, sizeof functions,
             ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);\n"
             ".global .align 1 .b8 text[%zu] = {%s};\n"
             ".global .align 1 .b8 word[5] = {119, 111, 114, 100, 0};\n",
             strlen(plain) + 1, bytes);
    m.functions = functions;
    machine_run(&m, ".local .align 8 .b8 v[96]; st.local.u32 [v], -7; st.local.u32 [v+4], 42;"
                    "st.local.u32 [v+8], 255; st.local.u32 [v+12], 8; st.local.u32 [v+16], 65;"
                    "mov.u64 %rd3, word; st.local.u64 [v+24], %rd3;"
                    "mov.u64 %rd4, -1234567890123; st.local.u64 [v+32], %rd4;"
                    "mov.f64 %rd5, 0d400921FB54442D18; st.local.u64 [v+40], %rd5;"
                    "mov.f64 %rd6, 0d40F86A0000000000; st.local.u64 [v+48], %rd6;"
                    "st.local.u32 [v+56], 5; mov.u64 %rd7, text; mov.u64 %rd8, v;"
                    "cvta.local.u64 %rd8, %rd8;"
                    "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd7;"
                    "st.param.b64 [a], %rd8; call (r), vprintf, (f, a); ld.param.b32 %r2, [r]; }");
    ck_assert_msg(m.good, "%s", m.e.text);
    ck_assert_str_eq(m.printed,
                     "-7|   42|ff  |010|A|word|%|-1234567890123|0003.142|1.000000e+05|+5\n");
    ck_assert_uint_eq(m.out[0], 10);
}
END_TEST

/* --- one launch after another ----------------------------------------------------------------- */

/* A kernel of one parameter, and two launches of it; between them `between` may do something. */
struct twice {
    struct simt *s;
    uint64_t address; /* of MACHINE_WORDS words of device memory, zero at first */
    struct simt_launch launch;
    struct simt_module *module;
};

static struct twice open_twice(const char *body, bool cooperative)
{
    struct err e = {0};
    struct twice t = {.s = simt_open(gpu_limits_find("h200"), 1, &e)};
    char text[1000];
    int length = snprintf(text, sizeof text,
                          ".version 7.0\n.target sm_90a\n.address_size 64\n"
                          ".visible .entry again(.param .u64 out) {\n"
                          ".reg .pred %%p<9>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>;\n"
                          "ld.param.u64 %%rd1, [out];\n%s\nret;\n}\n",
                          body);
    t.module = simt_module_load(t.s, text, (size_t)length, "again.ptx", &e);
    ck_assert_msg(t.module != NULL, "%s", e.text);
    const struct allocation *a = memory_alloc(simt_memory(t.s), 4096, MEMORY_DEVICE, "words", NULL);
    t.address = a->begin;
    memset(memory_host(simt_memory(t.s), t.address, 4096), 0, 4096);
    t.launch = (struct simt_launch){.kernel = simt_module_kernel(t.module, "again", &e),
                                    .grid = {1, 1, 1},
                                    .block = {32, 1, 1},
                                    .cooperative = cooperative};
    ck_assert_msg(t.launch.kernel != NULL, "%s", e.text);
    return t;
}

static bool launch_again(struct twice *t, struct err *e)
{
    struct simt_counters counters;
    t->launch.params = &t->address;
    return simt_run(t->s, &t->launch, &counters, e);
}

static void close_twice(struct twice *t)
{
    simt_module_unload(t->module);
    simt_close(t->s);
}

/* What a kernel has learnt of an allocation does not outlive it. */
START_TEST(memory_that_was_freed_between_launches_is_gone)
{
    struct err e = {0};
    struct twice t = open_twice("ld.global.u32 %r1, [%rd1+8]; st.global.u32 [%rd1], %r1;", false);
    ck_assert_msg(launch_again(&t, &e), "%s", e.text);
    ck_assert_msg(launch_again(&t, &e), "%s", e.text);
    ck_assert(memory_free(simt_memory(t.s), t.address, NULL));
    ck_assert(!launch_again(&t, &e));
    ck_assert_int_eq(e.code, SIMT_ILLEGAL_ADDRESS);
    close_twice(&t);
}
END_TEST

START_TEST(each_launch_has_its_own_shared_memory)
{
    struct err e = {0};
    struct twice t =
        open_twice("mov.u32 %r1, %reserved_smem_offset_begin; st.global.u32 [%rd1+4], %r1;"
                   "mov.u32 %r1, %dynamic_smem_size; st.global.u32 [%rd1], %r1;",
                   false);
    for (uint32_t bytes = 4; bytes <= 12; bytes += 4) {
        t.launch.dynamic_shared_bytes = bytes;
        ck_assert_msg(launch_again(&t, &e), "%s", e.text);
        ck_assert_mem_eq(memory_host(simt_memory(t.s), t.address, 4), &bytes, 4);
    }
    close_twice(&t);
}
END_TEST

/* A cooperative grid that ended in the middle of grid.sync() leaves nothing to the next one. */
START_TEST(the_workspace_of_a_grid_is_zero_at_first)
{
    struct err e = {0};
    struct twice t =
        open_twice("mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd2, {%r2, %r1};"
                   "ld.global.u32 %r3, [%rd2]; add.u32 %r3, %r3, 1;"
                   "st.global.u32 [%rd2], %r3; st.global.u32 [%rd1], %r3;",
                   true);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_msg(launch_again(&t, &e), "%s", e.text);
        ck_assert_uint_eq(*(uint32_t *)memory_host(simt_memory(t.s), t.address, 4), 1);
    }
    close_twice(&t);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("simt");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, what_is_not_supported_is_rejected, 0,
                        sizeof rejected / sizeof rejected[0]);
    tcase_add_loop_test(tc, faults_say_where_and_what, 0, sizeof faults / sizeof faults[0]);
    tcase_add_test(tc, a_kernel_that_never_ends_is_stopped);
    tcase_add_test(tc, endless_recursion_overflows_the_stack);
    tcase_add_test(tc, printf_knows_every_conversion);
    tcase_add_test(tc, each_launch_has_its_own_shared_memory);
    tcase_add_test(tc, memory_that_was_freed_between_launches_is_gone);
    tcase_add_test(tc, the_workspace_of_a_grid_is_zero_at_first);
    return run_suite("simt", tc);
}
