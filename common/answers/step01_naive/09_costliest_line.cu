/* Why: the 32 lanes of a warp differ in x. In b[x * 128 + y] they lie 128 floats apart, a sector
 * for each: 32. a and out take 4 a request, and c[y * 128] is one element for all of them: 1. Here,
 * by chance, b could be read along its rows instead, if the sum were written transposed; step 03
 * has a way that is right for any such case. */

int line = 13;

__global__ void mix(float *out, const float *a, const float *b, const float *c)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = a[y * 128 + x];
    sum += b[x * 128 + y];
    sum += c[y * 128];
    out[y * 128 + x] = sum;
}
