/* sorting.cu - scans, sorts, searches, lists and graphs; written and recorded before the model saw
 * them. */
#include "times.h"

/* --- scans and sorts ------------------------------------------------------------------------- */

/* Each warp a row of 1024: 32 of them a lane, one behind the other. */
__global__ void scan_rows(float *out, const float *a)
{
    const unsigned lane = threadIdx.x % 32, at = GLOBAL_ID / 32 * 1024 + lane * 32;
    float v[32], sum = 0;
    for (int k = 0; k < 32; k += 4)
        *(float4 *)&v[k] = *(const float4 *)&a[at + k];
    for (int k = 0; k < 32; k++)
        v[k] = sum += v[k];
    float before = sum;
    for (unsigned step = 1; step < 32; step *= 2) {
        const float other = __shfl_up_sync(~0u, before, step);
        if (lane >= step)
            before += other;
    }
    before -= sum;
    for (int k = 0; k < 32; k += 4)
        *(float4 *)&out[at + k] =
            make_float4(v[k] + before, v[k + 1] + before, v[k + 2] + before, v[k + 3] + before);
}
static void run_scan_rows(const struct times_io *io) { scan_rows<<<1024, 128>>>(io->out, io->a); }

/* A block a row of 2048, through shared memory in log steps, two buffers. */
__global__ void scan_hillis(float *out, const float *a)
{
    __shared__ float buffer[2][1024];
    const unsigned t = threadIdx.x;
    int from = 0;
    buffer[0][t] = a[blockIdx.x * 1024 + t];
    __syncthreads();
    for (unsigned step = 1; step < 1024; step *= 2, from = 1 - from) {
        buffer[1 - from][t] = buffer[from][t] + (t >= step ? buffer[from][t - step] : 0.0f);
        __syncthreads();
    }
    out[blockIdx.x * 1024 + t] = buffer[from][t];
}
static void run_scan_hillis(const struct times_io *io)
{
    scan_hillis<<<1000, 1024>>>(io->out, io->a);
}

/* Batcher's merge sort of 1024 keys in shared memory. */
__global__ void sort_merge_exchange(float *out, const float *a)
{
    __shared__ float key[1024];
    const unsigned t = threadIdx.x;
    key[t] = a[blockIdx.x * 1024 + t];
    key[t + 512] = a[blockIdx.x * 1024 + t + 512];
    __syncthreads();
    for (unsigned p = 1; p < 1024; p *= 2)
        for (unsigned k = p; k >= 1; k /= 2) {
            const unsigned start = k % p, at = t + (t - t % k) + start;
            if (at + k < 1024 && at / (2 * p) == (at + k) / (2 * p)) {
                const float low = key[at], high = key[at + k];
                if (low > high)
                    key[at] = high, key[at + k] = low;
            }
            __syncthreads();
        }
    out[blockIdx.x * 1024 + t] = key[t];
    out[blockIdx.x * 1024 + t + 512] = key[t + 512];
}
static void run_sort_merge_exchange(const struct times_io *io)
{
    sort_merge_exchange<<<600, 512>>>(io->out, io->a);
}

/* Each thread sorts sixteen keys by insertion, in local memory. */
__global__ void sort_insertion(float *out, const float *a, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    float key[16];
#pragma unroll 1
    for (int k = 0; k < 16; k++) {
        const float v = a[k * n + i];
        int at = k;
        while (at > 0 && key[at - 1] > v) {
            key[at] = key[at - 1];
            at--;
        }
        key[at] = v;
    }
#pragma unroll 1
    for (int k = 0; k < 16; k++)
        out[k * n + i] = key[k];
}
static void run_sort_insertion(const struct times_io *io)
{
    sort_insertion<<<blocks_for(100000, 128), 128>>>(io->out, io->a, 100000);
}

/* Ranks of 256 keys by four bits, by votes. */
__global__ void rank_digits(unsigned *out, const float *a)
{
    __shared__ unsigned first[16][8];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned digit = (unsigned)(a[GLOBAL_ID] * 16);
    unsigned same = ~0u;
    for (int bit = 0; bit < 4; bit++) {
        const unsigned vote = __ballot_sync(~0u, digit >> bit & 1);
        same &= digit >> bit & 1 ? vote : ~vote;
    }
    if (threadIdx.x < 128)
        first[threadIdx.x / 8][threadIdx.x % 8] = 0;
    __syncthreads();
    const unsigned before = __popc(same & ((1u << lane) - 1));
    if (before == 0)
        first[digit][warp] = __popc(same);
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (int i = 0; i < 128; i++) {
            const unsigned count = first[i / 8][i % 8];
            first[i / 8][i % 8] = sum;
            sum += count;
        }
    }
    __syncthreads();
    out[GLOBAL_ID] = first[digit][warp] + before;
}
static void run_rank_digits(const struct times_io *io)
{
    rank_digits<<<3000, 256>>>((unsigned *)io->out, io->a);
}

/* The median of 1024 by halving the range of values: thirty votes of the block. */
__global__ void median_by_votes(float *out, const float *a)
{
    const unsigned mine = (unsigned)(a[GLOBAL_ID] * 0x1p30f);
    unsigned low = 0;
    for (int bit = 29; bit >= 0; bit--) {
        const unsigned middle = low | 1u << bit;
        if (__syncthreads_count(mine < middle) <= 512)
            low = middle;
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = (float)low;
}
static void run_median_by_votes(const struct times_io *io)
{
    median_by_votes<<<528, 1024>>>(io->out, io->a);
}

/* --- searches -------------------------------------------------------------------------------- */

/* Where keys stand among a million; a thread is done as soon as it is near enough. */
__global__ void bisect(float *out, const float *sorted, const float *keys, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    const float key = keys[i];
    unsigned low = 0, high = SORTED;
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        const float at = sorted[middle];
        if (fabsf(at - key) < 1e-5f) {
            low = middle;
            break;
        }
        if (at <= key)
            low = middle;
        else
            high = middle;
    }
    out[i] = (float)(low >> 5);
}
static void run_bisect(const struct times_io *io)
{
    bisect<<<blocks_for(300000, 256), 256>>>(io->out, io->sorted, io->a, 300000);
}

/* Two lists merged, sixteen of the result a thread; where it begins is searched for. */
__global__ void merge_parts(float *out, const float *x, const float *y, unsigned each)
{
    const unsigned diagonal = GLOBAL_ID * 16;
    if (diagonal >= 2 * each)
        return;
    unsigned low = diagonal > each ? diagonal - each : 0, high = min(diagonal, each);
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (x[middle] <= y[diagonal - 1 - middle] + 0.01f)
            low = middle + 1;
        else
            high = middle;
    }
    unsigned i = low, j = diagonal - low;
    for (int k = 0; k < 16; k++) {
        const bool left = j >= each || (i < each && x[i] <= y[j] + 0.01f);
        out[diagonal + k] = left ? x[i++] : y[j++] + 0.01f;
    }
}
static void run_merge_parts(const struct times_io *io)
{
    merge_parts<<<blocks_for(1 << 16, 128), 128>>>(io->out, io->sorted, io->sorted, 1 << 19);
}

/* Words are compared letter by letter until they differ. */
__global__ void compare_words(unsigned *counts, const int *index, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    unsigned length = 0;
    if (i < n) {
        const unsigned p = (unsigned)index[i] & 0xfffff, q = (unsigned)index[i + n] & 0xfffff;
        while (length < 64 && ((index[p + length] ^ index[q + length]) & 7) != 7)
            length++;
        counts[i] = length;
    }
}
static void run_compare_words(const struct times_io *io)
{
    compare_words<<<blocks_for(1 << 17, 256), 256>>>(io->counts, io->index, 1 << 17);
}

/* Boxes of a tree of 64 K nodes that a point is in, with a stack of its own. */
__global__ void walk_tree(unsigned *counts, const float *split, const float *points, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    unsigned stack[20], top = 0, visited = 0;
    const float x = points[i];
    stack[top++] = 1;
    while (top > 0) {
        const unsigned node = stack[--top];
        visited++;
        if (node >= 1 << 15)
            continue;
        const float at = split[node];
        if (x < at + 0.05f)
            stack[top++] = 2 * node;
        if (x > at - 0.05f)
            stack[top++] = 2 * node + 1;
    }
    counts[i] = visited;
}
static void run_walk_tree(const struct times_io *io)
{
    walk_tree<<<blocks_for(1 << 13, 128), 128>>>(io->counts, io->a, io->b, 1 << 13);
}

/* --- graphs and sparse matrices -------------------------------------------------------------- */

/* Rows of 8 to 23 elements, eight lanes each. */
__global__ void spmv_eight_lanes(float *out, const float *values, const int *index, const float *x,
                                 unsigned rows)
{
    const unsigned row = GLOBAL_ID / 8, lane = GLOBAL_ID % 8;
    if (row >= rows)
        return;
    const unsigned length = 8 + (index[row] & 15);
    float sum = 0;
    for (unsigned k = lane; k < length; k += 8)
        sum += values[row * 24 + k] * x[index[row * 24 + k] & 0x3ffff];
    for (int step = 4; step > 0; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step, 8);
    if (lane == 0)
        out[row] = sum;
}
static void run_spmv_eight_lanes(const struct times_io *io)
{
    spmv_eight_lanes<<<blocks_for(120000 * 8, 256), 256>>>(io->out, io->a, io->index, io->b,
                                                           120000);
}

/* A sparse matrix by sixteen columns: a half warp a row. */
__global__ void spmm_sixteen(float *out, const float *values, const int *index, const float *x,
                             unsigned rows)
{
    const unsigned row = GLOBAL_ID / 16, column = GLOBAL_ID % 16;
    if (row >= rows)
        return;
    float sum = 0;
    for (unsigned k = 0; k < 12; k++)
        sum += values[row * 12 + k] * x[(index[row * 12 + k] & 0x7fff) * 16 + column];
    out[row * 16 + column] = sum;
}
static void run_spmm_sixteen(const struct times_io *io)
{
    spmm_sixteen<<<blocks_for(60000 * 16, 192), 192>>>(io->out, io->a, io->index, io->b, 60000);
}

/* How many neighbours two vertices share: two ordered lists, as far as one of them goes. */
__global__ void common_neighbours(unsigned *counts, const int *index, unsigned n)
{
    const unsigned i = GLOBAL_ID;
    if (i >= n)
        return;
    const unsigned p = ((unsigned)index[i] & 0xffff) * 32,
                   q = ((unsigned)index[i + n] & 0xffff) * 32;
    unsigned x = 0, y = 0, j = 0, k = 0, found = 0;
    while (j < 24 && k < 24) {
        if (x == y)
            found++;
        if (x <= y)
            x += 1 + ((unsigned)index[p + j++] & 7);
        else
            y += 1 + ((unsigned)index[q + k++] & 7);
    }
    counts[i] = found;
}
static void run_common_neighbours(const struct times_io *io)
{
    common_neighbours<<<blocks_for(1 << 16, 128), 128>>>(io->counts, io->index, 1 << 16);
}

/* All shortest ways among 32 vertices, a block a graph: 32 rounds with barriers. */
__global__ void shortest_ways(float *out, const float *a)
{
    __shared__ float d[32][33];
    const unsigned x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * 1024 + y * 32 + x;
    d[y][x] = a[at];
    __syncthreads();
    for (int k = 0; k < 32; k++) {
        const float way = d[y][k] + d[k][x];
        __syncthreads();
        if (way < d[y][x])
            d[y][x] = way;
        __syncthreads();
    }
    out[at] = d[y][x];
}
static void run_shortest_ways(const struct times_io *io)
{
    shortest_ways<<<700, dim3(32, 32)>>>(io->out, io->a);
}

/* Bits of 32 x 32 turned round by the lanes of a warp. */
__global__ void turn_bits(unsigned *out, const unsigned *in, unsigned n)
{
    for (unsigned i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x) {
        const unsigned v = in[i];
        unsigned mine = 0;
        for (unsigned bit = 0; bit < 32; bit++) {
            const unsigned row = __ballot_sync(~0u, v >> bit & 1);
            if (threadIdx.x % 32 == bit)
                mine = row;
        }
        out[i] = mine >> 1;
    }
}
static void run_turn_bits(const struct times_io *io)
{
    turn_bits<<<264, 512>>>((unsigned *)io->out, (const unsigned *)io->a, 1 << 20);
}

const struct times_case sorting_cases[] = {
    {"scan_rows", run_scan_rows, IN_OUT, 1 << 22},
    {"scan_hillis", run_scan_hillis, IN_OUT, 1000 * 1024},
    {"sort_merge_exchange", run_sort_merge_exchange, IN_OUT, 600 * 1024},
    {"sort_insertion", run_sort_insertion, IN_OUT, 1600000},
    {"rank_digits", run_rank_digits, IN_WORDS, 3000 * 256},
    {"median_by_votes", run_median_by_votes, IN_OUT, 528},
    {"bisect", run_bisect, IN_OUT, 300000},
    {"merge_parts", run_merge_parts, IN_OUT, 1 << 20},
    {"compare_words", run_compare_words, IN_COUNTS, 1 << 17},
    {"walk_tree", run_walk_tree, IN_COUNTS, 1 << 13},
    {"spmv_eight_lanes", run_spmv_eight_lanes, IN_OUT, 120000},
    {"spmm_sixteen", run_spmm_sixteen, IN_OUT, 60000 * 16},
    {"common_neighbours", run_common_neighbours, IN_COUNTS, 1 << 16},
    {"shortest_ways", run_shortest_ways, IN_OUT, 700 * 1024},
    {"turn_bits", run_turn_bits, IN_WORDS, 1 << 20},
    {NULL, NULL, IN_OUT, 0}};
