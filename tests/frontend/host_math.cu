/* CUDA's math functions that the C library lacks, on the host: the same values as in a kernel, to
 * the errors that CUDA states for them, float's overloads among them. */
#include "check.h"

enum { COUNT = 9, FUNCTIONS = 26 };

/* Arguments between 0 and 1, so that every function is defined. */
__host__ __device__ void compute(double x, double *out)
{
    const float f = (float)x;
    float sine, cosine;
    double wide_sine, wide_cosine;
    sincospi(f, &sine, &cosine);
    sincospi(x, &wide_sine, &wide_cosine);
    const double values[FUNCTIONS] = {
        rsqrt(x),       rcbrt(x),      sinpi(x),  cospi(x),   erfinv(x),     erfcinv(x),
        normcdf(x),     normcdfinv(x), erfcx(x),  wide_sine,  wide_cosine,   rsqrtf(f),
        rcbrtf(f),      sinpif(f),     cospif(f), erfinvf(f), erfcinvf(f),   normcdff(f),
        erfcxf(f),      sine,          cosine,    rsqrt(f),   normcdfinv(f), exp10(f),
        normcdfinvf(f), sinpi(f)};
    for (int i = 0; i < FUNCTIONS; i++)
        out[i] = values[i];
}

__global__ void on_device(double *out)
{
    compute((threadIdx.x + 1) / 10.0, out + threadIdx.x * FUNCTIONS);
}

int main(void)
{
    double *device = make_array<double>(COUNT * FUNCTIONS);
    on_device<<<1, COUNT>>>(device);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++) {
        double host[FUNCTIONS];
        compute((i + 1) / 10.0, host);
        for (int k = 0; k < FUNCTIONS; k++) {
            const double error = k < 11 ? 1e-14 : 1e-6;
            if (!(fabs(host[k] - device[i * FUNCTIONS + k]) <= error * fabs(host[k]) + 1e-15))
                printf("function %d of %g: %.17g on the host, %.17g in a kernel\n", k,
                       (i + 1) / 10.0, host[k], device[i * FUNCTIONS + k]);
            CHECK(fabs(host[k] - device[i * FUNCTIONS + k]) <= error * fabs(host[k]) + 1e-15);
        }
    }
    float sine, cosine;
    sincos(0.5f, &sine, &cosine);
    CHECK_FLOAT(sine, sinf(0.5f), 0);
    CHECK_FLOAT(rsqrtf(4.0f), 0.5, 0);
    CHECK_FLOAT(rsqrt(0.0625), 4.0, 0);
    CHECK_FLOAT(rcbrt(8.0), 0.5, 1e-15);
    CHECK_FLOAT(erf(erfinv(0.25)), 0.25, 1e-15);
    CHECK_FLOAT(normcdf(1.0), 0.8413447460685429, 1e-15);
    CHECK_INT(umax(1u, 4000000000u), 4000000000u);
    CHECK_INT(llmin(-5000000000ll, 1ll), -5000000000ll);
    CHECK_INT(ullmax(1ull, 2ull), 2);
    CHECK_INT(sizeof rsqrt(2.0f), sizeof(float));
    CHECK_INT(sizeof sinpi(2.0f), sizeof(float));
    CHECK_INT(sizeof erfcx(2.0f), sizeof(float));
    return check_done();
}
