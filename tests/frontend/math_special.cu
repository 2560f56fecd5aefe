/* Special functions that the C library lacks: inverse functions undo their functions, and values
 * from tables (Abramowitz and Stegun, tables 7.1, 9.8 and 26.1). */
#include "check.h"

__global__ void compute(const double *in, int count, double *out)
{
    for (int i = 0; i < count; i++, out += 8) {
        double x = in[i];
        out[0] = erfinv(erf(x));
        out[1] = erfcinv(erfc(x));
        out[2] = normcdfinv(normcdf(x));
        out[3] = erfcx(x);
        out[4] = erfinvf((float)erf(x));
        out[5] = erfcinvf((float)erfc(x));
        out[6] = cyl_bessel_i0(x);
        out[7] = cyl_bessel_i1(x);
    }
}

__global__ void ends(double *out)
{
    out[0] = erfinv(1.0);
    out[1] = erfinv(-1.0);
    out[2] = erfinv(1.5);
    out[3] = erfcinv(0.0);
    out[4] = erfcinv(2.0);
    out[5] = normcdfinv(0.5);
    out[6] = erfcx(1e6);
    out[7] = erfinv(0.0);
    out[8] = normcdfinv(1e-300);
    out[9] = erfcx(-2.0);
    out[10] = cyl_bessel_i0(0.0) + cyl_bessel_i0(2.0) + cyl_bessel_i0(-30.0);
    out[11] = cyl_bessel_i1(2.0) + cyl_bessel_i1(-2.0) + cyl_bessel_i1(0.5);
    out[12] = cyl_bessel_i0f(1.0f) + cyl_bessel_i1f(1.0f);
    out[13] = erfcxf(3.0f);
    out[14] = normcdfinvf(0.975f);
}

int main(void)
{
    const double values[] = {0.001, 0.1, 0.3, 0.47, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, -0.2, -1.3};
    const int count = sizeof(values) / sizeof(values[0]);
    double *in = make_array<double>(count), *out = make_array<double>(8 * count);
    memcpy(in, values, sizeof(values));
    compute<<<1, 1>>>(in, count, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++) {
        double x = in[i], *o = out + 8 * i;
        /* One unit in the last place of erf(x) or erfc(x) is worth this much of x. */
        double slope = 2 / sqrt(M_PI) * exp(-x * x), unit = 1.2e-16 / slope / fabs(x);
        CHECK_FLOAT(o[0], x, 4e-16 + 2 * unit * erf(fabs(x)));
        CHECK_FLOAT(o[1], x, 4e-16 + 2 * unit * erfc(x));
        CHECK_FLOAT(o[2], x, 1e-15 + 8 * unit * sqrt(exp(-x * x)));
        CHECK_FLOAT(o[3], exp(x * x) * erfc(x), 4e-15);
        CHECK_FLOAT(o[4], x, 4e-7 + 6e-8 / slope / fabs(x) * erf(fabs(x)) * 2);
        CHECK_FLOAT(o[5], x, 4e-7 + 6e-8 / slope / fabs(x) * erfc(x) * 2);
        double i0 = 0, i1 = 0, term = 1;
        for (int k = 0; k < 40; k++) { /* the power series, term by term */
            i0 += term * term;
            i1 += term * term * x / 2 / (k + 1);
            term *= x / 2 / (k + 1);
        }
        CHECK_FLOAT(o[6], i0, 2e-14);
        CHECK_FLOAT(o[7], i1, 2e-14);
    }
    ends<<<1, 1>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_FLOAT(out[0], INFINITY, 0);
    CHECK_FLOAT(out[1], -INFINITY, 0);
    CHECK(isnan(out[2]));
    CHECK_FLOAT(out[3], INFINITY, 0);
    CHECK_FLOAT(out[4], -INFINITY, 0);
    CHECK(fabs(out[5]) <= 1e-15);
    CHECK_FLOAT(out[6], 5.6418958354747393e-7, 1e-15);
    CHECK(out[7] == 0);
    CHECK_FLOAT(out[8], -37.047096299361199, 1e-13);
    CHECK_FLOAT(out[9], exp(4.0) * erfc(-2.0), 1e-14);
    CHECK_FLOAT(out[10], 1 + 2.2795853023360673 + 781672297823.97751, 1e-14);
    CHECK_FLOAT(out[11], 0.25789430539089632, 1e-13);
    CHECK_FLOAT(out[12], 1.2660658777520084 + 0.56515910399248503, 1e-6);
    CHECK_FLOAT(out[13], 0.17900115118138997, 1e-6);
    CHECK_FLOAT(out[14], 1.959963984540054, 1e-6);
    return check_done();
}
