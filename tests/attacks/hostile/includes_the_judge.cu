/* step01-1: wants the judge's structures */
#include "common/judge/state.h"

__global__ void number(float *out, int n)
{
    if (threadIdx.x == 0 && n < 0)
        out[0] = 1.0f;
}
