/* draw.c - a warp's sectors drawn from their addresses (see draw.h). */
#include "step03_coalescing/harness/draw.h"

#include "step03_coalescing/shapes.h"

enum { FLOAT_BYTES = 4, NUMBERS_A_LINE = 11 };

struct draw_access pattern_access(uint64_t offset, uint64_t stride, unsigned bytes)
{
    return draw_strided(DRAW_GLOBAL, offset * bytes, stride * bytes, bytes);
}

const char *pattern_title(char *text, size_t size, uint64_t offset, uint64_t stride, unsigned bytes)
{
    const bool strided = stride != 1;
    const char *what = strided ? "stride" : "offset";
    const unsigned long long elements = strided ? stride : offset;
    snprintf(text, size, "%s %llu, elements of %u byte%s", what, elements, bytes,
             bytes == 1 ? "" : "s");
    return text;
}

void draw_pattern(FILE *out, uint64_t offset, uint64_t stride, unsigned bytes)
{
    const struct draw_access a = pattern_access(offset, stride, bytes);
    char title[64];
    fprintf(out, "One warp, %s:\n\n", pattern_title(title, sizeof title, offset, stride, bytes));
    draw_text(out, &a, draw_style_for(out));
    fputc('\n', out);
}

/* Sectors a request at parameters first .. last, in lines that begin with what they begin with. */
static void list_predictions(FILE *out, const char *what, unsigned first, unsigned last,
                             unsigned (*sectors)(unsigned bytes, uint64_t parameter))
{
    for (unsigned p = first; p <= last; p++) {
        if ((p - first) % NUMBERS_A_LINE == 0)
            fprintf(out, "%s  %s %2u..%-2u ", p > first ? "\n" : "", what, p,
                    p + NUMBERS_A_LINE - 1 < last ? p + NUMBERS_A_LINE - 1 : last);
        fprintf(out, " %2u", sectors(FLOAT_BYTES, p));
    }
    fputc('\n', out);
}

static void list_sizes(FILE *out, uint64_t offset)
{
    fprintf(out, "  elements of 1, 2, 4, 8, 16 bytes, offset %llu: ", (unsigned long long)offset);
    for (unsigned bytes = 1; bytes <= 16; bytes *= 2)
        fprintf(out, " %u", access_offset_sectors(bytes, offset));
    fputc('\n', out);
}

/* Lane i reads row i of column 0, rows lie `pitch` floats apart. */
static uint64_t column_byte(unsigned lane, unsigned pitch)
{
    return (uint64_t)lane * pitch * FLOAT_BYTES;
}

/* transpose_float4 puts down the first line of its squares: unit of 16 bytes `lane % 16` of row
 * `lane / 16` becomes row 4 unit of the tile; swizzled, its place in that row is exclusive-ored. */
static uint64_t square_byte(unsigned lane, bool swizzled)
{
    const unsigned units = TILE / 4, row = lane / units, unit = lane % units;
    return 16 * ((uint64_t)4 * unit * units + (swizzled ? row ^ unit % 8 : row));
}

static void draw_banks(FILE *out, const char *what, enum draw_op op, const uint64_t *byte,
                       unsigned bytes)
{
    struct draw_access a = draw_strided(DRAW_SHARED, 0, 0, bytes);
    a.op = op;
    for (unsigned lane = 0; lane < ACCESS_LANES; lane++)
        a.address[lane] = byte[lane];
    fprintf(out, "\n%s\n\n", what);
    draw_text(out, &a, draw_style_for(out));
}

void draw_tile(FILE *out)
{
    uint64_t straight[ACCESS_LANES], padded[ACCESS_LANES], plain[ACCESS_LANES],
        swizzled[ACCESS_LANES];
    for (unsigned lane = 0; lane < ACCESS_LANES; lane++) {
        straight[lane] = column_byte(lane, TILE);
        padded[lane] = column_byte(lane, TILE + 1);
        plain[lane] = square_byte(lane, false);
        swizzled[lane] = square_byte(lane, true);
    }
    draw_legend(out, DRAW_SHARED, draw_style_for(out));
    draw_banks(out, "transpose_tile reads a column of tile[64][64]", DRAW_LOAD, straight, 4);
    draw_banks(out, "transpose_padded reads a column of tile[64][65]", DRAW_LOAD, padded, 4);
    draw_banks(out, "16 bytes a lane, stored straight", DRAW_STORE, plain, 16);
    draw_banks(out, "transpose_float4 stores them swizzled", DRAW_STORE, swizzled, 16);
}

void draw_predictions(FILE *out)
{
    fprintf(out, "Which 32-byte sectors a warp of floats touches:\n");
    draw_legend(out, DRAW_GLOBAL, draw_style_for(out));
    fputc('\n', out);
    draw_pattern(out, 0, 1, FLOAT_BYTES);
    draw_pattern(out, 1, 1, FLOAT_BYTES);
    draw_pattern(out, 24, 1, FLOAT_BYTES);
    draw_pattern(out, 0, 2, FLOAT_BYTES);

    fprintf(out, "Predicted sectors per request, floats:\n");
    list_predictions(out, "offset", 0, 32, access_offset_sectors);
    list_predictions(out, "stride", 1, 32, access_stride_sectors);
    list_sizes(out, 0);
    list_sizes(out, 1);
    fprintf(out, "\nIn the tables, s/r are sectors per request, and 100 %% of copy is "
                 "copy_plain.\n\n");
}
