/* shapes.c - products outside the usual tables: odd sizes, matrix times vector, a very deep k. */
#include <math.h>

#include "common/verify.h"
#include "step02_tiled/lesson.h"

/* Every order of magnitude between 1 and the largest is equally likely. */
static size_t any_size(struct rng *rng, double largest)
{
    return (size_t)(exp(rng_unit(rng) * log(largest)) + 0.5);
}

/* What a GPU computes, and a CPU verifies, within a second or two. */
static bool bearable(struct matmul_shape s, bool small)
{
    const double m = (double)s.m, n = (double)s.n, k = (double)s.k;
    return m * n * k <= (small ? 1e6 : 1e12) && k * (m + n) <= 2e8 && m * n <= 1e8;
}

struct matmul_shape drawn_shape(uint64_t seed, size_t i, bool small)
{
    struct rng rng = rng_start(seed + 1000 * i);
    const double side = small ? 100 : 10000, depth = small ? 1000 : 100000;
    for (;;) {
        struct matmul_shape s = {any_size(&rng, side), any_size(&rng, side), any_size(&rng, depth)};
        if (i % 4 == 3) /* matrix-vector, or up to 16 of them */
            *(i % 8 == 3 ? &s.m : &s.n) = i % 16 < 8 ? 1 : any_size(&rng, 16);
        else if (i % 4 == 2) /* large ones, whose sizes nothing divides */
            s = (struct matmul_shape){(size_t)(side + 1) - any_size(&rng, side),
                                      (size_t)(side + 1) - any_size(&rng, side), s.k};
        if (bearable(s, small))
            return s;
    }
}
