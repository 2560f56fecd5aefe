/* The lanes are right, the pitch is not: 8 steps want one bank. */
enum { ROWS = 32, STEPS = 8, PITCH = ROWS };

__global__ void turn(float *out, const float *A, int m, int k)
{
    __shared__ float tile[STEPS * PITCH];
    const int row0 = blockIdx.y * ROWS, k0 = blockIdx.x * STEPS;
    for (int i = 0; i < STEPS; i++) {
        const int row = 4 * i + threadIdx.x / 8, step = threadIdx.x % 8;
        if (row0 + row < m && k0 + step < k)
            tile[step * PITCH + row] = // rejected: goal bank conflicts
                A[(row0 + row) * k + k0 + step];
    }
    __syncwarp();
    const int row = row0 + threadIdx.x;
    for (int step = 0; step < STEPS; step++)
        if (row < m && k0 + step < k)
            out[(k0 + step) * m + row] = tile[step * PITCH + threadIdx.x];
}
