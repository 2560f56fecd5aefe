/* test_translate.c - the text that a kernel is translated to: where parts begin, what executes each
 * instruction, which registers are variables. What it does is tests/translate/run's. */
#include "decode_fixture.h"

#include "common/simt/translate/emit.h"
#include "common/simt/translate/temps.h"
#include "common/simt/translate/translate.h"
#include "suite.h"

static struct decoded kernel;
static char *text;

static void translate(const char *body)
{
    kernel = decode_text("", ".param .u64 p", body);
    ck_assert_msg(kernel.k != NULL, "%s", kernel.e.text);
    size_t length;
    FILE *f = open_memstream(&text, &length);
    emit_kernel(f, kernel.k);
    fclose(f);
}

static void end(void)
{
    free(text);
    decoded_free(&kernel);
}

static void says(const char *what, uint32_t pc, const char *behind)
{
    char line[100];
    snprintf(line, sizeof line, "    %s%u%s\n", what, pc, behind);
    ck_assert_msg(strstr(text, line) != NULL, "no line %s in %s", line, strstr(text, "PART("));
}

static uint32_t pc_of(const char *handler, unsigned n)
{
    const struct insn *in = decoded_insn(kernel.k, handler, n);
    ck_assert_msg(in != NULL, "no %s", handler);
    return (uint32_t)(in - kernel.k->code);
}

/* Is the first operand of the constants of that instruction a variable? */
static bool a_is_variable(uint32_t pc)
{
    const char *row = strstr(text, "text[]");
    for (uint32_t i = 0; i <= pc; i++) {
        row = strstr(row + 1, "{.a = ");
    }
    return strtoul(row + strlen("{.a = "), NULL, 10) % 4 == REF_TEMP;
}

START_TEST(parts_begin_at_blocks_and_behind_what_waits)
{
    translate("add.u32 %r1, %r1, 1; bar.sync 0; add.u32 %r2, %r2, 1; sub.u32 %r3, %r3, 1; ret;");
    ck_assert(emit_begins_part(kernel.k, 0));
    ck_assert(!emit_begins_part(kernel.k, pc_of("add_u32", 0)));
    ck_assert(emit_begins_part(kernel.k, pc_of("add_u32", 1)));
    ck_assert(!emit_begins_part(kernel.k, pc_of("sub_u32", 0)));
    end();
}
END_TEST

/* The interpreter's guard stands in front of the handler: code[pc].run is not a part's to take. */
START_TEST(no_part_begins_at_a_guard)
{
    translate("bar.sync 0; @%p1 add.f32 %r2, %r2, %r2; add.u32 %r3, %r3, 1; ret;");
    ck_assert(!emit_begins_part(kernel.k, pc_of("add_f32", 0)));
    says("GUARDED(", pc_of("add_f32", 0), ");");
    end();
}
END_TEST

/* The compiler's time grows with the square of a part's length. A piece ends where no guard stands.
 */
START_TEST(a_long_block_is_several_parts)
{
    char body[20000] = "";
    for (unsigned i = 0; i < 300; i++) {
        strcat(body, i == 127 ? "@%p1 add.u32 %r1, %r1, 1;" : "add.u32 %r1, %r1, 1;");
    }
    strcat(body, "ret;");
    translate(body);
    const uint32_t first = pc_of("add_u32", 0) - 1;
    ck_assert(emit_begins_part(kernel.k, first));
    ck_assert_int_eq(kernel.k->code[first + 128].guard != NO_REF, true);
    ck_assert(!emit_begins_part(kernel.k, first + 128));
    ck_assert(!emit_begins_part(kernel.k, first + 255));
    ck_assert(emit_begins_part(kernel.k, first + 256));
    says("GO(", first + 256, ");");
    end();
}
END_TEST

/* Behind the end of a body, when its variables are gone: then it is a jump, and takes no stack. */
START_TEST(a_part_goes_on_in_those_that_it_leads_to)
{
    translate("again: add.u32 %r1, %r1, %r2; setp.lt.u32 %p1, %r1, %r3; @%p1 bra out; "
              "add.u32 %r1, %r1, 1; bra again; out: ret;");
    const int64_t head = decoded_insn(kernel.k, "bra", 0)->target;
    says("TO(", (uint32_t)head, ")");
    says("TO(", (uint32_t)decoded_insn(kernel.k, "bra_if", 0)->target, ")");
    end();
}
END_TEST

/* A long kernel is compiled once it has run for about as long as the compiler takes. */
START_TEST(long_code_is_compiled_later)
{
    ck_assert_uint_eq(translate_after(1), 75000000);
    ck_assert_uint_eq(translate_after(1000), 75000000);
    ck_assert_uint_eq(translate_after(1001), 3003000000);
    ck_assert_uint_eq(translate_after(4000), 12000000000);
    ck_assert_uint_eq(translate_after(4001), UINT64_MAX);
}
END_TEST

/* To look for what an earlier run has compiled takes as long as 20,000 warp instructions and 400
 * for each instruction of the code: a twelfth at most of what the kernel has taken until then. */
START_TEST(a_look_is_cheap)
{
    for (uint32_t count = 1; count <= 4000; count *= 3) {
        const uint64_t looks = translate_looks_after(count);
        ck_assert_uint_ge(looks, 12 * (20000 + 400 * count));
        ck_assert_uint_le(looks, translate_after(count) / 6);
    }
}
END_TEST

/* Else no later run would find what an earlier one has compiled. */
START_TEST(the_text_is_the_same_in_each_run)
{
    const char *body = "tex.1d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd1, {%r4}]; ret;";
    translate(body);
    struct decoded other = kernel;
    char *before = text;
    translate(body);
    ck_assert_str_eq(before, text);
    free(before);
    end();
    decoded_free(&other);
}
END_TEST

START_TEST(each_instruction_has_its_way)
{
    translate(
        "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ld.volatile.global.u32 %r2, [%rd1];"
        "st.shared.u32 [%r1], %r2; fma.rn.f32 %r3, %r1, %r2, %r1; vote.sync.ballot.b32 %r4, "
        "%p1, -1; ret;");
    says("ENTER(", 0, ");");
    says("LD_PARAM(", pc_of("ld_param", 0), ");");
    says("LD_GLOBAL(", pc_of("ld_global", 0), ");");
    says("HANDLED(", pc_of("ld_strong_global", 0), "); /* ld_strong_global */");
    says("ST_SHARED(", pc_of("st_shared", 0), ");");
    says("WORK(fma_f32, ", pc_of("fma_f32", 0), ");");
    end();
}
END_TEST

START_TEST(a_loop_of_one_block_stays_in_its_part)
{
    translate("again: add.u32 %r1, %r1, %r2; setp.lt.u32 %p1, %r1, %r3; @%p1 bra again; ret;");
    says("JUMP_IF(", pc_of("bra_if", 0), ", goto again);");
    end();
    translate("again: add.u32 %r1, %r1, %r2; setp.lt.u32 %p1, %r1, %r3; @%p1 bra out; "
              "add.u32 %r1, %r1, 1; bra again; out: ret;");
    char to_head[30];
    const int64_t head = decoded_insn(kernel.k, "bra", 0)->target;
    snprintf(to_head, sizeof to_head, ", GO(%u));", (unsigned)head);
    says("JUMP(", pc_of("bra", 0), to_head);
    end();
}
END_TEST

/* Written, then read, all in one part, by what is expanded there. */
START_TEST(a_register_of_one_part_is_a_variable)
{
    translate("add.u32 %r1, %r9, 1; sub.u32 %r2, %r1, 5; st.global.u32 [%rd1], %r2; ret;");
    ck_assert(a_is_variable(pc_of("sub_u32", 0)));
    ck_assert(!a_is_variable(pc_of("add_u32", 0))); /* nobody writes %r9 */
    end();
}
END_TEST

static const char *const in_the_frame[] = {
    /* read in another part: */
    "add.u32 %r1, %r9, 1; bra on; on: sub.u32 %r2, %r1, 5; ret;",
    /* the interpreter may go on between the two: */
    "add.u32 %r1, %r9, 1; vote.sync.ballot.b32 %r4, %p1, -1; sub.u32 %r2, %r1, 5; ret;",
    /* read before it is written, in the next round: */
    "again: sub.u32 %r2, %r1, 5; add.u32 %r1, %r9, 1; setp.lt.u32 %p1, %r1, %r2; @%p1 bra again; "
    "ret;",
    /* it keeps what it was where the guard is false: */
    "@%p1 add.u32 %r1, %r9, 1; sub.u32 %r2, %r1, 5; ret;",
    /* one of a vector: */
    "ld.global.v2.u32 {%r1, %r3}, [%rd1]; sub.u32 %r2, %r1, %r3; ret;",
    /* narrower than its register: */
    "ld.global.u8 %r1, [%rd1]; sub.u32 %r2, %r1, 5; ret;",
    /* what it is added to is itself: */
    "add.u32 %r1, %r1, 1; sub.u32 %r2, %r1, 5; ret;"};

START_TEST(other_registers_stay_where_the_interpreter_looks)
{
    translate(in_the_frame[_i]);
    ck_assert_msg(!a_is_variable(pc_of("sub_u32", 0)), "%s", in_the_frame[_i]);
    end();
}
END_TEST

/* The sum becomes %x0 - %x1 * %x2 (ptxas/contract.c): it reads what the text gives to the
 * product. */
START_TEST(a_factor_of_a_joined_product_stays_where_the_interpreter_looks)
{
    translate(".reg .f32 %x<6>; add.f32 %x1, %x5, 0f3F800000; mul.f32 %x3, %x1, %x2; "
              "sub.f32 %x4, %x0, %x3; st.global.f32 [%rd1], %x4; ret;");
    ck_assert(!a_is_variable(pc_of("fnmadd_f32", 0)));
    ck_assert(!a_is_variable(pc_of("mul_f32", 0)));
    end();
}
END_TEST

/* A compiler takes some 10 ms for each instruction, for which no launch waits. */
START_TEST(a_long_kernel_is_interpreted)
{
    const struct kernel longest = {.code_count = 4001}, k = {.code_count = 1001};
    ck_assert_ptr_null(translation_new(&longest, TRANSLATE_HOT));
    ck_assert_ptr_null(translation_new(&k, TRANSLATE_ALWAYS));
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("translate");
    tcase_add_test(tests, parts_begin_at_blocks_and_behind_what_waits);
    tcase_add_test(tests, no_part_begins_at_a_guard);
    tcase_add_test(tests, a_long_block_is_several_parts);
    tcase_add_test(tests, a_part_goes_on_in_those_that_it_leads_to);
    tcase_add_test(tests, the_text_is_the_same_in_each_run);
    tcase_add_test(tests, each_instruction_has_its_way);
    tcase_add_test(tests, a_loop_of_one_block_stays_in_its_part);
    tcase_add_test(tests, a_register_of_one_part_is_a_variable);
    tcase_add_loop_test(tests, other_registers_stay_where_the_interpreter_looks, 0,
                        (int)ARRAY_LENGTH(in_the_frame));
    tcase_add_test(tests, a_factor_of_a_joined_product_stays_where_the_interpreter_looks);
    tcase_add_test(tests, a_long_kernel_is_interpreted);
    tcase_add_test(tests, long_code_is_compiled_later);
    tcase_add_test(tests, a_look_is_cheap);
    return run_suite("translate", tests);
}
