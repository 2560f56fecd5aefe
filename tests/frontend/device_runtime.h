/* device_runtime.h - what a kernel may ask and do through the CUDA runtime, but for launches. A program
 * that defines KERNELS asks for attributes of kernels, too, which nvcc alone compiles. */
#include <cstdio>
#include <cstring>

struct answers {
    int device, count, processors, cache, version, blocks, threads;
    size_t heap;
    int unknown_device, peeked, read, read_again, bad_pitch, unknown_kernel;
    int mark;  /* by a kernel that is launched by its address and a buffer */
    int steps; /* calls that have succeeded */
    char error_name;
};

__global__ void asked(int *x)
{
    __shared__ int room[64];
    room[threadIdx.x % 64] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = room[63 - threadIdx.x % 64];
}

__global__ void mark(int *x)
{
    *x = 77;
}

__device__ void ask_of_device(answers *a)
{
    int unused;
    cudaFuncCache cache = cudaFuncCachePreferL1;
    a->steps += cudaGetDevice(&a->device) == cudaSuccess;
    a->steps += cudaGetDeviceCount(&a->count) == cudaSuccess;
    a->steps += cudaDeviceGetAttribute(&a->processors, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess;
    a->steps += cudaDeviceGetLimit(&a->heap, cudaLimitMallocHeapSize) == cudaSuccess;
    a->steps += cudaDeviceGetCacheConfig(&cache) == cudaSuccess;
    a->steps += cudaRuntimeGetVersion(&a->version) == cudaSuccess;
    a->cache = cache;
    a->unknown_device = cudaDeviceGetAttribute(&unused, cudaDevAttrWarpSize, 99);
    a->peeked = cudaPeekAtLastError();
    a->read = cudaGetLastError();
    a->read_again = cudaGetLastError();
    a->error_name = cudaGetErrorName(cudaErrorInvalidValue)[9];
}

__device__ void ask_of_kernels(answers *a)
{
#ifdef KERNELS
    cudaFuncAttributes attributes = {};
    a->steps += cudaFuncGetAttributes(&attributes, (const void *)asked) == cudaSuccess;
    a->threads = attributes.maxThreadsPerBlock + (int)attributes.sharedSizeBytes;
    a->steps += cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a->blocks, asked, 512, 0) == cudaSuccess;
    a->unknown_kernel = cudaFuncGetAttributes(&attributes, (const void *)12345);
    int *marked = &a->mark;
    void *buffer = cudaGetParameterBuffer(alignof(int *), sizeof marked);
    memcpy(buffer, &marked, sizeof marked);
    a->steps += cudaLaunchDevice((void *)mark, buffer, dim3(1), dim3(1), 0, 0) == cudaSuccess;
#endif
}

/* 64 bytes of each; the grid's end does all of them, in this order. */
__device__ void copy_and_fill(answers *a, char *to, const char *from)
{
    cudaStream_t stream;
    cudaEvent_t event;
    cudaMemcpy3DParms p = {};
    a->steps += cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess;
    a->steps += cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess;
    a->steps += cudaEventRecord(event, stream) == cudaSuccess;
    a->steps += cudaStreamWaitEvent(stream, event, 0) == cudaSuccess;
    a->steps += cudaMemset2DAsync(to, 8, 1, 3, 4, stream) == cudaSuccess;
    a->steps += cudaMemcpy2DAsync(to + 64, 16, from, 8, 4, 3, cudaMemcpyDeviceToDevice, stream) == cudaSuccess;
    a->steps += cudaMemset3DAsync(cudaPitchedPtr{to + 128, 8, 8, 3}, 5, cudaExtent{2, 2, 2}, stream) == cudaSuccess;
    p.srcPtr = cudaPitchedPtr{(void *)from, 8, 8, 2};
    p.dstPtr = cudaPitchedPtr{to + 192, 4, 4, 3};
    p.srcPos = cudaPos{1, 0, 1};
    p.extent = cudaExtent{3, 2, 2};
    p.kind = cudaMemcpyDeviceToDevice;
    a->steps += cudaMemcpy3DAsync(&p, stream) == cudaSuccess;
    a->steps += cudaEventDestroy(event) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess;
    a->bad_pitch = cudaMemset2DAsync(to, 2, 1, 3, 4, 0);
}

__global__ void ask(answers *a, char *to, const char *from)
{
    void *memory = nullptr;
    a->steps = 0;
    ask_of_device(a);
    ask_of_kernels(a);
    copy_and_fill(a, to, from);
    a->steps += cudaMalloc(&memory, 64) == cudaSuccess && memory != nullptr && cudaFree(memory) == cudaSuccess;
}

static char expected(int i)
{
    const int of = i % 64, z = of / 12, y = of % 12 / 4, x = of % 4;
    switch (i / 64) {
    case 0: return of / 8 < 4 && of % 8 < 3;
    case 1: return of / 16 < 3 && of % 16 < 4 ? 10 + 8 * (of / 16) + of % 16 : 0;
    case 2: return of / 24 < 2 && of % 24 / 8 < 2 && of % 8 < 2 ? 5 : 0;
    default: return z < 2 && y < 2 && x < 3 ? 10 + 16 * (z + 1) + 8 * y + x + 1 : 0;
    }
}

/* Names the first answer that is wrong; 0: none. */
static int wrong_answer()
{
    answers *asked_for, a;
    char *to, *from, got[256], given[256];
    cudaDeviceProp p;
    for (int i = 0; i < 256; i++) given[i] = (char)(10 + i % 100);
    if (cudaMalloc(&asked_for, sizeof a) || cudaMalloc(&to, 256) || cudaMalloc(&from, 256) || cudaMemset(to, 0, 256) ||
        cudaMemcpy(from, given, 256, cudaMemcpyHostToDevice) || cudaMemset(asked_for, 0, sizeof a) ||
        cudaGetDeviceProperties(&p, 0))
        return 1;
    ask<<<1, 1>>>(asked_for, to, from);
    if (cudaMemcpy(&a, asked_for, sizeof a, cudaMemcpyDeviceToHost) || cudaMemcpy(got, to, 256, cudaMemcpyDeviceToHost))
        return 2;
    if (a.device != 0 || a.count != 1 || a.processors != p.multiProcessorCount || a.cache != cudaFuncCachePreferNone) return 3;
    if (a.heap != 8u << 20 || a.version != 6000 || a.error_name != 'I') return 4;
    if (a.unknown_device != cudaErrorInvalidDevice || a.peeked != a.unknown_device || a.read != a.peeked || a.read_again) return 5;
#ifdef KERNELS
    if (a.threads != p.maxThreadsPerBlock + 256 || a.blocks != p.maxThreadsPerMultiProcessor / 512) return 6;
    if (a.unknown_kernel != cudaErrorInvalidDeviceFunction || a.steps != 19 || a.mark != 77) return 7;
#else
    if (a.steps != 16) return 7;
#endif
    if (a.bad_pitch != cudaErrorInvalidPitchValue) return 8;
    for (int i = 0; i < 256; i++)
        if (got[i] != expected(i)) return 100 + i;
    return 0;
}
