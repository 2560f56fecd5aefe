/* check.h - what the programs of tests/frontend share: compare, report the first mismatches, exit.
 *
 * Each program runs kernels that use one part of CUDA and compares what they stored with what the
 * host computes. Its exit code is the verdict: 0 right, 1 wrong. */
#ifndef FRONTEND_CHECK_H
#define FRONTEND_CHECK_H

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Mistakes that CUDA leaves undefined are made on the simulator alone, which catches them. */
#ifdef SIMT
static const bool on_simulator = true;
#else
static const bool on_simulator = false;
#endif

static int check_failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && check_failures++ < 10)                                                 \
            printf("%s:%d: wrong: %s\n", __FILE__, __LINE__, #condition);                          \
    } while (0)

#define CHECK_INT(got, want)                                                                       \
    do {                                                                                           \
        long long got_ = (long long)(got), want_ = (long long)(want);                              \
        if (got_ != want_ && check_failures++ < 10)                                                \
            printf("%s:%d: %s is %lld (0x%llx), not %lld (0x%llx)\n", __FILE__, __LINE__, #got,    \
                   got_, (unsigned long long)got_, want_, (unsigned long long)want_);              \
    } while (0)

/* Equal within `relative` (0: bit for bit, but every NaN equals every NaN). */
static inline void check_float(double got, double want, double relative, const char *what, int line)
{
    bool same = got == want && signbit(got) == signbit(want);
    if (same || (isnan(got) && isnan(want)) ||
        (relative > 0 && fabs(got - want) <= relative * fabs(want)))
        return;
    if (check_failures++ < 10)
        printf("line %d: %s is %.17g (%a), not %.17g (%a)\n", line, what, got, got, want, want);
}
#define CHECK_FLOAT(got, want, relative) check_float(got, want, relative, #got, __LINE__)

#define CHECK_CUDA(call)                                                                           \
    do {                                                                                           \
        cudaError_t code_ = (call);                                                                \
        if (code_ != cudaSuccess) {                                                                \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(code_));       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* A call that must give this error; the program goes on either way. */
#define CHECK_ERROR(expected, call)                                                                \
    do {                                                                                           \
        cudaError_t got_ = (call);                                                                 \
        if (got_ != (expected) && check_failures++ < 10)                                           \
            printf("%s:%d: %s is %s, not %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(got_), \
                   cudaGetErrorName(expected));                                                    \
    } while (0)
#define CHECK_OK(call) CHECK_ERROR(cudaSuccess, call)

/* Managed memory of count elements, filled with 0xff bytes, so that nothing passes by luck. */
template <typename T> static T *make_array(size_t count)
{
    T *p;
    CHECK_CUDA(cudaMallocManaged(&p, count * sizeof(T)));
    memset((void *)p, 0xff, count * sizeof(T));
    return p;
}

static int check_result(void)
{
    if (check_failures > 0)
        printf("%d wrong\n", check_failures);
    return check_failures > 0;
}

static inline int check_done(void)
{
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    return check_result();
}

#endif
