/* A float has 24 bits: it cannot tell 2^24 + 1 from 2^24.
 * rejected: wrong result */
#include <math.h>

int blocks_for(int n, int threads)
{
    return (int)ceilf((float)n / (float)threads);
}
