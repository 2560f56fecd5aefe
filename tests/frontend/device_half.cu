/* Words that nvcc alone understands in the device's half of a source: its host half has none. */
#include "check.h"

__device__ unsigned sum(unsigned a, unsigned b)
{
#ifdef __CUDA_ARCH__
    unsigned lane;
    asm("mov.u32 %0, %laneid; add.u32 %0, %0, %1; add.u32 %0, %0, %2;" : "=&r"(lane) : "r"(a) "r"(b));
    return lane;
#else
    return a + b;
#endif
}

__global__ void k(unsigned *out) { out[threadIdx.x] = sum(100, 1000); }

int main()
{
    unsigned *out = make_array<unsigned>(32);
    k<<<1, 32>>>(out);
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        CHECK_INT(out[i], 1100 + i);
    return check_result();
}
