/* test_products.c - matrix instructions on operands of ones: the sum is as large as k, wherever an
 * element lies; and what of shared memory a product reads. */
#include "machine_fixture.h"
#include "check/check.h"

#include <unistd.h>

/* ---- one warp -------------------------------------------------------------------------------- */

#define ONES(ones)                                                                                 \
    "mov.b32 %r10, " ones "; mov.b32 %r11, 0; .loc 1 21 0\n"                                       \
    "mma.sync.aligned."
#define A4 "{%r10,%r10,%r10,%r10}, "
#define A8 "{%r10,%r10,%r10,%r10,%r10,%r10,%r10,%r10}, "
#define A2 "{%r10,%r10}, "

static const struct {
    const char *body;
    uint32_t result; /* the first register of each lane */
} sums[] = {
    {ONES("0x3c003c00") "m16n8k16.row.col.f16.f16.f16.f16 {%r2,%r3}, " A4 A2 "{%r11,%r11};",
     0x4c004c00 /* 16.0, twice */},
    {ONES("0x3c003c00") "m16n8k8.row.col.f16.f16.f16.f16 {%r2,%r3}, " A2 "{%r10}, {%r11,%r11};",
     0x48004800 /* 8.0 */},
    {"mov.b32 %r10, 0x3c003c00; mov.b32 %r11, 0; "
     "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32 {%r2,%r3,%r4,%r5}, " A8 A8
     "{%r11,%r11,%r11,%r11,%r11,%r11,%r11,%r11};",
     0x4c004c00},
    /* B is infinite: such a product of sparse halves is computed element by element */
    {"mov.b32 %r10, 0x3c003c00; mov.b32 %r11, 0; mov.b32 %r12, 0x7c007c00; mov.b32 %r13, "
     "0x44444444;"
     "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r2,%r3}, " A2
     "{%r12,%r12}, {%r11,%r11}, %r13, 0;",
     0x7c007c00},
    /* accumulators that are loaded from shared memory: each lane has stored eight of them */
    {".shared .align 32 .b8 sums[1024]; mov.u64 %rd4, sums; mul.wide.u32 %rd5, %r1, 32; "
     "add.u64 %rd5, %rd4, %rd5; mov.b32 %r10, 7; "
     "st.shared.v4.b32 [%rd5], {%r10,%r10,%r10,%r10}; st.shared.v4.b32 [%rd5+16], "
     "{%r10,%r10,%r10,%r10}; "
     "bar.warp.sync 0xffffffff; wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 "
     "{%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}, [%rd4]; ",
     7},
    {ONES("0x01010101") "m16n8k32.row.col.s32.s8.s8.s32 {%r2,%r3,%r4,%r5}, " A4 A2
                        "{%r11,%r11,%r11,%r11};",
     32},
    {ONES("0x01010101") "m16n8k16.row.col.s32.s8.s8.s32 {%r2,%r3,%r4,%r5}, " A2 "{%r10}, "
                        "{%r11,%r11,%r11,%r11};",
     16},
    {ONES("0x11111111") "m16n8k64.row.col.s32.s4.s4.s32 {%r2,%r3,%r4,%r5}, " A4 A2
                        "{%r11,%r11,%r11,%r11};",
     64},
};

START_TEST(all_of_k_is_added)
{
    struct machine m = {.good = false};
    machine_run(&m, sums[_i].body);
    ck_assert_msg(m.good, "%s", m.e.text);
    for (unsigned i = 0; i < 32; i++) {
        ck_assert_msg(m.out[i] == sums[_i].result, "%s: lane %u: %08x", sums[_i].body, i, m.out[i]);
    }
}
END_TEST

/* ---- four warps ------------------------------------------------------------------------------ */

/* Shared memory of ones; A is 64 x 32 bytes and B 8 x 32, cores of 8 x 16 bytes in rows of two. A
 * thread stores at the beginning of A, perhaps without a fence behind it. */
#define OPERANDS                                                                                   \
    ".shared .align 128 .b8 a[2048]; .shared .align 128 .b8 b[256]; mov.b32 %r10, 0x01010101; "    \
    "mul.wide.u32 %rd3, %r1, 8; mov.u64 %rd4, a; mov.u64 %rd5, b; add.u64 %rd6, %rd4, %rd3; "      \
    "add.u64 %rd7, %rd5, %rd3; setp.lt.u32 %p1, %r1, 32; setp.eq.u32 %p2, %r1, 128; "              \
    "setp.ne.u32 %p3, %r1, %r1; @%p1 st.shared.v2.b32 [%rd7], {%r10,%r10}; "                       \
    "st.shared.v2.b32 [%rd6], {%r10,%r10}; fence.proxy.async.shared::cta; bar.sync 0; "            \
    ".loc 1 21 0\n@%p2 st.shared.b32 [%rd4], %r10; "
#define PRODUCT_ALONE                                                                              \
    "bar.sync 0; shr.u64 %rd4, %rd4, 4; shr.u64 %rd5, %rd5, 4; "                                   \
    "or.b64 %rd4, %rd4, 0x0000001000080000; or.b64 %rd5, %rd5, 0x0000001000080000; "               \
    "wgmma.fence.sync.aligned; .loc 1 22 0\n"                                                      \
    "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r2,%r3,%r4,%r5}, %rd4, %rd5, %p3; "         \
    "wgmma.commit_group.sync.aligned; "
#define WAIT    "wgmma.wait_group.sync.aligned 0; "
#define PRODUCT PRODUCT_ALONE WAIT

static char said[8192];

/* Two groups of four warps; the checks are asked for races. */
static unsigned findings_of(const char *body)
{
    const int old = dup(STDERR_FILENO);
    FILE *file = tmpfile();
    ck_assert(file != NULL && dup2(fileno(file), STDERR_FILENO) >= 0);
    struct check *check = check_open(CHECK_RACES);
    struct machine m = {.block = {256, 1, 1}, .observer = check_observer(check)};
    machine_run(&m, body);
    const unsigned found = (unsigned)check_findings(check);
    check_close(check);
    fflush(stderr);
    dup2(old, STDERR_FILENO);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    ck_assert_msg(m.good, "%s", m.e.text);
    for (unsigned i = 0; i < 256; i++) {
        ck_assert_msg(m.out[i] == 32, "thread %u: %u", i, m.out[i]);
    }
    return found;
}

START_TEST(a_group_of_warps_adds_all_of_k)
{
    ck_assert_msg(findings_of(OPERANDS "fence.proxy.async.shared::cta; " PRODUCT) == 0, "%s", said);
}
END_TEST

/* The first 16 rows of A are read by the first warp of each group. */
START_TEST(a_store_without_a_fence_is_not_seen_by_a_product)
{
    ck_assert_msg(findings_of(OPERANDS PRODUCT) == 1, "%s", said);
    ck_assert_msg(
        strstr(said, "written at case.cu:21 by thread (128,0,0) of block (0,0,0), read by wgmma at "
                     "case.cu:22") != NULL,
        "%s", said);
    ck_assert_msg(strstr(said, "[2 times]") != NULL, "%s", said);
}
END_TEST

START_TEST(a_sum_is_read_behind_the_wait)
{
    ck_assert_msg(findings_of(OPERANDS "fence.proxy.async.shared::cta; " PRODUCT_ALONE
                                       ".loc 1 23 0\nadd.u32 %r6, %r2, 0; " WAIT) == 1,
                  "%s", said);
    ck_assert_msg(strstr(said, "a register with a sum of wgmma.mma_async at case.cu:22: read at "
                               "case.cu:23") != NULL,
                  "%s", said);
    ck_assert_msg(strstr(said, "may still be computing it") != NULL, "%s", said);
}
END_TEST

/* ---- pairs ----------------------------------------------------------------------------------- */

START_TEST(a_load_of_two_words_fills_two_registers)
{
    struct machine m = {.good = false};
    machine_run(&m, "mul.wide.u32 %rd3, %r1, 8; add.u64 %rd3, %rd1, %rd3; mul.lo.u32 %r3, %r1, 3;"
                    "st.global.v2.u32 [%rd3+1024], {%r1, %r3};"
                    "ld.global.v2.u32 {%r4, %r5}, [%rd3+1024]; add.u32 %r2, %r4, %r5;");
    ck_assert_msg(m.good, "%s", m.e.text);
    for (unsigned i = 0; i < 32; i++) {
        ck_assert_uint_eq(m.out[i], 4 * i);
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("products");
    tcase_add_loop_test(tests, all_of_k_is_added, 0, sizeof sums / sizeof sums[0]);
    tcase_add_test(tests, a_group_of_warps_adds_all_of_k);
    tcase_add_test(tests, a_store_without_a_fence_is_not_seen_by_a_product);
    tcase_add_test(tests, a_sum_is_read_behind_the_wait);
    tcase_add_test(tests, a_load_of_two_words_fills_two_registers);
    return run_suite("products", tests);
}
