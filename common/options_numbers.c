/* options_numbers.c - the values of options that are numbers, read strictly (see options.h). */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool option_read_integer(const char *text, int64_t min, int64_t max, int64_t *value)
{
    const char *digits = text + (*text == '-');
    char *end;
    if (!isdigit((unsigned char)*digits)) { /* strtoll would skip blanks and take a + */
        return false;
    }
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno != 0 || *end != '\0' || number < min || number > max) {
        return false;
    }
    *value = number;
    return true;
}

bool option_read_real(const char *text, double min, double max, double *value)
{
    char *end;
    if (*text == '\0' || strspn(text, "0123456789.eE+-") != strlen(text) || *text == '+') {
        return false; /* no blanks, hexadecimals, infinities */
    }
    double number = strtod(text, &end);
    if (*end != '\0' || !isfinite(number) || !(number >= min && number <= max)) {
        return false;
    }
    *value = number;
    return true;
}

bool option_read_integers(const char *text, const struct option_spec *s,
                          struct option_integers *list)
{
    struct option_integers found = {.count = 0};
    const char *separator = strchr(text, 'x') ? "x" : ",";
    char item[32];
    found.dims = *separator == 'x';
    for (;;) {
        size_t length = strcspn(text, separator);
        if (length >= sizeof item || found.count == OPTION_INTEGERS_MAX) {
            return false;
        }
        memcpy(item, text, length);
        item[length] = '\0';
        if (!option_read_integer(item, s->min, s->max, &found.values[found.count])) {
            return false;
        }
        found.count++;
        if (text[length] == '\0') {
            break;
        }
        text += length + 1;
    }
    *list = found;
    return true;
}
