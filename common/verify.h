/* verify.h - inputs that are the same on every machine, and comparisons that a NaN cannot pass.
 *
 * Fill the inputs from a seed, poison the output (cuda_poison() of cuda_check.h), launch, copy
 * back, compare with a reference computed in double. No CUDA in here. */
#ifndef COMMON_VERIFY_H
#define COMMON_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* splitmix64 (S. Vigna, public domain description at prng.di.unimi.it): 64 bits of state, every
 * seed is a good one. */
struct rng {
    uint64_t state;
};
struct rng rng_start(uint64_t seed);
uint64_t rng_next(struct rng *r);
double rng_unit(struct rng *r);                                /* [0, 1), 53 bits */
int64_t rng_between(struct rng *r, int64_t low, int64_t high); /* both ends included */

void verify_fill_floats(float *values, size_t count,
                        uint64_t seed); /* [-1, 1), multiples of 2^-23 */
void verify_fill_doubles(double *values, size_t count, uint64_t seed); /* [-1, 1) */
void verify_fill_ints(int32_t *values, size_t count, int32_t low, int32_t high, uint64_t seed);

/* |got - want| <= abs + rel * |want|. A NaN on either side is false; infinities are close only if
 * they are equal. */
bool verify_close(double got, double want, double abs_tolerance, double rel_tolerance);

struct verify_result {
    bool ok;
    size_t count; /* values compared */
    size_t mismatches;
    size_t first; /* index of the first mismatch, if there is one, and its values */
    double got, want;
    double max_abs_error; /* over all values; NaN if any value was NaN or an unequal infinity */
};

/* Comparing nothing (count 0) is ok. */
struct verify_result verify_floats(const float *got, const double *want, size_t count,
                                   double abs_tolerance, double rel_tolerance);
struct verify_result verify_doubles(const double *got, const double *want, size_t count,
                                    double abs_tolerance, double rel_tolerance);
struct verify_result verify_floats_equal(const float *got, const float *want, size_t count);
struct verify_result verify_ints(const int32_t *got, const int32_t *want, size_t count);
/* Bytes: for copies of any element type. got and want are then the byte values. */
struct verify_result verify_bytes(const void *got, const void *want, size_t count);

/* "matmul_naive: 12 of 1200 values wrong, first at row 3, column 7: got nan, want 1.25". With
 * columns 0 the place is "at index 127". One line; prints nothing if the result is ok. */
void verify_explain(FILE *out, const char *kernel, const struct verify_result *r, size_t columns);

#ifdef __cplusplus
}
#endif

#endif
