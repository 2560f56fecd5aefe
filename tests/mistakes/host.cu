/* Memory that the host and the device use at the same time. */
#include "mistakes.h"

__global__ void fill(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i] = i;
    }
}
__global__ void add_up(const int *a, int n, int *sum)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(sum, a[i]);
    }
}

enum { N = 4096 };
static volatile int seen;

struct pinned {
    int *p;
    explicit pinned(size_t n) { must(cudaMallocHost(&p, n * sizeof *p)); }
    ~pinned() { cudaFreeHost(p); }
};
struct managed {
    int *p;
    explicit managed(size_t n) { must(cudaMallocManaged(&p, n * sizeof *p)); }
    ~managed() { cudaFree(p); }
};
struct stream {
    cudaStream_t s;
    stream() { must(cudaStreamCreate(&s)); }
    ~stream() { cudaStreamDestroy(s); }
};

TWINS(managed_read_early)
{
    managed a(N);
    fill<<<N / 256, 256>>>(a.p, N);
    if (right) {
        must(cudaDeviceSynchronize());
    }
    seen = a.p[10]; // MISTAKE managed_read_early race.of.host
    must(cudaDeviceSynchronize());
}

TWINS(managed_written_early)
{
    managed a(N);
    memset(a.p, 0, N * sizeof *a.p);
    int *sum = buffer<int>(1);
    add_up<<<1, 64>>>(a.p, N, sum);
    seen = a.p[20]; /* both read */
    if (right) {
        must(cudaDeviceSynchronize());
    }
    a.p[20] = 1; // MISTAKE managed_written_early race.of.host
    must(cudaDeviceSynchronize());
}

__managed__ int of_both[4 * 1024];
template <bool right> __global__ void fill_both()
{
    of_both[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}
TWINS(managed_variable)
{
    fill_both<right><<<4, 1024>>>();
    if (right) {
        must(cudaDeviceSynchronize());
    }
    seen = of_both[1500]; // MISTAKE managed_variable race.of.host
    must(cudaDeviceSynchronize());
}

/* Reading what the device only reads is no race; nor is another part of the array. */
TWINS(managed_other_half)
{
    managed a(N);
    memset(a.p, 0, N * sizeof *a.p);
    fill<<<1, 50>>>(a.p, 50);
    for (int i = 0; i < 100; i++) {
        a.p[right ? 50 + i : 49 + i] = i; // MISTAKE managed_other_half race.of.host
    }
    must(cudaDeviceSynchronize());
}

TWINS(zero_copy_without_wait)
{
    int *a;
    must(cudaHostAlloc(&a, N * sizeof *a, cudaHostAllocMapped));
    fill<<<N / 256, 256>>>(a, N);
    cudaEvent_t done;
    must(cudaEventCreate(&done));
    must(cudaEventRecord(done));
    if (right) {
        must(cudaEventSynchronize(done));
    }
    seen = a[N - 1]; // MISTAKE zero_copy_without_wait race.of.host
    must(cudaDeviceSynchronize());
    cudaEventDestroy(done);
    cudaFreeHost(a);
}

TWINS(registered_without_wait)
{
    const size_t bytes = 4 * 4096;
    int *a = (int *)aligned_alloc(4096, bytes);
    memset(a, 0, bytes);
    must(cudaHostRegister(a, bytes, cudaHostRegisterMapped));
    fill<<<4, 256>>>(a, 1024);
    if (right) {
        must(cudaStreamSynchronize(0));
    }
    seen = a[5]; // MISTAKE registered_without_wait race.of.host
    must(cudaDeviceSynchronize());
    must(cudaHostUnregister(a));
    free(a);
}

/* What a host function sees, and what the host learns from it, is ordered. */
static volatile int *shown;
static void CUDART_CB look(void *)
{
    seen = shown[7]; // MISTAKE host_function race.of.host
}
TWINS(host_function)
{
    pinned h(N);
    stream s;
    fill<<<N / 256, 256, 0, s.s>>>(h.p, N);
    shown = h.p;
    if (right) {
        must(cudaLaunchHostFunc(s.s, look, NULL));
    } else {
        look(NULL);
    }
    seen = h.p[8];
    must(cudaDeviceSynchronize());
}

/* The kernel tells the host by a flag: what it stored before is to be seen, too. */
template <bool right> __global__ void tell(int *data, volatile int *flag)
{
    *data = 7;
    if (right) {
        __threadfence_system();
    }
    *flag = 1;
}
TWINS(flag_without_system_fence)
{
    managed a(2048);
    volatile int *flag = a.p + 1024;
    *flag = 0;
    tell<right><<<1, 1>>>(a.p, flag);
    while (*flag == 0) {
    }
    seen = a.p[0]; // MISTAKE flag_without_system_fence race.of.host
    must(cudaDeviceSynchronize());
}

/* Asking until the answer is yes is waiting. */
TWINS(query)
{
    pinned h(N);
    stream s;
    fill<<<N / 256, 256, 0, s.s>>>(h.p, N);
    while (right && cudaStreamQuery(s.s) == cudaErrorNotReady) {
    }
    seen = h.p[8]; // MISTAKE query race.of.host
    must(cudaDeviceSynchronize());
}

TWINS(copy_read_early)
{
    pinned h(N);
    stream s;
    int *d = buffer<int>(N);
    must(cudaMemcpyAsync(h.p, d, N * sizeof *d, cudaMemcpyDeviceToHost, s.s));
    if (right) {
        must(cudaStreamSynchronize(s.s));
    }
    seen = h.p[3]; // MISTAKE copy_read_early race.of.host
    must(cudaDeviceSynchronize());
}

TWINS(copy_source_overwritten)
{
    pinned h(N);
    stream s;
    int *d = buffer<int>(N);
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < N; i++) {
            h.p[i] = step; // MISTAKE copy_source_overwritten race.of.host
        }
        must(cudaMemcpyAsync(d, h.p, N * sizeof *d, cudaMemcpyHostToDevice, s.s));
        if (right) {
            must(cudaStreamSynchronize(s.s));
        }
    }
    must(cudaDeviceSynchronize());
}

/* It waits, but for another stream. */
TWINS(waits_for_another_stream)
{
    pinned h(N);
    stream s, t;
    int *d = buffer<int>(N);
    must(cudaMemcpyAsync(h.p, d, N * sizeof *d, cudaMemcpyDeviceToHost, s.s));
    must(cudaStreamSynchronize(right ? s.s : t.s));
    seen = h.p[3]; // MISTAKE waits_for_another_stream race.of.host
    must(cudaDeviceSynchronize());
}

/* The event lies before the copy. */
TWINS(event_too_early)
{
    pinned h(N);
    stream s;
    int *d = buffer<int>(N);
    cudaEvent_t e;
    must(cudaEventCreate(&e));
    if (!right) {
        must(cudaEventRecord(e, s.s));
    }
    must(cudaMemcpyAsync(h.p, d, N * sizeof *d, cudaMemcpyDeviceToHost, s.s));
    if (right) {
        must(cudaEventRecord(e, s.s));
    }
    must(cudaEventSynchronize(e));
    seen = h.p[0]; // MISTAKE event_too_early race.of.host
    must(cudaDeviceSynchronize());
    cudaEventDestroy(e);
}

static void __attribute__((noinline)) upload(int *d, cudaStream_t s, bool waits)
{
    int values[64];
    for (int i = 0; i < 64; i++) {
        values[i] = i;
    }
    must(cudaMemcpyAsync(d, values, sizeof values, cudaMemcpyHostToDevice, s)); // MISTAKE stack_of_a_function returned
    if (waits) {
        must(cudaStreamSynchronize(s));
    }
}
TWINS(stack_of_a_function)
{
    stream s;
    int *d = buffer<int>(64);
    upload(d, s.s, right);
    must(cudaStreamSynchronize(s.s));
}

TWINS(buffer_freed_early)
{
    stream s;
    int *d = buffer<int>(N), *h = (int *)calloc(N, sizeof *h);
    must(cudaMemcpyAsync(d, h, N * sizeof *d, cudaMemcpyHostToDevice, s.s));
    if (right) {
        must(cudaStreamSynchronize(s.s));
    }
    free(h); // MISTAKE buffer_freed_early freed
    must(cudaStreamSynchronize(s.s));
}

TWINS(vector_gone_early)
{
    stream s;
    int *d = buffer<int>(N);
    int *h = new int[N]();
    must(cudaMemcpyAsync(d, h, N * sizeof *d, cudaMemcpyHostToDevice, s.s));
    if (right) {
        must(cudaStreamSynchronize(s.s));
    }
    delete[] h; // MISTAKE vector_gone_early freed
    must(cudaStreamSynchronize(s.s));
}

TWINS(pageable_source_overwritten)
{
    stream s;
    int h[16] = {0};
    int *d = buffer<int>(16);
    must(cudaMemcpyAsync(d, h, sizeof h, cudaMemcpyHostToDevice, s.s)); // MISTAKE pageable_source_overwritten overwritten
    if (right) {
        must(cudaStreamSynchronize(s.s));
    }
    for (volatile int *p = h; p < h + 16; p++) {
        *p = 5;
    }
    must(cudaStreamSynchronize(s.s));
}
