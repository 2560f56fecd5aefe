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
    struct float_range of_a = floats_no_range(), of_b = of_a, of_c;
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
    MMA("f16", F16, F16, F32, 16, false, 25, 16, false, false, TENSOR_TO_F32),
    MMA("f16 of k8", F16, F16, F32, 8, false, 25, 8, false, false, TENSOR_TO_F32),
    MMA("f16 to f16", F16, F16, F16, 16, false, 25, 16, false, false, TENSOR_TO_F16),
    MMA("bf16", BF16, BF16, F32, 16, false, 25, 16, false, false, TENSOR_TO_F32),
    MMA("tf32", TF32, TF32, F32, 8, false, 25, 8, false, false, TENSOR_TO_F32),
    MMA("tf32 of k4", TF32, TF32, F32, 4, false, 25, 4, false, false, TENSOR_TO_F32),
    MMA("mma of e4m3", E4M3, E4M3, F32, 32, true, 25, 16, true, true, TENSOR_TO_F32),
    MMA("mma of e5m2 by e4m3", E5M2, E4M3, F32, 32, true, 25, 16, true, true, TENSOR_TO_F32),
    MMA("mma of e5m2 to f16", E5M2, E5M2, F16, 32, true, 25, 16, true, true, TENSOR_TO_F16),
    MMA("wgmma of e4m3", E4M3, E4M3, F32, 32, false, 13, 64, false, false, TENSOR_TO_E8M13),
    MMA("wgmma of e4m3 by e5m2", E4M3, E5M2, F32, 32, false, 13, 64, false, false, TENSOR_TO_E8M13),
    MMA("f16, V100", F16, F16, F32, 16, false, 23, 4, false, false, TENSOR_TO_F32),
    MMA("f16 to f16, V100", F16, F16, F16, 16, false, 23, 4, false, false, TENSOR_TO_F16),
    MMA("f16, A100", F16, F16, F32, 16, false, 24, 8, false, false, TENSOR_TO_F32),
    MMA("f16 to f16, A100", F16, F16, F16, 16, false, 24, 8, false, false, TENSOR_TO_F16),
    MMA("bf16, A100", BF16, BF16, F32, 16, false, 24, 8, false, false, TENSOR_TO_F32),
    MMA("tf32, A100", TF32, TF32, F32, 8, false, 24, 4, false, false, TENSOR_TO_F32),
    MMA("wgmma of e5m2 to f16", E5M2, E5M2, F16, 32, false, 13, 64, false, false, TENSOR_TO_F16)};

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

/* What MMA-Sim publishes of the generations, by sums that tell them apart. Each factor is 0, 1, -1
 * or 2^-12; two of the last make 2^-24. */
enum { SMALL = 0x0c00, ONE = 0x3c00, LESS = 0xbc00 };
static const struct {
    const char *name;
    u32 a[16], b[16];
    u32 of_v100, of_t4, of_a100, of_h200;
} apart[] = {
    /* 1 + 2^-24 + 2^-24: Volta cuts off 2^-24 */
    {"kept",
     {ONE, SMALL, SMALL},
     {ONE, SMALL, SMALL},
     0x3f800000,
     0x3f800001,
     0x3f800001,
     0x3f800001},
    /* 1 + 2^-24 - 1 within four */
    {"within 4", {ONE, SMALL, LESS}, {ONE, SMALL, ONE}, 0, 0x33800000, 0x33800000, 0x33800000},
    /* the -1 is the fifth product: in Volta's second sum */
    {"within 8",
     {ONE, SMALL, SMALL, 0, LESS},
     {ONE, SMALL, SMALL, 0, ONE},
     0,
     0x34000000,
     0x34000000,
     0x34000000},
    /* the ninth: in the second sum of all but Hopper's */
    {"within 16",
     {ONE, SMALL, 0, 0, 0, 0, 0, 0, LESS},
     {ONE, SMALL, 0, 0, 0, 0, 0, 0, ONE},
     0,
     0,
     0,
     0x33800000},
};

START_TEST(generations_differ)
{
    const unsigned gpus[] = {70, 75, 80, 86, 89, 90, 100, 0};
    for (unsigned i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        const unsigned gpu = gpus[i];
        const u32 want = gpu == 70              ? apart[_i].of_v100
                         : gpu == 75            ? apart[_i].of_t4
                         : gpu != 0 && gpu < 90 ? apart[_i].of_a100
                                                : apart[_i].of_h200;
        const struct tensor_rule rule = tensor_rule_mma(gpu, ELEMENT_F16, ELEMENT_F32, 16);
        const u32 got = tensor_dot(rule, ELEMENT_F16, apart[_i].a, ELEMENT_F16, apart[_i].b, 16, 0);
        ck_assert_msg(got == want, "%s on %u: %08x instead of %08x", apart[_i].name, gpu, got,
                      want);
    }
}
END_TEST

START_TEST(rules_of_other_types)
{
    struct tensor_rule r = tensor_rule_mma(80, ELEMENT_TF32, ELEMENT_F32, 8);
    ck_assert(r.kept == 24 && r.most == 4 && r.rounding == TENSOR_TO_F32);
    r = tensor_rule_mma(89, ELEMENT_E4M3, ELEMENT_F32, 32);
    ck_assert(r.kept == 13 && r.most == 16 && r.rounding == TENSOR_TO_E8M13);
    ck_assert(!r.widens_fp8 && !r.accumulates_apart);
    r = tensor_rule_mma(89, ELEMENT_E5M2, ELEMENT_F16, 32);
    ck_assert(r.kept == 13 && r.rounding == TENSOR_TO_F16);
    r = tensor_rule_mma(90, ELEMENT_E5M2, ELEMENT_F32, 32);
    ck_assert(r.kept == 25 && r.most == 16 && r.widens_fp8 && r.accumulates_apart);
    r = tensor_rule_mma(120, ELEMENT_E5M2, ELEMENT_F32, 32);
    ck_assert(r.kept == 25 && r.most == 32 && !r.widens_fp8);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("matrix");
    tcase_add_loop_test(c, rows_are_sums, 0, sizeof sums / sizeof *sums);
    tcase_add_loop_test(c, generations_differ, 0, sizeof apart / sizeof *apart);
    tcase_add_test(c, rules_of_other_types);
    return run_suite("matrix", c);
}
