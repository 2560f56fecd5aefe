/* flags: -lcufft */
/* cuFFT against the sums that define it: lengths of small and of large prime factors, both
 * directions, one to three dimensions, real numbers, in place, many transforms with strides. */
#include "check.h"
#include <cufft.h>
#include <cufftXt.h>

#include <complex>
#include <vector>

typedef std::complex<double> number;
typedef std::vector<number> numbers;

#define CHECK_FFT(call) CHECK_INT(call, CUFFT_SUCCESS)

static number input(int i) { return number((i * 37 % 19 - 9) / 9.0, (i * 11 % 23 - 11) / 11.0); }

/* One axis after the other. */
static numbers transformed(numbers x, int nz, int ny, int nx, int sign)
{
    const int n[] = {nz, ny, nx}, step[] = {ny * nx, nx, 1};
    for (int axis = 0; axis < 3; axis++) {
        numbers y(x.size());
        for (size_t i = 0; i < x.size(); i++) {
            const int k = int(i) / step[axis] % n[axis];
            const size_t first = i - size_t(k * step[axis]);
            for (int j = 0; j < n[axis]; j++)
                y[i] += x[first + size_t(j * step[axis])] *
                        std::polar(1.0, sign * 2 * M_PI * ((long long)j * k % n[axis]) / n[axis]);
        }
        x = y;
    }
    return x;
}

static bool near(number got, number want, double tolerance)
{
    return std::abs(got - want) <= tolerance;
}

static void lines(int n, int batch)
{
    cufftHandle plan;
    cufftDoubleComplex *x = make_array<cufftDoubleComplex>(size_t(n * batch));
    for (int i = 0; i < n * batch; i++)
        x[i].x = input(i).real(), x[i].y = input(i).imag();
    CHECK_FFT(cufftPlan1d(&plan, n, CUFFT_Z2Z, batch));
    for (int direction = CUFFT_FORWARD; direction <= CUFFT_INVERSE; direction += 2) {
        CHECK_FFT(cufftExecZ2Z(plan, x, x, direction));
        CHECK_OK(cudaDeviceSynchronize());
        for (int b = 0; b < batch; b++) {
            numbers in;
            for (int i = 0; i < n; i++)
                in.push_back(input(b * n + i));
            const numbers want = transformed(in, 1, 1, n, CUFFT_FORWARD);
            for (int i = 0; i < n; i++) {
                const cufftDoubleComplex got = x[b * n + i];
                /* there and back: n times the input */
                CHECK(near(number(got.x, got.y),
                           direction == CUFFT_FORWARD ? want[size_t(i)] : double(n) * in[size_t(i)],
                           1e-11 * n));
            }
        }
    }
    CHECK_FFT(cufftDestroy(plan));
    CHECK_OK(cudaFree(x));
}

/* Floats, three dimensions. */
static void boxes()
{
    enum { NZ = 3, NY = 10, NX = 7 };
    cufftHandle plan;
    cufftComplex *x = make_array<cufftComplex>(NZ * NY * NX);
    cufftComplex *y = make_array<cufftComplex>(NZ * NY * NX);
    numbers in;
    for (int i = 0; i < NZ * NY * NX; i++) {
        x[i].x = float(input(i).real()), x[i].y = float(input(i).imag());
        in.push_back(number(double(x[i].x), double(x[i].y)));
    }
    CHECK_FFT(cufftPlan3d(&plan, NZ, NY, NX, CUFFT_C2C));
    CHECK_FFT(cufftExecC2C(plan, x, y, CUFFT_FORWARD));
    CHECK_OK(cudaDeviceSynchronize());
    const numbers want = transformed(in, NZ, NY, NX, CUFFT_FORWARD);
    for (int i = 0; i < NZ * NY * NX; i++)
        CHECK(near(number(double(y[i].x), double(y[i].y)), want[size_t(i)], 2e-4));
    CHECK_FFT(cufftDestroy(plan));
}

/* Real numbers, there and back, out of place and in it, where rows are padded. */
static void real_numbers(bool in_place)
{
    enum { NY = 6, NX = 9, HALF = NX / 2 + 1 };
    cufftHandle there, back;
    float *real = make_array<float>(NY * HALF * 2);
    cufftComplex *complex = in_place ? (cufftComplex *)real : make_array<cufftComplex>(NY * HALF);
    const int row = in_place ? 2 * HALF : NX;
    numbers in;
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            real[y * row + x] = float(input(y * NX + x).real());
            in.push_back(double(real[y * row + x]));
        }
    CHECK_FFT(cufftPlan2d(&there, NY, NX, CUFFT_R2C));
    CHECK_FFT(cufftPlan2d(&back, NY, NX, CUFFT_C2R));
    CHECK_FFT(cufftExecR2C(there, real, complex));
    CHECK_OK(cudaDeviceSynchronize());
    const numbers want = transformed(in, 1, NY, NX, CUFFT_FORWARD);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < HALF; x++)
            CHECK(near(number(double(complex[y * HALF + x].x), double(complex[y * HALF + x].y)),
                       want[size_t(y * NX + x)], 1e-4));
    CHECK_FFT(cufftExecC2R(back, complex, real));
    CHECK_OK(cudaDeviceSynchronize());
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++)
            CHECK(near(double(real[y * row + x]), in[size_t(y * NX + x)] * double(NY * NX),
                       1e-4 * NY * NX));
    CHECK_FFT(cufftDestroy(there));
    CHECK_FFT(cufftDestroy(back));
}

/* The columns of a matrix: numbers COLUMNS apart, transforms 1 apart. */
static void columns(bool wide)
{
    enum { ROWS = 8, COLUMNS = 5 };
    cufftHandle plan;
    int n[] = {ROWS}, embed[] = {ROWS};
    cufftComplex *x = make_array<cufftComplex>(ROWS * COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        x[i].x = float(input(i).real()), x[i].y = float(input(i).imag());
    long long wide_n[] = {ROWS};
    size_t work;
    CHECK_FFT(cufftPlanMany(&plan, 1, n, embed, COLUMNS, 1, embed, COLUMNS, 1, CUFFT_C2C, COLUMNS));
    if (wide) {
        CHECK_FFT(cufftDestroy(plan));
        CHECK_FFT(cufftCreate(&plan));
        CHECK_FFT(cufftXtMakePlanMany(plan, 1, wide_n, wide_n, COLUMNS, 1, CUDA_C_32F, wide_n,
                                      COLUMNS, 1, CUDA_C_32F, COLUMNS, &work, CUDA_C_32F));
    }
    CHECK_FFT(cufftExecC2C(plan, x, x, CUFFT_INVERSE));
    CHECK_OK(cudaDeviceSynchronize());
    for (int c = 0; c < COLUMNS; c++) {
        numbers in;
        for (int r = 0; r < ROWS; r++)
            in.push_back(input(r * COLUMNS + c));
        const numbers want = transformed(in, 1, 1, ROWS, CUFFT_INVERSE);
        for (int r = 0; r < ROWS; r++)
            CHECK(near(number(double(x[r * COLUMNS + c].x), double(x[r * COLUMNS + c].y)),
                       want[size_t(r)], 1e-5));
    }
    CHECK_FFT(cufftDestroy(plan));
}

int main()
{
    cufftHandle plan;
    const int lengths[] = {1, 2, 3, 4, 5, 8, 12, 13, 17, 34, 60, 64, 97, 128, 210, 289};
    for (int n : lengths)
        lines(n, 2);
    boxes();
    real_numbers(false);
    real_numbers(true);
    columns(false);
    columns(true);
    CHECK_FFT(cufftPlan1d(&plan, 8, CUFFT_C2C, 1));
    cufftComplex *x = make_array<cufftComplex>(7); /* too short, and freed memory on a card */
    if (on_simulator)
        CHECK_INT(cufftExecC2C(plan, x, x, CUFFT_FORWARD), CUFFT_INVALID_VALUE);
    if (on_simulator) /* an H200 transforms something */
        CHECK_INT(cufftExecR2C(plan, (float *)x, x), CUFFT_INVALID_TYPE);
    CHECK_INT(cufftExecC2C(77, x, x, CUFFT_FORWARD), CUFFT_INVALID_PLAN);
    CHECK_INT(cufftPlan1d(&plan, 0, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
    return check_result();
}
