/* math.cu - the functions of CUDA's library at 4,096 numbers of all sizes each. Prints a line for
 * each: the expression, a hash of its results.
 *
 * usage: math [TEXT]   with TEXT: operands and results of the functions that have it in their line
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { NUMBERS = 4096, BLOCK = 128 };

static uint32_t drawn(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint32_t x = (uint32_t)(*state >> 33);
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ x >> 12;
}

/* Of eight numbers three lie between 2^-7 and 2^7, two (positive) between 2^-9 and 1, one between
 * 2^-67 and 2^73; the others have random bits, or are special. */
static float draw(uint64_t *state, float)
{
    static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                                       0x7fffffff, 0x3f800000, 0xbf800000, 0x3f000000};
    const uint32_t high = drawn(state);
    uint32_t x = drawn(state) << 4 ^ high;
    const uint32_t i = drawn(state) % 64;
    if (i < 24) {
        x = (x & 0x807fffff) | (120 + drawn(state) % 14) << 23;
    } else if (i < 40) {
        x = (x & 0x7fffff) | (118 + drawn(state) % 9) << 23;
    } else if (i < 48) {
        x = (x & 0x807fffff) | (60 + drawn(state) % 140) << 23;
    } else if (i == 48) {
        x = special[drawn(state) % 8];
    } else if (i == 49) {
        x &= 0x807fffff; /* subnormal */
    }
    float value;
    memcpy(&value, &x, sizeof value);
    return value;
}

static double draw(uint64_t *state, double)
{
    static const double special[] = {0, -0.0, 1, -1, 0.5, 0x1p-1070, 0x1.fffffffffffffp1023, -2};
    uint64_t x = (uint64_t)drawn(state) << 32;
    x ^= (uint64_t)drawn(state) << 16;
    x ^= drawn(state);
    const uint32_t i = drawn(state) % 64;
    x ^= (uint64_t)drawn(state) << 48;
    const uint64_t fraction = x & 0xfffffffffffff, sign = x & 0x8000000000000000;
    if (i < 24) {
        x = sign | fraction | (uint64_t)(1016 + drawn(state) % 14) << 52;
    } else if (i < 40) {
        x = fraction | (uint64_t)(1014 + drawn(state) % 9) << 52;
    } else if (i < 48) {
        x = sign | fraction | (uint64_t)(900 + drawn(state) % 250) << 52;
    } else if (i == 49) {
        x = sign | fraction; /* subnormal */
    }
    double value;
    memcpy(&value, &x, sizeof value);
    return i == 48 ? special[drawn(state) % 8] : value;
}

template <int N> struct function;

#define ONE(type, expression) TWO(type, expression)
#define TWO(type, expression)                                                                      \
    template <> struct function<__COUNTER__> {                                                     \
        typedef type T;                                                                            \
        static __device__ T of(T x, T y)                                                           \
        {                                                                                          \
            (void)y;                                                                               \
            return expression;                                                                     \
        }                                                                                          \
    };
#include "math.def"
#undef TWO
enum { ROWS = __COUNTER__ };

template <class F>
__global__ void results(const typename F::T *x, const typename F::T *y, typename F::T *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = F::of(x[i], y[i]);
}

static bool failed(cudaError_t status)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "math: %s\n", cudaGetErrorString(status));
    }
    return status != cudaSuccess;
}

static const char *only;

template <class F> static bool print(const char *type, const char *expression)
{
    typedef typename F::T T;
    static T x[NUMBERS], y[NUMBERS], out[NUMBERS];
    T *dx, *dy, *dout;
    uint64_t state = 3, hash = 1469598103934665603u;
    for (int i = 0; i < NUMBERS; i++) {
        x[i] = draw(&state, T());
        y[i] = draw(&state, T());
    }
    if (failed(cudaMalloc(&dx, sizeof x)) || failed(cudaMalloc(&dy, sizeof y)) ||
        failed(cudaMalloc(&dout, sizeof out))) {
        return false;
    }
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice);
    results<F><<<NUMBERS / BLOCK, BLOCK>>>(dx, dy, dout);
    if (failed(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost))) {
        return false;
    }
    for (int i = 0; i < NUMBERS; i++) {
        uint64_t bits = 0;
        memcpy(&bits, &out[i], sizeof(T));
        if (out[i] != out[i]) {
            bits = 0x7fff;
        }
        hash = (hash ^ bits) * 1099511628211u;
        if (only != NULL) {
            printf("%a %a: %a\n", (double)x[i], (double)y[i], (double)out[i]);
        }
    }
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dout);
    printf("%s %s,%016llx\n", type, expression, (unsigned long long)hash);
    return true;
}

int main(int argc, char **argv)
{
    only = argc > 1 ? argv[1] : NULL;
    bool right = true;
#define TWO(type, expression)                                                                      \
    if (right && (only == NULL || strstr(#type " " #expression, only) != NULL)) {                  \
        right = print<function<__COUNTER__ - ROWS - 1>>(#type, #expression);                       \
    }
#include "math.def"
    return right ? 0 : 1;
}
