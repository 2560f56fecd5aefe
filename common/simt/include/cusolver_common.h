/* cusolver_common.h - a name that programs include; cusolverDn.h has its contents. */
#ifndef SIMT_CUSOLVER_COMMON_H
#define SIMT_CUSOLVER_COMMON_H

#include "cusolverDn.h"

#endif
