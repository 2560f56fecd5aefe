/* letters.cu - strings, tables, sorting, graphs and bits; written and recorded before the model saw
 * them. */
#include "times.h"

__device__ static unsigned letter(float v, unsigned of) { return (unsigned)(v * (float)of); }

/* --- strings --------------------------------------------------------------------------------- */

/* The longest common subsequence of two strings of 512 letters: a block a pair, diagonals. */
__global__ void common_letters(int *out, const float *a, const float *b)
{
    __shared__ unsigned char s[512], t[512];
    __shared__ short d[3][513];
    const int x = threadIdx.x;
    s[x] = (unsigned char)letter(a[blockIdx.x * 512 + x], 4);
    t[x] = (unsigned char)letter(b[blockIdx.x * 512 + x], 4);
    for (int k = 0; k < 3; k++)
        d[k][x] = d[k][x + 1] = 0;
    __syncthreads();
    for (int step = 0; step < 1023; step++) {
        const int y = step - x;
        short *now = d[step % 3], *before = d[(step + 2) % 3], *first = d[(step + 1) % 3];
        if (y >= 0 && y < 512)
            now[x + 1] = s[x] == t[y] ? (short)((y > 0 ? first[x] : 0) + 1)
                                      : max(y > 0 ? before[x + 1] : (short)0, before[x]);
        __syncthreads();
    }
    if (x == 511)
        out[blockIdx.x] = d[1022 % 3][512];
}
static void run_common_letters(const struct times_io *io)
{
    common_letters<<<264, 512>>>((int *)io->out, io->a, io->b);
}

/* Local alignment, a warp for 32 rows: scores go from lane to lane. */
__global__ void align_warp(int *out, const float *a, const float *b, int columns)
{
    const unsigned lane = threadIdx.x & 31, warp = GLOBAL_ID / 32;
    const unsigned mine = letter(a[GLOBAL_ID], 4);
    int left = 0, diagonal = 0, best = 0;
    for (int step = 0; step < columns + 31; step++) {
        const int column = step - (int)lane;
        int up = __shfl_up_sync(~0u, left, 1);
        if (lane == 0)
            up = 0;
        if (column >= 0 && column < columns) {
            const unsigned other = letter(b[warp % 512 * 64 + (unsigned)column], 4);
            const int score = max(max(0, diagonal + (mine == other ? 2 : -1)), max(up, left) - 1);
            diagonal = up;
            left = score;
            best = max(best, score);
        }
    }
    for (int d = 16; d; d /= 2)
        best = max(best, __shfl_xor_sync(~0u, best, d));
    if (lane == 0)
        out[warp] = best;
}
static void run_align_warp(const struct times_io *io)
{
    align_warp<<<1024, 128>>>((int *)io->out, io->a, io->b, 200);
}

/* Fowler, Noll and Vo's hash of strings of 48 bytes, byte by byte. */
__global__ void hash_strings(unsigned *out, const unsigned char *a)
{
    const unsigned char *s = a + (size_t)GLOBAL_ID * 48;
    unsigned h = 2166136261u;
    for (int i = 0; i < 48; i++)
        h = (h ^ s[i]) * 16777619u;
    out[GLOBAL_ID] = h >> 4;
}
static void run_hash_strings(const struct times_io *io)
{
    hash_strings<<<1024, 256>>>((unsigned *)io->out, (const unsigned char *)io->a);
}

__constant__ unsigned char wanted[6] = {1, 0, 2, 1, 0, 3};

/* Where a word of six letters begins; most threads stop at the first. */
__global__ void find_word(unsigned *out, const float *a)
{
    const unsigned i = GLOBAL_ID;
    unsigned k = 0;
    while (k < 6 && letter(a[i + k], 4) == wanted[k])
        k++;
    out[i] = k;
}
static void run_find_word(const struct times_io *io)
{
    find_word<<<8192, 256>>>((unsigned *)io->out, io->a);
}

/* Numbers of one to eight digits, as text of nine bytes each. */
__global__ void parse_numbers(unsigned *out, const unsigned char *text)
{
    const unsigned i = GLOBAL_ID;
    unsigned value = 0;
    for (unsigned k = 0; k < 8; k++) {
        const unsigned c = text[i * 9 + k] & 15u;
        if (c > 9)
            break;
        value = value * 10 + c;
    }
    out[i] = value;
}
static void run_parse_numbers(const struct times_io *io)
{
    parse_numbers<<<2048, 256>>>((unsigned *)io->out, (const unsigned char *)io->b);
}

/* Bytes that begin a character of UTF-8, 16 bytes a load, one sum a block. */
__global__ void count_characters(unsigned *out, const uint4 *text, unsigned n)
{
    __shared__ unsigned sums[8];
    unsigned sum = 0;
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        const uint4 v = text[i];
        const unsigned w[4] = {v.x, v.y, v.z, v.w};
        for (int k = 0; k < 4; k++)
            sum += 4 - __popc(w[k] >> 7 & ~(w[k] >> 6) & 0x01010101u);
    }
    sum = __reduce_add_sync(~0u, sum);
    if ((threadIdx.x & 31) == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++)
            sum += sums[k];
        out[blockIdx.x] = sum;
    }
}
static void run_count_characters(const struct times_io *io)
{
    count_characters<<<264, 256>>>((unsigned *)io->out, (const uint4 *)io->a, FLOATS / 8);
}

/* --- tables ---------------------------------------------------------------------------------- */

/* 256 counts for each warp of a block, added up at the end. */
__global__ void histogram_warps(unsigned *counts, const unsigned *a, unsigned n)
{
    __shared__ unsigned mine[8][256];
    const unsigned warp = threadIdx.x / 32;
    for (unsigned i = threadIdx.x; i < 2048; i += 256)
        mine[i / 256][i % 256] = 0;
    __syncthreads();
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        const unsigned v = a[i];
        atomicAdd(&mine[warp][v & 255], 1u);
        atomicAdd(&mine[warp][v >> 8 & 255], 1u);
    }
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k < 8; k++)
        sum += mine[k][threadIdx.x];
    atomicAdd(&counts[threadIdx.x], sum);
}
static void run_histogram_warps(const struct times_io *io)
{
    histogram_warps<<<264, 256>>>(io->counts, (const unsigned *)io->a, 1 << 21);
}

/* 20 counts in global memory. */
__global__ void histogram_20(unsigned *counts, const float *a)
{
    atomicAdd(&counts[letter(a[GLOBAL_ID], 20)], 1u);
}
static void run_histogram_20(const struct times_io *io)
{
    histogram_20<<<512, 256>>>(io->counts, io->a);
}

/* The eight largest numbers that each thread sees, in order, in registers. */
__global__ void eight_largest(float *out, const float *a, unsigned n)
{
    float top[8];
    for (int k = 0; k < 8; k++)
        top[k] = -1;
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        float v = a[i];
        if (v > top[7])
            for (int k = 0; k < 8; k++) {
                const float low = fminf(v, top[k]);
                top[k] = fmaxf(v, top[k]);
                v = low;
            }
    }
    for (unsigned k = 0; k < 8; k++)
        out[k * gridDim.x * blockDim.x + GLOBAL_ID] = top[k];
}
static void run_eight_largest(const struct times_io *io)
{
    eight_largest<<<132, 256>>>(io->out, io->a, 1 << 21);
}

/* Records of 40 bytes of which one in four goes on, in their order within the block. */
__global__ void keep_records(float *out, const float *a)
{
    __shared__ unsigned starts[8];
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    const float *record = a + (size_t)GLOBAL_ID * 10;
    const bool kept = record[3] < 0.25f;
    const unsigned votes = __ballot_sync(~0u, kept);
    if (lane == 0)
        starts[warp] = __popc(votes);
    __syncthreads();
    unsigned at = __popc(votes & ((1u << lane) - 1));
    for (unsigned k = 0; k < warp; k++)
        at += starts[k];
    out[GLOBAL_ID] = 0;
    __syncthreads();
    if (kept)
        out[blockIdx.x * 256 + at] = record[0] + record[9];
}
static void run_keep_records(const struct times_io *io)
{
    keep_records<<<1024, 256>>>(io->out, io->a);
}

/* --- sorting --------------------------------------------------------------------------------- */

/* 1024 numbers a block in order, by Batcher's bitonic exchanges in shared memory. */
__global__ void bitonic_block(float *out, const float *a)
{
    __shared__ float v[1024];
    const unsigned t = threadIdx.x;
    v[t] = a[blockIdx.x * 1024 + t];
    v[t + 512] = a[blockIdx.x * 1024 + t + 512];
    for (unsigned size = 2; size <= 1024; size *= 2)
        for (unsigned step = size / 2; step; step /= 2) {
            __syncthreads();
            const unsigned i = 2 * t - (t & (step - 1)), j = i + step;
            const float x = v[i], y = v[j];
            if ((x > y) == ((i & size) == 0)) {
                v[i] = y;
                v[j] = x;
            }
        }
    __syncthreads();
    out[blockIdx.x * 1024 + t] = v[t];
    out[blockIdx.x * 1024 + t + 512] = v[t + 512];
}
static void run_bitonic_block(const struct times_io *io)
{
    bitonic_block<<<528, 512>>>(io->out, io->a);
}

/* 48 numbers a thread in order, by quicksort with a stack, all in local memory. */
__global__ void quick_threads(float *out, const float *a, unsigned stride)
{
    float v[48];
    short stack[32];
    int depth = 0, low = 0, high = 47;
    for (int i = 0; i < 48; i++)
        v[i] = a[i * stride + GLOBAL_ID];
    for (;;) {
        if (low < high) {
            const float pivot = v[(low + high) / 2];
            int i = low, j = high;
            while (i <= j) {
                while (v[i] < pivot)
                    i++;
                while (v[j] > pivot)
                    j--;
                if (i <= j) {
                    const float w = v[i];
                    v[i++] = v[j];
                    v[j--] = w;
                }
            }
            stack[depth++] = (short)i;
            stack[depth++] = (short)high;
            high = j;
        } else {
            if (depth == 0)
                break;
            high = stack[--depth];
            low = stack[--depth];
        }
    }
    for (int i = 0; i < 48; i++)
        out[i * stride + GLOBAL_ID] = v[i];
}
static void run_quick_threads(const struct times_io *io)
{
    quick_threads<<<132, 128>>>(io->out, io->a, 132 * 128);
}

/* --- graphs ---------------------------------------------------------------------------------- */

/* All ways through one vertex, of 1024: a row and a column for a square of distances. */
__global__ void ways_through(float *out, const float *a, unsigned n, unsigned k)
{
    const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * n + x] = fminf(a[y * n + x], a[y * n + k] + a[k * n + x]);
}
static void run_ways_through(const struct times_io *io)
{
    ways_through<<<dim3(32, 128), dim3(32, 8)>>>(io->out, io->a, 1024, 77);
}

/* Vertices that look for a neighbour among those visited, and stop at the first. */
__global__ void look_upwards(int *out, const int *index, const float *a)
{
    const unsigned v = GLOBAL_ID;
    int parent = -1;
    for (unsigned k = 0; k < 16; k++) {
        const int u = index[(v * 16 + k) & (INDICES - 1)];
        if (a[u] < 0.2f) {
            parent = u;
            break;
        }
    }
    out[v] = parent;
}
static void run_look_upwards(const struct times_io *io)
{
    look_upwards<<<1024, 256>>>((int *)io->out, io->index, io->a);
}

/* Common neighbours of two vertices, by rows of bits. */
__global__ void common_bits(unsigned *out, const uint4 *rows, const int *index)
{
    const unsigned pair = GLOBAL_ID / 8, part = threadIdx.x & 7;
    const unsigned u = index[2 * pair] & 4095, v = index[2 * pair + 1] & 4095;
    unsigned sum = 0;
    for (unsigned k = 0; k < 4; k++) {
        const uint4 x = rows[u * 32 + k * 8 + part], y = rows[v * 32 + k * 8 + part];
        sum += __popc(x.x & y.x) + __popc(x.y & y.y) + __popc(x.z & y.z) + __popc(x.w & y.w);
    }
    for (int d = 4; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d, 8);
    if (part == 0)
        out[pair] = sum;
}
static void run_common_bits(const struct times_io *io)
{
    common_bits<<<2048, 256>>>((unsigned *)io->out, (const uint4 *)io->a, io->index);
}

/* --- bits ------------------------------------------------------------------------------------ */

/* Murmur's third hash of keys of 64 bytes. */
__global__ void murmur_keys(unsigned *out, const uint4 *keys)
{
    const unsigned i = GLOBAL_ID;
    unsigned h = 0x9747b28cu;
    for (int k = 0; k < 4; k++) {
        const uint4 v = keys[i * 4 + k];
        const unsigned w[4] = {v.x, v.y, v.z, v.w};
        for (int j = 0; j < 4; j++) {
            const unsigned x = w[j] * 0xcc9e2d51u;
            h ^= __funnelshift_l(x, x, 15) * 0x1b873593u;
            h = __funnelshift_l(h, h, 13) * 5 + 0xe6546b64u;
        }
    }
    h = (h ^ h >> 16) * 0x85ebca6bu;
    out[i] = (h ^ h >> 13) >> 3;
}
static void run_murmur_keys(const struct times_io *io)
{
    murmur_keys<<<2048, 128>>>((unsigned *)io->out, (const uint4 *)io->a);
}

/* Primes among 32,768 numbers a block: bits in shared memory that multiples clear. */
__global__ void sieve(unsigned *out)
{
    __shared__ unsigned composite[1024];
    const unsigned low = blockIdx.x * 32768u;
    for (unsigned i = threadIdx.x; i < 1024; i += 256)
        composite[i] = 0;
    __syncthreads();
    for (unsigned p = 3 + 2 * threadIdx.x; p < 1500; p += 512) {
        if (p % 3 == 0 && p > 3)
            continue;
        for (unsigned m = max((low + p - 1) / p, 2u) * p - low; m < 32768; m += p)
            atomicOr(&composite[m / 32], 1u << (m & 31));
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 1024; i += 256)
        out[blockIdx.x * 1024 + i] = (~composite[i] & 0xaaaaaaaau) >> 1;
}
static void run_sieve(const struct times_io *io) { sieve<<<66, 256>>>((unsigned *)io->out); }

/* Powers modulo numbers of 40 bits: quotients of 64 bits. */
__global__ void powers_64(unsigned *out, const float *a)
{
    const unsigned i = GLOBAL_ID;
    const unsigned long long m = (1ull << 31) + letter(a[i], 1 << 20) * 2 + 1;
    unsigned long long base = i + 2, r = 1;
    for (unsigned e = 0x2b7; e; e >>= 1) {
        if (e & 1)
            r = r * base % m;
        base = base * base % m;
    }
    out[i] = (unsigned)(r >> 2);
}
static void run_powers_64(const struct times_io *io)
{
    powers_64<<<264, 256>>>((unsigned *)io->out, io->a);
}

const struct times_case letter_cases[] = {
    {"common_letters", run_common_letters, IN_WORDS, 264},
    {"align_warp", run_align_warp, IN_WORDS, 4096},
    {"hash_strings", run_hash_strings, IN_WORDS, 1024 * 256},
    {"find_word", run_find_word, IN_WORDS, 8192 * 256},
    {"parse_numbers", run_parse_numbers, IN_WORDS, 2048 * 256},
    {"count_characters", run_count_characters, IN_WORDS, 264},
    {"histogram_warps", run_histogram_warps, IN_COUNTS, 256},
    {"histogram_20", run_histogram_20, IN_COUNTS, 20},
    {"eight_largest", run_eight_largest, IN_OUT, 8 * 132 * 256},
    {"keep_records", run_keep_records, IN_OUT, 1024 * 256},
    {"bitonic_block", run_bitonic_block, IN_OUT, 528 * 1024},
    {"quick_threads", run_quick_threads, IN_OUT, 48 * 132 * 128},
    {"ways_through", run_ways_through, IN_OUT, 1024 * 1024},
    {"look_upwards", run_look_upwards, IN_WORDS, 1024 * 256},
    {"common_bits", run_common_bits, IN_WORDS, 2048 * 32},
    {"murmur_keys", run_murmur_keys, IN_WORDS, 2048 * 128},
    {"sieve", run_sieve, IN_WORDS, 66 * 1024},
    {"powers_64", run_powers_64, IN_WORDS, 264 * 256},
    {NULL, NULL, IN_OUT, 0}};
