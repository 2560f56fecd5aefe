/* Streams that use the same memory without an order between them. */
#include "mistakes.h"

__global__ void fill(int *a, int n, int x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i] = x + i;
    }
}
__global__ void twice(const int *a, int *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        b[i] = 2 * a[i];
    }
}
__global__ void count(int *a) { atomicAdd(a, 1); }

enum { N = 1000 };
struct two {
    cudaStream_t a, b;
    cudaEvent_t e;
    explicit two(unsigned flags = cudaStreamDefault)
    {
        must(cudaStreamCreateWithFlags(&a, flags));
        must(cudaStreamCreateWithFlags(&b, flags));
        must(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    }
    ~two()
    {
        cudaEventDestroy(e);
        cudaStreamDestroy(a);
        cudaStreamDestroy(b);
    }
    void order()
    {
        must(cudaEventRecord(e, a));
        must(cudaStreamWaitEvent(b, e, 0));
    }
};

TWINS(kernel_before_kernel)
{
    two s;
    int *x = buffer<int>(N), *y = buffer<int>(N);
    fill<<<4, 256, 0, s.a>>>(x, N, 0);
    if (right) {
        s.order();
    }
    twice<<<4, 256, 0, s.b>>>(x, y, N); // MISTAKE kernel_before_kernel race.of.two.streams
}

/* Each its half: the last one reaches one element too far. */
TWINS(halves_overlap)
{
    two s;
    int *x = buffer<int>(N), *y = buffer<int>(N);
    twice<<<2, 256, 0, s.a>>>(x, y, right ? 500 : 501);
    twice<<<2, 256, 0, s.b>>>(x + 500, y + 500, 500); // MISTAKE halves_overlap race.of.two.streams
}

TWINS(copy_before_kernel)
{
    two s;
    int *x = buffer<int>(N), *h;
    must(cudaMallocHost(&h, N * sizeof *h));
    memset(h, 0, N * sizeof *h);
    must(cudaMemcpyAsync(x, h, N * sizeof *x, cudaMemcpyHostToDevice, s.a));
    if (right) {
        s.order();
    }
    fill<<<4, 256, 0, s.b>>>(x, N, 1); // MISTAKE copy_before_kernel race.of.two.streams
    must(cudaDeviceSynchronize());
    cudaFreeHost(h);
}

TWINS(kernel_before_copy)
{
    two s;
    int *x = buffer<int>(N), *h;
    must(cudaMallocHost(&h, N * sizeof *h));
    fill<<<4, 256, 0, s.a>>>(x, N, 1);
    if (right) {
        s.order();
    }
    must(cudaMemcpyAsync(h, x, N * sizeof *x, cudaMemcpyDeviceToHost, s.b)); // MISTAKE kernel_before_copy race.of.two.streams
    must(cudaDeviceSynchronize());
    cudaFreeHost(h);
}

TWINS(fill_before_kernel)
{
    two s;
    int *x = buffer<int>(N);
    must(cudaMemsetAsync(x, 0, N * sizeof *x, right ? s.b : s.a));
    count<<<1, 32, 0, s.b>>>(x); // MISTAKE fill_before_kernel race.of.two.streams
}

/* The default stream waits for the others, and they for it; not for those that are not blocking. */
TWINS(default_and_non_blocking)
{
    two s(right ? cudaStreamDefault : cudaStreamNonBlocking);
    int *x = buffer<int>(N), *y = buffer<int>(N);
    fill<<<4, 256>>>(x, N, 0);
    twice<<<4, 256, 0, s.a>>>(x, y, N); // MISTAKE default_and_non_blocking race.of.two.streams
}

TWINS(copy_waits_not_for_non_blocking)
{
    two s(cudaStreamNonBlocking);
    int *x = buffer<int>(N), h[N];
    must(cudaDeviceSynchronize()); /* the buffer is cleared in the default stream */
    fill<<<4, 256, 0, s.a>>>(x, N, 0);
    if (right) {
        must(cudaStreamSynchronize(s.a));
    }
    must(cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost)); // MISTAKE copy_waits_not_for_non_blocking race.of.two.streams
}

/* Recorded before the work that it is to wait for. */
TWINS(event_before_work)
{
    two s;
    int *x = buffer<int>(N), *y = buffer<int>(N);
    if (!right) {
        s.order();
    }
    fill<<<4, 256, 0, s.a>>>(x, N, 0);
    if (right) {
        s.order();
    }
    twice<<<4, 256, 0, s.b>>>(x, y, N); // MISTAKE event_before_work race.of.two.streams
}

/* A buffer is filled again while the other stream still reads it: the order back is missing. */
TWINS(double_buffer)
{
    two s;
    cudaEvent_t read[2];
    int *x[2] = {buffer<int>(N), buffer<int>(N)}, *y = buffer<int>(N);
    must(cudaEventCreate(&read[0]));
    must(cudaEventCreate(&read[1]));
    for (int i = 0; i < 6; i++) {
        if (right) {
            must(cudaStreamWaitEvent(s.a, read[i % 2], 0));
        }
        fill<<<4, 256, 0, s.a>>>(x[i % 2], N, i); // MISTAKE double_buffer race.of.two.streams
        s.order();
        twice<<<4, 256, 0, s.b>>>(x[i % 2], y, N);
        must(cudaEventRecord(read[i % 2], s.b));
    }
    must(cudaDeviceSynchronize());
    cudaEventDestroy(read[0]);
    cudaEventDestroy(read[1]);
}

TWINS(freed_in_another_stream)
{
    two s;
    int *x;
    must(cudaMallocAsync(&x, N * sizeof *x, s.a));
    fill<<<4, 256, 0, s.a>>>(x, N, 0);
    if (right) {
        s.order();
    }
    must(cudaFreeAsync(x, s.b)); // MISTAKE freed_in_another_stream race.of.two.streams
}

TWINS(allocated_in_another_stream)
{
    two s;
    int *x;
    must(cudaMallocAsync(&x, N * sizeof *x, s.a));
    if (right) {
        s.order();
    }
    fill<<<4, 256, 0, s.b>>>(x, N, 0); // MISTAKE allocated_in_another_stream race.of.two.streams
    must(cudaFreeAsync(x, s.b));
}
