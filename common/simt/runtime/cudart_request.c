/* cudart_request.c - which launches a card rejects, and what may have been meant. See
 * cudart_request.h. */
#include "runtime/cudart_request.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/gpu/occupancy.h"
#include "runtime/cudart_cluster.h"
#include "runtime/registry.h"

enum { WARP_THREADS = 32 };

static cudaError_t check_grid(const struct request *r)
{
    const struct gpu_limits *g = runtime_limits();
    if (r->grid.x == 0 || r->grid.y == 0 || r->grid.z == 0) {
        return cuda_error_saying(cudaErrorInvalidValue, r->kernel->plain,
                                 "a grid of %u x %u x %u blocks is empty", r->grid.x, r->grid.y,
                                 r->grid.z);
    }
    if (r->grid.x > g->max_grid_dim[0] || r->grid.y > g->max_grid_dim[1] ||
        r->grid.z > g->max_grid_dim[2]) {
        return cuda_error_saying(cudaErrorInvalidValue, r->kernel->plain,
                                 "a grid of %u x %u x %u blocks: at most %u x %u x %u on %s",
                                 r->grid.x, r->grid.y, r->grid.z, g->max_grid_dim[0],
                                 g->max_grid_dim[1], g->max_grid_dim[2], g->name);
    }
    return cudaSuccess;
}

static bool fits_block(const struct request *r, dim3 block)
{
    const struct gpu_limits *g = runtime_limits();
    return block.x <= g->max_block_dim[0] && block.y <= g->max_block_dim[1] &&
           block.z <= g->max_block_dim[2] &&
           (uint64_t)block.x * block.y * block.z <= r->kernel->attributes.max_threads_per_block;
}

/* Of a block that is too large: what to say if <<<block, grid>>> was written for <<<grid, block>>>.
 * A grid of less than a warp would make odd blocks, so there nothing is suspected. */
static const char *swapped(const struct request *r, char *text, size_t size)
{
    const struct gpu_limits *g = runtime_limits();
    const dim3 blocks = r->block, threads = r->grid; /* the other way round */
    text[0] = '\0';
    if ((uint64_t)threads.x * threads.y * threads.z >= WARP_THREADS && fits_block(r, threads) &&
        blocks.x <= g->max_grid_dim[0] && blocks.y <= g->max_grid_dim[1] &&
        blocks.z <= g->max_grid_dim[2]) {
        snprintf(text, size,
                 "; are grid and block swapped? The other way round, %u x %u x %u blocks of "
                 "%u x %u x %u threads, it could run",
                 blocks.x, blocks.y, blocks.z, threads.x, threads.y, threads.z);
    }
    return text;
}

static cudaError_t check_block(const struct request *r)
{
    const struct gpu_limits *g = runtime_limits();
    char hint[200];
    const char *name = r->kernel->plain;
    dim3 block = r->block;
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (block.x == 0 || block.y == 0 || block.z == 0) {
        return cuda_error_saying(cudaErrorInvalidValue, name,
                                 "a block of %u x %u x %u threads is empty", block.x, block.y,
                                 block.z);
    }
    if (block.x > g->max_block_dim[0] || block.y > g->max_block_dim[1] ||
        block.z > g->max_block_dim[2] || threads > g->max_threads_per_block) {
        return cuda_error_saying(
            cudaErrorInvalidValue, name,
            "a block of %u x %u x %u threads: at most %u x %u x %u and %u in all "
            "on %s%s",
            block.x, block.y, block.z, g->max_block_dim[0], g->max_block_dim[1],
            g->max_block_dim[2], g->max_threads_per_block, g->name, swapped(r, hint, sizeof hint));
    }
    if (threads > r->kernel->attributes.max_threads_per_block) {
        return cuda_error_saying(cudaErrorInvalidValue, name,
                                 "a block of %" PRIu64 " threads: its __launch_bounds__ allow %u%s",
                                 threads, r->kernel->attributes.max_threads_per_block,
                                 swapped(r, hint, sizeof hint));
    }
    return cudaSuccess;
}

static cudaError_t check_shared(const struct request *r)
{
    const struct CUkern_st *k = r->kernel;
    if (r->shared_bytes <= k->max_dynamic_shared) {
        return cudaSuccess;
    }
    const struct gpu_limits *g = runtime_limits();
    return cuda_error_saying(
        cudaErrorInvalidValue, k->plain,
        "%zu bytes of dynamic shared memory: %" PRIu64 " are allowed beside %" PRIu64
        " static ones (cudaFuncSetAttribute can raise the sum to %u on %s)",
        r->shared_bytes, k->max_dynamic_shared, k->attributes.static_shared_bytes,
        g->shared_bytes_per_block_opt_in, g->name);
}

/* grid.sync() needs all blocks on the GPU at the same time. */
static cudaError_t check_cooperative(const struct request *r)
{
    const struct gpu_limits *g = runtime_limits();
    struct occupancy_request request = {
        .threads_per_block = r->block.x * r->block.y * r->block.z,
        .registers_per_thread = r->kernel->attributes.registers,
        .static_shared_bytes = r->kernel->attributes.static_shared_bytes,
        .dynamic_shared_bytes = r->shared_bytes,
    };
    struct occupancy o;
    occupancy_compute(g, &request, &o);
    uint64_t resident = (uint64_t)o.blocks_per_sm * g->sm_count;
    uint64_t blocks = (uint64_t)r->grid.x * r->grid.y * r->grid.z;
    if (blocks > resident) {
        return cuda_error_saying(cudaErrorCooperativeLaunchTooLarge, r->kernel->plain,
                                 "a cooperative grid of %" PRIu64 " blocks: %s holds %" PRIu64
                                 " of them at a time",
                                 blocks, g->name, resident);
    }
    return cudaSuccess;
}

cudaError_t request_check(const struct request *r)
{
    cudaError_t code = check_grid(r);
    AND_THEN(code, check_block(r));
    AND_THEN(code, check_shared(r));
    code = code == cudaSuccess && r->cluster.x != 0 ? cluster_check(r) : code;
    code = code == cudaSuccess && r->cooperative ? check_cooperative(r) : code;
    return code;
}
