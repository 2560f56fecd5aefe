/* What nvcc compiles although editors' formatters have torn it, __shared__ before alignas, and names of special registers
 * with one %, and operands of asm without a comma: simtcc puts them into clang's words. */
#include <cstdio>
#include <vector>
template <typename T> __global__ void fill(T *p, T v) { extern __shared__ unsigned char dyn[]; __shared__ alignas(T) char t[sizeof(T)*32]; dyn[threadIdx.x]=1; ((T*)t)[threadIdx.x] = v; __syncthreads(); p[threadIdx.x]= ((T*)t)[31-threadIdx.x]+dyn[threadIdx.x]; }
inline void launch(float *p) { fill<float> << < dim3(1, 1),
    dim3(32 >> 0), 128 >> > (p, 2.f); }

__device__ unsigned lane() { unsigned l, d; asm("mov.u32 %0, %laneid;" : "=r"(l)); asm volatile ("mov.u32 %0,"
    " %%warpid; add.u32 %0, %0, %1; add.u32 %0, %0, %2;" : "=r"(d) : "r"(l)
    "r"(0)); return d; }
__global__ void plain(float *p) { p[threadIdx.x] += 1 + lane() - threadIdx.x; }
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
