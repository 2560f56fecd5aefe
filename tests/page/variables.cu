/* variables.cu - kernels whose registers have names in the source: see variables.sh. */
#include <cuda_runtime.h>

struct body {
    float x, y;
    int next;
};

__device__ float squared(float side) { return side * side; }

__global__ void sum_of_rows(float *out, const float *in, const struct body *bodies, int n)
{
    __shared__ float tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float acc = 0;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    for (int j = 0; j < n; j++) {
        float v = in[i + j * 32];
        acc += v * tile[(threadIdx.x + j) % 64];
    }
    struct body mine = bodies[i];
    if (i < n) {
        float scaled = acc * mine.y;
        mine.x += squared(scaled);
        mine.next += 3;
    }
    out[i] = acc + mine.x + mine.next;
}

/* Two variables that take turns in a register, one that has two homes, and an array of registers. */
__global__ void in_turns(int *out, const int *in, int n)
{
    int a = in[threadIdx.x], b = in[threadIdx.x + 32];
    int four[4];
    for (int k = 0; k < 4; k++) {
        four[k] = in[threadIdx.x + 64 * k];
    }
    for (int round = 0; round < n; round++) {
        int kept = a;
        a = b;
        b = kept + four[round & 1] * four[2];
    }
    out[threadIdx.x] = a + four[3];
    out[threadIdx.x + 32] = b;
}

int main(void)
{
    void *out, *in, *bodies;
    cudaMalloc(&out, 1 << 12);
    cudaMalloc(&in, 1 << 12);
    cudaMalloc(&bodies, 1 << 12);
    cudaMemset(in, 0, 1 << 12);
    cudaMemset(bodies, 0, 1 << 12);
    sum_of_rows<<<1, 64>>>((float *)out, (const float *)in, (const struct body *)bodies, 7);
    in_turns<<<1, 32>>>((int *)out, (const int *)in, 5);
    return cudaDeviceSynchronize();
}
