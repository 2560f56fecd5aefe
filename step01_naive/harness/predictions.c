/* predictions.c - the questions of ./run --predict, and how their answers are computed. */
#include "common/gpu/access.h"
#include "common/gpu/draw.h"
#include "common/predict.h"

enum { K = 160, BLOCK = 16 };

static double blocks(void) { return (1000 + 256 - 1) / 256; }

static double idle_threads(void) { return blocks() * 256 - 1000; }

/* A warp of a 16 x 16 block is 16 threads in x and 2 in y. Float `row_step` * y + `step` * x. */
static struct draw_access warp_reads(uint64_t step, uint64_t row_step)
{
    struct draw_access a = draw_strided(DRAW_GLOBAL, 0, 4, 4);
    for (unsigned lane = 0; lane < ACCESS_LANES; lane++)
        a.address[lane] = 4 * (step * (lane % BLOCK) + row_step * (lane / BLOCK));
    return a;
}

static double sectors_of(struct draw_access a)
{
    return access_global_sectors(a.address, a.mask, a.bytes);
}

static double b_along_a_row(void) { return sectors_of(warp_reads(1, 0)); }

static double a_down_a_column(void) { return sectors_of(warp_reads(K, 0)); }

static double average_coalesced(void)
{
    return (sectors_of(warp_reads(0, K)) + sectors_of(warp_reads(1, 0))) / 2;
}

static void draw_b(FILE *out)
{
    const struct draw_access a = warp_reads(1, 0);
    draw_text(out, &a, draw_style_for(out));
}

static void draw_a(FILE *out)
{
    const struct draw_access a = warp_reads(K, 0);
    draw_text(out, &a, draw_style_for(out));
}

static const struct prediction questions[] = {
    {"1000 elements, a thread for each, blocks of 256 threads.\nHow many blocks?", blocks,
     "1000 / 256 is 3.9, and blocks come whole: (1000 + 255) / 256 rounds up.", NULL},
    {"How many of their threads have no element?", idle_threads,
     "4 blocks are 1024 threads. The guard sends the last 24 away.", NULL},
    {"A warp of a 16 x 16 block is 2 rows of 16 threads. x is the column: 16\n"
     "neighbours of B, the same for both rows. How many 32-byte sectors?",
     b_along_a_row, "16 floats side by side are 64 bytes.", draw_b},
    {"Now x is the row: the 16 threads read A, 160 floats apart, and both rows of\n"
     "the warp the same. How many sectors?",
     a_down_a_column, "Each row of A is elsewhere: a sector of 8 floats for one of them.", draw_a},
    {"Back to x as the column: a request for A (two rows, one element each) and one\n"
     "for B alternate. How many sectors a request, on average?",
     average_coalesced,
     "A: one sector for each of two rows. B: 64 bytes. That is what the table shows.", NULL},
};

int predict_lesson(void)
{
    return predict_run("step01_naive", questions, sizeof questions / sizeof questions[0]);
}
