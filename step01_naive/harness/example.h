/* example.h - the smallest matmul that shows the waste: 4 x 4 matrices, 2 x 2 blocks. */
#ifndef STEP01_EXAMPLE_H
#define STEP01_EXAMPLE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Draws which elements the threads of block (0,0) read, and counts them (stdout). */
void example_print(void);

#ifdef __cplusplus
}
#endif

#endif
