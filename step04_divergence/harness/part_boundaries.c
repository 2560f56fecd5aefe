/* part_boundaries.c - what a boundary check does to the warps of vectors and images. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/launch_columns.h"
#include "step04_divergence/harness/parts.h"
#include "step04_divergence/harness/picture.h"

static const struct shape line = {64, 1, 1}, square = {16, 16, 1};

/* clang-format off */
static const struct column boundary_columns[] = {
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"problem", NULL, NULL, COLUMN_TEXT, 0},
    {"block", NULL, NULL, COLUMN_TEXT, 0},
    {"blocks", NULL, NULL, COLUMN_INTEGER, 0},
    {"warps", NULL, NULL, COLUMN_INTEGER, 0},
    {"predicted", "divergent", "predicted", COLUMN_INTEGER, 0},
    {"voted", "divergent", "by vote", COLUMN_INTEGER, 0},
    {"branches", "divergent", "simulator", COLUMN_INTEGER, 0},
    {"percent", "divergent", "%", COLUMN_REAL, 2},
    {"outside", "outside", "warps", COLUMN_INTEGER, 0},
    {"idle", "idle", "threads", COLUMN_INTEGER, 0},
    {"lanes", "lanes used", "%", COLUMN_REAL, 1},
    {"time", NULL, "ms", COLUMN_REAL, 4},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
    LAUNCH_COLUMNS,
};
static const struct column region_columns[] = {
    {"problem", NULL, NULL, COLUMN_TEXT, 0},
    {"region", NULL, NULL, COLUMN_TEXT, 0},
    {"blocks", NULL, NULL, COLUMN_INTEGER, 0},
    {"warps", NULL, NULL, COLUMN_INTEGER, 0},
    {"divergent", NULL, NULL, COLUMN_INTEGER, 0},
    {"outside", NULL, NULL, COLUMN_INTEGER, 0},
};
/* clang-format on */

static void add_region_rows(struct table *t, const char *problem, const struct boundary *b)
{
    static const char *const names[REGIONS] = {"interior", "right edge", "bottom edge", "corner"};
    for (int i = 0; i < REGIONS; i++) {
        table_row(t);
        table_text(t, "problem", problem);
        table_text(t, "region", names[i]);
        table_integer(t, "blocks", (int64_t)b->region[i].blocks);
        table_integer(t, "warps", (int64_t)b->region[i].warps);
        table_integer(t, "divergent", (int64_t)b->region[i].divergent);
        table_integer(t, "outside", (int64_t)b->region[i].outside);
    }
}

static void add_boundary_row(struct table *t, const struct row *row, const struct boundary_run *run)
{
    char block[48], key[ROWS_KEY_MAX];
    table_row(t);
    table_text(t, "kernel", row->kernel);
    table_text(t, "problem", row->problem);
    table_text(t, "block", shape_text(row->shape, block, sizeof block));
    table_integer(t, "blocks", (int64_t)row->blocks);
    table_integer(t, "warps", (int64_t)row->warps);
    table_integer(t, "predicted", (int64_t)row->predicted_divergent);
    table_integer(t, "voted", (int64_t)row->divergent);
    if (run->has_counters)
        table_integer(t, "branches", (int64_t)run->counters.divergent_branches);
    table_real(t, "percent", 100.0 * (double)row->divergent / (double)row->warps);
    table_integer(t, "outside", (int64_t)row->idle);
    table_integer(t, "idle", (int64_t)run->counted.idle_threads);
    table_real(t, "lanes", 100 * row->utilisation);
    table_measured(t, "time", row->time_ms);
    table_text(t, "verified", row->right ? "yes" : "NO");
    launch_columns_set(t, &run->timing.times, STEP04_RECORDS, rows_key(row, key, sizeof key));
}

static bool check_boundary(const char *kernel, const char *problem, const struct boundary_run *run,
                           const struct tally *want)
{
    const struct tally *got = &run->counted;
    bool right = run->right;
    right &= rows_agree(kernel, problem, "warps", want->warps, got->warps);
    right &= rows_agree(kernel, problem, "divergent warps", want->divergent, got->divergent);
    right &= rows_agree(kernel, problem, "warps outside", want->outside, got->outside);
    right &=
        rows_agree(kernel, problem, "threads inside", want->inside_threads, got->inside_threads);
    right &= rows_agree(kernel, problem, "idle threads", want->idle_threads, got->idle_threads);
    if (run->has_counters)
        right &= rows_agree(kernel, problem, "divergent branches", want->divergent,
                            run->counters.divergent_branches);
    return right;
}

/* Bit i: lane i of a block's warp is inside the image. */
static uint32_t lanes_inside(struct problem p, struct shape s, int64_t block_x, int64_t block_y,
                             unsigned warp)
{
    const uint32_t present = shape_lanes(s, warp);
    uint32_t inside = 0;
    for (unsigned lane = 0; lane < WARP; lane++) {
        const struct thread t = shape_thread(s, warp * WARP + lane);
        if (present >> lane & 1 && block_x * s.x + t.x < p.width && block_y * s.y + t.y < p.height)
            inside |= 1u << lane;
    }
    return inside;
}

/* The first divided warp of the block in the last column, the last row, and the corner of both:
 * which of its lanes are inside. `state` is what the warps voted. */
static void draw_edge_warps(struct problem p, struct shape s, const uint8_t *state)
{
    static const char *const names[] = {"right edge", "bottom edge", "corner"};
    const int64_t across = (int64_t)boundary_blocks_x(p.width, s);
    const int64_t down = (int64_t)boundary_blocks_y(p.height, s);
    const int64_t x[] = {across - 1, 0, across - 1}, y[] = {0, down - 1, down - 1};
    const unsigned warps = shape_warps(s);
    printf("Lanes of the first divided warp there: # inside, . outside the image\n\n");
    for (size_t i = 0; i < COUNT(names); i++) {
        unsigned warp = 0;
        while (warp < warps && state[(y[i] * across + x[i]) * warps + warp] != WARP_DIVERGENT)
            warp++;
        if (warp == warps) {
            printf("  %-11s  no warp is divided\n", names[i]);
            continue;
        }
        const uint32_t inside = lanes_inside(p, s, x[i], y[i], warp);
        printf("  %-11s  warp %-2u  ", names[i], warp);
        picture_lanes(stdout, inside, shape_lanes(s, warp));
        printf("  %d of %d\n", __builtin_popcount(inside),
               __builtin_popcount(shape_lanes(s, warp)));
    }
    printf("\n");
}

struct boundary_tables {
    struct table *checks, *regions;
};

static void run_boundary(struct session *s, const struct boundary_tables *t, struct problem p,
                         struct shape shape, bool picture)
{
    const bool sabotaged = s->r->kernel && s->r->kernel->sabotaged;
    const char *kernel = p.height > 0 ? "image_add" : "vec_add";
    char problem[48];
    problem_text(p, problem, sizeof problem);
    const struct boundary b = boundary_predict(p.width, p.height ? p.height : 1, shape);
    struct boundary_run run =
        boundary_measure(p.width, p.height, shape, sabotaged, s->r->o.seed, &s->timing);
    const struct row row = {EXPERIMENT_BOUNDARY,
                            kernel,
                            problem,
                            shape,
                            run.counted.blocks,
                            run.counted.warps,
                            run.counted.divergent,
                            run.counted.outside,
                            b.all.divergent,
                            tally_utilisation(&run.counted),
                            run.timing.median_ms,
                            check_boundary(kernel, problem, &run, &b.all)};
    rows_add(s, &row);
    add_boundary_row(t->checks, &row, &run);
    if (p.height > 0)
        add_region_rows(t->regions, problem, &b);
    if (picture && !rows_quiet(s) && !rows_brief(s)) {
        printf("The warps of a %s image\n\n", problem);
        picture_image(stdout, p.width, p.height, shape, run.state);
        draw_edge_warps(p, shape, run.state);
    }
    free(run.state);
}

static bool wants_kernel(const struct session *s, const char *name)
{
    const struct kernel *k = s->r->kernel;
    return !k || k->sabotaged || strcmp(k->name, name) == 0;
}

static void run_default_boundaries(struct session *s, const struct boundary_tables *t)
{
    static const int64_t vectors[] = {100, 1000, 1003, 10000};
    static const struct problem images[] = {{76, 62}, {200, 150}, {1000, 1000}, {1001, 1001}};
    for (size_t i = 0; i < COUNT(vectors) && wants_kernel(s, "vec_add"); i++)
        run_boundary(s, t, (struct problem){vectors[i], 0}, line, false);
    for (size_t i = 0; i < COUNT(images) && wants_kernel(s, "image_add"); i++)
        run_boundary(s, t, images[i], square, i == 0);
}

void part_boundaries(struct session *s)
{
    const struct request *r = s->r;
    const struct boundary_tables t = {
        table_open(boundary_columns, launch_columns(COUNT(boundary_columns))),
        table_open(region_columns, COUNT(region_columns))};
    const bool given = r->block.count > 0;
    if (r->n != NOT_GIVEN)
        run_boundary(s, &t, (struct problem){r->n, 0}, given ? r->shape : line, false);
    if (r->image.count > 0)
        run_boundary(s, &t, (struct problem){r->image.values[0], r->image.values[1]},
                     given ? r->shape : square, true);
    if (r->n == NOT_GIVEN && r->image.count == 0)
        run_default_boundaries(s, &t);
    if (!rows_quiet(s) && !rows_brief(s)) {
        printf("Boundary checks\n\n");
        table_leave_out(t.checks, "percent idle blocks lanes outside predicted voted verified");
        table_print_within(t.checks, stdout, options_width(&r->o));
        printf("\n");
        if (table_rows(t.regions) > 0)
            table_print_within(t.regions, stdout, options_width(&r->o));
        printf("%s", table_rows(t.regions) > 0 ? "\n" : "");
    }
    table_close(t.checks);
    table_close(t.regions);
}
