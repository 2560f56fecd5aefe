/* loops.cu - loops over arrays of one, two and three dimensions, in global, shared and local memory. */
#include "strangers.h"

/* --- loops and arrays --------------------------------------------------------------------------------------------- */
__global__ void unrolled(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0, b = 0, c = 0;
#pragma unroll 3
    for (int k = 0; k < n; k++)
        a += in[i * n + k];
#pragma unroll 1
    for (int k = 0; k < n; k++)
        b = b * 0.5f + in[k * 32 + (i & 31)];
#pragma unroll
    for (int k = 0; k < 5; k++)
        c += in[i + k * k];
    out[i] = a + b * c;
}

__global__ void far_index(const float *in, float *out, long long rows, long long columns)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    for (long long at = i; at < rows * columns; at += (long long)gridDim.x * blockDim.x) {
        long long r = at / columns, c = at % columns;
        if (r > 0 && c > 0)
            out[c * rows + r] = in[at] - in[at - columns - 1];
    }
}

__global__ void stencil_3d(const float *in, float *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    for (int z = 1; z < nz - 1; z++) {
        int at = (z * ny + y) * nx + x;
        out[at] = in[at] * 0.4f + 0.1f * (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + in[at - nx * ny] +
                                          in[at + nx * ny]);
    }
}

__global__ void transpose_bytes(const unsigned char *in, unsigned char *out, int w)
{
    __shared__ unsigned char tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int r = 0; r < 32; r += 4)
        tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int r = 0; r < 32; r += 4)
        out[(y + r) * w + x] = tile[threadIdx.x][threadIdx.y + r];
}

__global__ void nested_ifs(const int *in, int *out)
{
    __shared__ int s[2][THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    s[0][t] = in[i];
    s[1][t] = in[i + 1];
    __syncthreads();
    int r = 0;
    if (s[0][t] & 1) {
        if (t > 0 && s[0][t - 1] > s[1][t - 1]) {
            r = s[0][t - 1] - s[1][t - 1];
            if (s[0][t] & 2)
                r += s[1][t];
        } else {
            r = s[1][t];
        }
    } else if (t < THREADS - 1) {
        r = s[0][t + 1] + s[1][t + 1];
    }
    out[i] = r;
}

__global__ void sort_eight(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, a[8];
    for (int k = 0; k < 8; k++)
        a[k] = in[i * 8 + k];
    for (int k = 1; k < 8; k++) {
        int x = a[k], j = k - 1;
        while (j >= 0 && a[j] > x) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = x;
    }
    for (int k = 0; k < 8; k++)
        out[i * 8 + k] = a[k];
}

__global__ void histogram_bytes(const unsigned char *in, int *bins, int n)
{
    __shared__ int s[64];
    if (threadIdx.x < 64)
        s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[in[i] >> 2], 1);
    __syncthreads();
    if (threadIdx.x < 64 && s[threadIdx.x] > 0)
        atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

__global__ void triangle(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = i % n; k > 0; k--) {
        if (in[k] < 0)
            continue;
        sum += in[k] * in[i * n + k];
    }
    out[i] = sum;
}

__global__ void edit_distance(const char *a, const char *b, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row[9];
    for (int k = 0; k <= 8; k++)
        row[k] = k;
    for (int r = 1; r <= 8; r++) {
        int corner = row[0];
        row[0] = r;
        for (int k = 1; k <= 8; k++) {
            int cost = (a[i * 8 + r - 1] & 3) != (b[i * 8 + k - 1] & 3);
            int best = min(min(row[k], row[k - 1]) + 1, corner + cost);
            corner = row[k];
            row[k] = best;
        }
    }
    out[i] = row[8];
}

void run_loops(void)
{
    const float *floats = (const float *)d_in;
    float *out = (float *)d_out;
    const unsigned char *bytes = (const unsigned char *)d_in;
    RUN(unrolled, FLOATS, unrolled<<<2, 128>>>(floats, out, 14));
    RUN(far_index, FLOATS, far_index<<<2, 128>>>(floats, out, 40, 30));
    RUN(stencil_3d, FLOATS, stencil_3d<<<dim3(1, 4), dim3(32, 4)>>>(floats, out, 30, 15, 10));
    RUN(transpose_bytes, WHOLE, transpose_bytes<<<dim3(2, 2), dim3(32, 4)>>>(bytes, (unsigned char *)d_out, 64));
    RUN(nested_ifs, WHOLE, nested_ifs<<<2, THREADS>>>((const int *)d_in, (int *)d_out));
    RUN(sort_eight, WHOLE, sort_eight<<<2, 128>>>((const int *)d_in, (int *)d_out));
    RUN(histogram_bytes, WHOLE, histogram_bytes<<<2, 128>>>(bytes, (int *)d_out, 3000));
    RUN(triangle, FLOATS, triangle<<<2, 128>>>(floats, out, 20));
    RUN(edit_distance, WHOLE, edit_distance<<<2, 128>>>((const char *)d_in, (const char *)d_in + 8192, (int *)d_out));
}
