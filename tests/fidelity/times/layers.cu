/* layers.cu - what networks and pictures are made of: layers, norms, products, filters. */
#include "times.h"

#include <cuda_fp16.h>

/* 16 channels to 16, 3 x 3, a thread an output pixel; weights through shared memory. */
__global__ void conv_3x3_channels(float *out, const float *in, const float *weights, unsigned width)
{
    __shared__ float w[16 * 16 * 9];
    for (unsigned i = threadIdx.x; i < 16 * 16 * 9; i += blockDim.x)
        w[i] = weights[i];
    __syncthreads();
    const unsigned size = width * width, pixel = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned x = pixel % (width - 2), y = pixel / (width - 2);
    if (y >= width - 2)
        return;
    float sum[16];
    for (unsigned o = 0; o < 16; o++)
        sum[o] = 0;
    for (unsigned c = 0; c < 16; c++)
        for (unsigned k = 0; k < 9; k++) {
            float v = in[c * size + (y + k / 3) * width + x + k % 3];
#pragma unroll
            for (unsigned o = 0; o < 16; o++)
                sum[o] += v * w[(c * 9 + k) * 16 + o];
        }
    for (unsigned o = 0; o < 16; o++)
        out[o * (width - 2) * (width - 2) + pixel] = fmaxf(sum[o], 0);
}
static void run_conv_3x3_channels(const struct times_io *io)
{
    conv_3x3_channels<<<blocks_for(222 * 222, 128), 128>>>(io->out, io->a, io->b, 224);
}

/* Each channel by itself, 5 x 5, a block a piece of a plane. */
__global__ void conv_depthwise(float *out, const float *in, const float *weights, unsigned width)
{
    const unsigned c = blockIdx.z, size = width * width, to = width - 4;
    const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= to || y >= to)
        return;
    float sum = 0;
    for (unsigned j = 0; j < 5; j++)
        for (unsigned i = 0; i < 5; i++)
            sum += in[c * size + (y + j) * width + x + i] * weights[c * 25 + j * 5 + i];
    out[c * to * to + y * to + x] = sum;
}
static void run_conv_depthwise(const struct times_io *io)
{
    conv_depthwise<<<dim3(4, 28, 96), dim3(32, 4)>>>(io->out, io->a, io->b, 116);
}

/* Tiles of 64 x 64, 4 x 4 a thread, wide loads from shared memory, the next tile on its way. */
__global__ void __launch_bounds__(256)
    gemm_wide(float *c, const float *a, const float *b, unsigned n)
{
    __shared__ float as[2][16][64], bs[2][16][64];
    const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
    const unsigned row = blockIdx.y * 64, column = blockIdx.x * 64;
    const float *from_a = a + (row + t / 4) * n + t % 4 * 4;
    const float *from_b = b + t / 16 * n + column + t % 16 * 4;
    float sum[4][4] = {};
    float4 va = *(const float4 *)from_a, vb = *(const float4 *)from_b;
    for (unsigned k = 0, page = 0; k < n; k += 16, page ^= 1) {
        as[page][t % 4 * 4][t / 4] = va.x, as[page][t % 4 * 4 + 1][t / 4] = va.y;
        as[page][t % 4 * 4 + 2][t / 4] = va.z, as[page][t % 4 * 4 + 3][t / 4] = va.w;
        *(float4 *)&bs[page][t / 16][t % 16 * 4] = vb;
        __syncthreads();
        if (k + 16 < n) {
            va = *(const float4 *)(from_a + k + 16);
            vb = *(const float4 *)(from_b + (k + 16) * n);
        }
#pragma unroll
        for (unsigned j = 0; j < 16; j++) {
            float4 p = *(const float4 *)&as[page][j][ty * 4],
                   q = *(const float4 *)&bs[page][j][tx * 4];
            const float l[4] = {p.x, p.y, p.z, p.w}, r[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (unsigned y = 0; y < 4; y++)
#pragma unroll
                for (unsigned x = 0; x < 4; x++)
                    sum[y][x] += l[y] * r[x];
        }
    }
    for (unsigned y = 0; y < 4; y++)
        *(float4 *)&c[(row + ty * 4 + y) * n + column + tx * 4] =
            make_float4(sum[y][0], sum[y][1], sum[y][2], sum[y][3]);
}
static void run_gemm_wide(const struct times_io *io)
{
    gemm_wide<<<dim3(12, 12), 256>>>(io->out, io->a, io->b, 768);
}

/* Pairs of halves, tiles of 32 x 64 in shared memory. */
__global__ void gemm_half2(float *c, const float2 *a, const float2 *b, unsigned n)
{
    __shared__ __half2 as[16][33], bs[32][33];
    const unsigned tx = threadIdx.x, ty = threadIdx.y;
    const unsigned row = blockIdx.y * 16 + ty, column = blockIdx.x * 32 + tx;
    __half2 sum0 = __floats2half2_rn(0, 0), sum1 = sum0;
    for (unsigned k = 0; k < n / 2; k += 32) {
        float2 v = a[row * (n / 2) + k + tx], u = a[(row + 8) * (n / 2) + k + tx];
        as[ty][tx] = __floats2half2_rn(v.x * 0.125f, v.y * 0.125f);
        as[ty + 8][tx] = __floats2half2_rn(u.x * 0.125f, u.y * 0.125f);
        for (unsigned j = ty; j < 32; j += 8) {
            float2 w = b[(blockIdx.x * 32 + j) * (n / 2) + k + tx];
            bs[j][tx] = __floats2half2_rn(w.x * 0.125f, w.y * 0.125f);
        }
        __syncthreads();
#pragma unroll 8
        for (unsigned j = 0; j < 32; j++) {
            __half2 r = bs[tx][j];
            sum0 = __hfma2(as[ty][j], r, sum0);
            sum1 = __hfma2(as[ty + 8][j], r, sum1);
        }
        __syncthreads();
    }
    c[row * n + column] = __low2float(sum0) + __high2float(sum0);
    c[(row + 8) * n + column] = __low2float(sum1) + __high2float(sum1);
}
static void run_gemm_half2(const struct times_io *io)
{
    gemm_half2<<<dim3(16, 32), dim3(32, 8)>>>(io->out, (const float2 *)io->a, (const float2 *)io->b,
                                              512);
}

/* Bytes, four to an instruction. */
__global__ void gemm_bytes(float *c, const int *a, const int *b, unsigned words)
{
    __shared__ int as[16][16], bs[16][17];
    const unsigned tx = threadIdx.x, ty = threadIdx.y;
    const unsigned row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    int sum = 0;
    for (unsigned k = 0; k < words; k += 16) {
        as[ty][tx] = a[row * words + k + tx];
        bs[ty][tx] = b[(blockIdx.x * 16 + ty) * words + k + tx];
        __syncthreads();
#pragma unroll
        for (unsigned j = 0; j < 16; j++)
            sum = __dp4a(as[ty][j], bs[tx][j], sum);
        __syncthreads();
    }
    c[row * gridDim.x * 16 + column] = (float)sum * 0x1p-10f;
}
static void run_gemm_bytes(const struct times_io *io)
{
    gemm_bytes<<<dim3(48, 48), dim3(16, 16)>>>(io->out, io->index, io->index + 777, 256);
}

/* 8 rows times a wide matrix: a thread a column, the rows in shared memory. */
__global__ void gemm_skinny(float *c, const float *a, const float *b, unsigned k, unsigned n)
{
    __shared__ float rows[8][128];
    const unsigned column = GLOBAL_ID;
    float sum[8] = {};
    for (unsigned from = 0; from < k; from += 128) {
        for (unsigned r = 0; r < 8; r++)
            rows[r][threadIdx.x] = a[r * k + from + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (unsigned j = 0; j < 128; j++) {
            float v = b[(from + j) * n + column];
#pragma unroll
            for (unsigned r = 0; r < 8; r++)
                sum[r] += rows[r][j] * v;
        }
        __syncthreads();
    }
    for (unsigned r = 0; r < 8; r++)
        c[r * n + column] = sum[r];
}
static void run_gemm_skinny(const struct times_io *io)
{
    gemm_skinny<<<16384 / 128, 128>>>(io->out, io->a, io->b, 512, 16384);
}

/* A warp a query of 64 numbers: scores of 128 keys, a softmax that is kept up, a sum of values. */
__global__ void attention(float *out, const float *q, const float *k, const float *v, unsigned keys)
{
    const unsigned lane = threadIdx.x % 32, query = GLOBAL_ID / 32, head = query / 128;
    const float2 mine = ((const float2 *)q)[query * 32 + lane];
    float most = -1e30f, total = 0;
    float2 sum = make_float2(0, 0);
    for (unsigned j = 0; j < keys; j++) {
        float2 key = ((const float2 *)k)[(head * keys + j) * 32 + lane];
        float score = mine.x * key.x + mine.y * key.y;
        for (unsigned step = 16; step > 0; step /= 2)
            score += __shfl_xor_sync(~0u, score, step);
        score *= 0.125f;
        float higher = fmaxf(most, score), scale = __expf(most - higher),
              p = __expf(score - higher);
        float2 value = ((const float2 *)v)[(head * keys + j) * 32 + lane];
        sum.x = sum.x * scale + p * value.x, sum.y = sum.y * scale + p * value.y;
        total = total * scale + p;
        most = higher;
    }
    ((float2 *)out)[query * 32 + lane] = make_float2(sum.x / total, sum.y / total);
}
static void run_attention(const struct times_io *io)
{
    attention<<<8192 / 4, 128>>>(io->out, io->a, io->b, io->a + (1 << 23), 128);
}

/* A block a row of 4096: most, sum and result from registers. */
__global__ void softmax_block(float *out, const float4 *a)
{
    __shared__ float part[8];
    const unsigned t = threadIdx.x;
    float4 v[4];
    float most = -1e30f, sum = 0;
    for (unsigned k = 0; k < 4; k++) {
        v[k] = a[blockIdx.x * 1024 + k * 256 + t];
        most = fmaxf(most, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
    }
    for (unsigned step = 16; step > 0; step /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
    if (t % 32 == 0)
        part[t / 32] = most;
    __syncthreads();
    for (unsigned w = 0; w < 8; w++)
        most = fmaxf(most, part[w]);
    __syncthreads();
    for (unsigned k = 0; k < 4; k++) {
        v[k].x = expf(v[k].x - most), v[k].y = expf(v[k].y - most);
        v[k].z = expf(v[k].z - most), v[k].w = expf(v[k].w - most);
        sum += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    for (unsigned step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    sum = 0;
    for (unsigned w = 0; w < 8; w++)
        sum += part[w];
    const float scale = 1 / sum;
    for (unsigned k = 0; k < 4; k++)
        ((float4 *)out)[blockIdx.x * 1024 + k * 256 + t] =
            make_float4(v[k].x * scale, v[k].y * scale, v[k].z * scale, v[k].w * scale);
}
static void run_softmax_block(const struct times_io *io)
{
    softmax_block<<<2048, 256>>>(io->out, (const float4 *)io->a);
}

__global__ void gelu_bias(float *out, const float *a, const float *bias, unsigned columns)
{
    unsigned i = GLOBAL_ID;
    float x = a[i] * 4 - 2 + bias[i % columns];
    out[i] = 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}
static void run_gelu_bias(const struct times_io *io)
{
    gelu_bias<<<(1 << 22) / 256, 256>>>(io->out, io->a, io->b, 3000);
}

/* Pairs turned by an angle of their place; powers by the library. */
__global__ void rotary(float2 *out, const float2 *a, unsigned pairs)
{
    unsigned i = GLOBAL_ID, k = i % pairs, place = i / pairs;
    float angle = (float)(place & 1023) * powf(10000.0f, -(float)k / (float)pairs), s, c;
    sincosf(angle, &s, &c);
    float2 v = a[i];
    out[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}
static void run_rotary(const struct times_io *io)
{
    rotary<<<(1 << 20) / 256, 256>>>((float2 *)io->out, (const float2 *)io->a, 64);
}

/* A warp a row of 512: its largest number, then bytes. */
__global__ void quantise_rows(float *scales, char4 *out, const float4 *a)
{
    unsigned lane = threadIdx.x % 32, row = GLOBAL_ID / 32;
    float4 v[4];
    float most = 0;
    for (unsigned k = 0; k < 4; k++) {
        v[k] = a[row * 128 + k * 32 + lane];
        most = fmaxf(
            most, fmaxf(fmaxf(fabsf(v[k].x), fabsf(v[k].y)), fmaxf(fabsf(v[k].z), fabsf(v[k].w))));
    }
    for (unsigned step = 16; step > 0; step /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
    float scale = 127 / most;
    for (unsigned k = 0; k < 4; k++)
        out[row * 128 + k * 32 + lane] = make_char4((signed char)__float2int_rn(v[k].x * scale),
                                                    (signed char)__float2int_rn(v[k].y * scale),
                                                    (signed char)__float2int_rn(v[k].z * scale),
                                                    (signed char)__float2int_rn(v[k].w * scale));
    if (lane == 0)
        scales[row] = most;
}
static void run_quantise_rows(const struct times_io *io)
{
    quantise_rows<<<16384 / 8, 256>>>(io->out, (char4 *)(io->out + 16384), (const float4 *)io->a);
}

/* Rows of 64 floats, chosen by an index. */
__global__ void embedding(float4 *out, const float4 *table, const int *index)
{
    unsigned i = GLOBAL_ID, row = (unsigned)index[i / 16] & 0x3ffff;
    out[i] = table[row * 16 + i % 16];
}
static void run_embedding(const struct times_io *io)
{
    embedding<<<65536 * 16 / 256, 256>>>((float4 *)io->out, (const float4 *)io->a, io->index);
}

__global__ void max_pool(float *out, const float *a, unsigned width)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    const float *p = a + 2 * y * width + 2 * x;
    out[y * (width / 2) + x] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[width], p[width + 1]));
}
static void run_max_pool(const struct times_io *io)
{
    max_pool<<<dim3(8, 2048), 256>>>(io->out, io->a, 4096);
}

/* A step of Adam: four streams in, three out. */
__global__ void adam(float *out, const float *weight, const float *gradient, unsigned n)
{
    unsigned i = GLOBAL_ID;
    float g = gradient[i], w = weight[i];
    float m = 0.9f * weight[i + n] + 0.1f * g, v = 0.999f * gradient[i + n] + 0.001f * g * g;
    out[i] = w - 0.001f * (m / 0.9f) / (sqrtf(v / 0.5f) + 1e-8f);
    out[i + n] = m;
    out[i + 2 * n] = v;
}
static void run_adam(const struct times_io *io)
{
    adam<<<(1 << 22) / 512, 512>>>(io->out, io->a, io->b, 1 << 22);
}

/* Mean and variance of columns: a block 32 columns, 8 rows at a time. */
__global__ void column_statistics(float *out, const float *a, unsigned columns, unsigned rows)
{
    __shared__ float sum[8][32], square[8][32];
    unsigned c = blockIdx.x * 32 + threadIdx.x, ty = threadIdx.y;
    float s = 0, q = 0;
    for (unsigned r = ty; r < rows; r += 8) {
        float v = a[r * columns + c];
        s += v, q += v * v;
    }
    sum[ty][threadIdx.x] = s, square[ty][threadIdx.x] = q;
    __syncthreads();
    if (ty > 0)
        return;
    for (unsigned k = 1; k < 8; k++)
        s += sum[k][threadIdx.x], q += square[k][threadIdx.x];
    out[c] = s / (float)rows;
    out[columns + c] = q / (float)rows - s / (float)rows * (s / (float)rows);
}
static void run_column_statistics(const struct times_io *io)
{
    column_statistics<<<8192 / 32, dim3(32, 8)>>>(io->out, io->a, 8192, 512);
}

__global__ void resize_bilinear(float *out, const float *a, unsigned from, unsigned to)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= to || y >= to)
        return;
    float step = (float)(from - 1) / (float)to, fx = (float)x * step, fy = (float)y * step;
    unsigned ix = (unsigned)fx, iy = (unsigned)fy;
    fx -= (float)ix, fy -= (float)iy;
    const float *p = a + iy * from + ix;
    float top = p[0] + fx * (p[1] - p[0]), below = p[from] + fx * (p[from + 1] - p[from]);
    out[y * to + x] = top + fy * (below - top);
}
static void run_resize_bilinear(const struct times_io *io)
{
    resize_bilinear<<<dim3(100, 200), dim3(16, 8)>>>(io->out, io->a, 1024, 1600);
}

/* A picture turned by an angle, nearest pixel. */
__global__ void rotate_picture(float *out, const float *a, unsigned width, float s, float c)
{
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float half = (float)width * 0.5f, rx = (float)x - half, ry = (float)y - half;
    int fx = (int)(rx * c - ry * s + half), fy = (int)(rx * s + ry * c + half);
    bool inside = fx >= 0 && fy >= 0 && fx < (int)width && fy < (int)width;
    out[y * width + x] = inside ? a[fy * (int)width + fx] : 0.0f;
}
static void run_rotate_picture(const struct times_io *io)
{
    rotate_picture<<<dim3(64, 256), dim3(32, 8)>>>(io->out, io->a, 2048, 0.6f, 0.8f);
}

/* A Gaussian of 17 down the columns, through shared memory. */
__global__ void gauss_columns(float *out, const float *a, unsigned width)
{
    __shared__ float v[48][32];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (unsigned r = threadIdx.y; r < 48; r += 8)
        v[r][threadIdx.x] = a[(y + r) * width + x];
    __syncthreads();
    for (unsigned r = threadIdx.y; r < 32; r += 8) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k <= 16; k++)
            sum += v[r + (unsigned)k][threadIdx.x] * (0.2f - 0.0028f * (float)((k - 8) * (k - 8)));
        out[(y + r) * width + x] = sum;
    }
}
static void run_gauss_columns(const struct times_io *io)
{
    gauss_columns<<<dim3(64, 64), dim3(32, 8)>>>(io->out, io->a, 2048);
}

const struct times_case layers_cases[] = {
    {"conv_3x3_channels", run_conv_3x3_channels, IN_OUT, 16 * 222 * 222},
    {"conv_depthwise", run_conv_depthwise, IN_OUT, 96 * 112 * 112},
    {"gemm_wide", run_gemm_wide, IN_OUT, 768 * 768},
    {"gemm_half2", run_gemm_half2, IN_OUT, 512 * 512},
    {"gemm_bytes", run_gemm_bytes, IN_OUT, 768 * 768},
    {"gemm_skinny", run_gemm_skinny, IN_OUT, 8 * 16384},
    {"attention", run_attention, IN_OUT, 8192 * 64},
    {"softmax_block", run_softmax_block, IN_OUT, 2048 * 4096},
    {"gelu_bias", run_gelu_bias, IN_OUT, 1 << 22},
    {"rotary", run_rotary, IN_OUT, 1 << 21},
    {"quantise_rows", run_quantise_rows, IN_OUT, 16384},
    {"embedding", run_embedding, IN_OUT, 65536 * 64},
    {"max_pool", run_max_pool, IN_OUT, 2048 * 2048},
    {"adam", run_adam, IN_OUT, 3 << 22},
    {"column_statistics", run_column_statistics, IN_OUT, 2 * 8192},
    {"resize_bilinear", run_resize_bilinear, IN_OUT, 1600 * 1600},
    {"rotate_picture", run_rotate_picture, IN_OUT, 2048 * 2048},
    {"gauss_columns", run_gauss_columns, IN_OUT, 2048 * 2048},
    {NULL, NULL, IN_OUT, 0}};
