/* curand_fill.c - our cuRAND for the host: the distributions that generators fill arrays with.
 *
 * Value n of XORWOW is drawn from lane n mod 4096, as the reference says of its default order;
 * uniform and normal numbers are made of bits as curand_kernel.h makes them. */
#include "libraries/curand_state.h"

#include <math.h>

#include "libraries/sobol.h"
#include "runtime/library.h"

/* ---- one value ------------------------------------------------------------------------------- */

enum kind { BITS, LONG_BITS, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE, POISSON };

static unsigned size_of(enum kind kind)
{
    return kind == LONG_BITS || kind == UNIFORM_DOUBLE || kind == NORMAL_DOUBLE ? 8 : 4;
}

/* Above 0, up to 1. */
static float uniform(uint32_t x) { return (float)x * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }

static double uniform_of_long(uint64_t bits53) { return (double)bits53 * 0x1p-53 + 0x1p-54; }

static double draw_uniform_double(struct engine *e, unsigned lane)
{
    const uint32_t x = engine_draw(e, lane), y = engine_draw(e, lane);
    return uniform_of_long(x ^ (uint64_t)y << 21);
}

struct request {
    curandGenerator_t generator;
    enum kind kind;
    void *out;
    size_t n;
    double mean, deviation; /* of the normal distribution; Poisson's lambda in mean */
    bool is_log;
};

static double shaped(const struct request *r, double normal)
{
    const double value = r->mean + r->deviation * normal;
    return r->is_log ? exp(value) : value;
}

/* Two normal numbers of two uniform ones (Box and Muller). */
static void draw_normals(const struct request *r, struct engine *e, unsigned lane, double both[2])
{
    double length, turns;
    if (r->kind == NORMAL) {
        const uint32_t x = engine_draw(e, lane), y = engine_draw(e, lane);
        length = (double)sqrtf(-2.0f * logf(uniform(x)));
        turns = (double)uniform(y);
    } else {
        length = sqrt(-2 * log(draw_uniform_double(e, lane)));
        turns = draw_uniform_double(e, lane);
    }
    const double angle = 2 * 3.14159265358979323846 * turns;
    both[0] = length * sin(angle);
    both[1] = length * cos(angle);
}

/* Products of uniform numbers where lambda is small (Knuth); else the transformed rejection of
 * Hormann (1993). */
static uint32_t draw_poisson(struct engine *e, unsigned lane, double lambda)
{
    if (lambda < 10) {
        const double limit = exp(-lambda);
        uint32_t count = 0;
        for (double p = draw_uniform_double(e, lane); p > limit; count++) {
            p *= draw_uniform_double(e, lane);
        }
        return count;
    }
    const double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b;
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    const double v_r = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = draw_uniform_double(e, lane) - 0.5, v = draw_uniform_double(e, lane);
        const double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + lambda + 0.43);
        if (us >= 0.07 && v <= v_r) {
            return (uint32_t)k;
        }
        if (k < 0 || (us < 0.013 && v > us)) {
            continue;
        }
        if (log(v * inverse_alpha / (a / (us * us) + b)) <=
            k * log(lambda) - lambda - lgamma(k + 1)) {
            return (uint32_t)k;
        }
    }
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static void put(const struct request *r, void *out, size_t i, double value)
{
    if (size_of(r->kind) == 8) {
        ((double *)out)[i] = value;
    } else {
        ((float *)out)[i] = (float)value;
    }
}

static void fill_pseudo(const struct request *r, void *out)
{
    curandGenerator_t g = r->generator;
    curand_make_engine(g);
    const unsigned lanes = engine_lanes(g->engine);
    const bool pairs = r->kind == NORMAL || r->kind == NORMAL_DOUBLE;
    for (size_t i = 0; i < r->n; i += pairs ? 2 : 1, g->position++) {
        const unsigned lane = (unsigned)(g->position % lanes);
        double both[2];
        if (pairs) {
            draw_normals(r, g->engine, lane, both);
            put(r, out, i, shaped(r, both[0]));
            put(r, out, i + 1, shaped(r, both[1]));
        } else if (r->kind == BITS) {
            ((uint32_t *)out)[i] = engine_draw(g->engine, lane);
        } else if (r->kind == POISSON) {
            ((uint32_t *)out)[i] = draw_poisson(g->engine, lane, r->mean);
        } else {
            put(r, out, i,
                r->kind == UNIFORM ? (double)uniform(engine_draw(g->engine, lane))
                                   : draw_uniform_double(g->engine, lane));
        }
    }
}

/* The number below which a normal one is with probability p: a rough start, and
 * Halley's steps with the error function. */
static double normal_below(double p)
{
    double x = p < 0.5 ? -sqrt(-2 * log(p)) : sqrt(-2 * log(1 - p));
    x = fabs(p - 0.5) < 0.4 ? (p - 0.5) * 2.5 : x;
    for (unsigned i = 0; i < 60; i++) {
        const double miss = 0.5 * erfc(-x / 1.4142135623730951) - p;
        const double slope = exp(-x * x / 2) * 0.3989422804014327;
        const double step = miss / slope;
        const double used = step / (1 + x * step / 2);
        x -= used;
        if (fabs(used) <= 1e-15 * (1 + fabs(x))) {
            break;
        }
    }
    return x;
}

static void put_quasi(const struct request *r, void *out, size_t i, uint64_t x)
{
    const double p =
        r->generator->type == CURAND_RNG_QUASI_SOBOL64
            ? uniform_of_long(x >> 11)
            : (double)(x >> 32) * 0x1p-32 + (size_of(r->kind) == 8 ? 0x1p-32 : 0x1p-33);
    switch (r->kind) {
    case BITS:
        ((uint32_t *)out)[i] = (uint32_t)(x >> 32);
        break;
    case LONG_BITS:
        ((uint64_t *)out)[i] = x;
        break;
    case UNIFORM:
    case UNIFORM_DOUBLE:
        put(r, out, i, p);
        break;
    case POISSON:
        ((uint32_t *)out)[i] = 0;
        break; /* rejected before */
    default:
        put(r, out, i, shaped(r, normal_below(p < 1 ? p : 1 - 0x1p-54)));
    }
}

/* One dimension after the other. */
static void fill_quasi(const struct request *r, void *out)
{
    curandGenerator_t g = r->generator;
    const size_t each = r->n / g->dimensions;
    for (unsigned d = 0; d < g->dimensions; d++) {
        uint64_t v[SOBOL_BITS];
        sobol_directions(d, v);
        for (size_t i = 0; i < each; i++) {
            put_quasi(r, out, d * each + i, sobol_number(v, g->offset + g->position + i));
        }
    }
    g->position += each;
}

static bool fill(struct simt_library *l, const void *state)
{
    const struct request *r = state;
    void *out = simt_library_line(l, "output", r->out, r->n * size_of(r->kind), LIBRARY_WRITES);
    if (out == NULL || !curand_is_live(r->generator)) {
        return false; /* a graph may outlive its generator */
    }
    if (curand_is_quasi(r->generator->type)) {
        fill_quasi(r, out);
    } else {
        fill_pseudo(r, out);
    }
    return true;
}

static curandStatus_t judge(const struct request *r)
{
    const curandGenerator_t g = r->generator;
    if (!curand_is_live(g)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    if (curand_is_quasi(g->type)
            ? r->kind == POISSON || (r->kind == LONG_BITS) !=
                                        (g->type == CURAND_RNG_QUASI_SOBOL64 && r->kind < UNIFORM)
            : r->kind == LONG_BITS) {
        return CURAND_STATUS_TYPE_ERROR;
    }
    const bool pairs = r->kind == NORMAL || r->kind == NORMAL_DOUBLE;
    if (curand_is_quasi(g->type) ? r->n % g->dimensions != 0 : pairs && r->n % 2 != 0) {
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    }
    return r->kind == POISSON && !(r->mean > 0 && r->mean <= 400000) ? CURAND_STATUS_OUT_OF_RANGE
                                                                     : CURAND_STATUS_SUCCESS;
}

static curandStatus_t generate(const char *name, const struct request *r)
{
    const curandStatus_t status = judge(r);
    if (status != CURAND_STATUS_SUCCESS) {
        return status;
    }
    if (r->generator->on_host) {
        if (curand_is_quasi(r->generator->type)) {
            fill_quasi(r, r->out);
        } else {
            fill_pseudo(r, r->out);
        }
        return status;
    }
    const struct simt_library_call call = {
        .library = "cuRAND", .name = name, .stream = r->generator->stream};
    return simt_library_run(&call, fill, r, sizeof *r) == (int)cudaSuccess
               ? CURAND_STATUS_SUCCESS
               : CURAND_STATUS_LAUNCH_FAILURE;
}

#define GENERATE(function, type, what)                                                             \
    curandStatus_t function(curandGenerator_t generator, type *out, size_t n)                      \
    {                                                                                              \
        return generate(#function, &(struct request){                                              \
                                       .generator = generator, .kind = what, .out = out, .n = n}); \
    }
GENERATE(curandGenerate, unsigned, BITS)
GENERATE(curandGenerateLongLong, unsigned long long, LONG_BITS)
GENERATE(curandGenerateUniform, float, UNIFORM)
GENERATE(curandGenerateUniformDouble, double, UNIFORM_DOUBLE)

#define GENERATE_NORMAL(function, type, what, log)                                                 \
    curandStatus_t function(curandGenerator_t generator, type *out, size_t n, type mean,           \
                            type deviation)                                                        \
    {                                                                                              \
        return generate(#function, &(struct request){.generator = generator,                       \
                                                     .kind = what,                                 \
                                                     .out = out,                                   \
                                                     .n = n,                                       \
                                                     .mean = (double)mean,                         \
                                                     .deviation = (double)deviation,               \
                                                     .is_log = log});                              \
    }
GENERATE_NORMAL(curandGenerateNormal, float, NORMAL, false)
GENERATE_NORMAL(curandGenerateNormalDouble, double, NORMAL_DOUBLE, false)
GENERATE_NORMAL(curandGenerateLogNormal, float, NORMAL, true)
GENERATE_NORMAL(curandGenerateLogNormalDouble, double, NORMAL_DOUBLE, true)

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned *out, size_t n,
                                     double lambda)
{
    return generate(
        "curandGeneratePoisson",
        &(struct request){
            .generator = generator, .kind = POISSON, .out = out, .n = n, .mean = lambda});
}
