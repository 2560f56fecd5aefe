/* launch_columns.c - what is known of a launch's time without having measured it (see
 * launch_columns.h). */
#include "launch_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda_check.h"

enum { COLUMN_COUNT = 3, LINE_MAX_BYTES = 1024, FIELDS_MAX = 32, PATH_BYTES = 1024 };

/* What the last table took recorded times from, for launch_columns_explain(). */
static char source_file[PATH_BYTES], source_line[LINE_MAX_BYTES];

/* What launch_columns_keep() asked for; NULL: it did not. */
static const char *kept_problem, *kept_words;
static bool kept_modelled;

size_t launch_columns(size_t all)
{
    return launch_times_wanted() || kept_problem != NULL ? all : all - COLUMN_COUNT;
}

bool launch_columns_kept(void) { return kept_problem != NULL; }

void launch_columns_keep(bool modelled, const char *problem, const char *words)
{
    if (!backend_is_sim() || launch_times_wanted()) {
        return;
    }
    kept_problem = problem;
    kept_words = words;
    kept_modelled = modelled;
    if (modelled) {
        launch_times_by_default();
    }
}

/* ------------------------------------------------------------------ recorded data */

/* The folder of the simulated GPU in plots/data: "NVIDIA H200" is h200. */
static void folder_name(char *name, size_t size)
{
    static struct cudaDeviceProp properties; /* about 1 KB */
    int device;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    const char *from = properties.name;
    if (strncmp(from, "NVIDIA ", 7) == 0) {
        from += 7;
    }
    size_t i = 0;
    for (; from[i] != '\0' && i + 1 < size; i++) {
        name[i] = from[i] == ' '                     ? '-'
                  : from[i] >= 'A' && from[i] <= 'Z' ? (char)(from[i] - 'A' + 'a')
                                                     : from[i];
    }
    name[i] = '\0';
}

/* Programs lie in ROOT/build/...: opens ROOT/plots/data/GPU/file, or NULL. */
static FILE *open_record(const char *file, size_t length)
{
    char path[PATH_BYTES], gpu[64], relative[PATH_BYTES];
    const ssize_t got = readlink("/proc/self/exe", path, sizeof path - 1);
    path[got > 0 ? got : 0] = '\0';
    char *build = strstr(path, "/build/");
    if (build == NULL) {
        return NULL;
    }
    *build = '\0';
    folder_name(gpu, sizeof gpu);
    snprintf(relative, sizeof relative, "plots/data/%s/%.*s", gpu, (int)length, file);
    if (strlen(path) + strlen(relative) + 2 > sizeof path) {
        return NULL;
    }
    strcat(path, "/");
    strcat(path, relative);
    FILE *in = fopen(path, "r");
    if (in != NULL) {
        strcpy(source_file, relative);
    }
    return in;
}

/* The line, without its end, cut at its commas; returns how many fields. */
static size_t cut(char *line, char *field[FIELDS_MAX])
{
    size_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && count < FIELDS_MAX;) {
        field[count++] = at;
        at = strchr(at, ',');
        if (at != NULL) {
            *at++ = '\0';
        }
    }
    return count;
}

/* Does every NAME=VALUE of the key hold for these fields? */
static bool has_key(const char *key, char *const *names, char *const *field, size_t count)
{
    while (*key) {
        const size_t name = strcspn(key, "="), length = strcspn(key, " ");
        bool held = false;
        for (size_t i = 0; i < count && !held; i++) {
            held = strlen(names[i]) == name && strncmp(names[i], key, name) == 0 &&
                   strlen(field[i]) == length - name - 1 &&
                   strncmp(field[i], key + name + 1, length - name - 1) == 0;
        }
        if (!held) {
            return false;
        }
        key += length + (key[length] == ' ');
    }
    return true;
}

/* That column of the first row with that key; NaN: there is none. The first line of a record says
 * what measured it. */
static double find_row(FILE *in, const char *key, const char *column)
{
    char first[LINE_MAX_BYTES], head[LINE_MAX_BYTES], line[LINE_MAX_BYTES];
    char *names[FIELDS_MAX], *field[FIELDS_MAX];
    if (!fgets(first, sizeof first, in) || strncmp(first, "# measured on ", 14) != 0 ||
        !fgets(head, sizeof head, in)) {
        return NAN;
    }
    const size_t count = cut(head, names);
    while (fgets(line, sizeof line, in)) {
        if (cut(line, field) != count || !has_key(key, names, field, count)) {
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            if (strcmp(names[i], column) == 0 && strcmp(field[i], "-") != 0) {
                first[strcspn(first, "\r\n")] = '\0';
                strcpy(source_line, first + 2);
                return strtod(field[i], NULL);
            }
        }
    }
    return NAN;
}

double launch_recorded(const char *records, const char *key, const char *column)
{
    double value = NAN;
    while (records != NULL && *records && isnan(value)) {
        const size_t length = strcspn(records, " ");
        FILE *in = open_record(records, length);
        if (in != NULL) {
            value = find_row(in, key, column);
            fclose(in);
        }
        records += length + (records[length] == ' ');
    }
    return value;
}

/* ------------------------------------------------------------------ the columns */

/* The words of a row's key that name its kernel, and the problem that was recorded. */
static const char *kept_key(const char *key, char *text, size_t size)
{
    const char *kernel = strstr(key, "kernel=");
    snprintf(text, size, "%.*s %s", kernel != NULL ? (int)strcspn(kernel, " ") : 0,
             kernel != NULL ? kernel : "", kept_problem);
    return text;
}

void launch_columns_set(struct table *t, const struct launch_times *times, const char *records,
                        const char *key)
{
    char kept[LINE_MAX_BYTES];
    if (launch_times_wanted() && kept_problem == NULL) {
        table_measured(t, "floor_ms", times->floor_ms);
    }
    if (launch_times_wanted()) {
        table_measured(t, "model_ms", times->model_ms);
    }
    if (kept_problem != NULL) {
        key = kept_key(key, kept, sizeof kept);
    }
    if (launch_times_wanted() || kept_problem != NULL) {
        table_measured(t, "recorded_ms", launch_recorded(records, key, "time_ms"));
    }
}

void launch_recorded_explain(FILE *out)
{
    if (*source_line) {
        fprintf(out, "recorded: %s;\n  %s\n", source_line, source_file);
    }
}

void launch_columns_explain(FILE *out)
{
    if (kept_problem == NULL) {
        if (launch_times_wanted()) {
            fputs("at least: no run can be faster; model: an estimate; neither is measured\n", out);
            launch_recorded_explain(out);
        }
        return;
    }
    const char *model = kept_modelled ? "model: estimated for this run; " : "";
    if (*source_line) {
        fprintf(out, "%son a card: recorded with %s,\n  %s;\n  %s\n", model, kept_words,
                source_line, source_file);
    }
}
