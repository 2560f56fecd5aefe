/* images.cu - pictures of bytes, halves and floats, with tiles, textures and surfaces. */
#include "today.h"

enum { WIDTH = 128, HEIGHT = 64 };

__global__ void luminance(const uchar4 *image, float *gray, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uchar4 p = image[i];
        gray[i] = 0.2126f * p.x + 0.7152f * p.y + 0.0722f * p.z;
    }
}

__global__ void swap_channels(uchar4 *image, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        uchar4 p = image[y * w + x];
        image[y * w + x] = make_uchar4(p.z, p.y, p.x, p.w);
    }
}

__global__ void premultiply(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const uchar4 p = in[i];
    out[i].x = p.x * p.w / 255;
    out[i].y = p.y * p.w / 255;
    out[i].z = p.z * p.w / 255;
    out[i].w = p.w;
}

__global__ void rgb_to_yuv(const uchar3 *rgb, unsigned char *y, unsigned char *u, unsigned char *v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar3 c = rgb[i];
    y[i] = (66 * c.x + 129 * c.y + 25 * c.z + 128 >> 8) + 16;
    u[i] = (-38 * c.x - 74 * c.y + 112 * c.z + 128 >> 8) + 128;
    v[i] = (112 * c.x - 94 * c.y - 18 * c.z + 128 >> 8) + 128;
}

#define TILE 16
__global__ void sobel(const unsigned char *in, unsigned char *out, int w, int h)
{
    __shared__ unsigned char tile[TILE + 2][TILE + 2];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    for (int i = ty * TILE + tx; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
        int gx = min(max((int)blockIdx.x * TILE + i % (TILE + 2) - 1, 0), w - 1);
        int gy = min(max((int)blockIdx.y * TILE + i / (TILE + 2) - 1, 0), h - 1);
        tile[i / (TILE + 2)][i % (TILE + 2)] = in[gy * w + gx];
    }
    __syncthreads();
    int gx = tile[ty][tx + 2] + 2 * tile[ty + 1][tx + 2] + tile[ty + 2][tx + 2] - tile[ty][tx] - 2 * tile[ty + 1][tx] -
             tile[ty + 2][tx];
    int gy = tile[ty + 2][tx] + 2 * tile[ty + 2][tx + 1] + tile[ty + 2][tx + 2] - tile[ty][tx] - 2 * tile[ty][tx + 1] -
             tile[ty][tx + 2];
    out[y * w + x] = min(255, (int)sqrtf((float)(gx * gx + gy * gy)));
}

__constant__ float gauss[9] = {0.028f, 0.066f, 0.124f, 0.18f, 0.204f, 0.18f, 0.124f, 0.066f, 0.028f};

template <int RADIUS> __global__ void blur_rows(const float *in, float *out, int w)
{
    extern __shared__ float row[];
    int x = blockIdx.x * blockDim.x + threadIdx.x, at = blockIdx.y * w;
    row[threadIdx.x + RADIUS] = in[at + x];
    if (threadIdx.x < RADIUS) {
        row[threadIdx.x] = x >= RADIUS ? in[at + x - RADIUS] : 0.0f;
        int right = x + blockDim.x;
        row[threadIdx.x + blockDim.x + RADIUS] = right < w ? in[at + right] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += gauss[k + RADIUS] * row[threadIdx.x + RADIUS + k];
    out[at + x] = sum;
}

__device__ __forceinline__ void order(unsigned char &a, unsigned char &b)
{
    unsigned char t = a;
    a = min(a, b);
    b = max(t, b);
}

__global__ void median3x3(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= w - 1 || y >= h - 1)
        return;
    unsigned char v[9];
#pragma unroll
    for (int i = 0; i < 9; i++)
        v[i] = in[(y + i / 3 - 1) * w + x + i % 3 - 1];
    order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]), order(v[0], v[1]), order(v[3], v[4]), order(v[6], v[7]);
    order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]), order(v[0], v[3]), order(v[5], v[8]), order(v[4], v[7]);
    order(v[3], v[6]), order(v[1], v[4]), order(v[2], v[5]), order(v[4], v[7]), order(v[4], v[2]), order(v[6], v[4]);
    order(v[4], v[2]);
    out[y * w + x] = v[4];
}

__global__ void blend_halves(const __half2 *a, const __half2 *b, __half2 *out, float alpha, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const __half2 f = __float2half2_rn(alpha), g = __float2half2_rn(1.0f - alpha);
    for (; i < n; i += blockDim.x * gridDim.x)
        out[i] = __hfma2(a[i], f, __hmul2(b[i], g));
}

__global__ void equalize(const unsigned char *in, unsigned char *out, int n)
{
    __shared__ unsigned bins[256];
    __shared__ unsigned char map[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (int i = 0; i < 256; i++) {
            sum += bins[i];
            map[i] = 255ull * sum / n;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = map[in[i]];
}

__global__ void bilateral(const float *in, float *out, int w, int h, float s, float r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float center = in[y * w + x], sum = 0, weight = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int px = x + dx, py = y + dy;
            if (px < 0 || py < 0 || px >= w || py >= h)
                continue;
            float v = in[py * w + px], d = v - center;
            float k = __expf(-(dx * dx + dy * dy) * s - d * d * r);
            sum += k * v;
            weight += k;
        }
    out[y * w + x] = sum / weight;
}

__global__ void dilate_bytes(const unsigned *in, unsigned *out, int words, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    unsigned up = in[max(y - 1, 0) * words + x], here = in[y * words + x], down = in[min(y + 1, rows - 1) * words + x];
    out[y * words + x] = __vmaxu4(__vmaxu4(up, here), down);
}

__global__ void rotate_texture(cudaTextureObject_t t, uchar4 *out, int w, int h, float angle)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = x / (float)w - 0.5f, v = y / (float)h - 0.5f, c = cosf(angle), s = sinf(angle);
    float4 p = tex2D<float4>(t, u * c - v * s + 0.5f, v * c + u * s + 0.5f);
    out[y * w + x] = make_uchar4(p.x * 255, p.y * 255, p.z * 255, p.w * 255);
}

__global__ void invert_surface(cudaSurfaceObject_t s, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    uchar4 p;
    surf2Dread(&p, s, x * 4, y);
    p = make_uchar4(255 - p.x, 255 - p.y, 255 - p.z, p.w);
    surf2Dwrite(p, s, x * 4, y);
}

__global__ void rows_of_texture(cudaTextureObject_t t, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.5f * tex1Dfetch<float>(t, i) + 0.25f * tex1Dfetch<float>(t, max(i - 1, 0)) +
                 0.25f * tex1Dfetch<float>(t, min(i + 1, n - 1));
}

/* Sums of rows of bytes, a warp a row, for an integral image. */
__global__ void integral_rows(const unsigned char *in, unsigned *out, int w)
{
    int lane = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
    unsigned carry = 0;
    for (int x = lane; x < w; x += 32) {
        unsigned v = in[y * w + x];
        for (int d = 1; d < 32; d *= 2) {
            unsigned o = __shfl_up_sync(0xffffffffu, v, d);
            if (lane >= d)
                v += o;
        }
        out[y * w + x] = v + carry;
        carry += __shfl_sync(0xffffffffu, v, 31);
    }
}

static void run_textures(void)
{
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    MUST(cudaMallocArray(&array, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    begin(WHOLE);
    MUST(cudaMemcpy2DToArray(array, 0, 0, d_in, WIDTH * 4, WIDTH * 4, HEIGHT, cudaMemcpyDeviceToDevice));
    cudaResourceDesc of = {};
    of.resType = cudaResourceTypeArray;
    of.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    how.readMode = cudaReadModeNormalizedFloat;
    how.normalizedCoords = 1;
    cudaTextureObject_t t;
    MUST(cudaCreateTextureObject(&t, &of, &how, nullptr));
    STEP(rotate_texture, rotate_texture<<<dim3(8, 8), dim3(16, 8)>>>(t, (uchar4 *)d_out, WIDTH, HEIGHT, 0.3f));
    cudaSurfaceObject_t s;
    MUST(cudaCreateSurfaceObject(&s, &of));
    invert_surface<<<dim3(4, 8), dim3(32, 8)>>>(s, WIDTH - 3, HEIGHT);
    MUST(cudaMemcpy2DFromArray(d_out, WIDTH * 4, array, 0, 0, WIDTH * 4, HEIGHT, cudaMemcpyDeviceToDevice));
    show("invert_surface");
    MUST(cudaDestroySurfaceObject(s));
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
    begin(FLOATS);
    cudaResourceDesc line = {};
    line.resType = cudaResourceTypeLinear;
    line.res.linear.devPtr = d_in;
    line.res.linear.desc = cudaCreateChannelDesc<float>();
    line.res.linear.sizeInBytes = 4096;
    cudaTextureDesc plain = {};
    MUST(cudaCreateTextureObject(&t, &line, &plain, nullptr));
    STEP(rows_of_texture, rows_of_texture<<<4, 256>>>(t, (float *)d_out, 1000));
    MUST(cudaDestroyTextureObject(t));
}

void run_images(void)
{
    const dim3 tiles(WIDTH / 16, HEIGHT / 16), tile(16, 16);
    unsigned char *const in = (unsigned char *)d_in, *const out = (unsigned char *)d_out;
    RUN(luminance, WHOLE, luminance<<<4, 256>>>((uchar4 *)d_in, (float *)d_out, 1000));
    RUN(swap_channels, WHOLE, swap_channels<<<dim3(4, 16), dim3(32, 4)>>>((uchar4 *)d_in, 125, 63));
    RUN(premultiply, WHOLE, premultiply<<<4, 256>>>((uchar4 *)d_in, (uchar4 *)d_out, 999));
    RUN(rgb_to_yuv, WHOLE, rgb_to_yuv<<<4, 256>>>((uchar3 *)d_in, out, out + 4096, out + 8192));
    RUN(sobel, WHOLE, sobel<<<tiles, tile>>>(in, out, WIDTH, HEIGHT));
    RUN(blur_rows, FLOATS, blur_rows<4><<<dim3(2, 32), 64, 72 * 4>>>((float *)d_in, (float *)d_out, WIDTH));
    RUN(median3x3, WHOLE, median3x3<<<tiles, tile>>>(in, out, WIDTH, HEIGHT));
    RUN(blend_halves, HALVES, blend_halves<<<4, 128>>>((__half2 *)d_in, (__half2 *)d_in + 4096, (__half2 *)d_out, 0.3f, 2000));
    RUN(equalize, WHOLE, equalize<<<1, 512>>>(in, out, 8000));
    RUN(bilateral, FLOATS, bilateral<<<dim3(4, 8), dim3(32, 8)>>>((float *)d_in, (float *)d_out, 128, 64, 0.2f, 0.05f));
    RUN(dilate_bytes, WHOLE, dilate_bytes<<<dim3(1, 32), 64>>>(d_in, d_out, 64, 32));
    RUN(integral_rows, WHOLE, integral_rows<<<16, dim3(32, 4)>>>(in, d_out, 128));
    run_textures();
}
