/* simt/device_launch.h - launches by kernels, which clang does not compile: cc/device_launch.awk
 * writes kernel<<<grid, block, bytes, stream>>>(x, y) in device code as
 *
 *     ({ struct simt_here {
 *            typedef simt_child<decltype(simt_child_type(simt_child_first{}, kernel, x, y)),
 *                               kernel> launch;
 *        };
 *        typename simt_here::launch(grid, block, bytes, stream); })(x, y)
 *
 * As a template argument, and in a class, clang does not ask which side may call the kernel. */
#ifndef SIMT_DEVICE_LAUNCH_H
#define SIMT_DEVICE_LAUNCH_H

#include "../cuda_runtime_api.h"
#include "../vector_types.h"
#include "device.h"

#define cudaStreamTailLaunch                  ((cudaStream_t)0x3)
#define cudaStreamFireAndForget               ((cudaStream_t)0x4)
#define cudaStreamGraphTailLaunch             ((cudaStream_t)0x0100000000000000)
#define cudaStreamGraphFireAndForget          ((cudaStream_t)0x0200000000000000)
#define cudaStreamGraphFireAndForgetAsSibling ((cudaStream_t)0x0300000000000000)

extern "C" __attribute__((device)) void *
__cudaCDP2GetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned int bytes);
extern "C" __attribute__((device)) cudaError_t __cudaCDP2LaunchDeviceV2(void *buffer,
                                                                        cudaStream_t stream);

/* The type of a kernel that is called with such arguments: of several of one name the one with as
 * many parameters, and of a template without its arguments as the call's make it. */
struct simt_child_third {
};
struct simt_child_second : simt_child_third {
};
struct simt_child_first : simt_child_second {
};
#define SIMT_OF_1(m)      m(1)
#define SIMT_OF_2(m)      SIMT_OF_1(m), m(2)
#define SIMT_OF_3(m)      SIMT_OF_2(m), m(3)
#define SIMT_OF_4(m)      SIMT_OF_3(m), m(4)
#define SIMT_OF_5(m)      SIMT_OF_4(m), m(5)
#define SIMT_OF_6(m)      SIMT_OF_5(m), m(6)
#define SIMT_OF_7(m)      SIMT_OF_6(m), m(7)
#define SIMT_OF_8(m)      SIMT_OF_7(m), m(8)
#define SIMT_OF_9(m)      SIMT_OF_8(m), m(9)
#define SIMT_OF_10(m)     SIMT_OF_9(m), m(10)
#define SIMT_OF_11(m)     SIMT_OF_10(m), m(11)
#define SIMT_OF_12(m)     SIMT_OF_11(m), m(12)
#define SIMT_OF_13(m)     SIMT_OF_12(m), m(13)
#define SIMT_OF_14(m)     SIMT_OF_13(m), m(14)
#define SIMT_OF_15(m)     SIMT_OF_14(m), m(15)
#define SIMT_OF_16(m)     SIMT_OF_15(m), m(16)
#define SIMT_TYPES(n)     typename P##n, typename A##n
#define SIMT_PARAMETER(n) P##n
#define SIMT_ARGUMENT(n)  const A##n &
#define SIMT_KERNEL_OF(list)                                                                       \
    template <list(SIMT_TYPES)>                                                                    \
    __attribute__((host, device)) void (                                                           \
        *simt_child_type(simt_child_first, void (*)(list(SIMT_PARAMETER)), list(SIMT_ARGUMENT)))(  \
        list(SIMT_PARAMETER));
SIMT_KERNEL_OF(SIMT_OF_1)
SIMT_KERNEL_OF(SIMT_OF_2)
SIMT_KERNEL_OF(SIMT_OF_3)
SIMT_KERNEL_OF(SIMT_OF_4)
SIMT_KERNEL_OF(SIMT_OF_5)
SIMT_KERNEL_OF(SIMT_OF_6)
SIMT_KERNEL_OF(SIMT_OF_7)
SIMT_KERNEL_OF(SIMT_OF_8)
SIMT_KERNEL_OF(SIMT_OF_9)
SIMT_KERNEL_OF(SIMT_OF_10)
SIMT_KERNEL_OF(SIMT_OF_11)
SIMT_KERNEL_OF(SIMT_OF_12)
SIMT_KERNEL_OF(SIMT_OF_13)
SIMT_KERNEL_OF(SIMT_OF_14)
SIMT_KERNEL_OF(SIMT_OF_15)
SIMT_KERNEL_OF(SIMT_OF_16)
#undef SIMT_OF_1
#undef SIMT_OF_2
#undef SIMT_OF_3
#undef SIMT_OF_4
#undef SIMT_OF_5
#undef SIMT_OF_6
#undef SIMT_OF_7
#undef SIMT_OF_8
#undef SIMT_OF_9
#undef SIMT_OF_10
#undef SIMT_OF_11
#undef SIMT_OF_12
#undef SIMT_OF_13
#undef SIMT_OF_14
#undef SIMT_OF_15
#undef SIMT_OF_16
#undef SIMT_TYPES
#undef SIMT_PARAMETER
#undef SIMT_ARGUMENT
#undef SIMT_KERNEL_OF
template <typename... P, typename... A>
__attribute__((host, device)) void (*simt_child_type(simt_child_second, void (*)(P...),
                                                     const A &...))(P...);
template <typename... A>
__attribute__((host, device)) void (*simt_child_type(simt_child_third, void (*)(A...), A...))(A...);

template <typename T, T kernel> struct simt_child_kernel {
    static constexpr T address = kernel;
};

template <typename T, T kernel> struct simt_child;

template <typename... P, void (*kernel)(P...)> struct simt_child<void (*)(P...), kernel> {
    dim3 grid, block;
    size_t bytes;
    cudaStream_t stream;

    __attribute__((device)) simt_child(dim3 g, dim3 b, size_t shared_bytes = 0, cudaStream_t s = 0)
        : grid(g), block(b), bytes(shared_bytes), stream(s)
    {
    }
    template <typename T>
    __attribute__((device)) static size_t place(char *buffer, size_t at, const T &v)
    {
        const size_t begin = (at + alignof(T) - 1) / alignof(T) * alignof(T);
        __builtin_memcpy(buffer + begin, (const void *)&v, sizeof v);
        return begin + sizeof v;
    }
    /* A grid that may launch nothing gets no buffer, and the launch an error. */
    __attribute__((device)) void operator()(P... arguments) const
    {
        char *buffer = (char *)__cudaCDP2GetParameterBufferV2(
            (void *)simt_child_kernel<void (*)(P...), kernel>::address, grid, block,
            (unsigned int)bytes);
        size_t at = 0;
        if (buffer != nullptr) {
            const size_t ends[] = {0, (at = place(buffer, at, arguments))...};
            (void)ends;
        }
        __cudaCDP2LaunchDeviceV2(buffer, stream);
    }
};

#endif
