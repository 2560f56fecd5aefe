/* test_coalescing.c - the predictions of lesson 03 against figures worked out by hand. */
#include <stdlib.h>

#include "step03_coalescing/harness/predict.c"
#include "suite.h"

static struct traffic copy(unsigned bytes, size_t offset, size_t stride, size_t n)
{
    const struct trial t = {.n = n, .offset = offset, .stride = stride, .element_bytes = bytes};
    struct traffic out;
    predict_copy(&t, &out);
    return out;
}

static void check_traffic(struct traffic t, uint64_t requests, uint64_t sectors)
{
    ck_assert_uint_eq(t.load_requests, requests);
    ck_assert_uint_eq(t.load_sectors, sectors);
    ck_assert_uint_eq(t.store_requests, requests);
    ck_assert_uint_eq(t.store_sectors, sectors);
    ck_assert_uint_eq(t.bank_conflicts, 0);
}

START_TEST(offsets)
{
    const size_t offset = (size_t)_i;
    check_traffic(copy(4, offset, 1, 3200), 100, offset % 8 == 0 ? 400 : 500);
}
END_TEST

START_TEST(strides)
{
    const size_t stride = (size_t)_i;
    check_traffic(copy(4, 0, stride, 3200), 100, stride < 8 ? 400 * stride : 3200);
}
END_TEST

START_TEST(sizes)
{
    const unsigned bytes = 1u << _i;
    check_traffic(copy(bytes, 0, 1, 320), 10, 10 * bytes);
    check_traffic(copy(bytes, 1, 1, 320), 10, 10 * (bytes + 1));
}
END_TEST

/* The last warp has the lanes that are left: 3 floats at offset 7 touch two sectors. */
START_TEST(last_warp)
{
    check_traffic(copy(4, 0, 1, 35), 2, 4 + 1);
    check_traffic(copy(4, 7, 1, 35), 2, 5 + 2);
    check_traffic(copy(4, 0, 8, 35), 2, 32 + 3);
    check_traffic(copy(4, 0, 1, 32), 1, 4);
}
END_TEST

/* 131 floats are 32 float4, a whole warp, and 3 floats in the next one. */
START_TEST(plain)
{
    struct trial t = {.n = 131};
    struct traffic out;
    predict_plain(&t, &out);
    check_traffic(out, 2, 16 + 1);
    t.n = 127; /* 31 float4; the 3 floats are lane 31 of that warp and two of the next */
    predict_plain(&t, &out);
    check_traffic(out, 3, 16 + 1 + 1);
}
END_TEST

START_TEST(structs)
{
    const struct trial t = {.n = 320};
    struct traffic out;
    predict_aos_one_field(&t, &out);
    check_traffic(out, 10, 320);
    predict_soa_one_field(&t, &out);
    check_traffic(out, 10, 40);
    predict_aos_all_fields(&t, &out);
    check_traffic(out, 80, 2560);
    predict_aos_all_fields_float4(&t, &out);
    check_traffic(out, 20, 640);
    predict_soa_all_fields(&t, &out);
    check_traffic(out, 80, 320);
}
END_TEST

/* 128 x 192 is 6 tiles of 128 requests of one float per lane. */
START_TEST(transposes)
{
    const struct trial t = {.n = 128 * 192, .width = 128, .height = 192};
    struct traffic out;
    predict_transpose_naive(&t, &out);
    ck_assert_uint_eq(out.load_requests, 768);
    ck_assert_uint_eq(out.load_sectors, 768 * 4);
    ck_assert_uint_eq(out.store_requests, 768);
    ck_assert_uint_eq(out.store_sectors, 768 * 32);
    predict_transpose_padded(&t, &out);
    check_traffic(out, 768, 768 * 4);
    predict_transpose_float4(&t, &out);
    check_traffic(out, 768 / 4, 768 * 4);
    predict_transpose_tile(&t, &out);
    ck_assert_uint_eq(out.bank_conflicts, 768 * 31);
}
END_TEST

/* A matrix that fills no tile, with rows that start anywhere in a sector. */
START_TEST(cut_tiles)
{
    const struct trial t = {.n = 65 * 3, .width = 65, .height = 3};
    struct traffic out;
    predict_transpose_naive(&t, &out);
    ck_assert_uint_eq(out.load_requests, 3 * 3); /* 32 + 32 + 1 floats of each row */
    ck_assert_uint_eq(out.store_requests, 3 * 3);
    /* Lanes 12 bytes apart: 32 of them span 12 sectors, whichever of the 3 rows they come from. */
    ck_assert_uint_eq(out.store_sectors, 3 * (12 + 12 + 1));
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("predictions");
    tcase_add_loop_test(t, offsets, 0, 33);
    tcase_add_loop_test(t, strides, 1, 33);
    tcase_add_loop_test(t, sizes, 0, 5);
    tcase_add_test(t, last_warp);
    tcase_add_test(t, plain);
    tcase_add_test(t, structs);
    tcase_add_test(t, transposes);
    tcase_add_test(t, cut_tiles);
    return run_suite("coalescing", t);
}
