/* objects.cu - objects in kernels: new and delete without an include, virtual functions, pointers to
 * functions, recursion. */
#include "check.h"

struct shape {
    __device__ virtual ~shape() {}
    __device__ virtual int area() const = 0;
};
struct square : shape {
    int side;
    __device__ explicit square(int length) : side(length) {}
    __device__ int area() const override { return side * side; }
};
struct oblong final : square {
    int other;
    __device__ oblong(int a, int b) : square(a), other(b) {}
    __device__ int area() const override { return side * other; }
};

__global__ void make(shape **shapes)
{
    int i = threadIdx.x;
    if (i % 2)
        shapes[i] = new oblong(i, 3);
    else
        shapes[i] = new square(i);
}
__global__ void areas(shape **shapes, int *out)
{
    out[threadIdx.x] = shapes[threadIdx.x]->area();
}
__global__ void destroy(shape **shapes)
{
    delete shapes[threadIdx.x];
}

struct counted {
    int value;
    __device__ counted() : value(7) {}
};
__global__ void arrays(int *out)
{
    __shared__ counted *together;
    if (threadIdx.x == 0)
        together = new counted[blockDim.x];
    __syncthreads();
    together[threadIdx.x].value += threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = together[blockDim.x - 1 - threadIdx.x].value;
    __syncthreads();
    if (threadIdx.x == 0)
        delete[] together;
}

__device__ int twice(int x)
{
    return 2 * x;
}
__device__ int depth(int x)
{
    return x < 2 ? 1 : 1 + depth(x / 2);
}
__device__ int (*const functions[2])(int) = {twice, depth};
__global__ void calls(int *out)
{
    out[threadIdx.x] = functions[threadIdx.x % 2](threadIdx.x);
}

/* Pointers to members: C++ keeps in the lowest bit of the address whether the function is virtual. */
struct number {
    int value;
    __device__ __noinline__ int plus(int x) const { return value + x; }
    __device__ __noinline__ int times(int x) const { return value * x; }
    __device__ __noinline__ int less(int x) const { return value - x; }
    __device__ virtual int same(int) const { return value; }
};
typedef int (number::*member)(int) const;
__global__ void members(int *out)
{
    const member all[4] = {&number::plus, &number::times, &number::less, &number::same};
    number n;
    n.value = threadIdx.x;
    const member one = all[(threadIdx.x + out[threadIdx.x] * 0) % 4];
    out[threadIdx.x] = (n.*one)(3);
}

int main(void)
{
    const int n = 64;
    shape **shapes = make_array<shape *>(n);
    int *out = make_array<int>(n);

    make<<<1, n>>>(shapes);
    areas<<<1, n>>>(shapes, out);
    destroy<<<1, n>>>(shapes);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK_INT(out[i], i % 2 ? 3 * i : i * i);
    arrays<<<1, n>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK_INT(out[i], 7 + n - 1 - i);
    calls<<<1, n>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        int levels = 1;
        for (int x = i; x > 1; x /= 2)
            levels++;
        CHECK_INT(out[i], i % 2 ? levels : 2 * i);
    }
    members<<<1, n>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        const int want[4] = {i + 3, i * 3, i - 3, i};
        CHECK_INT(out[i], want[i % 4]);
    }
    return check_done();
}
