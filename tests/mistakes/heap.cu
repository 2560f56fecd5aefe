/* malloc() and free() in kernels. What they give is kept in memory: clang drops what nobody sees. */
#include "mistakes.h"

__device__ int *volatile kept[64];

/* Seven of these do not fit into the 8 MB that a kernel's malloc() may give, and nobody looks. */
__global__ void fill_pieces(int pieces, bool give_back)
{
    for (int i = 0; i < pieces; i++) {
        kept[i] = static_cast<int *>(malloc(1200000));
        *kept[i] = i; // MISTAKE heap_is_full malloc().in.a.kernel.has.returned.NULL
        if (give_back) {
            free(kept[i]);
        }
    }
}
TWINS(heap_is_full) { fill_pieces<<<1, 1>>>(8, right); }

/* The same with a heap that is large enough, set before the first launch and not behind it. */
__global__ void hold(int n)
{
    kept[threadIdx.x] = static_cast<int *>(malloc(n));
    kept[threadIdx.x][5] = 1; // MISTAKE heap_set_too_late null.pointer
}
__global__ void give_back() { free(kept[threadIdx.x]); }
static bool heap_can_be_set(size_t bytes)
{
    size_t now = 0;
    cudaError_t code = cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes);
    must(cudaDeviceGetLimit(&now, cudaLimitMallocHeapSize));
    if (code == cudaErrorInvalidValue && now == 8 << 20) {
        cudaGetLastError();
    } else if (code != cudaSuccess || now != bytes) {
        exit(3);
    }
    return code == cudaSuccess;
}
TWINS(heap_set_too_late)
{
    if (right && !heap_can_be_set(64 << 20)) {
        exit(3);
    }
    hold<<<1, 1>>>(64);
    give_back<<<1, 1>>>();
    if (!right && heap_can_be_set(64 << 20)) {
        exit(3);
    }
    hold<<<1, 32>>>(1 << 20);
    give_back<<<1, 32>>>();
}

/* Who asks gets NULL and may go on; cudaDeviceReset() empties the heap and makes it 8 MB again. */
__global__ void how_many(int *count, size_t bytes, int tries)
{
    for (int i = 0; i < tries; i++) {
        kept[i] = static_cast<int *>(malloc(bytes));
        *count += kept[i] != NULL;
    }
    for (int i = 0; i < tries; i++) {
        free(kept[i]);
    }
}
static int pieces_that_fit(size_t bytes)
{
    int *count = buffer<int>(1), result;
    how_many<<<1, 1>>>(count, bytes, 16);
    must(cudaMemcpy(&result, count, sizeof result, cudaMemcpyDeviceToHost));
    return result;
}
/* A pointer of another space, kept for later. */
__device__ int *place;
__global__ void keep_shared()
{
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    place = &s[3];
}
__global__ void keep_local(const int *in)
{
    int own[8];
    for (int i = 0; i < 8; i++) {
        own[(in[i] + i) & 7] = i;
    }
    place = &own[in[2]];
}
__global__ void use_place(int *out, int *instead)
{
    int *from = instead != NULL ? instead : place;
    out[threadIdx.x] = *from; // MISTAKE shared_of_another shared
}
__global__ void use_of_local(int *out, int *instead)
{
    int *from = instead != NULL ? instead : place;
    out[threadIdx.x] = *from; // MISTAKE local_of_another local
}
TWINS(shared_of_another)
{
    keep_shared<<<1, 32>>>();
    use_place<<<1, 1>>>(buffer<int>(1), right ? buffer<int>(1) : NULL);
}
TWINS(local_of_another)
{
    keep_local<<<1, 1>>>(buffer<int>(8));
    use_of_local<<<1, 1>>>(buffer<int>(1), right ? buffer<int>(1) : NULL);
}

__global__ void make_place() { place = static_cast<int *>(malloc(64)); }
__global__ void fill_place(int *to)
{
    for (int i = 0; i < 16; i++) {
        place[i] = i;
        to[i] = place[i];
    }
    free(place);
}
TWINS(copy_of_the_heap)
{
    int host[16], *to = buffer<int>(16);
    must(cudaDeviceSynchronize());
    make_place<<<1, 1>>>();
    int *from;
    must(cudaMemcpyFromSymbol(&from, place, sizeof from));
    cudaError_t code = cudaMemcpy(host, right ? to : from, sizeof host, cudaMemcpyDefault); // MISTAKE copy_of_the_heap kernels.alone
    fill_place<<<1, 1>>>(to);
    must(cudaDeviceSynchronize());
    if (code != cudaSuccess) {
        exit(3);
    }
}

__global__ void lose(int n, bool right)
{
    kept[threadIdx.x] = static_cast<int *>(malloc(n)); // MISTAKE lost_in_a_kernel leak
    if (right) {
        free(kept[threadIdx.x]);
    }
}
TWINS(lost_in_a_kernel)
{
    const size_t mb = 1 << 20;
    if (pieces_that_fit(mb) != 8 || pieces_that_fit(mb) != 8 || pieces_that_fit(9 * mb) != 0) {
        exit(3);
    }
    buffer_count = 0;
    must(cudaDeviceReset());
    must(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 3 * mb));
    if (pieces_that_fit(mb) != 3) {
        exit(3);
    }
    buffer_count = 0;
    must(cudaDeviceReset());
    if (pieces_that_fit(2 * mb) != 4) {
        exit(3);
    }
    lose<<<1, 4>>>(100, right);
}
