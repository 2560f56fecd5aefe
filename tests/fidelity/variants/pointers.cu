/* pointers.cu - the atomics of atoms.h through pointers of which the compiler does not know whether they lead to global or to shared
 * memory. With `parted`, half of the lanes have one of each. */
#include "atoms.h"

enum where { IN_GLOBAL, IN_SHARED, PARTED };

#define ATOM(name, T, use, call)                                                                                       \
    __global__ void name##_##use(T *in, const int *at, unsigned *out, where w)                                         \
    {                                                                                                                  \
        __shared__ alignas(16) T room[ROOM];                                                                           \
        T v = in[ROOM + threadIdx.x];                                                                                  \
        int i = at[threadIdx.x];                                                                                       \
        for (int k = threadIdx.x; k < ROOM; k += 32)                                                                   \
            room[k] = in[k];                                                                                           \
        __syncwarp();                                                                                                  \
        T *p = w == IN_GLOBAL || (w == PARTED && threadIdx.x % 2 == 0) ? in : room;                                    \
        unsigned sum = 0;                                                                                              \
        call;                                                                                                          \
        __syncwarp();                                                                                                  \
        for (int k = threadIdx.x; k < ROOM; k += 32)                                                                   \
            sum = sum * 31 + low(room[k]);                                                                             \
        out[threadIdx.x] = sum;                                                                                        \
    }
#define BOTH(name, T, call) ATOM(name, T, used, sum = low(call)) ATOM(name, T, unused, call)
LIST(BOTH)

template <typename T, where w> static void launch(void (*kernel)(T *, const int *, unsigned *, where), T *in)
{
    kernel<<<1, 32>>>(in, at, out, w);
}

#define RUN(name, T, call)                                                                                             \
    run<T>(#name " global used", name##_used, launch<T, IN_GLOBAL>);                                                   \
    run<T>(#name " global unused", name##_unused, launch<T, IN_GLOBAL>);                                               \
    run<T>(#name " shared used", name##_used, launch<T, IN_SHARED>);                                                   \
    run<T>(#name " shared unused", name##_unused, launch<T, IN_SHARED>);                                               \
    run<T>(#name " parted unused", name##_unused, launch<T, PARTED>);

int main(void)
{
    begin();
    LIST(RUN)
    return 0;
}
