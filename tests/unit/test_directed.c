/* test_directed.c - arithmetic that names a direction of rounding is the host's in that direction,
 * on operands of random bits: numbers of like and unlike size, subnormal ones, infinities and NaNs.
 */
#include <fenv.h>
#include <math.h>

#include "value_fixture.h"

enum operation { ADD, SUB, MUL, DIV, RCP, SQRT, FMA, OPERATIONS };
static const char *const names[] = {"add", "sub", "mul", "div", "rcp", "sqrt", "fma"};
static const unsigned operands[] = {2, 2, 2, 2, 1, 1, 3};
static const struct {
    const char *name;
    int host;
} directions[] = {{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
enum { ROUNDS = 24 };

static uint64_t state = 1;

static uint64_t random_bits(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 32 | (state * 2862933555777941757u) >> 32 << 32;
}

/* Three of four are numbers of like size; the others are any bits, or small, or not numbers. */
static uint64_t random_f64(void)
{
    const uint64_t bits = random_bits(), kind = random_bits() % 8;
    const uint64_t exponent = kind < 6 ? 1020 + bits % 8 : kind == 6 ? bits % 3 : 2046 + bits % 2;
    return (bits & 0x800fffffffffffff) | exponent << 52;
}

static uint32_t random_f32(void)
{
    const uint64_t bits = random_bits(), kind = random_bits() % 8;
    const uint64_t exponent = kind < 6 ? 124 + bits % 8 : kind == 6 ? bits % 3 : 254 + bits % 2;
    return (uint32_t)((bits & 0x807fffff) | exponent << 23);
}

#define COMPUTE(name, T, root, fused)                                                              \
    static T name(enum operation how, volatile T a, volatile T b, volatile T c)                    \
    {                                                                                              \
        volatile T result = 0;                                                                     \
        switch (how) {                                                                             \
        case ADD:                                                                                  \
            result = a + b;                                                                        \
            break;                                                                                 \
        case SUB:                                                                                  \
            result = a - b;                                                                        \
            break;                                                                                 \
        case MUL:                                                                                  \
            result = a * b;                                                                        \
            break;                                                                                 \
        case DIV:                                                                                  \
            result = a / b;                                                                        \
            break;                                                                                 \
        case RCP:                                                                                  \
            result = 1 / a;                                                                        \
            break;                                                                                 \
        case SQRT:                                                                                 \
            result = root(a);                                                                      \
            break;                                                                                 \
        default:                                                                                   \
            result = fused(a, b, c);                                                               \
            break;                                                                                 \
        }                                                                                          \
        return result;                                                                             \
    }
COMPUTE(compute_f32, float, sqrtf, fmaf)
COMPUTE(compute_f64, double, sqrt, fma)

static float float_of(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float flushed(float value) { return fabsf(value) < 0x1p-126f ? copysignf(0, value) : value; }

/* The bits that the instruction should return; false: a NaN of double, whose payload is another
 * test's. */
static bool expected_f32(const struct value_case *v, enum operation how, bool ftz, uint64_t *want)
{
    float in[3] = {float_of(v->a), float_of(v->b), float_of(v->c)};
    for (unsigned i = 0; i < 3; i++) {
        in[i] = ftz ? flushed(in[i]) : in[i];
    }
    float result = compute_f32(how, in[0], in[1], in[2]);
    result = ftz ? flushed(result) : result;
    uint32_t bits;
    memcpy(&bits, &result, sizeof bits);
    *want = isnan(result) ? 0x7fffffff : bits;
    return true;
}

static bool expected_f64(const struct value_case *v, enum operation how, uint64_t *want)
{
    const double result = compute_f64(how, double_of(v->a), double_of(v->b), double_of(v->c));
    memcpy(want, &result, sizeof *want);
    return !isnan(result);
}

static void try_one(enum operation how, unsigned direction, bool is_double, bool ftz)
{
    char line[100];
    const char *reg = is_double ? "%rd" : "%r";
    int used = snprintf(line, sizeof line, "%s.%s%s.%s %s6", names[how], directions[direction].name,
                        ftz ? ".ftz" : "", is_double ? "f64" : "f32", reg);
    for (unsigned i = 0; i < operands[how]; i++) {
        used += snprintf(line + used, sizeof line - (size_t)used, ", %s%u", reg, 3 + i);
    }
    snprintf(line + used, sizeof line - (size_t)used, ";");
    struct value_case v = {.line = line,
                           .a = is_double ? random_f64() : random_f32(),
                           .b = is_double ? random_f64() : random_f32(),
                           .c = is_double ? random_f64() : random_f32()};
    fesetround(directions[direction].host);
    const bool is_known =
        is_double ? expected_f64(&v, how, &v.want) : expected_f32(&v, how, ftz, &v.want);
    fesetround(FE_TONEAREST);
    if (is_known) {
        value_check(&v);
    }
}

START_TEST(a_direction_is_the_hosts)
{
    for (unsigned direction = 0; direction < 3; direction++) {
        for (unsigned round = 0; round < ROUNDS; round++) {
            try_one((enum operation)_i, direction, false, false);
            try_one((enum operation)_i, direction, false, true);
            try_one((enum operation)_i, direction, true, false);
        }
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("directed");
    tcase_add_loop_test(tests, a_direction_is_the_hosts, 0, OPERATIONS);
    return run_suite("directed", tests);
}
