/* cufftXt.h - of cuFFT's extended functions those that the simulator has: see cufft.h. */
#ifndef SIMT_CUFFTXT_H
#define SIMT_CUFFTXT_H
#define _CUFFTXT_H_

#include "cufft.h"

#ifdef __cplusplus
extern "C" {
#endif

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n,
                                long long int *inembed, long long int istride, long long int idist,
                                cudaDataType inputtype, long long int *onembed,
                                long long int ostride, long long int odist, cudaDataType outputtype,
                                long long int batch, size_t *workSize, cudaDataType executiontype);

#ifdef __cplusplus
}
#endif

#endif
