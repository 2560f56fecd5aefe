/* step01-2: adds by inline assembly */
__device__ float sum(float a, float b)
{
    float r;
    asm("add.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}
__global__ void twice(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = sum(x[i], x[i]);
}
