/* fifth.cu - what was missed of a fifth set at first: blocks of a cluster that may have ended,
 * graphs that run beside each other, branches of a captured graph; and a right kernel whose address
 * of another block's memory is computed before the branch that asks for it. */
/* flags: -arch=sm_90 -std=c++17 */
#include "mistakes.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

/* The neighbour may have ended while its numbers are read. */
template <bool right> __global__ void __cluster_dims__(2) ended(const int *in, int *out)
{
    __shared__ int s[32];
    auto cluster = cg::this_cluster();
    s[threadIdx.x] = in[threadIdx.x];
    cluster.sync();
    out[32 * cluster.block_rank() + threadIdx.x] =
        cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[threadIdx.x]; // MISTAKE ended ended
    if (right) {
        cluster.sync();
    }
}
TWINS(ended) { ended<right><<<2, 32>>>(buffer<int>(32), buffer<int>(64)); }

/* The same with an atomic, in the memory of the first of four. */
template <bool right> __global__ void __cluster_dims__(4) ended_sum(int *out)
{
    __shared__ int sum;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        sum = 0;
    }
    cluster.sync();
    if (cluster.block_rank() != 0) {
        atomicAdd(cluster.map_shared_rank(&sum, 0), 1); // MISTAKE ended_sum ended
    }
    if (right) {
        cluster.sync();
        if (cluster.block_rank() == 0 && threadIdx.x == 0) {
            *out = sum;
        }
    }
}
TWINS(ended_sum) { ended_sum<right><<<4, 32>>>(buffer<int>(1)); }

/* Each block gives its last number to the one before; the first block has none before it. */
template <bool right> __global__ void __cluster_dims__(4) to_the_left(const int *in, int *out)
{
    __shared__ int own[32], got;
    auto cluster = cg::this_cluster();
    const int rank = cluster.block_rank();
    own[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x == 0) {
        got = 0;
    }
    cluster.sync();
    if (threadIdx.x == 0 && rank > 0) {
        *cluster.map_shared_rank(&got, rank - 1) = own[0];
    }
    if (right) {
        cluster.sync();
    }
    out[rank * 32 + threadIdx.x] = got + own[31 - threadIdx.x]; // MISTAKE to_the_left race
    cluster.sync();
}
TWINS(to_the_left)
{
    int *in = buffer<int>(32), ones[32];
    for (int &one : ones) {
        one = 1;
    }
    must(cudaMemcpy(in, ones, sizeof ones, cudaMemcpyHostToDevice));
    to_the_left<right><<<4, 32>>>(in, buffer<int>(128));
}

__global__ void fill(int *a, int value) { a[threadIdx.x] = value; }

static cudaGraphExec_t captured_fill(cudaStream_t s, int *a, int value)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fill<<<1, 32, 0, s>>>(a, value);
    must(cudaStreamEndCapture(s, &graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaGraphDestroy(graph));
    return exec;
}

/* Two graphs fill one array, in two streams. */
TWINS(two_graphs)
{
    cudaStream_t s, t;
    must(cudaStreamCreate(&s));
    must(cudaStreamCreate(&t));
    int *a = buffer<int>(32);
    must(cudaDeviceSynchronize());
    const cudaGraphExec_t first = captured_fill(s, a, 1), second = captured_fill(s, a, 2);
    must(cudaGraphLaunch(first, s));
    must(cudaGraphLaunch(second, right ? s : t)); // MISTAKE two_graphs race
    must(cudaDeviceSynchronize());
    must(cudaGraphExecDestroy(first));
    must(cudaGraphExecDestroy(second));
    must(cudaStreamDestroy(s));
    must(cudaStreamDestroy(t));
}

/* A fork in a captured graph, recorded before what it is to wait for. */
TWINS(fork)
{
    cudaStream_t s, t;
    cudaEvent_t forked, joined;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    must(cudaStreamCreate(&s));
    must(cudaStreamCreate(&t));
    must(cudaEventCreate(&forked));
    must(cudaEventCreate(&joined));
    int *a = buffer<int>(32);
    must(cudaDeviceSynchronize());
    must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    if (!right) {
        must(cudaEventRecord(forked, s));
    }
    fill<<<1, 32, 0, s>>>(a, 1);
    if (right) {
        must(cudaEventRecord(forked, s));
    }
    must(cudaStreamWaitEvent(t, forked, 0));
    fill<<<1, 32, 0, t>>>(a, 2); // MISTAKE fork race
    must(cudaEventRecord(joined, t));
    must(cudaStreamWaitEvent(s, joined, 0));
    must(cudaStreamEndCapture(s, &graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaGraphLaunch(exec, s));
    must(cudaDeviceSynchronize());
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
    must(cudaEventDestroy(forked));
    must(cudaEventDestroy(joined));
    must(cudaStreamDestroy(s));
    must(cudaStreamDestroy(t));
}

/* Counts by class, of which the first is not cleared. */
template <bool right> __global__ void classes(int n, const int *in, int *out)
{
    int count[8];
    for (int c = right ? 0 : 1; c < 8; c++) {
        count[c] = 0;
    }
    for (int i = 0; i < n; i++) {
        count[in[i] & 7]++; // MISTAKE classes uninitialised
    }
    for (int c = 0; c < 8; c++) {
        out[c] = count[in[c] & 7];
    }
}
TWINS(classes) { classes<right><<<1, 1>>>(16, buffer<int>(16), buffer<int>(8)); }
