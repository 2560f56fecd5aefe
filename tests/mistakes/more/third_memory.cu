/* third_memory.cu - mistakes with memory inside kernels: ends of arrays, lifetimes, values never given. */
/* flags: -arch=sm_80 */
#include "mistakes.h"
#include <cuda_runtime.h>

/* The end of the array is one too far. */
template <bool right>
__global__ void add_one(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (right ? i < n : i <= n) {
        a[i] += 1.0f; // MISTAKE one_too_far out.of.bounds
    }
}
TWINS(one_too_far)
{
    add_one<right><<<3, 64>>>(buffer<float>(128), 128);
}

/* The left neighbour of the first element. */
template <bool right>
__global__ void difference(const double *in, double *out)
{
    int i = threadIdx.x;
    out[i] = right && i == 0 ? in[0] : in[i] - in[i - 1]; // MISTAKE left_of_first out.of.bounds
}
TWINS(left_of_first)
{
    difference<right><<<1, 64>>>(buffer<double>(64), buffer<double>(64));
}

/* A pitch in bytes is used as a number of elements. */
template <bool right>
__global__ void pitched(float *a, size_t pitch, int width)
{
    int x = threadIdx.x, y = blockIdx.x;
    if (x < width) {
        if (right) {
            ((float *)((char *)a + y * pitch))[x] = 1.0f;
        } else {
            a[y * pitch + x] = 1.0f; // MISTAKE pitch_elements out.of.bounds
        }
    }
}
TWINS(pitch_elements)
{
    float *a;
    size_t pitch;
    must(cudaMallocPitch(&a, &pitch, 100 * sizeof(float), 16));
    pitched<right><<<16, 128>>>(a, pitch, 100);
    cudaDeviceSynchronize();
    cudaFree(a);
}

/* Products of sizes overflow in 32 bits: the index becomes negative. */
template <bool right>
__global__ void far_index(char *a, int row, int columns)
{
    if (right) {
        a[(size_t)row * columns % 1024] = 1;
    } else {
        a[row * columns] = 1; // MISTAKE index_overflow out.of.bounds
    }
}
TWINS(index_overflow)
{
    far_index<right><<<1, 1>>>(buffer<char>(1024), 50000, 50000);
}

/* A table in constant memory is shorter than the index. */
__constant__ float coefficients[9];
template <bool right>
__global__ void filter(float *out)
{
    int t = threadIdx.x;
    out[t] = coefficients[right ? t % 9 : t]; // MISTAKE constant_end out.of.bounds
}
TWINS(constant_end)
{
    filter<right><<<1, 64>>>(buffer<float>(64));
}

/* A local array with an index from data. */
template <bool right>
__global__ void local_index(const int *in, int *out)
{
    int counts[8];
    for (int i = 0; i < 8; i++) {
        counts[i] = i;
    }
    int k = in[threadIdx.x];
    counts[right ? k % 8 : k]++; // MISTAKE local_index .
    int sum = 0;
    for (int i = 0; i < 8; i++) {
        sum += counts[i] * in[i % 4];
    }
    out[threadIdx.x] = sum;
}
TWINS(local_index)
{
    int h[32];
    for (int i = 0; i < 32; i++) {
        h[i] = i;
    }
    int *in = buffer<int>(32);
    must(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    local_index<right><<<1, 32>>>(in, buffer<int>(32));
}

/* Dynamic shared memory is smaller than the kernel believes. */
template <bool right>
__global__ void small_shared(int *out)
{
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x; // MISTAKE small_shared out.of.bounds
    __syncthreads();
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
TWINS(small_shared)
{
    small_shared<right><<<1, 128, right ? 512 : 128>>>(buffer<int>(128));
}

/* A vector load of an address that is aligned for one element only. */
template <bool right>
__global__ void vectors(const float *in, float4 *out)
{
    out[threadIdx.x] = *(const float4 *)(in + (right ? 4 : 2) + 4 * threadIdx.x); // MISTAKE misaligned_vector misaligned
}
TWINS(misaligned_vector)
{
    vectors<right><<<1, 32>>>(buffer<float>(256), buffer<float4>(32));
}

/* A pointer into an array of structs of 12 bytes, loaded as one of 8. */
struct point {
    float x, y, z;
};
template <bool right>
__global__ void points(point *p, float2 *out)
{
    int t = threadIdx.x;
    if (right) {
        out[t] = make_float2(p[t].x, p[t].y);
    } else {
        out[t] = *(float2 *)&p[t]; // MISTAKE misaligned_point misaligned
    }
}
TWINS(misaligned_point)
{
    points<right><<<1, 32>>>(buffer<point>(32), buffer<float2>(32));
}

/* The buffer is freed between two launches. */
template <bool right>
__global__ void touch(int *a)
{
    a[threadIdx.x] = 1; // MISTAKE freed_buffer .
}
TWINS(freed_buffer)
{
    int *a;
    must(cudaMalloc(&a, 512));
    if (!right) {
        cudaFree(a);
    }
    touch<right><<<1, 32>>>(a);
    cudaDeviceSynchronize();
    if (right) {
        cudaFree(a);
    }
}

/* Memory of a stream's pool is used behind its free. */
template <bool right>
__global__ void touch_pool(int *a)
{
    a[threadIdx.x] += 1; // MISTAKE freed_async .
}
TWINS(freed_async)
{
    cudaStream_t stream;
    must(cudaStreamCreate(&stream));
    int *a;
    must(cudaMallocAsync((void **)&a, 512, stream));
    cudaMemsetAsync(a, 0, 512, stream);
    if (right) {
        touch_pool<right><<<1, 32, 0, stream>>>(a);
    }
    cudaFreeAsync(a, stream);
    if (!right) {
        touch_pool<right><<<1, 32, 0, stream>>>(a);
    }
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}

/* A pointer of the host in a struct of parameters: the copy is shallow. */
struct matrix {
    int rows;
    float *data;
};
template <bool right>
__global__ void clear(matrix m)
{
    if (threadIdx.x < m.rows) {
        m.data[threadIdx.x] = 0.0f; // MISTAKE shallow_copy .
    }
}
TWINS(shallow_copy)
{
    float *host = (float *)malloc(256);
    matrix m = {64, right ? buffer<float>(64) : host};
    clear<right><<<1, 64>>>(m);
    cudaDeviceSynchronize();
    free(host);
}

/* The pointer of a device variable is taken on the host as if it were an array there. */
__device__ int table[32];
template <bool right>
__global__ void read_table(const int *p, int *out)
{
    out[threadIdx.x] = p[threadIdx.x]; // MISTAKE symbol_address .
}
TWINS(symbol_address)
{
    void *p = NULL;
    must(cudaGetSymbolAddress(&p, table));
    read_table<right><<<1, 32>>>(right ? (int *)p : table, buffer<int>(32));
}

/* A kernel's malloc() is freed by one thread and used by the next. */
template <bool right>
__global__ void heap(int *out)
{
    __shared__ int *list;
    if (threadIdx.x == 0) {
        list = (int *)malloc(32 * sizeof(int));
    }
    __syncthreads();
    list[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (!right && threadIdx.x == 0) {
        free(list);
    }
    __syncthreads();
    out[threadIdx.x] = list[31 - threadIdx.x]; // MISTAKE heap_freed .
    __syncthreads();
    if (right && threadIdx.x == 0) {
        free(list);
    }
}
TWINS(heap_freed)
{
    heap<right><<<1, 32>>>(buffer<int>(32));
}

/* A kernel frees twice. */
template <bool right>
__global__ void heap_twice(int *out)
{
    __shared__ int *p;
    if (threadIdx.x == 0) {
        p = (int *)malloc(16);
        p[0] = 3;
    }
    __syncthreads();
    out[threadIdx.x] = p[0];
    __syncthreads();
    if (threadIdx.x == 0 || (!right && threadIdx.x == 3)) {
        free(p); // MISTAKE heap_twice .
    }
}
TWINS(heap_twice)
{
    heap_twice<right><<<1, 4>>>(buffer<int>(4));
}

/* Half of the array is copied, all of it is summed. */
template <bool right>
__global__ void total(const float *in, float *out, int n)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 32) {
        sum += in[i]; // MISTAKE half_copied uninitialised
    }
    atomicAdd(out, sum);
}
TWINS(half_copied)
{
    float host[256] = {0}, *d;
    must(cudaMalloc(&d, sizeof host));
    must(cudaMemcpy(d, host, right ? sizeof host : sizeof host / 2, cudaMemcpyHostToDevice));
    total<right><<<1, 32>>>(d, buffer<float>(1), 256);
    cudaDeviceSynchronize();
    cudaFree(d);
}

/* A fill of so many elements is a fill of so many bytes. */
template <bool right>
__global__ void count_up(int *counts)
{
    counts[threadIdx.x] += 1; // MISTAKE fill_elements uninitialised
}
TWINS(fill_elements)
{
    int *d;
    must(cudaMalloc(&d, 64 * sizeof(int)));
    must(cudaMemset(d, 0, right ? 64 * sizeof(int) : 64));
    count_up<right><<<1, 64>>>(d);
    cudaDeviceSynchronize();
    cudaFree(d);
}

/* The border of a tile is never loaded. */
template <bool right>
__global__ void tile_border(const float *in, float *out, int n)
{
    __shared__ float tile[66];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (i < n) {
        tile[t + 1] = in[i];
    } else if (right) {
        tile[t + 1] = 0.0f;
    }
    if (t == 0) {
        tile[0] = i > 0 ? in[i - 1] : 0.0f, tile[65] = i + 64 < n ? in[i + 64] : 0.0f;
    }
    __syncthreads();
    if (i < n) {
        out[i] = tile[t] + tile[t + 2]; // MISTAKE tile_border uninitialised
    }
}
TWINS(tile_border)
{
    tile_border<right><<<2, 64>>>(buffer<float>(100), buffer<float>(100), 100);
}

/* One member of a struct is set on one way only. */
struct hit {
    float distance;
    int id;
};
template <bool right>
__global__ void trace(const float *in, int *out)
{
    __shared__ hit list[32];
    int t = threadIdx.x;
    list[t].distance = in[t];
    if (right || in[t] > 0.5f) {
        list[t].id = t;
    }
    __syncthreads();
    out[t] = list[31 - t].id; // MISTAKE unset_member uninitialised
}
TWINS(unset_member)
{
    trace<right><<<1, 32>>>(buffer<float>(32), buffer<int>(32));
}

/* Memory of malloc() in a kernel is not zero. */
template <bool right>
__global__ void heap_zero(int *out)
{
    __shared__ int *counts;
    if (threadIdx.x == 0) {
        counts = (int *)malloc(32 * sizeof(int));
        if (right) {
            memset(counts, 0, 32 * sizeof(int));
        }
    }
    __syncthreads();
    counts[threadIdx.x] += 1; // MISTAKE heap_zero uninitialised
    out[threadIdx.x] = counts[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        free(counts);
    }
}
TWINS(heap_zero)
{
    heap_zero<right><<<1, 32>>>(buffer<int>(32));
}

/* The result of a kernel that fills an array only where a condition holds. */
template <bool right>
__global__ void mark(const int *in, int *flags)
{
    int i = threadIdx.x;
    if (in[i] == 0) {
        flags[i] = 1;
    } else if (right) {
        flags[i] = 0;
    }
}
template <bool right>
__global__ void use_marks(const int *flags, int *out)
{
    if (flags[threadIdx.x] != 0) { // MISTAKE sparse_marks uninitialised
        out[threadIdx.x] = 1;
    }
}
TWINS(sparse_marks)
{
    int h[32], *flags, *in = buffer<int>(32);
    for (int i = 0; i < 32; i++) {
        h[i] = i % 3;
    }
    must(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    must(cudaMalloc(&flags, 32 * sizeof(int)));
    mark<right><<<1, 32>>>(in, flags);
    use_marks<right><<<1, 32>>>(flags, buffer<int>(32));
    cudaDeviceSynchronize();
    cudaFree(flags);
}

/* The address of another thread's local array is handed out. */
template <bool right>
__global__ void local_address(int *out)
{
    __shared__ int *best;
    __shared__ int copy[4];
    int mine[4];
    for (int i = 0; i < 4; i++) {
        mine[i] = threadIdx.x * 4 + i;
    }
    if (threadIdx.x == 7) {
        best = mine;
        for (int i = 0; i < 4; i++) {
            copy[i] = mine[i];
        }
    }
    __syncthreads();
    const int *from = right ? copy : best;
    out[threadIdx.x] = from[threadIdx.x % 4]; // MISTAKE local_address .
}
TWINS(local_address)
{
    local_address<right><<<1, 32>>>(buffer<int>(32));
}

/* Recursion deeper than the stack. */
template <bool right>
__device__ __noinline__ int depth(int n, int *trail)
{
    volatile int frame[32];
    frame[n % 32] = n;
    if (n == 0) {
        return trail[0];
    }
    return depth<right>(n - 1, trail) + frame[n % 32]; // MISTAKE deep_stack .
}
template <bool right>
__global__ void recurse(int *out, int n)
{
    out[threadIdx.x] = depth<right>(n, out);
}
TWINS(deep_stack)
{
    recurse<right><<<1, 1>>>(buffer<int>(1), right ? 3 : 400);
}

/* An index crosses from one shared array into the next one. */
template <bool right>
__global__ void neighbours(const int *in, int *out)
{
    __shared__ int left[32], other[32];
    int t = threadIdx.x;
    left[t] = in[t], other[t] = -1;
    __syncwarp();
    int last = right ? 31 : 32;
    for (int i = 0; i < 4; i++) {
        int k = t + i;
        if (k <= last) {
            atomicAdd(&left[k], 1); // MISTAKE shared_crosses .
        }
    }
    __syncwarp();
    out[t] = left[t] + other[t];
}
TWINS(shared_crosses)
{
    neighbours<right><<<1, 32>>>(buffer<int>(32), buffer<int>(32));
}

/* The object of a texture is used when it has been destroyed. */
template <bool right>
__global__ void fetch_gone(cudaTextureObject_t texture, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x); // MISTAKE texture_gone .
}
TWINS(texture_gone)
{
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = buffer<float>(64);
    what.res.linear.desc = cudaCreateChannelDesc<float>();
    what.res.linear.sizeInBytes = 64 * sizeof(float);
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    must(cudaCreateTextureObject(&texture, &what, &how, NULL));
    if (!right) {
        cudaDestroyTextureObject(texture);
    }
    fetch_gone<right><<<1, 64>>>(texture, buffer<float>(64));
    cudaDeviceSynchronize();
    if (right) {
        cudaDestroyTextureObject(texture);
    }
}

/* A surface's x is in bytes. */
template <bool right>
__global__ void surface(cudaSurfaceObject_t s)
{
    surf2Dwrite(1.0f, s, (int)(threadIdx.x * (right ? sizeof(float) : 1)), 0); // MISTAKE surface_bytes .
}
TWINS(surface_bytes)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    must(cudaMallocArray(&array, &format, 32, 4, cudaArraySurfaceLoadStore));
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaSurfaceObject_t s;
    must(cudaCreateSurfaceObject(&s, &what));
    surface<right><<<1, 32>>>(s);
    cudaDeviceSynchronize();
    cudaDestroySurfaceObject(s);
    cudaFreeArray(array);
}

/* A pointer to a function that nobody has set. */
typedef float (*operation)(float);
__device__ float twice(float x)
{
    return 2 * x;
}
__device__ operation chosen;
__device__ operation ready = twice;
template <bool right>
__global__ void apply(float *out)
{
    operation f = right ? ready : chosen;
    out[threadIdx.x] = f((float)threadIdx.x); // MISTAKE null_function .
}
TWINS(null_function)
{
    apply<right><<<1, 32>>>(buffer<float>(32));
}
