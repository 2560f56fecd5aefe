/* What SIMT_REPORT=lines prints of a kernel that is launched in two shapes: of the one that is measured
 * the counts, of the warm-up none. expected/lines_report.txt. */
#include "tests/frontend/check.h"

__global__ void copy(float *to, const float *from, int last)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= last)
        to[i] = from[i];
}

int main(void)
{
    float *from = make_array<float>(4096), *to = make_array<float>(4096), ms = 0;
    cudaEvent_t begin, end;
    CHECK_CUDA(cudaEventCreate(&begin));
    CHECK_CUDA(cudaEventCreate(&end));
    copy<<<8, 64>>>(to, from, 511);
    CHECK_CUDA(cudaEventRecord(begin));
    for (int i = 0; i < 2; i++)
        copy<<<2, 64>>>(to, from, 127);
    CHECK_CUDA(cudaEventRecord(end));
    CHECK_CUDA(cudaEventSynchronize(end));
    CHECK_CUDA(cudaEventElapsedTime(&ms, begin, end));
    return check_done();
}
