/* predictions.c - the questions of ./run --predict, and how their answers are computed: lane by
 * lane, for every warp of the grid. */
#include "common/predict.h"

/* Warps of a grid of bx x by blocks over an image in which some lanes are inside and some not. */
static double divided(unsigned width, unsigned height, unsigned bx, unsigned by)
{
    unsigned count = 0;
    for (unsigned top = 0; top < height; top += by) {
        for (unsigned left = 0; left < width; left += bx) {
            for (unsigned first = 0; first < bx * by; first += 32) {
                unsigned inside = 0;
                for (unsigned t = first; t < first + 32; t++)
                    inside += left + t % bx < width && top + t / bx < height;
                count += inside > 0 && inside < 32;
            }
        }
    }
    return count;
}

static double image_76_62(void) { return divided(76, 62, 16, 16); }

static double image_200_150(void) { return divided(200, 150, 16, 16); }

static double vector_1000(void) { return divided(1000, 1, 64, 1); }

/* Of the 8 warps of a block of 256: in which does `threadIdx.x < 4` divide? */
static double first_four(void)
{
    unsigned count = 0;
    for (unsigned warp = 0; warp < 8; warp++) {
        unsigned yes = 0;
        for (unsigned lane = 0; lane < 32; lane++)
            yes += 32 * warp + lane < 4;
        count += yes > 0 && yes < 32;
    }
    return count;
}

static unsigned trips(unsigned lane) { return lane < 11 ? 6 : lane < 22 ? 7 : 8; }

static double loop_rounds(void)
{
    unsigned most = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        most = trips(lane) > most ? trips(lane) : most;
    return most;
}

static double loop_utilisation(void)
{
    unsigned busy = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        busy += trips(lane);
    return 100.0 * busy / (32.0 * loop_rounds());
}

static const struct prediction questions[] = {
    {"A block of 256 threads, if (threadIdx.x < 4). How many of its 8 warps are\ndivided?",
     first_four, "In warp 0 the lanes disagree; in the others all say no.", NULL},
    {"1000 elements, blocks of 64 threads, the usual guard. How many of the 32 warps\n"
     "are divided?",
     vector_1000, "The 32nd warp has 8 elements. 31 * 32 = 992 fill the others.", NULL},
    {"An image of 76 x 62, blocks of 16 x 16 (a warp is 2 rows of 16), a guard on both\n"
     "edges. How many warps are divided?",
     image_76_62, "76 = 4 * 16 + 12: the last column of blocks, 31 pairs of rows.", NULL},
    {"An image of 200 x 150?", image_200_150,
     "75 pairs of rows. Warps wholly below the image are not divided.", NULL},
    {"A loop: 11 lanes go round 6 times, 11 lanes 7, 10 lanes 8. How many rounds does\n"
     "the warp issue?",
     loop_rounds, "It goes on until the last lane is done; the others wait.", NULL},
    {"What per cent of the lanes are busy in it?", loop_utilisation,
     "(11 * 6 + 11 * 7 + 10 * 8) / (32 * 8).", NULL},
};

int predict_lesson(void)
{
    return predict_run("step04_divergence", questions, sizeof questions / sizeof questions[0]);
}
