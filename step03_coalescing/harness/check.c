/* check.c - is the output right? Compared on the CPU, byte for byte: a copy has no rounding.
 *
 * The output was filled with 0xff bytes before the launch, so what a kernel left out is seen, and
 * what it wrote without being asked to is seen as well. Inputs hold no 0xff byte. */
#include <string.h>

#include "step03_coalescing/harness/lesson.h"

/* What a message shows of an element: the value of small ones and floats, of wide ones the first
 * float. */
static double element_value(const uint8_t *element, unsigned bytes)
{
    uint16_t two;
    float four;
    if (bytes == 1)
        return *element;
    if (bytes == 2) {
        memcpy(&two, element, sizeof two);
        return two;
    }
    memcpy(&four, element, sizeof four);
    return (double)four;
}

static void note(struct verify_result *r, size_t index, double got, double want)
{
    if (r->mismatches++ == 0) {
        r->ok = false;
        r->first = index;
        r->got = got;
        r->want = want;
    }
}

/* Elements [first, first + count) must still be 0xff. */
static void check_untouched(struct verify_result *r, const uint8_t *out, size_t first, size_t count,
                            unsigned bytes)
{
    static const uint8_t poison[16] = {255, 255, 255, 255, 255, 255, 255, 255,
                                       255, 255, 255, 255, 255, 255, 255, 255};
    const uint8_t *area = out + first * bytes;
    const size_t size = count * bytes;
    if (size == 0 || (area[0] == 255 && memcmp(area, area + 1, size - 1) == 0))
        return; /* the first byte is 0xff, and each byte is like the one before */
    for (size_t i = first; i < first + count; i++) {
        if (memcmp(out + i * bytes, poison, bytes) != 0)
            note(r, i, element_value(out + i * bytes, bytes), element_value(poison, bytes));
    }
}

struct verify_result check_copy(const struct trial *t, const void *in, const void *out)
{
    const uint8_t *want = in, *got = out;
    const unsigned bytes = t->element_bytes;
    const size_t elements = t->array_bytes / bytes;
    struct verify_result r = {.ok = true, .count = elements};

    check_untouched(&r, got, 0, t->offset, bytes);
    const size_t start = t->offset * bytes;
    const bool all = t->stride == 1 && memcmp(got + start, want + start, t->n * bytes) == 0;
    for (size_t i = 0; i < t->n && !all; i++) {
        const size_t at = t->offset + i * t->stride;
        if (memcmp(got + at * bytes, want + at * bytes, bytes) != 0)
            note(&r, at, element_value(got + at * bytes, bytes),
                 element_value(want + at * bytes, bytes));
        if (i + 1 < t->n)
            check_untouched(&r, got, at + 1, t->stride - 1, bytes);
    }
    const size_t end = t->offset + (t->n - 1) * t->stride + 1;
    check_untouched(&r, got, end, elements - end, bytes);
    return r;
}

static void check_float(struct verify_result *r, size_t index, float got, float want)
{
    if (!(got == want))
        note(r, index, (double)got, (double)want);
}

struct verify_result check_aos_one_field(const struct trial *t, const void *in, const void *out)
{
    const struct particle *want = in;
    const float *got = out;
    struct verify_result r = {.ok = true, .count = t->n * PARTICLE_FIELDS};
    for (size_t i = 0; i < t->n; i++) {
        check_float(&r, i * PARTICLE_FIELDS, got[i * PARTICLE_FIELDS], want[i].x + 1.0f);
        check_untouched(&r, out, i * PARTICLE_FIELDS + 1, PARTICLE_FIELDS - 1, sizeof(float));
    }
    return r;
}

struct verify_result check_soa_one_field(const struct trial *t, const void *in, const void *out)
{
    const float *want = in, *got = out;
    struct verify_result r = {.ok = true, .count = t->n * PARTICLE_FIELDS};
    for (size_t i = 0; i < t->n; i++)
        check_float(&r, i, got[i], want[i] + 1.0f);
    check_untouched(&r, out, t->n, t->n * (PARTICLE_FIELDS - 1), sizeof(float));
    return r;
}

/* Field f of particle i is float i * particle_step + f * field_step, in either layout. */
static struct verify_result check_all_fields(const struct trial *t, const float *in,
                                             const float *out, size_t particle_step,
                                             size_t field_step)
{
    struct verify_result r = {.ok = true, .count = t->n * PARTICLE_FIELDS};
    for (size_t i = 0; i < t->n; i++) {
        for (size_t f = 0; f < PARTICLE_FIELDS; f++) {
            const size_t at = i * particle_step + f * field_step;
            const float want = f < 3 ? in[at] + in[at + 3 * field_step] : in[at];
            check_float(&r, at, out[at], want);
        }
    }
    return r;
}

struct verify_result check_aos_all_fields(const struct trial *t, const void *in, const void *out)
{
    return check_all_fields(t, in, out, PARTICLE_FIELDS, 1);
}

struct verify_result check_soa_all_fields(const struct trial *t, const void *in, const void *out)
{
    return check_all_fields(t, in, out, 1, t->n);
}

/* In squares, so that the CPU's cache serves the columns: this is lesson 03 on the other side. */
struct verify_result check_transpose(const struct trial *t, const void *in, const void *out)
{
    const float *want = in, *got = out;
    const size_t width = (size_t)t->width, height = (size_t)t->height, side = 32;
    struct verify_result r = {.ok = true, .count = t->n};
    for (size_t top = 0; top < height; top += side) {
        for (size_t left = 0; left < width; left += side) {
            const size_t bottom = top + side < height ? top + side : height;
            const size_t right = left + side < width ? left + side : width;
            for (size_t y = top; y < bottom; y++)
                for (size_t x = left; x < right; x++)
                    check_float(&r, x * height + y, got[x * height + y], want[y * width + x]);
        }
    }
    return r;
}
