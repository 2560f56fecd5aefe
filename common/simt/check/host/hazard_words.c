/* hazard_words.c - what the files of hazard.h have in common: the pending works, and their words.
 */
#include "check/host/hazard_state.h"

#include <stdio.h>
#include <string.h>

#include "base/describe.h"
#include "machine/memory.h"
#include "watch/describe_access.h"

struct hazard_common hazard_common = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool hazard_is_open(void) { return hazard_common.check != NULL; }

void hazard_array(uint64_t address, char *text, size_t size)
{
    struct launch_event where = {.memory = hazard_common.memory};
    if (memory_find(hazard_common.memory, address) != NULL) {
        describe_array(&where, PTX_GLOBAL, address, text, size);
    } else if (memory_is_mine(hazard_common.memory, address) &&
               memory_find_freed(hazard_common.memory, address) != NULL) {
        const struct allocation *a = memory_find_freed(hazard_common.memory, address);
        const char *line = a->made_at != NULL ? describe_line(a->made_at) : "";
        snprintf(text, size, "the %llu bytes of %s%s%s, byte %llu", (unsigned long long)a->bytes,
                 a->name, line[0] != '\0' ? " at " : "", line,
                 (unsigned long long)(address - a->begin));
    } else {
        snprintf(text, size, "the host's memory at 0x%llx", (unsigned long long)address);
    }
}

void hazard_place(const struct hazard_work *w, char *text, size_t size)
{
    const char *line = w->site != NULL ? describe_line(w->site) : "";
    const char *at = strncmp(w->what, "kernel ", 7) == 0 ? " launched at " : " at ";
    const int used = snprintf(text, size, "%s%s%s", w->what, line[0] != '\0' ? at : "", line);
    if (w->node_made_at != NULL && used > 0 && (size_t)used < size) {
        const char *made = describe_line(w->node_made_at);
        snprintf(text + used, size - (size_t)used, made[0] != '\0' ? " (node made at %s)" : "%s",
                 made);
    }
}

const char *hazard_verb(const struct hazard_work *w, unsigned kind)
{
    return kind == TOUCHED_STRONGLY_WRITTEN ? "updated by an atomic of" : w->verbs[kind % 2];
}

bool hazard_writes(unsigned kind)
{
    return kind == TOUCHED_WRITTEN || kind == TOUCHED_STRONGLY_WRITTEN;
}

bool hazard_conflict(unsigned a, unsigned b)
{
    bool a_strong = a >= TOUCHED_STRONGLY_READ, b_strong = b >= TOUCHED_STRONGLY_READ;
    return (hazard_writes(a) || hazard_writes(b)) && !(a_strong && b_strong);
}

void hazard_tell(const char *identity, const char *text)
{
    check_add_finding(hazard_common.check, identity, text);
}
