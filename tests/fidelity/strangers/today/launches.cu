/* launches.cu - launches of other shapes and by other ways: graphs, streams, attributes, symbols. */
#include "today.h"

__global__ void fill_box(int *out, int3 size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < size.x && y < size.y && z < size.z)
        out[(z * size.y + y) * size.x + x] = x * 10000 + y * 100 + z;
}

__global__ void rotate_axes(const int *in, int *out, int3 size)
{
    __shared__ int tile[4][4][5];
    int x = blockIdx.x * 4 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z * 4 + threadIdx.z;
    if (x < size.x && y < size.y && z < size.z)
        tile[threadIdx.z][threadIdx.y][threadIdx.x] = in[(z * size.y + y) * size.x + x];
    __syncthreads();
    int nx = blockIdx.z * 4 + threadIdx.x, ny = blockIdx.x * 4 + threadIdx.y, nz = blockIdx.y * 4 + threadIdx.z;
    if (nx < size.z && ny < size.x && nz < size.y)
        out[(nz * size.x + ny) * size.z + nx] = tile[threadIdx.x][threadIdx.z][threadIdx.y];
}

__global__ void axpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

__constant__ float coefficients[4];
__device__ int total;

__global__ void polynomial(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    for (int k = 3; k >= 0; k--)
        r = fmaf(r, x[i], coefficients[k]);
    if (i < n)
        y[i] = r;
    if (r > 0)
        atomicAdd(&total, 1);
}

__global__ void strided_pitch(const char *base, size_t pitch, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = ((const float *)(base + y * pitch))[x] + 1;
}

static void run_graph(void)
{
    cudaStream_t stream, side;
    cudaEvent_t forked, joined;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    float *const x = (float *)d_in, *const y = (float *)d_out;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&forked));
    MUST(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    begin(FLOATS);
    MUST(cudaDeviceSynchronize());
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    axpy<<<2, 128, 0, stream>>>(2.0f, x, y, 250);
    MUST(cudaEventRecord(forked, stream));
    MUST(cudaStreamWaitEvent(side, forked));
    axpy<<<2, 128, 0, side>>>(3.0f, x + 1024, y + 1024, 250);
    MUST(cudaMemcpyAsync(y + 4096, x, 1024, cudaMemcpyDeviceToDevice, stream));
    MUST(cudaEventRecord(joined, side));
    MUST(cudaStreamWaitEvent(stream, joined));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&ready, graph, 0));
    MUST(cudaGraphLaunch(ready, stream));
    MUST(cudaStreamSynchronize(stream));
    show("graph_first");
    show("graph_second");
    MUST(cudaGraphExecDestroy(ready));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaEventDestroy(forked));
    MUST(cudaEventDestroy(joined));
    MUST(cudaStreamDestroy(side));
    MUST(cudaStreamDestroy(stream));
}

void run_launches(void)
{
    float *const x = (float *)d_in, *const y = (float *)d_out;
    const int3 size = {21, 10, 14};
    RUN(fill_box, WHOLE, fill_box<<<dim3(3, 3, 2), dim3(8, 4, 8)>>>((int *)d_out, size));
    RUN(rotate_axes, WHOLE, rotate_axes<<<dim3(6, 3, 4), dim3(4, 4, 4)>>>((int *)d_in, (int *)d_out, size));
    begin(FLOATS);
    const float c[4] = {1, -2, 0.5f, 0.25f};
    int many = 0;
    MUST(cudaMemcpyToSymbol(coefficients, c, sizeof c));
    MUST(cudaMemcpyToSymbol(total, &many, sizeof many));
    polynomial<<<2, 128>>>(x, y, 250);
    MUST(cudaMemcpyFromSymbol(&many, total, sizeof many));
    MUST(cudaMemcpy(y + 4096, &many, sizeof many, cudaMemcpyHostToDevice));
    show("polynomial");
    begin(FLOATS);
    char *rows;
    size_t pitch;
    MUST(cudaMallocPitch(&rows, &pitch, 200, 20));
    MUST(cudaMemcpy2D(rows, pitch, x, 200, 200, 20, cudaMemcpyDeviceToDevice));
    strided_pitch<<<dim3(2, 5), dim3(32, 4)>>>(rows, pitch, y, 50, 20);
    show("strided_pitch");
    MUST(cudaFree(rows));
    run_graph();
}
