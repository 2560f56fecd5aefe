/* Out of one array and into its neighbour; and hints in messages. */
#include "mistakes.h"

template <bool right> __global__ void neighbour(const int *in, int *out)
{
    __shared__ int a[32];
    __shared__ int b[32];
    int t = threadIdx.x;
    b[t] = in[t];
    __syncthreads();
    a[t + (right ? 0 : in[t] + 1)] = t; // MISTAKE write_into_the_neighbour overflow
    __syncthreads();
    out[t] = a[31 - t] + b[t];
}
TWINS(write_into_the_neighbour) { neighbour<right><<<1, 32>>>(buffer<int>(32), buffer<int>(32)); }

template <bool right> __global__ void below(const int *in, int *out)
{
    __shared__ int first[16];
    __shared__ int second[16];
    int t = threadIdx.x;
    first[t] = second[t] = in[t] + t;
    __syncthreads();
    int x = second[right ? t : t - 1 + in[t]]; // MISTAKE read_below_the_array overflow
    int y = first[right ? t : t - 1 + in[t] + 1];
    out[t] = x + y;
}
TWINS(read_below_the_array) { below<right><<<1, 16>>>(buffer<int>(16), buffer<int>(16)); }

extern __shared__ int dynamic[];
__global__ void too_little(int *out)
{
    dynamic[threadIdx.x] = threadIdx.x; // MISTAKE dynamic_too_small third.argument
    out[threadIdx.x] = dynamic[threadIdx.x];
}
TWINS(dynamic_too_small) { too_little<<<1, 64, right ? 256 : 128>>>(buffer<int>(64)); }

__global__ void product(int *a, int row)
{
    int i = row * 70000 + (int)threadIdx.x; /* 70000 x 70000 is more than an int holds */
    a[row == 0 ? threadIdx.x : i] = 1; // MISTAKE int_overflow size_t
}
TWINS(int_overflow) { product<<<1, 32>>>(buffer<int>(64), right ? 0 : 31000); }

__global__ void say(const char *text, int n)
{
    printf("%s %d\n", text, n); // MISTAKE printf_of_nothing printf
}
TWINS(printf_of_nothing) { say<<<1, 1>>>(right ? buffer<char>(1) : (const char *)16, 1); }
