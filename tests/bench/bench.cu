/* bench.cu - the kernels whose speed on the simulator has a target; written as a student would.
 * Prints CSV: name, wall-clock milliseconds, and those of the same kernel as OpenCL's native code
 * ("-": none); each the best of several runs, which take turns. The host's clock is right here:
 * what is measured is the simulator, not a GPU. */
#include "tests/bench/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// The clock's time or, with BENCH_CPU set, that of all cores that this process has used.
static double now_ms(void)
{
    struct timespec t;
    clock_gettime(getenv("BENCH_CPU") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

__global__ void matmul_naive(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++) {
            sum += a[row * n + k] * b[k * n + col];
        }
        c[row * n + col] = sum;
    }
}

enum { TILE = 16 };

__global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int phase = 0; phase < n / TILE; phase++) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + phase * TILE + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(phase * TILE + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * n + col] = sum;
}

__global__ void reduce_block(const float *in, float *out, int n)
{
    extern __shared__ float partial[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    partial[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int distance = blockDim.x / 2; distance > 0; distance /= 2) {
        if (t < distance) {
            partial[t] += partial[t + distance];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = partial[0];
    }
}

__global__ void empty(void) {}

struct data {
    float *a, *b, *c;
};

static void naive_256(struct data d)
{
    matmul_naive<<<dim3(16, 16), dim3(16, 16)>>>(d.a, d.b, d.c, 256);
}

static void naive_512(struct data d)
{
    matmul_naive<<<dim3(32, 32), dim3(16, 16)>>>(d.a, d.b, d.c, 512);
}

static void tiled_512(struct data d)
{
    matmul_tiled<<<dim3(32, 32), dim3(TILE, TILE)>>>(d.a, d.b, d.c, 512);
}

static void reduce_4m(struct data d)
{
    reduce_block<<<(1 << 22) / 256, 256, 256 * sizeof(float)>>>(d.a, d.c, 1 << 22);
}

static void launches_100000(struct data)
{
    for (int i = 0; i < 100000; i++) {
        empty<<<1, 32>>>();
    }
}

static const struct {
    const char *name;
    void (*run)(struct data);
} cases[] = {{"naive matmul 256", naive_256},
             {"naive matmul 512", naive_512},
             {"tiled matmul 512", tiled_512},
             {"block reduction 4 M", reduce_4m},
             {"100000 launches", launches_100000}};

enum { FLOATS = 1 << 22, REPEATS = 7 };

static double smaller(double a, double b) { return a < b ? a : b; }

// One case in turns with OpenCL's kernel of this name, where there is one.
static bool show(const char *name, void (*run)(struct data), struct data d, bool opencl)
{
    double best_ms = 1e30, opencl_ms = 1e30;
    bool ran = false;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        const double start_ms = now_ms();
        run(d);
        if (cudaDeviceSynchronize() != cudaSuccess) {
            return false;
        }
        const double middle_ms = now_ms();
        ran = opencl && opencl_run(name);
        best_ms = smaller(best_ms, middle_ms - start_ms);
        opencl_ms = smaller(opencl_ms, now_ms() - middle_ms);
    }
    printf("%s,%.1f,", name, best_ms);
    printf(ran ? "%.1f\n" : "-\n", opencl_ms);
    return true;
}

// bench [KERNELS]: KERNELS: rows.cl, to run OpenCL beside the simulator.
int main(int argc, char **argv)
{
    struct data d;
    const size_t bytes = sizeof(float) * FLOATS;
    float *host = (float *)malloc(bytes);
    for (int i = 0; i < FLOATS; i++) {
        host[i] = (float)(i % 7);
    }
    cudaMalloc(&d.a, bytes);
    cudaMalloc(&d.b, bytes);
    cudaMalloc(&d.c, bytes);
    cudaMemcpy(d.a, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d.b, host, bytes, cudaMemcpyHostToDevice);
    const bool opencl = argc > 1 && opencl_open(argv[1]);
    if (opencl) {
        struct work all = {0};
        all.a = all.b = host;
        opencl_fill(&all, FLOATS);
    }
    bool right = true;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        right = right && show(cases[i].name, cases[i].run, d, opencl);
    }
    free(host);
    return right ? 0 : 1;
}
