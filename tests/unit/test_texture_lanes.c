/* test_texture_lanes.c - a warp's texels at once are what each lane's are alone, bit for bit, of
 * textures of every kind with random texels and points: numbers beside edges, far outside, and none
 * at all. */
#include "common/gpu/texture_lanes.h"

#include <math.h>
#include <string.h>

#include "suite.h"

enum { WIDTH = 13, HEIGHT = 7, MOST_BYTES = WIDTH * HEIGHT * 16, ROUNDS = 40 };

static uint64_t state;

static uint32_t random_bits(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static float random_float(void)
{
    const uint32_t bits = random_bits() << 1 | (random_bits() & 1);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* In texels, or in parts of a side: often near it, at times anything. */
static float random_coordinate(bool is_normalised, unsigned side)
{
    const float near = (float)(random_bits() % 4096) / 4096.0f * 1.5f - 0.25f;
    if (random_bits() % 16 == 0) {
        return random_float();
    }
    return near * (is_normalised ? 1.0f : (float)side);
}

static const struct texture_format formats[] = {
    {TEXTURE_FLOAT, 32, 1},   {TEXTURE_FLOAT, 32, 4},  {TEXTURE_UNSIGNED, 8, 1},
    {TEXTURE_UNSIGNED, 8, 4}, {TEXTURE_SIGNED, 8, 2},  {TEXTURE_UNSIGNED, 16, 1},
    {TEXTURE_SIGNED, 16, 4},  {TEXTURE_SIGNED, 32, 1}, {TEXTURE_UNSIGNED, 32, 2},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static uint8_t texels[MOST_BYTES];

/* tame: small numbers alone, which a filter adds up; else any bits, of which some are no numbers.
 */
static struct texture texture_of(struct texture_format f, bool tame)
{
    struct texture t = {.format = f, .level_count = 1, .border = {0.25f, -2, 0.5f, 1}};
    for (unsigned i = 0; i < MOST_BYTES / 4; i++) {
        const uint32_t word = random_bits() << 1;
        const float small = (float)(int32_t)word * 0x1p-30f;
        memcpy(texels + 4 * i, tame && f.number == TEXTURE_FLOAT ? (const void *)&small : &word, 4);
    }
    t.levels[0] = (struct texture_level){texels, WIDTH, HEIGHT, 1, WIDTH * 16, 0};
    return t;
}

static struct texture_value value_at(uint32_t channel[4][TEXTURE_LANES], unsigned lane)
{
    return (struct texture_value){
        {channel[0][lane], channel[1][lane], channel[2][lane], channel[3][lane]}};
}

/* Returns how many warps were taken at once. */
static unsigned try_points(const struct texture *t, unsigned dimensions)
{
    float x[TEXTURE_LANES], y[TEXTURE_LANES];
    uint32_t channel[4][TEXTURE_LANES];
    for (unsigned lane = 0; lane < TEXTURE_LANES; lane++) {
        x[lane] = random_coordinate(t->is_normalised, WIDTH);
        y[lane] = random_coordinate(t->is_normalised, HEIGHT);
    }
    if (!texture_sample_lanes(t, x, dimensions > 1 ? y : NULL, channel)) {
        return 0;
    }
    for (unsigned lane = 0; lane < TEXTURE_LANES; lane++) {
        const struct texture_value want = texture_sample(
                                       t, dimensions,
                                       (struct texture_point){.x = x[lane], .y = y[lane]}),
                                   got = value_at(channel, lane);
        ck_assert_mem_eq(&got, &want, sizeof got);
    }
    return 1;
}

/* Every filter, address mode and kind of coordinate. */
static unsigned try_kinds(struct texture t, unsigned dimensions)
{
    unsigned taken = 0;
    for (unsigned kind = 0; kind < 32; kind++) {
        t.address[0] = kind & 3, t.address[1] = (kind + kind / 8) & 3;
        t.is_normalised = kind >> 2 & 1;
        t.is_linear = kind >> 3 & 1;
        t.reads_floats = kind >> 4 || t.is_linear;
        if (!texture_takes_lanes(&t, dimensions)) {
            ck_assert(t.format.bits == 32 && t.format.number != TEXTURE_FLOAT && t.reads_floats);
            continue;
        }
        for (unsigned round = 0; round < ROUNDS; round++) {
            taken += try_points(&t, dimensions);
        }
    }
    return taken;
}

START_TEST(a_warp_is_its_lanes)
{
    const struct texture_format f = formats[_i];
    const bool is_wide_integer = f.bits == 32 && f.number != TEXTURE_FLOAT;
    state = (uint64_t)_i + 1;
    for (unsigned dimensions = 1; dimensions <= 2; dimensions++) {
        /* All but borders: of 32 kinds 8 have one, and 8 more along y, of integers of 32 bits of 8.
         */
        ck_assert_uint_ge(try_kinds(texture_of(f, true), dimensions),
                          ROUNDS * (is_wide_integer ? 4 : 16));
        try_kinds(texture_of(f, false), dimensions);
    }
}
END_TEST

START_TEST(integers_name_texels)
{
    struct texture t = texture_of(formats[_i], false);
    int32_t x[TEXTURE_LANES], y[TEXTURE_LANES];
    uint32_t channel[4][TEXTURE_LANES];
    for (unsigned lane = 0; lane < TEXTURE_LANES; lane++) {
        x[lane] = (int32_t)(random_bits() % (WIDTH + 4)) - 2;
        y[lane] = (int32_t)(random_bits() % (HEIGHT + 4)) - 2;
    }
    for (unsigned dimensions = 1; dimensions <= 2; dimensions++) {
        texture_fetch_lanes(&t, x, dimensions > 1 ? y : NULL, channel);
        for (unsigned lane = 0; lane < TEXTURE_LANES; lane++) {
            const struct texture_value want = texture_fetch(&t, x[lane],
                                                            dimensions > 1 ? y[lane] : 0, 0),
                                       got = value_at(channel, lane);
            ck_assert_mem_eq(&got, &want, sizeof got);
        }
    }
}
END_TEST

/* Found by lanes of their own: halves, sRGB, levels, layers, cubes, a third dimension. */
START_TEST(other_textures_are_not_taken)
{
    const struct texture plain = texture_of((struct texture_format){TEXTURE_UNSIGNED, 8, 4}, false);
    struct texture t = plain;
    ck_assert(texture_takes_lanes(&t, 2));
    ck_assert(!texture_takes_lanes(&t, 3));
    t.is_srgb = true;
    ck_assert(!texture_takes_lanes(&t, 2));
    t = plain, t.level_count = 2;
    ck_assert(!texture_takes_lanes(&t, 2));
    t = plain, t.is_layered = true;
    ck_assert(!texture_takes_lanes(&t, 2));
    t = plain, t.is_cube = true;
    ck_assert(!texture_takes_lanes(&t, 2));
    t = plain, t.format = (struct texture_format){TEXTURE_FLOAT, 16, 1};
    ck_assert(!texture_takes_lanes(&t, 1));
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("texture lanes");
    tcase_add_loop_test(tests, a_warp_is_its_lanes, 0, FORMATS);
    tcase_add_loop_test(tests, integers_name_texels, 0, FORMATS);
    tcase_add_test(tests, other_textures_are_not_taken);
    return run_suite("texture lanes", tests);
}
