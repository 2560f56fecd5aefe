/* Host headers before and after CUDA's, and C++ names of functions in device code. Both compilers
 * must pick the device version of std::sqrt, abs, min and the others for every argument type. */
#include <stdio.h>
#include <math.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "check.h"

#include <assert.h>
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#ifdef __clang__ /* NVIDIA's own warn that nobody should include them */
#include <device_functions.h>
#include <math_functions.h>
#include <sm_35_intrinsics.h>
#endif
#if !defined(__NVCC__) || !defined(__CUDACC__) || !defined(__CUDACC_VER_MAJOR__)
#error "programs ask by one of these names whether they may say __global__"
#endif
#include <stdint.h>
#include <vector_types.h>

#include <complex>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <random>

template <typename T> __host__ __device__ T both(T x)
{
    return sqrt(x) + std::sqrt(x) + fabs(x) + std::fabs(x) + floor(x) + std::floor(x) + abs(x) +
           std::abs(x) + fmin(x, (T)2) + std::fmax(x, (T)3) + pow(x, (T)2) + std::pow(x, (T)2) +
           exp(x) + std::exp(x) + sin(x) + std::cos(x) + log(x) + std::log2(x) + std::round(x) +
           min(x, (T)1) + max(x, (T)5) + std::fma(x, x, x) + std::cbrt(x) + std::hypot(x, x) +
           (std::isnan(x) ? 1 : 0) + (isfinite(x) ? 1 : 0) + std::tgamma(x) + std::atan2(x, (T)2);
}

template <typename T> __global__ void evaluate(T x, T *out, int *size)
{
    assert(x > 0);
    *out = both(x);
    size[0] = (int)sizeof(sqrt(x));
    size[1] = (int)sizeof(std::sin(x));
    size[2] = (int)sizeof(max(x, x));
}

__global__ void integers(int i, unsigned int u, long long l, double *out)
{
    out[0] = abs(-i) + std::abs(-i) + (double)llabs(-l) + (double)min(l, 3ll) + min(u, 7u);
    out[1] = max(i, 3) + max(u, 4u) + max(2.5f, 1.0f) + max(1.0, 2.5);
    out[2] = sqrtf((float)i) + CUDART_PI_F + M_PI + INFINITY * 0 + pow(2.0, i) + powf(2, 3);
    out[3] = (double)INT32_MAX + (double)UINT64_C(5);
}

int main()
{
    std::vector<double> values(4);
    std::iota(values.begin(), values.end(), 1.0);
    std::shared_ptr<double> shared = std::make_shared<double>(0.0);
    std::unique_ptr<std::string> text(new std::string("host"));
    for (double v : values)
        *shared += std::max(v, 2.0);
    CHECK_FLOAT(*shared, 11.0, 0);
    CHECK(*text == "host" && std::complex<double>(3, 4) == std::complex<double>(3, 4));
    CHECK_FLOAT(max(2.5, 1.5) + min(3, 4) + min(1.5f, 2.5f), 7.0, 0); /* CUDA's, on the host */

    int *size = make_array<int>(3);
    float *f = make_array<float>(1);
    double *d = make_array<double>(4);
    evaluate<<<1, 1>>>(2.25f, f, size);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_FLOAT(*f, both(2.25f), 1e-6);
    CHECK(size[0] == 4 && size[1] == 4 && size[2] == 4);
    evaluate<<<1, 1>>>(2.25, d, size);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_FLOAT(*d, both(2.25), 1e-14);
    CHECK(size[0] == 8 && size[1] == 8 && size[2] == 8);
    integers<<<1, 1>>>(4, 9, 1ll << 40, d);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_FLOAT(d[0], 8 + 1099511627776.0 + 3 + 7, 0);
    CHECK_FLOAT(d[1], 4 + 9 + 2.5 + 2.5, 0);
    CHECK(std::isnan(d[2]));
    CHECK_FLOAT(d[3], 2147483647.0 + 5, 0);
    return check_done();
}
