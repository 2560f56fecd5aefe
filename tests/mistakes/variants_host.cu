/* variants_host.cu - second variants: what the host does, its memory, its streams and events. */
#include "mistakes.h"

#include <vector>

__global__ void set_all(int *a, int n, int x)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        a[i] = x;
    }
}
static volatile int sink;

/* --- events
 * --------------------------------------------------------------------------------------- */

struct timer {
    cudaEvent_t from, to;
    timer()
    {
        must(cudaEventCreate(&from));
        must(cudaEventCreateWithFlags(&to, cudaEventBlockingSync));
    }
    ~timer()
    {
        cudaEventDestroy(from);
        cudaEventDestroy(to);
    }
};
TWINS(time_in_stream)
{
    timer t;
    cudaStream_t s;
    float ms = 0;
    must(cudaStreamCreate(&s));
    int *a = buffer<int>(512);
    must(cudaDeviceSynchronize());
    must(cudaEventRecord(t.from, s));
    set_all<<<2, 64, 0, s>>>(a, 512, 1);
    must(cudaEventRecord(t.to, s));
    must(right ? cudaStreamSynchronize(s) : cudaEventSynchronize(t.from));
    sink = cudaEventElapsedTime(&ms, t.from, t.to); // MISTAKE time_in_stream cudaEventSynchronize
    must(cudaStreamSynchronize(s));
    must(cudaStreamDestroy(s));
}

TWINS(time_of_copy)
{
    timer t;
    float ms;
    std::vector<int> h(100);
    int *a = buffer<int>(100);
    must(cudaEventRecord(t.from));
    must(cudaMemcpyAsync(a, h.data(), 400, cudaMemcpyHostToDevice));
    must(cudaEventRecord(t.to));
    while (right && cudaEventQuery(t.to) != cudaSuccess) {
    }
    sink = cudaEventElapsedTime(&ms, t.from, t.to); // MISTAKE time_of_copy cudaEventSynchronize
    must(cudaDeviceSynchronize());
}

/* --- overlapping copies
 * ------------------------------------------------------------------------------ */

TWINS(shift_rows)
{
    float *a = buffer<float>(64 * 8);
    float *to = a + (right ? 256 : 64);
    must(cudaMemcpy2D(to, 128, a, 128, 128, 4, cudaMemcpyDefault)); // MISTAKE shift_rows overlap
}

TWINS(drop_first)
{
    cudaStream_t s;
    must(cudaStreamCreate(&s));
    long *queue = buffer<long>(100), *other = buffer<long>(100);
    must(cudaDeviceSynchronize());
    long *to = right ? other : queue;
    must(cudaMemcpyAsync(to, queue + 1, 792, cudaMemcpyDefault, s)); // MISTAKE drop_first overlap
    must(cudaStreamSynchronize(s));
    must(cudaStreamDestroy(s));
}

/* --- host functions
 * ------------------------------------------------------------------------------------ */

struct job {
    cudaStream_t s;
    int *a;
    bool right;
};
static void CUDART_CB launch_next(void *p)
{
    job *j = static_cast<job *>(p);
    if (!j->right) {
        set_all<<<1, 32, 0, j->s>>>(j->a, 32, 2); // MISTAKE launch_in_host_function host.function
    }
}
TWINS(launch_in_host_function)
{
    job j = {nullptr, buffer<int>(32), right};
    must(cudaStreamCreate(&j.s));
    must(cudaLaunchHostFunc(j.s, launch_next, &j));
    must(cudaStreamSynchronize(j.s));
    must(cudaStreamDestroy(j.s));
}

static void CUDART_CB then_free(cudaStream_t, cudaError_t, void *p)
{
    if (p != nullptr) {
        sink = cudaFree(p); // MISTAKE free_in_callback host.function
    }
}
TWINS(free_in_callback)
{
    int *a;
    must(cudaMalloc(&a, 256));
    must(cudaStreamAddCallback(0, then_free, right ? nullptr : a, 0));
    must(cudaDeviceSynchronize());
    cudaFree(a);
}

/* --- managed memory
 * --------------------------------------------------------------------------------------- */

struct list {
    int value;
    list *next;
};
TWINS(list_after_free)
{
    list *head;
    must(cudaMallocManaged(&head, 2 * sizeof *head));
    head[0] = list{1, head + 1};
    head[1] = list{2, nullptr};
    if (right) {
        sink = head->next->value;
    }
    must(cudaFree(head));
    if (!right) {
        sink = head->next->value; // MISTAKE list_after_free freed
    }
}

struct managed_vector {
    int *p;
    explicit managed_vector(int n) { must(cudaMallocManaged(&p, n * sizeof *p)); }
    ~managed_vector() { cudaFree(p); }
};
TWINS(reference_after_free)
{
    int *kept;
    {
        managed_vector v(100);
        set_all<<<1, 32>>>(v.p, 100, 3);
        must(cudaDeviceSynchronize());
        kept = &v.p[7];
        if (right) {
            sink = *kept;
        }
    }
    if (!right) {
        *kept = 5; // MISTAKE reference_after_free freed
    }
}

TWINS(pinned_after_free)
{
    double *p;
    must(cudaHostAlloc((void **)&p, 800, cudaHostAllocMapped));
    p[3] = 1;
    must(cudaFreeHost(p));
    if (!right) {
        sink = (int)p[3]; // MISTAKE pinned_after_free freed
    }
}

/* --- streams
 * -----------------------------------------------------------------------------------------------
 */

TWINS(halves_of_work)
{
    cudaStream_t s[2];
    int *a = buffer<int>(256);
    for (int i = 0; i < 2; i++) {
        must(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
    }
    must(cudaDeviceSynchronize());
    for (int i = 0; i < 2; i++) {
        const int n = right ? 128 : 129 - i;
        set_all<<<1, 64, 0, s[i]>>>(a + i * 128, n, i); // MISTAKE halves_of_work race.of.two.streams
    }
    must(cudaDeviceSynchronize());
    for (int i = 0; i < 2; i++) {
        must(cudaStreamDestroy(s[i]));
    }
}

TWINS(graph_of_host_reads)
{
    int *m;
    must(cudaMallocManaged(&m, 128));
    m[0] = 1;
    set_all<<<1, 32>>>(m, 16, 4);
    if (right) {
        must(cudaDeviceSynchronize());
    }
    m[8]++; // MISTAKE graph_of_host_reads race.of.host
    must(cudaDeviceSynchronize());
    cudaFree(m);
}

TWINS(freed_in_other_stream)
{
    cudaStream_t s, t;
    cudaEvent_t e;
    int *a;
    must(cudaStreamCreate(&s));
    must(cudaStreamCreate(&t));
    must(cudaEventCreate(&e));
    must(cudaMallocAsync(&a, 512, s));
    set_all<<<1, 64, 0, s>>>(a, 128, 1);
    must(cudaEventRecord(e, s));
    if (right) {
        must(cudaStreamWaitEvent(t, e, 0));
    }
    must(cudaFreeAsync(a, t)); // MISTAKE freed_in_other_stream race.of.two.streams
    must(cudaDeviceSynchronize());
    must(cudaEventDestroy(e));
    must(cudaStreamDestroy(s));
    must(cudaStreamDestroy(t));
}

/* --- memory
 * --------------------------------------------------------------------------------------------------
 */

template <typename T> struct matrix {
    T *data;
    int rows, columns;
    __device__ T &at(int y, int x) const { return data[y * columns + x]; }
};
template <bool right> __global__ void transpose(matrix<double> from, matrix<double> to)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < from.columns && y < (right ? from.rows : from.rows + 1)) {
        to.at(x, y) = from.at(y, x); // MISTAKE transpose_beyond bounds
    }
}
TWINS(transpose_beyond)
{
    matrix<double> a = {buffer<double>(16 * 20), 16, 20}, b = {buffer<double>(20 * 16), 20, 16};
    transpose<right><<<dim3(3, 3), dim3(8, 8)>>>(a, b);
}

template <bool right> __global__ void gather(const int *index, const float *values, float *out)
{
    out[threadIdx.x] = values[index[threadIdx.x]]; // MISTAKE gather_unset uninitialised
}
TWINS(gather_unset)
{
    float *values;
    int *index = buffer<int>(32);
    must(cudaMalloc(&values, 16 * sizeof *values));
    if (right) {
        must(cudaMemset(values, 0, 64));
    }
    gather<right><<<1, 32>>>(index, values, buffer<float>(32));
    must(cudaDeviceSynchronize());
    cudaFree(values);
}

TWINS(stream_never_destroyed)
{
    cudaStream_t s;
    const unsigned flags = cudaStreamNonBlocking;
    must(cudaStreamCreateWithPriority(&s, flags, 0)); // MISTAKE stream_never_destroyed leak
    int *a = buffer<int>(32);
    must(cudaDeviceSynchronize());
    set_all<<<1, 32, 0, s>>>(a, 32, 1);
    must(cudaStreamSynchronize(s));
    if (right) {
        must(cudaStreamDestroy(s));
    }
}

struct node_pool {
    int *free_list;
};
template <bool right> __global__ void double_free(int **shared_pointer)
{
    if (threadIdx.x == 0) {
        *shared_pointer = (int *)malloc(64);
    }
    __syncthreads();
    if (right ? threadIdx.x == 0 : threadIdx.x < 2) {
        free(*shared_pointer); // MISTAKE double_free free
    }
}
TWINS(double_free) { double_free<right><<<1, 64>>>(buffer<int *>(1)); }

template <bool right> __global__ void word_at_odd_byte(const unsigned char *text, unsigned *out)
{
    const unsigned char *at = text + threadIdx.x * (right ? 4 : 3);
    out[threadIdx.x] = *reinterpret_cast<const unsigned *>(at); // MISTAKE word_at_odd_byte aligned
}
TWINS(word_at_odd_byte)
{
    word_at_odd_byte<right><<<1, 16>>>(buffer<unsigned char>(64), buffer<unsigned>(16));
}
