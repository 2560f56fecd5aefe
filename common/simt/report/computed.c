/* computed.c - see computed.h. */
#include "report/computed_state.h"

#include "base/demangle.h"
#include "report/assigned.h"
#include "report/result.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 3 };

/* --- what texts depend on --------------------------------------------------------------------- */

static unsigned variable_index(const struct computed *c, const char *name)
{
    unsigned i = 0;
    while (i < c->variable_count && strcmp(c->variables[i], name) != 0) {
        i++;
    }
    return i;
}

static void note_write(struct computed *c, const char *name, unsigned *capacity)
{
    const unsigned at = variable_index(c, name);
    if (at == c->variable_count) {
        unsigned same = *capacity;
        c->variables = arena_grow(c->of.arena, c->variables, at, capacity, sizeof *c->variables);
        c->writes = arena_grow(c->of.arena, c->writes, at, &same, sizeof *c->writes);
        c->variables[c->variable_count++] = name;
        c->writes[at] = 0;
    }
    c->writes[at]++;
}

static void list_variables(struct computed *c)
{
    const struct function_ir *ir = c->of.ir;
    unsigned capacity = 0;
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        for (uint32_t k = 0; k < ir->insns[i].written; k++) {
            const char *name = c->of.results[ir->insns[i].refs + k];
            if (name != NULL) {
                note_write(c, name, &capacity);
            }
        }
    }
}

struct change {
    const struct computed *c;
    const struct expression *e;
};

static bool is_changed(void *state, uint32_t insn)
{
    const struct change *x = state;
    const struct function_ir *ir = x->c->of.ir;
    const struct op_info *op = ir_info(ir, insn);
    for (unsigned i = 0; i < x->e->variable_count; i++) {
        if (result_writes(x->c->of.ir, x->c->of.results, insn, x->e->variables[i])) {
            return true;
        }
    }
    const bool writes = op->memory != MEMORY_NONE && op->memory != MEMORY_READS;
    return x->e->from_memory && (writes || (op->traits & OP_PARTS_MERGES) != 0);
}

/* Does what held behind `from` hold in front of `to`? Of registers that are written once, and of
 * variables that are, the one write comes first. */
static bool still_holds(struct computed *c, const struct expression *e, uint32_t from, uint32_t to,
                        bool written_once)
{
    bool fixed = !e->from_memory;
    for (unsigned i = 0; i < e->variable_count; i++) {
        fixed = fixed && written_once && c->writes[variable_index(c, e->variables[i])] == 1;
    }
    struct change change = {c, e};
    return fixed || reached_unchanged(&c->reached, from, to, is_changed, &change);
}

/* --- operands --------------------------------------------------------------------------------- */

bool computed_keep(struct computed *c, struct expression *e, const char *text,
                   enum expression_level level)
{
    if (strlen(text) + 1 >= EXPRESSION_TEXT) {
        return false;
    }
    struct expression kept = expression_text(arena_strndup(c->of.arena, text, strlen(text)), level);
    const bool fits = expression_depend(&kept, e);
    *e = kept;
    return fits;
}

static const char *file_of(const struct computed *c, uint32_t insn)
{
    const struct ptx_loc *loc = c->of.ir->insns[insn].text->loc;
    const struct ptx_module *m = c->of.k->module;
    return loc->file < m->file_count ? m->files[loc->file] : NULL;
}

void computed_note_unsigned(struct computed *c, const char *name)
{
    if (!computed_is_unsigned(c, name, strlen(name))) {
        c->unsigned_names = arena_grow(c->of.arena, c->unsigned_names, c->unsigned_count,
                                       &c->unsigned_capacity, sizeof *c->unsigned_names);
        c->unsigned_names[c->unsigned_count++] = name;
    }
}

bool computed_is_unsigned(const struct computed *c, const char *name, size_t length)
{
    for (unsigned i = 0; i < c->unsigned_count; i++) {
        if (strlen(c->unsigned_names[i]) == length &&
            strncmp(c->unsigned_names[i], name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* A variable of 64 bits may be a pointer, whose sums count elements: only numbers are terms. */
static bool name_value(struct computed *c, uint32_t insn, uint32_t reg, const char *name,
                       struct expression *e)
{
    bool is_unsigned = false;
    const char *file = file_of(c, insn);
    const unsigned line = c->of.ir->insns[insn].text->loc->line;
    const bool is_scalar = file != NULL && assigned_is_scalar(file, line, name, &is_unsigned);
    if (ptx_type_bytes(c->of.ir->regs[reg].type) == 8 && !is_scalar) {
        return false;
    }
    if (is_unsigned) {
        computed_note_unsigned(c, name);
    }
    *e = expression_text(name, LEVEL_NAME);
    e->is_bits = !is_scalar && file != NULL && assigned_is_half(file, line, name);
    return expression_depends_on(e, c->variables[variable_index(c, name)]);
}

struct holder {
    const struct computed *c;
    uint32_t reg;
    const char *name;
};

static enum reached_step look_for_holder(void *state, uint32_t insn)
{
    const struct holder *h = state;
    const struct function_ir *ir = h->c->of.ir;
    if (ir_writes(ir, insn, h->reg)) {
        const char *written = result_variable(ir, h->c->of.results, insn, h->reg);
        return written != NULL && strcmp(written, h->name) == 0 ? STEP_STOP : STEP_FAIL;
    }
    const struct ir_regs from = ir_read(ir, insn);
    const bool copy = ir_op(ir, insn) == PTX_OP_MOV && from.count == 1 && from.reg[0] == h->reg;
    return result_writes(ir, h->c->of.results, insn, h->name) && !copy ? STEP_FAIL : STEP_ON;
}

/* The variable whose value the register has in front of the instruction; NULL: none. A variable may
 * have gone on to another register since. */
static const char *variable_in(struct computed *c, uint32_t insn, uint32_t reg)
{
    const uint32_t writer = reached_writer(&c->reached, insn, reg);
    const char *name = writer != IR_NONE ? result_variable(c->of.ir, c->of.results, writer, reg)
                                         : c->of.names[reg];
    if (name == NULL) {
        return NULL;
    }
    if (writer != IR_NONE && c->of.ir->regs[reg].writer_count == 1 &&
        c->writes[variable_index(c, name)] == 1) {
        return name;
    }
    struct holder h = {c, reg, name};
    return reached_all_ways(&c->reached, insn, look_for_holder, &h) ? name : NULL;
}

static bool register_value(struct computed *c, uint32_t insn, uint32_t reg, struct expression *e)
{
    const uint32_t writer = reached_writer(&c->reached, insn, reg);
    const bool once = c->of.ir->regs[reg].writer_count == 1;
    const struct expression *known = writer != IR_NONE ? c->values[writer] : NULL;
    const bool holds = known != NULL && still_holds(c, known, writer, insn, once);
    if (holds && known->root != NULL) {
        *e = *known;
        return true;
    }
    if (c->moves[reg] != NULL) {
        *e = expression_address(c->moves[reg]);
        e->somewhere = true;
        return true;
    }
    const char *variable = variable_in(c, insn, reg);
    if (variable != NULL) {
        return name_value(c, insn, reg, variable, e);
    }
    if (holds) {
        *e = *known;
    }
    return holds;
}

static const struct expression_root *keep_root(struct computed *c, const char *name,
                                               const struct declared *is)
{
    struct expression_root *root = arena_alloc(c->of.arena, sizeof *root);
    root->name = arena_strndup(c->of.arena, name, strlen(name));
    root->is = *is;
    return root;
}

static uint64_t bytes_of(const struct computed *c, const char *symbol)
{
    const struct ptx_func *f = c->of.ir->func;
    const struct ptx_module *m = c->of.k->module;
    for (unsigned i = 0; i < f->var_count; i++) {
        if (strcmp(f->vars[i].name, symbol) == 0) {
            return f->vars[i].bytes;
        }
    }
    for (unsigned i = 0; i < m->var_count; i++) {
        if (strcmp(m->vars[i].name, symbol) == 0) {
            return m->vars[i].bytes;
        }
    }
    return 0;
}

bool computed_symbol(struct computed *c, const struct ptx_operand *o, struct expression *e)
{
    char name[128];
    struct declared is = {0};
    if (o->name == NULL || strncmp(o->name, "__local_depot", 13) == 0) {
        return false;
    }
    demangle_last_name(o->name, name, sizeof name);
    if (strlen(name) > 40 || name[0] == '$' || name[0] == '_') {
        return false; /* the compiler's own: the text of a string */
    }
    if (!declared_array(&c->of.declared, name, bytes_of(c, o->name), &is)) {
        is = (struct declared){0};
    }
    *e = expression_address(keep_root(c, name, &is));
    e->constant = (int64_t)o->bits;
    return true;
}

static bool float_value(struct computed *c, const struct ptx_operand *o, struct expression *e)
{
    char text[40];
    double value;
    float single;
    const uint32_t low = (uint32_t)o->bits;
    memcpy(&value, &o->bits, sizeof value);
    memcpy(&single, &low, sizeof single);
    value = o->is_double ? value : (double)single;
    if (value != value || value - value != 0) {
        return false; /* no number that C can write */
    }
    snprintf(text, sizeof text, o->is_double ? "%.17g" : "%.9g", value);
    const bool whole = strpbrk(text, ".e") == NULL;
    strcat(text, whole ? ".0" : "");
    strcat(text, o->is_double ? "" : "f");
    *e = expression_number(0);
    return computed_keep(c, e, text, text[0] == '-' ? LEVEL_SIGN : LEVEL_NAME);
}

bool computed_operand(struct computed *c, uint32_t insn, const struct ptx_operand *o,
                      struct expression *e)
{
    char text[EXPRESSION_TEXT + 1];
    switch (o->kind) {
    case PTX_OPERAND_INT:
        *e = expression_number((int64_t)o->bits);
        return true;
    case PTX_OPERAND_FLOAT:
        return float_value(c, o, e);
    case PTX_OPERAND_SYMBOL:
        return computed_symbol(c, o, e);
    case PTX_OPERAND_REG:
        if (o->reg == PTX_NO_REG || o->part != NULL || !register_value(c, insn, o->reg, e)) {
            return false;
        }
        if (!o->negated) {
            return true;
        }
        text[0] = '!';
        return expression_operand(e, LEVEL_SIGN, text + 1) && computed_keep(c, e, text, LEVEL_SIGN);
    default:
        return false;
    }
}

/* --- pointers that move ----------------------------------------------------------------------- */

/* Some write of the register, of several, that is known to be an address. */
static const struct expression_root *some_root(const struct computed *c, const struct ir_reg *r)
{
    for (uint32_t i = 0; i < r->writer_count; i++) {
        const struct expression *e = c->values[c->of.ir->writers[r->first_writer + i]];
        if (e != NULL && e->root != NULL) {
            return e->root;
        }
    }
    return NULL;
}

static bool all_point_there(const struct computed *c, const struct ir_reg *r,
                            const struct expression_root *root)
{
    for (uint32_t i = 0; i < r->writer_count; i++) {
        const struct expression *e = c->values[c->of.ir->writers[r->first_writer + i]];
        if (e == NULL || e->root == NULL || strcmp(e->root->name, root->name) != 0) {
            return false;
        }
    }
    return true;
}

static void find_values(struct computed *c)
{
    struct expression e;
    for (uint32_t i = 0; i < c->of.ir->insn_count; i++) {
        c->values[i] = NULL;
        if (ir_written(c->of.ir, i).count == 1 && c->of.value(c, i, &e)) {
            struct expression *kept = arena_alloc(c->of.arena, sizeof *kept);
            *kept = e;
            c->values[i] = kept;
        }
    }
}

/* A pointer that goes through an array in a loop: it is supposed to stay in it, and what does not
 * follow then is taken back. */
static void find_moves(struct computed *c)
{
    const struct function_ir *ir = c->of.ir;
    for (uint32_t r = 0; r < ir->reg_count; r++) {
        c->moves[r] = ir->regs[r].writer_count > 1 ? some_root(c, &ir->regs[r]) : NULL;
    }
    for (bool again = true; again;) {
        again = false;
        find_values(c);
        for (uint32_t r = 0; r < ir->reg_count; r++) {
            if (c->moves[r] != NULL && !all_point_there(c, &ir->regs[r], c->moves[r])) {
                c->moves[r] = NULL;
                again = true;
            }
        }
    }
}

struct computed *computed_new(const struct computed_of *of)
{
    struct computed *c = arena_alloc(of->arena, sizeof *c);
    const struct function_ir *ir = of->ir;
    *c = (struct computed){.of = *of};
    c->values = arena_alloc(of->arena, (ir->insn_count + 1) * sizeof *c->values);
    c->moves = arena_alloc(of->arena, (ir->reg_count + 1) * sizeof *c->moves);
    memset(c->values, 0, (ir->insn_count + 1) * sizeof *c->values);
    memset(c->moves, 0, (ir->reg_count + 1) * sizeof *c->moves);
    reached_init(&c->reached, ir, of->arena);
    list_variables(c);
    for (unsigned round = 0; round < ROUNDS; round++) { /* what a text needs may stand behind it */
        find_values(c);
    }
    find_moves(c);
    return c;
}

/* --- as text ---------------------------------------------------------------------------------- */

static const char *text_of(struct computed *c, const struct expression *e)
{
    char text[EXPRESSION_TEXT];
    enum expression_level level;
    const bool fits =
        e->root != NULL ? expression_write_address(e, text) : expression_write(e, text, &level);
    return fits ? arena_strndup(c->of.arena, text, strlen(text)) : NULL;
}

/* Register k of an access to several elements side by side. */
static const char *part_of_vector(struct computed *c, uint32_t insn, unsigned k)
{
    char text[EXPRESSION_TEXT];
    struct expression place;
    const struct ir_access a = ir_access_of(c->of.ir->insns[insn].text);
    const unsigned bytes = ptx_type_bytes(a.type);
    if (ir_info(c->of.ir, insn)->memory != MEMORY_READS || bytes == 0 ||
        ir_written(c->of.ir, insn).count != a.elements || !c->of.place(c, insn, &place)) {
        return NULL;
    }
    const struct expression step = expression_number((int64_t)k * bytes);
    return expression_add(&place, &step, 1) && expression_write_element(&place, bytes, text)
               ? arena_strndup(c->of.arena, text, strlen(text))
               : NULL;
}

const char *computed_result(struct computed *c, uint32_t insn, uint32_t reg)
{
    const struct ir_regs w = ir_written(c->of.ir, insn);
    if (c->values[insn] != NULL) {
        return text_of(c, c->values[insn]);
    }
    for (unsigned k = 0; k < w.count && w.count > 1; k++) {
        if (w.reg[k] == reg) {
            return part_of_vector(c, insn, k);
        }
    }
    return NULL;
}

const char *computed_source(struct computed *c, uint32_t insn, uint32_t reg)
{
    struct expression e;
    const char *variable = variable_in(c, insn, reg);
    if (variable != NULL) {
        return variable;
    }
    return register_value(c, insn, reg, &e) ? text_of(c, &e) : NULL;
}
