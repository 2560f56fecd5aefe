/* fourier.h - the discrete Fourier transform of one line of any length, in double.
 *
 * Lengths of small prime factors go by those (Cooley and Tukey 1965); others become a convolution
 * of a length that is a power of two (Bluestein 1970). Not scaled. */
#ifndef SIMT_FOURIER_H
#define SIMT_FOURIER_H

#include <complex.h>
#include <stddef.h>

struct fourier; /* tables for one length */

struct fourier *fourier_new(size_t length);
void fourier_free(struct fourier *f);
/* line: `length` numbers, replaced by their transform; sign: -1 forward, 1 back. */
void fourier_line(const struct fourier *f, double complex *line, int sign);

#endif
