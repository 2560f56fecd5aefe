/* Accesses that leave their memory: always told, with or without SIMT_CHECK. */
#include "mistakes.h"

#include <sys/mman.h>

template <bool right> __global__ void after_free(int *out, int n)
{
    int *p = (int *)malloc(4 * sizeof *p);
    p[n] = 7;
    for (int i = 0; i < 2; i++) {
        if (i == 1 && !right) {
            free(p);
        }
        out[threadIdx.x] = p[n]; // MISTAKE use_after_free_in_kernel freed
    }
    if (right) {
        free(p);
    }
}
TWINS(use_after_free_in_kernel) { after_free<right><<<1, 1>>>(buffer<int>(1), 0); }

__global__ void give_back(int *p) { free(p); } // MISTAKE kernel_frees_the_hosts cudaMalloc

__global__ void keep(int **out) { *out = (int *)malloc(16); }
TWINS(kernel_frees_the_hosts)
{
    int **p = buffer<int *>(1), *host;
    keep<<<1, 1>>>(p);
    must(cudaMemcpy(&host, p, sizeof host, cudaMemcpyDeviceToHost));
    give_back<<<1, 1>>>(host);
    must(cudaDeviceSynchronize());
    if (!right) {
        give_back<<<1, 1>>>(buffer<int>(4));
    }
}

TWINS(host_frees_the_kernels)
{
    int **p = buffer<int *>(1), *host;
    keep<<<1, 1>>>(p);
    must(cudaMemcpy(&host, p, sizeof host, cudaMemcpyDeviceToHost));
    give_back<<<1, 1>>>(host);
    must(cudaDeviceSynchronize());
    if (!right) {
        keep<<<1, 1>>>(p);
        must(cudaMemcpy(&host, p, sizeof host, cudaMemcpyDeviceToHost));
        if (cudaFree(host) != cudaSuccess) { // MISTAKE host_frees_the_kernels malloc
            exit(1);
        }
    }
}

typedef int (*narrow_fn)(int);
typedef int (*wide_fn)(double);
__device__ __noinline__ int narrow(int x) { return x + 1; }
__device__ narrow_fn table[2] = {narrow, narrow};
template <bool right> __global__ void call(int *out)
{
    if (right) {
        out[threadIdx.x] = table[out[threadIdx.x]](3);
    } else {
        wide_fn f = (wide_fn)table[out[threadIdx.x]];
        out[threadIdx.x] = f(3.0); // MISTAKE pointer_of_another_type type
    }
}
TWINS(pointer_of_another_type) { call<right><<<1, 4>>>(buffer<int>(4)); }

__global__ void wide_print(int width, int *out)
{
    printf("%*d %2000000000d\n", width, 5, 6);
    out[0] = 1;
    out[width > 1000] = 2; // MISTAKE printed_wide out.of.bounds
}
TWINS(printed_wide) { wide_print<<<1, 1>>>(right ? 12 : 2147483000, buffer<int>(1)); }

template <bool right> __global__ void past_the_end(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!right || i < n) {
        a[i] = i; // MISTAKE no_guard out.of.bounds
    }
}
TWINS(no_guard) { past_the_end<right><<<2, 64>>>(buffer<int>(100), 100); }

/* Memory of the host that is unmapped, and others that may lie in its place by now. */
__global__ void add_one(int *p) { p[threadIdx.x] += 1; } // MISTAKE registered_and_unmapped freed

TWINS(registered_and_unmapped)
{
    const size_t bytes = 65536;
    int *p = (int *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(cudaHostRegister(p, bytes, cudaHostRegisterMapped));
    if (right) {
        add_one<<<1, 32>>>(p);
        must(cudaDeviceSynchronize());
        must(cudaHostUnregister(p));
    }
    munmap(p, bytes);
    if (!right) {
        add_one<<<1, 32>>>(p);
        must(cudaDeviceSynchronize());
    }
}

TWINS(registered_and_freed)
{
    int *p = (int *)aligned_alloc(4096, 4096);
    must(cudaHostRegister(p, 4096, cudaHostRegisterMapped));
    if (!right) {
        free(p);
    }
    cudaError_t code = cudaMemset(p, 0, 4096); // MISTAKE registered_and_freed freed
    must(code);
    must(cudaHostUnregister(p));
    if (right) { /* it is ordinary memory again */
        must(cudaMemcpy(buffer<int>(1024), p, 4096, cudaMemcpyHostToDevice));
        free(p);
    }
}
