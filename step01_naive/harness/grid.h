/* grid.h - draws the threads of a grid over the elements of a vector or a matrix. Called by main.cu
 * for --grid. */
#ifndef STEP01_GRID_H
#define STEP01_GRID_H

#ifdef __cplusplus
extern "C" {
#endif

enum { GRID_THREADS_ACROSS = 16, GRID_THREADS_DOWN = 16 };

/* A vector of `columns` elements (rows 0), or a row-major matrix. false: the drawing would need
 * more than GRID_THREADS_ACROSS x GRID_THREADS_DOWN threads. */
int grid_fits(int columns, int rows, int block_x, int block_y);
void grid_print(int columns, int rows, int block_x, int block_y);

#ifdef __cplusplus
}
#endif

#endif
