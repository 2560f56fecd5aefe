/* decode_memory.c - instructions with an address: ld, st, atom, red. */
#include "decode/decoder.h"

#include <stdio.h>
#include <string.h>

/* --- elements -------------------------------------------------------------------------------- */

static unsigned take_elements(struct decoder *d)
{
    static const enum ptx_word words[] = {WORD_V2, WORD_V4, WORD_V8};
    for (unsigned i = 0; i < ARRAY_LENGTH(words); i++) {
        if (decode_take(d, words[i])) {
            return 2u << i;
        }
    }
    return 1;
}

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

/* The registers of a value operand, a single one or a vector, go to d, b, c and e. */
static bool value_operands(struct decoder *d, const struct ptx_operand *o, enum ptx_type type,
                           struct insn *in, bool load)
{
    uint32_t *refs[] = {&in->d, &in->b, &in->c, &in->e};
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
        if (load ? !decode_destination(d, &items[i], decode_width_of(reg), refs[i])
                 : !decode_source(d, &items[i], items[i].kind == PTX_OPERAND_REG ? reg : type,
                                  refs[i])) {
            return false;
        }
    }
    return true;
}

/* --- parameters ------------------------------------------------------------------------------ */

/* [param + n] of the kernel or of a function: a constant offset, checked now. */
static bool decode_param(struct decoder *d, const struct ptx_operand *o, struct insn in, bool load)
{
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
    const uint32_t leader = d->leaders[d->at];
    d->site_of[d->at] = in->site;
    if (leader != IR_NONE && in->site - d->site_of[leader] <= UINT16_MAX) {
        in->leader = (uint16_t)(in->site - d->site_of[leader]);
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

static const char *take_operation(struct decoder *d)
{
    return TAKE_ONE(d, WORD_ADD, WORD_MIN, WORD_MAX, WORD_INC, WORD_DEC, WORD_AND, WORD_OR,
                    WORD_XOR, WORD_EXCH, WORD_CAS);
}

/* st.async and red.async [a], value, [mbarrier]: the elements one behind the other, as 64 bits
 * each. */
static bool decode_store_async(struct decoder *d, bool reduces)
{
    enum { ELEMENT_ROOM = 256 };
    struct insn in = decode_blank();
    char what[32] = "";
    const char *operation = reduces ? take_operation(d) : "";
    decode_take_hints(d);
    decode_take_space(d);
    in.elements = (uint8_t)take_elements(d);
    const enum ptx_type type = decode_take_type(d);
    in.bytes = (uint8_t)(ptx_type_bytes(type) * in.elements);
    in.b = decode_frame_room(d, in.elements * ELEMENT_ROOM);
    in.site = decode_new_plain_site(d, reduces ? SITE_UNCOUNTED : SITE_CLUSTER_STORE, 0);
    if (operation == NULL || !decode_take(d, WORD_COMPLETE_TX_BYTES) || !decode_all_taken(d) ||
        !decode_operands_are(d, 3, 3) || ptx_type_bytes(type) < 4 || in.bytes > 16) {
        return false;
    }
    const struct ptx_operand *value = operand(d, 1);
    for (unsigned i = 0; i < in.elements; i++) {
        struct insn move = decode_blank();
        const struct ptx_operand *o = in.elements == 1 ? value : &value->items[i];
        move.d = in.b + i * ELEMENT_ROOM;
        if ((in.elements > 1 && value->item_count != in.elements) ||
            !decode_source(d, o, type, &move.a) ||
            decode_emit(d, move, ptx_type_bytes(type) == 8 ? "mov_64" : "cvt_u64_u32") == NULL) {
            return false;
        }
    }
    if (!decode_whole_address(d, operand(d, 0), &in.a) ||
        !decode_whole_address(d, operand(d, 2), &in.e)) {
        return false;
    }
    if (reduces) {
        decode_atomic_name(what, sizeof what, operation, type);
    }
    return decode_emit(d, in, reduces ? "red_async_%s" : "st_async", what) != NULL;
}

/* What may reach other blocks' shared memory has one more site for that. */
static void remote_site(struct decoder *d, struct insn *in, enum site_kind kind)
{
    if (in->flags & INSN_CLUSTER || (in->space == PTX_GENERIC && d->maps_cluster)) {
        in->flags |= INSN_REMOTE;
        decode_new_site(d, kind, 1);
    }
}

static bool decode_access(struct decoder *d, bool load)
{
    struct insn in = decode_blank();
    const bool strong = is_strong(d);
    in.flags |= strong ? INSN_VOLATILE : 0;
    decode_take_hints(d);
    enum ptx_space space = decode_take(d, WORD_PARAM_FUNC) ? PTX_PARAM : decode_take_space(d);
    in.elements = (uint8_t)take_elements(d);
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
        remote_site(d, &in, load ? SITE_CLUSTER_LOAD : SITE_CLUSTER_STORE);
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
        remote_site(d, &in, load ? SITE_CLUSTER_LOAD : SITE_CLUSTER_STORE);
        return decode_emit(d, in, "%s_generic", name) != NULL;
    }
}

bool decode_load(struct decoder *d) { return decode_access(d, true); }

bool decode_store(struct decoder *d)
{
    return decode_take(d, WORD_ASYNC) ? decode_store_async(d, false) : decode_access(d, false);
}

/* --- atom, red ------------------------------------------------------------------------------- */

/* Sums do not care for the sign; logic and exchanges only for the width. */
void decode_atomic_name(char *name, size_t size, const char *operation, enum ptx_type type)
{
    unsigned bits = 8 * ptx_type_bytes(type);
    bool integer = type == PTX_S32 || type == PTX_S64 || type == PTX_U32 || type == PTX_U64;
    if (integer && strcmp(operation, "add") == 0) {
        snprintf(name, size, "add_u%u", bits);
    } else if (strcmp(operation, "exch") == 0 || strcmp(operation, "cas") == 0 ||
               strcmp(operation, "and") == 0 || strcmp(operation, "or") == 0 ||
               strcmp(operation, "xor") == 0) {
        snprintf(name, size, "%s_b%u", operation, bits);
    } else {
        snprintf(name, size, "%s_%s", operation, ptx_type_name(type));
    }
}

/* ptxas turns an atom on global memory whose result nobody reads into a red, where there is such a
 * red: the counters of hardware tell them apart. */
static bool becomes_reduction(const char *operation, enum ptx_space space, bool unread)
{
    return unread && space != PTX_SHARED && strcmp(operation, "cas") != 0 &&
           strcmp(operation, "exch") != 0;
}

/* What ptxas makes of an atomic on shared memory (tests/fidelity/README.md): only integers of 32
 * bits and exchanges are single instructions. Adding the constant 1 without reading the result is
 * ATOMS.POPC.INC, and so is inc without a limit. */
static enum insn_way way_of(const char *operation, enum ptx_type type,
                            const struct ptx_operand *operand, bool unread)
{
    bool integer = type == PTX_S32 || type == PTX_U32 || type == PTX_B32;
    bool one = operand->kind == PTX_OPERAND_INT && operand->bits == 1;
    bool unlimited = operand->kind == PTX_OPERAND_INT && (uint32_t)operand->bits == 0xffffffffu;
    if (strcmp(operation, "cas") == 0) {
        return WAY_CAS;
    }
    if (unread && integer &&
        ((strcmp(operation, "add") == 0 && one) || (strcmp(operation, "inc") == 0 && unlimited))) {
        return WAY_COUNTING;
    }
    return integer || strcmp(operation, "exch") == 0 ? WAY_ATOMIC : WAY_LOOP;
}

/* Rows of registers: an element of a vector lies as many bytes behind the one before it. */
enum { ELEMENT_BYTES = 128 };

/* The elements of a vector operand, one behind the other in the frame. */
static bool gather(struct decoder *d, const struct ptx_operand *o, unsigned count,
                   enum ptx_type type, uint32_t *row)
{
    *row = decode_frame_room(d, count * ELEMENT_BYTES);
    if (o->kind != PTX_OPERAND_VECTOR || o->item_count != count) {
        return decode_reject(d, "a vector with another number of elements");
    }
    for (unsigned i = 0; i < count; i++) {
        struct insn move = decode_blank();
        move.d = *row + i * ELEMENT_BYTES;
        if (!decode_source(d, &o->items[i], type, &move.a) ||
            decode_emit(d, move, "mov_32") == NULL) {
            return false;
        }
    }
    return true;
}

static bool scatter(struct decoder *d, const struct ptx_operand *o, unsigned count, uint32_t row)
{
    if (o->kind != PTX_OPERAND_VECTOR || o->item_count != count) {
        return decode_reject(d, "a vector with another number of elements");
    }
    for (unsigned i = 0; i < count; i++) {
        struct insn move = decode_blank();
        move.a = row + i * ELEMENT_BYTES;
        if (!decode_destination(d, &o->items[i], WIDTH_32, &move.d) ||
            (move.d != NO_REF && decode_emit(d, move, "mov_32") == NULL)) {
            return false;
        }
    }
    return true;
}

/* atom.global.v2.f32.add {d, d}, [a], {b, b}: each element is an atomic of its own. */
static bool vector_atomic(struct decoder *d, struct insn in, const char *operation,
                          enum ptx_type type, unsigned elements)
{
    const unsigned first = d->in->op == PTX_OP_RED ? 0 : 1;
    const bool unread = first == 0 || (d->ir->insns[d->at].atomic & ATOMIC_UNREAD) != 0;
    if (in.space == PTX_SHARED || in.bytes * elements > 16) {
        return decode_reject(d, "a vector of this length or state space");
    }
    in.bytes = (uint8_t)(in.bytes * elements);
    in.elements = (uint8_t)elements;
    if (!decode_operands_are(d, first + 2, first + 2) ||
        !gather(d, operand(d, first + 1), elements, type, &in.b) ||
        !decode_address(d, operand(d, first), &in)) {
        return false;
    }
    in.d = unread ? NO_REF : decode_frame_room(d, elements * ELEMENT_BYTES);
    in.site = decode_new_site(d, unread ? SITE_GLOBAL_RED : SITE_GLOBAL_ATOM,
                              in.space == PTX_GENERIC ? 3 : 1);
    return decode_emit(d, in, "atom_v_%s_%s", operation, ptx_type_name(type)) != NULL &&
           (unread || scatter(d, operand(d, 0), elements, in.d));
}

bool decode_atomic(struct decoder *d)
{
    struct insn in = decode_blank();
    char handler[32];
    bool reduction = d->in->op == PTX_OP_RED;
    if (decode_take(d, WORD_ASYNC)) {
        return decode_store_async(d, true);
    }
    decode_take_hints(d);
    decode_take(d, WORD_NOFTZ);
    enum ptx_space space = decode_take(d, WORD_PARAM_FUNC) ? PTX_PARAM : decode_take_space(d);
    const char *operation = take_operation(d);
    const unsigned elements = take_elements(d);
    enum ptx_type type = decode_take_type(d);
    unsigned first = reduction ? 0 : 1; /* operand that holds the address */
    if (operation == NULL) {
        return false;
    }
    unsigned count = first + (strcmp(operation, "cas") == 0 ? 3 : 2);
    in.bytes = (uint8_t)ptx_type_bytes(type);
    in.space = (uint8_t)space;
    if (!decode_all_taken(d)) {
        return false;
    }
    if (elements > 1) {
        return vector_atomic(d, in, operation, type, elements);
    }
    if (!decode_operands_are(d, count, count)) {
        return false;
    }
    if (!reduction && !decode_destination(d, operand(d, 0), decode_width_of(type), &in.d)) {
        return false;
    }
    const unsigned found = d->ir->insns[d->at].atomic; /* by ptxas/atomics.c */
    const bool unread = in.d == NO_REF || (found & ATOMIC_UNREAD) != 0;
    if (becomes_reduction(operation, space, unread)) {
        in.d = NO_REF;
    }
    in.way = (uint8_t)way_of(operation, type, operand(d, first + 1), unread);
    in.flags |= found & ATOMIC_ADDED_UP ? INSN_ADDED_UP : 0;
    in.flags |= found & ATOMIC_ADDED_IF_FULL ? INSN_ADDED_IF_FULL : 0;
    if (!decode_source(d, operand(d, first + 1), type, &in.b) ||
        (count == first + 3 && !decode_source(d, operand(d, first + 2), type, &in.c))) {
        return false;
    }
    if (space != PTX_GLOBAL && space != PTX_SHARED && space != PTX_GENERIC) {
        return decode_reject(d, "this state space");
    }
    if (!decode_address(d, operand(d, first), &in)) {
        return false;
    }
    enum site_kind kind = space == PTX_SHARED ? SITE_SHARED_ATOM
                          : in.d == NO_REF    ? SITE_GLOBAL_RED
                                              : SITE_GLOBAL_ATOM;
    in.site = decode_new_site(d, kind, space == PTX_GENERIC ? 3 : 1);
    if (in.way == WAY_LOOP && space != PTX_GLOBAL) {
        decode_new_site(d, SITE_SHARED_LOAD, 1); /* what the loop loads */
    }
    remote_site(d, &in, SITE_CLUSTER_ATOM);
    decode_atomic_name(handler, sizeof handler, operation, type);
    return decode_emit(d, in, "atom_%s", handler) != NULL;
}
