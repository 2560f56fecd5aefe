/* test_texel.c - filtered floats at the edges of their range: the values are an H200's, which was
 * asked for textures of all halves and of 65,536 floats, at texels' centres and a quarter beside
 * them. */
#include "common/gpu/texture_texel.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "suite.h"

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t filtered(unsigned bits, float first, unsigned weight, float second)
{
    const struct texture t = {.format = {TEXTURE_FLOAT, (uint8_t)bits, 1}};
    const struct texel_sum s = {.texel = {{.real = first}, {.real = second}},
                                .weight = {weight, 256 - weight},
                                .count = 2,
                                .slice_end = {2},
                                .slices = 1};
    return texel_result(&t, &s, 0);
}

START_TEST(halves_keep_their_nans)
{
    static const uint32_t nans[][2] = {{0x7c01, 0x7f802000}, {0x7e00, 0x7fc00000},
                                       {0x7fff, 0x7fffe000}, {0xfc01, 0xff802000},
                                       {0xffff, 0xffffe000}, {0xfc00, 0xff800000}};
    for (unsigned i = 0; i < sizeof nans / sizeof nans[0]; i++) {
        ck_assert_uint_eq(bits_of(texel_from_half((uint16_t)nans[i][0])), nans[i][1]);
    }
}
END_TEST

START_TEST(a_texel_without_a_weight_is_not_seen)
{
    ck_assert_uint_eq(filtered(32, 1.5f, 256, INFINITY), bits_of(1.5f));
    ck_assert_uint_eq(filtered(16, NAN, 0, -2.0f), bits_of(-2.0f));
    ck_assert_uint_eq(filtered(32, -INFINITY, 1, 3.0f), bits_of(-INFINITY));
}
END_TEST

START_TEST(the_filter_has_one_nan)
{
    ck_assert_uint_eq(filtered(32, INFINITY, 128, -INFINITY), 0x7fffffff);
    ck_assert_uint_eq(filtered(32, -NAN, 255, 1), 0x7fffffff);
    ck_assert_uint_eq(filtered(16, NAN, 1, 1), 0x7fffe000);
}
END_TEST

START_TEST(what_is_subnormal_is_zero)
{
    ck_assert_uint_eq(filtered(32, 1e-40f, 256, 0), 0);
    ck_assert_uint_eq(filtered(32, -1e-40f, 256, 1), 0x80000000);
    ck_assert_uint_eq(filtered(32, FLT_MIN, 64, 0), 0);
    ck_assert_uint_eq(filtered(32, -FLT_MIN, 128, -1e-39f), 0x80000000);
    ck_assert_uint_eq(filtered(16, -0.0f, 128, -0.0f), 0x80000000);
    ck_assert_uint_eq(filtered(16, -0.0f, 128, 0), 0);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("texel");
    tcase_add_test(tests, halves_keep_their_nans);
    tcase_add_test(tests, a_texel_without_a_weight_is_not_seen);
    tcase_add_test(tests, the_filter_has_one_nan);
    tcase_add_test(tests, what_is_subnormal_is_zero);
    return run_suite("texel", tests);
}
