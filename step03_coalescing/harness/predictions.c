/* predictions.c - the questions of ./run --predict, and how their answers are computed. */
#include "common/gpu/access.h"
#include "common/gpu/draw.h"
#include "common/predict.h"

static double offset_1(void) { return access_offset_sectors(4, 1); }

static double offset_8(void) { return access_offset_sectors(4, 8); }

static double stride_2(void) { return access_stride_sectors(4, 2); }

static double stride_32(void) { return access_stride_sectors(4, 32); }

static double stride_8_equals(void) { return access_stride_sectors(4, 8); }

static double doubles_offset_1(void) { return access_offset_sectors(8, 1); }

static void draw(FILE *out, uint64_t base, uint64_t stride, unsigned bytes)
{
    const struct draw_access a = draw_strided(DRAW_GLOBAL, base, stride, bytes);
    draw_text(out, &a, draw_style_for(out));
}

static void draw_offset_1(FILE *out) { draw(out, 4, 4, 4); }

static void draw_stride_2(FILE *out) { draw(out, 0, 8, 4); }

static void draw_stride_8(FILE *out) { draw(out, 0, 32, 4); }

static void draw_doubles(FILE *out) { draw(out, 8, 8, 8); }

static const struct prediction questions[] = {
    {"32 lanes read 32 floats side by side, from element 1 of an aligned array on.\n"
     "How many 32-byte sectors?",
     offset_1, "128 bytes that begin 4 bytes late end in a fifth sector.", draw_offset_1},
    {"From element 8 on?", offset_8, "8 floats are a sector: aligned again.", NULL},
    {"Every second float, stride 2?", stride_2, "256 bytes, of which half are used.",
     draw_stride_2},
    {"Stride 8?", stride_8_equals, "A sector for each lane: from here on it gets no worse.",
     draw_stride_8},
    {"Stride 32?", stride_32, "Still a sector for each lane: 32 bytes moved for 4 wanted.", NULL},
    {"Doubles side by side, from element 1 on?", doubles_offset_1,
     "256 bytes are 8 sectors, and an offset costs one more: 1/8 more instead of 1/4.",
     draw_doubles},
};

int predict_lesson(void)
{
    return predict_run("step03_coalescing", questions, sizeof questions / sizeof questions[0]);
}
