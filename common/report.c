/* report.c - a lesson's table with its provenance (see report.h). */
#include "report.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "counters.h"
#include "cuda_check.h"
#include "launch_columns.h"

/* The kernel module's version, "580.159.04": the first word that is digits and points. */
static bool read_driver_version(char *text, size_t size)
{
    char line[256];
    FILE *f = fopen("/proc/driver/nvidia/version", "r");
    bool found = false;
    if (f == NULL) {
        return false;
    }
    if (fgets(line, sizeof line, f)) {
        for (char *word = strtok(line, " \t\n"); word && !found; word = strtok(NULL, " \t\n")) {
            found = strchr(word, '.') && strspn(word, "0123456789.") == strlen(word);
            if (found) {
                snprintf(text, size, "%s", word);
            }
        }
    }
    fclose(f);
    return found;
}

const char *report_provenance(char *text, size_t size)
{
    static struct cudaDeviceProp properties; /* about 1 KB */
    int device, driver, runtime;
    char driver_text[64], date[16];
    time_t now = time(NULL);
    struct tm utc;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    if (backend_is_sim()) {
        snprintf(text, size, "simulated counts, profile %s, %s", properties.name, date);
        return text;
    }
    CUDA_CHECK(cudaDriverGetVersion(&driver));
    CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    if (!read_driver_version(driver_text, sizeof driver_text)) {
        snprintf(driver_text, sizeof driver_text, "for CUDA %d.%d", driver / 1000,
                 driver % 1000 / 10);
    }
    snprintf(text, size, "measured on %s, driver %s, CUDA %d.%d, %s", properties.name, driver_text,
             runtime / 1000, runtime % 1000 / 10, date);
    return text;
}

static bool write_csv_file(const struct table *t, const struct options *o, const char *provenance)
{
    FILE *f = fopen(o->csv_path, "w");
    if (f == NULL) {
        options_error(o, "cannot write %s: %s", o->csv_path, strerror(errno));
        return false;
    }
    table_write_csv(t, f, provenance);
    bool written = !ferror(f);
    if (fclose(f) != 0 || !written) {
        options_error(o, "cannot write all of %s: %s", o->csv_path, strerror(errno));
        return false;
    }
    return true;
}

bool report_table(const struct table *t, const struct options *o)
{
    char provenance[256];
    report_provenance(provenance, sizeof provenance);
    if (options_quiet(o)) {
        table_write_csv(t, stdout, provenance);
        return true;
    }
    table_print_within(t, stdout, options_width(o));
    printf("%s\n", provenance);
    launch_columns_explain(stdout);
    return !o->csv || write_csv_file(t, o, provenance);
}

bool report_csv(const struct table *t, const struct options *o)
{
    char provenance[256];
    if (!o->csv) {
        return true;
    }
    report_provenance(provenance, sizeof provenance);
    if (options_quiet(o)) {
        table_write_csv(t, stdout, provenance);
        return true;
    }
    return write_csv_file(t, o, provenance);
}

void report_sample(const char *kernel, const struct launch_sampled *sample, size_t compared)
{
    fprintf(stderr,
            "%s: a sample: %" PRIu64 " of %" PRIu64 " blocks ran, counts are scaled%s; "
            "the %zu elements they computed are verified\n",
            kernel, sample->executed, sample->blocks,
            sample->exact ? " exactly" : " (blocks differ a little)", compared);
}
