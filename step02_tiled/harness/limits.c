/* limits.c - memory as the limit of parallelism, on a small SM that one can compute by hand.
 *
 * The SM of the textbooks: 1536 threads, 16,384 registers, 16 KB of shared memory, 8 blocks. All
 * figures come from common/gpu/occupancy, which also describes real GPUs. Called for --limits. */
#include <stdio.h>

#include "common/gpu/gpu_limits.h"
#include "common/gpu/occupancy.h"
#include "step02_tiled/lesson.h"

static struct occupancy print_case(const struct gpu_limits *g, unsigned threads, unsigned registers,
                                   uint64_t shared_bytes)
{
    const struct occupancy_request request = {threads, registers, shared_bytes, 0};
    struct occupancy o;
    char limiters[64];
    occupancy_compute(g, &request, &o);
    printf("  %7u  %9u  %6llu B  %6u  %7u  %s\n", threads, registers,
           (unsigned long long)shared_bytes, o.blocks_per_sm, o.threads_per_sm,
           occupancy_limiters(&o, limiters, sizeof limiters));
    return o;
}

void limits_print(void)
{
    const struct gpu_limits *g = gpu_limits_find("textbook");
    const uint64_t tile_bytes = 2 * 16 * 16 * sizeof(float); /* a tile of A and one of B */

    printf("A multiprocessor of %u threads, %u registers, %u bytes of shared\n"
           "memory and %u block slots. All its threads at once leave\n%u / %u = %u registers for "
           "each.\n\n",
           g->max_threads_per_sm, g->registers_per_sm, g->shared_bytes_per_sm, g->max_blocks_per_sm,
           g->registers_per_sm, g->max_threads_per_sm, g->registers_per_sm / g->max_threads_per_sm);
    printf("  threads  registers    shared  blocks  threads  limited by\n"
           "  a block   a thread   a block   an SM    an SM\n");
    print_case(g, 512, 10, 0);
    print_case(g, 512, 11, 0);
    print_case(g, 64, 10, 2048);
    print_case(g, 64, 10, 5120);
    const struct occupancy tiled = print_case(g, 16 * 16, 10, tile_bytes);
    printf("\nThe last row is matmul_tiled_16: 2 x 16 x 16 floats are %llu bytes, %u blocks\n"
           "use %llu of the %u bytes.\n",
           (unsigned long long)tile_bytes, tiled.blocks_per_sm,
           (unsigned long long)(tile_bytes * tiled.blocks_per_sm), g->shared_bytes_per_sm);
}
