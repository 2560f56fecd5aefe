/* Neighbours, and the result is right; but the next element of a thread is the first of another
 * one, so that all but 32 threads do again what others do as well. */
__global__ void twice(float *out, const float *x, int n)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t; i < n; i += 32)
        out[i] = 2.0f * x[i]; // rejected: goal store requests
}
