/* exec_surface.c - suld, sust and sured: elements of surfaces, lane by lane. */
#include "exec/exec.h"
#include "exec/exec_atomic.h"
#include "exec/exec_image.h"
#include "exec/exec_types.h"
#include "exec/exec_values.h"

#include <string.h>

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

/* What the lane reaches at once: its elements, or of sust.p a texel. */
static s64 bytes_at_once(const struct insn *in, const struct image *image)
{
    return in->image->is_texel ? texture_texel_bytes(image->texture.format)
                               : (s64)in->image->bytes * in->elements;
}

/* at: x in bytes, y and z. */
static void element_place(const struct warp *w, const struct insn *in, const struct image *image,
                          unsigned lane, s64 at[3])
{
    const struct image_insn *insn = in->image;
    at[0] = (s32)coordinate(w, insn, 0, lane) *
            (insn->is_formatted ? bytes_at_once(in, image) : (s64)1);
    at[1] = (s32)coordinate(w, insn, 1, lane);
    at[2] =
        insn->is_layered ? (s32)word_of(w, insn->layer, lane) : (s32)coordinate(w, insn, 2, lane);
}

static enum reached find_element(const struct warp *w, const struct insn *in, unsigned lane,
                                 const struct image *image, u8 **host)
{
    const struct texture_level *l = &image->texture.levels[0];
    const enum image_outside outside = (enum image_outside)in->image->outside;
    const s64 bytes = bytes_at_once(in, image);
    const s64 row = (s64)l->width * texture_texel_bytes(image->texture.format);
    s64 at[3];
    element_place(w, in, image, lane, at);
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
    const long long bytes = bytes_at_once(in, image);
    s64 at[3];
    element_place(w, in, image, lane, at);
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
        const struct image *image = exec_look_up(w, in, lane, handle[lane], true, &last);
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

/* A NaN keeps its sign and the fraction's upper ten bits, of which the last is set if none is. */
static u32 half_of_nan(u32 word)
{
    const u32 fraction = word >> 13 & 0x3ffu;
    return (word >> 16 & 0x8000u) | 0x7c00u | (fraction != 0 ? fraction : 1);
}

/* A word as a channel: integers that do not fit become the nearest that do, halves are cut off
 * towards zero. */
static u32 channel_of(struct texture_format f, u32 word)
{
    const unsigned unused = 32u - f.bits;
    if (f.bits == 32) {
        return word;
    }
    if (f.number == TEXTURE_FLOAT) {
        const float value = f32_of_bits(word);
        return value == value ? half_of_f64((f64)value, ROUND_ZERO) : half_of_nan(word);
    }
    if (f.number == TEXTURE_UNSIGNED) {
        return word > UINT32_MAX >> unused ? UINT32_MAX >> unused : word;
    }
    const s32 most = INT32_MAX >> unused, value = (s32)word;
    return (u32)(value > most ? most : value < -most - 1 ? -most - 1 : value);
}

/* sust.p. Channels for which the instruction has no register become 0. */
HANDLER(sust_formatted)
{
    const u64 *handle = warp_ref(w, in->a);
    u8 *host[WARP_LANES] = {NULL};
    lane_mask are_signed = 0;
    struct looked_up last = {0, NULL};
    if (!reach_all(w, in, host, &are_signed)) {
        return NULL;
    }
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        const struct image *image = exec_look_up(w, in, lane, handle[lane], true, &last);
        const struct texture_format f = image->texture.format;
        for (unsigned i = 0; i < f.channels && host[lane] != NULL; i++) {
            const u32 word = i < in->elements ? word_of(w, in->element[i], lane) : 0;
            const u32 channel = channel_of(f, word);
            memcpy(host[lane] + i * f.bits / 8u, &channel, f.bits / 8u);
        }
    }
    return in + 1;
}

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

#define IMAGE_ROW(name)            HANDLER_ROW(name, WORK, IMAGE, OPCODE),
#define SURED_ROW(name, of_signed) IMAGE_ROW(sured_##name)
#define SURFACE_ROWS(bits)         IMAGE_ROW(suld_##bits) IMAGE_ROW(sust_##bits)
const struct handler exec_surface_table[] = {SURFACE_ROWS(8) SURFACE_ROWS(16) SURFACE_ROWS(
    32) SURFACE_ROWS(64) IMAGE_ROW(sust_formatted) SURED_ROWS(SURED_ROW){0}};
