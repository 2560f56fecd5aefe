/* draw_text.c - a warp's access as text within 80 columns (see draw.h).
 *
 * Global memory: eight sectors a row, each with its lanes above and its number below:
 *      lanes  0-6      7-14     15-22    23-30    31
 *      bytes [.#######|########|########|########[#.......|
 *     sector  0        1        2        3        4
 * Shared memory: one row for each pass over the 32 banks, with the lane that it serves. */
#include "common/gpu/draw_layout.h"

#include <string.h>

enum {
    ROW_SECTORS = 8,
    SECTOR_COLUMNS = DRAW_SECTOR_WORDS,
    BANK_COLUMNS = 2,
    ALL_PASSES_UP_TO = 8, /* more are cut: the first PASSES_SHOWN, a line of dots, the last */
    PASSES_SHOWN = 4,
    TEXT_COLUMNS = 80
};

enum mark { MARK_WANTED, MARK_PART, MARK_ALONG, MARK_ABSENT };

static const char *mark_text(enum mark mark, struct draw_style style)
{
    static const char *const ascii[] = {"#", "+", ".", "."}, *const blocks[] = {"█", "▒", "░", "·"};
    return style.utf8 ? blocks[mark] : ascii[mark];
}

static const char *color(struct draw_style style, const char *code)
{
    return style.color ? code : "";
}

#define COLOR_WANTED "\033[32m"
#define COLOR_DIM    "\033[2m"
#define COLOR_ODD    "\033[36m"
#define COLOR_END    "\033[0m"

void draw_legend_part(FILE *out, struct draw_style style)
{
    fprintf(out, "%s 4 bytes of which lanes want some\n", mark_text(MARK_PART, style));
}

void draw_legend(FILE *out, enum draw_space space, struct draw_style style)
{
    if (space == DRAW_SHARED) {
        fprintf(out, "Each number is a lane, in the bank that it wants; a row is one wavefront.\n");
        return;
    }
    fprintf(out,
            "%s 4 bytes a lane wants, %s bytes that come along; | every 32 bytes, [ every 128\n",
            mark_text(MARK_WANTED, style), mark_text(MARK_ALONG, style));
}

/* --- sectors -----------------------------------------------------------------------------------*/

static void print_words(FILE *out, const struct draw_sector *s, struct draw_style style)
{
    for (unsigned w = 0; w < DRAW_SECTOR_WORDS; w++) {
        const unsigned bytes = s->wanted >> w * ACCESS_BANK_BYTES & 0xfu;
        const enum mark mark = bytes == 0xf ? MARK_WANTED : bytes ? MARK_PART : MARK_ALONG;
        fprintf(out, "%s%s%s", color(style, bytes ? COLOR_WANTED : COLOR_DIM),
                mark_text(mark, style), color(style, COLOR_END));
    }
}

/* A number of at most 8 characters; far ones are rounded, and say so. */
static const char *sector_number(char text[16], uint64_t number)
{
    if (number < 100000000) {
        snprintf(text, 16, "%llu", (unsigned long long)number);
    } else {
        snprintf(text, 16, "~%.0e", (double)number);
    }
    return text;
}

/* A line of labels, one for each sector of the row. */
static void print_labels(FILE *out, const char *name, const struct draw_sectors *p, unsigned first,
                         unsigned last, bool numbers)
{
    char text[16];
    int column = fprintf(out, "%6s ", name), at = 8;
    for (unsigned s = first; s < last; s++, at += SECTOR_COLUMNS + 1) {
        const struct draw_sector *sector = &p->sector[s];
        const char *label = numbers ? sector_number(text, sector->number - p->base)
                                    : draw_lanes(text, SECTOR_COLUMNS, sector->lanes);
        column += fprintf(out, "%*s%s", at - column, "", label);
    }
    fputc('\n', out);
}

static void print_sector_row(FILE *out, const struct draw_sectors *p, unsigned first, unsigned last,
                             struct draw_style style)
{
    print_labels(out, "lanes", p, first, last, false);
    fprintf(out, "%6s ", "bytes");
    for (unsigned s = first; s < last; s++) {
        fputc(p->sector[s].number % DRAW_LINE_SECTORS == 0 ? '[' : '|', out);
        print_words(out, &p->sector[s], style);
    }
    fputs("|\n", out);
    print_labels(out, "sector", p, first, last, true);
}

static void print_sectors(FILE *out, const struct draw_access *a, struct draw_style style)
{
    struct draw_sectors p;
    draw_layout_sectors(a, &p);
    for (unsigned first = 0; first < p.count; first += ROW_SECTORS) {
        const unsigned rest = p.count - first;
        print_sector_row(out, &p, first, first + (rest < ROW_SECTORS ? rest : ROW_SECTORS), style);
    }
    if (p.base) {
        fprintf(out, "        (sectors counted from address 0x%llx on)\n",
                (unsigned long long)p.base * ACCESS_SECTOR_BYTES);
    }
}

/* --- banks -------------------------------------------------------------------------------------*/

static void print_bank_heading(FILE *out)
{
    fprintf(out, "  bank |");
    for (unsigned bank = 0; bank < ACCESS_BANKS; bank++) {
        fprintf(out, "%2u%s", bank, bank % 4 == 3 ? "|" : "");
    }
    fputc('\n', out);
}

/* One cell as wide as its banks: the lane, and dashes over the banks that it takes besides. */
static void print_unit(FILE *out, unsigned lane, unsigned columns, struct draw_style style)
{
    if (lane == DRAW_NOBODY) {
        for (unsigned c = 0; c < columns; c += BANK_COLUMNS) {
            fprintf(out, " %s%s%s", color(style, COLOR_DIM), mark_text(MARK_ABSENT, style),
                    color(style, COLOR_END));
        }
        return;
    }
    fprintf(out, "%s%2u", color(style, lane % 2 ? COLOR_ODD : COLOR_WANTED), lane);
    for (unsigned c = BANK_COLUMNS; c < columns; c++) {
        fputc('-', out);
    }
    fputs(color(style, COLOR_END), out);
}

static void print_pass(FILE *out, const struct draw_passes *p, unsigned pass,
                       struct draw_style style)
{
    fprintf(out, "pass%3u|", pass + 1);
    for (unsigned bank = 0; bank < ACCESS_BANKS; bank += p->unit_banks) {
        print_unit(out, draw_lane_at(p, pass, bank / p->unit_banks), p->unit_banks * BANK_COLUMNS,
                   style);
        if ((bank + p->unit_banks) % 4 == 0) {
            fputc('|', out);
        }
    }
    fputc('\n', out);
}

/* Lanes that are served together, as far as the line reaches. */
static void print_together(FILE *out, const struct draw_passes *p)
{
    char lanes[40];
    uint32_t said = 0;
    int column = 0;
    for (unsigned lane = 0; lane < ACCESS_LANES; lane++) {
        const uint32_t group = p->together[lane];
        if (said >> lane & 1u || !(group & (group - 1))) {
            continue;
        }
        if (column == 0) {
            column = fprintf(out, "One word for several lanes, served at once: lanes ");
        } else if (column + 14 > TEXT_COLUMNS) {
            fputs(" ...", out);
            break;
        } else {
            column += fprintf(out, "; ");
        }
        column += fprintf(out, "%s", draw_lanes(lanes, said ? 8 : 24, group));
        said |= group;
    }
    fputs(column ? "\n" : "", out);
}

static void print_passes(FILE *out, const struct draw_access *a, struct draw_style style)
{
    struct draw_passes p;
    draw_layout_passes(a, &p);
    print_bank_heading(out);
    for (unsigned pass = 0; pass < p.count; pass++) {
        if (p.count > ALL_PASSES_UP_TO && pass == PASSES_SHOWN) {
            fprintf(out, "   ... | %u more passes\n", p.count - PASSES_SHOWN - 1);
            pass = p.count - 1;
        }
        print_pass(out, &p, pass, style);
    }
    print_together(out, &p);
}

void draw_text(FILE *out, const struct draw_access *a, struct draw_style style)
{
    char summary[128];
    if (a->mask && a->space == DRAW_SHARED) {
        print_passes(out, a, style);
    } else if (a->mask) {
        print_sectors(out, a, style);
    }
    fprintf(out, "        %s\n", draw_summary(summary, sizeof summary, a));
}
