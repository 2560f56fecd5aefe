/* occupancy_of_kernels.c - holds common/gpu/occupancy.c to the CUDA driver for every kernel there is.
 *
 * Needs a GPU; occupancy_of_kernels.sh builds it and runs it. Each argument is a cubin; of each
 * kernel in it, at many block sizes and shared memory sizes, the blocks per SM are computed and
 * asked for. Exit code 1 if one differs. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cuda_check.h"
#include "common/device_limits.h"
#include "common/gpu/occupancy.h"

enum { KERNELS_MAX = 4096 };

static void driver_check(CUresult result, const char *call, int line)
{
    const char *text = "unknown error";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorString(result, &text);
    fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, line, call, text);
    exit(2);
}

#define DRIVER_CHECK(call) driver_check((call), #call, __LINE__)

static unsigned attribute(CUfunction kernel, CUfunction_attribute which)
{
    int value;
    DRIVER_CHECK(cuFuncGetAttribute(&value, which, kernel));
    return (unsigned)value;
}

/* Returns whether both agree; one line if not. */
static int compare(CUfunction kernel, const struct gpu_limits *g, const struct occupancy_request *r)
{
    struct occupancy o;
    const char *name;
    int blocks;
    occupancy_compute(g, r, &o);
    DRIVER_CHECK(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    (int)r->dynamic_shared_bytes));
    DRIVER_CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, kernel, (int)r->threads_per_block, r->dynamic_shared_bytes));
    if (blocks == (int)o.blocks_per_sm)
        return 1;
    DRIVER_CHECK(cuFuncGetName(&name, kernel));
    printf("%s: %u threads, %u registers, %llu + %llu B: computed %u, driver %d\n", name,
           r->threads_per_block, r->registers_per_thread,
           (unsigned long long)r->static_shared_bytes, (unsigned long long)r->dynamic_shared_bytes,
           o.blocks_per_sm, blocks);
    return 0;
}

struct tally {
    int kernels, configurations, equal;
};

static void compare_kernel(CUfunction kernel, const struct gpu_limits *g, struct tally *t)
{
    struct occupancy_request r = {0, 0, 0, 0};
    unsigned most_threads = attribute(kernel, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    r.registers_per_thread = attribute(kernel, CU_FUNC_ATTRIBUTE_NUM_REGS);
    r.static_shared_bytes = attribute(kernel, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    uint64_t most_shared = g->shared_bytes_per_block_opt_in - r.static_shared_bytes;
    const uint64_t shared[] = {0, 4096, most_shared / 3, most_shared};
    t->kernels++;
    for (r.threads_per_block = 32; r.threads_per_block <= most_threads; r.threads_per_block += 32)
        for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
            r.dynamic_shared_bytes = shared[i];
            t->configurations++;
            t->equal += compare(kernel, g, &r);
        }
}

static void compare_file(const char *path, const struct gpu_limits *g, struct tally *t)
{
    static CUfunction kernels[KERNELS_MAX];
    CUmodule module;
    unsigned count;
    DRIVER_CHECK(cuModuleLoad(&module, path));
    DRIVER_CHECK(cuModuleGetFunctionCount(&count, module));
    if (count > KERNELS_MAX) {
        fprintf(stderr, "%s: %u kernels, at most %d are read\n", path, count, KERNELS_MAX);
        exit(2);
    }
    DRIVER_CHECK(cuModuleEnumerateFunctions(kernels, count, module));
    for (unsigned i = 0; i < count; i++) {
        DRIVER_CHECK(cuFuncLoad(kernels[i]));
        compare_kernel(kernels[i], g, t);
    }
    DRIVER_CHECK(cuModuleUnload(module));
}

int main(int argc, char **argv)
{
    struct gpu_limits g;
    struct tally t = {0, 0, 0};
    CUDA_CHECK(cudaSetDevice(0)); /* also makes the context that the driver's calls need */
    device_limits(0, &g);
    for (int i = 1; i < argc; i++)
        compare_file(argv[i], &g, &t);
    printf("%s: %d kernels, %d of %d configurations equal the driver's\n", g.name, t.kernels,
           t.equal, t.configurations);
    if (t.kernels == 0)
        fprintf(stderr, "no kernel: give cubin files\n");
    return t.kernels == 0 ? 2 : t.equal < t.configurations;
}
