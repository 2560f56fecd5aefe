/* observer.c - see observer.h. */
#include "machine/observer.h"

unsigned observer_line(const struct kernel *k, uint32_t pc, const char **file)
{
    const struct ptx_insn *origin = pc < k->code_count ? k->origin[pc] : NULL;
    *file = NULL;
    if (origin == NULL) {
        return 0;
    }
    const struct ptx_loc *loc = ptx_user_line(k->module, origin->loc);
    *file =
        loc->line != 0 && loc->file < k->module->file_count ? k->module->files[loc->file] : NULL;
    return loc->line;
}

const struct shared_variable *observer_shared_variable(const struct kernel *k, uint64_t offset)
{
    for (unsigned i = 0; i < k->shared_variable_count; i++) {
        const struct shared_variable *v = &k->shared_variables[i];
        if (offset >= v->offset && (v->bytes == 0 || offset - v->offset < v->bytes)) {
            return v;
        }
    }
    return NULL;
}
