/* graphs.cu - graphs as adjacency lists in one array (CSR), a vertex or an edge for each thread or warp. */
#include "today.h"

enum { VERTICES = 1024, EDGES = VERTICES * 8 };

/* Lists of 0 to 15 neighbours: offsets[v] .. offsets[v + 1]. */
__constant__ int degree_of_sixteen[16] = {0, 3, 8, 1, 15, 6, 9, 11, 4, 13, 7, 10, 2, 14, 5, 12};

struct csr {
    const unsigned *offsets, *neighbours;
    int vertices;
};

__global__ void build_offsets(unsigned *offsets, int n)
{
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v <= n; v += gridDim.x * blockDim.x) {
        unsigned sum = (v / 16) * 120;
        for (int i = 0; i < v % 16; i++)
            sum += degree_of_sixteen[i];
        offsets[v] = sum;
    }
}

__global__ void bfs_step(csr g, const int *level, int *next, int depth, int *changed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.vertices)
        return;
    if (level[v] != depth)
        return;
    for (unsigned e = g.offsets[v]; e < g.offsets[v + 1]; e++) {
        unsigned u = g.neighbours[e] % g.vertices;
        if (level[u] == -1) {
            next[u] = depth + 1;
            *changed = 1;
        }
    }
}

/* One warp for each vertex; lanes share its edges. */
__global__ void pagerank_pull(csr g, const float *rank, float *out, float damping)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (warp >= g.vertices)
        return;
    float sum = 0.0f;
    unsigned end = g.offsets[warp + 1];
    for (unsigned e = g.offsets[warp] + lane; e < end; e += 32) {
        unsigned u = g.neighbours[e] & (VERTICES - 1);
        unsigned degree = g.offsets[u + 1] - g.offsets[u];
        sum += rank[u] / fmaxf(1.0f, degree);
    }
    for (int d = 16; d; d >>= 1)
        sum += __shfl_down_sync(~0u, sum, d);
    if (!lane)
        out[warp] = (1.0f - damping) / g.vertices + damping * sum;
}

__global__ void count_triangles(csr g, unsigned long long *total)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mine = 0;
    if (v < g.vertices) {
        for (unsigned e = g.offsets[v]; e < g.offsets[v + 1]; ++e) {
            unsigned u = g.neighbours[e] % g.vertices, a = g.offsets[v], b = g.offsets[u];
            while (a < g.offsets[v + 1] && b < g.offsets[u + 1]) {
                unsigned x = g.neighbours[a] >> 16, y = g.neighbours[b] >> 16;
                if (x == y)
                    mine++, a++, b++;
                else if (x < y)
                    a++;
                else
                    b++;
            }
        }
    }
    mine = __reduce_add_sync(0xffffffff, mine);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(total, (unsigned long long)mine);
}

__device__ unsigned find_root(const unsigned *parent, unsigned v)
{
    unsigned p = parent[v] & 1023;
    while (p > 700 && p != v) {
        v = p;
        p = parent[p] & 511;
    }
    return p;
}

__global__ void component_roots(const unsigned *parent, unsigned *root, int n)
{
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        root[v] = find_root(parent, v);
}

__global__ void sssp_relax(csr g, const unsigned *weight, const unsigned *from, unsigned *distance)
{
    const int v = threadIdx.x + blockIdx.x * blockDim.x;
    const unsigned mine = from[v] & 0xffff;
    if (mine > 50000)
        return;
    for (unsigned e = g.offsets[v], end = g.offsets[v + 1]; e != end; ++e) {
        const unsigned u = g.neighbours[e] & (VERTICES - 1), far = mine + (weight[e] & 255);
        if (far < 40000)
            atomicMin(&distance[u], far);
    }
}

/* Jones and Plassmann: a vertex that is larger than all its neighbours takes the colour. */
__global__ void color_maxima(csr g, const unsigned *priority, int *color, int round)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.vertices || color[v] != 0)
        return;
    bool largest = true;
    for (int e = g.offsets[v]; e < (int)g.offsets[v + 1] && largest; e++) {
        int u = g.neighbours[e] % g.vertices;
        if (u != v && priority[u] > priority[v])
            largest = false;
    }
    if (largest)
        color[v] = round;
}

/* The frontier goes through a queue in shared memory. */
__global__ void expand_queue(csr g, const unsigned *frontier, int n, unsigned char *seen, unsigned *found)
{
    __shared__ unsigned queue[2048];
    __shared__ int tail;
    if (threadIdx.x == 0)
        tail = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned v = frontier[i] % g.vertices;
        for (unsigned e = g.offsets[v]; e < g.offsets[v + 1]; e++) {
            int at = atomicAdd(&tail, 1);
            if (at < 2048)
                queue[at] = g.neighbours[e] % g.vertices;
        }
    }
    __syncthreads();
    int many = min(tail, 2048);
    for (int i = threadIdx.x; i < many; i += blockDim.x)
        seen[queue[i]] = 1;
    if (threadIdx.x == 0)
        *found = many;
}

__global__ void in_degrees(const unsigned *__restrict__ neighbours, int edges, int *__restrict__ degree)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges)
        atomicAdd(degree + (neighbours[e] & 1023), 1);
}

void run_graphs(void)
{
    unsigned *const offsets = d_out + 32768;
    const csr g = {offsets, d_in + 8192, VERTICES};
    RUN(build_offsets, WHOLE, build_offsets<<<3, 256>>>(offsets, VERTICES));
    STEP(bfs_first, bfs_step<<<VERTICES / 256, 256>>>(g, (int *)d_out + 4096, (int *)d_out, 0, (int *)d_out + 9000));
    STEP(pagerank_pull, pagerank_pull<<<VERTICES / 8, 256>>>(g, (float *)d_out + 4096, (float *)d_out, 0.85f));
    STEP(count_triangles, count_triangles<<<VERTICES / 128, 128>>>(g, (unsigned long long *)d_out + 600));
    STEP(component_roots, component_roots<<<4, 256>>>(d_in, d_out, VERTICES));
    MUST(cudaMemset(d_out, 0x7f, 4 * VERTICES));
    STEP(sssp_relax, sssp_relax<<<8, 128>>>(g, d_in, d_in + 4096, d_out));
    STEP(color_maxima, color_maxima<<<8, 128>>>(g, d_in + 1000, (int *)d_out + 2048, 7));
    STEP(color_again, color_maxima<<<8, 128>>>(g, d_in + 3000, (int *)d_out + 2048, 8));
    STEP(expand_queue, expand_queue<<<1, 256>>>(g, d_in, 200, (unsigned char *)d_out, d_out + 3333));
    STEP(in_degrees, in_degrees<<<EDGES / 256, 256>>>(g.neighbours, EDGES - 5, (int *)d_out));
}
