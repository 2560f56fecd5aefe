/* properties.c - the list of a device's properties, in text and JSON (see properties.h). */
#include "step06_device_query/harness/properties.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/table.h"

enum { LINES_MAX = 64, TEXT_MAX = 96 };

/* A line without a name is a heading. One without JSON text is printed for people only. */
struct line {
    const char *name, *title;
    char json[TEXT_MAX], text[TEXT_MAX];
};

struct list {
    struct line lines[LINES_MAX];
    size_t count;
};

/* ----------------------------------------------------------------- one line */

static struct line *add(struct list *list, const char *name, const char *title)
{
    assert(list->count < LINES_MAX);
    struct line *l = &list->lines[list->count++];
    *l = (struct line){.name = name, .title = title};
    return l;
}

static void add_count(struct list *list, const char *name, const char *title, uint64_t value)
{
    struct line *l = add(list, name, title);
    snprintf(l->json, TEXT_MAX, "%" PRIu64, value);
    snprintf(l->text, TEXT_MAX, "%" PRIu64, value);
}

static void add_bytes(struct list *list, const char *name, const char *title, uint64_t value)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    struct line *l = add(list, name, title);
    double scaled = (double)value;
    size_t unit = 0;
    while (scaled >= 1024 && unit < 3) {
        scaled /= 1024;
        unit++;
    }
    snprintf(l->json, TEXT_MAX, "%" PRIu64, value);
    if (unit == 0)
        snprintf(l->text, TEXT_MAX, "%" PRIu64 " B", value);
    else
        snprintf(l->text, TEXT_MAX, "%" PRIu64 " B = %.6g %s", value, scaled, units[unit]);
}

static void add_khz(struct list *list, const char *name, const char *title, unsigned khz)
{
    struct line *l = add(list, name, title);
    snprintf(l->json, TEXT_MAX, khz > 0 ? "%u" : "null", khz);
    snprintf(l->text, TEXT_MAX, khz > 0 ? "%.6g MHz" : "-", khz / 1000.0);
}

static void add_dims(struct list *list, const char *name, const char *title, const unsigned dims[3])
{
    struct line *l = add(list, name, title);
    snprintf(l->json, TEXT_MAX, "[%u, %u, %u]", dims[0], dims[1], dims[2]);
    snprintf(l->text, TEXT_MAX, "%u x %u x %u", dims[0], dims[1], dims[2]);
}

/* what says how it comes about; a figure of 0 is unknown. */
static void add_derived(struct list *list, const char *name, const char *title, double value,
                        const char *unit, const char *what)
{
    struct line *l = add(list, name, title);
    snprintf(l->json, TEXT_MAX, value > 0 ? "%.6g" : "null", value);
    snprintf(l->text, TEXT_MAX, value > 0 ? "%.5g %s = %s" : "-", value, unit, what);
}

/* ---------------------------------------------------------------- all lines */

static void add_chip(struct list *list, const struct gpu_limits *g)
{
    add(list, NULL, "chip");
    struct line *cc = add(list, "compute_capability", "compute capability");
    snprintf(cc->json, TEXT_MAX, "\"%d.%d\"", g->major, g->minor);
    snprintf(cc->text, TEXT_MAX, g->major > 0 ? "%d.%d" : "-", g->major, g->minor);
    add_count(list, "sm_count", "multiprocessors (SMs)", g->sm_count);
    add_count(list, "fp32_lanes_per_sm", "FP32 lanes per SM", g->fp32_lanes_per_sm);
    add_khz(list, "sm_clock_khz", "SM clock, at most", g->sm_clock_khz);
    add_bytes(list, "global_memory_bytes", "global memory", g->global_memory_bytes);
    add_count(list, "memory_bus_bits", "memory bus, bits", g->memory_bus_bits);
    add_khz(list, "memory_clock_khz", "memory clock", g->memory_clock_khz);
    add_bytes(list, "l2_bytes", "L2 cache", g->l2_bytes);
    add_count(list, "async_engines", "copy engines", g->async_engines);
    struct line *ecc = add(list, "ecc", "ECC");
    snprintf(ecc->json, TEXT_MAX, "%s", g->ecc ? "true" : "false");
    snprintf(ecc->text, TEXT_MAX, "%s", g->ecc ? "on" : "off");
}

static void add_sm(struct list *list, const struct gpu_limits *g)
{
    add(list, NULL, "one SM holds");
    add_count(list, "max_threads_per_sm", "threads", g->max_threads_per_sm);
    add_count(list, "max_warps_per_sm", "warps", g->max_warps_per_sm);
    add_count(list, "max_blocks_per_sm", "blocks", g->max_blocks_per_sm);
    add_count(list, "registers_per_sm", "registers of 32 bits", g->registers_per_sm);
    add_bytes(list, "shared_bytes_per_sm", "shared memory", g->shared_bytes_per_sm);
}

static void add_block(struct list *list, const struct gpu_limits *g)
{
    add(list, NULL, "one block may have");
    add_count(list, "max_threads_per_block", "threads", g->max_threads_per_block);
    add_count(list, "warp_size", "threads of one warp", g->warp_size);
    add_count(list, "registers_per_block", "registers", g->registers_per_block);
    add_count(list, "max_registers_per_thread", "registers per thread",
              g->max_registers_per_thread);
    add_bytes(list, "shared_bytes_per_block", "shared memory", g->shared_bytes_per_block);
    add_bytes(list, "shared_bytes_per_block_opt_in", "the same, if it opts in",
              g->shared_bytes_per_block_opt_in);
    add_bytes(list, "shared_bytes_reserved", "kept by the system", g->shared_bytes_reserved);
    add_bytes(list, "const_bytes", "constant memory", g->const_bytes);
    add_dims(list, "max_block_dim", "block, at most", g->max_block_dim);
    add_dims(list, "max_grid_dim", "grid, at most", g->max_grid_dim);
    add(list, NULL, "allocated in units of");
    add_count(list, "register_unit", "registers, per warp", g->register_unit);
    add_count(list, "warp_unit", "sub-partitions of an SM", g->warp_unit);
    add_bytes(list, "shared_unit", "shared memory", g->shared_unit);
}

static void add_peaks(struct list *list, const struct gpu_limits *g)
{
    char what[TEXT_MAX];
    double gflops = gpu_limits_peak_gflops(g), gb_per_s = gpu_limits_peak_gb_per_s(g);
    double clocks_gb_per_s = 2.0 * g->memory_clock_khz * g->memory_bus_bits / 8 / 1e6;
    add(list, NULL, "derived");
    snprintf(what, sizeof what, "2 x %u SMs x %u lanes x %.6g MHz", g->sm_count,
             g->fp32_lanes_per_sm, g->sm_clock_khz / 1000.0);
    add_derived(list, "peak_fp32_gflops", "peak FP32", gflops, "GFLOPS", what);
    snprintf(what, sizeof what, "2 x %.6g MHz x %u bits", g->memory_clock_khz / 1000.0,
             g->memory_bus_bits);
    add_derived(list, "clocks_gb_per_s", "memory, by its clocks", clocks_gb_per_s, "GB/s", what);
    add_derived(list, "peak_gb_per_s", "memory, peak used here", gb_per_s, "GB/s",
                g->data_sheet_gb_per_s > 0 ? "the data sheet's figure" : "by its clocks");
    add_derived(list, "bytes_per_flop", "bytes per operation", gflops > 0 ? gb_per_s / gflops : 0,
                "B", "what memory feeds one operation at peak");
    add_derived(list, "flops_per_byte", "operations per byte", gb_per_s > 0 ? gflops / gb_per_s : 0,
                "FLOP", "needed to be bound by arithmetic");
}

static void fill(struct list *list, const struct gpu_limits *g)
{
    list->count = 0;
    add_chip(list, g);
    add_sm(list, g);
    add_block(list, g);
    add_peaks(list, g);
}

void properties_print_brief(const struct gpu_limits *g)
{
    struct list list = {.count = 0};
    struct line *l;
    char scaled[TEXT_MAX];
    add_bytes(&list, "", "", g->shared_bytes_per_sm);
    snprintf(scaled, sizeof scaled, "%s", list.lines[0].text);
    list.count = 0;
    add_chip(&list, g);
    list.count = 5; /* up to the clock */
    l = add(&list, "", "one SM holds");
    snprintf(l->text, TEXT_MAX, "%u threads, %u blocks, %u registers", g->max_threads_per_sm,
             g->max_blocks_per_sm, g->registers_per_sm);
    l = add(&list, "", "and shared memory");
    snprintf(l->text, TEXT_MAX, "%s", scaled);
    add_peaks(&list, g);
    for (size_t i = 1; i < list.count; i++)
        if (list.lines[i].name)
            printf("  %-24s  %s\n", list.lines[i].title, list.lines[i].text);
}

void properties_print(const struct gpu_limits *g)
{
    struct list list;
    fill(&list, g);
    for (size_t i = 0; i < list.count; i++) {
        const struct line *l = &list.lines[i];
        if (l->name)
            printf("  %-24s  %s\n", l->title, l->text);
        else
            printf("%s\n", l->title);
    }
}

void properties_write_json(const struct gpu_limits *g)
{
    struct list list;
    fill(&list, g);
    printf("{\"name\": ");
    table_json_text(stdout, g->name);
    for (size_t i = 0; i < list.count; i++)
        if (list.lines[i].name)
            printf(",\n   \"%s\": %s", list.lines[i].name, list.lines[i].json);
    printf("}");
}
