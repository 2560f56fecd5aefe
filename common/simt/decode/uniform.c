/* uniform.c - see uniform.h. Walks from a register to what it is computed from, and on from there.
 */
#include "decode/uniform.h"

#include <string.h>

enum { MOST_VALUES = 64 }; /* a longer chain counts as not uniform */

struct walk {
    struct decoder *d;
    const char *names[MOST_VALUES]; /* registers that must be uniform */
    unsigned count;
    bool overflow;
};

static bool is_uniform_special(const char *name)
{
    static const char *const families[] = {"%ctaid.", "%nctaid.", "%ntid.", "%gridid"};
    for (unsigned i = 0; i < ARRAY_LENGTH(families); i++) {
        if (strncmp(name, families[i], strlen(families[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* False if the operand is a special register that differs from lane to lane. */
static bool note_registers(struct walk *w, const struct ptx_operand *o)
{
    struct ptx_operand base = {.kind = PTX_OPERAND_REG, .name = o->name};
    for (unsigned i = 0; i < o->item_count; i++) {
        if (!note_registers(w, &o->items[i])) {
            return false;
        }
    }
    if ((o->kind != PTX_OPERAND_REG && o->kind != PTX_OPERAND_MEMORY) || o->name == NULL) {
        return true;
    }
    if (register_type(w->d, &base) == PTX_NO_TYPE) {
        return o->name[0] != '%' || is_uniform_special(o->name); /* else a variable's name */
    }
    for (unsigned i = 0; i < w->count; i++) {
        if (strcmp(w->names[i], o->name) == 0) {
            return true;
        }
    }
    w->overflow |= w->count == MOST_VALUES;
    if (!w->overflow) {
        w->names[w->count++] = o->name;
    }
    return true;
}

/* Instructions whose result is uniform if their operands are. */
static bool computes_from_operands(const struct ptx_insn *in)
{
    static const enum ptx_op ops[] = {PTX_OP_ABS, PTX_OP_ADD,  PTX_OP_AND,  PTX_OP_CVT, PTX_OP_CVTA,
                                      PTX_OP_DIV, PTX_OP_LD,   PTX_OP_MAD,  PTX_OP_MAX, PTX_OP_MIN,
                                      PTX_OP_MOV, PTX_OP_MUL,  PTX_OP_NEG,  PTX_OP_NOT, PTX_OP_OR,
                                      PTX_OP_REM, PTX_OP_SELP, PTX_OP_SETP, PTX_OP_SHL, PTX_OP_SHR,
                                      PTX_OP_SUB, PTX_OP_XOR};
    if (ptx_has_modifier(in, "local") || ptx_has_modifier(in, "volatile")) {
        return false;
    }
    for (unsigned i = 0; i < ARRAY_LENGTH(ops); i++) {
        if (in->op == ops[i]) {
            return true;
        }
    }
    return false;
}

static bool names_register(const struct ptx_operand *o, const char *name)
{
    for (unsigned i = 0; i < o->item_count; i++) {
        if (names_register(&o->items[i], name)) {
            return true;
        }
    }
    return o->kind == PTX_OPERAND_REG && strcmp(o->name, name) == 0;
}

bool writes_register(const struct ptx_insn *in, const char *name)
{
    return in->operand_count > 0 && in->op != PTX_OP_ST && in->op != PTX_OP_RED &&
           names_register(&in->operands[0], name);
}

static const struct ptx_insn *only_writer(const struct ptx_func *f, const char *name)
{
    const struct ptx_insn *writer = NULL;
    for (unsigned i = 0; i < f->insn_count; i++) {
        const struct ptx_insn *in = &f->insns[i];
        bool writes = writes_register(in, name);
        if (writes && (writer != NULL || in->guard != NULL)) {
            return NULL;
        }
        writer = writes ? in : writer;
    }
    return writer;
}

bool is_uniform(struct decoder *d, const struct ptx_operand *o)
{
    struct walk w = {.d = d};
    if (!note_registers(&w, o)) {
        return false;
    }
    for (unsigned i = 0; i < w.count; i++) {
        const struct ptx_insn *in = only_writer(d->f, w.names[i]);
        if (in == NULL || !computes_from_operands(in)) {
            return false;
        }
        for (unsigned k = 1; k < in->operand_count; k++) {
            if (!note_registers(&w, &in->operands[k])) {
                return false;
            }
        }
    }
    return !w.overflow;
}
