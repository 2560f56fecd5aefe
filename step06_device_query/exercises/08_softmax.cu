/* 08 softmax: capstone: a row in registers                           [cheaper]
 *
 * Given:  out = exp(in - greatest) / sum of these, row by row; a block of 256
 *         threads for each row of 1024. The row is read three times.
 * Wanted: each element is read once: a thread keeps its four in registers
 *
 *    read  ->  greatest of the row  ->  exp, sum of the row  ->  divide, write
 *    v[4]      of_block(..., true)      of_block(..., false)     v[4]
 *
 * goal: load sectors <= 11 / 10 * rows * 1024 / 8
 * goal: store sectors per request <= 4
 */
enum { COLUMNS = 1024, THREADS = 256, EACH = COLUMNS / THREADS };

__device__ float of_block(float v, bool maximum)
{
    __shared__ float s[THREADS / 32];
    for (int d = 16; d > 0; d /= 2) {
        const float other = __shfl_xor_sync(0xffffffff, v, d);
        v = maximum ? fmaxf(v, other) : v + other;
    }
    __syncthreads(); // the last call's s is still read
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    v = s[0];
    for (int w = 1; w < THREADS / 32; w++)
        v = maximum ? fmaxf(v, s[w]) : v + s[w];
    return v;
}

// A block for each row.
__global__ void softmax(float *out, const float *in)
{
    const float *row = in + blockIdx.x * COLUMNS;
    float top = -INFINITY, sum = 0.0f; // YOURS: and float v[EACH]
    for (int i = threadIdx.x; i < COLUMNS; i += THREADS)
        top = fmaxf(top, row[i]);
    top = of_block(top, true);
    for (int i = threadIdx.x; i < COLUMNS; i += THREADS)
        sum += expf(row[i] - top);
    sum = of_block(sum, false);
    for (int i = threadIdx.x; i < COLUMNS; i += THREADS)
        out[blockIdx.x * COLUMNS + i] = expf(row[i] - top) / sum;
}
