/* Streams and events: order within a stream and between streams, callbacks, times, and several host
 * threads that work at the same time, each with a last error of its own. */
#include "tests/frontend/check.h"

#include <thread>
#include <vector>

__global__ void append(int *log, int *length, int value) { log[(*length)++] = value; }

__global__ void square(int *p, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        p[i] = p[i] * p[i];
}

static int *entries, *length; /* managed: what kernels and host functions did, in order */

static void CUDART_CB note_value(void *value) { entries[(*length)++] = *(int *)value; }

static void CUDART_CB note_status(cudaStream_t, cudaError_t status, void *value)
{
    entries[(*length)++] = status == cudaSuccess ? *(int *)value : -1;
}

/* Handles that were destroyed. CUDA leaves it undefined what these calls do; a GPU's driver may end
 * the program with a segmentation fault. */
static void check_gone(cudaStream_t stream, cudaEvent_t event)
{
    append<<<1, 1, 0, stream>>>(entries, length, 6);
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventRecord(event, 0) == cudaErrorInvalidResourceHandle);
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
}

static void check_order(void)
{
    cudaStream_t first, second;
    cudaEvent_t ready;
    int three = 3, five = 5;
    entries = make_array<int>(100);
    length = make_array<int>(1);
    *length = 0;
    CHECK_CUDA(cudaStreamCreate(&first));
    CHECK_CUDA(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK_CUDA(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    append<<<1, 1, 0, first>>>(entries, length, 1);
    append<<<1, 1, 0, first>>>(entries, length, 2);
    CHECK_CUDA(cudaLaunchHostFunc(first, note_value, &three));
    CHECK_CUDA(cudaEventRecord(ready, first));
    CHECK_CUDA(cudaStreamWaitEvent(second, ready, 0));
    append<<<1, 1, 0, second>>>(entries, length, 4);
    CHECK_CUDA(cudaStreamAddCallback(second, note_status, &five, 0));
    CHECK_CUDA(cudaStreamSynchronize(second));
    CHECK_CUDA(cudaEventQuery(ready));
    CHECK_INT(*length, 5);
    for (int i = 0; i < 5; i++)
        CHECK_INT(entries[i], i + 1);
    CHECK_CUDA(cudaStreamDestroy(first));
    CHECK_CUDA(cudaStreamDestroy(second));
    CHECK_CUDA(cudaEventDestroy(ready));
    if (on_simulator)
        check_gone(first, ready);
    CHECK_INT(*length, 5);
    CHECK_CUDA(cudaFree(entries));
    CHECK_CUDA(cudaFree(length));
}

static void check_times(void)
{
    cudaEvent_t begin, end;
    float milliseconds = -1;
    CHECK_CUDA(cudaEventCreate(&begin));
    CHECK_CUDA(cudaEventCreate(&end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end) == cudaErrorInvalidResourceHandle);
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle); /* neither was recorded */
    CHECK_CUDA(cudaEventRecord(begin));
    CHECK_CUDA(cudaEventRecord(end));
    CHECK_CUDA(cudaEventSynchronize(end));
    CHECK_CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(milliseconds >= 0 && milliseconds < 10000);
    CHECK_CUDA(cudaEventDestroy(begin));
    CHECK_CUDA(cudaEventDestroy(end));
}

static void square_in_own_stream(int seed, bool *right)
{
    enum { N = 1000 };
    std::vector<int> host(N);
    int *device;
    cudaStream_t stream;
    *right = cudaStreamCreate(&stream) == cudaSuccess &&
             cudaMalloc(&device, N * sizeof(int)) == cudaSuccess;
    for (int round = 0; round < 20 && *right; round++) {
        for (int i = 0; i < N; i++)
            host[i] = seed + round + i;
        cudaMemcpyAsync(device, host.data(), N * sizeof(int), cudaMemcpyHostToDevice, stream);
        square<<<(N + 63) / 64, 64, 0, stream>>>(device, N);
        cudaMemcpyAsync(host.data(), device, N * sizeof(int), cudaMemcpyDeviceToHost, stream);
        *right = cudaStreamSynchronize(stream) == cudaSuccess;
        for (int i = 0; i < N && *right; i++)
            *right = host[i] == (seed + round + i) * (seed + round + i);
    }
    square<<<1, 4096, 0, stream>>>(device, N); /* an error of this thread alone */
    *right = *right && cudaGetLastError() == cudaErrorInvalidValue;
    cudaFree(device);
    cudaStreamDestroy(stream);
}

static void check_threads(void)
{
    enum { THREADS = 4 };
    bool right[THREADS];
    std::vector<std::thread> threads;
    for (int t = 0; t < THREADS; t++)
        threads.emplace_back(square_in_own_stream, 100 * t, &right[t]);
    for (int t = 0; t < THREADS; t++) {
        threads[t].join();
        CHECK(right[t]);
    }
    CHECK_CUDA(cudaGetLastError());
}

int main(void)
{
    check_order();
    check_times();
    check_threads();
    return check_done();
}
