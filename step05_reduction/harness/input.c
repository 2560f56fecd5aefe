/* input.c - makes the input and, in the same pass, the right answer. Pure arithmetic, no CUDA.
 *
 * Elements come in chunks, so that 2^31 of them need no memory here. Real sums are kept as a pair
 * of doubles (D. Knuth's error-free addition), more exact than any kernel of this lesson. */
#include "step05_reduction/harness/reduction.h"

#include <math.h>

#include "common/verify.h"

const char *const type_names[TYPE_COUNT + 1] = {"int", "float", "double", NULL};
const char *const op_names[OP_COUNT + 1] = {"sum", "min", "max", NULL};

size_t type_bytes(enum reduction_type type) { return type == TYPE_DOUBLE ? sizeof(double) : 4; }

static struct expected expected_of_nothing(void)
{
    return (struct expected){.min = INFINITY, .max = -INFINITY};
}

/* hi + lo gains x without losing a bit of hi + x. */
static void add_exactly(double *hi, double *lo, double x)
{
    const double sum = *hi + x;
    const double part = sum - *hi;
    *lo += (*hi - (sum - part)) + (x - part);
    *hi = sum;
}

/* NaN wins over everything, as the lesson's minimum and maximum define it. */
static double smaller(double a, double b) { return a < b || isnan(a) ? a : b; }

static double larger(double a, double b) { return a > b || isnan(a) ? a : b; }

/* Four independent sums: the additions of one would wait for each other. */
static void expect_reals(struct expected *e, enum reduction_type type, const void *elements,
                         size_t count)
{
    double hi[4] = {0}, lo[4] = {0}, size[4] = {0};
    for (size_t i = 0; i < count; i++) {
        const double x = type == TYPE_FLOAT ? (double)((const float *)elements)[i]
                                            : ((const double *)elements)[i];
        add_exactly(&hi[i % 4], &lo[i % 4], x);
        size[i % 4] += fabs(x);
        e->min = smaller(e->min, x);
        e->max = larger(e->max, x);
    }
    for (int k = 0; k < 4; k++) {
        add_exactly(&e->sum, &e->sum_low, hi[k]);
        e->sum_low += lo[k];
        e->abs_sum += size[k];
    }
    const double low = e->sum_low; /* keep the large part in sum, the small one in sum_low */
    e->sum_low = 0;
    add_exactly(&e->sum, &e->sum_low, low);
}

static void expect_ints(struct expected *e, const int32_t *elements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        e->int_sum += (uint32_t)elements[i];
        e->min = elements[i] < e->min ? elements[i] : e->min;
        e->max = elements[i] > e->max ? elements[i] : e->max;
    }
}

static void expect(struct expected *e, enum reduction_type type, const void *elements, size_t count)
{
    if (type == TYPE_INT)
        expect_ints(e, (const int32_t *)elements, count);
    else
        expect_reals(e, type, elements, count);
}

struct input input_start(enum reduction_type type, enum input_kind kind, uint64_t seed)
{
    return (struct input){.type = type,
                          .kind = kind,
                          .state = rng_start(seed).state,
                          .expected = expected_of_nothing()};
}

/* From the high bits of one random word: an odd integer in [-7, 7], or a multiple of 2^-23 (float)
 * or 2^-52 (double) in [-1, 1). */
static double real_element(const struct input *in, uint64_t bits)
{
    if (in->kind == INPUT_EXACT)
        return (double)(2 * (int)(bits >> 61) - 7);
    if (in->type == TYPE_FLOAT)
        return (double)(bits >> 40) * 0x1p-23 - 1.0;
    return (double)(bits >> 11) * 0x1p-52 - 1.0;
}

void input_next(struct input *in, void *elements, size_t count)
{
    struct rng random = {in->state};
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = rng_next(&random);
        if (in->type == TYPE_INT)
            ((int32_t *)elements)[i] = (int32_t)(bits >> 32);
        else if (in->type == TYPE_FLOAT)
            ((float *)elements)[i] = (float)real_element(in, bits);
        else
            ((double *)elements)[i] = real_element(in, bits);
    }
    in->state = random.state;
    expect(&in->expected, in->type, elements, count);
}

void input_plant(struct input *in, enum reduction_op op, void *element)
{
    const double extreme = op == OP_MIN ? -8 : 8;
    if (in->type == TYPE_INT)
        *(int32_t *)element = op == OP_MIN ? INT32_MIN : INT32_MAX;
    else if (in->type == TYPE_FLOAT)
        *(float *)element = (float)extreme;
    else
        *(double *)element = extreme;
    if (op == OP_MIN)
        in->expected.min = element_value(in->type, element);
    else
        in->expected.max = element_value(in->type, element);
}

struct expected input_expected(enum reduction_type type, const void *elements, size_t count)
{
    struct expected e = expected_of_nothing();
    expect(&e, type, elements, count);
    if (!isfinite(e.abs_sum)) { /* the error-free sum of an infinity is NaN: add it up plainly */
        e.sum = e.sum_low = 0;
        for (size_t i = 0; i < count; i++)
            e.sum += element_value(type, (const char *)elements + i * type_bytes(type));
    }
    return e;
}

double element_value(enum reduction_type type, const void *element)
{
    switch (type) {
    case TYPE_INT:
        return *(const int32_t *)element;
    case TYPE_FLOAT:
        return (double)*(const float *)element;
    default:
        return *(const double *)element;
    }
}

double expected_value(const struct expected *e, enum reduction_type type, enum reduction_op op)
{
    if (op == OP_MIN)
        return e->min;
    if (op == OP_MAX)
        return e->max;
    return type == TYPE_INT ? (double)(int32_t)e->int_sum : e->sum + e->sum_low;
}

double expected_error(const struct expected *e, enum reduction_type type, enum reduction_op op,
                      const void *result)
{
    const double got = element_value(type, result), want = expected_value(e, type, op);
    if (isnan(want))
        return isnan(got) ? 0 : NAN;
    if (got == want && isinf(want))
        return 0;
    if (op == OP_SUM && type != TYPE_INT)
        return fabs((got - e->sum) - e->sum_low);
    return fabs(got - want);
}

double error_bound(const struct expected *e, enum reduction_type type, enum reduction_op op,
                   double depth)
{
    if (op != OP_SUM || type == TYPE_INT)
        return 0;
    const double du = depth * (type == TYPE_FLOAT ? 0x1p-24 : 0x1p-53);
    return du < 1 ? du / (1 - du) * e->abs_sum : INFINITY;
}
