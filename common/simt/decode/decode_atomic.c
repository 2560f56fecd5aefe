/* decode_atomic.c - atom and red, st.async and red.async: what changes memory as one step. */
#include "decode/decoder.h"

#include <stdio.h>
#include <string.h>

static const char *take_operation(struct decoder *d)
{
    return TAKE_ONE(d, WORD_ADD, WORD_MIN, WORD_MAX, WORD_INC, WORD_DEC, WORD_AND, WORD_OR,
                    WORD_XOR, WORD_EXCH, WORD_CAS);
}

/* st.async and red.async [a], value, [mbarrier]: the elements one behind the other, as 64 bits
 * each. */
bool decode_update_async(struct decoder *d, bool reduces)
{
    enum { ELEMENT_ROOM = 256 };
    struct insn in = decode_blank();
    char what[32] = "";
    const char *operation = reduces ? take_operation(d) : "";
    decode_take_hints(d);
    decode_take_space(d);
    in.elements = (uint8_t)decode_take_elements(d);
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

/* ptxas turns an atom on global memory whose result is not read into a red, where there is such a
 * red: the counters of hardware tell them apart. Not where the address is generic; but clang leaves
 * addresses generic that nvcc does not, and it is nvcc's code that a GPU counts. */
static bool stays_generic(const struct decoder *d, enum ptx_space space, enum ptx_type type)
{
    const bool halves =
        type == PTX_F16 || type == PTX_BF16 || type == PTX_F16X2 || type == PTX_BF16X2;
    return space == PTX_GENERIC && (!d->m->copies_params || halves);
}

static bool becomes_reduction(const struct decoder *d, const char *operation, enum ptx_space space,
                              enum ptx_type type, bool unread)
{
    return unread && space != PTX_SHARED && !stays_generic(d, space, type) &&
           ptx_type_bytes(type) > 2 && strcmp(operation, "cas") != 0 &&
           strcmp(operation, "exch") != 0;
}

/* Wavefronts for which a generic atomic asks shared memory, if it is no loop and no lane means that
 * memory, or if it is a loop. One on shared::cluster asks the own memory so. */
static uint8_t asks_shared_memory(const struct insn *in)
{
    return (uint8_t)((in->bytes == 8 ? 2 : 1) *
                     (in->way == WAY_CAS || in->way == WAY_WORDS ? 2 : 1));
}

/* What ptxas makes of an atomic on shared memory (tests/fidelity/README.md): only integers of 32
 * bits and exchanges are single instructions. What has 16 bits is a loop everywhere. Adding the
 * constant 1 without reading the result is ATOMS.POPC.INC, and so is inc without a limit. Where the
 * address is generic there is no such instruction, but one for a sum of 64 bits. */
static enum insn_way way_of(const char *operation, enum ptx_type type,
                            const struct ptx_operand *operand, bool unread, bool generic)
{
    bool integer = type == PTX_S32 || type == PTX_U32 || type == PTX_B32;
    bool one = operand->kind == PTX_OPERAND_INT && operand->bits == 1;
    bool unlimited = operand->kind == PTX_OPERAND_INT && (uint32_t)operand->bits == 0xffffffffu;
    if (ptx_type_bytes(type) == 2) {
        return WAY_WORDS;
    }
    if (strcmp(operation, "cas") == 0) {
        return WAY_CAS;
    }
    if (unread && integer && !generic &&
        ((strcmp(operation, "add") == 0 && one) || (strcmp(operation, "inc") == 0 && unlimited))) {
        return WAY_COUNTING;
    }
    const bool adds_64 = type == PTX_U64 && strcmp(operation, "add") == 0;
    if (integer || strcmp(operation, "exch") == 0 || (adds_64 && generic)) {
        return WAY_ATOMIC;
    }
    return strcmp(operation, "min") == 0 || strcmp(operation, "max") == 0 ? WAY_LEAST : WAY_LOOP;
}

/* Rows of registers: an element of a vector lies behind the one before it. */
static uint32_t element_room(enum ptx_type type) { return ptx_type_bytes(type) == 8 ? 256 : 128; }

static const char *move_element(enum ptx_type type)
{
    return ptx_type_bytes(type) == 8 ? "mov_64" : "mov_32";
}

/* The elements of a vector operand, one behind the other in the frame. */
static bool gather(struct decoder *d, const struct ptx_operand *o, unsigned count,
                   enum ptx_type type, uint32_t *row)
{
    *row = decode_frame_room(d, count * element_room(type));
    if (o->kind != PTX_OPERAND_VECTOR || o->item_count != count) {
        return decode_reject(d, "a vector with another number of elements");
    }
    for (unsigned i = 0; i < count; i++) {
        struct insn move = decode_blank();
        move.d = *row + i * element_room(type);
        if (!decode_source(d, &o->items[i], type, &move.a) ||
            decode_emit(d, move, "%s", move_element(type)) == NULL) {
            return false;
        }
    }
    return true;
}

static bool scatter(struct decoder *d, const struct ptx_operand *o, unsigned count,
                    enum ptx_type type, uint32_t row)
{
    if (o->kind != PTX_OPERAND_VECTOR || o->item_count != count) {
        return decode_reject(d, "a vector with another number of elements");
    }
    for (unsigned i = 0; i < count; i++) {
        struct insn move = decode_blank();
        move.a = row + i * element_room(type);
        if (!decode_destination(d, &o->items[i], decode_width_of(type), &move.d) ||
            (move.d != NO_REF && decode_emit(d, move, "%s", move_element(type)) == NULL)) {
            return false;
        }
    }
    return true;
}

/* atom.exch.b128 d, [a], b; atom.cas.b128 d, [a], b, c: values are rows of two elements of 64 bits
 * (ptx/parse_scope.c). */
static bool wide_atomic(struct decoder *d, struct insn in, const char *operation)
{
    const bool compares = strcmp(operation, "cas") == 0;
    if (d->in->op == PTX_OP_RED || (!compares && strcmp(operation, "exch") != 0) ||
        !decode_operands_are(d, compares ? 4 : 3, compares ? 4 : 3)) {
        return decode_reject(d, "atom.exch and atom.cas alone have 128 bits");
    }
    if (in.space != PTX_GLOBAL && in.space != PTX_SHARED && in.space != PTX_GENERIC) {
        return decode_reject(d, "this state space");
    }
    in.way = WAY_CAS;
    in.elements = 2;
    in.count_bytes =
        stays_generic(d, (enum ptx_space)in.space, PTX_B128) ? asks_shared_memory(&in) : 0;
    in.d = decode_frame_room(d, 2 * element_room(PTX_B64));
    if (!gather(d, operand(d, 2), 2, PTX_B64, &in.b) ||
        (compares && !gather(d, operand(d, 3), 2, PTX_B64, &in.c)) ||
        !decode_address(d, operand(d, 1), &in)) {
        return false;
    }
    in.site = decode_new_site(d, in.space == PTX_SHARED ? SITE_SHARED_ATOM : SITE_GLOBAL_ATOM,
                              in.space == PTX_GENERIC ? 3 : 1);
    decode_remote_site(d, &in, SITE_CLUSTER_ATOM);
    return decode_emit(d, in, "atom_b128") != NULL &&
           (operand(d, 0)->kind == PTX_OPERAND_SINK || scatter(d, operand(d, 0), 2, PTX_B64, in.d));
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
    if (stays_generic(d, (enum ptx_space)in.space, type)) {
        in.count_bytes = asks_shared_memory(&in);
    }
    if (!decode_operands_are(d, first + 2, first + 2) ||
        !gather(d, operand(d, first + 1), elements, type, &in.b) ||
        !decode_address(d, operand(d, first), &in)) {
        return false;
    }
    in.d = unread ? NO_REF : decode_frame_room(d, elements * element_room(PTX_B32));
    in.site = decode_new_site(d, unread ? SITE_GLOBAL_RED : SITE_GLOBAL_ATOM,
                              in.space == PTX_GENERIC ? 3 : 1);
    return decode_emit(d, in, "atom_v_%s_%s", operation, ptx_type_name(type)) != NULL &&
           (unread || scatter(d, operand(d, 0), elements, PTX_B32, in.d));
}

bool decode_atomic(struct decoder *d)
{
    struct insn in = decode_blank();
    char handler[32];
    bool reduction = d->in->op == PTX_OP_RED;
    if (decode_take(d, WORD_ASYNC)) {
        return decode_update_async(d, true);
    }
    decode_take_hints(d);
    decode_take(d, WORD_NOFTZ);
    enum ptx_space space = decode_take(d, WORD_PARAM_FUNC) ? PTX_PARAM : decode_take_space(d);
    const char *operation = take_operation(d);
    const unsigned elements = decode_take_elements(d);
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
    if (type == PTX_B128) {
        return wide_atomic(d, in, operation);
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
    if (becomes_reduction(d, operation, space, type, unread)) {
        in.d = NO_REF;
    }
    const bool stays = stays_generic(d, space, type);
    in.way = (uint8_t)way_of(operation, type, operand(d, first + 1), unread, stays);
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
    const bool words = in.way == WAY_WORDS;
    const bool reduces = in.d == NO_REF && !stays && !words;
    enum site_kind kind = space == PTX_SHARED ? SITE_SHARED_ATOM
                          : reduces           ? SITE_GLOBAL_RED
                                              : SITE_GLOBAL_ATOM;
    in.site = decode_new_site(d, kind, space == PTX_GENERIC ? 3 : 1);
    if (stays || space == PTX_SHARED) {
        in.count_bytes = asks_shared_memory(&in);
    }
    if (words || (in.way >= WAY_LOOP && space != PTX_GLOBAL)) {
        decode_new_site(d, SITE_SHARED_LOAD, 1); /* what the loop loads */
    }
    if (words) {
        decode_new_site(d, SITE_GLOBAL_LOAD, 1);
    }
    decode_remote_site(d, &in, SITE_CLUSTER_ATOM);
    decode_atomic_name(handler, sizeof handler, operation, type);
    return decode_emit(d, in, "atom_%s", handler) != NULL;
}
