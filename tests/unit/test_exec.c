/* test_exec.c - integers, bits, predicates, selections and halves of registers: the corners of each
 * family of instructions, with results worked out by hand from the PTX manual's definitions. What
 * every single instruction does to tables of operands is tests/conformance's. */
#include "value_fixture.h"

static const struct value_case sums[] = {
    {"add.u32 %r6, %r3, %r4;", 0xffffffff, 2, 0, 1},
    {"add.u16 %h6, %h3, %h4;", 0xffff, 2, 0, 1},
    {"add.u64 %rd6, %rd3, %rd4;", ~0ull, 2, 0, 1},
    {"add.sat.s32 %r6, %r3, %r4;", 0x7fffffff, 1, 0, 0x7fffffff},
    {"add.sat.s32 %r6, %r3, %r4;", 0x80000000, 0xffffffff, 0, 0x80000000},
    {"sub.sat.s32 %r6, %r3, %r4;", 0x80000000, 1, 0, 0x80000000},
    {"sub.sat.s32 %r6, %r3, %r4;", 0, 0x80000000, 0, 0x7fffffff},
    {"sub.u16 %h6, %h3, %h4;", 0, 1, 0, 0xffff},
    {"add.u16x2 %r6, %r3, %r4;", 0x0001ffff, 0x00010001, 0,
     0x00020000}, /* no carry between halves */
    {"neg.s32 %r6, %r3;", 0x80000000, 0, 0, 0x80000000},
    {"neg.s16 %h6, %h3;", 1, 0, 0, 0xffff},
    {"abs.s32 %r6, %r3;", 0x80000000, 0, 0, 0x80000000},
    {"abs.s16 %h6, %h3;", 0x8001, 0, 0, 0x7fff},
    {"abs.s64 %rd6, %rd3;", 0xffffffff00000000, 0, 0, 0x100000000},
    /* |a - b| is taken without overflow, then wraps with c */
    {"sad.s32 %r6, %r3, %r4, %r5;", 0x7fffffff, 0x80000000, 1, 0},
    {"sad.u32 %r6, %r3, %r4, %r5;", 3, 10, 100, 107},
    {"sad.u16 %h6, %h3, %h4, %h5;", 1, 0xffff, 3, 1},
    {"sad.s16 %h6, %h3, %h4, %h5;", 1, 0xffff, 3, 5},
    {"sad.s64 %rd6, %rd3, %rd4, %rd5;", 0x7fffffffffffffff, 0x8000000000000000, 0,
     0xffffffffffffffff},
};

static const struct value_case products[] = {
    {"mul.lo.u32 %r6, %r3, %r4;", 0xffffffff, 0xffffffff, 0, 1},
    {"mul.hi.u32 %r6, %r3, %r4;", 0xffffffff, 0xffffffff, 0, 0xfffffffe},
    {"mul.hi.s32 %r6, %r3, %r4;", 0x80000000, 0x80000000, 0, 0x40000000},
    {"mul.hi.s32 %r6, %r3, %r4;", 0xffffffff, 1, 0, 0xffffffff},
    {"mul.hi.s16 %h6, %h3, %h4;", 0x8000, 0x7fff, 0, 0xc000},
    {"mul.hi.u64 %rd6, %rd3, %rd4;", ~0ull, ~0ull, 0, 0xfffffffffffffffe},
    {"mul.hi.s64 %rd6, %rd3, %rd4;", 0x8000000000000000, 0x8000000000000000, 0, 0x4000000000000000},
    {"mul.wide.s16 %r6, %h3, %h4;", 0x8000, 0x8000, 0, 0x40000000},
    {"mul.wide.u16 %r6, %h3, %h4;", 0xffff, 0xffff, 0, 0xfffe0001},
    {"mul.wide.s32 %rd6, %r3, %r4;", 0xffffffff, 2, 0, 0xfffffffffffffffe},
    {"mul.wide.u32 %rd6, %r3, %r4;", 0xffffffff, 2, 0, 0x1fffffffe},
    {"mad.wide.s32 %rd6, %r3, %r4, %rd5;", 0xffffffff, 2, 1, 0xffffffffffffffff},
    {"mad.lo.s32 %r6, %r3, %r4, %r5;", 0x10000, 0x10000, 7, 7},
    {"mad.hi.sat.s32 %r6, %r3, %r4, %r5;", 0x80000000, 0x80000000, 0x40000000, 0x7fffffff},
    {"mad.hi.s32 %r6, %r3, %r4, %r5;", 0x80000000, 0x80000000, 0x40000000, 0x80000000},
    /* 24 bits: 0xffffff squared is 0xfffffe000001; lo has its bits 0-31, hi its bits 16-47 */
    {"mul24.lo.u32 %r6, %r3, %r4;", 0x01ffffff, 0xffffffff, 0, 0xfe000001},
    {"mul24.hi.u32 %r6, %r3, %r4;", 0x01ffffff, 0xffffffff, 0, 0xfffffe00},
    {"mul24.lo.s32 %r6, %r3, %r4;", 0x00800000, 2, 0, 0xff000000},
    {"mul24.hi.s32 %r6, %r3, %r4;", 0x00800000, 0x00800000, 0, 0x40000000},
    {"mad24.lo.u32 %r6, %r3, %r4, %r5;", 0xff000003, 0xff000005, 0xffffffff, 14},
    {"mad24.hi.sat.s32 %r6, %r3, %r4, %r5;", 0x00800000, 0x00800000, 0x7fffffff, 0x7fffffff},
    {"div.s32 %r6, %r3, %r4;", 0xfffffff9, 2, 0, 0xfffffffd}, /* -7 / 2 = -3 */
    {"rem.s32 %r6, %r3, %r4;", 0xfffffff9, 2, 0, 0xffffffff},
    {"rem.s32 %r6, %r3, %r4;", 7, 0xfffffffe, 0, 1},
    {"div.s32 %r6, %r3, %r4;", 0x80000000, 0xffffffff, 0, 0x80000000},
    {"rem.s32 %r6, %r3, %r4;", 0x80000000, 0xffffffff, 0, 0},
    {"div.s64 %rd6, %rd3, %rd4;", 0x8000000000000000, ~0ull, 0, 0x8000000000000000},
    {"rem.s64 %rd6, %rd3, %rd4;", 0x8000000000000000, ~0ull, 0, 0},
    {"div.s16 %h6, %h3, %h4;", 0x8000, 0xffff, 0, 0x8000},
    {"div.u32 %r6, %r3, %r4;", 5, 0, 0, 0xffffffff},
    {"div.s64 %rd6, %rd3, %rd4;", 5, 0, 0, ~0ull},
    {"rem.u16 %h6, %h3, %h4;", 5, 0, 0, 0xffff},
    /* bytes of a, lowest first: 1, 127, 255 or -1, 128 or -128; of b: 127, 255 or -1, 2, 128 or
       -128 */
    {"dp4a.u32.u32 %r6, %r3, %r4, %r5;", 0x80ff7f01, 0x8002ff7f, 0, 127 + 32385 + 510 + 16384},
    {"dp4a.s32.s32 %r6, %r3, %r4, %r5;", 0x80ff7f01, 0x8002ff7f, 10, 127 - 127 - 2 + 16384 + 10},
    {"dp4a.u32.s32 %r6, %r3, %r4, %r5;", 0x80ff7f01, 0x8002ff7f, 0, 0xffffffff - 15873},
    {"dp4a.s32.u32 %r6, %r3, %r4, %r5;", 0x80ff7f01, 0x8002ff7f, 0, 127 + 32385 - 2 - 16384},
    /* halves of a: 32767, 32768 or -32768; bytes of b: 1, 2, 3, 4 */
    {"dp2a.lo.s32.s32 %r6, %r3, %r4, %r5;", 0x80007fff, 0x04030201, 0, 0xffff7fff},
    {"dp2a.hi.s32.s32 %r6, %r3, %r4, %r5;", 0x80007fff, 0x04030201, 0, 0xffff7ffd},
    {"dp2a.hi.u32.u32 %r6, %r3, %r4, %r5;", 0x80007fff, 0x04030201, 1, 98301 + 131072 + 1},
};

static const struct value_case orders[] = {
    {"min.s32 %r6, %r3, %r4;", 0x80000000, 1, 0, 0x80000000},
    {"min.u32 %r6, %r3, %r4;", 0x80000000, 1, 0, 1},
    {"max.s16 %h6, %h3, %h4;", 0x8000, 1, 0, 1},
    {"max.u64 %rd6, %rd3, %rd4;", 1ull << 63, 1, 0, 1ull << 63},
    {"max.relu.s32 %r6, %r3, %r4;", 0xfffffffe, 0xffffffff, 0, 0},
    {"min.relu.s32 %r6, %r3, %r4;", 3, 5, 0, 3},
    {"min.s16x2 %r6, %r3, %r4;", 0x80007fff, 0x0001ffff, 0, 0x8000ffff},
    {"min.u16x2 %r6, %r3, %r4;", 0x80007fff, 0x0001ffff, 0, 0x00017fff},
    {"min.s16x2.relu %r6, %r3, %r4;", 0x80007fff, 0x0001ffff, 0, 0},
    {"max.s16x2.relu %r6, %r3, %r4;", 0x8000fffe, 0xffff0003, 0, 0x00000003},
    {"max.s16x2 %r6, %r3, %r4;", 0x80007fff, 0x0001ffff, 0, 0x00017fff},
    {"{ .reg .pred p; setp.lt.s32 p, %r3, %r4; selp.b32 %r6, 1, 0, p; }", 0xffffffff, 0, 0, 1},
    {"{ .reg .pred p; setp.lo.u32 p, %r3, %r4; selp.b32 %r6, 1, 0, p; }", 0xffffffff, 0, 0, 0},
    {"{ .reg .pred p; setp.ge.s16 p, %h3, %h4; selp.b32 %r6, 1, 0, p; }", 0x8000, 0, 0, 0},
    /* p = (a < b) and not c, q = not (a < b) and not c */
    {"{ .reg .pred p, q, c; setp.ne.u32 c, %r5, 0; setp.lt.and.u32 p|q, %r3, %r4, !c;"
     "selp.b32 %r6, 1, 0, p; @q add.u32 %r6, %r6, 2; }",
     1, 2, 0, 1},
    {"{ .reg .pred p, q, c; setp.ne.u32 c, %r5, 0; setp.lt.and.u32 p|q, %r3, %r4, !c;"
     "selp.b32 %r6, 1, 0, p; @q add.u32 %r6, %r6, 2; }",
     2, 1, 0, 2},
    {"{ .reg .pred p, q, c; setp.ne.u32 c, %r5, 0; setp.lt.xor.u32 p|q, %r3, %r4, c;"
     "selp.b32 %r6, 1, 0, p; @q add.u32 %r6, %r6, 2; }",
     1, 2, 1, 2},
    {"{ .reg .pred p, q; setp.lt.u32 p|_, %r3, %r4; not.pred q, p; and.pred q, q, !p;"
     "selp.b32 %r6, 1, 0, q; }",
     2, 1, 0, 1},
    {"set.lt.u32.s32 %r6, %r3, %r4;", 0xffffffff, 0, 0, 0xffffffff},
    {"set.lt.f32.s32 %r6, %r3, %r4;", 0xffffffff, 0, 0, 0x3f800000},
    {"set.lt.u32.u32 %r6, %r3, %r4;", 0xffffffff, 0, 0, 0},
    {"slct.u32.s32 %r6, %r3, %r4, %r5;", 11, 22, 0, 11},
    {"slct.u32.s32 %r6, %r3, %r4, %r5;", 11, 22, 0x80000000, 22},
    {"slct.b64.f32 %rd6, %rd3, %rd4, %r5;", 11, 22, 0x80000000, 11}, /* -0 is not below 0 */
    {"slct.b32.f32 %r6, %r3, %r4, %r5;", 11, 22, 0x7fc00000, 22},    /* a NaN is not above */
    {"slct.b32.f32 %r6, %r3, %r4, %r5;", 11, 22, 0x80000001, 22},
    {"slct.ftz.b32.f32 %r6, %r3, %r4, %r5;", 11, 22, 0x80000001, 11},
};

static const struct value_case shifts[] = {
    {"shl.b32 %r6, %r3, %r4;", 1, 31, 0, 0x80000000},
    {"shl.b32 %r6, %r3, %r4;", 1, 32, 0, 0}, /* distances are clamped, not taken modulo 32 */
    {"shl.b32 %r6, %r3, %r4;", 1, 0xffffffff, 0, 0},
    {"shl.b16 %h6, %h3, %r4;", 3, 15, 0, 0x8000},
    {"shl.b16 %h6, %h3, %r4;", 3, 16, 0, 0},
    {"shl.b64 %rd6, %rd3, %r4;", 1, 63, 0, 1ull << 63},
    {"shl.b64 %rd6, %rd3, %r4;", 1, 64, 0, 0},
    {"shr.u32 %r6, %r3, %r4;", 0x80000000, 32, 0, 0},
    {"shr.s32 %r6, %r3, %r4;", 0x80000000, 32, 0, 0xffffffff},
    {"shr.s32 %r6, %r3, %r4;", 0x40000000, 77, 0, 0},
    {"shr.s16 %h6, %h3, %r4;", 0x8000, 200, 0, 0xffff},
    {"shr.s64 %rd6, %rd3, %r4;", 1ull << 63, 64, 0, ~0ull},
    {"shr.u64 %rd6, %rd3, %r4;", 1ull << 63, 63, 0, 1},
    {"shf.l.wrap.b32 %r6, %r3, %r4, %r5;", 0x80000000, 1, 33, 3},
    {"shf.l.wrap.b32 %r6, %r3, %r4, %r5;", 0x89abcdef, 0x12345678, 32, 0x12345678},
    {"shf.l.wrap.b32 %r6, %r3, %r4, %r5;", 0x89abcdef, 0x12345678, 31, 0x44d5e6f7},
    {"shf.r.wrap.b32 %r6, %r3, %r4, %r5;", 0x89abcdef, 0x12345678, 0, 0x89abcdef},
    {"shf.r.wrap.b32 %r6, %r3, %r4, %r5;", 0x89abcdef, 0x12345678, 31, 0x2468acf1},
    {"shf.l.clamp.b32 %r6, %r3, %r4, %r5;", 0x89abcdef, 1, 33, 0x89abcdef},
    {"shf.r.wrap.b32 %r6, %r3, %r4, %r5;", 2, 1, 33, 0x80000001},
    {"shf.r.clamp.b32 %r6, %r3, %r4, %r5;", 2, 0x89abcdef, 100, 0x89abcdef},
};

static const struct value_case fields[] = {
    {"bfe.u32 %r6, %r3, %r4, %r5;", 0x12345678, 8, 12, 0x456},
    {"bfe.s32 %r6, %r3, %r4, %r5;", 0x80, 0, 8, 0xffffff80},
    {"bfe.s32 %r6, %r3, %r4, %r5;", 0xffffffff, 5, 0, 0}, /* no bits, no sign */
    {"bfe.u32 %r6, %r3, %r4, %r5;", 0xffffffff, 32, 8, 0},
    {"bfe.s32 %r6, %r3, %r4, %r5;", 0x80000000, 40, 4, 0xffffffff}, /* the top bit stands for all */
    {"bfe.s32 %r6, %r3, %r4, %r5;", 0x80000000, 28, 8, 0xfffffff8},
    {"bfe.u32 %r6, %r3, %r4, %r5;", 0x80000000, 28, 8, 8},
    {"bfe.u32 %r6, %r3, %r4, %r5;", 0x12345678, 0x100, 8, 0x78}, /* 8 bits of the position count */
    {"bfe.u32 %r6, %r3, %r4, %r5;", 0x12345678, 0, 255, 0x12345678},
    {"bfe.u64 %rd6, %rd3, %r4, %r5;", 0x123456789abcdef0, 60, 64, 1},
    {"bfe.s64 %rd6, %rd3, %r4, %r5;", 1ull << 63, 60, 10, 0xfffffffffffffff8},
    {"bfe.s64 %rd6, %rd3, %r4, %r5;", 1ull << 31, 31, 1, ~0ull},
    {"bfi.b32 %r6, %r3, %r4, 8, 8;", 0xff, 0x12345678, 0, 0x1234ff78},
    {"bfi.b32 %r6, %r3, %r4, %r5, 8;", 0xff, 0x02345678, 28, 0xf2345678},
    {"bfi.b32 %r6, %r3, %r4, %r5, 0;", 0xff, 0x12345678, 4, 0x12345678},
    {"bfi.b32 %r6, %r3, %r4, %r5, 4;", 0xff, 0x12345678, 32, 0x12345678},
    {"bfi.b64 %rd6, %rd3, %rd4, %r5, 64;", 0xabc, ~0ull, 4, 0xabcf},
    {"bmsk.clamp.b32 %r6, %r3, %r4;", 4, 8, 0, 0xff0},
    {"bmsk.clamp.b32 %r6, %r3, %r4;", 0, 40, 0, 0xffffffff},
    {"bmsk.clamp.b32 %r6, %r3, %r4;", 32, 1, 0, 0},
    {"bmsk.wrap.b32 %r6, %r3, %r4;", 36, 33, 0, 0x10},
    {"bmsk.wrap.b32 %r6, %r3, %r4;", 4, 32, 0, 0},
    {"szext.clamp.s32 %r6, %r3, %r4;", 0x180, 8, 0, 0xffffff80},
    {"szext.clamp.u32 %r6, %r3, %r4;", 0x180, 8, 0, 0x80},
    {"szext.clamp.s32 %r6, %r3, %r4;", 0x89abcdef, 99, 0, 0x89abcdef},
    {"szext.wrap.s32 %r6, %r3, %r4;", 0x89abcdef, 32, 0, 0},
    {"popc.b64 %r6, %rd3;", 0xf0000000f0000001, 0, 0, 9},
    {"clz.b32 %r6, %r3;", 0, 0, 0, 32},
    {"clz.b64 %r6, %rd3;", 0, 0, 0, 64},
    {"clz.b64 %r6, %rd3;", 1, 0, 0, 63},
    {"brev.b32 %r6, %r3;", 0x00000003, 0, 0, 0xc0000000},
    {"brev.b64 %rd6, %rd3;", 2, 0, 0, 1ull << 62},
    {"bfind.u32 %r6, %r3;", 0, 0, 0, 0xffffffff},
    {"bfind.s32 %r6, %r3;", 0xffffffff, 0, 0, 0xffffffff},
    {"bfind.s32 %r6, %r3;", 0x80000000, 0, 0, 30}, /* the highest bit unlike the sign */
    {"bfind.shiftamt.u32 %r6, %r3;", 1, 0, 0, 31},
    {"bfind.shiftamt.s64 %r6, %rd3;", ~0ull, 0, 0, 0xffffffff},
    {"fns.b32 %r6, %r3, %r4, %r5;", 0x16, 0, 3, 4},
    {"fns.b32 %r6, %r3, %r4, %r5;", 0x16, 0, 4, 0xffffffff},
    {"fns.b32 %r6, %r3, %r4, %r5;", 0x16, 4, 0xfffffffe, 2},
    {"fns.b32 %r6, %r3, %r4, %r5;", 0x16, 3, 0, 0xffffffff},
    {"fns.b32 %r6, %r3, %r4, %r5;", 0x16, 2, 0, 2},
    {"fns.b32 %r6, %r3, %r4, %r5;", 0x16, 4, 0x80000000, 0xffffffff},
};

static const struct value_case patterns[] = {
    {"prmt.b32 %r6, %r3, %r4, %r5;", 0x33221100, 0x77665544, 0x7531, 0x77553311},
    {"prmt.b32 %r6, %r3, %r4, %r5;", 0x00007f80, 0, 0x1098, 0x7f8000ff}, /* 8: sign of the byte */
    {"prmt.b32.f4e %r6, %r3, %r4, %r5;", 0x33221100, 0x77665544, 1, 0x44332211},
    {"prmt.b32.b4e %r6, %r3, %r4, %r5;", 0x33221100, 0x77665544, 1, 0x66770011},
    {"prmt.b32.rc8 %r6, %r3, %r4, %r5;", 0x33221100, 0x77665544, 2, 0x22222222},
    {"prmt.b32.ecl %r6, %r3, %r4, %r5;", 0x33221100, 0x77665544, 1, 0x33221111},
    {"prmt.b32.ecr %r6, %r3, %r4, %r5;", 0x33221100, 0x77665544, 1, 0x11111100},
    {"prmt.b32.rc16 %r6, %r3, %r4, %r5;", 0x33221100, 0x77665544, 5, 0x33223322}, /* 5 & 3 = 1 */
    /* with these operands each byte of the result is the table itself */
    {"lop3.b32 %r6, %r3, %r4, %r5, 0x1b;", 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x1b1b1b1b},
    {"lop3.b32 %r6, %r3, %r4, %r5, 0xfe;", 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0xfefefefe},
    {"not.b16 %h6, %h3;", 0x0ff0, 0, 0, 0xf00f},
    {"cnot.b16 %h6, %h3;", 0, 0, 0, 1},
    {"cnot.b64 %rd6, %rd3;", 1ull << 40, 0, 0, 0},
    {"and.b64 %rd6, %rd3, %rd4;", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0, 0x0f000f000f000f00},
    {"mov.b64 %rd6, {%r3, %r4};", 1, 2, 0, 0x200000001},
    {"mov.b64 %rd6, {%h3, %h4, %h5, %h4};", 1, 2, 3, 0x0002000300020001},
    {"mov.b32 %r6, {%h3, %h4};", 0xffff, 1, 0, 0x1ffff},
    {"{ mov.b64 {%r3, %r4}, %rd3; mov.b64 %rd6, {%r4, %r3}; }", 0x0123456789abcdef, 0, 0,
     0x89abcdef01234567},
    {"mov.b64 {_, %r6}, %rd3;", 0x0123456789abcdef, 0, 0, 0x01234567},
    {"{ .reg .b16 x, y; mov.b32 {x, y}, %r3; mov.b32 %r6, {y, x}; }", 0x01234567, 0, 0, 0x45670123},
};

static const struct value_case carries[] = {
    {"{ add.cc.u32 %r7, %r3, %r4; addc.u32 %r6, 0, 0; }", 0xffffffff, 1, 0, 1},
    {"{ add.cc.u32 %r7, %r3, %r4; addc.u32 %r6, 0, 0; }", 0xfffffffe, 1, 0, 0},
    /* three words: the carry runs through the middle one */
    {"{ add.cc.u32 %r7, %r3, 1; addc.cc.u32 %r7, %r4, 0; addc.u32 %r6, %r5, 0; }", 0xffffffff,
     0xffffffff, 5, 6},
    {"{ add.cc.u32 %r7, %r3, 1; addc.cc.u32 %r6, %r4, 0xffffffff; }", 0xffffffff, 0, 0, 0},
    {"{ sub.cc.u32 %r7, %r3, %r4; subc.u32 %r6, 10, 0; }", 0, 1, 0, 9},
    {"{ sub.cc.u32 %r7, %r3, %r4; subc.u32 %r6, 10, 0; }", 1, 1, 0, 10},
    {"{ sub.cc.u32 %r7, %r3, %r4; subc.cc.u32 %r7, 0, 0; subc.u32 %r6, 10, 0; }", 0, 1, 0, 9},
    {"{ add.cc.u64 %rd7, %rd3, %rd4; addc.u64 %rd6, 0, 0; }", ~0ull, 1, 0, 1},
    {"{ sub.cc.u64 %rd7, %rd3, %rd4; subc.u64 %rd6, 0, 0; }", 0, 1, 0, ~0ull},
    /* 0xffffffff * 0xffffffff + 0xffffffff = 0xffffffff00000000 */
    {"{ mad.lo.cc.u32 %r7, %r3, %r4, %r5; madc.hi.u32 %r6, %r3, %r4, 0; }", 0xffffffff, 0xffffffff,
     0xffffffff, 0xffffffff},
    {"{ mad.lo.cc.u32 %r6, %r3, %r4, %r5; }", 0xffffffff, 0xffffffff, 0xffffffff, 0},
    {"{ add.cc.u32 %r7, %r3, 1; madc.hi.s32 %r6, %r4, %r4, 0; }", 0xffffffff, 0x80000000, 0,
     0x40000001},
    /* the flag of a subtraction is a carry: set when nothing is borrowed */
    {"{ sub.cc.u32 %r7, %r3, %r4; addc.u32 %r6, 0, 0; }", 1, 1, 0, 1},
    {"{ sub.cc.u32 %r7, %r3, %r4; addc.u32 %r6, 0, 0; }", 0, 1, 0, 0},
};

START_TEST(sums_wrap_or_saturate) { CHECK_VALUES(sums); }
END_TEST
START_TEST(products_and_quotients) { CHECK_VALUES(products); }
END_TEST
START_TEST(order_comparison_selection) { CHECK_VALUES(orders); }
END_TEST
START_TEST(shifts_beyond_the_width) { CHECK_VALUES(shifts); }
END_TEST
START_TEST(bit_fields_and_searches) { CHECK_VALUES(fields); }
END_TEST
START_TEST(bytes_tables_and_halves) { CHECK_VALUES(patterns); }
END_TEST
START_TEST(carry_chains) { CHECK_VALUES(carries); }
END_TEST

/* Each lane has a carry of its own, and one that a guard leaves out keeps its own. */
START_TEST(a_carry_belongs_to_its_lane)
{
    struct machine m = {0};
    machine_run(&m, "setp.lt.u32 %p1, %r1, 16; and.b32 %r3, %r1, 1; sub.u32 %r4, 0, %r3;"
                    "add.cc.u32 %r5, %r4, 1; @%p1 add.cc.u32 %r5, 1, 1; addc.u32 %r2, 0, 0;");
    ck_assert_msg(m.good, "%s", m.e.text);
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_uint_eq(m.out[t], t >= 16 && t % 2 == 1);
    }
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("exec");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, sums_wrap_or_saturate);
    tcase_add_test(tc, products_and_quotients);
    tcase_add_test(tc, order_comparison_selection);
    tcase_add_test(tc, shifts_beyond_the_width);
    tcase_add_test(tc, bit_fields_and_searches);
    tcase_add_test(tc, bytes_tables_and_halves);
    tcase_add_test(tc, carry_chains);
    tcase_add_test(tc, a_carry_belongs_to_its_lane);
    return run_suite("exec", tc);
}
