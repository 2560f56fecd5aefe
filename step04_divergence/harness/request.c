/* request.c - the command line of this lesson, and its kernels' names. */
#include "step04_divergence/harness/request.h"

#include "common/predict.h"

#include <stdio.h>
#include <string.h>

enum { ELEMENTS_MAX = 1 << 26, GRID_Y_MAX = 65535 };

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
    {"count_cut_warps", EXPERIMENT_BOUNDARY, "takes warps outside for divergent", true},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };
#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static void print_list(void)
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
    r->shape = (struct shape){(unsigned)b->values[0], b->count > 1 ? (unsigned)b->values[1] : 1,
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

/* One warp is watched alone. */
static int check_watch(const struct request *r)
{
    const int watched = (r->split > 0) + (r->every > 0) + (r->trips.count > 0) + (r->lock > 0);
    const bool other = r->n != NOT_GIVEN || r->image.count > 0 || r->block.count > 0 || r->kernel;
    if (watched > 1)
        return options_error(&r->o, "give one of --split, --every, --trips and --lock");
    if (watched && other)
        return options_error(&r->o,
                             "--split, --every, --trips and --lock watch one warp: they take "
                             "no --kernel, --n, --image or --block");
    return -1;
}

int request_read(struct request *r, int argc, char **argv)
{
    const struct option_spec own[] = {
        OPT_INTEGERS("block", &r->block, 1, BLOCK_MAX, "shape of a block: X, XxY or XxYxZ"),
        OPT_INTEGER("n", &r->n, 1, ELEMENTS_MAX, "vec_add on N elements (block 64)"),
        OPT_INTEGERS("image", &r->image, 1, ELEMENTS_MAX, "image_add on WxH (block 16x16)"),
        OPT_INTEGER("split", &r->split, 1, WARP, "draw an if that lanes 0 to N - 1 take"),
        OPT_INTEGER("every", &r->every, 1, WARP, "draw an if that every Nth lane takes"),
        OPT_INTEGERS("trips", &r->trips, 0, 64, "draw a loop: trips of lanes 0, 1, ..."),
        OPT_INTEGER("lock", &r->lock, 1, WARP, "draw a lock that N lanes want"),
        OPT_FLAG("all", &r->all, "all tables and pictures, not the branches alone"),
    };
    const struct options_about about = {
        "step04_divergence", "when the lanes of a warp disagree, and what it costs", true, 3, 15,
        predict_lesson};
    r->n = NOT_GIVEN;
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
    code = check_watch(r);
    code = code >= 0 ? code : check_block(r);
    code = code >= 0 ? code : check_problems(r);
    return code >= 0 ? code : check_kernel(r);
}

bool request_wants(const struct request *r, enum experiment part)
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

bool request_watches(const struct request *r, enum watch_kind *kind, uint32_t wants[32])
{
    for (unsigned lane = 0; lane < WARP; lane++)
        if (r->split > 0)
            wants[lane] = lane < r->split;
        else if (r->every > 0)
            wants[lane] = lane % r->every == 0;
        else if (r->trips.count > 0)
            wants[lane] = (uint32_t)r->trips.values[lane % r->trips.count];
        else
            wants[lane] = lane < r->lock;
    *kind = r->trips.count > 0 ? WATCH_LOOP : r->lock > 0 ? WATCH_LOCK : WATCH_IF;
    return r->split > 0 || r->every > 0 || r->trips.count > 0 || r->lock > 0;
}

const struct kernel *request_map_kernel(const struct request *r)
{
    return r->kernel ? r->kernel : &kernels[0];
}
