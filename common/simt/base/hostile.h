/* hostile.h - sizes that the hostile build makes as small as they may be (tests/hostile/small).
 *
 * There every allocation of an arena lies alone, tables begin with two entries and grow all the
 * time, objects come in twos, and workers give way to each other at random: what relies on room
 * that happens to be there, on a pointer into a table that has grown since, or on which thread
 * comes first, fails at once. Elsewhere nothing is changed. */
#ifndef SIMT_HOSTILE_H
#define SIMT_HOSTILE_H

#ifdef SIMT_HOSTILE
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#define UNLESS_HOSTILE(usual, smallest) (smallest)
/* One time in four another thread goes first, and one time in 64 for long. */
static inline void hostile_yield(void)
{
    static _Thread_local unsigned seed = 1;
    const int random = rand_r(&seed) % 64;
    if (random == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    } else if (random % 4 == 0) {
        sched_yield();
    }
}
#else
#define UNLESS_HOSTILE(usual, smallest) (usual)
static inline void hostile_yield(void) {}
#endif

#endif
