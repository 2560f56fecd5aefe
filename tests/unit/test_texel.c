/* test_texel.c - filtered floats at the edges of their range, sRGB, and levels of gradients: the
 * values are an H200's, which was asked for textures of all halves and of 65,536 floats, at texels'
 * centres and a quarter beside them. */
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

/* ---- sRGB: two texels, of which the first is one of four, at all weights --------------------- */

static uint64_t with(uint64_t hash, uint64_t result) { return (hash ^ result) * 1099511628211u; }

static const uint64_t no_results = 1469598103934665603u;

static uint32_t filtered_srgb(uint8_t first, uint8_t second, unsigned weight)
{
    const struct texture t = {
        .format = {TEXTURE_UNSIGNED, 8, 1}, .reads_floats = true, .is_srgb = true};
    const struct texel_sum s = {.texel = {texel_of(&t, &first, 0), texel_of(&t, &second, 0)},
                                .weight = {256 - weight, weight},
                                .count = 2,
                                .slice_end = {2},
                                .slices = 1};
    return texel_result(&t, &s, 0);
}

START_TEST(filtered_srgb_is_an_h200s)
{
    static const uint8_t firsts[] = {0, 255, 100, 13};
    uint64_t hash = no_results;
    for (unsigned i = 0; i < 4 * 65536; i += 7) {
        hash = with(hash, filtered_srgb(firsts[i >> 16], (uint8_t)(i >> 8), i & 255));
    }
    ck_assert_uint_eq(hash, 0x53d630067dec195bu);
}
END_TEST

/* ---- levels of gradients, in 1/256 ----------------------------------------------------------- */

static int level_in(unsigned side, unsigned dimensions, const float *dx, const float *dy)
{
    struct texture t = {.is_normalised = true};
    t.levels[0].width = t.levels[0].height = t.levels[0].depth = side;
    return (int)floorf(texture_level_of(&t, dimensions, dx, dy) * 256);
}

START_TEST(levels_of_lengths_are_an_h200s)
{
    uint64_t hash = no_results;
    for (unsigned k = 0; k < 256; k++) {
        const float length = 1 + (float)k / 256, none[3] = {0};
        const float right[3] = {length / 64}, down[3] = {0, -(length + 0x1.fp-9f) / 16};
        const int level = level_in(256, 2, right, none);
        hash = with(hash, (uint64_t)(level - 512));
        ck_assert_int_eq(level_in(256, 2, none, down), level + 512);
    }
    ck_assert_uint_eq(hash, 0x108d5ef3393f25a6u);
    ck_assert_int_lt(level_in(256, 2, (float[3]){0}, (float[3]){0}), -256);
    ck_assert_int_gt(level_in(256, 2, (float[3]){INFINITY}, (float[3]){0}), 256 * 64);
}
END_TEST

static const struct {
    float dx[3], dy[3];
    int level;
} of_two[] =
    {
        {{-0x1.881d080000000p-5f, -0x1.9af9a00000000p-7f},
         {0x1.ed7cc00000000p-6f, 0x1.f44f200000000p-10f},
         990},
        {{-0x1.cfa6700000000p-8f, 0x1.92ec400000000p-7f},
         {-0x1.a43f980000000p-5f, -0x1.f89ddc0000000p-8f},
         969},
        {{0x1.a67a700000000p-8f, -0x1.f286800000000p-10f},
         {-0x1.ddf6000000000p-11f, -0x1.6bf4a80000000p-7f},
         395},
        {{0x1.99f1800000000p-11f, 0x1.1e54340000000p-6f},
         {-0x1.68d2780000000p-5f, -0x1.d37a400000000p-8f},
         914},
        {{0x1.5895980000000p-10f, 0x1.059eac0000000p-6f},
         {-0x1.0f1fb80000000p-10f, -0x1.02d0580000000p-9f},
         530},
},
  of_three[] = {
      {{-0x1.35b3c00000000p-6f, 0x1.a56c0c0000000p-4f, -0x1.f31c700000000p-7f},
       {0x1.b16fe00000000p-7f, -0x1.36be000000000p-11f, -0x1.0562080000000p-6f},
       731},
      {{-0x1.0b1c140000000p-7f, 0x1.37f1500000000p-7f, -0x1.3bdb980000000p-8f},
       {0x1.baf4340000000p-4f, 0x1.bf95000000000p-8f, 0x1.174ac00000000p-10f},
       723},
      {{-0x1.2f1d440000000p-6f, 0x1.fcaf040000000p-4f, -0x1.1f31040000000p-7f},
       {0x1.d23ee80000000p-6f, 0x1.6d16700000000p-7f, -0x1.4757700000000p-7f},
       790},
      {{0x1.919d5c0000000p-6f, -0x1.fe0ee80000000p-7f, 0x1.5758600000000p-6f},
       {-0x1.c18ce00000000p-6f, 0x1.43cc080000000p-6f, -0x1.1b6c700000000p-4f},
       618},
};

START_TEST(levels_of_two_vectors_are_an_h200s)
{
    for (unsigned i = 0; i < sizeof of_two / sizeof of_two[0]; i++) {
        ck_assert_int_eq(level_in(256, 2, of_two[i].dx, of_two[i].dy), of_two[i].level);
    }
    for (unsigned i = 0; i < sizeof of_three / sizeof of_three[0]; i++) {
        ck_assert_int_eq(level_in(64, 3, of_three[i].dx, of_three[i].dy), of_three[i].level);
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("texel");
    tcase_add_test(tests, halves_keep_their_nans);
    tcase_add_test(tests, a_texel_without_a_weight_is_not_seen);
    tcase_add_test(tests, the_filter_has_one_nan);
    tcase_add_test(tests, what_is_subnormal_is_zero);
    tcase_add_test(tests, filtered_srgb_is_an_h200s);
    tcase_add_test(tests, levels_of_lengths_are_an_h200s);
    tcase_add_test(tests, levels_of_two_vectors_are_an_h200s);
    return run_suite("texel", tests);
}
