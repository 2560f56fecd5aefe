/* element.c - see element.h. */
#include "libraries/element.h"

#include <string.h>

unsigned element_size(cudaDataType type)
{
    switch (type) {
    case CUDA_R_64F:
        return 8;
    case CUDA_R_32F:
    case CUDA_R_32I:
        return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_8I:
        return 1;
    default:
        return 0;
    }
}

static double load_bfloat(const void *at)
{
    uint16_t half;
    float value;
    memcpy(&half, at, sizeof half);
    const uint32_t bits = (uint32_t)half << 16;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* To the nearest, ties to even; what is no number stays none. */
static void store_bfloat(void *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t rounded = bits + 0x7fffu + (bits >> 16 & 1);
    const uint16_t half = (uint16_t)((value != value ? bits | 0x400000u : rounded) >> 16);
    memcpy(at, &half, sizeof half);
}

double element_load(cudaDataType type, const void *array, int64_t index)
{
    switch (type) {
    case CUDA_R_64F:
        return ((const double *)array)[index];
    case CUDA_R_32F:
        return (double)((const float *)array)[index];
    case CUDA_R_16F:
        return (double)((const _Float16 *)array)[index];
    case CUDA_R_16BF:
        return load_bfloat((const uint16_t *)array + index);
    case CUDA_R_32I:
        return (double)((const int32_t *)array)[index];
    default:
        return (double)((const int8_t *)array)[index];
    }
}

void element_store(cudaDataType type, void *array, int64_t index, double value)
{
    switch (type) {
    case CUDA_R_64F:
        ((double *)array)[index] = value;
        break;
    case CUDA_R_32F:
        ((float *)array)[index] = (float)value;
        break;
    case CUDA_R_16F:
        ((_Float16 *)array)[index] = (_Float16)value;
        break;
    case CUDA_R_16BF:
        store_bfloat((uint16_t *)array + index, (float)value);
        break;
    case CUDA_R_32I:
        ((int32_t *)array)[index] = (int32_t)value;
        break;
    default:
        ((int8_t *)array)[index] = (int8_t)value;
        break;
    }
}
