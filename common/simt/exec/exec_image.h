/* exec_image.h - where tex, tld4, suld and sust are about to read and write: for observed_image.c.
 *
 * The lane's coordinates are read off its registers; nothing is read or written there yet, and
 * nothing is a fault. */
#ifndef SIMT_EXEC_IMAGE_H
#define SIMT_EXEC_IMAGE_H

#include "machine/images.h"
#include "machine/warp.h"

/* The first bytes of the texels that the lane reads, in the host's memory. Returns how many they
 * are. */
unsigned exec_image_texels(const struct warp *w, const struct insn *in, unsigned lane,
                           const struct image *image, bool gathers,
                           const uint8_t *texels[TEXTURE_MOST_TEXELS]);
/* The element of a surface; NULL: outside of it, or not at a multiple of its size. */
uint8_t *exec_image_element(const struct warp *w, const struct insn *in, unsigned lane,
                            const struct image *image);

#endif
