/* texture.h - what a texture unit returns for a coordinate: arithmetic, without state.
 *
 * The CUDA C++ Programming Guide ("Texture Fetching") says what is filtered with which weights, and
 * leaves open how exactly. The exact rules were found by probing an NVIDIA H200 (driver 580, CUDA
 * 13.0) with random coordinates and texels; tests/conformance holds its results:
 *
 *  coordinate  A normalised coordinate is cut to 21 bits behind the point (22 for sides beyond
 *              8192 texels), then multiplied by the side. A linear filter rounds texel coordinates
 *              to 8 bits behind the point (1/512 goes up) and subtracts 1/2.
 *  weights     Products of 8-bit fractions are rounded to 8 bits again: the weight of the texel
 *              (1, 1) is round(a * b), those of its neighbours are a and b less that. In 3-D each
 *              of the two slices gets its part of 256 first.
 *  sum         The texels of a slice lose what lies 4 bits below the significand of the largest of
 *              them (whose weight is not 0); then the sum is exact, and is rounded once, halves
 *              away from zero. Half textures are filtered and rounded as halves.
 *  integers    Texels of 8 and 16 bits that are read as floats are filtered as 16-bit numbers.
 *  1-D         A 1-D texture is a 2-D one of one row that is read at y = 0. With a border it fades
 *              into the border colour by half. Layers of one row are read at y = 1/2.
 *  offsets     of an instruction count texels of the level, after the coordinate has been rounded
 * and before the address mode. Four bits of each are kept, -8 to 7. sRGB        Texels have eight
 * bits or fewer; in a sum they lose what lies 7 bits below the leading bit of the largest. For that
 * a code counts as the largest of the eight that share its upper 5 bits. The sum is rounded as a
 * half. mipmaps     A level has 8 bits behind the point, cut off towards zero; bias and limits,
 * too. gradients   The longer of both vectors, or 11/16 of the longer of their sum and difference;
 *              a length is estimated from its components (about_length() in texture.c), and a
 *              table has the logarithm of its upper 9 bits.
 *
 * Of 377,088 recorded samples of 122 kinds of textures all but three are equal bit for bit (of
 * cubes, 3-D mipmaps, and a 3-D one with a border); so are 458,752 filtered sRGB values. Of the
 * levels of single vectors along an axis all 65,536 recorded ones are equal, of any two vectors
 * 94 % in two and 91 % in three dimensions; the others differ by 1/256 or 2/256 of a level. */
#ifndef TEXTURE_H
#define TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum texture_number { TEXTURE_UNSIGNED, TEXTURE_SIGNED, TEXTURE_FLOAT };
/* As CUDA numbers them (cudaTextureAddressMode). */
enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };
enum { TEXTURE_MOST_LEVELS = 18 }; /* of a side of 131,072 texels */

struct texture_format {
    enum texture_number number;
    uint8_t bits;     /* of a channel: 8, 16 or 32; of TEXTURE_FLOAT 16 or 32 */
    uint8_t channels; /* 1, 2 or 4 */
};

/* One level of a mipmap, or all of an array. */
struct texture_level {
    const uint8_t *texels;
    uint32_t width, height, depth; /* in texels, at least 1; depth: slices, layers or faces */
    uint64_t row_bytes, slice_bytes;
};

struct texture {
    struct texture_format format;
    struct texture_level levels[TEXTURE_MOST_LEVELS];
    unsigned level_count;
    bool is_layered, is_cube;
    bool is_linear, is_linear_between_levels; /* filters; else the nearest */
    bool is_normalised;                       /* coordinates are parts of the side */
    bool reads_floats;                        /* integers as [0, 1] or [-1, 1] */
    bool is_srgb;                             /* 8-bit channels but the fourth */
    enum texture_address address[3];
    float border[4];
    float level_bias, least_level, most_level;
};

struct texture_point {
    float x, y, z;  /* as the program gave them; a direction, if the texture is a cube */
    int32_t layer;  /* one that does not exist is the last */
    bool has_level; /* the program names a level of a mipmap; else it is the first, unbiased */
    float level;
    int32_t offset[3]; /* texels that are added along each axis, on every level */
};

/* Four channels, floats as their bits; those that the format lacks are 0. */
struct texture_value {
    uint32_t channel[4];
};

unsigned texture_texel_bytes(struct texture_format f);

/* tex1D, tex2D, tex3D and their relatives. dimensions: 1, 2 or 3; of a cube 3. */
struct texture_value texture_sample(const struct texture *t, unsigned dimensions,
                                    struct texture_point at);
/* tex1Dfetch and integer coordinates: one texel, 0 outside. */
struct texture_value texture_fetch(const struct texture *t, int32_t x, int32_t y, int32_t z);
/* tex2Dgather: that channel of the four texels that a linear filter would use. */
struct texture_value texture_gather(const struct texture *t, struct texture_point at,
                                    unsigned channel);
/* The texels that each of the three reads, of those that have a weight: their first bytes. Returns
 * how many they are; borders are none. */
enum { TEXTURE_MOST_TEXELS = 16 };
unsigned texture_texels(const struct texture *t, unsigned dimensions, struct texture_point at,
                        const uint8_t *texels[TEXTURE_MOST_TEXELS]);
unsigned texture_fetched(const struct texture *t, int32_t x, int32_t y, int32_t z,
                         const uint8_t *texels[TEXTURE_MOST_TEXELS]);
unsigned texture_gathered(const struct texture *t, struct texture_point at,
                          const uint8_t *texels[TEXTURE_MOST_TEXELS]);
/* The level that derivatives ask for. */
float texture_level_of(const struct texture *t, unsigned dimensions, const float dx[3],
                       const float dy[3]);

#endif
