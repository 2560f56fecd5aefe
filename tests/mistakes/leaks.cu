/* Memory that is not given back. */
#include "mistakes.h"

__global__ void use(float *p) { p[threadIdx.x] = 1; }

TWINS(device_memory)
{
    float *p;
    must(cudaMalloc(&p, 128)); // MISTAKE device_memory leak
    use<<<1, 32>>>(p);
    if (right) {
        cudaFree(p);
    }
}

TWINS(pinned_memory)
{
    float *p;
    must(cudaMallocHost(&p, 256)); // MISTAKE pinned_memory leak
    use<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    if (right) {
        cudaFreeHost(p);
    }
}

TWINS(managed_in_a_loop)
{
    for (int i = buffer_count; i < 3; i++) {
        float *p;
        must(cudaMallocManaged(&p, 128)); // MISTAKE managed_in_a_loop leak
        use<<<1, 32>>>(p);
        cudaDeviceSynchronize();
        if (right) {
            cudaFree(p);
        }
    }
}

__global__ void forget(int *out, bool give_back)
{
    int *p = (int *)malloc(16); // MISTAKE heap_of_kernels leak
    p[out[threadIdx.x]] = 7;
    out[threadIdx.x] = p[0];
    if (give_back) {
        free(p);
    }
}
TWINS(heap_of_kernels)
{
    forget<<<1, 4>>>(buffer<int>(4), right);
}

TWINS(in_a_stream)
{
    float *p;
    cudaStream_t s;
    must(cudaStreamCreate(&s));
    must(cudaMallocAsync(&p, 128, s)); // MISTAKE in_a_stream leak
    use<<<1, 32, 0, s>>>(p);
    if (right) {
        cudaFreeAsync(p, s);
    }
    cudaStreamDestroy(s);
}

TWINS(rows)
{
    float *p;
    size_t pitch;
    must(cudaMallocPitch(&p, &pitch, 128, 4)); // MISTAKE rows leak
    use<<<1, 32>>>(p);
    if (right) {
        cudaFree(p);
    }
}

TWINS(stays_registered)
{
    static float numbers[4096];
    must(cudaHostRegister(numbers, sizeof numbers, cudaHostRegisterMapped)); // MISTAKE stays_registered leak
    use<<<1, 32>>>(numbers);
    cudaDeviceSynchronize();
    if (right) {
        cudaHostUnregister(numbers);
    }
}

TWINS(stream_in_a_loop)
{
    for (int i = 0; i < 3; i++) {
        cudaStream_t s;
        must(cudaStreamCreate(&s)); // MISTAKE stream_in_a_loop leak
        use<<<1, 32, 0, s>>>(buffer<float>(32));
        must(cudaStreamSynchronize(s));
        if (right) {
            must(cudaStreamDestroy(s));
        }
    }
}

TWINS(event_of_a_pair)
{
    cudaEvent_t start, stop;
    must(cudaEventCreate(&start));
    must(cudaEventCreateWithFlags(&stop, cudaEventDisableTiming)); // MISTAKE event_of_a_pair leak
    must(cudaEventRecord(start));
    use<<<1, 32>>>(buffer<float>(32));
    must(cudaEventRecord(stop));
    must(cudaEventSynchronize(stop));
    must(cudaEventDestroy(start));
    if (right) {
        must(cudaEventDestroy(stop));
    }
}
