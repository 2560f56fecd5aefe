/* exec_image.h - what instructions of textures and of surfaces share, and where they are about to
 * read and write: for observed_image.c. */
#ifndef SIMT_EXEC_IMAGE_H
#define SIMT_EXEC_IMAGE_H

#include "decode/image.h"
#include "machine/images.h"
#include "machine/warp.h"

/* The object of a lane's handle; NULL after a fault. Neighbouring lanes ask for the same object: it
 * is looked up once for each run of them. last: {0, NULL} before the first. */
struct looked_up {
    uint64_t handle;
    struct image *image;
};
struct image *exec_look_up(struct warp *w, const struct insn *in, unsigned lane, uint64_t handle,
                           bool is_surface, struct looked_up *last);

/* A lane's part of a register; without one, 0. */
static inline uint32_t word_of(const struct warp *w, uint32_t ref, unsigned lane)
{
    return ref != NO_REF ? ((const uint32_t *)warp_ref(w, ref))[lane] : 0;
}

static inline uint32_t coordinate(const struct warp *w, const struct image_insn *image,
                                  unsigned axis, unsigned lane)
{
    return axis < image->dimensions ? word_of(w, image->at[axis], lane) : 0;
}

/* The lane's coordinates are read off its registers; nothing is read or written there yet, and
 * nothing is a fault. */

/* The first bytes of the texels that the lane reads, in the host's memory. Returns how many they
 * are. */
unsigned exec_image_texels(const struct warp *w, const struct insn *in, unsigned lane,
                           const struct image *image, bool gathers,
                           const uint8_t *texels[TEXTURE_MOST_TEXELS]);
/* The element of a surface; NULL: outside of it, or not at a multiple of its size. */
uint8_t *exec_image_element(const struct warp *w, const struct insn *in, unsigned lane,
                            const struct image *image);

#endif
