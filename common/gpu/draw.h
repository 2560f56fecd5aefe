/* draw.h - one warp instruction as a picture: its 32 lanes over sectors, or over banks.
 *
 * The one place that draws an access, for lessons, the judge of exercises, reports and pages. As
 * text it fits 80 columns; as SVG it fits a slide. Every number in a picture comes from access.h,
 * by the same function that counts while a kernel runs.
 *
 *     struct draw_access a = draw_strided(DRAW_GLOBAL, 0, 12, 4);  lane i reads float 3 i
 *     draw_text(stdout, &a, draw_style_for(stdout));
 *
 * As in access.h, bytes is 1, 2, 4, 8 or 16, each address a multiple of it, and addresses of lanes
 * outside the mask are not looked at. A mask of 0 draws one line that says so. */
#ifndef GPU_DRAW_H
#define GPU_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/gpu/access.h"

#ifdef __cplusplus
extern "C" {
#endif

enum draw_space { DRAW_GLOBAL, DRAW_SHARED };

/* DRAW_ATOMIC: a reduction or atomic; in shared memory those that access_shared_atomic() knows.
 * DRAW_CAS: a shared compare-and-swap, which pays every pass twice. */
enum draw_op { DRAW_LOAD, DRAW_STORE, DRAW_ATOMIC, DRAW_CAS };

struct draw_access {
    enum draw_space space;
    enum draw_op op;
    unsigned bytes;                 /* of one lane's access */
    uint32_t mask;                  /* bit i: lane i takes part */
    uint64_t address[ACCESS_LANES]; /* in bytes; in shared memory an offset below 2^32 */
};

struct draw_style {
    bool color; /* text: ANSI colours */
    bool utf8;  /* text: blocks instead of # and . */
    bool dark;  /* SVG: for slides with a dark background */
};

/* What the picture says in numbers. */
struct draw_cost {
    unsigned lanes;        /* that take part */
    unsigned count;        /* sectors; in shared memory wavefronts */
    unsigned replays;      /* global atomics: lanes on the most-shared address; else 0 */
    unsigned conflicts;    /* shared memory: passes beyond the least; else 0 */
    unsigned wanted_bytes; /* distinct bytes that lanes ask for */
    unsigned moved_bytes;  /* global: 32 for each sector; else 0 */
    unsigned least;        /* global: sectors that the wanted bytes would fill; else 0 */
};

/* All lanes take part; lane i is at base + i * stride_bytes. Its op is DRAW_LOAD. */
struct draw_access draw_strided(enum draw_space space, uint64_t base, uint64_t stride_bytes,
                                unsigned bytes);

/* Plain ASCII unless `out` is a terminal; NO_COLOR and TERM=dumb switch colours off, and a locale
 * that is not UTF-8 the blocks. */
struct draw_style draw_style_for(FILE *out);

struct draw_cost draw_cost(const struct draw_access *a);

/* "5 sectors: 160 bytes move, 128 wanted; 4 would do". At most 72 characters. Returns text. */
const char *draw_summary(char *text, size_t size, const struct draw_access *a);

/* What the marks mean, one line; then the picture with its summary below. Each line has at most 80
 * columns. */
void draw_legend(FILE *out, enum draw_space space, struct draw_style style);
/* What elements of 1 or 2 bytes need besides: the mark of words of which only a part is wanted. */
void draw_legend_part(FILE *out, struct draw_style style);
void draw_text(FILE *out, const struct draw_access *a, struct draw_style style);

/* A whole <svg> element, which may also stand inside HTML. The title may be NULL. */
void draw_svg(FILE *out, const struct draw_access *a, const char *title, struct draw_style style);

/* "0-7,9,16": the set of lanes, with ".." at its end where it is longer than `width` characters.
 * text holds width + 1 characters. Returns text. */
const char *draw_lanes(char *text, size_t width, uint32_t lanes);

#ifdef __cplusplus
}
#endif

#endif
