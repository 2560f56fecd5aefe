/* mbarrier.h - what the eight bytes of a barrier in shared memory hold here, for exec_mbarrier.c
 * and for those who watch it. Programs must not look inside; on a GPU it is laid out otherwise.
 *
 *     63..61 phase   60..41 count expected   40..21 arrivals pending   20..0 bytes pending, signed
 */
#ifndef SIMT_EXEC_MBARRIER_H
#define SIMT_EXEC_MBARRIER_H

#include "exec/exec_types.h"

enum { MBARRIER_PHASES = 8, MBARRIER_MOST = (1 << 20) - 1 };

struct mbarrier {
    u32 phase, expected, pending;
    s32 bytes;
};

/* Fresh shared memory holds it, and mbarrier.inval leaves it. */
#define MBARRIER_NONE UINT64_MAX

static inline unsigned mbarrier_phase(u64 word) { return (unsigned)(word >> 61); }

static inline struct mbarrier mbarrier_of(u64 word)
{
    return (struct mbarrier){.phase = mbarrier_phase(word),
                             .expected = (u32)(word >> 41) & MBARRIER_MOST,
                             .pending = (u32)(word >> 21) & MBARRIER_MOST,
                             .bytes = (s32)((u32)word << 11) >> 11};
}

static inline u64 mbarrier_word(struct mbarrier m)
{
    return (u64)m.phase << 61 | (u64)m.expected << 41 | (u64)m.pending << 21 |
           ((u32)m.bytes & 0x1fffffu);
}

#endif
