/* Only lanes with an element take part: the others are still asked for theirs. */
__global__ void block_sums(float *out, const float *x, int n)
{
    __shared__ float of_warp[8];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    float sum = 0.0f;
    if (i < n) {
        sum = x[i];
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, d); // rejected: shuffle
    }
    if (t % 32 == 0)
        of_warp[t / 32] = sum;
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < 8; w++)
            sum += of_warp[w];
        out[blockIdx.x] = sum;
    }
}
