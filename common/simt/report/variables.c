/* variables.c - see variables.h. */
#include "report/variables.h"

#include "base/demangle.h"
#include "base/room.h"
#include "ir/ir.h"
#include "report/assigned.h"
#include "report/computed.h"
#include "report/operations.h"
#include "report/packed.h"
#include "report/result.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A register may hold one variable after one write and nothing with a name after another. */
struct function_names {
    const struct function_ir *ir;
    const char **registers; /* the variable that was written; NULL: not known */
    const char **results;   /* of what each instruction writes, see result.h */
    struct computed *computed;
    const enum ptx_type *types; /* by register */
};

struct variables {
    struct arena arena;
    struct function_names *functions;
};

/* One function while its names are found. */
struct finder {
    struct variables *v;
    const struct kernel *k;
    const struct function_ir *ir;
    const char **names, **results; /* as in struct function_names */
};

/* The name of what an instruction puts into one of the registers that it writes. */
static const char **result_of(struct finder *f, uint32_t insn, uint32_t reg)
{
    const struct ir_insn *in = &f->ir->insns[insn];
    uint32_t at = in->refs;
    while (f->ir->refs[at] != reg) {
        at++;
    }
    assert(at < in->refs + in->written);
    return &f->results[at];
}

/* --- statements of nvcc's code ---------------------------------------------------------------- */

static bool fits(const struct finder *f, uint32_t insn, const struct assigned *a)
{
    const struct ptx_insn *in = f->ir->insns[insn].text;
    const struct ir_regs w = ir_written(f->ir, insn);
    if (w.count != 1 || in->guard != NULL) {
        return false;
    }
    const enum ptx_type type = f->ir->regs[w.reg[0]].type;
    if (ptx_is_float(type) != a->is_float || type == PTX_PRED || ptx_type_bytes(type) != a->bytes) {
        return false;
    }
    const struct op_info *op = ir_info(f->ir, insn);
    switch (a->kind) {
    case ASSIGNED_SUM:
        return op->cost == COST_SUM || op->cost == COST_DIFFERENCE || op->cost == COST_MAD ||
               op->cost == COST_FMA;
    case ASSIGNED_PRODUCT:
        return op->cost == COST_PRODUCT;
    case ASSIGNED_LOAD:
        return op->memory == MEMORY_READS && ir_access_of(in).space != PTX_PARAM;
    }
    return false;
}

static bool same_statement(const struct ptx_loc *a, const struct ptx_loc *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column &&
           a->inlined_at == b->inlined_at;
}

/* A sum of whole numbers may be one that only computes an address: it must be the only one. */
static bool is_certain(const struct finder *f, uint32_t insn, const struct assigned *a)
{
    unsigned alike = 0;
    for (uint32_t i = 0; i < f->ir->insn_count; i++) {
        alike += same_statement(f->ir->insns[i].text->loc, f->ir->insns[insn].text->loc) &&
                 fits(f, i, a);
    }
    return alike == 1 || a->is_float || a->kind == ASSIGNED_LOAD;
}

static void name_assigned(struct finder *f, uint32_t insn)
{
    const struct ptx_loc *loc = f->ir->insns[insn].text->loc;
    const char *file = loc->file < f->k->module->file_count ? f->k->module->files[loc->file] : NULL;
    struct assigned a;
    if (file == NULL || loc->line == 0 || ir_written(f->ir, insn).count != 1 ||
        !assigned_read(file, loc->line, loc->column, &a) || !fits(f, insn, &a) ||
        !is_certain(f, insn, &a)) {
        return;
    }
    *result_of(f, insn, ir_written(f->ir, insn).reg[0]) =
        arena_strndup(&f->v->arena, a.name, strlen(a.name));
}

/* --- what clang says -------------------------------------------------------------------------- */

/* A pass may have repeated instructions: then only a name for all writes holds. */
static void name_told(struct finder *f, uint32_t reg)
{
    const struct ir_reg *r = &f->ir->regs[reg];
    const struct ptx_variable *named = &r->variable;
    const bool all = named->writes < 32 && named->mask == (1u << named->writes) - 1;
    for (uint32_t i = 0; i < r->writer_count && named->name != NULL; i++) {
        const bool meant =
            named->writes == r->writer_count && i < 32 && (named->mask >> i & 1u) != 0;
        if (all || meant) {
            *result_of(f, f->ir->writers[r->first_writer + i], reg) = named->name;
        }
    }
}

/* --- all of them ------------------------------------------------------------------------------ */

/* All that write it write the same variable. */
static void name_register(struct finder *f, uint32_t reg)
{
    const struct ir_reg *r = &f->ir->regs[reg];
    const uint32_t *writers = f->ir->writers + r->first_writer;
    const char *name = r->writer_count > 0 ? *result_of(f, writers[0], reg) : NULL;
    for (uint32_t i = 1; i < r->writer_count && name != NULL; i++) {
        const char *other = *result_of(f, writers[i], reg);
        name = other != NULL && strcmp(other, name) == 0 ? name : NULL;
    }
    f->names[reg] = name;
}

static void name_function(struct finder *f)
{
    for (uint32_t r = 0; r < f->ir->reg_count; r++) {
        name_told(f, r);
    }
    for (uint32_t i = 0; i < f->ir->insn_count && !f->k->module->copies_params; i++) {
        name_assigned(f, i);
    }
    for (uint32_t r = 0; r < f->ir->reg_count; r++) {
        name_register(f, r);
    }
}

static const char **no_names(struct variables *v, uint32_t count)
{
    const char **names = arena_alloc(&v->arena, (count + 1) * sizeof *names);
    memset(names, 0, (count + 1) * sizeof *names);
    return names;
}

struct variables *variables_find(const struct kernel *k)
{
    struct variables *v = room_new(1, sizeof *v);
    char name[256];
    demangle_name(k->name, name, sizeof name);
    const char *kernel = arena_strndup(&v->arena, name, strlen(name));
    const struct declared_in declared =
        declared_files(&v->arena, k->module->files, k->module->file_count, kernel);
    v->functions = arena_alloc(&v->arena, (k->func_count + 1) * sizeof *v->functions);
    for (uint32_t i = 0; i < k->func_count; i++) {
        const struct function_ir *ir = k->funcs[i]->ir;
        struct finder f = {.v = v, .k = k, .ir = ir};
        f.names = no_names(v, ir->reg_count);
        f.results = no_names(v, result_count(ir));
        name_function(&f);
        const struct computed_of of = {.arena = &v->arena,
                                       .k = k,
                                       .ir = ir,
                                       .declared = declared,
                                       .is_entry = k->funcs[i]->ptx == k->ptx,
                                       .names = f.names,
                                       .results = f.results,
                                       .value = operations_value,
                                       .place = operation_place};
        v->functions[i] = (struct function_names){ir, f.names, f.results, computed_new(&of),
                                                  packed_types(ir, &v->arena)};
    }
    return v;
}

const char *variables_name(const struct variables *v, uint32_t func, uint32_t insn, uint32_t reg)
{
    const struct function_names *n = &v->functions[func];
    if (ir_writes(n->ir, insn, reg)) {
        const char *named = result_variable(n->ir, n->results, insn, reg);
        return named != NULL ? named : computed_result(n->computed, insn, reg);
    }
    return n->registers[reg] != NULL ? n->registers[reg] : computed_source(n->computed, insn, reg);
}

enum ptx_type variables_type(const struct variables *v, uint32_t func, uint32_t reg)
{
    return v->functions[func].types[reg];
}

void variables_free(struct variables *v)
{
    arena_free(&v->arena);
    free(v);
}
