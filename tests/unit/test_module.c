/* test_module.c - modules and kernels of the public API: variables, parameters, attributes, which
 * kernels could wait for memory to change, and what a launch says of being whole. */
#include "machine_fixture.h"

static struct simt *s;
static struct err e;

static void setup(void)
{
    s = simt_open(gpu_limits_find("h200"), 1, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
}

static void teardown(void) { simt_close(s); }

static struct simt_module *module_of(const char *text)
{
    static char ptx[4096];
    const int length =
        snprintf(ptx, sizeof ptx, ".version 7.0\n.target sm_80\n.address_size 64\n%s", text);
    struct simt_module *m = simt_module_load(s, ptx, (size_t)length, "case.ptx", &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    return m;
}

static const struct simt_kernel *kernel_of(struct simt_module *m, const char *name)
{
    const struct simt_kernel *k = simt_module_kernel(m, name, &e);
    ck_assert_msg(k != NULL, "%s", e.text);
    return k;
}

/* ---- variables ------------------------------------------------------------------------------- */

START_TEST(variables_have_an_address_a_size_and_their_first_value)
{
    struct simt_module *m = module_of(".visible .global .align 4 .u32 count = 7;\n"
                                      ".visible .const .align 8 .b8 table[24] = {1, 2, 3};\n");
    uint64_t address[2], bytes[2];
    ck_assert(simt_module_symbol(m, "count", &address[0], &bytes[0], &e));
    ck_assert(simt_module_symbol(m, "table", &address[1], &bytes[1], &e));
    ck_assert_uint_eq(bytes[0], 4);
    ck_assert_uint_eq(bytes[1], 24);
    ck_assert_uint_eq(address[1] % 8, 0);
    ck_assert_uint_eq(*(uint32_t *)memory_host(simt_memory(s), address[0], 4), 7);
    const uint8_t *table = memory_host(simt_memory(s), address[1], 24);
    ck_assert(table[0] == 1 && table[1] == 2 && table[2] == 3 && table[3] == 0);
    simt_module_unload(m);
    ck_assert_ptr_null(memory_find(simt_memory(s), address[0]));
}
END_TEST

START_TEST(a_variable_that_is_not_there_is_named)
{
    struct simt_module *m = module_of(".visible .global .u32 count;\n");
    uint64_t address, bytes;
    ck_assert(!simt_module_symbol(m, "counts", &address, &bytes, &e));
    ck_assert_int_eq(e.code, SIMT_NOT_FOUND);
    ck_assert_str_eq(e.text, "case.ptx has no variable counts");
    simt_module_unload(m);
}
END_TEST

/* ---- kernels --------------------------------------------------------------------------------- */

START_TEST(a_kernel_has_its_parameters_where_they_are_aligned)
{
    struct simt_module *m =
        module_of(".visible .entry k(.param .u8 a, .param .u64 b, .param .u16 c) { ret; }\n");
    const struct simt_kernel *k = kernel_of(m, "k");
    uint64_t offset, bytes;
    ck_assert_uint_eq(simt_kernel_param_count(k), 3);
    simt_kernel_param(k, 1, &offset, &bytes);
    ck_assert(offset == 8 && bytes == 8);
    simt_kernel_param(k, 2, &offset, &bytes);
    ck_assert(offset == 16 && bytes == 2);
    ck_assert_uint_eq(simt_kernel_param_bytes(k), 18);
    ck_assert_ptr_eq(kernel_of(m, "k"), k);
    ck_assert_str_eq(simt_kernel_name(k), "k");
    simt_module_unload(m);
}
END_TEST

START_TEST(a_kernel_says_what_it_needs)
{
    struct simt_module *m =
        module_of(".visible .entry k() .maxntid 64, 2, 1 {\n"
                  ".shared .align 4 .b8 room[400];\n"
                  ".reg .b32 %r<2>; mov.u32 %r1, room; st.shared.u32 [%r1], %r1; ret; }\n");
    struct simt_kernel_attributes a;
    simt_kernel_attributes(kernel_of(m, "k"), &a);
    ck_assert_uint_eq(a.static_shared_bytes, 400);
    ck_assert_uint_eq(a.max_threads_per_block, 128);
    ck_assert_uint_eq(a.cluster[0], 0);
    ck_assert(!a.exact_registers);
    simt_kernel_set_registers(kernel_of(m, "k"), 77);
    simt_kernel_attributes(kernel_of(m, "k"), &a);
    ck_assert(a.exact_registers && a.registers == 77);
    simt_module_unload(m);
}
END_TEST

static const struct {
    const char *what, *body;
    bool waits;
} polls[] = {
    {"a loop of atomics",
     "AGAIN: atom.global.add.u32 %r1, [%rd1], 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN;", true},
    {"a loop of volatile loads",
     "AGAIN: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN;", true},
    {"a loop of acquiring loads",
     "AGAIN: ld.acquire.gpu.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN;",
     true},
    {"a loop of plain loads",
     "AGAIN: ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN;", false},
    {"a loop of reductions",
     "AGAIN: red.global.add.u32 [%rd1], 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN;", false},
    {"an atomic, and no loop",
     "atom.global.add.u32 %r1, [%rd1], 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra END; mov.u32 %r1, 2; "
     "END:",
     false},
    {"a loop of shared atomics",
     "AGAIN: atom.shared.add.u32 %r1, [%rd1], 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN;", false},
};

START_TEST(a_loop_that_looks_for_news_may_wait)
{
    char text[2048];
    snprintf(text, sizeof text,
             ".visible .entry k(.param .u64 p) { .reg .pred %%p<2>; .reg .b32 %%r<2>; .reg .b64 "
             "%%rd<2>;\n"
             "ld.param.u64 %%rd1, [p]; mov.u32 %%r1, 0; %s ret; }\n",
             polls[_i].body);
    struct simt_module *m = module_of(text);
    ck_assert_msg(simt_kernel_may_wait(kernel_of(m, "k")) == polls[_i].waits, "%s", polls[_i].what);
    simt_module_unload(m);
}
END_TEST

/* ---- launches -------------------------------------------------------------------------------- */

START_TEST(a_launch_that_is_no_sample_names_no_line)
{
    struct simt_module *m = module_of(".visible .entry k() { ret; }\n");
    const struct simt_launch launch = {
        .kernel = kernel_of(m, "k"), .grid = {3, 2, 1}, .block = {32, 1, 1}};
    struct simt_counters counters;
    struct simt_sample sample;
    ck_assert(simt_run(s, &launch, &counters, &e));
    simt_last_sample(s, &sample);
    ck_assert(sample.blocks == 6 && sample.executed == 6 && sample.exact);
    ck_assert_ptr_null(sample.whole);
    ck_assert_uint_eq(sample.line, 0);
    simt_module_unload(m);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("module");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, variables_have_an_address_a_size_and_their_first_value);
    tcase_add_test(tests, a_variable_that_is_not_there_is_named);
    tcase_add_test(tests, a_kernel_has_its_parameters_where_they_are_aligned);
    tcase_add_test(tests, a_kernel_says_what_it_needs);
    tcase_add_loop_test(tests, a_loop_that_looks_for_news_may_wait, 0,
                        sizeof polls / sizeof polls[0]);
    tcase_add_test(tests, a_launch_that_is_no_sample_names_no_line);
    return run_suite("module", tests);
}
