/* exec_image.c - tex, tld4, suld, sust, sured, txq and suq: lane by lane, through the texture unit
 * of gpu/texture.h.
 *
 * What a kernel reads through a texture may be what it writes through a pointer or a surface: here
 * every store is visible at once, as it is in no texture cache of a card. */
#include "exec/exec_image.h"
#include "exec/exec.h"
#include "exec/exec_atomic.h"
#include "exec/exec_types.h"
#include "exec/exec_values.h"
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

/* Neighbouring lanes ask for the same object: it is looked up once for each run of them. */
struct looked_up {
    u64 handle;
    struct image *image;
};

static struct image *look_up(struct warp *w, const struct insn *in, unsigned lane, u64 handle,
                             bool is_surface, struct looked_up *last)
{
    if (last->image == NULL || last->handle != handle) {
        *last = (struct looked_up){handle, image_of(w, in, lane, handle, is_surface)};
    }
    return last->image;
}

/* --- textures --------------------------------------------------------------------------------- */

static u32 word_of(const struct warp *w, u32 ref, unsigned lane)
{
    return ref != NO_REF ? ((const u32 *)warp_ref(w, ref))[lane] : 0;
}

static float float_of(const struct warp *w, u32 ref, unsigned lane)
{
    return f32_of_bits(word_of(w, ref, lane));
}

static u32 coordinate(const struct warp *w, const struct image_insn *image, unsigned axis,
                      unsigned lane)
{
    return axis < image->dimensions ? word_of(w, image->at[axis], lane) : 0;
}

static struct texture_point point_of(const struct warp *w, const struct image_insn *insn,
                                     const struct texture *t, unsigned lane)
{
    struct texture_point p = {.x = f32_of_bits(coordinate(w, insn, 0, lane)),
                              .y = f32_of_bits(coordinate(w, insn, 1, lane)),
                              .z = f32_of_bits(coordinate(w, insn, 2, lane)),
                              .layer = insn->is_layered ? (s32)word_of(w, insn->layer, lane) : 0,
                              .has_level = insn->level != LEVEL_FIRST};
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

static void keep_value(const struct warp *w, const struct insn *in, unsigned lane,
                       struct texture_value v)
{
    for (unsigned i = 0; i < ELEMENTS; i++) {
        if (in->element[i] != NO_REF) {
            ((u32 *)warp_ref(w, in->element[i]))[lane] = v.channel[i];
        }
    }
}

static struct texture_value sample(const struct warp *w, const struct insn *in,
                                   const struct image *image, unsigned lane)
{
    const struct image_insn *insn = in->image;
    if (insn->has_integers || image->is_linear) {
        return texture_fetch(&image->texture, (s32)coordinate(w, insn, 0, lane),
                             (s32)coordinate(w, insn, 1, lane), (s32)coordinate(w, insn, 2, lane));
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

static const struct insn *each_texel(struct warp *w, const struct insn *in, bool gathers)
{
    u64 handle[WARP_LANES]; /* a result may take the handle's register */
    struct texture_value value[WARP_LANES];
    struct looked_up last = {0, NULL};
    memcpy(handle, warp_ref(w, in->a), sizeof handle);
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        const struct image *image = look_up(w, in, lane, handle[lane], false, &last);
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
    if (insn->has_integers || image->is_linear) {
        return texture_fetched(t, (s32)coordinate(w, insn, 0, lane),
                               (s32)coordinate(w, insn, 1, lane), (s32)coordinate(w, insn, 2, lane),
                               texels);
    }
    return texture_texels(t, insn->dimensions, point_of(w, insn, t, lane), texels);
}

HANDLER(tex) { return each_texel(w, in, false); }

HANDLER(tld4) { return each_texel(w, in, true); }

/* --- surfaces --------------------------------------------------------------------------------- */

/* Where an element of a surface lies, or why there is none. */
enum reached { REACHED, REACHED_NOTHING, REACHED_OUTSIDE, REACHED_MISALIGNED };

/* x counts bytes. Clamped is to the texel at the edge. */
static bool is_within(s64 *at, s64 side, s64 step, enum image_outside outside)
{
    if (*at >= 0 && *at + step <= side) {
        return true;
    }
    if (outside == OUTSIDE_CLAMPS) {
        *at = *at < 0 ? 0 : side - step;
    }
    return outside == OUTSIDE_CLAMPS;
}

/* at: x in bytes, y and z. */
static void element_place(const struct warp *w, const struct image_insn *insn, unsigned lane,
                          s64 at[3])
{
    at[0] = (s32)coordinate(w, insn, 0, lane) * (s64)(insn->is_formatted ? insn->bytes : 1);
    at[1] = (s32)coordinate(w, insn, 1, lane);
    at[2] =
        insn->is_layered ? (s32)word_of(w, insn->layer, lane) : (s32)coordinate(w, insn, 2, lane);
}

static enum reached find_element(const struct warp *w, const struct insn *in, unsigned lane,
                                 const struct image *image, u8 **host)
{
    const struct texture_level *l = &image->texture.levels[0];
    const enum image_outside outside = (enum image_outside)in->image->outside;
    const s64 bytes = (s64)in->image->bytes * in->elements;
    const s64 row = (s64)l->width * texture_texel_bytes(image->texture.format);
    s64 at[3];
    element_place(w, in->image, lane, at);
    if (at[0] % bytes != 0) {
        return REACHED_MISALIGNED;
    }
    const bool within = is_within(&at[0], row, bytes, outside) &
                        is_within(&at[1], l->height, 1, outside) &
                        is_within(&at[2], l->depth, 1, outside);
    if (!within) {
        return outside == OUTSIDE_TRAPS ? REACHED_OUTSIDE : REACHED_NOTHING;
    }
    *host = (u8 *)(uintptr_t)l->texels + at[2] * (s64)l->slice_bytes + at[1] * (s64)l->row_bytes +
            at[0];
    return REACHED;
}

u8 *exec_image_element(const struct warp *w, const struct insn *in, unsigned lane,
                       const struct image *image)
{
    u8 *host = NULL;
    return find_element(w, in, lane, image, &host) == REACHED ? host : NULL;
}

/* False: a fault. */
static bool reach(struct warp *w, const struct insn *in, unsigned lane, const struct image *image,
                  u8 **host)
{
    const struct texture_level *l = &image->texture.levels[0];
    const long long bytes = (long long)in->image->bytes * in->elements;
    s64 at[3];
    element_place(w, in->image, lane, at);
    switch (find_element(w, in, lane, image, host)) {
    case REACHED_MISALIGNED:
        fault(w, in, lane, SIMT_MISALIGNED,
              "surface access of %lld bytes at x = %lld: x counts bytes, and is a multiple of them",
              bytes, (long long)at[0]);
        return false;
    case REACHED_OUTSIDE:
        fault(
            w, in, lane, SIMT_ILLEGAL_ADDRESS,
            "surface access of %lld bytes at x = %lld, y = %lld, z = %lld is outside of a surface "
            "of %lld bytes x %u x %u (x counts bytes)",
            bytes, (long long)at[0], (long long)at[1], (long long)at[2],
            (long long)l->width * texture_texel_bytes(image->texture.format), l->height, l->depth);
        return false;
    case REACHED:
    case REACHED_NOTHING:
        break;
    }
    return true;
}

static void load_element(const struct warp *w, u32 ref, unsigned lane, unsigned bytes,
                         const u8 *host)
{
    u64 value = 0;
    if (ref == NO_REF) {
        return;
    }
    if (host != NULL) {
        memcpy(&value, host, bytes);
    }
    if (bytes == 8) {
        ((u64 *)warp_ref(w, ref))[lane] = value;
    } else {
        ((u32 *)warp_ref(w, ref))[lane] = (u32)value;
    }
}

static void store_element(const struct warp *w, u32 ref, unsigned lane, unsigned bytes, u8 *host)
{
    const u64 value =
        bytes == 8 ? ((const u64 *)warp_ref(w, ref))[lane] : ((const u32 *)warp_ref(w, ref))[lane];
    memcpy(host, &value, bytes);
}

/* The elements of all lanes, NULL where there is none, and whether their surfaces hold signed
 * integers; false after a fault. */
static bool reach_all(struct warp *w, const struct insn *in, u8 *host[WARP_LANES],
                      lane_mask *are_signed)
{
    const u64 *handle = warp_ref(w, in->a);
    struct looked_up last = {0, NULL};
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        const struct image *image = look_up(w, in, lane, handle[lane], true, &last);
        if (image == NULL || !reach(w, in, lane, image, &host[lane])) {
            return false;
        }
        const bool is_signed = image->texture.format.number == TEXTURE_SIGNED;
        *are_signed |= (lane_mask)is_signed << lane;
    }
    return true;
}

static const struct insn *each_element(struct warp *w, const struct insn *in, bool stores)
{
    const unsigned bytes = in->image->bytes;
    u8 *host[WARP_LANES] = {NULL};
    lane_mask are_signed = 0;
    if (!reach_all(w, in, host, &are_signed)) {
        return NULL;
    }
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        for (unsigned i = 0; i < in->elements; i++) {
            u8 *at = host[lane] != NULL ? host[lane] + i * bytes : NULL;
            if (!stores) {
                load_element(w, in->element[i], lane, bytes, at);
            } else if (at != NULL) {
                store_element(w, in->element[i], lane, bytes, at);
            }
        }
    }
    return in + 1;
}

/* The decoder asks for a handler by type, so that none exists for others. */
#define SURFACE(bits)                                                                              \
    HANDLER(suld_##bits) { return each_element(w, in, false); }                                    \
    HANDLER(sust_##bits) { return each_element(w, in, true); }
SURFACE(8)
SURFACE(16)
SURFACE(32)
SURFACE(64)

/* By .p a surface of signed integers is updated by the operation on those. */
static const struct insn *each_update(struct warp *w, const struct insn *in, exec_update update,
                                      exec_update of_signed)
{
    const u8 *values = warp_ref(w, in->element[0]);
    u8 *host[WARP_LANES] = {NULL};
    lane_mask are_signed = 0;
    if (!reach_all(w, in, host, &are_signed)) {
        return NULL;
    }
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        const bool is_signed = in->image->is_formatted && (are_signed >> lane & 1u) != 0;
        if (host[lane] != NULL) {
            (is_signed ? of_signed : update)(host[lane], values + (size_t)lane * in->bytes,
                                             PTX_GLOBAL);
        }
    }
    return in + 1;
}

#define SURED_ROWS(ROW)                                                                            \
    ROW(add_u32, add_u32)                                                                          \
    ROW(add_u64, add_u64)                                                                          \
    ROW(min_u32, min_s32)                                                                          \
    ROW(min_s32, min_s32)                                                                          \
    ROW(min_u64, min_s64)                                                                          \
    ROW(min_s64, min_s64)                                                                          \
    ROW(max_u32, max_s32)                                                                          \
    ROW(max_s32, max_s32)                                                                          \
    ROW(max_u64, max_s64)                                                                          \
    ROW(max_s64, max_s64)                                                                          \
    ROW(and_b32, and_b32)                                                                          \
    ROW(or_b32, or_b32)
#define SURED(name, of_signed)                                                                     \
    HANDLER(sured_##name)                                                                          \
    {                                                                                              \
        return each_update(w, in, exec_update_##name, exec_update_##of_signed);                    \
    }
SURED_ROWS(SURED)

/* --- sizes ------------------------------------------------------------------------------------ */

/* As an H200 answers: a row has the height 1 as a texture and 0 as a surface; the depth of what has
 * neither slices nor layers is 0. What the level is that nobody has: none is measured, 0. */
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
        const struct image *image = look_up(w, in, lane, handle[lane], is_surface, &last);
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

#define IMAGE_ROW(name)            HANDLER_ROW(name, WORK, IMAGE, OPCODE)
#define SURED_ROW(name, of_signed) IMAGE_ROW(sured_##name),
const struct handler exec_image_table[] = {IMAGE_ROW(tex),
                                           IMAGE_ROW(tld4),
                                           IMAGE_ROW(suld_8),
                                           IMAGE_ROW(suld_16),
                                           IMAGE_ROW(suld_32),
                                           IMAGE_ROW(suld_64),
                                           IMAGE_ROW(sust_8),
                                           IMAGE_ROW(sust_16),
                                           IMAGE_ROW(sust_32),
                                           IMAGE_ROW(sust_64),
                                           SURED_ROWS(SURED_ROW) WORK_ROW(txq),
                                           WORK_ROW(suq),
                                           {0}};
