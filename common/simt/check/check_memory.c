/* check_memory.c - what the host does to device memory: allocations have no value yet, copies give
 * one. The host may do it from any thread, so it is noted down, and looked at when a launch begins.
 */
#include "check/check_state.h"
#include "base/room.h"

#include "base/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void apply(struct check *c, const struct change *x)
{
    switch (x->what) {
    case MEMORY_MADE:
        memset(c->valid, 0, sizeof c->valid);
        shadow_set_valid(c->shadow, x->address, x->bytes, false);
        break;
    case MEMORY_WRITTEN:
        shadow_set_valid(c->shadow, x->address, x->bytes, true);
        break;
    case MEMORY_COPIED: /* of what has no value, perhaps */
        memset(c->valid, 0, sizeof c->valid);
        shadow_copy_valid(c->shadow, x->address, x->from, x->bytes);
        break;
    case MEMORY_GIVEN_BACK:
        break;
    }
}

static void note(struct check *c, struct change x)
{
    ROOM_FOR_ONE(c->changes, c->change_count, c->change_room, 64);
    c->changes[c->change_count++] = x;
}

static void on_change(void *state, enum memory_change what, uint64_t address, uint64_t bytes,
                      uint64_t from)
{
    struct check *c = state;
    struct change x = {what, address, bytes, from};
    pthread_mutex_lock(&c->changes_lock);
    bool in_kernel = c->running && pthread_equal(c->runner, pthread_self());
    if (!in_kernel) {
        note(c, x);
    }
    pthread_mutex_unlock(&c->changes_lock);
    if (in_kernel) { /* malloc() in a kernel: this thread alone looks at the shadow now */
        apply(c, &x);
    }
}

void check_listen(struct check *c, struct memory *m)
{
    if (m != NULL && c->what & CHECK_UNINITIALISED) {
        memory_listen(m, on_change, c);
    }
}

void check_take_changes(struct check *c)
{
    pthread_mutex_lock(&c->changes_lock);
    for (size_t i = 0; i < c->change_count; i++) {
        apply(c, &c->changes[i]);
    }
    c->change_count = 0;
    pthread_mutex_unlock(&c->changes_lock);
}

bool check_is_valid(struct check *c, const struct allocation *a)
{
    const unsigned slot = (unsigned)(a->begin / SHADOW_CHUNK % VALID_ALLOCATIONS);
    if (!(c->what & CHECK_UNINITIALISED) ||
        (c->valid[slot].begin == a->begin && c->valid[slot].bytes == a->bytes)) {
        return true;
    }
    for (uint64_t at = a->begin, end = a->begin + a->bytes; at < end;) {
        uint64_t next = (at / SHADOW_CHUNK + 1) * SHADOW_CHUNK;
        next = next < end ? next : end;
        if (!shadow_is_valid(shadow_chunk(c->shadow, at), at, next)) {
            return false;
        }
        at = next;
    }
    c->valid[slot].begin = a->begin;
    c->valid[slot].bytes = a->bytes;
    return true;
}

static const char *cure_of(const struct allocation *a)
{
    if (a->in_kernel) {
        return "free() in the kernel that needs them no more";
    }
    if (a->registered) {
        return "cudaHostUnregister";
    }
    if (a->kind == MEMORY_ARRAY) {
        return "cudaFreeArray";
    }
    return a->kind == MEMORY_PINNED ? "cudaFreeHost" : "cudaFree";
}

static void tell_leak(void *state, const struct allocation *a)
{
    struct check *c = state;
    char line[256] = "", text[640], identity[320];
    if (a->kind == MEMORY_SYMBOL || a->kind == MEMORY_CONSTANT ||
        (a->made_at == NULL && !a->in_kernel)) {
        return; /* the program's variables, and the simulator's own */
    }
    if (a->made_at != NULL) {
        simt_describe_address(a->made_at, line, sizeof line);
    }
    snprintf(identity, sizeof identity, "leak %s|%s", a->name, line);
    snprintf(text, sizeof text,
             "simt: leak: %" PRIu64 " bytes of %s%s%s were never given back. Cure: %s", a->bytes,
             a->name, line[0] != '\0' ? " at " : "", line, cure_of(a));
    uint32_t low = (uint32_t)(uintptr_t)(a->in_kernel ? a->name : a->made_at);
    if (!findings_count(c->findings, UINT64_MAX, low, (uint32_t)a->kind)) {
        findings_add(c->findings, UINT64_MAX, low, (uint32_t)a->kind, identity, text);
    }
}

void check_leak(struct check *c, const char *call, const void *made_at, const char *cure)
{
    char line[256] = "", text[640], identity[320];
    if (!(c->what & CHECK_LEAKS) || c->failed || made_at == NULL) {
        return;
    }
    simt_describe_address(made_at, line, sizeof line);
    snprintf(identity, sizeof identity, "leak %s|%s", call, line);
    snprintf(text, sizeof text, "simt: leak: what %s%s%s made was never destroyed. Cure: %s", call,
             line[0] != '\0' ? " at " : "", line, cure);
    const uint32_t low = (uint32_t)(uintptr_t)made_at;
    if (!findings_count(c->findings, UINT64_MAX, low, UINT32_MAX)) {
        findings_add(c->findings, UINT64_MAX, low, UINT32_MAX, identity, text);
    }
}

void check_ignored_error(struct check *c, const void *site, const char *deed, const char *cure)
{
    char line[256] = "", text[1000], identity[800];
    if (!(c->what & CHECK_ERRORS)) {
        return;
    }
    if (site != NULL) {
        simt_describe_address(site, line, sizeof line);
    }
    const char *at = line[0] != '\0' ? " at " : "";
    snprintf(identity, sizeof identity, "ignored %s|%s", deed, line);
    snprintf(text, sizeof text, "simt: ignored error: launch%s%s: %s. Cure: %s", at, line, deed,
             cure);
    findings_add(c->findings, UINT64_MAX, 0, UINT32_MAX, identity, text);
}

void check_end(struct check *c)
{
    /* After a fault cudaFree gives nothing back any more. */
    if (c->what & CHECK_LEAKS && c->memory != NULL && !c->failed) {
        memory_visit(c->memory, tell_leak, c);
    }
    findings_print(c->findings);
}
