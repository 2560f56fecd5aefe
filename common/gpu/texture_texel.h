/* texture_texel.h - texels as numbers that a filter adds up: between texture.c and texture_texel.c.
 */
#ifndef TEXTURE_TEXEL_H
#define TEXTURE_TEXEL_H

#include "texture.h"

/* A texel of one channel before it is filtered: what an integer texture is filtered as (16 bits, or
 * 8 with their weights), or a float. */
struct texel {
    int32_t integer;
    float real;
};

/* Up to eight weighted texels of two slices: weights are in 1/256. */
struct texel_sum {
    struct texel texel[16];
    unsigned weight[16];
    const uint8_t *at[16]; /* its first byte; NULL: the border */
    unsigned count;
    unsigned slice_end[4]; /* where each slice's texels end */
    unsigned slices;
};

/* at: the texel's first byte; NULL: the border. */
struct texel texel_of(const struct texture *t, const uint8_t *at, unsigned channel);
/* A filtered channel, or of one texel of weight 256, as what the program gets. */
uint32_t texel_result(const struct texture *t, const struct texel_sum *s, unsigned channel);
/* A texel as it is. */
uint32_t texel_plain(const struct texture *t, const uint8_t *at, unsigned channel);

float texel_from_half(uint16_t half);

#endif
