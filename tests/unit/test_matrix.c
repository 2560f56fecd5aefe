/* test_matrix.c - products of 16 rows at a time (exec/matrix_floats.h) are those of
 * common/gpu/tensor.h, bit for bit: every kind of numbers, each kind of sum. */
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed to inline functions alone */
#include "exec/matrix_floats.h"
#include "suite.h"
#include "tests/conformance/tensor/inputs.h"

#include <string.h>

#ifndef TILES /* of each kind of sum; a multiple of the eight kinds of numbers */
#define TILES (400 / RUNNING_SLOWLY)
#endif

struct sum {
    const char *name;
    enum tensor_format a, b, c; /* c: of accumulators */
    int a_input, b_input;
    unsigned k;
    bool widened; /* FP8 becomes FP16, as in mma */
    struct tensor_rule rule;
};

struct tile {
    ints16 a[FLOATS_MOST_K], c[8];
    u32 b[FLOATS_MOST_K][8];
};

/* Elements one after the other, as from registers of lanes. */
static u32 element(unsigned tile, unsigned operand, int input, unsigned bits, unsigned i)
{
    const unsigned per = 32 / bits, word = i / per;
    return tensor_word(tile, operand, word / 32, word % 32, input) >> i % per * bits &
           (bits == 32 ? UINT32_MAX : (1u << bits) - 1);
}

static void fill(const struct sum *s, unsigned tile, struct tile *t)
{
    const unsigned a_bits = tensor_formats[s->a].bits, b_bits = tensor_formats[s->b].bits;
    const bool half = s->c == ELEMENT_F16;
    for (unsigned k = 0; k < s->k; k++) {
        for (unsigned row = 0; row < 16; row++) {
            t->a[k][row] = (s32)element(tile, OPERAND_A, s->a_input, a_bits, row * s->k + k);
        }
        for (unsigned n = 0; n < 8; n++) {
            t->b[k][n] = element(tile, OPERAND_B, s->b_input, b_bits, n * s->k + k);
        }
    }
    for (unsigned i = 0; i < 128; i++) {
        t->c[i / 16][i % 16] =
            (s32)element(tile, OPERAND_C, half ? FORMAT_F16 : FORMAT_F32, half ? 16 : 32, i);
    }
}

/* As handlers do it; the results as FP32 bits. */
static void multiply(const struct sum *s, const struct tile *t, ints16 c[8])
{
    static struct float_rows rows;
    static struct float_columns columns;
    struct float_range of_a = floats_no_range(), of_b = of_a, of_c = of_a;
    const s32 least_a = floats_least_exponent(s->a, s->widened);
    const s32 least_b = floats_least_exponent(s->b, s->widened);
    const bool half = s->c == ELEMENT_F16;
    for (unsigned k = 0; k < s->k; k += 4) {
        u32 words[FLOATS_GROUP];
        for (unsigned i = 0; i < FLOATS_GROUP; i++) {
            words[i] = t->b[k + i % 4][i / 4];
        }
        floats_of_rows(s->a, least_a, &t->a[k], &rows, k, &of_a);
        floats_of_columns(s->b, least_b, words, &columns, k / 4, &of_b);
    }
    memcpy(c, t->c, sizeof t->c);
    floats_of_accumulators(s->c, c, &of_c);
    if (floats_are_near(&of_a, &of_b, &of_c)) {
        floats_multiply(&rows, &columns, s->k, s->rule, c, half);
        return;
    }
    const bool special =
        floats_are_special(&of_a) || floats_are_special(&of_b) || floats_are_special(&of_c);
    const struct far_operands far = {&rows, &columns, least_a, least_b, special};
    floats_multiply_far(&far, s->k, s->rule, c, half);
}

static u32 one_result(const struct sum *s, const struct tile *t, unsigned row, unsigned n)
{
    u32 a[FLOATS_MOST_K], b[FLOATS_MOST_K];
    for (unsigned k = 0; k < s->k; k++) {
        const u32 x = (u32)t->a[k][row], y = t->b[k][n];
        a[k] = s->widened ? tensor_f16_of_fp8(s->a, x) : x;
        b[k] = s->widened ? tensor_f16_of_fp8(s->b, y) : y;
    }
    return tensor_dot(s->rule, s->widened ? ELEMENT_F16 : s->a, a, s->widened ? ELEMENT_F16 : s->b,
                      b, s->k, (u32)t->c[n][row]);
}

/* FP16 bits as FP32's: exact; every NaN is the one. */
static u32 as_single(u32 half)
{
    const u32 sign = (half & 0x8000u) << 16, size = half & 0x7fffu;
    float value = (float)(size & 0x3ffu) * 0x1p-24f;
    u32 bits = ((size >> 10) + 112) << 23 | (size & 0x3ffu) << 13;
    if (size >= 0x7c00) {
        return size > 0x7c00 ? 0x7fffffffu : sign | 0x7f800000u;
    }
    if (size < 0x400) {
        memcpy(&bits, &value, sizeof bits);
    }
    return sign | bits;
}

static bool same(u32 got, u32 want)
{
    const bool both_nan = (got & 0x7fffffffu) > 0x7f800000u && want == 0x7fffffffu;
    return got == want || both_nan;
}

#define MMA(name, A, B, C, k, widened, ...)                                                        \
    {                                                                                              \
        name, ELEMENT_##A, ELEMENT_##B, ELEMENT_##C, FORMAT_##A, FORMAT_##B, k, widened,           \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
static const struct sum sums[] = {
    MMA("f16", F16, F16, F32, 16, false, 25, 16, false, TENSOR_TO_F32),
    MMA("f16 of k8", F16, F16, F32, 8, false, 25, 8, false, TENSOR_TO_F32),
    MMA("f16 to f16", F16, F16, F16, 16, false, 25, 16, false, TENSOR_TO_F16),
    MMA("bf16", BF16, BF16, F32, 16, false, 25, 16, false, TENSOR_TO_F32),
    MMA("tf32", TF32, TF32, F32, 8, false, 25, 8, false, TENSOR_TO_F32),
    MMA("tf32 of k4", TF32, TF32, F32, 4, false, 25, 4, false, TENSOR_TO_F32),
    MMA("mma of e4m3", E4M3, E4M3, F32, 32, true, 25, 16, true, TENSOR_TO_F32),
    MMA("mma of e5m2 by e4m3", E5M2, E4M3, F32, 32, true, 25, 16, true, TENSOR_TO_F32),
    MMA("mma of e5m2 to f16", E5M2, E5M2, F16, 32, true, 25, 16, true, TENSOR_TO_F16),
    MMA("wgmma of e4m3", E4M3, E4M3, F32, 32, false, 13, 64, false, TENSOR_TO_E8M13),
    MMA("wgmma of e4m3 by e5m2", E4M3, E5M2, F32, 32, false, 13, 64, false, TENSOR_TO_E8M13),
    MMA("wgmma of e5m2 to f16", E5M2, E5M2, F16, 32, false, 13, 64, false, TENSOR_TO_F16)};

START_TEST(rows_are_sums)
{
    const struct sum *s = &sums[_i];
    static struct tile t;
    for (unsigned tile = 0; tile < TILES; tile++) {
        ints16 c[8];
        fill(s, tile, &t);
        multiply(s, &t, c);
        for (unsigned i = 0; i < 128; i++) {
            const u32 exact = one_result(s, &t, i % 16, i / 16), got = (u32)c[i / 16][i % 16];
            const u32 want = s->c == ELEMENT_F16 ? as_single(exact) : exact;
            ck_assert_msg(same(got, want), "%s, tile %u, row %u, column %u: %08x instead of %08x",
                          s->name, tile, i % 16, i / 16, got, want);
        }
    }
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("matrix");
    tcase_add_loop_test(c, rows_are_sums, 0, sizeof sums / sizeof *sums);
    return run_suite("matrix", c);
}
