/* step01-4: checks each call, with vectors and exceptions */
#include <algorithm>
#include <stdexcept>
#include <vector>
static void check(cudaError_t code)
{
    if (code != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(code));
}

__global__ void halve(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.5f * x[i];
}

bool halve_on_gpu(float *out, const float *x, int n)
{
    if (n == 0)
        return true;
    int device = 0, blocks = 0;
    cudaDeviceProp about;
    check(cudaGetDevice(&device));
    check(cudaGetDeviceProperties(&about, device));
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, halve, 256, 0));
    std::vector<float> result(n);
    float *d_x = nullptr, *d_out = nullptr;
    check(cudaMalloc(&d_x, n * sizeof(float)));
    check(cudaMalloc(&d_out, n * sizeof(float)));
    check(cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice));
    halve<<<(n + 255) / 256, 256>>>(d_out, d_x, n);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(result.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    std::copy(result.begin(), result.end(), out);
    check(cudaFree(d_x));
    check(cudaFree(d_out));
    return about.multiProcessorCount > 0 && blocks > 0;
}
