/* simt/xorwow_jumps.h - the step of XORWOW, and many steps at once.
 *
 * A step is linear in the state's 160 bits: 2^k steps are a matrix of bits, each the square of the
 * one before. The host computes them when the program starts (a few milliseconds), for k below 64
 * and, where subsequences begin, from 67; kernels multiply by those that the distance has bits for.
 */
#ifndef SIMT_XORWOW_JUMPS_H
#define SIMT_XORWOW_JUMPS_H

#include "device.h"

enum { SIMT_XORWOW_BITS = 64, SIMT_XORWOW_SEQUENCE = 67 };

/* Row i is what becomes of a state that has bit i alone. */
struct simt_xorwow_matrix {
    unsigned int rows[160][5];
};
__managed__ __attribute__((weak)) simt_xorwow_matrix simt_xorwow_jumps[2 * SIMT_XORWOW_BITS];

SIMT_BOTH void simt_xorwow_step(unsigned int v[5])
{
    unsigned int t = v[0] ^ v[0] >> 2;
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
}

/* The state times the matrix. */
SIMT_BOTH_LONG void simt_xorwow_multiply(unsigned int v[5], const simt_xorwow_matrix *m)
{
    unsigned int result[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 160; i++) {
        unsigned int all = 0u - (v[i / 32] >> i % 32 & 1); /* all bits or none */
        for (int k = 0; k < 5; k++) {
            result[k] ^= m->rows[i][k] & all;
        }
    }
    for (int k = 0; k < 5; k++) {
        v[k] = result[k];
    }
}

static __inline__ __device__ void simt_xorwow_jump(unsigned int v[5], unsigned long long distance,
                                                   const simt_xorwow_matrix *jumps)
{
    for (int bit = 0; distance != 0; bit++, distance >>= 1) {
        if (distance & 1) {
            simt_xorwow_multiply(v, &jumps[bit]);
        }
    }
}

#ifndef __CUDA_ARCH__
static void __attribute__((constructor)) simt_xorwow_begin(void)
{
    simt_xorwow_matrix m;
    for (int i = 0; i < 160; i++) {
        unsigned int v[5] = {0, 0, 0, 0, 0};
        v[i / 32] = 1u << i % 32;
        simt_xorwow_step(v);
        __builtin_memcpy(m.rows[i], v, sizeof v);
    }
    for (int bit = 0; bit < SIMT_XORWOW_SEQUENCE + SIMT_XORWOW_BITS; bit++) {
        if (bit < SIMT_XORWOW_BITS) {
            simt_xorwow_jumps[bit] = m;
        } else if (bit >= SIMT_XORWOW_SEQUENCE) {
            simt_xorwow_jumps[SIMT_XORWOW_BITS + bit - SIMT_XORWOW_SEQUENCE] = m;
        }
        simt_xorwow_matrix once = m;
        for (int i = 0; i < 160; i++) {
            simt_xorwow_multiply(m.rows[i], &once);
        }
    }
}
#endif

#endif
