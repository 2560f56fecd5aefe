/* seventh_host.cu - of the seventh set: streams, events, copies, lifetimes and what calls return.
 */
/* flags: -std=c++17 -arch=sm_90a */
#include "mistakes.h"

#include <assert.h>
#include <new>

#define I ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define T ((int)threadIdx.x)
enum { N = 4096, BYTES = N * sizeof(float) };

__global__ void fill(float *a, float value) { a[I] = value; }
__global__ void add(const float *a, float *b) { b[I] += a[I]; }
static float *pinned()
{
    void *p;
    must(cudaMallocHost(&p, BYTES));
    memset(p, 0, BYTES);
    return (float *)p;
}
struct two_streams {
    cudaStream_t a, b;
    two_streams()
    {
        must(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
        must(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    }
    ~two_streams()
    {
        must(cudaDeviceSynchronize());
        must(cudaStreamDestroy(a));
        must(cudaStreamDestroy(b));
    }
};

/* Rows of a matrix: the table of their addresses stays on the host. */
__global__ void clear_rows(float *const *row)
{
    row[blockIdx.x][T] = 1; // MISTAKE table_on_host host
}
TWINS(table_on_host)
{
    float *h[4], **row = buffer<float *>(4);
    for (int i = 0; i < 4; i++) {
        h[i] = buffer<float>(64);
    }
    must(cudaMemcpy(row, h, sizeof h, cudaMemcpyHostToDevice));
    clear_rows<<<4, 64>>>(right ? row : h);
}

/* An event without times is asked for a time, and nobody looks at the answer. */
TWINS(no_times)
{
    cudaEvent_t begin, end;
    float ms = 0, *a = buffer<float>(N);
    unsigned flags = right ? cudaEventDefault : cudaEventDisableTiming;
    must(cudaEventCreateWithFlags(&begin, flags));
    must(cudaEventCreateWithFlags(&end, flags));
    must(cudaEventRecord(begin));
    fill<<<N / 256, 256>>>(a, 1);
    must(cudaEventRecord(end));
    must(cudaEventSynchronize(end));
    cudaEventElapsedTime(&ms, begin, end); // MISTAKE no_times cudaEventDisableTiming
    must(cudaEventDestroy(begin));
    must(cudaEventDestroy(end));
}

/* A prefetch to the host is asynchronous: it is no wait. */
TWINS(prefetched)
{
    float *m, sum = 0;
    must(cudaMallocManaged(&m, BYTES));
    fill<<<N / 256, 256>>>(m, 1);
    cudaMemLocation host = {};
    host.type = cudaMemLocationTypeHost;
    must(cudaMemPrefetchAsync(m, BYTES, host, 0, 0));
    if (right) {
        must(cudaStreamSynchronize(0));
    }
    sum += *(volatile float *)&m[N - 1]; // MISTAKE prefetched race
    must(cudaDeviceSynchronize());
    must(cudaFree(m));
}

/* The event is recorded before the copy that the host waits for. */
TWINS(event_then_copy)
{
    two_streams s;
    cudaEvent_t done;
    float *a = buffer<float>(N), *h = pinned();
    volatile float sum = 0;
    must(cudaDeviceSynchronize());
    must(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    fill<<<N / 256, 256, 0, s.a>>>(a, 1);
    if (!right) {
        must(cudaEventRecord(done, s.a));
    }
    must(cudaMemcpyAsync(h, a, BYTES, cudaMemcpyDeviceToHost, s.a));
    if (right) {
        must(cudaEventRecord(done, s.a));
    }
    must(cudaEventSynchronize(done));
    sum += h[5]; // MISTAKE event_then_copy race
    must(cudaDeviceSynchronize());
    must(cudaEventDestroy(done));
    must(cudaFreeHost(h));
}

/* gridDim.y has at most 65535 blocks. */
__global__ void one_row(float *a)
{
    if (blockIdx.x + blockIdx.y == 0) {
        a[T] = 1;
    }
}
TWINS(many_rows)
{
    float *a = buffer<float>(32), h[32];
    one_row<<<right ? dim3(70000, 1) : dim3(1, 70000), 32>>>(a); // MISTAKE many_rows most
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
}

/* 1500 sums of blocks are too many threads for the one block that scans them. */
__global__ void scan_sums(int *sums, int n)
{
    int before = 0;
    for (int k = 0; k < T && k < n; k++) {
        before += sums[k];
    }
    __syncthreads();
    if (T < n) {
        sums[T] = before;
    }
}
TWINS(sums_of_blocks)
{
    int *sums = buffer<int>(1500);
    scan_sums<<<1, right ? 1000 : 1500>>>(sums, 1000); // MISTAKE sums_of_blocks most
}

/* 256 KiB of shared memory are refused, and nobody looks. */
__global__ void large_tile(float *a)
{
    extern __shared__ float s[];
    s[T] = a[T];
    __syncthreads();
    a[T] = s[T ^ 1];
}
TWINS(large_shared)
{
    int bytes = right ? 128 << 10 : 256 << 10;
    cudaFuncSetAttribute(large_tile, // MISTAKE large_shared dynamic
                         cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    large_tile<<<1, 64, bytes>>>(buffer<float>(64));
}

/* Rows have a pitch: the kernel takes the width for it. */
template <bool right> __global__ void sum_rows(const char *a, size_t pitch, int width, float *out)
{
    float sum = 0;
    for (int x = 0; x < width; x++) {
        sum += right ? ((const float *)(a + T * pitch))[x] : ((const float *)a)[T * width + x];
    }
    out[T] = sum; // MISTAKE width_for_pitch uninitialised
}
TWINS(width_for_pitch)
{
    static float h[8][100];
    char *a;
    size_t pitch;
    must(cudaMallocPitch(&a, &pitch, sizeof h[0], 8));
    must(cudaMemcpy2D(a, pitch, h, sizeof h[0], sizeof h[0], 8, cudaMemcpyHostToDevice));
    sum_rows<right><<<1, 8>>>(a, pitch, 100, buffer<float>(8));
    must(cudaDeviceSynchronize());
    must(cudaFree(a));
}

/* An object of a class with virtual functions is copied as it is. */
struct shape {
    float r;
    __host__ __device__ shape(float x) : r(x) {}
    __host__ __device__ virtual float area() const = 0;
};
struct disc : shape {
    __host__ __device__ disc(float x) : shape(x) {}
    __host__ __device__ float area() const override { return 3 * r * r; }
};
struct square : shape {
    __host__ __device__ square(float x) : shape(x) {}
    __host__ __device__ float area() const override { return 4 * r * r; }
};
__global__ void construct(disc *d) { new (d) disc(2); }
__global__ void area(const shape *s, float *out)
{
    out[T] = s->area(); // MISTAKE virtual_from_host host
}
TWINS(virtual_from_host)
{
    disc here(2), *there = (disc *)buffer<char>(sizeof here);
    if (right) {
        construct<<<1, 1>>>(there);
    } else {
        must(cudaMemcpy((void *)there, (void *)&here, sizeof here, cudaMemcpyHostToDevice));
    }
    area<<<1, 32>>>(there, buffer<float>(32));
}

/* A result in a device variable is copied asynchronously, and used at once. */
__device__ float result[256];
__global__ void compute() { result[T] = T; }
TWINS(symbol_early)
{
    two_streams s;
    float *h = pinned();
    volatile float sum = 0;
    compute<<<1, 256, 0, s.a>>>();
    must(cudaMemcpyFromSymbolAsync(h, result, sizeof result, 0, cudaMemcpyDeviceToHost, s.a));
    if (right) {
        must(cudaStreamSynchronize(s.a));
    }
    sum += h[200]; // MISTAKE symbol_early race
    must(cudaDeviceSynchronize());
    must(cudaFreeHost(h));
}

/* cudaFree() is asked to free what malloc() gave. */
TWINS(free_of_malloc)
{
    float *h = (float *)malloc(BYTES), *d;
    must(cudaMalloc(&d, BYTES));
    must(cudaMemset(d, 0, BYTES));
    cudaFree(right ? d : h); // MISTAKE free_of_malloc cudaFree
    if (!right) {
        must(cudaFree(d));
    }
    free(h);
}

/* An assertion that does not hold stops the kernel. */
template <bool right> __global__ void checked(float *a, int n)
{
    assert(I < (right ? N : n)); // MISTAKE asserted ssert
    a[I] = 1;
}
TWINS(asserted) { checked<right><<<N / 256, 256>>>(buffer<float>(N), N - 1); }

/* The tail of a batch is copied with the size of a whole one. */
TWINS(whole_batches)
{
    float *a = buffer<float>(1000), *h = pinned();
    for (int first = 0; first < 1000; first += 256) {
        int n = right && first + 256 > 1000 ? 1000 - first : 256;
        cudaMemcpy(a + first, h + first, n * sizeof *a, // MISTAKE whole_batches needs
                   cudaMemcpyHostToDevice);
    }
    must(cudaFreeHost(h));
}

/* Two streams of a pool of memory: the second allocation gets the first one's memory. */
TWINS(reused_pool)
{
    two_streams s;
    float *a, *b = buffer<float>(N);
    must(cudaDeviceSynchronize());
    must(cudaMallocAsync(&a, BYTES, s.a));
    fill<<<N / 256, 256, 0, s.a>>>(a, 1);
    cudaEvent_t filled, used;
    must(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
    must(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
    must(cudaEventRecord(filled, s.a));
    must(cudaStreamWaitEvent(s.b, filled, 0));
    add<<<N / 256, 256, 0, s.b>>>(a, b);
    must(cudaEventRecord(used, s.b));
    if (right) {
        must(cudaStreamWaitEvent(s.a, used, 0));
    }
    must(cudaFreeAsync(a, s.a)); // MISTAKE reused_pool freed
    must(cudaDeviceSynchronize());
    must(cudaEventDestroy(filled));
    must(cudaEventDestroy(used));
}
