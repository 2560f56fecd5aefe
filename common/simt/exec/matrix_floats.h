/* matrix_floats.h - a whole product of one warp at a time, for operands without special values. */
#ifndef SIMT_MATRIX_FLOATS_H
#define SIMT_MATRIX_FLOATS_H

#include "decode/matrix.h"
#include "exec/exec_types.h"
#include "machine/warp.h"

/* Adds each result to *results, which is zero; false: these operands are not for it (infinities,
 * NaNs, exponents far apart, sparse or FP8 operands), and some results may have been written. */
bool matrix_floats_fast(const struct warp *w, const struct matrix_multiply *m,
                        const struct matrix_part *part, u32 results[MATRIX_MOST_C][WARP_LANES]);

#endif
