// A block of a cluster ends while another one uses its shared memory
// races
// Cure: `cluster.sync()` as the last thing that all blocks of the cluster do: shared memory is gone with its block.
/* flags: -arch=sm_90 */
#include <cooperative_groups.h>
__global__ void __cluster_dims__(2) total(int *out)
{
    __shared__ int sum;
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) {
        sum = 0;
    }
    cluster.sync();
    if (cluster.block_rank() == 1) {
        atomicAdd(cluster.map_shared_rank(&sum, 0), 1);
    }
}
int main()
{
    int *a;
    cudaMalloc(&a, sizeof *a);
    total<<<2, 32>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}
