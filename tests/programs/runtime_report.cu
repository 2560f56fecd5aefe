/* What SIMT_REPORT=- prints: expected/runtime_report.txt. */
#include "tests/frontend/check.h"

__global__ void copy(float *to, const float *from)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

template <typename T, int STRIDE> __global__ void copy_strided(T *to, const T *from)
{
    to[threadIdx.x] = from[threadIdx.x * STRIDE];
}

int main(void)
{
    float *from = make_array<float>(4096), *to = make_array<float>(4096);
    copy<<<dim3(8, 2), 128>>>(to, from);
    for (int i = 0; i < 3; i++)
        copy_strided<float, 8><<<1, 64>>>(to, from);
    copy<<<1, 32>>>(to, from);
    return check_done();
}
