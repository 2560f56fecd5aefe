/* Atomics on global and shared memory, of every type, by many threads, and what they return. */
#include "check.h"

#define BLOCKS  3
#define THREADS 96
#define ALL     (BLOCKS * THREADS)

struct totals {
    int add, sub, min, max, exch, and_, or_, xor_;
    unsigned int uadd, usub, umin, umax, uexch, uand, uor, uxor, inc, dec, cas;
    unsigned long long lladd, llmin, llmax, llexch, lland, llor, llxor, llcas;
    long long smin, smax;
    float fadd, fexch;
    double dadd;
};

__device__ void update(struct totals *t, int i)
{
    atomicAdd(&t->add, -i);
    atomicSub(&t->sub, i);
    atomicMin(&t->min, -i);
    atomicMax(&t->max, i - 1000);
    atomicExch(&t->exch, 5);
    atomicAnd(&t->and_, ~(1 << (i & 7)));
    atomicOr(&t->or_, 1 << (i & 15));
    atomicXor(&t->xor_, i);
    atomicAdd(&t->uadd, (unsigned int)i);
    atomicSub(&t->usub, 1u);
    atomicMin(&t->umin, 100u + (unsigned int)i);
    atomicMax(&t->umax, (unsigned int)i);
    atomicExch(&t->uexch, 6u);
    atomicAnd(&t->uand, 0xffff00ffu);
    atomicOr(&t->uor, 1u << (i & 31));
    atomicXor(&t->uxor, 3u);
    atomicInc(&t->inc, 10u);
    atomicDec(&t->dec, 10u);
    atomicCAS(&t->cas, (unsigned int)i, (unsigned int)i + 1);
    atomicAdd(&t->lladd, 1ull << 33);
    atomicMin(&t->llmin, (1ull << 40) + (unsigned long long)i);
    atomicMax(&t->llmax, (1ull << 40) + (unsigned long long)i);
    atomicExch(&t->llexch, 1ull << 50);
    atomicAnd(&t->lland, ~(1ull << (i & 63)));
    atomicOr(&t->llor, 1ull << (i & 63));
    atomicXor(&t->llxor, 1ull << 60);
    atomicCAS(&t->llcas, 0ull, 1ull << 35);
    atomicMin(&t->smin, (long long)-i << 33);
    atomicMax(&t->smax, (long long)(i - 10) << 33);
    atomicAdd(&t->fadd, 0.5f);
    atomicExch(&t->fexch, 2.5f);
    atomicAdd(&t->dadd, 0.25);
}

__device__ void clear(struct totals *t)
{
    memset(t, 0, sizeof(*t));
    t->umin = 0xffffffff;
    t->llmin = ~0ull;
    t->and_ = -1;
    t->uand = 0xffffffff;
    t->lland = ~0ull;
}

__global__ void start(struct totals *t) { clear(t); }

__global__ void in_global(struct totals *t)
{
    update(t, (int)(blockIdx.x * blockDim.x + threadIdx.x));
}

__global__ void in_shared(struct totals *t)
{
    __shared__ struct totals s;
    if (threadIdx.x == 0)
        clear(&s);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < ALL; i += (int)blockDim.x)
        update(&s, i);
    __syncthreads();
    if (threadIdx.x == 0)
        *t = s;
}

static void check_totals(const struct totals *t)
{
    unsigned int uor = 0;
    int x = 0;
    for (int i = 0; i < ALL; i++)
        x ^= i;
    uor = 0xffffffff;
    CHECK_INT(t->add, -(ALL * (ALL - 1) / 2));
    CHECK_INT(t->sub, -(ALL * (ALL - 1) / 2));
    CHECK_INT(t->min, -(ALL - 1));
    CHECK_INT(t->max, 0);
    CHECK_INT(t->exch, 5);
    CHECK_INT(t->and_, ~0xff);
    CHECK_INT(t->or_, 0xffff);
    CHECK_INT(t->xor_, x);
    CHECK_INT(t->uadd, ALL * (ALL - 1) / 2);
    CHECK_INT(t->usub, 0u - ALL);
    CHECK_INT(t->umin, 100);
    CHECK_INT(t->umax, ALL - 1);
    CHECK_INT(t->uexch, 6);
    CHECK_INT(t->uand, 0xffff00ff);
    CHECK_INT(t->uor, uor);
    CHECK_INT(t->uxor, 0);
    CHECK_INT(t->inc, ALL % 11);
    CHECK_INT(t->dec, (11 - ALL % 11) % 11);
    CHECK(t->cas <= ALL); /* who comes in order is not said */
    CHECK_INT(t->lladd, (unsigned long long)ALL << 33);
    CHECK_INT(t->llmin, 1ull << 40);
    CHECK_INT(t->llmax, (1ull << 40) + ALL - 1);
    CHECK_INT(t->llexch, 1ull << 50);
    CHECK_INT(t->lland, 0);
    CHECK_INT(t->llor, ~0ull);
    CHECK_INT(t->llxor, 0);
    CHECK_INT(t->llcas, 1ull << 35);
    CHECK_INT(t->smin, -(long long)(ALL - 1) * (1ll << 33));
    CHECK_INT(t->smax, (long long)(ALL - 11) << 33);
    CHECK_FLOAT(t->fadd, ALL * 0.5, 0);
    CHECK_FLOAT(t->fexch, 2.5, 0);
    CHECK_FLOAT(t->dadd, ALL * 0.25, 0);
}

/* What atomics return: every old value exactly once. */
__global__ void tickets(unsigned int *counter, unsigned int *seen, float *fcounter)
{
    seen[atomicAdd(counter, 1u)] = 1;
    seen[ALL + atomicInc(counter + 1, 0xffffffff)] = 1;
    seen[2 * ALL + (int)atomicAdd(fcounter, 1.0f)] = 1;
    seen[3 * ALL + atomicAdd_block(counter + 2 + blockIdx.x, 1u) + blockIdx.x * blockDim.x] = 1;
    seen[4 * ALL + atomicAdd_system(counter + 8, 1u)] = 1;
}

/* A lock-free maximum of floats by compare-and-swap, and 16-bit compare-and-swap. */
__global__ void compare_and_swap(float *maximum, unsigned short *narrow)
{
    float mine = (float)(threadIdx.x * 7 % THREADS);
    int old = __float_as_int(*(volatile float *)maximum), seen;
    while (__int_as_float(old) < mine) {
        seen = atomicCAS((int *)maximum, old, __float_as_int(mine));
        if (seen == old)
            break;
        old = seen;
    }
    if (threadIdx.x == 0) {
        narrow[1] = atomicCAS(&narrow[0], (unsigned short)7, (unsigned short)9);
        narrow[2] = atomicCAS(&narrow[0], (unsigned short)7, (unsigned short)11);
    }
}

int main(void)
{
    struct totals *t = make_array<struct totals>(1);
    start<<<1, 1>>>(t);
    in_global<<<BLOCKS, THREADS>>>(t);
    CHECK_CUDA(cudaDeviceSynchronize());
    check_totals(t);
    in_shared<<<1, THREADS>>>(t);
    CHECK_CUDA(cudaDeviceSynchronize());
    check_totals(t);

    unsigned int *counters = make_array<unsigned int>(16);
    unsigned int *seen = make_array<unsigned int>(5 * ALL);
    float *fcounter = make_array<float>(1);
    memset(counters, 0, 16 * sizeof(*counters));
    memset(seen, 0, 5 * ALL * sizeof(*seen));
    *fcounter = 0;
    tickets<<<BLOCKS, THREADS>>>(counters, seen, fcounter);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 5 * ALL; i++)
        CHECK_INT(seen[i], 1);

    float *maximum = make_array<float>(1);
    unsigned short *narrow = make_array<unsigned short>(4);
    *maximum = 0;
    narrow[0] = 7;
    compare_and_swap<<<1, THREADS>>>(maximum, narrow);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_FLOAT(*maximum, THREADS - 1, 0);
    CHECK(narrow[0] == 9 && narrow[1] == 7 && narrow[2] == 9 && narrow[3] == 0xffff);
    return check_done();
}
