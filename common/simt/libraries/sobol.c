/* sobol.c - see sobol.h. */
#include "libraries/sobol.h"

/* From the second dimension on: degree and inner coefficients of a primitive polynomial, and the
 * first odd numbers. */
static const struct {
    uint8_t degree, inner, first[7];
} rows[SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

void sobol_directions(unsigned dimension, uint64_t v[SOBOL_BITS])
{
    if (dimension == 0) {
        for (unsigned i = 0; i < SOBOL_BITS; i++) {
            v[i] = 1ull << (SOBOL_BITS - 1 - i);
        }
        return;
    }
    const unsigned degree = rows[dimension - 1].degree, inner = rows[dimension - 1].inner;
    for (unsigned i = 0; i < SOBOL_BITS; i++) {
        if (i < degree) {
            v[i] = (uint64_t)rows[dimension - 1].first[i] << (SOBOL_BITS - 1 - i);
            continue;
        }
        v[i] = v[i - degree] ^ v[i - degree] >> degree;
        for (unsigned k = 1; k < degree; k++) {
            v[i] ^= inner >> (degree - 1 - k) & 1u ? v[i - k] : 0;
        }
    }
}

uint64_t sobol_number(const uint64_t v[SOBOL_BITS], uint64_t position)
{
    const uint64_t gray = position ^ position >> 1;
    uint64_t x = 0;
    for (unsigned i = 0; i < SOBOL_BITS && gray >> i != 0; i++) {
        x ^= gray >> i & 1u ? v[i] : 0;
    }
    return x;
}
