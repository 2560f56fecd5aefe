/* copy_holding.cuh - a copy that needs as many registers as one likes: what lost blocks cost. */
#ifndef STEP06_COPY_HOLDING_CUH
#define STEP06_COPY_HOLDING_CUH

/* A copy in which each thread has one load in flight, so that only more threads hide more of the
 * memory's latency. Beside it the thread holds `Held` values in registers through the whole loop:
 * they are loaded before it and used after it. The use hangs on the last value copied, so it cannot
 * be moved to the front, and `in` may overlap `out`, so the loads cannot be moved to the back. */
template <int Held> __global__ void copy_holding(const float *in, float *out, unsigned n)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned threads = gridDim.x * blockDim.x;
    float held[Held + 1], last = 0.0f;
#pragma unroll
    for (int k = 0; k < Held; k++)
        held[k] = in[thread + k < n ? thread + k : n - 1];
#pragma unroll 1
    for (unsigned i = thread; i < n; i += threads) {
        last = in[i];
        out[i] = last;
    }
#pragma unroll
    for (int k = 0; k < Held; k++)
        last = last * held[k] + held[k];
    if (last == 1e30f) /* never: all inputs are in [-1, 1), so |last| stays below Held + 1 */
        out[0] = last;
}

/* Sabotaged: stops a round too early, so the last elements stay poisoned, one for each thread. */
__global__ void copy_stops_early(const float *in, float *out, unsigned n)
{
    const unsigned threads = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i + threads < n; i += threads)
        out[i] = in[i];
}

#endif
