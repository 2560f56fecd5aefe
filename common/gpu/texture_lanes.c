/* texture_lanes.c - see texture_lanes.h. Each step is a loop over the lanes; what the steps
 * compute, and why, stands in texture.c and texture_texel.c, which do the same for one point. */
#include "texture_axis.h"
#include "texture_lanes.h"
#include "texture_texel.h"

#include <float.h>
#include <string.h>

enum { LANES = TEXTURE_LANES, CORNERS = 4 };
#define EACH_LANE for (unsigned lane = 0; lane < LANES; lane++)

bool texture_takes_lanes(const struct texture *t, unsigned dimensions)
{
    const bool is_wide = t->format.bits == 32;
    const bool is_known = t->format.number == TEXTURE_FLOAT
                              ? is_wide
                              : !(is_wide && (t->is_linear || t->reads_floats)) && !t->is_srgb;
    return is_known && dimensions <= 2 && t->level_count == 1 && !t->is_layered && !t->is_cube;
}

/* --- along an axis ---------------------------------------------------------------------------- */

struct lanes_axis {
    int64_t first[LANES], second[LANES];
    uint32_t weight[LANES];
};

/* False: outside, where the border is. */
static bool find_indices(int64_t index[LANES], const int64_t place[LANES], unsigned further,
                         int64_t side, enum texture_address mode)
{
    uint64_t outside = 0;
    EACH_LANE
    {
        const int64_t i = (place[lane] >> 8) + further, low = i < 0 ? 0 : i;
        index[lane] = low < side ? low : side - 1;
        outside |= (uint64_t)(index[lane] ^ i);
    }
    if (outside == 0 || mode == TEXTURE_CLAMP) {
        return true;
    }
    EACH_LANE
    {
        index[lane] = texture_index((place[lane] >> 8) + further, side, mode);
        if (index[lane] == TEXTURE_OUTSIDE) {
            return false;
        }
    }
    return true;
}

static bool find_axis(struct lanes_axis *a, const struct texture *t, unsigned axis,
                      const float at[LANES], int64_t side)
{
    const enum texture_address mode = texture_mode(t, axis);
    const bool is_normalised = t->is_normalised;
    int64_t place[LANES]; /* in 1/256 of a texel */
    if (!t->is_linear) {
        EACH_LANE { place[lane] = texture_nearest(is_normalised, at[lane], side) * 256; }
        return find_indices(a->first, place, 0, side, mode);
    }
    EACH_LANE { place[lane] = texture_between(is_normalised, at[lane], side); }
    EACH_LANE
    {
        const int64_t i = place[lane] >> 8;
        const bool is_edge = mode == TEXTURE_CLAMP && (i < 0 || i >= side - 1);
        a->weight[lane] = is_edge ? 0 : (uint32_t)(place[lane] & 255);
    }
    return find_indices(a->first, place, 0, side, mode) &&
           find_indices(a->second, place, 1, side, mode);
}

/* --- texels ----------------------------------------------------------------------------------- */

/* Where the texels lie, in bytes behind the first one. */
static void find_offsets(int64_t offset[LANES], const struct texture *t, const int64_t x[LANES],
                         const int64_t y[LANES])
{
    const int64_t row = (int64_t)t->levels[0].row_bytes,
                  texel = (int64_t)texture_texel_bytes(t->format);
    EACH_LANE { offset[lane] = y[lane] * row + x[lane] * texel; }
}

static uint32_t load_32(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* A channel as it lies in memory, extended to 32 bits. */
static void load_channel(uint32_t word[LANES], const struct texture *t, const int64_t offset[LANES],
                         unsigned channel)
{
    const unsigned bits = t->format.bits, shift = 32 - bits;
    const uint8_t *from = t->levels[0].texels + channel * bits / 8;
    if (bits == 32) {
        EACH_LANE { word[lane] = load_32(from + offset[lane]); }
    } else if (bits == 16) {
        EACH_LANE { word[lane] = from[offset[lane]] | (uint32_t)from[offset[lane] + 1] << 8; }
    } else {
        EACH_LANE { word[lane] = from[offset[lane]]; }
    }
    if (t->format.number == TEXTURE_SIGNED) {
        EACH_LANE { word[lane] = (uint32_t)((int32_t)(word[lane] << shift) >> shift); }
    }
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void to_fractions(uint32_t d[LANES], const int32_t value[LANES], int32_t whole)
{
    EACH_LANE
    {
        const int32_t cut = value[lane] < -whole ? -whole : value[lane];
        d[lane] = bits_of((float)((double)cut / (double)whole));
    }
}

/* Texels as they are. */
static void plain_channel(uint32_t d[LANES], const struct texture *t, const int64_t offset[LANES],
                          unsigned channel)
{
    load_channel(d, t, offset, channel);
    if (t->format.number == TEXTURE_FLOAT || !t->reads_floats) {
        return;
    }
    const unsigned bits = t->format.bits;
    int32_t value[LANES];
    memcpy(value, d, sizeof value);
    to_fractions(d, value, (int32_t)((1u << (bits - (t->format.number == TEXTURE_SIGNED))) - 1));
}

/* --- filters ---------------------------------------------------------------------------------- */

/* The four texels around each point: where they lie, their weights in 1/256, a channel of them. */
struct corners {
    int64_t offset[CORNERS][LANES];
    uint32_t weight[CORNERS][LANES];
    uint32_t word[CORNERS][LANES];
};

static void find_corners(struct corners *c, const struct texture *t, const struct lanes_axis *x,
                         const struct lanes_axis *y)
{
    find_offsets(c->offset[0], t, x->first, y->first);
    find_offsets(c->offset[1], t, x->second, y->first);
    find_offsets(c->offset[2], t, x->first, y->second);
    find_offsets(c->offset[3], t, x->second, y->second);
    EACH_LANE
    {
        const uint32_t right = x->weight[lane], left = 256 - right;
        const uint32_t low_right = texture_part(right, y->weight[lane], 128),
                       low_left = texture_part(left, y->weight[lane], 127);
        c->weight[0][lane] = left - low_left;
        c->weight[1][lane] = right - low_right;
        c->weight[2][lane] = low_left;
        c->weight[3][lane] = low_right;
    }
}

/* Integers that are read as floats. */
static void integer_sums(uint32_t d[LANES], const struct texture *t, const struct corners *c)
{
    const bool is_signed = t->format.number == TEXTURE_SIGNED;
    int32_t sum[LANES]; /* in 1/256: 24 bits */
    EACH_LANE
    {
        sum[lane] = 0;
        for (unsigned i = 0; i < CORNERS; i++) {
            sum[lane] += (int32_t)c->weight[i][lane] * (int32_t)c->word[i][lane];
        }
    }
    if (t->format.bits == 16) {
        EACH_LANE { sum[lane] = (sum[lane] + 128) >> 8; }
    } else if (is_signed) {
        EACH_LANE { sum[lane] += (sum[lane] + 16 * (sum[lane] >> 12) + 64) >> 7; }
    } else {
        EACH_LANE { sum[lane] = (257 * sum[lane] + 128) >> 8; }
    }
    to_fractions(d, sum, is_signed ? 32767 : 65535);
}

static bool all_are_finite(const struct corners *c)
{
    uint32_t infinite = 0;
    for (unsigned i = 0; i < CORNERS; i++) {
        EACH_LANE { infinite |= (c->word[i][lane] & 0x7f800000u) == 0x7f800000u; }
    }
    return infinite == 0;
}

static double power_of_two(int64_t exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int64_t exponent_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (int64_t)(bits >> 52 & 2047) - 1023;
}

/* To 24 bits, halves away from zero. A sum of a slice has so few bits that adding a half to it is
 * exact. */
static float round_away(double value)
{
    const int64_t seen = exponent_of(value), exponent = seen < -126 ? -126 : seen;
    const double scaled = value * power_of_two(23 - exponent);
    const double whole = trunc(scaled + (scaled < 0 ? -0.5 : 0.5));
    const float rounded = (float)(copysign(whole, value) * power_of_two(exponent - 23));
    return fabsf(rounded) < FLT_MIN ? copysignf(0, rounded) : rounded;
}

/* A slice's sum: bits 27 places below the leading one of the largest texel that has a weight are
 * cut off each texel, and texels below the normal numbers count as zeros. */
static void float_sums(uint32_t d[LANES], const struct corners *c)
{
    EACH_LANE
    {
        int64_t most = -126;
        for (unsigned i = 0; i < CORNERS; i++) {
            const int64_t exponent = (int64_t)(c->word[i][lane] >> 23 & 255) - 127;
            most = c->weight[i][lane] != 0 && exponent > most ? exponent : most;
        }
        const double scale = power_of_two(27 - most);
        double sum = -0.0;
        for (unsigned i = 0; i < CORNERS; i++) {
            const uint32_t word = c->word[i][lane], weight = c->weight[i][lane];
            const bool is_normal = (word & 0x7f800000u) != 0;
            const float texel = float_of(is_normal ? word : word & 0x80000000u);
            const double more = sum + (double)weight * trunc((double)texel * scale);
            sum = weight != 0 ? more : sum;
        }
        d[lane] = bits_of(round_away(sum * power_of_two(most - 27 - 8)));
    }
}

/* --- what is called --------------------------------------------------------------------------- */

static bool filter(const struct texture *t, const struct lanes_axis *x, const struct lanes_axis *y,
                   uint32_t channel[4][LANES])
{
    struct corners c;
    find_corners(&c, t, x, y);
    for (unsigned k = 0; k < t->format.channels; k++) {
        for (unsigned i = 0; i < CORNERS; i++) {
            load_channel(c.word[i], t, c.offset[i], k);
        }
        if (t->format.number != TEXTURE_FLOAT) {
            integer_sums(channel[k], t, &c);
        } else if (all_are_finite(&c)) {
            float_sums(channel[k], &c);
        } else {
            return false;
        }
    }
    return true;
}

bool texture_sample_lanes(const struct texture *t, const float x[TEXTURE_LANES], const float *y,
                          uint32_t channel[4][TEXTURE_LANES])
{
    static const float edge[LANES]; /* a row is read at the edge of its texels */
    struct lanes_axis across, down;
    if (!find_axis(&across, t, 0, x, t->levels[0].width) ||
        !find_axis(&down, t, 1, y != NULL ? y : edge, t->levels[0].height)) {
        return false;
    }
    memset(channel, 0, 4 * sizeof channel[0]);
    if (t->is_linear) {
        return filter(t, &across, &down, channel);
    }
    int64_t offset[LANES];
    find_offsets(offset, t, across.first, down.first);
    for (unsigned k = 0; k < t->format.channels; k++) {
        plain_channel(channel[k], t, offset, k);
    }
    return true;
}

void texture_fetch_lanes(const struct texture *t, const int32_t x[TEXTURE_LANES], const int32_t *y,
                         uint32_t channel[4][TEXTURE_LANES])
{
    static const int32_t first[LANES];
    const uint32_t width = t->levels[0].width, height = t->levels[0].height;
    const int32_t *row = y != NULL ? y : first;
    int64_t column[LANES], line[LANES], offset[LANES];
    uint32_t there[LANES];
    EACH_LANE
    {
        const bool is_there = (uint32_t)x[lane] < width && (uint32_t)row[lane] < height;
        there[lane] = is_there ? UINT32_MAX : 0;
        column[lane] = is_there ? x[lane] : 0;
        line[lane] = is_there ? row[lane] : 0;
    }
    memset(channel, 0, 4 * sizeof channel[0]);
    find_offsets(offset, t, column, line);
    for (unsigned k = 0; k < t->format.channels; k++) {
        plain_channel(channel[k], t, offset, k);
        EACH_LANE { channel[k][lane] &= there[lane]; }
    }
}
