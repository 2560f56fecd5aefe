/* Why: the fence before the ticket makes the part visible before any block can know of it; the one
 * behind the last ticket keeps the reads from coming before it. The order of the lines in the
 * source promises neither. */

__device__ float sum_of(const float *x, int begin, int end)
{
    float sum = 0.0f;
    for (int i = begin; i < end; i++)
        sum += x[i];
    return sum;
}

// Blocks of one thread. *tickets is 0 at first.
__global__ void total(float *out, float *part, unsigned *tickets,
                      const float *x, int n)
{
    const int chunk = (n + gridDim.x - 1) / gridDim.x;
    const int begin = min((int)blockIdx.x * chunk, n);
    part[blockIdx.x] = sum_of(x, begin, min(begin + chunk, n));
    __threadfence();
    const unsigned ticket = atomicAdd(tickets, 1);
    if (ticket == gridDim.x - 1) {
        __threadfence();
        float sum = 0.0f;
        for (int b = 0; b < gridDim.x; b++)
            sum += part[b];
        *out = sum;
    }
}
