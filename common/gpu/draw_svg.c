/* draw_svg.c - a warp's access as SVG, 960 wide (see draw.h): above, the 32 lanes; below, the
 * sectors with the bytes that they want, or one row of banks for each pass. */
#include "common/gpu/draw_layout.h"

enum {
    LANES = ACCESS_LANES,
    WIDTH = 960,
    LEFT = 70,
    LANE_WIDTH = 27,
    LANE_Y = 52,
    LANE_HEIGHT = 24,
    SECTOR_Y = 170,
    SECTOR_HEIGHT = 30,
    SECTOR_WIDTH_MAX = 120,
    PASS_Y = 100,
    PASS_HEIGHT = 22
};

struct palette {
    const char *paper, *ink, *faint, *along;
};

static struct palette palette_of(struct draw_style style)
{
    static const struct palette light = {"#ffffff", "#222222", "#888888", "#d4d4d4"},
                                dark = {"#1b1e23", "#eeeeee", "#9a9a9a", "#4a4f57"};
    return style.dark ? dark : light;
}

/* Lanes 0 to 31 go from blue to orange, which colour-blind people tell apart, too. */
static const char *lane_color(unsigned lane, char text[8])
{
    static const int from[3] = {0x2b, 0x8c, 0xc4}, to[3] = {0xf0, 0x9a, 0x2a};
    int c[3];
    for (int i = 0; i < 3; i++) {
        c[i] = from[i] + (to[i] - from[i]) * (int)lane / (LANES - 1);
    }
    snprintf(text, 8, "#%02x%02x%02x", (unsigned)c[0] & 0xffu, (unsigned)c[1] & 0xffu,
             (unsigned)c[2] & 0xffu);
    return text;
}

static void escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

static void begin(FILE *out, const char *title, unsigned height, struct palette c)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" "
            "height=\"%u\" font-family=\"sans-serif\" role=\"img\">\n",
            WIDTH, height, WIDTH, height);
    fprintf(out, "<rect width=\"%d\" height=\"%u\" fill=\"%s\"/>\n", WIDTH, height, c.paper);
    if (title != NULL) {
        fprintf(out, "<text x=\"16\" y=\"30\" font-size=\"18\" font-weight=\"bold\" fill=\"%s\">",
                c.ink);
        escaped(out, title);
        fputs("</text>\n", out);
    }
}

static void label(FILE *out, double x, double y, const char *anchor, int size, const char *fill,
                  const char *text)
{
    fprintf(
        out,
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">%s</text>\n",
        x, y, anchor, size, fill, text);
}

/* A box; `tip` is shown to a reader who points at it. */
static void box(FILE *out, double x, double y, double width, double height, const char *fill,
                const char *stroke, const char *tip)
{
    fprintf(out,
            "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\" stroke=\"%s\" "
            "stroke-width=\"0.6\"><title>%s</title></rect>\n",
            x, y, width, height, fill, stroke, tip);
}

static double lane_x(unsigned lane) { return LEFT + (double)lane * LANE_WIDTH; }

/* --- sectors -----------------------------------------------------------------------------------*/

static void lanes_row(FILE *out, const struct draw_access *a, struct palette c)
{
    char fill[8], tip[80], number[16];
    label(out, LEFT - 8, LANE_Y + 16, "end", 12, c.ink, "lane");
    for (unsigned lane = 0; lane < LANES; lane++) {
        const bool active = a->mask >> lane & 1u;
        snprintf(number, sizeof number, "%u", lane);
        if (active) {
            snprintf(tip, sizeof tip, "lane %u wants %u bytes at byte %llu", lane, a->bytes,
                     (unsigned long long)a->address[lane]);
        } else {
            snprintf(tip, sizeof tip, "lane %u takes no part", lane);
        }
        box(out, lane_x(lane), LANE_Y, LANE_WIDTH - 2, LANE_HEIGHT,
            active ? lane_color(lane, fill) : c.paper, c.faint, tip);
        label(out, lane_x(lane) + LANE_WIDTH / 2.0 - 1, LANE_Y + 16, "middle", 11,
              active ? "#ffffff" : c.faint, number);
    }
}

struct strip { /* where the sectors stand */
    double width, x[LANES];
};

/* Side by side; a gap where the next sector does not follow in memory. */
static struct strip place_sectors(const struct draw_sectors *p)
{
    const double room = LANES * LANE_WIDTH, gap = 4;
    struct strip strip;
    unsigned gaps = 0;
    double x = LEFT;
    for (unsigned s = 1; s < p->count; s++) {
        gaps += p->sector[s].number != p->sector[s - 1].number + 1;
    }
    strip.width = (room - gaps * gap) / p->count;
    strip.width = strip.width > SECTOR_WIDTH_MAX ? SECTOR_WIDTH_MAX : strip.width;
    for (unsigned s = 0; s < p->count; s++) {
        x += s > 0 && p->sector[s].number != p->sector[s - 1].number + 1 ? gap : 0;
        strip.x[s] = x;
        x += strip.width;
    }
    return strip;
}

static void one_sector(FILE *out, const struct draw_sector *s, double x, double width,
                       struct palette c)
{
    const double word = width / DRAW_SECTOR_WORDS, part = word / ACCESS_BANK_BYTES;
    char fill[8], tip[96], lanes[40];
    snprintf(tip, sizeof tip, "sector %llu: lanes %s", (unsigned long long)s->number,
             draw_lanes(lanes, 32, s->lanes));
    box(out, x, SECTOR_Y, width, SECTOR_HEIGHT, c.along, "none", tip);
    for (unsigned b = 0; b < ACCESS_SECTOR_BYTES; b++) {
        const unsigned lane = s->first_lane[b / ACCESS_BANK_BYTES], first = b;
        if (!(s->wanted >> b & 1u)) {
            continue;
        }
        while ((b + 1) % ACCESS_BANK_BYTES && s->wanted >> (b + 1) & 1u) {
            b++;
        }
        snprintf(tip, sizeof tip, "bytes %u to %u of sector %llu, for lane %u", first, b,
                 (unsigned long long)s->number, lane);
        box(out, x + first * part, SECTOR_Y, (b + 1 - first) * part, SECTOR_HEIGHT,
            lane_color(lane, fill), "none", tip);
    }
    fprintf(out, "<path d=\"M%.2f %d v%d\" stroke=\"%s\" stroke-width=\"%s\"/>\n", x, SECTOR_Y - 4,
            SECTOR_HEIGHT + 8, c.ink, s->number % DRAW_LINE_SECTORS ? "0.8" : "2.2");
}

static void draw_sectors_svg(FILE *out, const struct draw_access *a, struct palette c)
{
    struct draw_sectors p;
    char fill[8], number[24];
    draw_layout_sectors(a, &p);
    const struct strip strip = place_sectors(&p);
    lanes_row(out, a, c);
    label(out, LEFT - 8, SECTOR_Y + 19, "end", 12, c.ink, "sector");
    for (unsigned s = 0; s < p.count; s++) {
        one_sector(out, &p.sector[s], strip.x[s], strip.width, c);
        snprintf(number, sizeof number, "%llu", (unsigned long long)(p.sector[s].number - p.base));
        label(out, strip.x[s] + strip.width / 2, SECTOR_Y + SECTOR_HEIGHT + 17, "middle",
              p.count > 16 ? 9 : 12, c.ink, number);
        for (unsigned lane = 0; lane < LANES; lane++) {
            if (!(p.sector[s].lanes >> lane & 1u)) {
                continue;
            }
            const double byte = (double)(a->address[lane] % ACCESS_SECTOR_BYTES) + a->bytes / 2.0;
            fprintf(out, "<path d=\"M%.1f %d L%.1f %d\" stroke=\"%s\"/>\n",
                    lane_x(lane) + LANE_WIDTH / 2.0 - 1, LANE_Y + LANE_HEIGHT,
                    strip.x[s] + strip.width * byte / ACCESS_SECTOR_BYTES, SECTOR_Y,
                    lane_color(lane, fill));
        }
    }
}

/* --- banks -------------------------------------------------------------------------------------*/

static void pass_row(FILE *out, const struct draw_access *a, const struct draw_passes *p,
                     unsigned pass, struct palette c)
{
    const double y = PASS_Y + (double)pass * PASS_HEIGHT, width = p->unit_banks * LANE_WIDTH;
    char fill[8], tip[128], number[16], lanes[40];
    snprintf(number, sizeof number, "pass %u", pass + 1);
    label(out, LEFT - 8, y + 15, "end", 12, c.ink, number);
    for (unsigned slot = 0; slot < ACCESS_BANKS / p->unit_banks; slot++) {
        const unsigned lane = draw_lane_at(p, pass, slot);
        const double x = LEFT + slot * width;
        if (lane == DRAW_NOBODY) {
            box(out, x, y, width - 2, PASS_HEIGHT - 3, c.paper, c.along, "nobody");
            continue;
        }
        snprintf(tip, sizeof tip, "lanes %s: %u bytes at byte %llu",
                 draw_lanes(lanes, 32, p->together[lane]), a->bytes,
                 (unsigned long long)a->address[lane]);
        box(out, x, y, width - 2, PASS_HEIGHT - 3, lane_color(lane, fill), c.faint, tip);
        snprintf(number, sizeof number, p->together[lane] & (p->together[lane] - 1) ? "%u.." : "%u",
                 lane);
        label(out, x + width / 2 - 1, y + 14, "middle", 11, "#ffffff", number);
    }
}

static void draw_passes_svg(FILE *out, const struct draw_access *a, const struct draw_passes *p,
                            struct palette c)
{
    char number[16];
    label(out, LEFT - 8, PASS_Y - 12, "end", 12, c.ink, "bank");
    for (unsigned bank = 0; bank < ACCESS_BANKS; bank++) {
        snprintf(number, sizeof number, "%u", bank);
        label(out, lane_x(bank) + LANE_WIDTH / 2.0 - 1, PASS_Y - 12, "middle", 11, c.faint, number);
    }
    for (unsigned pass = 0; pass < p->count; pass++) {
        pass_row(out, a, p, pass, c);
    }
}

void draw_svg(FILE *out, const struct draw_access *a, const char *title, struct draw_style style)
{
    const struct palette c = palette_of(style);
    struct draw_passes passes = {.count = 0};
    unsigned bottom = SECTOR_Y + SECTOR_HEIGHT + 24;
    char summary[128];
    if (a->space == DRAW_SHARED) {
        draw_layout_passes(a, &passes);
        bottom = PASS_Y + passes.count * PASS_HEIGHT;
    }
    begin(out, title, bottom + 36, c);
    if (a->mask && a->space == DRAW_SHARED) {
        draw_passes_svg(out, a, &passes, c);
    } else if (a->mask) {
        draw_sectors_svg(out, a, c);
    }
    label(out, LEFT, bottom + 20, "start", 15, c.ink, draw_summary(summary, sizeof summary, a));
    fputs("</svg>\n", out);
}
