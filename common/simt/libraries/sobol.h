/* sobol.h - Sobol' sequences with the direction numbers of Joe and Kuo (SIAM J. Sci. Comput. 30,
 * 2008), of the first dimensions. */
#ifndef SIMT_SOBOL_H
#define SIMT_SOBOL_H

#include <stdint.h>

enum { SOBOL_DIMENSIONS = 21, SOBOL_BITS = 64 };

/* Of one dimension, counted from 0; the highest 32 bits of the first 32 are those for 32-bit
 * numbers. */
void sobol_directions(unsigned dimension, uint64_t v[SOBOL_BITS]);
/* The number at a position, counted from 0, in the order of Gray codes. */
uint64_t sobol_number(const uint64_t v[SOBOL_BITS], uint64_t position);

#endif
