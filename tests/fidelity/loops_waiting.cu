/* loops_waiting.cu - loops in which lanes wait for others: for a compare-and-swap that succeeds, a
 * lock, a flag, a queue of work. Part 4 of loops.sh; README.md tells what ptxas makes of them. Each
 * kernel is launched once, with one warp, so that who comes first is no matter of chance. */
#include <cuda_runtime.h>
#include <stdio.h>

enum { WORDS = 4096 };
__device__ int v_[WORDS], out_[WORDS], lock_, queue_;

__global__ void cas_one(const int *v, int *out)
{
    const int i = threadIdx.x;
    int old = out[100], seen;
    do {
        seen = old;
        old = atomicCAS(out + 100, seen, seen + v[i]);
    } while (old != seen);
    out[i] = old;
}

__global__ void cas_four(const int *v, int *out)
{
    const int i = threadIdx.x;
    int *p = out + 100 + i % 4, old = *p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, seen + v[i]);
    } while (old != seen);
    out[i] = i;
}

__global__ void cas_uneven(const int *v, int *out)
{
    const int i = threadIdx.x;
    int *p = out + 100 + (i < 10 ? 0 : i), old = *p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, seen + v[i]);
    } while (old != seen);
    out[i] = i;
}

__global__ void cas_insert(const int *v, int *out)
{
    const int i = threadIdx.x;
    unsigned at = v[i] % 24;
    while (true) {
        const int old = atomicCAS(out + 200 + at, 0, i + 1);
        if (old == 0) {
            break;
        }
        at = (at + 1) % 64;
    }
    out[i] = v[at];
}

__global__ void exch_insert(const int *v, int *out)
{
    const int i = threadIdx.x;
    unsigned at = v[i] % 24;
    while (atomicExch(out + 200 + at, 1) != 0) {
        at++;
    }
    out[i] = v[at];
}

__global__ void cas_in_if(const int *v, int *out)
{
    const int i = threadIdx.x;
    int s = v[i];
    if (i % 3) {
        int *p = out + 100 + i % 2, old = *p, seen;
        do {
            seen = old;
            old = atomicCAS(p, seen, seen + s);
        } while (old != seen);
        s += v[i + 64];
        out[i + 128] = s;
    }
    out[i] = s;
}

__global__ void max_by_cas(const int *v, int *out)
{
    const int i = threadIdx.x;
    int old = out[100];
    const int x = v[i];
    while (x > old) {
        const int seen = atomicCAS(out + 100, old, x);
        if (seen == old) {
            break;
        }
        old = seen;
    }
    out[i] = v[i + 64];
}

__global__ void lock_done_flag(const int *v, int *out)
{
    const int i = threadIdx.x;
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock_, 0, 1) == 0) {
            out[100] += v[i];
            __threadfence();
            atomicExch(&lock_, 0);
            done = true;
        }
    }
    out[i] = i;
}

__global__ void lock_direct(const int *v, int *out)
{
    const int i = threadIdx.x;
    while (atomicCAS(&lock_, 0, 1) != 0) {
    }
    out[100] += v[i];
    __threadfence();
    atomicExch(&lock_, 0);
    out[i] = i;
}

__global__ void queue_of_work(const int *v, int *out)
{
    int i, s = 0;
    while ((i = atomicAdd(&queue_, 1)) < 100) {
        s += v[i];
        out[i + 64] = s;
    }
    out[threadIdx.x] = 1;
}

__global__ void wait_for_lane(const int *v, int *out)
{
    const int i = threadIdx.x;
    volatile int *flag = out + 500;
    if (i == 31) {
        out[600] = v[0];
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
    }
    out[i] = v[i];
}

__global__ void exits_with_atomics(const int *v, int *out)
{
    const int i = threadIdx.x;
    int k;
    for (k = 0; k < 20; k++) {
        const int c = atomicAdd(out + 200 + (v[i] + k) % 8, 1);
        if (c > 5 + i % 4) {
            break;
        }
        out[i + 300] = v[k + i];
    }
    out[i] = v[k];
}

#define KERNEL(name)                                                                               \
    {                                                                                              \
#name, name                                                                                \
    }
static const struct {
    const char *name;
    void (*run)(const int *, int *);
} kernels[] = {
    KERNEL(cas_one),     KERNEL(cas_four),      KERNEL(cas_uneven),    KERNEL(cas_insert),
    KERNEL(exch_insert), KERNEL(cas_in_if),     KERNEL(max_by_cas),    KERNEL(lock_done_flag),
    KERNEL(lock_direct), KERNEL(queue_of_work), KERNEL(wait_for_lane), KERNEL(exits_with_atomics),
};

int main(void)
{
    static int h[WORDS];
    int *v, *out, *lock, *queue;
    cudaGetSymbolAddress((void **)&v, v_);
    cudaGetSymbolAddress((void **)&out, out_);
    cudaGetSymbolAddress((void **)&lock, lock_);
    cudaGetSymbolAddress((void **)&queue, queue_);
    unsigned seed = 12345;
    for (int k = 0; k < WORDS; k++) {
        seed = seed * 1664525u + 1013904223u;
        h[k] = (seed >> 16) % 97;
    }
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    for (const auto &k : kernels) {
        cudaMemset(out, 0, sizeof h);
        cudaMemset(lock, 0, sizeof *lock);
        cudaMemset(queue, 0, sizeof *queue);
        k.run<<<1, 32>>>(v, out);
        const cudaError_t e = cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
        unsigned hash = 7;
        for (int i = 0; i < WORDS; i++) {
            hash = hash * 31 + h[i];
        }
        printf("%s,%u\n", k.name, hash);
        if (e != cudaSuccess) {
            fprintf(stderr, "%s: %s\n", k.name, cudaGetErrorString(e));
            return 1;
        }
    }
    return 0;
}
