/* Takes the last four whole, although some of them do not exist. */
__global__ void twice(float *out, const float *x, int n)
{
    const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (first < n) {
        float4 v = *(const float4 *)&x[first]; // rejected: memory error
        v.x *= 2.0f, v.y *= 2.0f, v.z *= 2.0f, v.w *= 2.0f;
        *(float4 *)&out[first] = v;
    } else {
        for (int i = first; i < n; i++)
            out[i] = 2.0f * x[i];
    }
}
