/* test_decode_layout.c - from PTX to code: how large things may be and where they lie, what
 * constants become, where branches come together, what blocks count. */
#include "decode_fixture.h"

#include "common/simt/api/simt.h"
#include "common/simt/machine/observer.h"
#include "suite.h"

/* Sizes that are 0 or small again in 32 bits, alone, together, or times 32 lanes. */
static const struct {
    const char *head, *params, *body, *text;
} too_large[] = {
    {"", ".param .align 8 .b8 s[32768]", "ret;",
     "kernel k: parameters take 32768 bytes; at most 32764"},
    {"", ".param .align 8 .b8 s[4294967292], .param .u64 t", "ret;",
     "parameters take 4294967304 bytes"},
    {"", "", ".param .align 8 .b8 s[134217728]; ret;", "parameters of a call take 134217728 bytes"},
    {"", "", ".param .b8 s[576460752303423488]; ret;", "of a call take 576460752303423488 bytes"},
    {".func f(.param .align 8 .b8 s[134217728]) { ret; }", "", "mov.u64 %rd3, f; ret;",
     "function f: parameters take 134217728 bytes"},
    {".func (.param .align 8 .b8 s[134217728]) f() { ret; }", "", "mov.u64 %rd3, f; ret;",
     "function f: results take 134217728 bytes"},
    {"", "", ".local .b8 s[524289]; ret;",
     "kernel k: local variables take 524289 bytes; at most 524288"},
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
    struct decoded d =
        decode_text(".func f() { .local .b8 s[262144]; ret; }", ".param .align 4 .b8 s[32764]",
                    ".local .b8 t[262144]; call f; ret;");
    ck_assert_msg(d.k != NULL, "%s", d.e.text);
    ck_assert_uint_eq(d.k->param_bytes, 32764);
    ck_assert_uint_eq(d.k->local_bytes, 524288);
    decoded_free(&d);
}
END_TEST

/* --- layout ----------------------------------------------------------------------------------- */

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

/* --- constants -------------------------------------------------------------------------------- */

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
    {"add.u64 %rd3, %rd4, twice;", "add_u64", 16, true}, /* the address of the first function */
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

/* --- where lanes reconverge ------------------------------------------------------------------- */

/* Blocks are marked by "mov.u32 %r9, N;" at their head; points: for each conditional branch the
 * marks of the places where its lanes wait for each other, the last first; "-": nowhere. */
#define IF "setp.eq.u32 %p1, %r1, 3; @%p1 bra "
static const struct {
    const char *what, *body, *points;
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
    {"a continue around what the arms share: they reconverge there, and at the loop's end",
     "L: mov.u32 %r9, 4; " IF "A; add.u32 %r2, %r2, 1; bra J; A: " IF "J; add.u32 %r2, %r2, 2;"
     "bra E; J: mov.u32 %r9, 3; E: mov.u32 %r9, 2; " IF "L;"
     "mov.u32 %r9, 1; st.global.u32 [%rd1], %r9; ret;",
     "2,3 2 1"},
    {"the same where the shared part may break: they reconverge at the loop's end only",
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

START_TEST(branches_know_where_their_lanes_reconverge)
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
        ck_assert(d.k->handlers[in->offset]->kind == KIND_ENTER);
    }
    ck_assert_msg(strcmp(found, flows[_i].points) == 0, "%s: %s, not %s", flows[_i].what, found,
                  flows[_i].points);
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

/* By which calls an inlined instruction came into its kernel; those within a library are left out.
 */
static const struct {
    const char *locs, *callers;
} calls[] = {
    {"", ""},
    {".loc 2 7 0, function_name F, inlined_at 1 33 0\n", ""},
    {".loc 1 12 0, function_name F, inlined_at 1 33 0\n", " (called at case.cu:33)"},
    {".loc 1 12 0, function_name F, inlined_at 1 33 0\n"
     ".loc 1 5 0, function_name G, inlined_at 1 12 0\n",
     " (called at case.cu:12, case.cu:33)"},
    {".loc 1 12 0, function_name F, inlined_at 1 33 0\n"
     ".loc 2 5 0, function_name G, inlined_at 1 12 0\n",
     " (called at case.cu:33)"},
};

START_TEST(calls_lead_to_inlined_code)
{
    char body[300], text[64];
    snprintf(body, sizeof body, "%s mov.u32 %%r1, %%tid.x; st.shared.u32 [0], %%r1; ret;",
             calls[_i].locs);
    struct decoded d = decode_text(HEAD, "", body);
    ck_assert_ptr_nonnull(d.k);
    uint32_t pc = 0;
    while (d.k->origin[pc] == NULL || d.k->origin[pc]->op != PTX_OP_ST) {
        pc++;
    }
    observer_callers(d.k, pc, text, sizeof text);
    ck_assert_str_eq(text, calls[_i].callers);
    observer_callers(d.k, pc, text, 20); /* what does not fit is left out */
    ck_assert(text[0] == '\0' || text[strlen(text) - 1] == ')');
    decoded_free(&d);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("decode_layout");
    tcase_add_loop_test(tc, sizes_are_possible, 0, sizeof too_large / sizeof too_large[0]);
    tcase_add_test(tc, largest_sizes_are_possible);
    tcase_add_test(tc, memory_is_laid_out);
    tcase_add_loop_test(tc, functions_are_reached_through_calls, 0,
                        sizeof call_graphs / sizeof call_graphs[0]);
    tcase_add_test(tc, registers_take_room_when_they_are_used);
    tcase_add_loop_test(tc, constants_fill_all_lanes, 0, sizeof constants / sizeof constants[0]);
    tcase_add_test(tc, equal_constants_are_one);
    tcase_add_loop_test(tc, branches_know_where_their_lanes_reconverge, 0,
                        sizeof flows / sizeof flows[0]);
    tcase_add_loop_test(tc, calls_lead_to_inlined_code, 0, sizeof calls / sizeof calls[0]);
    tcase_add_test(tc, blocks_count_their_instructions);
    return run_suite("decode_layout", tc);
}
