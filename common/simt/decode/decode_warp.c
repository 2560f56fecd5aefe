/* decode_warp.c - instructions by which lanes and warps wait for each other, and those that end a
 * thread. */
#include "decode/decoder.h"

#include <string.h>

/* --- warps and blocks ------------------------------------------------------------------------ */

static bool takes_sync(struct decoder *d)
{
    return decode_take(d, WORD_SYNC) ||
           decode_reject(d, "the form without .sync left CUDA with version 9");
}

/* d or d|p: a register, and where there is one the predicate behind it. */
static bool take_result(struct decoder *d, struct insn *in)
{
    const struct ptx_operand *to = operand(d, 0);
    const bool is_pair = to->kind == PTX_OPERAND_PAIR;
    return (!is_pair || decode_destination(d, &to->items[1], WIDTH_PREDICATE, &in->e)) &&
           decode_destination(d, is_pair ? &to->items[0] : to, WIDTH_32, &in->d);
}

/* shfl.sync.MODE.b32 d|p, a, b, c, membermask */
bool decode_shfl(struct decoder *d)
{
    struct insn in = decode_blank();
    uint32_t members;
    if (!takes_sync(d)) {
        return false;
    }
    const char *mode = TAKE_ONE(d, WORD_UP, WORD_DOWN, WORD_BFLY, WORD_IDX);
    decode_take_type(d);
    if (mode == NULL || !decode_all_taken(d) || !decode_operands_are(d, 5, 5) ||
        !take_result(d, &in) || !decode_source(d, operand(d, 1), PTX_B32, &in.a) ||
        !decode_source(d, operand(d, 2), PTX_B32, &in.b) ||
        !decode_source(d, operand(d, 3), PTX_B32, &in.c) ||
        !decode_source(d, operand(d, 4), PTX_B32, &members)) {
        return false;
    }
    in.members = members;
    return decode_emit(d, in, "shfl_%s", mode) != NULL;
}

bool decode_vote(struct decoder *d)
{
    struct insn in = decode_blank();
    bool negated;
    if (!takes_sync(d)) {
        return false;
    }
    const char *mode = TAKE_ONE(d, WORD_BALLOT, WORD_ALL, WORD_ANY, WORD_UNI);
    enum ptx_type type = decode_take_type(d);
    if (mode == NULL || !decode_all_taken(d) || !decode_operands_are(d, 3, 3) ||
        !decode_destination(d, operand(d, 0), type == PTX_PRED ? WIDTH_PREDICATE : WIDTH_32,
                            &in.d) ||
        !decode_predicate_source(d, operand(d, 1), &in.a, &negated) ||
        !decode_source(d, operand(d, 2), PTX_B32, &in.b)) {
        return false;
    }
    in.flags |= negated ? INSN_A_NEGATED : 0;
    return decode_emit(d, in, "vote_%s", mode) != NULL;
}

bool decode_match(struct decoder *d)
{
    struct insn in = decode_blank();
    decode_take(d, WORD_SYNC);
    const char *mode = TAKE_ONE(d, WORD_ANY, WORD_ALL);
    enum ptx_type type = decode_take_type(d);
    return mode != NULL && decode_all_taken(d) && decode_operands_are(d, 3, 3) &&
           take_result(d, &in) && decode_source(d, operand(d, 1), type, &in.a) &&
           decode_source(d, operand(d, 2), PTX_B32, &in.b) &&
           decode_emit(d, in, "match_%s_b%u", mode, bits_of(type)) != NULL;
}

bool decode_redux(struct decoder *d)
{
    struct insn in = decode_blank();
    decode_take(d, WORD_SYNC);
    const char *name = TAKE_ONE(d, WORD_ADD, WORD_MIN, WORD_MAX, WORD_AND, WORD_OR, WORD_XOR);
    enum ptx_type type = decode_take_type(d);
    return name != NULL && TYPED_OPERANDS(d, &in, PTX_B32, type, PTX_B32) &&
           decode_emit(d, in, "redux_%s_%s", name, ptx_type_name(type)) != NULL;
}

/* elect.sync d|p, membermask: one of the lanes is the leader, for whom p holds. */
bool decode_elect(struct decoder *d)
{
    struct insn in = decode_blank();
    const struct ptx_operand *to = operand(d, 0);
    return takes_sync(d) && decode_all_taken(d) && decode_operands_are(d, 2, 2) &&
           to->kind == PTX_OPERAND_PAIR && decode_destination(d, &to->items[0], WIDTH_32, &in.d) &&
           decode_destination(d, &to->items[1], WIDTH_PREDICATE, &in.e) &&
           decode_source(d, operand(d, 1), PTX_B32, &in.b) && decode_emit(d, in, "elect") != NULL;
}

bool decode_activemask(struct decoder *d)
{
    struct insn in = decode_blank();
    decode_take_type(d);
    return decode_all_taken(d) && decode_operands_are(d, 1, 1) &&
           decode_destination(d, operand(d, 0), WIDTH_32, &in.d) &&
           decode_emit(d, in, "activemask") != NULL;
}

/* bar.sync a{, b}; bar.arrive a, b; bar.red.popc.u32 d, a{, b}, p; bar.warp.sync mask; the same
 * spelled barrier{.cta}, where .aligned may be missing: lanes are held to it all the same. */
bool decode_barrier(struct decoder *d)
{
    struct insn in = decode_blank();
    if (ptx_has_modifier(d->in, WORD_CLUSTER)) {
        return decode_cluster_barrier(d);
    }
    decode_take(d, WORD_CTA);
    decode_take(d, WORD_ALIGNED);
    if (decode_take(d, WORD_WARP)) {
        in.flags |= INSN_ANY_POINT;
        return decode_take(d, WORD_SYNC) && decode_all_taken(d) && decode_operands_are(d, 1, 1) &&
               decode_source(d, operand(d, 0), PTX_B32, &in.a) &&
               decode_emit(d, in, "bar_warp_sync") != NULL;
    }
    in.flags |= INSN_BLOCK_BARRIER;
    in.site = decode_new_plain_site(d, SITE_BARRIER, 0);
    if (decode_take(d, WORD_RED)) {
        const char *mode = TAKE_ONE(d, WORD_POPC, WORD_AND, WORD_OR);
        bool popc = decode_take_type(d) == PTX_U32, negated;
        unsigned count = d->in->operand_count;
        if (mode == NULL || !decode_all_taken(d) || !decode_operands_are(d, 3, 4) ||
            !decode_destination(d, operand(d, 0), popc ? WIDTH_32 : WIDTH_PREDICATE, &in.d) ||
            !decode_source(d, operand(d, 1), PTX_U32, &in.a) ||
            (count == 4 && !decode_source(d, operand(d, 2), PTX_U32, &in.b)) ||
            !decode_predicate_source(d, operand(d, count - 1), &in.c, &negated)) {
            return false;
        }
        in.flags |= negated ? INSN_C_NEGATED : 0;
        return decode_emit(d, in, "bar_red_%s", mode) != NULL;
    }
    const char *mode = TAKE_ONE(d, WORD_SYNC, WORD_ARRIVE);
    return mode != NULL && decode_all_taken(d) && decode_operands_are(d, 1, 2) &&
           decode_source(d, operand(d, 0), PTX_U32, &in.a) &&
           (d->in->operand_count == 1 || decode_source(d, operand(d, 1), PTX_U32, &in.b)) &&
           decode_emit(d, in, "bar_%s", mode) != NULL;
}

/* A block runs on one thread of this machine: what orders memory for its own threads alone does
 * nothing. */
bool decode_fence(struct decoder *d)
{
    const bool for_others = !ptx_has_modifier(d->in, WORD_CTA);
    return decode_emit(d, decode_blank(), for_others ? "fence" : "fence_block") != NULL;
}

bool decode_nanosleep(struct decoder *d)
{
    decode_take_type(d);
    return decode_all_taken(d) && decode_emit(d, decode_blank(), "nanosleep") != NULL;
}

bool decode_trap(struct decoder *d) { return decode_emit(d, decode_blank(), "trap") != NULL; }

bool decode_exit(struct decoder *d)
{
    decode_take(d, WORD_UNI);
    bool leaves_kernel = d->in->op == PTX_OP_EXIT || d->kf->index == 0;
    return decode_all_taken(d) &&
           decode_emit(d, decode_blank(), leaves_kernel ? "exit" : "ret") != NULL;
}
