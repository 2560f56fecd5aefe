/* picture.c - maps of warps (see picture.h). */
#include "step04_divergence/harness/picture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAP_WIDTH_MAX = 64, CELLS_MAX = 48, CELLS_AT_THE_ENDS = 6, LISTED_MAX = 8 };

/* ------------------------------------------------------------------------------------- colours */

static bool in_colour(FILE *out)
{
    const char *no_color = getenv("NO_COLOR"); /* no-color.org: set and not empty */
    return isatty(fileno(out)) && !(no_color && *no_color);
}

static void put(FILE *out, bool coloured, const char *colour, const char *text)
{
    if (coloured)
        fprintf(out, "\033[%sm%s\033[0m", colour, text);
    else
        fputs(text, out);
}

void picture_lanes(FILE *out, uint32_t active, uint32_t present)
{
    const bool coloured = in_colour(out);
    for (unsigned lane = 0; lane < WARP; lane++)
        if (active >> lane & 1)
            put(out, coloured, "32", "#");
        else
            put(out, coloured, "90", present >> lane & 1 ? "." : " ");
}

/* -------------------------------------------------------------------------------- block by warp */

static unsigned leader_number(struct shape s, const struct placed *p)
{
    return p->leader.x + s.x * (p->leader.y + s.y * p->leader.z);
}

/* "T(0,7,3)": slowest coordinate first, as the threads are counted; as many as the block has. */
static void print_thread(FILE *out, struct shape s, struct thread t)
{
    if (s.z > 1)
        fprintf(out, "T(%u,%u,%u)", t.z, t.y, t.x);
    else if (s.y > 1)
        fprintf(out, "T(%u,%u)", t.y, t.x);
    else
        fprintf(out, "T(%u)", t.x);
}

static void list_warps(FILE *out, struct shape s)
{
    const unsigned threads = shape_threads(s), warps = shape_warps(s);
    for (unsigned w = 0; w < warps; w++) {
        if (warps > LISTED_MAX && w == LISTED_MAX - 2) {
            fprintf(out, "  ...\n");
            w = warps - 1;
        }
        const unsigned first = w * WARP;
        const unsigned last = first + WARP < threads ? first + WARP - 1 : threads - 1;
        fprintf(out, "  warp %-2u  ", w);
        print_thread(out, s, shape_thread(s, first));
        fprintf(out, "..");
        print_thread(out, s, shape_thread(s, last));
        if (last - first + 1 < WARP)
            fprintf(out, "  and %u lanes of padding", WARP - (last - first + 1));
        fputc('\n', out);
    }
}

static void map_row(FILE *out, struct shape s, const struct placed *found, unsigned first)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
    static const char *const colours[] = {"32", "33", "36", "35", "34", "31"};
    const bool coloured = in_colour(out);
    fputs("    ", out);
    for (unsigned i = first; i < first + s.x; i++) {
        const unsigned warp = leader_number(s, &found[i]) / WARP;
        const char text[2] = {digits[warp % WARP], '\0'};
        put(out, coloured, colours[warp % (sizeof colours / sizeof colours[0])], text);
    }
    fputc('\n', out);
}

void picture_block(FILE *out, struct shape s, const struct placed *found)
{
    list_warps(out, s);
    if (s.y * s.z == 1 || s.x > MAP_WIDTH_MAX)
        return;
    for (unsigned z = 0; z < s.z; z++) {
        if (s.z > 1)
            fprintf(out, "  z = %u\n", z);
        for (unsigned y = 0; y < s.y; y++)
            map_row(out, s, found, s.x * (y + s.y * z));
    }
}

/* ------------------------------------------------------------------------------- image by state */

static void put_cell(FILE *out, bool coloured, uint8_t state)
{
    if (state == WARP_FULL)
        put(out, coloured, "32", "##");
    else if (state == WARP_DIVERGENT)
        put(out, coloured, "1;31", "//");
    else
        put(out, coloured, "90", "..");
}

/* Warp `warp` of every block of a row of blocks; the middle of a long row is left out. */
static void state_row(FILE *out, const uint8_t *blocks, size_t across, unsigned warps,
                      unsigned warp)
{
    const bool coloured = in_colour(out), whole = across <= CELLS_MAX;
    fputs(" ", out);
    for (size_t x = 0; x < across; x++) {
        if (!whole && x == CELLS_AT_THE_ENDS) {
            x = across - CELLS_AT_THE_ENDS;
            fputs(" ... ", out);
        }
        fputs(" ", out);
        put_cell(out, coloured, blocks[x * warps + warp]);
    }
    fputc('\n', out);
}

void picture_image(FILE *out, int64_t width, int64_t height, struct shape s, const uint8_t *state)
{
    const size_t across = boundary_blocks_x(width, s), down = boundary_blocks_y(height, s);
    const unsigned warps = shape_warps(s);
    const size_t row_bytes = across * warps;
    fprintf(out,
            "  a cell is a warp, a column a block of %u x %u: ## full, // divided, "
            ".. outside\n\n",
            s.x, s.y);
    for (size_t y = 0, same; y < down; y += 1 + same) {
        const uint8_t *blocks = state + y * row_bytes;
        for (unsigned warp = 0; warp < warps; warp++)
            state_row(out, blocks, across, warps, warp);
        for (same = 0; y + 1 + same < down; same++) /* rows of blocks that repeat this one */
            if (memcmp(blocks, blocks + (1 + same) * row_bytes, row_bytes) != 0)
                break;
        if (same > 0)
            fprintf(out, "  (%zu more row%s of blocks like that)\n", same, same > 1 ? "s" : "");
        fputc('\n', out);
    }
}
