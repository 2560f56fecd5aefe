/* show.cu - SIMT_SHOW draws the accesses of one line: here every third float, shared and global. */
#include <stdio.h>

__global__ void every_third(const float *in, float *out)
{
    __shared__ float kept[96];
    const float mine = in[3 * threadIdx.x];
    kept[3 * threadIdx.x] = mine;
    __syncwarp();
    out[threadIdx.x] = kept[3 * (31 - threadIdx.x)];
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 96 * sizeof(float));
    cudaMalloc(&out, 32 * sizeof(float));
    cudaMemset(in, 0, 96 * sizeof(float));
    for (int i = 0; i < 2; i++)
        every_third<<<1, 32>>>(in, out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
