/* test_decode.c - from PTX to code: what is rejected and in which words, how memory is laid out,
 * what constants become, where branches meet. What decoded code computes is test_exec*.c's. */
#include "decode_fixture.h"

#include "common/simt/cuda/simt.h"
#include "suite.h"

/* --- every opcode, and what is rejected
 * ------------------------------------------------------------ */

#define HEAD                                                                                       \
    ".const .align 4 .u32 fixed[2] = {1, 2};\n.global .align 4 .u32 count;\n"                      \
    ".func (.param .b32 r) twice(.param .b32 n) { ret; }\n"

/* One line that decodes, for each opcode of ptx_ops.def. */
static const char *const samples[PTX_OP_COUNT] = {
    [PTX_OP_ABS] = "abs.s32 %r3, %r4;",
    [PTX_OP_ACTIVEMASK] = "activemask.b32 %r3;",
    [PTX_OP_ADD] = "add.u32 %r3, %r4, 1;",
    [PTX_OP_ADDC] = "add.cc.u32 %r3, %r4, 1; addc.u32 %r3, %r4, 1;",
    [PTX_OP_AND] = "and.b32 %r3, %r4, 1;",
    [PTX_OP_ATOM] = "atom.global.add.u32 %r3, [%rd1], 1;",
    [PTX_OP_BAR] = "bar.sync 0;",
    [PTX_OP_BARRIER] = "barrier.cta.sync.aligned 0;",
    [PTX_OP_BFE] = "bfe.u32 %r3, %r4, 1, 2;",
    [PTX_OP_BFI] = "bfi.b32 %r3, %r4, %r5, 1, 2;",
    [PTX_OP_BFIND] = "bfind.u32 %r3, %r4;",
    [PTX_OP_BMSK] = "bmsk.clamp.b32 %r3, %r4, 1;",
    [PTX_OP_BRA] = "bra.uni L; L:",
    [PTX_OP_BREV] = "brev.b32 %r3, %r4;",
    [PTX_OP_BRKPT] = "brkpt;",
    [PTX_OP_BRX] = "T: .branchtargets L; brx.idx %r3, T; L:",
    [PTX_OP_CALL] = "{ .param .b32 a; .param .b32 b; call (a), twice, (b); }",
    [PTX_OP_CLZ] = "clz.b32 %r3, %r4;",
    [PTX_OP_CNOT] = "cnot.b32 %r3, %r4;",
    [PTX_OP_COPYSIGN] = "copysign.f32 %r3, %r4, %r5;",
    [PTX_OP_COS] = "cos.approx.f32 %r3, %r4;",
    [PTX_OP_CP] = "cp.async.wait_all;",
    [PTX_OP_CVT] = "cvt.u32.u16 %r3, %h4;",
    [PTX_OP_CVTA] = "cvta.shared.u64 %rd3, %rd4;",
    [PTX_OP_DISCARD] = "discard.global.L2 [%rd1], 128;",
    [PTX_OP_DIV] = "div.u32 %r3, %r4, 3;",
    [PTX_OP_DP2A] = "dp2a.lo.u32.u32 %r3, %r4, %r5, 1;",
    [PTX_OP_DP4A] = "dp4a.u32.u32 %r3, %r4, %r5, 1;",
    [PTX_OP_EX2] = "ex2.approx.f32 %r3, %r4;",
    [PTX_OP_EXIT] = "exit;",
    [PTX_OP_FENCE] = "fence.sc.gpu;",
    [PTX_OP_FMA] = "fma.rn.f32 %r3, %r4, %r5, %r6;",
    [PTX_OP_FNS] = "fns.b32 %r3, %r4, 0, 1;",
    [PTX_OP_ISSPACEP] = "isspacep.shared %p1, %rd1;",
    [PTX_OP_LD] = "ld.global.u32 %r3, [%rd1];",
    [PTX_OP_LDU] = "ldu.global.u32 %r3, [%rd1];",
    [PTX_OP_LG2] = "lg2.approx.f32 %r3, %r4;",
    [PTX_OP_LOP3] = "lop3.b32 %r3, %r4, %r5, %r6, 0x80;",
    [PTX_OP_MAD] = "mad.lo.u32 %r3, %r4, %r5, %r6;",
    [PTX_OP_MADC] = "mad.lo.cc.u32 %r3, %r4, %r5, 1; madc.hi.u32 %r3, %r4, %r5, 1;",
    [PTX_OP_MAD24] = "mad24.lo.u32 %r3, %r4, %r5, 1;",
    [PTX_OP_MATCH] = "match.any.sync.b32 %r3, %r4, -1;",
    [PTX_OP_MAX] = "max.u32 %r3, %r4, 1;",
    [PTX_OP_MEMBAR] = "membar.gl;",
    [PTX_OP_MIN] = "min.u32 %r3, %r4, 1;",
    [PTX_OP_MOV] = "mov.u32 %r3, 1;",
    [PTX_OP_MUL] = "mul.lo.u32 %r3, %r4, 3;",
    [PTX_OP_MUL24] = "mul24.lo.u32 %r3, %r4, 3;",
    [PTX_OP_NANOSLEEP] = "nanosleep.u32 20;",
    [PTX_OP_NEG] = "neg.s32 %r3, %r4;",
    [PTX_OP_NOT] = "not.b32 %r3, %r4;",
    [PTX_OP_OR] = "or.b32 %r3, %r4, 1;",
    [PTX_OP_POPC] = "popc.b32 %r3, %r4;",
    [PTX_OP_PREFETCH] = "prefetch.global.L2 [%rd1];",
    [PTX_OP_PREFETCHU] = "prefetchu.L1 [%rd1];",
    [PTX_OP_PRMT] = "prmt.b32 %r3, %r4, %r5, 0x3210;",
    [PTX_OP_RCP] = "rcp.rn.f32 %r3, %r4;",
    [PTX_OP_RED] = "red.global.add.u32 [%rd1], 1;",
    [PTX_OP_REDUX] = "redux.sync.add.u32 %r3, %r4, -1;",
    [PTX_OP_REM] = "rem.u32 %r3, %r4, 3;",
    [PTX_OP_RET] = "ret;",
    [PTX_OP_RSQRT] = "rsqrt.approx.f32 %r3, %r4;",
    [PTX_OP_SAD] = "sad.u32 %r3, %r4, %r5, 1;",
    [PTX_OP_SELP] = "selp.b32 %r3, 1, 2, %p1;",
    [PTX_OP_SET] = "set.eq.u32.u32 %r3, %r4, 1;",
    [PTX_OP_SETP] = "setp.eq.u32 %p1, %r4, 1;",
    [PTX_OP_SHF] = "shf.l.wrap.b32 %r3, %r4, %r5, 1;",
    [PTX_OP_SHFL] = "shfl.sync.idx.b32 %r3, %r4, 0, 31, -1;",
    [PTX_OP_SHL] = "shl.b32 %r3, %r4, 1;",
    [PTX_OP_SHR] = "shr.u32 %r3, %r4, 1;",
    [PTX_OP_SIN] = "sin.approx.f32 %r3, %r4;",
    [PTX_OP_SLCT] = "slct.u32.s32 %r3, 1, 2, %r4;",
    [PTX_OP_SQRT] = "sqrt.rn.f32 %r3, %r4;",
    [PTX_OP_ST] = "st.global.u32 [%rd1], %r4;",
    [PTX_OP_SUB] = "sub.u32 %r3, %r4, 1;",
    [PTX_OP_SUBC] = "sub.cc.u32 %r3, %r4, 1; subc.u32 %r3, %r4, 1;",
    [PTX_OP_SZEXT] = "szext.clamp.u32 %r3, %r4, 8;",
    [PTX_OP_TANH] = "tanh.approx.f32 %r3, %r4;",
    [PTX_OP_TESTP] = "testp.finite.f32 %p1, %r4;",
    [PTX_OP_TRAP] = "trap;",
    [PTX_OP_VABSDIFF2] = "vabsdiff2.u32.s32.s32.add %r3, %r4, %r5, 1;",
    [PTX_OP_VABSDIFF4] = "vabsdiff4.u32.u32.u32 %r3, %r4, %r5, 1;",
    [PTX_OP_VOTE] = "vote.sync.all.pred %p1, %p2, -1;",
    [PTX_OP_XOR] = "xor.b32 %r3, %r4, 1;",
};

START_TEST(every_opcode_decodes)
{
    for (enum ptx_op op = PTX_OP_UNKNOWN + 1; op < PTX_OP_COUNT; op++) {
        ck_assert_msg(samples[op] != NULL, "no sample for %s", ptx_op_name(op));
        char body[200];
        snprintf(body, sizeof body, "%s ret;", samples[op]);
        struct decoded d = decode_text(HEAD, "", body);
        ck_assert_msg(d.k != NULL, "%s: %s", samples[op], d.e.text);
        unsigned found = 0;
        for (unsigned i = 0; i < d.k->code_count; i++) {
            found += d.k->origin[i] != NULL && d.k->origin[i]->op == op &&
                     d.k->code[i].handler != exec_find("enter");
        }
        ck_assert_msg(found > 0, "%s left no code", samples[op]);
        decoded_free(&d);
    }
}
END_TEST

/* Each message names the kernel, its line, the instruction with its modifiers, and says why. */
static const struct {
    const char *line, *instruction, *why;
} rejected[] = {
    /* what the simulator has not */
    {"wgmma.fence.sync.aligned;", "wgmma.fence.sync.aligned", "does not execute"},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r3,%r4,%r5,%r6}, {%r3,%r4,%r5,%r6},"
     "{%r3,%r4}, {%r3,%r4,%r5,%r6};",
     "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "does not execute"},
    {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3,%r4,%r5,%r6}, [%rd1];",
     "ldmatrix.sync.aligned.m8n8.x4.shared.b16", "does not execute"},
    {"mbarrier.init.shared.b64 [%r3], 1;", "mbarrier.init.shared.b64", "does not execute"},
    {"elect.sync %r3|%p1, -1;", "elect.sync", "does not execute"},
    {"tex.1d.v4.f32.s32 {%r3, %r4, %r5, %r6}, [%rd1, {%r3}];", "tex.1d.v4.f32.s32",
     "does not execute"},
    {"vadd.s32.s32.s32 %r3, %r4, %r5;", "vadd.s32.s32.s32", "does not execute"},
    {"frobnicate.u32 %r3;", "frobnicate.u32", "does not execute"},
    {"cp.async.bulk.commit_group;", "cp.async.bulk.commit_group", "modifier .bulk"},
    {"cp.reduce.async.bulk.commit_group;", "cp.reduce.async.bulk.commit_group", ""},
    {"barrier.cluster.arrive;", "barrier.cluster.arrive", "modifier .cluster"},
    {"fma.rn.f32x2 %rd3, %rd4, %rd5, %rd6;", "fma.rn.f32x2", ""},
    {"mov.u32 %r3, %clusterid.x;", "mov.u32", "register %clusterid.x is not declared"},
    {"shfl.idx.b32 %r3, %r4, 0, 31;", "shfl.idx.b32", "without .sync"},
    {"vote.all.pred %p1, %p2;", "vote.all.pred", "without .sync"},
    {"ld.global.b128 %rd3, [%rd1];", "ld.global.b128", "elements of this type"},
    {".reg .b128 %q; mov.b128 %q, %q;", "mov.b128", "128-bit registers"},
    /* modifiers that nobody takes, and combinations that do not exist */
    {"add.purple.u32 %r3, %r4, 1;", "add.purple.u32", "modifier .purple"},
    {"ld.global.purple.u32 %r3, [%rd1];", "ld.global.purple.u32", "modifier .purple"},
    {"add.rn.u32 %r3, %r4, 1;", "add.rn.u32", "modifier .rn"},
    {"popc.f32 %r3, %r4;", "popc.f32", "combination of type and modifiers"},
    {"add %r3, %r4, 1;", "add is", "combination of type and modifiers"},
    {"mul.u32 %r3, %r4, 3;", "mul.u32", "combination of type and modifiers"},
    {"setp.u32 %p1, %r3, 3;", "setp.u32", "combination of type and modifiers"},
    {"add.rz.f16 %h3, %h4, %h5;", "add.rz.f16", "rounding mode for 16-bit floats"},
    {"cvt.rna.f32.f64 %r3, %rd4;", "cvt.rna.f32.f64", "this rounding for these types"},
    {"set.eq.u64.u32 %rd3, %r4, 1;", "set.eq.u64.u32", "this form of set"},
    {"bar.red.xor.pred %p1, 0, %p2;", "bar.red.xor.pred", "modifier .xor"},
    {"atom.global.mul.u32 %r3, [%rd1], 1;", "atom.global.mul.u32", "modifier .mul"},
    {"cvta.u64 %rd3, %rd4;", "cvta.u64", "named state space"},
    {"cvta.shared.u32 %r3, %r4;", "cvta.shared.u32", "64-bit addresses"},
    {"isspacep.red %p1, %rd1;", "isspacep.red", "this state space"},
    /* operands */
    {"add.u32 %r3, %nosuch, 1;", "add.u32", "register %nosuch is not declared"},
    {"add.u32 %r3, %r40, 1;", "add.u32", "register %r40 is not declared"},
    {"add.u32 %r3, %rd4, 1;", "add.u32", "register %rd4 of type .b64"},
    {"add.u64 %rd3, %r4, 1;", "add.u64", "register %r4 of type .b32"},
    {"add.u32 %r3, %p1, 1;", "add.u32", "register %p1 of type .pred"},
    {"@%r3 add.u32 %r3, %r4, 1;", "add.u32", "register %r3 of type .b32"},
    {"@%nosuch bar.sync 0;", "bar.sync", "register %nosuch is not declared"},
    {"mov.u64 %rd3, %tid.x;", "mov.u64", "special register %tid.x as a 64-bit operand"},
    {"add.u32 %r3, %r4;", "add.u32", "2 operands, expected 3"},
    {"add.u32 5, %r3, %r4;", "add.u32", "a destination that is no register"},
    {"add.u32 %r3, {%r4, %r5}, 1;", "add.u32", "an operand of this form"},
    {"add.u32 %r3, [%rd1], 1;", "add.u32", "an operand of this form"},
    {"mov.u32 %r3, nothing;", "mov.u32", "operand nothing"},
    {"setp.eq.and.u32 %p1, %r3, 1;", "setp.eq.and.u32", "3 operands, expected 4"},
    {"selp.b32 %r3, 1, 2, [%rd1];", "selp.b32", "a predicate that is no register"},
    {"lop3.b32 %r3, %r4, %r5, %r6, %r7;", "lop3.b32", "its operands"},
    {"addc.u32 %r3, %r4, 1;", "addc.u32", "no instruction before it sets the carry flag"},
    {"add.u32 _, %r3, 1;", "add.u32", "a result that is not kept"},
    {"vote.sync.ballot.b32 _, %p1, -1;", "vote.sync.ballot.b32", "a result that is not kept"},
    {"selp.b64 _, 1, 2, %p1;", "selp.b64", "a result that is not kept"},
    {"add.f32 _, %r3, %r4;", "add.f32", "a result that is not kept"},
    {"mov.b64 {}, %rd3;", "mov.b64", "a vector of this length"},
    {"mov.b64 {%r3, %r4, %r5}, %rd3;", "mov.b64", "a vector of this length"},
    {"mov.b64 %rd3, {%r3};", "mov.b64", "a vector of this length"},
    {"mov.b16 %h3, {%h4, %h5};", "mov.b16", "a vector of this length"},
    /* memory */
    {"ld.global.u32 %r3, %rd1;", "ld.global.u32", "not in brackets"},
    {"ld.global.u32 %r3, [nothing];", "ld.global.u32", "address nothing"},
    {"ld.global.u32 %p1, [%rd1];", "ld.global.u32", "a predicate in memory"},
    {"ld.global.u32 %h1, [%rd1];", "ld.global.u32", "narrower than the type"},
    {"ld.param.pred %r3, [out];", "ld.param.pred", "elements of this type"},
    {"ld.global.v2.u32 {%r3}, [%rd1];", "ld.global.v2.u32", "another number of elements"},
    {"ld.global.v4.u64 {%rd3, %rd4, %rd5, %rd6}, [%rd1];", "ld.global.v4.u64",
     "elements of this type"},
    {"ld.param.u64 %rd3, [out+4];", "ld.param.u64", "outside of parameter out"},
    {"ld.param.u32 %r3, [out+18446744073709551612];", "ld.param.u32", "outside of parameter out"},
    {"st.param.u64 [out], %rd3;", "st.param.u64", "a store to a kernel parameter"},
    {"st.param.u64 [%rd3], %rd3;", "st.param.u64", "not known when decoding"},
    {"st.const.u32 [fixed], 1;", "st.const.u32", "a store to constant memory"},
    {"atom.local.add.u32 %r3, [%rd1], 1;", "atom.local.add.u32", "this state space"},
    {"atom.global.cas.b32 %r3, [%rd1], 1;", "atom.global.cas.b32", "3 operands, expected 4"},
    {"atom.global.add.u32 %r3, [%rd1], 1, 2;", "atom.global.add.u32", "4 operands, expected 3"},
    {"cp.async.cg.shared.global [%r3], [%rd1], 12;", "cp.async.cg.shared.global",
     "12 bytes; a copy moves 4, 8 or 16"},
    {"cp.async.ca.shared.global [%r3], [%r4], 4;", "cp.async.ca.shared.global",
     "32-bit global address"},
    /* control */
    {"bra NOWHERE;", "bra", "label NOWHERE does not exist"},
    {"bra 5;", "bra", "a target that is no label"},
    {"brx.idx %r3, NOWHERE;", "brx.idx", "not declared by .branchtargets"},
    {"T: .branchtargets NOWHERE; brx.idx %r3, T;", "brx.idx", "label NOWHERE does not exist"},
    {"call nobody;", "call", "function nobody is not defined in this module"},
    {"call 5;", "call", "a call without a function"},
    {"call (%r3), twice, (%r4);", "call", "an argument that is no .param variable"},
    {"{ .param .b32 a; call twice, (a); }", "call", "do not fit function twice"},
    {"{ .param .b32 a; .param .b64 b; call (a), twice, (b); }", "call",
     "do not fit function twice"},
    {"{ .param .b32 a; .param .b64 b; call (b), malloc, (a); }", "call", "the arguments of malloc"},
    {"{ .param .b64 a; .param .b64 b; call (b), malloc, (a, a); }", "call",
     "the arguments of malloc"},
};

START_TEST(a_rejection_names_instruction_kernel_and_line)
{
    char start[400];
    struct decoded d = decode_text(HEAD, ".param .u64 out", rejected[_i].line);
    ck_assert_msg(d.k == NULL && d.e.set, "%s: accepted", rejected[_i].line);
    ck_assert_msg(d.e.code == SIMT_NOT_SUPPORTED, "%s: code %d", rejected[_i].line, d.e.code);
    snprintf(start, sizeof start, "kernel k at case.cu:20 (PTX line 14): %s",
             rejected[_i].instruction);
    ck_assert_msg(strncmp(d.e.text, start, strlen(start)) == 0, "%s: %s", rejected[_i].line,
                  d.e.text);
    ck_assert_msg(strstr(d.e.text, " is not supported: ") != NULL, "%s", d.e.text);
    ck_assert_msg(strstr(d.e.text, rejected[_i].why) != NULL, "%s: '%s' is missing in: %s",
                  rejected[_i].line, rejected[_i].why, d.e.text);
    decoded_free(&d);
}
END_TEST

/* The learner's line: the nearest one that is not a library's. */
static const struct {
    const char *locs, *place;
} places[] = {
    {".loc 2 7 0, function_name F, inlined_at 1 33 0\n", "case.cu:33 "},
    {".loc 1 12 0, function_name F, inlined_at 1 33 0\n", "case.cu:12 "}, /* their own function */
    {".loc 1 12 0, function_name F, inlined_at 1 33 0\n.loc 2 5 0, function_name G, inlined_at 1 "
     "12 0\n",
     "case.cu:12 "},
    {".loc 2 7 0\n", "library.h:7 "}, /* nobody else */
    {".loc 3 7 0\n", "at PTX line "}, /* a file that is not declared */
};

START_TEST(a_rejection_in_inlined_code_names_the_learners_line)
{
    char body[400];
    snprintf(body, sizeof body, "%swgmma.fence.sync.aligned;", places[_i].locs);
    struct decoded d = decode_text("", "", body);
    ck_assert_ptr_null(d.k);
    ck_assert_msg(strstr(d.e.text, places[_i].place) != NULL, "%s: %s", places[_i].place, d.e.text);
    decoded_free(&d);
}
END_TEST

START_TEST(other_rejections_name_the_kernel)
{
    struct decoded d = decode_text(".func f(.reg .b32 %a) { ret; }", "", "mov.u64 %rd3, f; ret;");
    ck_assert_msg(d.k == NULL && strstr(d.e.text, "kernel k") != NULL, "%s", d.e.text);
    ck_assert_msg(strstr(d.e.text, "function f passes parameters in registers") != NULL, "%s",
                  d.e.text);
    decoded_free(&d);
    d = decode_text(".func _Z4halff(.reg .f32 %a) { ret; }", "", "mov.u64 %rd3, _Z4halff; ret;");
    ck_assert_msg(d.k == NULL && strstr(d.e.text, "function half(float) passes") != NULL, "%s",
                  d.e.text);
    decoded_free(&d);
    char many[400] = "add";
    for (unsigned i = 0; i < 33; i++) {
        strcat(many, ".u32");
    }
    strcat(many, " %r3, %r4, 1;");
    d = decode_text("", "", many);
    ck_assert_msg(d.k == NULL && strstr(d.e.text, "more than 32 modifiers") != NULL, "%s",
                  d.e.text);
    decoded_free(&d);
    struct err e = {0};
    d = decode_text(".entry declared();\n.func other() { ret; }", "", "ret;");
    struct decode_world none = {0};
    static const char *const names[] = {"nothing", "other", "declared"};
    for (unsigned i = 0; i < 3; i++) {
        err_clear(&e);
        ck_assert_ptr_null(decode_kernel(d.module, names[i], &none, &e));
        ck_assert_int_eq(e.code, SIMT_NOT_FOUND);
        ck_assert_msg(strstr(e.text, "case.ptx has no kernel ") != NULL &&
                          strstr(e.text, names[i]) != NULL,
                      "%s", e.text);
    }
    decoded_free(&d);
}
END_TEST

/* Sizes that are 0 or small again in 32 bits, alone, together, or times 32 lanes. */
static const struct {
    const char *head, *params, *body, *text;
} too_large[] = {
    {"", ".param .align 8 .b8 s[32768]", "ret;", "kernel k: parameters take 32768 bytes; at most 32764"},
    {"", ".param .align 8 .b8 s[4294967292], .param .u64 t", "ret;", "parameters take 4294967304 bytes"},
    {"", "", ".param .align 8 .b8 s[134217728]; ret;", "parameters of a call take 134217728 bytes"},
    {"", "", ".param .b8 s[576460752303423488]; ret;", "of a call take 576460752303423488 bytes"},
    {".func f(.param .align 8 .b8 s[134217728]) { ret; }", "", "mov.u64 %rd3, f; ret;",
     "function f: parameters take 134217728 bytes"},
    {".func (.param .align 8 .b8 s[134217728]) f() { ret; }", "", "mov.u64 %rd3, f; ret;",
     "function f: results take 134217728 bytes"},
    {"", "", ".local .b8 s[524289]; ret;", "kernel k: local variables take 524289 bytes; at most 524288"},
    {"", "",
     ".local .b8 s[9223372036854775800]; .local .b8 t[9223372036854775800]; .local .b8 u[64]; ret;",
     "local variables take"},
    {"", "", ".local .b8 s[4294967232]; ret;", "local variables take 4294967232 bytes"},
    {"", "", ".local .b8 s[4294967296]; ret;", "local variables take 4294967296 bytes"},
    {"", "", ".local .b8 s[2147483648]; .local .b8 t[2147483648]; ret;", "take 4294967296 bytes"},
    {".func f() { .local .b8 s[300000]; ret; }", "", ".local .b8 s[300000]; call f; ret;",
     "local variables with those of called functions take 600000 bytes"},
    {"", "", ".shared .b8 s[4294967296]; ret;", "shared variables take 4294967296 bytes"},
    {".shared .b8 a[2147483648]; .shared .b8 b[2147483648];", "",
     "mov.u64 %rd3, a; mov.u64 %rd4, b; ret;", "shared variables take 4294967296 bytes"},
};

START_TEST(sizes_are_possible)
{
    struct decoded d = decode_text(too_large[_i].head, too_large[_i].params, too_large[_i].body);
    ck_assert_msg(d.k == NULL && strstr(d.e.text, too_large[_i].text) != NULL, "%s: %s",
                  too_large[_i].text, d.e.text);
    decoded_free(&d);
}
END_TEST

START_TEST(largest_sizes_are_possible)
{
    struct decoded d = decode_text(".func f() { .local .b8 s[262144]; ret; }",
                                   ".param .align 4 .b8 s[32764]",
                                   ".local .b8 t[262144]; call f; ret;");
    ck_assert_msg(d.k != NULL, "%s", d.e.text);
    ck_assert_uint_eq(d.k->param_bytes, 32764);
    ck_assert_uint_eq(d.k->local_bytes, 524288);
    decoded_free(&d);
}
END_TEST

/* --- layout
 * --------------------------------------------------------------------------------------- */

START_TEST(memory_is_laid_out)
{
    struct decoded d = decode_text(
        ".shared .align 16 .b8 used[20]; .shared .align 4 .b8 unused[400];\n"
        ".extern .shared .align 8 .b8 dynamic[];\n"
        ".func deep() { .local .align 4 .b8 m[20]; .shared .align 4 .b8 own[4]; ret; }\n"
        ".func unreached() { .shared .align 4 .b8 lost[1000]; ret; }\n",
        ".param .u8 a, .param .u64 b, .param .align 4 .b8 c[6], .param .u16 d",
        ".local .align 8 .b8 l1[12]; .local .align 4 .b8 l2[4]; .shared .align 8 .b8 s[8];"
        "mov.u32 %r3, used; mov.u32 %r4, dynamic; mov.u32 %r5, s; call deep; ret;");
    const struct kernel *k = d.k;
    ck_assert_msg(k != NULL, "%s", d.e.text);
    static const uint32_t offsets[] = {0, 8, 16, 22}, bytes[] = {1, 8, 6, 2};
    ck_assert_uint_eq(k->param_count, 4);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(k->params[i].offset, offsets[i]);
        ck_assert_uint_eq(k->params[i].bytes, bytes[i]);
    }
    ck_assert_uint_eq(k->param_bytes, 24);
    /* s at 0, deep's `own` at 8, `used` at 16; what nobody reaches takes no room */
    ck_assert_uint_eq(k->static_shared_bytes, 36);
    ck_assert_uint_eq(k->dynamic_shared_offset, 48);
    ck_assert_uint_eq(k->shared_align, 16);
    ck_assert_uint_eq(k->func_count, 2);
    /* 16 bytes of the kernel, 20 of deep rounded to 32 */
    ck_assert_uint_eq(k->local_bytes, 16 + 32);
    ck_assert(!k->recursive);
    decoded_free(&d);
}
END_TEST

static const struct {
    const char *what, *head, *body;
    bool recursive;
    unsigned funcs;
} call_graphs[] = {
    {"no call", "", "ret;", false, 1},
    {"a function twice", ".func f() { ret; }", "call f; call f; ret;", false, 2},
    {"a function that is only declared before", ".func f();\n.func f() { ret; }", "call f; ret;",
     false, 2},
    {"itself", ".func f() { call f; ret; }", "call f; ret;", true, 2},
    {"each other", ".func g();\n.func f() { call g; ret; }\n.func g() { call f; ret; }",
     "call f; ret;", true, 3},
    {"through a register: nobody knows, and tables are reached",
     ".func f() { ret; }\n.func g() { ret; }\n.func h() { ret; }\n"
     ".global .align 8 .u64 table[2] = {f, g};",
     "P: .callprototype _ (); call %rd3, (), P; ret;", true, 3},
    {"an address that is taken", ".func f() { ret; }", "mov.u64 %rd3, f; ret;", false, 2},
};

START_TEST(functions_are_reached_through_calls)
{
    struct decoded d = decode_text(call_graphs[_i].head, "", call_graphs[_i].body);
    ck_assert_msg(d.k != NULL, "%s: %s", call_graphs[_i].what, d.e.text);
    ck_assert_msg(d.k->recursive == call_graphs[_i].recursive, "%s", call_graphs[_i].what);
    ck_assert_msg(d.k->func_count == call_graphs[_i].funcs, "%s: %u functions",
                  call_graphs[_i].what, d.k->func_count);
    decoded_free(&d);
}
END_TEST

START_TEST(registers_take_room_when_they_are_used)
{
    struct decoded few = decode_text("", "", "mov.u32 %r3, 1; add.u32 %r3, %r3, %r3; ret;");
    struct decoded more = decode_text("", "", "mov.u32 %r3, 1; mov.u64 %rd3, 1; ret;");
    ck_assert_uint_eq(few.k->funcs[0]->frame_bytes, 128);
    ck_assert_uint_eq(more.k->funcs[0]->frame_bytes, 128 + 256);
    ck_assert_uint_eq(few.k->max_registers, 8); /* no GPU gives fewer */
    decoded_free(&few);
    decoded_free(&more);
    struct decoded named = decode_text(
        "", "", ".reg .b32 %r1_<6>; .reg .b32 %v; mov.u32 %r1_5, 1; mov.u32 %v, 2; ret;");
    ck_assert_msg(named.k != NULL, "%s", named.e.text);
    ck_assert_uint_eq(named.k->funcs[0]->frame_bytes, 256);
    decoded_free(&named);
}
END_TEST

/* --- constants
 * ------------------------------------------------------------------------------------ */

static const struct {
    const char *line, *handler;
    uint64_t bits; /* of operand b in every lane */
    bool wide;
} constants[] = {
    {"add.u32 %r3, %r4, -1;", "add_u32", 0xffffffff, false},
    {"add.u32 %r3, %r4, 0x1ffffffff;", "add_u32", 0xffffffff, false},
    {"add.u16 %h3, %h4, -1;", "add_u16", 0xffff, false},
    {"add.u64 %rd3, %rd4, -1;", "add_u64", ~(uint64_t)0, true},
    {"add.f32 %r3, %r4, 0f3FC00000;", "add_f32", 0x3fc00000, false},
    {"add.f32 %r3, %r4, 0d3FF8000000000000;", "add_f32", 0x3fc00000, false},
    {"add.f64 %rd3, %rd4, 0f3FC00000;", "add_f64", 0x3ff8000000000000, true},
    {"add.f64 %rd3, %rd4, 0d3FF8000000000000;", "add_f64", 0x3ff8000000000000, true},
    {"add.f32 %r3, %r4, 1.5;", "add_f32", 0x3fc00000, false},
    {"shl.b64 %rd3, %rd4, 40;", "shl_b64", 40, false}, /* a distance has 32 bits */
    {"add.u64 %rd3, %rd4, count+8;", "add_u64", VARIABLE_ADDRESS + 8, true},
    {"add.u64 %rd3, %rd4, twice;", "add_u64", 1, true}, /* a function's number */
    {".shared .align 4 .b8 s[8]; .shared .align 4 .b8 t[8]; add.u32 %r3, %r4, t+4;", "add_u32", 12,
     false},
};

START_TEST(constants_fill_all_lanes)
{
    char body[300];
    snprintf(body, sizeof body, "%s ret;", constants[_i].line);
    struct decoded d = decode_text(HEAD, "", body);
    ck_assert_msg(d.k != NULL, "%s: %s", constants[_i].line, d.e.text);
    const struct insn *in = decoded_insn(d.k, constants[_i].handler, 0);
    ck_assert_msg(in != NULL && in->b % REF_BASES == REF_CONST, "%s", constants[_i].line);
    const uint8_t *lanes = d.k->constants + in->b / REF_BASES * REF_BASES;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint64_t bits = 0;
        memcpy(&bits, lanes + i * (constants[_i].wide ? 8 : 4), constants[_i].wide ? 8 : 4);
        ck_assert_msg(bits == constants[_i].bits, "%s: lane %u has 0x%llx", constants[_i].line, i,
                      (unsigned long long)bits);
    }
    decoded_free(&d);
}
END_TEST

START_TEST(equal_constants_are_one)
{
    char body[16000] = "";
    for (unsigned i = 0; i < 200; i++) { /* more than the room that is there at first */
        snprintf(body + strlen(body), sizeof body - strlen(body),
                 "add.u32 %%r3, %%r3, %u; add.u32 %%r4, %%r4, %u;", i + 1, i + 1);
    }
    strcat(body, "ret;");
    struct decoded d = decode_text("", "", body);
    ck_assert_msg(d.k != NULL, "%s", d.e.text);
    ck_assert_uint_eq(d.k->constant_bytes, 200 * 128);
    for (unsigned i = 0; i < 400; i++) {
        uint32_t value;
        const struct insn *in = decoded_insn(d.k, "add_u32", i);
        memcpy(&value, d.k->constants + in->b / REF_BASES * REF_BASES, sizeof value);
        ck_assert_uint_eq(value, i / 2 + 1);
    }
    decoded_free(&d);
}
END_TEST

/* --- where lanes meet ------------------------------------------------------------------------- */

/* Blocks are marked by "mov.u32 %r9, N;" at their head; meets: for each conditional branch the
 * marks of the places where its lanes wait for each other, the last first; "-": nowhere. */
#define IF "setp.eq.u32 %p1, %r1, 3; @%p1 bra "
static const struct {
    const char *what, *body, *meets;
} flows[] = {
    {"if", IF "L; add.u32 %r2, %r2, 1; L: mov.u32 %r9, 1; st.global.u32 [%rd1], %r9; ret;", "1"},
    {"nobody waits at a bare ret", IF "L; add.u32 %r2, %r2, 1; L: ret;", "-"},
    {"if and else",
     IF "L; add.u32 %r2, %r2, 1; bra M; L: add.u32 %r2, %r2, 2; M: mov.u32 %r9, 1; ret;", "1"},
    {"one inside the other",
     IF "L; " IF
        "M; add.u32 %r2, %r2, 1; M: mov.u32 %r9, 2; bra L; L: mov.u32 %r9, 1; st.global.u32 "
        "[%rd1], %r9; ret;",
     "1 2"},
    {"a return inside an if does not keep the others apart",
     IF "L; " IF "GONE; mov.u32 %r9, 2; bra L; GONE: st.global.u32 [%rd1], %r9; ret;"
        "L: mov.u32 %r9, 1; st.global.u32 [%rd1], %r9; ret;",
     "1 -"},
    {"nor does one whose ret is the kernel's last, which all ways share",
     IF "L; " IF "END; mov.u32 %r9, 2; L: mov.u32 %r9, 1; " IF "END; st.global.u32 [%rd1], %r9;"
        "END: ret;",
     "1 - -"},
    {"both ways return on their own",
     IF "L; st.global.u32 [%rd1], %r9; ret;"
        "L: st.global.u32 [%rd1+4], %r9; ret;",
     "-"},
    {"a loop", "L: add.u32 %r2, %r2, 1; " IF "L; mov.u32 %r9, 1; ret;", "1"},
    {"a break: who leaves waits behind the loop",
     "L: mov.u32 %r9, 4; " IF "OUT; mov.u32 %r9, 3; " IF "L; OUT: mov.u32 %r9, 1;"
     "st.global.u32 [%rd1], %r9; ret;",
     "1 1"},
    {"a continue",
     "L: mov.u32 %r9, 4; " IF "NEXT; add.u32 %r2, %r2, 1; NEXT: mov.u32 %r9, 3; " IF "L;"
     "mov.u32 %r9, 1; st.global.u32 [%rd1], %r9; ret;",
     "3 1"},
    {"two ways back: a loop's head stands for its end",
     "L: mov.u32 %r9, 4; " IF "B; " IF "L; bra OUT; B: " IF "L;"
     "OUT: mov.u32 %r9, 1; st.global.u32 [%rd1], %r9; ret;",
     "1,4 1 1"},
    {"a continue around what the arms share: they meet there, and at the loop's end",
     "L: mov.u32 %r9, 4; " IF "A; add.u32 %r2, %r2, 1; bra J; A: " IF "J; add.u32 %r2, %r2, 2;"
     "bra E; J: mov.u32 %r9, 3; E: mov.u32 %r9, 2; " IF "L;"
     "mov.u32 %r9, 1; st.global.u32 [%rd1], %r9; ret;",
     "2,3 2 1"},
    {"the same where the shared part may break: they meet at the loop's end only",
     "L: mov.u32 %r9, 4; " IF "A; add.u32 %r2, %r2, 1; bra J; A: " IF "E; add.u32 %r2, %r2, 2;"
     "J: mov.u32 %r9, 3; " IF "OUT; add.u32 %r2, %r2, 3; E: mov.u32 %r9, 2; " IF "L;"
     "OUT: mov.u32 %r9, 1; st.global.u32 [%rd1], %r9; ret;",
     "1,2 1,2 1 1"},
    {"an if whose arm breaks",
     "L: mov.u32 %r9, 4; " IF "A; " IF "OUT; add.u32 %r2, %r2, 1; A: mov.u32 %r9, 3; " IF "L;"
     "OUT: mov.u32 %r9, 1; st.global.u32 [%rd1], %r9; ret;",
     "1,3 1 1"},
    {"a table of targets",
     "T: .branchtargets A, B, A; mov.u32 %r2, 1; brx.idx %r2, T; A: mov.u32 %r9, 2; bra C;"
     "B: mov.u32 %r9, 3; " IF "C; mov.u32 %r9, 4; C: mov.u32 %r9, 1; st.global.u32 [%rd1], %r9;"
     "ret;",
     "1"},
};

static unsigned mark_at(const struct kernel *k, uint32_t pc)
{
    const struct ptx_insn *first = k->origin[pc];
    return first != NULL && first->op == PTX_OP_MOV ? (unsigned)first->operands[1].bits : 0;
}

START_TEST(branches_know_where_their_lanes_meet)
{
    struct decoded d = decode_text("", "", flows[_i].body);
    ck_assert_msg(d.k != NULL, "%s: %s", flows[_i].what, d.e.text);
    char found[100] = "";
    size_t length = 0;
    for (unsigned n = 0; decoded_insn(d.k, "bra_if", n) != NULL; n++) {
        const struct insn *in = decoded_insn(d.k, "bra_if", n);
        const uint32_t *list = d.k->points + in->e;
        length += (size_t)sprintf(found + length, n > 0 ? " " : "");
        length += (size_t)sprintf(found + length, *list == NO_PC ? "-" : "");
        for (const uint32_t *pc = list; *pc != NO_PC; pc++) {
            length +=
                (size_t)sprintf(found + length, "%s%u", pc > list ? "," : "", mark_at(d.k, *pc));
            ck_assert(d.k->code[*pc].flags & INSN_JOIN);
            ck_assert(pc == list || d.k->code[pc[-1]].d > d.k->code[*pc].d);
        }
        ck_assert(d.k->code[in->offset].handler == exec_find("enter"));
    }
    ck_assert_msg(strcmp(found, flows[_i].meets) == 0, "%s: %s, not %s", flows[_i].what, found,
                  flows[_i].meets);
    decoded_free(&d);
}
END_TEST

/* Every block starts with an ENTER that knows how many instructions follow. */
START_TEST(blocks_count_their_instructions)
{
    struct decoded d = decode_text(
        "", "",
        "mov.u32 %r3, 1; mov.u32 %r4, 1; @%p1 bra L; add.u32 %r3, %r3, 1; L: mov.u32 %r5, 1;"
        "@%p2 bar.sync 0; mov.u32 %r5, 2; mov.u32 %r6, 2; ret;");
    static const uint32_t counts[] = {3, 1, 1, 1, 3, 0};
    ck_assert_msg(d.k != NULL, "%s", d.e.text);
    for (unsigned n = 0; n < 6; n++) {
        const struct insn *in = decoded_insn(d.k, "enter", n);
        ck_assert_ptr_nonnull(in);
        ck_assert_uint_eq(in->c, counts[n]);
        ck_assert_int_eq(in->offset, in - d.k->code);
        ck_assert_uint_eq(d.k->sites[in->site].kind, SITE_BLOCK);
        ck_assert_uint_eq(d.k->sites[in->site].count, counts[n]);
    }
    ck_assert_ptr_null(decoded_insn(d.k, "enter", 6));
    decoded_free(&d);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("decode");
    tcase_add_test(tc, every_opcode_decodes);
    tcase_add_loop_test(tc, a_rejection_names_instruction_kernel_and_line, 0,
                        sizeof rejected / sizeof rejected[0]);
    tcase_add_loop_test(tc, a_rejection_in_inlined_code_names_the_learners_line, 0,
                        sizeof places / sizeof places[0]);
    tcase_add_test(tc, other_rejections_name_the_kernel);
    tcase_add_loop_test(tc, sizes_are_possible, 0, sizeof too_large / sizeof too_large[0]);
    tcase_add_test(tc, largest_sizes_are_possible);
    tcase_add_test(tc, memory_is_laid_out);
    tcase_add_loop_test(tc, functions_are_reached_through_calls, 0,
                        sizeof call_graphs / sizeof call_graphs[0]);
    tcase_add_test(tc, registers_take_room_when_they_are_used);
    tcase_add_loop_test(tc, constants_fill_all_lanes, 0, sizeof constants / sizeof constants[0]);
    tcase_add_test(tc, equal_constants_are_one);
    tcase_add_loop_test(tc, branches_know_where_their_lanes_meet, 0,
                        sizeof flows / sizeof flows[0]);
    tcase_add_test(tc, blocks_count_their_instructions);
    return run_suite("decode", tc);
}
