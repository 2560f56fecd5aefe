/* cufft_execute.c - our cuFFT: transforms.
 *
 * A transform reads its box of numbers into doubles, goes along one axis after the other and writes
 * the box. Of real numbers' transforms the last axis has n / 2 + 1 numbers: the others are their
 * conjugates. */
#include "libraries/cufft.h"

#include <complex.h>
#include <stdlib.h>

#include "base/room.h"
#include "libraries/fourier.h"
#include "runtime/library.h"

struct execution {
    struct plan plan;
    const void *in;
    void *out;
    int sign;
};

static double complex load(const void *base, int64_t at, bool real, bool wide)
{
    if (real) {
        return wide ? ((const double *)base)[at] : (double)((const float *)base)[at];
    }
    return wide ? ((const double *)base)[2 * at] + ((const double *)base)[2 * at + 1] * I
                : (double)((const float *)base)[2 * at] +
                      (double)((const float *)base)[2 * at + 1] * I;
}

static void store(void *base, int64_t at, bool real, bool wide, double complex value)
{
    const int64_t first = real ? at : 2 * at;
    if (wide) {
        ((double *)base)[first] = creal(value);
    } else {
        ((float *)base)[first] = (float)creal(value);
    }
    if (!real && wide) {
        ((double *)base)[first + 1] = cimag(value);
    } else if (!real) {
        ((float *)base)[first + 1] = (float)cimag(value);
    }
}

/* Numbers of a box in the order of its axes; the last axis has `columns` of them in memory. */
struct walk {
    const struct plan *plan;
    const struct layout *layout;
    int64_t columns;
};

static int64_t place_in(const struct walk *w, int64_t z, int64_t y, int64_t x)
{
    return z * w->layout->step[0] + y * w->layout->step[1] + x * w->layout->step[2];
}

static double complex *number_at(const struct plan *p, double complex *box, int64_t z, int64_t y,
                                 int64_t x)
{
    return box + (z * p->size[1] + y) * p->size[2] + x;
}

static void load_box(const struct walk *w, const void *from, double complex *box)
{
    const struct plan *p = w->plan;
    const int64_t *n = p->size;
    for (int64_t z = 0; z < n[0]; z++) {
        for (int64_t y = 0; y < n[1]; y++) {
            for (int64_t x = 0; x < w->columns; x++) {
                *number_at(p, box, z, y, x) =
                    load(from, place_in(w, z, y, x), cufft_is_real_to_complex(p->type),
                         cufft_is_double(p->type));
            }
        }
    }
    for (int64_t z = 0; z < n[0] && w->columns < n[2]; z++) {
        for (int64_t y = 0; y < n[1]; y++) {
            for (int64_t x = w->columns; x < n[2]; x++) {
                *number_at(p, box, z, y, x) =
                    conj(*number_at(p, box, (n[0] - z) % n[0], (n[1] - y) % n[1], n[2] - x));
            }
        }
    }
}

static void store_box(const struct walk *w, void *to, double complex *box)
{
    const struct plan *p = w->plan;
    for (int64_t z = 0; z < p->size[0]; z++) {
        for (int64_t y = 0; y < p->size[1]; y++) {
            for (int64_t x = 0; x < w->columns; x++) {
                store(to, place_in(w, z, y, x), cufft_is_complex_to_real(p->type),
                      cufft_is_double(p->type), *number_at(p, box, z, y, x));
            }
        }
    }
}

/* All lines of the box along one axis. */
static void along(const struct plan *p, int axis, double complex *box, int sign)
{
    const int64_t n = p->size[axis], step = axis == 2   ? 1
                                            : axis == 1 ? p->size[2]
                                                        : p->size[1] * p->size[2];
    const int64_t lines = p->size[0] * p->size[1] * p->size[2] / n;
    struct fourier *f = fourier_new((size_t)n);
    double complex *line = room_raw((size_t)n, sizeof *line);
    for (int64_t i = 0; i < lines && n > 1; i++) {
        double complex *first = box + i / step * step * n + i % step;
        for (int64_t k = 0; k < n; k++) {
            line[k] = first[k * step];
        }
        fourier_line(f, line, sign);
        for (int64_t k = 0; k < n; k++) {
            first[k * step] = line[k];
        }
    }
    free(line);
    fourier_free(f);
}

static void *box_of(struct simt_library *l, const char *role, const void *at, const struct plan *p,
                    bool output)
{
    const struct layout *layout = output ? &p->out : &p->in;
    const bool real =
        output ? cufft_is_complex_to_real(p->type) : cufft_is_real_to_complex(p->type);
    const uint64_t size = (cufft_is_double(p->type) ? 8u : 4u) * (real ? 1u : 2u);
    return simt_library_box(l, role, at, (uint64_t)layout->count * size, (uint64_t)p->batch,
                            (uint64_t)layout->distance * size,
                            output ? LIBRARY_WRITES : LIBRARY_READS);
}

static bool transform(struct simt_library *l, const void *state)
{
    const struct execution *e = state;
    const struct plan *p = &e->plan;
    const char *from = box_of(l, "input", e->in, p, false);
    char *to = from != NULL ? box_of(l, "output", e->out, p, true) : NULL;
    if (to == NULL) {
        return false;
    }
    const struct walk in = {p, &p->in, cufft_last_axis(p, cufft_is_complex_to_real(p->type))};
    const struct walk out = {p, &p->out, cufft_last_axis(p, cufft_is_real_to_complex(p->type))};
    const int64_t wide = cufft_is_double(p->type) ? 8 : 4;
    const int64_t in_size = cufft_is_real_to_complex(p->type) ? wide : 2 * wide;
    const int64_t out_size = cufft_is_complex_to_real(p->type) ? wide : 2 * wide;
    const size_t numbers = (size_t)(p->size[0] * p->size[1] * p->size[2]);
    double complex *boxes = room_raw(numbers * (size_t)p->batch, sizeof *boxes);
    for (int64_t b = 0; b < p->batch; b++) { /* all are read before one is written: in place */
        load_box(&in, from + b * p->in.distance * in_size, boxes + (size_t)b * numbers);
    }
    for (int64_t b = 0; b < p->batch; b++) {
        double complex *box = boxes + (size_t)b * numbers;
        for (int axis = 0; axis < AXES; axis++) {
            along(p, axis, box, e->sign);
        }
        store_box(&out, to + b * p->out.distance * out_size, box);
    }
    free(boxes);
    return true;
}

static cufftResult execute(const char *name, cufftHandle handle, const struct execution *wanted,
                           cufftType type)
{
    const struct plan *p = cufft_plan(handle);
    struct execution e = *wanted;
    if (p == NULL || !p->made) {
        simt_library_say(name, "plan %d was not made, or was destroyed", handle);
        return CUFFT_INVALID_PLAN;
    }
    if (p->type != type) {
        simt_library_say(name, "the plan was made for another type of transform");
        return CUFFT_INVALID_TYPE;
    }
    e.plan = *p;
    /* In place, rows of real numbers are padded to the complex row of their transform. */
    struct layout *real = cufft_is_complex_to_real(type) ? &e.plan.out : &e.plan.in;
    const struct layout *halved = cufft_is_complex_to_real(type) ? &e.plan.in : &e.plan.out;
    if (e.in == e.out && type != CUFFT_C2C && type != CUFFT_Z2Z && p->in.step[2] == 1 &&
        real->distance == p->size[0] * p->size[1] * p->size[2]) {
        for (int axis = 0; axis < AXES - 1; axis++) {
            real->step[axis] = 2 * halved->step[axis];
        }
        real->distance = 2 * halved->distance;
        real->count =
            (p->size[0] - 1) * real->step[0] + (p->size[1] - 1) * real->step[1] + p->size[2];
    }
    const struct simt_library_call call = {.library = "cuFFT", .name = name, .stream = p->stream};
    const int code = simt_library_run(&call, transform, &e, sizeof e);
    return code == (int)cudaSuccess             ? CUFFT_SUCCESS
           : code == (int)cudaErrorInvalidValue ? CUFFT_INVALID_VALUE
                                                : CUFFT_EXEC_FAILED;
}

#define EXECUTE(name, From, To, type, way)                                                         \
    cufftResult name(cufftHandle plan, From *idata, To *odata)                                     \
    {                                                                                              \
        const struct execution e = {.in = idata, .out = odata, .sign = way};                       \
        return execute(#name, plan, &e, type);                                                     \
    }
#define EXECUTE_BOTH(name, Number, type)                                                           \
    cufftResult name(cufftHandle plan, Number *idata, Number *odata, int direction)                \
    {                                                                                              \
        const struct execution e = {.in = idata, .out = odata, .sign = direction};                 \
        return direction == CUFFT_FORWARD || direction == CUFFT_INVERSE                            \
                   ? execute(#name, plan, &e, type)                                                \
                   : CUFFT_INVALID_VALUE;                                                          \
    }
EXECUTE_BOTH(cufftExecC2C, cufftComplex, CUFFT_C2C)
EXECUTE_BOTH(cufftExecZ2Z, cufftDoubleComplex, CUFFT_Z2Z)
EXECUTE(cufftExecR2C, cufftReal, cufftComplex, CUFFT_R2C, CUFFT_FORWARD)
EXECUTE(cufftExecD2Z, cufftDoubleReal, cufftDoubleComplex, CUFFT_D2Z, CUFFT_FORWARD)
EXECUTE(cufftExecC2R, cufftComplex, cufftReal, CUFFT_C2R, CUFFT_INVERSE)
EXECUTE(cufftExecZ2D, cufftDoubleComplex, cufftDoubleReal, CUFFT_Z2D, CUFFT_INVERSE)
