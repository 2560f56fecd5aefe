/* draw.h - which 32-byte sectors a warp touches, as a picture and as a list of predictions. Called
 * by main.cu before anything runs; every mark comes from common/gpu/access. */
#ifndef STEP03_DRAW_H
#define STEP03_DRAW_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One line for a warp of floats whose lane i reads element offset + i * stride. */
void draw_warp(FILE *out, const char *label, uint64_t offset, uint64_t stride);
/* The legend, four warps, and what common/gpu/access predicts for every offset, stride and size. */
void draw_predictions(FILE *out);

#ifdef __cplusplus
}
#endif

#endif
