/* eighth_host.cu - of the eighth set: what hosts of today's CUDA launch, copy, await and free. */
/* flags: -std=c++17 -arch=sm_90a */
#include "mistakes.h"

#define I ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define T ((int)threadIdx.x)
enum { N = 4096, BYTES = N * sizeof(float) };

__global__ void fill(float *a, float value) { a[I] = value; }
__global__ void twice(const float *a, float *b)
{
    b[I] = 2 * a[I]; // MISTAKE host_vector host
}

static cudaStream_t stream()
{
    cudaStream_t s;
    must(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    return s;
}

/* A vector of the host is given to a kernel. */
TWINS(host_vector)
{
    float *h = (float *)calloc(N, sizeof *h), *a = buffer<float>(N);
    must(cudaMemcpy(a, h, BYTES, cudaMemcpyHostToDevice));
    twice<<<N / 256, 256>>>(right ? a : h, buffer<float>(N));
    cudaDeviceSynchronize();
    free(h);
}

/* A kernel goes on with memory that its stream has already given back. */
__global__ void grow(float *a)
{
    a[I] += 1; // MISTAKE given_to_pool freed
}
TWINS(given_to_pool)
{
    cudaStream_t s = stream();
    float *a;
    must(cudaMallocAsync(&a, BYTES, s));
    fill<<<N / 256, 256, 0, s>>>(a, 1);
    if (!right) {
        must(cudaFreeAsync(a, s));
    }
    grow<<<N / 256, 256, 0, s>>>(a);
    if (right) {
        must(cudaFreeAsync(a, s));
    }
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
}

/* The second stream does not wait for the event of the first. */
__global__ void consume(const float *a, float *b) { b[I] = a[I] + 1; }
TWINS(event_unawaited)
{
    cudaStream_t s = stream(), t = stream();
    cudaEvent_t made;
    float *a = buffer<float>(N), *b = buffer<float>(N);
    must(cudaDeviceSynchronize());
    must(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    fill<<<N / 256, 256, 0, s>>>(a, 1);
    must(cudaEventRecord(made, s));
    if (right) {
        must(cudaStreamWaitEvent(t, made, 0));
    }
    consume<<<N / 256, 256, 0, t>>>(a, b); // MISTAKE event_unawaited race.of.two.streams
    must(cudaDeviceSynchronize());
    must(cudaEventDestroy(made));
    must(cudaStreamDestroy(s));
    must(cudaStreamDestroy(t));
}

/* The next batch is written into the pinned array while the last is being copied. */
TWINS(next_batch)
{
    cudaStream_t s = stream();
    float *h, *a = buffer<float>(N);
    must(cudaMallocHost(&h, BYTES));
    memset(h, 0, BYTES);
    must(cudaDeviceSynchronize());
    must(cudaMemcpyAsync(a, h, BYTES, cudaMemcpyHostToDevice, s));
    if (right) {
        must(cudaStreamSynchronize(s));
    }
    h[5] = 1; // MISTAKE next_batch race
    must(cudaStreamSynchronize(s));
    must(cudaStreamDestroy(s));
    must(cudaFreeHost(h));
}

/* The last row of a picture with a pitch, and one more. */
template <bool right> __global__ void rows(char *a, size_t pitch, int width, int height)
{
    for (int y = 0; right ? y < height : y <= height; y++) {
        ((float *)(a + y * pitch))[T] = width; // MISTAKE pitched_rows out.of.bounds
    }
}
TWINS(pitched_rows)
{
    void *a;
    size_t pitch;
    must(cudaMallocPitch(&a, &pitch, 100 * sizeof(float), 7));
    rows<right><<<1, 100>>>((char *)a, pitch, 100, 7);
    cudaDeviceSynchronize();
    cudaFree(a);
}

/* A block is larger than the kernel's bound. */
__global__ void __launch_bounds__(128) bounded(float *a) { a[I] = 1; }
TWINS(beyond_bounds)
{
    float *a = buffer<float>(1024);
    bounded<<<4, right ? 128 : 256>>>(a); // MISTAKE beyond_bounds __launch_bounds__
}

/* A recursion is deeper than the stack of a thread. */
__device__ __noinline__ int depth(int n, volatile int *a)
{
    volatile int local[64];
    local[n % 64] = a[n % 4];
    if (n == 0) {
        return 0;
    }
    int below = depth(n - 1, a); // MISTAKE too_deep stack
    return below + local[n % 64];
}
__global__ void descend(int n, int *a) { *a = depth(n, a + 1); }
TWINS(too_deep)
{
    if (right) {
        must(cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10));
    }
    descend<<<1, 1>>>(63, buffer<int>(8));
}

/* The kind of a copy is the wrong way round. */
TWINS(reversed)
{
    float *h = (float *)calloc(N, sizeof *h), *a = buffer<float>(N);
    cudaMemcpyKind kind = right ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    cudaMemcpy(a, h, BYTES, kind); // MISTAKE reversed direction
    free(h);
}

/* The weights of a filter are copied with the size of a longer array. */
__constant__ float weights[9];
__global__ void filter(const float *in, float *out) { out[I] = in[I] * weights[T % 9]; }
TWINS(long_weights)
{
    float w[16] = {1};
    size_t bytes = right ? sizeof weights : sizeof w;
    cudaMemcpyToSymbol(weights, w, bytes); // MISTAKE long_weights variable
    filter<<<1, 64>>>(buffer<float>(64), buffer<float>(64));
}

/* The third argument of the launch is forgotten. */
extern __shared__ float dynamic[];
__global__ void turned(const float *in, float *out)
{
    dynamic[T] = in[T]; // MISTAKE no_dynamic third.argument
    __syncthreads();
    out[T] = dynamic[63 - T];
}
TWINS(no_dynamic) { turned<<<1, 64, right ? 256 : 0>>>(buffer<float>(64), buffer<float>(64)); }

/* The host looks at managed memory while a kernel fills it. */
TWINS(managed_look)
{
    float *m;
    must(cudaMallocManaged(&m, BYTES));
    fill<<<N / 256, 256>>>(m, 1);
    if (right) {
        must(cudaDeviceSynchronize());
    }
    volatile float first = *(volatile float *)m; // MISTAKE managed_look race
    (void)first;
    must(cudaDeviceSynchronize());
    must(cudaFree(m));
}

/* A graph goes on using an array that was freed. */
__global__ void step(float *a)
{
    a[I] += 1; // MISTAKE graph_outlives freed
}
TWINS(graph_outlives)
{
    cudaStream_t s = stream();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float *a;
    must(cudaMalloc(&a, BYTES));
    must(cudaMemset(a, 0, BYTES));
    must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    step<<<N / 256, 256, 0, s>>>(a);
    must(cudaStreamEndCapture(s, &graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaDeviceSynchronize());
    if (!right) {
        must(cudaFree(a));
    }
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    if (right) {
        must(cudaFree(a));
    }
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(s);
}

/* Two owners of one array both free it. */
TWINS(two_owners)
{
    float *a;
    must(cudaMalloc(&a, BYTES));
    float *copy = a;
    must(cudaFree(a));
    if (!right) {
        cudaFree(copy); // MISTAKE two_owners freed.already
    }
}

/* A cooperative launch of more blocks than are resident at a time. */
TWINS(too_large_grid)
{
    float *a = buffer<float>(1 << 20), one = 1;
    void *list[] = {&a, &one};
    const dim3 grid(right ? 16 : 4096), block(256);
    void *k = (void *)fill;
    cudaLaunchCooperativeKernel(k, grid, block, list, 0, 0); // MISTAKE too_large_grid cooperative
}
