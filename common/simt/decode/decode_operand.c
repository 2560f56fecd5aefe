/* decode_operand.c - what an instruction is made of in the text: modifiers, registers, special
 * registers, operands; each becomes a reference. */
#include "decode/decoder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANE_BYTES_32 = 128 };

bool decode_reject(struct decoder *d, const char *why, ...)
{
    char reason[300];
    va_list args;
    va_start(args, why);
    vsnprintf(reason, sizeof reason, why, args);
    va_end(args);
    return ir_reject(&d->context, d->in, "%s", reason);
}

/* --- modifiers ------------------------------------------------------------------------------- */

bool decode_take(struct decoder *d, enum ptx_word word)
{
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        if (!(d->taken >> i & 1u) && d->in->modifiers[i].word == word) {
            d->taken |= 1u << i;
            return true;
        }
    }
    return false;
}

const char *decode_take_any(struct decoder *d, const enum ptx_word *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (decode_take(d, words[i])) {
            return ptx_word_text(words[i]);
        }
    }
    return NULL;
}

const char *decode_take_one(struct decoder *d, const enum ptx_word *words, unsigned count)
{
    const char *text = decode_take_any(d, words, count);
    char list[200] = "";
    if (text != NULL) {
        return text;
    }
    for (unsigned i = 0, used = 0; i < count && used < sizeof list; i++) {
        const char *before = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        used += (unsigned)snprintf(list + used, sizeof list - used, "%s.%s", before,
                                   ptx_word_text(words[i]));
    }
    decode_reject(d, "it needs %s", list);
    return NULL;
}

enum ptx_type decode_take_type(struct decoder *d)
{
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        enum ptx_type type = d->in->modifiers[i].type;
        if (!(d->taken >> i & 1u) && type != PTX_NO_TYPE) {
            d->taken |= 1u << i;
            return type;
        }
    }
    return PTX_NO_TYPE;
}

enum ptx_space decode_take_space(struct decoder *d)
{
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        enum ptx_word word = d->in->modifiers[i].word;
        enum ptx_space space = word == WORD_PARAM_FUNC ? PTX_GENERIC : ptx_word_space(word);
        if (!(d->taken >> i & 1u) && space != PTX_GENERIC) {
            d->taken |= 1u << i;
            return space;
        }
    }
    return PTX_GENERIC;
}

unsigned decode_take_elements(struct decoder *d)
{
    static const enum ptx_word words[] = {WORD_V2, WORD_V4, WORD_V8};
    for (unsigned i = 0; i < ARRAY_LENGTH(words); i++) {
        if (decode_take(d, words[i])) {
            return 2u << i;
        }
    }
    return 1;
}

uint32_t decode_take_rounding(struct decoder *d)
{
    static const struct {
        enum ptx_word word;
        enum insn_rounding rounding;
    } modes[] = {{WORD_RN, ROUND_NEAREST}, {WORD_RZ, ROUND_ZERO},     {WORD_RM, ROUND_DOWN},
                 {WORD_RP, ROUND_UP},      {WORD_RNI, ROUND_NEAREST}, {WORD_RZI, ROUND_ZERO},
                 {WORD_RMI, ROUND_DOWN},   {WORD_RPI, ROUND_UP}};
    for (unsigned i = 0; i < ARRAY_LENGTH(modes); i++) {
        if (decode_take(d, modes[i].word)) {
            return (uint32_t)modes[i].rounding << INSN_ROUND_SHIFT;
        }
    }
    return 0;
}

bool decode_all_taken(struct decoder *d)
{
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        if (!(d->taken >> i & 1u)) {
            return decode_reject(d, "modifier .%s", d->in->modifiers[i].text);
        }
    }
    return true;
}

/* --- constants and registers ----------------------------------------------------------------- */

const struct variable *decode_find_variable(const struct decoder *d, const char *name)
{
    unsigned index;
    return names_find(&d->names, name, &index) ? &d->variables[index] : NULL;
}

void decode_add_variable(struct decoder *d, const char *name, struct variable s)
{
    d->variables = arena_grow(&d->scratch, d->variables, d->variable_count, &d->variable_capacity,
                              sizeof *d->variables);
    d->variables[d->variable_count] = s;
    names_add(&d->names, name, d->variable_count++);
}

enum ptx_type decode_register_type(const struct decoder *d, const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REG && o->reg != PTX_NO_REG ? d->ir->regs[o->reg].type
                                                              : PTX_NO_TYPE;
}

/* It gets a slot at its first use, so unused registers take no room. */
bool decode_register_ref(struct decoder *d, uint32_t reg, enum register_width width, uint32_t *ref)
{
    const struct ir_reg *r = &d->ir->regs[reg];
    if (ptx_type_bytes(r->type) > 8) {
        return decode_reject(d, "128-bit registers");
    }
    if (decode_width_of(r->type) != width) {
        return decode_reject(d, "register %s of type .%s does not have the operand's width",
                             r->name, ptx_type_name(r->type));
    }
    if (d->slots[reg] == NO_REF) {
        d->slots[reg] = decode_register_room(d, r->type);
    }
    *ref = d->slots[reg];
    return true;
}

static bool declared_ref(struct decoder *d, const struct ptx_operand *o, enum register_width width,
                         uint32_t *ref)
{
    if (o->part != NULL || (o->negated && width != WIDTH_PREDICATE)) {
        const char *sign = o->negated ? "-" : "", *part = o->part != NULL ? o->part : "";
        return decode_reject(d,
                             "%s%s%s%s as an operand: only video instructions read parts of "
                             "registers, and only vmad negated ones",
                             sign, o->name, o->part != NULL ? "." : "", part);
    }
    return o->reg != PTX_NO_REG ? decode_register_ref(d, o->reg, width, ref)
                                : decode_reject(d, "register %s is not declared", o->name);
}

/* --- special registers ----------------------------------------------------------------------- */

static const enum special slot_of_special[PTX_SPECIAL_COUNT] = {
#define SPECIAL(id, text, slot, uniform) [PTX_SPECIAL_##id] = SPECIAL_##slot,
#include "ptx/ptx_specials.def"
#undef SPECIAL
};

static bool special_ref(struct decoder *d, const struct ptx_operand *o, enum register_width width,
                        uint32_t *ref)
{
    const enum special slot = slot_of_special[o->special];
    if (slot == SPECIAL_NO_SLOT) {
        return decode_reject(d, "clock %s in another instruction than mov", o->name);
    }
    if (width != WIDTH_32) {
        return decode_reject(d, "special register %s as a 64-bit operand", o->name);
    }
    d->k->uses_workspace |= slot == SPECIAL_WORKSPACE_LOW;
    d->k->uses_reserved |= slot >= SPECIAL_RESERVED_0 && slot <= SPECIAL_RESERVED_SIZE;
    d->k->uses_cluster |= slot >= SPECIAL_CLUSTERID_X;
    *ref = (uint32_t)slot * LANE_BYTES_32 | REF_SPECIAL;
    return true;
}

/* --- operands -------------------------------------------------------------------------------- */

bool decode_symbol_address(struct decoder *d, const char *name, uint64_t *address)
{
    const struct variable *s = decode_find_variable(d, name);
    unsigned value;
    if (s != NULL) {
        *address = s->offset;
        return s->kind == VARIABLE_SHARED || s->kind == VARIABLE_ENTRY_PARAM;
    }
    if (names_find(&d->shared, name, &value)) {
        *address = value;
        return true;
    }
    if (names_find(&d->functions, name, &value)) {
        *address = function_address(value);
        return true;
    }
    return d->world->variable(d->world->state, name, address);
}

static uint64_t immediate_bits(const struct ptx_operand *o, enum ptx_type type)
{
    uint64_t bits = o->bits;
    if (o->kind == PTX_OPERAND_FLOAT && o->is_double && type == PTX_F32) {
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        float narrow = (float)wide;
        uint32_t narrow_bits;
        memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
        return narrow_bits;
    }
    if (o->kind == PTX_OPERAND_FLOAT && !o->is_double && type == PTX_F64) {
        float narrow;
        uint32_t narrow_bits = (uint32_t)bits;
        memcpy(&narrow, &narrow_bits, sizeof narrow);
        double wide = narrow;
        memcpy(&bits, &wide, sizeof bits);
    }
    unsigned bytes = ptx_type_bytes(type);
    return bytes >= 8 ? bits : bits & (((uint64_t)1 << 8 * bytes) - 1);
}

static uint32_t constant_of(struct decoder *d, uint64_t bits, enum register_width width)
{
    return width == WIDTH_64 ? decode_constant64(d, bits) : decode_constant32(d, (uint32_t)bits);
}

bool decode_source(struct decoder *d, const struct ptx_operand *o, enum ptx_type type,
                   uint32_t *ref)
{
    enum register_width width = decode_width_of(type);
    uint64_t address;
    switch (o->kind) {
    case PTX_OPERAND_REG:
        return declared_ref(d, o, width, ref);
    case PTX_OPERAND_SPECIAL:
        return special_ref(d, o, width, ref);
    case PTX_OPERAND_SINK:
        return decode_reject(d, "register _ is not declared");
    case PTX_OPERAND_INT:
    case PTX_OPERAND_FLOAT:
        *ref = constant_of(d, immediate_bits(o, type), width);
        return true;
    case PTX_OPERAND_SYMBOL:
        if (!decode_symbol_address(d, o->name, &address)) {
            return decode_reject(d, "operand %s", o->name);
        }
        *ref = constant_of(d, address + o->bits, width);
        return true;
    default:
        return decode_reject(d, "an operand of this form");
    }
}

/* Handlers that can do without their result: those of predicates, vectors, atomics and shuffles. */
static bool may_drop_result(const struct decoder *d, enum register_width width)
{
    return width == WIDTH_PREDICATE || operand(d, 0)->kind == PTX_OPERAND_VECTOR ||
           op_is(d->in->op, OP_MAY_DROP);
}

bool decode_destination(struct decoder *d, const struct ptx_operand *o, enum register_width width,
                        uint32_t *ref)
{
    if (o->kind == PTX_OPERAND_SINK) {
        *ref = NO_REF;
        return may_drop_result(d, width) || decode_reject(d, "a result that is not kept");
    }
    return o->kind == PTX_OPERAND_REG ? declared_ref(d, o, width, ref)
                                      : decode_reject(d, "a destination that is no register");
}

bool decode_value(struct decoder *d, const struct ptx_operand *o, bool is_result,
                  enum ptx_type type, uint32_t *ref)
{
    return is_result ? decode_destination(d, o, decode_width_of(type), ref)
                     : decode_source(d, o, type, ref);
}

bool decode_predicate_source(struct decoder *d, const struct ptx_operand *o, uint32_t *ref,
                             bool *negated)
{
    *negated = o->negated;
    if (o->kind == PTX_OPERAND_INT) { /* true or false, written as a number */
        *ref = decode_constant32(d, o->bits != 0 ? FULL_MASK : 0);
        return true;
    }
    if (o->kind != PTX_OPERAND_REG) {
        return decode_reject(d, "a predicate that is no register");
    }
    return declared_ref(d, o, WIDTH_PREDICATE, ref);
}

unsigned decode_operand_count(const struct decoder *d)
{
    const bool policy = ptx_has_modifier(d->in, WORD_CACHE_HINT);
    return d->in->operand_count - (policy && d->in->operand_count > 0 ? 1 : 0);
}

bool decode_operands_are(struct decoder *d, unsigned least, unsigned most)
{
    const unsigned count = decode_operand_count(d);
    uint32_t policy;
    if (count < least || count > most) {
        return decode_reject(d, "%u operands, expected %u", count, least);
    }
    return count == d->in->operand_count || decode_source(d, operand(d, count), PTX_B64, &policy);
}
