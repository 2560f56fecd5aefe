/* report_lines.c - SIMT_REPORT=lines: each kernel's source with its counts beside the lines, summed
 * over all launches, printed when the program ends. Called by report.c, which holds the lock. */
#include "cuda/report_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernel_lines {
    char *kernel;
    uint64_t launches;
    struct simt_line *lines; /* the files' names are copies */
    size_t count, capacity;
    struct estimate estimate; /* of the launch that needs longest; has_estimate: there is one */
    bool has_estimate;
};

static struct kernel_lines *kernels;
static size_t kernel_count;

static void *grown(void *old, size_t size)
{
    void *p = realloc(old, size);
    if (p == NULL) {
        abort(); /* a few kilobytes */
    }
    return p;
}

static struct kernel_lines *kernel_of(const char *name)
{
    for (size_t i = 0; i < kernel_count; i++) {
        if (strcmp(kernels[i].kernel, name) == 0) {
            return &kernels[i];
        }
    }
    kernels = grown(kernels, (kernel_count + 1) * sizeof *kernels);
    kernels[kernel_count] = (struct kernel_lines){.kernel = strdup(name)};
    return &kernels[kernel_count++];
}

static bool same_file(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void add_line(void *state, const struct simt_line *line)
{
    struct kernel_lines *k = state;
    struct simt_line *known = NULL;
    for (size_t i = 0; i < k->count && known == NULL; i++) {
        bool same = k->lines[i].line == line->line && same_file(k->lines[i].file, line->file);
        known = same ? &k->lines[i] : NULL;
    }
    if (known == NULL) {
        if (k->count == k->capacity) {
            k->capacity = k->capacity == 0 ? 64 : 2 * k->capacity;
            k->lines = grown(k->lines, k->capacity * sizeof *k->lines);
        }
        known = &k->lines[k->count++];
        *known = (struct simt_line){.file = line->file != NULL ? strdup(line->file) : NULL,
                                    .line = line->line};
    }
#define COUNTER(field, unit, metric) known->counters.field += line->counters.field;
#include "base/counters.def"
#undef COUNTER
}

void report_lines_add(const char *kernel, const struct simt_kernel *handle,
                      const struct estimate *estimate)
{
    struct kernel_lines *k = kernel_of(kernel);
    k->launches++;
    if (estimate != NULL && !isnan(estimate->floors.floor_us) &&
        (!k->has_estimate || estimate->floors.floor_us > k->estimate.floors.floor_us)) {
        k->estimate = *estimate;
        k->has_estimate = true;
    }
    simt_kernel_lines(handle, add_line, k);
}

/* --- what is worst --------------------------------------------------------------------------- */

static uint64_t requests_of(const struct simt_counters *c)
{
    return c->global_load_requests + c->global_store_requests + c->global_red_requests +
           c->global_atom_requests;
}

static uint64_t sectors_of(const struct simt_counters *c)
{
    return c->global_load_sectors + c->global_store_sectors + c->global_red_sectors +
           c->global_atom_sectors;
}

static uint64_t conflicts_of(const struct simt_counters *c)
{
    return c->shared_load_conflicts + c->shared_store_conflicts + c->shared_atom_conflicts;
}

static uint64_t wavefronts_of(const struct simt_counters *c)
{
    return c->shared_load_wavefronts + c->shared_store_wavefronts + c->shared_atom_wavefronts;
}

static uint64_t idle_of(const struct simt_counters *c)
{
    return c->instructions * WARP_LANES - c->thread_instructions;
}

static uint64_t divergent_of(const struct simt_counters *c) { return c->divergent_branches; }

static const struct {
    const char *mark;
    uint64_t (*cost)(const struct simt_counters *c);
} marks[] = {{"most sectors", sectors_of},
             {"most bank conflicts", conflicts_of},
             {"most divergent branches", divergent_of},
             {"most idle lanes", idle_of}};

static void print_marks(const struct kernel_lines *k, const struct simt_line *line)
{
    for (size_t m = 0; m < ARRAY_LENGTH(marks); m++) {
        uint64_t own = marks[m].cost(&line->counters), most = 0;
        for (size_t i = 0; i < k->count; i++) {
            uint64_t cost = marks[m].cost(&k->lines[i].counters);
            most = cost > most ? cost : most;
        }
        if (own > 0 && own == most && line->line != 0) {
            printf("  <- %s", marks[m].mark);
        }
    }
}

/* --- printing -------------------------------------------------------------------------------- */

/* Line `number` of the file, without its end; "" if it cannot be read. */
static void source_text(const char *file, uint32_t number, char *text, int size)
{
    FILE *f = file != NULL ? fopen(file, "r") : NULL;
    text[0] = '\0';
    for (uint32_t i = 0; f != NULL && i < number;) {
        char piece[512];
        if (fgets(piece, sizeof piece, f) == NULL) {
            break;
        }
        bool whole = strchr(piece, '\n') != NULL;
        if (i + 1 == number && text[0] == '\0') {
            piece[strcspn(piece, "\r\n")] = '\0';
            snprintf(text, (size_t)size, "%.*s", size - 1, piece);
        }
        i += whole;
    }
    if (f != NULL) {
        fclose(f);
    }
}

static void print_ratio(uint64_t part, uint64_t whole)
{
    if (whole > 0) {
        printf(" %8.2f", (double)part / (double)whole);
    } else {
        printf(" %8s", "");
    }
}

static void print_count(uint64_t value)
{
    if (value > 0) {
        printf(" %10" PRIu64, value);
    } else {
        printf(" %10s", "");
    }
}

static void print_line(const struct kernel_lines *k, const struct simt_line *line)
{
    const struct simt_counters *c = &line->counters;
    char text[160];
    source_text(line->file, line->line, text, sizeof text);
    printf("%5" PRIu32, line->line);
    print_count(c->instructions);
    print_ratio(c->thread_instructions, c->instructions);
    print_count(requests_of(c));
    print_ratio(sectors_of(c), requests_of(c));
    print_count(wavefronts_of(c));
    print_count(conflicts_of(c));
    print_count(c->divergent_branches);
    printf("  %s", line->line != 0 ? text : "(no line is known)");
    print_marks(k, line);
    printf("\n");
}

/* "at least 94.9 us: L1; then DRAM 41 %, issue 38 %" and the model's time, if there is one. */
static void print_estimate(const struct kernel_lines *k)
{
    const struct floors *f = &k->estimate.floors;
    unsigned others = 0;
    if (!k->has_estimate) {
        return;
    }
    printf("on %s %sat least %.3g us: %s", k->estimate.gpu, k->launches > 1 ? "the longest " : "",
           f->floor_us, floor_name(f->limiter));
    for (enum floor_resource r = FLOOR_ISSUE; r < FLOOR_RESOURCES; r++) {
        if (r != f->limiter && f->us[r] >= 0.1 * f->floor_us) {
            printf("%s %s %.0f %%", others++ == 0 ? "; then" : ",", floor_name(r), 100 * f->us[r] / f->floor_us);
        }
    }
    if (k->estimate.modelled) {
        printf("; modelled %.3g us: %s%s", k->estimate.model_us, k->estimate.model_limiter,
               k->estimate.calibrated ? "" : " (not calibrated for this GPU)");
    }
    printf("\n");
}

void report_lines_print(void)
{
    for (size_t i = 0; i < kernel_count; i++) {
        const struct kernel_lines *k = &kernels[i];
        const char *file = "";
        printf("\n%s, %" PRIu64 " launch%s, simulated counts by source line\n", k->kernel,
               k->launches, k->launches == 1 ? "" : "es");
        print_estimate(k);
        printf("%5s %10s %8s %10s %8s %10s %10s %10s\n", "", "warp", "lanes", "global", "sectors/",
               "shared", "bank", "divergent");
        printf("%5s %10s %8s %10s %8s %10s %10s %10s\n", "line", "instr.", "active", "requests",
               "request", "wavefronts", "conflicts", "branches");
        for (size_t n = 0; n < k->count; n++) {
            if (k->lines[n].file != NULL && !same_file(file, k->lines[n].file)) {
                file = k->lines[n].file;
                printf("%s\n", file);
            }
            print_line(k, &k->lines[n]);
        }
    }
}
