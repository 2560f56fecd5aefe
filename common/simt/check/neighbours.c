/* neighbours.c - an index that leaves a shared or local array for the next array: both are the
 * block's, or the thread's, so no bounds of memory are broken. The text tells which array an
 * address was made of: its register is traced back to the one symbol that went into it; with none,
 * or with two, nothing is claimed.
 *
 * Local arrays of a function are one variable in PTX, the depot. Each is named once, by its place:
 * `add.u64 %rd5, %SPL, 32`. So it ends where the next one that is named begins, at the latest. */
#include "check/check_state.h"
#include "base/room.h"
#include "watch/describe_access.h"

#include "base/demangle.h"
#include "ir/address.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_ARRAY = -1, TWO_ARRAYS = -2, FIRST_LOCAL = -3 }; /* of local ones -3, -4, ... */

struct array_search {
    struct check *c;
    const struct kernel *k;
    const struct function_ir *ir; /* of the kernel's one function */
    const struct ptx_var *depot;  /* NULL: none, or several */
    bool *seen;                   /* registers */
};

static int array_named(const struct kernel *k, const char *name)
{
    for (unsigned i = 0; i < k->shared_variable_count; i++) {
        if (strcmp(k->shared_variables[i].name, name) == 0) {
            return (int)i;
        }
    }
    return NO_ARRAY;
}

static int both(int a, int b)
{
    return a == NO_ARRAY || a == b ? b : b == NO_ARRAY ? a : TWO_ARRAYS;
}

/* ---- local arrays ---------------------------------------------------------------------------- */

static const struct ptx_var *find_depot(const struct ptx_func *f)
{
    const struct ptx_var *only = NULL;
    for (unsigned i = 0; i < f->var_count; i++) {
        if (f->vars[i].space == PTX_LOCAL) {
            if (only != NULL) {
                return NULL;
            }
            only = &f->vars[i];
        }
    }
    return only;
}

/* Does the register hold the address of the depot, local or generic, and nothing else? */
static bool is_depot(const struct array_search *t, const struct ptx_operand *o)
{
    const bool named = t->depot != NULL && o->kind == PTX_OPERAND_REG && o->reg != PTX_NO_REG;
    const uint32_t writer = named ? ir_only_writer(t->ir, o->reg) : IR_NONE;
    const struct ptx_insn *i = writer != IR_NONE ? t->ir->insns[writer].text : NULL;
    return i != NULL && i->operand_count == 2 &&
           (i->op == PTX_OP_MOV ? i->operands[1].kind == PTX_OPERAND_SYMBOL &&
                                      strcmp(i->operands[1].name, t->depot->name) == 0
                                : i->op == PTX_OP_CVTA && is_depot(t, &i->operands[1]));
}

/* `add R, depot, PLACE` */
static bool names_local(const struct array_search *t, const struct ptx_insn *i, uint32_t *place)
{
    if (i->op != PTX_OP_ADD || i->operand_count != 3 || !is_depot(t, &i->operands[1]) ||
        i->operands[2].kind != PTX_OPERAND_INT || i->operands[2].bits >= t->depot->bytes) {
        return false;
    }
    *place = (uint32_t)i->operands[2].bits;
    return true;
}

static int local_at(const struct check *c, uint32_t place)
{
    for (unsigned i = 0; i < c->local_array_count; i++) {
        if (c->local_arrays[i].offset == place) {
            return FIRST_LOCAL - (int)i;
        }
    }
    return TWO_ARRAYS;
}

static void find_locals(struct array_search *t)
{
    struct check *c = t->c;
    uint32_t place;
    c->local_array_count = 0;
    for (uint32_t i = 0; i < t->ir->insn_count; i++) {
        if (names_local(t, t->ir->insns[i].text, &place) && local_at(c, place) == TWO_ARRAYS &&
            c->local_array_count < MOST_LOCAL_ARRAYS) {
            c->local_arrays[c->local_array_count++].offset = place;
        }
    }
    if (c->local_array_count == MOST_LOCAL_ARRAYS) {
        c->local_array_count = 0; /* more than are kept: nothing is known of any */
    }
    for (unsigned i = 0; i < c->local_array_count; i++) {
        uint32_t end = (uint32_t)t->depot->bytes, own = c->local_arrays[i].offset;
        for (unsigned k = 0; k < c->local_array_count; k++) {
            uint32_t other = c->local_arrays[k].offset;
            end = other > own && other < end ? other : end;
        }
        c->local_arrays[i].bytes = end - own;
    }
}

/* ---- which array an address is made of ------------------------------------------------------- */

static int array_of_register(struct array_search *t, uint32_t reg);

static int array_of_operand(struct array_search *t, const struct ptx_operand *o)
{
    if (is_depot(t, o)) {
        return TWO_ARRAYS; /* any of them */
    }
    if (o->reg != PTX_NO_REG && (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_MEMORY)) {
        return array_of_register(t, o->reg);
    }
    bool named = o->kind == PTX_OPERAND_SYMBOL || o->kind == PTX_OPERAND_MEMORY;
    return named && o->name != NULL ? array_named(t->k, o->name) : NO_ARRAY;
}

static int array_of_register(struct array_search *t, uint32_t reg)
{
    int found = NO_ARRAY;
    if (t->seen[reg]) {
        return NO_ARRAY;
    }
    t->seen[reg] = true;
    const struct ir_reg *r = &t->ir->regs[reg];
    for (uint32_t w = 0; w < r->writer_count && found != TWO_ARRAYS; w++) {
        const struct ptx_insn *i = t->ir->insns[t->ir->writers[r->first_writer + w]].text;
        uint32_t place;
        if (i->operands[0].kind != PTX_OPERAND_REG) {
            continue; /* one of several results: a part of an address at most */
        }
        if (names_local(t, i, &place)) {
            found = both(found, local_at(t->c, place));
            continue;
        }
        for (unsigned o = 1; address_passes_through(i->op) && o < i->operand_count; o++) {
            found = both(found, array_of_operand(t, &i->operands[o]));
        }
    }
    return found;
}

static int array_of_access(struct array_search *t, uint32_t pc)
{
    const struct ptx_insn *i = t->k->origin[pc];
    memset(t->seen, 0, t->ir->reg_count * sizeof *t->seen);
    for (unsigned o = 0; o < i->operand_count; o++) {
        if (i->operands[o].kind == PTX_OPERAND_MEMORY) {
            return array_of_operand(t, &i->operands[o]);
        }
    }
    return NO_ARRAY;
}

void neighbours_inspect(struct check *c, const struct kernel *k)
{
    struct array_search t = {.c = c, .k = k, .ir = k->funcs[0]->ir};
    t.depot = k->func_count == 1 ? find_depot(k->ptx) : NULL;
    t.seen = room_new(t.ir->reg_count, sizeof *t.seen);
    find_locals(&t);
    const bool several = k->shared_variable_count > 1 || c->local_array_count > 0;
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const struct ptx_insn *i = k->origin[pc];
        bool accesses = i != NULL && op_table[i->op].memory != MEMORY_NONE;
        bool traced = accesses && k->func_count == 1 && several;
        int array = traced ? array_of_access(&t, pc) : NO_ARRAY;
        bool known = array != TWO_ARRAYS && array < INT16_MAX;
        c->infos[pc].array = (int16_t)(known ? array : NO_ARRAY);
    }
    free(t.seen);
}

/* ---- telling --------------------------------------------------------------------------------- */

/* The array, and what lies `at` where the access was, in words. */
static void describe_both(struct check *c, int array, uint64_t address, char *own, char *other,
                          size_t size)
{
    uint64_t offset;
    if (array >= 0) {
        const struct shared_variable *v = &c->launch.kernel->shared_variables[array];
        describe_array_name(&c->launch, PTX_SHARED, v->offset, own, size, &offset);
        describe_array(&c->launch, PTX_SHARED, address, other, size);
        return;
    }
    snprintf(own, size, "a local array");
    snprintf(other, size, "behind the thread's local variables");
    for (unsigned i = 0; i < c->local_array_count; i++) {
        const struct local_array *a = &c->local_arrays[i];
        if (address - a->offset < a->bytes) {
            snprintf(other, size, "another local array, byte %" PRIu64, address - a->offset);
        }
    }
}

static struct local_array extent_of(const struct check *c, int array)
{
    if (array <= FIRST_LOCAL) {
        return c->local_arrays[FIRST_LOCAL - array];
    }
    const struct shared_variable *v = &c->launch.kernel->shared_variables[array];
    return (struct local_array){v->offset, v->bytes};
}

static void tell(struct check *c, const struct warp *w, const struct access_event *e, unsigned lane,
                 int array)
{
    const struct kernel *k = c->launch.kernel;
    const struct local_array v = extent_of(c, array);
    uint64_t key = k->serial << 8 | 0xf0u;
    uint64_t address = e->address[lane];
    if (!turn_has_come(w->block) || findings_count(c->findings, key, e->pc, (uint32_t)array)) {
        return;
    }
    char kernel[256], own[448], other[448], line[256], thread[96], identity[1024], text[2048];
    demangle_signature(k->name, kernel, sizeof kernel);
    describe_both(c, array, address, own, other, sizeof own);
    describe_line_of(k, e->pc, line, sizeof line);
    describe_thread(c->launch.launch, (uint32_t)w->block->number, w->number * WARP_LANES + lane,
                    thread, sizeof thread);
    snprintf(identity, sizeof identity, "overflow %s|%s|%s", kernel, line, own);
    snprintf(text, sizeof text,
             "simt: overflow in kernel %s: %s of %u bytes: %s at %s by %s at byte %" PRId64
             ", outside of it; that is %s. Cure: an index within the array",
             kernel, own, v.bytes,
             e->kind == ACCESS_LOAD    ? "read"
             : e->kind == ACCESS_STORE ? "written"
                                       : "updated",
             line, thread, (int64_t)(address - v.offset), other);
    findings_add(c->findings, key, e->pc, (uint32_t)array, identity, text);
}

bool neighbours_stay(const struct check *c, const struct shared_access *a)
{
    const int array = c->infos[a->pc].array;
    if (array < 0) {
        return true;
    }
    const struct shared_variable *v = &c->launch.kernel->shared_variables[array];
    return a->low >= v->offset && (v->bytes == 0 || a->high <= (uint64_t)v->offset + v->bytes);
}

void neighbours_access(struct check *c, const struct warp *w, const struct access_event *e)
{
    const int array = c->infos[e->pc].array;
    if (array == NO_ARRAY || e->space != (array <= FIRST_LOCAL ? PTX_LOCAL : PTX_SHARED) ||
        e->kind == ACCESS_COPY_READ) {
        return;
    }
    const struct local_array v = extent_of(c, array);
    if (e->low >= v.offset && (v.bytes == 0 || e->high <= (uint64_t)v.offset + v.bytes)) {
        return;
    }
    for (lane_mask left = e->lanes; left != 0; left &= left - 1) {
        unsigned lane = first_lane(left);
        uint64_t at = e->address[lane] - v.offset;
        bool inside =
            v.bytes == 0 ? e->address[lane] >= v.offset : at + e->bytes <= v.bytes && at < v.bytes;
        if (!inside) {
            tell(c, w, e, lane, array);
            return;
        }
    }
}
