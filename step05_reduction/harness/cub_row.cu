/* cub_row.cu - the reference row: cub::DeviceReduce, from the CUDA Toolkit's own headers.
 *
 * Only where those headers are, and not on the simulator, which runs the lesson's own kernels. CUB
 * asks for working memory once, before anything is timed, as our rungs do; the timed call is then
 * all that a caller has to do for one reduction. */
#include "step05_reduction/harness/reduction.h"

#if __has_include(<cub/cub.cuh>) && !defined(SIMT)

#include <cub/cub.cuh>

#include "common/cuda_check.h"
#include "step05_reduction/ops.cuh"

/* With d_temp NULL this launches nothing, but says how much it needs in temp_bytes. */
template <typename T, typename OP> static void launch_cub(struct reduction *r);

#define LAUNCH_CUB(type, op, Function)                                                             \
    template <> void launch_cub<type, op<type>>(struct reduction * r)                              \
    {                                                                                              \
        CUDA_CHECK(cub::DeviceReduce::Function(r->d_temp, r->temp_bytes, (const type *)r->d_in,    \
                                               (type *)r->d_out, (int)r->n));                      \
    }
LAUNCH_CUB(int, op_sum, Sum)
LAUNCH_CUB(int, op_min, Min)
LAUNCH_CUB(int, op_max, Max)
LAUNCH_CUB(float, op_sum, Sum)
LAUNCH_CUB(float, op_min, Min)
LAUNCH_CUB(float, op_max, Max)
LAUNCH_CUB(double, op_sum, Sum)
LAUNCH_CUB(double, op_min, Min)
LAUNCH_CUB(double, op_max, Max)
#undef LAUNCH_CUB

/* In which order CUB adds is not ours to know: the bound is the one that holds for any order. */
static double depth_of_any_order(const struct reduction *r, enum reduction_type)
{
    return (double)r->n - 1;
}

size_t cub_rungs(const struct rung **rungs)
{
    static const struct rung table[] = {
        {"cub_device_reduce", "the reference: cub::DeviceReduce of the CUDA Toolkit", false, true,
         512, 0, FOR_EVERY_TYPE_AND_OP(launch_cub), depth_of_any_order},
    };
    *rungs = table;
    return sizeof table / sizeof table[0];
}

#else

size_t cub_rungs(const struct rung **rungs)
{
    *rungs = NULL;
    return 0;
}

#endif
