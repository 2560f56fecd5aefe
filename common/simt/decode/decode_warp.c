/* decode_warp.c - instructions by which lanes and warps wait for each other, and those that end a
 * thread. */
#include "decode/decoder.h"

#include <string.h>

/* --- warps and blocks ------------------------------------------------------------------------ */

/* shfl.sync.MODE.b32 d|p, a, b, c, membermask */
bool decode_shfl(struct decoder *d)
{
    struct insn in = blank();
    uint32_t members;
    if (!take(d, WORD_SYNC)) {
        return reject(d, "the form without .sync left CUDA with version 9");
    }
    const char *mode = take(d, WORD_UP)     ? "up"
                       : take(d, WORD_DOWN) ? "down"
                       : take(d, WORD_BFLY) ? "bfly"
                       : take(d, WORD_IDX)  ? "idx"
                                            : "?";
    take_type(d);
    if (!all_taken(d) || !operands_are(d, 5, 5)) {
        return false;
    }
    const struct ptx_operand *to = operand(d, 0);
    if (to->kind == PTX_OPERAND_PAIR && !destination(d, &to->items[1], WIDTH_PREDICATE, &in.e)) {
        return false;
    }
    if (!destination(d, to->kind == PTX_OPERAND_PAIR ? &to->items[0] : to, WIDTH_32, &in.d) ||
        !source(d, operand(d, 1), PTX_B32, &in.a) || !source(d, operand(d, 2), PTX_B32, &in.b) ||
        !source(d, operand(d, 3), PTX_B32, &in.c) || !source(d, operand(d, 4), PTX_B32, &members)) {
        return false;
    }
    in.members = members;
    return emit(d, in, "shfl_%s", mode) != NULL;
}

bool decode_vote(struct decoder *d)
{
    struct insn in = blank();
    bool negated;
    if (!take(d, WORD_SYNC)) {
        return reject(d, "the form without .sync left CUDA with version 9");
    }
    const char *mode = take(d, WORD_BALLOT) ? "ballot"
                       : take(d, WORD_ALL)  ? "all"
                       : take(d, WORD_ANY)  ? "any"
                       : take(d, WORD_UNI)  ? "uni"
                                            : "?";
    enum ptx_type type = take_type(d);
    if (!all_taken(d) || !operands_are(d, 3, 3) ||
        !destination(d, operand(d, 0), type == PTX_PRED ? WIDTH_PREDICATE : WIDTH_32, &in.d) ||
        !predicate_source(d, operand(d, 1), &in.a, &negated) ||
        !source(d, operand(d, 2), PTX_B32, &in.b)) {
        return false;
    }
    in.flags |= negated ? INSN_A_NEGATED : 0;
    return emit(d, in, "vote_%s", mode) != NULL;
}

bool decode_match(struct decoder *d)
{
    struct insn in = blank();
    take(d, WORD_SYNC);
    const char *mode = take(d, WORD_ANY) ? "any" : take(d, WORD_ALL) ? "all" : "?";
    enum ptx_type type = take_type(d);
    if (!all_taken(d) || !operands_are(d, 3, 3)) {
        return false;
    }
    const struct ptx_operand *to = operand(d, 0);
    if (to->kind == PTX_OPERAND_PAIR && !destination(d, &to->items[1], WIDTH_PREDICATE, &in.e)) {
        return false;
    }
    return destination(d, to->kind == PTX_OPERAND_PAIR ? &to->items[0] : to, WIDTH_32, &in.d) &&
           source(d, operand(d, 1), type, &in.a) && source(d, operand(d, 2), PTX_B32, &in.b) &&
           emit(d, in, "match_%s_b%u", mode, bits_of(type)) != NULL;
}

bool decode_redux(struct decoder *d)
{
    struct insn in = blank();
    take(d, WORD_SYNC);
    const char *name = TAKE_ONE(d, WORD_ADD, WORD_MIN, WORD_MAX, WORD_AND, WORD_OR, WORD_XOR);
    enum ptx_type type = take_type(d);
    return all_taken(d) && operands_are(d, 3, 3) &&
           destination(d, operand(d, 0), WIDTH_32, &in.d) &&
           source(d, operand(d, 1), type, &in.a) && source(d, operand(d, 2), PTX_B32, &in.b) &&
           emit(d, in, "redux_%s_%s", name, ptx_type_name(type)) != NULL;
}

bool decode_activemask(struct decoder *d)
{
    struct insn in = blank();
    take_type(d);
    return all_taken(d) && operands_are(d, 1, 1) &&
           destination(d, operand(d, 0), WIDTH_32, &in.d) && emit(d, in, "activemask") != NULL;
}

/* bar.sync a{, b}; bar.arrive a, b; bar.red.popc.u32 d, a{, b}, p; bar.warp.sync mask; the same
 * spelled barrier{.cta}, where .aligned may be missing: lanes are held to it all the same. */
bool decode_barrier(struct decoder *d)
{
    struct insn in = blank();
    take(d, WORD_CTA);
    take(d, WORD_ALIGNED);
    if (take(d, WORD_WARP)) {
        in.flags |= INSN_ANY_POINT;
        return take(d, WORD_SYNC) && all_taken(d) && operands_are(d, 1, 1) &&
               source(d, operand(d, 0), PTX_B32, &in.a) && emit(d, in, "bar_warp_sync") != NULL;
    }
    in.flags |= INSN_BLOCK_BARRIER;
    in.site = new_plain_site(d, SITE_BARRIER, 0);
    if (take(d, WORD_RED)) {
        const char *mode = take(d, WORD_POPC)  ? "popc"
                           : take(d, WORD_AND) ? "and"
                           : take(d, WORD_OR)  ? "or"
                                               : "?";
        bool popc = take_type(d) == PTX_U32, negated;
        unsigned count = d->in->operand_count;
        if (!all_taken(d) || !operands_are(d, 3, 4) ||
            !destination(d, operand(d, 0), popc ? WIDTH_32 : WIDTH_PREDICATE, &in.d) ||
            !source(d, operand(d, 1), PTX_U32, &in.a) ||
            (count == 4 && !source(d, operand(d, 2), PTX_U32, &in.b)) ||
            !predicate_source(d, operand(d, count - 1), &in.c, &negated)) {
            return false;
        }
        in.flags |= negated ? INSN_C_NEGATED : 0;
        return emit(d, in, "bar_red_%s", mode) != NULL;
    }
    const char *mode = take(d, WORD_SYNC) ? "sync" : take(d, WORD_ARRIVE) ? "arrive" : "?";
    return all_taken(d) && operands_are(d, 1, 2) && source(d, operand(d, 0), PTX_U32, &in.a) &&
           (d->in->operand_count == 1 || source(d, operand(d, 1), PTX_U32, &in.b)) &&
           emit(d, in, "bar_%s", mode) != NULL;
}

/* Fences order memory for other threads: the simulator's stores are visible at once. Prefetches,
 * and hints of the kind, move nothing that counts. */
bool decode_nothing(struct decoder *d) { return emit(d, blank(), "nop") != NULL; }

bool decode_nanosleep(struct decoder *d)
{
    take_type(d);
    return all_taken(d) && emit(d, blank(), "nanosleep") != NULL;
}

bool decode_trap(struct decoder *d) { return emit(d, blank(), "trap") != NULL; }

bool decode_exit(struct decoder *d)
{
    take(d, WORD_UNI);
    bool leaves_kernel = d->in->op == PTX_OP_EXIT || d->kf->index == 0;
    return all_taken(d) && emit(d, blank(), leaves_kernel ? "exit" : "ret") != NULL;
}
