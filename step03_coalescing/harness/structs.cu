/* structs.cu - launches of structs.cuh. Called by plan.c through struct_kernels(). */
#include <cuda_runtime.h>

#include "step03_coalescing/harness/lesson.h"
#include "step03_coalescing/structs.cuh"

enum { BLOCK = 256 };

template <typename T, void (*KERNEL)(T *, const T *, size_t)> static void launch(void *state)
{
    const struct trial *t = (const struct trial *)state;
    KERNEL<<<(unsigned)((t->n + BLOCK - 1) / BLOCK), BLOCK>>>((T *)t->d_out, (const T *)t->d_in,
                                                              t->n);
}

/* clang-format off */
static const struct kernel kernels[] = {
    {"aos_one_field", "structs", "array of structs, one field of eight", false,
     launch<struct particle, aos_one_field>, predict_aos_one_field, check_aos_one_field, 8},
    {"soa_one_field", "structs", "struct of arrays, one field of eight", false,
     launch<float, soa_one_field>, predict_soa_one_field, check_soa_one_field, 8},
    {"aos_all_fields", "structs", "array of structs, all fields", false,
     launch<struct particle, aos_all_fields>, predict_aos_all_fields, check_aos_all_fields, 64},
    {"aos_all_fields_float4", "structs", "the same array, 16 bytes at a time", false,
     launch<float4, aos_all_fields_float4>, predict_aos_all_fields_float4, check_aos_all_fields,
     64},
    {"soa_all_fields", "structs", "struct of arrays, all fields", false,
     launch<float, soa_all_fields>, predict_soa_all_fields, check_soa_all_fields, 64},
};
/* clang-format on */

const struct kernel *struct_kernels(size_t *count)
{
    *count = sizeof kernels / sizeof kernels[0];
    return kernels;
}
