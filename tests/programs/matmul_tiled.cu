/* Tiled matrix multiplication with a template parameter, 2-D grids and events around the launch. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t status = (call);                                                               \
        if (status != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

template <int TILE>
__global__ void matmul(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float tileA[TILE][TILE];
    __shared__ float tileB[TILE][TILE];

    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    for (int phase = 0; phase < (K + TILE - 1) / TILE; ++phase) {
        int k = phase * TILE + threadIdx.x;
        tileA[threadIdx.y][threadIdx.x] = row < M && k < K ? A[row * K + k] : 0.0f;
        k = phase * TILE + threadIdx.y;
        tileB[threadIdx.y][threadIdx.x] = k < K && col < N ? B[k * N + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; ++i)
            sum += tileA[threadIdx.y][i] * tileB[i][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

template <int TILE> bool run(int M, int N, int K)
{
    std::vector<float> A(M * K), B(K * N), C(M * N, -1.0f);
    for (size_t i = 0; i < A.size(); i++)
        A[i] = (float)(i % 13) - 6.0f;
    for (size_t i = 0; i < B.size(); i++)
        B[i] = (float)(i % 7) * 0.25f;

    float *dA, *dB, *dC;
    CHECK(cudaMalloc((void **)&dA, A.size() * sizeof(float)));
    CHECK(cudaMalloc((void **)&dB, B.size() * sizeof(float)));
    CHECK(cudaMalloc((void **)&dC, C.size() * sizeof(float)));
    CHECK(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));

    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    dim3 block(TILE, TILE);
    dim3 grid((N + block.x - 1) / block.x, (M + block.y - 1) / block.y);
    CHECK(cudaEventRecord(start));
    matmul<TILE><<<grid, block>>>(dA, dB, dC, M, N, K);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaGetLastError());
    CHECK(cudaEventSynchronize(stop));
    float ms = -1.0f;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

    bool right = ms >= 0.0f;
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            double want = 0.0;
            for (int k = 0; k < K; k++)
                want += (double)A[i * K + k] * B[k * N + j];
            if (!(std::fabs(C[i * N + j] - want) <= 1e-3))
                right = false;
        }
    }
    printf("%d x %d x %d, tile %d: %s\n", M, N, K, TILE, right ? "right" : "WRONG");
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(dA));
    CHECK(cudaFree(dB));
    CHECK(cudaFree(dC));
    return right;
}

int main()
{
    bool right = run<16>(64, 64, 64);
    right = run<16>(65, 33, 50) && right;
    right = run<8>(7, 40, 3) && right;
    right = run<32>(1, 1, 1) && right;
    return right ? 0 : 1;
}
