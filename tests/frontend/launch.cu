/* <<<>>> with two to four arguments, kernels with many kinds of parameters, templates, lambdas,
 * kernels of one name in two namespaces, and cudaLaunchKernel. */
#include "check.h"

struct pair {
    char tag;
    double value;
};

__global__ void store(int *out, int value) { out[threadIdx.x] = value; }

__global__ void store_dynamic(int *out)
{
    extern __shared__ int buffer[];
    buffer[threadIdx.x] = (int)threadIdx.x * 3;
    __syncthreads();
    out[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

__global__ void many(char a, double b, struct pair c, float4 d, bool e, long long f, short g,
                     const float *h, double *out)
{
    out[0] = a;
    out[1] = b;
    out[2] = c.tag;
    out[3] = c.value;
    out[4] = d.w;
    out[5] = e;
    out[6] = (double)f;
    out[7] = g;
    out[8] = h[1];
}

template <typename T, int N> __global__ void scale(T *out)
{
    out[threadIdx.x] = (T)(N * (int)threadIdx.x) / 2;
}

template <typename F> __global__ void apply(int *out, F f)
{
    out[threadIdx.x] = f((int)threadIdx.x);
}

namespace one
{
__global__ void mark(int *out) { out[0] = 1; }
} // namespace one
namespace two
{
static __global__ void mark(int *out) { out[1] = 2; }
} // namespace two

__global__ void __launch_bounds__(64, 2) bounded(int *out) { out[threadIdx.x] = (int)blockDim.x; }

struct doubler {
    __host__ __device__ int operator()(int x) const { return 2 * x + offset; }
    int offset;
};

int main(void)
{
    int *out = make_array<int>(64);
    store<<<1, 2>>>(out, 7);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 7 && out[1] == 7 && out[2] == -1);

    store_dynamic<<<1, 32, 32 * sizeof(int)>>>(out);
    cudaStream_t stream;
    CHECK_CUDA(cudaStreamCreate(&stream));
    store<<<dim3(1, 1), dim3(1), 0, stream>>>(out + 40, 9);
    CHECK_CUDA(cudaStreamSynchronize(stream));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(out[0], 93);
    CHECK_INT(out[31], 0);
    CHECK_INT(out[40], 9);
    CHECK_CUDA(cudaStreamDestroy(stream));

    double *values = make_array<double>(9);
    float *floats = make_array<float>(2);
    floats[1] = 2.5f;
    struct pair c = {'c', 3.25};
    many<<<1, 1>>>('a', 1.5, c, make_float4(1, 2, 3, 4), true, 1ll << 40, -3, floats, values);
    CHECK_CUDA(cudaDeviceSynchronize());
    const double want[9] = {'a', 1.5, 'c', 3.25, 4, 1, 1099511627776.0, -3, 2.5};
    for (int i = 0; i < 9; i++)
        CHECK_FLOAT(values[i], want[i], 0);

    scale<double, 5><<<1, 9>>>(values);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_FLOAT(values[3], 7.5, 0);
    scale<int, 5><<<1, 4>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(out[3], 7);

    struct doubler f = {100};
    apply<<<1, 4>>>(out, f);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(out[3], 106);

    one::mark<<<1, 1>>>(out);
    two::mark<<<1, 1>>>(out);
    bounded<<<1, 60>>>(out + 2);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 1 && out[1] == 2 && out[2] == 60 && out[61] == 60);

    int value = 77;
    void *arguments[] = {&out, &value};
    CHECK_CUDA(cudaLaunchKernel((const void *)store, dim3(1), dim3(3), arguments, 0, 0));
    CHECK_CUDA(cudaLaunchKernel(store, dim3(1), dim3(2), arguments));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 77 && out[2] == 77 && out[3] == 60);
    return check_done();
}
