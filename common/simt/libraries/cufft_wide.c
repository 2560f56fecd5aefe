/* cufft_wide.c - plans of our cuFFT whose sizes have 64 bits or whose types are named one by one.
 */
#include "include/cufftXt.h"

#include <limits.h>
#include <stdbool.h>

#include "runtime/library.h"

enum { AXES = 3 };

/* false: a size that no array here has. */
static bool narrowed(const long long *from, int rank, int to[AXES])
{
    for (int i = 0; i < rank; i++) {
        if (from[i] < 0 || from[i] > INT_MAX) {
            return false;
        }
        to[i] = (int)from[i];
    }
    return true;
}

static bool fits(long long value) { return value >= 0 && value <= INT_MAX; }

cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long *n, long long *inembed,
                                long long istride, long long idist, long long *onembed,
                                long long ostride, long long odist, cufftType type, long long batch,
                                size_t *workSize)
{
    int sizes[AXES], in[AXES], out[AXES];
    if (rank < 1 || rank > AXES || n == NULL || !narrowed(n, rank, sizes) ||
        (inembed != NULL && !narrowed(inembed, rank, in)) ||
        (onembed != NULL && !narrowed(onembed, rank, out)) || !fits(istride) || !fits(idist) ||
        !fits(ostride) || !fits(odist) || !fits(batch)) {
        return CUFFT_INVALID_SIZE;
    }
    return cufftMakePlanMany(plan, rank, sizes, inembed != NULL ? in : NULL, (int)istride,
                             (int)idist, onembed != NULL ? out : NULL, (int)ostride, (int)odist,
                             type, (int)batch, workSize);
}

static const struct {
    cudaDataType in, out;
    cufftType type;
} types[] = {
    {CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUFFT_R2C},
    {CUDA_C_32F, CUDA_R_32F, CUFFT_C2R}, {CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
    {CUDA_R_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUFFT_Z2D},
};

/* Numbers are double here, whatever executiontype says. */
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed,
                                long long istride, long long idist, cudaDataType inputtype,
                                long long *onembed, long long ostride, long long odist,
                                cudaDataType outputtype, long long batch, size_t *workSize,
                                cudaDataType executiontype)
{
    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].in == inputtype && types[i].out == outputtype) {
            return cufftMakePlanMany64(plan, rank, n, inembed, istride, idist, onembed, ostride,
                                       odist, types[i].type, batch, workSize);
        }
    }
    simt_library_say("cufftXtMakePlanMany",
                     "transforms of float and double are simulated, not of types %d and %d",
                     (int)inputtype, (int)outputtype);
    return CUFFT_NOT_SUPPORTED;
}
