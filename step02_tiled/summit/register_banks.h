/* register_banks.h - which register a sum lies in, decided by a store that never happens.
 *
 * The registers of a thread lie in two banks, even and odd, and each hands out one operand a cycle.
 * In sum[i][j] += a[i] * b[j], down a column, b[j] is still at hand, so a[i] and sum[i][j] are
 * read: they should be in different banks. a[] comes by vector loads, four neighbours from an even
 * register on, so a[i] is in bank i % 2. Where the sums go is up to ptxas, which knows no such
 * wish, and its choice differs from kernel to kernel: one in eight multiplications to two in three
 * had to wait for a second cycle. But a vector store wants four neighbouring registers, from an
 * even one on, and ptxas keeps them so through the whole loop. Hence the store below, of rows 1, 0,
 * 3, 2: sum[i][j] lands in the bank where a[i] is not. `never` must be false, by something that the
 * compiler cannot know. */
#ifndef STEP02_REGISTER_BANKS_H
#define STEP02_REGISTER_BANKS_H

#include <cuda_runtime.h>

template <int TM, int TN>
__device__ __forceinline__ void keep_banks_apart(const float (&sum)[TM][TN], float *C, bool never)
{
    static_assert(TM % 4 == 0, "rows in groups of four");
    if (!never)
        return;
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int i = 0; i < TM; i += 4)
            *(float4 *)&C[j * TM + i] =
                make_float4(sum[i + 1][j], sum[i][j], sum[i + 3][j], sum[i + 2][j]);
}

#endif
