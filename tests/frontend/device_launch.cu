/* flags: -rdc=true */
/* Kernels that launch kernels, in every way of writing it down; the host launches some of them,
 * too. */
#include "check.h"

#define CHECK_IN_KERNEL(call)                                                                      \
    do {                                                                                           \
        if ((call) != cudaSuccess)                                                                 \
            printf("line %d fails\n", __LINE__), __trap();                                         \
    } while (0)

struct pair {
    double a;
    char b;
};

namespace inner
{
template <typename T> struct adder {
    T by;
    __device__ void operator()(T *x) const { *x += by; }
};
__global__ void add(int *x, int by) { atomicAdd(x, by); }
} // namespace inner

/* Parameters of several sizes and alignments. */
template <typename T, int N>
__global__ void mix(T *x, pair p, char c, float4 v, short s, size_t big)
{
    x[threadIdx.x] = (T)(N + p.a + p.b + c + v.x + 10 * v.w + s + (double)big + threadIdx.x);
}
template <typename T> __global__ void deduced(T *x, T v) { *x = v; }
template <typename F> __global__ void call(F f, int *x) { f(x); }
__global__ void overloaded(int *x, unsigned int first, unsigned int second)
{
    atomicAdd(x, (int)(first + second));
}
__global__ void overloaded(int *x, unsigned int once) { atomicAdd(x, (int)once); }
__global__ void nothing() {}
__global__ void later(int *x, unsigned int by);

/* 1 + 2 + 4 + 8 blocks. */
__global__ void tree(int *x, int depth)
{
    atomicAdd(x, 1);
    if (depth < 3)
        tree<<<2, 1>>>(x, depth + 1);
}
/* Each launches the next one, until a launch is rejected: 24 levels are what there is. */
__global__ void chain(int *x, int depth)
{
    x[0] = depth;
    chain<<<1, 1>>>(x, depth + 1);
    x[1] = (int)cudaGetLastError();
}
__global__ void set(int *x, int value) { *x = value; }

__device__ void launch_more(int *x)
{
    for (int i = 0; i < 3; i++)
        later<<<1, 1>>>(x + 6, i);
}

__global__ void parent(float *f, int *x, const char *text)
{
    pair p = {1.5, 2};
    cudaStream_t stream;
    CHECK_IN_KERNEL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    mix<float, 7><<<1, 4, 0, stream>>>(f, p, 3, make_float4(1, 2, 3, 4), (short)-5, 100);
    deduced<<<1, 1>>>(f + 4, 2.5f);
    inner::add<<<dim3(2, 2), dim3(3)>>>(x, 2);
    // clang-format off
    call
        <inner::adder<int> >
        <<<1, 1, 16 * (sizeof(int) > 2 ? 1 : 2)>>>
        (inner::adder<int>{5},
         x + 1);
    // clang-format on
    overloaded<<<1, 1>>>(x + 2, !f, threadIdx.x == 0);
    overloaded<<<1, 1>>>(x + 3, true);
    nothing<<<1, 1>>>();
    tree<<<1, 1>>>(x + 4, 0);
    set<<<1, 1, 0, cudaStreamFireAndForget>>>(x + 5, text[1] == ';' ? 10 : 20),
        set<<<1, 1, 0, cudaStreamTailLaunch>>>(x + 7, 9);
    if (x[8] < 1 << 3)
        launch_more(x);
    CHECK_IN_KERNEL(cudaStreamDestroy(stream));
    CHECK_IN_KERNEL(cudaGetLastError());
}
__global__ void later(int *x, unsigned int by) { atomicAdd(x, (int)by); }

int main(void)
{
    float *f = make_array<float>(16);
    int *x = make_array<int>(16);
    char *text = make_array<char>(16);
    strcpy(text, "<;<<{\"");
    memset(x, 0, 16 * sizeof *x);
    parent<<<1, 1>>>(f, x, text);
    CHECK_CUDA(cudaDeviceSynchronize());
    mix<float, 8><<<1, 4>>>(f + 8, pair{0, 1}, 1, make_float4(0, 0, 0, 1), 2, 3);
    set<<<1, 1>>>(x + 9, 4);
    CHECK_CUDA(cudaDeviceSynchronize());
    if (on_simulator) {
        chain<<<1, 1>>>(x + 10, 0);
        CHECK_CUDA(cudaDeviceSynchronize());
        CHECK_INT(x[10], 24);
#ifdef __clang__ /* nvcc's code leaves a launch out that gets no buffer, and sets no error */
        CHECK_INT(x[11], cudaErrorLaunchMaxDepthExceeded);
#endif
    }
    for (int i = 0; i < 4; i++) {
        CHECK_FLOAT(f[i], 7 + 1.5 + 2 + 3 + 1 + 40 - 5 + 100 + i, 0);
        CHECK_FLOAT(f[8 + i], 8 + 0 + 1 + 1 + 10 + 2 + 3 + i, 0);
    }
    CHECK_FLOAT(f[4], 2.5, 0);
    const int want[] = {24, 5, 1, 1, 15, 10, 3, 9, 0, 4};
    for (int i = 0; i < 10; i++)
        CHECK_INT(x[i], want[i]);
    return check_done();
}
