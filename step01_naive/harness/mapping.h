/* mapping.h - what one warp reads in one step of the product's loop, drawn for both mappings.
 * Called by main.cu for --warp. */
#ifndef STEP01_MAPPING_H
#define STEP01_MAPPING_H

#ifdef __cplusplus
extern "C" {
#endif

/* A is m x k, B is k x n; blocks of 16 x 16 threads. */
void mapping_print(int n, int k);

#ifdef __cplusplus
}
#endif

#endif
