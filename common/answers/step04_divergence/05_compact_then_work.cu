/* Why: by the ballot every lane learns who has work, so each finds its place in the list by counting
 * the bits below its own. The list is then worked through by 32 lanes at a time, all of them busy
 * but in the last round. */

__device__ float work(float v)
{
    for (int s = 0; s < 160; s++)
        v = 0.5f * v + 1.0f / (1.0f + v * v);
    return v;
}

// Blocks of one warp, each with 1024 elements; x[i] < 0 stays as it is.
__global__ void some_work(float *x, int n)
{
    __shared__ int list[1024];
    const int lane = threadIdx.x;
    int count = 0;
    for (int k = 0; k < 32; k++) {
        const int i = blockIdx.x * 1024 + 32 * k + lane;
        const bool mine = i < n && x[i] >= 0.0f;
        const unsigned vote = __ballot_sync(0xffffffff, mine);
        if (mine)
            list[count + __popc(vote & ((1u << lane) - 1))] = i;
        count += __popc(vote);
    }
    __syncwarp();
    for (int e = lane; e < count; e += 32)
        x[list[e]] = work(x[list[e]]);
}
