/* draw.c - what a picture of an access holds, and its numbers (see draw.h, draw_layout.h). */
#include "common/gpu/draw_layout.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LANES = ACCESS_LANES, SMALL_NUMBER = 10000 };

struct draw_access draw_strided(enum draw_space space, uint64_t base, uint64_t stride_bytes,
                                unsigned bytes)
{
    struct draw_access a = {.space = space, .op = DRAW_LOAD, .bytes = bytes, .mask = UINT32_MAX};
    access_strided(a.address, base, stride_bytes);
    return a;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL ? value : "";
}

static bool locale_is_utf8(void)
{
    const char *locale = variable("LC_ALL");
    locale = *locale ? locale : variable("LC_CTYPE");
    locale = *locale ? locale : variable("LANG");
    const char *charset = strchr(locale, '.');
    return charset != NULL &&
           (strcasecmp(charset, ".utf-8") == 0 || strcasecmp(charset, ".utf8") == 0);
}

struct draw_style draw_style_for(FILE *out)
{
    struct draw_style style = {false, false, false};
    if (isatty(fileno(out)) || *variable("DRAW_FOR_TERMINAL")) {
        style.color = !*variable("NO_COLOR") && strcmp(variable("TERM"), "dumb") != 0;
        style.utf8 = locale_is_utf8();
    }
    return style;
}

/* --- sectors -----------------------------------------------------------------------------------*/

static void want(struct draw_sector *s, unsigned lane, uint64_t address, unsigned bytes)
{
    const unsigned first = (unsigned)(address % ACCESS_SECTOR_BYTES);
    s->lanes |= UINT32_C(1) << lane;
    for (unsigned b = first; b < first + bytes; b++) {
        uint8_t *word_lane = &s->first_lane[b / ACCESS_BANK_BYTES];
        s->wanted |= UINT32_C(1) << b;
        *word_lane = *word_lane == DRAW_NOBODY ? (uint8_t)lane : *word_lane;
    }
}

void draw_layout_sectors(const struct draw_access *a, struct draw_sectors *out)
{
    uint64_t number[LANES];
    out->count = access_sector_list(a->address, a->mask, number);
    out->base = 0;
    if (out->count && number[out->count - 1] >= SMALL_NUMBER) { /* an address of a real array */
        out->base = number[0] - number[0] % DRAW_LINE_SECTORS;
    }
    for (unsigned s = 0; s < out->count; s++) {
        struct draw_sector *sector = &out->sector[s];
        *sector = (struct draw_sector){.number = number[s]};
        memset(sector->first_lane, DRAW_NOBODY, sizeof sector->first_lane);
        for (unsigned lane = 0; lane < LANES; lane++) {
            if ((a->mask >> lane & 1u) && a->address[lane] / ACCESS_SECTOR_BYTES == number[s]) {
                want(sector, lane, a->address[lane], a->bytes);
            }
        }
    }
}

/* --- passes ------------------------------------------------------------------------------------*/

static void shared_offsets(uint32_t offset[LANES], const struct draw_access *a)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        offset[lane] = (uint32_t)a->address[lane];
    }
}

/* Gives each lane of one group its pass, from `first` on; returns the first pass of the next. */
static unsigned serve_group(const struct draw_access *a, struct draw_passes *p, uint32_t group,
                            unsigned first)
{
    const uint32_t unit_bytes = p->unit_banks * ACCESS_BANK_BYTES;
    unsigned in_slot[LANES] = {0}, next = first;
    for (unsigned lane = 0; lane < LANES; lane++) {
        const uint64_t unit = a->address[lane] / unit_bytes;
        if (!(group >> lane & 1u)) {
            continue;
        }
        p->pass[lane] = DRAW_NOBODY;
        p->slot[lane] = (uint8_t)(unit % (ACCESS_BANKS / p->unit_banks));
        for (unsigned e = 0; e < lane && (a->op == DRAW_LOAD || a->op == DRAW_STORE); e++) {
            if ((group >> e & 1u) && a->address[e] / unit_bytes == unit) {
                p->pass[lane] = p->pass[e]; /* the same unit: served together */
            }
        }
        if (p->pass[lane] == DRAW_NOBODY) {
            p->pass[lane] = (uint8_t)(first + in_slot[p->slot[lane]]++);
        }
        next = p->pass[lane] + 1u > next ? p->pass[lane] + 1u : next;
    }
    return next;
}

void draw_layout_passes(const struct draw_access *a, struct draw_passes *out)
{
    uint32_t offset[LANES];
    shared_offsets(offset, a);
    const unsigned group = access_shared_group(offset, a->mask, a->bytes, a->op == DRAW_LOAD);
    *out = (struct draw_passes){.unit_banks = a->bytes <= 4 ? 1 : a->bytes / ACCESS_BANK_BYTES};
    memset(out->pass, DRAW_NOBODY, sizeof out->pass);
    for (unsigned first = 0; first < LANES; first += group) {
        const uint32_t lanes = group == LANES ? UINT32_MAX : ((1u << group) - 1) << first;
        out->count = serve_group(a, out, a->mask & lanes, out->count);
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned other = 0; other < LANES && out->pass[lane] != DRAW_NOBODY; other++) {
            const bool same =
                out->pass[other] == out->pass[lane] && out->slot[other] == out->slot[lane];
            out->together[lane] |= (uint32_t)same << other;
        }
    }
}

unsigned draw_lane_at(const struct draw_passes *p, unsigned pass, unsigned slot)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (p->pass[lane] == pass && p->slot[lane] == slot) {
            return lane;
        }
    }
    return DRAW_NOBODY;
}

/* --- numbers -----------------------------------------------------------------------------------*/

/* Distinct bytes: accesses of one width, aligned to it, are the same or apart. */
static unsigned wanted_bytes(const struct draw_access *a)
{
    unsigned distinct = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        bool seen = false;
        for (unsigned e = 0; e < lane; e++) {
            seen |= (a->mask >> e & 1u) && a->address[e] == a->address[lane];
        }
        distinct += (a->mask >> lane & 1u) && !seen;
    }
    return distinct * a->bytes;
}

static struct access_shared shared_cost(const struct draw_access *a)
{
    typedef struct access_shared cost_of(const uint32_t *offset, uint32_t mask, unsigned bytes);
    static cost_of *const costs[] = {[DRAW_LOAD] = access_shared_load,
                                     [DRAW_STORE] = access_shared_store,
                                     [DRAW_ATOMIC] = access_shared_atomic,
                                     [DRAW_CAS] = access_shared_cas};
    uint32_t offset[LANES];
    shared_offsets(offset, a);
    return costs[a->op](offset, a->mask, a->bytes);
}

struct draw_cost draw_cost(const struct draw_access *a)
{
    struct draw_cost c = {.lanes = (unsigned)__builtin_popcount(a->mask),
                          .wanted_bytes = wanted_bytes(a)};
    if (a->space == DRAW_SHARED) {
        const struct access_shared shared = shared_cost(a);
        c.count = shared.wavefronts;
        c.conflicts = shared.conflicts;
        return c;
    }
    if (a->op == DRAW_ATOMIC || a->op == DRAW_CAS) {
        const struct access_global_atomic atomic =
            access_global_atomic(a->address, a->mask, a->bytes);
        c.count = atomic.sectors;
        c.replays = atomic.replays;
    } else {
        c.count = access_global_sectors(a->address, a->mask, a->bytes);
    }
    c.moved_bytes = c.count * ACCESS_SECTOR_BYTES;
    c.least = (c.wanted_bytes + ACCESS_SECTOR_BYTES - 1) / ACCESS_SECTOR_BYTES;
    return c;
}

static const char *plural(unsigned count) { return count == 1 ? "" : "s"; }

const char *draw_summary(char *text, size_t size, const struct draw_access *a)
{
    const struct draw_cost c = draw_cost(a);
    char lanes[32] = "";
    if (c.lanes == 0) {
        snprintf(text, size, "no lane takes part: no request");
        return text;
    }
    if (c.lanes < LANES) {
        snprintf(lanes, sizeof lanes, "%u lane%s, ", c.lanes, plural(c.lanes));
    }
    if (a->space == DRAW_SHARED) {
        char conflicts[16] = "no";
        if (c.conflicts) {
            snprintf(conflicts, sizeof conflicts, "%u", c.conflicts);
        }
        snprintf(text, size, "%s%u wavefront%s, %s bank conflict%s%s", lanes, c.count,
                 plural(c.count), conflicts, plural(c.conflicts ? c.conflicts : 1),
                 a->op == DRAW_CAS ? " (each pass: read, write)" : "");
        return text;
    }
    int used = snprintf(text, size, "%s%u sector%s", lanes, c.count, plural(c.count));
    if (used < 0 || (size_t)used >= size) {
        return text;
    }
    if (c.replays) {
        snprintf(text + used, size - (size_t)used, " in %u replay%s", c.replays, plural(c.replays));
    } else if (c.count > c.least) {
        snprintf(text + used, size - (size_t)used, ": %u bytes move, %u wanted; %u would do",
                 c.moved_bytes, c.wanted_bytes, c.least);
    } else {
        snprintf(text + used, size - (size_t)used, ": %u bytes move, %u wanted", c.moved_bytes,
                 c.wanted_bytes);
    }
    return text;
}

const char *draw_lanes(char *text, size_t width, uint32_t lanes)
{
    size_t used = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned last = lane;
        char item[16];
        if (!(lanes >> lane & 1u)) {
            continue;
        }
        while (last + 1 < LANES && (lanes >> (last + 1) & 1u)) {
            last++;
        }
        int length = snprintf(item, sizeof item, "%s%u", used ? "," : "", lane);
        if (last > lane) {
            snprintf(item + length, sizeof item - (size_t)length, "-%u", last);
        }
        const bool more = last + 1 < LANES && lanes >> (last + 1);
        if (used + strlen(item) + (more ? 2 : 0) > width) {
            snprintf(text + used, width + 1 - used, "..");
            return text;
        }
        memcpy(text + used, item, strlen(item) + 1);
        used += strlen(item);
        lane = last;
    }
    text[used] = '\0';
    return text;
}
