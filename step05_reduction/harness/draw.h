/* draw.h - `./run --draw NAME`: how elements move in a tree, in a shuffle, and blocks to a result.
 */
#ifndef STEP05_DRAW_H
#define STEP05_DRAW_H

#include "common/options.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DRAW_BLOCK_MAX = 16 };

extern const char *const draw_names[]; /* ends with NULL */

/* What is drawn is what the device computed; one wrong sum ends the program with 1. `block` is a
 * power of two from 2 to DRAW_BLOCK_MAX; `tickets` has that many blocks; `which` is an index of
 * draw_names. Prints the picture, or CSV as the options ask. Returns the exit code. */
int draw_elements(const struct options *o, int which, unsigned block);

#ifdef __cplusplus
}
#endif

#endif
