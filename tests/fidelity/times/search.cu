/* search.cu - words and graphs: sorting steps, hashing, strings, trees, many integers. */
#include "times.h"

/* One comparison of a bitonic sort, across the whole array. */
__global__ void bitonic_step(float *out, const float *a, unsigned distance, unsigned size)
{
    unsigned i = GLOBAL_ID, other = i ^ distance;
    float mine = a[i], theirs = a[other];
    bool up = (i & size) == 0, lower = other > i;
    out[i] = (mine < theirs) == (up == lower) ? mine : theirs;
}
static void run_bitonic_step(const struct times_io *io)
{
    bitonic_step<<<(1 << 22) / 512, 512>>>(io->out, io->a, 4096, 1 << 16);
}

/* Two sorted rows to one: a search for where a thread's 8 begin, then 8 steps. */
__global__ void merge_rows(float *out, const float *a, const float *b, unsigned n)
{
    unsigned first = GLOBAL_ID * 8, low = first > n ? first - n : 0, high = first < n ? first : n;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (a[middle] < b[first - 1 - middle] * 0.9f)
            low = middle + 1;
        else
            high = middle;
    }
    unsigned i = low, j = first - low;
    for (unsigned k = 0; k < 8; k++) {
        bool left = j >= n || (i < n && a[i] < b[j] * 0.9f);
        out[first + k] = left ? a[i++] : b[j++] * 0.9f;
    }
}
static void run_merge_rows(const struct times_io *io)
{
    merge_rows<<<(1 << 20) / 8 / 128, 128>>>(io->out, io->sorted, io->sorted + (1 << 19), 1 << 19);
}

/* Four bits of a key: places within the block by ballots and a scan, written in order. */
__global__ void radix_split(float *out, const int *keys)
{
    __shared__ unsigned counts[8][16], starts[16];
    __shared__ unsigned sorted[256];
    const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned key = (unsigned)keys[GLOBAL_ID], digit = key >> 3 & 15;
    unsigned same = ~0u;
    for (unsigned bit = 0; bit < 4; bit++) {
        unsigned votes = __ballot_sync(~0u, digit >> bit & 1);
        same &= digit >> bit & 1 ? votes : ~votes;
    }
    unsigned rank = (unsigned)__popc(same & ((1u << lane) - 1));
    if (t < 128)
        counts[t / 16][t % 16] = 0;
    __syncthreads();
    if (rank == 0)
        counts[warp][digit] = (unsigned)__popc(same);
    __syncthreads();
    if (t < 16) {
        unsigned sum = 0;
        for (unsigned w = 0; w < 8; w++) {
            unsigned n = counts[w][t];
            counts[w][t] = sum;
            sum += n;
        }
        unsigned start = 0;
        for (unsigned d = 0; d < 15; d++) {
            unsigned n = __shfl_sync(0xffff, sum, (int)d);
            start += d < t ? n : 0;
        }
        starts[t] = start;
    }
    __syncthreads();
    sorted[starts[digit] + counts[warp][digit] + rank] = key;
    __syncthreads();
    out[GLOBAL_ID] = (float)sorted[t];
}
static void run_radix_split(const struct times_io *io)
{
    radix_split<<<(1 << 21) / 256, 256>>>(io->out, io->index);
}

/* Where does a pattern of 6 begin? Most places fail at the first letter. */
__global__ void find_pattern(unsigned *found, const unsigned char *text, unsigned n)
{
    unsigned hits = 0;
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        unsigned k = 0;
        while (k < 6 && (text[i + k] & 7) == ((k * 5 + 3) & 7))
            k++;
        hits += k >= 3;
    }
    found[GLOBAL_ID] = hits;
}
static void run_find_pattern(const struct times_io *io)
{
    find_pattern<<<1056, 256>>>(io->counts, (const unsigned char *)io->index, 1 << 23);
}

/* The distance of two words of 96 letters, one antidiagonal after the other. */
__global__ void edit_distance(float *out, const unsigned char *text)
{
    __shared__ unsigned char left[96], top[96];
    __shared__ int diagonal[3][97];
    const unsigned t = threadIdx.x;
    left[t] = text[blockIdx.x * 192 + t] & 3, top[t] = text[blockIdx.x * 192 + 96 + t] & 3;
    for (unsigned k = 0; k < 3; k++)
        diagonal[k][t] = 0;
    __syncthreads();
    for (unsigned d = 0, now = 0; d < 191; d++, now = now == 2 ? 0 : now + 1) {
        unsigned last = now == 0 ? 2 : now - 1, before = last == 0 ? 2 : last - 1;
        unsigned j = d - t;
        if (t <= d && j < 96) {
            int up = t == 0 ? (int)j + 1 : diagonal[last][t - 1];
            int side = j == 0 ? (int)t + 1 : diagonal[last][t];
            int across = t == 0 ? (int)j : j == 0 ? (int)t : diagonal[before][t - 1];
            int best = min(min(up, side) + 1, across + (left[t] != top[j]));
            diagonal[now][t] = best;
            if (d == 190)
                out[blockIdx.x] = (float)best;
        }
        __syncthreads();
    }
}
static void run_edit_distance(const struct times_io *io)
{
    edit_distance<<<4096, 96>>>(io->out, (const unsigned char *)io->index);
}

/* One level of a search in breadth: 6 neighbours each of those at the front are marked. */
__global__ void bfs_level(unsigned *seen, const float *level, const int *index)
{
    unsigned v = GLOBAL_ID;
    if (level[v] > 0.25f)
        return;
    for (unsigned k = 0; k < 6; k++) {
        unsigned next = (unsigned)index[(v * 6 + k) & (INDICES - 1)] & (COUNTS - 1);
        if (level[next] > 0.25f)
            seen[next] = 1;
    }
}
static void run_bfs_level(const struct times_io *io)
{
    bfs_level<<<(1 << 20) / 256, 256>>>(io->counts, io->a, io->index);
}

/* Each node pulls from as many others as its number says, few from many. */
__global__ void pagerank_pull(float *out, const float *rank, const int *index)
{
    unsigned v = GLOBAL_ID, edges = 2 + (v * 2654435761u >> 28);
    float sum = 0;
    for (unsigned k = 0; k < edges; k++) {
        unsigned from = (unsigned)index[(v * 8 + k) & (INDICES - 1)] & 0x1fffff;
        sum += rank[from] * 0.125f;
    }
    out[v] = 0.15f + 0.85f * sum;
}
static void run_pagerank_pull(const struct times_io *io)
{
    pagerank_pull<<<(1 << 19) / 256, 256>>>(io->out, io->a, io->index);
}

/* A list followed eight steps: each load waits for the one before. */
__global__ void list_jump(float *out, const int *next)
{
    unsigned at = GLOBAL_ID;
    for (int k = 0; k < 8; k++)
        at = (unsigned)next[at];
    out[GLOBAL_ID] = (float)at;
}
static void run_list_jump(const struct times_io *io)
{
    list_jump<<<(1 << 18) / 128, 128>>>(io->out, io->index);
}

/* Keys looked up in an open table until they or a hole are found. */
__global__ void hash_probe(float *out, const int *table, unsigned n)
{
    unsigned key = GLOBAL_ID * 2654435761u, at = key >> 10 & (INDICES - 1), tries = 0;
    if (GLOBAL_ID >= n)
        return;
    while (tries < 32 && ((unsigned)table[at] & 3) != (key & 3)) {
        at = (at + 1) & (INDICES - 1);
        tries++;
    }
    out[GLOBAL_ID] = (float)at + (float)tries;
}
static void run_hash_probe(const struct times_io *io)
{
    hash_probe<<<(1 << 20) / 256, 256>>>(io->out, io->index, 1 << 20);
}

/* Three bits of a filter for each key. */
__global__ void bloom_insert(unsigned *filter, const int *keys)
{
    unsigned key = (unsigned)keys[GLOBAL_ID];
    for (unsigned k = 0; k < 3; k++) {
        key = (key ^ key >> 15) * 0x2c1b3c6du;
        atomicOr(&filter[key >> 15 & 0xffff], 1u << (key >> 5 & 31));
    }
}
static void run_bloom_insert(const struct times_io *io)
{
    bloom_insert<<<(1 << 19) / 256, 256>>>(io->counts, io->index);
}

/* The four nearest of 512 points, kept in registers. */
__global__ void nearest_four(float *out, const float2 *points)
{
    __shared__ float2 tile[128];
    float2 me = points[GLOBAL_ID];
    float best[4] = {9, 9, 9, 9};
    for (unsigned from = 0; from < 512; from += 128) {
        tile[threadIdx.x] = points[from + threadIdx.x];
        __syncthreads();
        for (unsigned k = 0; k < 128; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, d = dx * dx + dy * dy;
            if (d < best[3]) {
                best[3] = d;
                for (int j = 3; j > 0 && best[j] < best[j - 1]; j--) {
                    float keep = best[j];
                    best[j] = best[j - 1], best[j - 1] = keep;
                }
            }
        }
        __syncthreads();
    }
    out[GLOBAL_ID] = best[0] + 2 * best[1] + 3 * best[2] + 4 * best[3];
}
static void run_nearest_four(const struct times_io *io)
{
    nearest_four<<<(1 << 17) / 128, 128>>>(io->out, (const float2 *)io->a);
}

/* Where runs of equal numbers begin, counted within the block. */
__global__ void run_heads(float *out, const float *a)
{
    __shared__ unsigned before[8];
    const unsigned i = GLOBAL_ID, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int mine = (int)(a[i] * 4), last = i > 0 ? (int)(a[i - 1] * 4) : -1;
    unsigned votes = __ballot_sync(~0u, mine != last);
    if (lane == 0)
        before[warp] = (unsigned)__popc(votes);
    __syncthreads();
    unsigned sum = (unsigned)__popc(votes & (2u << lane) - 1);
    for (unsigned w = 0; w < warp; w++)
        sum += before[w];
    out[i] = (float)sum;
}
static void run_run_heads(const struct times_io *io)
{
    run_heads<<<(1 << 22) / 256, 256>>>(io->out, io->a);
}

/* Counting, turning and finding bits. */
__global__ void bit_tricks(float *out, const int *words)
{
    unsigned v = (unsigned)words[GLOBAL_ID] * 2654435761u, sum = 0;
    for (unsigned k = 0; k < 24; k++) {
        sum += (unsigned)__popc(v) + (unsigned)__clz((int)v) + (unsigned)__ffs((int)v);
        v = __brev(v) ^ (v >> 3) ^ k;
    }
    out[GLOBAL_ID] = (float)sum;
}
static void run_bit_tricks(const struct times_io *io)
{
    bit_tricks<<<(1 << 20) / 256, 256>>>(io->out, io->index);
}

/* 48 rounds in the manner of SHA-256, the schedule kept up in 16 words. */
__global__ void digest(float *out, const int *words)
{
    unsigned w[16], s[8];
    for (unsigned k = 0; k < 16; k++)
        w[k] = (unsigned)words[GLOBAL_ID] * (2 * k + 1) + k;
    for (unsigned k = 0; k < 8; k++)
        s[k] = 0x6a09e667u + k * 0x3c6ef372u;
#pragma unroll 16
    for (unsigned r = 0; r < 48; r++) {
        unsigned e = s[4], a = s[0];
        unsigned big1 = (e >> 6 | e << 26) ^ (e >> 11 | e << 21) ^ (e >> 25 | e << 7);
        unsigned t1 = s[7] + big1 + ((e & s[5]) ^ (~e & s[6])) + w[r & 15] + 0x428a2f98u;
        unsigned big0 = (a >> 2 | a << 30) ^ (a >> 13 | a << 19) ^ (a >> 22 | a << 10);
        unsigned t2 = big0 + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + t1;
        s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = t1 + t2;
        unsigned x = w[(r + 1) & 15], y = w[(r + 14) & 15];
        w[r & 15] +=
            ((x >> 7 | x << 25) ^ x >> 3) + w[(r + 9) & 15] + ((y >> 17 | y << 15) ^ y >> 10);
    }
    out[GLOBAL_ID] = (float)((s[0] ^ s[3] ^ s[7]) & 0xffff);
}
static void run_digest(const struct times_io *io)
{
    digest<<<(1 << 18) / 128, 128>>>(io->out, io->index);
}

/* Threads of a warp need from 1 to 200 steps. */
__global__ void collatz(float *out)
{
    unsigned v = GLOBAL_ID + 1, steps = 0;
    while (v > 1 && steps < 200) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        steps++;
    }
    out[GLOBAL_ID] = (float)steps;
}
static void run_collatz(const struct times_io *io) { collatz<<<(1 << 18) / 256, 256>>>(io->out); }

/* Divisions of integers: is it a prime? */
__global__ void trial_division(float *out)
{
    unsigned v = 2 * GLOBAL_ID + 3, d = 3;
    while (d * d <= v && v % d != 0)
        d += 2;
    out[GLOBAL_ID] = d * d > v ? 1.0f : 0.0f;
}
static void run_trial_division(const struct times_io *io)
{
    trial_division<<<(1 << 17) / 128, 128>>>(io->out);
}

/* Powers modulo a prime of 31 bits, products of 64. */
__global__ void power_modulo(float *out, const int *words)
{
    unsigned long long base = (unsigned)words[GLOBAL_ID] + 2u, result = 1;
    for (unsigned e = 65521; e > 0; e /= 2) {
        if (e & 1)
            result = result * base % 2147483647ull;
        base = base * base % 2147483647ull;
    }
    out[GLOBAL_ID] = (float)(result & 0xffff);
}
static void run_power_modulo(const struct times_io *io)
{
    power_modulo<<<(1 << 17) / 256, 256>>>(io->out, io->index);
}

/* Seven queens below the first: a stack of bit sets in local memory. */
__global__ void queens(float *out, unsigned size)
{
    unsigned columns[12], left[12], right[12], open[12], full = (1u << size) - 1, found = 0;
    unsigned c0 = GLOBAL_ID % size, c1 = GLOBAL_ID / size % size, row = 2;
    unsigned p0 = 1u << c0, p1 = 1u << c1;
    columns[2] = p0 | p1, left[2] = (p0 << 1 | p1) << 1, right[2] = (p0 >> 1 | p1) >> 1;
    if (((p0 | p0 << 1 | p0 >> 1) & p1) != 0) {
        out[GLOBAL_ID] = 0;
        return;
    }
    open[2] = full & ~(columns[2] | left[2] | right[2]);
    while (row >= 2) {
        if (open[row] == 0) {
            row--;
            continue;
        }
        unsigned p = open[row] & (0u - open[row]);
        open[row] ^= p;
        if (row + 1 == size) {
            found++;
            continue;
        }
        columns[row + 1] = columns[row] | p, left[row + 1] = (left[row] | p) << 1;
        right[row + 1] = (right[row] | p) >> 1;
        row++;
        open[row] = full & ~(columns[row] | left[row] | right[row]);
    }
    out[GLOBAL_ID] = (float)found;
}
static void run_queens(const struct times_io *io) { queens<<<64, 64>>>(io->out, 7); }

/* A tree of 16 children a node, five levels, one lane a query. */
__global__ void tree_search(float *out, const float *sorted, const float *queries)
{
    float q = queries[GLOBAL_ID];
    unsigned at = 0;
    for (unsigned step = SORTED / 16; step > 0; step /= 16) {
        unsigned k = 0;
        while (k < 15 && sorted[at + (k + 1) * step] <= q)
            k++;
        at += k * step;
    }
    out[GLOBAL_ID] = (float)at;
}
static void run_tree_search(const struct times_io *io)
{
    tree_search<<<(1 << 18) / 256, 256>>>(io->out, io->sorted, io->a);
}

const struct times_case search_cases[] = {{"bitonic_step", run_bitonic_step, IN_OUT, 1 << 22},
                                          {"merge_rows", run_merge_rows, IN_OUT, 1 << 20},
                                          {"radix_split", run_radix_split, IN_OUT, 1 << 21},
                                          {"find_pattern", run_find_pattern, IN_COUNTS, 1056 * 256},
                                          {"edit_distance", run_edit_distance, IN_OUT, 4096},
                                          {"bfs_level", run_bfs_level, IN_COUNTS, COUNTS},
                                          {"pagerank_pull", run_pagerank_pull, IN_OUT, 1 << 19},
                                          {"list_jump", run_list_jump, IN_OUT, 1 << 18},
                                          {"hash_probe", run_hash_probe, IN_OUT, 1 << 20},
                                          {"bloom_insert", run_bloom_insert, IN_OCCUPIED, 65536},
                                          {"nearest_four", run_nearest_four, IN_OUT, 1 << 17},
                                          {"run_heads", run_run_heads, IN_OUT, 1 << 22},
                                          {"bit_tricks", run_bit_tricks, IN_OUT, 1 << 20},
                                          {"digest", run_digest, IN_OUT, 1 << 18},
                                          {"collatz", run_collatz, IN_OUT, 1 << 18},
                                          {"trial_division", run_trial_division, IN_OUT, 1 << 17},
                                          {"power_modulo", run_power_modulo, IN_OUT, 1 << 17},
                                          {"queens", run_queens, IN_OUT, 64 * 64},
                                          {"tree_search", run_tree_search, IN_OUT, 1 << 18},
                                          {NULL, NULL, IN_OUT, 0}};
