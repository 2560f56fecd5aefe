/* <cuda/std/...>: arrays, tuples, pairs, optional values, spans, complex numbers, clocks in a
 * kernel. */
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/utility>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/cmath>
#include <cuda/std/functional>
#include <cuda/std/type_traits>
#include <cuda/std/limits>
#include <cstdio>
#include <vector>
#include <algorithm>
#include <map>
#include <string>
template <typename T>
__device__ cuda::std::enable_if_t<cuda::std::is_floating_point_v<T>, T> half_of(T v)
{
    return v / 2;
}
__global__ void k(float *o)
{
    int i = threadIdx.x;
    cuda::std::array<float, 4> a{};
    a.fill(2);
    a[i % 4] = 7;
    cuda::std::array<float, 4> b = a;
    cuda::std::swap(a, b);
    cuda::std::tuple<int, float> t(1, 2.f);
    cuda::std::get<0>(t) = i;
    auto u = cuda::std::make_tuple(3, 4.f);
    u = t;
    auto [x, y] = u;
    cuda::std::pair<int, int> p(1, 2);
    p = cuda::std::make_pair(i, 5);
    int q = 3;
    cuda::std::swap(p.first, q);
    cuda::std::optional<int> e;
    if (i & 1)
        e = i;
    e = e ? *e + 1 : 0;
    int ev = e.value_or(3);
    e.reset();
    e.emplace(4);
    ev += *e;
    float buf[8];
    cuda::std::span<float> s(buf, 8);
    for (auto &v : s)
        v = 1.5f;
    float sum = 0;
    for (float v : s.subspan(2))
        sum += v;
    auto t0 = cuda::std::chrono::high_resolution_clock::now();
    auto dt = cuda::std::chrono::high_resolution_clock::now() - t0;
    bool late = dt > cuda::std::chrono::seconds(5);
    cuda::std::complex<float> z(3, 4);
    z = z * z / cuda::std::complex<float>(2, 0) + 1.f;
    o[i] = a[0] + b[1] + x + y + p.first + p.second + q + ev + sum + late + z.real() +
           cuda::std::abs(z) + half_of(3.f) + cuda::std::plus<>{}(1, 2) +
           cuda::std::fmin(1.f, 2.f) + a.size() + cuda::std::numeric_limits<short>::max();
}
int main()
{
    float *o;
    cudaMallocManaged(&o, 128);
    k<<<1, 32>>>(o);
    int e = cudaDeviceSynchronize();
    std::vector<std::pair<int, std::string>> v{{2, "b"}, {1, "a"}};
    std::sort(v.begin(), v.end());
    std::map<int, int> m;
    m[1] = 2;
    printf("%d %g %g %g %s %d\n", e, o[0], o[5], o[31], v[0].second.c_str(), m[1]);
}
