/* few.h - what matmul_few's kernels share: the work, who comes last, four elements of a row of B.
 *
 * One row of A and a B of 4096 x 4096: every element of B is used once. There is nothing to keep in
 * registers, the time is that of reading B, and all that counts is bytes in flight. Used by few_*.h
 * and vector.cu, which launches them. */
#ifndef STEP02_FEW_H
#define STEP02_FEW_H

#include <cuda_runtime.h>

enum { THREADS = 256, WARPS = THREADS / 32, IN_FLIGHT = 4 };

struct vector_work {
    const float *A, *B;
    float *C, *parts;
    unsigned *tickets;
    int m, n, k;
    int splits; /* of k; gridDim.y */
    int depth;  /* steps of k in one split */
};

/* True for the block of a group that comes last; the counter is 0 again after it. */
__device__ __forceinline__ bool comes_last(unsigned *ticket, unsigned blocks)
{
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicInc(ticket, blocks - 1) == blocks - 1;
    __syncthreads();
    __threadfence();
    return last;
}

enum { COLUMNS = 128 }; /* of C: what a block with few rows or few steps computes */

/* A lane's four elements of a row of B: neighbours where rows start at multiples of 16 bytes,
 * otherwise 32 apart. Columns beyond n repeat the last. */
template <bool VECTORS>
__device__ __forceinline__ float4 four_of_row(const float *row, const int *at)
{
    return VECTORS ? __ldg((const float4 *)(row + at[0]))
                   : make_float4(__ldg(row + at[0]), __ldg(row + at[1]), __ldg(row + at[2]),
                                 __ldg(row + at[3]));
}

#endif
