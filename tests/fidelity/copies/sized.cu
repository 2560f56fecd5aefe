/* sized.cu - cp.async whose number of bytes is in a register: lanes read all of their piece, a part, or nothing, and the
 * rest becomes zero. One warp a launch; in half of the launches every second lane takes no part. */
#include "../must.h"

#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>

enum { LANES = 32, ROOM = 512 };

/* A lane of `step` copies BYTES. */
template <int BYTES, bool bypass> __global__ void sized(const char *in, int *out, const int *sizes, int step)
{
    __shared__ alignas(128) char s[ROOM];
    const int t = threadIdx.x, size = sizes[t];
    const unsigned to = (unsigned)__cvta_generic_to_shared(s + t * BYTES);
    if (t % step == 0) {
        if (bypass) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(in + t * BYTES), "r"(size));
        } else {
            asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to), "l"(in + t * BYTES), "r"(size), "n"(BYTES));
        }
    }
    asm volatile("cp.async.wait_all;");
    __syncwarp();
    out[t] = s[t * 7 % ROOM];
}

/* Of 16 bytes, those that the lane reads. */
static int sixteenths(int pattern, int lane)
{
    switch (pattern) {
    case 0: return 16;
    case 1: return 0;
    case 2: return 8;
    case 3: return lane < 16 ? 16 : 0;
    case 4: return lane % 2 != 0 ? 16 : 0; /* in half of the launches nobody who takes part */
    case 5: return lane == 0 ? 16 : 0;
    case 6: return lane % 5 == 0 ? 4 : 16;
    default: return lane < 29 ? 16 : 0;
    }
}

int main(void)
{
    char *in;
    int *out, *sizes, host[LANES];
    MUST(cudaMalloc(&in, 4096));
    MUST(cudaMemset(in, 1, 4096));
    MUST(cudaMalloc(&out, LANES * sizeof *out));
    MUST(cudaMalloc(&sizes, sizeof host));
    for (int pattern = 0; pattern < 8; pattern++) {
        for (int bytes = 16; bytes >= 4; bytes /= 2) {
            for (int i = 0; i < LANES; i++) {
                host[i] = sixteenths(pattern, i) * bytes / 16;
            }
            MUST(cudaMemcpy(sizes, host, sizeof host, cudaMemcpyHostToDevice));
            auto kernel = bytes == 16 ? sized<16, false> : bytes == 8 ? sized<8, false> : sized<4, false>;
            if (bytes == 16) {
                sized<16, true><<<1, LANES>>>(in, out, sizes, 1);
            }
            kernel<<<1, LANES>>>(in, out, sizes, 1);
            kernel<<<1, LANES>>>(in, out, sizes, 2);
        }
    }
    MUST(cudaDeviceSynchronize());
    return 0;
}
