/* ops.cuh - sum, minimum and maximum of int, float and double, as the kernels use them.
 *
 * combine() is associative enough for a tree: exactly so for int, minimum and maximum, up to
 * rounding for real sums. identity() changes nothing it is combined with: threads without an
 * element bring it. */
#ifndef OPS_CUH
#define OPS_CUH

#include <limits.h>
#include <math.h>

enum { MAX_BLOCK = 1024, WARP_LANES = 32 };

template <typename T> struct lowest_and_highest;
template <> struct lowest_and_highest<int> {
    static __device__ int low() { return INT_MIN; }
    static __device__ int high() { return INT_MAX; }
};
template <> struct lowest_and_highest<float> {
    static __device__ float low() { return -INFINITY; }
    static __device__ float high() { return INFINITY; }
};
template <> struct lowest_and_highest<double> {
    static __device__ double low() { return -(double)INFINITY; }
    static __device__ double high() { return (double)INFINITY; }
};

/* Signed overflow is undefined in C, unsigned wraps: int sums are right modulo 2^32. */
static __device__ inline int add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
static __device__ inline float add(float a, float b) { return a + b; }
static __device__ inline double add(double a, double b) { return a + b; }

/* A NaN is a hole in the data: a result that hides it is wrong. fminf() and fmaxf() return the
 * other operand, so they hide it; here NaN wins (a != a is true for NaN alone). -0 and +0 are equal
 * and either may be returned. */
template <typename T> struct op_sum {
    static __device__ T identity() { return 0; }
    static __device__ T combine(T a, T b) { return add(a, b); }
};
template <typename T> struct op_min {
    static __device__ T identity() { return lowest_and_highest<T>::high(); }
    static __device__ T combine(T a, T b) { return a < b || a != a ? a : b; }
};
template <typename T> struct op_max {
    static __device__ T identity() { return lowest_and_highest<T>::low(); }
    static __device__ T combine(T a, T b) { return a > b || a != a ? a : b; }
};

/* One launcher template, instantiated for every type and operation: a row of struct rung. */
#define FOR_EVERY_TYPE_AND_OP(launch)                                                              \
    {                                                                                              \
        {launch<int, op_sum<int>>, launch<int, op_min<int>>, launch<int, op_max<int>>},            \
            {launch<float, op_sum<float>>, launch<float, op_min<float>>,                           \
             launch<float, op_max<float>>},                                                        \
        {                                                                                          \
            launch<double, op_sum<double>>, launch<double, op_min<double>>,                        \
                launch<double, op_max<double>>                                                     \
        }                                                                                          \
    }

#endif
