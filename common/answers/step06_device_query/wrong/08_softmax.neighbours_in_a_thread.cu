/* Each thread keeps four neighbours: one sector serves two lanes, each time anew. */
enum { COLUMNS = 1024, THREADS = 256, EACH = COLUMNS / THREADS };

__device__ float of_block(float v, bool maximum)
{
    __shared__ float s[THREADS / 32];
    for (int d = 16; d > 0; d /= 2) {
        const float other = __shfl_xor_sync(0xffffffff, v, d);
        v = maximum ? fmaxf(v, other) : v + other;
    }
    __syncthreads(); // the last call's s is still read
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    v = s[0];
    for (int w = 1; w < THREADS / 32; w++)
        v = maximum ? fmaxf(v, s[w]) : v + s[w];
    return v;
}

// A block for each row.
__global__ void softmax(float *out, const float *in)
{
    const float *row = in + blockIdx.x * COLUMNS;
    float v[EACH], top = -INFINITY, sum = 0.0f;
    for (int e = 0; e < EACH; e++) {
        v[e] = *(const volatile float *)&row[threadIdx.x * EACH + e]; // rejected: goal load sectors
        top = fmaxf(top, v[e]);
    }
    top = of_block(top, true);
    for (int e = 0; e < EACH; e++) {
        v[e] = expf(v[e] - top);
        sum += v[e];
    }
    sum = of_block(sum, false);
    for (int e = 0; e < EACH; e++)
        out[blockIdx.x * COLUMNS + threadIdx.x * EACH + e] = v[e] / sum;
}
