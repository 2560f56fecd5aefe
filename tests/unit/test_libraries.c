/* test_libraries.c - the arithmetic of our cuBLAS, cuFFT, cuRAND and cuSOLVER, without a GPU's
 * memory: elements, Sobol' numbers, factors of dense matrices, Fourier transforms. */
#include <check.h>
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libraries/dense.h"
#include "libraries/element.h"
#include "libraries/fourier.h"
#include "libraries/sobol.h"

#include "suite.h"

#define CHECK_NEAR(got, want)                                                                      \
    ck_assert_msg(fabs((got) - (want)) <= 1e-12, "%.17g is not %.17g", (double)(got),              \
                  (double)(want))

/* ---- elements -------------------------------------------------------------------------------- */

static double through(cudaDataType type, double value)
{
    uint64_t room[2] = {0};
    element_store(type, room, 1, value);
    return element_load(type, room, 1);
}

START_TEST(an_element_is_rounded_to_the_nearest)
{
    CHECK_NEAR(through(CUDA_R_64F, 0.1), 0.1);
    CHECK_NEAR(through(CUDA_R_32F, 0.1), (double)0.1f);
    CHECK_NEAR(through(CUDA_R_16F, 2049), 2048); /* halfway: to the even one */
    CHECK_NEAR(through(CUDA_R_16BF, 257), 256);
    CHECK_NEAR(through(CUDA_R_16BF, 259), 260);
    CHECK_NEAR(through(CUDA_R_16BF, -1.5), -1.5);
}
END_TEST

START_TEST(integers_are_cut_off)
{
    CHECK_NEAR(through(CUDA_R_32I, -7.9), -7);
    CHECK_NEAR(through(CUDA_R_8I, 100.5), 100);
}
END_TEST

START_TEST(what_is_no_number_stays_none)
{
    ck_assert(isnan(through(CUDA_R_16BF, (double)NAN)));
    ck_assert(isnan(through(CUDA_R_16F, (double)NAN)));
}
END_TEST

START_TEST(elements_have_their_sizes)
{
    ck_assert_uint_eq(element_size(CUDA_R_64F), 8);
    ck_assert_uint_eq(element_size(CUDA_R_32I), 4);
    ck_assert_uint_eq(element_size(CUDA_R_16BF), 2);
    ck_assert_uint_eq(element_size(CUDA_R_8I), 1);
    ck_assert_uint_eq(element_size(CUDA_C_32F), 0);
}
END_TEST

/* ---- Sobol' numbers -------------------------------------------------------------------------- */

/* The first points of Joe and Kuo's example, and the eighth: the first that the polynomials of
 * dimensions 3 and 4 take part in. */
START_TEST(points_are_those_of_joe_and_kuo)
{
    static const double points[][5] = {{0, 0, 0, 0, 0},
                                       {0.5, 0.5, 0.5, 0.5, 0.5},
                                       {0.75, 0.25, 0.25, 0.25, 0.75},
                                       {0.25, 0.75, 0.75, 0.75, 0.25},
                                       {0.375, 0.375, 0.625, 0.875, 0.375},
                                       {0.875, 0.875, 0.125, 0.375, 0.875}};
    for (unsigned d = 0; d < 5; d++) {
        uint64_t v[SOBOL_BITS];
        sobol_directions(d, v);
        for (unsigned i = 0; i < sizeof points / sizeof points[0]; i++) {
            CHECK_NEAR(ldexp((double)sobol_number(v, i), -64), points[i][d]);
        }
    }
}
END_TEST

/* Direction i is an odd number of i + 1 bits, from the top of the word on: so the first 2^i points
 * of each dimension lie in different intervals. */
START_TEST(directions_are_odd_numbers)
{
    for (unsigned d = 0; d < SOBOL_DIMENSIONS; d++) {
        uint64_t v[SOBOL_BITS];
        sobol_directions(d, v);
        for (unsigned i = 0; i < SOBOL_BITS; i++) {
            const uint64_t lowest = (uint64_t)1 << (63 - i);
            ck_assert_msg((v[i] & (2 * lowest - 1)) == lowest, "dimension %u, direction %u", d, i);
        }
    }
}
END_TEST

START_TEST(later_directions_come_from_the_polynomial)
{
    uint64_t v[SOBOL_BITS];
    sobol_directions(3, v); /* x^3 + x + 1: m4 = 4 m2 ^ 8 m1 ^ m1 = 12 ^ 8 ^ 1 */
    ck_assert_uint_eq(v[3] >> 60, 5);
    sobol_directions(4, v); /* x^3 + x^2 + 1: m4 = 2 m3 ^ 8 m1 ^ m1 = 2 ^ 8 ^ 1 */
    ck_assert_uint_eq(v[3] >> 60, 11);
}
END_TEST

/* ---- dense matrices -------------------------------------------------------------------------- */

START_TEST(of_equal_pivots_the_first_is_taken)
{
    double a[] = {2, -2, 1, 1, 3, 3, 1, 1, 4};
    int pivots[3];
    ck_assert_int_eq(dense_lu(a, 3, 3, pivots), 0);
    ck_assert_int_eq(pivots[0], 1);
    CHECK_NEAR(a[1], -1); /* L */
}
END_TEST

START_TEST(the_largest_pivot_is_exchanged)
{
    double a[] = {1, 4, 2, 5}, b[] = {1 * 3 + 2 * 7, 4 * 3 + 5 * 7};
    int pivots[2];
    ck_assert_int_eq(dense_lu(a, 2, 2, pivots), 0);
    ck_assert_int_eq(pivots[0], 2);
    CHECK_NEAR(a[0], 4);
    dense_lu_solve(a, 2, pivots, false, b, 1);
    CHECK_NEAR(b[0], 3);
    CHECK_NEAR(b[1], 7);
}
END_TEST

START_TEST(a_singular_matrix_names_its_column)
{
    double a[] = {1, 2, 3, 2, 4, 6, 0, 1, 5};
    int pivots[3];
    ck_assert_int_eq(dense_lu(a, 3, 3, pivots), 2);
}
END_TEST

START_TEST(cholesky_names_the_part_that_is_not_positive)
{
    double good[] = {4, 2, 2, 5}, bad[] = {1, 2, 2, 1};
    ck_assert_int_eq(dense_cholesky(good, 2, true), 0);
    CHECK_NEAR(good[0], 2);
    CHECK_NEAR(good[1], 1);
    CHECK_NEAR(good[3], 2);
    ck_assert_int_eq(dense_cholesky(bad, 2, true), 2);
}
END_TEST

START_TEST(eigenvalues_come_from_the_least_on)
{
    double a[] = {2, 1, 0, 1, 2, 0, 0, 0, -5}, values[3];
    dense_eigen(a, 3, values);
    CHECK_NEAR(values[0], -5);
    CHECK_NEAR(values[1], 1);
    CHECK_NEAR(values[2], 3);
    CHECK_NEAR(fabs(a[2]), 1); /* the vector of -5 */
    CHECK_NEAR(a[6] - a[7], 0);
}
END_TEST

START_TEST(singular_values_come_from_the_largest_on)
{
    const double a[] = {0, 0, 3, -4, 0, 0};
    double u[9], s[2], vt[4];
    dense_svd(a, 3, 2, u, s, vt);
    CHECK_NEAR(s[0], 4);
    CHECK_NEAR(s[1], 3);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 2; j++) {
            CHECK_NEAR(u[i] * s[0] * vt[2 * j] + u[i + 3] * s[1] * vt[1 + 2 * j], a[i + 3 * j]);
        }
    }
}
END_TEST

/* ---- Fourier transforms ---------------------------------------------------------------------- */

static double complex wanted(const double complex *line, size_t n, size_t k, int sign)
{
    double complex sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += line[i] * cexp(sign * 2 * M_PI * I * (double)(i * k % n) / (double)n);
    }
    return sum;
}

/* Of small prime factors, and of large ones: 23, 46, 97. */
START_TEST(a_line_of_any_length_is_transformed)
{
    static const size_t lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 30, 46, 49, 64, 97};
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        const size_t n = lengths[l];
        double complex line[97], before[97];
        struct fourier *f = fourier_new(n);
        for (int sign = -1; sign <= 1; sign += 2) {
            for (size_t i = 0; i < n; i++) {
                before[i] = line[i] = (double)(i * i % 7) - 2 + (double)(3 * i % 5) * I;
            }
            fourier_line(f, line, sign);
            for (size_t k = 0; k < n; k++) {
                ck_assert_msg(cabs(line[k] - wanted(before, n, k, sign)) <= 1e-9, "length %zu, %zu",
                              n, k);
            }
        }
        fourier_free(f);
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("libraries");
    tcase_add_test(tests, an_element_is_rounded_to_the_nearest);
    tcase_add_test(tests, integers_are_cut_off);
    tcase_add_test(tests, what_is_no_number_stays_none);
    tcase_add_test(tests, elements_have_their_sizes);
    tcase_add_test(tests, points_are_those_of_joe_and_kuo);
    tcase_add_test(tests, directions_are_odd_numbers);
    tcase_add_test(tests, later_directions_come_from_the_polynomial);
    tcase_add_test(tests, of_equal_pivots_the_first_is_taken);
    tcase_add_test(tests, the_largest_pivot_is_exchanged);
    tcase_add_test(tests, a_singular_matrix_names_its_column);
    tcase_add_test(tests, cholesky_names_the_part_that_is_not_positive);
    tcase_add_test(tests, eigenvalues_come_from_the_least_on);
    tcase_add_test(tests, singular_values_come_from_the_largest_on);
    tcase_add_test(tests, a_line_of_any_length_is_transformed);
    return run_suite("libraries", tests);
}
