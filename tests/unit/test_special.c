/* test_special.c - the special function unit against an NVIDIA H200 (driver 580.159.04, CUDA 13.0):
 * hashes of what it returned for the same numbers. */
#include <math.h>
#include <string.h>

#include "common/gpu/special.h"
#include "suite.h"

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

START_TEST(ex2_of_all_fractions)
{
    uint64_t hash = 1469598103934665603u;
    for (uint32_t i = 0; i < 1u << 23; i++) {
        hash = (hash ^ bits_of(special_ex2_unit(float_of(0x3f800000u + i)))) * 1099511628211u;
    }
    ck_assert_uint_eq(hash, 0xc4d16eed541febedu);
}
END_TEST

/* ---- numbers of all sizes -------------------------------------------------------------------- */

enum { NUMBERS = 8192 };

static uint32_t drawn(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint32_t x = (uint32_t)(*state >> 33);
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ x >> 12;
}

/* Of eight numbers three lie between 2^-7 and 2^7, two more between 2^-9 and 1 without a sign, one
 * between 2^-67 and 2^73; the others have random bits, or are subnormal or one of eight special
 * ones. */
static void draw(float *numbers)
{
    static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                                       0x7fffffff, 0x3f800000, 0xbf800000, 0x3f000000};
    uint64_t state = 3;
    for (uint32_t i = 0; i < NUMBERS; i++) {
        const uint32_t first = drawn(&state);
        uint32_t x = first ^ drawn(&state) << 4;
        if (i % 8 < 3) {
            x = (x & 0x807fffff) | (120 + drawn(&state) % 14) << 23;
        } else if (i % 8 < 5) {
            x = (x & 0x7fffff) | (118 + drawn(&state) % 9) << 23;
        } else if (i % 8 == 5) {
            x = (x & 0x807fffff) | (60 + drawn(&state) % 140) << 23;
        } else if (i % 64 == 6) {
            x &= 0x807fffff;
        }
        numbers[i] = float_of(i % 512 == 7 ? special[i / 512 % 8] : x);
    }
}

/* Of the results; any NaN counts the same. */
static uint64_t hash_of(float (*function)(float))
{
    float numbers[NUMBERS];
    draw(numbers);
    uint64_t hash = 1469598103934665603u;
    for (uint32_t i = 0; i < NUMBERS; i++) {
        const float y = function(numbers[i]);
        hash = y != y ? hash * 31 + 1 : (hash ^ bits_of(y)) * 1099511628211u;
    }
    return hash;
}

START_TEST(exp2f_of_numbers_of_all_sizes)
{
    ck_assert_uint_eq(hash_of(special_exp2f), 0x9e17da517c60c0a3u);
}
END_TEST

static float fast_expf(float x) { return special_ex2(x * 0x1.715476p+0f); }

START_TEST(fast_expf_of_numbers_of_all_sizes)
{
    ck_assert_uint_eq(hash_of(fast_expf), 0xa7439e7365d40926u);
}
END_TEST

START_TEST(expf_of_numbers_of_all_sizes)
{
    ck_assert_uint_eq(hash_of(special_expf), 0x110a6d1255a1108du);
}
END_TEST

/* What the PTX manual says, and where whole numbers have to be exact. */
START_TEST(ex2_at_its_edges)
{
    ck_assert(special_ex2_unit(-1) == 0.5f && special_ex2_unit(-126) == 0x1p-126f);
    ck_assert(special_ex2_unit(127) == 0x1p127f && isinf(special_ex2_unit(128)));
    ck_assert(special_ex2_unit(-127) == 0 && special_ex2_unit(-INFINITY) == 0);
    ck_assert(special_ex2_unit(0x1p-140f) == 1 && special_ex2_unit(-0x1p-60f) == 1);
    ck_assert(special_ex2(-140) == 0x1p-140f && special_ex2(-252) == 0);
    ck_assert(isnan(special_ex2(NAN)));
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("special");
    tcase_add_test(tests, ex2_of_all_fractions);
    tcase_add_test(tests, exp2f_of_numbers_of_all_sizes);
    tcase_add_test(tests, fast_expf_of_numbers_of_all_sizes);
    tcase_add_test(tests, expf_of_numbers_of_all_sizes);
    tcase_add_test(tests, ex2_at_its_edges);
    return run_suite("special", tests);
}
