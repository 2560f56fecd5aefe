/* loops.h - tiling on a CPU, where the idea comes from. Called by main.cu for --loops. */
#ifndef STEP02_LOOPS_H
#define STEP02_LOOPS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The loops of a product on a CPU, plain and tiled: when an element is used, what a cache fetches.
 * false: an order of the loops gave another result. */
bool loops_print(void);

#ifdef __cplusplus
}
#endif

#endif
