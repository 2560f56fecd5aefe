/* Irregular kernels: a graph as rows of neighbours, a thread, warp or block per vertex. Who touches
 * what depends on the data; the mistakes are those of all such programs: no atomic, a look before
 * the atomic, no barrier, no guard. */
#include "mistakes.h"

enum { VERTICES = 40, DEGREE = 6 };

struct graph {
    int *row, *neighbour; /* those of v: neighbour[row[v]] to neighbour[row[v + 1]] */
};

/* Each vertex knows some of higher number and some of lower; 0 and 7 are known by many. */
static graph make_graph()
{
    static int row[VERTICES + 1], neighbour[VERTICES * DEGREE];
    graph g = {buffer<int>(VERTICES + 1), buffer<int>(VERTICES * DEGREE)};
    for (int v = 0; v < VERTICES; v++) {
        const int of_v[DEGREE] = {0,
                                  7,
                                  (v + 1) % VERTICES,
                                  (v * 7 + 3) % VERTICES,
                                  VERTICES - 1,
                                  (v * 5 + 11) % VERTICES};
        row[v + 1] = row[v] + DEGREE;
        memcpy(&neighbour[row[v]], of_v, sizeof of_v);
    }
    must(cudaMemcpy(g.row, row, sizeof row, cudaMemcpyHostToDevice));
    must(cudaMemcpy(g.neighbour, neighbour, sizeof neighbour, cudaMemcpyHostToDevice));
    return g;
}

static int *numbers(int n)
{
    static int host[VERTICES * DEGREE];
    for (int i = 0; i < n; i++) {
        host[i] = (i * 13 + 5) % 31;
    }
    int *p = buffer<int>(n);
    must(cudaMemcpy(p, host, n * sizeof *host, cudaMemcpyHostToDevice));
    return p;
}

template <bool right> __global__ void push(graph g, const int *value, int *least)
{
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < VERTICES; v += gridDim.x * blockDim.x) {
        for (int e = g.row[v]; e < g.row[v + 1]; e++) {
            int n = g.neighbour[e];
            if (right) {
                atomicMin(&least[n], value[v]);
            } else {
                least[n] = min(least[n], value[v]); // MISTAKE push_without_atomic race
            }
        }
    }
}
TWINS(push_without_atomic)
{
    push<right><<<2, 32>>>(make_graph(), numbers(VERTICES), numbers(VERTICES));
}

template <bool right> __global__ void pull_in_place(graph g, const int *from, int *to)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < VERTICES) {
        int sum = 0;
        for (int e = g.row[v]; e < g.row[v + 1]; e++) {
            sum += (right ? from : to)[g.neighbour[e]]; // MISTAKE pull_in_place race
        }
        to[v] = sum;
    }
}
TWINS(pull_in_place)
{
    pull_in_place<right><<<2, 32>>>(make_graph(), numbers(VERTICES), numbers(VERTICES));
}

/* A warp per vertex; the lanes agree by shuffles, and the first speaks for all. */
template <bool right> __global__ void largest_edge(graph g, const int *value, int *largest)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, best = 0;
    if (v < VERTICES) {
        for (int e = g.row[v] + lane; e < g.row[v + 1]; e += 32) {
            best = max(best, v < g.neighbour[e] ? value[g.neighbour[e]] : 0);
        }
        for (int d = 16; d > 0; d /= 2) {
            best = max(best, __shfl_xor_sync(0xffffffff, best, d));
        }
        if (lane == 0 && (right || *largest < best)) { // MISTAKE look_before_the_atomic race
            atomicMax(largest, best);
        }
    }
}
TWINS(look_before_the_atomic)
{
    largest_edge<right><<<VERTICES / 2, 64>>>(make_graph(), numbers(VERTICES), buffer<int>(1));
}

/* A block per vertex; it adds up in shared memory. */
template <bool right> __global__ void pull_by_blocks(graph g, const int *value, int *sum)
{
    __shared__ int part[64];
    for (int v = blockIdx.x; v < VERTICES; v += gridDim.x) {
        int mine = 0;
        for (int e = g.row[v] + threadIdx.x; e < g.row[v + 1]; e += blockDim.x) {
            mine += value[g.neighbour[e]];
        }
        __syncthreads();
        part[threadIdx.x] = mine;
        if (right) {
            __syncthreads();
        }
        for (int d = blockDim.x / 2; d > 0; d /= 2) {
            if (threadIdx.x < d) {
                part[threadIdx.x] +=
                    part[threadIdx.x + d]; // MISTAKE no_barrier_before_the_tree race
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            sum[v] = part[0];
        }
    }
}
TWINS(no_barrier_before_the_tree)
{
    pull_by_blocks<right><<<8, 64>>>(make_graph(), numbers(VERTICES), buffer<int>(VERTICES));
}

template <bool right> __global__ void worklist(graph g, int *list, int *count)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < VERTICES) {
        for (int e = g.row[v + 1] - 1; e >= g.row[v]; e--) {
            if (v < g.neighbour[e]) {
                int at = right ? atomicAdd(count, 1)
                               : (*count)++; // MISTAKE worklist_without_atomic race
                list[at] = e;
                break;
            }
        }
    }
}
TWINS(worklist_without_atomic)
{
    worklist<right><<<2, 32>>>(make_graph(), buffer<int>(VERTICES * DEGREE), buffer<int>(1));
}

template <bool right> __global__ void compress(int *parent)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = i;
    if (i < VERTICES) {
        while (v > (right ? atomicOr(&parent[v], 0)
                          : parent[v])) { // MISTAKE paths_without_atomics race
            v = right ? atomicOr(&parent[v], 0) : parent[v];
        }
        if (right) {
            atomicExch(&parent[i], v);
        } else {
            parent[i] = v;
        }
    }
}
TWINS(paths_without_atomics)
{
    int host[VERTICES];
    for (int i = 0; i < VERTICES; i++) {
        host[i] = i / 2;
    }
    int *parent = buffer<int>(VERTICES);
    must(cudaMemcpy(parent, host, sizeof host, cudaMemcpyHostToDevice));
    compress<right><<<2, 32>>>(parent);
}

template <bool right> __global__ void no_guard(graph g, int *degree)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (!right || v < VERTICES) {
        degree[v] = g.row[v + 1] - g.row[v]; // MISTAKE vertex_without_guard bounds
    }
}
TWINS(vertex_without_guard) { no_guard<right><<<2, 32>>>(make_graph(), buffer<int>(VERTICES)); }
