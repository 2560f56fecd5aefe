/* decode_mbarrier.c - barriers that lie in shared memory: mbarrier.* and cp.async.mbarrier.arrive.
 */
#include "decode/decoder.h"

#include <string.h>

/* d: result; a, offset: address; b: count, state, parity or bytes; c: bytes that are expected. */
static bool emit(struct decoder *d, struct insn in, const char *verb)
{
    in.bytes = 8;
    return decode_emit(d, in, "mbarrier_%s", verb) != NULL;
}

/* Generic addresses and those of shared memory of the own block. */
static bool take_space(struct decoder *d, struct insn *in)
{
    in->space = (uint8_t)decode_take_space(d);
    return in->space == PTX_SHARED || in->space == PTX_GENERIC ||
           decode_reject(d, "this state space");
}

/* mbarrier.init [a], count; inval [a]; expect_tx [a], bytes; complete_tx [a], bytes */
static bool without_result(struct decoder *d, struct insn in, const char *verb)
{
    const unsigned count = strcmp(verb, "inval") == 0 ? 1 : 2;
    return decode_operands_are(d, count, count) && decode_address(d, operand(d, 0), &in) &&
           (count == 1 || decode_source(d, operand(d, 1), PTX_U32, &in.b)) && emit(d, in, verb);
}

/* mbarrier.arrive{_drop}{.expect_tx} state, [a]{, count or bytes} */
static bool arrival(struct decoder *d, struct insn in, const char *verb)
{
    const bool expects = decode_take(d, WORD_EXPECT_TX);
    decode_take(d, WORD_NOCOMPLETE);
    in.b = decode_constant32(d, 1);
    if (!decode_all_taken(d) || !decode_operands_are(d, expects ? 3 : 2, 3) ||
        !decode_address(d, operand(d, 1), &in) ||
        !decode_destination(d, operand(d, 0), WIDTH_64, &in.d)) {
        return false;
    }
    if (d->in->operand_count == 3 &&
        !decode_source(d, operand(d, 2), PTX_U32, expects ? &in.c : &in.b)) {
        return false;
    }
    return emit(d, in, verb);
}

/* mbarrier.test_wait{.parity} p, [a], state or parity; try_wait has a time, too, and here does not
 * wait either. */
static bool test(struct decoder *d, struct insn in, bool tries)
{
    const bool parity = decode_take(d, WORD_PARITY);
    static const char *const verbs[2][2] = {{"test", "test_parity"}, {"try", "try_parity"}};
    const char *verb = verbs[tries][parity];
    return decode_all_taken(d) && decode_operands_are(d, 3, 4) &&
           decode_address(d, operand(d, 1), &in) &&
           decode_destination(d, operand(d, 0), WIDTH_PREDICATE, &in.d) &&
           decode_source(d, operand(d, 2), parity ? PTX_U32 : PTX_B64, &in.b) && emit(d, in, verb);
}

static bool pending_count(struct decoder *d)
{
    struct insn in = decode_blank();
    return decode_all_taken(d) && decode_operands_are(d, 2, 2) &&
           decode_destination(d, operand(d, 0), WIDTH_32, &in.d) &&
           decode_source(d, operand(d, 1), PTX_B64, &in.b) && emit(d, in, "pending");
}

bool decode_mbarrier(struct decoder *d)
{
    struct insn in = decode_blank();
    const char *verb =
        TAKE_ONE(d, WORD_INIT, WORD_INVAL, WORD_ARRIVE, WORD_ARRIVE_DROP, WORD_TEST_WAIT,
                 WORD_TRY_WAIT, WORD_PENDING_COUNT, WORD_EXPECT_TX, WORD_COMPLETE_TX);
    decode_take_type(d);
    if (verb == NULL) {
        return false;
    }
    if (strcmp(verb, "pending_count") == 0) {
        return pending_count(d);
    }
    decode_take_hints(d); /* .release, .acquire, .relaxed and a scope: both hold for the block */
    if (!take_space(d, &in)) {
        return false;
    }
    if (strncmp(verb, "arrive", 6) == 0) {
        return arrival(d, in, verb);
    }
    if (strcmp(verb, "test_wait") == 0 || strcmp(verb, "try_wait") == 0) {
        return test(d, in, strcmp(verb, "try_wait") == 0);
    }
    return decode_all_taken(d) && without_result(d, in, verb);
}

/* cp.async.mbarrier.arrive{.noinc}.shared.b64 [a]: the copies of the thread so far are complete at
 * once, and so is this arrival; without .noinc it is one that the barrier's count does not include.
 */
static bool barrier_of_copies(struct decoder *d)
{
    struct insn in = decode_blank();
    const bool counted = decode_take(d, WORD_ARRIVE) && decode_take(d, WORD_NOINC);
    decode_take_type(d);
    in.b = decode_constant32(d, counted ? 1 : 0);
    return take_space(d, &in) && decode_all_taken(d) && decode_operands_are(d, 1, 1) &&
           decode_address(d, operand(d, 0), &in) && emit(d, in, "copies");
}

/* --- cp.async -------------------------------------------------------------------------------- */

/* How many bytes are read, or a predicate: the source is not read where it holds. */
static bool bytes_read(struct decoder *d, const struct ptx_operand *o, struct insn *copy)
{
    struct insn choose = decode_blank();
    bool negated;
    if (decode_register_type(d, o) != PTX_PRED) {
        return decode_source(d, o, PTX_U32, &copy->c);
    }
    copy->c = choose.d = decode_frame_room(d, 128);
    choose.a = decode_constant32(d, o->negated ? copy->bytes : 0);
    choose.b = decode_constant32(d, o->negated ? 0 : copy->bytes);
    return decode_predicate_source(d, o, &choose.c, &negated) &&
           decode_emit(d, choose, "selp_32") != NULL;
}

static bool is_all_or_none(const struct ptx_operand *o, uint64_t bytes)
{
    return o->kind == PTX_OPERAND_INT && (o->bits == 0 || o->bits == bytes);
}

static const struct ptx_insn *writer_of(const struct decoder *d, const struct ptx_operand *o)
{
    const bool reg = o->kind == PTX_OPERAND_REG;
    const uint32_t writer = reg ? ir_only_writer(d->ir, o->reg) : IR_NONE;
    return writer != IR_NONE ? d->ir->insns[writer].text : NULL;
}

static bool is_masked(const struct ptx_insn *in, uint64_t mask)
{
    return in != NULL && in->op == PTX_OP_AND && in->operands[2].kind == PTX_OPERAND_INT &&
           in->operands[2].bits == mask;
}

/* ptxas sees that the number of bytes is all or none, and copies under a predicate: of constants,
 * of `p ? 16 : 0`, also as compilers write it, `x & 16` and `(x & 1) << 4`. */
static bool is_sized(struct decoder *d, const struct ptx_operand *o, uint64_t bytes)
{
    const struct ptx_insn *in = writer_of(d, o);
    if (o->kind != PTX_OPERAND_REG || decode_register_type(d, o) == PTX_PRED || in == NULL) {
        return o->kind == PTX_OPERAND_REG && decode_register_type(d, o) != PTX_PRED;
    }
    switch (in->op) {
    case PTX_OP_MOV:
        return !is_all_or_none(&in->operands[1], bytes);
    case PTX_OP_SELP:
        return !is_all_or_none(&in->operands[1], bytes) || !is_all_or_none(&in->operands[2], bytes);
    case PTX_OP_SHL:
        return in->operands[2].kind != PTX_OPERAND_INT ||
               1u << in->operands[2].bits % 32 != bytes ||
               !is_masked(writer_of(d, &in->operands[1]), 1);
    default:
        return !is_masked(in, bytes);
    }
}

/* cp.async.ca.shared.global [d], [a], bytes{, read}; commit_group and wait_group do nothing, as a
 * copy is complete at once. */
bool decode_copy_async(struct decoder *d)
{
    struct insn in = decode_blank(), from = decode_blank();
    if (!decode_take(d, WORD_ASYNC)) {
        return decode_reject(d, "only cp.async is executed");
    }
    if (decode_take(d, WORD_BULK)) {
        return decode_bulk(d);
    }
    if (decode_take(d, WORD_MBARRIER)) {
        return barrier_of_copies(d);
    }
    if (decode_take(d, WORD_COMMIT_GROUP) || decode_take(d, WORD_WAIT_GROUP) ||
        decode_take(d, WORD_WAIT_ALL)) {
        return decode_all_taken(d) && decode_emit(d, decode_blank(), "async_group") != NULL;
    }
    const bool bypasses = ptx_has_modifier(d->in, WORD_CG);
    decode_take_hints(d);
    if (!(decode_take(d, WORD_SHARED) || decode_take(d, WORD_SHARED_CTA)) ||
        !decode_take(d, WORD_GLOBAL)) {
        return decode_reject(d, "only copies from global to shared memory");
    }
    if (!decode_all_taken(d) || !decode_operands_are(d, 3, 4) ||
        d->in->operands[2].kind != PTX_OPERAND_INT || !decode_address(d, operand(d, 0), &in) ||
        !decode_address(d, operand(d, 1), &from)) {
        return false;
    }
    uint64_t bytes = d->in->operands[2].bits;
    if (bytes != 4 && bytes != 8 && bytes != 16) {
        return decode_reject(d, "%llu bytes; a copy moves 4, 8 or 16", (unsigned long long)bytes);
    }
    if (!(from.flags & INSN_ADDRESS64)) {
        return decode_reject(d, "a 32-bit global address");
    }
    in.bytes = (uint8_t)bytes;
    in.b = from.a;
    in.e = decode_constant64(d, (uint64_t)from.offset);
    if (decode_operand_count(d) == 4 && !bytes_read(d, operand(d, 3), &in)) {
        return false;
    }
    in.site = decode_new_site(d, SITE_GLOBAL_LOAD, 1);
    decode_new_site(d, SITE_COPY, 1); /* hardware has counters of its own for copies */
    decode_new_site(d, SITE_COPY_BANKS, 1);
    in.flags |= bypasses ? INSN_BYPASS : 0;
    in.flags |= decode_operand_count(d) == 4 && is_sized(d, operand(d, 3), bytes) ? INSN_SIZED : 0;
    return decode_emit(d, in, "cp_async") != NULL;
}
