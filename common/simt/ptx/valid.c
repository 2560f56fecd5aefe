/* valid.c - see valid.h. Messages are ptxas's where it has one. */
#include "ptx/valid.h"

#include "base/launch.h"
#include "base/names.h"
#include "ptx/target.h"

#include <string.h>

struct checked {
    const struct ptx_module *m;
    const struct ptx_func *f;
    const struct ptx_insn *in;
    bool (*is_native)(const char *name);
    struct names functions, labels; /* that are defined; of f */
    struct arena scratch;
    struct err *e;
};

static bool unknown(const struct checked *c, const char *what, const char *name)
{
    return err_set_code(c->e, SIMT_BAD_PTX, "%s:%u: %s '%.200s'", c->m->name, c->in->text_line,
                        what, name);
}

static bool registers_exist(const struct checked *c, const struct ptx_operand *operands,
                            unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand *o = &operands[i];
        if (o->kind == PTX_OPERAND_REG && o->reg == PTX_NO_REG) {
            return err_set_code(c->e, SIMT_BAD_PTX, "%s:%u: register %s is not declared",
                                c->m->name, c->in->text_line, o->name);
        }
        if (!registers_exist(c, o->items, o->item_count)) {
            return false;
        }
    }
    return true;
}

static bool is_function(const struct checked *c, const char *name)
{
    unsigned index;
    return names_find(&c->functions, name, &index) || c->is_native(name);
}

/* Where a branch goes, and what a call calls: the first operand that is a name, not in a list. */
static bool names_exist(const struct checked *c)
{
    unsigned label;
    const enum ptx_op op = c->in->op;
    const struct ptx_operand *o = c->in->operands, *end = o + c->in->operand_count;
    while (o < end && o->kind != PTX_OPERAND_SYMBOL) {
        o += o->kind == PTX_OPERAND_REG ? end - o : 1; /* through a register: nothing to look up */
    }
    if (o >= end || (op != PTX_OP_BRA && op != PTX_OP_CALL)) {
        return true;
    }
    if (op == PTX_OP_BRA) {
        return names_find(&c->labels, o->name, &label) || unknown(c, "Unknown symbol", o->name);
    }
    return is_function(c, o->name) || unknown(c, "Unresolved extern function", o->name);
}

/* Instructions of PTX ISA 9.0 that ptx_ops.def lacks: a kernel that has one is rejected when it is
 * asked for, and the module's others are there. */
static bool is_instruction(const struct ptx_insn *in)
{
    static const char *const others[] = {"clusterlaunchcontrol", "istypep", "multimem", "tcgen05"};
    bool known = in->op != PTX_OP_UNKNOWN;
    for (unsigned i = 0; i < ARRAY_LENGTH(others) && !known; i++) {
        known = strcmp(others[i], in->op_name) == 0;
    }
    return known;
}

static bool insn_is_valid(const struct checked *c)
{
    char why[200];
    const unsigned version = 10 * c->m->version_major + c->m->version_minor;
    if (!is_instruction(c->in)) {
        return unknown(c, "Not a name of any known instruction:", c->in->op_name);
    }
    return registers_exist(c, c->in->operands, c->in->operand_count) && names_exist(c) &&
           (ptx_target_has(c->m->target, version, c->in, why, sizeof why) ||
            err_set_code(c->e, SIMT_BAD_PTX, "%s:%u: %s", c->m->name, c->in->text_line, why));
}

static bool head_is_valid(const struct ptx_module *m, struct err *e)
{
    const unsigned version = 10 * m->version_major + m->version_minor;
    if (version > PTX_NEWEST_VERSION) {
        return err_set_code(e, SIMT_NEWER_PTX,
                            "%s:1: Unsupported .version %u.%u; current version is '%u.%u'", m->name,
                            m->version_major, m->version_minor, PTX_NEWEST_VERSION / 10,
                            PTX_NEWEST_VERSION % 10);
    }
    if (m->target.arch == 0) {
        return err_set_code(e, SIMT_BAD_PTX,
                            "%s:2: Missing .target directive at start of file: write .target sm_80 "
                            "behind .version",
                            m->name);
    }
    return version >= m->target.first ||
           err_set_code(e, SIMT_BAD_PTX,
                        "%s:2: PTX .version %u.%u does not support the .target: %u.%u does",
                        m->name, m->version_major, m->version_minor, m->target.first / 10,
                        m->target.first % 10);
}

static bool body_is_valid(struct checked *c)
{
    bool good = true;
    c->labels = (struct names){.arena = &c->scratch};
    for (unsigned i = 0; i < c->f->label_count; i++) {
        names_add(&c->labels, c->f->labels[i].name, i);
    }
    for (unsigned i = 0; i < c->f->insn_count && good; i++) {
        c->in = &c->f->insns[i];
        good = insn_is_valid(c);
    }
    return good;
}

bool ptx_is_valid(const struct ptx_module *m, bool (*is_native)(const char *name), struct err *e)
{
    struct checked c = {.m = m, .is_native = is_native, .e = e};
    bool good = head_is_valid(m, e);
    c.functions.arena = &c.scratch;
    for (unsigned f = 0; f < m->func_count; f++) {
        if (!m->funcs[f].is_prototype) {
            names_add(&c.functions, m->funcs[f].name, f);
        }
    }
    for (unsigned f = 0; f < m->func_count && good; f++) {
        c.f = &m->funcs[f];
        good = body_is_valid(&c);
    }
    arena_free(&c.scratch);
    return good;
}
