/* Leaves out what is no multiple of 4.
 * rejected: wrong result */
__global__ void twice(float *out, const float *x, int n)
{
    const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (first + 3 < n) {
        float4 v = *(const float4 *)&x[first];
        v.x *= 2.0f, v.y *= 2.0f, v.z *= 2.0f, v.w *= 2.0f;
        *(float4 *)&out[first] = v;
    }
}
