/* Each thread takes a piece in one go: neighbours of a warp lie a piece apart. */
__global__ void square(float *out, const float *x, int n)
{
    const int threads = gridDim.x * blockDim.x, piece = (n + threads - 1) / threads;
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * piece;
    for (int i = first; i < first + piece && i < n; i++)
        out[i] = x[i] * x[i]; // rejected: goal load sectors per request
}
