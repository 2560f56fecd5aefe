/* neighbours.c - a shared array that is left for its neighbour: both are the block's, so no bounds
 * of memory are broken. The text tells which array an address was made of: its register is traced
 * back to the one symbol that went into it; with none, or with two, nothing is claimed. */
#include "observe/check_state.h"
#include "observe/describe_access.h"

#include "base/demangle.h"
#include "ir/ops.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_ARRAY = -1, TWO_ARRAYS = -2 };

struct array_search {
    const struct kernel *k;
    uint32_t *first, *next; /* per register, per code index: who writes it; index + 1 */
    bool *seen;             /* registers */
    uint32_t regs;
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

/* Work that makes an address of an address; what memory or another lane gave is none we know. */
static bool carries_addresses(enum ptx_op op)
{
    const enum op_class class = op_table[op].class;
    return class == CLASS_ARITHMETIC || class == CLASS_PRODUCT || class == CLASS_MOVE ||
           class == CLASS_CONVERSION || class == CLASS_LOGIC || class == CLASS_COMPARISON;
}

static int array_of_register(struct array_search *t, uint32_t reg);

static int array_of_operand(struct array_search *t, const struct ptx_operand *o)
{
    if (o->reg != PTX_NO_REG && (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_MEMORY)) {
        return array_of_register(t, o->reg);
    }
    bool named = o->kind == PTX_OPERAND_SYMBOL || o->kind == PTX_OPERAND_MEMORY;
    return named && o->name != NULL ? array_named(t->k, o->name) : NO_ARRAY;
}

static int array_of_register(struct array_search *t, uint32_t reg)
{
    int found = NO_ARRAY;
    if (reg >= t->regs || t->seen[reg]) {
        return NO_ARRAY;
    }
    t->seen[reg] = true;
    for (uint32_t at = t->first[reg]; at != 0 && found != TWO_ARRAYS; at = t->next[at - 1]) {
        const struct ptx_insn *i = t->k->origin[at - 1];
        for (unsigned o = 1; carries_addresses(i->op) && o < i->operand_count; o++) {
            found = both(found, array_of_operand(t, &i->operands[o]));
        }
    }
    return found;
}

static void index_writers(struct array_search *t)
{
    for (uint32_t pc = t->k->code_count; pc-- > 0;) {
        const struct ptx_insn *i = t->k->origin[pc];
        if (i != NULL && i->operand_count > 0 && i->operands[0].kind == PTX_OPERAND_REG &&
            i->operands[0].reg < t->regs && op_table[i->op].writes == WRITES_FIRST) {
            t->next[pc] = t->first[i->operands[0].reg];
            t->first[i->operands[0].reg] = pc + 1;
        }
    }
}

static uint32_t count_registers(const struct kernel *k)
{
    uint32_t most = 0;
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const struct ptx_insn *i = k->origin[pc];
        for (unsigned o = 0; i != NULL && o < i->operand_count; o++) {
            uint32_t reg = i->operands[o].reg;
            most = reg != PTX_NO_REG && reg + 1 > most ? reg + 1 : most;
        }
    }
    return most;
}

static int array_of_access(struct array_search *t, uint32_t pc)
{
    const struct ptx_insn *i = t->k->origin[pc];
    memset(t->seen, 0, t->regs * sizeof *t->seen);
    for (unsigned o = 0; o < i->operand_count; o++) {
        if (i->operands[o].kind == PTX_OPERAND_MEMORY) {
            return array_of_operand(t, &i->operands[o]);
        }
    }
    return NO_ARRAY;
}

void neighbours_inspect(struct check *c, const struct kernel *k)
{
    struct array_search t = {.k = k, .regs = count_registers(k)};
    t.first = calloc(t.regs + 1u, sizeof *t.first);
    t.next = calloc(k->code_count + 1u, sizeof *t.next);
    t.seen = calloc(t.regs + 1u, sizeof *t.seen);
    if (t.first == NULL || t.next == NULL || t.seen == NULL) {
        abort();
    }
    index_writers(&t);
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const struct ptx_insn *i = k->origin[pc];
        bool accesses = i != NULL && op_table[i->op].memory != MEMORY_NONE;
        bool traced = accesses && k->func_count == 1 && k->shared_variable_count > 1;
        int array = traced ? array_of_access(&t, pc) : NO_ARRAY;
        c->infos[pc].array = (int16_t)(array >= 0 && array < INT16_MAX ? array : NO_ARRAY);
    }
    free(t.first);
    free(t.next);
    free(t.seen);
}

static void tell(struct check *c, const struct warp *w, const struct access_event *e, unsigned lane,
                 const struct shared_variable *v)
{
    const struct kernel *k = c->launch.kernel;
    uint64_t key = k->serial << 8 | 0xf0u, offset;
    uint64_t address = e->address[lane];
    if (findings_count(c->findings, key, e->pc, (uint32_t)(v - k->shared_variables))) {
        return;
    }
    char kernel[256], own[384], other[448], line[128], thread[96], identity[1024], text[2048];
    demangle_signature(k->name, kernel, sizeof kernel);
    describe_array_name(&c->launch, PTX_SHARED, v->offset, own, sizeof own, &offset);
    describe_array(&c->launch, PTX_SHARED, address, other, sizeof other);
    describe_line_of(k, e->pc, line, sizeof line);
    describe_thread(c->launch.launch, (uint32_t)w->block->number, w->number * WARP_LANES + lane,
                    thread, sizeof thread);
    snprintf(identity, sizeof identity, "overflow %s|%s|%s", kernel, line, own);
    snprintf(text, sizeof text,
             "simt: overflow in kernel %s: %s of %u bytes: %s at %s by %s at byte %" PRId64
             ", outside of it; that is %s. Cure: an index within the array",
             kernel, own, v->bytes,
             e->kind == ACCESS_LOAD    ? "read"
             : e->kind == ACCESS_STORE ? "written"
                                       : "updated",
             line, thread, (int64_t)(address - v->offset), other);
    findings_add(c->findings, key, e->pc, (uint32_t)(v - k->shared_variables), identity, text);
}

bool neighbours_may_load(const struct check *c, const struct shared_load *load)
{
    const int array = c->infos[load->pc].array;
    if (array < 0) {
        return true;
    }
    const struct shared_variable *v = &c->launch.kernel->shared_variables[array];
    return load->low >= v->offset &&
           (v->bytes == 0 || load->high <= (uint64_t)v->offset + v->bytes);
}

void neighbours_access(struct check *c, const struct warp *w, const struct access_event *e)
{
    const int array = c->infos[e->pc].array;
    if (array < 0 || e->space != PTX_SHARED || e->kind == ACCESS_COPY_READ) {
        return;
    }
    const struct shared_variable *v = &c->launch.kernel->shared_variables[array];
    if (e->low >= v->offset && (v->bytes == 0 || e->high <= (uint64_t)v->offset + v->bytes)) {
        return;
    }
    for (lane_mask left = e->lanes; left != 0; left &= left - 1) {
        unsigned lane = first_lane(left);
        uint64_t at = e->address[lane] - v->offset;
        bool inside = v->bytes == 0 ? e->address[lane] >= v->offset
                                    : at + e->bytes <= v->bytes && at < v->bytes;
        if (!inside) {
            tell(c, w, e, lane, v);
            return;
        }
    }
}
