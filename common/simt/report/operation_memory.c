/* operation_memory.c - what loads yield: parameters, elements of arrays; and what moves; see
 * operation.h. */
#include "report/operation.h"
#include "report/operations.h"

#include "base/demangle.h"
#include "report/source.h"

#include <stdio.h>
#include <string.h>

/* --- memory, warps ---------------------------------------------------------------------------- */

bool operation_place(struct computed *c, uint32_t insn, struct expression *e)
{
    const struct ir_access a = ir_access_of(c->of.ir->insns[insn].text);
    const struct ptx_operand *at = a.address;
    if (at == NULL || at->kind != PTX_OPERAND_MEMORY || at->item_count > 0 ||
        a.space == PTX_PARAM || a.space == PTX_LOCAL) {
        return false;
    }
    if (at->reg == PTX_NO_REG) {
        return computed_symbol(c, at, e);
    }
    struct ptx_operand base = *at;
    base.kind = PTX_OPERAND_REG;
    const struct expression offset = expression_number((int64_t)at->bits);
    return computed_operand(c, insn, &base, e) && e->root != NULL && expression_add(e, &offset, 1);
}

/* The name holds for a definition with as many parameters as the kernel has. */
static bool parameter_name(const struct computed *c, unsigned index, char *name, size_t size)
{
    char kernel[256], other[64];
    const unsigned count = c->of.k->ptx->param_count;
    demangle_name(c->of.k->name, kernel, sizeof kernel);
    for (unsigned i = 0; i < c->of.declared.file_count; i++) {
        const char *file = c->of.declared.files[i];
        if (file != NULL && source_parameter(file, kernel, index, name, size) &&
            source_parameter(file, kernel, count - 1, other, sizeof other) &&
            !source_parameter(file, kernel, count, other, sizeof other)) {
            return true;
        }
    }
    return false;
}

static bool parameter(const struct operation *o, const struct ir_access *a)
{
    char name[64];
    const struct ptx_func *f = o->c->of.k->ptx;
    for (unsigned i = 0; o->c->of.is_entry && i < f->param_count; i++) {
        if (a->address->name == NULL || strcmp(f->params[i].name, a->address->name) != 0 ||
            a->address->bits != 0 || f->params[i].bytes != ptx_type_bytes(a->type) ||
            !parameter_name(o->c, i, name, sizeof name)) {
            continue;
        }
        struct expression_root root = {.name = NULL};
        *o->e = expression_number(0);
        if (!declared_parameter(&o->c->of.declared, i, &root.is)) {
            const bool kept = computed_keep(o->c, o->e, name, LEVEL_NAME);
            o->e->is_bits = declared_half(&o->c->of.declared, i);
            if (kept && declared_unsigned(&o->c->of.declared, i)) {
                computed_note_unsigned(o->c, o->e->terms[0].text);
            }
            return kept;
        }
        struct expression_root *kept = arena_alloc(o->c->of.arena, sizeof *kept);
        *kept = root;
        kept->name = arena_strndup(o->c->of.arena, name, strlen(name));
        *o->e = expression_address(kept);
        return true;
    }
    return false;
}

bool operation_loaded(const struct operation *o)
{
    char text[EXPRESSION_TEXT];
    const struct ir_access a = ir_access_of(o->in);
    if (a.address != NULL && a.space == PTX_PARAM && ir_read(o->c->of.ir, o->insn).count == 0) {
        return parameter(o, &a);
    }
    if (a.elements != 1 || a.type == PTX_NO_TYPE || !operation_place(o->c, o->insn, o->e) ||
        !expression_write_element(o->e, ptx_type_bytes(a.type), text)) {
        return false;
    }
    const bool is_half = o->e->root->is.is_half;
    o->e->from_memory |= a.space != PTX_CONST && !operation_has(o, "nc");
    const bool kept = computed_keep(o->c, o->e, text, text[0] == '*' ? LEVEL_SIGN : LEVEL_NAME);
    o->e->is_bits = is_half;
    return kept;
}

/* A float as an integer, or the way back, is another number. */
static bool is_reinterpreted(const struct operation *o)
{
    const struct function_ir *ir = o->c->of.ir;
    const struct ir_regs to = ir_written(ir, o->insn), from = ir_read(ir, o->insn);
    return from.count == 1 && operation_is_real(ir->regs[to.reg[0]].type) !=
                                  operation_is_real(ir->regs[from.reg[0]].type);
}

bool operation_moved(const struct operation *o)
{
    static const char *const words[][2] = {{"%tid.", "threadIdx"},
                                           {"%ntid.", "blockDim"},
                                           {"%ctaid.", "blockIdx"},
                                           {"%nctaid.", "gridDim"}};
    char name[32];
    if (o->in->operand_count != 2 || o->in->operands[1].kind != PTX_OPERAND_SPECIAL) {
        return o->in->operand_count > 1 && !is_reinterpreted(o) &&
               computed_operand(o->c, o->insn, &o->in->operands[1], o->e);
    }
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i][0]);
        if (strncmp(o->in->operands[1].name, words[i][0], length) == 0) {
            snprintf(name, sizeof name, "%s.%.8s", words[i][1], o->in->operands[1].name + length);
            *o->e = expression_number(0);
            return computed_keep(o->c, o->e, name, LEVEL_NAME);
        }
    }
    return false;
}
