/* Values that were never given. */
#include "mistakes.h"

/* Not what buffer() gives: nothing has been stored there. */
template <typename T> static T *raw(size_t n)
{
    void *p;
    must(cudaMalloc(&p, n * sizeof(T)));
    buffers[buffer_count++] = p;
    return static_cast<T *>(p);
}

__global__ void sum_into(const float *in, float *out)
{
    out[threadIdx.x] += in[threadIdx.x]; // MISTAKE sum_never_cleared uninitialised
}
TWINS(sum_never_cleared)
{
    sum_into<<<1, 32>>>(buffer<float>(32), right ? buffer<float>(32) : raw<float>(32));
}

__global__ void scale(const float *in, float *out)
{
    out[threadIdx.x] = 2 * in[threadIdx.x]; // MISTAKE input_never_copied uninitialised
}
TWINS(input_never_copied)
{
    scale<<<1, 32>>>(right ? buffer<float>(32) : raw<float>(32), raw<float>(32));
}

__global__ void copy(const float *in, float *out)
{
    out[threadIdx.x] = in[threadIdx.x]; // MISTAKE copy_of_nothing uninitialised
}
TWINS(copy_of_nothing)
{
    copy<<<1, 32>>>(right ? buffer<float>(32) : raw<float>(32), raw<float>(32));
}

__global__ void gather(const int *index, const float *in, float *out)
{
    int i = index[threadIdx.x]; // MISTAKE index_never_set uninitialised
    if (i >= 0 && i < 32) {
        out[threadIdx.x] = in[i];
    }
}
TWINS(index_never_set)
{
    gather<<<1, 32>>>(right ? buffer<int>(32) : raw<int>(32), buffer<float>(32),
                      buffer<float>(32));
}

/* The last elements are not copied. */
TWINS(copied_too_short)
{
    float *in = raw<float>(64), host[64] = {0};
    must(cudaMemcpy(in, host, right ? sizeof host : 60 * sizeof(float), cudaMemcpyHostToDevice));
    void *part = raw<float>(64);
    must(cudaMemcpy(part, in, 64 * sizeof(float), cudaMemcpyDeviceToDevice));
    extern __global__ void twice(const float *, float *);
    twice<<<1, 64>>>((const float *)part, raw<float>(64));
}
__global__ void twice(const float *in, float *out)
{
    out[threadIdx.x] = in[threadIdx.x] + 1; // MISTAKE copied_too_short uninitialised
}

__global__ void tally(int *counter)
{
    atomicAdd(counter, 1); // MISTAKE counter_never_cleared uninitialised
}
TWINS(counter_never_cleared) { tally<<<2, 32>>>(right ? buffer<int>(1) : raw<int>(1)); }

template <bool right> __global__ void edge(const float *in, float *out)
{
    __shared__ float s[34];
    int t = threadIdx.x;
    s[t + 1] = in[t];
    if (right && t < 2) {
        s[t * 33] = 0;
    }
    __syncthreads();
    out[t] = s[t] + s[t + 1] + s[t + 2]; // MISTAKE halo_never_loaded uninitialised
}
TWINS(halo_never_loaded) { edge<right><<<1, 32>>>(buffer<float>(32), buffer<float>(32)); }

template <bool right> __global__ void bins(const int *in, int *out)
{
    __shared__ int count[16];
    int t = threadIdx.x;
    if (right && t < 16) {
        count[t] = 0;
    }
    __syncthreads();
    atomicAdd(&count[in[t] & 15], 1); // MISTAKE shared_bins_never_cleared uninitialised
    __syncthreads();
    if (t < 16 && right) {
        out[t] = count[t];
    }
}
TWINS(shared_bins_never_cleared) { bins<right><<<1, 32>>>(buffer<int>(32), buffer<int>(16)); }

template <bool right> __global__ void partial_tile(const float *in, float *out, int n)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < n) {
        s[t] = in[t];
    } else if (right) {
        s[t] = 0;
    }
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (t < d) {
            s[t] += s[t + d]; // MISTAKE tail_of_the_tile uninitialised
        }
        __syncthreads();
    }
    if (t == 0) {
        *out = s[0];
    }
}
TWINS(tail_of_the_tile) { partial_tile<right><<<1, 64>>>(buffer<float>(64), buffer<float>(1), 50); }

template <bool right> __global__ void branch(int *out, int n)
{
    __shared__ int mode;
    if ((right || n > 1000) && threadIdx.x == 0) {
        mode = n;
    }
    __syncthreads();
    if (mode > 0) { // MISTAKE branch_on_nothing uninitialised
        out[threadIdx.x] = out[threadIdx.x + 32];
    }
}
TWINS(branch_on_nothing) { branch<right><<<1, 32>>>(buffer<int>(64), 5); }

template <bool right> __global__ void stack(const int *in, int *out)
{
    int seen[16];
    for (int i = 0; i < (right ? 16 : in[31] + 8); i++) {
        seen[in[i] + i] = i;
    }
    out[threadIdx.x] = seen[(in[threadIdx.x] + threadIdx.x) & 15]; // MISTAKE local_array uninitialised
}
TWINS(local_array) { stack<right><<<1, 32>>>(buffer<int>(32), buffer<int>(32)); }

/* Padding is copied, and no mistake; a field that was never set is, where it is used. */
struct padded {
    double d;
    int i;
    char c;
};
template <bool right> __global__ void fields(const padded *in, padded *out, double *sum)
{
    out[threadIdx.x] = in[threadIdx.x];
    sum[threadIdx.x] = in[threadIdx.x].d + (right ? 0 : out[threadIdx.x + 32].i); // MISTAKE a_field uninitialised
}
__global__ void fill(padded *p)
{
    p[threadIdx.x].d = 1;
    p[threadIdx.x].i = 2;
    p[threadIdx.x].c = 3;
}
TWINS(a_field)
{
    padded *in = raw<padded>(32);
    fill<<<1, 32>>>(in);
    fields<right><<<1, 32>>>(in, raw<padded>(64), raw<double>(32));
}

/* What is loaded and then not used is no mistake. */
template <bool right> __global__ void unused(const float *in, float *out, int n)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    if (t < n) {
        s[t] = in[t];
    }
    __syncthreads();
    float x = s[31 - t];
    out[t] = right ? (31 - t < n ? x : 0.0f) : x; // MISTAKE tail_is_used uninitialised
}
TWINS(tail_is_used) { unused<right><<<1, 32>>>(buffer<float>(32), buffer<float>(32), 20); }

__global__ void in_kernel_heap(int *out, int n)
{
    int *p = (int *)malloc(sizeof *p * 4);
    for (int i = 0; i < n; i++) {
        p[i] = 5;
    }
    out[threadIdx.x] = p[2 + out[threadIdx.x]] + 1; // MISTAKE kernel_malloc uninitialised
    free(p);
}
TWINS(kernel_malloc) { in_kernel_heap<<<1, 8>>>(buffer<int>(8), right ? 3 : 2); }
