/* test_parse.c - PTX text to instructions: every operand form, guards, calls, scopes, labels,
 * source lines. Golden pairs: text in, what it means out. Mistakes are test_parse_mistakes.c's.
 *
 * print_insn() writes an instruction unambiguously: R(register) S(symbol+offset) I(integer)
 * F32(bits) F64(bits) M[base+offset] V{...} P{...} L{...}. */
#include "parse_fixture.h"

#include <inttypes.h>

#include "suite.h"

static void print_operand(FILE *out, const struct ptx_operand *operand)
{
    static const char *const brackets[] = {
        [PTX_OPERAND_VECTOR] = "V", [PTX_OPERAND_PAIR] = "P", [PTX_OPERAND_LIST] = "L"};
    fprintf(out, "%s", operand->negated ? "!" : "");
    switch (operand->kind) {
    case PTX_OPERAND_REG:
        fprintf(out, "R(%s)", operand->name);
        return;
    case PTX_OPERAND_SPECIAL:
        fprintf(out, "T(%s)", operand->name);
        return;
    case PTX_OPERAND_SINK:
        fprintf(out, "_");
        return;
    case PTX_OPERAND_INT:
        fprintf(out, "I(%" PRId64 ")", (int64_t)operand->bits);
        return;
    case PTX_OPERAND_FLOAT:
        fprintf(out, "F%d(%" PRIx64 ")", operand->is_double ? 64 : 32, operand->bits);
        return;
    case PTX_OPERAND_SYMBOL:
        fprintf(out, "S(%s%+" PRId64 ")", operand->name, (int64_t)operand->bits);
        return;
    case PTX_OPERAND_MEMORY:
        fprintf(out, "M[%s%+" PRId64, operand->name == NULL ? "" : operand->name,
                (int64_t)operand->bits);
        break;
    default:
        fprintf(out, "%s{", brackets[operand->kind]);
        break;
    }
    for (unsigned i = 0; i < operand->item_count; i++) {
        fprintf(out, " ");
        print_operand(out, &operand->items[i]);
    }
    fprintf(out, operand->kind == PTX_OPERAND_MEMORY ? "]" : " }");
}

static void print_insn(FILE *out, const struct ptx_insn *insn)
{
    if (insn->guard != NULL) {
        fprintf(out, "@%s%s ", insn->guard->negated ? "!" : "", insn->guard->name);
    }
    fprintf(out, "%s", insn->op_name);
    for (unsigned i = 0; i < insn->modifier_count; i++) {
        fprintf(out, "/%s", insn->modifiers[i].text);
    }
    for (unsigned i = 0; i < insn->operand_count; i++) {
        fprintf(out, " ");
        print_operand(out, &insn->operands[i]);
    }
    fprintf(out, "; ");
}

/* All instructions of a function, each label before the one it stands at. */
static char *print_body(const struct ptx_func *func)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (unsigned i = 0, label = 0; i <= func->insn_count; i++) {
        for (; label < func->label_count && func->labels[label].insn == i; label++) {
            fprintf(out, "%s: ", func->labels[label].name);
        }
        if (i < func->insn_count) {
            print_insn(out, &func->insns[i]);
        }
    }
    fclose(out);
    return text;
}

static const struct {
    const char *text, *meaning;
} bodies[] = {
    {"ret;", "ret; "},
    {"add.s32 %r1, %r2, -7;", "add/s32 R(%r1) R(%r2) I(-7); "},
    {"@%p1 add.s32 plain, plain, 0x10;", "@%p1 add/s32 R(plain) R(plain) I(16); "},
    {"@!q exit;", "@!q exit; "},
    {"mov.u32 %r1, 017; mov.u32 %r2, 0b11; mov.u32 %r3, 4294967295U;",
     "mov/u32 R(%r1) I(15); mov/u32 R(%r2) I(3); mov/u32 R(%r3) I(4294967295); "},
    {"mov.u32 %r1, 8+4*2; mov.u32 %r2, (8+4)*2; mov.u32 %r3, -7/2; mov.u32 %r4, -7%(3);",
     "mov/u32 R(%r1) I(16); mov/u32 R(%r2) I(24); mov/u32 R(%r3) I(-3); mov/u32 R(%r4) I(-1); "},
    {"mov.u32 %r1, 1<<4|3; mov.u32 %r2, ~0; mov.u32 %r3, -8>>1; mov.u32 %r4, WARP_SZ-1;",
     "mov/u32 R(%r1) I(19); mov/u32 R(%r2) I(-1); mov/u32 R(%r3) I(-4); mov/u32 R(%r4) I(31); "},
    {"mov.u32 %r1, 1<2&&3!=3||0; mov.u32 %r2, 5>=5?7:9; mov.u32 %r3, (.u64)-1>>63;",
     "mov/u32 R(%r1) I(0); mov/u32 R(%r2) I(7); mov/u32 R(%r3) I(1); "},
    {"mov.u32 %r1, 6^3&1; mov.s64 %rd1, 9223372036854775808/2;",
     "mov/u32 R(%r1) I(7); mov/s64 R(%rd1) I(4611686018427387904); "},
    {"mov.f32 %f1, 0f3F800000; mov.f64 %fd1, 0dBFF0000000000000; mov.f32 %f2, -1.5;",
     "mov/f32 R(%f1) F32(3f800000); mov/f64 R(%fd1) F64(bff0000000000000); "
     "mov/f32 R(%f2) F64(bff8000000000000); "},
    {"mov.f64 %fd1, 1.5*2.0+1; mov.f32 %f1, -0f00000000;",
     "mov/f64 R(%fd1) F64(4010000000000000); mov/f32 R(%f1) F32(80000000); "},
    {"ld.global.nc.v4.f32 {%f1, %f2, _, %f4}, [%rd1+16];",
     "ld/global/nc/v4/f32 V{ R(%f1) R(%f2) _ R(%f4) } M[%rd1+16]; "},
    {"st.shared::cta.v2.b32 [%r1+-4], {0, %r2};",
     "st/shared::cta/v2/b32 M[%r1-4] V{ I(0) R(%r2) }; "},
    {"ld.global.u32 %r1, [var+4*2-4]; ld.global.u32 %r1, [var]; ld.local.u32 %r1, [0x20];",
     "ld/global/u32 R(%r1) M[var+4]; ld/global/u32 R(%r1) M[var+0]; "
     "ld/local/u32 R(%r1) M[+32]; "},
    {"mov.u64 %rd1, var+8; mov.u64 %rd2, var;",
     "mov/u64 R(%rd1) S(var+8); mov/u64 R(%rd2) S(var+0); "},
    {"setp.lt.and.s32 %p1|%p2, %r1, 4, !%p3;",
     "setp/lt/and/s32 P{ R(%p1) R(%p2) } R(%r1) I(4) !R(%p3); "},
    {"shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;",
     "shfl/sync/bfly/b32 P{ R(%r1) R(%p1) } R(%r2) I(16) I(31) I(-1); "},
    {"mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid; mov.u64 %rd1, %clock64;",
     "mov/u32 R(%r1) T(%tid.x); mov/u32 R(%r2) T(%laneid); mov/u64 R(%rd1) T(%clock64); "},
    {"mov.b64 {%r1, %r2}, %rd1; mov.b64 %rd1, {%r1, 7};",
     "mov/b64 V{ R(%r1) R(%r2) } R(%rd1); mov/b64 R(%rd1) V{ R(%r1) I(7) }; "},
    {"atom.global.cas.b32 _, [%rd1], 0, %r1;", "atom/global/cas/b32 _ M[%rd1+0] I(0) R(%r1); "},
    {"cp.async.ca.shared.global.L2::128B [%r1], [%rd1], 4, %r2;",
     "cp/async/ca/shared/global/L2::128B M[%r1+0] M[%rd1+0] I(4) R(%r2); "},
    {"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [var, {%f1, %f2}];",
     "tex/2d/v4/f32/f32 V{ R(%f1) R(%f2) R(%f3) R(%f4) } M[var+0 V{ R(%f1) R(%f2) }]; "},
    {"call f;", "call S(f+0); "},
    {"call.uni f, (%r1, 2);", "call/uni S(f+0) L{ R(%r1) I(2) }; "},
    {"call (%r1), f, ();", "call L{ R(%r1) } S(f+0) L{ }; "},
    {"call (%r1), %rd1, (out), p; p: .callprototype (.param .b32 _) _ (.param .b64 _);",
     "call L{ R(%r1) } R(%rd1) L{ S(out+0) } S(p+0); "},
    {"L1: @%p1 bra L1; bra.uni $L__2; $L__2: L3:", "L1: @%p1 bra S(L1+0); bra/uni S($L__2+0); "
                                                   "$L__2: L3: "},
    {"frobnicate.u7 %r1;", "frobnicate/u7 R(%r1); "},
    {"/* a */ ret // b\n; .pragma \"nounroll\";;", "ret; "},
    /* %r9 exists, %r10 and %r01 do not: they stay for the decoder to reject */
    {"mov.u32 %r9, %r10; mov.u32 %r01, x;", "mov/u32 R(%r9) R(%r10); mov/u32 R(%r01) S(x+0); "},
    /* inner scopes: registers, ranges, variables and labels of their own */
    {"{ .reg .pred p; @p bra L; mov.u32 %r1, 1; L: } { .reg .pred p; L: @!p bra L; }",
     "@p#1 bra S(L#1+0); mov/u32 R(%r1) I(1); L#1: L#2: @!p#2 bra S(L#2+0); "},
    {"{ bra L; } L: { bra L; L: }", "bra S(L+0); L: bra S(L#2+0); L#2: "},
    {"L: { bra L; { bra L; } L: { bra L; } } bra L;",
     "L: bra S(L#1+0); bra S(L#1+0); L#1: bra S(L#1+0); bra S(L+0); "},
    {"{ L: { bra L; L: } }", "L#1: bra S(L#2+0); L#2: "},
    {"{ .reg .b32 %r<2>; mov.u32 %r1, %r2; { .reg .b32 %r1; mov.u32 %r1, %r0; } }",
     "mov/u32 R(%r#1#1) R(%r2); mov/u32 R(%r1#2) R(%r#1#0); "},
    {"{ .param .b32 a; st.param.b32 [a+0], 1; { .param .b64 a; ld.param.b64 %rd1, [a]; } "
     "call f, (a); }",
     "st/param/b32 M[a#1+0] I(1); ld/param/b64 R(%rd1) M[a#2+0]; call S(f+0) L{ S(a#1+0) }; "},
    {"{ .reg .v2 .b32 v; mov.u32 v.x, v.g; st.v2.b32 [var], v; }",
     "mov/u32 R(v.x#1) R(v.y#1); st/v2/b32 M[var+0] V{ R(v.x#1) R(v.y#1) }; "},
    {".reg .v4 .f32 v; mov.f32 v.w, v.b; add.f32 v.r, v.z, v.a;",
     "mov/f32 R(v.w) R(v.z); add/f32 R(v.x) R(v.z) R(v.w); "},
};

START_TEST(bodies_mean_what_they_say)
{
    struct ptx_module *module = parse_good(body_head, bodies[_i].text, "\n}\n");
    char *text = print_body(&module->funcs[0]);
    ck_assert_str_eq(text, bodies[_i].meaning);
    free(text);
    ptx_module_free(module);
}
END_TEST

START_TEST(opcodes_come_from_the_table)
{
    struct ptx_module *module =
        parse_good(body_head, "fma.rn.f32 %f1, %f2, %f3, %f4; frobnicate.x;", "}");
    ck_assert_int_eq(module->funcs[0].insns[0].op, PTX_OP_FMA);
    ck_assert_int_eq(module->funcs[0].insns[1].op, PTX_OP_UNKNOWN);
    ck_assert_str_eq(module->funcs[0].insns[1].op_name, "frobnicate");
    ck_assert_uint_eq(module->funcs[0].insns[1].text_line, 6);
    ptx_module_free(module);
}
END_TEST

START_TEST(target_lists_and_prototypes_are_kept)
{
    struct ptx_module *module = parse_good(
        body_head,
        "{ ts: .branchtargets A, B; brx.idx %r1, ts; A: } B: fs: .calltargets f, g;"
        "p: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[24]) .noreturn;",
        "}");
    const struct ptx_func *func = &module->funcs[0];
    ck_assert_uint_eq(func->target_count, 2);
    ck_assert_str_eq(func->targets[0].name, "ts#1");
    ck_assert_str_eq(func->targets[0].items[0], "A#1");
    ck_assert_str_eq(func->targets[0].items[1], "B");
    ck_assert_str_eq(func->insns[0].operands[1].name, "ts#1");
    ck_assert_str_eq(func->targets[1].items[1], "g");
    ck_assert_uint_eq(func->prototype_count, 1);
    ck_assert_str_eq(func->prototypes[0].name, "p");
    ck_assert_uint_eq(func->prototypes[0].return_count, 1);
    ck_assert_uint_eq(func->prototypes[0].params[1].bytes, 24);
    ck_assert_uint_eq(func->label_count, 2); /* A and B, not the lists */
    ptx_module_free(module);
}
END_TEST

START_TEST(functions_keep_their_header)
{
    struct ptx_module *module = parse_good(
        "",
        ".func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 b[20]);\n"
        ".visible .entry k(.param .u64 .ptr .global .align 16 p) .reqntid 32, 4 .minnctapersm 3\n"
        ".maxnreg 40 .pragma \"x\"; { exit; }\n"
        ".func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 b[20]) { ret; }\n"
        ".extern .func stop .noreturn;\n"
        ".func (.reg .b32 %res) g(.reg .b32 %a) { add.s32 %res, %a, 1; ret; }\n",
        ".entry m .maxntid 128 { ret; }");
    const struct ptx_func *f = &module->funcs[0], *k = &module->funcs[1], *g = &module->funcs[3];
    ck_assert_uint_eq(module->func_count, 5);
    ck_assert_str_eq(f->name, "f");
    ck_assert(!f->is_prototype && !f->is_entry); /* the definition replaced the declaration */
    ck_assert_uint_eq(f->insn_count, 1);
    ck_assert_uint_eq(f->params[1].bytes, 20);
    ck_assert_uint_eq(f->params[1].align, 8);
    ck_assert_int_eq(f->params[1].space, PTX_PARAM);
    ck_assert(k->is_entry && k->exact_threads);
    ck_assert_uint_eq(k->max_threads[0], 32);
    ck_assert_uint_eq(k->max_threads[1], 4);
    ck_assert_uint_eq(k->max_threads[2], 1);
    ck_assert_uint_eq(k->min_blocks, 3);
    ck_assert_uint_eq(k->params[0].bytes, 8);
    ck_assert_uint_eq(k->params[0].align, 8); /* the 16 is the pointee's */
    ck_assert(module->funcs[2].is_prototype);
    ck_assert_int_eq(g->params[0].space, PTX_REG);
    ck_assert_uint_eq(g->reg_count, 2);
    ck_assert_int_eq(g->insns[0].operands[1].kind, PTX_OPERAND_REG);
    ck_assert_uint_eq(module->funcs[4].max_threads[0], 128);
    ck_assert(!module->funcs[4].exact_threads);
    ptx_module_free(module);
}
END_TEST

static void ck_loc(const struct ptx_loc *loc, unsigned file, unsigned line, unsigned column)
{
    ck_assert_ptr_nonnull(loc);
    ck_assert_uint_eq(loc->file, file);
    ck_assert_uint_eq(loc->line, line);
    ck_assert_uint_eq(loc->column, column);
}

START_TEST(lines_follow_inlining)
{
    struct ptx_module *module =
        parse_good(".file 1 \"a.cu\"\n.file 2 \"pr\\303\\266g\\9.cu\"\n.file 3 \"c\\\"\\\\.h\", "
                   "12, 34\n.entry k() {\n",
                   "exit;\n"
                   ".loc 1 30 3\nexit;\n"
                   ".loc 1 16 73, function_name $L__info_string0, inlined_at 1 30 3\n"
                   ".loc 3 15 7, function_name $L__info_string1+25, inlined_at 1 16 73\nexit;\n"
                   ".loc 3 1 1, function_name $L__info_string1, inlined_at 1 99 9\nexit;\n",
                   "}\n.entry m() { .loc 1 5 5, inlined_at 1 16 73\nexit; }\n"
                   ".section .debug_str { $L__info_string0: .b8 95,90 { .b64 .debug } }");
    const struct ptx_insn *insns = module->funcs[0].insns;
    ck_assert_uint_eq(module->file_count, 4);
    ck_assert_ptr_null(module->files[0]);
    ck_assert_str_eq(module->files[1], "a.cu");
    ck_assert_str_eq(module->files[2], "pr\303\266g\\9.cu"); /* octal bytes, as nvcc writes */
    ck_assert_str_eq(module->files[3], "c\"\\.h");
    ck_loc(insns[0].loc, 0, 0, 0);
    ck_loc(insns[1].loc, 1, 30, 3);
    ck_assert_ptr_null(insns[1].loc->inlined_at);
    ck_loc(insns[2].loc, 3, 15, 7);
    ck_loc(insns[2].loc->inlined_at, 1, 16, 73);
    ck_loc(insns[2].loc->inlined_at->inlined_at, 1, 30, 3);
    ck_assert_ptr_null(insns[2].loc->inlined_at->inlined_at->inlined_at);
    ck_loc(insns[3].loc->inlined_at, 1, 99, 9);
    ck_assert_ptr_null(insns[3].loc->inlined_at->inlined_at);
    /* another function does not inherit the chain of the first */
    ck_loc(module->funcs[1].insns[0].loc->inlined_at, 1, 16, 73);
    ck_assert_ptr_null(module->funcs[1].insns[0].loc->inlined_at->inlined_at);
    ptx_module_free(module);
}
END_TEST

START_TEST(recursive_inlining_ends)
{
    char text[16000] = "";
    for (int i = 0; i < 300; i++) {
        strcat(text, ".loc 1 5 5, function_name f, inlined_at 1 5 5\n");
    }
    strcat(text, "exit;");
    struct ptx_module *module = parse_good(".entry k() {", text, "}");
    unsigned links = 0;
    for (const struct ptx_loc *l = module->funcs[0].insns[0].loc; l != NULL; l = l->inlined_at) {
        links++;
    }
    ck_assert_uint_gt(links, 1);
    ck_assert_uint_le(links, 66);
    ptx_module_free(module);
}
END_TEST

START_TEST(the_head_is_kept)
{
    struct err e;
    static const char text[] = ".version 9.2\n.target sm_90a, debug\n.address_size 64\n\0\0";
    struct ptx_module *module = parse_bytes(text, sizeof text, &e); /* trailing NULs are allowed */
    ck_assert_ptr_nonnull(module);
    ck_assert_uint_eq(module->version_major, 9);
    ck_assert_uint_eq(module->version_minor, 2);
    ck_assert_uint_eq(module->target.arch, 90);
    ck_assert_int_eq(module->target.suffix, 'a');
    ck_assert_str_eq(module->name, "t.ptx");
    ptx_module_free(module);
}
END_TEST

/* Every prefix of a text that uses all of the language is rejected or read, never more. */
START_TEST(truncated_text_is_safe)
{
    char text[16000] = "";
    size_t rejected = 0;
    strcat(strcat(text, head), body_head);
    for (unsigned i = 0; i < ARRAY_LENGTH(bodies); i++) {
        strcat(strcat(strcat(text, "{\n"), bodies[i].text), "\n}\n");
    }
    strcat(text, "}\n");
    size_t length = strlen(text), whole = length - 1;
    for (size_t i = 0; i <= length; i++) {
        struct err e;
        struct ptx_module *module = parse_bytes(text, i, &e);
        ck_assert_msg(module == NULL || i >= whole || i <= strlen(head) + 30,
                      "the first %zu bytes are no module", i);
        rejected += module == NULL;
        ptx_module_free(module);
    }
    ck_assert_uint_gt(rejected, length - strlen(head) - 30);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("parse");
    tcase_set_timeout(tests, 30);
    tcase_add_loop_test(tests, bodies_mean_what_they_say, 0, ARRAY_LENGTH(bodies));
    tcase_add_test(tests, opcodes_come_from_the_table);
    tcase_add_test(tests, target_lists_and_prototypes_are_kept);
    tcase_add_test(tests, functions_keep_their_header);
    tcase_add_test(tests, lines_follow_inlining);
    tcase_add_test(tests, recursive_inlining_ends);
    tcase_add_test(tests, the_head_is_kept);
    tcase_add_test(tests, truncated_text_is_safe);
    return run_suite("parse", tests);
}
