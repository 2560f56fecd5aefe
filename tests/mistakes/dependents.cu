/* dependents.cu - launches with programmatic stream serialization: the second kernel begins before the first one has
 * ended, and does not wait for it (griddepcontrol.wait) where it uses what the first one uses. */
/* flags: -arch=sm_90 -std=c++17 */
#include "mistakes.h"

enum { N = 256, THREADS = 128 };

#define I ((int)(blockIdx.x * blockDim.x + threadIdx.x))

/* Of a launch that may begin before the launch before it has ended. */
static const cudaLaunchConfig_t *early()
{
    static cudaLaunchAttribute attribute;
    static cudaLaunchConfig_t config;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = N / THREADS;
    config.blockDim = THREADS;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return &config;
}
#define LAUNCH_EARLY(...) must(cudaLaunchKernelEx(early(), __VA_ARGS__))

/* --- the second kernel reads what the first one writes ------------------------------------------- */

__global__ void fill_and_let_go(int *a)
{
    a[I] = I;
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void fill(int *a) { a[I] = I; }

template <bool right> __global__ void twice(const int *a, int *out)
{
    if (right) {
        cudaGridDependencySynchronize();
    }
    out[I] = 2 * a[I];
}

TWINS(read_without_wait)
{
    int *a = buffer<int>(N), *out = buffer<int>(N);
    fill_and_let_go<<<N / THREADS, THREADS>>>(a);
    LAUNCH_EARLY(twice<right>, a, out); // MISTAKE read_without_wait cudaGridDependencySynchronize
}

/* The first kernel lets nobody go: the second one begins behind its blocks, but need not see what they stored. */
TWINS(read_without_flush)
{
    int *a = buffer<int>(N), *out = buffer<int>(N);
    fill<<<N / THREADS, THREADS>>>(a);
    LAUNCH_EARLY(twice<right>, a, out); // MISTAKE read_without_flush cudaGridDependencySynchronize
}

/* A load stands before the wait, and the rest behind it. */
template <bool right> __global__ void early_load(const int *a, int *out)
{
    int first = right ? 0 : a[I];
    cudaGridDependencySynchronize();
    out[I] = a[N - 1 - I] + (right ? a[I] : first);
}
TWINS(load_before_wait)
{
    int *a = buffer<int>(N), *out = buffer<int>(N);
    fill_and_let_go<<<N / THREADS, THREADS>>>(a);
    LAUNCH_EARLY(early_load<right>, a, out); // MISTAKE load_before_wait cudaGridDependencySynchronize
}

/* One thread waits for all of its block: that takes a barrier. */
template <bool right> __global__ void one_waits(const int *a, int *out)
{
    if (threadIdx.x == 0) {
        cudaGridDependencySynchronize();
    }
    if (right) {
        __syncthreads();
    }
    out[I] = a[I];
}
TWINS(one_thread_waits)
{
    int *a = buffer<int>(N), *out = buffer<int>(N);
    fill_and_let_go<<<N / THREADS, THREADS>>>(a);
    LAUNCH_EARLY(one_waits<right>, a, out); // MISTAKE one_thread_waits cudaGridDependencySynchronize
}

/* --- the second kernel writes what the first one reads or writes ---------------------------------- */

/* The wrong one reads when the next kernel may have begun; the right one before. */
template <bool right> __global__ void copy_and_let_go(const int *a, int *out)
{
    if (!right) {
        cudaTriggerProgrammaticLaunchCompletion();
    }
    out[I] = a[I];
    if (right) {
        cudaTriggerProgrammaticLaunchCompletion();
    }
}

TWINS(written_while_read)
{
    int *a = buffer<int>(N), *out = buffer<int>(N);
    copy_and_let_go<right><<<N / THREADS, THREADS>>>(a, out);
    LAUNCH_EARLY(fill, a); // MISTAKE written_while_read cudaGridDependencySynchronize
}

template <bool right> __global__ void fill_again(int *a)
{
    if (right) {
        cudaGridDependencySynchronize();
    }
    a[I] = 7;
}
TWINS(written_while_written)
{
    int *a = buffer<int>(N);
    fill_and_let_go<<<N / THREADS, THREADS>>>(a);
    LAUNCH_EARLY(fill_again<right>, a); // MISTAKE written_while_written cudaGridDependencySynchronize
}

/* --- three kernels ---------------------------------------------------------------------------------- */

/* In the middle, with data of its own; the wrong one ends before the first kernel may have ended, and so the third one
 * begins while the first one runs. */
template <bool right> __global__ void middle(int *own)
{
    if (right) {
        cudaGridDependencySynchronize();
    }
    cudaTriggerProgrammaticLaunchCompletion();
    own[I] = 1;
}

__global__ void add_early(const int *a, int *out) { out[I] += a[I]; }

TWINS(read_behind_two)
{
    int *a = buffer<int>(N), *own = buffer<int>(N), *out = buffer<int>(N);
    fill_and_let_go<<<N / THREADS, THREADS>>>(a);
    LAUNCH_EARLY(middle<right>, own);
    LAUNCH_EARLY(add_early, a, out); // MISTAKE read_behind_two cudaGridDependencySynchronize
}

/* Behind a fill, the attribute changes nothing. */
TWINS(not_behind_copy)
{
    int *a = buffer<int>(N), *out = buffer<int>(N);
    fill<<<N / THREADS, THREADS>>>(a);
    if (right) {
        must(cudaMemsetAsync(a, 0, N * sizeof *a)); // a launch behind a fill begins behind it
    }
    LAUNCH_EARLY(early_load<false>, a, out); // MISTAKE not_behind_copy cudaGridDependencySynchronize
}
