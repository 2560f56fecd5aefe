/* draw.h - pictures of this lesson: a block's walk over the tiles, and lanes over banks. Called by
 * main.cu for --phases, --banks and --draw fragment. */
#ifndef STEP02_DRAW_H
#define STEP02_DRAW_H

#ifdef __cplusplus
extern "C" {
#endif

/* C = A.B, all 4 x 4, tiles of 2 x 2: what each thread of block (0,0) loads and multiplies. */
void phases_print(void);
/* What one warp reads of shared memory in one step of the loop, rung by rung. */
void banks_print(void);
/* The registers of mma.sync.m16n8k16, lane by lane, and the rows that ldmatrix reads (fragment.c). */
void fragment_print(void);

#ifdef __cplusplus
}
#endif

#endif
