/* atoms.cu - atomics of each type and kind on global and on shared memory, whose result is used or not. */
#include "atoms.h"

#define ATOM(name, T, use, call)                                                                                       \
    template <bool shared> __global__ void name##_##use(T *in, const int *at, unsigned *out)                           \
    {                                                                                                                  \
        __shared__ alignas(16) T room[ROOM];                                                                           \
        T *p = in, v = in[ROOM + threadIdx.x];                                                                         \
        int i = at[threadIdx.x];                                                                                       \
        if constexpr (shared) {                                                                                        \
            for (int k = threadIdx.x; k < ROOM; k += 32)                                                               \
                room[k] = in[k];                                                                                       \
            __syncwarp();                                                                                              \
            p = room;                                                                                                  \
        }                                                                                                              \
        unsigned sum = 0;                                                                                              \
        call;                                                                                                          \
        if constexpr (shared) {                                                                                        \
            __syncwarp();                                                                                              \
            for (int k = threadIdx.x; k < ROOM; k += 32)                                                               \
                sum = sum * 31 + low(room[k]);                                                                         \
        }                                                                                                              \
        out[threadIdx.x] = sum;                                                                                        \
    }
#define BOTH(name, T, call) ATOM(name, T, used, sum = low(call)) ATOM(name, T, unused, call)
LIST(BOTH)

template <typename T> static void launch(void (*kernel)(T *, const int *, unsigned *), T *in)
{
    kernel<<<1, 32>>>(in, at, out);
}

#define RUN(name, T, call)                                                                                             \
    run<T>(#name " global used", name##_used<false>, launch<T>);                                                       \
    run<T>(#name " global unused", name##_unused<false>, launch<T>);                                                   \
    run<T>(#name " shared used", name##_used<true>, launch<T>);                                                        \
    run<T>(#name " shared unused", name##_unused<true>, launch<T>);

int main(void)
{
    begin();
    LIST(RUN)
    return 0;
}
