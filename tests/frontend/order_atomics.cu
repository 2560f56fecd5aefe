/* __nv_atomic_fetch_add() and its relatives: every operation, types of 4 and 8 bytes, orders and
 * scopes. */
#include <cstdio>
struct pair {
    float v;
    int i;
};
__device__ int ints[8];
__device__ unsigned long long longs[4];
__device__ float floats[2];
__device__ double doubles[1];
__device__ unsigned char bytes[4];
__device__ unsigned short shorts[2];
__device__ pair pairs[1];
__device__ int flag, data, seen;

__global__ void update()
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_atomic_fetch_add(&ints[0], 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_add(&ints[1], 2, __NV_ATOMIC_RELAXED);
    __nv_atomic_fetch_sub(&ints[2], 1, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
    __nv_atomic_fetch_max(&ints[3], i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_min(&ints[4], -i, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_or(&ints[5], 1 << i % 32, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_xor(&ints[6], 3, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_and(&ints[7], ~(1 << i % 16), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_add(&longs[0], 1ull << 33, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_max(&longs[1], (unsigned long long)i << 40, __NV_ATOMIC_RELAXED,
                    __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_add(&floats[0], 0.5f, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_add(&doubles[0], 0.25, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    unsigned long long old =
        __nv_atomic_load_n(&longs[2], __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    while (!__nv_atomic_compare_exchange_n(&longs[2], &old, old + 2, true, __NV_ATOMIC_RELAXED,
                                           __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE)) {
    }
    float sum, more;
    __nv_atomic_load(&floats[1], &sum, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    do {
        more = sum + 2;
    } while (!__nv_atomic_compare_exchange(&floats[1], &sum, &more, true, __NV_ATOMIC_RELAXED,
                                           __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE));
    pair p, n;
    __nv_atomic_load(&pairs[0], &p, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    do {
        n.v = p.v + 1;
        n.i = p.i - 1;
    } while (!__nv_atomic_compare_exchange(&pairs[0], &p, &n, false, __NV_ATOMIC_ACQ_REL,
                                           __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE));
    if (i < 4) {
        __nv_atomic_store_n(&bytes[i], (unsigned char)(200 + i), __NV_ATOMIC_RELAXED,
                            __NV_THREAD_SCOPE_DEVICE);
    }
    if (i < 2) {
        const unsigned short value = 60000 + i;
        __nv_atomic_store(&shorts[i], &value, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_SYSTEM);
    }
}

__global__ void hand_over()
{
    __shared__ int shared;
    if (threadIdx.x == 0) {
        shared = 5;
    }
    __syncthreads();
    __nv_atomic_fetch_add(&shared, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        data = 40 + shared;
        __nv_atomic_store_n(&flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (__nv_atomic_load_n(&flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {
        }
        seen = data +
               __nv_atomic_exchange_n(&flag, 100, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
        __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
    }
}

__global__ void tell()
{
    for (int i = 0; i < 8; i++) {
        printf("%d ", ints[i]);
    }
    printf("%llu %llu %llu\n", longs[0] >> 33, longs[1] >> 40, longs[2]);
    printf("%g %g %g, %g %d\n", floats[0], floats[1], doubles[0], pairs[0].v, pairs[0].i);
    const unsigned char byte =
        __nv_atomic_load_n(&bytes[3], __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    printf("%d %d %d %d\n", byte, shorts[1], seen, flag);
}

int main()
{
    update<<<4, 64>>>();
    hand_over<<<2, 32>>>();
    tell<<<1, 1>>>();
    puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
