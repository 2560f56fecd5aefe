/* decode_bulk.c - bulk copies: cp.async.bulk, cp.reduce.async.bulk and their groups; of tensors,
 * too.
 *
 * A copy is complete at once; what waits for it does not wait. Each active lane makes a copy of its
 * own. Operands of the handlers, addresses as 64 bits with their offsets:
 *
 *     bulk_*     a: shared memory, b: global memory, or the source in shared memory, c: bytes
 *     tensor_*   a: shared memory, b: the tensor map, c: the first of `elements` coordinates, a
 *                row; behind them the offsets of im2col, two fewer
 *
 *     e: the mbarrier that is notified (NO_REF: none), d: the ranks that a multicast goes to
 * (NO_REF: none) */
#include "decode/decoder.h"

#include <stdio.h>
#include <string.h>

enum { ROW_BYTES = 128 }; /* a 32-bit register, and from one coordinate to the next */

/* What comes behind the operands that all have: the mbarrier, `offsets` operands of im2col, and the
 * ranks of a multicast. */
static bool take_completion(struct decoder *d, struct insn *in, unsigned from, unsigned offsets)
{
    const bool multicast = decode_take(d, WORD_MULTICAST);
    const bool signals = decode_take(d, WORD_COMPLETE_TX_BYTES);
    const unsigned count = from + signals + offsets + multicast;
    if (!signals && !decode_take(d, WORD_BULK_GROUP)) {
        return decode_reject(d, "a copy whose completion no mbarrier and no group follows");
    }
    enum site_kind kind = SITE_BULK;
    if (ptx_has_modifier(d->in, WORD_GLOBAL)) {
        const bool reduces = ptx_has_modifier(d->in, WORD_REDUCE);
        kind = signals ? SITE_BULK_LOAD : reduces ? SITE_BULK_RED : SITE_BULK_STORE;
    }
    d->k->shares_memory = true;
    in->site = decode_new_plain_site(d, kind, 0);
    return decode_operands_are(d, count, count) &&
           (!signals || decode_whole_address(d, operand(d, from), &in->e)) &&
           (!multicast || decode_source(d, operand(d, from + offsets + 1), PTX_B16, &in->d));
}

/* "add_f32": the rows of exec_atomic.c, by operation and type. */
static bool take_reduction(struct decoder *d, char *name, size_t size)
{
    const char *operation =
        TAKE_ONE(d, WORD_ADD, WORD_MIN, WORD_MAX, WORD_INC, WORD_DEC, WORD_AND, WORD_OR, WORD_XOR);
    decode_take(d, WORD_NOFTZ);
    const enum ptx_type type = decode_take_type(d);
    if (operation == NULL || type == PTX_NO_TYPE) {
        return false;
    }
    decode_atomic_name(name, size, operation, type);
    return true;
}

/* cp{.reduce}.async.bulk.DST.SRC.HOW [to], [from], bytes ... */
static bool bulk_copy(struct decoder *d, bool reduces)
{
    struct insn in = decode_blank();
    char what[32] = "";
    const bool to_global = ptx_has_modifier(d->in, WORD_BULK_GROUP);
    const bool from_global = !to_global && ptx_has_modifier(d->in, WORD_GLOBAL);
    if (reduces && from_global) {
        return decode_reject(d, "a reduction of this form");
    }
    if (reduces && !take_reduction(d, what, sizeof what)) {
        return false;
    }
    decode_take_hints(d);
    decode_take(d, WORD_GLOBAL);
    decode_take(d, WORD_SHARED_CTA);
    decode_take(d, WORD_SHARED_CLUSTER);
    if (!take_completion(d, &in, 3, 0) || !decode_all_taken(d) ||
        !decode_whole_address(d, operand(d, to_global), &in.a) ||
        !decode_whole_address(d, operand(d, !to_global), &in.b) ||
        !decode_source(d, operand(d, 2), PTX_U32, &in.c)) {
        return false;
    }
    const char *where = to_global ? "store" : from_global ? "load" : "shared";
    return decode_emit(d, in, reduces ? "bulk_%s_%s" : "bulk_%s", where, what) != NULL;
}

/* cp.async.bulk.prefetch.L2.global [a], bytes */
static bool bulk_prefetch(struct decoder *d)
{
    decode_take_hints(d);
    decode_take(d, WORD_LEVEL2);
    decode_take(d, WORD_GLOBAL);
    return decode_all_taken(d) && decode_operands_are(d, 2, 2) &&
           decode_emit(d, decode_blank(), "nop") != NULL;
}

/* commit_group; wait_group{.read} 0 */
static bool bulk_group(struct decoder *d)
{
    decode_take(d, WORD_READ);
    return decode_all_taken(d) && decode_operands_are(d, 0, 1) &&
           decode_emit(d, decode_blank(), "bulk_group") != NULL;
}

/* --- tensors ---------------------------------------------------------------------------------- */

/* Numbers as rows of the frame, one behind the other. */
static bool move_rows(struct decoder *d, const struct ptx_operand *vector, enum ptx_type type,
                      uint32_t to)
{
    for (unsigned i = 0; i < vector->item_count; i++) {
        struct insn move = decode_blank();
        move.d = to + i * ROW_BYTES;
        if (!decode_source(d, &vector->items[i], type, &move.a) ||
            decode_emit(d, move, "mov_32") == NULL) {
            return false;
        }
    }
    return true;
}

/* [map, {x, y, ...}], and the offsets of im2col or NULL */
static bool tensor_operand(struct decoder *d, const struct ptx_operand *o, unsigned dims,
                           const struct ptx_operand *offsets, struct insn *in)
{
    const struct ptx_operand *at = o->item_count > 0 ? &o->items[0] : NULL;
    if (o->kind != PTX_OPERAND_MEMORY || at == NULL || at->kind != PTX_OPERAND_VECTOR ||
        at->item_count != dims) {
        return decode_reject(d, "its coordinates");
    }
    if (offsets != NULL &&
        (dims < 3 || offsets->kind != PTX_OPERAND_VECTOR || offsets->item_count != dims - 2)) {
        return decode_reject(d, "its offsets: im2col has one for each dimension but two");
    }
    in->elements = (uint8_t)dims;
    in->c = decode_frame_room(d, (2 * dims - 2) * ROW_BYTES);
    return move_rows(d, at, PTX_S32, in->c) &&
           (offsets == NULL || move_rows(d, offsets, PTX_U16, in->c + dims * ROW_BYTES)) &&
           decode_whole_address(d, o, &in->b);
}

static unsigned take_dims(struct decoder *d)
{
    static const enum ptx_word words[] = {WORD_DIM_1D, WORD_DIM_2D, WORD_DIM_3D, WORD_DIM_4D,
                                          WORD_DIM_5D};
    for (unsigned i = 0; i < ARRAY_LENGTH(words); i++) {
        if (decode_take(d, words[i])) {
            return i + 1;
        }
    }
    return 0;
}

/* .im2col_no_offs and forms of later GPUs. */
static bool is_im2col_of_others(const struct decoder *d)
{
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        const char *text = d->in->modifiers[i].text;
        if (strncmp(text, "im2col", 6) == 0 && strcmp(text, "im2col") != 0) {
            return true;
        }
    }
    return false;
}

/* cp.async.bulk.prefetch.tensor.2d.L2.global [map, {x, y}] */
static bool tensor_prefetch(struct decoder *d, bool by_pixels)
{
    decode_take_hints(d);
    decode_take(d, WORD_LEVEL2);
    decode_take(d, WORD_GLOBAL);
    return decode_all_taken(d) && decode_operands_are(d, 1 + by_pixels, 1 + by_pixels) &&
           decode_emit(d, decode_blank(), "nop") != NULL;
}

/* cp{.reduce}.async.bulk.tensor.2d ... [to], [map, {x, y}], [mbarrier]{, {offsets}}{, ranks}; [map,
 * {x, y}], [from] */
static bool bulk_tensor(struct decoder *d, bool reduces)
{
    struct insn in = decode_blank();
    const bool to_global = ptx_has_modifier(d->in, WORD_BULK_GROUP);
    const unsigned dims = take_dims(d);
    const bool by_pixels = decode_take(d, WORD_IM2COL);
    if (is_im2col_of_others(d) || (by_pixels && to_global)) {
        return decode_reject(d, "im2col in another form than loads");
    }
    decode_take(d, WORD_TILE);
    if (decode_take(d, WORD_PREFETCH)) {
        return tensor_prefetch(d, by_pixels);
    }
    const char *operation = reduces ? TAKE_ONE(d, WORD_ADD, WORD_MIN, WORD_MAX, WORD_INC, WORD_DEC,
                                               WORD_AND, WORD_OR, WORD_XOR)
                                    : "";
    decode_take_hints(d);
    decode_take(d, WORD_GLOBAL);
    decode_take(d, WORD_SHARED_CTA);
    decode_take(d, WORD_SHARED_CLUSTER);
    if (operation == NULL || dims == 0 || !take_completion(d, &in, 2, by_pixels) ||
        !decode_all_taken(d) || !decode_whole_address(d, operand(d, to_global), &in.a) ||
        !tensor_operand(d, operand(d, !to_global), dims, by_pixels ? operand(d, 3) : NULL, &in)) {
        return false;
    }
    return decode_emit(d, in,
                       reduces     ? "tensor_store_%s"
                       : to_global ? "tensor_store"
                       : by_pixels ? "tensor_load_im2col"
                                   : "tensor_load",
                       operation) != NULL;
}

bool decode_bulk(struct decoder *d)
{
    const bool reduces = decode_take(d, WORD_REDUCE);
    if (decode_take(d, WORD_COMMIT_GROUP) || decode_take(d, WORD_WAIT_GROUP)) {
        return bulk_group(d);
    }
    if (decode_take(d, WORD_TENSOR)) {
        return bulk_tensor(d, reduces);
    }
    return decode_take(d, WORD_PREFETCH) ? bulk_prefetch(d) : bulk_copy(d, reduces);
}

/* --- tensor maps that a kernel changes -------------------------------------------------------- */

/* tensormap.replace.tile.FIELD{.space}.b1024.TYPE [map], {index,} value; tensormap.cp_fenceproxy...
 * [to], [from], 128 */
bool decode_tensormap(struct decoder *d)
{
    static const char *const fields[] = {
        "global_address", "rank",     "box_dim",           "global_dim",   "global_stride",
        "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "fill_mode"};
    struct insn in = decode_blank();
    const char *field = NULL;
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        const char *text = d->in->modifiers[i].text;
        bool known = strcmp(text, "b1024") == 0 || strcmp(text, "tensormap::generic") == 0;
        for (unsigned f = 0; f < ARRAY_LENGTH(fields) && !known; f++) {
            known = strcmp(text, fields[f]) == 0;
            field = known ? fields[f] : field;
        }
        d->taken |= (uint32_t)known << i;
    }
    decode_take_hints(d);
    while (decode_take_space(d) != PTX_GENERIC) {
    }
    const unsigned count = d->in->operand_count;
    const enum ptx_type type = decode_take_type(d);
    decode_take(d, WORD_ALIGNED);
    decode_take(d, WORD_SYNC);
    in.space = PTX_GENERIC;
    if (decode_take(d, WORD_CP_FENCEPROXY)) {
        return decode_all_taken(d) && decode_operands_are(d, 3, 3) &&
               decode_whole_address(d, operand(d, 0), &in.a) &&
               decode_whole_address(d, operand(d, 1), &in.b) &&
               decode_emit(d, in, "tensormap_copy") != NULL;
    }
    if (!decode_take(d, WORD_REPLACE) || !decode_take(d, WORD_TILE) || field == NULL ||
        !decode_all_taken(d) || !decode_operands_are(d, 2, 3)) {
        return false;
    }
    in.c = decode_constant32(d, 0);
    in.flags |=
        ptx_has_modifier(d->in, WORD_SHARED_CTA) ? INSN_CLUSTER : 0; /* a is in that window */
    return decode_whole_address(d, operand(d, 0), &in.a) &&
           (count == 2 || decode_source(d, operand(d, 1), PTX_U32, &in.c)) &&
           decode_source(d, operand(d, count - 1), type, &in.b) &&
           decode_emit(d, in, "tensormap_%s", field) != NULL;
}
