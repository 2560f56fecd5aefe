/* predict.c - see predict.h. */
#include "predict.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "3", "8.5", "87.1 %", "1/8", "12,500": what a person types for a number. */
static bool read_number(const char *text, double *value)
{
    char digits[64], *end;
    size_t length = 0;
    for (; *text != '\0' && *text != '\n' && length + 1 < sizeof digits; text++) {
        if (*text != ',' && *text != ' ' && *text != '%') {
            digits[length++] = *text;
        }
    }
    digits[length] = '\0';
    *value = strtod(digits, &end);
    if (end != digits && *end == '/') {
        const char *below = end + 1;
        const double divisor = strtod(below, &end);
        *value = end != below && divisor != 0.0 ? *value / divisor : NAN;
    }
    return length > 0 && *end == '\0' && isfinite(*value);
}

static bool is_right(double said, double answer)
{
    return fabs(said - answer) <= 1e-3 * fabs(answer);
}

static void tell(double said, double answer)
{
    if (is_right(said, answer)) {
        printf("  right: %.7g\n", answer);
    } else if (answer != 0.0 && said != 0.0 && said / answer > 0.0) {
        printf("  it is %.7g: yours is %s, by a factor of %.3g\n", answer,
               said < answer ? "too low" : "too high",
               said < answer ? answer / said : said / answer);
    } else {
        printf("  it is %.7g: yours is off by %.7g\n", answer, said - answer);
    }
}

/* false: the input has ended. */
static bool ask(const struct prediction *q, size_t number, size_t count, unsigned *right)
{
    char line[128];
    double said;
    printf("%zu of %zu\n%s\n", number, count, q->question);
    for (;;) {
        printf("> ");
        fflush(stdout);
        if (fgets(line, sizeof line, stdin) == NULL) {
            return false;
        }
        if (line[strspn(line, " \t\n")] == '\0') {
            printf("  it is %.7g\n", q->answer());
            break;
        }
        if (read_number(line, &said)) {
            tell(said, q->answer());
            *right += is_right(said, q->answer());
            break;
        }
        printf("  a number, please, as 12 or 8.5 or 1/4; an empty line passes\n");
    }
    printf("\n%s\n", q->why);
    if (q->draw != NULL) {
        printf("\n");
        q->draw(stdout);
    }
    printf("\n");
    return true;
}

int predict_run(const char *program, const struct prediction *questions, size_t count)
{
    unsigned right = 0;
    if (!isatty(STDIN_FILENO)) {
        fprintf(stderr, "%s: --predict asks questions: run it in a terminal\n", program);
        return 2;
    }
    printf("%s: %zu predictions; the answers are computed as you go\n\n", program, count);
    for (size_t i = 0; i < count; i++) {
        if (!ask(&questions[i], i + 1, count, &right)) {
            printf("\n");
            break;
        }
    }
    printf("%u of %zu right\n", right, count);
    return 0;
}
