/* The first access pays for all? Each line pays for itself.
 * rejected: prediction sectors */
int line = 9;

__global__ void mix(float *out, const float *a, const float *b, const float *c)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = a[y * 128 + x];
    sum += b[x * 128 + y];
    sum += c[y * 128];
    out[y * 128 + x] = sum;
}
