/* networks.cu - products, layers of networks, sums and scans; written and recorded before the model
 * saw them. */
#include "times.h"

#include <cuda_fp16.h>

/* --- products -------------------------------------------------------------------------------- */

/* The textbook's product: tiles of 16 x 16 in shared memory. */
__global__ void product_tiles(float *c, const float *a, const float *b, int n)
{
    __shared__ float at[16][16], bt[16][16];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        at[y][x] = a[row * n + k + x];
        bt[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += at[y][i] * bt[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
static void run_product_tiles(const struct times_io *io)
{
    product_tiles<<<dim3(40, 40), dim3(16, 16)>>>(io->out, io->a, io->b, 640);
}

/* 64 x 64 a block, four by four a thread. */
__global__ void product_4x4(float *c, const float *a, const float *b, int n, int depth)
{
    __shared__ float at[16][68], bt[16][64];
    const int t = threadIdx.x, x = t % 16 * 4, y = t / 16 * 4;
    float sum[4][4] = {};
    for (int k = 0; k < depth; k += 16) {
        const float4 v = *(const float4 *)&a[(blockIdx.y * 64 + t / 4) * depth + k + t % 4 * 4];
        at[t % 4 * 4][t / 4] = v.x;
        at[t % 4 * 4 + 1][t / 4] = v.y;
        at[t % 4 * 4 + 2][t / 4] = v.z;
        at[t % 4 * 4 + 3][t / 4] = v.w;
        *(float4 *)&bt[t / 16][x] = *(const float4 *)&b[(k + t / 16) * n + blockIdx.x * 64 + x];
        __syncthreads();
        for (int i = 0; i < 16; i++) {
            const float4 p = *(const float4 *)&at[i][y], q = *(const float4 *)&bt[i][x];
            const float pv[4] = {p.x, p.y, p.z, p.w}, qv[4] = {q.x, q.y, q.z, q.w};
            for (int r = 0; r < 4; r++)
                for (int s = 0; s < 4; s++)
                    sum[r][s] += pv[r] * qv[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        *(float4 *)&c[(blockIdx.y * 64 + y + r) * n + blockIdx.x * 64 + x] =
            make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}
static void run_product_4x4(const struct times_io *io)
{
    product_4x4<<<dim3(16, 16), 256>>>(io->out, io->a, io->b, 1024, 512);
}

/* 8192 products of 16 x 16, a block each. */
__global__ void products_of_16(float *c, const float *a, const float *b)
{
    __shared__ float at[16][17], bt[16][17];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16, base = blockIdx.x * 256;
    at[y][x] = a[base + threadIdx.x];
    bt[y][x] = b[base + threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += at[y][k] * bt[k][x];
    c[base + threadIdx.x] = sum;
}
static void run_products_of_16(const struct times_io *io)
{
    products_of_16<<<8192, 256>>>(io->out, io->a, io->b);
}

/* The transposed matrix times a vector: a thread a column, rows divided among 16 blocks. */
__global__ void turned_times_vector(float *out, const float *a, const float *v, int columns)
{
    const int x = blockIdx.x * 128 + threadIdx.x, y0 = blockIdx.y * 64;
    float sum = 0;
    for (int y = y0; y < y0 + 64; y++)
        sum += a[y * columns + x] * v[y];
    out[blockIdx.y * columns + x] = sum;
}
static void run_turned_times_vector(const struct times_io *io)
{
    turned_times_vector<<<dim3(32, 16), 128>>>(io->out, io->a, io->b, 4096);
}

/* Weights of four bits, a scale for each 32, times a vector: a warp a row. */
__global__ void four_bit_weights(float *out, const unsigned *w, const float *scales, const float *v)
{
    const unsigned lane = threadIdx.x & 31, row = GLOBAL_ID / 32;
    float sum = 0;
    for (unsigned k = lane; k < 256; k += 32) {
        const unsigned bits = w[row * 256 + k];
        float part = 0;
        for (unsigned j = 0; j < 8; j++)
            part += (float)((int)(bits >> (4 * j) & 15u) - 8) * v[k * 8 + j];
        sum += part * scales[row * 64 + k / 4];
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        out[row] = sum;
}
static void run_four_bit_weights(const struct times_io *io)
{
    four_bit_weights<<<1024, 128>>>(io->out, (const unsigned *)io->a, io->b, io->b + (1 << 20));
}

/* --- layers ---------------------------------------------------------------------------------- */

/* Rows of 512 made normal: a warp a row, four numbers a load. */
__global__ void normal_rows(float4 *out, const float4 *a, const float4 *gain)
{
    const unsigned lane = threadIdx.x & 31, row = GLOBAL_ID / 32;
    float4 v[4];
    float sum = 0, squares = 0;
    for (unsigned k = 0; k < 4; k++) {
        v[k] = a[row * 128 + k * 32 + lane];
        sum += v[k].x + v[k].y + v[k].z + v[k].w;
        squares += v[k].x * v[k].x + v[k].y * v[k].y + v[k].z * v[k].z + v[k].w * v[k].w;
    }
    for (int d = 16; d; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
        squares += __shfl_xor_sync(~0u, squares, d);
    }
    const float mean = sum / 512, r = rsqrtf(squares / 512 - mean * mean + 1e-5f);
    for (unsigned k = 0; k < 4; k++) {
        const float4 g = gain[k * 32 + lane];
        out[row * 128 + k * 32 + lane] =
            make_float4((v[k].x - mean) * r * g.x, (v[k].y - mean) * r * g.y,
                        (v[k].z - mean) * r * g.z, (v[k].w - mean) * r * g.w);
    }
}
static void run_normal_rows(const struct times_io *io)
{
    normal_rows<<<1024, 128>>>((float4 *)io->out, (const float4 *)io->a, (const float4 *)io->b);
}

/* Groups of 16,384 numbers made normal in two passes: a block a group. */
__global__ void normal_groups(float *out, const float *a)
{
    __shared__ float sums[2][16];
    const unsigned t = threadIdx.x, base = blockIdx.x * 16384;
    float sum = 0, squares = 0;
    for (unsigned i = t; i < 16384; i += 512) {
        const float v = a[base + i];
        sum += v;
        squares += v * v;
    }
    for (int d = 16; d; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
        squares += __shfl_xor_sync(~0u, squares, d);
    }
    if ((t & 31) == 0)
        sums[0][t / 32] = sum, sums[1][t / 32] = squares;
    __syncthreads();
    sum = squares = 0;
    for (int k = 0; k < 16; k++)
        sum += sums[0][k], squares += sums[1][k];
    const float mean = sum / 16384, r = rsqrtf(squares / 16384 - mean * mean + 1e-5f);
    for (unsigned i = t; i < 16384; i += 512)
        out[base + i] = (a[base + i] - mean) * r;
}
static void run_normal_groups(const struct times_io *io)
{
    normal_groups<<<128, 512>>>(io->out, io->a);
}

/* The logarithm of a softmax over 256 halves, a warp a row. */
__global__ void log_softmax(__half2 *out, const __half2 *a)
{
    const unsigned lane = threadIdx.x & 31, row = GLOBAL_ID / 32;
    float2 v[4];
    float most = -1e30f, sum = 0;
    for (unsigned k = 0; k < 4; k++) {
        const __half2 h = __hmin2(__hmax2(a[row * 128 + k * 32 + lane], __float2half2_rn(-8)),
                                  __float2half2_rn(8));
        v[k] = __half22float2(h);
        most = fmaxf(most, fmaxf(v[k].x, v[k].y));
    }
    for (int d = 16; d; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    for (unsigned k = 0; k < 4; k++)
        sum += __expf(v[k].x - most) + __expf(v[k].y - most);
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    const float less = most + __logf(sum);
    for (unsigned k = 0; k < 4; k++)
        out[row * 128 + k * 32 + lane] = __floats2half2_rn(v[k].x - less, v[k].y - less);
}
static void run_log_softmax(const struct times_io *io)
{
    log_softmax<<<2048, 256>>>((__half2 *)io->out, (const __half2 *)io->a);
}

/* One query a head against 512 keys and values of 64: a block a head. */
__global__ void decode_head(float *out, const float *q, const float *keys, const float *values)
{
    __shared__ float query[64], weight[512], part[4][64], total[8];
    const unsigned t = threadIdx.x, lane = t & 31, head = blockIdx.x * 512 * 64;
    if (t < 64)
        query[t] = q[blockIdx.x * 64 + t];
    __syncthreads();
    float sum = 0;
    for (unsigned k = t / 32; k < 512; k += 8) {
        const float *key = keys + head + k * 64;
        float score = query[lane] * key[lane] + query[lane + 32] * key[lane + 32];
        for (int d = 16; d; d /= 2)
            score += __shfl_xor_sync(~0u, score, d);
        const float e = __expf(0.125f * score - 2);
        if (lane == 0)
            weight[k] = e;
        sum += e;
    }
    if (lane == 0)
        total[t / 32] = sum;
    __syncthreads();
    float value = 0;
    for (unsigned k = t / 64; k < 512; k += 4)
        value += weight[k] * values[head + k * 64 + (t & 63)];
    part[t / 64][t & 63] = value;
    __syncthreads();
    if (t < 64) {
        sum = 0;
        for (int k = 0; k < 8; k++)
            sum += total[k];
        out[blockIdx.x * 64 + t] = (part[0][t] + part[1][t] + part[2][t] + part[3][t]) / sum;
    }
}
static void run_decode_head(const struct times_io *io)
{
    decode_head<<<192, 256>>>(io->out, io->b, io->a, io->a + (1 << 23));
}

/* Sums of twelve rows of 64 floats each, taken from 64 K of them. */
__global__ void bags_of_rows(float *out, const float *rows, const int *index)
{
    const unsigned bag = blockIdx.x * blockDim.y + threadIdx.y;
    float sum = 0;
    for (unsigned k = 0; k < 12; k++)
        sum += rows[(index[bag * 12 + k] & 65535) * 64 + threadIdx.x];
    out[bag * 64 + threadIdx.x] = sum;
}
static void run_bags_of_rows(const struct times_io *io)
{
    bags_of_rows<<<2048, dim3(64, 4)>>>(io->out, io->a, io->index);
}

/* Five by five, one channel, a tile with its rim in shared memory, weights in constant memory. */
__constant__ float weights_25[25] = {0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.2f, 0.3f, 0.4f, 0.3f,
                                     0.2f, 0.3f, 0.4f, 0.5f, 0.4f, 0.3f, 0.2f, 0.3f, 0.4f,
                                     0.3f, 0.2f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f};
__global__ void convolve_tile(float *out, const float *a, int width)
{
    __shared__ float tile[20][36];
    const int t = threadIdx.y * 32 + threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    for (int i = t; i < 20 * 36; i += 256)
        tile[i / 36][i % 36] = a[(y0 + i / 36) * width + x0 + i % 36];
    __syncthreads();
    for (int r = threadIdx.y; r < 16; r += 8) {
        float sum = 0;
        for (int j = 0; j < 5; j++)
            for (int i = 0; i < 5; i++)
                sum += weights_25[j * 5 + i] * tile[r + j][threadIdx.x + i];
        out[(y0 + r) * (width - 4) + x0 + threadIdx.x] = fmaxf(sum, 0);
    }
}
static void run_convolve_tile(const struct times_io *io)
{
    convolve_tile<<<dim3(40, 64), dim3(32, 8)>>>(io->out, io->a, 1284);
}

/* A gate of halves: x times its sigmoid, times y. */
__global__ void gate_halves(__half2 *out, const float2 *a, const float2 *b)
{
    const unsigned i = GLOBAL_ID;
    const __half2 x = __float22half2_rn(a[i]), y = __float22half2_rn(b[i]);
    const __half2 one = __float2half2_rn(1);
    out[i] = __hmul2(__h2div(x, __hadd2(one, h2exp(__hneg2(x)))), y);
}
static void run_gate_halves(const struct times_io *io)
{
    gate_halves<<<4096, 256>>>((__half2 *)io->out, (const float2 *)io->a, (const float2 *)io->b);
}

/* The best of 64 experts for each token, and how many tokens each expert has. */
__global__ void choose_expert(unsigned *counts, const float *logits)
{
    const unsigned lane = threadIdx.x & 31, token = GLOBAL_ID / 32;
    const float p = logits[token * 64 + lane], q = logits[token * 64 + 32 + lane];
    float best = fmaxf(p, q);
    unsigned which = p >= q ? lane : lane + 32;
    for (int d = 16; d; d /= 2) {
        const float other = __shfl_xor_sync(~0u, best, d);
        const unsigned its = __shfl_xor_sync(~0u, which, d);
        if (other > best || (other == best && its < which))
            best = other, which = its;
    }
    if (lane == 0)
        atomicAdd(&counts[which], 1u);
}
static void run_choose_expert(const struct times_io *io)
{
    choose_expert<<<4096, 256>>>(io->counts, io->a);
}

/* Rows of 32 integers added to the rows that they belong to. */
__global__ void add_rows(unsigned *counts, const float *a, const int *index)
{
    const unsigned row = GLOBAL_ID / 32, lane = threadIdx.x & 31;
    atomicAdd(&counts[(index[row] & 8191) * 32 + lane], (unsigned)(a[GLOBAL_ID] * 16));
}
static void run_add_rows(const struct times_io *io)
{
    add_rows<<<4096, 256>>>(io->counts, io->a, io->index);
}

/* Momentum: three arrays read, two written. */
__global__ void momentum(float4 *out, const float4 *weight, const float4 *gradient, unsigned n)
{
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        const float4 w = weight[i], g = gradient[i];
        float4 m = weight[n + i];
        m.x = 0.9f * m.x + g.x, m.y = 0.9f * m.y + g.y;
        m.z = 0.9f * m.z + g.z, m.w = 0.9f * m.w + g.w;
        out[i] =
            make_float4(w.x - 0.01f * m.x, w.y - 0.01f * m.y, w.z - 0.01f * m.z, w.w - 0.01f * m.w);
        out[n + i] = m;
    }
}
static void run_momentum(const struct times_io *io)
{
    momentum<<<528, 256>>>((float4 *)io->out, (const float4 *)io->a, (const float4 *)io->b, 500000);
}

/* Centres of 16 clusters: each block's sums by atomics in shared memory, then one row a block. */
__global__ void cluster_means(float *out, const float *a)
{
    __shared__ unsigned sums[16][5];
    const unsigned t = threadIdx.x;
    if (t < 80)
        sums[t / 5][t % 5] = 0;
    __syncthreads();
    for (unsigned i = GLOBAL_ID; i < 262144; i += gridDim.x * blockDim.x) {
        const float4 p = ((const float4 *)a)[i];
        const unsigned which = (unsigned)(p.x * 4) * 4 + (unsigned)(p.y * 4);
        atomicAdd(&sums[which][0], 1u);
        atomicAdd(&sums[which][1], (unsigned)(p.x * 1024));
        atomicAdd(&sums[which][2], (unsigned)(p.y * 1024));
        atomicAdd(&sums[which][3], (unsigned)(p.z * 1024));
        atomicAdd(&sums[which][4], (unsigned)(p.w * 1024));
    }
    __syncthreads();
    if (t < 80)
        out[blockIdx.x * 80 + t] = (float)sums[t / 5][t % 5];
}
static void run_cluster_means(const struct times_io *io)
{
    cluster_means<<<132, 512>>>(io->out, io->a);
}

/* Running sums of 4096 numbers a block: four a thread, warps by shuffles. */
__global__ void running_sums(float4 *out, const float4 *a)
{
    __shared__ float totals[32];
    const unsigned t = threadIdx.x, lane = t & 31;
    float4 v = a[blockIdx.x * 1024 + t];
    v.y += v.x, v.z += v.y, v.w += v.z;
    float sum = v.w;
    for (unsigned d = 1; d < 32; d *= 2) {
        const float other = __shfl_up_sync(~0u, sum, d);
        if (lane >= d)
            sum += other;
    }
    if (lane == 31)
        totals[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        float all = totals[t];
        for (unsigned d = 1; d < 32; d *= 2) {
            const float other = __shfl_up_sync(~0u, all, d);
            if (lane >= d)
                all += other;
        }
        totals[t] = all;
    }
    __syncthreads();
    const float before = sum - v.w + (t >= 32 ? totals[t / 32 - 1] : 0);
    out[blockIdx.x * 1024 + t] =
        make_float4(v.x + before, v.y + before, v.z + before, v.w + before);
}
static void run_running_sums(const struct times_io *io)
{
    running_sums<<<400, 1024>>>((float4 *)io->out, (const float4 *)io->a);
}

/* A matrix of halves turned over, 64 x 64 a block. */
__global__ void turn_halves(unsigned short *out, const unsigned short *a, unsigned n)
{
    __shared__ unsigned short tile[64][66];
    for (unsigned r = threadIdx.y; r < 64; r += 4)
        tile[r][threadIdx.x] = a[(blockIdx.y * 64 + r) * n + blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    for (unsigned r = threadIdx.y; r < 64; r += 4)
        out[(blockIdx.x * 64 + r) * n + blockIdx.y * 64 + threadIdx.x] = tile[threadIdx.x][r];
}
static void run_turn_halves(const struct times_io *io)
{
    turn_halves<<<dim3(32, 32), dim3(64, 4)>>>((unsigned short *)io->out,
                                               (const unsigned short *)io->a, 2048);
}

const struct times_case network_cases[] = {
    {"product_tiles", run_product_tiles, IN_OUT, 640 * 640},
    {"product_4x4", run_product_4x4, IN_OUT, 1024 * 1024},
    {"products_of_16", run_products_of_16, IN_OUT, 8192 * 256},
    {"turned_times_vector", run_turned_times_vector, IN_OUT, 16 * 4096},
    {"four_bit_weights", run_four_bit_weights, IN_OUT, 4096},
    {"normal_rows", run_normal_rows, IN_OUT, 4096 * 512},
    {"normal_groups", run_normal_groups, IN_OUT, 128 * 16384},
    {"log_softmax", run_log_softmax, IN_WORDS, 2048 * 8 * 128},
    {"decode_head", run_decode_head, IN_OUT, 192 * 64},
    {"bags_of_rows", run_bags_of_rows, IN_OUT, 8192 * 64},
    {"convolve_tile", run_convolve_tile, IN_OUT, 1280 * 1024},
    {"gate_halves", run_gate_halves, IN_WORDS, 1 << 20},
    {"choose_expert", run_choose_expert, IN_COUNTS, 64},
    {"add_rows", run_add_rows, IN_COUNTS, 8192 * 32},
    {"momentum", run_momentum, IN_OUT, 4000000},
    {"cluster_means", run_cluster_means, IN_OUT, 132 * 80},
    {"running_sums", run_running_sums, IN_OUT, 400 * 4096},
    {"turn_halves", run_turn_halves, IN_WORDS, 1 << 21},
    {NULL, NULL, IN_OUT, 0}};
