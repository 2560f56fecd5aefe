/* temps.c - see temps.h. */
#include "translate/temps.h"

#include "base/room.h"
#include "ir/ir.h"

#include <stdlib.h>

/* The code indices of an instruction of the text. */
struct range {
    uint32_t first, last; /* none: first is NO_PC */
};

static struct range *ranges_of(const struct kernel *k, uint32_t func)
{
    const struct function_ir *ir = k->funcs[func]->ir;
    struct range *ranges = room_raw(ir->insn_count + 1u, sizeof *ranges);
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        ranges[i] = (struct range){NO_PC, 0};
    }
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const struct code_source from = k->source[pc];
        if (from.func == func && from.insn != NO_REF && k->handlers[pc]->kind != KIND_ENTER) {
            struct range *r = &ranges[from.insn];
            r->first = r->first == NO_PC ? pc : r->first;
            r->last = pc;
        }
    }
    return ranges;
}

/* Is every use of the register one that is expanded, and moves one element of 32 or 64 bits if it
 * is an access to memory? Widens *all by the uses. */
static bool uses_are_expanded(const struct kernel *k, const struct temps_code *code,
                              const struct range *ranges, const uint32_t *uses, uint32_t count,
                              struct range *all)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct range r = ranges[uses[i]];
        if (r.first == NO_PC || r.first != r.last || !code[r.first].is_expanded) {
            return false;
        }
        const struct insn *in = &k->code[r.first];
        const bool is_access = k->handlers[r.first]->event != EVENT_QUIET;
        if (is_access && (in->elements != 1 || in->move > MOVE_64)) {
            return false;
        }
        all->first = r.first < all->first ? r.first : all->first;
        all->last = r.last > all->last ? r.last : all->last;
    }
    return true;
}

/* The interpreter never goes on between the first and the last use, which lie in one part. */
static bool stays_inside(const struct temps_code *code, struct range all)
{
    bool inside = true;
    for (uint32_t pc = all.first; pc <= all.last; pc++) {
        inside = inside && code[pc].is_expanded && code[pc].part == code[all.first].part;
    }
    return inside;
}

static bool is_temp(const struct kernel *k, uint32_t func, const struct temps_code *code,
                    const struct range *ranges, uint32_t reg)
{
    const struct function_ir *ir = k->funcs[func]->ir;
    const struct ir_reg *r = &ir->regs[reg];
    const uint32_t ref = k->funcs[func]->registers[reg];
    struct range all = {NO_PC, 0};
    if (ref == NO_REF || (ref & 3u) != REF_FRAME || r->type == PTX_PRED || r->writer_count == 0 ||
        !uses_are_expanded(k, code, ranges, ir->writers + r->first_writer, r->writer_count, &all) ||
        !uses_are_expanded(k, code, ranges, ir->readers + r->first_reader, r->reader_count, &all) ||
        !stays_inside(code, all)) {
        return false;
    }
    const uint32_t begins = k->source[all.first].insn;
    bool is_read_first = false;
    for (uint32_t i = 0; i < r->reader_count; i++) {
        is_read_first |= ir->readers[r->first_reader + i] == begins;
    }
    return !is_read_first && ir_writes(ir, begins, reg);
}

static bool is_among(struct ir_regs regs, uint32_t reg)
{
    bool found = false;
    for (unsigned i = 0; i < regs.count; i++) {
        found |= regs.reg[i] == reg;
    }
    return found;
}

/* Which register lies where in the frame: registers begin at multiples of 64 bytes. */
static uint32_t *owners_of(const struct kernel_func *kf)
{
    const uint32_t places = kf->frame_bytes / 64 + 1;
    uint32_t *owners = room_raw(places, sizeof *owners);
    for (uint32_t i = 0; i < places; i++) {
        owners[i] = NO_REF;
    }
    for (uint32_t reg = 0; reg < kf->ir->reg_count; reg++) {
        const uint32_t ref = kf->registers[reg];
        if (ref != NO_REF && (ref & 3u) == REF_FRAME) {
            owners[(ref & ~3u) / 64] = reg;
        }
    }
    return owners;
}

/* If the operand is a register that the instruction's text does not name, it is no variable: what
 * else uses it is not known from the text. A sum that ptxas joins with a product reads the
 * product's factors so. */
static void keep_unnamed(const struct kernel *k, uint32_t pc, const uint32_t *owners, uint32_t ref,
                         bool *is)
{
    const struct code_source from = k->source[pc];
    const struct kernel_func *kf = k->funcs[from.func];
    if (ref == NO_REF || (ref & 3u) != REF_FRAME || ref >= kf->frame_bytes) {
        return;
    }
    const uint32_t reg = owners[(ref & ~3u) / 64];
    if (reg != NO_REF && !is_among(ir_written(kf->ir, from.insn), reg) &&
        !is_among(ir_read(kf->ir, from.insn), reg)) {
        is[reg] = false;
    }
}

static void keep_all_unnamed(const struct kernel *k, uint32_t func, bool *is)
{
    uint32_t *owners = owners_of(k->funcs[func]);
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const struct insn *in = &k->code[pc];
        if (k->source[pc].func != func || k->source[pc].insn == NO_REF) {
            continue;
        }
        keep_unnamed(k, pc, owners, in->a, is);
        for (unsigned i = 0; i < ARRAY_LENGTH(in->element); i++) {
            keep_unnamed(k, pc, owners, in->element[i], is);
        }
    }
    free(owners);
}

struct temps temps_find(const struct kernel *k, const struct temps_code *code)
{
    struct temps t = {room_raw(k->func_count, sizeof *t.is)};
    for (uint32_t f = 0; f < k->func_count; f++) {
        const uint32_t count = k->funcs[f]->ir->reg_count;
        struct range *ranges = ranges_of(k, f);
        t.is[f] = room_new(count + 1u, sizeof *t.is[f]);
        for (uint32_t reg = 0; reg < count; reg++) {
            t.is[f][reg] = is_temp(k, f, code, ranges, reg);
        }
        keep_all_unnamed(k, f, t.is[f]);
        free(ranges);
    }
    return t;
}

void temps_free(const struct kernel *k, struct temps *t)
{
    for (uint32_t f = 0; f < k->func_count; f++) {
        free(t->is[f]);
    }
    free(t->is);
}

static bool names_temp(const struct kernel *k, const struct temps *t, uint32_t func,
                       struct ir_regs regs, uint32_t ref)
{
    bool found = false;
    for (unsigned i = 0; i < regs.count; i++) {
        found |= t->is[func][regs.reg[i]] && k->funcs[func]->registers[regs.reg[i]] == ref;
    }
    return found;
}

uint32_t temps_operand(const struct kernel *k, const struct temps *t, uint32_t pc, uint32_t ref)
{
    const struct code_source from = k->source[pc];
    if (from.insn == NO_REF) {
        return ref;
    }
    const struct function_ir *ir = k->funcs[from.func]->ir;
    const bool is = names_temp(k, t, from.func, ir_written(ir, from.insn), ref) ||
                    names_temp(k, t, from.func, ir_read(ir, from.insn), ref);
    return is ? ref | REF_TEMP : ref;
}
