/* sparse.cu - irregular and physical: sparse matrices, graphs, particles, tables. */
#include "times.h"

/* Rows of 16 entries at random columns, a thread a row. */
__global__ void spmv_thread_per_row(float *out, const float *values, const int *columns,
                                    const float *x, unsigned each)
{
    unsigned row = GLOBAL_ID;
    float sum = 0;
    for (unsigned k = 0; k < each; k++)
        sum += values[row * each + k] * x[columns[row * each + k] & 0xfffff];
    out[row] = sum;
}
static void run_spmv_thread_per_row(const struct times_io *io)
{
    spmv_thread_per_row<<<(1 << 17) / 128, 128>>>(io->out, io->a, io->index, io->b, 16);
}

__global__ void spmv_warp_per_row(float *out, const float *values, const int *columns,
                                  const float *x, unsigned each)
{
    unsigned row = GLOBAL_ID / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (unsigned k = lane; k < each; k += 32)
        sum += values[row * each + k] * x[columns[row * each + k] & 0xfffff];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0)
        out[row] = sum;
}
static void run_spmv_warp_per_row(const struct times_io *io)
{
    spmv_warp_per_row<<<(1 << 15) * 32 / 256, 256>>>(io->out, io->a, io->index, io->b, 128);
}

/* Entry k of all rows side by side. */
__global__ void spmv_ell(float *out, const float *values, const int *columns, const float *x,
                         unsigned rows, unsigned each)
{
    unsigned row = GLOBAL_ID;
    float sum = 0;
    for (unsigned k = 0; k < each; k++)
        sum += values[k * rows + row] * x[columns[k * rows + row] & 0xffff];
    out[row] = sum;
}
static void run_spmv_ell(const struct times_io *io)
{
    spmv_ell<<<(1 << 18) / 256, 256>>>(io->out, io->a, io->index, io->b, 1 << 18, 16);
}

/* Rows of 1 to 32 entries: lanes wait for the longest of their warp. */
__global__ void spmv_uneven(float *out, const float *values, const int *columns, const float *x)
{
    unsigned row = GLOBAL_ID, first = row * 32, each = 1 + (row * 2654435761u >> 27);
    float sum = 0;
    for (unsigned k = 0; k < each; k++)
        sum += values[first + k] * x[columns[(first + k) & (INDICES - 1)] & 0xffff];
    out[row] = sum;
}
static void run_spmv_uneven(const struct times_io *io)
{
    spmv_uneven<<<(1 << 17) / 256, 256>>>(io->out, io->a, io->index, io->b);
}

__global__ void gather(float *out, const float *a, const int *index, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i < n)
        out[i] = a[index[i]];
}
static void run_gather(const struct times_io *io)
{
    gather<<<INDICES / 256, 256>>>(io->out, io->a, io->index, INDICES);
}
/* A table of 16 KB: out of L1. */
__global__ void gather_small(float *out, const float *a, const int *index, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i < n)
        out[i] = a[index[i] & 0xfff];
}
static void run_gather_small(const struct times_io *io)
{
    gather_small<<<INDICES / 256, 256>>>(io->out, io->a, io->index, INDICES);
}
__global__ void scatter(float *out, const float *a, const int *index, unsigned n)
{
    unsigned i = GLOBAL_ID;
    if (i < n)
        out[index[i]] = a[i];
}
static void run_scatter(const struct times_io *io)
{
    scatter<<<INDICES / 256, 256>>>(io->out, io->a, io->index, INDICES);
}

/* One round of shortest paths: an edge a thread, the smaller distance wins. */
__global__ void relax_edges(unsigned *distance, const int *to, const float *length, unsigned n)
{
    unsigned edge = GLOBAL_ID;
    if (edge < n)
        atomicMax(&distance[to[edge] & (COUNTS - 1)], (unsigned)(length[edge] * 65536));
}
static void run_relax_edges(const struct times_io *io)
{
    relax_edges<<<(1 << 21) / 256, 256>>>(io->counts, io->index, io->a, 1 << 21);
}

/* Distinct keys into a table of twice as many slots, by compare-and-swap; counts probes. */
__global__ void hash_insert(unsigned *table, const int *keys, unsigned slots)
{
    unsigned key = (unsigned)keys[GLOBAL_ID] + 1, slot = (key * 2654435761u) & (slots - 1);
    while (atomicCAS(&table[slot], 0u, key) != 0u && table[slot] != key)
        slot = (slot + 1) & (slots - 1);
}
static void run_hash_insert(const struct times_io *io)
{
    hash_insert<<<(1 << 19) / 256, 256>>>(io->counts, io->index, COUNTS);
}

__device__ static float4 pull(float4 body, float4 other, float4 sum)
{
    float dx = other.x - body.x, dy = other.y - body.y, dz = other.z - body.z;
    float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = other.w * r * r * r;
    sum.x += dx * s;
    sum.y += dy * s;
    sum.z += dz * s;
    return sum;
}
__global__ void nbody_tiles(float4 *out, const float4 *body, unsigned n)
{
    __shared__ float4 tile[256];
    float4 mine = body[GLOBAL_ID], sum = make_float4(0, 0, 0, 0);
    for (unsigned base = 0; base < n; base += 256) {
        tile[threadIdx.x] = body[base + threadIdx.x];
        __syncthreads();
        for (unsigned k = 0; k < 256; k++)
            sum = pull(mine, tile[k], sum);
        __syncthreads();
    }
    out[GLOBAL_ID] = sum;
}
static void run_nbody_tiles(const struct times_io *io)
{
    nbody_tiles<<<16384 / 256, 256>>>((float4 *)io->out, (const float4 *)io->a, 4096);
}
static void run_nbody_few_blocks(const struct times_io *io)
{
    nbody_tiles<<<8, 256>>>((float4 *)io->out, (const float4 *)io->a, 2048);
}
__global__ void nbody_plain(float4 *out, const float4 *body, unsigned n)
{
    float4 mine = body[GLOBAL_ID], sum = make_float4(0, 0, 0, 0);
    for (unsigned k = 0; k < n; k++)
        sum = pull(mine, body[k], sum);
    out[GLOBAL_ID] = sum;
}
static void run_nbody_plain(const struct times_io *io)
{
    nbody_plain<<<32768 / 128, 128>>>((float4 *)io->out, (const float4 *)io->a, 2048);
}

/* The nearest of 64 centres of four coordinates. */
__global__ void kmeans_assign(float *out, const float4 *points, const float4 *centres)
{
    __shared__ float4 centre[64];
    if (threadIdx.x < 64)
        centre[threadIdx.x] = centres[threadIdx.x];
    __syncthreads();
    float4 p = points[GLOBAL_ID];
    float least = 1e30f;
    unsigned nearest = 0;
    for (unsigned k = 0; k < 64; k++) {
        float4 c = centre[k];
        float d = (p.x - c.x) * (p.x - c.x) + (p.y - c.y) * (p.y - c.y) +
                  (p.z - c.z) * (p.z - c.z) + (p.w - c.w) * (p.w - c.w);
        if (d < least) {
            least = d;
            nearest = k;
        }
    }
    out[GLOBAL_ID] = (float)nearest;
}
static void run_kmeans_assign(const struct times_io *io)
{
    kmeans_assign<<<(1 << 20) / 256, 256>>>(io->out, (const float4 *)io->a, (const float4 *)io->b);
}

/* Distances of all pairs of 16 coordinates, a tile of 16 x 16 pairs a block. */
__global__ void pairwise_distance(float *out, const float *a, unsigned n)
{
    __shared__ float rows[16][17], columns[16][17];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    rows[ty][tx] = a[(blockIdx.y * 16 + ty) * 16 + tx];
    columns[ty][tx] = a[(blockIdx.x * 16 + ty) * 16 + tx];
    __syncthreads();
    float sum = 0;
    for (unsigned k = 0; k < 16; k++) {
        float d = rows[ty][k] - columns[tx][k];
        sum += d * d;
    }
    out[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx] = sqrtf(sum);
}
static void run_pairwise_distance(const struct times_io *io)
{
    pairwise_distance<<<dim3(128, 128), dim3(16, 16)>>>(io->out, io->a, 2048);
}

/* Forces from 32 neighbours at random places of a list. */
__global__ void neighbour_forces(float *out, const float4 *body, const int *list, unsigned n)
{
    unsigned i = GLOBAL_ID;
    float4 mine = body[i], sum = make_float4(0, 0, 0, 0);
    for (unsigned k = 0; k < 32; k++)
        sum = pull(mine, body[(i + (unsigned)list[k * n + i] % 512u) & (n - 1)], sum);
    out[i] = sum.x + sum.y + sum.z;
}
static void run_neighbour_forces(const struct times_io *io)
{
    neighbour_forces<<<(1 << 17) / 128, 128>>>(io->out, (const float4 *)io->a, io->index, 1 << 17);
}

/* Each thread walks 64 steps at random through a permutation. */
__global__ void random_walk(float *out, const int *next, unsigned steps)
{
    int at = (int)GLOBAL_ID;
    for (unsigned k = 0; k < steps; k++)
        at = next[at];
    out[GLOBAL_ID] = (float)at;
}
static void run_random_walk(const struct times_io *io)
{
    random_walk<<<132 * 4, 256>>>(io->out, io->index, 16);
}
/* One warp alone: nothing hides the latency. */
static void run_pointer_chase(const struct times_io *io)
{
    random_walk<<<1, 32>>>(io->out, io->index, 256);
}

const struct times_case sparse_cases[] = {
    {"spmv_thread_per_row", run_spmv_thread_per_row, IN_OUT, 1 << 17},
    {"spmv_warp_per_row", run_spmv_warp_per_row, IN_OUT, 1 << 15},
    {"spmv_ell", run_spmv_ell, IN_OUT, 1 << 18},
    {"spmv_uneven", run_spmv_uneven, IN_OUT, 1 << 17},
    {"gather", run_gather, IN_OUT, INDICES},
    {"gather_small", run_gather_small, IN_OUT, INDICES},
    {"scatter", run_scatter, IN_OUT, INDICES},
    {"relax_edges", run_relax_edges, IN_COUNTS, COUNTS},
    {"hash_insert", run_hash_insert, IN_OCCUPIED, COUNTS},
    {"nbody_tiles", run_nbody_tiles, IN_OUT, 4 * 16384},
    {"nbody_few_blocks", run_nbody_few_blocks, IN_OUT, 4 * 2048},
    {"nbody_plain", run_nbody_plain, IN_OUT, 4 * 32768},
    {"kmeans_assign", run_kmeans_assign, IN_OUT, 1 << 20},
    {"pairwise_distance", run_pairwise_distance, IN_OUT, 2048 * 2048},
    {"neighbour_forces", run_neighbour_forces, IN_OUT, 1 << 17},
    {"random_walk", run_random_walk, IN_OUT, 132 * 4 * 256},
    {"pointer_chase", run_pointer_chase, IN_OUT, 32},
    {NULL, NULL, IN_OUT, 0}};
