/* 05 compact then work: first ask who has work                       [cheaper]
 *
 * Given:  a warp goes through 1024 elements, 32 at a time; about one in three
 *         needs work(), so two lanes of three idle
 * Wanted: the same result with full warps: first make a list of the elements
 *         that need work, then work through the list
 *
 *    __ballot_sync(0xffffffff, mine): bit l is lane l's answer
 *    __popc(b): how many bits are set in b
 *    vote & ((1u << lane) - 1): the bits below lane's own
 *
 * goal: utilisation >= 80
 */
__device__ float work(float v)
{
    for (int s = 0; s < 160; s++)
        v = 0.5f * v + 1.0f / (1.0f + v * v);
    return v;
}

// Blocks of one warp, each with 1024 elements; x[i] < 0 stays as it is.
__global__ void some_work(float *x, int n)
{
    const int lane = threadIdx.x;
    for (int k = 0; k < 32; k++) {
        const int i = blockIdx.x * 1024 + 32 * k + lane;
        const bool mine = i < n && x[i] >= 0.0f;
        if (mine) // YOURS: a list first, and then the work
            x[i] = work(x[i]);
    }
}
