/* step04_divergence - when do the lanes of a warp disagree, and what does that cost?
 *
 * Three parts: how a block is cut into warps; conditions and loops; boundary checks. Every count
 * comes from a kernel on the device (the warps vote), from arithmetic, and on the simulator also
 * from the branches it executed: all must agree. The kernels are in maps.cu, branches.cu and
 * boundary.cu. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/counters.h"
#include "common/cuda_check.h"
#include "common/options.h"
#include "common/report.h"
#include "common/timing.h"
#include "step04_divergence/lesson.h"
#include "step04_divergence/picture.h"

enum { NOT_GIVEN = -1, ELEMENTS_MAX = 1 << 26, GRID_Y_MAX = 65535 };

static const char *const experiment_names[] = {"warp_map", "branch", "boundary"};

static const struct kernel kernels[] = {
    {"warp_map", EXPERIMENT_MAP, "each thread reports its warp and its lane", false},
    {"warp_map_y_first", EXPERIMENT_MAP, "numbers the threads y first", true},
    {"branch_first_four", EXPERIMENT_BRANCH, "threadIdx.x < 4: one warp of each block", false},
    {"branch_odd_even", EXPERIMENT_BRANCH, "odd against even: every warp", false},
    {"branch_by_warp", EXPERIMENT_BRANCH, "odd against even warps: none", false},
    {"loop_6_7_8", EXPERIMENT_BRANCH, "lanes leave a loop at different times", false},
    {"short_odd_even", EXPERIMENT_BRANCH, "odd against even, arms of one instruction", false},
    {"short_by_warp", EXPERIMENT_BRANCH, "odd against even warps, the same arms", false},
    {"vec_add", EXPERIMENT_BOUNDARY, "if (i < n)", false},
    {"image_add", EXPERIMENT_BOUNDARY, "if ((x < width) & (y < height))", false},
    {"count_cut_warps", EXPERIMENT_BOUNDARY, "takes warps wholly outside for divergent", true},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* ----------------------------------------------------------------------------------- the tables */

/* clang-format off */
static const struct column csv_columns[] = {
    {"experiment", NULL, NULL, COLUMN_TEXT, 0},
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"problem", NULL, NULL, COLUMN_TEXT, 0},
    {"block", NULL, NULL, COLUMN_TEXT, 0},
    {"blocks", NULL, NULL, COLUMN_INTEGER, 0},
    {"warps", NULL, NULL, COLUMN_INTEGER, 0},
    {"divergent_warps", NULL, NULL, COLUMN_INTEGER, 0},
    {"idle_warps", NULL, NULL, COLUMN_INTEGER, 0},
    {"predicted_divergent_warps", NULL, NULL, COLUMN_INTEGER, 0},
    {"divergent_percent", NULL, NULL, COLUMN_REAL, 2},
    {"lane_utilisation", NULL, NULL, COLUMN_REAL, 4},
    {"time_ms", NULL, NULL, COLUMN_REAL, 4},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
};
static const struct column branch_columns[] = {
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"condition", NULL, NULL, COLUMN_TEXT, 0},
    {"warps", NULL, NULL, COLUMN_INTEGER, 0},
    {"predicted", "divergent", "predicted", COLUMN_INTEGER, 0},
    {"voted", "divergent", "by vote", COLUMN_INTEGER, 0},
    {"branches_predicted", "div. branches", "predicted", COLUMN_INTEGER, 0},
    {"branches", "div. branches", "simulator", COLUMN_INTEGER, 0},
    {"issues", "issues", "per warp", COLUMN_REAL, 2},
    {"lanes", "lanes used", "%", COLUMN_REAL, 1},
    {"instructions", "instructions", "simulator", COLUMN_INTEGER, 0},
    {"time", NULL, "ms", COLUMN_REAL, 4},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
};
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
#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/* ---------------------------------------------------------------------------------- the options */

struct problem {
    int64_t width, height; /* height 0: a vector of width elements */
};

struct request {
    struct options o;
    struct option_integers block, image;
    int64_t n;
    const struct kernel *kernel; /* --kernel, or NULL */
    struct shape shape;          /* --block */
};

static void print_list()
{
    for (size_t i = 0; i < KERNELS; i++)
        printf("%-18s %-9s %s%s\n", kernels[i].name, experiment_names[kernels[i].experiment],
               kernels[i].what, kernels[i].sabotaged ? " (sabotaged)" : "");
}

static int check_block(struct request *r)
{
    const struct option_integers *b = &r->block;
    if (b->count == 0)
        return -1;
    if (b->count > 3)
        return options_error(&r->o, "--block: give X, XxY or XxYxZ, not %zu numbers", b->count);
    r->shape = {(unsigned)b->values[0], b->count > 1 ? (unsigned)b->values[1] : 1,
                b->count > 2 ? (unsigned)b->values[2] : 1};
    if (r->shape.z > 64)
        return options_error(&r->o, "--block: z is at most 64, not %u", r->shape.z);
    if ((uint64_t)r->shape.x * r->shape.y * r->shape.z > BLOCK_MAX)
        return options_error(&r->o, "--block: a block has at most %d threads, not %llu", BLOCK_MAX,
                             (unsigned long long)r->shape.x * r->shape.y * r->shape.z);
    return -1;
}

static int check_problems(const struct request *r)
{
    const struct option_integers *image = &r->image;
    const struct shape s = r->block.count ? r->shape : (struct shape){16, 16, 1};
    if (r->n != NOT_GIVEN && r->block.count > 0 && (r->shape.y > 1 || r->shape.z > 1))
        return options_error(&r->o, "--n needs a block of one dimension, such as --block 64");
    if (image->count == 0)
        return -1;
    if (image->count != 2)
        return options_error(&r->o, "--image: give WIDTHxHEIGHT, such as 76x62");
    if (image->values[0] * image->values[1] > ELEMENTS_MAX)
        return options_error(&r->o, "--image: at most %d pixels", ELEMENTS_MAX);
    if (s.z > 1)
        return options_error(&r->o, "--image needs a block of two dimensions, such as 16x16");
    if (boundary_blocks_y(image->values[1], s) > GRID_Y_MAX)
        return options_error(&r->o,
                             "--image: %lld rows need more than %d blocks in y; a higher "
                             "block needs fewer",
                             (long long)image->values[1], GRID_Y_MAX);
    return -1;
}

/* Options that the chosen kernel would ignore are refused. */
static int check_kernel(const struct request *r)
{
    const struct kernel *k = r->kernel;
    const bool vector = r->n != NOT_GIVEN, image = r->image.count > 0, block = r->block.count > 0;
    if (!k)
        return -1;
    if (k->experiment == EXPERIMENT_MAP && (vector || image))
        return options_error(&r->o, "%s takes --block, but no --n and no --image", k->name);
    if (k->experiment == EXPERIMENT_BRANCH && (vector || image || block))
        return options_error(&r->o, "%s takes no --block, --n or --image", k->name);
    if (strcmp(k->name, "vec_add") == 0 && image)
        return options_error(&r->o, "vec_add takes --n; --image is for image_add");
    if (strcmp(k->name, "image_add") == 0 && vector)
        return options_error(&r->o, "image_add takes --image; --n is for vec_add");
    if (k->experiment == EXPERIMENT_BOUNDARY && block && !vector && !image)
        return options_error(&r->o, "%s with --block needs --n or --image too", k->name);
    return -1;
}

/* -1: go on, otherwise the exit code. */
static int read_request(struct request *r, int argc, char **argv)
{
    const struct option_spec own[] = {
        OPT_INTEGERS("block", &r->block, 1, BLOCK_MAX, "shape of a block: X, XxY or XxYxZ"),
        OPT_INTEGER("n", &r->n, 1, ELEMENTS_MAX, "vec_add on N elements (block 64)"),
        OPT_INTEGERS("image", &r->image, 1, ELEMENTS_MAX, "image_add on WxH (block 16x16)"),
    };
    const struct options_about about = {
        "step04_divergence", "when the lanes of a warp disagree, and what it costs", true, 3, 15};
    int code = options_parse(&r->o, argc, argv, &about, own, COUNT(own));
    if (code >= 0)
        return code;
    if (r->o.list) {
        print_list();
        return 0;
    }
    if (r->o.kernel) {
        const int found = options_find("kernel", r->o.kernel, kernels, KERNELS, sizeof kernels[0]);
        if (found < 0)
            return 2;
        r->kernel = &kernels[found];
    }
    code = check_block(r);
    code = code >= 0 ? code : check_problems(r);
    return code >= 0 ? code : check_kernel(r);
}

/* ------------------------------------------------------------------------------ a run, and rows */

struct session {
    const struct request *r;
    struct timing_options timing;
    struct table *csv;
    bool all_right;
};

static bool quiet(const struct session *s) { return options_quiet(&s->r->o); }

static const char *shape_text(struct shape s, char *text, size_t size)
{
    if (s.z > 1)
        snprintf(text, size, "%ux%ux%u", s.x, s.y, s.z);
    else if (s.y > 1)
        snprintf(text, size, "%ux%u", s.x, s.y);
    else
        snprintf(text, size, "%u", s.x);
    return text;
}

static const char *problem_text(struct problem p, char *text, size_t size)
{
    if (p.height > 0)
        snprintf(text, size, "%lldx%lld", (long long)p.width, (long long)p.height);
    else
        snprintf(text, size, "%lld", (long long)p.width);
    return text;
}

struct row {
    enum experiment experiment;
    const char *kernel, *problem;
    struct shape shape;
    uint64_t blocks, warps, divergent, idle, predicted_divergent;
    double utilisation, time_ms; /* NAN: does not exist */
    bool right;
};

static void add_csv_row(struct session *s, const struct row *r)
{
    char block[48];
    table_row(s->csv);
    table_text(s->csv, "experiment", experiment_names[r->experiment]);
    table_text(s->csv, "kernel", r->kernel);
    table_text(s->csv, "problem", r->problem);
    table_text(s->csv, "block", shape_text(r->shape, block, sizeof block));
    table_integer(s->csv, "blocks", (int64_t)r->blocks);
    table_integer(s->csv, "warps", (int64_t)r->warps);
    table_integer(s->csv, "divergent_warps", (int64_t)r->divergent);
    table_integer(s->csv, "idle_warps", (int64_t)r->idle);
    table_integer(s->csv, "predicted_divergent_warps", (int64_t)r->predicted_divergent);
    table_real(s->csv, "divergent_percent", 100.0 * (double)r->divergent / (double)r->warps);
    table_measured(s->csv, "lane_utilisation", r->utilisation);
    table_measured(s->csv, "time_ms", r->time_ms);
    table_text(s->csv, "verified", r->right ? "yes" : "NO");
    s->all_right = s->all_right && r->right;
}

static bool agree(const char *kernel, const char *problem, const char *what, uint64_t predicted,
                  uint64_t counted)
{
    if (predicted == counted)
        return true;
    fprintf(stderr, "%s, %s: %llu %s predicted, %llu counted\n", kernel, problem,
            (unsigned long long)predicted, what, (unsigned long long)counted);
    return false;
}

/* ---------------------------------------------------------------------- part 1: block and warps */

static bool check_map(const char *kernel, struct shape s, const struct placed *found)
{
    for (unsigned i = 0; i < shape_threads(s); i++) {
        const struct thread want = shape_thread(s, i / WARP * WARP), got = found[i].leader;
        if (got.x == want.x && got.y == want.y && got.z == want.z && found[i].lane == i % WARP)
            continue;
        fprintf(stderr,
                "%s: thread %u is lane %u of the warp of T(%u,%u,%u), but should be lane "
                "%u of the warp of T(%u,%u,%u)\n",
                kernel, i, found[i].lane, got.z, got.y, got.x, i % WARP, want.z, want.y, want.x);
        return false;
    }
    return true;
}

static void run_map(struct session *s, const struct kernel *k, struct shape shape)
{
    struct placed found[BLOCK_MAX];
    char block[48];
    map_run(shape, k->sabotaged, found);
    const unsigned threads = shape_threads(shape), warps = shape_warps(shape);
    struct row row = {EXPERIMENT_MAP,
                      k->name,
                      "-",
                      shape,
                      1,
                      warps,
                      0,
                      0,
                      0,
                      (double)threads / (WARP * warps),
                      NAN,
                      check_map(k->name, shape, found)};
    add_csv_row(s, &row);
    if (quiet(s))
        return;
    printf("Block %s: %u thread%s, %u warp%s\n", shape_text(shape, block, sizeof block), threads,
           threads == 1 ? "" : "s", warps, warps == 1 ? "" : "s");
    picture_block(stdout, shape, found);
    printf("\n");
}

static void run_maps(struct session *s, const struct kernel *k)
{
    static const struct shape shapes[] = {{128, 1, 1}, {48, 1, 1}, {4, 4, 1}, {8, 8, 1}, {4, 8, 2}};
    if (!quiet(s))
        printf("How a block is cut into warps (thread numbers: x first, then y, then z)\n\n");
    if (s->r->block.count > 0)
        run_map(s, k, s->r->shape);
    else
        for (size_t i = 0; i < COUNT(shapes); i++)
            run_map(s, k, shapes[i]);
}

/* ------------------------------------------------------------------- part 2: branches and loops */

/* The warps' votes and the simulator's branches against arithmetic. */
static bool check_branch(const struct branch_case *c, const struct branch_run *run,
                         const struct branch_tally *want, uint64_t divergent_branches)
{
    const char *name = c->name, *place = c->condition;
    bool right = run->right;
    right &= agree(name, place, "warps", want->warps, run->counted.warps);
    right &= agree(name, place, "divergent warps", want->divergent, run->counted.divergent);
    right &= agree(name, place, "issues", want->issues, run->counted.issues);
    right &= agree(name, place, "active lanes", want->lanes, run->counted.lanes);
    if (run->has_counters && !c->short_arms)
        right &= agree(name, place, "divergent branches", divergent_branches,
                       run->counters.divergent_branches);
    return right;
}

static void add_branch_row(struct table *t, const struct branch_case *c,
                           const struct branch_run *run, const struct branch_tally *want,
                           uint64_t divergent_branches, const struct row *row)
{
    table_row(t);
    table_text(t, "kernel", row->kernel);
    table_text(t, "condition", c->condition);
    table_integer(t, "warps", (int64_t)row->warps);
    table_integer(t, "predicted", (int64_t)want->divergent);
    table_integer(t, "voted", (int64_t)row->divergent);
    table_integer(t, "branches_predicted", (int64_t)divergent_branches);
    if (run->has_counters) {
        table_integer(t, "branches", (int64_t)run->counters.divergent_branches);
        table_integer(t, "instructions", (int64_t)run->counters.instructions);
    }
    if (!c->short_arms) /* no arm is issued for some of the lanes only */
        table_real(t, "issues", (double)run->counted.issues / (double)row->warps);
    table_measured(t, "lanes", 100 * row->utilisation);
    table_measured(t, "time", row->time_ms);
    table_text(t, "verified", row->right ? "yes" : "NO");
}

static void run_branches(struct session *s)
{
    const bool sim = backend_is_sim();
    const unsigned threads = 256, blocks = sim ? 256 : 1 << 16, rounds = sim ? 256 : 1024;
    struct table *t = table_open(branch_columns, COUNT(branch_columns));
    char problem[32];
    snprintf(problem, sizeof problem, "%u", blocks * threads);
    size_t count;
    const struct branch_case *cases = branch_cases(&count);
    for (size_t which = 0; which < count; which++) {
        const struct branch_case *c = &cases[which];
        if (s->r->kernel && strcmp(s->r->kernel->name, c->name) != 0)
            continue;
        uint64_t divergent_branches;
        const struct branch_run run = branch_measure(which, blocks, threads, rounds, &s->timing);
        const struct branch_tally want =
            branch_predict(which, blocks, threads, &divergent_branches);
        const struct row row = {
            EXPERIMENT_BRANCH,
            c->name,
            problem,
            {threads, 1, 1},
            blocks,
            run.counted.warps,
            run.counted.divergent,
            0,
            want.divergent,
            c->short_arms ? NAN : (double)run.counted.lanes / (double)(WARP * run.counted.issues),
            run.timing.median_ms,
            check_branch(c, &run, &want, divergent_branches)};
        add_csv_row(s, &row);
        add_branch_row(t, c, &run, &want, divergent_branches, &row);
    }
    if (!quiet(s)) {
        printf("Branches and loops: %u blocks of %u threads, arms of %u rounds\n\n", blocks,
               threads, rounds);
        table_print(t, stdout);
        printf("\n");
    }
    table_close(t);
}

/* ---------------------------------------------------------------------- part 3: boundary checks */

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
    char block[48];
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
}

static bool check_boundary(const char *kernel, const char *problem, const struct boundary_run *run,
                           const struct tally *want)
{
    const struct tally *got = &run->counted;
    bool right = run->right;
    right &= agree(kernel, problem, "warps", want->warps, got->warps);
    right &= agree(kernel, problem, "divergent warps", want->divergent, got->divergent);
    right &= agree(kernel, problem, "warps outside", want->outside, got->outside);
    right &= agree(kernel, problem, "threads inside", want->inside_threads, got->inside_threads);
    right &= agree(kernel, problem, "idle threads", want->idle_threads, got->idle_threads);
    if (run->has_counters)
        right &= agree(kernel, problem, "divergent branches", want->divergent,
                       run->counters.divergent_branches);
    return right;
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
    add_csv_row(s, &row);
    add_boundary_row(t->checks, &row, &run);
    if (p.height > 0)
        add_region_rows(t->regions, problem, &b);
    if (picture && !quiet(s)) {
        printf("The warps of a %s image\n\n", problem);
        picture_image(stdout, p.width, p.height, shape, run.state);
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
        run_boundary(s, t, {vectors[i], 0}, {64, 1, 1}, false);
    for (size_t i = 0; i < COUNT(images) && wants_kernel(s, "image_add"); i++)
        run_boundary(s, t, images[i], {16, 16, 1}, i == 0);
}

static void run_boundaries(struct session *s)
{
    const struct request *r = s->r;
    const struct boundary_tables t = {table_open(boundary_columns, COUNT(boundary_columns)),
                                      table_open(region_columns, COUNT(region_columns))};
    const bool given = r->block.count > 0;
    if (r->n != NOT_GIVEN)
        run_boundary(s, &t, {r->n, 0}, given ? r->shape : (struct shape){64, 1, 1}, false);
    if (r->image.count > 0)
        run_boundary(s, &t, {r->image.values[0], r->image.values[1]},
                     given ? r->shape : (struct shape){16, 16, 1}, true);
    if (r->n == NOT_GIVEN && r->image.count == 0)
        run_default_boundaries(s, &t);
    if (!quiet(s)) {
        printf("Boundary checks\n\n");
        table_print(t.checks, stdout);
        printf("\n");
        if (table_rows(t.regions) > 0)
            table_print(t.regions, stdout);
        printf("%s", table_rows(t.regions) > 0 ? "\n" : "");
    }
    table_close(t.checks);
    table_close(t.regions);
}

/* ---------------------------------------------------------------------------------- the lesson */

/* Without --kernel: all three parts; --block alone asks for the map, --n and --image for their
 * boundary. */
static bool wants_part(const struct request *r, enum experiment part)
{
    const bool problem = r->n != NOT_GIVEN || r->image.count > 0;
    if (r->kernel)
        return r->kernel->experiment == part;
    if (part == EXPERIMENT_MAP)
        return r->block.count > 0 || !problem;
    if (part == EXPERIMENT_BRANCH)
        return r->block.count == 0 && !problem;
    return problem || r->block.count == 0;
}

static int run_lesson(const struct request *r)
{
    struct session s = {r, {r->o.warmup, r->o.repeats, 1, false}, NULL, true};
    char provenance[256];
    s.csv = table_open(csv_columns, COUNT(csv_columns));
    if (wants_part(r, EXPERIMENT_MAP))
        run_maps(&s, r->kernel ? r->kernel : &kernels[0]);
    if (wants_part(r, EXPERIMENT_BRANCH))
        run_branches(&s);
    if (wants_part(r, EXPERIMENT_BOUNDARY))
        run_boundaries(&s);
    if (!quiet(&s))
        printf("%s\n", provenance_line(provenance, sizeof provenance));
    const bool written = report_csv(s.csv, &r->o);
    table_close(s.csv);
    return !written ? 2 : s.all_right ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct request r = {};
    r.n = NOT_GIVEN;
    const int code = read_request(&r, argc, argv);
    return code >= 0 ? code : run_lesson(&r);
}
