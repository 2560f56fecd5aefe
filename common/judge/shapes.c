/* shapes.c - the shapes on which an exercise is judged, none of which it shows. */
#include "common/judge/learner.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A call that failed and was not looked at may well be the cause. */
static void add_failure(struct judge_findings *f, enum judge_kind kind)
{
    const size_t used = strlen(f->text);
    switch (kind) {
    case JUDGE_RESULT:
    case JUDGE_MEMORY:
    case JUDGE_UNINITIALISED:
    case JUDGE_LAUNCH:
    case JUDGE_CRASH:
        box_failure(f->text + used, sizeof f->text - used);
        break;
    default:
        break;
    }
}

_Noreturn void judge_end(struct judge *j, enum judge_kind kind, uint32_t line, const char *subject,
                         const char *format, ...)
{
    struct judge_findings *f = j->out;
    va_list args;
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    add_failure(f, kind);
    snprintf(f->subject, sizeof f->subject, "%s", subject);
    f->line = line;
    f->kind = kind; /* last: a verdict that was begun is none */
    fflush(NULL);
    box_end();
    _exit(0);
}

static int note_size(struct judge *j, const char *name, int value)
{
    struct judge_findings *f = j->out;
    size_t used = j->size_count == 0 ? 0 : strlen(f->shape);
    if (j->size_count == JUDGE_SIZES) {
        judge_end(j, JUDGE_BROKEN, 0, "", "more than %d sizes", JUDGE_SIZES);
    }
    j->sizes[j->size_count].name = name;
    j->sizes[j->size_count++].value = value;
    snprintf(f->shape + used, sizeof f->shape - used, "%s%s = %d", used > 0 ? ", " : "", name,
             value);
    return value;
}

/* 2^k + 1 up to about a third of the large size: one more than whole blocks or tiles have. The next
 * size of the shape has the power of two below. */
static int power_and_one(const struct judge *j, int large)
{
    int power = 1;
    while (2 * power + 1 <= large / 3) {
        power *= 2;
    }
    power >>= j->size_count < 8 ? j->size_count : 8;
    return (power > 1 ? power : 1) + 1;
}

/* In units of `multiple`. The ragged sizes are odd: 5/16 of the large one and a little, which
 * differs from seed to seed. */
static int size_in_units(struct judge *j, int large)
{
    struct rng rng = rng_start(j->seed ^ 0x7261676765640000);
    const int odd = ((large * 5 / 16) | 1) + 2 * (int)rng_between(&rng, 0, large / 64);
    switch (j->number) {
    case CASE_RAGGED:
        return odd + 6 * (int)j->size_count;
    case CASE_ONE:
        return 1;
    case CASE_EMPTY:
        return 0;
    case CASE_TWO:
        return 2;
    case CASE_EQUAL:
        return power_and_one(j, large);
    case CASE_LARGE:
        return large;
    default:
        return (int)rng_between(&j->rng, 1, large > 2 ? large / 2 : large);
    }
}

int judge_size_of(struct judge *j, const char *name, int large, int multiple)
{
    return note_size(j, name, multiple * size_in_units(j, large / multiple));
}

int judge_size(struct judge *j, const char *name, int large)
{
    return judge_size_of(j, name, large, 1);
}

int judge_between(struct judge *j, const char *name, int low, int high)
{
    const int value = (int)rng_between(&j->rng, low, high);
    return note_size(j, name, j->number == CASE_LARGE ? high : value);
}

int judge_let(struct judge *j, const char *name, int value) { return note_size(j, name, value); }

bool judge_large(const struct judge *j) { return j->number == CASE_LARGE; }

unsigned judge_blocks(int64_t n, int threads)
{
    return n < 1 ? 1 : (unsigned)((n + threads - 1) / threads);
}

int judge_random(struct judge *j, int low, int high)
{
    return (int)rng_between(&j->rng, low, high);
}
