/* Treats the last full group of four as if it were not.
 * rejected: wrong result */
__global__ void twice(float *out, const float *x, int n)
{
    const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (first + 4 < n) {
        float4 v = *(const float4 *)&x[first];
        v.x *= 2.0f, v.y *= 2.0f, v.z *= 2.0f, v.w *= 2.0f;
        *(float4 *)&out[first] = v;
    } else {
        for (int i = first; i < n - 1; i++)
            out[i] = 2.0f * x[i];
    }
}
