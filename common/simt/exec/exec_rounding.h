/* exec_rounding.h - the direction in which this thread rounds, for instructions that name one.
 *
 * An instruction's loop stands between round_as() and round_as_usual(). fesetround() sets the x87's
 * direction, too, which nothing here computes with: interval arithmetic, whose every instruction
 * names a direction, spent half of its time in it. */
#ifndef SIMT_EXEC_ROUNDING_H
#define SIMT_EXEC_ROUNDING_H

#include "decode/kernel.h"

#if defined __x86_64__

/* Bits 13 and 14 of MXCSR, by enum insn_rounding (Intel SDM volume 1, 10.2.3). */
static const uint32_t mxcsr_rounding[] = {0, 3u << 13, 1u << 13, 2u << 13};

/* What is computed before the call is rounded as before it, since the clobber keeps its stores
 * in front of the call and the loads of what comes next behind it. */
static inline void set_rounding(unsigned rounding)
{
    uint32_t now;
    __asm__ volatile("stmxcsr %0" : "=m"(now)::"memory");
    now = (now & ~(3u << 13)) | mxcsr_rounding[rounding];
    __asm__ volatile("ldmxcsr %0" ::"m"(now) : "memory");
}

#else
#include <fenv.h>

static inline void set_rounding(unsigned rounding)
{
    static const int host_rounding[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    fesetround(host_rounding[rounding]);
}

#endif

static inline void round_as(unsigned rounding)
{
    if (rounding != ROUND_NEAREST) {
        set_rounding(rounding);
    }
}

/* After round_as(rounding): to the nearest again. */
static inline void round_as_usual(unsigned rounding)
{
    if (rounding != ROUND_NEAREST) {
        set_rounding(ROUND_NEAREST);
    }
}

#endif
