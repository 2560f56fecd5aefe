/* maps.cu - runs the kernels of warp_map.cuh. */
#include <cuda_runtime.h>
#include <stdlib.h>

#include "common/cuda_check.h"
#include "step04_divergence/harness/lesson.h"
#include "step04_divergence/warp_map.cuh"

void map_run(struct shape s, bool sabotaged, struct placed *found)
{
    const dim3 block(s.x, s.y, s.z);
    const size_t bytes = shape_threads(s) * sizeof *found;
    struct placed *d_found;
    CUDA_CHECK(cudaMalloc((void **)&d_found, bytes));
    cuda_poison(d_found, bytes);
    if (sabotaged)
        warp_map_y_first<<<1, block>>>(d_found);
    else
        warp_map<<<1, block>>>(d_found);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(found, d_found, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_found));
}
