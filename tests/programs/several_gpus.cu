/* several_gpus.cu - three simulated GPUs, one of another kind: memory, variables, streams and
 * kernels of each, copies between them, a halo exchange over peer access, and what happens without
 * it. */
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failed;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            failed = 1;                                                                            \
        }                                                                                          \
    } while (0)
#define GOOD(call) CHECK((call) == cudaSuccess)

enum { N = 64 };

__device__ int own = 1;
__managed__ int shared_by_all = 0;

__global__ void set_own(int value) { own = value; }
__global__ void count_up(int *p) { atomicAdd(p, own); }
__global__ void add_shared() { atomicAdd_system(&shared_by_all, 1); }

/* Each half has a cell beyond its end, which belongs to the other. */
__global__ void smooth(const float *in, const float *beyond, float *out)
{
    int i = threadIdx.x;
    float next = i + 1 < N ? in[i + 1] : *beyond;
    out[i] = (in[i] + next) / 2;
}

static void test_devices(void)
{
    cudaDeviceProp first, third;
    GOOD(cudaGetDeviceProperties(&first, 0));
    GOOD(cudaGetDeviceProperties(&third, 2));
    CHECK(strcmp(first.name, third.name) == 0); /* of two names the third takes the first */
    GOOD(cudaGetDeviceProperties(&third, 1));
    CHECK(strcmp(first.name, third.name) != 0 && first.pciBusID != third.pciBusID);
    CHECK(cudaSetDevice(3) == cudaErrorInvalidDevice);
}

/* A variable has one value on each device, a managed one the same on all. */
static void test_variables(void)
{
    int value = 0;
    for (int d = 0; d < 3; d++) {
        GOOD(cudaSetDevice(d));
        set_own<<<1, 1>>>(10 * d);
        add_shared<<<1, 1>>>();
        GOOD(cudaDeviceSynchronize());
    }
    for (int d = 0; d < 3; d++) {
        GOOD(cudaSetDevice(d));
        GOOD(cudaMemcpyFromSymbol(&value, own, sizeof value));
        CHECK(value == 10 * d);
    }
    CHECK(shared_by_all == 3);
}

static void test_copies(void)
{
    int *on[2], out[N], *pinned;
    for (int d = 0; d < 2; d++) {
        GOOD(cudaSetDevice(d));
        GOOD(cudaMalloc((void **)&on[d], N * sizeof(int)));
        GOOD(cudaMemset(on[d], d + 1, N * sizeof(int)));
    }
    GOOD(cudaMemcpyPeer(on[0], 0, on[1], 1, N * sizeof(int)));
    GOOD(
        cudaMemcpy(out, on[0], sizeof out, cudaMemcpyDeviceToHost)); /* the thread is on device 1 */
    CHECK(out[0] == 0x02020202);
    cudaPointerAttributes a;
    GOOD(cudaPointerGetAttributes(&a, on[0]));
    CHECK(a.device == 0 && a.type == cudaMemoryTypeDevice);
    GOOD(cudaMallocHost((void **)&pinned, sizeof(int))); /* all devices reach it */
    *pinned = 0;
    for (int d = 0; d < 3; d++) {
        GOOD(cudaSetDevice(d));
        count_up<<<1, 1>>>(pinned);
        GOOD(cudaDeviceSynchronize());
    }
    CHECK(*pinned == 30);
    GOOD(cudaFreeHost(pinned));
    GOOD(cudaFree(on[0]));
    GOOD(cudaFree(on[1]));
}

static void test_halo(void)
{
    float *in[2], *out[2], host[N];
    cudaStream_t stream[2];
    for (int d = 0; d < 2; d++) {
        int can = 0;
        GOOD(cudaDeviceCanAccessPeer(&can, d, 1 - d));
        CHECK(can == 1);
        GOOD(cudaSetDevice(d));
        GOOD(cudaDeviceEnablePeerAccess(1 - d, 0));
        CHECK(cudaDeviceEnablePeerAccess(1 - d, 0) == cudaErrorPeerAccessAlreadyEnabled);
        cudaGetLastError();
        GOOD(cudaStreamCreate(&stream[d]));
        GOOD(cudaMalloc((void **)&in[d], N * sizeof(float)));
        GOOD(cudaMalloc((void **)&out[d], N * sizeof(float)));
        for (int i = 0; i < N; i++)
            host[i] = (float)(d * N + i);
        GOOD(cudaMemcpy(in[d], host, sizeof host, cudaMemcpyHostToDevice));
    }
    for (int d = 0; d < 2; d++) {
        GOOD(cudaSetDevice(d));
        smooth<<<1, N, 0, stream[d]>>>(in[d], in[1 - d], out[d]);
        GOOD(cudaStreamSynchronize(stream[d]));
    }
    GOOD(cudaMemcpy(host, out[0], sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 0.5f && host[N - 1] == N - 0.5f);
    for (int d = 0; d < 2; d++) {
        GOOD(cudaSetDevice(d));
        GOOD(cudaStreamDestroy(stream[d]));
        GOOD(cudaFree(in[d]));
        GOOD(cudaFree(out[d]));
        GOOD(cudaDeviceDisablePeerAccess(1 - d));
    }
}

/* Without access a kernel meets an illegal address; the host is told, and not ended. */
static void test_no_access(void)
{
    int *p;
    GOOD(cudaSetDevice(0));
    GOOD(cudaMalloc((void **)&p, sizeof *p));
    GOOD(cudaSetDevice(1));
    count_up<<<1, 1>>>(p);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}

int main(int argc, char **argv)
{
    int count = 0;
    (void)argc;
    GOOD(cudaGetDeviceCount(&count));
    if (count == 1) { /* once more, with more of them */
        setenv("SIMT_DEVICES", "3", 1);
        setenv("SIMT_GPU", "NVIDIA H200,NVIDIA A100", 1);
        execv(argv[0], argv);
        return 1;
    }
    CHECK(count == 3);
    test_devices();
    test_variables();
    test_copies();
    test_halo();
    test_no_access();
    return failed;
}
