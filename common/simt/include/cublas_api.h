/* cublas_api.h - a name that programs include; cublas_v2.h has its contents. */
#ifndef SIMT_CUBLAS_API_H
#define SIMT_CUBLAS_API_H

#include "cublas_v2.h"

#endif
