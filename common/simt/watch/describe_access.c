/* describe_access.c - see describe_access.h. */
#include "watch/describe_access.h"

#include "base/demangle.h"
#include "base/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

void describe_line_of(const struct kernel *k, uint32_t pc, char *text, size_t size)
{
    const char *file;
    char callers[128] = "";
    unsigned line = observer_line(k, pc, &file);
    const struct ptx_insn *origin = k->origin[pc];
    const char *near = "";
    if (file == NULL) {
        line = observer_near_line(k, pc, &file);
        near = " (nearby)";
    } else {
        observer_callers(k, pc, callers, sizeof callers);
    }
    if (file != NULL) {
        snprintf(text, size, "%s:%u%s%s", file_name(file), line, near, callers);
    } else {
        snprintf(text, size, "line %u of its PTX", origin != NULL ? origin->text_line : 0);
    }
}

void describe_thread(const struct simt_launch *l, uint32_t number, unsigned thread, char *text,
                     size_t size)
{
    const struct simt_dim *b = &l->block, *g = &l->grid;
    snprintf(text, size, "thread (%u,%u,%u) of block (%u,%u,%u)", thread % b->x,
             thread / b->x % b->y, thread / b->x / b->y, number % g->x, number / g->x % g->y,
             number / g->x / g->y);
}

static void shared_array(const struct kernel *k, uint64_t offset, char *text, size_t size,
                         uint64_t *inside)
{
    char name[256];
    const struct shared_variable *v = observer_shared_variable(k, offset);
    if (v != NULL) {
        demangle_last_name(v->name, name, sizeof name);
        snprintf(text, size, "%s %s", v->bytes != 0 ? "shared array" : "dynamic shared array",
                 name);
        *inside = offset - v->offset;
        return;
    }
    *inside = offset - k->dynamic_shared_offset;
    snprintf(text, size, "dynamic shared memory");
}

static void global_array(struct memory *m, uint64_t address, char *text, size_t size,
                         uint64_t *inside)
{
    const struct allocation *a = memory_find(m, address);
    char line[256] = "", name[256];
    if (a == NULL) {
        *inside = address;
        snprintf(text, size, "global memory");
        return;
    }
    *inside = address - a->begin;
    if (a->kind == MEMORY_SYMBOL || a->kind == MEMORY_CONSTANT) {
        demangle_last_name(a->name, name, sizeof name);
        snprintf(text, size, "variable %s", name);
        return;
    }
    if (a->called != NULL) {
        snprintf(text, size, "the %" PRIu64 " bytes of %s", a->bytes, a->called);
        return;
    }
    if (a->made_at != NULL) {
        simt_describe_address(a->made_at, line, sizeof line);
    }
    snprintf(text, size, "the %" PRIu64 " bytes of %s%s%s", a->bytes,
             a->name != NULL ? a->name : "device memory", line[0] != '\0' ? " at " : "", line);
}

void describe_array_name(const struct launch_event *l, enum ptx_space space, uint64_t address,
                         char *text, size_t size, uint64_t *offset)
{
    if (space == PTX_SHARED) {
        shared_array(l->kernel, address, text, size, offset);
    } else if (space == PTX_LOCAL) {
        *offset = address;
        snprintf(text, size, "local memory of the thread");
    } else {
        global_array(l->memory, address, text, size, offset);
    }
}

void describe_array(const struct launch_event *l, enum ptx_space space, uint64_t address,
                    char *text, size_t size)
{
    char name[384];
    uint64_t offset;
    describe_array_name(l, space, address, name, sizeof name, &offset);
    snprintf(text, size, "%s, byte %" PRIu64, name, offset);
}
