/* texture_texel.c - from the bytes of a texel to a number, and from a weighted sum to the result.
 *
 * Called by texture.c alone. What is filtered how, and where that was found: texture.h. */
#include "texture_texel.h"
#include "common/gpu/float_bits.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What an H200 makes of an 8-bit channel that is coded as sRGB, in 1/65536 (recorded 2026-11-22).
 * It keeps about eight significant bits of the standard's formula. */
static const uint32_t srgb[256] = {
    0,     20,    40,    60,    80,    100,   120,   140,   160,   180,   200,   220,   240,
    264,   288,   312,   340,   368,   396,   428,   460,   492,   524,   560,   600,   636,
    676,   720,   760,   804,   852,   896,   944,   1000,  1048,  1104,  1160,  1216,  1272,
    1328,  1392,  1456,  1520,  1584,  1648,  1720,  1792,  1864,  1936,  2016,  2096,  2176,
    2256,  2336,  2416,  2496,  2592,  2688,  2768,  2864,  2960,  3056,  3152,  3264,  3360,
    3456,  3584,  3680,  3776,  3904,  4000,  4128,  4256,  4352,  4480,  4608,  4736,  4864,
    4992,  5120,  5248,  5408,  5536,  5664,  5824,  5952,  6112,  6240,  6400,  6560,  6688,
    6848,  7008,  7168,  7328,  7488,  7680,  7808,  8000,  8192,  8320,  8512,  8704,  8896,
    9088,  9280,  9472,  9664,  9856,  10048, 10240, 10432, 10624, 10816, 11008, 11264, 11456,
    11648, 11904, 12096, 12288, 12544, 12736, 12992, 13184, 13440, 13696, 13888, 14144, 14400,
    14656, 14848, 15104, 15360, 15616, 15872, 16128, 16384, 16640, 16896, 17152, 17408, 17664,
    18048, 18304, 18560, 18816, 19072, 19456, 19712, 19968, 20224, 20608, 20864, 21120, 21504,
    21760, 22144, 22400, 22784, 23040, 23296, 23680, 24064, 24320, 24704, 24960, 25344, 25600,
    25984, 26368, 26752, 27008, 27392, 27776, 28032, 28416, 28800, 29184, 29568, 29952, 30336,
    30720, 30976, 31488, 31744, 32256, 32512, 33024, 33280, 33792, 34048, 34560, 35072, 35328,
    35840, 36096, 36608, 37120, 37376, 37888, 38400, 38656, 39168, 39680, 39936, 40448, 40960,
    41216, 41728, 42240, 42752, 43264, 43520, 44032, 44544, 45056, 45568, 45824, 46336, 46848,
    47360, 47872, 48384, 48896, 49408, 49920, 50432, 50944, 51456, 51968, 52480, 52992, 53504,
    54016, 54528, 55040, 55552, 56064, 56576, 57088, 57600, 58112, 58624, 59392, 59904, 60416,
    60928, 61440, 61952, 62464, 62976, 64000, 64512, 65024, 65536,
};

unsigned texture_texel_bytes(struct texture_format f) { return f.bits / 8u * f.channels; }

float texel_from_half(uint16_t half)
{
    const unsigned exponent = half >> 10 & 31u, fraction = half & 1023u;
    const float sign = half & 0x8000u ? -1.0f : 1.0f;
    if (exponent == 31) { /* a NaN keeps its sign and fraction, whether quiet or not */
        const uint32_t bits = (half & 0x8000u) << 16 | 0x7f800000u | fraction << 13;
        float value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    return sign * (exponent == 0 ? ldexpf((float)fraction, -24)
                                 : ldexpf((float)(fraction | 1024u), (int)exponent - 25));
}

/* The channel as it lies in memory, extended to 32 bits. */
static uint32_t raw_channel(struct texture_format f, const uint8_t *at, unsigned channel)
{
    uint32_t value = 0;
    memcpy(&value, at + channel * f.bits / 8u, f.bits / 8u); /* little-endian, as a GPU's memory */
    if (f.number == TEXTURE_SIGNED && f.bits < 32) {
        const unsigned shift = 32u - f.bits;
        value = (uint32_t)((int32_t)(value << shift) >> shift);
    }
    return value;
}

static int32_t largest(struct texture_format f)
{
    return f.number == TEXTURE_SIGNED ? (1 << (f.bits - 1)) - 1 : (int32_t)((1u << f.bits) - 1);
}

/* The border's channel as an integer texel that stands for a float. */
static int32_t border_number(const struct texture *t, unsigned channel)
{
    const float least = t->format.number == TEXTURE_SIGNED ? -1.0f : 0.0f;
    const float colour = fminf(fmaxf(t->border[channel], least), 1.0f);
    return (int32_t)lround((double)colour * largest(t->format));
}

static bool is_srgb_channel(const struct texture *t, unsigned channel)
{
    return t->is_srgb && t->format.bits == 8 && channel < 3;
}

static float of_srgb(unsigned code) { return (float)srgb[code & 255] / 65536.0f; }

struct texel texel_of(const struct texture *t, const uint8_t *at, unsigned channel)
{
    struct texel x = {0};
    if (t->format.number == TEXTURE_FLOAT) {
        const uint32_t raw = at != NULL ? raw_channel(t->format, at, channel) : 0;
        if (at == NULL) {
            x.real = t->border[channel];
        } else if (t->format.bits == 16) {
            x.real = texel_from_half((uint16_t)raw);
        } else {
            memcpy(&x.real, &raw, sizeof x.real);
        }
        return x;
    }
    if (at == NULL && !t->reads_floats) { /* the border's bits, whatever they were meant to be */
        at = (const uint8_t *)&t->border[channel], channel = 0;
    }
    x.integer =
        at != NULL ? (int32_t)raw_channel(t->format, at, channel) : border_number(t, channel);
    if (is_srgb_channel(t, channel)) {
        x.real = of_srgb((unsigned)x.integer);
    }
    return x;
}

/* --- integers that are read as floats --------------------------------------------------------- */

static float fraction_of(int64_t value, int64_t whole)
{
    return (float)((double)(value < -whole ? -whole : value) / (double)whole);
}

static float integer_sum(const struct texture *t, const struct texel_sum *s)
{
    const bool is_signed = t->format.number == TEXTURE_SIGNED;
    int64_t sum = 0; /* of texels in 1/256 */
    for (unsigned i = 0; i < s->count; i++) {
        sum += (int64_t)s->weight[i] * s->texel[i].integer;
    }
    if (t->format.bits == 16) {
        return fraction_of((sum + 128) >> 8, is_signed ? 32767 : 65535);
    }
    /* 8 bits, or 7 and a sign, stretched to 16: a copy of the high bits stands behind them. */
    return is_signed ? fraction_of(sum + ((sum + 16 * (sum >> 12) + 64) >> 7), 32767)
                     : fraction_of((257 * sum + 128) >> 8, 65535);
}

/* --- floats ----------------------------------------------------------------------------------- */

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* 2^exponent, of a normal number. */
static double power_of_two(int exponent)
{
    return double_of_bits((uint64_t)(exponent + 1023) << 52);
}

/* Of a float that is not 0: a subnormal one is a normal double. */
static int exponent_of(double value) { return (int)(bits_of_double(value) >> 52 & 2047) - 1023; }

/* How a sum is computed: its digits behind the leading one, and how many bits below the leading one
 * of the largest texel are kept. */
struct precision {
    int digits, kept;
    bool is_srgb;
};

static const struct precision of_floats = {23, 23 + 4, false}, of_halves = {10, 10 + 4, false},
                              of_srgbs = {10, 7, true};

/* The exponent of the largest texel that has a weight; at least that of the smallest normal float.
 */
static int largest_exponent(const struct texel_sum *s, unsigned from, unsigned to, bool is_srgb)
{
    int most = -126;
    for (unsigned i = from; i < to; i++) {
        const unsigned code = (unsigned)s->texel[i].integer;
        const int exponent = exponent_of(is_srgb ? of_srgb(code | 7) : s->texel[i].real);
        most = s->weight[i] != 0 && exponent > most ? exponent : most;
    }
    return most;
}

/* A texel below the normal numbers of float counts as a zero of its sign. */
static double flushed(float texel) { return fabsf(texel) < FLT_MIN ? copysignf(0, texel) : texel; }

static double slice_sum(const struct texel_sum *s, unsigned from, unsigned to,
                        const struct precision *p)
{
    const int unit = largest_exponent(s, from, to, p->is_srgb) - p->kept;
    const double scale = power_of_two(-unit);
    double sum = -0.0; /* negative zeros alone remain one */
    for (unsigned i = from; i < to; i++) {
        if (s->weight[i] != 0) { /* of an infinite texel without a weight nothing is seen */
            sum += (double)s->weight[i] * trunc(flushed(s->texel[i].real) * scale);
        }
    }
    return sum * power_of_two(unit - 8);
}

/* To so many bits behind the leading one, halves away from zero; exponents below the least have
 * fewer. */
static float round_away(double value, int digits, int least_exponent)
{
    int exponent = exponent_of(value);
    exponent = exponent < least_exponent ? least_exponent : exponent;
    const double scale = power_of_two(digits - exponent);
    return (float)(round(value * scale) * power_of_two(exponent - digits));
}

static bool all_are_finite(const struct texel_sum *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (s->weight[i] != 0 && !isfinite(s->texel[i].real)) {
            return false;
        }
    }
    return true;
}

/* Infinite, or the NaN of the filter. */
static float sum_of_not_finite(const struct texel_sum *s, bool is_half)
{
    const uint32_t nan = is_half ? 0x7fffe000u : 0x7fffffffu;
    float sum = 0;
    for (unsigned i = 0; i < s->count; i++) {
        sum += s->weight[i] != 0 && !isfinite(s->texel[i].real) ? s->texel[i].real : 0;
    }
    if (isnan(sum)) {
        memcpy(&sum, &nan, sizeof sum);
    }
    return sum;
}

/* Results below the normal numbers of float become a zero of their sign. */
static float float_sum(const struct texel_sum *s, const struct precision *p)
{
    const bool is_half = p->digits == 10;
    double sum = -0.0;
    if (!all_are_finite(s)) {
        return sum_of_not_finite(s, is_half);
    }
    for (unsigned i = 0; i < s->slices; i++) {
        sum += slice_sum(s, i > 0 ? s->slice_end[i - 1] : 0, s->slice_end[i], p);
    }
    const float rounded = round_away(sum, p->digits, is_half ? -14 : -126);
    return fabsf(rounded) < FLT_MIN ? copysignf(0, rounded) : rounded;
}

uint32_t texel_result(const struct texture *t, const struct texel_sum *s, unsigned channel)
{
    if (is_srgb_channel(t, channel)) {
        return bits_of_f32(float_sum(s, &of_srgbs));
    }
    if (t->format.number == TEXTURE_FLOAT) {
        return bits_of_f32(float_sum(s, t->format.bits <= 16 ? &of_halves : &of_floats));
    }
    return bits_of_f32(integer_sum(t, s));
}

uint32_t texel_plain(const struct texture *t, const uint8_t *at, unsigned channel)
{
    const struct texel x = texel_of(t, at, channel);
    if (t->format.number == TEXTURE_FLOAT || is_srgb_channel(t, channel)) {
        return bits_of_f32(x.real);
    }
    if (t->reads_floats) {
        return bits_of_f32(fraction_of(x.integer, largest(t->format)));
    }
    return (uint32_t)x.integer;
}
