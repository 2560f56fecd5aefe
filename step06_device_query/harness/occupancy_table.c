/* occupancy_table.c - rows of occupancy (see occupancy_table.h). */
#include "step06_device_query/harness/occupancy_table.h"

#include <errno.h>
#include <string.h>

#include "common/launch_columns.h"

static const struct column columns[] = {
    {"block", NULL, "threads", COLUMN_INTEGER, 0},
    {"regs_per_thread", "registers", "per thread", COLUMN_INTEGER, 0},
    {"shared_bytes", "shared", "B per block", COLUMN_INTEGER, 0},
    {"blocks_per_sm", "blocks", "per SM", COLUMN_INTEGER, 0},
    {"threads_per_sm", "threads", "per SM", COLUMN_INTEGER, 0},
    {"warps_per_sm", "warps", "per SM", COLUMN_INTEGER, 0},
    {"occupancy", "occupancy", "0 to 1", COLUMN_REAL, 3},
    {"gpu", "GPU", NULL, COLUMN_TEXT, 0},
    {"measured_gb_per_s", "measured", "GB/s", COLUMN_REAL, 0},
    {"limiter", "limited by", NULL, COLUMN_TEXT, 0},
    LAUNCH_COLUMNS,
};

struct table *occupancy_table_open(bool launches)
{
    enum { ALL = sizeof columns / sizeof columns[0], COMPUTED = ALL - 3 /* without times */ };
    struct table *t = table_open(columns, launches ? launch_columns(ALL) : (size_t)COMPUTED);
    table_leave_out(t, "gpu warps_per_sm threads_per_sm occupancy");
    return t;
}

void occupancy_table_add(struct table *t, const struct gpu_limits *g,
                         const struct occupancy_request *request, const struct occupancy *o,
                         const struct timing *timing, double bytes)
{
    char limiter[64];
    uint64_t shared_bytes = request->static_shared_bytes + request->dynamic_shared_bytes;
    table_row(t);
    table_text(t, "gpu", g->name);
    table_integer(t, "block", request->threads_per_block);
    table_integer(t, "regs_per_thread", request->registers_per_thread);
    table_integer(t, "shared_bytes", (int64_t)shared_bytes);
    table_integer(t, "blocks_per_sm", o->blocks_per_sm);
    table_integer(t, "threads_per_sm", o->threads_per_sm);
    table_integer(t, "warps_per_sm", o->warps_per_sm);
    table_real(t, "occupancy", o->occupancy);
    occupancy_limiters(o, limiter, sizeof limiter);
    table_text(t, "limiter", o->blocks_per_sm > 0 ? limiter : "launch fails");
    if (!timing)
        return;
    table_measured(t, "measured_gb_per_s", timing_gb_per_s(timing, bytes));
    launch_columns_set(t, &timing->times, NULL, "");
}

void occupancy_table_explore(struct table *t, const struct gpu_limits *g, unsigned block,
                             unsigned registers, uint64_t shared_bytes)
{
    struct occupancy_request request = {block, registers, 0, shared_bytes};
    struct occupancy o;
    occupancy_compute(g, &request, &o);
    occupancy_table_add(t, g, &request, &o, NULL, 0);
}

typedef void (*setter)(struct occupancy_request *request, uint64_t value);

static void set_registers(struct occupancy_request *request, uint64_t value)
{
    request->registers_per_thread = (unsigned)value;
}

static void set_block(struct occupancy_request *request, uint64_t value)
{
    request->threads_per_block = (unsigned)value;
}

static void set_shared(struct occupancy_request *request, uint64_t value)
{
    request->dynamic_shared_bytes = value;
}

/* One staircase: what set() sets takes low, low + step, ... high. */
static void climb(struct table *t, const struct gpu_limits *g, struct occupancy_request *request,
                  uint64_t low, uint64_t high, uint64_t step, setter set)
{
    unsigned threads_before = 0;
    for (uint64_t value = low; value <= high; value += step) {
        struct occupancy o;
        set(request, value);
        occupancy_compute(g, request, &o);
        if (value == low || o.threads_per_sm != threads_before || value + step > high ||
            set == set_block) /* there each value is a step of its own */
            occupancy_table_add(t, g, request, &o, NULL, 0);
        threads_before = o.threads_per_sm;
    }
}

void occupancy_table_staircase(struct table *t, const struct gpu_limits *g,
                               const struct occupancy_request *start)
{
    struct occupancy_request by_registers = *start, by_block = *start, by_shared = *start;
    climb(t, g, &by_registers, 1, g->max_registers_per_thread, 1, set_registers);
    climb(t, g, &by_block, g->warp_size, g->max_threads_per_block, g->warp_size, set_block);
    climb(t, g, &by_shared, 0, g->shared_bytes_per_block_opt_in, 128, set_shared);
}

static bool write_file(const struct table *t, const struct options *o, const char *source)
{
    FILE *f = fopen(o->csv_path, "w");
    if (f) {
        table_write_csv(t, f, source);
        bool failed = ferror(f) != 0;
        if (fclose(f) == 0 && !failed)
            return true;
    }
    options_error(o, "cannot write %s: %s", o->csv_path, strerror(errno));
    return false;
}

bool occupancy_table_report(const struct table *t, const struct options *o, bool json, bool text,
                            const char *source)
{
    if (json) {
        table_write_json(t, stdout);
        printf("\n");
    } else if (options_quiet(o)) {
        table_write_csv(t, stdout, source);
    } else if (text) {
        table_print_within(t, stdout, options_width(o));
        printf("%s\n", source);
    }
    return !o->csv_path || write_file(t, o, source);
}
