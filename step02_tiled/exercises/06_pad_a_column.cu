/* 06 pad a column: 32 threads, one bank                              [cheaper]
 *
 * Given:  sums of rows of 32 floats. A warp brings 32 rows into shared memory,
 *         one at a time, then thread t adds up row t.
 * Wanted: the same without bank conflicts
 *
 *     word w lies in bank w % 32; in tile[t][c] thread t is at word 32 t + c:
 *
 *     thread   0   1   2   3 ...
 *     bank     c   c   c   c ...      all 32 wait for one bank
 *
 * goal: bank conflicts = 0
 * goal: load sectors per request <= 4
 */
__global__ void row_sums(float *out, const float *in, int rows)
{
    __shared__ float tile[32][32]; // YOURS: where does each row begin?
    const int t = threadIdx.x, top = blockIdx.x * 32;
    for (int r = 0; r < 32; r++)
        tile[r][t] = top + r < rows ? in[(top + r) * 32 + t] : 0.0f;
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 1 // one read after the other
    for (int c = 0; c < 32; c++)
        sum += tile[t][c];
    if (top + t < rows)
        out[top + t] = sum;
}
