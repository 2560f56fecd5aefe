/* A sector of padding, as global memory would like it: rows 4 apart are in one bank. (Two words would
 * do through nvcc, which then reads two neighbours at a time.) */
__global__ void row_sums(float *out, const float *in, int rows)
{
    __shared__ float tile[32][40];
    const int t = threadIdx.x, top = blockIdx.x * 32;
    for (int r = 0; r < 32; r++)
        tile[r][t] = top + r < rows ? in[(top + r) * 32 + t] : 0.0f;
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 1 // one read after the other
    for (int c = 0; c < 32; c++)
        sum += tile[t][c]; // rejected: goal bank conflicts
    if (top + t < rows)
        out[top + t] = sum;
}
