/* mbarrier.h - what the eight bytes of a barrier in shared memory hold here, for the handlers that
 * use it and the checkers that watch it. Programs must not look inside; on a GPU it is laid out
 * otherwise.
 *
 *     63..61 phase   60..41 count expected   40..21 arrivals pending   20..0 bytes pending, signed
 */
#ifndef SIMT_MBARRIER_H
#define SIMT_MBARRIER_H

#include <stdint.h>

enum { MBARRIER_PHASES = 8, MBARRIER_MOST = (1 << 20) - 1 };

struct mbarrier {
    uint32_t phase, expected, pending;
    int32_t bytes;
};

/* Fresh shared memory holds it, and mbarrier.inval leaves it. */
#define MBARRIER_NONE UINT64_MAX

static inline unsigned mbarrier_phase(uint64_t word) { return (unsigned)(word >> 61); }

static inline struct mbarrier mbarrier_of(uint64_t word)
{
    return (struct mbarrier){.phase = mbarrier_phase(word),
                             .expected = (uint32_t)(word >> 41) & MBARRIER_MOST,
                             .pending = (uint32_t)(word >> 21) & MBARRIER_MOST,
                             .bytes = (int32_t)((uint32_t)word << 11) >> 11};
}

static inline uint64_t mbarrier_word(struct mbarrier m)
{
    return (uint64_t)m.phase << 61 | (uint64_t)m.expected << 41 | (uint64_t)m.pending << 21 |
           ((uint32_t)m.bytes & 0x1fffffu);
}

#endif
