/* moved.cu - accesses that a compiler moves away from their lines, lanes with a stride between idle ones,
 * and kernels of two families: what reports say of them is compared by texts.sh. */
#include <stdio.h>

enum { N = 512 };

/* Both arms load in[32 * i]: one load is left, in front of them. */
__global__ void arms_alike(const float *in, const int *flag, float *out)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float v;
    if (flag[i] > 2)
        v = in[i * 32] + 1; // the load
    else
        v = in[i * 32] * 2;
    out[i] = v;
}

/* in[64 * i] does not change in the loop: it is loaded once, in front of it. */
__global__ void arms_of_loop(const float *in, const float *more, float *out, int rounds)
{
    int i = (int)threadIdx.x;
    float sum = 0;
    for (int k = 0; k < rounds; k++)
        sum += more[i + k * 32] * in[i * 64]; // the product
    out[i] = sum;
}

/* Some lanes, none of them by a rule, and each 32 floats behind its neighbour. */
__global__ void strided_gaps(const float *in, const int *flag, float *out)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (flag[i] > 2)
        out[i] = in[i * 32];
}

int main()
{
    float *in, *out;
    int *flag, host[N];
    for (int i = 0; i < N; i++)
        host[i] = i * i % 7;
    cudaMalloc(&in, 64 * N * sizeof *in);
    cudaMalloc(&out, N * sizeof *out);
    cudaMalloc(&flag, sizeof host);
    cudaMemset(in, 0, 64 * N * sizeof *in);
    cudaMemcpy(flag, host, sizeof host, cudaMemcpyHostToDevice);
    arms_alike<<<N / 128, 128>>>(in, flag, out);
    strided_gaps<<<N / 128, 128>>>(in, flag, out);
    arms_of_loop<<<1, 64>>>(in, in, out, 10);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
