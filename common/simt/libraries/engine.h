/* engine.h - generators of random bits: XORWOW (Marsaglia 2003), Philox4x32-10 (Salmon et al.
 * 2011), MRG32k3a (L'Ecuyer 1999), MT19937 (Matsumoto and Nishimura 1998).
 *
 * XORWOW has many lanes: sequences of one generator 2^67 apart, which is how curand_init(seed,
 * lane, 0) in a kernel begins. The others have one. */
#ifndef SIMT_ENGINE_H
#define SIMT_ENGINE_H

#include <stdint.h>

#include "include/curand.h"

enum { ENGINE_LANES = 4096 };

struct engine;

/* NULL: there is none of that type. */
struct engine *engine_new(curandRngType_t type, uint64_t seed);
void engine_free(struct engine *e);
unsigned engine_lanes(const struct engine *e);
uint32_t engine_draw(struct engine *e, unsigned lane);

#endif
