/* test_target.c - on which GPUs PTX for a target runs, which instructions a target and a version
 * have, and what is asked of text that is loaded. tests/isa compares each instruction with ptxas.
 */
#include "common/simt/base/launch.h"
#include "common/simt/ptx/target.h"
#include "common/simt/ptx/valid.h"
#include "parse_fixture.h"
#include "suite.h"

static struct ptx_target named(const char *name)
{
    struct ptx_target t = {0};
    ck_assert_msg(ptx_target_named(name, &t), "%s", name);
    return t;
}

static const struct {
    const char *target;
    unsigned from, gpu;
    bool runs;
} images[] = {
    {"sm_80", 0, 80, true},     {"sm_80", 0, 75, false},    {"sm_80", 0, 86, true},
    {"sm_80", 0, 0, true}, /* a GPU without a compute capability */
    {"sm_80", 20, 75, true},    {"sm_80", 20, 20, true},    {"sm_89", 75, 70, false},
    {"sm_89", 75, 86, true},    {"sm_90", 0, 100, true},    {"sm_90a", 0, 90, true},
    {"sm_90a", 0, 100, false},  {"sm_90a", 0, 89, false},   {"sm_100f", 0, 103, true},
    {"sm_103f", 0, 100, false}, {"sm_100f", 0, 120, false}, {"sm_100a", 0, 103, false},
};

START_TEST(ptx_runs_on_gpus_that_have_its_target)
{
    struct ptx_target t = named(images[_i].target);
    t.from = images[_i].from;
    ck_assert_msg(ptx_target_runs_on(t, images[_i].gpu) == images[_i].runs, "%s on %u",
                  images[_i].target, images[_i].gpu);
}
END_TEST

START_TEST(names_of_targets)
{
    static const char *const none[] = {"sm_",    "sm_0",    "sm_080", "sm_999", "sm_80a",
                                       "sm_90f", "sm_90ab", "sm_90 ", "80",     "sm_1000"};
    struct ptx_target t;
    for (unsigned i = 0; i < ARRAY_LENGTH(none); i++) {
        ck_assert_msg(!ptx_target_named(none[i], &t), "%s", none[i]);
    }
    ck_assert_uint_eq(named("sm_80").first, 70);
    ck_assert_uint_eq(named("sm_90").first, 78);
    ck_assert_uint_eq(named("sm_90a").first, 80);
    ck_assert_uint_eq(named("sm_100f").first, 88);
    ck_assert_int_eq(named("sm_103a").suffix, 'a');
}
END_TEST

/* Of a module for several GPUs the older GPU decides, of any other the target. */
START_TEST(the_gpu_decides_where_the_module_is_for_it)
{
    struct ptx_target t = named("sm_80");
    ck_assert_uint_eq(ptx_target_on(t, 75).arch, 80);
    t.from = 20;
    ck_assert_uint_eq(ptx_target_on(t, 75).arch, 75);
    ck_assert_uint_eq(ptx_target_on(t, 75).from, 20);
    ck_assert_uint_eq(ptx_target_on(t, 35).arch, 70);
    ck_assert_uint_eq(ptx_target_on(t, 90).arch, 80);
    ck_assert_uint_eq(ptx_target_on(t, 90).from, 0);
    ck_assert_uint_eq(ptx_target_on(t, 0).arch, 80);
}
END_TEST

START_TEST(the_later_target_of_two_modules)
{
    struct ptx_target a = named("sm_80"), b = named("sm_90a");
    ck_assert_int_eq(ptx_target_of_both(a, b).suffix, 'a');
    ck_assert_uint_eq(ptx_target_of_both(b, a).arch, 90);
    a.from = 20;
    ck_assert_uint_eq(ptx_target_of_both(a, b).from, 0);
    b.from = 75;
    ck_assert_uint_eq(ptx_target_of_both(a, b).from, 75);
}
END_TEST

static bool only_malloc(const char *name) { return strcmp(name, "malloc") == 0; }

#define HEAD8 ".version 8.0\n.target sm_80\n.address_size 64\n"
#define K(body)                                                                                    \
    ".entry k() { .reg .b32 r<4>; .reg .b64 d<4>; .reg .pred p; .param .b64 a; .param .b64 "       \
    "b;\n" body "\nret; }"

static const struct {
    const char *text;
    int code;
    const char *error; /* NULL: it is loaded */
} loaded[] = {
    {HEAD8 K("add.u32 r0, r1, r2;"), 0, NULL},
    {".version 99.0\n.target sm_80\n" K(""), SIMT_NEWER_PTX,
     "t.ptx:1: Unsupported .version 99.0; current version is '9.0'"},
    {".version 9.1\n.target sm_80\n" K(""), SIMT_NEWER_PTX,
     "t.ptx:1: Unsupported .version 9.1; current version is '9.0'"},
    {".version 9.0\n.target sm_80\n" K(""), 0, NULL},
    {".version 8.0\n" K(""), SIMT_BAD_PTX,
     "t.ptx:2: Missing .target directive at start of file: write .target sm_80 behind .version"},
    {".version 7.7\n.target sm_90\n" K(""), SIMT_BAD_PTX,
     "t.ptx:2: PTX .version 7.7 does not support the .target: 7.8 does"},
    {HEAD8 K("foo r0;"), SIMT_BAD_PTX, "t.ptx:5: Not a name of any known instruction: 'foo'"},
    {HEAD8 K("multimem.st.global.u32 [d0], r1;"), 0, NULL}, /* known, not executed */
    {HEAD8 K("add.u32 r0, r1, nosuch; add.u32 r0, %r9, 1;"), SIMT_BAD_PTX,
     "t.ptx:5: register %r9 is not declared"},
    {HEAD8 K("bra L9;"), SIMT_BAD_PTX, "t.ptx:5: Unknown symbol 'L9'"},
    {HEAD8 K("bra L9; L9:"), 0, NULL},
    {HEAD8 ".extern .func f();\n" K("call f;"), SIMT_BAD_PTX,
     "t.ptx:6: Unresolved extern function 'f'"},
    {HEAD8 ".func f() { ret; }\n" K("call f;"), 0, NULL},
    {HEAD8 ".extern .func (.param .b64 r) malloc(.param .b64 n);\n" K("call (a), malloc, (b);"), 0,
     NULL},
    {HEAD8 K("elect.sync r0|p, -1;"), SIMT_BAD_PTX,
     "t.ptx:5: Feature 'elect' requires .target sm_90 or higher: compile for sm_90, not sm_80"},
    {HEAD8 K("wgmma.fence.sync.aligned;"), SIMT_BAD_PTX,
     "t.ptx:5: Instruction 'wgmma.fence' not supported on .target 'sm_80': compile for sm_90a, not "
     "sm_80"},
    {HEAD8 K("mov.u32 r0, %clusterid.x;"), SIMT_BAD_PTX,
     "t.ptx:5: Feature '%clusterid' requires .target sm_90 or higher: compile for sm_90, not "
     "sm_80"},
    {HEAD8 K("{ .reg .b16 h<2>; cvt.rn.bf16.s32 h0, r1; }"), SIMT_BAD_PTX,
     "t.ptx:5: Feature 'cvt with .bf16.s32' requires .target sm_90 or higher: compile for sm_90, "
     "not "
     "sm_80"},
    {".version 7.3\n.target sm_80\n" K("discard.global.L2 [d0], 128;"), SIMT_BAD_PTX,
     "t.ptx:4: Feature 'discard' requires PTX ISA .version 7.4 or later"},
    {".version 7.4\n.target sm_80\n" K("discard.global.L2 [d0], 128;"), 0, NULL},
};

START_TEST(text_is_checked_when_it_is_loaded)
{
    struct err e;
    const char *text = loaded[_i].text;
    struct ptx_module *m = parse_bytes(text, strlen(text), &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    const bool good = ptx_is_valid(m, only_malloc, &e);
    ck_assert_int_eq(e.code, loaded[_i].code);
    ck_assert_int_eq(good, loaded[_i].error == NULL);
    ck_assert_str_eq(e.text, good ? "" : loaded[_i].error);
    ptx_module_free(m);
}
END_TEST

START_TEST(a_comment_names_the_oldest_gpu)
{
    struct ptx_module *m = parse_good("", ".entry k() { ret; }", "\n//simt_from sm_75\n");
    ck_assert_uint_eq(m->target.arch, 80);
    ck_assert_uint_eq(m->target.from, 75);
    ptx_module_free(m);
}
END_TEST

/* What the GPU lacks, where the module is for it, too. */
START_TEST(the_message_names_the_gpu)
{
    char why[200];
    struct ptx_module *m =
        parse_good("", ".entry k() { .reg .b32 r<2>; redux.sync.add.s32 r0, r1, -1; ret; }",
                   "\n//simt_from sm_20\n");
    const struct ptx_insn *in = &m->funcs[0].insns[0];
    ck_assert(ptx_target_has(ptx_target_on(m->target, 90), 0, in, why, sizeof why));
    ck_assert(!ptx_target_has(ptx_target_on(m->target, 75), 0, in, why, sizeof why));
    ck_assert_str_eq(why,
                     "Feature 'redux' requires .target sm_80 or higher, and the GPU of SIMT_GPU "
                     "has sm_75");
    ptx_module_free(m);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("target");
    tcase_add_loop_test(tests, ptx_runs_on_gpus_that_have_its_target, 0, ARRAY_LENGTH(images));
    tcase_add_test(tests, names_of_targets);
    tcase_add_test(tests, the_gpu_decides_where_the_module_is_for_it);
    tcase_add_test(tests, the_later_target_of_two_modules);
    tcase_add_loop_test(tests, text_is_checked_when_it_is_loaded, 0, ARRAY_LENGTH(loaded));
    tcase_add_test(tests, a_comment_names_the_oldest_gpu);
    tcase_add_test(tests, the_message_names_the_gpu);
    return run_suite("target", tests);
}
