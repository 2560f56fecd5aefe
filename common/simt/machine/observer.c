/* observer.c - see observer.h. */
#include "machine/observer.h"

#include <stdio.h>
#include <string.h>

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

void observer_callers(const struct kernel *k, uint32_t pc, char *text, size_t size)
{
    enum { MOST = 4 };
    const struct ptx_insn *origin = pc < k->code_count ? k->origin[pc] : NULL;
    const struct ptx_loc *loc = origin != NULL ? ptx_user_line(k->module, origin->loc) : NULL;
    size_t used = 0;
    unsigned count = 0;
    text[0] = '\0';
    while (loc != NULL && loc->inlined_at != NULL && count < MOST) {
        const struct ptx_loc *caller = ptx_user_line(k->module, loc->inlined_at);
        const bool same = caller->line == loc->line && caller->file == loc->file;
        loc = caller;
        if (same || loc->line == 0 || loc->file >= k->module->file_count) {
            continue;
        }
        const char *file = k->module->files[loc->file], *slash = strrchr(file, '/');
        const int more =
            snprintf(text + used, size - used, "%s%s:%u", count++ == 0 ? " (called at " : ", ",
                     slash != NULL ? slash + 1 : file, loc->line);
        if (more < 0 || used + (size_t)more + 2 > size) {
            break;
        }
        used += (size_t)more;
    }
    text[used] = '\0';
    if (used != 0) {
        strcpy(text + used, ")");
    }
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
