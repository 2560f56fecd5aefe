/* test_decode.c - from PTX to code: every opcode, and what is rejected and in which words. Where
 * things lie is test_decode_layout.c's, what decoded code computes test_exec*.c's. */
#include "decode_fixture.h"

#include "common/simt/api/simt.h"
#include "suite.h"

/* --- every opcode, and what is rejected ------------------------------------------------------- */

static const char *const samples[PTX_OP_COUNT] = {
    [PTX_OP_ABS] = "abs.s32 %r3, %r4;",
    [PTX_OP_ACTIVEMASK] = "activemask.b32 %r3;",
    [PTX_OP_ADD] = "add.u32 %r3, %r4, 1;",
    [PTX_OP_ADDC] = "add.cc.u32 %r3, %r4, 1; addc.u32 %r3, %r4, 1;",
    [PTX_OP_AND] = "and.b32 %r3, %r4, 1;",
    [PTX_OP_APPLYPRIORITY] = "applypriority.global.L2::evict_normal [%rd1], 128;",
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
    [PTX_OP_CP] = "cp.async.ca.shared.global [%r1], [%rd1], 4;",
    [PTX_OP_CREATEPOLICY] = "createpolicy.fractional.L2::evict_last.b64 %rd3, 0.5;",
    [PTX_OP_CVT] = "cvt.u32.u16 %r3, %h4;",
    [PTX_OP_CVTA] = "cvta.shared.u64 %rd3, %rd4;",
    [PTX_OP_DISCARD] = "discard.global.L2 [%rd1], 128;",
    [PTX_OP_DIV] = "div.u32 %r3, %r4, 3;",
    [PTX_OP_DP2A] = "dp2a.lo.u32.u32 %r3, %r4, %r5, 1;",
    [PTX_OP_DP4A] = "dp4a.u32.u32 %r3, %r4, %r5, 1;",
    [PTX_OP_ELECT] = "elect.sync %r3|%p1, -1;",
    [PTX_OP_EX2] = "ex2.approx.f32 %r3, %r4;",
    [PTX_OP_EXIT] = "exit;",
    [PTX_OP_FENCE] = "fence.sc.gpu;",
    [PTX_OP_FMA] = "fma.rn.f32 %r3, %r4, %r5, %r6;",
    [PTX_OP_FNS] = "fns.b32 %r3, %r4, 0, 1;",
    [PTX_OP_GETCTARANK] = "getctarank.u32 %r3, %r4;",
    [PTX_OP_GRIDDEPCONTROL] = "griddepcontrol.wait;",
    [PTX_OP_ISSPACEP] = "isspacep.shared %p1, %rd1;",
    [PTX_OP_LD] = "ld.global.u32 %r3, [%rd1];",
    [PTX_OP_LDU] = "ldu.global.u32 %r3, [%rd1];",
    [PTX_OP_LG2] = "lg2.approx.f32 %r3, %r4;",
    [PTX_OP_LOP3] = "lop3.b32 %r3, %r4, %r5, %r6, 0x80;",
    [PTX_OP_MAD] = "mad.lo.u32 %r3, %r4, %r5, %r6;",
    [PTX_OP_MADC] = "mad.lo.cc.u32 %r3, %r4, %r5, 1; madc.hi.u32 %r3, %r4, %r5, 1;",
    [PTX_OP_MAD24] = "mad24.lo.u32 %r3, %r4, %r5, 1;",
    [PTX_OP_MAPA] = "mapa.u64 %rd3, %rd4, 0;",
    [PTX_OP_MATCH] = "match.any.sync.b32 %r3, %r4, -1;",
    [PTX_OP_MAX] = "max.u32 %r3, %r4, 1;",
    [PTX_OP_MBARRIER] = "mbarrier.arrive.shared.b64 _, [%rd1];",
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
    [PTX_OP_SETMAXNREG] = "setmaxnreg.inc.sync.aligned.u32 232;",
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
    [PTX_OP_TENSORMAP] = "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 0, %r3;",
    [PTX_OP_SULD] = "suld.b.2d.b32.trap {%r3}, [%rd1, {%r4, %r5}];",
    [PTX_OP_ALLOCA] = "alloca.u64 %rd3, %rd1, 64;",
    [PTX_OP_STACKSAVE] = "stacksave.u64 %rd3;",
    [PTX_OP_STACKRESTORE] = "stackrestore.u64 %rd1;",
    [PTX_OP_SURED] = "sured.b.add.2d.u32.trap [%rd1, {%r4, %r5}], %r3;",
    [PTX_OP_SUST] = "sust.b.2d.b32.trap [%rd1, {%r4, %r5}], {%r3};",
    [PTX_OP_TESTP] = "testp.finite.f32 %p1, %r4;",
    [PTX_OP_TEX] = "tex.1d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd1, {%r4}];",
    [PTX_OP_SUQ] = "suq.width.b32 %r3, [%rd1];",
    [PTX_OP_TXQ] = "txq.level.depth.b32 %r3, [%rd1], %r4;",
    [PTX_OP_TLD4] = "tld4.r.2d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%rd1, {%r4, %r5}];",
    [PTX_OP_TRAP] = "trap;",
    [PTX_OP_PMEVENT] = "pmevent 7;",
    [PTX_OP_VABSDIFF] = "vabsdiff.s32.u32.s32.sat.add %r3, %r4.b1, %r5.h0, %r6;",
    [PTX_OP_VADD] = "vadd.s32.u32.s32.sat.add %r3, %r4.b1, %r5.h0, %r6;",
    [PTX_OP_VMAX] = "vmax.s32.u32.s32.sat.add %r3, %r4.b1, %r5.h0, %r6;",
    [PTX_OP_VMIN] = "vmin.s32.u32.s32.sat.add %r3, %r4.b1, %r5.h0, %r6;",
    [PTX_OP_VSUB] = "vsub.s32.u32.s32.sat.add %r3, %r4.b1, %r5.h0, %r6;",
    [PTX_OP_VADD2] = "vadd2.u32.u32.u32.sat %r3.h1, %r4.h30, %r5, 1;",
    [PTX_OP_VADD4] = "vadd4.s32.s32.s32.add %r3.b310, %r4, %r5.b7016, %r6;",
    [PTX_OP_VAVRG2] = "vavrg2.u32.u32.u32.sat %r3.h1, %r4.h30, %r5, 1;",
    [PTX_OP_VAVRG4] = "vavrg4.s32.s32.s32.add %r3.b310, %r4, %r5.b7016, %r6;",
    [PTX_OP_VMAX2] = "vmax2.u32.u32.u32.sat %r3.h1, %r4.h30, %r5, 1;",
    [PTX_OP_VMAX4] = "vmax4.s32.s32.s32.add %r3.b310, %r4, %r5.b7016, %r6;",
    [PTX_OP_VMIN2] = "vmin2.u32.u32.u32.sat %r3.h1, %r4.h30, %r5, 1;",
    [PTX_OP_VMIN4] = "vmin4.s32.s32.s32.add %r3.b310, %r4, %r5.b7016, %r6;",
    [PTX_OP_VSUB2] = "vsub2.u32.u32.u32.sat %r3.h1, %r4.h30, %r5, 1;",
    [PTX_OP_VSUB4] = "vsub4.s32.s32.s32.add %r3.b310, %r4, %r5.b7016, %r6;",
    [PTX_OP_VMAD] = "vmad.s32.u32.u32.shr7 %r3, -%r4.h1, %r5, %r6;",
    [PTX_OP_VSET] = "vset.u32.s32.ge %r3.b3, %r4, %r5.h0, %r6;",
    [PTX_OP_VSET2] = "vset2.u32.s32.ne %r3, %r4, %r5, 0;",
    [PTX_OP_VSET4] = "vset4.u32.s32.lt.add %r3, %r4, %r5, %r6;",
    [PTX_OP_VSHL] = "vshl.u32.s32.u32.clamp %r3, %r4.h0, %r5;",
    [PTX_OP_VSHR] = "vshr.u32.s32.u32.sat.wrap.max %r3, %r4, %r5.b0, 7;",
    [PTX_OP_VABSDIFF2] = "vabsdiff2.u32.s32.s32.add %r3, %r4, %r5, 1;",
    [PTX_OP_VABSDIFF4] = "vabsdiff4.u32.u32.u32 %r3, %r4, %r5, 1;",
    [PTX_OP_LDMATRIX] = "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r3,%r4}, [%r5];",
    [PTX_OP_MMA] =
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r3,%r4,%r5,%r6}, {%r3,%r4}, {%r5}, "
        "{%r3,%r4,%r5,%r6};",
    [PTX_OP_MOVMATRIX] = "movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r4;",
    [PTX_OP_STMATRIX] = "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r5], {%r3};",
    [PTX_OP_WGMMA] =
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r3,%r4,%r5,%r6}, %rd1, %rd2, %p1, 1, "
        "-1, 0, 1;",
    [PTX_OP_WMMA] = "wmma.load.c.sync.aligned.row.m8n8k32.s32 {%r3,%r4}, [%rd1], %r5;",
    [PTX_OP_VOTE] = "vote.sync.all.pred %p1, %p2, -1;",
    [PTX_OP_XOR] = "xor.b32 %r3, %r4, 1;",
};

START_TEST(every_opcode_decodes)
{
    for (enum ptx_op op = PTX_OP_UNKNOWN + 1; op < PTX_OP_COUNT; op++) {
        ck_assert_msg(samples[op] != NULL, "no sample for opcode %d", (int)op);
        char body[200];
        snprintf(body, sizeof body, "%s ret;", samples[op]);
        struct decoded d = decode_text(HEAD, "", body);
        ck_assert_msg(d.k != NULL, "%s: %s", samples[op], d.e.text);
        unsigned found = 0;
        for (unsigned i = 0; i < d.k->code_count; i++) {
            found += d.k->origin[i] != NULL && d.k->origin[i]->op == op &&
                     d.k->handlers[i]->kind != KIND_ENTER;
        }
        ck_assert_msg(found > 0, "%s left no code", samples[op]);
        decoded_free(&d);
    }
}
END_TEST

/* Elements of a surface have 1, 2, 4 or 8 bytes, whichever type their registers have. */
static const char *const surfaces[] = {"sust.p.2d.b32.trap [%rd1, {%r4, %r5}], {%r3};",
                                       "suld.b.2d.b8.trap {%h3}, [%rd1, {%r4, %r5}];",
                                       "suld.b.2d.b16.trap {%h3}, [%rd1, {%r4, %r5}];",
                                       "suld.b.2d.b32.zero {%r3}, [%rd1, {%r4, %r5}];",
                                       "suld.b.2d.v2.b64.clamp {%rd3, %rd4}, [%rd1, {%r4, %r5}];",
                                       "sust.b.2d.b64.trap [%rd1, {%r4, %r5}], {%rd3};"};

START_TEST(surfaces_have_elements_of_every_width)
{
    char body[200];
    snprintf(body, sizeof body, "%s ret;", surfaces[_i]);
    struct decoded d = decode_text(HEAD, "", body);
    ck_assert_msg(d.k != NULL, "%s: %s", surfaces[_i], d.e.text);
    decoded_free(&d);
}
END_TEST

/* Every handler has the facts that others ask for, and a name of its own. */
START_TEST(every_handler_has_its_facts)
{
    const struct handler *h;
    for (unsigned i = 0; exec_handler_at(i, &h); i++) {
        ck_assert_msg(h->run != NULL && h->kind != 0 && h->event != 0 && h->event < EVENT_COUNT,
                      "%s has an empty column", h->name);
        ck_assert_msg(exec_find(h->name) == h, "two handlers are called %s", h->name);
    }
}
END_TEST

/* An instruction that touches memory runs a handler that reports it: what opcodes and handlers say
 * of themselves agrees. */
START_TEST(every_access_is_reported)
{
    static const enum handler_event reported_as[] = {[MEMORY_READS] = EVENT_LOAD,
                                                     [MEMORY_WRITES] = EVENT_STORE,
                                                     [MEMORY_UPDATES] = EVENT_ATOMIC,
                                                     [MEMORY_COPIES] = EVENT_COPY};
    for (enum ptx_op op = PTX_OP_UNKNOWN + 1; op < PTX_OP_COUNT; op++) {
        char body[200];
        if (op_table[op].memory == MEMORY_NONE) {
            continue;
        }
        snprintf(body, sizeof body, "%s ret;", samples[op]);
        struct decoded d = decode_text(HEAD, "", body);
        bool reported = false;
        for (unsigned i = 0; i < d.k->code_count; i++) {
            reported |= d.k->handlers[i]->event == reported_as[op_table[op].memory];
        }
        ck_assert_msg(reported, "%s is not reported to observers", samples[op]);
        decoded_free(&d);
    }
}
END_TEST

/* Each message names the kernel, its line, the instruction with its modifiers, and says why. */
static const struct {
    const char *line, *instruction, *why;
} rejected[] = {
    /* what the simulator has not */
    {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%r3,%r4,%r5,%r6}, %rd1, %rd2, %r3, 2, "
     "1, 1, 1, 0, 0;",
     "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16",
     "a sparsity selector that is not 0 or 1"},
    {"wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%r3,%r4,%r5,%r6}, %rd1, %rd2, 1, 1, 1, "
     "0, 0;",
     "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16", "this shape for these types"},
    {"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%r3,%r4,%r5,%r6}, %rd1, %rd2, 1, 2, 1;",
     "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32", "1 or -1"},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r3,%r4,%r5,%r6}, {%r3,%r4},"
     "{%r3,%r4}, {%r3,%r4,%r5,%r6};",
     "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "2 registers as operand 2; it has 4"},
    {"mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%r3,%r4,%r5,%r6}, {%r3,%r4,%r5,%r6},"
     "{%r3,%r4}, {%r3,%r4,%r5,%r6};",
     "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", "this shape for these types"},
    {"mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16 {%r3,%r4}, {%r3,%r4,%r5,%r6},"
     "{%r3,%r4}, {%r3,%r4};",
     "mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16", "these types together"},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f16 {%r3,%r4,%r5,%r6}, {%r3,%r4,%r5,%r6},"
     "{%r3,%r4}, {%r3,%r4};",
     "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f16", "these types together"},
    {"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32 {%r3,%r4,%r5,%r6},"
     "{%r3,%r4}, {%r3,%r4}, {%r3,%r4,%r5,%r6,%r3,%r4,%r5,%r6};",
     "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32", "these types together"},
    {"mma.sync.aligned.m8n8k4.row.f32.f16.f16.f32 {%r3,%r4,%r5,%r6,%r3,%r4,%r5,%r6},"
     "{%r3,%r4}, {%r3,%r4}, {%r3,%r4,%r5,%r6,%r3,%r4,%r5,%r6};",
     "mma.sync.aligned.m8n8k4.row.f32.f16.f16.f32", "layouts other than row and col"},
    {"tex.2d.v4.f32.f32 {%r3, %r4, %r5, %r6}, [%rd1, {%r3, %r4}], {%r3};", "tex.2d.v4.f32.f32",
     "an offset of 1 numbers"},
    {"tex.2d.v4.f16x2.f32 {%r3, %r4, %r5, %r6}, [%rd1, {%r3, %r4}];", "tex.2d.v4.f16x2.f32",
     "or .v2.f16x2"},
    {"sust.p.2d.b64.trap [%rd1, {%r3, %r4}], %rd2;", "sust.p.2d.b64.trap",
     "elements that are not .b32"},
    {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r3,%r4,%r5,%r6}, {%r3,%r4},"
     "{%r3,%r4}, {%r3,%r4,%r5,%r6}, %r3, 4;",
     "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "selector"},
    {"mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32 {%r3,%r4,%r5,%r6},"
     "{%r3,%r4,%r5,%r6}, {%r3,%r4,%r5,%r6}, {%r3,%r4,%r5,%r6}, %r3, 2;",
     "mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32", "selector that is not 0 to 1"},
    {"mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%r3,%r4,%r5,%r6},"
     "{%r3,%r4,%r5,%r6}, {%r3,%r4,%r5,%r6}, {%r3,%r4,%r5,%r6}, %r3, 1;",
     "mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32", "a sparsity selector other than 0"},
    {"ldmatrix.sync.aligned.m8n8.x4.global.b16 {%r3,%r4,%r5,%r6}, [%rd1];",
     "ldmatrix.sync.aligned.m8n8.x4.global.b16", "matrices lie in shared memory"},
    {"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r3,%r4}, [%rd1];",
     "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8", "other matrices"},
    {"wmma.load.a.sync.aligned.row.m16n16k8.f16 {%r3,%r4,%r5,%r6,%r3,%r4,%r5,%r6}, [%rd1];",
     "wmma.load.a.sync.aligned.row.m16n16k8.f16", "this shape for this type"},
    {"elect %r3|%p1, -1;", "elect is", "without .sync"},
    {".reg .b128 %w; atom.global.add.b128 %w, [%rd1], %w;", "atom.global.add.b128",
     "atom.exch and atom.cas alone"},
    {".reg .b128 %w; mov.b128 %w, %rd1;", "mov.b128", "registers of type .b128, or two"},
    {"add.u32 %r3, %r4.b1, %r5;", "add.u32", "only video instructions read parts"},
    {"add.u32 %r3, -%r4, %r5;", "add.u32", "only vmad negated ones"},
    {"vadd.u32.u32.u32 %r3, %r4.b4, %r5;", "vadd.u32.u32.u32", "it is .b0 to .b3, .h0 or .h1"},
    {"vadd4.u32.u32.u32 %r3.b13, %r4, %r5, 0;", "vadd4.u32.u32.u32", "in falling order"},
    {"vmad.s32.u32.u32.po %r3, -%r4, %r5, %r6;", "vmad.s32.u32.u32.po", "more than one of"},
    {"cvt.pack.sat.u8.s32 %r3, %r4, %r5;", "cvt.pack.sat.u8.s32", "or cvt.pack.sat.TYPE.s32.b32"},
    {"setmaxnreg.inc.sync.aligned.u32 100;", "setmaxnreg.inc.sync.aligned.u32",
     "no multiple of 8 from 24 to 256"},
    {"griddepcontrol.signal;", "griddepcontrol.signal", "its operands or modifiers"},
    {"createpolicy.fractional.b64 %rd3;", "createpolicy.fractional.b64", "its operands"},
    {"redux.sync.min.f32 %r3, %r4, -1;", "redux.sync.min.f32", "combination of type"},
    {"tex.1d.v4.f32.s32 {%r3, %r4}, [%rd1, {%r3}];", "tex.1d.v4.f32.s32",
     "2 results; there are 4"},
    {"istypep.texref %p1, %rd1;", "istypep.texref", "does not execute"},
    {"frobnicate.u32 %r3;", "frobnicate.u32", "does not execute"},
    {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%rd3],"
     " [%rd1, {%r3, %r3, %r3}], [%rd4], {%h3, %h3};",
     "cp.async.bulk.tensor.3d.shared::cluster.global.im2col", "its offsets"},
    {"cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%rd1, {%r3, %r3, %r3}],"
     " [%rd3];",
     "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs", "another form than loads"},
    {"cp.async.bulk.shared::cluster.global [%rd3], [%rd1], 16;", "cp.async.bulk",
     "no mbarrier and no group"},
    {"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r3}], [%rd3];",
     "cp.async.bulk.tensor.2d", "its coordinates"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.mul.u32 [%rd1], [%rd3], 16;",
     "cp.reduce.async.bulk", "it needs .add"},
    {"barrier.cluster.sync;", "barrier.cluster.sync", "its operands or modifiers"},
    {"multimem.red.relaxed.sys.global.add.u32 [%rd1], %r3;", "multimem.red", "does not execute"},
    {"fma.rn.f32x2 %rd3, %rd4, %rd5, %rd6;", "fma.rn.f32x2", ""},
    {"mov.u32 %r3, %clusterid.w;", "mov.u32", "register %clusterid.w is not declared"},
    {"shfl.idx.b32 %r3, %r4, 0, 31;", "shfl.idx.b32", "without .sync"},
    {"vote.all.pred %p1, %p2;", "vote.all.pred", "without .sync"},
    {"ld.global.b128 %rd3, [%rd1];", "ld.global.v2.b64", "another number of elements"},
    {".reg .b128 %q; add.u64 %q, %q, %q;", "add.u64", "a destination that is no register"},
    /* modifiers that nobody takes, and combinations that do not exist */
    {"add.purple.u32 %r3, %r4, 1;", "add.purple.u32", "modifier .purple"},
    {"ld.global.purple.u32 %r3, [%rd1];", "ld.global.purple.u32", "modifier .purple"},
    {"add.rn.u32 %r3, %r4, 1;", "add.rn.u32", "modifier .rn"},
    {"popc.f32 %r3, %r4;", "popc.f32", "combination of type and modifiers"},
    {"add %r3, %r4, 1;", "add is", "combination of type and modifiers"},
    {"mul.u32 %r3, %r4, 3;", "mul.u32", "it needs .lo, .hi or .wide"},
    {"setp.u32 %p1, %r3, 3;", "setp.u32", "it needs .eq, .ne,"},
    {"add.rz.f16 %h3, %h4, %h5;", "add.rz.f16", "rounding mode for 16-bit floats"},
    {"cvt.rna.f32.f64 %r3, %rd4;", "cvt.rna.f32.f64", "this rounding for these types"},
    {"set.eq.u64.u32 %rd3, %r4, 1;", "set.eq.u64.u32", "this form of set"},
    {"bar.red.xor.pred %p1, 0, %p2;", "bar.red.xor.pred", "it needs .popc, .and or .or"},
    {"atom.global.mul.u32 %r3, [%rd1], 1;", "atom.global.mul.u32", "it needs .add, .min,"},
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
    {"ld.param.u32 %r3, [out+2];", "ld.param.u32",
     "byte 2 of parameter out: an access of 4 bytes must be aligned"},
    {"ld.param.u32 %r3, [out+18446744073709551612];", "ld.param.u32", "outside of parameter out"},
    {"st.param.u64 [out], %rd3;", "st.param.u64", "a store to a kernel parameter"},
    {"st.param.u64 [%rd3], %rd3;", "st.param.u64", "not known when decoding"},
    {"st.const.u32 [fixed], 1;", "st.const.u32", "a store to constant memory"},
    {"red.shared.add.v2.f32 [%rd1], {%r3, %r4};", "red.shared.add.v2.f32",
     "a vector of this length"},
    {"red.global.add.v8.f32 [%rd1], {%r3, %r4};", "red.global.add.v8.f32",
     "a vector of this length"},
    {"red.global.add.v4.f32 [%rd1], {%r3, %r4};", "red.global.add.v4.f32",
     "another number of elements"},
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
    {"add.u32 %r3, _, 2;", "add.u32", ""},
    {"sured.p.add.2d.trap [%rd1, {%r4, %r5}], %r3;", "sured.p.add.2d.trap", ""},
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

START_TEST(what_sm_90a_alone_has_is_rejected_in_ptx_for_sm_90)
{
    static const char *const lines[] = {
        "wgmma.fence.sync.aligned;", "setmaxnreg.inc.sync.aligned.u32 232;",
        "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 0, %r3;"};
    struct decoded d;
    for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        decode_target = "sm_90";
        d = decode_text(HEAD, ".param .u64 out", lines[i]);
        ck_assert_msg(d.k == NULL && d.e.code == SIMT_BAD_PTX, "%s", lines[i]);
        ck_assert_msg(strstr(d.e.text, "not supported on .target 'sm_90': compile for sm_90a") !=
                          NULL,
                      "%s", d.e.text);
        decoded_free(&d);
        decode_target = "sm_90a";
        d = decode_text(HEAD, ".param .u64 out", lines[i]);
        ck_assert_msg(d.k != NULL, "%s", d.e.text);
        decoded_free(&d);
    }
}
END_TEST

START_TEST(a_rejection_in_inlined_code_names_the_learners_line)
{
    char body[400];
    snprintf(body, sizeof body, "%stcgen05.fence::before_thread_sync;", places[_i].locs);
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

int main(void)
{
    TCase *tc = tcase_create("decode");
    tcase_add_test(tc, every_opcode_decodes);
    tcase_add_loop_test(tc, surfaces_have_elements_of_every_width, 0,
                        sizeof surfaces / sizeof surfaces[0]);
    tcase_add_test(tc, every_handler_has_its_facts);
    tcase_add_test(tc, every_access_is_reported);
    tcase_add_loop_test(tc, a_rejection_names_instruction_kernel_and_line, 0,
                        sizeof rejected / sizeof rejected[0]);
    tcase_add_test(tc, what_sm_90a_alone_has_is_rejected_in_ptx_for_sm_90);
    tcase_add_loop_test(tc, a_rejection_in_inlined_code_names_the_learners_line, 0,
                        sizeof places / sizeof places[0]);
    tcase_add_test(tc, other_rejections_name_the_kernel);
    return run_suite("decode", tc);
}
