/* inference.cu - layers of networks, forwards and backwards, clusters of points and what stands
 * between them; written and recorded before the model saw them. */
#include "times.h"

#include <cuda_fp16.h>

__device__ static float warp_sum(float v)
{
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_xor_sync(~0u, v, step);
    return v;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Backwards through a softmax: a warp a row of 256. */
__global__ void softmax_backward(float4 *out, const float4 *p, const float4 *gradient)
{
    const unsigned row = GLOBAL_ID / 32, lane = threadIdx.x % 32;
    float4 v[2], g[2];
    float sum = 0;
    for (int k = 0; k < 2; k++) {
        v[k] = p[row * 64 + k * 32 + lane];
        g[k] = gradient[row * 64 + k * 32 + lane];
        sum += v[k].x * g[k].x + v[k].y * g[k].y + v[k].z * g[k].z + v[k].w * g[k].w;
    }
    sum = warp_sum(sum);
    for (int k = 0; k < 2; k++)
        out[row * 64 + k * 32 + lane] =
            make_float4(v[k].x * (g[k].x - sum), v[k].y * (g[k].y - sum), v[k].z * (g[k].z - sum),
                        v[k].w * (g[k].w - sum));
}
static void run_softmax_backward(const struct times_io *io)
{
    softmax_backward<<<2000, 128>>>((float4 *)io->out, (const float4 *)io->a,
                                    (const float4 *)io->b);
}

/* Layer norm by Welford's rule, rows of 1000, a block each; the row is read twice. */
__global__ void layernorm_welford(float *out, const float *a, const float *weight, int width)
{
    __shared__ float means[4], squares[4], counts[4];
    const float *row = a + blockIdx.x * width;
    const unsigned warp = threadIdx.x / 32;
    float mean = 0, square = 0, n = 0;
    for (int i = threadIdx.x; i < width; i += 128) {
        const float d = row[i] - mean;
        n += 1;
        mean += d / n;
        square += d * (row[i] - mean);
    }
    for (int step = 16; step > 0; step /= 2) {
        const float m = __shfl_xor_sync(~0u, mean, step), s = __shfl_xor_sync(~0u, square, step);
        const float c = __shfl_xor_sync(~0u, n, step), d = m - mean, all = n + c;
        mean += d * c / all;
        square += s + d * d * n * c / all;
        n = all;
    }
    means[warp] = mean, squares[warp] = square, counts[warp] = n;
    __syncthreads();
    mean = 0, square = 0, n = 0;
    for (int w = 0; w < 4; w++) {
        const float d = means[w] - mean, all = n + counts[w];
        mean += d * counts[w] / all;
        square += squares[w] + d * d * n * counts[w] / all;
        n = all;
    }
    const float scale = rsqrtf(square / (float)width + 1e-5f);
    for (int i = threadIdx.x; i < width; i += 128)
        out[blockIdx.x * width + i] = (row[i] - mean) * scale * weight[i];
}
static void run_layernorm_welford(const struct times_io *io)
{
    layernorm_welford<<<2500, 128>>>(io->out, io->a, io->b, 1000);
}

/* The place of the highest of 32,000 logits: few rows, long ones. */
__global__ void highest_logit(int *out, const float *a, int width)
{
    __shared__ float highs[32];
    __shared__ int places[32];
    const float *row = a + (size_t)blockIdx.x * width;
    float high = -1;
    int place = 0;
    for (int i = threadIdx.x; i < width; i += 1024)
        if (row[i] > high)
            high = row[i], place = i;
    for (int round = 0; round < 2; round++) {
        for (int step = 16; step > 0; step /= 2) {
            const float other = __shfl_xor_sync(~0u, high, step);
            const int at = __shfl_xor_sync(~0u, place, step);
            if (other > high || (other == high && at < place))
                high = other, place = at;
        }
        if (round == 0) {
            highs[threadIdx.x / 32] = high, places[threadIdx.x / 32] = place;
            __syncthreads();
            high = highs[threadIdx.x % 32], place = places[threadIdx.x % 32];
        }
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = place;
}
static void run_highest_logit(const struct times_io *io)
{
    highest_logit<<<64, 1024>>>((int *)io->out, io->a, 32000);
}

/* Mean and variance of each of 96 channels over a batch, then the channel once more. */
__global__ void batch_norm(float *out, const float *a, int batch, int channels, int pixels)
{
    __shared__ float sums[16], squares[16];
    const int c = blockIdx.x, t = threadIdx.x;
    float sum = 0, square = 0;
    for (int n = 0; n < batch; n++)
        for (int i = t; i < pixels; i += 512) {
            const float v = a[(n * channels + c) * pixels + i];
            sum += v, square += v * v;
        }
    sum = warp_sum(sum), square = warp_sum(square);
    if (t % 32 == 0)
        sums[t / 32] = sum, squares[t / 32] = square;
    __syncthreads();
    sum = 0, square = 0;
    for (int w = 0; w < 16; w++)
        sum += sums[w], square += squares[w];
    const float scale = 1.0f / (float)(batch * pixels), mean = sum * scale;
    const float factor = rsqrtf(square * scale - mean * mean + 1e-5f);
    for (int n = 0; n < batch; n++)
        for (int i = t; i < pixels; i += 512) {
            const int at = (n * channels + c) * pixels + i;
            out[at] = (a[at] - mean) * factor;
        }
}
static void run_batch_norm(const struct times_io *io)
{
    batch_norm<<<96, 512>>>(io->out, io->a, 8, 96, 3136);
}

/* Dropout by a hash of the place, and what went round the layer added: halves in pairs. */
__device__ static float2 small_halves(unsigned word)
{
    word &= 0x3bff3bff; /* less than 1 */
    return __half22float2(*(const __half2 *)&word);
}
__global__ void dropout_residual(__half2 *out, const unsigned *a, const unsigned *b, unsigned n)
{
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        unsigned h = i * 0x9e3779b9u;
        h = (h ^ h >> 16) * 0x85ebca6bu;
        h ^= h >> 13;
        const float2 p = small_halves(a[i]), q = small_halves(b[i]);
        const float x = (h & 0xffff) > 6553 ? p.x * 1.1111111f : 0;
        const float y = (h >> 16) > 6553 ? p.y * 1.1111111f : 0;
        out[i] = __floats2half2_rn(x + q.x, y + q.y);
    }
}
static void run_dropout_residual(const struct times_io *io)
{
    dropout_residual<<<528, 512>>>((__half2 *)io->out, (const unsigned *)io->index,
                                   (const unsigned *)io->index + 2000000, 2000000);
}

/* A step of an LSTM: four gates, their sigmoids and tangents. */
__global__ void lstm_step(float *out, const float *gates, const float *cells, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    const float in = 1 / (1 + expf(-gates[i])), forget = 1 / (1 + expf(-gates[n + i]));
    const float fresh = tanhf(gates[2 * n + i]), open = 1 / (1 + expf(-gates[3 * n + i]));
    const float cell = forget * cells[i] + in * fresh;
    out[i] = cell;
    out[n + i] = open * tanhf(cell);
}
static void run_lstm_step(const struct times_io *io)
{
    lstm_step<<<blocks_for(1000000, 256), 256>>>(io->out, io->a, io->b, 1000000);
}

/* --- products -------------------------------------------------------------------------------- */

/* Scores of queries and keys of 64 numbers, 32 x 32 a block, two by two a thread. */
__global__ void attention_scores(float *out, const float *q, const float *k, int n)
{
    __shared__ float qs[32][65], ks[32][65];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    for (int i = t; i < 2048; i += 256) {
        qs[i / 64][i % 64] = q[(blockIdx.y * 32 + i / 64) * 64 + i % 64];
        ks[i / 64][i % 64] = k[(blockIdx.x * 32 + i / 64) * 64 + i % 64];
    }
    __syncthreads();
    float s[2][2] = {};
    for (int d = 0; d < 64; d++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                s[i][j] += qs[ty + 16 * i][d] * ks[tx + 16 * j][d];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            out[(blockIdx.y * 32 + ty + 16 * i) * n + blockIdx.x * 32 + tx + 16 * j] =
                s[i][j] * 0.125f;
}
static void run_attention_scores(const struct times_io *io)
{
    attention_scores<<<dim3(48, 48), 256>>>(io->out, io->a, io->b, 1536);
}

/* A matrix of signed bytes times a vector, four at a time by dp4a: a warp a row. */
__global__ void gemv_dp4a(int *out, const int4 *m, const int4 *v, int words)
{
    const int row = GLOBAL_ID / 32, lane = threadIdx.x % 32;
    int sum = 0;
    for (int i = lane; i < words; i += 32) {
        const int4 p = m[row * words + i], q = v[i];
        sum = __dp4a(p.x, q.x, __dp4a(p.y, q.y, __dp4a(p.z, q.z, __dp4a(p.w, q.w, sum))));
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0)
        out[row] = sum;
}
static void run_gemv_dp4a(const struct times_io *io)
{
    gemv_dp4a<<<1024, 128>>>((int *)io->out, (const int4 *)io->a, (const int4 *)io->b, 256);
}

/* Windows of 3 x 3 side by side, for a product of matrices afterwards: mostly written. */
__global__ void windows_to_rows(float *out, const float *a, int width, int height, int channels)
{
    const int i = GLOBAL_ID, x = i % width, y = i / width % height, c = i / (width * height);
    if (c >= channels)
        return;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++) {
            const int u = x + dx - 1, v = y + dy - 1;
            const bool inside = u >= 0 && u < width && v >= 0 && v < height;
            out[((c * 9 + dy * 3 + dx) * height + y) * width + x] =
                inside ? a[(c * height + v) * width + u] : 0;
        }
}
static void run_windows_to_rows(const struct times_io *io)
{
    windows_to_rows<<<blocks_for(56 * 56 * 128, 192), 192>>>(io->out, io->a, 56, 56, 128);
}

/* Winograd's transform of 4 x 4 tiles that overlap by two. */
__global__ void winograd_tiles(float *out, const float *a, int width, int tiles)
{
    const int i = GLOBAL_ID, x = i % tiles * 2, y = i / tiles % tiles * 2, c = i / (tiles * tiles);
    const int all = gridDim.x * blockDim.x;
    float d[4][4], r[4][4];
    for (int v = 0; v < 4; v++)
        for (int u = 0; u < 4; u++)
            d[v][u] = a[(c * width + y + v) * width + x + u];
    for (int u = 0; u < 4; u++) {
        r[0][u] = d[0][u] - d[2][u];
        r[1][u] = d[1][u] + d[2][u];
        r[2][u] = d[2][u] - d[1][u];
        r[3][u] = d[1][u] - d[3][u];
    }
    for (int v = 0; v < 4; v++) {
        out[(v * 4 + 0) * all + i] = r[v][0] - r[v][2];
        out[(v * 4 + 1) * all + i] = r[v][1] + r[v][2];
        out[(v * 4 + 2) * all + i] = r[v][2] - r[v][1];
        out[(v * 4 + 3) * all + i] = r[v][1] - r[v][3];
    }
}
static void run_winograd_tiles(const struct times_io *io)
{
    winograd_tiles<<<640, 256>>>(io->out, io->a, 66, 32);
}

/* Averages of 3 x 3 with a step of two, channels last, four a thread. */
__global__ void average_pool(float4 *out, const float4 *a, int width, int groups)
{
    const int g = threadIdx.x, x = blockIdx.x, y = blockIdx.y;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++) {
            const float4 v = a[((2 * y + dy) * width + 2 * x + dx) * groups + g];
            sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        }
    const float s = 1 / 9.0f;
    out[(y * gridDim.x + x) * groups + g] = make_float4(sum.x * s, sum.y * s, sum.z * s, sum.w * s);
}
static void run_average_pool(const struct times_io *io)
{
    average_pool<<<dim3(100, 100), 64>>>((float4 *)io->out, (const float4 *)io->a, 203, 64);
}

/* Gradients of an embedding: rows of 32 added to by words, of which few are frequent. */
__global__ void embedding_gradient(float *out, const int *words, const float *gradient, unsigned n)
{
    const unsigned i = GLOBAL_ID / 32, lane = threadIdx.x % 32;
    if (i >= n)
        return;
    const unsigned word = (unsigned)words[i];
    const unsigned row = (word & 3) == 0 ? word >> 2 & 63 : word >> 2 & 16383;
    atomicAdd(&out[row * 32 + lane], gradient[i * 32 + lane]);
}
static void run_embedding_gradient(const struct times_io *io)
{
    embedding_gradient<<<4096, 256>>>((float *)io->counts, io->index, io->a, 32768);
}

/* --- points ---------------------------------------------------------------------------------- */

/* Sums of the points of each of 32 clusters, in shared memory first, then for all blocks. */
__global__ void cluster_sums(unsigned *sums, const float2 *points, const int *of, unsigned n)
{
    __shared__ unsigned x[32], y[32], count[32];
    if (threadIdx.x < 32)
        x[threadIdx.x] = y[threadIdx.x] = count[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        const unsigned c = (unsigned)of[i] >> 5 & 31;
        const float2 p = points[i];
        atomicAdd(&x[c], (unsigned)(p.x * 256));
        atomicAdd(&y[c], (unsigned)(p.y * 256));
        atomicAdd(&count[c], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        atomicAdd(&sums[threadIdx.x], x[threadIdx.x]);
        atomicAdd(&sums[32 + threadIdx.x], y[threadIdx.x]);
        atomicAdd(&sums[64 + threadIdx.x], count[threadIdx.x]);
    }
}
static void run_cluster_sums(const struct times_io *io)
{
    cluster_sums<<<264, 256>>>(io->counts, (const float2 *)io->a, io->index, 1 << 20);
}

/* Forces between all pairs, the bodies of a warp going round by shuffles. */
__global__ void forces_by_shuffles(float *out, const float4 *bodies, int n)
{
    const int lane = threadIdx.x % 32;
    const float4 own = bodies[GLOBAL_ID];
    float fx = 0, fy = 0, fz = 0;
    for (int base = 0; base < n; base += 32) {
        const float4 other = bodies[base + lane];
        for (int k = 0; k < 32; k++) {
            const float dx = __shfl_sync(~0u, other.x, k) - own.x;
            const float dy = __shfl_sync(~0u, other.y, k) - own.y;
            const float dz = __shfl_sync(~0u, other.z, k) - own.z;
            const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            const float w = __shfl_sync(~0u, other.w, k) * r * r * r;
            fx += w * dx, fy += w * dy, fz += w * dz;
        }
    }
    out[GLOBAL_ID] = fx + fy + fz;
}
static void run_forces_by_shuffles(const struct times_io *io)
{
    forces_by_shuffles<<<128, 128>>>(io->out, (const float4 *)io->a, 2048);
}

const struct times_case inference_cases[] = {
    {"softmax_backward", run_softmax_backward, IN_OUT, 8000 * 256},
    {"layernorm_welford", run_layernorm_welford, IN_OUT, 2500000},
    {"highest_logit", run_highest_logit, IN_WORDS, 64},
    {"batch_norm", run_batch_norm, IN_OUT, 8 * 96 * 3136},
    {"dropout_residual", run_dropout_residual, IN_WORDS, 2000000},
    {"lstm_step", run_lstm_step, IN_OUT, 2000000},
    {"attention_scores", run_attention_scores, IN_OUT, 1536 * 1536},
    {"gemv_dp4a", run_gemv_dp4a, IN_WORDS, 4096},
    {"windows_to_rows", run_windows_to_rows, IN_OUT, 9 * 56 * 56 * 128},
    {"winograd_tiles", run_winograd_tiles, IN_OUT, 16 * 640 * 256},
    {"average_pool", run_average_pool, IN_OUT, 100 * 100 * 256},
    {"embedding_gradient", run_embedding_gradient, IN_COUNTS, 16384 * 32},
    {"cluster_sums", run_cluster_sums, IN_COUNTS, 96},
    {"forces_by_shuffles", run_forces_by_shuffles, IN_OUT, 16384},
    {NULL, NULL, IN_OUT, 0}};
