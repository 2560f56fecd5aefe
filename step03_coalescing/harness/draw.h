/* draw.h - which 32-byte sectors a warp touches: pictures and predictions, before anything runs.
 * Every mark and every number comes from common/gpu. Called by main.cu. */
#ifndef STEP03_DRAW_H
#define STEP03_DRAW_H

#include <stdint.h>
#include <stdio.h>

#include "common/gpu/draw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A warp whose lane i wants element offset + i * stride, each of `bytes` bytes. */
struct draw_access pattern_access(uint64_t offset, uint64_t stride, unsigned bytes);
/* "offset 1", "stride 3, doubles of 8 bytes": what a picture of it is called. Returns text. */
const char *pattern_title(char *text, size_t size, uint64_t offset, uint64_t stride,
                          unsigned bytes);

/* Title and picture of one pattern. */
void draw_pattern(FILE *out, uint64_t offset, uint64_t stride, unsigned bytes);
/* The tile of the transposes over shared memory's banks: straight, padded, swizzled. */
void draw_tile(FILE *out);
/* Four patterns, and what common/gpu/access predicts for every offset, stride and size. */
void draw_predictions(FILE *out);

#ifdef __cplusplus
}
#endif

#endif
