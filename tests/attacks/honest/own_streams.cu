/* step01-4: uses two streams, pinned memory and events */
#include <cstring>

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
    const int half = n / 2;
    float *d_x, *d_out, *pinned, ms = 0.0f;
    cudaStream_t s[2];
    cudaEvent_t begin, end;
    cudaMallocHost(&pinned, 4 * n);
    memcpy(pinned, x, 4 * n);
    cudaMalloc(&d_x, 4 * n);
    cudaMalloc(&d_out, 4 * n);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    for (int k = 0; k < 2; k++) {
        const int from = k * half, count = k == 0 ? half : n - half;
        cudaStreamCreate(&s[k]);
        if (count == 0)
            continue;
        cudaMemcpyAsync(d_x + from, pinned + from, 4 * count, cudaMemcpyHostToDevice, s[k]);
        halve<<<(count + 255) / 256, 256, 0, s[k]>>>(d_out + from, d_x + from, count);
        cudaMemcpyAsync(pinned + from, d_out + from, 4 * count, cudaMemcpyDeviceToHost, s[k]);
    }
    cudaStreamSynchronize(s[0]);
    cudaStreamSynchronize(s[1]);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    memcpy(out, pinned, 4 * n);
    cudaFree(d_x);
    cudaFree(d_out);
    cudaFreeHost(pinned);
    cudaStreamDestroy(s[0]);
    cudaStreamDestroy(s[1]);
    return cudaGetLastError() == cudaSuccess;
}
