/* Copies from and to arrays of the host past their ends. */
#include "mistakes.h"

#include <vector>

enum { N = 1024 };
static float table[N];


/* One element too many; and the size of a pointer's array in bytes taken twice. */
TWINS(past_malloc)
{
    float *h = (float *)calloc(N, sizeof *h), *d = buffer<float>(2 * N);
    must(cudaMemcpy(d, h, (right ? N : N + 1) * sizeof *h, cudaMemcpyHostToDevice)); // MISTAKE past_malloc block.of.malloc
    free(h);
}

TWINS(past_large_malloc)
{
    const size_t n = 1 << 20;
    float *h = (float *)malloc(n * sizeof *h), *d = buffer<float>(n + 8);
    must(cudaMemcpy(h, d, (right ? n : n + 1) * sizeof *h, cudaMemcpyDeviceToHost)); // MISTAKE past_large_malloc block.of.malloc
    free(h);
}

/* From inside the block. */
TWINS(past_malloc_from_inside)
{
    float *h = (float *)malloc(N * sizeof *h), *d = buffer<float>(N);
    for (int part = 0; part < 4; part++) {
        int first = part * N / 4, n = !right && part == 3 ? N / 4 + 1 : N / 4;
        must(cudaMemcpy(h + first, d, n * sizeof *h, cudaMemcpyDeviceToHost)); // MISTAKE past_malloc_from_inside block.of.malloc
    }
    free(h);
}

TWINS(past_new)
{
    double *h = new double[N], *d = buffer<double>(N + 1);
    must(cudaMemcpy(h, d, (right ? N : N + 1) * sizeof *h, cudaMemcpyDeviceToHost)); // MISTAKE past_new block.of.malloc
    delete[] h;
}

TWINS(past_vector)
{
    std::vector<float> h(right ? N : N - 1);
    float *d = buffer<float>(N);
    must(cudaMemcpy(h.data(), d, N * sizeof *d, cudaMemcpyDeviceToHost)); // MISTAKE past_vector block.of.malloc
}

TWINS(past_global)
{
    float *d = buffer<float>(N + 1);
    table[0] = 1;
    must(cudaMemcpy(table, d, (right ? N : N + 1) * sizeof *d, cudaMemcpyDeviceToHost)); // MISTAKE past_global table
}

TWINS(past_stack)
{
    float h[64], *d = buffer<float>(N);
    memset(h, 0, sizeof h);
    must(cudaMemcpy(d, h, (right ? 64 : N) * sizeof *d, cudaMemcpyHostToDevice)); // MISTAKE past_stack stack
}

/* Rows of a matrix on the host that has one row less. */
TWINS(past_rows)
{
    const size_t rows = 8, width = 100;
    float *h = (float *)malloc((right ? rows : rows - 1) * width * sizeof *h), *d;
    size_t pitch;
    must(cudaMallocPitch(&d, &pitch, width * sizeof *d, rows));
    must(cudaMemset2D(d, pitch, 0, width * sizeof *d, rows));
    must(cudaMemcpy2D(h, width * sizeof *h, d, pitch, width * sizeof *h, rows, cudaMemcpyDeviceToHost)); // MISTAKE past_rows block.of.malloc
    free(h);
    cudaFree(d);
}
