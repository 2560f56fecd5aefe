/* decode_memory.c - ld and st. Atomics are in decode_atomic.c. */
#include "decode/decoder.h"

#include <stdio.h>
#include <string.h>

/* --- elements -------------------------------------------------------------------------------- */

/* How an element of that type moves between memory and a register of type reg. */
static enum insn_move move_of(enum ptx_type type, enum ptx_type reg)
{
    bool wide = decode_width_of(reg) == WIDTH_64;
    switch (type) {
    case PTX_S8:
        return wide ? MOVE_S8_64 : ptx_type_bytes(reg) == 2 ? MOVE_S8_16 : MOVE_S8;
    case PTX_S16:
        return wide ? MOVE_S16_64 : ptx_type_bytes(reg) == 2 ? MOVE_U16 : MOVE_S16;
    case PTX_S32:
        return wide ? MOVE_S32_64 : MOVE_32;
    default:
        break;
    }
    switch (ptx_type_bytes(type)) {
    case 1:
        return wide ? MOVE_U8_64 : MOVE_U8;
    case 2:
        return wide ? MOVE_U16_64 : MOVE_U16;
    case 4:
        return wide ? MOVE_U32_64 : MOVE_32;
    default:
        return MOVE_64;
    }
}

/* The registers of a value operand, a single one or a vector, are the instruction's elements. */
static bool value_operands(struct decoder *d, const struct ptx_operand *o, enum ptx_type type,
                           struct insn *in, bool load)
{
    const struct ptx_operand *items = in->elements == 1 ? o : o->items;
    enum ptx_type reg = PTX_NO_TYPE;
    if (in->elements != 1 && (o->kind != PTX_OPERAND_VECTOR || o->item_count != in->elements)) {
        return decode_reject(d, "a vector with another number of elements");
    }
    if (in->elements == 1 && o->kind == PTX_OPERAND_VECTOR && o->item_count == 1) {
        items = o->items;
    }
    for (unsigned i = 0; i < in->elements; i++) {
        enum ptx_type own = decode_register_type(d, &items[i]);
        reg = own != PTX_NO_TYPE ? own : reg;
    }
    reg = reg == PTX_NO_TYPE ? type : reg;
    if (reg == PTX_PRED) {
        return decode_reject(d, "a predicate in memory");
    }
    if (ptx_type_bytes(type) > ptx_type_bytes(reg)) {
        return decode_reject(d, "a register that is narrower than the type");
    }
    in->move = (uint8_t)move_of(type, reg);
    for (unsigned i = 0; i < in->elements; i++) {
        if (load ? !decode_destination(d, &items[i], decode_width_of(reg), &in->element[i])
                 : !decode_source(d, &items[i], items[i].kind == PTX_OPERAND_REG ? reg : type,
                                  &in->element[i])) {
            return false;
        }
    }
    return true;
}

/* --- parameters ------------------------------------------------------------------------------ */

/* clang keeps the address of a kernel's parameter in a register:
 *
 *     mov.b64      %rd19, kernel_param_0;
 *     mov.u64      %rd1, %rd19;
 *     ld.param.u64 %rd25, [%rd1+8];
 *
 * The same as one that names the parameter; false: it is another address. */
static bool names_parameter(const struct decoder *d, const struct ptx_operand *o, unsigned bytes,
                            struct ptx_operand *named)
{
    enum { LONGEST_CHAIN = 4 };
    *named = *o;
    for (unsigned n = 0; n < LONGEST_CHAIN && named->reg != PTX_NO_REG; n++) {
        const uint32_t writer = ir_only_writer(d->ir, named->reg);
        const struct ptx_insn *i = writer != IR_NONE ? d->ir->insns[writer].text : NULL;
        if (i == NULL || i->op != PTX_OP_MOV || i->operand_count != 2 ||
            (i->operands[1].kind != PTX_OPERAND_REG && i->operands[1].kind != PTX_OPERAND_SYMBOL)) {
            return false;
        }
        named->reg = i->operands[1].kind == PTX_OPERAND_REG ? i->operands[1].reg : PTX_NO_REG;
        named->name = i->operands[1].name;
        named->bits += i->operands[1].bits;
    }
    const struct variable *s = named->reg == PTX_NO_REG && named->name != NULL
                                   ? decode_find_variable(d, named->name)
                                   : NULL;
    return s != NULL && s->kind == VARIABLE_ENTRY_PARAM && named->bits <= s->bytes &&
           s->bytes - named->bits >= bytes && named->bits % bytes == 0;
}

/* [param + n] of the kernel or of a function: a constant offset, checked now. */
static bool decode_param(struct decoder *d, const struct ptx_operand *o, struct insn in, bool load)
{
    struct ptx_operand named;
    if (load && o->reg != PTX_NO_REG && names_parameter(d, o, in.bytes, &named)) {
        o = &named;
    }
    const struct variable *s = o->name != NULL ? decode_find_variable(d, o->name) : NULL;
    if (s == NULL || (s->kind != VARIABLE_ENTRY_PARAM && s->kind != VARIABLE_FRAME_PARAM)) {
        if (!load || !decode_address(d, o, &in)) {
            return decode_reject(d,
                                 "an address in parameter space that is not known when decoding");
        }
        if (s != NULL || (o->name != NULL && o->reg == PTX_NO_REG)) {
            return decode_reject(d, "%s, which is no parameter", o->name);
        }
        in.site = decode_new_site(d, SITE_UNCOUNTED, d->f->is_entry ? 3 : 1);
        return decode_emit(d, in, d->f->is_entry ? "ld_param_indexed" : "ld_local") != NULL;
    }
    if (o->bits > s->bytes || s->bytes - o->bits < in.bytes) {
        return decode_reject(d, "an access outside of parameter %s", o->name);
    }
    if (o->bits % in.bytes != 0) {
        return decode_reject(
            d, "byte %llu of parameter %s: an access of %u bytes must be aligned to them",
            (unsigned long long)o->bits, o->name, in.bytes);
    }
    if (s->kind == VARIABLE_ENTRY_PARAM) {
        in.offset = (int64_t)(s->offset + o->bits);
        return load ? decode_emit(d, in, "ld_param") != NULL
                    : decode_reject(d, "a store to a kernel parameter");
    }
    in.a = s->offset;
    in.offset = (int64_t)((uint64_t)s->bytes << 32 | o->bits);
    return decode_emit(d, in, load ? "ld_frame" : "st_frame") != NULL;
}

/* --- ld, st ---------------------------------------------------------------------------------- */

static void count_as_merged(const struct decoder *d, struct insn *in)
{
    if (d->ir->merges == NULL) {
        return;
    }
    const struct ir_merge *m = &d->ir->merges[d->at];
    in->flags |= m->silent ? INSN_MERGED : 0;
    in->count_bytes = m->bytes;
    in->count_shift = m->shift;
}

static void follow_leader(struct decoder *d, struct insn *in)
{
    const struct ir_leader leader = d->leaders[d->at];
    d->site_of[d->at] = in->site;
    if (leader.insn != IR_NONE && in->site - d->site_of[leader.insn] <= UINT16_MAX) {
        in->leader = (uint16_t)(in->site - d->site_of[leader.insn]);
        in->flags |= leader.fixed ? INSN_FIXED : 0;
    }
}

/* An access by which threads meet: a load may wait for what another one stores. */
static bool is_strong(const struct decoder *d)
{
    return ptx_has_modifier(d->in, WORD_VOLATILE) || ptx_has_modifier(d->in, WORD_RELAXED) ||
           ptx_has_modifier(d->in, WORD_ACQUIRE) || ptx_has_modifier(d->in, WORD_RELEASE) ||
           ptx_has_modifier(d->in, WORD_MMIO) || ptx_has_modifier(d->in, WORD_CV) ||
           ptx_has_modifier(d->in, WORD_WT);
}

static bool decode_access(struct decoder *d, bool load)
{
    struct insn in = decode_blank();
    const bool strong = is_strong(d);
    in.flags |= strong ? INSN_VOLATILE : 0;
    decode_take_hints(d);
    enum ptx_space space = decode_take(d, WORD_PARAM_FUNC) ? PTX_PARAM : decode_take_space(d);
    in.elements = (uint8_t)decode_take_elements(d);
    enum ptx_type type = decode_take_type(d);
    in.bytes = (uint8_t)(ptx_type_bytes(type) * in.elements);
    in.space = (uint8_t)space;
    if (!decode_all_taken(d) || !decode_operands_are(d, 2, 2)) {
        return false;
    }
    const struct ptx_operand *value = operand(d, load ? 0 : 1);
    const struct ptx_operand *address = operand(d, load ? 1 : 0);
    if (in.bytes == 0 || ptx_type_bytes(type) > 8 || in.bytes > 16) { /* no type, or .pred */
        return decode_reject(d, "elements of this type");
    }
    if (!value_operands(d, value, type, &in, load)) {
        return false;
    }
    if (space == PTX_PARAM) {
        return decode_param(d, address, in, load);
    }
    if (!decode_address(d, address, &in)) {
        return false;
    }
    const char *name = load ? "ld" : "st";
    switch (space) {
    case PTX_GLOBAL:
        in.site = decode_new_site(d, load ? SITE_GLOBAL_LOAD : SITE_GLOBAL_STORE, 1);
        follow_leader(d, &in);
        return decode_emit(d, in, strong ? "%s_strong_global" : "%s_global", name) != NULL;
    case PTX_SHARED:
        in.site = decode_new_site(d, load ? SITE_SHARED_LOAD : SITE_SHARED_STORE, 1);
        decode_remote_site(d, &in, load ? SITE_CLUSTER_LOAD : SITE_CLUSTER_STORE);
        count_as_merged(d, &in);
        follow_leader(d, &in);
        return decode_emit(d, in, "%s_shared", name) != NULL;
    case PTX_LOCAL:
        in.site = decode_new_site(d, SITE_UNCOUNTED, 1);
        follow_leader(d, &in);
        return decode_emit(d, in, "%s_local", name) != NULL;
    case PTX_CONST:
        in.site = decode_new_site(d, SITE_UNCOUNTED, 1);
        return load ? decode_emit(d, in, "ld_const") != NULL
                    : decode_reject(d, "a store to constant memory");
    default:
        in.site = decode_new_site(d, load ? SITE_GLOBAL_LOAD : SITE_GLOBAL_STORE, 3);
        decode_remote_site(d, &in, load ? SITE_CLUSTER_LOAD : SITE_CLUSTER_STORE);
        return decode_emit(d, in, "%s_generic", name) != NULL;
    }
}

bool decode_load(struct decoder *d) { return decode_access(d, true); }

bool decode_store(struct decoder *d)
{
    return decode_take(d, WORD_ASYNC) ? decode_update_async(d, false) : decode_access(d, false);
}
