/* report.c - see report.h. The CSV is written here; tables, lines, pages and words have files of
 * their own. */
#include "report/loop_lines.h"
#include "report/report.h"
#include "common/csv.h"

#include "report/report_explain.h"
#include "report/report_lines.h"
#include "report/report_page.h"
#include "report/report_table.h"
#include "report/trace_events.h"
#include "report/warp_trace.h"
#include "api/simt_last.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every column but the first, the kernel's name, is a number. */
static const char *const column_names[] = {
    "launch", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "shared_bytes",
#define COUNTER(field, unit, metric) #field,
#include "base/counters.def"
#undef COUNTER
};

enum {
    COLUMNS = ARRAY_LENGTH(column_names),
    SCHEMA = 1 /* grows when a column changes its meaning or goes; new ones stand before the last */
};

enum destination {
    NOWHERE,
    FILE_OF_ROWS,
    TABLE_AT_EXIT,
    LINES_AT_EXIT,
    PAGE_AT_EXIT,
    WORDS_AT_EXIT,
    TRACE_AT_EXIT,
    ACCESSES_OF_A_LAUNCH
};

static struct {
    enum destination destination;
    pthread_mutex_t lock;
    int file;
    bool file_failed;
    struct ranges measured; /* numbers of launches */
} report = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void columns_of(const struct report_row *row, uint64_t values[COLUMNS])
{
    const uint64_t columns[COLUMNS] = {
        row->launch,  row->grid.x,  row->grid.y,  row->grid.z,
        row->block.x, row->block.y, row->block.z, row->shared_bytes,
#define COUNTER(field, unit, metric) row->counters.field,
#include "base/counters.def"
#undef COUNTER
    };
    memcpy(values, columns, sizeof columns);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

struct line {
    char text[8192];
    size_t length;
};

static void put(struct line *line, char c)
{
    if (line->length < sizeof line->text) {
        line->text[line->length++] = c;
    }
}

static void put_text(struct line *line, const char *text)
{
    while (*text != '\0') {
        put(line, *text++);
    }
}

static void put_character(void *line, char c) { put(line, c); }

/* One write() a line, so that programs that run side by side do not mix theirs. */
static bool write_line(struct line *line)
{
    put(line, '\n');
    return write(report.file, line->text, line->length) == (ssize_t)line->length;
}

static double model_registers(const struct estimate *e) { return e->registers; }
static double model_occupancy(const struct estimate *e) { return e->model.occupancy; }
static double model_instructions(const struct estimate *e) { return e->model.instructions; }
static double model_l1_hit(const struct estimate *e) { return e->model.l1_hit; }
static double model_l2_sectors(const struct estimate *e) { return e->model.l2_sectors; }
static double model_dram_read(const struct estimate *e) { return e->model.dram_read_bytes; }
static double model_dram_written(const struct estimate *e) { return e->model.dram_write_bytes; }
static double model_issue(const struct estimate *e) { return e->model.part_us[FLOOR_ISSUE]; }
static double model_fma(const struct estimate *e) { return e->model.part_us[FLOOR_FMA]; }
static double model_alu(const struct estimate *e) { return e->model.part_us[FLOOR_ALU]; }
static double model_fp64(const struct estimate *e) { return e->model.part_us[FLOOR_FP64]; }
static double model_xu(const struct estimate *e) { return e->model.part_us[FLOOR_XU]; }
static double model_lsu(const struct estimate *e) { return e->model.part_us[FLOOR_LSU]; }
static double model_l1(const struct estimate *e) { return e->model.part_us[FLOOR_L1]; }
static double model_l2(const struct estimate *e) { return e->model.part_us[FLOOR_L2]; }
static double model_dram(const struct estimate *e) { return e->model.part_us[FLOOR_DRAM]; }
static double model_latency(const struct estimate *e) { return e->model.part_us[MODEL_LATENCY]; }
static double model_barriers(const struct estimate *e) { return e->model.part_us[MODEL_BARRIERS]; }
static double model_blocks(const struct estimate *e) { return e->model.part_us[FLOOR_BLOCKS]; }
static double model_atomics(const struct estimate *e) { return e->model.part_us[MODEL_ATOMICS]; }

/* What the model says of counters that Nsight Compute has, and what it is made of. */
static const struct {
    const char *name;
    double (*value)(const struct estimate *e);
} model_columns[] = {
    {"registers", model_registers},
    {"occupancy", model_occupancy},
    {"instructions", model_instructions},
    {"l1_hit", model_l1_hit},
    {"l2_sectors", model_l2_sectors},
    {"dram_read_bytes", model_dram_read},
    {"dram_write_bytes", model_dram_written},
    {"issue_us", model_issue},
    {"fma_us", model_fma},
    {"alu_us", model_alu},
    {"fp64_us", model_fp64},
    {"xu_us", model_xu},
    {"lsu_us", model_lsu},
    {"l1_us", model_l1},
    {"l2_us", model_l2},
    {"dram_us", model_dram},
    {"latency_us", model_latency},
    {"atomics_us", model_atomics},
    {"barriers_us", model_barriers},
    {"blocks_us", model_blocks},
};

static struct line header(void)
{
    struct line line = {.length = 0};
    put_text(&line, "kernel");
    for (unsigned i = 0; i < COLUMNS; i++) {
        put(&line, ',');
        put_text(&line, column_names[i]);
    }
    put_text(&line, ",floor_us,floor_limiter,model_us,model_limiter");
    for (unsigned i = 0; i < ARRAY_LENGTH(model_columns); i++) {
        put_text(&line, ",model_");
        put_text(&line, model_columns[i].name);
    }
    put_text(&line, ",schema");
    return line;
}

static bool write_header(void)
{
    struct line line = header();
    return write_line(&line);
}

/* Rows go behind rows only: SIMT_REPORT=mine.cu would spoil the source. */
static bool holds_a_report(const char *path)
{
    struct line expected = header();
    char first[sizeof expected.text];
    put(&expected, '\n');
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, first, expected.length) : -1;
    if (file >= 0) {
        close(file);
    }
    return length == (ssize_t)expected.length && memcmp(first, expected.text, expected.length) == 0;
}

/* A time and what limits it, or two `-`. */
static void put_time(struct line *line, double us, const char *limiter)
{
    char number[32];
    snprintf(number, sizeof number, ",%.6g,", us);
    put_text(line, isnan(us) ? ",-," : number);
    put_text(line, isnan(us) || limiter == NULL ? "-" : limiter);
}

static void write_row(const struct report_row *row)
{
    struct line line;
    char number[32];
    uint64_t values[COLUMNS];
    columns_of(row, values);
    line.length = 0;
    csv_field(row->kernel, put_character, &line);
    for (unsigned i = 0; i < COLUMNS; i++) {
        snprintf(number, sizeof number, ",%" PRIu64, values[i]);
        put_text(&line, number);
    }
    const struct estimate *e = row->estimate;
    put_time(&line, e != NULL ? e->floors.floor_us : NAN,
             e != NULL ? floor_name(e->floors.limiter) : NULL);
    put_time(&line, e != NULL ? e->model_us : NAN, e != NULL ? e->model_limiter : NULL);
    for (unsigned i = 0; i < ARRAY_LENGTH(model_columns); i++) {
        const double value = e != NULL && e->modelled ? model_columns[i].value(e) : NAN;
        snprintf(number, sizeof number, ",%.6g", value);
        put_text(&line, isnan(value) ? ",-" : number);
    }
    snprintf(number, sizeof number, ",%d", SCHEMA);
    put_text(&line, number);
    if (!write_line(&line) && !report.file_failed) {
        report.file_failed = true;
        fprintf(stderr, "simt: SIMT_REPORT: rows are missing: %s\n", strerror(errno));
    }
}

static bool open_file(const char *path, struct err *e)
{
    struct stat status;
    report.file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (report.file < 0 || fstat(report.file, &status) != 0 ||
        (status.st_size == 0 && !write_header())) {
        return err_set(e, "SIMT_REPORT=%.300s: cannot write there: %s", path, strerror(errno));
    }
    if (S_ISREG(status.st_mode) && !holds_a_report(path)) {
        close(report.file);
        return err_set(
            e,
            "SIMT_REPORT=%.300s: that file holds something else than a report with these "
            "columns: name a new one",
            path);
    }
    report.destination = FILE_OF_ROWS;
    return true;
}

/* ---- at exit --------------------------------------------------------------------------------- */

/* A report that did not arrive is no success. */
static void make_sure(void)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "simt: SIMT_REPORT: the report cannot be written to standard output: %s\n",
                strerror(errno));
        _exit(2);
    }
}

static void print_table(void)
{
    report_table_print(&report.measured);
    make_sure();
}

static void print_lines(void)
{
    report_lines_print(&report.measured);
    make_sure();
}

static void print_words(void)
{
    report_explain_print();
    make_sure();
}

/* ---- what others call ------------------------------------------------------------------------ */

bool report_open(const char *destination, struct err *e)
{
    if (destination == NULL || destination[0] == '\0') {
        return true;
    }
    if (strcmp(destination, "lines") == 0) {
        report.destination = LINES_AT_EXIT;
        atexit(print_lines);
        return (simt_watch_accesses() && loop_lines_open()) ||
               err_set(e, "SIMT_REPORT=lines: too many others observe the launches");
    }
    if (strcmp(destination, "explain") == 0 || strncmp(destination, "explain:", 8) == 0) {
        report.destination = WORDS_AT_EXIT;
        if (destination[7] == ':') {
            report_explain_only(destination + 8);
        }
        atexit(print_words);
        return true;
    }
    if (trace_events_wanted(destination)) {
        report.destination = TRACE_AT_EXIT;
        return trace_events_open(destination, e);
    }
    if (warp_trace_wanted(destination)) {
        report.destination = ACCESSES_OF_A_LAUNCH;
        return warp_trace_open(destination, e);
    }
    if (report_is_page(destination)) {
        report.destination = PAGE_AT_EXIT;
        return report_page_open(destination, e);
    }
    if (strcmp(destination, "-") != 0) {
        if (strpbrk(destination, "./") == NULL) { /* `line` is no file, but a slip */
            return err_set(
                e,
                "SIMT_REPORT=%.80s: it is -, lines, explain, explain:KERNEL,KERNEL or a "
                "file with a dot in its name: counts.csv, page.html, page.json, accesses.traceg",
                destination);
        }
        return open_file(destination, e);
    }
    report.destination = TABLE_AT_EXIT;
    atexit(print_table);
    return true;
}

bool report_wanted(void) { return report.destination != NOWHERE; }

bool report_wants_times(void)
{
    return report_wanted() && report.destination != TABLE_AT_EXIT &&
           report.destination != ACCESSES_OF_A_LAUNCH;
}

bool report_is_drawn(void)
{
    return report.destination == PAGE_AT_EXIT || report.destination == TRACE_AT_EXIT;
}

void report_add(const struct report_row *row)
{
    pthread_mutex_lock(&report.lock);
    if (report.destination == FILE_OF_ROWS) {
        write_row(row);
    } else if (report.destination == TABLE_AT_EXIT) {
        report_table_add(row);
    } else if (report.destination == LINES_AT_EXIT && row->handle != NULL) {
        report_lines_add(row, &report.measured);
    } else if (report.destination == WORDS_AT_EXIT) {
        report_explain_add(row);
    } else if (report.destination == TRACE_AT_EXIT) {
        trace_events_add(row);
    } else if (report.destination == PAGE_AT_EXIT) {
        record_add(row);
        report_explain_add(row);
    }
    pthread_mutex_unlock(&report.lock);
}

void report_measured(uint64_t from, uint64_t to)
{
    pthread_mutex_lock(&report.lock);
    if (report.destination == TABLE_AT_EXIT || report.destination == LINES_AT_EXIT) {
        ranges_add(&report.measured, from, to);
    } else if (report.destination == PAGE_AT_EXIT) {
        record_measured(from, to);
    }
    pthread_mutex_unlock(&report.lock);
}
