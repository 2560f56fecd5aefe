/* exec_image.c - tex, tld4, txq and suq, through the texture unit of gpu/texture.h: the usual
 * textures for a warp at once (gpu/texture_lanes.h), others lane by lane.
 *
 * What a kernel reads through a texture may be what it writes through a pointer or a surface: here
 * every store is visible at once, as it is in no texture cache of a card. */
#include "exec/exec_image.h"
#include "exec/exec.h"
#include "exec/exec_types.h"
#include "exec/exec_values.h"
#include "common/gpu/texture_lanes.h"
#include "decode/image.h"
#include "machine/images.h"

#include <string.h>

enum { ELEMENTS = 4 };

/* The object of a lane's handle; NULL after a fault. */
static struct image *image_of(struct warp *w, const struct insn *in, unsigned lane, u64 handle,
                              bool is_surface)
{
    const char *kind = is_surface ? "surface" : "texture";
    struct image *image = images_find(handle);
    if (image == NULL) {
        fault(w, in, lane, SIMT_ILLEGAL_ADDRESS,
              "%s object 0x%llx does not exist: it was destroyed, or never created", kind,
              (unsigned long long)handle);
    } else if (image->is_surface != is_surface) {
        fault(w, in, lane, SIMT_ILLEGAL_ADDRESS, "object %llu is a %s, not a %s",
              (unsigned long long)handle, image->is_surface ? "surface" : "texture", kind);
    } else if (!image_is_alive(w->block->memory, image)) {
        fault(w, in, lane, SIMT_ILLEGAL_ADDRESS,
              "the memory of %s object %llu has been freed: destroy the object first", kind,
              (unsigned long long)handle);
    } else {
        return image;
    }
    return NULL;
}

struct image *exec_look_up(struct warp *w, const struct insn *in, unsigned lane, u64 handle,
                           bool is_surface, struct looked_up *last)
{
    if (last->image == NULL || last->handle != handle) {
        *last = (struct looked_up){handle, image_of(w, in, lane, handle, is_surface)};
    }
    return last->image;
}

/* --- textures --------------------------------------------------------------------------------- */

static float float_of(const struct warp *w, u32 ref, unsigned lane)
{
    return f32_of_bits(word_of(w, ref, lane));
}

/* Low bits as a signed number. */
static s32 low_bits(u32 word, unsigned bits)
{
    const u32 sign = 1u << (bits - 1);
    return (s32)((word & (2 * sign - 1)) ^ sign) - (s32)sign;
}

/* Texels that are added along an axis: the machine's instruction keeps four bits, a gather six. */
static s32 offset_of(const struct warp *w, const struct image_insn *insn, unsigned axis,
                     unsigned lane)
{
    return low_bits(word_of(w, insn->offset[axis], lane), insn->is_gather ? 6 : 4);
}

/* A coordinate that counts texels, with its offset, which plain memory does not heed; behind those
 * of a row or an image, the layer. */
static s32 texel_coordinate(const struct warp *w, const struct image_insn *insn,
                            const struct image *image, unsigned axis, unsigned lane)
{
    if (axis == 2 && insn->is_layered) {
        return (s32)word_of(w, insn->layer, lane);
    }
    const s32 offset = image->is_linear ? 0 : offset_of(w, insn, axis, lane);
    return (s32)(coordinate(w, insn, axis, lane) + (u32)offset);
}

static struct texture_point point_of(const struct warp *w, const struct image_insn *insn,
                                     const struct texture *t, unsigned lane)
{
    struct texture_point p = {.x = f32_of_bits(coordinate(w, insn, 0, lane)),
                              .y = f32_of_bits(coordinate(w, insn, 1, lane)),
                              .z = f32_of_bits(coordinate(w, insn, 2, lane)),
                              .layer = insn->is_layered ? (s32)word_of(w, insn->layer, lane) : 0,
                              .has_level = insn->level != LEVEL_FIRST};
    for (unsigned axis = 0; axis < insn->dimensions; axis++) {
        p.offset[axis] = offset_of(w, insn, axis, lane);
    }
    if (insn->dimensions == 1 && !insn->is_layered) { /* the next four bits go on to y */
        p.offset[1] = low_bits(word_of(w, insn->offset[0], lane) >> 4, 4);
    }
    if (insn->level == LEVEL_NAMED) {
        p.level = float_of(w, insn->more[0][0], lane);
    } else if (insn->level == LEVEL_OF_GRADIENTS) {
        float gradient[2][3] = {{0}};
        for (unsigned i = 0; i < 2u * insn->dimensions; i++) {
            const unsigned which = i / insn->dimensions, axis = i % insn->dimensions;
            gradient[which][axis] = float_of(w, insn->more[which][axis], lane);
        }
        p.level = texture_level_of(t, insn->dimensions, gradient[0], gradient[1]);
    }
    return p;
}

/* Floats become halves where the instruction wants those. */
static void narrow_value(enum image_result result, struct texture_value *v)
{
    for (unsigned i = 0; i < ELEMENTS && result != RESULT_WORDS; i++) {
        v->channel[i] = half_of_f64((f64)f32_of_bits(v->channel[i]), ROUND_NEAREST);
    }
    if (result == RESULT_PAIRS) {
        v->channel[0] |= v->channel[1] << 16;
        v->channel[1] = v->channel[2] | v->channel[3] << 16;
    }
}

static void keep_value(const struct warp *w, const struct insn *in, unsigned lane,
                       struct texture_value v)
{
    narrow_value((enum image_result)in->image->result, &v);
    for (unsigned i = 0; i < ELEMENTS; i++) {
        if (in->element[i] != NO_REF) {
            ((u32 *)warp_ref(w, in->element[i]))[lane] = v.channel[i];
        }
    }
}

/* tex1Dfetch is for plain memory: of a CUDA array it reads 0, as on an H200. */
static bool is_nothing(const struct image_insn *insn, const struct image *image)
{
    return insn->has_integers && insn->dimensions == 1 && !insn->is_layered && !image->is_linear;
}

static struct texture_value sample(const struct warp *w, const struct insn *in,
                                   const struct image *image, unsigned lane)
{
    const struct image_insn *insn = in->image;
    if (is_nothing(insn, image)) {
        return (struct texture_value){{0}};
    }
    if (insn->has_integers || image->is_linear) {
        return texture_fetch(&image->texture, texel_coordinate(w, insn, image, 0, lane),
                             texel_coordinate(w, insn, image, 1, lane),
                             texel_coordinate(w, insn, image, 2, lane));
    }
    return texture_sample(&image->texture, insn->dimensions,
                          point_of(w, insn, &image->texture, lane));
}

/* Of plain memory the description may say more than there is. */
static bool is_there(struct warp *w, const struct insn *in, const struct image *image,
                     unsigned lane)
{
    const u32 x = image->is_linear ? coordinate(w, in->image, 0, lane) : 0;
    if (!image->is_linear || x < image->texels || x >= image->texture.levels[0].width) {
        return true;
    }
    fault(w, in, lane, SIMT_ILLEGAL_ADDRESS,
          "texel %u lies behind the end of the texture's memory, which holds %u texels; "
          "cudaCreateTextureObject was "
          "given a size of %u",
          x, image->texels, image->texture.levels[0].width);
    return false;
}

/* --- a warp at once --------------------------------------------------------------------------- */

/* The object of all lanes; NULL: there are several, or none. */
static const struct image *image_of_all(struct warp *w, const struct insn *in)
{
    const u64 *handle = warp_ref(w, in->a), first = handle[first_lane(w->active)];
    u64 others = 0;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        others |= w->active >> lane & 1 ? handle[lane] ^ first : 0;
    }
    struct image *image = others == 0 ? images_find(first) : NULL;
    return image != NULL && !image->is_surface && image_is_alive(w->block->memory, image) ? image
                                                                                          : NULL;
}

static bool takes_lanes(const struct image_insn *insn, const struct image *image)
{
    const bool is_moved = insn->offset[0] != NO_REF || insn->offset[1] != NO_REF;
    return insn->result == RESULT_WORDS && !insn->is_layered && !is_moved &&
           !is_nothing(insn, image) && texture_takes_lanes(&image->texture, insn->dimensions);
}

/* A coordinate of all lanes; those that are off have the first active one's, so that what is read
 * for them is there. */
static void coordinates(u32 at[WARP_LANES], const struct warp *w, u32 ref)
{
    const u32 *from = warp_ref(w, ref), first = from[first_lane(w->active)];
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        at[lane] = w->active >> lane & 1 ? from[lane] : first;
    }
}

static void keep_channels(const struct warp *w, const struct insn *in, u32 channel[][WARP_LANES])
{
    for (unsigned i = 0; i < ELEMENTS; i++) {
        if (in->element[i] != NO_REF) {
            u32 *d = warp_ref(w, in->element[i]);
            for (unsigned lane = 0; lane < WARP_LANES; lane++) {
                d[lane] = w->active >> lane & 1 ? channel[i][lane] : d[lane];
            }
        }
    }
}

/* False: nothing is done, and each_texel() does it. */
static bool all_texels(struct warp *w, const struct insn *in)
{
    const struct image *image = image_of_all(w, in);
    const struct image_insn *insn = in->image;
    const bool is_row = insn->dimensions == 1;
    u32 x[WARP_LANES], y[WARP_LANES], channel[ELEMENTS][WARP_LANES];
    if (image == NULL || !takes_lanes(insn, image)) {
        return false;
    }
    coordinates(x, w, insn->at[0]);
    if (!is_row) {
        coordinates(y, w, insn->at[1]);
    }
    if (insn->has_integers || image->is_linear) {
        for (lane_mask left = w->active; image->is_linear && left != 0; left &= left - 1) {
            if (x[first_lane(left)] >= image->texels) { /* a fault, or behind the end: 0 */
                return false;
            }
        }
        texture_fetch_lanes(&image->texture, (const s32 *)x, is_row ? NULL : (const s32 *)y,
                            channel);
    } else if (!texture_sample_lanes(&image->texture, (const float *)x,
                                     is_row ? NULL : (const float *)y, channel)) {
        return false;
    }
    keep_channels(w, in, channel);
    write_predicate(w, insn->resident, FULL_MASK);
    return true;
}

/* --- lane by lane ----------------------------------------------------------------------------- */

static const struct insn *each_texel(struct warp *w, const struct insn *in, bool gathers)
{
    u64 handle[WARP_LANES]; /* a result may take the handle's register */
    struct texture_value value[WARP_LANES];
    struct looked_up last = {0, NULL};
    memcpy(handle, warp_ref(w, in->a), sizeof handle);
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        const struct image *image = exec_look_up(w, in, lane, handle[lane], false, &last);
        if (image == NULL || !is_there(w, in, image, lane)) {
            return NULL;
        }
        value[lane] =
            gathers ? texture_gather(&image->texture, point_of(w, in->image, &image->texture, lane),
                                     in->image->channel)
                    : sample(w, in, image, lane);
    }
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        keep_value(w, in, first_lane(left), value[first_lane(left)]);
    }
    write_predicate(w, in->image->resident, FULL_MASK);
    return in + 1;
}

unsigned exec_image_texels(const struct warp *w, const struct insn *in, unsigned lane,
                           const struct image *image, bool gathers,
                           const u8 *texels[TEXTURE_MOST_TEXELS])
{
    const struct image_insn *insn = in->image;
    const struct texture *t = &image->texture;
    if (gathers) {
        return texture_gathered(t, point_of(w, insn, t, lane), texels);
    }
    if (is_nothing(insn, image)) {
        return 0;
    }
    if (insn->has_integers || image->is_linear) {
        return texture_fetched(t, texel_coordinate(w, insn, image, 0, lane),
                               texel_coordinate(w, insn, image, 1, lane),
                               texel_coordinate(w, insn, image, 2, lane), texels);
    }
    return texture_texels(t, insn->dimensions, point_of(w, insn, t, lane), texels);
}

HANDLER(tex) { return all_texels(w, in) ? in + 1 : each_texel(w, in, false); }

HANDLER(tld4) { return each_texel(w, in, true); }

/* --- sizes ------------------------------------------------------------------------------------ */

/* As an H200 answers: a row has the height 1 as a texture and 0 as a surface; the depth of what has
 * neither slices nor layers is 0. The size of a level that does not exist is
 * 0; none has been measured. */
static u32 size_of(const struct image *image, unsigned which, u32 level)
{
    const struct texture *t = &image->texture;
    const bool is_deep = image->dimensions == 3 || t->is_layered;
    if (level >= (image->is_surface ? 1 : t->level_count)) {
        return 0;
    }
    switch (which) {
    case 0:
        return t->levels[level].width;
    case 1:
        return image->is_surface && image->dimensions == 1 ? 0 : t->levels[level].height;
    default:
        return is_deep ? t->levels[level].depth : 0;
    }
}

static const struct insn *each_size(struct warp *w, const struct insn *in, bool is_surface)
{
    const bool has_level = in->image->level == LEVEL_NAMED;
    u32 *d = warp_ref(w, in->d);
    const u64 *handle = warp_ref(w, in->a);
    const u32 *level = has_level ? warp_ref(w, in->b) : NULL;
    struct looked_up last = {0, NULL};
    u32 size[WARP_LANES]; /* a result may take the handle's register */
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        const struct image *image = exec_look_up(w, in, lane, handle[lane], is_surface, &last);
        if (image == NULL) {
            return NULL;
        }
        size[lane] = size_of(image, in->image->channel, has_level ? level[lane] : 0);
    }
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        d[first_lane(left)] = size[first_lane(left)];
    }
    return in + 1;
}

HANDLER(txq) { return each_size(w, in, false); }

HANDLER(suq) { return each_size(w, in, true); }

#define IMAGE_ROW(name) HANDLER_ROW(name, WORK, IMAGE, OPCODE)
const struct handler exec_image_table[] = {
    IMAGE_ROW(tex), IMAGE_ROW(tld4), WORK_ROW(txq), WORK_ROW(suq), {0}};
