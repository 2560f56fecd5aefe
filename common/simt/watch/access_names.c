/* access_names.c - which array an access was made to, and what a learner calls it. */
#include "watch/accesses.h"

#include "base/demangle.h"

#include <stdio.h>
#include <string.h>

/* The parameter of the kernel through which the lanes came: the pointer into the allocation that is
 * nearest below the address, or the only one into it. */
static int parameter_for(const struct launch_event *launch, const struct allocation *found,
                         uint64_t address)
{
    const struct kernel *k = launch->kernel;
    uint64_t best = 0;
    int parameter = -1;
    for (unsigned i = 0; i < k->param_count; i++) {
        uint64_t value;
        if (k->params[i].bytes != sizeof value) {
            continue;
        }
        memcpy(&value, (const uint8_t *)launch->launch->params + k->params[i].offset, sizeof value);
        bool inside = value >= found->begin && value < found->begin + found->bytes;
        if (inside && (parameter < 0 || (value <= address && value > best))) {
            parameter = (int)i;
            best = value;
        }
    }
    return parameter;
}

static void name_global(struct access_row *row, const struct launch_event *launch, uint64_t address)
{
    const struct allocation *found = memory_find(launch->memory, address);
    if (found == NULL) {
        return;
    }
    row->array_begin = found->begin;
    row->array_bytes = found->bytes;
    row->made_at = found->made_at;
    if (found->kind == MEMORY_SYMBOL || found->kind == MEMORY_CONSTANT) {
        demangle_name(found->name, row->array, sizeof row->array);
        return;
    }
    row->parameter = parameter_for(launch, found, address);
    if (row->parameter >= 0) {
        snprintf(row->array, sizeof row->array, "parameter %d", row->parameter);
    }
}

static void name_shared(struct access_row *row, const struct kernel *k, uint64_t offset)
{
    const struct shared_variable *v = observer_shared_variable(k, offset);
    if (v != NULL) {
        demangle_last_name(v->name, row->array, sizeof row->array);
        row->array_begin = v->offset;
        row->array_bytes = v->bytes;
    }
}

void access_name_array(struct access_row *row, const struct launch_event *launch, uint64_t address)
{
    row->parameter = -1;
    if (row->space == PTX_GLOBAL || row->space == PTX_CONST) {
        name_global(row, launch, address);
    } else if (row->space == PTX_SHARED) {
        name_shared(row, launch->kernel, address);
    }
}
