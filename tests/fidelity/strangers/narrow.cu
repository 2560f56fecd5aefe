/* narrow.cu - values of 1 and 2 bytes, vectors of them, and halves. */
#include "strangers.h"

/* --- narrow types ------------------------------------------------------------------------------------------------- */
__global__ void to_upper(const char *in, char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        char c = in[i];
        if (c >= 'a' && c <= 'z')
            c -= 32;
        out[i] = c;
    }
}

__global__ void smooth_shorts(const short *in, short *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 || i >= n - 1)
        return;
    out[i] = (in[i - 1] + 2 * in[i] + in[i + 1]) / 4;
}

__global__ void spread(const bool *frontier, bool *next, bool *visited, const int *edges, int degree)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!frontier[i])
        return;
    for (int e = 0; e < degree; e++) {
        int to = edges[i * degree + e] & 1023;
        if (!visited[to]) {
            visited[to] = true;
            next[to] = true;
        }
    }
}

__global__ void gray(const uchar4 *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (in[i].x * 77 + in[i].y * 150 + in[i].z * 29) >> 8;
}

__global__ void invert(uchar4 *pixels, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        pixels[i].x = 255 - pixels[i].x;
        pixels[i].y = 255 - pixels[i].y;
        pixels[i].z = 255 - pixels[i].z;
    }
}

__global__ void multiply_shorts(const short2 *a, const short2 *b, short2 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i].x = a[i].x * b[i].x - a[i].y * b[i].y;
    out[i].y = a[i].x * b[i].y + a[i].y * b[i].x;
}

__global__ void normalize(float3 *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float length = sqrtf(v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z);
        if (length > 0) {
            v[i].x /= length;
            v[i].y /= length;
            v[i].z /= length;
        }
    }
}

__global__ void life(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (dx == 0 && dy == 0)
                continue;
            alive += in[(y + dy + h) % h * w + (x + dx + w) % w] & 1;
        }
    out[y * w + x] = alive == 3 || (alive == 2 && (in[y * w + x] & 1));
}

__global__ void half_axpy(const __half2 *x, __half2 *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        __half2 s = __float2half2_rn(a);
        __half2 r = __hfma2(s, x[i], y[i]);
        if (__low2float(r) < 0)
            r = __hneg2(r);
        y[i] = r;
    }
}

__global__ void half_dot(const __half *a, const __half *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half sum = __float2half(0.0f);
    for (int k = 0; k < n; k++)
        sum = __hadd(sum, __hmul(a[i * n + k], b[k]));
    out[i] = __half2float(sum);
}

__constant__ char pattern[8] = {1, 3, 2, 0, 1, 1, 2, 3};

__global__ void match(const char *text, int *found, int n, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length > n)
        return;
    int k = 0;
    while (k < length && (text[i + k] & 3) == pattern[k])
        k++;
    if (k == length)
        atomicAdd(found, 1);
    else if (k > 1)
        atomicMax(found + 1, i * 8 + k);
}

void run_narrow(void)
{
    const unsigned char *bytes = (const unsigned char *)d_in;
    const short2 *shorts = (const short2 *)d_in;
    RUN(to_upper, WHOLE, to_upper<<<2, 128>>>((const char *)d_in, (char *)d_out, 250));
    RUN(smooth_shorts, WHOLE, smooth_shorts<<<2, 128>>>((const short *)d_in, (short *)d_out, 250));
    RUN(gray, WHOLE, gray<<<2, 128>>>((const uchar4 *)d_in, (unsigned char *)d_out, 250));
    RUN(invert, WHOLE, invert<<<2, 128>>>((uchar4 *)d_in, 250));
    RUN(multiply_shorts, WHOLE, multiply_shorts<<<2, 128>>>(shorts, shorts + 512, (short2 *)d_out));
    RUN(normalize, FLOATS, normalize<<<2, 128>>>((float3 *)d_in, 250));
    RUN(life, WHOLE, life<<<dim3(2, 4), dim3(32, 8)>>>(bytes, (unsigned char *)d_out, 60, 30));
    RUN(half_axpy, HALVES, half_axpy<<<2, 128>>>((const __half2 *)d_in, (__half2 *)d_in + 1024, 0.5f, 250));
    RUN(half_dot, HALVES, half_dot<<<2, 128>>>((const __half *)d_in, (const __half *)d_in + 8192, (float *)d_out, 20));
    RUN(match, WHOLE, match<<<2, 128>>>((const char *)d_in, (int *)d_out, 250, 6));
    RUN(spread, BOOLS,
        spread<<<2, 128>>>((const bool *)d_in, (bool *)d_out, (bool *)d_in + 8192, (const int *)d_in + 4096, 3));
}
