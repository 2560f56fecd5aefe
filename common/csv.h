/* csv.h - a field of CSV as RFC 4180 has it: in quotes if it holds a comma, a quote or an end of
 * line (or begins with #, as comments do), and quotes inside doubled. Used by the lessons' tables
 * and the simulator's reports. */
#ifndef COMMON_CSV_H
#define COMMON_CSV_H

#include <string.h>

/* Gives the field to put(), character by character. */
static inline void csv_field(const char *text, void (*put)(void *to, char c), void *to)
{
    const int quoted = *text == '#' || strpbrk(text, ",\"\r\n") != NULL;
    if (quoted) {
        put(to, '"');
    }
    for (; *text != '\0'; text++) {
        if (*text == '"') {
            put(to, '"');
        }
        put(to, *text);
    }
    if (quoted) {
        put(to, '"');
    }
}

#endif
