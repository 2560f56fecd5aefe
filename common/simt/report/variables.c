/* variables.c - see variables.h. */
#include "report/variables.h"

#include "base/demangle.h"
#include "base/room.h"
#include "ir/ir.h"
#include "machine/observer.h"
#include "report/assigned.h"
#include "report/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A register may hold one variable after one write and nothing with a name after another. */
struct function_names {
    const struct function_ir *ir;
    const char **registers; /* whoever wrote it; NULL: not known */
    const char **results;   /* by instruction: of the one register that it writes */
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
    const char *file;              /* one that the kernel's lines come from */
    bool is_entry;
};

static void give(struct finder *f, uint32_t reg, const char *name)
{
    if (f->names[reg] == NULL) {
        f->names[reg] = arena_strndup(&f->v->arena, name, strlen(name));
    }
}

/* The one register that an instruction writes, if nobody else writes it; else IR_NONE. */
static uint32_t only_result(const struct function_ir *ir, uint32_t insn)
{
    const struct ir_regs w = ir_written(ir, insn);
    const bool alone =
        w.count == 1 && ir->insns[insn].text->guard == NULL && ir->regs[w.reg[0]].writer_count == 1;
    return alone ? w.reg[0] : IR_NONE;
}

/* --- parameters and built-in variables -----------------------------------------------------------
 */

/* The name holds for a definition with as many parameters as the kernel has. */
static bool parameter_name(const struct finder *f, unsigned index, char *name, size_t size)
{
    char kernel[256], other[64];
    const unsigned count = f->k->ptx->param_count;
    demangle_name(f->k->name, kernel, sizeof kernel);
    return source_parameter(f->file, kernel, index, name, size) &&
           source_parameter(f->file, kernel, count - 1, other, sizeof other) &&
           !source_parameter(f->file, kernel, count, other, sizeof other);
}

static void name_parameter(struct finder *f, uint32_t reg, const struct ptx_operand *from)
{
    char name[64];
    const struct ptx_func *func = f->k->ptx;
    for (unsigned i = 0; f->is_entry && i < func->param_count && from->name != NULL; i++) {
        const bool whole =
            from->bits == 0 && func->params[i].bytes == ptx_type_bytes(f->ir->regs[reg].type);
        if (strcmp(func->params[i].name, from->name) == 0 && whole &&
            parameter_name(f, i, name, sizeof name)) {
            give(f, reg, name);
        }
    }
}

static void name_builtin(struct finder *f, uint32_t reg, const char *special)
{
    static const char *const words[][2] = {{"%tid.", "threadIdx"},
                                           {"%ntid.", "blockDim"},
                                           {"%ctaid.", "blockIdx"},
                                           {"%nctaid.", "gridDim"}};
    char name[32];
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i][0]);
        if (strncmp(special, words[i][0], length) == 0) {
            snprintf(name, sizeof name, "%s.%.8s", words[i][1], special + length);
            give(f, reg, name);
        }
    }
}

/* Where an array of shared memory or of the module begins. */
static void name_address(struct finder *f, uint32_t reg, const struct ptx_operand *symbol)
{
    char name[128];
    const bool is_stack = symbol->name != NULL && strncmp(symbol->name, "__local_depot", 13) == 0;
    if (symbol->name != NULL && !is_stack && symbol->bits == 0) {
        demangle_last_name(symbol->name, name, sizeof name);
        give(f, reg, name);
    }
}

/* --- copies and comparisons ----------------------------------------------------------------------
 */

/* cvt.s64.s32 and cvt.u64.u32 keep the value, and so does the way back. */
static bool keeps_value(const struct finder *f, uint32_t insn)
{
    const struct ptx_insn *in = f->ir->insns[insn].text;
    const struct ir_regs r = ir_read(f->ir, insn);
    if (in->op == PTX_OP_MOV || in->op == PTX_OP_CVTA) {
        return true;
    }
    if (in->op != PTX_OP_CVT || in->modifier_count != 2 || r.count != 1) {
        return false;
    }
    const enum ptx_type to = in->modifiers[0].type, from = in->modifiers[1].type;
    if ((to == PTX_S64 && from == PTX_S32) || (to == PTX_U64 && from == PTX_U32)) {
        return true;
    }
    const uint32_t writer = ir_only_writer(f->ir, r.reg[0]);
    return to == PTX_U32 && from == PTX_U64 && writer != IR_NONE &&
           ir_op(f->ir, writer) == PTX_OP_CVT && keeps_value(f, writer);
}

static bool operand_text(const struct finder *f, const struct ptx_operand *o, char *text,
                         size_t size)
{
    if (o->kind == PTX_OPERAND_INT) {
        snprintf(text, size, "%lld", (long long)o->bits);
        return true;
    }
    if (o->kind != PTX_OPERAND_REG || o->negated || o->reg == PTX_NO_REG ||
        f->names[o->reg] == NULL) {
        return false;
    }
    snprintf(text, size, "%s", f->names[o->reg]);
    return true;
}

static void name_comparison(struct finder *f, uint32_t reg, const struct ptx_insn *in)
{
    static const char *const signs[][2] = {{"lt", "<"},  {"le", "<="}, {"gt", ">"},
                                           {"ge", ">="}, {"eq", "=="}, {"ne", "!="}};
    char left[64], right[64], name[160];
    if (in->operand_count != 3 || in->modifier_count != 2 ||
        !operand_text(f, &in->operands[1], left, sizeof left) ||
        !operand_text(f, &in->operands[2], right, sizeof right)) {
        return;
    }
    for (unsigned i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (strcmp(in->modifiers[0].text, signs[i][0]) == 0) {
            snprintf(name, sizeof name, "%s %s %s", left, signs[i][1], right);
            give(f, reg, name);
        }
    }
}

static void name_result(struct finder *f, uint32_t insn)
{
    const struct ptx_insn *in = f->ir->insns[insn].text;
    const struct ir_regs r = ir_read(f->ir, insn);
    const uint32_t reg = only_result(f->ir, insn);
    if (reg == IR_NONE || in->operand_count < 2) {
        return;
    }
    if (in->op == PTX_OP_LD && ir_access_of(in).space == PTX_PARAM && r.count == 0) {
        name_parameter(f, reg, &in->operands[1]);
    } else if (in->op == PTX_OP_MOV && in->operands[1].kind == PTX_OPERAND_SPECIAL) {
        name_builtin(f, reg, in->operands[1].name);
    } else if (in->op == PTX_OP_MOV && in->operands[1].kind == PTX_OPERAND_SYMBOL) {
        name_address(f, reg, &in->operands[1]);
    } else if (in->op == PTX_OP_SETP) {
        name_comparison(f, reg, in);
    } else if (r.count == 1 && f->names[r.reg[0]] != NULL &&
               f->ir->regs[r.reg[0]].writer_count == 1 && keeps_value(f, insn)) {
        give(f, reg, f->names[r.reg[0]]);
    }
}

/* --- statements of nvcc's code -------------------------------------------------------------------
 */

static bool fits(const struct finder *f, uint32_t insn, const struct assigned *a)
{
    const struct ptx_insn *in = f->ir->insns[insn].text;
    const struct ir_regs w = ir_written(f->ir, insn);
    if (w.count != 1 || in->guard != NULL) {
        return false;
    }
    const enum ptx_type type = f->ir->regs[w.reg[0]].type;
    const bool is_float = type == PTX_F32 || type == PTX_F64;
    if (is_float != a->is_float || type == PTX_PRED || ptx_type_bytes(type) != a->bytes) {
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
    f->results[insn] = arena_strndup(&f->v->arena, a.name, strlen(a.name));
}

/* --- what clang says ---------------------------------------------------------------------------
 */

/* A pass may have repeated instructions: then only a name for all writes holds. */
static void name_told(struct finder *f, uint32_t reg)
{
    const struct ir_reg *r = &f->ir->regs[reg];
    const struct ptx_variable *told = &r->variable;
    const bool all = told->writes < 32 && told->mask == (1u << told->writes) - 1;
    for (uint32_t i = 0; i < r->writer_count && told->name != NULL; i++) {
        const bool meant = told->writes == r->writer_count && i < 32 && (told->mask >> i & 1u) != 0;
        if (all || meant) {
            f->results[f->ir->writers[r->first_writer + i]] = told->name;
        }
    }
}

/* --- all of them ---------------------------------------------------------------------------------
 */

static const char *kernel_file(const struct kernel *k)
{
    const char *file = NULL;
    for (uint32_t pc = 0; pc < k->code_count && file == NULL; pc++) {
        (void)observer_line(k, pc, &file);
    }
    return file;
}

/* All that write it write the same variable. */
static void name_register(struct finder *f, uint32_t reg)
{
    const struct ir_reg *r = &f->ir->regs[reg];
    const uint32_t *writers = f->ir->writers + r->first_writer;
    const char *name = r->writer_count > 0 ? f->results[writers[0]] : NULL;
    for (uint32_t i = 1; i < r->writer_count && name != NULL; i++) {
        const char *other = f->results[writers[i]];
        name = other != NULL && strcmp(other, name) == 0 ? name : NULL;
    }
    f->names[reg] = name;
}

static void name_function(struct finder *f)
{
    enum { ROUNDS = 3 }; /* a copy may stand before what it copies: in a loop */
    for (uint32_t r = 0; r < f->ir->reg_count; r++) {
        name_told(f, r);
    }
    for (uint32_t i = 0; i < f->ir->insn_count && !f->k->module->copies_params; i++) {
        name_assigned(f, i);
    }
    for (uint32_t r = 0; r < f->ir->reg_count; r++) {
        name_register(f, r);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < f->ir->insn_count; i++) {
            name_result(f, i);
        }
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
    const char *file = kernel_file(k);
    v->functions = arena_alloc(&v->arena, (k->func_count + 1) * sizeof *v->functions);
    for (uint32_t i = 0; i < k->func_count; i++) {
        const struct function_ir *ir = k->funcs[i]->ir;
        struct finder f = {.v = v, .k = k, .ir = ir, .file = file};
        f.is_entry = k->funcs[i]->ptx == k->ptx;
        f.names = no_names(v, ir->reg_count);
        f.results = no_names(v, ir->insn_count);
        name_function(&f);
        v->functions[i] = (struct function_names){ir, f.names, f.results};
    }
    return v;
}

const char *variables_name(const struct variables *v, uint32_t func, uint32_t insn, uint32_t reg)
{
    const struct function_names *n = &v->functions[func];
    const bool written = n->results[insn] != NULL && ir_writes(n->ir, insn, reg);
    return written ? n->results[insn] : n->registers[reg];
}

void variables_free(struct variables *v)
{
    arena_free(&v->arena);
    free(v);
}
