/* test_leader.c - which accesses follow an earlier one of their block, so that the machine does not
 * look at their 32 addresses (ir/leader.c). */
#include "decode_fixture.h"
#include "suite.h"

/* Before each body: %rd1 is a parameter, %rd2 and %rd3 differ from thread to thread. */
static const char prologue[] =
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd2, %r1, 4, %rd1;"
    "mul.wide.u32 %rd3, %r1, 8; mov.u32 %r2, %ctaid.x; cvt.u64.u32 %rd4, %r2; shl.b32 %r3, %r1, 2;";

/* Of each access to memory but parameters: 'L' it leads; 1 to 9: so many sites before it is its
 * leader, by a distance that stays the same in a launch; a to i: by one that does not */
static const struct {
    const char *what, *body, *leaders;
} cases[] = {
    {"one register, other offsets",
     "ld.global.u32 %r4, [%rd2]; ld.global.u32 %r5, [%rd2+4]; st.global.u32 [%rd2+8], %r5;", "L11"},
    {"a constant is added",
     "ld.global.u32 %r4, [%rd2]; add.s64 %rd5, %rd2, 64;"
     "ld.global.u32 %r5, [%rd5];",
     "L1"},
    {"a parameter is added",
     "ld.global.u32 %r4, [%rd2]; add.s64 %rd5, %rd1, %rd2;"
     "ld.global.u32 %r5, [%rd5];",
     "L1"},
    {"the block's number is taken away",
     "ld.global.u32 %r4, [%rd2]; sub.s64 %rd5, %rd2, %rd4;"
     "ld.global.u32 %r5, [%rd5]; ld.global.u32 %r6, [%rd5+4]; ld.global.u32 %r7, [%rd2+4];",
     "La1a"},
    {"the number of threads is added",
     "ld.global.u32 %r4, [%rd2]; mov.u32 %r6, %ntid.x; cvt.u64.u32 %rd6, %r6;"
     "add.s64 %rd5, %rd6, %rd2; ld.global.u32 %r5, [%rd5];",
     "L1"},
    {"it is taken from the block's number",
     "ld.global.u32 %r4, [%rd2]; sub.s64 %rd5, %rd4, %rd2;"
     "ld.global.u32 %r5, [%rd5];",
     "LL"},
    {"the register itself is moved on",
     "ld.global.u32 %r4, [%rd2]; add.s64 %rd2, %rd2, %rd1;"
     "ld.global.u32 %r5, [%rd2];",
     "L1"},
    {"a copy", "mov.u64 %rd5, %rd2; ld.global.u32 %r4, [%rd5]; ld.global.u32 %r5, [%rd2];", "L1"},
    {"other sizes", "ld.global.u8 %r4, [%rd2]; ld.global.u64 %rd6, [%rd2];", "L1"},
    {"shared memory, by 32 bits",
     ".shared .align 4 .b8 s[512]; ld.shared.u32 %r4, [%r3];"
     "add.s32 %r5, %r3, 128; st.shared.u32 [%r5+4], %r4;",
     "L1"},
    {"two accesses between",
     "ld.global.u32 %r4, [%rd2]; ld.global.u32 %r5, [%rd3];"
     "ld.global.u32 %r6, [%rd2+4];",
     "LL2"},

    {"another register", "ld.global.u32 %r4, [%rd2]; ld.global.u32 %r5, [%rd3];", "LL"},
    {"what differs between lanes is added",
     "ld.global.u32 %r4, [%rd2]; add.s64 %rd5, %rd2, %rd3;"
     "ld.global.u32 %r5, [%rd5];",
     "LL"},
    {"something loaded is added: it may be another value for each lane",
     "ld.global.u32 %r4, [%rd2]; ld.global.u64 %rd5, [%rd1]; add.s64 %rd5, %rd2, %rd5;"
     "ld.global.u32 %r5, [%rd5];",
     "LLL"},
    {"the register is written anew",
     "ld.global.u32 %r4, [%rd2]; mul.lo.s64 %rd2, %rd2, 2;"
     "ld.global.u32 %r5, [%rd2];",
     "LL"},
    {"loaded into its own address", "ld.global.u64 %rd2, [%rd2]; ld.global.u32 %r5, [%rd2];", "LL"},
    {"halves of the sum are cut off",
     "ld.shared.u32 %r4, [%r3]; add.u16 %h1, %h2, 4;"
     "cvt.u32.u16 %r3, %h1; ld.shared.u32 %r5, [%r3];",
     "LL"},
    {"the sum saturates",
     "ld.shared.u32 %r4, [%r3]; add.sat.s32 %r5, %r3, 4;"
     "ld.shared.u32 %r6, [%r5];",
     "LL"},
    {"an address that may wrap", "ld.shared.u32 %r4, [%r3]; ld.shared.u32 %r5, [%r3+1073741824];",
     "LL"},
    {"another block of the text",
     "ld.global.u32 %r4, [%rd2]; L: ld.global.u32 %r5, [%rd2];"
     "setp.lt.u32 %p1, %r5, 3; @%p1 bra L;",
     "LL"},
    {"under a guard",
     "setp.lt.u32 %p1, %r1, 3; ld.global.u32 %r4, [%rd2];"
     "@%p1 ld.global.u32 %r5, [%rd2];",
     "LL"},
    {"behind one under a guard",
     "setp.lt.u32 %p1, %r1, 3; @%p1 ld.global.u32 %r4, [%rd2];"
     "ld.global.u32 %r5, [%rd2];",
     "LL"},
    {"a sum under a guard",
     "setp.lt.u32 %p1, %r1, 3; ld.global.u32 %r4, [%rd2];"
     "@%p1 add.s64 %rd2, %rd2, 4; ld.global.u32 %r5, [%rd2];",
     "LL"},
    {"a barrier between: other warps use the same site",
     "ld.global.u32 %r4, [%rd2]; bar.sync 0; ld.global.u32 %r5, [%rd2];", "LL"},
    {"a warp's barrier", "ld.global.u32 %r4, [%rd2]; bar.warp.sync -1; ld.global.u32 %r5, [%rd2];",
     "LL"},
    {"a shuffle",
     "ld.global.u32 %r4, [%rd2]; shfl.sync.idx.b32 %r6, %r4, 0, 31, -1;"
     "ld.global.u32 %r5, [%rd2];",
     "LL"},
    {"an atomic",
     "ld.global.u32 %r4, [%rd2]; atom.global.add.u32 %r6, [%rd1], 1;"
     "ld.global.u32 %r5, [%rd2];",
     "LAL"},
    {"a volatile access", "ld.global.u32 %r4, [%rd2]; ld.volatile.global.u32 %r5, [%rd2];", "LL"},
};

static void leaders_of(const struct kernel *k, char *text)
{
    for (unsigned i = 0; i < k->code_count; i++) {
        const struct insn *in = &k->code[i];
        const struct ptx_insn *origin = k->origin[i];
        if (origin == NULL || k->handlers[i]->kind == KIND_ENTER || in->space == PTX_PARAM) {
            continue;
        }
        if (origin->op == PTX_OP_LD || origin->op == PTX_OP_ST) {
            const char one = in->flags & INSN_FIXED ? '1' : 'a';
            *text++ = in->leader == 0 ? 'L' : (char)(one + in->leader - 1);
        } else if (origin->op == PTX_OP_ATOM) {
            *text++ = 'A';
        }
    }
    *text = '\0';
}

START_TEST(accesses_follow)
{
    char body[2048], found[32];
    snprintf(body, sizeof body, "%s%s ret;", prologue, cases[_i].body);
    struct decoded d = decode_text("", ".param .u64 out", body);
    ck_assert_msg(d.k != NULL, "%s: %s", cases[_i].what, d.e.text);
    leaders_of(d.k, found);
    ck_assert_msg(strcmp(found, cases[_i].leaders) == 0, "%s: %s, not %s", cases[_i].what, found,
                  cases[_i].leaders);
    decoded_free(&d);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("leader");
    tcase_add_loop_test(tc, accesses_follow, 0, sizeof cases / sizeof cases[0]);
    return run_suite("leader", tc);
}
