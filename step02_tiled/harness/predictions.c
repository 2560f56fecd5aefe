/* predictions.c - the questions of ./run --predict, and how their answers are computed. */
#include "common/gpu/access.h"
#include "common/gpu/draw.h"
#include "common/predict.h"

enum { TILE = 16, SIZE = 160 };

/* Loads of one element of A: by every thread of its row, or once for each tile of columns. */
static double saved_by_tiles(void) { return (double)SIZE / (double)(SIZE / TILE); }

static double barriers(void) { return 2.0 * ((80 + TILE - 1) / TILE); }

static struct draw_access column(uint64_t row_words)
{
    return draw_strided(DRAW_SHARED, 0, 4 * row_words, 4);
}

static double wavefronts_of(struct draw_access a)
{
    uint32_t offset[ACCESS_LANES];
    for (unsigned lane = 0; lane < ACCESS_LANES; lane++)
        offset[lane] = (uint32_t)a.address[lane];
    return access_shared_load(offset, a.mask, a.bytes).wavefronts;
}

static double straight(void) { return wavefronts_of(column(32)); }

static double padded(void) { return wavefronts_of(column(33)); }

static double padded_by_two(void) { return wavefronts_of(column(34)); }

static double sectors_of_float4(void)
{
    const struct draw_access a = draw_strided(DRAW_GLOBAL, 0, 16, 16);
    return access_global_sectors(a.address, a.mask, a.bytes);
}

static void draw_straight(FILE *out)
{
    const struct draw_access a = column(32);
    draw_text(out, &a, draw_style_for(out));
}

static void draw_padded_by_two(FILE *out)
{
    const struct draw_access a = column(34);
    draw_text(out, &a, draw_style_for(out));
}

static const struct prediction questions[] = {
    {"A product 160 x 160. Without tiles each element of A is loaded once for every\n"
     "column. With tiles of 16 x 16, how many times fewer loads?",
     saved_by_tiles, "An element is loaded once for each tile of 16 columns, and used 16 times.",
     NULL},
    {"k is 80, tiles of 16. How many barriers does a warp come to?", barriers,
     "5 phases, with a barrier before use and one before overwriting.", NULL},
    {"float tile[32][32] in shared memory, 32 banks. Thread t reads tile[t][0].\n"
     "How many passes (wavefronts)?",
     straight, "The words are 32 apart: all in bank 0, one pass for each.", draw_straight},
    {"The same with tile[32][33]. How many passes?", padded, "33 t % 32 = t: 32 banks, one pass.",
     NULL},
    {"And with tile[32][34]?", padded_by_two, "34 t % 32 = 2 t: 16 banks, two words in each.",
     draw_padded_by_two},
    {"A warp loads a float4 a lane, side by side. How many 32-byte sectors does the\n"
     "request touch?",
     sectors_of_float4, "512 bytes. One request of 16 sectors instead of four of 4.", NULL},
};

int predict_lesson(void)
{
    return predict_run("step02_tiled", questions, sizeof questions / sizeof questions[0]);
}
