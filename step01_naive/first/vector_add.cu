/* vector_add.cu - a first CUDA program: c[i] = a[i] + b[i], one thread for each i.
 *
 *     make vector_add && ./run             a million elements
 *     ./run 10 4                           10 elements, blocks of 4 threads */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

/* Every call of CUDA returns whether it worked. One that did not ends this program with 2. */
static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "vector_add: %s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

/* Adds the vectors on the GPU. a, b and c are memory of the CPU, n floats each. */
static void add_on_gpu(const float *a, const float *b, float *c, int n, int threads)
{
    size_t bytes = n * sizeof(float);
    int blocks = (n + threads - 1) / threads;
    float *d_a, *d_b, *d_c;

    check(cudaMalloc(&d_a, bytes), "memory for a");
    check(cudaMalloc(&d_b, bytes), "memory for b");
    check(cudaMalloc(&d_c, bytes), "memory for c");

    check(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice), "copy of a");
    check(cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice), "copy of b");

    vector_add<<<blocks, threads>>>(d_a, d_b, d_c, n);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");

    check(cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost), "copy of c");

    check(cudaFree(d_a), "freeing a");
    check(cudaFree(d_b), "freeing b");
    check(cudaFree(d_c), "freeing c");
}

/* A whole number from 1 to the most allowed; anything else ends the program with 2. */
static int number(const char *text, const char *what, long most)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < 1 || value > most) {
        fprintf(stderr, "vector_add: %s '%s': give a whole number from 1 to %ld\n", what, text,
                most);
        exit(2);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    if (argc > 3) {
        fprintf(stderr, "usage: vector_add [ELEMENTS [THREADS OF A BLOCK]]\n");
        return 2;
    }
    int n = argc > 1 ? number(argv[1], "elements", 1L << 28) : 1000000;
    int threads = argc > 2 ? number(argv[2], "threads of a block", 1L << 20) : 256;
    int blocks = (n + threads - 1) / threads;

    float *a = (float *)malloc(n * sizeof(float));
    float *b = (float *)malloc(n * sizeof(float));
    float *c = (float *)malloc(n * sizeof(float));
    if (!a || !b || !c) {
        fprintf(stderr, "vector_add: no memory for 3 x %d floats\n", n);
        return 2;
    }
    for (int i = 0; i < n; i++) {
        a[i] = (float)(i % 1000);
        b[i] = (float)(i % 7);
        c[i] = -1.0f; /* no sum is negative: an element that no thread wrote is found */
    }
    printf("vector_add: %d elements, %d blocks of %d threads: %lld threads without an element\n", n,
           blocks, threads, (long long)blocks * threads - n);
    add_on_gpu(a, b, c, n, threads);

    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += c[i] != a[i] + b[i];
    printf("c[0] = %g, c[%d] = %g; wrong elements: %d\n", c[0], n - 1, c[n - 1], wrong);
    free(a);
    free(b);
    free(c);
    return wrong == 0 ? 0 : 1;
}
