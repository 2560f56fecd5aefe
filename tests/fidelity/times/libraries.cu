/* libraries.cu - kernels as libraries have them: products, layers, sparse formats, graphs, tables,
 * texts and codes; written and recorded before the model saw them. */
#include "times.h"

#include <cuda_fp16.h>

/* --- products and layers --------------------------------------------------------------------- */

__device__ static float2 two_halves(unsigned word)
{
    word &= 0x3bff3bffu; /* two halves in [0, 1) */
    return __half22float2(*(const __half2 *)&word);
}

/* Weights of 16 bits times a vector of floats, a block a row. */
__global__ void gemv_half_rows(float *out, const uint4 *weights, const float4 *x, int columns)
{
    __shared__ float sums[4];
    const uint4 *row = weights + (size_t)blockIdx.x * (columns / 8);
    float sum = 0;
    for (int i = threadIdx.x; i < columns / 8; i += 128) {
        const uint4 w = row[i];
        const float4 p = x[2 * i], q = x[2 * i + 1];
        const float2 w0 = two_halves(w.x), w1 = two_halves(w.y);
        const float2 w2 = two_halves(w.z), w3 = two_halves(w.w);
        sum += w0.x * p.x + w0.y * p.y + w1.x * p.z + w1.y * p.w;
        sum += w2.x * q.x + w2.y * q.y + w3.x * q.z + w3.y * q.w;
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if ((threadIdx.x & 31) == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}
static void run_gemv_half_rows(const struct times_io *io)
{
    gemv_half_rows<<<4096, 128>>>(io->out, (const uint4 *)io->a, (const float4 *)io->b, 4096);
}

/* C = A B by tiles of 128 x 128 x 8; each thread has 8 x 8 sums. */
__global__ void __launch_bounds__(256)
    sgemm_128(float *c, const float *a, const float *b, int n, int k)
{
    __shared__ float as[8][128], bs[8][128];
    const int t = threadIdx.x, tx = t % 16 * 8, ty = t / 16 * 8;
    const float *from_a = a + (size_t)(blockIdx.y * 128 + t / 2) * k + t % 2 * 4;
    const float *from_b = b + (size_t)(t / 32) * n + blockIdx.x * 128 + t % 32 * 4;
    float sum[8][8] = {}, p[8], q[8];
    for (int k0 = 0; k0 < k; k0 += 8) {
        const float4 v = *(const float4 *)(from_a + k0);
        const float4 w = *(const float4 *)(from_b + (size_t)k0 * n);
        as[t % 2 * 4][t / 2] = v.x;
        as[t % 2 * 4 + 1][t / 2] = v.y;
        as[t % 2 * 4 + 2][t / 2] = v.z;
        as[t % 2 * 4 + 3][t / 2] = v.w;
        *(float4 *)&bs[t / 32][t % 32 * 4] = w;
        __syncthreads();
#pragma unroll
        for (int l = 0; l < 8; l++) {
            for (int i = 0; i < 8; i++) {
                p[i] = as[l][ty + i];
                q[i] = bs[l][tx + i];
            }
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++)
                    sum[i][j] += p[i] * q[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j += 4)
            *(float4 *)&c[(size_t)(blockIdx.y * 128 + ty + i) * n + blockIdx.x * 128 + tx + j] =
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}
static void run_sgemm_128(const struct times_io *io)
{
    sgemm_128<<<dim3(12, 11), 256>>>(io->out, io->a, io->b, 1536, 256);
}

/* A convolution of width 4 backwards in time and SiLU; a block for 1024 steps of a channel. */
__global__ void causal_convolution(float4 *out, const float4 *in, const float *weights)
{
    __shared__ float4 last[257];
    const int t = threadIdx.x;
    const float4 v = in[GLOBAL_ID];
    const float *w = weights + blockIdx.x * 4;
    const float w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
    last[t + 1] = v;
    if (t == 0)
        last[0] = make_float4(0, 0, 0, 0);
    __syncthreads();
    const float4 u = last[t];
    float4 r;
    r.x = w0 * u.y + w1 * u.z + w2 * u.w + w3 * v.x;
    r.y = w0 * u.z + w1 * u.w + w2 * v.x + w3 * v.y;
    r.z = w0 * u.w + w1 * v.x + w2 * v.y + w3 * v.z;
    r.w = w0 * v.x + w1 * v.y + w2 * v.z + w3 * v.w;
    r.x /= 1 + __expf(-r.x), r.y /= 1 + __expf(-r.y);
    r.z /= 1 + __expf(-r.z), r.w /= 1 + __expf(-r.w);
    out[GLOBAL_ID] = r;
}
static void run_causal_convolution(const struct times_io *io)
{
    causal_convolution<<<2500, 256>>>((float4 *)io->out, (const float4 *)io->a, io->b);
}

/* Rows of 2048 halves divided by their root mean square, times weights. */
__global__ void rms_norm_half(uint4 *out, const uint4 *in, const uint4 *weights)
{
    __shared__ float sums[8];
    const unsigned t = threadIdx.x;
    const uint4 v = in[GLOBAL_ID], w = weights[t];
    const float2 x[4] = {two_halves(v.x), two_halves(v.y), two_halves(v.z), two_halves(v.w)};
    const float2 y[4] = {two_halves(w.x), two_halves(w.y), two_halves(w.z), two_halves(w.w)};
    float square = 0;
    for (int k = 0; k < 4; k++)
        square += x[k].x * x[k].x + x[k].y * x[k].y;
    for (int d = 16; d; d /= 2)
        square += __shfl_xor_sync(~0u, square, d);
    if (t % 32 == 0)
        sums[t / 32] = square;
    __syncthreads();
    square = 0;
    for (int k = 0; k < 8; k++)
        square += sums[k];
    const float scale = rsqrtf(square * (1 / 2048.0f) + 1e-5f);
    __half2 r[4];
    for (int k = 0; k < 4; k++)
        r[k] = __floats2half2_rn(x[k].x * y[k].x * scale, x[k].y * y[k].y * scale);
    out[GLOBAL_ID] = *(const uint4 *)r;
}
static void run_rms_norm_half(const struct times_io *io)
{
    rms_norm_half<<<4096, 256>>>((uint4 *)io->out, (const uint4 *)io->a, (const uint4 *)io->b);
}

/* Attention with a running softmax: a thread a query of 32 numbers, keys and values by tiles. */
__global__ void flash_rows(float *out, const float *q, const float *k, const float *v, int length)
{
    __shared__ float keys[32][32], values[32][32];
    const int t = threadIdx.x, head = blockIdx.y * length * 32;
    const int row = head + (blockIdx.x * 64 + t) * 32;
    float mine[32], sum[32] = {}, top = -1e30f, total = 0;
    for (int i = 0; i < 32; i++)
        mine[i] = q[row + i] * 0.17677669f;
    for (int first = 0; first < length; first += 32) {
        __syncthreads();
        for (int i = t; i < 1024; i += 64) {
            keys[i / 32][i % 32] = k[head + first * 32 + i];
            values[i / 32][i % 32] = v[head + first * 32 + i];
        }
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            float s = 0;
            for (int i = 0; i < 32; i++)
                s += mine[i] * keys[j][i];
            const float now = fmaxf(top, s), old = __expf(top - now), p = __expf(s - now);
            total = total * old + p;
            for (int i = 0; i < 32; i++)
                sum[i] = sum[i] * old + p * values[j][i];
            top = now;
        }
    }
    for (int i = 0; i < 32; i++)
        out[row + i] = sum[i] / total;
}
static void run_flash_rows(const struct times_io *io)
{
    flash_rows<<<dim3(8, 32), 64>>>(io->out, io->a, io->b, io->a + (1 << 22), 512);
}

/* The eight largest of rows of 1024, a warp a row: found, noted and taken away one by one. */
__global__ void top_eight(float *out, const float *in)
{
    const unsigned lane = threadIdx.x & 31, row = GLOBAL_ID / 32;
    float v[32];
#pragma unroll
    for (unsigned k = 0; k < 32; k++)
        v[k] = in[row * 1024 + k * 32 + lane];
    for (unsigned n = 0; n < 8; n++) {
        float top = v[0];
#pragma unroll
        for (int k = 1; k < 32; k++)
            top = fmaxf(top, v[k]);
        for (int d = 16; d; d /= 2)
            top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
#pragma unroll
        for (int k = 0; k < 32; k++)
            if (v[k] == top)
                v[k] = -1;
        if (lane == n)
            out[row * 8 + n] = top;
    }
}
static void run_top_eight(const struct times_io *io) { top_eight<<<1024, 128>>>(io->out, io->a); }

/* Softmax of rows of 128, a block of one warp each. */
__global__ void softmax_warp_blocks(float4 *out, const float4 *in)
{
    float4 v = in[GLOBAL_ID];
    float top = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
    for (int d = 16; d; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    v.x = __expf(v.x - top), v.y = __expf(v.y - top);
    v.z = __expf(v.z - top), v.w = __expf(v.w - top);
    float sum = v.x + v.y + v.z + v.w;
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    const float scale = 1 / sum;
    out[GLOBAL_ID] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
}
static void run_softmax_warp_blocks(const struct times_io *io)
{
    softmax_warp_blocks<<<40000, 32>>>((float4 *)io->out, (const float4 *)io->a);
}

/* --- sparse matrices and graphs -------------------------------------------------------------- */

/* A matrix of blocks of 4 x 4, ten in a row of blocks; a thread for each row of numbers. */
__global__ void spmv_blocks_4x4(float *out, const float4 *blocks, const int *index, const float4 *x)
{
    const unsigned row = GLOBAL_ID, block_row = row / 4;
    float sum = 0;
    for (unsigned k = 0; k < 10; k++) {
        const unsigned at = block_row * 10 + k;
        const float4 m = blocks[at * 4 + row % 4], v = x[index[at] & 0xffff];
        sum += m.x * v.x + m.y * v.y + m.z * v.z + m.w * v.w;
    }
    out[row] = sum;
}
static void run_spmv_blocks_4x4(const struct times_io *io)
{
    spmv_blocks_4x4<<<384, 256>>>(io->out, (const float4 *)io->a, io->index, (const float4 *)io->b);
}

/* Rank pushed along eight edges a vertex, as whole numbers. */
__global__ void push_rank(unsigned *counts, const float *rank, const int *index)
{
    const unsigned v = GLOBAL_ID, share = (unsigned)(rank[v] * 128);
    for (unsigned k = 0; k < 8; k++)
        atomicAdd(&counts[index[v * 8 + k] & (COUNTS - 1)], share);
}
static void run_push_rank(const struct times_io *io)
{
    push_rank<<<1000, 256>>>(io->counts, io->a, io->index);
}

/* Jones's and Plassmann's round of a colouring: vertices above all their twelve neighbours. */
__global__ void colour_round(int *out, const int *index, const float *weight, unsigned n)
{
    const unsigned v = GLOBAL_ID;
    if (v >= n)
        return;
    const float mine = weight[v];
    int colour = 1;
    for (unsigned k = 0; k < 12; k++) {
        const unsigned u = (unsigned)index[v * 12 + k] % n;
        if (weight[u] > mine || (weight[u] == mine && u > v)) {
            colour = 0;
            break;
        }
    }
    out[v] = colour;
}
static void run_colour_round(const struct times_io *io)
{
    colour_round<<<blocks_for(300000, 192), 192>>>((int *)io->out, io->index, io->a, 300000);
}

/* Boxes of a tree of 16 K nodes that meet a box: the way back on a stack in local memory. */
__global__ void walk_boxes(int *out, const float4 *nodes, const float4 *boxes)
{
    const float4 q = boxes[GLOBAL_ID];
    int stack[24], depth = 0, met = 0;
    stack[depth++] = 1;
    while (depth > 0) {
        const int node = stack[--depth];
        const float4 b = nodes[node];
        const float size = node < 64 ? 2.0f : 0.8f; /* boxes near the root are large */
        if (fabsf(b.x - q.x) > size * b.z + 0.1f * q.z ||
            fabsf(b.y - q.y) > size * b.w + 0.1f * q.w)
            continue;
        if (node >= 8192) {
            met++;
        } else {
            stack[depth++] = 2 * node;
            stack[depth++] = 2 * node + 1;
        }
    }
    out[GLOBAL_ID] = met;
}
static void run_walk_boxes(const struct times_io *io)
{
    walk_boxes<<<256, 128>>>((int *)io->out, (const float4 *)io->a, (const float4 *)io->b);
}

/* --- tables ---------------------------------------------------------------------------------- */

/* Keys looked for in two places of a table of four million pairs. */
__global__ void cuckoo_lookup(unsigned *out, const uint2 *table, const int *keys)
{
    const unsigned key = (unsigned)keys[GLOBAL_ID];
    unsigned h = key * 2654435761u;
    uint2 entry = table[(h ^ h >> 15) >> 9];
    if ((entry.x & 7) != (key & 7)) {
        h = (key ^ key >> 11) * 2246822519u;
        entry = table[h >> 9];
    }
    out[GLOBAL_ID] = (entry.x & 7) == (key & 7) ? entry.y >> 2 : 0;
}
static void run_cuckoo_lookup(const struct times_io *io)
{
    cuckoo_lookup<<<2048, 256>>>((unsigned *)io->out, (const uint2 *)io->a, io->index);
}

/* --- texts and codes ------------------------------------------------------------------------- */

/* An automaton of 64 states over bytes: 128 of them a thread, times it was in states above 60. */
__global__ void automaton(unsigned *out, const uint4 *text, const unsigned char *next)
{
    unsigned state = 0, hits = 0;
    for (unsigned i = 0; i < 8; i++) {
        const uint4 v = text[GLOBAL_ID * 8 + i];
        const unsigned words[4] = {v.x, v.y, v.z, v.w};
        for (int k = 0; k < 16; k++) {
            const unsigned c = words[k / 4] >> (k % 4 * 8) & 255;
            state = next[state * 256 + c] & 63;
            hits += state > 60;
        }
    }
    out[GLOBAL_ID] = hits;
}
static void run_automaton(const struct times_io *io)
{
    automaton<<<264, 256>>>((unsigned *)io->out, (const uint4 *)io->a,
                            (const unsigned char *)io->b);
}

/* Codes of one to eight bits taken from a stream of each thread, 64 symbols of it. */
__global__ void decode_prefix(unsigned *out, const unsigned *in)
{
    __shared__ unsigned char symbol[256], length[256];
    const unsigned t = threadIdx.x, threads = gridDim.x * blockDim.x;
    length[t] = (unsigned char)min(8, __clz((int)((255 - t) << 24 | 0x800000)) + 1);
    symbol[t] = (unsigned char)(t * 167 + 13);
    __syncthreads();
    unsigned long long bits = (unsigned long long)in[GLOBAL_ID] << 32;
    unsigned have = 32, taken = 1;
    for (unsigned k = 0; k < 16; k++) {
        unsigned word = 0;
        for (int j = 0; j < 4; j++) {
            if (have < 8) {
                bits |= (unsigned long long)in[taken++ * threads + GLOBAL_ID] << (32 - have);
                have += 32;
            }
            const unsigned code = (unsigned)(bits >> 56);
            word = word << 8 | symbol[code];
            bits <<= length[code];
            have -= length[code];
        }
        out[k * threads + GLOBAL_ID] = word >> 1;
    }
}
static void run_decode_prefix(const struct times_io *io)
{
    decode_prefix<<<200, 256>>>((unsigned *)io->out, (const unsigned *)io->b);
}

/* 128 numbers a warp less their smallest, packed into as few bits as the largest needs. */
__global__ void pack_frames(unsigned *out, const int *in)
{
    __shared__ unsigned words[8][132];
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32, frame = GLOBAL_ID / 32;
    unsigned v[4];
    for (unsigned k = 0; k < 4; k++) {
        v[k] = (unsigned)in[frame * 128 + k * 32 + lane] >> (frame % 16);
        words[warp][k * 32 + lane] = 0;
    }
    const unsigned low = __reduce_min_sync(~0u, min(min(v[0], v[1]), min(v[2], v[3])));
    const unsigned high = __reduce_max_sync(~0u, max(max(v[0], v[1]), max(v[2], v[3])));
    const unsigned width = 32 - (unsigned)__clz((int)(high - low));
    __syncwarp();
    for (unsigned k = 0; k < 4; k++) {
        const unsigned at = (k * 32 + lane) * width, shift = at & 31;
        const unsigned long long bits = (unsigned long long)(v[k] - low) << shift;
        atomicOr(&words[warp][at / 32], (unsigned)bits);
        if (shift + width > 32)
            atomicOr(&words[warp][at / 32 + 1], (unsigned)(bits >> 32));
    }
    __syncwarp();
    for (unsigned i = lane; i < 128; i += 32)
        out[frame * 128 + i] = i < width * 4 ? words[warp][i] >> 1 : 0;
}
static void run_pack_frames(const struct times_io *io)
{
    pack_frames<<<2048, 256>>>((unsigned *)io->out, io->index);
}

/* Myers' distance of 32 letters to a text of 128, in bits; four letters are known. */
__global__ void myers_distance(int *out, const unsigned *words, const unsigned *text)
{
    const unsigned p = words[2 * GLOBAL_ID], q = words[2 * GLOBAL_ID + 1] >> 3;
    const unsigned equal[4] = {~p & ~q, p & ~q, ~p & q, p & q};
    unsigned up = ~0u, down = 0;
    int score = 32, best = 32;
    for (unsigned i = 0; i < 8; i++) {
        unsigned letters = text[i * gridDim.x * blockDim.x + GLOBAL_ID];
        for (int k = 0; k < 16; k++, letters >>= 2) {
            const unsigned e = letters & 2 ? equal[2 + (letters & 1)] : equal[letters & 1];
            const unsigned xv = e | down, xh = (((e & up) + up) ^ up) | e;
            const unsigned plus = down | ~(xh | up), minus = up & xh;
            score += (int)(plus >> 31) - (int)(minus >> 31);
            up = minus << 1 | ~(xv | plus << 1);
            down = plus << 1 & xv;
            best = min(best, score);
        }
    }
    out[GLOBAL_ID] = best;
}
static void run_myers_distance(const struct times_io *io)
{
    myers_distance<<<528, 256>>>((int *)io->out, (const unsigned *)io->a, (const unsigned *)io->b);
}

__constant__ unsigned char turns[24] = {1,  3,  6,  10, 15, 21, 28, 36, 45, 55, 2,  14,
                                        27, 41, 56, 8,  25, 43, 62, 18, 39, 61, 20, 44};
__constant__ unsigned char lanes[24] = {10, 7,  11, 17, 18, 3, 5,  16, 8,  21, 24, 4,
                                        15, 23, 19, 13, 12, 2, 20, 14, 22, 9,  6,  1};

/* Keccak's permutation, 25 words of 64 bits in local memory, as the compact program has it. */
__global__ void keccak(uint2 *out, const uint2 *in)
{
    unsigned long long s[25], c[5];
    unsigned constant = 1;
    for (int i = 0; i < 25; i++) {
        const uint2 v = in[GLOBAL_ID + (i % 17) * gridDim.x * blockDim.x];
        s[i] = i < 17 ? (unsigned long long)v.y << 32 | v.x : 0;
    }
    for (int round = 0; round < 24; round++) {
        for (int i = 0; i < 5; i++)
            c[i] = s[i] ^ s[i + 5] ^ s[i + 10] ^ s[i + 15] ^ s[i + 20];
        for (int i = 0; i < 25; i++) {
            const unsigned long long next = c[(i + 1) % 5];
            s[i] ^= c[(i + 4) % 5] ^ (next << 1 | next >> 63);
        }
        unsigned long long t = s[1];
        for (int i = 0; i < 24; i++) {
            const unsigned long long kept = s[lanes[i]];
            s[lanes[i]] = t << turns[i] | t >> (64 - turns[i]);
            t = kept;
        }
        for (int j = 0; j < 25; j += 5) {
            for (int i = 0; i < 5; i++)
                c[i] = s[j + i];
            for (int i = 0; i < 5; i++)
                s[j + i] = c[i] ^ (~c[(i + 1) % 5] & c[(i + 2) % 5]);
        }
        constant = constant * 2 ^ (constant >> 7) * 0x171u;
        s[0] ^= constant;
    }
    out[GLOBAL_ID] = make_uint2((unsigned)s[0] >> 1, (unsigned)(s[0] >> 33));
}
static void run_keccak(const struct times_io *io)
{
    keccak<<<264, 128>>>((uint2 *)io->out, (const uint2 *)io->a);
}

const struct times_case library_cases[] = {
    {"gemv_half_rows", run_gemv_half_rows, IN_OUT, 4096},
    {"sgemm_128", run_sgemm_128, IN_OUT, 1408 * 1536},
    {"causal_convolution", run_causal_convolution, IN_OUT, 2500 * 1024},
    {"rms_norm_half", run_rms_norm_half, IN_WORDS, 4096 * 1024},
    {"flash_rows", run_flash_rows, IN_OUT, 32 * 512 * 32},
    {"top_eight", run_top_eight, IN_OUT, 4096 * 8},
    {"softmax_warp_blocks", run_softmax_warp_blocks, IN_OUT, 40000 * 128},
    {"spmv_blocks_4x4", run_spmv_blocks_4x4, IN_OUT, 384 * 256},
    {"push_rank", run_push_rank, IN_COUNTS, COUNTS},
    {"colour_round", run_colour_round, IN_WORDS, 300000},
    {"walk_boxes", run_walk_boxes, IN_WORDS, 256 * 128},
    {"cuckoo_lookup", run_cuckoo_lookup, IN_WORDS, 2048 * 256},
    {"automaton", run_automaton, IN_WORDS, 264 * 256},
    {"decode_prefix", run_decode_prefix, IN_WORDS, 16 * 200 * 256},
    {"pack_frames", run_pack_frames, IN_WORDS, 2048 * 8 * 128},
    {"myers_distance", run_myers_distance, IN_WORDS, 528 * 256},
    {"keccak", run_keccak, IN_WORDS, 264 * 256},
    {NULL, NULL, IN_OUT, 0}};
