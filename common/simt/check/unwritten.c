/* unwritten.c - see unwritten.h. */
#include "check/unwritten.h"
#include "base/room.h"

#include "ir/address.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BASES = 62 };
#define UNKNOWN (UINT64_C(1) << 63) /* a pointer that came from memory, a call, or too many */

/* What a pointer is made of: a parameter, or the address of a variable. */
struct base {
    bool is_param;
    uint64_t value; /* offset of the parameter; address */
};

struct unwritten {
    uint64_t kernel; /* serial of the one that is known, */
    uint32_t room;   /* room for so many code indices */
    uint64_t *loads; /* per code index of a load: what its address is made of; 0: it is none */
    struct quiet_range *quiet;
    uint64_t written; /* what all stores' and atomics' addresses are made of */
    struct base bases[MOST_BASES];
    unsigned base_count;
};

struct unwritten *unwritten_open(void) { return room_new(1, sizeof(struct unwritten)); }

void unwritten_close(struct unwritten *u)
{
    if (u != NULL) {
        free(u->loads);
        free(u->quiet);
        free(u);
    }
}

/* ---- what registers are made of -------------------------------------------------------------- */

static uint64_t base_bit(struct unwritten *u, bool is_param, uint64_t value)
{
    unsigned i = 0;
    while (i < u->base_count && (u->bases[i].is_param != is_param || u->bases[i].value != value)) {
        i++;
    }
    if (i == MOST_BASES) {
        return UNKNOWN;
    }
    if (i == u->base_count) {
        u->bases[u->base_count++] = (struct base){is_param, value};
    }
    return UINT64_C(1) << i;
}

/* The decoder has put the address of a named variable into operand a, 64 bits wide for each lane.
 */
static uint64_t variable(struct unwritten *u, const struct kernel *k, const struct insn *in)
{
    uint64_t address;
    const uint64_t at = in->a & ~3u;
    if (in->a == NO_REF || (in->a & 3u) != REF_CONST || at + sizeof address > k->constant_bytes) {
        return UNKNOWN;
    }
    memcpy(&address, k->constants + at, sizeof address);
    return base_bit(u, false, address);
}

static uint64_t sources(const uint64_t *made_of, const struct ptx_insn *i)
{
    uint64_t sum = 0;
    for (unsigned o = 1; o < i->operand_count; o++) {
        const struct ptx_operand *x = &i->operands[o];
        if (x->item_count > 0 || x->kind == PTX_OPERAND_SYMBOL) {
            return UNKNOWN;
        }
        sum |= x->kind == PTX_OPERAND_REG && x->reg != PTX_NO_REG ? made_of[x->reg] : 0;
    }
    return sum;
}

/* What the instruction makes its 64-bit result of. */
static uint64_t result_of(struct unwritten *u, const struct kernel *k, uint32_t pc,
                          const uint64_t *made_of)
{
    const struct ptx_insn *i = k->origin[pc];
    const struct insn *in = &k->code[pc];
    if (k->handlers[pc]->kind == KIND_PARAM && in->elements == 1) {
        return in->bytes == 8 ? base_bit(u, true, (uint64_t)in->offset) : 0;
    }
    if (i->op == PTX_OP_MOV && i->operand_count == 2 && i->operands[1].kind == PTX_OPERAND_SYMBOL) {
        return variable(u, k, in);
    }
    return address_passes_through(i->op) ? sources(made_of, i) : UNKNOWN;
}

static void mark_operand(const struct function_ir *ir, const struct ptx_operand *o, uint64_t what,
                         uint64_t *made_of, bool *changed)
{
    for (unsigned n = 0; n < o->item_count; n++) {
        mark_operand(ir, &o->items[n], what, made_of, changed);
    }
    if (o->kind == PTX_OPERAND_REG && o->reg != PTX_NO_REG &&
        ptx_type_bytes(ir->regs[o->reg].type) == 8 && (made_of[o->reg] | what) != made_of[o->reg]) {
        made_of[o->reg] |= what;
        *changed = true;
    }
}

static void trace_registers(struct unwritten *u, const struct kernel *k, uint64_t *made_of)
{
    const struct function_ir *ir = k->funcs[0]->ir;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = 0; pc < k->code_count; pc++) {
            const struct ptx_insn *i = kernel_executes(k, pc);
            if (i == NULL || i->operand_count == 0 || op_table[i->op].writes == WRITES_NOTHING) {
                continue;
            }
            uint64_t what = op_table[i->op].writes == WRITES_FIRST && i->operands[0].item_count == 0
                                ? result_of(u, k, pc, made_of)
                                : UNKNOWN;
            mark_operand(ir, &i->operands[0], what, made_of, &changed);
        }
    }
}

/* ---- accesses -------------------------------------------------------------------------------- */

static uint64_t address_of(struct unwritten *u, const struct kernel *k, uint32_t pc,
                           const uint64_t *made_of)
{
    const struct ptx_insn *i = k->origin[pc];
    for (unsigned o = 0; o < i->operand_count; o++) {
        const struct ptx_operand *x = &i->operands[o];
        if (x->kind == PTX_OPERAND_MEMORY) {
            uint64_t what = x->reg != PTX_NO_REG ? made_of[x->reg] : variable(u, k, &k->code[pc]);
            return what != 0 ? what : UNKNOWN;
        }
    }
    return UNKNOWN;
}

static void note_access(struct unwritten *u, const struct kernel *k, uint32_t pc,
                        const uint64_t *made_of)
{
    const enum op_memory memory = op_table[k->origin[pc]->op].memory;
    const unsigned space = k->code[pc].space;
    if (memory == MEMORY_NONE || (space != PTX_GLOBAL && space != PTX_GENERIC)) {
        return;
    }
    if (memory != MEMORY_READS) {
        u->written |= address_of(u, k, pc, made_of);
    } else if (k->origin[pc]->op == PTX_OP_LD) {
        u->loads[pc] = address_of(u, k, pc, made_of);
    }
}

static void inspect(struct unwritten *u, const struct kernel *k)
{
    if (u->room < k->code_count) {
        free(u->loads);
        free(u->quiet);
        u->room = k->code_count;
        u->loads = room_new(u->room, sizeof *u->loads);
        u->quiet = room_new(u->room, sizeof *u->quiet);
    }
    memset(u->loads, 0, u->room * sizeof *u->loads);
    u->kernel = k->serial;
    u->base_count = 0;
    u->written = k->func_count == 1 ? 0 : UNKNOWN;
    if (u->written == 0) {
        uint64_t *made_of = room_new(k->funcs[0]->ir->reg_count + 1u, sizeof *made_of);
        trace_registers(u, k, made_of);
        for (uint32_t pc = 0; pc < k->code_count; pc++) {
            if (kernel_executes(k, pc) != NULL) {
                note_access(u, k, pc, made_of);
            }
        }
        free(made_of);
    }
}

/* ---- a launch -------------------------------------------------------------------------------- */

static const struct allocation *allocation_of(const struct launch_event *launch,
                                              const struct base *b)
{
    uint64_t address = b->value;
    if (b->is_param) {
        memcpy(&address, (const uint8_t *)launch->launch->params + b->value, sizeof address);
    }
    return memory_find(launch->memory, address);
}

const struct quiet_range *unwritten_of(struct unwritten *u, const struct launch_event *launch,
                                       bool (*keeps)(void *state, const struct allocation *a),
                                       void *state)
{
    const struct allocation *of[MOST_BASES];
    bool good[MOST_BASES];
    if (u->kernel != launch->kernel->serial) {
        inspect(u, launch->kernel);
    }
    if (u->written & UNKNOWN) {
        return NULL;
    }
    for (unsigned i = 0; i < u->base_count; i++) {
        of[i] = allocation_of(launch, &u->bases[i]);
        good[i] = of[i] != NULL && keeps(state, of[i]);
        for (unsigned j = 0; j < u->base_count; j++) {
            bool may_be_written = u->written >> j & 1u;
            good[i] &= !may_be_written || of[i] != allocation_of(launch, &u->bases[j]);
        }
    }
    for (uint32_t pc = 0; pc < launch->kernel->code_count; pc++) {
        const struct allocation *only = NULL;
        bool quiet = u->loads[pc] != 0 && !(u->loads[pc] & UNKNOWN);
        for (unsigned i = 0; quiet && i < u->base_count; i++) {
            if (u->loads[pc] >> i & 1u && of[i] != NULL) {
                quiet = good[i] && (only == NULL || only == of[i]);
                only = of[i];
            }
        }
        quiet &= only != NULL;
        u->quiet[pc] = quiet ? (struct quiet_range){only->begin, only->begin + only->bytes}
                             : (struct quiet_range){0, 0};
    }
    return u->quiet;
}
