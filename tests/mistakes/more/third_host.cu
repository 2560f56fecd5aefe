/* third_host.cu - mistakes of the host: streams, copies, events, graphs, launches, several devices. */
/* flags: -arch=sm_80 */
#include "mistakes.h"
#include <cuda_runtime.h>
#include <unistd.h>

enum { N = 1 << 16,
       BYTES = N * (int)sizeof(int) };

__global__ void fill(int *a, int value)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void twice(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i];
}

/* A result is read from pinned memory while its copy may be under way. */
TWINS(pinned_read)
{
    int *host, *d = buffer<int>(N);
    must(cudaMallocHost(&host, BYTES));
    fill<<<N / 256, 256>>>(d, 3);
    cudaMemcpyAsync(host, d, BYTES, cudaMemcpyDeviceToHost, 0);
    if (right) {
        cudaStreamSynchronize(0);
    }
    if (host[5] == 4) { // MISTAKE pinned_read race
        puts("four");
    }
    cudaDeviceSynchronize();
    cudaFreeHost(host);
}

/* A staging buffer is written again before its copy is over. */
TWINS(staging)
{
    int *host, *d = buffer<int>(2 * N);
    cudaStream_t stream;
    must(cudaStreamCreate(&stream));
    must(cudaHostAlloc(&host, BYTES, cudaHostAllocDefault));
    for (int k = 0; k < 2; k++) {
        if (right) {
            cudaStreamSynchronize(stream);
        }
        memset(host, k, BYTES); // MISTAKE staging race
        cudaMemcpyAsync(d + k * N, host, BYTES, cudaMemcpyHostToDevice, stream);
    }
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFreeHost(host);
}

/* Two streams, one of which makes what the other copies. */
TWINS(two_streams)
{
    cudaStream_t a, b;
    cudaEvent_t made;
    int *d = buffer<int>(N), *e = buffer<int>(N);
    must(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    must(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    must(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    cudaDeviceSynchronize();
    fill<<<N / 256, 256, 0, a>>>(d, 1);
    cudaEventRecord(made, right ? a : b);
    cudaStreamWaitEvent(b, made, 0);
    cudaMemcpyAsync(e, d, BYTES, cudaMemcpyDeviceToDevice, b); // MISTAKE two_streams race
    cudaDeviceSynchronize();
    cudaEventDestroy(made);
    cudaStreamDestroy(a), cudaStreamDestroy(b);
}

/* The wait is enqueued before the event has been recorded. */
TWINS(wait_first)
{
    cudaStream_t a, b;
    cudaEvent_t made;
    int *d = buffer<int>(N), *e = buffer<int>(N);
    must(cudaStreamCreate(&a));
    must(cudaStreamCreate(&b));
    must(cudaEventCreate(&made));
    if (right) {
        fill<<<N / 256, 256, 0, a>>>(d, 1);
        cudaEventRecord(made, a);
        cudaStreamWaitEvent(b, made, 0);
    } else {
        cudaStreamWaitEvent(b, made, 0);
        fill<<<N / 256, 256, 0, a>>>(d, 1);
        cudaEventRecord(made, a);
    }
    twice<<<N / 256, 256, 0, b>>>(d, e); // MISTAKE wait_first race
    cudaDeviceSynchronize();
    cudaEventDestroy(made);
    cudaStreamDestroy(a), cudaStreamDestroy(b);
}

/* Chunks in several streams overlap by a halo. */
TWINS(chunk_halo)
{
    cudaStream_t s[2];
    int *d = buffer<int>(N);
    for (int k = 0; k < 2; k++) {
        must(cudaStreamCreate(&s[k]));
    }
    cudaDeviceSynchronize();
    for (int k = 0; k < 2; k++) {
        int halo = right ? 0 : 16;
        cudaMemsetAsync(d + k * (N / 2) - (k ? halo : 0), k, (N / 2 + (k ? halo : 0)) * sizeof(int), s[k]); // MISTAKE chunk_halo race
    }
    for (int k = 0; k < 2; k++) {
        cudaStreamSynchronize(s[k]);
        cudaStreamDestroy(s[k]);
    }
}

/* Managed memory is changed while a kernel uses it. */
TWINS(managed_write)
{
    int *m;
    must(cudaMallocManaged(&m, BYTES));
    memset(m, 0, BYTES);
    fill<<<N / 256, 256>>>(m, 3);
    if (right) {
        cudaDeviceSynchronize();
    }
    m[100] = 5; // MISTAKE managed_write race
    cudaDeviceSynchronize();
    cudaFree(m);
}

/* A managed array is read behind its free. */
TWINS(managed_gone)
{
    int *m, first = 0;
    must(cudaMallocManaged(&m, BYTES));
    fill<<<N / 256, 256>>>(m, 3);
    cudaDeviceSynchronize();
    if (right) {
        first = m[0];
    }
    cudaFree(m);
    if (!right) {
        first = ((volatile int *)m)[0]; // MISTAKE managed_gone .
    }
    if (first == 4) {
        puts("four");
    }
}

/* An array of a function's frame is the target of a copy that nobody waits for. */
static __attribute__((noinline)) void start(const int *d, cudaStream_t stream, bool right)
{
    int local[256];
    cudaMemcpyAsync(local, d, sizeof local, cudaMemcpyDeviceToHost, stream); // MISTAKE frame_target race
    if (right) {
        cudaStreamSynchronize(stream);
    }
}
TWINS(frame_target)
{
    cudaStream_t stream;
    must(cudaStreamCreate(&stream));
    start(buffer<int>(N), stream, right);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}

/* The direction of a copy is the wrong one. */
TWINS(direction)
{
    int host[64] = {0};
    cudaMemcpy(buffer<int>(64), host, sizeof host, right ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost); // MISTAKE direction .
}

/* A copy is longer than its target. */
TWINS(copy_long)
{
    int host[64] = {0};
    cudaMemcpy(buffer<int>(32), host, right ? 128 : 256, cudaMemcpyHostToDevice); // MISTAKE copy_long .
}

/* A copy reads behind the end of the host's array. */
TWINS(copy_source)
{
    int *host = (int *)calloc(100, sizeof(int));
    cudaMemcpy(buffer<int>(128), host, (right ? 100 : 128) * sizeof(int), cudaMemcpyHostToDevice); // MISTAKE copy_source .
    free(host);
}

/* A symbol gets more than it holds. */
__constant__ float weights[16];
__global__ void use_weights(float *out)
{
    out[threadIdx.x] = weights[threadIdx.x];
}
TWINS(symbol_long)
{
    float host[32] = {0};
    cudaMemcpyToSymbol(weights, host, right ? sizeof(float) * 16 : sizeof host); // MISTAKE symbol_long .
    use_weights<<<1, 16>>>(buffer<float>(16));
}

/* Rows of a copy are wider than the pitch. */
TWINS(wide_rows)
{
    int host[8 * 8] = {0};
    cudaMemcpy2D(buffer<int>(1024), 64, host, 32, right ? 32 : 40, 8, cudaMemcpyHostToDevice); // MISTAKE wide_rows .
}

/* An array is freed twice. */
TWINS(free_twice)
{
    int *d;
    must(cudaMalloc(&d, BYTES));
    cudaFree(d);
    if (!right) {
        cudaFree(d); // MISTAKE free_twice .
    }
}

/* A pointer into the middle of an array is freed. */
TWINS(free_middle)
{
    int *d;
    must(cudaMalloc(&d, BYTES));
    cudaFree(right ? d : d + 64); // MISTAKE free_middle .
    if (!right) {
        cudaFree(d);
    }
}

/* Pinned memory is given back by free(). */
TWINS(free_pinned)
{
    int *host;
    must(cudaMallocHost(&host, BYTES)); // MISTAKE free_pinned .
    if (right) {
        cudaFreeHost(host);
    } else {
        fflush(NULL);
        cudaFree(host);
    }
}

/* A stream, an event, an array, a graph, a texture are never given back. */
TWINS(leaked_stream)
{
    cudaStream_t stream;
    must(cudaStreamCreate(&stream)); // MISTAKE leaked_stream leak
    fill<<<1, 32, 0, stream>>>(buffer<int>(32), 1);
    cudaStreamSynchronize(stream);
    if (right) {
        cudaStreamDestroy(stream);
    }
}
TWINS(leaked_pinned)
{
    int *host;
    must(cudaHostAlloc(&host, 4096, cudaHostAllocMapped)); // MISTAKE leaked_pinned leak
    if (right) {
        cudaFreeHost(host);
    }
}

/* Two nodes of a graph that need an edge. */
TWINS(graph_edge)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, second;
    int *d = buffer<int>(256), *e = buffer<int>(256), value = 7;
    must(cudaGraphCreate(&graph, 0));
    void *fill_args[] = {&d, &value}, *twice_args[] = {&d, &e};
    cudaKernelNodeParams p = {};
    p.func = (void *)fill, p.gridDim = dim3(1), p.blockDim = dim3(256), p.kernelParams = fill_args;
    must(cudaGraphAddKernelNode(&first, graph, NULL, 0, &p));
    p.func = (void *)twice, p.kernelParams = twice_args;
    must(cudaGraphAddKernelNode(&second, graph, &first, right ? 1 : 0, &p));
    must(cudaGraphInstantiate(&exec, graph, 0));
    cudaGraphLaunch(exec, 0); // MISTAKE graph_edge race
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

/* Two branches of a capture meet in one array. */
TWINS(capture_fork)
{
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *d = buffer<int>(256), *e = buffer<int>(256);
    must(cudaStreamCreate(&a)), must(cudaStreamCreate(&b));
    must(cudaEventCreate(&fork)), must(cudaEventCreate(&join));
    must(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork, 0);
    fill<<<1, 256, 0, b>>>(d, 4);
    if (right) {
        cudaEventRecord(join, b);
        cudaStreamWaitEvent(a, join, 0);
    }
    twice<<<1, 256, 0, a>>>(d, e);
    if (!right) {
        cudaEventRecord(join, b);
        cudaStreamWaitEvent(a, join, 0);
    }
    must(cudaStreamEndCapture(a, &graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    cudaGraphLaunch(exec, a); // MISTAKE capture_fork race
    cudaStreamSynchronize(a);
    cudaGraphExecDestroy(exec), cudaGraphDestroy(graph);
    cudaEventDestroy(fork), cudaEventDestroy(join);
    cudaStreamDestroy(a), cudaStreamDestroy(b);
}

/* The configuration of a launch asks for too much, and nobody looks. */
TWINS(too_many_threads)
{
    fill<<<1, right ? 1024 : 2048>>>(buffer<int>(2048), 1); // MISTAKE too_many_threads .
    if (right) {
        must(cudaGetLastError());
    }
}
__global__ void big_shared(int *out)
{
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    out[threadIdx.x] = s[threadIdx.x];
}
TWINS(shared_opt_in)
{
    if (right) {
        must(cudaFuncSetAttribute(big_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    }
    big_shared<<<1, 32, 65536>>>(buffer<int>(32)); // MISTAKE shared_opt_in .
    cudaDeviceSynchronize();
}
TWINS(empty_grid)
{
    int blocks = (right ? 100 : 0) / 32;
    fill<<<blocks, 32>>>(buffer<int>(96), 1); // MISTAKE empty_grid .
}

/* A time is asked for before the second event has happened. */
TWINS(elapsed_early)
{
    cudaEvent_t begin, end;
    float ms = 0;
    must(cudaEventCreate(&begin)), must(cudaEventCreate(&end));
    cudaEventRecord(begin);
    fill<<<N / 256, 256>>>(buffer<int>(N), 1);
    cudaEventRecord(end);
    if (right) {
        cudaEventSynchronize(end);
    } else {
        cudaEventSynchronize(begin);
    }
    cudaEventElapsedTime(&ms, begin, end); // MISTAKE elapsed_early .
    cudaEventDestroy(begin), cudaEventDestroy(end);
}
TWINS(elapsed_unrecorded)
{
    cudaEvent_t begin, end;
    float ms = 0;
    must(cudaEventCreate(&begin)), must(cudaEventCreate(&end));
    if (right) {
        cudaEventRecord(begin);
    }
    cudaEventRecord(end);
    cudaDeviceSynchronize();
    cudaEventElapsedTime(&ms, begin, end); // MISTAKE elapsed_unrecorded .
    cudaEventDestroy(begin), cudaEventDestroy(end);
}

/* A stream or an event is used when it has been destroyed. */
TWINS(stream_gone)
{
    cudaStream_t stream;
    must(cudaStreamCreate(&stream));
    if (!right) {
        cudaStreamDestroy(stream);
    }
    cudaMemsetAsync(buffer<int>(32), 0, 128, stream); // MISTAKE stream_gone .
    if (right) {
        cudaStreamDestroy(stream);
    }
}
TWINS(event_gone)
{
    cudaEvent_t event;
    must(cudaEventCreate(&event));
    cudaEventRecord(event);
    if (!right) {
        cudaEventDestroy(event);
    }
    cudaEventSynchronize(event); // MISTAKE event_gone .
    if (right) {
        cudaEventDestroy(event);
    }
}

/* A host function of a stream calls CUDA. */
static volatile int seen;
static void CUDART_CB report(void *p)
{
    bool right = *(bool *)p;
    if (!right) {
        seen = cudaStreamSynchronize(0); // MISTAKE call_inside .
    }
}
TWINS(call_inside)
{
    static bool way = right;
    cudaStream_t stream;
    must(cudaStreamCreate(&stream));
    must(cudaLaunchHostFunc(stream, report, &way));
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}

/* cudaMemcpy within one array moves it by one element. */
TWINS(shift_array)
{
    int *d = buffer<int>(N), *e = buffer<int>(N);
    if (right) {
        cudaMemcpy(e, d + 1, BYTES - 4, cudaMemcpyDeviceToDevice);
        cudaMemcpy(d, e, BYTES - 4, cudaMemcpyDeviceToDevice);
    } else {
        must(cudaMemcpy(d, d + 1, BYTES - 4, cudaMemcpyDeviceToDevice)); // MISTAKE shift_array .
    }
}

/* Memory of one stream's pool is used in another stream. */
TWINS(pool_stream)
{
    cudaStream_t a, b;
    int *d;
    must(cudaStreamCreate(&a)), must(cudaStreamCreate(&b));
    must(cudaMallocAsync((void **)&d, BYTES, a));
    if (right) {
        cudaStreamSynchronize(a);
    }
    fill<<<N / 256, 256, 0, b>>>(d, 1); // MISTAKE pool_stream race
    cudaStreamSynchronize(b);
    cudaFreeAsync(d, a);
    cudaStreamSynchronize(a);
    cudaStreamDestroy(a), cudaStreamDestroy(b);
}

/* More lines are printed than the buffer holds. */
__global__ void chatter(int n)
{
    for (int i = 0; i < n; i++) {
        printf("%d %d %d %d\n", (int)threadIdx.x, i, n, n - i); // MISTAKE chatter .
    }
}
TWINS(chatter)
{
    if (!freopen("/dev/null", "w", stdout)) {
        return;
    }
    chatter<<<4, 128>>>(right ? 4 : 100);
}

/* An asynchronous error is found at an unrelated call; this program looks nowhere. */
__global__ void far_store(int *a, int i)
{
    a[i] = 1; // MISTAKE fault_unread .
}
TWINS(fault_unread)
{
    far_store<<<1, 1>>>(buffer<int>(32), right ? 3 : 5000);
}

/* Work of a second host buffer: cudaMemcpy of pageable memory waits, cudaMemcpyAsync does not. */
TWINS(heap_source)
{
    cudaStream_t stream;
    must(cudaStreamCreate(&stream));
    int *host = (int *)malloc(BYTES);
    memset(host, 2, BYTES);
    cudaMemcpyAsync(buffer<int>(N), host, BYTES, cudaMemcpyHostToDevice, stream); // MISTAKE heap_source race
    if (right) {
        cudaStreamSynchronize(stream);
    }
    free(host);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}

/* A kernel and a flag for the host, without a fence for the system. */
__global__ void tell(volatile int *data, volatile int *flag, bool fence)
{
    *data = 42;
    if (fence) {
        __threadfence_system();
    }
    *flag = 1;
}
__global__ void tell_plain(int *data, volatile int *flag, bool fence)
{
    *data = 42;
    if (fence) {
        __threadfence_system();
    } else {
        __threadfence();
    }
    *flag = 1;
}
TWINS(system_fence)
{
    int *host;
    must(cudaHostAlloc(&host, 8192, cudaHostAllocMapped));
    memset(host, 0, 8192);
    volatile int *flag = host + 1024;
    tell_plain<<<1, 1>>>(host, flag, right);
    while (*flag == 0) {
    }
    if (host[0] != 42) { // MISTAKE system_fence race
        puts("early");
    }
    cudaDeviceSynchronize();
    cudaFreeHost(host);
}
