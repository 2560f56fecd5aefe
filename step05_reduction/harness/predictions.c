/* predictions.c - the questions of ./run --predict, and how their answers are computed: round by
 * round of a tree over 512 elements. */
#include "common/gpu/access.h"
#include "common/gpu/draw.h"
#include "common/predict.h"

#include <stdbool.h>

enum { BLOCK = 512, WARP = 32 };

enum tree { INTERLEAVED, STRIDED, SEQUENTIAL };

static bool adds(enum tree tree, unsigned thread, unsigned step)
{
    return tree == INTERLEAVED ? thread % (2 * step) == 0
           : tree == STRIDED   ? thread < BLOCK / (2 * step)
                               : thread < step;
}

/* Warps that issue the addition, over all rounds; divided: only those in which some lanes do not.
 */
static double issues(enum tree tree, bool divided)
{
    unsigned count = 0;
    for (unsigned step = 1; step < BLOCK; step *= 2) {
        for (unsigned warp = 0; warp < BLOCK / WARP; warp++) {
            unsigned yes = 0;
            for (unsigned lane = 0; lane < WARP; lane++)
                yes += adds(tree, WARP * warp + lane, step);
            count += yes > 0 && (!divided || yes < WARP);
        }
    }
    return count;
}

static double interleaved(void) { return issues(INTERLEAVED, false); }

static double sequential(void) { return issues(SEQUENTIAL, false); }

static double sequential_divided(void) { return issues(SEQUENTIAL, true); }

/* The strided tree's third round, step 4: thread t reads word 8 t. */
static struct draw_access strided_round(void) { return draw_strided(DRAW_SHARED, 0, 32, 4); }

static double strided_wavefronts(void)
{
    const struct draw_access a = strided_round();
    uint32_t offset[ACCESS_LANES];
    for (unsigned lane = 0; lane < ACCESS_LANES; lane++)
        offset[lane] = (uint32_t)a.address[lane];
    return access_shared_load(offset, a.mask, a.bytes).wavefronts;
}

static void draw_strided_round(FILE *out)
{
    const struct draw_access a = strided_round();
    draw_text(out, &a, draw_style_for(out));
}

static double blocks(void) { return (4000000 + BLOCK - 1) / BLOCK; }

static const struct prediction questions[] = {
    {"4,000,000 floats, blocks of 512. How many blocks?", blocks,
     "4,000,000 / 512 = 7812.5: the last block is half full.", NULL},
    {"The tree with `thread % (2 * step) == 0` over 512 elements, 9 rounds, 16 warps.\n"
     "How often does a warp issue the addition, in all?",
     interleaved, "In the first five rounds every warp has a busy lane: 80; then 8 + 4 + 2 + 1.",
     NULL},
    {"The sequential tree: the first half of the threads adds the second half. How\noften now?",
     sequential, "8 + 4 + 2 + 1 whole warps, then one warp in each of 5 more rounds.", NULL},
    {"In how many of these is the warp divided?", sequential_divided,
     "With 16, 8, 4, 2 and 1 busy threads; with exactly 32 it is not.", NULL},
    {"The strided tree, third round: thread t adds at word 8 t. How many passes over\n"
     "the 32 banks does a full warp's load take?",
     strided_wavefronts, "8 t % 32 has four values: 8 words in each of four banks.",
     draw_strided_round},
};

int predict_lesson(void)
{
    return predict_run("step05_reduction", questions, sizeof questions / sizeof questions[0]);
}
