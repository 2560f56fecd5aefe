/* Device variables: initial values, copies to and from them with offsets, their address and size,
 * constants, managed variables, and variables that only one file can see. */
#include "tests/frontend/check.h"

struct material {
    float density;
    int layers[3];
    double heat;
};

__device__ int counter = 7;
__device__ double matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
__constant__ material steel = {7.85f, {1, 2, 3}, 0.49};
__constant__ float weights[256];
static __device__ unsigned hidden = 0xabcdu;
namespace inner
{
__device__ long long counter = -1;
}
__managed__ int shared_counter = 100;
__managed__ float shared_array[4] = {0.5f, 1.5f, 2.5f, 3.5f};

__global__ void read_all(double *out)
{
    out[0] = counter;
    out[1] = matrix[1][2];
    out[2] = (double)steel.density + steel.layers[2] + steel.heat;
    out[3] = weights[threadIdx.x + 17];
    out[4] = hidden;
    out[5] = (double)inner::counter;
    out[6] = shared_counter + (double)shared_array[3];
}

__global__ void change(int by)
{
    atomicAdd(&counter, by);
    hidden += 1;
    shared_counter += by;
    shared_array[1] = (float)by;
}

static double *results; /* 7 doubles of managed memory */

static void read_again(void)
{
    memset(results, 0xff, 7 * sizeof(double));
    read_all<<<1, 1>>>(results);
    CHECK_CUDA(cudaDeviceSynchronize());
}

static void check_initial_values(void)
{
    read_again();
    CHECK_FLOAT(results[0], 7, 0);
    CHECK_FLOAT(results[1], 6, 0);
    CHECK_FLOAT(results[2], (double)7.85f + 3 + 0.49, 0);
    CHECK_FLOAT(results[3], 0, 0);
    CHECK_FLOAT(results[4], 0xabcd, 0);
    CHECK_FLOAT(results[5], -1, 0);
    CHECK_FLOAT(results[6], 103.5, 0);
}

static void check_copies(void)
{
    int five = 5, back = 0;
    float weight = 2.25f;
    double row[3] = {7, 8, 9};
    long long big = 1LL << 40;
    CHECK_CUDA(cudaMemcpyToSymbol(counter, &five, sizeof(five)));
    CHECK_CUDA(cudaMemcpyToSymbol(weights, &weight, sizeof(weight), 17 * sizeof(float)));
    CHECK_CUDA(cudaMemcpyToSymbol(matrix, row, sizeof(row), sizeof(row)));
    CHECK_CUDA(cudaMemcpyToSymbol(inner::counter, &big, sizeof(big)));
    read_again();
    CHECK_FLOAT(results[0], 5, 0);
    CHECK_FLOAT(results[1], 9, 0);
    CHECK_FLOAT(results[3], 2.25, 0);
    CHECK_FLOAT(results[5], (double)big, 0);
    change<<<1, 1>>>(0);
    change<<<1, 1>>>(3);
    CHECK_CUDA(cudaMemcpyFromSymbol(&back, counter, sizeof(back)));
    CHECK_INT(back, 8);
    CHECK_INT(shared_counter, 103);
    CHECK_FLOAT(shared_array[1], 3, 0);
}

static void check_addresses(void)
{
    void *address, *same;
    size_t bytes;
    int value = 0;
    CHECK_CUDA(cudaGetSymbolAddress(&address, counter));
    CHECK_CUDA(cudaGetSymbolAddress(&same, counter));
    CHECK(address == same && address != (void *)&counter);
    CHECK_CUDA(cudaMemcpy(&value, address, sizeof(value), cudaMemcpyDeviceToHost));
    CHECK_INT(value, 8);
    CHECK_CUDA(cudaGetSymbolSize(&bytes, weights));
    CHECK_INT(bytes, 1024);
    CHECK_CUDA(cudaGetSymbolSize(&bytes, steel));
    CHECK_INT(bytes, sizeof(material));
    CHECK(cudaMemcpyToSymbol(counter, &value, sizeof(value), 1) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

/* The host may read and write a managed variable whenever no kernel runs. */
static void check_managed(void)
{
    shared_counter = -3;
    shared_array[3] = 1024;
    read_again();
    CHECK_FLOAT(results[6], 1021, 0);
    int *pointer = &shared_counter;
    CHECK_CUDA(cudaMemset(pointer, 0, sizeof(int)));
    CHECK_INT(shared_counter, 0);
}

int main(void)
{
    CHECK_INT(shared_counter, 100); /* before any call of the runtime */
    results = make_array<double>(7);
    check_initial_values();
    check_copies();
    check_addresses();
    check_managed();
    return check_done();
}
