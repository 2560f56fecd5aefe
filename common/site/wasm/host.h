/* host.h - what WebAssembly with wasi-libc lacks of the host that the simulator's sources expect:
 * threads, mappings of memory, rounding modes. All that differs stands here and in host.c.
 *
 * The build gives every header that wasi-libc does not have (pthread.h, sys/mman.h ...) this text,
 * and includes it before each source. There is one thread, so locks do nothing and nobody waits. */
#ifndef SITE_HOST_H
#define SITE_HOST_H

#include <fenv.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* There is one thread. wasi-libc, too, has errno as a plain variable, which its header declares
 * _Thread_local: with bulk memory some versions of clang believe the header. */
#define _Thread_local
#include <errno.h>

/* ---- threads --------------------------------------------------------------------------------- */

typedef int pthread_mutex_t, pthread_cond_t, pthread_t, pthread_once_t;
#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_COND_INITIALIZER  0
#define PTHREAD_ONCE_INIT         0

#define pthread_mutex_init(mutex, attributes)      ((void)(mutex), 0)
#define pthread_mutex_destroy(mutex)               ((void)(mutex), 0)
#define pthread_mutex_lock(mutex)                  ((void)(mutex), 0)
#define pthread_mutex_unlock(mutex)                ((void)(mutex), 0)
#define pthread_cond_init(condition, attributes)   ((void)(condition), 0)
#define pthread_cond_destroy(condition)            ((void)(condition), 0)
#define pthread_cond_signal(condition)             ((void)(condition), 0)
#define pthread_cond_broadcast(condition)          ((void)(condition), 0)
#define pthread_cond_wait(condition, mutex)        ((void)(condition), 0)
#define pthread_cond_timedwait(condition, m, time) ((void)(condition), (void)(time), 0)
#define pthread_join(thread, result)               ((void)(thread), 0)
#define pthread_self()                             0
#define sched_yield()                              0
#define pthread_equal(a, b)                        ((a) == (b))

static inline int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *),
                                 void *state)
{
    (void)thread, (void)attributes, (void)run, (void)state;
    return 1; /* there is none to be had */
}

static inline int pthread_once(pthread_once_t *once, void (*run)(void))
{
    if (*once == 0) {
        *once = 1;
        run();
    }
    return 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

enum { PROT_NONE, PROT_READ, PROT_WRITE = 2 };
enum { MAP_PRIVATE, MAP_ANONYMOUS = 0, MAP_NORESERVE = 0 };
enum { MADV_DONTNEED = 1, MADV_DONTDUMP, MADV_HUGEPAGE, MADV_NOHUGEPAGE };
#define MAP_FAILED ((void *)-1)

/* PROT_NONE: a window of device addresses, of which the second half is backed by memory. */
void *mmap(void *at, uint64_t bytes, int protection, int flags, int file, long offset);
int munmap(void *at, uint64_t bytes);
int madvise(void *at, uint64_t bytes, int advice);
#define mprotect(at, bytes, protection) ((void)(at), 0)

/* ---- arithmetic ------------------------------------------------------------------------------ */

/* WebAssembly rounds to nearest alone. A kernel that asks for another way is noticed, so that the
 * page can say that its values may differ in their last bit; counts do not depend on it. */
enum { FE_TOWARDZERO = 1, FE_DOWNWARD, FE_UPWARD };
extern int host_rounded_otherwise;
#define fesetround(mode) ((void)(host_rounded_otherwise |= (mode) != FE_TONEAREST))

/* A product and sum with one rounding. The product of two floats is exact as a double; the sum is
 * brought to the odd neighbour where it is not exact, so that the second rounding cannot go wrong.
 * (Boldo and Melquiond, "Emulation of a FMA and Correctly Rounded Sums", 2008.) */
static inline float host_fmaf(float a, float b, float c)
{
    const double product = (double)a * b, sum = product + c;
    const double part = sum - product;
    const double error = (product - (sum - part)) + (c - part);
    union {
        double value;
        int64_t bits;
    } odd = {sum};
    const int64_t other_sign = -(int64_t)((error < 0) ^ (sum < 0)); /* all bits, or none */
    /* Infinity less infinity is no error: it would be neither. */
    const int64_t inexact = -(int64_t)((error < 0) | (error > 0)), even = (odd.bits & 1) - 1;
    odd.bits += (other_sign | 1) & inexact & even;
    return (float)odd.value;
}
#define __builtin_fmaf host_fmaf

/* GCC's shuffle of two vectors of 16 words. */
typedef int32_t host_words __attribute__((vector_size(64)));
static inline host_words host_shuffle(host_words a, host_words b, host_words from)
{
    host_words out;
    for (int i = 0; i < 16; i++) {
        out[i] = (from[i] & 16) != 0 ? b[from[i] & 15] : a[from[i] & 15];
    }
    return out;
}
#define __builtin_shuffle host_shuffle

void qsort_r(void *items, size_t count, size_t size,
             int (*order)(const void *, const void *, void *), void *state);

#endif
