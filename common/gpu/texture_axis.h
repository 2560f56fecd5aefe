/* texture_axis.h - from a coordinate to a place along one axis of a level, in integers: what
 * texture.c does for one point and texture_lanes.c for a warp's. Where the rules were found:
 * texture.h. */
#ifndef TEXTURE_AXIS_H
#define TEXTURE_AXIS_H

#include "texture.h"

#include <math.h>

enum { TEXTURE_OUTSIDE = -1 }; /* an index that reads the border */

static inline int64_t texture_wrapped(int64_t i, int64_t side) { return (i % side + side) % side; }

static inline int64_t texture_index(int64_t i, int64_t side, enum texture_address mode)
{
    if (i >= 0 && i < side) { /* most are: no division */
        return i;
    }
    switch (mode) {
    case TEXTURE_WRAP:
        return texture_wrapped(i, side);
    case TEXTURE_MIRROR:
        i = texture_wrapped(i, 2 * side);
        return i < side ? i : 2 * side - 1 - i;
    case TEXTURE_BORDER:
        return TEXTURE_OUTSIDE;
    default:
        return i < 0 ? 0 : side - 1;
    }
}

/* Bits behind the point that a normalised coordinate keeps: found with sides of 4 to 30,000. */
static inline unsigned texture_coordinate_bits(int64_t side) { return side > 8192 ? 22 : 21; }

/* floor(coordinate * 2^bits), where no number is 0 and what is far outside stays far outside. */
static inline int64_t texture_fixed(float coordinate, unsigned bits)
{
    const double most = 0x1p30;
    double scaled = coordinate == coordinate ? coordinate : 0.0;
    scaled = scaled < -most ? -most : scaled;
    scaled = scaled > most ? most : scaled;
    return (int64_t)floor(scaled * (double)((int64_t)1 << bits));
}

/* The texel in which a coordinate lies. */
static inline int64_t texture_nearest(bool is_normalised, float at, int64_t side)
{
    const unsigned bits = texture_coordinate_bits(side);
    return is_normalised ? (texture_fixed(at, bits) * side) >> bits : texture_fixed(at, 0);
}

/* How far behind the middle of texel 0, in 1/256 of a texel. */
static inline int64_t texture_between(bool is_normalised, float at, int64_t side)
{
    const unsigned bits = texture_coordinate_bits(side);
    if (is_normalised) {
        const int64_t half = (int64_t)1 << (bits - 9);
        return ((texture_fixed(at, bits) * side + half) >> (bits - 8)) - 128;
    }
    return ((texture_fixed(at, 9) + 1) >> 1) - 128;
}

/* The mode that holds along an axis: repetition needs normalised coordinates. */
static inline enum texture_address texture_mode(const struct texture *t, unsigned axis)
{
    const enum texture_address mode = t->address[axis];
    const bool repeats = mode == TEXTURE_WRAP || mode == TEXTURE_MIRROR;
    return repeats && !t->is_normalised ? TEXTURE_CLAMP : mode;
}

/* A product of weights in 1/256, rounded to 1/256. */
static inline unsigned texture_part(unsigned weight, unsigned of, unsigned half)
{
    return (weight * of + half) >> 8;
}

#endif
