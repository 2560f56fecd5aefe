/* records.cu - sorts, scans, tables, strings, graphs and codes; written and recorded before the
 * model saw them. */
#include "times.h"

/* --- sorts and scans ------------------------------------------------------------------------- */

/* One pass of a radix sort: places of 4-bit digits within the block, then to where they belong. */
__global__ void radix_pass(unsigned *out, const int *keys, unsigned shift)
{
    __shared__ unsigned count[8][16], start[16], sorted[256];
    const unsigned t = threadIdx.x, warp = t / 32, lane = t % 32;
    const unsigned key = (unsigned)keys[blockIdx.x * 256 + t], digit = key >> shift & 15;
    if (t < 128)
        count[t / 16][t % 16] = 0;
    __syncthreads();
    const unsigned same = __match_any_sync(~0u, digit);
    const unsigned before = __popc(same & ((1u << lane) - 1));
    if (before == 0)
        count[warp][digit] = __popc(same);
    __syncthreads();
    if (t < 16) {
        unsigned sum = 0;
        for (int w = 0; w < 8; w++) {
            const unsigned n = count[w][t];
            count[w][t] = sum;
            sum += n;
        }
        unsigned all = sum;
        for (unsigned step = 1; step < 16; step *= 2) {
            const unsigned other = __shfl_up_sync(0xffff, all, step);
            all += t >= step ? other : 0;
        }
        start[t] = all - sum;
    }
    __syncthreads();
    sorted[start[digit] + count[warp][digit] + before] = key;
    __syncthreads();
    const unsigned k = sorted[t], d = k >> shift & 15;
    out[(d * gridDim.x + blockIdx.x) * 64 + min(t - start[d], 63u)] = k;
}
static void run_radix_pass(const struct times_io *io)
{
    radix_pass<<<2048, 256>>>((unsigned *)io->out, io->index, 8);
}

/* Running sums that begin anew where a flag stands, of a warp's values by shuffles. */
__global__ void scan_segments(float *out, const float *a, const float *flags, unsigned n)
{
    const unsigned i = GLOBAL_ID, lane = threadIdx.x % 32;
    if (i >= n)
        return;
    float v = a[i];
    const unsigned heads = __ballot_sync(~0u, flags[i] < 0.1f) | 1;
    const unsigned head = 31 - __clz(heads & (~0u >> (31 - lane)));
    for (unsigned step = 1; step < 32; step *= 2) {
        const float other = __shfl_up_sync(~0u, v, step);
        if (lane >= head + step)
            v += other;
    }
    out[i] = v;
}
static void run_scan_segments(const struct times_io *io)
{
    scan_segments<<<4096, 256>>>(io->out, io->a, io->b, 1 << 20);
}

/* Prefix sums of 4096 a block: four a thread, shuffles, then the warps' sums. */
__global__ void scan_block(float *out, const float *a)
{
    __shared__ float sums[32];
    const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    float4 v = ((const float4 *)a)[blockIdx.x * 1024 + t];
    v.y += v.x, v.z += v.y, v.w += v.z;
    float sum = v.w;
    for (unsigned step = 1; step < 32; step *= 2) {
        const float other = __shfl_up_sync(~0u, sum, step);
        sum += lane >= step ? other : 0;
    }
    if (lane == 31)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        float s = sums[lane];
        for (unsigned step = 1; step < 32; step *= 2) {
            const float other = __shfl_up_sync(~0u, s, step);
            s += lane >= step ? other : 0;
        }
        sums[lane] = s;
    }
    __syncthreads();
    const float before = sum - v.w + (warp > 0 ? sums[warp - 1] : 0);
    ((float4 *)out)[blockIdx.x * 1024 + t] =
        make_float4(v.x + before, v.y + before, v.z + before, v.w + before);
}
static void run_scan_block(const struct times_io *io)
{
    scan_block<<<1600, 1024>>>(io->out, io->a);
}

/* Bitonic sort of 2^13 keys by one block, in shared memory. */
__global__ void sort_one_block(float *out, const float *a)
{
    __shared__ float key[8192];
    for (unsigned i = threadIdx.x; i < 8192; i += 1024)
        key[i] = a[i];
    __syncthreads();
    for (unsigned size = 2; size <= 8192; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2) {
            for (unsigned i = threadIdx.x; i < 4096; i += 1024) {
                const unsigned low = 2 * i - (i & (step - 1)), high = low + step;
                const float p = key[low], q = key[high];
                if ((p > q) == ((low & size) == 0))
                    key[low] = q, key[high] = p;
            }
            __syncthreads();
        }
    for (unsigned i = threadIdx.x; i < 8192; i += 1024)
        out[i] = key[i];
}
static void run_sort_one_block(const struct times_io *io)
{
    sort_one_block<<<1, 1024>>>(io->out, io->a);
}

/* The k-th smallest of 4096 words: eight bits at a time, counted in shared memory. */
__global__ void select_by_digits(unsigned *out, const float *a)
{
    __shared__ unsigned count[256], chosen, rank;
    const unsigned t = threadIdx.x;
    unsigned key[16], prefix = 0, mask = 0;
    for (int i = 0; i < 16; i++)
        key[i] = __float_as_uint(a[blockIdx.x * 4096 + i * 256 + t]);
    if (t == 0)
        rank = 1000;
    for (int shift = 24; shift >= 0; shift -= 8) {
        count[t] = 0;
        __syncthreads();
        for (int i = 0; i < 16; i++)
            if ((key[i] & mask) == prefix)
                atomicAdd(&count[key[i] >> shift & 255], 1u);
        __syncthreads();
        if (t == 0) {
            unsigned digit = 0;
            while (rank >= count[digit])
                rank -= count[digit++];
            chosen = digit;
        }
        __syncthreads();
        prefix |= chosen << shift;
        mask |= 255u << shift;
    }
    if (t == 0)
        out[blockIdx.x] = prefix >> 1;
}
static void run_select_by_digits(const struct times_io *io)
{
    select_by_digits<<<528, 256>>>((unsigned *)io->out, io->a);
}

/* --- tables ---------------------------------------------------------------------------------- */

/* A table with lists: each key goes to the front of its list. */
__global__ void chain_insert(unsigned *heads, int *next, const int *keys, unsigned n, unsigned mask)
{
    const unsigned i = GLOBAL_ID;
    if (i < n)
        next[i] = (int)atomicExch(&heads[(unsigned)keys[i] * 2654435761u >> 8 & mask], i + 1);
}
static void run_chain_insert(const struct times_io *io)
{
    chain_insert<<<2048, 256>>>(io->counts, (int *)io->out, io->index, 1 << 19, (1 << 18) - 1);
}

/* A join: 512 keys in a table in shared memory, then a stream that looks itself up there. */
__global__ void hash_join(unsigned *out, const int *build, const int *probe, unsigned each)
{
    __shared__ unsigned table[1024];
    const unsigned t = threadIdx.x;
    for (unsigned i = t; i < 1024; i += 256)
        table[i] = ~0u;
    __syncthreads();
    for (unsigned i = t; i < 512; i += 256) {
        const unsigned key = (unsigned)build[i] & 4095;
        unsigned at = key * 2654435761u >> 22, old;
        while ((old = atomicCAS(&table[at], ~0u, key)) != ~0u && old != key)
            at = (at + 1) & 1023;
    }
    __syncthreads();
    unsigned found = 0;
    for (unsigned i = t; i < each; i += 256) {
        const unsigned key = (unsigned)probe[blockIdx.x * each + i] & 4095;
        unsigned at = key * 2654435761u >> 22, have;
        while ((have = table[at]) != ~0u && have != key)
            at = (at + 1) & 1023;
        found += have == key ? key + 1 : 0;
    }
    out[blockIdx.x * 256 + t] = found;
}
static void run_hash_join(const struct times_io *io)
{
    hash_join<<<264, 256>>>((unsigned *)io->out, io->index, io->index + 5000, 8192);
}

/* Sums by key: nine in ten of them for one of sixteen, the rest all over. */
__global__ void hot_and_cold(unsigned *counts, const int *keys, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    const unsigned key = (unsigned)keys[i];
    atomicAdd(&counts[key % 10 != 0 ? (key >> 4 & 15) * 64 : key >> 4 & (COUNTS - 1)], key & 3);
}
static void run_hot_and_cold(const struct times_io *io)
{
    hot_and_cold<<<1024, 256>>>(io->counts, io->index, 1 << 18);
}

/* Buckets of 64: each key takes the next place of its own. */
__global__ void to_buckets(unsigned *counts, int *out, const int *keys, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    const int key = keys[i];
    const unsigned bucket = (unsigned)key & 16383;
    out[bucket * 64 + (atomicAdd(&counts[bucket], 1u) & 63)] = key;
}
static void run_to_buckets(const struct times_io *io)
{
    to_buckets<<<2048, 256>>>(io->counts, (int *)io->out, io->index, 1 << 19);
}

/* --- strings and codes ----------------------------------------------------------------------- */

__constant__ int fallback[8] = {0, 0, 1, 2, 0, 1, 2, 3};
__constant__ unsigned char wanted[8] = {0, 1, 0, 1, 2, 0, 1, 0};

/* Knuth, Morris and Pratt: each thread 128 letters of four, from words in shared memory. */
__global__ void match_letters(unsigned *out, const unsigned *a)
{
    __shared__ unsigned text[128 * 9];
    const unsigned t = threadIdx.x;
    for (unsigned i = t; i < 1024; i += 128)
        text[i / 8 * 9 + i % 8] = a[blockIdx.x * 1024 + i] >> 3;
    __syncthreads();
    int state = 0;
    unsigned hits = 0;
    for (int w = 0; w < 8; w++) {
        unsigned letters = text[t * 9 + w];
        for (int i = 0; i < 10; i++, letters >>= 2) {
            while (state > 0 && wanted[state] != (letters & 3))
                state = fallback[state - 1];
            state += wanted[state] == (letters & 3);
            if (state == 8) {
                hits++;
                state = fallback[7];
            }
        }
    }
    out[blockIdx.x * 128 + t] = hits * 256 + (unsigned)state;
}
static void run_match_letters(const struct times_io *io)
{
    match_letters<<<800, 128>>>((unsigned *)io->out, (const unsigned *)io->a);
}

/* Smith and Waterman: a warp aligns 32 letters with 512, each lane a row, by shuffles. */
__global__ void align_letters(int *out, const int *a)
{
    const unsigned warp = GLOBAL_ID / 32, lane = threadIdx.x % 32;
    const int own = a[warp * 32 + lane] & 3;
    int left = 0, corner = 0, best = 0, letter = 0;
    for (int step = 0; step < 543; step++) {
        int from_above = __shfl_up_sync(~0u, left, 1);
        letter = __shfl_up_sync(~0u, letter, 1);
        if (lane == 0) {
            from_above = 0;
            letter = a[(warp & 63) * 512 + (step & 511)] & 3;
        }
        const int before = corner;
        corner = from_above;
        const int score =
            max(max(before + (own == letter ? 2 : -1), 0), max(from_above - 1, left - 1));
        left = step >= (int)lane && step < 512 + (int)lane ? score : 0;
        best = max(best, left);
    }
    for (int step = 16; step > 0; step /= 2)
        best = max(best, __shfl_xor_sync(~0u, best, step));
    if (lane == 0)
        out[warp] = best;
}
static void run_align_letters(const struct times_io *io)
{
    align_letters<<<528, 128>>>((int *)io->out, io->index);
}

__constant__ char letters_64[65] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Three bytes to four letters, by a table in constant memory that lanes read apart. */
__global__ void base_64(unsigned *out, const unsigned char *bytes, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    const unsigned v = bytes[3 * i] << 16 | bytes[3 * i + 1] << 8 | bytes[3 * i + 2];
    out[i] = (unsigned)letters_64[v >> 18] | (unsigned)letters_64[v >> 12 & 63] << 8 |
             (unsigned)letters_64[v >> 6 & 63] << 16 | (unsigned)letters_64[v & 63] << 24;
}
static void run_base_64(const struct times_io *io)
{
    base_64<<<2048, 128>>>((unsigned *)io->out, (const unsigned char *)io->index, 1 << 18);
}

/* Fields of eleven bits out of a stream of words. */
__global__ void unpack_11(int *out, const unsigned *words, unsigned n)
{
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        const unsigned bit = i * 11;
        out[i] = (int)(__funnelshift_r(words[bit / 32], words[bit / 32 + 1], bit % 32) & 2047);
    }
}
static void run_unpack_11(const struct times_io *io)
{
    unpack_11<<<1056, 256>>>((int *)io->out, (const unsigned *)io->index, 1 << 22);
}

/* Ten rounds of table look-ups as of a cipher: four tables of 1 KB in shared memory. */
__global__ void cipher_rounds(uint4 *out, const uint4 *a, const unsigned *tables)
{
    __shared__ unsigned table[4][256];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        table[i / 256][i % 256] = tables[i];
    __syncthreads();
    uint4 s = a[GLOBAL_ID];
    for (int round = 0; round < 10; round++) {
        uint4 n;
        n.x = table[0][s.x & 255] ^ table[1][s.y >> 8 & 255] ^ table[2][s.z >> 16 & 255] ^
              table[3][s.w >> 24];
        n.y = table[0][s.y & 255] ^ table[1][s.z >> 8 & 255] ^ table[2][s.w >> 16 & 255] ^
              table[3][s.x >> 24];
        n.z = table[0][s.z & 255] ^ table[1][s.w >> 8 & 255] ^ table[2][s.x >> 16 & 255] ^
              table[3][s.y >> 24];
        n.w = table[0][s.w & 255] ^ table[1][s.x >> 8 & 255] ^ table[2][s.y >> 16 & 255] ^
              table[3][s.z >> 24];
        s = make_uint4(n.x + round, n.y * 5, n.z * 9, n.w * 3);
    }
    out[GLOBAL_ID] = s;
}
static void run_cipher_rounds(const struct times_io *io)
{
    cipher_rounds<<<660, 256>>>((uint4 *)io->out, (const uint4 *)io->a, (const unsigned *)io->b);
}

/* --- graphs ---------------------------------------------------------------------------------- */

/* A frontier of vertices, eight neighbours each; those that were not met go to a queue, for which
 * each block takes room once. */
__global__ void expand_frontier(unsigned *seen, unsigned *counter, int *queue, const int *frontier,
                                const int *edges)
{
    __shared__ int found[1024];
    __shared__ unsigned count, base;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    const unsigned vertex = (unsigned)frontier[GLOBAL_ID] & 0x3ffff;
    for (unsigned e = 0; e < 8; e++) {
        const unsigned to = (unsigned)edges[vertex * 8 + e] & 0x7ffff;
        if ((to * 2654435761u >> 28) < 7) {
            seen[to] = 1;
            found[atomicAdd(&count, 1u)] = (int)to;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        base = atomicAdd(counter, count);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += 128)
        queue[(base + i) & 0x7fffff] = found[i];
}
static void run_expand_frontier(const struct times_io *io)
{
    expand_frontier<<<1000, 128>>>(io->counts, io->counts + COUNTS - 1, (int *)io->out, io->index,
                                   io->index + 1000);
}

/* Products of rows and columns where a sparse matrix has something: a warp for each. */
__global__ void sampled_products(float *out, const int *index, const float *a, const float *b)
{
    const unsigned i = GLOBAL_ID / 32, lane = threadIdx.x % 32;
    const unsigned row = i / 16, column = (unsigned)index[i] & 16383;
    float2 p = ((const float2 *)a)[row * 32 + lane], q = ((const float2 *)b)[column * 32 + lane];
    float sum = p.x * q.x + p.y * q.y;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0)
        out[i] = sum;
}
static void run_sampled_products(const struct times_io *io)
{
    sampled_products<<<16384, 256>>>(io->out, io->index, io->a, io->b);
}

const struct times_case record_cases[] = {
    {"radix_pass", run_radix_pass, IN_WORDS, 2048 * 1024},
    {"scan_segments", run_scan_segments, IN_OUT, 1 << 20},
    {"scan_block", run_scan_block, IN_OUT, 1600 * 4096},
    {"sort_one_block", run_sort_one_block, IN_OUT, 8192},
    {"select_by_digits", run_select_by_digits, IN_WORDS, 528},
    {"chain_insert", run_chain_insert, IN_OCCUPIED, 1 << 18},
    {"hash_join", run_hash_join, IN_WORDS, 264 * 256},
    {"hot_and_cold", run_hot_and_cold, IN_COUNTS, COUNTS},
    {"to_buckets", run_to_buckets, IN_COUNTS, 16384},
    {"match_letters", run_match_letters, IN_WORDS, 800 * 128},
    {"align_letters", run_align_letters, IN_WORDS, 2112},
    {"base_64", run_base_64, IN_WORDS, 1 << 18},
    {"unpack_11", run_unpack_11, IN_WORDS, 1 << 22},
    {"cipher_rounds", run_cipher_rounds, IN_WORDS, 660 * 1024},
    {"expand_frontier", run_expand_frontier, IN_COUNTS, COUNTS},
    {"sampled_products", run_sampled_products, IN_OUT, 131072},
    {NULL, NULL, IN_OUT, 0}};
