/* texture_lanes.h - what a texture unit returns for the points of a warp's lanes at once, as loops
 * of vector code: rows and images of one level, of floats of 32 bits and of integers. Bit for bit
 * what texture_sample() and texture_fetch() return for each. */
#ifndef TEXTURE_LANES_H
#define TEXTURE_LANES_H

#include "texture.h"

enum { TEXTURE_LANES = 32 };

/* Whether this can be done at all: not for layers, cubes, mipmaps, three dimensions, halves, sRGB.
 */
bool texture_takes_lanes(const struct texture *t, unsigned dimensions);

/* Of all lanes; y: NULL for a row. False: a lane reads a border, or a number that is not finite
 * under a filter. Then nothing has been done, and texture_sample() takes the lanes one by one. */
bool texture_sample_lanes(const struct texture *t, const float x[TEXTURE_LANES], const float *y,
                          uint32_t channel[4][TEXTURE_LANES]);
/* The same for texture_fetch(). Always done. */
void texture_fetch_lanes(const struct texture *t, const int32_t x[TEXTURE_LANES], const int32_t *y,
                         uint32_t channel[4][TEXTURE_LANES]);

#endif
