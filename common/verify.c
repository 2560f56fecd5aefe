/* verify.c - seeded inputs and NaN-proof comparisons (see verify.h). */
#include "verify.h"

#include <math.h>
#include <string.h>

struct rng rng_start(uint64_t seed)
{
    struct rng r = {seed};
    return r;
}

uint64_t rng_next(struct rng *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double rng_unit(struct rng *r) { return (double)(rng_next(r) >> 11) * 0x1p-53; }

int64_t rng_between(struct rng *r, int64_t low, int64_t high)
{
    uint64_t width = (uint64_t)high - (uint64_t)low + 1; /* 0: all 2^64 values */
    uint64_t value = rng_next(r);
    return (int64_t)((uint64_t)low + (width ? value % width : value));
}

void verify_fill_floats(float *values, size_t count, uint64_t seed)
{
    struct rng r = rng_start(seed);
    for (size_t i = 0; i < count; i++) {
        /* 24 random bits fit a float exactly, so no platform rounds here. */
        int32_t bits = (int32_t)(rng_next(&r) >> 40);
        values[i] = (float)(bits - (1 << 23)) * 0x1p-23f;
    }
}

void verify_fill_doubles(double *values, size_t count, uint64_t seed)
{
    struct rng r = rng_start(seed);
    for (size_t i = 0; i < count; i++) {
        values[i] = 2.0 * rng_unit(&r) - 1.0;
    }
}

void verify_fill_ints(int32_t *values, size_t count, int32_t low, int32_t high, uint64_t seed)
{
    struct rng r = rng_start(seed);
    for (size_t i = 0; i < count; i++) {
        values[i] = (int32_t)rng_between(&r, low, high);
    }
}

bool verify_close(double got, double want, double abs_tolerance, double rel_tolerance)
{
    if (isinf(got) || isinf(want)) { /* inf - inf and rel * inf would let anything pass */
        return got == want;
    }
    return fabs(got - want) <= abs_tolerance + rel_tolerance * fabs(want);
}

static void note_mismatch(struct verify_result *r, size_t index, double got, double want)
{
    if (r->mismatches++ == 0) {
        r->ok = false;
        r->first = index;
        r->got = got;
        r->want = want;
    }
}

static void compare_reals(struct verify_result *r, size_t index, double got, double want,
                          double abs_tolerance, double rel_tolerance)
{
    double error = got == want ? 0.0 : fabs(got - want);
    if (isinf(error)) {
        error = NAN; /* an unequal infinity is no distance */
    }
    if (isnan(error) || error > r->max_abs_error) {
        r->max_abs_error = isnan(r->max_abs_error) ? NAN : error;
    }
    if (!verify_close(got, want, abs_tolerance, rel_tolerance)) {
        note_mismatch(r, index, got, want);
    }
}

struct verify_result verify_floats(const float *got, const double *want, size_t count,
                                   double abs_tolerance, double rel_tolerance)
{
    struct verify_result r = {.ok = true, .count = count};
    for (size_t i = 0; i < count; i++) {
        compare_reals(&r, i, (double)got[i], want[i], abs_tolerance, rel_tolerance);
    }
    return r;
}

struct verify_result verify_doubles(const double *got, const double *want, size_t count,
                                    double abs_tolerance, double rel_tolerance)
{
    struct verify_result r = {.ok = true, .count = count};
    for (size_t i = 0; i < count; i++) {
        compare_reals(&r, i, got[i], want[i], abs_tolerance, rel_tolerance);
    }
    return r;
}

struct verify_result verify_floats_equal(const float *got, const float *want, size_t count)
{
    struct verify_result r = {.ok = true, .count = count};
    for (size_t i = 0; i < count; i++) {
        compare_reals(&r, i, (double)got[i], (double)want[i], 0.0, 0.0);
    }
    return r;
}

struct verify_result verify_ints(const int32_t *got, const int32_t *want, size_t count)
{
    struct verify_result r = {.ok = true, .count = count};
    for (size_t i = 0; i < count; i++) {
        compare_reals(&r, i, (double)got[i], (double)want[i], 0.0, 0.0);
    }
    return r;
}

struct verify_result verify_bytes(const void *got, const void *want, size_t count)
{
    struct verify_result r = {.ok = true, .count = count};
    const unsigned char *g = got, *w = want;
    if (count > 0 && memcmp(g, w, count) == 0) {
        return r;
    }
    for (size_t i = 0; i < count; i++) {
        compare_reals(&r, i, (double)g[i], (double)w[i], 0.0, 0.0);
    }
    return r;
}

void verify_explain(FILE *out, const char *kernel, const struct verify_result *r, size_t columns)
{
    if (r->ok) {
        return;
    }
    fprintf(out, "%s: %zu of %zu values wrong, first at ", kernel, r->mismatches, r->count);
    if (columns > 0) {
        fprintf(out, "row %zu, column %zu", r->first / columns, r->first % columns);
    } else {
        fprintf(out, "index %zu", r->first);
    }
    if (isnan(r->got)) { /* printf may write -nan */
        fprintf(out, ": got nan, want %.9g\n", r->want);
    } else {
        fprintf(out, ": got %.9g, want %.9g\n", r->got, r->want);
    }
}
