/* Why: reading from one array and writing to the other, a round needs one barrier: no thread
 * overwrites what others still read. In place it would take two. After d = 128 each element has
 * added all before it. */

__global__ void scan(float *out, const float *x, int n)
{
    __shared__ float s[2][256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[0][t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    int from = 0;
    for (int d = 1; d < 256; d *= 2) {
        s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    if (i < n)
        out[i] = s[from][t];
}
