/* decode_hint.c - instructions that a program's results do not depend on: what caches should keep,
 * how many registers a warp wants, when the next grid may begin. */
#include "decode/decoder.h"

#include <string.h>

static bool nothing(struct decoder *d) { return decode_emit(d, decode_blank(), "nop") != NULL; }

/* prefetch, prefetchu, discard, applypriority */
bool decode_hint(struct decoder *d) { return nothing(d); }

/* pmevent 3; pmevent.mask 0x8 */
bool decode_pmevent(struct decoder *d)
{
    const uint64_t most = decode_take(d, WORD_MASK) ? 0xffff : 15, number = operand(d, 0)->bits;
    if (!decode_all_taken(d) || !decode_operands_are(d, 1, 1)) {
        return false;
    }
    if (operand(d, 0)->kind != PTX_OPERAND_INT || number > most) {
        return decode_reject(d, "an event that is no number from 0 to %u", (unsigned)most);
    }
    return nothing(d);
}

/* griddepcontrol.wait, .launch_dependents: a grid begins when those before it have ended. */
bool decode_griddepcontrol(struct decoder *d)
{
    return (decode_take(d, WORD_WAIT) || decode_take(d, WORD_LAUNCH_DEPENDENTS)) &&
           decode_all_taken(d) && decode_operands_are(d, 0, 0) && nothing(d);
}

/* setmaxnreg.inc.sync.aligned.u32 240 */
bool decode_setmaxnreg(struct decoder *d)
{
    const bool known = decode_take(d, WORD_INC) || decode_take(d, WORD_DEC);
    const uint64_t count = operand(d, 0)->bits;
    decode_take(d, WORD_SYNC);
    decode_take(d, WORD_ALIGNED);
    decode_take_type(d);
    if (!known || !decode_all_taken(d) || !decode_operands_are(d, 1, 1)) {
        return false;
    }
    if (operand(d, 0)->kind != PTX_OPERAND_INT || count < 24 || count > 256 || count % 8 != 0) {
        return decode_reject(d, "a number of registers that is no multiple of 8 from 24 to 256");
    }
    return nothing(d);
}

/* --- cache policies: 64 bits that programs hand on unseen ------------------------------------- */

/* The priorities of lines: of those that hit, and of the others. */
enum priority { PRIORITY_UNCHANGED, PRIORITY_NORMAL, PRIORITY_FIRST, PRIORITY_LAST, PRIORITY_NONE };

static enum priority take_priority(struct decoder *d)
{
    static const char *const names[] = {"L2::evict_unchanged", "L2::evict_normal",
                                        "L2::evict_first", "L2::evict_last"};
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        for (unsigned p = 0; p < ARRAY_LENGTH(names); p++) {
            if (!(d->taken >> i & 1u) && strcmp(d->in->modifiers[i].text, names[p]) == 0) {
                d->taken |= 1u << i;
                return (enum priority)p;
            }
        }
    }
    return PRIORITY_NONE;
}

/* createpolicy.cvt.L2.b64 policy, property */
static bool convert_policy(struct decoder *d)
{
    struct insn in = decode_blank();
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        d->taken |= (uint32_t)(strcmp(d->in->modifiers[i].text, "L2") == 0) << i;
    }
    return decode_take_type(d) == PTX_B64 && TYPED_OPERANDS(d, &in, PTX_B64, PTX_B64) &&
           decode_emit(d, in, "mov_64") != NULL;
}

/* createpolicy.fractional.L2::PRIMARY{.L2::SECONDARY}.b64 policy{, fraction} */
static bool fractional_policy(struct decoder *d, struct insn in)
{
    in.a = decode_constant32(d, 0x3f800000u); /* all of them */
    return decode_all_taken(d) && decode_operands_are(d, 1, 2) &&
           decode_destination(d, operand(d, 0), WIDTH_64, &in.d) &&
           (d->in->operand_count == 1 || decode_source(d, operand(d, 1), PTX_F32, &in.a)) &&
           decode_emit(d, in, "policy_of_fraction") != NULL;
}

/* createpolicy.range{.global}.L2::PRIMARY{.L2::SECONDARY}.b64 policy, [a], bytes, bytes in all */
static bool range_policy(struct decoder *d, struct insn in)
{
    decode_take(d, WORD_GLOBAL);
    return decode_all_taken(d) && decode_operands_are(d, 4, 4) &&
           decode_destination(d, operand(d, 0), WIDTH_64, &in.d) &&
           decode_address(d, operand(d, 1), &in) &&
           decode_source(d, operand(d, 2), PTX_U32, &in.b) &&
           decode_source(d, operand(d, 3), PTX_U32, &in.c) &&
           decode_emit(d, in, "policy_of_range") != NULL;
}

bool decode_createpolicy(struct decoder *d)
{
    struct insn in = decode_blank();
    if (decode_take(d, WORD_CVT)) {
        return convert_policy(d);
    }
    const bool fraction = decode_take(d, WORD_FRACTIONAL);
    const enum priority primary = take_priority(d), secondary = take_priority(d);
    if (decode_take_type(d) != PTX_B64 || primary == PRIORITY_NONE) {
        return false;
    }
    in.move = (uint8_t)primary;
    in.elements = (uint8_t)(secondary == PRIORITY_NONE ? PRIORITY_UNCHANGED : secondary);
    return fraction ? fractional_policy(d, in) : decode_take(d, WORD_RANGE) && range_policy(d, in);
}
