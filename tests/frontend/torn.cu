/* What nvcc compiles although editors' formatters have torn it, and __shared__ before alignas: simtcc
 * puts both into clang's words. */
#include <cstdio>
#include <vector>
template <typename T> __global__ void fill(T *p, T v) { extern __shared__ unsigned char dyn[]; __shared__ alignas(T) char t[sizeof(T)*32]; dyn[threadIdx.x]=1; ((T*)t)[threadIdx.x] = v; __syncthreads(); p[threadIdx.x]= ((T*)t)[31-threadIdx.x]+dyn[threadIdx.x]; }
inline void launch(float *p) { fill<float> << < dim3(1, 1),
    dim3(32 >> 0), 128 >> > (p, 2.f); }

__global__ void plain(float *p) { p[threadIdx.x] += 1; }
int main()
{
    float *p;
    dim3 g(1), b(32);
    cudaMallocManaged(&p, 32 * sizeof *p);
    launch(p);
    plain << <g, b>> >(p);
    plain <<< g, b >> > (p);
    cudaDeviceSynchronize();
    std::vector<std::vector<std::vector<int>> > v(3);
    printf("%g << < %zu >> > %d %c\n", p[3], v.size(), 256 >> 3 >> 1, '"');
    return 0;
}
