/* probe_pattern.h - the address patterns that probe.cu puts to the hardware, and that
 * tests/unit/test_access.c puts to common/gpu/access.c: the same numbers from the same function.
 *
 * A pattern gives each lane a unit (of the access's width) and says which lanes take part. */
#ifndef PROBE_PATTERN_H
#define PROBE_PATTERN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct probe_pattern {
    uint32_t unit[32]; /* at most 1023: 16 KiB of 16-byte units */
    uint32_t mask;
    char name[32];
};

unsigned probe_pattern_count(void);
/* Pattern n; n must be below probe_pattern_count(). */
struct probe_pattern probe_pattern(unsigned n);

#ifdef __cplusplus
}
#endif

#endif
