/* test_matmul_reference.c - a right product passes, one wrong element anywhere does not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "suite.h"

#include "common/matmul_reference.c" /* not part of the library that unit tests link */

/* What a correct kernel computes: products summed up in float, in order. */
static float *multiply(const struct matmul_reference *r)
{
    const struct matmul_shape s = r->shape;
    float *c = calloc(s.m * s.n, sizeof *c);
    ck_assert_ptr_nonnull(c);
    for (size_t i = 0; i < s.m; i++)
        for (size_t k = 0; k < s.k; k++)
            for (size_t j = 0; j < s.n; j++)
                c[i * s.n + j] += r->a[i * s.k + k] * r->b[k * s.n + j];
    return c;
}

static const struct matmul_shape small = {30, 50, 40}, large = {408, 409, 410}; /* on both sides of FULL_WORK_MAX */

START_TEST(right_products_pass)
{
    const struct matmul_shape shapes[] = {{1, 1, 1}, {1, 1, 7}, {7, 1, 1}, small, large};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct matmul_reference *r = matmul_reference_open(shapes[i], 1);
        ck_assert_ptr_nonnull(r);
        float *c = multiply(r);
        const struct matmul_verdict v = matmul_judge(r, c);
        ck_assert(v.ok);
        ck_assert(v.max_rel_error < 1e-5);
        ck_assert_int_eq(v.full, shapes[i].m < 100);
        free(c);
        matmul_reference_close(r);
    }
}
END_TEST

START_TEST(two_by_two_by_hand)
{
    struct matmul_reference *r = matmul_reference_open((struct matmul_shape){2, 2, 3}, 5);
    const float *a = matmul_reference_a(r), *b = matmul_reference_b(r);
    ck_assert_double_eq_tol(r->want[1 * 2 + 0],
                            (double)a[3] * (double)b[0] + (double)a[4] * (double)b[2] +
                                (double)a[5] * (double)b[4],
                            1e-15);
    matmul_reference_close(r);
}
END_TEST

/* A large product is not compared element by element, and yet no single element may be wrong. */
START_TEST(one_wrong_element_is_found)
{
    const struct matmul_shape s = _i % 2 ? large : small;
    struct matmul_reference *r = matmul_reference_open(s, 3);
    float *c = multiply(r);
    struct rng rng = rng_start((uint64_t)_i);
    const size_t at = (size_t)rng_between(&rng, 0, (int64_t)(s.m * s.n) - 1);
    c[at] = _i % 4 < 2 ? c[at] + 0.25f : NAN;
    const struct matmul_verdict v = matmul_judge(r, c);
    ck_assert(!v.ok);
    ck_assert_uint_eq(v.row, at / s.n);
    ck_assert(v.column == at % s.n || v.column == s.n);
    free(c);
    matmul_reference_close(r);
}
END_TEST

START_TEST(poison_is_never_right)
{
    struct matmul_reference *r = matmul_reference_open(large, 3);
    float *c = malloc(large.m * large.n * sizeof *c);
    memset(c, 0xff, large.m * large.n * sizeof *c);
    const struct matmul_verdict v = matmul_judge(r, c);
    ck_assert(!v.ok);
    ck_assert(isnan(v.max_rel_error));
    free(c);
    matmul_reference_close(r);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("matmul_reference");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, right_products_pass);
    tcase_add_test(tc, two_by_two_by_hand);
    tcase_add_loop_test(tc, one_wrong_element_is_found, 0, 8);
    tcase_add_test(tc, poison_is_never_right);
    return run_suite("matmul_reference", tc);
}
