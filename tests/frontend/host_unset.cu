/* A program may print what malloc(), new and a cudaMallocHost() array hold before a kernel has
 * filled them: it goes on behind that, with whatever was there. */
#include "check.h"

__global__ void fill_with_ones(int *array, int count)
{
    if (threadIdx.x < count)
        array[threadIdx.x] = 1;
}

/* The characters that it takes to print the array. */
static int print(const int *array, int count)
{
    char text[32];
    int characters = 0;
    for (int i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%d ", array[i]);
        characters += (int)strlen(text);
    }
    return characters;
}

int main(void)
{
    const int count = 64;
    int *plain = (int *)malloc(count * sizeof(int)), *made = new int[count], *device;
    CHECK_CUDA(cudaMalloc(&device, count * sizeof(int)));
    CHECK(print(plain, count) >= 2 * count);
    CHECK(print(made, count) >= 2 * count);
    fill_with_ones<<<1, count>>>(device, count);
    CHECK_CUDA(cudaMemcpy(plain, device, count * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(made, device, count * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK_INT(print(plain, count), 2 * count);
    CHECK_INT(print(made, count), 2 * count);
    CHECK_CUDA(cudaFree(device));
    free(plain);
    delete[] made;
    return check_done();
}
