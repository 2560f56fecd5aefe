/* texture.c - from a coordinate to the texels that it reads, and their weights.
 *
 * Positions are integers in 1/256 of a texel; where their rules were found: texture.h. */
#include "texture_axis.h"
#include "texture_texel.h"

#include <math.h>
#include <stddef.h>

/* --- a level's texels ------------------------------------------------------------------------- */

static const uint8_t *texel_at(const struct texture *t, const struct texture_level *l, int64_t x,
                               int64_t y, int64_t z)
{
    if (x == TEXTURE_OUTSIDE || y == TEXTURE_OUTSIDE || z == TEXTURE_OUTSIDE) {
        return NULL;
    }
    return l->texels + (uint64_t)z * l->slice_bytes + (uint64_t)y * l->row_bytes +
           (uint64_t)x * texture_texel_bytes(t->format);
}

/* Which slice of an array of layers or faces. */
static int64_t layer_of(const struct texture_level *l, int32_t layer, unsigned faces)
{
    const uint32_t count = l->depth / faces, wanted = (uint32_t)layer;
    return wanted < count ? wanted : count - 1;
}

/* Along one axis: the two texels between which a point lies, and the weight of the second. */
struct axis {
    int64_t first, second;
    unsigned weight; /* 0..255, in 1/256 */
};

static struct axis nearest(const struct texture *t, float at, int32_t offset, int64_t side,
                           enum texture_address mode)
{
    const int64_t i = texture_nearest(t->is_normalised, at, side);
    const int64_t index = texture_index(i + offset, side, mode);
    return (struct axis){index, index, 0};
}

static struct axis between(const struct texture *t, float at, int32_t offset, int64_t side,
                           enum texture_address mode)
{
    const int64_t place = texture_between(t->is_normalised, at, side) + offset * 256;
    const int64_t i = place >> 8;
    struct axis a = {texture_index(i, side, mode), texture_index(i + 1, side, mode),
                     (unsigned)(place & 255)};
    if (mode == TEXTURE_CLAMP && (i < 0 || i >= side - 1)) {
        a.weight = 0;
    }
    return a;
}

/* Where on a level the point lies: three axes, of which a layer is a fixed one. */
struct place {
    struct axis x, y, z;
};

/* A row without layers is read at the edge of its texels, one of layers in their middle. */
static float y_of(const struct texture *t, unsigned dimensions, struct texture_point at)
{
    if (dimensions > 1) {
        return at.y;
    }
    return t->is_layered ? 0.5f : 0.0f;
}

static struct place place_of(const struct texture *t, const struct texture_level *l,
                             unsigned dimensions, struct texture_point at, bool is_linear)
{
    struct axis (*find)(const struct texture *, float, int32_t, int64_t, enum texture_address) =
        is_linear ? between : nearest;
    struct place p = {
        .x = find(t, at.x, at.offset[0], l->width, texture_mode(t, 0)),
        .y = find(t, y_of(t, dimensions, at), at.offset[1], l->height, texture_mode(t, 1))};
    if (t->is_cube) { /* texture_sample() has put the face into z */
        p.z.first = layer_of(l, t->is_layered ? at.layer : 0, 6) * 6 + (int64_t)at.z;
    } else if (t->is_layered) {
        p.z.first = layer_of(l, at.layer, 1);
    } else if (dimensions > 2) {
        p.z = find(t, at.z, at.offset[2], l->depth, texture_mode(t, 2));
        return p;
    }
    p.z.second = p.z.first;
    return p;
}

/* Four texels of one slice, whose weights add up to `whole`. Halves go to the texel (1, 1). */
static void add_slice(struct texel_sum *s, const struct texture *t, const struct texture_level *l,
                      const struct place *p, int64_t z, unsigned whole, unsigned channel)
{
    const unsigned right = texture_part(whole, p->x.weight, 128), left = whole - right;
    const unsigned low_right = texture_part(right, p->y.weight, 128),
                   low_left = texture_part(left, p->y.weight, 127);
    const struct {
        int64_t x, y;
        unsigned weight;
    } corners[] = {{p->x.first, p->y.first, left - low_left},
                   {p->x.second, p->y.first, right - low_right},
                   {p->x.first, p->y.second, low_left},
                   {p->x.second, p->y.second, low_right}};
    for (unsigned i = 0; i < 4; i++) {
        s->at[s->count] = texel_at(t, l, corners[i].x, corners[i].y, z);
        s->texel[s->count] = texel_of(t, s->at[s->count], channel);
        s->weight[s->count++] = corners[i].weight;
    }
    s->slice_end[s->slices++] = s->count;
}

static void add_level(struct texel_sum *s, const struct texture *t, unsigned level,
                      unsigned dimensions, struct texture_point at, unsigned whole,
                      unsigned channel)
{
    const struct texture_level *l = &t->levels[level];
    const struct place p = place_of(t, l, dimensions, at, t->is_linear);
    const unsigned back = texture_part(whole, p.z.weight, 127);
    add_slice(s, t, l, &p, p.z.first, whole - back, channel);
    if (back != 0) {
        add_slice(s, t, l, &p, p.z.second, back, channel);
    }
}

/* --- levels ----------------------------------------------------------------------------------- */

/* In 1/256, cut off towards zero. */
static int64_t cut_level(float level) { return (int64_t)(fmin(fmax(level, -1e6), 1e6) * 256); }

static int64_t level_of(const struct texture *t, struct texture_point at)
{
    int64_t l = at.has_level ? cut_level(at.level) + cut_level(t->level_bias) : 0;
    const int64_t least = cut_level(t->least_level), most = cut_level(t->most_level),
                  last = 256 * ((int64_t)t->level_count - 1);
    l = l > most ? most : l;
    l = l < least ? least : l;
    return l < 0 ? 0 : l > last ? last : l;
}

/* log2(1 + k / 256) in 1/256, as an H200 has it for k = 0 to 255. */
static const uint8_t logarithms[256] = {
    0,   2,   4,   5,   6,   8,   9,   11,  12,  13,  15,  16,  18,  19,  20,  22,  23,  24,  26,
    27,  28,  30,  31,  32,  34,  35,  36,  38,  39,  40,  42,  43,  44,  45,  47,  48,  49,  50,
    52,  53,  54,  55,  57,  58,  59,  60,  62,  63,  64,  65,  66,  68,  69,  70,  71,  72,  74,
    75,  76,  77,  78,  79,  81,  82,  83,  84,  85,  86,  88,  89,  90,  91,  92,  93,  94,  95,
    97,  98,  99,  100, 101, 102, 103, 104, 105, 106, 107, 109, 110, 111, 112, 113, 114, 115, 116,
    117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 135, 136,
    137, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154,
    155, 156, 157, 158, 159, 160, 161, 162, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172,
    173, 173, 174, 175, 176, 177, 178, 179, 180, 181, 181, 182, 183, 184, 185, 186, 187, 188, 188,
    189, 190, 191, 192, 193, 194, 195, 195, 196, 197, 198, 199, 200, 200, 201, 202, 203, 204, 205,
    205, 206, 207, 208, 209, 210, 210, 211, 212, 213, 214, 214, 215, 216, 217, 218, 218, 219, 220,
    221, 222, 222, 223, 224, 225, 226, 226, 227, 228, 229, 229, 230, 231, 232, 233, 233, 234, 235,
    236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244, 245, 245, 246, 247, 248, 248, 249,
    250, 251, 251, 252, 253, 253, 254, 255, 255};

static float level_of_length(double length)
{
    int exponent;
    const double fraction = frexp(length, &exponent) * 2 - 1;
    return length > 0 ? (float)(exponent - 1) + logarithms[(int)(fraction * 256)] / 256.0f
                      : -126.0f;
}

/* About the length of a vector: its largest component, 11/32 of the second and 1/4 of the third; of
 * both summands what lies 9 bits below the first one's leading bit is cut off. */
static double about_length(double x, double y, double z)
{
    const double far = 0x1p100; /* beyond all levels, and finite */
    const double a = fmin(fabs(x), far), b = fmin(fabs(y), far), c = fmin(fabs(z), far);
    const double most = fmax(a, fmax(b, c)), least = fmin(a, fmin(b, c));
    const double middle = fmax(fmin(a, b), fmin(fmax(a, b), c));
    const double scale = most > 0 ? ldexp(1, 9 - ilogb(most)) : 1;
    return (floor(most * scale) + floor((middle * 11 / 32 + least / 4) * scale)) / scale;
}

float texture_level_of(const struct texture *t, unsigned dimensions, const float dx[3],
                       const float dy[3])
{
    const struct texture_level *l = &t->levels[0];
    const double side[3] = {l->width, l->height, l->depth};
    double u[3] = {0}, v[3] = {0};
    for (unsigned i = 0; i < dimensions; i++) {
        const double scale = t->is_normalised ? side[i] : 1.0;
        u[i] = dx[i] * scale;
        v[i] = dy[i] * scale;
    }
    const double sides = fmax(about_length(u[0], u[1], u[2]), about_length(v[0], v[1], v[2]));
    const double diagonals = fmax(about_length(u[0] + v[0], u[1] + v[1], u[2] + v[2]),
                                  about_length(u[0] - v[0], u[1] - v[1], u[2] - v[2]));
    return level_of_length(fmax(sides, diagonals * 11 / 16));
}

/* --- cubes ------------------------------------------------------------------------------------ */

/* A direction becomes a face, 0 to 5 in z, and a coordinate on it (CUDA C++ Programming Guide,
 * "Cubemap Textures"). Of equal components z goes before y, and y before x. */
static struct texture_point on_cube(struct texture_point d)
{
    const float x = fabsf(d.x), y = fabsf(d.y), z = fabsf(d.z);
    struct texture_point p = d;
    float s, t, most;
    if (z >= x && z >= y) {
        p.z = d.z >= 0 ? 4 : 5, most = z, s = d.z >= 0 ? d.x : -d.x, t = -d.y;
    } else if (y >= x) {
        p.z = d.y >= 0 ? 2 : 3, most = y, s = d.x, t = d.y >= 0 ? d.z : -d.z;
    } else {
        p.z = d.x >= 0 ? 0 : 1, most = x, s = d.x >= 0 ? -d.z : d.z, t = -d.y;
    }
    p.x = most > 0 ? (s / most + 1.0f) * 0.5f : 0.5f;
    p.y = most > 0 ? (t / most + 1.0f) * 0.5f : 0.5f;
    return p;
}

/* --- what is called --------------------------------------------------------------------------- */

static const uint8_t *nearest_texel(const struct texture *t, unsigned level, unsigned dimensions,
                                    struct texture_point at)
{
    const struct texture_level *l = &t->levels[level];
    const struct place p = place_of(t, l, dimensions, at, false);
    return texel_at(t, l, p.x.first, p.y.first, p.z.first);
}

/* One texel is all: of the level that is returned. Else add_levels() has them. */
static bool is_one_texel(const struct texture *t, int64_t level, unsigned *of)
{
    *of = (unsigned)(t->is_linear_between_levels ? level >> 8 : (level + 128) >> 8);
    return !t->is_linear && !(t->is_linear_between_levels && (level & 255) != 0);
}

static void add_levels(struct texel_sum *s, const struct texture *t, unsigned dimensions,
                       struct texture_point at, int64_t level, unsigned channel)
{
    const unsigned nearest_level = (unsigned)((level + 128) >> 8), lower = (unsigned)(level >> 8),
                   between_levels = (unsigned)(level & 255);
    s->count = s->slices = 0;
    if (!t->is_linear_between_levels) {
        add_level(s, t, nearest_level, dimensions, at, 256, channel);
        return;
    }
    add_level(s, t, lower, dimensions, at, 256 - between_levels, channel);
    if (between_levels != 0) {
        add_level(s, t, lower + 1, dimensions, at, between_levels, channel);
    }
}

static uint32_t channel_at(const struct texture *t, unsigned dimensions, struct texture_point at,
                           int64_t level, unsigned channel)
{
    unsigned only;
    struct texel_sum s;
    if (is_one_texel(t, level, &only)) {
        return texel_plain(t, nearest_texel(t, only, dimensions, at), channel);
    }
    add_levels(&s, t, dimensions, at, level, channel);
    return texel_result(t, &s, channel);
}

struct texture_value texture_sample(const struct texture *t, unsigned dimensions,
                                    struct texture_point at)
{
    struct texture_value v = {{0}};
    const struct texture_point p = t->is_cube ? on_cube(at) : at;
    for (unsigned i = 0; i < t->format.channels; i++) {
        v.channel[i] = channel_at(t, dimensions, p, level_of(t, at), i);
    }
    return v;
}

static bool is_inside(const struct texture_level *l, int32_t x, int32_t y, int32_t z)
{
    return x >= 0 && (uint32_t)x < l->width && y >= 0 && (uint32_t)y < l->height && z >= 0 &&
           (uint32_t)z < l->depth;
}

/* Of layers, z is the layer; one that does not exist is 0. */
struct texture_value texture_fetch(const struct texture *t, int32_t x, int32_t y, int32_t z)
{
    struct texture_value v = {{0}};
    const struct texture_level *l = &t->levels[0];
    const bool is_there = is_inside(l, x, y, z);
    for (unsigned i = 0; is_there && i < t->format.channels; i++) {
        v.channel[i] = texel_plain(t, texel_at(t, l, x, y, z), i);
    }
    return v;
}

/* The four texels of a linear filter, in the order in which a gather returns them. */
static void gathered(const struct texture *t, struct texture_point at, const uint8_t *texels[4])
{
    const struct texture_level *l = &t->levels[0];
    const struct place p = place_of(t, l, 2, t->is_cube ? on_cube(at) : at, true);
    const int64_t x[4] = {p.x.first, p.x.second, p.x.second, p.x.first};
    const int64_t y[4] = {p.y.second, p.y.second, p.y.first, p.y.first};
    for (unsigned i = 0; i < 4; i++) {
        texels[i] = texel_at(t, l, x[i], y[i], p.z.first);
    }
}

struct texture_value texture_gather(const struct texture *t, struct texture_point at,
                                    unsigned channel)
{
    struct texture_value v = {{0}};
    const uint8_t *texels[4];
    gathered(t, at, texels);
    for (unsigned i = 0; channel < t->format.channels && i < 4; i++) {
        v.channel[i] = texel_plain(t, texels[i], channel);
    }
    return v;
}

/* --- which texels ----------------------------------------------------------------------------- */

unsigned texture_texels(const struct texture *t, unsigned dimensions, struct texture_point at,
                        const uint8_t *texels[TEXTURE_MOST_TEXELS])
{
    const struct texture_point p = t->is_cube ? on_cube(at) : at;
    const int64_t level = level_of(t, at);
    struct texel_sum s;
    unsigned only, count = 0;
    if (is_one_texel(t, level, &only)) {
        texels[0] = nearest_texel(t, only, dimensions, p);
        return texels[0] != NULL;
    }
    add_levels(&s, t, dimensions, p, level, 0);
    for (unsigned i = 0; i < s.count; i++) {
        if (s.weight[i] != 0 && s.at[i] != NULL) {
            texels[count++] = s.at[i];
        }
    }
    return count;
}

unsigned texture_fetched(const struct texture *t, int32_t x, int32_t y, int32_t z,
                         const uint8_t *texels[TEXTURE_MOST_TEXELS])
{
    const struct texture_level *l = &t->levels[0];
    texels[0] = is_inside(l, x, y, z) ? texel_at(t, l, x, y, z) : NULL;
    return texels[0] != NULL;
}

unsigned texture_gathered(const struct texture *t, struct texture_point at,
                          const uint8_t *texels[TEXTURE_MOST_TEXELS])
{
    const uint8_t *four[4];
    unsigned count = 0;
    gathered(t, at, four);
    for (unsigned i = 0; i < 4; i++) {
        if (four[i] != NULL) {
            texels[count++] = four[i];
        }
    }
    return count;
}
