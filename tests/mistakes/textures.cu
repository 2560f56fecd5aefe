/* Fetches through a texture of plain memory that is shorter than the program says, and through one that is gone. */
#include "mistakes.h"

enum { N = 256 };

static cudaTextureObject_t texture_of(float *p, size_t n)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc reading = {};
    cudaTextureObject_t t;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = p;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = n * sizeof *p;
    must(cudaCreateTextureObject(&t, &resource, &reading, NULL));
    return t;
}

/* What lies beyond the size that the program gives is 0, as on a card; what is within it is the memory's. */
template <bool right> __global__ void fetch(cudaTextureObject_t t, float *out)
{
    int i = threadIdx.x + (right ? 0 : 1);
    out[threadIdx.x] = tex1Dfetch<float>(t, i) + tex1Dfetch<float>(t, 2 * N); // MISTAKE beyond_the_memory behind.the.end
}

TWINS(beyond_the_memory)
{
    float *p = buffer<float>(N), *out = buffer<float>(N);
    cudaTextureObject_t t = texture_of(p, 2 * N);
    fetch<right><<<1, N>>>(t, out);
    must(cudaDestroyTextureObject(t));
}

template <bool right> __global__ void fetch_freed(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); // MISTAKE freed_memory has.been.freed
}

TWINS(freed_memory)
{
    float *p, *out = buffer<float>(N);
    must(cudaMalloc(&p, N * sizeof *p));
    must(cudaMemset(p, 0, N * sizeof *p));
    cudaTextureObject_t t = texture_of(p, N);
    if (!right)
        must(cudaFree(p));
    fetch_freed<right><<<1, N>>>(t, out);
    if (right)
        must(cudaFree(p));
    must(cudaDestroyTextureObject(t));
}
