/* link.c - see link.h. */
#include "ptx/link.h"
#include "base/room.h"

#include "base/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/parse.h"
#include "ptx/target.h"

/* One variable or function of one module, under its name. */
struct entry {
    const char *name;
    unsigned module, index;
    bool is_func;
    bool is_defined;
    enum ptx_linkage linkage;
};

struct linker {
    struct ptx_module **modules;
    unsigned count;
    struct entry *entries; /* sorted by name, then by module */
    unsigned entry_count;
    struct err *e;
};

static int by_name(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->module > y->module) - (x->module < y->module);
}

static void list_entries(struct linker *l)
{
    unsigned most = 0;
    for (unsigned m = 0; m < l->count; m++) {
        most += l->modules[m]->var_count + l->modules[m]->func_count;
    }
    l->entries = room_new(most + 1u, sizeof *l->entries);
    for (unsigned m = 0; m < l->count; m++) {
        for (unsigned i = 0; i < l->modules[m]->var_count; i++) {
            const struct ptx_var *v = &l->modules[m]->vars[i];
            l->entries[l->entry_count++] =
                (struct entry){v->name, m, i, false, !v->is_extern, v->linkage};
        }
        for (unsigned i = 0; i < l->modules[m]->func_count; i++) {
            const struct ptx_func *f = &l->modules[m]->funcs[i];
            l->entries[l->entry_count++] =
                (struct entry){f->name, m, i, true, !f->is_prototype, f->linkage};
        }
    }
    qsort(l->entries, l->entry_count, sizeof *l->entries, by_name);
}

/* The entries [first, end) have one name. */
static unsigned end_of(const struct linker *l, unsigned first)
{
    unsigned end = first + 1;
    while (end < l->entry_count && strcmp(l->entries[end].name, l->entries[first].name) == 0) {
        end++;
    }
    return end;
}

/* ---- names that modules keep to themselves --------------------------------------------------- */

struct rename {
    const char *from, *to;
};

/* Of one module, sorted. */
struct renames {
    struct rename *list;
    unsigned count, capacity;
};

static int compare_rename(const void *key, const void *item)
{
    return strcmp(key, ((const struct rename *)item)->from);
}

static void rename_text(const struct renames *r, const char **name)
{
    const struct rename *x =
        *name != NULL ? bsearch(*name, r->list, r->count, sizeof *r->list, compare_rename) : NULL;
    *name = x != NULL ? x->to : *name;
}

static void rename_operand(const struct renames *r, struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_SYMBOL || (o->kind == PTX_OPERAND_MEMORY && o->reg == PTX_NO_REG)) {
        rename_text(r, &o->name);
    }
    for (unsigned i = 0; i < o->item_count; i++) {
        rename_operand(r, &o->items[i]);
    }
}

static void rename_function(const struct renames *r, struct ptx_func *f)
{
    rename_text(r, &f->name);
    for (unsigned i = 0; i < f->insn_count; i++) {
        for (unsigned k = 0; k < f->insns[i].operand_count; k++) {
            rename_operand(r, &f->insns[i].operands[k]);
        }
    }
    for (unsigned i = 0; i < f->target_count; i++) {
        for (unsigned k = 0; k < f->targets[i].item_count; k++) {
            rename_text(r, &f->targets[i].items[k]);
        }
    }
}

static void rename_module(const struct renames *r, struct ptx_module *m)
{
    for (unsigned i = 0; i < m->func_count; i++) {
        rename_function(r, &m->funcs[i]);
    }
    for (unsigned i = 0; i < m->var_count; i++) {
        struct ptx_var *v = &m->vars[i];
        rename_text(r, &v->name);
        for (unsigned k = 0; k < v->reloc_count; k++) {
            rename_text(r, (const char **)(uintptr_t)&v->relocs[k].symbol);
        }
    }
}

/* A private thing whose name another module has, too. */
static void list_renames(struct linker *l, struct renames *of)
{
    char name[4096];
    for (unsigned first = 0, end; first < l->entry_count; first = end) {
        end = end_of(l, first);
        for (unsigned i = first; i < end && l->entries[first].module != l->entries[end - 1].module;
             i++) {
            struct entry *x = &l->entries[i];
            if (!x->is_defined || x->linkage != PTX_INTERNAL) {
                continue;
            }
            struct ptx_module *m = l->modules[x->module];
            struct renames *r = &of[x->module];
            r->list = arena_grow(&m->arena, r->list, r->count, &r->capacity, sizeof *r->list);
            snprintf(name, sizeof name, "%s@%u", x->name, x->module);
            r->list[r->count++] =
                (struct rename){x->name, arena_strndup(&m->arena, name, strlen(name))};
        }
    }
}

static void separate_private_names(struct linker *l)
{
    struct renames *of = room_new(l->count, sizeof *of);
    list_renames(l, of);
    for (unsigned i = 0; i < l->count; i++) {
        if (of[i].count > 0) {
            rename_module(&of[i], l->modules[i]);
        }
    }
    free(of);
    l->entry_count = 0;
    free(l->entries);
    list_entries(l);
}

/* ---- one thing for each name ----------------------------------------------------------------- */

/* The entry that stands for all of one name: a definition, a strong one rather than a weak one;
 * else the first declaration. NULL: *e. */
static const struct entry *choose(struct linker *l, unsigned first, unsigned end)
{
    const struct entry *best = &l->entries[first];
    for (unsigned i = first + 1; i < end; i++) {
        const struct entry *x = &l->entries[i];
        const bool both_strong = best->is_defined && x->is_defined && best->linkage != PTX_WEAK &&
                                 x->linkage != PTX_WEAK;
        if (both_strong || best->is_func != x->is_func) {
            err_set_code(
                l->e, SIMT_BAD_PTX, "device linking: %.200s is defined in %.100s and in %.100s%s",
                x->name, l->modules[best->module]->name, l->modules[x->module]->name,
                best->is_func == x->is_func ? "" : ", once as a function and once as a variable");
            return NULL;
        }
        if (x->is_defined &&
            (!best->is_defined || (best->linkage == PTX_WEAK && x->linkage != PTX_WEAK))) {
            best = x;
        }
    }
    return best;
}

/* An extern array of shared memory has no definition, and functions may be the runtime's. */
static bool needs_definition(const struct linker *l, const struct entry *x)
{
    return !x->is_func && !x->is_defined &&
           l->modules[x->module]->vars[x->index].space != PTX_SHARED;
}

static bool take_all(struct linker *l, struct ptx_var *vars, unsigned *var_count,
                     struct ptx_func *funcs, unsigned *func_count)
{
    for (unsigned first = 0, end; first < l->entry_count; first = end) {
        end = end_of(l, first);
        const struct entry *x = choose(l, first, end);
        if (x == NULL) {
            return false;
        }
        if (needs_definition(l, x)) {
            return err_set_code(l->e, SIMT_BAD_PTX,
                                "device linking: variable %.200s is declared in %.100s and defined "
                                "in no file",
                                x->name, l->modules[x->module]->name);
        }
        if (x->is_func) {
            funcs[(*func_count)++] = l->modules[x->module]->funcs[x->index];
        } else {
            vars[(*var_count)++] = l->modules[x->module]->vars[x->index];
        }
    }
    return true;
}

/* The numbers of a module's files begin behind those of the module before it. */
static void take_files(struct linker *l)
{
    struct ptx_module *all = l->modules[0];
    const unsigned count = l->modules[l->count - 1]->file_count;
    const char **files = arena_alloc(&all->arena, (count + 1u) * sizeof *files);
    for (unsigned m = 0; m < l->count; m++) {
        for (unsigned i = 0; i < l->modules[m]->file_count; i++) {
            const char *name = l->modules[m]->files[i];
            for (unsigned k = 0; k < i && name != NULL; k++) { /* one name, one pointer */
                name = files[k] != NULL && strcmp(files[k], name) == 0 ? files[k] : name;
            }
            files[i] = name != NULL ? name : files[i];
        }
    }
    all->files = files;
    all->file_count = count;
}

/* The later one of the two. */
static void take_version(struct ptx_module *all, const struct ptx_module *of)
{
    const unsigned ours = 10 * all->version_major + all->version_minor;
    if (ours < 10 * of->version_major + of->version_minor) {
        all->version_major = of->version_major;
        all->version_minor = of->version_minor;
    }
}

static bool take_parts(struct linker *l)
{
    struct ptx_module *all = l->modules[0];
    struct ptx_var *vars = arena_alloc(&all->arena, (l->entry_count + 1u) * sizeof *vars);
    struct ptx_func *funcs = arena_alloc(&all->arena, (l->entry_count + 1u) * sizeof *funcs);
    unsigned var_count = 0, func_count = 0;
    if (!take_all(l, vars, &var_count, funcs, &func_count)) {
        return false;
    }
    take_files(l);
    all->vars = vars;
    all->var_count = var_count;
    all->funcs = funcs;
    all->func_count = func_count;
    for (unsigned i = 1; i < l->count; i++) {
        take_version(all, l->modules[i]);
        all->target = ptx_target_of_both(all->target, l->modules[i]->target);
        l->modules[i]->linked = all->linked;
        all->linked = l->modules[i];
    }
    return true;
}

struct ptx_module *ptx_link(struct ptx_module **modules, unsigned count, struct err *e)
{
    struct linker l = {.modules = modules, .count = count, .e = e};
    list_entries(&l);
    separate_private_names(&l);
    const bool good = take_parts(&l);
    free(l.entries);
    for (unsigned i = 0; i < count && !good; i++) {
        ptx_module_free(modules[i]);
    }
    return good ? modules[0] : NULL;
}
