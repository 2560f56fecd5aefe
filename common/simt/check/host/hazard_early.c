/* hazard_early.c - a launch with programmatic stream serialization may begin when each block of the
 * launch before it in its stream has executed griddepcontrol.launch_dependents or has ended. What
 * that launch writes is there only behind griddepcontrol.wait; what it reads has been read where
 * the block that reads it had not let the next launch begin. */
#include "check/host/hazard_state.h"

#include <stdio.h>

/* kinds: of the earlier launch's access and of the later one's. */
static void tell(const struct hazard_work *a, const struct hazard_work *b, const unsigned kinds[2],
                 uint64_t address)
{
    char array[448], first[512], second[512], text[2048], identity[1400];
    hazard_array(address, array, sizeof array);
    hazard_place(a, first, sizeof first);
    hazard_place(b, second, sizeof second);
    snprintf(identity, sizeof identity, "early %s|%s", first, second);
    snprintf(text, sizeof text,
             "simt: race of two launches: %s: %s by %s, %s by %s, which may begin before the first "
             "one has ended (programmatic stream serialization): no "
             "cudaGridDependencySynchronize() before. Cure: cudaGridDependencySynchronize() in the "
             "second kernel before it touches what the first one uses",
             array, hazard_verb(a, kinds[0]), first, hazard_verb(b, kinds[1]), second);
    hazard_tell(identity, text);
}

static void compare(const struct hazard_work *a, const struct hazard_work *b)
{
    for (unsigned i = 0; i < TOUCHED_KINDS * TOUCHED_KINDS; i++) {
        const unsigned kinds[2] = {TOUCHED_KINDS - 1 - i / TOUCHED_KINDS, i % TOUCHED_KINDS};
        const struct byte_set *under_way =
            hazard_writes(kinds[0]) ? a->touched.sets : a->touched.late;
        uint64_t address;
        if (hazard_conflict(kinds[0], kinds[1]) &&
            byte_set_overlap(&under_way[kinds[0]], &b->touched.early[kinds[1]], &address)) {
            tell(a, b, kinds, address);
            return;
        }
    }
}

static const struct hazard_work *find_launch(unsigned stream, uint32_t number)
{
    for (unsigned i = hazard_common.pending.count; i-- > 0;) {
        const struct hazard_work *a = hazard_common.pending.list[i];
        if (a->stream == stream && a->number == number) {
            return a->is_launch ? a : NULL;
        }
    }
    return NULL;
}

/* If the one before has begun early itself, and lets this one begin before it has waited, those
 * before that may be under way, too. The last slot may be one of several streams. */
void hazard_early_compare(const struct hazard_work *w)
{
    const struct hazard_work *a = w;
    while (a != NULL && a->touched.begins_early && !(a != w && a->touched.waits) &&
           w->stream != TIMELINE_STREAMS - 1) {
        a = find_launch(w->stream, a->number - 1);
        if (a != NULL) {
            compare(a, w);
        }
    }
}
