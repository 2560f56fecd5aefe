/* flags: -lcurand */
/* cuRAND's host functions: XORWOW gives what curand_init(seed, lane, 0) gives in a kernel; known
 * first numbers of MT19937 and of the Sobol' sequences; means and deviations of all distributions.
 */
#include "check.h"
#include <curand.h>
#include <curand_kernel.h>

#define CHECK_RAND(call) CHECK_INT(call, CURAND_STATUS_SUCCESS)

enum { COUNT = 100000, LANES = 4096 };

__global__ void in_kernel(unsigned *bits, float *numbers)
{
    const int i = threadIdx.x;
    curandState s;
    curand_init(1234, i, 0, &s);
    bits[i] = curand(&s);
    bits[blockDim.x + i] = curand(&s);
    numbers[i] = curand_uniform(&s);
}

/* Numbers from the third on, and with a jump over two. */
__global__ void sobol_in_kernel(unsigned *vectors, unsigned long long *wide, unsigned *out,
                                double *numbers)
{
    curandStateSobol32_t s;
    curandStateSobol64_t t;
    curand_init(vectors, 2u, &s);
    curand_init(wide, 2ull, &t);
    for (int i = 0; i < 3; i++) {
        out[i] = curand(&s);
        numbers[i] = curand_uniform_double(&t);
    }
    skipahead(2u, &s);
    out[3] = curand(&s);
}

static curandGenerator_t generator(curandRngType_t type, bool on_host)
{
    curandGenerator_t g;
    CHECK_RAND(on_host ? curandCreateGeneratorHost(&g, type) : curandCreateGenerator(&g, type));
    if (type < CURAND_RNG_QUASI_DEFAULT)
        CHECK_RAND(curandSetPseudoRandomGeneratorSeed(g, 1234));
    return g;
}

static void as_in_kernels()
{
    enum { THREADS = 64 };
    unsigned *want = make_array<unsigned>(2 * THREADS), *got = make_array<unsigned>(3 * LANES);
    float *numbers = make_array<float>(THREADS), *uniform = make_array<float>(LANES);
    in_kernel<<<1, THREADS>>>(want, numbers);
    const curandGenerator_t g = generator(CURAND_RNG_PSEUDO_DEFAULT, false);
    CHECK_RAND(curandGenerate(g, got, 2 * LANES));
    CHECK_RAND(curandGenerateUniform(g, uniform, LANES));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < THREADS; i++) {
        CHECK_INT(got[i], want[i]);
        CHECK_INT(got[LANES + i], want[THREADS + i]);
        CHECK_FLOAT(uniform[i], numbers[i], 0);
    }
    /* The same seed begins again; an offset skips values. */
    CHECK_RAND(curandSetPseudoRandomGeneratorSeed(g, 1234));
    CHECK_RAND(curandSetGeneratorOffset(g, LANES + 3));
    CHECK_RAND(curandGenerate(g, got + 2 * LANES, 10));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < 10; i++)
        CHECK_INT(got[2 * LANES + i], want[THREADS + 3 + i]);
    CHECK_RAND(curandDestroyGenerator(g));
}

static void known_numbers()
{
    unsigned bits[8];
    float points[8];
    curandGenerator_t g;
    CHECK_RAND(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MT19937));
    CHECK_RAND(curandSetPseudoRandomGeneratorSeed(g, 5489));
    CHECK_RAND(curandGenerate(g, bits, 2));
    CHECK_INT(bits[0], 3499211612u);
    CHECK_INT(bits[1], on_simulator ? 581869302u : 2464257528u); /* an H200's second is the 114th */
    CHECK_RAND(curandDestroyGenerator(g));
    /* 0, 1/2, 3/4, 1/4 of the first dimension, and of the second: all points of a lattice */
    g = generator(CURAND_RNG_QUASI_SOBOL32, true);
    CHECK_RAND(curandSetQuasiRandomGeneratorDimensions(g, 2));
    CHECK_RAND(curandGenerate(g, bits, 8));
    const unsigned want[] = {0, 2u << 30, 3u << 30, 1u << 30, 0, 2u << 30, 1u << 30, 3u << 30};
    for (int i = 0; i < 8; i++)
        CHECK_INT(bits[i], want[i]);
    CHECK_RAND(curandGenerateUniform(g, points, 8));
    CHECK_FLOAT(points[0], 0.375, 1e-6);
    CHECK_INT(curandGenerateUniform(g, points, 7), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    CHECK_RAND(curandDestroyGenerator(g));
    curandDirectionVectors32_t *vectors;
    CHECK_RAND(curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    CHECK_INT(vectors[0][1], 1u << 30);
    CHECK_INT(vectors[1][1], 3u << 30);
    CHECK_INT(vectors[2][2], 0x60000000);
    enum { DIMENSION = 4, POINTS = 8 };
    curandDirectionVectors64_t *wide;
    unsigned *v = make_array<unsigned>(32), *got = make_array<unsigned>(4), all[5 * POINTS];
    unsigned long long *w = make_array<unsigned long long>(64);
    double *numbers = make_array<double>(3);
    CHECK_RAND(curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
    memcpy(v, vectors[DIMENSION], 32 * sizeof *v);
    memcpy(w, wide[DIMENSION], 64 * sizeof *w);
    sobol_in_kernel<<<1, 1>>>(v, w, got, numbers);
    CHECK_OK(cudaDeviceSynchronize());
    g = generator(CURAND_RNG_QUASI_SOBOL32, true);
    CHECK_RAND(curandSetQuasiRandomGeneratorDimensions(g, DIMENSION + 1));
    CHECK_RAND(curandGenerate(g, all, 5 * POINTS));
    for (int i = 0; i < 3; i++) {
        CHECK_INT(got[i], all[DIMENSION * POINTS + 2 + i]);
        CHECK_FLOAT(numbers[i], got[i] / 4294967296.0, 1e-9);
    }
    CHECK_INT(got[3], all[DIMENSION * POINTS + 7]);
    CHECK_RAND(curandDestroyGenerator(g));
}

template <typename T> static void moments(const T *x, double mean, double deviation)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < COUNT; i++)
        sum += double(x[i]);
    for (int i = 0; i < COUNT; i++)
        squares += (double(x[i]) - sum / COUNT) * (double(x[i]) - sum / COUNT);
    /* five times what chance explains */
    CHECK(fabs(sum / COUNT - mean) <= 5 * deviation / sqrt(double(COUNT)));
    CHECK(fabs(sqrt(squares / COUNT) - deviation) <= 0.03 * deviation);
}

static void distributions(curandRngType_t type)
{
    const curandGenerator_t g = generator(type, false);
    float *f = make_array<float>(COUNT);
    double *d = make_array<double>(COUNT);
    unsigned *n = make_array<unsigned>(COUNT);
    const double uniform = 1 / sqrt(12.0), log_mean = exp(0.5 + 0.125);
    CHECK_RAND(curandGenerateUniform(g, f, COUNT));
    CHECK_RAND(curandGenerateUniformDouble(g, d, COUNT));
    CHECK_OK(cudaDeviceSynchronize());
    moments(f, 0.5, uniform);
    moments(d, 0.5, uniform);
    for (int i = 0; i < COUNT; i++)
        CHECK(f[i] > 0 && f[i] <= 1 && d[i] > 0 && d[i] <= 1);
    CHECK_RAND(curandGenerateNormal(g, f, COUNT, -3, 2));
    CHECK_RAND(curandGenerateNormalDouble(g, d, COUNT, 7, 0.5));
    CHECK_OK(cudaDeviceSynchronize());
    moments(f, -3, 2);
    moments(d, 7, 0.5);
    CHECK_RAND(curandGenerateLogNormalDouble(g, d, COUNT, 0.5, 0.5));
    CHECK_OK(cudaDeviceSynchronize());
    moments(d, log_mean, log_mean * sqrt(exp(0.25) - 1));
    if (type < CURAND_RNG_QUASI_DEFAULT) {
        CHECK_RAND(curandGeneratePoisson(g, n, COUNT, 3.5));
        CHECK_OK(cudaDeviceSynchronize());
        moments(n, 3.5, sqrt(3.5));
        CHECK_RAND(curandGeneratePoisson(g, n, COUNT, 250));
        CHECK_OK(cudaDeviceSynchronize());
        moments(n, 250, sqrt(250.0));
        if (on_simulator) /* some generators of an H200 take odd lengths */
            CHECK_INT(curandGenerateNormal(g, f, 3, 0, 1), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    }
    CHECK_RAND(curandDestroyGenerator(g));
}

int main()
{
    as_in_kernels();
    known_numbers();
    distributions(CURAND_RNG_PSEUDO_XORWOW);
    distributions(CURAND_RNG_PSEUDO_PHILOX4_32_10);
    distributions(CURAND_RNG_PSEUDO_MRG32K3A);
    distributions(CURAND_RNG_PSEUDO_MT19937);
    distributions(CURAND_RNG_QUASI_SOBOL32);
    float *host = (float *)malloc(64);
    const curandGenerator_t g = generator(CURAND_RNG_PSEUDO_DEFAULT, false);
    if (on_simulator)
        CHECK_INT(curandGenerateUniform(g, host, 16), CURAND_STATUS_LAUNCH_FAILURE);
    curandGenerator_t none;
    if (on_simulator)
        CHECK_INT(curandCreateGenerator(&none, CURAND_RNG_PSEUDO_MTGP32), CURAND_STATUS_TYPE_ERROR);
    return check_result();
}
