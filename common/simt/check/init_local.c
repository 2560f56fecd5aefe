/* init_local.c - see init_local.h. */
#include "check/init_local.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 64 }; /* whose bits are one word */

void local_values_begin(struct local_values *v, const struct block *b)
{
    v->stride = align_up(b->local_stride, BYTES);
    v->begun = 0;
    const size_t room = (size_t)v->stride / BYTES * WARP_LANES * b->warp_count;
    if (room > v->room) {
        free(v->bits);
        v->bits = room_raw(room, sizeof *v->bits);
        v->room = room;
    }
}

void local_values_free(struct local_values *v)
{
    free(v->bits);
    *v = (struct local_values){0};
}

static size_t words_of_warp(const struct local_values *v)
{
    return (size_t)v->stride / BYTES * WARP_LANES;
}

static uint64_t *row_of(const struct local_values *v, const struct warp *w, uint64_t address)
{
    return v->bits + words_of_warp(v) * w->number + address / BYTES * WARP_LANES;
}

static bool has_begun(const struct local_values *v, const struct warp *w)
{
    return (v->begun >> w->number & 1u) != 0;
}

static void begin_warp(struct local_values *v, const struct warp *w)
{
    if (!has_begun(v, w)) {
        memset(row_of(v, w, 0), 0, words_of_warp(v) * sizeof *v->bits);
        v->begun |= UINT32_C(1) << w->number;
    }
}

const uint64_t *local_values_of(const struct local_values *v, const struct warp *w, unsigned lane,
                                uint64_t address)
{
    return has_begun(v, w) && address < v->stride ? row_of(v, w, address) + lane : NULL;
}

/* All active lanes use one place of their memory. */
static bool is_one_place(const struct access_event *e) { return e->high - e->low == e->bytes; }

static uint64_t active(const struct access_event *e, unsigned lane)
{
    return 0 - (uint64_t)(e->lanes >> lane & 1u);
}

bool local_values_all(const struct local_values *v, const struct warp *w,
                      const struct access_event *e)
{
    const uint64_t all = (UINT64_C(1) << e->bytes) - 1;
    uint64_t missing = 0;
    if (!has_begun(v, w) || e->high > v->stride) {
        return false;
    }
    if (is_one_place(e)) {
        const uint64_t *row = row_of(v, w, e->low), wanted = all << e->low % BYTES;
        for (unsigned i = 0; i < WARP_LANES; i++) {
            missing |= ~row[i] & wanted & active(e, i);
        }
        return missing == 0;
    }
    const uint64_t *first = row_of(v, w, 0);
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint64_t at = e->address[i] & active(e, i);
        missing |= ~first[at / BYTES * WARP_LANES + i] >> at % BYTES & all & active(e, i);
    }
    return missing == 0;
}

void local_values_set(struct local_values *v, const struct warp *w, const struct access_event *e)
{
    const uint64_t all = (UINT64_C(1) << e->bytes) - 1;
    if (e->high > v->stride) {
        return; /* it will end in a fault */
    }
    begin_warp(v, w);
    if (is_one_place(e)) {
        uint64_t *row = row_of(v, w, e->low);
        const uint64_t given = all << e->low % BYTES;
        for (unsigned i = 0; i < WARP_LANES; i++) {
            row[i] |= given & active(e, i);
        }
        return;
    }
    uint64_t *first = row_of(v, w, 0);
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint64_t at = e->address[i] & active(e, i);
        first[at / BYTES * WARP_LANES + i] |= all << at % BYTES & active(e, i);
    }
}

void local_values_set_lane(struct local_values *v, const struct warp *w, unsigned lane,
                           const struct access_event *e, uint32_t bits)
{
    const uint64_t at = e->address[lane], all = (UINT64_C(1) << e->bytes) - 1;
    if (at + e->bytes > v->stride) {
        return;
    }
    begin_warp(v, w);
    uint64_t *word = row_of(v, w, at) + lane;
    *word = (*word & ~(all << at % BYTES)) | (uint64_t)bits << at % BYTES;
}
