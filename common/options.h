/* options.h - the command line of a lesson: options that all lessons share, and its own.
 *
 * Numbers are read strictly: `--n 12x`, `--n -3` where only positive ones make sense, and numbers
 * that do not fit are rejected with one line on stderr that says what would be right, and exit
 * code 2. An unknown option or name is answered with the nearest valid one. No CUDA in here.
 *
 *     int64_t n = 1024;
 *     const struct option_spec own[] = {
 *         OPT_INTEGER("n", &n, 1, 1 << 28, "elements"),
 *     };
 *     struct options o;
 *     int code = options_parse(&o, argc, argv, &about, own, 1);
 *     if (code >= 0)
 *         return code; */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum option_type {
    OPTION_FLAG,    /* bool *: --name sets it */
    OPTION_INTEGER, /* int64_t * */
    OPTION_REAL,    /* double *; min and max apply */
    OPTION_TEXT,    /* const char ** */
    OPTION_CHOICE,  /* int *: the index of one of choices */
    OPTION_INTEGERS /* struct option_integers *: 256,512,1024, or 16x16 */
};

enum { OPTION_INTEGERS_MAX = 64 };

struct option_integers {
    size_t count;
    int64_t values[OPTION_INTEGERS_MAX];
    bool dims; /* the values stood as 16x16, not as 16,16 */
};

struct option_spec {
    const char *name; /* without the dashes */
    enum option_type type;
    void *value;                /* holds the default; untouched unless the option is given */
    int64_t min, max;           /* numbers outside are rejected */
    const char *const *choices; /* OPTION_CHOICE: ends with NULL; default -1: none of them */
    const char *help;           /* "elements"; --help adds range and choices by itself */
};

/* clang-format off */
#define OPT_FLAG(name, value, help)               {name, OPTION_FLAG, value, 0, 0, NULL, help}
#define OPT_INTEGER(name, value, min, max, help)  {name, OPTION_INTEGER, value, min, max, NULL, help}
#define OPT_REAL(name, value, min, max, help)     {name, OPTION_REAL, value, min, max, NULL, help}
#define OPT_TEXT(name, value, help)               {name, OPTION_TEXT, value, 0, 0, NULL, help}
#define OPT_CHOICE(name, value, choices, help)    {name, OPTION_CHOICE, value, 0, 0, choices, help}
#define OPT_INTEGERS(name, value, min, max, help) {name, OPTION_INTEGERS, value, min, max, NULL, help}
/* clang-format on */

struct options_about {
    const char *program; /* "step03_coalescing" */
    const char *purpose; /* one line for --help */
    bool has_kernels;    /* --kernel and --list make sense here */
    int warmup, repeats; /* the lesson's defaults; repeats 0: nothing is timed here, no such
                          * options */
    int (*predict)(void); /* --predict: asks the lesson's questions, returns the exit code; or NULL */
};

/* The options that all lessons share. */
struct options {
    const char *program;
    char title[160];      /* "step03_coalescing: its purpose" */
    bool csv;             /* --csv, --csv=FILE or --csv FILE: the file can be written */
    bool wide;            /* --wide: tables with all their columns */
    const char *csv_path; /* NULL: CSV goes to stdout, and nothing else may */
    const char *kernel;   /* --kernel NAME, or NULL: the lesson's default set */
    bool list;            /* --list: print the kernels and stop */
    int repeats, warmup;
    uint64_t seed; /* 1 unless --seed is given */
};

/* -1: go on. Otherwise the program's exit code: 0 after --help, 2 after an error (its one line is
 * on stderr). */
int options_parse(struct options *o, int argc, char **argv, const struct options_about *about,
                  const struct option_spec *own, size_t own_count);

/* The first line of a run: which lesson this is. Nothing where stdout carries CSV, or for --list.
 */
void options_banner(const struct options *o);

/* For table_print_within(): 0 with --wide, else what COLUMNS says, else 80. */
size_t options_width(const struct options *o);

/* true: stdout carries CSV, so print no prose on it. */
bool options_quiet(const struct options *o);

/* Index of the row whose first member (a const char *) is name, in a table of count rows of
 * row_bytes each: options_find("kernel", o.kernel, kernels, count, sizeof kernels[0]). -1 after one
 * line on stderr: "unknown kernel 'x': nearest is 'y'; --list shows all". */
int options_find(const char *what, const char *name, const void *rows, size_t count,
                 size_t row_bytes);

/* The whole text must be one integer in [min, max]; text such as "256x" is not. */
bool option_read_integer(const char *text, int64_t min, int64_t max, int64_t *value);
bool option_read_real(const char *text, double min, double max, double *value);
/* Numbers from s->min to s->max with one kind of separator: 16x16 is one shape, 16,32 are two numbers. */
bool option_read_integers(const char *text, const struct option_spec *s,
                          struct option_integers *list);

/* One line "program: message" on stderr; returns 2, for `return options_error(&o, ...)`. */
int options_error(const struct options *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif
