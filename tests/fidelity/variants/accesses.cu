/* accesses.cu - loads and stores of several widths through pointers of which the compiler does not know where they lead: to global,
 * shared or local memory, or, for the lanes of one warp, to two of them. One warp a launch; what lies in global memory then,
 * and what the lanes have loaded, is summed and printed. */
#include "../must.h"

#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 64, PATTERNS = 5 };
enum { IN_GLOBAL = 1, IN_SHARED = 2, IN_LOCAL = 4 };
struct words {
    int x, y, z; /* no aligned vector */
};

template <typename T> __device__ unsigned fold(const T &value)
{
    unsigned char bytes[sizeof(T)];
    unsigned sum = 0;
    memcpy(bytes, &value, sizeof value);
    for (unsigned i = 0; i < sizeof value; i++)
        sum = sum * 31 + bytes[i];
    return sum;
}

/* The memory of `places` that this lane goes to: its number counts through them. */
template <typename T> __device__ T *choose(int places, T *in, T *room, T *own)
{
    int turn = threadIdx.x;
    for (;;)
        for (int place = IN_GLOBAL; place <= IN_LOCAL; place *= 2)
            if ((places & place) != 0 && turn-- == 0)
                return place == IN_GLOBAL ? in : place == IN_SHARED ? room : own;
}

template <typename T, bool store> __global__ void accesses(T *in, const int *at, unsigned *out, int places)
{
    __shared__ alignas(16) T room[ROOM];
    T own[4], v = in[ROOM + threadIdx.x];
    for (int k = 0; k < 4; k++)
        own[k] = in[k];
    for (int k = threadIdx.x; k < ROOM; k += 32)
        room[k] = in[k];
    __syncwarp();
    T *p = choose(places, in, room, own);
    const int i = p == own ? at[threadIdx.x] & 3 : at[threadIdx.x];
    unsigned sum = 0;
    if constexpr (store)
        p[i] = v;
    else
        sum = fold(p[i]);
    __syncwarp();
    for (int k = threadIdx.x; k < ROOM; k += 32)
        sum = sum * 31 + fold(room[k]);
    for (int k = 0; k < 4; k++)
        sum = sum * 31 + fold(own[k]);
    out[threadIdx.x] = sum;
}

static unsigned char host[2 * ROOM * 16], *memory;
static int *at;
static unsigned *out;

static int place(int pattern, int lane)
{
    switch (pattern) {
    case 0: return lane;
    case 1: return lane / 4;
    case 2: return lane * 2;
    case 3: return (lane * lane * 7 + 3 * lane) % ROOM;
    default: return 9;
    }
}

template <typename T> static void run(const char *name, void (*kernel)(T *, const int *, unsigned *, int))
{
    static const struct {
        const char *name;
        int places;
    } where[] = {{"global", IN_GLOBAL},
                 {"shared", IN_SHARED},
                 {"both", IN_GLOBAL | IN_SHARED},
                 {"local", IN_LOCAL},
                 {"shared and local", IN_SHARED | IN_LOCAL}};
    for (const auto &w : where) {
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            int lanes[32];
            unsigned came[32], sum = 0;
            for (int i = 0; i < 32; i++)
                lanes[i] = place(pattern, i);
            for (size_t i = 0; i < sizeof host; i++)
                host[i] = (unsigned char)(i * 37 ^ i >> 5);
            MUST(cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice));
            MUST(cudaMemcpy(at, lanes, sizeof lanes, cudaMemcpyHostToDevice));
            kernel<<<1, 32>>>((T *)memory, at, out, w.places);
            MUST(cudaMemcpy(came, out, sizeof came, cudaMemcpyDeviceToHost));
            MUST(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
            for (unsigned char x : host)
                sum = sum * 31 + x;
            for (unsigned x : came)
                sum = sum * 31 + x;
            printf("%s %s pattern %d,%08x\n", name, w.name, pattern, sum);
        }
    }
}

#define RUN(T)                                                                                                         \
    run<T>(#T " loaded", accesses<T, false>);                                                                          \
    run<T>(#T " stored", accesses<T, true>);

int main(void)
{
    MUST(cudaMalloc(&memory, sizeof host));
    MUST(cudaMalloc(&at, 32 * sizeof *at));
    MUST(cudaMalloc(&out, 32 * sizeof *out));
    RUN(char)
    RUN(short)
    RUN(int)
    RUN(double)
    RUN(float2)
    RUN(float4)
    RUN(words)
    return 0;
}
