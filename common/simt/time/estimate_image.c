/* estimate_image.c - textures and surfaces, for the model: what their unit does, and what they ask
 * of the caches.
 *
 * The unit takes four lanes a cycle, and what it reads for them at 32 bytes a cycle where a texel
 * has more than four bytes. Lanes that lie apart have it look up lines. Measured on an H200 by full
 * multiprocessors that read what L1 holds (roof_tex_*): cycles a request of 32 lanes
 *
 *              float   float, each lane a row   uchar4   float4
 *   nearest    8.2     14.4                     -        16.1
 *   linear     8.9     24.7                     8.9      64.5 */
#include "time/estimate_state.h"

#include "machine/images.h"

enum { QUAD = 4, TENTHS_A_QUAD = 10, TENTHS_A_LINE = 4 };

/* The lines of an event's texels, as footprint.h has those of other requests. */
struct texel_lines {
    uint64_t lines[TOUCHED_LINES];
    uint8_t masks[TOUCHED_LINES];
    unsigned count, sectors;
};

static void add_texel(struct texel_lines *t, uint64_t address)
{
    const uint64_t line = address / FOOTPRINT_LINE;
    const uint8_t sector = (uint8_t)(1u << address % FOOTPRINT_LINE / FOOTPRINT_SECTOR);
    unsigned i = 0;
    while (i < t->count && t->lines[i] != line) {
        i++;
    }
    if (i == t->count) {
        t->lines[t->count++] = line;
        t->masks[i] = 0;
    }
    t->sectors += (t->masks[i] & sector) == 0;
    t->masks[i] |= sector;
}

static void find_lines(struct texel_lines *t, const struct access_event *a)
{
    t->count = t->sectors = 0;
    for (lane_mask left = a->lanes; left != 0; left &= left - 1) {
        add_texel(t, a->address[first_lane(left)]);
    }
}

/* Texels of a filter: 2, 4 or 8; 1: the nearest is taken. */
static unsigned texels_of(const struct warp *w, const struct access_event *a)
{
    const uint64_t *handles = warp_ref(w, a->in->a);
    const struct image *image = images_find(handles[first_lane(a->lanes)]);
    return image != NULL && !image->is_surface && image->texture.is_linear ? 1u << image->dimensions
                                                                           : 1;
}

static unsigned quads_in(lane_mask lanes)
{
    unsigned quads = 0;
    for (unsigned i = 0; i < WARP_LANES; i += QUAD) {
        quads += (lanes >> i & 15u) != 0;
    }
    return quads;
}

/* Tenths of a cycle that the unit is busy, of which the first texels' event has the request's own.
 */
static uint64_t busy_tenths(const struct access_event *a, unsigned texels, unsigned lines)
{
    const unsigned whole = a->bytes * texels * QUAD / FOOTPRINT_SECTOR;
    const unsigned cycles = a->bytes > 4 && whole > 1 ? whole : 1;
    const uint64_t own = (uint64_t)TENTHS_A_QUAD * quads_in(a->lanes) * cycles;
    const uint64_t looked_up = (uint64_t)TENTHS_A_LINE * lines / (texels > 1 ? 2 : 1);
    return (a->cost.a > 0 ? own : 0) + (looked_up > own / texels ? looked_up - own / texels : 0);
}

static void ask(struct estimator *e, struct warp *w, const struct access_event *a,
                const struct texel_lines *t)
{
    uint64_t moved[TOUCHED_LINES];
    for (unsigned i = 0; i < t->count; i++) {
        moved[i] = estimate_moved_line(e, t->lines[i]);
    }
    const uint32_t sampled = caches_sampled(moved, t->count);
    caches_request(e->caches, w, a->pc, t->count);
    if (caches_wants(e->caches, w, a, sampled)) {
        const struct cache_lines l = {moved, t->masks, t->count, sampled, 0, t->lines};
        caches_access(e->caches, w, a, &l);
    }
}

void estimate_image(void *state, struct warp *w, const struct access_event *a)
{
    struct estimator *e = state;
    struct estimate_worker *own = &e->workers[w->block->worker];
    struct texel_lines t;
    if (e->caches == NULL || a->lanes == 0 || a->kind == ACCESS_REDUCTION) {
        return;
    }
    find_lines(&t, a);
    own->texture_tenths += busy_tenths(a, texels_of(w, a), t.count);
    *(a->kind == ACCESS_STORE ? &own->texture_stores : &own->texture_loads) += t.sectors;
    touched_add(e->touched, w->block->worker, w->block->number, 0, t.lines, t.masks, t.count,
                a->kind == ACCESS_STORE ? SECTOR_WRITTEN : SECTOR_READ);
    ask(e, w, a, &t);
}
