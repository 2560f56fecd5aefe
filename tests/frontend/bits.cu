/* flags: --expt-relaxed-constexpr */
/* <cuda/std/bit>: every function on integers of four widths, on the device and on the host. */
#include <cuda/std/bit>
#include <cuda/std/cstdint>

#include <stdio.h>
#include <string.h>

template <typename T> __host__ __device__ static unsigned all(T x, int by)
{
    namespace cs = cuda::std;
    unsigned h = 0;
    h = h * 131 + cs::popcount(x), h = h * 131 + cs::countl_zero(x),
    h = h * 131 + cs::countr_zero(x);
    h = h * 131 + cs::countl_one(x), h = h * 131 + cs::countr_one(x),
    h = h * 131 + cs::has_single_bit(x);
    h = h * 131 + cs::bit_width(x), h = h * 131 + (unsigned)cs::bit_floor(x);
    h = h * 131 + (unsigned)cs::bit_ceil((T)(x >> 1));
    return h * 131 + (unsigned)cs::rotl(x, by) + 7 * (unsigned)cs::rotr(x, by);
}

__host__ __device__ static unsigned of(unsigned i)
{
    const unsigned long long x = i < 64    ? 1ull << i
                                 : i < 128 ? (1ull << (i - 64)) - 1
                                           : i * 0x9e3779b97f4a7c15ull;
    const int by = (int)(i % 71) - 35;
    unsigned h =
        all((unsigned char)x, by) + 3 * all((unsigned short)x, by) + 5 * all((unsigned)x, by);
    h += 7 * all(x, by) + cuda::std::bit_cast<unsigned>((float)i);
    return h;
}

__global__ void on_device(unsigned *out) { out[threadIdx.x] = of(threadIdx.x); }

static_assert(cuda::std::popcount(255u) == 8 && cuda::std::bit_ceil(5u) == 8,
              "usable in constants");

int main()
{
    unsigned *out, sum = 0, wrong = 0;
    cudaMallocManaged(&out, 256 * sizeof *out);
    on_device<<<1, 256>>>(out);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < 256; i++) {
        wrong += out[i] != of(i);
        sum = sum * 31 + out[i];
    }
    printf("%u wrong, %08x\n", wrong, sum);
    return wrong != 0;
}
