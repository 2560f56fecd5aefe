/* watch.c - linked with a program: writes what each of its launches has counted, also by line, to
 * the file that $COUNTED names. It observes no launch, so translated code runs. */
#include "common/simt/api/simt_last.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file;

static void write_counters(const char *name, uint32_t line, const struct simt_counters *c)
{
    uint64_t words[sizeof *c / sizeof(uint64_t)];
    memcpy(words, c, sizeof words);
    fprintf(file, "%s:%" PRIu32, name, line);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        fprintf(file, " %" PRIu64, words[i]);
    }
    fputc('\n', file);
}

static void see_line(void *state, const struct simt_line *line)
{
    (void)state;
    write_counters(line->file != NULL ? line->file : "", line->line, &line->counters);
}

static void see_launch(void *state, const struct simt_kernel *kernel,
                       const struct simt_counters *counters)
{
    (void)state;
    write_counters(simt_kernel_name(kernel), 0, counters);
    simt_kernel_lines(kernel, see_line, NULL);
}

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("COUNTED");
    file = name != NULL ? fopen(name, "w") : NULL;
    if (file != NULL) {
        setvbuf(file, NULL, _IOLBF, 0);
        simt_watch_launches(see_launch, NULL);
    }
}
