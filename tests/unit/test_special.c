/* test_special.c - the special function unit against an NVIDIA H200 (driver 580.159.04, CUDA 13.0):
 * hashes of what it returned for the same numbers. */
#include <math.h>
#include <string.h>

#include "common/gpu/special.h"
#include "suite.h"

static uint64_t with(uint64_t hash, float y)
{
    return (hash ^ (y != y ? 0x7fffffffu : bits_of_f32(y))) * 1099511628211u;
}

static const uint64_t no_results = 1469598103934665603u;

/* ---- the square ------------------------------------------------------------------------------ */

START_TEST(columns_below_19_are_left_out)
{
    for (uint32_t x = 0; x < 1u << 17; x++) {
        uint64_t sum = 0;
        for (unsigned i = 0; i < 17; i++) {
            for (unsigned j = i; j < 17; j++) {
                const unsigned column = i == j ? 2 * i : i + j + 1;
                sum += column >= 19 && x >> i & 1 && x >> j & 1 ? UINT64_C(1) << column : 0;
            }
        }
        ck_assert_uint_eq(special_square(x), sum >> 19);
    }
}
END_TEST

/* ---- every 31st number of one or two octaves ------------------------------------------------- */

static const struct {
    float (*function)(float);
    uint32_t first, octaves;
    uint64_t hash;
} recorded[] = {
    {special_rcp, 0x3f800000, 1, 0xaf715eb5aa036afeu},
    {special_rsqrt, 0x3f800000, 2, 0x3e3d1b2e5bd6abb6u},
    {special_sqrt, 0x3f800000, 2, 0x222c0bb916905c0eu},
    {special_lg2, 0x3f000000, 2, 0x12700a671af758d3u},
    {special_sin, 0x40800000, 2, 0x3b70434e37f5ccebu},
    {special_cos, 0x40800000, 2, 0x116344c97f649c6cu},
    {special_ex2, 0x3f800000, 1, 0x02c7490c9ea84184u},
    {special_tanh, 0x3e800000, 5, 0x8510541c85126c64u},
};

START_TEST(octaves_are_an_h200s)
{
    uint64_t hash = no_results;
    for (uint32_t i = 0; i < recorded[_i].octaves << 23; i += 31) {
        hash = with(hash, recorded[_i].function(f32_of_bits(recorded[_i].first + i)));
    }
    ck_assert_uint_eq(hash, recorded[_i].hash);
}
END_TEST

/* ---- double: every 31st of the 2^20 high words of an octave ---------------------------------- */

static uint64_t hash_of_doubles(double (*function)(double), uint64_t octaves)
{
    uint64_t hash = no_results;
    for (uint64_t i = 0; i < octaves << 20; i += 31) {
        const double y = function(special_of_high(0x3ff00000 + (uint32_t)i));
        uint64_t bits;
        memcpy(&bits, &y, sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
    }
    return hash;
}

START_TEST(octaves_of_doubles_are_an_h200s)
{
    ck_assert_uint_eq(hash_of_doubles(special_rcp_double, 1), 0xf7b8adf7d69fa67bu);
    ck_assert_uint_eq(hash_of_doubles(special_rsqrt_double, 2), 0x26fbba5161edb381u);
}
END_TEST

/* Of four numbers one lies between 1/8 and 4, two are positive; some are subnormal or NaN. */
static double draw_double(uint64_t i, uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = (*state ^ *state >> 29) * 0x9e3779b97f4a7c15u;
    bits ^= bits >> 32;
    if (i % 4 == 0) {
        bits = (bits & 0xfffffffffffff) | (1020 + bits % 5) << 52;
    } else if (i % 64 == 1) {
        bits &= 0x800fffffffffffff;
    } else if (i % 4 != 3) {
        bits &= INT64_MAX;
    }
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

START_TEST(reciprocal_roots_of_doubles_are_an_h200s)
{
    uint64_t state = 5, hash = no_results;
    for (uint64_t i = 0; i < 1 << 17; i++) {
        const double y = special_rsqrt_refined(draw_double(i, &state));
        uint64_t bits;
        memcpy(&bits, &y, sizeof bits);
        hash = (hash ^ (y != y ? 0x7fff : bits)) * 1099511628211u;
    }
    ck_assert_uint_eq(hash, 0xe5546544b6248506u);
}
END_TEST

START_TEST(edges_of_doubles)
{
    ck_assert(special_rcp_double(4 + 0x1p-40) == 0.25 && special_rcp_double(0x1p1023) == 0);
    ck_assert(special_rcp_double(-0.0) == -INFINITY && signbit(special_rcp_double(-INFINITY)) != 0);
    ck_assert(special_rcp_double(0x1p-1040) == INFINITY && isnan(special_rcp_double(NAN)));
    ck_assert(special_rsqrt_double(0x1p-1000) == 0x1p500 && special_rsqrt_double(16) == 0.25);
    ck_assert(special_rsqrt_double(0) == INFINITY && special_rsqrt_double(INFINITY) == 0);
    ck_assert(isnan(special_rsqrt_double(-1)) && isnan(special_rsqrt_double(NAN)));
    ck_assert_uint_eq(special_high(special_rsqrt_double(-1)), 0x7fffffff);
    ck_assert_uint_eq(special_high(special_rcp_double(-NAN)), 0x7fffffff);
    ck_assert(special_rsqrt_refined(0) == INFINITY && special_rsqrt_refined(-0.0) == -INFINITY);
    ck_assert(special_rsqrt_refined(INFINITY) == 0 && isnan(special_rsqrt_refined(-4)));
    ck_assert(special_rsqrt_refined(0x1.fffffffffffffp1023) == 0x1p-512);
}
END_TEST

/* ---- numbers of all sizes -------------------------------------------------------------------- */

static uint32_t drawn(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint32_t x = (uint32_t)(*state >> 33);
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ x >> 12;
}

/* Of eight numbers four lie between 2^-7 and 2^7, one between 2^-27 and 2^27, one is at most
 * 2^-123; the others have random bits. */
static float draw(uint32_t i, uint64_t *state)
{
    const uint32_t first = drawn(state);
    uint32_t x = first << 1 ^ drawn(state);
    if (i % 8 < 4) {
        x = (x & 0x807fffff) | (120 + drawn(state) % 14) << 23;
    } else if (i % 8 == 4) {
        x = (x & 0x807fffff) | (100 + drawn(state) % 54) << 23;
    } else if (i % 8 == 5) {
        x = (x & 0x807fffff) | drawn(state) % 4 << 23;
    }
    return f32_of_bits(x);
}

/* As instructions with .ftz do: a subnormal number counts as 0. */
static float flushed(float x)
{
    return bits_of_f32(x) << 1 < 0x01000000 ? f32_of_bits(bits_of_f32(x) & 0x80000000) : x;
}

static float div(float x) { return special_div(x, fmaf(x, 1.37f, 3.1f)); }
static float div_full(float x) { return special_div_full(x, fmaf(x, 1.37f, 3.1f)); }

static const struct {
    float (*function)(float);
    bool ftz;
    uint64_t hash;
} instructions[] = {
    {special_rcp, true, 0xe8402b824e5dc70fu},   {special_rcp, false, 0xe9ffc63a893d0f55u},
    {special_rsqrt, true, 0x69ff3b0e6698d218u}, {special_rsqrt, false, 0xb35a3feef29cd1bfu},
    {special_sqrt, true, 0x7aad595b31e19737u},  {special_sqrt, false, 0xd6fdaeb88d1869c9u},
    {special_lg2, true, 0xb96b956c1c588807u},   {special_lg2, false, 0x7390e8244f27fbcfu},
    {special_ex2, true, 0x44852b5c890dc5e8u},   {special_ex2, false, 0xcf4405f0055d6dc2u},
    {special_sin, true, 0x47040fcfca2f8ca9u},   {special_sin, false, 0x47040fcfca2f8ca9u},
    {special_cos, true, 0x6dc54541bbb4810bu},   {special_cos, false, 0x6dc54541bbb4810bu},
    {div, false, 0xf1fabecfa136a75eu},          {div_full, false, 0xf848265b2164c7f1u},
    {special_tanh, false, 0x56c312df17f7b396u},
};

START_TEST(numbers_of_all_sizes_are_an_h200s)
{
    uint64_t state = 7, hash = no_results;
    for (uint32_t i = 0; i < 65536; i++) {
        const float x = draw(i, &state), operand = instructions[_i].ftz ? flushed(x) : x;
        const float y = instructions[_i].function(operand);
        hash = with(hash, instructions[_i].ftz ? flushed(y) : y);
    }
    ck_assert_uint_eq(hash, instructions[_i].hash);
}
END_TEST

/* ---- what PTX defines ------------------------------------------------------------------------ */

START_TEST(edges)
{
    ck_assert(special_ex2(-1) == 0.5f && special_ex2(127) == 0x1p127f && isinf(special_ex2(128)));
    ck_assert(special_ex2(-140) == 0x1p-140f && special_ex2(-INFINITY) == 0);
    ck_assert(special_ex2_unit(-127) == 0 && special_ex2_unit(-0x1p-60f) == 1);
    ck_assert(special_rcp(-0.0f) == -INFINITY && signbit(special_rcp(-INFINITY)) != 0);
    ck_assert(special_rcp(4) == 0.25f && special_rcp(0x1p-127f) == 0x1p127f);
    ck_assert(special_rsqrt(0) == INFINITY && special_rsqrt(INFINITY) == 0 &&
              isnan(special_rsqrt(-1)));
    ck_assert(special_rsqrt(16) == 0.25f && special_rsqrt(0x1p-140f) == 0x1p70f);
    ck_assert(signbit(special_sqrt(-0.0f)) != 0 && special_sqrt(0x1p-140f) == 0x1p-70f);
    ck_assert(isnan(special_sqrt(-1)) && isinf(special_sqrt(INFINITY)));
    ck_assert(special_lg2(1) == 0 && special_lg2(0) == -INFINITY && isnan(special_lg2(-1)));
    ck_assert(signbit(special_sin(-0.0f)) != 0 && special_cos(0) == 1 &&
              isnan(special_sin(INFINITY)));
    ck_assert(special_tanh(0x1p-9f) == 0x1p-9f && special_tanh(0x1p-149f) == 0x1p-149f);
    ck_assert(special_tanh(8) == 1 && special_tanh(-INFINITY) == -1 && isnan(special_tanh(NAN)));
    ck_assert(special_div(1, 4) == 0.25f && special_div(1, 0x1p127f) == 0);
    ck_assert(special_div_full(0x1p126f, 0x1p127f) == 0.5f);
    ck_assert(isnan(special_ex2(NAN)) && isnan(special_rcp(NAN)) && isnan(special_rsqrt(NAN)) &&
              isnan(special_sqrt(NAN)) && isnan(special_lg2(NAN)) && isnan(special_cos(NAN)));
}
END_TEST

/* ---- CUDA's library -------------------------------------------------------------------------- */

/* 8,192 numbers of all sizes, as above but drawn otherwise: the hashes are of another recording. */
static float draw_of_library(uint32_t i, uint64_t *state)
{
    static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                                       0x7fffffff, 0x3f800000, 0xbf800000, 0x3f000000};
    const uint32_t first = drawn(state);
    uint32_t x = first ^ drawn(state) << 4;
    if (i % 8 < 3) {
        x = (x & 0x807fffff) | (120 + drawn(state) % 14) << 23;
    } else if (i % 8 < 5) {
        x = (x & 0x7fffff) | (118 + drawn(state) % 9) << 23;
    } else if (i % 8 == 5) {
        x = (x & 0x807fffff) | (60 + drawn(state) % 140) << 23;
    } else if (i % 64 == 6) {
        x &= 0x807fffff;
    }
    return f32_of_bits(i % 512 == 7 ? special[i / 512 % 8] : x);
}

static uint64_t hash_of(float (*function)(float))
{
    uint64_t state = 3, hash = no_results;
    for (uint32_t i = 0; i < 8192; i++) {
        const float y = function(draw_of_library(i, &state));
        hash = y != y ? hash * 31 + 1 : with(hash, y);
    }
    return hash;
}

static float fast_expf(float x) { return special_ex2(x * 0x1.715476p+0f); }

START_TEST(functions_of_the_library_are_cudas)
{
    ck_assert_uint_eq(hash_of(special_exp2f), 0x9e17da517c60c0a3u);
    ck_assert_uint_eq(hash_of(special_expf), 0x110a6d1255a1108du);
    ck_assert_uint_eq(hash_of(special_logf), 0x712e66521a58fb31u);
    ck_assert_uint_eq(hash_of(special_erfcf), 0xe1ff484efd910a88u);
    ck_assert_uint_eq(hash_of(fast_expf), 0xa7439e7365d40926u);
}
END_TEST

static void (*const lanes[])(float *restrict, const float *restrict) = {
    special_exp2f_lanes, special_expf_lanes, special_logf_lanes, special_erfcf_lanes};
static float (*const single[])(float) = {special_exp2f, special_expf, special_logf, special_erfcf};

START_TEST(functions_of_a_warp_are_those_of_its_lanes)
{
    uint64_t state = 3;
    for (uint32_t warp = 0; warp < 256; warp++) {
        float x[32], y[32];
        for (uint32_t lane = 0; lane < 32; lane++) {
            x[lane] = draw_of_library(32 * warp + lane, &state);
        }
        lanes[_i](y, x);
        for (uint32_t lane = 0; lane < 32; lane++) {
            ck_assert_uint_eq(bits_of_f32(y[lane]), bits_of_f32(single[_i](x[lane])));
        }
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("special");
    tcase_add_loop_test(tests, functions_of_a_warp_are_those_of_its_lanes, 0,
                        sizeof lanes / sizeof lanes[0]);
    tcase_add_test(tests, columns_below_19_are_left_out);
    tcase_add_loop_test(tests, octaves_are_an_h200s, 0, sizeof recorded / sizeof recorded[0]);
    tcase_add_loop_test(tests, numbers_of_all_sizes_are_an_h200s, 0,
                        sizeof instructions / sizeof instructions[0]);
    tcase_add_test(tests, octaves_of_doubles_are_an_h200s);
    tcase_add_test(tests, reciprocal_roots_of_doubles_are_an_h200s);
    tcase_add_test(tests, edges_of_doubles);
    tcase_add_test(tests, edges);
    tcase_add_test(tests, functions_of_the_library_are_cudas);
    return run_suite("special", tests);
}
