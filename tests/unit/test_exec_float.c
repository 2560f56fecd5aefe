/* test_exec_float.c - floats, halves and conversions: rounding modes, NaNs and their payloads,
 * subnormals, saturation, ties. Results are worked out by hand from IEEE 754 and the PTX manual;
 * a comment says where H200 hardware decides what the manual leaves open. */
#include "value_fixture.h"

#include "decode/kernel.h"
#include "exec/exec_nearest.h"

#define ONE     0x3f800000
#define NAN32   0x7fffffff /* every float NaN that arithmetic makes */
#define TINY    0x00000001 /* the smallest subnormal */
#define QUIET64 0x7ff8000000000000

static const struct value_case rounding[] = {
    /* 1 + 2^-24 lies in the middle between 1 and the next float */
    {"add.rn.f32 %r6, %r3, %r4;", ONE, 0x33800000, 0, ONE},
    {"add.rz.f32 %r6, %r3, %r4;", ONE, 0x33800000, 0, ONE},
    {"add.rm.f32 %r6, %r3, %r4;", ONE, 0x33800000, 0, ONE},
    {"add.rp.f32 %r6, %r3, %r4;", ONE, 0x33800000, 0, ONE + 1},
    {"add.rn.f32 %r6, %r3, %r4;", ONE + 1, 0x33800000, 0, ONE + 2},
    {"sub.rz.f32 %r6, %r3, %r4;", 0xbf800000, 0x33800000, 0, 0xbf800000},
    {"sub.rm.f32 %r6, %r3, %r4;", 0xbf800000, 0x33800000, 0, 0xbf800001},
    {"sub.rp.f32 %r6, %r3, %r4;", 0xbf800000, 0x33800000, 0, 0xbf800000},
    {"mul.rz.f32 %r6, %r3, %r4;", 0x7f7fffff, 0x40000000, 0, 0x7f7fffff}, /* no infinity inwards */
    {"mul.rp.f32 %r6, %r3, %r4;", 0xff7fffff, 0x40000000, 0, 0xff7fffff},
    {"mul.rm.f32 %r6, %r3, %r4;", 0xff7fffff, 0x40000000, 0, 0xff800000},
    {"sub.rm.f32 %r6, %r3, %r4;", ONE, ONE, 0, 0x80000000}, /* x - x is -0 when rounding down */
    {"div.rn.f32 %r6, %r3, %r4;", ONE, 0x40400000, 0, 0x3eaaaaab},
    {"div.rz.f32 %r6, %r3, %r4;", ONE, 0x40400000, 0, 0x3eaaaaaa},
    {"div.rp.f32 %r6, %r3, %r4;", 0xbf800000, 0x40400000, 0, 0xbeaaaaaa},
    {"div.rm.f32 %r6, %r3, %r4;", 0xbf800000, 0x40400000, 0, 0xbeaaaaab},
    {"sqrt.rn.f32 %r6, %r3;", 0x40000000, 0, 0, 0x3fb504f3},
    {"sqrt.rp.f32 %r6, %r3;", 0x40000000, 0, 0, 0x3fb504f4},
    {"sqrt.rn.f32 %r6, %r3;", 0x80000000, 0, 0, 0x80000000},
    {"rcp.rn.f32 %r6, %r3;", 0x80000000, 0, 0, 0xff800000},
    /* (1 + e)^2 - (1 + 2 e) = e^2: one rounding, where two would give 0 */
    {"fma.rn.f32 %r6, %r3, %r4, %r5;", ONE + 1, ONE + 1, 0xbf800002, 0x28800000},
    {"mad.rn.f32 %r6, %r3, %r4, %r5;", ONE + 1, ONE + 1, 0xbf800002, 0x28800000},
    {"fma.rp.f32 %r6, %r3, %r4, %r5;", TINY, TINY, ONE, ONE + 1},
    {"add.rp.f64 %rd6, %rd3, %rd4;", 0x3ff0000000000000, 1, 0, 0x3ff0000000000001},
    {"add.rn.f64 %rd6, %rd3, %rd4;", 0x3ff0000000000000, 1, 0, 0x3ff0000000000000},
    {"div.rm.f64 %rd6, %rd3, %rd4;", 0x3ff0000000000000, 0x4008000000000000, 0, 0x3fd5555555555555},
    {"div.rp.f64 %rd6, %rd3, %rd4;", 0x3ff0000000000000, 0x4008000000000000, 0, 0x3fd5555555555556},
    /* the mode is left behind: the next instruction rounds to nearest again */
    {"{ add.rp.f32 %r7, %r3, %r4; add.f32 %r6, %r3, %r4; }", ONE, 0x33800000, 0, ONE},
};

static const struct value_case modifiers[] = {
    {"add.f32 %r6, %r3, %r4;", TINY, 0, 0, TINY},
    {"add.ftz.f32 %r6, %r3, %r4;", TINY, 0, 0, 0},
    {"add.ftz.f32 %r6, %r3, %r4;", 0x80000001, 0x80000000, 0, 0x80000000},
    {"mul.f32 %r6, %r3, %r4;", 0x00800000, 0x3f000000, 0, 0x00400000},
    {"mul.ftz.f32 %r6, %r3, %r4;", 0x00800000, 0xbf000000, 0, 0x80000000}, /* the result, too */
    {"fma.rn.ftz.f32 %r6, %r3, %r4, %r5;", ONE, ONE, 0x007fffff, ONE},
    {"cvt.rpi.ftz.s32.f32 %r6, %r3;", TINY, 0, 0, 0},
    {"cvt.rzi.sat.s32.f32 %r6, %r3;", 0x7f800000, 0, 0, 0x7fffffff}, /* as without .sat */
    {"{ .reg .b16 h; cvt.u16.u32 h, %r3; cvt.rzi.sat.s32.f16 %r6, h; }", 0x4500, 0, 0, 5},
    {"cvt.sat.ftz.f32.f32 %r6, %r3;", TINY, 0, 0, 0},
    {"cvt.sat.f32.f32 %r6, %r3;", TINY, 0, 0, TINY},
    {"cvt.rpi.s32.f32 %r6, %r3;", TINY, 0, 0, 1},
    {"neg.ftz.f32 %r6, %r3;", TINY, 0, 0, 0x80000000},
    {"add.sat.f32 %r6, %r3, %r4;", ONE, ONE, 0, ONE},
    {"add.sat.f32 %r6, %r3, %r4;", 0xbf800000, 0, 0, 0},
    {"add.sat.f32 %r6, %r3, %r4;", 0x7fc00000, 0, 0, 0}, /* a NaN becomes +0 */
    {"mul.sat.f32 %r6, %r3, %r4;", 0x80000000, ONE, 0, 0},
    {"fma.rn.sat.f32 %r6, %r3, %r4, %r5;", 0x3f000000, 0x3f000000, 0x3f000000, 0x3f400000},
};

static const struct value_case not_numbers[] = {
    {"add.f32 %r6, %r3, %r4;", 0x7fc12345, ONE, 0, NAN32},
    {"sub.f32 %r6, %r3, %r4;", 0x7f800000, 0x7f800000, 0, NAN32},
    {"mul.f32 %r6, %r3, %r4;", 0x7f800000, 0, 0, NAN32},
    {"div.rn.f32 %r6, %r3, %r4;", 0, 0x80000000, 0, NAN32},
    {"div.rn.f32 %r6, %r3, %r4;", ONE, 0x80000000, 0, 0xff800000},
    {"sqrt.rn.f32 %r6, %r3;", 0xbf800000, 0, 0, NAN32},
    {"neg.f32 %r6, %r3;", 0x7fc12345, 0, 0, NAN32},
    {"abs.f32 %r6, %r3;", 0xffc12345, 0, 0, NAN32},
    {"copysign.f32 %r6, %r3, %r4;", 0x80000000, 0x7fc12345, 0, 0xffc12345}, /* bits, not values */
    {"mov.f32 %r6, %r3;", 0x7f812345, 0, 0, 0x7f812345},
    {"min.f32 %r6, %r3, %r4;", 0x7fc00000, ONE, 0, ONE}, /* a NaN loses to a number */
    {"max.f32 %r6, %r3, %r4;", ONE, 0x7f812345, 0, ONE},
    {"min.f32 %r6, %r3, %r4;", 0xffc00000, 0x7fc00001, 0, NAN32},
    {"min.NaN.f32 %r6, %r3, %r4;", 0x7fc00000, ONE, 0, NAN32},
    {"max.NaN.f32 %r6, %r3, %r4;", ONE, 0x40000000, 0, 0x40000000},
    {"min.f32 %r6, %r3, %r4;", 0, 0x80000000, 0, 0x80000000}, /* -0 is below +0 */
    {"max.f32 %r6, %r3, %r4;", 0x80000000, 0, 0, 0},
    {"min.f64 %rd6, %rd3, %rd4;", QUIET64, 0x3ff0000000000000, 0, 0x3ff0000000000000},
    {"max.f64 %rd6, %rd3, %rd4;", 0x8000000000000000, 0, 0, 0},
    /* a double keeps a payload, made quiet: b's before a's, as H200 hardware has it */
    {"add.f64 %rd6, %rd3, %rd4;", 0x7ff0000000001234, 0x3ff0000000000000, 0, 0x7ff8000000001234},
    {"add.f64 %rd6, %rd3, %rd4;", 0x7ff8000000001111, 0xfff8000000002222, 0, 0xfff8000000002222},
    {"{ .reg .pred p, q; setp.ne.f32 p, %r3, %r4; setp.neu.f32 q, %r3, %r4;"
     "selp.b32 %r6, 1, 0, p; @q add.u32 %r6, %r6, 2; }",
     0x7fc00000, 0x7fc00000, 0, 2}, /* ordered comparisons fail, unordered ones hold */
    {"{ .reg .pred p, q; setp.ge.f32 p, %r3, %r4; setp.geu.f32 q, %r3, %r4;"
     "selp.b32 %r6, 1, 0, p; @q add.u32 %r6, %r6, 2; }",
     ONE, 0x7fc00000, 0, 2},
    {"{ .reg .pred p, q; setp.num.f64 p, %rd3, %rd4; setp.nan.f64 q, %rd3, %rd4;"
     "selp.b32 %r6, 1, 0, p; @q add.u32 %r6, %r6, 2; }",
     0, 0x8000000000000000, 0, 1},
    {"{ .reg .pred p, q; setp.eq.f32 p, %r3, %r4; setp.eq.ftz.f32 q, %r3, %r4;"
     "selp.b32 %r6, 1, 0, p; @q add.u32 %r6, %r6, 2; }",
     0, TINY, 0, 2},
    {"{ .reg .pred p, q; testp.subnormal.f32 p, %r3; testp.normal.f32 q, %r3;"
     "selp.b32 %r6, 1, 0, p; @q add.u32 %r6, %r6, 2; }",
     0x007fffff, 0, 0, 1},
    {"{ .reg .pred p, q; testp.subnormal.f64 p, %rd3; testp.subnormal.f64 q, %rd4;"
     "selp.b32 %r6, 1, 0, p; @q add.u32 %r6, %r6, 2; }",
     0x000fffffffffffff, 0, 0, 1},
    {"{ .reg .pred p, q; testp.number.f64 p, %rd3; testp.finite.f64 q, %rd3;"
     "selp.b32 %r6, 1, 0, p; @q add.u32 %r6, %r6, 2; }",
     0x7ff0000000000000, 0, 0, 1},
};

/* Approximations: the values that are exact. */
static const struct value_case functions[] = {
    {"ex2.approx.f32 %r6, %r3;", 0xff800000, 0, 0, 0},
    {"ex2.approx.f32 %r6, %r3;", 0x40400000, 0, 0, 0x41000000},
    {"lg2.approx.f32 %r6, %r3;", 0x80000000, 0, 0, 0xff800000},
    {"lg2.approx.f32 %r6, %r3;", 0xbf800000, 0, 0, NAN32},
    {"lg2.approx.ftz.f32 %r6, %r3;", TINY, 0, 0, 0xff800000},
    {"sin.approx.f32 %r6, %r3;", 0x80000000, 0, 0, 0x80000000},
    {"cos.approx.f32 %r6, %r3;", 0x7f800000, 0, 0, NAN32},
    {"rsqrt.approx.f32 %r6, %r3;", 0x40800000, 0, 0, 0x3f000000},
    {"rsqrt.approx.f32 %r6, %r3;", 0xbf800000, 0, 0, NAN32},
    {"rcp.approx.ftz.f32 %r6, %r3;", TINY, 0, 0, 0x7f800000},
    {"tanh.approx.f32 %r6, %r3;", 0xff800000, 0, 0, 0xbf800000},
    {"sqrt.approx.f32 %r6, %r3;", 0x40800000, 0, 0, 0x40000000},
    {"div.full.f32 %r6, %r3, %r4;", 0x40c00000, 0x40000000, 0, 0x40400000},
};

static const struct value_case halves[] = {
    {"add.f16 %h6, %h3, %h4;", 0x7bff, 0x7bff, 0, 0x7c00},
    {"add.f16 %h6, %h3, %h4;", 0x3c00, 0x1000, 0, 0x3c00}, /* 1 + 2^-11: a tie, to even */
    {"add.f16 %h6, %h3, %h4;", 0x3c01, 0x1000, 0, 0x3c02},
    {"sub.f16 %h6, %h3, %h4;", 0x7c00, 0x7c00, 0, 0x7fff},
    {"mul.f16 %h6, %h3, %h4;", 0x0001, 0x3800, 0, 0},      /* half the smallest: a tie, to 0 */
    {"mul.f16 %h6, %h3, %h4;", 0x0003, 0x3800, 0, 0x0002}, /* 1.5 of them: a tie, to 2 */
    {"mul.ftz.f16 %h6, %h3, %h4;", 0x8003, 0x3c00, 0, 0x8000},
    {"add.sat.f16 %h6, %h3, %h4;", 0x4000, 0, 0, 0x3c00},
    {"add.sat.f16 %h6, %h3, %h4;", 0x7e00, 0, 0, 0},
    {"fma.rn.f16 %h6, %h3, %h4, %h5;", 0x3c01, 0x3c01, 0xbc02, 0x0010}, /* 2^-20, a subnormal */
    {"fma.rn.relu.f16 %h6, %h3, %h4, %h5;", 0x3c00, 0xbc00, 0, 0},
    {"fma.rn.relu.f16 %h6, %h3, %h4, %h5;", 0x7e00, 0xbc00, 0, 0x7fff},
    {"min.f16 %h6, %h3, %h4;", 0x7e00, 0x3c00, 0, 0x3c00},
    {"max.NaN.f16 %h6, %h3, %h4;", 0x7e00, 0x3c00, 0, 0x7fff},
    {"min.f16 %h6, %h3, %h4;", 0, 0x8000, 0, 0x8000},
    {"add.f16x2 %r6, %r3, %r4;", 0x3c007bff, 0x3c007bff, 0, 0x40007c00},
    {"neg.f16x2 %r6, %r3;", 0x00003c00, 0, 0, 0x8000bc00},
    {"add.bf16 %h6, %h3, %h4;", 0x3f80, 0x3b80, 0, 0x3f80}, /* 1 + 2^-8: a tie, to even */
    {"add.bf16 %h6, %h3, %h4;", 0x3f81, 0x3b80, 0, 0x3f82},
    {"mul.bf16 %h6, %h3, %h4;", 0x7f7f, 0x4000, 0, 0x7f80},
    {"add.bf16 %h6, %h3, %h4;", 0x7fc1, 0, 0, 0x7fff},
    /* 1.5 (1 + 2^-7) is a tie of bf16; 2^-100, too small for a double to hold beside it, decides */
    {"fma.rn.bf16 %h6, %h3, %h4, %h5;", 0x3f81, 0x3fc0, 0x0d80, 0x3fc2},
    {"fma.rn.bf16 %h6, %h3, %h4, %h5;", 0x3f81, 0x3fc0, 0, 0x3fc2},
    {"fma.rn.bf16 %h6, %h3, %h4, %h5;", 0x3f81, 0x3fc0, 0x8d80, 0x3fc1},
    {"fma.rn.bf16 %h6, %h3, %h4, %h5;", 0xbf81, 0x3fc0, 0x0d80, 0xbfc1},
    {"fma.rn.bf16 %h6, %h3, %h4, %h5;", 0x3f83, 0x3fc0, 0x0d80, 0x3fc5}, /* tie, even is below */
    {"fma.rn.bf16x2 %r6, %r3, %r4, %r5;", 0x3f813f81, 0x3fc03fc0, 0x8d800d80, 0x3fc13fc2},
    {"fma.rn.bf16 %h6, %h3, %h4, %h5;", 0x7f80, 0x3f80, 0xff80, 0x7fff},
};

static const struct value_case to_integers[] = {
    {"cvt.rni.s32.f32 %r6, %r3;", 0x40200000, 0, 0, 2}, /* 2.5: to even */
    {"cvt.rni.s32.f32 %r6, %r3;", 0x40600000, 0, 0, 4}, /* 3.5 */
    {"cvt.rzi.s32.f32 %r6, %r3;", 0xc0200000, 0, 0, 0xfffffffe},
    {"cvt.rmi.s32.f32 %r6, %r3;", 0xc0200000, 0, 0, 0xfffffffd},
    {"cvt.rpi.s32.f32 %r6, %r3;", 0xc0200000, 0, 0, 0xfffffffe},
    {"cvt.rzi.s32.f32 %r6, %r3;", 0x4f000000, 0, 0, 0x7fffffff}, /* 2^31 */
    {"cvt.rzi.s32.f32 %r6, %r3;", 0xcf000000, 0, 0, 0x80000000}, /* -2^31 fits */
    {"cvt.rzi.s32.f32 %r6, %r3;", 0xff800000, 0, 0, 0x80000000},
    {"cvt.rzi.s32.f32 %r6, %r3;", 0x7fc00000, 0, 0, 0},
    {"cvt.rzi.u32.f32 %r6, %r3;", 0xbf800000, 0, 0, 0},
    {"cvt.rzi.u32.f32 %r6, %r3;", 0x4f800000, 0, 0, 0xffffffff},
    {"cvt.rpi.u32.f32 %r6, %r3;", TINY, 0, 0, 1},
    {"cvt.rpi.ftz.u32.f32 %r6, %r3;", TINY, 0, 0, 0},
    {"cvt.rzi.u8.f32 %r6, %r3;", 0x43960000, 0, 0, 255},        /* 300 */
    {"cvt.rzi.s8.f32 %r6, %r3;", 0xc3480000, 0, 0, 0xffffff80}, /* -200, extended */
    {"cvt.rzi.s64.f64 %rd6, %rd3;", 0xc3e0000000000000, 0, 0, 1ull << 63},
    {"cvt.rzi.u64.f32 %rd6, %r3;", 0x5f800000, 0, 0, ~0ull}, /* 2^64 */
    /* NaNs of or to 64 bits: the sign bit, as H200 hardware has it */
    {"cvt.rzi.s64.f32 %rd6, %r3;", 0x7fc00000, 0, 0, 1ull << 63},
    {"cvt.rzi.s32.f64 %r6, %rd3;", QUIET64, 0, 0, 0x80000000},
    {"cvt.u8.u32 %r6, %r3;", 0x1ff, 0, 0, 0xff},
    {"cvt.s8.u32 %r6, %r3;", 0x180, 0, 0, 0xffffff80},
    {"cvt.s8.u32 %h6, %r3;", 0x180, 0, 0, 0xff80}, /* a 16-bit register has no more bits */
    {"cvt.s64.s8 %rd6, %r3;", 0x80, 0, 0, 0xffffffffffffff80},
    {"cvt.u64.s32 %rd6, %r3;", 0xffffffff, 0, 0, ~0ull}, /* the source's sign counts */
    {"cvt.s64.u32 %rd6, %r3;", 0xffffffff, 0, 0, 0xffffffff},
    {"cvt.u32.u64 %r6, %rd3;", 0x1234567890, 0, 0, 0x34567890},
    {"cvt.sat.u8.s32 %r6, %r3;", 0xfffffffb, 0, 0, 0},
    {"cvt.sat.u8.s32 %r6, %r3;", 300, 0, 0, 255},
    {"cvt.sat.s8.s32 %r6, %r3;", 0xffffff00, 0, 0, 0xffffff80},
    {"cvt.sat.s32.u32 %r6, %r3;", 0xffffffff, 0, 0, 0x7fffffff},
    {"cvt.sat.u64.s64 %rd6, %rd3;", ~0ull, 0, 0, 0},
    {"cvt.sat.s32.s64 %r6, %rd3;", 0xffffff0000000000, 0, 0, 0x80000000},
    {"cvt.rni.s32.f16 %r6, %h3;", 0x7c00, 0, 0, 0x7fffffff},
    {"cvt.rni.u16.f16 %h6, %h3;", 0xbc00, 0, 0, 0},
};

static const struct value_case to_floats[] = {
    {"cvt.rn.f32.u32 %r6, %r3;", 0xffffffff, 0, 0, 0x4f800000},
    {"cvt.rz.f32.u32 %r6, %r3;", 0xffffffff, 0, 0, 0x4f7fffff},
    {"cvt.rn.f32.s32 %r6, %r3;", 0x80000000, 0, 0, 0xcf000000},
    {"cvt.rp.f32.s32 %r6, %r3;", 0x01000001, 0, 0, 0x4b800001}, /* 2^24 + 1 */
    {"cvt.rn.f32.s32 %r6, %r3;", 0x01000001, 0, 0, 0x4b800000},
    {"cvt.rm.f32.s64 %r6, %rd3;", 0xfffffffffeffffff, 0, 0, 0xcb800001},
    {"cvt.rn.f64.u64 %rd6, %rd3;", ~0ull, 0, 0, 0x43f0000000000000},
    {"cvt.rz.f64.u64 %rd6, %rd3;", ~0ull, 0, 0, 0x43efffffffffffff},
    {"cvt.rn.f32.f64 %r6, %rd3;", 0x3ff0000010000000, 0, 0, ONE}, /* 1 + 2^-24 */
    {"cvt.rp.f32.f64 %r6, %rd3;", 0x3ff0000010000000, 0, 0, ONE + 1},
    {"cvt.rm.f32.f64 %r6, %rd3;", 0xbff0000010000000, 0, 0, 0xbf800001},
    {"cvt.rn.f32.f64 %r6, %rd3;", 0x47f0000000000000, 0, 0, 0x7f800000}, /* 2^128 */
    {"cvt.rn.ftz.f32.f64 %r6, %rd3;", 0xb800000000000000, 0, 0, 0x80000000},
    {"cvt.sat.f32.f32 %r6, %r3;", 0x7fc00000, 0, 0, 0},
    {"cvt.rni.f32.f32 %r6, %r3;", 0xbf000000, 0, 0, 0x80000000}, /* -0.5 becomes -0 */
    {"cvt.rpi.f64.f64 %rd6, %rd3;", 0x3ff0000000000001, 0, 0, 0x4000000000000000},
    {"cvt.f64.f32 %rd6, %r3;", TINY, 0, 0, 0x36a0000000000000},
    {"cvt.ftz.f64.f32 %rd6, %r3;", TINY, 0, 0, 0},
    {"cvt.rn.f16.f32 %h6, %r3;", 0x477fefff, 0, 0, 0x7bff}, /* just below 65520 */
    {"cvt.rn.f16.f32 %h6, %r3;", 0x477ff000, 0, 0, 0x7c00}, /* 65520 */
    {"cvt.rz.f16.f32 %h6, %r3;", 0x477ff000, 0, 0, 0x7bff},
    {"cvt.rn.f16.f32 %h6, %r3;", 0x33000000, 0, 0, 0}, /* half the smallest: to even */
    {"cvt.rn.f16.f32 %h6, %r3;", 0x33000001, 0, 0, 1},
    {"cvt.rn.f16.f32 %h6, %r3;", 0x387fe000, 0, 0, 0x0400}, /* rounds up into the normals */
    {"cvt.rn.relu.f16.f32 %h6, %r3;", 0xbf800000, 0, 0, 0},
    {"cvt.rn.bf16.f32 %h6, %r3;", 0x3f808000, 0, 0, 0x3f80},
    {"cvt.rn.bf16.f32 %h6, %r3;", 0x3f818000, 0, 0, 0x3f82},
    {"cvt.rz.bf16.f32 %h6, %r3;", 0x3f81ffff, 0, 0, 0x3f81},
    {"cvt.rn.bf16.f32 %h6, %r3;", 0xffc12345, 0, 0, 0x7fff},
    {"cvt.rn.bf16.f64 %h6, %rd3;", 0xfffde00000000000, 0, 0,
     0xffef}, /* a NaN keeps its upper bits */
    {"cvt.rn.f16.f64 %h6, %rd3;", 0x7ffde00000000000, 0, 0, 0x7f78},
    {"fma.rn.oob.f16 %h6, %h3, %h4, %h5;", 0xfff7, 0x7e00, 0x3c00, 0}, /* out of bounds: -NaN too */
    {"fma.rn.oob.bf16 %h6, %h3, %h4, %h5;", 0x3f80, 0x7ff7, 0x3f80, 0},
    {"fma.rn.oob.f16 %h6, %h3, %h4, %h5;", 0x3c00, 0x3c00, 0xfff7, 0x7fff}, /* not a factor */
    {"cvt.rn.f16x2.f32 %r6, %r3, %r4;", ONE, 0x40000000, 0, 0x3c004000},    /* a goes up */
    {"cvt.rn.relu.bf16x2.f32 %r6, %r3, %r4;", 0xbf800000, ONE, 0, 0x00003f80},
    {"cvt.rna.tf32.f32 %r6, %r3;", 0x3f801000, 0, 0, 0x3f802000}, /* a tie goes away from 0 */
    {"cvt.rn.tf32.f32 %r6, %r3;", 0x3f801000, 0, 0, 0x3f800000},
    {"cvt.rn.tf32.f32 %r6, %r3;", 0x3f801001, 0, 0, 0x3f802000},
    {"cvt.rz.tf32.f32 %r6, %r3;", 0x3f801fff, 0, 0, 0x3f800000},
    /* shared memory makes a signalling NaN a quiet one */
    {"{ .shared .align 8 .b64 w; st.shared.b64 [w], %rd3; atom.shared.add.f64 %rd6, [w], %rd4;"
     "ld.shared.b64 %rd6, [w]; }",
     0x7ff0000000000001, 0, 0, 0x7ff8000000000001},
    {"cvt.f32.f16 %r6, %h3;", 1, 0, 0, 0x33800000},
    {"cvt.f32.f16 %r6, %h3;", 0xfc00, 0, 0, 0xff800000},
    {"cvt.f32.bf16 %r6, %h3;", 0x8001, 0, 0, 0x80010000},
    {"cvt.rn.f16.u64 %h6, %rd3;", 0x0000000000000801, 0, 0, 0x6800},  /* 2049: a tie, to even */
    {"cvt.rn.bf16.u64 %h6, %rd3;", 0x8080000000000001, 0, 0, 0x5f01}, /* just above a tie */
};

START_TEST(rounding_modes) { CHECK_VALUES(rounding); }
END_TEST
START_TEST(flushing_and_saturation) { CHECK_VALUES(modifiers); }
END_TEST
START_TEST(not_a_number) { CHECK_VALUES(not_numbers); }
END_TEST
START_TEST(exact_values_of_approximations) { CHECK_VALUES(functions); }
END_TEST
START_TEST(sixteen_bits) { CHECK_VALUES(halves); }
END_TEST
START_TEST(conversions_to_integers_clamp) { CHECK_VALUES(to_integers); }
END_TEST
START_TEST(conversions_to_floats_round) { CHECK_VALUES(to_floats); }
END_TEST

/* Doubles of every exponent that matters to halves and bfloats, those at ties and beside them more
 * often than chance would have it. Always the same ones: the generator is MMIX's. */
static f64 any_double(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint64_t x = *state >> 8;
    const bool any = x % 8 == 0, near_tie = x % 4 == 1;
    const uint64_t exponent = any ? x >> 20 & 0x7ff : 1023 - 30 + (x >> 20) % 50;
    uint64_t fraction = *state & ((UINT64_C(1) << 52) - 1);
    if (near_tie) { /* nothing below the bits of a half's or a bfloat's tie but 0, 1 or all ones */
        const unsigned kept = x >> 40 & 1 ? 41 : 44;
        const uint64_t low = (UINT64_C(1) << kept) - 1, pick = x >> 42 & 3;
        fraction = (fraction & ~low) | (pick == 0 ? 1 : pick == 1 ? low : 0);
    }
    return f64_of_bits((x >> 41 & 1) << 63 | exponent << 52 | fraction);
}

START_TEST(rounding_by_way_of_an_odd_float_is_rounding_once)
{
    uint64_t state = 1;
    for (unsigned i = 0; i < 400000; i++) {
        const f64 a = any_double(&state);
        const f32 odd = odd_f32_of_f64(a);
        ck_assert_msg(nearest_half_of_odd(odd) == half_of_f64(a, ROUND_NEAREST), "half of %a", a);
        ck_assert_msg(nearest_bfloat_of_odd(odd) == bfloat_of_f64(a, ROUND_NEAREST), "bfloat of %a",
                      a);
    }
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("exec_float");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, rounding_modes);
    tcase_add_test(tc, flushing_and_saturation);
    tcase_add_test(tc, not_a_number);
    tcase_add_test(tc, exact_values_of_approximations);
    tcase_add_test(tc, sixteen_bits);
    tcase_add_test(tc, conversions_to_integers_clamp);
    tcase_add_test(tc, conversions_to_floats_round);
    tcase_add_test(tc, rounding_by_way_of_an_odd_float_is_rounding_once);
    return run_suite("exec_float", tc);
}
