/* 05 ticket and fence: the last block adds up                         [repair]
 *
 * Given:  every block stores its part and draws a ticket; the block that draws
 *         the last one adds up all parts: one launch instead of two
 * Wanted: that the last block sees all parts. On a GPU the ticket may overtake
 *         the part that was stored before it, and parts may be read before the
 *         ticket was drawn: two lines are missing.
 *
 *    block 0:  part[0] = ..   ticket 0
 *    block 1:  part[1] = ..   ticket 2 = the last: adds part[0..2]
 *    block 2:  part[2] = ..   ticket 1      when is part[2] there?
 */
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
    // YOURS: what must come between the part and the ticket, and what between
    // the last ticket and the parts of the others?
    const unsigned ticket = atomicAdd(tickets, 1);
    if (ticket == gridDim.x - 1) {
        float sum = 0.0f;
        for (int b = 0; b < gridDim.x; b++)
            sum += part[b];
        *out = sum;
    }
}
