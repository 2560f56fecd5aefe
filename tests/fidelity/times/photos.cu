/* photos.cu - filters, textures, votes and labels of pictures; written and recorded before the
 * model saw them. */
#include "times.h"

#include <cuda_fp16.h>

#define PIXEL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define PIXEL_Y (blockIdx.y * blockDim.y + threadIdx.y)

/* --- neighbourhoods -------------------------------------------------------------------------- */

/* Edges by Sobel's two filters, a tile and its rim in shared memory. */
__global__ void sobel_tile(float *out, const float *a, int width, int height)
{
    __shared__ float tile[18][34];
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 512) {
        const int x = min(max((int)(blockIdx.x * 32) + i % 34 - 1, 0), width - 1);
        const int y = min(max((int)(blockIdx.y * 16) + i / 34 - 1, 0), height - 1);
        tile[i / 34][i % 34] = a[y * width + x];
    }
    __syncthreads();
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;
    const float gx = tile[y - 1][x + 1] + 2 * tile[y][x + 1] + tile[y + 1][x + 1] -
                     tile[y - 1][x - 1] - 2 * tile[y][x - 1] - tile[y + 1][x - 1];
    const float gy = tile[y + 1][x - 1] + 2 * tile[y + 1][x] + tile[y + 1][x + 1] -
                     tile[y - 1][x - 1] - 2 * tile[y - 1][x] - tile[y - 1][x + 1];
    if (PIXEL_Y < height)
        out[PIXEL_Y * width + PIXEL_X] = sqrtf(gx * gx + gy * gy);
}
static void run_sobel_tile(const struct times_io *io)
{
    sobel_tile<<<dim3(60, 68), dim3(32, 16)>>>(io->out, io->a, 1920, 1080);
}

__device__ static void order(float &a, float &b)
{
    const float low = fminf(a, b);
    b = fmaxf(a, b);
    a = low;
}

/* The middle one of nine pixels, by exchanges in registers. */
__global__ void median_nine(float *out, const float *a, int width)
{
    const int x = PIXEL_X + 1, y = PIXEL_Y + 1;
    float v[9];
    for (int i = 0; i < 9; i++)
        v[i] = a[(y + i / 3 - 1) * width + x + i % 3 - 1];
    for (int i = 0; i < 9; i += 3) {
        order(v[i], v[i + 1]);
        order(v[i + 1], v[i + 2]);
        order(v[i], v[i + 1]);
    }
    const float low = fmaxf(fmaxf(v[0], v[3]), v[6]), high = fminf(fminf(v[2], v[5]), v[8]);
    order(v[1], v[4]);
    order(v[4], v[7]);
    order(v[1], v[4]);
    float p = low, q = v[4], r = high;
    order(p, q);
    order(q, r);
    order(p, q);
    out[(y - 1) * 1024 + x - 1] = q;
}
static void run_median_nine(const struct times_io *io)
{
    median_nine<<<dim3(8, 1024), 128>>>(io->out, io->a, 1026);
}

/* A running sum of 31 pixels down each column: one thread a column. */
__global__ void box_columns(float *out, const float *a, int width, int height)
{
    const int x = GLOBAL_ID;
    if (x >= width)
        return;
    float sum = 0;
    for (int y = 0; y < 31; y++)
        sum += a[y * width + x];
    for (int y = 31; y < height; y++) {
        out[(y - 31) * width + x] = sum * (1 / 31.0f);
        sum += a[y * width + x] - a[(y - 31) * width + x];
    }
}
static void run_box_columns(const struct times_io *io)
{
    box_columns<<<40, 96>>>(io->out, io->a, 3840, 400);
}

/* Half the size each way: 5 x 5 weights, a tile with its rim. */
__global__ void half_size(float *out, const float *a, int width)
{
    __shared__ float tile[36][37], rows[36][17];
    const float w[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, t = threadIdx.y * 16 + threadIdx.x;
    for (int i = t; i < 36 * 36; i += 256)
        tile[i / 36][i % 36] = a[(y0 + i / 36) * width + x0 + i % 36];
    __syncthreads();
    for (int i = t; i < 36 * 16; i += 256) {
        float sum = 0;
        for (int k = 0; k < 5; k++)
            sum += w[k] * tile[i / 16][2 * (i % 16) + k];
        rows[i / 16][i % 16] = sum;
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 5; k++)
        sum += w[k] * rows[2 * threadIdx.y + k][threadIdx.x];
    out[(blockIdx.y * 16 + threadIdx.y) * (gridDim.x * 16) + blockIdx.x * 16 + threadIdx.x] = sum;
}
static void run_half_size(const struct times_io *io)
{
    half_size<<<dim3(64, 40), dim3(16, 16)>>>(io->out, io->a, 2052);
}

/* Conway's game: a byte a cell, four cells a thread. */
__global__ void life_bytes(unsigned *out, const unsigned *a, unsigned words, unsigned height)
{
    const unsigned x = PIXEL_X, y = PIXEL_Y, left = x == 0 ? words - 1 : x - 1;
    const unsigned right = x + 1 == words ? 0 : x + 1;
    unsigned count = 0, alive = 0;
    for (unsigned d = 0; d < 3; d++) {
        const unsigned row = (y + height + d - 1) % height * words;
        const unsigned l = a[row + left] & 0x01010101u, m = a[row + x] & 0x01010101u;
        const unsigned r = a[row + right] & 0x01010101u;
        count += (m << 8 | l >> 24) + (m >> 8 | r << 24);
        if (d == 1)
            alive = m;
        else
            count += m;
    }
    const unsigned three = __vcmpeq4(count, 0x03030303u), two = __vcmpeq4(count, 0x02020202u);
    out[y * words + x] = (three | (two & alive * 255)) & 0x01010101u;
}
static void run_life_bytes(const struct times_io *io)
{
    life_bytes<<<dim3(16, 256), dim3(32, 8)>>>((unsigned *)io->out, (const unsigned *)io->a, 512,
                                               2048);
}

/* --- textures -------------------------------------------------------------------------------- */

static cudaTextureObject_t pitched(const void *a, struct cudaChannelFormatDesc format, size_t width,
                                   size_t height, enum cudaTextureFilterMode filter,
                                   enum cudaTextureReadMode read)
{
    cudaTextureObject_t texture;
    struct cudaResourceDesc resource = {};
    struct cudaTextureDesc how = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = (void *)a;
    resource.res.pitch2D.desc = format;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes =
        width * (size_t)(format.x + format.y + format.z + format.w) / 8;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = filter;
    how.readMode = read;
    CUDA_CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}

__constant__ float gauss_5[5] = {0.06f, 0.24f, 0.4f, 0.24f, 0.06f};

/* Five by five pixels of a texture. */
__global__ void blur_texture(float *out, cudaTextureObject_t from, int width)
{
    const int x = PIXEL_X, y = PIXEL_Y;
    float sum = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
            sum += gauss_5[dy + 2] * gauss_5[dx + 2] *
                   tex2D<float>(from, (float)(x + dx) + 0.5f, (float)(y + dy) + 0.5f);
    out[y * width + x] = sum;
}
static void run_blur_texture(const struct times_io *io)
{
    const cudaTextureObject_t from = pitched(io->a, cudaCreateChannelDesc<float>(), 1024, 1024,
                                             cudaFilterModePoint, cudaReadModeElementType);
    blur_texture<<<dim3(64, 64), dim3(16, 16)>>>(io->out, from, 1024);
    CUDA_CHECK(cudaDestroyTextureObject(from));
}

/* A lens' distortion taken away: four bytes a pixel, between four pixels. */
__global__ void straighten(uchar4 *out, cudaTextureObject_t from, int width, int height)
{
    const int x = PIXEL_X, y = PIXEL_Y;
    const float u = ((float)x - 960) * (1 / 960.0f), v = ((float)y - 540) * (1 / 960.0f);
    const float r = 1 + 0.08f * (u * u + v * v);
    const float4 c = tex2D<float4>(from, u * r * 860 + 960.5f, v * r * 860 + 540.5f);
    if (y < height)
        out[y * width + x] = make_uchar4(c.x * 255, c.y * 255, c.z * 255, c.w * 255);
}
static void run_straighten(const struct times_io *io)
{
    const cudaTextureObject_t from = pitched(io->a, cudaCreateChannelDesc<uchar4>(), 1920, 1080,
                                             cudaFilterModeLinear, cudaReadModeNormalizedFloat);
    straighten<<<dim3(60, 135), dim3(32, 8)>>>((uchar4 *)io->out, from, 1920, 1080);
    CUDA_CHECK(cudaDestroyTextureObject(from));
}

/* A table of 64 K colours in linear memory, read as a texture. */
__global__ void colours_by_index(float4 *out, const int *index, cudaTextureObject_t table)
{
    const unsigned i = GLOBAL_ID;
    out[i] = tex1Dfetch<float4>(table, index[i] & 65535);
}
static void run_colours_by_index(const struct times_io *io)
{
    cudaTextureObject_t table;
    struct cudaResourceDesc resource = {};
    struct cudaTextureDesc how = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)io->a;
    resource.res.linear.desc = cudaCreateChannelDesc<float4>();
    resource.res.linear.sizeInBytes = 65536 * sizeof(float4);
    CUDA_CHECK(cudaCreateTextureObject(&table, &resource, &how, NULL));
    colours_by_index<<<2048, 256>>>((float4 *)io->out, io->index, table);
    CUDA_CHECK(cudaDestroyTextureObject(table));
}

/* --- colours --------------------------------------------------------------------------------- */

/* Bytes of red, green, blue to brightness and two differences, three planes. */
__global__ void to_yuv(unsigned char *out, const uchar4 *a, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    const uchar4 c = a[i];
    const int y = (66 * c.x + 129 * c.y + 25 * c.z + 128) >> 8;
    out[i] = (unsigned char)(y + 16);
    out[n + i] = (unsigned char)(((-38 * c.x - 74 * c.y + 112 * c.z + 128) >> 8) + 128);
    out[2 * n + i] = (unsigned char)(((112 * c.x - 94 * c.y - 18 * c.z + 128) >> 8) + 128);
}
static void run_to_yuv(const struct times_io *io)
{
    to_yuv<<<blocks_for(1920 * 1080, 192), 192>>>((unsigned char *)io->out, (const uchar4 *)io->a,
                                                  1920 * 1080);
}

/* Brightness to a power, four pixels a thread. */
__global__ void gamma_curve(float4 *out, const float4 *a, float power)
{
    const unsigned i = GLOBAL_ID;
    float4 v = a[i];
    v.x = powf(v.x, power), v.y = powf(v.y, power);
    v.z = powf(v.z, power), v.w = powf(v.w, power);
    out[i] = v;
}
static void run_gamma_curve(const struct times_io *io)
{
    gamma_curve<<<1024, 256>>>((float4 *)io->out, (const float4 *)io->a, 2.2f);
}

__constant__ unsigned char bayer[64] = {
    0,  32, 8,  40, 2,  34, 10, 42, 48, 16, 56, 24, 50, 18, 58, 26, 12, 44, 4,  36, 14, 46,
    6,  38, 60, 28, 52, 20, 62, 30, 54, 22, 3,  35, 11, 43, 1,  33, 9,  41, 51, 19, 59, 27,
    49, 17, 57, 25, 15, 47, 7,  39, 13, 45, 5,  37, 63, 31, 55, 23, 61, 29, 53, 21};

/* Black or white by a pattern of thresholds; each lane reads another constant. */
__global__ void dither(unsigned *out, const float *a, unsigned width)
{
    const unsigned x = PIXEL_X, y = PIXEL_Y;
    const bool white = a[y * width + x] * 64 > (float)bayer[(y & 7) * 8 + (x & 7)];
    const unsigned bits = __ballot_sync(~0u, white);
    if ((x & 31) == 0)
        out[(y * width + x) / 32] = bits >> 1;
}
static void run_dither(const struct times_io *io)
{
    dither<<<dim3(32, 512), dim3(64, 4)>>>((unsigned *)io->out, io->a, 2048);
}

__constant__ float4 palette[24] = {
    {0.1f, 0.2f, 0.3f, 0}, {0.9f, 0.2f, 0.3f, 0}, {0.1f, 0.8f, 0.3f, 0}, {0.1f, 0.2f, 0.7f, 0},
    {0.9f, 0.8f, 0.3f, 0}, {0.9f, 0.2f, 0.7f, 0}, {0.1f, 0.8f, 0.7f, 0}, {0.9f, 0.8f, 0.7f, 0},
    {0.5f, 0.2f, 0.3f, 0}, {0.5f, 0.8f, 0.3f, 0}, {0.5f, 0.2f, 0.7f, 0}, {0.5f, 0.8f, 0.7f, 0},
    {0.1f, 0.5f, 0.3f, 0}, {0.9f, 0.5f, 0.3f, 0}, {0.1f, 0.5f, 0.7f, 0}, {0.9f, 0.5f, 0.7f, 0},
    {0.1f, 0.2f, 0.5f, 0}, {0.9f, 0.2f, 0.5f, 0}, {0.1f, 0.8f, 0.5f, 0}, {0.9f, 0.8f, 0.5f, 0},
    {0.5f, 0.5f, 0.3f, 0}, {0.5f, 0.5f, 0.7f, 0}, {0.5f, 0.5f, 0.5f, 0}, {0.3f, 0.3f, 0.3f, 0}};

/* The nearest of 24 colours. */
__global__ void nearest_colour(int *out, const float *r, const float *g, const float *b)
{
    const unsigned i = GLOBAL_ID;
    const float x = r[i], y = g[i], z = b[i];
    float best = 1e30f;
    int which = 0;
    for (int k = 0; k < 24; k++) {
        const float dx = x - palette[k].x, dy = y - palette[k].y, dz = z - palette[k].z;
        const float d = dx * dx + dy * dy + dz * dz;
        if (d < best)
            best = d, which = k;
    }
    out[i] = which;
}
static void run_nearest_colour(const struct times_io *io)
{
    nearest_colour<<<4096, 256>>>((int *)io->out, io->a, io->b, io->a + (1 << 21));
}

/* --- votes and labels ------------------------------------------------------------------------ */

/* Lines through bright pixels: each votes for 64 angles, counts of a block in shared memory. */
__global__ void hough_votes(unsigned *counts, const float *a, int width)
{
    __shared__ unsigned votes[64 * 24];
    for (int i = threadIdx.x; i < 64 * 24; i += 256)
        votes[i] = 0;
    __syncthreads();
    const int x = (blockIdx.x & 3) * 256 + threadIdx.x, y0 = (blockIdx.x >> 2) * 8;
    for (int y = y0; y < y0 + 8; y++)
        if (a[y * width + x] > 0.9f)
            for (int k = 0; k < 64; k++) {
                const float angle = (float)k * (3.14159265f / 64);
                const float d = (float)x * __cosf(angle) + (float)y * __sinf(angle);
                atomicAdd(&votes[k * 24 + min(max((int)(d * (1 / 64.0f)) + 4, 0), 23)], 1u);
            }
    __syncthreads();
    for (int i = threadIdx.x; i < 64 * 24; i += 256)
        if (votes[i])
            atomicAdd(&counts[i], votes[i]);
}
static void run_hough_votes(const struct times_io *io)
{
    hough_votes<<<512, 256>>>(io->counts, io->a, 1024);
}

/* One step of labels over a picture: the smallest of one's own and those of like neighbours. */
__global__ void spread_labels(int *out, const float *a, const int *labels, int width, int height)
{
    const int x = PIXEL_X, y = PIXEL_Y, i = y * width + x;
    const bool mine = a[i] > 0.4f;
    int low = labels[i];
    if (x > 0 && (a[i - 1] > 0.4f) == mine)
        low = min(low, labels[i - 1]);
    if (x + 1 < width && (a[i + 1] > 0.4f) == mine)
        low = min(low, labels[i + 1]);
    if (y > 0 && (a[i - width] > 0.4f) == mine)
        low = min(low, labels[i - width]);
    if (y + 1 < height && (a[i + width] > 0.4f) == mine)
        low = min(low, labels[i + width]);
    out[i] = low;
}
static void run_spread_labels(const struct times_io *io)
{
    spread_labels<<<dim3(32, 128), dim3(32, 8)>>>((int *)io->out, io->a, io->index, 1024, 1024);
}

/* How far each pixel of a row is from the nearest bright one, going out from it until it is found.
 */
__global__ void look_around(int *out, const float *a, int width)
{
    const int x = threadIdx.x, row = blockIdx.x * width;
    int far = 0;
    while (far < width) {
        const int left = x - far, right = x + far;
        if ((left >= 0 && a[row + left] > 0.98f) || (right < width && a[row + right] > 0.98f))
            break;
        far++;
    }
    out[row + x] = far;
}
static void run_look_around(const struct times_io *io)
{
    look_around<<<1024, 640>>>((int *)io->out, io->a, 640);
}

const struct times_case photo_cases[] = {
    {"sobel_tile", run_sobel_tile, IN_OUT, 1920 * 1080},
    {"median_nine", run_median_nine, IN_OUT, 1024 * 1024},
    {"box_columns", run_box_columns, IN_OUT, 3840 * 369},
    {"half_size", run_half_size, IN_OUT, 1024 * 640},
    {"life_bytes", run_life_bytes, IN_WORDS, 512 * 2048},
    {"blur_texture", run_blur_texture, IN_OUT, 1024 * 1024},
    {"straighten", run_straighten, IN_WORDS, 1920 * 1080},
    {"colours_by_index", run_colours_by_index, IN_OUT, 2048 * 256 * 4},
    {"to_yuv", run_to_yuv, IN_WORDS, 1920 * 1080 * 3 / 4},
    {"gamma_curve", run_gamma_curve, IN_OUT, 1024 * 1024},
    {"dither", run_dither, IN_WORDS, 2048 * 64},
    {"nearest_colour", run_nearest_colour, IN_WORDS, 1024 * 1024},
    {"hough_votes", run_hough_votes, IN_COUNTS, 64 * 24},
    {"spread_labels", run_spread_labels, IN_WORDS, 1024 * 1024},
    {"look_around", run_look_around, IN_WORDS, 1024 * 640},
    {NULL, NULL, IN_OUT, 0}};
