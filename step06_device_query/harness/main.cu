/* step06_device_query - what the GPU has, and how much of a kernel one SM can hold.
 *
 * No option: every device and its limits. --block, --regs, --shared: explains one occupancy, or
 * prints a table of several; --staircase: of all steps. --examples: the worked examples. --cliff:
 * measures what lost blocks cost. --check: holds the arithmetic to the CUDA runtime's own. This
 * file only reads the command line and chooses. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/counters.h"
#include "common/device_limits.h"
#include "common/gpu/gpu_limits.h"
#include "common/launch_columns.h"
#include "common/options.h"
#include "common/predict.h"
#include "common/report.h"
#include "step06_device_query/harness/cliff.h"
#include "step06_device_query/harness/devices.h"
#include "step06_device_query/harness/examples.h"
#include "step06_device_query/harness/explorer.h"
#include "step06_device_query/harness/occupancy_table.h"
#include "step06_device_query/harness/overlap.h"
#include "step06_device_query/harness/properties.h"
#include "step06_device_query/harness/spills.h"
#include "step06_device_query/harness/waves.h"

struct settings {
    struct options shared;
    bool examples, staircase, cliff, check, json, boxes;
    int64_t waves; /* blocks of the grid; 0: not asked */
    const char *gpu;
    struct option_integers blocks, registers, shared_bytes; /* count 0: not given */
    int64_t sm_threads, sm_blocks, sm_registers, sm_shared; /* -1: not given */
    int64_t n, parts, rounds;
    bool overlap, spills, tail, all;
};

/* ------------------------------------------------------------------------------- command line */

static bool explores(const struct settings *s)
{
    return s->boxes || s->registers.count > 0 || s->shared_bytes.count > 0 || s->sm_threads >= 0 ||
           s->sm_blocks >= 0 || s->sm_registers >= 0 || s->sm_shared >= 0 ||
           (s->blocks.count > 0 && !s->cliff);
}

static int check_modes(const struct settings *s)
{
    const struct options *o = &s->shared;
    if (s->examples + s->cliff + s->check + (explores(s) || s->staircase) > 1 ||
        (s->waves && (s->examples || s->cliff || s->check || s->staircase)))
        return options_error(
            o, "give one of --examples, --cliff, --check, or a block and an SM to explore");
    if (s->gpu && (s->cliff || s->check || s->examples))
        return options_error(o, "--gpu is for the explorer; the simulator takes SIMT_GPU=%s",
                             s->gpu);
    if (s->json && options_quiet(o))
        return options_error(o, "--json and --csv both want stdout: write --csv=FILE");
    if (s->check && (s->json || o->csv))
        return options_error(o, "--check prints one line, no table: leave out --json and --csv");
    if (s->cliff && (s->blocks.dims || s->blocks.count > 1))
        return options_error(o, "--cliff takes one --block size, such as 256");
    return -1;
}

/* -1: go on; otherwise the exit code. */
static int read_settings(struct settings *s, int argc, char **argv)
{
    const int64_t many = 1000000, bytes = (int64_t)1 << 31;
    const struct options_about about = {"step06_device_query",
                                        "the limits of a GPU, and how many blocks one SM can hold",
                                        true,
                                        2,
                                        15,
                                        predict_lesson};
    memset(s, 0, sizeof *s);
    s->sm_threads = s->sm_blocks = s->sm_registers = s->sm_shared = -1;
    s->parts = 4;
    s->rounds = backend_is_sim() ? 100 : 2000;
    s->n = backend_is_sim() ? 65539 : (1 << 26) + 3;
    const struct option_spec own[] = {
        OPT_INTEGERS("block", &s->blocks, 1, many, "explore: threads of a block, 256 or 16x16"),
        OPT_INTEGERS("regs", &s->registers, 0, many, "explore: registers per thread"),
        OPT_INTEGERS("shared", &s->shared_bytes, 0, bytes, "explore: shared bytes per block"),
        OPT_TEXT("gpu", &s->gpu, "explore this GPU's SM, or 'list'"),
        OPT_INTEGER("sm-threads", &s->sm_threads, 32, many, "explore an SM: its thread slots"),
        OPT_INTEGER("sm-blocks", &s->sm_blocks, 1, many, "explore an SM: its block slots"),
        OPT_INTEGER("sm-regs", &s->sm_registers, 1, bytes, "explore an SM: its registers"),
        OPT_INTEGER("sm-shared", &s->sm_shared, 0, bytes, "explore an SM: its shared bytes"),
        OPT_FLAG("boxes", &s->boxes, "explore: the four resources as a table"),
        OPT_FLAG("examples", &s->examples, "the worked examples"),
        OPT_FLAG("staircase", &s->staircase, "explore: all steps from that block on"),
        OPT_INTEGER("waves", &s->waves, 1, many, "draw a grid of N such blocks, wave by wave"),
        OPT_FLAG("cliff", &s->cliff, "measure bandwidth against occupancy"),
        OPT_FLAG("overlap", &s->overlap,
                 "host and device at the same time: pinned, streams, managed"),
        OPT_INTEGER("parts", &s->parts, 1, OVERLAP_PARTS_MAX, "overlap: parts of the array"),
        OPT_INTEGER("rounds", &s->rounds, 1, 100000, "overlap: work on each element"),
        OPT_FLAG("spills", &s->spills, "registers that do not suffice: local memory"),
        OPT_FLAG("tail", &s->tail, "measure grids of one wave, and a little more"),
        OPT_FLAG("check", &s->check, "compare with the CUDA runtime's occupancy"),
        OPT_FLAG("all", &s->all, "all properties of the devices, and the usual blocks"),
        OPT_FLAG("json", &s->json, "print JSON"),
        OPT_INTEGER("n", &s->n, 1, 1 << 30, "cliff: floats that are copied"),
    };
    int code = options_parse(&s->shared, argc, argv, &about, own, sizeof own / sizeof own[0]);
    if (code >= 0)
        return code;
    s->cliff |= s->shared.kernel != NULL; /* only the cliff has kernels */
    return check_modes(s);
}

/* ----------------------------------------------------------------------------------- which SM */

/* The textbook SM with the figures given, and nothing rounded. */
static void describe_sm(const struct settings *s, struct gpu_limits *g)
{
    *g = *gpu_limits_find("textbook");
    snprintf(g->name, sizeof g->name, "described SM");
    if (s->sm_threads >= 0)
        g->max_threads_per_sm = (unsigned)s->sm_threads;
    if (s->sm_blocks >= 0)
        g->max_blocks_per_sm = (unsigned)s->sm_blocks;
    if (s->sm_registers >= 0)
        g->registers_per_sm = g->registers_per_block = (unsigned)s->sm_registers;
    if (s->sm_shared >= 0)
        g->shared_bytes_per_sm = g->shared_bytes_per_block = g->shared_bytes_per_block_opt_in =
            (unsigned)s->sm_shared;
    g->max_warps_per_sm = g->max_threads_per_sm / g->warp_size;
}

/* -1: *g is the SM that is asked about; otherwise the exit code. */
static int choose_sm(const struct settings *s, struct gpu_limits *g)
{
    char list[512];
    bool described =
        s->sm_threads >= 0 || s->sm_blocks >= 0 || s->sm_registers >= 0 || s->sm_shared >= 0;
    if (described && s->gpu)
        return options_error(&s->shared, "give --gpu or the figures of an SM, not both");
    if (described) {
        describe_sm(s, g);
        return -1;
    }
    if (!s->gpu) {
        devices_count(); /* ends the program if there is none */
        device_limits(0, g);
        return -1;
    }
    const struct gpu_limits *profile = gpu_limits_find(s->gpu);
    if (!profile)
        return options_error(&s->shared, "--gpu '%s' is unknown: give one of %s", s->gpu,
                             gpu_limits_list(list, sizeof list));
    *g = *profile;
    return -1;
}

/* -------------------------------------------------------------------------------------- modes */

static int finish(const struct settings *s, const struct table *t, const char *source)
{
    return occupancy_table_report(t, &s->shared, s->json, true, source) ? 0 : 2;
}

/* Prose may go to stdout. */
static bool for_people(const struct settings *s) { return !s->json && !options_quiet(&s->shared); }

/* Once nothing can be wrong with the question any more. */
static void begin(const struct settings *s)
{
    if (for_people(s))
        options_banner(&s->shared);
}

static const char *computed_for(const struct gpu_limits *g, char *text, size_t size)
{
    snprintf(text, size, "computed, limits of %s", g->name);
    return text;
}

/* 16x16 is one block of 256 threads, 128,256 are two. */
static struct option_integers block_sizes(const struct settings *s)
{
    struct option_integers sizes = s->blocks;
    if (!sizes.dims)
        return sizes;
    int64_t threads = 1;
    for (size_t i = 0; i < sizes.count; i++)
        threads = threads * sizes.values[i] > UINT32_MAX ? UINT32_MAX : threads * sizes.values[i];
    sizes.count = 1;
    sizes.values[0] = threads;
    return sizes;
}

static struct option_integers or_default(struct option_integers list, int64_t value)
{
    if (list.count == 0) {
        list.count = 1;
        list.values[0] = value;
    }
    return list;
}

static int explore(const struct settings *s)
{
    char source[128];
    struct gpu_limits g;
    struct option_integers blocks = or_default(block_sizes(s), 256);
    struct option_integers registers = or_default(s->registers, 32);
    struct option_integers shared = or_default(s->shared_bytes, 0);
    int code = choose_sm(s, &g);
    if (code >= 0)
        return code;
    begin(s);
    if (s->boxes) {
        struct occupancy_request r = {(unsigned)blocks.values[0], (unsigned)registers.values[0], 0,
                                      (uint64_t)shared.values[0]};
        struct table *boxes;
        if (!explorer_boxes(&g, &r, &boxes))
            return options_error(&s->shared, "such a block cannot run on %s", g.name);
        code = occupancy_table_report(boxes, &s->shared, s->json, true,
                                      computed_for(&g, source, sizeof source))
                   ? 0
                   : 2;
        table_close(boxes);
        return code;
    }
    struct table *t = occupancy_table_open(false);
    for (size_t b = 0; b < blocks.count; b++)
        for (size_t r = 0; r < registers.count; r++)
            for (size_t m = 0; m < shared.count; m++)
                occupancy_table_explore(t, &g, (unsigned)blocks.values[b],
                                        (unsigned)registers.values[r], (uint64_t)shared.values[m]);
    bool one = table_rows(t) == 1;
    if (one && for_people(s)) {
        struct occupancy_request request = {(unsigned)blocks.values[0],
                                            (unsigned)registers.values[0], 0,
                                            (uint64_t)shared.values[0]};
        explorer_explain(&g, &request);
    }
    computed_for(&g, source, sizeof source);
    code = occupancy_table_report(t, &s->shared, s->json, !one, source) ? 0 : 2;
    table_close(t);
    return code;
}

/* From the explored block (the first of each list) upwards. */
static int staircase(const struct settings *s)
{
    char source[128];
    struct gpu_limits g;
    int code = choose_sm(s, &g);
    if (code >= 0)
        return code;
    begin(s);
    struct occupancy_request start = {(unsigned)or_default(block_sizes(s), 256).values[0],
                                      (unsigned)or_default(s->registers, 32).values[0], 0,
                                      (uint64_t)or_default(s->shared_bytes, 0).values[0]};
    struct table *t = occupancy_table_open(false);
    occupancy_table_staircase(t, &g, &start);
    code = finish(s, t, computed_for(&g, source, sizeof source));
    table_close(t);
    return code;
}

/* A grid of --waves blocks of the first kind given, on all SMs of the GPU. */
static int waves(const struct settings *s)
{
    char source[128];
    struct gpu_limits g;
    int code = choose_sm(s, &g);
    if (code >= 0)
        return code;
    if (g.sm_count == 0)
        return options_error(&s->shared, "--waves needs a whole GPU, and %s is an SM alone",
                             g.name);
    struct occupancy_request block = {(unsigned)or_default(block_sizes(s), 256).values[0],
                                      (unsigned)or_default(s->registers, 32).values[0], 0,
                                      (uint64_t)or_default(s->shared_bytes, 0).values[0]};
    struct occupancy o;
    if (!occupancy_compute(&g, &block, &o))
        return options_error(&s->shared, "such a block cannot run: %s", o.refusal);
    begin(s);
    return waves_report(&g, &block, &o, (uint64_t)s->waves, &s->shared, s->json,
                        computed_for(&g, source, sizeof source))
               ? 0
               : 2;
}

static int show_examples(const struct settings *s)
{
    struct table *t = occupancy_table_open(false);
    bool right = examples_compute(t);
    begin(s);
    if (for_people(s))
        printf("A textbook SM: 1536 thread slots, 8 block slots, 16,384 registers,\n"
               "16 KB of shared memory.\n\n");
    int code = finish(s, t, "computed, worked examples on the textbook SM");
    if (for_people(s)) {
        printf("\n");
        examples_explain();
    }
    table_close(t);
    return code > 0 ? code : right ? 0 : 1;
}

static int measure_cliff(const struct settings *s)
{
    char source[256];
    struct cliff_options options = {
        s->blocks.count > 0 ? (unsigned)s->blocks.values[0] : 256,
        (unsigned)s->n,
        s->shared.kernel,
        s->shared.warmup,
        s->shared.repeats,
        s->shared.seed,
    };
    struct table *t = occupancy_table_open(true);
    int code = cliff_measure(t, &options);
    if (code == 0) {
        begin(s);
        report_provenance(source, sizeof source);
        code = finish(s, t, source);
        if (code == 0 && for_people(s))
            launch_columns_explain(stdout);
        if (code == 0 && for_people(s) && backend_is_sim())
            printf("Registers: the simulator's estimate; ptxas's with nvcc's code and "
                   "SIMT_MODEL=1.\n");
    }
    table_close(t);
    return code;
}

/* Occupancy of the usual block sizes at 32 registers, under a device's or a profile's limits. */
static struct table *usual_blocks(const struct gpu_limits *g)
{
    static const unsigned blocks[] = {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
    struct table *t = occupancy_table_open(false);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        occupancy_table_explore(t, g, blocks[i], 32, 0);
    return t;
}

static int query(const struct settings *s)
{
    char source[128];
    struct gpu_limits g;
    int code = choose_sm(s, &g);
    if (code >= 0)
        return code;
    begin(s);
    struct table *t = usual_blocks(&g);
    if (s->json) {
        printf("{");
        if (s->gpu) {
            printf("\"profile\": ");
            properties_write_json(&g);
        } else {
            devices_write_json(devices_count());
        }
        printf(",\n \"occupancy\": ");
    } else if (for_people(s)) {
        if (s->gpu) {
            printf("profile of %s (no GPU is asked)\n", g.name);
            properties_print(&g);
        } else {
            devices_print(devices_count(), s->all);
        }
        printf("\n");
        if (!s->all && !s->gpu && !s->shared.csv) {
            printf("./run --all shows everything; --gpu h200 --block 256 --regs 33 one block\n");
            table_close(t);
            return 0;
        }
    }
    code = finish(s, t, computed_for(&g, source, sizeof source));
    if (s->json)
        printf("}\n");
    table_close(t);
    return code;
}

static int list_gpus(void)
{
    for (size_t i = 0; i < gpu_limits_count(); i++)
        printf("%-9s %s\n", gpu_limits_short_name(i), gpu_limits_at(i)->name);
    return 0;
}

int main(int argc, char **argv)
{
    struct settings s;
    int code = read_settings(&s, argc, argv);
    if (code >= 0)
        return code;
    if (s.shared.list) {
        cliff_list();
        return 0;
    }
    if (s.gpu && strcmp(s.gpu, "list") == 0)
        return list_gpus();
    if (s.examples)
        return show_examples(&s);
    if (s.cliff)
        return measure_cliff(&s);
    if (s.overlap)
        return overlap_run(&s.shared, (int)s.n, (int)s.parts, (int)s.rounds);
    if (s.spills)
        return spills_run(&s.shared, (unsigned)s.n);
    if (s.tail)
        return tail_run(&s.shared);
    if (s.check) {
        devices_count();
        return cliff_check();
    }
    if (s.staircase)
        return staircase(&s);
    if (s.waves)
        return waves(&s);
    return explores(&s) ? explore(&s) : query(&s);
}
