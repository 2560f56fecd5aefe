/* matrix_work.c - see matrix_work.h. */
#include "time/matrix_work.h"

#include "decode/matrix.h"

#include <math.h>

/* Measured on an H200, one warp, each product waiting for the one before: an instruction of 6
 * cycles is ready 24 cycles after its issue (f16 k16, tf32 k8, s8 k32, b1 k256, sparse f16 k32),
 * one of 4 cycles after 17, FP64 m8n8k4 after 26.5. A warpgroup goes on about 55 cycles after the
 * tensor cores have taken the last product of the group that it waits for (wgmma_64_each: 92 cycles
 * for each product, of which 32 are theirs and 6 the loop's; wgmma_128_few). */
enum {
    WHOLE_CYCLES = 6,
    WHOLE_LATENCY = 24,
    HALF_LATENCY = 17,
    FP64_LATENCY = 10, /* beside the cycles in the pipe */
    GROUP_LATENCY = 55,
    CALL_LATENCY = 85, /* to a subroutine and back: mma_u4 and mma_b1_xor, 150 cycles in all */
    LINE_BYTES = 128,
    WARPGROUP_ROWS = 64,
    WARPGROUP_WARPS = 4
};

/* The sequences are subroutines: registers are moved there and back. */
static const struct cost call = {.fma = 14, .alu = 4, .other = 6};

static void add(struct cost *sum, struct cost each, double times) { cost_add(sum, &each, times); }

/* Eight numbers of 4 bits become eight of 8 bits. */
static void unpack_integers(struct cost *sum, enum tensor_format f, unsigned registers)
{
    if (f == ELEMENT_S4) {
        add(sum, (struct cost){.alu = 15 + 8, .fma = 7, .heavy = 7}, registers);
    } else {
        add(sum, (struct cost){.alu = 2 + 1}, registers);
    }
}

static bool is_fp8(enum tensor_format f) { return f == ELEMENT_E4M3 || f == ELEMENT_E5M2; }

static void find_sequence(const struct matrix_multiply *m, struct matrix_work *w)
{
    const bool narrow = m->a == ELEMENT_S4 || m->a == ELEMENT_U4;
    if (narrow) {
        unpack_integers(&w->beside, m->a, m->a_count);
        unpack_integers(&w->beside, m->b, m->b_count);
    }
    if (m->a == ELEMENT_B1 && m->exclusive) { /* a and not b, and b and not a: complements */
        w->beside.alu += m->a_count + m->b_count;
    }
    if (narrow || (m->a == ELEMENT_B1 && m->exclusive)) {
        add(&w->beside, call, m->part_count);
        w->is_call = true;
        w->latency = WHOLE_LATENCY + CALL_LATENCY + fmax(cost_issue(&w->beside), 2 * w->beside.alu);
    }
    if (is_fp8(m->a)) { /* the accumulator is added apart */
        w->beside.fma += m->c_count;
    }
}

static void find_product(const struct matrix_multiply *m, struct matrix_work *w)
{
    w->instructions = m->instructions;
    w->tensor_cycles = m->cycles;
    if (m->a == ELEMENT_F64) {
        w->latency = FP64_LATENCY + w->tensor_cycles;
    } else if (w->instructions > 0) {
        const bool whole = w->tensor_cycles >= WHOLE_CYCLES * w->instructions;
        w->latency = (whole ? WHOLE_LATENCY : HALF_LATENCY) +
                     (w->instructions - 1) * w->tensor_cycles / w->instructions;
    }
    find_sequence(m, w);
}

/* Four warps share what a warpgroup reads: B whole, and A unless it lies in registers. */
static void find_warpgroup_product(const struct warpgroup_multiply *g, struct matrix_work *w)
{
    const unsigned b_bits = g->n * g->k * tensor_formats[g->b].bits;
    const unsigned a_bytes = WARPGROUP_ROWS * WARPGROUP_BYTES_OF_K;
    const double bytes = b_bits / 8.0 + (g->a_in_registers ? 0 : a_bytes);
    w->instructions = 1;
    w->tensor_cycles = g->n / 2.0;
    w->shared_wavefronts = bytes / LINE_BYTES / WARPGROUP_WARPS;
    w->latency = GROUP_LATENCY;
    w->asynchronous = true;
}

bool matrix_work_of(const struct kernel *k, uint32_t pc, struct matrix_work *work)
{
    const struct insn *in = &k->code[pc];
    if (in->site >= k->site_count || k->origin[pc] == NULL) {
        return false;
    }
    const enum site_kind kind = k->sites[in->site].kind;
    if (kind != SITE_HMMA && kind != SITE_IMMA && kind != SITE_DMMA) {
        return false;
    }
    *work = (struct matrix_work){.instructions = 0};
    if (k->origin[pc]->op == PTX_OP_WGMMA) {
        find_warpgroup_product(in->warpgroup, work);
    } else {
        find_product(&k->matrices[in->number], work);
    }
    return true;
}
