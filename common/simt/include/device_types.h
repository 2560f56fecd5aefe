/* device_types.h - directions of rounding, as conversions name them. */
#ifndef SIMT_DEVICE_TYPES_H
#define SIMT_DEVICE_TYPES_H

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

#endif
