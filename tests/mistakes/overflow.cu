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

/* Arrays of one thread, among its local variables. */
__global__ void histogram(const int *in, int *out, int n, int highest)
{
    int count[8];
    int weight[8];
    for (int i = 0; i < 8; i++) {
        count[i] = 0;
        weight[i] = in[i] + i;
    }
    for (int i = 0; i < n; i++) {
        count[in[i] + highest]++; // MISTAKE local_histogram overflow
    }
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += count[in[i] + (i & 7)] * weight[in[i] + (i & 7)];
    }
    out[threadIdx.x] = sum;
}
TWINS(local_histogram)
{
    histogram<<<1, 32>>>(buffer<int>(64), buffer<int>(32), 20, right ? 7 : 8);
}

template <bool right> __global__ void shift(const int *in, int *out, int n)
{
    float window[6], kernel[6];
    double total[3];
    for (int i = 0; i < 6; i++) {
        window[i] = in[i];
        kernel[i] = in[i + 6];
    }
    for (int i = 0; i < 3; i++) {
        total[i] = in[i + n];
    }
    for (int i = 0; i < n; i++) {
        int last = in[i] + (right ? 5 : 6);
        total[in[i + 1]] += window[last] * kernel[last - 1]; // MISTAKE local_window overflow
        kernel[in[i] + 2] = total[in[i] + 2];
    }
    out[threadIdx.x] = total[in[n]] + kernel[in[n] + 3] + window[in[n] + 4];
}
TWINS(local_window) { shift<right><<<1, 32>>>(buffer<int>(64), buffer<int>(32), 9); }

/* One below the second array; and, in the twin, an index that begins within, which is none. */
struct pair {
    int low[4], high[4];
};
template <bool right> __global__ void below_local(const int *in, int *out, int n)
{
    pair first;
    char text[16];
    for (int i = 0; i < 4; i++) {
        first.low[i] = in[i];
        first.high[i] = in[i + 4];
    }
    for (int i = 0; i < 16; i++) {
        text[i] = in[i] + 'a';
    }
    for (int i = 0; i < n; i++) {
        text[in[i] + (right ? 15 : -1)] = 'z'; // MISTAKE below_a_local_array overflow
        first.high[in[i] + 3] += text[in[i] + 3];
        (&first.high[1])[in[i] - 1] += i;
    }
    out[threadIdx.x] = first.low[in[n] + 3] + first.high[in[n]] + text[in[n] + 4];
}
TWINS(below_a_local_array) { below_local<right><<<1, 32>>>(buffer<int>(64), buffer<int>(32), 11); }

/* The last of a thread's arrays: what lies behind it is not even the gap to a multiple of 16. */
__global__ void only_one(const int *in, int *out, int n)
{
    int last[5];
    for (int i = 0; i < n; i++) {
        last[in[i] + i] = i; // MISTAKE behind_the_last_local_array local.variables.take.20.bytes
    }
    out[threadIdx.x] = last[in[n]];
}
TWINS(behind_the_last_local_array)
{
    only_one<<<1, 32>>>(buffer<int>(32), buffer<int>(32), right ? 5 : 6);
}
