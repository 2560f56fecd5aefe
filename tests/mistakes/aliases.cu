/* Arrays that a kernel reads by one name and writes by another: what a launch does not write need
 * not be followed, and this is not that. */
#include "mistakes.h"

template <bool right> __global__ void shift(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + 1]; // MISTAKE one_array_twice race
}
TWINS(one_array_twice)
{
    int *a = buffer<int>(129), *b = buffer<int>(129);
    shift<right><<<2, 64>>>(a, right ? b : a);
}

template <bool right> __global__ void halves(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 1; // MISTAKE overlapping_halves race
}
TWINS(overlapping_halves)
{
    int *a = buffer<int>(256);
    halves<right><<<2, 64>>>(a, a + (right ? 128 : 32));
}

template <bool right> __global__ void through_table(int *const *table, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = table[0][i + 1]; // MISTAKE pointer_from_a_table race
    out[i] = value;
}
TWINS(pointer_from_a_table)
{
    int *a = buffer<int>(129), *b = buffer<int>(129), **table = buffer<int *>(1);
    must(cudaMemcpy(table, &a, sizeof a, cudaMemcpyHostToDevice));
    through_table<right><<<2, 64>>>(table, right ? b : a);
}

template <bool right> __global__ void store_through_table(const int *in, int *const *table)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = in[i + 1]; // MISTAKE stored_through_a_table race
    table[0][i] = value;
}
TWINS(stored_through_a_table)
{
    int *a = buffer<int>(129), *b = buffer<int>(129), **table = buffer<int *>(1);
    must(cudaMemcpy(table, right ? &b : &a, sizeof a, cudaMemcpyHostToDevice));
    store_through_table<right><<<2, 64>>>(a, table);
}

__device__ int global_array[129];
template <bool right> __global__ void by_symbol(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = global_array[i + 1]; // MISTAKE symbol_and_pointer race
    out[i] = value;
}
template <bool right> __global__ void clear_symbol() { global_array[threadIdx.x] = 0; }
TWINS(symbol_and_pointer)
{
    void *symbol;
    must(cudaGetSymbolAddress(&symbol, global_array));
    clear_symbol<right><<<1, 129>>>();
    by_symbol<right><<<2, 64>>>(right ? buffer<int>(128) : (int *)symbol);
}
