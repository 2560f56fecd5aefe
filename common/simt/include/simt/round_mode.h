/* simt/round_mode.h - the direction of rounding that a conversion to 6 or 4 bits names: NVIDIA's
 * headers know two, to nearest and toward zero. For cuda_fp6.h and cuda_fp4.h. */
#ifndef SIMT_ROUND_MODE_H
#define SIMT_ROUND_MODE_H

#include "device_types.h"
#include "simt/small_float.h"

SIMT_BOTH simt_rounding simt_round_mode(enum cudaRoundMode mode)
{
    return mode == cudaRoundNearest ? simt_to_nearest : simt_to_zero;
}

#endif
