/* What programs write and nvcc takes: copies of threadIdx, hinted loads of small vectors, NVTX. */
#include <cstdio>
#include <nvtx3/nvToolsExt.h>
__device__ int flat(uint3 t, dim3 b) { return t.x + t.y * b.x; }
__global__ void k(int *o)
{
    auto t = threadIdx;
    const auto b = blockIdx;
    dim3 d = blockDim;
    uint3 u = threadIdx;
    o[flat(threadIdx, blockDim)] = t.x + b.x + d.x + u.x;
}
__global__ void hinted(const uchar4 *a, const char2 *b, const short4 *c, const ushort2 *d,
                       const uchar2 *e, int *o)
{
    uchar4 x = __ldg(a + threadIdx.x);
    char2 y = __ldg(&b[threadIdx.x]);
    short4 z = __ldg(c);
    ushort2 w = __ldcs(d);
    uchar2 v = __ldcg(e);
    o[threadIdx.x] = x.x + x.w + y.y + z.w + w.y + v.x;
}

int main()
{
    int *o;
    char *m;
    cudaMallocManaged(&o, 32 * sizeof *o);
    cudaMallocManaged(&m, 256);
    for (int i = 0; i < 256; i++)
        m[i] = (char)i;
    nvtxRangePushA("kernels");
    k<<<1, 32>>>(o);
    cudaDeviceSynchronize();
    printf("%d\n", o[5]);
    hinted<<<1, 32>>>((uchar4 *)m, (char2 *)m, (short4 *)m, (ushort2 *)m, (uchar2 *)m, o);
    cudaDeviceSynchronize();
    printf("%d\n", o[5]);
    nvtxRangePop();
#ifdef __clang__ /* NVIDIA's headers have them no longer since CUDA 13 */
    if (cudaThreadSynchronize() != cudaSuccess || cudaThreadExit() != cudaSuccess)
        return 1;
#endif
    return 0;
}
