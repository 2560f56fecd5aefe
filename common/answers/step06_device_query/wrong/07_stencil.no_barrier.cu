/* Reads neighbours that may not have arrived.
 * rejected: race */
enum { RADIUS = 4, BLOCK = 256 };

__global__ void smooth(float *out, const float *in, int n)
{
    __shared__ float s[BLOCK + 2 * RADIUS];
    const int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t + RADIUS] = i < n ? in[i] : 0.0f;
    if (t < RADIUS) {
        s[t] = i >= RADIUS ? in[i - RADIUS] : 0.0f;
        s[t + RADIUS + BLOCK] = i + BLOCK < n ? in[i + BLOCK] : 0.0f;
    }
    float sum = 0.0f;
    for (int d = -RADIUS; d <= RADIUS; d++)
        sum += s[t + RADIUS + d];
    if (i < n)
        out[i] = sum / 9.0f;
}
