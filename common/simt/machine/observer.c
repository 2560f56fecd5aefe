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

/* From pc on, forwards or backwards, to the next instruction that has a line. */
static unsigned next_line(const struct kernel *k, uint32_t pc, int step, const char **file)
{
    enum { NEAR = 24 };
    unsigned line = 0;
    for (unsigned i = 0; i < NEAR && *file == NULL && pc + (uint32_t)step < k->code_count; i++) {
        pc += (uint32_t)step;
        line = observer_line(k, pc, file);
        if (k->handlers[pc]->kind == KIND_BRANCH) {
            break;
        }
    }
    return line;
}

unsigned observer_near_line(const struct kernel *k, uint32_t pc, const char **file)
{
    const struct ptx_insn *origin = pc < k->code_count ? k->origin[pc] : NULL;
    *file = NULL;
    if (origin == NULL) {
        return 0;
    }
    const int first = origin->op == PTX_OP_ST ? -1 : 1;
    unsigned line = next_line(k, pc, first, file);
    return *file != NULL ? line : next_line(k, pc, -first, file);
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
