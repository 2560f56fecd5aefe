/* picture.h - warps drawn in the terminal: a block's threads by warp, an image's warps by state.
 * Colours if stdout is a terminal and NO_COLOR is not set; else characters alone say it all. */
#ifndef STEP04_PICTURE_H
#define STEP04_PICTURE_H

#include <stdio.h>

#include "step04_divergence/harness/lesson.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each warp's first and last thread, and, for blocks at most 64 wide, a map of the threads. */
void picture_block(FILE *out, struct shape s, const struct placed *found);
/* 32 characters, one per lane: # active, . a lane that is there and waits, blank: no such lane. */
void picture_lanes(FILE *out, uint32_t active, uint32_t present);
/* One line per row of warps, one cell per block: ## full, // divergent, .. outside. */
void picture_image(FILE *out, int64_t width, int64_t height, struct shape s, const uint8_t *state);

#ifdef __cplusplus
}
#endif

#endif
