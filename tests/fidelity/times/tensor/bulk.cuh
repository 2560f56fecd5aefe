/* bulk.cuh - what wgmma and the bulk engines want: descriptors, mbarriers, tensor maps. */
#ifndef TIMES_BULK_CUH
#define TIMES_BULK_CUH

#include "times.h"

#include <cuda.h>

typedef unsigned long long u64;

__device__ static unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* Rows of 128 bytes, swizzled; the next eight 1024 bytes further. */
__device__ static u64 describe(unsigned shared)
{
    return (u64)(shared >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

__device__ static void open(u64 *barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
                 : "memory");
}

__device__ static void expect(u64 *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

__device__ static void wait(u64 *barrier, unsigned parity)
{
    asm volatile("{\n.reg .pred done;\nagain:\n"
                 "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                 "@!done bra again;\n}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

__device__ static void bring(void *to, const CUtensorMap *map, int x, int y, u64 *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(to)),
                 "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y)
                 : "memory");
}

static CUtensorMap map_of(const void *array, CUtensorMapDataType type, unsigned width,
                          unsigned height, unsigned row_bytes, unsigned box_x, unsigned box_y,
                          CUtensorMapSwizzle swizzle)
{
    typedef CUresult (*encoder)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    void *function = NULL;
    cudaDriverEntryPointQueryResult found;
    CUtensorMap map;
    const cuuint64_t size[] = {width, height}, strides[] = {row_bytes};
    const cuuint32_t box[] = {box_x, box_y}, steps[] = {1, 1};
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                cudaEnableDefault, &found));
    if (((encoder)function)(&map, type, 2, (void *)array, size, strides, box, steps,
                            CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
        fprintf(stderr, "times: a tensor map was rejected\n");
        exit(2);
    }
    return map;
}

#endif
