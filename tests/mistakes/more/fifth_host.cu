/* fifth_host.cu - streams, events, graphs, pools, managed and pinned memory, several devices: what
 * the host does, and what kernels do outside of their arrays. */
#include "mistakes.h"

#include <unistd.h>
#include <vector>

/* The program once more, with two devices. */
static void two_devices(const char *name)
{
    if (getenv("SIMT_DEVICES") == NULL) {
        setenv("SIMT_DEVICES", "2", 1);
        execl("/proc/self/exe", "fifth_host", name, (char *)NULL);
        must(cudaErrorUnknown);
    }
}

#define GLOBAL_I ((int)(blockIdx.x * blockDim.x + threadIdx.x))

__global__ void fill(float *a, int n, float value)
{
    if (GLOBAL_I < n) {
        a[GLOBAL_I] = value;
    }
}
__global__ void add_one(const float *a, float *b, int n)
{
    if (GLOBAL_I < n) {
        b[GLOBAL_I] = a[GLOBAL_I] + 1;
    }
}
enum { N = 4096 };

struct streams {
    cudaStream_t a, b;
    cudaEvent_t event;
    streams(unsigned flags = cudaStreamDefault)
    {
        must(cudaStreamCreateWithFlags(&a, flags));
        must(cudaStreamCreateWithFlags(&b, flags));
        must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    ~streams()
    {
        cudaDeviceSynchronize();
        cudaStreamDestroy(a);
        cudaStreamDestroy(b);
        cudaEventDestroy(event);
    }
};

/* A pipeline of two streams: the second kernel starts without the first's event. */
TWINS(no_event)
{
    streams s;
    float *a = buffer<float>(N), *b = buffer<float>(N);
    fill<<<16, 256, 0, s.a>>>(a, N, 1);
    must(cudaEventRecord(s.event, s.a));
    if (right) {
        must(cudaStreamWaitEvent(s.b, s.event, 0));
    }
    add_one<<<16, 256, 0, s.b>>>(a, b, N); // MISTAKE no_event race
}

/* The event is recorded in the stream that waits. */
TWINS(wrong_stream)
{
    streams s;
    float *a = buffer<float>(N), *b = buffer<float>(N);
    fill<<<16, 256, 0, s.a>>>(a, N, 1);
    must(cudaEventRecord(s.event, right ? s.a : s.b));
    must(cudaStreamWaitEvent(s.b, s.event, 0));
    add_one<<<16, 256, 0, s.b>>>(a, b, N); // MISTAKE wrong_stream race
}

/* An event of the last round: it is waited for before this round's record. */
TWINS(last_round)
{
    streams s;
    float *a = buffer<float>(N), *b = buffer<float>(N);
    for (int round = 0; round < 3; round++) {
        if (!right) {
            must(cudaStreamWaitEvent(s.b, s.event, 0));
        }
        fill<<<16, 256, 0, s.a>>>(a, N, round); // MISTAKE last_round race
        must(cudaEventRecord(s.event, s.a));
        if (right) {
            must(cudaStreamWaitEvent(s.b, s.event, 0));
        }
        add_one<<<16, 256, 0, s.b>>>(a, b, N);
        must(cudaStreamSynchronize(s.b));
    }
}

/* The default stream does not wait for streams of cudaStreamNonBlocking. */
TWINS(default_stream)
{
    streams s(right ? cudaStreamDefault : cudaStreamNonBlocking);
    float *a = buffer<float>(N), *b = buffer<float>(N);
    must(cudaDeviceSynchronize());
    fill<<<16, 256, 0, s.a>>>(a, N, 1);
    add_one<<<16, 256>>>(a, b, N); // MISTAKE default_stream race
}

/* Halves of an array in two streams; the halves overlap by one element. */
TWINS(halves)
{
    streams s;
    float *a = buffer<float>(N);
    int half = N / 2;
    fill<<<16, 256, 0, s.a>>>(a, right ? half : half + 1, 1);
    fill<<<16, 256, 0, s.b>>>(a + half, half, 2); // MISTAKE halves race
}

/* A fill in one stream, the kernel in another. */
TWINS(fill_elsewhere)
{
    streams s;
    float *a = buffer<float>(N), *b = buffer<float>(N);
    must(cudaDeviceSynchronize());
    must(cudaMemsetAsync(a, 0, N * sizeof *a, right ? s.b : s.a));
    add_one<<<16, 256, 0, s.b>>>(a, b, N); // MISTAKE fill_elsewhere race
}

/* One staging buffer for all chunks: filled again while the last copy still reads it. */
TWINS(staging)
{
    streams s;
    float *stage, *a = buffer<float>(4 * 256);
    must(cudaMallocHost(&stage, 256 * sizeof *stage));
    for (int chunk = 0; chunk < 4; chunk++) {
        for (int i = 0; i < 256; i++) {
            stage[i] = chunk; // MISTAKE staging race
        }
        must(cudaMemcpyAsync(a + 256 * chunk, stage, 256 * sizeof *stage, cudaMemcpyHostToDevice,
                             s.a));
        if (right) {
            must(cudaStreamSynchronize(s.a));
        }
    }
    must(cudaStreamSynchronize(s.a));
    must(cudaFreeHost(stage));
}

/* The result is read before its copy has come. */
TWINS(early_result)
{
    streams s;
    float *h, *a = buffer<float>(N);
    must(cudaMallocHost(&h, N * sizeof *h));
    fill<<<16, 256, 0, s.a>>>(a, N, 3);
    must(cudaMemcpyAsync(h, a, N * sizeof *h, cudaMemcpyDeviceToHost, s.a));
    must(cudaStreamSynchronize(right ? s.a : s.b));
    printf("%g\n", h[N - 1]); // MISTAKE early_result race
    must(cudaDeviceSynchronize());
    must(cudaFreeHost(h));
}

/* Managed memory: the host adds its share while the kernel works. */
TWINS(managed_share)
{
    float *a;
    must(cudaMallocManaged((void **)&a, N * sizeof *a));
    memset(a, 0, N * sizeof *a);
    fill<<<8, 256>>>(a, N / 2, 1);
    if (right) {
        must(cudaDeviceSynchronize());
    }
    a[0] += 1; // MISTAKE managed_share race
    must(cudaDeviceSynchronize());
    must(cudaFree(a));
}

/* A std::vector on managed memory would wait; a plain struct with a pointer to it does not. */
struct image {
    int width, height;
    unsigned char *pixel;
};
__global__ void threshold(struct image *im, int limit)
{
    int i = GLOBAL_I;
    if (i < im->width * im->height) {
        im->pixel[i] = im->pixel[i] > limit;
    }
}
TWINS(managed_struct)
{
    struct image *im;
    must(cudaMallocManaged((void **)&im, sizeof *im));
    must(cudaMallocManaged((void **)&im->pixel, 64 * 64));
    im->width = im->height = 64;
    memset(im->pixel, 9, 64 * 64);
    threshold<<<16, 256>>>(im, 4);
    if (right) {
        must(cudaDeviceSynchronize());
    }
    im->width = 32; // MISTAKE managed_struct race
    must(cudaDeviceSynchronize());
    must(cudaFree(im->pixel));
    must(cudaFree(im));
}

/* A row is looked at after its array was given back. */
TWINS(managed_freed)
{
    int *a;
    must(cudaMallocManaged((void **)&a, 1024 * sizeof *a));
    a[5] = 5;
    int five = a[5];
    must(cudaFree(a));
    printf("%d\n", right ? five : *(volatile int *)&a[5]); // MISTAKE managed_freed free
}

/* An array on the stack of a function that returns. */
static void __attribute__((noinline)) parameters_of(float *d, cudaStream_t s, bool wait)
{
    float parameters[64];
    for (int i = 0; i < 64; i++) {
        parameters[i] = i;
    }
    must(cudaMemcpyAsync(d, parameters, sizeof parameters, // MISTAKE stack_array race
                         cudaMemcpyHostToDevice, s));
    if (wait) {
        must(cudaStreamSynchronize(s));
    }
}
static int __attribute__((noinline)) other_frame(int n)
{
    volatile int a[256];
    for (int i = 0; i < 256; i++) {
        a[i] = n;
    }
    return a[n];
}
TWINS(stack_array)
{
    streams s;
    float *d = buffer<float>(64);
    parameters_of(d, s.a, right);
    other_frame(7);
    must(cudaStreamSynchronize(s.a));
}

/* A pinned buffer that the destructor of its owner gives back... only cudaFreeHost waits, free()
 * does not. */
TWINS(freed_source)
{
    streams s;
    float *h = (float *)calloc(N, sizeof *h), *d = buffer<float>(N);
    must(cudaMemcpyAsync(d, h, N * sizeof *h, cudaMemcpyHostToDevice, // MISTAKE freed_source race
                         s.a));
    if (right) {
        must(cudaStreamSynchronize(s.a));
    }
    free(h);
    must(cudaStreamSynchronize(s.a));
}

/* A pool: memory is given back in the stream that allocated, while another one still reads it. */
TWINS(pool_free)
{
    streams s;
    float *a, *b = buffer<float>(N);
    must(cudaMallocAsync((void **)&a, N * sizeof *a, s.a));
    fill<<<16, 256, 0, s.a>>>(a, N, 1);
    must(cudaEventRecord(s.event, s.a));
    must(cudaStreamWaitEvent(s.b, s.event, 0));
    add_one<<<16, 256, 0, s.b>>>(a, b, N);
    must(cudaEventRecord(s.event, s.b));
    if (right) {
        must(cudaStreamWaitEvent(s.a, s.event, 0));
    }
    must(cudaFreeAsync(a, s.a)); // MISTAKE pool_free race
    must(cudaDeviceSynchronize());
}

/* A pool: memory is used in a stream that does not know of it. */
TWINS(pool_use)
{
    streams s;
    float *a;
    must(cudaMallocAsync((void **)&a, N * sizeof *a, s.a));
    if (right) {
        must(cudaEventRecord(s.event, s.a));
        must(cudaStreamWaitEvent(s.b, s.event, 0));
    }
    fill<<<16, 256, 0, s.b>>>(a, N, 1); // MISTAKE pool_use race
    must(cudaDeviceSynchronize());
    must(cudaFreeAsync(a, s.a));
    must(cudaDeviceSynchronize());
}

/* A captured graph whose two branches write one array; the second fork waits for the wrong event.
 */
TWINS(branches)
{
    streams s;
    float *a = buffer<float>(N), *b = buffer<float>(N);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaEvent_t join;
    must(cudaDeviceSynchronize());
    must(cudaEventCreate(&join));
    must(cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal));
    must(cudaEventRecord(s.event, s.a));
    if (!right) {
        must(cudaStreamWaitEvent(s.b, s.event, 0));
    }
    fill<<<16, 256, 0, s.a>>>(a, N, 1);
    must(cudaEventRecord(s.event, s.a));
    if (right) {
        must(cudaStreamWaitEvent(s.b, s.event, 0));
    }
    add_one<<<16, 256, 0, s.b>>>(a, b, N); // MISTAKE branches race
    must(cudaEventRecord(join, s.b));
    must(cudaStreamWaitEvent(s.a, join, 0));
    must(cudaStreamEndCapture(s.a, &graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaGraphLaunch(exec, s.a));
    must(cudaStreamSynchronize(s.a));
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
    must(cudaEventDestroy(join));
}

/* A graph built by hand: the copy node lacks its edge. */
TWINS(missing_edge)
{
    float *a = buffer<float>(N), *h;
    int n = N;
    float one = 1;
    must(cudaMallocHost(&h, N * sizeof *h));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t kernel, copy;
    must(cudaGraphCreate(&graph, 0));
    void *arguments[] = {&a, &n, &one};
    cudaKernelNodeParams p = {};
    p.func = (void *)fill;
    p.gridDim = dim3(16);
    p.blockDim = dim3(256);
    p.kernelParams = arguments;
    must(cudaGraphAddKernelNode(&kernel, graph, NULL, 0, &p));
    must(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, right ? 1 : 0, h, a, N * sizeof *h,
                                  cudaMemcpyDeviceToHost));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaDeviceSynchronize());
    must(cudaGraphLaunch(exec, 0)); // MISTAKE missing_edge race
    must(cudaDeviceSynchronize());
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
    must(cudaFreeHost(h));
}

/* Two launches of two graphs in two streams on one array. */
TWINS(two_graphs)
{
    streams s;
    float *a = buffer<float>(N);
    cudaGraph_t graph;
    cudaGraphExec_t exec[2];
    must(cudaDeviceSynchronize());
    for (int k = 0; k < 2; k++) {
        must(cudaStreamBeginCapture(s.a, cudaStreamCaptureModeThreadLocal));
        fill<<<16, 256, 0, s.a>>>(a, N, k);
        must(cudaStreamEndCapture(s.a, &graph));
        must(cudaGraphInstantiate(&exec[k], graph, 0));
        must(cudaGraphDestroy(graph));
    }
    must(cudaGraphLaunch(exec[0], s.a));
    must(cudaGraphLaunch(exec[1], right ? s.a : s.b)); // MISTAKE two_graphs race
    must(cudaDeviceSynchronize());
    must(cudaGraphExecDestroy(exec[0]));
    must(cudaGraphExecDestroy(exec[1]));
}

/* A host function that asks the runtime. */
static void CUDART_CB done_right(void *seen) { *(int *)seen = 1; }
static void CUDART_CB done_wrong(void *seen)
{
    float *p;
    *(int *)seen = cudaMalloc(&p, 64) == cudaSuccess; // MISTAKE host_function call
}
TWINS(host_function)
{
    streams s;
    static int seen;
    must(cudaLaunchHostFunc(s.a, right ? done_right : done_wrong, &seen));
    must(cudaStreamSynchronize(s.a));
}

/* The time of a kernel, asked for at once. */
TWINS(kernel_time)
{
    cudaEvent_t t0, t1;
    float ms = 0;
    must(cudaEventCreate(&t0));
    must(cudaEventCreate(&t1));
    must(cudaEventRecord(t0, 0));
    fill<<<16, 256>>>(buffer<float>(N), N, 1);
    must(cudaEventRecord(t1, 0));
    if (right) {
        must(cudaEventSynchronize(t1));
    } else {
        must(cudaEventSynchronize(t0));
    }
    cudaEventElapsedTime(&ms, t0, t1); // MISTAKE kernel_time call
    must(cudaEventDestroy(t0));
    must(cudaEventDestroy(t1));
}

/* Rows are moved up by one, with cudaMemcpy2D and with cudaMemcpy. */
TWINS(move_up)
{
    float *a = buffer<float>(N), *tmp = buffer<float>(N);
    if (right) {
        must(cudaMemcpy(tmp, a + 64, (N - 64) * sizeof *a, cudaMemcpyDeviceToDevice));
        must(cudaMemcpy(a, tmp, (N - 64) * sizeof *a, cudaMemcpyDeviceToDevice));
    } else {
        must(cudaMemcpy(a, a + 64, (N - 64) * sizeof *a, // MISTAKE move_up call
                        cudaMemcpyDeviceToDevice));
    }
}

/* A kernel tells the host by a flag in mapped memory. */
template <bool right> __global__ void tell_host(volatile int *flag, int *value)
{
    *value = 42;
    if (right) {
        __threadfence_system();
    } else {
        __threadfence();
    }
    *flag = 1;
}
TWINS(host_flag)
{
    int *p;
    must(cudaHostAlloc((void **)&p, 2 * sizeof *p, cudaHostAllocMapped));
    p[0] = p[1] = 0;
    tell_host<right><<<1, 1>>>(p, p + 1);
    while (*(volatile int *)p == 0) {
    }
    if (p[1] != 42) { // MISTAKE host_flag race
        printf("%d\n", p[1]);
    }
    must(cudaDeviceSynchronize());
    must(cudaFreeHost(p));
}

/* Two devices: the launch goes to the device that is current, the stream belongs to the other one.
 */
TWINS(other_device)
{
    cudaStream_t s;
    two_devices(right ? "other_device_right" : "other_device");
    must(cudaSetDevice(1));
    must(cudaStreamCreate(&s));
    float *a;
    must(cudaMalloc(&a, N * sizeof *a));
    must(cudaMemset(a, 0, N * sizeof *a));
    must(cudaSetDevice(right ? 1 : 0));
    fill<<<16, 256, 0, s>>>(a, N, 1); // MISTAKE other_device stream|device
    const cudaError_t launched = cudaGetLastError();
    must(cudaSetDevice(1));
    must(cudaStreamSynchronize(s));
    must(cudaFree(a));
    must(cudaStreamDestroy(s));
    must(cudaSetDevice(0));
    must(launched);
}

/* Two devices: a copy from the peer, which its own stream has not filled yet. */
TWINS(peer)
{
    cudaStream_t s0, s1;
    cudaEvent_t filled;
    float *a, *b;
    two_devices(right ? "peer_right" : "peer");
    must(cudaStreamCreate(&s0));
    must(cudaMalloc(&a, N * sizeof *a));
    must(cudaSetDevice(1));
    must(cudaStreamCreate(&s1));
    must(cudaEventCreate(&filled));
    must(cudaMalloc(&b, N * sizeof *b));
    fill<<<16, 256, 0, s1>>>(b, N, 1);
    must(cudaEventRecord(filled, s1));
    must(cudaSetDevice(0));
    if (right) {
        must(cudaStreamWaitEvent(s0, filled, 0));
    }
    must(cudaMemcpyPeerAsync(a, 0, b, 1, N * sizeof *a, s0)); // MISTAKE peer race
    must(cudaStreamSynchronize(s0));
    must(cudaStreamDestroy(s0));
    must(cudaFree(a));
    must(cudaSetDevice(1));
    must(cudaStreamSynchronize(s1));
    must(cudaEventDestroy(filled));
    must(cudaStreamDestroy(s1));
    must(cudaFree(b));
    must(cudaSetDevice(0));
}

/* --- things not given back
 * ------------------------------------------------------------------------ */

/* Memory in a loop of which one way leaves early. */
TWINS(leak_memory)
{
    for (int k = 0; k < 2; k++) {
        float *a;
        must(cudaMalloc(&a, 256)); // MISTAKE leak_memory leak
        if (!right && k == 1) {
            continue;
        }
        must(cudaFree(a));
    }
}
TWINS(leak_pinned)
{
    std::vector<void *> owned(2);
    must(cudaHostAlloc(&owned[0], 4096, cudaHostAllocDefault));
    must(cudaMallocHost(&owned[1], 4096)); // MISTAKE leak_pinned leak
    must(cudaFreeHost(owned[0]));
    if (right) {
        must(cudaFreeHost(owned[1]));
    }
}
TWINS(leak_stream)
{
    cudaStream_t s;
    must(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, 0)); // MISTAKE leak_stream leak
    float *a = buffer<float>(32);
    must(cudaDeviceSynchronize());
    fill<<<1, 32, 0, s>>>(a, 32, 1);
    must(cudaStreamSynchronize(s));
    if (right) {
        must(cudaStreamDestroy(s));
    }
}
TWINS(leak_texture)
{
    cudaTextureObject_t t;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = buffer<float>(64);
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 256;
    d.readMode = cudaReadModeElementType;
    must(cudaCreateTextureObject(&t, &r, &d, NULL)); // MISTAKE leak_texture leak
    if (right) {
        must(cudaDestroyTextureObject(t));
    }
}
TWINS(leak_pool)
{
    float *a;
    must(cudaMallocAsync((void **)&a, 1024, 0)); // MISTAKE leak_pool leak
    fill<<<1, 256>>>(a, 256, 1);
    if (right) {
        must(cudaFreeAsync(a, 0));
    }
    must(cudaDeviceSynchronize());
}

/* A block of 2,048 threads is rejected, and the program goes on. */
TWINS(unasked)
{
    float *a = buffer<float>(2048);
    int threads = right ? 1024 : 2048;
    fill<<<1, threads>>>(a, 2048, 1); // MISTAKE unasked ignored
    must(cudaDeviceSynchronize());
    if (right) {
        must(cudaGetLastError());
    } else {
        for (int i = 0; i < buffer_count; i++) {
            cudaFree(buffers[i]);
        }
        exit(0);
    }
}

/* --- accesses outside
 * ------------------------------------------------------------------------------ */

/* Width and height change places in the guard. */
template <bool right> __global__ void blur(int w, int h, float *im)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (right ? x < w && y < h : x < h && y < w) {
        im[y * w + x] = 1; // MISTAKE blur bounds
    }
}
TWINS(blur) { blur<right><<<dim3(4, 4), dim3(16, 16)>>>(60, 40, buffer<float>(60 * 40)); }

/* A negative index: the halo of the first element. */
template <bool right> __global__ void left_halo(int n, const double *u, double *v)
{
    int i = GLOBAL_I;
    if (i < n) {
        v[i] = u[i] - u[right && i == 0 ? i : i - 1]; // MISTAKE left_halo bounds
    }
}
TWINS(left_halo) { left_halo<right><<<1, 64>>>(64, buffer<double>(64), buffer<double>(64)); }

/* Dynamic shared memory: two arrays, the size of one. */
template <bool right> __global__ void carved(int n, const float *in, float *out)
{
    extern __shared__ float s[];
    float *x = s, *y = s + n;
    x[threadIdx.x] = in[threadIdx.x];
    y[threadIdx.x] = 1; // MISTAKE carved bounds
    __syncthreads();
    out[threadIdx.x] = x[n - 1 - threadIdx.x] + y[n - 1 - threadIdx.x];
}
TWINS(carved)
{
    carved<right>
        <<<1, 64, (right ? 2 : 1) * 64 * sizeof(float)>>>(64, buffer<float>(64), buffer<float>(64));
}

/* Rows of 250 floats, read as float4. */
template <bool right> __global__ void rows_of_four(int n, const float *a, float *sum)
{
    const float4 *row = (const float4 *)(a + blockIdx.x * (right ? 252 : 250));
    float4 v = row[threadIdx.x]; // MISTAKE rows_of_four align
    atomicAdd(&sum[blockIdx.x], v.x + v.y + v.z + v.w);
}
TWINS(rows_of_four) { rows_of_four<right><<<2, 32>>>(250, buffer<float>(512), buffer<float>(2)); }

/* An array that was given back, in a struct that still has its address. */
struct list {
    int n;
    float *value;
};
template <bool right> __global__ void sum_list(struct list l, float *sum)
{
    atomicAdd(sum, l.value[threadIdx.x]); // MISTAKE stale_list free
}
TWINS(stale_list)
{
    struct list l = {32, NULL};
    must(cudaMalloc(&l.value, 128));
    must(cudaMemset(l.value, 0, 128));
    if (!right) {
        must(cudaFree(l.value));
    }
    sum_list<right><<<1, 32>>>(l, buffer<float>(1));
    if (right) {
        must(cudaDeviceSynchronize());
        must(cudaFree(l.value));
    }
}

/* The struct is on the device, its pointer still names the host's array. */
template <bool right> __global__ void read_list(const struct list *l, float *sum)
{
    atomicAdd(sum, l->value[threadIdx.x]); // MISTAKE shallow_copy host
}
TWINS(shallow_copy)
{
    static float values[32];
    struct list l = {32, values};
    if (right) {
        l.value = buffer<float>(32);
    }
    struct list *d = buffer<struct list>(1);
    must(cudaMemcpy(d, &l, sizeof l, cudaMemcpyHostToDevice));
    read_list<right><<<1, 32>>>(d, buffer<float>(1));
}

/* The address of a __device__ variable as the host sees it. */
__device__ float table_of[64];
template <bool right> __global__ void read_table(const float *t, float *out)
{
    out[threadIdx.x] = t[threadIdx.x]; // MISTAKE symbol_address host
}
TWINS(symbol_address)
{
    void *t = (void *)&table_of;
    if (right) {
        must(cudaGetSymbolAddress(&t, table_of));
    }
    read_table<right><<<1, 64>>>((float *)t, buffer<float>(64));
}

/* An array of the host, copied by a length in bytes that is one element too long. */
TWINS(long_copy)
{
    const int n = 1000;
    double *h = (double *)malloc(n * sizeof *h), *d = buffer<double>(n + 1);
    for (int i = 0; i < n; i++) {
        h[i] = i;
    }
    must(cudaMemcpy(d, h, (right ? n : n + 1) * sizeof *h, // MISTAKE long_copy cudaMemcpy
                    cudaMemcpyHostToDevice));
    free(h);
}

/* Given back twice, by two owners. */
TWINS(twice_freed)
{
    float *a, *b;
    must(cudaMalloc(&a, 64));
    b = a;
    must(cudaFree(a));
    if (!right) {
        must(cudaFree(b)); // MISTAKE twice_freed free
    }
}

/* The host reads device memory as if it were its own. */
TWINS(host_reads)
{
    int *count = buffer<int>(1), n;
    must(cudaDeviceSynchronize());
    if (right) {
        must(cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost));
    } else {
        n = *(volatile int *)count; // MISTAKE host_reads device
    }
    printf("%d\n", n);
}
