/* fourth_host.cu - streams, events, graphs, lifetimes, textures, as C++ wraps them. */
#include "mistakes.h"
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

struct stream {
    cudaStream_t s;
    explicit stream(unsigned flags = cudaStreamDefault)
    {
        must(cudaStreamCreateWithFlags(&s, flags));
    }
    ~stream() { cudaStreamDestroy(s); }
    stream(const stream &) = delete;
    operator cudaStream_t() const { return s; }
};
struct event {
    cudaEvent_t e;
    event() { must(cudaEventCreate(&e)); }
    ~event() { cudaEventDestroy(e); }
    event(const event &) = delete;
    operator cudaEvent_t() const { return e; }
};
__global__ void fill(int *a, int v) { a[blockIdx.x * blockDim.x + threadIdx.x] = v; }
__global__ void twice(const int *a, int *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = 2 * a[i];
}
__global__ void add_to(int *a, const int *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] += b[i];
}

TWINS(event_before)
{
    stream a, b;
    event done;
    int *x = buffer<int>(256), *y = buffer<int>(256);
    must(cudaDeviceSynchronize());
    if (!right)
        must(cudaEventRecord(done, a));
    fill<<<4, 64, 0, a>>>(x, 3);
    if (right)
        must(cudaEventRecord(done, a));
    must(cudaStreamWaitEvent(b, done));
    twice<<<4, 64, 0, b>>>(x, y); // MISTAKE event_before race
    must(cudaDeviceSynchronize());
}
TWINS(event_reuse)
{
    stream a, b, c;
    event e;
    int *x = buffer<int>(64), *y = buffer<int>(64), *z = buffer<int>(64);
    must(cudaDeviceSynchronize());
    fill<<<1, 64, 0, a>>>(x, 1);
    must(cudaEventRecord(e, a));
    if (right)
        must(cudaStreamWaitEvent(c, e));
    fill<<<1, 64, 0, b>>>(y, 2);
    must(cudaEventRecord(e, b));
    must(cudaStreamWaitEvent(c, e));
    add_to<<<1, 64, 0, c>>>(z, x); // MISTAKE event_reuse race
    must(cudaDeviceSynchronize());
}
TWINS(wait_before_record)
{
    stream a, b;
    event e;
    int *x = buffer<int>(64), *y = buffer<int>(64);
    must(cudaDeviceSynchronize());
    if (!right)
        must(cudaStreamWaitEvent(b, e));
    fill<<<1, 64, 0, a>>>(x, 1);
    must(cudaEventRecord(e, a));
    if (right)
        must(cudaStreamWaitEvent(b, e));
    twice<<<1, 64, 0, b>>>(x, y); // MISTAKE wait_before_record race
    must(cudaDeviceSynchronize());
}
TWINS(pipeline_back)
{
    /* Two stages share one buffer; the second round's producer must wait for the first round's
     * consumer. */
    stream produce, consume;
    event full, empty;
    int *x = buffer<int>(64), *y = buffer<int>(128);
    must(cudaDeviceSynchronize());
    for (int k = 0; k < 2; k++) {
        if (right && k)
            must(cudaStreamWaitEvent(produce, empty));
        fill<<<1, 64, 0, produce>>>(x, k); // MISTAKE pipeline_back race
        must(cudaEventRecord(full, produce));
        must(cudaStreamWaitEvent(consume, full));
        twice<<<1, 64, 0, consume>>>(x, y + 64 * k);
        must(cudaEventRecord(empty, consume));
    }
    must(cudaDeviceSynchronize());
}
TWINS(many_streams)
{
    std::vector<std::unique_ptr<stream>> s;
    for (int i = 0; i < 4; i++)
        s.emplace_back(new stream);
    int *x = buffer<int>(4 * 64);
    std::vector<int> h(4 * 64);
    must(cudaHostRegister(h.data(), h.size() * sizeof(int), 0));
    must(cudaDeviceSynchronize());
    for (int i = 0; i < 4; i++)
        fill<<<1, 64, 0, *s[i]>>>(x + 64 * i, i);
    for (int i = 0; i < 4; i++)
        must(cudaMemcpyAsync(&h[64 * i], x + 64 * i, 256, cudaMemcpyDeviceToHost, // MISTAKE many_streams race
                             *s[right ? i : 0]));
    must(cudaDeviceSynchronize());
    must(cudaHostUnregister(h.data()));
}
TWINS(graph_edge)
{
    int *x = buffer<int>(64), *y = buffer<int>(64), v = 4;
    must(cudaDeviceSynchronize());
    cudaGraph_t g;
    must(cudaGraphCreate(&g, 0));
    void *fa[] = {&x, &v}, *ta[] = {&x, &y};
    cudaKernelNodeParams p = {};
    p.gridDim = dim3(1), p.blockDim = dim3(64);
    cudaGraphNode_t first, second;
    p.func = (void *)fill, p.kernelParams = fa;
    must(cudaGraphAddKernelNode(&first, g, nullptr, 0, &p));
    p.func = (void *)twice, p.kernelParams = ta;
    must(cudaGraphAddKernelNode(&second, g, right ? &first : nullptr, right ? 1 : 0, &p));
    cudaGraphExec_t e;
    must(cudaGraphInstantiate(&e, g, 0));
    must(cudaGraphLaunch(e, 0)); // MISTAKE graph_edge race
    must(cudaDeviceSynchronize());
    must(cudaGraphExecDestroy(e));
    must(cudaGraphDestroy(g));
}
TWINS(graph_twice)
{
    /* The same executable graph goes to two streams: CUDA orders its launches; the kernel beside
     * them is not. */
    stream a, b;
    int *x = buffer<int>(64), *y = buffer<int>(64);
    must(cudaDeviceSynchronize());
    cudaGraph_t g;
    must(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    fill<<<1, 64, 0, a>>>(x, 9);
    must(cudaStreamEndCapture(a, &g));
    cudaGraphExec_t e;
    must(cudaGraphInstantiate(&e, g, 0));
    must(cudaGraphLaunch(e, a));
    twice<<<1, 64, 0, right ? a : b>>>(x, y); // MISTAKE graph_twice race
    must(cudaDeviceSynchronize());
    must(cudaGraphExecDestroy(e));
    must(cudaGraphDestroy(g));
}
TWINS(graph_freed)
{
    stream a;
    int *x;
    must(cudaMalloc(&x, 256));
    cudaGraph_t g;
    must(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    must(cudaMemsetAsync(x, 0, 256, a));
    must(cudaStreamEndCapture(a, &g));
    cudaGraphExec_t e;
    must(cudaGraphInstantiate(&e, g, 0));
    if (!right)
        must(cudaFree(x));
    cudaError_t c = cudaGraphLaunch(e, a); // MISTAKE graph_freed simt
    if (c == cudaSuccess)
        c = cudaDeviceSynchronize();
    if (right)
        must(c);
    if (right)
        must(cudaFree(x));
    must(cudaGraphExecDestroy(e));
    must(cudaGraphDestroy(g));
}
TWINS(managed_host_write)
{
    int *m;
    must(cudaMallocManaged(&m, 64 * sizeof(int)));
    std::fill(m, m + 64, 1);
    twice<<<1, 64>>>(m, buffer<int>(64));
    if (right)
        must(cudaDeviceSynchronize());
    m[63] = 5; // MISTAKE managed_host_write race
    must(cudaDeviceSynchronize());
    must(cudaFree(m));
}
struct view {
    int *p;
    size_t n;
    int *begin() const { return p; }
    int *end() const { return p + n; }
};
TWINS(managed_range)
{
    int *m;
    must(cudaMallocManaged(&m, 64 * sizeof(int)));
    view v{m, 64};
    fill<<<1, 64>>>(m, 2);
    if (right)
        must(cudaDeviceSynchronize());
    long sum = 0;
    for (int x : v) // MISTAKE managed_range race
        sum += x;
    must(cudaDeviceSynchronize());
    if (sum == 1)
        puts("one");
    must(cudaFree(m));
}
TWINS(pool_free)
{
    stream a, b;
    event e;
    int *x, *y = buffer<int>(64);
    must(cudaMallocAsync(&x, 256, a));
    must(cudaMemsetAsync(x, 0, 256, a));
    must(cudaEventRecord(e, a));
    must(cudaStreamWaitEvent(b, e));
    twice<<<1, 64, 0, b>>>(x, y);
    must(cudaEventRecord(e, b));
    if (right)
        must(cudaStreamWaitEvent(a, e));
    must(cudaFreeAsync(x, a)); // MISTAKE pool_free race
    must(cudaDeviceSynchronize());
}
__global__ void read_freed(const int *a, int *b)
{
    b[threadIdx.x] = a[threadIdx.x]; // MISTAKE pool_after freed
}
TWINS(pool_after)
{
    stream a;
    int *x, *y = buffer<int>(64);
    must(cudaMallocAsync(&x, 256, a));
    must(cudaMemsetAsync(x, 0, 256, a));
    if (!right)
        must(cudaFreeAsync(x, a));
    read_freed<<<1, 64, 0, a>>>(x, y);
    if (right)
        must(cudaFreeAsync(x, a));
    cudaStreamSynchronize(a);
}
__global__ void from_host(const int *a, int *b)
{
    b[threadIdx.x] = a[threadIdx.x]; // MISTAKE vector_data host
}
TWINS(vector_data)
{
    std::vector<int> h(64, 1);
    int *d = buffer<int>(64);
    from_host<<<1, 64>>>(right ? d : h.data(), buffer<int>(64));
    cudaDeviceSynchronize();
}
TWINS(wrong_direction)
{
    std::vector<int> h(64);
    int *d = buffer<int>(64);
    cudaError_t c = cudaMemcpy(h.data(), d, 256, // MISTAKE wrong_direction simt
                               right ? cudaMemcpyDeviceToHost
                                     : cudaMemcpyHostToDevice);
    if (right)
        must(c);
}
TWINS(short_vector)
{
    std::vector<float> h;
    h.reserve(50);
    h.resize(50);
    float *d = buffer<float>(64);
    cudaError_t c = cudaMemcpy(d, h.data(), sizeof(float) * (right ? h.size() : 64), // MISTAKE short_vector simt
                               cudaMemcpyHostToDevice);
    if (right)
        must(c);
}
__constant__ float weights[9];
TWINS(symbol_large)
{
    double h[9] = {0};
    float f[9] = {0};
    const void *from = right ? (const void *)f : h;
    const size_t bytes = right ? sizeof f : sizeof h;
    cudaError_t c = cudaMemcpyToSymbol(weights, from, bytes); // MISTAKE symbol_large simt
    if (right)
        must(c);
}
__device__ int counters[4];
TWINS(symbol_address)
{
    int h[4], *p = counters;
    if (right)
        must(cudaGetSymbolAddress((void **)&p, counters));
    const cudaMemcpyKind kind = cudaMemcpyDeviceToHost;
    cudaError_t c = cudaMemcpy(h, p, sizeof h, kind); // MISTAKE symbol_address simt
    if (right)
        must(c);
}
template <bool counted> struct array {
    int *p;
    bool mine = true;
    array() { must(cudaMalloc(&p, 256)); }
    array(const array &o) : p(o.p), mine(!counted) {}
    ~array()
    {
        if (mine)
            cudaFree(p); // MISTAKE copied_owner simt
    }
};
template <bool c> static void use(array<c> a) { must(cudaMemset(a.p, 0, 256)); }
TWINS(copied_owner)
{
    array<right> a;
    use(a);
}

struct owner {
    int *p = nullptr;
    owner()
    {
        must(cudaMalloc(&p, 256));
        must(cudaMemset(p, 0, 256));
    }
    owner(owner &&o) noexcept : p(std::exchange(o.p, nullptr)) {}
    ~owner() { cudaFree(p); }
};
__global__ void touch(int *p)
{
    p[threadIdx.x]++; // MISTAKE moved_from simt
}
TWINS(moved_from)
{
    owner a, b(std::move(a));
    touch<<<1, 64>>>(right ? b.p : a.p);
    cudaDeviceSynchronize();
}
__global__ void fetch(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); // MISTAKE texture_gone simt
}
static cudaTextureObject_t linear_texture(float *p, size_t bytes)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = p;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = bytes;
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    must(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}
TWINS(texture_gone)
{
    cudaTextureObject_t t = linear_texture(buffer<float>(64), 256);
    float *out = buffer<float>(64);
    if (!right)
        must(cudaDestroyTextureObject(t));
    fetch<<<1, 64>>>(t, out);
    cudaDeviceSynchronize();
    if (right)
        must(cudaDestroyTextureObject(t));
}
template <bool right> __global__ void surface_write(cudaSurfaceObject_t s)
{
    float v = threadIdx.x;
    surf2Dwrite(v, s, threadIdx.x * (right ? 4 : 8), threadIdx.y); // MISTAKE surface_bytes simt
}
TWINS(surface_bytes)
{
    cudaArray_t a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    must(cudaMallocArray(&a, &f, 16, 4, cudaArraySurfaceLoadStore));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaSurfaceObject_t s;
    must(cudaCreateSurfaceObject(&s, &r));
    surface_write<right><<<1, dim3(16, 4)>>>(s);
    cudaDeviceSynchronize();
    must(cudaDestroySurfaceObject(s));
    must(cudaFreeArray(a));
}
TWINS(stream_gone)
{
    cudaStream_t s;
    must(cudaStreamCreate(&s));
    int *x = buffer<int>(64);
    if (!right)
        must(cudaStreamDestroy(s));
    fill<<<1, 64, 0, s>>>(x, 1); // MISTAKE stream_gone exist
    if (cudaGetLastError() != cudaSuccess)
        exit(1);
    if (right)
        must(cudaStreamDestroy(s));
}
TWINS(early_exit_leak)
{
    int *a, *b;
    must(cudaMalloc(&a, 1024)); // MISTAKE early_exit_leak leak
    if (cudaMalloc(&b, 2048) != cudaSuccess)
        return;
    must(cudaFree(b));
    if (right)
        must(cudaFree(a));
}
TWINS(too_many_threads)
{
    int *x = buffer<int>(64 * 32);
    dim3 block(64, right ? 8 : 32);
    fill<<<1, block>>>(x, 1); // MISTAKE too_many_threads ignored
    if (right)
        must(cudaGetLastError());
    must(cudaMemset(x, 0, 256));
    if (!right)
        exit(0);
}
extern __shared__ int big[];
__global__ void use_big(int *out)
{
    big[threadIdx.x] = 1;
    out[threadIdx.x] = big[threadIdx.x];
}
TWINS(big_shared)
{
    int bytes = 96 * 1024;
    int *out = buffer<int>(64);
    if (right)
        must(cudaFuncSetAttribute(use_big, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    use_big<<<1, 64, bytes>>>(out); // MISTAKE big_shared ignored
    if (right)
        must(cudaGetLastError());
    if (!right)
        exit(0);
}
static int *called_back;
template <bool right> static void CUDART_CB on_done(void *p)
{
    if (!right)
        cudaMemset(called_back, 0, 4); // MISTAKE host_function_calls simt
    *(int *)p = 1;
}
TWINS(host_function_calls)
{
    static int seen;
    called_back = buffer<int>(64);
    fill<<<1, 64>>>(called_back, 1);
    must(cudaLaunchHostFunc(0, on_done<right>, &seen));
    must(cudaDeviceSynchronize());
}
TWINS(nonblocking)
{
    stream s(right ? cudaStreamDefault : cudaStreamNonBlocking);
    int *x = buffer<int>(64), *y = buffer<int>(64);
    must(cudaDeviceSynchronize());
    fill<<<1, 64>>>(x, 1);
    twice<<<1, 64, 0, s>>>(x, y); // MISTAKE nonblocking race
    must(cudaDeviceSynchronize());
}
template <bool right> static __attribute__((noinline)) void post(cudaStream_t s, int *d)
{
    int local[64];
    for (int &x : local)
        x = 3;
    must(cudaMemcpyAsync(d, local, sizeof local, cudaMemcpyHostToDevice, // MISTAKE stack_source simt
                         s));
    if (right)
        must(cudaStreamSynchronize(s));
}
TWINS(stack_source)
{
    stream s;
    int *d = buffer<int>(64);
    must(cudaDeviceSynchronize());
    post<right>(s, d);
    char other[512];
    memset(other, 1, sizeof other);
    asm volatile("" ::"r"(other) : "memory");
    must(cudaDeviceSynchronize());
}
template <bool right> __global__ void tell_host(int *result, volatile int *flag)
{
    *result = 11;
    if (right)
        __threadfence_system();
    else
        __threadfence();
    *flag = 1;
}
TWINS(mapped_flag)
{
    int *h, *d;
    must(cudaHostAlloc(&h, 8192, cudaHostAllocMapped));
    memset(h, 0, 8192);
    must(cudaHostGetDevicePointer(&d, h, 0));
    tell_host<right><<<1, 1>>>(d, d + 1024);
    while (((volatile int *)h)[1024] == 0) {
    }
    int v = *(volatile int *)h; // MISTAKE mapped_flag race
    must(cudaDeviceSynchronize());
    if (v == 1)
        puts("one");
    must(cudaFreeHost(h));
}
TWINS(elapsed_early)
{
    event from, to;
    int *x = buffer<int>(64);
    float ms = 0;
    must(cudaEventRecord(from));
    fill<<<1, 64>>>(x, 1);
    must(cudaEventRecord(to));
    if (right)
        must(cudaEventSynchronize(to));
    cudaEventElapsedTime(&ms, from, to); // MISTAKE elapsed_early simt
    must(cudaDeviceSynchronize());
}
struct solver {
    int n;
    int *data;
};
__global__ void step_solver(const solver *s)
{
    if (threadIdx.x < s->n) // MISTAKE host_this host
        s->data[threadIdx.x]++;
}
TWINS(host_this)
{
    solver s{64, buffer<int>(64)}, *d = buffer<solver>(1);
    must(cudaMemcpy(d, &s, sizeof s, cudaMemcpyHostToDevice));
    step_solver<<<1, 64>>>(right ? d : &s);
    cudaDeviceSynchronize();
}
TWINS(pitch_small)
{
    float h[8][20] = {{0}}, *p;
    size_t pitch;
    must(cudaMallocPitch(&p, &pitch, sizeof h[0], 8));
    cudaError_t c = cudaMemcpy2D(p, pitch, h, right ? sizeof h[0] : 20, sizeof h[0], 8, // MISTAKE pitch_small simt
                                 cudaMemcpyHostToDevice);
    if (right)
        must(c);
    must(cudaFree(p));
}
TWINS(inner_free)
{
    int *a;
    must(cudaMalloc(&a, 512));
    int *half = a + 64;
    cudaError_t c = cudaFree(right ? a : half); // MISTAKE inner_free simt
    if (right)
        must(c);
    else
        must(cudaFree(a));
}
TWINS(capture_sync)
{
    stream a;
    int *x = buffer<int>(64);
    cudaGraph_t g = nullptr;
    must(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    fill<<<1, 64, 0, a>>>(x, 9);
    cudaError_t c = right ? cudaSuccess : cudaStreamSynchronize(a); // MISTAKE capture_sync simt
    cudaStreamEndCapture(a, &g);
    if (right)
        must(c);
    if (g)
        must(cudaGraphDestroy(g));
}
