/* decode_operand.c - what an instruction is made of: modifiers, constants, registers, special
 * registers, operands; and the one way to append a decoded instruction. */
#include "decode/decoder.h"
#include "base/demangle.h"

#include "base/launch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANE_BYTES_32 = 128, LANE_BYTES_64 = 256 };

/* --- refusals -------------------------------------------------------------------------------- */

static void instruction_text(const struct ptx_insn *in, char *text, size_t size)
{
    int used = snprintf(text, size, "%s", in->op_name);
    for (unsigned i = 0; i < in->modifier_count && used >= 0 && (size_t)used < size; i++) {
        used += snprintf(text + used, size - (size_t)used, ".%s", in->modifiers[i]);
    }
}

static void source_place(const struct decoder *d, char *text, size_t size)
{
    const struct ptx_loc *loc = ptx_user_line(d->m, d->in->loc);
    const char *file = loc->file < d->m->file_count ? d->m->files[loc->file] : NULL;
    if (loc->line != 0 && file != NULL) {
        const char *slash = strrchr(file, '/');
        snprintf(text, size, "%s:%u (PTX line %u)", slash != NULL ? slash + 1 : file, loc->line,
                 d->in->text_line);
    } else {
        snprintf(text, size, "PTX line %u", d->in->text_line);
    }
}

bool refuse(struct decoder *d, const char *why, ...)
{
    char reason[300], text[160], place[300], kernel[200];
    va_list args;
    va_start(args, why);
    vsnprintf(reason, sizeof reason, why, args);
    va_end(args);
    instruction_text(d->in, text, sizeof text);
    source_place(d, place, sizeof place);
    demangle_signature(d->k->name, kernel, sizeof kernel);
    return err_set_code(d->e, SIMT_NOT_SUPPORTED, "kernel %s at %s: %s is not supported: %s",
                        kernel, place, text, reason);
}

/* --- modifiers ------------------------------------------------------------------------------- */

bool take(struct decoder *d, const char *modifier)
{
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        if (!(d->taken >> i & 1u) && strcmp(d->in->modifiers[i], modifier) == 0) {
            d->taken |= 1u << i;
            return true;
        }
    }
    return false;
}

enum ptx_type take_type(struct decoder *d)
{
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        enum ptx_type type = ptx_type_from_name(d->in->modifiers[i]);
        if (!(d->taken >> i & 1u) && type != PTX_NO_TYPE) {
            d->taken |= 1u << i;
            return type;
        }
    }
    return PTX_NO_TYPE;
}

enum ptx_space take_space(struct decoder *d)
{
    return take(d, "global")                             ? PTX_GLOBAL
           : take(d, "shared") || take(d, "shared::cta") ? PTX_SHARED
           : take(d, "local")                            ? PTX_LOCAL
           : take(d, "const")                            ? PTX_CONST
           : take(d, "param") || take(d, "param::entry") ? PTX_PARAM
                                                         : PTX_GENERIC;
}

uint32_t take_rounding(struct decoder *d)
{
    static const struct {
        const char *name;
        enum insn_rounding rounding;
    } modes[] = {{"rn", ROUND_NEAREST}, {"rz", ROUND_ZERO},     {"rm", ROUND_DOWN},
                 {"rp", ROUND_UP},      {"rni", ROUND_NEAREST}, {"rzi", ROUND_ZERO},
                 {"rmi", ROUND_DOWN},   {"rpi", ROUND_UP}};
    for (unsigned i = 0; i < ARRAY_LENGTH(modes); i++) {
        if (take(d, modes[i].name)) {
            return (uint32_t)modes[i].rounding << INSN_ROUND_SHIFT;
        }
    }
    return 0;
}

bool all_taken(struct decoder *d)
{
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        if (!(d->taken >> i & 1u)) {
            return refuse(d, "modifier .%s", d->in->modifiers[i]);
        }
    }
    return true;
}

/* --- constants and registers ----------------------------------------------------------------- */

enum width width_of(enum ptx_type type)
{
    return type == PTX_PRED ? WIDTH_PREDICATE : ptx_type_bytes(type) > 4 ? WIDTH_64 : WIDTH_32;
}

static uint32_t add_constant(struct decoder *d, uint64_t bits, bool wide)
{
    struct kernel *k = d->k;
    for (unsigned i = d->constant_count; i-- > 0;) {
        if (d->constants[i].bits == bits && d->constants[i].wide == wide) {
            return d->constants[i].ref;
        }
    }
    uint32_t bytes = wide ? LANE_BYTES_64 : LANE_BYTES_32;
    if (k->constant_bytes + bytes > d->constant_room) {
        uint32_t room = d->constant_room == 0 ? 16384 : d->constant_room * 2;
        uint8_t *grown = arena_alloc(&k->arena, room);
        if (k->constant_bytes > 0) {
            memcpy(grown, k->constants, k->constant_bytes);
        }
        k->constants = grown;
        d->constant_room = room;
    }
    for (unsigned i = 0; i < WARP_LANES; i++) {
        memcpy(k->constants + k->constant_bytes + i * bytes / WARP_LANES, &bits,
               bytes / WARP_LANES);
    }
    uint32_t ref = k->constant_bytes | REF_CONST;
    k->constant_bytes += bytes;
    d->constants = arena_grow(&d->scratch, d->constants, d->constant_count, &d->constant_capacity,
                              sizeof *d->constants);
    d->constants[d->constant_count++] = (struct constant){bits, ref, wide};
    return ref;
}

uint32_t constant32(struct decoder *d, uint32_t value) { return add_constant(d, value, false); }

uint32_t constant64(struct decoder *d, uint64_t value) { return add_constant(d, value, true); }

/* Beyond the most that is possible everything gets the same room, and stack_fits() rejects the kernel. */
uint32_t frame_room(struct decoder *d, uint64_t bytes)
{
    uint64_t offset = d->kf->frame_bytes, end = offset + align_up(bytes, 64);
    if (end > MOST_FRAME_BYTES) {
        d->kf->frame_bytes = (uint32_t)MOST_FRAME_BYTES + 64;
        return REF_FRAME;
    }
    d->kf->frame_bytes = (uint32_t)end;
    return (uint32_t)offset | REF_FRAME;
}

/* A predicate takes a whole cache line too: few of them, and no false sharing of anything. */
static uint32_t register_room(struct decoder *d, enum ptx_type type)
{
    enum width width = width_of(type);
    return frame_room(d, width == WIDTH_64 ? LANE_BYTES_64 : width == WIDTH_32 ? LANE_BYTES_32 : 4);
}

const struct symbol *find_symbol(struct decoder *d, const char *name)
{
    unsigned index;
    return names_find(&d->names, name, &index) ? &d->symbols[index] : NULL;
}

void add_symbol(struct decoder *d, const char *name, struct symbol s)
{
    d->symbols = arena_grow(&d->scratch, d->symbols, d->symbol_count, &d->symbol_capacity,
                            sizeof *d->symbols);
    d->symbols[d->symbol_count] = s;
    names_add(&d->names, name, d->symbol_count++);
}

/* "%r12" is element 12 of the declaration "%r<20>"; "%SP" is declared under its own name. */
static const struct ptx_reg *find_register(struct decoder *d, const char *name, unsigned *declared,
                                           unsigned *element)
{
    const struct symbol *s = find_symbol(d, name);
    *element = 0;
    if (s != NULL && s->kind == SYMBOL_REG && d->f->regs[s->index].count == 0) {
        *declared = s->index;
        return &d->f->regs[s->index];
    }
    size_t length = strlen(name), prefix = length;
    while (prefix > 0 && name[prefix - 1] >= '0' && name[prefix - 1] <= '9') {
        prefix--;
    }
    /* digits may belong to the prefix itself ("%r1_5"): try every way to divide them */
    for (; prefix < length; prefix++) {
        char stem[128];
        if (prefix >= sizeof stem) {
            return NULL;
        }
        memcpy(stem, name, prefix);
        stem[prefix] = '\0';
        s = find_symbol(d, stem);
        unsigned long number = strtoul(name + prefix, NULL, 10);
        if (s != NULL && s->kind == SYMBOL_REG && number < d->f->regs[s->index].count) {
            *declared = s->index;
            *element = (unsigned)number;
            return &d->f->regs[s->index];
        }
    }
    return NULL;
}

enum ptx_type register_type(struct decoder *d, const struct ptx_operand *o)
{
    unsigned declared, element;
    const struct ptx_reg *reg =
        o->kind == PTX_OPERAND_REG ? find_register(d, o->name, &declared, &element) : NULL;
    return reg != NULL ? reg->type : PTX_NO_TYPE;
}

/* The register's slot; it gets one at its first use, so unused registers take no room. */
static bool register_ref(struct decoder *d, const char *name, enum width width, uint32_t *ref)
{
    unsigned declared, element;
    const struct ptx_reg *reg = find_register(d, name, &declared, &element);
    if (reg == NULL) {
        return refuse(d, "register %s is not declared", name);
    }
    if (ptx_type_bytes(reg->type) > 8) {
        return refuse(d, "128-bit registers");
    }
    if (width_of(reg->type) != width) {
        return refuse(d, "register %s of type .%s does not have the operand's width", name,
                      ptx_type_name(reg->type));
    }
    uint32_t *slot = &d->slots[declared][element];
    if (*slot == NO_REF) {
        *slot = register_room(d, reg->type);
    }
    *ref = *slot;
    return true;
}

/* --- special registers ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum special special;
} specials[] = {{"%tid.x", SPECIAL_TID_X},
                {"%tid.y", SPECIAL_TID_Y},
                {"%tid.z", SPECIAL_TID_Z},
                {"%ntid.x", SPECIAL_NTID_X},
                {"%ntid.y", SPECIAL_NTID_Y},
                {"%ntid.z", SPECIAL_NTID_Z},
                {"%ctaid.x", SPECIAL_CTAID_X},
                {"%ctaid.y", SPECIAL_CTAID_Y},
                {"%ctaid.z", SPECIAL_CTAID_Z},
                {"%nctaid.x", SPECIAL_NCTAID_X},
                {"%nctaid.y", SPECIAL_NCTAID_Y},
                {"%nctaid.z", SPECIAL_NCTAID_Z},
                {"%laneid", SPECIAL_LANEID},
                {"%warpid", SPECIAL_WARPID},
                {"%nwarpid", SPECIAL_NWARPID},
                {"%smid", SPECIAL_SMID},
                {"%nsmid", SPECIAL_NSMID},
                {"%gridid", SPECIAL_GRIDID},
                {"%lanemask_eq", SPECIAL_LANEMASK_EQ},
                {"%lanemask_lt", SPECIAL_LANEMASK_LT},
                {"%lanemask_le", SPECIAL_LANEMASK_LE},
                {"%lanemask_gt", SPECIAL_LANEMASK_GT},
                {"%lanemask_ge", SPECIAL_LANEMASK_GE},
                {"%dynamic_smem_size", SPECIAL_DYNAMIC_SHARED},
                {"%total_smem_size", SPECIAL_TOTAL_SHARED},
                {"%envreg1", SPECIAL_WORKSPACE_HIGH},
                {"%envreg2", SPECIAL_WORKSPACE_LOW},
                {"%reserved_smem_offset_begin", SPECIAL_RESERVED_0},
                {"%reserved_smem_offset_0", SPECIAL_RESERVED_0},
                {"%reserved_smem_offset_1", SPECIAL_RESERVED_1},
                {"%reserved_smem_offset_end", SPECIAL_RESERVED_END},
                {"%reserved_smem_offset_cap", SPECIAL_RESERVED_SIZE}};

static bool special_ref(struct decoder *d, const char *name, enum width width, uint32_t *ref,
                        bool *found)
{
    *found = false;
    for (unsigned i = 0; i < ARRAY_LENGTH(specials); i++) {
        if (strcmp(specials[i].name, name) == 0) {
            *found = true;
            if (width != WIDTH_32) {
                return refuse(d, "special register %s as a 64-bit operand", name);
            }
            d->k->uses_workspace |= specials[i].special == SPECIAL_WORKSPACE_LOW;
            d->k->uses_reserved |= specials[i].special >= SPECIAL_RESERVED_0;
            *ref = (uint32_t)specials[i].special * LANE_BYTES_32 | REF_SPECIAL;
            return true;
        }
    }
    return true;
}

/* --- operands -------------------------------------------------------------------------------- */

bool symbol_address(struct decoder *d, const char *name, uint64_t *address)
{
    const struct symbol *s = find_symbol(d, name);
    unsigned value;
    if (s != NULL) {
        *address = s->offset;
        return s->kind == SYMBOL_SHARED || s->kind == SYMBOL_ENTRY_PARAM;
    }
    if (names_find(&d->shared, name, &value)) {
        *address = value;
        return true;
    }
    if (names_find(&d->functions, name, &value)) {
        *address = value + 1; /* a function's address is its number in the module, from 1 */
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

bool source(struct decoder *d, const struct ptx_operand *o, enum ptx_type type, uint32_t *ref)
{
    enum width width = width_of(type);
    uint64_t address;
    bool found;
    switch (o->kind) {
    case PTX_OPERAND_REG:
        if (o->name[0] == '%') {
            if (!special_ref(d, o->name, width, ref, &found)) {
                return false;
            }
            if (found) {
                return true;
            }
        }
        return register_ref(d, o->name, width, ref);
    case PTX_OPERAND_INT:
    case PTX_OPERAND_FLOAT:
        *ref = add_constant(d, immediate_bits(o, type), width == WIDTH_64);
        return true;
    case PTX_OPERAND_SYMBOL:
        if (!symbol_address(d, o->name, &address)) {
            return refuse(d, "operand %s", o->name);
        }
        *ref = add_constant(d, address + o->bits, width == WIDTH_64);
        return true;
    default:
        return refuse(d, "an operand of this form");
    }
}

/* Handlers that can do without their result: those of predicates, vectors, atomics and shuffles. */
static bool may_drop_result(const struct decoder *d, enum width width)
{
    return width == WIDTH_PREDICATE || operand(d, 0)->kind == PTX_OPERAND_VECTOR ||
           d->in->op == PTX_OP_ATOM || d->in->op == PTX_OP_SHFL;
}

bool destination(struct decoder *d, const struct ptx_operand *o, enum width width, uint32_t *ref)
{
    if (o->kind != PTX_OPERAND_REG) {
        return refuse(d, "a destination that is no register");
    }
    if (strcmp(o->name, "_") == 0) {
        *ref = NO_REF;
        return may_drop_result(d, width) || refuse(d, "a result that is not kept");
    }
    return register_ref(d, o->name, width, ref);
}

bool predicate_source(struct decoder *d, const struct ptx_operand *o, uint32_t *ref, bool *negated)
{
    *negated = o->negated;
    if (o->kind == PTX_OPERAND_INT) { /* true or false, written as a number */
        *ref = constant32(d, o->bits != 0 ? FULL_MASK : 0);
        return true;
    }
    if (o->kind != PTX_OPERAND_REG) {
        return refuse(d, "a predicate that is no register");
    }
    return register_ref(d, o->name, WIDTH_PREDICATE, ref);
}

static void count_mentions(struct decoder *d, const struct ptx_operand *o)
{
    unsigned count = 0;
    for (unsigned i = 0; i < o->item_count; i++) {
        count_mentions(d, &o->items[i]);
    }
    if (o->name != NULL && o->kind != PTX_OPERAND_SYMBOL) {
        names_find(&d->mentions, o->name, &count);
        names_add(&d->mentions, o->name, count + 1);
    }
}

bool mentioned_once(struct decoder *d, const char *name)
{
    unsigned count = 0;
    if (d->mentions.count == 0) {
        for (unsigned i = 0; i < d->f->insn_count; i++) {
            for (unsigned o = 0; o < d->f->insns[i].operand_count; o++) {
                count_mentions(d, &d->f->insns[i].operands[o]);
            }
        }
    }
    names_find(&d->mentions, name, &count);
    return count == 1;
}

bool operands_are(struct decoder *d, unsigned least, unsigned most)
{
    unsigned count = d->in->operand_count;
    if (count < least || count > most) {
        return refuse(d, "%u operands, expected %u", count, least);
    }
    return true;
}

/* --- instructions ---------------------------------------------------------------------------- */

struct insn blank(void)
{
    return (struct insn){.d = NO_REF,
                         .a = NO_REF,
                         .b = NO_REF,
                         .c = NO_REF,
                         .e = NO_REF,
                         .guard = NO_REF,
                         .bytes = 4,
                         .elements = 1};
}

struct insn *append_insn(struct decoder *d, struct insn in)
{
    struct kernel *k = d->k;
    unsigned capacity = d->code_capacity;
    k->code = arena_grow(&d->scratch, k->code, k->code_count, &d->code_capacity, sizeof *k->code);
    k->origin = arena_grow(&d->scratch, k->origin, k->code_count, &capacity, sizeof *k->origin);
    k->code[k->code_count] = in;
    k->origin[k->code_count] = d->in;
    return &k->code[k->code_count++];
}

struct insn *emit(struct decoder *d, struct insn in, const char *handler, ...)
{
    char name[96];
    bool negated;
    va_list args;
    va_start(args, handler);
    vsnprintf(name, sizeof name, handler, args);
    va_end(args);
    in.handler = in.run = d->world->handler(name);
    if (in.run == NULL) {
        refuse(d, "this combination of type and modifiers");
        return NULL;
    }
    if (d->in->guard != NULL && !needs_own_block(d->in)) {
        struct ptx_operand guard = {.kind = PTX_OPERAND_REG, .name = d->in->guard};
        if (!predicate_source(d, &guard, &in.guard, &negated)) {
            return NULL;
        }
        in.flags |= d->in->guard_negated ? INSN_GUARD_NEGATED : 0;
        if (d->in->op != PTX_OP_EXIT && d->in->op != PTX_OP_RET) { /* they look at it themselves */
            in.run = d->world->guarded;
        }
    }
    return append_insn(d, in);
}

/* A new site is for the instruction that is emitted next. */
uint32_t new_site(struct decoder *d, enum site_kind kind, unsigned count)
{
    struct kernel *k = d->k;
    uint32_t first = k->site_count;
    for (unsigned i = 0; i < count; i++) {
        enum site_kind shared = kind == SITE_GLOBAL_LOAD    ? SITE_SHARED_LOAD
                                : kind == SITE_GLOBAL_STORE ? SITE_SHARED_STORE
                                                            : SITE_SHARED_ATOM;
        k->sites =
            arena_grow(&d->scratch, k->sites, k->site_count, &d->site_capacity, sizeof *k->sites);
        k->sites[k->site_count++] = (struct site_info){.kind = i == 0   ? kind
                                                               : i == 1 ? shared
                                                                        : SITE_UNCOUNTED,
                                                       .insn = k->code_count};
    }
    return first;
}

uint32_t new_plain_site(struct decoder *d, enum site_kind kind, uint32_t count)
{
    d->plain_sites = arena_grow(&d->scratch, d->plain_sites, d->plain_count, &d->plain_capacity,
                                sizeof *d->plain_sites);
    d->plain_sites[d->plain_count] =
        (struct site_info){.kind = kind, .insn = d->k->code_count, .count = count};
    return d->plain_count++ | PLAIN_SITE;
}
