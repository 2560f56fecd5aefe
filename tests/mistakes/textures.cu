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

/* --- what the checks see of textures and surfaces --- */

static cudaTextureObject_t texture_of_array(cudaArray_t a, bool filters)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc reading = {};
    cudaTextureObject_t t;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = a;
    reading.filterMode = filters ? cudaFilterModeLinear : cudaFilterModePoint;
    reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
    must(cudaCreateTextureObject(&t, &resource, &reading, NULL));
    return t;
}

static cudaSurfaceObject_t surface_of_array(cudaArray_t a)
{
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t s;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = a;
    must(cudaCreateSurfaceObject(&s, &resource));
    return s;
}

enum { SIDE = 16 };

/* Its rows have a value up to `rows`. */
static cudaArray_t array_of(int rows)
{
    static const float zeros[SIDE * SIDE] = {};
    const cudaChannelFormatDesc one_float = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    must(cudaMallocArray(&a, &one_float, SIDE, SIDE, cudaArraySurfaceLoadStore));
    if (rows > 0)
        must(cudaMemcpy2DToArray(a, 0, 0, zeros, SIDE * sizeof(float), SIDE * sizeof(float), rows,
                                 cudaMemcpyHostToDevice));
    return a;
}

/* Filtered between two rows of which the second has no value. */
__global__ void fetch_rows(cudaTextureObject_t t, float y, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, y); // MISTAKE row_without_value uninitialised MISTAKE filled_by_a_surface uninitialised
}

TWINS(row_without_value)
{
    float *out = buffer<float>(SIDE);
    cudaArray_t a = array_of(SIDE / 2);
    cudaTextureObject_t t = texture_of_array(a, true);
    fetch_rows<<<1, SIDE>>>(t, right ? SIDE / 2 - 0.5f : SIDE / 2, out);
    must(cudaDestroyTextureObject(t));
    must(cudaFreeArray(a));
}

/* One thread's element of 16 bytes. */
__global__ void fetch_wide(cudaTextureObject_t t, float4 *out)
{
    out[threadIdx.x] = tex1Dfetch<float4>(t, threadIdx.x); // MISTAKE memory_without_value uninitialised
}

TWINS(memory_without_value)
{
    float4 *p, *out = buffer<float4>(N);
    cudaResourceDesc resource = {};
    cudaTextureDesc reading = {};
    cudaTextureObject_t t;
    must(cudaMalloc(&p, N * sizeof *p));
    must(cudaMemset(p, 0, (right ? N : N / 2) * sizeof *p));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = p;
    resource.res.linear.desc = cudaCreateChannelDesc<float4>();
    resource.res.linear.sizeInBytes = N * sizeof *p;
    must(cudaCreateTextureObject(&t, &resource, &reading, NULL));
    fetch_wide<<<1, N>>>(t, out);
    must(cudaDeviceSynchronize());
    must(cudaDestroyTextureObject(t));
    must(cudaFree(p));
}

/* A surface that another block of the launch fills. */
template <bool right> __global__ void shift_rows(cudaSurfaceObject_t s)
{
    float value;
    const int y = right ? blockIdx.x : (blockIdx.x + 1) % gridDim.x;
    surf2Dread(&value, s, threadIdx.x * sizeof value, y);
    surf2Dwrite(value + 1, s, threadIdx.x * sizeof value, blockIdx.x); // MISTAKE surface_of_others race
}

TWINS(surface_of_others)
{
    cudaArray_t a = array_of(SIDE);
    cudaSurfaceObject_t s = surface_of_array(a);
    shift_rows<right><<<4, SIDE>>>(s);
    must(cudaDeviceSynchronize());
    must(cudaDestroySurfaceObject(s));
    must(cudaFreeArray(a));
}

/* All threads store another value at one place. */
template <bool right> __global__ void gather_here(cudaSurfaceObject_t s)
{
    const int x = right ? threadIdx.x : 0;
    surf2Dwrite((float)threadIdx.x, s, x * sizeof(float), 0); // MISTAKE one_element race
}

TWINS(one_element)
{
    cudaArray_t a = array_of(0);
    cudaSurfaceObject_t s = surface_of_array(a);
    gather_here<right><<<1, SIDE>>>(s);
    must(cudaDeviceSynchronize());
    must(cudaDestroySurfaceObject(s));
    must(cudaFreeArray(a));
}

/* A thread fetches what it has stored: the texture's cache may show what was there before. */
template <bool right> __global__ void store_and_fetch(float *p, cudaTextureObject_t t, float *out)
{
    p[threadIdx.x] = threadIdx.x;
    const int i = right ? threadIdx.x + N : threadIdx.x;
    out[threadIdx.x] = tex1Dfetch<float>(t, i); // MISTAKE own_store may.not.show
}

TWINS(own_store)
{
    float *p = buffer<float>(2 * N), *out = buffer<float>(N);
    cudaTextureObject_t t = texture_of(p, 2 * N);
    store_and_fetch<right><<<2, N / 2>>>(p, t, out);
    must(cudaDeviceSynchronize());
    must(cudaDestroyTextureObject(t));
}

/* A copy into the array, in a stream that nothing orders with the kernel's. */
TWINS(copy_beside_fetch)
{
    static const float zeros[SIDE * SIDE] = {};
    float *out = buffer<float>(SIDE);
    cudaArray_t a = array_of(SIDE);
    cudaTextureObject_t t = texture_of_array(a, false);
    cudaStream_t fetching, copying;
    must(cudaStreamCreate(&fetching));
    must(cudaStreamCreate(&copying));
    fetch_rows<<<1, SIDE, 0, fetching>>>(t, 0.5f, out);
    must(cudaMemcpy2DToArrayAsync(a, 0, 0, zeros, SIDE * sizeof(float), SIDE * sizeof(float), 1, cudaMemcpyHostToDevice, right ? fetching : copying)); // MISTAKE copy_beside_fetch race.of.two.streams
    must(cudaDeviceSynchronize());
    must(cudaStreamDestroy(fetching));
    must(cudaStreamDestroy(copying));
    must(cudaDestroyTextureObject(t));
    must(cudaFreeArray(a));
}

/* Lanes may add to one element, but not store to it. */
template <bool right> __global__ void count_lanes(cudaSurfaceObject_t s)
{
    if (right)
        asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %1}], %2;" ::"l"(s), "r"(0), "r"(1) : "memory");
    else
        surf2Dwrite(threadIdx.x, s, 0, 0); // MISTAKE counted_in_a_surface race
}

TWINS(counted_in_a_surface)
{
    cudaArray_t a;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned>();
    must(cudaMallocArray(&a, &format, SIDE, SIDE, cudaArraySurfaceLoadStore));
    static const unsigned zeros[SIDE * SIDE] = {0};
    must(cudaMemcpy2DToArray(a, 0, 0, zeros, SIDE * 4, SIDE * 4, SIDE, cudaMemcpyHostToDevice));
    cudaSurfaceObject_t s = surface_of_array(a);
    count_lanes<right><<<1, 32>>>(s);
    must(cudaDeviceSynchronize());
    must(cudaDestroySurfaceObject(s));
    must(cudaFreeArray(a));
}

/* What a surface has been given, a later launch's texture reads. */
__global__ void fill_surface(cudaSurfaceObject_t s)
{
    surf2Dwrite(1.0f, s, threadIdx.x * sizeof(float), blockIdx.x);
}

TWINS(filled_by_a_surface)
{
    float *out = buffer<float>(SIDE);
    cudaArray_t a = array_of(0);
    cudaSurfaceObject_t s = surface_of_array(a);
    cudaTextureObject_t t = texture_of_array(a, true);
    fill_surface<<<right ? SIDE : 4, SIDE>>>(s);
    fetch_rows<<<1, SIDE>>>(t, 4.0f, out);
    must(cudaDeviceSynchronize());
    must(cudaDestroyTextureObject(t));
    must(cudaDestroySurfaceObject(s));
    must(cudaFreeArray(a));
}
