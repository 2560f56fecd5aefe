/* fourier.c - see fourier.h. */
#include "libraries/fourier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"

enum { LARGEST_FACTOR = 13 };

struct fourier {
    size_t length;
    double complex *roots; /* exp(-2 pi i k / length) */
    double complex *room;  /* for one line */
    /* Bluestein: NULL where the factors are small */
    struct fourier *longer;
    double complex *chirp, *kernel, *product;
};

static double complex root_of(size_t k, size_t n)
{
    const double angle = 2 * 3.14159265358979323846 * (double)k / (double)n;
    return cos(angle) - sin(angle) * I;
}

/* The smallest prime factor, or 0: there is none up to LARGEST_FACTOR. */
static size_t small_factor(size_t n)
{
    for (size_t p = 2; p <= LARGEST_FACTOR; p++) {
        if (n % p == 0) {
            return n % 4 == 0 && p == 2 ? 4 : p;
        }
    }
    return 0;
}

static int has_small_factors(size_t n)
{
    while (n > 1) {
        const size_t factor = small_factor(n);
        if (factor == 0) {
            return 0;
        }
        n /= factor;
    }
    return 1;
}

/* ---- by factors ------------------------------------------------------------------------------ */

/* Butterflies of p lines of m numbers each, which lie behind each other in `line`. */
static void join(const struct fourier *f, double complex *line, size_t p, size_t m, size_t step)
{
    for (size_t k = 0; k < m; k++) {
        double complex x[LARGEST_FACTOR];
        for (size_t q = 0; q < p; q++) {
            x[q] = line[q * m + k] * f->roots[q * k * step];
        }
        if (p == 2) {
            line[k] = x[0] + x[1];
            line[m + k] = x[0] - x[1];
            continue;
        }
        for (size_t r = 0; r < p; r++) {
            double complex sum = x[0];
            for (size_t q = 1; q < p; q++) {
                sum += x[q] * f->roots[q * r % p * m * step];
            }
            line[r * m + k] = sum;
        }
    }
}

/* `n` numbers of `from`, `step` apart, forward into `to`; n times step is the length. */
static void by_factors(const struct fourier *f, const double complex *from, double complex *to,
                       size_t n, size_t step)
{
    if (n == 1) {
        to[0] = from[0];
        return;
    }
    const size_t p = small_factor(n), m = n / p;
    for (size_t q = 0; q < p; q++) {
        by_factors(f, from + q * step, to + q * m, m, step * p);
    }
    join(f, to, p, m, step);
}

/* ---- any length ------------------------------------------------------------------------------ */

/* exp(-pi i k^2 / n); k^2 modulo 2n stays exact. */
static double complex chirp_of(size_t k, size_t n)
{
    const unsigned __int128 square = (unsigned __int128)k * k % (2 * n);
    return root_of((size_t)square, 2 * n);
}

static void open_bluestein(struct fourier *f)
{
    size_t longer = 1;
    while (longer < 2 * f->length) {
        longer *= 2;
    }
    f->longer = fourier_new(longer);
    f->chirp = room_new(f->length, sizeof *f->chirp);
    f->kernel = room_new(longer, sizeof *f->kernel);
    f->product = room_new(longer, sizeof *f->product);
    for (size_t k = 0; k < f->length; k++) {
        f->chirp[k] = chirp_of(k, f->length);
        f->kernel[k] = conj(f->chirp[k]);
        f->kernel[(longer - k) % longer] = conj(f->chirp[k]);
    }
    fourier_line(f->longer, f->kernel, -1);
}

static void by_convolution(const struct fourier *f, double complex *line)
{
    const size_t n = f->length, longer = f->longer->length;
    memset(f->product, 0, longer * sizeof *f->product);
    for (size_t k = 0; k < n; k++) {
        f->product[k] = line[k] * f->chirp[k];
    }
    fourier_line(f->longer, f->product, -1);
    for (size_t k = 0; k < longer; k++) {
        f->product[k] *= f->kernel[k];
    }
    fourier_line(f->longer, f->product, 1);
    for (size_t k = 0; k < n; k++) {
        line[k] = f->product[k] * f->chirp[k] / (double)longer;
    }
}

/* ---- both ------------------------------------------------------------------------------------ */

struct fourier *fourier_new(size_t length)
{
    struct fourier *f = room_new(1, sizeof *f);
    f->length = length;
    if (!has_small_factors(length)) {
        open_bluestein(f);
        return f;
    }
    f->roots = room_new(length, sizeof *f->roots);
    f->room = room_new(length, sizeof *f->room);
    for (size_t k = 0; k < length; k++) {
        f->roots[k] = root_of(k, length);
    }
    return f;
}

void fourier_free(struct fourier *f)
{
    if (f == NULL) {
        return;
    }
    fourier_free(f->longer);
    free(f->roots);
    free(f->room);
    free(f->chirp);
    free(f->kernel);
    free(f->product);
    free(f);
}

/* The way back is the way forward of the conjugate. */
static void conjugate(double complex *line, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        line[k] = conj(line[k]);
    }
}

void fourier_line(const struct fourier *f, double complex *line, int sign)
{
    if (sign > 0) {
        conjugate(line, f->length);
    }
    if (f->longer != NULL) {
        by_convolution(f, line);
    } else {
        memcpy(f->room, line, f->length * sizeof *line);
        by_factors(f, f->room, line, f->length, 1);
    }
    if (sign > 0) {
        conjugate(line, f->length);
    }
}
