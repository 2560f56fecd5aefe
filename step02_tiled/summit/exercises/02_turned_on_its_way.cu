/* 02 turned on its way: rows that begin anywhere                     [cheaper]
 *
 * Given:  a warp turns 32 rows x 8 steps of A, m x k, into rows of k. Each
 *         lane reads another row: a load touches 32 sectors. k is odd, so
 *         rows begin anywhere, and float4 is no help.
 * Wanted: 8 lanes take neighbours in k, 4 groups of them neighbouring rows.
 *         The tile lies turned in shared memory, and a store to it must not
 *         want two words of one bank: PITCH is floats from a step to the next.
 *
 *   lane  0..7: row 0, steps 0..7    8..15: row 1    16..23: row 2 ...
 *
 * goal: load sectors per request <= 8
 * goal: bank conflicts = 0
 */
enum { ROWS = 32, STEPS = 8, PITCH = ROWS };

__global__ void turn(float *out, const float *A, int m, int k)
{
    __shared__ float tile[STEPS * PITCH];
    const int row0 = blockIdx.y * ROWS, k0 = blockIdx.x * STEPS;
    for (int i = 0; i < STEPS; i++) {
        // YOURS: which element in pass i?
        const int row = threadIdx.x, step = i;
        if (row0 + row < m && k0 + step < k)
            tile[step * PITCH + row] = A[(row0 + row) * k + k0 + step];
    }
    __syncwarp();
    const int row = row0 + threadIdx.x;
    for (int step = 0; step < STEPS; step++)
        if (row < m && k0 + step < k)
            out[(k0 + step) * m + row] = tile[step * PITCH + threadIdx.x];
}
