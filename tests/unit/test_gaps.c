/* test_gaps.c - registers, local and shared memory to their last byte; and in the build with
 * AddressSanitizer, that it sees whoever goes on behind it (machine/gaps.h). */
#include "machine_fixture.h"
#include "machine/observer.h"
#include "machine/warp.h"

/* Each thread's last local bytes, and the block's last shared ones. */
static const char *const uses_all =
    ".shared .align 4 .b32 s[96]; .local .align 4 .b8 l[36]; mov.u64 %rd3, s; mov.u32 %r3, 4; "
    "mad.wide.u32 %rd3, %r1, %r3, %rd3; st.shared.u32 [%rd3], %r1; "
    "st.local.u32 [l+32], %r1; bar.sync 0; ld.local.u32 %r4, [l+32]; "
    "ld.shared.u32 %r5, [%rd3]; add.u32 %r2, %r4, %r5;";

static void run_threads(unsigned threads, const struct observer *observer)
{
    struct machine m = {.block = {threads, 1, 1}, .grid = {2, 1, 1}, .observer = observer};
    machine_run(&m, uses_all);
    ck_assert_msg(m.good, "%s", m.e.text);
    for (uint32_t t = 0; t < 2 * threads; t++) {
        ck_assert_uint_eq(m.out[t], 2 * (t % threads));
    }
}

START_TEST(what_is_a_block_s_may_be_used)
{
    run_threads(96, NULL);
    run_threads(33, NULL);
}
END_TEST

#if defined(__SANITIZE_ADDRESS__)
static uint8_t *behind_registers(const struct block *b)
{
    return b->warps[0].stack + b->stack_limit;
}
static uint8_t *behind_a_lane(const struct block *b)
{
    return warp_local(&b->warps[1], 7) + b->local_stride;
}
static uint8_t *behind_the_last_lane(const struct block *b)
{
    return warp_local(&b->warps[2], 31) + b->local_stride;
}
static uint8_t *behind_shared_memory(const struct block *b) { return b->shared + b->shared_bytes; }

static uint8_t *(*const places[])(const struct block *b) = {
    behind_registers, behind_a_lane, behind_the_last_lane, behind_shared_memory};

static void touch(void *state, struct block *b)
{
    volatile uint8_t *at = places[*(const int *)state](b);
    ck_assert_uint_le(at[-1], 0xff); /* which is the block's */
    *at = 1;
}

START_TEST(the_sanitizer_sees_who_goes_on)
{
    static int which;
    which = _i;
    const struct observer o = {.state = &which, .block_begin = touch};
    run_threads(96, &o);
}
END_TEST
#endif

int main(void)
{
    TCase *tests = tcase_create("gaps");
    tcase_add_test(tests, what_is_a_block_s_may_be_used);
#if defined(__SANITIZE_ADDRESS__)
    tcase_add_loop_exit_test(tests, the_sanitizer_sees_who_goes_on, 1, 0,
                             sizeof places / sizeof places[0]);
#endif
    return run_suite("gaps", tests);
}
