/* options_help.c - what --help prints: every option with its range, choices and default, within 80
 * columns (see options_help.h). */
#include "options_help.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Range, choices and default, in parentheses; "" where there is nothing to tell. */
static void describe_values(FILE *out, const struct option_spec *s)
{
    switch (s->type) {
    case OPTION_INTEGER:
        fprintf(out, " (%" PRId64 " to %" PRId64, s->min, s->max);
        if (*(const int64_t *)s->value >= s->min && *(const int64_t *)s->value <= s->max) {
            fprintf(out, "; default %" PRId64, *(const int64_t *)s->value); /* else: none */
        }
        fprintf(out, ")");
        break;
    case OPTION_REAL:
        fprintf(out, " (%" PRId64 " to %" PRId64 "; default %g)", s->min, s->max,
                *(const double *)s->value);
        break;
    case OPTION_CHOICE:
        for (size_t i = 0; s->choices[i]; i++) {
            fprintf(out, "%s%s", i > 0 ? ", " : " (", s->choices[i]);
        }
        if (*(const int *)s->value >= 0) {
            fprintf(out, "; default %s", s->choices[*(const int *)s->value]);
        }
        fprintf(out, ")");
        break;
    case OPTION_INTEGERS: {
        const struct option_integers *list = s->value;
        fprintf(out, " (each %" PRId64 " to %" PRId64, s->min, s->max);
        for (size_t i = 0; i < list->count; i++) {
            fprintf(out, "%s%" PRId64,
                    i == 0       ? "; default "
                    : list->dims ? "x"
                                 : ",",
                    list->values[i]);
        }
        fprintf(out, ")");
        break;
    }
    case OPTION_TEXT:
        if (*(const char *const *)s->value) {
            fprintf(out, " (default %s)", *(const char *const *)s->value);
        }
        break;
    case OPTION_FLAG:
        break;
    }
}

enum { HELP_INDENT = 22, HELP_WIDTH = 80 };

/* Words from the given column on, in lines of at most HELP_WIDTH that begin at HELP_INDENT. */
static void print_wrapped(const char *text, int column)
{
    bool first = true;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (!first && column + 1 + length > HELP_WIDTH) {
            printf("\n%*s", HELP_INDENT, "");
            column = HELP_INDENT;
            first = true;
        }
        column += printf("%s%.*s", first ? "" : " ", length, text);
        first = false;
        text += length + (int)strspn(text + length, " ");
    }
    printf("\n");
}

void options_print_help(const char *title, const struct option_spec *specs, size_t count)
{
    static const char *const arguments[] = {
        [OPTION_FLAG] = "",      [OPTION_INTEGER] = " N",   [OPTION_REAL] = " X",
        [OPTION_TEXT] = " TEXT", [OPTION_CHOICE] = " NAME", [OPTION_INTEGERS] = " N,N"};
    print_wrapped(title, 0);
    printf("\noptions:\n");
    for (size_t i = 0; i < count; i++) {
        const struct option_spec *s = &specs[i];
        const char *argument = strcmp(s->name, "csv") == 0 ? " [FILE]" : arguments[s->type];
        char text[1024] = "";
        FILE *out = fmemopen(text, sizeof text, "w");
        if (out == NULL) {
            continue; /* no memory even for a line of help */
        }
        fputs(s->help, out);
        describe_values(out, s);
        fclose(out);
        int used = printf("  --%s%s", s->name, argument);
        const int gap = used < HELP_INDENT ? HELP_INDENT - used : 2;
        printf("%*s", gap, "");
        print_wrapped(text, used + gap);
    }
}
