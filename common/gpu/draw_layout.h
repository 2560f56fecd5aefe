/* draw_layout.h - what a picture of an access consists of, before it is drawn: sectors with
 * the words that lanes want of them, or passes over the banks. For draw_text.c and draw_svg.c. */
#ifndef GPU_DRAW_LAYOUT_H
#define GPU_DRAW_LAYOUT_H

#include "common/gpu/draw.h"

enum {
    DRAW_SECTOR_WORDS = 8, /* 4-byte words in a sector */
    DRAW_LINE_SECTORS = 4, /* sectors in a line of 128 bytes */
    DRAW_NOBODY = 0xff     /* in place of a lane */
};

struct draw_sector {
    uint64_t number;                       /* address / 32 */
    uint32_t lanes;                        /* those that want a part of it */
    uint32_t wanted;                       /* bit b: byte b is wanted */
    uint8_t first_lane[DRAW_SECTOR_WORDS]; /* lowest lane that wants a byte of word w */
};

struct draw_sectors {
    unsigned count;
    uint64_t base; /* numbers are shown from here on; 0 if they are small */
    struct draw_sector sector[ACCESS_LANES];
};

/* A unit is what one lane accesses, at least a word. A pass serves each unit_banks-wide slot once.
 */
struct draw_passes {
    unsigned count;             /* passes in all */
    unsigned unit_banks;        /* 1, 2 or 4 */
    uint8_t pass[ACCESS_LANES]; /* in which each lane is served; DRAW_NOBODY outside the mask */
    uint8_t slot[ACCESS_LANES]; /* where in the row of banks: bank / unit_banks */
    uint32_t together[ACCESS_LANES]; /* all lanes that the same pass serves with the same unit */
};

void draw_layout_sectors(const struct draw_access *a, struct draw_sectors *out);
void draw_layout_passes(const struct draw_access *a, struct draw_passes *out);

/* The lowest lane served by that pass in that slot, or DRAW_NOBODY. */
unsigned draw_lane_at(const struct draw_passes *p, unsigned pass, unsigned slot);

#endif
