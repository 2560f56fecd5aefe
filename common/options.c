/* options.c - strict command lines (see options.h). */
#include "options_help.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPECS_MAX = 48, FIRST_VALUE = 256, NAME_MAX_SEEN = 64, TRIES_MAX = 100000 };

/* Where the shared options are put before they go to struct options, and what is looked for. */
struct option_parser {
    const struct options_about *about;
    struct options *o;
    bool help, list, predict, explain;
    const char *kernel;
    int64_t repeats, warmup, seed;
    struct option_spec specs[SPECS_MAX];
    size_t count;
};

int options_error(const struct options *o, const char *format, ...)
{
    va_list args;
    fflush(stdout);
    fprintf(stderr, "%s: ", o->program);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return 2;
}

/* ------------------------------------------------------------------ names */

/* Levenshtein distance of the first NAME_MAX_SEEN characters. */
static size_t distance(const char *a, const char *b)
{
    size_t row[NAME_MAX_SEEN + 1];
    size_t length = strnlen(b, NAME_MAX_SEEN);
    for (size_t j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; a[i - 1] && i <= NAME_MAX_SEEN; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t changed = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            size_t shorter = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            row[j] = changed < shorter ? changed : shorter;
        }
    }
    return row[length];
}

/* A name that contains the wanted one, or the other way round, is nearer than any typing error;
 * but one or two letters stand in everything. */
static size_t unlikeness(const char *wanted, const char *name)
{
    bool inside = strlen(wanted) > 2 && strstr(name, wanted);
    bool around = strlen(name) > 2 && strstr(wanted, name);
    return inside || around ? 0 : 1 + distance(wanted, name);
}

int options_find(const char *what, const char *name, const void *rows, size_t count,
                 size_t row_bytes)
{
    const char *nearest = "";
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const char *row_name;
        memcpy(&row_name, (const char *)rows + i * row_bytes, sizeof row_name);
        if (strcmp(row_name, name) == 0) {
            return (int)i;
        }
        size_t d = unlikeness(name, row_name);
        if (d < least) {
            least = d;
            nearest = row_name;
        }
    }
    fflush(stdout);
    fprintf(stderr, "unknown %s '%s': nearest is '%s'; --list shows all\n", what, name, nearest);
    return -1;
}

static const char *nearest_spec(const struct option_parser *p, const char *wanted)
{
    const char *nearest = "help";
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < p->count; i++) {
        size_t d = unlikeness(wanted, p->specs[i].name);
        if (d < least) {
            least = d;
            nearest = p->specs[i].name;
        }
    }
    return nearest;
}

/* ---------------------------------------------------------------- values */

static int reject(const struct option_parser *p, const struct option_spec *s, const char *text,
                  const char *wanted)
{
    return options_error(p->o, "--%s '%s': give %s from %" PRId64 " to %" PRId64, s->name, text,
                         wanted, s->min, s->max);
}

static int set_choice(const struct option_parser *p, const struct option_spec *s, const char *text)
{
    const char *nearest = s->choices[0];
    for (size_t i = 0; s->choices[i]; i++) {
        if (strcmp(s->choices[i], text) == 0) {
            *(int *)s->value = (int)i;
            return -1;
        }
        if (unlikeness(text, s->choices[i]) < unlikeness(text, nearest)) {
            nearest = s->choices[i];
        }
    }
    char all[256] = "";
    for (size_t i = 0; s->choices[i]; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", s->choices[i]);
    }
    return options_error(p->o, "--%s '%s': nearest is '%s'; choices are %s", s->name, text, nearest,
                         all);
}

/* -1, or 2 after an error. */
static int set_value(const struct option_parser *p, const struct option_spec *s, const char *text)
{
    switch (s->type) {
    case OPTION_FLAG:
        *(bool *)s->value = true;
        return -1;
    case OPTION_INTEGER:
        if (option_read_integer(text, s->min, s->max, s->value)) {
            return -1;
        }
        return reject(p, s, text, "a whole number");
    case OPTION_REAL:
        if (option_read_real(text, (double)s->min, (double)s->max, s->value)) {
            return -1;
        }
        return reject(p, s, text, "a number");
    case OPTION_INTEGERS:
        if (option_read_integers(text, s, s->value)) {
            return -1;
        }
        return reject(p, s, text, "whole numbers, as 16x16 or 64,128,");
    case OPTION_TEXT:
        *(const char **)s->value = text;
        return -1;
    case OPTION_CHOICE:
        return set_choice(p, s, text);
    }
    abort(); /* no other type */
}

/* ---------------------------------------------------------------- parsing */

static void add_spec(struct option_parser *p, struct option_spec s)
{
    assert(p->count < SPECS_MAX);
    p->specs[p->count++] = s;
}

static void add_specs(struct option_parser *p, const struct option_spec *own, size_t own_count)
{
    struct option_spec kernel = OPT_TEXT("kernel", &p->kernel, "run this kernel only");
    struct option_spec list = OPT_FLAG("list", &p->list, "print the kernels and stop");
    struct option_spec repeats =
        OPT_INTEGER("repeats", &p->repeats, 1, TRIES_MAX, "timed runs of each kernel on a GPU");
    struct option_spec warmup =
        OPT_INTEGER("warmup", &p->warmup, 0, TRIES_MAX, "runs before the timed ones");
    struct option_spec seed = OPT_INTEGER("seed", &p->seed, 0, INT64_MAX, "seed of the inputs");
    struct option_spec csv =
        OPT_TEXT("csv", &p->o->csv_path, "write CSV to stdout, or to FILE beside the table");
    struct option_spec wide = OPT_FLAG("wide", &p->o->wide, "all columns of a table, however wide");
    struct option_spec predict =
        OPT_FLAG("predict", &p->predict, "asks for the numbers before it shows them");
    struct option_spec explain =
        OPT_FLAG("explain", &p->explain, "on the simulator: what limits each kernel, modelled");
    struct option_spec help = OPT_FLAG("help", &p->help, "print this and stop");

    for (size_t i = 0; i < own_count; i++) {
        add_spec(p, own[i]);
    }
    if (p->about->has_kernels) {
        add_spec(p, kernel);
        add_spec(p, list);
    }
    if (p->about->repeats > 0) {
        add_spec(p, repeats);
        add_spec(p, warmup);
    }
    add_spec(p, seed);
    add_spec(p, csv);
    add_spec(p, wide);
    if (p->about->predict != NULL) {
        add_spec(p, predict);
    }
    add_spec(p, explain);
    add_spec(p, help);
}

static int unknown(const struct option_parser *p, const char *argument)
{
    char name[NAME_MAX_SEEN];
    size_t starting = 0;
    size_t length = strcspn(argument, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), argument);
    const char *bare = name + strspn(name, "-");
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->specs[i].name, bare) == 0 && bare == name + 2) {
            return options_error(p->o, "--%s takes no value", bare);
        }
        starting += strncmp(p->specs[i].name, bare, strlen(bare)) == 0;
    }
    return options_error(p->o, "%s option '%s': nearest is '--%s'; --help lists all",
                         starting > 1 ? "ambiguous" : "unknown", name, nearest_spec(p, bare));
}

static int stray(const struct option_parser *p, const char *argument)
{
    return options_error(p->o,
                         "unexpected argument '%s': nearest option is '--%s'; --help lists all",
                         argument, nearest_spec(p, argument));
}

/* Rejects a path that cannot be written before anything runs. What is there stays as it is; the run
 * may take minutes, and its table replaces the file only then. */
static int try_csv_path(const struct option_parser *p, const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    const bool is_new = file >= 0;
    if (!is_new && errno == EEXIST) {
        file = open(path, O_WRONLY);
    }
    if (file < 0) {
        return options_error(p->o, "cannot write %s: %s", path, strerror(errno));
    }
    close(file);
    if (is_new) {
        unlink(path);
    }
    return -1;
}

static int set_csv(const struct option_parser *p, const char *path)
{
    if (path != NULL && *path == '\0') {
        return options_error(p->o, "--csv=: give a file name, or --csv alone for stdout");
    }
    p->o->csv = true;
    p->o->csv_path = path != NULL && strcmp(path, "-") != 0 ? path : NULL;
    return p->o->csv_path != NULL ? try_csv_path(p, p->o->csv_path) : -1;
}

/* The file of `--csv FILE`: the next word, unless that is an option. */
static const char *following_path(int argc, char **argv)
{
    const char *next = optind < argc ? argv[optind] : NULL;
    if (next == NULL || (next[0] == '-' && next[1] != '\0')) {
        return NULL;
    }
    optind++;
    return next;
}

static void fill_getopt(const struct option_parser *p, struct option *table)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct option_spec *s = &p->specs[i];
        table[i].name = s->name;
        table[i].has_arg = s->type == OPTION_FLAG ? no_argument : required_argument;
        if (s->value == &p->o->csv_path) {
            table[i].has_arg = optional_argument;
        }
        table[i].val = FIRST_VALUE + (int)i;
    }
}

/* -1, 0 (help was printed) or 2. */
static int parse_all(struct option_parser *p, int argc, char **argv)
{
    struct option table[SPECS_MAX + 1] = {{0}};
    int found;
    fill_getopt(p, table);
    optind = 0; /* glibc: start afresh */
    opterr = 0;
    /* "-": a stray argument is reported in its place (as 1); ":": a missing value is ':' */
    while ((found = getopt_long(argc, argv, "-:h", table, NULL)) != -1) {
        const struct option_spec *s = found >= FIRST_VALUE ? &p->specs[found - FIRST_VALUE] : NULL;
        int code = -1;
        if (found == 'h' || (s != NULL && s->value == &p->help)) {
            options_print_help(p->o->title, p->specs, p->count);
            return 0;
        }
        if (found == 1) {
            return stray(p, optarg);
        }
        if (found == ':') {
            return options_error(p->o, "%s needs a value; --help lists all", argv[optind - 1]);
        }
        if (s == NULL) {
            return unknown(p, optopt > 0 && optopt < FIRST_VALUE ? (char[]){'-', (char)optopt, 0}
                                                                 : argv[optind - 1]);
        }
        if (s->value == &p->o->csv_path) {
            code = set_csv(p, optarg ? optarg : following_path(argc, argv));
        } else {
            code = set_value(p, s, optarg);
        }
        if (code >= 0) {
            return code;
        }
    }
    return optind < argc ? stray(p, argv[optind]) : -1;
}

/* A full disk, or no standard output at all, must not look like success. */
static const char *stdout_of;

static void check_stdout(void)
{
    bool failed = ferror(stdout) != 0;
    if (fflush(stdout) != 0 || failed) {
        fprintf(stderr, "%s: cannot write all of standard output\n", stdout_of);
        _exit(2);
    }
}

/* Where one of the standard streams is closed, the next file that is opened would become it: a
 * table would be written into that file. Writing to this one fails instead. */
static void watch_stdout(const char *program)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != stream) {
            break;
        }
    }
    if (stdout_of == NULL) {
        atexit(check_stdout);
    }
    stdout_of = program;
}

/* The simulator reads SIMT_REPORT before main(), so the program is started once more with it.
 * Returns what options_parse() returns. */
static int run_again_to_explain(const char *program, char **argv)
{
#ifdef SIMT
    const char *report = getenv("SIMT_REPORT");
    if (report != NULL && strcmp(report, "explain") == 0) {
        return -1;
    }
    if (report != NULL && report[0] != '\0') {
        fprintf(stderr, "%s: --explain: SIMT_REPORT=%s is set: give one of the two\n", program,
                report);
        return 2;
    }
    setenv("SIMT_REPORT", "explain", 1);
    execv("/proc/self/exe", argv);
    fprintf(stderr, "%s: --explain: cannot start the program again: %s\n", program,
            strerror(errno));
#else
    (void)argv;
    fprintf(stderr, "%s: --explain needs the simulator: make it with BACKEND=sim\n", program);
#endif
    return 2;
}

int options_parse(struct options *o, int argc, char **argv, const struct options_about *about,
                  const struct option_spec *own, size_t own_count)
{
    struct option_parser p = {
        .about = about, .o = o, .repeats = about->repeats, .warmup = about->warmup, .seed = 1};
    memset(o, 0, sizeof *o);
    o->program = about->program;
    snprintf(o->title, sizeof o->title, "%s: %s", about->program, about->purpose);
    watch_stdout(about->program);
    add_specs(&p, own, own_count);
    int code = parse_all(&p, argc, argv);
    if (code < 0 && p.explain) {
        code = run_again_to_explain(about->program, argv);
    }
    o->kernel = p.kernel;
    o->list = p.list;
    o->repeats = (int)p.repeats;
    o->warmup = (int)p.warmup;
    o->seed = (uint64_t)p.seed;
    return code < 0 && p.predict ? about->predict() : code;
}

void options_banner(const struct options *o)
{
    if (!options_quiet(o) && !o->list) {
        printf("%s\n\n", o->title);
    }
}

size_t options_width(const struct options *o)
{
    int64_t columns;
    const char *terminal = getenv("COLUMNS");
    if (o->wide) {
        return 0;
    }
    return terminal != NULL && option_read_integer(terminal, 40, 1000, &columns) ? (size_t)columns
                                                                                 : 80;
}

bool options_quiet(const struct options *o) { return o->csv && o->csv_path == NULL; }
